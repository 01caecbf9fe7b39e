//! Contact slots: one place in memory for each pair of grains that touches or soon may.
//!
//! Slots hold the history of a contact (tangential and rolling spring, what the adaptive law froze)
//! and the force that the force loop leaves for the integrator. Each grain lists its slots in the
//! order of the partner's id: sums over contacts therefore have one order, whatever the neighbour
//! list, the order in memory or the number of threads, and so have one result, to the bit.

use super::actions::{Action, Actions};
use super::beginnings::Beginnings;
use super::bodies::Body;
use super::carried::{Carried, Finder};
use super::effects::Effects;
use super::eight::{AnyEight, Eight, Lot};
use super::incident::Incident;
use super::lists::Heads;
use super::shared::Shared;
use crate::memory::room_for;
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;
use std::ptr::read_volatile;

/// Where a slot is in the life of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Phase {
    /// Apart.
    Apart = 0,
    /// It came apart in the last step; its force, the correction for that, acts once.
    Ended = 1,
    /// Touching, and nothing else to say of it.
    Touching = 2,
    /// Touching since a moment within the step before the last evaluation, so that it acted for a part of the kick only.
    Begun = 3,
}

/// Bits of `Block::first_and_phase` that hold the phase.
const PHASE_SHIFT: u32 = 30;

/// Bits that hold the index.
const INDEX: u32 = (1 << PHASE_SHIFT) - 1;

/// Blocks of slots that one task fills.
const BLOCKS_PER_TASK: usize = 64;

/// Slots that lie together in memory and are evaluated together.
pub(crate) use super::eight::WIDTH;

/// Slots in a row, one array per quantity: what a force loop reads and writes as it is.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
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

/// What only some laws need of a contact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Extra {
    /// Moment of the rolling spring on the first grain, half a step ahead, N m.
    pub(crate) rolling: [f64; 3],
    /// Rolling moment on the first grain, N m.
    pub(crate) moment: [f64; 3],
    /// Stiffness and damping frozen at first touch.
    pub(crate) adaptive: [f64; 2],
}

impl Slot {
    pub(crate) fn touches(&self) -> bool {
        matches!(self.phase, Phase::Touching | Phase::Begun)
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
    pub(crate) fn bodies<'a>(&self, body: Shared<'a, Body>) -> [[&'a Body; 2]; WIDTH] {
        let mut inside = true;
        for (&a, &b) in self.first_and_phase.iter().zip(&self.second) {
            inside &= ((a & INDEX).max(b) as usize) < body.len();
        }
        assert!(inside, "a slot of no grain");
        // SAFETY: asked above. Words are read one by one, as volatile ones are: compilers would take them out of the vector
        // that was asked, by shuffles, for which the laws have to wait.
        std::array::from_fn(|l| unsafe {
            let [first, second] =
                [&self.first_and_phase[l], &self.second[l]].map(|w| read_volatile(w));
            [
                body.get_unchecked((first & INDEX) as usize),
                body.get_unchecked(second as usize),
            ]
        })
    }

    /// Which contacts of blocks were touching at the last evaluation.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn touching<N: Lot>(blocks: &[Self]) -> N::Truth {
        // Only phases in which they touch have the highest bit.
        N::highest_bits_of(|b| &blocks[b].first_and_phase)
    }

    /// The same of this one, a bit for each.
    pub(crate) fn touching_bits(&self) -> u8 {
        AnyEight::bits(AnyEight::highest_bits(&self.first_and_phase))
    }

    /// Whether no contact touches, nor ended in the last step.
    ///
    /// Not inlined: compilers would read all phases before it is known that anybody asks.
    #[inline(never)]
    pub(crate) fn all_apart(&self) -> bool {
        self.first_and_phase.iter().fold(0, |bits, x| bits | x) >> PHASE_SHIFT == 0
    }

    /// Says of all slots at once whether they touch since an earlier evaluation, as [`touching`](Self::touching) does.
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
                2 => Phase::Touching,
                _ => Phase::Begun,
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

    /// Has a slot be that of a pair, apart and without history as it was.
    fn set_pair(&mut self, lane: usize, first: u32, second: u32) {
        debug_assert!(first >> PHASE_SHIFT == 0, "more than 2^30 grains");
        self.first_and_phase[lane] = first;
        self.second[lane] = second;
    }

