//! Neighbour search: which pairs of grains may touch before the next rebuild.
//!
//! Two lists, one inside the other. The *reach* list holds every pair closer than touching plus the
//! skin; it comes from cells, one grid per size class, so that a bed of grains of very different
//! sizes does not search coarse cells full of fine grains. The *slots* are the pairs of that list
//! closer than touching plus a much thinner inner skin; they carry history and are what the force
//! loop visits. Neither list decides a result: a pair that is listed but apart adds exactly nothing.

use super::bodies::{Bodies, Body};
use super::cells::{Bounds, Cells};
use super::fetch::fetch;
use super::lists::{Heads, Lists};
use super::processor::Processor;
use super::sieve::Found;
use super::walls::Face;
use crate::laws::number::Number;
use crate::position::Grid;
use crate::state::WALL;
use rayon::prelude::*;

/// Grains that one task compares with walls, or with those that they are not close to.
const GRAINS_PER_TASK: usize = 1024;

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
        if self.period[axis] == 0.0 {
            return difference;
        }
        let periods = (difference * N::all(self.inverse[axis])).to_whole();
        difference.plus_exactly(N::all(-self.period[axis]), periods)
    }

    /// How far apart two bodies are.
    #[inline]
    fn gap(&self, a: &Body, b: &Body) -> Gap {
        // As `nearest`, but all axes side by side: where there is no period, there are none in between.
        let squares: [f64; 4] = std::array::from_fn(|axis| {
            let difference = b.units[axis] - a.units[axis];
            let periods = (difference * self.inverse[axis]).to_whole();
            let d = difference.plus_exactly(-self.period[axis], periods);
            d * d
        });
        Gap {
            distance_squared: squares[0] + squares[1] + squares[2],
            touching: a.radius_units() + b.radius_units() + REMAINDERS,
        }
    }
}

/// How far apart two bodies are, units.
struct Gap {
    distance_squared: f64,
    /// The distance at which they touch, whatever the remainders of their positions.
    touching: f64,
}

/// Remainders of two positions are up to half a unit along each axis: they can make a distance less by this at most.
const REMAINDERS: f64 = 2.0;

impl Gap {
    /// How much further apart than touching they are.
    #[inline]
    fn width(&self) -> f64 {
        self.distance_squared.sqrt() - self.touching
    }

    /// Whether they are closer than touching plus `skin` units.
    #[inline]
    fn is_within(&self, skin: f64) -> bool {
        let reach = self.touching + skin;
        self.distance_squared < reach * reach
    }
}

/// Fixed grains never act on each other.
#[inline]
fn may_act(a: &Body, b: &Body) -> bool {
    !(a.is_fixed() && b.is_fixed())
}

/// Pairs closer than touching plus the skin: each stands once, with the grain of the finer class, or
/// of the same class and the lower index.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reach {
    /// Those of each grain that are close come first.
    partners: Lists,
    /// Where the close ones of each grain would start, if they followed each other.
    close_start: Vec<u32>,
}

/// Class of a radius, counted from that of the smallest grain: a class holds grains within a ratio of 2.
fn class_of(radius: f64, smallest: f64) -> usize {
    const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    let exponent = |x: f64| (x.to_bits() >> MANTISSA_BITS) as usize;
    exponent(radius / smallest) - exponent(1.0)
}

/// What a sieve has found around a grain, and around the next one: that is on its way from memory while the other is looked
/// at.
struct Around {
    own: Found,
    next: Found,
    next_grain: Option<usize>,
    /// Least width of a gap that is not close, units.
    clearance: f64,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            own: Found::default(),
            next: Found::default(),
            next_grain: None,
            clearance: f64::INFINITY,
        }
    }
}

