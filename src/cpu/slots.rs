//! Contact slots: one place in memory for each pair of grains that touches or soon may.
//!
//! Slots hold the history of a contact (tangential and rolling spring, what the adaptive law froze)
//! and the force that the force loop leaves for the integrator. Each grain lists its slots in the
//! order of the partner's id: sums over contacts therefore have one order, whatever the neighbour
//! list, the order in memory or the number of threads, and so have one result, to the bit.

use super::bodies::Bodies;
use crate::state::WALL;
use glam::DVec3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where a slot is in the life of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Phase {
    /// Apart.
    Apart = 0,
    /// Touching since an earlier force evaluation, or since this one.
    Touching = 1,
    /// It came apart in the last step; its force, the correction for that, acts once.
    Ended = 2,
}

/// Bits of `Slot::first` that hold the phase.
const PHASE_SHIFT: u32 = 30;

/// One pair of grains, or a grain and a wall face.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Slot {
    first_and_phase: u32,
    /// Index of the second grain, or `WALL` + face.
    pub(crate) second: u32,
    /// Tangential spring of the first grain against the second, half a step ahead, m.
    pub(crate) spring: [f64; 3],
    /// Normal force of the last evaluation, weighted as it acted, N.
    pub(crate) normal_force: f64,
    /// Overlap at which the last evaluation took the tangential stiffness, m.
    pub(crate) evaluated: f64,
}

/// What a contact does to its grains until the next evaluation.
///
/// One cache line; the fourth numbers are zero and make four-wide additions possible.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
pub(crate) struct Action {
    /// Force on the first grain, N.
    pub(crate) force: [f64; 4],
    /// n × `F_t`, N: times `R_i` the torque on the first grain, times `R_j` that on the second.
    pub(crate) torque: [f64; 4],
}

impl Action {
    pub(crate) fn force(&self) -> DVec3 {
        DVec3::from_slice(&self.force)
    }
}

/// What only some laws need of a contact.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Extra {
    /// Moment of the rolling spring on the first grain, half a step ahead, N m.
    pub(crate) rolling: [f64; 3],
    /// Rolling moment on the first grain, N m.
    pub(crate) moment: [f64; 3],
    /// Stiffness and damping frozen at first touch.
    pub(crate) adaptive: [f64; 2],
}

/// The part of a slot that outlives a rebuild.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct History {
    pub(crate) first: u32,
    pub(crate) second: u32,
    pub(crate) normal_force: f64,
    pub(crate) spring: [f64; 3],
    pub(crate) evaluated: f64,
}

/// All slots: grain–grain pairs first, then grain–wall pairs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots {
    pub(crate) slot: Vec<Slot>,
    /// As long as `slot`: all that the integrator reads of a contact.
    pub(crate) action: Vec<Action>,
    /// As long as `slot` if a law needs it, else empty.
    pub(crate) extra: Vec<Extra>,
    /// Number of grain–grain slots.
    pub(crate) pairs: usize,
    /// Slots of grain i: `incident[start[i]..start[i + 1]]`.
    pub(crate) start: Vec<u32>,
    /// `2 · slot`, plus 1 where the grain is the second of the pair.
    pub(crate) incident: Vec<u32>,
}

impl Slot {
    pub(crate) fn new(first: u32, second: u32) -> Self {
        debug_assert!(first >> PHASE_SHIFT == 0, "more than 2^30 grains");
        Self {
            first_and_phase: first,
            second,
            ..Self::default()
        }
    }

    #[inline]
    pub(crate) fn first(&self) -> u32 {
        self.first_and_phase & ((1 << PHASE_SHIFT) - 1)
    }

    #[inline]
    pub(crate) fn phase(&self) -> Phase {
        match self.first_and_phase >> PHASE_SHIFT {
            0 => Phase::Apart,
            1 => Phase::Touching,
            _ => Phase::Ended,
        }
    }

    /// Tangential spring and last normal force; both are zero unless touching.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn history(&self) -> [f64; 4] {
        let [x, y, z] = self.spring;
        [x, y, z, self.normal_force]
    }

    #[inline]
    pub(crate) fn set_phase(&mut self, phase: Phase) {
        self.first_and_phase = self.first() | (phase as u32) << PHASE_SHIFT;
    }
}

/// Histories by grain, to look a pair up in.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// Histories of grain i: `order[start[i]..start[i + 1]]`.
    start: Vec<u32>,
    order: Vec<u32>,
    history: Vec<History>,
    extra: Vec<Extra>,
}

impl Carried {
    /// Sorts histories by their first grain.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    pub(crate) fn new(grains: usize, history: Vec<History>, extra: Vec<Extra>) -> Self {
        let mut start = vec![0u32; grains + 1];
        for entry in &history {
            start[entry.first as usize + 1] += 1;
        }
        for index in 0..grains {
            start[index + 1] += start[index];
        }
        let mut cursor = start.clone();
        let mut order = vec![0u32; history.len()];
        for (index, entry) in history.iter().enumerate() {
            let place = &mut cursor[entry.first as usize];
            order[*place as usize] = index as u32;
            *place += 1;
        }
        Self {
            start,
            order,
            history,
            extra,
        }
    }

    /// The history of a pair in this orientation, if it was touching.
    fn find(&self, first: u32, second: u32) -> Option<usize> {
        let range = self.start[first as usize] as usize..self.start[first as usize + 1] as usize;
        self.order[range]
            .iter()
            .map(|&k| k as usize)
            .find(|&k| self.history[k].second == second)
    }
}

