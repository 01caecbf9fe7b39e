//! Three spheres in line.

use super::linear;
use crate::laws::material::sphere_mass;
use crate::scene::{Pair, Particle, Scene};
use crate::verify::{Check, Engines, Measured, Study, Tolerance};
use glam::DVec3;

/// Velocities (m/s) of three touching spheres after the first came in at 1 m/s: linear springs by Runge &
/// Kutta, 10⁵ steps in twelve natural times √(m/k), which 2·10⁴ steps repeat to eight digits.
const CRADLE: [f64; 3] = [-0.130_261_695, 0.150_229_57, 0.980_032_126];

pub(super) fn cradle() -> Study {
    let stepped = Tolerance::absolute(4e-5, "second order at 200 steps in a contact");
    let sooner_or_later = Tolerance::absolute(
        5e-5,
        "spheres that touch to within a rounding begin to at this step or at the next: second order in 200 steps",
    );
    let velocity = |name: &str, expected: f64| {
        Check::new(
            name,
            format!("velocity of the {name}, m/s"),
            expected,
            stepped,
        )
        .on_devices(sooner_or_later)
    };
    Study {
        name: "cradle",
        source: "Herrmann & Schmälzle (1981), cradle of linear springs",
        summary: "Three equal spheres that touch in line, elastic and linear; the first comes in at \
                  1 m/s. The outcome depends on neither stiffness nor mass, and is not that of one impact \
                  after the other.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            velocity("first", CRADLE[0]),
            velocity("second", CRADLE[1]),
            velocity("third", CRADLE[2]),
            Check::new(
                "energy",
                "kinetic energy after over before",
                1.0,
                Tolerance::relative(6e-5, "second order at 200 steps in a contact"),
            )
            .on_devices(sooner_or_later),
        ],
        measure: Box::new(|bench| {
            let radius = 0.01;
            let stiffness = 1e4;
            let mass = sphere_mass(2500.0, radius);
            let step = std::f64::consts::PI * (0.5 * mass / stiffness).sqrt() / 200.3;
            let sphere = |k: f64, speed: f64| Particle {
                velocity: DVec3::X * speed,
                ..Particle::new(DVec3::X * 2.0 * radius * k, radius, 0)
            };
            let scene = Scene::builder()
                .domain(DVec3::splat(-0.5), DVec3::splat(0.5))
                .end_time(1.0)
                .time_step(step)
                .contact(linear())
                .material("grain", 2500.0, None, 0.3)
                .pair(Pair {
                    stiffness: Some(stiffness),
                    restitution: Some(1.0),
                    ..Pair::new(0, 0)
                })
                .particles([sphere(0.0, 1.0), sphere(1.0, 0.0), sphere(2.0, 0.0)])
                .build()?;
            let mut engine = bench.simulate(&scene)?;
            engine.run(1000)?;
            let velocity = engine.state()?.particles.velocity;
            let energy: f64 = velocity.iter().map(|v| v.length_squared()).sum();
            Ok(Measured::values([
                velocity[0].x,
                velocity[1].x,
                velocity[2].x,
                energy,
            ]))
        }),
    }
}