impl Reach {
    /// Finds all pairs closer than touching plus `skin` units, and lists those closer than touching plus `inner_skin` first.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    pub(crate) fn search(
        &mut self,
        processor: Processor,
        grid: &Grid,
        bodies: &Bodies,
        skin: f64,
        inner_skin: f64,
    ) {
        let images = Images::new(grid);
        let take = |grain: usize, found: &[u32], partners: &mut Vec<u32>, _: &mut f64| {
            let body = &bodies.body[grain];
            let known = partners.len();
            let mut close = known;
            for &other in found {
                let partner = &bodies.body[other as usize];
                let gap = images.gap(body, partner);
                if !gap.is_within(skin) || !may_act(body, partner) {
                    continue;
                }
                // Swapped in any case, kept there only if it counts: cheaper than a wrong guess.
                let place = partners.len();
                partners.push(other);
                partners.swap(place, close);
                close += usize::from(gap.is_within(inner_skin));
            }
            partners[known..close].sort_unstable();
            (close - known) as u32
        };
        self.list(processor, grid, bodies, skin, take);
    }

    /// Finds all pairs closer than touching plus `skin` units, and lists those first that were listed first before. Returns the
    /// [clearance](Self::clearance), unless one of them is no longer so close: then those first ones are to be listed anew.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    pub(crate) fn search_again(
        &mut self,
        processor: Processor,
        grid: &Grid,
        bodies: &Bodies,
        skin: f64,
    ) -> Option<f64> {
        let images = Images::new(grid);
        let before = std::mem::take(self);
        let listed = before.close();
        let take = |grain: usize, found: &[u32], partners: &mut Vec<u32>, clearance: &mut f64| {
            let body = &bodies.body[grain];
            let listed = listed.of(grain);
            partners.extend_from_slice(listed);
            let mut end = partners.len();
            partners.resize(end + found.len(), 0);
            let mut still_close = 0;
            for &other in found {
                let partner = &bodies.body[other as usize];
                let gap = images.gap(body, partner);
                let counts = gap.is_within(skin) & may_act(body, partner);
                // All of them are looked at, wherever it is, and it is written in any case: cheaper than wrong guesses.
                let is_listed = listed
                    .iter()
                    .fold(false, |is, &close| is | (close == other));
                still_close += u32::from(counts & is_listed);
                let is_other = counts & !is_listed;
                partners[end] = other;
                end += usize::from(is_other);
                let width = if is_other { gap.width() } else { f64::INFINITY };
                // Without what `min` does for what is not a number.
                if width < *clearance {
                    *clearance = width;
                }
            }
            partners.truncate(end);
            still_close
        };
        let clearance = self.list(processor, grid, bodies, skin, take);
        (self.close_start == before.close_start).then_some(clearance)
    }

    /// Has `take` list the partners of each grain, of those that a sieve has found: all that are closer than touching plus `skin` units, and
    /// a few more. It says how many of them are close. Returns the least of what it makes of an infinite number.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "particle counts fit u32 and i32"
    )]
    fn list(
        &mut self,
        processor: Processor,
        grid: &Grid,
        bodies: &Bodies,
        skin: f64,
        take: impl Fn(usize, &[u32], &mut Vec<u32>, &mut f64) -> u32 + Sync,
    ) -> f64 {
        let radii = bodies.body.par_iter().map(Body::radius_units);
        let (smallest, largest) = radii
            .map(|radius| (radius, radius))
            .reduce(|| (f64::INFINITY, 0.0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let classes = if bodies.len() == 0 {
            0
        } else {
            1 + class_of(largest, smallest)
        };
        let class_of = |body: &Body| {
            if classes == 1 {
                0
            } else {
                class_of(body.radius_units(), smallest)
            }
        };
        let sieved = skin + REMAINDERS;
        let cells = Self::cells(grid, bodies, sieved, classes, [smallest, largest]);
        // Each pair is found once: from the grain of the finer class, or of the same class and the lower index.
        let find_around = |index: usize, found: &mut Found| {
            let body = &bodies.body[index];
            let own = class_of(body);
            found.clear();
            for (class, cells) in cells.iter().enumerate().skip(own) {
                let Some(cells) = cells else { continue };
                let above = if class == own { index as i32 } else { -1 };
                cells.find(processor, body, sieved, above, found);
            }
            for &grain in found.grains() {
                fetch(&bodies.body[grain as usize].units);
            }
        };
        let search_around = |index: usize, partners: &mut Vec<u32>, around: &mut Around| {
            if around.next_grain != Some(index) {
                find_around(index, &mut around.next);
            }
            std::mem::swap(&mut around.own, &mut around.next);
            if index + 1 < bodies.len() {
                find_around(index + 1, &mut around.next);
                around.next_grain = Some(index + 1);
            }
            take(index, around.own.grains(), partners, &mut around.clearance)
        };
        let heads = &mut self.close_start;
        let of_tasks = self.partners.list(bodies.len(), heads, search_around);
        let clearances = of_tasks.into_iter().map(|around| around.clearance);
        clearances.fold(f64::INFINITY, f64::min)
    }

    /// The cells of each size class that has grains.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    fn cells(
        grid: &Grid,
        bodies: &Bodies,
        skin: f64,
        classes: usize,
        [smallest, largest]: [f64; 2],
    ) -> Vec<Option<Cells>> {
        let all = 0..bodies.len() as u32;
        let bounds = bounds(bodies);
        let radius = |&index: &u32| bodies.body[index as usize].radius_units();
        let one = |class: usize| {
            let is_member = |index: &u32| class_of(radius(index), smallest) == class;
            let (members, largest): (Vec<u32>, f64) = if classes == 1 {
                (all.clone().into_par_iter().collect(), largest)
            } else {
                let members = all.clone().into_par_iter().filter(is_member);
                let members: Vec<u32> = members.collect();
                let radii = members.par_iter().map(radius);
                let largest = radii.reduce(|| 0.0, f64::max);
                (members, largest)
            };
            let reach = 2.0 * largest + skin;
            (!members.is_empty()).then(|| Cells::new(grid, bodies, &members, &bounds, reach))
        };
        (0..classes).map(one).collect()
    }

    /// Number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.partners.len()
    }

    /// Lists the pairs that are closer than touching plus `skin` units first.
    #[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
    pub(crate) fn list_close(&mut self, grid: &Grid, bodies: &Bodies, skin: f64) {
        let images = Images::new(grid);
        let arrange = |index: usize, partners: &mut [u32]| {
            let body = &bodies.body[index];
            let mut close = 0;
            for k in 0..partners.len() {
                let is_close = images
                    .gap(body, &bodies.body[partners[k] as usize])
                    .is_within(skin);
                // As in the search.
                partners.swap(k, close);
                close += usize::from(is_close);
            }
            partners[..close].sort_unstable();
            close as u32
        };
        self.partners.arrange(&mut self.close_start, arrange);
    }

    /// The pairs that were not close when they were listed are now further apart than touching plus so many units.
    pub(crate) fn clearance(&self, grid: &Grid, bodies: &Bodies) -> f64 {
        let images = Images::new(grid);
        let close = self.close();
        let of_grain = |index: usize| {
            let body = &bodies.body[index];
            let others = self.partners.of(index)[close.of(index).len()..].iter();
            others
                .map(|&other| images.gap(body, &bodies.body[other as usize]).width())
                .fold(f64::INFINITY, f64::min)
        };
        (0..bodies.len())
            .into_par_iter()
            .with_min_len(GRAINS_PER_TASK)
            .map(of_grain)
            .reduce(|| f64::INFINITY, f64::min)
    }

    /// The pairs that are close: each has a slot with its number.
    pub(crate) fn close(&self) -> Heads<'_> {
        Heads::new(&self.partners, &self.close_start)
    }
}

