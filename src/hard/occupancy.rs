//! Which cells have grains: two bits for each, next to those of its neighbours along x.
//!
//! Nine short reads tell a search which of the 27 cells around it have grains, and so which lines there are to be read.
//!
//! A row of a line around a cell has a position, below 64: two for each step along x, six for each along z and
//! twenty-one for each along y, and the row itself. A step is 0, 1 or 2: down, none, up.

use super::cells::Cells;

/// The bits of a cell, if grains are in the first row of its line (0 is no grain), …
pub(super) const ONE: u8 = 1;
/// … in both rows, and in further lines, …
pub(super) const CROWDED: u8 = 2;
/// … in both rows.
pub(super) const TWO: u8 = 3;

const BITS: usize = 2;
const CELLS_PER_BYTE: usize = 8 / BITS;

/// Bytes that are read at once.
const READ: usize = 2;

/// Positions are below this.
pub(super) const POSITIONS: usize = 64;

const ALONG_X: usize = BITS;
const ALONG_Z: usize = 3 * ALONG_X;
/// Further apart than the bits of three cells and what is read with them, so that all three rows are cut to size at once.
const ALONG_Y: usize = 21;

/// The first of the two positions of a cell, by the steps along the axes.
pub(super) const fn position([x, y, z]: [usize; 3]) -> usize {
    ALONG_X * x + ALONG_Y * y + ALONG_Z * z
}

/// The steps along the axes to the cell of a position; `None` if no cell has it.
pub(super) fn steps(position: usize) -> Option<[usize; 3]> {
    let (y, rest) = (position / ALONG_Y, position % ALONG_Y);
    let (z, x) = (rest / ALONG_Z, rest % ALONG_Z / ALONG_X);
    (y < 3 && z < 3).then_some([x, y, z])
}

/// The bits that are read for three neighbours along x, at the positions of three rows along y.
const THREE_ROWS: u64 = {
    let three_cells = (1 << ALONG_Z) - 1;
    three_cells | three_cells << ALONG_Y | three_cells << (2 * ALONG_Y)
};

/// Which cells around a cell are looked at: the positions of their first rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Around(u64);

impl Around {
    /// All of them, and the cell itself.
    pub(super) const ALL: Self = Self(first_rows(None));

    /// Those beyond a side: 2 × axis, + 1 if upwards.
    #[inline]
    pub(super) fn beyond(side: usize) -> Self {
        const BEYOND: [u64; 6] = {
            let mut beyond = [0; 6];
            let mut side = 0;
            while side < 6 {
                beyond[side] = first_rows(Some(side));
                side += 1;
            }
            beyond
        };
        Self(BEYOND[side])
    }

    /// Positions of the first rows of these cells.
    #[inline]
    pub(super) fn first_rows(self) -> u64 {
        self.0
    }
}

/// Position of the first row of the cell itself.
pub(super) const OWN: usize = position([1; 3]);

/// Positions of the first rows of all cells around a cell, or of those beyond a side.
const fn first_rows(side: Option<usize>) -> u64 {
    let mut rows = 0;
    let mut cell = 0;
    while cell < 27 {
        let along = [cell % 3, cell / 3 % 3, cell / 9];
        let chosen = match side {
            None => true,
            Some(side) => along[side / 2] == side % 2 * 2,
        };
        if chosen {
            rows |= 1 << position(along);
        }
        cell += 1;
    }
    rows
}

/// By the position of a row around a cell, what leads from the first row of the cell to it, modulo 2³². The last one, of no
/// position, leads to the cell itself.
type Steps = [u32; POSITIONS + 1];

/// Coordinates along an axis from which a step leads equally far: the first one, the last one, those between.
const KINDS: usize = 3;

/// What a coordinate along an axis adds to where things are.
#[derive(Debug, Clone, Copy)]
struct Parts {
    /// To the byte with the bits, for steps down, none and up along y or z; outside the domain there is room without grains.
    bytes: [u32; 3],
    /// To the number of the first row of a cell.
    row: u32,
    /// To the number of the [`Steps`].
    kind: u32,
}

/// The rows around a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    /// The first one of the cell itself.
    own: u32,
    steps: &'a Steps,
}

impl Rows<'_> {
    /// The first row of the cell itself.
    #[inline]
    pub(super) fn own(&self) -> u32 {
        self.own
    }

    /// Number of the row at a position; where there is none, of one of the cell itself.
    #[inline]
    pub(super) fn at(&self, position: u32) -> u32 {
        self.own.wrapping_add(self.steps[position as usize])
    }
}

/// Which kind of coordinate along an axis one is.
fn kind(here: usize, last: usize) -> usize {
    match here {
        0 => 0,
        _ if here == last => 2,
        _ => 1,
    }
}

#[derive(Debug, Clone)]
pub(super) struct Occupancy {
    /// Rows of cells along x, with one cell more at both ends: those of the other end if the domain repeats. Along y and z
    /// there is an empty row, or plane, behind the last one.
    bits: Vec<u8>,
    counts: [usize; 3],
    /// Whether the domain repeats along x.
    repeats: bool,
    /// By coordinate, for each axis.
    along: [Vec<Parts>; 3],
    /// By the kinds of coordinates along the axes.
    steps: Vec<Steps>,
}

