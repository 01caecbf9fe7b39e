//! The whole step on the CPU, in `f64`: the reference for every other engine, and the fallback.
//!
//! [`CpuEngine`] gives the same bits for any number of threads, any neighbour skin and any order of
//! the particles in memory: every sum has an order of its own (contacts by the partner's id) or is
//! exact (energies). [`brute_force`] is the same physics over all pairs, written for clarity.

mod actions;
mod beginnings;
mod bodies;
pub mod brute_force;
mod carried;
mod cells;
mod effects;
mod eight;
pub(crate) mod fetch;
mod fluid;
pub(crate) mod forces;
mod four;
mod incident;
mod integrate;
mod lists;
mod neighbours;
pub(crate) mod processor;
mod shared;
mod sieve;
mod slots;
mod stage_times;
mod step;
mod sweep;
mod tasks;
mod team;
#[cfg(test)]
mod tests;
mod traffic;
mod upkeep;
mod view;
pub(crate) mod walls;

use crate::contact::ContactModel;
use crate::error::{Error, Result};
use crate::fluid::FluidModel;
use crate::laws::material::sphere_mass;
use crate::position::Grid;
use crate::scene::{ContactLaws, Leaving, Material, NormalLaw, RollingLaw, Scene};
use crate::state::{Ledger, State};
pub use stage_times::StageTimes;
pub use view::EngineView;

use bodies::Bodies;
use carried::Carried;
use fluid::Immersion;
use forces::{EnergyQuantum, ForceContext};
use glam::DVec3;
use neighbours::Reach;
use processor::{Processor, last_cache};
use slots::{Extra, Slots};
use sweep::{Kept, Sweeps};
use tasks::forces;
use team::Team;
use walls::Face;

/// Memory that a run of so many grains, dry or in a fluid, takes per grain of a dense bed of equal spheres, bytes (measured: see
/// `docs/architecture.md`).
#[allow(clippy::cast_precision_loss, reason = "counts far below 2^53")]
pub fn bytes_per_particle(laws: &ContactLaws, dry: bool, grains: usize) -> f64 {
    /// What each grain of a dense bed has of slots.
    const SLOTS: f64 = 2.8;
    /// Without what follows.
    const USUAL: f64 = 600.0;
    /// The same where the state is kept: where [several steps are done at once](sweep).
    const WITH_KEPT: f64 = 920.0;
    let sweeps = dry && grains as f64 * USUAL > last_cache() as f64;
    let extra = if needs_extra(laws) {
        SLOTS * size_of::<Extra>() as f64
    } else {
        0.0
    };
    if sweeps {
        WITH_KEPT + 2.0 * extra
    } else {
        USUAL + extra
    }
}

/// Whether contacts remember more than a tangential spring.
fn needs_extra(laws: &ContactLaws) -> bool {
    laws.rolling != RollingLaw::None || laws.normal == NormalLaw::HertzAdaptive
}

/// Most grains: slots have this many numbers for them.
const MOST_GRAINS: usize = 1 << 30;