/// Grains that are closer to a wall than touching plus `skin` units, each with `WALL` + face, in their order.
#[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
pub(crate) fn near_walls(
    grid: &Grid,
    bodies: &Bodies,
    faces: &[Face],
    skin: f64,
) -> Vec<(u32, u32)> {
    let near = |index: usize| {
        let all = (WALL..)
            .take(faces.len())
            .map(move |wall| (index as u32, wall));
        all.filter(move |&pair| is_near_wall(grid, bodies, faces, pair, skin))
    };
    (0..bodies.len())
        .into_par_iter()
        .with_min_len(GRAINS_PER_TASK)
        .flat_map_iter(near)
        .collect()
}

/// Which of these are that close.
pub(crate) fn still_near_walls(
    grid: &Grid,
    bodies: &Bodies,
    faces: &[Face],
    pairs: &[(u32, u32)],
    skin: f64,
) -> Vec<(u32, u32)> {
    let near = |&&pair: &&(u32, u32)| is_near_wall(grid, bodies, faces, pair, skin);
    let pairs = pairs.par_iter().with_min_len(GRAINS_PER_TASK);
    pairs.filter(near).copied().collect()
}

/// Whether a grain is closer to a wall, `WALL` + face, than touching plus `skin` units; fixed ones never are.
fn is_near_wall(
    grid: &Grid,
    bodies: &Bodies,
    faces: &[Face],
    (grain, wall): (u32, u32),
    skin: f64,
) -> bool {
    let body = &bodies.body[grain as usize];
    let seen = faces[(wall - WALL) as usize].approach(grid, body);
    !body.is_fixed() && seen.distance < (body.radius_units() + skin) * grid.unit
}

