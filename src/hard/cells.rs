//! Cells at least as wide as the largest grain.
//!
//! Positions are relative to the centre of a cell, so that the distance of two grains in neighbouring
//! cells is a small difference wherever they are, and a period needs no special care.

use super::grain::Grain;
use super::occupancy::{POSITIONS, steps};
use super::roots::closing_time;
use glam::DVec3;

/// A little more than the largest diameter, so that rounding cannot hide a contact.
const SPARE: f64 = 1.0 + 1e-9;

/// Largest margin, in cells: so that no two grains of neighbouring cells are more than 4 cells apart.
const LARGEST_MARGIN: f64 = 0.15;

/// Most cells along an axis: coordinates are 16-bit numbers.
const MOST_PER_AXIS: f64 = 65_535.0;

/// Fewer cells than this along a period leave open which way is the shortest: two grains of neighbouring ones are less
/// than three cells apart.
const FEW_CELLS: usize = 7;

#[derive(Debug, Clone)]
pub(super) struct Cells {
    /// Along how many axes there are neighbours: 2 or 3.
    dimensions: usize,
    pub(super) counts: [usize; 3],
    /// Length of a cell, m.
    pub(super) size: DVec3,
    pub(super) lower: DVec3,
    pub(super) periodic: [bool; 3],
    /// How far beyond a side of its cell a grain flies before it enters the next, m: one that turns back soon enters
    /// none. Two that touch are still in neighbouring cells.
    pub(super) margin: DVec3,
    /// For each axis and each coordinate along it.
    exits: [Vec<Exits>; 3],
    /// By the position of a row, from the centre of a cell to that of its own, m.
    ways: [DVec3; POSITIONS],
    /// The same in units of the largest side of a cell.
    short_ways: Ways,
}

/// How far from the centre of a cell a grain leaves it, down or up along an axis, m.
type Exits = [f64; 2];

/// Ways from the centre of a cell to those of others in single precision, by position; the fourth number is 0. The last one,
/// of no position, has no end: nobody is hit there.
pub(super) type Ways = [[f32; 4]; POSITIONS + 1];

/// Number of a cell where there are so many along each axis.
#[inline]
pub(super) fn index_among(counts: [usize; 3], cell: [u16; 3]) -> usize {
    let [x, y, z] = cell.map(usize::from);
    (z * counts[1] + y) * counts[0] + x
}

