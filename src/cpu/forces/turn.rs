//! Turning rows of eight numbers, two vectors of four, into columns, and back.
//!
//! Memory holds contacts one after the other, lanes hold quantities one after the other. Compilers
//! turn one into the other number by number, and a processor that is then asked for four numbers at
//! once has to wait until all four have arrived: hence instructions by name, where there are such.

use super::processor::AnyProcessor;
#[cfg(target_arch = "x86_64")]
use super::processor::{Avx2, Avx512};
use crate::cpu::slots::WIDTH;

/// Numbers of a row that are turned together.
const FOUR: usize = 4;

/// A quantity of the contacts of a block.
type Lane = [f64; WIDTH];

/// Two vectors of four for each contact.
pub(super) type Rows = [[f64; 2 * FOUR]; WIDTH];

/// How to turn the vectors of eight contacts. `half` is 0 for the first vector of each row, 1 for the second.
pub(super) trait Turn {
    /// Lane k gets the numbers k of all vectors.
    fn to_lanes(rows: &Rows, half: usize, lanes: [&mut Lane; FOUR]);

    /// The other way.
    fn to_rows(lanes: [&Lane; FOUR], half: usize, rows: &mut Rows);
}

impl Turn for AnyProcessor {
    #[inline(always)]
    fn to_lanes(rows: &Rows, half: usize, lanes: [&mut Lane; FOUR]) {
        for (k, lane) in lanes.into_iter().enumerate() {
            *lane = std::array::from_fn(|l| rows[l][FOUR * half + k]);
        }
    }

