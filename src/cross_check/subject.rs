//! What is compared: engines at work on a scene, and what they are asked.

use crate::error::Result;
use crate::laws::material::sphere_mass;
use crate::output::wall_face_names;
use crate::scene::{Leaving, Scene, TimeStep};
use crate::simulation::Simulation;
use crate::state::StateSource;
use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// An engine at work on a scene.
///
/// Engines need not have steps, springs or forces: what one of two engines does not know is not compared.
pub trait Subject {
    /// Goes on to this time, s.
    ///
    /// # Errors
    /// Whatever stops the run.
    fn advance_to(&mut self, time: f64) -> Result<()>;

    /// What is true now.
    ///
    /// # Errors
    /// Whatever a device complains about.
    fn observe(&mut self) -> Result<Observation>;

    /// Force of the grains on each wall face now, N; empty if the engine knows none.
    fn wall_forces(&mut self) -> Vec<DVec3>;
}

/// What an engine says of one instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Ids of the grains, ascending, and where they are, m.
    pub grains: Vec<(u32, DVec3)>,
    /// Kinetic energy of the motion, J.
    pub kinetic: f64,
    /// Kinetic energy of the spins, J.
    pub rotational: f64,
    /// Energy in gravity, J.
    pub potential: f64,
    /// Energy of all springs, J.
    pub elastic: Option<f64>,
    /// Energy that all mechanisms have taken since the start, J.
    pub dissipated: f64,
    /// Contacts of a grain on average, walls included.
    pub coordination: Option<f64>,
}

impl Subject for Simulation {
    fn advance_to(&mut self, time: f64) -> Result<()> {
        self.run_until(time)
    }

    fn observe(&mut self) -> Result<Observation> {
        let view = self.view()?;
        let instant = view.instant();
        let ledger = &instant.ledger;
        let grain = |rank: usize| {
            let grain = view.particle(rank);
            (
                grain.id,
                instant.grid.to_metres(grain.units, grain.remainder),
            )
        };
        Ok(Observation {
            grains: (0..instant.particles).map(grain).collect(),
            kinetic: ledger.kinetic,
            rotational: ledger.rotational,
            potential: ledger.potential,
            elastic: Some(
                ledger.elastic_normal + ledger.elastic_tangential + ledger.elastic_rolling,
            ),
            dissipated: ledger.lost(),
            coordination: Some(instant.coordination_number()),
        })
    }

    fn wall_forces(&mut self) -> Vec<DVec3> {
        Simulation::wall_forces(self)
    }
}

/// What has to be known of a scene to compare two runs of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// Radius of each grain by id, m; `None` if it is fixed.
    pub(super) radii: Vec<Option<f64>>,
    /// Mass of each grain by id, kg.
    pub(super) masses: Vec<f64>,
    /// Lengths after which the domain repeats, m; infinite where it does not.
    pub(super) periods: DVec3,
    /// Unit vector against gravity, unless there is none or the domain repeats along it.
    pub(super) up: Option<DVec3>,
    /// Weight of all grains that move, N.
    pub(super) weight: f64,
    /// Whether grains may leave.
    pub(super) open: bool,
    /// Names of the wall faces.
    pub(super) walls: Vec<String>,
}

impl Setting {
    /// What a scene says, its particles included.
    pub fn new(scene: &Scene) -> Self {
        let mass = |k: usize| {
            let grain = &scene.particles[k];
            sphere_mass(scene.materials[grain.material].density, grain.radius)
        };
        let masses: Vec<f64> = (0..scene.particles.len()).map(mass).collect();
        let moving = || {
            scene
                .particles
                .iter()
                .zip(&masses)
                .filter(|(p, _)| !p.fixed)
        };
        let size = scene.domain.upper - scene.domain.lower;
        let periods = DVec3::from_array(std::array::from_fn(|axis| {
            if scene.domain.periodic[axis] {
                size[axis]
            } else {
                f64::INFINITY
            }
        }));
        let repeats = (0..3).any(|axis| scene.domain.periodic[axis] && scene.gravity[axis] != 0.0);
        Self {
            radii: scene
                .particles
                .iter()
                .map(|p| (!p.fixed).then_some(p.radius))
                .collect(),
            periods,
            up: (-scene.gravity).try_normalize().filter(|_| !repeats),
            weight: scene.gravity.length() * moving().map(|(_, mass)| mass).sum::<f64>(),
            open: scene.domain.leaving == Leaving::Remove,
            walls: wall_face_names(scene),
            masses,
        }
    }

    /// Mean radius of the grains that move, m.
    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub(super) fn mean_radius(&self) -> f64 {
        let moving = || self.radii.iter().flatten();
        moving().sum::<f64>() / (moving().count().max(1)) as f64
    }

    /// The shortest way from one place to another, m.
    pub(super) fn way(&self, from: DVec3, to: DVec3) -> DVec3 {
        let way = to - from;
        let turns = (way / self.periods).round();
        DVec3::from_array(std::array::from_fn(|axis| {
            if turns[axis] == 0.0 {
                way[axis]
            } else {
                way[axis] - turns[axis] * self.periods[axis]
            }
        }))
    }
}

/// The same scene with each grain that moves displaced by this many of its radii, in a random direction
/// that is the same every time for the same `number`. The time step is that of the undisturbed scene.
pub fn disturbed(scene: &Scene, radii: f64, time_step: f64, number: u64) -> Scene {
    let mut scene = scene.clone();
    scene.time.step = TimeStep::Fixed(time_step);
    scene.time.force_step = true;
    let mut random = Pcg64::seed_from_u64(number);
    let (lower, upper) = (scene.domain.lower, scene.domain.upper);
    for particle in scene.particles.iter_mut().filter(|p| !p.fixed) {
        let direction = DVec3::from_array(std::array::from_fn(|_| random.random::<f64>() - 0.5));
        let moved = particle.position + radii * particle.radius * direction.normalize_or(DVec3::X);
        particle.position = moved.clamp(lower, upper);
    }
    scene
}
