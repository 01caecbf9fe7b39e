// Instead of lib/whole.wgsl where the processor does the work: Mesa's software device, from its version 24 or so on, turns
// floats into integers thread by thread. The same integers from the bits of floats.

// Of numbers that are not negative and less than 2³².
fn whole_size(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    // From where the leading digit is in a word with all its bits to where it belongs.
    let shift = 158u - ((bits >> 23u) & 255u);
    return select(((bits << 8u) | 0x80000000u) >> (shift & 31u), 0u, shift > 31u);
}

fn whole_number(x: f32) -> i32 {
    let size = bitcast<i32>(whole_size(x));
    return select(size, -size, x < 0.0);
}

fn whole_sizes(x: vec3f) -> vec3u {
    return vec3u(whole_size(x.x), whole_size(x.y), whole_size(x.z));
}

fn whole_numbers(x: vec3f) -> vec3i {
    return vec3i(whole_number(x.x), whole_number(x.y), whole_number(x.z));
}
