//! `lahar bench`: how fast an engine is on this machine.

mod hard;
mod soft;

use crate::error::{Error, Result};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// Which engine is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Soft grains: a settled bed, or a scene
    Soft,
    /// Hard grains: a gas of equal elastic grains in a periodic box
    Hard,
}

/// What soft grains run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backend {
    /// The f64 engine on the processor
    Cpu,
    /// The engine on the best graphics device, be it imitated by the processor
    Gpu,
    /// One after the other
    All,
}

/// Laws of the grains of the bed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Law {
    /// Hertz with constant restitution, Mindlin's spring with history and slider
    HertzMindlin,
    /// Spring, dashpot and slider, all linear
    Linear,
    /// One after the other
    All,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lahar bench                                           both engines, a bed of 10 000 to a million grains
  lahar bench --backend gpu --particles 1e5             one size on the graphics device
  lahar bench --backend cpu --threads 1 --law linear    one core, linear springs
  lahar bench --scene heap.toml                         a scene of yours
  lahar bench --json > before.json                      keep it …
  lahar bench --compare before.json                     … and see what a change did
  lahar bench --plot bench.png                          contact updates per second by size
  lahar bench --engine hard --particles 1e5 --fraction 0.4    collisions of hard grains

A contact update is one contact evaluated in one step, counted once for both grains. Each figure is the
median of the repeats; the lowest and the highest are printed too. The memory limit is what a step has to
move at least, at the speed at which the device copies memory. With --json each line is one object, its
stages in milliseconds per step. An event of hard grains is a collision of two of them, in with_cells_per_s
also a cell that one enters; seconds are those of the processor where the system tells, else wall_seconds.")]
pub(super) struct BenchArguments {
    /// What is measured
    #[arg(long, value_enum, default_value = "soft")]
    engine: Engine,
    /// What soft grains run on
    #[arg(long, value_enum)]
    backend: Option<Backend>,
    /// Numbers of grains, e.g. 10000,1e5 [default: 1e4,1e5,1e6 as memory allows; hard: 1e5]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = whole_number)]
    particles: Vec<usize>,
    /// A scene to measure instead of the bed
    #[arg(long, value_name = "SCENE", conflicts_with_all = ["particles", "law"])]
    scene: Option<PathBuf>,
    /// Laws of the bed [default: all]
    #[arg(long, value_enum)]
    law: Option<Law>,
    /// Threads of the engine on the processor [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How often each figure is measured [default: 5]
    #[arg(long, value_name = "N")]
    repeats: Option<usize>,
    /// Search neighbours every so many steps, needed or not [default: when needed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rebuild_every: Option<u64>,
    /// Part of the volume (in two dimensions, of the area) that hard grains fill [default: 0.4]
    #[arg(long, value_name = "PHI")]
    fraction: Option<f64>,
    /// Hard grains: disks (2) or spheres (3) [default: 3]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u8).range(2..=3))]
    dimensions: Option<u8>,
    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
    /// Draw contact updates per second by number of grains
    #[arg(long, value_name = "FILE.png")]
    plot: Option<PathBuf>,
    /// Ratios against lines that --json printed earlier
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

/// A number of grains; `1e5` is one, too.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "compared with what it came from"
)]
fn whole_number(text: &str) -> std::result::Result<usize, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|number| (0.0..1e15).contains(number) && number.fract() == 0.0)
        .map(|number| number as usize)
        .ok_or_else(|| {
            "allowed: whole numbers such as 20000 or 1e5, with commas between them".into()
        })
}

/// How often a figure is measured unless somebody says otherwise, and at most.
const USUAL_REPEATS: usize = 5;
const MOST_REPEATS: usize = 1000;

impl BenchArguments {
    fn repeats(&self) -> Result<usize> {
        within(
            "--repeats",
            self.repeats.unwrap_or(USUAL_REPEATS),
            MOST_REPEATS,
        )
    }
}

fn within(name: &str, found: usize, most: usize) -> Result<usize> {
    if (1..=most).contains(&found) {
        return Ok(found);
    }
    Err(Error::Usage(format!(
        "{name}: found {found}; allowed: 1 to {most}"
    )))
}

pub(super) fn bench(arguments: &BenchArguments) -> Result<ExitCode> {
    let a = arguments;
    let (given, other) = match a.engine {
        Engine::Soft => (
            vec![
                ("--fraction", a.fraction.is_some()),
                ("--dimensions", a.dimensions.is_some()),
            ],
            "hard",
        ),
        Engine::Hard => (
            vec![
                ("--backend", a.backend.is_some()),
                ("--scene", a.scene.is_some()),
                ("--law", a.law.is_some()),
                ("--threads", a.threads.is_some()),
                ("--rebuild-every", a.rebuild_every.is_some()),
                ("--plot", a.plot.is_some()),
                ("--compare", a.compare.is_some()),
            ],
            "soft",
        ),
    };
    if let Some((name, _)) = given.into_iter().find(|(_, given)| *given) {
        return Err(Error::Usage(format!("{name}: only with --engine {other}")));
    }
    match a.engine {
        Engine::Soft => soft::bench(arguments),
        Engine::Hard => hard::bench(arguments),
    }
}
