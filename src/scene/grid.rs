//! Spheres in a hashed hierarchy of cell grids: neighbours in constant time at any size ratio.

use super::Domain;
use glam::DVec3;
use std::ops::ControlFlow;

/// Number of grids; each has cells half as wide as the one before. Spheres smaller than the last
/// grid asks for still go there, which costs time only.
const LEVELS: usize = 40;
/// Cells are wider than a diameter by this much, so that rounding never hides a neighbour.
const MARGIN: f64 = 1.0 + 1e-6;
/// Most cells along a periodic axis.
const MOST_CELLS: f64 = 2_147_483_648.0;
/// Size of the hash table: with less, more strangers are looked at; with more, memory is.
const BUCKETS_PER_SPHERE: usize = 2;
/// End of a chain.
const NONE: u32 = u32::MAX;

/// Spheres, findable by place. Each is stored in the grid whose cells are at least its diameter
/// wide, and all grids share one hash table, so empty space costs nothing.
pub(super) struct SphereGrid {
    lower: DVec3,
    length: DVec3,
    periodic: [bool; 3],
    largest: f64,
    levels: Vec<Level>,
    spheres: Vec<Sphere>,
    /// The last sphere put into each bucket.
    buckets: Vec<u32>,
}

struct Level {
    /// Largest radius stored here.
    radius: f64,
    /// Width of a cell along each axis.
    width: DVec3,
    /// Number of cells along each axis; meaningful for periodic ones.
    cells: [i64; 3],
    /// Number of spheres stored here.
    count: usize,
}

struct Sphere {
    center: DVec3,
    radius: f64,
    /// The one before it in the same bucket.
    next: u32,
}

impl SphereGrid {
    /// An empty grid for about `capacity` spheres of at most the radius `largest`.
    pub(super) fn new(domain: &Domain, largest: f64, capacity: usize) -> Self {
        let length = domain.upper - domain.lower;
        let mut radius = largest * MARGIN;
        let levels = (0..LEVELS)
            .map(|_| {
                let level = Level::new(radius, length, domain.periodic);
                radius *= 0.5;
                level
            })
            .collect();
        Self {
            lower: domain.lower,
            length,
            periodic: domain.periodic,
            largest,
            levels,
            spheres: Vec::with_capacity(capacity),
            buckets: vec![NONE; (BUCKETS_PER_SPHERE * capacity).next_power_of_two().max(64)],
        }
    }

    /// Adds a sphere; its number is the count of those before it.
    pub(super) fn insert(&mut self, center: DVec3, radius: f64) {
        let number = u32::try_from(self.spheres.len()).unwrap_or(NONE);
        let index = self.level_of(radius);
        self.levels[index].count += 1;
        let level = &self.levels[index];
        let place = (center - self.lower) / level.width;
        let row = self.row(index, level, floor(place.y), floor(place.z));
        let bucket = self.bucket(level, row, floor(place.x));
        self.spheres.push(Sphere {
            center,
            radius,
            next: self.buckets[bucket],
        });
        self.buckets[bucket] = number;
    }

    /// Whether a sphere would overlap any that is here.
    pub(super) fn overlaps(&self, center: DVec3, radius: f64) -> bool {
        self.visit(center, radius, |_, _| ControlFlow::Break(()))
            .is_break()
    }

