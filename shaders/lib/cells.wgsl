// Cells of the neighbour search: which one a grain is in, how cells are found again, and whether two
// grains are close.
//
// Grains are sorted into classes by size, a factor of two wide. Cells of class c are the cells of the
// positions cut into 2^c along each axis, no narrower than a diameter of that class.
//#include lib/grains.wgsl

// Finest class: more cuts would not leave room for a coordinate in 32 bits.
const FINEST_CLASS: u32 = 16u;

// The largest c with 2 r ≤ 2^(30 − c).
fn class_of(radius: u32) -> u32 {
    return min(countLeadingZeros(2u * radius - 1u) - 2u, FINEST_CLASS);
}

// Units across a cell of a class.
fn class_width(cell_units: vec3u, class_number: u32) -> vec3u {
    return (cell_units + ((1u << class_number) - 1u)) >> vec3u(class_number);
}

fn class_cell(grid: GridParams, position: vec4u, class_number: u32) -> vec3u {
    let within = position.yzw / class_width(grid.cell_units, class_number);
    return (position_cells(position) << vec3u(class_number)) + within;
}

// Whether a position is in a block of 2^doublings cells of a class along each axis: class_cell >> doublings == block,
// without its divisions, which devices do slowly.
fn is_in_block(grid: GridParams, position: vec4u, class_number: u32, block: vec3u, doublings: u32) -> bool {
    let width = class_width(grid.cell_units, class_number);
    let before = vec3i(position_cells(position) << vec3u(class_number));
    let most = vec3i(1 << class_number);
    let first = clamp(vec3i(block << vec3u(doublings)) - before, vec3i(0), most);
    let end = clamp(vec3i((block + 1u) << vec3u(doublings)) - before, vec3i(0), most);
    return all((position.yzw >= vec3u(first) * width) & (position.yzw < vec3u(end) * width));
}

// Coordinates of the cells of a class that lie within `reach` units of a position, ends included. They may
// lie outside the domain.
struct CellRange {
    first: vec3i,
    last: vec3i,
}

fn cells_within(grid: GridParams, position: vec4u, reach: u32, class_number: u32) -> CellRange {
    let width = class_width(grid.cell_units, class_number);
    let cells = vec3i(position_cells(position));
    let ahead = position.yzw + reach;
    let ahead_cells = ahead / grid.cell_units;
    let last = ((cells + vec3i(ahead_cells)) << vec3u(class_number))
        + vec3i((ahead - ahead_cells * grid.cell_units) / width);
    let missing = reach - min(vec3u(reach), position.yzw);
    let back_cells = (missing + (grid.cell_units - 1u)) / grid.cell_units;
    let first = ((cells - vec3i(back_cells)) << vec3u(class_number))
        + vec3i((position.yzw + back_cells * grid.cell_units - reach) / width);
    return CellRange(first, last);
}

// How the cells of a class lie around a position, in units.
struct Surroundings {
    // Which of a box of cells the position is in, and how far from its lower sides.
    home: vec3f,
    within: vec3f,
    // Of the narrowest cells: the last one of a cell of positions may be narrower than the others.
    width: vec3f,
    reach: f32,
}

fn surroundings_of(
    grid: GridParams,
    position: vec4u,
    class_number: u32,
    first: vec3i,
    reach: u32,
) -> Surroundings {
    let width = class_width(grid.cell_units, class_number);
    let cell = class_cell(grid, position, class_number);
    let others = ((1u << class_number) - 1u) * width;
    return Surroundings(
        vec3f(vec3i(cell) - first),
        vec3f(position.yzw % width),
        vec3f(grid.cell_units - min(grid.cell_units, others)),
        f32(reach),
    );
}

// Whether anything in a cell of the box can be closer than the reach: many corners and some edges of a box are too far away.
fn is_within_reach(around: Surroundings, offset: vec3u) -> bool {
    // More than what f32 rounds off.
    const MARGIN: f32 = 1.00001;
    let steps = vec3f(offset) - around.home;
    let below = around.within - (steps + 1.0) * around.width;
    let above = steps * around.width - around.within;
    let beside = select(select(vec3f(0.0), above, steps > vec3f(0.0)), below, steps < vec3f(0.0));
    let gap = max(beside, vec3f(0.0));
    return dot(gap, gap) <= MARGIN * around.reach * around.reach;
}