    #[inline(always)]
    fn to_rows(lanes: [&Lane; FOUR], half: usize, rows: &mut Rows) {
        for (l, row) in rows.iter_mut().enumerate() {
            for (k, lane) in lanes.iter().enumerate() {
                row[FOUR * half + k] = lane[l];
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Row k of the result holds the numbers k of all rows.
    ///
    /// # Safety
    /// Four numbers can be read at each of `from` and written at each of `to`, and the processor has AVX2.
    #[inline(always)]
    unsafe fn square(from: [*const f64; FOUR], to: [*mut f64; FOUR]) {
        use std::arch::x86_64::{
            _mm256_loadu_pd, _mm256_permute2f128_pd, _mm256_storeu_pd, _mm256_unpackhi_pd,
            _mm256_unpacklo_pd,
        };
        const LOWER_HALVES: i32 = 0x20;
        const UPPER_HALVES: i32 = 0x31;
        // SAFETY: as the caller has made sure.
        unsafe {
            let [a, b, c, d] = from.map(|row| _mm256_loadu_pd(row));
            let [even_ab, odd_ab] = [_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)];
            let [even_cd, odd_cd] = [_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d)];
            let turned = [
                _mm256_permute2f128_pd::<LOWER_HALVES>(even_ab, even_cd),
                _mm256_permute2f128_pd::<LOWER_HALVES>(odd_ab, odd_cd),
                _mm256_permute2f128_pd::<UPPER_HALVES>(even_ab, even_cd),
                _mm256_permute2f128_pd::<UPPER_HALVES>(odd_ab, odd_cd),
            ];
            for (to, turned) in to.into_iter().zip(turned) {
                _mm256_storeu_pd(to, turned);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Turn for Avx2 {
    #[inline(always)]
    fn to_lanes(rows: &Rows, half: usize, lanes: [&mut Lane; FOUR]) {
        let lanes = lanes.map(|lane| lane.as_chunks_mut::<FOUR>().0);
        let [mut x, mut y, mut z, mut w] = lanes.map(|lane| lane.iter_mut());
        for rows in rows.as_chunks::<FOUR>().0 {
            let to = [&mut x, &mut y, &mut z, &mut w].map(|lane| lane.next());
            let [Some(x), Some(y), Some(z), Some(w)] = to else {
                return;
            };
            let from = rows
                .each_ref()
                .map(|row| row.as_chunks::<FOUR>().0[half].as_ptr());
            // SAFETY: named only by functions that are compiled for, and run on, processors with AVX2; all
            // pointers are of arrays of four.
            unsafe { Self::square(from, [x, y, z, w].map(|four| four.as_mut_ptr())) };
        }
    }

    #[inline(always)]
    fn to_rows(lanes: [&Lane; FOUR], half: usize, rows: &mut Rows) {
        for (k, rows) in rows.as_chunks_mut::<FOUR>().0.iter_mut().enumerate() {
            let from = lanes.map(|lane| lane.as_chunks::<FOUR>().0[k].as_ptr());
            let to = rows
                .each_mut()
                .map(|row| row.as_chunks_mut::<FOUR>().0[half].as_mut_ptr());
            // SAFETY: as in `to_lanes`, the other way.
            unsafe { Self::square(from, to) };
        }
    }
}

/// Registers as wide as a lane: what is read as a lane right after it was written in halves would be waited for.
#[cfg(target_arch = "x86_64")]
impl Turn for Avx512 {
    #[inline(always)]
    fn to_lanes(rows: &Rows, half: usize, lanes: [&mut Lane; FOUR]) {
        use std::arch::x86_64::{
            _mm256_loadu_pd, _mm512_castpd256_pd512, _mm512_insertf64x4, _mm512_permutex2var_pd,
            _mm512_setr_epi64, _mm512_shuffle_f64x2, _mm512_storeu_pd,
        };
        // SAFETY: named only by functions that are compiled for, and run on, processors with AVX-512; every
        // register holds vectors of two of the eight rows, or one lane.
        unsafe {
            let first_two = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
            let last_two = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
            let two = |l: usize| {
                let [lower, upper] = [&rows[l], &rows[l + 1]]
                    .map(|row| _mm256_loadu_pd(row.as_chunks::<FOUR>().0[half].as_ptr()));
                _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(lower), upper)
            };
            let [a, b, c, d] = [two(0), two(2), two(4), two(6)];
            let [xy_lower, xy_upper] =
                [(a, b), (c, d)].map(|(p, q)| _mm512_permutex2var_pd(p, first_two, q));
            let [zw_lower, zw_upper] =
                [(a, b), (c, d)].map(|(p, q)| _mm512_permutex2var_pd(p, last_two, q));
            let turned = [
                _mm512_shuffle_f64x2::<LOWER>(xy_lower, xy_upper),
                _mm512_shuffle_f64x2::<UPPER>(xy_lower, xy_upper),
                _mm512_shuffle_f64x2::<LOWER>(zw_lower, zw_upper),
                _mm512_shuffle_f64x2::<UPPER>(zw_lower, zw_upper),
            ];
            for (lane, turned) in lanes.into_iter().zip(turned) {
                _mm512_storeu_pd(lane.as_mut_ptr(), turned);
            }
        }
    }

    #[inline(always)]
    fn to_rows(lanes: [&Lane; FOUR], half: usize, rows: &mut Rows) {
        use std::arch::x86_64::{
            _mm256_storeu_pd, _mm512_castpd512_pd256, _mm512_extractf64x4_pd, _mm512_loadu_pd,
            _mm512_permutex2var_pd, _mm512_setr_epi64, _mm512_shuffle_f64x2,
        };
        // SAFETY: as in `to_lanes`, the other way.
        unsafe {
            let first_two = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
            let last_two = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
            let [x, y, z, w] = lanes.map(|lane| _mm512_loadu_pd(lane.as_ptr()));
            let [xy_lower, zw_lower] =
                [(x, y), (z, w)].map(|(p, q)| _mm512_shuffle_f64x2::<LOWER>(p, q));
            let [xy_upper, zw_upper] =
                [(x, y), (z, w)].map(|(p, q)| _mm512_shuffle_f64x2::<UPPER>(p, q));
            let turned = [
                _mm512_permutex2var_pd(xy_lower, first_two, zw_lower),
                _mm512_permutex2var_pd(xy_lower, last_two, zw_lower),
                _mm512_permutex2var_pd(xy_upper, first_two, zw_upper),
                _mm512_permutex2var_pd(xy_upper, last_two, zw_upper),
            ];
            for (rows, turned) in rows.as_chunks_mut::<2>().0.iter_mut().zip(turned) {
                let [lower, upper] = rows
                    .each_mut()
                    .map(|row| row.as_chunks_mut::<FOUR>().0[half].as_mut_ptr());
                _mm256_storeu_pd(lower, _mm512_castpd512_pd256(turned));
                _mm256_storeu_pd(upper, _mm512_extractf64x4_pd::<1>(turned));
            }
        }
    }
}

/// Which halves of two registers make a third.
#[cfg(target_arch = "x86_64")]
const LOWER: i32 = 0x44;
#[cfg(target_arch = "x86_64")]
const UPPER: i32 = 0xee;

#[cfg(test)]
mod tests {
    use super::*;

    fn turns_rows_into_lanes_and_back<T: Turn>() {
        let rows: Rows = std::array::from_fn(|l| std::array::from_fn(|k| (10 * l + k) as f64));
        let mut back = Rows::default();
        for half in 0..2 {
            let mut lanes = [[0.0; WIDTH]; FOUR];
            T::to_lanes(&rows, half, lanes.each_mut());
            for (k, lane) in lanes.iter().enumerate() {
                for (l, &x) in lane.iter().enumerate() {
                    assert_eq!(x, rows[l][FOUR * half + k], "row {l}, lane {k}");
                }
            }
            T::to_rows(lanes.each_ref(), half, &mut back);
        }
        assert_eq!(back, rows);
    }

    #[test]
    fn any_processor_turns_rows() {
        turns_rows_into_lanes_and_back::<AnyProcessor>();
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2_turns_rows() {
        if std::arch::is_x86_feature_detected!("avx2") {
            turns_rows_into_lanes_and_back::<Avx2>();
        } else {
            eprintln!("not run: this processor has no AVX2");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx512_turns_rows() {
        if std::arch::is_x86_feature_detected!("avx512f") {
            turns_rows_into_lanes_and_back::<Avx512>();
        } else {
            eprintln!("not run: this processor has no AVX-512");
        }
    }
}
