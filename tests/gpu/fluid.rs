//! Grains in a fluid on a device: against the CPU engine, and the same bits however it is run.

use crate::agreement::follow;
use crate::beds::{CONTAINERS, Container, assert_same, bed, law_combinations, some_beds, wet};
use crate::device::gpu;
use crate::{after, engine};
use lahar::gpu::{DeviceMemory, GpuEngine, GpuOptions};
use lahar::scene::Scene;

/// At the start, after one step, before most collisions and after them: as without a fluid, whose films
/// round some ten times more in a step than contacts do.
const TOLERANCES: [f64; 4] = [2e-7, 3e-7, 2e-6, 1e-5];

#[test]
fn as_on_the_processor() {
    let Some(gpu) = gpu() else { return };
    for (k, container) in CONTAINERS.into_iter().enumerate() {
        let law = [8, 10][k % 2];
        let scene = wet(bed(law_combinations()[law], container, 71 + k as u64));
        let what = format!("law {law} in {container:?}, wet");
        let off = follow(gpu, &scene, &[0, 1, 60, 200], &what);
        for (off, allowed) in off.into_iter().zip(TOLERANCES) {
            assert!(off < allowed, "{what}: off by {off:e}, allowed {allowed:e}");
        }
    }
}

#[test]
fn the_same_bits_however_it_is_run() {
    let Some(gpu) = gpu() else { return };
    const STEPS: u64 = 200;
    for (what, scene) in some_beds().take(2) {
        let scene = wet(scene);
        let want = after(gpu, &scene, STEPS);
        assert!(want.ledger.lost_film > 0.0 && want.ledger.lost_drag > 0.0);
        let mut single = engine(gpu, &scene);
        for _ in 0..STEPS {
            single.run(1).unwrap();
        }
        let got = single.state().unwrap();
        assert_same(&got, &want, &format!("{what}, one step at a time"));
        let mut thin = scene.clone();
        thin.neighbours.skin = Some(0.02 * crate::beds::RADIUS);
        assert_same(
            &after(gpu, &thin, STEPS),
            &want,
            &format!("{what}, thin skin"),
        );
        let paused = after(gpu, &scene, 77);
        let mut again = GpuEngine::resume(gpu, &scene, &paused, &GpuOptions::default()).unwrap();
        again.run(STEPS - 77).unwrap();
        assert_same(
            &again.state().unwrap(),
            &want,
            &format!("{what}, after a pause"),
        );
    }
}

/// What the fluid's kernels keep is among what the device holds, and what a scene is expected to take.
#[test]
fn its_memory_is_counted() {
    let Some(gpu) = gpu() else { return };
    let dry = bed(law_combinations()[8], Container::Box, 5);
    let wet = wet(dry.clone());
    let grains = dry.particles.len() as u64;
    let bytes = 16 * grains;
    let of = |scene: &Scene| DeviceMemory::expected(scene).bytes();
    assert_eq!(of(&wet), of(&dry) + bytes);
    let buffers = engine(gpu, &wet).device_buffers();
    assert!(buffers.contains(&("immersed", bytes)), "{buffers:?}");
    let buffers = engine(gpu, &dry).device_buffers();
    assert!(buffers.iter().all(|&(name, _)| name != "immersed"));
}
