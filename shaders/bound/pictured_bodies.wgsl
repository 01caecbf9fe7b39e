// Instead of bound/bodies.wgsl where `bodies` is a texture: software devices read those without going through their
// threads one by one.
//#include lib/grains.wgsl
//#include lib/texels.wgsl

fn body_words(index: u32) -> BodyWords {
    let first = BODY_TEXELS * index;
    return BodyWords(
        textureLoad(bodies, texel_place(first)),
        textureLoad(bodies, texel_place(first + 1u)),
        textureLoad(bodies, texel_place(first + 2u)),
    );
}
