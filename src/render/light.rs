//! Light on a heap of spheres: where sun and sky are hidden.
//!
//! From every direction that light comes from, the heap is looked at once, without perspective, and
//! the height of the nearest surface is kept ([`DepthMap`]). A point is lit from there if nothing in
//! the map is higher. One fine map makes the shadow of the sun; some dozens of coarse ones, spread
//! over the sky, make the soft darkening between grains. Nothing is random, so pictures do not
//! flicker and equal states give equal bytes.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels and light; coordinates are clamped to the map"
)]

use glam::Vec3;
use rayon::prelude::*;
use std::f32::consts::PI;

/// Directions from which the sky shines.
const SKY: usize = 64;
/// Each sample of a pixel asks this share of the directions; together they ask all.
pub(super) const SKY_SHARES: usize = 4;

/// A sphere to be drawn: centre, radius and colour, in the coordinates of the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    pub(super) center: Vec3,
    pub(super) radius: f32,
    /// Amount of light that it throws back.
    pub(super) albedo: Vec3,
}

/// The light of a scene.
pub(super) struct Light {
    sun: DepthMap,
    sky: Vec<DepthMap>,
    /// What an open surface facing upwards gets from each share of the sky.
    open_sky: [f32; SKY_SHARES],
}

impl Light {
    /// Looks at the balls from the sun and from the sky.
    pub(super) fn new(balls: &[Ball], up: Vec3, sun: Vec3) -> Self {
        let (east, north) = up.any_orthonormal_pair();
        let golden = PI * (3.0 - 5.0_f32.sqrt());
        let sky_directions: Vec<Vec3> = (0..SKY)
            .map(|i| {
                // Even in height is even on the sphere; successive golden angles never line up.
                let height = (i as f32 + 0.5) / SKY as f32;
                let (sin, cos) = (golden * i as f32).sin_cos();
                let side = (1.0 - height * height).sqrt();
                up * height + (east * cos + north * sin) * side
            })
            .collect();
        let mean_radius = balls.iter().map(|b| b.radius).sum::<f32>() / balls.len().max(1) as f32;
        let mut maps: Vec<DepthMap> = (0..=SKY)
            .into_par_iter()
            .map(|i| match i {
                0 => DepthMap::new(balls, sun, mean_radius / 12.0, 3000),
                _ => DepthMap::new(balls, sky_directions[i - 1], mean_radius / 5.0, 800),
            })
            .collect();
        let sky = maps.split_off(1);
        let open_sky = std::array::from_fn(|share| {
            let directions = sky_directions.iter().skip(share).step_by(SKY_SHARES);
            directions.map(|d| d.dot(up)).sum()
        });
        Self {
            sun: maps.remove(0),
            sky,
            open_sky,
        }
    }

    /// Sunlight at a surface: 0 in the shadow or facing away, 1 facing the sun.
    pub(super) fn sun(&self, point: Vec3, normal: Vec3) -> f32 {
        let facing = normal.dot(self.sun.towards);
        if facing <= 0.0 {
            return 0.0;
        }
        facing * self.sun_visibility(point, normal)
    }

    /// Brightness of the sun's reflection, 0 … 1, seen along `ray` (not necessarily of unit length).
    pub(super) fn glint(&self, normal: Vec3, ray: Vec3) -> f32 {
        let halfway = (self.sun.towards - ray.normalize()).normalize_or_zero();
        normal.dot(halfway).max(0.0).powi(48)
    }

    /// How much of the sun a point sees, whichever way the surface faces.
    pub(super) fn sun_visibility(&self, point: Vec3, normal: Vec3) -> f32 {
        self.sun.soft_visibility(point, normal)
    }

    /// Light of the sky at a surface, asked from one share of the directions, and what it would be
    /// with nothing in the way. In the open, facing upwards, both are 1.
    pub(super) fn sky(&self, point: Vec3, normal: Vec3, share: usize) -> [f32; 2] {
        let share = share % SKY_SHARES;
        let (mut light, mut open) = (0.0, 0.0);
        for map in self.sky[share..].iter().step_by(SKY_SHARES) {
            let facing = normal.dot(map.towards);
            if facing > 0.0 {
                light += facing * map.visibility(point, normal);
                open += facing;
            }
        }
        [light, open].map(|x| x / self.open_sky[share])
    }
}

/// Height of the balls above a plane across the light, cell by cell.
struct DepthMap {
    /// Unit vector towards the light.
    towards: Vec3,
    across: [Vec3; 2],
    /// Coordinates of the lower left corner of the map.
    corner: [f32; 2],
    /// Width of a cell.
    cell: f32,
    size: [usize; 2],
    /// Coordinate along `towards` of the highest surface.
    height: Vec<f32>,
}

