//! The whole engine, with instructions that a processor would not choose by itself.

use super::processor::{Processor, last_cache};
use super::upkeep::inner_skin;
use super::{CpuEngine, bytes_per_particle};
use crate::scene::{Leaving, Particle, Scene, WallShape};
use crate::time_step::{StepAdvice, time_step};
use beds::{CONTAINERS, Container, RADIUS, assert_same, bed, law_combinations};
use glam::DVec3;

#[path = "../../tests/common/beds.rs"]
#[allow(dead_code, reason = "beds are there for other tests too")]
#[allow(clippy::expect_used, reason = "a test says what it expects")]
mod beds;

/// Steps in which contacts begin, slide and end.
const STEPS: u64 = 300;

/// Slow and fast, up to grains that pass each other in a step.
#[test]
fn an_inner_skin_is_thicker_than_the_way_of_a_step() {
    let mut last = 0.0;
    for k in 0..400 {
        let closer = 1e-9 * 1.06_f64.powi(k);
        let skin = inner_skin(closer);
        assert!(skin >= 1.25 * closer && skin >= 0.0015, "{closer}: {skin}");
        assert!(skin >= last, "{closer}: {skin} after {last}");
        last = skin;
    }
    assert!(inner_skin(0.0) > 0.0);
}

/// What is reckoned for a run: more where the state is kept, which fluids and small beds do without.
#[test]
fn memory_is_reckoned_with_what_is_kept() {
    let [usual, rolls] = [8, 9].map(|k| law_combinations()[k]);
    let large = last_cache() / 100;
    let small = bytes_per_particle(&usual, true, 1000);
    let kept = bytes_per_particle(&usual, true, large) - small;
    // A body, a motion and almost three slots.
    assert!((300.0..350.0).contains(&kept), "{kept}");
    assert_eq!(bytes_per_particle(&usual, false, large), small);
    let extra = bytes_per_particle(&rolls, true, 1000) - small;
    let extra_and_kept = bytes_per_particle(&rolls, true, large) - small - kept;
    assert!(extra > 100.0 && extra_and_kept == 2.0 * extra);
}

/// Slots are kept as long as nobody else comes close, however far the fastest grain may have gone, and no longer.
#[test]
fn slots_are_kept_until_others_come_close() {
    const GAP: f64 = 5e-4;
    const CLOSE: f64 = 1e-6;
    let mut scene = bed(law_combinations()[8], Container::Globe, 1);
    let WallShape::Sphere { radius, .. } = scene.walls[0].shape else {
        panic!("a globe is a sphere");
    };
    scene.gravity = DVec3::ZERO;
    // Two beside each other, and one at the wall.
    let at = |x: f64| Particle::new(DVec3::X * x, RADIUS, 0);
    let places = [
        -0.03,
        -0.03 + 2.0 * RADIUS + GAP,
        radius - RADIUS - 2.0 * GAP,
    ];
    scene.particles = places.map(at).to_vec();
    let listed = |moved: Option<(u32, f64)>, since_search: f64| {
        let mut engine = CpuEngine::new(&scene, 1e-5, 1)?;
        assert_eq!(engine.slots.counts.all(), 0);
        if let Some((id, by)) = moved {
            let unit = engine.grid.unit;
            let mut moved = engine.bodies.id.iter().zip(&mut engine.bodies.body);
            let Some((_, body)) = moved.find(|(own, _)| **own == id) else {
                panic!("no grain {id}");
            };
            body.units[0] += (by / unit).round();
        }
        // More than the inner skin is worth, and less than the outer one.
        engine.moved_since_slots = 1e-4;
        engine.moved_since_search = since_search;
        engine.refresh_lists()?;
        assert_eq!(engine.moved_since_slots, 0.0);
        let counts = engine.slots.counts;
        let found = (counts.pairs, counts.walls, engine.inner_skin);
        crate::error::Result::Ok((found, engine.searches()))
    };
    let after = |moved: Option<(u32, f64)>, since_search: f64| match listed(moved, since_search) {
        Ok(found) => found,
        Err(error) => panic!("{error}"),
    };
    let counts = |moved: Option<(u32, f64)>| {
        let (found, searches) = after(moved, 0.0);
        assert_eq!(searches, 1);
        found
    };
    let (pairs, walls, skin) = counts(None);
    assert_eq!((pairs, walls), (0, 0));
    assert!((skin / GAP - 1.0).abs() < 1e-6, "{skin}");
    // What is near the wall counts, too, …
    let (pairs, walls, skin) = counts(Some((2, GAP + CLOSE)));
    assert_eq!((pairs, walls), (0, 0));
    assert!((skin / (GAP - CLOSE) - 1.0).abs() < 1e-6, "{skin}");
    // … and what is out of reach.
    let reach = 0.2 * RADIUS;
    let ((pairs, walls, skin), searches) = after(None, 0.5 * (reach - 0.5 * GAP));
    assert_eq!((pairs, walls, searches), (0, 0, 1));
    assert!((skin / GAP - 0.5).abs() < 1e-6, "{skin}");
    let (_, searches) = after(None, 0.5 * reach);
    assert_eq!(searches, 2);
    let (pairs, walls, _) = counts(Some((1, CLOSE - GAP)));
    assert_eq!((pairs, walls), (1, 0));
    let (pairs, walls, _) = counts(Some((2, 2.0 * GAP - CLOSE)));
    assert_eq!((pairs, walls), (0, 1));
}

