//! Coefficients that follow from which grains meet, not from how they meet.

use super::ForceContext;
use super::meeting::Kinds;
use crate::contact::{NormalCoefficients, PairCoefficients};
use crate::cpu::eight::{Eight, Lot, WIDTH};
use crate::laws::material::tangential_reduced_mass;
use crate::laws::number::Truth;
use crate::laws::tangential::mindlin_damping;
use crate::scene::TangentialLaw;
use std::array::from_fn;

/// Coefficients of the contacts of a block, and the sizes, masses and materials that they follow from.
#[derive(Clone, Copy)]
pub(super) struct Pairing<N> {
    pub(super) kinds: Kinds<N>,
    /// Half of `1/m_i` + `1/m_j`, 1/kg: what a force of a contact does to its rate by the instant of the position; zero
    /// while velocities are exact.
    pub(super) mobility: N,
    pub(super) reduced_mass: N,
    pub(super) reduced_radius: N,
    pub(super) normal: NormalCoefficients<N>,
    pub(super) friction: N,
    /// Tangential stiffness, N/m; Mindlin's at unit overlap, N/m^1.5.
    pub(super) tangential_stiffness: N,
    /// Tangential damper, N s/m …
    pub(super) tangential_damping: N,
    /// … and what Mindlin's law adds to it at unit overlap, N s/m^1.25.
    pub(super) mindlin_damping: N,
}

impl<N: Lot> Pairing<N> {
    /// Of the contacts of register k.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn register(&self, k: usize) -> Pairing<N::Register> {
        Pairing {
            kinds: Kinds {
                curvature: self.kinds.curvature.register(k),
                inverse_mass: self.kinds.inverse_mass.register(k),
                row: self.kinds.row.register(k),
            },
            mobility: self.mobility.register(k),
            reduced_mass: self.reduced_mass.register(k),
            reduced_radius: self.reduced_radius.register(k),
            normal: NormalCoefficients {
                stiffness: self.normal.stiffness.register(k),
                damping: self.normal.damping.register(k),
            },
            friction: self.friction.register(k),
            tangential_stiffness: self.tangential_stiffness.register(k),
            tangential_damping: self.tangential_damping.register(k),
            mindlin_damping: self.mindlin_damping.register(k),
        }
    }
}

impl<N: Eight> Pairing<N> {
    /// Of no pair.
    pub(super) fn none() -> Self {
        let nothing = N::all(f64::NAN);
        Self {
            kinds: Kinds {
                curvature: nothing,
                inverse_mass: nothing,
                row: nothing,
            },
            mobility: nothing,
            reduced_mass: nothing,
            reduced_radius: nothing,
            normal: NormalCoefficients {
                stiffness: nothing,
                damping: nothing,
            },
            friction: nothing,
            tangential_stiffness: nothing,
            tangential_damping: nothing,
            mindlin_damping: nothing,
        }
    }

    /// The same for each block of more contacts.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn repeated<M: Lot<Block = N>>(&self) -> Pairing<M> {
        Pairing {
            kinds: Kinds {
                curvature: M::repeated(self.kinds.curvature),
                inverse_mass: M::repeated(self.kinds.inverse_mass),
                row: M::repeated(self.kinds.row),
            },
            mobility: M::repeated(self.mobility),
            reduced_mass: M::repeated(self.reduced_mass),
            reduced_radius: M::repeated(self.reduced_radius),
            normal: NormalCoefficients {
                stiffness: M::repeated(self.normal.stiffness),
                damping: M::repeated(self.normal.damping),
            },
            friction: M::repeated(self.friction),
            tangential_stiffness: M::repeated(self.tangential_stiffness),
            tangential_damping: M::repeated(self.tangential_damping),
            mindlin_damping: M::repeated(self.mindlin_damping),
        }
    }

    /// Whether a block has the pairs of the one before.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn is_of(&self, kinds: &Kinds<N>) -> bool {
        !(self.kinds.curvature.differs(kinds.curvature)
            | self.kinds.inverse_mass.differs(kinds.inverse_mass)
            | self.kinds.row.differs(kinds.row))
        .any()
    }

    /// Works out the coefficients of a block.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn of(context: &ForceContext<'_>, kinds: &Kinds<N>) -> Self {
        let Kinds {
            curvature,
            inverse_mass,
            row,
        } = *kinds;
        let rows = row.to_array();
        let coefficient = |of: fn(&PairCoefficients) -> f64| -> N {
            if rows == [rows[0]; WIDTH] {
                N::all(of(context.model.at(rows[0])))
            } else {
                N::new(&from_fn(|l| of(context.model.at(rows[l]))))
            }
        };
        // One division serves both.
        let both = N::all(1.0) / (inverse_mass * curvature);
        let mass = both * curvature;
        let radius = both * inverse_mass;
        let laws = &context.model.laws;
        // The adaptive law has coefficients for each contact: see `normal`.
        let nothing = NormalCoefficients {
            stiffness: N::all(0.0),
            damping: N::all(0.0),
        };
        let given = coefficient(|pair| pair.tangential_stiffness);
        let (stiffness, per_mass, at_unit_overlap);
        if laws.tangential == TangentialLaw::Mindlin {
            let ratio = coefficient(|pair| pair.tangential_damping_ratio);
            stiffness = given + coefficient(|pair| pair.mindlin_modulus) * radius.root();
            per_mass = N::all(0.0);
            at_unit_overlap = mindlin_damping(ratio, stiffness, mass);
        } else {
            let tangential_mass = tangential_reduced_mass(mass);
            let per = coefficient(|pair| pair.tangential_stiffness_per_mass);
            stiffness = given + per * tangential_mass;
            per_mass = coefficient(|pair| pair.tangential_damping_per_mass) * tangential_mass;
            at_unit_overlap = N::all(0.0);
        }
        Self {
            kinds: *kinds,
            mobility: N::all(if context.starting { 0.0 } else { 0.5 }) * inverse_mass,
            reduced_mass: mass,
            reduced_radius: radius,
            normal: NormalCoefficients::of_pairs(laws.normal, coefficient, mass, radius, nothing),
            friction: coefficient(|pair| pair.friction),
            tangential_stiffness: stiffness,
            tangential_damping: coefficient(|pair| pair.tangential_damping) + per_mass,
            mindlin_damping: at_unit_overlap,
        }
    }
}
