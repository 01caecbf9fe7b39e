//! Chung & Ooi (2011): eight impacts that codes of the field are compared on.

use super::bench::{duration, head_on, materials};
use super::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::collide::{Collision, Step};
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::hertz::hertz_time_unit;
use crate::laws::material::sphere_mass;
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{Material, NormalLaw, Pair, Particle, Scene, TangentialLaw};
use glam::DVec3;

pub(super) fn studies() -> Vec<Study> {
    vec![
        elastic_pair(),
        elastic_wall(),
        restitution(),
        oblique(),
        oblique_elastic(),
        spinning(),
        opposite_spins(),
    ]
}

const FOUR_DIGITS: Tolerance = Tolerance::relative(2e-4, "four digits are published");
const THREE_DIGITS: Tolerance = Tolerance::relative(2e-3, "three digits are published");

/// Two equal elastic spheres.
fn elastic(radius: f64, young: f64, poisson: f64, density: f64, speed: f64) -> Collision {
    let pair = Pair {
        restitution: Some(1.0),
        ..Pair::new(0, 1)
    };
    Collision {
        radius: [radius; 2],
        material: materials([density; 2]).map(|material| Material {
            young: Some(young),
            poisson,
            ..material
        }),
        speed,
        ..head_on(NormalLaw::HertzTsuji, pair)
    }
}

/// The first of them on a rigid wall.
fn on_wall(mut collision: Collision) -> Collision {
    collision.wall = true;
    collision.material[1].young = Some(f64::INFINITY);
    collision
}

fn elastic_pair() -> Study {
    Study {
        name: "chung-ooi-1",
        source: "Chung & Ooi, test 1; LAMMPS dem02, Hertz peak force",
        summary: "Two equal elastic spheres meet head-on at ±10 m/s.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new("force", "largest force, N", 7108.0, FOUR_DIGITS),
            Check::new("overlap", "largest overlap, m", 3.683e-4, FOUR_DIGITS),
            Check::new("contact-time", "contact time, s", 5.42e-5, THREE_DIGITS),
            Check::new("glass", "largest force, glass, N", 1.0697e4, FOUR_DIGITS),
        ],
        measure: Box::new(|bench| {
            // ±10 m/s is 20 m/s against a sphere at rest.
            let outcome = bench.collide(&elastic(0.01, 2e10, 0.25, 2500.0, 20.0))?;
            let glass = bench.collide(&elastic(0.01, 48e9, 0.2, 2800.0, 20.0))?;
            Ok(Measured::values([
                outcome.max_force,
                outcome.max_overlap,
                duration(&outcome),
                glass.max_force,
            ]))
        }),
    }
}

fn elastic_wall() -> Study {
    Study {
        name: "chung-ooi-2",
        source: "Chung & Ooi, test 2; LAMMPS dem03, Hertz peak force on a wall",
        summary: "An elastic sphere hits a rigid wall at 0.2 m/s.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new("force", "largest force, N", 7233.0, FOUR_DIGITS),
            Check::new("overlap", "largest overlap, m", 5.212e-5, FOUR_DIGITS),
            Check::new("contact-time", "contact time, s", 7.67e-4, THREE_DIGITS),
            Check::new(
                "aluminium",
                "largest force, aluminium, N",
                1.137e4,
                Tolerance::relative(4.4e-4, "half of the last of four digits that are published"),
            ),
        ],
        measure: Box::new(|bench| {
            let outcome = bench.collide(&on_wall(elastic(0.1, 4e10, 0.35, 1800.0, 0.2)))?;
            let aluminium = bench.collide(&on_wall(elastic(0.1, 70e9, 0.3, 2699.0, 0.2)))?;
            Ok(Measured::values([
                outcome.max_force,
                outcome.max_overlap,
                duration(&outcome),
                aluminium.max_force,
            ]))
        }),
    }
}

const RESTITUTIONS: [f64; 5] = [0.2, 0.4, 0.6, 0.8, 1.0];

/// A constant dashpot from this λ on lets the sphere of Hertz's spring never come apart again; the
/// limit is 0.563994.
const STICKS: f64 = 0.6;

