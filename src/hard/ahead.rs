//! Asking for memory before its events come up.
//!
//! Events jump through memory, and a search reads some thirty grains: in a large system each would wait
//! for memory many times over. But the next events are known: their nodes, grains, cells and neighbours
//! are asked for a few buckets ahead, one after the other, since each leads to the next.

use super::HardEngine;
use super::cells::Around;
use super::grain::Partner;
use crate::cpu::fetch::fetch;

/// Buckets ahead at which the events themselves are asked for, …
const NODES: usize = 12;
/// … their grains, …
const GRAINS: usize = 9;
/// … their partners and the cells around them, …
const CELLS: usize = 6;
/// … and the grains in those.
const NEIGHBOURS: usize = 3;

/// Fewer grains than this are in the caches anyway.
const FEWEST: usize = 4096;

impl HardEngine {
    /// Asks for what the buckets after those that are open will need.
    #[inline]
    pub(super) fn look_ahead(&mut self) {
        if self.grains.len() < FEWEST {
            return;
        }
        while self.looked < self.queue.opened() {
            let bucket = self.looked;
            self.looked += 1;
            self.queue.fetch(bucket + NODES);
            self.queue.visit(bucket + GRAINS, |slot| {
                fetch(&self.grains[slot as usize]);
            });
            self.queue.visit(bucket + CELLS, |slot| {
                let grain = &self.grains[slot as usize];
                self.cells.fetch(grain.cell);
                if let Partner::Grain(partner) = grain.partner.unpack()
                    && grain.collision < grain.crossing
                {
                    fetch(&self.grains[partner as usize]);
                }
            });
            self.queue.visit(bucket + NEIGHBOURS, |slot| {
                let grain = &self.grains[slot as usize];
                let around = if grain.crossing < grain.collision {
                    Around::Beyond(usize::from(grain.exit))
                } else {
                    Around::All
                };
                self.cells.visit_nearby(grain.cell, around, |_, head| {
                    if let Some(grain) = self.grains.get(head as usize) {
                        fetch(&grain.position);
                    }
                });
            });
        }
    }
}
