//! The next events of all grains within one epoch, in the order of time, then of a key.
//!
//! An epoch is divided into buckets of about a thousand events. Insertion appends to a bucket, at a cost that
//! does not depend on the number of grains, and to memory that is written one event after the other. Only
//! the bucket that is being worked off is in order: it is sorted when it is opened, and what falls into it
//! later goes to a small heap. Events are never removed: one whose time is no longer that of its grain is
//! dropped when its turn comes (after Paul, *A complexity O(1) priority queue for event driven molecular
//! dynamics simulations*, J. Comput. Phys. 221 (2007) 615).

use super::grain::{NONE, Slot};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Grains for each bucket: few enough that sorting is quick, many enough that there are few buckets.
const GRAINS_PER_BUCKET: usize = 256;

/// Fewest buckets.
const FEWEST_BUCKETS: usize = 16;

/// Events of a bucket that are together in memory: with what follows them, whole cache lines.
const CHUNK: usize = 15;

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
    /// The next chunk of the bucket, or the next unused one.
    next: u32,
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
    #[inline]
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
        let chunk = Chunk {
            events: [first; CHUNK],
            next,
        };
        if self.free == NONE {
            self.chunks.push(chunk);
            #[allow(clippy::cast_possible_truncation, reason = "fewer than 2^32 events")]
            return self.chunks.len() as u32 - 1;
        }
        let index = self.free;
        self.free = self.chunks[index as usize].next;
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
        self.opened += 1;
        self.sorted.clear();
        self.over = 0;
        let mut count = count as usize;
        while chunk != NONE {
            let Chunk { events, next } = &mut self.chunks[chunk as usize];
            self.sorted.extend_from_slice(&events[..count]);
            count = CHUNK;
            (*next, self.free, chunk) = (self.free, chunk, *next);
        }
        self.sorted.sort_unstable();
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
            + (self.sorted.capacity() + self.late.capacity()) * size_of::<Due>()
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
}
