//! Neighbour search: which pairs of grains may touch before the next rebuild.
//!
//! Two lists, one inside the other. The *reach* list holds every pair closer than touching plus the
//! skin; it comes from cells, one grid per size class, so that a bed of grains of very different
//! sizes does not search coarse cells full of fine grains. The *slots* are the pairs of that list
//! closer than touching plus a much thinner inner skin; they carry history and are what the force
//! loop visits. Neither list decides a result: a pair that is listed but apart adds exactly nothing.

use super::bodies::{Bodies, Body};
use super::lists::Lists;
use super::walls::Face;
use crate::laws::number::Number;
use crate::position::{Grid, round_to_unit};
use crate::state::WALL;
use rayon::prelude::*;
use std::ops::Range;

/// A size class holds grains within this ratio of radii.
const CLASS_RATIO: f64 = 2.0;

/// Most cells of one size class per grain in it: sparse domains get wider cells instead.
const CELLS_PER_GRAIN: f64 = 4.0;

/// The periodic box in units, for the nearest image; zero where there is none, and for the fourth
/// number that goes along with a position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Images {
    period: [f64; 4],
    inverse: [f64; 4],
}

impl Images {
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    pub(crate) fn new(grid: &Grid) -> Self {
        let extent = grid.extent();
        let mut images = Self {
            period: [0.0; 4],
            inverse: [0.0; 4],
        };
        for axis in 0..3 {
            if grid.periodic[axis] {
                images.period[axis] = extent[axis] as f64;
                images.inverse[axis] = 1.0 / images.period[axis];
            }
        }
        images
    }

    /// Difference along an axis to the nearest image. Exact: both numbers are whole.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn nearest<N: Number>(&self, axis: usize, difference: N) -> N {
        let periods = round_to_unit(difference * N::all(self.inverse[axis]));
        difference - N::all(self.period[axis]) * periods
    }

    /// Whether two bodies are closer than touching plus `skin` units.
    #[inline]
    pub(crate) fn closer(&self, a: &Body, b: &Body, skin: f64) -> bool {
        let d: [f64; 3] =
            std::array::from_fn(|axis| self.nearest(axis, b.units[axis] - a.units[axis]));
        let reach = a.radius_units() + b.radius_units() + skin;
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < reach * reach
    }
}

/// Pairs closer than touching plus the skin: each stands once, with the grain of the finer class, or
/// of the same class and the lower index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reach {
    partners: Lists,
}

/// Cells of one size class.
struct CellGrid {
    /// Largest radius in the class, units.
    largest: f64,
    /// Cells along each axis.
    count: [i64; 3],
    /// Units per cell, inverted.
    inverse_width: [f64; 3],
    wraps: [bool; 3],
    /// Grains of a cell: `grain[start[cell]..start[cell + 1]]`, ascending.
    start: Vec<u32>,
    grain: Vec<u32>,
    /// Position and radius of each, units: a search reads them one after the other.
    sphere: Vec<[f64; 4]>,
}

