//! Particles at random places, without overlaps.
//!
//! Random sequential insertion: the largest sphere first, each at a place drawn until it is free. For
//! equal spheres this jams at a volume fraction of about 0.38; the tries are bounded, so it ends.

use super::region::Region;
use super::{OriginKind, Random, World, read_prototype};
use crate::error::Result;
use crate::scene::Particle;
use crate::scene::grid::SphereGrid;
use crate::scene::names::list_text;
use crate::scene::reader::Section;
use crate::scene::validate::SMALLEST;
use glam::DVec3;
use std::f64::consts::PI;

/// Most places tried per sphere, on average: reached at a volume fraction of about 0.33.
const MEAN_TRIES: u64 = 150;
/// Places tried in any case, however few the spheres are.
const LEAST_TRIES: u64 = 200_000;
/// Most radii drawn until one lies between the bounds of its distribution.
const DRAWS: usize = 1000;

pub(super) fn read(
    section: &Section,
    world: &World,
    particles: &mut Vec<Particle>,
) -> Result<OriginKind> {
    section.allow(&[
        "kind",
        "material",
        "count",
        "lower",
        "upper",
        "region",
        "seed",
        "radius",
        "velocity",
        "velocity_spread",
        "spin",
        "fixed",
    ])?;
    let wanted = match section.whole("count")? {
        None => return Err(section.error("count", "nothing: the key is missing", COUNT)),
        Some(0) => return Err(section.error("count", "0", COUNT)),
        Some(count) => count,
    };
    world.check_room(section, "count", particles.len(), wanted as f64)?;
    let count = usize::try_from(wanted).unwrap_or(usize::MAX);
    let prototype = read_prototype(section, world)?;
    let spread = section.number("velocity_spread", "m/s")?.unwrap_or(0.0);
    if spread < 0.0 {
        return Err(section.error("velocity_spread", spread.to_string(), "a number, 0 or more"));
    }
    let region = Region::read(section, &world.domain)?;
    let sizes = Sizes::read(section)?;
    let mut random = Random::seeded(section)?;

    let mut radii = Vec::new();
    let mut filled = 0.0;
    for _ in 0..count {
        radii.push(sizes.draw(&mut random).ok_or_else(|| {
            section.error(
                "radius",
                format!("no radius between min and max in {DRAWS} draws"),
                "min and max around the mean",
            )
        })?);
        // No need to try, or even to draw the rest.
        filled += radii.last().map_or(0.0, |r| 4.0 / 3.0 * PI * r.powi(3)) / region.volume();
        if filled > DENSEST {
            return Err(section.error(
                "count",
                format!(
                    "{count} particles, of which {} fill the region to {:.0} %",
                    radii.len(),
                    100.0 * filled
                ),
                FITTING,
            ));
        }
    }
    radii.sort_by(|a, b| b.total_cmp(a));
    let largest = radii.first().copied().unwrap_or(SMALLEST);
    if !region.holds(largest) {
        return Err(section.error(
            "radius",
            format!("a sphere of radius {largest} m, which does not fit into the region"),
            "smaller radii or a larger region",
        ));
    }

    let present = particles.iter().map(|particle| particle.radius);
    let largest = present.fold(largest, f64::max);
    let mut grid = SphereGrid::new(&world.domain, largest, particles.len() + count);
    for particle in particles.iter() {
        grid.insert(particle.position, particle.radius);
    }
    let mut left = MEAN_TRIES.saturating_mul(wanted).max(LEAST_TRIES);
    particles.reserve(count);
    for (placed, &radius) in radii.iter().enumerate() {
        let Some(position) = find_place(&grid, &region, radius, world.flat, &mut random, &mut left)
        else {
            return Err(does_not_fit(section, &region, &radii, placed));
        };
        grid.insert(position, radius);
        particles.push(Particle {
            position,
            radius,
            velocity: prototype.velocity + drawn_velocity(spread, world.flat, &mut random),
            ..prototype
        });
    }
    Ok(OriginKind::Generated)
}

/// No packing of equal spheres fills more, and few others do.
const DENSEST: f64 = 0.74;

const FITTING: &str = "about 33 % at most by random insertion, which would jam at 38 %; use fewer or \
                       smaller particles, a larger region, kind = \"lattice\", or a settled bed with \
                       kind = \"file\"";

const COUNT: &str = "a whole number, 1 or more";

/// A free place, or `None` when no tries are left. Disks all have their centres in one plane, whatever their radii.
fn find_place(
    grid: &SphereGrid,
    region: &Region,
    radius: f64,
    flat: bool,
    random: &mut Random,
    left: &mut u64,
) -> Option<DVec3> {
    loop {
        *left = left.checked_sub(1)?;
        let mut place = region.sample(radius, random);
        if let (true, Some(z)) = (flat, region.middle_height()) {
            place.z = z;
        }
        if !grid.overlaps(place, radius) {
            return Some(place);
        }
    }
}

