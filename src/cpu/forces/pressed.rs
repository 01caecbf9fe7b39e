//! Contacts whose normal forces are known: from here on a block can be taken part by part.
//!
//! Until then roots and divisions of all parts are worked out side by side, which processors do in the time of one. Behind them
//! there is little to wait for, and a part at a time finds room in the registers.

use super::ForceContext;
use super::meeting::{Meeting, register_of};
use super::normal::{Acting, Normal};
use super::pairing::Pairing;
use super::sums::LaneSums;
use super::tangential::Tangential;
use crate::cpu::actions::Action;
use crate::cpu::eight::{Lot, Part, WIDTH};
use crate::cpu::slots::Block;
use crate::laws::number::{Number, Vector};
use crate::scene::{ContactLaws, TangentialLaw};

/// Contacts from the `first` of a block on, with their normal forces.
pub(super) struct Pressed<'a, N: Number> {
    pub(super) context: &'a ForceContext<'a>,
    pub(super) laws: &'a ContactLaws,
    pub(super) meeting: Meeting<N>,
    pub(super) acting: Acting<N>,
    pub(super) pairing: Pairing<N>,
    pub(super) normal: Normal<N>,
    /// Springs turned.
    pub(super) carried: Vector<N>,
    pub(super) first: usize,
}

impl<'a, N: Lot> Pressed<'a, N> {
    /// Those of register k.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn register(&self, k: usize) -> Pressed<'a, N::Register> {
        Pressed {
            context: self.context,
            laws: self.laws,
            meeting: self.meeting.register(k),
            acting: self.acting.register(k),
            pairing: self.pairing.register(k),
            normal: self.normal.register(k),
            carried: register_of(self.carried, k),
            first: k * N::Register::COUNT % WIDTH,
        }
    }
}

impl<N: Part> Pressed<'_, N> {
    /// Has them rub, and leaves what they do and remember in memory.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn rub_and_store(
        &self,
        block: &mut Block,
        action: &mut [Action],
        totals: &mut LaneSums<N::Register>,
    ) {
        let tangential = self.rub(block, totals);
        self.store(&tangential, block, action, self.context.past_caches);
    }

    /// Has them rub, and books what that takes.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn rub(&self, block: &Block, totals: &mut LaneSums<N::Register>) -> Tangential<N> {
        let (laws, quantum) = (self.laws, self.context.quantum);
        let touches = self.acting.touches;
        let old_root = N::part_of(&block.root_overlap, self.first);
        let tangential = Tangential::new(self, old_root);
        quantum.book(&mut totals.lost_tangential, touches, tangential.lost);
        if let Some(lost) = tangential.lost_friction {
            quantum.book(&mut totals.lost_friction, touches, lost);
        }
        if laws.tangential == TangentialLaw::Mindlin {
            quantum.book(
                &mut totals.gained_mindlin,
                touches,
                tangential.gained_mindlin,
            );
        }
        tangential
    }
}
