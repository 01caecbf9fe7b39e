// What the device holds of each grain and of each slot of the neighbour list, and the numbers that all
// kernels share. Lengths are in mean radii, times in time steps, masses in mean masses. The host's side
// is src/gpu/layout.rs.
//#include lib/contact.wgsl
//#include lib/position.wgsl
//#include lib/words.wgsl

// What a contact reads of a grain.
struct Body {
    position: vec4u,
    // Predicted for the instant of the position.
    velocity: vec3f,
    // In units of positions.
    radius: u32,
    spin: vec3f,
    // Bit 31: fixed. From the lowest: remainder of the position, `remainder_bits` per axis; material.
    traits: u32,
}

// How a grain moves; only the grain itself reads it.
struct Motion {
    // Half a step after the instant of the position within a run, at that instant between runs.
    velocity: vec3f,
    id: u32,
    spin: vec3f,
    // Bits of an upper bound of the way since the neighbours were listed; while they are, where the grain's
    // saved contacts start.
    path: u32,
    // What rounding left, by axis. Bits 0 … 21: of the last move, see motion_remainder. Bits 22 … 31: of the
    // spin, as in `carry`.
    rests: vec3u,
    // Bits 0 … 29: what rounding left of the velocity, 10 bits per axis. Bit 31: has left the domain.
    carry: u32,
}

// Bodies and motions as they are in memory, four words at a time: devices that go through the threads of a group
// one by one to read or write memory do it once for each member of a struct.
const BODY_TEXELS: u32 = 3u;

struct BodyWords {
    position: vec4u,
    velocity_radius: vec4u,
    spin_traits: vec4u,
}

struct MotionWords {
    velocity_id: FourWords,
    spin_path: FourWords,
    rests_carry: FourWords,
}

fn body_of(words: BodyWords) -> Body {
    return Body(
        words.position,
        bitcast<vec3f>(words.velocity_radius.xyz),
        words.velocity_radius.w,
        bitcast<vec3f>(words.spin_traits.xyz),
        words.spin_traits.w,
    );
}

fn words_of_body(body: Body) -> BodyWords {
    return BodyWords(
        body.position,
        vec4u(bitcast<vec3u>(body.velocity), body.radius),
        vec4u(bitcast<vec3u>(body.spin), body.traits),
    );
}

fn motion_of(words: MotionWords) -> Motion {
    let velocity_id = unpack_four(words.velocity_id);
    let spin_path = unpack_four(words.spin_path);
    let rests_carry = unpack_four(words.rests_carry);
    return Motion(
        bitcast<vec3f>(velocity_id.xyz),
        velocity_id.w,
        bitcast<vec3f>(spin_path.xyz),
        spin_path.w,
        rests_carry.xyz,
        rests_carry.w,
    );
}

fn words_of_motion(motion: Motion) -> MotionWords {
    return MotionWords(
        pack_four(vec4u(bitcast<vec3u>(motion.velocity), motion.id)),
        pack_four(vec4u(bitcast<vec3u>(motion.spin), motion.path)),
        pack_four(vec4u(motion.rests, motion.carry)),
    );
}

const CARRY_LEFT: u32 = 0x80000000u;

// Steps of a remainder in a unit of positions; each is some 5·10⁻¹⁶ radii.
const REMAINDER_STEPS: f32 = 4194304.0;
const REMAINDER_HALF: f32 = 2097152.0;
const REMAINDER_BITS: u32 = 22u;
const REMAINDER_MASK: u32 = 0x3fffffu;

struct Acceleration {
    linear: vec3f,
    // What rounding left of it, as `carry` of a motion: a kick gives two partners opposite momenta.
    linear_carry: u32,
    angular: vec3f,
    // How far contacts that began off the middle of their kick shift the grain.
    shift: vec3f,
}

// Sizes of grains are sorted into classes, a factor of two wide, each with cells of its own.
const MOST_CLASSES: u32 = 32u;

struct StepParams {
    grid: GridParams,
    gravity: vec3f,
    // Length of a unit of positions.
    unit_length: f32,
    units_per_length: f32,
    // Furthest that grains act on each other without touching: a stretched neck, a film.
    neck: f32,
    // Between these the skin is chosen; equal if the scene gives it.
    thinnest_skin: f32,
    thickest_skin: f32,
    // Quanta of the ledger in a unit of energy, and of forces on walls in a unit of force.
    quanta: f32,
    material_count: u32,
    // Where in `tables` materials and faces start.
    materials_start: u32,
    faces_start: u32,
    slot_capacity: u32,
    // The hash table of cells has a power of two of entries; ones for the bits of their numbers.
    cell_mask: u32,
    // Bits of a cell's coordinate that its key takes.
    axis_bits: u32,
    // Steps between two decisions about the neighbour list.
    decision_steps: u32,
    // Bits per axis that traits have for the remainder of a position.
    remainder_bits: u32,
    // Of ContactLaws.
    contact_time: f32,
    adaptive_minimum_speed: f32,
    // Contacts that can be put aside.
    contact_capacity: u32,
    // Inverse mass of a grain of unit radius, and what two materials do, if there is only one.
    only_inverse_mass: f32,
    // Where in `tables` the numbers start that shaders/measure.wgsl weighs grains with.
    weights_start: u32,
    // Mantissa and exponent of the mass of a grain whose radius is one unit of positions, if there is only one material.
    only_weight: vec2u,
    @align(16) only_pair: PairCoefficients,
    // Number of the class and largest radius in it, in units.
    classes: array<vec4u, MOST_CLASSES>,
}

