//! Cells at least as wide as the largest grain, and the grains in them.
//!
//! Positions are relative to the centre of a cell, so that the distance of two grains in neighbouring
//! cells is a small difference wherever they are, and a period needs no special care.

use super::grain::{Grain, NONE, Slot};
use super::lanes::{Batch, Lanes, WIDTH};
use super::paths::{Paths, Way};
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
    /// Grains of each cell.
    grains: Vec<Inhabitants>,
    /// The cells around a cell, itself included; then, for each of its sides, those beyond it.
    surroundings: [Vec<Step>; 7],
    /// The same cells as rows along x.
    rows: [Vec<Row>; 7],
    /// The ways of these steps in units of the largest side of a cell, in single precision.
    ways: [Vec<Way>; 7],
}

/// Which cells around a cell are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// All of them, and the cell itself.
    All,
    /// Those beyond a side: 2 × axis, + 1 if upwards.
    Beyond(usize),
}

impl Around {
    #[inline]
    fn index(self) -> usize {
        match self {
            Self::All => 0,
            Self::Beyond(side) => 1 + side,
        }
    }
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

/// Grains that a cell names itself; the others form a chain.
const DIRECT: usize = 3;

/// Grains that a cell names itself, in any of these places, and the first of the chain.
pub(super) const ENTRIES: usize = DIRECT + 1;

pub(super) type Inhabitants = [Slot; ENTRIES];

/// Neighbouring cells along x, which are side by side in memory.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The step to the first, and its number.
    steps: [i8; 3],
    step: u8,
    cells: u8,
    /// Difference of the indices inside the domain.
    offset: isize,
}

/// Rows around a certain cell: index of the first cell, how many there are, and number of the step.
struct RowsAround {
    count: usize,
    rows: [(usize, u8, u8); MOST_AROUND],
}

impl RowsAround {
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    fn put(&mut self, first: usize, cells: u8, step: u8) {
        self.rows[self.count] = (first, cells, step);
        self.count += 1;
    }

    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    fn iter(&self) -> std::slice::Iter<'_, (usize, u8, u8)> {
        self.rows[..self.count].iter()
    }
}

/// Most cells around a cell, itself included.
const MOST_AROUND: usize = 27;

/// Most grains that are listed at once.
const MOST_NEARBY: usize = MOST_AROUND * DIRECT;

/// Grains around a grain, and by which steps their cells are reached.
#[derive(Debug)]
pub(super) struct Nearby {
    pub(super) count: usize,
    /// Room for what is written as a whole and kept in part, and for filling up the last batch.
    pub(super) slots: [Slot; MOST_NEARBY + WIDTH],
    pub(super) steps: [u32; MOST_NEARBY + WIDTH],
    /// Chains of grains that are not listed yet.
    pub(super) chains: usize,
    pub(super) chain_slots: [Slot; MOST_AROUND + WIDTH],
    pub(super) chain_steps: [u32; MOST_AROUND + WIDTH],
}

impl Nearby {
    pub(super) fn new() -> Self {
        Self {
            count: 0,
            slots: [NONE; MOST_NEARBY + WIDTH],
            steps: [0; MOST_NEARBY + WIDTH],
            chains: 0,
            chain_slots: [NONE; MOST_AROUND + WIDTH],
            chain_steps: [0; MOST_AROUND + WIDTH],
        }
    }

    /// Adds the grains of a cell.
    #[inline]
    pub(super) fn put(&mut self, grains: &Inhabitants, step: u8) {
        let step = u32::from(step);
        for &slot in &grains[..DIRECT] {
            // Written in any case, and kept if there is a grain: nothing to guess.
            self.slots[self.count] = slot;
            self.steps[self.count] = step;
            self.count += usize::from(slot != NONE);
        }
        self.chain_slots[self.chains] = grains[DIRECT];
        self.chain_steps[self.chains] = step;
        self.chains += usize::from(grains[DIRECT] != NONE);
    }

