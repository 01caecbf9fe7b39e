//! What an order of sums costs: the contacts of a settled bed, each adding a force and a torque to its two grains.
//!
//! `ordered` is what the engine does: contacts write beside themselves, grains gather in the order of their partners' ids.
//! `scattered` adds to both grains at once, as one thread may do without regard to the order; `private` lets two
//! threads do so to copies of their own, which are added up at the end. Neither is the same for any number of threads.
//! 100 000 grains: more than caches hold, as in runs that matter.

#![allow(
    clippy::cast_possible_truncation,
    reason = "some hundred thousand contacts"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lahar::bench::bed::{BedLaw, TIME_STEP, bed};
use lahar::cpu::CpuEngine;
use lahar::state::WALL;
use std::hint::black_box;
use std::time::Duration;

const GRAINS: usize = 100_000;

/// Force and torque.
type Action = [f64; 6];

/// What a contact does, made of numbers at hand: the bench is about where it goes.
fn action(contact: usize) -> Action {
    let x = contact as f64;
    [x, 1.0, 2.0, x, 5.0, 6.0]
}

fn add(sum: &mut Action, action: &Action, sign: f64) {
    for (k, (sum, action)) in sum.iter_mut().zip(action).enumerate() {
        *sum += if k < 3 { sign } else { 1.0 } * action;
    }
}

fn scatter(pairs: &[[u32; 2]], first: usize, sums: &mut [Action]) {
    for (k, pair) in pairs.iter().enumerate() {
        let action = action(first + k);
        add(&mut sums[pair[0] as usize], &action, 1.0);
        add(&mut sums[pair[1] as usize], &action, -1.0);
    }
}

fn sums(criterion: &mut Criterion) {
    let scene = bed(BedLaw::HertzMindlin, GRAINS).unwrap_or_else(|error| panic!("{error}"));
    let mut engine = CpuEngine::new(&scene, TIME_STEP, 0).unwrap_or_else(|error| panic!("{error}"));
    engine.run(1).unwrap_or_else(|error| panic!("{error}"));
    let mut pairs: Vec<[u32; 2]> = engine
        .state()
        .contacts
        .iter()
        .filter(|contact| contact.second < WALL)
        .map(|contact| [contact.first, contact.second])
        .collect();
    // Ids of a bed go tile by tile, so neighbours are close in memory, as in the engine.
    pairs.sort_unstable();
    let mut starts = vec![0_u32; GRAINS + 1];
    for grain in pairs.iter().flatten() {
        starts[*grain as usize + 1] += 1;
    }
    for grain in 0..GRAINS {
        starts[grain + 1] += starts[grain];
    }
    // Contacts in order put the partners of each grain in order, too.
    let mut next = starts.clone();
    let mut incident = vec![0_u32; 2 * pairs.len()];
    for (contact, pair) in pairs.iter().enumerate() {
        for (side, &grain) in pair.iter().enumerate() {
            let place = &mut next[grain as usize];
            incident[*place as usize] = (2 * contact + side) as u32;
            *place += 1;
        }
    }

    let mut group = criterion.benchmark_group("determinism");
    group
        .throughput(Throughput::Elements(pairs.len() as u64))
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500));
    let mut actions = vec![[0.0; 6]; pairs.len()];
    let mut totals = vec![[0.0; 6]; GRAINS];
    group.bench_function("ordered, 1 thread", |bencher| {
        bencher.iter(|| {
            for (contact, slot) in actions.iter_mut().enumerate() {
                *slot = action(contact);
            }
            gather(&starts, &incident, &actions, 0, &mut totals);
            black_box(&totals);
        });
    });
    group.bench_function("scattered, 1 thread", |bencher| {
        bencher.iter(|| {
            totals.fill([0.0; 6]);
            scatter(&pairs, 0, &mut totals);
            black_box(&totals);
        });
    });
    let half = pairs.len() / 2;
    group.bench_function("ordered, 2 threads", |bencher| {
        bencher.iter(|| {
            let (low, high) = actions.split_at_mut(half);
            both(
                || {
                    low.iter_mut()
                        .enumerate()
                        .for_each(|(k, slot)| *slot = action(k))
                },
                || {
                    high.iter_mut()
                        .enumerate()
                        .for_each(|(k, slot)| *slot = action(half + k))
                },
            );
            let (low, high) = totals.split_at_mut(GRAINS / 2);
            both(
                || gather(&starts, &incident, &actions, 0, low),
                || gather(&starts, &incident, &actions, GRAINS / 2, high),
            );
            black_box(&totals);
        });
    });
    let mut private = vec![[0.0; 6]; GRAINS];
    group.bench_function("private, 2 threads", |bencher| {
        bencher.iter(|| {
            both(
                || {
                    totals.fill([0.0; 6]);
                    scatter(&pairs[..half], 0, &mut totals);
                },
                || {
                    private.fill([0.0; 6]);
                    scatter(&pairs[half..], half, &mut private);
                },
            );
            let (low, high) = totals.split_at_mut(GRAINS / 2);
            let merge = |totals: &mut [Action], private: &[Action]| {
                for (total, private) in totals.iter_mut().zip(private) {
                    for (total, private) in total.iter_mut().zip(private) {
                        *total += private;
                    }
                }
            };
            both(
                || merge(low, &private[..GRAINS / 2]),
                || merge(high, &private[GRAINS / 2..]),
            );
            black_box(&totals);
        });
    });
}

/// Sums of the grains from `first` on, each in the order of its list.
fn gather(starts: &[u32], incident: &[u32], actions: &[Action], first: usize, sums: &mut [Action]) {
    for (k, total) in sums.iter_mut().enumerate() {
        let own = starts[first + k] as usize..starts[first + k + 1] as usize;
        let mut sum = [0.0; 6];
        for entry in &incident[own] {
            let sign = 1.0 - 2.0 * f64::from(entry & 1);
            add(&mut sum, &actions[*entry as usize / 2], sign);
        }
        *total = sum;
    }
}

fn both(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    rayon::join(a, b);
}

criterion_group!(benches, sums);
criterion_main!(benches);
