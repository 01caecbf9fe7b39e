//! The radix sort against `std`, which is stable too.

use crate::common::gpu;
use crate::{STORAGE, buffer_of, random};
use lahar::gpu::Gpu;
use lahar::gpu::kernel::{Grid, dispatch_arguments};
use lahar::gpu::stages::sort::{SORT_BLOCK, SORT_DIGIT_BITS, SORT_DIGITS, Sort, SortGrids};
use wgpu::BufferUsages;

const BLOCK: usize = SORT_BLOCK as usize;

/// Pairs of these keys, with values that tell where they came from.
fn pairs_of(keys: &[u32]) -> Vec<[u32; 2]> {
    keys.iter()
        .zip(0..)
        .map(|(&key, index)| [key, index])
        .collect()
}

fn sorted(keys: &[u32], key_bits: u32) -> Vec<[u32; 2]> {
    let mask = u32::MAX.checked_shr(32 - key_bits).unwrap_or(0);
    let mut pairs = pairs_of(keys);
    pairs.sort_by_key(|[key, _]| key & mask);
    pairs
}

/// A sort with its two buffers of pairs.
pub(crate) fn sort_of(
    gpu: &Gpu,
    capacity: u32,
    key_bits: u32,
    counts: &wgpu::Buffer,
    count_index: u32,
) -> (Sort, [wgpu::Buffer; 2]) {
    let pairs = ["pairs", "sorted_pairs"].map(|label| {
        gpu.create_buffer(label, 8 * u64::from(capacity), STORAGE)
            .unwrap()
    });
    let parts = pairs.each_ref().map(wgpu::Buffer::as_entire_buffer_binding);
    let sort = Sort::new(gpu, capacity, key_bits, counts, count_index, parts).unwrap();
    (sort, pairs)
}

/// Sorts on the device, with a capacity beyond the pairs and a count that is not the first word.
fn sort(gpu: &Gpu, keys: &[u32], key_bits: u32) -> Vec<[u32; 2]> {
    let capacity = keys.len() as u32 + 10;
    let counts = buffer_of(gpu, "counts", &[7, keys.len() as u32]);
    let (sort, pairs) = sort_of(gpu, capacity, key_bits, &counts, 1);
    gpu.upload(&pairs[0], &pairs_of(keys)).unwrap();
    let mut encoder = gpu.encoder("sort");
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        sort.record(&mut pass, SortGrids::up_to(capacity));
    }
    gpu.submit(encoder).unwrap();
    gpu.read(&pairs[Sort::place(key_bits)], 0..keys.len())
        .unwrap()
}

#[track_caller]
fn assert_sorted(gpu: &Gpu, keys: &[u32], key_bits: u32, what: &str) {
    let got = sort(gpu, keys, key_bits);
    let want = sorted(keys, key_bits);
    if let Some(index) = (0..want.len()).find(|&index| got[index] != want[index]) {
        panic!(
            "{what}, {} pairs, {key_bits} bits: pair {index} is {:?}, want {:?}",
            keys.len(),
            got[index],
            want[index]
        );
    }
}

#[test]
fn pairs_are_in_order_at_every_cliff() {
    let Some(gpu) = gpu() else { return };
    for count in [
        0,
        1,
        2,
        63,
        64,
        65,
        BLOCK - 1,
        BLOCK,
        BLOCK + 1,
        5 * BLOCK + 333,
        100_003,
        // More than one block for each thread of the second kernel.
        65 * BLOCK + 1,
    ] {
        let mut keys = random(count, u32::MAX);
        assert_sorted(gpu, &keys, 32, "random");
        keys.sort_unstable();
        assert_sorted(gpu, &keys, 32, "in order already");
        keys.reverse();
        assert_sorted(gpu, &keys, 32, "reversed");
    }
}

#[test]
fn equal_keys_keep_their_order() {
    let Some(gpu) = gpu() else { return };
    for count in [BLOCK, 5 * BLOCK + 333, 100_003] {
        for equal in [0, 0x0123_4567, u32::MAX] {
            assert_sorted(gpu, &vec![equal; count], 32, "all equal");
        }
        assert_sorted(gpu, &random(count, 3), 32, "four different keys");
        assert_sorted(gpu, &random(count, 1000), 32, "a thousand different keys");
    }
}

#[test]
fn only_the_bits_asked_for_count() {
    let Some(gpu) = gpu() else { return };
    let keys = random(2 * BLOCK + 17, u32::MAX);
    for key_bits in [0, 1, SORT_DIGIT_BITS, SORT_DIGIT_BITS + 1, 20, 30, 31, 32] {
        assert_sorted(gpu, &keys, key_bits, "random");
    }
    let counts = buffer_of(gpu, "counts", &[0]);
    let parts = [&counts, &counts].map(wgpu::Buffer::as_entire_buffer_binding);
    let error = Sort::new(gpu, 10, 33, &counts, 0, parts).unwrap_err();
    assert!(error.to_string().contains("33 bits"), "{error}");
}

#[test]
fn an_indirect_sort_runs_only_if_a_kernel_says_so() {
    let Some(gpu) = gpu() else { return };
    let keys = random(3 * BLOCK + 5, u32::MAX);
    let counts = buffer_of(gpu, "counts", &[keys.len() as u32]);
    // An even number of rounds, so that pairs which were not moved are where they are looked for.
    let bits = 4 * SORT_DIGIT_BITS;
    for (blocks, digits, want) in [
        (0, 0, pairs_of(&keys)),
        (4, SORT_DIGITS, sorted(&keys, bits)),
    ] {
        let (sort, pairs) = sort_of(gpu, keys.len() as u32, bits, &counts, 0);
        gpu.upload(&pairs[0], &pairs_of(&keys)).unwrap();
        let arguments = gpu
            .create_buffer("arguments", 32, STORAGE | BufferUsages::INDIRECT)
            .unwrap();
        gpu.upload(
            &arguments,
            &[dispatch_arguments(blocks), dispatch_arguments(digits)],
        )
        .unwrap();
        let grid = |slot| Grid::Indirect {
            arguments: &arguments,
            slot,
        };
        let mut encoder = gpu.encoder("sort");
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            let grids = SortGrids {
                blocks: grid(0),
                digits: grid(1),
            };
            sort.record(&mut pass, grids);
        }
        gpu.submit(encoder).unwrap();
        let got: Vec<[u32; 2]> = gpu.read(&pairs[Sort::place(bits)], 0..keys.len()).unwrap();
        assert!(got == want, "{blocks} workgroups: not in the order wanted");
    }
}
