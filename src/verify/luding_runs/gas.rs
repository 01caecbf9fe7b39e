//! Elastic gases: equation of state, collision rate, and what the TC rule would make elastic.

use super::{RATE, curve, mixed};
use crate::error::Result;
use crate::hard::HardEngine;
use crate::laws::tc::{
    Dimensions, elastic_collisions, elastic_energy_factor, elastic_particles, excess_pressure,
};
use crate::render::{Colour, Curve, Plot, Style};
use crate::verify::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

/// Fractions, and how far the theory may be off there: pressure and collision rate.
const DISKS: [[f64; 2]; 8] = [
    [0.05, 0.015],
    [0.1, 0.015],
    [0.2, 0.015],
    [0.3, 0.015],
    [0.4, 0.015],
    [0.5, 0.015],
    [0.6, 0.025],
    [0.65, 0.04],
];
const SPHERES: [[f64; 2]; 6] = [
    [0.05, 0.015],
    [0.1, 0.015],
    [0.2, 0.015],
    [0.3, 0.015],
    [0.4, 0.015],
    [0.45, 0.02],
];

/// Number of disks.
const DISKS_WATCHED: usize = 960;

/// Duration of contacts that the checks are about, s: short against 1/444 s.
const SHORT: f64 = 2e-5;

/// Durations of contacts of Figs. 4 to 7, s, and their powers of ten.
const DURATIONS: [(f64, &str); 5] = [
    (1e-3, "10⁻³"),
    (1e-4, "10⁻⁴"),
    (1e-5, "10⁻⁵"),
    (1e-6, "10⁻⁶"),
    (1e-7, "10⁻⁷"),
];

/// Prefactor of the rates in Figs. 4 to 7, `ω₀` in 1/s: the paper's gases have the same velocity at any fraction, ours
/// the same collision rate. Times are converted.
const PREFACTOR: f64 = 656.03;

/// Fewest grains or collisions of which Figs. 5 to 7 show a part: 10 % of scatter.
const FEWEST: f64 = 100.0;

/// What an elastic gas did.
pub(super) struct Watched {
    excess_pressure: f64,
    /// Collisions of a grain per second.
    rate: f64,
    /// What the TC rule would make elastic, for each contact duration.
    pub(super) parts: Vec<Parts>,
}

/// Parts that the TC rule would make elastic, as means over the run.
pub(super) struct Parts {
    pub(super) particles: f64,
    pub(super) collisions: f64,
    energy: f64,
    /// Elastic collisions and grains that were counted, whichever are fewer.
    counted: f64,
}

/// Watches an elastic gas for so many collisions. The TC rule changes nothing without loss: one run serves all contact
/// durations (s).
#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(super) fn watch(
    mixed: &HardEngine,
    durations: &[f64],
    collisions: u64,
    samples: u32,
) -> Result<Watched> {
    let mut engine = mixed.clone();
    let count = engine.particles() as f64;
    let (begun, before) = (engine.time(), engine.tally().clone());
    let duration = 2.0 * collisions as f64 / (count * RATE);
    let mut hits = vec![0.0; durations.len()];
    let mut grains = vec![[0.0; 2]; durations.len()];
    for sample in 1..=samples {
        let end = begun + duration * f64::from(sample) / f64::from(samples);
        while let Some(happened) = engine.next_collision(end)? {
            for (hits, t_c) in hits.iter_mut().zip(durations) {
                *hits += f64::from(u8::from(happened.since <= *t_c));
            }
        }
        for (sums, t_c) in grains.iter_mut().zip(durations) {
            let recent = engine.recent(*t_c);
            sums[0] += recent.particles as f64;
            sums[1] += recent.kinetic;
        }
    }
    let now = engine.measure();
    let dimensions = engine.model().dimensions.count();
    let virial = engine.mean_stress(&now, begun, &before);
    let pressure = -(virial.x_axis.x + virial.y_axis.y + virial.z_axis.z) / dimensions;
    // PV = ΣT + …: of N grains without drift, N − 1 are free to move.
    let ideal = now.temperature(dimensions) * count;
    let happened = (engine.tally().collisions - before.collisions) as f64;
    let samples = f64::from(samples);
    let parts = hits
        .iter()
        .zip(&grains)
        .map(|(&hits, &[particles, energy])| Parts {
            particles: particles / (count * samples),
            collisions: hits / happened,
            energy: energy / (now.kinetic * samples),
            counted: hits.min(particles),
        });
    Ok(Watched {
        excess_pressure: pressure * engine.volume() / ideal - 1.0,
        rate: 2.0 * happened / (count * (now.time - begun)),
        parts: parts.collect(),
    })
}

