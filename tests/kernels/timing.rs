//! How long the kernels take:
//! `cargo test --test kernels -- --ignored --nocapture --test-threads=1 timing`.

use crate::common::gpu;
use crate::sort::sort_of;
use crate::{buffer_of, random};
use lahar::gpu::Gpu;
use lahar::gpu::stages::scan::{Scan, ScanGrids};
use lahar::gpu::stages::sort::SortGrids;
use std::time::{Duration, Instant};

/// Enough to make what a submission costs small.
const REPEATS: u32 = 10;

/// The best of several times that one of many recorded in a row takes.
fn time(gpu: &Gpu, record: impl Fn(&mut wgpu::ComputePass<'_>)) -> Duration {
    let run = || {
        let mut encoder = gpu.encoder("timing");
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for _ in 0..REPEATS {
                record(&mut pass);
            }
        }
        let start = Instant::now();
        gpu.submit(encoder).unwrap();
        gpu.wait().unwrap();
        start.elapsed() / REPEATS
    };
    (0..6).map(|_| run()).min().unwrap()
}

#[test]
#[ignore = "measures, proves nothing"]
fn timing_scan() {
    let Some(gpu) = gpu() else { return };
    eprintln!("{:?}", gpu.description());
    for count in [100_000_u32, 1_000_000] {
        let scan = Scan::new(gpu, count, 0).unwrap();
        let values = buffer_of(gpu, "values", &random(count as usize + 4, 100));
        let counts = buffer_of(gpu, "counts", &[count]);
        let bound = scan.bind(gpu, &counts, &values).unwrap();
        let time = time(gpu, |pass| {
            scan.record(pass, &bound, ScanGrids::up_to(count));
        });
        eprintln!("scan of {count}: {time:?}");
    }
}

#[test]
#[ignore = "measures, proves nothing"]
fn timing_sort() {
    let Some(gpu) = gpu() else { return };
    for count in [100_000_u32, 1_000_000] {
        for key_bits in [24, 32] {
            let counts = buffer_of(gpu, "counts", &[count]);
            let (sort, pairs) = sort_of(gpu, count, key_bits, &counts, 0);
            gpu.upload(&pairs[0], &random(2 * count as usize, u32::MAX))
                .unwrap();
            let time = time(gpu, |pass| sort.record(pass, SortGrids::up_to(count)));
            eprintln!("sort of {count} by {key_bits} bits: {time:?}");
        }
    }
}
