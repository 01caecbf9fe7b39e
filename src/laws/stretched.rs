//! Linear coefficients from what one wants to see: a restitution and a collision time.
//!
//! Real collisions last microseconds. If only their outcome matters, the contact may be made softer
//! until it lasts a number of time steps: the coefficients here give the wanted restitution for the
//! wanted time, normal and tangential.

use super::ContactEnd;
use super::linear::{linear_contact_time, linear_damping, linear_damping_ratio_from_restitution};
use std::f64::consts::PI;

/// Normal stiffness in N/m and damping in N s/m for a restitution and a collision time.
///
/// ```text
/// Overlap:  k = m* (π² + ln²e)/T²,   c = −2 m* ln e/T
/// Force:    k = m* τ(α)²/T²,   c = 2 α √(m* k)   with α(e) and the time τ of a unit contact
/// ```
///
/// * `mass` — reduced mass m* in kg
/// * `restitution` — normal coefficient of restitution e in (0, 1]; `e = 0` has no finite
///   coefficients
/// * `contact_time` — T in s
/// * `end` — where the contact ends
///
/// Source: Costa et al. (18), (19) for the end at zero overlap; that at zero force from the linear
/// law.
#[inline]
pub fn stretched_normal_coefficients(
    mass: f64,
    restitution: f64,
    contact_time: f64,
    end: ContactEnd,
) -> (f64, f64) {
    if end == ContactEnd::Force {
        let ratio = linear_damping_ratio_from_restitution(restitution, end);
        let k = mass * (linear_contact_time(ratio, 1.0, 1.0, end) / contact_time).powi(2);
        return (k, linear_damping(ratio, k, mass));
    }
    let loss = restitution.ln().abs();
    let k = mass * (PI * PI + loss * loss) / (contact_time * contact_time);
    let c = 2.0 * mass * loss / contact_time;
    (k, c)
}

/// Tangential stiffness in N/m and damping in N s/m for a tangential restitution and a collision
/// time.
///
/// ```text
/// k_t = m_t (π² + ln²e_t)/T²,   c_t = −2 m_t ln e_t/T
/// ```
///
/// * `tangential_mass` — `m_t` in kg, see
///   [`tangential_reduced_mass`](super::material::tangential_reduced_mass)
/// * `tangential_restitution` — `e_t` in (0, 1]: the slip comes back as −`e_t` times itself if the
///   contact sticks
/// * `contact_time` — T in s, the same as for the normal motion
///
/// Even in the sticking range the slip does not come back as exactly −`e_t`, because the contact
/// slides briefly where the normal force vanishes, at first touch and at the end.
///
/// Source: Costa et al. (25), (26). In their (24) the unit vector t is the fixed direction of the
/// first slip.
#[inline]
pub fn stretched_tangential_coefficients(
    tangential_mass: f64,
    tangential_restitution: f64,
    contact_time: f64,
) -> (f64, f64) {
    let (mass, end) = (tangential_mass, ContactEnd::Overlap);
    stretched_normal_coefficients(mass, tangential_restitution, contact_time, end)
}

