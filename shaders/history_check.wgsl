// Sees whether all that contacts remember is put aside. If so, the memory of the old list is free, and the
// kernels that make the new one get their work; if not, the device stops for the host to make room.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/scan.wgsl
//#include lib/sort.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read_write> status: array<u32>;
@group(0) @binding(2) var<storage, read_write> arguments: array<vec4u>;

const THREADS: u32 = 64u;

// One thread, dispatched directly: it changes the arguments of those that follow.
@compute @workgroup_size(1)
fn history_check() {
    if arguments[ARGUMENTS_SINGLE].x == 0u {
        return;
    }
    if status[STATUS_SAVED] > params.contact_capacity {
        status[STATUS_HALTED] |= HALTED_CAPACITY;
        arguments[ARGUMENTS_SINGLE] = dispatch_arguments(0u);
        return;
    }
    let grains = status[STATUS_GRAINS];
    let one_per_grain = dispatch_arguments((grains + THREADS - 1u) / THREADS);
    if status[STATUS_LIST_IS_VOID] == 0u {
        status[STATUS_LIST_IS_VOID] = 1u;
        arguments[ARGUMENTS_NAME] = one_per_grain;
    }
    arguments[ARGUMENTS_GRAINS] = one_per_grain;
    arguments[ARGUMENTS_CELLS] = dispatch_arguments((params.cell_mask + THREADS) / THREADS);
    arguments[ARGUMENTS_SORT_BLOCKS] = dispatch_arguments(sort_block_count(grains));
    arguments[ARGUMENTS_SORT_DIGITS] = dispatch_arguments(SORT_DIGITS);
    arguments[ARGUMENTS_SCAN_BLOCKS] = dispatch_arguments(scan_block_count(grains));
}
