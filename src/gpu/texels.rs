//! Memory of four words at a time: a buffer, or on software devices a texture.
//!
//! Mesa's software device reads a texture without going through its threads one by one, as it does with a buffer: bodies
//! are read ten times as fast. Shaders say `array<Texel>` for either; see `shaders/lib/texels.wgsl`.

use super::device::Gpu;
use crate::error::{Error, Result};
use bytemuck::Pod;
use wgpu::{BufferUsages, TextureFormat, TextureUsages};

/// Texels in a row of a texture: `ROW_TEXELS` in `shaders/lib/texels.wgsl`.
pub const ROW_TEXELS: u32 = 4096;

/// Four words.
pub const TEXEL_BYTES: u64 = 16;

const ROW_BYTES: u32 = ROW_TEXELS * 16;

/// What four words are to a texture.
pub(crate) const TEXEL_FORMAT: TextureFormat = TextureFormat::Rgba32Uint;

/// Bytes of the largest texture with so many rows.
fn bytes_of_rows(rows: u32) -> u64 {
    u64::from(ROW_BYTES) * u64::from(rows)
}

/// The rows that hold so many bytes, at least one.
#[allow(
    clippy::cast_possible_truncation,
    reason = "no device allows textures of 2^32 rows"
)]
fn rows_of_bytes(bytes: u64) -> u32 {
    bytes.div_ceil(u64::from(ROW_BYTES)).max(1) as u32
}

/// So many rows.
fn extent(rows: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: ROW_TEXELS,
        height: rows,
        depth_or_array_layers: 1,
    }
}

/// Rows of a texture in a buffer.
fn rows_layout() -> wgpu::TexelCopyBufferLayout {
    wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(ROW_BYTES),
        rows_per_image: None,
    }
}

/// Texels on a device.
#[derive(Debug)]
pub(crate) enum Texels {
    Buffer(wgpu::Buffer),
    Texture(wgpu::Texture, wgpu::TextureView),
}

impl Texels {
    /// Zeros, labelled `lahar.` and the label.
    pub(crate) fn new(gpu: &Gpu, label: &str, bytes: u64) -> Result<Self> {
        if !gpu.has_pictures() {
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
            return Ok(Self::Buffer(gpu.create_buffer(label, bytes, usage)?));
        }
        let action = format!("allocate {label}");
        let rows = gpu.limits().max_texture_dimension_2d;
        let allowed = gpu.largest_storage().min(bytes_of_rows(rows));
        if bytes > allowed {
            return Err(Error::DeviceMemory {
                device: gpu.description().name.clone(),
                action,
                bytes,
                allowed: Some(allowed),
            });
        }
        gpu.watched(&action, bytes, |device| {
            let texture = device.create_texture(&wgpu::TextureDescriptor {
                label: Some(&format!("lahar.{label}")),
                size: extent(rows_of_bytes(bytes)),
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: TEXEL_FORMAT,
                usage: TextureUsages::STORAGE_BINDING
                    | TextureUsages::COPY_SRC
                    | TextureUsages::COPY_DST,
                view_formats: &[],
            });
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            Self::Texture(texture, view)
        })
    }

    /// Bytes that it has room for.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Buffer(buffer) => buffer.size(),
            Self::Texture(texture, _) => bytes_of_rows(texture.height()),
        }
    }

    /// Writes values to its start, before anything that is submitted later.
    pub(crate) fn upload<T: Pod>(&self, gpu: &Gpu, values: &[T]) -> Result<()> {
        let texture = match self {
            Self::Buffer(buffer) => return gpu.upload(buffer, values),
            Self::Texture(texture, _) => texture,
        };
        let mut bytes: Vec<u8> = bytemuck::cast_slice(values).to_vec();
        let rows = rows_of_bytes(bytes.len() as u64);
        bytes.resize(rows as usize * ROW_BYTES as usize, 0);
        gpu.watched("upload", bytes.len() as u64, |_| {
            gpu.queue()
                .write_texture(texture.as_image_copy(), &bytes, rows_layout(), extent(rows));
        })
    }

    /// Records that its first bytes, or a few more, go to others of its kind.
    pub(crate) fn copy_to(&self, encoder: &mut wgpu::CommandEncoder, to: &Self, bytes: u64) {
        match (self, to) {
            (Self::Texture(from, _), Self::Texture(to, _)) => encoder.copy_texture_to_texture(
                from.as_image_copy(),
                to.as_image_copy(),
                extent(rows_of_bytes(bytes)),
            ),
            (Self::Buffer(from), Self::Buffer(to)) => {
                encoder.copy_buffer_to_buffer(from, 0, to, 0, bytes);
            }
            _ => unreachable!("a device has one kind of them"),
        }
    }
}

/// What a host reads from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A buffer from some byte on.
    Buffer(&'a wgpu::Buffer, u64),
    Texels(&'a Texels),
}

impl Source<'_> {
    /// Bytes of a buffer that receives so many of them: textures are copied in whole rows.
    pub(crate) fn staging_bytes(&self, bytes: u64) -> u64 {
        match self {
            Self::Texels(Texels::Texture(..)) => bytes_of_rows(rows_of_bytes(bytes)),
            _ => bytes,
        }
    }

    /// Records that so many bytes go to a buffer.
    pub(crate) fn copy(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, bytes: u64) {
        match self {
            Self::Buffer(buffer, start) => {
                encoder.copy_buffer_to_buffer(buffer, *start, to, 0, bytes);
            }
            Self::Texels(Texels::Buffer(buffer)) => {
                encoder.copy_buffer_to_buffer(buffer, 0, to, 0, bytes);
            }
            Self::Texels(Texels::Texture(texture, _)) => encoder.copy_texture_to_buffer(
                texture.as_image_copy(),
                wgpu::TexelCopyBufferInfo {
                    buffer: to,
                    layout: rows_layout(),
                },
                extent(rows_of_bytes(bytes)),
            ),
        }
    }
}
