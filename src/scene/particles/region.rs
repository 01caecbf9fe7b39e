//! Regions that generators fill.

use super::Random;
use crate::error::Result;
use crate::scene::Domain;
use crate::scene::reader::Section;
use crate::scene::validate::{AXES, SMALLEST, vector_text};
use glam::DVec3;

/// How far a region may stick out of the domain, relative to the size of the domain: rounding only.
const ROUNDING: f64 = 1e-9;

/// Where particles are placed. Whole spheres stay inside.
pub(super) enum Region {
    Box {
        lower: DVec3,
        upper: DVec3,
        /// Axes along which it fills a period: there spheres may reach across the side.
        open: [bool; 3],
    },
    Cylinder {
        point: DVec3,
        axis: DVec3,
        radius: f64,
        length: f64,
    },
}

/// Reads `lower` and `upper`, and checks them.
pub(super) fn read_box(section: &Section, domain: &Domain) -> Result<(DVec3, DVec3)> {
    let lower = section.need_vector("lower", "m")?;
    let upper = section.need_vector("upper", "m")?;
    if (upper - lower).min_element() < SMALLEST {
        return Err(section.error(
            "upper",
            vector_text(upper),
            format!("more than lower, {} m, along each axis", vector_text(lower)),
        ));
    }
    check_inside(section, ["lower", "upper"], lower, upper, domain)?;
    Ok((lower, upper))
}

fn check_inside(
    section: &Section,
    keys: [&str; 2],
    lower: DVec3,
    upper: DVec3,
    domain: &Domain,
) -> Result<()> {
    let tolerance = ROUNDING * (domain.upper - domain.lower);
    for axis in 0..3 {
        let below = lower[axis] < domain.lower[axis] - tolerance[axis];
        let above = upper[axis] > domain.upper[axis] + tolerance[axis];
        if below || above {
            let found = if below { lower[axis] } else { upper[axis] };
            return Err(section.error(
                if below { keys[0] } else { keys[1] },
                format!("a region that reaches to {} = {found} m", AXES[axis]),
                format!(
                    "a region inside the domain, {} to {} m along {}",
                    domain.lower[axis], domain.upper[axis], AXES[axis]
                ),
            ));
        }
    }
    Ok(())
}

impl Region {
    /// Reads either `lower` and `upper`, or `region = { kind = "cylinder", … }`.
    pub(super) fn read(section: &Section, domain: &Domain) -> Result<Self> {
        let Some(region) = section.section("region")? else {
            let (mut lower, mut upper) = read_box(section, domain)?;
            let tolerance = ROUNDING * (domain.upper - domain.lower);
            let mut open = [false; 3];
            for axis in 0..3 {
                open[axis] = domain.periodic[axis]
                    && lower[axis] <= domain.lower[axis] + tolerance[axis]
                    && upper[axis] >= domain.upper[axis] - tolerance[axis];
                if open[axis] {
                    (lower[axis], upper[axis]) = (domain.lower[axis], domain.upper[axis]);
                }
            }
            return Ok(Self::Box { lower, upper, open });
        };
        for key in ["lower", "upper"] {
            if section.has(key) {
                return Err(section.error(
                    key,
                    "a corner besides region",
                    "either lower and upper, or region",
                ));
            }
        }
        region.need_word("kind", &["cylinder"])?;
        region.allow(&["kind", "point", "axis", "radius", "length"])?;
        let point = region.need_vector("point", "m")?;
        let axis = region.need_direction("axis")?;
        let radius = region.need_positive("radius", "m")?;
        let length = region.need_positive("length", "m")?;
        let end = point + length * axis;
        let reach = radius * (1.0 - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
        check_inside(
            section,
            ["region", "region"],
            point.min(end) - reach,
            point.max(end) + reach,
            domain,
        )?;
        Ok(Self::Cylinder {
            point,
            axis,
            radius,
            length,
        })
    }

    pub(super) fn volume(&self) -> f64 {
        match *self {
            Self::Box { lower, upper, .. } => (upper - lower).element_product(),
            Self::Cylinder { radius, length, .. } => {
                std::f64::consts::PI * radius * radius * length
            }
        }
    }

    /// Whether one sphere fits at all.
    pub(super) fn holds(&self, sphere: f64) -> bool {
        match *self {
            Self::Box { lower, upper, open } => {
                (0..3).all(|axis| open[axis] || upper[axis] - lower[axis] >= 2.0 * sphere)
            }
            Self::Cylinder { radius, length, .. } => radius >= sphere && length >= 2.0 * sphere,
        }
    }

    /// Half-way up a box.
    pub(super) fn middle_height(&self) -> Option<f64> {
        match *self {
            Self::Box { lower, upper, .. } => Some(lower.z.midpoint(upper.z)),
            Self::Cylinder { .. } => None,
        }
    }

    /// A place for the centre of a sphere, uniform among those that keep it inside.
    pub(super) fn sample(&self, sphere: f64, random: &mut Random) -> DVec3 {
        match *self {
            Self::Box { lower, upper, open } => {
                let mut place = DVec3::ZERO;
                for axis in 0..3 {
                    let margin = if open[axis] { 0.0 } else { sphere };
                    let (low, high) = (lower[axis] + margin, upper[axis] - margin);
                    place[axis] = low + (high - low) * random.fraction();
                }
                place
            }
            Self::Cylinder {
                point,
                axis,
                radius,
                length,
            } => {
                let along = sphere + (length - 2.0 * sphere) * random.fraction();
                let across = (radius - sphere) * random.fraction().sqrt();
                let angle = std::f64::consts::TAU * random.fraction();
                let (u, v) = axis.any_orthonormal_pair();
                point + along * axis + across * (angle.cos() * u + angle.sin() * v)
            }
        }
    }
}
