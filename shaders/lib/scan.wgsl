// Exclusive prefix sums within a workgroup of SCAN_THREADS threads, and how a long array is cut into
// blocks. The host's side of it is src/gpu/stages/scan.rs.

// Few threads with much to do each: on a processor that imitates a device, a barrier costs as much per
// thread as a dozen additions.
const SCAN_THREADS: u32 = 64u;

// Vectors of four elements that one thread sums up, and elements that a workgroup does.
const SCAN_VECTORS: u32 = 8u;
const SCAN_BLOCK: u32 = SCAN_THREADS * SCAN_VECTORS * 4u;

// Threads whose sums one thread adds up; there are as many such groups.
const SCAN_GROUP: u32 = 8u;

var<workgroup> scan_threads: array<u32, SCAN_THREADS>;
var<workgroup> scan_groups: array<u32, SCAN_GROUP>;

// Blocks of so many elements. The total after the last one counts as an element too.
fn scan_block_count(count: u32) -> u32 {
    return count / SCAN_BLOCK + 1u;
}

// Sum of the values of all threads before this one. The whole workgroup must call it, once.
// In two levels, because that needs two barriers, where a tree needs twelve.
fn scan_workgroup(local_index: u32, value: u32) -> u32 {
    scan_threads[local_index] = value;
    workgroupBarrier();
    if local_index < SCAN_GROUP {
        var sum = 0u;
        for (var i = local_index * SCAN_GROUP; i < (local_index + 1u) * SCAN_GROUP; i++) {
            let next = sum + scan_threads[i];
            scan_threads[i] = sum;
            sum = next;
        }
        scan_groups[local_index] = sum;
    }
    workgroupBarrier();
    var before = scan_threads[local_index];
    for (var group = 0u; group < local_index / SCAN_GROUP; group++) {
        before += scan_groups[group];
    }
    return before;
}

// Numbers of the four elements of a vector.
fn scan_elements(vector: u32) -> vec4u {
    return vector * 4u + vec4u(0u, 1u, 2u, 3u);
}
