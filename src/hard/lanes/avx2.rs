//! Processors with AVX2.

use super::super::cells::Ways;
use super::super::grain::{Grain, Slot};
use super::super::lines::{Line, Lines};
use super::super::paths::Seeker;
use super::super::walls::GRAZING;
use super::any::earliest_hits;
use super::{
    Batch, Columns, ContactTimes, EXACT, FreeFlight, Lanes, NUMBERS, Others, Suspects, WIDTH,
    line_and_row, reaches,
};
use std::arch::x86_64::*;

/// With a processor that has AVX2: only code that is compiled for it may name this.
#[derive(Debug)]
pub(in super::super) struct Avx2Lanes;

const LOWER_HALVES: i32 = 0x20;
const UPPER_HALVES: i32 = 0x31;
const FIRST_TWO: i32 = 0x44;
const LAST_TWO: i32 = 0xee;

impl Lanes for Avx2Lanes {
    #[inline(always)]
    fn sift(
        lines: &Lines,
        batch: &Batch,
        ways: &Ways,
        seeker: &Seeker,
        limit: f32,
        suspects: &mut Suspects,
    ) {
        let columns = columns(lines.all(), batch, ways);
        let hits = earliest_hits(&columns, seeker, &reaches(lines, batch, seeker), limit);
        // SAFETY: as in `columns`.
        let mut left = unsafe {
            let infinite = _mm256_set1_ps(f32::INFINITY);
            let lower = _mm256_loadu_ps(hits.as_ptr());
            let upper = _mm256_loadu_ps(hits[WIDTH / 2..].as_ptr());
            let lower = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(lower, infinite));
            let upper = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(upper, infinite));
            lower | upper << (WIDTH / 2)
        };
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            suspects.slots[suspects.count] = columns[7][lane].to_bits();
            suspects.steps[suspects.count] = batch.steps[line_and_row(lane).0];
            suspects.count += 1;
        }
    }

    /// The same operations in the same order as [`approach_time`](super::super::walls::approach_time) and what comes before
    /// it, so that the results are the same to the bit.
    #[inline(always)]
    fn contact_times(flight: &FreeFlight, grains: &[Grain], others: &Others) -> ContactTimes {
        let mut times = [[0.0; EXACT]; 2];
        let (grain, gravity) = (flight.grain, flight.gravity);
        // SAFETY: as in `columns`; the arrays have four numbers each.
        unsafe {
            let [x, y, z, vx, vy, vz, time, collision] = first_lines(grains, others.slots);
            let now = _mm256_set1_pd(grain.time);
            let elapsed = _mm256_sub_pd(now, time);
            let (mut apart, mut closing) = ([x, y, z], [vx, vy, vz]);
            // A loop, since closures are not compiled for their caller's processor.
            for axis in 0..3 {
                let gained = _mm256_mul_pd(_mm256_set1_pd(gravity[axis]), elapsed);
                let way = _mm256_sub_pd(apart[axis], _mm256_set1_pd(grain.position[axis]));
                let way = _mm256_add_pd(way, _mm256_loadu_pd(others.ways[axis].as_ptr()));
                let mean = _mm256_mul_pd(_mm256_set1_pd(0.5), gained);
                let mean = _mm256_add_pd(closing[axis], mean);
                apart[axis] = _mm256_add_pd(way, _mm256_mul_pd(mean, elapsed));
                let relative = _mm256_set1_pd(grain.velocity[axis]);
                let relative = _mm256_sub_pd(closing[axis], relative);
                closing[axis] = _mm256_add_pd(relative, gained);
            }
            let contact = _mm256_loadu_pd(others.contacts.as_ptr());
            let contact = _mm256_mul_pd(contact, contact);
            let b = dot(apart, closing);
            let c = _mm256_sub_pd(dot(apart, apart), contact);
            let speed = dot(closing, closing);
            let squared = _mm256_mul_pd(b, b);
            let discriminant = _mm256_sub_pd(squared, _mm256_mul_pd(speed, c));
            let meeting = _mm256_div_pd(c, _mm256_sub_pd(_mm256_sqrt_pd(discriminant), b));
            let grazing = _mm256_mul_pd(_mm256_mul_pd(_mm256_set1_pd(GRAZING), speed), contact);
            let slides = _mm256_cmp_pd::<_CMP_LE_OQ>(squared, grazing);
            let zero = _mm256_setzero_pd();
            let touches = _mm256_cmp_pd::<_CMP_LE_OQ>(c, zero);
            let passes = _mm256_cmp_pd::<_CMP_LE_OQ>(discriminant, zero);
            let parts = _mm256_cmp_pd::<_CMP_GE_OQ>(b, zero);
            let never = _mm256_or_pd(parts, _mm256_blendv_pd(passes, slides, touches));
            let wait = _mm256_blendv_pd(meeting, zero, touches);
            let wait = _mm256_blendv_pd(wait, _mm256_set1_pd(f64::INFINITY), never);
            _mm256_storeu_pd(times[0].as_mut_ptr(), _mm256_add_pd(now, wait));
            _mm256_storeu_pd(times[1].as_mut_ptr(), collision);
        }
        times
    }
}

