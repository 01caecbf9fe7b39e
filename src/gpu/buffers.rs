//! Everything that a run keeps in the memory of its device.
//!
//! Listing neighbours anew needs room for a sort, for a table of cells and for grains in a new order. It is
//! found in buffers that are not in use just then: what contacts remember is put aside in the memory of the
//! accelerations, which are worked out afterwards, and the memory of the old list is free from then on.

use super::device::Gpu;
use super::layout::{Acceleration, Body, Motion, StepParams};
use super::snapshot::{MOST_GRAINS, Snapshot};
use super::stages::balance::turns_bytes;
use super::stages::decide::ARGUMENTS_COUNT;
use super::stages::history::saved_bytes;
use super::stages::immerse::immersed_bytes;
use super::stages::scan::block_sums_bytes;
use super::stages::sort::digit_bytes;
use super::texels::Texels;
use crate::error::{Error, Result};
use crate::gpu::kernel::ARGUMENTS_BYTES;
use bytemuck::Pod;
use std::num::NonZero;
use wgpu::{BufferBinding, BufferUsages};

/// Storage that the host can read and write too.
const STORAGE: BufferUsages = BufferUsages::STORAGE
    .union(BufferUsages::COPY_SRC)
    .union(BufferUsages::COPY_DST);

/// Bytes of a slot, of what its contact remembers, and of what only some laws want remembered.
const SLOT_BYTES: u64 = 8;
const HISTORY_BYTES: u64 = 16;
const EXTRA_BYTES: u64 = 32;

/// Bytes of a key and a place in the sort, of an entry of the cell table, and of the partner in a contact.
const PAIR_BYTES: u64 = 8;
const CELL_BYTES: u64 = 4;
const PARTNER_BYTES: u64 = 4;

/// Where a part of a buffer may start: the coarsest grid that WebGPU lets a device ask for.
const PART_ALIGNMENT: u64 = 256;

/// How much of everything there is room for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sizes {
    pub(crate) grains: u32,
    pub(crate) slots: u32,
    /// That can be put aside.
    pub(crate) contacts: u32,
    pub(crate) cells: u32,
    pub(crate) status_words: usize,
    pub(crate) table_vectors: usize,
    pub(crate) with_extras: bool,
    /// Whether there is a fluid, whose kernels have a buffer of their own.
    pub(crate) with_fluid: bool,
}

/// Entries of the cell table: at most two thirds of them are ever taken.
pub(crate) fn cell_entries(grains: u32) -> u32 {
    (grains + grains / 2).max(64).next_power_of_two()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates; the device refuses what is too large"
)]
fn share(per_grain: f64, grains: u32) -> u32 {
    (per_grain * f64::from(grains)).ceil().max(1.0) as u32
}

impl Sizes {
    /// For so many grains, each with so many slots and contacts.
    pub(crate) fn per_grain(grains: u32, slots: f64, contacts: f64, with_extras: bool) -> Self {
        Self {
            grains,
            slots: share(slots, grains),
            contacts: share(contacts, grains),
            cells: cell_entries(grains),
            status_words: 0,
            table_vectors: 0,
            with_extras,
            with_fluid: false,
        }
    }

    /// The same for another number of grains.
    fn scaled(&self, grains: u32) -> Self {
        let before = f64::from(self.grains.max(1));
        Self {
            status_words: self.status_words,
            table_vectors: self.table_vectors,
            with_fluid: self.with_fluid,
            ..Self::per_grain(
                grains,
                f64::from(self.slots) / before,
                f64::from(self.contacts) / before,
                self.with_extras,
            )
        }
    }

    /// Where in `histories` its parts start while neighbours are listed, and where the last one ends.
    fn parts(&self) -> [u64; 5] {
        let grains = u64::from(self.grains);
        let mut start = 0;
        [
            PAIR_BYTES * grains,
            CELL_BYTES * u64::from(self.cells),
            size_of::<Body>() as u64 * grains,
            PARTNER_BYTES * u64::from(self.contacts),
            0,
        ]
        .map(|bytes| {
            let before = start;
            start = (start + bytes).next_multiple_of(PART_ALIGNMENT);
            before
        })
    }

