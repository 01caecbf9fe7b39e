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
        let grains = self.bodies.len();
        let slots = self.slots.action.len();
        grains * (size_of::<Body>() + size_of::<Motion>() + size_of::<u32>())
            + slots * (self.slot_bytes() + size_of::<Action>())
            // Lists of slots and of the reach also say where those of a grain start, and the latter where slots do.
            + ENTRY * (self.slots.incident.len() + self.reach.len() + 3 * (grains + 1))
            + self.slots.incident.order().len()
            + self.slots.beginnings.bytes()
    }

    /// Bytes that an ordinary step reads and writes. Each element counts once per loop, however often it
    /// is read: grains lie along a space-filling curve, so those of neighbours come from a cache.
    pub fn bytes_per_step(&self) -> u64 {
        let grains = self.bodies.len();
        let slots = self.slots.action.len();
        // Forces read the bodies, read and write what slots remember, and write what contacts do …
        let forces =
            grains * size_of::<Body>() + slots * (2 * self.slot_bytes() + size_of::<Action>());
        // … which each grain finds through its list, adds up, and moves by; whether any has just begun is one byte.
        let motion = ENTRY * (self.slots.incident.len() + grains)
            + self.slots.incident.order().len()
            + 2 * grains * size_of::<bool>()
            + slots * size_of::<Action>()
            + 2 * grains * (size_of::<Body>() + size_of::<Motion>());
        (forces + motion) as u64
    }
}