fn restitution() -> Study {
    let mut checks = vec![Check::new(
        "0",
        format!("restitution, asked for 0: a constant dashpot, λ = {STICKS}"),
        0.0,
        Tolerance::absolute(0.0, "the sphere never comes apart: exactly 0"),
    )];
    checks.extend(RESTITUTIONS.map(|e| {
        Check::new(
            format!("{e}"),
            format!("restitution, asked for {e}"),
            e,
            Tolerance::relative(
                6e-5,
                "500 steps in the contact; a damper that begins like δ^¼ costs some of the second order",
            ),
        )
    }));
    Study {
        name: "chung-ooi-3",
        source: "Chung & Ooi, test 3; LAMMPS dem01, head-on restitution",
        summary: "The sphere of test 2 with damping: restitution comes out as it went in. Tsuji's damper \
                  reaches e = 0 only in the limit, so that one has a dashpot beside Hertz's spring that \
                  is stronger than critical.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(|bench| {
            let sphere = on_wall(elastic(0.1, 4e10, 0.35, 1800.0, 0.2));
            let mut sticky = sphere.clone();
            let mass = sphere_mass(1800.0, 0.1);
            let stiffness = 4.0 / 3.0 * 4e10 / (1.0 - 0.35 * 0.35) * 0.1_f64.sqrt();
            sticky.laws.normal = NormalLaw::HertzViscous;
            sticky.pair.restitution = None;
            sticky.pair.damping =
                Some(2.0 * STICKS * mass / hertz_time_unit(stiffness, mass, sticky.speed));
            sticky.step = Step::PerContact(100.3);
            let mut values = vec![bench.collide(&sticky)?.restitution];
            for e in RESTITUTIONS {
                let mut sphere = sphere.clone();
                sphere.pair.restitution = Some(e);
                values.push(bench.collide(&sphere)?.restitution);
            }
            Ok(Measured::values(values))
        }),
    }
}

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

fn oblique() -> Study {
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

/// Why results with phases of stick converge slowly.
const FIRST_ORDER: &str =
    "stick begins and ends within a step: first order at 500 steps in the contact";

fn curve(label: &str, points: Vec<[f64; 2]>, style: Style, colour: usize) -> Curve {
    Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    }
}

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

fn oblique_elastic() -> Study {
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

/// x = 3.5 μ(1 + e) `v_n/v_s`, β as published, and β by the integration described above, test 6; full
/// slip, β = x − 1, up to x = 0.969.
const SPINS: [[f64; 3]; 17] = [
    [0.176, -0.82, -0.824],
    [0.352, -0.633, -0.648],
    [0.551, -0.445, -0.449],
    [0.771, -0.243, -0.229],
    [0.969, -0.028, -0.031],
    [1.19, 0.097, 0.085_161_276],
    [1.45, 0.119, 0.135_752_550],
    [1.74, 0.1, 0.143_282_252],
    [2.09, 0.058, 0.129_428_264],
    [2.49, 0.005, 0.101_173_907],
    [3.0, -0.05, 0.058_978_278],
    [3.63, -0.1, -0.005_821_933],
    [4.52, -0.14, -0.020_813_368],
    [5.75, -0.175, -0.025_477_479],
    [7.82, -0.208, -0.030_043_343],
    [11.9, -0.258, -0.034_391_784],
    [24.0, -0.342, -0.038_546_536],
];

fn spinning() -> Study {
    let mut checks = Vec::new();
    for [x, _, beta] in SPINS {
        let slips = x < 1.0;
        let tolerance = if slips {
            Tolerance::absolute(
                3e-6,
                "full slip: second order in the step, 500 in the contact",
            )
        } else {
            Tolerance::absolute(5e-5, FIRST_ORDER)
        };
        checks.push(
            Check::new(
                format!("{x}/wall"),
                format!(
                    "β of a spinning sphere on a wall, x = {x}{}",
                    if slips { ", full slip: x − 1" } else { "" }
                ),
                beta,
                tolerance,
            )
            .on_devices(Tolerance::absolute(
                2e-6,
                "f32, divided by a slip that shrinks like 1/x",
            )),
        );
    }
    for [x, ..] in SPINS {
        checks.push(
            Check::new(
                format!("{x}/heavy"),
                format!("β on a sphere of 1000 times the density and stiffness less that on a wall, x = {x}"),
                0.0,
                Tolerance::absolute(
                    2e-4,
                    "a partner of a thousand times the mass takes a thousandth, and the line of centres turns",
                ),
            )
            .on_devices(Tolerance::absolute(2e-6, "f32, divided by a small slip")),
        );
    }
    Study {
        name: "chung-ooi-6-8",
        source: "Chung & Ooi, tests 6 and 8; LAMMPS dem06, spin impact",
        summary: "A sphere that only spins before it hits a wall (6), or a second sphere of a thousand \
                  times its density and stiffness (8). β is minus the slip after over that before; on the \
                  wall against an integration of the same law to nine digits.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(measure_spinning),
    }
}

fn measure_spinning(bench: &dyn Bench) -> Result<Measured> {
    let (speed, friction, restitution) = (0.2, 0.4, 0.5);
    let mut sphere = elastic(0.1, 7e10, 0.33, 2700.0, speed);
    sphere.laws.tangential = TangentialLaw::Mindlin;
    // Without attraction friction acts throughout, and full slip is exact.
    sphere.laws.end = ContactEnd::Force;
    sphere.pair.restitution = Some(restitution);
    sphere.pair.friction = friction;
    let mut heavy = sphere.clone();
    heavy.material[1].density *= 1000.0;
    heavy.material[1].young = Some(7e13);
    let wall = on_wall(sphere);
    let beta = |collision: &Collision, x: f64| -> Result<f64> {
        let slip = 3.5 * friction * (1.0 + restitution) * speed / x;
        let outcome = bench.collide(&Collision {
            spin: slip / collision.radius[0],
            ..collision.clone()
        })?;
        Ok(-outcome.psi_out / outcome.psi_in)
    };
    let mut values = Vec::new();
    for [x, ..] in SPINS {
        values.push(beta(&wall, x)?);
    }
    for k in 0..SPINS.len() {
        values.push(beta(&heavy, SPINS[k][0])? - values[k]);
    }
    let lahar = SPINS
        .iter()
        .zip(&values)
        .map(|(row, &found)| [row[0], found]);
    let figure = Figure {
        name: "chung-ooi-6",
        caption: "Tangential restitution β of a spinning sphere on a wall, test 6: published, the law \
                  integrated to nine digits, and lahar. The published curve is for the full law of Mindlin \
                  & Deresiewicz without a tangential damper; full slip, x < 1, is the same for all."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Spin before impact".into(),
            subtitle: "Chung & Ooi, test 6".into(),
            x_label: "3.5 μ (1 + e) v_n/v_s".into(),
            y_label: "β".into(),
            curves: vec![
                curve(
                    "law, integrated",
                    SPINS.map(|[x, _, law]| [x, law]).to_vec(),
                    Style::Line,
                    2,
                ),
                curve(
                    "published",
                    SPINS.map(|[x, published, _]| [x, published]).to_vec(),
                    Style::Points,
                    1,
                ),
                curve("lahar", lahar.collect(), Style::Points, 0),
            ],
            ..Plot::default()
        }),
    };
    Ok(Measured {
        values,
        figures: vec![figure],
    })
}

