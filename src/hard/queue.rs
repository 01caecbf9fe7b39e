//! The next events of all grains within one epoch, in the order of time, then of a key.
//!
//! An epoch is divided into buckets of about a thousand events. Insertion appends to a bucket, at a cost that
//! does not depend on the number of grains, and to memory that is written one event after the other. Only
//! the bucket that is being worked off is in order: it is sorted when it is opened, first by the part of its time that an
//! event falls into, and what falls into it later goes to a small heap. Events are never removed: one whose time is no longer that of its grain is
//! dropped when its turn comes (after Paul, *A complexity O(1) priority queue for event driven molecular
//! dynamics simulations*, J. Comput. Phys. 221 (2007) 615).

use super::grain::{NONE, Slot};
use crate::cpu::fetch::fetch_at;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Grains for each bucket: few enough that sorting is quick, many enough that there are few buckets.
const GRAINS_PER_BUCKET: usize = 256;

/// Fewest buckets.
const FEWEST_BUCKETS: usize = 16;

/// Events of a bucket that are together in memory: with what follows them, whole cache lines.
const CHUNK: usize = 15;

/// How many chunks ahead memory is asked for.
const AHEAD: usize = 4;

/// Parts of the time of a bucket that its events are sorted by first: about as many as there are events.
const PARTS: usize = 1024;

/// Most events of a part that are put in order one after the other.
const MOST_PER_PART: u32 = 32;

/// An event that is about to happen.
///
/// One number, so that events are compared without a branch: the bits of a time that is not negative are in the order
/// of times. Of events at the same instant the smallest id comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due(u128);

impl Due {
    /// * `time` — s of the epoch, not negative
    /// * `id` — [`HardEngine::first_key`](super::HardEngine::first_key)
    #[inline]
    pub(super) fn new(time: f64, id: u32, grain: Slot) -> Self {
        debug_assert!(time.is_sign_positive(), "an event in the last epoch");
        Self(u128::from(time.to_bits()) << 64 | u128::from(id) << 32 | u128::from(grain))
    }

    /// s of the epoch.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "the upper half")]
    pub(super) fn time(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64)
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "the lower quarter")]
    pub(super) fn grain(self) -> Slot {
        self.0 as Slot
    }

    /// Whether both have the same time and id.
    #[inline]
    pub(super) fn is_level_with(self, other: Self) -> bool {
        self.0 >> 32 == other.0 >> 32
    }
}

/// The events of a bucket: in chunks, of which the first may have room.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// First chunk.
    chunk: u32,
    /// Events in it.
    count: u32,
}

const EMPTY: Bucket = Bucket {
    chunk: NONE,
    count: 0,
};

#[derive(Debug, Clone, Copy)]
struct Chunk {
    events: [Due; CHUNK],
    /// The next chunks of the bucket, or first the next unused one.
    next: [u32; AHEAD],
}

const _: () = assert!(size_of::<Chunk>() == 256);

#[derive(Debug, Clone)]
pub(super) struct Queue {
    buckets: Vec<Bucket>,
    chunks: Vec<Chunk>,
    /// First unused chunk.
    free: u32,
    /// Buckets that have been opened.
    opened: usize,
    /// Events of the bucket that was opened last, in order.
    sorted: Vec<Due>,
    /// How many of these are over.
    over: usize,
    /// Events of that bucket as they were announced.
    unsorted: Vec<Due>,
    /// Where the events of each part of its time end.
    ends: Box<[u32; PARTS]>,
    /// Events that were announced for buckets that were open already.
    late: BinaryHeap<Reverse<Due>>,
    buckets_per_second: f64,
    /// End of the epoch, s.
    horizon: f64,
}

impl Queue {
    pub(super) fn new(grains: usize) -> Self {
        Self {
            buckets: vec![EMPTY; (grains / GRAINS_PER_BUCKET).max(FEWEST_BUCKETS)],
            chunks: Vec::new(),
            free: NONE,
            opened: 0,
            sorted: Vec::new(),
            over: 0,
            unsorted: Vec::new(),
            ends: Box::new([0; PARTS]),
            late: BinaryHeap::new(),
            buckets_per_second: 0.0,
            horizon: 0.0,
        }
    }

    /// Empties it for an epoch that ends at `horizon`.
    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 buckets")]
    pub(super) fn begin(&mut self, horizon: f64) {
        self.buckets.fill(EMPTY);
        self.chunks.clear();
        self.free = NONE;
        self.opened = 0;
        self.sorted.clear();
        self.over = 0;
        self.late.clear();
        self.buckets_per_second = self.buckets.len() as f64 / horizon;
        self.horizon = horizon;
    }