/// Order of the grains along a Morton curve through cubes of this width in units: `order[new] = old`.
pub(crate) fn morton_order(bodies: &Bodies, width: f64) -> Vec<u32> {
    let sorted = sorted_by(bodies, |body| {
        let [x, y, z] = body.position().map(|x| spread(x / width));
        x | y << 1 | z << 2
    });
    sorted.into_iter().map(|(_, index)| index).collect()
}

/// Order of the grains slab by slab, across their longest extent, and along a Morton curve in each slab, which is `width` units thick;
/// and how many slabs hold any.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates where grains are nowhere near the domain"
)]
pub(crate) fn slab_order(bodies: &Bodies, width: f64) -> (Vec<u32>, usize) {
    let bounds = bounds(bodies);
    let (low, length) = (bounds.low, bounds.length());
    let along = (0..3).max_by(|&a, &b| length[a].total_cmp(&length[b]));
    let along = along.unwrap_or(0);
    let [b, c] = [(along + 1) % 3, (along + 2) % 3];
    let sorted = sorted_by(bodies, |body| {
        let position = body.position();
        let slab = (position[along] - low[along]) / width;
        let within = spread(position[b] / width) | spread(position[c] / width) << 1;
        (slab as u32, within)
    });
    let slabs = sorted.chunk_by(|a, b| a.0.0 == b.0.0).count();
    (sorted.into_iter().map(|(_, index)| index).collect(), slabs)
}

/// Where the grains are.
fn bounds(bodies: &Bodies) -> Bounds {
    let of_each = bodies.body.par_iter().map(Bounds::of);
    of_each.reduce(|| Bounds::NONE, Bounds::merge)
}

