//! The grains and contacts of a device, on the host: what is written to it, and what is read back.

use super::carry;
use super::layout::{Acceleration, Body, Motion, single};
use super::units::{Units, from_device, to_device};
use crate::cpu::walls::Face;
use crate::error::{Error, Result};
use crate::position::{Grid, Position};
use crate::scene::Scene;
use crate::state::{ContactState, ParticleState, State, WALL};
use glam::DVec3;

/// Bits of a slot: `SLOT_…` in `shaders/lib/grains.wgsl`.
const SLOT_TOUCHING: u32 = 0x8000_0000;
const SLOT_FIRST: u32 = 0x4000_0000;
const SLOT_WALL: u32 = 0x2000_0000;
const SLOT_INDEX: u32 = 0x1fff_ffff;

/// Bit of the traits of a grain: `TRAITS_FIXED` in `shaders/lib/grains.wgsl`.
const TRAITS_FIXED: u32 = 0x8000_0000;

/// Most grains that a slot can name.
pub(super) const MOST_GRAINS: u32 = SLOT_INDEX;

/// Bits per axis that the traits of a grain have for the remainder of its position: what so many
/// materials leave.
pub(super) fn remainder_bits(materials: usize) -> u32 {
    let material_bits = usize::BITS - materials.saturating_sub(1).leading_zeros();
    31u32.saturating_sub(material_bits) / 3
}

/// Arrays as the device holds them.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub(super) bodies: Vec<Body>,
    pub(super) motions: Vec<Motion>,
    pub(super) accelerations: Vec<Acceleration>,
    pub(super) starts: Vec<u32>,
    pub(super) slots: Vec<[u32; 2]>,
    pub(super) histories: Vec<[f32; 4]>,
    /// Two for each slot, or none.
    pub(super) extras: Vec<[f32; 4]>,
}

/// What of a grain never changes and a device does not hold to the last digit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nature {
    pub(super) id: u32,
    pub(super) radius: f64,
    pub(super) material: u16,
    pub(super) fixed: bool,
}

/// A grain to be written.
struct Placed {
    nature: Nature,
    units: [i64; 3],
    remainder: DVec3,
    velocity: DVec3,
    spin: DVec3,
}

/// Radius in units, rounded as the CPU engine does.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most half a cell, 2^29"
)]
pub(super) fn radius_units(grid: &Grid, radius: f64) -> u32 {
    (radius / grid.unit).round() as u32
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to a few bits"
)]
fn traits(nature: &Nature, remainder: [f32; 3], bits: u32) -> u32 {
    let most = f32::from(1u16 << bits);
    let step = |x: f32| ((x + 0.5) * most).floor().clamp(0.0, most - 1.0) as u32;
    let [x, y, z] = remainder.map(step);
    let fixed = if nature.fixed { TRAITS_FIXED } else { 0 };
    fixed | u32::from(nature.material) << (3 * bits) | x | y << bits | z << (2 * bits)
}

impl Snapshot {
    fn push(&mut self, grid: &Grid, units: &Units, bits: u32, grain: &Placed) -> Result<()> {
        let position = grid.pack(grain.units).ok_or_else(|| {
            Error::Unsupported(format!(
                "particle {} lies outside the cells of the domain, where a graphics device cannot hold it",
                grain.nature.id
            ))
        })?;
        let moving = if grain.nature.fixed { 0.0 } else { 1.0 };
        let exact = moving * grain.velocity / units.velocity();
        let (velocity, carry) = carry::split(exact.to_array());
        let exact = moving * grain.spin / units.spin();
        let (spin, spin_carry) = carry::split(exact.to_array());
        let rests = carry::pack_rests(grain.remainder.to_array(), spin_carry);
        let (remainder, _) = carry::unpack_rests(rests);
        let [x, y, z] = position.fraction;
        self.bodies.push(Body {
            position: [position.cell, x, y, z],
            velocity,
            radius: radius_units(grid, grain.nature.radius),
            spin,
            traits: traits(&grain.nature, remainder.map(single), bits),
        });
        self.motions.push(Motion {
            velocity,
            id: grain.nature.id,
            spin,
            path: 0,
            rests,
            carry,
        });
        Ok(())
    }

