// First of three kernels of a round of the radix sort: how often each digit occurs in each block.

//#include lib/dispatch.wgsl
//#include lib/sort.wgsl

@group(0) @binding(0) var<uniform> round: SortRound;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read> pairs: array<vec2u>;
// One row per digit, one column per block.
@group(0) @binding(3) var<storage, read_write> digit_counts: array<u32>;

// Word of `counts` that says how many pairs there are.
override COUNT_INDEX: u32;

var<workgroup> block_digits: array<atomic<u32>, SORT_DIGITS>;

// One workgroup per block.
@compute @workgroup_size(SORT_THREADS)
fn sort_count(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let block = dispatch_workgroup(workgroup_id);
    let count = counts[COUNT_INDEX];
    let block_count = sort_block_count(count);
    if block >= block_count {
        return;
    }
    atomicStore(&block_digits[local_index], 0u);
    workgroupBarrier();
    let end = min((block + 1u) * SORT_BLOCK, count);
    for (var i = block * SORT_BLOCK + local_index; i < end; i += SORT_THREADS) {
        atomicAdd(&block_digits[sort_digit(pairs[i].x, round)], 1u);
    }
    workgroupBarrier();
    digit_counts[local_index * block_count + block] = atomicLoad(&block_digits[local_index]);
}
