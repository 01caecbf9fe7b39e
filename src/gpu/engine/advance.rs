//! Steps in batches. The device does them alone: while the host waits to hear about one batch, the next is
//! already handed over, if need be one of the next run. A device that stops for the host does nothing in the batches
//! that follow.

use super::super::awake::Awake;
use super::super::passes::{Passes, StageQueries};
use super::super::readback::Readback;
use super::super::status::{
    HALTED_AWAY, HALTED_CAPACITY, STATUS_HALTED, STATUS_LEFT, STATUS_LOSSES, STATUS_NONE,
    STATUS_NOT_FINITE, STATUS_REBUILD_WANTED, STATUS_SPEED, STATUS_SPEED_BEFORE, STATUS_STEPS,
    Status,
};
use super::super::texels::Source;
use super::GpuEngine;
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Batches that are handed to the device before the host waits for the first of them.
pub(super) const BATCHES: usize = 2;

/// Steps of the first batch, when nobody knows how long they take.
pub(super) const FIRST_BATCH: u64 = 8;

/// Most steps of a batch. A larger number gains nothing that could be measured: on a software device 1000 grains take
/// 0.6 to 1.0 ms of processor time per step in batches of 128, 0.6 to 0.7 ms in batches of 256 and of 512, each as long
/// as it takes. Nor should it be much larger: a device that stops for the host goes through the rest of it idly.
const MOST_STEPS: u64 = 512;

/// Fewest steps of a batch of a slow device: leaps come in pairs.
const LEAST_STEPS: u64 = 2;

/// How long a batch may take: drivers reset a device that is silent for seconds, and screens share it.
const BATCH_TIME: Duration = Duration::from_millis(100);

/// Most steps between two decisions about the neighbour list.
const DECISION_STEPS: f64 = 16.0;

/// The same where grains are slow. The kernels of a list that is not made cost time too: 10 µs per step on a software
/// device if they come every 16 steps.
const SLOW_DECISION_STEPS: f64 = 64.0;

/// Grains are slow if the thinnest list lasts so many times the steps from one decision to the next: it is made anew
/// that much sooner, since the device looks ahead.
const SLOW_DECISIONS: f64 = 5.0;

/// Steps that were handed to the device.
#[derive(Debug)]
pub(super) struct Batch {
    steps: u64,
    /// Whether the host was still busy with the run before: how long it takes says nothing then.
    ahead: bool,
    readback: Readback,
    /// Of their stages, if somebody wants to know.
    times: Option<StageQueries>,
}

/// What of a run the device was given and the host has not heard of yet.
#[derive(Debug, Default)]
pub(super) struct Handed {
    batches: VecDeque<Batch>,
    pub(super) steps: u64,
    begun: bool,
}

impl Handed {
    fn push(&mut self, batch: Batch) {
        self.steps += batch.steps;
        self.begun = true;
        self.batches.push_back(batch);
    }

    /// Gives up what was handed over: a device that waits for the host does nothing of it.
    fn drop_batches(&mut self) {
        self.batches.clear();
        self.steps = 0;
    }
}

impl GpuEngine {
    /// First evaluation: forces at the starting positions, and the energy that the run starts with.
    pub(super) fn start(&mut self) -> Result<()> {
        while let Some((buffers, step)) = &self.memory {
            let mut encoder = self.gpu.encoder("start");
            {
                let mut passes = Passes::new(&mut encoder, None);
                step.record_refresh(&mut passes, buffers);
                step.record_start(&mut passes, buffers);
                step.record_measurement(&mut passes, buffers);
            }
            self.gpu.submit(encoder)?;
            let status = self.read_status()?;
            if status.word(STATUS_HALTED) == 0 {
                self.take_measurements(&status);
                self.ledger.pending = self.last_losses(&status);
                self.ledger.pending_fluid = self.last_fluid_losses(&status);
                break;
            }
            self.attend(&status)?;
        }
        self.ledger.initial = self.ledger.total();
        Ok(())
    }

    /// Runs `steps` time steps.
    ///
    /// # Errors
    /// A particle that is no longer finite, or that left a domain which stops the run; and whatever the
    /// device complains about.
    pub fn run(&mut self, steps: u64) -> Result<()> {
        self.run_then(steps, 0)
    }

