//! Two registers of numbers side by side.
//!
//! What is worked out of one has to wait for what was worked out of it before: roots and divisions take dozens of
//! cycles. Two that do not depend on each other take little longer than one.

use super::{Part, Several};
use crate::laws::number::{Number, Truth};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// Twice as many numbers as a register holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Two<N>(pub(super) [N; 2]);

/// What is true of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TwoTruths<T>(pub(super) [T; 2]);

macro_rules! each {
    ($($of:ident: $operator:ident $function:ident),*) => {$(
        impl<N: $operator<Output = N>> $operator for $of<N> {
            type Output = Self;

            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                let ([a, b], [c, d]) = (self.0, other.0);
                Self([a.$function(c), b.$function(d)])
            }
        }
    )*};
}

each!(
    Two: Add add,
    Two: Sub sub,
    Two: Mul mul,
    Two: Div div,
    TwoTruths: BitAnd bitand,
    TwoTruths: BitOr bitor
);

impl<N: Neg<Output = N>> Neg for Two<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let [a, b] = self.0;
        Self([-a, -b])
    }
}

impl<T: Not<Output = T>> Not for TwoTruths<T> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        let [a, b] = self.0;
        Self([!a, !b])
    }
}

impl<T: Truth> Truth for TwoTruths<T> {
    #[inline(always)]
    fn any(self) -> bool {
        let [a, b] = self.0;
        (a | b).any()
    }
}

impl<N: Part<Register = N>> Several for Two<N> {
    type Register = N;

    #[inline(always)]
    fn summed(self) -> N {
        let [a, b] = self.0;
        a + b
    }
}

impl<N: Part> Number for Two<N> {
    type Truth = TwoTruths<N::Truth>;

    #[inline(always)]
    fn all(number: f64) -> Self {
        Self([N::all(number); 2])
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, addend: Self) -> Self {
        let ([a, b], [c, d], [e, f]) = (self.0, factor.0, addend.0);
        Self([a.times_plus(c, e), b.times_plus(d, f)])
    }

    #[inline(always)]
    fn plus_exactly(self, factor: Self, other: Self) -> Self {
        let ([a, b], [c, d], [e, f]) = (self.0, factor.0, other.0);
        Self([a.plus_exactly(c, e), b.plus_exactly(d, f)])
    }

    #[inline(always)]
    fn to_whole(self) -> Self {
        let [a, b] = self.0;
        Self([a.to_whole(), b.to_whole()])
    }

    #[inline(always)]
    fn root(self) -> Self {
        Self(N::two_roots(self.0))
    }

    #[inline(always)]
    fn or_more(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        Self([a.or_more(c), b.or_more(d)])
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> Self::Truth {
        let ([a, b], [c, d]) = (self.0, other.0);
        TwoTruths([a.exceeds(c), b.exceeds(d)])
    }

    #[inline(always)]
    fn pick(when: Self::Truth, yes: Self, no: Self) -> Self {
        let ([a, b], [c, d], [p, q]) = (yes.0, no.0, when.0);
        Self([N::pick(p, a, c), N::pick(q, b, d)])
    }

    #[inline(always)]
    fn only(when: Self::Truth, number: Self) -> Self {
        let ([a, b], [p, q]) = (number.0, when.0);
        Self([N::only(p, a), N::only(q, b)])
    }
}
