//! An RGB image with lines, rectangles, discs and text, all anti-aliased.
//!
//! Coordinates are in pixels from the upper left corner of the image; the centre of the first pixel
//! is at (½, ½).

use super::colour::Colour;
use super::font;
use crate::error::Result;
use crate::output::{Durability, write_atomic};
use std::io;
use std::path::Path;

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
}

/// Thickness of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// For labels.
    Regular,
    /// For titles.
    Bold,
}

/// Which part of a text is at the given point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// How text looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextStyle {
    /// Size of an em, pixels.
    pub size: f32,
    /// Thickness of the letters.
    pub weight: Weight,
    /// What is at the given point. In height it is always the baseline.
    pub align: Align,
    /// Colour of the letters.
    pub colour: Colour,
    /// Whether the text runs upwards instead of to the right.
    pub upwards: bool,
}

impl TextStyle {
    /// Regular letters in ink, running to the right from the given point.
    pub fn new(size: f32) -> Self {
        Self {
            size,
            weight: Weight::Regular,
            align: Align::Start,
            colour: Colour::INK,
            upwards: false,
        }
    }

    /// The same in bold.
    #[must_use]
    pub fn bold(self) -> Self {
        Self {
            weight: Weight::Bold,
            ..self
        }
    }

    /// The same with another alignment.
    #[must_use]
    pub fn align(self, align: Align) -> Self {
        Self { align, ..self }
    }

    /// The same in another colour.
    #[must_use]
    pub fn colour(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    /// The same running upwards.
    #[must_use]
    pub fn upwards(self) -> Self {
        Self {
            upwards: true,
            ..self
        }
    }

    /// How long `text` gets, pixels.
    pub fn width(&self, text: &str) -> f32 {
        font::width(text, self.size, self.weight)
    }
}

impl Canvas {
    /// An image of one colour.
    pub fn new(width: usize, height: usize, colour: Colour) -> Self {
        Self {
            width,
            height,
            pixels: vec![colour; width * height],
        }
    }

    /// An image from its pixels, row by row from the top; `pixels` holds `width × height` of them.
    pub(super) fn from_pixels(width: usize, height: usize, pixels: Vec<Colour>) -> Self {
        debug_assert_eq!(pixels.len(), width * height, "pixels of the image");
        Self {
            width,
            height,
            pixels,
        }
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The colour of a pixel, counted from the upper left, or `None` outside.
    pub fn pixel(&self, x: usize, y: usize) -> Option<Colour> {
        (x < self.width && y < self.height).then(|| self.pixels[y * self.width + x])
    }

    /// Mixes a colour into a pixel; outside the image nothing happens.
    pub(super) fn blend(&mut self, x: usize, y: usize, colour: Colour, amount: f32) {
        if x < self.width && y < self.height {
            let pixel = &mut self.pixels[y * self.width + x];
            *pixel = pixel.mix(colour, amount);
        }
    }

    /// Fills the rectangle between two corners; `opacity` 1 covers, 0 does nothing.
    pub fn rectangle(&mut self, from: [f64; 2], to: [f64; 2], colour: Colour, opacity: f32) {
        let columns = self.columns(from[0], to[0]);
        for y in self.rows(from[1], to[1]) {
            let high = covered(y, from[1], to[1]);
            for x in columns.clone() {
                self.blend(x, y, colour, opacity * high * covered(x, from[0], to[0]));
            }
        }
    }

    /// Draws a line through points, with round joints and ends; `width` in pixels.
    ///
    /// However often the line crosses itself, it covers each pixel once.
    pub fn polyline(&mut self, points: &[[f64; 2]], width: f64, colour: Colour, opacity: f32) {
        let reach = width / 2.0 + 1.0;
        let Some(frame) = frame_of(points, reach) else {
            return;
        };
        let columns = self.columns(frame[0][0], frame[1][0]);
        let rows = self.rows(frame[0][1], frame[1][1]);
        let (left, top) = (columns.start, rows.start);
        let mut mask = vec![0.0_f32; columns.len() * rows.len()];
        for segment in points.windows(2) {
            let Some(part) = frame_of(segment, reach) else {
                continue;
            };
            for y in self.rows(part[0][1], part[1][1]) {
                for x in self.columns(part[0][0], part[1][0]) {
                    let (distance, _) = distance_to_segment(center(x, y), segment[0], segment[1]);
                    let amount = line_coverage(distance, width);
                    let index = (y - top) * columns.len() + (x - left);
                    mask[index] = mask[index].max(amount);
                }
            }
        }
        for y in rows {
            for x in columns.clone() {
                let amount = mask[(y - top) * columns.len() + (x - left)];
                if amount > 0.0 {
                    self.blend(x, y, colour, opacity * amount);
                }
            }
        }
    }

    /// Fills a disc.
    pub fn disc(&mut self, at: [f64; 2], radius: f64, colour: Colour, opacity: f32) {
        let reach = radius + 1.0;
        for y in self.rows(at[1] - reach, at[1] + reach) {
            for x in self.columns(at[0] - reach, at[0] + reach) {
                let [px, py] = center(x, y);
                let distance = (px - at[0]).hypot(py - at[1]);
                self.blend(
                    x,
                    y,
                    colour,
                    opacity * line_coverage(distance, 2.0 * radius),
                );
            }
        }
    }

    /// Writes a line of text with its baseline at the given point.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "positions in pixels; those left of or above the image are skipped"
    )]
    pub fn text(&mut self, at: [f64; 2], text: &str, style: TextStyle) {
        let shift = match style.align {
            Align::Start => 0.0,
            Align::Middle => 0.5,
            Align::End => 1.0,
        } * f64::from(style.width(text));
        // Along the text letters keep their place to a fraction of a pixel, across it they sit on
        // whole pixels: that keeps the baseline sharp.
        let (along, across) = if style.upwards {
            (-at[1] - shift, at[0].round())
        } else {
            (at[0] - shift, at[1].round())
        };
        let letters = font::rasterize(
            text,
            style.size,
            style.weight,
            (along - along.floor()) as f32,
        );
        for row in 0..letters.height {
            for column in 0..letters.width {
                let amount = letters.coverage[row * letters.width + column];
                if amount == 0.0 {
                    continue;
                }
                let forward = along.floor() + column as f64 - f64::from(letters.start);
                let down = across + row as f64 - f64::from(letters.baseline);
                let [x, y] = if style.upwards {
                    [down, -forward - 1.0]
                } else {
                    [forward, down]
                };
                if x >= 0.0 && y >= 0.0 {
                    self.blend(x as usize, y as usize, style.colour, amount);
                }
            }
        }
    }