    /// Runs `steps` time steps, and hands the device the first of the `next` that come then before it waits for the
    /// last of these. Sums can be looked at meanwhile, as [`totals`](Self::totals); the state can not, until those
    /// `next` steps are run.
    ///
    /// # Errors
    /// As [`run`](Self::run); and if more steps were announced before than are now run.
    pub fn run_then(&mut self, steps: u64, next: u64) -> Result<()> {
        if steps == 0 {
            return Ok(());
        }
        if steps <= self.handed.steps {
            return Err(Error::Unsupported(format!(
                "{steps} steps, where more were announced: the device has begun {}",
                self.handed.steps
            )));
        }
        self.resumed = None;
        let _kept = self.awake.as_ref().map(Awake::keep);
        let mut remaining = steps;
        while remaining > 0 && self.memory.is_some() {
            let (status, done) = self.advance(remaining, next)?;
            remaining -= done.min(remaining);
            if remaining == 0 {
                self.check_finite(&status)?;
                self.finish(&status);
            } else {
                self.handed.drop_batches();
                self.next = Handed::default();
                self.attend(&status)?;
            }
        }
        self.handed = std::mem::take(&mut self.next);
        // Without grains there is nothing to do but to let the time pass.
        self.step += remaining;
        Ok(())
    }

    /// Hands the device the first of the `next` steps that will be run, for a host that is busy until then. The
    /// state can not be looked at before they are.
    ///
    /// # Errors
    /// Whatever the device complains about.
    pub fn begin(&mut self, next: u64) -> Result<()> {
        self.hand_ahead(next)?;
        if self.next.begun {
            self.resumed = None;
        }
        self.handed = std::mem::take(&mut self.next);
        Ok(())
    }

    /// Hands over what fits of the next run, but for its last step: whoever runs it says which that is.
    fn hand_ahead(&mut self, next: u64) -> Result<()> {
        while self.memory.is_some()
            && self.handed.batches.len() + self.next.batches.len() < BATCHES
            && self.next.steps + 1 < next
        {
            let steps = self.batch.min(next - 1 - self.next.steps);
            let batch = self.submit(!self.next.begun, steps, false)?;
            self.next.push(Batch {
                ahead: true,
                ..batch
            });
        }
        Ok(())
    }

    /// Hands the remaining steps to the device until they are done or it stops. Returns what it says then,
    /// and how many steps it did.
    fn advance(&mut self, remaining: u64, next: u64) -> Result<(Status, u64)> {
        let mut done = 0;
        let mut clock = Instant::now();
        loop {
            while self.handed.batches.len() < BATCHES && self.handed.steps < remaining {
                let steps = self.batch.min(remaining - self.handed.steps);
                let is_last = self.handed.steps + steps == remaining;
                let batch = self.submit(!self.handed.begun, steps, is_last)?;
                self.handed.push(batch);
            }
            if self.handed.steps == remaining {
                self.hand_ahead(next)?;
            }
            let Some(batch) = self.handed.batches.pop_front() else {
                return Err(self.gpu.refusal("do its steps", &"it lost count of them"));
            };
            let status = self.receive(&batch)?;
            let counted = status.word(STATUS_STEPS);
            let new = u64::from(counted.wrapping_sub(self.counted));
            self.counted = counted;
            self.step += new;
            done += new;
            if done >= remaining || status.word(STATUS_HALTED) != 0 {
                return Ok((status, done));
            }
            if !batch.ahead {
                self.set_batch(batch.steps, clock.elapsed());
            }
            clock = Instant::now();
            self.set_decision_steps(&status)?;
        }
    }

