// Writes `accelerations` of the kernel that includes it. Twin of bound/pictured_accelerations_written.wgsl.
//#include lib/texels.wgsl

fn set_acceleration_texel(number: u32, words: vec4u) {
    accelerations[number] = pack_four(words);
}
