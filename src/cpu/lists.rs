//! Lists by grain: what belongs to each grain, one after the other in memory.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Tasks for each thread that make lists before those are joined.
const TASKS_PER_ROUND: usize = 8;

/// Visits that one task makes.
const VISITS_PER_TASK: usize = 256;

/// Grains whose lists one task makes or sorts.
const LISTS_PER_TASK: usize = 1024;

/// Takes a grain and one entry of its list.
pub(crate) type Emit<'a> = dyn Fn(u32, u32) + Sync + 'a;

/// A list of numbers for each grain.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lists {
    /// Entries of grain i: `entry[start[i]..start[i + 1]]`.
    start: Vec<u32>,
    entry: Vec<u32>,
}

impl Lists {
    /// Collects the entries that `visit` emits for any grain, sorted by `key` for each grain.
    ///
    /// `visit` is called twice for each of `0..visits`: once to count and once to fill, so that
    /// nothing has to be kept in between. Several threads emit in any order; keys that differ within
    /// a grain make the outcome one.
    pub(crate) fn sorted(
        grains: usize,
        visits: usize,
        visit: impl Fn(usize, &Emit<'_>) + Sync,
        key: impl Fn(u32) -> u32 + Sync,
    ) -> Self {
        let visit_all = |emit: &Emit<'_>| {
            let each = (0..visits).into_par_iter().with_min_len(VISITS_PER_TASK);
            each.for_each(|index| visit(index, emit));
        };
        let place: Vec<AtomicU32> = (0..grains).map(|_| AtomicU32::new(0)).collect();
        // Nobody else takes places where there is one thread, which then need not shut others out.
        let alone = rayon::current_num_threads() == 1;
        let take_place = |grain: u32| {
            let place = &place[grain as usize];
            if alone {
                let taken = place.load(Ordering::Relaxed);
                place.store(taken + 1, Ordering::Relaxed);
                taken
            } else {
                place.fetch_add(1, Ordering::Relaxed)
            }
        };
        visit_all(&|grain, _| {
            take_place(grain);
        });
        let mut start = vec![0; grains + 1];
        for grain in 0..grains {
            let count = place[grain].load(Ordering::Relaxed);
            start[grain + 1] = start[grain] + count;
            place[grain].store(start[grain], Ordering::Relaxed);
        }
        let entry: Vec<AtomicU32> = (0..start[grains]).map(|_| AtomicU32::new(0)).collect();
        visit_all(&|grain, value| {
            entry[take_place(grain) as usize].store(value, Ordering::Relaxed);
        });
        let mut lists = Self {
            start,
            entry: entry.into_iter().map(AtomicU32::into_inner).collect(),
        };
        lists.sort(key);
        lists
    }

    /// Lists that `list` makes grain by grain, in its order.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "entries are counted in u32"
    )]
    pub(crate) fn by_grain(grains: usize, list: impl Fn(usize, &mut Vec<u32>) + Sync) -> Self {
        let mut lists = Self {
            start: Vec::with_capacity(grains + 1),
            entry: Vec::new(),
        };
        lists.start.push(0);
        // In rounds: allocators do not give back what many small lists leave behind, and one round
        // takes the place of the other.
        let per_round = TASKS_PER_ROUND * rayon::current_num_threads() * LISTS_PER_TASK;
        for round in (0..grains).step_by(per_round) {
            let last = (round + per_round).min(grains);
            let tasks: Vec<usize> = (round..last).step_by(LISTS_PER_TASK).collect();
            let parts: Vec<(Vec<u32>, Vec<u32>)> = tasks
                .into_par_iter()
                .map(|first| {
                    let (mut end, mut entry) = (Vec::new(), Vec::new());
                    for grain in first..(first + LISTS_PER_TASK).min(last) {
                        list(grain, &mut entry);
                        end.push(entry.len() as u32);
                    }
                    (end, entry)
                })
                .collect();
            for (end, entry) in parts {
                let base = lists.entry.len() as u32;
                lists.start.extend(end.into_iter().map(|end| base + end));
                lists.entry.extend(entry);
            }
            if round == 0 {
                // As many again for all others, and a little more.
                let wanted = lists.entry.len() as f64 * (grains as f64 / last as f64) * 1.02;
                lists.entry.reserve(wanted as usize - lists.entry.len());
            }
        }
        lists
    }

    /// Nothing for any grain.
    pub(crate) fn empty(grains: usize) -> Self {
        Self {
            start: vec![0; grains + 1],
            entry: Vec::new(),
        }
    }

    /// Sorts the entries of each grain by `key`.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the lower half of a key and an entry"
    )]
    fn sort(&mut self, key: impl Fn(u32) -> u32 + Sync) {
        let start = &self.start;
        let grains = start.len() - 1;
        let mut rest = self.entry.as_mut_slice();
        let mut tasks = Vec::with_capacity(grains.div_ceil(LISTS_PER_TASK));
        for first in (0..grains).step_by(LISTS_PER_TASK) {
            let last = (first + LISTS_PER_TASK).min(grains);
            let (head, tail) = rest.split_at_mut((start[last] - start[first]) as usize);
            tasks.push((first..last, head));
            rest = tail;
        }
        tasks.into_par_iter().for_each(|(range, entry)| {
            let base = start[range.start];
            let mut keyed: Vec<u64> = Vec::new();
            for grain in range {
                let own = (start[grain] - base) as usize..(start[grain + 1] - base) as usize;
                let entry = &mut entry[own];
                // A key takes longer to look up than to compare: each is looked up once.
                keyed.clear();
                keyed.extend(
                    entry
                        .iter()
                        .map(|&value| u64::from(key(value)) << 32 | u64::from(value)),
                );
                keyed.sort_unstable();
                for (entry, &keyed) in entry.iter_mut().zip(&keyed) {
                    *entry = keyed as u32;
                }
            }
        });
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

    /// The entries of a grain and all later ones; none if there is no such grain.
    #[inline]
    pub(crate) fn from(&self, grain: usize) -> &[u32] {
        let start = self.start.get(grain).map(|&start| start as usize);
        &self.entry[start.unwrap_or(self.entry.len())..]
    }

    fn range(&self, grain: usize) -> Range<usize> {
        self.start[grain] as usize..self.start[grain + 1] as usize
    }
}
