//! Linear spring and dashpot: `m* δ̈ + c δ̇ + k δ = 0`, and everything about its collision in
//! closed form.
//!
//! The natural frequency is `ω₀ = √(k/m*)` and the damping ratio `α = c/(2√(m* k))`. Restitution
//! and contact time do not depend on the impact speed. The force jumps to `c δ̇` at first touch.

use super::number::Number;
use std::f64::consts::PI;

use super::ContactEnd;

/// Elastic force of a linear spring in N.
///
/// ```text
/// F_el = k max(δ, 0)
/// ```
///
/// * `k` — stiffness in N/m
/// * `overlap` — δ in m; no force without overlap
///
/// Source: Cundall & Strack (1979); Teufelsbauer, Hübl & Wu (1).
#[inline(always)]
pub fn linear_elastic_force<N: Number>(k: N, overlap: N) -> N {
    k * overlap.or_more(N::all(0.0))
}

/// Force of a linear dashpot in N, for a pair in contact.
///
/// ```text
/// F_d = c δ̇
/// ```
///
/// * `c` — damping in N s/m
/// * `rate` — δ̇ in m/s, positive while approaching
///
/// It takes power `c δ̇² ≥ 0` out of the motion. It does not fade at small overlap: gate it with
/// the contact.
///
/// Source: Teufelsbauer, Hübl & Wu (1).
#[inline(always)]
pub fn linear_damping_force<N: Number>(c: N, rate: N) -> N {
    c * rate
}

/// Energy stored in a linear spring in J.
///
/// ```text
/// U = ½ k δ²,   dU/dδ = F_el
/// ```
///
/// * `k` — stiffness in N/m
/// * `overlap` — δ in m; zero energy without overlap
#[inline(always)]
pub fn linear_elastic_energy(k: f64, overlap: f64) -> f64 {
    let overlap = overlap.max(0.0);
    0.5 * k * overlap * overlap
}

/// Damping ratio of a spring and dashpot.
///
/// ```text
/// α = c/(2√(m* k))
/// ```
///
/// * `c` — damping in N s/m
/// * `k` — stiffness in N/m, positive
/// * `mass` — reduced mass m* in kg. For a free pair no other mean will do: the arithmetic mean of
///   Teufelsbauer, Hübl & Wu (12) makes the real ratio of equal spheres √2 times the wanted one.
///
/// `α < 1`: under-damped; `α = 1`: critical; `α > 1`: over-damped.
///
/// Source: Teufelsbauer, Hübl & Wu, section 2.
#[inline]
pub fn linear_damping_ratio(c: f64, k: f64, mass: f64) -> f64 {
    c / (2.0 * (mass * k).sqrt())
}

/// Dashpot coefficient in N s/m for a damping ratio.
///
/// ```text
/// c = 2 α √(m* k)
/// ```
///
/// * `ratio` — α ≥ 0
/// * `k` — stiffness in N/m
/// * `mass` — reduced mass m* in kg
///
/// The inverse of [`linear_damping_ratio`].
#[inline]
pub fn linear_damping<N: Number>(ratio: N, k: N, mass: N) -> N {
    N::all(2.0) * ratio * (mass * k).root()
}

/// Coefficient of restitution of the linear spring and dashpot.
///
/// ```text
/// Overlap:  e = exp(−πα/√(1 − α²))              α < 1
///           e = 0                               α ≥ 1
/// Force:    e = exp(−2α φ(α))
///           φ = arccos(α)/√(1 − α²)             α < 1
///             = 1                               α = 1
///             = arccosh(α)/√(α² − 1)            α > 1
/// ```
///
/// * `ratio` — damping ratio α ≥ 0
///
/// With [`ContactEnd::Overlap`] and `α ≥ 1` the grains creep towards zero overlap and never
/// separate. With [`ContactEnd::Force`] they always do, and `e > 0`.
///
/// Source: Teufelsbauer, Hübl & Wu (10), where a minus sign is missing in the definition of e;
/// Schwager & Pöschel for the cut, here in one formula instead of two arctangent branches.
pub fn linear_restitution(ratio: f64, end: ContactEnd) -> f64 {
    match end {
        ContactEnd::Overlap if ratio < 1.0 => (-PI * ratio / split(ratio)).exp(),
        ContactEnd::Overlap => 0.0,
        ContactEnd::Force => (-2.0 * ratio * peak_phase(ratio)).exp(),
    }
}

/// Duration of a contact of the linear spring and dashpot in s.
///
/// ```text
/// Overlap:  t_c = π/(ω₀√(1 − α²)),   α < 1;   ∞ for α ≥ 1
/// Force:    t_c = 2 φ(α)/ω₀
/// ```
///
/// * `ratio` — damping ratio α ≥ 0
/// * `k` — stiffness in N/m
/// * `mass` — reduced mass m* in kg
///
/// φ as in [`linear_restitution`]. With [`ContactEnd::Force`] this is the time until the force
/// vanishes, twice the time to the greatest overlap; the geometric overlap ends later.
///
/// Source: Teufelsbauer, Hübl & Wu (9); Schwager & Pöschel.
pub fn linear_contact_time(ratio: f64, k: f64, mass: f64, end: ContactEnd) -> f64 {
    let period = (mass / k).sqrt();
    match end {
        ContactEnd::Overlap if ratio < 1.0 => PI / split(ratio) * period,
        ContactEnd::Overlap => f64::INFINITY,
        ContactEnd::Force => 2.0 * peak_phase(ratio) * period,
    }
}

