//! Several steps in one sweep over a bed that no cache holds.
//!
//! Step by step, all that is known of the grains and their contacts comes from memory and goes back there in each step, and processors
//! wait for it. In a sweep a part of the bed that is in the caches goes through several steps before the next part comes:
//! the forces of its contacts, the motion of its grains, the forces of the next step where neighbours have come as far, and so on, each
//! step a little behind the one before. What is computed is the same to the bit.
//!
//! Grains lie in memory slab by slab (`slab_order`), so that what is under way are a few slabs. [`plan`] finds an order of tasks, [`crew`]
//! has the threads do them, [`bed`] is what they work on. A sweep relies on slots that do until its end. Should a grain be so much faster
//! then that they do not, or leave the domain, the engine goes back to where it [`kept`] the state and goes on step by step.

mod bed;
mod crew;
mod kept;
mod plan;
#[cfg(test)]
mod tests;

use super::CpuEngine;
use super::forces::Sums;
use super::integrate::{Moved, Part};
use super::slots::Slots;
use super::stage_times::Watch;
use crate::error::Result;
pub(super) use kept::Kept;
use plan::{Pieces, Plan};
use std::time::Duration;

/// Most steps of a sweep.
const MOST_STEPS: usize = 8;

/// A sweep is expected to be over before grains that become this many times as fast have used up the inner skin.
const FASTER: f64 = 1.4;

/// Where fewer steps are to be done until somebody looks, keeping the state takes longer than sweeps are faster.
const FEWEST_STEPS: u64 = 16;

/// After a sweep that went too far, so many steps are done one by one.
const STEPS_ALONE: u64 = 64;

/// A sweep that begins so many steps after the state was kept keeps it anew: that takes about as long as a step, and little more than
/// those is ever lost.
const STEPS_KEPT: u64 = 128;

/// Sweeps over the slots that there are: made anew when slots are.
#[derive(Debug)]
pub(super) struct Sweeps {
    pieces: Pieces,
    /// By number of steps, those that were asked for.
    plans: [Option<Plan>; MOST_STEPS + 1],
}

/// What a sweep has found out.
#[derive(Debug)]
struct Swept {
    /// Of each step.
    steps: Vec<(Sums, Moved)>,
    /// Whether not all of it was done, since a grain has left the domain or is nowhere.
    cut_short: bool,
    forces: Duration,
    motion: Duration,
}

impl Sweeps {
    fn of(slots: &Slots, grains: usize) -> Self {
        Self {
            pieces: Pieces::of(slots, grains),
            plans: [const { None }; MOST_STEPS + 1],
        }
    }
}

/// How many steps a sweep should do of a bed of so many bytes in so many slabs: 1 if steps are better done one by one.
///
/// Each thread has as many slabs under way as a sweep has steps, and one more. Those of two threads may take two thirds of the last cache, since
/// others use it, too; where a single one has more than a third, sweeps gain less.
pub(super) fn longest_sweep(
    bytes: usize,
    slabs: usize,
    last_cache: usize,
    threads: usize,
) -> usize {
    if bytes <= last_cache {
        return 1;
    }
    let of_thread = last_cache / 3 * 2 / threads.max(2);
    let under_way = (of_thread * slabs).checked_div(bytes).unwrap_or(0);
    under_way.saturating_sub(1).clamp(1, MOST_STEPS)
}

impl CpuEngine {
    /// How many steps can be done in a sweep before the `last` one; 1 if none.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and is bounded"
    )]
    pub(super) fn steps_at_once(&self, last: u64) -> usize {
        // The last step is one by itself, as it is looked at more closely.
        let until_then = (last - self.step - 1).min(self.steps_to_search());
        let kept = self.kept.step().is_some();
        if self.longest_sweep == 1
            || self.step < self.alone_until
            || !kept && until_then < FEWEST_STEPS
        {
            return 1;
        }
        let longest = self.longest_sweep.min(self.steps_left() as usize).max(1) as u64;
        // Sweeps of about the same length.
        let sweeps = until_then.div_ceil(longest).max(1);
        until_then.div_ceil(sweeps).max(1) as usize
    }

    /// For how many steps the slots are expected to do.
    pub(super) fn steps_left(&self) -> f64 {
        let left = 0.5 * self.inner_skin - self.moved_since_slots;
        left / (FASTER * self.speed * self.time_step)
    }

    /// Has memory for sweeps: systems take long to give it.
    pub(super) fn make_room_for_sweeps(&mut self) {
        if self.longest_sweep > 1 {
            self.keep();
            self.kept.forget();
        }
    }

    /// Takes all grains so many steps further, or back to where the state was kept.
    pub(super) fn sweep(&mut self, steps: usize) -> Result<()> {
        let mut watch = Watch::start();
        if self
            .kept
            .step()
            .is_none_or(|kept| self.step >= kept + STEPS_KEPT)
        {
            self.keep();
        }
        let (mut slots, mut bodies) = (
            std::mem::take(&mut self.slots),
            std::mem::take(&mut self.bodies),
        );
        let mut sweeps = self.sweeps.take();
        let swept = sweeps
            .get_or_insert_with(|| Sweeps::of(&slots, bodies.len()))
            .go(
                steps,
                &self.force_context(),
                &self.motion_context(),
                &mut slots,
                &mut bodies,
            );
        (self.slots, self.bodies, self.sweeps) = (slots, bodies, sweeps);
        self.stage_times.forces += swept.forces;
        self.stage_times.motion += swept.motion;
        self.stage_times.lists += watch.lap().saturating_sub(swept.forces + swept.motion);
        let begun = self.step;
        for (sums, moved) in swept.steps {
            if swept.cut_short || self.step > begun && self.wants_lists() {
                log::debug!("step {}: a sweep of {steps} steps went too far", self.step);
                let alone_until = self.step + STEPS_ALONE;
                self.go_back();
                self.alone_until = alone_until;
                return Ok(());
            }
            self.step += 1;
            self.contact_updates += sums.contacts;
            self.book(&sums, false);
            self.note(Part::Continue, moved)?;
        }
        self.swept += steps as u64;
        Ok(())
    }
}
