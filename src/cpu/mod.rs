//! The whole step on the CPU, in `f64`: the reference for every other engine, and the fallback.
//!
//! [`CpuEngine`] gives the same bits for any number of threads, any neighbour skin and any order of
//! the particles in memory: every sum has an order of its own (contacts by the partner's id) or is
//! exact (energies). [`brute_force`] is the same physics over all pairs, written for clarity.

mod bodies;
pub mod brute_force;
mod carried;
mod cells;
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
mod sieve;
mod slots;
mod stage_times;
mod step;
mod tasks;
mod team;
#[cfg(test)]
mod tests;
mod traffic;
pub(crate) mod walls;

use crate::contact::ContactModel;
use crate::error::{Error, Result};
use crate::fluid::FluidModel;
use crate::laws::material::sphere_mass;
use crate::position::Grid;
use crate::scene::{ContactLaws, Leaving, Material, NormalLaw, RollingLaw, Scene};
use crate::state::{ContactState, Instant, Ledger, ParticleRecord, State, StateSource, WALL};
pub use stage_times::StageTimes;

use bodies::Bodies;
use carried::Carried;
use fluid::Immersion;
use forces::{EnergyQuantum, ForceContext};
use four::AnyFour;
use glam::DVec3;
use integrate::{Wide, kick};
use neighbours::{Images, Reach, morton_order, near_walls};
use processor::Processor;
use slots::{Extra, Slots};
use tasks::forces;
use team::Team;
use walls::Face;

/// Memory that a run takes per grain of a dense bed of equal spheres, bytes (measured: see
/// `docs/architecture.md`).
pub fn bytes_per_particle(laws: &ContactLaws) -> f64 {
    /// What each grain of a dense bed has of slots, times what laws with more memory add to a slot.
    const EXTRA: f64 = 2.8 * size_of::<Extra>() as f64;
    600.0 + if needs_extra(laws) { EXTRA } else { 0.0 }
}

/// Whether contacts remember more than a tangential spring.
fn needs_extra(laws: &ContactLaws) -> bool {
    laws.rolling != RollingLaw::None || laws.normal == NormalLaw::HertzAdaptive
}

/// Without a skin in the scene: at least this fraction of the mean diameter …
const THINNEST_SKIN: f64 = 0.1;

/// … at most this one …
const THICKEST_SKIN: f64 = 0.4;

/// … and in between what lasts this many steps at the present speed.
const SKIN_STEPS: f64 = 40.0;

/// No skin is thinner than this many times the way that two grains come apart in a step: if they touched a step ago, they
/// must still be neighbours.
const SKIN_OF_A_STEP: f64 = 1.25;

/// The inner skin in mean diameters is the root of this many times the way that two grains come closer in a step …
///
/// Slots that do not touch cost time in every step, in proportion to the skin; looking whether it is used up costs time in
/// inverse proportion. Their sum is least where they are equal, and both are where the skin is as the root of the speed.
const INNER_SKIN_PER_STEP: f64 = 0.12;

/// … but is never thinner than this fraction of the mean diameter.
const THINNEST_INNER_SKIN: f64 = 0.0015;

/// The inner skin in mean diameters, for grains that come closer to each other by so many of them in a step.
fn inner_skin(closer: f64) -> f64 {
    let wanted = (INNER_SKIN_PER_STEP * closer).sqrt();
    wanted.max(THINNEST_INNER_SKIN).max(SKIN_OF_A_STEP * closer)
}

/// As long as this part of an inner skin is left, slots are kept.
const THINNEST_LEFT: f64 = 0.3;

/// Most grains: slots have this many numbers for them.
const MOST_GRAINS: usize = 1 << 30;

/// Grains are sorted when they may have moved by this part of the mean diameter.
const SORT_DISTANCE: f64 = 0.5;

