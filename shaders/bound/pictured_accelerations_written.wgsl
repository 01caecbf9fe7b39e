// Instead of bound/accelerations_written.wgsl where `accelerations` is a texture.
//#include lib/texels.wgsl

fn set_acceleration_texel(number: u32, words: vec4u) {
    textureStore(accelerations, texel_place(number), words);
}
