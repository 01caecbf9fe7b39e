//! One grain as the engine holds it: two cache lines.

use super::walls::FaceIndex;
use glam::DVec3;

/// Index of a grain in the engine's order, which follows the cells and changes now and then.
pub(super) type Slot = u32;

/// No grain.
pub(super) const NONE: Slot = u32::MAX;

/// Partners from here on are faces of walls.
const FIRST_FACE: u32 = 0x8000_0000;

/// Whom a grain will hit, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Partner {
    Nobody,
    Grain(Slot),
    Face(FaceIndex),
}

/// A partner in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct PackedPartner(pub(super) u32);

impl PackedPartner {
    pub(super) const NOBODY: Self = Self(NONE);

    #[inline]
    pub(super) fn grain(slot: Slot) -> Self {
        Self(slot)
    }

    #[inline]
    pub(super) fn face(face: FaceIndex) -> Self {
        Self(FIRST_FACE | u32::from(face))
    }

    #[inline]
    pub(super) fn unpack(self) -> Partner {
        match self.0 {
            NONE => Partner::Nobody,
            #[allow(
                clippy::cast_possible_truncation,
                reason = "faces are numbered in 16 bits"
            )]
            packed if packed >= FIRST_FACE => Partner::Face(packed as FaceIndex),
            slot => Partner::Grain(slot),
        }
    }
}

/// A grain. Searches for partners of others read its first line, if its [`Path`](super::lines::Path) does not tell
/// them that it is not hit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Grain {
    /// Position at `time`, m, from the centre of its cell: its accuracy does not depend on the domain.
    pub(super) position: DVec3,
    /// Velocity at `time`, m/s.
    pub(super) velocity: DVec3,
    /// When it was last brought up to date, s of the epoch.
    pub(super) time: f64,
    /// When it will hit its partner, s of the epoch; it is looked at again no later than that.
    pub(super) collision: f64,

    /// When something happens to it next, s of the epoch: it collides, or it leaves its cell before. Here, so that whether an
    /// event of the queue still holds is read from one line.
    pub(super) event: f64,
    /// When it last collided, s of the epoch; −∞ if never.
    pub(super) last_collision: f64,
    /// Radius, m.
    pub(super) radius: f64,
    /// Mass, kg.
    pub(super) mass: f64,
    /// Its number in the scene, from 0: ties are broken by it, so that the order in memory does not matter.
    pub(super) id: u32,
    pub(super) partner: PackedPartner,
    /// `count` of the partner when the collision was found: if it differs, so does the partner's path.
    pub(super) partner_count: u32,
    /// Collisions so far, modulo 2³².
    pub(super) count: u32,
    pub(super) cell: [u16; 3],
    pub(super) material: u16,
    /// Collisions in a row that followed each other too fast to be told apart.
    pub(super) rapid: u16,
    /// Side of the cell through which it leaves: 2 × axis, + 1 if upwards.
    pub(super) exit: u8,
    /// Held in place: it moves under no collision and no gravity.
    pub(super) fixed: bool,
    /// Whether it left the domain.
    pub(super) removed: bool,
    /// Whether it leaves its cell before it collides.
    pub(super) leaves: bool,
}

const _: () = assert!(size_of::<Grain>() == 128);

impl Grain {
    /// Position and velocity at `time`, s of the epoch.
    #[inline]
    pub(super) fn at(&self, time: f64, gravity: DVec3) -> (DVec3, DVec3) {
        let elapsed = time - self.time;
        if self.fixed {
            return (self.position, self.velocity);
        }
        let gained = gravity * elapsed;
        (
            self.position + (self.velocity + 0.5 * gained) * elapsed,
            self.velocity + gained,
        )
    }

    /// Brings it up to date.
    #[inline]
    pub(super) fn advance(&mut self, time: f64, gravity: DVec3) {
        (self.position, self.velocity) = self.at(time, gravity);
        self.time = time;
    }

    /// Moves the origin of time by `shift`.
    pub(super) fn shift_time(&mut self, shift: f64) {
        self.time -= shift;
        self.collision -= shift;
        self.event -= shift;
        self.last_collision -= shift;
    }
}

/// A grain for tests: at rest in the first cell, without a radius or anything to do.
#[cfg(test)]
pub(super) const AT_REST: Grain = Grain {
    position: DVec3::ZERO,
    velocity: DVec3::ZERO,
    time: 0.0,
    collision: f64::INFINITY,
    event: f64::INFINITY,
    last_collision: f64::NEG_INFINITY,
    radius: 0.0,
    mass: 1.0,
    id: 0,
    partner: PackedPartner::NOBODY,
    partner_count: 0,
    count: 0,
    cell: [0; 3],
    material: 0,
    rapid: 0,
    exit: 0,
    fixed: false,
    removed: false,
    leaves: false,
};
