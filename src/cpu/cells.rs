//! Cells: where to look for the neighbours of a grain.

use super::bodies::{Bodies, Body};
use super::fetch::fetch;
use super::processor::Processor;
use super::sieve::{Found, Probe, Spheres, TOGETHER, sieve};
use crate::position::Grid;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Most cells of one size class per grain in it: sparse domains get wider cells instead.
const CELLS_PER_GRAIN: f64 = 4.0;

/// Grains that one task puts into cells.
const GRAINS_PER_TASK: usize = 1024;

/// Rows of cells whose spheres one task copies.
const ROWS_PER_TASK: usize = 32;

/// How many grains ahead those to be copied are asked for.
const FETCH_AHEAD: usize = 8;

/// What rounding to `f32` can do to a distance, in parts of the longest side of the domain: positions up to twice as far
/// off as that are rounded to 2⁻²³ of it, two of them along three axes.
const POSITION_ROUNDING: f64 = 1.0 / (1 << 20) as f64;

/// What it can do to a sum, a square or the comparison of two, in parts of them.
const SUM_ROUNDING: f64 = 1.0 / (1 << 20) as f64;

/// The least box that holds the positions of all grains, units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) low: [f64; 3],
    high: [f64; 3],
}

impl Bounds {
    /// That of no grains.
    pub(super) const NONE: Self = Self {
        low: [f64::INFINITY; 3],
        high: [f64::NEG_INFINITY; 3],
    };

    /// That of one grain.
    pub(super) fn of(body: &Body) -> Self {
        let [low, high] = [body.position(); 2];
        Self { low, high }
    }

    /// That of all grains of both.
    pub(super) fn merge(self, other: Self) -> Self {
        Self {
            low: std::array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: std::array::from_fn(|axis| self.high[axis].max(other.high[axis])),
        }
    }

    /// How long it is along each axis.
    pub(super) fn length(&self) -> [f64; 3] {
        std::array::from_fn(|axis| self.high[axis] - self.low[axis])
    }
}

/// Cells of grains of one size class, with a layer of cells around them.
///
/// Along periodic axes that layer holds the images of the grains on the other side, else nothing: all grains within reach of
/// one are in the cells next to its own, wherever it is.
#[derive(Debug)]
pub(super) struct Cells {
    /// Axes: cells along the first of them follow each other, those along the last one are furthest apart.
    axes: [usize; 3],
    /// Cells along each axis, without the layer around them.
    count: [usize; 3],
    /// Where the first of them begins along each axis, units.
    low: [f64; 3],
    /// Units per cell, inverted.
    inverse_width: [f64; 3],
    /// Length of the domain along each axis, units.
    extent: [f64; 3],
    /// What rounding can do to a distance, units.
    rounding: f64,
    /// Whether an axis is so short that two images of a grain may be found.
    narrow: bool,
    /// Spheres of a cell: `start[cell]..start[cell + 1]`.
    start: Vec<u32>,
    spheres: Spheres,
}

