//! What no law may break: momentum, Galilean invariance, and the freedom to number grains.

use crate::after;
use crate::beds::{Container, RADIUS, bed, law_combinations};
use glam::DVec3;
use lahar::scene::Scene;
use lahar::state::State;

/// Steps that bring each grain into contact once or twice.
const STEPS: u64 = 300;

fn mass(state: &State, scene: &Scene, i: usize) -> f64 {
    let density = scene.materials[usize::from(state.particles.material[i])].density;
    lahar::laws::material::sphere_mass(density, state.particles.radius[i])
}

/// A periodic bed without gravity or fixed grains.
fn free_bed(law: usize, seed: u64) -> Scene {
    let mut scene = bed(law_combinations()[law], Container::Periodic, seed);
    scene.gravity = DVec3::ZERO;
    for particle in &mut scene.particles {
        particle.fixed = false;
    }
    scene
}

#[test]
fn momentum_is_conserved_to_rounding() {
    for law in 0..law_combinations().len() {
        let scene = free_bed(law, law as u64);
        let momentum = |state: &State| -> DVec3 {
            (0..state.particles.len())
                .map(|i| mass(state, &scene, i) * state.particles.velocity[i])
                .sum()
        };
        let start = after(&scene, 0);
        let size: f64 = (0..start.particles.len())
            .map(|i| mass(&start, &scene, i) * start.particles.velocity[i].length())
            .sum();
        let change = momentum(&after(&scene, STEPS)) - momentum(&start);
        // Each of 300 steps rounds each of some 60 momenta once: 300·√60·1e-16 of the whole, at most.
        assert!(
            change.length() < 1e-13 * size,
            "law {law}: {:e} of {size:e}",
            change.length()
        );
    }
}

/// The same collisions seen from a moving frame.
#[test]
fn galilean_invariance() {
    let wind = DVec3::new(3.0, -1.0, 2.0);
    for law in [1, 8, 10, 14] {
        let scene = free_bed(law, 11 + law as u64);
        let mut moving = scene.clone();
        for particle in &mut moving.particles {
            particle.velocity += wind;
        }
        let still = after(&scene, STEPS);
        let moved = after(&moving, STEPS);
        assert!(still.contacts.len() > 3, "law {law}: too few contacts");
        for i in 0..still.particles.len() {
            let off = moved.particles.velocity[i] - wind - still.particles.velocity[i];
            // Rounding of velocities some four times larger, multiplied by a few collisions.
            assert!(off.length() < 1e-9, "law {law}, grain {i}: {off}");
            let off = moved.particles.spin[i] - still.particles.spin[i];
            assert!(off.length() < 1e-7, "law {law}, spin of grain {i}: {off}");
        }
    }
}

/// Grains in another order do the same, to rounding: sums then have another order.
#[test]
fn numbers_of_grains_do_not_matter() {
    for law in [1, 8, 10, 14] {
        let scene = bed(law_combinations()[law], Container::Channel, 21 + law as u64);
        let mut relabelled = scene.clone();
        relabelled.particles.reverse();
        let count = scene.particles.len();
        let (a, b) = (after(&scene, STEPS), after(&relabelled, STEPS));
        assert_eq!(a.contacts.len(), b.contacts.len(), "law {law}");
        for i in 0..count {
            let j = count - 1 - i;
            let whole = a
                .grid
                .difference(a.particles.units[i], b.particles.units[j]);
            let rest = b.particles.remainder[j] - a.particles.remainder[i];
            let off = (DVec3::from_array(whole.map(|x| x as f64)) + rest) * a.grid.unit;
            assert!(off.length() < 1e-9 * RADIUS, "law {law}, grain {i}: {off}");
            let off = a.particles.velocity[i] - b.particles.velocity[j];
            assert!(off.length() < 1e-9, "law {law}, grain {i}: {off}");
        }
    }
}

/// In a larger domain the same bed has other cells and other integers, and does the same.
#[test]
fn the_place_of_a_bed_does_not_matter() {
    let scene = bed(law_combinations()[8], Container::Globe, 31);
    let mut far = scene.clone();
    far.domain.lower -= DVec3::splat(0.25);
    let (a, b) = (after(&scene, STEPS), after(&far, STEPS));
    for i in 0..a.particles.len() {
        let off = a.position(i) - b.position(i);
        assert!(off.length() < 1e-9 * RADIUS, "grain {i}: {off}");
    }
}
