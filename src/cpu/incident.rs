//! For each grain its slots, in the order in which it adds up what they do.

use super::actions::Action;
use super::fetch::fetch_lines;
use super::four::Four;
use super::lists::Heads;
use super::shared::Shared;
use super::slots::Counts;
use rayon::prelude::*;

/// Grains that are taken in an order of their own: few enough for the first cache.
pub(crate) const TOGETHER: usize = 64;

/// How many entries ahead slots are asked for: those of some [`TOGETHER`] grains.
const AHEAD: usize = 8 * TOGETHER;

/// Ranges of grains for each thread, where there is more than one.
const RANGES_PER_THREAD: usize = 4;

/// For each grain its slots, in the order of the partners' ids, walls last: see [`entry_of`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Incident {
    /// Entries of grain i: `entry[start[i]..start[i + 1]]`. They ascend.
    start: Vec<u32>,
    /// Of all grains, and then [`AHEAD`] more.
    entry: Vec<u32>,
    /// Places of all entries are below.
    places: usize,
    /// Which of [`TOGETHER`] grains comes first, second, …: those with fewest slots first.
    ///
    /// A loop over the slots of one grain after the other would end now here, now there, which processors do not foresee.
    order: Vec<u8>,
}

impl Incident {
    /// No slots of so many grains.
    pub(crate) fn none(grains: usize) -> Self {
        Self {
            start: vec![0; grains + 1],
            entry: vec![0; AHEAD],
            ..Self::default()
        }
    }

    /// Lists the slots of pairs of grains and of grains at walls.
    ///
    /// `room` is memory that nobody needs now, one action for each place.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    pub(crate) fn new(
        ids: &[u32],
        pairs: Heads<'_>,
        walls: &[(u32, u32)],
        counts: Counts,
        room: &mut [Action],
    ) -> Self {
        let grains = ids.len();
        let mut start = vec![0; grains + 1];
        let mut order = vec![0; grains];
        let ranges = match rayon::current_num_threads() {
            1 => 1,
            threads => RANGES_PER_THREAD * threads,
        };
        let per_range = grains
            .div_ceil(ranges)
            .next_multiple_of(TOGETHER)
            .max(TOGETHER);
        let slots = Listed {
            ids,
            pairs,
            walls,
            first_wall_place: counts.wall_places().start,
            per_range,
        };
        let mut ranges: Vec<GrainRange<'_>> = start[1..]
            .chunks_mut(per_range)
            .zip(order.chunks_mut(per_range))
            .enumerate()
            .map(|(number, (end, order))| GrainRange {
                first: number * per_range,
                end,
                order,
            })
            .collect();
        let abroad: Vec<Vec<Vec<Slot>>> = ranges
            .par_iter_mut()
            .with_max_len(1)
            .map(|range| range.count(&slots))
            .collect();
        let from_abroad = |number: usize| abroad.iter().flat_map(move |sent| &sent[number]);
        let totals: Vec<usize> = ranges
            .par_iter_mut()
            .with_max_len(1)
            .enumerate()
            .map(|(number, range)| range.add_up(from_abroad(number)))
            .collect();
        let total: usize = totals.iter().sum();
        let places = counts.wall_places().end;
        assert!(
            u32::try_from(total).is_ok() && places <= (u32::MAX / NUMBERS) as usize,
            "more entries than there are numbers for"
        );
        let mut entry = vec![0; total + AHEAD];
        let (mut entries, mut keyed) = (entry.as_mut_slice(), bytemuck::cast_slice_mut(room));
        let mut base = 0;
        let mut tasks = Vec::with_capacity(ranges.len());
        for (number, (range, total)) in ranges.into_iter().zip(totals).enumerate() {
            let entry = entries.split_off_mut(..total).unwrap_or_default();
            let keyed = keyed.split_off_mut(..total).unwrap_or_default();
            tasks.push((number, range, base, entry, keyed));
            base += total as u32;
        }
        tasks
            .into_par_iter()
            .with_max_len(1)
            .for_each(|(number, range, base, entry, keyed)| {
                range.list(&slots, from_abroad(number), base, entry, keyed);
            });
        Self {
            start,
            entry,
            places,
            order,
        }
    }

    /// The same with what the slots do.
    ///
    /// # Panics
    /// If there are fewer actions than slots.
    pub(crate) fn with<'a>(&'a self, action: Shared<'a, Action>) -> Deeds<'a> {
        assert!(self.places <= action.len(), "slots that do nothing");
        Deeds {
            incident: self,
            action,
        }
    }

    /// The places of the slots of a grain, in its order, and whether it is the first or the second of each pair.
    pub(crate) fn of(&self, grain: usize) -> impl Iterator<Item = (usize, usize)> {
        let own = self.start[grain] as usize..self.start[grain + 1] as usize;
        self.entry[own].iter().map(|&entry| place_and_side(entry))
    }

    /// For each place in a row of [`TOGETHER`] grains, which of them is to be taken there.
    pub(crate) fn order(&self) -> &[u8] {
        &self.order
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.start.last().map_or(0, |&end| end as usize)
    }
}

