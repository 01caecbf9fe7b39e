//! The neighbour list holds exactly the pairs that are close, from both sides, in order.

use crate::beds::{
    CONTAINERS, RADIUS, Random, assert_same, bed, beside_a_ball, law_combinations, pair,
};
use crate::device::gpu;
use crate::engine;
use glam::DVec3;
use lahar::gpu::{Gpu, GpuEngine, GpuOptions};
use lahar::scene::{Particle, Scene};
use lahar::state::WALL;

/// Compares the list of a scene at its start with all pairs; returns how many there are.
fn check(gpu: &Gpu, scene: &Scene, what: &str) -> usize {
    let mut engine = engine(gpu, scene);
    let state = engine.state().unwrap();
    let (lists, skin) = engine.neighbours().unwrap();
    let particles = &state.particles;
    let reach = |i: usize, j: usize| particles.radius[i] + particles.radius[j] + skin;
    let mut count = 0;
    for (i, list) in lists.iter().enumerate() {
        let got: Vec<u32> = list.iter().copied().filter(|&id| id < WALL).collect();
        let want: Vec<u32> = (0..particles.len())
            .filter(|&j| {
                let d = state
                    .grid
                    .difference(particles.units[i], particles.units[j]);
                let distance = DVec3::from_array(d.map(|x| x as f64)).length() * state.grid.unit;
                let both_fixed = particles.fixed[i] && particles.fixed[j];
                i != j && !both_fixed && distance < reach(i, j)
            })
            .map(|j| j as u32)
            .collect();
        assert_eq!(got, want, "{what}: neighbours of grain {i}");
        assert!(list.is_sorted(), "{what}: walls come last");
        count += got.len();
    }
    count
}

#[test]
fn in_every_container() {
    let Some(gpu) = gpu() else { return };
    for (k, container) in CONTAINERS.into_iter().enumerate() {
        let mut scene = bed(law_combinations()[0], container, k as u64);
        for skin in [0.05, 0.3, 1.5] {
            scene.neighbours.skin = Some(skin * RADIUS);
            let count = check(gpu, &scene, &format!("{container:?}, skin {skin}"));
            assert!(count > 4 || skin < 1.0, "{container:?}: {count} neighbours");
        }
    }
}

/// Random grains of sizes up to 1 : `ratio` in a box with some periodic axes.
fn mixture(ratio: f64, periodic: [bool; 3], count: usize, seed: u64) -> Scene {
    let mut random = Random(seed);
    let size = DVec3::new(0.2, 0.11, 0.3);
    let mut particles: Vec<Particle> = Vec::new();
    while particles.len() < count {
        let radius = if particles.len() < 8 {
            0.025
        } else {
            0.025 * ratio.powf(-random.unit())
        };
        let position = size * DVec3::new(random.unit(), random.unit(), random.unit());
        let apart = |other: &Particle| {
            let mut d = other.position - position;
            for axis in 0..3 {
                if periodic[axis] {
                    d[axis] -= size[axis] * (d[axis] / size[axis]).round();
                }
            }
            d.length() > radius + other.radius
        };
        if particles.iter().all(apart) {
            // Fast, so that the list has the whole skin.
            particles.push(Particle {
                velocity: DVec3::splat(20.0),
                ..Particle::new(position, radius, 0)
            });
        }
    }
    let laws = law_combinations()[8];
    Scene::builder()
        .domain(DVec3::ZERO, size)
        .periodic(periodic)
        .end_time(1.0)
        .expected_speed(1.0)
        .contact(laws)
        .material("glass", 2500.0, 5e6, 0.25)
        .pair(pair(&laws, 0, 0))
        .particles(particles)
        .skin(0.004)
        .build()
        .expect("a valid scene")
}

#[test]
fn of_grains_of_very_different_sizes() {
    let Some(gpu) = gpu() else { return };
    // As many as find room by chance.
    let mixtures = [(1.0, 25), (1.9, 40), (3.0, 60), (10.0, 300), (30.0, 400)];
    for (k, (ratio, grains)) in mixtures.into_iter().enumerate() {
        for periodic in [[false; 3], [true; 3], [true, false, true]] {
            let scene = mixture(ratio, periodic, grains, 5 + k as u64);
            let count = check(gpu, &scene, &format!("1:{ratio}, periodic {periodic:?}"));
            assert!(count >= 10, "1:{ratio}: {count} neighbours");
        }
    }
}

/// A large grain has thousands of cells of small ones within reach: software devices end a loop after
/// 65 535 rounds.
#[test]
fn of_small_grains_within_a_wide_skin() {
    let Some(gpu) = gpu() else { return };
    for periodic in [[false; 3], [true; 3]] {
        for ratio in [10.0, 30.0] {
            let mut scene = mixture(ratio, periodic, 300, 21);
            for skin in [0.02, 0.0375] {
                scene.neighbours.skin = Some(skin);
                let what = format!("1:{ratio}, periodic {periodic:?}, skin {skin} m");
                assert!(check(gpu, &scene, &what) > 1000, "{what}");
            }
        }
    }
}

/// Walls have no images: where a grain comes in again, it finds those that are there at once. In one kernel and in two.
#[test]
fn a_grain_that_comes_in_again_finds_walls() {
    const STEPS: u64 = 100;
    let Some(gpu) = gpu() else { return };
    for laws in [law_combinations()[8], law_combinations()[9]] {
        let scene = beside_a_ball(laws);
        let start = || GpuEngine::new(gpu, &scene, 1e-5, &GpuOptions::default()).unwrap();
        let (mut once, mut always) = (start(), start());
        once.run(STEPS).unwrap();
        for _ in 0..STEPS {
            always.want_search().unwrap();
            always.run(1).unwrap();
        }
        assert!(always.contact_updates() > 10, "{laws:?}: it hits the ball");
        let [got, want] = [once, always].map(|mut engine| engine.state().unwrap());
        assert_same(&got, &want, &format!("{laws:?} with lists when needed"));
    }
}
