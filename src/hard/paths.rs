//! Where grains go, in single precision: what a search reads of every grain nearby.
//!
//! A search looks at some twenty grains and needs one or two of them. Whether a grain can be hit at all,
//! and no sooner than when, is worked out for eight at a time from 32 bytes each, with bounds on what
//! rounding may have done. Only those that pass are looked at in double precision, so that no result
//! depends on this.
//!
//! Lengths are in cells and times in epochs, so that numbers are neither large nor small. All paths are
//! extrapolated to the start of the epoch: they need no time of their own, and where grains fall, their
//! common acceleration drops out of every difference.

use super::cells::Cells;
use super::grain::{Grain, Slot};
use super::lines::{Lines, Place};
use glam::DVec3;

/// How many grains ahead their lines are asked for at the start of an epoch: neighbours in the order of grains have lines that
/// are far apart.
const AHEAD: usize = 16;

#[derive(Debug, Clone)]
pub(super) struct Paths {
    pub(super) lines: Lines,
    cells_per_metre: f64,
    epochs_per_second: f64,
    /// Cells per epoch in a metre per second.
    speed_unit: f64,
    /// m/s²
    gravity: DVec3,
    /// Whether there is any.
    falls: bool,
    /// The velocity that grains gain in an epoch: sum of its components.
    weight: f32,
    /// Whether grains have different radii.
    unequal: bool,
}

/// The grain that looks for a partner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeker {
    /// Place now, less the fall since the start of the epoch.
    pub(super) place: [f32; 3],
    pub(super) velocity: [f32; 3],
    /// Sum of all velocities that rounding errors are in proportion to, but that of the other grain.
    pub(super) stir: f32,
    /// Its radius, if grains differ; else the distance of two centres at contact.
    pub(super) reach: f32,
    pub(super) now: f32,
}

impl Paths {
    pub(super) fn new(cells: &Cells, gravity: DVec3, equal_radii: bool) -> Self {
        Self {
            lines: Lines::new(cells, equal_radii),
            cells_per_metre: 1.0 / cells.unit(),
            epochs_per_second: 0.0,
            speed_unit: 0.0,
            gravity,
            falls: gravity != DVec3::ZERO,
            weight: 0.0,
            unequal: !equal_radii,
        }
    }

    /// Begins an epoch of `horizon` seconds.
    #[allow(clippy::cast_possible_truncation, reason = "a bound on errors")]
    pub(super) fn begin(&mut self, horizon: f64, grains: &[Grain]) {
        self.epochs_per_second = 1.0 / horizon;
        self.speed_unit = self.cells_per_metre * horizon;
        let gained = self.gravity * (self.cells_per_metre * horizon * horizon);
        self.weight = gained.abs().element_sum() as f32;
        for (slot, grain) in (0..).zip(grains) {
            if let Some(later) = grains.get(slot as usize + AHEAD) {
                self.lines.fetch(later.cell);
            }
            if !grain.removed {
                let place = self.lines.locate(grain.cell, slot);
                self.set(place, grain);
                self.set_collision(place, grain.collision);
            }
        }
    }

    /// Puts a grain into a cell.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the error is accounted for"
    )]
    #[inline(always)]
    pub(super) fn insert(&mut self, cell: [u16; 3], slot: Slot, grain: &Grain) -> Place {
        let radius = (grain.radius * self.cells_per_metre) as f32;
        self.lines.insert(cell, slot, radius)
    }

    /// The path at the start of the epoch of something at a place at a time, in cells and epochs.
    #[inline(always)]
    fn straight(&self, grain: &Grain, elapsed: f64) -> (DVec3, DVec3) {
        if !self.falls {
            let place = grain.position - grain.velocity * elapsed;
            return (
                place * self.cells_per_metre,
                grain.velocity * self.speed_unit,
            );
        }
        let fall = if grain.fixed {
            DVec3::ZERO
        } else {
            self.gravity
        };
        let velocity = grain.velocity - fall * grain.time;
        // Without the fall since the start: p(t) − ½ g t² = p₀ + v₀ t.
        let place = grain.position - (0.5 * grain.time * grain.time) * fall - velocity * elapsed;
        (place * self.cells_per_metre, velocity * self.speed_unit)
    }

    /// Notes the path of a grain.
    #[inline(always)]
    pub(super) fn set(&mut self, place: Place, grain: &Grain) {
        let (start, velocity) = self.straight(grain, grain.time);
        let path = self.lines.path_mut(place);
        path.place = start.as_vec3().to_array();
        path.velocity = velocity.as_vec3().to_array();
    }

    /// Notes when a grain hits its partner.
    #[inline(always)]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the error is accounted for"
    )]
    pub(super) fn set_collision(&mut self, place: Place, time: f64) {
        self.lines.path_mut(place).collision = (time * self.epochs_per_second) as f32;
    }

    /// Whether grains have different radii.
    #[inline]
    pub(super) fn are_unequal(&self) -> bool {
        self.unequal
    }

    /// A time from now in epochs.
    #[inline(always)]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the error is accounted for"
    )]
    pub(super) fn wait(&self, seconds: f64) -> f32 {
        (seconds * self.epochs_per_second) as f32
    }

    /// A grain that is up to date and looks for a partner.
    #[inline(always)]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the error is accounted for"
    )]
    pub(super) fn seeker(&self, grain: &Grain) -> Seeker {
        let (place, velocity) = self.straight(grain, 0.0);
        let radii = if self.unequal { 1.0 } else { 2.0 };
        Seeker {
            place: place.as_vec3().to_array(),
            velocity: velocity.as_vec3().to_array(),
            stir: 2.0 + self.weight + velocity.abs().element_sum() as f32,
            reach: (radii * grain.radius * self.cells_per_metre) as f32,
            now: self.wait(grain.time),
        }
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.lines.bytes()
    }
}
