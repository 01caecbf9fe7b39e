//! Lists by grain: what belongs to each grain, one after the other in memory.

use rayon::prelude::*;
use std::ops::Range;

/// Tasks for each thread that make lists before those are joined.
const TASKS_PER_ROUND: usize = 8;

/// Grains whose lists one task makes or arranges.
const LISTS_PER_TASK: usize = 1024;

/// A list of numbers for each grain.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lists {
    /// Entries of grain i: `entry[start[i]..start[i + 1]]`.
    start: Vec<u32>,
    entry: Vec<u32>,
}

impl Lists {
    /// Has `list` make lists grain by grain, in the memory of those that were: it adds the entries of a grain and says how many
    /// of them are its head. `head` then says where heads start (see [`Heads`]).
    ///
    /// `list` may keep in `S` what it needs from one grain to the next; what each task had in the end is returned.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "entries are counted in u32"
    )]
    pub(crate) fn list<S: Default + Send>(
        &mut self,
        grains: usize,
        head: &mut Vec<u32>,
        list: impl Fn(usize, &mut Vec<u32>, &mut S) -> u32 + Sync,
    ) -> Vec<S> {
        self.entry.clear();
        for start in [&mut self.start, &mut *head] {
            start.clear();
            start.resize(grains + 1, 0);
        }
        // In rounds: allocators do not give back what many small lists leave behind, and one round
        // takes the place of the other.
        let mut of_tasks = Vec::with_capacity(grains.div_ceil(LISTS_PER_TASK));
        let per_round = TASKS_PER_ROUND * rayon::current_num_threads() * LISTS_PER_TASK;
        let mut heads_before = 0;
        for first in (0..grains).step_by(per_round) {
            let last = (first + per_round).min(grains);
            let mut parts: Vec<Part<'_, S>> = self.start[first + 1..=last]
                .chunks_mut(LISTS_PER_TASK)
                .zip(head[first + 1..=last].chunks_mut(LISTS_PER_TASK))
                .zip((first..).step_by(LISTS_PER_TASK))
                .map(|((end, head_end), first)| Part::new(first, end, head_end))
                .collect();
            parts
                .par_iter_mut()
                .with_max_len(1)
                .for_each(|part| part.list(&list));
            let before = self.entry.len();
            let more: usize = parts.iter().map(|part| part.entry.len()).sum();
            if first == 0 {
                // As many again for all others, and a little more.
                let wanted = more as f64 * (grains as f64 / last as f64) * 1.02;
                self.entry.reserve(wanted as usize);
            }
            self.entry.resize(before + more, 0);
            let mut rest = &mut self.entry[before..];
            let mut base = [before as u32, heads_before];
            let mut joined = Vec::with_capacity(parts.len());
            for part in parts {
                let room = rest.split_off_mut(..part.entry.len()).unwrap_or_default();
                let [_, heads] = part.ends();
                let next = [base[0] + room.len() as u32, base[1] + heads];
                joined.push((part, room, std::mem::replace(&mut base, next)));
            }
            heads_before = base[1];
            let join = |(part, room, base): (Part<'_, S>, &mut [u32], _)| part.join(room, base);
            of_tasks.par_extend(joined.into_par_iter().with_max_len(1).map(join));
        }
        of_tasks
    }

    /// Has `arrange` put the list of each grain in order and say how many of its entries are the head. `head` then says where
    /// heads start.
    pub(crate) fn arrange(
        &mut self,
        head: &mut Vec<u32>,
        arrange: impl Fn(usize, &mut [u32]) -> u32 + Sync,
    ) {
        let start = &self.start;
        head.clear();
        head.resize(start.len(), 0);
        let mut rest = self.entry.as_mut_slice();
        let mut tasks = Vec::with_capacity(start.len().div_ceil(LISTS_PER_TASK));
        for (task, counts) in head[1..].chunks_mut(LISTS_PER_TASK).enumerate() {
            let first = task * LISTS_PER_TASK;
            let length = start[first + counts.len()] - start[first];
            let own = rest.split_off_mut(..length as usize).unwrap_or_default();
            tasks.push((first, own, counts));
        }
        tasks
            .into_par_iter()
            .for_each(|(first, mut entry, counts)| {
                for (grain, count) in (first..).zip(counts) {
                    let length = (start[grain + 1] - start[grain]) as usize;
                    let own = entry.split_off_mut(..length).unwrap_or_default();
                    *count = arrange(grain, own);
                }
            });
        for grain in 1..head.len() {
            head[grain] += head[grain - 1];
        }
    }

    /// Number of entries of all grains.
    pub(crate) fn len(&self) -> usize {
        self.entry.len()
    }

    /// The entries of a grain.
    #[inline]
    pub(crate) fn of(&self, grain: usize) -> &[u32] {
        &self.entry[self.range(grain)]
    }

    fn range(&self, grain: usize) -> Range<usize> {
        self.start[grain] as usize..self.start[grain + 1] as usize
    }
}

