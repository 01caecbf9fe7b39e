// How far a grain overlaps a wall, and in which direction the wall is. Twins of src/cpu/walls.rs.
//
// Distances start from a reference point in whole numbers and are reckoned in whole numbers, so that an
// overlap is as exact far from the origin, or on a wall of a thousand radii, as anywhere else.
//#include lib/wide.wgsl

const WALL_PLANE: u32 = 0u;
const WALL_SPHERE: u32 = 1u;
const WALL_CYLINDER: u32 = 2u;
// A segment turned about an axis: a piece of a cylinder or a cone.
const WALL_REVOLUTION: u32 = 3u;

// Which kinds there are in a scene, bit k for kind k: the compiler drops the others.
override FACE_KINDS: u32 = 15u;

fn has_faces(kind: u32) -> bool {
    return (FACE_KINDS & (1u << kind)) != 0u;
}

const WALL_INSIDE: u32 = 0u;
const WALL_OUTSIDE: u32 = 1u;

// Vectors that a face takes in `tables`.
const FACE_VECTORS: u32 = 8u;

struct Face {
    kind: u32,
    material: u32,
    // On which side of a curved face the grains are.
    side: u32,
    // Reference point in units, whole ...
    reference_x: vec2u,
    reference_y: vec2u,
    reference_z: vec2u,
    // ... and rest.
    remainder: vec3f,
    // Normal of a plane, axis of the others, in 30 binary places.
    direction: vec3i,
    // Any direction across the axis.
    across: vec3f,
    // In units: radius, or that at the start of a segment; at its end; its length along the axis.
    radius: vec2u,
    end_radius: vec2u,
    length: vec2u,
    // Direction of a segment (ρ, z) in 30 binary places.
    along: vec2i,
}

// The overlap in units, and the unit vector from the grain to the wall.
struct Approach {
    overlap: f32,
    normal: vec3f,
}

fn face_of(
    a: vec4u,
    b: vec4u,
    c: vec4u,
    d: vec4u,
    e: vec4u,
    f: vec4u,
    g: vec4u,
    h: vec4u,
) -> Face {
    return Face(
        a.x,
        a.y,
        a.z,
        b.xy,
        b.zw,
        c.xy,
        bitcast<vec3f>(d.xyz),
        bitcast<vec3i>(e.xyz),
        bitcast<vec3f>(f.xyz),
        g.xy,
        g.zw,
        h.xy,
        bitcast<vec2i>(h.zw),
    );
}

fn direction_float(direction: vec3i) -> vec3f {
    return vec3f(direction) / f32(1u << SCALE_BITS);
}

// One coordinate of a position relative to the reference point.
fn wall_offset(cell: u32, cell_units: u32, fraction: u32, reference: vec2u) -> vec2u {
    let whole = wide_add(wide_multiply(cell, cell_units), vec2u(fraction, 0u));
    return wide_subtract(whole, reference);
}

// `remainder` is what rounding left of the position, `radius` that of the grain in units.
fn wall_approach(
    grid: GridParams,
    face: Face,
    position: vec4u,
    remainder: vec3f,
    radius: u32,
) -> Approach {
    let cells = position_cells(position);
    let x = wall_offset(cells.x, grid.cell_units.x, position.y, face.reference_x);
    let y = wall_offset(cells.y, grid.cell_units.y, position.z, face.reference_y);
    let z = wall_offset(cells.z, grid.cell_units.z, position.w, face.reference_z);
    let rest = remainder - face.remainder;
    if has_faces(WALL_SPHERE) && face.kind == WALL_SPHERE {
        return round_approach(x, y, z, rest, vec3f(0.0, 0.0, 1.0), face, radius);
    }
    let direction = direction_float(face.direction);
    let forward = scaled_add(
        scaled_add(long_scale(x, face.direction.x), long_scale(y, face.direction.y)),
        long_scale(z, face.direction.z),
    );
    let has_axes = has_faces(WALL_CYLINDER) || has_faces(WALL_REVOLUTION);
    if !has_axes || face.kind == WALL_PLANE {
        let whole = long_clamp(wide_subtract(vec2u(radius, 0u), forward.whole));
        return Approach(f32(whole) - (forward.rest + dot(direction, rest)), -direction);
    }
    // From the point of the axis at the same height; a wrong height is an error of second order.
    let point_x = long_scale(forward.whole, face.direction.x);
    let point_y = long_scale(forward.whole, face.direction.y);
    let point_z = long_scale(forward.whole, face.direction.z);
    let radial_x = wide_subtract(x, point_x.whole);
    let radial_y = wide_subtract(y, point_y.whole);
    let radial_z = wide_subtract(z, point_z.whole);
    let radial_rest = rest - vec3f(point_x.rest, point_y.rest, point_z.rest);
    if !has_faces(WALL_REVOLUTION) || face.kind == WALL_CYLINDER {
        return round_approach(radial_x, radial_y, radial_z, radial_rest, face.across, face, radius);
    }
    let radial = vec3f(long_float(radial_x), long_float(radial_y), long_float(radial_z));
    let rough = length(radial);
    let outward = unit_or(radial, rough, face.across);
    let rho = long_from_float(rough);
    let rho_rest = long_excess(radial_x, radial_y, radial_z, rough, rho) + dot(outward, radial_rest);
    let forward_rest = forward.rest + dot(direction, rest);
    return turned_approach(face, rho, rho_rest, forward.whole, forward_rest, outward, direction, radius);
}

