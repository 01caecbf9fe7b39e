//! The same physics over all pairs, written to be read: what the fast engine is tested against.
//!
//! No neighbour lists, no lanes, no threads. Every step looks at every pair of grains and at every
//! grain and wall face; what a contact remembers lives in one map, keyed by the two partners. The
//! map is ordered, so that each grain adds up its contacts in the order of the partners' ids.
//!
//! Shared with the fast engine are the laws ([`crate::laws`], [`crate::contact`]) and exact
//! positions ([`crate::position`]); geometry, the beginning and end of contacts, and the leapfrog
//! are written a second time. Only the losses in the ledger are left at zero: the energy balance has
//! tests of its own.

mod contact;
mod fluid;
mod rules;
mod surfaces;

pub use rules::Rules;

use super::grid_of;
use crate::contact::ContactModel;
use crate::error::{Error, Result};
use crate::fluid::FluidModel;
use crate::laws::material::{sphere_inertia, sphere_mass};
use crate::position::Grid;
use crate::scene::{Leaving, Scene};
use crate::state::{ContactState, Ledger, ParticleState, State, WALL};
use contact::{Action, Encounter, Memory};
use glam::DVec3;
use std::collections::BTreeMap;
use surfaces::{Surface, surfaces_of};

/// One sphere.
#[derive(Debug, Clone)]
struct Grain {
    id: u32,
    units: [i64; 3],
    remainder: DVec3,
    /// At the instant of the position between two runs; predicted for it while forces are worked out.
    velocity: DVec3,
    spin: DVec3,
    /// Half a step after the instant of the position.
    half_velocity: DVec3,
    half_spin: DVec3,
    acceleration: DVec3,
    angular_acceleration: DVec3,
    radius: f64,
    /// The radius in whole units: what overlaps are reckoned with.
    radius_units: f64,
    /// The mass that moves: in a fluid with added mass, more than the grain's own.
    mass: f64,
    /// Moment of inertia, of the grain alone.
    inertia: f64,
    material: usize,
    fixed: bool,
}

impl Grain {
    /// 1/mass, 1/kg: nothing moves a fixed grain.
    fn inverse_mass(&self) -> f64 {
        if self.fixed { 0.0 } else { 1.0 / self.mass }
    }

    /// Moves it by `step` metres; what is less than a unit is carried.
    fn displace(&mut self, grid: &Grid, step: DVec3) {
        (self.units, self.remainder) = grid.displace(self.units, self.remainder, step);
    }
}

/// The soft-sphere engine over all pairs.
#[derive(Debug, Clone)]
pub struct BruteForce {
    grid: Grid,
    gravity: DVec3,
    leaving: Leaving,
    model: ContactModel,
    rules: Rules,
    surfaces: Vec<Surface>,
    fluid: Option<FluidModel>,
    time_step: f64,
    step: u64,
    /// In the order of their ids.
    grains: Vec<Grain>,
    /// Contacts that touch now, by the partners' ids, lower first; walls are [`WALL`] + face.
    contacts: BTreeMap<(u32, u32), Memory>,
    /// What each contact does in this step, those included that have just ended.
    actions: BTreeMap<(u32, u32), Action>,
    /// Forces of films on the first of two partners, keyed as contacts are.
    films: BTreeMap<(u32, u32), DVec3>,
    initial: f64,
    removed: u64,
    removed_energy: f64,
}

impl BruteForce {
    /// An engine at the start of a validated scene.
    ///
    /// # Errors
    /// None at present: a validated scene can always start.
    pub fn new(scene: &Scene, time_step: f64) -> Result<Self> {
        Self::with_rules(scene, time_step, Rules::default())
    }

