//! Grains and walls: bounces, rest, collapse, curved and moving walls.

use crate::common::{assert_close, assert_within};
use crate::reference::{list, number, reference};
use crate::systems::{Random, gas, grain, model};
use glam::DVec3;
use lahar::hard::*;
use lahar::laws::tc::*;

fn plane(point: DVec3, normal: DVec3, motion: Option<WallMotion>) -> Face {
    Face {
        shape: FaceShape::Plane {
            point,
            normal,
            motion,
        },
        material: 0,
    }
}

/// A ball about to hit the floor of a high, closed room.
fn ball(speed: f64, restitution: f64, gravity: f64) -> (HardModel, Vec<StartingGrain>) {
    let mut model = model(Dimensions::Three, 1.0, restitution);
    model.periodic = [true, true, false];
    model.gravity = DVec3::new(0.0, 0.0, -gravity);
    model.faces = vec![plane(DVec3::ZERO, DVec3::Z, None)];
    let start = grain(DVec3::new(0.5, 0.5, 0.01), DVec3::Z * -speed, 0.01);
    (model, vec![start])
}

/// Section 4.2 of Luding & McNamara.
#[test]
fn a_bouncing_ball_comes_to_rest_as_the_theory_says() {
    let file = reference("tc_model");
    for case in list(&file["bouncing_ball"]) {
        let at = |key: &str| number(&case[key]);
        let bouncing = Bouncing {
            speed: at("v1"),
            restitution: at("r"),
            gravity: at("g"),
        };
        let (mut model, start) = ball(at("v1"), at("r"), at("g"));
        model.contact_duration = at("t_c");
        let mut engine = HardEngine::new(model, &start);
        let mut inelastic = 0;
        let mut last = 0.0;
        loop {
            let happened = engine.next_collision(f64::INFINITY).unwrap().unwrap();
            if happened.elastic {
                // The first impact that loses nothing: the flight before it was shorter than t_c.
                assert_close(happened.time, at("t_s_TC_exact_sum"), 1e-11, "t_s");
                assert_close(
                    happened.time - last,
                    at("final_period"),
                    1e-9,
                    "last flight",
                );
                break;
            }
            inelastic += 1;
            last = happened.time;
        }
        assert_eq!(inelastic, bouncing.impacts_until_static(at("t_c")), "n_s");

        // Rest: a hundred bounces give the weight, and all energy is pseudo-elastic.
        let period = at("final_period");
        let begun = engine.time() + 0.5 * period;
        engine.run_until(begun).unwrap();
        let before = engine.tally().face_impulses[0].z;
        let (mut height, mut kinetic) = (0.0, 0.0);
        let samples = 400;
        for sample in 1..=samples {
            let share = (f64::from(sample) - 0.5) / f64::from(samples);
            engine.run_until(begun + period * share).unwrap();
            let now = engine.measure();
            height += (engine.snapshot()[0].position.z - 0.01) / f64::from(samples);
            kinetic += now.kinetic / f64::from(samples);
            assert_eq!(now.pseudo_elastic, now.kinetic);
        }
        engine.run_until(begun + 100.0 * period).unwrap();
        let force = (engine.tally().face_impulses[0].z - before) / (100.0 * period);
        assert_close(force, -at("g"), 1e-8, "weight");
        assert_close(
            height,
            at("g") * period * period / 12.0,
            1e-3,
            "mean height",
        );
        let energy = (at("g") * period).powi(2) / 24.0;
        assert_close(kinetic, energy, 1e-3, "mean energy");
        assert!(engine.snapshot()[0].position.z >= 0.01 * (1.0 - 1e-12));
    }
}

#[test]
fn without_tc_a_bouncing_ball_collapses_and_the_run_says_so() {
    let (model, start) = ball(1.0, 0.9, 9.81);
    let bouncing = Bouncing {
        speed: 1.0,
        restitution: 0.9,
        gravity: 9.81,
    };
    let mut engine = HardEngine::new(model, &start);
    let Err(HardError::Collapse(collapse)) = engine.run_until(10.0) else {
        panic!("no collapse");
    };
    assert_eq!(collapse.particles, [0]);
    assert_within(collapse.time, bouncing.rest_time(), 1e-9, "t_s of (8)");
}

