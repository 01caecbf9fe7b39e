//! What stops a run, and what is said then: too little room, grains that are not finite or leave, and a
//! device that is gone. And what must not stop one: many grains, in any order.

use crate::beds::{Container, RADIUS, assert_same, bed, law_combinations, pair};
use crate::device::gpu;
use crate::listed::dense_bed;
use crate::{after, engine, step_of};
use glam::DVec3;
use lahar::Error;
use lahar::cpu::CpuEngine;
use lahar::gpu::device::{GpuChoice, LimitPolicy};
use lahar::gpu::{DeviceMemory, Gpu, GpuEngine, GpuOptions};
use lahar::scene::{Leaving, Particle, Scene};

/// A device that binds so many bytes.
fn small_device(bytes: u64) -> Gpu {
    let choice = GpuChoice {
        limits: LimitPolicy::Bindings(bytes),
        ..GpuChoice::default()
    };
    Gpu::open(&choice).expect("a device")
}

/// Equal grains on a cubic lattice of `counts`, `spacing` radii apart, in an open domain.
fn lattice(counts: [usize; 3], spacing: f64) -> Scene {
    let step = spacing * RADIUS;
    let [nx, ny, nz] = counts;
    let place = |k: usize| {
        let cell = [k % nx, k / nx % ny, k / nx / ny].map(|x| x as f64 + 0.5);
        step * DVec3::from_array(cell)
    };
    let laws = law_combinations()[8];
    let size = step * DVec3::from_array(counts.map(|count| count as f64));
    Scene::builder()
        .domain(DVec3::new(0.0, 0.0, -0.1), size)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .end_time(1.0)
        .expected_speed(1.0)
        .contact(laws)
        .material("glass", 2500.0, 5e6, 0.25)
        .pair(pair(&laws, 0, 0))
        .particles((0..nx * ny * nz).map(|k| Particle::new(place(k), RADIUS, 0)))
        .build()
        .expect("a valid scene")
}

fn start(gpu: &Gpu, scene: &Scene) -> lahar::Result<GpuEngine> {
    GpuEngine::new(gpu, scene, step_of(scene), &GpuOptions::default())
}

