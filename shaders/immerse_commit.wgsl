// Puts accelerations with what the fluid does in place of those without.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/carry.wgsl
//#include bound/accelerations_written.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
@group(0) @binding(1) var<storage, read> immersed: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> accelerations: array<Texel>;

const THREADS: u32 = 64u;

// One thread per grain.
@compute @workgroup_size(THREADS)
fn immerse_commit(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= status[STATUS_GRAINS] || status[STATUS_HALTED] != 0u {
        return;
    }
    set_acceleration_texel(
        BODY_TEXELS * index, vec4u(bitcast<vec3u>(immersed[index].xyz), CARRY_NONE_VECTOR));
}