/// Scalar products.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn dot(a: [__m256d; 3], b: [__m256d; 3]) -> __m256d {
    // SAFETY: as the caller says.
    unsafe {
        let sum = _mm256_add_pd(_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1]));
        _mm256_add_pd(sum, _mm256_mul_pd(a[2], b[2]))
    }
}

/// The first lines of some grains in columns.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn first_lines(grains: &[Grain], slots: &[Slot; EXACT]) -> [__m256d; 8] {
    // SAFETY: half of the first line of a grain are four numbers.
    unsafe {
        let mut columns = [_mm256_setzero_pd(); 8];
        for half in 0..2 {
            let mut rows = [_mm256_setzero_pd(); EXACT];
            for (row, &slot) in rows.iter_mut().zip(slots) {
                let line = std::ptr::from_ref(&grains[slot as usize]).cast::<f64>();
                *row = _mm256_loadu_pd(line.add(4 * half));
            }
            let [a, b, c, d] = rows;
            let even = [_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d)];
            let odd = [_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d)];
            columns[4 * half] = _mm256_permute2f128_pd::<LOWER_HALVES>(even[0], even[1]);
            columns[4 * half + 1] = _mm256_permute2f128_pd::<LOWER_HALVES>(odd[0], odd[1]);
            columns[4 * half + 2] = _mm256_permute2f128_pd::<UPPER_HALVES>(even[0], even[1]);
            columns[4 * half + 3] = _mm256_permute2f128_pd::<UPPER_HALVES>(odd[0], odd[1]);
        }
        columns
    }
}

/// The paths of a batch in columns, one for each number of a path; on the way the ways to their cells
/// are added to the places.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "so that it is compiled for its caller's processor"
)]
fn columns(lines: &[Line], batch: &Batch, ways: &Ways) -> Columns {
    const HALF: usize = WIDTH / 2;
    let mut columns = [[0.0; WIDTH]; NUMBERS];
    for half in 0..2 {
        // SAFETY: named only by functions that are compiled for, and run on, processors with AVX2; half a
        // column has eight numbers.
        unsafe {
            let mut rows = [_mm256_setzero_ps(); HALF];
            for (lane, to) in rows.iter_mut().enumerate() {
                let (line, row) = line_and_row(HALF * half + lane);
                let path = &lines[batch.lines[line] as usize].0[row];
                *to = _mm256_loadu_ps(std::ptr::from_ref(path).cast());
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
            let steps = _mm_loadu_si128(batch.steps[HALF / 2 * half..].as_ptr().cast());
            let mut steps = _mm256_broadcastsi128_si256(steps);
            for (k, column) in columns.iter_mut().enumerate() {
                let (lower, upper) = (fours[k % 4], fours[k % 4 + 4]);
                let mut turned = if k < 4 {
                    _mm256_permute2f128_ps::<LOWER_HALVES>(lower, upper)
                } else {
                    _mm256_permute2f128_ps::<UPPER_HALVES>(lower, upper)
                };
                if k < 3 {
                    let ways = _mm256_loadu_ps(ways[k].as_ptr());
                    turned = _mm256_add_ps(turned, _mm256_permutevar8x32_ps(ways, steps));
                    steps = _mm256_srli_epi32::<2>(steps);
                }
                _mm256_storeu_ps(column[HALF * half..].as_mut_ptr(), turned);
            }
        }
    }
    columns
}