    /// Each of the texels, with its bytes.
    fn texels(&self) -> [(&'static str, u64); 2] {
        let grains = u64::from(self.grains);
        let accelerations = size_of::<Acceleration>() as u64 * grains;
        [
            ("bodies", size_of::<Body>() as u64 * grains),
            (
                "accelerations",
                accelerations.max(saved_bytes(self.contacts)),
            ),
        ]
    }

    /// Each buffer in storage, with its bytes.
    fn storage(&self) -> [(&'static str, u64); 9] {
        let grains = u64::from(self.grains);
        let slots = u64::from(self.slots);
        let contacts = u64::from(self.contacts);
        let with_extras = u64::from(self.with_extras);
        [
            ("motions", size_of::<Motion>() as u64 * grains),
            // One more than grains, and turns; in whole vectors: see `Scan`.
            (
                "starts",
                (4 * (grains + 1) + turns_bytes(self.grains)).next_multiple_of(16),
            ),
            ("slots", (SLOT_BYTES * slots).max(PAIR_BYTES * grains)),
            ("histories", (HISTORY_BYTES * slots).max(self.parts()[4])),
            ("extras", with_extras * EXTRA_BYTES * slots),
            ("saved_extras", with_extras * EXTRA_BYTES * contacts),
            ("status", 4 * self.status_words as u64),
            ("tables", 16 * self.table_vectors as u64),
            ("arguments", ARGUMENTS_BYTES * u64::from(ARGUMENTS_COUNT)),
        ]
    }

    /// Each buffer with its bytes, those that stages own included.
    pub(crate) fn list(&self) -> Vec<(&'static str, u64)> {
        let mut list = self.texels().to_vec();
        list.extend(self.storage());
        list.push(("digits", 2 * digit_bytes(self.grains)));
        list.push(("block_sums", block_sums_bytes(self.grains)));
        if self.with_fluid {
            list.push(("immersed", immersed_bytes(self.grains)));
        }
        list
    }

    /// Bytes of all of them.
    pub(crate) fn bytes(&self) -> u64 {
        self.list().iter().map(|(_, bytes)| bytes).sum()
    }

    /// The largest buffer.
    pub(super) fn largest(&self) -> (&'static str, u64) {
        self.list()
            .into_iter()
            .max_by_key(|&(_, bytes)| bytes)
            .unwrap_or_default()
    }

    /// Whether a step is one kernel: see [`Forces`](super::stages::forces::Forces).
    pub(crate) fn can_leap(&self) -> bool {
        !self.with_extras && !self.with_fluid
    }

    /// Most grains of this kind, if no buffer may have more bytes than `allowed`.
    pub(crate) fn most_grains(&self, allowed: u64) -> u32 {
        let (mut fits, mut fails) = (0, MOST_GRAINS);
        while fails - fits > 1 {
            let middle = fits + (fails - fits) / 2;
            if self.scaled(middle).largest().1 <= allowed {
                fits = middle;
            } else {
                fails = middle;
            }
        }
        fits
    }

    /// The same with no more slots than that. A thinner skin may do with them.
    pub(crate) fn with_slots_that_fit(mut self, allowed: u64) -> Self {
        self.slots = self.slots.min(self.most_slots(allowed)).max(1);
        self
    }

    /// Most slots, if no buffer may have more bytes than `allowed`.
    #[allow(clippy::cast_possible_truncation, reason = "saturates")]
    pub(crate) fn most_slots(&self, allowed: u64) -> u32 {
        let bytes = if self.with_extras {
            EXTRA_BYTES
        } else {
            HISTORY_BYTES
        };
        (allowed / bytes).min(u64::from(u32::MAX)) as u32
    }

    /// Says so if the device cannot bind one of the buffers.
    pub(crate) fn check(&self, gpu: &Gpu) -> Result<()> {
        let allowed = gpu.largest_storage();
        let (buffer, bytes) = self.largest();
        if bytes <= allowed {
            return Ok(());
        }
        Err(Error::DeviceCapacity {
            device: gpu.description().name.clone(),
            grains: self.grains,
            buffer,
            bytes,
            allowed,
            fits: self.most_grains(allowed),
        })
    }
}

/// The buffers of a run.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) sizes: Sizes,
    /// How many there are.
    pub(crate) grains: u32,
    pub(crate) params: wgpu::Buffer,
    pub(crate) bodies: Texels,
    pub(crate) motions: wgpu::Buffer,
    /// Bodies too, in every other step; while neighbours are listed, what contacts remember.
    pub(crate) accelerations: Texels,
    pub(crate) starts: wgpu::Buffer,
    /// While neighbours are listed, one of the two buffers of the sort.
    pub(crate) slots: wgpu::Buffer,
    /// While neighbours are listed, whatever [`Buffers::sorted_pairs`] and the like are parts of.
    pub(crate) histories: wgpu::Buffer,
    pub(crate) extras: wgpu::Buffer,
    pub(crate) saved_extras: wgpu::Buffer,
    pub(crate) status: wgpu::Buffer,
    pub(crate) tables: wgpu::Buffer,
    pub(crate) arguments: wgpu::Buffer,
}

impl Buffers {
    pub(crate) fn new(gpu: &Gpu, sizes: Sizes) -> Result<Self> {
        sizes.check(gpu)?;
        let [bodies, accelerations] = sizes
            .texels()
            .map(|(label, bytes)| Texels::new(gpu, label, bytes));
        let [
            motions,
            starts,
            slots,
            histories,
            extras,
            saved_extras,
            status,
            tables,
            arguments,
        ] = sizes.storage().map(|(label, bytes)| {
            let mut usage = STORAGE;
            usage.set(BufferUsages::INDIRECT, label == "arguments");
            gpu.create_buffer(label, bytes, usage)
        });
        Ok(Self {
            params: gpu.create_buffer(
                "params",
                size_of::<StepParams>() as u64,
                BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            )?,
            bodies: bodies?,
            motions: motions?,
            accelerations: accelerations?,
            starts: starts?,
            slots: slots?,
            histories: histories?,
            extras: extras?,
            saved_extras: saved_extras?,
            status: status?,
            tables: tables?,
            arguments: arguments?,
            grains: sizes.grains,
            sizes,
        })
    }

