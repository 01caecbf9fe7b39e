//! Eight numbers at a time.
//!
//! Compilers do not keep arrays of eight in registers: hence a type for each kind of processor that stays there. Each
//! operation rounds each number as `f64` does, so all types give the same bits.

mod any;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::laws::number::Number;
pub(crate) use any::AnyEight;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::{Avx2Eight, Avx2Half};
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512Eight;

/// How many numbers go together.
pub(crate) const WIDTH: usize = 8;

/// Two times two rows of numbers.
pub(crate) type Pair<'a> = [&'a [[f64; WIDTH]; 2]; 2];

/// Some of eight numbers, or all: those that undergo the same operations at a time.
pub(crate) trait Part: Number {
    /// How many.
    const COUNT: usize;

    /// Sums of which only the sum counts, and none is rounded.
    type Sum: Copy;

    /// Of eight numbers those from one on.
    fn part_of(numbers: &[f64; WIDTH], first: usize) -> Self;

    /// Puts them where [`part_of`](Self::part_of) finds them.
    fn put(self, numbers: &mut [f64; WIDTH], first: usize);

    /// Number l of column k becomes number k of row l, for as many rows.
    fn turn_into(columns: [Self; 6], rows: &mut [[f64; 6]]);

    fn no_sum() -> Self::Sum;

    fn add_to(self, sum: Self::Sum) -> Self::Sum;

    fn total(sum: Self::Sum) -> f64;
}

/// Eight numbers.
pub(crate) trait Eight: Part {
    /// What one register holds of them.
    type Part: Part<Sum = Self::Sum>;

    /// Those from one on.
    fn part(self, first: usize) -> Self::Part;

    /// What is true of them.
    fn part_of_truth(truth: Self::Truth, first: usize) -> <Self::Part as Number>::Truth;

    fn new(numbers: &[f64; WIDTH]) -> Self;

    fn to_array(self) -> [f64; WIDTH];

    /// Number l of row k becomes number k of row l.
    fn turn(rows: [Self; WIDTH]) -> [Self; WIDTH];

    /// Of eight pairs, a and b, of two rows each: the first row of a times a factor plus that of b, and the second row of b times
    /// another factor plus that of a, rounded once and turned.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    fn turn_pairs(factors: [Self; 2], pairs: [Pair<'_>; WIDTH]) -> [[Self; WIDTH]; 2] {
        // Not by closures, which would not be compiled for this processor.
        let [mut first, mut second] = factors.map(|factor| [factor; WIDTH]);
        for (k, [a, b]) in pairs.into_iter().enumerate() {
            first[k] = first[k].times_plus(Self::new(&a[0]), Self::new(&b[0]));
            second[k] = second[k].times_plus(Self::new(&b[1]), Self::new(&a[1]));
        }
        [Self::turn(first), Self::turn(second)]
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
}

/// What [`Part`] says of all eight.
macro_rules! all_eight {
    () => {
        const COUNT: usize = WIDTH;

        #[inline(always)]
        fn part_of(numbers: &[f64; WIDTH], _: usize) -> Self {
            Self::new(numbers)
        }

        #[inline(always)]
        fn put(self, numbers: &mut [f64; WIDTH], _: usize) {
            *numbers = self.to_array();
        }
    };
}
pub(crate) use all_eight;

/// What [`Part`] says of all eight that are turned as [`Eight`] says.
macro_rules! turned_as_eight {
    () => {
        #[inline(always)]
        fn turn_into([a, b, c, d, e, f]: [Self; 6], rows: &mut [[f64; 6]]) {
            let nothing = Self::all(0.0);
            let turned = Self::turn([a, b, c, d, e, f, nothing, nothing]);
            for (row, turned) in rows.iter_mut().zip(turned) {
                let [a, b, c, d, e, f, _, _] = turned.to_array();
                *row = [a, b, c, d, e, f];
            }
        }
    };
}
pub(crate) use turned_as_eight;

/// What [`Part`] says of numbers that are summed up as they are.
macro_rules! own_sum {
    () => {
        type Sum = Self;

        #[inline(always)]
        fn no_sum() -> Self {
            Self::all(0.0)
        }

        #[inline(always)]
        fn add_to(self, sum: Self) -> Self {
            sum + self
        }

        fn total(sum: Self) -> f64 {
            let mut numbers = [0.0; WIDTH];
            sum.put(&mut numbers, 0);
            numbers.iter().sum()
        }
    };
}
pub(crate) use own_sum;

/// What [`Eight`] says of its only part.
macro_rules! only_part {
    () => {
        type Part = Self;

        #[inline(always)]
        fn part(self, _: usize) -> Self {
            self
        }

        #[inline(always)]
        fn part_of_truth(truth: Self::Truth, _: usize) -> Self::Truth {
            truth
        }
    };
}
pub(crate) use only_part;

#[cfg(test)]
mod tests;