    /// Grains of a scene at the start, without contacts.
    pub(super) fn from_particles(
        grid: &Grid,
        units: &Units,
        scene: &Scene,
    ) -> Result<(Self, Vec<Nature>)> {
        let particles = &scene.particles;
        let bits = remainder_bits(scene.materials.len());
        let mut snapshot = Self::default();
        let mut natures = Vec::with_capacity(particles.len());
        for (id, particle) in (0..).zip(particles) {
            let (position, remainder) = grid.from_metres(particle.position);
            let nature = Nature {
                id,
                radius: particle.radius,
                material: u16::try_from(particle.material).unwrap_or(u16::MAX),
                fixed: particle.fixed,
            };
            let grain = Placed {
                nature,
                units: position,
                remainder,
                velocity: particle.velocity,
                spin: particle.spin,
            };
            snapshot.push(grid, units, bits, &grain)?;
            natures.push(nature);
        }
        snapshot.accelerations = vec![bytemuck::Zeroable::zeroed(); particles.len()];
        snapshot.starts = vec![0; particles.len() + 1];
        Ok((snapshot, natures))
    }

    /// Grains and contacts of a saved state.
    pub(super) fn from_state(
        units: &Units,
        scene: &Scene,
        state: &State,
        with_extras: bool,
    ) -> Result<(Self, Vec<Nature>)> {
        let bits = remainder_bits(scene.materials.len());
        let particles = &state.particles;
        let mut snapshot = Self::default();
        let mut natures = Vec::with_capacity(particles.len());
        for rank in 0..particles.len() {
            let nature = Nature {
                id: particles.id[rank],
                radius: particles.radius[rank],
                material: particles.material[rank],
                fixed: particles.fixed[rank],
            };
            let grain = Placed {
                nature,
                units: particles.units[rank],
                remainder: particles.remainder[rank],
                velocity: particles.velocity[rank],
                spin: particles.spin[rank],
            };
            snapshot.push(&state.grid, units, bits, &grain)?;
            let exact = particles.acceleration[rank] / units.acceleration();
            let (linear, linear_carry) = carry::split(exact.to_array());
            let [ax, ay, az] = to_device(
                particles.angular_acceleration[rank],
                units.angular_acceleration(),
            );
            snapshot.accelerations.push(Acceleration {
                linear,
                linear_carry,
                angular: [ax, ay, az, 0.0],
                shift: [0.0; 4],
            });
            natures.push(nature);
        }
        snapshot.push_contacts(units, state, with_extras)?;
        Ok((snapshot, natures))
    }

    /// Touching pairs of a state, as slots of both grains.
    fn push_contacts(&mut self, units: &Units, state: &State, with_extras: bool) -> Result<()> {
        let rank_of = |id: u32| {
            let rank = state.particles.id.binary_search(&id);
            let unknown = || Error::Unsupported(format!("contact of unknown particle {id}"));
            rank.map_err(|_| unknown())
        };
        // Owner, id of the partner, word of the slot, contact.
        let mut slots: Vec<(usize, u32, u32, &ContactState)> = Vec::new();
        for contact in &state.contacts {
            let first = rank_of(contact.first)?;
            if contact.second >= WALL {
                let word = (contact.second - WALL) | SLOT_WALL;
                slots.push((first, contact.second, word, contact));
            } else {
                let second = rank_of(contact.second)?;
                slots.push((
                    first,
                    contact.second,
                    index_word(second) | SLOT_FIRST,
                    contact,
                ));
                slots.push((second, contact.first, index_word(first), contact));
            }
        }
        slots.sort_unstable_by_key(|&(owner, partner, ..)| (owner, partner));
        self.starts = vec![0; state.particles.len() + 1];
        for &(owner, _, word, contact) in &slots {
            self.starts[owner + 1] += 1;
            let root = single(contact.root_overlap / units.length.sqrt());
            self.slots.push([word | SLOT_TOUCHING, root.to_bits()]);
            let [x, y, z] = to_device(contact.spring, units.length);
            let force = single(contact.normal_force / units.force());
            self.histories.push([x, y, z, force]);
            if with_extras {
                let [x, y, z] = to_device(contact.rolling, units.energy());
                let stiffness = single(contact.adaptive[0] / units.hertz_stiffness());
                let damping = single(contact.adaptive[1] / units.damping());
                self.extras.push([x, y, z, 0.0]);
                self.extras.push([stiffness, damping, 0.0, 0.0]);
            }
        }
        for owner in 0..state.particles.len() {
            self.starts[owner + 1] += self.starts[owner];
        }
        Ok(())
    }