impl Carried {
    /// Puts the history of a pair into its slot, whichever grain now comes first; `None` if it has
    /// none.
    fn give(&self, slot: &mut Slot, extra: Option<&mut Extra>) -> Option<()> {
        let (first, second) = (slot.first(), slot.second);
        let same = self.find(first, second).map(|k| (k, 1.0));
        let (k, sign) = same.or_else(|| {
            (second < WALL)
                .then(|| self.find(second, first).map(|k| (k, -1.0)))
                .flatten()
        })?;
        let history = &self.history[k];
        slot.set_phase(Phase::Touching);
        slot.normal_force = history.normal_force;
        slot.evaluated = history.evaluated;
        slot.spring = history.spring.map(|x| sign * x);
        if let Some(extra) = extra {
            *extra = self.extra[k];
            extra.rolling = extra.rolling.map(|x| sign * x);
        }
        Some(())
    }
}

impl Slots {
    /// The histories of all touching pairs, and empties the slots.
    pub(crate) fn take_history(&mut self) -> (Vec<History>, Vec<Extra>) {
        // Already used, and large: gone before the histories need room.
        self.action = Vec::new();
        self.start = Vec::new();
        self.incident = Vec::new();
        let touching = |slot: &Slot| slot.phase() == Phase::Touching;
        let mut history = Vec::with_capacity(self.touching());
        history.extend(
            self.slot
                .iter()
                .filter(|slot| touching(slot))
                .map(|slot| History {
                    first: slot.first(),
                    second: slot.second,
                    normal_force: slot.normal_force,
                    spring: slot.spring,
                    evaluated: slot.evaluated,
                }),
        );
        let extra = self
            .slot
            .iter()
            .zip(&self.extra)
            .filter(|(slot, _)| touching(slot))
            .map(|(_, extra)| *extra)
            .collect();
        *self = Self::default();
        (history, extra)
    }

    /// Puts histories back into the slots of the same pairs, whichever grain now comes first.
    ///
    /// Returns how many found their slot: fewer than there were means that a pair which touches has
    /// been left out of the list.
    pub(crate) fn restore(&mut self, carried: &Carried, with_extra: bool) -> usize {
        self.extra = vec![Extra::default(); if with_extra { self.slot.len() } else { 0 }];
        if with_extra {
            let pairs = self.slot.par_iter_mut().zip(&mut self.extra);
            pairs
                .filter_map(|(slot, extra)| carried.give(slot, Some(extra)))
                .count()
        } else {
            self.slot
                .par_iter_mut()
                .filter_map(|slot| carried.give(slot, None))
                .count()
        }
    }

    /// Lists for each grain its slots, in the order of the partner's id.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    pub(crate) fn list_incident(&mut self, bodies: &Bodies) {
        let grains = bodies.len();
        let count: Vec<AtomicU32> = (0..=grains).map(|_| AtomicU32::new(0)).collect();
        let bump = |grain: u32| count[grain as usize].fetch_add(1, Ordering::Relaxed);
        self.slot.par_iter().for_each(|slot| {
            bump(slot.first());
            if slot.second < WALL {
                bump(slot.second);
            }
        });
        self.start = vec![0; grains + 1];
        for grain in 0..grains {
            self.start[grain + 1] = self.start[grain] + count[grain].load(Ordering::Relaxed);
            count[grain].store(self.start[grain], Ordering::Relaxed);
        }
        let total = self.start[grains] as usize;
        // Filled in any order by several threads, then sorted: the outcome is one.
        let incident: Vec<AtomicU32> = (0..total).map(|_| AtomicU32::new(0)).collect();
        self.slot.par_iter().enumerate().for_each(|(index, slot)| {
            let entry = 2 * index as u32;
            incident[bump(slot.first()) as usize].store(entry, Ordering::Relaxed);
            if slot.second < WALL {
                incident[bump(slot.second) as usize].store(entry + 1, Ordering::Relaxed);
            }
        });
        self.incident = incident.into_iter().map(AtomicU32::into_inner).collect();
        let slots = &self.slot;
        let partner_id = |&entry: &u32| {
            let slot = &slots[(entry >> 1) as usize];
            let partner = if entry & 1 == 0 {
                slot.second
            } else {
                slot.first()
            };
            if partner < WALL {
                bodies.id[partner as usize]
            } else {
                partner
            }
        };
        let mut rest = self.incident.as_mut_slice();
        let mut lists = Vec::with_capacity(grains.div_ceil(LISTS_PER_TASK));
        for first in (0..grains).step_by(LISTS_PER_TASK) {
            let last = (first + LISTS_PER_TASK).min(grains);
            let (head, tail) = rest.split_at_mut((self.start[last] - self.start[first]) as usize);
            lists.push((first..last, head));
            rest = tail;
        }
        let start = &self.start;
        lists.into_par_iter().for_each(|(range, list)| {
            let base = start[range.start];
            for grain in range {
                let own = (start[grain] - base) as usize..(start[grain + 1] - base) as usize;
                list[own].sort_unstable_by_key(partner_id);
            }
        });
    }

    /// Number of touching pairs.
    pub(crate) fn touching(&self) -> usize {
        self.slot
            .iter()
            .filter(|slot| slot.phase() == Phase::Touching)
            .count()
    }
}

/// Grains whose lists one task sorts.
const LISTS_PER_TASK: usize = 1024;
