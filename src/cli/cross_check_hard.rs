//! `lahar cross-check` of a scene of hard grains: against soft ones.

use super::cross_check::CrossCheckArguments;
use super::units::{count, duration, si};
use super::{note, print};
use crate::cross_check::Check;
use crate::cross_check::hard_soft::{
    DURATIONS, HardSoft, HardSoftReport, SIGMAS, SOFTNESS, TWINS, hard_soft,
};
use crate::error::{Error, Result};
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::Scene;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What `--help` says about it.
pub(super) const HELP: &str = "\
Hard grains (engine.kind = \"hard\"). The scene is run by the event-driven engine and by the soft
engine with springs that are stiffer each time: contacts last 0.1, 0.03, 0.01 and 0.003 of the time
between collisions of a grain, with the restitution and friction of the rules. The stiffest run
is judged: energy and collisions against 24 hard runs whose starts are disturbed (4 standard
deviations, and twice the share of the time in contact), and 60 collisions one by one. Without
--time it lasts for ten collisions per grain. Choose a dilute scene: where grains rest on each
other, hard and soft ones differ.";

/// Between two lines of progress.
const HEARTBEAT: Duration = Duration::from_secs(10);

pub(super) fn cross_check_hard(arguments: &CrossCheckArguments, scene: &Scene) -> Result<ExitCode> {
    arguments.check_time()?;
    if let Some(steps) = arguments.steps {
        return Err(Error::Usage(format!(
            "--steps: found {steps} and a scene of hard grains, which has no steps; allowed: --time"
        )));
    }
    let wanted = HardSoft {
        time: arguments.time,
        samples: arguments.samples,
        durations: durations(&arguments.durations)?,
    };
    let begun = Instant::now();
    let mut shown = begun;
    let report = hard_soft(scene, &wanted, |part| {
        if shown.elapsed() >= HEARTBEAT && part < 1.0 {
            shown = Instant::now();
            let remaining = begun.elapsed().as_secs_f64() * (1.0 - part) / part;
            note(&format!(
                "{:>3.0} %  ETA {}",
                100.0 * part,
                duration(remaining)
            ));
        }
    })?;
    let directory = arguments.directory();
    std::fs::create_dir_all(&directory)
        .map_err(|e| Error::io(&directory, "create directory", e))?;
    let pictures = ["cross-check.png", "energy.png"].map(|name| directory.join(name));
    convergence(&report).write_png(&pictures[0], 1100, 620)?;
    decay(&report).write_png(&pictures[1], 1100, 620)?;
    print(&if arguments.json {
        as_json(&report, &pictures).to_string()
    } else {
        as_text(&report, &pictures)
    })?;
    Ok(if report.passes() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Contact times asked for, in times between collisions.
fn durations(asked: &[f64]) -> Result<Vec<f64>> {
    if asked.is_empty() {
        return Ok(DURATIONS.to_vec());
    }
    let allowed = asked.iter().all(|&share| (1e-4..=1.0).contains(&share));
    if !allowed || !asked.windows(2).all(|pair| pair[0] > pair[1]) {
        let found: Vec<String> = asked.iter().map(ToString::to_string).collect();
        return Err(Error::Usage(format!(
            "--durations: found {}; allowed: numbers from 1e-4 to 1, each smaller than the one before",
            found.join(",")
        )));
    }
    Ok(asked.to_vec())
}

/// Scatter of the hard runs, in the units of [`HardSoftReport::deviations`]: energy, collisions.
fn scatter(report: &HardSoftReport) -> [f64; 2] {
    let start = report.hard.energy.first().map_or(1.0, |e| e[0]);
    let squares = report.hard.energy.iter().map(|e| (e[1] / start).powi(2));
    #[allow(clippy::cast_precision_loss, reason = "counts of samples")]
    let energy = (squares.sum::<f64>() / report.times.len().max(1) as f64).sqrt();
    let [mean, sigma] = report.hard.collisions.last().copied().unwrap_or([1.0, 0.0]);
    [energy, sigma / mean.max(f64::MIN_POSITIVE)]
}

/// How far the soft runs are off, against how long their contacts last.
fn convergence(report: &HardSoftReport) -> Plot {
    let ends = [
        report.soft.first().map_or(1.0, |run| run.share),
        report.soft.last().map_or(1.0, |run| run.share),
    ];
    let names = ["energy", "collisions", "rebound"];
    let mut curves = Vec::new();
    for (k, (name, level)) in names.into_iter().zip(scatter(report)).enumerate() {
        curves.push(Curve {
            label: format!("{name}: scatter of hard runs"),
            points: ends.map(|share| [share, level]).to_vec(),
            style: Style::Dashed,
            colour: Colour::of_category(k),
        });
    }
    for (k, name) in names.into_iter().enumerate() {
        for style in [Style::Line, Style::Points] {
            let points = report.soft.iter();
            curves.push(Curve {
                label: if style == Style::Line {
                    name.into()
                } else {
                    String::new()
                },
                points: points
                    .map(|run| [run.share, report.deviations(run)[k]])
                    .collect(),
                style,
                colour: Colour::of_category(k),
            });
        }
    }
    Plot {
        title: "Soft grains tend to hard ones as they become stiffer".into(),
        subtitle: "energy: rms over time, of that of the start; collisions: at the end; rebound: of the speed"
            .into(),
        x_label: "duration of a contact over time between collisions".into(),
        y_label: "difference from hard grains".into(),
        curves,
        log_x: true,
        log_y: true,
    }
}

/// Energy in time.
fn decay(report: &HardSoftReport) -> Plot {
    let start = report.hard.energy.first().map_or(1.0, |e| e[0]);
    let line = |label: String, style, colour, energy: &dyn Fn(usize) -> f64| Curve {
        label,
        points: (0..report.times.len())
            .map(|k| [report.times[k] * report.rate, energy(k) / start])
            .collect(),
        style,
        colour,
    };
    let mut curves = Vec::new();
    for (k, run) in report.soft.iter().enumerate() {
        let label = format!("soft, contacts of {} t_E", run.share);
        let colour = Colour::of_category(k + 1);
        curves.push(line(label, Style::Line, colour, &|k| run.energy[k]));
    }
    let label = format!("hard, mean of {TWINS} runs");
    curves.push(line(label, Style::Dashed, Colour::INK, &|k| {
        report.hard.energy[k][0]
    }));
    Plot {
        title: "Energy of hard and of soft grains".into(),
        subtitle: format!("t_E = {}", si(1.0 / report.rate, "s")),
        x_label: "time over t_E".into(),
        y_label: "energy of motion over that of the start".into(),
        curves,
        log_x: false,
        log_y: false,
    }
}

fn as_json(report: &HardSoftReport, pictures: &[PathBuf]) -> Value {
    let columns = |pairs: &[[f64; 2]], k: usize| pairs.iter().map(|x| x[k]).collect::<Vec<_>>();
    let hard = &report.hard;
    json!({
        "passes": report.passes(),
        "engines": ["hard", "cpu"],
        "time": report.times.last(),
        "collision_rate": report.rate,
        "hard_runs": TWINS,
        "rebounds": report.rebounds,
        "times": report.times,
        "hard": {
            "energy": columns(&hard.energy, 0),
            "energy_scatter": columns(&hard.energy, 1),
            "lost": columns(&hard.lost, 0),
            "collisions_per_particle": columns(&hard.collisions, 0),
            "collisions_per_particle_scatter": columns(&hard.collisions, 1),
        },
        "soft": report.soft.iter().map(|run| {
            let [energy, collisions, rebound] = report.deviations(run);
            json!({
                "contact_time": run.contact_time,
                "share": run.share,
                "stiffness": run.stiffness,
                "time_step": run.time_step,
                "energy": run.energy,
                "lost": run.lost,
                "collisions_per_particle": run.collisions,
                "energy_difference": energy,
                "collisions_difference": collisions,
                "rebound_difference": rebound,
            })
        }).collect::<Vec<_>>(),
        "checks": report.checks.iter().map(|check| json!({
            "name": check.name,
            "unit": check.unit,
            "time": check.time,
            "hard": check.reference,
            "soft": check.candidate,
            "difference": check.difference,
            "scatter": check.twin,
            "band": check.band,
            "passes": check.passes(),
        })).collect::<Vec<_>>(),
        "pictures": pictures,
    })
}

fn as_text(report: &HardSoftReport, pictures: &[PathBuf]) -> String {
    let end = report.times.last().copied().unwrap_or(0.0);
    let mut lines = vec![
        "hard grains against soft ones (cpu)".into(),
        format!(
            "{} of collisions every {} per grain; {TWINS} hard runs, {} rebounds one by one",
            si(end, "s"),
            si(1.0 / report.rate, "s"),
            report.rebounds
        ),
        format!(
            "\n{:>10} {:>10} {:>12}   {:>10} {:>10} {:>10}",
            "contact", "of t_E", "stiffness", "energy", "collisions", "rebound"
        ),
    ];
    for run in &report.soft {
        let [energy, collisions, rebound] = report.deviations(run);
        lines.push(format!(
            "{:>10} {:>10} {:>12}   {energy:>10.1e} {collisions:>10.1e} {rebound:>10.1e}",
            si(run.contact_time, "s"),
            run.share,
            run.stiffness.map_or("–".into(), |k| si(k, "N/m")),
        ));
    }
    let [energy, collisions] = scatter(report);
    lines.push(format!(
        "{:>34}   {energy:>10.1e} {collisions:>10.1e}",
        "scatter of hard runs"
    ));
    lines.push(format!(
        "\nthe stiffest run, where it is worst; allowed: {SIGMAS} × scatter and {SOFTNESS} × share of t_E"
    ));
    lines.push(format!(
        "{:34} {:>11} {:>11} {:>8} {:>8} {:>8}",
        "", "hard", "soft", "apart", "allowed", "scatter"
    ));
    lines.extend(report.checks.iter().map(as_row));
    let failed = report.checks.iter().filter(|c| !c.passes()).count();
    let all = count(report.checks.len() as u64);
    lines.push(if failed == 0 {
        format!("\nall {all} within their bands")
    } else {
        format!("\n{failed} of {all} outside their bands")
    });
    lines.extend(pictures.iter().map(|path| drawn(path)));
    lines.join("\n")
}

fn drawn(path: &Path) -> String {
    format!("drawn         {}", path.display())
}

fn as_row(check: &Check) -> String {
    let unit = if check.unit == "J" { " (J)" } else { "" };
    format!(
        "{:34} {:>11.4e} {:>11.4e} {:>8.1e} {:>8.1e} {:>8.1e}{}",
        format!("{}{unit}", check.name),
        check.reference,
        check.candidate,
        check.difference,
        check.band,
        check.twin,
        if check.passes() { "" } else { "  <- outside" }
    )
}
