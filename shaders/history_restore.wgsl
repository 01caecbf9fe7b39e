// Gives the contacts among the new slots what they remember, and starts the paths of the grains anew.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/saved.wgsl
//#include bound/accelerations.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
// Where contacts are saved.
@group(0) @binding(2) var<storage, read> accelerations: array<Texel>;
@group(0) @binding(3) var<storage, read> saved_extras: array<vec4u>;
// Second words: places of saved contacts, which what was saved replaces.
@group(0) @binding(4) var<storage, read_write> slots: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> histories: array<vec4u>;
@group(0) @binding(6) var<storage, read_write> extras: array<vec4u>;
@group(0) @binding(7) var<storage, read_write> motions: array<Motion>;
@group(0) @binding(8) var<uniform> params: StepParams;

// Whether any law uses `extras`.
override WITH_EXTRAS: bool;

const THREADS: u32 = 64u;

// One thread per grain.
@compute @workgroup_size(THREADS)
fn history_restore(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= status[STATUS_GRAINS] {
        return;
    }
    motions[index].path = 0u;
    let end = starts[index + 1u];
    for (var slot = starts[index]; slot < end; slot++) {
        let entry = slots[slot];
        let place = entry.y;
        if place == SAVED_NONE {
            slots[slot].y = 0u;
            continue;
        }
        let roots = acceleration_texel(saved_root_texel(place, params.contact_capacity));
        slots[slot] = vec2u(entry.x | SLOT_TOUCHING, roots[place % ROOTS_PER_TEXEL]);
        histories[slot] = acceleration_texel(place);
        if WITH_EXTRAS {
            extras[2u * slot] = saved_extras[2u * place];
            extras[2u * slot + 1u] = saved_extras[2u * place + 1u];
        }
    }
}
