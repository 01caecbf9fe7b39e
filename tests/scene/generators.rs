//! Lattices and random placement.

use super::*;
use glam::DVec3;
use lahar::scene::Particle;
use std::f64::consts::PI;

/// Longest distance by which rounding may let spheres touch, m.
const ROUNDING: f64 = 1e-12;

fn random(domain: &str, keys: &str) -> Scene {
    let text = with_particles(&format!(
        "[[particles]]\nkind = \"random\"\nmaterial = \"glass\"\n{keys}"
    ));
    read_good(&text.replacen(
        "upper = [1, 1, 1]",
        &format!("upper = [1, 1, 1]\n{domain}"),
        1,
    ))
}

fn lattice(keys: &str) -> Scene {
    read_good(&with_particles(&format!(
        "[[particles]]\nkind = \"lattice\"\nmaterial = \"glass\"\n{keys}"
    )))
}

/// Smallest gap between any two spheres, all pairs, across the periodic sides of the unit cube.
fn smallest_gap(particles: &[Particle], periodic: [bool; 3]) -> f64 {
    let mut smallest = f64::INFINITY;
    for (i, a) in particles.iter().enumerate() {
        for b in &particles[..i] {
            let mut d = (a.position - b.position).abs();
            for axis in 0..3 {
                if periodic[axis] {
                    d[axis] = d[axis].min(1.0 - d[axis]);
                }
            }
            smallest = smallest.min(d.length() - a.radius - b.radius);
        }
    }
    smallest
}

const CUBE: &str = "lower = [0, 0, 0]\nupper = [1, 1, 1]\n";

#[test]
fn random_spheres_neither_overlap_nor_poke_out() {
    let scene = random(
        "",
        &format!(
            "count = 500\nseed = 3\n{CUBE}radius = {{ distribution = \"uniform\", min = 0.01, max = 0.08 }}"
        ),
    );
    assert!(smallest_gap(&scene.particles, [false; 3]) >= -ROUNDING);
    for particle in &scene.particles {
        assert!(particle.position.min_element() >= particle.radius - ROUNDING);
        assert!(particle.position.max_element() <= 1.0 - particle.radius + ROUNDING);
    }
}

#[test]
fn random_spheres_straddle_only_periodic_sides() {
    let scene = random(
        "periodic = [\"x\", \"y\"]",
        &format!("count = 600\nseed = 4\n{CUBE}radius = 0.045"),
    );
    assert!(smallest_gap(&scene.particles, [true, true, false]) >= -ROUNDING);
    let pokes = |axis: usize| {
        let near = |p: &&Particle| p.position[axis] < p.radius || p.position[axis] > 1.0 - p.radius;
        scene.particles.iter().filter(near).count()
    };
    assert!(pokes(0) > 20 && pokes(1) > 20, "{} {}", pokes(0), pokes(1));
    assert_eq!(pokes(2), 0);
}

#[test]
fn random_spheres_respect_earlier_tables_of_any_size() {
    let text = with_particles(
        "[[particles]]\nkind = \"random\"\nmaterial = \"glass\"\ncount = 200\nradius = 0.01\n\
         lower = [0, 0, 0]\nupper = [1, 1, 1]\nseed = 1\n\
         [[particles]]\nkind = \"random\"\nmaterial = \"glass\"\ncount = 2\nradius = 0.1\n\
         lower = [0, 0, 0]\nupper = [1, 1, 1]\nseed = 2\n\
         [[particles]]\nkind = \"random\"\nmaterial = \"glass\"\ncount = 500\nradius = 0.02\n\
         lower = [0, 0, 0]\nupper = [1, 1, 1]\nseed = 3",
    );
    let scene = read_good(&text);
    assert_eq!(scene.particles.len(), 702);
    assert!(smallest_gap(&scene.particles, [false; 3]) >= -ROUNDING);
}

#[test]
fn random_spheres_fill_a_cylinder() {
    let scene = random(
        "",
        "count = 300\nradius = 0.02\nregion = { kind = \"cylinder\", point = [0.2, 0.5, 0.5], axis = [2, 0, 0], radius = 0.3, length = 0.6 }",
    );
    assert!(smallest_gap(&scene.particles, [false; 3]) >= -ROUNDING);
    let mut outermost: f64 = 0.0;
    for particle in &scene.particles {
        let from_axis = particle.position - DVec3::new(particle.position.x, 0.5, 0.5);
        outermost = outermost.max(from_axis.length());
        assert!((0.22 - ROUNDING..=0.78 + ROUNDING).contains(&particle.position.x));
    }
    assert!(
        outermost <= 0.28 + ROUNDING && outermost > 0.25,
        "{outermost}"
    );
}

