//! Chung & Ooi (2011): eight impacts that codes of the field are compared on.

use super::bench::{duration, head_on, materials};
use super::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::collide::Collision;
use crate::error::Result;
use crate::laws::ContactEnd;
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
        source: "Chung & Ooi, test 1",
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
        source: "Chung & Ooi, test 2",
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

fn restitution() -> Study {
    let checks = RESTITUTIONS.map(|e| {
        Check::new(
            format!("{e}"),
            format!("restitution, asked for {e}"),
            e,
            Tolerance::STEPPED_TSUJI,
        )
    });
    Study {
        name: "chung-ooi-3",
        source: "Chung & Ooi, test 3",
        summary: "The sphere of test 2 with damping: restitution comes out as it went in. (Test 3 also has \
                  e = 0, which no damper of Tsuji's reaches.)",
        engines: Engines::All,
        quick: true,
        checks: checks.to_vec(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for e in RESTITUTIONS {
                let mut sphere = on_wall(elastic(0.1, 4e10, 0.35, 1800.0, 0.2));
                sphere.pair.restitution = Some(e);
                values.push(bench.collide(&sphere)?.restitution);
            }
            Ok(Measured::values(values))
        }),
    }
}

/// Angle in degrees, ratio of tangential velocities: Kharaz, Gorham & Salman (2001).
const KHARAZ: [[f64; 2]; 13] = [
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
];

/// From this angle on, degrees, the sphere slips throughout.
const FULL_SLIP: f64 = 45.0;

fn oblique() -> Study {
    let slips = KHARAZ.iter().filter(|row| row[0] > FULL_SLIP);
    let checks = slips.flat_map(|&[angle, _]| {
        let (sin, cos) = angle.to_radians().sin_cos();
        let rubbed = 0.092 * 1.98 * cos;
        [
            Check::new(
                format!("{angle}/velocity"),
                format!("ratio of tangential velocities at {angle}°"),
                1.0 - rubbed / sin,
                Tolerance::STEPPED_TSUJI,
            ),
            Check::new(
                format!("{angle}/spin"),
                format!("spin after an impact at {angle}°, rad/s"),
                -2.5 * rubbed * 3.9 / 2.5e-3,
                Tolerance::STEPPED_TSUJI,
            ),
        ]
    });
    Study {
        name: "chung-ooi-4",
        source: "Chung & Ooi, test 4",
        summary: "A sphere of aluminium oxide on a wall, Mindlin's spring with a slider. In full slip the \
                  closed form is e_t = 1 − μ(1 + e)/tan θ; the measured points of Kharaz et al. are in \
                  the figure.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(measure_oblique),
    }
}

fn measure_oblique(bench: &dyn Bench) -> Result<Measured> {
    let mut values = Vec::new();
    let mut points = Vec::new();
    for [angle, _] in KHARAZ {
        let mut sphere = on_wall(elastic(2.5e-3, 3.8e11, 0.23, 4000.0, 3.9));
        sphere.laws.tangential = TangentialLaw::Mindlin;
        // Without attraction the tangential impulse in full slip is μ times the normal one, exactly.
        sphere.laws.end = ContactEnd::Force;
        sphere.pair.restitution = Some(0.98);
        sphere.pair.friction = 0.092;
        sphere.angle = angle.to_radians();
        let outcome = bench.collide(&sphere)?;
        let ratio = outcome.velocity[0].y / (sphere.speed * sphere.angle.sin());
        points.push([angle, ratio]);
        if angle > FULL_SLIP {
            values.extend([ratio, outcome.spin[0].z]);
        }
    }
    let figure = Figure {
        name: "chung-ooi-4",
        caption: "Tangential restitution of test 4: measured by Kharaz et al. and lahar. In the range of \
                  stick, below 40°, the result depends on the tangential law."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Oblique impact of an elastic sphere".into(),
            subtitle: "Chung & Ooi, test 4".into(),
            x_label: "angle of impact from the normal in degrees".into(),
            y_label: "tangential velocity after over before".into(),
            curves: vec![
                Curve {
                    label: "Kharaz et al.".into(),
                    points: KHARAZ.to_vec(),
                    style: Style::Points,
                    colour: Colour::of_category(1),
                },
                Curve {
                    label: "lahar".into(),
                    points,
                    style: Style::Line,
                    colour: Colour::of_category(0),
                },
            ],
            ..Plot::default()
        }),
    };
    Ok(Measured {
        values,
        figures: vec![figure],
    })
}

