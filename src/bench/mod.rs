//! How fast the engines are on this machine, and how far that is from what its memory allows.
//!
//! [`measure`] runs a scene for a while, several times, and says what came out; [`mod@bed`] makes the scene
//! that engines are compared on; [`Earlier`] compares with what was measured before.

mod bandwidth;
pub mod bed;
mod report;

pub use bandwidth::{device_copy_bandwidth, processor_copy_bandwidth};
pub use report::{Compared, Earlier};

use crate::cpu::CpuEngine;
use crate::error::Result;
use crate::gpu::{Gpu, GpuEngine, GpuOptions};
use crate::machine::{cpu_seconds, processor_name};
use crate::scene::Scene;
use crate::state::{StateSource, WALL};
use crate::time_step::{StepAdvice, time_step};
use std::num::NonZeroUsize;
use std::time::Instant;

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// The `f64` engine, with so many threads.
    Cpu {
        /// Number of threads, at least 1.
        threads: usize,
    },
    /// The engine on a graphics device.
    Gpu(&'a Gpu),
}

impl Target<'_> {
    /// The processor with one thread per core.
    pub fn all_cores() -> Self {
        Self::Cpu {
            threads: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        }
    }

    /// `cpu` or `gpu`.
    pub fn backend(&self) -> &'static str {
        match self {
            Self::Cpu { .. } => "cpu",
            Self::Gpu(_) => "gpu",
        }
    }

    /// Name of the processor or of the graphics device.
    pub fn device(&self) -> String {
        match self {
            Self::Cpu { .. } => processor_name(),
            Self::Gpu(gpu) => gpu.description().name.clone(),
        }
    }

    /// What drives it.
    pub fn driver(&self) -> String {
        match self {
            Self::Cpu { .. } => format!("lahar {}", env!("CARGO_PKG_VERSION")),
            Self::Gpu(gpu) => gpu.description().driver.clone(),
        }
    }

    /// Bytes per second that it can copy, read and written ones both counted.
    ///
    /// # Errors
    /// Whatever a graphics device complains about.
    pub fn copy_bandwidth(&self) -> Result<f64> {
        match self {
            Self::Cpu { threads } => Ok(processor_copy_bandwidth(*threads)),
            Self::Gpu(gpu) => device_copy_bandwidth(gpu),
        }
    }
}

/// How long is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// How often; the median counts.
    pub repeats: usize,
    /// How long each time, s; a few steps are done in any case.
    pub seconds: f64,
    /// Steps after which neighbours are searched anew, needed or not.
    pub rebuild_every: Option<u64>,
}

/// Fewest steps that are measured at a time: what each run of a large bed costs once should not count for much.
const FEWEST_STEPS: u64 = 40;

/// Most steps of which the stages are timed on a device.
const TIMED_STEPS: u64 = 256;

/// What was measured. Figures are of the median repeat.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// Name of the processor or of the graphics device.
    pub device: String,
    /// What drives it.
    pub driver: String,
    /// `cpu` or `gpu`.
    pub backend: &'static str,
    /// Threads of the processor's engine.
    pub threads: Option<usize>,
    /// Name of the laws, or of the scene.
    pub law: String,
    /// Number of grains.
    pub particles: usize,
    /// Pairs that touch, walls included.
    pub contacts: usize,
    /// Grains that a grain touches, on average.
    pub coordination: f64,
    /// Steps of a repeat.
    pub steps: u64,
    /// Steps between two searches for neighbours; none if there was no search.
    pub rebuild_interval: Option<f64>,
    /// Wall time of a repeat, s.
    pub seconds: f64,
    /// Processor time of a repeat, s; 0 where the system does not tell.
    pub cpu_seconds: f64,
    /// Contacts evaluated per second, each counted once per step.
    pub contact_updates_per_s: f64,
    /// The same of every repeat, the slowest first.
    pub repeats: Vec<f64>,
    /// Grains moved per second.
    pub particle_steps_per_s: f64,
    /// What the engine holds per grain, bytes.
    pub bytes_per_particle: f64,
    /// Bytes that an ordinary step reads and writes.
    pub bytes_per_step: u64,
    /// Bytes per second that the device can copy.
    pub copy_bandwidth: f64,
    /// What each stage takes, s per step; empty on devices without a clock.
    pub stages: Vec<(&'static str, f64)>,
    /// What a step takes on a graphics device in which kernels leave at once, s.
    pub overhead: Option<f64>,
}