pub(super) fn study(dimensions: Dimensions) -> Study {
    let flat = dimensions == Dimensions::Two;
    let fractions: &'static [[f64; 2]] = if flat { &DISKS } else { &SPHERES };
    let mut checks = Vec::new();
    for &[nu, theory] in fractions {
        checks.push(Check::new(
            format!("{nu}/pressure"),
            format!("PV/NT − 1, ν = {nu}"),
            excess_pressure(dimensions, nu, 1.0),
            Tolerance::relative(
                theory,
                "1 % (three standard deviations) for 2e5 collisions of about 1000 grains or more; the theory itself is off \
                 by 0.5 %, near freezing by more",
            ),
        ));
        checks.push(Check::new(
            format!("{nu}/rate"),
            format!("collisions per grain over Enskog's rate, ν = {nu}"),
            1.0,
            Tolerance::absolute(theory, "as the pressure, which is proportional to it"),
        ));
        checks.push(Check::new(
            format!("{nu}/particles"),
            format!("grains that collided within t_c, over n_e (20), ν = {nu}"),
            1.0,
            Tolerance::absolute(
                0.04 + theory,
                "some 1e4 of them: 3 %; (20) takes every grain for equally fast",
            ),
        ));
        checks.push(Check::new(
            format!("{nu}/collisions"),
            format!("elastic collisions over c_e (21), ν = {nu}"),
            1.0,
            Tolerance::absolute(
                0.1 + theory,
                "a mean field that the paper finds to be 5 % off; 3e3 of them or more: 5 %",
            ),
        ));
        checks.push(Check::new(
            format!("{nu}/energy"),
            format!("(E_e/E)/n_e for a short t_c, ν = {nu}"),
            elastic_energy_factor(dimensions),
            Tolerance::relative(0.05, "energies of some 1e4 grains: 3 %; t_c is not quite 0"),
        ));
    }
    Study {
        name: if flat {
            "luding-gas-disks"
        } else {
            "luding-gas-spheres"
        },
        source: if flat {
            "Luding & McNamara, (15)–(21), Figs. 3 to 7"
        } else {
            "Luding & McNamara, (15)–(21) in three dimensions; Carnahan & Starling"
        },
        summary: if flat {
            "An elastic gas of 960 disks on the event-driven engine: equation of state, Enskog's rate, and the parts \
             of grains, collisions and energy that the TC rule would make elastic."
        } else {
            "An elastic gas of 864 spheres on the event-driven engine, as for disks."
        },
        engines: Engines::Cpu,
        quick: false,
        checks,
        measure: Box::new(move |_| measure_gas(dimensions, fractions)),
    }
}

/// Collisions and looks of the long study: enough for a hundred elastic collisions where they are rarest.
const MANY: u64 = 10_000_000;
const LOOKS: u32 = 20_000;

