//! Random arguments, in the units of the kernels: a grain's radius and mass, and a time step.

use glam::DVec3;
use lahar::gpu::layout::PairCoefficients;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Reproducible random numbers.
pub(crate) struct Draw(Pcg64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    /// Evenly in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Evenly between two numbers.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// One of so many.
    pub(crate) fn choice(&mut self, count: u32) -> u32 {
        (self.0.next_u64() % u64::from(count)) as u32
    }

    /// Its logarithm evenly between those of two numbers.
    pub(crate) fn scale(&mut self, low: f64, high: f64) -> f32 {
        (low.ln() + (high / low).ln() * self.unit()).exp() as f32
    }

    /// The same with either sign.
    pub(crate) fn signed(&mut self, low: f64, high: f64) -> f32 {
        let size = self.scale(low, high);
        if self.choice(2) == 0 { size } else { -size }
    }

    /// Unit vector in any direction.
    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::from_array(std::array::from_fn(|_| self.between(-1.0, 1.0)));
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    /// Any direction, its length between two numbers.
    pub(crate) fn vector(&mut self, low: f64, high: f64) -> [f32; 3] {
        let size = f64::from(self.scale(low, high));
        (size * self.direction()).to_array().map(|x| x as f32)
    }

    pub(crate) fn normal(&mut self) -> [f32; 3] {
        self.direction().to_array().map(|x| x as f32)
    }

    pub(crate) fn stiffness(&mut self) -> f32 {
        self.scale(1e-6, 1e-1)
    }

    pub(crate) fn damping(&mut self) -> f32 {
        self.scale(1e-7, 1e-1)
    }

    /// One in eight is not positive: grains that do not touch.
    pub(crate) fn overlap(&mut self) -> f32 {
        match self.choice(16) {
            0 => 0.0,
            1 => -self.scale(1e-6, 1e-1),
            _ => self.scale(1e-6, 1e-1),
        }
    }

    pub(crate) fn rate(&mut self) -> f32 {
        self.signed(1e-8, 1e-1)
    }

    pub(crate) fn mass(&mut self) -> f32 {
        self.scale(1e-3, 1e3)
    }

    pub(crate) fn radius(&mut self) -> f32 {
        self.scale(0.05, 20.0)
    }

    pub(crate) fn force(&mut self) -> f32 {
        self.signed(1e-15, 1e-2)
    }

    pub(crate) fn friction(&mut self) -> f32 {
        self.scale(1e-3, 2.0)
    }

    /// Work of adhesion: contacts from hardly to thoroughly sticky.
    pub(crate) fn adhesion(&mut self) -> f32 {
        self.scale(1e-12, 1e-4)
    }

    /// Restitution from 0.01 to all but 1.
    pub(crate) fn restitution(&mut self) -> f32 {
        1.0 - self.scale(1e-5, 0.99)
    }

    pub(crate) fn contact_time(&mut self) -> f32 {
        self.scale(5.0, 1e4)
    }

    /// Coefficients of two materials, each there or, like one that a scene does not give, zero.
    pub(crate) fn pair(&mut self) -> PairCoefficients {
        let mut pair = PairCoefficients {
            stiffness: self.stiffness(),
            hertz_modulus: self.stiffness(),
            damping: self.damping(),
            damping_ratio: self.scale(1e-3, 2.0),
            stiffness_per_mass: self.stiffness(),
            damping_per_mass: self.damping(),
            viscoelastic_time: self.scale(1e-3, 1e2),
            restitution: self.restitution(),
            friction: self.friction(),
            tangential_stiffness: self.stiffness(),
            mindlin_modulus: self.stiffness(),
            tangential_damping: self.damping(),
            tangential_damping_ratio: self.scale(1e-3, 2.0),
            tangential_stiffness_per_mass: self.stiffness(),
            tangential_damping_per_mass: self.damping(),
            rolling_friction: self.friction(),
            rolling_damping: self.scale(1e-3, 2.0),
            work_of_adhesion: self.adhesion(),
            cohesion_energy_density: self.stiffness(),
            effective_young: self.stiffness(),
        };
        // A stiffness is given or follows from the materials, or is not known at all.
        match self.choice(3) {
            0 => pair.stiffness = 0.0,
            1 => pair.hertz_modulus = 0.0,
            _ => (pair.stiffness, pair.hertz_modulus) = (0.0, 0.0),
        }
        pair
    }
}
