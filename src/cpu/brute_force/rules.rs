//! The laws of the all-pairs engine that a test may replace by wrong ones.

use crate::laws::hertz::hertz_elastic_energy;
use crate::laws::rolling::constant_rolling_moment;
use crate::laws::tangential::{
    TangentialForce, linear_slider_force, mindlin_slider_force, transport_spring,
};
use glam::DVec3;

/// Laws that are easily got wrong, as values. [`Rules::default`] are the right ones; tests put in wrong
/// ones to see that `lahar verify` notices.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The mass that makes a dashpot of a damping ratio or a restitution, from the inverse masses of the
    /// two bodies: the reduced one.
    pub damping_mass: fn([f64; 2]) -> f64,
    /// What becomes of the coefficient of a normal damper: nothing.
    pub damper: fn(f64) -> f64,
    /// How a tangential spring follows the normal.
    pub transport_spring: fn(DVec3, DVec3) -> DVec3,
    /// Linear tangential spring with a slider that shortens it.
    pub linear_slider: fn(f64, f64, DVec3, DVec3, f64) -> TangentialForce,
    /// Mindlin's tangential spring with its slider.
    pub mindlin_slider: fn(f64, f64, DVec3, DVec3, f64) -> TangentialForce,
    /// Energy in Hertz's spring.
    pub hertz_energy: fn(f64, f64) -> f64,
    /// Moment of constant rolling resistance.
    pub constant_rolling: fn(DVec3, f64, f64) -> DVec3,
    /// What becomes of the rate at which drag slows a grain: nothing.
    pub drag_rate: fn(f64) -> f64,
    /// What becomes of the viscosity in a film: nothing.
    pub film_viscosity: fn(f64) -> f64,
    /// The gap at which a film acts: the gap.
    pub film_gap: fn(f64) -> f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            damping_mass: |[a, b]| 1.0 / (a + b),
            damper: |coefficient| coefficient,
            transport_spring,
            linear_slider: linear_slider_force,
            mindlin_slider: mindlin_slider_force,
            hertz_energy: hertz_elastic_energy,
            constant_rolling: constant_rolling_moment,
            drag_rate: |rate| rate,
            film_viscosity: |viscosity| viscosity,
            film_gap: |gap| gap,
        }
    }
}