/// Spins of test 7, rad/s: numbers that other units do not round.
const OPPOSITE: [f64; 5] = [2.0, 8.0, 32.0, 128.0, 512.0];

fn opposite_spins() -> Study {
    let exact = Tolerance::absolute(0.0, "the contact points move alike: no slip, to the bit");
    let mut checks = Vec::new();
    for spin in OPPOSITE {
        let check = |name: &str, quantity: &str| {
            Check::new(
                format!("{spin}/{name}"),
                format!("{quantity}, ±{spin} rad/s"),
                0.0,
                exact,
            )
        };
        checks.push(
            check("velocity", "largest tangential velocity after, m/s")
                .on_devices(Tolerance::EXACT),
        );
        checks.push(check("spin", "largest change of a spin, rad/s").on_devices(
            Tolerance::absolute(
                spin / 16_777_216.0,
                "the spin in another unit, rounded to f32",
            ),
        ));
        checks.push(Check::new(
            format!("{spin}/restitution"),
            format!("rebound over approach speed, ±{spin} rad/s"),
            0.5,
            Tolerance::relative(
                1e-3,
                "at the time step that lahar advises, a few hundred in the contact",
            ),
        ));
    }
    Study {
        name: "chung-ooi-7",
        source: "Chung & Ooi, test 7",
        summary: "Two equal spheres with opposite spins meet head-on: their contact points move alike, so \
                  nothing rubs, however fast they spin.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for spin in OPPOSITE {
                values.extend(meet_spinning(bench, spin)?);
            }
            Ok(Measured::values(values))
        }),
    }
}

/// Largest tangential velocity (m/s), largest change of spin (rad/s) and restitution of two spheres that
/// meet at ±0.2 m/s with opposite spins (rad/s).
fn meet_spinning(bench: &dyn Bench, spin: f64) -> Result<[f64; 3]> {
    let speed = 0.2;
    let spin = spin * DVec3::Z;
    let sphere = |side: f64| Particle {
        velocity: DVec3::X * -side * speed,
        spin: spin * -side,
        ..Particle::new(DVec3::X * side * 0.101, 0.1, 0)
    };
    let scene = Scene::builder()
        .domain(DVec3::splat(-1.0), DVec3::splat(1.0))
        .end_time(0.02)
        .material("aluminium", 2700.0, 7e10, 0.33)
        .pair(Pair {
            restitution: Some(0.5),
            friction: 0.4,
            ..Pair::new(0, 0)
        })
        .particle(sphere(-1.0))
        .particle(sphere(1.0))
        .build()?;
    let mut engine = bench.simulate(&scene)?;
    let before = engine.state()?;
    engine.run(crate::simulation::steps_until(0.02, before.time_step))?;
    let state = engine.state()?;
    let particles = &state.particles;
    let across = |v: &DVec3| v.y.abs().max(v.z.abs());
    let velocity = particles.velocity.iter().map(across).fold(0.0, f64::max);
    let turned = [0, 1].map(|k| {
        let side = if k == 0 { 1.0 } else { -1.0 };
        (particles.spin[k] - side * spin).length()
    });
    Ok([
        velocity,
        turned[0].max(turned[1]),
        particles.velocity[1].x / speed,
    ])
}
