//! Tangential force: sliding friction, with or without a spring.

use super::ForceContext;
use super::lanes::{Lanes, WIDTH, ZERO, any, set_vector, vector};
use super::normal::Ending;
use super::processor::Processor;
use crate::contact::PairCoefficients;
use crate::laws::material::tangential_reduced_mass;
use crate::laws::tangential;
use crate::scene::TangentialLaw;
use glam::DVec3;

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
///
/// Few contacts of a bed at rest slide: friction is first reckoned without its limit, which takes no
/// roots; those that need the limit are reckoned once more, one by one.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn slider<'a, P: Processor>(
    lanes: &mut Lanes,
    law: TangentialLaw,
    pair: impl Fn(usize) -> &'a PairCoefficients + Copy,
) {
    let mut stretch = ZERO;
    for l in 0..WIDTH {
        let (tangent, squared) =
            tangential::spring_in_plane(vector(&lanes.old_spring, l), vector(&lanes.normal, l));
        set_vector(&mut lanes.carried, l, tangent);
        stretch[l] = squared;
    }
    let stretch = P::roots(&stretch);
    for l in 0..WIDTH {
        let carried = stretch[l] * vector(&lanes.carried, l);
        set_vector(&mut lanes.carried, l, carried);
        stick_or_slide(lanes, law, l, pair(l), f64::INFINITY);
    }
    if any(&lanes.slides) {
        for l in 0..WIDTH {
            if lanes.slides[l] != 0.0 {
                slide(lanes, law, l, pair(l));
            }
        }
    }
}

/// A contact that slides, on its own.
#[inline(never)]
fn slide(lanes: &mut Lanes, law: TangentialLaw, l: usize, pair: &PairCoefficients) {
    let limit = tangential::coulomb_limit(pair.friction, lanes.pressing[l]);
    stick_or_slide(lanes, law, l, pair, limit);
}

/// As [`slider`] for one contact, with the springs as they were carried along. With an infinite limit it
/// sticks; whether it should is then in `slides`.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn stick_or_slide(
    lanes: &mut Lanes,
    law: TangentialLaw,
    l: usize,
    c: &PairCoefficients,
    limit: f64,
) {
    let slip = vector(&lanes.slip, l);
    let acts = lanes.touches[l];
    let window = lanes.window[l];
    let (stiffness, damping) = tangential_coefficients(lanes, l, law, c);
    // The stored spring belongs to half a step before this instant (zero at a beginning).
    let advance = 0.5 * window * slip;
    let carried = vector(&lanes.carried, l);
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
    lanes.lost_tangential[l] = lost_tangential;
    lanes.lost_friction[l] = if limit == f64::INFINITY {
        let longest = result
            .force
            .length_squared()
            .max(stiffness * stiffness * stretched.length_squared());
        let most = tangential::coulomb_limit(c.friction, lanes.pressing[l]);
        let slides = longest > most * most && acts != 0.0;
        lanes.slides[l] = if slides { 1.0 } else { 0.0 };
        0.0
    } else {
        // Of the work against the slip, what neither the dashpot nor the spring took: the spring
        // goes from ξ − h to ξ_c + h in this kick, with h half a step of slip and ξ_c what the
        // slider leaves of ξ.
        let slid = stretched - result.spring;
        let undamped = result.force + stiffness * result.spring;
        acts * stiffness * slid.dot(0.5 * (stretched + result.spring) - advance)
            - scale * undamped.dot(slip)
            - lost_tangential
    };
    if law == TangentialLaw::Mindlin {
        // The stiffness ∝ √δ changes between two kicks, while the spring is as it was carried.
        let before = lanes.mindlin_stiffness[l] * lanes.old_root[l];
        lanes.gained_mindlin[l] =
            acts * tangential::tangential_elastic_energy(stiffness - before, carried);
    }
}

/// Energy in the tangential springs, at the instant of the positions.
pub(super) fn spring_energies<'a>(
    lanes: &mut Lanes,
    law: TangentialLaw,
    pair: impl Fn(usize) -> &'a PairCoefficients,
) {
    for l in 0..WIDTH {
        let (stiffness, _) = tangential_coefficients(lanes, l, law, pair(l));
        // Half a step back from where the spring is stored.
        let spring = vector(&lanes.spring, l) - 0.5 * lanes.window[l] * vector(&lanes.slip, l);
        lanes.elastic_tangential[l] =
            lanes.touches[l] * tangential::tangential_elastic_energy(stiffness, spring);
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
    if law == TangentialLaw::Linear {
        let tangential_mass = tangential_reduced_mass(lanes.reduced_mass[l]);
        (
            c.tangential_stiffness + c.tangential_stiffness_per_mass * tangential_mass,
            c.tangential_damping + c.tangential_damping_per_mass * tangential_mass,
        )
    } else {
        // k ∝ √δ and c ∝ √k.
        let root = lanes.root[l];
        (
            lanes.mindlin_stiffness[l] * root,
            c.tangential_damping + lanes.mindlin_damping[l] * lanes.fourth_root[l],
        )
    }
}

/// Tangential force over one step that makes up for a contact which ended inside the last one, N, and what the
/// end took, J: what was left in the spring and not given back. Only a spring of constant stiffness needs this:
/// Mindlin's vanishes with the overlap.
pub(super) fn ending_friction(
    lanes: &Lanes,
    l: usize,
    context: &ForceContext<'_>,
    ending: Option<&Ending>,
) -> (DVec3, f64) {
    if context.model.laws.tangential != TangentialLaw::Linear {
        return (DVec3::ZERO, 0.0);
    }
    let pair = context.model.at(lanes.row[l]);
    let (stiffness, damping) = tangential_coefficients(lanes, l, TangentialLaw::Linear, pair);
    let spring = vector(&lanes.carried, l);
    let left = tangential::tangential_elastic_energy(stiffness, spring);
    let Some(ending) = ending else {
        return (DVec3::ZERO, left);
    };
    let slip = vector(&lanes.slip, l);
    let impulse = tangential::linear_slider_ending(
        stiffness,
        damping,
        spring,
        slip,
        ending.lasted,
        context.time_step,
        ending
            .pressing
            .map(|pressing| tangential::coulomb_limit(pair.friction, pressing)),
    );
    (impulse / context.time_step, left - impulse.dot(slip))
}
