//! Hertzian stiffness and viscous damping from what one wants to see: a restitution and a collision
//! time.
//!
//! With `m* δ̈ + d δ̇ + k δ^{3/2} = 0` and an impact speed `u`, two numbers fix the collision:
//! `λ = d t*/(2 m*)` sets the restitution and `t*` the time scale. To get a restitution `e` and a
//! contact time `T_c`, find `λ(e)` and `τ_c(e)`, then
//!
//! ```text
//! t* = T_c/τ_c,   d = 2 λ m*/t*,   k = m*/√(u t*⁵)
//! ```
//!
//! Ray, Kempe & Fröhlich did this with two approximate formulas instead of the iteration of Kempe &
//! Fröhlich; [`adaptive_direct`] does it with two polynomials, up to five digits better at the same
//! price. A contact keeps the coefficients of its first touch. All are for [`ContactEnd::Overlap`].
//!
//! Beware of slow impacts: `k ∝ u^{−1/2}` is unbounded. The caller limits it, best to the Hertzian
//! stiffness of the material, beyond which stretching has no meaning.

use super::ContactEnd;
use super::collision::{LAMBDA_CRITICAL, hertz_viscous_collision};

/// Stiffness in N/m^{3/2} and damping in N s/m for a restitution and a contact time, by
/// polynomials.
///
/// ```text
/// q = −ln e,   λ = q P(q),   τ_c = S(q),   t* = T_c/τ_c,   d = 2 λ m*/t*,   k = m*/√(u t*⁵)
/// ```
///
/// * `restitution` — e in [0.01, 1], with [`ContactEnd::Overlap`]; values outside are moved to the
///   nearer end
/// * `contact_time` — `T_c` in s
/// * `speed` — approach speed u at first touch in m/s, positive
/// * `mass` — reduced mass m* in kg
///
/// The collision then has the wanted e within a relative 8e-8 and `T_c` within 8e-9, for e ≥ 0.1
/// (degree 8) and for smaller e (degree 14) alike, and exactly for e = 1.
///
/// Source: takes the place of Ray, Kempe & Fröhlich (51), (52), see [`adaptive_direct_paper`]; then
/// their (53), (54). The polynomials are minimax-like fits to the exact collision with
/// `P(0) = 9/(10 τ_c0)` and `S(0) = τ_c0` held.
pub fn adaptive_direct(restitution: f64, contact_time: f64, speed: f64, mass: f64) -> (f64, f64) {
    let (lambda, tau) = direct_inverse(restitution);
    adaptive_from_time_unit(lambda, contact_time / tau, speed, mass)
}

/// Stiffness in N/m^{3/2} and damping in N s/m for a restitution and a contact time, as printed by
/// Ray et al.
///
/// ```text
/// η = ln²e
/// λ  = [−Cη/2 + √(C²η²/4 + α²τ_c0²η)]/(α²τ_c0²)
/// t* = (T_c/τ_c0) √(1 − Aλ − Bλ²),   d = 2 λ m*/t*,   k = m*/√(u t*⁵)
/// τ_c0 = 3.218,  α = 1.111,  C = 0.744,  A = 0.716,  B = 0.830
/// ```
///
/// * `restitution` — e in [0.4, 1], with [`ContactEnd::Overlap`]; not a number below 0.04, where
///   the root of (52) is imaginary
/// * `contact_time` — `T_c` in s
/// * `speed` — approach speed u at first touch in m/s, positive
/// * `mass` — reduced mass m* in kg
///
/// For comparison with the paper. The achieved e is off by 1e-5 at e = 0.9, 4e-3 at 0.6 and 3e-2 at
/// 0.4; `T_c` by less than 1e-3.
///
/// Source: Ray, Kempe & Fröhlich (51)–(54). Their C = 0.744 fits neither the coefficient
/// printed in (41), which would need 0.706, nor the right one: the series gives 0.7151.
pub fn adaptive_direct_paper(
    restitution: f64,
    contact_time: f64,
    speed: f64,
    mass: f64,
) -> (f64, f64) {
    let (lambda, tau) = adaptive_paper_inverse(restitution);
    adaptive_from_time_unit(lambda, contact_time / tau, speed, mass)
}

