//! The engine does what all pairs do.

use crate::after;
use crate::beds::{CONTAINERS, Container, RADIUS, bed, beside_a_ball, law_combinations};
use glam::DVec3;
use lahar::cpu::brute_force::BruteForce;
use lahar::scene::{ContactLaws, Scene};
use lahar::state::State;
use std::collections::BTreeSet;

/// In radii and in typical speeds. Both engines do the same arithmetic, each in its own order, so
/// they part by rounding, 1e-16, which each of the few collisions of a grain multiplies by up to ten:
/// 1e-13 is found.
const TOLERANCE: f64 = 1e-11;

/// Typical speed, m/s, and spin, rad/s, of the beds.
const SPEED: f64 = 1.0;
const SPIN: f64 = 100.0;

/// Largest distance of two states: positions and springs in radii, velocities in typical speeds.
/// Fails if they do not have the same contacts.
#[track_caller]
fn distance(got: &State, want: &State, what: &str) -> f64 {
    assert_eq!(got.step, want.step);
    assert_eq!(got.particles.id, want.particles.id, "{what}: grains");
    let keys = |state: &State| -> Vec<(u32, u32)> {
        state.contacts.iter().map(|c| (c.first, c.second)).collect()
    };
    assert_eq!(keys(got), keys(want), "{what}: contacts");
    let mut worst = 0.0f64;
    let mut see = |difference: DVec3, scale: f64| {
        assert!(difference.is_finite(), "{what}: not finite");
        worst = worst.max(difference.length() / scale);
    };
    let grid = &want.grid;
    let (p, q) = (&got.particles, &want.particles);
    for i in 0..q.len() {
        let whole = grid.difference(q.units[i], p.units[i]).map(|x| x as f64);
        let rest = p.remainder[i] - q.remainder[i];
        see((DVec3::from_array(whole) + rest) * grid.unit, RADIUS);
        see(p.velocity[i] - q.velocity[i], SPEED);
        see(p.spin[i] - q.spin[i], SPIN);
    }
    let forces = want.contacts.iter().map(|c| c.normal_force.abs());
    let force = forces.fold(1e-3, f64::max);
    for (c, d) in got.contacts.iter().zip(&want.contacts) {
        see(c.spring - d.spring, RADIUS);
        see(c.rolling - d.rolling, force * RADIUS);
        see(DVec3::splat(c.overlap - d.overlap), RADIUS);
        let root = c.root_overlap - d.root_overlap;
        see(DVec3::splat(root), RADIUS.sqrt());
        see(DVec3::splat(c.normal_force - d.normal_force), force);
        for k in 0..2 {
            let scale = d.adaptive[k].abs().max(1.0);
            see(DVec3::splat(c.adaptive[k] - d.adaptive[k]), scale);
        }
    }
    for (f, g) in got.wall_forces.iter().zip(&want.wall_forces) {
        see(*f - *g, force);
    }
    let (l, m) = (&got.ledger, &want.ledger);
    let energies = [
        (l.kinetic, m.kinetic),
        (l.rotational, m.rotational),
        (l.elastic_normal, m.elastic_normal),
        (l.elastic_tangential, m.elastic_tangential),
        (l.elastic_rolling, m.elastic_rolling),
    ];
    for (e, f) in energies {
        see(DVec3::splat(e - f), m.kinetic + m.rotational);
    }
    worst
}

/// Runs both engines side by side; returns how many contacts began and ended on the way.
pub(crate) fn compare(scene: &Scene, steps: u64, what: &str) -> (usize, usize) {
    let time_step = lahar::Simulation::with_threads(scene.clone(), 1)
        .expect("a valid scene")
        .time_step();
    let mut engine = lahar::cpu::CpuEngine::new(scene, time_step, 1).expect("an engine");
    let mut reference = BruteForce::new(scene, time_step).expect("a reference");
    let mut touching: BTreeSet<(u32, u32)> = BTreeSet::new();
    let (mut began, mut ended) = (0, 0);
    const STRIDE: u64 = 20;
    for _ in 0..steps / STRIDE {
        engine.run(STRIDE).expect("a run without incident");
        reference.run(STRIDE).expect("a run without incident");
        let want = reference.state();
        let off = distance(
            &engine.state(),
            &want,
            &format!("{what}, step {}", want.step),
        );
        println!("{what}, step {}: {off:.1e}", want.step);
        assert!(
            off <= TOLERANCE,
            "{what}, step {}: off by {off:e}, allowed {TOLERANCE:e}",
            want.step
        );
        let now: BTreeSet<_> = want.contacts.iter().map(|c| (c.first, c.second)).collect();
        began += now.difference(&touching).count();
        ended += touching.difference(&now).count();
        touching = now;
    }
    (began, ended)
}

