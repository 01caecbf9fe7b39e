// Exact positions: cell and fraction in integers of one length unit. Twins of src/position.rs.
//
// A position is vec4u(cell, fraction): cell indices in 11 + 11 + 10 bits from the lowest, and per axis
// 0 ≤ fraction < cell_units ≤ 2³¹.

//#include lib/whole.wgsl

// How positions make up the domain; see GridParams in src/gpu/layout.rs.
struct GridParams {
    // Number of cells along each axis.
    cells: vec3u,
    // Bit 0, 1, 2: the domain repeats along x, y, z.
    periodic: u32,
    // Units per cell.
    cell_units: vec3u,
    // Position of the upper side of the domain: cells, packed, ...
    upper_cell: u32,
    // ... and fractions.
    upper_fraction: vec3u,
}

// The vector from one position to the nearest image of another.
struct Difference {
    // Exact; without meaning if not near.
    units: vec3i,
    // Whether they are closer than one cell along every axis, or in neighbouring cells and not much further
    // apart. Others do not touch, and did not a step ago.
    near: bool,
}

// A position after a move.
struct Displaced {
    position: vec4u,
    // What is left of the move, at most half a unit per axis.
    remainder: vec3f,
    // How often a periodic side was crossed: positive at the upper side, negative at the lower.
    crossed: vec3i,
    // Whether the move would lead out of the domain; it was then not made.
    left: bool,
}

fn position_cells(position: vec4u) -> vec3u {
    return vec3u(position.x & 0x7ffu, (position.x >> 11u) & 0x7ffu, position.x >> 22u);
}

fn position_pack(cells: vec3u, fraction: vec3u) -> vec4u {
    return vec4u(cells.x | (cells.y << 11u) | (cells.z << 22u), fraction);
}

fn grid_periodic(grid: GridParams) -> vec3<bool> {
    return (vec3u(grid.periodic) & vec3u(1u, 2u, 4u)) != vec3u(0u);
}

// d = b − a along each axis, or the image of it across a periodic side if that is shorter.
fn grid_difference(grid: GridParams, a: vec4u, b: vec4u) -> Difference {
    let hop = vec3i(position_cells(b)) - vec3i(position_cells(a));
    let cells = vec3i(grid.cells);
    let periodic = grid_periodic(grid);
    let back = b.yzw < a.yzw;
    let apart = select(b.yzw - a.yzw, a.yzw - b.yzw, back);
    let across = grid.cell_units - apart;
    // b's cell is the next one up or down, which in a domain of one or two cells it can be both. From
    // there it is closer than a cell only if its fraction lies on a's side.
    let above = (hop == vec3i(1)) | (periodic & (hop == 1 - cells));
    let below = (hop == vec3i(-1)) | (periodic & (hop == cells - 1));
    let beside = (above & back) | (below & (b.yzw > a.yzw));
    let same = hop == vec3i(0);
    let crosses = beside & (!same | (apart > across));
    // Else more than a cell away: as grains of the largest size are that have just parted along an axis.
    let beyond = grid.cell_units + apart;
    let parted = !same & !crosses & (above | below) & (apart < grid.cell_units / 2u)
        & (beyond < vec3u(0x80000000u));
    let size = vec3i(select(select(apart, across, crosses), beyond, parted));
    let down = select(!above, hop < vec3i(0), above & below);
    let negative = select(back != crosses, down, parted);
    return Difference(select(size, -size, negative), all(same | crosses | parted));
}

// x² as vec2u(low, high), for x ≤ 2³¹.
fn wide_square(x: u32) -> vec2u {
    let low = x & 0xffffu;
    let high = x >> 16u;
    let cross = low * high;
    return wide_add(vec2u(low * low, high * high), vec2u(cross << 17u, cross >> 15u));
}

