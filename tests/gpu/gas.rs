//! A gas of elastic grains: what a closed system conserves, a device conserves.

use crate::beds::Random;
use crate::device::gpu;
use crate::step_of;
use glam::DVec3;
use lahar::laws::material::sphere_mass;
use lahar::scene::{ContactLaws, NormalLaw, Pair, Particle, Scene, TangentialLaw, TimeStep};
use lahar::simulation::{Backend, Simulation};
use lahar::state::State;

/// Of the energy at the start. Leapfrog swings about the true energy while grains touch; it must not drift.
const ENERGY_TOLERANCE: f64 = 1e-4;

/// Of the mean momentum of a grain, over all grains together, after 10⁴ steps: each kick is rounded to 2⁻³⁴ of the
/// velocity on either side of a contact, which adds up like the root of their number.
const MOMENTUM_TOLERANCE: f64 = 1e-7;

const RADIUS: f64 = 1e-3;
const DENSITY: f64 = 2500.0;

/// Grains of two sizes that fill a quarter of a periodic box, with random velocities and no net momentum;
/// 100 steps in a contact.
fn gas(law: NormalLaw) -> Scene {
    const SIDE: u32 = 6;
    let spacing = 2.6 * RADIUS;
    let mut random = Random(77);
    let mut particles: Vec<Particle> = (0..SIDE.pow(3))
        .map(|cell| {
            let place = [cell % SIDE, cell / SIDE % SIDE, cell / SIDE / SIDE];
            let place = DVec3::from_array(place.map(|k| f64::from(k) + 0.5));
            let radius = RADIUS * if cell % 3 == 0 { 1.2 } else { 0.9 };
            Particle {
                velocity: random.vector(),
                ..Particle::new(spacing * place, radius, 0)
            }
        })
        .collect();
    let mass = |p: &Particle| sphere_mass(DENSITY, p.radius);
    let total: f64 = particles.iter().map(mass).sum();
    let drift = particles
        .iter()
        .map(|p| mass(p) * p.velocity)
        .sum::<DVec3>()
        / total;
    for particle in &mut particles {
        particle.velocity -= drift;
    }
    let pair = match law {
        NormalLaw::Linear => Pair {
            stiffness: Some(1e3),
            restitution: Some(1.0),
            ..Pair::new(0, 0)
        },
        _ => Pair {
            damping: Some(0.0),
            ..Pair::new(0, 0)
        },
    };
    let mut scene = Scene::builder()
        .domain(DVec3::ZERO, DVec3::splat(spacing * f64::from(SIDE)))
        .periodic([true; 3])
        .end_time(1.0)
        .expected_speed(3.0)
        .contact(ContactLaws {
            normal: law,
            tangential: TangentialLaw::None,
            ..ContactLaws::default()
        })
        .material("glass", DENSITY, 1e7, 0.25)
        .pair(pair)
        .particles(particles)
        .build()
        .expect("a valid scene");
    scene.time.step = TimeStep::Fixed(0.4 * step_of(&scene));
    scene
}

/// Sum of all momenta, and the mean size of one, kg m/s.
fn momentum(state: &State) -> (DVec3, f64) {
    let particles = &state.particles;
    let of = |k: usize| sphere_mass(DENSITY, particles.radius[k]) * particles.velocity[k];
    let all = || (0..particles.len()).map(of);
    let mean = all().map(|p| p.length()).sum::<f64>() / particles.len() as f64;
    (all().sum(), mean)
}

/// Runs a gas and returns how far energy and momentum were off at worst.
fn off(law: NormalLaw, steps: u64) -> Option<[f64; 2]> {
    let gpu = gpu()?;
    let mut simulation = Simulation::on(gas(law), Backend::Gpu(gpu)).expect("a simulation");
    let start = simulation.snapshot().expect("a state");
    let (at_start, mean) = momentum(&start);
    let energy = start.ledger.total();
    let mut worst = [0.0f64; 2];
    const LOOKS: u64 = 20;
    for _ in 0..LOOKS {
        simulation.run(steps / LOOKS).expect("a run");
        let state = simulation.snapshot().expect("a state");
        let ledger = &state.ledger;
        assert_eq!((ledger.lost(), ledger.rotational), (0.0, 0.0));
        let now = [
            (ledger.total() / energy - 1.0).abs(),
            (momentum(&state).0 - at_start).length() / mean,
        ];
        for (worst, now) in worst.iter_mut().zip(now) {
            *worst = worst.max(if now.is_nan() { f64::INFINITY } else { now });
        }
    }
    let updates = simulation.contact_updates();
    println!(
        "{law:?}: {steps} steps, {updates} contact updates: energy {:.1e}, momentum {:.1e}",
        worst[0], worst[1]
    );
    assert!(updates > steps, "too few collisions to prove anything");
    Some(worst)
}

fn conserves(law: NormalLaw, steps: u64) {
    if let Some([energy, momentum]) = off(law, steps) {
        assert!(energy <= ENERGY_TOLERANCE, "energy off by {energy:e}");
        let allowed = MOMENTUM_TOLERANCE * (steps as f64 / 1e4).sqrt();
        assert!(
            momentum <= allowed,
            "momentum off by {momentum:e}, allowed {allowed:e}"
        );
    }
}

#[test]
fn conserves_energy_and_momentum() {
    conserves(NormalLaw::Linear, 10_000);
    conserves(NormalLaw::HertzViscous, 10_000);
}

/// `cargo test --release --test gpu -- --ignored --nocapture gas`
#[test]
#[ignore = "takes a minute or more"]
fn conserves_energy_and_momentum_for_long() {
    conserves(NormalLaw::Linear, 100_000);
    conserves(NormalLaw::HertzViscous, 100_000);
}
