//! Section 6.2: cooling disks for contact durations from 10⁻² to 10⁻¹² s.

use super::cooling::{State, cool, cooling_plot, energies, haff, instants, of_states};
use super::{FRACTION, RATE, curve, lossy, mixed, mixed_from};
use crate::error::Result;
use crate::laws::tc::Dimensions;
use crate::render::{Colour, Curve, Plot, Style};
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

/// Contact durations of Figs. 12 to 14, s.
const CONTACT_DURATIONS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-12];

const POWERS: [&str; 6] = ["10⁻²", "10⁻³", "10⁻⁴", "10⁻⁶", "10⁻⁸", "10⁻¹²"];

/// Starts whose T is averaged at early times, the contact durations (s) and the times.
const STARTS: u32 = 16;
const LONG: [f64; 3] = [1e-2, 1e-3, 1e-4];
const EARLY: [f64; 2] = [1.0, 2.0];

/// T over Haff's law with `c_e` at early times, for each of the long contact durations; means over the starts.
fn early(bench: &dyn Bench) -> Result<Vec<f64>> {
    let mut sums = vec![0.0; LONG.len() * EARLY.len()];
    for start in 1..=STARTS {
        let gas = mixed_from(start.into(), Dimensions::Two, 1435, FRACTION, 50)?;
        for (k, t_c) in LONG.into_iter().enumerate() {
            let course = cool(&mut lossy(bench, &gas, 0.4, t_c)?, &EARLY)?;
            for (j, (tau, state)) in EARLY.into_iter().zip(course).enumerate() {
                let expected = hindered_cooling(0.4, t_c * RATE, tau);
                sums[k * EARLY.len() + j] += state.energy / expected / f64::from(STARTS);
            }
        }
    }
    Ok(sums)
}

/// Starts whose T is averaged at τ = 100, when a few clusters are all there is.
const LATE_STARTS: u32 = 16;

/// How far the ratio of two such means may be off.
const LATE_SCATTER: Tolerance = Tolerance::absolute(
    0.15,
    "T of one start of 1435 disks, with a few clusters, scatters by 13.5 %: three standard deviations of the ratio of two means \
     are 14 %",
);

/// The same of runs that differ only where two collisions are less than 10⁻⁸ s apart.
const LATE_TWINS: Tolerance = Tolerance::absolute(
    2e-3,
    "the two runs of a start are alike but for collisions within 10⁻⁸ s: none of the 16 pairs is more than 0.16 % apart",
);

/// T at τ = 100 for contact durations of 10⁻⁶ and 10⁻¹² s over that for 10⁻⁸ s; means over the starts.
fn late(bench: &dyn Bench) -> Result<[f64; 2]> {
    let mut sums = [0.0; 3];
    for start in 1..=LATE_STARTS {
        let gas = mixed_from(start.into(), Dimensions::Two, 1435, FRACTION, 50)?;
        for (sum, t_c) in sums.iter_mut().zip([1e-6, 1e-12, 1e-8]) {
            let course = cool(&mut lossy(bench, &gas, 0.4, t_c)?, &[100.0])?;
            *sum += course[0].energy;
        }
    }
    let [short, shortest, middle] = sums;
    Ok([short / middle, shortest / middle])
}

/// What Fig. 14 shows a part of.
#[derive(Clone, Copy)]
enum Fraction {
    Collisions,
    Particles,
    Energy,
}

/// One part of Fig. 14; instants at which nothing is elastic are left out.
fn fraction_figure(
    name: &'static str,
    fraction: Fraction,
    taus: &[f64],
    runs: &[Vec<State>],
) -> Figure {
    let (letter, what, symbol) = match fraction {
        Fraction::Collisions => ("a", "collisions", "C_e/C"),
        Fraction::Particles => ("b", "disks", "N_e/N"),
        Fraction::Energy => ("c", "energy", "E_e/E"),
    };
    let of = |state: &State| match fraction {
        Fraction::Collisions => state.elastic_collisions,
        Fraction::Particles => state.elastic_particles,
        Fraction::Energy => state.elastic_energy,
    };
    let curves = POWERS
        .iter()
        .zip(runs)
        .enumerate()
        .map(|(k, (power, run))| {
            let points = of_states(taus, run, of);
            let points = points.into_iter().filter(|[_, part]| *part > 0.0).collect();
            curve(format!("t_c = {power} s"), points, Style::Points, k)
        });
    Figure {
        name,
        caption: format!(
            "Part of the {what} that is elastic in the same runs, since the point before (Fig. 14 {letter})."
        ),
        drawing: Drawing::Plot(Plot {
            title: format!("Elastic part of the {what}"),
            subtitle: "disks, r = 0.4, ν = 0.227".into(),
            x_label: "τ".into(),
            y_label: symbol.into(),
            curves: curves.collect(),
            log_x: true,
            log_y: true,
        }),
    }
}

