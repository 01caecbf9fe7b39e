//! Particle arrays of the CPU engine, in the order that suits its caches.

use super::four::{AnyFour, Four};
use crate::laws::material::{sphere_inertia, sphere_mass};
use crate::memory::{collected, room_for};
use crate::position::Grid;
use crate::scene::{Material, Particle};
use crate::state::ParticleState;
use bytemuck::{Pod, Zeroable};
use glam::DVec3;

/// What a contact reads of a grain: two cache lines, four vectors of four.
///
/// Everything that a pair needs is a sum or a difference of these vectors, fourth numbers included.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Body {
    /// Position, and then the radius, in whole units (integers that `f64` holds exactly).
    pub(crate) units: [f64; 4],
    /// What rounding to units left over, in units; then 1/mass, 1/kg, zero for a fixed grain.
    pub(crate) remainder: [f64; 4],
    /// Velocity predicted for the instant of the position, m/s; then the index of its material.
    pub(crate) velocity: [f64; 4],
    /// Radius times the spin predicted for the instant of the position, m/s; then 1/radius, 1/m.
    pub(crate) surface: [f64; 4],
}

/// How a grain moves: within a run half a step after the instant of its position, between runs at
/// that instant. One cache line, two vectors of four.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Motion {
    /// Velocity, m/s; then the radius, m.
    pub(crate) velocity: [f64; 4],
    /// Spin, rad/s; then R over the moment of inertia, 1/(kg m), zero for a fixed grain.
    pub(crate) spin: [f64; 4],
}

impl Motion {
    fn new(velocity: DVec3, spin: DVec3, radius: f64) -> Self {
        Self {
            velocity: velocity.extend(radius).to_array(),
            spin: spin.extend(0.0).to_array(),
        }
    }

    /// Velocity, m/s.
    #[inline]
    pub(crate) fn velocity(&self) -> DVec3 {
        DVec3::from_slice(&self.velocity)
    }

    /// Spin, rad/s.
    #[inline]
    pub(crate) fn spin(&self) -> DVec3 {
        DVec3::from_slice(&self.spin)
    }

    /// Radius, m.
    #[inline]
    pub(crate) fn radius(&self) -> f64 {
        self.velocity[3]
    }

    /// R over the moment of inertia, 1/(kg m): times a tangential force the angular acceleration.
    #[inline]
    pub(crate) fn lever(&self) -> f64 {
        self.spin[3]
    }
}

/// All grains; index = place in memory, which changes when they are sorted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bodies {
    pub(crate) body: Vec<Body>,
    pub(crate) motion: Vec<Motion>,
    /// Number of the grain in the scene.
    pub(crate) id: Vec<u32>,
    /// Whether one differs from the first in size, mass or material.
    differ: bool,
}

impl Body {
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    fn new(grid: &Grid, units: [i64; 3], remainder: DVec3, radius: f64) -> Self {
        let [x, y, z] = units.map(|x| x as f64);
        Self {
            units: [x, y, z, (radius / grid.unit).round()],
            remainder: remainder.extend(0.0).to_array(),
            velocity: [0.0; 4],
            surface: [0.0, 0.0, 0.0, 1.0 / radius],
        }
    }

