// Who is close to whom: counts the slots of each grain, and then fills them.
//
// Both are one kernel, so that they cannot disagree. Grains are counted in their new order, but are still
// in their old places. A grain's slots are sorted by the partner's id, walls last.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/cells.wgsl
//#include lib/walls.wgsl
//#include bound/bodies.wgsl
//#include bound/tables.wgsl

@group(0) @binding(0) var<uniform> params: StepParams;
@group(0) @binding(1) var<storage, read> status: array<u32>;
@group(0) @binding(2) var<storage, read> tables: array<vec4u>;
@group(0) @binding(3) var<storage, read> sorted_pairs: array<TwoWords>;
@group(0) @binding(4) var<storage, read> cell_table: array<u32>;
@group(0) @binding(5) var<storage, read> bodies: array<Texel>;
@group(0) @binding(6) var<storage, read> motions: array<Motion>;
// How many slots each grain has; then where they start.
@group(0) @binding(7) var<storage, read_write> starts: array<u32>;
// Partner, and for now its id.
@group(0) @binding(8) var<storage, read_write> slots: array<TwoWords>;

// Whether slots are filled, or only counted.
override FILLS: bool;
// Number of classes of sizes, and of faces of walls. Constants, not parameters: Mesa's software device compiles
// a kernel anew, and keeps it, whenever it comes to one whose loops depend on a parameter.
override CLASS_COUNT: u32;
override FACE_COUNT: u32;
// Whether grains differ in size, and whether any is fixed: what does not need to be known of others is not read.
override SIZES_DIFFER: bool;
override ANY_FIXED: bool;

const THREADS: u32 = 64u;

// A grain in the sorted order: its number there, its key and its place.
struct Sorted {
    number: u32,
    pair: vec2u,
}

fn sorted_at(number: u32) -> Sorted {
    return Sorted(number, unpack_two(sorted_pairs[number]));
}

// First grain of a cell in the sorted order, or one with another key if there is none. Tested at its end, as all loops here
// that are gone through often: devices go through one that is tested at its beginning once more than there is anything to do.
fn find_cell(key: u32) -> Sorted {
    var entry = cell_hash(key) & scene.cell_mask;
    var first: Sorted;
    loop {
        let found = cell_table[entry];
        let is_free = found == CELL_FREE;
        first = sorted_at(select(cell_first(found), 0u, is_free));
        if is_free || first.pair.x == key {
            break;
        }
        entry = (entry + 1u) & scene.cell_mask;
    }
    return first;
}

