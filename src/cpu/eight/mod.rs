//! Eight numbers at a time.
//!
//! Compilers do not keep arrays of eight in registers: hence a type for each kind of processor that stays there. Each
//! operation rounds each number as `f64` does, so all types give the same bits.

mod any;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::laws::number::{Number, Vector};
pub(crate) use any::AnyEight;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2Eight;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512Eight;

/// How many numbers go together.
pub(crate) const WIDTH: usize = 8;

/// Eight numbers.
pub(crate) trait Eight: Number {
    fn new(numbers: &[f64; WIDTH]) -> Self;

    fn to_array(self) -> [f64; WIDTH];

    /// Number l of row k becomes number k of row l.
    fn turn(rows: [Self; WIDTH]) -> [Self; WIDTH];

    /// Rows of this times a factor plus an addend, rounded once, and turned.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    fn turn_sums(self, rows: [[&[f64; WIDTH]; 2]; WIDTH]) -> [Self; WIDTH] {
        Self::turn(rows.map(|row| {
            let [factor, addend] = row.map(Self::new);
            self.times_plus(factor, addend)
        }))
    }

    /// Where two numbers are not equal.
    fn differs(self, other: Self) -> Self::Truth;

    /// What is true for number l is bit l.
    fn truth(bits: u8) -> Self::Truth;

    /// The other way.
    fn bits(truth: Self::Truth) -> u8;

    /// Which of eight words have their highest bit set.
    fn highest_bits(words: &[u32; WIDTH]) -> Self::Truth;

    /// Sets the highest bit of the words for which something is true.
    fn set_highest_bits(truth: Self::Truth, words: &mut [u32; WIDTH]);

    /// Adds numbers to sums of which only the sum of all eight counts, and no sum is rounded.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    fn accumulate(sums: Self, numbers: Self) -> Self {
        sums + numbers
    }

    /// Zero where something is not true.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    fn only(when: Self::Truth, number: Self) -> Self {
        Self::pick(when, number, Self::all(0.0))
    }

    /// The same for vectors.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    fn only_vectors(when: Self::Truth, vectors: Vector<Self>) -> Vector<Self> {
        Vector::pick(when, vectors, Vector::zero())
    }
}

#[cfg(test)]
mod tests;
