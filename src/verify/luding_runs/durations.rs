//! What the TC rule makes elastic, for contact durations over four decades.

use super::gas::watch;
use super::{RATE, curve, mixed};
use crate::laws::tc::{Dimensions, elastic_collisions, elastic_particles};
use crate::render::{Plot, Style};
use crate::verify::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

/// Durations of contacts, s.
const DURATIONS: [f64; 5] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3];

/// Enough for a hundred elastic ones where they are rarest.
const COLLISIONS: u64 = 1_500_000;
const SAMPLES: u32 = 30_000;

pub(super) fn study() -> Study {
    let checks = DURATIONS.iter().flat_map(|&t_c| {
        #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        let expected = [
            elastic_particles(t_c, RATE) * 960.0 * f64::from(SAMPLES),
            elastic_collisions(t_c, RATE) * COLLISIONS as f64,
        ];
        let [grains, hits] = expected.map(|count| 3.0 / count.sqrt());
        [
            Check::new(
                format!("{t_c}/particles"),
                format!("grains that collided within t_c = {t_c} s, over n_e (20)"),
                1.0,
                Tolerance::absolute(0.03 + grains, "3 % for a mean field, and three standard deviations of a count"),
            ),
            Check::new(
                format!("{t_c}/collisions"),
                format!("elastic collisions for t_c = {t_c} s, over c_e (21)"),
                1.0,
                Tolerance::absolute(
                    0.1 + hits,
                    "a mean field that the paper finds to be 5 % off, and three standard deviations of a count",
                ),
            ),
        ]
    });
    Study {
        name: "luding-durations",
        source: "Luding & McNamara, (20), (21)",
        summary: "Parts of grains and collisions that the TC rule makes elastic, for contact durations over four \
                  decades: 960 elastic disks at ν = 0.25, on the event-driven engine. One run serves all of them.",
        engines: Engines::Cpu,
        quick: false,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let gas = mixed(Dimensions::Two, 960, 0.25, 100)?;
            let watched = watch(&gas, &DURATIONS, COLLISIONS, SAMPLES)?;
            let mut values = Vec::new();
            let (mut grains, mut hits) = (Vec::new(), Vec::new());
            for (t_c, parts) in DURATIONS.into_iter().zip(&watched.parts) {
                values.push(parts.particles / elastic_particles(t_c, RATE));
                values.push(parts.collisions / elastic_collisions(t_c, RATE));
                grains.push([t_c, parts.particles]);
                hits.push([t_c, parts.collisions]);
            }
            let theory = |of: fn(f64, f64) -> f64| {
                let times = (0..=80).map(|k| 10_f64.powf(-7.0 + 0.05 * f64::from(k)));
                times.map(|t_c| [t_c, of(t_c, RATE)]).collect::<Vec<_>>()
            };
            Ok(Measured {
                values,
                figures: vec![Figure {
                    name: "luding-durations",
                    caption:
                        "Elastic grains and collisions against the duration of contacts: (20) and (21), which Figs. 5 and 6 divide by."
                            .into(),
                    drawing: Drawing::Plot(Plot {
                        title: "How many grains and collisions are elastic".into(),
                        subtitle: "960 disks, ν = 0.25, 444 collisions per grain and second".into(),
                        x_label: "t_c (s)".into(),
                        y_label: "part".into(),
                        curves: vec![
                            curve("n_e (20)", theory(elastic_particles), Style::Line, 0),
                            curve("c_e (21)", theory(elastic_collisions), Style::Line, 1),
                            curve("N_e/N", grains, Style::Points, 0),
                            curve("C_e/C", hits, Style::Points, 1),
                        ],
                        log_x: true,
                        log_y: true,
                    }),
                }],
            })
        }),
    }
}
