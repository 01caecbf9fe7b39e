//! Four numbers at a time: a vector and what goes with it.
//!
//! Grains are kept as vectors of four (see [`Body`](super::bodies::Body)). Compilers take arrays of four
//! apart where it suits them, and then put them together again number by number: hence a type that
//! stays together. Each operation rounds each number as `f64` does, so all types give the same bits.

use std::ops::{Add, Mul, Sub};

/// Four numbers.
pub(crate) trait Four:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    fn new(numbers: &[f64; 4]) -> Self;

    fn to_array(self) -> [f64; 4];

    /// The same number four times.
    fn all(number: f64) -> Self;

    /// This times a factor plus an addend, rounded once.
    fn times_plus(self, factor: Self, addend: Self) -> Self;

    /// This plus others times a factor, where the products are exact: it does not matter whether they are rounded.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    fn plus_exactly(self, factor: Self, others: Self) -> Self {
        self + factor * others
    }

    /// The first number behind the others.
    fn first_to_last(self) -> Self;

    /// With the fourth number of another.
    fn with_fourth_of(self, other: Self) -> Self;

    /// Whether any number of either has a minus sign.
    fn any_minus(self, other: Self) -> bool;
}

/// With any processor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnyFour([f64; 4]);

impl Add for AnyFour {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for AnyFour {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }
}

impl Mul for AnyFour {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] * other.0[k]))
    }
}

impl Four for AnyFour {
    #[inline(always)]
    fn new(numbers: &[f64; 4]) -> Self {
        Self(*numbers)
    }

    #[inline(always)]
    fn to_array(self) -> [f64; 4] {
        self.0
    }

    #[inline(always)]
    fn all(number: f64) -> Self {
        Self([number; 4])
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, addend: Self) -> Self {
        Self(std::array::from_fn(|k| {
            self.0[k].mul_add(factor.0[k], addend.0[k])
        }))
    }

    #[inline(always)]
    fn first_to_last(self) -> Self {
        let [x, y, z, w] = self.0;
        Self([y, z, w, x])
    }

    #[inline(always)]
    fn with_fourth_of(self, other: Self) -> Self {
        let [x, y, z, _] = self.0;
        Self([x, y, z, other.0[3]])
    }

    #[inline(always)]
    fn any_minus(self, other: Self) -> bool {
        let signs = self.0.iter().chain(&other.0);
        signs.fold(false, |any, x| any | x.is_sign_negative())
    }
}

/// What one register of AVX2 holds of eight numbers does for a vector, too.
#[cfg(target_arch = "x86_64")]
pub(crate) use super::eight::Avx2Half;

// SAFETY, for all that follows: used only by what runs on processors with AVX2 and FMA (see `Processor`); every pointer is that
// of an array of four numbers.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Avx2Half, Four};
    use crate::laws::number::Number;
    use std::arch::x86_64::{
        _mm256_blend_pd, _mm256_loadu_pd, _mm256_movemask_pd, _mm256_or_pd, _mm256_permute4x64_pd,
        _mm256_storeu_pd,
    };

    impl Four for Avx2Half {
        #[inline(always)]
        fn new(numbers: &[f64; 4]) -> Self {
            // SAFETY: see above.
            Self(unsafe { _mm256_loadu_pd(numbers.as_ptr()) })
        }

        #[inline(always)]
        fn to_array(self) -> [f64; 4] {
            let mut numbers = [0.0; 4];
            // SAFETY: see above.
            unsafe { _mm256_storeu_pd(numbers.as_mut_ptr(), self.0) };
            numbers
        }

        #[inline(always)]
        fn all(number: f64) -> Self {
            Number::all(number)
        }

        #[inline(always)]
        fn times_plus(self, factor: Self, addend: Self) -> Self {
            Number::times_plus(self, factor, addend)
        }

        #[inline(always)]
        fn plus_exactly(self, factor: Self, others: Self) -> Self {
            Number::times_plus(factor, others, self)
        }

        #[inline(always)]
        fn first_to_last(self) -> Self {
            /// The second, third, fourth and first.
            const TURNED: i32 = 0b00_11_10_01;
            // SAFETY: see above.
            Self(unsafe { _mm256_permute4x64_pd::<TURNED>(self.0) })
        }

        #[inline(always)]
        fn with_fourth_of(self, other: Self) -> Self {
            const FOURTH: i32 = 0b1000;
            // SAFETY: see above.
            Self(unsafe { _mm256_blend_pd::<FOURTH>(self.0, other.0) })
        }

        #[inline(always)]
        fn any_minus(self, other: Self) -> bool {
            // SAFETY: see above.
            unsafe { _mm256_movemask_pd(_mm256_or_pd(self.0, other.0)) != 0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn does_as_four_numbers_would<F: Four>() {
        let (a, b) = ([1.5, -2.0, 3.25, 1e300], [0.1, 7.0, -1e-300, 4.0]);
        let (p, q) = (F::new(&a), F::new(&b));
        for k in 0..4 {
            assert_eq!((p + q).to_array()[k], a[k] + b[k]);
            assert_eq!((p - q).to_array()[k], a[k] - b[k]);
            assert_eq!((p * q).to_array()[k], a[k] * b[k]);
            let once = a[k].mul_add(b[k], a[k]);
            assert_eq!(p.times_plus(q, p).to_array()[k], once);
            let less = p.plus_exactly(F::all(-1.0), q).to_array()[k];
            assert_eq!(less, p.to_array()[k] - q.to_array()[k]);
        }
        assert_eq!(F::all(2.5).to_array(), [2.5; 4]);
        assert_eq!(p.with_fourth_of(q).to_array(), [1.5, -2.0, 3.25, 4.0]);
        assert_eq!(p.first_to_last().to_array(), [-2.0, 3.25, 1e300, 1.5]);
        let plus = F::all(1.0);
        assert!(!plus.any_minus(plus));
        for k in 0..4 {
            let mut one = [1.0; 4];
            one[k] = -1.0;
            assert!(plus.any_minus(F::new(&one)) && F::new(&one).any_minus(plus));
        }
    }

    #[test]
    fn any_processor_does() {
        does_as_four_numbers_would::<AnyFour>();
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2_does() {
        if std::arch::is_x86_feature_detected!("avx2") {
            does_as_four_numbers_would::<Avx2Half>();
        } else {
            eprintln!("not run: this processor has no AVX2");
        }
    }
}
