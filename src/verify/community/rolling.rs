//! From slip to rolling, and rolling to rest.

use super::{GRAVITY, above_floor, linear};
use crate::laws::material::sphere_mass;
use crate::scene::{ContactLaws, Pair, Particle, RollingLaw, TangentialLaw};
use crate::verify::{Check, Engines, Measured, Study, Tolerance};
use glam::DVec3;

pub(super) fn slip_to_roll() -> Study {
    Study {
        name: "mfix-slip-to-roll",
        source: "MFIX DEM04; LAMMPS dem05, slip to roll",
        summary: "A grain put on a floor with a horizontal speed u₀ = 0.1 m/s slides, is slowed by \
                  friction, and rolls from t_s = 2u₀/(7μg) on at 5u₀/7.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "sliding",
                "speed at t_s/2 over u₀ − μ g t_s/2",
                1.0,
                Tolerance::relative(
                    1e-11,
                    "rounding: the spring is stretched to its limit within the first of 4000 steps",
                ),
            ),
            Check::new(
                "time",
                "when the slip first vanishes over t_s = 2u₀/(7μg)",
                1.0,
                Tolerance::relative(
                    2e-5,
                    "spring and dashpot take over c/k = 3·10⁻⁴ t_s before; a straight line between two steps",
                ),
            )
            .on_devices(Tolerance::relative(
                2e-5,
                "f32 spins and velocities, whose difference vanishes there",
            )),
            Check::new(
                "rolling",
                "speed at 2 t_s over 5u₀/7",
                1.0,
                Tolerance::relative(
                    1e-11,
                    "friction conserves the angular momentum about the floor; rounding of 16 000 steps",
                ),
            ),
            Check::new(
                "spin",
                "R ω over speed at 2 t_s",
                1.0,
                Tolerance::relative(
                    1e-12,
                    "the spring has rung out a hundred periods before",
                ),
            ),
        ],
        measure: Box::new(|bench| {
            let (radius, density, friction, speed) = (5e-4, 1e4, 0.2, 0.1);
            let stiffness = 1e4;
            let laws = ContactLaws {
                tangential: TangentialLaw::Linear,
                ..linear()
            };
            let mass = sphere_mass(density, radius);
            let pair = Pair {
                stiffness: Some(stiffness),
                restitution: Some(0.9),
                tangential_stiffness: Some(stiffness),
                tangential_damping: Some(0.2 * (stiffness * mass).sqrt()),
                friction,
                ..Pair::new(0, 0)
            };
            let slides = 2.0 * speed / (7.0 * friction * GRAVITY);
            let scene = above_floor(laws, density, pair)
                .domain(DVec3::splat(-0.1), DVec3::splat(0.1))
                .end_time(2.0 * slides)
                .time_step(slides / 8000.0)
                .particle(Particle {
                    velocity: DVec3::X * speed,
                    ..Particle::new(DVec3::Z * (radius - mass * GRAVITY / stiffness), radius, 0)
                })
                .build()?;
            let mut engine = bench.simulate(&scene)?;
            engine.run(4000)?;
            let sliding = engine.state()?.particles.velocity[0].x;
            engine.run(3980)?;
            let mut ends = f64::NAN;
            let mut before = f64::INFINITY;
            for k in 1..=40 {
                engine.run(1)?;
                let particles = engine.state()?.particles;
                let slip = particles.velocity[0].x - radius * particles.spin[0].y;
                if before > 0.0 && slip <= 0.0 {
                    ends = (7980.0 + f64::from(k) - slip / (slip - before)) / 8000.0;
                    break;
                }
                before = slip;
            }
            let done = engine.state()?.step;
            engine.run(16_000 - done)?;
            let state = engine.state()?;
            let rolling = state.particles.velocity[0].x;
            Ok(Measured::values([
                sliding / (speed - friction * GRAVITY * 0.5 * slides),
                ends,
                rolling / (5.0 / 7.0 * speed),
                radius * state.particles.spin[0].y / rolling,
            ]))
        }),
    }
}

pub(super) fn rolling_decay() -> Study {
    Study {
        name: "rolling-decay",
        source: "LAMMPS dem07, rolling decay",
        summary: "A grain that rolls without slip is slowed by rolling resistance at (5/7) μ_r g.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "deceleration",
                "deceleration over (5/7) μ_r g",
                1.0,
                Tolerance::relative(
                    1e-9,
                    "steady: the tangential spring rang out in the 4000 steps before; rounding of the rest",
                ),
            )
            .on_devices(Tolerance::relative(
                4e-5,
                "a difference of f32 velocities, a fifth of either",
            )),
        ],
        measure: Box::new(|bench| {
            let (radius, density, friction, speed) = (5e-3, 2500.0, 0.01, 0.2);
            let stiffness = 1e4;
            let laws = ContactLaws {
                tangential: TangentialLaw::Linear,
                rolling: RollingLaw::Constant,
                ..linear()
            };
            let mass = sphere_mass(density, radius);
            let pair = Pair {
                stiffness: Some(stiffness),
                restitution: Some(0.9),
                tangential_stiffness: Some(stiffness),
                tangential_damping: Some(0.2 * (stiffness * mass).sqrt()),
                friction: 0.5,
                rolling_friction: friction,
                ..Pair::new(0, 0)
            };
            let step = 1e-5;
            let scene = above_floor(laws, density, pair)
                .domain(DVec3::splat(-1.0), DVec3::splat(1.0))
                .end_time(0.2)
                .time_step(step)
                .particle(Particle {
                    velocity: DVec3::X * speed,
                    spin: DVec3::Y * speed / radius,
                    ..Particle::new(DVec3::Z * (radius - mass * GRAVITY / stiffness), radius, 0)
                })
                .build()?;
            let mut engine = bench.simulate(&scene)?;
            engine.run(4000)?;
            let before = engine.state()?.particles.velocity[0].x;
            engine.run(16_000)?;
            let after = engine.state()?.particles.velocity[0].x;
            let deceleration = (before - after) / (16_000.0 * step);
            Ok(Measured::values([
                deceleration / (5.0 / 7.0 * friction * GRAVITY)
            ]))
        }),
    }
}
