// Sees whether a new neighbour list fits into memory. If not, the device stops for the host to make room.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> status: array<u32>;
@group(0) @binding(3) var<storage, read_write> arguments: array<vec4u>;

const THREADS: u32 = 64u;

// One thread, dispatched directly: it changes the arguments of those that follow.
@compute @workgroup_size(1)
fn neighbours_check() {
    if arguments[ARGUMENTS_SINGLE].x == 0u {
        return;
    }
    let grains = status[STATUS_GRAINS];
    let needed = starts[grains];
    status[STATUS_SLOTS_NEEDED] = needed;
    if needed > params.slot_capacity {
        status[STATUS_HALTED] |= HALTED_CAPACITY;
        return;
    }
    status[STATUS_LIST_IS_VOID] = 0u;
    status[STATUS_SLOTS] = needed;
    status[STATUS_PATH] = 0u;
    status[STATUS_PATH_AWAY] = 0u;
    status[STATUS_REBUILD_WANTED] = 0u;
    status[STATUS_REBUILDS] += 1u;
    arguments[ARGUMENTS_FILL] = dispatch_arguments((grains + THREADS - 1u) / THREADS);
}
