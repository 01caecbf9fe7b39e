//! Contact slots: one place in memory for each pair of grains that touches or soon may.
//!
//! Slots hold the history of a contact (tangential and rolling spring, what the adaptive law froze)
//! and the force that the force loop leaves for the integrator. Each grain lists its slots in the
//! order of the partner's id: sums over contacts therefore have one order, whatever the neighbour
//! list, the order in memory or the number of threads, and so have one result, to the bit.

use super::bodies::{Bodies, Body};
use super::eight::Eight;
use super::incident::Incident;
use super::lists::{Emit, Lists};
use crate::memory::room_for;
use crate::state::WALL;
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// Where a slot is in the life of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Phase {
    /// Apart.
    Apart = 0,
    /// It came apart in the last step; its force, the correction for that, acts once.
    Ended = 1,
    /// Touching since an earlier force evaluation, or since this one.
    Touching = 2,
}

/// Bits of `Block::first_and_phase` that hold the phase.
const PHASE_SHIFT: u32 = 30;

/// Bits that hold the index.
const INDEX: u32 = (1 << PHASE_SHIFT) - 1;

/// Slots that lie together in memory and are evaluated together.
pub(crate) use super::eight::WIDTH;

/// Slots in a row, one array per quantity: what a force loop reads and writes as it is.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
pub(crate) struct Block {
    first_and_phase: [u32; WIDTH],
    /// Index of the second grain, or `WALL` + face.
    pub(crate) second: [u32; WIDTH],
    // As in `History`.
    pub(crate) spring: [[f64; WIDTH]; 3],
    pub(crate) normal_force: [f64; WIDTH],
    pub(crate) root_overlap: [f64; WIDTH],
}

/// One pair of grains, or a grain and a wall face.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) first: u32,
    /// Index of the second grain, or `WALL` + face.
    pub(crate) second: u32,
    pub(crate) phase: Phase,
    pub(crate) history: History,
}

/// What a contact remembers from one evaluation to the next; all zero unless it touches.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct History {
    /// Tangential spring of the first grain against the second, half a step ahead, m.
    pub(crate) spring: DVec3,
    /// Normal force of the last evaluation, weighted as it acted, N.
    pub(crate) normal_force: f64,
    /// Root of the overlap at which the last evaluation took the tangential stiffness, m^½.
    pub(crate) root_overlap: f64,
}

/// What a contact does to its grains until the next evaluation.
///
/// One cache line: the force on the first grain, N, and then, if the contact has just begun, what to multiply
/// the force and the inverse mass of a grain with to know how far to shift it, s², else zero; n × `F_t`, N, which
/// times `R_i` is the torque on the first grain and times `R_j` that on the second, and then 1 if the contact has
/// just begun, else zero.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Action(pub(crate) [f64; 8]);

impl Action {
    pub(crate) fn new(force: DVec3, torque: DVec3) -> Self {
        let [f, t] = [force, torque];
        Self([f.x, f.y, f.z, 0.0, t.x, t.y, t.z, 0.0])
    }

    /// Force and shift; torque and beginning.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    pub(crate) fn halves(&self) -> &[[f64; 4]; 2] {
        bytemuck::must_cast_ref(self)
    }

    pub(crate) fn force(&self) -> DVec3 {
        DVec3::from_slice(&self.0)
    }

    pub(crate) fn shift(&self) -> f64 {
        self.0[3]
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
    fn new(first: u32, second: u32) -> Self {
        debug_assert!(first >> PHASE_SHIFT == 0, "more than 2^30 grains");
        Self {
            first,
            second,
            phase: Phase::Apart,
            history: History::default(),
        }
    }

    pub(crate) fn touches(&self) -> bool {
        self.phase == Phase::Touching
    }
}

impl Block {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn first(&self, lane: usize) -> u32 {
        self.first_and_phase[lane] & INDEX
    }

