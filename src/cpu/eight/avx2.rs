//! Eight numbers in two registers of AVX2.

use super::two::{Two, TwoTruths};
use super::{
    Eight, Lot, Pair, PairsOfBlocks, Part, Several, WIDTH, all_eight, one_block, one_register,
    turned_as_eight,
};
use crate::laws::number::{Number, Truth};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// With a processor that has AVX2 and FMA: only code that runs on one may use this; it is fast where it is compiled for it, too.
pub(crate) type Avx2Eight = Two<Avx2Half>;

/// Four of them: what one register holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2Half(pub(in crate::cpu) __m256d);

type Avx2Truth = TwoTruths<Avx2HalfTruth>;

/// All bits of a number where something is true of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2HalfTruth(__m256d);

// SAFETY, for all that follows: used only by what runs on processors with AVX2 and FMA (see `Processor`); every pointer is that
// of as many numbers as are read or written.

/// Numbers in a register.
const HALF: usize = 4;

macro_rules! by_instruction {
    ($($of:ident: $operator:ident $function:ident $instruction:ident),*) => {$(
        impl $operator for $of {
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
    Avx2Half: Add add _mm256_add_pd,
    Avx2Half: Sub sub _mm256_sub_pd,
    Avx2Half: Mul mul _mm256_mul_pd,
    Avx2Half: Div div _mm256_div_pd,
    Avx2HalfTruth: BitAnd bitand _mm256_and_pd,
    Avx2HalfTruth: BitOr bitor _mm256_or_pd
);

impl Neg for Avx2Half {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // Compilers know this for a change of sign, and make it part of what follows.
        // SAFETY: see above.
        Self(unsafe { _mm256_sub_pd(_mm256_set1_pd(-0.0), self.0) })
    }
}

impl Not for Avx2HalfTruth {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: see above.
        unsafe {
            let all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
            Self(_mm256_andnot_pd(self.0, all))
        }
    }
}

impl Truth for Avx2HalfTruth {
    #[inline(always)]
    fn any(self) -> bool {
        // SAFETY: see above.
        unsafe { _mm256_movemask_pd(self.0) != 0 }
    }
}

impl Number for Avx2Half {
    type Truth = Avx2HalfTruth;

    #[inline(always)]
    fn all(number: f64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_set1_pd(number) })
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, addend: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_fmadd_pd(self.0, factor.0, addend.0) })
    }

    #[inline(always)]
    fn plus_exactly(self, factor: Self, other: Self) -> Self {
        factor.times_plus(other, self)
    }

    #[inline(always)]
    fn to_whole(self) -> Self {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        // SAFETY: see above.
        Self(unsafe { _mm256_round_pd::<NEAREST>(self.0) })
    }

    #[inline(always)]
    fn root(self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_sqrt_pd(self.0) })
    }

    #[inline(always)]
    fn or_more(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_max_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> Avx2HalfTruth {
        // SAFETY: see above.
        Avx2HalfTruth(unsafe { _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0) })
    }

    #[inline(always)]
    fn pick(when: Avx2HalfTruth, yes: Self, no: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm256_blendv_pd(no.0, yes.0, when.0) })
    }

    #[inline(always)]
    fn only(when: Avx2HalfTruth, number: Self) -> Self {
        // SAFETY: see above; of what is true all bits are set.
        Self(unsafe { _mm256_and_pd(when.0, number.0) })
    }
}

one_register!(Avx2Half);

impl Part for Avx2Half {
    const COUNT: usize = HALF;

    #[inline(always)]
    fn part_of(numbers: &[f64; WIDTH], first: usize) -> Self {
        let four = &numbers[first..first + HALF];
        // SAFETY: see above.
        Self(unsafe { _mm256_loadu_pd(four.as_ptr()) })
    }

