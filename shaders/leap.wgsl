// One step of every grain: what its contacts do to it, kick and drift. One kernel, so that accelerations never go
// through memory, and each body is read and written once.
//
// Neighbours must see each other where they were, so bodies go from one buffer to another, that of the accelerations, and
// with the next step back again. In steps whose bodies stay where they are (the first and the last of a run, and one that
// has no other to come back with) it writes accelerations there instead, and integrate.wgsl does the rest.

//#include lib/dispatch.wgsl
//#include bound/contacts.wgsl
//#include bound/advance.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> evaluation: Evaluation;
@group(0) @binding(2) var<storage, read> tables: array<vec4u>;
@group(0) @binding(3) var<storage, read> bodies: array<Texel>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<TwoWords>;
// Spring and normal force of a slot's contact.
@group(0) @binding(6) var<storage, read_write> histories: array<FourWords>;
// Bodies after the step, or accelerations.
@group(0) @binding(7) var<storage, read_write> accelerations: array<Texel>;
@group(0) @binding(8) var<storage, read_write> motions: array<MotionWords>;
@group(0) @binding(9) var<storage, read_write> status: array<atomic<u32>>;

fn remembered(slot: u32, root: u32) -> Memory {
    return remembered_spring(slot, root);
}

fn remember(slot: u32, memory: Memory) {
    remember_spring(slot, memory);
}

fn read_ahead_of_grain(index: u32) -> u32 {
    return u32(motions[index].velocity_id.x);
}

fn step_of_grain(index: u32) -> GrainSums {
    let grain = body_of(body_words(index));
    let sums = work_out(index, grain);
    let acceleration = acceleration_of(grain, sums);
    // One store for either: devices that go through both sides of a branch do it once.
    var words = words_of_acceleration(acceleration);
    if task.moves != 0u {
        var body = grain;
        var motion = motion_of(motions[index]);
        advance(&body, &motion, acceleration, true, true);
        words = words_of_body(body);
        motions[index] = words_of_motion(motion);
    }
    set_acceleration_words(index, words);
    return sums;
}

// TURN_GRAINS grains per workgroup.
@compute @workgroup_size(CREW_THREADS)
fn leap(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    take_turns(workgroup_id, local_index);
    book_extremes(path_word(1u - task.away));
}
