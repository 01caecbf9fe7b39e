//! Test 4: oblique impacts of alumina.

use super::{FIRST_ORDER, curve, elastic, on_wall};
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::render::{Plot, Style};
use crate::scene::TangentialLaw;
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

// References of tests 4 to 6: the law itself, Hertz's spring with Tsuji's damper until the force is zero,
// Mindlin's spring in its secant form with the damper 2√(5/6)β√(k_t m), and the slider. In δ = r⁴,
// dt = 4r³dp the right-hand sides are polynomials; integrated by Runge & Kutta in 64-bit mantissas with
// 50 000 and 200 000 steps, which agree to 10⁻⁹, and each change between stick and slip found by bisection.
// For e = 1 it gives the rows of tsuji_hertz.json, computed elsewhere, to all of 12 digits.

/// Angle in degrees and slip after over normal speed before, test 4, by that integration.
const OBLIQUE: [[f64; 2]; 15] = [
    [5.0, 0.071_335_423_1],
    [5.2, 0.069_468_184_4],
    [10.0, -0.007_461_994_7],
    [10.2, -0.010_671_714_0],
    [15.0, -0.075_898_251_4],
    [20.0, -0.116_755_365_5],
    [25.0, -0.121_696_844_0],
    [30.0, -0.059_170_362_6],
    [35.0, 0.062_647_538_2],
    [40.0, 0.201_539_631_2],
    [50.0, 0.554_193_592_6],
    [60.0, 1.094_490_807_6],
    [70.0, 2.109_917_419_5],
    [80.0, 5.033_721_819_6],
    [85.0, 10.792_492_302_8],
];

/// Kharaz, Gorham & Salman (2001): angle in degrees and ratio of tangential velocities; angle and spin in
/// rad/s; angle and angle of rebound of the contact point in degrees.
const KHARAZ: [[[f64; 2]; 13]; 3] = [
    [
        [5.2, 0.948],
        [10.2, 0.687],
        [15.0, 0.624],
        [20.0, 0.616],
        [25.0, 0.634],
        [30.0, 0.684],
        [35.0, 0.737],
        [40.0, 0.781],
        [50.0, 0.845],
        [60.0, 0.893],
        [70.0, 0.932],
        [80.0, 0.966],
        [85.0, 0.983],
    ],
    [
        [5.0, -19.3],
        [10.0, -213.0],
        [15.0, -378.0],
        [20.0, -511.0],
        [25.0, -599.0],
        [30.0, -617.0],
        [35.0, -582.0],
        [40.0, -545.0],
        [50.0, -457.0],
        [60.0, -357.0],
        [70.0, -246.0],
        [80.0, -126.0],
        [85.0, -63.0],
    ],
    [
        [5.0, 3.8],
        [10.0, -1.6],
        [15.0, -5.5],
        [20.0, -7.5],
        [25.0, -7.5],
        [30.0, -3.5],
        [35.0, 3.4],
        [40.0, 11.6],
        [50.0, 29.4],
        [60.0, 47.8],
        [70.0, 64.6],
        [80.0, 78.7],
        [85.0, 84.5],
    ],
];

/// Radius (m), speed (m/s), friction and restitution of test 4.
const ALUMINA: (f64, f64, f64, f64) = (2.5e-3, 3.9, 0.092, 0.98);

/// Ratio of tangential velocities, spin (rad/s) and angle of rebound (degrees) of test 4, from angle in
/// degrees and slip after over normal speed before.
fn of_oblique(angle: f64, slip: f64) -> [f64; 3] {
    let (radius, speed, _, restitution) = ALUMINA;
    let (sin, cos) = angle.to_radians().sin_cos();
    // The tangential impulse over m v_n: it changes the slip by 7/2 of what it changes the velocity by.
    let impulse = (slip - sin / cos) / 3.5;
    [
        1.0 + impulse * cos / sin,
        2.5 * impulse * cos * speed / radius,
        (slip / restitution).atan().to_degrees(),
    ]
}

/// From this angle on, degrees, the sphere slips throughout.
const FULL_SLIP: f64 = 37.0;

