//! A picture of a state: grains and container, seen from the side and above.
//!
//! Every pixel is divided into samples; each sample follows the ray from the eye to the first sphere
//! or wall, exactly, and asks sun and sky how much light arrives there. Walls are
//! drawn where their inner side faces the eye; from behind only their edges are, so that one looks
//! into the container.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels and light; coordinates are clamped to the image"
)]

use super::camera::Camera;
use super::canvas::{
    Align, Canvas, TextStyle, center, distance_to_segment, line_coverage, pixels_between,
};
use super::colour::Colour;
use super::light::{Ball, Light, SKY_SHARES};
use super::ticks;
use crate::error::Result;
use crate::output::surface::{self, Bounds, Surface};
use crate::scene::{Scene, Wall, WallShape};
use crate::state::State;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;
use std::path::Path;

/// What the colour of a grain says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColourBy {
    /// Speed, m/s.
    Speed,
    /// Height above the bottom of the domain, against gravity, m.
    Height,
    /// Radius, m.
    Radius,
    /// Material.
    Material,
    /// Number of contacts.
    Coordination,
    /// Collisions of hard grains, 1/s: [`Picture::collision_rates`].
    CollisionRate,
}

/// How a picture is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// What the colour of a grain says.
    pub colour_by: ColourBy,
    /// Values at the two ends of the colour bar, in SI units; chosen from the state if `None`. Fix
    /// them for a series of pictures.
    pub range: Option<[f64; 2]>,
    /// The box to show, lower and upper corner, m; chosen from grains and walls if `None`. Fix it
    /// for a series of pictures.
    pub frame: Option<[DVec3; 2]>,
    /// Direction of the eye around the vertical, degrees; with z up, 0 looks from +x, −90 from −y.
    pub azimuth: f64,
    /// Height of the eye above the horizon, degrees.
    pub elevation: f64,
    /// Samples along each side of a pixel: more make smoother edges.
    pub samples: usize,
    /// Whether title, time, colour bar and scale bar are drawn.
    pub annotated: bool,
    /// How often each grain collides, by rank, 1/s; grains beyond its end do not.
    pub collision_rates: Vec<f64>,
}

impl Default for Picture {
    /// 1280 × 960 pixels, coloured by speed, three-quarter view from above.
    fn default() -> Self {
        Self {
            width: 1280,
            height: 960,
            colour_by: ColourBy::Speed,
            range: None,
            frame: None,
            azimuth: -62.0,
            elevation: 24.0,
            samples: 3,
            annotated: true,
            collision_rates: Vec::new(),
        }
    }
}

impl Picture {
    /// Draws the picture and writes it as a PNG file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) when the file cannot be written; nothing is then left under
    /// its name.
    pub fn write_png(&self, path: impl AsRef<Path>, state: &State, scene: &Scene) -> Result<()> {
        self.render(state, scene).write_png(path)
    }

    /// Draws the picture.
    pub fn render(&self, state: &State, scene: &Scene) -> Canvas {
        let up = (-scene.gravity).normalize_or(DVec3::Z);
        let surfaces = surface::surfaces(scene);
        let values = self.values(state, scene, up);
        let range = self.range.unwrap_or_else(|| self.automatic_range(&values));
        let frame = match self.frame {
            Some([lower, upper]) => Bounds { lower, upper },
            None => automatic_frame(state, scene, up),
        };
        let camera = Camera::looking_at(
            &self.subjects(state, scene, &frame),
            up,
            [self.azimuth, self.elevation],
            self.viewport(),
            self.height as f64,
        );
        let balls: Vec<Ball> = (0..state.particles.len())
            .map(|rank| Ball {
                center: camera.to_camera(state.position(rank)),
                radius: (state.particles.radius[rank] / camera.scale) as f32,
                albedo: Vec3::from_array(self.colour(values[rank], range).to_linear()),
            })
            .collect();
        let up_seen = camera.turned(up);
        // The sun stands behind the left shoulder of whoever looks.
        let sun = (up_seen + Vec3::new(-0.50, 0.0, -0.75)).normalize();
        let stage = Stage {
            frame,
            around: frame.grown(0.75 * frame.size().max_element()),
        };
        let exposure = Exposure {
            tiles: Tiles::new(self, &camera, &balls),
            light: Light::new(&balls, up_seen, sun),
            facets: facets(&surfaces, &stage, &camera),
            edges: edges(&surfaces, &stage, &camera),
            balls: &balls,
            surfaces: &surfaces,
            stage,
            camera,
            up: up_seen,
            samples: self.samples.max(1),
        };
        let mut pixels = vec![Colour::WHITE; self.width * self.height];
        pixels
            .par_chunks_mut((self.width * TILE).max(1))
            .enumerate()
            .for_each(|(row, band)| exposure.develop_band(row, band, self.width, self.height));
        let mut canvas = Canvas::from_pixels(self.width, self.height, pixels);
        if self.annotated {
            self.annotate(&mut canvas, state, scene, &camera, range);
        }
        canvas
    }

