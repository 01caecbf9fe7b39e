//! Processors with AVX-512.

use super::super::cells::{Around, Cells, ROOM_AROUND, Ways};
use super::super::grain::{Grain, NONE};
use super::super::lines::{CELLS_PER_WORD, CROWDED, FILL_BITS, Line, Lines, Nearby, OCCUPIED};
use super::super::paths::Seeker;
use super::avx2::Avx2Lanes;
use super::{
    B_ERROR, Batch, ContactTimes, DISCRIMINANT_ERROR, EARLIER, EARLIER_BY, FreeFlight, GAP_ERROR,
    Lanes, NUMBERS, Others, Suspects, WIDTH, reaches,
};
use std::arch::x86_64::*;

/// With a processor that has AVX-512: only code that is compiled for it may name this.
#[derive(Debug)]
pub(in super::super) struct Avx512Lanes;

impl Lanes for Avx512Lanes {
    #[inline(always)]
    fn list(nearby: &mut Nearby, cells: &Cells, lines: &Lines, cell: [u16; 3], around: Around) {
        let surroundings = cells.surroundings(around);
        let sides = cells.sides(cell);
        let inside = surroundings.inside(sides);
        // SAFETY: named only by functions that are compiled for, and run on, processors with AVX-512. Tables
        // have room for whole registers, and so have lists behind what is listed; the sides of a cell make
        // indices of cells, and each has bits in a word of `lines`, which are made for these cells.
        unsafe {
            let [x, y, z] = sides;
            let parts = _mm512_castsi128_si512(_mm_loadu_si128(x.as_ptr().cast()));
            let parts = _mm512_inserti32x4::<1>(parts, _mm_loadu_si128(y.as_ptr().cast()));
            let parts = _mm512_inserti32x4::<2>(parts, _mm_loadu_si128(z.as_ptr().cast()));
            for first in (0..surroundings.count).step_by(WIDTH) {
                let table =
                    |from: &[u32; ROOM_AROUND]| _mm512_loadu_si512(from.as_ptr().add(first).cast());
                let along =
                    |axis: usize| _mm512_permutexvar_epi32(table(&surroundings.parts[axis]), parts);
                let index = _mm512_add_epi32(_mm512_add_epi32(along(0), along(1)), along(2));
                #[allow(clippy::cast_possible_truncation, reason = "sixteen at a time")]
                let inside = (inside >> first) as __mmask16;
                let word = _mm512_srli_epi32::<{ CELLS_PER_WORD.ilog2() }>(index);
                let word = _mm512_mask_i32gather_epi32::<4>(
                    _mm512_setzero_si512(),
                    inside,
                    word,
                    lines.fill().as_ptr().cast(),
                );
                let bit = _mm512_and_epi32(index, _mm512_set1_epi32(CELLS_PER_WORD as i32 - 1));
                let bit = _mm512_slli_epi32::<{ FILL_BITS.ilog2() }>(bit);
                let fill = _mm512_srlv_epi32(word, bit);
                let has = |bit: u32| {
                    let bit = _mm512_set1_epi32(bit.cast_signed());
                    _mm512_mask_test_epi32_mask(inside, fill, bit)
                };
                let steps = table(&surroundings.steps);
                let occupied = has(OCCUPIED);
                compress(&mut nearby.lines[nearby.count..], occupied, index);
                compress(&mut nearby.steps[nearby.count..], occupied, steps);
                nearby.count += occupied.count_ones() as usize;
                let crowded = has(CROWDED);
                if crowded != 0 {
                    compress(&mut nearby.crowded_lines[nearby.crowded..], crowded, index);
                    compress(&mut nearby.crowded_steps[nearby.crowded..], crowded, steps);
                    nearby.crowded += crowded.count_ones() as usize;
                }
            }
        }
    }