/// λ and the dimensionless contact time `τ_c = T_c/t*` for a restitution, as printed by Ray et al.
///
/// * `restitution` — e in [0.4, 1]; not a number below 0.04
///
/// Source: Ray, Kempe & Fröhlich (51), (52); see [`adaptive_direct_paper`].
pub fn adaptive_paper_inverse(restitution: f64) -> (f64, f64) {
    const TAU_C0: f64 = 3.218;
    const ALPHA: f64 = 1.111;
    const C: f64 = 0.744;
    const A: f64 = 0.716;
    const B: f64 = 0.830;
    let log = restitution.ln();
    let eta = log * log;
    let slope = ALPHA * ALPHA * TAU_C0 * TAU_C0;
    let half = 0.5 * C * eta;
    let lambda = ((half * half + slope * eta).sqrt() - half) / slope;
    (
        lambda,
        TAU_C0 / (1.0 - A * lambda - B * lambda * lambda).sqrt(),
    )
}

/// Stiffness in N/m^{3/2} and damping in N s/m for a restitution and a contact time, exact to a
/// relative 1e-12.
///
/// ```text
/// e(λ) = e,   t* = T_c/τ_c(λ),   d = 2 λ m*/t*,   k = m*/√(u t*⁵)
/// ```
///
/// * `restitution` — e in [1e-9, 1], with [`ContactEnd::Overlap`]; values outside are moved to the
///   nearer end
/// * `contact_time` — `T_c` in s
/// * `speed` — approach speed u at first touch in m/s, positive
/// * `mass` — reduced mass m* in kg
///
/// Each iteration solves a collision: thousands of times slower than [`adaptive_direct`], and its
/// reference.
///
/// Source: Kempe & Fröhlich iterate on (k, d) with Newton's method; the dimensionless form leaves
/// one unknown, found here by the secant method.
pub fn adaptive_iterative(
    restitution: f64,
    contact_time: f64,
    speed: f64,
    mass: f64,
) -> (f64, f64) {
    let wanted = restitution.clamp(1e-9, 1.0);
    // Near the critical damping e is almost linear in λ; elsewhere −ln e is, by (41). What comes out does not
    // depend on it.
    let mut lambda = if wanted < RESTITUTION_MIN {
        LAMBDA_CRITICAL - wanted / SLOPE_AT_CRITICAL
    } else {
        (LAMBDA_8[0] * wanted.ln().abs()).min(0.5 * LAMBDA_CRITICAL)
    };
    let mut collision = hertz_viscous_collision(lambda, ContactEnd::Overlap);
    let mut slope = f64::NAN;
    for _ in 0..MAX_SECANT_STEPS {
        let excess = collision.restitution - wanted;
        if excess.abs() <= 1e-14 * wanted {
            break;
        }
        if slope.is_nan() {
            let nearby = lambda * (1.0 - 1e-6);
            let change = hertz_viscous_collision(nearby, ContactEnd::Overlap).restitution
                - collision.restitution;
            slope = change / (nearby - lambda);
        }
        // Halfway to the critical damping at most, where the collision would no longer end.
        let next = (lambda - excess / slope).min(0.5 * (lambda + LAMBDA_CRITICAL));
        if next == lambda {
            break;
        }
        let next_collision = hertz_viscous_collision(next, ContactEnd::Overlap);
        let next_slope = (next_collision.restitution - collision.restitution) / (next - lambda);
        if next_slope < 0.0 {
            slope = next_slope;
        }
        (lambda, collision) = (next, next_collision);
    }
    adaptive_from_time_unit(lambda, contact_time / collision.contact_time, speed, mass)
}

/// λ and the dimensionless contact time `τ_c = T_c/t*` of the viscous Hertzian collision that has this
/// restitution and ends where the force would turn attractive.
///
/// * `restitution` — e in [0.02, 1]
///
/// Both depend on e alone, so they are found once, by bisection of the exact collision;
/// [`adaptive_from_time_unit`] makes coefficients of them.
///
/// Source: Ray, Kempe & Fröhlich (6), (7), with the other end of contact.
pub fn adaptive_force_inverse(restitution: f64) -> (f64, f64) {
    let collision = |lambda: f64| hertz_viscous_collision(lambda, ContactEnd::Force);
    let (mut weak, mut strong) = (0.0, STRONGEST);
    for _ in 0..60 {
        let middle = 0.5 * (weak + strong);
        if collision(middle).restitution > restitution {
            weak = middle;
        } else {
            strong = middle;
        }
    }
    (weak, collision(weak).contact_time)
}

