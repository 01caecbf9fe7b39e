// Copies what there is of each grain in the order of the cells.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/cells.wgsl
//#include lib/grains.wgsl
//#include bound/bodies.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
// Or motions.
@group(0) @binding(1) var<storage, read> bodies: array<Texel>;
// Never written: another part of the same buffer is, which WebGPU allows only if both may be.
@group(0) @binding(2) var<storage, read_write> sorted_pairs: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> reordered: array<BodyWords>;

const THREADS: u32 = 64u;

// One thread per grain.
@compute @workgroup_size(THREADS)
fn reorder_copy(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= status[STATUS_GRAINS] {
        return;
    }
    reordered[index] = body_words(sorted_place(sorted_pairs[index]));
}