    /// Where it is and how it moves: the first two vectors and the last two.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn halves(&self) -> &[[f64; 8]; 2] {
        bytemuck::must_cast_ref(self)
    }

    /// Position in whole units.
    #[inline]
    pub(crate) fn position(&self) -> [f64; 3] {
        [self.units[0], self.units[1], self.units[2]]
    }

    /// Radius in whole units.
    #[inline]
    pub(crate) fn radius_units(&self) -> f64 {
        self.units[3]
    }

    /// What rounding the position to units left over, in units.
    #[inline]
    pub(crate) fn remainder(&self) -> DVec3 {
        DVec3::from_slice(&self.remainder)
    }

    /// 1/mass, 1/kg; zero for a fixed grain.
    #[inline]
    pub(crate) fn inverse_mass(&self) -> f64 {
        self.remainder[3]
    }

    /// 1/radius, 1/m.
    #[inline]
    pub(crate) fn curvature(&self) -> f64 {
        self.surface[3]
    }

    /// All that sets it apart, wherever it is and however it moves.
    fn kind(&self) -> [f64; 4] {
        let Self {
            units,
            remainder,
            velocity,
            surface,
        } = self;
        [units, remainder, velocity, surface].map(|vector| vector[3])
    }

    /// Velocity predicted for the instant of the position, m/s.
    #[inline]
    pub(crate) fn velocity(&self) -> DVec3 {
        DVec3::from_slice(&self.velocity)
    }

    /// Spin predicted for the instant of the position, rad/s.
    #[inline]
    pub(crate) fn spin(&self) -> DVec3 {
        DVec3::from_slice(&self.surface) * self.curvature()
    }

    /// What forces will see of how the grain moves; fourth numbers are not for them.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    pub(crate) fn predict<F: Four>(&mut self, velocity: F, surface: F) {
        self.velocity = velocity.with_fourth_of(F::new(&self.velocity)).to_array();
        self.surface = surface.with_fourth_of(F::new(&self.surface)).to_array();
    }

    /// Fixed grains feel no force and never move.
    #[inline]
    pub(crate) fn is_fixed(&self) -> bool {
        self.inverse_mass() == 0.0
    }

    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number was an index"
    )]
    pub(crate) fn material(&self) -> usize {
        self.velocity[3] as usize
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "whole units below 2^42, checked to be finite"
    )]
    pub(crate) fn whole_units(&self) -> [i64; 3] {
        self.position().map(|x| x as i64)
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
            let motion = Motion::new(particle.velocity, particle.spin, particle.radius);
            bodies.push(
                id,
                body,
                materials,
                particle.material,
                particle.fixed,
                motion,
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
            let motion = Motion::new(
                particles.velocity[rank],
                particles.spin[rank],
                particles.radius[rank],
            );
            bodies.push(
                particles.id[rank],
                body,
                materials,
                usize::from(particles.material[rank]),
                particles.fixed[rank],
                motion,
            );
        }
        bodies
    }

    fn with_capacity(count: usize) -> Self {
        Self {
            body: room_for(count),
            motion: room_for(count),
            id: Vec::with_capacity(count),
            differ: false,
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "a small index")]
    fn push(
        &mut self,
        id: u32,
        mut body: Body,
        materials: &[Material],
        material: usize,
        fixed: bool,
        mut motion: Motion,
    ) {
        body.velocity[3] = material as f64;
        let radius = motion.radius();
        if fixed {
            motion = Motion::new(DVec3::ZERO, DVec3::ZERO, radius);
        } else {
            let mass = sphere_mass(materials[material].density, radius);
            body.remainder[3] = 1.0 / mass;
            motion.spin[3] = radius / sphere_inertia(mass, radius);
        }
        let surface = motion.spin.map(|x| radius * x);
        body.predict(AnyFour::new(&motion.velocity), AnyFour::new(&surface));
        if let Some(first) = self.body.first() {
            self.differ |= first.kind() != body.kind();
        }
        self.id.push(id);
        self.body.push(body);
        self.motion.push(motion);
    }

    /// Makes grains as inert as the fluid that they move along makes them: by material, the mass that
    /// moves over their own. Their spins are not concerned.
    pub(crate) fn add_mass(&mut self, inertia: &[f64]) {
        for body in &mut self.body {
            body.remainder[3] /= inertia[body.material()];
        }
    }

    /// Whether all have the same size, mass and material.
    pub(crate) fn are_alike(&self) -> bool {
        !self.differ
    }

    pub(crate) fn len(&self) -> usize {
        self.body.len()
    }

    /// Mass of the grain at `index`, kg, fixed or not.
    pub(crate) fn mass(&self, materials: &[Material], index: usize) -> f64 {
        let density = materials[self.body[index].material()].density;
        sphere_mass(density, self.motion[index].radius())
    }

    /// Moment of inertia of the grain at `index`, kg m².
    pub(crate) fn inertia(&self, materials: &[Material], index: usize) -> f64 {
        sphere_inertia(self.mass(materials, index), self.motion[index].radius())
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
        self.body = collected(order.iter().map(|&old| self.body[old as usize]));
        self.motion = collected(order.iter().map(|&old| self.motion[old as usize]));
        self.id = order.iter().map(|&old| self.id[old as usize]).collect();
    }
}
