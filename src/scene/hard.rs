//! Scenes of hard grains: `[engine] kind = "hard"`, with a rule of collision for each pair of materials.

use super::meetings::meetings;
use super::names::{self, Named};
use super::particles::material_index;
use super::reader::Section;
use super::validate::{Check, Complaint, Place, complain, complain_at, vector_text};
use super::{Material, Scene, Wall, WallShape};
use crate::error::Result;
use crate::hard::WallMotion;
use crate::laws::hard_sphere::{CollisionRule, GrainShape};
use crate::laws::tc::Dimensions;
use glam::DVec3;

/// What a scene of hard grains has that one of soft grains has not.
#[derive(Debug, Clone, PartialEq)]
pub struct HardSettings {
    /// Disks in a plane, or spheres.
    pub dimensions: Dimensions,
    /// Duration `t_c` of a contact, s: a collision that follows another sooner loses nothing. `None`:
    /// every collision may lose energy.
    pub contact_duration: Option<f64>,
    /// How each pair of materials that can meet collides, in no particular order.
    pub rules: Vec<PairRule>,
    /// How walls move: number of the wall, and its motion. Only planes do.
    pub motions: Vec<(usize, WallMotion)>,
}

/// How two materials collide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairRule {
    /// Numbers of the materials (may be equal).
    pub materials: [usize; 2],
    /// The rule.
    pub rule: CollisionRule,
}

impl HardSettings {
    /// The shape of all grains.
    pub fn shape(&self) -> GrainShape {
        match self.dimensions {
            Dimensions::Two => GrainShape::Disk,
            Dimensions::Three => GrainShape::Sphere,
        }
    }

    /// The rule of a pair of materials, in either order.
    pub fn rule(&self, a: usize, b: usize) -> Option<CollisionRule> {
        self.rules
            .iter()
            .find(|pair| pair.materials == [a, b] || pair.materials == [b, a])
            .map(|pair| pair.rule)
    }
}

/// Which engine a scene is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Soft,
    Hard,
}

impl Named for Kind {
    const CHOICES: &'static [(&'static str, Self)] = &[("soft", Self::Soft), ("hard", Self::Hard)];
    const NAMES: &'static [&'static str] = &["soft", "hard"];
}

/// Names of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleName {
    Smooth,
    Walton,
    Rubin,
    Viscoelastic,
}

impl Named for RuleName {
    const CHOICES: &'static [(&'static str, Self)] = &[
        ("smooth", Self::Smooth),
        ("walton", Self::Walton),
        ("rubin", Self::Rubin),
        ("viscoelastic", Self::Viscoelastic),
    ];
    const NAMES: &'static [&'static str] = &["smooth", "walton", "rubin", "viscoelastic"];
}

/// The name of a rule in scene files.
pub fn rule_name(rule: &CollisionRule) -> &'static str {
    match rule {
        CollisionRule::Smooth { .. } => "smooth",
        CollisionRule::Walton { .. } => "walton",
        CollisionRule::Rubin { .. } => "rubin",
        CollisionRule::Viscoelastic { .. } => "viscoelastic",
    }
}

/// Reads `[engine]`; settings without rules and motions if the grains are hard.
pub(super) fn read_engine(root: &Section) -> Result<Option<HardSettings>> {
    let Some(engine) = root.section("engine")? else {
        return Ok(None);
    };
    if engine.choice::<Kind>("kind")?.unwrap_or(Kind::Soft) == Kind::Soft {
        engine.allow(&["kind"])?;
        return Ok(None);
    }
    engine.allow(&["kind", "dimensions", "tc"])?;
    let dimensions = match engine.whole("dimensions")? {
        Some(2) => Dimensions::Two,
        None | Some(3) => Dimensions::Three,
        Some(other) => {
            let found = other.to_string();
            return Err(engine.error("dimensions", found, "2 (disks) or 3 (spheres)"));
        }
    };
    for name in ["contact", "neighbours"] {
        if root.has(name) {
            return Err(root.error(
                name,
                "a table of the soft engine, with engine.kind = \"hard\"",
                "no such table; hard grains collide by the rule of their [[pairs]]",
            ));
        }
    }
    Ok(Some(HardSettings {
        dimensions,
        contact_duration: engine.positive("tc", "s")?,
        rules: Vec::new(),
        motions: Vec::new(),
    }))
}

/// Reads `[[pairs]]` of hard grains.
pub(super) fn read_rules(root: &Section, materials: &[Material]) -> Result<Vec<PairRule>> {
    let sections = root.sections("pairs")?;
    sections
        .iter()
        .map(|section| {
            let rule = read_rule(section)?;
            let [a, b] = super::parse::read_between(section)?;
            Ok(PairRule {
                materials: [
                    material_index(section, "between", a, materials)?,
                    material_index(section, "between", b, materials)?,
                ],
                rule,
            })
        })
        .collect()
}

fn read_rule(section: &Section) -> Result<CollisionRule> {
    let rule = section.choice("rule")?.unwrap_or(RuleName::Smooth);
    let allow = |keys: &[&str]| section.allow(&[&["between", "rule"], keys].concat());
    let number = |name| section.need_number(name, "");
    Ok(match rule {
        RuleName::Smooth => {
            allow(&["restitution"])?;
            CollisionRule::Smooth {
                restitution: number("restitution")?,
            }
        }
        RuleName::Walton => {
            allow(&["restitution", "tangential_restitution", "friction"])?;
            CollisionRule::Walton {
                restitution: number("restitution")?,
                tangential_restitution: number("tangential_restitution")?,
                friction: number("friction")?,
            }
        }
        RuleName::Rubin => {
            allow(&["restitution", "exponent", "friction"])?;
            CollisionRule::Rubin {
                restitution: number("restitution")?,
                exponent: number("exponent")?,
                friction: number("friction")?,
            }
        }
        RuleName::Viscoelastic => {
            allow(&["viscoelastic_time", "stiffness"])?;
            CollisionRule::Viscoelastic {
                viscoelastic_time: section.need_number("viscoelastic_time", "s")?,
                stiffness: section.need_number("stiffness", "N/m^1.5")?,
            }
        }
    })
}

