//! From TOML to a [`Scene`].

use super::particles::{self, World};
use super::reader::Section;
use super::source::Source;
use super::validate::{self, AXES};
use super::{
    ContactLaws, Domain, HardSettings, Leaving, Material, Neighbours, Output, Pair, Scene, Time,
    TimeStep, Wall, WallShape,
};
use super::{fluid, hard};
use crate::error::{Error, Result, SceneError};
use crate::laws::tc::Dimensions;
use glam::DVec3;
use std::path::Path;

/// Most particles that reading a scene generates: about 10 GB of them.
pub const MAX_PARTICLES: usize = 100_000_000;

/// Density of a rigid material that gives none. Nothing rigid moves, so nothing depends on it.
const RIGID_DENSITY: f64 = 1000.0;

impl Scene {
    /// Reads a scene file and checks it.
    ///
    /// # Errors
    /// If the file cannot be read, or with the first complaint about it, which names the file (the
    /// scene or a particle file), the line, the key, what was found and what is allowed.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| SceneError {
            file: Some(path.to_path_buf()),
            line: None,
            key: "scene".into(),
            found: format!("nothing that can be read: {error}"),
            allowed: "a scene file; `lahar new NAME` writes one, NAME.toml, to start from".into(),
        })?;
        let text = std::str::from_utf8(&bytes).map_err(|e| SceneError {
            file: Some(path.to_path_buf()),
            line: Some(
                1 + bytes[..e.valid_up_to()]
                    .iter()
                    .filter(|&&b| b == b'\n')
                    .count(),
            ),
            key: "text".into(),
            found: format!("the byte 0x{:02x}", bytes[e.valid_up_to()]),
            allowed: "UTF-8 text".into(),
        })?;
        Self::from_toml(text, Some(path))
    }

    /// Reads a scene from text and checks it. Relative paths in it are meant from the directory of
    /// `file`, which also appears in errors; without it, from the working directory.
    ///
    /// # Errors
    /// As [`Scene::from_file`].
    pub fn from_toml(text: &str, file: Option<&Path>) -> Result<Self> {
        Self::from_toml_limited(text, file, MAX_PARTICLES)
    }

    /// As [`Scene::from_toml`], but refuses scenes of more than `most_particles` before making them.
    ///
    /// # Errors
    /// As [`Scene::from_file`].
    pub fn from_toml_limited(
        text: &str,
        file: Option<&Path>,
        most_particles: usize,
    ) -> Result<Self> {
        let source = Source::new(text, file);
        let document = source.parse(text)?;
        let root = Section::root(&source, &document);
        let mut scene = read_settings(&root)?;
        validate::check_settings(&scene).map_err(|complaint| source.locate(*complaint))?;
        let world = World {
            domain: scene.domain,
            materials: &scene.materials,
            most_particles,
            flat: scene
                .hard
                .as_ref()
                .is_some_and(|hard| hard.dimensions == Dimensions::Two),
        };
        scene.particles = particles::read(&root, &world)?;
        validate::check(&scene, Some(&source)).map_err(|complaint| source.locate(*complaint))?;
        log::info!("read a scene of {} particles", scene.particles.len());
        Ok(scene)
    }
}

/// Everything but the particles.
fn read_settings(root: &Section) -> Result<Scene> {
    root.allow(&[
        "title",
        "engine",
        "gravity",
        "domain",
        "time",
        "contact",
        "fluid",
        "materials",
        "pairs",
        "particles",
        "walls",
        "neighbours",
        "output",
    ])?;
    let mut hard = hard::read_engine(root)?;
    let time = read_time(root, hard.is_some())?;
    let materials = read_materials(root, hard.is_some())?;
    // Before anything refers to a material by its name.
    validate::check_materials(&materials).map_err(|complaint| root.source().locate(*complaint))?;
    let mut pairs = Vec::new();
    match &mut hard {
        Some(hard) => hard.rules = hard::read_rules(root, &materials)?,
        None => pairs = read_pairs(root, &materials)?,
    }
    let walls = read_walls(root, &materials, hard.as_mut())?;
    Ok(Scene {
        title: root.text("title")?.unwrap_or_default().to_owned(),
        domain: read_domain(root)?,
        gravity: root.vector("gravity", "m/s²")?.unwrap_or(DVec3::ZERO),
        contact: read_contact(root)?,
        fluid: fluid::read(root, hard.is_some())?,
        hard,
        pairs,
        walls,
        particles: Vec::new(),
        neighbours: read_neighbours(root)?,
        output: read_output(root, time.end)?,
        time,
        materials,
    })
}

fn need_section<'a>(root: &Section<'a>, name: &str) -> Result<Section<'a>> {
    root.section(name)?.ok_or_else(|| {
        root.error(
            name,
            "nothing: the table is missing",
            format!("a table [{name}]"),
        )
    })
}

fn read_domain(root: &Section) -> Result<Domain> {
    let domain = need_section(root, "domain")?;
    domain.allow(&["lower", "upper", "periodic", "leaving"])?;
    Ok(Domain {
        lower: domain.need_vector("lower", "m")?,
        upper: domain.need_vector("upper", "m")?,
        periodic: domain.flags("periodic", &AXES)?.unwrap_or_default(),
        leaving: domain.choice("leaving")?.unwrap_or(Leaving::Stop),
    })
}

