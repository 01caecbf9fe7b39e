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
    /// `list` may keep in `S` what it needs from one grain to the next.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "entries are counted in u32"
    )]
    pub(crate) fn list<S: Default>(
        &mut self,
        grains: usize,
        head: &mut Vec<u32>,
        list: impl Fn(usize, &mut Vec<u32>, &mut S) -> u32 + Sync,
    ) {
        for values in [&mut self.start, &mut self.entry, head] {
            values.clear();
        }
        for start in [&mut self.start, head] {
            start.reserve(grains + 1);
            start.push(0);
        }
        // In rounds: allocators do not give back what many small lists leave behind, and one round
        // takes the place of the other.
        let per_round = TASKS_PER_ROUND * rayon::current_num_threads() * LISTS_PER_TASK;
        for round in (0..grains).step_by(per_round) {
            let last = (round + per_round).min(grains);
            let tasks: Vec<usize> = (round..last).step_by(LISTS_PER_TASK).collect();
            let parts: Vec<(Vec<u32>, Vec<[u32; 2]>)> = tasks
                .into_par_iter()
                .with_max_len(1)
                .map(|first| {
                    let grains = first..(first + LISTS_PER_TASK).min(last);
                    let mut kept = S::default();
                    let mut ends = Vec::with_capacity(grains.len());
                    let (mut entry, mut heads) = (Vec::new(), 0);
                    for grain in grains {
                        heads += list(grain, &mut entry, &mut kept);
                        ends.push([entry.len() as u32, heads]);
                    }
                    (entry, ends)
                })
                .collect();
            for (entry, ends) in parts {
                let base = [self.entry.len() as u32, head[head.len() - 1]];
                self.start.extend(ends.iter().map(|end| base[0] + end[0]));
                head.extend(ends.iter().map(|end| base[1] + end[1]));
                self.entry.extend(entry);
            }
            if round == 0 {
                // As many again for all others, and a little more.
                let wanted = self.entry.len() as f64 * (grains as f64 / last as f64) * 1.02;
                self.entry.reserve(wanted as usize - self.entry.len());
            }
        }
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
