//! Event-driven hard grains: free flight between instantaneous collisions.
//!
//! Nothing is stepped. Every grain has its own clock and one next event, whichever comes first: a
//! collision with a grain or a wall, or leaving its cell. Events are taken in the order of time, at the same
//! instant in that of ids (`ties.rs`), and only the grains that take part are touched:
//!
//! ```text
//! repeat
//!   first        the earliest event that still holds                            queue.rs
//!   collide      both partners are brought to that time and get new velocities  events.rs, laws
//!   cross        … or a grain enters the next cell                              events.rs, cells.rs
//!   predict      their next events                                              predict.rs
//! after some events per grain: a new epoch
//!   time starts again from 0, grains are sorted by cell, the queue is filled anew    epoch.rs
//! ```
//!
//! Positions are relative to cells and times to epochs, so that collisions of grains are as accurate in a
//! large domain and late in a run as in a small one early. Walls stand where their coordinates say: a
//! contact with one is as accurate as these, 10⁻¹⁶ of the size of the domain. What is read between events is extrapolated and not stored: output
//! never changes a run.

#![allow(
    clippy::inline_always,
    reason = "what an event does is compiled for the processor that its caller was compiled for"
)]

mod ahead;
pub mod brute_force;
mod cells;
mod epoch;
mod events;
pub mod gas;
mod grain;
mod lanes;
mod lines;
mod measure;
mod nearby;
mod occupancy;
mod paths;
mod predict;
mod queue;
mod rest;
mod roots;
mod saved;
mod setup;
mod ties;
mod walls;

pub use events::{Collapse, Happened, Hit};
pub use measure::{GrainNow, Measurement, Recent, Tally};
pub use walls::{Face, FaceShape, WallMotion};

use crate::cpu::processor::Processor;
use crate::laws::hard_sphere::{CollisionRule, GrainShape};
use crate::laws::tc::Dimensions;
use crate::memory::collected;
use ahead::Asked;
use cells::Cells;
use events::Streak;
use glam::DVec3;
use grain::{Grain, PackedPartner, Slot};
#[cfg(target_arch = "x86_64")]
use lanes::Avx2Lanes;
use lanes::{AnyLanes, Lanes};
use paths::Paths;
use queue::{Due, Queue};
use std::collections::HashMap;
use walls::FacesOfCells;

/// What happens to a grain that leaves the domain.
pub use crate::scene::Leaving;

/// One grain at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartingGrain {
    /// Position of the centre, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Spin, rad/s.
    pub spin: DVec3,
    /// Radius, m.
    pub radius: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Number of its material.
    pub material: u16,
    /// Whether it is held in place.
    pub fixed: bool,
}

/// Everything that decides a run but the grains.
#[derive(Debug, Clone, PartialEq)]
pub struct HardModel {
    /// Disks in the plane z = const, or spheres.
    pub dimensions: Dimensions,
    /// Corner of the domain with the smallest coordinates, m.
    pub lower: DVec3,
    /// Corner with the largest coordinates, m.
    pub upper: DVec3,
    /// Axes along which the domain repeats.
    pub periodic: [bool; 3],
    /// What happens to a grain that leaves the domain.
    pub leaving: Leaving,
    /// Acceleration of all grains, m/s².
    pub gravity: DVec3,
    /// Duration `t_c` of a contact, s: collisions that follow another sooner lose nothing. 0: never.
    pub contact_duration: f64,
    /// Faces of the walls.
    pub faces: Vec<Face>,
    /// Rule for each pair of materials: material of one × `materials` + material of the other.
    pub rules: Vec<CollisionRule>,
    /// Number of materials.
    pub materials: usize,
}

/// Why a run cannot go on.
#[derive(Debug, Clone, PartialEq)]
pub enum HardError {
    /// A grain left the domain.
    Left {
        /// Its id.
        particle: u32,
        /// When, s.
        time: f64,
        /// Where, m.
        position: DVec3,
    },
    /// Collisions follow each other faster than can be told apart.
    Collapse(Collapse),
}

