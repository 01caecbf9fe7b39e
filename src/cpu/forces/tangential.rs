//! Tangential force: sliding friction, with or without a spring.

use super::ForceContext;
use super::lanes::{Lanes, WIDTH, set_vector, vector};
use crate::contact::PairCoefficients;
use crate::cpu::slots::Slot;
use crate::laws::material::tangential_reduced_mass;
use crate::laws::tangential;
use crate::scene::TangentialLaw;

/// Sliding friction without memory.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn coulomb<'a>(
    lanes: &mut Lanes,
    context: &ForceContext<'_>,
    pair: impl Fn(usize) -> &'a PairCoefficients,
) {
    for l in 0..WIDTH {
        let slip = vector(&lanes.slip, l);
        let limit = tangential::coulomb_limit(pair(l).friction, lanes.pressing[l]);
        let stopping = tangential_reduced_mass(lanes.reduced_mass[l]) / context.time_step;
        let force = lanes.touches[l] * tangential::coulomb_force(slip, limit, stopping);
        set_vector(&mut lanes.tangential_force, l, force);
        lanes.lost_friction[l] = -force.dot(slip) * lanes.window[l];
    }
}

/// Tangential spring and dashpot with a slider.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn slider<'a>(
    lanes: &mut Lanes,
    law: TangentialLaw,
    pair: impl Fn(usize) -> &'a PairCoefficients,
) {
    for l in 0..WIDTH {
        let slip = vector(&lanes.slip, l);
        let limit = tangential::coulomb_limit(pair(l).friction, lanes.pressing[l]);
        let acts = lanes.touches[l];
        let window = lanes.window[l];
        let (stiffness, damping) = tangential_coefficients(lanes, l, law, pair(l));
        // The stored spring belongs to half a step before this instant (zero at a beginning).
        let advance = 0.5 * window * slip;
        let carried =
            tangential::transport_spring(vector(&lanes.spring, l), vector(&lanes.normal, l));
        let stretched = carried + advance;
        let result = if law == TangentialLaw::Linear {
            tangential::linear_slider_force(stiffness, damping, stretched, slip, limit)
        } else {
            tangential::mindlin_slider_force(stiffness, damping, stretched, slip, limit)
        };
        set_vector(&mut lanes.tangential_force, l, acts * result.force);
        set_vector(&mut lanes.spring, l, result.spring + advance);
        let scale = acts * window;
        let lost_tangential = -scale * result.damping_force.dot(slip);
        // Of the work against the slip, what neither the dashpot nor the spring took: the spring
        // goes from ξ − h to ξ_c + h in this kick, with h half a step of slip and ξ_c what the
        // slider leaves of ξ.
        let slid = stretched - result.spring;
        let undamped = result.force + stiffness * result.spring;
        lanes.lost_tangential[l] = lost_tangential;
        lanes.lost_friction[l] =
            acts * stiffness * slid.dot(0.5 * (stretched + result.spring) - advance)
                - scale * undamped.dot(slip)
                - lost_tangential;
        lanes.elastic_tangential[l] =
            acts * tangential::tangential_elastic_energy(stiffness, result.spring);
        if law == TangentialLaw::Mindlin {
            // The stiffness ∝ √δ changes between two kicks, while the spring is as it was carried.
            let before = mindlin_per_root(lanes, l, pair(l)) * lanes.old_root[l];
            lanes.gained_mindlin[l] =
                acts * tangential::tangential_elastic_energy(stiffness - before, carried);
        }
    }
}

/// Tangential stiffness (N/m) and damping (N s/m) of one contact.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn tangential_coefficients(
    lanes: &Lanes,
    l: usize,
    law: TangentialLaw,
    c: &PairCoefficients,
) -> (f64, f64) {
    let mass = lanes.reduced_mass[l];
    if law == TangentialLaw::Linear {
        let tangential_mass = tangential_reduced_mass(mass);
        (
            c.tangential_stiffness + c.tangential_stiffness_per_mass * tangential_mass,
            c.tangential_damping + c.tangential_damping_per_mass * tangential_mass,
        )
    } else {
        let stiffness = mindlin_per_root(lanes, l, c) * lanes.root[l];
        let damping = tangential::mindlin_damping(c.tangential_damping_ratio, stiffness, mass);
        (stiffness, c.tangential_damping + damping)
    }
}

/// Mindlin's stiffness at unit overlap, N/m^1.5.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn mindlin_per_root(lanes: &Lanes, l: usize, c: &PairCoefficients) -> f64 {
    c.tangential_stiffness + c.mindlin_modulus * lanes.reduced_radius[l].sqrt()
}

/// Energy in a tangential spring whose contact ends while it is stretched, J. Only a spring of
/// constant stiffness can be: Mindlin's vanishes with the overlap.
pub(super) fn spring_left(lanes: &Lanes, l: usize, context: &ForceContext<'_>, slot: &Slot) -> f64 {
    if context.model.laws.tangential != TangentialLaw::Linear {
        return 0.0;
    }
    let pair = context.model.at(lanes.row[l]);
    let (stiffness, _) = tangential_coefficients(lanes, l, TangentialLaw::Linear, pair);
    tangential::tangential_elastic_energy(stiffness, slot.history.spring())
}
