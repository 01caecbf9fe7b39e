//! One time step, from top to bottom.

use super::CpuEngine;
use super::fluid::Taken;
use super::forces::{ForceContext, Sums};
use super::integrate::{IntegrateContext, Part};
use super::neighbours::Images;
use super::stage_times::Watch;
use super::tasks::{forces, motion};
use crate::error::Result;

impl CpuEngine {
    /// Runs `steps` time steps, or as many as `go_on` allows; velocities and energies then belong to the instant of the positions.
    pub(super) fn advance(&mut self, steps: u64, go_on: &dyn Fn() -> bool) -> Result<()> {
        if steps == 0 {
            return Ok(());
        }
        let mut last = self.step.saturating_add(steps);
        self.kept.forget();
        let mut watch = Watch::start();
        self.motion(Part::Begin)?; //        positions at t + Δt, velocities predicted for them
        self.stage_times.motion += watch.lap();
        while self.step < last {
            if !go_on() {
                last = self.step + 1;
            }
            self.refresh_lists()?; //        every pair that touches has a slot, with its history
            self.stage_times.lists += watch.lap();
            let steps = self.steps_at_once(last);
            if steps > 1 {
                self.sweep(steps)?; //       what follows, several times
                watch.lap();
                continue;
            }
            self.step += 1;
            self.forces(self.step == last); // contact forces in the slots, losses in the ledger
            self.stage_times.forces += watch.lap();
            self.motion(if self.step < last {
                Part::Continue //            kick, drift to the next positions
            } else {
                Part::Finish //              velocities at the instant of the positions
            })?;
            self.stage_times.motion += watch.lap();
        }
        Ok(())
    }

    /// What contacts need to know in an ordinary step.
    pub(super) fn force_context(&self) -> ForceContext<'_> {
        ForceContext {
            processor: self.processor,
            grid: &self.grid,
            images: Images::new(&self.grid),
            model: &self.model,
            faces: &self.faces,
            time_step: self.time_step,
            starting: false,
            measure: false,
            past_caches: false,
            quantum: self.quantum,
        }
    }

    /// What grains need to know in an ordinary step.
    pub(super) fn motion_context(&self) -> IntegrateContext<'_> {
        IntegrateContext {
            processor: self.processor,
            grid: &self.grid,
            gravity: self.gravity,
            time_step: self.time_step,
            quantum: self.quantum,
            resumed: None,
            immersed: None,
        }
    }

    /// Evaluates all contacts and books what they took.
    pub(super) fn forces(&mut self, measure: bool) {
        let past_caches = self.state_bytes() > self.last_cache;
        let mut slots = std::mem::take(&mut self.slots);
        let context = ForceContext {
            measure,
            past_caches,
            ..self.force_context()
        };
        let sums = forces(&context, &self.bodies, &mut slots);
        self.slots = slots;
        self.contact_updates += sums.contacts;
        self.book(&sums, measure);
        let taken = self.immerse(false);
        self.book_fluid(taken);
    }

    /// Moves all grains on.
    pub(super) fn motion(&mut self, part: Part) -> Result<()> {
        let resumed = self.resumed.take();
        let mut bodies = std::mem::take(&mut self.bodies);
        let fluid = self.immersion.as_ref();
        let context = IntegrateContext {
            resumed: resumed.as_deref(),
            immersed: fluid.map(|fluid| (fluid.kicks.as_slice(), fluid.model.weight.as_slice())),
            ..self.motion_context()
        };
        let moved = motion(&context, part, &self.slots, &mut bodies);
        self.bodies = bodies;
        self.note(part, moved)
    }

    /// As [`book`](Self::book), for the fluid.
    fn book_fluid(&mut self, taken: Taken) {
        let ledger = &mut self.ledger;
        let [drag, film] = ledger.pending_fluid;
        let halves = [taken.drag, taken.film].map(|energy| 0.5 * energy);
        ledger.lost_drag += drag + halves[0];
        ledger.lost_film += film + halves[1];
        ledger.pending_fluid = halves;
    }

    /// Adds the losses of one evaluation to the ledger: half a kick before this instant is over,
    /// half a kick after it is still to come.
    pub(super) fn book(&mut self, sums: &Sums, measured: bool) {
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
}