/// The engine.
#[derive(Debug, Clone)]
pub struct HardEngine {
    model: HardModel,
    shape: GrainShape,
    /// 2 or 3.
    dimensions: usize,
    gravity: DVec3,
    faces: Vec<Face>,
    cells: Cells,
    faces_of_cells: FacesOfCells,
    grains: Vec<Grain>,
    /// Spin of each grain, rad/s; empty if no rule changes it and none has any.
    spins: Vec<DVec3>,
    paths: Paths,
    queue: Queue,
    asked: Asked,
    /// Whether there are grains that are held while others fall.
    falls_on_held: bool,
    /// When the epoch began, s since the start.
    epoch: f64,
    /// Number of epochs so far.
    epochs: u64,
    /// Now, s of the epoch.
    now: f64,
    /// Events of this epoch.
    epoch_events: u64,
    /// Collisions of one grain that follow each other sooner than this cannot be told apart, s.
    resolution: f64,
    tally: Tally,
    latest: Option<Happened>,
    /// By id, of grains that collide too fast to be told apart, or did. No event depends on it, so checkpoints are without: a run
    /// that goes on in the midst of a collapse says of fewer collisions how fast they came.
    streaks: HashMap<u32, Streak>,
}

impl HardEngine {
    /// Prepares a run.
    ///
    /// Grains lie in the domain and do not overlap; every pair of materials has a rule; a period is at
    /// least two of the largest diameters long.
    pub fn new(model: HardModel, start: &[StartingGrain]) -> Self {
        let dimensions = match model.dimensions {
            Dimensions::Two => 2,
            Dimensions::Three => 3,
        };
        let cells = epoch::suitable_cells(&model, dimensions, start);
        let mut ids: Vec<u32> = (0..u32::try_from(start.len()).unwrap_or(u32::MAX)).collect();
        let places: Vec<_> = start.iter().map(|g| cells.locate(g.position)).collect();
        ids.sort_by_key(|&id| (Cells::order(places[id as usize].0), id));
        let grains = ids.iter().map(|&id| {
            let (cell, position) = places[id as usize];
            let grain = &start[id as usize];
            Grain {
                position,
                velocity: if grain.fixed {
                    DVec3::ZERO
                } else {
                    grain.velocity
                },
                time: 0.0,
                id,
                material: grain.material,
                fixed: grain.fixed,
                removed: false,
                collision: f64::INFINITY,
                event: f64::INFINITY,
                leaves: false,
                partner: PackedPartner::NOBODY,
                partner_count: 0,
                count: 0,
                rapid: 0,
                exit: 0,
                cell,
                last_collision: f64::NEG_INFINITY,
                radius: grain.radius,
                mass: grain.mass,
            }
        });
        let grains = collected(grains);
        let rough = model.rules.iter().any(|rule| rule.friction() > 0.0);
        let spins = if rough || start.iter().any(|grain| grain.spin != DVec3::ZERO) {
            ids.iter().map(|&id| start[id as usize].spin).collect()
        } else {
            Vec::new()
        };
        let horizon = epoch::first_horizon(&model, &cells, start);
        let mut engine = Self::assemble(model, dimensions, cells, grains, spins);
        engine.tally = Tally::new(engine.faces.len());
        engine.resolution = epoch::RESOLUTION * horizon;
        engine.fill_cells();
        engine.queue.begin(horizon);
        engine.paths.begin(horizon, &engine.grains);
        for slot in 0..engine.slots() {
            if predict::has_events(&engine.grains[slot as usize]) {
                engine.predict(slot);
                engine.announce(slot);
            }
        }
        engine
    }

    /// An engine with empty cells and an empty queue.
    fn assemble(
        model: HardModel,
        dimensions: usize,
        cells: Cells,
        grains: Vec<Grain>,
        spins: Vec<DVec3>,
    ) -> Self {
        let largest = grains.iter().fold(0.0_f64, |r, grain| r.max(grain.radius));
        let smallest = grains
            .iter()
            .fold(f64::INFINITY, |r, grain| r.min(grain.radius));
        let faces_of_cells = FacesOfCells::new(&model.faces, &cells, largest);
        Self {
            shape: match model.dimensions {
                Dimensions::Two => GrainShape::Disk,
                Dimensions::Three => GrainShape::Sphere,
            },
            dimensions,
            gravity: model.gravity,
            faces: model.faces.clone(),
            faces_of_cells,
            queue: Queue::new(grains.len()),
            asked: Asked::default(),
            paths: Paths::new(&cells, model.gravity, smallest >= largest),
            cells,
            falls_on_held: model.gravity != DVec3::ZERO && grains.iter().any(|grain| grain.fixed),
            grains,
            spins,
            epoch: 0.0,
            epochs: 0,
            now: 0.0,
            epoch_events: 0,
            resolution: 0.0,
            tally: Tally::new(model.faces.len()),
            latest: None,
            streaks: HashMap::new(),
            model,
        }
    }

