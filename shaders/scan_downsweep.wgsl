// Last of three kernels of a prefix sum: prefix sums within each block, on top of what comes before it.

//#include lib/dispatch.wgsl
//#include lib/scan.wgsl

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read> block_sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<vec4u>;

// Word of `counts` that says how many values there are.
override COUNT_INDEX: u32;

// One workgroup per block.
@compute @workgroup_size(SCAN_THREADS)
fn scan_downsweep(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let block = dispatch_workgroup(workgroup_id);
    let count = counts[COUNT_INDEX];
    if block >= scan_block_count(count) {
        return;
    }
    let first = (block * SCAN_THREADS + local_index) * SCAN_VECTORS;
    var old: array<vec4u, SCAN_VECTORS>;
    var sum = 0u;
    for (var i = 0u; i < SCAN_VECTORS; i++) {
        let vector = first + i;
        old[i] = values[vector];
        let valid = select(vec4u(), old[i], scan_elements(vector) < vec4u(count));
        sum += valid.x + valid.y + valid.z + valid.w;
    }
    var before = block_sums[block] + scan_workgroup(local_index, sum);
    for (var i = 0u; i < SCAN_VECTORS; i++) {
        let vector = first + i;
        if vector * 4u > count {
            return;
        }
        let valid = select(vec4u(), old[i], scan_elements(vector) < vec4u(count));
        let x = before + valid.x;
        let y = x + valid.y;
        let z = y + valid.z;
        // The element after the last one receives the total; those behind it stay as they are.
        values[vector] = select(old[i], vec4u(before, x, y, z), scan_elements(vector) <= vec4u(count));
        before = z + valid.w;
    }
}