/// The soft-sphere engine in `f64`.
#[derive(Debug)]
pub struct CpuEngine {
    processor: Processor,
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
    /// Furthest that grains act on each other without touching, m: a JKR neck that holds on, a film.
    neck: f64,
    /// How much further than touching (or a neck) the slots reach, m.
    inner_skin: f64,
    /// No grain has moved further than this since the last search, m.
    moved_since_search: f64,
    /// No grain has moved further than this since the slots were listed, m.
    moved_since_slots: f64,
    /// No grain has moved further than this since grains were sorted, m.
    moved_since_sort: f64,
    /// Largest speed in the last step, m/s.
    speed: f64,
    contact_updates: u64,
    searches: u64,
    stage_times: StageTimes,
    team: Team,
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
        engine.in_team(|engine| engine.search(carried));
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
        #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        let mean_diameter = 2.0 * radii.sum::<f64>() / bodies.len().max(1) as f64;
        Ok(Self {
            processor: Processor::here(),
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
            inner_skin: 0.0,
            moved_since_search: 0.0,
            moved_since_slots: 0.0,
            moved_since_sort: f64::INFINITY,
            speed: 0.0,
            contact_updates: 0,
            searches: 0,
            stage_times: StageTimes::default(),
            team: Team::new(threads)?,
        })
    }

    /// Runs `steps` time steps.
    ///
    /// # Errors
    /// A particle that is no longer finite, or that left a domain which stops the run.
    pub fn run(&mut self, steps: u64) -> Result<()> {
        let team = self.team.clone();
        team.work_through(|| self.advance(steps))
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

    /// Wall time spent in each stage since this engine was made.
    pub fn stage_times(&self) -> StageTimes {
        self.stage_times
    }

    /// Has the neighbours searched before the next step, needed or not. It changes no result.
    pub fn want_search(&mut self) {
        self.moved_since_search = f64::INFINITY;
        self.moved_since_slots = f64::INFINITY;
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
        let context = ForceContext {
            processor: self.processor,
            grid: &self.grid,
            images: Images::new(&self.grid),
            model: &self.model,
            faces: &self.faces,
            time_step: self.time_step,
            starting: true,
            measure: true,
            quantum: self.quantum,
        };
        let sums = forces(&context, &self.bodies, &mut self.slots);
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

    /// Makes sure that every pair which touches now has a slot.
    fn refresh_lists(&mut self) -> Result<()> {
        self.resumed_wall_forces = Vec::new();
        if 2.0 * self.moved_since_slots <= self.inner_skin && !self.left {
            return Ok(());
        }
        self.stop_if_left()?;
        let inner_skin = self.next_inner_skin();
        if !self.left && self.keep_slots(THINNEST_LEFT * inner_skin) {
            return Ok(());
        }
        let carried = self.slots.put_away();
        if 2.0 * self.moved_since_search + inner_skin <= self.reach_skin && !self.left {
            let close = (inner_skin + self.neck) / self.grid.unit;
            self.reach.list_close(&self.grid, &self.bodies, close);
            self.list_slots(carried, None, inner_skin);
        } else {
            self.search(carried);
        }
        Ok(())
    }

    /// Looks how much is left of the inner skin, and whether it is at least so much, m: then the slots do for a while.
    ///
    /// The fastest grain may have used all of it up, but most grains move with their neighbours: so there usually is.
    fn keep_slots(&mut self, least: f64) -> bool {
        // Pairs out of reach are further apart than this.
        let out_of_reach = self.reach_skin - 2.0 * self.moved_since_search;
        if out_of_reach < least {
            return false;
        }
        let clearance = self.reach.clearance(&self.grid, &self.bodies);
        let left = (clearance * self.grid.unit - self.neck).min(out_of_reach);
        if left < least {
            return false;
        }
        let skin = (left + self.neck) / self.grid.unit;
        let near = near_walls(&self.grid, &self.bodies, &self.faces, skin);
        if !self.slots.are_at_walls(&near) {
            return false;
        }
        self.inner_skin = left;
        self.moved_since_slots = 0.0;
        log::trace!(
            "step {}: {left:.3e} m of the inner skin are left",
            self.step
        );
        true
    }

    fn next_inner_skin(&self) -> f64 {
        let closer = 2.0 * self.speed * self.time_step / self.mean_diameter;
        (inner_skin(closer) * self.mean_diameter).min(self.reach_skin)
    }

    /// Removes what left, sorts the grains along a space-filling curve if they have come out of order, and finds all
    /// neighbours.
    fn search(&mut self, carried: Carried) {
        // Neighbours stay near each other in memory until grains have gone some way.
        let sorts = self.left || self.moved_since_sort > SORT_DISTANCE * self.mean_diameter;
        if sorts {
            // Room for the grains in their new order: the histories are elsewhere.
            self.slots.block = Vec::new();
        }
        let origin = sorts.then(|| self.sort_and_remove());
        let apart_in_a_step = 2.0 * self.speed * self.time_step;
        let skin = self.skin.unwrap_or_else(|| {
            (SKIN_STEPS * apart_in_a_step)
                .min(THICKEST_SKIN * self.mean_diameter)
                .max(THINNEST_SKIN * self.mean_diameter)
        });
        self.reach_skin = skin.max(SKIN_OF_A_STEP * apart_in_a_step);
        let reach = (self.reach_skin + self.neck) / self.grid.unit;
        let inner_skin = self.next_inner_skin();
        let inner = (inner_skin + self.neck) / self.grid.unit;
        self.reach
            .search(self.processor, &self.grid, &self.bodies, reach, inner);
        self.moved_since_search = 0.0;
        self.searches += 1;
        log::debug!(
            "step {}: {} grains, {} pairs within reach",
            self.step,
            self.bodies.len(),
            self.reach.len()
        );
        self.list_slots(carried, origin.as_deref(), inner_skin);
    }

    /// Makes slots for all pairs that are close; `origin` says where grains were when the histories were put away.
    fn list_slots(&mut self, carried: Carried, origin: Option<&[u32]>, inner_skin: f64) {
        let touching = carried.len();
        let skin = (inner_skin + self.neck) / self.grid.unit;
        let walls = near_walls(&self.grid, &self.bodies, &self.faces, skin);
        let with_extra = self.needs_extra();
        let (ids, pairs) = (&self.bodies.id, self.reach.close());
        let restored = self
            .slots
            .list(ids, pairs, &walls, carried, origin, with_extra);
        let ended_unseen = touching - restored;
        if ended_unseen > 0 {
            // A contact that came apart further than the skin within one step has no slot any more.
            log::debug!("step {}: {ended_unseen} contacts ended unseen", self.step);
        }
        log::trace!(
            "step {}: {} slots for {touching} contacts, inner skin {inner_skin:.3e} m",
            self.step,
            self.slots.counts.all()
        );
        self.inner_skin = inner_skin;
        self.moved_since_slots = 0.0;
    }

    /// Brings the grains into Morton order without those that left the domain. Returns where each
    /// was before.
    fn sort_and_remove(&mut self) -> Vec<u32> {
        self.moved_since_sort = 0.0;
        let mut order = morton_order(&self.bodies, self.mean_diameter / self.grid.unit);
        // Only what the drift has seen leave: a search at another time must not change a result.
        let has_left = std::mem::take(&mut self.left);
        let mut left = Vec::new();
        if has_left {
            left.extend(order.iter().filter(|&&index| self.is_outside(index)));
        }
        if !left.is_empty() {
            let mut leaving: Vec<u32> = left.clone();
            leaving.sort_unstable_by_key(|&index| self.bodies.id[index as usize]);
            for &index in &leaving {
                let energy: f64 = self.energy_of(index as usize).iter().sum();
                self.ledger.removed += self.quantum.round(energy);
            }
            self.removed += left.len() as u64;
            let gone: std::collections::HashSet<u32> = left.iter().copied().collect();
            order.retain(|index| !gone.contains(index));
        }
        if let Some(resumed) = &mut self.resumed {
            *resumed = order.iter().map(|&old| resumed[old as usize]).collect();
        }
        self.bodies.reorder(&order);
        order
    }

    /// Whether the grain at this place is outside the domain.
    fn is_outside(&self, index: u32) -> bool {
        !self
            .grid
            .contains(self.bodies.body[index as usize].whole_units())
    }

    /// Stops a run that grains may not leave, if one has: that with the smallest id is named. Nothing has changed then.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    fn stop_if_left(&self) -> Result<()> {
        if !self.left || self.leaving != Leaving::Stop {
            return Ok(());
        }
        let outside = (0..self.bodies.len() as u32).filter(|&index| self.is_outside(index));
        let Some(index) = outside.min_by_key(|&index| self.bodies.id[index as usize]) else {
            return Ok(());
        };
        let body = &self.bodies.body[index as usize];
        Err(Error::LeftDomain {
            particle: self.bodies.id[index as usize],
            time: self.time(),
            position: self
                .grid
                .to_metres(body.whole_units(), body.remainder())
                .to_array(),
        })
    }

    /// Energies now.
    pub fn ledger(&mut self) -> Ledger {
        self.measure_motion();
        self.ledger
    }

    /// Everything that decides the future of the run, by id.
    pub fn state(&mut self) -> State {
        State::from_source(&self.view())
    }

    /// The same, to be read particle by particle.
    pub fn view(&mut self) -> EngineView<'_> {
        self.measure_motion();
        let wall_contacts = self.slots.touching_at(self.slots.counts.wall_places());
        EngineView {
            order: self.bodies.by_id(),
            images: Images::new(&self.grid),
            instant: Instant {
                step: self.step,
                time_step: self.time_step,
                grid: self.grid,
                ledger: self.ledger,
                wall_forces: self.wall_forces(),
                removed: self.removed,
                particles: self.bodies.len(),
                contacts: self.slots.touching(),
                wall_contacts,
            },
            engine: self,
        }
    }

    /// Where the grains are and how they move, without contacts and accelerations. Frees the lists
    /// first: what is left needs less memory than the engine did.
    pub fn into_state(mut self) -> State {
        let view = self.view();
        let EngineView { order, instant, .. } = view;
        self.reach = Reach::default();
        self.slots = Slots::none(self.bodies.len());
        self.resumed = Some(vec![(DVec3::ZERO, DVec3::ZERO); self.bodies.len()]);
        State::from_source(&EngineView {
            order,
            images: Images::new(&self.grid),
            instant: Instant {
                contacts: 0,
                wall_contacts: 0,
                ..instant
            },
            engine: &self,
        })
    }

    /// Force of the grains on each wall face, summed in the order of their ids, N.
    pub fn wall_forces(&self) -> Vec<DVec3> {
        if !self.resumed_wall_forces.is_empty() {
            return self.resumed_wall_forces.clone();
        }
        let films = self.immersion.as_ref().map(|fluid| fluid.films.as_slice());
        let mut slots: Vec<(u32, u32, DVec3)> = self
            .slots
            .counts
            .wall_places()
            .map(|place| {
                let slot = self.slots.slot(place);
                let id = self.bodies.id[slot.first as usize];
                let force = self.slots.action[place].force();
                let film = films.and_then(|films| films.get(place));
                let force = film.map_or(force, |film| force + film);
                (slot.second - WALL, id, force)
            })
            .collect();
        slots.sort_unstable_by_key(|&(face, id, _)| (face, id));
        let mut forces = vec![DVec3::ZERO; self.faces.len()];
        for (face, _, force) in slots {
            forces[face as usize] -= force;
        }
        forces
    }
}

