//! Every collision in its order: against reference sequences, and against all pairs.

use crate::common::{assert_close, assert_within};
use crate::reference::{list, number, reference, rows, vector};
use crate::systems::{Random, close, gas, grain, model};
use glam::DVec3;
use lahar::hard::brute_force::BruteForce;
use lahar::hard::*;
use lahar::laws::hard_sphere::CollisionRule;
use lahar::laws::tc::Dimensions;

/// Chaos multiplies roundings; the reference lists by how much. Times are of order 1 to 100.
const ROUNDING: f64 = 1e-15;

fn collide_until_end(engine: &mut HardEngine, events: usize) -> Vec<Happened> {
    (0..events)
        .map(|_| engine.next_collision(f64::INFINITY).unwrap().unwrap())
        .collect()
}

#[test]
fn six_unequal_spheres_follow_the_reference() {
    let file = reference("tc_model");
    let file = &file["event_sequence_3d"];
    let mut model = model(Dimensions::Three, number(&file["box"]), number(&file["r"]));
    model.contact_duration = number(&file["t_c"]);
    let each = |key: &str| list(&file[key]).clone();
    let start: Vec<StartingGrain> = (0..6)
        .map(|i| StartingGrain {
            mass: number(&each("masses")[i]),
            ..grain(
                vector(&each("positions")[i]),
                vector(&each("velocities")[i]),
                number(&each("radii")[i]),
            )
        })
        .collect();
    let mut engine = HardEngine::new(model, &start);
    let events = list(&file["events"]);
    assert_eq!(events.len(), 40);
    let mut sensitivity = 100.0_f64;
    for (happened, want) in collide_until_end(&mut engine, 40).iter().zip(events) {
        let want: Vec<f64> = list(want)
            .iter()
            .map(|x| x.as_f64().unwrap_or(1e12))
            .collect();
        let what = format!("{happened:?}");
        let ids = [want[1] as u32, want[2] as u32];
        assert_eq!(happened.grain, ids[0].min(ids[1]), "{what}");
        assert_eq!(happened.hit, Hit::Grain(ids[0].max(ids[1])), "{what}");
        assert_eq!(happened.elastic, want[3] != 0.0, "{what}");
        // The reference moves one coordinate of one grain; others may matter more.
        sensitivity = sensitivity.max(want[5].abs());
        let bound = 100.0 * ROUNDING * sensitivity;
        assert_within(happened.time, want[0], bound, &what);
        assert_within(happened.impulse, want[4], bound, &what);
    }
}

#[test]
fn five_disks_follow_the_reference() {
    let file = reference("tc_model");
    let file = &file["event_sequence_2d"];
    let mut model = model(Dimensions::Two, number(&file["box"]), number(&file["r"]));
    model.contact_duration = number(&file["t_c"]);
    let start: Vec<StartingGrain> = list(&file["positions"])
        .iter()
        .zip(list(&file["velocities"]))
        .map(|(position, velocity)| {
            let place = vector(position) + 0.5 * DVec3::Z;
            grain(place, vector(velocity), number(&file["radius"]))
        })
        .collect();
    let mut engine = HardEngine::new(model, &start);
    let events = rows(&file["events"]);
    assert_eq!(events.len(), 40);
    for (n, (happened, want)) in collide_until_end(&mut engine, 40)
        .iter()
        .zip(&events)
        .enumerate()
    {
        let what = format!("event {n}: {happened:?}");
        let ids = [want[1] as u32, want[2] as u32];
        assert_eq!(happened.grain, ids[0].min(ids[1]), "{what}");
        assert_eq!(happened.hit, Hit::Grain(ids[0].max(ids[1])), "{what}");
        assert_eq!(happened.elastic, want[3] != 0.0, "{what}");
        // Strong dissipation: disturbances grow slowly.
        let bound = if n < 20 { 1e-9 } else { 1e-4 };
        assert_close(happened.time, want[0], bound, &what);
    }
}

