//! Numbers, one or several side by side: what engines evaluate for many contacts at once is written for both.

use glam::DVec3;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// In [2⁵², 2⁵³) the spacing of `f64` is exactly 1.
pub(crate) const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;

/// A number, or several that undergo the same operations. Each is rounded as an `f64` of its own would be.
pub trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Whether something is true, for each of them.
    type Truth: Truth;

    /// The same number for all.
    fn all(number: f64) -> Self;

    /// This times a factor plus an addend, rounded once.
    fn times_plus(self, factor: Self, addend: Self) -> Self;

    /// This plus a factor times another, where the product is exact: whether it is rounded does not matter.
    #[inline(always)]
    fn plus_exactly(self, factor: Self, other: Self) -> Self {
        self + factor * other
    }

    /// The nearest whole number, ties to even, for numbers below 2⁵¹; zero may have either sign.
    ///
    /// Two additions, which every processor has; a rounding instruction is only in some.
    #[inline(always)]
    fn to_whole(self) -> Self {
        (self + Self::all(WHOLE)) - Self::all(WHOLE)
    }

    /// The square root, rounded correctly.
    fn root(self) -> Self;

    /// The larger of two numbers; the other one if this is not a number.
    fn or_more(self, other: Self) -> Self;

    /// Where this is larger.
    fn exceeds(self, other: Self) -> Self::Truth;

    /// One number where something is true, another where it is not.
    fn pick(when: Self::Truth, yes: Self, no: Self) -> Self;

    /// Zero where something is not true.
    #[inline(always)]
    fn only(when: Self::Truth, number: Self) -> Self {
        Self::pick(when, number, Self::all(0.0))
    }
}

/// What is true or not for each of some numbers.
pub trait Truth: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Whether it is true for any of them.
    fn any(self) -> bool;
}

impl Number for f64 {
    type Truth = bool;

    #[inline(always)]
    fn all(number: f64) -> Self {
        number
    }

    #[inline(always)]
    fn times_plus(self, factor: Self, addend: Self) -> Self {
        self.mul_add(factor, addend)
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn or_more(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> bool {
        self > other
    }

    #[inline(always)]
    fn pick(when: bool, yes: Self, no: Self) -> Self {
        if when { yes } else { no }
    }
}

impl Truth for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
}

/// A vector in space, or several side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Vector<N> {
    pub(crate) x: N,
    pub(crate) y: N,
    pub(crate) z: N,
}

impl<N: Number> Vector<N> {
    #[inline(always)]
    pub(crate) fn new([x, y, z]: [N; 3]) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    pub(crate) fn to_array(self) -> [N; 3] {
        [self.x, self.y, self.z]
    }

    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Self::new([N::all(0.0); 3])
    }

    #[inline(always)]
    pub(crate) fn pick(when: N::Truth, yes: Self, no: Self) -> Self {
        Self {
            x: N::pick(when, yes.x, no.x),
            y: N::pick(when, yes.y, no.y),
            z: N::pick(when, yes.z, no.z),
        }
    }

    /// Zero where something is not true.
    #[inline(always)]
    pub(crate) fn only(when: N::Truth, vector: Self) -> Self {
        Self {
            x: N::only(when, vector.x),
            y: N::only(when, vector.y),
            z: N::only(when, vector.z),
        }
    }

    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> N {
        let first = self.x * other.x;
        let two = self.y.times_plus(other.y, first);
        self.z.times_plus(other.z, two)
    }

    /// This plus another times a factor.
    #[inline(always)]
    pub(crate) fn plus_times(self, other: Self, factor: N) -> Self {
        Self {
            x: other.x.times_plus(factor, self.x),
            y: other.y.times_plus(factor, self.y),
            z: other.z.times_plus(factor, self.z),
        }
    }

    #[inline(always)]
    pub(crate) fn length_squared(self) -> N {
        self.dot(self)
    }

    #[inline(always)]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y.times_plus(other.z, -(other.y * self.z)),
            y: self.z.times_plus(other.x, -(other.z * self.x)),
            z: self.x.times_plus(other.y, -(other.x * self.y)),
        }
    }
}

impl<N: Number> Add for Vector<N> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

impl<N: Number> Sub for Vector<N> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            x: self.x - other.x,
            y: self.y - other.y,
            z: self.z - other.z,
        }
    }
}

impl<N: Number> Mul<N> for Vector<N> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: N) -> Self {
        Self {
            x: factor * self.x,
            y: factor * self.y,
            z: factor * self.z,
        }
    }
}

impl From<DVec3> for Vector<f64> {
    #[inline(always)]
    fn from(vector: DVec3) -> Self {
        Self::new(vector.to_array())
    }
}

impl From<Vector<f64>> for DVec3 {
    #[inline(always)]
    fn from(vector: Vector<f64>) -> Self {
        Self::from_array(vector.to_array())
    }
}
