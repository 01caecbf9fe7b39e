//! Restitution and contact time against λ.

use super::{SPEED, TAU_0, fit, mass, viscous};
use crate::collide::Collision;
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::collision::hertz_viscous_collision;
use crate::laws::hertz::hertz_time_unit;
use crate::render::{Colour, Curve, Plot, Style};
use crate::verify::bench::duration;
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

/// λ, e and `τ_c`: solutions of (6), (7) to 28 digits by Taylor series of the regular form in √z.
const EXACT: [[f64; 3]; 7] = [
    [0.0, 1.0, 3.218_065_459_719_043],
    [0.05, 0.833_347_084_889_891_8, 3.280_511_064_024_215_4],
    [0.1, 0.688_560_163_704_759_5, 3.354_180_697_388_625],
    [0.14, 0.586_363_355_132_174_4, 3.422_930_903_094_381],
    [0.2, 0.452_680_179_748_341_9, 3.546_676_854_760_269_4],
    [0.25, 0.356_912_974_176_213_87, 3.674_312_264_397_680_7],
    [0.3, 0.273_509_465_456_335_64, 3.832_463_679_180_129],
];

/// Another impact speed, m/s: with the same λ nothing else changes.
const FAST: f64 = 4.0;

pub(super) fn collisions() -> Study {
    let checks = EXACT.iter().flat_map(|&[lambda, e, tau]| {
        [
            Check::new(
                format!("{lambda}/restitution"),
                format!("e at λ = {lambda}"),
                e,
                Tolerance::STEPPED,
            ),
            Check::new(
                format!("{lambda}/contact-time"),
                format!("τ_c at λ = {lambda}"),
                tau,
                Tolerance::STEPPED,
            ),
        ]
    });
    // (4) as printed: 2λ would be t* d/(u m).
    let printed = hertz_viscous_collision(0.1 / FAST, ContactEnd::Overlap).restitution;
    let faster = Check::new(
        "0.1/faster",
        format!("e at λ = 0.1 and {FAST} m/s"),
        EXACT[2][1],
        Tolerance::STEPPED,
    )
    .erratum(
        "ray (4)",
        format!(
            "(4) prints t* d/(u m) for 2λ and k u^½/(m t*^5/2) for 1: with this d, {printed:.6}"
        ),
    );
    Study {
        name: "ray-collision",
        source: "Ray, Kempe & Fröhlich, (6), (7)",
        summary: "A sphere hits a wall under Hertz's spring with a constant damper. Restitution and \
                  contact time depend on λ = d t*/(2m) alone.",
        engines: Engines::All,
        quick: true,
        checks: checks.chain([faster]).collect(),
        measure: Box::new(measure_collisions),
    }
}

fn measure_collisions(bench: &dyn Bench) -> Result<Measured> {
    let stiffness = 6e4;
    let unit = hertz_time_unit(stiffness, mass(), SPEED);
    let mut values = Vec::new();
    for [lambda, ..] in EXACT {
        let outcome = bench.collide(&viscous(stiffness, 2.0 * lambda * mass() / unit))?;
        values.extend([outcome.restitution, duration(&outcome) / unit]);
    }
    let unit = hertz_time_unit(stiffness, mass(), FAST);
    let faster = bench.collide(&Collision {
        speed: FAST,
        ..viscous(stiffness, 0.2 * mass() / unit)
    })?;
    let restitution = |lambda: f64| {
        [
            series_of(lambda, -5.131),
            series_of(lambda, 5.114),
            fit(lambda)[0],
        ]
    };
    let contact_time = |lambda: f64| {
        let first = |slope: f64| TAU_0 + slope * lambda;
        [first(1.152), first(1.150_66), fit(lambda)[1]]
    };
    let figures = vec![
        collision_figure("ray-restitution", "e", 0, &values, restitution),
        collision_figure("ray-contact-time", "τ_c", 1, &values, contact_time),
    ];
    values.push(faster.restitution);
    Ok(Measured { values, figures })
}

/// (41) with a coefficient of λ².
fn series_of(lambda: f64, second: f64) -> f64 {
    1.0 - 3.576 * lambda + second * lambda * lambda
}

/// `which`: 0 for restitution, 1 for contact time.
fn collision_figure(
    name: &'static str,
    quantity: &str,
    which: usize,
    measured: &[f64],
    formulas: impl Fn(f64) -> [f64; 3],
) -> Figure {
    let lambdas = || (0..=60).map(|k| 0.005 * f64::from(k));
    let line = |label: &str, style: Style, colour: usize, points: Vec<[f64; 2]>| Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    };
    let formula = |k: usize| lambdas().map(|l| [l, formulas(l)[k]]).collect();
    let exact = lambdas().map(|l| {
        let c = hertz_viscous_collision(l, ContactEnd::Overlap);
        [l, [c.restitution, c.contact_time][which]]
    });
    let points = EXACT
        .iter()
        .zip(measured.chunks(2))
        .map(|(row, pair)| [row[0], pair[which]]);
    let caption = format!(
        "{quantity}(λ): the exact solution, the series (41), (42) as printed and corrected, the \
         approximations (43), (44), and lahar."
    );
    Figure {
        name,
        drawing: Drawing::Plot(Plot {
            title: format!("Hertz with viscous damping: {quantity} against λ"),
            subtitle: "Ray, Kempe & Fröhlich, (41)–(44)".into(),
            x_label: "λ".into(),
            y_label: quantity.into(),
            curves: vec![
                line("series as printed", Style::Dashed, 3, formula(0)),
                line("series, corrected", Style::Dashed, 2, formula(1)),
                line("(43), (44)", Style::Line, 1, formula(2)),
                line("exact", Style::ThinLine, 7, exact.collect()),
                line("lahar", Style::Points, 0, points.collect()),
            ],
            ..Plot::default()
        }),
        caption,
    }
}
