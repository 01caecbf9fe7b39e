//! What an engine knows at one instant, in a form that no engine owns.
//!
//! A [`State`] holds everything that decides the future of a run: exact positions, velocities,
//! accelerations, contact history and the energy ledger. Engines give it out and can start from it,
//! so a checkpoint of one engine can be resumed by another. Particles are sorted by id and contacts
//! by `(first, second)`: two engines in the same state give the same bytes.

use crate::laws::material::sphere_mass;
use crate::position::Grid;
use crate::scene::Material;
use glam::DVec3;
use std::borrow::Borrow;

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
    /// Root of the overlap at which the tangential stiffness was last taken, m^½: at a beginning, of
    /// that in the middle of the window in which the contact acts.
    pub root_overlap: f64,
}

/// Energies of one instant and what each mechanism has taken since the start, J.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ledger {
    /// Translational kinetic energy; in a fluid with added mass, of what moves along too.
    pub kinetic: f64,
    /// Rotational kinetic energy.
    pub rotational: f64,
    /// Potential energy in gravity (and in the fluid that lifts), relative to the lower corner of the domain; across periodic
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
    /// Taken by the drag of a fluid since the start.
    pub lost_drag: f64,
    /// Taken by the films of a fluid between close surfaces since the start.
    pub lost_film: f64,
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
    /// The same of a fluid: drag, film.
    pub pending_fluid: [f64; 2],
    /// Total energy at the start of the run.
    pub initial: f64,
    /// Size of the energies that can occur, a power of two: what the particles held in motion at the
    /// start, and what gravity can give them across the domain. Losses are rounded to 2⁻⁵⁰ of it.
    pub scale: f64,
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
        self.lost_normal
            + self.lost_tangential
            + self.lost_friction
            + self.lost_rolling
            + self.lost_drag
            + self.lost_film
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

/// What is true of the whole system at one instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Instant {
    /// Steps done so far.
    pub step: u64,
    /// Time step, s. The time is `step × time_step`.
    pub time_step: f64,
    /// How units become metres.
    pub grid: Grid,
    /// Energies, and what was lost to each mechanism.
    pub ledger: Ledger,
    /// Force of the particles on each wall face, N.
    pub wall_forces: Vec<DVec3>,
    /// Particles removed after they left the domain.
    pub removed: u64,
    /// Number of particles.
    pub particles: usize,
    /// Number of touching pairs.
    pub contacts: usize,
    /// How many of them are with walls.
    pub wall_contacts: usize,
}

impl Instant {
    /// Simulated time, s.
    #[allow(
        clippy::cast_precision_loss,
        reason = "2^53 steps are out of reach of any run"
    )]
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }

    /// Mean number of contacts of a particle (walls count), 0 without particles.
    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn coordination_number(&self) -> f64 {
        let ends = 2 * self.contacts - self.wall_contacts;
        ends as f64 / self.particles.max(1) as f64
    }
}

/// An [`Instant`] and the momentum of all particles: what a row of a series holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// What is true of the whole system.
    pub instant: Instant,
    /// Total momentum, kg m/s.
    pub momentum: DVec3,
}

impl Totals {
    /// Of particles of these materials, summed in the order of the ids.
    pub fn of(source: &impl StateSource, materials: &[Material]) -> Self {
        let instant = source.instant().clone();
        let of = |rank| {
            let particle = source.particle(rank);
            let material = materials.get(usize::from(particle.material));
            let density = material.map_or(f64::NAN, |material| material.density);
            sphere_mass(density, particle.radius) * particle.velocity
        };
        Self {
            momentum: (0..instant.particles).map(of).sum(),
            instant,
        }
    }
}

/// One particle of a [`StateSource`]; the fields are those of [`ParticleState`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "documented in ParticleState")]
pub struct ParticleRecord {
    pub id: u32,
    pub units: [i64; 3],
    pub remainder: DVec3,
    pub velocity: DVec3,
    pub spin: DVec3,
    pub radius: f64,
    pub material: u16,
    pub fixed: bool,
}

/// An engine for soft grains. Only the one that left a state goes on from it bit for bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// In `f64`, on the processor.
    Cpu,
    /// In `f32` with exact positions, on a graphics device.
    Gpu,
}