    /// The image as the bytes of a PNG file.
    ///
    /// # Errors
    ///
    /// An image without pixels, or with more than PNG can hold.
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the image as a PNG file.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) when the file cannot be written; nothing is then left under
    /// its name.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<()> {
        write_atomic(path.as_ref(), "write picture", Durability::Process, |out| {
            self.encode(out)
        })
    }

    fn encode(&self, out: &mut impl io::Write) -> io::Result<()> {
        let size = |x: usize| u32::try_from(x).map_err(io::Error::other);
        let mut encoder = png::Encoder::new(out, size(self.width)?, size(self.height)?);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let bytes: Vec<u8> = self.pixels.iter().flat_map(|c| [c.r, c.g, c.b]).collect();
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&bytes)?;
        writer.finish()?;
        Ok(())
    }

    fn columns(&self, from: f64, to: f64) -> std::ops::Range<usize> {
        pixels_between(from, to, self.width)
    }

    fn rows(&self, from: f64, to: f64) -> std::ops::Range<usize> {
        pixels_between(from, to, self.height)
    }
}

/// The pixels that touch an interval.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "clamped to the image"
)]
pub(super) fn pixels_between(from: f64, to: f64, count: usize) -> std::ops::Range<usize> {
    let start = from.floor().clamp(0.0, count as f64) as usize;
    let end = to.ceil().clamp(0.0, count as f64) as usize;
    start..end.max(start)
}

/// How much of pixel `index` an interval covers.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a fraction of a pixel"
)]
fn covered(index: usize, from: f64, to: f64) -> f32 {
    let index = index as f64;
    (to.min(index + 1.0) - from.max(index)).clamp(0.0, 1.0) as f32
}

/// The centre of a pixel.
#[allow(clippy::cast_precision_loss, reason = "pixel coordinates")]
pub(super) fn center(x: usize, y: usize) -> [f64; 2] {
    [x as f64 + 0.5, y as f64 + 0.5]
}

/// Distance of a point from a segment, and where along the segment (0 … 1) it is nearest.
pub(super) fn distance_to_segment(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> (f64, f64) {
    let along = [to[0] - from[0], to[1] - from[1]];
    let offset = [point[0] - from[0], point[1] - from[1]];
    let square = along[0] * along[0] + along[1] * along[1];
    let t = if square > 0.0 {
        ((offset[0] * along[0] + offset[1] * along[1]) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let distance = (offset[0] - t * along[0]).hypot(offset[1] - t * along[1]);
    (distance, t)
}

/// How much of a pixel a line covers whose middle passes at `distance` from the pixel's centre.
#[allow(clippy::cast_possible_truncation, reason = "a fraction of a pixel")]
pub(super) fn line_coverage(distance: f64, width: f64) -> f32 {
    // A line thinner than a pixel covers at most its width.
    let edge = (width / 2.0).max(0.5) + 0.5 - distance;
    (edge.clamp(0.0, 1.0) * width.min(1.0)) as f32
}

/// The box around points, grown by `reach`; `None` without points, or if one is not finite.
fn frame_of(points: &[[f64; 2]], reach: f64) -> Option<[[f64; 2]; 2]> {
    let mut frame = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    for point in points {
        for axis in 0..2 {
            if !point[axis].is_finite() {
                return None;
            }
            frame[0][axis] = frame[0][axis].min(point[axis] - reach);
            frame[1][axis] = frame[1][axis].max(point[axis] + reach);
        }
    }
    (!points.is_empty()).then_some(frame)
}
