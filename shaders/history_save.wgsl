// Puts aside what contacts remember, so that their slots can be listed anew in the same memory.
//
// Which place a contact gets depends on who comes first; what is found there does not.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/saved.wgsl
//#include bound/accelerations_written.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> slots: array<vec2u>;
// Bits of floats, which nothing may round.
@group(0) @binding(3) var<storage, read> histories: array<vec4u>;
@group(0) @binding(4) var<storage, read> extras: array<vec4u>;
@group(0) @binding(5) var<storage, read_write> motions: array<Motion>;
// Where spring and normal force are saved.
@group(0) @binding(6) var<storage, read_write> accelerations: array<Texel>;
@group(0) @binding(7) var<storage, read_write> saved_extras: array<vec4u>;
@group(0) @binding(8) var<storage, read_write> status: array<atomic<u32>>;

// Whether any law uses `extras`.
override WITH_EXTRAS: bool;

const THREADS: u32 = 64u;

// One thread per grain.
@compute @workgroup_size(THREADS)
fn history_save(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= atomicLoad(&status[STATUS_GRAINS]) {
        return;
    }
    let end = starts[index + 1u];
    var count = 0u;
    for (var slot = starts[index]; slot < end; slot++) {
        if is_saved(slots[slot].x) {
            count++;
        }
    }
    if count == 0u {
        motions[index].path = SAVED_NONE;
        return;
    }
    var place = atomicAdd(&status[STATUS_SAVED], count);
    motions[index].path = place;
    // Without room for all of them, none is needed: the old list stays.
    if place + count > params.contact_capacity {
        return;
    }
    for (var slot = starts[index]; slot < end; slot++) {
        if !is_saved(slots[slot].x) {
            continue;
        }
        set_acceleration_texel(place, histories[slot]);
        if WITH_EXTRAS {
            saved_extras[2u * place] = extras[2u * slot];
            saved_extras[2u * place + 1u] = extras[2u * slot + 1u];
        }
        place++;
    }
}
