//! What the tasks of a sweep work on.

use super::plan::{Piece, grains_of};
use super::{Sweeps, Swept, crew};
use crate::cpu::actions::Action;
use crate::cpu::beginnings::forget;
use crate::cpu::bodies::{Bodies, Body, Motion};
use crate::cpu::effects::Effects;
use crate::cpu::forces::{ForceContext, Sums, With, evaluate};
use crate::cpu::incident::Incident;
use crate::cpu::integrate::{IntegrateContext, Moved, Part, integrate};
use crate::cpu::shared::Shared;
use crate::cpu::slots::{Block, Counts, Extra, Slots, WIDTH};
use crate::cpu::tasks::SlotsMut;
use std::slice::from_raw_parts_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

impl Sweeps {
    /// Takes all grains so many steps further.
    pub(super) fn go(
        &mut self,
        steps: usize,
        forces: &ForceContext<'_>,
        motion: &IntegrateContext<'_>,
        slots: &mut Slots,
        bodies: &mut Bodies,
    ) -> Swept {
        let threads = rayon::current_num_threads();
        let pieces = &self.pieces;
        let plan = self.plans[steps].get_or_insert_with(|| pieces.plan(steps, threads));
        let bed = Bed::new(slots, bodies);
        // Grains that are nowhere, or no longer where grains may be: forces are not made for them.
        let cut_short = AtomicBool::new(false);
        let of_threads = crew::go_through(
            plan,
            || Found::new(steps),
            |task, found: &mut Found| {
                if cut_short.load(Ordering::Relaxed) {
                    return;
                }
                let (sums, moved) = &mut found.steps[task.step as usize];
                let piece = task.piece as usize;
                // SAFETY: plans have contacts evaluated before the grains that they act on move, and after those have moved the time before;
                // nobody else has this piece meanwhile.
                unsafe {
                    if task.forces {
                        *sums = sums.add(bed.evaluate(forces, &pieces.contacts[piece]));
                    } else {
                        let own = bed.integrate(motion, piece);
                        if own.left || own.not_finite != u32::MAX {
                            cut_short.store(true, Ordering::Relaxed);
                        }
                        *moved = moved.merge(own);
                    }
                }
                found.lap(task.forces);
            },
        );
        let mut all = Found::new(steps);
        for found in of_threads {
            for (all, own) in all.steps.iter_mut().zip(found.steps) {
                *all = (all.0.add(own.0), all.1.merge(own.1));
            }
            all.forces += found.forces.div_f64(threads as f64);
            all.motion += found.motion.div_f64(threads as f64);
        }
        Swept {
            steps: all.steps,
            cut_short: cut_short.into_inner(),
            forces: all.forces,
            motion: all.motion,
        }
    }
}

/// What a thread finds out.
struct Found {
    steps: Vec<(Sums, Moved)>,
    forces: Duration,
    motion: Duration,
    last: Instant,
}

impl Found {
    fn new(steps: usize) -> Self {
        Self {
            steps: vec![(Sums::default(), Moved::NONE); steps],
            forces: Duration::ZERO,
            motion: Duration::ZERO,
            last: Instant::now(),
        }
    }

    /// A task is done; waiting for it counts, too.
    fn lap(&mut self, forces: bool) {
        let now = Instant::now();
        let time = if forces {
            &mut self.forces
        } else {
            &mut self.motion
        };
        *time += now - self.last;
        self.last = now;
    }
}

/// Slots and grains, of which each task takes a piece.
struct Bed<'a> {
    block: *mut Block,
    action: *mut Action,
    extra: *mut Extra,
    /// Whether there is one of those for each place; else there are none.
    has_extra: bool,
    shift: *mut [f64; WIDTH],
    concerned: &'a [AtomicBool],
    counts: Counts,
    incident: &'a Incident,
    body: *mut Body,
    motion: *mut Motion,
    id: &'a [u32],
    pairs: With,
}

// SAFETY: what tasks do with it is up to their callers.
unsafe impl Sync for Bed<'_> {}

impl<'a> Bed<'a> {
    fn new(slots: &'a mut Slots, bodies: &'a mut Bodies) -> Self {
        slots.beginnings.forget();
        let pairs = With::grains(bodies);
        let (concerned, shift) = slots.beginnings.parts();
        Self {
            block: slots.block.as_mut_ptr(),
            action: slots.action.as_mut_ptr(),
            extra: slots.extra.as_mut_ptr(),
            has_extra: !slots.extra.is_empty(),
            shift: shift.as_mut_ptr(),
            concerned,
            counts: slots.counts,
            incident: &slots.incident,
            body: bodies.body.as_mut_ptr(),
            motion: bodies.motion.as_mut_ptr(),
            id: &bodies.id,
            pairs,
        }
    }

    /// Evaluates the contacts of a piece.
    ///
    /// # Safety
    /// Nobody else uses these contacts or moves their grains.
    unsafe fn evaluate(&self, context: &ForceContext<'_>, piece: &Piece) -> Sums {
        let (first, blocks) = (piece.blocks.start, piece.blocks.len());
        let (place, places) = (first * WIDTH, blocks * WIDTH);
        let count = |block| self.counts.in_block(block);
        // SAFETY: as the caller promises; pieces lie within the arrays.
        let (body, slots) = unsafe {
            let slots = SlotsMut {
                block: from_raw_parts_mut(self.block.add(first), blocks),
                action: from_raw_parts_mut(self.action.add(place), places),
                extra: if self.has_extra {
                    from_raw_parts_mut(self.extra.add(place), places)
                } else {
                    &mut []
                },
                shift: from_raw_parts_mut(self.shift.add(first), blocks),
                concerned: self.concerned,
                count: piece.blocks.clone().map(count).sum(),
            };
            (Shared::new(self.body, self.id.len()), slots)
        };
        let with = if piece.walls { With::Walls } else { self.pairs };
        evaluate(context, body, slots, with)
    }

    /// Moves the grains of a piece by what their contacts do.
    ///
    /// # Safety
    /// Nobody else uses these grains or evaluates their contacts.
    unsafe fn integrate(&self, context: &IntegrateContext<'_>, piece: usize) -> Moved {
        let grains = grains_of(piece, self.id.len());
        let (first, count) = (grains.start, grains.len());
        let blocks = self.counts.blocks();
        let extras = if self.has_extra { blocks * WIDTH } else { 0 };
        // SAFETY: as the caller promises; pieces lie within the arrays.
        let (effects, body, motion) = unsafe {
            let effects = Effects {
                deeds: self.incident.with(Shared::new(self.action, blocks * WIDTH)),
                block: Shared::new(self.block, blocks),
                extra: Shared::new(self.extra, extras),
                concerned: self.concerned,
                shift: Shared::new(self.shift, blocks),
            };
            (
                effects,
                from_raw_parts_mut(self.body.add(first), count),
                from_raw_parts_mut(self.motion.add(first), count),
            )
        };
        let id = &self.id[grains.clone()];
        let moved = integrate(context, Part::Continue, &effects, first, body, motion, id);
        forget(&self.concerned[grains]);
        moved
    }
}
