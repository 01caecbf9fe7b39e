//! Many grains at once: what depends on the processor.

use super::cells::{ENTRIES, Inhabitants, Nearby};
use super::grain::Slot;
use super::paths::{Path, Way};

/// Grains that are sifted together.
pub(super) const WIDTH: usize = 16;

/// Numbers of a path.
const NUMBERS: usize = 8;

/// Grains that are sifted together, and the numbers of the steps to their cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch<'a> {
    pub(super) slots: &'a [Slot; WIDTH],
    pub(super) steps: &'a [u32; WIDTH],
}

/// Number k of all paths of a batch.
pub(super) type Columns = [[f32; WIDTH]; NUMBERS];

/// What this processor can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Processor {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Any,
}

impl Processor {
    #[inline]
    pub(super) fn here() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let wide = has!("avx512f") && has!("avx512dq") && has!("avx512vl");
            if wide && has!("popcnt") && has!("bmi1") {
                return Self::Avx512;
            }
            if has!("avx2") {
                return Self::Avx2;
            }
        }
        Self::Any
    }
}

/// Ways to do the same with different processors.
pub(super) trait Lanes {
    /// Adds the grains of cells that are side by side to a list; `step` leads to the first.
    fn list(cells: &[Inhabitants], step: u8, nearby: &mut Nearby);

    /// The paths of a batch in columns, one for each number of a path; on the way the ways to their cells
    /// are added to the places. The last column is undefined.
    fn columns(paths: &[Path], batch: &Batch, ways: &[Way]) -> Columns;

    /// Bit k says whether number k is not infinite.
    fn are_finite(numbers: &[f32; WIDTH]) -> u32;
}

/// With any processor.
#[derive(Debug)]
pub(super) struct AnyLanes;

impl Lanes for AnyLanes {
    #[inline(always)]
    fn list(cells: &[Inhabitants], step: u8, nearby: &mut Nearby) {
        for (step, cell) in (step..).zip(cells) {
            nearby.put(cell, step);
        }
    }

    #[inline(always)]
    fn columns(paths: &[Path], batch: &Batch, ways: &[Way]) -> Columns {
        let mut columns = [[0.0; WIDTH]; NUMBERS];
        for lane in 0..WIDTH {
            let path = &paths[batch.slots[lane] as usize];
            let way = &ways[batch.steps[lane] as usize];
            for axis in 0..3 {
                columns[axis][lane] = path.place[axis] + way[axis];
                columns[3 + axis][lane] = path.velocity[axis];
            }
            columns[6][lane] = path.collision;
        }
        columns
    }

    #[inline(always)]
    fn are_finite(numbers: &[f32; WIDTH]) -> u32 {
        let mut bits = 0;
        for (k, &number) in numbers.iter().enumerate() {
            bits |= u32::from(number != f32::INFINITY) << k;
        }
        bits
    }
}

/// With a processor that has AVX2: only code that is compiled for it may name this.
#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
pub(super) struct Avx2Lanes;

#[cfg(target_arch = "x86_64")]
impl Lanes for Avx2Lanes {
    #[inline(always)]
    fn list(cells: &[Inhabitants], step: u8, nearby: &mut Nearby) {
        AnyLanes::list(cells, step, nearby);
    }

