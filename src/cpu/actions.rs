//! What contacts do to their grains, from an evaluation to the next.

use super::eight::WIDTH;
use super::slots::resize;
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use std::ops::{Deref, DerefMut};

/// What a contact does to its grains until the next evaluation.
///
/// The force on the first grain, N, and n × `F_t`, N, which times `R_i` is the torque on the first grain and times `R_j` that
/// on the second. Nothing else: in large beds a step waits for the memory of actions. See
/// [`Beginnings`](super::beginnings::Beginnings) for the rest.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Action(pub(crate) [f64; 6]);

impl Action {
    pub(crate) fn new(force: DVec3, torque: DVec3) -> Self {
        let [f, t] = [force, torque];
        Self([f.x, f.y, f.z, t.x, t.y, t.z])
    }

    pub(crate) fn force(&self) -> DVec3 {
        DVec3::from_slice(&self.0)
    }
}

/// Those of a block: six cache lines, which are written as such.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C, align(64))]
struct OfBlock([Action; WIDTH]);

/// One action for each place of some blocks.
#[derive(Debug, Default)]
pub(crate) struct Actions(Vec<OfBlock>);

impl Actions {
    /// Makes room for so many, in whole blocks; whatever they are then.
    pub(crate) fn resize(&mut self, places: usize) {
        resize(&mut self.0, places.div_ceil(WIDTH));
    }

    /// Where they are.
    pub(crate) fn as_mut_ptr(&mut self) -> *mut Action {
        self.0.as_mut_ptr().cast()
    }
}

impl Deref for Actions {
    type Target = [Action];

    #[inline]
    fn deref(&self) -> &[Action] {
        bytemuck::must_cast_slice(&self.0)
    }
}

impl DerefMut for Actions {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Action] {
        bytemuck::must_cast_slice_mut(&mut self.0)
    }
}
