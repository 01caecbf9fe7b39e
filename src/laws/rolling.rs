//! Rolling resistance: a moment against the difference of two grains' spins.
//!
//! It stands for what spheres lack, flats and corners. The moment on j is the opposite of that on
//! i, so angular momentum is kept. Spin about the normal is left alone.

use glam::DVec3;

use super::material::reduced;

/// Moment of an elastic–plastic rolling spring, with the spring it leaves behind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RollingMoment {
    /// Total moment on i in N m.
    pub moment: DVec3,
    /// Spring part `M_k` of the moment in N m, never longer than the limit; to be kept for the next
    /// step.
    pub spring: DVec3,
}

/// Rolling velocity of a pair in rad/s.
///
/// ```text
/// ω_r = (ω_i − ω_j) − ((ω_i − ω_j)·n) n
/// ```
///
/// * `spin_i`, `spin_j` — `ω_i`, `ω_j` in rad/s; zero for a wall
/// * `normal` — unit normal n from i to j
///
/// Source: Iwashita & Oda; Ai et al.
#[inline(always)]
pub fn rolling_velocity(spin_i: DVec3, spin_j: DVec3, normal: DVec3) -> DVec3 {
    let difference = spin_i - spin_j;
    difference - difference.dot(normal) * normal
}

/// Greatest rolling moment of a contact in N m.
///
/// ```text
/// μ_r R* max(F_n, 0)
/// ```
///
/// * `rolling_friction` — `μ_r` ≥ 0: a sphere rests on a slope whose tangent is below it
/// * `reduced_radius` — R* in m
/// * `normal_force` — `F_n` in N, repulsive positive
///
/// Source: Ai et al., models A and C.
#[inline(always)]
pub fn rolling_limit(rolling_friction: f64, reduced_radius: f64, normal_force: f64) -> f64 {
    rolling_friction * reduced_radius * normal_force.max(0.0)
}

/// Rolling resistance of constant size, in N m on i.
///
/// ```text
/// M = −min(L, s |ω_r|) ω_r/|ω_r|
/// ```
///
/// * `rolling_velocity` — `ω_r` in rad/s
/// * `limit` — L in N m, see [`rolling_limit`]
/// * `stopping` — s = `I_r/Δt` in N m s with the [`rolling_inertia`]: the moment that stops the
///   rolling in one step is `s |ω_r|`, so resistance never reverses it
///
/// A sphere rolling on a plane without slip is slowed at `(5/7) μ_r g`, for small `μ_r`.
///
/// Source: Ai et al., model A (directional constant torque), regularised by the time step.
#[inline(always)]
pub fn constant_rolling_moment(rolling_velocity: DVec3, limit: f64, stopping: f64) -> DVec3 {
    let speed = rolling_velocity.length();
    let moment = limit.min(stopping * speed);
    let scale = if speed > 0.0 { moment / speed } else { 0.0 };
    -scale * rolling_velocity
}

/// Elastic–plastic rolling resistance: a rotational spring that yields at the limit, with a dashpot
/// below it.
///
/// ```text
/// M_k* = M_k − k_r Δθ
/// |M_k*| < L:   M_k = M_k*,              M = M_k − c_r ω_r
/// |M_k*| ≥ L:   M_k = L M_k*/|M_k*|,     M = M_k
/// ```
///
/// * `k_r` — rolling stiffness in N m/rad, see [`rolling_stiffness`]
/// * `c_r` — rolling damping in N m s, see [`rolling_damping`]
/// * `moment` — spring moment `M_k` on i from the last step in N m, already turned with the contact
/// * `increment` — Δθ = `ω_r` Δt in rad
/// * `rolling_velocity` — `ω_r` in rad/s
/// * `limit` — L in N m, see [`rolling_limit`]
///
/// The history is the moment and not the angle, so that a change of stiffness between steps does
/// not jump. The limit is on the spring; the dashpot of an unyielded contact may carry the total
/// beyond it for a moment.
///
/// Source: Iwashita & Oda; Ai et al., model C, with no damping at full mobilisation (f = 0).
#[inline(always)]
pub fn spring_rolling_moment(
    k_r: f64,
    c_r: f64,
    moment: DVec3,
    increment: DVec3,
    rolling_velocity: DVec3,
    limit: f64,
) -> RollingMoment {
    let test = moment - k_r * increment;
    let size = test.length();
    let yields = size >= limit;
    let scale = if size > limit { limit / size } else { 1.0 };
    let damping = if yields { 0.0 } else { c_r };
    let spring = scale * test;
    RollingMoment {
        moment: spring - damping * rolling_velocity,
        spring,
    }
}

/// Stiffness of the rolling spring in N m/rad.
///
/// ```text
/// k_r = 2.25 k_n (μ_r R*)²
/// ```
///
/// * `normal_stiffness` — `k_n` in N/m; for a Hertzian contact the tangent stiffness,
///   [`hertz_tangent_stiffness`](super::hertz::hertz_tangent_stiffness)
/// * `rolling_friction` — `μ_r`
/// * `reduced_radius` — R* in m
///
/// Source: Ai et al., model C, after Jiang et al. (2005). The other common choice is Iwashita &
/// Oda's `k_r = k_t R*²`.
#[inline(always)]
pub fn rolling_stiffness(normal_stiffness: f64, rolling_friction: f64, reduced_radius: f64) -> f64 {
    let arm = rolling_friction * reduced_radius;
    2.25 * normal_stiffness * arm * arm
}

/// Damping of the rolling spring in N m s.
///
/// ```text
/// c_r = 2 η_r √(I_r k_r)
/// ```
///
/// * `damping_ratio` — `η_r` ≥ 0
/// * `inertia_r` — `I_r` in kg m², see [`rolling_inertia`]
/// * `k_r` — rolling stiffness in N m/rad
///
/// Source: Ai et al., model C.
#[inline(always)]
pub fn rolling_damping(damping_ratio: f64, inertia_r: f64, k_r: f64) -> f64 {
    2.0 * damping_ratio * (inertia_r * k_r).sqrt()
}

/// Inertia of the relative rolling of two grains in kg m².
///
/// ```text
/// 1/I_r = 1/(I_i + m_i R_i²) + 1/(I_j + m_j R_j²)
/// ```
///
/// * `inertia_i`, `inertia_j` — moments of inertia about the centre in kg m²; infinite for a wall
/// * `mass_i`, `mass_j` — in kg; infinite for a wall
/// * `radius_i`, `radius_j` — in m; infinite for a wall
///
/// The terms are the inertias about the contact point.
///
/// Source: Ai et al., model C.
#[inline]
pub fn rolling_inertia(
    inertia_i: f64,
    mass_i: f64,
    radius_i: f64,
    inertia_j: f64,
    mass_j: f64,
    radius_j: f64,
) -> f64 {
    reduced(
        inertia_i + mass_i * radius_i * radius_i,
        inertia_j + mass_j * radius_j * radius_j,
    )
}

/// Energy stored in the rolling spring in J.
///
/// ```text
/// U = |M_k|²/(2 k_r)
/// ```
///
/// * `k_r` — rolling stiffness in N m/rad; no spring and no energy at 0
/// * `moment` — spring moment `M_k` in N m
#[inline(always)]
pub fn rolling_elastic_energy(k_r: f64, moment: DVec3) -> f64 {
    if k_r > 0.0 {
        moment.length_squared() / (2.0 * k_r)
    } else {
        0.0
    }
}
