// Fills the hash table of cells: where in the sorted order the grains of each cell start. Empty space
// costs nothing. Where they end is marked in the order itself.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/cells.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> status: array<u32>;
@group(0) @binding(2) var<storage, read_write> sorted_pairs: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> cell_table: array<atomic<u32>>;

const THREADS: u32 = 64u;

// One thread per grain; the first of each cell puts it in. Which free entry it gets depends on who comes
// first, but what is found under a key does not.
@compute @workgroup_size(THREADS)
fn cells_insert(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    let grain_count = status[STATUS_GRAINS];
    if index >= grain_count {
        return;
    }
    let key = sorted_pairs[index].x;
    let next = index + 1u;
    if next == grain_count || sorted_pairs[next].x != key {
        sorted_pairs[index].y |= SORTED_LAST;
    }
    if index > 0u && sorted_pairs[index - 1u].x == key {
        return;
    }
    var entry = cell_hash(key) & params.cell_mask;
    loop {
        let taken = atomicCompareExchangeWeak(&cell_table[entry], CELL_FREE, cell_entry(index));
        if taken.exchanged {
            break;
        }
        // A weak exchange may fail on a free entry, which is then tried again.
        if taken.old_value != CELL_FREE {
            entry = (entry + 1u) & params.cell_mask;
        }
    }
}