    /// The grains of each pair; walls have none.
    ///
    /// # Panics
    /// If there are no such grains.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn bodies<'a>(&self, body: &'a [Body]) -> [[&'a Body; 2]; WIDTH] {
        let first = self.first_and_phase.map(|word| word & INDEX);
        let highest = first.iter().chain(&self.second).fold(0, |m, &i| m.max(i));
        assert!((highest as usize) < body.len(), "a slot of no grain");
        // SAFETY: none is higher than the highest.
        std::array::from_fn(|l| unsafe {
            [
                body.get_unchecked(first[l] as usize),
                body.get_unchecked(self.second[l] as usize),
            ]
        })
    }

    /// Which contacts were touching at the last evaluation.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn touching<N: Eight>(&self) -> N::Truth {
        // Of all phases, only this one has the highest bit.
        N::highest_bits(&self.first_and_phase)
    }

    /// Whether no contact touches, nor ended in the last step.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn all_apart(&self) -> bool {
        self.first_and_phase.iter().fold(0, |bits, x| bits | x) >> PHASE_SHIFT == 0
    }

    /// Says of all slots at once whether they touch, as [`touching`](Self::touching) does.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn set_touching<N: Eight>(&mut self, touching: N::Truth) {
        self.first_and_phase = self.first_and_phase.map(|word| word & INDEX);
        N::set_highest_bits(touching, &mut self.first_and_phase);
    }

    pub(crate) fn set_phase(&mut self, lane: usize, phase: Phase) {
        self.first_and_phase[lane] = self.first(lane) | (phase as u32) << PHASE_SHIFT;
    }

    pub(crate) fn slot(&self, lane: usize) -> Slot {
        Slot {
            first: self.first(lane),
            second: self.second[lane],
            phase: match self.first_and_phase[lane] >> PHASE_SHIFT {
                0 => Phase::Apart,
                1 => Phase::Ended,
                _ => Phase::Touching,
            },
            history: History {
                spring: self.spring(lane),
                normal_force: self.normal_force[lane],
                root_overlap: self.root_overlap[lane],
            },
        }
    }

    pub(crate) fn spring(&self, lane: usize) -> DVec3 {
        DVec3::from_array(self.spring.map(|axis| axis[lane]))
    }

    fn set(&mut self, lane: usize, slot: &Slot) {
        self.first_and_phase[lane] = slot.first;
        self.set_phase(lane, slot.phase);
        self.second[lane] = slot.second;
        for (axis, spring) in self.spring.iter_mut().zip(slot.history.spring.to_array()) {
            axis[lane] = spring;
        }
        self.normal_force[lane] = slot.history.normal_force;
        self.root_overlap[lane] = slot.history.root_overlap;
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
        history.spring = -history.spring;
        let extra = self.extra.get(place).map(|extra| Extra {
            rolling: extra.rolling.map(|x| -x),
            ..*extra
        });
        Some((history, extra))
    }
}

/// How many slots there are; the last block of either kind may have places that no slot takes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Grain–grain slots.
    pub(crate) pairs: usize,
    /// Grain–wall slots.
    pub(crate) walls: usize,
}

impl Counts {
    /// Blocks of grain–grain slots; those of walls come after them.
    pub(crate) fn pair_blocks(self) -> usize {
        self.pairs.div_ceil(WIDTH)
    }

    /// Number of slots of both kinds.
    pub(crate) fn all(self) -> usize {
        self.pairs + self.walls
    }

    /// Where the slots are: slot k of `block[k / WIDTH]` is the `k % WIDTH`-th.
    pub(crate) fn places(self) -> impl Iterator<Item = usize> {
        (0..self.pairs).chain(self.wall_places())
    }

    /// Where the slots of walls are.
    pub(crate) fn wall_places(self) -> Range<usize> {
        let start = self.pair_blocks() * WIDTH;
        start..start + self.walls
    }

    /// How many places of a block are taken; they are the first ones.
    pub(crate) fn in_block(self, block: usize) -> usize {
        let rest = match block.checked_sub(self.pair_blocks()) {
            None => self.pairs - block * WIDTH,
            Some(block) => self.walls - block * WIDTH,
        };
        rest.min(WIDTH)
    }
}

