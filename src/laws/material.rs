//! Material and geometry of a pair: masses, radii and moduli as the contact laws want them.

use super::number::Number;

use std::f64::consts::PI;

/// Reduced value of two masses, radii or stiffnesses in series.
///
/// ```text
/// ab/(a + b)
/// ```
///
/// * `a`, `b` — non-negative, in the same unit, which is also that of the result
///
/// An infinite argument is a wall (or a rigid body) and gives the other argument exactly; two give
/// infinity. This is half the *harmonic* mean. The relative motion of two free bodies obeys
/// `m* δ̈ = −F_n` with it, whatever their masses and under any uniform gravity.
///
/// Source: Teufelsbauer, Hübl & Wu (4), which their text calls the geometric mean; Costa et al.
/// (19).
#[inline]
pub fn reduced(a: f64, b: f64) -> f64 {
    let smaller = a.min(b);
    let larger = a.max(b);
    if smaller == 0.0 || larger == f64::INFINITY {
        smaller
    } else {
        smaller / (1.0 + smaller / larger)
    }
}

/// Volume of a sphere in m³.
///
/// ```text
/// V = (4/3) π R³
/// ```
///
/// * `radius` — R in m
#[inline]
pub fn sphere_volume(radius: f64) -> f64 {
    4.0 / 3.0 * PI * radius * radius * radius
}

/// Mass of a solid sphere in kg.
///
/// ```text
/// m = ρ (4/3) π R³
/// ```
///
/// * `density` — ρ in kg/m³
/// * `radius` — R in m
#[inline]
pub fn sphere_mass(density: f64, radius: f64) -> f64 {
    density * sphere_volume(radius)
}

/// Moment of inertia of a solid sphere about its centre in kg m².
///
/// ```text
/// I = (2/5) m R²
/// ```
///
/// * `mass` — m in kg
/// * `radius` — R in m
#[inline]
pub fn sphere_inertia(mass: f64, radius: f64) -> f64 {
    0.4 * mass * radius * radius
}

/// Shear modulus of an isotropic solid in Pa.
///
/// ```text
/// G = E/(2(1 + ν))
/// ```
///
/// * `young` — E in Pa; infinite for a rigid body
/// * `poisson` — ν, in (−1, 0.5]
#[inline]
pub fn shear_modulus(young: f64, poisson: f64) -> f64 {
    young / (2.0 * (1.0 + poisson))
}

/// Effective Young's modulus of two bodies pressed together, in Pa.
///
/// ```text
/// 1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂
/// ```
///
/// * `e1`, `e2` — Young's moduli in Pa; an infinite one is a rigid body and drops out; two give
///   infinity
/// * `nu1`, `nu2` — Poisson's ratios
///
/// Source: Hertz's theory, e.g. Johnson, *Contact Mechanics* (1985), (4.24).
#[inline]
pub fn effective_young_modulus(e1: f64, nu1: f64, e2: f64, nu2: f64) -> f64 {
    1.0 / ((1.0 - nu1 * nu1) / e1 + (1.0 - nu2 * nu2) / e2)
}

/// Effective shear modulus of two bodies sheared against each other, in Pa.
///
/// ```text
/// 1/G* = (2 − ν₁)/G₁ + (2 − ν₂)/G₂,   G = E/(2(1 + ν))
/// ```
///
/// * `e1`, `e2` — *Young's* moduli in Pa; an infinite one is a rigid body and drops out; two give
///   infinity
/// * `nu1`, `nu2` — Poisson's ratios
///
/// Source: Mindlin (1949); Johnson, *Contact Mechanics* (1985), section 7.2.
#[inline]
pub fn effective_shear_modulus(e1: f64, nu1: f64, e2: f64, nu2: f64) -> f64 {
    1.0 / ((2.0 - nu1) / shear_modulus(e1, nu1) + (2.0 - nu2) / shear_modulus(e2, nu2))
}

/// Time a Rayleigh surface wave needs from pole to pole of a sphere, in s: the scale of a stable
/// time step.
///
/// ```text
/// Δt_R = π R √(ρ/G) / (0.1631 ν + 0.8766)
/// ```
///
/// * `radius` — R in m
/// * `density` — ρ in kg/m³
/// * `young` — Young's modulus in Pa
/// * `poisson` — ν
///
/// Take the smallest over all particles and use 0.1 to 0.3 of it. The fit of the wave speed in the
/// denominator is customary in DEM and not derived here.
#[inline]
pub fn rayleigh_time(radius: f64, density: f64, young: f64, poisson: f64) -> f64 {
    PI * radius * (density / shear_modulus(young, poisson)).sqrt() / (0.1631 * poisson + 0.8766)
}

/// Reduced mass of the slip at the contact of two solid spheres, or of a sphere and a wall, in kg.
///
/// ```text
/// 1/m_t = 1/m_i + 1/m_j + R_i²/I_i + R_j²/I_j,   I = (2/5) m R²   ⇒   m_t = (2/7) m*
/// ```
///
/// * `reduced_mass` — m* in kg
///
/// A tangential force changes the slip by `F_t Δt/m_t`, because it also spins the spheres.
///
/// Source: Costa et al. (26) with K² = 2/5.
#[inline]
pub fn tangential_reduced_mass<N: Number>(reduced_mass: N) -> N {
    N::all(2.0 / 7.0) * reduced_mass
}
