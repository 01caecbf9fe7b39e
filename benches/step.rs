//! Whole steps of a settled bed, in grains per second, on both engines.
//!
//! Sizes: 10 000 grains fit the caches of a core, 100 000 do not fit those of a processor; 262 145 is one more than a
//! row of workgroups holds (4096 of 64), so a dispatch on a device takes a second row.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lahar::bench::bed::{BedLaw, TIME_STEP, bed};
use lahar::cpu::CpuEngine;
use lahar::gpu::device::GpuChoice;
use lahar::gpu::kernel::DISPATCH_ROW;
use lahar::gpu::{Gpu, GpuEngine, GpuOptions};
use std::time::{Duration, Instant};

/// Workgroups of the force kernel.
const WORKGROUP: usize = 64;

const SIZES: [usize; 3] = [10_000, 100_000, DISPATCH_ROW as usize * WORKGROUP + 1];

/// Steps before the clock starts: lists and batches find their size.
const WARM: u64 = 20;

/// Times `steps` steps at once: the device is given whole batches.
fn clock(steps: u64, run: impl FnOnce(u64) -> lahar::Result<()>) -> Duration {
    let begun = Instant::now();
    run(steps).unwrap_or_else(|error| panic!("{error}"));
    begun.elapsed()
}

fn steps(criterion: &mut Criterion) {
    let gpu = Gpu::open(&GpuChoice::default());
    if let Err(error) = &gpu {
        eprintln!("without a graphics device: {error}");
    }
    for size in SIZES {
        let scene = bed(BedLaw::HertzMindlin, size).unwrap_or_else(|error| panic!("{error}"));
        let mut group = criterion.benchmark_group("step");
        group
            .throughput(Throughput::Elements(size as u64))
            .sample_size(10)
            .warm_up_time(Duration::from_millis(500));
        let mut engine =
            CpuEngine::new(&scene, TIME_STEP, 0).unwrap_or_else(|error| panic!("{error}"));
        clock(WARM, |steps| engine.run(steps));
        group.bench_function(BenchmarkId::new("cpu", size), |bencher| {
            bencher.iter_custom(|steps| clock(steps, |steps| engine.run(steps)));
        });
        drop(engine);
        let Ok(gpu) = &gpu else { continue };
        let mut engine = GpuEngine::new(gpu, &scene, TIME_STEP, &GpuOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        clock(WARM, |steps| engine.run(steps));
        group.bench_function(BenchmarkId::new("gpu", size), |bencher| {
            bencher.iter_custom(|steps| clock(steps, |steps| engine.run(steps)));
        });
    }
}

criterion_group!(benches, steps);
criterion_main!(benches);