impl EngineKind {
    /// `cpu` or `gpu`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

/// A state that can be read particle by particle, so that writing a large one takes no second copy.
pub trait StateSource {
    /// What is true of the whole system.
    fn instant(&self) -> &Instant;
    /// The particle at this rank by id.
    fn particle(&self, rank: usize) -> ParticleRecord;
    /// Acceleration (m/s²) and angular acceleration (rad/s²) of the particle at this rank.
    fn acceleration(&self, rank: usize) -> (DVec3, DVec3);
    /// Calls `visit` with the contacts in which the particle at this rank is the first, in order.
    fn contacts_of(&self, rank: usize, visit: &mut dyn FnMut(&ContactState));
    /// Contacts of each particle (walls count), by rank.
    fn contact_counts(&self) -> Vec<u32>;
    /// The engine that holds the state, if one does.
    fn engine(&self) -> Option<EngineKind> {
        None
    }
}

/// A [`State`], borrowed or owned, as a source.
#[derive(Debug)]
pub struct StateView<S> {
    state: S,
    instant: Instant,
}

impl<S: Borrow<State>> StateSource for StateView<S> {
    fn instant(&self) -> &Instant {
        &self.instant
    }

    fn particle(&self, rank: usize) -> ParticleRecord {
        let particles = &self.state.borrow().particles;
        ParticleRecord {
            id: particles.id[rank],
            units: particles.units[rank],
            remainder: particles.remainder[rank],
            velocity: particles.velocity[rank],
            spin: particles.spin[rank],
            radius: particles.radius[rank],
            material: particles.material[rank],
            fixed: particles.fixed[rank],
        }
    }

    fn acceleration(&self, rank: usize) -> (DVec3, DVec3) {
        let particles = &self.state.borrow().particles;
        (
            particles.acceleration[rank],
            particles.angular_acceleration[rank],
        )
    }

    fn contacts_of(&self, rank: usize, visit: &mut dyn FnMut(&ContactState)) {
        let id = self.state.borrow().particles.id[rank];
        let contacts = &self.state.borrow().contacts;
        let first = contacts.partition_point(|contact| contact.first < id);
        contacts[first..]
            .iter()
            .take_while(|contact| contact.first == id)
            .for_each(visit);
    }

    fn contact_counts(&self) -> Vec<u32> {
        self.state.borrow().contact_counts()
    }
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

    /// This state, to be read particle by particle.
    pub fn view(&self) -> StateView<&Self> {
        StateView {
            state: self,
            instant: self.instant(),
        }
    }

    /// The same, for a state that is needed for nothing else.
    pub fn into_view(self) -> StateView<Self> {
        StateView {
            instant: self.instant(),
            state: self,
        }
    }

    fn instant(&self) -> Instant {
        Instant {
            step: self.step,
            time_step: self.time_step,
            grid: self.grid,
            ledger: self.ledger,
            wall_forces: self.wall_forces.clone(),
            removed: self.removed,
            particles: self.particles.len(),
            contacts: self.contacts.len(),
            wall_contacts: self.contacts.iter().filter(|c| c.second >= WALL).count(),
        }
    }

    /// Gathers a whole state from a source.
    pub fn from_source(source: &impl StateSource) -> Self {
        let instant = source.instant();
        let mut particles = ParticleState::default();
        let mut contacts = Vec::with_capacity(instant.contacts);
        for rank in 0..instant.particles {
            let record = source.particle(rank);
            let (linear, angular) = source.acceleration(rank);
            particles.id.push(record.id);
            particles.units.push(record.units);
            particles.remainder.push(record.remainder);
            particles.velocity.push(record.velocity);
            particles.spin.push(record.spin);
            particles.acceleration.push(linear);
            particles.angular_acceleration.push(angular);
            particles.radius.push(record.radius);
            particles.material.push(record.material);
            particles.fixed.push(record.fixed);
            source.contacts_of(rank, &mut |contact| contacts.push(*contact));
        }
        Self {
            step: instant.step,
            time_step: instant.time_step,
            grid: instant.grid,
            particles,
            contacts,
            ledger: instant.ledger,
            wall_forces: instant.wall_forces.clone(),
            removed: instant.removed,
        }
    }

    /// Position of the particle at rank `index`, m.
    pub fn position(&self, index: usize) -> DVec3 {
        self.grid
            .to_metres(self.particles.units[index], self.particles.remainder[index])
    }

    /// Mean number of contacts of a particle (walls count), 0 without particles.
    pub fn coordination_number(&self) -> f64 {
        self.instant().coordination_number()
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
