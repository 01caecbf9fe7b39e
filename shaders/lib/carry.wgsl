// Sums that remember what rounding took, so that a small kick at every step is not always rounded the
// same way. Differences are taken in integers, which no compiler reassociates. The host's side is
// src/gpu/carry.rs.
//#include lib/whole.wgsl

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

// 1/x of a power of two, exactly.
fn carry_inverse(spacing: f32) -> f32 {
    return bitcast<f32>((254u << 23u) - bitcast<u32>(spacing));
}

fn carry_rest(steps: u32) -> f32 {
    return (f32(steps) - f32(CARRY_NONE)) / CARRY_STEPS;
}

// The leading 12 bits of each number. Products of such numbers are exact, and so are sums of a few that are not
// too different; so is what is left if they are subtracted.
fn carry_leading(x: vec3f) -> vec3f {
    return bitcast<vec3f>(bitcast<vec3u>(x) & vec3u(0xfffff000u));
}

// value + rest + summand + more, rounded, and what that leaves; `more` is small against the summand.
fn carry_add(before: Carried, summand: f32, more: f32) -> Carried {
    let swaps = abs(summand) > abs(before.value);
    let large = select(before.value, summand, swaps);
    let small = select(summand, before.value, swaps);
    let spacing = carry_spacing(large);
    // Whole spacings apart from the rest, whose digits their sum would lose.
    let whole = round(small * carry_inverse(spacing)) * spacing;
    let rest = (small - whole) + more + carry_rest(before.steps) * carry_spacing(before.value);
    let value = (large + whole) + rest;
    let new_spacing = carry_spacing(value);
    let fine = min(spacing, new_spacing);
    // Of numbers so different the smaller is not lost.
    if !(max(abs(large), abs(value)) < fine * 1073741824.0) {
        return Carried(value, CARRY_NONE);
    }
    let per_fine = carry_inverse(fine);
    let difference = whole_number(large * per_fine) - whole_number(value * per_fine)
        + whole_number(whole * per_fine);
    let left = (f32(difference) * fine + rest) * carry_inverse(new_spacing);
    // The two sums may both have been rounded the same way.
    let missed = round(left);
    // Less than half a spacing, so that value and rest can be told apart again.
    let steps = clamp(round((left - missed) * CARRY_STEPS) + f32(CARRY_NONE), 1.0, CARRY_STEPS - 1.0);
    return Carried(value + missed * new_spacing, whole_size(steps));
}

// The same for three numbers, whose steps share a word.
struct CarriedVector {
    value: vec3f,
    steps: u32,
}

const CARRY_NONE_VECTOR: u32 = 0x20080200u;

// What rounding left of three numbers.
fn carry_rests(vector: CarriedVector) -> vec3f {
    let steps = (vec3u(vector.steps) >> vec3u(0u, CARRY_BITS, 2u * CARRY_BITS)) & vec3u(CARRY_MASK);
    return vec3f(
        carry_rest(steps.x) * carry_spacing(vector.value.x),
        carry_rest(steps.y) * carry_spacing(vector.value.y),
        carry_rest(steps.z) * carry_spacing(vector.value.z),
    );
}

fn carry_add_vector(before: CarriedVector, summand: vec3f, more: vec3f) -> CarriedVector {
    let steps = (vec3u(before.steps) >> vec3u(0u, CARRY_BITS, 2u * CARRY_BITS)) & vec3u(CARRY_MASK);
    let x = carry_add(Carried(before.value.x, steps.x), summand.x, more.x);
    let y = carry_add(Carried(before.value.y, steps.y), summand.y, more.y);
    let z = carry_add(Carried(before.value.z, steps.z), summand.z, more.z);
    let word = x.steps | (y.steps << CARRY_BITS) | (z.steps << (2u * CARRY_BITS));
    return CarriedVector(vec3f(x.value, y.value, z.value), word);
}
