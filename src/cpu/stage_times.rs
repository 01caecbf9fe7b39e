//! How long the stages of a step take.

use std::time::{Duration, Instant};

/// Wall time that an engine has spent in each stage of its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageTimes {
    /// Listing neighbours and slots.
    pub lists: Duration,
    /// Contact forces.
    pub forces: Duration,
    /// Sums per grain, kick and drift.
    pub motion: Duration,
}

impl StageTimes {
    /// Each stage with its name, s.
    pub fn seconds(&self) -> [(&'static str, f64); 3] {
        [
            ("lists", self.lists.as_secs_f64()),
            ("forces", self.forces.as_secs_f64()),
            ("motion", self.motion.as_secs_f64()),
        ]
    }
}

/// A watch that is read at the end of each stage.
#[derive(Debug)]
pub(super) struct Watch(Instant);

impl Watch {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since it was last read.
    pub(super) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.0, now)
    }
}
