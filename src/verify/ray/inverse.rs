//! Beyond the paper: an inverse without its error.

use super::{CONTACT_TIME, SPEED, TABLE_1, errors_of, mass, on_wall};
use crate::laws::adaptive::{adaptive_direct, adaptive_direct_paper};
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{NormalLaw, Pair};
use crate::verify::bench::duration;
use crate::verify::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

pub(super) fn improved_inverse() -> Study {
    let promised = Tolerance::absolute(1e-7, "what the polynomials promise");
    let checks = TABLE_1.iter().flat_map(|row| {
        let e = row.e;
        [("error-e", "e"), ("error-t", "T_c")].map(|(name, symbol)| {
            Check::new(
                format!("{e}/{name}"),
                format!("relative error of {symbol} by lahar's inverse, e = {e}"),
                0.0,
                promised,
            )
        })
    });
    Study {
        name: "ray-inverse",
        source: "Ray, Kempe & Fröhlich, section 5.2",
        summary: "lahar's direct inverse: polynomials in −ln e instead of (51), (52). Its errors stand \
                  beside those of Table 1.",
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let direct = |e: f64| adaptive_direct(e, CONTACT_TIME, SPEED, mass());
            let values = TABLE_1
                .iter()
                .flat_map(|row| errors_of(row.e, direct(row.e).into()));
            let figure = inverse_figure();
            Ok(Measured {
                values: values.collect(),
                figures: vec![figure],
            })
        }),
    }
}

fn inverse_figure() -> Figure {
    let restitutions = || (0..=60).map(|k| 0.4 + 0.01 * f64::from(k));
    let errors = |inverse: fn(f64, f64, f64, f64) -> (f64, f64), which: usize| {
        restitutions()
            .map(|e| {
                [
                    e,
                    errors_of(e, inverse(e, CONTACT_TIME, SPEED, mass()).into())[which],
                ]
            })
            .collect::<Vec<_>>()
    };
    let curve = |label: &str, style: Style, colour: usize, points: Vec<[f64; 2]>| Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    };
    let printed = |which: usize| {
        let printed = TABLE_1.iter().map(|row| [row.e, row.printed[4 + which]]);
        printed.filter(|p| p[1] > 1e-10).collect()
    };
    Figure {
        name: "ray-inverse",
        caption:
            "Relative errors of restitution and contact time with coefficients from the direct \
                  inverse: as printed in Table 1 (points), by (51)–(54) recomputed, and by lahar's \
                  polynomials. The printed ε_e at 0.4 and 0.6 and ε_T at 0.95 are errata."
                .into(),
        drawing: Drawing::Plot(Plot {
            title: "Direct inverse: errors of restitution and contact time".into(),
            subtitle: "Ray, Kempe & Fröhlich, Table 1".into(),
            x_label: "restitution".into(),
            y_label: "relative error".into(),
            curves: vec![
                curve(
                    "ε_e, (51)–(54)",
                    Style::Line,
                    0,
                    errors(adaptive_direct_paper, 0),
                ),
                curve(
                    "ε_T, (51)–(54)",
                    Style::Line,
                    1,
                    errors(adaptive_direct_paper, 1),
                ),
                curve("ε_e, lahar", Style::Dashed, 0, errors(adaptive_direct, 0)),
                curve("ε_T, lahar", Style::Dashed, 1, errors(adaptive_direct, 1)),
                curve("ε_e, printed", Style::Points, 0, printed(0)),
                curve("ε_T, printed", Style::Points, 1, printed(1)),
            ],
            log_y: true,
            ..Plot::default()
        }),
    }
}

pub(super) fn improved_inverse_through_the_engine() -> Study {
    let checks = TABLE_1.iter().flat_map(|row| {
        let e = row.e;
        [
            Check::new(
                format!("{e}/restitution"),
                format!("e, asked for {e}"),
                e,
                Tolerance::STEPPED,
            ),
            Check::new(
                format!("{e}/contact-time"),
                format!("T_c, asked for 10⁻² s, e = {e}, s"),
                CONTACT_TIME,
                Tolerance::STEPPED,
            ),
        ]
    });
    Study {
        name: "ray-adaptive",
        source: "Ray, Kempe & Fröhlich, Table 1",
        summary: "The adaptive law of lahar, which finds k and d at first touch, asked for the \
                  restitutions and the contact time of Table 1.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for row in &TABLE_1 {
                let pair = Pair {
                    restitution: Some(row.e),
                    ..Pair::new(0, 1)
                };
                let mut collision = on_wall(NormalLaw::HertzAdaptive, pair);
                collision.laws.contact_time = Some(CONTACT_TIME);
                let outcome = bench.collide(&collision)?;
                values.extend([outcome.restitution, duration(&outcome)]);
            }
            Ok(Measured::values(values))
        }),
    }
}