/// Follows engine and all pairs as long as chaos lets them be compared: the state of all pairs is set
/// to that of the engine every few collisions.
fn compare(model: &HardModel, start: &[StartingGrain], events: usize, what: &str) {
    const STRIDE: usize = 8;
    /// Times and impulses after a few collisions, in units of order 1.
    const CLOSE: f64 = 1e-9;
    let mut engine = HardEngine::new(model.clone(), start);
    let mut pairs = BruteForce::new(model.clone(), start);
    let mut walls = 0;
    let mut elastic = 0;
    for event in 0..events {
        if event % STRIDE == 0 {
            pairs.meet(&engine);
        }
        let got = engine.next_collision(f64::INFINITY).unwrap().unwrap();
        let want = pairs.step().unwrap();
        let place = format!("{what}, event {event}: got {got:?}, want {want:?}");
        assert_eq!((got.grain, got.hit), (want.grain, want.hit), "{place}");
        assert_eq!(got.elastic, want.elastic, "{place}");
        assert_within(got.time, want.time, CLOSE, &place);
        assert_within(got.impulse, want.impulse, CLOSE, &place);
        assert_within(got.since, want.since, CLOSE, &place);
        walls += usize::from(matches!(got.hit, Hit::Face(_)));
        elastic += usize::from(got.elastic);
    }
    assert!(
        model.faces.is_empty() || walls > events / 20,
        "{what}: {walls} with walls"
    );
    assert!(
        model.contact_duration == 0.0 || elastic > 0,
        "{what}: no elastic ones"
    );
    assert!(engine.deepest_overlap() < 1e-12, "{what}");
}

fn rough() -> CollisionRule {
    CollisionRule::Walton {
        restitution: 0.97,
        tangential_restitution: 0.5,
        friction: 0.3,
    }
}

#[test]
fn spheres_in_a_period_collide_as_all_pairs_do() {
    let model = model(Dimensions::Three, 1.0, 0.999);
    compare(&model, &gas(&model, 4, 0.06..0.12, 1), 2000, "polydisperse");
    compare(&model, &gas(&model, 4, 0.1..0.1000001, 2), 2000, "equal");
    compare(
        &model,
        &gas(&model, 2, 0.2..0.24, 3),
        2000,
        "two cells per axis",
    );
    // Cells are much wider than grains.
    compare(&model, &gas(&model, 5, 0.03..0.04, 11), 2000, "small");
}

#[test]
fn disks_in_a_period_collide_as_all_pairs_do() {
    let mut model = model(Dimensions::Two, 1.0, 0.99);
    compare(&model, &gas(&model, 7, 0.03..0.07, 4), 2000, "disks");
    model.contact_duration = 0.01;
    model.rules = vec![rough()];
    compare(
        &model,
        &gas(&model, 7, 0.03..0.07, 5),
        2000,
        "rough disks, t_c",
    );
}

#[test]
fn grains_between_walls_collide_as_all_pairs_do() {
    let mut three = model(Dimensions::Three, 1.0, 0.999);
    close(&mut three);
    compare(&three, &gas(&three, 4, 0.05..0.12, 6), 2000, "box");
    let mut mixed = model(Dimensions::Three, 1.0, 0.999);
    mixed.periodic = [true, true, false];
    let mut closed = three.clone();
    close(&mut closed);
    mixed.faces = three.faces[4..].to_vec();
    compare(&mixed, &gas(&mixed, 4, 0.05..0.12, 7), 2000, "slit");
    compare(&mixed, &gas(&mixed, 5, 0.03..0.04, 12), 2000, "small");
}

#[test]
fn falling_grains_collide_as_all_pairs_do() {
    let mut three = model(Dimensions::Three, 1.0, 0.999);
    close(&mut three);
    three.gravity = DVec3::new(0.1, -0.2, -1.5);
    compare(
        &three,
        &gas(&three, 4, 0.05..0.12, 8),
        2000,
        "falling in a box",
    );
    let mut two = model(Dimensions::Two, 1.0, 0.999);
    close(&mut two);
    two.gravity = DVec3::new(0.0, -3.0, 0.0);
    two.rules = vec![rough()];
    two.contact_duration = 0.005;
    compare(&two, &gas(&two, 6, 0.03..0.07, 9), 2000, "falling disks");
}

