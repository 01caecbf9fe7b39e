//! Eight numbers in a register of AVX-512.

use super::two::{Two, TwoTruths};
use super::{
    Eight, Lot, PairsOfBlocks, Part, Several, WIDTH, all_eight, one_block, one_register,
    only_register,
};
use crate::laws::number::{Number, Truth};
use bytemuck::{Pod, Zeroable};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// With a processor that has AVX-512: only code that runs on one may use this; it is fast where it is compiled for it, too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512Eight(__m512d);

/// Those of two blocks: while one waits for a root or a division, the other goes on.
pub(crate) type Avx512Sixteen = Two<Avx512Eight>;

/// A bit for each number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512Truth(__mmask8);

// SAFETY, for all that follows: used only by what runs on processors with AVX-512 (see `Processor`); every pointer is that of an array of eight numbers.

macro_rules! by_instruction {
    ($($operator:ident $function:ident $instruction:ident),*) => {$(
        impl $operator for Avx512Eight {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                // SAFETY: see above.
                Self(unsafe { $instruction(self.0, other.0) })
            }
        }
    )*};
}

by_instruction!(
    Add add _mm512_add_pd,
    Sub sub _mm512_sub_pd,
    Mul mul _mm512_mul_pd,
    Div div _mm512_div_pd
);

impl Neg for Avx512Eight {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // Compilers know this for a change of sign, and make it part of what follows.
        // SAFETY: see above.
        Self(unsafe { _mm512_sub_pd(_mm512_set1_pd(-0.0), self.0) })
    }
}

impl BitAnd for Avx512Truth {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Avx512Truth {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for Avx512Truth {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Truth for Avx512Truth {
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }
}

impl Number for Avx512Eight {
    type Truth = Avx512Truth;

    #[inline(always)]
    fn times_plus(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_fmadd_pd(self.0, factor.0, addend.0) })
    }

    #[inline(always)]
    fn all(number: f64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_set1_pd(number) })
    }

    #[inline(always)]
    fn plus_exactly(self, factor: Self, other: Self) -> Self {
        factor.times_plus(other, self)
    }

    #[inline(always)]
    fn to_whole(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT }>(self.0) })
    }

    #[inline(always)]
    fn root(self) -> Self {
        let [root] = Self::roots([self]);
        root
    }

    #[inline(always)]
    fn or_more(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_max_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> Avx512Truth {
        // SAFETY: see above.
        Avx512Truth(unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn pick(when: Avx512Truth, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_mask_blend_pd(when.0, no.0, yes.0) })
    }
}

impl Avx512Eight {
    /// A contact of Hertz and Mindlin takes four roots. A processor finds eight at a time in 27 cycles (on the one
    /// where that was measured), in which it finds no others; this takes some fifteen operations, two in a cycle.
    ///
    /// From an estimate of 1/√x with 14 bits, two steps of Newton's method for g = √x and h = 1/(2√x),
    ///
    /// ```text
    /// r = ½ − g h,   g ← g + g r,   h ← h + h r,
    /// ```
    ///
    /// and then g + h (x − g²), whose residual is exact: multiplications and additions are rounded once (after
    /// Markstein 1990). h is off by 2⁻⁵² at most, so a root would have to lie within some 2⁻⁵² of the last digit of
    /// the middle between two numbers to be rounded the wrong way; the test goes through those that do.
    #[inline(always)]
    fn roots<const COUNT: usize>(numbers: [Self; COUNT]) -> [Self; COUNT] {
        /// Between these nothing under- or overflows on the way.
        const SMALLEST: f64 = 1e-280;
        const LARGEST: f64 = 1e280;
        let [mut g, mut h] = [numbers; 2];
        let mut odd = [0; COUNT];
        // SAFETY: see above.
        unsafe {
            let half = _mm512_set1_pd(0.5);
            for k in 0..COUNT {
                let estimate = _mm512_rsqrt14_pd(numbers[k].0);
                g[k].0 = _mm512_mul_pd(numbers[k].0, estimate);
                h[k].0 = _mm512_mul_pd(half, estimate);
            }
            for _ in 0..2 {
                for k in 0..COUNT {
                    let r = _mm512_fnmadd_pd(g[k].0, h[k].0, half);
                    g[k].0 = _mm512_fmadd_pd(g[k].0, r, g[k].0);
                    h[k].0 = _mm512_fmadd_pd(h[k].0, r, h[k].0);
                }
            }
            // 1/√0 is infinite, and zeros are their own roots; what is too small, negative or too large for this is
            // found the slow way.
            for k in 0..COUNT {
                let x = numbers[k].0;
                let nonzero = _mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(_mm512_setzero_pd(), x);
                let residual = _mm512_fnmadd_pd(g[k].0, g[k].0, x);
                let root = _mm512_fmadd_pd(residual, h[k].0, g[k].0);
                g[k].0 = _mm512_mask_blend_pd(nonzero, x, root);
                let smallest = _mm512_set1_pd(SMALLEST);
                let small = _mm512_mask_cmp_pd_mask::<_CMP_LT_OQ>(nonzero, x, smallest);
                odd[k] = small | _mm512_cmp_pd_mask::<_CMP_NLE_UQ>(x, _mm512_set1_pd(LARGEST));
            }
            let mut any = 0;
            for k in 0..COUNT {
                any |= odd[k];
            }
            if any != 0 {
                for k in 0..COUNT {
                    g[k].0 = _mm512_mask_sqrt_pd(g[k].0, odd[k], numbers[k].0);
                }
            }
        }
        g
    }

