// Contact forces: the acceleration of every grain, and what every contact remembers. For laws that remember more
// than a spring, and for fluids, which change accelerations; else see leap.wgsl.

//#include lib/dispatch.wgsl
//#include bound/contacts.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> evaluation: Evaluation;
@group(0) @binding(2) var<storage, read> tables: array<vec4u>;
@group(0) @binding(3) var<storage, read> bodies: array<Texel>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> slots: array<TwoWords>;
// Spring and normal force of a slot's contact.
@group(0) @binding(6) var<storage, read_write> histories: array<FourWords>;
// Moment of the rolling spring, and what the adaptive law froze: two vectors per slot.
@group(0) @binding(7) var<storage, read_write> extras: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> accelerations: array<Texel>;
@group(0) @binding(9) var<storage, read_write> status: array<atomic<u32>>;

// Whether any law uses `extras`.
override WITH_EXTRAS: bool;

fn remembered(slot: u32, root: u32) -> Memory {
    var memory = remembered_spring(slot, root);
    if WITH_EXTRAS {
        let rolling = extras[2u * slot];
        memory.rolling = rolling.xyz;
        memory.adaptive = extras[2u * slot + 1u].xy;
    }
    return memory;
}

fn remember(slot: u32, memory: Memory) {
    remember_spring(slot, memory);
    if WITH_EXTRAS {
        extras[2u * slot] = vec4f(memory.rolling, 0.0);
        extras[2u * slot + 1u] = vec4f(memory.adaptive, 0.0, 0.0);
    }
}

// Bodies and accelerations are textures where anything is read ahead.
fn read_ahead_of_grain(index: u32) -> u32 {
    return 0u;
}

fn step_of_grain(index: u32) -> GrainSums {
    let grain = body_of(body_words(index));
    let sums = work_out(index, grain);
    set_acceleration_words(index, words_of_acceleration(acceleration_of(grain, sums)));
    return sums;
}

// TURN_GRAINS grains per workgroup.
@compute @workgroup_size(CREW_THREADS)
fn forces(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    take_turns(workgroup_id, local_index);
}