    #[inline(always)]
    fn columns(paths: &[Path], batch: &Batch, ways: &[Way]) -> Columns {
        use std::arch::x86_64::{
            _mm256_permute2f128_ps, _mm256_setzero_ps, _mm256_shuffle_ps, _mm256_storeu_ps,
            _mm256_unpackhi_ps, _mm256_unpacklo_ps,
        };
        const LOWER_HALVES: i32 = 0x20;
        const UPPER_HALVES: i32 = 0x31;
        const HALF: usize = WIDTH / 2;
        let mut columns = [[0.0; WIDTH]; NUMBERS];
        for half in 0..2 {
            // SAFETY: named only by functions that are compiled for, and run on, processors with AVX2; half a
            // column has eight numbers.
            unsafe {
                let mut rows = [_mm256_setzero_ps(); HALF];
                for (lane, to) in rows.iter_mut().enumerate() {
                    *to = row(paths, batch, ways, HALF * half + lane);
                }
                // Pairs, fours and halves: after each, twice as many numbers of a column are side by side.
                let mut pairs = rows;
                for k in (0..HALF).step_by(2) {
                    pairs[k] = _mm256_unpacklo_ps(rows[k], rows[k + 1]);
                    pairs[k + 1] = _mm256_unpackhi_ps(rows[k], rows[k + 1]);
                }
                let mut fours = pairs;
                for (to, from) in [(0, 0), (2, 1), (4, 4), (6, 5)] {
                    let (lower, upper) = (pairs[from], pairs[from + 2]);
                    fours[to] = _mm256_shuffle_ps::<FIRST_TWO>(lower, upper);
                    fours[to + 1] = _mm256_shuffle_ps::<LAST_TWO>(lower, upper);
                }
                for (k, column) in columns.iter_mut().enumerate() {
                    let (lower, upper) = (fours[k % 4], fours[k % 4 + 4]);
                    let turned = if k < 4 {
                        _mm256_permute2f128_ps::<LOWER_HALVES>(lower, upper)
                    } else {
                        _mm256_permute2f128_ps::<UPPER_HALVES>(lower, upper)
                    };
                    _mm256_storeu_ps(column[HALF * half..].as_mut_ptr(), turned);
                }
            }
        }
        columns
    }

    #[inline(always)]
    fn are_finite(numbers: &[f32; WIDTH]) -> u32 {
        use std::arch::x86_64::{
            _CMP_NEQ_UQ, _mm256_cmp_ps, _mm256_loadu_ps, _mm256_movemask_ps, _mm256_set1_ps,
        };
        // SAFETY: as in `columns`.
        let bits = unsafe {
            let infinite = _mm256_set1_ps(f32::INFINITY);
            let lower = _mm256_loadu_ps(numbers.as_ptr());
            let upper = _mm256_loadu_ps(numbers[WIDTH / 2..].as_ptr());
            let lower = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(lower, infinite));
            let upper = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(upper, infinite));
            lower | upper << (WIDTH / 2)
        };
        bits.cast_unsigned()
    }
}

/// With a processor that has AVX-512: only code that is compiled for it may name this.
#[cfg(target_arch = "x86_64")]
#[derive(Debug)]
pub(super) struct Avx512Lanes;

#[cfg(target_arch = "x86_64")]
impl Lanes for Avx512Lanes {
    #[inline(always)]
    fn list(cells: &[Inhabitants], step: u8, nearby: &mut Nearby) {
        use std::arch::x86_64::{
            __mmask16, _mm512_add_epi32, _mm512_cmpneq_epi32_mask, _mm512_mask_loadu_epi32,
            _mm512_set1_epi32, _mm512_setr_epi32,
        };
        const NAMED: __mmask16 = 0x7777;
        debug_assert!(ENTRIES * cells.len() <= WIDTH);
        let entries: __mmask16 = (1 << (ENTRIES * cells.len())) - 1;
        // SAFETY: named only by functions that are compiled for, and run on, processors with AVX-512; only
        // entries of these cells are read, and behind what is listed there is room for a whole batch.
        unsafe {
            let nobody = _mm512_set1_epi32(-1);
            let slots = _mm512_mask_loadu_epi32(nobody, entries, cells.as_ptr().cast());
            let cell = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
            let steps = _mm512_add_epi32(_mm512_set1_epi32(i32::from(step)), cell);
            let somebody = _mm512_cmpneq_epi32_mask(slots, nobody);
            let named = somebody & NAMED;
            compress(&mut nearby.slots[nearby.count..], named, slots);
            compress(&mut nearby.steps[nearby.count..], named, steps);
            nearby.count += named.count_ones() as usize;
            let chained = somebody & !NAMED;
            if chained != 0 {
                compress(&mut nearby.chain_slots[nearby.chains..], chained, slots);
                compress(&mut nearby.chain_steps[nearby.chains..], chained, steps);
                nearby.chains += chained.count_ones() as usize;
            }
        }
    }