#[test]
fn held_grains_and_materials_collide_as_all_pairs_do() {
    let mut model = model(Dimensions::Three, 1.0, 0.999);
    let mut start = gas(&model, 4, 0.05..0.12, 10);
    model.materials = 2;
    let rule = |restitution| CollisionRule::Smooth { restitution };
    model.rules = vec![rule(1.0), rule(0.98), rule(0.98), rough()];
    let mut random = Random(3);
    for grain in &mut start {
        grain.fixed = random.unit() < 0.1;
        grain.material = u16::from(random.unit() < 0.5);
        grain.spin = DVec3::new(1.0, -2.0, random.between(-3.0, 3.0));
        if grain.fixed {
            grain.velocity = DVec3::ZERO;
            grain.spin = DVec3::ZERO;
        }
    }
    compare(&model, &start, 2000, "held");
}

fn plane(point: DVec3, normal: DVec3, motion: Option<WallMotion>) -> Face {
    let shape = FaceShape::Plane {
        point,
        normal,
        motion,
    };
    Face { shape, material: 0 }
}

/// A motion along the upward axis and across it.
fn shaking(up: DVec3, velocity: f64, amplitude: f64, frequency: f64) -> WallMotion {
    WallMotion {
        velocity: velocity * up + 0.3 * DVec3::X,
        amplitude: amplitude * (up + 0.2 * DVec3::X),
        frequency,
        phase: 0.7,
    }
}

/// Grains above a plate, in a box with room below it.
fn above_plate(dimensions: Dimensions, motion: WallMotion) -> HardModel {
    let mut model = model(dimensions, 1.0, 0.95);
    close(&mut model);
    let axis = match dimensions {
        Dimensions::Two => 1,
        Dimensions::Three => 2,
    };
    let up = DVec3::AXES[axis];
    model.lower -= 0.4 * up;
    model.faces[2 * axis] = plane(-0.06 * up, up, Some(motion));
    model
}

/// Grains as of a domain that is a unit cube, or square, whatever the model says.
fn unit_gas(
    model: &HardModel,
    per_axis: usize,
    radius: std::ops::Range<f64>,
    seed: u64,
) -> Vec<StartingGrain> {
    let unit = HardModel {
        lower: DVec3::ZERO,
        upper: DVec3::ONE,
        ..model.clone()
    };
    gas(&unit, per_axis, radius, seed)
}

#[test]
fn grains_on_a_plate_that_shakes_collide_as_all_pairs_do() {
    for (frequency, amplitude) in [(0.7, 0.05), (4.0, 0.02), (40.0, 0.003)] {
        let motion = shaking(DVec3::Z, 0.0, amplitude, frequency);
        let mut three = above_plate(Dimensions::Three, motion);
        three.gravity = DVec3::new(0.1, 0.0, -2.0);
        let what = format!("plate at {frequency} Hz");
        compare(&three, &unit_gas(&three, 4, 0.05..0.12, 13), 2000, &what);
    }
    let motion = shaking(DVec3::Y, 0.0, 0.02, 4.0);
    let mut two = above_plate(Dimensions::Two, motion);
    compare(&two, &unit_gas(&two, 6, 0.03..0.07, 14), 2000, "no gravity");
    two.gravity = DVec3::new(0.0, -2.0, 0.0);
    two.rules = vec![rough()];
    two.contact_duration = 0.005;
    let what = "rough disks on a plate, t_c";
    compare(&two, &unit_gas(&two, 6, 0.03..0.07, 15), 2000, what);
}

