// Replaces the old slots, with what their contacts remember, by the new ones.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
@group(0) @binding(1) var<storage, read> new_slots: array<vec2u>;
@group(0) @binding(2) var<storage, read> new_histories: array<vec4f>;
@group(0) @binding(3) var<storage, read> new_extras: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> slots: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> histories: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> extras: array<vec4f>;

// Whether any law uses `extras`.
override WITH_EXTRAS: bool;

const THREADS: u32 = 64u;

// One thread per slot.
@compute @workgroup_size(THREADS)
fn commit_slots(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let slot = dispatch_thread(workgroup_id, local_index, THREADS);
    if slot >= status[STATUS_SLOTS] {
        return;
    }
    slots[slot] = new_slots[slot];
    histories[slot] = new_histories[slot];
    if WITH_EXTRAS {
        extras[2u * slot] = new_extras[2u * slot];
        extras[2u * slot + 1u] = new_extras[2u * slot + 1u];
    }
}
