//! Contact slots: one place in memory for each pair of grains that touches or soon may.
//!
//! Slots hold the history of a contact (tangential and rolling spring, what the adaptive law froze)
//! and the force that the force loop leaves for the integrator. Each grain lists its slots in the
//! order of the partner's id: sums over contacts therefore have one order, whatever the neighbour
//! list, the order in memory or the number of threads, and so have one result, to the bit.

use super::bodies::Bodies;
use super::lists::{Emit, Lists};
use crate::state::WALL;
use glam::DVec3;
use rayon::prelude::*;

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
    pub(crate) history: History,
}

/// What a contact remembers from one evaluation to the next; all zero unless it touches.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
pub(crate) struct History {
    /// Tangential spring of the first grain against the second, half a step ahead, m; then the
    /// normal force of the last evaluation, weighted as it acted, N.
    pub(crate) spring_and_force: [f64; 4],
    /// Root of the overlap at which the last evaluation took the tangential stiffness, m^½.
    pub(crate) root_overlap: f64,
}

/// What a contact does to its grains until the next evaluation.
///
/// One cache line; the fourth numbers make four-wide additions possible.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
pub(crate) struct Action {
    /// Force on the first grain, N. Then, if the contact has just begun, what to multiply the force
    /// and the inverse mass of a grain with to know how far to shift it, s²; else zero.
    pub(crate) force: [f64; 4],
    /// n × `F_t`, N: times `R_i` the torque on the first grain, times `R_j` that on the second. Then
    /// 1 if the contact has just begun, else zero.
    pub(crate) torque: [f64; 4],
}

impl Action {
    pub(crate) fn force(&self) -> DVec3 {
        DVec3::from_slice(&self.force)
    }

    pub(crate) fn shift(&self) -> f64 {
        self.force[3]
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

    #[inline]
    pub(crate) fn touches(&self) -> bool {
        self.phase() == Phase::Touching
    }

    #[inline]
    pub(crate) fn set_phase(&mut self, phase: Phase) {
        self.first_and_phase = self.first() | (phase as u32) << PHASE_SHIFT;
    }
}

impl History {
    pub(crate) fn spring(&self) -> DVec3 {
        DVec3::from_slice(&self.spring_and_force)
    }

    pub(crate) fn normal_force(&self) -> f64 {
        self.spring_and_force[3]
    }
}

/// Histories of all touching pairs between two lists of slots, to be looked up by the first grain and
/// its partner.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// Histories of the grain that was at place i: `start[i]..start[i + 1]`.
    start: Vec<u32>,
    /// With the id of the partner, or `WALL` + face.
    history: Vec<(u32, History)>,
    /// As long as `history` if a law needs it, else empty.
    extra: Vec<Extra>,
}

impl Carried {
    /// No history of any of so many grains.
    pub(crate) fn nothing(grains: usize) -> Self {
        Self {
            start: vec![0; grains + 1],
            ..Self::default()
        }
    }

    /// For histories that will be pushed owner by owner.
    pub(crate) fn with_capacity(grains: usize, contacts: usize) -> Self {
        let mut start = Vec::with_capacity(grains + 1);
        start.push(0);
        Self {
            start,
            history: Vec::with_capacity(contacts),
            extra: Vec::new(),
        }
    }

    /// Adds a history of the present owner.
    pub(crate) fn push(&mut self, partner: u32, history: History, extra: Option<Extra>) {
        self.history.push((partner, history));
        self.extra.extend(extra);
    }

    /// Goes on to the next owner.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    pub(crate) fn next_owner(&mut self) {
        self.start.push(self.history.len() as u32);
    }

    /// Number of histories.
    pub(crate) fn len(&self) -> usize {
        self.history.len()
    }

    /// Where the history of a pair is, if it was touching.
    fn find(&self, owner: usize, partner: u32) -> Option<usize> {
        let first = self.start[owner] as usize;
        self.history[first..self.start[owner + 1] as usize]
            .iter()
            .position(|&(other, _)| other == partner)
            .map(|place| first + place)
    }

    /// The history of a pair, as its first grain sees it. Grains are named by where they were when
    /// the histories were put away and by their ids; a wall by `WALL` + face alone.
    pub(crate) fn of_pair(
        &self,
        first: (usize, u32),
        second: (Option<usize>, u32),
    ) -> Option<(History, Option<Extra>)> {
        if let Some(place) = self.find(first.0, second.1) {
            return Some((self.history[place].1, self.extra.get(place).copied()));
        }
        let place = self.find(second.0?, first.1)?;
        let mut history = self.history[place].1;
        for x in &mut history.spring_and_force[..3] {
            *x = -*x;
        }
        let extra = self.extra.get(place).map(|extra| Extra {
            rolling: extra.rolling.map(|x| -x),
            ..*extra
        });
        Some((history, extra))
    }
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
    /// For each grain its slots, in the order of the partners' ids, walls last: `2 · slot`, plus 1
    /// where the grain is the second of the pair.
    pub(crate) incident: Lists,
}