    /// Makes room for more slots, or for more contacts to put aside. What there is stays.
    pub(crate) fn grow(&mut self, gpu: &Gpu, sizes: Sizes) -> Result<()> {
        sizes.check(gpu)?;
        let mut encoder = gpu.encoder("grow");
        for (label, bytes) in sizes.texels() {
            if label == "accelerations" && bytes > self.accelerations.bytes() {
                let grown = Texels::new(gpu, label, bytes)?;
                let before = self.accelerations.bytes();
                self.accelerations.copy_to(&mut encoder, &grown, before);
                self.accelerations = grown;
            }
        }
        for (label, bytes) in sizes.storage() {
            let buffer = match label {
                "slots" => &mut self.slots,
                "histories" => &mut self.histories,
                "extras" => &mut self.extras,
                "saved_extras" => &mut self.saved_extras,
                _ => continue,
            };
            if bytes <= buffer.size() {
                continue;
            }
            let grown = gpu.create_buffer(label, bytes, STORAGE)?;
            encoder.copy_buffer_to_buffer(buffer, 0, &grown, 0, buffer.size());
            *buffer = grown;
        }
        gpu.submit(encoder)?;
        self.sizes = sizes;
        Ok(())
    }

    /// Brings bodies back that a run left in the second buffer.
    pub(super) fn bring_back(&self, gpu: &Gpu) -> Result<()> {
        let mut encoder = gpu.encoder("bring back");
        let bytes = size_of::<Body>() as u64 * u64::from(self.grains);
        self.accelerations
            .copy_to(&mut encoder, &self.bodies, bytes);
        gpu.submit(encoder)?;
        Ok(())
    }

    /// Writes grains and their contacts.
    pub(super) fn write(&self, gpu: &Gpu, snapshot: &Snapshot) -> Result<()> {
        self.bodies.upload(gpu, &snapshot.bodies)?;
        gpu.upload(&self.motions, &snapshot.motions)?;
        self.accelerations.upload(gpu, &snapshot.accelerations)?;
        gpu.upload(&self.starts, &snapshot.starts)?;
        gpu.upload(&self.slots, &snapshot.slots)?;
        gpu.upload(&self.histories, &snapshot.histories)?;
        gpu.upload(&self.extras, &snapshot.extras)
    }

    fn part(&self, number: usize) -> BufferBinding<'_> {
        let parts = self.sizes.parts();
        BufferBinding {
            buffer: &self.histories,
            offset: parts[number],
            size: NonZero::new(parts[number + 1] - parts[number]),
        }
    }

    /// Keys and old places of the grains, in the order of the keys.
    pub(crate) fn sorted_pairs(&self) -> BufferBinding<'_> {
        self.part(0)
    }

    /// Where in that order the grains of a cell start.
    pub(crate) fn cell_table(&self) -> BufferBinding<'_> {
        self.part(1)
    }

    /// Bodies, or motions, in that order.
    pub(crate) fn reordered(&self) -> BufferBinding<'_> {
        self.part(2)
    }

    /// With whom the saved contacts are.
    pub(crate) fn partners(&self) -> BufferBinding<'_> {
        self.part(3)
    }
}

/// A buffer of parameters that holds a value.
pub(crate) fn uniform<T: Pod>(gpu: &Gpu, label: &str, value: T) -> Result<wgpu::Buffer> {
    let usage = BufferUsages::UNIFORM | BufferUsages::COPY_DST;
    let buffer = gpu.create_buffer(label, size_of::<T>() as u64, usage)?;
    gpu.upload(&buffer, &[value])?;
    Ok(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the documentation says of grains with six contacts.
    #[test]
    #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
    fn documented_bytes_of_six_contacts() {
        const GRAINS: u32 = 1_000_000;
        let text = include_str!("../../docs/architecture.md");
        for (slots, contacts, told) in [
            (6.0, 3.0, "305 bytes per grain with 6 slots"),
            (7.4, 3.0, "339 with 7.4"),
            (12.0, 6.0, "with 12 slots are\n509 bytes per grain"),
        ] {
            let bytes = Sizes::per_grain(GRAINS, slots, contacts, false).bytes();
            let per_grain = format!("{:.0}", bytes as f64 / f64::from(GRAINS));
            assert!(told.contains(&per_grain), "{told}: really {per_grain}");
            assert!(
                text.contains(told),
                "the documentation does not say: {told}"
            );
        }
    }
}