/// λ of a collision with e below 0.02.
const STRONGEST: f64 = 4.0;

/// Stiffness in N/m^{3/2} and damping in N s/m of a collision with known λ and time unit t*.
///
/// ```text
/// d = 2 λ m*/t*,   k = m*/√(u t*⁵)
/// ```
///
/// * `lambda` — λ, see [`adaptive_force_inverse`]
/// * `t_star` — `t* = T_c/τ_c` in s
/// * `speed` — approach speed u at first touch in m/s, positive
/// * `mass` — reduced mass m* in kg
///
/// Source: Ray, Kempe & Fröhlich (53), (54).
#[inline]
pub fn adaptive_from_time_unit(lambda: f64, t_star: f64, speed: f64, mass: f64) -> (f64, f64) {
    let k = mass / (t_star * t_star * (speed * t_star).sqrt());
    let d = 2.0 * lambda * mass / t_star;
    (k, d)
}

/// `λ` and `τ_c` for a restitution, by polynomials in `−ln e`.
#[inline]
fn direct_inverse(restitution: f64) -> (f64, f64) {
    let restitution = restitution.clamp(RESTITUTION_MIN, 1.0);
    let q = restitution.ln().abs();
    if restitution >= 0.1 {
        (q * polynomial(&LAMBDA_8, q), polynomial(&TAU_8, q))
    } else {
        (q * polynomial(&LAMBDA_14, q), polynomial(&TAU_14, q))
    }
}

#[inline]
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients
        .iter()
        .rev()
        .fold(0.0, |sum, &coefficient| sum * x + coefficient)
}

/// Smallest restitution the polynomials are fitted for.
const RESTITUTION_MIN: f64 = 0.01;

/// `−de/dλ` at the critical damping, roughly.
const SLOPE_AT_CRITICAL: f64 = 0.46;

/// The secant method needs three to six; the bound only makes the loop finite.
const MAX_SECANT_STEPS: usize = 40;

/// `λ/q` for 0.1 ≤ e ≤ 1; relative error of λ below 1.8e-8.
const LAMBDA_8: [f64; 9] = [
    0.2796711289019508,
    -0.027967262767326428,
    -0.00944989435753054,
    0.0010350693154317838,
    0.0007495484880477587,
    -6.213035057821776e-05,
    -8.835505192230051e-05,
    2.776554629042772e-05,
    -2.6589442777676186e-06,
];

/// `τ_c` for 0.1 ≤ e ≤ 1; relative error below 5.9e-9.
const TAU_8: [f64; 9] = [
    3.218065459719043,
    0.3218056192502917,
    0.11201248571113008,
    0.010052057631706038,
    -0.004248592316584054,
    -0.0007453993691706962,
    0.00046194091517036396,
    -7.361036918449092e-05,
    4.030735944684228e-06,
];

/// `λ/q` for 0.01 ≤ e ≤ 1; relative error of λ below 1.5e-9.
const LAMBDA_14: [f64; 15] = [
    0.2796711289019508,
    -0.02796713878800332,
    -0.0094507488221685,
    0.0010344487523064009,
    0.000765310746877592,
    -0.00010998340371770845,
    -1.6788840730323944e-05,
    -3.536958091435376e-05,
    3.232024313064751e-05,
    -1.243657043608069e-05,
    2.843759478680818e-06,
    -4.164361096182511e-07,
    3.862486983799443e-08,
    -2.0773091719607423e-09,
    4.945967469314284e-11,
];

/// `τ_c` for 0.01 ≤ e ≤ 1; relative error below 2.3e-10.
const TAU_14: [f64; 15] = [
    3.218065459719043,
    0.3218065923666674,
    0.11199727034213323,
    0.010133685124757617,
    -0.004462348089026284,
    -0.00043055762201501434,
    0.00018435215669463382,
    7.43943563181749e-05,
    -4.091393161490593e-05,
    5.5624097663584495e-06,
    8.553692616509125e-07,
    -4.3735240781335527e-07,
    7.176788677894592e-08,
    -5.769209500226357e-09,
    1.9131090046319267e-10,
];