/// Keys of a plane that moves.
pub(super) const MOTION_KEYS: [&str; 4] = ["velocity", "amplitude", "frequency", "phase"];

/// Reads how a plane moves; `None` if it does not.
pub(super) fn read_motion(section: &Section) -> Result<Option<WallMotion>> {
    if !MOTION_KEYS.iter().any(|key| section.has(key)) {
        return Ok(None);
    }
    let amplitude = section.vector("amplitude", "m")?;
    let frequency = match amplitude {
        Some(_) => section.need_positive("frequency", "Hz")?,
        None => {
            for key in ["frequency", "phase"] {
                if section.has(key) {
                    return Err(section.error(key, "no amplitude besides it", "amplitude, in m"));
                }
            }
            0.0
        }
    };
    Ok(Some(WallMotion {
        velocity: section.vector("velocity", "m/s")?.unwrap_or(DVec3::ZERO),
        amplitude: amplitude.unwrap_or(DVec3::ZERO),
        frequency,
        phase: section.number("phase", "rad")?.unwrap_or(0.0),
    }))
}

/// Everything that only hard grains need.
pub(super) fn check_hard(scene: &Scene, hard: &HardSettings) -> Check {
    check_rules(scene, hard)?;
    for (i, wall) in scene.walls.iter().enumerate() {
        check_wall(i, wall)?;
    }
    if hard.dimensions == Dimensions::Two {
        check_flat(scene)?;
    }
    Ok(())
}

fn check_rules(scene: &Scene, hard: &HardSettings) -> Check {
    for (i, pair) in hard.rules.iter().enumerate() {
        let [a, b] = pair.materials;
        let same = |other: &PairRule| other.materials == [a, b] || other.materials == [b, a];
        if hard.rules[..i].iter().any(same) {
            let [a, b] = pair.materials.map(|i| &scene.materials[i].name);
            return complain(
                format!("pairs[{i}].between"),
                format!("{a:?} and {b:?} a second time"),
                "one table [[pairs]] for each pair of materials",
            );
        }
        if let Err(error) = pair.rule.check(hard.shape().slip_ratio()) {
            return complain(
                format!("pairs[{i}].{}", error.coefficient),
                names::number_text(error.found),
                error.allowed,
            );
        }
    }
    for meeting in meetings(scene) {
        let [a, b] = meeting.materials;
        if hard.rule(a, b).is_none() {
            let [a, b] = meeting.materials.map(|i| &scene.materials[i].name);
            return Err(Box::new(Complaint {
                place: Place::Key("pairs".to_owned()),
                near: Some(meeting.cause.clone()),
                found: format!(
                    "no entry between {a:?} and {b:?}, but {}",
                    meeting.description
                ),
                allowed: format!("a table [[pairs]] with between = [{a:?}, {b:?}]"),
            }));
        }
    }
    Ok(())
}

fn check_wall(i: usize, wall: &Wall) -> Check {
    match wall.shape {
        WallShape::Cone { .. } => complain(
            format!("walls[{i}].kind"),
            "\"cone\" with engine.kind = \"hard\"",
            "\"plane\", \"box\", \"cylinder\", \"sphere\"",
        ),
        WallShape::Cylinder {
            length: Some(length),
            ..
        } => complain(
            format!("walls[{i}].length"),
            format!("{length} with engine.kind = \"hard\""),
            "no length: for hard grains cylinders have no ends",
        ),
        _ => Ok(()),
    }
}

/// In two dimensions nothing leaves the plane.
fn check_flat(scene: &Scene) -> Check {
    const FLAT: &str = "with engine.dimensions = 2, the plane z = const";
    if scene.gravity.z != 0.0 {
        let found = vector_text(scene.gravity);
        return complain("gravity", found, format!("gravity along x and y: {FLAT}"));
    }
    if scene.domain.periodic[2] {
        let allowed = format!("periods along x and y: {FLAT}");
        return complain("domain.periodic", "a period along z", allowed);
    }
    let height = scene.particles.first().map_or(0.0, |p| p.position.z);
    for (index, particle) in scene.particles.iter().enumerate() {
        let place = |field| Place::Particle { index, field };
        if particle.position.z != height {
            return complain_at(
                place("position"),
                vector_text(particle.position),
                format!("all centres at the same z, here {height} m: {FLAT}"),
            );
        }
        if particle.velocity.z != 0.0 {
            return complain_at(
                place("velocity"),
                vector_text(particle.velocity),
                format!("no velocity along z: {FLAT}"),
            );
        }
        if particle.spin.truncate() != glam::DVec2::ZERO {
            return complain_at(
                place("spin"),
                vector_text(particle.spin),
                format!("a spin about z: {FLAT}"),
            );
        }
    }
    for (i, wall) in scene.walls.iter().enumerate() {
        let upright = match wall.shape {
            WallShape::Plane { normal, .. } => normal.z == 0.0,
            WallShape::Cylinder { axis, .. } => axis.truncate() == glam::DVec2::ZERO,
            WallShape::Box { faces, .. } => !faces[4] && !faces[5],
            _ => true,
        };
        if !upright {
            return complain(
                format!("walls[{i}]"),
                "a wall that is not upright on the plane",
                format!("normals along x and y, axes along z, boxes open at -z and +z: {FLAT}"),
            );
        }
    }
    Ok(())
}
