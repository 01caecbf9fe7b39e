// Elementary functions with a relative error of a few f32 roundings over their whole range. WGSL asks
// less of the built-in ones: log may be wrong by 5e-7 near 1, where its value vanishes, pow by more.

// Keeps squares of lengths from 3e-29 to 2e9 within the range of f32.
const ACCURATE_LENGTH_SCALE: f32 = 4294967296.0;

// |v|, also where the square of v would vanish.
fn accurate_length(v: vec3f) -> f32 {
    return length(v * ACCURATE_LENGTH_SCALE) / ACCURATE_LENGTH_SCALE;
}

// ln x for x > 0: x = 2^k m with m between √½ and √2, ln m = 2 artanh z, z = (m − 1)/(m + 1).
fn accurate_log(x: f32) -> f32 {
    const ROOT_HALF_BITS: u32 = 0x3f3504f3u;
    const LN_2: f32 = 0.6931471805599453;
    let bits = bitcast<u32>(x);
    let k = bitcast<i32>(bits - ROOT_HALF_BITS) >> 23u;
    let m = bitcast<f32>(bits - (bitcast<u32>(k) << 23u));
    let z = (m - 1.0) / (m + 1.0);
    let square = z * z;
    let series = 1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0 + square * (1.0 / 9.0)));
    return f32(k) * LN_2 + 2.0 * z * (1.0 + square * series);
}

// ∛x for x ≥ 0: a guess from a third of the exponent, then Halley's iteration, which cubes the error.
fn accurate_cube_root(x: f32) -> f32 {
    const TWO_THIRDS_OF_ONE: u32 = 0x2a555555u;
    var root = bitcast<f32>(bitcast<u32>(x) / 3u + TWO_THIRDS_OF_ONE);
    for (var i = 0; i < 2; i++) {
        let cube = root * root * root;
        root *= (cube + 2.0 * x) / (2.0 * cube + x);
    }
    return select(0.0, root, x > 0.0);
}

// ⁵√x for x ≥ 0, in the same way.
fn accurate_fifth_root(x: f32) -> f32 {
    const FOUR_FIFTHS_OF_ONE: u32 = 0x32cccccdu;
    var root = bitcast<f32>(bitcast<u32>(x) / 5u + FOUR_FIFTHS_OF_ONE);
    for (var i = 0; i < 2; i++) {
        let square = root * root;
        let fifth = square * square * root;
        root *= (2.0 * fifth + 3.0 * x) / (3.0 * fifth + 2.0 * x);
    }
    return select(0.0, root, x > 0.0);
}

// ln(1 + x) for x ≥ 0, also where 1 + x would lose x: 2 artanh z, z = x/(2 + x), up to √2.
fn accurate_log_1p(x: f32) -> f32 {
    if x > 0.4 {
        return accurate_log(1.0 + x);
    }
    let z = x / (2.0 + x);
    let square = z * z;
    let series = 1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0 + square * (1.0 / 9.0)));
    return 2.0 * z * (1.0 + square * series);
}
