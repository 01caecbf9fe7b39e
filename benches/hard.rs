//! Collisions per second of the event-driven engine, one core: `cargo bench --bench hard`.
//!
//! Sizes: 1e3 grains fit the second cache, 1e5 the last one of most machines, 1e6 none: what the cost of a collision
//! grows by between them is memory, not the algorithm. Fractions: 0.1, where grains enter many cells between
//! collisions, and 0.4, where each has many neighbours.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lahar::hard::HardEngine;
use lahar::hard::gas::Gas;
use lahar::laws::tc::Dimensions;
use std::hint::black_box;
use std::time::Duration;

/// Collisions in one measurement: enough to turn several epochs of the smallest gas.
const COLLISIONS: u64 = 20_000;

/// Collisions per grain before: they make a gas of the lattice.
const MIXING: u64 = 10;

fn spheres(c: &mut Criterion) {
    let mut group = c.benchmark_group("hard_spheres");
    group
        .throughput(Throughput::Elements(COLLISIONS))
        .sample_size(10)
        .measurement_time(Duration::from_secs(3));
    for particles in [1_000, 100_000, 1_000_000] {
        for fraction in [0.1, 0.4] {
            let gas = Gas {
                dimensions: Dimensions::Three,
                particles,
                fraction,
                radius: 0.5,
                seed: 0,
            };
            let (model, start) = gas.on_lattice();
            let mut engine = HardEngine::new(model, &start);
            let mixed = engine.run_collisions(MIXING * particles as u64 / 2);
            assert!(mixed.is_ok(), "an elastic gas neither collapses nor leaves");
            let id = BenchmarkId::new(format!("fraction_{fraction}"), particles);
            group.bench_function(id, |b| {
                b.iter(|| black_box(engine.run_collisions(COLLISIONS)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, spheres);
criterion_main!(benches);
