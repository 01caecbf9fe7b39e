//! Hard grains: a gas of equal elastic ones.

use super::super::print;
use super::super::units::{counted, si};
use super::BenchArguments;
use crate::error::{Error, Result};
use crate::hard::HardEngine;
use crate::hard::gas::Gas;
use crate::laws::tc::Dimensions;
use crate::machine::cpu_seconds;
use serde_json::json;
use std::process::ExitCode;
use std::time::Instant;

/// What is measured unless somebody says otherwise.
const USUAL_PARTICLES: usize = 100_000;
const USUAL_FRACTION: f64 = 0.4;

/// Fullest box that a lattice of grains still moves in: face-centred cubic, hexagonal.
const FULLEST: [f64; 2] = [0.7, 0.85];

/// Seconds of each repeat, and collisions per grain before: those that make a gas of the lattice.
const MEASURED: f64 = 0.6;
const MIXING: u64 = 10;

pub(super) fn bench(arguments: &BenchArguments) -> Result<ExitCode> {
    let sizes = match &arguments.particles[..] {
        [] => &[USUAL_PARTICLES],
        sizes => sizes,
    };
    for &particles in sizes {
        measure(arguments, particles)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One stretch of a run.
#[derive(Debug, Clone, Copy)]
struct Repeat {
    events: u64,
    /// Of the processor where the system tells: others may use it too. Else by the wall.
    seconds: f64,
    wall: f64,
}

impl Repeat {
    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn rate(&self) -> f64 {
        self.events as f64 / self.seconds
    }

    fn measure(engine: &mut HardEngine) -> Result<Self> {
        let before = engine.tally().collisions;
        let (begun, cpu) = (Instant::now(), cpu_seconds());
        while begun.elapsed().as_secs_f64() < MEASURED {
            engine.run_collisions(10_000)?;
        }
        let wall = begun.elapsed().as_secs_f64();
        let used = cpu_seconds() - cpu;
        Ok(Self {
            events: engine.tally().collisions - before,
            seconds: if used > 0.0 { used } else { wall },
            wall,
        })
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn measure(arguments: &BenchArguments, particles: usize) -> Result<()> {
    let fraction = arguments.fraction.unwrap_or(USUAL_FRACTION);
    let dimensions = arguments.dimensions.unwrap_or(3);
    let mut engine = gas(particles, fraction, dimensions == 2)?;
    engine.run_collisions(MIXING * particles as u64 / 2)?;
    let before = engine.tally().clone();
    let mut repeats = (0..arguments.repeats()?)
        .map(|_| Repeat::measure(&mut engine))
        .collect::<Result<Vec<_>>>()?;
    repeats.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
    let median = repeats[repeats.len() / 2];
    let spread = [repeats[0].rate(), repeats[repeats.len() - 1].rate()];
    let tally = engine.tally();
    let all = (tally.collisions - before.collisions) as f64;
    let bytes = engine.bytes() as f64 / particles as f64;
    let crossings = (tally.crossings - before.crossings) as f64 / all;
    let outdated = (tally.outdated - before.outdated) as f64 / all;
    print(&if arguments.json {
        json!({
            "engine": "hard",
            "dimensions": dimensions,
            "particles": particles,
            "fraction": fraction,
            "events": median.events,
            "seconds": median.seconds,
            "wall_seconds": median.wall,
            "events_per_s": median.rate(),
            "with_cells_per_s": median.rate() * (1.0 + crossings),
            "spread": spread,
            "crossings_per_event": crossings,
            "outdated_per_event": outdated,
            "bytes_per_particle": bytes,
        })
        .to_string()
    } else {
        format!(
            "{} at {} of the volume: {} collisions/s of one core ({} to {} in {} repeats)\n\
             for each collision, {crossings:.2} cells entered and {outdated:.2} predictions outdated: {} events/s\n\
             {bytes:.0} bytes per grain",
            counted(particles as u64, "hard grain"),
            fraction,
            si(median.rate(), "").trim_end(),
            si(spread[0], "").trim_end(),
            si(spread[1], "").trim_end(),
            repeats.len(),
            si(median.rate() * (1.0 + crossings), "").trim_end(),
        )
    })
}

/// Elastic grains on a lattice with random velocities.
fn gas(particles: usize, fraction: f64, flat: bool) -> Result<HardEngine> {
    let fullest = FULLEST[usize::from(flat)];
    if !(fraction > 0.0 && fraction <= fullest) {
        return Err(Error::Usage(format!(
            "--fraction: found {fraction}; allowed: greater than 0, at most {fullest}"
        )));
    }
    if !(4..=100_000_000).contains(&particles) {
        return Err(Error::Usage(format!(
            "--particles: found {particles}; allowed: 4 to 100000000"
        )));
    }
    let gas = Gas {
        dimensions: if flat {
            Dimensions::Two
        } else {
            Dimensions::Three
        },
        particles,
        fraction,
        radius: 0.5,
        seed: 0,
    };
    let (model, grains) = gas.on_lattice();
    Ok(HardEngine::new(model, &grains))
}