#[test]
fn every_law_in_every_container() {
    for (k, laws) in law_combinations().into_iter().enumerate() {
        for turn in 0..2 {
            let container = CONTAINERS[(k + 3 * turn) % CONTAINERS.len()];
            let scene = bed(laws, container, 17 * k as u64 + turn as u64);
            let what = describe(&laws, container);
            assert!(scene.particles.len() >= 20, "{what}: too few grains");
            let (began, ended) = compare(&scene, 400, &what);
            let enough = scene.particles.len() / 3;
            assert!(
                began >= enough && ended >= 5,
                "{what}: {began} began, {ended} ended"
            );
        }
    }
}

/// A skin of a hundredth of a radius makes lists stale every few steps.
#[test]
fn lists_rebuilt_all_the_time_lose_no_spring() {
    for k in [1, 9, 14] {
        let laws = law_combinations()[k];
        let container = CONTAINERS[k % CONTAINERS.len()];
        let mut scene = bed(laws, container, 5 + k as u64);
        scene.neighbours.skin = Some(0.01 * RADIUS);
        compare(&scene, 400, &describe(&laws, container));
    }
}

fn describe(laws: &ContactLaws, container: Container) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} in {container:?}",
        laws.normal, laws.tangential, laws.rolling, laws.cohesion, laws.end
    )
}

/// Grains of very different sizes: every contact is found, wherever it is.
#[test]
fn sizes_one_to_ten_and_one_to_thirty() {
    use crate::beds::Random;
    use lahar::scene::{Particle, Scene};
    for (ratio, skin) in [
        (10.0, None),
        (30.0, None),
        (30.0, Some(1e-5)),
        (30.0, Some(0.02)),
    ] {
        let laws = law_combinations()[8];
        let mut random = Random(ratio as u64);
        let mut particles: Vec<Particle> = Vec::new();
        let size = 0.1;
        while particles.len() < 90 {
            // Three large grains, then ever smaller ones that crowd around them.
            let radius = match particles.len() {
                0..3 => 0.02,
                3..12 => 0.006,
                _ => 0.02 / ratio,
            };
            let position = if particles.len() < 12 {
                size * DVec3::new(random.unit(), random.unit(), random.unit())
            } else {
                let host = particles[particles.len() % 12];
                host.position
                    + random.vector().normalize()
                        * (host.radius + radius * random.between(1.0, 1.2))
            };
            let gap = |other: &Particle| {
                let mut d = other.position - position;
                d.x -= size * (d.x / size).round();
                d.length() - other.radius - radius
            };
            let inside = position.cmpgt(DVec3::splat(radius)).all()
                && position.cmplt(DVec3::splat(size - radius)).all();
            if inside && particles.iter().all(|other| gap(other) > 0.0) {
                particles.push(Particle {
                    velocity: 1.5 * random.vector(),
                    spin: 50.0 * random.vector(),
                    ..Particle::new(position, radius, 0)
                });
            }
        }
        let mut builder = Scene::builder()
            .domain(DVec3::ZERO, DVec3::splat(size))
            .periodic([true, false, false])
            .end_time(1.0)
            .expected_speed(3.0)
            .contact(laws)
            .material("glass", 2500.0, 5e6, 0.25)
            .pair(crate::beds::pair(&laws, 0, 0))
            .wall(
                "box",
                0,
                lahar::scene::WallShape::Box {
                    lower: DVec3::ZERO,
                    upper: DVec3::splat(size),
                    faces: [false, false, true, true, true, true],
                },
            )
            .particles(particles);
        if let Some(skin) = skin {
            builder = builder.skin(skin);
        }
        let scene = builder.build().expect("a valid scene");
        let (began, _) = compare(&scene, 400, &format!("sizes 1:{ratio}, skin {skin:?}"));
        assert!(began > 30, "1:{ratio}: only {began} contacts");
    }
}