/// The bits of a whole number, each with two zeros behind it.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cell numbers are clamped to 21 bits"
)]
fn spread(x: f64) -> u64 {
    let mut x = x.clamp(0.0, 2_097_151.0) as u64;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Places of the grains with their keys, the lowest first.
#[allow(clippy::cast_possible_truncation, reason = "particle counts fit u32")]
fn sorted_by<K: Ord + Send>(bodies: &Bodies, key: impl Fn(&Body) -> K + Sync) -> Vec<(K, u32)> {
    let mut keys: Vec<(K, u32)> = bodies
        .body
        .par_iter()
        .enumerate()
        .map(|(index, body)| (key(body), index as u32))
        .collect();
    keys.par_sort_unstable();
    keys
}

#[cfg(test)]
mod tests {
    #![allow(clippy::cast_possible_truncation, reason = "small numbers")]
    use super::*;
    use crate::scene::{Material, Particle};
    use glam::DVec3;

    /// Numbers from 0 to 1, the same each time.
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 1u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f64 / (1u64 << 24) as f64
        }
    }

    #[test]
    fn slabs_follow_each_other_across_the_longest_extent() {
        let (_, mut bodies) = strewn([20.0, 100.0, 30.0], [false; 3], 2000, 1.0);
        let width = 2.0 * bodies.body[0].radius_units();
        let in_slabs = |bodies: &Bodies| {
            let (order, slabs) = slab_order(bodies, width);
            let mut places = order.clone();
            places.sort_unstable();
            assert!(places.into_iter().eq(0..bodies.len() as u32));
            let along = order.iter().map(|&k| bodies.body[k as usize].units[1]);
            let first = along.clone().fold(f64::INFINITY, f64::min);
            assert!(along.map(|y| ((y - first) / width) as u32).is_sorted());
            slabs
        };
        let slabs = in_slabs(&bodies);
        assert!((50..=52).contains(&slabs), "{slabs}");
        // One far away is in a slab of its own, and one that is nowhere does no harm.
        bodies.body[7].units[1] = 1e12;
        assert_eq!(in_slabs(&bodies), slabs + 1);
        for nowhere in [f64::INFINITY, f64::NAN] {
            bodies.body[7].units[1] = nowhere;
            assert_eq!(slab_order(&bodies, width).0.len(), bodies.len());
        }
    }

    /// So many grains strewn over a box that is periodic along some axes, some of them fixed and some a little outside where
    /// it is closed; the largest radius is 1.
    fn strewn(size: [f64; 3], periodic: [bool; 3], count: usize, smallest: f64) -> (Grid, Bodies) {
        let mut number = numbers();
        let size = DVec3::from_array(size);
        let grid = Grid::new(DVec3::ZERO, size, periodic, 2.0);
        let material = Material {
            name: "grain".into(),
            density: 1.0,
            young: None,
            poisson: 0.3,
        };
        let grains: Vec<Particle> = (0..count)
            .map(|k| {
                let place = DVec3::new(number(), number(), number()) * 1.02 - 0.01;
                let radius = smallest.powf(number());
                let mut grain = Particle::new(place * size, radius, 0);
                grain.fixed = k % 5 == 0;
                grain
            })
            .collect();
        let bodies = Bodies::from_particles(&grid, &[material], &grains);
        (grid, bodies)
    }

    /// Pairs of which not both are fixed and that are closer than touching plus `skin` units, each as it stands in a list.
    fn pairs_within(grid: &Grid, bodies: &Bodies, skin: f64) -> Vec<(u32, u32)> {
        let radius = |index: u32| bodies.body[index as usize].radius_units();
        let all = 0..bodies.len() as u32;
        let smallest = all.clone().map(radius).fold(f64::INFINITY, f64::min);
        let mut pairs = Vec::new();
        for a in all.clone() {
            for b in all.clone().filter(|&b| b > a) {
                let close = width(grid, bodies, (a, b)) < skin;
                let fixed = [a, b].map(|index| bodies.body[index as usize].is_fixed());
                if close && fixed != [true; 2] {
                    let [class_a, class_b] = [a, b].map(|k| class_of(radius(k), smallest));
                    pairs.push(if class_a <= class_b { (a, b) } else { (b, a) });
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// How much further apart than touching a pair is at least, units.
    fn width(grid: &Grid, bodies: &Bodies, pair: (u32, u32)) -> f64 {
        let [one, other] = [pair.0, pair.1].map(|index| &bodies.body[index as usize]);
        let d = grid.difference(one.whole_units(), other.whole_units());
        let d = DVec3::from_array(d.map(|x| x as f64));
        d.length() - (one.radius_units() + other.radius_units() + REMAINDERS)
    }

    fn all_of(reach: &Reach, grains: usize) -> Vec<(u32, u32)> {
        let of = |grain: usize| {
            reach
                .partners
                .of(grain)
                .iter()
                .map(move |&b| (grain as u32, b))
        };
        let mut pairs: Vec<(u32, u32)> = (0..grains).flat_map(of).collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn a_search_finds_every_pair_once() {
        let sizes = [
            [20.0, 16.0, 12.0],
            [9.0, 30.0, 9.0],
            [2.5, 40.0, 5.5],
            [3.1, 3.1, 3.1],
        ];
        let sides = [
            [false; 3],
            [true, false, false],
            [false, true, true],
            [true; 3],
        ];
        for (size, periodic) in sizes
            .into_iter()
            .zip(sides.into_iter().cycle().skip(1))
            .chain(sizes.into_iter().map(|size| (size, [true; 3])))
        {
            for smallest in [1.0, 0.7, 0.1] {
                let volume: f64 = size.iter().product();
                let count = (0.3 * volume / smallest) as usize;
                let (grid, mut bodies) = strewn(size, periodic, count, smallest);
                if count % 2 == 1 {
                    // In a part of the domain.
                    for body in &mut bodies.body {
                        body.units[2] = (0.3 * body.units[2]).round() + 7e8;
                    }
                }
                let skins = [0.25, 0.04].map(|skin| skin / grid.unit);
                let [wanted, close] = skins.map(|skin| pairs_within(&grid, &bodies, skin));
                for processor in Processor::those_here() {
                    let context = format!("{size:?} {periodic:?} {smallest} {processor:?}");
                    let mut reach = Reach::default();
                    reach.search(processor, &grid, &bodies, skins[0], skins[1]);
                    assert_eq!(all_of(&reach, count), wanted, "{context}");
                    let listed: Vec<_> = reach.close().from(0).collect();
                    assert_eq!(listed, close, "{context}");
                    let others = wanted.iter().filter(|pair| !close.contains(pair));
                    let clearance = others
                        .map(|&pair| width(&grid, &bodies, pair))
                        .fold(f64::INFINITY, f64::min);
                    assert_eq!(reach.clearance(&grid, &bodies), clearance, "{context}");
                    // The same from other lists.
                    reach.list_close(&grid, &bodies, skins[0]);
                    reach.list_close(&grid, &bodies, skins[1]);
                    let listed: Vec<_> = reach.close().from(0).collect();
                    assert_eq!(listed, close, "{context}: again");
                }
            }
        }
    }

    #[test]
    fn a_search_that_keeps_what_was_close_finds_every_pair() {
        let sides = [
            ([9.0, 30.0, 9.0], [true, false, true]),
            ([20.0, 16.0, 12.0], [false; 3]),
        ];
        for (size, periodic) in sides {
            for smallest in [1.0, 0.1] {
                let volume: f64 = size.iter().product();
                let count = (0.3 * volume / smallest) as usize;
                let (grid, mut bodies) = strewn(size, periodic, count, smallest);
                let [skin, inner] = [0.25, 0.04].map(|skin| skin / grid.unit);
                for processor in Processor::those_here() {
                    let context = format!("{size:?} {smallest} {processor:?}");
                    let mut reach = Reach::default();
                    reach.search(processor, &grid, &bodies, skin, inner);
                    let close: Vec<_> = reach.close().from(0).collect();
                    assert!(close.len() > 5, "{context}");
                    // All go a little way, along the box.
                    let mut number = numbers();
                    for body in &mut bodies.body {
                        body.units[1] += (0.02 * number() / grid.unit).round();
                    }
                    let found = reach.search_again(processor, &grid, &bodies, skin);
                    let wanted = pairs_within(&grid, &bodies, skin);
                    assert_eq!(all_of(&reach, count), wanted, "{context}");
                    let listed: Vec<_> = reach.close().from(0).collect();
                    assert_eq!(listed, close, "{context}");
                    let clearance = reach.clearance(&grid, &bodies);
                    assert_eq!(found, Some(clearance), "{context}");
                    // One of those that were close goes far away.
                    let far = close[close.len() / 2].1 as usize;
                    let place = bodies.body[far].units;
                    let half = (0.5 * grid.extent()[1] as f64).round();
                    bodies.body[far].units[1] += if place[1] < half { half } else { -half };
                    let found = reach.search_again(processor, &grid, &bodies, skin);
                    assert_eq!(found, None, "{context}");
                    reach.list_close(&grid, &bodies, inner);
                    let listed: Vec<_> = reach.close().from(0).collect();
                    let wanted = pairs_within(&grid, &bodies, inner);
                    assert_eq!(listed, wanted, "{context}: anew");
                    bodies.body[far].units = place;
                }
            }
        }
    }

    #[test]
    fn classes_double() {
        let classes = [1.0, 1.99, 2.0, 3.99, 4.0, 1024.0].map(|radius| class_of(radius, 1.0));
        assert_eq!(classes, [0, 0, 1, 1, 2, 10]);
    }
}