    /// Hands steps to the device, and asks what it says afterwards.
    pub(super) fn submit(&self, begins: bool, steps: u64, is_last: bool) -> Result<Batch> {
        let mut encoder = self.gpu.encoder("steps");
        let Some((buffers, step)) = &self.memory else {
            let readback = Readback::submit(&self.gpu, encoder, &[])?;
            return Ok(Batch {
                steps,
                ahead: false,
                readback,
                times: None,
            });
        };
        let mut times = match &self.stage_seconds {
            Some(_) => Some(StageQueries::new(&self.gpu)?),
            None => None,
        };
        if begins {
            // What the run before has summed up is copied by now.
            encoder.clear_buffer(&buffers.status, 4 * STATUS_LOSSES as u64, None);
        }
        let decision_steps = u64::from(self.params.decision_steps);
        {
            let mut passes = Passes::new(&mut encoder, times.as_mut());
            if begins {
                step.record_begin(&mut passes, buffers);
            }
            let mut number = 0;
            while number < steps {
                if number % decision_steps == 0 {
                    step.record_refresh(&mut passes, buffers);
                }
                let decision = (number / decision_steps + 1) * decision_steps;
                let ordinary = decision.min(steps - u64::from(is_last));
                if step.can_leap() && number + 2 <= ordinary {
                    step.record_leaps(&mut passes, buffers);
                    number += 2;
                } else {
                    step.record_step(&mut passes, buffers, is_last && number + 1 == steps);
                    number += 1;
                }
            }
            if is_last {
                step.record_measurement(&mut passes, buffers);
            }
        }
        let bytes = 4 * Status::words(self.faces.len()) as u64;
        let mut sources = vec![(Source::Buffer(&buffers.status, 0), bytes)];
        if let Some(times) = &times {
            let (resolved, bytes) = times.resolve(&mut encoder);
            sources.push((Source::Buffer(resolved, 0), bytes));
        }
        Ok(Batch {
            steps,
            ahead: false,
            readback: Readback::submit(&self.gpu, encoder, &sources)?,
            times,
        })
    }

    pub(super) fn receive(&mut self, batch: &Batch) -> Result<Status> {
        batch.readback.wait(&self.gpu)?;
        if let (Some(times), Some(sums)) = (&batch.times, &mut self.stage_seconds) {
            let period = 1e-9 * f64::from(self.gpu.queue().get_timestamp_period());
            let ticks = batch.readback.take(&self.gpu, 1, times.ticks())?;
            times.add_up(&ticks, period, sums);
        }
        let words = Status::words(self.faces.len());
        Ok(Status(batch.readback.take(&self.gpu, 0, words)?))
    }

    /// Long batches keep the device busy; too long ones keep it from everything else.
    fn set_batch(&mut self, steps: u64, took: Duration) {
        if steps == self.batch && 2 * took < BATCH_TIME {
            self.batch = (2 * steps).min(MOST_STEPS);
        } else if took > 2 * BATCH_TIME {
            self.batch = (steps / 2).max(LEAST_STEPS);
        }
    }

    /// Fast grains outrun their list sooner: the device then decides more often.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "clamped to a few steps"
    )]
    pub(super) fn set_decision_steps(&mut self, status: &Status) -> Result<()> {
        let speed = status
            .float(STATUS_SPEED)
            .max(status.float(STATUS_SPEED_BEFORE));
        let lasts = f64::from(self.params.thickest_skin) / (2.5 * speed);
        // Two grains may each have come half a skin closer.
        let thinnest_lasts = f64::from(self.params.thinnest_skin) / (2.0 * speed);
        let most = (thinnest_lasts / SLOW_DECISIONS).clamp(DECISION_STEPS, SLOW_DECISION_STEPS);
        // Each batch begins with a decision: to look further ahead than to the next one would end lists early.
        let steps = lasts.min(most).min(self.batch as f64).max(1.0) as u32;
        // Leaps come in pairs.
        let steps = if steps > 1 { steps & !1 } else { 1 };
        if let (Some((buffers, _)), true) = (&self.memory, steps != self.params.decision_steps) {
            self.params.decision_steps = steps;
            self.gpu.upload(&buffers.params, &[self.params])?;
        }
        Ok(())
    }

    /// Does what the device cannot do alone, so that it can go on.
    fn attend(&mut self, status: &Status) -> Result<()> {
        self.check_finite(status)?;
        if let (Some((buffers, _)), true) =
            (&self.memory, status.word(STATUS_HALTED) & HALTED_AWAY != 0)
        {
            buffers.bring_back(&self.gpu)?;
        }
        if status.word(STATUS_LEFT) != STATUS_NONE {
            return self.remove_left(status);
        }
        log::debug!(
            "step {}: the device waited, status {}",
            self.step,
            status.word(STATUS_HALTED)
        );
        self.set_decision_steps(status)?;
        if status.word(STATUS_HALTED) & HALTED_CAPACITY != 0 {
            self.make_room(status)?;
        }
        self.write_status(status, |status| {
            status.set(STATUS_HALTED, 0);
            status.set(STATUS_REBUILD_WANTED, 1);
            status.clear_measurements();
        })
    }

    fn check_finite(&self, status: &Status) -> Result<()> {
        match status.word(STATUS_NOT_FINITE) {
            STATUS_NONE => Ok(()),
            particle => Err(Error::NonFinite {
                particle,
                step: self.step,
                time: self.time(),
            }),
        }
    }
}