/// A [`CpuEngine`] as a source of its state.
#[derive(Debug)]
pub struct EngineView<'a> {
    engine: &'a CpuEngine,
    /// Places in memory, by id.
    order: Vec<u32>,
    images: Images,
    instant: Instant,
}

impl EngineView<'_> {
    /// The contact in a slot; of two grains, the one with the lower id is first.
    fn contact(&self, k: usize) -> ContactState {
        let engine = self.engine;
        let bodies = &engine.bodies;
        let slot = engine.slots.slot(k);
        let a = &bodies.body[slot.first as usize];
        let extra = engine.slots.extra.get(k).copied().unwrap_or_default();
        let mut contact = ContactState {
            first: bodies.id[slot.first as usize],
            second: slot.second,
            spring: slot.history.spring,
            rolling: DVec3::from_array(extra.rolling),
            adaptive: extra.adaptive,
            overlap: 0.0,
            normal_force: slot.history.normal_force,
            root_overlap: slot.history.root_overlap,
        };
        if slot.second >= WALL {
            let face = &engine.faces[(slot.second - WALL) as usize];
            let seen = face.approach(&engine.grid, a);
            contact.overlap = a.radius_units() * engine.grid.unit - seen.distance;
            return contact;
        }
        let b = &bodies.body[slot.second as usize];
        let d = DVec3::from_array(std::array::from_fn(|axis| {
            self.images.nearest(axis, b.units[axis] - a.units[axis])
                + (b.remainder[axis] - a.remainder[axis])
        }));
        let touching = a.radius_units() + b.radius_units();
        contact.overlap =
            (touching * touching - d.length_squared()) / (touching + d.length()) * engine.grid.unit;
        contact.second = bodies.id[slot.second as usize];
        if contact.second < contact.first {
            std::mem::swap(&mut contact.first, &mut contact.second);
            // Adding zero makes minus zero plus zero.
            contact.spring = DVec3::ZERO - contact.spring;
            contact.rolling = DVec3::ZERO - contact.rolling;
        }
        contact
    }
}

