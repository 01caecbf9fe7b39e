//! Positions on the device: integers exactly, overlaps to a few roundings.

use crate::device::gpu;
use crate::draw::Draw;
use crate::harness::{Call, run};
use glam::DVec3;
use lahar::gpu::layout::GridParams;
use lahar::position::{Grid, Position};
use std::sync::OnceLock;

/// Of an overlap of at most a fifth of a radius, or a gap of that size: s, the denominator and the
/// quotient are rounded once each, 6e-8.
const OVERLAP: f64 = 2e-7;

/// Of any other gap: the first guess of the denominator counts too.
const GAP: f64 = 4e-7;

/// Of a unit vector: three coordinates, their squares, the root and the quotient are rounded.
const NORMAL: f64 = 3e-7;

/// Of a move: the remainder, below 1, is rounded once.
const MOVE: f64 = 6e-8;

const ROWS: usize = 8192;

const SEED: u64 = 1964;

/// Moves of one creeping grain.
const CREEP_STEPS: u32 = 1000;

const CREEP: &str = "
//#include lib/position.wgsl
fn creep(grid: GridParams, start: vec4u, step: vec3f, count: u32) -> Displaced {
    var at = Displaced(start, vec3f(0.0), vec3i(0), false);
    for (var i = 0u; i < count; i++) {
        at = grid_displace(grid, at.position, at.remainder, step);
    }
    return at;
}
";

/// Domains of one to a few thousand cells, a third of their axes periodic on average, or all.
fn draw_grid(d: &mut Draw, always_periodic: bool) -> Grid {
    let size = DVec3::from_array(std::array::from_fn(|_| match d.choice(2) {
        0 => d.between(2.001, 9.0),
        _ => f64::from(d.scale(2.001, 3000.0)),
    }));
    let periodic = std::array::from_fn(|_| always_periodic || d.choice(3) == 0);
    Grid::new(DVec3::ZERO, size, periodic, 2.0)
}

/// Anywhere in the domain, often next to the side of a cell or of the domain.
fn draw_units(d: &mut Draw, grid: &Grid) -> [i64; 3] {
    std::array::from_fn(|axis| {
        let width = i64::from(grid.cell_units[axis]);
        let cell = i64::from(d.choice(grid.cells[axis]));
        let close = i64::from(d.choice(3));
        let units = match d.choice(4) {
            0 => cell * width + close,
            1 => (cell + 1) * width - 1 - close,
            _ => cell * width + (d.unit() * width as f64) as i64,
        };
        units.min(grid.size[axis]).min(grid.extent()[axis] - 1)
    })
}

/// Another place, from next to the first to anywhere.
fn draw_partner(d: &mut Draw, grid: &Grid, from: [i64; 3]) -> [i64; 3] {
    let anywhere = draw_units(d, grid);
    let far = d.choice(16) == 0;
    let moved = std::array::from_fn(|axis| {
        let width = f64::from(grid.cell_units[axis]);
        match d.choice(8) {
            _ if far => anywhere[axis],
            0 => from[axis],
            // A whole cell off.
            1 => from[axis] + width as i64 + i64::from(d.choice(3)) - 1,
            2 => from[axis] - width as i64 + i64::from(d.choice(3)) - 1,
            _ => from[axis] + (width * d.between(-1.3, 1.3)) as i64,
        }
    });
    let wrapped = grid.wrap(moved);
    std::array::from_fn(|axis| {
        let last = grid.size[axis].min(grid.extent()[axis] - 1);
        wrapped[axis].clamp(0, last)
    })
}

/// The domain as a shader takes it, without the padding.
fn grid_words(grid: &Grid) -> Vec<u32> {
    let words: [u32; 12] = bytemuck::cast(GridParams::from(grid));
    words[..11].to_vec()
}

fn position_words(grid: &Grid, units: [i64; 3]) -> [u32; 4] {
    let Position { cell, fraction } = grid.pack(units).expect("inside the cells");
    let [x, y, z] = fraction;
    [cell, x, y, z]
}

fn unpack(grid: &Grid, words: &[u32]) -> [i64; 3] {
    let position = Position {
        cell: words[0],
        fraction: [words[1], words[2], words[3]],
    };
    let units = grid.unpack(position);
    assert_eq!(grid.pack(units), Some(position), "a proper position");
    units
}