#[test]
fn too_many_grains_for_a_binding_are_refused_with_the_number_that_fits() {
    if gpu().is_none() {
        return;
    }
    const BINDING: u64 = 64 << 10;
    let gpu = small_device(BINDING);
    let scene = lattice([20, 20, 5], 4.0);
    let error = start(&gpu, &scene).map(drop).unwrap_err();
    let Error::DeviceCapacity { grains, fits, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(grains, 2000);
    assert!(
        error
            .to_string()
            .contains(&format!("at most {fits} such grains fit")),
        "{error}"
    );
    let memory = |grains: u32| {
        let mut scene = scene.clone();
        scene.particles.truncate(grains as usize);
        DeviceMemory::expected(&scene)
    };
    assert!(memory(fits).largest_buffer() <= BINDING);
    assert!(memory(fits + 1).largest_buffer() > BINDING);
    assert_eq!(memory(2000).most_grains(BINDING), fits);
    let mut fewer = scene.clone();
    fewer.particles.truncate(fits as usize);
    start(&gpu, &fewer)
        .expect("grains that fit")
        .run(3)
        .unwrap();
}

/// Six neighbours for each grain and no skin thin enough to have fewer.
#[test]
fn more_neighbours_than_a_binding_holds_are_refused_too() {
    if gpu().is_none() {
        return;
    }
    // Enough for the grains themselves, but not for six slots each.
    let gpu = small_device(64 * 1024);
    let scene = lattice([10, 10, 10], 1.9999);
    let error = start(&gpu, &scene).map(drop).unwrap_err();
    let Error::DeviceCapacity {
        grains,
        buffer,
        fits,
        ..
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!((grains, buffer), (1000, "histories"));
    assert!((600..1000).contains(&fits), "{fits} fit");
    // Fewer of them have fewer neighbours each.
    let side = f64::from(fits).cbrt() as usize;
    let mut fewer = start(&gpu, &lattice([side; 3], 1.9999)).expect("grains that fit");
    fewer.run(3).unwrap();
}

#[test]
fn a_list_that_no_buffer_holds_gets_a_thinner_skin_and_the_same_bits() {
    let Some(large) = gpu() else { return };
    let mut scene = bed(law_combinations()[8], Container::Box, 7);
    scene.neighbours.skin = Some(1.6 * RADIUS);
    for particle in &mut scene.particles {
        particle.velocity *= 3.0;
    }
    let slots = |engine: &GpuEngine| {
        engine
            .neighbours()
            .unwrap()
            .0
            .iter()
            .map(Vec::len)
            .sum::<usize>()
    };
    let thick = slots(&engine(large, &scene));
    let memory = DeviceMemory::expected(&scene);
    // Less than the list at the start has.
    let binding = (16 * thick as u64 - 64).max(4096);
    assert!(16 * thick as u64 > binding, "{thick} slots, {memory:?}");
    let small = small_device(binding);
    let mut thinner = engine(&small, &scene);
    assert!(slots(&thinner) < thick);
    thinner.run(200).unwrap();
    assert_same(
        &thinner.state().unwrap(),
        &after(large, &scene, 200),
        "a thinner skin",
    );
}

#[test]
fn what_is_not_finite_is_named() {
    let Some(gpu) = gpu() else { return };
    let mut scene = lattice([3, 3, 1], 4.0);
    scene.particles[4].velocity = DVec3::X * 1e12;
    scene.domain.leaving = Leaving::Remove;
    let error = start(gpu, &scene).unwrap().run(20).unwrap_err();
    assert!(
        matches!(error, Error::NonFinite { particle: 4, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("particle 4 "), "{error}");
    // Two grains deep in each other, and a step far too long for their contact.
    let mut scene = lattice([3, 3, 1], 4.0);
    scene.gravity = DVec3::ZERO;
    scene.particles[7].position = scene.particles[6].position + 0.5 * RADIUS * DVec3::Z;
    let mut engine = GpuEngine::new(gpu, &scene, 1e8, &GpuOptions::default()).unwrap();
    let error = engine.run(1000).unwrap_err();
    assert!(
        matches!(
            error,
            Error::NonFinite {
                particle: 6 | 7,
                ..
            }
        ),
        "{error}"
    );
}

/// Their energy is booked, the others keep their ids, and the balance closes as it does on the CPU.
#[test]
fn grains_that_leave_are_booked() {
    let Some(gpu) = gpu() else { return };
    let mut scene = bed(law_combinations()[8], Container::Periodic, 3);
    scene.domain.periodic = [false; 3];
    scene.domain.leaving = Leaving::Remove;
    let got = after(gpu, &scene, 300);
    let mut reference = CpuEngine::new(&scene, step_of(&scene), 1).unwrap();
    reference.run(300).unwrap();
    let want = reference.state();
    assert!(want.removed > 3, "{} left", want.removed);
    assert_eq!(got.removed, want.removed);
    assert_eq!(got.particles.id, want.particles.id);
    let scale = want.ledger.scale;
    let off = (got.ledger.removed - want.ledger.removed).abs() / scale;
    assert!(
        off < 1e-5,
        "removed {} J, {} J",
        got.ledger.removed,
        want.ledger.removed
    );
    let balance = got.ledger.balance_error().abs() / scale;
    let reference = want.ledger.balance_error().abs() / scale;
    assert!(
        balance < reference + 1e-5,
        "balance off by {balance}, on the CPU {reference}"
    );
}

#[test]
fn a_run_whose_grains_all_leave_goes_on_without() {
    let Some(gpu) = gpu() else { return };
    let mut scene = lattice([3, 3, 1], 4.0);
    scene.domain.leaving = Leaving::Remove;
    for particle in &mut scene.particles {
        particle.velocity = DVec3::X * 100.0;
    }
    let mut engine = start(gpu, &scene).unwrap();
    engine.run(100_000).unwrap();
    let state = engine.state().unwrap();
    assert_eq!(
        (state.removed, state.particles.len(), state.step),
        (9, 0, 100_000)
    );
    assert_eq!(engine.device_bytes(), 0);
}

#[test]
fn a_device_that_is_lost_ends_the_run_with_an_error() {
    if gpu().is_none() {
        return;
    }
    let gpu = Gpu::open(&GpuChoice::default()).unwrap();
    let mut engine = start(&gpu, &lattice([3, 3, 1], 4.0)).unwrap();
    engine.run(10).unwrap();
    gpu.device().destroy();
    for error in [
        engine.run(10).unwrap_err(),
        engine.state().map(drop).unwrap_err(),
    ] {
        assert!(matches!(error, Error::DeviceLost { .. }), "{error:?}");
    }
}

/// More workgroups than one row of a dispatch has, in every kernel: each grain falls once per step.
#[test]
fn more_grains_than_a_row_of_workgroups_has_threads() {
    let Some(gpu) = gpu() else { return };
    let scene = lattice([128, 128, 17], 2.05);
    assert!(scene.particles.len() > 64 * 4096);
    let mut engine = start(gpu, &scene).unwrap();
    let before = engine.state().unwrap();
    engine.run(3).unwrap();
    let after = engine.state().unwrap();
    let fallen = |i: usize| {
        let [p, q] = [&before, &after].map(|state| state.particles.units[i][2]);
        p - q
    };
    assert!(fallen(0) > 0);
    // A unit is a billionth of a radius; remainders differ.
    let wrong = (0..scene.particles.len()).find(|&i| (fallen(i) - fallen(0)).abs() > 1);
    assert_eq!(wrong, None);
    let (lists, skin) = engine.neighbours().unwrap();
    let listed = if skin > 0.05 * RADIUS { 6 } else { 0 };
    let inner = 128 * 128 * 8 + 128 * 64 + 64;
    assert_eq!(lists[inner].len(), listed, "skin {skin}");
}

/// Each grain of a dense bed ends the same to the bit, however the bed is listed, if it says which it is.
#[test]
fn grains_in_another_order_move_alike() {
    let Some(gpu) = gpu() else { return };
    let listed = |mixed_up, with_ids| {
        let scene = Scene::from_toml(&dense_bed(mixed_up, with_ids), None).unwrap();
        after(gpu, &scene, 300)
    };
    let want = listed(false, true);
    let contacts = want.coordination_number();
    assert!(contacts > 4.0, "{contacts} contacts per grain");
    assert_same(&listed(true, true), &want, "mixed up, with ids");
    assert_same(&listed(false, false), &want, "in order, without ids");
    // What ids are for: sums in another order.
    let unnamed = listed(true, false);
    assert_ne!(unnamed.ledger.kinetic, want.ledger.kinetic);
}
