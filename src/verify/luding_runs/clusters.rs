//! Section 6.1: cooling disks for several sizes of the system.

use super::cooling::{State, cool, cooling_plot, energies, energy_at, haff, instants};
use super::{FRACTION, RATE, curve, lossy, mixed, mixed_from};
use crate::error::Result;
use crate::laws::tc::{Dimensions, cooling};
use crate::render::{Colour, Curve, Style};
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

/// Numbers of disks of Figs. 8 and 9 that fit here; the largest, 97 776, is in `largest.rs`.
const SIZES: [usize; 5] = [42, 378, 1435, 5740, 22960];

/// Until when, in times between collisions at the start.
const LATE: f64 = 500.0;

/// Numbers of disks of the runs that are averaged at early times, from how many starts, and which of [`SIZES`] they are.
const AVERAGED: [(usize, u64, usize); 3] = [(1435, 16, 2), (5740, 4, 3), (22960, 1, 4)];

/// Early times, at which the gas is still homogeneous, and how far T may be off then.
const EARLY: [(f64, f64); 2] = [(1.0, 0.035), (3.0, 0.1)];

pub(super) fn study() -> Study {
    let mut checks = Vec::new();
    for (n, starts, _) in AVERAGED {
        for (tau, off) in EARLY {
            checks.push(Check::new(
                format!("{n}/{tau}"),
                format!(
                    "T at τ = {tau} over (23), {n} disks, mean of {starts} start{}",
                    if starts == 1 { "" } else { "s" }
                ),
                1.0,
                Tolerance::absolute(off, "(23) takes velocities for independent, but grains that have collided approach more slowly: over 28 starts T is \
                     1.6 % above it at τ = 1 and 7.6 % at τ = 3, for any number of disks. One start of 1435 disks scatters by \
                     2.0 % and 3.1 %, of 22 960 by 0.4 % and 0.7 %: three standard deviations of these means are 1.5 % and 2.4 %"),
            ));
        }
    }
    checks.push(Check::new(
        "42/late",
        "42 disks are within a factor of 3 of (23) at τ = 500 (1: yes)",
        1.0,
        Tolerance::EXACT,
    ));
    for n in [1435, 5740, 22960] {
        checks.push(Check::new(
            format!("{n}/late"),
            format!("{n} disks have over 3 times the energy of (23) at τ = 500 (1: yes)"),
            1.0,
            Tolerance::EXACT,
        ));
    }
    checks.push(Check::new(
        "size",
        "T of 1435 disks over that of 22960 at τ = 50: no matter the size until clusters fill the box",
        1.0,
        Tolerance::absolute(0.25, "the scatter of clusters, of which there are a few dozen"),
    ));
    Study {
        name: "luding-clusters",
        source: "Luding & McNamara, section 6.1, Figs. 8 and 9",
        summary: "Disks with r = 0.4, ν = 0.227, t_c = 10⁻⁵ s: the homogeneous state breaks down, all the more so \
                  the larger the system. On the event-driven engine; 97 776 disks are a study of `lahar verify --long`.",
        engines: Engines::Cpu,
        quick: false,
        checks,
        measure: Box::new(|bench| {
            let mut taus = instants(LATE);
            taus.extend([1.0, 3.0, 50.0]);
            taus.sort_by(f64::total_cmp);
            let mut runs = Vec::new();
            for n in SIZES {
                let gas = mixed(Dimensions::Two, n, FRACTION, 50)?;
                runs.push(cool(&mut lossy(bench, &gas, 0.4, 1e-5)?, &taus)?);
            }
            let at = |run: usize, tau: f64| energy_at(&taus, &runs[run], tau);
            let over = |run: usize, tau: f64| at(run, tau) / cooling(Dimensions::Two, 0.4, tau);
            let yes = |is: bool| f64::from(u8::from(is));
            let mut values = Vec::new();
            for (n, starts, run) in AVERAGED {
                let mut means = EARLY.map(|(tau, _)| over(run, tau));
                for seed in 2..=starts {
                    for (mean, other) in means.iter_mut().zip(early(bench, n, seed)?) {
                        *mean += other;
                    }
                }
                #[allow(clippy::cast_precision_loss, reason = "a few starts")]
                values.extend(means.map(|sum| sum / starts as f64));
            }
            let near = over(0, LATE);
            values.push(yes(near < 3.0 && near > 1.0 / 3.0));
            values.extend([2, 3, 4].map(|run| yes(over(run, LATE) > 3.0)));
            values.push(at(2, 50.0) / at(4, 50.0));
            let runs: Vec<(usize, Vec<State>)> = SIZES.into_iter().zip(runs).collect();
            let names = ["luding-clusters", "luding-clusters-rate"];
            Ok(Measured {
                values,
                figures: figures(names, &taus, &runs),
            })
        }),
    }
}