    /// Of two registers the first quarters, and then the third ones.
    #[inline(always)]
    fn odd_quarters(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: see above.
        unsafe { _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), b) }
    }

    /// The second, and then the fourth ones.
    #[inline(always)]
    fn even_quarters(a: __m512d, b: __m512d) -> __m512d {
        // SAFETY: see above.
        unsafe { _mm512_permutex2var_pd(a, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), b) }
    }

    /// Quarter l of row k becomes quarter k of row l.
    #[inline(always)]
    fn turn_quarters([a, b, c, d]: [__m512d; 4]) -> [Self; 4] {
        /// The first and third, or the second and fourth quarter of each of two registers.
        const ODD: i32 = 0x88;
        const EVEN: i32 = 0xdd;
        // SAFETY: see above.
        unsafe {
            let odd_ab = _mm512_shuffle_f64x2::<ODD>(a, b);
            let odd_cd = _mm512_shuffle_f64x2::<ODD>(c, d);
            let even_ab = _mm512_shuffle_f64x2::<EVEN>(a, b);
            let even_cd = _mm512_shuffle_f64x2::<EVEN>(c, d);
            [
                Self(_mm512_shuffle_f64x2::<ODD>(odd_ab, odd_cd)),
                Self(_mm512_shuffle_f64x2::<ODD>(even_ab, even_cd)),
                Self(_mm512_shuffle_f64x2::<EVEN>(odd_ab, odd_cd)),
                Self(_mm512_shuffle_f64x2::<EVEN>(even_ab, even_cd)),
            ]
        }
    }

    /// Six columns as eight rows, one after the other in six registers.
    ///
    /// Pairs of columns are quarters of rows; two rows side by side are one and a half registers.
    #[inline(always)]
    fn turn_six([a, b, c, d, e, f]: [Self; 6]) -> [Self; 6] {
        /// The first, or the second halves of two registers.
        const FIRST: i32 = 0x44;
        const SECOND: i32 = 0xee;
        // SAFETY: see above.
        unsafe {
            let even = [
                _mm512_unpacklo_pd(a.0, b.0),
                _mm512_unpacklo_pd(c.0, d.0),
                _mm512_unpacklo_pd(e.0, f.0),
            ];
            let odd = [
                _mm512_unpackhi_pd(a.0, b.0),
                _mm512_unpackhi_pd(c.0, d.0),
                _mm512_unpackhi_pd(e.0, f.0),
            ];
            // Quarters k of these are of rows 2k and 2k + 1; registers that begin 4 rows apart have theirs half a register apart.
            let quarters = [
                [
                    Self::odd_quarters(even[0], even[1]),
                    Self::odd_quarters(even[2], odd[0]),
                ],
                [
                    Self::odd_quarters(odd[1], odd[2]),
                    Self::even_quarters(even[0], even[1]),
                ],
                [
                    Self::even_quarters(even[2], odd[0]),
                    Self::even_quarters(odd[1], odd[2]),
                ],
            ];
            let mut turned = [a; 6];
            for (k, [p, q]) in quarters.into_iter().enumerate() {
                turned[k] = Self(_mm512_shuffle_f64x2::<FIRST>(p, q));
                turned[k + 3] = Self(_mm512_shuffle_f64x2::<SECOND>(p, q));
            }
            turned
        }
    }
}

/// As many numbers as a cache line has room for.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([f64; WIDTH]);

one_register!(Avx512Eight);

impl Part for Avx512Eight {
    all_eight!();

    #[inline(always)]
    fn two_roots(numbers: [Self; 2]) -> [Self; 2] {
        Self::roots(numbers)
    }

    #[inline(always)]
    fn turn_into(columns: [Self; 6], rows: &mut [[f64; 6]]) {
        let ([rows], []) = rows.as_chunks_mut::<WIDTH>() else {
            return;
        };
        let lines: &mut [[f64; WIDTH]; 6] = bytemuck::must_cast_mut(rows);
        for (line, turned) in lines.iter_mut().zip(Self::turn_six(columns)) {
            // SAFETY: see above.
            unsafe { _mm512_storeu_pd(line.as_mut_ptr(), turned.0) };
        }
    }