/// Slip over μ `v_n` before and after: Mindlin's spring in its secant form, ν = 0.3, e = 1, by an integration
/// to 12 digits.
const SECANT: [[f64; 2]; 5] = [
    [0.6071428571428571, 0.573633949257801],
    [1.8214285714285712, -0.11352217488909917],
    [3.6428571428571423, -1.2947645526444185],
    [5.4642857142857135, -1.3019863044667717],
    [7.285714285714285, 0.2857142857142857],
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
    let law = Tolerance::absolute(
        1e-3,
        "stick begins and ends within a step: first order at 500 steps in the contact",
    );
    let mut checks: Vec<Check> = SECANT
        .iter()
        .map(|&[slip, expected]| {
            Check::new(
                format!("{slip:.4}"),
                format!("slip after over μ v_n, {slip:.4} before"),
                expected,
                law,
            )
            .on_devices(Tolerance::absolute(
                2e-5,
                "f32, in units of μ v_n = 0.3 v_n",
            ))
        })
        .collect();
    for [slip, published] in MAW.into_iter().filter(|row| row[0] >= 10.0) {
        checks.push(
            Check::new(
                format!("published/{slip}"),
                format!("slip after over μ v_n, {slip} before, as published"),
                published,
                Tolerance::absolute(
                    0.02,
                    "two decimals are published, of points read off a diagram",
                ),
            )
            .on_devices(Tolerance::absolute(
                2e-5,
                "f32, in units of μ v_n = 0.3 v_n",
            )),
        );
    }
    Study {
        name: "chung-ooi-5",
        source: "Chung & Ooi, test 5",
        summary: "An elastic sphere of 10 µm on a wall. The reference is an integration of the same law, \
                  Mindlin's spring in its secant form; the points of Maw, Barber & Fawcett, whose contact \
                  slips in rings, are in the figure and, in full slip, in the table.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(measure_oblique_elastic),
    }
}

fn measure_oblique_elastic(bench: &dyn Bench) -> Result<Measured> {
    let friction = 0.3;
    let rebound = |slip: f64| -> Result<f64> {
        let mut sphere = on_wall(elastic(1e-5, 2.08e11, 0.3, 7850.0, 5.0));
        sphere.laws.tangential = TangentialLaw::Mindlin;
        sphere.pair.friction = friction;
        sphere.angle = (friction * slip).atan();
        sphere.speed = 5.0 * (friction * slip).hypot(1.0);
        Ok(bench.collide(&sphere)?.psi_out / friction)
    };
    let mut values = Vec::new();
    for [slip, _] in SECANT {
        values.push(rebound(slip)?);
    }
    let mut points = Vec::new();
    for [slip, _] in MAW {
        let out = rebound(slip)?;
        points.push([slip, out]);
        if slip >= 10.0 {
            values.push(out);
        }
    }
    let curve = |label: &str, points: Vec<[f64; 2]>, style: Style, colour: usize| Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    };
    let figure = Figure {
        name: "chung-ooi-5",
        caption:
            "Slip after against slip before, over μ v_n: Maw, Barber & Fawcett, and lahar with \
                  Mindlin's spring in its secant form, which is stiffer while the contact loads."
                .into(),
        drawing: Drawing::Plot(Plot {
            title: "Oblique impact of an elastic sphere".into(),
            subtitle: "Chung & Ooi, test 5".into(),
            x_label: "slip before over μ v_n".into(),
            y_label: "slip after over μ v_n".into(),
            curves: vec![
                curve("Maw et al.", MAW.to_vec(), Style::Points, 1),
                curve("lahar", points, Style::Line, 0),
            ],
            ..Plot::default()
        }),
    };
    Ok(Measured {
        values,
        figures: vec![figure],
    })
}

/// x = 3.5 μ(1 + e) `v_n/v_s` and β, as published.
const SPINS: [[f64; 2]; 14] = [
    [0.176, -0.82],
    [0.352, -0.633],
    [0.551, -0.445],
    [0.771, -0.243],
    [0.969, -0.028],
    [1.19, 0.097],
    [1.45, 0.119],
    [1.74, 0.1],
    [2.09, 0.058],
    [2.49, 0.005],
    [3.0, -0.05],
    [3.63, -0.1],
    [4.52, -0.14],
    [5.75, -0.175],
];