/// Parts for all contact durations at all fractions, from longer runs.
pub(super) fn long_study() -> Study {
    let mut checks = Vec::new();
    for [nu, theory] in DISKS {
        for (t_c, power) in DURATIONS {
            let t_c = t_c * paper_rate(nu) / RATE;
            #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
            let expected = [
                elastic_particles(t_c, RATE) * DISKS_WATCHED as f64 * f64::from(LOOKS),
                elastic_collisions(t_c, RATE) * MANY as f64,
            ];
            let [grains, hits] = expected.map(|count| 3.0 / count.sqrt());
            checks.push(Check::new(
                format!("{nu}/{power}/particles"),
                format!("grains that collided within t_c = {power} s, over n_e (20), ν = {nu}"),
                1.0,
                Tolerance::absolute(
                    0.03 + theory + grains,
                    "3 % for a mean field, the theory of the rate, and three standard deviations of a count",
                ),
            ));
            checks.push(Check::new(
                format!("{nu}/{power}/collisions"),
                format!("elastic collisions for t_c = {power} s, over c_e (21), ν = {nu}"),
                1.0,
                Tolerance::absolute(
                    0.1 + theory + hits,
                    "a mean field that the paper finds to be 5 % off, the theory of the rate, and three standard deviations of a \
                     count",
                ),
            ));
        }
    }
    Study {
        name: "luding-gas-durations",
        source: "Luding & McNamara, (20), (21), Figs. 5 to 7",
        summary: "What the TC rule would make elastic in gases of 960 disks, for contact durations from 10⁻⁷ to 10⁻³ s at fractions \
                  from 0.05 to 0.65, in 10⁷ collisions each. On the event-driven engine.",
        engines: Engines::Cpu,
        quick: false,
        checks,
        measure: Box::new(|_| {
            let mut values = Vec::new();
            let mut runs = Vec::new();
            for [nu, _] in DISKS {
                let gas = mixed(Dimensions::Two, DISKS_WATCHED, nu, 100)?;
                let mut durations = vec![SHORT];
                durations.extend(DURATIONS.map(|(t_c, _)| t_c * paper_rate(nu) / RATE));
                let run = watch(&gas, &durations, MANY, LOOKS)?;
                for (parts, t_c) in run.parts.iter().zip(durations).skip(1) {
                    values.push(parts.particles / elastic_particles(t_c, RATE));
                    values.push(parts.collisions / elastic_collisions(t_c, RATE));
                }
                runs.push((nu, run));
            }
            let figures = [
                ("luding-gas-durations-particles", Quality::Particles),
                ("luding-gas-durations-collisions", Quality::Collisions),
                ("luding-gas-durations-energy", Quality::Energy),
            ];
            let figures = figures.map(|(name, of)| Figure {
                name,
                ..quality_figure(of, &runs)
            });
            Ok(Measured {
                values,
                figures: figures.into(),
            })
        }),
    }
}

#[allow(clippy::cast_precision_loss, reason = "a few hundred grains")]
fn measure_gas(dimensions: Dimensions, fractions: &[[f64; 2]]) -> Result<Measured> {
    let flat = dimensions == Dimensions::Two;
    let (particles, collisions) = if flat {
        (DISKS_WATCHED, 500_000)
    } else {
        (864, 200_000)
    };
    let mut values = Vec::new();
    let mut runs = Vec::new();
    for &[nu, _] in fractions {
        let gas = mixed(dimensions, particles, nu, 100)?;
        let mut durations = vec![SHORT];
        if flat {
            durations.extend(DURATIONS.map(|(t_c, _)| t_c * paper_rate(nu) / RATE));
        }
        let run = watch(&gas, &durations, collisions, 1500)?;
        let short = &run.parts[0];
        values.extend([
            run.excess_pressure,
            run.rate / RATE,
            short.particles / elastic_particles(SHORT, RATE),
            short.collisions / elastic_collisions(SHORT, RATE),
            short.energy / short.particles,
        ]);
        runs.push((nu, run));
    }
    let mut figures = vec![pressure_figure(dimensions, &runs)];
    if flat {
        figures.push(rate_figure(&runs));
        figures.extend(
            [Quality::Particles, Quality::Collisions, Quality::Energy]
                .map(|of| quality_figure(of, &runs)),
        );
    } else {
        figures.push(spheres_figure(&runs));
    }
    Ok(Measured { values, figures })
}

