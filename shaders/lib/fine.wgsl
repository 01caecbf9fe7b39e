// Numbers with 32 significant bits, and sums of them that are exact: for what is summed over all grains, of which
// f32 would keep seven digits. All of it is integer arithmetic, which gives the same bits on every device and
// which no compiler may reassociate; pairs of f32 would have to trust it.
//#include lib/carry.wgsl
//#include lib/wide.wgsl

// mantissa 2^exponent, or less than zero; the highest bit of the mantissa is set, except in zero.
struct Fine {
    mantissa: u32,
    exponent: i32,
    negative: bool,
}

// The number nearest to whole 2^exponent.
fn fine_of(whole: vec2u, exponent: i32, negative: bool) -> Fine {
    if whole.y == 0u {
        let shift = countLeadingZeros(whole.x);
        // By 32 for zero, which WGSL does not shift by.
        return Fine(whole.x << (shift & 31u), exponent - i32(shift), negative);
    }
    let zeros = countLeadingZeros(whole.y);
    let leading = (whole.y << zeros) | ((whole.x >> 1u) >> (31u - zeros));
    // The highest of the bits that are dropped.
    let rounded = leading + ((whole.x >> (31u - zeros)) & 1u);
    let dropped = 32 - i32(zeros);
    if rounded == 0u {
        return Fine(0x80000000u, exponent + dropped + 1, negative);
    }
    return Fine(rounded, exponent + dropped, negative);
}

// A velocity or a spin with what rounding left of it, see lib/carry.wgsl: 34 bits, of which 32 are kept.
fn fine_of_carried(value: f32, steps: u32) -> Fine {
    // Numbers below 2⁻⁸⁹ count as zero.
    const LEAST_EXPONENT: u32 = 38u;
    let bits = bitcast<u32>(value);
    let exponent = (bits >> 23u) & 0xffu;
    if exponent < LEAST_EXPONENT {
        return Fine(0u, 0, false);
    }
    // In spacings towards zero, of which a power of two has twice as many.
    let fraction = bits & 0x7fffffu;
    let is_power = fraction == 0u;
    let spacings = select(fraction | 0x800000u, 0x1000000u, is_power);
    let spacing = i32(exponent) - 150 - select(0, 1, is_power);
    let negative = (bits & 0x80000000u) != 0u;
    let rest = i32(steps) - i32(CARRY_NONE);
    let size = wide_add(
        vec2u(spacings << CARRY_BITS, spacings >> (32u - CARRY_BITS)),
        long_of(select(rest, -rest, negative)),
    );
    return fine_of(size, spacing - i32(CARRY_BITS), negative);
}

fn fine_multiply(a: Fine, b: Fine) -> Fine {
    let product = wide_multiply(a.mantissa, b.mantissa);
    return fine_of(product, a.exponent + b.exponent, a.negative != b.negative);
}

// x − 1 for x close to 1; zero for zero.
fn fine_excess(x: Fine) -> f32 {
    let above = f32(x.mantissa - 0x80000000u) / 2147483648.0;
    let below = f32(0u - x.mantissa) / 4294967296.0;
    return select(select(0.0, -below, x.exponent == -32), above, x.exponent == -31);
}

// Sums are whole numbers of 2⁻⁹⁶ in 128 bits, two's complement, low word first. They have no order: the grains
// may lie in memory as they will.
const FIXED_BITS: i32 = 96;

fn fixed_add(a: vec4u, b: vec4u) -> vec4u {
    let low = wide_add(a.xy, b.xy);
    let carry = select(0u, 1u, wide_less(low, a.xy));
    return vec4u(low, wide_add(wide_add(a.zw, b.zw), vec2u(carry, 0u)));
}

// x, of which digits below 2⁻⁹⁶ are dropped.
fn fixed_of(x: Fine) -> vec4u {
    let place = x.exponent + FIXED_BITS;
    let word = place >> 5u;
    let shift = u32(place & 31);
    let places = vec4i(0, 1, 2, 3);
    let low = select(vec4u(0u), vec4u(x.mantissa << shift), places == vec4i(word));
    let high = select(vec4u(0u), vec4u((x.mantissa >> 1u) >> (31u - shift)), places == vec4i(word + 1));
    let size = low | high;
    return select(size, fixed_add(~size, vec4u(1u, 0u, 0u, 0u)), x.negative);
}