/// Haff's law with the TC rule in mean field: the part exp(−2 κ √T) of the collisions loses energy, κ = `t_c`/`t_E(0)`.
fn hindered_cooling(restitution: f64, kappa: f64, tau: f64) -> f64 {
    // Euler's steps are short enough: halving them changes T by less than 1e-4.
    let steps = 20_000;
    let step = tau / f64::from(steps);
    let loss = 0.5 * (1.0 - restitution * restitution);
    let mut energy: f64 = 1.0;
    for _ in 0..steps {
        let root = energy.sqrt();
        energy -= step * loss * energy * root * (-2.0 * kappa * root).exp();
    }
    energy
}

pub(super) fn study() -> Study {
    let mut checks = Vec::new();
    for t_c in LONG {
        for tau in EARLY {
            checks.push(Check::new(
                format!("{t_c}/{tau}"),
                format!("T at τ = {tau} for t_c = {t_c} s, over Haff's law with c_e (21), mean of {STARTS} starts"),
                1.0,
                Tolerance::absolute(
                    0.04,
                    "velocities grow correlated, whatever the number of disks: without the TC rule T is 1.6 % above (23) at τ = 1 and \
                     7.6 % at τ = 3 (luding-clusters); one start scatters by 2.0 %, three standard deviations of the mean are 1.5 %",
                ),
            ));
        }
    }
    for (name, power, scatter) in [
        ("short", "10⁻⁶", LATE_SCATTER),
        ("shortest", "10⁻¹²", LATE_TWINS),
    ] {
        checks.push(Check::new(
            name,
            format!(
                "T at τ = 100 for t_c = {power} s over that for 10⁻⁸ s, means of {LATE_STARTS} starts: short ones make no difference"
            ),
            1.0,
            scatter,
        ));
    }
    checks.push(Check::new(
        "collisions",
        "more collisions for t_c = 10⁻⁸ s than for 10⁻⁴ s (1: yes)",
        1.0,
        Tolerance::EXACT,
    ));
    Study {
        name: "luding-contact",
        source: "Luding & McNamara, section 6.2, Figs. 12 to 14",
        summary: "1435 disks with r = 0.4, ν = 0.227 for contact durations from 10⁻² to 10⁻¹² s: long ones hinder \
                  cooling as (21) says, short ones hardly act so early (`lahar verify --long` goes on). Later the mean field fails: at τ = 4 and \
                  t_c = 10⁻⁴ s T is 9.5 % above it, as it is without the TC rule. On the event-driven engine.",
        engines: Engines::Cpu,
        quick: false,
        checks,
        measure: Box::new(|bench| {
            let gas = mixed(Dimensions::Two, 1435, FRACTION, 50)?;
            let taus = instants(100.0);
            let mut runs = Vec::new();
            for t_c in CONTACT_DURATIONS {
                runs.push(cool(&mut lossy(bench, &gas, 0.4, t_c)?, &taus)?);
            }
            let mut values = early(bench)?;
            values.extend(late(bench)?);
            let hits = |run: usize| runs[run].last().map_or(0.0, |state| state.hits);
            values.push(f64::from(u8::from(hits(4) > hits(2))));
            let names = [
                "luding-contact",
                "luding-contact-collisions",
                "luding-contact-fraction-collisions",
                "luding-contact-fraction-particles",
                "luding-contact-fraction-energy",
            ];
            Ok(Measured {
                values,
                figures: figures(names, &taus, &runs),
            })
        }),
    }
}

