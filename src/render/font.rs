//! Text as coverage: how much of each pixel the letters fill.
//!
//! The letters are Noto Sans (SIL Open Font License), compiled in, so that pictures look the same on
//! every machine and need nothing installed.

use super::canvas::Weight;
use ab_glyph::{Font, FontRef, GlyphId, PxScale, ScaleFont, point};
use std::sync::OnceLock;

/// Coverage of a piece of text, and where its baseline starts.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) width: usize,
    pub(super) height: usize,
    /// From the top of the mask to the baseline, pixels.
    pub(super) baseline: f32,
    /// Where the pen starts within the mask, pixels.
    pub(super) start: f32,
    /// 0 … 1, row by row.
    pub(super) coverage: Vec<f32>,
}

fn font(weight: Weight) -> &'static FontRef<'static> {
    static FONTS: OnceLock<[FontRef<'static>; 2]> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        [notosans::REGULAR_TTF, notosans::BOLD_TTF].map(|bytes| {
            match FontRef::try_from_slice(bytes) {
                Ok(font) => font,
                Err(error) => unreachable!("the built-in font is whole: {error}"),
            }
        })
    });
    match weight {
        Weight::Regular => &fonts[0],
        Weight::Bold => &fonts[1],
    }
}

/// The scale at which an em is `size` pixels, as in every other program.
fn scale(font: &FontRef<'_>, size: f32) -> PxScale {
    let em = font.units_per_em().unwrap_or(1000.0);
    PxScale::from(size * font.height_unscaled() / em)
}

/// A letter in its place: where the pen is, how large it is and how far above the baseline, pixels.
struct Placed {
    glyph: GlyphId,
    pen: f32,
    size: f32,
    raised: f32,
}

/// The plain form of a raised digit or sign. The font has only some of them, in various sizes, so
/// all are made from the plain ones.
fn lowered(letter: char) -> Option<char> {
    const RAISED: [(char, char); 12] = [
        ('⁰', '0'),
        ('¹', '1'),
        ('²', '2'),
        ('³', '3'),
        ('⁴', '4'),
        ('⁵', '5'),
        ('⁶', '6'),
        ('⁷', '7'),
        ('⁸', '8'),
        ('⁹', '9'),
        ('⁻', '−'),
        ('⁺', '+'),
    ];
    let found = RAISED.iter().find(|(raised, _)| *raised == letter);
    found.map(|(_, plain)| *plain)
}

/// Puts letters one after the other; also gives how far the pen moves.
fn layout(text: &str, size: f32, weight: Weight) -> (Vec<Placed>, f32) {
    let font = font(weight);
    let mut pen = 0.0;
    let mut previous: Option<Placed> = None;
    let mut placed = Vec::new();
    for letter in text.chars() {
        let (plain, size, raised) = match lowered(letter) {
            Some(plain) => (plain, 0.68 * size, 0.36 * size),
            None => (letter, size, 0.0),
        };
        let scaled = font.as_scaled(scale(font, size));
        let glyph = scaled.glyph_id(plain);
        if let Some(previous) = previous.filter(|previous| previous.raised == raised) {
            pen += scaled.kern(previous.glyph, glyph);
        }
        let here = || Placed {
            glyph,
            pen,
            size,
            raised,
        };
        placed.push(here());
        previous = Some(here());
        pen += scaled.h_advance(glyph);
    }
    (placed, pen)
}

/// How far the pen moves, pixels.
pub(super) fn width(text: &str, size: f32, weight: Weight) -> f32 {
    layout(text, size, weight).1
}

/// Rasterizes a line of text. `fraction` shifts it to the right by a part of a pixel.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "sizes of a line of text in pixels"
)]
pub(super) fn rasterize(text: &str, size: f32, weight: Weight, fraction: f32) -> Text {
    let font = font(weight);
    let (letters, advance) = layout(text, size, weight);
    // Room for letters that reach beyond their box.
    let margin = size.ceil();
    let baseline = (1.2 * size).ceil();
    let mask_width = (advance + 2.0 * margin).ceil() as usize + 1;
    let mask_height = (baseline + 0.6 * size).ceil() as usize;
    let mut coverage = vec![0.0; mask_width * mask_height];
    for letter in letters {
        let at = point(margin + letter.pen + fraction, baseline - letter.raised);
        let scale = scale(font, letter.size);
        let glyph = letter.glyph.with_scale_and_position(scale, at);
        let Some(outline) = font.outline_glyph(glyph) else {
            continue;
        };
        let corner = outline.px_bounds().min;
        outline.draw(|x, y, amount| {
            let (x, y) = (corner.x + x as f32, corner.y + y as f32);
            if x >= 0.0 && y >= 0.0 && (x as usize) < mask_width && (y as usize) < mask_height {
                let pixel: &mut f32 = &mut coverage[y as usize * mask_width + x as usize];
                *pixel = (*pixel + amount).min(1.0);
            }
        });
    }
    Text {
        width: mask_width,
        height: mask_height,
        baseline,
        start: margin,
        coverage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_we_use_is_in_the_font() {
        for weight in [Weight::Regular, Weight::Bold] {
            let missing: Vec<char> = "0123456789eE.,+−-×·⁻⁰¹²³⁴⁵⁶⁷⁸⁹µ°≥≤Σ–()/=%\u{2009}"
                .chars()
                .map(|c| lowered(c).unwrap_or(c))
                .filter(|&c| font(weight).glyph_id(c).0 == 0)
                .collect();
            assert!(missing.is_empty(), "{weight:?}: {missing:?}");
        }
    }
}
