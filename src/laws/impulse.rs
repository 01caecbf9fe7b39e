//! Friction in proportion to the normal force, so that a collision transmits the impulse of a rule of hard grains.
//!
//! Rules of hard grains ([`hard_sphere`](super::hard_sphere)) give a collision the impulse −m* (1 + e) `v_n` (n + μ τ), with a
//! shear ratio μ and a direction τ that follow from the velocities just before it. A soft contact whose tangential
//! force is −`F_n` μ τ at all times, with the μ and τ of its first touch, transmits just that: its normal impulse is
//! m* (1 + e) `v_n`, whatever the normal law, as long as it has the restitution e. What is left is that the normal turns
//! while the contact lasts, by an angle in proportion to how long it does.
//!
//! This is a law for collisions. A contact that lasts keeps the friction of its first touch, whatever becomes of
//! its slip: it neither sticks nor slides.
//!
//! Sources: Rubin, *A simple hard-particle collision model with a smooth transition to full slip*, J. Mech. Mater. Struct. 11
//! (2016) 161, (3-12); Walton (1993), as given there, (4-6).

use super::hard_sphere::{GrainShape, full_slip_obliquity, rubin_transition, walton_transition};
use super::number::{Number, Vector};
use glam::DVec3;

/// `g = μ/μ_s` at `z = ψ₁/ψ_s`, by one of two rules.
///
/// ```text
/// Walton:  g = min((1 + β₀) z, 1)
/// Rubin:   g = 1 − max(1 − z, 0)^{1+α}
/// ```
///
/// * `z` — obliquity of the impact in that of full slip, 0 … 1; beyond it g stays 1
/// * `rule` — β₀ ≥ 0 of Walton's rule, or −α < 0 of Rubin's; with 0 both are the same
///
/// Source: Rubin (3-12), (4-6).
pub fn impulse_transition(z: f64, rule: f64) -> f64 {
    if rule < 0.0 {
        rubin_transition(z, -rule)
    } else {
        walton_transition(z, rule)
    }
}

/// Tangential over normal force that spheres keep as long as they touch: μ τ, dimensionless.
///
/// ```text
/// μ = μ_s g(z),   z = |u_t|/(ψ_s |δ̇|),   ψ_s = (1 + e) (7/2) μ_s,   τ = u_t/|u_t|
/// ```
///
/// * `friction` — `μ_s` ≥ 0
/// * `restitution` — normal restitution e of the contact
/// * `rule` — β₀ or −α, see [`impulse_transition`]
/// * `rate` — δ̇ in m/s at first touch; only its size matters
/// * `slip` — `u_t` in m/s at first touch
///
/// No slip, no friction; no approach, full slip.
///
/// Source: Rubin (3-11), (3-12), with 1 + `1/I_m` = 7/2.
pub fn impulse_shear(friction: f64, restitution: f64, rule: f64, rate: f64, slip: DVec3) -> DVec3 {
    let speed = slip.length();
    if speed <= 0.0 {
        return DVec3::ZERO;
    }
    let slip_ratio = GrainShape::Sphere.slip_ratio();
    let full_slip = full_slip_obliquity(restitution, friction, slip_ratio) * rate.abs();
    let z = if speed < full_slip {
        speed / full_slip
    } else {
        1.0
    };
    friction * impulse_transition(z, rule) / speed * slip
}

/// Tangential force in N on i.
///
/// ```text
/// F_t = −F_n μ τ
/// ```
///
/// * `shear` — μ τ of the first touch, turned with the contact, see [`impulse_shear`]
/// * `normal_force` — `F_n` in N, repulsive positive; where it pulls, as at the end of a damped contact, friction
///   pulls with it, for that belongs to the impulse
///
/// Source: Rubin (3-11), for the impulse.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the force loop")]
pub fn impulse_force(shear: DVec3, normal_force: f64) -> DVec3 {
    proportional(shear.into(), normal_force).into()
}

/// As [`impulse_force`], of one contact or several.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the force loop")]
pub(crate) fn proportional<N: Number>(shear: Vector<N>, normal_force: N) -> Vector<N> {
    shear * -normal_force
}
