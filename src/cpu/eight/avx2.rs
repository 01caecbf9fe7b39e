//! Eight numbers in two registers of AVX2.

use super::{Eight, WIDTH};
use crate::laws::number::{Number, Truth};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// With a processor that has AVX2 and FMA: only code that runs on one may use this; it is fast where it is compiled for it, too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2Eight([__m256d; 2]);

/// All bits of a number where something is true of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2Truth([__m256d; 2]);

// SAFETY, for all that follows: used only by what runs on processors with AVX2 and FMA (see `Processor`); every pointer is that
// of an array of eight numbers, or of its second half.

macro_rules! both {
    ($($of:ident: $operator:ident $function:ident $instruction:ident),*) => {$(
        impl $operator for $of {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                // SAFETY: see above.
                unsafe {
                    Self([
                        $instruction(self.0[0], other.0[0]),
                        $instruction(self.0[1], other.0[1]),
                    ])
                }
            }
        }
    )*};
}

both!(
    Avx2Eight: Add add _mm256_add_pd,
    Avx2Eight: Sub sub _mm256_sub_pd,
    Avx2Eight: Mul mul _mm256_mul_pd,
    Avx2Eight: Div div _mm256_div_pd,
    Avx2Truth: BitAnd bitand _mm256_and_pd,
    Avx2Truth: BitOr bitor _mm256_or_pd
);

impl Neg for Avx2Eight {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let [a, b] = self.0;
        // SAFETY: see above.
        unsafe {
            // Compilers know this for a change of sign, and make it part of what follows.
            let nothing = _mm256_set1_pd(-0.0);
            Self([_mm256_sub_pd(nothing, a), _mm256_sub_pd(nothing, b)])
        }
    }
}

impl Not for Avx2Truth {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        let [a, b] = self.0;
        // SAFETY: see above.
        unsafe {
            let all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
            Self([_mm256_andnot_pd(a, all), _mm256_andnot_pd(b, all)])
        }
    }
}

impl Truth for Avx2Truth {
    #[inline(always)]
    fn any(self) -> bool {
        Avx2Eight::bits(self) != 0
    }
}

impl Number for Avx2Eight {
    type Truth = Avx2Truth;

    #[inline(always)]
    fn all(number: f64) -> Self {
        // SAFETY: see above.
        Self([unsafe { _mm256_set1_pd(number) }; 2])
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, addend: Self) -> Self {
        let ([a, b], [c, d], [e, f]) = (self.0, factor.0, addend.0);
        // SAFETY: see above.
        unsafe { Self([_mm256_fmadd_pd(a, c, e), _mm256_fmadd_pd(b, d, f)]) }
    }

    #[inline(always)]
    fn root(self) -> Self {
        let [a, b] = self.0;
        // SAFETY: see above.
        unsafe { Self([_mm256_sqrt_pd(a), _mm256_sqrt_pd(b)]) }
    }

