//! Chunks of grains, and the blocks in them: forces and motion in one pass through memory.
//!
//! A chunk is what one task works through, block by block. A pair within a chunk belongs to the
//! grain that comes first in memory; when the slots of a block have been evaluated, nothing is
//! missing that acts on its grains, and nothing needs them where they are any more: they move on
//! while they are still in the cache. Pairs between chunks are evaluated before all that. How the
//! grains are cut changes no result: each grain sums its contacts in an order of its own.

use super::bodies::{Bodies, Body, Motion};
use super::forces::{ForceContext, Sums, evaluate};
use super::integrate::{IntegrateContext, Moved, Part, integrate};
use super::slots::{Action, Actions, Extra, Slot, Slots};
use rayon::prelude::*;
use std::ops::Range;

/// Grains in a block: with their contacts about 100 kB of a dense bed.
pub(crate) const GRAINS_PER_BLOCK: usize = 256;

/// Chunks per thread, so that none waits long for another …
const CHUNKS_PER_THREAD: usize = 4;

/// … unless chunks would be smaller than so many blocks, and most pairs between chunks.
const BLOCKS_PER_CHUNK: usize = 4;

/// Number of grains in each chunk, but the last.
pub(crate) fn grains_per_chunk(grains: usize) -> usize {
    let chunks = CHUNKS_PER_THREAD * rayon::current_num_threads();
    let blocks = grains.div_ceil(chunks * GRAINS_PER_BLOCK);
    blocks.max(BLOCKS_PER_CHUNK) * GRAINS_PER_BLOCK
}

/// Slots between chunks that one task evaluates.
const SLOTS_PER_TASK: usize = 1024;

/// Grains in a row, and where the first of them stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grains<'a> {
    pub(crate) first: usize,
    pub(crate) body: &'a [Body],
}

/// Slots in a row, lent to one task.
#[derive(Debug)]
pub(crate) struct SlotsMut<'a> {
    pub(crate) slot: &'a mut [Slot],
    pub(crate) action: &'a mut [Action],
    /// As long as `slot` if a law needs it, else empty.
    pub(crate) extra: &'a mut [Extra],
}

/// A chunk, lent to one task.
struct Chunk<'a> {
    /// Index of its first grain and number of its first slot.
    first: usize,
    first_slot: usize,
    body: &'a mut [Body],
    motion: &'a mut [Motion],
    id: &'a [u32],
    slots: SlotsMut<'a>,
}

impl<'a> Grains<'a> {
    /// The grain at `index`; `None` for a wall.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&'a Body> {
        self.body.get((index as usize).wrapping_sub(self.first))
    }
}

impl SlotsMut<'_> {
    /// Lends the same slots on.
    fn lend(&mut self) -> SlotsMut<'_> {
        SlotsMut {
            slot: self.slot,
            action: self.action,
            extra: self.extra,
        }
    }

    fn range(&mut self, slots: Range<usize>) -> SlotsMut<'_> {
        let extra = if self.extra.is_empty() {
            0..0
        } else {
            slots.clone()
        };
        SlotsMut {
            slot: &mut self.slot[slots.clone()],
            action: &mut self.action[slots],
            extra: &mut self.extra[extra],
        }
    }

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

