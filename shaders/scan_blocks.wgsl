// Second of three kernels of a prefix sum: prefix sums of the sums of blocks, in place.

//#include lib/scan.wgsl

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> block_sums: array<u32>;

// Word of `counts` that says how many values there are.
override COUNT_INDEX: u32;

// One workgroup for all blocks; each thread takes a contiguous share.
@compute @workgroup_size(SCAN_THREADS)
fn scan_blocks(@builtin(local_invocation_index) local_index: u32) {
    let block_count = scan_block_count(counts[COUNT_INDEX]);
    let share = (block_count + SCAN_THREADS - 1u) / SCAN_THREADS;
    let first = min(local_index * share, block_count);
    let end = min(first + share, block_count);
    var sum = 0u;
    for (var block = first; block < end; block++) {
        sum += block_sums[block];
    }
    var before = scan_workgroup(local_index, sum);
    for (var block = first; block < end; block++) {
        let next = before + block_sums[block];
        block_sums[block] = before;
        before = next;
    }
}