#[test]
fn grains_and_a_plane_that_moves_on_collide_as_all_pairs_do() {
    // In 2000 collisions it comes less far than there is room.
    for speed in [-0.02, 0.005] {
        let motion = shaking(DVec3::Z, speed, 0.0, 0.0);
        let mut three = above_plate(Dimensions::Three, motion);
        let what = format!("plane at {speed} m/s");
        compare(&three, &unit_gas(&three, 4, 0.05..0.12, 16), 2000, &what);
        three.gravity = DVec3::new(0.1, 0.0, -2.0);
        three.rules = vec![rough()];
        compare(&three, &unit_gas(&three, 4, 0.05..0.12, 17), 2000, &what);
    }
    let motion = shaking(DVec3::Y, -0.008, 0.01, 3.0);
    let two = above_plate(Dimensions::Two, motion);
    let what = "sinks and shakes";
    compare(&two, &unit_gas(&two, 6, 0.03..0.07, 18), 2000, what);
}

/// A round wall around the unit cube, or square.
fn in_round(dimensions: Dimensions, sphere: bool) -> HardModel {
    let mut model = model(dimensions, 1.0, 0.999);
    let middle = DVec3::splat(0.5);
    let shape = if sphere {
        model.periodic = [false; 3];
        FaceShape::Sphere {
            center: middle,
            radius: 0.87,
            inside: true,
        }
    } else {
        model.periodic[0] = false;
        model.periodic[1] = false;
        FaceShape::Cylinder {
            point: middle,
            axis: DVec3::Z,
            radius: 0.72,
            inside: true,
        }
    };
    model.faces = vec![Face { shape, material: 0 }];
    for axis in 0..3 {
        if !model.periodic[axis] && (dimensions == Dimensions::Three || axis < 2) {
            model.lower[axis] -= 0.4;
            model.upper[axis] += 0.4;
        }
    }
    model
}

#[test]
fn grains_in_round_walls_collide_as_all_pairs_do() {
    for gravity in [DVec3::ZERO, DVec3::new(0.4, -1.5, 0.0)] {
        let mut tube = in_round(Dimensions::Three, false);
        tube.gravity = gravity;
        let what = format!("tube, {gravity}");
        compare(&tube, &unit_gas(&tube, 4, 0.05..0.12, 19), 2000, &what);
        tube.rules = vec![rough()];
        compare(&tube, &unit_gas(&tube, 4, 0.05..0.12, 20), 2000, &what);
        let mut bowl = in_round(Dimensions::Three, true);
        bowl.gravity = gravity;
        let what = format!("sphere, {gravity}");
        compare(&bowl, &unit_gas(&bowl, 4, 0.05..0.12, 21), 2000, &what);
        let mut ring = in_round(Dimensions::Two, false);
        ring.gravity = gravity;
        let what = format!("ring, {gravity}");
        compare(&ring, &unit_gas(&ring, 6, 0.03..0.07, 22), 2000, &what);
    }
}

/// Grains that keep clear of a sphere around a place, or in two dimensions of a disk.
fn clear_of(
    start: Vec<StartingGrain>,
    place: DVec3,
    radius: f64,
    across: DVec3,
) -> Vec<StartingGrain> {
    let is_clear = |grain: &StartingGrain| {
        ((grain.position - place) * across).length() > radius + grain.radius
    };
    start.into_iter().filter(is_clear).collect()
}

#[test]
fn grains_around_round_walls_collide_as_all_pairs_do() {
    let middle = DVec3::splat(0.5);
    for gravity in [DVec3::ZERO, DVec3::new(0.2, -0.3, -1.5)] {
        let post = FaceShape::Cylinder {
            point: middle,
            axis: DVec3::Z,
            radius: 0.2,
            inside: false,
        };
        let ball = FaceShape::Sphere {
            center: middle,
            radius: 0.3,
            inside: false,
        };
        for (shape, across) in [(post, DVec3::new(1.0, 1.0, 0.0)), (ball, DVec3::ONE)] {
            let mut three = model(Dimensions::Three, 1.0, 0.999);
            close(&mut three);
            three.gravity = gravity;
            three.faces.push(Face { shape, material: 0 });
            let start = clear_of(gas(&three, 5, 0.05..0.09, 23), middle, 0.3, across);
            assert!(start.len() > 50);
            compare(&three, &start, 2000, &format!("{shape:?}, {gravity}"));
        }
    }
}

