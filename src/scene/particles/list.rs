//! Particles written out one by one.

use super::{OriginKind, World, need_material};
use crate::error::Result;
use crate::scene::Particle;
use crate::scene::reader::Section;
use glam::DVec3;

pub(super) fn read(
    section: &Section,
    world: &World,
    particles: &mut Vec<Particle>,
) -> Result<OriginKind> {
    section.allow(&["kind", "material", "items"])?;
    let material = need_material(section, world)?;
    let items = section.sections("items")?;
    if items.is_empty() {
        return Err(section.error(
            "items",
            "no item",
            "a list of items { position = [x, y, z], radius = r, … }",
        ));
    }
    world.check_room(section, "items", particles.len(), items.len() as f64)?;
    for item in &items {
        item.allow(&["position", "radius", "velocity", "spin", "fixed"])?;
        particles.push(Particle {
            position: item.need_vector("position", "m")?,
            radius: item.need_positive("radius", "m")?,
            velocity: item.vector("velocity", "m/s")?.unwrap_or(DVec3::ZERO),
            spin: item.vector("spin", "rad/s")?.unwrap_or(DVec3::ZERO),
            material,
            fixed: item.boolean("fixed")?.unwrap_or(false),
        });
    }
    Ok(OriginKind::Items)
}