fn wide_add(a: vec2u, b: vec2u) -> vec2u {
    let low = a.x + b.x;
    return vec2u(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn wide_subtract(a: vec2u, b: vec2u) -> vec2u {
    return vec2u(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn wide_less(a: vec2u, b: vec2u) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

// The nearest f32: of the leading 32 bits, so that there is one rounding.
fn wide_float(a: vec2u) -> f32 {
    if a.y == 0u {
        return f32(a.x);
    }
    let shift = countLeadingZeros(a.y);
    // The second shift is split because it may not be by 32.
    let leading = (a.y << shift) | ((a.x >> 1u) >> (31u - shift));
    // Times 2^(32 − shift), exactly; ldexp may be less than exact.
    return f32(leading) * bitcast<f32>((127u + 32u - shift) << 23u);
}

// Overlap of two spheres in units: s = (r_i + r_j)² − |d|² exactly, δ = s/(r_i + r_j + |d|).
//
// `touching` is r_i + r_j < 2³¹. Three roundings in all, of s, of the denominator and of the quotient:
// r_i + r_j + |d| is 2 (r_i + r_j) − δ, which integers hold given a first guess of δ.
fn overlap(touching: u32, d: vec3i) -> f32 {
    let sizes = vec3u(abs(d));
    let distance_squared = wide_add(
        wide_add(wide_square(sizes.x), wide_square(sizes.y)),
        wide_square(sizes.z),
    );
    let touching_squared = wide_square(touching);
    let apart = wide_less(touching_squared, distance_squared);
    let s = wide_float(select(
        wide_subtract(touching_squared, distance_squared),
        wide_subtract(distance_squared, touching_squared),
        apart,
    ));
    let half_s = select(0.5, -0.5, apart) * s;
    let guess = half_s / (f32(touching) + length(vec3f(d)));
    let half_sum = touching - bitcast<u32>(whole_number(guess));
    return half_s / f32(half_sum);
}

// Unit vector along d; 0 for coincident centres, which have no direction.
fn unit_normal(d: vec3i) -> vec3f {
    let along = vec3f(d);
    return along / max(length(along), 1.0);
}

// Moves a position by `step` units, less than 2³¹ and at most two cells along each axis; what is less than a unit
// is carried in `remainder`.
fn grid_displace(grid: GridParams, position: vec4u, remainder: vec3f, step: vec3f) -> Displaced {
    // Whole and broken part of the step apart: their sum would lose the remainder of a long step.
    let whole = round(step);
    let broken = remainder + (step - whole);
    let carried = round(broken);
    let units = whole_numbers(whole) + whole_numbers(carried);
    let back = units < vec3i(0);
    let size = vec3u(abs(units));
    // Ahead: as many cells as fraction + size fills, at most three. Back by less than the fraction: none. Back by
    // more: as many as cover what is missing, at most two. Devices divide integers slowly.
    var ahead = position.yzw + size;
    var ahead_cells = vec3u(0u);
    for (var cell = 0u; cell < 3u; cell++) {
        let fills = ahead >= grid.cell_units;
        ahead -= select(vec3u(0u), grid.cell_units, fills);
        ahead_cells += vec3u(fills);
    }
    let missing = size - min(size, position.yzw);
    let back_cells = vec3u(missing > vec3u(0u)) + vec3u(missing > grid.cell_units);
    let fraction = select(ahead, position.yzw + back_cells * grid.cell_units - size, back);
    let cells = vec3i(position_cells(position))
        + select(vec3i(ahead_cells), -vec3i(back_cells), back);
    // Periods are counted towards minus infinity. Half a cell keeps quotients, a few thousand cells by as many at
    // most, clear of whole numbers.
    let count = vec3i(grid.cells);
    let periods = whole_numbers(floor((vec3f(cells) + 0.5) / vec3f(count)));
    let periodic = grid_periodic(grid);
    let crossed = select(vec3i(0), periods, periodic);
    let inside = vec3u(cells - crossed * count);
    let upper = position_cells(vec4u(grid.upper_cell, grid.upper_fraction));
    let beyond = (cells < vec3i(0)) | (inside > upper)
        | ((inside == upper) & (fraction > grid.upper_fraction));
    if any(!periodic & beyond) {
        return Displaced(position, remainder, vec3i(0), true);
    }
    return Displaced(position_pack(inside, fraction), broken - carried, crossed, false);
}
