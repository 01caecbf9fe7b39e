//! The checks every scene passes, whether it comes from a file or from code.

use super::coefficients::check_coefficients;
use super::fluid::{FILM_REACH, check_fluid};
use super::hard::check_hard;
use super::overlaps::{check_overlaps, check_wall_overlaps};
use super::source::Source;
use super::{
    AdaptiveInverse, CohesionLaw, ContactLaws, Domain, Material, NormalLaw, Output, Particle,
    Scene, TangentialLaw, Time, TimeStep, Wall, names, walls,
};
use crate::error::{Result, SceneError};
use crate::laws::ContactEnd;
use crate::position::Grid;
use glam::DVec3;

/// Largest magnitude of any number in a scene: products of several stay finite.
pub(super) const LARGEST: f64 = 1e30;
/// Smallest magnitude of what must be greater than zero.
pub(super) const SMALLEST: f64 = 1e-30;
/// Most particles of a scene: ids are positive 32-bit integers on the device.
const MOST_PARTICLES: usize = i32::MAX as usize;
/// A periodic axis is at least this many of the largest diameters long; otherwise two grains could
/// touch on both sides at once.
const DIAMETERS_PER_PERIOD: f64 = 2.0;
/// Most frames, checkpoints and rows of one run.
const MOST_OUTPUTS: f64 = 1e7;
/// Most steps of one run: with more, `t + Δt` is no longer resolved.
const MOST_STEPS: f64 = 1e15;
/// How far a unit vector may be from length 1.
const UNIT_TOLERANCE: f64 = 1e-9;

/// What a complaint is about.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// A key of the file, or the field of the same name.
    Key(String),
    /// A particle by its number in the scene.
    Particle { index: usize, field: &'static str },
}

impl Place {
    pub(super) fn key(&self) -> String {
        match self {
            Self::Key(key) => key.clone(),
            Self::Particle { index, field } => format!("particles[{index}].{field}"),
        }
    }
}

/// What is wrong with a scene, before it is known where in a file that stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Complaint {
    pub(super) place: Place,
    /// Where to point if not at the key.
    pub(super) near: Option<Place>,
    pub(super) found: String,
    pub(super) allowed: String,
}

/// The outcome of one check. Boxed, because it is almost always the good one.
pub(super) type Check = std::result::Result<(), Box<Complaint>>;

pub(super) fn complain(
    key: impl Into<String>,
    found: impl Into<String>,
    allowed: impl Into<String>,
) -> Check {
    complain_at(Place::Key(key.into()), found, allowed)
}

pub(super) fn complain_at(
    place: Place,
    found: impl Into<String>,
    allowed: impl Into<String>,
) -> Check {
    Err(Box::new(Complaint {
        place,
        near: None,
        found: found.into(),
        allowed: allowed.into(),
    }))
}

impl Scene {
    /// Checks everything that can be checked before a run.
    ///
    /// # Errors
    /// The first thing that is wrong, with its key, what was found there and what is allowed.
    pub fn validate(&self) -> Result<()> {
        check(self, None).map_err(|complaint| {
            SceneError {
                file: None,
                line: None,
                key: complaint.place.key(),
                found: complaint.found,
                allowed: complaint.allowed,
            }
            .into()
        })
    }
}

/// All checks. With a source, a coefficient counts as given only if its key stands in the file.
pub(super) fn check(scene: &Scene, source: Option<&Source>) -> Check {
    check_settings(scene)?;
    // In a plane there is no third axis to be periodic or too short: said before particles are looked at.
    if let Some(hard) = &scene.hard {
        check_hard(scene, hard)?;
    }
    check_particles(scene)?;
    if scene.hard.is_none() {
        check_coefficients(scene, source)?;
    }
    check_resolution(scene)?;
    check_overlaps(scene)?;
    check_wall_overlaps(scene)
}

/// Coarsest unit of positions that contacts still come out right with, in radii.
const COARSEST_UNIT: f64 = 1e-5;