/// Numbers of an action.
#[allow(clippy::cast_possible_truncation, reason = "six")]
const NUMBERS: u32 = (size_of::<Action>() / size_of::<f64>()) as u32;
const _: () = assert!(NUMBERS.is_multiple_of(2), "a bit is left for the side");

/// What a list says of a slot: where the numbers of its action begin, plus 1 where the grain is the second of the pair.
fn entry_of(place: u32, side: u32) -> u32 {
    NUMBERS * place + side
}

/// The place of the slot, and whether the grain is the first or the second of the pair.
fn place_and_side(entry: u32) -> (usize, usize) {
    ((entry / NUMBERS) as usize, (entry & 1) as usize)
}

/// A contact acts on its second grain the other way.
pub(crate) const SIDE: [f64; 2] = [1.0, -1.0];

/// What the slots of each grain do: parts of an [`Incident`], and an action for each of its places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deeds<'a> {
    incident: &'a Incident,
    action: Shared<'a, Action>,
}

impl Deeds<'_> {
    /// Adds up what the slots of a grain do: force and torque; fourth numbers mean nothing.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    pub(crate) fn sum<F: Four>(&self, grain: usize) -> [F; 2] {
        let Incident { start, entry, .. } = self.incident;
        let own = start[grain] as usize..start[grain + 1] as usize;
        let mut force = F::all(0.0);
        let mut torque = F::all(0.0);
        // SAFETY: starts ascend, as `new` has seen that none is too large for its number, and there are so many more entries behind the last.
        let [entries, later] = unsafe {
            let ahead = own.start + AHEAD..own.end + AHEAD;
            [own, ahead].map(|range| entry.get_unchecked(range))
        };
        let numbers = self.action.as_ptr().cast::<f64>();
        for (&entry, &later) in entries.iter().zip(later) {
            // Half of all actions lie in two cache lines.
            let ahead = numbers.wrapping_add(later as usize);
            fetch_lines(ahead);
            fetch_lines(ahead.wrapping_add(NUMBERS as usize - 1));
            // SAFETY: all places of grains have an action of six numbers: these are its first four and its last four.
            let [on_first, twist] = unsafe {
                let action = numbers.add((entry & !1) as usize);
                [0, 2].map(|from| F::new(&*action.add(from).cast::<[f64; 4]>()))
            };
            force = force.plus_exactly(F::all(SIDE[(entry & 1) as usize]), on_first);
            torque = torque + twist;
        }
        [force, torque.first_to_last()]
    }

    /// As [`Incident::of`].
    pub(crate) fn of(&self, grain: usize) -> impl Iterator<Item = (usize, usize)> {
        self.incident.of(grain)
    }

    /// What the slot at a place does.
    pub(crate) fn action(&self, place: usize) -> &Action {
        &self.action[place]
    }

    /// As [`Incident::order`].
    pub(crate) fn order(&self) -> &[u8] {
        self.incident.order()
    }
}

