// One step of every grain: what its contacts do to it, kick and drift. One kernel, so that accelerations never go
// through memory, and each body is read and written once.
//
// Neighbours must see each other where they were, so bodies go from one buffer to another, `moved`, and with the
// next step back again. In steps whose bodies stay where they are (the first and the last of a run, and one that
// has no other to come back with) it writes accelerations there instead, and integrate.wgsl does the rest.

//#include lib/dispatch.wgsl
//#include bound/contacts.wgsl
//#include bound/advance.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> evaluation: Evaluation;
@group(0) @binding(2) var<storage, read> tables: array<vec4u>;
@group(0) @binding(3) var<storage, read> bodies: array<BodyWords>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<TwoWords>;
// Spring and normal force of a slot's contact.
@group(0) @binding(6) var<storage, read_write> histories: array<FourWords>;
@group(0) @binding(7) var<storage, read_write> moved: array<BodyWords>;
@group(0) @binding(8) var<storage, read_write> motions: array<MotionWords>;
@group(0) @binding(9) var<storage, read_write> status: array<atomic<u32>>;

fn remembered(slot: u32, root: u32) -> Memory {
    return remembered_spring(slot, root);
}

fn remember(slot: u32, memory: Memory) {
    remember_spring(slot, memory);
}

// An acceleration in the memory of a body.
fn words_of_acceleration(a: Acceleration) -> BodyWords {
    return BodyWords(
        pack_four(vec4u(bitcast<vec3u>(a.linear), a.linear_carry)),
        pack_four(vec4u(bitcast<vec3u>(a.angular), 0u)),
        pack_four(vec4u(bitcast<vec3u>(a.shift), 0u)),
    );
}

fn step_of_grain(index: u32) -> GrainSums {
    let grain = body_of(bodies[index]);
    let sums = work_out(index, grain);
    let acceleration = acceleration_of(grain, sums);
    if task.moves != 0u {
        var body = grain;
        var motion = motion_of(motions[index]);
        advance(&body, &motion, acceleration, true, true, path_word(1u - task.away));
        moved[index] = words_of_body(body);
        motions[index] = words_of_motion(motion);
    } else {
        moved[index] = words_of_acceleration(acceleration);
    }
    return sums;
}

// TURN_GRAINS grains per workgroup.
@compute @workgroup_size(CREW_THREADS)
fn leap(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    take_turns(workgroup_id, local_index);
}
