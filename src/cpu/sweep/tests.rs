//! Sweeps do what steps one by one do, to the bit.
#![allow(clippy::expect_used, reason = "a test says what it expects")]
#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use super::crew;
use super::longest_sweep;
use super::plan::{GRAINS, Order, Pieces, Plan, Task};
use crate::bench::bed::{BedLaw, TIME_STEP, bed};
use crate::cpu::CpuEngine;
use crate::cpu::integrate::Part;
use crate::cpu::slots::WIDTH;
use crate::error::Error;
use crate::output::state_hash;
use crate::scene::{Leaving, Particle, Scene};
use glam::DVec3;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A bed of several pieces of grains and more slabs than two threads want.
const BED: usize = 3000;

const STEPS: u64 = 100;

/// A bed in which contacts begin, slide and end.
fn stirred(law: BedLaw) -> Scene {
    let mut scene = bed(law, BED).expect("a bed");
    let mut state = 1u64;
    let mut number = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    };
    for grain in &mut scene.particles {
        grain.velocity = 0.01 * DVec3::new(number(), number(), number());
        grain.spin = 10.0 * DVec3::new(number(), number(), number());
    }
    scene
}

/// An engine that takes its bed for one that fits into the caches, or for one that does not.
fn engine(scene: &Scene, threads: usize, sweeps: bool) -> CpuEngine {
    let mut engine = CpuEngine::new(scene, TIME_STEP, threads).expect("an engine");
    engine.last_cache = if sweeps {
        engine.state_bytes() - 1
    } else {
        usize::MAX
    };
    // What a list would say.
    let bytes = engine.state_bytes();
    engine.longest_sweep = longest_sweep(bytes, engine.slabs, engine.last_cache, threads);
    assert_eq!(engine.longest_sweep > 1, sweeps);
    engine
}

/// All that can be seen of an engine.
fn seen(mut engine: CpuEngine) -> (u64, u64, Vec<DVec3>) {
    let updates = engine.contact_updates();
    let forces = engine.wall_forces();
    (state_hash(&engine.view()), updates, forces)
}

#[test]
fn sweeps_change_no_bit() {
    for law in BedLaw::ALL {
        let scene = stirred(law);
        let mut one_by_one = engine(&scene, 1, false);
        one_by_one.run(STEPS).expect("a run");
        assert_eq!(one_by_one.swept(), 0);
        let contacts = one_by_one.contacts();
        let want = seen(one_by_one);
        for threads in [1, 2] {
            let mut swept = engine(&scene, threads, true);
            swept.run(STEPS).expect("a run");
            assert!(swept.swept() > STEPS * 9 / 10, "{law:?}: {}", swept.swept());
            assert_eq!(swept.contacts(), contacts);
            assert!(seen(swept) == want, "{law:?}, {threads} threads");
        }
    }
}

/// Whether or not somebody looks now and then, and whatever is searched.
#[test]
fn runs_and_searches_in_between_change_no_bit() {
    let scene = stirred(BedLaw::HertzMindlin);
    let mut at_once = engine(&scene, 1, true);
    at_once.run(STEPS).expect("a run");
    let searches = at_once.searches();
    let want = seen(at_once);
    let mut in_parts = engine(&scene, 1, true);
    in_parts.search_every(Some(20));
    for steps in [1, 17, 30, STEPS - 48] {
        in_parts.run(steps).expect("a run");
    }
    assert!(in_parts.swept() > 0);
    assert_eq!(in_parts.searches(), 1 + (STEPS - 1) / 20);
    assert!(searches < in_parts.searches());
    assert!(seen(in_parts) == want);
    let mut stopped = engine(&scene, 1, true);
    while stopped.step() < STEPS {
        let before = stopped.step();
        let looks = AtomicUsize::new(0);
        let go_on = || looks.fetch_add(1, Ordering::Relaxed) < 8;
        let left = STEPS - before;
        stopped.run_while(left, &go_on).expect("a run");
        let done = stopped.step() - before;
        assert!(done == left || (9..=9 * 6).contains(&done), "{done}");
    }
    assert!(stopped.swept() > 0);
    assert!(seen(stopped) == want);
}

