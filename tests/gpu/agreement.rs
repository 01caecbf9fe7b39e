//! The device does what the CPU engine does, within the rounding of `f32`.

use crate::beds::{CONTAINERS, Container, RADIUS, bed, law_combinations};
use crate::device::gpu;
use crate::{engine, step_of};
use glam::DVec3;
use lahar::cpu::CpuEngine;
use lahar::gpu::Gpu;
use lahar::scene::{ContactLaws, Scene};
use lahar::state::State;

/// Typical speed, m/s, and spin, rad/s, of the beds.
const SPEED: f64 = 1.0;
const SPIN: f64 = 100.0;

/// Largest distance of two states in radii, typical speeds and typical spins.
fn distance(got: &State, want: &State, what: &str) -> f64 {
    assert_eq!(got.step, want.step, "{what}");
    assert_eq!(got.particles.id, want.particles.id, "{what}: grains");
    let mut worst = 0.0f64;
    let (p, q) = (&got.particles, &want.particles);
    for i in 0..q.len() {
        let whole = want
            .grid
            .difference(q.units[i], p.units[i])
            .map(|x| x as f64);
        let rest = p.remainder[i] - q.remainder[i];
        let moved = (DVec3::from_array(whole) + rest) * want.grid.unit;
        for off in [
            moved.length() / RADIUS,
            (p.velocity[i] - q.velocity[i]).length() / SPEED,
            (p.spin[i] - q.spin[i]).length() / SPIN,
        ] {
            assert!(off.is_finite(), "{what}: grain {i}");
            worst = worst.max(off);
        }
    }
    worst
}

fn describe(laws: &ContactLaws, container: Container) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} in {container:?}",
        laws.normal, laws.tangential, laws.rolling, laws.cohesion, laws.end
    )
}

/// Runs both engines and returns how far they are apart at each stop.
fn follow(gpu: &Gpu, scene: &Scene, stops: &[u64], what: &str) -> Vec<f64> {
    let mut device = engine(gpu, scene);
    let mut reference = CpuEngine::new(scene, step_of(scene), 1).expect("an engine");
    let mut distances = Vec::new();
    for &stop in stops {
        let steps = stop - reference.step();
        device.run(steps).expect("a run without incident");
        reference.run(steps).expect("a run without incident");
        let off = distance(&device.state().unwrap(), &reference.state(), what);
        println!("{what}, step {stop}: {off:.1e}");
        distances.push(off);
    }
    distances
}

#[test]
fn every_law_in_every_container() {
    let Some(gpu) = gpu() else { return };
    for (k, laws) in law_combinations().into_iter().enumerate() {
        let container = CONTAINERS[k % CONTAINERS.len()];
        let scene = bed(laws, container, 17 * k as u64);
        let what = describe(&laws, container);
        let start = std::time::Instant::now();
        let off = follow(gpu, &scene, &[0, 1, 20, 60, 200], &what);
        println!("{:?}", start.elapsed());
        assert!(off[0] < 1e-6, "{what}");
    }
}