    #[inline(always)]
    fn or_more(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        unsafe { Self([_mm256_max_pd(a, c), _mm256_max_pd(b, d)]) }
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> Avx2Truth {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        unsafe {
            Avx2Truth([
                _mm256_cmp_pd::<_CMP_GT_OQ>(a, c),
                _mm256_cmp_pd::<_CMP_GT_OQ>(b, d),
            ])
        }
    }

    #[inline(always)]
    fn pick(when: Avx2Truth, yes: Self, no: Self) -> Self {
        let ([a, b], [c, d], [p, q]) = (yes.0, no.0, when.0);
        // SAFETY: see above.
        unsafe { Self([_mm256_blendv_pd(c, a, p), _mm256_blendv_pd(d, b, q)]) }
    }
}

impl Avx2Eight {
    /// Turned quarters of eight rows, the lower and upper halves of the first four and of the last four.
    #[inline(always)]
    fn joined([p, q, r, s]: [[__m256d; 4]; 4]) -> [Self; WIDTH] {
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

    /// The lower or upper half of this times a factor plus an addend, for four rows from one on, turned.
    #[inline(always)]
    fn sums_of_four(
        self,
        half: usize,
        rows: &[[&[f64; WIDTH]; 2]; WIDTH],
        from: usize,
    ) -> [__m256d; 4] {
        let mut sums = [self.0[half]; 4];
        for (k, sum) in sums.iter_mut().enumerate() {
            let [factor, addend] = rows[from + k];
            // SAFETY: see above.
            unsafe {
                let factor = _mm256_loadu_pd(factor.as_ptr().add(4 * half));
                let addend = _mm256_loadu_pd(addend.as_ptr().add(4 * half));
                *sum = _mm256_fmadd_pd(*sum, factor, addend);
            }
        }
        Self::turn_four(sums)
    }

    /// Number l of row k becomes number k of row l.
    #[inline(always)]
    fn turn_four([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
        const LOWER_HALVES: i32 = 0x20;
        const UPPER_HALVES: i32 = 0x31;
        // SAFETY: see above.
        unsafe {
            let [even_ab, odd_ab] = [_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)];
            let [even_cd, odd_cd] = [_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d)];
            [
                _mm256_permute2f128_pd::<LOWER_HALVES>(even_ab, even_cd),
                _mm256_permute2f128_pd::<LOWER_HALVES>(odd_ab, odd_cd),
                _mm256_permute2f128_pd::<UPPER_HALVES>(even_ab, even_cd),
                _mm256_permute2f128_pd::<UPPER_HALVES>(odd_ab, odd_cd),
            ]
        }
    }
}

impl Eight for Avx2Eight {
    #[inline(always)]
    fn new(numbers: &[f64; WIDTH]) -> Self {
        // SAFETY: see above.
        unsafe {
            Self([
                _mm256_loadu_pd(numbers.as_ptr()),
                _mm256_loadu_pd(numbers.as_ptr().add(4)),
            ])
        }
    }

    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        let mut numbers = [0.0; WIDTH];
        // SAFETY: see above.
        unsafe {
            _mm256_storeu_pd(numbers.as_mut_ptr(), self.0[0]);
            _mm256_storeu_pd(numbers.as_mut_ptr().add(4), self.0[1]);
        }
        numbers
    }

    #[inline(always)]
    fn turn(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        let [a, b, c, d, e, f, g, h] = rows;
        let p = Self::turn_four([a.0[0], b.0[0], c.0[0], d.0[0]]);
        let q = Self::turn_four([a.0[1], b.0[1], c.0[1], d.0[1]]);
        let r = Self::turn_four([e.0[0], f.0[0], g.0[0], h.0[0]]);
        let s = Self::turn_four([e.0[1], f.0[1], g.0[1], h.0[1]]);
        Self::joined([p, q, r, s])
    }

    /// Four rows and four columns at a time: all rows at once would take all registers.
    #[inline(always)]
    fn turn_sums(self, rows: [[&[f64; WIDTH]; 2]; WIDTH]) -> [Self; WIDTH] {
        let [p, r] = [
            self.sums_of_four(0, &rows, 0),
            self.sums_of_four(0, &rows, 4),
        ];
        let [q, s] = [
            self.sums_of_four(1, &rows, 0),
            self.sums_of_four(1, &rows, 4),
        ];
        Self::joined([p, q, r, s])
    }

    #[inline(always)]
    fn differs(self, other: Self) -> Avx2Truth {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: see above.
        unsafe {
            Avx2Truth([
                _mm256_cmp_pd::<_CMP_NEQ_UQ>(a, c),
                _mm256_cmp_pd::<_CMP_NEQ_UQ>(b, d),
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
            Avx2Truth([
                _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(bits, lower), lower)),
                _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(bits, upper), upper)),
            ])
        }
    }

    /// In one register instead of two.
    #[inline(always)]
    fn accumulate(sums: Self, numbers: Self) -> Self {
        let [a, b] = numbers.0;
        // SAFETY: see above.
        let both = unsafe { _mm256_add_pd(a, b) };
        // SAFETY: see above.
        Self([unsafe { _mm256_add_pd(sums.0[0], both) }, sums.0[1]])
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
            Avx2Truth([lower, upper].map(|half| _mm256_castsi256_pd(_mm256_cvtepi32_epi64(half))))
        }
    }

    #[inline(always)]
    fn set_highest_bits(truth: Avx2Truth, words: &mut [u32; WIDTH]) {
        /// Of each pair of words the first, and the quarters in order.
        const EVEN: i32 = 0b10_00_10_00;
        const ORDER: i32 = 0b11_01_10_00;
        // SAFETY: see above.
        unsafe {
            let [a, b] = truth.0.map(|half| _mm256_castpd_ps(half));
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
        let [a, b] = unsafe { [_mm256_movemask_pd(a), _mm256_movemask_pd(b)] };
        (a | b << 4) as u8
    }
}