impl Measurement {
    /// How much of the bandwidth the traffic of the steps takes.
    #[allow(clippy::cast_precision_loss, reason = "counts far below 2^53")]
    pub fn limit_fraction(&self) -> f64 {
        self.bytes_per_step as f64 * self.steps as f64 / (self.seconds * self.copy_bandwidth)
    }

    /// Contacts evaluated per second of processor time, where the system tells it.
    pub fn contact_updates_per_cpu_s(&self) -> Option<f64> {
        (self.cpu_seconds > 0.0)
            .then(|| self.contact_updates_per_s * self.seconds / self.cpu_seconds)
    }

    /// Wall time of a step, s.
    #[allow(clippy::cast_precision_loss, reason = "counts far below 2^53")]
    pub fn step_seconds(&self) -> f64 {
        self.seconds / self.steps as f64
    }
}

/// One repeat.
struct Repeat {
    seconds: f64,
    cpu_seconds: f64,
    updates: u64,
}

impl Repeat {
    /// Contact updates per second.
    #[allow(clippy::cast_precision_loss, reason = "counts far below 2^53")]
    fn rate(&self) -> f64 {
        self.updates as f64 / self.seconds
    }
}

enum Engine {
    Cpu(Box<CpuEngine>),
    Gpu(Box<GpuEngine>),
}

impl Engine {
    fn new(target: &Target<'_>, mut scene: Scene, time_step: f64) -> Result<Self> {
        Ok(match target {
            Target::Cpu { threads } => {
                Self::Cpu(Box::new(CpuEngine::take(&mut scene, time_step, *threads)?))
            }
            Target::Gpu(gpu) => {
                let options = GpuOptions::default();
                Self::Gpu(Box::new(GpuEngine::new(gpu, &scene, time_step, &options)?))
            }
        })
    }

    fn run(&mut self, steps: u64, effort: &Effort) -> Result<Repeat> {
        let updates = self.contact_updates();
        let (begun, cpu) = (Instant::now(), cpu_seconds());
        match self {
            Self::Cpu(engine) => {
                engine.search_every(effort.rebuild_every);
                engine.run(steps)?;
            }
            Self::Gpu(engine) => {
                let mut remaining = steps;
                while remaining > 0 {
                    let part = effort.rebuild_every.unwrap_or(steps).clamp(1, remaining);
                    if effort.rebuild_every.is_some() {
                        engine.want_search()?;
                    }
                    engine.run(part)?;
                    remaining -= part;
                }
            }
        }
        Ok(Repeat {
            seconds: begun.elapsed().as_secs_f64(),
            cpu_seconds: cpu_seconds() - cpu,
            updates: self.contact_updates() - updates,
        })
    }

    fn contact_updates(&self) -> u64 {
        match self {
            Self::Cpu(engine) => engine.contact_updates(),
            Self::Gpu(engine) => engine.contact_updates(),
        }
    }

    fn searches(&self) -> u64 {
        match self {
            Self::Cpu(engine) => engine.searches(),
            Self::Gpu(engine) => engine.searches(),
        }
    }

    /// Pairs that touch, and those of them that are pairs of grains.
    fn contacts(&mut self) -> Result<(usize, usize)> {
        match self {
            Self::Cpu(engine) => {
                let view = engine.view();
                let instant = view.instant();
                Ok((instant.contacts, instant.contacts - instant.wall_contacts))
            }
            Self::Gpu(engine) => {
                let all = engine.contacts();
                let state = engine.state()?;
                let pairs = state.contacts.iter().filter(|c| c.second < WALL).count();
                Ok((all, pairs))
            }
        }
    }
}

/// About so many steps, in whole intervals between two searches: one cut short would make searches more frequent than was
/// asked for. An interval longer than all steps is cut nevertheless: they take the time that they may take.
fn whole_intervals(steps: u64, rebuild_every: Option<u64>) -> u64 {
    match rebuild_every {
        Some(interval) if (1..steps).contains(&interval) => {
            let fewer = steps - steps % interval;
            if fewer < FEWEST_STEPS {
                fewer + interval
            } else {
                fewer
            }
        }
        _ => steps,
    }
}

