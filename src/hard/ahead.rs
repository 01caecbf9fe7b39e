//! Asking for memory before its events come up.
//!
//! Events jump through memory, and a search reads some twenty lines of cells: in a large system each
//! would wait for memory many times over. But the next events are known: their grains are asked for some events
//! ahead, and then their partners and the cells around them, to which they lead.

use super::HardEngine;
use super::cells::Around;
use super::grain::{Grain, Partner};
use super::lanes::{AnyLanes, Lanes, Processor};
#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2Lanes, Avx512Lanes};
use super::lines::Nearby;
use crate::cpu::fetch::fetch;

/// Events ahead at which their grains are asked for, …
const GRAINS: usize = 24;
/// … their partners, and the lines of the cells around them.
const LINES: usize = 12;

/// Fewer grains than this are in the caches anyway.
const FEWEST: usize = 4096;

impl HardEngine {
    /// Asks for what some of the next events will need.
    #[inline]
    pub(super) fn look_ahead(&self) {
        if self.grains.len() < FEWEST {
            return;
        }
        let to_come = self.queue.to_come();
        if let Some(due) = to_come.get(GRAINS) {
            fetch(&self.grains[due.grain as usize]);
        }
        if let Some(due) = to_come.get(LINES) {
            let grain = &self.grains[due.grain as usize];
            // Else the event no longer holds.
            if grain.event() == due.time {
                self.fetch_surroundings(grain);
            }
        }
    }

    /// Asks for what the next event of a grain will read.
    fn fetch_surroundings(&self, grain: &Grain) {
        if grain.crossing < grain.collision {
            let exit = usize::from(grain.exit);
            let (axis, upwards) = (exit / 2, exit % 2 == 1);
            let mut cell = grain.cell;
            if let Some(there) = self.cells.neighbour(axis, cell[axis], upwards) {
                let lines = self.paths.lines.all();
                fetch(&lines[self.cells.index(cell)]);
                cell[axis] = there;
                fetch(&lines[self.cells.index(cell)]);
                self.fetch_lines(cell, Around::Beyond(exit));
            }
            return;
        }
        if let Partner::Grain(partner) = grain.partner.unpack() {
            fetch(&self.grains[partner as usize]);
        }
        self.fetch_lines(grain.cell, Around::All);
    }

    /// Asks for the lines around a cell, but for further ones.
    fn fetch_lines(&self, cell: [u16; 3], around: Around) {
        match Processor::here() {
            // SAFETY: the processor has it.
            #[cfg(target_arch = "x86_64")]
            Processor::Avx512 => unsafe { self.fetch_lines_avx512(cell, around) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Processor::Avx2 => unsafe { self.fetch_lines_avx2(cell, around) },
            Processor::Any => self.fetch_lines_with::<AnyLanes>(cell, around),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,popcnt,bmi1")]
    fn fetch_lines_avx512(&self, cell: [u16; 3], around: Around) {
        self.fetch_lines_with::<Avx512Lanes>(cell, around);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fetch_lines_avx2(&self, cell: [u16; 3], around: Around) {
        self.fetch_lines_with::<Avx2Lanes>(cell, around);
    }

    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    fn fetch_lines_with<L: Lanes>(&self, cell: [u16; 3], around: Around) {
        let mut nearby = Nearby::new();
        let lines = &self.paths.lines;
        L::list(&mut nearby, &self.cells, lines, cell, around);
        for &line in nearby.lines() {
            fetch(&lines.all()[line as usize]);
        }
    }
}