    #[inline(always)]
    fn put(self, numbers: &mut [f64; WIDTH], first: usize) {
        let four = &mut numbers[first..first + HALF];
        // SAFETY: see above.
        unsafe { _mm256_storeu_pd(four.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn turn_into([a, b, c, d, e, f]: [Self; 6], rows: &mut [[f64; 6]]) {
        let [first, second, third, fourth] = &mut rows[..HALF] else {
            return;
        };
        let four = Self::turn_four([a, b, c, d]);
        // SAFETY: see above; of each row the first four numbers are stored, and the other two.
        unsafe {
            let (even, odd) = (_mm256_unpacklo_pd(e.0, f.0), _mm256_unpackhi_pd(e.0, f.0));
            let two = [
                _mm256_castpd256_pd128(even),
                _mm256_castpd256_pd128(odd),
                _mm256_extractf128_pd::<1>(even),
                _mm256_extractf128_pd::<1>(odd),
            ];
            for (row, (four, two)) in [first, second, third, fourth]
                .into_iter()
                .zip(four.into_iter().zip(two))
            {
                let row = row.as_mut_ptr();
                _mm256_storeu_pd(row, four.0);
                _mm_storeu_pd(row.add(HALF), two);
            }
        }
    }
}

impl Part for Avx2Eight {
    all_eight!();
    turned_as_eight!();
}

impl Avx2Half {
    /// Number l of row k becomes number k of row l.
    #[inline(always)]
    fn turn_four([a, b, c, d]: [Self; HALF]) -> [Self; HALF] {
        const LOWER_HALVES: i32 = 0x20;
        const UPPER_HALVES: i32 = 0x31;
        // SAFETY: see above.
        unsafe {
            let [even_ab, odd_ab] = [_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0)];
            let [even_cd, odd_cd] = [_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0)];
            [
                Self(_mm256_permute2f128_pd::<LOWER_HALVES>(even_ab, even_cd)),
                Self(_mm256_permute2f128_pd::<LOWER_HALVES>(odd_ab, odd_cd)),
                Self(_mm256_permute2f128_pd::<UPPER_HALVES>(even_ab, even_cd)),
                Self(_mm256_permute2f128_pd::<UPPER_HALVES>(odd_ab, odd_cd)),
            ]
        }
    }
}

impl Avx2Eight {
    /// Turned quarters of eight rows, the lower and upper halves of the first four and of the last four.
    #[inline(always)]
    fn joined([p, q, r, s]: [[Avx2Half; HALF]; 4]) -> [Self; WIDTH] {
        [
            Self([p[0], r[0]]),
            Self([p[1], r[1]]),
            Self([p[2], r[2]]),
            Self([p[3], r[3]]),
            Self([q[0], s[0]]),
            Self([q[1], s[1]]),
            Self([q[2], s[2]]),
            Self([q[3], s[3]]),
        ]
    }

    /// The lower and upper halves of this times a factor plus an addend, for four rows from one on, turned.
    #[inline(always)]
    fn sums_of_four(
        self,
        rows: &[[&[f64; WIDTH]; 2]; WIDTH],
        from: usize,
    ) -> [[Avx2Half; HALF]; 2] {
        let mut halves = self.0.map(|half| [half; HALF]);
        for (half, sums) in halves.iter_mut().enumerate() {
            for (k, sum) in sums.iter_mut().enumerate() {
                let [factor, addend] = rows[from + k];
                let factor = Avx2Half::part_of(factor, HALF * half);
                let addend = Avx2Half::part_of(addend, HALF * half);
                *sum = sum.times_plus(factor, addend);
            }
        }
        let [lower, upper] = halves;
        [Avx2Half::turn_four(lower), Avx2Half::turn_four(upper)]
    }
}

impl Lot for Avx2Eight {
    one_block!();

    #[inline(always)]
    fn register(self, k: usize) -> Avx2Half {
        self.0[k]
    }

    #[inline(always)]
    fn register_of_truth(truth: Avx2Truth, k: usize) -> Avx2HalfTruth {
        truth.0[k]
    }
}

impl Eight for Avx2Eight {
    #[inline(always)]
    fn new(numbers: &[f64; WIDTH]) -> Self {
        Self([0, HALF].map(|first| Avx2Half::part_of(numbers, first)))
    }

    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        let mut numbers = [0.0; WIDTH];
        self.0[0].put(&mut numbers, 0);
        self.0[1].put(&mut numbers, HALF);
        numbers
    }