/// Enskog's rate of disks with the velocities of the paper, 1/s.
fn paper_rate(nu: f64) -> f64 {
    PREFACTOR * excess_pressure(Dimensions::Two, nu, 1.0)
}

/// Fractions and what came out there.
type Runs = [(f64, Watched)];

fn last_fraction(runs: &Runs) -> f64 {
    runs.last().map_or(0.5, |run| run.0)
}

/// A function of the fraction up to the last run.
fn theory(runs: &Runs, of: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    let fractions = (1..=100).map(|k| 0.01 * f64::from(k) * last_fraction(runs));
    fractions.map(|nu| [nu, of(nu)]).collect()
}

fn pressure_figure(dimensions: Dimensions, runs: &Runs) -> Figure {
    let flat = dimensions == Dimensions::Two;
    let shape = if flat { "disks" } else { "spheres" };
    let pressures = runs.iter().map(|(nu, run)| [*nu, run.excess_pressure]);
    Figure {
        name: if flat {
            "luding-pressure-disks"
        } else {
            "luding-pressure-spheres"
        },
        caption: if flat {
            "Reduced pressure of an elastic gas of disks (Fig. 3).".into()
        } else {
            "Reduced pressure of an elastic gas of spheres: the counterpart of Fig. 3.".into()
        },
        drawing: Drawing::Plot(Plot {
            title: format!("Pressure of an elastic gas of {shape}"),
            subtitle: "event-driven runs and the equation of state".into(),
            x_label: "ν".into(),
            y_label: "PV/NT − 1".into(),
            curves: vec![
                curve(
                    if flat {
                        "2νg, (16), (17)"
                    } else {
                        "4νg, Carnahan & Starling"
                    },
                    theory(runs, |nu| excess_pressure(dimensions, nu, 1.0)),
                    Style::Line,
                    0,
                ),
                curve("simulated", pressures.collect(), Style::Points, 1),
            ],
            log_x: false,
            log_y: true,
        }),
    }
}

/// Fig. 4.
fn rate_figure(runs: &Runs) -> Figure {
    let rates = runs
        .iter()
        .map(|(nu, run)| [*nu, run.rate / RATE * paper_rate(*nu)]);
    let rates: Vec<_> = rates.collect();
    let mut curves = vec![
        Curve {
            colour: Colour::INK,
            ..curve("Enskog (19)", theory(runs, paper_rate), Style::Line, 0)
        },
        Curve {
            colour: Colour::INK,
            ..curve("all collisions", rates.clone(), Style::Points, 0)
        },
    ];
    for (k, (_, power)) in DURATIONS.iter().enumerate() {
        let elastic = runs.iter().zip(&rates);
        let elastic = elastic.map(|((nu, run), rate)| [*nu, rate[1] * run.parts[k + 1].collisions]);
        let elastic: Vec<_> = elastic.filter(|[_, rate]| *rate > 0.0).collect();
        curves.push(curve("", elastic.clone(), Style::Dashed, k));
        let label = format!("elastic, t_c = {power} s");
        curves.push(curve(label, elastic, Style::Points, k));
    }
    Figure {
        name: "luding-rate-disks",
        caption: "Collision rate of an elastic gas of disks, and that of the collisions that the TC rule makes \
                  elastic, for several contact durations (Fig. 4)."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Collision rates of an elastic gas of disks".into(),
            subtitle: "ω_0 = 656.03 s⁻¹".into(),
            x_label: "ν".into(),
            y_label: "collisions per grain (1/s)".into(),
            curves,
            log_x: false,
            log_y: true,
        }),
    }
}

/// What Figs. 5 to 7 are about.
#[derive(Clone, Copy)]
enum Quality {
    Particles,
    Collisions,
    Energy,
}