#[test]
fn seeds_decide_and_reproduce() {
    let keys =
        |seed: u32| format!("count = 100\nseed = {seed}\nvelocity_spread = 1\n{CUBE}radius = 0.03");
    let (a, again, b) = (
        random("", &keys(1)),
        random("", &keys(1)),
        random("", &keys(2)),
    );
    assert_eq!(a, again);
    assert_ne!(a.particles, b.particles);
}

/// The very numbers of one seed: they must not change with a version of any dependency.
#[test]
fn random_numbers_are_the_same_everywhere() {
    let scene = random("", &format!("count = 1\nseed = 1\n{CUBE}radius = 0.03"));
    let position = scene.particles[0].position;
    let pinned = DVec3::new(PINNED[0], PINNED[1], PINNED[2]);
    assert_eq!(position, pinned, "{position:?}");
}

const PINNED: [f64; 3] = [0.8194812390143694, 0.04626075453343708, 0.1370676075919166];

#[test]
fn velocities_spread_around_the_given_one() {
    let scene = random(
        "",
        &format!(
            "count = 900\nvelocity = [1, 2, 3]\nvelocity_spread = 0.5\nspin = [0, 0, 7]\n{CUBE}radius = 0.02"
        ),
    );
    let mut mean = DVec3::ZERO;
    for particle in &scene.particles {
        let d = particle.velocity - DVec3::new(1.0, 2.0, 3.0);
        assert!(d.abs().max_element() <= 0.5);
        assert_eq!(particle.spin, DVec3::new(0.0, 0.0, 7.0));
        mean += d / scene.particles.len() as f64;
    }
    // The mean of 900 numbers of deviation 0.29 deviates by 0.01; five times that.
    assert!(mean.abs().max_element() < 0.05, "{mean}");
}

/// Mean and deviation of the radii of a distribution.
fn radii(distribution: &str) -> (Vec<f64>, f64, f64) {
    let scene = random(
        "",
        &format!("count = 4000\n{CUBE}radius = {{ {distribution} }}"),
    );
    let radii: Vec<f64> = scene
        .particles
        .iter()
        .map(|particle| particle.radius)
        .collect();
    let count = radii.len() as f64;
    let mean = radii.iter().sum::<f64>() / count;
    let variance = radii.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / count;
    (radii, mean, variance.sqrt())
}

/// With 4000 draws of deviation 1e-3 the mean deviates by 1.6e-5 and the deviation by 1.1e-5; the
/// tolerance is five times that.
const SAMPLING: f64 = 8e-5;

#[test]
fn distributions_have_their_moments_and_bounds() {
    for name in ["normal", "lognormal"] {
        let (radii, mean, deviation) = radii(&format!(
            "distribution = \"{name}\", mean = 0.01, deviation = 1e-3, min = 0.005, max = 0.016"
        ));
        assert!((mean - 0.01).abs() < SAMPLING, "{name}: mean {mean}");
        assert!(
            (deviation - 1e-3).abs() < SAMPLING,
            "{name}: deviation {deviation}"
        );
        assert!(radii.iter().all(|r| (0.005..=0.016).contains(r)));
        assert!(radii.is_sorted_by(|a, b| a >= b), "the largest come first");
    }
    let (radii, mean, deviation) = radii("distribution = \"uniform\", min = 0.008, max = 0.012");
    assert!((mean - 0.01).abs() < SAMPLING);
    assert!((deviation - 0.004 / 12.0_f64.sqrt()).abs() < SAMPLING);
    assert!(radii.iter().all(|r| (0.008..=0.012).contains(r)));
}

#[test]
fn tight_bounds_cut_a_distribution() {
    let (radii, ..) = radii(
        "distribution = \"normal\", mean = 0.01, deviation = 1e-3, min = 0.0099, max = 0.0101",
    );
    assert!(radii.iter().all(|r| (0.0099..=0.0101).contains(r)));
}

