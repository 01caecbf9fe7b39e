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
