//! `lahar cross-check`: the engine on a device against the one on the processor, or hard grains against soft.

use super::cross_check_hard;
use super::run::located;
use super::units::{count, duration, si};
use super::{note, print};
use crate::cross_check::{
    ASTRAY, Check, DISTURBANCE, Difference, FACTOR, LEAD, Report, Setting, Subjects, THRESHOLD,
    TWINS, cross_check as compare, disturbed,
};
use crate::error::{Error, Result};
use crate::gpu::device::{Gpu, GpuChoice};
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{Scene, TimeStep};
use crate::simulation::{Backend, Simulation, steps_until};
use crate::time_step::{StepAdvice, time_step};
use clap::Args;
use glam::DVec3;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Between two lines of progress.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The picture in the directory of results.
const PICTURE: &str = "cross-check.png";

#[derive(Debug, Args)]
#[command(after_help = format!("\
Examples:
  lahar cross-check heap.toml                     the whole scene, 40 samples
  lahar cross-check heap.toml --steps 2000        its first 2000 steps
  lahar cross-check heap.toml --time 0.1 --json   its first 0.1 s, for a script
  lahar cross-check gas.toml                      hard grains: against soft ones

Soft grains. Five runs with the same steps: cpu (f64), gpu, and {TWINS} twins, which are cpu with
every grain displaced by {DISTURBANCE:e} radii at the start. Trajectories agree while no grain is further
off than {THRESHOLD:e} radii. After that statistics must: each may differ by {FACTOR} times what a
twin's did by the time its grains were as far off, or do now, scaled down if those of the
device are nearer; and by a floor for rounding (1e-5 of the energy or force in play, two
contacts, for heights {ASTRAY:e} radii and of the way gone, and what chance does to a mean).
Grains may be {LEAD:e} times as far off as those of a twin. Exit code 1 outside a band.

