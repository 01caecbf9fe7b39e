//! The grains of the cells: for each cell a cache line with the paths of two grains, and more lines where
//! more grains are.
//!
//! What a search reads is where the cell is: no index leads from a cell to its grains. What is occupied is known
//! (`occupancy.rs`), so that lines without grains are left alone.

use super::cells::{Cells, index_among};
use super::grain::{NONE, Slot};
use super::nearby::Nearby;
use super::occupancy::{Around, CROWDED, ONE, Occupancy, POSITIONS, TWO};
use crate::cpu::fetch::fetch_at;
use crate::memory::{collected, room_for};

/// Path of one grain in single precision, in cells and epochs.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Path {
    /// Place at the start of the epoch, from the centre of the cell.
    pub(super) place: [f32; 3],
    /// Velocity at the start of the epoch.
    pub(super) velocity: [f32; 3],
    /// When it hits the partner that it knows of.
    pub(super) collision: f32,
    pub(super) slot: Slot,
}

impl Path {
    /// No grain: it has hit another before any time.
    const NOBODY: Self = Self {
        place: [0.0; 3],
        velocity: [0.0; 3],
        collision: f32::NEG_INFINITY,
        slot: NONE,
    };
}

/// Grains of a line.
pub(super) const ROWS: usize = 2;

/// Paths of grains in the same cell.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line(pub(super) [Path; ROWS]);

const _: () = assert!(size_of::<Line>() == 64);

/// Where a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) row: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Lines {
    /// One for each cell, one without grains, and those for more grains.
    lines: Vec<Line>,
    /// For each line, a further one of the same cell; of unused ones, the next unused.
    further: Vec<u32>,
    /// Radii of the grains in cells; empty if they are all equal.
    radii: Vec<[f32; ROWS]>,
    occupancy: Occupancy,
    /// First unused line.
    unused: u32,
    /// Number of cells, and of the line without grains.
    cells: u32,
}

impl Lines {
    /// Empty ones.
    pub(super) fn new(cells: &Cells, equal_radii: bool) -> Self {
        let nobody = Line([Path::NOBODY; ROWS]);
        let occupancy = Occupancy::new(cells);
        let cells = cells.count();
        Self {
            lines: collected(std::iter::repeat_n(nobody, cells + 1)),
            further: vec![NONE; cells + 1],
            radii: vec![[0.0; ROWS]; if equal_radii { 0 } else { cells + 1 }],
            occupancy,
            unused: NONE,
            cells: u32::try_from(cells).unwrap_or(NONE),
        }
    }

    /// Takes out all grains.
    pub(super) fn clear(&mut self) {
        // In place: new memory would have to be cleared by the system first.
        let own = self.cells as usize + 1;
        self.lines.truncate(own);
        self.lines.fill(Line([Path::NOBODY; ROWS]));
        self.further.truncate(own);
        self.further.fill(NONE);
        if !self.radii.is_empty() {
            self.radii.truncate(own);
        }
        self.occupancy.clear();
        self.unused = NONE;
    }

    /// A row without a grain.
    #[inline]
    pub(super) fn nobody(&self) -> u32 {
        self.row(self.cells, 0)
    }

    #[inline]
    pub(super) fn all(&self) -> &[Line] {
        &self.lines
    }

    #[inline]
    pub(super) fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// Number of a row of a line.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "0 or 1")]
    pub(super) fn row(&self, line: u32, row: usize) -> u32 {
        line * ROWS as u32 + row as u32
    }

    /// The line of a row.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "2")]
    pub(super) fn line_of(row: u32) -> u32 {
        row / ROWS as u32
    }

    /// The grain of a row, or [`NONE`].
    #[inline]
    pub(super) fn slot(&self, row: u32) -> Slot {
        self.lines[row as usize / ROWS].0[row as usize % ROWS].slot
    }

    /// The line with more grains of the same cell, or [`NONE`].
    #[inline]
    pub(super) fn further(&self, line: u32) -> u32 {
        self.further[line as usize]
    }

