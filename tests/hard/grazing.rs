//! Grains that only just touch, each other or a wall: none is missed, none is repeated, and whatever happens keeps energy
//! and momentum.

use crate::common::assert_within;
use crate::systems::{grain, model};
use glam::DVec3;
use lahar::hard::*;
use lahar::laws::tc::Dimensions;

/// Parts of the contact distance by which two grains pass each other.
const DEPTHS: [f64; 7] = [1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9];

/// Radii whose sum is 1 m, more by a part of `depth`, up to a rounding.
fn radii(depth: f64) -> [f64; 2] {
    [0.5, 0.5 + depth]
}

/// What a run of two grains came to.
struct Outcome {
    collisions: u64,
    /// What the first grain lost of its velocity.
    change: DVec3,
}

/// Runs two grains, and sees that neither energy nor momentum comes or goes.
fn pass(model: &HardModel, start: [StartingGrain; 2], end: f64, what: &str) -> Outcome {
    let mut engine = HardEngine::new(model.clone(), &start);
    let before = engine.measure();
    engine.run_until(end).unwrap();
    let after = engine.measure();
    let tally = engine.tally();
    assert_within(after.kinetic + tally.lost, before.kinetic, 1e-15, what);
    assert!(tally.lost >= 0.0, "{what}");
    let drift = (after.momentum - before.momentum).length();
    assert_within(drift, 0.0, 1e-15, what);
    assert!(engine.deepest_overlap() < 1e-14, "{what}");
    assert_eq!(tally.wall_collisions, 0, "{what}");
    Outcome {
        collisions: tally.collisions,
        change: start[0].velocity - engine.snapshot()[0].velocity,
    }
}

/// Two grains in a large periodic box, the first of which flies at the other and passes it at a distance of 1 m, to the
/// bit if `along` is an axis.
fn passing(
    place: DVec3,
    along: DVec3,
    across: DVec3,
    far: f64,
    radii: [f64; 2],
) -> [StartingGrain; 2] {
    let wrapped = |place: DVec3| place - 16.0 * (place / 16.0).floor();
    let start = place - far * along + across;
    [
        grain(wrapped(start), along, radii[0]),
        grain(wrapped(place), DVec3::ZERO, radii[1]),
    ]
}

/// In the middle of a cell or not, and across the sides of the domain.
const PLACES: [f64; 3] = [8.0, 5.25, 0.0];

#[test]
fn grazing_grains_collide_once_if_they_touch_and_not_if_they_do_not() {
    let (mut hits, mut misses) = (0, 0);
    for dimensions in [Dimensions::Two, Dimensions::Three] {
        for restitution in [1.0, 0.5] {
            let model = model(dimensions, 16.0, restitution);
            for (place, far) in PLACES
                .into_iter()
                .flat_map(|place| [(place, 0.75), (place, 6.0)])
            {
                for depth in DEPTHS.into_iter().flat_map(|depth| [-depth, depth]) {
                    let height = match dimensions {
                        Dimensions::Two => 0.5,
                        Dimensions::Three => place,
                    };
                    let place = DVec3::new(place, place, height);
                    let start = passing(place, DVec3::X, DVec3::Y, far, radii(depth));
                    let what =
                        format!("{dimensions:?}, {restitution}, {place} from {far}, {depth:e}");
                    let outcome = pass(&model, start, 2.0 * far, &what);
                    // The way there is rounded too: from afar, the last digit of its square is worth more.
                    let is_sure = depth.abs() >= if far > 1.0 { 2e-14 } else { 1e-15 };
                    if is_sure {
                        assert_eq!(outcome.collisions, u64::from(depth > 0.0), "{what}");
                    }
                    assert!(outcome.collisions <= 1, "{what}");
                    if outcome.collisions == 1 {
                        hits += 1;
                        // Along the line of centres, nearly Y, by half of what is turned around.
                        let contact = start[0].radius + start[1].radius;
                        let approach =
                            ((contact - 1.0) * (contact + 1.0)).max(0.0).sqrt() / contact;
                        let want = 0.5 * (1.0 + restitution) * approach;
                        let rounding = 1e-14 / depth.abs();
                        assert_within(outcome.change.length(), want, rounding * want + 1e-7, &what);
                        assert!(outcome.change.y < 0.0, "{what}");
                    } else {
                        misses += 1;
                        assert_eq!(outcome.change, DVec3::ZERO, "{what}");
                    }
                }
            }
        }
    }
    assert!(hits > 140 && misses > 140, "{hits} and {misses}");
}