/// Disks in a row between two walls that close in: the inelastic collapse of one dimension.
#[test]
fn a_row_of_disks_collapses_without_tc_and_not_with_it() {
    let mut model = model(Dimensions::Two, 1.0, 0.1);
    let start: Vec<_> = (0..6)
        .map(|i| {
            let x = 0.1 + 0.15 * f64::from(i);
            let velocity = DVec3::X * if i < 3 { 1.0 } else { -1.0 };
            grain(DVec3::new(x, 0.5, 0.5), velocity, 0.05)
        })
        .collect();
    let mut engine = HardEngine::new(model.clone(), &start);
    let Err(HardError::Collapse(collapse)) = engine.run_until(10.0) else {
        panic!("no collapse");
    };
    // Not only the pair that collides last.
    assert!(collapse.particles.len() >= 5, "{collapse:?}");
    assert!(collapse.time < 1.0, "{collapse:?}");
    model.contact_duration = 1e-6;
    let mut engine = HardEngine::new(model, &start);
    engine.run_until(10.0).unwrap();
    assert!(engine.tally().elastic_collisions > 0);
    assert!(engine.deepest_overlap() < 1e-12);
}

/// Runs grains that rest, and says what they press on all faces with, N along z, averaged over the run.
fn weight_at_rest(model: &HardModel, start: &[StartingGrain], end: f64) -> f64 {
    let mut engine = HardEngine::new(model.clone(), start);
    let energy = |engine: &HardEngine| {
        let now = engine.measure();
        (now.kinetic + now.potential, now.momentum.z)
    };
    let (before, _) = energy(&engine);
    engine.run_until(end).unwrap();
    let (after, momentum) = energy(&engine);
    let tally = engine.tally();
    assert_within(
        after + tally.lost - tally.work,
        before,
        1e-11 * before.abs(),
        "balance",
    );
    // Flights are of about t_c, and no grain gets far.
    let height = 9.81 * model.contact_duration.powi(2);
    for (now, then) in engine.snapshot().iter().zip(start) {
        let rise = now.position.z - then.position.z;
        assert!(
            rise.abs() <= height * start.len() as f64,
            "{rise:e} of {now:?}"
        );
    }
    assert!(engine.deepest_overlap() < 1e-12);
    let impulse: f64 = tally.face_impulses.iter().map(|impulse| impulse.z).sum();
    (impulse + momentum) / end
}

/// A grain that lies on the floor from the start bounces by no more than the contact lasts.
#[test]
fn a_grain_at_rest_on_the_floor_is_carried_with_tc() {
    for (radius, duration) in [(0.0625, 1e-3), (0.01, 1e-3), (0.01, 1e-5), (0.0123, 1e-4)] {
        let (mut model, mut start) = ball(0.0, 0.9, 9.81);
        model.contact_duration = duration;
        start[0].radius = radius;
        start[0].position.z = radius;
        let weight = weight_at_rest(&model, &start, 0.5);
        assert_close(weight, -9.81, 1e-9, "weight");
    }
}

#[test]
fn a_column_of_touching_grains_is_carried_with_tc() {
    for (count, radii) in [(3, [0.0625; 2]), (3, [0.01; 2]), (8, [0.011, 0.007])] {
        let (mut model, _) = ball(0.0, 0.8, 9.81);
        model.contact_duration = 1e-3;
        let mut height = 0.0;
        let start: Vec<_> = (0..count)
            .map(|k| {
                let radius = radii[k % 2];
                height += 2.0 * radius;
                let place = DVec3::new(0.5, 0.5, height - radius);
                StartingGrain {
                    mass: (radius / radii[0]).powi(3),
                    ..grain(place, DVec3::ZERO, radius)
                }
            })
            .collect();
        let mass: f64 = start.iter().map(|grain| grain.mass).sum();
        let weight = weight_at_rest(&model, &start, 0.5);
        assert_close(weight, -9.81 * mass, 1e-9, "weight");
    }
}

