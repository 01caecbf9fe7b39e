//! What is counted as a run goes on, and what can be measured at an instant.

use super::HardEngine;
use super::grain::Slot;
use super::predict::has_events;
use glam::{DMat3, DVec3};

/// What was counted and summed since the start.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// Collisions of two grains, each counted once.
    pub collisions: u64,
    /// Those in which one of the grains had collided within the last `t_c`.
    pub elastic_collisions: u64,
    /// Collisions of a grain and a wall.
    pub wall_collisions: u64,
    /// Grains entering another cell.
    pub crossings: u64,
    /// Events that had become impossible, because the partner had gone another way.
    pub outdated: u64,
    /// Grains that left the domain.
    pub removed: u64,
    /// Energy lost in collisions, J.
    pub lost: f64,
    /// Work of the walls, J; also what grains that lie on something are given so that they bounce (`rest.rs`).
    pub work: f64,
    /// Energy of the grains that left the domain, J: of translation, of rotation and in gravity, when they left.
    pub removed_energy: f64,
    /// Σ ℓ⊗Δp over both partners of every collision, N s m: the first sum of Luding & McNamara (15).
    pub virial: DMat3,
    /// Impulse of the grains on each face, N s.
    pub face_impulses: Vec<DVec3>,
}

impl Tally {
    pub(super) fn new(faces: usize) -> Self {
        Self {
            collisions: 0,
            elastic_collisions: 0,
            wall_collisions: 0,
            crossings: 0,
            outdated: 0,
            removed: 0,
            lost: 0.0,
            work: 0.0,
            removed_energy: 0.0,
            virial: DMat3::ZERO,
            face_impulses: vec![DVec3::ZERO; faces],
        }
    }

    /// Books a collision: `way` leads from the first centre to the second, `impulse` is on the first.
    #[inline]
    pub(super) fn collide(&mut self, way: DVec3, impulse: DVec3, elastic: bool) {
        self.collisions += 1;
        self.elastic_collisions += u64::from(elastic);
        self.virial += outer(way, impulse);
    }

    #[inline]
    pub(super) fn collide_wall(&mut self, face: usize, arm: DVec3, impulse: DVec3, elastic: bool) {
        self.wall_collisions += 1;
        self.elastic_collisions += u64::from(elastic);
        self.virial += outer(arm, impulse);
        self.face_impulses[face] -= impulse;
    }
}

/// a⊗b: row α, column β is `a_α b_β`.
#[inline]
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// What can be measured at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    /// Simulated time, s.
    pub time: f64,
    /// Number of grains that move.
    pub moving: u64,
    /// Energy of translation, J.
    pub kinetic: f64,
    /// The part of it that grains have which collided within the last `t_c`, J: it cannot be lost.
    pub pseudo_elastic: f64,
    /// Energy of rotation, J.
    pub rotational: f64,
    /// Energy in gravity, J, against the origin.
    pub potential: f64,
    /// Grains that collided within the last `t_c`.
    pub elastic_particles: u64,
    /// Mass that moves, kg.
    pub mass: f64,
    /// Momentum, kg m/s.
    pub momentum: DVec3,
    /// Σ m v⊗v, J.
    pub flow: DMat3,
}

impl Measurement {
    /// Twice the energy of translation per degree of freedom in the frame of the centre of mass, J.
    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 grains")]
    pub fn temperature(&self, dimensions: f64) -> f64 {
        if self.moving == 0 {
            return 0.0;
        }
        let drift = 0.5 * self.momentum.length_squared() / self.mass;
        2.0 * (self.kinetic - drift) / (dimensions * self.moving as f64)
    }
}

/// Grains that collided a short time ago.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recent {
    /// How many there are.
    pub particles: u64,
    /// Their energy of translation, J.
    pub kinetic: f64,
}

/// A grain at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GrainNow {
    /// Its number in the scene, from 0.
    pub id: u32,
    /// Position of the centre, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Spin, rad/s.
    pub spin: DVec3,
    /// Radius, m.
    pub radius: f64,
    /// Number of its material.
    pub material: u16,
    /// Whether it is held in place.
    pub fixed: bool,
    /// Collisions so far, modulo 2³².
    pub collisions: u32,
    /// Whether it collided within the last `t_c`.
    pub elastic: bool,
}

impl HardEngine {
    /// Measures the present state.
    pub fn measure(&self) -> Measurement {
        let mut sums = Measurement {
            time: self.time(),
            moving: 0,
            kinetic: 0.0,
            pseudo_elastic: 0.0,
            rotational: 0.0,
            potential: 0.0,
            elastic_particles: 0,
            mass: 0.0,
            momentum: DVec3::ZERO,
            flow: DMat3::ZERO,
        };
        for (slot, grain) in self.grains.iter().enumerate() {
            if !has_events(grain) {
                continue;
            }
            let (_, velocity) = grain.at(self.now, self.gravity);
            let momentum = grain.mass * velocity;
            let [kinetic, rotational, potential] = self.energies(slot);
            sums.moving += 1;
            sums.kinetic += kinetic;
            sums.rotational += rotational;
            sums.potential += potential;
            if self.is_elastic(grain.last_collision) {
                sums.pseudo_elastic += kinetic;
                sums.elastic_particles += 1;
            }
            sums.mass += grain.mass;
            sums.momentum += momentum;
            sums.flow += outer(momentum, velocity);
        }
        sums
    }

