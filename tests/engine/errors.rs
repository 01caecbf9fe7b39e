//! What goes wrong is said, and never panics.

use crate::beds::{CONTAINERS, RADIUS, bed, law_combinations};
use glam::DVec3;
use lahar::scene::{Leaving, Pair, Particle, Scene, SceneBuilder, WallShape};
use lahar::simulation::Backend;
use lahar::state::State;
use lahar::{Error, Simulation};

fn flying(leaving: Leaving, upper: f64) -> SceneBuilder {
    let still = Particle::new(DVec3::splat(0.3), RADIUS, 0);
    let moving = Particle {
        velocity: DVec3::X,
        ..Particle::new(DVec3::splat(0.1), RADIUS, 0)
    };
    Scene::builder()
        .domain(DVec3::ZERO, DVec3::new(upper, 1.0, 1.0))
        .leaving(leaving)
        .end_time(1.0)
        .time_step(1e-4)
        .material("glass", 2500.0, 5e6, 0.25)
        .pair(Pair {
            restitution: Some(0.9),
            ..Pair::new(0, 0)
        })
        .particle(still)
        .particle(moving)
}

/// How far beyond the domain a grain may be when it is missed, m: one step of flight.
const ONE_STEP: f64 = 1.01e-4;

#[test]
fn a_grain_that_leaves_stops_the_run_at_the_side_of_the_domain() {
    // A whole number of grain diameters, and not.
    for upper in [0.5, 0.413] {
        let scene = flying(Leaving::Stop, upper).build().unwrap();
        let mut simulation = Simulation::with_threads(scene, 1).unwrap();
        let error = simulation.run(10_000).expect_err("it leaves");
        let Error::LeftDomain {
            particle, position, ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!(particle, 1);
        assert!(
            position[0] > upper && position[0] <= upper + ONE_STEP,
            "stopped at {} m, the domain ends at {upper} m",
            position[0]
        );
    }
}

/// A contact elsewhere is there still, and can be asked for, after a grain left.
#[test]
fn a_run_that_was_stopped_can_be_looked_at() {
    let touching = Particle::new(DVec3::new(0.3, 0.3, 0.3 + 1.99 * RADIUS), RADIUS, 0);
    let scene = flying(Leaving::Stop, 0.5).particle(touching);
    let mut simulation = Simulation::with_threads(scene.build().unwrap(), 1).unwrap();
    simulation.run(10).unwrap();
    assert_eq!(simulation.contacts(), 1);
    simulation.run(10_000).expect_err("it leaves");
    let contacts = simulation.contacts();
    let state = simulation.snapshot().unwrap();
    assert_eq!(state.contacts.len(), contacts);
    assert_eq!(state.particles.len(), 3);
    simulation.run(1).expect_err("it has left");
}

/// Histories are found by whose they are: in any other order they would be lost.
#[test]
fn contacts_out_of_order_are_refused() {
    let scene = || bed(law_combinations()[0], CONTAINERS[0], 3);
    let mut simulation = Simulation::with_threads(scene(), 1).unwrap();
    let mut state = simulation.snapshot().unwrap();
    let are_many = |state: &State| {
        let [first, .., last] = state.contacts.as_slice() else {
            return false;
        };
        first.first < last.first
    };
    while !are_many(&state) {
        simulation.run(20).unwrap();
        state = simulation.snapshot().unwrap();
        assert!(simulation.step() < 10_000, "nobody touches");
    }
    let resumed = |state: &State| Simulation::resume(scene(), state, Backend::Cpu { threads: 1 });
    assert!(resumed(&state).is_ok());
    state.contacts.reverse();
    let error = resumed(&state).err().unwrap();
    assert!(matches!(error, Error::Unsupported(_)), "{error}");
    assert!(error.to_string().contains("order"), "{error}");
}

#[test]
fn the_grain_that_left_is_named() {
    let scene = flying(Leaving::Stop, 0.5).build().unwrap();
    let mut simulation = Simulation::with_threads(scene, 1).unwrap();
    let error = simulation.run(10_000).expect_err("it leaves");
    assert!(
        matches!(error, Error::LeftDomain { particle: 1, time, .. } if (0.4..0.41).contains(&time)),
        "{error}"
    );
    assert!(
        error.to_string().contains("particle 1 left the domain"),
        "{error}"
    );
}

#[test]
fn a_grain_that_leaves_is_removed_with_its_energy() {
    let mut scene = flying(Leaving::Remove, 0.5).build().unwrap();
    scene.gravity = DVec3::new(0.0, 0.0, -1e-3);
    let mut simulation = Simulation::with_threads(scene, 1).unwrap();
    let before = simulation.snapshot().unwrap();
    simulation.run(8000).unwrap();
    let after = simulation.snapshot().unwrap();
    assert_eq!(
        (after.removed, after.particles.id.as_slice()),
        (1, &[0u32][..])
    );
    let kinetic = before.ledger.kinetic;
    assert!(after.ledger.removed >= kinetic);
    assert!(
        after.ledger.balance_error().abs() < 1e-12 * kinetic,
        "balance off by {:e} of {kinetic:e} J",
        after.ledger.balance_error()
    );
}

/// Absurd steps: whatever happens has a name.
#[test]
fn a_run_that_blows_up_says_so() {
    for (k, laws) in law_combinations().into_iter().enumerate() {
        for step in [1e-2, 1.0, 1e6, 1e150, 1e300] {
            for leaving in [Leaving::Stop, Leaving::Remove] {
                let mut scene = bed(laws, CONTAINERS[k % CONTAINERS.len()], 70 + k as u64);
                scene.time.step = lahar::scene::TimeStep::Fixed(step);
                scene.time.force_step = true;
                scene.domain.leaving = leaving;
                match Simulation::with_threads(scene, 1).and_then(|mut s| s.run(200)) {
                    Ok(()) | Err(Error::NonFinite { .. } | Error::LeftDomain { .. }) => {}
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
}

/// Too far in one step for any number: the grain is named, even where nothing can leave.
#[test]
fn a_step_too_long_is_named() {
    let mut scene = flying(Leaving::Stop, 0.5)
        .periodic([true; 3])
        .build()
        .unwrap();
    scene.time.step = lahar::scene::TimeStep::Fixed(1e300);
    scene.time.force_step = true;
    let outcome = Simulation::with_threads(scene, 1).and_then(|mut s| s.run(100));
    assert!(
        matches!(outcome, Err(Error::NonFinite { particle: 1, .. })),
        "{outcome:?}"
    );
}

#[test]
fn another_time_step_cannot_resume_a_state() {
    let scene = |step| flying(Leaving::Stop, 0.5).time_step(step).build().unwrap();
    let mut simulation = Simulation::with_threads(scene(1e-4), 1).unwrap();
    simulation.run(3).unwrap();
    let state = simulation.snapshot().unwrap();
    assert!(Simulation::resume(scene(1e-4), &state, Backend::Cpu { threads: 1 }).is_ok());
    assert!(Simulation::resume(scene(5e-5), &state, Backend::Cpu { threads: 1 }).is_err());
}

/// A grain exactly on the upper side passes validation, so it must run.
#[test]
fn a_grain_on_the_upper_side_of_the_domain_is_inside() {
    let mut scene = flying(Leaving::Stop, 0.5).build().unwrap();
    scene.particles[0].position = DVec3::new(0.5, 0.5, 0.5);
    scene.particles[1].velocity = DVec3::ZERO;
    scene.walls.push(lahar::scene::Wall {
        name: "floor".into(),
        material: 0,
        shape: WallShape::Plane {
            point: DVec3::ZERO,
            normal: DVec3::Z,
        },
    });
    scene.validate().expect("a valid scene");
    let mut simulation = Simulation::with_threads(scene, 1).expect("it starts");
    simulation.run(10).expect("it runs");
}

/// A grain that passes below the lower rim of a funnel and then rises behind it is on no side of the
/// surface that it could touch: its centre is four radii away.
#[test]
fn a_grain_behind_a_funnel_feels_nothing() {
    let mut scene = flying(Leaving::Stop, 0.5).build().unwrap();
    scene.walls.push(lahar::scene::Wall {
        name: "funnel".into(),
        material: 0,
        shape: WallShape::Cone {
            point: DVec3::splat(0.2),
            axis: DVec3::Z,
            length: 0.04,
            radii: [0.02, 0.05],
            side: lahar::scene::Side::Inside,
        },
    });
    scene.particles[1].position = DVec3::new(0.25, 0.2, 0.16);
    scene.particles[1].velocity = DVec3::Z;
    scene.validate().expect("a valid scene");
    let mut simulation = Simulation::with_threads(scene, 1).unwrap();
    simulation.run(300).unwrap();
    assert_eq!(
        simulation.snapshot().unwrap().particles.velocity[1],
        DVec3::Z
    );
}
