// All contacts of a grain: what they do to it, what they remember, what they take. Uses `tables`, `bodies`, `starts`,
// `slots`, `histories`, `accelerations` and `status` of the kernel that includes it, its `params` and `evaluation`, and its
// `remembered`, `remember`, `read_ahead_of_grain` and `step_of_grain`.
//
// A pair is worked out from both of its grains, by each as it sees it: to the other every vector is the opposite and
// every number the same to the bit, so forces are exactly opposite, and no sum has to wait for another. Each grain
// adds up its slots in the order of the partners' ids, walls last. What contacts remember is kept as the grain with
// the lower id sees it, and energies are those that it works out.

//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/walls.wgsl
//#include lib/encounter.wgsl
//#include lib/carry.wgsl
//#include lib/fine.wgsl
//#include lib/crew.wgsl
//#include lib/turns.wgsl
//#include bound/accelerations_written.wgsl
//#include bound/bodies.wgsl
//#include bound/scene.wgsl
//#include bound/tables.wgsl
//#include bound/sums.wgsl

// A copy of `evaluation`, for the reason that `scene` is one.
var<private> task: Evaluation;

// Five losses, contacts, and three elastic energies if the host is about to look: two sums in a vector, for each
// thread.
const SUM_CONTACTS: u32 = 5u;
const SUM_ELASTIC: u32 = 6u;
const ORDINARY_PAIRS: u32 = 3u;
const MEASURED_PAIRS: u32 = 5u;
const PART_THREADS: u32 = CREW_THREADS / SUM_PARTS;
const_assert TURN_GRAINS % CREW_THREADS == 0u;
const_assert SUM_PARTS * MEASURED_PAIRS <= CREW_THREADS;
var<workgroup> thread_sums: array<FourWords, MEASURED_PAIRS * CREW_THREADS>;

// What the contacts of a grain add up to, in the order of the partners' ids.
struct GrainSums {
    // Leading digits of the forces, and the others: partners that add up different contacts are then still
    // given opposite momenta, to 2⁻³⁵.
    force: vec3f,
    force_rest: vec3f,
    torque: vec3f,
    moment: vec3f,
    shift: vec3f,
    // Of the pairs whose first grain this is, and the number of those that touch.
    energies: Energies,
    contacts: u32,
}

// Why no step is done, as a kernel finds it: bits of STATUS_HALTED, of which none means that it is done.
struct Halt {
    // Said by an earlier kernel.
    before: u32,
    // To be said by this one.
    now: u32,
}

fn halt_found() -> Halt {
    let path = bitcast<f32>(atomicLoad(&status[path_word(task.away)]));
    let skin = bitcast<f32>(atomicLoad(&status[STATUS_SKIN]));
    let where_bodies_are = select(0u, HALTED_AWAY, task.away != 0u);
    return Halt(
        atomicLoad(&status[STATUS_HALTED]),
        select(0u, HALTED_STALE | where_bodies_are, list_is_stale(path, skin)),
    );
}

fn is_halted(halt: Halt) -> bool {
    return (halt.before | halt.now) != 0u;
}

// Counts a step, or says why it is not done, once; kernels that follow do nothing then. For one thread.
fn count(halt: Halt) {
    if halt.before == 0u && (halt.now != 0u || task.moves != 0u) {
        atomicAdd(&status[select(STATUS_STEPS, STATUS_HALTED, halt.now != 0u)], max(halt.now, 1u));
    }
}

// A grain, or a wall, as its contacts see it.
struct Side {
    velocity: vec3f,
    spin: vec3f,
    // R ω
    surface: vec3f,
    radius: f32,
    inverse_mass: f32,
    // 1/(I + m R²), with I = 2/5 m R².
    inverse_rolling: f32,
}

fn side_of(grain: Body) -> Side {
    let radius = f32(grain.radius) * scene.unit_length;
    let inverse = settled(vec3f(inverse_mass(grain, radius))).x;
    let inverse_rolling = settled(vec3f(inverse / (1.4 * radius * radius))).x;
    return Side(
        grain.velocity, grain.spin, settled(radius * grain.spin), radius, inverse, inverse_rolling);
}

