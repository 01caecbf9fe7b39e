//! Energies, momentum and contacts as the device sums them up: against sums of the host over the same state.

use crate::beds::{CONTAINERS, Container, RADIUS, Random, bed, law_combinations, wet};
use crate::device::gpu;
use crate::{engine, step_of};
use glam::DVec3;
use lahar::fluid::FluidModel;
use lahar::gpu::{Gpu, GpuEngine, GpuOptions};
use lahar::laws::material::{sphere_inertia, sphere_mass};
use lahar::scene::{Pair, Particle, Scene};
use lahar::state::{State, StateSource, Totals};

/// Of the sum of the sizes of all summands. Five roundings to 32 bits, each up to 1.2e-10, meet in a summand, and
/// four in its factors.
const TOLERANCE: f64 = 1e-9;

/// What the host makes of a state: each sum, and the sum of the sizes of its summands.
fn sums(scene: &Scene, state: &State) -> [(&'static str, DVec3, f64); 4] {
    let fluid = FluidModel::new(scene);
    let particles = &state.particles;
    let mut sums =
        ["kinetic", "rotational", "potential", "momentum"].map(|n| (n, DVec3::ZERO, 0.0));
    for i in 0..particles.len() {
        // Radii are whole units on a device: up to 1e-9 of a large grain's.
        let radius = (particles.radius[i] / state.grid.unit).round() * state.grid.unit;
        let material = usize::from(particles.material[i]);
        let mass = sphere_mass(scene.materials[material].density, radius);
        let [inertia, weight] = fluid.as_ref().map_or([1.0; 2], |fluid| {
            [fluid.inertia[material], fluid.weight[material]]
        });
        let moving = mass * inertia;
        let (velocity, spin) = (particles.velocity[i], particles.spin[i]);
        let height = state.position(i) - state.grid.origin;
        let parts = [
            DVec3::X * 0.5 * moving * velocity.length_squared(),
            DVec3::X * 0.5 * sphere_inertia(mass, radius) * spin.length_squared(),
            DVec3::X * -moving * weight * scene.gravity.dot(height),
            mass * velocity,
        ];
        let falls = (moving * weight * scene.gravity * height).abs();
        let sizes = [
            parts[0].x,
            parts[1].x,
            falls.element_sum(),
            parts[3].length(),
        ];
        for (k, (_, sum, size)) in sums.iter_mut().enumerate() {
            *sum += parts[k];
            *size += sizes[k];
        }
    }
    sums
}

/// Compares the sums of an engine with those of its state; returns how far they were off at worst.
fn check(engine: &mut GpuEngine, scene: &Scene, what: &str) -> f64 {
    let totals = engine.totals();
    let state = engine.state().unwrap();
    assert_eq!(&totals.instant, state.view().instant(), "{what}");
    let ledger = &totals.instant.ledger;
    let got = [
        DVec3::X * ledger.kinetic,
        DVec3::X * ledger.rotational,
        DVec3::X * (ledger.potential - ledger.crossed),
        totals.momentum,
    ];
    let mut worst: f64 = 0.0;
    for (got, (name, want, size)) in got.into_iter().zip(sums(scene, &state)) {
        assert!(size > 0.0, "{what}: no {name}");
        let off = (got - want).length() / size;
        assert!(off <= TOLERANCE, "{what}: {name} off by {off:e}");
        worst = worst.max(off);
    }
    worst
}

#[test]
fn as_the_host_sums_them_up() {
    let Some(gpu) = gpu() else { return };
    let mut worst: f64 = 0.0;
    let mut wall_contacts = 0;
    for (k, container) in CONTAINERS.into_iter().enumerate() {
        let dry = bed(law_combinations()[[8, 10][k % 2]], container, 90 + k as u64);
        // Heavier than one of the materials, whose grains then fall upwards.
        let mut wet = wet(dry.clone());
        wet.fluid.as_mut().unwrap().density = 2000.0;
        for (scene, fluid) in [(dry, "dry"), (wet, "wet")] {
            let mut engine = engine(gpu, &scene);
            for steps in [0, 1, 150] {
                engine.run(steps).unwrap();
                let what = format!("{container:?}, {fluid}, {steps} steps more");
                worst = worst.max(check(&mut engine, &scene, &what));
                wall_contacts += engine.totals().instant.wall_contacts;
            }
            let state = engine.state().unwrap();
            let resumed = GpuEngine::resume(gpu, &scene, &state, &GpuOptions::default()).unwrap();
            let want = Totals::of(&state.view(), &scene.materials);
            assert_eq!(resumed.totals(), want, "{container:?}, {fluid}, resumed");
        }
    }
    println!("worst difference {worst:.1e}");
    assert!(wall_contacts > 5, "{wall_contacts} contacts with walls");
}

#[test]
fn the_same_bits_in_any_order() {
    let Some(gpu) = gpu() else { return };
    let mut scene = bed(law_combinations()[8], Container::Box, 95);
    let totals = |gpu: &Gpu, scene: &Scene| {
        let mut engine = engine(gpu, scene);
        engine.run(200).unwrap();
        (engine.totals(), engine.searches())
    };
    let (want, searches) = totals(gpu, &scene);
    assert_eq!(totals(gpu, &scene).0, want, "again");
    scene.neighbours.skin = Some(0.02 * RADIUS);
    let (got, more) = totals(gpu, &scene);
    assert!(more > searches, "the grains lie in another order");
    assert_eq!(got, want, "with a thin skin");
}

/// Slow grains among fast ones, in more workgroups than one row of a dispatch has.
#[test]
fn of_very_many_grains() {
    let Some(gpu) = gpu() else { return };
    const SIDE: u32 = 65;
    let spacing = 2.5 * RADIUS;
    let mut random = Random(5);
    let particles = (0..SIDE.pow(3)).map(|cell| {
        let place = [cell % SIDE, cell / SIDE % SIDE, cell / SIDE / SIDE];
        let place = DVec3::from_array(place.map(|k| f64::from(k) + 0.5));
        let slow = 10f64.powf(-6.0 * random.unit());
        Particle {
            velocity: slow * random.vector(),
            spin: 100.0 * slow * random.vector(),
            ..Particle::new(spacing * place, RADIUS * random.between(0.1, 1.2), 0)
        }
    });
    let scene = Scene::builder()
        .domain(DVec3::ZERO, DVec3::splat(spacing * f64::from(SIDE)))
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .end_time(1.0)
        .expected_speed(3.0)
        .material("glass", 2500.0, 5e6, 0.25)
        .pair(Pair {
            restitution: Some(0.9),
            ..Pair::new(0, 0)
        })
        .particles(particles)
        .build()
        .expect("a valid scene");
    let mut engine = GpuEngine::new(gpu, &scene, step_of(&scene), &GpuOptions::default()).unwrap();
    let worst = check(&mut engine, &scene, "very many");
    println!(
        "{} grains: worst difference {worst:.1e}",
        scene.particles.len()
    );
}
