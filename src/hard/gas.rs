//! Gases of equal grains: what kinetic theory speaks of.

use super::{HardEngine, HardError, HardModel, Leaving, StartingGrain};
use crate::laws::hard_sphere::CollisionRule;
use crate::laws::tc::{Dimensions, enskog_rate};
use glam::DVec3;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::PI;

/// Equal grains of 1 kg in a periodic box, without friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gas {
    /// Disks or spheres.
    pub dimensions: Dimensions,
    /// Number of grains.
    pub particles: usize,
    /// Part of the area or volume that they fill; less than a close lattice does.
    pub fraction: f64,
    /// Their radius, m.
    pub radius: f64,
    /// Of the random velocities.
    pub seed: u64,
}

/// A gas for tests.
#[cfg(test)]
pub(super) const FEW: Gas = Gas {
    dimensions: Dimensions::Three,
    particles: 500,
    fraction: 0.1,
    radius: 0.5,
    seed: 1,
};

/// A box and the grains in it.
pub type Filled = (HardModel, Vec<StartingGrain>);

impl Gas {
    /// Elastic grains on a lattice (hexagonal, face-centred cubic) with random velocities of up to 1 m/s along
    /// each axis and no drift.
    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn on_lattice(&self) -> Filled {
        let flat = self.dimensions == Dimensions::Two;
        let (places, cells, shape) = self.lattice();
        let size = match self.dimensions {
            Dimensions::Two => PI * self.radius * self.radius,
            Dimensions::Three => 4.0 / 3.0 * PI * self.radius.powi(3),
        };
        let room = self.particles as f64 * size / self.fraction;
        let upper = if flat {
            ((room / (shape.x * shape.y)).sqrt() * shape).with_z(2.0 * self.radius)
        } else {
            (room / (shape.x * shape.y * shape.z)).cbrt() * shape
        };
        let cell = upper / DVec3::from_array(cells.map(|count| count as f64));
        let mut random = Pcg64::seed_from_u64(self.seed);
        let mut draw = || (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let sites = (0..cells[2]).flat_map(|z| {
            let rows = (0..cells[1]).flat_map(move |y| (0..cells[0]).map(move |x| [x, y, z]));
            rows.flat_map(|corner| places.iter().map(move |place| (corner, *place)))
        });
        let mut grains: Vec<StartingGrain> = sites
            .take(self.particles)
            .map(|(corner, place)| {
                let corner = DVec3::from_array(corner.map(|count| count as f64));
                let velocity = DVec3::new(draw(), draw(), draw());
                StartingGrain {
                    position: (corner + DVec3::from_array(place)) * cell,
                    velocity: if flat { velocity.with_z(0.0) } else { velocity },
                    spin: DVec3::ZERO,
                    radius: self.radius,
                    mass: 1.0,
                    material: 0,
                    fixed: false,
                }
            })
            .collect();
        let drift: DVec3 = grains.iter().map(|grain| grain.velocity).sum();
        for grain in &mut grains {
            grain.velocity -= drift / self.particles as f64;
        }
        let model = HardModel {
            dimensions: self.dimensions,
            lower: DVec3::ZERO,
            upper,
            periodic: [true, true, !flat],
            leaving: Leaving::Stop,
            gravity: DVec3::ZERO,
            contact_duration: 0.0,
            faces: Vec::new(),
            rules: vec![CollisionRule::Smooth { restitution: 1.0 }],
            materials: 1,
        };
        (model, grains)
    }

    /// Places in a unit cell in parts of it, how many cells make room for all, and the shape of the box.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "roots of counts of grains"
    )]
    fn lattice(&self) -> (&'static [[f64; 3]], [usize; 3], DVec3) {
        let particles = self.particles.max(1);
        match self.dimensions {
            Dimensions::Two => {
                // A cell is √3 times as high as wide.
                let across = (particles as f64 / 2.0 * 3.0_f64.sqrt()).sqrt().ceil() as usize;
                let up = particles.div_ceil(2 * across);
                let shape = DVec3::new(across as f64, up as f64 * 3.0_f64.sqrt(), 1.0);
                (
                    &[[0.25, 0.25, 0.5], [0.75, 0.75, 0.5]],
                    [across, up, 1],
                    shape,
                )
            }
            Dimensions::Three => {
                let across = (particles as f64 / 4.0).cbrt().ceil() as usize;
                let places = &[
                    [0.25, 0.25, 0.25],
                    [0.75, 0.75, 0.25],
                    [0.75, 0.25, 0.75],
                    [0.25, 0.75, 0.75],
                ];
                (places, [across; 3], DVec3::splat(across as f64))
            }
        }
    }

    /// The gas after so many collisions of each grain without loss, which make the velocities Maxwell's; they are
    /// scaled so that Enskog's theory expects `rate` collisions of a grain per second.
    ///
    /// # Errors
    /// Whatever stops the engine.
    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn mixed(&self, collisions: u64, rate: f64) -> Result<HardEngine, HardError> {
        let (model, mut grains) = self.on_lattice();
        let engine = HardEngine::new(model.clone(), &grains);
        // No collision changes it.
        let temperature = engine.measure().temperature(self.dimensions.count());
        let density = self.particles as f64 / engine.volume();
        let expected = enskog_rate(self.dimensions, self.radius, density, temperature);
        for grain in &mut grains {
            grain.velocity *= rate / expected;
        }
        let mut engine = HardEngine::new(model, &grains);
        engine.run_collisions(collisions * self.particles as u64 / 2)?;
        Ok(engine)
    }
}

impl HardEngine {
    /// From now on all collisions have this restitution and no friction, with the TC rule unless
    /// `contact_duration` (s) is 0. Who collided when is not forgotten.
    pub fn lose(&mut self, restitution: f64, contact_duration: f64) {
        self.model.rules.fill(CollisionRule::Smooth { restitution });
        self.model.contact_duration = contact_duration;
    }

    /// Runs for so many collisions of two grains, or a few more; for ever if nothing collides.
    ///
    /// # Errors
    /// As [`run_until`](Self::run_until).
    pub fn run_collisions(&mut self, collisions: u64) -> Result<(), HardError> {
        const BATCH: u64 = 100;
        let target = self.tally().collisions + collisions;
        while self.tally().collisions < target {
            self.run_events(f64::INFINITY, BATCH)?;
        }
        Ok(())
    }
}