impl Cells {
    /// * `dimensions` — 2: one cell along z, which nothing leaves
    /// * `least` — the largest diameter, m
    /// * `wanted` — size that is best for speed, m
    pub(super) fn new(
        lower: DVec3,
        upper: DVec3,
        periodic: [bool; 3],
        dimensions: usize,
        least: f64,
        wanted: f64,
    ) -> Self {
        let length = upper - lower;
        let mut counts = [1; 3];
        let mut size = length;
        for axis in 0..dimensions {
            let most = (length[axis] / wanted.max(least * SPARE)).min(MOST_PER_AXIS);
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 1 and 65535"
            )]
            let count = most.floor().max(1.0) as usize;
            counts[axis] = count;
            #[allow(clippy::cast_precision_loss, reason = "at most 65535")]
            let cells = count as f64;
            size[axis] = length[axis] / cells;
        }
        let mut margin = DVec3::ZERO;
        for axis in 0..dimensions {
            let spare = 0.5 * (size[axis] - least * SPARE);
            margin[axis] = spare.clamp(0.0, LARGEST_MARGIN * size[axis]);
        }
        let mut periodic = periodic;
        for axis in dimensions..3 {
            periodic[axis] = false;
        }
        let unit = unit(size, dimensions);
        let ways = std::array::from_fn(|position| {
            #[allow(clippy::cast_precision_loss, reason = "0, 1 or 2")]
            let along = steps(position)
                .unwrap_or([1; 3])
                .map(|steps| steps as f64 - 1.0);
            size * DVec3::from_array(along)
        });
        let mut cells = Self {
            dimensions,
            counts,
            size,
            lower,
            periodic,
            margin,
            exits: Default::default(),
            ways,
            short_ways: std::array::from_fn(|position| {
                let endless = DVec3::new(f64::INFINITY, 0.0, 0.0);
                let way = ways.get(position).map_or(endless, |way| way / unit);
                way.extend(0.0).as_vec4().to_array()
            }),
        };
        cells.exits = std::array::from_fn(|axis| cells.exits_along(axis));
        cells
    }

    /// The [`Exits`] of all coordinates along an axis. Sides of the domain have no margin, even if it repeats there: so
    /// grains are always in it, and walls, which do not repeat, are where they seem to be.
    fn exits_along(&self, axis: usize) -> Vec<Exits> {
        let (half, last) = (0.5 * self.size[axis], self.counts[axis] - 1);
        let exit = |outermost: bool| half + if outermost { 0.0 } else { self.margin[axis] };
        (0..=last)
            .map(|here| [exit(here == 0), exit(here == last)])
            .collect()
    }

    /// Largest side of a cell, m.
    pub(super) fn unit(&self) -> f64 {
        unit(self.size, self.dimensions)
    }

    /// The cell of a position and the place in it.
    pub(super) fn locate(&self, position: DVec3) -> ([u16; 3], DVec3) {
        let mut cell = [0; 3];
        let mut place = DVec3::ZERO;
        for axis in 0..3 {
            let along = (position[axis] - self.lower[axis]) / self.size[axis];
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "below the number of cells, at most 65535"
            )]
            let index = (along.floor().max(0.0) as usize).min(self.counts[axis] - 1) as u16;
            cell[axis] = index;
            place[axis] = position[axis] - self.centre_along(axis, index);
        }
        (cell, place)
    }

    #[inline]
    fn centre_along(&self, axis: usize, index: u16) -> f64 {
        self.lower[axis] + (f64::from(index) + 0.5) * self.size[axis]
    }

    /// Where the centre of a cell is, m.
    #[inline]
    pub(super) fn centre(&self, cell: [u16; 3]) -> DVec3 {
        DVec3::new(
            self.centre_along(0, cell[0]),
            self.centre_along(1, cell[1]),
            self.centre_along(2, cell[2]),
        )
    }

    #[inline]
    pub(super) fn index(&self, cell: [u16; 3]) -> usize {
        index_among(self.counts, cell)
    }

    /// The cell on the other side of a side, or `None` outside the domain.
    #[inline]
    pub(super) fn neighbour(&self, axis: usize, index: u16, upwards: bool) -> Option<u16> {
        let last = self.counts[axis] - 1;
        let here = usize::from(index);
        let there = match (upwards, self.periodic[axis]) {
            (true, _) if here < last => here + 1,
            (true, true) => 0,
            (false, _) if here > 0 => here - 1,
            (false, true) => last,
            _ => return None,
        };
        u16::try_from(there).ok()
    }

    /// Number of cells.
    pub(super) fn count(&self) -> usize {
        self.counts.iter().product()
    }

    /// How far from the centre of its cell a grain leaves it along an axis, m.
    #[inline]
    pub(super) fn exit(&self, cell: [u16; 3], axis: usize, upwards: bool) -> f64 {
        self.exits[axis][usize::from(cell[axis])][usize::from(upwards)]
    }

    /// Puts a grain that is about to look around into the cell that it stays in longest: along each axis where it is in
    /// the margins of two, the one ahead. So it need not enter that later, with an event of its own.
    #[inline(always)]
    pub(super) fn enter_ahead(&self, grain: &mut Grain) {
        // All three, whatever `dimensions` is, so that the loop is written out; and without branches, since which way grains fly
        // and whether they are in a margin is a matter of chance.
        for axis in 0..3 {
            let velocity = grain.velocity[axis];
            let (size, upwards) = (self.size[axis], velocity > 0.0);
            let exit = self.exit(grain.cell, axis, upwards);
            let ahead = grain.position[axis] * 1.0_f64.copysign(velocity);
            // Sides of the domain have no margin.
            let enters = (ahead > size - exit) & (exit > 0.5 * size) & (velocity != 0.0);
            let way = if enters { size } else { 0.0 };
            grain.position[axis] -= way.copysign(velocity);
            let cell = grain.cell[axis] + u16::from(enters & upwards);
            grain.cell[axis] = cell - u16::from(enters & !upwards);
        }
    }

    /// When a grain leaves its cell in straight flight, s from its time, and through which side: 2 × axis, + 1 if upwards.
    ///
    /// Which way it flies is a matter of chance: a branch would be taken wrong every other time.
    #[inline(always)]
    pub(super) fn straight_exit(&self, grain: &Grain) -> (f64, u8) {
        let (x, v) = (grain.position.to_array(), grain.velocity.to_array());
        let mut times = [f64::INFINITY; 3];
        let mut sides = [0, 2, 4];
        for axis in 0..3 {
            let upwards = v[axis] > 0.0;
            let exit = self.exit(grain.cell, axis, upwards);
            let gap = (exit - x[axis] * 1.0_f64.copysign(v[axis])).max(0.0);
            // Along an axis that there are no neighbours along nothing is left.
            let moves = v[axis] != 0.0 && axis < self.dimensions;
            let time = gap / v[axis].abs();
            times[axis] = if moves { time } else { f64::INFINITY };
            sides[axis] += u8::from(upwards);
        }
        let (mut first, mut exit) = (times[0], sides[0]);
        for axis in 1..3 {
            let earlier = times[axis] < first;
            first = if earlier { times[axis] } else { first };
            exit = if earlier { sides[axis] } else { exit };
        }
        (first, exit)
    }

    /// The same for a grain that falls.
    pub(super) fn exit_of_fall(&self, grain: &Grain, gravity: DVec3) -> (f64, u8) {
        let (mut first, mut exit) = (f64::INFINITY, 0);
        for axis in 0..self.dimensions {
            let (x, v) = (grain.position[axis], grain.velocity[axis]);
            // The way to either side is a gap that closes.
            let exit_at = |upwards: bool| self.exit(grain.cell, axis, upwards);
            let (time, upwards) = if gravity[axis] == 0.0 {
                let time = (exit_at(v > 0.0) - x * 1.0_f64.copysign(v)).max(0.0) / v.abs();
                let time = if v == 0.0 { f64::INFINITY } else { time };
                (time, u8::from(v > 0.0))
            } else {
                let down = closing_time(x + exit_at(false), v, gravity[axis]);
                let up = closing_time(exit_at(true) - x, -v, -gravity[axis]);
                (down.min(up), u8::from(up < down))
            };
            #[allow(clippy::cast_possible_truncation, reason = "at most 2")]
            let side = 2 * axis as u8 + upwards;
            (first, exit) = if time < first {
                (time, side)
            } else {
                (first, exit)
            };
        }
        (first, exit)
    }

    /// From the centre of a cell to that of another, m, by the position of a row.
    #[inline]
    pub(super) fn way(&self, position: u32) -> DVec3 {
        self.ways[position as usize % POSITIONS]
    }

    /// The same ways in [units](Self::unit).
    #[inline]
    pub(super) fn short_ways(&self) -> &Ways {
        &self.short_ways
    }

    /// From one grain to another, m, along the shortest way.
    pub(super) fn separation(&self, from: &Grain, to: &Grain) -> DVec3 {
        let mut way = to.position - from.position;
        for axis in 0..3 {
            let mut cells = f64::from(to.cell[axis]) - f64::from(from.cell[axis]);
            // In neighbouring cells along a long axis that is the way already.
            if self.periodic[axis] && (cells.abs() > 1.0 || self.counts[axis] < FEW_CELLS) {
                #[allow(clippy::cast_precision_loss, reason = "at most 65535")]
                let count = self.counts[axis] as f64;
                let along = cells + way[axis] / self.size[axis];
                cells -= count * (along / count).round();
            }
            way[axis] += cells * self.size[axis];
        }
        way
    }

    /// Where along a space-filling curve a cell is: near ones are near in memory.
    pub(super) fn order(cell: [u16; 3]) -> u64 {
        let spread = |x: u16| {
            let mut x = u64::from(x);
            x = (x | (x << 16)) & 0x001F_0000_FF00_00FF;
            x = (x | (x << 8)) & 0x100F_00F0_0F00_F00F;
            x = (x | (x << 4)) & 0x10C3_0C30_C30C_30C3;
            (x | (x << 2)) & 0x1249_2492_4924_9249
        };
        spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2
    }
}