    #[inline(always)]
    fn sift(
        lines: &Lines,
        batch: &Batch,
        ways: &Ways,
        seeker: &Seeker,
        limit: f32,
        suspects: &mut Suspects,
    ) {
        // SAFETY: as in `list`; there are eight steps, and room for sixteen more suspects.
        unsafe {
            let [x, y, z, vx, vy, vz, collision, slots] = columns(lines.all(), batch);
            let slots = _mm512_castps_si512(slots);
            let of = |number: f32| _mm512_set1_ps(number);
            let reach = if lines.radii().is_some() {
                _mm512_loadu_ps(reaches(lines, batch, seeker).as_ptr())
            } else {
                of(seeker.reach)
            };
            let now = of(seeker.now);
            let line = _mm512_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7);
            let steps = _mm512_castsi256_si512(_mm256_loadu_si256(batch.steps.as_ptr().cast()));
            let steps = _mm512_permutexvar_epi32(line, steps);
            let from = |axis: usize, steps: __m512i| {
                let ways = _mm512_loadu_ps(ways[axis].as_ptr());
                let ways = _mm512_sub_ps(ways, of(seeker.place[axis]));
                _mm512_permutexvar_ps(steps, ways)
            };
            let x = _mm512_add_ps(x, from(0, steps));
            let y = _mm512_add_ps(y, from(1, _mm512_srli_epi32::<2>(steps)));
            let z = _mm512_add_ps(z, from(2, _mm512_srli_epi32::<4>(steps)));
            let ax = _mm512_fmadd_ps(vx, now, x);
            let ay = _mm512_fmadd_ps(vy, now, y);
            let az = _mm512_fmadd_ps(vz, now, z);
            let cx = _mm512_sub_ps(vx, of(seeker.velocity[0]));
            let cy = _mm512_sub_ps(vy, of(seeker.velocity[1]));
            let cz = _mm512_sub_ps(vz, of(seeker.velocity[2]));
            let speeds = _mm512_add_ps(_mm512_abs_ps(vx), _mm512_abs_ps(vy));
            let stir = _mm512_add_ps(of(seeker.stir), _mm512_abs_ps(vz));
            let stir = _mm512_add_ps(stir, speeds);
            let b = _mm512_mul_ps(ax, cx);
            let b = _mm512_fmadd_ps(az, cz, _mm512_fmadd_ps(ay, cy, b));
            let c = _mm512_fmsub_ps(ax, ax, _mm512_mul_ps(reach, reach));
            let c = _mm512_fmadd_ps(az, az, _mm512_fmadd_ps(ay, ay, c));
            let v = _mm512_mul_ps(cx, cx);
            let v = _mm512_fmadd_ps(cz, cz, _mm512_fmadd_ps(cy, cy, v));
            let stir_squared = _mm512_mul_ps(stir, stir);
            let b_error = _mm512_mul_ps(of(B_ERROR), stir_squared);
            let discriminant = _mm512_fnmadd_ps(v, c, _mm512_mul_ps(b, b));
            let unsure = _mm512_mul_ps(of(DISCRIMINANT_ERROR), stir);
            let discriminant = _mm512_fmadd_ps(unsure, stir_squared, discriminant);
            // Root and quotient to 2⁻¹⁴ of them. The root of 0 is no number: then the grain is looked at.
            let root = _mm512_mul_ps(discriminant, _mm512_rsqrt14_ps(discriminant));
            let speed = _mm512_add_ps(_mm512_sub_ps(b_error, b), root);
            let gap = _mm512_fnmadd_ps(of(GAP_ERROR), stir, c);
            let earliest = _mm512_mul_ps(gap, _mm512_rcp14_ps(speed));
            let earliest = _mm512_fmsub_ps(earliest, of(EARLIER), of(EARLIER_BY));
            let somebody = _mm512_cmpneq_epi32_mask(slots, _mm512_set1_epi32(NONE.cast_signed()))
                & _mm512_cmpneq_epi32_mask(slots, _mm512_set1_epi32(seeker.slot.cast_signed()));
            // Not greater, so that what is not a number is kept.
            let closing = _mm512_cmp_ps_mask::<_CMP_NGT_UQ>(b, b_error)
                & _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(discriminant, _mm512_setzero_ps());
            let left = _mm512_sub_ps(collision, now);
            let in_time = _mm512_cmp_ps_mask::<_CMP_NGT_UQ>(earliest, of(limit))
                & _mm512_cmp_ps_mask::<_CMP_NGT_UQ>(earliest, left);
            let kept = somebody & closing & in_time;
            compress(&mut suspects.slots[suspects.count..], kept, slots);
            compress(&mut suspects.steps[suspects.count..], kept, steps);
            suspects.count += kept.count_ones() as usize;
        }
    }

    #[inline(always)]
    fn contact_times(flight: &FreeFlight, grains: &[Grain], others: &Others) -> ContactTimes {
        // Few are left: wider registers would be half empty.
        Avx2Lanes::contact_times(flight, grains, others)
    }
}

/// The paths of a batch in columns, one for each number of a path.
///
/// # Safety
/// The processor has AVX-512, and the batch is one of these lines.
#[inline(always)]
unsafe fn columns(lines: &[Line], batch: &Batch) -> [__m512; NUMBERS] {
    const FIRST_TWO: i32 = 0x44;
    const LAST_TWO: i32 = 0xee;
    const EVEN_QUARTERS: i32 = 0x88;
    const ODD_QUARTERS: i32 = 0xdd;
    // SAFETY: batches are made of lines that there are (`Nearby::batches`); a line has sixteen numbers.
    unsafe {
        let mut rows = [_mm512_setzero_ps(); NUMBERS];
        for k in 0..NUMBERS {
            let line = lines.get_unchecked(batch.lines[k] as usize);
            rows[k] = _mm512_loadu_ps(std::ptr::from_ref(line).cast());
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
        let mut columns = fours;
        for k in 0..4 {
            let (lower, upper) = (fours[k], fours[k + 4]);
            columns[k] = _mm512_shuffle_f32x4::<EVEN_QUARTERS>(lower, upper);
            columns[k + 4] = _mm512_shuffle_f32x4::<ODD_QUARTERS>(lower, upper);
        }
        columns
    }
}

/// Writes the chosen numbers side by side, and something behind them.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn compress(list: &mut [u32], chosen: __mmask16, from: __m512i) {
    let to = &mut list[..WIDTH];
    // SAFETY: there is room for sixteen numbers.
    unsafe {
        let compressed = _mm512_maskz_compress_epi32(chosen, from);
        _mm512_storeu_si512(to.as_mut_ptr().cast(), compressed);
    }
}