/// Along any direction, where the distance itself is rounded.
#[test]
fn grazing_grains_collide_once_or_not_along_any_direction() {
    let model = model(Dimensions::Three, 16.0, 0.9);
    for turn in 0..40 {
        let (sin, cos) = (0.1 + 0.157 * f64::from(turn)).sin_cos();
        let along = DVec3::new(cos, 0.6 * sin, 0.8 * sin);
        let across = DVec3::new(-sin, 0.6 * cos, 0.8 * cos);
        for depth in DEPTHS.into_iter().flat_map(|depth| [-depth, depth]) {
            for far in [0.75, 6.0] {
                let place = DVec3::new(8.1, 7.3, 5.7);
                let start = passing(place, along, across, far, radii(depth));
                let what = format!("along {along} from {far}, {depth:e}");
                let outcome = pass(&model, start, 2.0 * far, &what);
                if depth.abs() >= 1e-13 {
                    assert_eq!(outcome.collisions, u64::from(depth > 0.0), "{what}");
                }
                assert!(outcome.collisions <= 1, "{what}");
                assert!(outcome.change.length() < 1e-4, "{what}");
            }
        }
    }
}

/// A touch without any depth exchanges nothing.
#[test]
fn grazing_grains_that_touch_in_one_point_pass() {
    let model = model(Dimensions::Three, 16.0, 0.5);
    for place in PLACES {
        for far in [0.0, 0.75, 2.0] {
            let place = DVec3::splat(place);
            let start = passing(place, DVec3::X, DVec3::Y, far, radii(0.0));
            let what = format!("{place} from {far}");
            let outcome = pass(&model, start, 4.0, &what);
            assert_eq!(outcome.collisions, 0, "{what}");
        }
    }
}

/// Grains in contact that move along each other, and towards each other by an angle: below rounding that is nothing,
/// above it they collide now, and once.
#[test]
fn grazing_grains_in_contact_collide_once_if_they_approach() {
    for restitution in [1.0, 0.5] {
        let model = model(Dimensions::Three, 16.0, restitution);
        for place in PLACES {
            for angle in [0.0, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-6] {
                let along = DVec3::new(1.0, -angle, 0.0);
                let place = DVec3::splat(place);
                let start = passing(place, along, DVec3::Y, 0.0, radii(0.0));
                let what = format!("{restitution}, {place}, {angle:e} rad");
                let outcome = pass(&model, start, 4.0, &what);
                assert_eq!(outcome.collisions, u64::from(angle > 5e-16), "{what}");
                let change = if angle > 5e-16 {
                    -0.5 * (1.0 + restitution) * angle * DVec3::Y
                } else {
                    DVec3::ZERO
                };
                assert!(
                    (outcome.change - change).length() <= 1e-15 * angle.sqrt(),
                    "{what}"
                );
            }
        }
    }
}

/// A box with walls below and above, endless to all other sides.
fn slit(restitution: f64) -> HardModel {
    let mut slit = model(Dimensions::Three, 8.0, restitution);
    slit.periodic[2] = false;
    slit.faces = [(0.0, DVec3::Z), (8.0, -DVec3::Z)]
        .map(|(height, normal)| Face {
            shape: FaceShape::Plane {
                point: height * DVec3::Z,
                normal,
                motion: None,
            },
            material: 0,
        })
        .to_vec();
    slit
}

