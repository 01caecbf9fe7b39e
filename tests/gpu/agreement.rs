//! The device does what the CPU engine does, within the rounding of `f32`.

use crate::beds::{CONTAINERS, Container, RADIUS, bed, law_combinations};
use crate::device::gpu;
use crate::{engine, step_of};
use glam::DVec3;
use lahar::cpu::CpuEngine;
use lahar::gpu::Gpu;
use lahar::laws::material::sphere_mass;
use lahar::scene::{
    ContactLaws, NormalLaw, Pair, Particle, RollingLaw, Scene, TangentialLaw, WallShape,
};
use lahar::state::State;

/// Typical speed, m/s, and spin, rad/s, of the beds.
const SPEED: f64 = 1.0;
const SPIN: f64 = 100.0;

/// Of the energies, against those of the whole bed: a few hundred roundings of f32 in sums of fifty grains.
const ENERGY_TOLERANCE: f64 = 1e-5;

/// Of the forces on walls, against a strong impact, N.
const FORCE_TOLERANCE: f64 = 1e-4;
const FORCE: f64 = 10.0;

/// At the start, after one step, before most collisions and after them. Spins are rounded to 6e-8 of
/// themselves, and each collision of a grain multiplies what it is off by up to ten.
const TOLERANCES: [f64; 4] = [2e-7, 3e-7, 2e-6, 1e-5];

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
    for (got, want) in got.wall_forces.iter().zip(&want.wall_forces) {
        let off = (*got - *want).length() / FORCE;
        assert!(off < FORCE_TOLERANCE, "{what}: wall {got} N, {want} N");
    }
    let (l, m) = (&got.ledger, &want.ledger);
    for (name, got, want) in [
        ("kinetic", l.kinetic, m.kinetic),
        ("rotational", l.rotational, m.rotational),
        ("potential", l.potential, m.potential),
        ("elastic normal", l.elastic_normal, m.elastic_normal),
        (
            "elastic tangential",
            l.elastic_tangential,
            m.elastic_tangential,
        ),
        ("elastic rolling", l.elastic_rolling, m.elastic_rolling),
        ("lost normal", l.lost_normal, m.lost_normal),
        ("lost tangential", l.lost_tangential, m.lost_tangential),
        ("lost friction", l.lost_friction, m.lost_friction),
        ("lost rolling", l.lost_rolling, m.lost_rolling),
        ("lost drag", l.lost_drag, m.lost_drag),
        ("lost film", l.lost_film, m.lost_film),
        ("gained Mindlin", l.gained_mindlin, m.gained_mindlin),
        ("balance", l.balance_error(), m.balance_error()),
    ] {
        let off = (got - want).abs() / m.scale;
        assert!(
            off < ENERGY_TOLERANCE,
            "{what}: {name} {got} J, {want} J, scale {} J",
            m.scale
        );
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
pub(crate) fn follow(gpu: &Gpu, scene: &Scene, stops: &[u64], what: &str) -> Vec<f64> {
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
        let off = follow(gpu, &scene, &[0, 1, 60, 200], &what);
        for (off, allowed) in off.into_iter().zip(TOLERANCES) {
            assert!(off < allowed, "{what}: off by {off:e}, allowed {allowed:e}");
        }
    }
}

/// Gravity adds the same small number at every step: were it always rounded the same way, grains would
/// fall up to 3e-4 too fast or too slowly.
#[test]
fn a_long_fall() {
    let Some(gpu) = gpu() else { return };
    let mut scene = bed(law_combinations()[0], Container::Globe, 1);
    scene.walls.clear();
    scene.particles.truncate(1);
    scene.particles[0].fixed = false;
    scene.particles[0].velocity = DVec3::new(0.9, -1.1, 1.3);
    scene.domain.lower = DVec3::splat(-2.0);
    scene.domain.upper = DVec3::splat(2.0);
    let mut device = engine(gpu, &scene);
    let mut reference = CpuEngine::new(&scene, step_of(&scene), 1).expect("an engine");
    const STEPS: u64 = 4000;
    device.run(STEPS).unwrap();
    reference.run(STEPS).unwrap();
    let (got, want) = (device.state().unwrap(), reference.state());
    let off = (got.particles.velocity[0] - want.particles.velocity[0]).length();
    let moved = (got.position(0) - want.position(0)).length();
    println!("after {STEPS} steps: {off:.1e} m/s, {moved:.1e} m");
    // One rounding of the velocity and one of gravity.
    assert!(off < 1e-6, "{off} m/s");
    assert!(moved < 1e-6, "{moved} m");
}

/// Resistance against rolling takes the same small number of the spin at every step, 24.08 roundings of it
/// at either half: were it always rounded the same way, the grain would be slowed 3e-3 too little.
#[test]
fn a_long_roll() {
    let Some(gpu) = gpu() else { return };
    let (radius, density, gravity, stiffness, speed) = (5e-3, 2500.0, 9.81, 1e4, 0.2);
    let mass = sphere_mass(density, radius);
    let scene = Scene::builder()
        .domain(DVec3::splat(-0.2), DVec3::splat(0.2))
        .gravity(-gravity * DVec3::Z)
        .end_time(0.04)
        .time_step(1e-5)
        .material("glass", density, 1e7, 0.22)
        .contact(ContactLaws {
            normal: NormalLaw::Linear,
            tangential: TangentialLaw::Linear,
            rolling: RollingLaw::Constant,
            ..ContactLaws::default()
        })
        .pair(Pair {
            stiffness: Some(stiffness),
            restitution: Some(0.9),
            tangential_stiffness: Some(stiffness),
            tangential_damping: Some(0.2 * (stiffness * mass).sqrt()),
            friction: 0.5,
            rolling_friction: 0.01,
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
        .particle(Particle {
            velocity: speed * DVec3::X,
            spin: speed / radius * DVec3::Y,
            ..Particle::new((radius - mass * gravity / stiffness) * DVec3::Z, radius, 0)
        })
        .build()
        .unwrap();
    let mut device = engine(gpu, &scene);
    let mut reference = CpuEngine::new(&scene, step_of(&scene), 1).expect("an engine");
    const STEPS: u64 = 4000;
    device.run(STEPS).unwrap();
    reference.run(STEPS).unwrap();
    let (got, want) = (device.state().unwrap(), reference.state());
    let slowed = speed - want.particles.velocity[0].x;
    let off = (got.particles.velocity[0] - want.particles.velocity[0]).length() / slowed;
    let turned = (got.particles.spin[0] - want.particles.spin[0]).length() * radius / slowed;
    let balance =
        (got.ledger.balance_error() - want.ledger.balance_error()).abs() / want.ledger.lost_rolling;
    println!("of {slowed:.1e} m/s: velocity {off:.1e}, spin {turned:.1e}, energy {balance:.1e}");
    // Forces are rounded to 6e-8, and the grain bounces on the floor by what its overlap is rounded.
    for off in [off, turned, balance] {
        assert!(off < 3e-5, "{off} of what the grain is slowed");
    }
}