// A wall does not move. Without a branch: threads that go together meet either.
fn side_or_wall(side: Side, is_wall: bool) -> Side {
    return Side(
        select(side.velocity, vec3f(0.0), is_wall),
        select(side.spin, vec3f(0.0), is_wall),
        select(side.surface, vec3f(0.0), is_wall),
        select(side.radius, MATERIAL_WALL, is_wall),
        select(side.inverse_mass, 0.0, is_wall),
        select(side.inverse_rolling, 0.0, is_wall),
    );
}

// As the first of the two sees it. Sums are of two numbers that were rounded before: whichever comes first, they are
// the same.
fn encounter_of(first: Side, second: Side, normal: vec3f, overlap: f32) -> Encounter {
    var encounter: Encounter;
    encounter.normal = normal;
    encounter.overlap = overlap * scene.unit_length;
    encounter.velocity = first.velocity - second.velocity;
    encounter.surface = first.surface + second.surface;
    encounter.spin = first.spin - second.spin;
    encounter.radii = vec2f(first.radius, second.radius);
    encounter.reduced_radius = reduced(first.radius, second.radius);
    encounter.inverse_mass = first.inverse_mass + second.inverse_mass;
    encounter.rolling_inertia = 1.0 / (first.inverse_rolling + second.inverse_rolling);
    return encounter;
}

// A wall that a grain is about to touch, and what comes of it.
struct WallContact {
    normal: vec3f,
    overlap: f32,
    face: u32,
    material: u32,
    touches: bool,
    // Of the wall on the grain.
    force: vec3f,
}

fn is_wall(word: u32) -> bool {
    return (word & SLOT_WALL) != 0u;
}

fn wall_contact(place: Place, index: u32) -> WallContact {
    let face = face_at(index);
    let seen = wall_approach(scene.grid, face, place.position, place.remainder, place.radius);
    var contact: WallContact;
    contact.normal = seen.normal;
    contact.overlap = seen.overlap;
    contact.face = index;
    contact.material = face.material;
    return contact;
}

// What a contact remembers as the other of its grains sees it, if `sign` is −1.
fn turned(memory: Memory, sign: f32) -> Memory {
    var other = memory;
    other.spring = sign * memory.spring;
    other.rolling = sign * memory.rolling;
    return other;
}

// What every contact remembers; `remembered` and `remember` of the kernel know whether there is more.
fn remembered_spring(slot: u32, root: u32) -> Memory {
    let history = bitcast<vec4f>(unpack_four(histories[slot]));
    var memory: Memory;
    memory.spring = history.xyz;
    memory.normal_force = history.w;
    memory.root_overlap = bitcast<f32>(root);
    return memory;
}

fn remember_spring(slot: u32, memory: Memory) {
    histories[slot] = pack_four(bitcast<vec4u>(vec4f(memory.spring, memory.normal_force)));
}

// Adds what a contact did to a grain.
fn add_contact(sums: ptr<function, GrainSums>, result: ContactStep, is_first: bool) {
    let leading = carry_leading(result.force);
    (*sums).force += leading;
    (*sums).force_rest += result.force - leading;
    (*sums).torque += result.torque;
    (*sums).moment += result.moment;
    (*sums).shift += result.shift;
    if is_first {
        (*sums).energies = add_energies((*sums).energies, result.energies);
        (*sums).contacts += select(0u, 1u, result.touches);
    }
}

// Books the contact with a wall, if there was one.
fn measure_wall(wall: WallContact) {
    if any(wall.force != vec3f(0.0)) {
        add_wall_force(wall.face, wall.force);
    }
    if wall.touches {
        atomicAdd(&status[STATUS_WALL_CONTACTS], 1u);
    }
}

