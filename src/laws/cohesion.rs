//! Adhesion between dry grains: DMT, JKR, and the simplified JKR of DEM practice.
//!
//! | law | attraction | suited to |
//! |---|---|---|
//! | DMT | constant while touching, added to Hertz | small, stiff grains |
//! | JKR | by the contact radius, *replaces* Hertz | large, soft grains; has a neck |
//! | simplified JKR | by the contact circle, added to Hertz | tuning bulk cohesion |
//!
//! `w` is the work of adhesion in J/m², the energy to part a unit of area: for equal materials
//! twice the surface energy. Forces are repulsive positive, energies potentials in the overlap:
//! `F = dU/dδ`.

use std::f64::consts::PI;

/// Attraction of Derjaguin, Muller and Toporov in N, to be added to Hertz's force of a pair in
/// contact.
///
/// ```text
/// F = −2π w R*
/// ```
///
/// * `w` — work of adhesion in J/m²
/// * `reduced_radius` — R* in m
///
/// Its size is also the pull-off force, reached at `δ = 0`. The force jumps there: a law for
/// touching grains, with no range beyond contact.
///
/// Source: Derjaguin, Muller & Toporov, in the later form with a constant attraction.
#[inline(always)]
pub fn dmt_force(w: f64, reduced_radius: f64) -> f64 {
    -2.0 * PI * w * reduced_radius
}

/// Energy of the DMT attraction in J.
///
/// ```text
/// U = −2π w R* max(δ, 0)
/// ```
///
/// * `w` — work of adhesion in J/m²
/// * `reduced_radius` — R* in m
/// * `overlap` — δ in m
#[inline(always)]
pub fn dmt_energy(w: f64, reduced_radius: f64, overlap: f64) -> f64 {
    dmt_force(w, reduced_radius) * overlap.max(0.0)
}

/// Attraction of the simplified JKR law in N, to be added to Hertz's force.
///
/// ```text
/// F = −k_c A_c
/// A_c = π δ (2R_i − δ)(2R_j − δ)(2R_i + 2R_j − δ)/(4 (R_i + R_j − δ)²)
/// wall:  A_c = π δ (2R − δ)
/// ```
///
/// * `energy_density` — cohesion energy density `k_c` in J/m³
/// * `overlap` — δ in m; 0 for `δ ≤ 0`
/// * `radius_i`, `radius_j` — in m; one may be infinite, a wall
///
/// `A_c` is the area of the circle in which the two spheres cut each other. The name is from
/// LIGGGHTS, where the law is customary; JKR theory gives no such force.
#[inline(always)]
pub fn sjkr_force(energy_density: f64, overlap: f64, radius_i: f64, radius_j: f64) -> f64 {
    let overlap = overlap.max(0.0);
    let radius = radius_i.min(radius_j);
    let curvature = 1.0 / radius_i.max(radius_j); // 0 for a wall, so one formula serves both
    let half = 0.5 * overlap;
    let distance = 1.0 + (radius - overlap) * curvature;
    let wall_area = PI * overlap * (2.0 * radius - overlap);
    let area = wall_area * (1.0 - half * curvature) * (1.0 + (radius - half) * curvature)
        / (distance * distance);
    -energy_density * area
}

/// Energy of the simplified JKR attraction in J.
///
/// ```text
/// U = −k_c V,   V = π δ² (12 R_i R_j − 4(R_i + R_j) δ + δ²)/(12 (R_i + R_j − δ))
/// wall:  V = π δ² (R − δ/3)
/// ```
///
/// * `energy_density` — cohesion energy density `k_c` in J/m³
/// * `overlap` — δ in m; 0 for `δ ≤ 0`
/// * `radius_i`, `radius_j` — in m; one may be infinite, a wall
///
/// V is the volume the spheres share: its derivative with respect to the overlap is the area `A_c`
/// of [`sjkr_force`].
#[inline(always)]
pub fn sjkr_energy(energy_density: f64, overlap: f64, radius_i: f64, radius_j: f64) -> f64 {
    let overlap = overlap.max(0.0);
    let radius = radius_i.min(radius_j);
    let curvature = 1.0 / radius_i.max(radius_j);
    let shape =
        12.0 * radius - 4.0 * (1.0 + radius * curvature) * overlap + curvature * overlap * overlap;
    let volume = PI * overlap * overlap * shape / (12.0 * (1.0 + (radius - overlap) * curvature));
    -energy_density * volume
}

