// Reads `accelerations` of the kernel that includes it. Twin of bound/pictured_accelerations.wgsl.
//#include lib/texels.wgsl

fn acceleration_texel(number: u32) -> vec4u {
    return unpack_four(accelerations[number]);
}
