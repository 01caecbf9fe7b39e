//! Cells at least as wide as the largest grain, and the grains in them.
//!
//! Positions are relative to the centre of a cell, so that the distance of two grains in neighbouring
//! cells is a small difference wherever they are, and a period needs no special care.

use super::grain::{Grain, NONE, Slot};
use crate::cpu::fetch::fetch;
use glam::DVec3;

/// A little more than the largest diameter, so that rounding cannot hide a contact.
const SPARE: f64 = 1.0 + 1e-9;

/// Most cells along an axis: coordinates are 16-bit numbers.
const MOST_PER_AXIS: f64 = 65_535.0;

#[derive(Debug, Clone)]
pub(super) struct Cells {
    /// Along how many axes there are neighbours: 2 or 3.
    dimensions: usize,
    pub(super) counts: [usize; 3],
    /// Length of a cell, m.
    pub(super) size: DVec3,
    pub(super) lower: DVec3,
    pub(super) periodic: [bool; 3],
    /// First grain of each cell.
    heads: Vec<Slot>,
    /// The cells around a cell, itself included; then, for each of its sides, those beyond it.
    surroundings: [Vec<Step>; 7],
}

/// Which cells around a cell are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// All of them, and the cell itself.
    All,
    /// Those beyond a side: 2 × axis, + 1 if upwards.
    Beyond(usize),
}

/// From a cell to one around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    steps: [i8; 3],
    /// Difference of the indices inside the domain.
    offset: isize,
    /// From centre to centre, m.
    pub(super) way: DVec3,
}

/// Most cells around a cell, itself included.
pub(super) const MOST_AROUND: usize = 27;

/// Cells around a cell that are not empty: their first grains, and which steps lead to them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearby {
    pub(super) count: usize,
    pub(super) heads: [Slot; MOST_AROUND + 1],
    pub(super) steps: [u8; MOST_AROUND + 1],
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
        let mut periodic = periodic;
        for axis in dimensions..3 {
            periodic[axis] = false;
        }
        let around = surroundings(counts, size, dimensions);
        let beyond = |side: usize| {
            let (axis, step) = (side / 2, if side % 2 == 1 { 1 } else { -1 });
            let chosen = around.iter().filter(|entry| entry.steps[axis] == step);
            chosen.copied().collect::<Vec<_>>()
        };
        Self {
            dimensions,
            counts,
            size,
            lower,
            periodic,
            heads: vec![NONE; counts.iter().product()],
            surroundings: [
                around.clone(),
                beyond(0),
                beyond(1),
                beyond(2),
                beyond(3),
                beyond(4),
                beyond(5),
            ],
        }
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
        let [x, y, z] = cell.map(usize::from);
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    pub(super) fn clear(&mut self) {
        self.heads.fill(NONE);
    }

    #[inline]
    pub(super) fn insert(&mut self, grains: &mut [Grain], slot: Slot) {
        let index = self.index(grains[slot as usize].cell);
        grains[slot as usize].next = self.heads[index];
        self.heads[index] = slot;
    }

    #[inline]
    pub(super) fn remove(&mut self, grains: &mut [Grain], slot: Slot) {
        let Grain { cell, next, .. } = grains[slot as usize];
        let index = self.index(cell);
        if self.heads[index] == slot {
            self.heads[index] = next;
            return;
        }
        let mut before = self.heads[index];
        while grains[before as usize].next != slot {
            before = grains[before as usize].next;
        }
        grains[before as usize].next = next;
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

    /// The steps to the cells around a cell.
    #[inline]
    pub(super) fn steps(&self, around: Around) -> &[Step] {
        match around {
            Around::All => &self.surroundings[0],
            Around::Beyond(side) => &self.surroundings[1 + side],
        }
    }

    /// The cells around a cell that are not empty.
    #[inline]
    pub(super) fn nearby(&self, cell: [u16; 3], around: Around) -> Nearby {
        let mut nearby = Nearby {
            count: 0,
            heads: [NONE; MOST_AROUND + 1],
            steps: [0; MOST_AROUND + 1],
        };
        self.visit_nearby(cell, around, |step, head| {
            // Written in any case, and kept if there is a grain: nothing to guess.
            nearby.heads[nearby.count] = head;
            nearby.steps[nearby.count] = step;
            nearby.count += usize::from(head != NONE);
        });
        nearby
    }

    /// Visits the cells around a cell: number of the step, and the first grain or [`NONE`].
    #[inline]
    pub(super) fn visit_nearby(
        &self,
        cell: [u16; 3],
        around: Around,
        mut visit: impl FnMut(u8, Slot),
    ) {
        let steps = self.steps(around);
        let inner = (0..self.dimensions).all(|axis| {
            let here = usize::from(cell[axis]);
            here > 0 && here + 1 < self.counts[axis]
        });
        if inner {
            let index = self.index(cell);
            for (number, step) in (0..).zip(steps) {
                visit(number, self.heads[index.wrapping_add_signed(step.offset)]);
            }
            return;
        }
        // What a step down, none or up along each axis adds to the index.
        let strides = [1, self.counts[0], self.counts[0] * self.counts[1]];
        let along: [[Option<usize>; 3]; 3] = std::array::from_fn(|axis| {
            let here = cell[axis];
            [
                self.neighbour(axis, here, false),
                Some(here),
                self.neighbour(axis, here, true),
            ]
            .map(|there| there.map(|there| usize::from(there) * strides[axis]))
        });
        for (number, step) in (0..).zip(steps) {
            let [x, y, z] = step
                .steps
                .map(|step| usize::from((step + 1).unsigned_abs()));
            if let (Some(x), Some(y), Some(z)) = (along[0][x], along[1][y], along[2][z]) {
                visit(number, self.heads[x + y + z]);
            }
        }
    }

    /// Asks for the rows of cells around a cell.
    #[inline]
    pub(super) fn fetch(&self, cell: [u16; 3]) {
        let index = self.index(cell);
        let [nx, ny, _] = self.counts;
        for row in [
            0,
            nx,
            nx.wrapping_neg(),
            ny * nx,
            ny * nx + nx,
            ny * nx - nx,
            (ny * nx).wrapping_neg(),
            (ny * nx + nx).wrapping_neg(),
            (ny * nx - nx).wrapping_neg(),
        ] {
            if let Some(head) = self.heads.get(index.wrapping_add(row)) {
                fetch(head);
            }
        }
    }

    /// From one grain to another, m, along the shortest way.
    pub(super) fn separation(&self, from: &Grain, to: &Grain) -> DVec3 {
        let mut way = to.position - from.position;
        for axis in 0..3 {
            let mut cells = f64::from(to.cell[axis]) - f64::from(from.cell[axis]);
            if self.periodic[axis] {
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

    pub(super) fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<Slot>()
    }
}

/// All steps to neighbouring cells.
fn surroundings(counts: [usize; 3], size: DVec3, dimensions: usize) -> Vec<Step> {
    let reach = |axis: usize| if axis < dimensions { -1..=1 } else { 0..=0 };
    let mut around = Vec::new();
    for z in reach(2) {
        for y in reach(1) {
            for x in reach(0) {
                let steps: [i8; 3] = [x, y, z];
                let [dx, dy, dz] = steps.map(isize::from);
                let [nx, ny, _] = counts.map(usize::cast_signed);
                around.push(Step {
                    steps,
                    offset: (dz * ny + dy) * nx + dx,
                    way: size * DVec3::from_array(steps.map(f64::from)),
                });
            }
        }
    }
    around
}
