//! The fluid that grains are in: at rest, everywhere.

use super::names;
use super::reader::Section;
use super::validate::{Check, complain, positive};
use super::{Scene, TangentialLaw};
use crate::error::Result;

/// A fluid at rest. Its flow is not resolved: every grain feels it as if it were alone in it, but for
/// the films between surfaces that come close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluid {
    /// Density, kg/m³.
    pub density: f64,
    /// Dynamic viscosity, Pa s.
    pub viscosity: f64,
    /// Whether the weight of the fluid that a grain displaces lifts it.
    pub buoyancy: bool,
    /// How the fluid slows a grain.
    pub drag: DragLaw,
    /// Whether a grain moves half the mass of the fluid that it displaces along.
    pub added_mass: bool,
    /// Films between surfaces that come close.
    pub lubrication: Lubrication,
}

impl Fluid {
    /// A fluid that does all it can but for lubrication, which needs gaps.
    pub fn new(density: f64, viscosity: f64) -> Self {
        Self {
            density,
            viscosity,
            buoyancy: true,
            drag: DragLaw::SchillerNaumann,
            added_mass: true,
            lubrication: Lubrication::default(),
        }
    }
}

/// How a fluid slows a sphere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DragLaw {
    /// Not at all.
    None,
    /// Stokes: in proportion to the velocity.
    Stokes,
    /// Stokes with the factor of Schiller and Naumann: for any Reynolds number.
    SchillerNaumann,
}

/// Where films act. `None`: nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lubrication {
    /// Between grains.
    pub grains: Option<FilmGaps>,
    /// Between grains and walls.
    pub walls: Option<FilmGaps>,
}

impl Lubrication {
    /// The widest gap in which a film acts, in radii; zero if none does.
    pub fn widest_gap(&self) -> f64 {
        let films = [self.grains, self.walls];
        films
            .iter()
            .flatten()
            .map(|gaps| gaps.resolved)
            .fold(0.0, f64::max)
    }
}

/// Between which gaps a film acts and grows, in (mean) radii: `ε_Δx` and `ε_σ` of Costa et al.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilmGaps {
    /// Gap from which on there is no film: a flow solver would resolve what is wider.
    pub resolved: f64,
    /// Roughness of the surfaces: the film does not get stronger in gaps narrower than this.
    pub roughness: f64,
}

/// How far from touching, in widest gaps of a film, pairs are looked at: a film that grains enter
/// within a kick acts in its second half already.
pub(crate) const FILM_REACH: f64 = 1.25;

/// Widest gap of a film: the law is an expansion for narrow ones.
const WIDEST_GAP: f64 = 0.5;

/// Finest roughness: below, a film is stiffer than any step of a run could follow.
const FINEST_ROUGHNESS: f64 = 1e-9;

/// How many times denser than its grains a fluid may be for friction without memory: it reckons with
/// the mass that moves, of which the fluid's share does not turn.
const DENSEST_WITH_COULOMB: f64 = 2.0;

pub(super) fn read(root: &Section, hard: bool) -> Result<Option<Fluid>> {
    let Some(section) = root.section("fluid")? else {
        return Ok(None);
    };
    if hard {
        return Err(root.error(
            "fluid",
            "a table [fluid] besides engine.kind = \"hard\"",
            "no fluid: hard grains fly freely between collisions; engine.kind = \"soft\" knows fluids",
        ));
    }
    section.allow(&[
        "density",
        "viscosity",
        "buoyancy",
        "drag",
        "added_mass",
        "lubrication",
    ])?;
    let default = Fluid::new(
        section.need_number("density", "kg/m³")?,
        section.need_number("viscosity", "Pa s")?,
    );
    let mut lubrication = Lubrication::default();
    if let Some(films) = section.section("lubrication")? {
        films.allow(&["grains", "walls"])?;
        lubrication.grains = read_gaps(&films, "grains")?;
        lubrication.walls = read_gaps(&films, "walls")?;
        if lubrication == Lubrication::default() {
            return Err(films.error(
                "grains",
                "neither grains nor walls",
                "grains = { resolved = …, roughness = … }, walls = { … }, or both",
            ));
        }
    }
    Ok(Some(Fluid {
        buoyancy: section.boolean("buoyancy")?.unwrap_or(default.buoyancy),
        drag: section.choice("drag")?.unwrap_or(default.drag),
        added_mass: section.boolean("added_mass")?.unwrap_or(default.added_mass),
        lubrication,
        ..default
    }))
}

fn read_gaps(films: &Section, name: &str) -> Result<Option<FilmGaps>> {
    let Some(gaps) = films.section(name)? else {
        return Ok(None);
    };
    gaps.allow(&["resolved", "roughness"])?;
    Ok(Some(FilmGaps {
        resolved: gaps.need_number("resolved", "radii")?,
        roughness: gaps.need_number("roughness", "radii")?,
    }))
}

/// What a fluid may be.
pub(super) fn check_fluid(scene: &Scene, fluid: &Fluid) -> Check {
    positive("fluid.density", fluid.density, "kg/m³")?;
    positive("fluid.viscosity", fluid.viscosity, "Pa s")?;
    if scene.hard.is_some() {
        return complain("fluid", "a fluid around hard grains", "no fluid");
    }
    let films = [
        ("grains", fluid.lubrication.grains),
        ("walls", fluid.lubrication.walls),
    ];
    for (name, gaps) in films {
        let Some(gaps) = gaps else { continue };
        let key = |field: &str| format!("fluid.lubrication.{name}.{field}");
        if !(gaps.resolved > FINEST_ROUGHNESS && gaps.resolved <= WIDEST_GAP) {
            return complain(
                key("resolved"),
                names::number_text(gaps.resolved),
                format!("a gap in radii, greater than {FINEST_ROUGHNESS:e}, at most {WIDEST_GAP}"),
            );
        }
        if !(gaps.roughness >= FINEST_ROUGHNESS && gaps.roughness < gaps.resolved) {
            return complain(
                key("roughness"),
                names::number_text(gaps.roughness),
                format!(
                    "a gap in radii, at least {FINEST_ROUGHNESS:e}, less than resolved, {}",
                    gaps.resolved
                ),
            );
        }
    }
    if fluid.added_mass && scene.contact.tangential == TangentialLaw::Impulse {
        return complain(
            "fluid.added_mass",
            "true with contact.tangential = \"impulse\"",
            "added_mass = false, or another tangential law: the rules of collisions know no added mass",
        );
    }
    if fluid.added_mass && scene.contact.tangential == TangentialLaw::Coulomb {
        for (i, material) in scene.materials.iter().enumerate() {
            if fluid.density > DENSEST_WITH_COULOMB * material.density {
                return complain(
                    "fluid.added_mass",
                    format!(
                        "true with contact.tangential = \"coulomb\" and materials[{i}].density = {}",
                        material.density
                    ),
                    format!(
                        "added_mass = false, another tangential law, or grains of at least 1/{DENSEST_WITH_COULOMB} \
                         of the density of the fluid, {}",
                        fluid.density
                    ),
                );
            }
        }
    }
    Ok(())
}
