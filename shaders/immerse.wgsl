// What a fluid at rest does to the grains: drag, and films between close surfaces. Twin of src/cpu/fluid.rs.
//
// Contacts and weight are in the accelerations already. A film is worked out from both of its grains, each
// time as seen from the one with the lower id, from accelerations with drag but without films; each grain
// adds its films up in the order of its slots. The time step is 1.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/walls.wgsl
//#include lib/fluid.wgsl
//#include lib/lubrication.wgsl
//#include bound/accelerations.wgsl
//#include bound/bodies.wgsl
//#include bound/tables.wgsl
//#include bound/sums.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> fluid: FluidParams;
@group(0) @binding(2) var<uniform> evaluation: Evaluation;
@group(0) @binding(3) var<storage, read> tables: array<vec4u>;
@group(0) @binding(4) var<storage, read> bodies: array<Texel>;
@group(0) @binding(5) var<storage, read> motions: array<Motion>;
@group(0) @binding(6) var<storage, read> starts: array<u32>;
@group(0) @binding(7) var<storage, read> slots: array<vec2u>;
@group(0) @binding(8) var<storage, read> accelerations: array<Texel>;
// Accelerations with all that the fluid does.
@group(0) @binding(9) var<storage, read_write> immersed: array<vec4f>;
@group(0) @binding(10) var<storage, read_write> status: array<atomic<u32>>;

const THREADS: u32 = 64u;

// What drag and films took, of each thread.
const SUMS: u32 = 2u;
var<workgroup> thread_sums: array<vec2u, SUMS * THREADS>;

fn free_acceleration(index: u32) -> vec3f {
    return bitcast<vec3f>(acceleration_texel(BODY_TEXELS * index).xyz);
}

// The acceleration of a grain with its drag.
fn dragged(index: u32, body: Body, motion: Motion) -> vec3f {
    let free = free_acceleration(index);
    if fluid.drag_law == DRAG_NONE || body_is_fixed(body) {
        return free;
    }
    let radius = f32(body.radius) * params.unit_length;
    var drag = stokes_drag(fluid.viscosity, radius);
    if fluid.drag_law == DRAG_SCHILLER_NAUMANN {
        let speed = accurate_length(body.velocity);
        drag *= schiller_naumann_factor(
            reynolds_number(fluid.density, fluid.viscosity, radius, speed));
    }
    let rate = drag * inverse_mass(body, radius);
    let velocity = motion.velocity;
    if evaluation.starting != 0u {
        // Half a kick follows: at most what stops the grain.
        return free - velocity * (rate / max(0.5 * rate, 1.0));
    }
    return vec3f(
        dragged_acceleration(free.x, velocity.x, rate, 1.0),
        dragged_acceleration(free.y, velocity.y, rate, 1.0),
        dragged_acceleration(free.z, velocity.z, rate, 1.0),
    );
}

// Force of a film along the normal, positive if it pushes the surfaces apart.
fn film_force(film: Film, inverse_mass: f32, gap: f32, rate: f32, acceleration: f32) -> f32 {
    // Whatever the list holds, what is further away is not looked at.
    if gap >= FILM_REACH * film.resolved * film.length {
        return 0.0;
    }
    if evaluation.starting != 0u {
        // Half a kick follows: at most what stops the grains.
        return min(film_damping(film, fluid.viscosity, gap), 2.0 / inverse_mass) * rate;
    }
    let free = rate + 0.5 * acceleration;
    let start = gap + 0.5 * rate;
    let middle = film_rate(film, fluid.viscosity, inverse_mass, start, free, 1.0);
    return film_impulse(film, fluid.viscosity, start, middle);
}

