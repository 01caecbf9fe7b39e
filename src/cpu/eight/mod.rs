//! Eight numbers at a time.
//!
//! Compilers do not keep arrays of eight in registers: hence a type for each kind of processor that stays there. Each
//! operation rounds each number as `f64` does, so all types give the same bits.

mod any;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod two;

use crate::laws::number::Number;
pub(crate) use any::AnyEight;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::{Avx2Eight, Avx2Half};
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::{Avx512Eight, Avx512Sixteen};

/// How many numbers go together.
pub(crate) const WIDTH: usize = 8;

/// Two times two rows of numbers.
pub(crate) type Pair<'a> = [&'a [[f64; WIDTH]; 2]; 2];

/// Who has such rows. Not a closure, which compilers do not always inline.
pub(crate) trait PairsOfBlocks {
    /// Of block b.
    fn of(&self, b: usize) -> [Pair<'_>; WIDTH];
}

/// Numbers in one register or in several.
pub(crate) trait Several: Number {
    /// What one register holds of them.
    type Register: Part<Register = Self::Register>;

    /// The sum of all registers; of numbers that are not rounded by that.
    fn summed(self) -> Self::Register;
}

/// Some of eight numbers, or all: those that undergo the same operations at a time.
pub(crate) trait Part: Several {
    /// How many.
    const COUNT: usize;

    /// Of eight numbers those from one on.
    fn part_of(numbers: &[f64; WIDTH], first: usize) -> Self;

    /// Puts them where [`part_of`](Self::part_of) finds them.
    fn put(self, numbers: &mut [f64; WIDTH], first: usize);

    /// Number l of column k becomes number k of row l, for as many rows.
    fn turn_into(columns: [Self; 6], rows: &mut [[f64; 6]]);

    /// The same, past all caches where there are instructions for whole lines; others see it after a fence.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    fn turn_past_caches(columns: [Self; 6], rows: &mut [[f64; 6]]) {
        Self::turn_into(columns, rows);
    }

    /// Roots of two registers.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    fn two_roots([a, b]: [Self; 2]) -> [Self; 2] {
        [a.root(), b.root()]
    }
}

/// Has all that went [past the caches](Part::turn_past_caches) be in memory before what follows: nothing else makes other threads see
/// it in time.
pub(crate) fn have_written() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every such processor has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// As many numbers as are worked out side by side: those of one block of eight or of two.
pub(crate) trait Lot: Several {
    /// Those of one block.
    type Block: Eight;

    /// Number of blocks.
    const BLOCKS: usize;

    /// Register k of them.
    fn register(self, k: usize) -> Self::Register;

    /// What is true of it.
    fn register_of_truth(truth: Self::Truth, k: usize) -> <Self::Register as Number>::Truth;

    /// Those of block b.
    fn block(self, b: usize) -> Self::Block;

    /// What is true of them.
    fn block_of_truth(truth: Self::Truth, b: usize) -> <Self::Block as Number>::Truth;

    /// The same numbers for each block.
    fn repeated(numbers: Self::Block) -> Self;

    /// [`Eight::new`] for each block.
    fn of_blocks<'a>(numbers: impl Fn(usize) -> &'a [f64; WIDTH]) -> Self;

    /// What is true of none.
    fn nowhere() -> Self::Truth;

    /// [`Eight::highest_bits`] for each block.
    fn highest_bits_of<'a>(words: impl Fn(usize) -> &'a [u32; WIDTH]) -> Self::Truth;

    /// [`Eight::turn_pairs`] for each block.
    fn turn_pairs_of(factors: [Self::Block; 2], pairs: &impl PairsOfBlocks) -> [[Self; WIDTH]; 2];
}

/// Eight numbers.
pub(crate) trait Eight: Part + Lot<Block = Self> {
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
        for k in 0..WIDTH {
            let [a, b] = pairs[k];
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

/// Numbers that one register holds.
macro_rules! one_register {
    ($numbers:ident) => {
        impl Several for $numbers {
            type Register = Self;

            #[inline(always)]
            fn summed(self) -> Self {
                self
            }
        }
    };
}
pub(crate) use one_register;

/// What [`Lot`] says of its only register.
macro_rules! only_register {
    () => {
        #[inline(always)]
        fn register(self, _: usize) -> Self {
            self
        }

        #[inline(always)]
        fn register_of_truth(truth: Self::Truth, _: usize) -> Self::Truth {
            truth
        }
    };
}
pub(crate) use only_register;

/// What [`Lot`] says of its only block.
macro_rules! one_block {
    () => {
        type Block = Self;
        const BLOCKS: usize = 1;

        #[inline(always)]
        fn block(self, _: usize) -> Self {
            self
        }

        #[inline(always)]
        fn block_of_truth(truth: Self::Truth, _: usize) -> Self::Truth {
            truth
        }

        #[inline(always)]
        fn repeated(numbers: Self) -> Self {
            numbers
        }

        #[inline(always)]
        fn of_blocks<'a>(numbers: impl Fn(usize) -> &'a [f64; WIDTH]) -> Self {
            Self::new(numbers(0))
        }

        #[inline(always)]
        fn nowhere() -> Self::Truth {
            Self::truth(0)
        }

        #[inline(always)]
        fn highest_bits_of<'a>(words: impl Fn(usize) -> &'a [u32; WIDTH]) -> Self::Truth {
            Self::highest_bits(words(0))
        }

        #[inline(always)]
        fn turn_pairs_of(factors: [Self; 2], pairs: &impl PairsOfBlocks) -> [[Self; WIDTH]; 2] {
            Self::turn_pairs(factors, pairs.of(0))
        }
    };
}
pub(crate) use one_block;

#[cfg(test)]
mod tests;