    /// Lists the next grains of the chains, in place of what was listed; whether there are any.
    #[inline]
    pub(super) fn follow_chains(&mut self, paths: &Paths) -> bool {
        if self.chains == 0 {
            return false;
        }
        let chains = std::mem::take(&mut self.chains);
        for chain in 0..chains {
            let (slot, step) = (self.chain_slots[chain], self.chain_steps[chain]);
            self.slots[chain] = slot;
            self.steps[chain] = step;
            let next = paths.next(slot);
            self.chain_slots[self.chains] = next;
            self.chain_steps[self.chains] = step;
            self.chains += usize::from(next != NONE);
        }
        self.count = chains;
        true
    }

    /// The grains that are listed.
    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots[..self.count]
    }

    /// The grains that are listed, in batches; the last is filled up with `filler`.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    pub(super) fn batches(&mut self, filler: Slot) -> impl Iterator<Item = Batch<'_>> {
        self.slots[self.count..][..WIDTH].fill(filler);
        self.steps[self.count..][..WIDTH].fill(0);
        let batches = self.count.div_ceil(WIDTH);
        let slots = self.slots.as_chunks::<WIDTH>().0;
        let steps = self.steps.as_chunks::<WIDTH>().0;
        let both = slots.iter().zip(steps).take(batches);
        both.map(|(slots, steps)| Batch { slots, steps })
    }
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
        let surroundings = [
            around.clone(),
            beyond(0),
            beyond(1),
            beyond(2),
            beyond(3),
            beyond(4),
            beyond(5),
        ];
        let unit = unit(size, dimensions);
        let way = |step: &Step| (step.way / unit).as_vec3().extend(0.0).to_array();
        Self {
            dimensions,
            counts,
            size,
            lower,
            periodic,
            grains: vec![[NONE; ENTRIES]; counts.iter().product()],
            rows: std::array::from_fn(|around| rows(&surroundings[around])),
            ways: surroundings
                .each_ref()
                .map(|steps| steps.iter().map(way).collect()),
            surroundings,
        }
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
        let [x, y, z] = cell.map(usize::from);
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    pub(super) fn clear(&mut self) {
        self.grains.fill([NONE; ENTRIES]);
    }

    #[inline]
    pub(super) fn insert(&mut self, paths: &mut Paths, cell: [u16; 3], slot: Slot) {
        let index = self.index(cell);
        let grains = &mut self.grains[index];
        match grains[..DIRECT].iter_mut().find(|entry| **entry == NONE) {
            Some(free) => *free = slot,
            None => {
                paths.set_next(slot, grains[DIRECT]);
                grains[DIRECT] = slot;
            }
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, paths: &mut Paths, cell: [u16; 3], slot: Slot) {
        let index = self.index(cell);
        let grains = &mut self.grains[index];
        let first = grains[DIRECT];
        if let Some(entry) = grains[..DIRECT].iter_mut().find(|entry| **entry == slot) {
            *entry = first;
            if first != NONE {
                grains[DIRECT] = paths.next(first);
            }
            return;
        }
        let next = paths.next(slot);
        if first == slot {
            grains[DIRECT] = next;
            return;
        }
        let mut before = first;
        while paths.next(before) != slot {
            before = paths.next(before);
        }
        paths.set_next(before, next);
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
        &self.surroundings[around.index()]
    }

    /// The ways of the steps to the cells around a cell, in [units](Self::unit).
    #[inline]
    pub(super) fn ways(&self, around: Around) -> &[Way] {
        &self.ways[around.index()]
    }

    /// Lists the grains around a cell.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    pub(super) fn list<L: Lanes>(&self, cell: [u16; 3], around: Around, nearby: &mut Nearby) {
        (nearby.count, nearby.chains) = (0, 0);
        // Loops, since closures are not compiled for their caller's processor.
        for &(first, cells, step) in self.rows_around(cell, around).iter() {
            L::list(self.row(first, cells), step, nearby);
        }
    }

    /// Whether no cell around a cell is beyond a side of the domain.
    #[inline]
    fn is_inner(&self, cell: [u16; 3]) -> bool {
        (0..self.dimensions).all(|axis| {
            let here = usize::from(cell[axis]);
            here > 0 && here + 1 < self.counts[axis]
        })
    }

    /// The rows of cells around a cell.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    fn rows_around(&self, cell: [u16; 3], around: Around) -> RowsAround {
        let mut found = RowsAround {
            count: 0,
            rows: [(0, 0, 0); MOST_AROUND],
        };
        let rows = &self.rows[around.index()];
        if self.is_inner(cell) {
            let index = self.index(cell);
            for row in rows {
                found.put(index.wrapping_add_signed(row.offset), row.cells, row.step);
            }
            return found;
        }
        // What a step down, none or up along each axis adds to the index; none leads out of the domain.
        const OUTSIDE: usize = usize::MAX;
        let strides = [1, self.counts[0], self.counts[0] * self.counts[1]];
        let mut along = [[OUTSIDE; 3]; 3];
        for axis in 0..3 {
            let here = cell[axis];
            along[axis][1] = usize::from(here) * strides[axis];
            for (way, upwards) in [(0, false), (2, true)] {
                if let Some(there) = self.neighbour(axis, here, upwards) {
                    along[axis][way] = usize::from(there) * strides[axis];
                }
            }
        }
        let inner = cell[0] > 0 && usize::from(cell[0]) + 1 < self.counts[0];
        for row in rows {
            let [x, y, z] = row.steps.map(|step| usize::from((step + 1).unsigned_abs()));
            let (y, z) = (along[1][y], along[2][z]);
            if y == OUTSIDE || z == OUTSIDE {
                continue;
            }
            if inner {
                found.put(along[0][x] + y + z, row.cells, row.step);
                continue;
            }
            for (number, &x) in (row.step..).zip(&along[0][x..][..usize::from(row.cells)]) {
                if x != OUTSIDE {
                    found.put(x + y + z, 1, number);
                }
            }
        }
        found
    }

    /// The cells of a row.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    fn row(&self, first: usize, cells: u8) -> &[Inhabitants] {
        &self.grains[first..][..usize::from(cells)]
    }

    /// Visits the grains around a cell: number of the step to their cell, and who it is.
    pub(super) fn visit_grains(
        &self,
        paths: &Paths,
        cell: [u16; 3],
        around: Around,
        mut visit: impl FnMut(u8, Slot),
    ) {
        for &(first, cells, step) in self.rows_around(cell, around).iter() {
            for (step, grains) in (step..).zip(self.row(first, cells)) {
                for &slot in grains[..DIRECT].iter().filter(|&&slot| slot != NONE) {
                    visit(step, slot);
                }
                let mut slot = grains[DIRECT];
                while slot != NONE {
                    visit(step, slot);
                    slot = paths.next(slot);
                }
            }
        }
    }

    /// Asks for the rows of cells around a cell.
    #[inline]
    pub(super) fn fetch(&self, cell: [u16; 3], around: Around) {
        let index = self.index(cell);
        for row in &self.rows[around.index()] {
            let first = index.wrapping_add_signed(row.offset);
            let last = first.wrapping_add(usize::from(row.cells) - 1);
            // At a side of the domain a row may be elsewhere.
            for cell in [first, last] {
                if let Some(grains) = self.grains.get(cell) {
                    fetch(grains);
                }
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
        self.grains.capacity() * size_of::<Inhabitants>()
    }
}

/// Largest side of a cell, m.
fn unit(size: DVec3, dimensions: usize) -> f64 {
    (0..dimensions).fold(0.0, |unit, axis| f64::max(unit, size[axis]))
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

/// Steps to neighbouring cells as rows along x.
fn rows(steps: &[Step]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (number, step) in (0..).zip(steps) {
        match rows.last_mut() {
            Some(row) if row.steps[1..] == step.steps[1..] => row.cells += 1,
            _ => rows.push(Row {
                steps: step.steps,
                step: number,
                cells: 1,
                offset: step.offset,
            }),
        }
    }
    rows
}
