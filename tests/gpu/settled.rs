//! A settled bed of 20 000 grains: forces as on the CPU, grain by grain.

use crate::device::gpu;
use lahar::cpu::CpuEngine;
use lahar::gpu::{DeviceMemory, GpuEngine, GpuOptions};
use lahar::laws::material::sphere_mass;
use lahar::scene::Scene;
use std::path::Path;

/// Of the force on a grain, against the mean contact force: half of the grains, and all of them.
const MEDIAN: f64 = 2e-6;
const WORST: f64 = 1e-4;

const TIME_STEP: f64 = 1e-5;

/// What such a bed may take on a device.
const BYTES_PER_GRAIN: f64 = 300.0;

#[test]
fn forces_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/peers/bed.toml");
    let scene = Scene::from_file(&path).expect("the bed");
    let mut reference = CpuEngine::new(&scene, TIME_STEP, 2).expect("an engine");
    reference.run(10).expect("a run without incident");
    let start = reference.state();
    let mut device = GpuEngine::resume(gpu, &scene, &start, &GpuOptions::default()).unwrap();
    reference.run(1).expect("a run without incident");
    device.run(1).expect("a run without incident");
    let (got, want) = (device.state().unwrap(), reference.state());
    let contacts = want.contacts.len() as f64;
    let mean = want.contacts.iter().map(|c| c.normal_force).sum::<f64>() / contacts;
    let mut off: Vec<f64> = (0..want.particles.len())
        .map(|i| {
            let mass = sphere_mass(2500.0, want.particles.radius[i]);
            let difference = got.particles.acceleration[i] - want.particles.acceleration[i];
            mass * difference.length() / mean
        })
        .collect();
    off.sort_by(f64::total_cmp);
    let (median, worst) = (off[off.len() / 2], off[off.len() - 1]);
    println!("median {median:.1e}, worst {worst:.1e} of the mean contact force");
    assert!(median <= MEDIAN, "median {median:e}");
    assert!(worst <= WORST, "worst {worst:e}");
    let floor = |state: &lahar::state::State| state.wall_forces[0].z;
    let (got_floor, want_floor) = (floor(&got), floor(&want));
    println!("floor {got_floor} N, {want_floor} N");
    assert!((got_floor / want_floor - 1.0).abs() < 1e-5);
    let clock = std::time::Instant::now();
    device.run(100).unwrap();
    println!(
        "{:.3e} particle-steps per second, {} contacts, {} searches",
        100.0 * want.particles.len() as f64 / clock.elapsed().as_secs_f64(),
        device.contacts(),
        device.searches()
    );
    for (buffer, bytes) in device.device_buffers() {
        println!(
            "{buffer:16} {:8.1} bytes per grain",
            bytes as f64 / want.particles.len() as f64
        );
    }
    let per_grain = device.device_bytes() as f64 / want.particles.len() as f64;
    let expected = DeviceMemory::expected(&scene).bytes_per_grain();
    println!("{per_grain:.1} bytes per grain, {expected:.1} expected");
    assert!(per_grain <= BYTES_PER_GRAIN, "{per_grain} bytes per grain");
    assert!(
        (per_grain / expected - 1.0).abs() < 0.05,
        "expected {expected}"
    );
}