impl Slots {
    /// Makes a slot for each pair, with its history if it was touching. Returns how many have one.
    ///
    /// `origin` says where grains were when the histories were put away; `None`: where they are.
    /// Everything that is no longer needed goes before the next array is made: this is where a large
    /// run takes most memory.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    pub(crate) fn list(
        &mut self,
        bodies: &Bodies,
        close: Lists,
        carried: Carried,
        origin: Option<&[u32]>,
        with_extra: bool,
    ) -> usize {
        self.slot = Vec::with_capacity(close.len());
        let pairs = |grain: u32| {
            close
                .of(grain as usize)
                .iter()
                .map(move |&other| (grain, other))
        };
        let all = || (0..bodies.len() as u32).flat_map(pairs);
        let slot = |(first, second)| Slot::new(first, second);
        self.slot
            .extend(all().filter(|pair| pair.1 < WALL).map(slot));
        self.pairs = self.slot.len();
        self.slot
            .extend(all().filter(|pair| pair.1 >= WALL).map(slot));
        drop(close);
        let origin = |index: u32| match origin {
            Some(origin) => origin[index as usize] as usize,
            None => index as usize,
        };
        let restore = |slot: &mut Slot| {
            let first = (origin(slot.first()), bodies.id[slot.first() as usize]);
            let second = (slot.second < WALL).then(|| origin(slot.second));
            let partner = (second, bodies.id_or_wall(slot.second));
            let (history, extra) = carried.of_pair(first, partner)?;
            slot.set_phase(Phase::Touching);
            slot.history = history;
            Some(extra)
        };
        let touching = if with_extra {
            self.extra = vec![Extra::default(); self.slot.len()];
            let slots = self.slot.par_iter_mut().zip(&mut self.extra);
            slots
                .filter_map(|(slot, extra)| {
                    *extra = restore(slot)?.unwrap_or_default();
                    Some(())
                })
                .count()
        } else {
            self.slot.par_iter_mut().filter_map(restore).count()
        };
        drop(carried);
        self.list_incident(bodies);
        self.action = vec![Action::default(); self.slot.len()];
        touching
    }

    /// Lists for each grain its slots, in the order of the partners' ids.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    fn list_incident(&mut self, bodies: &Bodies) {
        let slots = self.slot.as_slice();
        let list_both = |k: usize, emit: &Emit<'_>| {
            let entry = 2 * k as u32;
            emit(slots[k].first(), entry);
            if slots[k].second < WALL {
                emit(slots[k].second, entry + 1);
            }
        };
        self.incident = Lists::new(bodies.len(), slots.len(), list_both, |entry| {
            let slot = &slots[(entry >> 1) as usize];
            let partner = if entry & 1 == 0 {
                slot.second
            } else {
                slot.first()
            };
            bodies.id_or_wall(partner)
        });
    }

    /// Puts the histories of all touching pairs away, and empties the slots.
    pub(crate) fn put_away(&mut self, bodies: &Bodies) -> Carried {
        // Already used, and large: gone before the histories need room.
        self.action = Vec::new();
        let mut carried = Carried::with_capacity(bodies.len(), self.touching());
        for grain in 0..bodies.len() {
            for &entry in self.incident.of(grain) {
                let k = (entry >> 1) as usize;
                let slot = &self.slot[k];
                if entry & 1 == 0 && slot.touches() {
                    let partner = bodies.id_or_wall(slot.second);
                    carried.push(partner, slot.history, self.extra.get(k).copied());
                }
            }
            carried.next_owner();
        }
        *self = Self::default();
        carried
    }

    /// Touching slots of the grain at this place, in the order of the partners' ids; walls last.
    pub(crate) fn touching_of(&self, grain: usize) -> impl Iterator<Item = usize> {
        let slots = self
            .incident
            .of(grain)
            .iter()
            .map(|entry| (entry >> 1) as usize);
        slots.filter(|&k| self.slot[k].touches())
    }

    /// Number of touching pairs.
    pub(crate) fn touching(&self) -> usize {
        self.slot.iter().filter(|slot| slot.touches()).count()
    }
}
