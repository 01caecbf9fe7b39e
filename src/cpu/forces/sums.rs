//! What one evaluation adds up: contacts and energies, in sums that have no order.

use crate::cpu::eight::{Part, Several, WIDTH};
use crate::laws::number::Number;

/// A grid of energies fine enough for a ledger and coarse enough for exact sums.
///
/// Sums of multiples of q are exact in `f64` as long as they stay below 2⁵³ q; exact sums have no
/// order. The rounding of each term is unbiased and 10⁻¹⁵ of the energy of the system.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EnergyQuantum {
    /// 1.5 · 2⁵² q: adding and subtracting it rounds to a multiple of q. Zero: no rounding.
    rounder: f64,
}

impl EnergyQuantum {
    /// A quantum for a system that holds at most about `scale`, a power of two, J.
    pub(crate) fn for_energy(scale: f64) -> Self {
        Self {
            rounder: 1.5 * 4.0 * scale,
        }
    }

    /// The power of two above an energy, so that rounding only cuts bits off; zero for none.
    pub(crate) fn scale_of(energy: f64) -> f64 {
        if energy > 0.0 && energy.is_finite() {
            energy.log2().ceil().exp2()
        } else {
            0.0
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "called per lane of the force loop")]
    pub(crate) fn round<N: Number>(self, energy: N) -> N {
        let rounder = N::all(self.rounder);
        (energy + rounder) - rounder
    }

    /// Adds energies, rounded, to a sum where something is true.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn book<N: Several>(self, sum: &mut N::Register, when: N::Truth, energy: N) {
        *sum = *sum + N::only(when, self.round(energy)).summed();
    }
}

/// What one evaluation adds up.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Sums {
    pub(crate) contacts: u64,
    pub(crate) lost_normal: f64,
    pub(crate) lost_tangential: f64,
    pub(crate) lost_friction: f64,
    pub(crate) lost_rolling: f64,
    pub(crate) gained_mindlin: f64,
    pub(crate) elastic_normal: f64,
    pub(crate) elastic_tangential: f64,
    pub(crate) elastic_rolling: f64,
}

/// [`Sums`] number by number of a register. Every term is rounded to the quantum, so no sum depends on its order.
pub(super) struct LaneSums<N> {
    /// A whole number.
    contacts: N,
    pub(super) lost_normal: N,
    pub(super) lost_tangential: N,
    pub(super) lost_friction: N,
    pub(super) lost_rolling: N,
    pub(super) gained_mindlin: N,
    pub(super) elastic_normal: N,
    pub(super) elastic_tangential: N,
    pub(super) elastic_rolling: N,
}

impl<N: Part> LaneSums<N> {
    pub(super) fn new() -> Self {
        let nothing = N::all(0.0);
        Self {
            contacts: nothing,
            lost_normal: nothing,
            lost_tangential: nothing,
            lost_friction: nothing,
            lost_rolling: nothing,
            gained_mindlin: nothing,
            elastic_normal: nothing,
            elastic_tangential: nothing,
            elastic_rolling: nothing,
        }
    }

    /// Counts contacts that touch.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn count<M: Several<Register = N>>(&mut self, touches: M::Truth) {
        self.contacts = self.contacts + M::only(touches, M::all(1.0)).summed();
    }

    /// Adds all up, to what was added up one by one.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "part of evaluate_pairs, whose tasks are short; far fewer contacts than 2^53"
    )]
    pub(super) fn add_to(self, sums: Sums) -> Sums {
        sums.add(Sums {
            contacts: total(self.contacts) as u64,
            lost_normal: total(self.lost_normal),
            lost_tangential: total(self.lost_tangential),
            lost_friction: total(self.lost_friction),
            lost_rolling: total(self.lost_rolling),
            gained_mindlin: total(self.gained_mindlin),
            elastic_normal: total(self.elastic_normal),
            elastic_tangential: total(self.elastic_tangential),
            elastic_rolling: total(self.elastic_rolling),
        })
    }
}

/// Of numbers that are not rounded by that.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of LaneSums::add_to")]
fn total<N: Part>(sums: N) -> f64 {
    let mut numbers = [0.0; WIDTH];
    sums.put(&mut numbers, 0);
    numbers.iter().sum()
}

impl Sums {
    pub(crate) fn add(mut self, other: Self) -> Self {
        self.contacts += other.contacts;
        self.lost_normal += other.lost_normal;
        self.lost_tangential += other.lost_tangential;
        self.lost_friction += other.lost_friction;
        self.lost_rolling += other.lost_rolling;
        self.gained_mindlin += other.gained_mindlin;
        self.elastic_normal += other.elastic_normal;
        self.elastic_tangential += other.elastic_tangential;
        self.elastic_rolling += other.elastic_rolling;
        self
    }
}
