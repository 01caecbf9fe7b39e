//! The liquid film between two grains, or a grain and a wall, that approach in a viscous fluid.
//!
//! Squeezing a film of thickness h out of the gap of two spheres takes a force that grows like 1/h.
//! Costa et al. add what a flow solver on a grid of spacing Δx cannot resolve of it: the *amplification*
//! λ of Stokes' drag at the gap, less that at the gap `ε_Δx` from which on the grid resolves the flow.
//! Asperities keep surfaces apart, so that λ stays constant below the roughness `ε_σ`.
//!
//! ```text
//! ε = h/L,   h = −δ the gap,   L the radius (wall) or the mean radius (pair)
//! F = −6π μ u_n RΛ(ε),   Λ = λ(max(ε, ε_σ)) − λ(ε_Δx)  for 0 ≤ ε < ε_Δx,   0 elsewhere
//! ```
//!
//! `u_n > 0` while the surfaces approach; the force opposes approach and separation alike and is zero
//! once the surfaces touch. Everything here is for the gap alone: the flow around the grains is not
//! resolved. Tangential lubrication, which grows like ln ε only, is neglected, as in the paper.
//!
//! The force is linear in the rate of the gap, so what it takes of the motion between two gaps depends
//! on the gaps alone ([`film_impulse`]), whatever the grains did in between.
//!
//! Source: Costa et al., section III. The gap must be read with the sign opposite to their (13).

use super::material::{reduced, sphere_mass};
use std::f64::consts::PI;

/// The film between two surfaces of given radii: `RΛ(ε)` as an expansion in ε, and where it holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Film {
    /// Coefficient of 1/ε, m.
    pub leading: f64,
    /// Coefficient of −ln ε, m.
    pub logarithmic: f64,
    /// Coefficient of −ε ln ε, m.
    pub small: f64,
    /// L that makes ε of a gap, m.
    pub length: f64,
    /// Gap `ε_Δx` from which on the flow is resolved.
    pub resolved: f64,
    /// Roughness `ε_σ`, below which the film does not get stronger; less than `resolved`.
    pub roughness: f64,
}

/// The film between spheres of radii `R_i` and `R_j`; an infinite `R_j` is a plane wall.
///
/// ```text
/// wall   Rλ = R [1/ε − (1/5) ln ε − (1/21) ε ln ε],                                ε = h/R
/// pair   Rλ = [2 R_i² R_j²/ε − R_i R_j (R_i² + 7 R_i R_j + R_j²)/5 · ln ε
///              − (R_i⁴ + 18 R_i³ R_j − 29 R_i² R_j² + 18 R_i R_j³ + R_j⁴)/42 · ε ln ε]/(R_i + R_j)³,
///                                                                        ε = 2h/(R_i + R_j)
/// ```
///
/// * `radius_i`, `radius_j` — m
/// * `resolved` — `ε_Δx` > 0
/// * `roughness` — `ε_σ`, more than 0, less than `resolved`
///
/// With the *relative* velocity of the surfaces; constants are left out, for they cancel in Λ.
///
/// Source: Costa et al. (33); for pairs Jeffrey & Onishi (1984), which for equal radii is half of (32):
/// that is per velocity of each sphere towards the middle, and with the relative velocity it would be
/// twice too strong.
pub fn film_between(radius_i: f64, radius_j: f64, resolved: f64, roughness: f64) -> Film {
    if radius_j == f64::INFINITY {
        return Film {
            leading: radius_i,
            logarithmic: radius_i / 5.0,
            small: radius_i / 21.0,
            length: radius_i,
            resolved,
            roughness,
        };
    }
    let sum = radius_i + radius_j;
    // In terms of R_i/(R_i + R_j): no power of a radius leaves the range of numbers.
    let (a, b) = (radius_i / sum, radius_j / sum);
    let product = a * b;
    let squares = a * a + b * b;
    Film {
        leading: 2.0 * product * product * sum,
        logarithmic: product * (squares + 7.0 * product) / 5.0 * sum,
        small: (squares * squares - 31.0 * product * product + 18.0 * product * squares) / 42.0
            * sum,
        length: 0.5 * sum,
        resolved,
        roughness,
    }
}

/// Radius times the amplification λ of Stokes' drag, m, up to a constant; see [`film_between`].
///
/// * `gap` — ε > 0
///
/// The force is `6π μ u_n` times this.
pub fn film_amplification(film: Film, gap: f64) -> f64 {
    let log = gap.ln();
    film.leading / gap - film.logarithmic * log - film.small * gap * log
}

/// RΛ(ε), m: what the flow solver lacks.
///
/// * `gap` — ε; negative where the surfaces overlap
///
/// Source: Costa et al. (34).
pub fn film_correction(film: Film, gap: f64) -> f64 {
    if !(gap >= 0.0 && gap < film.resolved) {
        return 0.0;
    }
    film_amplification(film, gap.max(film.roughness)) - film_amplification(film, film.resolved)
}

/// What the film multiplies the rate of approach with, N s/m.
///
/// * `viscosity` — μ in Pa s
/// * `gap` — h in m, negative where the surfaces overlap
///
/// Source: Costa et al. (34).
pub fn film_damping(film: Film, viscosity: f64, gap: f64) -> f64 {
    6.0 * PI * viscosity * film_correction(film, gap / film.length)
}

