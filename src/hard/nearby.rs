//! The rows around a cell that hold grains.

use super::grain::{NONE, Slot};
use super::lanes::{Batch, WIDTH};
use super::lines::{Lines, ROWS};
use super::occupancy::{Around, OWN, Rows};

/// Lines that are asked for together.
const TOGETHER: usize = 4;

/// Rows of lines around a cell that have not been looked at yet.
#[derive(Debug)]
pub(super) struct Nearby<'a> {
    /// Those of the lines of the cells, as bits at their positions.
    left: u64,
    /// Cells whose further lines have not been looked at, by the positions of their first rows.
    crowded: u64,
    /// The next further line, or [`NONE`], …
    further: u32,
    /// … and the position of its cell.
    position: u32,
    lines: &'a Lines,
    rows: Rows<'a>,
}

impl<'a> Nearby<'a> {
    /// Looks around a cell.
    #[inline(always)]
    pub(super) fn look(lines: &'a Lines, cell: [u16; 3], around: Around) -> Self {
        let occupancy = lines.occupancy();
        let first_rows = around.first_rows();
        let bits = occupancy.around(cell) & (first_rows | first_rows << 1);
        // Their first bits are not set, but there are grains in both rows.
        let crowded = bits >> 1 & !bits & first_rows;
        Self {
            left: bits | crowded,
            crowded,
            further: NONE,
            position: 0,
            lines,
            rows: occupancy.rows(cell),
        }
    }

    /// Leaves out a grain in the cell itself, if it is not in a further line.
    #[inline]
    pub(super) fn leave_out(&mut self, slot: Slot) {
        let [first, second] = &self.lines.all()[Lines::line_of(self.rows.own()) as usize].0;
        let here = u64::from(first.slot == slot) | u64::from(second.slot == slot) << 1;
        self.left &= !(here << OWN);
    }

