//! Energies on their way into sums of whole numbers: exactly.

use crate::device::gpu;
use crate::draw::Draw;
use crate::harness::{Call, run};

const SEED: u64 = 1937;

/// Numbers drawn between each power of two and the next.
const OF_EACH_SIZE: usize = 50;

/// Powers of two from far below ½ to what is left of 63 bits.
const EXPONENTS: std::ops::Range<i32> = -40..62;

/// What a whole number of 64 bits makes of a value.
fn whole(value: f32) -> i64 {
    f64::from(value).round_ties_even() as i64
}

/// Positive values of all sizes: powers of two and their neighbours, whole numbers, ties, and any others.
fn sizes() -> Vec<f32> {
    let mut draw = Draw::new(SEED);
    let mut sizes = vec![0.0, f32::MIN_POSITIVE];
    sizes.extend((0..1000).map(|n| n as f32));
    // Those that f32 holds: halves up to 2²³.
    sizes.extend((0..100).map(|n| n as f32 + 0.5));
    sizes.extend((0..100).map(|n| 8_388_607.5 - n as f32));
    for exponent in EXPONENTS {
        let power = 2f32.powi(exponent);
        sizes.extend([power.next_down(), power, power.next_up()]);
        sizes.extend((0..OF_EACH_SIZE).map(|_| power * draw.between(1.0, 2.0) as f32));
    }
    sizes
}

/// Once `2³² − n` was rounded to an `f32`, and −1 became −256.
#[test]
fn fixed_point() {
    let Some(gpu) = gpu() else { return };
    let values: Vec<f32> = sizes().into_iter().flat_map(|size| [size, -size]).collect();
    let call = Call {
        function: "fixed_point",
        rows: values.iter().map(|value| vec![value.to_bits()]).collect(),
    };
    let results = run(gpu, "//#include lib/status.wgsl\n", &[], &[call]);
    let mut wrong = Vec::new();
    for (value, words) in values.iter().zip(&results[0]) {
        let got = (u64::from(words[1]) << 32 | u64::from(words[0])) as i64;
        let want = whole(*value);
        if got != want {
            wrong.push(format!("{value:e} is {got}, not {want}"));
        }
    }
    let (count, some) = (wrong.len(), &wrong[..wrong.len().min(9)]);
    assert_eq!(count, 0, "of {} values: {some:#?}", values.len());
}

/// Integers of floats, and those that software devices make of their bits: what Rust makes of them.
#[test]
fn whole_numbers() {
    const SIZES_BELOW: f32 = 4_294_967_296.0;
    const NUMBERS_BELOW: f32 = 2_147_483_648.0;
    let Some(gpu) = gpu() else { return };
    let sizes = sizes().into_iter().filter(|size| *size < SIZES_BELOW);
    let sizes: Vec<f32> = sizes.collect();
    let values = sizes.iter().filter(|size| **size < NUMBERS_BELOW);
    let values: Vec<f32> = values.flat_map(|size| [*size, -size]).collect();
    let rows = |values: &[f32]| values.iter().map(|value| vec![value.to_bits()]).collect();
    for part in ["whole", "whole_bits"] {
        let library = format!("//#include lib/{part}.wgsl\n");
        let call = |function, values: &[f32]| {
            let rows = rows(values);
            run(gpu, &library, &[], &[Call { function, rows }])
        };
        for (value, words) in values.iter().zip(&call("whole_number", &values)[0]) {
            assert_eq!(words[0] as i32, *value as i32, "{part}: {value:e}");
        }
        for (value, words) in sizes.iter().zip(&call("whole_size", &sizes)[0]) {
            assert_eq!(words[0], *value as u32, "{part}: {value:e}");
        }
    }
}