    /// Runs until `time`, s since the start. What happens at that very instant happens afterwards.
    ///
    /// # Errors
    /// If a grain leaves a domain that stops the run, or collisions become infinitely frequent.
    pub fn run_until(&mut self, time: f64) -> Result<(), HardError> {
        self.run_events(time, u64::MAX).map(|_| ())
    }

    /// As [`run_until`](Self::run_until), but stops after `most` events. Returns how many there were;
    /// fewer than `most` means that the time was reached.
    ///
    /// # Errors
    /// As [`run_until`](Self::run_until).
    pub fn run_events(&mut self, time: f64, most: u64) -> Result<u64, HardError> {
        match Processor::here() {
            // SAFETY: the processor has it.
            #[cfg(target_arch = "x86_64")]
            Processor::Avx512 | Processor::Avx2 => unsafe { self.run_events_avx2(time, most) },
            Processor::Any => self.run_events_with::<AnyLanes>(time, most),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    fn run_events_avx2(&mut self, time: f64, most: u64) -> Result<u64, HardError> {
        self.run_events_with::<Avx2Lanes>(time, most)
    }

    /// The loop, compiled for each kind of processor with all that happens to most grains.
    #[inline(always)]
    fn run_events_with<L: Lanes>(&mut self, time: f64, most: u64) -> Result<u64, HardError> {
        let mut done = 0;
        while done < most {
            let limit = time - self.epoch;
            let grains = &self.grains;
            let current = |slot: Slot| grains[slot as usize].event;
            match self.queue.take_first(limit, current) {
                Some(due) => {
                    let due = if self
                        .queue
                        .peek()
                        .is_some_and(|next| next.time() == due.time())
                    {
                        let Some(due) = self.first_of_equals(due) else {
                            continue;
                        };
                        due
                    } else {
                        due
                    };
                    self.now = due.time();
                    self.epoch_events += 1;
                    self.handle::<L>(due.grain())?;
                    done += 1;
                }
                None if self.queue.is_over() && self.queue.horizon() <= limit => {
                    self.turn_epoch();
                }
                None => {
                    self.now = self.now.max(limit);
                    break;
                }
            }
        }
        Ok(done)
    }

    /// Goes to the next collision before `time`, s since the start; `None` if there is none.
    ///
    /// # Errors
    /// As [`run_until`](Self::run_until).
    pub fn next_collision(&mut self, time: f64) -> Result<Option<Happened>, HardError> {
        self.latest = None;
        while self.latest.is_none() {
            if self.run_events(time, 1)? == 0 {
                break;
            }
        }
        Ok(self.latest)
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.epoch + self.now
    }

    /// Number of grains, without those that left.
    pub fn particles(&self) -> usize {
        self.grains.len() - usize::try_from(self.tally.removed).unwrap_or(0)
    }

    /// What was counted and summed since the start.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The model.
    pub fn model(&self) -> &HardModel {
        &self.model
    }

    /// Bytes that the engine holds.
    pub fn bytes(&self) -> usize {
        self.grains.capacity() * size_of::<Grain>()
            + self.spins.capacity() * size_of::<DVec3>()
            + self.paths.bytes()
            + self.faces_of_cells.bytes()
            + self.queue.bytes()
    }

    #[allow(clippy::cast_possible_truncation, reason = "fewer than 2^31 grains")]
    fn slots(&self) -> Slot {
        self.grains.len() as Slot
    }

    #[inline]
    fn rule(&self, one: u16, other: u16) -> CollisionRule {
        self.model.rules[usize::from(one) * self.model.materials + usize::from(other)]
    }

    /// Puts the next event of a grain into the queue.
    #[inline]
    fn announce(&mut self, slot: Slot) {
        self.queue.push(self.due(slot));
    }

    /// The next event of a grain.
    #[inline]
    fn due(&self, slot: Slot) -> Due {
        let time = self.grains[slot as usize].event;
        Due::new(time, self.first_key(slot), slot)
    }

    fn fill_cells(&mut self) {
        self.paths.lines.clear();
        for slot in 0..self.slots() {
            let grain = &self.grains[slot as usize];
            if !grain.removed {
                self.paths.insert(grain.cell, slot, grain);
            }
        }
    }
}