/// Positions are whole units; the largest grain, or a very large domain, sets how long a unit is.
fn check_resolution(scene: &Scene) -> Check {
    let radii = scene.particles.iter().map(|particle| particle.radius);
    let (smallest, largest) = radii.fold((f64::INFINITY, 0.0_f64), |(low, high), radius| {
        (low.min(radius), high.max(radius))
    });
    let Domain {
        lower,
        upper,
        periodic,
        ..
    } = scene.domain;
    let unit = Grid::new(lower, upper, periodic, 2.0 * largest).unit;
    if scene.particles.is_empty() || unit <= COARSEST_UNIT * smallest {
        return Ok(());
    }
    complain(
        "domain.upper",
        format!(
            "{}, so large (or with grains of such different size, {smallest:.3e} to {largest:.3e} m) \
             that positions are only known to {unit:.1e} m",
            vector_text(upper)
        ),
        format!(
            "positions known to {COARSEST_UNIT:e} of the smallest radius: a domain of up to some 10⁷ \
             radii, and radii within a factor of 5000"
        ),
    )
}

/// Everything but particles, and what depends on them.
pub(super) fn check_settings(scene: &Scene) -> Check {
    check_domain(&scene.domain)?;
    finite_vector("gravity", scene.gravity, "m/s²")?;
    check_time(&scene.time)?;
    check_contact(&scene.contact)?;
    check_materials(&scene.materials)?;
    if let Some(fluid) = &scene.fluid {
        check_fluid(scene, fluid)?;
    }
    check_walls(&scene.walls, scene.materials.len())?;
    if let Some(skin) = scene.neighbours.skin {
        positive("neighbours.skin", skin, "m")?;
    }
    check_output(&scene.output, scene.time.end)
}

fn check_domain(domain: &Domain) -> Check {
    finite_vector("domain.lower", domain.lower, "m")?;
    finite_vector("domain.upper", domain.upper, "m")?;
    for (axis, name) in AXES.iter().enumerate() {
        let (lower, upper) = (domain.lower[axis], domain.upper[axis]);
        if upper - lower < SMALLEST {
            return complain(
                "domain.upper",
                format!("{upper} along {name}"),
                format!("more than domain.lower, {lower} m"),
            );
        }
    }
    Ok(())
}

fn check_time(time: &Time) -> Check {
    positive("time.end", time.end, "s")?;
    if let TimeStep::Fixed(step) = time.step {
        positive("time.step", step, "s")?;
        if time.end / step > MOST_STEPS {
            return complain(
                "time.step",
                format!("{step} s, {:e} steps", time.end / step),
                format!("\"auto\", or at least {:e} s", time.end / MOST_STEPS),
            );
        }
    }
    match time.expected_speed {
        Some(speed) => positive("time.expected_speed", speed, "m/s"),
        None => Ok(()),
    }
}

fn check_contact(contact: &ContactLaws) -> Check {
    positive(
        "contact.adaptive_minimum_speed",
        contact.adaptive_minimum_speed,
        "m/s",
    )?;
    let normal = contact.normal;
    match contact.contact_time {
        Some(time) => positive("contact.contact_time", time, "s")?,
        None if matches!(
            normal,
            NormalLaw::LinearStretched | NormalLaw::HertzAdaptive
        ) =>
        {
            return complain(
                "contact.contact_time",
                "nothing: the key is missing",
                format!("a time in s: contact.normal = \"{normal}\" imposes it"),
            );
        }
        None => {}
    }
    if contact.inverse == AdaptiveInverse::DirectPaper && contact.end == ContactEnd::Force {
        return complain(
            "contact.inverse",
            "\"direct-paper\" with contact.end = \"force\"",
            "\"direct\" or \"iterative\": the printed formulas are for contacts that end at zero overlap",
        );
    }
    if contact.tangential == TangentialLaw::Mindlin && !normal.is_hertz() {
        return complain(
            "contact.tangential",
            format!("\"mindlin\" with contact.normal = \"{normal}\""),
            "\"mindlin\" goes with a hertz-… normal law; with a linear one \"none\", \"coulomb\", \"linear\"",
        );
    }
    if contact.tangential == TangentialLaw::Impulse
        && matches!(
            normal,
            NormalLaw::HertzViscous | NormalLaw::HertzKuwabaraKono
        )
    {
        return complain(
            "contact.tangential",
            format!("\"impulse\" with contact.normal = \"{normal}\""),
            "\"impulse\" goes with a normal law of constant restitution: \"linear\", \"linear-stretched\", \
             \"hertz-tsuji\", \"hertz-adaptive\"",
        );
    }
    if contact.cohesion == CohesionLaw::Jkr {
        if !normal.is_hertz() {
            return complain(
                "contact.cohesion",
                format!("\"jkr\" with contact.normal = \"{normal}\""),
                "\"jkr\" goes with a hertz-… normal law; with a linear one \"none\", \"sjkr\", \"dmt\"",
            );
        }
        if contact.end == ContactEnd::Force {
            return complain(
                "contact.end",
                "\"force\" with contact.cohesion = \"jkr\"",
                "\"overlap\": the neck of a JKR contact pulls",
            );
        }
    }
    Ok(())
}