// First grain of a block of cells, whose keys start with `key`, or of what follows it, or the last of all.
fn find_block(key: u32, grain_count: u32) -> Sorted {
    var low = 0u;
    var high = grain_count;
    while low < high {
        let middle = (low + high) / 2u;
        if sorted_at(middle).pair.x < key {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return sorted_at(min(low, grain_count - 1u));
}

// How many times the cells of a class are doubled, so that a few of them cover `reach`: a large grain would
// visit thousands of cells of small ones, more than some devices let a loop run. Never wider than a cell of
// positions, of which a period is a whole number, nor than what keys tell apart.
fn block_doublings(reach: u32, class_number: u32) -> u32 {
    let width = class_width(scene.grid.cell_units, class_number);
    let ratio = reach / max(width.x, max(width.y, width.z));
    let wanted = 31u - countLeadingZeros(max(ratio, 1u));
    return min(wanted, min(class_number, scene.axis_bits));
}

// The cell after this one in a box of cells, along x first.
fn next_offset(offset: vec3u, extent: vec3u) -> vec3u {
    let ends_row = offset.x + 1u == extent.x;
    let ends_layer = ends_row && offset.y + 1u == extent.y;
    return vec3u(
        select(offset.x + 1u, 0u, ends_row),
        select(offset.y + select(0u, 1u, ends_row), 0u, ends_layer),
        offset.z + select(0u, 1u, ends_layer),
    );
}

// Brings partners that were found one after the other into their order. Not done as they are found: devices whose threads go together
// would go through it for each grain that is looked at.
fn sort_slots(first: u32, count: u32, own_id: u32) {
    for (var k = 0u; k < count; k++) {
        let partner = unpack_two(slots[first + k]).x;
        let id = motions[sorted_place(sorted_at(partner).pair)].id;
        var place = first + k;
        loop {
            if place == first {
                break;
            }
            let previous = slots[place - 1u];
            if unpack_two(previous).y < id {
                break;
            }
            slots[place] = previous;
            place--;
        }
        slots[place] = pack_two(vec2u(partner | select(0u, SLOT_FIRST, own_id < id), id));
    }
}

// One thread per grain.
@compute @workgroup_size(THREADS)
fn neighbours(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    scene = params;
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    let grain_count = status[STATUS_GRAINS];
    if index >= grain_count {
        return;
    }
    let place = sorted_place(sorted_at(index).pair);
    let grain = body_of(body_words(place));
    let motion = motions[place];
    let is_fixed = body_is_fixed(grain);
    let reach = (bitcast<f32>(status[STATUS_SKIN]) + scene.neck) * scene.units_per_length;
    // Beyond a cell there is nothing that a list could be needed for.
    let reach_units = u32(min(reach, 1073741823.0));
    var first_slot = 0u;
    if FILLS {
        first_slot = starts[index];
    }
    var count = 0u;
    for (var rank = 0u; rank < CLASS_COUNT; rank++) {
        // Not of `scene`: threads would have to keep a copy of the whole array to choose from.
        let of_class = params.classes[rank];
        let furthest = grain.radius + of_class.y + reach_units;
        // Blocks of 2^doublings cells along each axis; their grains are neighbours in the sorted order.
        let doublings = block_doublings(furthest, of_class.x);
        let fine = cells_within(scene.grid, grain.position, furthest, of_class.x);
        let range = CellRange(fine.first >> vec3u(doublings), fine.last >> vec3u(doublings));
        let cells = vec3i(scene.grid.cells << vec3u(of_class.x - doublings));
        let periodic = grid_periodic(scene.grid);
        // Never the same cell twice, however short the period.
        let first = select(max(range.first, vec3i(0)), range.first, periodic);
        let last = select(
            min(range.last, cells - 1), min(range.last, range.first + cells - 1), periodic);
        let extent = vec3u(max(last - first + 1, vec3i(0)));
        let cell_count = extent.x * extent.y * extent.z;
        // Coordinates start at most three cells of positions outside, and go on for no more than a period.
        let start = vec3u((first + 4 * cells) % cells);
        // Of a range that is cut short a cell may be close as another image of itself.
        let is_cut = any(periodic & (last < range.last));
        let can_skip = doublings == 0u && !is_cut;
        let around = surroundings_of(scene.grid, grain.position, of_class.x, first, furthest);
        var offset = vec3u(0u);
        var number = 0u;
        loop {
            // On to the next cell that can hold a neighbour.
            loop {
                if number >= cell_count || !can_skip || is_within_reach(around, offset) {
                    break;
                }
                offset = next_offset(offset, extent);
                number++;
            }
            if number >= cell_count {
                break;
            }
            let beyond = start + offset;
            let cell = beyond - select(vec3u(0u), vec3u(cells), beyond >= vec3u(cells));
            offset = next_offset(offset, extent);
            number++;
            let key = cell_key(cell << vec3u(doublings), scene.axis_bits, rank);
            let last_key = key + ((1u << (3u * doublings)) - 1u);
            var other: Sorted;
            if doublings == 0u {
                other = find_cell(key);
            } else {
                other = find_block(key, grain_count);
            }
            let is_grain = other.pair.x >= key && other.pair.x <= last_key;
            loop {
                let body = body_of(body_words(sorted_place(other.pair)));
                let touching = grain.radius + select(grain.radius, body.radius, SIZES_DIFFER);
                let can_act = !(ANY_FIXED && is_fixed && body_is_fixed(body));
                let is_close = is_grain && other.number != index && can_act
                    && closer_than(
                        scene.grid, grain.position, body.position, touching + reach_units);
                if is_close && is_in_block(scene.grid, body.position, of_class.x, cell, doublings) {
                    if FILLS {
                        slots[first_slot + count] = pack_two(vec2u(other.number, 0u));
                    }
                    count++;
                }
                let is_last = doublings == 0u && sorted_ends_cell(other.pair);
                if !is_grain || is_last || other.number + 1u >= grain_count {
                    break;
                }
                other = sorted_at(other.number + 1u);
                if other.pair.x > last_key {
                    break;
                }
            }
        }
    }
    if FILLS {
        sort_slots(first_slot, count, motion.id);
    }
    if !is_fixed {
        for (var face = 0u; face < FACE_COUNT; face++) {
            let seen = wall_approach(
                scene.grid, face_at(face), grain.position, motion_remainder(motion), grain.radius);
            if seen.overlap > -f32(reach_units) {
                if FILLS {
                    slots[first_slot + count] = pack_two(vec2u(face | SLOT_WALL, WALL + face));
                }
                count++;
            }
        }
    }
    if !FILLS {
        starts[index] = count;
    }
}
