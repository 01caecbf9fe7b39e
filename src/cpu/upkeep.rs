//! Keeping the lists: when slots and neighbours are looked for anew, and what becomes of grains that leave.
//!
//! Nothing here decides a result, but for the grains that leave.

use super::CpuEngine;
use super::carried::Carried;
use super::integrate::{Moved, Part};
use super::neighbours::{morton_order, near_walls, slab_order, still_near_walls};
use super::sweep::longest_sweep;
use super::walls::walls_end;
use crate::error::{Error, Result};
use crate::scene::Leaving;
use crate::state::WALL;

/// Without a skin in the scene: at least this fraction of the mean diameter …
const THINNEST_SKIN: f64 = 0.1;

/// … at most this one …
const THICKEST_SKIN: f64 = 0.4;

/// … and in between what lasts this many steps at the present speed.
const SKIN_STEPS: f64 = 40.0;

/// No skin is thinner than this many times the way that two grains come apart in a step: if they touched a step ago, they
/// must still be neighbours.
const SKIN_OF_A_STEP: f64 = 1.25;

/// The inner skin in mean diameters is the root of this many times the way that two grains come closer in a step …
///
/// Slots that do not touch cost time in every step, in proportion to the skin; looking whether it is used up costs time in
/// inverse proportion. Their sum is least where they are equal, and both are where the skin is as the root of the speed.
const INNER_SKIN_PER_STEP: f64 = 0.24;

/// … but is never thinner than this fraction of the mean diameter.
const THINNEST_INNER_SKIN: f64 = 0.0015;

/// The inner skin in mean diameters, for grains that come closer to each other by so many of them in a step.
pub(super) fn inner_skin(closer: f64) -> f64 {
    let wanted = (INNER_SKIN_PER_STEP * closer).sqrt();
    wanted.max(THINNEST_INNER_SKIN).max(SKIN_OF_A_STEP * closer)
}

/// Where sweeps are done, slots are looked at when this part of an inner skin may be used up.
const MOSTLY_USED: f64 = 0.8;

/// As long as this part of an inner skin is left, slots are kept.
const THINNEST_LEFT: f64 = 0.4;

/// Grains lie in slabs if each thread has so many of them: fewer have more neighbours with other threads than a space-filling curve gives them.
const SLABS_PER_THREAD: usize = 8;

/// Grains are sorted when they may have moved by this part of the mean diameter.
const SORT_DISTANCE: f64 = 0.5;

impl CpuEngine {
    /// Makes sure that every pair which touches now has a slot.
    pub(super) fn refresh_lists(&mut self) -> Result<()> {
        self.resumed_wall_forces = Vec::new();
        if self.steps_to_search() == 0 {
            self.moved_since_search = f64::INFINITY;
            self.moved_since_slots = f64::INFINITY;
        }
        if !self.wants_lists() && !self.hardly_fits() {
            return Ok(());
        }
        self.stop_if_left()?;
        let inner_skin = self.next_inner_skin();
        if !self.left && self.keep_slots(THINNEST_LEFT * inner_skin) {
            return Ok(());
        }
        let is_out_of_reach = self.out_of_reach() < inner_skin;
        // Neighbours stay near each other in memory until grains have gone some way.
        let has_gone_far = self.moved_since_sort > SORT_DISTANCE * self.mean_diameter;
        if self.left || is_out_of_reach && has_gone_far {
            let carried = self.slots.put_away();
            self.search(carried);
            return Ok(());
        }
        if is_out_of_reach && self.search_again() {
            return Ok(());
        }
        let inner_skin = self.next_inner_skin();
        let carried = self.slots.put_away();
        let close = (inner_skin + self.neck) / self.grid.unit;
        self.reach.list_close(&self.grid, &self.bodies, close);
        self.list_slots(carried, None, inner_skin);
        Ok(())
    }

    /// Keeps what the lists need to know of a move.
    pub(super) fn note(&mut self, part: Part, moved: Moved) -> Result<()> {
        if moved.not_finite != u32::MAX {
            return Err(Error::NonFinite {
                particle: moved.not_finite,
                step: self.step,
                time: self.time(),
            });
        }
        self.ledger.crossed += moved.crossed;
        self.left |= moved.left;
        let mut distance = moved.shift_squared.sqrt();
        if part != Part::Finish {
            self.speed = moved.speed_squared.sqrt();
            distance += self.speed * self.time_step;
        }
        self.moved_since_search += distance;
        self.moved_since_slots += distance;
        self.moved_since_sort += distance;
        if moved.wrapped != 0 {
            // Walls have no images: a grain that came in at the other side may have come near others at once, if they are no further
            // from there than slots can matter.
            let reach = self.largest_radius + self.neck + self.reach_skin;
            let ends = walls_end(&self.faces, &self.grid, reach);
            if ends & moved.wrapped != 0 {
                self.moved_since_slots = f64::INFINITY;
                self.within_reach_of_walls = None;
            }
        }
        Ok(())
    }

