//! Turning rows of four numbers into columns, and back.
//!
//! Memory holds contacts one after the other, lanes hold quantities one after the other. Compilers
//! turn one into the other number by number, and a processor that is then asked for four numbers at
//! once has to wait until all four have arrived: hence instructions by name, where there are such.

use super::lanes::{Lane, WIDTH};

/// Numbers in a row.
const FOUR: usize = 4;

/// Rows that are turned together.
const EIGHT: usize = 8;

type Rows = [[f64; FOUR]; EIGHT];
type Columns = [[f64; EIGHT]; FOUR];

/// How to turn eight rows of four numbers.
pub(super) trait Turn {
    /// Column k holds the numbers k of all rows.
    fn to_columns(rows: &Rows) -> Columns;

    /// The other way.
    fn to_rows(columns: &Columns) -> Rows;
}

/// With any processor.
pub(super) struct AnyTurn;

impl Turn for AnyTurn {
    #[inline(always)]
    fn to_columns(rows: &Rows) -> Columns {
        std::array::from_fn(|k| rows.map(|row| row[k]))
    }

    #[inline(always)]
    fn to_rows(columns: &Columns) -> Rows {
        std::array::from_fn(|l| columns.map(|column| column[l]))
    }
}

/// With a processor that has AVX2: only code that is compiled for it may name this.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx2Turn;

#[cfg(target_arch = "x86_64")]
impl Avx2Turn {
    /// Row k of the result holds the numbers k of all rows.
    ///
    /// # Safety
    /// `from` holds four rows of four numbers, `stride` numbers apart; there is room for as many at `to`,
    /// `to_stride` apart; and the processor has AVX2.
    #[inline(always)]
    unsafe fn square(from: *const f64, stride: usize, to: *mut f64, to_stride: usize) {
        use std::arch::x86_64::{
            _mm256_loadu_pd, _mm256_permute2f128_pd, _mm256_storeu_pd, _mm256_unpackhi_pd,
            _mm256_unpacklo_pd,
        };
        const LOWER_HALVES: i32 = 0x20;
        const UPPER_HALVES: i32 = 0x31;
        // SAFETY: as the caller has made sure.
        unsafe {
            let [a, b, c, d] = [0, 1, 2, 3].map(|row| _mm256_loadu_pd(from.add(row * stride)));
            let [even_ab, odd_ab] = [_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)];
            let [even_cd, odd_cd] = [_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d)];
            let turned = [
                _mm256_permute2f128_pd::<LOWER_HALVES>(even_ab, even_cd),
                _mm256_permute2f128_pd::<LOWER_HALVES>(odd_ab, odd_cd),
                _mm256_permute2f128_pd::<UPPER_HALVES>(even_ab, even_cd),
                _mm256_permute2f128_pd::<UPPER_HALVES>(odd_ab, odd_cd),
            ];
            for (k, turned) in turned.into_iter().enumerate() {
                _mm256_storeu_pd(to.add(k * to_stride), turned);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Turn for Avx2Turn {
    #[inline(always)]
    fn to_columns(rows: &Rows) -> Columns {
        let mut columns = [[0.0; EIGHT]; FOUR];
        let (from, to) = (
            rows.as_flattened().as_ptr(),
            columns.as_flattened_mut().as_mut_ptr(),
        );
        for half in 0..2 {
            // SAFETY: named only by functions that are compiled for, and run on, processors with AVX2;
            // each half has four rows of four, and becomes half of the four columns.
            unsafe {
                Self::square(
                    from.add(half * FOUR * FOUR),
                    FOUR,
                    to.add(half * FOUR),
                    EIGHT,
                )
            };
        }
        columns
    }

    #[inline(always)]
    fn to_rows(columns: &Columns) -> Rows {
        let mut rows = [[0.0; FOUR]; EIGHT];
        let (from, to) = (
            columns.as_flattened().as_ptr(),
            rows.as_flattened_mut().as_mut_ptr(),
        );
        for half in 0..2 {
            // SAFETY: as in `to_columns`, the other way.
            unsafe {
                Self::square(
                    from.add(half * FOUR),
                    EIGHT,
                    to.add(half * FOUR * FOUR),
                    FOUR,
                )
            };
        }
        rows
    }
}

/// With a processor that has AVX-512: only code that is compiled for it may name this. Registers as wide
/// as a lane: what is read as a lane right after it was written in halves would be waited for.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx512Turn;

#[cfg(target_arch = "x86_64")]
impl Turn for Avx512Turn {
    #[inline(always)]
    fn to_columns(rows: &Rows) -> Columns {
        use std::arch::x86_64::{
            _mm512_loadu_pd, _mm512_permutex2var_pd, _mm512_setr_epi64, _mm512_shuffle_f64x2,
            _mm512_storeu_pd,
        };
        let mut columns = [[0.0; EIGHT]; FOUR];
        // SAFETY: named only by functions that are compiled for, and run on, processors with AVX-512; every
        // register holds two of the eight rows, or one of the columns.
        unsafe {
            let first_two = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
            let last_two = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
            let from = rows.as_flattened().as_ptr();
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| _mm512_loadu_pd(from.add(k * EIGHT)));
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
            for (column, turned) in columns.iter_mut().zip(turned) {
                _mm512_storeu_pd(column.as_mut_ptr(), turned);
            }
        }
        columns
    }

    #[inline(always)]
    fn to_rows(columns: &Columns) -> Rows {
        use std::arch::x86_64::{
            _mm512_loadu_pd, _mm512_permutex2var_pd, _mm512_setr_epi64, _mm512_shuffle_f64x2,
            _mm512_storeu_pd,
        };
        let mut rows = [[0.0; FOUR]; EIGHT];
        // SAFETY: as in `to_columns`, the other way.
        unsafe {
            let first_two = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
            let last_two = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
            let [x, y, z, w] = columns
                .each_ref()
                .map(|column| _mm512_loadu_pd(column.as_ptr()));
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
            let to = rows.as_flattened_mut().as_mut_ptr();
            for (k, turned) in turned.into_iter().enumerate() {
                _mm512_storeu_pd(to.add(k * EIGHT), turned);
            }
        }
        rows
    }
}

/// Which halves of two registers make a third.
#[cfg(target_arch = "x86_64")]
const LOWER: i32 = 0x44;
#[cfg(target_arch = "x86_64")]
const UPPER: i32 = 0xee;

/// Four lanes from the rows of a batch.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn to_lanes<T: Turn>(rows: &[[f64; FOUR]; WIDTH], lanes: [&mut Lane; FOUR]) {
    let [x, y, z, w] = lanes.map(|lane| lane.as_chunks_mut().0);
    for (k, rows) in rows.as_chunks().0.iter().enumerate() {
        [x[k], y[k], z[k], w[k]] = T::to_columns(rows);
    }
}

/// The rows of a batch from four lanes.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn to_rows<T: Turn>(lanes: [&Lane; FOUR], rows: &mut [[f64; FOUR]; WIDTH]) {
    let [x, y, z, w] = lanes.map(|lane| lane.as_chunks().0);
    for (k, rows) in rows.as_chunks_mut().0.iter_mut().enumerate() {
        *rows = T::to_rows(&[x[k], y[k], z[k], w[k]]);
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

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx512_turns_rows() {
        if std::arch::is_x86_feature_detected!("avx512f") {
            turns_rows_into_lanes_and_back::<Avx512Turn>();
        } else {
            eprintln!("not run: this processor has no AVX-512");
        }
    }
}
