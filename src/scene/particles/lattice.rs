//! Equal particles on a lattice.

use super::region::read_box;
use super::{OriginKind, Random, World, read_prototype};
use crate::error::Result;
use crate::scene::Particle;
use crate::scene::names::Named;
use crate::scene::reader::Section;
use glam::DVec3;

/// How the lattice is arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arrangement {
    /// Simple cubic.
    Cubic,
    /// Hexagonal close packing: layers ABAB along z, rows along x.
    Hexagonal,
}

impl Named for Arrangement {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("cubic", Self::Cubic), ("hexagonal", Self::Hexagonal)];
    const NAMES: &'static [&'static str] = &["cubic", "hexagonal"];
}

/// Fraction of a spacing that rounding may cost before a row loses its last particle.
const ROUNDING: f64 = 1e-9;

pub(super) fn read(
    section: &Section,
    world: &World,
    particles: &mut Vec<Particle>,
) -> Result<OriginKind> {
    section.allow(&[
        "kind",
        "material",
        "radius",
        "lower",
        "upper",
        "arrangement",
        "spacing",
        "jitter",
        "seed",
        "count",
        "velocity",
        "spin",
        "fixed",
    ])?;
    let radius = section.need_positive("radius", "m")?;
    let (lower, upper) = read_box(section, &world.domain)?;
    let arrangement = section.choice("arrangement")?.unwrap_or(Arrangement::Cubic);
    let spacing = section.positive("spacing", "m")?.unwrap_or(2.0 * radius);
    let shift = read_jitter(section, spacing, radius)?;
    let mut random = Random::seeded(section)?;
    let prototype = Particle {
        radius,
        ..read_prototype(section, world)?
    };

    let margin = radius + shift;
    let lattice = Lattice {
        arrangement,
        spacing,
        origin: lower + margin,
        size: upper - lower - 2.0 * margin,
    };
    if lattice.size.min_element() < -ROUNDING * spacing {
        return Err(section.error(
            "upper",
            "a region too small for one particle",
            format!("at least {} m along each axis", 2.0 * margin),
        ));
    }
    let wanted = match section.whole("count")? {
        Some(0) => return Err(section.error("count", "0", "a whole number, 1 or more")),
        Some(count) => lattice.most_points().min(count as f64),
        None => lattice.most_points(),
    };
    world.check_room(section, "spacing", particles.len(), wanted)?;
    let places = lattice.points().take(to_count(wanted));
    particles.extend(places.map(|place| Particle {
        position: place + shift * in_ball(shift, &mut random),
        ..prototype
    }));
    Ok(OriginKind::Generated)
}

/// How far a particle may be from its place. Two neighbours that approach each other by the whole of
/// it just touch, so jitter never makes an overlap.
fn read_jitter(section: &Section, spacing: f64, radius: f64) -> Result<f64> {
    let jitter = section
        .number("jitter", "the range from 0 to 1")?
        .unwrap_or(0.0);
    if !(0.0..=1.0).contains(&jitter) {
        return Err(section.error("jitter", jitter.to_string(), "a number from 0 to 1"));
    }
    let gap = spacing - 2.0 * radius;
    if jitter > 0.0 && gap <= 0.0 {
        return Err(section.error(
            "jitter",
            format!("{jitter}, but no room between particles at spacing {spacing} m"),
            format!("a spacing of more than {} m, or no jitter", 2.0 * radius),
        ));
    }
    Ok(0.5 * gap.max(0.0) * jitter)
}

/// Uniform in the unit ball; without jitter no random numbers are drawn.
fn in_ball(shift: f64, random: &mut Random) -> DVec3 {
    if shift <= 0.0 {
        return DVec3::ZERO;
    }
    loop {
        let place = random.cube();
        if place.length_squared() <= 1.0 {
            return place;
        }
    }
}

struct Lattice {
    arrangement: Arrangement,
    spacing: f64,
    /// First place.
    origin: DVec3,
    /// How far places may be from the first.
    size: DVec3,
}

impl Lattice {
    /// Distance of neighbouring places in a row, of rows, of layers.
    fn steps(&self) -> DVec3 {
        match self.arrangement {
            Arrangement::Cubic => DVec3::splat(self.spacing),
            Arrangement::Hexagonal => {
                let row = 3.0_f64.sqrt() / 2.0;
                let layer = (2.0_f64 / 3.0).sqrt();
                self.spacing * DVec3::new(1.0, row, layer)
            }
        }
    }

    /// How many places fit from `start` on, along an axis of length `size`.
    fn places(&self, size: f64, start: f64, step: f64) -> f64 {
        (((size - start) / step + ROUNDING).floor() + 1.0).max(0.0)
    }

    /// At least as many as there are points; exact for the cubic lattice.
    fn most_points(&self) -> f64 {
        let steps = self.steps();
        (0..3).fold(1.0, |product, axis| {
            product * self.places(self.size[axis], 0.0, steps[axis])
        })
    }

    /// All places, x fastest, z slowest, so that a limit on their number fills from the bottom.
    fn points(&self) -> impl Iterator<Item = DVec3> + '_ {
        let steps = self.steps();
        let hexagonal = self.arrangement == Arrangement::Hexagonal;
        let offset = move |odd: bool, length: f64| if hexagonal && odd { length } else { 0.0 };
        let count = move |axis: usize, start: f64| {
            to_count(self.places(self.size[axis], start, steps[axis]))
        };
        (0..count(2, 0.0)).flat_map(move |k| {
            let y_start = offset(k % 2 == 1, steps.y / 3.0);
            (0..count(1, y_start)).flat_map(move |j| {
                let x_start = offset((j + k) % 2 == 1, steps.x / 2.0);
                (0..count(0, x_start)).map(move |i| {
                    let place = DVec3::new(i as f64, j as f64, k as f64) * steps;
                    self.origin + place + DVec3::new(x_start, y_start, 0.0)
                })
            })
        })
    }
}

/// A count that is known to be whole and not negative.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole and not negative; saturates above"
)]
fn to_count(count: f64) -> usize {
    count as usize
}