    /// Whether there might be a pair that touches and has no slot, or a grain that should not be there.
    pub(super) fn wants_lists(&self) -> bool {
        2.0 * self.moved_since_slots > self.inner_skin || self.left
    }

    /// Whether so little of the inner skin is left that [sweeps](super::sweep) would have to end, and steps be done one by one: to look
    /// how much there really is takes no longer than what that loses.
    fn hardly_fits(&self) -> bool {
        self.longest_sweep > 1
            && 2.0 * self.moved_since_slots > MOSTLY_USED * self.inner_skin
            && self.steps_left() < 2.0
    }

    /// Steps until neighbours are searched, needed or not.
    pub(super) fn steps_to_search(&self) -> u64 {
        let since = self.step - self.searched_at;
        self.search_interval.saturating_sub(since)
    }

    /// Looks how much is left of the inner skin, and whether it is at least so much, m: then the slots do for a while.
    ///
    /// The fastest grain may have used all of it up, but most grains move with their neighbours: so there usually is.
    fn keep_slots(&mut self, least: f64) -> bool {
        if self.out_of_reach() < least {
            return false;
        }
        let clearance = self.reach.clearance(&self.grid, &self.bodies);
        self.keep_slots_within(clearance, least)
    }

    /// Pairs out of reach are further apart than touching, or a neck, and this, m.
    fn out_of_reach(&self) -> f64 {
        self.reach_skin - 2.0 * self.moved_since_search
    }

    /// As [`keep_slots`](Self::keep_slots), where pairs within reach that have no slot are further apart than touching and so many units.
    fn keep_slots_within(&mut self, clearance: f64, least: f64) -> bool {
        let mut left = (clearance * self.grid.unit - self.neck).min(self.out_of_reach());
        if left < least {
            return false;
        }
        let near = self.near_walls(left);
        for (grain, wall) in self.slots.none_at_walls(&near) {
            let body = &self.bodies.body[grain as usize];
            let seen = self.faces[(wall - WALL) as usize].approach(&self.grid, body);
            let gap = seen.distance - body.radius_units() * self.grid.unit;
            left = left.min(gap - self.neck);
        }
        if left < least {
            return false;
        }
        self.inner_skin = left;
        self.moved_since_slots = 0.0;
        log::trace!(
            "step {}: {left:.3e} m of the inner skin are left",
            self.step
        );
        true
    }

    /// Grains that are closer to a wall than touching, or a neck, plus `skin`, which is no further than pairs reach.
    fn near_walls(&mut self, skin: f64) -> Vec<(u32, u32)> {
        let units = |skin: f64| (skin + self.neck) / self.grid.unit;
        let (grid, bodies, faces) = (&self.grid, &self.bodies, &self.faces);
        let within_reach = self
            .within_reach_of_walls
            .get_or_insert_with(|| near_walls(grid, bodies, faces, units(self.reach_skin)));
        still_near_walls(grid, bodies, faces, within_reach, units(skin))
    }

    fn next_inner_skin(&self) -> f64 {
        let closer = 2.0 * self.speed * self.time_step / self.mean_diameter;
        (inner_skin(closer) * self.mean_diameter).min(self.reach_skin)
    }

    /// Removes what left, brings the grains into an order that suits caches, finds all neighbours and makes slots for those that are close.
    pub(super) fn search(&mut self, carried: Carried) {
        // Room for the grains in their new order: the histories are elsewhere.
        self.slots.block = Vec::new();
        let origin = self.sort_and_remove();
        let reach = self.next_reach();
        let inner_skin = self.next_inner_skin();
        let inner = (inner_skin + self.neck) / self.grid.unit;
        self.reach
            .search(self.processor, &self.grid, &self.bodies, reach, inner);
        self.have_searched();
        self.list_slots(carried, Some(&origin), inner_skin);
    }

    /// Finds all neighbours. Returns whether the slots that there are do for a while.
    pub(super) fn search_again(&mut self) -> bool {
        let reach = self.next_reach();
        let clearance = self
            .reach
            .search_again(self.processor, &self.grid, &self.bodies, reach);
        self.have_searched();
        self.kept.have_searched(self.moved_since_sort);
        let least = THINNEST_LEFT * self.next_inner_skin();
        clearance.is_some_and(|clearance| self.keep_slots_within(clearance, least))
    }

