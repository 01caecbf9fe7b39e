//! The order of events at the same instant, to the bit.
//!
//! Collisions come before grains enter cells. Collisions come in the order of the smaller of the two ids (of the
//! grain's, where it hits a wall), then of the larger, then walls by number; so it does not matter
//! which of two grains holds their event, nor where in memory they are.

use super::HardEngine;
use super::grain::{NONE, Partner, Slot};
use super::queue::Due;

/// Added to the id of a grain that enters a cell; there are fewer grains than that.
const CROSSING: u32 = 0x8000_0000;

/// Place among the events of one instant: the smaller id, which the queue knows, and what else decides.
type Turn = (u32, u64);

impl HardEngine {
    /// What the queue sorts events of one instant by.
    #[inline]
    pub(super) fn first_key(&self, slot: Slot) -> u32 {
        let grain = &self.grains[slot as usize];
        if grain.leaves {
            return CROSSING | grain.id;
        }
        match grain.partner.unpack() {
            Partner::Grain(partner) => grain.id.min(self.grains[partner as usize].id),
            Partner::Face(_) | Partner::Nobody => grain.id,
        }
    }

    fn turn(&self, slot: Slot) -> Turn {
        let grain = &self.grains[slot as usize];
        let second = match grain.partner.unpack() {
            Partner::Grain(partner) => grain.id.max(self.grains[partner as usize].id).into(),
            Partner::Face(face) => u64::from(NONE) + u64::from(face),
            Partner::Nobody => u64::MAX,
        };
        (self.first_key(slot), second)
    }

    /// Whether a collision of two grains comes before the one that the second knows of, at the same instant.
    #[cold]
    pub(super) fn is_before(&self, one: Slot, other: Slot) -> bool {
        let ids = [one, other].map(|slot| self.grains[slot as usize].id);
        let pair = (ids[0].min(ids[1]), u64::from(ids[0].max(ids[1])));
        pair < self.turn(other)
    }

    /// The event whose turn it is, of `due` and those that share its instant and its first key; the others stay
    /// in the queue. `None`: none of them holds any more.
    #[cold]
    pub(super) fn first_of_equals(&mut self, due: Due) -> Option<Due> {
        let mut equals = vec![due];
        while let Some(other) = self.queue.peek()
            && other.is_level_with(due)
        {
            self.queue.remove_first();
            equals.push(other);
        }
        // An event may have been announced for this instant twice, with different partners.
        equals.retain(|&due| self.due(due.grain()).is_level_with(due));
        equals.sort_by_key(|due| self.turn(due.grain()));
        for other in equals.iter().skip(1) {
            self.queue.push(*other);
        }
        equals.first().copied()
    }
}