// How much a grain's mass times its inverse mass differs from one, by the roundings of f32: as if grains of
// one size were made of another stuff, and momentum went astray in every collision with another size.
fn mass_excess(grain: Body, inverse: f32) -> f32 {
    let material = body_material(grain, scene.remainder_bits);
    let radius = fine_of(vec2u(grain.radius, 0u), 0, false);
    let cube = fine_multiply(fine_multiply(radius, radius), radius);
    let mass = fine_multiply(cube, moving_weight(material));
    return fine_excess(fine_multiply(mass, fine_of_carried(inverse, CARRY_NONE)));
}

// (force/mass + gravity), to 2⁻³⁵: leading digits are multiplied exactly, the others are small.
fn accelerated(sums: GrainSums, inverse: f32, excess: f32, gravity: vec3f) -> CarriedVector {
    let force = carry_leading(sums.force);
    let factor = carry_leading(vec3f(inverse)).x;
    let more = (inverse - factor) * force + inverse * ((sums.force - force) + sums.force_rest)
        - (excess * inverse) * sums.force;
    return carry_add_vector(CarriedVector(factor * force, CARRY_NONE_VECTOR), more + gravity, vec3f(0.0));
}

fn keep(slot: u32, partner: u32, sign: f32, result: ContactStep) {
    // Of a contact that has ended the root is zero.
    slots[slot] = pack_two(vec2u(
        partner | select(0u, SLOT_TOUCHING, result.touches), bitcast<u32>(result.memory.root_overlap)));
    if result.touches {
        remember(slot, turned(result.memory, sign));
    }
}

// All contacts of one grain: with other grains, then with walls, which come last in the list and of which
// most grains have none.
//
// Where a wall is takes long to work out. It is worked out ahead of the loop that goes through contacts of either
// kind, which comes back for each wall: contacts with walls cost little where there are none, also on devices that
// go through both sides of a branch. Loops are tested at their ends, since such devices go through one that is
// tested at its beginning once more than there are contacts.
fn work_out(index: u32, grain: Body) -> GrainSums {
    let material = body_material(grain, scene.remainder_bits);
    let place = place_of(grain, scene.remainder_bits);
    let side = side_of(grain);
    let laws = ContactLaws(scene.contact_time, scene.adaptive_minimum_speed, ADAPTIVE_TABULATED);
    var sums: GrainSums;
    let end = starts[index + 1u];
    var slot = starts[index];
    if slot >= end {
        return sums;
    }
    var entry = unpack_two(slots[slot]);
    loop {
        var wall: WallContact;
        if FACE_KINDS != 0u && is_wall(entry.x) {
            wall = wall_contact(place, entry.x & SLOT_INDEX);
        }
        loop {
            let partner = entry.x & ~SLOT_TOUCHING;
            let meets_wall = is_wall(partner);
            let is_first = (partner & (SLOT_FIRST | SLOT_WALL)) != 0u;
            let sign = select(-1.0, 1.0, is_first);
            // A grain is its own partner at a wall, for want of another.
            let other = body_of(body_words(select(partner & SLOT_INDEX, index, meets_wall)));
            let seen = grain_approach(scene.grid, place, place_of(other, scene.remainder_bits));
            var other_side = side_of(other);
            var normal = seen.normal;
            var overlap = seen.overlap;
            // The table is symmetric.
            var other_material = body_material(other, scene.remainder_bits);
            if FACE_KINDS != 0u {
                other_side = side_or_wall(other_side, meets_wall);
                normal = select(normal, wall.normal, meets_wall);
                overlap = select(overlap, wall.overlap, meets_wall);
                other_material = select(other_material, wall.material, meets_wall);
            }
            var encounter = encounter_of(side, other_side, normal, overlap);
            encounter.was_touching = (entry.x & SLOT_TOUCHING) != 0u;
            encounter.starting = task.starting != 0u;
            if encounter.was_touching || encounter.overlap > 0.0 {
                var before: Memory;
                if encounter.was_touching {
                    before = turned(remembered(slot, entry.y), sign);
                }
                let result = contact_step(laws, pair_of(material, other_material), encounter, before);
                keep(slot, partner, sign, result);
                add_contact(&sums, result, is_first);
                if meets_wall {
                    wall.force = result.force;
                    wall.touches = result.touches;
                }
            }
            slot++;
            if slot >= end {
                break;
            }
            entry = unpack_two(slots[slot]);
            if is_wall(entry.x) {
                break;
            }
        }
        if FACE_KINDS != 0u && task.measuring != 0u {
            measure_wall(wall);
        }
        if slot >= end {
            break;
        }
    }
    return sums;
}

