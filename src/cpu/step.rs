//! One time step, from top to bottom.

use super::CpuEngine;
use super::forces::{ForceContext, Sums, Touch, forces};
use super::integrate::{Box3, IntegrateContext, Part, displace, integrate};
use super::neighbours::Images;
use crate::error::{Error, Result};
use glam::DVec3;

/// A grain that begins more contacts than this in one step is shifted further than lists allow for.
const MOST_TOUCHES: f64 = 12.0;

impl CpuEngine {
    /// Runs `steps` time steps; velocities and energies then belong to the instant of the positions.
    pub(super) fn advance(&mut self, steps: u64) -> Result<()> {
        if steps == 0 {
            return Ok(());
        }
        self.integrate(Part::Begin)?; //     positions at t + Δt, velocities predicted for them
        for remaining in (0..steps).rev() {
            self.refresh_lists()?; //        every pair that touches has a slot, with its history
            self.forces(remaining == 0); //  contact forces in the slots, losses in the ledger
            self.step += 1;
            if remaining > 0 {
                self.integrate(Part::Continue)?; // kick, drift to the next positions
            } else {
                self.integrate(Part::Finish)?; //   velocities at the instant of the positions
            }
        }
        Ok(())
    }

    /// Evaluates all contacts and books what they took.
    pub(super) fn forces(&mut self, measure: bool) {
        let context = ForceContext {
            grid: &self.grid,
            images: Images::new(&self.grid),
            model: &self.model,
            faces: &self.faces,
            time_step: self.time_step,
            starting: false,
            measure,
            quantum: self.quantum,
        };
        let (sums, touches) = forces(&context, &self.bodies, &mut self.slots);
        self.contact_updates += sums.contacts;
        self.book(&sums, measure);
        self.shift(touches);
    }

    /// Moves grains whose contact began off the middle of its kick, in the order of their ids.
    fn shift(&mut self, mut touches: Vec<Touch>) {
        let bodies = &mut self.bodies;
        let id = |index: u32| match bodies.id.get(index as usize) {
            Some(&id) => id,
            None => index,
        };
        touches.sort_unstable_by_key(|touch| {
            let (a, b) = (id(touch.first), id(touch.second));
            (a.min(b), a.max(b))
        });
        let box_units = Box3::new(&self.grid);
        let mut furthest = 0.0f64;
        for touch in touches {
            for (index, sign) in [(touch.first, 1.0), (touch.second, -1.0)] {
                let Some(body) = bodies.body.get_mut(index as usize) else {
                    continue;
                };
                let step = sign * body.inverse_mass * touch.shift;
                furthest = furthest.max(step.length());
                let crossed = displace(&box_units, step, body);
                if crossed != DVec3::ZERO {
                    let energy = self.gravity.dot(crossed) / body.inverse_mass;
                    self.ledger.crossed += self.quantum.round(energy);
                }
            }
        }
        self.moved_since_search += MOST_TOUCHES * furthest;
        self.moved_since_slots += MOST_TOUCHES * furthest;
    }

    /// Adds the losses of one evaluation to the ledger: half a kick before this instant is over,
    /// half a kick after it is still to come.
    fn book(&mut self, sums: &Sums, measured: bool) {
        let halves = [
            sums.lost_normal,
            sums.lost_tangential,
            sums.lost_friction,
            sums.lost_rolling,
            sums.gained_mindlin,
        ]
        .map(|energy| 0.5 * energy);
        let ledger = &mut self.ledger;
        let accounts = [
            &mut ledger.lost_normal,
            &mut ledger.lost_tangential,
            &mut ledger.lost_friction,
            &mut ledger.lost_rolling,
            &mut ledger.gained_mindlin,
        ];
        for ((account, pending), half) in accounts.into_iter().zip(ledger.pending).zip(halves) {
            *account += pending + half;
        }
        ledger.pending = halves;
        if measured {
            ledger.elastic_normal = sums.elastic_normal;
            ledger.elastic_tangential = sums.elastic_tangential;
            ledger.elastic_rolling = sums.elastic_rolling;
        }
    }

    fn integrate(&mut self, part: Part) -> Result<()> {
        let resumed = self.resumed.take();
        let context = IntegrateContext {
            grid: &self.grid,
            gravity: self.gravity,
            time_step: self.time_step,
            quantum: self.quantum,
            resumed: resumed.as_deref(),
        };
        let moved = integrate(&context, part, &self.slots, &mut self.bodies);
        if moved.not_finite != u32::MAX {
            return Err(Error::NonFinite {
                particle: moved.not_finite,
                step: self.step,
                time: self.time(),
            });
        }
        if part != Part::Finish {
            self.ledger.crossed += moved.crossed;
            self.left |= moved.left;
            self.speed = moved.speed_squared.sqrt();
            self.moved_since_search += self.speed * self.time_step;
            self.moved_since_slots += self.speed * self.time_step;
        }
        Ok(())
    }
}
