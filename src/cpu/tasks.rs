//! Who does what: contacts and grains cut into tasks for the threads.
//!
//! How they are cut changes no result: each grain sums its contacts in an order of its own, and sums
//! of energies are exact.

use super::bodies::Bodies;
use super::forces::{ForceContext, Sums, evaluate};
use super::integrate::{IntegrateContext, Moved, Part, integrate};
use super::slots::{Action, Extra, Slot, Slots};
use rayon::prelude::*;

/// Slots that one task evaluates.
const SLOTS_PER_TASK: usize = 1024;

/// Grains that one task integrates.
const GRAINS_PER_TASK: usize = 512;

/// Slots in a row, lent to one task.
#[derive(Debug)]
pub(crate) struct SlotsMut<'a> {
    pub(crate) slot: &'a mut [Slot],
    pub(crate) action: &'a mut [Action],
    /// As long as `slot` if a law needs it, else empty.
    pub(crate) extra: &'a mut [Extra],
}

impl SlotsMut<'_> {
    /// Cuts into tasks.
    fn tasks(self) -> Vec<Self> {
        let mut tasks = Vec::with_capacity(self.slot.len().div_ceil(SLOTS_PER_TASK));
        let mut rest = self;
        while rest.slot.len() > SLOTS_PER_TASK {
            let (task, others) = rest.split_at(SLOTS_PER_TASK);
            tasks.push(task);
            rest = others;
        }
        tasks.push(rest);
        tasks
    }

    fn split_at(self, place: usize) -> (Self, Self) {
        let (slot, slot_rest) = self.slot.split_at_mut(place);
        let (action, action_rest) = self.action.split_at_mut(place);
        let (extra, extra_rest) = self.extra.split_at_mut(place.min(self.extra.len()));
        (
            Self {
                slot,
                action,
                extra,
            },
            Self {
                slot: slot_rest,
                action: action_rest,
                extra: extra_rest,
            },
        )
    }
}

/// Evaluates all contacts: forces and history stay in the slots, sums are returned.
pub(crate) fn forces(context: &ForceContext<'_>, bodies: &Bodies, slots: &mut Slots) -> Sums {
    let all = SlotsMut {
        slot: &mut slots.slot,
        action: &mut slots.action,
        extra: &mut slots.extra,
    };
    let (pairs, walls) = all.split_at(slots.pairs);
    let run = |slots: SlotsMut<'_>, wall: bool| {
        slots
            .tasks()
            .into_par_iter()
            .with_max_len(1)
            .map(|slots| evaluate(context, &bodies.body, slots, wall))
            .reduce(Sums::default, Sums::add)
    };
    let (pairs, walls) = rayon::join(|| run(pairs, false), || run(walls, true));
    pairs.add(walls)
}

/// Does one part of the leapfrog for all grains.
pub(crate) fn motion(
    context: &IntegrateContext<'_>,
    part: Part,
    slots: &Slots,
    bodies: &mut Bodies,
) -> Moved {
    bodies
        .body
        .par_chunks_mut(GRAINS_PER_TASK)
        .zip(bodies.motion.par_chunks_mut(GRAINS_PER_TASK))
        .zip(bodies.id.par_chunks(GRAINS_PER_TASK))
        .enumerate()
        .with_max_len(1)
        .map(|(task, ((body, motion), id))| {
            let first = task * GRAINS_PER_TASK;
            integrate(context, part, slots, first, body, motion, id)
        })
        .reduce(|| Moved::NONE, Moved::merge)
}
