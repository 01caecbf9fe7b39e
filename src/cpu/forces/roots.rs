//! Square roots of whole lanes.
//!
//! A contact of Hertz and Mindlin takes four roots. A processor with AVX-512 finds eight at a time, in 27 cycles on the one
//! where that was measured, in which it finds no others; an iteration takes some fifteen operations, two in a cycle.

use super::lanes::Lane;
use super::processor::AnyProcessor;
#[cfg(target_arch = "x86_64")]
use super::processor::{Avx2, Avx512};

const _: () = assert!(super::lanes::WIDTH.is_multiple_of(8));

/// How to find roots.
pub(super) trait Roots {
    /// √x of numbers that are not negative, rounded correctly: every processor gives the same bits.
    #[inline(always)]
    fn roots(x: &Lane) -> Lane {
        x.map(f64::sqrt)
    }
}

impl Roots for AnyProcessor {}

#[cfg(target_arch = "x86_64")]
impl Roots for Avx2 {}

/// From an estimate of 1/√x with 14 bits, two steps of Newton's method for g = √x and h = 1/(2√x),
///
/// ```text
/// r = ½ − g h,   g ← g + g r,   h ← h + h r,
/// ```
///
/// and then g + h (x − g²), whose residual is exact: multiplications and additions are rounded once (after Markstein
/// 1990). h is off by 2⁻⁵² at most, so a root would have to lie within some 2⁻⁵² of the last digit of the middle between
/// two numbers to be rounded the wrong way; the test goes through those that do.
#[cfg(target_arch = "x86_64")]
impl Roots for Avx512 {
    #[inline(always)]
    fn roots(x: &Lane) -> Lane {
        use std::arch::x86_64::{
            _CMP_LT_OQ, _CMP_NLE_UQ, _mm512_cmp_pd_mask, _mm512_fmadd_pd, _mm512_fnmadd_pd,
            _mm512_loadu_pd, _mm512_mask_sqrt_pd, _mm512_maskz_mov_pd, _mm512_mul_pd,
            _mm512_rsqrt14_pd, _mm512_set1_pd, _mm512_setzero_pd, _mm512_storeu_pd,
        };
        /// Between these nothing under- or overflows on the way.
        const SMALLEST: f64 = 1e-280;
        const LARGEST: f64 = 1e280;
        let mut roots = [0.0; super::lanes::WIDTH];
        for (x, root) in x
            .as_chunks::<8>()
            .0
            .iter()
            .zip(roots.as_chunks_mut::<8>().0)
        {
            // SAFETY: named only by functions that are compiled for, and run on, processors with AVX-512; both
            // pointers are of arrays of eight.
            unsafe {
                let x = _mm512_loadu_pd(x.as_ptr());
                let half = _mm512_set1_pd(0.5);
                let estimate = _mm512_rsqrt14_pd(x);
                let mut g = _mm512_mul_pd(x, estimate);
                let mut h = _mm512_mul_pd(half, estimate);
                for _ in 0..2 {
                    let r = _mm512_fnmadd_pd(g, h, half);
                    g = _mm512_fmadd_pd(g, r, g);
                    h = _mm512_fmadd_pd(h, r, h);
                }
                g = _mm512_fmadd_pd(_mm512_fnmadd_pd(g, g, x), h, g);
                // 1/√0 is infinite; and what is too small or too large for this is found the slow way.
                let positive = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(_mm512_setzero_pd(), x);
                g = _mm512_maskz_mov_pd(positive, g);
                let small = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(x, _mm512_set1_pd(SMALLEST));
                let large = _mm512_cmp_pd_mask::<_CMP_NLE_UQ>(x, _mm512_set1_pd(LARGEST));
                let odd = small & positive | large;
                if odd != 0 {
                    g = _mm512_mask_sqrt_pd(g, odd, x);
                }
                _mm512_storeu_pd(root.as_mut_ptr(), g);
            }
        }
        roots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::forces::lanes::WIDTH;

    /// Numbers whose roots lie as close to the middle between two others as roots can: m² + m + c, which is
    /// (m + ½)² but for c − ¼, where that is a multiple of 2⁵³ or 2⁵⁴ and so a number. With s = 2m + 1 that is
    /// s² ≡ 1 − 4c, solved bit by bit.
    fn near_the_middle() -> impl Iterator<Item = f64> {
        let of = |(bits, c): (u32, i128)| {
            let modulus = 1_i128 << (bits + 2);
            let square = (1 - 4 * c).rem_euclid(modulus);
            let mut s = 1_i128;
            for bit in 3..bits + 2 {
                if (s * s - square).rem_euclid(1 << (bit + 1)) != 0 {
                    s += 1 << (bit - 1);
                }
            }
            let roots = [s, -s, s + modulus / 2, modulus / 2 - s];
            roots.into_iter().filter_map(move |s| {
                let m = ((s.rem_euclid(modulus) - 1) / 2 % (1 << 53)) | (1 << 52);
                let x = m * m + m + c;
                #[allow(clippy::cast_precision_loss, reason = "only if there is none")]
                let number = x as f64;
                #[allow(clippy::cast_possible_truncation, reason = "it is whole")]
                (number as i128 == x).then_some(number)
            })
        };
        let all = [53, 54].into_iter();
        all.flat_map(|bits| (-400..=400).step_by(2).map(move |c| (bits, c)))
            .flat_map(of)
    }

    /// Numbers of all sizes, squares of whole numbers and their neighbours, where rounding is hardest.
    fn numbers() -> impl Iterator<Item = f64> {
        let odd = [
            0.0,
            f64::MIN_POSITIVE,
            5e-324,
            1e-300,
            1e-281,
            1e-280,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
        ];
        let mut state = 1_u64;
        let random = std::iter::repeat_with(move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f64::from_bits(state >> 1)
        });
        let square = |n: u32| f64::from(n) * f64::from(n);
        let squares = (0..400_000).flat_map(move |k| {
            let x = square(k * 10_007);
            [x.next_down().max(0.0), x, x.next_up()]
        });
        let scaled = (1..400_000).map(|k| 1.0 + f64::from(k) * f64::EPSILON);
        let quarters = (1..400_000).map(|k| 4.0 - f64::from(k) * 2.0 * f64::EPSILON);
        let hard: Vec<f64> = near_the_middle().collect();
        assert!(hard.len() > 500, "only {} hard numbers", hard.len());
        odd.into_iter()
            .chain(hard.clone())
            .chain(hard.into_iter().map(|x| x * 2.0))
            .chain(random.take(2_000_000))
            .chain(squares)
            .chain(scaled)
            .chain(quarters)
    }

    fn rounds_correctly<P: Roots>() {
        let mut lane = [0.0; WIDTH];
        let mut filled = 0;
        for x in numbers().filter(|x| !x.is_sign_negative()) {
            lane[filled] = x;
            filled += 1;
            if filled == WIDTH {
                for (x, root) in lane.into_iter().zip(P::roots(&lane)) {
                    let same = root.to_bits() == x.sqrt().to_bits() || x.is_nan() && root.is_nan();
                    assert!(same, "root of {x:e}: {root:e} instead of {:e}", x.sqrt());
                }
                filled = 0;
            }
        }
    }

    #[test]
    fn any_processor_rounds_correctly() {
        rounds_correctly::<AnyProcessor>();
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx512_rounds_correctly() {
        if std::arch::is_x86_feature_detected!("avx512f") {
            rounds_correctly::<Avx512>();
        } else {
            eprintln!("not run: this processor has no AVX-512");
        }
    }
}
