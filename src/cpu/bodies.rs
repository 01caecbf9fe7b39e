//! Particle arrays of the CPU engine, in the order that suits its caches.

use crate::laws::material::{sphere_inertia, sphere_mass};
use crate::position::Grid;
use crate::scene::{Material, Particle};
use crate::state::ParticleState;
use glam::DVec3;

/// What a contact reads of a grain: two cache lines.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
pub(crate) struct Body {
    /// Position in whole units (integers that `f64` holds exactly).
    pub(crate) units: [f64; 3],
    /// Radius in whole units.
    pub(crate) radius_units: f64,
    /// What rounding to units left over, in units.
    pub(crate) remainder: [f64; 3],
    /// 1/mass, 1/kg; zero for a fixed grain.
    pub(crate) inverse_mass: f64,
    /// Velocity predicted for the instant of the position, m/s.
    pub(crate) velocity: [f64; 3],
    /// Radius, m.
    pub(crate) radius: f64,
    /// Spin predicted for the instant of the position, rad/s.
    pub(crate) spin: [f64; 3],
    /// Index of its material.
    pub(crate) material: u64,
}

/// Velocity and spin half a step after the instant of the position.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HalfStep {
    pub(crate) velocity: DVec3,
    pub(crate) spin: DVec3,
}

/// All grains; index = place in memory, which changes when they are sorted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bodies {
    pub(crate) body: Vec<Body>,
    pub(crate) half: Vec<HalfStep>,
    /// Number of the grain in the scene.
    pub(crate) id: Vec<u32>,
}

impl Body {
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    pub(crate) fn new(grid: &Grid, units: [i64; 3], remainder: DVec3, radius: f64) -> Self {
        Self {
            units: units.map(|x| x as f64),
            radius_units: (radius / grid.unit).round(),
            remainder: remainder.to_array(),
            radius,
            ..Self::default()
        }
    }

    /// Moment of inertia is 2/5 m R²; its inverse is zero for a fixed grain.
    #[inline]
    pub(crate) fn inverse_inertia(&self) -> f64 {
        2.5 * self.inverse_mass / (self.radius * self.radius)
    }

    /// Fixed grains feel no force and never move.
    #[inline]
    pub(crate) fn is_fixed(&self) -> bool {
        self.inverse_mass == 0.0
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "the number was an index")]
    pub(crate) fn material_index(&self) -> usize {
        self.material as usize
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "whole units below 2^42, checked to be finite"
    )]
    pub(crate) fn whole_units(&self) -> [i64; 3] {
        self.units.map(|x| x as i64)
    }
}

impl Bodies {
    /// Grains of a scene at the start. Velocities belong to the instant of the positions.
    pub(crate) fn from_particles(
        grid: &Grid,
        materials: &[Material],
        particles: &[Particle],
    ) -> Self {
        let mut bodies = Self::with_capacity(particles.len());
        for (id, particle) in (0..).zip(particles) {
            let (units, remainder) = grid.from_metres(particle.position);
            let body = Body::new(grid, units, remainder, particle.radius);
            let material = &materials[particle.material];
            let moving = (particle.velocity, particle.spin);
            bodies.push(
                id,
                body,
                material,
                particle.material,
                particle.fixed,
                moving,
            );
        }
        bodies
    }

    /// Grains of a saved state.
    pub(crate) fn from_state(
        grid: &Grid,
        materials: &[Material],
        particles: &ParticleState,
    ) -> Self {
        let mut bodies = Self::with_capacity(particles.len());
        for rank in 0..particles.len() {
            let (units, remainder) = (particles.units[rank], particles.remainder[rank]);
            let body = Body::new(grid, units, remainder, particles.radius[rank]);
            let material = usize::from(particles.material[rank]);
            let moving = (particles.velocity[rank], particles.spin[rank]);
            let fixed = particles.fixed[rank];
            bodies.push(
                particles.id[rank],
                body,
                &materials[material],
                material,
                fixed,
                moving,
            );
        }
        bodies
    }

    fn with_capacity(count: usize) -> Self {
        Self {
            body: Vec::with_capacity(count),
            half: vec![HalfStep::default(); count],
            id: Vec::with_capacity(count),
        }
    }

    fn push(
        &mut self,
        id: u32,
        body: Body,
        material: &Material,
        material_index: usize,
        fixed: bool,
        (velocity, spin): (DVec3, DVec3),
    ) {
        self.id.push(id);
        self.body.push(Body {
            inverse_mass: if fixed {
                0.0
            } else {
                1.0 / sphere_mass(material.density, body.radius)
            },
            velocity: if fixed { [0.0; 3] } else { velocity.to_array() },
            spin: if fixed { [0.0; 3] } else { spin.to_array() },
            material: material_index as u64,
            ..body
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.body.len()
    }

    /// Mass of the grain at `index`, kg, fixed or not.
    pub(crate) fn mass(&self, materials: &[Material], index: usize) -> f64 {
        let body = &self.body[index];
        sphere_mass(materials[body.material_index()].density, body.radius)
    }

    /// Moment of inertia of the grain at `index`, kg m².
    pub(crate) fn inertia(&self, materials: &[Material], index: usize) -> f64 {
        sphere_inertia(self.mass(materials, index), self.body[index].radius)
    }

    /// Places in memory, ordered by id.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    pub(crate) fn by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by_key(|&index| self.id[index as usize]);
        order
    }

    /// Brings the grains into a new order; `order[new] = old`.
    pub(crate) fn reorder(&mut self, order: &[u32]) {
        self.body = order.iter().map(|&old| self.body[old as usize]).collect();
        self.half = order.iter().map(|&old| self.half[old as usize]).collect();
        self.id = order.iter().map(|&old| self.id[old as usize]).collect();
    }
}
