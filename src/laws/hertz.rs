//! Hertz's spring between two elastic spheres, `F = k δ^{3/2}`, and its elastic collision.
//!
//! A collision with approach speed `u` is governed by one time, `t* = (m*²/(k² u))^{1/5}`, and one
//! length, `u t*`.

use super::number::Number;

/// Duration of an elastic Hertzian collision in units of `t*`: `2√π Γ(7/5)/Γ(9/10) (25/16)^{1/5}`.
///
/// Source: Hertz (1882); Ray, Kempe & Fröhlich (9), (34).
pub const TAU_C0: f64 = 3.218_065_459_719_043;

/// Greatest overlap of an elastic Hertzian collision in units of `u t*`: `(5/4)^{2/5}`.
///
/// Source: energy conservation; Ray, Kempe & Fröhlich (29) squared.
pub const Z_MAX0: f64 = 1.093_362_073_943_278;

/// Stiffness of a Hertzian contact in N/m^{3/2}.
///
/// ```text
/// k = (4/3) E* √R*
/// ```
///
/// * `effective_young` — E* in Pa
/// * `reduced_radius` — R* in m
///
/// Source: Hertz's theory, e.g. Johnson, *Contact Mechanics* (1985), (4.23).
#[inline]
pub fn hertz_stiffness(effective_young: f64, reduced_radius: f64) -> f64 {
    4.0 / 3.0 * effective_young * reduced_radius.sqrt()
}

/// Elastic force of a Hertzian contact in N.
///
/// ```text
/// F_el = k δ √δ,   0 for δ ≤ 0
/// ```
///
/// * `k` — stiffness in N/m^{3/2}, see [`hertz_stiffness`]
/// * `overlap` — δ in m
///
/// For `δ` much smaller than the radii.
///
/// Source: Hertz (1882); Ray, Kempe & Fröhlich (1).
#[inline(always)]
pub fn hertz_elastic_force(k: f64, overlap: f64) -> f64 {
    let overlap = overlap.max(0.0);
    rooted_hertz_elastic_force(k, overlap, overlap.sqrt())
}

/// As [`hertz_elastic_force`] at an overlap δ ≥ 0 whose `root` √δ is known.
#[inline(always)]
pub(crate) fn rooted_hertz_elastic_force<N: Number>(k: N, overlap: N, root: N) -> N {
    k * overlap * root
}

/// Tangent stiffness of a Hertzian contact in N/m.
///
/// ```text
/// dF_el/dδ = (3/2) k √δ = 2 E* √(R* δ)
/// ```
///
/// * `k` — stiffness in N/m^{3/2}
/// * `overlap` — δ in m; 0 for `δ ≤ 0`
#[inline(always)]
pub fn hertz_tangent_stiffness(k: f64, overlap: f64) -> f64 {
    1.5 * k * overlap.max(0.0).sqrt()
}

/// Energy stored in a Hertzian contact in J.
///
/// ```text
/// U = (2/5) k δ^{5/2},   dU/dδ = F_el
/// ```
///
/// * `k` — stiffness in N/m^{3/2}
/// * `overlap` — δ in m; 0 for `δ ≤ 0`
///
/// Source: Ray, Kempe & Fröhlich (58), where the factor is misprinted as 5/2.
#[inline(always)]
pub fn hertz_elastic_energy(k: f64, overlap: f64) -> f64 {
    let overlap = overlap.max(0.0);
    0.4 * k * overlap * overlap * overlap.sqrt()
}

/// Unit of time of a Hertzian collision in s.
///
/// ```text
/// t* = (m*²/(k² u))^{1/5}
/// ```
///
/// * `k` — stiffness in N/m^{3/2}
/// * `mass` — reduced mass m* in kg
/// * `speed` — approach speed u at first touch in m/s; infinite time at `u = 0`
///
/// Source: Ray, Kempe & Fröhlich (5). Their (4) should have the coefficients `t* d/m` and
/// `k u^{1/2} t*^{5/2}/m`.
#[inline]
pub fn hertz_time_unit(k: f64, mass: f64, speed: f64) -> f64 {
    let ratio = mass / k;
    (ratio * ratio / speed).powf(0.2)
}

/// Duration of an elastic Hertzian collision in s.
///
/// ```text
/// T = τ_c0 (m*²/(k² u))^{1/5},   τ_c0 = 3.218…
/// ```
///
/// * `k` — stiffness in N/m^{3/2}
/// * `mass` — reduced mass m* in kg
/// * `speed` — approach speed u at first touch in m/s
///
/// Source: Ray, Kempe & Fröhlich (9).
#[inline]
pub fn hertz_contact_time(k: f64, mass: f64, speed: f64) -> f64 {
    TAU_C0 * hertz_time_unit(k, mass, speed)
}

/// Greatest overlap of an elastic Hertzian collision in m.
///
/// ```text
/// δ_max = (5/4)^{2/5} u t*,   i.e. (2/5) k δ_max^{5/2} = ½ m* u²
/// ```
///
/// * `k` — stiffness in N/m^{3/2}
/// * `mass` — reduced mass m* in kg
/// * `speed` — approach speed u at first touch in m/s
#[inline]
pub fn hertz_max_overlap(k: f64, mass: f64, speed: f64) -> f64 {
    // u t* = (m² u⁴/k²)^{1/5}, written so that u = 0 gives 0.
    let ratio = mass * speed * speed / k;
    Z_MAX0 * (ratio * ratio).powf(0.2)
}
