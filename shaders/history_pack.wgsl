// Puts the roots of the overlaps of saved contacts behind the rest of what they remember, four in a texel.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/saved.wgsl
//#include bound/accelerations_written.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> status: array<u32>;
// For now, roots.
@group(0) @binding(2) var<storage, read> partners: array<u32>;
@group(0) @binding(3) var<storage, read_write> accelerations: array<Texel>;

const THREADS: u32 = 64u;

// Roots beyond the last one are of nobody.
fn root_at(place: u32, saved: u32) -> u32 {
    return partners[min(place, saved - 1u)];
}

// One thread per grain, which there may be fewer of than texels.
@compute @workgroup_size(THREADS)
fn history_pack(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let grains = status[STATUS_GRAINS];
    let saved = status[STATUS_SAVED];
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= grains {
        return;
    }
    for (var first = ROOTS_PER_TEXEL * index; first < saved; first += ROOTS_PER_TEXEL * grains) {
        set_acceleration_texel(saved_root_texel(first, params.contact_capacity), vec4u(
            root_at(first, saved),
            root_at(first + 1u, saved),
            root_at(first + 2u, saved),
            root_at(first + 3u, saved),
        ));
    }
}