    /// Grains that collided within the last `duration`, s, whatever `t_c` is.
    pub fn recent(&self, duration: f64) -> Recent {
        let mut sums = Recent {
            particles: 0,
            kinetic: 0.0,
        };
        for grain in self.grains.iter().filter(|grain| has_events(grain)) {
            if self.now - grain.last_collision <= duration {
                let (_, velocity) = grain.at(self.now, self.gravity);
                sums.particles += 1;
                sums.kinetic += 0.5 * grain.mass * velocity.length_squared();
            }
        }
        sums
    }

    /// Energies of a grain now: of translation, of rotation, in gravity, J.
    pub(super) fn energies(&self, slot: usize) -> [f64; 3] {
        let grain = &self.grains[slot];
        let (position, velocity) = grain.at(self.now, self.gravity);
        let rotational = self.spins.get(slot).map_or(0.0, |spin| {
            let inertia = self.shape.inertia_factor() * grain.mass * grain.radius * grain.radius;
            0.5 * inertia * spin.length_squared()
        });
        let place = self.cells.centre(grain.cell) + position;
        [
            0.5 * (grain.mass * velocity).dot(velocity),
            rotational,
            -grain.mass * self.gravity.dot(place),
        ]
    }

    /// Mean stress since a time at which `since` had been counted: (15) of Luding & McNamara.
    ///
    /// In Pa, in two dimensions N/m; compression is negative. Only the flow is that of the instant.
    pub fn mean_stress(&self, now: &Measurement, since_time: f64, since: &Tally) -> DMat3 {
        let elapsed = now.time - since_time;
        let collisions = if elapsed > 0.0 {
            (self.tally.virial - since.virial) * (1.0 / elapsed)
        } else {
            DMat3::ZERO
        };
        (collisions - now.flow) * (1.0 / self.volume())
    }

    fn is_elastic(&self, last_collision: f64) -> bool {
        self.model.contact_duration > 0.0
            && self.now - last_collision <= self.model.contact_duration
    }

    /// Volume of the domain, m³; area in two dimensions, m².
    pub fn volume(&self) -> f64 {
        let length = self.model.upper - self.model.lower;
        (0..self.dimensions).map(|axis| length[axis]).product()
    }

    /// How many grains there are in the cell of a grain, itself included: mean over all grains. What searches cost
    /// goes with it.
    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 grains")]
    pub fn grains_per_cell(&self) -> f64 {
        let mut counts = std::collections::HashMap::new();
        for grain in self.grains.iter().filter(|grain| !grain.removed) {
            *counts.entry(grain.cell).or_insert(0_u64) += 1;
        }
        let pairs: u64 = counts.values().map(|count| count * count).sum();
        pairs as f64 / self.particles().max(1) as f64
    }

    /// All grains that are in the domain, by id.
    pub fn snapshot(&self) -> Vec<GrainNow> {
        let mut grains: Vec<GrainNow> = self
            .grains
            .iter()
            .enumerate()
            .filter(|(_, grain)| !grain.removed)
            .map(|(slot, grain)| {
                let (place, velocity) = grain.at(self.now, self.gravity);
                GrainNow {
                    id: grain.id,
                    position: self.inside(self.cells.centre(grain.cell) + place),
                    velocity,
                    spin: self.spins.get(slot).copied().unwrap_or_default(),
                    radius: grain.radius,
                    material: grain.material,
                    fixed: grain.fixed,
                    collisions: grain.count,
                    elastic: self.is_elastic(grain.last_collision),
                }
            })
            .collect();
        grains.sort_unstable_by_key(|grain| grain.id);
        grains
    }

    /// Rounding may leave a grain at a side of the domain just outside.
    fn inside(&self, position: DVec3) -> DVec3 {
        position.clamp(self.model.lower, self.model.upper)
    }

    /// The deepest overlap of two grains now, as a fraction of the smaller diameter; for checks.
    pub fn deepest_overlap(&self) -> f64 {
        let now: Vec<_> = self
            .grains
            .iter()
            .map(|grain| {
                let mut grain = *grain;
                grain.advance(self.now, self.gravity);
                grain
            })
            .collect();
        let mut deepest: f64 = 0.0;
        for grain in now.iter().filter(|grain| !grain.removed) {
            let visit = |position: u32, slot: Slot| {
                let other = &now[slot as usize];
                let apart = other.position - grain.position + self.cells.way(position);
                // Each pair is seen twice; a grain is not its own partner.
                if apart != DVec3::ZERO {
                    let overlap = grain.radius + other.radius - apart.length();
                    let size = 2.0 * grain.radius.min(other.radius);
                    deepest = deepest.max(overlap / size);
                }
            };
            self.paths.lines.visit(grain.cell, visit);
        }
        deepest
    }
}