    #[inline(always)]
    fn turn_past_caches(columns: [Self; 6], rows: &mut [[f64; 6]]) {
        let Ok([lines]) = bytemuck::try_cast_slice_mut::<_, [Line; 6]>(rows) else {
            return Self::turn_into(columns, rows);
        };
        for (line, turned) in lines.iter_mut().zip(Self::turn_six(columns)) {
            // SAFETY: see above; lines begin where the instruction wants them to.
            unsafe { _mm512_stream_pd(line.0.as_mut_ptr(), turned.0) };
        }
    }
}

impl Lot for Avx512Eight {
    only_register!();
    one_block!();
}

impl Lot for Avx512Sixteen {
    type Block = Avx512Eight;
    const BLOCKS: usize = 2;

    #[inline(always)]
    fn register(self, k: usize) -> Avx512Eight {
        self.0[k]
    }

    #[inline(always)]
    fn register_of_truth(truth: Self::Truth, k: usize) -> Avx512Truth {
        truth.0[k]
    }

    #[inline(always)]
    fn block(self, b: usize) -> Avx512Eight {
        self.0[b]
    }

    #[inline(always)]
    fn block_of_truth(truth: Self::Truth, b: usize) -> Avx512Truth {
        truth.0[b]
    }

    #[inline(always)]
    fn repeated(numbers: Avx512Eight) -> Self {
        Two([numbers; 2])
    }

    #[inline(always)]
    fn of_blocks<'a>(numbers: impl Fn(usize) -> &'a [f64; WIDTH]) -> Self {
        Two([Avx512Eight::new(numbers(0)), Avx512Eight::new(numbers(1))])
    }

    #[inline(always)]
    fn nowhere() -> Self::Truth {
        TwoTruths([Avx512Truth(0); 2])
    }

    #[inline(always)]
    fn highest_bits_of<'a>(words: impl Fn(usize) -> &'a [u32; WIDTH]) -> Self::Truth {
        TwoTruths([
            Avx512Eight::highest_bits(words(0)),
            Avx512Eight::highest_bits(words(1)),
        ])
    }

    #[inline(always)]
    fn turn_pairs_of(factors: [Avx512Eight; 2], pairs: &impl PairsOfBlocks) -> [[Self; WIDTH]; 2] {
        let first = Avx512Eight::turn_pairs(factors, pairs.of(0));
        let second = Avx512Eight::turn_pairs(factors, pairs.of(1));
        let mut both = [[Self::all(0.0); WIDTH]; 2];
        for half in 0..2 {
            for k in 0..WIDTH {
                both[half][k] = Two([first[half][k], second[half][k]]);
            }
        }
        both
    }
}

impl Eight for Avx512Eight {
    #[inline(always)]
    fn new(numbers: &[f64; WIDTH]) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm512_loadu_pd(numbers.as_ptr()) })
    }

    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        let mut numbers = [0.0; WIDTH];
        // SAFETY: see above.
        unsafe { _mm512_storeu_pd(numbers.as_mut_ptr(), self.0) };
        numbers
    }

    #[inline(always)]
    fn turn(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        let [a, b, c, d, e, f, g, h] = rows;
        // SAFETY: see above.
        unsafe {
            let [r0, r2, r4, r6] = Self::turn_quarters([
                _mm512_unpacklo_pd(a.0, b.0),
                _mm512_unpacklo_pd(c.0, d.0),
                _mm512_unpacklo_pd(e.0, f.0),
                _mm512_unpacklo_pd(g.0, h.0),
            ]);
            let [r1, r3, r5, r7] = Self::turn_quarters([
                _mm512_unpackhi_pd(a.0, b.0),
                _mm512_unpackhi_pd(c.0, d.0),
                _mm512_unpackhi_pd(e.0, f.0),
                _mm512_unpackhi_pd(g.0, h.0),
            ]);
            [r0, r1, r2, r3, r4, r5, r6, r7]
        }
    }

    #[inline(always)]
    fn differs(self, other: Self) -> Avx512Truth {
        // SAFETY: see above.
        Avx512Truth(unsafe { _mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn truth(bits: u8) -> Avx512Truth {
        Avx512Truth(bits)
    }

    #[inline(always)]
    fn highest_bits(words: &[u32; WIDTH]) -> Avx512Truth {
        // SAFETY: see above.
        Avx512Truth(unsafe { _mm256_movepi32_mask(_mm256_loadu_si256(words.as_ptr().cast())) })
    }

    #[inline(always)]
    fn set_highest_bits(truth: Avx512Truth, words: &mut [u32; WIDTH]) {
        // SAFETY: see above.
        unsafe {
            let pointer = words.as_mut_ptr().cast();
            let bits = _mm256_maskz_set1_epi32(truth.0, i32::MIN);
            _mm256_storeu_si256(pointer, _mm256_or_si256(_mm256_loadu_si256(pointer), bits));
        }
    }

    #[inline(always)]
    fn bits(truth: Avx512Truth) -> u8 {
        truth.0
    }
}
