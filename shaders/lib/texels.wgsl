// Memory of four words each: of bodies, and of accelerations. On software devices it is a texture, whose declaration
// src/gpu/shader.rs puts in the place of that of an array of these.
//#include lib/words.wgsl

alias Texel = FourWords;

// Texels in a row of a texture; host: `ROW_TEXELS` of src/gpu/texels.rs.
const ROW_TEXELS: u32 = 4096u;

fn texel_place(number: u32) -> vec2u {
    return vec2u(number % ROW_TEXELS, number / ROW_TEXELS);
}
