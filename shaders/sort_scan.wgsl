// Second of three kernels of a round of the radix sort: where the pairs of each digit and block go.

//#include lib/scan.wgsl
//#include lib/sort.wgsl

@group(0) @binding(0) var<storage, read> counts: array<u32>;
// How often each digit occurs in each block, and where those pairs start. One row per digit, one column
// per block.
@group(0) @binding(1) var<storage, read> digit_counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> digit_offsets: array<u32>;

// Word of `counts` that says how many pairs there are.
override COUNT_INDEX: u32;

var<workgroup> lower_digits: atomic<u32>;

// One workgroup per digit; each thread takes a contiguous share of the row.
@compute @workgroup_size(SCAN_THREADS)
fn sort_scan(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let block_count = sort_block_count(counts[COUNT_INDEX]);
    let row = workgroup_id.x * block_count;
    if local_index == 0u {
        atomicStore(&lower_digits, 0u);
    }
    // All rows above count once more for each row: little, compared with the pairs, and it saves a kernel.
    var lower = 0u;
    for (var i = local_index; i < row; i += SCAN_THREADS) {
        lower += digit_counts[i];
    }
    let share = (block_count + SCAN_THREADS - 1u) / SCAN_THREADS;
    let first = row + min(local_index * share, block_count);
    let end = row + min((local_index + 1u) * share, block_count);
    var sum = 0u;
    for (var i = first; i < end; i++) {
        sum += digit_counts[i];
    }
    workgroupBarrier();
    atomicAdd(&lower_digits, lower);
    // The barriers within make the sum over the rows above complete.
    var before = scan_workgroup(local_index, sum);
    before += atomicLoad(&lower_digits);
    for (var i = first; i < end; i++) {
        digit_offsets[i] = before;
        before += digit_counts[i];
    }
}
