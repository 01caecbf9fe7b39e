// Sums over all grains at one instant: what they have of energy and momentum, and how high they are. Dispatched
// when the host is about to look, not at each step.
//
// Each summand has 32 significant bits, and sums are exact. So a sum of summands of one sign is right to about
// five roundings, 6·10⁻¹⁰, for any number of grains; f32 would leave 10⁻⁷, the same way for all grains of a
// size. Half the kinetic energy, g and 2/5 of the moment of inertia are left to the host.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/fine.wgsl
//#include bound/bodies.wgsl
//#include bound/tables.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> tables: array<vec4u>;
@group(0) @binding(2) var<storage, read> bodies: array<Texel>;
@group(0) @binding(3) var<storage, read> motions: array<MotionWords>;
@group(0) @binding(4) var<storage, read_write> status: array<atomic<u32>>;

const THREADS: u32 = 64u;

// m v², m R² ω², momentum, first moment of the weights.
const SUM_KINETIC: u32 = 0u;
const SUM_ROTATIONAL: u32 = 1u;
const SUM_MOMENTUM: u32 = 2u;
const SUM_MOMENT: u32 = 5u;
const SUMS: u32 = 8u;
var<workgroup> thread_sums: array<vec4u, SUMS * THREADS>;

// Height above the lower side of the domain along an axis, in units.
fn height(body: Body, motion: Motion, axis: u32) -> Fine {
    // Of the remainder, as many bits as leave room for those of the largest domain.
    const PLACES: u32 = 12u;
    let whole = wide_add(
        wide_multiply(position_cells(body.position)[axis], params.grid.cell_units[axis]),
        vec2u(body.position[axis + 1u], 0u),
    );
    let steps = i32((motion.rests[axis] & REMAINDER_MASK) >> (REMAINDER_BITS - PLACES));
    let above = wide_add(
        vec2u(whole.x << PLACES, (whole.y << PLACES) | (whole.x >> (32u - PLACES))),
        long_of(steps - i32(1u << (PLACES - 1u))),
    );
    return fine_of(long_abs(above), -i32(PLACES), long_is_negative(above));
}

// One component of a vector whose steps share a word.
fn component(value: vec3f, steps: u32, axis: u32) -> Fine {
    return fine_of_carried(value[axis], (steps >> (CARRY_BITS * axis)) & CARRY_MASK);
}

fn measure_grain(index: u32, local_index: u32) {
    let body = body_of(body_words(index));
    let motion = motion_of(motions[index]);
    let material = body_material(body, params.remainder_bits);
    let radius = fine_of(vec2u(body.radius, 0u), 0, false);
    let square = fine_multiply(radius, radius);
    let cube = fine_multiply(square, radius);
    let mass = fine_multiply(cube, weight_of(material, WEIGHT_MASS));
    let moving = fine_multiply(cube, weight_of(material, WEIGHT_MOVING));
    let heavy = fine_multiply(cube, weight_of(material, WEIGHT_HEAVY));
    let turning = fine_multiply(fine_multiply(cube, square), weight_of(material, WEIGHT_TURNING));
    let spin_carry = motion_spin_carry(motion);
    var kinetic = vec4u(0u);
    var rotational = vec4u(0u);
    for (var axis = 0u; axis < 3u; axis++) {
        let velocity = component(motion.velocity, motion.carry, axis);
        let spin = component(motion.spin, spin_carry, axis);
        kinetic = fixed_add(kinetic, fixed_of(fine_multiply(moving, fine_multiply(velocity, velocity))));
        rotational = fixed_add(rotational, fixed_of(fine_multiply(turning, fine_multiply(spin, spin))));
        thread_sums[(SUM_MOMENTUM + axis) * THREADS + local_index] =
            fixed_of(fine_multiply(mass, velocity));
        thread_sums[(SUM_MOMENT + axis) * THREADS + local_index] =
            fixed_of(fine_multiply(heavy, height(body, motion, axis)));
    }
    thread_sums[SUM_KINETIC * THREADS + local_index] = kinetic;
    thread_sums[SUM_ROTATIONAL * THREADS + local_index] = rotational;
}

// Adds a sum of a workgroup, word by word: each takes the carry of the one below.
fn add_to_motion(sum: u32, value: vec4u) {
    var carry = 0u;
    for (var word = 0u; word < 4u; word++) {
        let summand = value[word] + carry;
        let wrapped = summand < carry;
        let before = atomicAdd(&status[STATUS_MOTION + 4u * sum + word], summand);
        carry = select(0u, 1u, wrapped || before + summand < before);
    }
}

// One thread per grain.
@compute @workgroup_size(THREADS)
fn measure(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    scene = params;
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if atomicLoad(&status[STATUS_HALTED]) == 0u && index < atomicLoad(&status[STATUS_GRAINS]) {
        measure_grain(index, local_index);
    } else {
        for (var sum = 0u; sum < SUMS; sum++) {
            thread_sums[sum * THREADS + local_index] = vec4u(0u);
        }
    }
    workgroupBarrier();
    if local_index < SUMS {
        var total = vec4u(0u);
        for (var thread = 0u; thread < THREADS; thread++) {
            total = fixed_add(total, thread_sums[local_index * THREADS + thread]);
        }
        if any(total != vec4u(0u)) {
            add_to_motion(local_index, total);
        }
    }
}
