//! What an engine knows at one instant, in a form that no engine owns.
//!
//! A [`State`] holds everything that decides the future of a run: exact positions, velocities,
//! accelerations, contact history and the energy ledger. Engines give it out and can start from it,
//! so a checkpoint of one engine can be resumed by another. Particles are sorted by id and contacts
//! by `(first, second)`: two engines in the same state give the same bytes.

use crate::position::Grid;
use glam::DVec3;

/// The partner of a contact: another particle, or a wall face.
///
/// Ids below [`WALL`] are particles; `WALL + w` is wall face `w` of the scene.
pub const WALL: u32 = 0x8000_0000;

/// Particle arrays, index = rank by id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParticleState {
    /// Number of the particle in the scene, from 0. Ascending.
    pub id: Vec<u32>,
    /// Exact position in units of the [`Grid`], always inside it on periodic axes.
    pub units: Vec<[i64; 3]>,
    /// What the last move left over after rounding to units, in units, each in [−½, ½].
    pub remainder: Vec<DVec3>,
    /// Velocity at the instant of the position, m/s.
    pub velocity: Vec<DVec3>,
    /// Spin at the instant of the position, rad/s.
    pub spin: Vec<DVec3>,
    /// Acceleration at the instant of the position, m/s².
    pub acceleration: Vec<DVec3>,
    /// Angular acceleration at the instant of the position, rad/s².
    pub angular_acceleration: Vec<DVec3>,
    /// Radius, m.
    pub radius: Vec<f64>,
    /// Index into the scene's materials.
    pub material: Vec<u16>,
    /// Fixed particles feel no force and never move.
    pub fixed: Vec<bool>,
}

impl ParticleState {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }
}

/// One touching pair and what it remembers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactState {
    /// Id of the first particle.
    pub first: u32,
    /// Id of the second particle (greater than `first`), or [`WALL`] + wall face.
    pub second: u32,
    /// Tangential spring of the first particle against the second, m.
    pub spring: DVec3,
    /// Rolling spring of the first particle against the second: moment, N m.
    pub rolling: DVec3,
    /// Stiffness (N/m^1.5) and damping (N s/m) that the adaptive law froze at first touch.
    pub adaptive: [f64; 2],
    /// Overlap, m (negative only while a JKR neck is stretched).
    pub overlap: f64,
    /// Normal force, N, positive when repulsive.
    pub normal_force: f64,
}

/// Energies of one instant and what each mechanism has taken since the start, J.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ledger {
    /// Translational kinetic energy.
    pub kinetic: f64,
    /// Rotational kinetic energy.
    pub rotational: f64,
    /// Potential energy in gravity, relative to the lower corner of the domain; across periodic
    /// sides it goes on falling.
    pub potential: f64,
    /// Energy stored in normal springs (cohesion included).
    pub elastic_normal: f64,
    /// Energy stored in tangential springs.
    pub elastic_tangential: f64,
    /// Energy stored in rolling springs.
    pub elastic_rolling: f64,
    /// Taken by normal damping since the start.
    pub lost_normal: f64,
    /// Taken by tangential damping since the start.
    pub lost_tangential: f64,
    /// Taken by sliding friction since the start.
    pub lost_friction: f64,
    /// Taken by rolling resistance since the start.
    pub lost_rolling: f64,
    /// Given to the tangential springs by the Mindlin stiffness changing with the overlap
    /// (negative: taken from them). The secant form of Mindlin's law does not conserve this energy.
    pub gained_mindlin: f64,
    /// Carried away by particles that were removed.
    pub removed: f64,
    /// Given by gravity to particles that crossed a periodic side, since the start.
    pub crossed: f64,
    /// What the second half of the last kick will still take and give: normal, tangential,
    /// friction, rolling, Mindlin. Not part of the energies at this instant.
    pub pending: [f64; 5],
    /// Total energy at the start of the run.
    pub initial: f64,
}

impl Ledger {
    /// Energy that the system holds now.
    pub fn total(&self) -> f64 {
        self.kinetic
            + self.rotational
            + self.potential
            + self.elastic_normal
            + self.elastic_tangential
            + self.elastic_rolling
    }

    /// Energy that all mechanisms have taken since the start.
    pub fn lost(&self) -> f64 {
        self.lost_normal + self.lost_tangential + self.lost_friction + self.lost_rolling
    }

    /// What the balance fails to close by: held + taken − given − held at the start.
    pub fn balance_error(&self) -> f64 {
        self.total() + self.lost() + self.removed - self.gained_mindlin - self.initial
    }
}

/// The whole state of a soft-sphere run between two steps.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Steps done so far.
    pub step: u64,
    /// Time step, s. The time is `step × time_step`.
    pub time_step: f64,
    /// How units become metres.
    pub grid: Grid,
    /// All particles, by id.
    pub particles: ParticleState,
    /// All touching pairs, by `(first, second)`.
    pub contacts: Vec<ContactState>,
    /// Energies, and what was lost to each mechanism.
    pub ledger: Ledger,
    /// Force of the particles on each wall face, N.
    pub wall_forces: Vec<DVec3>,
    /// Particles removed after they left the domain.
    pub removed: u64,
}

impl State {
    /// Simulated time, s.
    #[allow(
        clippy::cast_precision_loss,
        reason = "2^53 steps are out of reach of any run"
    )]
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }

    /// Position of the particle at rank `index`, m.
    pub fn position(&self, index: usize) -> DVec3 {
        self.grid
            .to_metres(self.particles.units[index], self.particles.remainder[index])
    }

    /// Mean number of contacts of a particle (walls count), 0 without particles.
    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn coordination_number(&self) -> f64 {
        if self.particles.is_empty() {
            return 0.0;
        }
        let ends: usize = self
            .contacts
            .iter()
            .map(|c| if c.second >= WALL { 1 } else { 2 })
            .sum();
        ends as f64 / self.particles.len() as f64
    }

    /// Contacts of each particle (walls count), by rank.
    pub fn contact_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.particles.len()];
        let mut count = |id: u32| {
            if let Ok(rank) = self.particles.id.binary_search(&id) {
                counts[rank] += 1;
            }
        };
        for contact in &self.contacts {
            count(contact.first);
            if contact.second < WALL {
                count(contact.second);
            }
        }
        counts
    }
}
