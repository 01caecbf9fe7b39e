//! A sphere that moves through a fluid at rest: drag, added mass and buoyancy.
//!
//! The flow itself is not resolved: each grain feels the fluid as if it were alone in it.

use super::material::sphere_volume;
use std::f64::consts::PI;

/// Drag coefficient of a sphere at large Reynolds numbers (Newton's regime).
const NEWTON_DRAG: f64 = 0.44;

/// Reynolds number `Re = 2 ρ u R/μ` of a sphere.
///
/// * `density` — ρ of the fluid in kg/m³
/// * `viscosity` — μ in Pa s
/// * `radius` — R in m
/// * `speed` — u in m/s
pub fn reynolds_number(density: f64, viscosity: f64, radius: f64, speed: f64) -> f64 {
    2.0 * density * speed * radius / viscosity
}

/// What inertia of the fluid multiplies Stokes' drag by.
///
/// ```text
/// f = max(1 + 0.15 Re^0.687, 0.44 Re/24)
/// ```
///
/// * `reynolds` — Re ≥ 0
///
/// Source: Schiller & Naumann (1935) up to Re of about 1000, where it meets the constant drag
/// coefficient 0.44 of larger ones.
pub fn schiller_naumann_factor(reynolds: f64) -> f64 {
    (1.0 + 0.15 * reynolds.powf(0.687)).max(NEWTON_DRAG / 24.0 * reynolds)
}

/// What Stokes' drag multiplies the velocity with, `6π μ R`, N s/m.
///
/// * `viscosity` — μ in Pa s
/// * `radius` — R in m
///
/// The force is against the velocity.
pub fn stokes_drag(viscosity: f64, radius: f64) -> f64 {
    6.0 * PI * viscosity * radius
}

/// What becomes of an acceleration when a drag acts besides, over one kick.
///
/// ```text
/// a = a₀ − κ v(t),   v(t) = v + a Δt/2   →   a = (a₀ − κ v)/(1 + κ Δt/2)
/// ```
///
/// for one component of vectors; a drag so strong that the kick would turn the motion round stops it
/// instead, and terminal velocities are exact at any step.
///
/// * `free` — a₀, the acceleration without drag, m/s²
/// * `velocity` — v half a kick before, m/s
/// * `rate` — κ, drag over mass, 1/s
/// * `step` — Δt in s
pub fn dragged_acceleration(free: f64, velocity: f64, rate: f64, step: f64) -> f64 {
    let half = 0.5 * rate * step;
    (free - rate * velocity) / (1.0 + half.max(2.0 * half - 1.0))
}

/// Mass of fluid that a sphere takes along, `½ ρ V`, kg.
///
/// * `density` — ρ of the fluid in kg/m³
/// * `radius` — R in m
pub fn added_mass(density: f64, radius: f64) -> f64 {
    0.5 * density * sphere_volume(radius)
}

/// Terminal velocity of a sphere in Stokes' regime, `2 (ρ_p − ρ) g R²/(9 μ)`, m/s.
///
/// * `density_difference` — `ρ_p − ρ` in kg/m³
/// * `gravity` — g in m/s²
/// * `radius` — R in m
/// * `viscosity` — μ in Pa s
pub fn stokes_terminal_velocity(
    density_difference: f64,
    gravity: f64,
    radius: f64,
    viscosity: f64,
) -> f64 {
    2.0 * density_difference * gravity * radius * radius / (9.0 * viscosity)
}

/// Time in which a sphere follows the fluid in Stokes' regime, `(ρ_p + ½ ρ) d²/(18 μ)`, s.
///
/// * `density` — `ρ_p` of the grain in kg/m³
/// * `fluid_density` — ρ of the fluid in kg/m³; zero: without added mass
/// * `radius` — R in m
/// * `viscosity` — μ in Pa s
pub fn stokes_relaxation_time(
    density: f64,
    fluid_density: f64,
    radius: f64,
    viscosity: f64,
) -> f64 {
    (density + 0.5 * fluid_density) * 4.0 * radius * radius / (18.0 * viscosity)
}
