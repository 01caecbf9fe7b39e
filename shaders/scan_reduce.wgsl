// First of three kernels of a prefix sum: the sum of each block of values.

//#include lib/dispatch.wgsl
//#include lib/scan.wgsl

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> block_sums: array<u32>;

// Word of `counts` that says how many values there are.
override COUNT_INDEX: u32;

// One workgroup per block.
@compute @workgroup_size(SCAN_THREADS)
fn scan_reduce(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let block = dispatch_workgroup(workgroup_id);
    if block >= scan_block_count(counts[COUNT_INDEX]) {
        return;
    }
    let first = (block * SCAN_THREADS + local_index) * SCAN_VECTORS;
    // What follows the last value may be summed too: nothing comes after the last block.
    var sums = vec4u();
    for (var vector = first; vector < first + SCAN_VECTORS; vector++) {
        sums += values[vector];
    }
    let sum = sums.x + sums.y + sums.z + sums.w;
    let before = scan_workgroup(local_index, sum);
    if local_index == SCAN_THREADS - 1u {
        block_sums[block] = before + sum;
    }
}