/// From the start, or since all have left.
#[test]
fn beds_without_grains_go_on() {
    let mut scene = bed(law_combinations()[0], CONTAINERS[0], 7);
    scene.domain.periodic = [false; 3];
    scene.domain.leaving = Leaving::Remove;
    scene.walls.clear();
    for grain in &mut scene.particles {
        (grain.fixed, grain.velocity) = (false, DVec3::new(0.0, 0.0, 50.0));
    }
    let grains = scene.particles.len() as u64;
    let removed_of = |scene: &Scene| {
        let mut engine = CpuEngine::new(scene, 1e-5, 1)?;
        engine.run(2000)?;
        assert_eq!((engine.step, engine.contacts()), (2000, 0));
        crate::error::Result::Ok(engine.removed)
    };
    assert_eq!(
        removed_of(&scene).map_err(|error| error.to_string()),
        Ok(grains)
    );
    scene.particles.clear();
    assert_eq!(removed_of(&scene).map_err(|error| error.to_string()), Ok(0));
}

/// Lists that did not know it would have to be made anew after a few steps.
#[test]
fn first_lists_know_how_fast_grains_are() {
    let mut scene = bed(law_combinations()[0], CONTAINERS[0], 7);
    let skin_with = |scene: &Scene| match CpuEngine::new(scene, 1e-5, 1) {
        Ok(engine) => engine.inner_skin,
        Err(error) => panic!("{error}"),
    };
    for grain in &mut scene.particles {
        grain.velocity = DVec3::ZERO;
    }
    let at_rest = skin_with(&scene);
    scene.particles[3].velocity = DVec3::new(0.0, 1.0, 0.0);
    assert!(skin_with(&scene) > 5.0 * at_rest, "{at_rest}");
}

/// Every law in every container, in several materials and sizes: all vector instructions give the same bits.
#[test]
fn instructions_do_not_matter() {
    let those = Processor::those_here();
    assert!(those.contains(&Processor::here()));
    for (k, laws) in law_combinations().into_iter().enumerate() {
        let scene = bed(laws, CONTAINERS[k % CONTAINERS.len()], 70 + k as u64);
        // Whether what contacts do goes past the caches does not matter either.
        let last_cache = [0, usize::MAX][k % 2];
        let state_by = |processor: Processor| {
            let time_step = time_step(&scene, &StepAdvice::new(&scene))?;
            let mut engine = CpuEngine::new(&scene, time_step, 1)?;
            (engine.processor, engine.last_cache) = (processor, last_cache);
            engine.run(STEPS)?;
            assert!(engine.contact_updates() > 100, "{laws:?}: too few contacts");
            crate::error::Result::Ok(engine.into_state())
        };
        let states: Vec<_> = those.iter().map(|&processor| state_by(processor)).collect();
        let Ok(want) = &states[0] else {
            panic!("{laws:?}: {:?}", states[0]);
        };
        for (processor, state) in those.iter().zip(&states) {
            match state {
                Ok(state) => assert_same(state, want, &format!("{laws:?} with {processor:?}")),
                Err(error) => panic!("{laws:?} with {processor:?}: {error}"),
            }
        }
    }
}