/// Lists that one task makes.
struct Part<'a, S> {
    /// The first grain.
    first: usize,
    /// Where the list of each grain ends, and where heads do.
    end: &'a mut [u32],
    head_end: &'a mut [u32],
    entry: Vec<u32>,
    kept: S,
}

impl<'a, S: Default> Part<'a, S> {
    fn new(first: usize, end: &'a mut [u32], head_end: &'a mut [u32]) -> Self {
        Self {
            first,
            end,
            head_end,
            entry: Vec::new(),
            kept: S::default(),
        }
    }

    /// Makes the lists.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "entries are counted in u32"
    )]
    fn list(&mut self, list: impl Fn(usize, &mut Vec<u32>, &mut S) -> u32) {
        let mut heads = 0;
        let ends = self.end.iter_mut().zip(self.head_end.iter_mut());
        for (grain, (end, head_end)) in (self.first..).zip(ends) {
            heads += list(grain, &mut self.entry, &mut self.kept);
            (*end, *head_end) = (self.entry.len() as u32, heads);
        }
    }

    /// How many entries there are, and how many of them are in heads.
    fn ends(&self) -> [u32; 2] {
        let ends = [&self.end, &self.head_end].map(|ends| ends.last().copied());
        ends.map(Option::unwrap_or_default)
    }

    /// Takes the entries to where they belong, behind so many entries and heads of others.
    fn join(self, room: &mut [u32], base: [u32; 2]) -> S {
        room.copy_from_slice(&self.entry);
        for (ends, base) in [self.end, self.head_end].into_iter().zip(base) {
            ends.iter_mut().for_each(|end| *end += base);
        }
        self.kept
    }
}

/// The first few entries of each list, numbered one after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heads<'a> {
    lists: &'a Lists,
    /// Numbers of grain i: `start[i]..start[i + 1]`.
    start: &'a [u32],
}

impl<'a> Heads<'a> {
    pub(crate) fn new(lists: &'a Lists, start: &'a [u32]) -> Self {
        Self { lists, start }
    }

    /// Number of entries of all grains.
    pub(crate) fn len(&self) -> usize {
        self.start.last().map_or(0, |&end| end as usize)
    }

    /// Number of grains.
    pub(crate) fn grains(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// The first entries of a grain.
    #[inline]
    pub(crate) fn of(&self, grain: usize) -> &'a [u32] {
        let count = self.start[grain + 1] - self.start[grain];
        &self.lists.of(grain)[..count as usize]
    }

    /// The number of the first entry of a grain.
    #[inline]
    pub(crate) fn number(&self, grain: usize) -> u32 {
        self.start[grain]
    }

    /// Grains with their entries, from this number on.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    pub(crate) fn from(&self, number: usize) -> impl Iterator<Item = (u32, u32)> + use<'a> {
        let heads = *self;
        let after = self
            .start
            .partition_point(|&start| start as usize <= number);
        let grain = after.saturating_sub(1);
        let skipped = number - self.start.get(grain).map_or(0, |&start| start as usize);
        (grain as u32..)
            .zip(grain..heads.grains())
            .flat_map(move |(index, grain)| {
                heads.of(grain).iter().map(move |&entry| (index, entry))
            })
            .skip(skipped)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation, reason = "small numbers")]
    #![allow(clippy::expect_used, reason = "a test says what it expects")]
    use super::*;

    /// More grains than are listed in a round, twice in the same memory.
    #[test]
    fn lists_of_many_tasks_follow_each_other() {
        const GRAINS: usize = 40_000;
        let entries_of = |grain: usize| (0..grain % 4).map(move |k| (10 * grain + k) as u32);
        let heads_of = |grain: usize| grain % 4 / 2 + usize::from(grain % 4 == 3);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let (mut lists, mut start) = (Lists::default(), Vec::new());
            for _ in 0..2 {
                let counted = pool.as_ref().expect("threads").install(|| {
                    lists.list(GRAINS, &mut start, |grain, entries, counted: &mut usize| {
                        entries.extend(entries_of(grain));
                        *counted += 1;
                        heads_of(grain) as u32
                    })
                });
                assert_eq!(counted.len(), GRAINS.div_ceil(LISTS_PER_TASK));
                assert_eq!(counted.iter().sum::<usize>(), GRAINS);
                let heads = Heads::new(&lists, &start);
                let mut number = 0;
                for grain in 0..GRAINS {
                    assert!(lists.of(grain).iter().copied().eq(entries_of(grain)));
                    let head = entries_of(grain).take(heads_of(grain));
                    assert!(heads.of(grain).iter().copied().eq(head));
                    assert_eq!(heads.number(grain) as usize, number);
                    number += heads_of(grain);
                }
                assert_eq!(heads.len(), number);
            }
        }
    }
}