/// Greatest overlap of a collision of the linear spring and dashpot in m.
///
/// ```text
/// δ_max = (v/ω₀) exp(−α φ(α)),   at t = φ(α)/ω₀
/// ```
///
/// * `ratio` — damping ratio α ≥ 0
/// * `k` — stiffness in N/m
/// * `mass` — reduced mass m* in kg
/// * `speed` — approach speed v at first touch in m/s
///
/// φ as in [`linear_restitution`]. The same for both ends of contact.
///
/// Source: maximum of the solutions (7a), (7b) of Teufelsbauer, Hübl & Wu.
pub fn linear_max_overlap(ratio: f64, k: f64, mass: f64, speed: f64) -> f64 {
    speed * (mass / k).sqrt() * (-ratio * peak_phase(ratio)).exp()
}

/// Damping ratio that gives a coefficient of restitution: the inverse of [`linear_restitution`].
///
/// ```text
/// Overlap:  α = −ln e/√(ln²e + π²)
/// Force:    2α φ(α) = −ln e, solved by Newton's method to rounding
/// ```
///
/// * `restitution` — e in (0, 1]
///
/// Limit `e → 0`: critical damping, 1, with [`ContactEnd::Overlap`]; infinite with
/// [`ContactEnd::Force`], which cannot reach `e = 0` with a finite dashpot.
///
/// Source: Teufelsbauer, Hübl & Wu (10) solved for α; Schwager & Pöschel.
pub fn linear_damping_ratio_from_restitution(restitution: f64, end: ContactEnd) -> f64 {
    let loss = restitution.ln().abs();
    match end {
        // The same as loss/hypot(loss, π), but right at loss = ∞ too.
        ContactEnd::Overlap => 1.0 / f64::hypot(1.0, PI / loss),
        ContactEnd::Force if loss == f64::INFINITY => f64::INFINITY,
        ContactEnd::Force => {
            // Asymptotes of 2αφ = loss for weak (φ = π/2) and strong (αφ = ln 2α) damping.
            let mut ratio = if loss < 4.0 {
                loss / PI
            } else {
                0.5 * (0.5 * loss).exp()
            };
            for _ in 0..MAX_NEWTON_STEPS {
                let phase = peak_phase(ratio);
                let from_critical = 1.0 - ratio;
                let slope = if from_critical.abs() < 1e-6 {
                    4.0 / 3.0 // the limit of the line below, which is 0/0 there
                } else {
                    2.0 * (phase - ratio) / (from_critical * (1.0 + ratio))
                };
                let step = (loss - 2.0 * ratio * phase) / slope;
                ratio += step;
                if step.abs() <= 2.0 * f64::EPSILON * ratio {
                    break;
                }
            }
            ratio
        }
    }
}

/// Position and speed of the linear spring and dashpot at a time after first touch: overlap in m
/// and rate in m/s.
///
/// ```text
/// τ = ω₀ t,  s = √|1 − α²|
/// α < 1:  δ = (v/ω₀) e^{−ατ} sin(sτ)/s
/// α = 1:  δ = (v/ω₀) e^{−τ} τ
/// α > 1:  δ = (v/ω₀) e^{−ατ} sinh(sτ)/s
/// ```
///
/// * `ratio` — damping ratio α ≥ 0
/// * `k` — stiffness in N/m
/// * `mass` — reduced mass m* in kg
/// * `speed` — approach speed v at first touch in m/s
/// * `t` — time since first touch in s
///
/// The free motion, not ended: beyond the contact time δ turns negative if `α < 1`. The over-damped
/// branch is written without growing exponentials and stays finite at all times.
///
/// Source: Teufelsbauer, Hübl & Wu (7a), (7b). Their (5) has the wrong overall sign, and the
/// critical case is not given.
pub fn linear_motion(ratio: f64, k: f64, mass: f64, speed: f64, t: f64) -> (f64, f64) {
    let frequency = (k / mass).sqrt();
    let tau = frequency * t;
    let s = split(ratio);
    let (overlap, rate) = if ratio < 1.0 {
        let (sin, cos) = (s * tau).sin_cos();
        let decay = (-ratio * tau).exp();
        (decay * sin / s, decay * (cos - ratio * sin / s))
    } else {
        let fast = ratio + s;
        let slow = 1.0 / fast; // ratio − s without cancellation
        let decay = (-slow * tau).exp();
        // (1 − e^{−2sτ})/2s, and its limit τ at critical damping.
        let rise = if s == 0.0 {
            tau
        } else {
            -(-2.0 * s * tau).exp_m1() / (2.0 * s)
        };
        let rate = if s < 1.0 {
            decay * (1.0 - fast * rise)
        } else {
            (fast * (-fast * tau).exp() - slow * decay) / (2.0 * s)
        };
        (decay * rise, rate)
    };
    (speed / frequency * overlap, speed * rate)
}

/// `√|1 − α²|`, accurate near critical damping.
fn split(ratio: f64) -> f64 {
    ((1.0 - ratio) * (1.0 + ratio)).abs().sqrt()
}

/// `φ(α) = ω₀ t` at the greatest overlap: `arccos(α)/√(1 − α²)` and its continuation beyond
/// critical damping.
fn peak_phase(ratio: f64) -> f64 {
    let s = split(ratio);
    if s == 0.0 {
        1.0
    } else if ratio < 1.0 {
        s.atan2(ratio) / s
    } else {
        // arccosh α = ln(α + s), accurate near α = 1.
        (ratio - 1.0 + s).ln_1p() / s
    }
}

/// Newton's method on the smooth, concave `2αφ(α)` needs fewer than ten; the bound only makes the
/// loop finite.
const MAX_NEWTON_STEPS: usize = 50;