    pub(super) fn horizon(&self) -> f64 {
        self.horizon
    }

    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and is bounded"
    )]
    fn bucket(&self, time: f64) -> usize {
        ((time * self.buckets_per_second) as usize).min(self.buckets.len() - 1)
    }

    /// Announces an event. Those beyond the horizon are left out: the next epoch finds them anew.
    #[inline(always)]
    pub(super) fn push(&mut self, due: Due) {
        if due.time() >= self.horizon {
            return;
        }
        let bucket = self.bucket(due.time());
        if bucket < self.opened {
            self.late.push(Reverse(due));
            return;
        }
        let Bucket { chunk, count } = self.buckets[bucket];
        if chunk == NONE || count as usize == CHUNK {
            let chunk = self.new_chunk(chunk, due);
            self.buckets[bucket] = Bucket { chunk, count: 1 };
        } else {
            self.chunks[chunk as usize].events[count as usize] = due;
            self.buckets[bucket].count = count + 1;
        }
    }

    /// A chunk with one event, before another chunk.
    fn new_chunk(&mut self, next: u32, first: Due) -> u32 {
        let mut after = [next; AHEAD];
        if next != NONE {
            after[1..].copy_from_slice(&self.chunks[next as usize].next[..AHEAD - 1]);
        }
        let chunk = Chunk {
            events: [first; CHUNK],
            next: after,
        };
        if self.free == NONE {
            self.chunks.push(chunk);
            #[allow(clippy::cast_possible_truncation, reason = "fewer than 2^32 events")]
            return self.chunks.len() as u32 - 1;
        }
        let index = self.free;
        self.free = self.chunks[index as usize].next[0];
        self.chunks[index as usize] = chunk;
        index
    }

    /// Takes out the earliest event, if it is before `limit`. `current` says when the event of a grain is now.
    ///
    /// `None`: there is none before the limit, or before the horizon.
    #[inline]
    pub(super) fn take_first(&mut self, limit: f64, current: impl Fn(Slot) -> f64) -> Option<Due> {
        loop {
            while let Some((due, late)) = self.earliest() {
                let holds = current(due.grain()) == due.time();
                if holds && due.time() >= limit {
                    return None;
                }
                self.remove(late);
                if holds {
                    return Some(due);
                }
            }
            if self.opened == self.buckets.len() {
                return None;
            }
            #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 buckets")]
            let begins = self.opened as f64 / self.buckets_per_second;
            if begins > limit {
                return None;
            }
            self.open();
        }
    }

    /// The earliest event of the open buckets, whether it still holds or not, and whether it was announced late.
    #[inline]
    fn earliest(&self) -> Option<(Due, bool)> {
        match (self.sorted.get(self.over), self.late.peek()) {
            (Some(&sorted), Some(&Reverse(late))) => Some((sorted.min(late), late < sorted)),
            (Some(&due), None) => Some((due, false)),
            (None, Some(&Reverse(due))) => Some((due, true)),
            (None, None) => None,
        }
    }

    #[inline]
    fn remove(&mut self, late: bool) {
        if late {
            self.late.pop();
        } else {
            self.over += 1;
        }
    }

    /// The earliest event of the open buckets, whether it still holds or not.
    #[inline]
    pub(super) fn peek(&self) -> Option<Due> {
        self.earliest().map(|(due, _)| due)
    }

    /// Removes the earliest event of the open buckets.
    pub(super) fn remove_first(&mut self) {
        if let Some((_, late)) = self.earliest() {
            self.remove(late);
        }
    }

    /// Puts the events of the next bucket in order.
    fn open(&mut self) {
        let Bucket { mut chunk, count } = std::mem::replace(&mut self.buckets[self.opened], EMPTY);
        self.unsorted.clear();
        let mut count = count as usize;
        while chunk != NONE {
            let Chunk { events, next } = self.chunks[chunk as usize];
            fetch_at(&self.chunks, next[AHEAD - 1] as usize);
            self.unsorted.extend_from_slice(&events[..count]);
            count = CHUNK;
            self.chunks[chunk as usize].next[0] = self.free;
            (self.free, chunk) = (chunk, next[0]);
        }
        self.sort();
        self.opened += 1;
        self.over = 0;
    }

    /// Puts the events of the bucket that is being opened in order: where each part of its time begins is counted, and within
    /// parts there is little left to do.
    fn sort(&mut self) {
        #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 buckets")]
        let (scale, start) = (
            self.buckets_per_second * PARTS as f64,
            (self.opened * PARTS) as f64,
        );
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, and is bounded"
        )]
        let part = |due: Due| ((due.time() * scale - start) as usize).min(PARTS - 1);
        self.ends.fill(0);
        for &due in &self.unsorted {
            self.ends[part(due)] += 1;
        }
        let (mut all, mut most) = (0, 0);
        for end in self.ends.iter_mut() {
            most = most.max(*end);
            // Where it begins, so far.
            (*end, all) = (all, all + *end);
        }
        if most > MOST_PER_PART {
            self.sorted.clone_from(&self.unsorted);
            self.sorted.sort_unstable();
            return;
        }
        self.sorted.resize(self.unsorted.len(), Due(0));
        for &due in &self.unsorted {
            let end = &mut self.ends[part(due)];
            self.sorted[*end as usize] = due;
            *end += 1;
        }
        sort_nearly_sorted(&mut self.sorted);
    }

    /// The events of the bucket that was opened last, in order, but for a few that were announced late; and how many of them
    /// are over.
    #[inline]
    pub(super) fn sorted(&self) -> (usize, &[Due]) {
        (self.over, &self.sorted)
    }

    /// Buckets that have been opened in this epoch.
    #[inline]
    pub(super) fn opened(&self) -> usize {
        self.opened
    }

    /// Whether every bucket of the epoch was worked off.
    pub(super) fn is_over(&self) -> bool {
        self.opened == self.buckets.len() && self.peek().is_none()
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket>()
            + self.chunks.capacity() * size_of::<Chunk>()
            + (self.sorted.capacity() + self.unsorted.capacity() + self.late.capacity())
                * size_of::<Due>()
            + size_of_val(&*self.ends)
    }
}