/// On a grain that is held, in a round wall, on a plate that shakes gently.
#[test]
fn grains_at_rest_are_carried_by_whatever_they_lie_on() {
    let (mut model, start) = ball(0.0, 0.8, 9.81);
    model.contact_duration = 1e-3;
    let lying = StartingGrain {
        velocity: DVec3::ZERO,
        ..start[0]
    };
    let held = StartingGrain {
        position: lying.position - DVec3::Z * 0.02 + DVec3::Z * 0.1,
        fixed: true,
        ..lying
    };
    let above = StartingGrain {
        position: lying.position + DVec3::Z * 0.1,
        ..lying
    };
    let mut engine = HardEngine::new(model.clone(), &[held, above]);
    engine.run_until(0.1).unwrap();
    let rise = engine.snapshot()[1].position.z - above.position.z;
    assert!((0.0..1e-5).contains(&rise), "{rise:e}");

    let mut round = model.clone();
    round.faces = vec![Face {
        shape: FaceShape::Cylinder {
            point: DVec3::new(0.5, 0.0, 0.5),
            axis: DVec3::Y,
            radius: 0.4,
            inside: true,
        },
        material: 0,
    }];
    let bottom = StartingGrain {
        position: DVec3::new(0.5, 0.5, 0.11),
        ..lying
    };
    let mut engine = HardEngine::new(round, &[bottom]);
    engine.run_until(0.1).unwrap();
    let rise = engine.snapshot()[0].position.z - 0.11;
    assert!((-1e-14..1e-5).contains(&rise), "{rise:e}");

    let motion = WallMotion {
        velocity: DVec3::ZERO,
        amplitude: DVec3::Z * 1e-3,
        frequency: 5.0,
        phase: 0.25 * std::f64::consts::TAU,
    };
    let mut shaken = model.clone();
    shaken.faces = vec![plane(DVec3::Z * 0.1, DVec3::Z, Some(motion))];
    let riding = StartingGrain {
        position: DVec3::new(0.5, 0.5, 0.111),
        ..lying
    };
    let mut engine = HardEngine::new(shaken, &[riding]);
    for step in 1..=100 {
        let time = 0.005 * f64::from(step);
        engine.run_until(time).unwrap();
        let plate = 0.1 + 1e-3 * (std::f64::consts::TAU * (5.0 * time + 0.25)).sin();
        let gap = engine.snapshot()[0].position.z - 0.01 - plate;
        assert!((-1e-14..1e-4).contains(&gap), "{gap:e} at {time}");
    }
}

/// Without `t_c` there is nothing that could carry it.
#[test]
fn without_tc_a_grain_at_rest_collapses_at_once() {
    let (model, start) = ball(0.0, 0.9, 9.81);
    let mut engine = HardEngine::new(model, &start);
    let Err(HardError::Collapse(collapse)) = engine.run_until(1.0) else {
        panic!("no collapse");
    };
    assert!(collapse.time < 1e-6, "{collapse:?}");
}

/// Elastic grains in round walls keep their energy and stay inside, with and without gravity.
#[test]
fn grains_stay_in_round_walls() {
    let middle = DVec3::splat(0.5);
    for gravity in [DVec3::ZERO, DVec3::new(0.3, -0.2, -2.0)] {
        for sphere in [false, true] {
            let mut model = model(Dimensions::Three, 1.0, 1.0);
            model.periodic = [false; 3];
            model.gravity = gravity;
            let shape = if sphere {
                FaceShape::Sphere {
                    center: middle,
                    radius: 0.45,
                    inside: true,
                }
            } else {
                FaceShape::Cylinder {
                    point: middle,
                    axis: DVec3::Z,
                    radius: 0.45,
                    inside: true,
                }
            };
            model.faces = vec![
                Face { shape, material: 0 },
                plane(DVec3::Z * 0.02, DVec3::Z, None),
                plane(DVec3::Z * 0.98, -DVec3::Z, None),
                Face {
                    shape: FaceShape::Sphere {
                        center: middle,
                        radius: 0.1,
                        inside: false,
                    },
                    material: 0,
                },
            ];
            let mut random = Random(16);
            let start: Vec<_> = (0..12)
                .map(|i| {
                    let (sin, cos) = (0.52 * f64::from(i)).sin_cos();
                    let place = middle + 0.25 * DVec3::new(cos, sin, 0.0);
                    grain(place, random.vector(), 0.05)
                })
                .collect();
            let mut engine = HardEngine::new(model, &start);
            let energy = |engine: &HardEngine| {
                let now = engine.measure();
                now.kinetic + now.potential
            };
            let before = energy(&engine);
            for step in 1..=200 {
                engine.run_until(0.1 * f64::from(step)).unwrap();
                for now in engine.snapshot() {
                    let way = now.position - middle;
                    let out = if sphere { way } else { way.with_z(0.0) };
                    assert!(
                        out.length() <= 0.4 * (1.0 + 1e-12),
                        "{gravity} {sphere} {now:?}"
                    );
                    assert!(
                        way.length() >= 0.15 * (1.0 - 1e-12),
                        "{gravity} {sphere} {now:?}"
                    );
                }
            }
            let tally = engine.tally();
            let scale = engine.measure().kinetic.max(before.abs());
            assert_within(energy(&engine), before, 1e-10 * scale, "energy");
            assert!(
                tally.wall_collisions > 300 && tally.collisions > 30,
                "{tally:?}"
            );
        }
    }
}

