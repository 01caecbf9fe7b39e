//! What contacts do to grains, as the integrator asks for it: grain by grain.

use super::eight::WIDTH;
use super::four::Four;
use super::incident::{Deeds, SIDE};
use super::shared::Shared;
use super::slots::{Block, Extra, Phase};
use glam::DVec3;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the slots of each grain do. Those of grains that nobody asks for may be evaluated meanwhile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effects<'a> {
    pub(crate) deeds: Deeds<'a>,
    pub(crate) block: Shared<'a, Block>,
    /// One for each place if a law needs it, else empty.
    pub(crate) extra: Shared<'a, Extra>,
    /// See [`Beginnings`](super::beginnings::Beginnings), as for the next.
    pub(crate) concerned: &'a [AtomicBool],
    pub(crate) shift: Shared<'a, [f64; WIDTH]>,
}

impl Effects<'_> {
    /// Force and torque on a grain; fourth numbers mean nothing.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    pub(crate) fn sum<F: Four>(&self, grain: usize) -> [F; 2] {
        self.deeds.sum(grain)
    }

    /// Whether the grain has a contact that has just begun.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    pub(crate) fn has_begun(&self, grain: usize) -> bool {
        self.concerned[grain].load(Ordering::Relaxed)
    }

    /// How far the contacts of a grain that have just begun would shift a unit mass, kg m.
    #[cold]
    pub(crate) fn shift(&self, grain: usize) -> DVec3 {
        let mut shift = DVec3::ZERO;
        for (place, side) in self.deeds.of(grain) {
            let (block, lane) = (place / WIDTH, place % WIDTH);
            if self.block[block].slot(lane).phase == Phase::Begun {
                let force = SIDE[side] * self.deeds.action(place).force();
                shift += self.shift[block][lane] * force;
            }
        }
        shift
    }

    /// Whether contacts have rolling moments.
    #[inline]
    pub(crate) fn have_moments(&self) -> bool {
        self.extra.len() > 0
    }

    /// Rolling moment of the contacts of a grain, N m.
    pub(crate) fn moment(&self, grain: usize) -> DVec3 {
        let mut moment = DVec3::ZERO;
        for (place, side) in self.deeds.of(grain) {
            moment += SIDE[side] * DVec3::from_array(self.extra[place].moment);
        }
        moment
    }
}
