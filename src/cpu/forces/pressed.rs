//! Contacts whose normal forces are known: from here on a block can be taken part by part.
//!
//! Until then roots and divisions of all parts are worked out side by side, which processors do in the time of one. Behind them
//! there is little to wait for, and a part at a time finds room in the registers.

use super::ForceContext;
use super::meeting::{Meeting, part_of};
use super::normal::{Acting, Normal};
use super::pairing::Pairing;
use super::sums::LaneSums;
use super::tangential::Tangential;
use crate::cpu::eight::{Eight, Part};
use crate::cpu::slots::{Action, Block};
use crate::laws::number::Vector;
use crate::scene::{ContactLaws, TangentialLaw};

/// Contacts from the `first` of a block on, with their normal forces.
pub(super) struct Pressed<'a, N: Part> {
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

impl<'a, N: Eight> Pressed<'a, N> {
    /// Those from one on.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_blocks")]
    pub(super) fn part(&self, first: usize) -> Pressed<'a, N::Part> {
        Pressed {
            context: self.context,
            laws: self.laws,
            meeting: self.meeting.part(first),
            acting: self.acting.part(first),
            pairing: self.pairing.part(first),
            normal: self.normal.part(first),
            carried: part_of(self.carried, first),
            first,
        }
    }
}

impl<N: Part> Pressed<'_, N> {
    /// Has them rub, and leaves what they do and remember in memory.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_blocks")]
    pub(super) fn rub_and_store<M: Eight<Sum = N::Sum>>(
        &self,
        block: &mut Block,
        action: &mut [Action],
        totals: &mut LaneSums<M>,
    ) {
        let tangential = self.rub(block, totals);
        self.store(&tangential, block, action);
    }

    /// Has them rub, and books what that takes.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_blocks")]
    pub(super) fn rub<M: Eight<Sum = N::Sum>>(
        &self,
        block: &Block,
        totals: &mut LaneSums<M>,
    ) -> Tangential<N> {
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
