//! Histories on their way from one list of slots to the next.

use super::actions::{Action, Actions};
use super::slots::{Block, Counts, Extra, History, Slot, WIDTH};
use crate::error::{Error, Result};
use crate::state::{ContactState, WALL};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

/// Blocks of slots whose histories one task packs.
const BLOCKS_PER_TASK: usize = 64;

const _: () = assert!(
    size_of::<Action>() == size_of::<Parcel>(),
    "a parcel takes the memory of an action"
);

/// The history of one contact, and whose it is.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Parcel {
    /// Index of the first grain, then that of the second or `WALL` + face: see [`pair`].
    pair: u64,
    spring: [f64; 3],
    normal_force: f64,
    root_overlap: f64,
}

/// A pair as one number: pairs of the same first grain follow each other.
fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

impl Parcel {
    fn new(first: u32, second: u32, history: &History) -> Self {
        Self {
            pair: pair(first, second),
            spring: history.spring.to_array(),
            normal_force: history.normal_force,
            root_overlap: history.root_overlap,
        }
    }

    fn history(&self) -> History {
        History {
            spring: self.spring.into(),
            normal_force: self.normal_force,
            root_overlap: self.root_overlap,
        }
    }

    fn owner(&self) -> usize {
        (self.pair >> 32) as usize
    }
}

/// Histories of all touching pairs between two lists of slots.
///
/// They lie in the memory of what contacts did, which nobody needs until slots are listed again: a system clears memory
/// that it gives, which would take as long as all else.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    room: Actions,
    /// How many there are of pairs of grains, in the order of the pairs …
    pairs: usize,
    /// … and of walls, behind those and in the same order.
    walls: usize,
    /// What only some laws need, of the slots that were, and for each history where it is; else empty.
    extra: Vec<Extra>,
    extra_at: Vec<u32>,
}