impl CellGrid {
    /// Sorts the grains in `members` into cells no narrower than `reach` units.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "cell counts are bounded by the number of grains"
    )]
    fn new(grid: &Grid, bodies: &Bodies, members: &[u32], largest: f64, reach: f64) -> Self {
        let extent = grid.extent().map(|x| x as f64);
        let most = (members.len() as f64 * CELLS_PER_GRAIN).max(64.0);
        let mut width = reach;
        let mut count;
        loop {
            count = extent.map(|length| (length / width).floor().max(1.0));
            if count[0] * count[1] * count[2] <= most {
                break;
            }
            width *= 1.25;
        }
        let mut cells = Self {
            largest,
            count: count.map(|n| n as i64),
            inverse_width: std::array::from_fn(|axis| count[axis] / extent[axis]),
            wraps: grid.periodic,
            start: vec![0; (count[0] * count[1] * count[2]) as usize + 1],
            grain: vec![0; members.len()],
            sphere: Vec::new(),
        };
        let cell_of: Vec<u32> = members
            .par_iter()
            .map(|&grain| cells.cell_of(&bodies.body[grain as usize]) as u32)
            .collect();
        for &cell in &cell_of {
            cells.start[cell as usize + 1] += 1;
        }
        for cell in 1..cells.start.len() {
            cells.start[cell] += cells.start[cell - 1];
        }
        let mut cursor = cells.start.clone();
        for (&grain, &cell) in members.iter().zip(&cell_of) {
            let place = &mut cursor[cell as usize];
            cells.grain[*place as usize] = grain;
            *place += 1;
        }
        cells.sphere = cells
            .grain
            .par_iter()
            .map(|&grain| {
                let body = &bodies.body[grain as usize];
                let [x, y, z] = body.position();
                [x, y, z, body.radius_units()]
            })
            .collect();
        cells
    }

    #[allow(clippy::cast_possible_truncation, reason = "cells are counted in i64")]
    fn along(&self, axis: usize, units: f64) -> i64 {
        (units * self.inverse_width[axis]).floor() as i64
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the cells there are"
    )]
    fn cell_of(&self, body: &Body) -> usize {
        let [x, y, z] = std::array::from_fn(|axis| {
            // A grain that has just crossed a closed side belongs to the cell behind it.
            self.along(axis, body.units[axis])
                .clamp(0, self.count[axis] - 1)
        });
        ((z * self.count[1] + y) * self.count[0] + x) as usize
    }

    /// Calls `visit` with places in `grain` that hold all grains of the cells within `distance` units of `body`: cells
    /// in a row along x lie one after the other.
    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_truncation,
        reason = "wrapped or clamped to the cells there are"
    )]
    fn around(&self, body: &Body, distance: f64, mut visit: impl FnMut(Range<usize>)) {
        let range: [(i64, i64); 3] = std::array::from_fn(|axis| {
            let first = self.along(axis, body.units[axis] - distance);
            let last = self.along(axis, body.units[axis] + distance);
            if self.wraps[axis] {
                // Never visit a cell twice, however short the period.
                (first, last.min(first + self.count[axis] - 1))
            } else {
                let highest = self.count[axis] - 1;
                (first.clamp(0, highest), last.clamp(0, highest))
            }
        });
        let place = |axis: usize, index: i64| {
            let count = self.count[axis];
            // Divisions are slow, and most grains are far from a side.
            if (0..count).contains(&index) {
                index
            } else {
                index.rem_euclid(count)
            }
        };
        // Across a periodic side a row goes on at its beginning.
        let first = place(0, range[0].0);
        let end = first + (range[0].1 - range[0].0) + 1;
        let width = self.count[0];
        let pieces = [(first, end.min(width)), (0, end - width)];
        for z in range[2].0..=range[2].1 {
            for y in range[1].0..=range[1].1 {
                let row = (place(2, z) * self.count[1] + place(1, y)) * width;
                for (from, to) in pieces.into_iter().filter(|(from, to)| from < to) {
                    let [from, to] = [from, to].map(|x| self.start[(row + x) as usize] as usize);
                    visit(from..to);
                }
            }
        }
    }

    /// Adds the grains at some places whose index is at least `least` and that are closer to `body` than touching plus
    /// `skin` units.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "the inner loop of a search")]
    fn add_close(
        &self,
        images: &Images,
        body: &Body,
        skin: f64,
        least: u32,
        places: Range<usize>,
        found: &mut Vec<u32>,
    ) {
        const AT_A_TIME: usize = 32;
        let [x, y, z] = body.position();
        let reach = body.radius_units() + skin;
        let grains = self.grain[places.clone()].chunks(AT_A_TIME);
        let spheres = self.sphere[places].chunks(AT_A_TIME);
        for (grains, spheres) in grains.zip(spheres) {
            let mut close = [0; AT_A_TIME];
            let mut count = 0;
            for (&grain, &[to_x, to_y, to_z, radius]) in grains.iter().zip(spheres) {
                let dx = images.nearest(0, to_x - x);
                let dy = images.nearest(1, to_y - y);
                let dz = images.nearest(2, to_z - z);
                let apart = reach + radius;
                // Written in any case, kept only if it counts: cheaper than a wrong guess.
                close[count] = grain;
                let is_close = dx * dx + dy * dy + dz * dz < apart * apart;
                count += usize::from(is_close & (grain >= least));
            }
            found.extend_from_slice(&close[..count]);
        }
    }
}

