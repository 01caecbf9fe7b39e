//! Kernels: what a compute shader binds, its pipeline, and how it is dispatched.

use super::device::Gpu;
use super::shader::{PICTURES, Shader};
use super::texels::{TEXEL_FORMAT, Texels};
use crate::error::Result;

/// How a kernel uses a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `var<uniform>`
    Uniform,
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    ReadWrite,
}

/// One buffer that a kernel binds. Its number is its place in [`KernelSpec::bindings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// Name of the variable in the shader.
    pub name: &'static str,
    /// How the kernel uses it.
    pub access: Access,
    /// Whether it is a texture on software devices: see [`texels`](super::texels).
    pub texels: bool,
}

impl Binding {
    /// A buffer of parameters.
    pub const fn uniform(name: &'static str) -> Self {
        Self::new(name, Access::Uniform)
    }

    /// A buffer that the kernel reads.
    pub const fn read(name: &'static str) -> Self {
        Self::new(name, Access::Read)
    }

    /// A buffer that the kernel writes, and may read.
    pub const fn read_write(name: &'static str) -> Self {
        Self::new(name, Access::ReadWrite)
    }

    /// The same, if it is a texture on software devices.
    pub const fn of_texels(self) -> Self {
        Self {
            texels: true,
            ..self
        }
    }

    const fn new(name: &'static str, access: Access) -> Self {
        Self {
            name,
            access,
            texels: false,
        }
    }
}

/// What the host knows about a kernel; `tests/shaders.rs` compares it with the shader.
#[derive(Debug, Clone, Copy)]
pub struct KernelSpec {
    /// Entry point; the label is `lahar.` and the name.
    pub name: &'static str,
    /// File below `shaders/`.
    pub shader: &'static str,
    /// Invocations per workgroup, all along x; of kernels whose threads share grains (`shaders/lib/crew.wgsl`), grains.
    pub workgroup_size: u32,
    /// Buffers in group 0, from binding 0.
    pub bindings: &'static [Binding],
}

/// Workgroups in one row of a dispatch: `DISPATCH_ROW` in `shaders/lib/dispatch.wgsl`, which says why.
pub const DISPATCH_ROW: u32 = 4096;

/// How many workgroups a dispatch has.
#[derive(Debug, Clone, Copy)]
pub enum Grid<'a> {
    /// So many; the host knows.
    Workgroups(u32),
    /// As many as a kernel has decided.
    Indirect {
        /// Slots of [`ARGUMENTS_BYTES`], each as [`dispatch_arguments`] makes it.
        arguments: &'a wgpu::Buffer,
        /// Which slot, from 0.
        slot: u32,
    },
}

/// What a kernel can bind.
pub trait Bound {
    /// As wgpu wants it.
    fn resource(&self) -> wgpu::BindingResource<'_>;
}

impl Bound for wgpu::Buffer {
    fn resource(&self) -> wgpu::BindingResource<'_> {
        self.as_entire_binding()
    }
}

impl Bound for wgpu::BufferBinding<'_> {
    fn resource(&self) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::Buffer(self.clone())
    }
}

impl Bound for Texels {
    fn resource(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Buffer(buffer) => buffer.as_entire_binding(),
            Self::Texture(_, view) => wgpu::BindingResource::TextureView(view),
        }
    }
}

/// A kernel, ready to run on a device.
///
/// Workgroup memory holds anything at its start: kernels write before they read. A clone is the same kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    spec: KernelSpec,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

impl Kernel {
    /// Compiles a kernel from its file, with values for its `override` constants; once for a device.
    ///
    /// # Errors
    /// [`Error::Shader`](crate::Error::Shader) if the shader does not compile, [`Error::Device`](crate::Error::Device) if it does not fit the device.
    pub fn new(gpu: &Gpu, spec: &KernelSpec, constants: &[(&str, f64)]) -> Result<Self> {
        let pictured = gpu.has_pictures() && spec.bindings.iter().any(|binding| binding.texels);
        let name = format!("{} {pictured} {constants:?}", spec.name);
        gpu.kernel_once(name, || {
            let mut substitutes = gpu.substitutes().to_vec();
            substitutes.retain(|twin| pictured || !PICTURES.contains(twin));
            let shader = Shader::with_substitutes(spec.shader, &substitutes)?;
            Self::from_shader(gpu, spec, &shader, constants)
        })
    }

