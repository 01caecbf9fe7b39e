//! Units on the device: numbers near 1 fit `f32` best, and the time step is 1.
//!
//! Length and mass units are powers of two, so that what is read back can be written again without a
//! change of a bit, and depend on nothing that changes while a scene runs.

use crate::contact::PairCoefficients;
use crate::position::Grid;
use crate::scene::{ContactLaws, Scene, TangentialLaw};
use glam::DVec3;

/// Sizes of the device's units in SI.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Units {
    /// About the radius of the largest grain, m.
    pub length: f64,
    /// The time step, s.
    pub time: f64,
    /// About the mass of such a grain, kg.
    pub mass: f64,
}

/// The power of two nearest below.
fn power_of_two(x: f64) -> f64 {
    x.log2().floor().exp2()
}

impl Units {
    /// Units for a scene with this grid of positions and this time step (s).
    pub fn new(scene: &Scene, grid: &Grid, time_step: f64) -> Self {
        // A cell of positions is a diameter wide, or more in a large domain.
        let length = power_of_two(grid.unit * f64::from(1u32 << 29));
        let density = scene.materials.first().map_or(1.0, |m| m.density);
        Self {
            length,
            time: time_step,
            mass: power_of_two(4.0 * density) * length.powi(3),
        }
    }

    /// Velocity, m/s.
    pub fn velocity(&self) -> f64 {
        self.length / self.time
    }

    /// Spin, rad/s.
    pub fn spin(&self) -> f64 {
        1.0 / self.time
    }

    /// Acceleration, m/s².
    pub fn acceleration(&self) -> f64 {
        self.length / (self.time * self.time)
    }

    /// Angular acceleration, rad/s².
    pub fn angular_acceleration(&self) -> f64 {
        1.0 / (self.time * self.time)
    }

    /// Force, N.
    pub fn force(&self) -> f64 {
        self.mass * self.acceleration()
    }

    /// Energy, J, and moment, N m.
    pub fn energy(&self) -> f64 {
        self.force() * self.length
    }

    /// Stiffness and work of adhesion, N/m.
    pub fn stiffness(&self) -> f64 {
        self.mass / (self.time * self.time)
    }

    /// Stiffness of Hertz's and Mindlin's springs, N/m^1.5.
    pub fn hertz_stiffness(&self) -> f64 {
        self.stiffness() / self.length.sqrt()
    }

    /// Damping, N s/m.
    pub fn damping(&self) -> f64 {
        self.mass / self.time
    }

    /// Modulus and energy density, Pa.
    pub fn pressure(&self) -> f64 {
        self.stiffness() / self.length
    }

    /// Coefficients of a pair of materials in these units.
    pub fn pair(&self, laws: &ContactLaws, pair: &PairCoefficients) -> PairCoefficients {
        let normal = if laws.normal.is_hertz() {
            self.hertz_stiffness()
        } else {
            self.stiffness()
        };
        let tangential = if laws.tangential == TangentialLaw::Mindlin {
            self.hertz_stiffness()
        } else {
            self.stiffness()
        };
        let square = self.time * self.time;
        PairCoefficients {
            stiffness: pair.stiffness / normal,
            hertz_modulus: pair.hertz_modulus / self.pressure(),
            damping: pair.damping / self.damping(),
            damping_ratio: pair.damping_ratio,
            stiffness_per_mass: pair.stiffness_per_mass * square,
            damping_per_mass: pair.damping_per_mass * self.time,
            viscoelastic_time: pair.viscoelastic_time / self.time,
            restitution: pair.restitution,
            friction: pair.friction,
            tangential_stiffness: pair.tangential_stiffness / tangential,
            mindlin_modulus: pair.mindlin_modulus / self.pressure(),
            tangential_damping: pair.tangential_damping / self.damping(),
            tangential_damping_ratio: pair.tangential_damping_ratio,
            tangential_stiffness_per_mass: pair.tangential_stiffness_per_mass * square,
            tangential_damping_per_mass: pair.tangential_damping_per_mass * self.time,
            rolling_friction: pair.rolling_friction,
            rolling_damping: pair.rolling_damping,
            work_of_adhesion: pair.work_of_adhesion / self.stiffness(),
            cohesion_energy_density: pair.cohesion_energy_density / self.pressure(),
            effective_young: pair.effective_young / self.pressure(),
        }
    }
}

/// A vector in SI as a device holds it, in units of `unit`.
#[allow(
    clippy::cast_possible_truncation,
    reason = "numbers on a device are f32"
)]
pub(crate) fn to_device(vector: DVec3, unit: f64) -> [f32; 3] {
    (vector / unit).to_array().map(|x| x as f32)
}

/// A vector of the device in SI.
pub(crate) fn from_device(vector: [f32; 3], unit: f64) -> DVec3 {
    DVec3::from_array(vector.map(f64::from)) * unit
}