    fn set_history(&mut self, lane: usize, history: &History) {
        for (axis, spring) in self.spring.iter_mut().zip(history.spring.to_array()) {
            axis[lane] = spring;
        }
        self.normal_force[lane] = history.normal_force;
        self.root_overlap[lane] = history.root_overlap;
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

    /// Blocks of both kinds of slots.
    pub(crate) fn blocks(self) -> usize {
        self.pair_blocks() + self.walls.div_ceil(WIDTH)
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
#[derive(Debug, Default)]
pub(crate) struct Slots {
    pub(crate) block: Vec<Block>,
    /// One for each place, all that the integrator reads of a contact unless it has just begun.
    pub(crate) action: Actions,
    /// One for each place if a law needs it, else empty.
    pub(crate) extra: Vec<Extra>,
    pub(crate) beginnings: Beginnings,
    pub(crate) counts: Counts,
    pub(crate) incident: Incident,
}

impl Slots {
    /// No slots of so many grains.
    pub(crate) fn none(grains: usize) -> Self {
        Self {
            incident: Incident::none(grains),
            beginnings: Beginnings::none(grains),
            ..Self::default()
        }
    }

    /// Makes a slot for each pair and for each grain at a wall, with its history if it was touching. Returns how many have
    /// one.
    ///
    /// `walls` holds grains and `WALL` + face, in the order of the grains; `origin` says where grains were when the
    /// histories were put away, `None`: where they are.
    pub(crate) fn list(
        &mut self,
        ids: &[u32],
        pairs: Heads<'_>,
        walls: &[(u32, u32)],
        carried: Carried,
        origin: Option<&[u32]>,
        with_extra: bool,
    ) -> usize {
        let counts = Counts {
            pairs: pairs.len(),
            walls: walls.len(),
        };
        self.counts = counts;
        resize(&mut self.block, counts.blocks());
        self.beginnings.make_room(ids.len(), counts.blocks());
        let places = counts.blocks() * WIDTH;
        if with_extra {
            self.extra = vec![Extra::default(); places];
        }
        let lookup = carried.lookup(origin);
        let (pair_blocks, wall_blocks) = self.block.split_at_mut(counts.pair_blocks());
        let (pair_extra, wall_extra) = self
            .extra
            .split_at_mut(pair_blocks.len() * WIDTH * usize::from(with_extra));
        let restored_pairs: usize = tasks(pair_blocks, pair_extra)
            .map(|task| {
                let mut slots = pairs.from(task.first_place()).peekable();
                let finder = slots.peek().map(|&(a, b)| lookup.pairs_from(a, b));
                finder.map_or(0, |finder| task.fill(slots, finder))
            })
            .sum();
        let restored_walls: usize = tasks(wall_blocks, wall_extra)
            .map(|task| {
                let slots = &walls[task.first_place()..];
                let finder = slots.first().map(|&(a, b)| lookup.walls_from(a, b));
                finder.map_or(0, |finder| task.fill(slots.iter().copied(), finder))
            })
            .sum();
        self.action = carried.into_room();
        self.action.resize(places);
        self.incident = Incident::new(ids, pairs, walls, counts, &mut self.action);
        self.forget_actions();
        restored_pairs + restored_walls
    }

    /// What the slots do to each grain.
    pub(crate) fn effects(&self) -> Effects<'_> {
        let (concerned, shift) = self.beginnings.both();
        Effects {
            deeds: self.incident.with(Shared::of(&self.action)),
            block: Shared::of(&self.block),
            extra: Shared::of(&self.extra),
            concerned,
            shift: Shared::of(shift),
        }
    }

    /// Has no contact do anything before it is evaluated.
    pub(super) fn forget_actions(&mut self) {
        let blocks = self.block.par_iter();
        let actions = self.action.par_chunks_exact_mut(WIDTH);
        blocks
            .zip(actions)
            .with_min_len(BLOCKS_PER_TASK)
            // Where a contact touches, the first evaluation says what all of a block do.
            .filter(|(block, _)| block.all_apart())
            .for_each(|(_, actions)| actions.fill(Action::default()));
    }

    /// The slot at a place.
    pub(crate) fn slot(&self, place: usize) -> Slot {
        self.block[place / WIDTH].slot(place % WIDTH)
    }

    /// Those of some grains and `WALL` + face, in the order of the grains, that have no slot.
    pub(crate) fn none_at_walls(&self, near: &[(u32, u32)]) -> impl Iterator<Item = (u32, u32)> {
        let mut listed = self
            .counts
            .wall_places()
            .map(|place| {
                let slot = self.slot(place);
                (slot.first, slot.second)
            })
            .peekable();
        near.iter().copied().filter(move |wanted| {
            while listed.next_if(|pair| pair < wanted).is_some() {}
            listed.peek() != Some(wanted)
        })
    }

    /// Puts the histories of all touching pairs away. The slots hold nothing of use until they are listed again.
    pub(crate) fn put_away(&mut self) -> Carried {
        // Of no more use, and room for what follows.
        self.incident = Incident::default();
        let room = std::mem::take(&mut self.action);
        let extra = std::mem::take(&mut self.extra);
        Carried::pack(room, &self.block, self.counts, extra)
    }

    /// Touching slots of the grain at this place, in the order of the partners' ids; walls last.
    pub(crate) fn touching_of(&self, grain: usize) -> impl Iterator<Item = usize> {
        let places = self.incident.of(grain).map(|(place, _)| place);
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

/// Makes an array so long, whatever it holds then. An array that must grow does so with some room to spare.
pub(super) fn resize<T: Copy + Default>(values: &mut Vec<T>, length: usize) {
    if values.capacity() < length {
        // What was there goes before there is more.
        *values = Vec::new();
        *values = room_for(length + length / 32);
    }
    values.resize(length, T::default());
}

/// Blocks in a row that one task fills.
struct Filling<'a> {
    /// Which task of those for such slots.
    number: usize,
    block: &'a mut [Block],
    /// One for each place if a law needs it, else empty.
    extra: &'a mut [Extra],
}

/// Cuts blocks into tasks.
fn tasks<'a>(
    block: &'a mut [Block],
    extra: &'a mut [Extra],
) -> impl ParallelIterator<Item = Filling<'a>> {
    let mut extras = extra.chunks_mut(BLOCKS_PER_TASK * WIDTH);
    let tasks: Vec<Filling<'a>> = block
        .chunks_mut(BLOCKS_PER_TASK)
        .enumerate()
        .map(|(number, block)| Filling {
            number,
            block,
            extra: extras.next().unwrap_or_default(),
        })
        .collect();
    tasks.into_par_iter()
}

impl Filling<'_> {
    /// Where the first of these slots is among all of their kind.
    fn first_place(&self) -> usize {
        self.number * BLOCKS_PER_TASK * WIDTH
    }

