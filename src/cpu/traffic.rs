//! What the engine holds in memory, and what an ordinary step moves between memory and caches.

use super::CpuEngine;
use super::actions::Action;
use super::bodies::{Body, Motion};
use super::slots::{Block, Extra, WIDTH};

/// Bytes of an entry of a list.
const ENTRY: usize = size_of::<u32>();

impl CpuEngine {
    /// Bytes of a slot, with all that its contact remembers.
    fn slot_bytes(&self) -> usize {
        let extra = if self.needs_extra() {
            size_of::<Extra>()
        } else {
            0
        };
        size_of::<Block>() / WIDTH + extra
    }

    /// Bytes of all arrays between two steps. While neighbours are searched, it takes more.
    pub fn bytes(&self) -> usize {
        self.state_bytes() + self.kept.bytes()
    }

    /// The same of the arrays that steps use.
    pub(super) fn state_bytes(&self) -> usize {
        let grains = self.bodies.len();
        let slots = self.slots.action.len();
        grains * (size_of::<Body>() + size_of::<Motion>() + size_of::<u32>())
            + slots * (self.slot_bytes() + size_of::<Action>())
            // Lists of slots and of the reach also say where those of a grain start, and the latter where slots do.
            + ENTRY * (self.slots.incident.len() + self.reach.len() + 3 * (grains + 1))
            + self.within_reach_of_walls.as_deref().map_or(0, size_of_val)
            + self.slots.incident.order().len()
            + self.slots.beginnings.bytes()
    }

    /// Bytes that an ordinary step reads and writes. Each element counts once per loop, however often it
    /// is read: neighbours are close in memory, so their bodies come from a cache. Where several steps are done at once, there is
    /// one loop for all of them.
    pub fn bytes_per_step(&self) -> u64 {
        let grains = self.bodies.len();
        let slots = self.slots.action.len();
        let lists = ENTRY * (self.slots.incident.len() + grains)
            + self.slots.incident.order().len()
            + 2 * grains * size_of::<bool>();
        let (body, action) = (grains * size_of::<Body>(), slots * size_of::<Action>());
        // Forces read the bodies, read and write what slots remember, and write what contacts do …
        let forces = body + 2 * slots * self.slot_bytes() + action;
        // … which each grain finds through its list, adds up, and moves by; whether any has just begun is one byte.
        let motion = lists + action + 2 * body + 2 * grains * size_of::<Motion>();
        if self.longest_sweep > 1 {
            // Bodies and actions are still there when grains move; but lines that are written had to be read.
            return ((forces + motion - body) / self.longest_sweep) as u64;
        }
        (forces + motion) as u64
    }
}