/// Two diameters and a bit: each grain meets its neighbour on both sides, but never at once.
#[test]
fn a_period_of_two_diameters() {
    use lahar::scene::{Particle, Scene};
    let laws = law_combinations()[8];
    let size = 2.1 * 2.0 * RADIUS;
    let mut random = crate::beds::Random(4);
    let particles = (0..8).map(|k| {
        let cell = DVec3::new(f64::from(k % 2), f64::from(k / 2 % 2), f64::from(k / 4));
        Particle {
            velocity: 2.0 * random.vector(),
            spin: 50.0 * random.vector(),
            ..Particle::new(0.5 * size * (cell + 0.5), RADIUS * 0.99, 0)
        }
    });
    let scene = Scene::builder()
        .domain(DVec3::ZERO, DVec3::splat(size))
        .periodic([true; 3])
        .end_time(1.0)
        .expected_speed(3.0)
        .contact(laws)
        .material("glass", 2500.0, 5e6, 0.25)
        .pair(crate::beds::pair(&laws, 0, 0))
        .particles(particles)
        .build()
        .expect("a valid scene");
    let (began, ended) = compare(&scene, 500, "period of 2.1 diameters");
    assert!(began > 20 && ended > 20, "{began} began, {ended} ended");
    assert!(after(&scene, 500).step == 500);
}

/// Walls have no images: where a grain comes in again, it finds those that are there at once.
#[test]
fn a_grain_that_comes_in_again_finds_walls() {
    for k in [1, 8, 10] {
        let laws = law_combinations()[k];
        let (began, _) = compare(&beside_a_ball(laws), 600, &format!("{laws:?}"));
        assert!(began > 0, "{laws:?}: it hits the ball");
    }
}

/// Grains that fall on the rims of a pipe and of a funnel, above and below.
#[test]
fn rims() {
    use lahar::scene::{Particle, Scene, Side, WallShape};
    let laws = law_combinations()[8];
    let mut random = crate::beds::Random(77);
    let point = DVec3::splat(0.1);
    let (axis, length, radius) = (DVec3::new(0.2, 0.0, 1.0).normalize(), 0.05, 0.004);
    let pipe = WallShape::Cylinder {
        point,
        axis,
        length: Some(length),
        radius: 0.03,
        side: Side::Inside,
    };
    let funnel = WallShape::Cone {
        point,
        axis,
        length,
        radii: [0.02, 0.03],
        side: Side::Outside,
    };
    for (wall, radii, side) in [(pipe, [0.03, 0.03], -1.0), (funnel, [0.02, 0.03], 1.0)] {
        let across = axis.any_orthonormal_vector();
        let mut particles = Vec::new();
        for k in 0..12 {
            let angle = f64::from(k) * std::f64::consts::PI / 6.0;
            let out = across * angle.cos() + axis.cross(across) * angle.sin();
            for (rim, height, sign) in [(radii[0], 0.0, -1.0), (radii[1], length, 1.0)] {
                // A little to the side on which grains belong.
                let rho = rim + side * random.between(0.0001, 0.0008);
                let away = radius + random.between(0.0001, 0.001);
                particles.push(Particle {
                    velocity: -sign * axis + 0.1 * random.vector(),
                    spin: 50.0 * random.vector(),
                    ..Particle::new(point + rho * out + (height + sign * away) * axis, radius, 0)
                });
            }
        }
        let scene = Scene::builder()
            .domain(DVec3::ZERO, DVec3::splat(0.3))
            .end_time(1.0)
            .expected_speed(3.0)
            .contact(laws)
            .material("glass", 2500.0, 5e6, 0.25)
            .pair(crate::beds::pair(&laws, 0, 0))
            .wall("wall", 0, wall)
            .particles(particles)
            .build()
            .expect("a valid scene");
        let (began, ended) = compare(&scene, 200, "rims");
        assert!(began >= 20 && ended >= 10, "{began} began, {ended} ended");
    }
}