fn read_time(root: &Section, hard: bool) -> Result<Time> {
    let time = need_section(root, "time")?;
    if hard {
        // Events have no step.
        time.allow(&["end"])?;
    } else {
        time.allow(&["end", "step", "force_step", "expected_speed"])?;
    }
    let step = if matches!(time.text("step"), Ok(Some("auto"))) || !time.has("step") {
        TimeStep::Auto
    } else {
        TimeStep::Fixed(time.need_number("step", "s, or \"auto\"")?)
    };
    Ok(Time {
        end: time.need_number("end", "s")?,
        step,
        force_step: time.boolean("force_step")?.unwrap_or(false),
        expected_speed: time.number("expected_speed", "m/s")?,
    })
}

fn read_contact(root: &Section) -> Result<ContactLaws> {
    let default = ContactLaws::default();
    let Some(contact) = root.section("contact")? else {
        return Ok(default);
    };
    contact.allow(&[
        "normal",
        "tangential",
        "rolling",
        "cohesion",
        "end",
        "contact_time",
        "inverse",
        "adaptive_minimum_speed",
    ])?;
    Ok(ContactLaws {
        normal: contact.choice("normal")?.unwrap_or(default.normal),
        tangential: contact.choice("tangential")?.unwrap_or(default.tangential),
        rolling: contact.choice("rolling")?.unwrap_or(default.rolling),
        cohesion: contact.choice("cohesion")?.unwrap_or(default.cohesion),
        end: contact.choice("end")?.unwrap_or(default.end),
        contact_time: contact.number("contact_time", "s")?,
        inverse: contact.choice("inverse")?.unwrap_or(default.inverse),
        adaptive_minimum_speed: contact
            .number("adaptive_minimum_speed", "m/s")?
            .unwrap_or(default.adaptive_minimum_speed),
    })
}

fn read_materials(root: &Section, hard: bool) -> Result<Vec<Material>> {
    let sections = root.sections("materials")?;
    sections
        .iter()
        .map(|section| read_material(section, hard))
        .collect()
}

fn read_material(section: &Section, hard: bool) -> Result<Material> {
    if hard {
        section.allow(&["name", "density"])?;
    } else {
        section.allow(&["name", "density", "young", "poisson", "rigid"])?;
    }
    let name = section.need_text("name", "a name in quotes")?.to_owned();
    let rigid = section.boolean("rigid")?.unwrap_or(false);
    let mut young = section.number("young", "Pa")?;
    let density = match section.number("density", "kg/m³")? {
        None if rigid => RIGID_DENSITY,
        None => section.need_number("density", "kg/m³")?,
        Some(density) => density,
    };
    if rigid {
        if young.is_some() {
            return Err(section.error(
                "rigid",
                "true, besides young",
                "either young or rigid = true",
            ));
        }
        young = Some(f64::INFINITY);
    }
    let poisson = match section.number("poisson", "")? {
        None if young.is_none() || rigid => 0.0,
        None => section.need_number("poisson", "the range from -1 to 0.5: young needs it")?,
        Some(poisson) => poisson,
    };
    Ok(Material {
        name,
        density,
        young,
        poisson,
    })
}

fn read_pairs(root: &Section, materials: &[Material]) -> Result<Vec<Pair>> {
    let sections = root.sections("pairs")?;
    sections
        .iter()
        .map(|section| read_pair(section, materials))
        .collect()
}

fn read_pair(section: &Section, materials: &[Material]) -> Result<Pair> {
    section.allow(&[
        "between",
        "restitution",
        "stiffness",
        "damping",
        "viscoelastic_time",
        "friction",
        "tangential_stiffness",
        "tangential_damping",
        "tangential_restitution",
        "exponent",
        "rolling_friction",
        "rolling_damping",
        "work_of_adhesion",
        "cohesion_energy_density",
    ])?;
    let [a, b] = read_between(section)?;
    let a = particles::material_index(section, "between", a, materials)?;
    let b = particles::material_index(section, "between", b, materials)?;
    let or_zero = |name, unit| Ok::<_, Error>(section.number(name, unit)?.unwrap_or(0.0));
    Ok(Pair {
        materials: [a, b],
        restitution: section.number("restitution", "")?,
        stiffness: section.number("stiffness", "N/m or N/m^1.5")?,
        damping: section.number("damping", "N s/m")?,
        viscoelastic_time: section.number("viscoelastic_time", "s")?,
        friction: or_zero("friction", "")?,
        tangential_stiffness: section.number("tangential_stiffness", "N/m or N/m^1.5")?,
        tangential_damping: section.number("tangential_damping", "N s/m")?,
        tangential_restitution: section.number("tangential_restitution", "")?,
        exponent: section.number("exponent", "")?,
        rolling_friction: or_zero("rolling_friction", "")?,
        rolling_damping: or_zero("rolling_damping", "")?,
        work_of_adhesion: or_zero("work_of_adhesion", "J/m²")?,
        cohesion_energy_density: or_zero("cohesion_energy_density", "J/m³")?,
    })
}