impl Cells {
    /// Sorts the grains in `members`, which are within `bounds`, into cells no narrower than `reach` units.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "cell counts are bounded by the number of grains"
    )]
    pub(super) fn new(
        grid: &Grid,
        bodies: &Bodies,
        members: &[u32],
        bounds: &Bounds,
        reach: f64,
    ) -> Self {
        let extent = grid.extent().map(|x| x as f64);
        // Cells of a whole period, or where there are grains.
        let ends: [[f64; 2]; 3] = std::array::from_fn(|axis| {
            let whole = [0.0, extent[axis]];
            let own = [bounds.low[axis], bounds.high[axis]];
            let nearby = own.map(|end| end.clamp(-extent[axis], 2.0 * extent[axis]));
            if grid.periodic[axis] { whole } else { nearby }
        });
        // A single layer has some thickness, too.
        let length = ends.map(|[low, high]| (high - low).max(reach));
        let most = (members.len() as f64 * CELLS_PER_GRAIN).max(64.0);
        // Wider by more than rounding can do to the number of a cell.
        let mut width = reach * (1.0 + SUM_ROUNDING);
        let mut count;
        loop {
            count = length.map(|length| (length / width).floor().max(1.0));
            if count[0] * count[1] * count[2] <= most {
                break;
            }
            width *= 1.25;
        }
        let longest = extent.into_iter().fold(0.0, f64::max);
        let mut cells = Self {
            axes: axes_of(count),
            count: count.map(|n| n as usize),
            low: ends.map(|[low, _]| low),
            inverse_width: std::array::from_fn(|axis| count[axis] / length[axis]),
            extent,
            rounding: longest * POSITION_ROUNDING,
            narrow: (0..3).any(|axis| grid.periodic[axis] && count[axis] < 3.0),
            start: Vec::new(),
            spheres: Spheres::default(),
        };
        cells.fill(grid.periodic, bodies, members);
        cells
    }

    /// Cells along each of the [`axes`](Self::axes), with the layer around them.
    fn padded(&self) -> [usize; 3] {
        self.axes.map(|axis| self.count[axis] + 2)
    }

    /// The cell of a grain.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "clamped to the cells there are"
    )]
    #[inline]
    fn cell_of(&self, body: &Body) -> usize {
        let [x, y, z] = self.axes.map(|axis| {
            // A grain that has just crossed a periodic side belongs to the cell behind it.
            let along = ((body.units[axis] - self.low[axis]) * self.inverse_width[axis]).max(0.0);
            1 + (along as u32).min(self.count[axis] as u32 - 1) as usize
        });
        let padded = self.padded();
        (z * padded[1] + y) * padded[0] + x
    }

    /// What each cell along an axis holds.
    fn sources(&self, axis: usize, periodic: bool) -> Vec<Source> {
        let (count, period) = (self.count[axis], self.extent[axis]);
        let inner = (1..=count).map(|cell| Some(Shifted { cell, shift: 0.0 }));
        let image = |cell, shift| periodic.then_some(Shifted { cell, shift });
        std::iter::once(image(count, -period))
            .chain(inner)
            .chain([image(1, period)])
            .collect()
    }

    /// Finds the spheres of each cell.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    fn fill(&mut self, periodic: [bool; 3], bodies: &Bodies, members: &[u32]) {
        let padded = self.padded();
        let number = zeros(padded[0] * padded[1] * padded[2]);
        // Nobody else counts where there is one thread, which then need not shut others out.
        let alone = rayon::current_num_threads() == 1;
        // The cell of each grain, and how many came there before it.
        let places: Vec<(u32, u32)> = members
            .par_iter()
            .with_min_len(GRAINS_PER_TASK)
            .map(|&grain| {
                let cell = self.cell_of(&bodies.body[grain as usize]);
                let number = &number[cell];
                let before = if alone {
                    let before = number.load(Ordering::Relaxed);
                    number.store(before + 1, Ordering::Relaxed);
                    before
                } else {
                    number.fetch_add(1, Ordering::Relaxed)
                };
                (cell as u32, before)
            })
            .collect();
        let sources = self.axes.map(|axis| self.sources(axis, periodic[axis]));
        self.start = starts(&sources, &number);
        drop(number);
        let length = self.start.last().map_or(0, |&end| end as usize) + TOGETHER;
        let grain = zeros(length);
        members
            .par_iter()
            .zip(&places)
            .with_min_len(GRAINS_PER_TASK)
            .for_each(|(&member, &(cell, before))| {
                let place = self.start[cell as usize] + before;
                grain[place as usize].store(member, Ordering::Relaxed);
            });
        drop(places);
        self.spheres = Spheres {
            x: vec![0.0; length],
            y: vec![0.0; length],
            z: vec![0.0; length],
            radius: vec![0.0; length],
            grain: Vec::new(),
        };
        self.copy_spheres(&sources, bodies, &grain);
        self.spheres.grain = grain.into_iter().map(AtomicU32::into_inner).collect();
    }

    /// Copies the spheres of all grains and images, and the indices of the latter.
    fn copy_spheres(&mut self, sources: &[Vec<Source>; 3], bodies: &Bodies, grain: &[AtomicU32]) {
        let [along_x, along_y, along_z] = self.padded();
        let Self {
            axes,
            start,
            spheres,
            extent,
            ..
        } = self;
        let start_of = |row: usize, x: usize| start[row * along_x + x] as usize;
        let mut rest = SpheresMut {
            x: &mut spheres.x,
            y: &mut spheres.y,
            z: &mut spheres.z,
            radius: &mut spheres.radius,
        };
        let rows = along_y * along_z;
        let mut tasks = Vec::with_capacity(rows.div_ceil(ROWS_PER_TASK));
        for first in (0..rows).step_by(ROWS_PER_TASK) {
            let last = (first + ROWS_PER_TASK).min(rows);
            tasks.push((
                first..last,
                rest.take(start_of(last, 0) - start_of(first, 0)),
            ));
        }
        // The layer before a row, the row itself and the layer behind it, each with its first source.
        let pieces = [
            (0..1, sources[0][0]),
            (1..along_x - 1, sources[0][1]),
            (along_x - 1..along_x, sources[0][along_x - 1]),
        ];
        let copy_row = |row: usize, spheres: &mut SpheresMut<'_>| {
            let (y, z) = (sources[1][row % along_y]?, sources[2][row / along_y]?);
            let source_row = z.cell * along_y + y.cell;
            for (cells, x) in &pieces {
                let Some(x) = x else { continue };
                let to = start_of(row, cells.start)..start_of(row, cells.end);
                let from = start_of(source_row, x.cell);
                let grains = &grain[from..from + to.len()];
                let mut shift = [0.0; 3];
                for (&axis, source) in axes.iter().zip([x, &y, &z]) {
                    shift[axis] = source.shift;
                }
                spheres.take(to.len()).copy(bodies, grains, shift, extent);
                if from != to.start {
                    for (image, grain) in grain[to].iter().zip(grains) {
                        image.store(grain.load(Ordering::Relaxed), Ordering::Relaxed);
                    }
                }
            }
            Some(())
        };
        tasks.into_par_iter().for_each(|(rows, mut spheres)| {
            for row in rows {
                copy_row(row, &mut spheres);
            }
        });
    }

    /// Adds all grains above an index that may be closer to `body` than touching plus `skin` units, and perhaps a few that
    /// are not; none of them twice.
    #[allow(clippy::cast_possible_truncation, reason = "a sieve works in f32")]
    pub(super) fn find(
        &self,
        processor: Processor,
        body: &Body,
        skin: f64,
        above: i32,
        found: &mut Found,
    ) {
        let reach = (body.radius_units() + skin + self.rounding) * (1.0 + SUM_ROUNDING);
        let probe = Probe {
            centre: std::array::from_fn(|axis| rounded(body.units[axis], self.extent[axis])),
            reach: reach as f32,
            above,
        };
        let [along_x, along_y, _] = self.padded();
        let corner = self.cell_of(body) - (along_y + 1) * along_x - 1;
        let rows: [Range<usize>; 9] = std::array::from_fn(|k| {
            // Cells in a row along x follow each other.
            let first = corner + (k / 3 * along_y + k % 3) * along_x;
            self.start[first] as usize..self.start[first + 3] as usize
        });
        sieve(processor, &self.spheres, &probe, &rows, found);
        if self.narrow {
            found.sort_and_unite();
        }
    }
}