    /// Calls `found` with the number and the overlap of each sphere here that overlaps the given one;
    /// sometimes more than once.
    pub(super) fn visit(
        &self,
        center: DVec3,
        radius: f64,
        mut found: impl FnMut(usize, f64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut test = |number: usize| {
            let sphere = &self.spheres[number];
            let reach = radius + sphere.radius;
            let distance_squared = self.difference(center, sphere.center).length_squared();
            if distance_squared < reach * reach {
                found(number, reach - distance_squared.sqrt())
            } else {
                ControlFlow::Continue(())
            }
        };
        for (index, level) in self.levels.iter().enumerate() {
            if level.count == 0 {
                continue;
            }
            let (low, high) = self.cells_within(level, center, radius + level.radius);
            let cells = (0..3).fold(1_u64, |product, axis| {
                product.saturating_mul(high[axis].abs_diff(low[axis]).saturating_add(1))
            });
            // A large sphere among many small ones would look into more cells than there are spheres.
            if cells > self.spheres.len().max(27) as u64 {
                return (0..self.spheres.len()).try_for_each(test);
            }
            // From the middle outwards: an overlap, if there is one, is found early.
            for z in outwards(low[2], high[2]) {
                for y in outwards(low[1], high[1]) {
                    let row = self.row(index, level, y, z);
                    for x in low[0]..=high[0] {
                        let mut number = self.buckets[self.bucket(level, row, x)];
                        while number != NONE {
                            test(number as usize)?;
                            number = self.spheres[number as usize].next;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// First and last cell along each axis that a sphere of radius `reach` touches.
    fn cells_within(&self, level: &Level, center: DVec3, reach: f64) -> ([i64; 3], [i64; 3]) {
        let low = (center - reach - self.lower) / level.width;
        let high = (center + reach - self.lower) / level.width;
        let mut low: [i64; 3] = std::array::from_fn(|axis| floor(low[axis]));
        let mut high: [i64; 3] = std::array::from_fn(|axis| floor(high[axis]));
        for axis in 0..3 {
            let cells = level.cells[axis];
            if self.periodic[axis] && high[axis].saturating_sub(low[axis]) >= cells - 1 {
                (low[axis], high[axis]) = (0, cells - 1);
            }
        }
        (low, high)
    }

    /// Shortest vector between two places, across periodic sides.
    fn difference(&self, a: DVec3, b: DVec3) -> DVec3 {
        let mut d = a - b;
        for axis in 0..3 {
            if self.periodic[axis] {
                d[axis] -= self.length[axis] * (d[axis] / self.length[axis]).round();
            }
        }
        d
    }

    /// A cell along one axis; across a periodic side it is the one on the other side.
    fn wrapped(&self, level: &Level, axis: usize, cell: i64) -> i64 {
        if self.periodic[axis] {
            cell.rem_euclid(level.cells[axis])
        } else {
            cell
        }
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the range of levels before"
    )]
    fn level_of(&self, radius: f64) -> usize {
        let octaves = (self.largest / radius).log2().floor();
        octaves.clamp(0.0, (LEVELS - 1) as f64) as usize
    }

    /// Hash of a row of cells along x.
    #[allow(clippy::cast_sign_loss, reason = "any bits make a hash")]
    fn row(&self, index: usize, level: &Level, y: i64, z: i64) -> u64 {
        let (y, z) = (self.wrapped(level, 1, y), self.wrapped(level, 2, z));
        let mut hash = (y as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash.rotate_left(23) ^ z as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash.rotate_left(23) ^ index as u64).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash >> 32
    }

    /// Where a cell of a row is found. Neighbours along x share a cache line.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "any bits make a hash"
    )]
    fn bucket(&self, level: &Level, row: u64, x: i64) -> usize {
        let x = self.wrapped(level, 0, x);
        row.wrapping_add(x as u64) as usize & (self.buckets.len() - 1)
    }
}

impl Level {
    fn new(radius: f64, length: DVec3, periodic: [bool; 3]) -> Self {
        let mut width = DVec3::splat(2.0 * radius);
        let mut cells = [1; 3];
        for axis in 0..3 {
            if periodic[axis] {
                let count = (length[axis] / width[axis]).floor().clamp(1.0, MOST_CELLS);
                cells[axis] = floor(count);
                width[axis] = length[axis] / count;
            }
        }
        Self {
            radius,
            width,
            cells,
            count: 0,
        }
    }
}

/// All integers of a range, those in the middle first.
fn outwards(low: i64, high: i64) -> impl Iterator<Item = i64> {
    let middle = low + (high - low) / 2;
    let above = middle + 1..=high;
    let below = (low..middle).rev();
    std::iter::once(middle).chain(below).chain(above)
}

/// Rounds down; cells further out than `MOST_CELLS`² all count as one, which is only a crowded one.
#[allow(
    clippy::cast_possible_truncation,
    reason = "clamped to the range before"
)]
fn floor(x: f64) -> i64 {
    const OUTERMOST: f64 = MOST_CELLS * MOST_CELLS;
    x.floor().clamp(-OUTERMOST, OUTERMOST) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Leaving;

    /// A cheap sequence of numbers in [0, 1).
    fn fractions() -> impl FnMut() -> f64 {
        let mut state = 1_u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    #[test]
    fn finds_what_all_pairs_find() {
        for periodic in [[false; 3], [true, false, true], [true; 3]] {
            let domain = Domain {
                lower: DVec3::new(-1.0, 2.0, 0.0),
                upper: DVec3::new(1.0, 3.0, 1.5),
                periodic,
                leaving: Leaving::Stop,
            };
            let mut fraction = fractions();
            let spheres: Vec<(DVec3, f64)> = (0..400)
                .map(|_| {
                    let place = DVec3::new(fraction(), fraction(), fraction());
                    let radius = 0.2 * 2.0_f64.powf(-9.0 * fraction());
                    (domain.lower + place * (domain.upper - domain.lower), radius)
                })
                .collect();
            let mut grid = SphereGrid::new(&domain, 0.2, spheres.len());
            let mut pairs = 0;
            for (i, &(center, radius)) in spheres.iter().enumerate() {
                let mut found = vec![false; i];
                let _ = grid.visit(center, radius, |j, _| {
                    found[j] = true;
                    ControlFlow::Continue(())
                });
                for (j, &(other, other_radius)) in spheres[..i].iter().enumerate() {
                    let touching = grid.difference(center, other).length() < radius + other_radius;
                    assert_eq!(
                        found[j], touching,
                        "spheres {i} and {j}, periodic {periodic:?}"
                    );
                    pairs += usize::from(touching);
                }
                grid.insert(center, radius);
            }
            assert!(pairs > 100, "the test must see pairs, saw {pairs}");
        }
    }
}