/// Class of a radius, counted from that of the smallest grain.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a logarithm of a ratio of radii"
)]
fn class_of(radius: f64, smallest: f64) -> usize {
    (radius / smallest).log(CLASS_RATIO).floor().max(0.0) as usize
}

impl Reach {
    /// Finds all pairs closer than touching plus `skin` units.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    pub(crate) fn search(grid: &Grid, bodies: &Bodies, skin: f64) -> Self {
        let images = Images::new(grid);
        let smallest = bodies
            .body
            .iter()
            .map(|b| b.radius_units())
            .fold(f64::INFINITY, f64::min);
        let class: Vec<u8> = bodies
            .body
            .par_iter()
            .map(|b| class_of(b.radius_units(), smallest).min(255) as u8)
            .collect();
        let classes = usize::from(class.iter().copied().max().unwrap_or(0)) + 1;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); classes];
        let mut largest = vec![0.0f64; classes];
        for (index, &class) in class.iter().enumerate() {
            let class = usize::from(class);
            members[class].push(index as u32);
            largest[class] = largest[class].max(bodies.body[index].radius_units());
        }
        let cells: Vec<Option<CellGrid>> = members
            .into_iter()
            .zip(largest)
            .map(|(members, largest)| {
                (!members.is_empty())
                    .then(|| CellGrid::new(grid, bodies, &members, largest, 2.0 * largest + skin))
            })
            .collect();
        let search_around = |index: usize, partners: &mut Vec<u32>| {
            let body = &bodies.body[index];
            let own = usize::from(class[index]);
            let known = partners.len();
            // Each pair is found once: from the grain of the finer class, or of the same class and
            // the lower index.
            for (coarser, cells) in cells.iter().enumerate().skip(own) {
                let Some(cells) = cells else { continue };
                let distance = body.radius_units() + cells.largest + skin;
                let least = if coarser == own { index as u32 + 1 } else { 0 };
                cells.around(body, distance, |places| {
                    cells.add_close(&images, body, skin, least, places, partners);
                });
            }
            if body.is_fixed() {
                // Fixed grains never act on each other.
                let mut place = known;
                for k in known..partners.len() {
                    if !bodies.body[partners[k] as usize].is_fixed() {
                        partners[place] = partners[k];
                        place += 1;
                    }
                }
                partners.truncate(place);
            }
        };
        let partners = Lists::by_grain(bodies.len(), search_around);
        Self { partners }
    }

    /// Number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.partners.len()
    }

    /// The partners of each grain, walls last, that are closer than touching plus `skin` units.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    pub(crate) fn close(&self, grid: &Grid, bodies: &Bodies, faces: &[Face], skin: f64) -> Lists {
        let images = Images::new(grid);
        let list_close = |index: usize, partners: &mut Vec<u32>| {
            let known = partners.len();
            let body = &bodies.body[index];
            let within = |&other: &u32| images.closer(body, &bodies.body[other as usize], skin);
            let close = self.partners.of(index).iter().copied().filter(within);
            partners.extend(close);
            partners[known..].sort_unstable();
            if body.is_fixed() {
                return;
            }
            let reach = bodies.motion[index].radius() + skin * grid.unit;
            for (face, surface) in (WALL..).zip(faces) {
                if surface.approach(grid, body).distance < reach {
                    partners.push(face);
                }
            }
        };
        Lists::by_grain(bodies.len(), list_close)
    }
}

/// Order of the grains along a Morton curve: `order[new] = old`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cell numbers are clamped to 21 bits, particle counts fit u32"
)]
pub(crate) fn morton_order(bodies: &Bodies, width: f64) -> Vec<u32> {
    let spread = |x: f64| {
        let mut x = (x / width).clamp(0.0, 2_097_151.0) as u64;
        x = (x | x << 32) & 0x001f_0000_0000_ffff;
        x = (x | x << 16) & 0x001f_0000_ff00_00ff;
        x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
        x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
        (x | x << 2) & 0x1249_2492_4924_9249
    };
    let mut keys: Vec<(u64, u32)> = bodies
        .body
        .par_iter()
        .enumerate()
        .map(|(index, body)| {
            let [x, y, z] = body.position().map(spread);
            (x | y << 1 | z << 2, index as u32)
        })
        .collect();
    keys.par_sort_unstable();
    keys.into_iter().map(|(_, index)| index).collect()
}