/// Axes in the order in which cells lie in memory: along that with most cells they are furthest apart, as grains are whose neighbours are
/// looked for one after the other where they lie in slabs.
fn axes_of(count: [f64; 3]) -> [usize; 3] {
    let longest = (0..3).max_by(|&a, &b| count[a].total_cmp(&count[b]));
    let last = longest.unwrap_or(2);
    [(last + 1) % 3, (last + 2) % 3, last]
}

/// The grains that a cell holds, if it holds any: those of a cell, so many units further along an axis.
type Source = Option<Shifted>;

#[derive(Debug, Clone, Copy)]
struct Shifted {
    cell: usize,
    shift: f64,
}

/// Where the spheres of each cell start, from the number of grains in each.
fn starts(sources: &[Vec<Source>; 3], number: &[AtomicU32]) -> Vec<u32> {
    let [xs, ys, zs] = sources;
    let mut start = Vec::with_capacity(number.len() + 1);
    let mut next = 0;
    start.push(next);
    for z in zs {
        for y in ys {
            let row = z
                .zip(*y)
                .map(|(z, y)| (z.cell * ys.len() + y.cell) * xs.len());
            for x in xs {
                if let Some((row, x)) = row.zip(*x) {
                    next += number[row + x.cell].load(Ordering::Relaxed);
                }
                start.push(next);
            }
        }
    }
    start
}

