//! Turning rows of four numbers into columns, and back.
//!
//! Memory holds contacts one after the other, lanes hold quantities one after the other. Compilers
//! turn one into the other number by number, and a processor that is then asked for four numbers at
//! once has to wait until all four have arrived: hence instructions by name, where there are such.

use super::lanes::{Lane, WIDTH};

/// Numbers in a row.
const FOUR: usize = 4;

/// How to turn four rows of four numbers.
pub(super) trait Turn {
    /// Column k gets the numbers k of all rows.
    fn turn(rows: [&[f64; FOUR]; FOUR], columns: [&mut [f64; FOUR]; FOUR]);
}

/// With any processor.
pub(super) struct AnyTurn;

impl Turn for AnyTurn {
    #[inline(always)]
    fn turn(rows: [&[f64; FOUR]; FOUR], columns: [&mut [f64; FOUR]; FOUR]) {
        for (k, column) in columns.into_iter().enumerate() {
            *column = rows.map(|row| row[k]);
        }
    }
}

/// With a processor that has AVX2: only code that is compiled for it may name this.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx2Turn;

#[cfg(target_arch = "x86_64")]
impl Turn for Avx2Turn {
    #[inline(always)]
    fn turn(rows: [&[f64; FOUR]; FOUR], columns: [&mut [f64; FOUR]; FOUR]) {
        use std::arch::x86_64::{
            _mm256_loadu_pd, _mm256_permute2f128_pd, _mm256_storeu_pd, _mm256_unpackhi_pd,
            _mm256_unpacklo_pd,
        };
        const LOWER_HALVES: i32 = 0x20;
        const UPPER_HALVES: i32 = 0x31;
        // SAFETY: named only by functions that are compiled for, and run on, processors with AVX2;
        // each pointer is that of an array of four numbers.
        unsafe {
            let [a, b, c, d] = rows.map(|row| _mm256_loadu_pd(row.as_ptr()));
            let [even_ab, odd_ab] = [_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)];
            let [even_cd, odd_cd] = [_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d)];
            let turned = [
                _mm256_permute2f128_pd::<LOWER_HALVES>(even_ab, even_cd),
                _mm256_permute2f128_pd::<LOWER_HALVES>(odd_ab, odd_cd),
                _mm256_permute2f128_pd::<UPPER_HALVES>(even_ab, even_cd),
                _mm256_permute2f128_pd::<UPPER_HALVES>(odd_ab, odd_cd),
            ];
            for (column, turned) in columns.into_iter().zip(turned) {
                _mm256_storeu_pd(column.as_mut_ptr(), turned);
            }
        }
    }
}

/// Four lanes from the rows of a batch.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn to_lanes<T: Turn>(rows: &[[f64; FOUR]; WIDTH], lanes: [&mut Lane; FOUR]) {
    let [a, b, c, d] = lanes.map(|lane| lane.as_chunks_mut().0);
    for (k, [p, q, r, s]) in rows.as_chunks().0.iter().enumerate() {
        T::turn([p, q, r, s], [&mut a[k], &mut b[k], &mut c[k], &mut d[k]]);
    }
}

/// The rows of a batch from four lanes.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn to_rows<T: Turn>(lanes: [&Lane; FOUR], rows: &mut [[f64; FOUR]; WIDTH]) {
    let [a, b, c, d] = lanes.map(|lane| lane.as_chunks().0);
    for (k, [p, q, r, s]) in rows.as_chunks_mut().0.iter_mut().enumerate() {
        T::turn([&a[k], &b[k], &c[k], &d[k]], [p, q, r, s]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns_rows_into_lanes_and_back<T: Turn>() {
        let rows: [[f64; FOUR]; WIDTH] =
            std::array::from_fn(|l| std::array::from_fn(|k| (10 * l + k) as f64));
        let mut lanes = [[0.0; WIDTH]; FOUR];
        to_lanes::<T>(&rows, lanes.each_mut());
        for (k, lane) in lanes.iter().enumerate() {
            for (l, &x) in lane.iter().enumerate() {
                assert_eq!(x, rows[l][k], "row {l}, lane {k}");
            }
        }
        let mut back = [[0.0; FOUR]; WIDTH];
        to_rows::<T>(lanes.each_ref(), &mut back);
        assert_eq!(back, rows);
    }

    #[test]
    fn any_processor_turns_rows() {
        turns_rows_into_lanes_and_back::<AnyTurn>();
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2_turns_rows() {
        if std::arch::is_x86_feature_detected!("avx2") {
            turns_rows_into_lanes_and_back::<Avx2Turn>();
        } else {
            eprintln!("not run: this processor has no AVX2");
        }
    }
}
