//! Everything that a run keeps in the memory of its device.

use super::device::Gpu;
use super::layout::{Acceleration, Body, Motion, StepParams};
use super::stages::decide::ARGUMENTS_COUNT;
use crate::error::Result;
use crate::gpu::kernel::ARGUMENTS_BYTES;
use bytemuck::Pod;
use wgpu::BufferUsages;

/// Storage that the host can read and write too.
const STORAGE: BufferUsages = BufferUsages::STORAGE
    .union(BufferUsages::COPY_SRC)
    .union(BufferUsages::COPY_DST);

/// Bytes of a slot, of what its contact remembers, and of what only some laws want remembered.
const SLOT_BYTES: u64 = 8;
const HISTORY_BYTES: u64 = 16;
const EXTRA_BYTES: u64 = 32;

/// How large the buffers are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) grains: u32,
    pub(crate) slots: u32,
    pub(crate) cells: u32,
    pub(crate) status_words: usize,
    pub(crate) table_vectors: usize,
    pub(crate) with_extras: bool,
}

/// The buffers of a run. Those called `new_…` hold a neighbour list while it is made; the old one stays
/// valid until the new one is known to fit.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) sizes: Sizes,
    pub(crate) params: wgpu::Buffer,
    pub(crate) tables: wgpu::Buffer,
    pub(crate) status: wgpu::Buffer,
    pub(crate) arguments: wgpu::Buffer,
    pub(crate) bodies: wgpu::Buffer,
    pub(crate) motions: wgpu::Buffer,
    /// While a list is made nobody needs the accelerations: they are then the bodies in their new order.
    pub(crate) accelerations: wgpu::Buffer,
    pub(crate) starts: wgpu::Buffer,
    pub(crate) slots: wgpu::Buffer,
    pub(crate) histories: wgpu::Buffer,
    pub(crate) extras: wgpu::Buffer,
    pub(crate) cell_table: wgpu::Buffer,
    pub(crate) new_motions: wgpu::Buffer,
    pub(crate) new_starts: wgpu::Buffer,
    pub(crate) new_slots: wgpu::Buffer,
    pub(crate) new_histories: wgpu::Buffer,
    pub(crate) new_extras: wgpu::Buffer,
}

impl Buffers {
    pub(crate) fn new(gpu: &Gpu, sizes: Sizes) -> Result<Self> {
        const { assert!(size_of::<Body>() == size_of::<Acceleration>()) };
        let storage = |label: &str, bytes: u64| gpu.create_buffer(label, bytes, STORAGE);
        let grains = u64::from(sizes.grains);
        let bodies = grains * size_of::<Body>() as u64;
        let motions = grains * size_of::<Motion>() as u64;
        // One more than grains, in whole vectors: see `Scan`.
        let starts = (4 * (grains + 1)).next_multiple_of(16);
        let [slots, histories, extras] = slot_bytes(&sizes);
        Ok(Self {
            params: gpu.create_buffer(
                "params",
                size_of::<StepParams>() as u64,
                BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            )?,
            tables: storage("tables", 16 * sizes.table_vectors as u64)?,
            status: storage("status", 4 * sizes.status_words as u64)?,
            arguments: gpu.create_buffer(
                "arguments",
                ARGUMENTS_BYTES * u64::from(ARGUMENTS_COUNT),
                STORAGE | BufferUsages::INDIRECT,
            )?,
            bodies: storage("bodies", bodies)?,
            motions: storage("motions", motions)?,
            accelerations: storage("accelerations", bodies)?,
            starts: storage("starts", starts)?,
            slots: storage("slots", slots)?,
            histories: storage("histories", histories)?,
            extras: storage("extras", extras)?,
            cell_table: storage("cell_table", 8 * u64::from(sizes.cells))?,
            new_motions: storage("new_motions", motions)?,
            new_starts: storage("new_starts", starts)?,
            new_slots: storage("new_slots", slots)?,
            new_histories: storage("new_histories", histories)?,
            new_extras: storage("new_extras", extras)?,
            sizes,
        })
    }

    /// Makes room for more slots and keeps those that there are.
    pub(crate) fn grow_slots(&mut self, gpu: &Gpu, slots: u32) -> Result<()> {
        self.sizes.slots = slots;
        let [slots, histories, extras] = slot_bytes(&self.sizes);
        // The new list first: it holds nothing yet, so that its old memory can go.
        self.new_slots = gpu.create_buffer("new_slots", slots, STORAGE)?;
        self.new_histories = gpu.create_buffer("new_histories", histories, STORAGE)?;
        self.new_extras = gpu.create_buffer("new_extras", extras, STORAGE)?;
        let mut encoder = gpu.encoder("grow");
        let mut grow = |label: &str, old: &mut wgpu::Buffer, bytes: u64| -> Result<()> {
            let new = gpu.create_buffer(label, bytes, STORAGE)?;
            encoder.copy_buffer_to_buffer(old, 0, &new, 0, old.size().min(new.size()));
            *old = new;
            Ok(())
        };
        grow("slots", &mut self.slots, slots)?;
        grow("histories", &mut self.histories, histories)?;
        grow("extras", &mut self.extras, extras)?;
        gpu.submit(encoder)?;
        Ok(())
    }

    /// Each buffer whose size depends on the number of grains, with its bytes.
    pub(crate) fn list(&self) -> Vec<(&'static str, u64)> {
        [
            ("bodies", &self.bodies),
            ("motions", &self.motions),
            ("accelerations", &self.accelerations),
            ("starts", &self.starts),
            ("slots", &self.slots),
            ("histories", &self.histories),
            ("extras", &self.extras),
            ("cell_table", &self.cell_table),
            ("new_motions", &self.new_motions),
            ("new_starts", &self.new_starts),
            ("new_slots", &self.new_slots),
            ("new_histories", &self.new_histories),
            ("new_extras", &self.new_extras),
            ("status", &self.status),
            ("tables", &self.tables),
            ("params", &self.params),
            ("arguments", &self.arguments),
        ]
        .map(|(label, buffer)| (label, buffer.size()))
        .to_vec()
    }
}

fn slot_bytes(sizes: &Sizes) -> [u64; 3] {
    let slots = u64::from(sizes.slots);
    let extras = if sizes.with_extras {
        slots * EXTRA_BYTES
    } else {
        0
    };
    [slots * SLOT_BYTES, slots * HISTORY_BYTES, extras]
}

/// A buffer of parameters that holds a value.
pub(crate) fn uniform<T: Pod>(gpu: &Gpu, label: &str, value: T) -> Result<wgpu::Buffer> {
    let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
    let buffer = gpu.create_buffer(label, size_of::<T>() as u64, usage)?;
    gpu.upload(&buffer, &[value])?;
    Ok(buffer)
}