#[test]
fn a_run_that_is_told_to_end_does_one_step() {
    let mut engine = engine(&stirred(BedLaw::Linear), 1, true);
    engine.run_while(50, &|| false).expect("a run");
    assert_eq!(engine.step(), 1);
    engine.run_while(0, &|| true).expect("a run");
    assert_eq!(engine.step(), 1);
}

/// An engine within a run of some twenty steps, ready for what forces do.
fn begun(scene: &Scene, sweeps: bool) -> CpuEngine {
    let mut engine = engine(scene, 2, sweeps);
    engine.run(20).expect("a run");
    engine.kept.forget();
    engine.in_team(|engine| {
        engine.motion(Part::Begin).expect("a move");
        engine.refresh_lists().expect("lists");
    });
    engine
}

/// A bed whose grains are a little apart, and about to touch.
fn loosened(law: BedLaw) -> Scene {
    let mut scene = stirred(law);
    let wider = 1.003;
    scene.domain.upper.x *= wider;
    scene.domain.upper.y *= wider;
    for grain in &mut scene.particles {
        grain.position *= wider;
    }
    scene
}

/// Grains that were faster than expected: what they did is undone, and done again step by step.
#[test]
fn a_sweep_that_goes_too_far_is_undone() {
    for law in [BedLaw::HertzMindlin, BedLaw::Rolling] {
        let scene = loosened(law);
        let mut one_by_one = engine(&scene, 2, false);
        one_by_one.run(2 * STEPS).expect("a run");
        let mut undone = begun(&scene, true);
        let (step, ledger) = (undone.step, undone.ledger);
        let apart: Vec<usize> = (0..undone.slots.block.len())
            .filter(|&b| undone.slots.block[b].all_apart())
            .collect();
        let act = |engine: &CpuEngine| {
            let actions = |&b: &usize| &engine.slots.action[b * WIDTH..][..WIDTH];
            let mut actions = apart.iter().flat_map(actions);
            actions.any(|action| action.0 != [0.0; 6])
        };
        assert!(!act(&undone));
        undone.in_team(|engine| engine.sweep(6)).expect("a sweep");
        assert_eq!(undone.step, step + 6);
        assert!(act(&undone), "no contact has begun");
        let (skin, swept) = (undone.inner_skin, undone.swept - 6);
        // A search in between, for which no slot has to change, is no obstacle.
        let searches = undone.searches();
        undone.in_team(|engine| assert!(engine.search_again()));
        assert_eq!(undone.searches(), searches + 1);
        assert!(undone.sweeps.is_some() && undone.moved_since_search == 0.0);
        let since = undone.moved_since_sort;
        // One that is used up by the first of these steps.
        undone.inner_skin = 2.0 * undone.moved_since_slots + 1e-12;
        undone.in_team(|engine| engine.sweep(4)).expect("a sweep");
        assert_eq!((undone.step, undone.swept), (step, swept));
        assert_eq!((undone.ledger, undone.inner_skin), (ledger, skin));
        assert!(undone.alone_until > step && undone.kept.step().is_none());
        let back = undone.moved_since_search + undone.moved_since_sort;
        assert!(undone.moved_since_search > 0.0 && (back - since).abs() < 1e-15);
        assert!(!act(&undone), "what has not happened has no effect");
        // As the end of a run.
        undone.step += 1;
        undone.in_team(|engine| {
            engine.forces(true);
            engine.motion(Part::Finish).expect("a move");
        });
        undone.run(2 * STEPS - undone.step).expect("a run");
        assert!(undone.swept > swept, "not for ever");
        assert!(seen(undone) == seen(one_by_one), "{law:?}");
    }
}

