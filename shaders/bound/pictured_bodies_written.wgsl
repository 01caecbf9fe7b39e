// Instead of bound/bodies_written.wgsl where `bodies` is a texture.
//#include lib/grains.wgsl
//#include lib/texels.wgsl

fn set_body_words(index: u32, words: BodyWords) {
    let first = BODY_TEXELS * index;
    textureStore(bodies, texel_place(first), words.position);
    textureStore(bodies, texel_place(first + 1u), words.velocity_radius);
    textureStore(bodies, texel_place(first + 2u), words.spin_traits);
}
