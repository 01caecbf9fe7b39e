// First kernel of a new neighbour list: the cell of each grain, as a key to sort by.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/cells.wgsl
//#include bound/bodies.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> status: array<u32>;
@group(0) @binding(2) var<storage, read> bodies: array<Texel>;
// Key, and place in memory.
@group(0) @binding(3) var<storage, read_write> pairs: array<vec2u>;

// Number of classes of sizes.
override CLASS_COUNT: u32;

const THREADS: u32 = 64u;

// One thread per grain.
@compute @workgroup_size(THREADS)
fn cell_keys(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= status[STATUS_GRAINS] {
        return;
    }
    let body = body_of(body_words(index));
    let class_number = class_of(body.radius);
    var rank = 0u;
    while rank + 1u < CLASS_COUNT && params.classes[rank].x != class_number {
        rank++;
    }
    let cell = class_cell(params.grid, body.position, class_number);
    pairs[index] = vec2u(cell_key(cell, params.axis_bits, rank), index);
}