/// Impulse that the film takes while the gap shrinks from `start` by `way`, N s; negative while it grows.
///
/// ```text
/// ∫F dt = 6π μ ∫RΛ dh
/// ```
///
/// * `viscosity` — μ in Pa s
/// * `start` — the gap before, m; negative where the surfaces overlap
/// * `way` — how much it shrinks, m
///
/// Source: integral of Costa et al. (34).
pub fn film_impulse(film: Film, viscosity: f64, start: f64, way: f64) -> f64 {
    let moved = way / film.length;
    let before = start / film.length;
    let after = before - moved;
    let high = before.max(after);
    let low = before.min(after);
    // Where the surfaces are rough, Λ is constant.
    let rough = (high.min(film.roughness) - low.max(0.0)).max(0.0);
    let top = high.min(film.resolved);
    let bottom = low.max(film.roughness);
    let mut smooth = top - bottom;
    if high <= film.resolved && low >= film.roughness {
        // Not from the difference of two gaps: a short way would drown in their rounding.
        smooth = moved.abs();
    }
    let mut integral = rough * film_correction(film, film.roughness);
    if smooth > 0.0 {
        // ln(top/bottom); ∫ln ε and ∫ε ln ε written with it lose no digits either.
        let ratio = (smooth / bottom).ln_1p();
        let log = top.ln();
        let mean = smooth * (top + bottom);
        let logs = smooth * (log - 1.0) + bottom * ratio;
        let small = 0.5 * mean * (log - 0.5) + 0.5 * bottom * bottom * ratio;
        integral += film.leading * ratio
            - film.logarithmic * logs
            - film.small * small
            - smooth * film_amplification(film, film.resolved);
    }
    6.0 * PI * viscosity * film.length * integral * way.signum()
}

/// Most rounds of [`film_rate`].
const RATE_ROUNDS: u32 = 60;

/// Change of the rate, of that without the film, at which [`film_rate`] is content.
const RATE_CLOSE_ENOUGH: f64 = 1e-14;

/// Rate of approach in the middle of a kick of length Δt during which the film acts, m/s.
///
/// The gap shrinks by y Δt in the kick, which takes `J` = [`film_impulse`] of the motion; half of that
/// has acted by its middle:
///
/// ```text
/// y = y_free − J(h, y Δt)/2m*
/// ```
///
/// Successive kicks begin where the last one ended, so however long steps are, a passage through the film
/// takes the impulse between its two ends. The right side falls with y: there is one solution,
/// between 0 and `y_free`, and the film never gives energy.
///
/// * `viscosity` — μ in Pa s
/// * `inverse_mass` — 1/m* in 1/kg
/// * `start` — the gap at the beginning of the kick, m
/// * `free_rate` — the rate that the middle of the kick would have without the film, m/s
/// * `step` — Δt in s
///
/// Solved by Newton's method, or halving the interval where that would leave it or not come nearer: the
/// film ends at touch, and Newton's method may go back and forth across it for ever.
pub fn film_rate(
    film: Film,
    viscosity: f64,
    inverse_mass: f64,
    start: f64,
    free_rate: f64,
    step: f64,
) -> f64 {
    let half = 0.5 * inverse_mass;
    // As if the grains approached: the film is the same both ways.
    let direction = free_rate.signum();
    let (mut low, mut high) = (0.0, free_rate.abs());
    let mut rate = high;
    let mut last_change = 2.0 * high;
    for _ in 0..RATE_ROUNDS {
        let way = direction * rate * step;
        let impulse = direction * film_impulse(film, viscosity, start, way);
        let excess = rate - free_rate.abs() + half * impulse;
        if excess > 0.0 {
            high = rate;
        } else {
            low = rate;
        }
        let slope = 1.0 + half * step * film_damping(film, viscosity, start - way);
        let mut next = rate - excess / slope;
        if !(next >= low && next <= high && (next - rate).abs() <= 0.5 * last_change) {
            next = 0.5 * (low + high);
        }
        let change = (next - rate).abs();
        last_change = change;
        rate = next;
        if change <= RATE_CLOSE_ENOUGH * free_rate.abs() {
            break;
        }
    }
    direction * rate
}

/// Speed at touch over the speed at which a grain entered the film, only the film acting; negative if
/// it does not get through.
///
/// ```text
/// v/v₀ = 1 − J/(m* v₀) = 1 − C/St
/// ```
///
/// with C = ∫Λ dε for a wall and 2∫Λ dε for two equal grains.
///
/// * `stokes` — St, see [`impact_stokes_number`], with the relative velocity and the first grain
/// * `radius_i`, `radius_j` — as in [`film_between`], m; both grains of one density
///
/// Source: (34) with Newton's law.
pub fn film_speed_at_touch(film: Film, radius_i: f64, radius_j: f64, stokes: f64) -> f64 {
    let width = film.resolved * film.length;
    // Per viscosity and density; St = ρ u D/9μ.
    let mass_j = if radius_j.is_finite() {
        sphere_mass(1.0, radius_j)
    } else {
        f64::INFINITY
    };
    let mass = reduced(sphere_mass(1.0, radius_i), mass_j);
    let speed = 9.0 * stokes / (2.0 * radius_i);
    1.0 - film_impulse(film, 1.0, width, width) / (mass * speed)
}

/// Restitution of a bounce through the film, in and out again, of a contact with dry restitution
/// `dry`: 0 where the grain does not come out again.
///
/// ```text
/// e = e_d − (1 + e_d) C/St
/// ```
///
/// Source: as [`film_speed_at_touch`], on both ways.
pub fn film_restitution(dry: f64, speed_at_touch: f64) -> f64 {
    let lost = 1.0 - speed_at_touch;
    (dry - (1.0 + dry) * lost).max(0.0)
}

/// Impact Stokes number `St = ρ_p u D/(9 μ)`.
///
/// * `density` — `ρ_p` of the grain in kg/m³
/// * `speed` — u in m/s
/// * `diameter` — D in m
/// * `viscosity` — μ in Pa s
///
/// Source: Costa et al., section I.
pub fn impact_stokes_number(density: f64, speed: f64, diameter: f64, viscosity: f64) -> f64 {
    density * speed * diameter / (9.0 * viscosity)
}
