//! Stick and slip of an elastic impact.

use super::SLIP_RATIO;
use crate::collide::Collision;
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{NormalLaw, Pair, TangentialLaw};
use crate::verify::bench::head_on;
use crate::verify::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

/// ψ = κΨ/μ before and after the impact of an elastic sphere with κ = `k_t/k_n` = 2(1 − ν)/(2 − ν), ν =
/// 0.22: linear spring and slider beside the exact normal motion, 5·10⁶ and 2·10⁷ steps, which agree to
/// the last digit but one. Full slip from 4χ − 1 = 5.1348 on.
const REGIMES: [[f64; 2]; 10] = [
    [0.5, 0.266_916_1],
    [1.0, 0.277_448_212],
    [2.0, -0.628_953_808],
    [3.0, -1.285_731_114],
    [4.2, -1.481_193_923],
    [4.7, -1.319_696_978],
    [5.0, -1.122_254_670],
    [5.3, -0.834_831_461],
    [6.0, -0.134_831_461],
    [8.0, 1.865_168_539],
];

pub(super) fn regimes() -> Study {
    const POISSON: f64 = 0.22;
    let ratio = 2.0 * (1.0 - POISSON) / (2.0 - POISSON);
    // (5): χ = (1 + 1/K²) κ/2.
    let chi = 0.5 * SLIP_RATIO * ratio;
    let checks = REGIMES.map(|[psi, expected]| {
        let tolerance = if psi > 4.0 * chi - 1.0 {
            Tolerance::absolute(5e-6, "full slip: second order at 500 steps in the contact")
        } else {
            Tolerance::absolute(
                2e-4,
                "stick begins and ends within a step: first order at 500 steps in the contact",
            )
        };
        let check = Check::new(
            format!("{psi}"),
            format!("ψ_out at ψ_in = {psi}, ν = {POISSON}"),
            expected,
            tolerance,
        )
        .on_devices(Tolerance::absolute(2e-5, "f32, in units of μ/κ of the speed"));
        if psi == 4.2 || psi == 4.7 || psi == 5.0 {
            check.erratum("costa Fig. 2", format!(
                "the caption of Fig. 2 has full slip from 4χ − 1 ≈ 4.2 on instead of {:.3}, which gives {:.6}",
                4.0 * chi - 1.0,
                psi - 4.0 * chi
            ))
        } else {
            check
        }
    });
    Study {
        name: "costa-regimes",
        source: "Costa et al., (4), (5), Fig. 2",
        summary: "Three regimes of an elastic oblique impact: it begins with stick up to ψ = 1, slips, sticks and \
                  slips up to 4χ − 1, and slips throughout beyond, ψ_out = ψ_in − 4χ.",
        engines: Engines::All,
        quick: true,
        checks: checks.to_vec(),
        measure: Box::new(move |bench| {
            let friction = 0.1;
            let mut points = Vec::new();
            for [psi, _] in REGIMES {
                let slip = psi * friction / ratio;
                let pair = Pair {
                    stiffness: Some(1e6),
                    restitution: Some(1.0),
                    tangential_stiffness: Some(1e6 * ratio),
                    friction,
                    ..Pair::new(0, 1)
                };
                let mut collision = head_on(NormalLaw::Linear, pair);
                collision.laws.tangential = TangentialLaw::Linear;
                let outcome = bench.collide(&Collision {
                    wall: true,
                    angle: slip.atan(),
                    speed: slip.hypot(1.0),
                    ..collision
                })?;
                points.push([psi, outcome.psi_out * ratio / friction]);
            }
            let curve = |label: &str, points: Vec<[f64; 2]>, style: Style, colour: usize| Curve {
                label: label.into(),
                points,
                style,
                colour: Colour::of_category(colour),
            };
            let line = |from: f64| vec![[from, from - 4.0 * chi], [8.0, 8.0 - 4.0 * chi]];
            let figure = Figure {
                name: "costa-regimes",
                caption: "Rebound against incidence of an elastic sphere, ν = 0.22 (Fig. 2): the line of full \
                          slip begins at 4χ − 1 = 5.135, not at 4.2."
                    .into(),
                drawing: Drawing::Plot(Plot {
                    title: "Stick and slip of an elastic impact".into(),
                    subtitle: "Costa et al., Fig. 2".into(),
                    x_label: "ψ in".into(),
                    y_label: "ψ out".into(),
                    curves: vec![
                        curve("exact, joined", REGIMES.to_vec(), Style::ThinLine, 2),
                        curve("full slip", line(4.0 * chi - 1.0), Style::Line, 1),
                        curve("from 4.2 on", line(4.2), Style::Dashed, 3),
                        curve("lahar", points.clone(), Style::Points, 0),
                    ],
                    ..Plot::default()
                }),
            };
            Ok(Measured {
                values: points.iter().map(|point| point[1]).collect(),
                figures: vec![figure],
            })
        }),
    }
}