// A product as it is in memory: compilers may not round one before they add it to something, and this one
// is stored in one step and used at once in another.
fn settled(x: vec3f) -> vec3f {
    return bitcast<vec3f>(bitcast<vec3u>(x) | vec3u(task.nothing));
}

// What these sums do to a grain.
fn acceleration_of(grain: Body, sums: GrainSums) -> Acceleration {
    let radius = f32(grain.radius) * scene.unit_length;
    let inverse = inverse_mass(grain, radius);
    let is_fixed = body_is_fixed(grain);
    // In a fluid: what becomes of gravity, and how much more mass moves than turns; else ones.
    var weight = 1.0;
    var inertia = 1.0;
    if !ONE_MATERIAL {
        let material = table_float(scene.materials_start + body_material(grain, scene.remainder_bits));
        weight = material.y;
        inertia = material.z;
    }
    let linear = accelerated(sums, inverse, mass_excess(grain, inverse), weight * scene.gravity);
    // The moment of inertia is 2/5 m R².
    return Acceleration(
        select(linear.value, vec3f(0.0), is_fixed),
        select(linear.steps, CARRY_NONE_VECTOR, is_fixed),
        settled((2.5 * inverse * inertia / (radius * radius)) * (radius * sums.torque + sums.moment)),
        settled(inverse * sums.shift),
    );
}

// An acceleration in the memory of a body.
fn words_of_acceleration(a: Acceleration) -> BodyWords {
    return BodyWords(
        vec4u(bitcast<vec3u>(a.linear), a.linear_carry),
        vec4u(bitcast<vec3u>(a.angular), 0u),
        vec4u(bitcast<vec3u>(a.shift), 0u),
    );
}

fn set_acceleration_words(index: u32, words: BodyWords) {
    let first = BODY_TEXELS * index;
    set_acceleration_texel(first, words.position);
    set_acceleration_texel(first + 1u, words.velocity_radius);
    set_acceleration_texel(first + 2u, words.spin_traits);
}

// Adds a sum of grains of a workgroup to those of the run, and to those of an evaluation that is measured.
fn book(number: u32, total: vec2u) {
    var to_run = number < SUM_ELASTIC && task.starting == 0u;
    let measured = select(
        STATUS_LAST_LOSSES + 2u * number, STATUS_ELASTIC + 2u * (number - SUM_ELASTIC), number >= SUM_ELASTIC);
    let last = select(measured, STATUS_CONTACTS, number == SUM_CONTACTS);
    loop {
        if any(total != vec2u(0u)) {
            add_to_status(select(last, STATUS_LOSSES + 2u * number, to_run), total);
        }
        if !to_run || task.measuring == 0u {
            break;
        }
        to_run = false;
    }
}

// What the grains of a thread add up to: two sums of 64 bits in each vector. Sums of whole numbers have no order.
struct ThreadSums {
    normal_tangential: vec4u,
    friction_rolling: vec4u,
    mindlin_contacts: vec4u,
    elastic_normal_tangential: vec4u,
    elastic_rolling: vec4u,
}

fn wide_add_two(a: vec4u, b: vec4u) -> vec4u {
    return vec4u(wide_add(a.xy, b.xy), wide_add(a.zw, b.zw));
}