/// A bed with a grain that leaves it after some ten steps.
fn with_one_that_leaves(leaving: Leaving) -> Scene {
    let mut scene = stirred(BedLaw::HertzMindlin);
    scene.domain.leaving = leaving;
    let top = scene.domain.upper.z;
    let place = DVec3::new(0.007, 0.007, top - 1e-6);
    let mut grain = Particle::new(place, 1e-3, 0);
    grain.velocity = DVec3::Z * 0.01;
    scene.particles.push(grain);
    scene
}

#[test]
fn grains_that_leave_in_a_sweep_leave_at_the_same_step() {
    let scene = with_one_that_leaves(Leaving::Remove);
    let after = |sweeps: bool| {
        let mut engine = engine(&scene, 2, sweeps);
        engine.run(STEPS).expect("a run");
        assert_eq!(engine.state().removed, 1);
        assert_eq!(engine.swept() > 0, sweeps);
        seen(engine)
    };
    assert!(after(true) == after(false));
    let scene = with_one_that_leaves(Leaving::Stop);
    let stopped = |sweeps: bool| {
        let mut engine = engine(&scene, 2, sweeps);
        let outcome = engine.run(STEPS);
        assert!(matches!(outcome, Err(Error::LeftDomain { .. })));
        outcome.map_err(|error| error.to_string())
    };
    assert_eq!(stopped(true), stopped(false));
}

/// The sweep is undone, and the step in which it happens fails as any other.
#[test]
fn what_is_no_number_ends_a_sweep() {
    let mut engine = begun(&stirred(BedLaw::HertzMindlin), true);
    let (step, ledger) = (engine.step, engine.ledger);
    let grain = engine.bodies.id.iter().position(|&id| id == 1234);
    let grain = grain.expect("a grain");
    engine.bodies.body[grain].remainder[3] = f64::NAN;
    engine.in_team(|engine| engine.sweep(4)).expect("a sweep");
    assert_eq!((engine.step, engine.ledger), (step, ledger));
    let motions = engine.bodies.motion.iter();
    assert!(motions.copied().all(|motion| motion.velocity().is_finite()));
    let next = engine.step + 1;
    engine.step = next;
    engine.in_team(|engine| engine.forces(false));
    let outcome = engine.in_team(|engine| engine.motion(Part::Continue));
    assert!(
        matches!(outcome, Err(Error::NonFinite { particle: 1234, step, .. }) if step == next),
        "{outcome:?}"
    );
}

/// Each task once, and none before those that it waits for are known to be done.
#[test]
fn plans_keep_the_order_of_steps() {
    let engine = engine(&stirred(BedLaw::HertzMindlin), 1, true);
    let pieces = Pieces::of(&engine.slots, BED);
    let grains = BED.div_ceil(GRAINS);
    for threads in [1, 2, 3, 7] {
        for steps in 1..=6 {
            let plan = pieces.plan(steps, threads);
            check(&plan, &pieces, grains, steps);
            assert_comes_to_its_end(&plan);
        }
    }
}

/// Which thread does a task, how many it has done before, and how many it knows others to have done.
type Done = HashMap<(bool, u32, u32), (usize, u32, Vec<u32>)>;

fn done_by(plan: &Plan) -> Done {
    let mut done = Done::new();
    for (own, orders) in plan.iter().enumerate() {
        let (mut before, mut known) = (0, vec![0; plan.len()]);
        for &order in orders {
            match order {
                Order::Wait { thread, tasks } => {
                    assert!(thread as usize != own && tasks > known[thread as usize]);
                    known[thread as usize] = tasks;
                }
                Order::Do(task) => {
                    let key = (task.forces, task.piece, task.step);
                    let known = (own, before, known.clone());
                    assert!(done.insert(key, known).is_none());
                    before += 1;
                }
            }
        }
    }
    done
}