    /// Rows of the lines of the cells that have not been looked at, as bits at their positions.
    #[inline]
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// The next rows of the lines of the cells, in the order of positions. If there are fewer than in a batch, the rest have no
    /// position.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Batch {
        let mut batch = Batch {
            rows: [0; WIDTH],
            positions: [0; WIDTH],
        };
        for lane in 0..WIDTH {
            // There are as many positions as bits: where none is left, it is the number of bits.
            let position = self.left.trailing_zeros();
            self.left &= self.left.wrapping_sub(1);
            batch.rows[lane] = self.rows.at(position);
            batch.positions[lane] = position;
        }
        batch
    }

    /// The grain at a position of the lines of the cells.
    #[inline]
    pub(super) fn slot(&self, position: u32) -> Slot {
        self.lines.slot(self.rows.at(position))
    }

    /// The next rows that are in further lines, filled up with nobody's.
    pub(super) fn next_further(&mut self) -> Batch {
        let lines = self.lines;
        let mut batch = Batch {
            rows: [lines.nobody(); WIDTH],
            positions: [0; WIDTH],
        };
        let mut count = 0;
        while count < WIDTH && self.find_further() {
            for row in 0..ROWS {
                batch.rows[count + row] = lines.row(self.further, row);
                batch.positions[count + row] = self.position;
            }
            count += ROWS;
            self.further = lines.further(self.further);
        }
        batch
    }

    /// Goes on to the next crowded cell if the last one has no more lines. Whether there is a line.
    fn find_further(&mut self) -> bool {
        if self.further == NONE && self.crowded != 0 {
            let position = self.crowded.trailing_zeros();
            self.crowded &= self.crowded - 1;
            let line = Lines::line_of(self.rows.at(position));
            self.further = self.lines.further(line);
            self.position = position;
        }
        self.further != NONE
    }

    /// Whether there are rows in further lines.
    #[inline]
    pub(super) fn has_further(&self) -> bool {
        self.crowded != 0 || self.further != NONE
    }

    /// Calls a function with the lines of the cells that have grains, but for further ones.
    #[inline(always)]
    pub(super) fn each_line(&self, mut call: impl FnMut(u32)) {
        let mut left = self.left & Around::ALL.first_rows();
        while left != 0 {
            // How many there are is a matter of chance: the fewer times that is asked, the better. Where none is left, it is a
            // row that there is.
            for _ in 0..TOGETHER {
                call(Lines::line_of(self.rows.at(left.trailing_zeros())));
                left &= left.wrapping_sub(1);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says what it expects")]
mod tests {
    use super::super::cells::Cells;
    use super::super::occupancy::{POSITIONS, position, steps};
    use super::*;
    use glam::DVec3;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    /// The grains that are found around a cell, in order: position of the cell, and who it is.
    fn found(lines: &Lines, cell: [u16; 3], around: Around) -> Vec<(usize, Slot)> {
        let mut found = Vec::new();
        let mut nearby = Nearby::look(lines, cell, around);
        while nearby.left() != 0 {
            let batch = nearby.next();
            let all = batch.rows.iter().zip(&batch.positions);
            let there = all.filter(|&(_, &place)| (place as usize) < POSITIONS);
            found.extend(there.map(|(&row, &place)| (place as usize, lines.slot(row))));
        }
        assert!(found.iter().all(|&(_, slot)| slot != NONE));
        while nearby.has_further() {
            let batch = nearby.next_further();
            let all = batch.rows.iter().zip(&batch.positions);
            let all = all.map(|(&row, &place)| (place as usize, lines.slot(row)));
            found.extend(all.filter(|&(_, slot)| slot != NONE));
        }
        for (place, _) in &mut found {
            *place = position(steps(*place).unwrap());
        }
        found.sort_unstable();
        found
    }

    /// The same from the coordinates of all grains.
    fn expected(
        cells: &Cells,
        homes: &[[u16; 3]],
        cell: [u16; 3],
        side: Option<usize>,
    ) -> Vec<(usize, Slot)> {
        let mut expected = Vec::new();
        for step in 0..27 {
            let along = [step % 3, step / 3 % 3, step / 9];
            if let Some(side) = side
                && along[side / 2] != side % 2 * 2
            {
                continue;
            }
            let there = [0, 1, 2].map(|axis| match along[axis] {
                1 => Some(cell[axis]),
                steps => cells.neighbour(axis, cell[axis], steps == 2),
            });
            let [Some(x), Some(y), Some(z)] = there else {
                continue;
            };
            let here = (0..).zip(homes).filter(|&(_, home)| *home == [x, y, z]);
            expected.extend(here.map(|(slot, _)| (position(along), slot)));
        }
        expected.sort_unstable();
        expected
    }

    /// Domains that repeat and that do not, with few cells and with more than a byte has bits for, in two dimensions and three;
    /// grains come and go.
    #[test]
    fn all_grains_around_a_cell_are_found_and_no_others() {
        let mut random = Pcg64::seed_from_u64(1);
        for (size, periodic, dimensions) in [
            ([5.0, 4.0, 3.0], [true, true, true], 3),
            ([9.0, 2.0, 3.0], [false, true, false], 3),
            ([1.0, 3.0, 2.0], [true, false, true], 3),
            ([6.0, 5.0, 1.0], [true, false, false], 2),
        ] {
            let upper = DVec3::from_array(size);
            let cells = Cells::new(DVec3::ZERO, upper, periodic, dimensions, 0.9, 1.0);
            let [nx, ny, nz] = cells.counts;
            let cell = |n: usize| {
                [n % nx, n / nx % ny, n / nx / ny].map(|along| u16::try_from(along).unwrap())
            };
            let mut draw = |most: usize| {
                let number = random.next_u64() % u64::try_from(most).unwrap();
                usize::try_from(number).unwrap()
            };
            let mut lines = Lines::new(&cells, true);
            let mut homes: Vec<_> = (0..cells.count())
                .map(|_| cell(draw(nx * ny * nz)))
                .collect();
            for (slot, home) in (0..).zip(&homes) {
                lines.insert(*home, slot, 0.0);
            }
            for round in 0..20 {
                for side in std::iter::once(None).chain((0..6).map(Some)) {
                    let around = side.map_or(Around::ALL, Around::beyond);
                    for cell in (0..cells.count()).map(cell) {
                        let want = expected(&cells, &homes, cell, side);
                        let got = found(&lines, cell, around);
                        assert_eq!(got, want, "{round}: {cell:?} {around:?}");
                    }
                }
                for (slot, home) in (0..).zip(&mut homes) {
                    lines.remove(*home, slot);
                    *home = cell(draw(nx * ny * nz));
                    lines.insert(*home, slot, 0.0);
                }
            }
        }
    }
}