/// Holds some of the grains.
fn hold(start: &mut [StartingGrain], part: f64, seed: u64) {
    let mut random = Random(seed);
    for grain in start {
        if random.unit() < part {
            grain.fixed = true;
            grain.velocity = DVec3::ZERO;
        }
    }
}

/// Parabolas against spheres.
#[test]
fn grains_that_fall_on_held_ones_collide_as_all_pairs_do() {
    let mut three = model(Dimensions::Three, 1.0, 0.99);
    close(&mut three);
    three.gravity = DVec3::new(0.1, -0.2, -2.0);
    let mut start = gas(&three, 4, 0.05..0.12, 24);
    hold(&mut start, 0.25, 5);
    compare(&three, &start, 2000, "held in a box");
    // Faster and faster through the sides, but for those that are held.
    let mut periodic = model(Dimensions::Three, 1.0, 0.8);
    periodic.gravity = three.gravity;
    periodic.rules = vec![rough()];
    let mut start = gas(&periodic, 4, 0.05..0.12, 25);
    hold(&mut start, 0.25, 6);
    compare(&periodic, &start, 2000, "held in a period");
    let mut two = model(Dimensions::Two, 1.0, 0.9);
    two.gravity = DVec3::new(0.0, -3.0, 0.0);
    let mut start = gas(&two, 6, 0.03..0.07, 26);
    hold(&mut start, 0.2, 7);
    compare(&two, &start, 2000, "held disks in a period");
}

#[test]
fn grains_that_fall_in_periods_collide_as_all_pairs_do() {
    let mut slit = model(Dimensions::Three, 1.0, 0.99);
    close(&mut slit);
    slit.periodic = [true, true, false];
    slit.faces.drain(..4);
    // Across the walls and along the periods.
    slit.gravity = DVec3::new(0.7, -0.2, -1.5);
    compare(&slit, &gas(&slit, 4, 0.05..0.12, 27), 2000, "slit");
    let mut free = model(Dimensions::Three, 1.0, 0.999);
    free.gravity = DVec3::new(0.7, -0.2, -1.5);
    compare(&free, &gas(&free, 4, 0.05..0.12, 28), 2000, "all periodic");
    let mut two = model(Dimensions::Two, 1.0, 0.99);
    close(&mut two);
    two.periodic = [true, false, false];
    two.faces.drain(..2);
    two.gravity = DVec3::new(0.5, -2.0, 0.0);
    compare(&two, &gas(&two, 6, 0.03..0.07, 29), 2000, "disks");
}

#[test]
fn every_rule_makes_grains_collide_as_all_pairs_do() {
    let rubin = CollisionRule::Rubin {
        restitution: 0.97,
        exponent: 0.6,
        friction: 0.4,
    };
    // Restitutions of about 0.98.
    let viscoelastic = CollisionRule::Viscoelastic {
        viscoelastic_time: 3e-5,
        stiffness: 1e6,
    };
    for rule in [rubin, viscoelastic] {
        let mut three = model(Dimensions::Three, 1.0, 1.0);
        three.rules = vec![rule];
        let what = format!("{rule:?}, spheres");
        compare(&three, &gas(&three, 4, 0.05..0.12, 30), 2000, &what);
        close(&mut three);
        three.gravity = DVec3::new(0.1, -0.2, -1.5);
        let what = format!("{rule:?}, falling spheres");
        compare(&three, &gas(&three, 4, 0.05..0.12, 31), 2000, &what);
        let mut two = model(Dimensions::Two, 1.0, 1.0);
        two.rules = vec![rule];
        two.contact_duration = 0.003;
        let what = format!("{rule:?}, disks, t_c");
        compare(&two, &gas(&two, 7, 0.03..0.07, 32), 2000, &what);
        close(&mut two);
        two.gravity = DVec3::new(0.0, -2.0, 0.0);
        let what = format!("{rule:?}, falling disks, t_c");
        compare(&two, &gas(&two, 6, 0.03..0.07, 33), 2000, &what);
    }
}