pub(super) fn check_materials(materials: &[Material]) -> Check {
    for (i, material) in materials.iter().enumerate() {
        let key = |field: &str| format!("materials[{i}].{field}");
        check_name(&key("name"), &material.name)?;
        if materials[..i]
            .iter()
            .any(|other| other.name == material.name)
        {
            return complain(
                key("name"),
                format!("{} a second time", names::quoted(&material.name)),
                "a name of its own for each material",
            );
        }
        positive(&key("density"), material.density, "kg/m³")?;
        match material.young {
            Some(young) if young == f64::INFINITY => {}
            Some(young) => positive(&key("young"), young, "Pa")?,
            None => {}
        }
        let poisson = material.poisson;
        if !(poisson > -1.0 && poisson < 0.5) {
            return complain(
                key("poisson"),
                poisson.to_string(),
                "a number between -1 and 0.5, both excluded",
            );
        }
    }
    Ok(())
}

fn check_walls(walls: &[Wall], materials: usize) -> Check {
    for (i, wall) in walls.iter().enumerate() {
        let key = |field: &str| format!("walls[{i}].{field}");
        check_name(&key("name"), &wall.name)?;
        if walls[..i].iter().any(|other| other.name == wall.name) {
            return complain(
                key("name"),
                format!("{} a second time", names::quoted(&wall.name)),
                "a name of its own for each wall",
            );
        }
        check_index(Place::Key(key("material")), wall.material, materials)?;
        walls::check_shape(&key, &wall.shape)?;
    }
    Ok(())
}

fn check_output(output: &Output, end: f64) -> Check {
    let intervals = [
        ("output.frames", output.frames),
        ("output.series", output.series),
        ("output.checkpoints", output.checkpoints),
    ];
    for (key, interval) in intervals {
        let Some(interval) = interval else { continue };
        positive(key, interval, "s")?;
        if end / interval > MOST_OUTPUTS {
            return complain(
                key,
                format!("{interval} s, {:.3e} times in the run", end / interval),
                format!("false, or at least {:e} s", end / MOST_OUTPUTS),
            );
        }
    }
    Ok(())
}

fn check_particles(scene: &Scene) -> Check {
    check_count(scene.particles.len())?;
    let mut largest: f64 = 0.0;
    for (index, particle) in scene.particles.iter().enumerate() {
        check_particle(scene, index, particle)?;
        largest = largest.max(particle.radius);
    }
    let length = scene.domain.upper - scene.domain.lower;
    let film = scene.fluid.as_ref().map_or(0.0, |fluid| {
        largest * fluid.lubrication.widest_gap() * FILM_REACH
    });
    for axis in 0..3 {
        let least = DIAMETERS_PER_PERIOD * (2.0 * largest + film);
        if scene.domain.periodic[axis] && length[axis] < least {
            return complain(
                "domain.periodic",
                format!("a period of {} m along {}", length[axis], AXES[axis]),
                format!(
                    "at least twice the largest diameter{}, {least} m; or no period along that axis",
                    if film > 0.0 { " and film" } else { "" }
                ),
            );
        }
    }
    Ok(())
}

