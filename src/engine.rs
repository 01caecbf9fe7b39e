//! What every soft-sphere engine can do, whichever it is.

use crate::cpu::CpuEngine;
use crate::cpu::brute_force::BruteForce;
use crate::error::Result;
use crate::gpu::GpuEngine;
use crate::state::State;

/// An engine that runs a scene.
pub trait Engine {
    /// Runs `steps` time steps.
    ///
    /// # Errors
    /// If a particle leaves a domain that stops the run, or is no longer finite; whatever a graphics
    /// device complains about.
    fn run(&mut self, steps: u64) -> Result<()>;

    /// Everything that decides the future of the run, by particle id.
    ///
    /// # Errors
    /// Whatever a graphics device complains about.
    fn state(&mut self) -> Result<State>;
}

impl Engine for CpuEngine {
    fn run(&mut self, steps: u64) -> Result<()> {
        Self::run(self, steps)
    }

    fn state(&mut self) -> Result<State> {
        Ok(Self::state(self))
    }
}

impl Engine for GpuEngine {
    fn run(&mut self, steps: u64) -> Result<()> {
        Self::run(self, steps)
    }

    fn state(&mut self) -> Result<State> {
        Self::state(self)
    }
}

impl Engine for BruteForce {
    fn run(&mut self, steps: u64) -> Result<()> {
        Self::run(self, steps)
    }

    fn state(&mut self) -> Result<State> {
        Ok(Self::state(self))
    }
}