/// Runs a scene for a while, several times.
///
/// # Errors
/// If the scene cannot be made or does not run, and whatever a graphics device complains about.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts far below 2^53"
)]
pub fn measure(
    law: &str,
    scene: impl FnOnce() -> Result<Scene>,
    target: &Target<'_>,
    copy_bandwidth: f64,
    effort: &Effort,
) -> Result<Measurement> {
    let scene = scene()?;
    let particles = scene.particles.len();
    let time_step = time_step(&scene, &StepAdvice::new(&scene))?;
    let mut engine = Engine::new(target, scene, time_step)?;

    // Lists, caches and batches find their size, until it is known how many steps a repeat has.
    let mut warm = engine.run(FEWEST_STEPS, effort)?;
    let mut steps = FEWEST_STEPS;
    while warm.seconds < 0.25 * effort.seconds {
        steps *= 2;
        warm = engine.run(steps, effort)?;
    }
    let per_second = steps as f64 / warm.seconds;
    let steps = whole_intervals(
        ((effort.seconds * per_second) as u64).max(FEWEST_STEPS),
        effort.rebuild_every,
    );

    let searches = engine.searches();
    let stages_before = match &engine {
        Engine::Cpu(engine) => Some(engine.stage_times()),
        Engine::Gpu(_) => None,
    };
    let count = effort.repeats.max(1);
    let mut repeats = Vec::with_capacity(count);
    for _ in 0..count {
        repeats.push(engine.run(steps, effort)?);
    }
    let all_steps = (steps * count as u64) as f64;
    let searches = engine.searches() - searches;
    let bytes_per_particle = match &engine {
        Engine::Cpu(engine) => engine.bytes() as f64,
        Engine::Gpu(engine) => engine.device_bytes() as f64,
    } / particles.max(1) as f64;
    let bytes_per_step = match &engine {
        Engine::Cpu(engine) => engine.bytes_per_step(),
        Engine::Gpu(engine) => engine.bytes_per_step(),
    };
    let (contacts, pairs) = engine.contacts()?;
    let (stages, overhead) = match &mut engine {
        Engine::Cpu(engine) => {
            let before = stages_before.unwrap_or_default().seconds();
            let after = engine.stage_times().seconds();
            let each = |((name, after), (_, before)): (_, (_, f64))| {
                let after: f64 = after;
                (name, (after - before) / all_steps)
            };
            (after.into_iter().zip(before).map(each).collect(), None)
        }
        Engine::Gpu(engine) => {
            let timed = steps.min(TIMED_STEPS);
            let mut stages = engine.run_timed(timed)?;
            for (_, seconds) in &mut stages {
                *seconds /= timed as f64;
            }
            (stages, Some(engine.empty_step_seconds()?))
        }
    };

    repeats.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
    let median = &repeats[count / 2];
    Ok(Measurement {
        device: target.device(),
        driver: target.driver(),
        backend: target.backend(),
        threads: match target {
            Target::Cpu { threads } => Some(*threads),
            Target::Gpu(_) => None,
        },
        law: law.to_owned(),
        particles,
        contacts,
        coordination: 2.0 * pairs as f64 / particles.max(1) as f64,
        steps,
        rebuild_interval: (searches > 0).then(|| all_steps / searches as f64),
        seconds: median.seconds,
        cpu_seconds: median.cpu_seconds,
        contact_updates_per_s: median.rate(),
        repeats: repeats.iter().map(Repeat::rate).collect(),
        particle_steps_per_s: particles as f64 * steps as f64 / median.seconds,
        bytes_per_particle,
        bytes_per_step,
        copy_bandwidth,
        stages,
        overhead,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_whole_and_steps_not_too_few() {
        for (steps, interval, whole) in [
            (544, None, 544),
            (544, Some(20), 540),
            (540, Some(20), 540),
            (544, Some(1), 544),
            (40, Some(7), 42),
            (40, Some(10), 40),
            (40, Some(41), 40),
            (40, Some(u64::MAX), 40),
            (u64::MAX, Some(2), u64::MAX - 1),
        ] {
            assert_eq!(
                whole_intervals(steps, interval),
                whole,
                "{steps} {interval:?}"
            );
        }
    }
}