    /// What has to be in the picture, as spheres: the given box, or all grains and bounded walls.
    fn subjects(&self, state: &State, scene: &Scene, frame: &Bounds) -> Vec<(DVec3, f64)> {
        let corners = |bounds: &Bounds| bounds.corners().map(|corner| (corner, 0.0));
        if self.frame.is_some() || state.particles.is_empty() {
            return corners(frame).to_vec();
        }
        let mut subjects: Vec<(DVec3, f64)> = (0..state.particles.len())
            .map(|rank| (state.position(rank), state.particles.radius[rank]))
            .collect();
        for (lower, upper) in scene.walls.iter().filter_map(wall_bounds) {
            let bounds = Bounds {
                lower: lower.max(frame.lower),
                upper: upper.min(frame.upper),
            };
            if !bounds.is_empty() {
                subjects.extend(corners(&bounds));
            }
        }
        subjects
    }

    /// Lengths on the image grow with it; this is 1 for 960 rows.
    fn unit(&self) -> f64 {
        self.height as f64 / 960.0
    }

    fn viewport(&self) -> [[f64; 2]; 2] {
        let (width, height, unit) = (self.width as f64, self.height as f64, self.unit());
        if self.annotated {
            [
                [40.0 * unit, 104.0 * unit],
                [width - 176.0 * unit, height - 64.0 * unit],
            ]
        } else {
            let margin = 0.03 * height;
            [[margin, margin], [width - margin, height - margin]]
        }
    }

    /// The value of each grain, by rank.
    fn values(&self, state: &State, scene: &Scene, up: DVec3) -> Vec<f64> {
        let particles = &state.particles;
        match self.colour_by {
            ColourBy::Speed => particles.velocity.iter().map(|v| v.length()).collect(),
            ColourBy::Height => {
                let domain = Bounds {
                    lower: scene.domain.lower,
                    upper: scene.domain.upper,
                };
                let heights = domain.corners().map(|corner| corner.dot(up));
                let bottom = heights.into_iter().fold(f64::INFINITY, f64::min);
                (0..particles.len())
                    .map(|rank| state.position(rank).dot(up) - bottom)
                    .collect()
            }
            ColourBy::Radius => particles.radius.clone(),
            ColourBy::Material => particles.material.iter().map(|&m| f64::from(m)).collect(),
            ColourBy::Coordination => {
                let counts = state.contact_counts();
                counts.into_iter().map(f64::from).collect()
            }
            ColourBy::CollisionRate => {
                let rate = |rank: usize| self.collision_rates.get(rank).copied().unwrap_or(0.0);
                (0..particles.len()).map(rate).collect()
            }
        }
    }

    /// Ends of the colour bar that suit the values.
    fn automatic_range(&self, values: &[f64]) -> [f64; 2] {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
        if sorted.is_empty() {
            return [0.0, 1.0];
        }
        sorted.sort_unstable_by(f64::total_cmp);
        let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
        let [low, high] = match self.colour_by {
            // A few grains in free flight would otherwise leave no colours for the rest.
            ColourBy::Speed => [0.0, sorted[(sorted.len() - 1) * 995 / 1000]],
            ColourBy::CollisionRate => [0.0, sorted[(sorted.len() - 1) * 95 / 100]],
            ColourBy::Coordination => [0.0, most],
            ColourBy::Height | ColourBy::Radius | ColourBy::Material => [least, most],
        };
        if high - low > 1e-9 * high.abs() {
            [low, high]
        } else if high == 0.0 {
            [0.0, 1.0]
        } else {
            [0.9 * low, 1.1 * high]
        }
    }

