//! Cases with an answer on paper, through the whole engine.

use crate::beds::RADIUS;
use glam::DVec3;
use lahar::scene::*;
use lahar::state::WALL;
use lahar::{Simulation, simulation::Backend};
use std::f64::consts::PI;

const GRAVITY: f64 = 9.81;

fn laws(normal: NormalLaw, tangential: TangentialLaw, rolling: RollingLaw) -> ContactLaws {
    ContactLaws {
        normal,
        tangential,
        rolling,
        ..ContactLaws::default()
    }
}

fn builder(laws: ContactLaws, pair: Pair) -> SceneBuilder {
    Scene::builder()
        .domain(DVec3::splat(-2.0), DVec3::splat(2.0))
        .end_time(10.0)
        .contact(laws)
        .material("glass", 2500.0, 5e6, 0.25)
        .pair(pair)
}

fn floor() -> WallShape {
    WallShape::Plane {
        point: DVec3::ZERO,
        normal: DVec3::Z,
    }
}

fn glass() -> Pair {
    Pair {
        restitution: Some(0.5),
        friction: 0.5,
        ..Pair::new(0, 0)
    }
}

/// A sphere on a wall of every kind stays where it came to rest.
#[test]
fn a_sphere_rests_on_every_kind_of_wall() {
    let hollow = 0.1;
    let along = |side, length| WallShape::Cylinder {
        point: DVec3::new(-0.05, 0.0, 0.0),
        axis: DVec3::X,
        length,
        radius: hollow,
        side,
    };
    let down = |height: f64| (height * DVec3::Z, DVec3::NEG_Z);
    let bottom = down(-hollow + RADIUS);
    // On the flank of the funnel, pulled straight towards it.
    let flank = DVec3::new(1.0, 0.0, -1.0).normalize();
    let cases = [
        ("plane", floor(), down(RADIUS)),
        (
            "box",
            WallShape::Box {
                lower: DVec3::splat(-0.05),
                upper: DVec3::splat(0.05),
                faces: [true; 6],
            },
            down(-0.05 + RADIUS),
        ),
        ("cylinder", along(Side::Inside, None), bottom),
        (
            "piece of a cylinder",
            along(Side::Inside, Some(0.1)),
            bottom,
        ),
        (
            "sphere",
            WallShape::Sphere {
                center: DVec3::ZERO,
                radius: hollow,
                side: Side::Inside,
            },
            bottom,
        ),
        (
            "cone",
            WallShape::Cone {
                point: DVec3::ZERO,
                axis: DVec3::Z,
                length: 0.1,
                radii: [0.0, 0.1],
                side: Side::Inside,
            },
            (DVec3::new(0.05, 0.0, 0.05) - RADIUS * flank, flank),
        ),
        // On top of the outside, held by symmetry alone.
        (
            "cylinder from outside",
            along(Side::Outside, None),
            down(hollow + RADIUS),
        ),
    ];
    for (name, shape, (touching, down)) in cases {
        let scene = builder(ContactLaws::default(), glass())
            .gravity(GRAVITY * down)
            .expected_speed(0.2)
            .wall("wall", 0, shape)
            .particle(Particle::new(touching - 1e-5 * down, RADIUS, 0))
            .build()
            .unwrap();
        let mut simulation = Simulation::with_threads(scene, 1).unwrap();
        simulation.run(6000).unwrap();
        let settled = simulation.snapshot().unwrap();
        assert!(!settled.contacts.is_empty(), "{name}: no contact");
        simulation.run(10_000).unwrap();
        let state = simulation.snapshot().unwrap();
        let drift = (state.position(0) - settled.position(0)).length();
        assert!(
            drift < 1e-6 * RADIUS,
            "{name}: drifted {:e} radii",
            drift / RADIUS
        );
        let weight = lahar::laws::material::sphere_mass(2500.0, RADIUS) * GRAVITY;
        let carried = state.wall_forces.iter().map(|f| f.dot(down)).sum::<f64>();
        assert!(
            (carried / weight - 1.0).abs() < 1e-6,
            "{name}: carries {carried} N"
        );
    }
}

/// Gravity tilted by `slope` (its tangent) on a floor.
fn tilted(slope: f64) -> DVec3 {
    let angle = slope.atan();
    GRAVITY * DVec3::new(angle.sin(), 0.0, -angle.cos())
}

