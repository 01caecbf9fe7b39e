//! One time step on the device: the ordered list of stages.

use super::buffers::Buffers;
use super::device::Gpu;
use super::layout::FluidParams;
use super::passes::Passes;
use super::stages::balance::Balance;
use super::stages::cells::Cells;
use super::stages::decide::Decide;
use super::stages::forces::{Evaluation, Forces};
use super::stages::history::History;
use super::stages::immerse::Immerse;
use super::stages::integrate::{Integrate, Part};
use super::stages::measure::Measure;
use super::stages::neighbours::Neighbours;
use super::stages::reorder::Reorder;
use crate::error::Result;
use crate::scene::ContactLaws;

/// What is the same for a whole run, and kernels are built for: the compiler drops the rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SceneTraits {
    pub(crate) laws: ContactLaws,
    /// Bits of a key that sorts cells.
    pub(crate) key_bits: u32,
    pub(crate) one_material: bool,
    pub(crate) sizes_differ: bool,
    pub(crate) any_fixed: bool,
    /// Bit k: there are faces of kind k.
    pub(crate) face_kinds: u32,
    /// Bit k: near the periodic sides along axis k walls are not the same on both of them.
    pub(crate) walls_end: u32,
    pub(crate) face_count: usize,
    /// Number of classes of sizes.
    pub(crate) class_count: u32,
}

/// All stages of a step.
#[derive(Debug)]
pub(crate) struct Step {
    decide: Decide,
    history: History,
    cells: Cells,
    neighbours: Neighbours,
    reorder: Reorder,
    balance: Balance,
    forces: Forces,
    /// Only in a fluid.
    immerse: Option<Immerse>,
    integrate: Integrate,
    measure: Measure,
}

impl Step {
    pub(crate) fn new(
        gpu: &Gpu,
        buffers: &Buffers,
        traits: &SceneTraits,
        fluid: Option<FluidParams>,
    ) -> Result<Self> {
        Ok(Self {
            decide: Decide::new(gpu, buffers)?,
            history: History::new(gpu, buffers)?,
            cells: Cells::new(gpu, buffers, traits)?,
            neighbours: Neighbours::new(gpu, buffers, traits)?,
            reorder: Reorder::new(gpu, buffers)?,
            balance: Balance::new(gpu, buffers)?,
            forces: Forces::new(gpu, buffers, traits)?,
            immerse: fluid
                .map(|fluid| Immerse::new(gpu, buffers, fluid))
                .transpose()?,
            integrate: Integrate::new(gpu, buffers, traits)?,
            measure: Measure::new(gpu, buffers)?,
        })
    }

    /// From velocities at the instant of the positions to the next positions.
    pub(crate) fn record_begin(&self, passes: &mut Passes<'_>, buffers: &Buffers) {
        self.integrate
            .record(passes.stage("integrate"), buffers, Part::Begin);
    }

    /// Lists the neighbours anew if the device finds that it has to.
    pub(crate) fn record_refresh(&self, passes: &mut Passes<'_>, buffers: &Buffers) {
        // Whether there is anything to do.
        self.decide.record(passes.stage("decide"));
        // What contacts remember, put aside; there is no list from here on.
        self.history.record_save(passes.stage("history"), buffers);
        // The order of the grains by their cells.
        self.cells.record(passes.stage("cells"), buffers);
        // Their slots by the partner's id, if there is room.
        self.neighbours.record(passes.stage("neighbours"), buffers);
        // The grains in that order.
        self.reorder.record(passes.stage("reorder"), buffers);
        // What contacts remember, in their new slots.
        self.history
            .record_restore(passes.stage("history"), buffers);
        // Which threads take which grains.
        self.balance.record(passes.stage("balance"), buffers);
    }

    /// The first evaluation of a run.
    pub(crate) fn record_start(&self, passes: &mut Passes<'_>, buffers: &Buffers) {
        self.forces
            .record(passes.stage("forces"), buffers, Evaluation::Starting);
        self.record_fluid(passes, buffers, Evaluation::Starting);
    }

    /// Sums over all grains, for a host that is about to look.
    pub(crate) fn record_measurement(&self, passes: &mut Passes<'_>, buffers: &Buffers) {
        self.measure.record(passes.stage("measure"), buffers);
    }

    fn record_fluid(&self, passes: &mut Passes<'_>, buffers: &Buffers, evaluation: Evaluation) {
        if let Some(immerse) = &self.immerse {
            immerse.record(passes.stage("immerse"), buffers, evaluation);
        }
    }

    /// Whether two steps can be recorded as [leaps](Self::record_leaps).
    pub(crate) fn can_leap(&self) -> bool {
        self.forces.can_leap()
    }

    /// Two steps, each one kernel: what contacts do, velocities, and positions at t + Δt.
    pub(crate) fn record_leaps(&self, passes: &mut Passes<'_>, buffers: &Buffers) {
        self.forces.record_leaps(passes.stage("leap"), buffers);
    }

    /// One step; after the last one velocities belong to the instant of the positions.
    pub(crate) fn record_step(&self, passes: &mut Passes<'_>, buffers: &Buffers, is_last: bool) {
        let (evaluation, part) = if is_last {
            (Evaluation::Measuring, Part::Finish)
        } else {
            (Evaluation::Ordinary, Part::Continue)
        };
        // Accelerations, and what contacts remember.
        self.forces
            .record(passes.stage("forces"), buffers, evaluation);
        // Drag and films, in a fluid.
        self.record_fluid(passes, buffers, evaluation);
        // Velocities, and positions at t + Δt.
        self.integrate
            .record(passes.stage("integrate"), buffers, part);
    }
}
