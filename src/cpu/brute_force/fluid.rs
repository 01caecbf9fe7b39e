//! What a fluid does to the grains in one step: weight, drag and films.
//!
//! Written out per grain and per pair: the velocity in the middle of the kick decides the drag and, for
//! a pair, the rate in its middle decides how far the gap goes and so what the film takes.

use super::{BruteForce, Grain};
use crate::laws::fluid::dragged_acceleration;
use crate::laws::lubrication::{Film, film_damping, film_impulse, film_rate};
use crate::scene::FILM_REACH;
use crate::state::WALL;
use glam::DVec3;

impl BruteForce {
    /// Turns gravity into weight in the fluid and adds the drag, then the films.
    pub(super) fn immerse(&mut self, starting: bool) {
        let Some(fluid) = self.fluid.clone() else {
            return;
        };
        for place in 0..self.grains.len() {
            let grain = &self.grains[place];
            if grain.fixed {
                continue;
            }
            let weight = fluid.weight[grain.material];
            let free = grain.acceleration - self.gravity + weight * self.gravity;
            let drag = fluid.drag(grain.radius, grain.velocity.length());
            let rate = (self.rules.drag_rate)(drag / grain.mass);
            let step = self.time_step;
            let before = self.velocity_before(grain, starting);
            self.grains[place].acceleration = if starting {
                free - before * rate / (0.5 * rate * step).max(1.0)
            } else {
                DVec3::from_array(
                    [0, 1, 2]
                        .map(|axis| dragged_acceleration(free[axis], before[axis], rate, step)),
                )
            };
        }
        self.films.clear();
        for (i, first) in self.grains.iter().enumerate() {
            for second in &self.grains[i + 1..] {
                if first.fixed && second.fixed {
                    continue;
                }
                let Some(film) = fluid.film(first.radius, second.radius) else {
                    continue;
                };
                let meeting = self.meeting(first, second);
                let force = self.film_force(&film, first, Some(second), &meeting, starting);
                self.films.extend(force.map(|f| ((first.id, second.id), f)));
            }
            for (id, surface) in (WALL..).zip(&self.surfaces).filter(|_| !first.fixed) {
                let Some(film) = fluid.film(first.radius, f64::INFINITY) else {
                    continue;
                };
                let meeting = self.wall_meeting(first, surface);
                let force = self.film_force(&film, first, None, &meeting, starting);
                self.films.extend(force.map(|f| ((first.id, id), f)));
            }
        }
        for (&(first, second), &force) in &self.films {
            let i = self.grains.partition_point(|grain| grain.id < first);
            let inverse = self.grains[i].inverse_mass();
            self.grains[i].acceleration += force * inverse;
            if second < WALL {
                let j = self.grains.partition_point(|grain| grain.id < second);
                let inverse = self.grains[j].inverse_mass();
                self.grains[j].acceleration -= force * inverse;
            }
        }
    }

    /// Velocity at the beginning of the kick; at the start of a run, at the instant of the positions.
    fn velocity_before(&self, grain: &Grain, starting: bool) -> DVec3 {
        if starting {
            grain.velocity
        } else {
            grain.half_velocity
        }
    }

    /// Force of a film on the first grain; `None` if the gap is too wide for one.
    fn film_force(
        &self,
        film: &Film,
        first: &Grain,
        second: Option<&Grain>,
        meeting: &super::Encounter,
        starting: bool,
    ) -> Option<DVec3> {
        let gap = (self.rules.film_gap)(-meeting.overlap);
        if gap >= FILM_REACH * film.resolved * film.length {
            return None;
        }
        let viscosity = (self.rules.film_viscosity)(self.fluid.as_ref()?.fluid.viscosity);
        let along = |grain: Option<&Grain>| match grain {
            Some(grain) => [
                self.velocity_before(grain, starting).dot(meeting.normal),
                grain.acceleration.dot(meeting.normal),
            ],
            None => [0.0; 2],
        };
        let ([v_i, a_i], [v_j, a_j]) = (along(Some(first)), along(second));
        let half = 0.5 * self.time_step;
        let mobility: f64 = meeting.inverse_masses.iter().sum();
        let force = if starting {
            film_damping(*film, viscosity, gap).min(1.0 / (half * mobility)) * (v_i - v_j)
        } else {
            let free = v_i - v_j + half * (a_i - a_j);
            let start = gap + half * (v_i - v_j);
            let rate = film_rate(*film, viscosity, mobility, start, free, self.time_step);
            film_impulse(*film, viscosity, start, self.time_step * rate) / self.time_step
        };
        Some(-force * meeting.normal)
    }
}
