//! Processors with AVX2.

use super::super::HardEngine;
use super::super::cells::Ways;
use super::super::grain::{Grain, Slot};
use super::super::lines::Lines;
use super::super::nearby::Nearby;
use super::super::paths::Seeker;
use super::super::predict::Candidate;
use super::super::walls::GRAZING;
use super::{
    B_ERROR, Batch, ContactTimes, DISCRIMINANT_ERROR, EARLIER, EARLIER_BY, EXACT, FreeFlight,
    GAP_ERROR, Lanes, Others, Suspects, WIDTH, reaches,
};
use std::arch::x86_64::*;

/// With a processor that has AVX2 and fused operations: only what runs on one may use this; it is fast where it is
/// compiled for it, too.
#[derive(Debug)]
pub(in super::super) struct Avx2Lanes;

const LOWER_HALVES: i32 = 0x20;
const UPPER_HALVES: i32 = 0x31;
const FIRST_TWO: i32 = 0x44;
const LAST_TWO: i32 = 0xee;

impl Lanes for Avx2Lanes {
    #[inline(always)]
    fn sift(lines: &Lines, batch: &Batch, ways: &Ways, seeker: &Seeker, limit: f32) -> u32 {
        // SAFETY: used only by what runs on processors with AVX2 and fused operations.
        unsafe {
            let [x, y, z, vx, vy, vz, collision] = columns(lines, batch, ways);
            let reach = if lines.radii().is_some() {
                _mm256_loadu_ps(reaches(lines, batch, seeker).as_ptr())
            } else {
                _mm256_set1_ps(seeker.reach)
            };
            let now = _mm256_set1_ps(seeker.now);
            let x = _mm256_sub_ps(x, _mm256_set1_ps(seeker.place[0]));
            let y = _mm256_sub_ps(y, _mm256_set1_ps(seeker.place[1]));
            let z = _mm256_sub_ps(z, _mm256_set1_ps(seeker.place[2]));
            let ax = _mm256_fmadd_ps(vx, now, x);
            let ay = _mm256_fmadd_ps(vy, now, y);
            let az = _mm256_fmadd_ps(vz, now, z);
            let cx = _mm256_sub_ps(vx, _mm256_set1_ps(seeker.velocity[0]));
            let cy = _mm256_sub_ps(vy, _mm256_set1_ps(seeker.velocity[1]));
            let cz = _mm256_sub_ps(vz, _mm256_set1_ps(seeker.velocity[2]));
            let sign = _mm256_set1_ps(-0.0);
            let speeds = _mm256_add_ps(_mm256_andnot_ps(sign, vx), _mm256_andnot_ps(sign, vy));
            let stir = _mm256_add_ps(_mm256_set1_ps(seeker.stir), _mm256_andnot_ps(sign, vz));
            let stir = _mm256_add_ps(stir, speeds);
            let b = _mm256_mul_ps(ax, cx);
            let b = _mm256_fmadd_ps(az, cz, _mm256_fmadd_ps(ay, cy, b));
            let c = _mm256_fmsub_ps(ax, ax, _mm256_mul_ps(reach, reach));
            let c = _mm256_fmadd_ps(az, az, _mm256_fmadd_ps(ay, ay, c));
            let v = _mm256_mul_ps(cx, cx);
            let v = _mm256_fmadd_ps(cz, cz, _mm256_fmadd_ps(cy, cy, v));
            let stir_squared = _mm256_mul_ps(stir, stir);
            let b_error = _mm256_mul_ps(_mm256_set1_ps(B_ERROR), stir_squared);
            let discriminant = _mm256_fnmadd_ps(v, c, _mm256_mul_ps(b, b));
            let unsure = _mm256_mul_ps(_mm256_set1_ps(DISCRIMINANT_ERROR), stir);
            let discriminant = _mm256_fmadd_ps(unsure, stir_squared, discriminant);
            // Root and quotient to 1.5 × 2⁻¹² of them. The root of 0 is no number: then the grain is looked at.
            let root = _mm256_mul_ps(discriminant, _mm256_rsqrt_ps(discriminant));
            let speed = _mm256_add_ps(_mm256_sub_ps(b_error, b), root);
            let gap = _mm256_fnmadd_ps(_mm256_set1_ps(GAP_ERROR), stir, c);
            let earliest = _mm256_mul_ps(gap, _mm256_rcp_ps(speed));
            let earliest = _mm256_fmsub_ps(
                earliest,
                _mm256_set1_ps(EARLIER),
                _mm256_set1_ps(EARLIER_BY),
            );
            // Greater or less, so that what is not a number is kept.
            let opening = _mm256_cmp_ps::<_CMP_GT_OQ>(b, b_error);
            let passing = _mm256_cmp_ps::<_CMP_LT_OQ>(discriminant, _mm256_setzero_ps());
            let left = _mm256_sub_ps(collision, now);
            let late = _mm256_cmp_ps::<_CMP_GT_OQ>(earliest, _mm256_set1_ps(limit));
            let taken = _mm256_cmp_ps::<_CMP_GT_OQ>(earliest, left);
            let out = _mm256_or_ps(_mm256_or_ps(opening, passing), _mm256_or_ps(late, taken));
            !_mm256_movemask_ps(out).cast_unsigned() & 0xff
        }
    }

