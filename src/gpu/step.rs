//! One time step on the device: the ordered list of stages.

use super::buffers::Buffers;
use super::device::Gpu;
use super::stages::cells::Cells;
use super::stages::decide::Decide;
use super::stages::forces::{Evaluation, Forces};
use super::stages::history::History;
use super::stages::integrate::{Integrate, Part};
use super::stages::neighbours::Neighbours;
use crate::error::Result;
use crate::scene::ContactLaws;

/// All stages of a step.
#[derive(Debug)]
pub(crate) struct Step {
    decide: Decide,
    cells: Cells,
    neighbours: Neighbours,
    history: History,
    forces: Forces,
    integrate: Integrate,
}

impl Step {
    pub(crate) fn new(
        gpu: &Gpu,
        buffers: &Buffers,
        laws: &ContactLaws,
        key_bits: u32,
    ) -> Result<Self> {
        let cells = Cells::new(gpu, buffers, key_bits)?;
        Ok(Self {
            decide: Decide::new(gpu, buffers)?,
            neighbours: Neighbours::new(gpu, buffers, cells.sorted_pairs())?,
            history: History::new(gpu, buffers, cells.sorted_pairs())?,
            forces: Forces::new(gpu, buffers, laws)?,
            integrate: Integrate::new(gpu, buffers)?,
            cells,
        })
    }

    /// Takes note of slots that have grown.
    pub(crate) fn rebind(&mut self, gpu: &Gpu, buffers: &Buffers) -> Result<()> {
        let sorted_pairs = self.cells.sorted_pairs();
        self.neighbours.rebind(gpu, buffers, sorted_pairs)?;
        self.history.rebind(gpu, buffers, sorted_pairs)?;
        self.forces.rebind(gpu, buffers)
    }

    /// Takes note of grains that have been removed.
    pub(crate) fn set_grains(&self, gpu: &Gpu, grains: u32) -> Result<()> {
        self.history.set_grains(gpu, grains)
    }

    /// Bytes of what stages keep for themselves, as far as it grows with the grains.
    pub(crate) fn scratch_bytes(&self) -> u64 {
        self.cells.sort_bytes()
    }

    /// From velocities at the instant of the positions to the next positions.
    pub(crate) fn record_begin(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        self.integrate.record(pass, buffers, Part::Begin);
    }

    /// Lists the neighbours anew if the device finds that it has to.
    pub(crate) fn record_refresh(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        self.decide.record(pass); //                whether, and how many workgroups each kernel has
        self.cells.record(pass, buffers); //        grains copied in the order of their cells
        self.neighbours.record(pass, buffers); //   their slots by the partner's id, if there is room
        self.history.record(pass, buffers); //      what contacts remember; the new list replaces the old
    }

    /// The first evaluation of a run.
    pub(crate) fn record_start(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        self.forces.record(pass, buffers, Evaluation::Starting);
    }

    /// One step; after the last one velocities belong to the instant of the positions.
    pub(crate) fn record_step(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        buffers: &Buffers,
        is_last: bool,
    ) {
        let (evaluation, part) = if is_last {
            (Evaluation::Measuring, Part::Finish)
        } else {
            (Evaluation::Ordinary, Part::Continue)
        };
        self.forces.record(pass, buffers, evaluation); //   accelerations, and what contacts remember
        self.integrate.record(pass, buffers, part); //      velocities, and positions at t + Δt
    }
}
