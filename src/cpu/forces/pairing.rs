//! Coefficients that follow from which grains meet, not from how they meet.

use super::ForceContext;
use super::meeting::Kinds;
use crate::contact::{NormalCoefficients, PairCoefficients};
use crate::cpu::eight::{Eight, WIDTH};
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

    /// Of the contacts of a block from one on.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_blocks")]
    pub(super) fn part(&self, first: usize) -> Pairing<N::Part> {
        Pairing {
            kinds: Kinds {
                curvature: self.kinds.curvature.part(first),
                inverse_mass: self.kinds.inverse_mass.part(first),
                row: self.kinds.row.part(first),
            },
            mobility: self.mobility.part(first),
            reduced_mass: self.reduced_mass.part(first),
            reduced_radius: self.reduced_radius.part(first),
            normal: NormalCoefficients {
                stiffness: self.normal.stiffness.part(first),
                damping: self.normal.damping.part(first),
            },
            friction: self.friction.part(first),
            tangential_stiffness: self.tangential_stiffness.part(first),
            tangential_damping: self.tangential_damping.part(first),
            mindlin_damping: self.mindlin_damping.part(first),
        }
    }

    /// Whether a block has the pairs of the one before.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_blocks")]
    pub(super) fn is_of(&self, kinds: &Kinds<N>) -> bool {
        !(self.kinds.curvature.differs(kinds.curvature)
            | self.kinds.inverse_mass.differs(kinds.inverse_mass)
            | self.kinds.row.differs(kinds.row))
        .any()
    }

    /// Works out the coefficients of a block.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_blocks")]
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