/// Uniform in a cube; without spread no random numbers are drawn.
fn drawn_velocity(spread: f64, flat: bool, random: &mut Random) -> DVec3 {
    if spread > 0.0 {
        let drawn = spread * random.cube();
        if flat { drawn.with_z(0.0) } else { drawn }
    } else {
        DVec3::ZERO
    }
}

fn does_not_fit(section: &Section, region: &Region, radii: &[f64], placed: usize) -> crate::Error {
    let fraction = |radii: &[f64]| {
        let spheres = radii
            .iter()
            .fold(0.0, |sum, r| sum + 4.0 / 3.0 * PI * r.powi(3));
        100.0 * spheres / region.volume()
    };
    section.error(
        "count",
        format!(
            "{} particles, {:.1} % of the region, of which {placed} fitted ({:.1} %)",
            radii.len(),
            fraction(radii),
            fraction(&radii[..placed])
        ),
        FITTING,
    )
}

/// How radii are distributed, by number.
enum Sizes {
    Equal(f64),
    Uniform {
        min: f64,
        max: f64,
    },
    Normal {
        mean: f64,
        deviation: f64,
        min: f64,
        max: f64,
    },
    /// `location` and `scale` of the logarithm.
    LogNormal {
        location: f64,
        scale: f64,
        min: f64,
        max: f64,
    },
    List {
        radii: Vec<f64>,
        /// Running sums of the weights.
        sums: Vec<f64>,
    },
}

impl Sizes {
    fn read(section: &Section) -> Result<Self> {
        let table = match section.section("radius") {
            Ok(Some(table)) => table,
            Ok(None) | Err(_) => {
                let unit = "m, or a table { distribution = … }";
                return section.need_positive("radius", unit).map(Self::Equal);
            }
        };
        let words = ["uniform", "normal", "lognormal", "list"];
        let distribution = table.need_word("distribution", &words)?;
        if distribution == "list" {
            return Self::read_list(&table);
        }
        if distribution == "uniform" {
            table.allow(&["distribution", "min", "max"])?;
            let (min, max) = read_bounds(&table)?;
            return Ok(Self::Uniform { min, max });
        }
        table.allow(&["distribution", "mean", "deviation", "min", "max"])?;
        let (min, max) = read_bounds(&table)?;
        let mean = table.need_positive("mean", "m")?;
        let deviation = table.need_positive("deviation", "m")?;
        if distribution == "normal" {
            return Ok(Self::Normal {
                mean,
                deviation,
                min,
                max,
            });
        }
        // ln r is normal with these, if r has the given mean and deviation.
        let variance = (deviation / mean).powi(2).ln_1p();
        Ok(Self::LogNormal {
            location: mean.ln() - 0.5 * variance,
            scale: variance.sqrt(),
            min,
            max,
        })
    }

    fn read_list(table: &Section) -> Result<Self> {
        table.allow(&["distribution", "radii", "weights"])?;
        const RADII: &str = "a list of radii in m, each greater than 0";
        const WEIGHTS: &str = "one weight for each radius, none negative, not all 0";
        let radii = table.numbers("radii", RADII)?.unwrap_or_default();
        if radii.is_empty() || radii.iter().any(|&radius| radius < SMALLEST) {
            return Err(table.error("radii", list_text(&radii), RADII));
        }
        let weights = table
            .numbers("weights", WEIGHTS)?
            .unwrap_or_else(|| vec![1.0; radii.len()]);
        let mut sum = 0.0;
        let sums: Vec<f64> = weights
            .iter()
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        if weights.len() != radii.len() || weights.iter().any(|&w| w < 0.0) || sum < SMALLEST {
            return Err(table.error("weights", list_text(&weights), WEIGHTS));
        }
        Ok(Self::List { radii, sums })
    }

    /// A radius, or `None` if the bounds exclude practically everything.
    fn draw(&self, random: &mut Random) -> Option<f64> {
        match *self {
            Self::Equal(radius) => Some(radius),
            Self::Uniform { min, max } => Some(min + (max - min) * random.fraction()),
            Self::Normal {
                mean,
                deviation,
                min,
                max,
            } => bounded(min, max, || mean + deviation * random.normal()),
            Self::LogNormal {
                location,
                scale,
                min,
                max,
            } => bounded(min, max, || (location + scale * random.normal()).exp()),
            Self::List {
                ref radii,
                ref sums,
            } => {
                let draw = random.fraction() * sums.last()?;
                let index = sums.partition_point(|&sum| sum <= draw);
                radii.get(index.min(radii.len() - 1)).copied()
            }
        }
    }
}

fn read_bounds(table: &Section) -> Result<(f64, f64)> {
    let min = table.need_positive("min", "m")?;
    let max = table.need_positive("max", "m")?;
    if max < min {
        return Err(table.error("max", max.to_string(), format!("at least min, {min} m")));
    }
    Ok((min, max))
}

fn bounded(min: f64, max: f64, mut draw: impl FnMut() -> f64) -> Option<f64> {
    (0..DRAWS)
        .map(|_| draw())
        .find(|radius| (min..=max).contains(radius))
}
