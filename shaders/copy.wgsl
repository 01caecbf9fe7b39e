// Copies a buffer: how fast a device moves memory when it does nothing else.

//#include lib/dispatch.wgsl

@group(0) @binding(0) var<storage, read> source: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4u>;

const THREADS: u32 = 64u;

// One thread per vector.
@compute @workgroup_size(THREADS)
fn copy(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= arrayLength(&copied) {
        return;
    }
    copied[index] = source[index];
}