/// The soft-sphere engine in `f64`.
#[derive(Debug)]
pub struct CpuEngine {
    processor: Processor,
    /// Bytes of the last cache that the processor says it has.
    last_cache: usize,
    grid: Grid,
    gravity: DVec3,
    leaving: Leaving,
    materials: Vec<Material>,
    model: ContactModel,
    faces: Vec<Face>,
    /// What a fluid does, if the scene has one.
    immersion: Option<Immersion>,
    time_step: f64,
    bodies: Bodies,
    reach: Reach,
    /// Grains and `WALL` + face that are as close as pairs within reach, unless one may have come there since that was looked at.
    within_reach_of_walls: Option<Vec<(u32, u32)>>,
    slots: Slots,
    ledger: Ledger,
    quantum: EnergyQuantum,
    step: u64,
    removed: u64,
    /// Accelerations of a resumed run, until its first step.
    resumed: Option<Vec<(DVec3, DVec3)>>,
    /// Forces on the walls of a resumed run, until its first step.
    resumed_wall_forces: Vec<DVec3>,
    /// Whether a grain has left the domain since the last search.
    left: bool,
    /// How much further than touching the neighbour list reaches, if the scene says so, m.
    skin: Option<f64>,
    /// How far it reached at the last search, m.
    reach_skin: f64,
    mean_diameter: f64,
    largest_radius: f64,
    /// Furthest that grains act on each other without touching, m: a JKR neck that holds on, a film.
    neck: f64,
    /// Pairs without a slot were further apart than touching (or a neck) and this when that was last looked at, m.
    inner_skin: f64,
    /// No grain has moved further than this since the last search, m.
    moved_since_search: f64,
    /// No grain has moved further than this since then, m.
    moved_since_slots: f64,
    /// No grain has moved further than this since grains were sorted, m.
    moved_since_sort: f64,
    /// Largest speed in the last step, or at the start, m/s.
    speed: f64,
    contact_updates: u64,
    searches: u64,
    /// Most steps between two searches …
    search_interval: u64,
    /// … of which the last was before this step.
    searched_at: u64,
    stage_times: StageTimes,
    team: Team,
    /// Over the present slots, if there have been any.
    sweeps: Option<Sweeps>,
    /// Most steps of one.
    longest_sweep: usize,
    /// Steps until this one are done one by one.
    alone_until: u64,
    /// Steps done in sweeps.
    swept: u64,
    kept: Kept,
    /// Slabs in which the grains lie in memory, one after the other.
    slabs: usize,
}

impl CpuEngine {
    /// An engine at the start of a validated scene, with `threads` threads (0: one per core).
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(scene: &Scene, time_step: f64, threads: usize) -> Result<Self> {
        Self::take(&mut scene.clone(), time_step, threads)
    }