fn check(plan: &Plan, pieces: &Pieces, grains: usize, steps: usize) {
    let done = done_by(plan);
    let all = steps * (grains + pieces.contacts.len());
    assert_eq!(done.len(), all, "tasks that nobody does");
    let precedes = |before: (bool, u32, u32), task: Task| {
        let (thread, number, _) = &done[&before];
        let (own, own_number, known) = &done[&(task.forces, task.piece, task.step)];
        if thread == own {
            number < own_number
        } else {
            *number < known[*thread]
        }
    };
    for contacts in 0..pieces.contacts.len() {
        for &grains in pieces.moved_by(contacts) {
            for step in 0..steps as u32 {
                let contacts = contacts as u32;
                let motion = Task {
                    forces: false,
                    piece: grains,
                    step,
                };
                assert!(precedes((true, contacts, step), motion));
                let Some(before) = step.checked_sub(1) else {
                    continue;
                };
                assert!(precedes((false, grains, before), motion));
                let forces = Task {
                    forces: true,
                    piece: contacts,
                    step,
                };
                assert!(precedes((false, grains, before), forces));
            }
        }
    }
}

/// No threads wait for each other.
fn assert_comes_to_its_end(plan: &Plan) {
    let (mut next, mut done) = (vec![0; plan.len()], vec![0; plan.len()]);
    loop {
        let before = next.clone();
        for (own, orders) in plan.iter().enumerate() {
            while let Some(&order) = orders.get(next[own]) {
                match order {
                    Order::Wait { thread, tasks } if done[thread as usize] < tasks => break,
                    Order::Wait { .. } => {}
                    Order::Do(_) => done[own] += 1,
                }
                next[own] += 1;
            }
        }
        if next == before {
            break;
        }
    }
    assert!(next.iter().zip(plan).all(|(&next, all)| next == all.len()));
}

#[test]
fn plans_give_all_threads_as_much_to_do() {
    let engine = engine(&stirred(BedLaw::HertzMindlin), 1, true);
    let pieces = Pieces::of(&engine.slots, BED);
    let plan = pieces.plan(6, 2);
    let is_task = |order: &&Order| matches!(order, Order::Do(_));
    let tasks = [0, 1].map(|thread: usize| plan[thread].iter().filter(is_task).count());
    assert!(tasks[0].abs_diff(tasks[1]) <= 2, "{tasks:?}");
}

#[test]
fn sweeps_are_as_long_as_a_cache_allows() {
    const CACHE: usize = 30 << 20;
    let longest = |bytes, slabs| longest_sweep(bytes, slabs, CACHE, 1);
    assert_eq!(longest(CACHE, 1000), 1, "fits");
    assert_eq!(longest(CACHE + 1, 1), 1, "one slab");
    assert_eq!(longest(2 * CACHE, 24), 3);
    assert_eq!(longest(2 * CACHE, 1000), 8);
    assert_eq!(longest_sweep(2 * CACHE, 24, CACHE, 2), 3);
    assert_eq!(longest_sweep(2 * CACHE, 24, CACHE, 4), 1);
    assert_eq!(longest_sweep(2 * CACHE, 48, CACHE, 4), 3);
    assert_eq!(longest_sweep(usize::MAX, 1, 0, 1), 1);
}

/// A panic on one thread ends the work of all: nobody waits for it.
#[test]
fn a_panic_holds_nobody_up() {
    let threads = 3;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let task = Task {
        forces: true,
        piece: 0,
        step: 0,
    };
    let orders = |own: usize| {
        let next = (own + 1) % threads;
        let rounds = (1..=4).flat_map(move |tasks| {
            let thread = next as u32;
            [Order::Do(task), Order::Wait { thread, tasks }]
        });
        rounds.collect()
    };
    let plan: Plan = (0..threads).map(orders).collect();
    let broken = AtomicBool::new(false);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        pool.expect("a pool").install(|| {
            crew::go_through(
                &plan,
                || 0,
                |_, done: &mut usize| {
                    *done += 1;
                    let second = *done == 2;
                    assert!(!second || broken.swap(true, Ordering::Relaxed), "broken");
                },
            )
        })
    }));
    assert!(outcome.is_err());
}