fn spinning() -> Study {
    let mut checks = Vec::new();
    for [x, _] in SPINS.into_iter().filter(|row| row[0] < 0.6) {
        checks.push(
            Check::new(
                format!("{x}/slip"),
                format!("β of a spinning sphere on a wall, x = {x}, full slip: x − 1"),
                x - 1.0,
                Tolerance::STEPPED_TSUJI,
            )
            .on_devices(Tolerance::absolute(
                2e-6,
                "of the slip before: the slip after is a difference of two f32 velocities",
            )),
        );
    }
    for [x, _] in SPINS {
        checks.push(
            Check::new(
                format!("{x}/heavy"),
                format!("β on a sphere of 1000 times the density and stiffness less that on a wall, x = {x}"),
                0.0,
                Tolerance::absolute(0.02, "the published allowance; the mass alone makes 0.001"),
            )
            .on_devices(Tolerance::absolute(1e-5, "f32, divided by a small slip")),
        );
    }
    Study {
        name: "chung-ooi-6-8",
        source: "Chung & Ooi, tests 6 and 8",
        summary: "A sphere that only spins before it hits a wall (6), or a second sphere of a thousand \
                  times its density and stiffness (8). β is minus the slip after over that before.",
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
    let mut on_the_wall = Vec::new();
    for [x, _] in SPINS {
        on_the_wall.push(beta(&wall, x)?);
    }
    let mut values: Vec<f64> = SPINS
        .iter()
        .zip(&on_the_wall)
        .filter(|(row, _)| row[0] < 0.6)
        .map(|(_, &found)| found)
        .collect();
    for ([x, _], found) in SPINS.into_iter().zip(&on_the_wall) {
        values.push(beta(&heavy, x)? - found);
    }
    let curve = |label: &str, points: Vec<[f64; 2]>, style: Style, colour: usize| Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    };
    let lahar = SPINS
        .iter()
        .zip(&on_the_wall)
        .map(|(row, &found)| [row[0], found]);
    let figure = Figure {
        name: "chung-ooi-6",
        caption: "Tangential restitution β of a spinning sphere on a wall, test 6: published, and lahar. \
                  The published curve is for the full law of Mindlin & Deresiewicz; full slip, x < 0.6, is \
                  the same for all."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Spin before impact".into(),
            subtitle: "Chung & Ooi, test 6".into(),
            x_label: "3.5 μ (1 + e) v_n/v_s".into(),
            y_label: "β".into(),
            curves: vec![
                curve("published", SPINS.to_vec(), Style::Points, 1),
                curve("lahar", lahar.collect(), Style::Line, 0),
            ],
            ..Plot::default()
        }),
    };
    Ok(Measured {
        values,
        figures: vec![figure],
    })
}

fn opposite_spins() -> Study {
    let exact = Tolerance::absolute(0.0, "the contact points move alike: no slip, to the bit");
    let check = |name: &str, quantity: &str| {
        Check::new(name, quantity, 0.0, exact).on_devices(Tolerance::EXACT)
    };
    Study {
        name: "chung-ooi-7",
        source: "Chung & Ooi, test 7",
        summary: "Two equal spheres with opposite spins meet head-on: their contact points move alike, so \
                  nothing rubs.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            check("velocity", "largest tangential velocity after, m/s"),
            check("spin", "largest change of a spin, rad/s").on_devices(Tolerance::absolute(
                128.0 / 16_777_216.0,
                "a spin of 128 rad/s in another unit, rounded to f32",
            )),
            check("apart", "spheres still in contact"),
        ],
        measure: Box::new(|bench| {
            let spin = 128.0 * DVec3::Z;
            let sphere = |side: f64| Particle {
                velocity: DVec3::X * -side * 0.2,
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
            #[allow(clippy::cast_precision_loss, reason = "one contact at most")]
            let contacts = state.contacts.len() as f64;
            Ok(Measured::values([
                velocity,
                turned[0].max(turned[1]),
                contacts,
            ]))
        }),
    }
}