/// What is to be listed.
struct Listed<'a> {
    ids: &'a [u32],
    pairs: Heads<'a>,
    /// Grains and `WALL` + face, in the order of the grains.
    walls: &'a [(u32, u32)],
    first_wall_place: usize,
    /// Grains in each range but the last.
    per_range: usize,
}

/// A slot of two grains.
struct Slot {
    first: u32,
    second: u32,
    place: u32,
}

/// Grains in a row, whose lists one task makes.
///
/// A grain finds the slots of which it is the first among its own; of which it is the second, only among those of others.
/// Nearly all of them are in the same range. The others are sent abroad, so that each range writes to its own lists only.
struct GrainRange<'a> {
    first: usize,
    /// Where each list ends; until that is known, its length and then where its next entry goes.
    end: &'a mut [u32],
    order: &'a mut [u8],
}

impl GrainRange<'_> {
    /// Counts the slots of each grain, and returns by range those whose second grain is not here.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    fn count(&mut self, slots: &Listed<'_>) -> Vec<Vec<Slot>> {
        let ranges = slots.ids.len().div_ceil(slots.per_range);
        let mut abroad: Vec<Vec<Slot>> = (0..ranges).map(|_| Vec::new()).collect();
        let here = self.end.len();
        for offset in 0..here {
            let first = self.first + offset;
            let seconds = slots.pairs.of(first);
            self.end[offset] += seconds.len() as u32;
            for (place, &second) in (slots.pairs.number(first)..).zip(seconds) {
                let offset = (second as usize).wrapping_sub(self.first);
                if offset < here {
                    self.end[offset] += 1;
                } else {
                    abroad[second as usize / slots.per_range].push(Slot {
                        first: first as u32,
                        second,
                        place,
                    });
                }
            }
        }
        for &(grain, _) in self.walls(slots).1 {
            self.end[grain as usize - self.first] += 1;
        }
        abroad
    }

    /// Counts slots from abroad, too. Returns the number of all.
    fn add_up<'a>(&mut self, abroad: impl Iterator<Item = &'a Slot>) -> usize {
        for slot in abroad {
            self.end[slot.second as usize - self.first] += 1;
        }
        self.end.iter().map(|&count| count as usize).sum()
    }

    /// Lists the slots of each grain; the lists start at `base`, and `keyed` is room for as many numbers.
    fn list<'a>(
        self,
        slots: &Listed<'_>,
        abroad: impl Iterator<Item = &'a Slot>,
        base: u32,
        entry: &mut [u32],
        keyed: &mut [u64],
    ) {
        let mut next = 0;
        for end in self.end.iter_mut() {
            next += std::mem::replace(end, next);
        }
        let (wall_place, walls) = self.walls(slots);
        let key = |id: u32, entry: u32| u64::from(id) << 32 | u64::from(entry);
        let here = self.end.len();
        let mut add = |offset: usize, key: u64| {
            let place = &mut self.end[offset];
            keyed[*place as usize] = key;
            *place += 1;
        };
        for slot in abroad {
            let id = slots.ids[slot.first as usize];
            add(
                slot.second as usize - self.first,
                key(id, entry_of(slot.place, 1)),
            );
        }
        for offset in 0..here {
            let first = self.first + offset;
            let id = slots.ids[first];
            for (place, &second) in (slots.pairs.number(first)..).zip(slots.pairs.of(first)) {
                add(offset, key(slots.ids[second as usize], entry_of(place, 0)));
                let offset = (second as usize).wrapping_sub(self.first);
                if offset < here {
                    add(offset, key(id, entry_of(place, 1)));
                }
            }
        }
        for (place, &(grain, wall)) in (wall_place..).zip(walls) {
            add(grain as usize - self.first, key(wall, entry_of(place, 0)));
        }
        let mut start = 0;
        let groups = self.end.chunks_mut(TOGETHER);
        for (ends, order) in groups.zip(self.order.chunks_mut(TOGETHER)) {
            let mut lengths = [0; TOGETHER];
            for (end, length) in ends.iter_mut().zip(&mut lengths) {
                let own = start..*end as usize;
                start = own.end;
                *length = own.len();
                sort(&mut keyed[own.clone()], &mut entry[own]);
                *end += base;
            }
            fewest_first(&lengths[..ends.len()], order);
        }
    }

    /// The slots at walls of these grains, and the place of the first.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    fn walls<'a>(&self, slots: &Listed<'a>) -> (u32, &'a [(u32, u32)]) {
        let from = |grain: usize| {
            slots
                .walls
                .partition_point(|wall| (wall.0 as usize) < grain)
        };
        let own = from(self.first)..from(self.first + self.end.len());
        (
            (slots.first_wall_place + own.start) as u32,
            &slots.walls[own],
        )
    }
}

