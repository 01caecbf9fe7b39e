//! Prefix sums against `std`, at the sizes where workgroups, blocks and rows of a dispatch end.

use crate::common::gpu;
use crate::{STORAGE, buffer_of, random};
use lahar::gpu::Gpu;
use lahar::gpu::kernel::{DISPATCH_ROW, Grid, dispatch_arguments};
use lahar::gpu::stages::scan::{SCAN_BLOCK, SCAN_CAPACITY, Scan, ScanGrids};
use wgpu::BufferUsages;

const BLOCK: usize = SCAN_BLOCK as usize;

/// What follows the n + 1 results must survive.
const UNTOUCHED: u32 = 0xdead_beef;

fn prefix_sums(values: &[u32]) -> Vec<u32> {
    let mut sum = 0_u32;
    let mut sums = vec![0];
    sums.extend(values.iter().map(|&value| {
        sum = sum.wrapping_add(value);
        sum
    }));
    sums
}

/// Scans on the device, with a capacity beyond the values and a count that is not the first word.
fn scan(gpu: &Gpu, values: &[u32], grids: impl Fn(u32) -> ScanGrids<'static>) -> Vec<u32> {
    let capacity = values.len() as u32 + 10;
    let scan = Scan::new(gpu, capacity, 2).unwrap();
    let mut padded = values.to_vec();
    padded.resize(values.len() + 12, UNTOUCHED);
    let buffer = buffer_of(gpu, "values", &padded);
    let counts = buffer_of(gpu, "counts", &[7, 7, values.len() as u32, 7]);
    let bound = scan.bind(gpu, &counts, &buffer).unwrap();
    let mut encoder = gpu.encoder("scan");
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        scan.record(&mut pass, &bound, grids(capacity));
    }
    gpu.submit(encoder).unwrap();
    let mut got = gpu.read(&buffer, 0..padded.len()).unwrap();
    assert_eq!(got.split_off(values.len() + 1), [UNTOUCHED; 11]);
    got
}

#[track_caller]
fn assert_scanned(gpu: &Gpu, values: &[u32], what: &str) {
    let got = scan(gpu, values, ScanGrids::up_to);
    let want = prefix_sums(values);
    if let Some(index) = (0..want.len()).find(|&index| got[index] != want[index]) {
        panic!(
            "{what}, {} values: sum {index} is {}, want {}",
            values.len(),
            got[index],
            want[index]
        );
    }
}

#[test]
fn sums_are_right_at_every_cliff() {
    let Some(gpu) = gpu() else { return };
    for count in [
        0,
        1,
        3,
        4,
        15,
        16,
        31,
        32,
        33,
        BLOCK - 1,
        BLOCK,
        BLOCK + 1,
        5 * BLOCK + 333,
        100_003,
        // More than one block for each thread of the second kernel.
        65 * BLOCK + 1,
    ] {
        assert_scanned(gpu, &random(count, u32::MAX), "random");
        assert_scanned(gpu, &vec![1; count], "ones");
    }
}

#[test]
fn sums_are_right_beyond_one_row_of_workgroups() {
    let Some(gpu) = gpu() else { return };
    let count = DISPATCH_ROW as usize * BLOCK + 1;
    assert_scanned(gpu, &random(count, 3), "random");
}

#[test]
fn an_indirect_scan_runs_only_if_a_kernel_says_so() {
    let Some(gpu) = gpu() else { return };
    let values = random(3 * BLOCK + 5, 100);
    let scan = Scan::new(gpu, values.len() as u32, 0).unwrap();
    let mut padded = values.clone();
    padded.push(0);
    let counts = buffer_of(gpu, "counts", &[values.len() as u32]);
    for (workgroups, single, want) in [(0, 0, padded.clone()), (4, 1, prefix_sums(&values))] {
        let buffer = buffer_of(gpu, "values", &padded);
        let bound = scan.bind(gpu, &counts, &buffer).unwrap();
        let arguments = gpu
            .create_buffer("arguments", 32, STORAGE | BufferUsages::INDIRECT)
            .unwrap();
        gpu.upload(
            &arguments,
            &[dispatch_arguments(workgroups), dispatch_arguments(single)],
        )
        .unwrap();
        let grid = |slot| Grid::Indirect {
            arguments: &arguments,
            slot,
        };
        let mut encoder = gpu.encoder("scan");
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            let grids = ScanGrids {
                blocks: grid(0),
                single: grid(1),
            };
            scan.record(&mut pass, &bound, grids);
        }
        gpu.submit(encoder).unwrap();
        assert_eq!(gpu.read::<u32>(&buffer, 0..padded.len()).unwrap(), want);
    }
}

#[test]
fn a_scan_too_long_is_refused() {
    let Some(gpu) = gpu() else { return };
    let counts = buffer_of(gpu, "counts", &[4]);
    let values = buffer_of(gpu, "values", &[0; 4]);
    let scan = Scan::new(gpu, 4, 0).unwrap();
    let error = scan.bind(gpu, &counts, &values).unwrap_err();
    assert!(error.to_string().contains("32 wanted"), "{error}");
    let error = Scan::new(gpu, SCAN_CAPACITY + 1, 0).unwrap_err();
    assert!(error.to_string().contains("67108864"), "{error}");
}