/// All slots: grain–grain pairs first, then, from a block of their own on, grain–wall pairs.
///
/// Places that no slot takes are of grain 0 with itself, and never touch.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots {
    pub(crate) block: Vec<Block>,
    /// One for each place, all that the integrator reads of a contact.
    pub(crate) action: Vec<Action>,
    /// One for each place if a law needs it, else empty.
    pub(crate) extra: Vec<Extra>,
    pub(crate) counts: Counts,
    pub(crate) incident: Incident,
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
        self.block = room_for(close.len() / WIDTH + 2);
        let pairs = |grain: u32| {
            close
                .of(grain as usize)
                .iter()
                .map(move |&other| (grain, other))
        };
        let all = || (0..bodies.len() as u32).flat_map(pairs);
        let counts = Counts {
            pairs: self.append(all().filter(|pair| pair.1 < WALL)),
            walls: self.append(all().filter(|pair| pair.1 >= WALL)),
        };
        self.counts = counts;
        drop(close);
        let origin = |index: u32| match origin {
            Some(origin) => origin[index as usize] as usize,
            None => index as usize,
        };
        let restore = |block: &mut Block, lane: usize| {
            let mut slot = block.slot(lane);
            let first = (origin(slot.first), bodies.id[slot.first as usize]);
            let second = (slot.second < WALL).then(|| origin(slot.second));
            let partner = (second, bodies.id_or_wall(slot.second));
            let (history, extra) = carried.of_pair(first, partner)?;
            slot.phase = Phase::Touching;
            slot.history = history;
            block.set(lane, &slot);
            Some(extra)
        };
        let places = self.block.len() * WIDTH;
        let blocks = self.block.par_iter_mut().enumerate();
        let touching = if with_extra {
            self.extra = vec![Extra::default(); places];
            let blocks = blocks.zip(self.extra.par_chunks_mut(WIDTH));
            blocks
                .map(|((b, block), extra)| {
                    let lanes = 0..counts.in_block(b);
                    let restored = lanes.filter_map(|lane| {
                        extra[lane] = restore(block, lane)?.unwrap_or_default();
                        Some(())
                    });
                    restored.count()
                })
                .sum()
        } else {
            blocks
                .map(|(b, block)| {
                    let lanes = 0..counts.in_block(b);
                    lanes.filter_map(|lane| restore(block, lane)).count()
                })
                .sum()
        };
        drop(carried);
        self.list_incident(bodies);
        self.action = room_for(places);
        self.action.resize(places, Action::default());
        touching
    }

    /// Makes slots for pairs, in blocks of their own behind those that are there. Returns how many.
    fn append(&mut self, pairs: impl Iterator<Item = (u32, u32)>) -> usize {
        let mut count = 0;
        let mut block = Block::default();
        for (first, second) in pairs {
            block.set(count % WIDTH, &Slot::new(first, second));
            count += 1;
            if count % WIDTH == 0 {
                self.block.push(std::mem::take(&mut block));
            }
        }
        if count % WIDTH != 0 {
            self.block.push(block);
        }
        count
    }

    /// The first grain of the slot at a place.
    fn first_of(&self, place: usize) -> usize {
        self.block[place / WIDTH].first(place % WIDTH) as usize
    }

    /// The slot at a place.
    pub(crate) fn slot(&self, place: usize) -> Slot {
        self.block[place / WIDTH].slot(place % WIDTH)
    }

    /// Lists for each grain its slots, in the order of the partners' ids.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    fn list_incident(&mut self, bodies: &Bodies) {
        let slots = &*self;
        let Range { start, .. } = slots.counts.wall_places();
        let list_both = |k: usize, emit: &Emit<'_>| {
            let place = match k.checked_sub(slots.counts.pairs) {
                None => k,
                Some(wall) => start + wall,
            };
            let [block, lane] = [place / WIDTH, place % WIDTH];
            let block = &slots.block[block];
            let entry = 2 * place as u32;
            emit(block.first(lane), entry);
            if block.second[lane] < WALL {
                emit(block.second[lane], entry + 1);
            }
        };
        let count = slots.counts.all();
        let partner_id = |entry: u32| {
            let place = (entry >> 1) as usize;
            let block = &slots.block[place / WIDTH];
            let partner = if entry & 1 == 0 {
                block.second[place % WIDTH]
            } else {
                block.first(place % WIDTH)
            };
            bodies.id_or_wall(partner)
        };
        self.incident = Incident::new(bodies.len(), count, list_both, partner_id);
    }

    /// Puts the histories of all touching pairs away, and empties the slots.
    pub(crate) fn put_away(&mut self, bodies: &Bodies) -> Carried {
        // Already used, and large: gone before the histories need room.
        self.action = Vec::new();
        self.incident = Incident::default();
        let mut carried = Carried::with_capacity(bodies.len(), self.touching());
        // Both kinds of slots are in the order of their first grains.
        let mut pairs = (0..self.counts.pairs).peekable();
        let mut walls = self.counts.wall_places().peekable();
        for grain in 0..bodies.len() {
            let is_own = |&place: &usize| self.first_of(place) == grain;
            while let Some(place) = pairs.next_if(is_own).or_else(|| walls.next_if(is_own)) {
                let slot = self.slot(place);
                if slot.touches() {
                    let partner = bodies.id_or_wall(slot.second);
                    carried.push(partner, slot.history, self.extra.get(place).copied());
                }
            }
            carried.next_owner();
        }
        *self = Self::default();
        carried
    }

    /// Touching slots of the grain at this place, in the order of the partners' ids; walls last.
    pub(crate) fn touching_of(&self, grain: usize) -> impl Iterator<Item = usize> {
        let places = self.incident.of(grain).iter();
        let places = places.map(|entry| (entry >> 1) as usize);
        places.filter(|&place| self.slot(place).touches())
    }

    /// Number of touching pairs.
    pub(crate) fn touching(&self) -> usize {
        self.touching_at(self.counts.places())
    }

    /// Number of touching pairs among some slots.
    pub(crate) fn touching_at(&self, places: impl Iterator<Item = usize>) -> usize {
        places.filter(|&place| self.slot(place).touches()).count()
    }
}