fn signed(words: &[u32]) -> [i64; 3] {
    [words[0], words[1], words[2]].map(|word| i64::from(word.cast_signed()))
}

fn floats(words: &[u32]) -> [f32; 3] {
    [words[0], words[1], words[2]].map(f32::from_bits)
}

struct Neighbours {
    grid: Grid,
    a: [i64; 3],
    b: [i64; 3],
}

struct Spheres {
    touching: u32,
    d: [i32; 3],
}

struct Move {
    grid: Grid,
    from: [i64; 3],
    remainder: [f32; 3],
    step: [f32; 3],
}

fn draw_neighbours(d: &mut Draw) -> Neighbours {
    let grid = draw_grid(d, false);
    let a = draw_units(d, &grid);
    let b = draw_partner(d, &grid, a);
    Neighbours { grid, a, b }
}

/// Most of them within a fifth of a radius of touching, down to a few units; some anywhere.
fn draw_spheres(d: &mut Draw) -> Spheres {
    let touching = d.scale(2f64.powi(26), 2f64.powi(31) - 200.0) as u32;
    let reach = f64::from(touching);
    let direction = match d.choice(8) {
        0 => DVec3::X,
        1 => -DVec3::Z,
        _ => d.direction(),
    };
    let vector = match d.choice(8) {
        0 => DVec3::from_array(std::array::from_fn(|_| d.between(-1.0, 1.0))) * 2f64.powi(31),
        1 => direction * reach,
        _ => direction * (reach - f64::from(d.signed(0.5, 0.1 * reach))),
    };
    let most = f64::from(i32::MAX);
    let d = vector
        .to_array()
        .map(|x| x.round().clamp(-most, most) as i32);
    Spheres { touching, d }
}

fn draw_move(d: &mut Draw) -> Move {
    let grid = draw_grid(d, false);
    let from = draw_units(d, &grid);
    let remainder = std::array::from_fn(|_| d.between(-0.5, 0.5) as f32);
    // From a thousandth of a unit to almost 2³¹, the longest step.
    let step = std::array::from_fn(|_| match d.choice(4) {
        0 => d.signed(1e-3, 10.0),
        _ => d.signed(1.0, 2.1e9),
    });
    Move {
        grid,
        from,
        remainder,
        step,
    }
}

fn draw_creep(d: &mut Draw) -> Move {
    let grid = draw_grid(d, true);
    let from = draw_units(d, &grid);
    let step = std::array::from_fn(|_| d.signed(1e-5, 2.0));
    Move {
        grid,
        from,
        remainder: [0.0; 3],
        step,
    }
}

/// What was drawn, and what the device made of it.
struct Outcome {
    neighbours: Vec<Neighbours>,
    spheres: Vec<Spheres>,
    moves: Vec<Move>,
    creeps: Vec<Move>,
    differences: Vec<Vec<u32>>,
    overlaps: Vec<Vec<u32>>,
    normals: Vec<Vec<u32>>,
    displaced: Vec<Vec<u32>>,
    crept: Vec<Vec<u32>>,
}