/// The names of the two materials of a pair.
pub(super) fn read_between<'a>(section: &Section<'a>) -> Result<[&'a str; 2]> {
    const BETWEEN: &str = "the names of two materials [\"a\", \"b\"]";
    let found = section.texts("between", BETWEEN)?;
    match found.as_deref() {
        Some(&[a, b]) => Ok([a, b]),
        None => Err(section.error("between", "nothing: the key is missing", BETWEEN)),
        Some(other) => Err(section.error("between", format!("{} names", other.len()), BETWEEN)),
    }
}

/// Walls; of hard grains, planes may move.
fn read_walls(
    root: &Section,
    materials: &[Material],
    mut hard: Option<&mut HardSettings>,
) -> Result<Vec<Wall>> {
    let sections = root.sections("walls")?;
    sections
        .iter()
        .enumerate()
        .map(|(i, section)| {
            let kinds = ["plane", "box", "cylinder", "sphere", "cone"];
            let kind = section.need_word("kind", &kinds)?;
            let shape = read_shape(section, kind, hard.is_some())?;
            if let Some(hard) = hard.as_deref_mut()
                && let Some(motion) = hard::read_motion(section)?
            {
                hard.motions.push((i, motion));
            }
            let material = section.need_text("material", "the name of a material")?;
            let name = match section.text("name")? {
                Some(name) => name.to_owned(),
                None => format!("{kind}{i}"),
            };
            Ok(Wall {
                name,
                material: particles::material_index(section, "material", material, materials)?,
                shape,
            })
        })
        .collect()
}

fn read_shape(section: &Section, kind: &str, hard: bool) -> Result<WallShape> {
    let allow = |keys: &[&str]| section.allow(&[&["name", "material", "kind"], keys].concat());
    let side = || {
        section.choice("side")?.ok_or_else(|| {
            section.error(
                "side",
                "nothing: the key is missing",
                "\"inside\" or \"outside\": where the particles are",
            )
        })
    };
    Ok(match kind {
        "plane" => {
            let moving: &[&str] = if hard { &hard::MOTION_KEYS } else { &[] };
            allow(&[&["point", "normal"], moving].concat())?;
            WallShape::Plane {
                point: section.need_vector("point", "m")?,
                normal: section.need_direction("normal")?,
            }
        }
        "box" => {
            allow(&["lower", "upper", "open"])?;
            let open = section.flags("open", &["-x", "+x", "-y", "+y", "-z", "+z"])?;
            WallShape::Box {
                lower: section.need_vector("lower", "m")?,
                upper: section.need_vector("upper", "m")?,
                faces: open.unwrap_or_default().map(|open| !open),
            }
        }
        "cylinder" => {
            allow(&["point", "axis", "length", "radius", "side"])?;
            WallShape::Cylinder {
                point: section.need_vector("point", "m")?,
                axis: section.need_direction("axis")?,
                length: section.number("length", "m")?,
                radius: section.need_number("radius", "m")?,
                side: side()?,
            }
        }
        "sphere" => {
            allow(&["center", "radius", "side"])?;
            WallShape::Sphere {
                center: section.need_vector("center", "m")?,
                radius: section.need_number("radius", "m")?,
                side: side()?,
            }
        }
        _ => {
            allow(&["point", "axis", "length", "radii", "side"])?;
            const RADII: &str = "two radii [first, second] in m";
            let radii = section.numbers("radii", RADII)?;
            let radii = match radii.as_deref() {
                Some(&[first, second]) => [first, second],
                None => return Err(section.error("radii", "nothing: the key is missing", RADII)),
                Some(other) => {
                    return Err(section.error("radii", format!("{} numbers", other.len()), RADII));
                }
            };
            WallShape::Cone {
                point: section.need_vector("point", "m")?,
                axis: section.need_direction("axis")?,
                length: section.need_number("length", "m")?,
                radii,
                side: side()?,
            }
        }
    })
}

fn read_neighbours(root: &Section) -> Result<Neighbours> {
    let Some(neighbours) = root.section("neighbours")? else {
        return Ok(Neighbours { skin: None });
    };
    neighbours.allow(&["skin"])?;
    Ok(Neighbours {
        skin: neighbours.number("skin", "m")?,
    })
}

fn read_output(root: &Section, end: f64) -> Result<Output> {
    let default = Output::over(end);
    let Some(output) = root.section("output")? else {
        return Ok(default);
    };
    output.allow(&["frames", "series", "checkpoints", "picture"])?;
    let interval = |name, default| match output.boolean(name) {
        Ok(Some(false)) => Ok(None),
        Ok(Some(true)) => Err(output.error(name, "true", "a number in s, or false for never")),
        _ => Ok(output.number(name, "s, or false for never")?.or(default)),
    };
    Ok(Output {
        frames: interval("frames", default.frames)?,
        series: interval("series", default.series)?,
        checkpoints: interval("checkpoints", default.checkpoints)?,
        picture: output.boolean("picture")?.unwrap_or(default.picture),
    })
}