/// Largest side of a cell, m.
fn unit(size: DVec3, dimensions: usize) -> f64 {
    (0..dimensions).fold(0.0, |unit, axis| f64::max(unit, size[axis]))
}

#[cfg(test)]
mod tests {
    use super::super::grain::AT_REST;
    use super::*;

    /// Four cells of 1 m, grains of 0.6 m: margins of 0.15 m.
    fn cells() -> Cells {
        let upper = DVec3::new(4.0, 4.0, 4.0);
        Cells::new(DVec3::ZERO, upper, [true, false, false], 3, 0.6, 1.0)
    }

    /// Where a grain of the given cell ends up that is at `x` from its centre along the first axis.
    fn entered(cell: u16, x: f64, velocity: f64) -> (u16, f64) {
        let mut grain = AT_REST;
        grain.cell = [cell, 1, 1];
        (grain.position.x, grain.velocity.x) = (x, velocity);
        cells().enter_ahead(&mut grain);
        assert_eq!((grain.cell[1], grain.cell[2]), (1, 1));
        (grain.cell[0], grain.position.x)
    }

    #[test]
    fn grains_enter_the_cell_ahead_from_the_margins_of_both() {
        assert_eq!(cells().margin.x, 0.15);
        for (x, velocity, (cell, there)) in [
            (0.4, 1.0, (2, -0.6)),
            (0.6, 1.0, (2, -0.4)),
            (0.3, 1.0, (1, 0.3)),
            (-0.4, -1.0, (0, 0.6)),
            (-0.6, -1.0, (0, 0.4)),
            (-0.3, -1.0, (1, -0.3)),
            // Away from the side, or not at all.
            (0.4, -1.0, (1, 0.4)),
            (-0.4, 1.0, (1, -0.4)),
            (0.4, 0.0, (1, 0.4)),
            (-0.4, 0.0, (1, -0.4)),
            (-0.4, -0.0, (1, -0.4)),
        ] {
            let (got, place) = entered(1, x, velocity);
            assert_eq!(got, cell, "from {x} at {velocity}");
            assert!((place - there).abs() < 1e-15, "{place} instead of {there}");
        }
    }

    #[test]
    fn grains_do_not_enter_cells_beyond_a_side_of_the_domain() {
        // Rounding may have put them there.
        let beyond = 0.5 + 1e-9;
        assert_eq!(entered(0, -beyond, -1.0), (0, -beyond));
        assert_eq!(entered(3, beyond, 1.0), (3, beyond));
        assert_eq!(entered(0, 0.45, 1.0).0, 1);
    }
}