/// One run serves all tests.
fn outcome() -> Option<&'static Outcome> {
    static OUTCOME: OnceLock<Outcome> = OnceLock::new();
    let gpu = gpu()?;
    Some(OUTCOME.get_or_init(|| {
        let mut draw = Draw::new(SEED);
        let neighbours: Vec<_> = (0..ROWS).map(|_| draw_neighbours(&mut draw)).collect();
        let spheres: Vec<_> = (0..ROWS).map(|_| draw_spheres(&mut draw)).collect();
        let moves: Vec<_> = (0..ROWS).map(|_| draw_move(&mut draw)).collect();
        let creeps: Vec<_> = (0..ROWS).map(|_| draw_creep(&mut draw)).collect();
        let moved = |from: &Move| {
            let mut words = grid_words(&from.grid);
            words.extend(position_words(&from.grid, from.from));
            words
        };
        let calls = [
            Call {
                function: "grid_difference",
                rows: neighbours
                    .iter()
                    .map(|pair| {
                        let mut words = grid_words(&pair.grid);
                        words.extend(position_words(&pair.grid, pair.a));
                        words.extend(position_words(&pair.grid, pair.b));
                        words
                    })
                    .collect(),
            },
            Call {
                function: "overlap",
                rows: spheres
                    .iter()
                    .map(|pair| {
                        let mut words = vec![pair.touching];
                        words.extend(pair.d.map(i32::cast_unsigned));
                        words
                    })
                    .collect(),
            },
            Call {
                function: "unit_normal",
                rows: spheres
                    .iter()
                    .map(|pair| pair.d.map(i32::cast_unsigned).to_vec())
                    .collect(),
            },
            Call {
                function: "grid_displace",
                rows: moves
                    .iter()
                    .map(|from| {
                        let mut words = moved(from);
                        words.extend(from.remainder.map(f32::to_bits));
                        words.extend(from.step.map(f32::to_bits));
                        words
                    })
                    .collect(),
            },
            Call {
                function: "creep",
                rows: creeps
                    .iter()
                    .map(|from| {
                        let mut words = moved(from);
                        words.extend(from.step.map(f32::to_bits));
                        words.push(CREEP_STEPS);
                        words
                    })
                    .collect(),
            },
        ];
        let [differences, overlaps, normals, displaced, crept] =
            run(gpu, CREEP, &[], &calls).try_into().expect("five calls");
        Outcome {
            neighbours,
            spheres,
            moves,
            creeps,
            differences,
            overlaps,
            normals,
            displaced,
            crept,
        }
    }))
}

#[test]
fn differences_are_exact() {
    let Some(outcome) = outcome() else { return };
    let mut near_rows = 0;
    for (Neighbours { grid, a, b }, got) in outcome.neighbours.iter().zip(&outcome.differences) {
        let want = grid.difference(*a, *b);
        let near = (0..3).all(|axis| {
            let width = i64::from(grid.cell_units[axis]);
            let size = want[axis].abs();
            let hop = (a[axis] + want[axis]).div_euclid(width) - a[axis].div_euclid(width);
            // In neighbouring cells up to one and a half of them, as far as 32 bits hold that.
            size < width || (hop.abs() == 1 && size - width < width / 2 && size < 1 << 31)
        });
        assert_eq!(got[3], u32::from(near), "{grid:?} {a:?} {b:?}: {want:?}");
        if near {
            assert_eq!(signed(got), want, "{grid:?} {a:?} {b:?}");
            near_rows += 1;
        }
    }
    assert!(
        (ROWS / 2..ROWS * 9 / 10).contains(&near_rows),
        "{near_rows}"
    );
}

/// s and |d|² in 128 bits.
fn exact(pair: &Spheres) -> (i128, i128) {
    let square = |x: i128| x * x;
    let squared = pair.d.iter().map(|&x| square(i128::from(x))).sum::<i128>();
    (square(i128::from(pair.touching)) - squared, squared)
}

#[test]
fn overlaps_keep_their_digits() {
    let Some(outcome) = outcome() else { return };
    let mut worst = [0.0f64; 2];
    for (pair, got) in outcome.spheres.iter().zip(&outcome.overlaps) {
        let (s, squared) = exact(pair);
        let reach = f64::from(pair.touching);
        let want = s as f64 / (reach + (squared as f64).sqrt());
        let got = f64::from(f32::from_bits(got[0]));
        let far = want.abs() > 0.1 * reach;
        let bound = if far { GAP } else { OVERLAP };
        let off = if got == want {
            0.0
        } else {
            ((got - want) / want).abs()
        };
        assert!(
            off <= bound,
            "r = {}, d = {:?}: got {got}, want {want}, off by {off:e}",
            pair.touching,
            pair.d
        );
        let worst = &mut worst[usize::from(far)];
        *worst = worst.max(off);
    }
    eprintln!("overlap: {:.1e}, far apart {:.1e}", worst[0], worst[1]);
}

#[test]
fn normals_are_unit_vectors() {
    let Some(outcome) = outcome() else { return };
    let mut worst = 0.0f64;
    for (pair, got) in outcome.spheres.iter().zip(&outcome.normals) {
        let want = DVec3::from_array(pair.d.map(f64::from)).normalize_or_zero();
        let got = DVec3::from_array(floats(got).map(f64::from));
        let off = (got - want).length();
        assert!(off <= NORMAL, "{:?}: got {got}, want {want}", pair.d);
        worst = worst.max(off);
    }
    eprintln!("unit_normal: {worst:.1e}");
}

