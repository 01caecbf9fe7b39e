//! Test 5: oblique elastic impacts.

use super::{FIRST_ORDER, curve, elastic, on_wall};
use crate::error::Result;
use crate::render::{Plot, Style};
use crate::scene::TangentialLaw;
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

/// Slip over μ `v_n` before and after, test 5 (ν = 0.3, e = 1), by the integration described above; full
/// slip from 6.5 on, where it takes 7.
const ELASTIC: [[f64; 2]; 21] = [
    [0.066, 0.063_015_723_869],
    [0.3, 0.286_138_045_261],
    [0.67, 0.628_293_421_773],
    [1.0, 0.666_837_009_837],
    [1.34, 0.359_899_137_732],
    [1.7, 0.002_113_709_934],
    [2.0, -0.276_257_885_428],
    [2.5, -0.679_343_678_859],
    [2.99, -0.995_635_132_993],
    [3.34, -1.173_483_803_039],
    [3.7, -1.314_207_996_262],
    [4.0, -1.397_980_924_720],
    [4.5, -1.466_182_632_811],
    [5.0, -1.435_637_229_505],
    [5.5, -1.286_776_106_492],
    [6.0, -0.981_405_757_450],
    [6.5, -0.5],
    [7.0, 0.0],
    [8.0, 1.0],
    [10.0, 3.0],
    [13.0, 6.0],
];

/// Slip over μ `v_n` before and after: Maw, Barber & Fawcett (1976), as published.
const MAW: [[f64; 2]; 11] = [
    [0.066, -0.08],
    [0.67, -0.49],
    [1.34, -1.0],
    [2.0, -1.53],
    [2.99, -2.44],
    [3.34, -2.69],
    [4.0, -2.79],
    [5.0, -2.0],
    [6.0, -1.01],
    [10.0, 3.01],
    [13.0, 6.01],
];

pub(super) fn oblique_elastic() -> Study {
    let device = Tolerance::absolute(2e-5, "f32, in units of μ v_n = 0.3 v_n");
    let mut checks = Vec::new();
    for [slip, expected] in ELASTIC {
        let tolerance = if slip > 6.2 {
            Tolerance::absolute(
                5e-6,
                "full slip: second order in the step, and positions in units of 10⁻⁹ radii",
            )
        } else {
            Tolerance::absolute(2e-4, FIRST_ORDER)
        };
        checks.push(Check::new(
            format!("{slip}/slip"),
            format!("slip after over μ v_n, {slip} before"),
            expected,
            tolerance,
        ));
        checks.push(Check::new(
            format!("{slip}/spin"),
            format!("R ω over μ v_n after, slip {slip} before; −5 in full slip"),
            (expected - slip) * 2.5 / 3.5,
            tolerance,
        ));
    }
    for [slip, published] in MAW.into_iter().filter(|row| row[0] >= 10.0) {
        checks.push(Check::new(
            format!("published/{slip}"),
            format!("slip after over μ v_n, {slip} before, as published"),
            published,
            Tolerance::absolute(
                0.011,
                "two decimals are published, of points read off a diagram: one in the last of them",
            ),
        ));
    }
    Study {
        name: "chung-ooi-5",
        source: "Chung & Ooi, test 5; LAMMPS dem04, oblique impact",
        summary: "An elastic sphere of 10 µm on a wall. The reference is an integration of the same law, \
                  Mindlin's spring in its secant form; the points of Maw, Barber & Fawcett, whose contact \
                  slips in rings, are in the figure and, in full slip, in the table.",
        engines: Engines::All,
        quick: true,
        checks: checks
            .into_iter()
            .map(|check| check.on_devices(device))
            .collect(),
        measure: Box::new(measure_oblique_elastic),
    }
}

fn measure_oblique_elastic(bench: &dyn Bench) -> Result<Measured> {
    let friction = 0.3;
    let mut values = Vec::new();
    let mut points = Vec::new();
    for [slip, _] in ELASTIC {
        let mut sphere = on_wall(elastic(1e-5, 2.08e11, 0.3, 7850.0, 5.0));
        sphere.laws.tangential = TangentialLaw::Mindlin;
        sphere.pair.friction = friction;
        sphere.angle = (friction * slip).atan();
        sphere.speed = 5.0 * (friction * slip).hypot(1.0);
        let outcome = bench.collide(&sphere)?;
        let out = outcome.psi_out / friction;
        values.extend([out, outcome.spin[0].z * 1e-5 / (friction * 5.0)]);
        points.push([slip, out]);
    }
    for [slip, _] in MAW.into_iter().filter(|row| row[0] >= 10.0) {
        let found = points.iter().find(|point| point[0] == slip);
        values.push(found.map_or(f64::NAN, |point| point[1]));
    }
    let figure = Figure {
        name: "chung-ooi-5",
        caption: "Slip after against slip before, over μ v_n: Maw, Barber & Fawcett, Mindlin's spring in its \
                  secant form (stiffer while the contact loads) integrated to 12 digits, and lahar."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Oblique impact of an elastic sphere".into(),
            subtitle: "Chung & Ooi, test 5".into(),
            x_label: "slip before over μ v_n".into(),
            y_label: "slip after over μ v_n".into(),
            curves: vec![
                curve("law, integrated", ELASTIC.to_vec(), Style::Line, 2),
                curve("Maw et al.", MAW.to_vec(), Style::Points, 1),
                curve("lahar", points, Style::Points, 0),
            ],
            ..Plot::default()
        }),
    };
    Ok(Measured {
        values,
        figures: vec![figure],
    })
}
