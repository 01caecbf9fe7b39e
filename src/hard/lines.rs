//! The grains of the cells: for each cell a cache line with the paths of two grains, and more lines where
//! more grains are.
//!
//! What a search reads is where the cell is: no index leads from a cell to its grains. Two bits per cell say
//! whether there is anything to read, so that lines without grains are left alone.

use super::cells::{Around, Cells, MOST_AROUND};
use super::grain::{NONE, Slot};
use super::lanes::{Batch, LINES};
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

/// Bits of a cell in a word, and what they say: there are grains in its own line, and in further ones.
pub(super) const FILL_BITS: u32 = 2;
pub(super) const CELLS_PER_WORD: u32 = u32::BITS / FILL_BITS;
pub(super) const OCCUPIED: u32 = 1;
pub(super) const CROWDED: u32 = 2;

#[derive(Debug, Clone)]
pub(super) struct Lines {
    /// One for each cell, one without grains, and those for more grains.
    lines: Vec<Line>,
    /// For each line, a further one of the same cell; of unused ones, the next unused.
    further: Vec<u32>,
    /// Radii of the grains in cells; empty if they are all equal.
    radii: Vec<[f32; ROWS]>,
    fill: Vec<u32>,
    /// First unused line.
    unused: u32,
    /// Number of cells, and of the line without grains.
    cells: u32,
}