/// Figs. 5 to 7: a part that the TC rule makes elastic, over its mean field.
fn quality_figure(quality: Quality, runs: &Runs) -> Figure {
    let (name, number, title, symbol) = match quality {
        Quality::Particles => (
            "luding-quality-particles",
            5,
            "Elastic disks over their mean field (20)",
            "q_n",
        ),
        Quality::Collisions => (
            "luding-quality-collisions",
            6,
            "Elastic collisions over their mean field (21)",
            "q_c",
        ),
        Quality::Energy => (
            "luding-quality-energy",
            7,
            "Elastic energy over the mean field (20)",
            "q_e",
        ),
    };
    let level = |y: f64| vec![[0.0, y], [last_fraction(runs), y]];
    let mut curves = vec![curve("", level(1.0), Style::ThinLine, 7)];
    if matches!(quality, Quality::Energy) {
        let factor = elastic_energy_factor(Dimensions::Two);
        curves.push(Curve {
            colour: Colour::INK,
            ..curve(
                "5/4, kinetic theory for t_c → 0",
                level(factor),
                Style::Dashed,
                0,
            )
        });
    }
    for (k, (t_c, power)) in DURATIONS.iter().enumerate() {
        let points = runs
            .iter()
            .filter(|(_, run)| run.parts[k + 1].counted >= FEWEST);
        let points = points.map(|(nu, run)| {
            let (parts, rate) = (&run.parts[k + 1], paper_rate(*nu));
            let quality = match quality {
                Quality::Particles => parts.particles / elastic_particles(*t_c, rate),
                Quality::Collisions => parts.collisions / elastic_collisions(*t_c, rate),
                Quality::Energy => parts.energy / elastic_particles(*t_c, rate),
            };
            [*nu, quality]
        });
        let label = format!("t_c = {power} s");
        curves.push(curve(label, points.collect(), Style::Points, k));
    }
    Figure {
        name,
        caption: format!(
            "{title} against the fraction, for several contact durations (Fig. {number}); points that rest on fewer \
             than 100 grains or collisions are left out."
        ),
        drawing: Drawing::Plot(Plot {
            title: title.into(),
            subtitle: "an elastic gas of disks, ω_0 = 656.03 s⁻¹".into(),
            x_label: "ν".into(),
            y_label: symbol.into(),
            curves,
            log_x: false,
            log_y: false,
        }),
    }
}

/// The counterpart of Figs. 5 to 7 for spheres and one contact duration.
fn spheres_figure(runs: &Runs) -> Figure {
    let of = |quality: &dyn Fn(&Parts) -> f64| {
        let points = runs.iter().map(|(nu, run)| [*nu, quality(&run.parts[0])]);
        points.collect::<Vec<_>>()
    };
    let level = |y: f64| vec![[0.0, y], [last_fraction(runs), y]];
    let factor = elastic_energy_factor(Dimensions::Three);
    let (n_e, c_e) = (
        elastic_particles(SHORT, RATE),
        elastic_collisions(SHORT, RATE),
    );
    Figure {
        name: "luding-quality-spheres",
        caption: "Parts of grains, collisions and energy that the TC rule makes elastic, over their mean field: the \
                  counterpart of Figs. 5 to 7 for spheres, t_c = 2·10⁻⁵ s."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "What the TC rule makes elastic, over theory: spheres".into(),
            subtitle: "grains that collided just now have more than their share of the energy: fast ones collide more often"
                .into(),
            x_label: "ν".into(),
            y_label: "simulated over mean field".into(),
            curves: vec![
                curve("", level(1.0), Style::ThinLine, 7),
                curve("theory of E_e", level(factor), Style::Dashed, 2),
                curve("N_e/N over (20)", of(&|parts| parts.particles / n_e), Style::Points, 0),
                curve("C_e/C over (21)", of(&|parts| parts.collisions / c_e), Style::Points, 1),
                curve("E_e/E over N_e/N", of(&|parts| parts.energy / parts.particles), Style::Points, 2),
            ],
            log_x: false,
            log_y: false,
        }),
    }
}
