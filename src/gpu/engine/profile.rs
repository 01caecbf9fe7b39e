//! Where the time of a run goes.

use super::super::awake::Awake;
use super::super::status::{HALTED_STALE, STATUS_HALTED, STATUS_REBUILD_WANTED};
use super::super::traffic::{Counts, bytes_per_step};
use super::GpuEngine;
use super::advance::BATCHES;
use crate::error::Result;
use std::time::{Duration, Instant};

/// Steps of a timed batch: what is left of a set of queries when each step lists neighbours anew.
const TIMED_STEPS: u64 = 128;

/// How many steps without work are handed over at once, how often, and how long.
const EMPTY_STEPS: u64 = 128;
const EMPTY_ROUNDS: usize = 16;
const EMPTY_TIME: Duration = Duration::from_secs(1);

impl GpuEngine {
    /// Runs steps and says how long the device took for each stage, s; nothing if it has no clock.
    ///
    /// Each stage is a pass of its own then, which costs time between them: this is for where the time
    /// goes, not for how much of it there is.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_timed(&mut self, steps: u64) -> Result<Vec<(&'static str, f64)>> {
        self.stage_seconds = self.gpu.has_timestamps().then(Vec::new);
        let batch = self.batch;
        self.batch = batch.min(TIMED_STEPS);
        let done = self.run(steps);
        self.batch = batch;
        let seconds = self.stage_seconds.take().unwrap_or_default();
        done.map(|()| seconds)
    }

    /// Has the neighbours searched before the next step, needed or not. It changes no result.
    ///
    /// # Errors
    /// Whatever the device complains about.
    pub fn want_search(&mut self) -> Result<()> {
        let status = self.read_status()?;
        self.write_status(&status, |status| status.set(STATUS_REBUILD_WANTED, 1))
    }

    /// How long a step takes whose kernels have one workgroup each, which finds nothing to do, s: what it costs to
    /// hand steps over and to start their kernels, whatever the number of grains. Nothing moves. The fastest of some
    /// batches counts, since other programs can only make it longer.
    ///
    /// # Errors
    /// Whatever the device complains about.
    #[allow(clippy::cast_precision_loss, reason = "a few thousand steps")]
    pub fn empty_step_seconds(&mut self) -> Result<f64> {
        let status = self.read_status()?;
        self.write_status(&status, |status| status.set(STATUS_HALTED, HALTED_STALE))?;
        let grains = self.dispatch_for(1);
        let _kept = self.awake.as_ref().map(Awake::keep);
        let mut fastest = f64::INFINITY;
        let begun = Instant::now();
        for _ in 0..EMPTY_ROUNDS {
            let clock = Instant::now();
            let batches: [_; BATCHES] =
                std::array::from_fn(|_| self.submit(false, EMPTY_STEPS, false));
            for batch in batches {
                self.receive(&batch?)?;
            }
            let steps = BATCHES as u64 * EMPTY_STEPS;
            fastest = fastest.min(clock.elapsed().as_secs_f64() / steps as f64);
            if begun.elapsed() > EMPTY_TIME {
                break;
            }
        }
        self.dispatch_for(grains);
        self.write_status(&status, |_| {})?;
        Ok(fastest)
    }

    /// Has kernels started for so many grains; returns for how many they were.
    fn dispatch_for(&mut self, grains: u32) -> u32 {
        match &mut self.memory {
            Some((buffers, _)) => std::mem::replace(&mut buffers.grains, grains),
            None => grains,
        }
    }

    /// Bytes that kernels read and write in an ordinary step: see [`traffic`](super::super::traffic).
    pub fn bytes_per_step(&self) -> u64 {
        let grains = self.memory.as_ref().map_or(0, |(b, _)| u64::from(b.grains));
        bytes_per_step(&Counts {
            grains,
            slots: u64::from(self.slots),
            // A contact of two grains has a slot on either side; those with walls hardly count.
            touching_slots: 2 * self.contacts as u64,
            with_extras: self
                .memory
                .as_ref()
                .is_some_and(|(b, _)| b.sizes.with_extras),
        })
    }
}
