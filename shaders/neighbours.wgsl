// Who is close to whom: counts the slots of each grain, and then fills them.
//
// Both are one kernel, so that they cannot disagree. A grain's slots are sorted by the partner's id,
// walls last.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/cells.wgsl
//#include lib/walls.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<uniform> listing: Listing;
@group(0) @binding(2) var<storage, read> status: array<u32>;
@group(0) @binding(3) var<storage, read> tables: array<vec4u>;
@group(0) @binding(4) var<storage, read> sorted_pairs: array<vec2u>;
@group(0) @binding(5) var<storage, read> cell_table: array<vec2u>;
@group(0) @binding(6) var<storage, read> new_bodies: array<Body>;
@group(0) @binding(7) var<storage, read> new_motions: array<Motion>;
// How many slots each grain has; then where they start.
@group(0) @binding(8) var<storage, read_write> new_starts: array<u32>;
// Partner, and for now its id.
@group(0) @binding(9) var<storage, read_write> new_slots: array<vec2u>;

struct Listing {
    // 0: count, 1: fill.
    fills: u32,
}

const THREADS: u32 = 64u;

fn face_at(index: u32) -> Face {
    let row = params.faces_start + FACE_VECTORS * index;
    return face_of(
        tables[row],
        tables[row + 1u],
        tables[row + 2u],
        tables[row + 3u],
        tables[row + 4u],
        tables[row + 5u],
        tables[row + 6u],
        tables[row + 7u],
    );
}

// First grain of a cell in the sorted order, or beyond all of them.
fn find_cell(key: u32) -> u32 {
    var entry = cell_hash(key) & params.cell_mask;
    loop {
        let found = cell_table[entry];
        if found.x == cell_mark(key) {
            return found.y;
        }
        if found.x == 0u {
            return STATUS_NONE;
        }
        entry = (entry + 1u) & params.cell_mask;
    }
    return STATUS_NONE;
}

// Puts a partner in its place among those before it.
fn insert_slot(first: u32, count: u32, partner: u32, id: u32) {
    var place = first + count;
    while place > first {
        let previous = new_slots[place - 1u];
        if previous.y < id {
            break;
        }
        new_slots[place] = previous;
        place--;
    }
    new_slots[place] = vec2u(partner, id);
}

// One thread per grain.
@compute @workgroup_size(THREADS)
fn neighbours(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    let grain_count = status[STATUS_GRAINS];
    if index >= grain_count {
        return;
    }
    let grain = new_bodies[index];
    let motion = new_motions[index];
    let is_fixed = body_is_fixed(grain);
    let reach = (bitcast<f32>(status[STATUS_SKIN]) + params.neck) * params.units_per_length;
    // Beyond a cell there is nothing that a list could be needed for.
    let reach_units = u32(min(reach, 1073741823.0));
    var first_slot = 0u;
    if listing.fills != 0u {
        first_slot = new_starts[index];
    }
    var count = 0u;
    for (var rank = 0u; rank < params.class_count; rank++) {
        let of_class = params.classes[rank];
        let furthest = grain.radius + of_class.y + reach_units;
        let range = cells_within(params.grid, grain.position, furthest, of_class.x);
        let cells = vec3i(params.grid.cells << vec3u(of_class.x));
        let periodic = grid_periodic(params.grid);
        // Never the same cell twice, however short the period.
        let first = select(max(range.first, vec3i(0)), range.first, periodic);
        let last = select(
            min(range.last, cells - 1), min(range.last, range.first + cells - 1), periodic);
        for (var z = first.z; z <= last.z; z++) {
            for (var y = first.y; y <= last.y; y++) {
                for (var x = first.x; x <= last.x; x++) {
                    // Coordinates start at most three cells of positions outside.
                    let cell = vec3u((vec3i(x, y, z) + 4 * cells) % cells);
                    let key = cell_key(cell, params.axis_bits, rank);
                    var other = find_cell(key);
                    while other < grain_count && sorted_pairs[other].x == key {
                        let partner = other;
                        other++;
                        let body = new_bodies[partner];
                        let touching = grain.radius + body.radius;
                        if partner == index || (is_fixed && body_is_fixed(body))
                            || !closer_than(
                                params.grid, grain.position, body.position, touching + reach_units)
                            || any(class_cell(params.grid, body.position, of_class.x) != cell) {
                            continue;
                        }
                        if listing.fills != 0u {
                            let id = new_motions[partner].id;
                            let is_first = select(0u, SLOT_FIRST, motion.id < id);
                            insert_slot(first_slot, count, partner | is_first, id);
                        }
                        count++;
                    }
                }
            }
        }
    }
    if !is_fixed {
        for (var face = 0u; face < params.face_count; face++) {
            let seen = wall_approach(
                params.grid, face_at(face), grain.position, motion.remainder, grain.radius);
            if seen.overlap > -f32(reach_units) {
                if listing.fills != 0u {
                    new_slots[first_slot + count] = vec2u(face | SLOT_WALL, WALL + face);
                }
                count++;
            }
        }
    }
    if listing.fills == 0u {
        new_starts[index] = count;
    }
}
