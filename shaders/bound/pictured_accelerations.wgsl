// Instead of bound/accelerations.wgsl where `accelerations` is a texture.
//#include lib/texels.wgsl

fn acceleration_texel(number: u32) -> vec4u {
    return textureLoad(accelerations, texel_place(number));
}
