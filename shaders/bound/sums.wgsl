// Sums that the host reads: 64-bit integers in `status`, which have no order. Uses `status` of the kernel that
// includes it, and `scene`.
//#include lib/grains.wgsl
//#include lib/status.wgsl
//#include bound/scene.wgsl

fn add_to_status(word: u32, value: vec2u) {
    let before = atomicAdd(&status[word], value.x);
    let carry = select(0u, 1u, before + value.x < before);
    atomicAdd(&status[word + 1u], value.y + carry);
}

// Adds the force of a wall's face on a grain to that of the grains on the face.
fn add_wall_force(face: u32, force: vec3f) {
    for (var axis = 0u; axis < 3u; axis++) {
        let word = STATUS_WALL_FORCES + 6u * face + 2u * axis;
        add_to_status(word, fixed_point(-scene.quanta * force[axis]));
    }
}
