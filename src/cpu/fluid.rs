//! What a fluid does to the grains: buoyancy, drag and films, after the contacts and apart from them.
//!
//! Scenes without a fluid never come here. With one, a pass adds up the contacts of each grain, its
//! weight in the fluid and its drag; a second one works out the films, which need the accelerations of
//! both grains; a third adds them up, in the order of the partners' ids, and books what the fluid took.
//! The integrator is then given whole accelerations.
//!
//! Drag and films are linear in velocities, and each is solved for the velocity in the middle of the
//! kick ([`dragged_acceleration`], [`film_rate`]); films of one grain do not see each other within a
//! kick, which limits the step (`src/time_step.rs`).

use super::CpuEngine;
use super::bodies::{Bodies, Body, Motion};
use super::forces::EnergyQuantum;
use super::four::AnyFour;
use super::incident::SIDE;
use super::integrate::{Kick, Wide, kick};
use super::neighbours::Images;
use super::slots::{Slot, Slots, WIDTH};
use super::walls::Face;
use crate::fluid::FluidModel;
use crate::laws::fluid::dragged_acceleration;
use crate::laws::lubrication::{film_damping, film_impulse, film_rate};
use crate::position::Grid;
use crate::scene::FILM_REACH;
use crate::state::WALL;
use glam::DVec3;
use rayon::prelude::*;

/// Grains or slots that one task works on.
const PER_TASK: usize = 512;

/// The fluid of a run, and what it does in this step.
#[derive(Debug)]
pub(crate) struct Immersion {
    pub(crate) model: FluidModel,
    /// By place in memory: all that a grain undergoes.
    pub(crate) kicks: Vec<Kick<AnyFour>>,
    /// By place of a slot: force of the film on the first grain, N. Empty where there are no films.
    pub(crate) films: Vec<DVec3>,
}

/// What a fluid took in one kick, J.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Taken {
    pub(crate) drag: f64,
    pub(crate) film: f64,
}

/// What all passes need to know.
struct Context<'a> {
    model: &'a FluidModel,
    grid: &'a Grid,
    images: Images,
    faces: &'a [Face],
    gravity: DVec3,
    time_step: f64,
    /// The first evaluation of a run: velocities are those of the instant of the positions.
    starting: bool,
    quantum: EnergyQuantum,
}

impl Immersion {
    pub(crate) fn new(model: FluidModel) -> Self {
        Self {
            model,
            kicks: Vec::new(),
            films: Vec::new(),
        }
    }
}

impl CpuEngine {
    /// Works out all that the fluid does, after the contacts; nothing without one.
    pub(super) fn immerse(&mut self, starting: bool) -> Taken {
        let Some(immersion) = &mut self.immersion else {
            return Taken::default();
        };
        let context = Context {
            model: &immersion.model,
            grid: &self.grid,
            images: Images::new(&self.grid),
            faces: &self.faces,
            gravity: self.gravity,
            time_step: self.time_step,
            starting,
            quantum: self.quantum,
        };
        let (bodies, slots) = (&self.bodies, &self.slots);
        let (mut kicks, drags) = context.without_films(bodies, slots);
        if context.model.has_films() {
            immersion.films = context.films(bodies, slots, &kicks);
        }
        let taken = context.finish(bodies, slots, &immersion.films, &drags, &mut kicks);
        immersion.kicks = kicks;
        taken
    }
}

