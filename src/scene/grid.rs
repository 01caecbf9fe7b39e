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
    /// The next sphere in the same bucket.
    next: Vec<u32>,
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
            next: Vec::with_capacity(capacity),
            buckets: vec![NONE; capacity.next_power_of_two().max(64)],
        }
    }

    /// Adds a sphere; its number is the count of those before it.
    pub(super) fn insert(&mut self, center: DVec3, radius: f64) {
        let number = u32::try_from(self.spheres.len()).unwrap_or(NONE);
        let index = self.level_of(radius);
        let level = &mut self.levels[index];
        level.count += 1;
        let place = (center - self.lower) / level.width;
        let cell: [i64; 3] = std::array::from_fn(|axis| {
            let cell = floor(place[axis]);
            if self.periodic[axis] {
                cell.rem_euclid(level.cells[axis])
            } else {
                cell
            }
        });
        let bucket = self.bucket(index, cell);
        self.next.push(self.buckets[bucket]);
        self.buckets[bucket] = number;
        self.spheres.push(Sphere { center, radius });
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
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        let bucket = self.bucket(index, self.wrapped(level, [x, y, z]));
                        let mut number = self.buckets[bucket];
                        while number != NONE {
                            test(number as usize)?;
                            number = self.next[number as usize];
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

    fn wrapped(&self, level: &Level, mut cell: [i64; 3]) -> [i64; 3] {
        for (axis, cell) in cell.iter_mut().enumerate() {
            if self.periodic[axis] {
                *cell = cell.rem_euclid(level.cells[axis]);
            }
        }
        cell
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

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a hash may lose bits"
    )]
    fn bucket(&self, level: usize, [x, y, z]: [i64; 3]) -> usize {
        let mut hash = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash.rotate_left(23) ^ y as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash.rotate_left(23) ^ z as u64).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash = (hash.rotate_left(23) ^ level as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> 32) as usize & (self.buckets.len() - 1)
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

/// Rounds down; what does not fit becomes the nearest integer that does.
#[allow(
    clippy::cast_possible_truncation,
    reason = "saturates, and a saturated cell is only a crowded one"
)]
fn floor(x: f64) -> i64 {
    x.floor() as i64
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
