// Moves every grain as its acceleration says: the parts of a step that leap.wgsl does not do.

//#include lib/dispatch.wgsl
//#include bound/accelerations.wgsl
//#include bound/advance.wgsl
//#include bound/bodies.wgsl
//#include bound/bodies_written.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> part: Part;
@group(0) @binding(2) var<storage, read> tables: array<vec4u>;
@group(0) @binding(3) var<storage, read> accelerations: array<Texel>;
@group(0) @binding(4) var<storage, read_write> bodies: array<Texel>;
@group(0) @binding(5) var<storage, read_write> motions: array<MotionWords>;
@group(0) @binding(6) var<storage, read_write> status: array<atomic<u32>>;

// Which halves are done; 1: yes. One pipeline does both, so that they round alike.
struct Part {
    finishes: u32,
    begins: u32,
}

const THREADS: u32 = 64u;

fn acceleration_at(index: u32) -> Acceleration {
    let first = BODY_TEXELS * index;
    let linear = acceleration_texel(first);
    return Acceleration(
        bitcast<vec3f>(linear.xyz),
        linear.w,
        bitcast<vec3f>(acceleration_texel(first + 1u).xyz),
        bitcast<vec3f>(acceleration_texel(first + 2u).xyz),
    );
}

// One thread per grain.
@compute @workgroup_size(THREADS)
fn integrate(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    scene = params;
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= atomicLoad(&status[STATUS_GRAINS]) || atomicLoad(&status[STATUS_HALTED]) != 0u {
        return;
    }
    if index == 0u && part.finishes != 0u {
        atomicAdd(&status[STATUS_STEPS], 1u);
    }
    var body = body_of(body_words(index));
    var motion = motion_of(motions[index]);
    advance(
        &body, &motion, acceleration_at(index), part.finishes != 0u, part.begins != 0u);
    set_body_words(index, words_of_body(body));
    motions[index] = words_of_motion(motion);
    book_extremes(STATUS_PATH);
}
