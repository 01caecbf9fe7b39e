// Decides whether the neighbours have to be listed anew. The kernels that list them are dispatched
// indirectly: this one and the checks that follow say how much they do.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> arguments: array<vec4u>;

// Threads per workgroup of the kernels that list.
const THREADS: u32 = 64u;

// A new list lasts about so many steps, if its skin may be so thick.
const SKIN_STEPS: f32 = 48.0;
// Grains may become faster until the next decision, by this factor.
const SPEED_MARGIN: f32 = 1.2;

// One thread.
@compute @workgroup_size(1)
fn decide() {
    for (var slot = 0u; slot < ARGUMENTS_COUNT; slot++) {
        arguments[slot] = dispatch_arguments(0u);
    }
    if atomicLoad(&status[STATUS_HALTED]) != 0u
        || atomicLoad(&status[STATUS_NOT_FINITE]) != STATUS_NONE
        || atomicLoad(&status[STATUS_LEFT]) != STATUS_NONE {
        return;
    }
    let seen = atomicExchange(&status[STATUS_SPEED], 0u);
    if seen != 0u {
        atomicStore(&status[STATUS_SPEED_BEFORE], seen);
    }
    let speed = bitcast<f32>(atomicLoad(&status[STATUS_SPEED_BEFORE]));
    let path = bitcast<f32>(atomicLoad(&status[STATUS_PATH]));
    let skin = bitcast<f32>(atomicLoad(&status[STATUS_SKIN]));
    let ahead = SPEED_MARGIN * speed * f32(params.decision_steps);
    if atomicLoad(&status[STATUS_REBUILD_WANTED]) == 0u && !list_is_stale(path + ahead, skin) {
        return;
    }
    let thick = 2.0 * SPEED_MARGIN * speed * SKIN_STEPS;
    let wanted = clamp(thick, params.thinnest_skin, params.thickest_skin);
    // Two grains that touched a step ago must still be neighbours.
    atomicStore(&status[STATUS_SKIN], bitcast<u32>(max(wanted, 2.5 * speed)));
    arguments[ARGUMENTS_SINGLE] = dispatch_arguments(1u);
    if atomicLoad(&status[STATUS_LIST_IS_VOID]) == 0u {
        let grains = atomicLoad(&status[STATUS_GRAINS]);
        atomicStore(&status[STATUS_SAVED], 0u);
        arguments[ARGUMENTS_SAVE] = dispatch_arguments((grains + THREADS - 1u) / THREADS);
    }
}