fn check_count(count: usize) -> Check {
    if count == 0 {
        complain("particles", "no particle", "at least one particle")
    } else if count > MOST_PARTICLES {
        complain(
            "particles",
            format!("{count} particles"),
            format!("at most {MOST_PARTICLES}"),
        )
    } else {
        Ok(())
    }
}

fn check_particle(scene: &Scene, index: usize, particle: &Particle) -> Check {
    let place = |field| Place::Particle { index, field };
    let vectors = [
        ("position", particle.position, "m"),
        ("velocity", particle.velocity, "m/s"),
        ("spin", particle.spin, "rad/s"),
    ];
    for (field, vector, unit) in vectors {
        if !is_reasonable(vector) {
            return complain_at(place(field), vector_text(vector), finite_text(unit));
        }
    }
    if !(SMALLEST..=LARGEST).contains(&particle.radius) {
        return complain_at(
            place("radius"),
            names::number_text(particle.radius),
            "a number greater than 0 in m",
        );
    }
    check_index(place("material"), particle.material, scene.materials.len())?;
    let material = &scene.materials[particle.material];
    if material.young == Some(f64::INFINITY) && !particle.fixed {
        return complain_at(
            place("material"),
            format!(
                "the rigid material {} of a grain that moves",
                names::quoted(&material.name)
            ),
            "a material with young; rigid = true is for walls and fixed grains",
        );
    }
    let Domain { lower, upper, .. } = scene.domain;
    let position = particle.position;
    if position.cmplt(lower).any() || position.cmpgt(upper).any() {
        return complain_at(
            place("position"),
            vector_text(position),
            format!(
                "a centre inside the domain, from {} to {} m",
                vector_text(lower),
                vector_text(upper)
            ),
        );
    }
    Ok(())
}

/// Names of the axes.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// Names appear in columns of CSV files and in messages.
fn check_name(key: &str, name: &str) -> Check {
    let bad = |c: char| c.is_control() || matches!(c, ',' | '"');
    if name.trim().is_empty() || name.contains(bad) {
        return complain(
            key,
            names::quoted(name),
            "a name that is not empty, without commas, quotes and line breaks",
        );
    }
    Ok(())
}

fn check_index(place: Place, index: usize, materials: usize) -> Check {
    if index < materials {
        Ok(())
    } else {
        complain_at(
            place,
            format!("material number {index}"),
            format!("the number of one of the {materials} materials, from 0"),
        )
    }
}

pub(super) fn positive(key: &str, number: f64, unit: &str) -> Check {
    if (SMALLEST..=LARGEST).contains(&number) {
        Ok(())
    } else {
        complain(
            key,
            names::number_text(number),
            format!("a number greater than 0 in {unit}"),
        )
    }
}

pub(super) fn unit(key: &str, vector: DVec3) -> Check {
    if (vector.length() - 1.0).abs() <= UNIT_TOLERANCE {
        Ok(())
    } else {
        complain(key, vector_text(vector), "a vector of length 1")
    }
}

pub(super) fn finite_vector(key: &str, vector: DVec3, unit: &str) -> Check {
    if is_reasonable(vector) {
        Ok(())
    } else {
        complain(key, vector_text(vector), finite_text(unit))
    }
}

fn is_reasonable(vector: DVec3) -> bool {
    vector.to_array().iter().all(|x| x.abs() <= LARGEST)
}

fn finite_text(unit: &str) -> String {
    format!("three numbers in {unit}, finite (up to {LARGEST:e})")
}

pub(super) fn vector_text(vector: DVec3) -> String {
    format!("[{}]", vector.to_array().map(names::number_text).join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_32_bits_are_refused() {
        assert!(check_count(0).is_err());
        assert!(check_count(1).is_ok());
        assert!(check_count(MOST_PARTICLES).is_ok());
        assert!(check_count(MOST_PARTICLES + 1).is_err());
    }
}