impl Carried {
    /// The histories in some blocks; `extra` has one for each place if a law needs it.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    pub(crate) fn pack(room: Actions, block: &[Block], counts: Counts, extra: Vec<Extra>) -> Self {
        let (pairs, walls) = block.split_at(counts.pair_blocks());
        let tasks = || {
            let walls = walls.par_chunks(BLOCKS_PER_TASK);
            pairs.par_chunks(BLOCKS_PER_TASK).chain(walls)
        };
        let touching = |blocks: &[Block]| -> usize {
            let of_block = |block: &Block| block.touching_bits().count_ones() as usize;
            blocks.iter().map(of_block).sum()
        };
        let numbers: Vec<usize> = tasks().map(touching).collect();
        let (of_pairs, of_walls) = numbers.split_at(pairs.len().div_ceil(BLOCKS_PER_TASK));
        let mut carried = Self::with_room(room, of_pairs.iter().sum(), of_walls.iter().sum());
        let mut rest = carried.parcels_mut();
        let mut parts = Vec::with_capacity(numbers.len());
        for number in numbers {
            let (part, others) = rest.split_at_mut(number);
            parts.push(part);
            rest = others;
        }
        tasks().zip(parts).for_each(|(blocks, parcels)| {
            let slots = blocks.iter().flat_map(touching_slots);
            for (parcel, slot) in parcels.iter_mut().zip(slots) {
                *parcel = Parcel::new(slot.first, slot.second, &slot.history);
            }
        });
        if !extra.is_empty() {
            let places = (0..).zip(block).flat_map(|(b, block)| {
                let touching = block.touching_bits();
                let lanes = (0..WIDTH as u32).filter(move |lane| touching >> lane & 1 == 1);
                lanes.map(move |lane| b * WIDTH as u32 + lane)
            });
            carried.extra_at = places.collect();
            carried.extra = extra;
        }
        carried
    }

    /// The histories of the contacts of a saved state, whose particles have these ids, ascending.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    pub(crate) fn from_contacts(
        ids: &[u32],
        contacts: &[ContactState],
        with_extra: bool,
    ) -> Result<Self> {
        let index_of = |id: u32| {
            let index = ids.binary_search(&id);
            index.map_err(|_| Error::Unsupported(format!("contact of unknown particle {id}")))
        };
        let of_walls = contacts.iter().filter(|contact| contact.second >= WALL);
        let of_pairs = contacts.iter().filter(|contact| contact.second < WALL);
        let walls = of_walls.clone().count();
        let mut carried = Self::with_room(Actions::default(), contacts.len() - walls, walls);
        let in_order = of_pairs.chain(of_walls);
        for (parcel, contact) in carried.parcels_mut().iter_mut().zip(in_order.clone()) {
            let first = index_of(contact.first)? as u32;
            let second = if contact.second < WALL {
                index_of(contact.second)? as u32
            } else {
                contact.second
            };
            let history = History {
                spring: contact.spring,
                normal_force: contact.normal_force,
                root_overlap: contact.root_overlap,
            };
            *parcel = Parcel::new(first, second, &history);
        }
        let (of_grains, at_walls) = carried.parcels().split_at(carried.pairs);
        let ascending = |parcels: &[Parcel]| parcels.is_sorted_by_key(|parcel| parcel.pair >> 32);
        if !ascending(of_grains) || !ascending(at_walls) {
            let message = "contacts that are not in the order of their particles";
            return Err(Error::Unsupported(message.into()));
        }
        if with_extra {
            let extra = in_order.map(|contact| Extra {
                rolling: contact.rolling.to_array(),
                moment: [0.0; 3],
                adaptive: contact.adaptive,
            });
            carried.extra = extra.collect();
            carried.extra_at = (0..carried.len() as u32).collect();
        }
        Ok(carried)
    }

    fn with_room(mut room: Actions, pairs: usize, walls: usize) -> Self {
        if room.len() < pairs + walls {
            room.resize(pairs + walls);
        }
        Self {
            room,
            pairs,
            walls,
            ..Self::default()
        }
    }

    /// The memory, for what contacts will do.
    pub(crate) fn into_room(self) -> Actions {
        self.room
    }

    /// Number of histories.
    pub(crate) fn len(&self) -> usize {
        self.pairs + self.walls
    }

    fn parcels_mut(&mut self) -> &mut [Parcel] {
        let count = self.len();
        bytemuck::must_cast_slice_mut(&mut self.room[..count])
    }

    fn parcels(&self) -> &[Parcel] {
        bytemuck::must_cast_slice(&self.room[..self.len()])
    }

    /// To look histories up; `origin` says where grains were when they were packed, `None`: where they are.
    pub(crate) fn lookup<'a>(&'a self, origin: Option<&'a [u32]>) -> Lookup<'a> {
        let (pairs, walls) = self.parcels().split_at(self.pairs);
        let moved = origin.map(|origin| Moved {
            origin,
            pair_start: starts(pairs),
            wall_start: starts(walls),
        });
        Lookup {
            carried: self,
            pairs,
            walls,
            moved,
        }
    }

    /// What only some laws need of the history at a place, if any does.
    #[inline]
    fn extra_of(&self, place: usize) -> Option<&Extra> {
        let at = *self.extra_at.get(place)?;
        self.extra.get(at as usize)
    }
}

/// The touching slots of a block.
fn touching_slots(block: &Block) -> impl Iterator<Item = Slot> {
    let touching = block.touching_bits();
    let lanes = (0..WIDTH).filter(move |lane| touching >> lane & 1 == 1);
    lanes.map(|lane| block.slot(lane))
}

/// Where the parcels of each owner start.
fn starts(parcels: &[Parcel]) -> Vec<u32> {
    let owners = parcels.last().map_or(0, |last| last.owner() + 1);
    let mut start = vec![0; owners + 1];
    for (end, parcel) in (1..).zip(parcels) {
        start[parcel.owner() + 1] = end;
    }
    for owner in 0..owners {
        start[owner + 1] = start[owner + 1].max(start[owner]);
    }
    start
}

/// Where grains were, and where the histories of each start.
struct Moved<'a> {
    origin: &'a [u32],
    pair_start: Vec<u32>,
    wall_start: Vec<u32>,
}