/// A grain that slides along a wall through many cells and periods never hits it; one that comes down to it by an angle,
/// however small, hits it once, from wherever it starts.
#[test]
fn a_grain_grazing_a_wall_hits_it_once_if_it_approaches() {
    for restitution in [1.0, 0.5] {
        for speed in [-1e-3, 0.0, 1e-18, 1e-16, 1e-14, 1e-12, 1e-9, 1e-6] {
            for gap in [0.0, 1e-15, 1e-12, 1e-9] {
                let velocity = DVec3::new(1.0, 0.7, -speed);
                let start = grain(DVec3::new(1.0, 2.0, 0.5 + gap), velocity, 0.5);
                let mut engine = HardEngine::new(slit(restitution), &[start]);
                let before = engine.measure().kinetic;
                let what = format!("{restitution}, {speed:e} m/s from {gap:e} m");
                engine.run_until(200.0).unwrap();
                let due = speed > 0.0 && start.position.z - 0.5 <= 200.0 * speed;
                let tally = engine.tally();
                assert_eq!(tally.wall_collisions, u64::from(due), "{what}");
                let kinetic = engine.measure().kinetic;
                assert_within(kinetic + tally.lost, before, 1e-15, &what);
                let now = engine.snapshot()[0];
                assert_eq!(now.velocity.truncate(), velocity.truncate(), "{what}");
                let rise = if due { restitution * speed } else { -speed };
                assert_within(now.velocity.z, rise, 1e-15 * rise.abs(), &what);
                assert!(now.position.z >= 0.5, "{what}: {}", now.position.z);
            }
        }
    }
}

/// Under gravity it slides by flights of `t_c`, and its speed along the wall stays.
#[test]
fn a_grain_grazing_a_floor_under_gravity_slides_on() {
    let mut model = slit(0.5);
    model.gravity = -9.81 * DVec3::Z;
    model.contact_duration = 1e-3;
    let velocity = DVec3::new(1.0, 0.7, 0.0);
    let start = grain(DVec3::new(1.0, 2.0, 0.5), velocity, 0.5);
    let mut engine = HardEngine::new(model, &[start]);
    engine.run_until(20.0).unwrap();
    let now = engine.snapshot()[0];
    assert_eq!(now.velocity.truncate(), velocity.truncate());
    let rise = now.position.z - 0.5;
    assert!((0.0..1e-5).contains(&rise), "{rise:e}");
    // Flights of half of t_c.
    let hits = engine.tally().wall_collisions;
    assert!(hits.abs_diff(40_000) < 10, "{hits}");
}

/// Along the inside of a round wall it would hit it without end, which is said; along the outside it leaves.
#[test]
fn a_grain_grazing_a_round_wall_leaves_it_or_the_run_says_that_it_cannot() {
    let round = |inside: bool| {
        let mut model = model(Dimensions::Three, 8.0, 1.0);
        model.periodic = [false, false, true];
        let shape = FaceShape::Cylinder {
            point: DVec3::splat(4.0),
            axis: DVec3::Z,
            radius: 2.0,
            inside,
        };
        model.faces = vec![Face { shape, material: 0 }];
        model
    };
    let at =
        |distance: f64, velocity: DVec3| grain(DVec3::new(4.0, 4.0 + distance, 4.0), velocity, 0.5);
    let mut outside = HardEngine::new(round(false), &[at(2.5, DVec3::X)]);
    outside.run_until(3.5).unwrap();
    assert_eq!(outside.tally().wall_collisions, 0);

    let mut inside = HardEngine::new(round(true), &[at(1.5, DVec3::X)]);
    let Err(HardError::Collapse(collapse)) = inside.run_until(1.0) else {
        panic!("no collapse");
    };
    assert_eq!(collapse.particles, [0]);
    assert_eq!(inside.snapshot()[0].velocity, DVec3::X);
    // By an angle θ, chords of 2 · 1.5 m sin θ.
    for angle in [1e-2_f64, 1e-3] {
        let velocity = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let mut inside = HardEngine::new(round(true), &[at(1.5, velocity)]);
        inside.run_until(10.0).unwrap();
        let hits = inside.tally().wall_collisions as f64;
        assert_within(hits, 10.0 / (3.0 * angle.sin()), 1.5, "chords");
        assert_within(inside.measure().kinetic, 0.5, 1e-12, "energy");
        let out = (inside.snapshot()[0].position - 4.0).truncate().length();
        assert!(out <= 1.5 * (1.0 + 1e-14), "{out}");
    }
}