{}", cross_check_hard::HELP))]
pub(super) struct CrossCheckArguments {
    /// The scene file
    scene: PathBuf,
    /// How long, s [default: to the end of the scene; hard grains: ten collisions of each]
    #[arg(
        long,
        value_name = "T",
        conflicts_with = "steps",
        allow_negative_numbers = true
    )]
    pub(super) time: Option<f64>,
    /// How long, in time steps
    #[arg(long, value_name = "N")]
    pub(super) steps: Option<u64>,
    /// How often the engines are compared
    #[arg(long, value_name = "K", default_value_t = 40, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(super) samples: u16,
    /// Hard grains: contact times of the soft runs, in times between collisions of a grain, the longest
    /// first [default: 0.1,0.03,0.01,0.003]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) durations: Vec<f64>,
    /// Directory for cross-check.png [default: out/SCENE-cross-check]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn cross_check(arguments: &CrossCheckArguments) -> Result<ExitCode> {
    let mut scene = Scene::from_file(&arguments.scene)?;
    if scene.hard.is_some() {
        return cross_check_hard::cross_check_hard(arguments, &scene);
    }
    if !arguments.durations.is_empty() {
        return Err(Error::Usage(
            "--durations: found a scene of soft grains; allowed: scenes of hard grains".into(),
        ));
    }
    let step = located(
        time_step(&scene, &StepAdvice::new(&scene)),
        &arguments.scene,
    )?;
    // All of them take the same steps, whatever the disturbance does to the advice.
    scene.time.step = TimeStep::Fixed(step);
    scene.time.force_step = true;
    let times = arguments.times(&scene, step)?;
    let gpu = Gpu::open(&GpuChoice::default())?;
    let threads = Backend::Cpu { threads: 0 };
    let setting = Setting::new(&scene);
    let twin = |number| Simulation::on(disturbed(&scene, DISTURBANCE, step, number), threads);
    let [mut first, mut second, mut third] = [twin(0)?, twin(1)?, twin(2)?];
    let mut candidate = Simulation::on(scene.clone(), Backend::Gpu(&gpu))?;
    let mut reference = Simulation::on(scene, threads)?;
    let subjects = Subjects {
        reference: &mut reference,
        candidate: &mut candidate,
        twins: [&mut first, &mut second, &mut third],
    };
    let begun = Instant::now();
    let mut shown = begun;
    let report = compare(subjects, &setting, &times, |done| {
        if shown.elapsed() >= HEARTBEAT && done < times.len() {
            shown = Instant::now();
            let left = times.len() - done;
            #[allow(clippy::cast_precision_loss, reason = "counts of samples")]
            let remaining = begun.elapsed().as_secs_f64() * left as f64 / done as f64;
            note(&format!(
                "{:>3} %  t = {}  ETA {}",
                100 * done / times.len(),
                si(times[done - 1], "s"),
                duration(remaining)
            ));
        }
        Ok(())
    })?;
    let directory = arguments.directory();
    let picture = directory.join(PICTURE);
    std::fs::create_dir_all(&directory)
        .map_err(|e| Error::io(&directory, "create directory", e))?;
    plot(&report, &gpu.description().name).write_png(&picture, 1100, 620)?;
    print(&if arguments.json {
        as_json(&report, &gpu, step, &picture).to_string()
    } else {
        as_text(&report, &gpu, step, &picture)
    })?;
    Ok(if report.passes() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

impl CrossCheckArguments {
    /// The start, and evenly from there to the end.
    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn times(&self, scene: &Scene, step: f64) -> Result<Vec<f64>> {
        self.check_time()?;
        let steps = self.steps.unwrap_or_else(|| {
            let end = self.time.unwrap_or(scene.time.end);
            steps_until(end, step)
        });
        if steps == 0 {
            return Err(Error::Usage("--steps: found 0; allowed: 1 or more".into()));
        }
        let samples = u64::from(self.samples).min(steps);
        let at = |k: u64| (u128::from(steps) * u128::from(k) / u128::from(samples)) as f64 * step;
        Ok((0..=samples).map(at).collect())
    }

    pub(super) fn check_time(&self) -> Result<()> {
        match self.time.filter(|time| !(time.is_finite() && *time > 0.0)) {
            Some(time) => Err(Error::Usage(format!(
                "--time: found {time}; allowed: a positive number of seconds"
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn directory(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| {
            let stem = self.scene.file_stem().unwrap_or(self.scene.as_os_str());
            Path::new("out").join(format!("{}-cross-check", stem.to_string_lossy()))
        })
    }
}

/// Differences of positions in time: candidate and twin, the largest and the median.
fn plot(report: &Report, device: &str) -> Plot {
    let curve = |label: &str, style, colour, value: &dyn Fn(usize) -> f64| Curve {
        label: label.into(),
        points: (0..report.samples.len())
            .map(|k| [report.samples[k].time, value(k)])
            .collect(),
        style,
        colour,
    };
    let samples = &report.samples;
    let [red, blue] = [Colour::of_category(1), Colour::of_category(0)];
    Plot {
        title: "How long two engines agree".into(),
        subtitle: format!("gpu: {device}; twins: cpu, start disturbed by {DISTURBANCE:e} radii"),
        x_label: "time (s)".into(),
        y_label: "distance from cpu (radii)".into(),
        curves: vec![
            curve("threshold", Style::ThinLine, Colour::INK, &|_| THRESHOLD),
            curve("twins, largest", Style::Line, blue, &|k| {
                samples[k].twin.largest
            }),
            curve("twins, median", Style::Dashed, blue, &|k| {
                samples[k].twin.median
            }),
            curve("gpu, largest", Style::Line, red, &|k| {
                samples[k].candidate.largest
            }),
            curve("gpu, median", Style::Dashed, red, &|k| {
                samples[k].candidate.median
            }),
        ],
        log_x: false,
        log_y: true,
    }
}

fn as_json(report: &Report, gpu: &Gpu, step: f64, picture: &Path) -> Value {
    let (until, to_the_end) = report.agree_until();
    let difference =
        |d: &Difference| json!({ "median": d.median, "most": d.most, "largest": d.largest });
    let vectors = |forces: &[DVec3]| forces.iter().map(|f| f.to_array()).collect::<Vec<_>>();
    json!({
        "passes": report.passes(),
        "device": gpu.description().name,
        "time_step": step,
        "threshold": THRESHOLD,
        "disturbance": DISTURBANCE,
        "agree_until": until,
        "agree_to_the_end": to_the_end,
        "samples": report
            .samples
            .iter()
            .zip(&report.wall_forces)
            .map(|(sample, [cpu, gpu])| json!({
                "time": sample.time,
                "gpu": difference(&sample.candidate),
                "twin": difference(&sample.twin),
                "wall_forces_cpu": vectors(cpu),
                "wall_forces_gpu": vectors(gpu),
            }))
            .collect::<Vec<_>>(),
        "checks": report
            .checks
            .iter()
            .map(|check| json!({
                "name": check.name,
                "unit": check.unit,
                "time": check.time,
                "cpu": check.reference,
                "gpu": check.candidate,
                "difference": check.difference,
                "twin": check.twin,
                "band": check.band,
                "passes": check.passes(),
            }))
            .collect::<Vec<_>>(),
        "picture": picture,
    })
}

fn as_text(report: &Report, gpu: &Gpu, step: f64, picture: &Path) -> String {
    let mut lines = vec![format!("cpu (f64) against {}", gpu.description().name)];
    lines.push(format!("steps of {}; distances in radii", si(step, "s")));
    lines.push(format!(
        "\n{:>10}  {:>8} {:>8} {:>8}   {:>8} {:>8} {:>8}",
        "time", "gpu, 50%", "99%", "largest", "twin,50%", "99%", "largest"
    ));
    // At most a screenful.
    let every = report.samples.len().div_ceil(20).max(1);
    let last = report.samples.len().saturating_sub(1);
    for (k, sample) in report.samples.iter().enumerate() {
        if k % every == 0 || k == last {
            let columns =
                |d: &Difference| format!("{:>8.1e} {:>8.1e} {:>8.1e}", d.median, d.most, d.largest);
            lines.push(format!(
                "{:>10}  {}   {}",
                si(sample.time, "s"),
                columns(&sample.candidate),
                columns(&sample.twin)
            ));
        }
    }
    let (until, to_the_end) = report.agree_until();
    lines.push(if to_the_end {
        format!(
            "\ntrajectories agree to the end, {}: no grain is off by {THRESHOLD:e} radii",
            si(until, "s")
        )
    } else {
        format!(
            "\ntrajectories agree until {}: no grain is off by {THRESHOLD:e} radii",
            si(until, "s")
        )
    });
    lines.push(
        if to_the_end {
            "so do statistics, to within what is allowed; each is shown where it is worst"
        } else {
            "from then on statistics have to; each is shown where it is worst"
        }
        .into(),
    );
    lines.push(format!(
        "\n{:28} {:>11} {:>11} {:>8} {:>8} {:>8}",
        "", "cpu", "gpu", "apart", "allowed", "twin"
    ));
    lines.extend(report.checks.iter().map(as_row));
    let failed = report.checks.iter().filter(|c| !c.passes()).count();
    lines.push(if failed == 0 {
        format!(
            "\nall {} within their bands",
            count(report.checks.len() as u64)
        )
    } else {
        format!(
            "\n{failed} of {} outside their bands",
            count(report.checks.len() as u64)
        )
    });
    lines.push(format!("drawn         {}", picture.display()));
    lines.join("\n")
}

fn as_row(check: &Check) -> String {
    let value = |x: f64| format!("{x:.4e}");
    let unit = if check.unit.is_empty() {
        String::new()
    } else {
        format!(" ({})", check.unit)
    };
    format!(
        "{:28} {:>11} {:>11} {:>8.1e} {:>8.1e} {:>8.1e}{}",
        format!("{}{unit}", check.name),
        value(check.reference),
        value(check.candidate),
        check.difference,
        check.band,
        check.twin,
        if check.passes() { "" } else { "  <- outside" }
    )
}
