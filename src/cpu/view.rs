//! What an engine shows of itself.

use super::CpuEngine;
use super::four::AnyFour;
use super::integrate::{Wide, kick};
use super::neighbours::{Images, Reach};
use super::slots::Slots;
use crate::state::{ContactState, Instant, Ledger, ParticleRecord, State, StateSource, WALL};
use glam::DVec3;

impl CpuEngine {
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
                let kick = kick(&self.engine.slots.effects(), &wide, body, motion, index);
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
