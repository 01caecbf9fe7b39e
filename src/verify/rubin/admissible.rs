//! Which parameters lose energy at every incidence.

use super::{FRICTION, SLIP_RATIO, curve, rubin, shear_eta_loss};
use crate::laws::hard_sphere::{
    full_slip_obliquity, largest_rubin_exponent, largest_walton_restitution,
};
use crate::render::{Plot, Style};
use crate::verify::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

/// e, and the largest α of the smooth rule and of Walton's that never creates energy.
const LARGEST: [[f64; 3]; 5] = [
    [1.0, 1.0, 1.0],
    [0.95, 2.448_490_587_202_468_5, 1.177_226_406_734_603_4],
    [0.9, 3.530_422_000_746_786, 1.401_203_610_832_497_4],
    [0.8, 6.714_868_788_960_789, 2.089_918_256_130_790_3],
    [0.7, 13.863_376_420_492_27, 3.547_770_700_636_942_6],
];

pub(super) fn admissible() -> Study {
    let bisected = Tolerance::relative(1e-8, "found by bisection, ten digits");
    let mut checks = vec![
        Check::new(
            "angle/1",
            "obliquity of full slip, e = 1, degrees",
            64.536_654_938_128_38,
            Tolerance::ROUNDING,
        )
        .erratum("rubin 7", "section 7 has \"nearly 60°\""),
        Check::new(
            "angle/0.8",
            "obliquity of full slip, e = 0.8, degrees",
            62.116_659_379_551_79,
            Tolerance::ROUNDING,
        ),
    ];
    for [e, smooth, walton] in LARGEST {
        checks.push(Check::new(
            format!("{e}/smooth"),
            format!("largest α without a gain of energy, e = {e}"),
            smooth,
            bisected,
        ));
        checks.push(Check::new(
            format!("{e}/walton"),
            format!("largest β₀ without a gain of energy, e = {e}, Walton"),
            walton,
            bisected,
        ));
    }
    Study {
        name: "rubin-admissible",
        source: "Rubin, (3-9), (3-10), Figs. 7 and 8",
        summary: "Which exponents satisfy the dissipation inequality at every obliquity.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(|_| {
            let angle = |e| {
                full_slip_obliquity(e, FRICTION, SLIP_RATIO)
                    .atan()
                    .to_degrees()
            };
            let mut values = vec![angle(1.0), angle(0.8)];
            for [e, ..] in LARGEST {
                values.extend([
                    largest_rubin_exponent(e, FRICTION, SLIP_RATIO),
                    largest_walton_restitution(e, FRICTION, SLIP_RATIO),
                ]);
            }
            Ok(Measured {
                values,
                figures: vec![obliquity_figure(), inequality_figure()],
            })
        }),
    }
}

/// Fig. 7.
fn obliquity_figure() -> Figure {
    let line = |e: f64| {
        let full = full_slip_obliquity(e, FRICTION, SLIP_RATIO);
        let z = (0..=150).map(|k| 0.02 * f64::from(k));
        z.map(|z| [z, (z * full).atan().to_degrees()]).collect()
    };
    let curves = [1.0, 0.8, 0.5, 0.0].into_iter().enumerate();
    Figure {
        name: "rubin-obliquity",
        caption: "Angle of incidence against z, which is 1 where slip becomes full (Fig. 7)."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Obliquity against z".into(),
            subtitle: "Rubin, Fig. 7, μ_s = 0.3".into(),
            x_label: "z".into(),
            y_label: "angle of incidence in degrees".into(),
            curves: curves
                .map(|(k, e)| curve(&format!("e = {e}"), line(e), Style::Line, k))
                .collect(),
            ..Plot::default()
        }),
    }
}

/// Fig. 8.
fn inequality_figure() -> Figure {
    let line = |e: f64, alpha: f64| {
        let full = full_slip_obliquity(e, FRICTION, SLIP_RATIO);
        let z = (0..=100).map(|k| 0.02 * f64::from(k));
        z.map(|z| {
            let [_, eta, _] = shear_eta_loss(&rubin(e, alpha), e, z * full);
            [z, 1.0 - eta]
        })
        .collect()
    };
    let sets = [
        (1.0, 0.35),
        (1.0, 1.0),
        (1.0, 2.0),
        (0.8, 1.0),
        (0.8, 5.0),
        (0.8, 10.0),
    ];
    let curves = sets.into_iter().enumerate();
    Figure {
        name: "rubin-inequality",
        caption: "1 − η of the smooth rule against z (Fig. 8): below zero it creates energy, as with α > 1 \
                  at e = 1, or with α > 6.71 at e = 0.8."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "The dissipation inequality".into(),
            subtitle: "Rubin, Fig. 8, μ_s = 0.3".into(),
            x_label: "z".into(),
            y_label: "1 − η".into(),
            curves: curves
                .map(|(k, (e, alpha))| {
                    let label = format!("e = {e}, α = {alpha}");
                    curve(&label, line(e, alpha), Style::Line, k)
                })
                .collect(),
            ..Plot::default()
        }),
    }
}
