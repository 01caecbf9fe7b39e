//! Soft grains: a settled bed, or a scene.

use super::super::units::{counted, si};
use super::super::{note, print};
use super::{Backend, BenchArguments, Law, within};
use crate::bench::bed::{BedLaw, FEWEST, MOST, bed};
use crate::bench::{Compared, Earlier, Effort, Measurement, Target, measure};
use crate::cpu::bytes_per_particle;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::gpu::device::{DeviceKind, GpuChoice};
use crate::machine::available_memory;
use crate::scene::{ContactLaws, Scene};
use std::process::ExitCode;

/// Sizes that are measured unless somebody says otherwise.
const USUAL_PARTICLES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Devices that a processor imitates stop there, unless somebody says otherwise: a million grains would take
/// minutes.
const MOST_IMITATED: usize = 100_000;

const MOST_THREADS: usize = 256;

/// How long a repeat takes, s.
const SECONDS: f64 = 0.6;

/// Size of the plot in pixels.
const PLOT: (usize, usize) = (1000, 620);

pub(super) fn bench(arguments: &BenchArguments) -> Result<ExitCode> {
    let repeats = arguments.repeats()?;
    if let Some(threads) = arguments.threads {
        within("--threads", threads, MOST_THREADS)?;
    }
    for &particles in &arguments.particles {
        if !(FEWEST..=MOST).contains(&particles) {
            return Err(Error::Usage(format!(
                "--particles: found {particles}; allowed: {FEWEST} to {MOST}"
            )));
        }
    }
    let earlier = match &arguments.compare {
        Some(path) => Some(Earlier::from_file(path)?),
        None => None,
    };
    if let Some(path) = &arguments.scene {
        let scene = Scene::from_file(path)?;
        if scene.hard.is_some() {
            return Err(Error::Usage(format!(
                "--scene: the grains of {} are hard; allowed: scenes of soft grains",
                path.display()
            )));
        }
    }
    let gpu = device(arguments.backend)?;
    let mut targets = Vec::new();
    if arguments.backend != Some(Backend::Gpu) {
        targets.push(match arguments.threads {
            Some(threads) => Target::Cpu { threads },
            None => Target::all_cores(),
        });
    }
    targets.extend(gpu.as_ref().map(Target::Gpu));
    let effort = Effort {
        repeats,
        seconds: SECONDS,
        rebuild_every: arguments.rebuild_every,
    };
    let mut report = Report {
        arguments,
        earlier,
        measurements: Vec::new(),
    };
    for target in &targets {
        report.measure_on(target, &effort)?;
    }
    if let Some(path) = &arguments.plot {
        Measurement::plot(&report.measurements).write_png(path, PLOT.0, PLOT.1)?;
        note(&format!("plot          {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The graphics device to measure. If nobody asked for one, there need not be one.
fn device(backend: Option<Backend>) -> Result<Option<Gpu>> {
    if backend == Some(Backend::Cpu) {
        return Ok(None);
    }
    match Gpu::open(&GpuChoice::default()) {
        Ok(gpu) => Ok(Some(gpu)),
        Err(error) if backend.is_none() => {
            note(&format!("no graphics device: {error}"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What has been measured, and what is said about it.
struct Report<'a> {
    arguments: &'a BenchArguments,
    earlier: Option<Earlier>,
    measurements: Vec<Measurement>,
}

impl Report<'_> {
    fn measure_on(&mut self, target: &Target<'_>, effort: &Effort) -> Result<()> {
        for &particles in &self.arguments.particles {
            if let Some(reason) = too_large(target, particles, false) {
                return Err(Error::Usage(format!(
                    "--particles: found {particles}; allowed: {reason}"
                )));
            }
        }
        let bandwidth = target.copy_bandwidth()?;
        if !self.arguments.json {
            let threads = match target {
                Target::Cpu { threads: 1 } => ", 1 thread".to_owned(),
                Target::Cpu { threads } => format!(", {threads} threads"),
                Target::Gpu(_) => String::new(),
            };
            print(&format!(
                "{}: {}{threads}, {}\ncopies {}",
                target.backend(),
                target.device(),
                target.driver(),
                si(bandwidth, "B/s")
            ))?;
        }
        if let Some(path) = &self.arguments.scene {
            let law = path.display().to_string();
            let measured = measure(&law, || Scene::from_file(path), target, bandwidth, effort)?;
            return self.add(measured);
        }
        let laws: &[BedLaw] = match self.arguments.law.unwrap_or(Law::All) {
            Law::HertzMindlin => &[BedLaw::HertzMindlin],
            Law::Linear => &[BedLaw::Linear],
            Law::All => &[BedLaw::HertzMindlin, BedLaw::Linear],
        };
        let asked = &self.arguments.particles;
        let sizes = if asked.is_empty() {
            &USUAL_PARTICLES
        } else {
            &asked[..]
        };
        for &particles in sizes {
            if let Some(reason) = too_large(target, particles, asked.is_empty()) {
                note(&format!(
                    "{} left out: {reason}",
                    counted(particles as u64, "grain")
                ));
                continue;
            }
            for &law in laws {
                let scene = || bed(law, particles);
                self.add(measure(law.name(), scene, target, bandwidth, effort)?)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, measured: Measurement) -> Result<()> {
        let compared = self
            .earlier
            .as_ref()
            .map(|earlier| earlier.compare(&measured));
        print(&if self.arguments.json {
            let mut line = measured.to_json();
            if let Some(compared) = &compared {
                line["compared"] = compared
                    .as_ref()
                    .map_or(serde_json::Value::Null, Compared::to_json);
            }
            line.to_string()
        } else {
            let mut text = describe(&measured);
            if let Some(compared) = &compared {
                text += &against(&measured, compared.as_ref());
            }
            text
        })?;
        self.measurements.push(measured);
        Ok(())
    }
}

/// Why a bed of so many grains is not measured, if it is not.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts far below 2^53"
)]
fn too_large(target: &Target<'_>, particles: usize, by_default: bool) -> Option<String> {
    if let (Target::Gpu(gpu), true) = (target, by_default) {
        let imitated = gpu.description().kind == DeviceKind::Software;
        if imitated && particles > MOST_IMITATED {
            return Some("the processor imitates this device; --particles measures them".into());
        }
    }
    let available = available_memory()?;
    let per_grain = bytes_per_particle(&ContactLaws::default(), true, particles);
    let fits = (available / per_grain) as usize;
    (particles > fits).then(|| format!("at most {fits}, in {} of memory", si(available, "B")))
}

/// A measurement for people.
#[allow(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn describe(m: &Measurement) -> String {
    let rate = |rate: f64| si(rate, "").trim_end().to_owned();
    let [low, high] = [m.repeats.first(), m.repeats.last()].map(|r| rate(*r.unwrap_or(&0.0)));
    let mut lines = vec![
        String::new(),
        format!(
            "{}, {}: {}, {:.2} grains touched by each; {} × {} steps",
            counted(m.particles as u64, "grain"),
            m.law,
            counted(m.contacts as u64, "contact"),
            m.coordination,
            m.repeats.len(),
            m.steps
        ),
        format!(
            "  contact updates/s   {} ({low} to {high}){}",
            rate(m.contact_updates_per_s),
            m.contact_updates_per_cpu_s()
                .map_or(String::new(), |r| format!(", {} per CPU second", rate(r))),
        ),
        format!("  particle steps/s    {}", rate(m.particle_steps_per_s)),
        format!(
            "  memory              {:.0} bytes per grain; {:.0} moved per grain and step, {:.0} % of the limit",
            m.bytes_per_particle,
            m.bytes_per_step as f64 / m.particles.max(1) as f64,
            100.0 * m.limit_fraction()
        ),
    ];
    let stages: Vec<String> = m
        .stages
        .iter()
        .map(|(name, seconds)| format!("{name} {}", si(*seconds, "s")))
        .collect();
    lines.push(format!(
        "  a step              {}{}{}",
        si(m.step_seconds(), "s"),
        if stages.is_empty() { "" } else { ": " },
        stages.join(", ")
    ));
    if let Some(overhead) = m.overhead {
        lines.push(format!(
            "                      {} if its kernels find nothing to do",
            si(overhead, "s")
        ));
    }
    lines.push(match m.rebuild_interval {
        Some(steps) => format!("  neighbours          searched every {steps:.0} steps"),
        None => "  neighbours          not searched".into(),
    });
    lines.join("\n")
}

/// A measurement against an earlier one.
fn against(m: &Measurement, compared: Option<&Compared>) -> String {
    let Some(compared) = compared else {
        return "\n  compared            no earlier line of this kind".into();
    };
    let device = if compared.device == m.device {
        String::new()
    } else {
        format!(", on {}", compared.device)
    };
    let per_cpu = compared
        .contact_updates_per_cpu_s
        .map_or(String::new(), |ratio| {
            format!(", {ratio:.2} per CPU second")
        });
    format!(
        "\n  compared            {:.2} × the contact updates/s{per_cpu}{device}",
        compared.contact_updates_per_s
    )
}