    #[inline]
    pub(super) fn path(&self, place: Place) -> &Path {
        &self.lines[place.line as usize].0[place.row]
    }

    #[inline]
    pub(super) fn path_mut(&mut self, place: Place) -> &mut Path {
        &mut self.lines[place.line as usize].0[place.row]
    }

    /// Radii of the grains of a line, in cells; none if they are all equal.
    #[inline]
    pub(super) fn radii(&self) -> Option<&[[f32; ROWS]]> {
        (!self.radii.is_empty()).then_some(&self.radii)
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "fewer than 2^31 cells")]
    fn line(&self, cell: [u16; 3]) -> u32 {
        index_among(self.occupancy.counts(), cell) as u32
    }

    /// Asks for the line of a cell.
    #[inline]
    pub(super) fn fetch(&self, cell: [u16; 3]) {
        fetch_at(&self.lines, self.line(cell) as usize);
    }

    /// Where a grain that is in the cell has its path.
    #[inline(always)]
    pub(super) fn locate(&self, cell: [u16; 3], slot: Slot) -> Place {
        let mut line = self.line(cell);
        loop {
            let [first, second] = &self.lines[line as usize].0;
            // Not one after the other: which of them it is is a matter of chance.
            if (first.slot == slot) | (second.slot == slot) {
                let row = usize::from(second.slot == slot);
                return Place { line, row };
            }
            line = self.further[line as usize];
        }
    }

    /// Makes room for a grain in a cell.
    #[inline(always)]
    pub(super) fn insert(&mut self, cell: [u16; 3], slot: Slot, radius: f32) -> Place {
        let place = self.free_place(cell);
        *self.path_mut(place) = Path {
            slot,
            ..Path::NOBODY
        };
        if let Some(radii) = self.radii.get_mut(place.line as usize) {
            radii[place.row] = radius;
        }
        place
    }

    /// Of the further lines of a cell, only the first has room.
    #[inline]
    fn free_place(&mut self, cell: [u16; 3]) -> Place {
        let line = self.line(cell);
        let bits = self.occupancy.of(cell);
        if bits <= ONE {
            self.occupancy.set(cell, bits << 1 | ONE);
            let row = usize::from(bits);
            return Place { line, row };
        }
        self.free_further_place(cell, line)
    }

    fn free_further_place(&mut self, cell: [u16; 3], own: u32) -> Place {
        let further = self.further[own as usize];
        if further != NONE && self.lines[further as usize].0[1].slot == NONE {
            return Place {
                line: further,
                row: 1,
            };
        }
        let line = self.new_line();
        self.further[line as usize] = further;
        self.further[own as usize] = line;
        self.occupancy.set(cell, CROWDED);
        Place { line, row: 0 }
    }

    fn new_line(&mut self) -> u32 {
        if self.unused != NONE {
            let line = self.unused;
            self.unused = self.further[line as usize];
            return line;
        }
        if self.lines.len() == self.lines.capacity() {
            // Not by doubling: few lines are added to those of the cells.
            let more = self.lines.len() / 16 + 16;
            let mut room = room_for(self.lines.len() + more);
            room.extend_from_slice(&self.lines);
            self.lines = room;
            self.further.reserve_exact(more);
        }
        self.lines.push(Line([Path::NOBODY; ROWS]));
        self.further.push(NONE);
        if !self.radii.is_empty() {
            self.radii.push([0.0; ROWS]);
        }
        u32::try_from(self.lines.len() - 1).unwrap_or(NONE)
    }

    /// Takes a grain out of its cell. The last one of the cell takes its place, so that rows are filled in turn.
    #[inline(always)]
    pub(super) fn remove(&mut self, cell: [u16; 3], slot: Slot) {
        let place = self.locate(cell, slot);
        let line = self.line(cell);
        let last = match self.occupancy.of(cell) {
            CROWDED => self.last_further(cell, line),
            bits => {
                self.occupancy.set(cell, bits >> 1);
                let row = usize::from(bits >> 1);
                Place { line, row }
            }
        };
        *self.path_mut(place) = *self.path(last);
        *self.path_mut(last) = Path::NOBODY;
        if !self.radii.is_empty() {
            self.radii[place.line as usize][place.row] = self.radii[last.line as usize][last.row];
        }
    }

    /// The last grain of a crowded cell, which is about to be taken from there: a line that it was alone in is no longer used.
    fn last_further(&mut self, cell: [u16; 3], own: u32) -> Place {
        let line = self.further[own as usize];
        let row = usize::from(self.lines[line as usize].0[1].slot != NONE);
        if row == 0 {
            let next = self.further[line as usize];
            self.further[own as usize] = next;
            self.further[line as usize] = self.unused;
            self.unused = line;
            if next == NONE {
                self.occupancy.set(cell, TWO);
            }
        }
        Place { line, row }
    }

    /// Visits the grains around a cell: position of their row, and who it is.
    pub(super) fn visit(&self, cell: [u16; 3], mut visit: impl FnMut(u32, Slot)) {
        let mut nearby = Nearby::look(self, cell, Around::ALL);
        while nearby.left() != 0 || nearby.has_further() {
            let batch = if nearby.left() != 0 {
                nearby.next()
            } else {
                nearby.next_further()
            };
            for (&row, &position) in batch.rows.iter().zip(&batch.positions) {
                let slot = self.slot(row);
                if slot != NONE && (position as usize) < POSITIONS {
                    visit(position, slot);
                }
            }
        }
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
            + self.further.capacity() * size_of::<u32>()
            + self.radii.capacity() * size_of::<[f32; ROWS]>()
            + self.occupancy.bytes()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says what it expects")]
mod tests {
    use super::super::occupancy::steps;
    use super::*;
    use glam::DVec3;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    /// Grains come and go, up to a dozen in a cell; each is found where it is, with its radius, and no other.
    #[test]
    fn cells_know_their_grains() {
        const CELLS: usize = 20;
        let upper = DVec3::new(5.0, 4.0, 1.0);
        let cells = Cells::new(DVec3::ZERO, upper, [true, false, false], 2, 0.9, 1.0);
        assert_eq!(cells.count(), CELLS);
        let coordinates =
            |cell: usize| [cell % 5, cell / 5, 0].map(|index| u16::try_from(index).unwrap());
        let mut random = Pcg64::seed_from_u64(3);
        let mut lines = Lines::new(&cells, false);
        let mut homes: Vec<Option<usize>> = vec![None; 100];
        for round in 0..20_000_u32 {
            let [slot, cell] = [homes.len(), CELLS]
                .map(|most| usize::try_from(random.next_u64() % most as u64).unwrap());
            let name = u32::try_from(slot).unwrap();
            match homes[slot] {
                Some(cell) => {
                    lines.remove(coordinates(cell), name);
                    homes[slot] = None;
                }
                None => {
                    lines.insert(coordinates(cell), name, slot as f32);
                    homes[slot] = Some(cell);
                }
            }
            if round % 100 > 0 {
                continue;
            }
            let mut seen = vec![0; homes.len()];
            for cell in 0..CELLS {
                let here = coordinates(cell);
                lines.visit(here, |place, slot| {
                    if steps(place as usize) == Some([1; 3]) {
                        assert_eq!(homes[slot as usize], Some(cell));
                        let place = lines.locate(here, slot);
                        assert_eq!(lines.path(place).slot, slot);
                        let radius = lines.radii().unwrap()[place.line as usize][place.row];
                        assert_eq!(f64::from(radius), f64::from(slot));
                        seen[slot as usize] += 1;
                    }
                });
            }
            for (home, times) in homes.iter().zip(seen) {
                assert_eq!(times, usize::from(home.is_some()), "round {round}");
            }
        }
        assert!(lines.lines.len() > CELLS + 20, "no cell was crowded");
        assert!(lines.lines.len() < CELLS + 80, "lines are not used again");
    }
}