impl Lines {
    /// Empty ones.
    pub(super) fn new(cells: usize, equal_radii: bool) -> Self {
        let nobody = Line([Path::NOBODY; ROWS]);
        Self {
            lines: collected(std::iter::repeat_n(nobody, cells + 1)),
            further: vec![NONE; cells + 1],
            radii: vec![[0.0; ROWS]; if equal_radii { 0 } else { cells + 1 }],
            fill: vec![0; cells.div_ceil(CELLS_PER_WORD as usize)],
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
        self.fill.fill(0);
        self.unused = NONE;
    }

    /// A line without grains.
    #[inline]
    pub(super) fn nobody(&self) -> u32 {
        self.cells
    }

    #[inline]
    pub(super) fn all(&self) -> &[Line] {
        &self.lines
    }

    /// Words with the bits of sixteen cells each.
    #[inline]
    pub(super) fn fill(&self) -> &[u32] {
        &self.fill
    }

    /// The bits of a cell.
    #[inline]
    pub(super) fn fill_of(&self, cell: u32) -> u32 {
        let shift = cell % CELLS_PER_WORD * FILL_BITS;
        self.fill[(cell / CELLS_PER_WORD) as usize] >> shift & (OCCUPIED | CROWDED)
    }

    #[inline]
    fn set_fill(&mut self, cell: u32, fill: u32) {
        let shift = cell % CELLS_PER_WORD * FILL_BITS;
        let word = &mut self.fill[(cell / CELLS_PER_WORD) as usize];
        *word = *word & !((OCCUPIED | CROWDED) << shift) | fill << shift;
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

    /// Where a grain that is in the cell has its path.
    #[inline]
    pub(super) fn locate(&self, cell: usize, slot: Slot) -> Place {
        #[allow(clippy::cast_possible_truncation, reason = "fewer than 2^32 cells")]
        let mut line = cell as u32;
        loop {
            let [first, second] = &self.lines[line as usize].0;
            if first.slot == slot || second.slot == slot {
                let row = usize::from(second.slot == slot);
                return Place { line, row };
            }
            line = self.further[line as usize];
        }
    }

    /// The first of the further lines of a cell, or [`NONE`]. Asked only where the bits of the cell say that there is
    /// one: these are in a near cache.
    #[inline]
    fn first_further(&self, cell: u32) -> u32 {
        if self.fill_of(cell) & CROWDED == 0 {
            return NONE;
        }
        self.further[cell as usize]
    }

    /// Makes room for a grain in a cell.
    pub(super) fn insert(&mut self, cell: usize, slot: Slot, radius: f32) -> Place {
        #[allow(clippy::cast_possible_truncation, reason = "fewer than 2^32 cells")]
        let cell = cell as u32;
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

    #[inline]
    fn free_row(&self, line: u32) -> Option<Place> {
        let [first, second] = &self.lines[line as usize].0;
        let row = usize::from(first.slot != NONE);
        (first.slot == NONE || second.slot == NONE).then_some(Place { line, row })
    }

    /// Of the further lines of a cell, only the first has room.
    #[inline]
    fn free_place(&mut self, cell: u32) -> Place {
        if let Some(place) = self.free_row(cell) {
            self.set_fill(cell, self.fill_of(cell) | OCCUPIED);
            return place;
        }
        let further = self.first_further(cell);
        if further != NONE
            && let Some(place) = self.free_row(further)
        {
            return place;
        }
        let line = self.new_line();
        self.further[line as usize] = further;
        self.further[cell as usize] = line;
        self.set_fill(cell, OCCUPIED | CROWDED);
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

    /// Takes a grain out of its cell. One of a further line takes its place.
    pub(super) fn remove(&mut self, cell: usize, slot: Slot) {
        let mut place = self.locate(cell, slot);
        #[allow(clippy::cast_possible_truncation, reason = "fewer than 2^32 cells")]
        let cell = cell as u32;
        let further = self.first_further(cell);
        if further != NONE {
            let row = usize::from(self.lines[further as usize].0[1].slot != NONE);
            let last = Place { line: further, row };
            *self.path_mut(place) = *self.path(last);
            if !self.radii.is_empty() {
                self.radii[place.line as usize][place.row] = self.radii[further as usize][row];
            }
            place = last;
        }
        *self.path_mut(place) = Path::NOBODY;
        let [first, second] = &self.lines[place.line as usize].0;
        if first.slot != NONE || second.slot != NONE {
            return;
        }
        if further == NONE {
            self.set_fill(cell, 0);
            return;
        }
        let next = self.further[further as usize];
        self.further[cell as usize] = next;
        self.further[further as usize] = self.unused;
        self.unused = further;
        if next == NONE {
            self.set_fill(cell, OCCUPIED);
        }
    }

    /// Visits the grains around a cell: number of the step to their cell, and who it is.
    pub(super) fn visit(
        &self,
        cells: &Cells,
        cell: [u16; 3],
        around: Around,
        mut visit: impl FnMut(u32, Slot),
    ) {
        let mut nearby = Nearby::new();
        nearby.list(cells, self, cell, around);
        loop {
            for (&line, &step) in nearby.lines().iter().zip(&nearby.steps) {
                let slots = self.lines[line as usize].0.map(|path| path.slot);
                for slot in slots.into_iter().filter(|&slot| slot != NONE) {
                    visit(step, slot);
                }
            }
            if nearby.crowded == 0 {
                return;
            }
            nearby.follow(self);
        }
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
            + self.further.capacity() * size_of::<u32>()
            + self.radii.capacity() * size_of::<[f32; ROWS]>()
            + self.fill.capacity() * size_of::<u32>()
    }
}

/// Room for what is written as a whole and kept in part.
const SPARE: usize = 16;

/// Lines around a cell, and by which steps their cells are reached.
#[derive(Debug)]
pub(super) struct Nearby {
    pub(super) count: usize,
    /// A line and a further one for each cell, at most.
    pub(super) lines: [u32; 2 * MOST_AROUND + SPARE],
    pub(super) steps: [u32; 2 * MOST_AROUND + SPARE],
    /// Lines that have further ones, which are not listed yet.
    pub(super) crowded: usize,
    pub(super) crowded_lines: [u32; MOST_AROUND + SPARE],
    pub(super) crowded_steps: [u32; MOST_AROUND + SPARE],
}

impl Nearby {
    #[inline]
    pub(super) fn new() -> Self {
        Self {
            count: 0,
            lines: [0; 2 * MOST_AROUND + SPARE],
            steps: [0; 2 * MOST_AROUND + SPARE],
            crowded: 0,
            crowded_lines: [0; MOST_AROUND + SPARE],
            crowded_steps: [0; MOST_AROUND + SPARE],
        }
    }

    /// Lists the cells around a cell that have grains.
    #[inline]
    pub(super) fn list(&mut self, cells: &Cells, lines: &Lines, cell: [u16; 3], around: Around) {
        let surroundings = cells.surroundings(around);
        let sides = cells.sides(cell);
        let mut parts = [0; 16];
        for (part, sides) in parts.as_chunks_mut::<4>().0.iter_mut().zip(sides) {
            *part = *sides;
        }
        let mut inside = surroundings.inside(sides);
        // Only the steps that stay in the domain.
        while inside != 0 {
            let k = inside.trailing_zeros() as usize;
            inside &= inside - 1;
            let part = |axis: usize| parts[surroundings.parts[axis][k] as usize % 16];
            let index = part(0) + part(1) + part(2);
            let (fill, step) = (lines.fill_of(index), surroundings.steps[k]);
            // Written in any case, and kept if there is a grain: nothing to guess.
            self.lines[self.count] = index;
            self.steps[self.count] = step;
            self.count += usize::from(fill & OCCUPIED != 0);
            if fill & CROWDED != 0 {
                self.crowded_lines[self.crowded] = index;
                self.crowded_steps[self.crowded] = step;
                self.crowded += 1;
            }
        }
    }

    /// Adds the next lines of crowded cells.
    pub(super) fn add_further(&mut self, lines: &Lines) {
        let crowded = std::mem::take(&mut self.crowded);
        for k in 0..crowded {
            let line = lines.further(self.crowded_lines[k]);
            let step = self.crowded_steps[k];
            self.lines[self.count] = line;
            self.steps[self.count] = step;
            self.count += 1;
            self.crowded_lines[self.crowded] = line;
            self.crowded_steps[self.crowded] = step;
            self.crowded += usize::from(lines.further(line) != NONE);
        }
    }

    /// Lists the next lines of crowded cells in place of what was listed.
    pub(super) fn follow(&mut self, lines: &Lines) {
        self.count = 0;
        self.add_further(lines);
    }

    /// The lines that are listed.
    #[inline]
    pub(super) fn lines(&self) -> &[u32] {
        &self.lines[..self.count]
    }

    /// The lines that are listed, in batches; the last is filled up with `filler`.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    pub(super) fn batches(&mut self, filler: u32) -> impl Iterator<Item = Batch<'_>> {
        self.lines[self.count..][..LINES].fill(filler);
        self.steps[self.count..][..LINES].fill(0);
        let batches = self.count.div_ceil(LINES);
        let lines = self.lines.as_chunks::<LINES>().0;
        let steps = self.steps.as_chunks::<LINES>().0;
        let both = lines.iter().zip(steps).take(batches);
        both.map(|(lines, steps)| Batch { lines, steps })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says what it expects")]
mod tests {
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
        let mut random = Pcg64::seed_from_u64(3);
        let mut lines = Lines::new(CELLS, false);
        let mut homes: Vec<Option<usize>> = vec![None; 100];
        for round in 0..20_000_u32 {
            let [slot, cell] = [homes.len(), CELLS]
                .map(|most| usize::try_from(random.next_u64() % most as u64).unwrap());
            let name = u32::try_from(slot).unwrap();
            match homes[slot] {
                Some(cell) => {
                    lines.remove(cell, name);
                    homes[slot] = None;
                }
                None => {
                    lines.insert(cell, name, slot as f32);
                    homes[slot] = Some(cell);
                }
            }
            if round % 100 > 0 {
                continue;
            }
            let mut seen = vec![0; homes.len()];
            for cell in 0..CELLS {
                let here = [cell % 5, cell / 5, 0].map(|index| u16::try_from(index).unwrap());
                lines.visit(&cells, here, Around::All, |step, slot| {
                    // 1 along each axis: the cell itself.
                    if step == 21 {
                        assert_eq!(homes[slot as usize], Some(cell));
                        let place = lines.locate(cell, slot);
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
