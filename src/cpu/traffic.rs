//! What an ordinary step moves between memory and caches.

use super::CpuEngine;
use super::bodies::{Body, Motion};
use super::slots::{Action, Extra, Slot};

impl CpuEngine {
    /// Bytes that an ordinary step reads and writes. Each element counts once per loop, however often it
    /// is read: grains lie along a space-filling curve, so those of neighbours come from a cache.
    pub fn bytes_per_step(&self) -> u64 {
        let slots = self.slots.slot.len();
        let grains = self.bodies.len();
        let extra = if self.needs_extra() {
            size_of::<Extra>()
        } else {
            0
        };
        // Forces read the bodies, read and write what slots remember, and write what contacts do …
        let forces = grains * size_of::<Body>()
            + slots * (2 * (size_of::<Slot>() + extra) + size_of::<Action>());
        // … which each grain looks up in its list, twice over: once from either side, from a cache.
        let lists = 4 * (grains + 2 * slots);
        let motion = slots * size_of::<Action>()
            + 2 * grains * (size_of::<Body>() + size_of::<Motion>())
            + lists;
        (forces + motion) as u64
    }
}
