//! What rounding to `f32` leaves of velocities and spins, and rounding to units of positions: the host's
//! side of `shaders/lib/carry.wgsl` and of `rests` in `shaders/lib/grains.wgsl`.

use super::layout::single;

const BITS: u32 = 10;
const STEPS: f64 = 1024.0;
const MASK: u32 = 1023;
const NONE: f64 = 512.0;

/// Bit of a grain that has left the domain.
pub(crate) const CARRY_LEFT: u32 = 0x8000_0000;

/// Distance from x to the nearest `f32` towards zero; numbers below 2⁻⁹⁰ count as that.
fn spacing(x: f32) -> f64 {
    const LEAST_EXPONENT: u32 = 37 << 23;
    let below = (x.to_bits() & 0x7fff_ffff).max(LEAST_EXPONENT + 1) - 1;
    f64::from(f32::from_bits((below & 0x7f80_0000) - (23 << 23)))
}

/// Splits numbers into `f32` and what that leaves.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to ten bits"
)]
pub(crate) fn split(x: [f64; 3]) -> ([f32; 3], u32) {
    let rounded = x.map(single);
    let mut word = 0;
    for axis in 0..3 {
        let rest = (x[axis] - f64::from(rounded[axis])) / spacing(rounded[axis]);
        let steps = ((rest * STEPS).round() + NONE).clamp(1.0, STEPS - 1.0) as u32;
        word |= steps << (BITS * axis as u32);
    }
    (rounded, word)
}

/// Puts them together again.
pub(crate) fn join(x: [f32; 3], word: u32) -> [f64; 3] {
    let mut shift = 0;
    x.map(|x| {
        let steps = f64::from(word >> shift & MASK);
        shift += BITS;
        f64::from(x) + (steps - NONE) / STEPS * spacing(x)
    })
}

const REMAINDER_BITS: u32 = 22;
const REMAINDER_MASK: u32 = 0x3f_ffff;
const REMAINDER_STEPS: f64 = 4_194_304.0;

/// What is left of a position, in units, and the word that [`split`] leaves of a spin, by axis.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 22 bits"
)]
pub(crate) fn pack_rests(remainder: [f64; 3], spin: u32) -> [u32; 3] {
    std::array::from_fn(|axis| {
        let steps = (remainder[axis] * REMAINDER_STEPS).round_ties_even() + 0.5 * REMAINDER_STEPS;
        let carry = spin >> (BITS * axis as u32) & MASK;
        steps.clamp(0.0, REMAINDER_STEPS - 1.0) as u32 | carry << REMAINDER_BITS
    })
}

/// Takes them apart again.
pub(crate) fn unpack_rests(rests: [u32; 3]) -> ([f64; 3], u32) {
    let remainder = |rest: u32| f64::from(rest & REMAINDER_MASK) / REMAINDER_STEPS - 0.5;
    let [x, y, z] = rests.map(|rest| rest >> REMAINDER_BITS);
    (rests.map(remainder), x | y << BITS | z << (2 * BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_splits_alike() {
        let numbers = [
            0.0,
            1.0,
            -1.0,
            0.3,
            1e-3,
            -7.7e-6,
            1.0 - 1e-9,
            2.0 + 1e-8,
            1e-30,
        ];
        for &x in &numbers {
            for unit in [1.0, 0.1, 3.7e-5] {
                let (rounded, word) = split([x, -x, 0.5 * x]);
                let si = join(rounded, word).map(|x| x * unit);
                assert_eq!(split(si.map(|x| x / unit)), (rounded, word), "{x}");
                let off = (join(rounded, word)[0] - x).abs();
                assert!(off <= 1e-3 * spacing(rounded[0]), "{x}: {off}");
            }
        }
    }

    #[test]
    fn rests_come_apart_as_they_were() {
        let step = 1.0 / REMAINDER_STEPS;
        for remainder in [[0.0, 0.5 - step, -0.5], [step, -step, 0.25 + 3.0 * step]] {
            for spin in [0, 512 | 512 << 10 | 512 << 20, 1 | 1023 << 10 | 77 << 20] {
                let rests = pack_rests(remainder, spin);
                assert_eq!(unpack_rests(rests), (remainder, spin));
            }
        }
        // There is no step for ½ itself.
        let ([x, y, z], _) = unpack_rests(pack_rests([0.5, 0.4 * step, -0.6 * step], 0));
        assert_eq!([x, y, z], [0.5 - step, 0.0, -step]);
    }
}