    /// Chooses how far the neighbour list is to reach now: so many units further than touching.
    fn next_reach(&mut self) -> f64 {
        let apart_in_a_step = 2.0 * self.speed * self.time_step;
        let skin = self.skin.unwrap_or_else(|| {
            (SKIN_STEPS * apart_in_a_step)
                .min(THICKEST_SKIN * self.mean_diameter)
                .max(THINNEST_SKIN * self.mean_diameter)
        });
        self.reach_skin = skin.max(SKIN_OF_A_STEP * apart_in_a_step);
        (self.reach_skin + self.neck) / self.grid.unit
    }

    fn have_searched(&mut self) {
        self.within_reach_of_walls = None;
        self.moved_since_search = 0.0;
        self.searches += 1;
        self.searched_at = self.step;
        log::debug!(
            "step {}: {} grains, {} pairs within reach",
            self.step,
            self.bodies.len(),
            self.reach.len()
        );
    }

    /// Makes slots for all pairs that are close; `origin` says where grains were when the histories were put away.
    fn list_slots(&mut self, carried: Carried, origin: Option<&[u32]>, inner_skin: f64) {
        let touching = carried.len();
        let walls = self.near_walls(inner_skin);
        let with_extra = self.needs_extra();
        let (ids, pairs) = (&self.bodies.id, self.reach.close());
        let restored = self
            .slots
            .list(ids, pairs, &walls, carried, origin, with_extra);
        let ended_unseen = touching - restored;
        if ended_unseen > 0 {
            // A contact that came apart further than the skin within one step has no slot any more.
            log::debug!("step {}: {ended_unseen} contacts ended unseen", self.step);
        }
        log::trace!(
            "step {}: {} slots for {touching} contacts, inner skin {inner_skin:.3e} m",
            self.step,
            self.slots.counts.all()
        );
        self.inner_skin = inner_skin;
        self.moved_since_slots = 0.0;
        self.sweeps = None;
        self.kept.forget();
        let threads = rayon::current_num_threads();
        let bytes = self.state_bytes();
        self.longest_sweep = if self.immersion.is_some() {
            1
        } else {
            longest_sweep(bytes, self.slabs, self.last_cache, threads)
        };
    }

    /// Brings the grains into an order that suits caches without those that left the domain. Returns where each was before.
    fn sort_and_remove(&mut self) -> Vec<u32> {
        self.moved_since_sort = 0.0;
        let width = self.mean_diameter / self.grid.unit;
        let (mut order, slabs) = slab_order(&self.bodies, width);
        self.slabs = slabs;
        if slabs < SLABS_PER_THREAD * rayon::current_num_threads() {
            (order, self.slabs) = (morton_order(&self.bodies, width), 1);
        }
        // Only what the drift has seen leave: a search at another time must not change a result.
        let has_left = std::mem::take(&mut self.left);
        let mut left = Vec::new();
        if has_left {
            left.extend(order.iter().filter(|&&index| self.is_outside(index)));
        }
        if !left.is_empty() {
            let mut leaving: Vec<u32> = left.clone();
            leaving.sort_unstable_by_key(|&index| self.bodies.id[index as usize]);
            for &index in &leaving {
                let energy: f64 = self.energy_of(index as usize).iter().sum();
                self.ledger.removed += self.quantum.round(energy);
            }
            self.removed += left.len() as u64;
            let gone: std::collections::HashSet<u32> = left.iter().copied().collect();
            order.retain(|index| !gone.contains(index));
        }
        if let Some(resumed) = &mut self.resumed {
            *resumed = order.iter().map(|&old| resumed[old as usize]).collect();
        }
        self.bodies.reorder(&order);
        order
    }

    /// Whether the grain at this place is outside the domain.
    fn is_outside(&self, index: u32) -> bool {
        !self
            .grid
            .contains(self.bodies.body[index as usize].whole_units())
    }

    /// Stops a run that grains may not leave, if one has: that with the smallest id is named. Nothing has changed then.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    fn stop_if_left(&self) -> Result<()> {
        if !self.left || self.leaving != Leaving::Stop {
            return Ok(());
        }
        let outside = (0..self.bodies.len() as u32).filter(|&index| self.is_outside(index));
        let Some(index) = outside.min_by_key(|&index| self.bodies.id[index as usize]) else {
            return Ok(());
        };
        let body = &self.bodies.body[index as usize];
        Err(Error::LeftDomain {
            particle: self.bodies.id[index as usize],
            time: self.time(),
            position: self
                .grid
                .to_metres(body.whole_units(), body.remainder())
                .to_array(),
        })
    }
}
