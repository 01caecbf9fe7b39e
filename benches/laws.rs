//! The force stage of a settled bed under different laws, in contacts per second.
//!
//! One size, 10 000 grains: the laws differ in arithmetic and in what a contact remembers, not in how they scale. The
//! laws with a rolling spring remember more, which is the one cliff here.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lahar::bench::bed::{BedLaw, TIME_STEP, bed};
use lahar::cpu::CpuEngine;
use lahar::gpu::device::GpuChoice;
use lahar::gpu::{Gpu, GpuEngine, GpuOptions};
use std::time::{Duration, Instant};

const GRAINS: usize = 10_000;
const WARM: u64 = 20;

fn laws(criterion: &mut Criterion) {
    let gpu = Gpu::open(&GpuChoice::default());
    if let Err(error) = &gpu {
        eprintln!("without a graphics device: {error}");
    }
    let mut group = criterion.benchmark_group("forces");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300));
    for law in BedLaw::ALL {
        let scene = bed(law, GRAINS).unwrap_or_else(|error| panic!("{error}"));
        let mut engine =
            CpuEngine::new(&scene, TIME_STEP, 0).unwrap_or_else(|error| panic!("{error}"));
        engine.run(WARM).unwrap_or_else(|error| panic!("{error}"));
        group.throughput(Throughput::Elements(engine.contacts() as u64));
        group.bench_function(BenchmarkId::new("cpu", law.name()), |bencher| {
            bencher.iter_custom(|steps| {
                let before = engine.stage_times().forces;
                engine.run(steps).unwrap_or_else(|error| panic!("{error}"));
                engine.stage_times().forces - before
            });
        });
        let Ok(gpu) = &gpu else { continue };
        let mut engine = GpuEngine::new(gpu, &scene, TIME_STEP, &GpuOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        engine.run(WARM).unwrap_or_else(|error| panic!("{error}"));
        group.bench_function(BenchmarkId::new("gpu", law.name()), |bencher| {
            bencher.iter_custom(|steps| {
                let begun = Instant::now();
                let stages = engine
                    .run_timed(steps)
                    .unwrap_or_else(|error| panic!("{error}"));
                stages
                    .iter()
                    .find(|(name, _)| *name == "forces")
                    // A device without a clock: the whole step.
                    .map_or_else(|| begun.elapsed(), |(_, s)| Duration::from_secs_f64(*s))
            });
        });
    }
}

criterion_group!(benches, laws);
criterion_main!(benches);
