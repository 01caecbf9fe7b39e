//! Where particles come from: lists, lattices, random placement, files.

mod csv;
mod lattice;
mod list;
mod random;
mod region;

use super::names::{alternatives, quoted};
use super::reader::Section;
use super::source::Source;
use super::validate::SMALLEST;
use super::{Domain, Material, Particle};
use crate::error::{Result, SceneError};
use glam::DVec3;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::path::PathBuf;

/// What a generator has to know of the rest of the scene.
pub(super) struct World<'a> {
    pub(super) domain: Domain,
    pub(super) materials: &'a [Material],
    pub(super) most_particles: usize,
    /// Whether all grains stay in a plane z = const.
    pub(super) flat: bool,
}

impl World<'_> {
    /// Complains if `wanted` more particles would be too many.
    fn check_room(&self, section: &Section, key: &str, present: usize, wanted: f64) -> Result<()> {
        let room = self.most_particles.saturating_sub(present);
        if wanted <= room as f64 {
            return Ok(());
        }
        Err(section.error(
            key,
            format!("{wanted} particles besides {present} others"),
            format!("at most {} in all", self.most_particles),
        ))
    }
}

/// Which particles of the scene one table of the file made.
pub(super) struct Origin {
    /// The first of them.
    pub(super) start: usize,
    /// The table, e.g. `particles[1]`.
    path: String,
    kind: OriginKind,
}

enum OriginKind {
    /// One item of the table for each.
    Items,
    /// Made from the table as a whole.
    Generated,
    /// One row of a file for each, all rows once per repetition.
    Rows {
        file: PathBuf,
        rows: usize,
        /// Whether the rows name their material; otherwise the table does.
        materials: bool,
    },
}

impl Origin {
    /// Points an error at what the particle was made from.
    pub(super) fn locate(&self, index: usize, field: &str, error: &mut SceneError) {
        let number = index - self.start;
        error.key = format!("{}.{field}", self.path);
        match &self.kind {
            OriginKind::Generated => {}
            OriginKind::Items if field == "material" => {}
            OriginKind::Items => error.key = format!("{}.items[{number}].{field}", self.path),
            OriginKind::Rows { materials, .. } if field == "material" && !materials => {}
            OriginKind::Rows { file, rows, .. } => {
                error.key = csv::columns_of(field);
                error.file = Some(file.clone());
                error.line = Some(csv::line_of_row(number % (*rows).max(1)));
            }
        }
    }
}

/// Reads all tables `[[particles]]`.
pub(super) fn read(root: &Section, world: &World) -> Result<Vec<Particle>> {
    let mut listed = Listed::default();
    for section in root.sections("particles")? {
        let start = listed.particles.len();
        let kind = match section.need_word("kind", &["list", "lattice", "random", "file"])? {
            "list" => list::read(&section, world, &mut listed)?,
            "lattice" => lattice::read(&section, world, &mut listed.particles)?,
            "random" => random::read(&section, world, &mut listed.particles)?,
            _ => csv::read(&section, world, &mut listed)?,
        };
        section.source().add_origin(Origin {
            start,
            path: section.path().to_owned(),
            kind,
        });
    }
    listed.by_id(root.source())
}

/// What may stand as an id.
const ID: &str = "a whole number from 0 to one less than the number of particles";

/// A number as an id, if it can be one of any scene.
fn id_of(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}

/// Particles as the file lists them.
#[derive(Default)]
struct Listed {
    particles: Vec<Particle>,
    /// The ids that are given, with the particle that each belongs to; none in most scenes.
    ids: Vec<(u32, u32)>,
}

impl Listed {
    /// Gives an id to the particle that comes next.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "there are at most `MAX_PARTICLES`"
    )]
    fn add_id(&mut self, id: u32) {
        self.ids.push((id, self.particles.len() as u32));
    }

    /// The particles in the order of their ids, so that results do not depend on how they are listed.
    fn by_id(self, source: &Source) -> Result<Vec<Particle>> {
        const NOWHERE: u32 = u32::MAX;
        let Self { particles, ids } = self;
        if ids.is_empty() {
            return Ok(particles);
        }
        let count = particles.len();
        if ids.len() < count {
            let (without, _) = (0..)
                .zip(&ids)
                .find(|&(place, &(_, particle))| place != particle as usize)
                .unwrap_or((ids.len(), &(0, 0)));
            return Err(source.listed_error(
                without,
                "id",
                "nothing, but other particles have an id",
                "an id for each particle of the scene, or for none (generated ones have none)",
            ));
        }
        let allowed = || format!("each number from 0 to {} once", count - 1);
        let mut listed_at = vec![NOWHERE; count];
        for (id, particle) in ids {
            let complain =
                |found: String| Err(source.listed_error(particle as usize, "id", found, allowed()));
            match listed_at.get_mut(id as usize) {
                None => return complain(id.to_string()),
                Some(place) if *place != NOWHERE => return complain(format!("{id} a second time")),
                Some(place) => *place = particle,
            }
        }
        let sorted = listed_at.iter().map(|&place| particles[place as usize]);
        let sorted = sorted.collect();
        source.set_listed_at(listed_at);
        Ok(sorted)
    }
}

/// The index of a material by its name.
pub(super) fn material_index(
    section: &Section,
    key: &str,
    name: &str,
    materials: &[Material],
) -> Result<usize> {
    materials
        .iter()
        .position(|material| material.name == name)
        .ok_or_else(|| section.error(key, unknown_material(name), material_names(name, materials)))
}

fn unknown_material(name: &str) -> String {
    format!("the unknown material {}", quoted(name))
}

fn material_names(found: &str, materials: &[Material]) -> String {
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    if names.is_empty() {
        return "a material; the scene has no table [[materials]]".to_owned();
    }
    format!("a material: {}", alternatives(found, &names))
}

/// The material of a table.
fn need_material(section: &Section, world: &World) -> Result<usize> {
    let name = section.need_text("material", "the name of a material")?;
    material_index(section, "material", name, world.materials)
}

/// What the particles of a generated table have in common; position and radius are still open.
fn read_prototype(section: &Section, world: &World) -> Result<Particle> {
    Ok(Particle {
        position: DVec3::ZERO,
        radius: SMALLEST,
        velocity: section.vector("velocity", "m/s")?.unwrap_or(DVec3::ZERO),
        spin: section.vector("spin", "rad/s")?.unwrap_or(DVec3::ZERO),
        material: need_material(section, world)?,
        fixed: section.boolean("fixed")?.unwrap_or(false),
    })
}

/// Random numbers of a table: the same seed gives the same particles on every machine.
struct Random(Pcg64);

impl Random {
    fn seeded(section: &Section) -> Result<Self> {
        let seed = section.whole("seed")?.unwrap_or(0);
        Ok(Self(Pcg64::seed_from_u64(seed)))
    }

    /// Uniform in [0, 1). Written out, because distributions of a library may change with its version.
    fn fraction(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 * STEP
    }

    /// Uniform in [-1, 1)³.
    fn cube(&mut self) -> DVec3 {
        let mut signed = || 2.0 * self.fraction() - 1.0;
        DVec3::new(signed(), signed(), signed())
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.fraction()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.fraction()).cos()
    }
}