    /// The same with other laws in some places.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_rules(scene: &Scene, time_step: f64, rules: Rules) -> Result<Self> {
        let grid = grid_of(scene);
        let fluid = FluidModel::new(scene);
        let grain = |(id, particle): (u32, &crate::scene::Particle)| {
            let (units, remainder) = grid.from_metres(particle.position);
            let moving = if particle.fixed { 0.0 } else { 1.0 };
            let mass = sphere_mass(scene.materials[particle.material].density, particle.radius);
            let inertia = fluid
                .as_ref()
                .map_or(1.0, |fluid| fluid.inertia[particle.material]);
            Grain {
                id,
                units,
                remainder,
                velocity: moving * particle.velocity,
                spin: moving * particle.spin,
                half_velocity: DVec3::ZERO,
                half_spin: DVec3::ZERO,
                acceleration: DVec3::ZERO,
                angular_acceleration: DVec3::ZERO,
                radius: particle.radius,
                radius_units: (particle.radius / grid.unit).round(),
                mass: inertia * mass,
                inertia: sphere_inertia(mass, particle.radius),
                material: particle.material,
                fixed: particle.fixed,
            }
        };
        let mut engine = Self {
            gravity: scene.gravity,
            leaving: scene.domain.leaving,
            model: ContactModel::stepped(scene, time_step),
            rules,
            surfaces: surfaces_of(scene, &grid),
            time_step,
            step: 0,
            grains: (0..).zip(&scene.particles).map(grain).collect(),
            contacts: BTreeMap::new(),
            actions: BTreeMap::new(),
            films: BTreeMap::new(),
            initial: 0.0,
            removed: 0,
            removed_energy: 0.0,
            fluid,
            grid,
        };
        engine.evaluate(true);
        engine.accelerate();
        engine.immerse(true);
        engine.initial = engine.ledger().total();
        Ok(engine)
    }

    /// Runs `steps` time steps.
    ///
    /// # Errors
    /// A grain that is no longer finite, or that left a domain which stops the run.
    pub fn run(&mut self, steps: u64) -> Result<()> {
        for _ in 0..steps {
            self.drift();
            self.check()?;
            self.evaluate(false);
            self.step += 1;
            self.accelerate();
            self.immerse(false);
            self.finish_kick();
            self.shift_touching();
        }
        Ok(())
    }

    /// Half a kick, the move to the next position, and the velocity predicted for that instant.
    fn drift(&mut self) {
        let half = 0.5 * self.time_step;
        for grain in &mut self.grains {
            grain.half_velocity = grain.velocity + half * grain.acceleration;
            grain.half_spin = grain.spin + half * grain.angular_acceleration;
            grain.displace(&self.grid, self.time_step * grain.half_velocity);
            grain.velocity = grain.half_velocity + half * grain.acceleration;
            grain.spin = grain.half_spin + half * grain.angular_acceleration;
        }
    }

    /// The other half of the kick.
    fn finish_kick(&mut self) {
        let half = 0.5 * self.time_step;
        for grain in &mut self.grains {
            grain.velocity = grain.half_velocity + half * grain.acceleration;
            grain.spin = grain.half_spin + half * grain.angular_acceleration;
        }
    }

    /// Stops at grains that are not finite or have left, or takes the latter out.
    fn check(&mut self) -> Result<()> {
        let time = self.time();
        for grain in &self.grains {
            if !(grain.velocity.is_finite() && grain.spin.is_finite()) {
                return Err(Error::NonFinite {
                    particle: grain.id,
                    step: self.step,
                    time,
                });
            }
        }
        let outside = |grain: &&Grain| !self.grid.contains(grain.units);
        if let (Leaving::Stop, Some(grain)) = (self.leaving, self.grains.iter().find(outside)) {
            return Err(Error::LeftDomain {
                particle: grain.id,
                time,
                position: self.grid.to_metres(grain.units, grain.remainder).to_array(),
            });
        }
        let gone: Vec<u32> = self.grains.iter().filter(outside).map(|g| g.id).collect();
        for id in gone {
            let place = self.place(id);
            self.removed_energy += self.energy_of(&self.grains[place]).iter().sum::<f64>();
            self.removed += 1;
            self.grains.remove(place);
            self.contacts.retain(|&(a, b), _| a != id && b != id);
        }
        Ok(())
    }

    fn place(&self, id: u32) -> usize {
        self.grains.partition_point(|grain| grain.id < id)
    }

    /// Looks at every pair and at every grain and wall.
    fn evaluate(&mut self, starting: bool) {
        let mut contacts = BTreeMap::new();
        let mut actions = BTreeMap::new();
        for (i, first) in self.grains.iter().enumerate() {
            let pairs = self.grains[i + 1..]
                .iter()
                .filter(|second| !(first.fixed && second.fixed))
                .map(|second| (second.id, self.meeting(first, second)));
            let walls = (WALL..)
                .zip(&self.surfaces)
                .filter(|_| !first.fixed)
                .map(|(id, surface)| (id, self.wall_meeting(first, surface)));
            for (partner, encounter) in pairs.chain(walls) {
                let key = (first.id, partner);
                let before = self.contacts.get(&key);
                let (memory, action) =
                    encounter.evaluate(&self.model, &self.rules, self.time_step, starting, before);
                contacts.extend(memory.map(|memory| (key, memory)));
                actions.extend(action.map(|action| (key, action)));
            }
        }
        self.contacts = contacts;
        self.actions = actions;
    }

    /// From `a` to `b`, exactly, in units.
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    fn separation(&self, a: &Grain, b: &Grain) -> DVec3 {
        let whole = self.grid.difference(a.units, b.units).map(|x| x as f64);
        DVec3::from_array(whole) + (b.remainder - a.remainder)
    }

    /// `R_i + R_j − |d|` in metres, without cancellation: (s² − d²)/(s + |d|).
    fn overlap(&self, a: &Grain, b: &Grain) -> f64 {
        let touching = a.radius_units + b.radius_units;
        let d = self.separation(a, b);
        (touching * touching - d.length_squared()) / (touching + d.length()) * self.grid.unit
    }

    fn wall_overlap(&self, grain: &Grain, surface: &Surface) -> f64 {
        let (distance, _) = surface.distance(&self.grid, grain.units, grain.remainder);
        grain.radius_units * self.grid.unit - distance
    }

    /// How two grains meet.
    fn meeting(&self, a: &Grain, b: &Grain) -> Encounter {
        let d = self.separation(a, b);
        Encounter {
            normal: d / d.length().max(f64::MIN_POSITIVE),
            overlap: self.overlap(a, b),
            velocity: a.velocity - b.velocity,
            surface_spin: a.radius * a.spin + b.radius * b.spin,
            spin: a.spin - b.spin,
            radii: [a.radius, b.radius],
            inverse_masses: [a.inverse_mass(), b.inverse_mass()],
            materials: [a.material, b.material],
        }
    }

    /// How a grain meets a wall: a body of infinite mass and radius, at rest.
    fn wall_meeting(&self, grain: &Grain, surface: &Surface) -> Encounter {
        let (_, normal) = surface.distance(&self.grid, grain.units, grain.remainder);
        Encounter {
            normal,
            overlap: self.wall_overlap(grain, surface),
            velocity: grain.velocity,
            surface_spin: grain.radius * grain.spin,
            spin: grain.spin,
            radii: [grain.radius, f64::INFINITY],
            inverse_masses: [grain.inverse_mass(), 0.0],
            materials: [grain.material, surface.material],
        }
    }

    /// Sums the actions on each grain. The order of the map is, for each grain, the order of its
    /// partners' ids, walls last.
    fn accelerate(&mut self) {
        let mut force = vec![DVec3::ZERO; self.grains.len()];
        let mut torque = force.clone();
        let mut moment = force.clone();
        for (&(first, second), action) in &self.actions {
            let i = self.place(first);
            force[i] += action.force;
            torque[i] += action.torque;
            moment[i] += action.moment;
            if second < WALL {
                // The reaction; n × F_t turns both grains the same way.
                let j = self.place(second);
                force[j] -= action.force;
                torque[j] += action.torque;
                moment[j] -= action.moment;
            }
        }
        for (i, grain) in self.grains.iter_mut().enumerate() {
            if grain.fixed {
                continue;
            }
            grain.acceleration = self.gravity + force[i] / grain.mass;
            grain.angular_acceleration = (grain.radius * torque[i] + moment[i]) / grain.inertia;
        }
    }

    /// Moves grains whose contact began off the middle of its kick.
    fn shift_touching(&mut self) {
        for (&(first, second), action) in &self.actions {
            let i = self.grains.partition_point(|grain| grain.id < first);
            let shift = action.shift * self.grains[i].inverse_mass();
            self.grains[i].displace(&self.grid, shift);
            if second < WALL {
                let j = self.grains.partition_point(|grain| grain.id < second);
                let shift = -action.shift * self.grains[j].inverse_mass();
                self.grains[j].displace(&self.grid, shift);
            }
        }
    }

    /// Simulated time, s.
    #[allow(
        clippy::cast_precision_loss,
        reason = "2^53 steps are out of reach of any run"
    )]
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }

    /// Kinetic, rotational and potential energy of one grain, J.
    fn energy_of(&self, grain: &Grain) -> [f64; 3] {
        let height = self.grid.to_metres(grain.units, grain.remainder) - self.grid.origin;
        let weight = self
            .fluid
            .as_ref()
            .map_or(1.0, |fluid| fluid.weight[grain.material]);
        [
            0.5 * grain.mass * grain.velocity.length_squared(),
            0.5 * grain.inertia * grain.spin.length_squared(),
            -weight * grain.mass * self.gravity.dot(height),
        ]
    }

    /// Energies now; losses are not kept.
    fn ledger(&self) -> Ledger {
        let mut ledger = Ledger {
            removed: self.removed_energy,
            initial: self.initial,
            ..Ledger::default()
        };
        for grain in &self.grains {
            let [kinetic, rotational, potential] = self.energy_of(grain);
            ledger.kinetic += kinetic;
            ledger.rotational += rotational;
            ledger.potential += potential;
        }
        for memory in self.contacts.values() {
            let [normal, tangential, rolling] = memory.elastic;
            ledger.elastic_normal += normal;
            ledger.elastic_tangential += tangential;
            ledger.elastic_rolling += rolling;
        }
        ledger
    }

    /// Everything that decides the future of the run, by id.
    pub fn state(&self) -> State {
        let mut particles = ParticleState::default();
        for grain in &self.grains {
            particles.id.push(grain.id);
            particles.units.push(grain.units);
            particles.remainder.push(grain.remainder);
            particles.velocity.push(grain.velocity);
            particles.spin.push(grain.spin);
            particles.acceleration.push(grain.acceleration);
            particles
                .angular_acceleration
                .push(grain.angular_acceleration);
            particles.radius.push(grain.radius);
            let material = u16::try_from(grain.material).unwrap_or(u16::MAX);
            particles.material.push(material);
            particles.fixed.push(grain.fixed);
        }
        State {
            step: self.step,
            time_step: self.time_step,
            grid: self.grid,
            particles,
            contacts: self.contact_states(),
            ledger: self.ledger(),
            wall_forces: self.wall_forces(),
            removed: self.removed,
        }
    }

    fn contact_states(&self) -> Vec<ContactState> {
        let state = |(&(first, second), memory): (&(u32, u32), &Memory)| {
            let a = &self.grains[self.place(first)];
            ContactState {
                first,
                second,
                spring: memory.spring,
                rolling: memory.rolling,
                adaptive: memory.adaptive,
                overlap: if second < WALL {
                    self.overlap(a, &self.grains[self.place(second)])
                } else {
                    self.wall_overlap(a, &self.surfaces[(second - WALL) as usize])
                },
                normal_force: memory.normal_force,
                root_overlap: memory.root_overlap,
            }
        };
        self.contacts.iter().map(state).collect()
    }

    fn wall_forces(&self) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; self.surfaces.len()];
        for (&(_, second), action) in &self.actions {
            if second >= WALL {
                forces[(second - WALL) as usize] -= action.force;
            }
        }
        for (&(_, second), &force) in &self.films {
            if second >= WALL {
                forces[(second - WALL) as usize] -= force;
            }
        }
        forces
    }
}