    /// Makes slots for pairs, with what `finder` finds of them. Returns how many were touching.
    fn fill(self, mut pairs: impl Iterator<Item = (u32, u32)>, mut finder: Finder<'_>) -> usize {
        let mut restored = 0;
        for (b, block) in self.block.iter_mut().enumerate() {
            let mut filled = Block::default();
            for (lane, (first, second)) in pairs.by_ref().take(WIDTH).enumerate() {
                filled.set_pair(lane, first, second);
                let Some(inherited) = finder.find(first, second) else {
                    continue;
                };
                filled.set_phase(lane, Phase::Touching);
                filled.set_history(lane, &inherited.history());
                let own = self.extra.get_mut(b * WIDTH + lane);
                if let (Some(own), Some(extra)) = (own, inherited.extra()) {
                    *own = extra;
                }
                restored += 1;
            }
            *block = filled;
        }
        restored
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation, reason = "small numbers")]
    use super::*;
    use crate::cpu::lists::Lists;
    use crate::state::WALL;
    use std::collections::HashMap;

    const GRAINS: u32 = 700;

    /// Grains with smaller ids touch nobody with a larger one.
    const APART: u32 = 100;

    /// What the contact of two grains, or of a grain and a wall, remembers, seen by the first; of some contacts nothing.
    fn history(ids: (u32, u32)) -> Option<History> {
        let (low, high) = (ids.0.min(ids.1), ids.0.max(ids.1));
        let number = f64::from(low) + f64::from(high % 1024) / 1024.0;
        let spring = DVec3::new(1.0 + number, -number, 0.5);
        (low >= APART && (low + high) % 3 != 0).then_some(History {
            spring: if ids.0 == low { spring } else { -spring },
            normal_force: number + 0.25,
            root_overlap: number + 0.125,
        })
    }

    /// What else it remembers.
    fn extra(history: &History) -> Extra {
        Extra {
            rolling: (2.0 * history.spring).to_array(),
            moment: [0.0; 3],
            adaptive: [history.normal_force, 7.0],
        }
    }

    /// Pairs of grains by their ids, those whose sum is a multiple of `step` left out, and the ids of those at walls.
    fn pairs(step: u32) -> Vec<(u32, u32)> {
        let others = |id: u32| [1, 2, 5, 40].map(|apart| (id, id + apart));
        (0..GRAINS)
            .flat_map(others)
            .filter(|pair| pair.1 < GRAINS && (pair.0 + pair.1) % step != 0)
            .collect()
    }

    /// Lists slots for pairs of ids, where the grain at place i has the id `ids[i]`.
    fn list(
        slots: &mut Slots,
        ids: &[u32],
        pairs: &[(u32, u32)],
        carried: Carried,
        origin: Option<&[u32]>,
        with_extra: bool,
    ) -> usize {
        let place: HashMap<u32, u32> = (0..).zip(ids).map(|(place, &id)| (id, place)).collect();
        let mut partners = vec![Vec::new(); ids.len()];
        for (a, b) in pairs {
            let (a, b) = (place[a], place[b]);
            partners[a.min(b) as usize].push(a.max(b));
        }
        let (mut lists, mut start) = (Lists::default(), Vec::new());
        lists.list(ids.len(), &mut start, |grain, entries, (): &mut ()| {
            let mut own = partners[grain].clone();
            own.sort_unstable();
            entries.extend(&own);
            own.len() as u32
        });
        let mut walls: Vec<(u32, u32)> = (0..GRAINS)
            .step_by(4)
            .map(|id| (place[&id], WALL + 1))
            .collect();
        walls.sort_unstable();
        slots.list(
            ids,
            Heads::new(&lists, &start),
            &walls,
            carried,
            origin,
            with_extra,
        )
    }

    /// The ids of the grains of a slot, or of a grain and a wall.
    fn ids_of(slot: &Slot, ids: &[u32]) -> (u32, u32) {
        let id = |index: u32| ids.get(index as usize).copied().unwrap_or(index);
        (id(slot.first), id(slot.second))
    }

    /// Has every slot touch that has something to remember.
    fn touch(slots: &mut Slots, ids: &[u32]) {
        for place in slots.counts.places() {
            if let Some(history) = history(ids_of(&slots.slot(place), ids)) {
                let (block, lane) = (&mut slots.block[place / WIDTH], place % WIDTH);
                block.set_phase(lane, Phase::Touching);
                block.set_history(lane, &history);
                if let Some(own) = slots.extra.get_mut(place) {
                    *own = extra(&history);
                }
            }
        }
    }

    #[test]
    fn histories_find_their_way_to_the_next_slots() {
        let ids: Vec<u32> = (0..GRAINS).map(|place| place * 391 % GRAINS).collect();
        // Backwards, so that each pair is seen by the other grain.
        let origin: Vec<u32> = (0..GRAINS).rev().collect();
        let moved: Vec<u32> = origin.iter().map(|&was| ids[was as usize]).collect();
        for with_extra in [false, true] {
            for (ids_then, origin) in [(&ids, None), (&moved, Some(origin.as_slice()))] {
                let mut slots = Slots::default();
                list(
                    &mut slots,
                    &ids,
                    &pairs(5),
                    Carried::default(),
                    None,
                    with_extra,
                );
                touch(&mut slots, &ids);
                let before = slots.touching();
                assert!(before > 1000);
                let carried = slots.put_away();
                assert_eq!(carried.len(), before);
                // Some pairs are new, and some are no longer there.
                let restored = list(&mut slots, ids_then, &pairs(7), carried, origin, with_extra);
                let mut found = 0;
                for place in slots.counts.places() {
                    let slot = slots.slot(place);
                    let (first, second) = ids_of(&slot, ids_then);
                    let was_there = second >= WALL || (first + second) % 5 != 0;
                    let wanted = history((first, second)).filter(|_| was_there);
                    assert_eq!(slot.touches(), wanted.is_some(), "{first} {second}");
                    let wanted = wanted.unwrap_or_default();
                    assert_eq!(slot.history, wanted, "{first} {second}");
                    if with_extra && slot.touches() {
                        assert_eq!(slots.extra[place], extra(&wanted), "{first} {second}");
                    }
                    found += usize::from(slot.touches());
                }
                assert!(restored == found && found < before, "{restored} {found}");
            }
        }
    }

    #[test]
    fn what_does_not_touch_does_nothing() {
        let ids: Vec<u32> = (0..GRAINS).collect();
        let mut slots = Slots::default();
        list(&mut slots, &ids, &pairs(5), Carried::default(), None, false);
        touch(&mut slots, &ids);
        slots.action.fill(Action([1.0; 6]));
        let carried = slots.put_away();
        list(&mut slots, &ids, &pairs(5), carried, None, false);
        let mut apart = 0;
        for (block, actions) in slots.block.iter().zip(slots.action.chunks(WIDTH)) {
            if block.all_apart() {
                assert!(actions.iter().all(|action| action.0 == [0.0; 6]));
                apart += 1;
            }
        }
        assert!(apart > 10, "{apart}");
    }
}