/// Radius of the contact circle of a JKR contact in m.
///
/// ```text
/// δ = a²/R* − √(2π w a/E*),   the larger solution a
/// ```
///
/// * `overlap` — δ in m; at least [`jkr_snap_off_overlap`], below which there is no solution and
///   the radius at snap-off is returned
/// * `w` — work of adhesion in J/m²
/// * `effective_young` — E* in Pa
/// * `reduced_radius` — R* in m
///
/// With `x² = a/R*` this is the quartic `x⁴ = p x + q`, `p = √(2πw/(E*R*))`, `q = δ/R*`. Ferrari's
/// method splits it with the positive root m of `m³ + q m = p²/8`, and the larger real root is
/// `x = ½(√(2m) + √(4√(q + m²) − 2m))`. All terms are written without cancellation, and `w = 0`
/// gives Hertz's `a = √(R* δ)`. At snap-off the root is double, and a and the force are good to
/// half the digits.
///
/// Source: Johnson, Kendall & Roberts; the closed form is Ferrari's and Cardano's.
#[inline]
pub fn jkr_contact_radius(overlap: f64, w: f64, effective_young: f64, reduced_radius: f64) -> f64 {
    let q = overlap / reduced_radius;
    let c = 0.25 * PI * w / (effective_young * reduced_radius); // p²/8
    let third = q / 3.0;
    let discriminant = (0.25 * c * c + third * third * third).max(0.0);
    let u = (0.5 * c + discriminant.sqrt()).cbrt();
    let q = q.max(-3.0 * u * u); // not below snap-off
    let v = if u > 0.0 { q / (3.0 * u) } else { 0.0 };
    // m = u − v as (u³ − v³)/(u² + uv + v²): no cancellation where q > 0.
    let square = u * u + u * v + v * v;
    let m = if square > 0.0 { c / square } else { 0.0 };
    let outer = (2.0 * m).sqrt();
    let inner = (4.0 * (q + m * m).sqrt() - 2.0 * m).max(0.0).sqrt();
    let x = 0.5 * (outer + inner);
    reduced_radius * x * x
}

/// Normal force of a JKR contact in N: elastic repulsion and adhesion together, in place of Hertz's
/// force.
///
/// ```text
/// F = 4 E* a³/(3 R*) − √(8π w E* a³)
/// ```
///
/// * `contact_radius` — a in m, see [`jkr_contact_radius`]
/// * `w` — work of adhesion in J/m²
/// * `effective_young` — E* in Pa
/// * `reduced_radius` — R* in m
///
/// A contact begins at `δ = 0`, where it pulls at once with `(4/3)π w R*`, and lives on at negative
/// overlap until it snaps off: the neighbour search must keep such pairs.
///
/// Source: Johnson, Kendall & Roberts.
#[inline(always)]
pub fn jkr_force(contact_radius: f64, w: f64, effective_young: f64, reduced_radius: f64) -> f64 {
    let cube = contact_radius * contact_radius * contact_radius;
    4.0 / 3.0 * effective_young * cube / reduced_radius
        - (8.0 * PI * w * effective_young * cube).sqrt()
}

/// Energy of a JKR contact in J, zero at `δ = 0` on the contact branch.
///
/// ```text
/// U = ∫₀^δ F dδ′ = 8 E* a⁵/(15 R*²) − (4/3)√(2π w E*) a^{7/2}/R* + π w a² + (3/5) π w a₀²
/// a₀³ = 2π w R*²/E*,   the contact radius at δ = 0
/// ```
///
/// * `contact_radius` — a in m, see [`jkr_contact_radius`]
/// * `w` — work of adhesion in J/m²
/// * `effective_young` — E* in Pa
/// * `reduced_radius` — R* in m
///
/// At snap-off it is `7.09 (w⁵ R*⁴/E*²)^{1/3}`, which is lost when the neck breaks: every
/// separation costs that much, without any damper.
///
/// Source: Johnson, Kendall & Roberts' force integrated; the work of separation agrees with
/// Thornton & Ning (1998).
#[inline]
pub fn jkr_energy(contact_radius: f64, w: f64, effective_young: f64, reduced_radius: f64) -> f64 {
    let a = contact_radius;
    let square = a * a;
    let elastic =
        8.0 / 15.0 * effective_young * square * square * a / (reduced_radius * reduced_radius);
    let mixed =
        4.0 / 3.0 * (2.0 * PI * w * effective_young * a).sqrt() * square * a / reduced_radius;
    let first = (2.0 * PI * w * reduced_radius * reduced_radius / effective_young).cbrt();
    elastic - mixed + PI * w * (square + 0.6 * first * first)
}

/// Force that pulls a JKR contact apart in N, as a positive number.
///
/// ```text
/// F_off = (3/2) π w R*,   at a³ = 9π w R*²/(8 E*)
/// ```
///
/// * `w` — work of adhesion in J/m²
/// * `reduced_radius` — R* in m
///
/// The normal force is never below `−F_off`. Independent of stiffness.
///
/// Source: Johnson, Kendall & Roberts.
#[inline]
pub fn jkr_pull_off_force(w: f64, reduced_radius: f64) -> f64 {
    1.5 * PI * w * reduced_radius
}

/// Overlap at which the neck of a JKR contact breaks, in m; negative.
///
/// ```text
/// δ_off = −(3/4) (π² w² R*/E*²)^{1/3}
/// ```
///
/// * `w` — work of adhesion in J/m²
/// * `effective_young` — E* in Pa
/// * `reduced_radius` — R* in m
///
/// There `F = −(5/6) π w R*`. It lies beyond the pull-off force: under a given load a contact
/// breaks at pull-off, under a given displacement here.
///
/// Source: `dδ/da = 0` on the curve of Johnson, Kendall & Roberts.
#[inline]
pub fn jkr_snap_off_overlap(w: f64, effective_young: f64, reduced_radius: f64) -> f64 {
    let strain = PI * w / effective_young;
    -0.75 * (strain * strain * reduced_radius).cbrt()
}
