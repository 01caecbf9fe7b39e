//! The next events of all grains within one epoch, in the order of time, then of ids.
//!
//! The epoch is cut into as many buckets as there are grains or more, so that each holds a few events
//! and both insertion and removal take a time that does not depend on the number of grains. Only the
//! bucket that is being worked off is in order, in a small heap. Events are never removed: one whose
//! time is no longer that of its grain is dropped when its turn comes (after Paul, *A complexity O(1)
//! priority queue for event driven molecular dynamics simulations*, J. Comput. Phys. 221 (2007) 615).

use super::grain::{NONE, Slot};
use crate::cpu::fetch::fetch;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Fewest buckets.
const FEWEST_BUCKETS: usize = 64;

/// An event of a bucket.
#[derive(Debug, Clone, Copy)]
struct Node {
    time: f64,
    grain: Slot,
    next: u32,
}

/// An event that is about to happen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Due {
    /// s of the epoch.
    pub(super) time: f64,
    /// Id of the grain: ties are broken by it, so that the order in memory does not matter.
    pub(super) id: u32,
    pub(super) grain: Slot,
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    /// The greatest is the earliest, since the heap of the standard library gives the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .time
            .total_cmp(&self.time)
            .then(other.id.cmp(&self.id))
    }
}

#[derive(Debug, Clone)]
pub(super) struct Queue {
    /// First event of each bucket.
    heads: Vec<u32>,
    nodes: Vec<Node>,
    /// First unused node.
    free: u32,
    /// Buckets whose events have been moved to `due`.
    opened: usize,
    /// Events of the opened buckets.
    due: BinaryHeap<Due>,
    buckets_per_second: f64,
    /// End of the epoch, s.
    horizon: f64,
}

impl Queue {
    pub(super) fn new(grains: usize) -> Self {
        let buckets = grains.max(FEWEST_BUCKETS);
        Self {
            heads: vec![NONE; buckets],
            nodes: Vec::with_capacity(grains + grains / 2),
            free: NONE,
            opened: 0,
            due: BinaryHeap::new(),
            buckets_per_second: 0.0,
            horizon: 0.0,
        }
    }

    /// Empties it for an epoch that ends at `horizon`.
    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 buckets")]
    pub(super) fn begin(&mut self, horizon: f64) {
        self.heads.fill(NONE);
        self.nodes.clear();
        self.free = NONE;
        self.opened = 0;
        self.due.clear();
        self.buckets_per_second = self.heads.len() as f64 / horizon;
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
        ((time * self.buckets_per_second) as usize).min(self.heads.len() - 1)
    }

    /// Announces an event. Those beyond the horizon are left out: the next epoch finds them anew.
    #[inline]
    pub(super) fn push(&mut self, due: Due) {
        if due.time >= self.horizon {
            return;
        }
        let bucket = self.bucket(due.time);
        if bucket < self.opened {
            self.due.push(due);
            return;
        }
        let node = Node {
            time: due.time,
            grain: due.grain,
            next: self.heads[bucket],
        };
        if self.free == NONE {
            #[allow(clippy::cast_possible_truncation, reason = "fewer than 2^32 events")]
            let index = self.nodes.len() as u32;
            self.nodes.push(node);
            self.heads[bucket] = index;
        } else {
            let index = self.free;
            self.free = self.nodes[index as usize].next;
            self.nodes[index as usize] = node;
            self.heads[bucket] = index;
        }
    }

    /// The earliest event before `limit`, which stays in the queue. `current` says which id a grain has
    /// and when its event is now.
    ///
    /// `None`: there is none before the limit, or before the horizon.
    pub(super) fn first(
        &mut self,
        limit: f64,
        current: impl Fn(Slot) -> (u32, f64),
    ) -> Option<Due> {
        loop {
            while let Some(due) = self.due.peek() {
                if current(due.grain).1 == due.time {
                    return (due.time < limit).then_some(*due);
                }
                self.due.pop();
            }
            if self.opened == self.heads.len() {
                return None;
            }
            #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 buckets")]
            let begins = self.opened as f64 / self.buckets_per_second;
            if begins > limit {
                return None;
            }
            self.open(&current);
        }
    }

    /// Removes the event that [`first`](Self::first) gave.
    #[inline]
    pub(super) fn remove_first(&mut self) {
        self.due.pop();
    }

    /// Moves the events of the next bucket to the heap.
    fn open(&mut self, current: &impl Fn(Slot) -> (u32, f64)) {
        let mut index = std::mem::replace(&mut self.heads[self.opened], NONE);
        self.opened += 1;
        while index != NONE {
            let Node { time, grain, next } = self.nodes[index as usize];
            self.nodes[index as usize].next = self.free;
            self.free = index;
            index = next;
            let (id, now) = current(grain);
            if now == time {
                self.due.push(Due { time, id, grain });
            }
        }
    }

    /// Buckets that were opened in this epoch.
    #[inline]
    pub(super) fn opened(&self) -> usize {
        self.opened
    }

    /// Visits the grains of a bucket that is to be opened; nothing if there is no such bucket.
    #[inline]
    pub(super) fn visit(&self, bucket: usize, mut visit: impl FnMut(Slot)) {
        let mut index = self.heads.get(bucket).copied().unwrap_or(NONE);
        while index != NONE {
            let node = &self.nodes[index as usize];
            visit(node.grain);
            index = node.next;
        }
    }

    /// Asks for the first event of a bucket.
    #[inline]
    pub(super) fn fetch(&self, bucket: usize) {
        if let Some(&index) = self.heads.get(bucket)
            && let Some(node) = self.nodes.get(index as usize)
        {
            fetch(node);
        }
    }

    /// Whether every bucket of the epoch was worked off.
    pub(super) fn is_over(&self) -> bool {
        self.opened == self.heads.len() && self.due.is_empty()
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<u32>()
            + self.nodes.capacity() * size_of::<Node>()
            + self.due.capacity() * size_of::<Due>()
    }
}
