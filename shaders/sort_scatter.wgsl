// Last of three kernels of a round of the radix sort: moves each pair to its place.

//#include lib/dispatch.wgsl
//#include lib/sort.wgsl

@group(0) @binding(0) var<uniform> round: SortRound;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// Where the pairs of each digit and block start. One row per digit, one column per block.
@group(0) @binding(2) var<storage, read> digit_offsets: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> sorted_pairs: array<vec2u>;

// Word of `counts` that says how many pairs there are.
override COUNT_INDEX: u32;

// Each thread counts the digits of its own pairs, two digits in the halves of a word: a block has fewer
// than 2^16 pairs. A row holds the threads; one word more keeps rows on different memory banks.
const ROW: u32 = SORT_THREADS + 1u;
const ROWS: u32 = SORT_DIGITS / 2u;
var<workgroup> ranks: array<u32, ROWS * ROW>;
var<workgroup> starts: array<u32, SORT_DIGITS>;

// One workgroup per block; each thread takes contiguous pairs, in order, so equal keys stay in order.
@compute @workgroup_size(SORT_THREADS)
fn sort_scatter(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let block = dispatch_workgroup(workgroup_id);
    let count = counts[COUNT_INDEX];
    let block_count = sort_block_count(count);
    if block >= block_count {
        return;
    }
    starts[local_index] = digit_offsets[local_index * block_count + block];
    for (var row = 0u; row < ROWS; row++) {
        ranks[row * ROW + local_index] = 0u;
    }
    let first = block * SORT_BLOCK + local_index * SORT_ITEMS;
    let end = min(first + SORT_ITEMS, count);
    for (var i = first; i < end; i++) {
        let digit = sort_digit(pairs[i].x, round);
        ranks[(digit >> 1u) * ROW + local_index] += 1u << ((digit & 1u) * 16u);
    }
    workgroupBarrier();
    // From how many to how many before, over the threads.
    if local_index < ROWS {
        var sum = 0u;
        for (var i = local_index * ROW; i < local_index * ROW + SORT_THREADS; i++) {
            let next = sum + ranks[i];
            ranks[i] = sum;
            sum = next;
        }
    }
    workgroupBarrier();
    for (var i = first; i < end; i++) {
        let pair = pairs[i];
        let digit = sort_digit(pair.x, round);
        let half = (digit & 1u) * 16u;
        let slot = (digit >> 1u) * ROW + local_index;
        let rank = ranks[slot];
        ranks[slot] = rank + (1u << half);
        sorted_pairs[starts[digit] + ((rank >> half) & 0xffffu)] = pair;
    }
}