impl Occupancy {
    /// Of cells without grains.
    pub(super) fn new(cells: &Cells) -> Self {
        let counts = cells.counts;
        let row = (counts[0] + 2).div_ceil(CELLS_PER_BYTE);
        let plane = row * (counts[1] + 1);
        let around = |axis: usize, here: usize| {
            #[allow(
                clippy::cast_possible_truncation,
                reason = "at most 65535 cells along an axis"
            )]
            let there = |upwards| cells.neighbour(axis, here as u16, upwards);
            [
                there(false).map(usize::from),
                Some(here),
                there(true).map(usize::from),
            ]
        };
        #[allow(clippy::cast_possible_truncation, reason = "fewer than 2^31 cells")]
        let number = |n: usize| n as u32;
        let stride = |axis: usize| 2 * counts[..axis].iter().product::<usize>();
        let along = |axis: usize, bytes: usize| -> Vec<Parts> {
            let last = counts[axis] - 1;
            let parts = |here: usize| Parts {
                bytes: around(axis, here).map(|there| number(bytes * there.unwrap_or(last + 1))),
                row: number(stride(axis) * here),
                kind: number(KINDS.pow(number(axis)) * kind(here, last)),
            };
            (0..=last).map(parts).collect()
        };
        let steps_of = |kinds: [usize; 3]| {
            let there = [0, 1, 2].map(|axis| {
                let here = [0, 1, counts[axis] - 1][kinds[axis]];
                let rows = |cell: usize| number(stride(axis) * cell);
                around(axis, here).map(|there| rows(there.unwrap_or(here)).wrapping_sub(rows(here)))
            });
            std::array::from_fn(|position| {
                let [x, y, z] = steps(position).unwrap_or([1; 3]);
                let cell = there[0][x].wrapping_add(there[1][y]);
                let row = (position % ALONG_Y) % BITS;
                let row = if steps(position).is_some() { row } else { 0 };
                cell.wrapping_add(there[2][z]).wrapping_add(number(row))
            })
        };
        let kinds = |n: usize| [n % KINDS, n / KINDS % KINDS, n / KINDS / KINDS];
        Self {
            bits: vec![0; plane * (counts[2] + 1) + READ],
            counts,
            repeats: cells.periodic[0],
            along: [along(0, 0), along(1, row), along(2, plane)],
            steps: (0..KINDS.pow(3)).map(|n| steps_of(kinds(n))).collect(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// Number of cells along each axis.
    #[inline]
    pub(super) fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// The byte with the bits of a cell, and where in it they are; `x` counts from the cell before the first.
    #[inline]
    fn bits_at(&self, x: usize, cell: [u16; 3]) -> (usize, usize) {
        let [_, y, z] = cell.map(usize::from);
        let row = self.along[1][y].bytes[1] + self.along[2][z].bytes[1];
        (row as usize + x / CELLS_PER_BYTE, x % CELLS_PER_BYTE * BITS)
    }

    /// The bits of a cell.
    #[inline]
    pub(super) fn of(&self, cell: [u16; 3]) -> u8 {
        let (byte, shift) = self.bits_at(usize::from(cell[0]) + 1, cell);
        self.bits[byte] >> shift & TWO
    }

    #[inline(always)]
    pub(super) fn set(&mut self, cell: [u16; 3], bits: u8) {
        let x = usize::from(cell[0]) + 1;
        self.write(x, cell, bits);
        if self.repeats {
            if x == 1 {
                self.write(self.counts[0] + 1, cell, bits);
            }
            if x == self.counts[0] {
                self.write(0, cell, bits);
            }
        }
    }

    #[inline]
    fn write(&mut self, x: usize, cell: [u16; 3], bits: u8) {
        let (byte, shift) = self.bits_at(x, cell);
        let byte = &mut self.bits[byte];
        *byte = *byte & !(TWO << shift) | bits << shift;
    }

    /// The bits of the cells around a cell, at the positions of their rows.
    #[inline(always)]
    pub(super) fn around(&self, cell: [u16; 3]) -> u64 {
        let [x, y, z] = cell.map(usize::from);
        // Rows are as long as there are cells along x, which the first of these makes sure of.
        let (_, along_y, along_z) = (
            &self.along[0][x],
            &self.along[1][y].bytes,
            &self.along[2][z].bytes,
        );
        let mut all = 0;
        for (step, plane) in along_z.iter().enumerate() {
            let mut three = 0;
            for (step, row) in along_y.iter().enumerate() {
                let byte = (plane + row) as usize + x / CELLS_PER_BYTE;
                debug_assert!(byte + READ <= self.bits.len());
                // SAFETY: all three coordinates are those of cells. No cell is beyond the last row of the last plane, behind which
                // there are as many bytes as are read.
                let read = unsafe { self.bits.as_ptr().add(byte).cast::<[u8; READ]>().read() };
                three |= u64::from(u16::from_le_bytes(read)) << (ALONG_Y * step);
            }
            let cut = three >> (x % CELLS_PER_BYTE * BITS) & THREE_ROWS;
            all |= cut << (ALONG_Z * step);
        }
        all
    }

    /// The rows around a cell.
    #[inline(always)]
    pub(super) fn rows(&self, cell: [u16; 3]) -> Rows<'_> {
        let [x, y, z] = cell.map(usize::from);
        let (x, y, z) = (&self.along[0][x], &self.along[1][y], &self.along[2][z]);
        Rows {
            own: x.row + y.row + z.row,
            steps: &self.steps[(x.kind + y.kind + z.kind) as usize],
        }
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.bits.capacity()
            + self.steps.capacity() * size_of::<Steps>()
            + self.along.iter().map(Vec::capacity).sum::<usize>() * size_of::<Parts>()
    }
}