/// Finds the histories of pairs.
pub(crate) struct Lookup<'a> {
    carried: &'a Carried,
    pairs: &'a [Parcel],
    walls: &'a [Parcel],
    moved: Option<Moved<'a>>,
}

impl<'a> Lookup<'a> {
    /// For pairs of grains that come in their order, from this one on.
    pub(crate) fn pairs_from(&'a self, first: u32, second: u32) -> Finder<'a> {
        let start = self.moved.as_ref().map(|moved| moved.pair_start.as_slice());
        self.from(self.pairs, 0, start, pair(first, second))
    }

    /// For grains at walls that come in their order, from this one on.
    pub(crate) fn walls_from(&'a self, first: u32, second: u32) -> Finder<'a> {
        let start = self.moved.as_ref().map(|moved| moved.wall_start.as_slice());
        self.from(self.walls, self.pairs.len(), start, pair(first, second))
    }

    fn from(
        &'a self,
        parcels: &'a [Parcel],
        base: usize,
        start: Option<&'a [u32]>,
        pair: u64,
    ) -> Finder<'a> {
        let moved = self.moved.as_ref();
        Finder {
            carried: self.carried,
            parcels,
            base,
            by_owner: moved.map(|moved| moved.origin).zip(start),
            next: parcels.partition_point(|parcel| parcel.pair < pair),
        }
    }
}

/// Finds the histories of some pairs, one after the other.
pub(crate) struct Finder<'a> {
    carried: &'a Carried,
    parcels: &'a [Parcel],
    /// How many histories come before these parcels.
    base: usize,
    /// Where grains were and where the parcels of each start, if they are not where they were.
    by_owner: Option<(&'a [u32], &'a [u32])>,
    /// None of the pairs to come is before this parcel, as long as grains are where they were.
    next: usize,
}

/// A history that was found.
pub(crate) struct Inherited<'a> {
    parcel: &'a Parcel,
    extra: Option<&'a Extra>,
    /// Whether the first grain of the pair is the second now.
    turned: bool,
}

impl Inherited<'_> {
    /// The history, as the first grain of the pair sees it.
    #[inline]
    pub(crate) fn history(&self) -> History {
        let mut history = self.parcel.history();
        if self.turned {
            history.spring = -history.spring;
        }
        history
    }

    /// What only some laws need, if any does.
    pub(crate) fn extra(&self) -> Option<Extra> {
        let mut extra = *self.extra?;
        if self.turned {
            extra.rolling = extra.rolling.map(|x| -x);
        }
        Some(extra)
    }
}

impl<'a> Finder<'a> {
    /// The history of a pair, if it was touching.
    #[inline]
    pub(crate) fn find(&mut self, first: u32, second: u32) -> Option<Inherited<'a>> {
        if let Some((origin, start)) = self.by_owner {
            return self.find_moved(origin, start, first, second);
        }
        // Who is the first of two grains does not change as long as they stay where they are in memory.
        let wanted = pair(first, second);
        while self.parcels.get(self.next)?.pair < wanted {
            self.next += 1;
        }
        (self.parcels[self.next].pair == wanted).then(|| self.inherited(self.next, false))
    }

    /// The same where grains are not where they were.
    fn find_moved(
        &self,
        origin: &[u32],
        start: &[u32],
        first: u32,
        second: u32,
    ) -> Option<Inherited<'a>> {
        let [first, second] =
            [first, second].map(|index| origin.get(index as usize).copied().unwrap_or(index));
        let place_of = |first: u32, second: u32| {
            let wanted = pair(first, second);
            let from = *start.get(first as usize)? as usize;
            let to = *start.get(first as usize + 1)? as usize;
            (from..to).find(|&place| self.parcels[place].pair == wanted)
        };
        if let Some(place) = place_of(first, second) {
            return Some(self.inherited(place, false));
        }
        Some(self.inherited(place_of(second, first)?, true))
    }

    #[inline]
    fn inherited(&self, place: usize, turned: bool) -> Inherited<'a> {
        Inherited {
            parcel: &self.parcels[place],
            extra: self.carried.extra_of(self.base + place),
            turned,
        }
    }
}