/// Evaluates all contacts and then, if asked to, does one part of the leapfrog for all grains.
pub(crate) fn sweep(
    forces: &ForceContext<'_>,
    motion: Option<(&IntegrateContext<'_>, Part)>,
    slots: &mut Slots,
    bodies: &mut Bodies,
) -> (Sums, Moved) {
    let inner = slots.inner();
    let Slots {
        slot,
        action,
        extra,
        grains_per_chunk,
        block,
        pairs,
        incident,
    } = slots;
    let all = SlotsMut {
        slot,
        action,
        extra,
    };
    let (within, mut outer) = all.split_at(inner);
    let (between, walls) = outer.lend().split_at(*pairs - inner);
    let grains = Grains {
        first: 0,
        body: &bodies.body,
    };
    let (between, walls) = rayon::join(
        || evaluate_tasks(forces, grains, between, false),
        || evaluate_tasks(forces, grains, walls, true),
    );
    let work = |mut chunk: Chunk<'_>| {
        let (mut sums, mut moved) = (Sums::default(), Moved::NONE);
        for begin in (0..chunk.body.len()).step_by(GRAINS_PER_BLOCK) {
            let end = (begin + GRAINS_PER_BLOCK).min(chunk.body.len());
            let number = (chunk.first + begin) / GRAINS_PER_BLOCK;
            let slots = block[number] - chunk.first_slot..block[number + 1] - chunk.first_slot;
            let grains = Grains {
                first: chunk.first,
                body: chunk.body,
            };
            sums = sums.add(evaluate(forces, grains, chunk.slots.range(slots), false));
            let Some((context, part)) = motion else {
                continue;
            };
            let actions = Actions {
                first: chunk.first_slot,
                action: chunk.slots.action,
                extra: chunk.slots.extra,
                outer_first: inner,
                outer_action: outer.action,
                outer_extra: outer.extra,
                incident,
            };
            moved = moved.merge(integrate(
                context,
                part,
                &actions,
                chunk.first + begin,
                &mut chunk.body[begin..end],
                &mut chunk.motion[begin..end],
                &chunk.id[begin..end],
            ));
        }
        (sums, moved)
    };
    let (within, moved) = lend_chunks(*grains_per_chunk, block, within, bodies)
        .into_par_iter()
        .map(work)
        .reduce(
            || (Sums::default(), Moved::NONE),
            |a, b| (a.0.add(b.0), a.1.merge(b.1)),
        );
    (between.add(walls).add(within), moved)
}

fn evaluate_tasks(
    forces: &ForceContext<'_>,
    grains: Grains<'_>,
    slots: SlotsMut<'_>,
    wall: bool,
) -> Sums {
    slots
        .tasks()
        .into_par_iter()
        .map(|slots| evaluate(forces, grains, slots, wall))
        .reduce(Sums::default, Sums::add)
}

/// All chunks, with the slots within them.
fn lend_chunks<'a>(
    grains_per_chunk: usize,
    block: &[usize],
    mut slots: SlotsMut<'a>,
    bodies: &'a mut Bodies,
) -> Vec<Chunk<'a>> {
    let grains = bodies
        .body
        .chunks_mut(grains_per_chunk)
        .zip(bodies.motion.chunks_mut(grains_per_chunk))
        .zip(bodies.id.chunks(grains_per_chunk));
    let mut chunks = Vec::with_capacity(grains.len());
    for (number, ((body, motion), id)) in grains.enumerate() {
        let first = number * grains_per_chunk;
        let last = first + body.len();
        let first_slot = block[first / GRAINS_PER_BLOCK];
        let last_slot = block[last.div_ceil(GRAINS_PER_BLOCK)];
        let (own, rest) = slots.split_at(last_slot - first_slot);
        slots = rest;
        chunks.push(Chunk {
            first,
            first_slot,
            body,
            motion,
            id,
            slots: own,
        });
    }
    chunks
}

/// Does one part of the leapfrog for all grains with the forces that the slots hold.
pub(crate) fn integrate_all(
    context: &IntegrateContext<'_>,
    part: Part,
    slots: &Slots,
    bodies: &mut Bodies,
) -> Moved {
    let actions = slots.actions();
    bodies
        .body
        .par_chunks_mut(GRAINS_PER_BLOCK)
        .zip(bodies.motion.par_chunks_mut(GRAINS_PER_BLOCK))
        .zip(bodies.id.par_chunks(GRAINS_PER_BLOCK))
        .enumerate()
        .map(|(number, ((body, motion), id))| {
            let first = number * GRAINS_PER_BLOCK;
            integrate(context, part, &actions, first, body, motion, id)
        })
        .reduce(|| Moved::NONE, Moved::merge)
}
