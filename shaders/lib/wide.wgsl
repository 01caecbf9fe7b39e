// Whole numbers beyond 32 bits, for walls: `long` is a vec2u of 64 bits in two's complement, `triple` a
// vec3u of 96 bits without sign, low words first.
//#include lib/position.wgsl

// a b in 64 bits.
fn wide_multiply(a: u32, b: u32) -> vec2u {
    let a_low = a & 0xffffu;
    let a_high = a >> 16u;
    let b_low = b & 0xffffu;
    let b_high = b >> 16u;
    let cross = wide_add(vec2u(a_low * b_high, 0u), vec2u(a_high * b_low, 0u));
    return wide_add(
        vec2u(a_low * b_low, a_high * b_high),
        vec2u(cross.x << 16u, (cross.y << 16u) | (cross.x >> 16u)),
    );
}

fn long_is_negative(a: vec2u) -> bool {
    return (a.y & 0x80000000u) != 0u;
}

fn long_negate(a: vec2u) -> vec2u {
    return wide_subtract(vec2u(0u), a);
}

fn long_abs(a: vec2u) -> vec2u {
    return select(a, long_negate(a), long_is_negative(a));
}

fn long_of(a: i32) -> vec2u {
    return vec2u(bitcast<u32>(a), select(0u, 0xffffffffu, a < 0));
}

fn long_float(a: vec2u) -> f32 {
    return select(1.0, -1.0, long_is_negative(a)) * wide_float(long_abs(a));
}

// The whole number nearest to x ≥ 0, below 2⁶³.
fn long_from_float(x: f32) -> vec2u {
    let whole = round(x);
    let high = floor(whole / 4294967296.0);
    return vec2u(u32(whole - high * 4294967296.0), u32(high));
}

// As an i32, or its largest or smallest number.
fn long_clamp(a: vec2u) -> i32 {
    if long_is_negative(a) {
        let fits = a.y == 0xffffffffu && a.x >= 0x80000000u;
        return select(-0x7fffffff, bitcast<i32>(a.x), fits);
    }
    return select(0x7fffffff, bitcast<i32>(a.x), a.y == 0u && a.x < 0x80000000u);
}

// A number times a factor of 30 binary places: whole part rounded towards zero, and rest.
struct Scaled {
    whole: vec2u,
    rest: f32,
}

const SCALE_BITS: u32 = 30u;

// For |a| < 2⁶⁰ and |factor| ≤ 2³⁰.
fn long_scale(a: vec2u, factor: i32) -> Scaled {
    let size = long_abs(a);
    let by = u32(abs(factor));
    let low = wide_multiply(size.x, by);
    let high = wide_add(wide_multiply(size.y, by), vec2u(low.y, 0u));
    // Ninety-six bits: low.x, high.x, high.y.
    let rest = low.x & ((1u << SCALE_BITS) - 1u);
    let whole = vec2u(
        (low.x >> SCALE_BITS) | (high.x << (32u - SCALE_BITS)),
        (high.x >> SCALE_BITS) | (high.y << (32u - SCALE_BITS)),
    );
    let part = f32(rest) / f32(1u << SCALE_BITS);
    if long_is_negative(a) != (factor < 0) {
        return Scaled(long_negate(whole), -part);
    }
    return Scaled(whole, part);
}

fn scaled_add(a: Scaled, b: Scaled) -> Scaled {
    return Scaled(wide_add(a.whole, b.whole), a.rest + b.rest);
}

fn triple_add(a: vec3u, b: vec3u) -> vec3u {
    let low = wide_add(a.xy, b.xy);
    let carry = select(0u, 1u, wide_less(low, a.xy));
    return vec3u(low, a.z + b.z + carry);
}

fn triple_less(a: vec3u, b: vec3u) -> bool {
    return a.z < b.z || (a.z == b.z && wide_less(a.xy, b.xy));
}

fn triple_subtract(a: vec3u, b: vec3u) -> vec3u {
    let borrow = select(0u, 1u, wide_less(a.xy, b.xy));
    return vec3u(wide_subtract(a.xy, b.xy), a.z - b.z - borrow);
}

// a² for |a| < 2⁴⁷.
fn long_square(a: vec2u) -> vec3u {
    let size = long_abs(a);
    let low = wide_multiply(size.x, size.x);
    let cross = wide_multiply(size.x, size.y);
    let high = size.y * size.y;
    let sum = triple_add(vec3u(low, 0u), vec3u(0u, cross.x << 1u, (cross.y << 1u) | (cross.x >> 31u)));
    return vec3u(sum.xy, sum.z + high);
}

fn triple_float(a: vec3u) -> f32 {
    if a.z == 0u {
        return wide_float(a.xy);
    }
    // The lowest word is less than the rounding of the other two.
    return wide_float(a.yz) * 4294967296.0;
}

// (|v|² − size²)/(|v| + size): how much longer v is than `size`, without cancellation.
fn long_excess(v_x: vec2u, v_y: vec2u, v_z: vec2u, length: f32, size: vec2u) -> f32 {
    let square = triple_add(triple_add(long_square(v_x), long_square(v_y)), long_square(v_z));
    let size_square = long_square(size);
    let shorter = triple_less(square, size_square);
    let difference = triple_float(select(
        triple_subtract(square, size_square),
        triple_subtract(size_square, square),
        shorter,
    ));
    return select(1.0, -1.0, shorter) * difference / max(length + long_float(long_abs(size)), 1.0);
}