/// T over (23) at early times, from another start.
fn early(bench: &dyn Bench, n: usize, seed: u64) -> Result<Vec<f64>> {
    let taus = EARLY.map(|(tau, _)| tau);
    let gas = mixed_from(seed, Dimensions::Two, n, FRACTION, 50)?;
    let course = cool(&mut lossy(bench, &gas, 0.4, 1e-5)?, &taus)?;
    let over = taus.iter().zip(&course);
    Ok(over
        .map(|(&tau, state)| state.energy / cooling(Dimensions::Two, 0.4, tau))
        .collect())
}

/// Figs. 8 and 9 by these names: for some numbers of disks how they cooled.
pub(super) fn figures(
    names: [&'static str; 2],
    taus: &[f64],
    runs: &[(usize, Vec<State>)],
) -> Vec<Figure> {
    let mut curves = vec![Curve {
        colour: Colour::INK,
        ..curve("(23)", haff(Dimensions::Two, 0.4, taus), Style::Dashed, 0)
    }];
    for (k, (n, run)) in runs.iter().enumerate() {
        let energies = energies(taus, run);
        curves.push(curve(format!("N = {n}"), energies, Style::Line, k));
    }
    vec![
        Figure {
            name: names[0],
            caption: "Energy of cooling disks for several sizes of the system, r = 0.4 (Fig. 8)."
                .into(),
            drawing: cooling_plot(
                "The homogeneous state breaks down",
                "disks, r = 0.4, ν = 0.227, t_c = 10⁻⁵ s",
                curves,
            ),
        },
        rate_figure(names[1], taus, runs),
    ]
}

/// Fig. 9: collision rates between the instants of Fig. 8.
fn rate_figure(name: &'static str, taus: &[f64], runs: &[(usize, Vec<State>)]) -> Figure {
    let expected = haff(Dimensions::Two, 0.4, taus);
    let expected = expected
        .into_iter()
        .map(|[tau, energy]| [tau, RATE * energy.sqrt()]);
    let mut curves = vec![Curve {
        colour: Colour::INK,
        ..curve("444 s⁻¹ √T, (23)", expected.collect(), Style::Dashed, 0)
    }];
    for (k, (n, run)) in runs.iter().enumerate() {
        let steps = taus.windows(2).zip(run.windows(2));
        let rates = steps.map(|(taus, states)| {
            let rate = RATE * (states[1].hits - states[0].hits) / (taus[1] - taus[0]);
            [(taus[0] * taus[1]).sqrt(), rate]
        });
        // The smallest system is often without a collision for a while.
        let rates = rates.filter(|[_, rate]| *rate > 0.0);
        curves.push(curve(format!("N = {n}"), rates.collect(), Style::Line, k));
    }
    let mut drawing = cooling_plot(
        "Collision rates of cooling disks",
        "r = 0.4, ν = 0.227, t_c = 10⁻⁵ s",
        curves,
    );
    if let Drawing::Plot(plot) = &mut drawing {
        plot.y_label = "collisions per grain (1/s)".into();
    }
    Figure {
        name,
        caption: "Collision rates in the same runs (Fig. 9).".into(),
        drawing,
    }
}
