// Puts the copies in place of what they were copied from.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include bound/bodies_written.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
@group(0) @binding(1) var<storage, read> reordered: array<BodyWords>;
// Or motions.
@group(0) @binding(2) var<storage, read_write> bodies: array<Texel>;

const THREADS: u32 = 64u;

// One thread per grain.
@compute @workgroup_size(THREADS)
fn reorder_commit(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= status[STATUS_GRAINS] {
        return;
    }
    set_body_words(index, reordered[index]);
}