/// On a slope: rests while the tangent is below the coefficient of rolling friction.
#[test]
fn rolling_friction_holds_a_sphere_on_a_slope() {
    let rolling_friction = 0.1;
    for (slope, rests) in [(0.05, true), (0.095, true), (0.105, false), (0.2, false)] {
        let pair = Pair {
            rolling_friction,
            rolling_damping: 0.3,
            ..glass()
        };
        let laws = laws(
            NormalLaw::HertzTsuji,
            TangentialLaw::Mindlin,
            RollingLaw::Spring,
        );
        let scene = builder(laws, pair)
            .gravity(tilted(slope))
            .expected_speed(0.2)
            .wall("floor", 0, floor())
            .particle(Particle::new(DVec3::Z * RADIUS * 0.99997, RADIUS, 0))
            .build()
            .unwrap();
        let mut simulation = Simulation::with_threads(scene, 1).unwrap();
        simulation.run_until(0.5).unwrap();
        let before = simulation.snapshot().unwrap().particles.velocity[0].x;
        simulation.run_until(1.0).unwrap();
        let speed = simulation.snapshot().unwrap().particles.velocity[0].x;
        // Beyond the limit it rolls off at (5/7)(g sin − μ_r g cos).
        let rolls_off = 5.0 / 7.0 * (tilted(slope).x + rolling_friction * tilted(slope).z);
        let gained = (speed - before) / 0.5;
        if rests {
            assert!(speed.abs() < 1e-6, "slope {slope}: rolls at {speed} m/s");
        } else {
            assert!(
                (gained / rolls_off - 1.0).abs() < 1e-2,
                "slope {slope}: gains {gained} m/s², expected {rolls_off}"
            );
        }
    }
}

/// A rolling sphere is slowed at `(5/7) μ_r g`.
#[test]
fn rolling_friction_slows_a_rolling_sphere() {
    for rolling in [RollingLaw::Constant, RollingLaw::Spring] {
        let rolling_friction = 0.02;
        let pair = Pair {
            rolling_friction,
            rolling_damping: 0.3,
            ..glass()
        };
        let speed = 0.5;
        let scene = builder(
            laws(NormalLaw::HertzTsuji, TangentialLaw::Mindlin, rolling),
            pair,
        )
        .gravity(-GRAVITY * DVec3::Z)
        .expected_speed(0.2)
        .wall("floor", 0, floor())
        .particle(Particle {
            velocity: speed * DVec3::X,
            spin: speed / RADIUS * DVec3::Y,
            ..Particle::new(DVec3::Z * RADIUS * 0.99997, RADIUS, 0)
        })
        .build()
        .unwrap();
        let mut simulation = Simulation::with_threads(scene, 1).unwrap();
        simulation.run_until(0.1).unwrap();
        let start = simulation.snapshot().unwrap();
        simulation.run_until(0.5).unwrap();
        let end = simulation.snapshot().unwrap();
        let slowed = (start.particles.velocity[0].x - end.particles.velocity[0].x)
            / (end.time() - start.time());
        let expected = 5.0 / 7.0 * rolling_friction * GRAVITY;
        // The sphere sinks in by 1e-5 radii and bounces a little; the rest is exact.
        assert!(
            (slowed / expected - 1.0).abs() < 1e-3,
            "{rolling:?}: {slowed}, expected {expected}"
        );
    }
}

/// Sliding turns into rolling at 5/7 of the speed, whatever the friction (MFIX DEM04).
#[test]
fn sliding_turns_into_rolling_at_five_sevenths() {
    for tangential in [TangentialLaw::Coulomb, TangentialLaw::Mindlin] {
        for friction in [0.1, 0.3, 0.8] {
            let speed = 1.0;
            let scene = builder(
                laws(NormalLaw::HertzTsuji, tangential, RollingLaw::None),
                Pair {
                    friction,
                    ..glass()
                },
            )
            .gravity(-GRAVITY * DVec3::Z)
            .expected_speed(0.2)
            .wall("floor", 0, floor())
            .particle(Particle {
                velocity: speed * DVec3::X,
                ..Particle::new(DVec3::Z * RADIUS * 0.99997, RADIUS, 0)
            })
            .build()
            .unwrap();
            let mut simulation = Simulation::with_threads(scene, 1).unwrap();
            // Rolls after (2/7) v/(μ g).
            simulation
                .run_until(1.3 * 2.0 / 7.0 * speed / (friction * GRAVITY))
                .unwrap();
            let state = simulation.snapshot().unwrap();
            let (v, spin) = (state.particles.velocity[0].x, state.particles.spin[0].y);
            // Torque arm and moment of inertia give exactly 5/7; a Mindlin spring still swings.
            assert!(
                (v - 5.0 / 7.0).abs() < 2e-3,
                "{tangential:?} μ {friction}: {v}"
            );
            assert!(
                (v - spin * RADIUS).abs() < 5e-3,
                "{tangential:?} μ {friction}: slips"
            );
        }
    }
}

