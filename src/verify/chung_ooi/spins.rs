//! Tests 6 to 8: spheres that spin.

use super::{FIRST_ORDER, curve, elastic, on_wall};
use crate::collide::Collision;
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::render::{Plot, Style};
use crate::scene::{Pair, Particle, Scene, TangentialLaw};
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use glam::DVec3;

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

pub(super) fn spinning() -> Study {
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

pub(super) fn opposite_spins() -> Study {
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
