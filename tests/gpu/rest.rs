//! A bed at rest stays at rest, on both engines: it weighs what it weighs, nothing creeps, nothing warms up.

use crate::beds::{RADIUS, Random};
use crate::device::gpu;
use crate::step_of;
use glam::DVec3;
use lahar::cpu::CpuEngine;
use lahar::laws::material::sphere_mass;
use lahar::scene::{DragLaw, Fluid, Pair, Particle, Scene, WallShape};
use lahar::simulation::{Backend, Simulation};
use lahar::state::State;

const GRAVITY: f64 = 9.81;

/// Until nothing moves, about 1 s in a syrup that stops a lone grain within hundredths of a second.
const SETTLING_STEPS: u64 = 40_000;
const VISCOSITY: f64 = 2.0;

/// What the bed is watched for, and how many times in the last fifth of it.
const STEPS: u64 = 5000;
const LOOKS: u64 = 100;

/// Of the weight, on the floor: the mean of looks at a bed that still trembles a little.
const FLOOR_TOLERANCE: f64 = 1e-6;

/// Mean way of a grain, in radii.
const CREEP: f64 = 1e-6;

/// Kinetic energy, of what the bed gains if it falls through a radius.
const KINETIC: f64 = 1e-12;

/// 640 grains of many sizes above a floor, periodic along it.
fn heap() -> Scene {
    const ACROSS: u32 = 8;
    const HIGH: u32 = 10;
    let spacing = 2.3 * RADIUS;
    let mut random = Random(11);
    let particles = (0..ACROSS * ACROSS * HIGH).map(|cell| {
        let place = [
            cell % ACROSS,
            cell / ACROSS % ACROSS,
            cell / ACROSS / ACROSS,
        ];
        let place = DVec3::from_array(place.map(|k| f64::from(k) + 0.5));
        let position = spacing * (place + 0.03 * random.vector());
        Particle::new(position, RADIUS * random.between(0.8, 1.1), 0)
    });
    let side = spacing * f64::from(ACROSS);
    Scene::builder()
        .domain(DVec3::ZERO, DVec3::new(side, side, 2.0 * side))
        .periodic([true, true, false])
        .gravity(DVec3::new(0.0, 0.0, -GRAVITY))
        .end_time(1.0)
        .expected_speed(1.0)
        .material("glass", 2500.0, 5e6, 0.25)
        .pair(Pair {
            restitution: Some(0.3),
            friction: 0.5,
            ..Pair::new(0, 0)
        })
        .wall(
            "floor",
            0,
            WallShape::Plane {
                point: DVec3::ZERO,
                normal: DVec3::Z,
            },
        )
        .particles(particles)
        .build()
        .expect("a valid scene")
}

fn weight(state: &State) -> f64 {
    let masses = state
        .particles
        .radius
        .iter()
        .map(|&r| sphere_mass(2500.0, r));
    GRAVITY * masses.sum::<f64>()
}

/// What became of a bed: mean force on the floor over its weight, kinetic energy, contacts per grain, mean way.
#[derive(Debug)]
struct Rest {
    floor: f64,
    kinetic: f64,
    coordination: f64,
    creep: f64,
}

fn watch(scene: &Scene, settled: &State, backend: Backend<'_>) -> Rest {
    let mut simulation = Simulation::resume(scene.clone(), settled, backend).expect("a bed");
    simulation.run(STEPS - STEPS / 5).expect("a run");
    let mut floor = 0.0;
    for _ in 0..LOOKS {
        simulation.run(STEPS / 5 / LOOKS).expect("a run");
        floor -= simulation.wall_forces()[0].z / LOOKS as f64;
    }
    let state = simulation.snapshot().expect("a state");
    let ways = (0..state.particles.len()).map(|i| {
        let way = state
            .grid
            .difference(settled.particles.units[i], state.particles.units[i]);
        DVec3::from_array(way.map(|x| x as f64)).length() * state.grid.unit / RADIUS
    });
    Rest {
        floor: floor.abs() / weight(&state),
        kinetic: state.ledger.kinetic / (weight(&state) * RADIUS),
        coordination: state.coordination_number(),
        creep: ways.sum::<f64>() / state.particles.len() as f64,
    }
}

#[test]
fn a_settled_bed_stays_settled() {
    let Some(gpu) = gpu() else { return };
    let scene = heap();
    // It neither lifts nor moves along: without it the bed rests as it does.
    let syrup = Scene {
        fluid: Some(Fluid {
            buoyancy: false,
            added_mass: false,
            drag: DragLaw::Stokes,
            ..Fluid::new(1.0, VISCOSITY)
        }),
        ..scene.clone()
    };
    let mut engine = CpuEngine::new(&syrup, step_of(&scene), 2).expect("an engine");
    engine.run(SETTLING_STEPS).expect("a run without incident");
    let settled = engine.state();
    let rests = [
        ("cpu", Backend::Cpu { threads: 2 }),
        ("gpu", Backend::Gpu(gpu)),
    ]
    .map(|(name, backend)| {
        let rest = watch(&scene, &settled, backend);
        println!("{name}: {rest:?}");
        (name, rest)
    });
    for (name, rest) in &rests {
        let off = (rest.floor - 1.0).abs();
        assert!(off <= FLOOR_TOLERANCE, "{name}: floor off by {off:e}");
        assert!(rest.creep <= CREEP, "{name}: creeps by {:e}", rest.creep);
        assert!(rest.kinetic <= KINETIC, "{name}: {:e}", rest.kinetic);
        assert!(rest.coordination > 3.5, "{name}: {}", rest.coordination);
    }
    let [(_, cpu), (_, gpu)] = &rests;
    // One contact of all.
    let one = 2.0 / settled.particles.len() as f64;
    assert!((cpu.coordination - gpu.coordination).abs() <= one);
}
