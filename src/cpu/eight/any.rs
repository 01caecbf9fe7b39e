//! Eight numbers with any processor.

use super::{
    Eight, Lot, PairsOfBlocks, Part, Several, WIDTH, all_eight, one_block, one_register,
    only_register, turned_as_eight,
};
use crate::laws::number::{Number, Truth};
use std::array::from_fn;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// With any processor.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct AnyEight([f64; WIDTH]);

/// What is true of each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnyTruth([bool; WIDTH]);

macro_rules! each {
    ($($operator:ident $function:ident),*) => {$(
        impl $operator for AnyEight {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                Self(from_fn(|l| self.0[l].$function(other.0[l])))
            }
        }
    )*};
}

each!(Add add, Sub sub, Mul mul, Div div);

impl Neg for AnyEight {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

impl Number for AnyEight {
    type Truth = AnyTruth;

    #[inline(always)]
    fn all(number: f64) -> Self {
        Self([number; WIDTH])
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, addend: Self) -> Self {
        Self(from_fn(|l| self.0[l].mul_add(factor.0[l], addend.0[l])))
    }

    #[inline(always)]
    fn root(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    #[inline(always)]
    fn or_more(self, other: Self) -> Self {
        Self(from_fn(|l| self.0[l].or_more(other.0[l])))
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> AnyTruth {
        AnyTruth(from_fn(|l| self.0[l] > other.0[l]))
    }

    #[inline(always)]
    fn pick(when: AnyTruth, yes: Self, no: Self) -> Self {
        Self(from_fn(|l| f64::pick(when.0[l], yes.0[l], no.0[l])))
    }
}

one_register!(AnyEight);

impl Part for AnyEight {
    all_eight!();
    turned_as_eight!();
}

impl Lot for AnyEight {
    only_register!();
    one_block!();
}

impl Eight for AnyEight {
    #[inline(always)]
    fn new(numbers: &[f64; WIDTH]) -> Self {
        Self(*numbers)
    }

    #[inline(always)]
    fn to_array(self) -> [f64; WIDTH] {
        self.0
    }

    #[inline(always)]
    fn turn(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        from_fn(|l| Self(from_fn(|k| rows[k].0[l])))
    }

    #[inline(always)]
    fn differs(self, other: Self) -> AnyTruth {
        AnyTruth(from_fn(|l| self.0[l] != other.0[l]))
    }

    #[inline(always)]
    fn truth(bits: u8) -> AnyTruth {
        AnyTruth(from_fn(|l| bits >> l & 1 == 1))
    }

    #[inline(always)]
    fn highest_bits(words: &[u32; WIDTH]) -> AnyTruth {
        AnyTruth(words.map(|word| word >> 31 == 1))
    }

    #[inline(always)]
    fn set_highest_bits(truth: AnyTruth, words: &mut [u32; WIDTH]) {
        for (word, one) in words.iter_mut().zip(truth.0) {
            *word |= u32::from(one) << 31;
        }
    }

    #[inline(always)]
    fn bits(truth: AnyTruth) -> u8 {
        (0..WIDTH).fold(0, |bits, l| bits | u8::from(truth.0[l]) << l)
    }
}

impl Truth for AnyTruth {
    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(false, |any, &one| any | one)
    }
}

impl BitAnd for AnyTruth {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(from_fn(|l| self.0[l] & other.0[l]))
    }
}

impl BitOr for AnyTruth {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(from_fn(|l| self.0[l] | other.0[l]))
    }
}

impl Not for AnyTruth {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|one| !one))
    }
}