// Adds what a grain gave.
fn add_grain(totals: ptr<function, ThreadSums>, sums: GrainSums) {
    let quanta = scene.quanta;
    let energies = sums.energies;
    (*totals).normal_tangential = wide_add_two((*totals).normal_tangential,
        vec4u(fixed_point(quanta * energies.lost_normal), fixed_point(quanta * energies.lost_tangential)));
    (*totals).friction_rolling = wide_add_two((*totals).friction_rolling,
        vec4u(fixed_point(quanta * energies.lost_friction), fixed_point(quanta * energies.lost_rolling)));
    (*totals).mindlin_contacts = wide_add_two((*totals).mindlin_contacts,
        vec4u(fixed_point(quanta * energies.gained_mindlin), sums.contacts, 0u));
    if task.measuring != 0u {
        (*totals).elastic_normal_tangential = wide_add_two((*totals).elastic_normal_tangential,
            vec4u(fixed_point(quanta * energies.elastic_normal), fixed_point(quanta * energies.elastic_tangential)));
        (*totals).elastic_rolling = wide_add_two((*totals).elastic_rolling,
            vec4u(fixed_point(quanta * energies.elastic_rolling), 0u, 0u));
    }
}

// Adds up losses and energies of all grains of a workgroup.
fn sum_up(local_index: u32, totals: ThreadSums) {
    let measuring = task.measuring != 0u;
    thread_sums[local_index] = pack_four(totals.normal_tangential);
    thread_sums[CREW_THREADS + local_index] = pack_four(totals.friction_rolling);
    thread_sums[2u * CREW_THREADS + local_index] = pack_four(totals.mindlin_contacts);
    if measuring {
        thread_sums[3u * CREW_THREADS + local_index] = pack_four(totals.elastic_normal_tangential);
        thread_sums[4u * CREW_THREADS + local_index] = pack_four(totals.elastic_rolling);
    }
    workgroupBarrier();
    if local_index < SUM_PARTS * select(ORDINARY_PAIRS, MEASURED_PAIRS, measuring) {
        var place = local_index * PART_THREADS;
        let end = place + PART_THREADS;
        var part = vec4u(0u);
        loop {
            part = wide_add_two(part, unpack_four(thread_sums[place]));
            place++;
            if place >= end {
                break;
            }
        }
        var number = 2u * (local_index / SUM_PARTS);
        var total = part.xy;
        loop {
            book(number, total);
            if number % 2u == 1u {
                break;
            }
            number++;
            total = part.zw;
        }
    }
}

// Reads a word of every line of memory that the grains of a workgroup have, in order. Returns nothing: zero, which only the
// host knows.
fn read_ahead(workgroup_id: vec3u, local_index: u32, grains: u32) -> u32 {
    // Slots whose histories share a line of 64 bytes; those of `slots` are shorter.
    const LINE_SLOTS: u32 = 4u;
    let first = min(dispatch_thread(workgroup_id, 0u, TURN_GRAINS), grains);
    let last = min(first + TURN_GRAINS, grains);
    var words = 0u;
    var slot = starts[first] + LINE_SLOTS * local_index;
    let end = starts[last];
    while slot < end {
        words |= u32(histories[slot].x) | unpack_two(slots[slot]).x;
        slot += LINE_SLOTS * CREW_THREADS;
    }
    var index = first + local_index;
    while index < last {
        words |= read_ahead_of_grain(index);
        index += CREW_THREADS;
    }
    return words & task.nothing;
}

// Goes through the grains of a workgroup: all that a kernel does.
fn take_turns(workgroup_id: vec3u, local_index: u32) {
    scene = params;
    task = evaluation;
    let grains = atomicLoad(&status[STATUS_GRAINS]);
    let halt = halt_found();
    var totals: ThreadSums;
    var turn = local_index;
    if READS_AHEAD && !is_halted(halt) {
        turn += read_ahead(workgroup_id, local_index, grains);
    }
    loop {
        let thread = dispatch_thread(workgroup_id, turn, TURN_GRAINS);
        let index = turn_grain(thread, starts[turn_word(thread, grains)]);
        // Grains that do not exist have the last turns.
        if is_halted(halt) || index >= grains {
            break;
        }
        add_grain(&totals, step_of_grain(index));
        turn += CREW_THREADS;
        if turn >= TURN_GRAINS {
            break;
        }
    }
    if local_index == 0u && dispatch_workgroup(workgroup_id) == 0u {
        count(halt);
    }
    sum_up(local_index, totals);
}