impl DepthMap {
    /// Cells are `cell` wide, or wider if more than `most` would be needed along a side.
    fn new(balls: &[Ball], towards: Vec3, cell: f32, most: usize) -> Self {
        let (u, v) = towards.any_orthonormal_pair();
        let across = [u, v];
        let mut low = [f32::INFINITY; 2];
        let mut high = [f32::NEG_INFINITY; 2];
        for ball in balls {
            for axis in 0..2 {
                let at = ball.center.dot(across[axis]);
                low[axis] = low[axis].min(at - ball.radius);
                high[axis] = high[axis].max(at + ball.radius);
            }
        }
        let extent = [0, 1].map(|axis| (high[axis] - low[axis]).max(0.0));
        let cell = cell
            .max(extent[0].max(extent[1]) / (most - 3) as f32)
            .max(f32::MIN_POSITIVE);
        // One empty cell around, so that looking past the edge finds the open sky.
        let size = extent.map(|length| (length / cell) as usize + 3);
        let mut map = Self {
            towards,
            across,
            corner: low.map(|x| if x.is_finite() { x - cell } else { 0.0 }),
            cell,
            size,
            height: vec![f32::NEG_INFINITY; size[0] * size[1]],
        };
        for ball in balls {
            map.add(ball);
        }
        map
    }

    fn add(&mut self, ball: &Ball) {
        let [x, y] = self.cell_of(ball.center);
        let top = ball.center.dot(self.towards);
        let reach = ball.radius / self.cell;
        let square = reach * reach;
        let range = |at: f32, size: usize| {
            let first = (at - reach - 0.5).ceil().max(0.0) as usize;
            let last = ((at + reach - 0.5).floor().max(0.0) as usize).min(size - 1);
            first..last + 1
        };
        let columns = range(x, self.size[0]);
        for row in range(y, self.size[1]) {
            let dy = row as f32 + 0.5 - y;
            let left = square - dy * dy;
            let line = &mut self.height[row * self.size[0]..][..self.size[0]];
            for column in columns.clone() {
                let dx = column as f32 + 0.5 - x;
                let rest = left - dx * dx;
                if rest > 0.0 {
                    let height = top + rest.sqrt() * self.cell;
                    line[column] = line[column].max(height);
                }
            }
        }
    }

    /// Coordinates in cells.
    fn cell_of(&self, point: Vec3) -> [f32; 2] {
        [0, 1].map(|axis| (point.dot(self.across[axis]) - self.corner[axis]) / self.cell)
    }

    fn height_at(&self, column: f32, row: f32) -> f32 {
        let outside = column < 0.0 || row < 0.0;
        let (column, row) = (column as usize, row as usize);
        if outside || column >= self.size[0] || row >= self.size[1] {
            return f32::NEG_INFINITY;
        }
        self.height[row * self.size[0] + column]
    }

    /// The point a little above the surface, so that the surface does not shade itself.
    fn lifted(&self, point: Vec3, normal: Vec3) -> ([f32; 2], f32) {
        let lifted = point + normal * (1.5 * self.cell);
        (
            self.cell_of(lifted),
            lifted.dot(self.towards) + 0.5 * self.cell,
        )
    }

    /// Whether light reaches a surface: 0 … 1, with a soft step at the edge of the shadow.
    fn visibility(&self, point: Vec3, normal: Vec3) -> f32 {
        let ([x, y], height) = self.lifted(point, normal);
        let above = self.height_at(x, y) - height;
        (1.0 - above / self.cell).clamp(0.0, 1.0)
    }

    /// The same, smoothed over 4 × 4 cells with weights that follow the point.
    fn soft_visibility(&self, point: Vec3, normal: Vec3) -> f32 {
        const HALF: f32 = 2.0;
        let ([x, y], height) = self.lifted(point, normal);
        let (mut sum, mut weights) = (0.0, 0.0);
        for j in -1..=2 {
            for i in -1..=2 {
                let column = (x - 0.5).floor() + i as f32 + 0.5;
                let row = (y - 0.5).floor() + j as f32 + 0.5;
                let weight = (HALF - (column - x).abs()) * (HALF - (row - y).abs());
                let above = self.height_at(column, row) - height;
                sum += weight * (1.0 - above / self.cell).clamp(0.0, 1.0);
                weights += weight;
            }
        }
        sum / weights
    }
}