/// Puts entries in the order of their keys, which are the upper halves of what is given and differ.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the lower half of a key and an entry"
)]
fn sort(keyed: &mut [u64], sorted: &mut [u32]) {
    /// So few that it is fastest to ask of each how many come before it: there is nothing to guess wrong.
    const FEW: usize = 8;
    if keyed.len() > FEW {
        keyed.sort_unstable();
        for (entry, &keyed) in sorted.iter_mut().zip(&*keyed) {
            *entry = keyed as u32;
        }
        return;
    }
    let mut keys = [u32::MAX; FEW];
    for (key, &keyed) in keys.iter_mut().zip(&*keyed) {
        *key = (keyed >> 32) as u32;
    }
    let mut before = [0; FEW];
    for &keyed in &*keyed {
        let key = (keyed >> 32) as u32;
        for (before, &other) in before.iter_mut().zip(&keys) {
            *before += u32::from(key < other);
        }
    }
    for (&keyed, &before) in keyed.iter().zip(&before) {
        sorted[before as usize] = keyed as u32;
    }
}

/// Puts the places of some lengths in order: those with the smallest first, equals as they come.
fn fewest_first(lengths: &[usize], order: &mut [u8]) {
    /// Longer ones are all the same: there are few.
    const LONGEST: usize = 63;
    let mut start = [0; LONGEST + 2];
    for &length in lengths {
        start[length.min(LONGEST) + 1] += 1;
    }
    for length in 0..LONGEST {
        start[length + 1] += start[length];
    }
    for (place, &length) in (0..).zip(lengths) {
        let next = &mut start[length.min(LONGEST)];
        order[*next] = place;
        *next += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::cast_possible_truncation,
        clippy::unwrap_used,
        reason = "small numbers, and threads that start"
    )]
    use super::*;
    use crate::cpu::four::AnyFour;
    use crate::cpu::lists::Lists;
    use crate::cpu::slots::WIDTH;
    use crate::state::WALL;

    const GRAINS: u32 = 1000;

    /// Grains with a few others each, near and far, and with ids in another order.
    fn others(grain: u32) -> impl Iterator<Item = u32> {
        (0..grain * 7 % 11)
            .map(move |k| grain + 1 + k * k * 5)
            .filter(|&other| other < GRAINS)
    }

    fn incident(threads: usize) -> (Vec<u32>, Vec<(u32, u32)>, Incident) {
        let ids: Vec<u32> = (0..GRAINS).map(|grain| grain * 391 % GRAINS).collect();
        let walls: Vec<(u32, u32)> = (0..GRAINS)
            .filter(|grain| grain % 9 == 0)
            .flat_map(|grain| [(grain, WALL), (grain, WALL + 3)])
            .collect();
        let list = |grain: usize, partners: &mut Vec<u32>, (): &mut ()| {
            let known = partners.len();
            partners.extend(others(grain as u32));
            (partners.len() - known) as u32
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let incident = pool.unwrap().install(|| {
            let (mut lists, mut start) = (Lists::default(), Vec::new());
            lists.list(GRAINS as usize, &mut start, list);
            let pairs = Heads::new(&lists, &start);
            let counts = Counts {
                pairs: pairs.len(),
                walls: walls.len(),
            };
            let places = (pairs.len() + walls.len()).next_multiple_of(WIDTH) + WIDTH;
            let mut room = vec![Action::default(); places];
            Incident::new(&ids, pairs, &walls, counts, &mut room)
        });
        (ids, walls, incident)
    }

    #[test]
    fn grains_list_their_slots_by_the_ids_of_their_partners() {
        for threads in [1, 2, 3] {
            let (ids, walls, incident) = incident(threads);
            let mut wanted = vec![Vec::new(); GRAINS as usize];
            let mut place = 0;
            for first in 0..GRAINS {
                for second in others(first) {
                    wanted[first as usize].push((ids[second as usize], (place, 0)));
                    wanted[second as usize].push((ids[first as usize], (place, 1)));
                    place += 1;
                }
            }
            place = usize::next_multiple_of(place, WIDTH);
            for (k, &(grain, wall)) in (place..).zip(&walls) {
                wanted[grain as usize].push((wall, (k, 0)));
            }
            for (grain, wanted) in wanted.iter_mut().enumerate() {
                wanted.sort_unstable();
                let slots = wanted.iter().map(|&(_, slot)| slot);
                assert!(incident.of(grain).eq(slots), "grain {grain}");
            }
        }
    }

    #[test]
    fn grains_with_fewest_slots_come_first_and_none_is_left_out() {
        let (_, _, incident) = incident(2);
        for (first, order) in (0..GRAINS as usize)
            .step_by(TOGETHER)
            .zip(incident.order().chunks(TOGETHER))
        {
            let slots: Vec<usize> = order
                .iter()
                .map(|&offset| incident.of(first + usize::from(offset)).count())
                .collect();
            assert!(slots.is_sorted());
            let mut all = order.to_vec();
            all.sort_unstable();
            assert!(
                (0..)
                    .zip(all)
                    .all(|(place, offset)| place == usize::from(offset))
            );
        }
    }

    /// What [`Deeds::sum`] relies on where it does not look.
    #[test]
    fn lists_end_before_the_last_entries_and_places_are_there() {
        for incident in [incident(1).2, incident(3).2, Incident::none(3)] {
            assert!(incident.start.is_sorted());
            assert_eq!(incident.entry.len(), incident.len() + AHEAD);
            let places = incident.entry.iter().map(|&entry| place_and_side(entry).0);
            assert!(
                places
                    .take(incident.len())
                    .all(|place| place < incident.places)
            );
        }
    }

    #[test]
    fn sums_have_the_order_of_the_entries() {
        let (_, _, incident) = incident(2);
        let action: Vec<Action> = (0..incident.places)
            .map(|place| {
                Action(std::array::from_fn(|k| {
                    (1.0 + place as f64).powi(k as i32 - 4)
                }))
            })
            .collect();
        let deeds = incident.with(Shared::of(&action));
        for grain in 0..GRAINS as usize {
            let mut wanted = [[0.0; 3]; 2];
            for (place, side) in incident.of(grain) {
                let halves: [[f64; 3]; 2] = bytemuck::must_cast(action[place]);
                for k in 0..3 {
                    wanted[0][k] += SIDE[side] * halves[0][k];
                    wanted[1][k] += halves[1][k];
                }
            }
            let sums = deeds.sum::<AnyFour>(grain).map(AnyFour::to_array);
            assert_eq!(sums.map(|[x, y, z, _]| [x, y, z]), wanted);
        }
    }

    #[test]
    #[should_panic(expected = "slots that do nothing")]
    fn slots_without_actions_are_refused() {
        let (_, _, incident) = incident(1);
        incident.with(Shared::of(&[Action::default()]));
    }
}