    #[inline(always)]
    fn columns(paths: &[Path], batch: &Batch, ways: &[Way]) -> Columns {
        use std::arch::x86_64::{
            _mm512_castps256_ps512, _mm512_insertf32x8, _mm512_setzero_ps, _mm512_shuffle_f32x4,
            _mm512_shuffle_ps, _mm512_storeu_ps, _mm512_unpackhi_ps, _mm512_unpacklo_ps,
        };
        const EVEN_QUARTERS: i32 = 0x88;
        const ODD_QUARTERS: i32 = 0xdd;
        let mut columns = [[0.0; WIDTH]; NUMBERS];
        // SAFETY: as in `list`; a column has sixteen numbers.
        unsafe {
            // Rows four apart share a register: then the quarters below come out in order.
            let mut rows = [_mm512_setzero_ps(); NUMBERS];
            for (k, to) in rows.iter_mut().enumerate() {
                let lane = k / 4 * 8 + k % 4;
                let lower = _mm512_castps256_ps512(row(paths, batch, ways, lane));
                *to = _mm512_insertf32x8::<1>(lower, row(paths, batch, ways, lane + 4));
            }
            let mut pairs = rows;
            for k in (0..NUMBERS).step_by(2) {
                pairs[k] = _mm512_unpacklo_ps(rows[k], rows[k + 1]);
                pairs[k + 1] = _mm512_unpackhi_ps(rows[k], rows[k + 1]);
            }
            let mut fours = pairs;
            for (to, from) in [(0, 0), (2, 1), (4, 4), (6, 5)] {
                let (lower, upper) = (pairs[from], pairs[from + 2]);
                fours[to] = _mm512_shuffle_ps::<FIRST_TWO>(lower, upper);
                fours[to + 1] = _mm512_shuffle_ps::<LAST_TWO>(lower, upper);
            }
            for (k, column) in columns.iter_mut().enumerate() {
                let (lower, upper) = (fours[k % 4], fours[k % 4 + 4]);
                let turned = if k < 4 {
                    _mm512_shuffle_f32x4::<EVEN_QUARTERS>(lower, upper)
                } else {
                    _mm512_shuffle_f32x4::<ODD_QUARTERS>(lower, upper)
                };
                _mm512_storeu_ps(column.as_mut_ptr(), turned);
            }
        }
        columns
    }

    #[inline(always)]
    fn are_finite(numbers: &[f32; WIDTH]) -> u32 {
        use std::arch::x86_64::{_CMP_NEQ_UQ, _mm512_cmp_ps_mask, _mm512_loadu_ps, _mm512_set1_ps};
        // SAFETY: as in `columns`.
        let bits = unsafe {
            let numbers = _mm512_loadu_ps(numbers.as_ptr());
            _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(numbers, _mm512_set1_ps(f32::INFINITY))
        };
        u32::from(bits)
    }
}

#[cfg(target_arch = "x86_64")]
const FIRST_TWO: i32 = 0x44;
#[cfg(target_arch = "x86_64")]
const LAST_TWO: i32 = 0xee;

/// Writes the chosen numbers side by side, and something behind them.
///
/// # Safety
/// The processor has AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn compress(
    list: &mut [u32],
    chosen: std::arch::x86_64::__mmask16,
    from: std::arch::x86_64::__m512i,
) {
    use std::arch::x86_64::{_mm512_maskz_compress_epi32, _mm512_storeu_si512};
    let to = &mut list[..WIDTH];
    // SAFETY: there is room for sixteen numbers.
    unsafe {
        let compressed = _mm512_maskz_compress_epi32(chosen, from);
        _mm512_storeu_si512(to.as_mut_ptr().cast(), compressed);
    }
}