fn unit_or(v: vec3f, size: f32, otherwise: vec3f) -> vec3f {
    return select(otherwise, v / max(size, 1.0), size >= 1.0);
}

// A sphere, or a cylinder seen along its axis.
fn round_approach(
    x: vec2u,
    y: vec2u,
    z: vec2u,
    rest: vec3f,
    otherwise: vec3f,
    face: Face,
    radius: u32,
) -> Approach {
    let centre = vec3f(long_float(x), long_float(y), long_float(z));
    let distance = length(centre);
    let outward = unit_or(centre, distance, otherwise);
    if face.side == WALL_INSIDE {
        let room = wide_subtract(face.radius, vec2u(radius, 0u));
        if long_is_negative(room) {
            return Approach(distance - long_float(room), outward);
        }
        return Approach(long_excess(x, y, z, distance, room) + dot(outward, rest), outward);
    }
    let touching = wide_add(face.radius, vec2u(radius, 0u));
    return Approach(-(long_excess(x, y, z, distance, touching) + dot(outward, rest)), -outward);
}

// Closest point on a segment in the half-plane (ρ, z) of the grain. A piece is a thin sheet, felt from
// both sides; beyond its ends the rim is the closest part.
fn turned_approach(
    face: Face,
    rho: vec2u,
    rho_rest: f32,
    z: vec2u,
    z_rest: f32,
    outward: vec3f,
    axis: vec3f,
    radius: u32,
) -> Approach {
    let along = vec2f(face.along) / f32(1u << SCALE_BITS);
    let from_start = wide_subtract(rho, face.radius);
    let passed = (long_float(from_start) + rho_rest) * along.x + (long_float(z) + z_rest) * along.y;
    let rise = vec2f(
        long_float(wide_subtract(face.end_radius, face.radius)),
        long_float(face.length),
    );
    if passed >= 0.0 && passed <= length(rise) {
        // Along the segment's normal that points away from the axis, (t_z, −t_ρ).
        let height = scaled_add(
            long_scale(from_start, face.along.y),
            long_scale(z, -face.along.x),
        );
        let height_rest = height.rest + rho_rest * along.y - z_rest * along.x;
        let zero = all(height.whole == vec2u(0u));
        let within = select(long_is_negative(height.whole), height_rest < 0.0, zero);
        let size = select(height.whole, long_negate(height.whole), within);
        let size_rest = select(height_rest, -height_rest, within);
        let whole = long_clamp(wide_subtract(vec2u(radius, 0u), size));
        let normal = along.y * outward - along.x * axis;
        return Approach(f32(whole) - size_rest, select(-normal, normal, within));
    }
    let at_end = passed > 0.0;
    let rim_rho = wide_subtract(select(face.radius, face.end_radius, at_end), rho);
    let rim_z = wide_subtract(select(vec2u(0u), face.length, at_end), z);
    let to_rim = vec3i(long_clamp(rim_rho), long_clamp(rim_z), 0);
    let exact = vec2f(to_rim.xy) - vec2f(rho_rest, z_rest);
    let distance = length(exact);
    let normal = unit_or(exact.x * outward + exact.y * axis, distance, axis);
    let correction = dot(vec2f(to_rim.xy), vec2f(rho_rest, z_rest)) / max(distance, 1.0);
    return Approach(overlap(radius, to_rim) + correction, normal);
}