fn spread_bits(x: u32) -> u32 {
    var bits = x & 0x3ffu;
    bits = (bits | (bits << 16u)) & 0x030000ffu;
    bits = (bits | (bits << 8u)) & 0x0300f00fu;
    bits = (bits | (bits << 4u)) & 0x030c30c3u;
    return (bits | (bits << 2u)) & 0x09249249u;
}

// The lowest bits of the coordinates along a Morton curve, and above them the class. Cells far apart may
// share a key; grains are asked for their cell as well.
fn cell_key(cell: vec3u, axis_bits: u32, class_rank: u32) -> u32 {
    let mask = (1u << axis_bits) - 1u;
    let morton = spread_bits(cell.x & mask) | (spread_bits(cell.y & mask) << 1u)
        | (spread_bits(cell.z & mask) << 2u);
    return morton | (class_rank << (3u * axis_bits));
}

fn cell_hash(key: u32) -> u32 {
    // Neighbouring cells differ in their lowest bits, and the lowest bits choose the entry.
    let mixed = (key ^ (key >> 15u)) * 0x9e3779b1u;
    return mixed ^ (mixed >> 16u);
}

// An entry of the cell table: one more than the first grain of a cell, or free.
const CELL_FREE: u32 = 0u;

fn cell_entry(first: u32) -> u32 {
    return first + 1u;
}

fn cell_first(entry: u32) -> u32 {
    return entry - 1u;
}

// Grains sorted by their cells are vec2u(key, place), with a mark at the last one of each cell.
const SORTED_LAST: u32 = 0x80000000u;

fn sorted_place(pair: vec2u) -> u32 {
    return pair.y & ~SORTED_LAST;
}

fn sorted_ends_cell(pair: vec2u) -> bool {
    return (pair.y & SORTED_LAST) != 0u;
}

// Units between two coordinates, `hop` cells of `cell_units` apart, at most all ones.
fn axis_gap(hop: i32, cell_units: u32, a: u32, b: u32) -> u32 {
    if hop == 0 {
        return max(a, b) - min(a, b);
    }
    let cells = u32(abs(hop));
    if cells > 2u {
        return 0xffffffffu;
    }
    let lower = select(b, a, hop > 0);
    let upper = select(a, b, hop > 0);
    let one = cell_units - lower + upper;
    if cells == 1u {
        return one;
    }
    return select(one + cell_units, 0xffffffffu, one > 0xffffffffu - cell_units);
}

// The same to the nearest image along an axis that repeats after `count` cells.
fn nearest_gap(hop: i32, count: i32, cell_units: u32, a: u32, b: u32) -> u32 {
    return min(
        axis_gap(hop, cell_units, a, b),
        min(axis_gap(hop - count, cell_units, a, b), axis_gap(hop + count, cell_units, a, b)),
    );
}

// More cells than any axis has: so far away no image is the nearest.
const NEVER: i32 = 1 << 24u;

// Whether two positions are closer than `reach` < 2³¹ units. In whole numbers, because two kernels ask.
fn closer_than(grid: GridParams, a: vec4u, b: vec4u, reach: u32) -> bool {
    let hop = vec3i(position_cells(b)) - vec3i(position_cells(a));
    let count = select(vec3i(NEVER), vec3i(grid.cells), grid_periodic(grid));
    let gap = vec3u(
        nearest_gap(hop.x, count.x, grid.cell_units.x, a.y, b.y),
        nearest_gap(hop.y, count.y, grid.cell_units.y, a.z, b.z),
        nearest_gap(hop.z, count.z, grid.cell_units.z, a.w, b.w),
    );
    if any(gap >= vec3u(reach)) {
        return false;
    }
    let squared = wide_add(
        wide_add(wide_square(gap.x), wide_square(gap.y)),
        wide_square(gap.z),
    );
    return wide_less(squared, wide_square(reach));
}