    fn colour(&self, value: f64, [low, high]: [f64; 2]) -> Colour {
        match self.colour_by {
            ColourBy::Material => Colour::of_category(value as usize),
            _ => Colour::of_value((value - low) / (high - low)),
        }
    }

    fn annotate(
        &self,
        canvas: &mut Canvas,
        state: &State,
        scene: &Scene,
        camera: &Camera,
        range: [f64; 2],
    ) {
        let unit = self.unit();
        let grey = Colour::new(92, 100, 112);
        let title = TextStyle::new((27.0 * unit) as f32).bold();
        let text = TextStyle::new((19.0 * unit) as f32);
        canvas.text([40.0 * unit, 54.0 * unit], &scene.title, title);
        let count = ticks::grouped(&state.particles.len().to_string());
        let subtitle = format!("t = {} s  ·  {count} grains", four_digits(state.time()));
        canvas.text([40.0 * unit, 84.0 * unit], &subtitle, text.colour(grey));
        if self.colour_by == ColourBy::Material {
            self.draw_materials(canvas, scene);
        } else {
            self.draw_colour_bar(canvas, range);
        }
        self.draw_scale_bar(canvas, camera);
    }

    fn draw_colour_bar(&self, canvas: &mut Canvas, [low, high]: [f64; 2]) {
        let unit = self.unit();
        let text = TextStyle::new((18.0 * unit) as f32);
        let (left, width) = ((self.width as f64 - 132.0 * unit).round(), 24.0 * unit);
        let (top, bottom) = (
            (0.24 * self.height as f64).round(),
            (0.74 * self.height as f64).round(),
        );
        let (name, si_unit) = match self.colour_by {
            ColourBy::Speed => ("speed", "m/s"),
            ColourBy::Height => ("height", "m"),
            ColourBy::Radius => ("radius", "m"),
            ColourBy::Coordination => ("contacts", ""),
            ColourBy::CollisionRate => ("collisions", "Hz"),
            ColourBy::Material => ("material", ""),
        };
        let (prefix, factor) = match si_unit {
            "" => ("", 1.0),
            _ => ticks::si_prefix(low.abs().max(high.abs())),
        };
        let rows = (bottom - top) as usize;
        for row in 0..rows {
            let value = 1.0 - (row as f64 + 0.5) / rows as f64;
            let y = top + row as f64;
            canvas.rectangle(
                [left, y],
                [left + width, y + 1.0],
                Colour::of_value(value),
                1.0,
            );
        }
        let (low, high) = (low / factor, high / factor);
        let step = ticks::round_step(high - low, 5).unwrap_or(1.0);
        for tick in ticks::linear(low, high, 5) {
            let y = bottom - (tick - low) / (high - low) * (bottom - top);
            let from = left + width;
            let line = [[from, y], [from + 6.0 * unit, y]];
            canvas.polyline(&line, 1.4 * unit, Colour::INK, 1.0);
            let at = [from + 12.0 * unit, y + 6.0 * unit];
            canvas.text(at, &ticks::label(tick, step), text);
        }
        let heading = match si_unit {
            "" => name.to_owned(),
            _ => format!("{name} ({prefix}{si_unit})"),
        };
        canvas.text([left, top - 16.0 * unit], &heading, text);
    }

    fn draw_materials(&self, canvas: &mut Canvas, scene: &Scene) {
        let unit = self.unit();
        let text = TextStyle::new((18.0 * unit) as f32);
        let left = self.width as f64 - 150.0 * unit;
        let mut y = 0.24 * self.height as f64;
        for (index, material) in scene.materials.iter().enumerate() {
            let colour = Colour::of_category(index);
            canvas.disc([left, y - 6.0 * unit], 9.0 * unit, colour, 1.0);
            canvas.text([left + 20.0 * unit, y], &material.name, text);
            y += 32.0 * unit;
        }
    }

