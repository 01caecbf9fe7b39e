// Brings the grains into the order of their cells.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
@group(0) @binding(1) var<storage, read> sorted_pairs: array<vec2u>;
@group(0) @binding(2) var<storage, read> bodies: array<Body>;
@group(0) @binding(3) var<storage, read> motions: array<Motion>;
@group(0) @binding(4) var<storage, read_write> new_bodies: array<Body>;
@group(0) @binding(5) var<storage, read_write> new_motions: array<Motion>;

const THREADS: u32 = 64u;

// One thread per grain.
@compute @workgroup_size(THREADS)
fn reorder(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= status[STATUS_GRAINS] {
        return;
    }
    let old = sorted_pairs[index].y;
    new_bodies[index] = bodies[old];
    var motion = motions[old];
    motion.path = 0.0;
    new_motions[index] = motion;
}