/// The steady pull that a cohesive contact with a ceiling just bears.
fn hangs(cohesion: CohesionLaw, work: f64, acceleration: f64) -> bool {
    let laws = ContactLaws {
        cohesion,
        tangential: TangentialLaw::None,
        ..ContactLaws::default()
    };
    let pair = Pair {
        work_of_adhesion: work,
        ..glass()
    };
    // Pressed against the ceiling first, then pulled by slowly growing gravity: here, started close
    // to the depth of pull-off and pulled at once, with strong damping.
    let scene = |gravity: f64, z: f64, velocity: f64| {
        builder(laws, pair)
            .gravity(-gravity * DVec3::Z)
            .leaving(Leaving::Remove)
            .expected_speed(0.2)
            .wall(
                "ceiling",
                0,
                WallShape::Plane {
                    point: DVec3::ZERO,
                    normal: DVec3::NEG_Z,
                },
            )
            .particle(Particle {
                velocity: velocity * DVec3::Z,
                ..Particle::new(z * DVec3::Z, RADIUS, 0)
            })
            .build()
            .unwrap()
    };
    let mut simulation = Simulation::with_threads(scene(0.0, -RADIUS * 0.9999, 0.0), 1).unwrap();
    simulation.run(4000).unwrap();
    let mut state = simulation.snapshot().unwrap();
    // Gravity rises in small stairs up to the wanted pull.
    let stairs = 40;
    for stair in 1..=stairs {
        let gravity = acceleration * f64::from(stair) / f64::from(stairs);
        state.particles.acceleration[0] = DVec3::ZERO;
        let mut simulation = Simulation::resume(
            scene(gravity, -RADIUS * 0.9999, 0.0),
            &state,
            Backend::Cpu { threads: 1 },
        )
        .unwrap();
        simulation.run(1000).unwrap();
        state = simulation.snapshot().unwrap();
    }
    let mut simulation = Simulation::resume(
        scene(acceleration, -RADIUS * 0.9999, 0.0),
        &state,
        Backend::Cpu { threads: 1 },
    )
    .unwrap();
    simulation.run(20_000).unwrap();
    simulation
        .snapshot()
        .unwrap()
        .contacts
        .iter()
        .any(|c| c.second == WALL)
}

#[test]
fn pull_off_forces() {
    let work = 0.5;
    let mass = lahar::laws::material::sphere_mass(2500.0, RADIUS);
    for (cohesion, factor) in [(CohesionLaw::Dmt, 2.0), (CohesionLaw::Jkr, 1.5)] {
        let pull_off = factor * PI * work * RADIUS / mass;
        assert!(
            hangs(cohesion, work, 0.97 * pull_off),
            "{cohesion:?} fell too early"
        );
        assert!(
            !hangs(cohesion, work, 1.03 * pull_off),
            "{cohesion:?} held too long"
        );
    }
}

/// Three touching spheres in line, one of which comes in at 1 m/s: linear elastic contacts give the
/// numbers below whatever the stiffness and the mass (two springs between three masses, exactly).
#[test]
fn newtons_cradle_of_three() {
    let pair = Pair {
        stiffness: Some(1e5),
        restitution: Some(1.0),
        ..Pair::new(0, 0)
    };
    let laws = laws(NormalLaw::Linear, TangentialLaw::None, RollingLaw::None);
    let contact = PI * (0.5 * lahar::laws::material::sphere_mass(2500.0, RADIUS) / 1e5).sqrt();
    let sphere = |x: f64, v: f64| Particle {
        velocity: v * DVec3::X,
        ..Particle::new(x * DVec3::X, RADIUS, 0)
    };
    let scene = builder(laws, pair)
        .time_step(contact / 400.0)
        .particle(sphere(-2.0 * RADIUS - 1e-4, 1.0))
        .particle(sphere(0.0, 0.0))
        .particle(sphere(2.0 * RADIUS, 0.0))
        .build()
        .unwrap();
    let mut simulation = Simulation::with_threads(scene, 1).unwrap();
    simulation.run(4000).unwrap();
    let state = simulation.snapshot().unwrap();
    assert!(state.contacts.is_empty());
    for (i, want) in [-0.1303, 0.1502, 0.9800].into_iter().enumerate() {
        let got = state.particles.velocity[i].x;
        assert!(
            (got - want).abs() < 1e-4,
            "sphere {i}: {got}, expected {want}"
        );
    }
}
