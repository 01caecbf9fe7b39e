//! Asking for memory before its events come up.
//!
//! Events jump through memory, and a search reads some thirty grains: in a large system each would wait
//! for memory many times over. But the next events are known: their grains, cells and neighbours are
//! asked for some events ahead, one after the other, since each leads to the next.

use super::HardEngine;
use super::cells::{Around, Nearby};
use super::grain::{Grain, Partner};
use super::lanes::{AnyLanes, Lanes, Processor};
#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2Lanes, Avx512Lanes};
use crate::cpu::fetch::fetch;

/// Events ahead at which their grains are asked for, …
const GRAINS: usize = 24;
/// … their partners and the cells around them, …
const CELLS: usize = 16;
/// … and the paths of the grains in those.
const PATHS: usize = 8;

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
        if let Some(due) = to_come.get(CELLS) {
            let grain = &self.grains[due.grain as usize];
            self.cells.fetch(grain.cell, around(grain));
            if let Partner::Grain(partner) = grain.partner.unpack()
                && grain.collision < grain.crossing
            {
                fetch(&self.grains[partner as usize]);
            }
        }
        if let Some(due) = to_come.get(PATHS) {
            let grain = &self.grains[due.grain as usize];
            self.fetch_paths(grain);
        }
    }

    /// Asks for the paths that the next search of a grain will read, but for those in chains.
    fn fetch_paths(&self, grain: &Grain) {
        match Processor::here() {
            // SAFETY: the processor has it.
            #[cfg(target_arch = "x86_64")]
            Processor::Avx512 => unsafe { self.fetch_paths_avx512(grain) },
            #[cfg(target_arch = "x86_64")]
            Processor::Avx2 => unsafe { self.fetch_paths_avx2(grain) },
            Processor::Any => self.fetch_paths_with::<AnyLanes>(grain),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,popcnt,bmi1")]
    fn fetch_paths_avx512(&self, grain: &Grain) {
        self.fetch_paths_with::<Avx512Lanes>(grain);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fetch_paths_avx2(&self, grain: &Grain) {
        self.fetch_paths_with::<Avx2Lanes>(grain);
    }

    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    fn fetch_paths_with<L: Lanes>(&self, grain: &Grain) {
        let mut nearby = Nearby::new();
        self.cells.list::<L>(grain.cell, around(grain), &mut nearby);
        for &slot in nearby.slots() {
            fetch(self.paths.of(slot));
        }
    }
}

/// Where the next event of a grain makes it look.
fn around(grain: &Grain) -> Around {
    if grain.crossing < grain.collision {
        Around::Beyond(usize::from(grain.exit))
    } else {
        Around::All
    }
}