/// Puts events in order that are not far from their places: each is moved down past those that come after it.
fn sort_nearly_sorted(events: &mut [Due]) {
    for from in 1..events.len() {
        let due = events[from];
        let mut to = from;
        while to > 0 && due < events[to - 1] {
            events[to] = events[to - 1];
            to -= 1;
        }
        events[to] = due;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_in_the_order_of_time_then_of_ids() {
        let times = [
            0.0,
            f64::MIN_POSITIVE / 8.0,
            1e-9,
            1.0,
            1.0 + f64::EPSILON,
            f64::INFINITY,
        ];
        let ids = [0, 7, 0x8000_0000, u32::MAX];
        let mut last: Option<Due> = None;
        for time in times {
            for id in ids {
                let due = Due::new(time, id, 5);
                assert_eq!((due.time(), due.grain()), (time, 5));
                assert!(last.is_none_or(|last| last < due), "{time} {id}");
                assert!(due.is_level_with(Due::new(time, id, 6)));
                assert!(last.is_none_or(|last| !last.is_level_with(due)));
                last = Some(due);
            }
        }
    }

    /// Events far ahead, for the bucket that is open, outdated ones and ones at the limit.
    #[test]
    fn events_are_taken_in_order_if_they_hold() {
        let mut queue = Queue::new(1000);
        queue.begin(1.0);
        // Each grain has an event, every third grain another one that no longer holds.
        let time = |grain: Slot| f64::from((grain * 37) % 1000) / 1000.0;
        for grain in 0..1000 {
            queue.push(Due::new(time(grain), grain, grain));
            if grain % 3 == 0 {
                queue.push(Due::new(time(grain) * 0.5 + 1e-6, grain, grain));
            }
        }
        assert_eq!(queue.take_first(0.0, time), None);
        let mut taken = Vec::new();
        while let Some(due) = queue.take_first(0.5, time) {
            taken.push(due.time());
        }
        assert_eq!(taken.len(), 500);
        assert!(taken.is_sorted());
        // For buckets that were opened already, and at the horizon.
        queue.push(Due::new(0.5, 2000, 2000));
        queue.push(Due::new(1.0, 2001, 2001));
        let now = |grain: Slot| if grain < 2000 { time(grain) } else { 0.5 };
        let next = queue
            .take_first(1.0, now)
            .map(|due| (due.time(), due.grain()));
        let first = (0..1000).find(|&grain| time(grain) == 0.5);
        assert_eq!(next, first.map(|grain| (0.5, grain)));
        assert_eq!(queue.take_first(1.0, now).map(Due::grain), Some(2000));
        let mut rest = 0;
        while queue.take_first(1.0, now).is_some() {
            rest += 1;
        }
        assert_eq!(rest, 499);
        assert!(queue.is_over());
    }

    /// Few events and many, spread over a bucket, in one part of it and at one instant.
    #[test]
    fn buckets_are_sorted_however_their_events_are_spread() {
        for (count, spread) in [(10, 1.0), (5000, 1.0), (5000, 1e-4), (5000, 0.0), (20, 0.0)] {
            let mut queue = Queue::new(count as usize);
            queue.begin(1.0);
            let time = |grain: Slot| 0.5 + spread * (f64::from(grain * 7919 % 5003) / 5003.0 - 0.5);
            let id = |grain: Slot| grain * 37 % 5003;
            for grain in 0..count {
                queue.push(Due::new(time(grain), id(grain), grain));
            }
            let mut taken = Vec::new();
            while let Some(due) = queue.take_first(1.0, time) {
                taken.push(due);
            }
            assert_eq!(taken.len(), count as usize);
            assert!(taken.is_sorted(), "{count} within {spread}");
        }
    }
}