impl StateSource for EngineView<'_> {
    fn instant(&self) -> &Instant {
        &self.instant
    }

    fn particle(&self, rank: usize) -> ParticleRecord {
        let index = self.order[rank] as usize;
        let body = &self.engine.bodies.body[index];
        let motion = &self.engine.bodies.motion[index];
        ParticleRecord {
            id: self.engine.bodies.id[index],
            units: body.whole_units(),
            remainder: body.remainder(),
            velocity: motion.velocity(),
            spin: motion.spin(),
            radius: motion.radius(),
            material: u16::try_from(body.material()).unwrap_or(u16::MAX),
            fixed: body.is_fixed(),
        }
    }

    fn acceleration(&self, rank: usize) -> (DVec3, DVec3) {
        let index = self.order[rank] as usize;
        match &self.engine.resumed {
            Some(resumed) => resumed[index],
            None if let Some(fluid) = &self.engine.immersion => {
                let kick = &fluid.kicks[index];
                (kick.linear(), kick.angular())
            }
            None => {
                let body = &self.engine.bodies.body[index];
                let motion = &self.engine.bodies.motion[index];
                let CpuEngine {
                    grid,
                    gravity,
                    time_step,
                    ..
                } = &self.engine;
                let wide = Wide::<AnyFour>::new(grid, *gravity, *time_step);
                let kick = kick(&self.engine.slots, &wide, body, motion, index);
                (kick.linear(), kick.angular())
            }
        }
    }

    fn contacts_of(&self, rank: usize, visit: &mut dyn FnMut(&ContactState)) {
        let index = self.order[rank] as usize;
        let id = self.engine.bodies.id[index];
        for k in self.engine.slots.touching_of(index) {
            let contact = self.contact(k);
            if contact.first == id {
                visit(&contact);
            }
        }
    }

    fn contact_counts(&self) -> Vec<u32> {
        let count = |&index: &u32| self.engine.slots.touching_of(index as usize).count();
        self.order
            .iter()
            .map(|index| u32::try_from(count(index)).unwrap_or(u32::MAX))
            .collect()
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