    /// As [`new`](Self::new), but takes the particles out of the scene: for large ones.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn take(scene: &mut Scene, time_step: f64, threads: usize) -> Result<Self> {
        let grid = grid_of(scene);
        let bodies = Bodies::from_particles(&grid, &scene.materials, &scene.particles);
        scene.particles = Vec::new();
        let mut engine = Self::assemble(scene, grid, time_step, bodies, threads)?;
        engine.in_team(|engine| -> Result<()> {
            engine.search(Carried::default());
            engine.start();
            engine.make_room_for_sweeps();
            Ok(())
        })?;
        Ok(engine)
    }

    /// An engine that goes on from a saved state of this scene.
    pub fn resume(scene: &Scene, state: &State, threads: usize) -> Result<Self> {
        let grid = state.grid;
        let bodies = Bodies::from_state(&grid, &scene.materials, &state.particles);
        let mut engine = Self::assemble(scene, grid, state.time_step, bodies, threads)?;
        engine.step = state.step;
        engine.removed = state.removed;
        engine.ledger = state.ledger;
        engine.quantum = EnergyQuantum::for_energy(state.ledger.scale);
        engine.resumed_wall_forces.clone_from(&state.wall_forces);
        // Until the first step nothing else says what acts on walls.
        let faces = engine.faces.len();
        engine.resumed_wall_forces.resize(faces, DVec3::ZERO);
        let with_extra = engine.needs_extra();
        let ids = &state.particles.id;
        let carried = Carried::from_contacts(ids, &state.contacts, with_extra)?;
        engine.resumed = Some(
            state
                .particles
                .acceleration
                .iter()
                .copied()
                .zip(state.particles.angular_acceleration.iter().copied())
                .collect(),
        );
        engine.in_team(|engine| {
            engine.search(carried);
            engine.make_room_for_sweeps();
        });
        Ok(engine)
    }

    fn assemble(
        scene: &Scene,
        grid: Grid,
        time_step: f64,
        mut bodies: Bodies,
        threads: usize,
    ) -> Result<Self> {
        if bodies.len() > MOST_GRAINS {
            let grains = bodies.len();
            let message = format!("{grains} grains; allowed: {MOST_GRAINS}");
            return Err(Error::Unsupported(message));
        }
        let model = ContactModel::stepped(scene, time_step);
        let fluid = FluidModel::new(scene);
        if let Some(fluid) = &fluid {
            bodies.add_mass(&fluid.inertia);
        }
        let radii = bodies.motion.iter().map(|motion| motion.radius());
        let largest = radii.clone().fold(0.0, f64::max);
        let speeds = bodies
            .motion
            .iter()
            .map(|motion| motion.velocity().length());
        let speed = speeds.fold(0.0, f64::max);
        #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        let mean_diameter = 2.0 * radii.sum::<f64>() / bodies.len().max(1) as f64;
        Ok(Self {
            processor: Processor::here(),
            last_cache: last_cache(),
            faces: Face::all(scene, &grid),
            neck: fluid
                .as_ref()
                .map_or(0.0, |fluid| fluid.film_reach(largest))
                .max(-model.longest_neck(largest)),
            immersion: fluid.map(Immersion::new),
            model,
            grid,
            gravity: scene.gravity,
            leaving: scene.domain.leaving,
            materials: scene.materials.clone(),
            time_step,
            bodies,
            reach: Reach::default(),
            within_reach_of_walls: None,
            slots: Slots::default(),
            ledger: Ledger::default(),
            quantum: EnergyQuantum::default(),
            step: 0,
            removed: 0,
            resumed: None,
            resumed_wall_forces: Vec::new(),
            left: false,
            skin: scene.neighbours.skin,
            reach_skin: 0.0,
            mean_diameter,
            largest_radius: largest,
            inner_skin: 0.0,
            moved_since_search: 0.0,
            moved_since_slots: 0.0,
            moved_since_sort: f64::INFINITY,
            speed,
            contact_updates: 0,
            searches: 0,
            search_interval: u64::MAX,
            searched_at: 0,
            stage_times: StageTimes::default(),
            team: Team::new(threads)?,
            sweeps: None,
            longest_sweep: 1,
            alone_until: 0,
            swept: 0,
            kept: Kept::default(),
            slabs: 1,
        })
    }

    /// Runs `steps` time steps.
    ///
    /// # Errors
    /// A particle that is no longer finite, or that left a domain which stops the run.
    pub fn run(&mut self, steps: u64) -> Result<()> {
        self.run_while(steps, &|| true)
    }

    /// Runs `steps` time steps, or fewer: soon after `go_on` has said no, which is asked every few steps, it ends, but not before
    /// the first one is done. Where it ends changes no result.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_while(&mut self, steps: u64, go_on: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let team = self.team.clone();
        team.work_through(|| self.advance(steps, go_on))
    }

    /// Steps done since the start of the scene.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Simulated time, s.
    #[allow(
        clippy::cast_precision_loss,
        reason = "2^53 steps are out of reach of any run"
    )]
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }

    /// Contacts evaluated since this engine was made, each counted once per step.
    pub fn contact_updates(&self) -> u64 {
        self.contact_updates
    }

    /// Neighbour searches done since this engine was made.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// How many of the steps done since this engine was made were done several at once, as in large beds.
    pub fn swept(&self) -> u64 {
        self.swept
    }

    /// Wall time spent in each stage since this engine was made.
    pub fn stage_times(&self) -> StageTimes {
        self.stage_times
    }

    /// Has the neighbours searched at least every so many steps, needed or not; `None`: only when needed. It changes no result.
    pub fn search_every(&mut self, steps: Option<u64>) {
        self.search_interval = steps.map_or(u64::MAX, |steps| steps.max(1));
    }

    /// Pairs touching now.
    pub fn contacts(&self) -> usize {
        self.slots.touching()
    }

    fn needs_extra(&self) -> bool {
        needs_extra(&self.model.laws)
    }

    fn in_team<T: Send>(&mut self, work: impl FnOnce(&mut Self) -> T + Send) -> T {
        let team = self.team.clone();
        team.work(|| work(self))
    }

    /// First evaluation: forces at the starting positions, and the energy that the run starts with.
    fn start(&mut self) {
        self.measure_motion();
        self.ledger.scale = self.energy_scale();
        self.quantum = EnergyQuantum::for_energy(self.ledger.scale);
        let mut slots = std::mem::take(&mut self.slots);
        let context = ForceContext {
            starting: true,
            measure: true,
            ..self.force_context()
        };
        let sums = forces(&context, &self.bodies, &mut slots);
        self.slots = slots;
        self.ledger.elastic_normal = sums.elastic_normal;
        self.ledger.elastic_tangential = sums.elastic_tangential;
        self.ledger.elastic_rolling = sums.elastic_rolling;
        if self.ledger.scale == 0.0 {
            // Nothing but springs: their sum had no quantum yet.
            let elastic = sums.elastic_normal + sums.elastic_tangential + sums.elastic_rolling;
            self.ledger.scale = EnergyQuantum::scale_of(elastic.abs());
            self.quantum = EnergyQuantum::for_energy(self.ledger.scale);
            self.ledger.elastic_normal = self.quantum.round(sums.elastic_normal);
        }
        let taken = self.immerse(true);
        self.ledger.initial = self.ledger.total();
        self.ledger.pending_fluid =
            [taken.drag, taken.film].map(|energy| 0.5 * self.quantum.round(energy));
        self.ledger.pending = [
            sums.lost_normal,
            sums.lost_tangential,
            sums.lost_friction,
            sums.lost_rolling,
            sums.gained_mindlin,
        ]
        .map(|energy| 0.5 * self.quantum.round(energy));
    }

    /// What the grains hold in motion, and what gravity can give them across the domain, J.
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    fn energy_scale(&self) -> f64 {
        let mass: f64 = self
            .bodies
            .by_id()
            .into_iter()
            .map(|index| self.largest_mass(index as usize))
            .sum();
        let size = DVec3::from_array(self.grid.size.map(|x| x as f64)) * self.grid.unit;
        let motion = self.ledger.kinetic + self.ledger.rotational;
        EnergyQuantum::scale_of(motion + mass * self.gravity.abs().dot(size))
    }

    /// The largest mass that counts in the energies of a grain, kg.
    fn largest_mass(&self, index: usize) -> f64 {
        let mass = self.bodies.mass(&self.materials, index);
        self.immersion.as_ref().map_or(mass, |fluid| {
            let radius = self.bodies.motion[index].radius();
            mass + sphere_mass(fluid.model.fluid.density, radius)
        })
    }

    /// Kinetic, rotational and potential energy now, summed in the order of the ids.
    fn measure_motion(&mut self) {
        let mut kinetic = 0.0;
        let mut rotational = 0.0;
        let mut potential = self.ledger.crossed;
        for index in self.bodies.by_id() {
            let index = index as usize;
            let energy = self.energy_of(index);
            kinetic += energy[0];
            rotational += energy[1];
            potential += energy[2];
        }
        self.ledger.kinetic = kinetic;
        self.ledger.rotational = rotational;
        self.ledger.potential = potential;
    }

    /// Kinetic, rotational and potential energy of the grain at `index`, J.
    fn energy_of(&self, index: usize) -> [f64; 3] {
        let body = &self.bodies.body[index];
        let mass = self.bodies.mass(&self.materials, index);
        let inertia = self.bodies.inertia(&self.materials, index);
        let height = (DVec3::from_array(body.position()) + body.remainder()) * self.grid.unit;
        let [moving, heavy] = self.immersion.as_ref().map_or([mass; 2], |fluid| {
            let moving = mass * fluid.model.inertia[body.material()];
            [moving, moving * fluid.model.weight[body.material()]]
        });
        let potential = -heavy * self.gravity.dot(height);
        if body.is_fixed() {
            return [0.0, 0.0, potential];
        }
        [
            0.5 * moving * body.velocity().length_squared(),
            0.5 * inertia * body.spin().length_squared(),
            potential,
        ]
    }
}

/// The grid of exact positions that suits a scene.
pub fn grid_of(scene: &Scene) -> Grid {
    let largest = scene
        .particles
        .iter()
        .map(|particle| particle.radius)
        .fold(0.0, f64::max);
    Grid::new(
        scene.domain.lower,
        scene.domain.upper,
        scene.domain.periodic,
        2.0 * largest,
    )
}