fn zeros(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

/// A coordinate for the sieve: at most the length of the domain off it, which brings no two of them further apart.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "a sieve works in f32")]
fn rounded(units: f64, extent: f64) -> f32 {
    units.max(-extent).min(2.0 * extent) as f32
}

/// Spheres to be filled in.
struct SpheresMut<'a> {
    x: &'a mut [f32],
    y: &'a mut [f32],
    z: &'a mut [f32],
    radius: &'a mut [f32],
}

impl<'a> SpheresMut<'a> {
    /// Takes the first so many away.
    fn take(&mut self, count: usize) -> SpheresMut<'a> {
        let [x, y, z, radius] = [&mut self.x, &mut self.y, &mut self.z, &mut self.radius]
            .map(|values| values.split_off_mut(..count).unwrap_or_default());
        SpheresMut { x, y, z, radius }
    }

    /// Copies grains that are shifted by so many units.
    #[allow(clippy::cast_possible_truncation, reason = "a sieve works in f32")]
    fn copy(self, bodies: &Bodies, grains: &[AtomicU32], shift: [f64; 3], extent: &[f64; 3]) {
        for (k, grain) in grains.iter().enumerate() {
            if let Some(ahead) = grains.get(k + FETCH_AHEAD) {
                fetch(&bodies.body[ahead.load(Ordering::Relaxed) as usize].units);
            }
            let body = &bodies.body[grain.load(Ordering::Relaxed) as usize];
            self.x[k] = rounded(body.units[0] + shift[0], extent[0]);
            self.y[k] = rounded(body.units[1] + shift[1], extent[1]);
            self.z[k] = rounded(body.units[2] + shift[2], extent[2]);
            self.radius[k] = (body.radius_units() * (1.0 + SUM_ROUNDING)) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation, reason = "small numbers")]
    use super::*;
    use crate::scene::{Material, Particle};
    use glam::DVec3;

    /// A bed on the ground of a tall domain, or high up in it: the empty space has no cells.
    #[test]
    fn cells_are_where_grains_are() {
        for ground in [0.0, 800.0] {
            let size = DVec3::new(10.0, 10.0, 1000.0);
            let grid = Grid::new(DVec3::ZERO, size, [true, false, false], 2.0);
            let places = (0..500).map(|k| [k % 10, k / 10 % 10, k / 100].map(f64::from));
            let grain = |[x, y, z]: [f64; 3]| {
                let place = DVec3::new(x + 0.5, y + 0.5, z + 0.5 + ground);
                Particle::new(place, 0.5, 0)
            };
            let grains: Vec<Particle> = places.map(grain).collect();
            let material = Material {
                name: "grain".into(),
                density: 1.0,
                young: None,
                poisson: 0.3,
            };
            let bodies = Bodies::from_particles(&grid, &[material], &grains);
            let bounds = (bodies.body.iter().map(Bounds::of)).fold(Bounds::NONE, Bounds::merge);
            let members: Vec<u32> = (0..500).collect();
            let cells = Cells::new(&grid, &bodies, &members, &bounds, 1.1 / grid.unit);
            assert_eq!(cells.count, [9, 8, 3], "{ground}");
            let fullest = cells.start.windows(2).map(|ends| ends[1] - ends[0]).max();
            assert!(fullest <= Some(8), "{ground}: {fullest:?}");
        }
    }
}