// Force of the film between two grains on the first.
fn grain_film(first: u32, second: u32) -> vec3f {
    let a = body_of(body_words(first));
    let b = body_of(body_words(second));
    let seen = grain_approach(
        params.grid, place_of(a, params.remainder_bits), place_of(b, params.remainder_bits));
    if !seen.near {
        return vec3f(0.0);
    }
    let radii = vec2f(vec2u(a.radius, b.radius)) * params.unit_length;
    let motion_a = motions[first];
    let motion_b = motions[second];
    let film = film_between(radii.x, radii.y, fluid.grain_resolved, fluid.grain_roughness);
    let force = film_force(
        film,
        inverse_mass(a, radii.x) + inverse_mass(b, radii.y),
        -seen.overlap * params.unit_length,
        dot(motion_a.velocity - motion_b.velocity, seen.normal),
        dot(dragged(first, a, motion_a) - dragged(second, b, motion_b), seen.normal),
    );
    return -force * seen.normal;
}

// Force of the film between a grain and a wall on the grain.
fn wall_film(index: u32, body: Body, motion: Motion, acceleration: vec3f, face: Face) -> vec3f {
    let radius = f32(body.radius) * params.unit_length;
    let seen = wall_approach(
        params.grid, face, body.position, body_remainder(body, params.remainder_bits), body.radius);
    let film = film_between(radius, MATERIAL_WALL, fluid.wall_resolved, fluid.wall_roughness);
    let force = film_force(
        film,
        inverse_mass(body, radius),
        -seen.overlap * params.unit_length,
        dot(motion.velocity, seen.normal),
        dot(acceleration, seen.normal),
    );
    return -force * seen.normal;
}

// All that the fluid does to one grain; returns what it took: drag, films.
fn work_out(index: u32) -> vec2f {
    let body = body_of(body_words(index));
    if body_is_fixed(body) {
        immersed[index] = vec4f(0.0);
        return vec2f(0.0);
    }
    let motion = motions[index];
    let radius = f32(body.radius) * params.unit_length;
    let inverse = inverse_mass(body, radius);
    let free = free_acceleration(index);
    let slowed = dragged(index, body, motion);
    var films = vec3f(0.0);
    let end = starts[index + 1u];
    for (var slot = starts[index]; slot < end; slot++) {
        let partner = slots[slot].x & ~SLOT_TOUCHING;
        let other = partner & SLOT_INDEX;
        if (partner & SLOT_WALL) != 0u {
            if fluid.wall_resolved > 0.0 {
                let force = wall_film(index, body, motion, slowed, face_at(other));
                films += force;
                if evaluation.measuring != 0u {
                    add_wall_force(other, force);
                }
            }
        } else if fluid.grain_resolved > 0.0 {
            if (partner & SLOT_FIRST) != 0u {
                films += grain_film(index, other);
            } else {
                films -= grain_film(other, index);
            }
        }
    }
    let total = slowed + inverse * films;
    immersed[index] = vec4f(total, 0.0);
    // In the middle of the kick.
    let velocity = motion.velocity + select(0.5, 0.0, evaluation.starting != 0u) * total;
    return -vec2f(dot(slowed - free, velocity) / inverse, dot(films, velocity));
}

// One thread per grain.
@compute @workgroup_size(THREADS)
fn immerse(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    scene = params;
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    var taken = vec2f(0.0);
    if atomicLoad(&status[STATUS_HALTED]) == 0u && index < atomicLoad(&status[STATUS_GRAINS]) {
        taken = work_out(index);
    }
    for (var sum = 0u; sum < SUMS; sum++) {
        thread_sums[sum * THREADS + local_index] = fixed_point(params.quanta * taken[sum]);
    }
    workgroupBarrier();
    if local_index < SUMS {
        var total = vec2u(0u);
        for (var thread = 0u; thread < THREADS; thread++) {
            total = wide_add(total, thread_sums[local_index * THREADS + thread]);
        }
        if any(total != vec2u(0u)) {
            if evaluation.starting == 0u {
                add_to_status(STATUS_FLUID_LOSSES + 2u * local_index, total);
            }
            if evaluation.measuring != 0u {
                add_to_status(STATUS_LAST_FLUID_LOSSES + 2u * local_index, total);
            }
        }
    }
}
