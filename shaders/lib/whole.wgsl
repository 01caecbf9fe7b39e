// Numbers without what is behind their points, as integers that hold them. Twin of lib/whole_bits.wgsl, which takes its place
// on software devices; of numbers that no integer holds each makes something else.

// Of numbers that are not negative.
fn whole_size(x: f32) -> u32 {
    return u32(x);
}

fn whole_number(x: f32) -> i32 {
    return i32(x);
}

fn whole_sizes(x: vec3f) -> vec3u {
    return vec3u(x);
}

fn whole_numbers(x: vec3f) -> vec3i {
    return vec3i(x);
}