#[test]
fn a_list_of_radii_follows_its_weights() {
    let (radii, ..) =
        radii("distribution = \"list\", radii = [0.01, 0.02, 0.03], weights = [3, 1, 0]");
    let large = radii.iter().filter(|r| **r == 0.02).count();
    assert_eq!(large + radii.iter().filter(|r| **r == 0.01).count(), 4000);
    // Binomial: 1000 ± 27; five times that.
    assert!(large.abs_diff(1000) < 137, "{large}");
}

#[test]
fn a_quarter_full_is_reached() {
    let scene = random("", &format!("count = 2000\nseed = 9\n{CUBE}radius = 0.031"));
    let fraction = 2000.0 * 4.0 / 3.0 * PI * 0.031_f64.powi(3);
    assert!(fraction > 0.249 && scene.particles.len() == 2000);
}

#[test]
fn a_cubic_lattice_fills_its_box_exactly() {
    let scene = lattice("radius = 0.05\nlower = [0, 0, 0]\nupper = [1, 0.5, 0.2]");
    assert_eq!(scene.particles.len(), 10 * 5 * 2);
    assert_eq!(scene.particles[0].position, DVec3::splat(0.05));
    assert!(smallest_gap(&scene.particles, [false; 3]) >= -ROUNDING);
}

#[test]
fn a_hexagonal_lattice_is_close_packed() {
    let scene = lattice(&format!(
        "arrangement = \"hexagonal\"\nradius = 0.02\n{CUBE}"
    ));
    assert!(smallest_gap(&scene.particles, [false; 3]) >= -ROUNDING);
    // The fraction is π/√18; the window may count one of its 24 layers too many or too few.
    let center = |p: &&Particle| (p.position - 0.5).abs().max_element() < 0.4;
    let inner = scene.particles.iter().filter(center).count() as f64;
    let fraction = inner * 4.0 / 3.0 * PI * 0.02_f64.powi(3) / 0.8_f64.powi(3);
    assert!((fraction - PI / 18.0_f64.sqrt()).abs() < 0.03, "{fraction}");
    // Each inner sphere touches twelve others.
    let middle = scene
        .particles
        .iter()
        .find(center)
        .expect("a sphere in the middle");
    let touching = scene
        .particles
        .iter()
        .filter(|p| ((p.position - middle.position).length() - 0.04).abs() < 1e-9)
        .count();
    assert_eq!(touching, 12);
}

#[test]
fn jitter_moves_without_overlap_and_by_seed() {
    let keys =
        |seed: u32| format!("radius = 0.04\nspacing = 0.1\njitter = 1\nseed = {seed}\n{CUBE}");
    let (a, b) = (lattice(&keys(1)), lattice(&keys(2)));
    assert_eq!(
        a.particles.len(),
        1000,
        "margins of radius and jitter fit exactly"
    );
    assert_ne!(a.particles, b.particles);
    assert!(smallest_gap(&a.particles, [false; 3]) >= -ROUNDING);
    assert!(
        a.particles
            .iter()
            .all(|p| p.position.min_element() >= 0.04 - ROUNDING)
    );
}

#[test]
fn count_limits_a_lattice_from_the_bottom() {
    let scene = lattice(&format!(
        "radius = 0.05\ncount = 150\nvelocity = [0, 0, -1]\n{CUBE}"
    ));
    assert_eq!(scene.particles.len(), 150);
    assert!(scene.particles.iter().all(|p| p.position.z < 0.2));
    assert!(scene.particles.iter().all(|p| p.velocity == DVec3::NEG_Z));
}

/// A million grains at a quarter of the volume: ten seconds or so in a release build.
#[test]
#[ignore = "slow in a debug build; run with --release -- --ignored"]
fn a_million_random_grains_take_seconds() {
    let start = std::time::Instant::now();
    let scene = random("", &format!("count = 1_000_000\n{CUBE}radius = 0.0039"));
    assert_eq!(scene.particles.len(), 1_000_000);
    let seconds = start.elapsed().as_secs_f64();
    assert!(seconds < 60.0, "{seconds} s");
    eprintln!("a million grains in {seconds:.1} s");
}

#[test]
fn too_many_grains_are_refused_before_they_are_placed() {
    let text = with_particles(
        "[[particles]]\nkind = \"random\"\nmaterial = \"glass\"\ncount = 100_000_000\nradius = 0.01\n\
         lower = [0, 0, 0]\nupper = [1, 1, 1]",
    );
    let complaint = complaint(&text);
    assert!(
        complaint.found.contains("fill the region to 74 %"),
        "{complaint:?}"
    );
}
