//! Particles written out one by one.

use super::{ID, Listed, OriginKind, World, id_of, need_material};
use crate::error::Result;
use crate::scene::Particle;
use crate::scene::reader::Section;
use glam::DVec3;

pub(super) fn read(section: &Section, world: &World, listed: &mut Listed) -> Result<OriginKind> {
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
    world.check_room(section, "items", listed.particles.len(), items.len() as f64)?;
    for item in &items {
        item.allow(&["id", "position", "radius", "velocity", "spin", "fixed"])?;
        if let Some(id) = item.whole("id")? {
            let id = id_of(id).ok_or_else(|| item.error("id", id.to_string(), ID))?;
            listed.add_id(id);
        }
        listed.particles.push(Particle {
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
