//! Room for more neighbours, and grains that leave: what a device stops for.

use super::super::motion::Motion;
use super::super::snapshot::Snapshot;
use super::super::status::{
    STATUS_GRAINS, STATUS_HALTED, STATUS_LEFT, STATUS_LIST_IS_VOID, STATUS_NONE,
    STATUS_REBUILD_WANTED, STATUS_SAVED, STATUS_SLOTS, STATUS_SLOTS_NEEDED, Status,
};
use super::super::step::Step;
use super::GpuEngine;
use crate::error::{Error, Result};
use crate::scene::Leaving;
use glam::DVec3;

/// Room beyond what was needed, when there was too little.
const GROWTH: f64 = 1.02;

/// How much thinner a skin becomes whose slots no buffer can hold, and when it is thin enough to give up, in
/// units of the device: about the largest radius.
const THINNER: f32 = 0.7;
const THINNEST: f32 = 0.01;

/// Room for so many of something of which there may be at most `most`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and is limited"
)]
fn room_for(needed: u32, most: u32) -> u32 {
    ((f64::from(needed) * GROWTH).ceil() as u32)
        .min(most)
        .max(needed)
}

impl GpuEngine {
    /// Makes room for the slots of a list, or for what its contacts remember.
    pub(super) fn make_room(&mut self, status: &Status) -> Result<()> {
        let fluid = self.fluid_params();
        let Some((buffers, step)) = &mut self.memory else {
            return Ok(());
        };
        let allowed = self.gpu.largest_storage();
        let before = buffers.sizes;
        let mut sizes = before;
        if status.word(STATUS_LIST_IS_VOID) == 0 {
            sizes.contacts = room_for(status.word(STATUS_SAVED), u32::MAX);
        } else {
            let needed = status.word(STATUS_SLOTS_NEEDED);
            let most = before.most_slots(allowed);
            if needed > most && self.params.thickest_skin > THINNEST {
                let skin = THINNER * self.params.thickest_skin;
                log::debug!("step {}: skin reduced to {skin}", self.step);
                self.params.thickest_skin = skin;
                self.params.thinnest_skin = self.params.thinnest_skin.min(skin);
                return self.gpu.upload(&buffers.params, &[self.params]);
            }
            sizes.slots = room_for(needed, most);
        }
        log::debug!("step {}: room for {before:?}, now for {sizes:?}", self.step);
        buffers.grow(&self.gpu, sizes)?;
        *step = Step::new(&self.gpu, buffers, &self.traits, fluid)?;
        self.params.slot_capacity = sizes.slots;
        self.params.contact_capacity = sizes.contacts;
        self.gpu.upload(&buffers.params, &[self.params])
    }

    /// Takes out grains that left the domain, or stops because of them.
    pub(super) fn remove_left(&mut self, status: &Status) -> Result<()> {
        let Some(snapshot) = self.read_snapshot(status.word(STATUS_SLOTS))? else {
            return Ok(());
        };
        let gone: Vec<bool> = (0..snapshot.motions.len())
            .map(|index| snapshot.has_left(index))
            .collect();
        if self.leaving == Leaving::Stop {
            let particle = status.word(STATUS_LEFT);
            let index = snapshot.motions.iter().position(|m| m.id == particle);
            let position = index.map_or(DVec3::ZERO, |index| self.beyond(&snapshot, index));
            return Err(Error::LeftDomain {
                particle,
                time: self.time(),
                position: position.to_array(),
            });
        }
        let order = snapshot.by_id();
        for (&index, nature) in order.iter().zip(&self.natures) {
            if gone[index] {
                let place = (self.beyond(&snapshot, index) - self.grid.origin) / self.grid.unit;
                // As predicted for that place; those of the motion belong to half a step before.
                let body = &snapshot.bodies[index];
                let motion =
                    [body.velocity, body.spin].map(|x| DVec3::from_array(x.map(f64::from)));
                let energy: f64 = self.energy_of(nature, place, motion).iter().sum();
                self.ledger.removed += (energy / self.quantum).round() * self.quantum;
                self.removed += 1;
            }
        }
        let mut gone_by_rank = order.iter().map(|&index| gone[index]);
        self.natures
            .retain(|_| !gone_by_rank.next().unwrap_or(false));
        let kept = snapshot.without(&gone);
        let Some((buffers, _)) = &mut self.memory else {
            return Ok(());
        };
        if kept.bodies.is_empty() {
            self.memory = None;
            self.take_motion(&Motion::default());
            (self.contacts, self.wall_contacts) = (0, 0);
            return Ok(());
        }
        #[allow(clippy::cast_possible_truncation, reason = "fewer than there were")]
        let [grains, slots] = [kept.bodies.len() as u32, kept.slots.len() as u32];
        buffers.grains = grains;
        buffers.write(&self.gpu, &kept)?;
        self.write_status(status, |status| {
            status.set(STATUS_HALTED, 0);
            status.set(STATUS_LEFT, STATUS_NONE);
            status.set(STATUS_GRAINS, grains);
            status.set(STATUS_SLOTS, slots);
            status.set(STATUS_REBUILD_WANTED, 1);
            status.clear_measurements();
        })
    }

    /// Where a grain is that has left: the device left it where it was.
    fn beyond(&self, snapshot: &Snapshot, index: usize) -> DVec3 {
        let position = snapshot.position(&self.grid, index);
        let step = snapshot.velocity(index);
        self.grid.to_metres(position, snapshot.remainder(index)) + step * self.units.length
    }
}