impl Context<'_> {
    /// Contacts, weight and drag of each grain; and what of the acceleration is drag.
    fn without_films(&self, bodies: &Bodies, slots: &Slots) -> (Vec<Kick<AnyFour>>, Vec<DVec3>) {
        // Weight depends on the material here.
        let wide = Wide::<AnyFour>::new(self.grid, DVec3::ZERO, self.time_step);
        let effects = slots.effects();
        let one = |index: usize| {
            let (body, motion) = (&bodies.body[index], &bodies.motion[index]);
            let mut kick = kick(&effects, &wide, body, motion, index);
            if body.is_fixed() {
                return (kick, DVec3::ZERO);
            }
            let free = kick.linear() + self.model.weight[body.material()] * self.gravity;
            let dragged = self.dragged(body, motion, free);
            kick.set_linear(dragged);
            (kick, dragged - free)
        };
        (0..bodies.len())
            .into_par_iter()
            .with_min_len(PER_TASK)
            .map(one)
            .unzip()
    }

    /// An acceleration with the drag of a grain besides.
    fn dragged(&self, body: &Body, motion: &Motion, free: DVec3) -> DVec3 {
        let drag = self.model.drag(motion.radius(), body.velocity().length());
        let rate = drag * body.inverse_mass();
        let velocity = motion.velocity();
        if self.starting {
            // Half a kick follows: at most what stops the grain.
            return free - velocity * (rate / (0.5 * rate * self.time_step).max(1.0));
        }
        DVec3::from_array(std::array::from_fn(|axis| {
            dragged_acceleration(free[axis], velocity[axis], rate, self.time_step)
        }))
    }

    /// The films in all slots, from accelerations without them.
    fn films(&self, bodies: &Bodies, slots: &Slots, kicks: &[Kick<AnyFour>]) -> Vec<DVec3> {
        let of_block = |block: usize| {
            let taken = slots.counts.in_block(block);
            (0..WIDTH).map(move |lane| {
                let slot = (lane < taken).then(|| slots.slot(block * WIDTH + lane));
                let film = slot.and_then(|slot| self.film(bodies, kicks, &slot));
                film.unwrap_or(DVec3::ZERO)
            })
        };
        (0..slots.block.len())
            .into_par_iter()
            .with_min_len(PER_TASK / WIDTH)
            .flat_map_iter(of_block)
            .collect()
    }

    /// Force of the film of a slot on its first grain, if there is one.
    fn film(&self, bodies: &Bodies, kicks: &[Kick<AnyFour>], slot: &Slot) -> Option<DVec3> {
        let first = slot.first as usize;
        let (a, motion) = (&bodies.body[first], &bodies.motion[first]);
        let mut velocity = motion.velocity();
        let mut acceleration = kicks[first].linear();
        let mut inverse_mass = a.inverse_mass();
        let (normal, gap, film);
        if slot.second >= WALL {
            film = self.model.film(motion.radius(), f64::INFINITY)?;
            let face = &self.faces[(slot.second - WALL) as usize];
            let seen = face.approach(self.grid, a);
            normal = seen.normal;
            gap = seen.distance - a.radius_units() * self.grid.unit;
        } else {
            let second = slot.second as usize;
            let (b, other) = (&bodies.body[second], &bodies.motion[second]);
            film = self.model.film(motion.radius(), other.radius())?;
            let d = DVec3::from_array(std::array::from_fn(|axis| {
                self.images.nearest(axis, b.units[axis] - a.units[axis])
                    + (b.remainder[axis] - a.remainder[axis])
            }));
            let distance = d.length();
            let touching = a.radius_units() + b.radius_units();
            normal = d / distance.max(f64::MIN_POSITIVE);
            gap =
                (d.length_squared() - touching * touching) / (touching + distance) * self.grid.unit;
            velocity -= other.velocity();
            acceleration -= kicks[second].linear();
            inverse_mass += b.inverse_mass();
        }
        // Whatever the lists hold, what is further away is not looked at.
        if gap >= FILM_REACH * film.resolved * film.length {
            return None;
        }
        let viscosity = self.model.fluid.viscosity;
        let rate = velocity.dot(normal);
        let half = 0.5 * self.time_step;
        if self.starting {
            let damping = film_damping(film, viscosity, gap);
            // Half a kick follows: at most what stops the grains.
            let most = 1.0 / (half * inverse_mass);
            return Some(-damping.min(most) * rate * normal);
        }
        let free = rate + half * acceleration.dot(normal);
        let start = gap + half * rate;
        let middle = film_rate(film, viscosity, inverse_mass, start, free, self.time_step);
        let impulse = film_impulse(film, viscosity, start, self.time_step * middle);
        Some(-(impulse / self.time_step) * normal)
    }

    /// Adds the films to the accelerations, and up what the fluid took.
    fn finish(
        &self,
        bodies: &Bodies,
        slots: &Slots,
        films: &[DVec3],
        drags: &[DVec3],
        kicks: &mut [Kick<AnyFour>],
    ) -> Taken {
        let one = |(index, kick): (usize, &mut Kick<AnyFour>)| {
            let (body, motion) = (&bodies.body[index], &bodies.motion[index]);
            if body.is_fixed() {
                return Taken::default();
            }
            let mut film = DVec3::ZERO;
            if !films.is_empty() {
                for (place, side) in slots.incident.of(index) {
                    film += SIDE[side] * films[place];
                }
            }
            kick.set_linear(kick.linear() + film * body.inverse_mass());
            // The velocity in the middle of the kick: what a force over all of it works on.
            let advance = if self.starting {
                0.0
            } else {
                0.5 * self.time_step
            };
            let velocity = motion.velocity() + advance * kick.linear();
            let work = self.time_step * velocity;
            let drag = drags[index].dot(work) / body.inverse_mass();
            Taken {
                drag: self.quantum.round(-drag),
                film: self.quantum.round(-film.dot(work)),
            }
        };
        kicks
            .par_iter_mut()
            .enumerate()
            .with_min_len(PER_TASK)
            .map(one)
            .reduce(Taken::default, |a, b| Taken {
                drag: a.drag + b.drag,
                film: a.film + b.film,
            })
    }
}
