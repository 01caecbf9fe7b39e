//! What one evaluation adds up: contacts and energies, in sums that have no order.

use super::ForceContext;
use super::lanes::{Lane, Lanes, WIDTH};
use crate::scene::RollingLaw;

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
    pub(crate) fn round(self, energy: f64) -> f64 {
        (energy + self.rounder) - self.rounder
    }
}

/// What one evaluation adds up.
#[derive(Debug, Clone, Copy, Default)]
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

/// [`Sums`] lane by lane. Every term is rounded to the quantum, so no sum depends on its order.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(super) struct LaneSums {
    contacts: Lane,
    pub(super) lost_normal: Lane,
    pub(super) lost_tangential: Lane,
    lost_friction: Lane,
    lost_rolling: Lane,
    gained_mindlin: Lane,
    elastic_normal: Lane,
    elastic_tangential: Lane,
    elastic_rolling: Lane,
}

impl LaneSums {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_any")]
    pub(super) fn add(&mut self, lanes: &Lanes, context: &ForceContext<'_>) {
        let quantum = context.quantum;
        // Places that no slot takes may hold anything.
        let of_contact = |l: usize, energy: &Lane| {
            if lanes.touches[l] != 0.0 {
                quantum.round(energy[l])
            } else {
                0.0
            }
        };
        for l in 0..WIDTH {
            self.contacts[l] += lanes.touches[l];
            self.lost_normal[l] += of_contact(l, &lanes.lost_normal);
            self.lost_tangential[l] += of_contact(l, &lanes.lost_tangential);
            self.lost_friction[l] += of_contact(l, &lanes.lost_friction);
            self.gained_mindlin[l] += of_contact(l, &lanes.gained_mindlin);
        }
        if context.model.laws.rolling != RollingLaw::None {
            for l in 0..WIDTH {
                self.lost_rolling[l] += of_contact(l, &lanes.lost_rolling);
            }
        }
        if context.measure {
            for l in 0..WIDTH {
                self.elastic_normal[l] += of_contact(l, &lanes.elastic_normal);
                self.elastic_tangential[l] += of_contact(l, &lanes.elastic_tangential);
                self.elastic_rolling[l] += of_contact(l, &lanes.elastic_rolling);
            }
        }
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of contacts"
    )]
    pub(super) fn sums(&self) -> Sums {
        let sum = |lane: &Lane| lane.iter().sum::<f64>();
        Sums {
            contacts: sum(&self.contacts) as u64,
            lost_normal: sum(&self.lost_normal),
            lost_tangential: sum(&self.lost_tangential),
            lost_friction: sum(&self.lost_friction),
            lost_rolling: sum(&self.lost_rolling),
            gained_mindlin: sum(&self.gained_mindlin),
            elastic_normal: sum(&self.elastic_normal),
            elastic_tangential: sum(&self.elastic_tangential),
            elastic_rolling: sum(&self.elastic_rolling),
        }
    }
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
