//! The stages of a step, each by itself: forces, motion and lists on the processor; scan, sort, whole
//! steps and their parts, and what listing neighbours takes on a graphics device.
//!
//! Sizes: 10 000 and 100 000 grains; 262 145, one more than a row of workgroups holds (4096 of 64). Scans and sorts of
//! plain numbers: 131 073 is one more than 64 blocks of 2048, beyond which a thread of `scan_blocks` has more than one.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lahar::bench::bed::{BedLaw, TIME_STEP, bed};
use lahar::cpu::{CpuEngine, StageTimes};
use lahar::gpu::device::GpuChoice;
use lahar::gpu::kernel::DISPATCH_ROW;
use lahar::gpu::stages::scan::{SCAN_BLOCK, Scan, ScanGrids};
use lahar::gpu::stages::sort::{Sort, SortGrids};
use lahar::gpu::{Gpu, GpuEngine, GpuOptions};
use std::time::{Duration, Instant};
use wgpu::BufferUsages;

const SIZES: [usize; 3] = [10_000, 100_000, DISPATCH_ROW as usize * 64 + 1];
const COUNTS: [u32; 4] = [10_000, 100_000, 64 * SCAN_BLOCK + 1, 1_000_000];
const KEY_BITS: u32 = 24;
const WARM: u64 = 20;

fn must<T>(result: lahar::Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

fn cpu(criterion: &mut Criterion) {
    type Stage = fn(&StageTimes) -> Duration;
    let stages: [(&str, Stage); 2] = [("forces", |t| t.forces), ("motion", |t| t.motion)];
    for size in SIZES {
        let scene = must(bed(BedLaw::HertzMindlin, size));
        let mut engine = must(CpuEngine::new(&scene, TIME_STEP, 0));
        must(engine.run(WARM));
        let mut group = criterion.benchmark_group("cpu");
        group
            .throughput(Throughput::Elements(size as u64))
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300));
        for (name, stage) in stages {
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter_custom(|steps| {
                    let before = stage(&engine.stage_times());
                    must(engine.run(steps));
                    stage(&engine.stage_times()) - before
                });
            });
        }
        // A settled bed hardly needs a new list: each step is made to search.
        group.bench_function(BenchmarkId::new("lists", size), |bencher| {
            bencher.iter_custom(|searches| {
                let before = engine.stage_times().lists;
                engine.search_every(Some(1));
                must(engine.run(searches));
                engine.search_every(None);
                engine.stage_times().lists - before
            });
        });
    }
}

fn gpu(criterion: &mut Criterion) {
    let gpu = match Gpu::open(&GpuChoice::default()) {
        Ok(gpu) if gpu.has_timestamps() => gpu,
        Ok(_) => return eprintln!("the graphics device has no clock: its stages are left out"),
        Err(error) => return eprintln!("without a graphics device: {error}"),
    };
    for size in SIZES {
        let scene = must(bed(BedLaw::HertzMindlin, size));
        let mut engine = must(GpuEngine::new(
            &gpu,
            &scene,
            TIME_STEP,
            &GpuOptions::default(),
        ));
        must(engine.run(WARM));
        let mut group = criterion.benchmark_group("gpu");
        group
            .throughput(Throughput::Elements(size as u64))
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300));
        // Leaps come in pairs, and the last step of a run is none.
        group.bench_function(BenchmarkId::new("leap", size), |bencher| {
            bencher.iter_custom(|pairs| {
                let stages = must(engine.run_timed(2 * pairs + 1));
                time_of(&stages, "leap") / 2
            });
        });
        // A run of one step: contacts once, and the halves of a kick before and after them.
        for name in ["forces", "integrate"] {
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter_custom(|runs| {
                    let time = |_| time_of(&must(engine.run_timed(1)), name);
                    (0..runs).map(time).sum()
                });
            });
        }
        for name in ["history", "cells", "neighbours", "reorder"] {
            group.bench_function(BenchmarkId::new(name, size), |bencher| {
                bencher.iter_custom(|searches| {
                    let mut time = Duration::ZERO;
                    for _ in 0..searches {
                        must(engine.want_search());
                        time += time_of(&must(engine.run_timed(1)), name);
                    }
                    time
                });
            });
        }
    }
}

fn time_of(stages: &[(&str, f64)], name: &str) -> Duration {
    let found = stages.iter().find(|(stage, _)| *stage == name);
    Duration::from_secs_f64(found.map_or(0.0, |(_, seconds)| *seconds))
}

/// Prefix sums and sorts of plain numbers: parts of the listing that have tests and users of their own.
fn primitives(criterion: &mut Criterion) {
    let Ok(gpu) = Gpu::open(&GpuChoice::default()) else {
        return;
    };
    let mut group = criterion.benchmark_group("primitives");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300));
    for count in COUNTS {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let counts = must(gpu.create_buffer("counts", 4, usage));
        must(gpu.upload(&counts, &[count]));
        group.throughput(Throughput::Elements(u64::from(count)));

        let values = must(gpu.create_buffer("values", 4 * (u64::from(count) + 4), usage));
        let scan = must(Scan::new(&gpu, count, 0));
        let bound = must(scan.bind(&gpu, &counts, &values));
        group.bench_function(BenchmarkId::new("scan", count), |bencher| {
            bencher.iter_custom(|times| {
                repeat(&gpu, times, |pass| {
                    scan.record(pass, &bound, ScanGrids::up_to(count));
                })
            });
        });

        // The bits of the cells of a bed of that size; sorting what is sorted takes as long.
        let pairs: Vec<[u32; 2]> = (0..count)
            .map(|k| [k.wrapping_mul(2_654_435_761) >> 8, k])
            .collect();
        let buffers = [0, 1].map(|_| must(gpu.create_buffer("pairs", 8 * u64::from(count), usage)));
        must(gpu.upload(&buffers[0], &pairs));
        let whole = buffers
            .each_ref()
            .map(wgpu::Buffer::as_entire_buffer_binding);
        let sort = must(Sort::new(&gpu, count, KEY_BITS, &counts, 0, whole));
        group.bench_function(BenchmarkId::new("sort", count), |bencher| {
            bencher.iter_custom(|times| {
                repeat(&gpu, times, |pass| {
                    sort.record(pass, SortGrids::up_to(count));
                })
            });
        });
    }
}

/// Times so many repetitions, some of them at once: a device that is silent for seconds is reset.
fn repeat(gpu: &Gpu, times: u64, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Duration {
    const AT_ONCE: u64 = 16;
    let begun = Instant::now();
    let mut remaining = times;
    while remaining > 0 {
        let mut encoder = gpu.encoder("bench");
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for _ in 0..AT_ONCE.min(remaining) {
                record(&mut pass);
            }
        }
        must(gpu.submit(encoder));
        must(gpu.wait());
        remaining -= AT_ONCE.min(remaining);
    }
    begun.elapsed()
}

criterion_group!(benches, cpu, gpu, primitives);
criterion_main!(benches);
