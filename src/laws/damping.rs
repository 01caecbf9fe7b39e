//! Dampers for the Hertzian spring. They differ in how restitution depends on impact speed:
//!
//! | damper | force | restitution with rising speed |
//! |---|---|---|
//! | viscous | `d δ̇` | rises |
//! | Tsuji | `γ δ^{1/4} δ̇` | constant |
//! | Kuwabara–Kono | `(3/2) k A √δ δ̇` | falls, as for real viscoelastic spheres |
//!
//! All are for a pair in contact, and all take power `F_d δ̇ ≥ 0` out of the motion.

use super::ContactEnd;
use super::hertz::hertz_max_overlap;
use super::linear::{
    linear_damping_ratio_from_restitution, linear_max_overlap, linear_restitution,
};
use super::number::Number;

/// Force of a constant damper in N, for a pair in contact.
///
/// ```text
/// F_d = d δ̇
/// ```
///
/// * `d` — damping in N s/m
/// * `rate` — δ̇ in m/s, positive while approaching
///
/// With Hertz's spring the restitution depends on `λ = d t*/(2 m*) ∝ u^{−1/5}` alone, so slow
/// impacts lose more: see [`hertz_viscous_collision`](super::collision::hertz_viscous_collision).
///
/// Source: Ray, Kempe & Fröhlich (1).
#[inline(always)]
pub fn viscous_damping_force<N: Number>(d: N, rate: N) -> N {
    d * rate
}

/// Coefficient of Tsuji's damper in N s/m^{5/4}.
///
/// ```text
/// γ = √5 β √(m* k)
/// ```
///
/// * `ratio` — damping ratio β ≥ 0, see [`tsuji_damping_ratio`]
/// * `k` — Hertzian stiffness in N/m^{3/2}
/// * `mass` — reduced mass m* in kg
///
/// The common form `2√(5/6) β √(S_n m*) δ̇` with the tangent stiffness `S_n = (3/2) k √δ` is the
/// same force.
///
/// Source: Tsuji, Tanaka & Ishida, whose α is √5 β.
#[inline]
pub fn tsuji_damping_coefficient<N: Number>(ratio: N, k: N, mass: N) -> N {
    ratio * (N::all(5.0) * mass * k).root()
}

/// Force of Tsuji's damper in N.
///
/// ```text
/// F_d = γ δ^{1/4} δ̇,   0 for δ ≤ 0
/// ```
///
/// * `gamma` — γ in N s/m^{5/4}, see [`tsuji_damping_coefficient`]
/// * `overlap` — δ in m
/// * `rate` — δ̇ in m/s, positive while approaching
///
/// There is no jump at first touch.
///
/// Source: Tsuji, Tanaka & Ishida.
#[inline(always)]
pub fn tsuji_damping_force(gamma: f64, overlap: f64, rate: f64) -> f64 {
    rooted_tsuji_damping_force(gamma, overlap.max(0.0).sqrt().sqrt(), rate)
}

/// As [`tsuji_damping_force`] at an overlap δ ≥ 0 whose fourth root δ^¼ is known.
#[inline(always)]
pub(crate) fn rooted_tsuji_damping_force<N: Number>(gamma: N, fourth_root: N, rate: N) -> N {
    gamma * fourth_root * rate
}

/// Damping ratio of Tsuji's damper that gives a coefficient of restitution at every speed.
///
/// ```text
/// Overlap:  β = −ln e/√(ln²e + π²)
/// Force:    exp(−2β φ(β)) = e
/// ```
///
/// * `restitution` — e in (0, 1]; limits and φ as in [`linear_damping_ratio_from_restitution`]
///
/// In `x = (4/5) δ^{5/4}` the phase-plane orbit is exactly that of a linear spring and dashpot of
/// damping ratio β.
///
/// Source: Tsuji, Tanaka & Ishida give the relation as a graph; exact by the substitution above.
#[inline]
pub fn tsuji_damping_ratio(restitution: f64, end: ContactEnd) -> f64 {
    linear_damping_ratio_from_restitution(restitution, end)
}

/// Coefficient of restitution of Hertz's spring with Tsuji's damper, the same at every speed.
///
/// ```text
/// Overlap:  e = exp(−πβ/√(1 − β²)),  0 for β ≥ 1
/// Force:    e = exp(−2β φ(β))
/// ```
///
/// * `ratio` — damping ratio β ≥ 0; φ as in [`linear_restitution`]
///
/// Source: see [`tsuji_damping_ratio`], of which this is the inverse.
#[inline]
pub fn tsuji_restitution(ratio: f64, end: ContactEnd) -> f64 {
    linear_restitution(ratio, end)
}

/// Greatest overlap of a collision of Hertz's spring with Tsuji's damper in m.
///
/// ```text
/// δ_max = (5/4)^{2/5} u t* exp(−β φ(β))^{4/5}
/// ```
///
/// * `ratio` — damping ratio β ≥ 0; φ as in [`linear_restitution`]
/// * `k` — Hertzian stiffness in N/m^{3/2}
/// * `mass` — reduced mass m* in kg
/// * `speed` — approach speed u at first touch in m/s
///
/// The same for both ends of contact.
///
/// Source: the linear result carried over by `x = (4/5) δ^{5/4}`.
pub fn tsuji_max_overlap(ratio: f64, k: f64, mass: f64, speed: f64) -> f64 {
    hertz_max_overlap(k, mass, speed) * linear_max_overlap(ratio, 1.0, 1.0, 1.0).powf(0.8)
}

/// Force of the viscoelastic damper of Kuwabara and Kono in N.
///
/// ```text
/// F_d = (3/2) k A √δ δ̇,   0 for δ ≤ 0
/// ```
///
/// * `k` — Hertzian stiffness in N/m^{3/2}
/// * `a` — A in s, a material constant: the elastic force of the overlap a time A ahead, to first
///   order
/// * `overlap` — δ in m
/// * `rate` — δ̇ in m/s, positive while approaching
///
/// Source: Kuwabara & Kono; Brilliantov et al. for A in terms of viscosities.
#[inline(always)]
pub fn kuwabara_kono_damping_force<N: Number>(k: N, a: N, overlap: N, rate: N) -> N {
    N::all(1.5) * k * a * overlap.or_more(N::all(0.0)).root() * rate
}