/// Whole units that a move makes: of the step, and of what it and the old remainder leave over.
fn whole_units(remainder: f32, step: f32) -> i64 {
    let whole = step.round_ties_even();
    let carried = (remainder + (step - whole)).round_ties_even();
    whole as i64 + carried as i64
}

#[test]
fn moves_are_exact_and_carry_what_is_left() {
    let Some(outcome) = outcome() else { return };
    let mut counts = [0; 3];
    for (from, got) in outcome.moves.iter().zip(&outcome.displaced) {
        let grid = &from.grid;
        let place = format!("{grid:?} {:?} + {:?}", from.from, from.step);
        let target: [i64; 3] = std::array::from_fn(|axis| {
            from.from[axis] + whole_units(from.remainder[axis], from.step[axis])
        });
        let extent = grid.extent();
        let left = (0..3).any(|axis| {
            let last = grid.size[axis].min(extent[axis] - 1);
            !grid.periodic[axis] && !(0..=last).contains(&target[axis])
        });
        assert_eq!(got[10], u32::from(left), "{place}");
        let (units, remainder, crossed) = (unpack(grid, got), floats(&got[4..]), signed(&got[7..]));
        if left {
            assert_eq!((units, crossed), (from.from, [0; 3]), "{place}");
            assert_eq!(remainder, from.remainder, "{place}");
            counts[0] += 1;
            continue;
        }
        assert_eq!(units, grid.wrap(target), "{place}");
        let step = DVec3::from_array(from.step.map(f64::from));
        let before = DVec3::from_array(from.remainder.map(f64::from));
        let (twin_units, twin_remainder) = grid.displace(from.from, before, step * grid.unit);
        for axis in 0..3 {
            let sides = target[axis].div_euclid(extent[axis]);
            assert_eq!(crossed[axis], sides, "{place}");
            counts[1] += usize::from(sides != 0);
            counts[2] += usize::from(from.from[axis] != units[axis]);
            assert!(remainder[axis].abs() <= 0.5, "{place}: {remainder:?}");
            let whole = (target[axis] - from.from[axis]) as f64;
            let left_over = before[axis] + (step[axis] - whole);
            let off = f64::from(remainder[axis]) - left_over;
            assert!(
                off.abs() <= MOVE,
                "{place}: left {remainder:?}, not {left_over}"
            );
            // The twin takes metres, and so rounds a step of 2³¹ units by 5e-7 of one.
            let apart = grid.difference(twin_units, units)[axis] as f64
                + (f64::from(remainder[axis]) - twin_remainder[axis]);
            assert!(apart.abs() <= 1e-6, "{place}: {apart} from the twin");
        }
    }
    let [left, crossings, moved] = counts;
    assert!(left > 100 && crossings > 100 && moved > ROWS, "{counts:?}");
}

#[test]
fn creep_is_not_lost() {
    let Some(outcome) = outcome() else { return };
    for (from, got) in outcome.creeps.iter().zip(&outcome.crept) {
        let units = unpack(&from.grid, got);
        let moved = from.grid.difference(from.from, units);
        let remainder = floats(&got[4..]);
        for axis in 0..3 {
            let want = f64::from(CREEP_STEPS) * f64::from(from.step[axis]);
            let way = moved[axis] as f64 + f64::from(remainder[axis]);
            let bound = f64::from(CREEP_STEPS) * MOVE;
            assert!((way - want).abs() <= bound, "{way} of {want}");
        }
    }
}

/// The upper side of a domain with as many cells as there can be belongs to none of them.
#[test]
fn the_upper_side_of_the_largest_domain_is_a_unit_further_in() {
    let upper_of = |size: f64| {
        let grid = Grid::new(DVec3::ZERO, DVec3::splat(size), [false; 3], 1.0);
        let params = GridParams::from(&grid);
        let units = grid.unpack(Position {
            cell: params.upper_cell,
            fraction: params.upper_fraction,
        });
        (grid, units)
    };
    let (grid, upper) = upper_of(1024.0);
    assert_eq!(grid.cells, [1025, 1025, 1024]);
    assert_eq!(upper, [grid.size[0], grid.size[1], grid.size[2] - 1]);
    let (grid, upper) = upper_of(1023.5);
    assert_eq!(upper, grid.size);
}