// Which evaluation of the forces this is.
struct Evaluation {
    // 1: the first of a run.
    starting: u32,
    // 1: the last of a batch; energies and forces on walls are wanted.
    measuring: u32,
    // 1: bodies are in the second buffer.
    away: u32,
    // 1: bodies move to the other buffer.
    moves: u32,
    // 0, which only the host knows.
    nothing: u32,
}

// A fluid at rest.
struct FluidParams {
    density: f32,
    viscosity: f32,
    drag_law: u32,
    // Gaps over (mean) radii from which on there is no film, zero for none at all, and below which films are
    // as strong as they get.
    grain_resolved: f32,
    grain_roughness: f32,
    wall_resolved: f32,
    wall_roughness: f32,
}

const DRAG_NONE: u32 = 0u;
const DRAG_STOKES: u32 = 1u;
const DRAG_SCHILLER_NAUMANN: u32 = 2u;

// How far from touching films are looked at, in their widest gaps.
const FILM_REACH: f32 = 1.25;

// A slot is vec2u(partner, root of the overlap at which the tangential stiffness was taken).
const SLOT_TOUCHING: u32 = 0x80000000u;
// The grain is the first of the pair: its id is lower.
const SLOT_FIRST: u32 = 0x40000000u;
const SLOT_WALL: u32 = 0x20000000u;
const SLOT_INDEX: u32 = 0x1fffffffu;

// Walls come after all grains in the order of partners.
const WALL: u32 = 0x80000000u;

const TRAITS_FIXED: u32 = 0x80000000u;

fn body_is_fixed(body: Body) -> bool {
    return (body.traits & TRAITS_FIXED) != 0u;
}

fn body_material(body: Body, remainder_bits: u32) -> u32 {
    return (body.traits & ~TRAITS_FIXED) >> (3u * remainder_bits);
}

// Remainder of the position, in units, rounded to the bits there are; the grain itself keeps all of it.
fn body_remainder(body: Body, remainder_bits: u32) -> vec3f {
    let shifts = vec3u(0u, 1u, 2u) * remainder_bits;
    let steps = (vec3u(body.traits) >> shifts) & vec3u((1u << remainder_bits) - 1u);
    return (vec3f(steps) + 0.5) / f32(1u << remainder_bits) - 0.5;
}

// Where a grain is, and how large, in units.
struct Place {
    position: vec4u,
    radius: u32,
    remainder: vec3f,
}

fn place_of(body: Body, remainder_bits: u32) -> Place {
    return Place(body.position, body.radius, body_remainder(body, remainder_bits));
}

// How two grains are to each other: overlap in units, direction from the first to the second. The other way round
// the overlap is the same to the bit, and the direction opposite.
struct GrainApproach {
    overlap: f32,
    normal: vec3f,
    // What is further than a cell is further than touching, and is not told how far.
    near: bool,
}

fn grain_approach(grid: GridParams, first: Place, second: Place) -> GrainApproach {
    let difference = grid_difference(grid, first.position, second.position);
    let touching = first.radius + second.radius;
    let normal = unit_normal(difference.units);
    var apart = -f32(touching);
    if difference.near {
        apart = overlap(touching, difference.units) - dot(normal, second.remainder - first.remainder);
    }
    return GrainApproach(apart, normal, difference.near);
}

// What rounding left of the last move, in units.
fn motion_remainder(motion: Motion) -> vec3f {
    return (vec3f(motion.rests & vec3u(REMAINDER_MASK)) - REMAINDER_HALF) / REMAINDER_STEPS;
}

// Rests with this remainder, at most ½ along each axis.
fn rests_with_remainder(rests: vec3u, remainder: vec3f) -> vec3u {
    let steps = round(remainder * REMAINDER_STEPS) + REMAINDER_HALF;
    return (rests & ~vec3u(REMAINDER_MASK)) | whole_sizes(clamp(steps, vec3f(0.0), vec3f(REMAINDER_STEPS - 1.0)));
}

// What rounding left of the spin, 10 bits per axis in one word.
fn motion_spin_carry(motion: Motion) -> u32 {
    let steps = motion.rests >> vec3u(REMAINDER_BITS);
    return steps.x | (steps.y << 10u) | (steps.z << 20u);
}

fn rests_with_spin_carry(rests: vec3u, carry: u32) -> vec3u {
    let steps = (vec3u(carry) >> vec3u(0u, 10u, 20u)) & vec3u(1023u);
    return (rests & vec3u(REMAINDER_MASK)) | (steps << vec3u(REMAINDER_BITS));
}

fn traits_with_remainder(traits: u32, remainder: vec3f, remainder_bits: u32) -> u32 {
    let most = f32(1u << remainder_bits);
    let steps = whole_sizes(clamp(floor((remainder + 0.5) * most), vec3f(0.0), vec3f(most - 1.0)));
    let mask = (1u << (3u * remainder_bits)) - 1u;
    return (traits & ~mask) | steps.x | (steps.y << remainder_bits)
        | (steps.z << (2u * remainder_bits));
}

// A row of the table of pairs of materials, five vectors long.
const PAIR_VECTORS: u32 = 5u;

fn pair_coefficients(a: vec4f, b: vec4f, c: vec4f, d: vec4f, e: vec4f) -> PairCoefficients {
    return PairCoefficients(
        a.x, a.y, a.z, a.w,
        b.x, b.y, b.z, b.w,
        c.x, c.y, c.z, c.w,
        d.x, d.y, d.z, d.w,
        e.x, e.y, e.z, e.w,
    );
}