/// Pairs that all meet at t = 1. Whichever grain of a pair holds the event, the pair with the smallest id comes first.
#[test]
fn simultaneous_collisions_come_in_the_order_of_the_smaller_ids() {
    let model = model(Dimensions::Three, 16.0, 1.0);
    let places = [(9.0, 2.0), (1.0, 8.0), (5.0, 5.0), (3.0, 1.0)];
    // Ids of each pair, the grain with the smaller y first.
    for ids in [
        [[0, 1], [2, 3], [4, 5], [6, 7]],
        [[1, 0], [3, 2], [5, 4], [7, 6]],
        [[7, 0], [6, 1], [5, 2], [4, 3]],
        [[0, 7], [6, 1], [2, 5], [4, 3]],
        [[3, 4], [2, 5], [1, 6], [0, 7]],
    ] {
        let mut start = vec![grain(DVec3::ZERO, DVec3::ZERO, 0.25); 8];
        for ((x, y), pair) in places.into_iter().zip(ids) {
            for (side, id) in [-1.0, 1.0].into_iter().zip(pair) {
                let place = DVec3::new(x, y + side, 5.0);
                start[id] = grain(place, DVec3::Y * -side * 0.75, 0.25);
            }
        }
        let mut want = ids.map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]);
        want.sort_unstable();
        let mut engine = HardEngine::new(model.clone(), &start);
        for pair in want {
            let got = engine.next_collision(f64::INFINITY).unwrap().unwrap();
            assert_eq!(got.time, 1.0, "{ids:?}");
            let hit = Hit::Grain(pair[1] as u32);
            assert_eq!((got.grain, got.hit), (pair[0] as u32, hit), "{ids:?}");
        }
    }
}

/// Grains that meet several others, and a wall, at the same instant: all pairs, which go through ids in order, say who
/// comes first. Coordinates and speeds are sums of few powers of two, so that the times are equal to the bit.
#[test]
fn simultaneous_collisions_of_one_grain_come_in_the_order_of_ids() {
    // Three cells of 3 m along each axis.
    let mut model = model(Dimensions::Two, 9.0, 1.0);
    close(&mut model);
    // One in the middle that four hit at t = 1, and two that then hit each other and a wall.
    let still = |x: f64, y: f64| grain(DVec3::new(x, y, 0.5), DVec3::ZERO, 0.25);
    let moving = |x: f64, y: f64, velocity: DVec3| grain(DVec3::new(x, y, 0.5), velocity, 0.25);
    let cast = [
        still(4.0, 4.0),
        moving(2.5, 4.0, DVec3::X),
        moving(5.5, 4.0, -DVec3::X),
        moving(4.0, 2.5, DVec3::Y),
        moving(4.0, 5.5, -DVec3::Y),
        moving(1.5, 7.75, DVec3::Y),
        moving(2.5, 7.75, DVec3::new(-0.5, 1.0, 0.0)),
        moving(1.5, 2.0, DVec3::Y),
    ];
    let mut random = Random(4);
    let mut first = Vec::new();
    for shuffle in 0..200 {
        let mut start = cast.to_vec();
        for last in (1..start.len()).rev() {
            start.swap(last, (random.unit() * (last + 1) as f64) as usize);
        }
        let mut engine = HardEngine::new(model.clone(), &start);
        let mut pairs = BruteForce::new(model.clone(), &start);
        for event in 0..6 {
            let got = engine.next_collision(f64::INFINITY).unwrap().unwrap();
            let want = pairs.step().unwrap();
            let place = format!("{shuffle}, event {event}: got {got:?}, want {want:?}");
            assert_eq!((got.grain, got.hit), (want.grain, want.hit), "{place}");
            assert_within(got.time, want.time, 1e-12, &place);
            if event == 0 {
                assert_eq!(got.time, 1.0, "{place}");
                first.push((got.grain, got.hit));
            }
        }
    }
    first.sort_unstable();
    first.dedup();
    assert!(first.len() > 8, "{} beginnings", first.len());
}