pub(super) fn oblique() -> Study {
    let sticks = [
        Tolerance::absolute(5e-5, FIRST_ORDER),
        Tolerance::absolute(2.5e-2, FIRST_ORDER),
        Tolerance::absolute(1.5e-3, FIRST_ORDER),
    ];
    let slips = [Tolerance::relative(
        1e-6,
        "full slip: μ times the normal impulse whatever the step, and that is second order in it",
    ); 3];
    let device = [
        Tolerance::absolute(2e-6, Tolerance::DEVICE.reason),
        Tolerance::absolute(2e-3, "f32, in units of v_n/R = 1500 rad/s"),
        Tolerance::absolute(2e-4, "f32, in units of a radian"),
    ];
    let checks = OBLIQUE.iter().flat_map(|&[angle, slip]| {
        let expected = of_oblique(angle, slip);
        let names = ["velocity", "spin", "rebound"];
        let quantities = [
            format!("ratio of tangential velocities at {angle}°"),
            format!("spin after an impact at {angle}°, rad/s"),
            format!("angle of rebound of the contact point at {angle}°, degrees"),
        ];
        let allowed = if angle > FULL_SLIP { slips } else { sticks };
        let checks = quantities
            .into_iter()
            .enumerate()
            .map(move |(k, quantity)| {
                let name = format!("{angle}/{}", names[k]);
                Check::new(name, quantity, expected[k], allowed[k]).on_devices(device[k])
            });
        checks.collect::<Vec<_>>()
    });
    Study {
        name: "chung-ooi-4",
        source: "Chung & Ooi, test 4; LAMMPS dem04, oblique impact",
        summary: "A sphere of aluminium oxide on a wall, Mindlin's spring with a slider, against an \
                  integration of the same law to nine digits. From 40° on it slips throughout and \
                  e_t = 1 − μ(1 + e)/tan θ. The measured points of Kharaz et al. are in the figures.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(measure_oblique),
    }
}

fn measure_oblique(bench: &dyn Bench) -> Result<Measured> {
    let (radius, speed, friction, restitution) = ALUMINA;
    let mut values = Vec::new();
    let mut points = [const { Vec::new() }; 3];
    for [angle, _] in OBLIQUE {
        let mut sphere = on_wall(elastic(radius, 3.8e11, 0.23, 4000.0, speed));
        sphere.laws.tangential = TangentialLaw::Mindlin;
        // Without attraction the tangential impulse in full slip is μ times the normal one, exactly.
        sphere.laws.end = ContactEnd::Force;
        sphere.pair.restitution = Some(restitution);
        sphere.pair.friction = friction;
        sphere.angle = angle.to_radians();
        let outcome = bench.collide(&sphere)?;
        let found = [
            outcome.velocity[0].y / (speed * sphere.angle.sin()),
            outcome.spin[0].z,
            (outcome.rebound_tangential_velocity / -outcome.rebound_normal_velocity)
                .atan()
                .to_degrees(),
        ];
        values.extend(found);
        for (points, value) in points.iter_mut().zip(found) {
            points.push([angle, value]);
        }
    }
    let parts: [(&'static str, &str, &str); 3] = [
        (
            "chung-ooi-4",
            "Tangential restitution",
            "tangential velocity after over before",
        ),
        ("chung-ooi-4-spin", "Spin after the impact", "spin in rad/s"),
        (
            "chung-ooi-4-rebound",
            "Angle of rebound of the contact point",
            "angle of rebound in degrees",
        ),
    ];
    let mut figures = Vec::new();
    for (k, points) in points.into_iter().enumerate() {
        let (name, what, y_label) = parts[k];
        let law = OBLIQUE.map(|[angle, slip]| [angle, of_oblique(angle, slip)[k]]);
        figures.push(Figure {
            name,
            caption: format!(
                "{what}, test 4: measured by Kharaz et al., the law integrated to nine digits, and lahar. \
                 Below 40° the sphere sticks for a while and the result depends on the tangential law."
            ),
            drawing: Drawing::Plot(Plot {
                title: "Oblique impact of an elastic sphere".into(),
                subtitle: "Chung & Ooi, test 4".into(),
                x_label: "angle of impact from the normal in degrees".into(),
                y_label: y_label.into(),
                curves: vec![
                    curve("law, integrated", law.to_vec(), Style::Line, 2),
                    curve("Kharaz et al.", KHARAZ[k].to_vec(), Style::Points, 1),
                    curve("lahar", points, Style::Points, 0),
                ],
                ..Plot::default()
            }),
        });
    }
    Ok(Measured { values, figures })
}