/// A grain falls on one that is held: parabolas against a sphere.
#[test]
fn a_grain_bounces_on_one_that_is_held() {
    let mut model = model(Dimensions::Three, 1.0, 1.0);
    model.periodic = [true, true, false];
    model.gravity = DVec3::new(0.0, 0.0, -9.81);
    model.faces = vec![plane(DVec3::ZERO, DVec3::Z, None)];
    let held = StartingGrain {
        fixed: true,
        ..grain(DVec3::new(0.5, 0.5, 0.2), DVec3::ZERO, 0.1)
    };
    let falling = grain(DVec3::new(0.52, 0.49, 0.6), DVec3::ZERO, 0.05);
    let mut engine = HardEngine::new(model, &[held, falling]);
    let now = engine.measure();
    let before = now.kinetic + now.potential;
    let first = engine.next_collision(10.0).unwrap().unwrap();
    assert_eq!((first.grain, first.hit), (0, Hit::Grain(1)));
    let height = 0.2 + (0.15_f64.powi(2) - 0.0005).sqrt();
    let time = (2.0 * (0.6 - height) / 9.81).sqrt();
    assert_close(first.time, time, 1e-12, "first touch");
    for step in 1..=500 {
        engine.run_until(0.6 + 0.02 * f64::from(step)).unwrap();
        let now = engine.snapshot();
        let mut way = now[1].position - now[0].position;
        way -= way.round() * DVec3::new(1.0, 1.0, 0.0);
        assert!(way.length() >= 0.15 * (1.0 - 1e-12));
    }
    let now = engine.measure();
    assert_close(now.kinetic + now.potential, before, 1e-10, "energy");
    assert!(engine.tally().collisions > 3, "{:?}", engine.tally());
}

/// A plate that shakes: no grain passes through it, and what it gives is booked.
#[test]
fn a_shaking_plate_keeps_grains_above_it() {
    let mut model = model(Dimensions::Three, 1.0, 0.9);
    model.periodic = [true, true, false];
    model.gravity = DVec3::new(0.0, 0.0, -9.81);
    model.upper.z = 20.0;
    model.contact_duration = 1e-5;
    let motion = WallMotion {
        velocity: DVec3::ZERO,
        amplitude: DVec3::Z * 0.01,
        frequency: 30.0,
        phase: 0.3,
    };
    model.faces = vec![plane(DVec3::Z * 0.02, DVec3::Z, Some(motion))];
    let start: Vec<_> = gas(&model, 4, 0.05..0.08, 17)
        .into_iter()
        .map(|grain| StartingGrain {
            position: grain.position + DVec3::Z * 0.1,
            ..grain
        })
        .collect();
    let mut engine = HardEngine::new(model, &start);
    let energy = |engine: &HardEngine| {
        let now = engine.measure();
        now.kinetic + now.potential
    };
    let before = energy(&engine);
    for step in 1..=2000 {
        let time = 1e-3 * f64::from(step);
        engine.run_until(time).unwrap();
        let plate = 0.02 + 0.01 * (std::f64::consts::TAU * 30.0 * time + 0.3).sin();
        for now in engine.snapshot() {
            let gap = now.position.z - now.radius - plate;
            assert!(gap >= -1e-12 * now.radius, "{gap:e} at {time}: {now:?}");
        }
    }
    let tally = engine.tally();
    assert!(tally.work > 0.0 && tally.wall_collisions > 200, "{tally:?}");
    let balance = energy(&engine) + tally.lost - tally.work;
    assert_close(balance, before, 1e-11, "balance");
}

#[test]
fn grains_that_leave_end_the_run_or_are_counted() {
    let mut model = model(Dimensions::Three, 1.0, 1.0);
    model.periodic = [false; 3];
    let start = [
        grain(DVec3::splat(0.5), DVec3::X, 0.1),
        grain(DVec3::new(0.1, 0.2, 0.3), DVec3::ZERO, 0.05),
    ];
    let mut engine = HardEngine::new(model.clone(), &start);
    let Err(HardError::Left { particle, time, .. }) = engine.run_until(2.0) else {
        panic!("it left");
    };
    assert_eq!(particle, 0);
    assert_close(time, 0.5, 1e-14, "when");
    model.leaving = Leaving::Remove;
    let mut engine = HardEngine::new(model, &start);
    engine.run_until(2.0).unwrap();
    assert_eq!((engine.particles(), engine.tally().removed), (1, 1));
    assert_eq!(engine.snapshot()[0].id, 1);
}