/// The same for an engine that takes steps: the coefficients with which *it* gives the restitution.
///
/// A contact that is stretched over few steps is no longer the continuous one. The engines predict the
/// slip at an instant from the kick before, so a stuck contact of mass `m_t` obeys
///
/// ```text
/// u_{n+½} = u_{n−½} + F_n Δt/m_t,           u*_n = (3 u_{n−½} − u_{n−3/2})/2
/// F_n = −k (ξ_{n−½} + u*_n Δt/2) − c u*_n,   ξ_{n+½} = ξ_{n−½} + u*_n Δt
/// ```
///
/// which has solutions ∝ zⁿ for
///
/// ```text
/// 2 z (1 − z)/(3 z − 1) = κ (z + 1)/(2 (z − 1)) + γ,   κ = k Δt²/m_t,   γ = c Δt/m_t
/// ```
///
/// The wanted one is z = exp((ln `e_t` + iπ) Δt/T). This is one complex equation that is linear in the two
/// real numbers κ and γ. They differ from those of [`stretched_tangential_coefficients`] by a part of
/// order (Δt/T)²: k by 4 % and c by 9 % at 8 steps in a contact and `e_t` = 0.34, both by less than 0.1 % at 100.
///
/// * `time_step` — Δt in s
///
/// The third solution, z₃ = (κ − 2γ)/4|z|², is a spurious one that must fade sooner than the wanted ones. It does
/// not if the damping is strong and the steps are few (`e_t` below 0.05 at 8 steps); then the
/// coefficients are those of the continuous contact.
///
/// Source: the leapfrog of the engines, solved.
pub fn stepped_tangential_coefficients(
    tangential_mass: f64,
    tangential_restitution: f64,
    contact_time: f64,
    time_step: f64,
) -> (f64, f64) {
    let part = time_step / contact_time;
    let size = tangential_restitution.powf(part);
    let (sine, cosine) = (PI * part).sin_cos();
    let z = [size * cosine, size * sine];
    let below = [z[0] - 1.0, z[1]];
    let left = quotient(
        product([-2.0 * z[0], -2.0 * z[1]], below),
        [3.0 * z[0] - 1.0, 3.0 * z[1]],
    );
    let right = quotient([z[0] + 1.0, z[1]], [2.0 * below[0], 2.0 * below[1]]);
    let kappa = left[1] / right[1];
    let gamma = left[0] - kappa * right[0];
    let spurious = (kappa - 2.0 * gamma).abs() / (4.0 * size * size);
    if part > 0.5 || spurious > size {
        let (mass, restitution) = (tangential_mass, tangential_restitution);
        return stretched_tangential_coefficients(mass, restitution, contact_time);
    }
    let per_step = tangential_mass / time_step;
    (kappa * per_step / time_step, gamma * per_step)
}

/// Product of two complex numbers.
fn product(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// Quotient of two complex numbers.
fn quotient(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let square = b[0] * b[0] + b[1] * b[1];
    product(a, [b[0], -b[1]]).map(|x| x / square)
}

/// Greatest overlap of a stretched collision in m.
///
/// ```text
/// δ_max = (u T/a) e^{arcsin(π/a)/π},   a = √(π² + ln²e)
/// ```
///
/// * `speed` — approach speed u at first touch in m/s
/// * `contact_time` — T in s
/// * `restitution` — e in (0, 1]; in the equation it is raised to a power and is not Euler's number
///
/// Source: maximum of the motion behind Costa et al. (18).
pub fn stretched_max_overlap(speed: f64, contact_time: f64, restitution: f64) -> f64 {
    speed * contact_time / stretch(restitution)
}

/// Collision time in s at which the greatest overlap would be a whole diameter: stay far below it.
///
/// ```text
/// T* = a (D/u) e^{−arcsin(π/a)/π},   a = √(π² + ln²e)
/// ```
///
/// * `diameter` — D in m
/// * `speed` — approach speed u at first touch in m/s
/// * `restitution` — e in (0, 1]
///
/// The greatest overlap at a collision time T is then `δ_max = D T/T*`.
///
/// Source: Costa et al. (20), where the e before the exponent is printed as Euler's number; it is
/// the restitution.
pub fn stretched_contact_time_limit(diameter: f64, speed: f64, restitution: f64) -> f64 {
    diameter / speed * stretch(restitution)
}

/// `a e^{−arcsin(π/a)/π}`.
fn stretch(restitution: f64) -> f64 {
    let loss = restitution.ln().abs();
    // arcsin(π/a) = atan2(π, loss), accurate at loss = 0 where the arcsine is not.
    f64::hypot(PI, loss) * (loss * PI.atan2(loss) / PI).exp()
}