    #[inline(always)]
    fn spread(bits: u32, places: u64) -> u64 {
        // SAFETY: as in `sift`; such processors spread bits, too.
        unsafe { _pdep_u64(u64::from(bits), places) }
    }

    #[inline(always)]
    fn suspects(
        engine: &HardEngine,
        slot: Slot,
        nearby: Nearby<'_>,
        known: Candidate,
        suspects: &mut Suspects,
    ) -> Candidate {
        // SAFETY: as in `sift`.
        unsafe { suspects_avx2(engine, slot, nearby, known, suspects) }
    }

    #[inline(always)]
    fn first_suspect(
        engine: &HardEngine,
        slot: Slot,
        suspects: &mut Suspects,
        known: Candidate,
    ) -> Candidate {
        // SAFETY: as in `sift`.
        unsafe { first_suspect_avx2(engine, slot, suspects, known) }
    }

    /// The same operations in the same order as [`approach_time`](super::super::walls::approach_time) and what comes before
    /// it, so that the results are the same to the bit.
    #[inline(always)]
    fn contact_times(flight: &FreeFlight, grains: &[Grain], others: &Others) -> ContactTimes {
        let mut times = [[0.0; EXACT]; 2];
        let (grain, gravity) = (flight.grain, flight.gravity);
        // SAFETY: as in `sift`; the arrays have four numbers each.
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

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn suspects_avx2(
    engine: &HardEngine,
    slot: Slot,
    nearby: Nearby<'_>,
    known: Candidate,
    suspects: &mut Suspects,
) -> Candidate {
    engine.suspects_with::<Avx2Lanes>(slot, nearby, known, suspects)
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn first_suspect_avx2(
    engine: &HardEngine,
    slot: Slot,
    suspects: &mut Suspects,
    known: Candidate,
) -> Candidate {
    engine.first_suspect_with::<Avx2Lanes>(slot, suspects, known)
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

/// The paths of a batch in columns, one for each number of a path but the slot; on the way the ways to their cells
/// are added to the places.
///
/// # Safety
/// The processor has AVX2, and the batch is one of these lines.
#[inline(always)]
unsafe fn columns(lines: &Lines, batch: &Batch, ways: &Ways) -> [__m256; 7] {
    const HALF: usize = WIDTH / 2;
    // SAFETY: batches are made of lines that there are and of positions that have a way (`Nearby`); half a path are four
    // numbers, and so is a way.
    unsafe {
        let paths = lines.all().as_ptr().cast::<[f32; 8]>();
        let mut starts = [_mm256_setzero_ps(); HALF];
        let mut rests = [_mm256_setzero_ps(); HALF];
        for lane in 0..HALF {
            let one = paths.add(batch.rows[lane] as usize).cast::<f32>();
            let other = paths.add(batch.rows[lane + HALF] as usize).cast::<f32>();
            let start = _mm256_loadu2_m128(other, one);
            let way = ways.get_unchecked(batch.positions[lane] as usize);
            let other_way = ways.get_unchecked(batch.positions[lane + HALF] as usize);
            starts[lane] =
                _mm256_add_ps(start, _mm256_loadu2_m128(other_way.as_ptr(), way.as_ptr()));
            rests[lane] = _mm256_loadu2_m128(other.add(HALF), one.add(HALF));
        }
        let [x, y, z, vx] = turned(starts);
        let [vy, vz, collision, _] = turned(rests);
        [x, y, z, vx, vy, vz, collision]
    }
}

/// Rows of four numbers as columns, in both halves.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn turned([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: as the caller says.
    unsafe {
        let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (ab_behind, cd_behind) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<FIRST_TWO>(ab, cd),
            _mm256_shuffle_ps::<LAST_TWO>(ab, cd),
            _mm256_shuffle_ps::<FIRST_TWO>(ab_behind, cd_behind),
            _mm256_shuffle_ps::<LAST_TWO>(ab_behind, cd_behind),
        ]
    }
}