/// Figs. 12 to 14, by these names.
fn figures(names: [&'static str; 5], taus: &[f64], runs: &[Vec<State>]) -> Vec<Figure> {
    const SUBTITLE: &str = "disks, r = 0.4, ν = 0.227";
    let mut curves = vec![Curve {
        colour: Colour::INK,
        ..curve("(23)", haff(Dimensions::Two, 0.4, taus), Style::Dashed, 0)
    }];
    let mut by_collisions = Vec::new();
    for (k, (power, run)) in POWERS.iter().zip(runs).enumerate() {
        let label = format!("t_c = {power} s");
        curves.push(curve(label.clone(), energies(taus, run), Style::Line, k));
        // Each collision counted once.
        let points = run.iter().map(|state| [0.5 * state.hits, state.energy]);
        by_collisions.push(curve(label, points.collect(), Style::Line, k));
    }
    let mut second = cooling_plot("Energy against collisions", SUBTITLE, by_collisions);
    if let Drawing::Plot(plot) = &mut second {
        plot.x_label = "collisions over grains".into();
    }
    let [energy, collisions, fractions @ ..] = names;
    let mut figures = vec![
        Figure {
            name: energy,
            caption: "Energy of cooling disks for several contact durations, r = 0.4 (Fig. 12)."
                .into(),
            drawing: cooling_plot("Long contacts hinder cooling", SUBTITLE, curves),
        },
        Figure {
            name: collisions,
            caption: "The same runs against the number of collisions per disk (Fig. 13).".into(),
            drawing: second,
        },
    ];
    let parts = [Fraction::Collisions, Fraction::Particles, Fraction::Energy];
    figures.extend(
        fractions
            .into_iter()
            .zip(parts)
            .map(|(name, part)| fraction_figure(name, part, taus, runs)),
    );
    figures
}

/// Disks of the paper's own figures, and until when they cool.
const DISKS: usize = 5740;
const END: f64 = 2000.0;

/// Instants at the end of the long runs over which parts are averaged: the last decade of τ.
const LAST: usize = 9;

/// Of how many contact durations, the longest ones, elastic disks are found at all when one looks now and then.
const FOUND: usize = 4;

/// Least part of the collisions that is elastic in the last decade.
const STEADY: f64 = 0.01;

/// The same for as many disks and as long as in the paper, when clusters collide so often that the TC rule acts however short
/// contacts are.
pub(super) fn long_study() -> Study {
    let yes = |name: &str, quantity: String| Check::new(name, quantity, 1.0, Tolerance::EXACT);
    let mut checks: Vec<Check> = POWERS
        .iter()
        .map(|power| {
            yes(
                power,
                format!("over {STEADY} of the collisions are elastic from τ = 200 to 2000 for t_c = {power} s (1: yes)"),
            )
        })
        .collect();
    checks.extend([
        yes(
            "particles",
            "the shorter t_c, down to 10⁻⁶ s, the fewer disks are elastic at a time (1: yes)"
                .into(),
        ),
        yes(
            "energy",
            "the shorter t_c, down to 10⁻⁶ s, the less energy they have (1: yes)".into(),
        ),
    ]);
    Study {
        name: "luding-contact-late",
        source: "Luding & McNamara, section 6.2, Figs. 12 to 14, 5740 disks",
        summary: "5740 disks with r = 0.4, ν = 0.227 until τ = 2000: the part of collisions that the TC rule makes elastic settles \
                  at some per cent however short contacts are, while the disks and the energy that are elastic at a time become \
                  few. On the event-driven engine.",
        engines: Engines::Cpu,
        quick: false,
        checks,
        measure: Box::new(|bench| {
            let gas = mixed(Dimensions::Two, DISKS, FRACTION, 50)?;
            let taus = instants(END);
            let mut runs = Vec::new();
            for t_c in CONTACT_DURATIONS {
                runs.push(cool(&mut lossy(bench, &gas, 0.4, t_c)?, &taus)?);
            }
            let late = |of: fn(&State) -> f64| -> Vec<f64> {
                #[allow(clippy::cast_precision_loss, reason = "a few instants")]
                let mean = |run: &Vec<State>| {
                    let last = &run[run.len() - LAST..];
                    last.iter().map(of).sum::<f64>() / LAST as f64
                };
                runs.iter().map(mean).collect()
            };
            let is = |is: bool| f64::from(u8::from(is));
            let collisions = late(|state| state.elastic_collisions);
            let falls = |parts: Vec<f64>| {
                is(parts[..FOUND].is_sorted_by(|longer, shorter| longer > shorter))
            };
            let mut values: Vec<f64> = collisions.iter().map(|&part| is(part > STEADY)).collect();
            values.push(falls(late(|state| state.elastic_particles)));
            values.push(falls(late(|state| state.elastic_energy)));
            let names = [
                "luding-contact-late",
                "luding-contact-late-collisions",
                "luding-contact-late-fraction-collisions",
                "luding-contact-late-fraction-particles",
                "luding-contact-late-fraction-energy",
            ];
            Ok(Measured {
                values,
                figures: figures(names, &taus, &runs),
            })
        }),
    }
}