/// The path of one grain of a batch, with the way to its cell added.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn row(
    paths: &[Path],
    batch: &Batch,
    ways: &[Way],
    lane: usize,
) -> std::arch::x86_64::__m256 {
    use std::arch::x86_64::{
        _mm_add_ps, _mm_loadu_ps, _mm256_castps128_ps256, _mm256_insertf128_ps,
    };
    let path = std::ptr::from_ref(&paths[batch.slots[lane] as usize]).cast::<f32>();
    let way = &ways[batch.steps[lane] as usize];
    // SAFETY: a path has eight numbers in a row, a way four.
    unsafe {
        // Only the half with the place: the last number of a path is no number.
        let place = _mm_add_ps(_mm_loadu_ps(path), _mm_loadu_ps(way.as_ptr()));
        let rest = _mm_loadu_ps(path.add(4));
        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(place), rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hard::grain::NONE;

    /// Cells with none to four grains, and a path for each grain.
    fn cells_and_paths() -> (Vec<Inhabitants>, Vec<Path>) {
        let (mut cells, mut paths) = (Vec::new(), Vec::new());
        let mut slot: Slot = 0;
        let mut x = 0.0;
        for pattern in [
            0b1111, 0b0000, 0b0101, 0b1110, 0b0010, 0b1111, 0b0111, 0b1011, 0b0001,
        ] {
            let mut entries = [NONE; ENTRIES];
            for (k, entry) in entries.iter_mut().enumerate() {
                if pattern >> k & 1 == 1 {
                    *entry = slot;
                    paths.push(Path::new(
                        [x, x + 0.1, x + 0.2],
                        [-x, -x - 0.3, x * x],
                        7.0 * x,
                    ));
                    slot += 1;
                    x += 1.0;
                }
            }
            cells.push(entries);
        }
        (cells, paths)
    }

    fn listed<L: Lanes>(cells: &[Inhabitants]) -> Nearby {
        let mut nearby = Nearby::new();
        for (step, row) in (0..).step_by(3).zip(cells.chunks(3)) {
            L::list(row, step, &mut nearby);
        }
        L::list(&cells[4..5], 9, &mut nearby);
        nearby
    }

    #[track_caller]
    fn assert_alike<L: Lanes>() {
        let (cells, paths) = cells_and_paths();
        let (mut want, mut got) = (listed::<AnyLanes>(&cells), listed::<L>(&cells));
        assert_eq!(got.slots(), want.slots());
        assert_eq!(got.chains, want.chains);
        assert!(want.chains > 1, "nothing to compare");
        assert_eq!(
            got.chain_slots[..got.chains],
            want.chain_slots[..got.chains]
        );
        assert_eq!(
            got.chain_steps[..got.chains],
            want.chain_steps[..got.chains]
        );
        let ways: Vec<Way> = (0..10_u8)
            .map(|k| [f32::from(k), 0.5, -f32::from(k), 0.0])
            .collect();
        let mut batches = 0;
        for (want, got) in want.batches(0).zip(got.batches(0)) {
            assert_eq!(got.steps, want.steps);
            let columns = L::columns(&paths, &got, &ways);
            assert_eq!(columns[..7], AnyLanes::columns(&paths, &want, &ways)[..7]);
            batches += 1;
        }
        assert!(batches > 1, "nothing to compare");
        let mut numbers = [f32::INFINITY; WIDTH];
        numbers[3] = f32::NEG_INFINITY;
        numbers[9] = f32::NAN;
        numbers[15] = f32::MAX;
        assert_eq!(AnyLanes::are_finite(&numbers), 1 << 3 | 1 << 9 | 1 << 15);
        assert_eq!(L::are_finite(&numbers), AnyLanes::are_finite(&numbers));
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn processors_do_the_same() {
        match Processor::here() {
            Processor::Avx512 => {
                assert_alike::<Avx512Lanes>();
                assert_alike::<Avx2Lanes>();
            }
            Processor::Avx2 => assert_alike::<Avx2Lanes>(),
            Processor::Any => assert_alike::<AnyLanes>(),
        }
    }
}
