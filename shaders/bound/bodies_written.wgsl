// Writes `bodies` of the kernel that includes it. Twin of bound/pictured_bodies_written.wgsl.
//#include lib/grains.wgsl
//#include lib/texels.wgsl

fn set_body_words(index: u32, words: BodyWords) {
    let first = BODY_TEXELS * index;
    bodies[first] = pack_four(words.position);
    bodies[first + 1u] = pack_four(words.velocity_radius);
    bodies[first + 2u] = pack_four(words.spin_traits);
}
