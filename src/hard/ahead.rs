//! Asking for memory before its events come up.
//!
//! Events jump through memory, and a search reads some twenty lines of cells: in a large system each
//! would wait for memory many times over. But the next events are known: their grains are asked for some events
//! ahead, and then their partners and the cells around them, to which they lead. That is done in the midst of an event, while
//! its suspects are on their way from memory: so neither waits for the other.

use super::HardEngine;
use super::grain::{Grain, Partner};
use super::nearby::Nearby;
use super::occupancy::Around;
use crate::cpu::fetch::{fetch, fetch_at};

/// Events ahead at which what tells whether they still hold is asked for, …
const GRAINS: usize = 24;
/// … and, if they do, the rest of their grains, their partners, and the lines of the cells around them.
const LINES: usize = 12;

/// Fewer grains than this are in the caches anyway.
const FEWEST: usize = 4096;

/// How far ahead has been asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    /// Buckets that were open then.
    opened: usize,
    /// Events of the last of these whose grains, …
    grains: usize,
    /// … and whose partners and surroundings were asked for.
    lines: usize,
}

impl HardEngine {
    /// Asks for what some of the next events will need. Events that no longer hold are passed over several at a time, so it
    /// is not always one more.
    #[inline(always)]
    pub(super) fn look_ahead(&mut self) {
        if self.grains.len() < FEWEST {
            return;
        }
        let opened = self.queue.opened();
        if self.asked.opened != opened {
            self.asked = Asked {
                opened,
                ..Asked::default()
            };
        }
        let (over, sorted) = self.queue.sorted();
        let mut asked = self.asked;
        while asked.grains < sorted.len().min(over + GRAINS) {
            fetch(&self.grains[sorted[asked.grains].grain() as usize].event);
            asked.grains += 1;
        }
        asked.lines = asked.lines.max(over);
        while asked.lines < sorted.len().min(over + LINES) {
            let due = sorted[asked.lines];
            let grain = &self.grains[due.grain() as usize];
            // Else the event no longer holds.
            if grain.event == due.time() {
                self.fetch_surroundings(grain);
            }
            asked.lines += 1;
        }
        self.asked = asked;
    }

    /// Asks for what the next event of a grain will read.
    #[inline(always)]
    fn fetch_surroundings(&self, grain: &Grain) {
        let (mut cell, mut around) = (grain.cell, Around::ALL);
        fetch(&grain.position);
        if grain.leaves {
            let exit = usize::from(grain.exit);
            let (axis, upwards) = (exit / 2, exit % 2 == 1);
            let Some(there) = self.cells.neighbour(axis, cell[axis], upwards) else {
                return;
            };
            let lines = self.paths.lines.all();
            fetch_at(lines, self.cells.index(cell));
            cell[axis] = there;
            fetch_at(lines, self.cells.index(cell));
            around = Around::beyond(exit);
        } else if let Partner::Grain(partner) = grain.partner.unpack() {
            fetch_at(&self.grains, partner as usize);
        }
        self.fetch_lines(&Nearby::look(&self.paths.lines, cell, around));
    }

    /// Asks for the lines around a cell, but for further ones.
    #[inline(always)]
    pub(super) fn fetch_lines(&self, nearby: &Nearby<'_>) {
        if self.grains.len() < FEWEST {
            return;
        }
        let lines = self.paths.lines.all();
        nearby.each_line(|line| fetch_at(lines, line as usize));
    }
}
