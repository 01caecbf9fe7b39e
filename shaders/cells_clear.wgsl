// Empties the hash table of cells.

//#include lib/dispatch.wgsl
//#include lib/cells.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read_write> cell_table: array<u32>;

const THREADS: u32 = 64u;

// One thread per entry.
@compute @workgroup_size(THREADS)
fn cells_clear(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let entry = dispatch_thread(workgroup_id, local_index, THREADS);
    if entry > params.cell_mask {
        return;
    }
    cell_table[entry] = CELL_FREE;
}