    /// Compiles a kernel from a shader that need not be a file.
    ///
    /// # Errors
    /// As [`Kernel::new`].
    pub fn from_shader(
        gpu: &Gpu,
        spec: &KernelSpec,
        shader: &Shader,
        constants: &[(&str, f64)],
    ) -> Result<Self> {
        let label = format!("lahar.{}", spec.name);
        let label = Some(label.as_str());
        let module = gpu.watched(&format!("compile {}", spec.name), 0, |device| {
            device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label,
                source: wgpu::ShaderSource::Wgsl(shader.source().into()),
            })
        });
        if module.is_err() {
            // The same complaint, but with the place where to look.
            shader.check()?;
        }
        let module = module?;
        gpu.watched(&format!("build {}", spec.name), 0, |device| {
            let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label,
                entries: &layout_entries(spec.bindings, gpu.has_pictures()),
            });
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(spec.name),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants,
                    zero_initialize_workgroup_memory: false,
                },
                cache: None,
            });
            Self {
                spec: *spec,
                layout,
                pipeline,
            }
        })
    }

    /// Binds parts of buffers, in the order of [`KernelSpec::bindings`].
    ///
    /// # Errors
    /// As [`Kernel::bind`], or if a part does not start where the device allows.
    pub fn bind_parts(
        &self,
        gpu: &Gpu,
        buffers: &[wgpu::BufferBinding<'_>],
    ) -> Result<wgpu::BindGroup> {
        let bound: Vec<&dyn Bound> = buffers.iter().map(|buffer| buffer as _).collect();
        self.bind(gpu, &bound)
    }

    /// Binds buffers, parts of them and texels, in the order of [`KernelSpec::bindings`].
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there are more or fewer than the kernel has, or one lacks a usage.
    pub fn bind(&self, gpu: &Gpu, buffers: &[&dyn Bound]) -> Result<wgpu::BindGroup> {
        let action = format!("bind the buffers of {}", self.spec.name);
        if buffers.len() != self.spec.bindings.len() {
            let message = format!(
                "{} buffers given, {} wanted",
                buffers.len(),
                self.spec.bindings.len()
            );
            return Err(gpu.refusal(&action, &message));
        }
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.resource(),
            })
            .collect();
        gpu.watched(&action, 0, |device| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(&format!("lahar.{}", self.spec.name)),
                layout: &self.layout,
                entries: &entries,
            })
        })
    }

    /// Runs at least so many threads.
    pub fn dispatch(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bind_group: &wgpu::BindGroup,
        threads: u32,
    ) {
        let workgroups = threads.div_ceil(self.spec.workgroup_size);
        self.dispatch_grid(pass, bind_group, Grid::Workgroups(workgroups));
    }

    /// Runs at least as many workgroups as the grid has.
    pub fn dispatch_grid(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bind_group: &wgpu::BindGroup,
        grid: Grid<'_>,
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, bind_group, &[]);
        match grid {
            Grid::Workgroups(workgroups) => {
                let [x, y, z, _] = dispatch_arguments(workgroups);
                pass.dispatch_workgroups(x, y, z);
            }
            Grid::Indirect { arguments, slot } => {
                let offset = u64::from(slot) * ARGUMENTS_BYTES;
                pass.dispatch_workgroups_indirect(arguments, offset);
            }
        }
    }
}

/// Bytes of one slot of indirect arguments.
pub const ARGUMENTS_BYTES: u64 = 16;

/// Arguments of an indirect dispatch of so many workgroups, up to a full last row; the fourth word pads.
///
/// Kernels write the same with `dispatch_arguments` of `shaders/lib/dispatch.wgsl`.
pub fn dispatch_arguments(workgroups: u32) -> [u32; 4] {
    let rows = workgroups.div_ceil(DISPATCH_ROW);
    [workgroups.min(DISPATCH_ROW), rows, 1, 0]
}

fn layout_entries(bindings: &[Binding], pictures: bool) -> Vec<wgpu::BindGroupLayoutEntry> {
    (0..)
        .zip(bindings)
        .map(|(number, binding)| wgpu::BindGroupLayoutEntry {
            binding: number,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: if pictures && binding.texels {
                texture_type(binding.access)
            } else {
                buffer_type(binding.access)
            },
            count: None,
        })
        .collect()
}

fn buffer_type(access: Access) -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty: match access {
            Access::Uniform => wgpu::BufferBindingType::Uniform,
            Access::Read => wgpu::BufferBindingType::Storage { read_only: true },
            Access::ReadWrite => wgpu::BufferBindingType::Storage { read_only: false },
        },
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

fn texture_type(access: Access) -> wgpu::BindingType {
    wgpu::BindingType::StorageTexture {
        access: if access == Access::ReadWrite {
            wgpu::StorageTextureAccess::ReadWrite
        } else {
            wgpu::StorageTextureAccess::ReadOnly
        },
        format: TEXEL_FORMAT,
        view_dimension: wgpu::TextureViewDimension::D2,
    }
}