    #[inline(always)]
    fn turn(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        let [a, b, c, d, e, f, g, h] = rows;
        let p = Avx2Half::turn_four([a.0[0], b.0[0], c.0[0], d.0[0]]);
        let q = Avx2Half::turn_four([a.0[1], b.0[1], c.0[1], d.0[1]]);
        let r = Avx2Half::turn_four([e.0[0], f.0[0], g.0[0], h.0[0]]);
        let s = Avx2Half::turn_four([e.0[1], f.0[1], g.0[1], h.0[1]]);
        Self::joined([p, q, r, s])
    }

    /// First four of the pairs and then the others, four columns at a time: all at once would take more registers than there are.
    #[inline(always)]
    fn turn_pairs(factors: [Self; 2], pairs: [Pair<'_>; WIDTH]) -> [[Self; WIDTH]; 2] {
        let first = pairs.map(|[a, b]| [&a[0], &b[0]]);
        let second = pairs.map(|[a, b]| [&b[1], &a[1]]);
        let [p, q] = factors[0].sums_of_four(&first, 0);
        let [r, s] = factors[1].sums_of_four(&second, 0);
        let [t, u] = factors[0].sums_of_four(&first, HALF);
        let [v, w] = factors[1].sums_of_four(&second, HALF);
        [Self::joined([p, q, t, u]), Self::joined([r, s, v, w])]
    }

    #[inline(always)]
    fn differs(self, other: Self) -> Avx2Truth {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        unsafe {
            TwoTruths([
                Avx2HalfTruth(_mm256_cmp_pd::<_CMP_NEQ_UQ>(a.0, c.0)),
                Avx2HalfTruth(_mm256_cmp_pd::<_CMP_NEQ_UQ>(b.0, d.0)),
            ])
        }
    }

    #[inline(always)]
    fn truth(bits: u8) -> Avx2Truth {
        // SAFETY: see above.
        unsafe {
            let bits = _mm256_set1_epi64x(i64::from(bits));
            let (lower, upper) = (
                _mm256_setr_epi64x(1, 2, 4, 8),
                _mm256_setr_epi64x(16, 32, 64, 128),
            );
            let lower = _mm256_cmpeq_epi64(_mm256_and_si256(bits, lower), lower);
            let upper = _mm256_cmpeq_epi64(_mm256_and_si256(bits, upper), upper);
            TwoTruths([
                Avx2HalfTruth(_mm256_castsi256_pd(lower)),
                Avx2HalfTruth(_mm256_castsi256_pd(upper)),
            ])
        }
    }

    #[inline(always)]
    fn highest_bits(words: &[u32; WIDTH]) -> Avx2Truth {
        // SAFETY: see above.
        unsafe {
            let words = _mm256_srai_epi32::<31>(_mm256_loadu_si256(words.as_ptr().cast()));
            let [lower, upper] = [
                _mm256_castsi256_si128(words),
                _mm256_extracti128_si256::<1>(words),
            ];
            TwoTruths([
                Avx2HalfTruth(_mm256_castsi256_pd(_mm256_cvtepi32_epi64(lower))),
                Avx2HalfTruth(_mm256_castsi256_pd(_mm256_cvtepi32_epi64(upper))),
            ])
        }
    }

    #[inline(always)]
    fn set_highest_bits(truth: Avx2Truth, words: &mut [u32; WIDTH]) {
        /// Of each pair of words the first, and the quarters in order.
        const EVEN: i32 = 0b10_00_10_00;
        const ORDER: i32 = 0b11_01_10_00;
        // SAFETY: see above.
        unsafe {
            let [a, b] = truth.0.map(|half| _mm256_castpd_ps(half.0));
            let halves = _mm256_castps_si256(_mm256_shuffle_ps::<EVEN>(a, b));
            let bits = _mm256_slli_epi32::<31>(_mm256_permute4x64_epi64::<ORDER>(halves));
            let pointer = words.as_mut_ptr().cast();
            _mm256_storeu_si256(pointer, _mm256_or_si256(_mm256_loadu_si256(pointer), bits));
        }
    }

    #[inline(always)]
    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "four bits each"
    )]
    fn bits(truth: Avx2Truth) -> u8 {
        let [a, b] = truth.0;
        // SAFETY: see above.
        let [a, b] = unsafe { [_mm256_movemask_pd(a.0), _mm256_movemask_pd(b.0)] };
        (a | b << 4) as u8
    }
}