    fn draw_scale_bar(&self, canvas: &mut Canvas, camera: &Camera) {
        let unit = self.unit();
        let metres_per_pixel = camera.distance * camera.scale / camera.focal;
        let room = 240.0 * unit * metres_per_pixel;
        let length = ticks::round_below(room);
        let (left, y) = (40.0 * unit, self.height as f64 - 36.0 * unit);
        let right = left + length / metres_per_pixel;
        canvas.polyline(&[[left, y], [right, y]], 2.4 * unit, Colour::INK, 1.0);
        for x in [left, right] {
            let tick = [[x, y - 5.0 * unit], [x, y + 5.0 * unit]];
            canvas.polyline(&tick, 2.0 * unit, Colour::INK, 1.0);
        }
        let (prefix, factor) = ticks::si_prefix(length);
        let style = TextStyle::new((18.0 * unit) as f32).align(Align::Middle);
        let label = format!("{} {prefix}m", four_digits(length / factor));
        canvas.text([0.5 * (left + right), y - 11.0 * unit], &label, style);
    }
}

/// A number with at most four digits after the point and no zeros at the end.
fn four_digits(x: f64) -> String {
    if x != 0.0 && x.abs() < 1e-3 {
        return format!("{x:.2e}");
    }
    let text = format!("{x:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The box around all grains and bounded walls, with the empty space above the grains cut down.
fn automatic_frame(state: &State, scene: &Scene, up: DVec3) -> Bounds {
    let mut grains = Bounds::EMPTY;
    for rank in 0..state.particles.len() {
        let (center, radius) = (state.position(rank), state.particles.radius[rank]);
        grains.include(center - radius);
        grains.include(center + radius);
    }
    let mut frame = grains;
    for (lower, upper) in scene.walls.iter().filter_map(wall_bounds) {
        frame.include(lower);
        frame.include(upper);
    }
    if frame.is_empty() {
        return Bounds {
            lower: scene.domain.lower,
            upper: scene.domain.upper,
        };
    }
    if !grains.is_empty() {
        let axis = (0..3)
            .max_by(|&a, &b| up[a].abs().total_cmp(&up[b].abs()))
            .unwrap_or(2);
        let room = 0.5 * grains.size().max_element();
        if up[axis] > 0.0 {
            frame.upper[axis] = frame.upper[axis].min(grains.upper[axis] + room);
        } else {
            frame.lower[axis] = frame.lower[axis].max(grains.lower[axis] - room);
        }
    }
    frame
}

/// The corners of the box around a wall, or `None` if it goes on for ever.
fn wall_bounds(wall: &Wall) -> Option<(DVec3, DVec3)> {
    match wall.shape {
        WallShape::Plane { .. } | WallShape::Cylinder { length: None, .. } => None,
        WallShape::Box { lower, upper, .. } => Some((lower, upper)),
        WallShape::Sphere { center, radius, .. } => Some((center - radius, center + radius)),
        WallShape::Cylinder {
            point,
            axis,
            length: Some(length),
            radius,
            ..
        } => Some(rim_bounds(point, axis, length, [radius; 2])),
        WallShape::Cone {
            point,
            axis,
            length,
            radii,
            ..
        } => Some(rim_bounds(point, axis, length, radii)),
    }
}

/// The box around two circles on one axis.
fn rim_bounds(point: DVec3, axis: DVec3, length: f64, radii: [f64; 2]) -> (DVec3, DVec3) {
    // A circle across `axis` reaches radius · √(1 − axisᵢ²) along direction i.
    let reach = (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
    let end = point + axis * length;
    (
        (point - reach * radii[0]).min(end - reach * radii[1]),
        (point + reach * radii[0]).max(end + reach * radii[1]),
    )
}

/// Side of a tile, pixels. A tile's samples stay in the cache while its spheres are drawn.
const TILE: usize = 32;

/// Which balls touch which tile.
struct Tiles {
    columns: usize,
    /// Where the list of each tile starts in `balls`.
    starts: Vec<usize>,
    balls: Vec<u32>,
    /// Pixels that each ball can touch: left, top, right, bottom.
    frames: Vec<[f32; 4]>,
}

impl Tiles {
    fn new(picture: &Picture, camera: &Camera, balls: &[Ball]) -> Self {
        /// A frame that touches no pixel.
        const NOWHERE: [f32; 4] = [0.0, 0.0, -1.0, -1.0];
        let (columns, rows) = (picture.width.div_ceil(TILE), picture.height.div_ceil(TILE));
        let frames: Vec<[f32; 4]> = balls
            .par_iter()
            .map(|ball| {
                let frame = camera.frame_of_sphere(ball.center, ball.radius);
                frame.map_or(NOWHERE, |frame| frame.map(|x| x as f32))
            })
            .collect();
        let touched = |frame: &[f32; 4]| {
            let tile = TILE as f64;
            let [left, top, right, bottom] = frame.map(|x| f64::from(x) / tile);
            let columns = pixels_between(left, right, columns);
            pixels_between(top, bottom, rows)
                .flat_map(move |row| columns.clone().map(move |column| (row, column)))
        };
        let mut starts = vec![0; columns * rows + 1];
        for frame in &frames {
            for (row, column) in touched(frame) {
                starts[row * columns + column + 1] += 1;
            }
        }
        for tile in 1..starts.len() {
            starts[tile] += starts[tile - 1];
        }
        let mut next = starts.clone();
        let mut listed = vec![0; starts[columns * rows]];
        for (ball, frame) in frames.iter().enumerate() {
            for (row, column) in touched(frame) {
                let place = &mut next[row * columns + column];
                listed[*place] = ball as u32;
                *place += 1;
            }
        }
        Self {
            columns,
            starts,
            balls: listed,
            frames,
        }
    }

    fn balls_in(&self, row: usize, column: usize) -> &[u32] {
        let tile = row * self.columns + column;
        &self.balls[self.starts[tile]..self.starts[tile + 1]]
    }
}

/// Where walls are drawn.
struct Stage {
    /// What the picture shows: bounded walls end here.
    frame: Bounds,
    /// Endless walls go on beyond the frame and fade on the way to the sides of this box.
    around: Bounds,
}

impl Stage {
    fn limits(&self, surface: &Surface) -> &Bounds {
        if surface.bounded {
            &self.frame
        } else {
            &self.around
        }
    }

    /// How much of an endless wall is left at a point: 1 in the frame, 0 at the sides of the stage.
    fn presence(&self, point: DVec3) -> f32 {
        let outside = (self.frame.lower - point)
            .max(point - self.frame.upper)
            .max(DVec3::ZERO);
        let reach = self.frame.lower.x - self.around.lower.x;
        let t = (1.0 - outside.length() / reach).clamp(0.0, 1.0);
        (t * t * (3.0 - 2.0 * t)) as f32
    }
}

/// A piece of wall that is seen from its inner side.
struct Facet {
    surface: usize,
    /// Corners on the image, pixels.
    corners: Vec<[f64; 2]>,
    /// Plane in camera coordinates: a point x is on it if normal · x = offset.
    normal: Vec3,
    offset: f32,
}

/// A line of the container's outline: pixels and depth of its ends.
struct Edge {
    ends: [[f64; 2]; 2],
    depths: [f64; 2],
}

fn faces_eye(surface: &Surface, polygon: &[DVec3], camera: &Camera) -> bool {
    let center = polygon.iter().sum::<DVec3>() / polygon.len().max(1) as f64;
    surface.normal(center).dot(camera.eye() - center) > 0.0
}

fn facets(surfaces: &[Surface], stage: &Stage, camera: &Camera) -> Vec<Facet> {
    let mut facets = Vec::new();
    for (index, surface) in surfaces.iter().enumerate() {
        for polygon in &surface.polygons {
            let polygon = stage.limits(surface).clip(polygon);
            if polygon.is_empty() || !faces_eye(surface, &polygon, camera) {
                continue;
            }
            let seen: Vec<Vec3> = polygon.iter().map(|&p| camera.to_camera(p)).collect();
            if seen.iter().any(|p| p.z <= 0.0) {
                continue;
            }
            // Newell's normal: right for any planar polygon, however short its edges.
            let normal = (0..seen.len())
                .map(|i| seen[i].cross(seen[(i + 1) % seen.len()]))
                .sum::<Vec3>()
                .normalize_or_zero();
            facets.push(Facet {
                surface: index,
                corners: seen.iter().map(|&p| camera.project(p).0).collect(),
                normal,
                offset: normal.dot(seen[0]),
            });
        }
    }
    facets
}

fn edges(surfaces: &[Surface], stage: &Stage, camera: &Camera) -> Vec<Edge> {
    let mut edges = Vec::new();
    for surface in surfaces {
        let facing: Vec<bool> = surface
            .polygons
            .iter()
            .map(|polygon| faces_eye(surface, polygon, camera))
            .collect();
        let outline = surface
            .creases
            .iter()
            .filter(|(_, [a, b])| facing[*a] != facing[*b])
            .map(|(edge, _)| edge);
        // An endless wall has no rim; where the domain cuts it, nothing is to be seen.
        let rims = surface.rims.iter().filter(|_| surface.bounded);
        for &segment in rims.chain(outline) {
            let Some(ends) = stage.limits(surface).clip_segment(segment) else {
                continue;
            };
            let [(from, near), (to, far)] = ends.map(|p| camera.project(camera.to_camera(p)));
            if near > 0.0 && far > 0.0 {
                edges.push(Edge {
                    ends: [from, to],
                    depths: [near, far],
                });
            }
        }
    }
    edges
}

/// Everything that decides the colour of a pixel.
struct Exposure<'a> {
    tiles: Tiles,
    light: Light,
    facets: Vec<Facet>,
    edges: Vec<Edge>,
    balls: &'a [Ball],
    surfaces: &'a [Surface],
    stage: Stage,
    camera: Camera,
    up: Vec3,
    samples: usize,
}

/// What a sample sees.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Nothing,
    Ball(u32),
    Wall(u32),
}

/// The samples of one tile.
struct Samples {
    columns: Range<usize>,
    rows: Range<usize>,
    /// Samples in a row of the tile.
    width: usize,
    depth: Vec<f32>,
    seen: Vec<Seen>,
    /// x / z of each column of samples, y / z of each row.
    slope_x: Vec<f32>,
    slope_y: Vec<f32>,
}

impl Exposure<'_> {
    /// Draws a row of tiles into its pixels.
    fn develop_band(&self, row: usize, band: &mut [Colour], width: usize, height: usize) {
        let rows = row * TILE..((row + 1) * TILE).min(height);
        for column in 0..self.tiles.columns {
            let columns = column * TILE..((column + 1) * TILE).min(width);
            let mut samples = self.empty_samples(columns, rows.clone());
            for &ball in self.tiles.balls_in(row, column) {
                self.draw_ball(&mut samples, ball);
            }
            for facet in &self.facets {
                self.draw_facet(&mut samples, facet);
            }
            self.develop(&samples, band, width, height);
        }
    }

    fn empty_samples(&self, columns: Range<usize>, rows: Range<usize>) -> Samples {
        let slopes = |range: &Range<usize>, middle: f64, sign: f64| -> Vec<f32> {
            (0..range.len() * self.samples)
                .map(|i| {
                    let pixel = range.start as f64 + (i as f64 + 0.5) / self.samples as f64;
                    (sign * (pixel - middle) / self.camera.focal) as f32
                })
                .collect()
        };
        let slope_x = slopes(&columns, self.camera.middle[0], 1.0);
        let slope_y = slopes(&rows, self.camera.middle[1], -1.0);
        Samples {
            width: slope_x.len(),
            depth: vec![f32::INFINITY; slope_x.len() * slope_y.len()],
            seen: vec![Seen::Nothing; slope_x.len() * slope_y.len()],
            columns,
            rows,
            slope_x,
            slope_y,
        }
    }

    /// The samples of a tile between two pixel coordinates.
    fn within(&self, from: f64, to: f64, pixels: &Range<usize>) -> Range<usize> {
        let (start, scale) = (pixels.start as f64, self.samples as f64);
        pixels_between(
            (from - start) * scale,
            (to - start) * scale,
            pixels.len() * self.samples,
        )
    }

    fn draw_ball(&self, samples: &mut Samples, index: u32) {
        let ball = &self.balls[index as usize];
        let [left, top, right, bottom] = self.tiles.frames[index as usize].map(f64::from);
        let columns = self.within(left, right, &samples.columns);
        let (center, square) = (ball.center, ball.radius * ball.radius);
        for row in self.within(top, bottom, &samples.rows) {
            let y = samples.slope_y[row];
            for column in columns.clone() {
                let ray = Vec3::new(samples.slope_x[column], y, 1.0);
                // Distance of the centre from the ray. Unlike the discriminant of the quadratic,
                // it does not cancel for small spheres far away.
                let inverse = 1.0 / ray.length_squared();
                let nearest = center.dot(ray) * inverse;
                let rest = square - (center - ray * nearest).length_squared();
                if rest > 0.0 {
                    let depth = nearest - (rest * inverse).sqrt();
                    let sample = row * samples.width + column;
                    if depth < samples.depth[sample] {
                        samples.depth[sample] = depth;
                        samples.seen[sample] = Seen::Ball(index);
                    }
                }
            }
        }
    }

    fn draw_facet(&self, samples: &mut Samples, facet: &Facet) {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for corner in &facet.corners {
            for axis in 0..2 {
                low[axis] = low[axis].min(corner[axis]);
                high[axis] = high[axis].max(corner[axis]);
            }
        }
        let columns = self.within(low[0], high[0], &samples.columns);
        let rows = self.within(low[1], high[1], &samples.rows);
        if columns.is_empty() || rows.is_empty() {
            return;
        }
        for row in rows {
            let py = samples.rows.start as f64 + (row as f64 + 0.5) / self.samples as f64;
            let Some([from, to]) = row_through(&facet.corners, py) else {
                continue;
            };
            let y = samples.slope_y[row];
            for column in self.within(from, to, &samples.columns) {
                let ray = Vec3::new(samples.slope_x[column], y, 1.0);
                let depth = facet.offset / facet.normal.dot(ray);
                let sample = row * samples.width + column;
                if depth > 0.0 && depth < samples.depth[sample] {
                    samples.depth[sample] = depth;
                    samples.seen[sample] = Seen::Wall(facet.surface as u32);
                }
            }
        }
    }

    /// Turns samples into pixels and draws the edges over them.
    fn develop(&self, samples: &Samples, band: &mut [Colour], width: usize, height: usize) {
        let per_pixel = self.samples * self.samples;
        let near: Vec<&Edge> = self.edges_near(samples);
        for row in samples.rows.clone() {
            let background = background(row, height);
            for column in samples.columns.clone() {
                let light = if let Some(sample) = self.only_wall(samples, column, row) {
                    // Smooth within the pixel: one place, seen by the whole sky.
                    let light = |share| self.light_of(samples, sample, share, background);
                    (0..SKY_SHARES).map(light).sum::<Vec3>() / SKY_SHARES as f32
                } else {
                    let light = |sub| {
                        let sample = self.sample_of(samples, column, row, sub);
                        self.light_of(samples, sample, sub, background)
                    };
                    (0..per_pixel).map(light).sum::<Vec3>() / per_pixel as f32
                };
                let mut colour = Colour::from_linear(light.to_array());
                if !near.is_empty() {
                    let amount = self.edge_coverage(samples, &near, column, row);
                    colour = colour.mix(EDGE, 0.75 * amount);
                }
                band[(row - samples.rows.start) * width + column] = colour;
            }
        }
    }

    fn sample_of(&self, samples: &Samples, column: usize, row: usize, sub: usize) -> usize {
        let x = (column - samples.columns.start) * self.samples + sub % self.samples;
        let y = (row - samples.rows.start) * self.samples + sub / self.samples;
        y * samples.width + x
    }

    /// The middle sample of a pixel, if all its samples see the same wall.
    fn only_wall(&self, samples: &Samples, column: usize, row: usize) -> Option<usize> {
        let per_pixel = self.samples * self.samples;
        let middle = self.sample_of(samples, column, row, per_pixel / 2);
        let seen = samples.seen[middle];
        let only = matches!(seen, Seen::Wall(_))
            && (0..per_pixel)
                .all(|sub| samples.seen[self.sample_of(samples, column, row, sub)] == seen);
        only.then_some(middle)
    }

    /// Light that a sample sends to the eye.
    fn light_of(&self, samples: &Samples, sample: usize, share: usize, background: Vec3) -> Vec3 {
        let ray = || {
            Vec3::new(
                samples.slope_x[sample % samples.width],
                samples.slope_y[sample / samples.width],
                1.0,
            )
        };
        match samples.seen[sample] {
            Seen::Nothing => background,
            Seen::Ball(index) => {
                let ball = &self.balls[index as usize];
                let ray = ray();
                let point = ray * samples.depth[sample];
                let normal = (point - ball.center) / ball.radius;
                let [sky, _] = self.light.sky(point, normal, share);
                let sun = self.light.sun(point, normal);
                let gloss = 0.10 * sun * self.light.glint(normal, ray);
                // A darker rim sets each grain off from those behind it.
                let facing = (-normal.dot(ray) / ray.length()).clamp(0.0, 1.0);
                let rim = 0.72 + 0.28 * (facing * 2.5).min(1.0);
                ball.albedo * ((0.15 + 0.52 * sky + 0.55 * sun) * rim) + gloss
            }
            Seen::Wall(index) => {
                let point = ray() * samples.depth[sample];
                let surface = &self.surfaces[index as usize];
                let place = self.camera.to_world(point);
                let normal = self.camera.turned(surface.normal(place));
                let [sky, open] = self.light.sky(point, normal, share);
                let unhidden = if open > 0.0 { sky / open } else { 1.0 };
                let sun = self.light.sun_visibility(point, normal);
                // Walls are the stage: even light, darkened only by the grains.
                let level = 0.86 + 0.14 * normal.dot(self.up);
                let lit = WALL_ALBEDO * (level * (0.30 + 0.42 * unhidden + 0.28 * sun));
                if surface.bounded {
                    lit
                } else {
                    background.lerp(lit, self.stage.presence(place))
                }
            }
        }
    }

    fn edges_near(&self, samples: &Samples) -> Vec<&Edge> {
        let reach = self.edge_width() + 1.0;
        let touches = |pixels: &Range<usize>, a: f64, b: f64| {
            a.min(b) - reach < pixels.end as f64 && a.max(b) + reach > pixels.start as f64
        };
        self.edges
            .iter()
            .filter(|edge| {
                let [from, to] = edge.ends;
                touches(&samples.columns, from[0], to[0]) && touches(&samples.rows, from[1], to[1])
            })
            .collect()
    }

    fn edge_width(&self) -> f64 {
        // The focal length is proportional to the height of the image: 1.6 pixels for 960 rows.
        1.6 * self.camera.focal / 2500.0
    }

    /// How much of a pixel is covered by edges that nothing hides.
    fn edge_coverage(&self, samples: &Samples, edges: &[&Edge], column: usize, row: usize) -> f32 {
        let mut most = 0.0_f32;
        for edge in edges {
            let [from, to] = edge.ends;
            let (distance, t) = distance_to_segment(center(column, row), from, to);
            let coverage = line_coverage(distance, self.edge_width());
            if coverage <= most {
                continue;
            }
            // Along a line on the image it is 1 / depth that changes evenly.
            let depth = 1.0 / ((1.0 - t) / edge.depths[0] + t / edge.depths[1]);
            // Edges lie in walls: let rounding not hide them there.
            let depth = (depth * 0.999) as f32;
            let per_pixel = self.samples * self.samples;
            let free = (0..per_pixel)
                .filter(|&sub| depth < samples.depth[self.sample_of(samples, column, row, sub)])
                .count();
            most = most.max(coverage * free as f32 / per_pixel as f32);
        }
        most
    }
}

const WALL_ALBEDO: Vec3 = Vec3::new(0.74, 0.76, 0.79);
const EDGE: Colour = Colour::new(70, 80, 95);

/// The backdrop: bright, a little darker towards the bottom.
fn background(row: usize, height: usize) -> Vec3 {
    let t = row as f32 / height.max(1) as f32;
    let colour = Colour::new(250, 251, 253).mix(Colour::new(226, 231, 238), t);
    Vec3::from_array(colour.to_linear())
}

/// Where a horizontal line enters and leaves a convex polygon.
fn row_through(corners: &[[f64; 2]], y: f64) -> Option<[f64; 2]> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (index, from) in corners.iter().enumerate() {
        let to = corners[(index + 1) % corners.len()];
        if (from[1] <= y) != (to[1] <= y) {
            let x = from[0] + (y - from[1]) / (to[1] - from[1]) * (to[0] - from[0]);
            low = low.min(x);
            high = high.max(x);
        }
    }
    (low <= high).then_some([low, high])
}