    /// Places in memory, ordered by id.
    pub(super) fn by_id(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.motions.len()).collect();
        order.sort_unstable_by_key(|&index| self.motions[index].id);
        order
    }

    /// Exact position of the grain at `index`, in units.
    pub(super) fn position(&self, grid: &Grid, index: usize) -> [i64; 3] {
        let [cell, x, y, z] = self.bodies[index].position;
        grid.unpack(Position {
            cell,
            fraction: [x, y, z],
        })
    }

    /// What rounding left of it, in units.
    pub(super) fn remainder(&self, index: usize) -> DVec3 {
        let (remainder, _) = carry::unpack_rests(self.motions[index].rests);
        DVec3::from_array(remainder)
    }

    /// Velocity of the grain at `index` as exactly as the device knows it, in its units.
    pub(super) fn velocity(&self, index: usize) -> DVec3 {
        let motion = &self.motions[index];
        DVec3::from_array(carry::join(motion.velocity, motion.carry))
    }

    /// Its spin in the same way.
    pub(super) fn spin(&self, index: usize) -> DVec3 {
        let motion = &self.motions[index];
        let (_, carry) = carry::unpack_rests(motion.rests);
        DVec3::from_array(carry::join(motion.spin, carry))
    }

    /// Whether the grain at `index` has left the domain.
    pub(super) fn has_left(&self, index: usize) -> bool {
        self.motions[index].carry & carry::CARRY_LEFT != 0
    }

    /// Particles by id; `natures` too.
    pub(super) fn particles(
        &self,
        grid: &Grid,
        units: &Units,
        natures: &[Nature],
        order: &[usize],
    ) -> ParticleState {
        let mut particles = ParticleState::default();
        for (&index, nature) in order.iter().zip(natures) {
            let motion = &self.motions[index];
            let acceleration = &self.accelerations[index];
            let linear = carry::join(acceleration.linear, acceleration.linear_carry);
            let [ax, ay, az, _] = acceleration.angular;
            particles.id.push(motion.id);
            particles.units.push(self.position(grid, index));
            particles.remainder.push(self.remainder(index));
            particles
                .velocity
                .push(self.velocity(index) * units.velocity());
            particles.spin.push(self.spin(index) * units.spin());
            particles
                .acceleration
                .push(DVec3::from_array(linear) * units.acceleration());
            particles
                .angular_acceleration
                .push(from_device([ax, ay, az], units.angular_acceleration()));
            particles.radius.push(nature.radius);
            particles.material.push(nature.material);
            particles.fixed.push(nature.fixed);
        }
        particles
    }

    /// Touching pairs by `(first, second)`.
    pub(super) fn contacts(
        &self,
        grid: &Grid,
        units: &Units,
        faces: &[Face],
        order: &[usize],
    ) -> Vec<ContactState> {
        let mut contacts = Vec::new();
        for &index in order {
            for slot in self.starts[index] as usize..self.starts[index + 1] as usize {
                let [word, root] = self.slots[slot];
                let is_first = word & (SLOT_FIRST | SLOT_WALL) != 0;
                if word & SLOT_TOUCHING == 0 || !is_first {
                    continue;
                }
                let partner = word & SLOT_INDEX;
                let (second, overlap) = if word & SLOT_WALL == 0 {
                    let partner = partner as usize;
                    (self.motions[partner].id, self.overlap(grid, index, partner))
                } else {
                    let face = &faces[partner as usize];
                    (WALL + partner, self.wall_overlap(grid, index, face))
                };
                let [x, y, z, force] = self.histories[slot];
                let extras = self.extras.get(2 * slot..2 * slot + 2);
                let (rolling, adaptive) = extras.map_or((DVec3::ZERO, [0.0; 2]), |extras| {
                    let [x, y, z, _] = extras[0];
                    let [stiffness, damping, ..] = extras[1];
                    (
                        from_device([x, y, z], units.energy()),
                        [
                            f64::from(stiffness) * units.hertz_stiffness(),
                            f64::from(damping) * units.damping(),
                        ],
                    )
                });
                contacts.push(ContactState {
                    first: self.motions[index].id,
                    second,
                    spring: from_device([x, y, z], units.length),
                    rolling,
                    adaptive,
                    overlap,
                    normal_force: f64::from(force) * units.force(),
                    root_overlap: f64::from(f32::from_bits(root)) * units.length.sqrt(),
                });
            }
        }
        contacts
    }

    /// Overlap of two grains, m.
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    fn overlap(&self, grid: &Grid, a: usize, b: usize) -> f64 {
        let whole = grid.difference(self.position(grid, a), self.position(grid, b));
        let d = DVec3::from_array(whole.map(|x| x as f64)) + self.remainder(b) - self.remainder(a);
        let touching = f64::from(self.bodies[a].radius + self.bodies[b].radius);
        (touching * touching - d.length_squared()) / (touching + d.length()) * grid.unit
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    fn wall_overlap(&self, grid: &Grid, index: usize, face: &Face) -> f64 {
        let whole = DVec3::from_array(self.position(grid, index).map(|x| x as f64));
        let seen = face.approach_from(grid, whole, self.remainder(index));
        f64::from(self.bodies[index].radius) * grid.unit - seen.distance
    }

    /// Ids of the partners in the slots of the grain at `index`.
    pub(super) fn partners(&self, index: usize) -> Vec<u32> {
        let slots = self.starts[index] as usize..self.starts[index + 1] as usize;
        let id = |&[word, _]: &[u32; 2]| {
            let partner = word & SLOT_INDEX;
            if word & SLOT_WALL == 0 {
                self.motions[partner as usize].id
            } else {
                WALL + partner
            }
        };
        self.slots[slots].iter().map(id).collect()
    }

    /// The same without some grains, by place in memory, and without their contacts.
    pub(super) fn without(&self, gone: &[bool]) -> Self {
        let mut place = vec![u32::MAX; gone.len()];
        let mut kept = Self::default();
        for index in (0..gone.len()).filter(|&index| !gone[index]) {
            place[index] = index_word(kept.bodies.len());
            kept.bodies.push(self.bodies[index]);
            kept.motions.push(self.motions[index]);
            kept.accelerations.push(self.accelerations[index]);
        }
        kept.starts.push(0);
        for index in (0..gone.len()).filter(|&index| !gone[index]) {
            for slot in self.starts[index] as usize..self.starts[index + 1] as usize {
                let [word, root] = self.slots[slot];
                let mut moved = word;
                if word & SLOT_WALL == 0 {
                    let partner = place[(word & SLOT_INDEX) as usize];
                    if partner == u32::MAX {
                        continue;
                    }
                    moved = word & !SLOT_INDEX | partner;
                }
                kept.slots.push([moved, root]);
                kept.histories.push(self.histories[slot]);
                if let Some(extras) = self.extras.get(2 * slot..2 * slot + 2) {
                    kept.extras.extend(extras);
                }
            }
            kept.starts.push(index_word(kept.slots.len()));
        }
        kept
    }
}

/// A place in memory as a word.
#[allow(
    clippy::cast_possible_truncation,
    reason = "grains and slots are counted in u32"
)]
fn index_word(index: usize) -> u32 {
    index as u32
}
