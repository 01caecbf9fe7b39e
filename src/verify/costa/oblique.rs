//! Oblique impacts of steel and glass.

use super::{DIAMETER, Sphere};
use crate::error::Result;
use crate::render::{Colour, Curve, Plot, Style};
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

pub(super) fn oblique(sphere: &'static Sphere) -> Study {
    let tolerance = Tolerance::absolute(
        2e-4,
        "stick begins and ends within a step: first order at 500 steps in the contact",
    );
    let device = Tolerance::absolute(2e-6, Tolerance::DEVICE.reason);
    let mut checks: Vec<Check> = sphere
        .exact
        .iter()
        .map(|&[slip, expected]| {
            Check::new(
                format!("{slip}"),
                format!("Ψ_out at Ψ_in = {slip}"),
                expected,
                tolerance,
            )
            .on_devices(device)
        })
        .map(|check| match check.name.as_str() {
            "0.3" => {
                let forward = format!(
                    "(24) with t the direction of the slip at each instant would make it {:+.6}",
                    -check.expected
                );
                check.erratum("costa (24)", forward)
            }
            "1" => check.erratum(
                "costa Table IV",
                "Table IV lacks ν, without which there is no ψ (4) to compare: Ψ is",
            ),
            _ => check,
        })
        .collect();
    checks.push(
        Check::new(
            "walton/slip",
            "Ψ_out less Walton's line (9b) at Ψ_in = 1.5",
            0.0,
            Tolerance::absolute(
                1e-3,
                "no friction while a damped contact attracts at its end, 0.6 % of its duration",
            ),
        )
        .on_devices(device),
    );
    checks.push(
        Check::new(
            "walton/stick",
            "Ψ_out less Walton's line (9a) at Ψ_in = 0.3",
            0.0,
            Tolerance::absolute(
                1e-3,
                "brief slip where the normal force vanishes, at either end",
            ),
        )
        .on_devices(device),
    );
    let [slip, out] = sphere.exact[11];
    let spin = (out - slip) * 2.5 / 3.5;
    checks.push(
        Check::new(
            "spin",
            "R ω over the normal speed before, after Ψ_in = 1.5",
            spin,
            Tolerance::absolute(1e-7, "full slip: second order at 500 steps in the contact"),
        )
        .erratum("costa (42)", format!(
            "(42) prints T/(ρ_p I_p) for the angular acceleration, though I_p contains ρ_p: {:.3e}",
            spin / sphere.density
        ))
        .on_devices(device),
    );
    Study {
        name: sphere.name,
        source: sphere.source,
        summary: "Oblique impacts with spring, dashpot and slider, against the exact solution of the \
                  model and Walton's lines of stick and slip.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(|bench| measure_oblique(sphere, bench)),
    }
}

fn measure_oblique(sphere: &Sphere, bench: &dyn Bench) -> Result<Measured> {
    let mut points = Vec::new();
    let mut spin = f64::NAN;
    for [slip, _] in sphere.exact {
        let outcome = bench.collide(&sphere.impact(slip))?;
        points.push([slip, outcome.psi_out]);
        // Of the last, in full slip; the normal speed is 1 m/s.
        spin = outcome.spin[0].z * 0.5 * DIAMETER;
    }
    let beside_walton = |wanted: f64| {
        let found = points.iter().find(|point| point[0] == wanted);
        found.map_or(f64::NAN, |&[slip, out]| out - sphere.walton(slip))
    };
    let mut values: Vec<f64> = points.iter().map(|point| point[1]).collect();
    values.extend([beside_walton(1.5), beside_walton(0.3), spin]);
    let slips = (0..=150).map(|k| 0.01 * f64::from(k));
    let curve = |label: &str, points: Vec<[f64; 2]>, style: Style, colour: Colour| Curve {
        label: label.into(),
        points,
        style,
        colour,
    };
    let [blue, orange] = [0, 1].map(Colour::of_category);
    let walton = slips.map(|slip| [slip, sphere.walton(slip)]).collect();
    let figure = Figure {
        name: sphere.figure,
        caption: format!(
            "Rebound against incidence, {}: Walton's lines (9), the exact solution of the soft model, \
             and lahar. The paper plots ψ = 2(1−ν)Ψ/((2−ν)μ), for which Table IV lacks ν.",
            sphere.source.trim_start_matches("Costa et al., ")
        ),
        drawing: Drawing::Plot(Plot {
            title: "Oblique impact on a wall, dry".into(),
            subtitle: sphere.source.into(),
            x_label: "Ψ_in, slip over normal speed".into(),
            y_label: "Ψ_out".into(),
            curves: vec![
                curve("Walton (9)", walton, Style::Dashed, orange),
                curve("exact", sphere.exact.to_vec(), Style::ThinLine, Colour::INK),
                curve("lahar", points, Style::Points, blue),
            ],
            ..Plot::default()
        }),
    };
    Ok(Measured {
        values,
        figures: vec![figure],
    })
}
