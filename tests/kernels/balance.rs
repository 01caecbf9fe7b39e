//! Turns of the threads of a workgroup against `std`, at the sizes where workgroups and rows of a dispatch end.

use crate::common::gpu;
use crate::{buffer_of, random};
use lahar::gpu::Gpu;
use lahar::gpu::kernel::{DISPATCH_ROW, Kernel};
use lahar::gpu::stages::balance::BALANCE;
use lahar::gpu::status::STATUS_GRAINS;

const THREADS: usize = BALANCE.workgroup_size as usize;

/// What follows the turns must survive.
const UNTOUCHED: u32 = 0xdead_beef;

/// First slots of grains with so many slots, and one more.
fn first_slots(counts: &[u32]) -> Vec<u32> {
    let mut starts = vec![0];
    for count in counts {
        starts.push(starts[starts.len() - 1] + count);
    }
    starts
}

/// Which grain each thread takes, four in a word: fewest slots first, else as they lie; then threads without one.
fn turns(counts: &[u32]) -> Vec<u32> {
    let mut words = Vec::new();
    for block in counts.chunks(THREADS) {
        let mut order: Vec<u32> = (0..THREADS as u32).collect();
        order.sort_by_key(|&grain| block.get(grain as usize).copied().unwrap_or(u32::MAX));
        words.extend(
            order
                .chunks(4)
                .map(|four| u32::from_le_bytes(std::array::from_fn(|turn| four[turn] as u8))),
        );
    }
    words
}

#[track_caller]
fn assert_balanced(gpu: &Gpu, counts: &[u32]) {
    let kernel = Kernel::new(gpu, &BALANCE, &[]).unwrap();
    let mut status = vec![7; STATUS_GRAINS + 1];
    status[STATUS_GRAINS] = counts.len() as u32;
    let mut want = first_slots(counts);
    want.extend(turns(counts));
    want.extend([UNTOUCHED; 20]);
    let mut given = want.clone();
    given[counts.len() + 1..].fill(UNTOUCHED);
    let starts = buffer_of(gpu, "starts", &given);
    let status = buffer_of(gpu, "status", &status);
    let bound = kernel.bind(gpu, &[&status, &starts]).unwrap();
    let mut encoder = gpu.encoder("balance");
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        kernel.dispatch(&mut pass, &bound, counts.len() as u32);
    }
    gpu.submit(encoder).unwrap();
    let got: Vec<u32> = gpu.read(&starts, 0..want.len()).unwrap();
    if let Some(word) = (0..want.len()).find(|&word| got[word] != want[word]) {
        panic!(
            "{} grains: word {word} is {:#x}, want {:#x}",
            counts.len(),
            got[word],
            want[word]
        );
    }
}

#[test]
fn threads_take_grains_with_as_many_slots_together() {
    let Some(gpu) = gpu() else { return };
    for count in [
        1,
        THREADS - 1,
        THREADS,
        THREADS + 1,
        5 * THREADS + 33,
        // The second row of the dispatch has idle workgroups.
        DISPATCH_ROW as usize * THREADS + 1,
    ] {
        assert_balanced(gpu, &random(count, 12));
        assert_balanced(gpu, &vec![6; count]);
    }
}
