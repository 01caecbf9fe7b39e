// Reads `bodies` of the kernel that includes it. Twin of bound/pictured_bodies.wgsl.
//#include lib/grains.wgsl
//#include lib/texels.wgsl

fn body_words(index: u32) -> BodyWords {
    let first = BODY_TEXELS * index;
    return BodyWords(
        unpack_four(bodies[first]),
        unpack_four(bodies[first + 1u]),
        unpack_four(bodies[first + 2u]),
    );
}
