// Sums that remember what rounding took, so that a small kick at every step is not always rounded the
// same way. Differences are taken in integers, which no compiler reassociates. The host's side is
// src/gpu/carry.rs.

const CARRY_BITS: u32 = 10u;
const CARRY_STEPS: f32 = 1024.0;
const CARRY_NONE: u32 = 512u;
const CARRY_MASK: u32 = 1023u;

// A number and what rounding left of it, in steps of a part of its spacing.
struct Carried {
    value: f32,
    steps: u32,
}

// Distance from x to the nearest f32 towards zero, a power of two; numbers below 2⁻⁹⁰ count as that.
fn carry_spacing(x: f32) -> f32 {
    const LEAST_EXPONENT: u32 = 37u << 23u;
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    // A power of two has its nearest neighbour below.
    let below = max(bits, LEAST_EXPONENT + 1u) - 1u;
    return bitcast<f32>((below & 0x7f800000u) - (23u << 23u));
}

fn carry_rest(steps: u32) -> f32 {
    return (f32(steps) - f32(CARRY_NONE)) / CARRY_STEPS;
}

// value + rest + summand, rounded, and what that leaves.
fn carry_add(before: Carried, summand: f32) -> Carried {
    let spacing = carry_spacing(before.value);
    let rest = summand + carry_rest(before.steps) * spacing;
    let value = before.value + rest;
    let new_spacing = carry_spacing(value);
    let fine = min(spacing, new_spacing);
    // Of numbers so different the smaller is not lost.
    if !(max(abs(before.value), abs(value)) < fine * 1073741824.0) {
        return Carried(value, CARRY_NONE);
    }
    let difference = i32(before.value / fine) - i32(value / fine);
    let left = (f32(difference) * fine + rest) / new_spacing;
    // Less than half a spacing, so that value and rest can be told apart again.
    let steps = clamp(round(left * CARRY_STEPS) + f32(CARRY_NONE), 1.0, CARRY_STEPS - 1.0);
    return Carried(value, u32(steps));
}

// The same for three numbers, whose steps share a word.
struct CarriedVector {
    value: vec3f,
    steps: u32,
}

fn carry_add_vector(value: vec3f, steps: u32, summand: vec3f) -> CarriedVector {
    let x = carry_add(Carried(value.x, steps & CARRY_MASK), summand.x);
    let y = carry_add(Carried(value.y, (steps >> CARRY_BITS) & CARRY_MASK), summand.y);
    let z = carry_add(Carried(value.z, (steps >> (2u * CARRY_BITS)) & CARRY_MASK), summand.z);
    let word = x.steps | (y.steps << CARRY_BITS) | (z.steps << (2u * CARRY_BITS));
    return CarriedVector(vec3f(x.value, y.value, z.value), word);
}
