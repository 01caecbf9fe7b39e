// Leapfrog: kick, drift, and the velocity predicted for the next force evaluation. Twin of
// src/cpu/integrate.rs.
//
//     v(t)        = v(t − Δt/2) + a(t) Δt/2        finish
//     v(t + Δt/2) = v(t) + a(t) Δt/2               begin: half a kick,
//     x(t + Δt)   = x(t) + v(t + Δt/2) Δt          drift, in whole units with the rest carried,
//     v*(t + Δt)  = v(t + Δt/2) + a(t) Δt/2        and the prediction that dampers see
//
// The time step is 1. What rounding takes of a velocity or a spin is carried to the next kick: gravity, or the
// resistance against rolling, adds the same small number at every step, which would otherwise always be
// rounded the same way.
//
// Uses `tables` and `status` of the kernel that includes it, and `scene`.

//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/carry.wgsl
//#include bound/scene.wgsl
//#include bound/sums.wgsl

// Bit 0, 1, 2: near the periodic sides along x, y, z walls are not the same on both of them.
override WALLS_END: u32 = 0u;

// Bits of the largest speed and of the longest way of the grains that a thread has moved.
var<private> fastest: u32;
var<private> furthest: u32;

// Bits of the largest so far: most threads only look.
fn raise(word: u32, bits: u32) {
    if bits > atomicLoad(&status[word]) {
        atomicMax(&status[word], bits);
    }
}

// Books them, once for all grains of a thread. `path` is the word of the longest way.
fn book_extremes(path: u32) {
    raise(STATUS_SPEED, fastest);
    raise(path, furthest);
}

// What is wrong with where a grain is, and the energy it handed over at periodic sides, in quanta. Booked at the
// end: devices that go through branches with nobody in them do it once then.
struct Notes {
    not_finite: bool,
    left: bool,
    // Whether it came in at another side, where there are other walls: walls have no images.
    beside_others: bool,
    crossed: vec2u,
}

// Moves a grain by a step in lengths.
fn displace(body: ptr<function, Body>, motion: ptr<function, Motion>, notes: ptr<function, Notes>, step: vec3f) {
    let distance = length(step);
    let units = step * scene.units_per_length;
    // Positions hold moves of less than 2³¹ units and of two cells; what is faster than that is as bad as infinite.
    let is_held = distance * scene.units_per_length < 2147483648.0
        && all(abs(units) <= 2.0 * vec3f(scene.grid.cell_units));
    if !is_held {
        (*notes).not_finite = true;
        return;
    }
    let moved = grid_displace(scene.grid, (*body).position, motion_remainder(*motion), units);
    (*body).position = moved.position;
    (*motion).rests = rests_with_remainder((*motion).rests, moved.remainder);
    (*motion).path = bitcast<u32>(bitcast<f32>((*motion).path) + distance);
    (*notes).left |= moved.left;
    if any(moved.crossed != vec3i(0)) {
        // Gravity goes on working across a periodic side, while the height starts anew.
        let period = vec3f(scene.grid.cells) * vec3f(scene.grid.cell_units) * scene.unit_length;
        let back = -vec3f(moved.crossed) * period;
        let radius = f32((*body).radius) * scene.unit_length;
        let material = bitcast<vec4f>(
            tables[scene.materials_start + body_material(*body, scene.remainder_bits)]);
        // Of the mass that moves, as much as is not lifted by a fluid.
        let weight = material.y * dot(scene.gravity, back);
        let energy = weight * radius * radius * radius / material.x;
        let ends = (vec3u(WALLS_END) & vec3u(1u, 2u, 4u)) != vec3u(0u);
        (*notes).beside_others |= any(ends & (moved.crossed != vec3i(0)));
        (*notes).crossed = wide_add((*notes).crossed, fixed_point(scene.quanta * energy));
    }
}

// Does the second half of one kick, the first half of the next and the drift, or one of them.
fn advance(
    body: ptr<function, Body>,
    motion: ptr<function, Motion>,
    acceleration: Acceleration,
    finishes: bool,
    begins: bool,
) {
    if body_is_fixed(*body) {
        return;
    }
    let half_kick = 0.5 * acceleration.linear;
    let more = 0.5 * carry_rests(CarriedVector(acceleration.linear, acceleration.linear_carry));
    let half_twist = 0.5 * acceleration.angular;
    var velocity = CarriedVector((*motion).velocity, (*motion).carry);
    var spin = CarriedVector((*motion).spin, motion_spin_carry(*motion));
    // Half a kick, or two: a step finishes or begins, or both. A loop: the program is shorter, which matters on devices that go through all of it.
    var ends_here = finishes;
    loop {
        velocity = carry_add_vector(velocity, half_kick, more);
        spin = carry_add_vector(spin, half_twist, vec3f(0.0));
        (*body).velocity = velocity.value + select(half_kick, vec3f(0.0), ends_here);
        (*body).spin = spin.value + select(half_twist, vec3f(0.0), ends_here);
        if !(ends_here && begins) {
            break;
        }
        ends_here = false;
    }
    if begins {
        fastest = max(fastest, bitcast<u32>(length(velocity.value)));
    }
    var notes: Notes;
    // By the shift, which few grains have, and then by the drift; a loop goes twice only where there are both.
    var shifts = finishes && any(acceleration.shift != vec3f(0.0));
    if shifts || begins {
        loop {
            displace(body, motion, &notes, select(velocity.value, acceleration.shift, shifts));
            if !(shifts && begins) {
                break;
            }
            shifts = false;
        }
    }
    (*body).traits = traits_with_remainder((*body).traits, motion_remainder(*motion), scene.remainder_bits);
    (*motion).velocity = velocity.value;
    (*motion).carry = ((*motion).carry & CARRY_LEFT) | velocity.steps;
    (*motion).spin = spin.value;
    (*motion).rests = rests_with_spin_carry((*motion).rests, spin.steps);
    // Of a grain that is not where it can be the list becomes infinitely old, and no further step is done.
    var way = (*motion).path;
    // Written so that what is not a number fails.
    let size = abs(velocity.value) + abs(spin.value);
    let not_finite = notes.not_finite || !(size.x + size.y + size.z < 1e30);
    (*motion).carry |= select(0u, CARRY_LEFT, notes.left);
    if not_finite || notes.left {
        // What is not finite ends the run, wherever it is.
        atomicMin(&status[select(STATUS_LEFT, STATUS_NOT_FINITE, not_finite)], (*motion).id);
        way = INFINITE_PATH;
    }
    if notes.beside_others {
        way = INFINITE_PATH;
    }
    if any(notes.crossed != vec2u(0u)) {
        add_to_status(STATUS_CROSSED, notes.crossed);
    }
    furthest = max(furthest, way);
}
