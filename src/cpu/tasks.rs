//! Who does what: contacts and grains cut into tasks for the threads.
//!
//! How they are cut changes no result: each grain sums its contacts in an order of its own, and sums
//! of energies are exact.

use super::actions::Action;
#[cfg(doc)]
use super::beginnings::Beginnings;
use super::bodies::Bodies;
use super::forces::{ForceContext, Sums, With, evaluate};
use super::incident::TOGETHER;
use super::integrate::{IntegrateContext, Moved, Part, integrate};
use super::shared::Shared;
use super::slots::{Block, Extra, Slots, WIDTH};
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;

/// Blocks of slots that one task evaluates.
const BLOCKS_PER_TASK: usize = 128;

/// Grains that one task integrates.
const GRAINS_PER_TASK: usize = 512;
const _: () = assert!(GRAINS_PER_TASK.is_multiple_of(TOGETHER));

/// Blocks in a row, lent to one task.
#[derive(Debug)]
pub(crate) struct SlotsMut<'a> {
    pub(crate) block: &'a mut [Block],
    pub(crate) action: &'a mut [Action],
    /// One for each place if a law needs it, else empty.
    pub(crate) extra: &'a mut [Extra],
    /// Of [contacts that have just begun](Beginnings).
    pub(crate) shift: &'a mut [[f64; WIDTH]],
    /// Grains with such contacts, whatever the task.
    pub(crate) concerned: &'a [AtomicBool],
    /// Slots in these blocks; only the last block may have places that none takes.
    pub(crate) count: usize,
}

impl SlotsMut<'_> {
    /// Cuts into tasks.
    fn tasks(self) -> Vec<Self> {
        let mut tasks = Vec::with_capacity(self.block.len().div_ceil(BLOCKS_PER_TASK));
        let mut rest = self;
        while rest.block.len() > BLOCKS_PER_TASK {
            let count = BLOCKS_PER_TASK * WIDTH;
            let (task, others) = rest.split_at(BLOCKS_PER_TASK, count);
            tasks.push(task);
            rest = others;
        }
        tasks.push(rest);
        tasks
    }

    /// The first so many blocks with so many slots, and the others.
    fn split_at(self, blocks: usize, count: usize) -> (Self, Self) {
        let places = blocks * WIDTH;
        let (block, block_rest) = self.block.split_at_mut(blocks);
        let (action, action_rest) = self.action.split_at_mut(places);
        let (extra, extra_rest) = self.extra.split_at_mut(places.min(self.extra.len()));
        let (shift, shift_rest) = self.shift.split_at_mut(blocks);
        (
            Self {
                block,
                action,
                extra,
                shift,
                concerned: self.concerned,
                count,
            },
            Self {
                block: block_rest,
                action: action_rest,
                extra: extra_rest,
                shift: shift_rest,
                concerned: self.concerned,
                count: self.count - count,
            },
        )
    }
}

/// Evaluates all contacts: forces and history stay in the slots, sums are returned.
pub(crate) fn forces(context: &ForceContext<'_>, bodies: &Bodies, slots: &mut Slots) -> Sums {
    let counts = slots.counts;
    slots.beginnings.forget();
    let (concerned, shift) = slots.beginnings.parts();
    let all = SlotsMut {
        block: &mut slots.block,
        action: &mut slots.action,
        extra: &mut slots.extra,
        shift,
        concerned,
        count: counts.all(),
    };
    let (pairs, walls) = all.split_at(counts.pair_blocks(), counts.pairs);
    let body = Shared::of(&bodies.body);
    let run = |slots: SlotsMut<'_>, with: With| {
        slots
            .tasks()
            .into_par_iter()
            .with_max_len(1)
            .map(|slots| evaluate(context, body, slots, with))
            .reduce(Sums::default, Sums::add)
    };
    let grains = With::grains(bodies);
    let (pairs, walls) = rayon::join(|| run(pairs, grains), || run(walls, With::Walls));
    pairs.add(walls)
}

/// Does one part of the leapfrog for all grains.
pub(crate) fn motion(
    context: &IntegrateContext<'_>,
    part: Part,
    slots: &Slots,
    bodies: &mut Bodies,
) -> Moved {
    let effects = slots.effects();
    bodies
        .body
        .par_chunks_mut(GRAINS_PER_TASK)
        .zip(bodies.motion.par_chunks_mut(GRAINS_PER_TASK))
        .zip(bodies.id.par_chunks(GRAINS_PER_TASK))
        .enumerate()
        .with_max_len(1)
        .map(|(task, ((body, motion), id))| {
            let first = task * GRAINS_PER_TASK;
            integrate(context, part, &effects, first, body, motion, id)
        })
        .reduce(|| Moved::NONE, Moved::merge)
}
