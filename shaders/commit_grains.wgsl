// Puts the grains into their new order, now that the new list is known to fit.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
@group(0) @binding(1) var<storage, read> new_bodies: array<Body>;
@group(0) @binding(2) var<storage, read> new_motions: array<Motion>;
@group(0) @binding(3) var<storage, read> new_starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> bodies: array<Body>;
@group(0) @binding(5) var<storage, read_write> motions: array<Motion>;
@group(0) @binding(6) var<storage, read_write> starts: array<u32>;

const THREADS: u32 = 64u;

// One thread per grain, and one for the end of the last one's slots.
@compute @workgroup_size(THREADS)
fn commit_grains(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    let count = status[STATUS_GRAINS];
    if index > count {
        return;
    }
    starts[index] = new_starts[index];
    if index < count {
        bodies[index] = new_bodies[index];
        motions[index] = new_motions[index];
    }
}
