//! Grains that lie on something.
//!
//! With the TC rule contact is kept by bounces that lose nothing and take up to `t_c` (Luding & McNamara,
//! 1998, section 4.2). A grain that lies still has none to begin with, and bounces that rounding or a
//! collapse left are as many in a second as they are short. Both are made bounces of half of `t_c`: the
//! support pushes, on average, with the weight, nothing is ever lost again, and the energy that this gives, at
//! most m (g `t_c`)²/32 a time, is booked as work.

use super::HardEngine;
use super::grain::Grain;
use super::predict::has_events;
use glam::DVec3;

/// Flights from a support to the next time that are too short to be followed, in `t_c`; a ball that comes to
/// rest on its own makes none below its restitution.
const TOO_SHORT: f64 = 1e-3;

/// What they are made, in `t_c`: within it beyond rounding.
const LEAST: f64 = 0.5;

/// Gaps that count as closed, in radii, when grains at rest are looked for.
const CLOSED: f64 = 1e-9;

/// The speed with which a grain leaves a support instead, m/s; `None`: as it does.
///
/// * `rebound` — speed with which it leaves, m/s
/// * `press` — acceleration towards the support, m/s²
/// * `contact_duration` — `t_c`, s; 0: nothing is carried
pub(super) fn least_rebound(rebound: f64, press: f64, contact_duration: f64) -> Option<f64> {
    let speed = |flight: f64| 0.5 * press * flight * contact_duration;
    (contact_duration > 0.0 && press > 0.0 && rebound < speed(TOO_SHORT)).then(|| speed(LEAST))
}

impl HardEngine {
    /// Ids of the grains that lie still on a wall or on a grain that is held: without `t_c` the run ends with a
    /// collapse at once.
    pub fn resting(&self) -> Vec<u32> {
        let mut ids = Vec::new();
        for grain in self.grains.iter().filter(|grain| has_events(grain)) {
            let mut grain = *grain;
            grain.advance(self.now, self.gravity);
            if self.lies_on_face(&grain) || self.lies_on_held(&grain) {
                ids.push(grain.id);
            }
        }
        ids.sort_unstable();
        ids
    }

    fn lies_on_face(&self, grain: &Grain) -> bool {
        let place = self.cells.centre(grain.cell) + grain.position;
        let faces = self.faces_of_cells.of(self.cells.index(grain.cell));
        faces.iter().any(|&index| {
            let face = &self.faces[usize::from(index)];
            let meeting = face.meeting(place, grain.radius, self.time());
            let press = (self.gravity - face.acceleration(self.time())).dot(meeting.normal);
            let rate = (grain.velocity - meeting.velocity).dot(meeting.normal);
            is_at_rest(meeting.gap, rate, press, grain.radius)
        })
    }

    fn lies_on_held(&self, grain: &Grain) -> bool {
        if !self.falls_on_held {
            return false;
        }
        let mut lies = false;
        self.paths.lines.visit(grain.cell, |position, other| {
            let other = &self.grains[other as usize];
            if other.fixed {
                let way: DVec3 = other.position - grain.position + self.cells.way(position);
                let normal = way / way.length();
                let gap = way.length() - grain.radius - other.radius;
                let (rate, press) = (grain.velocity.dot(normal), self.gravity.dot(normal));
                lies |= is_at_rest(gap, rate, press, grain.radius);
            }
        });
        lies
    }
}

/// Whether a grain is in contact with a support and gets no farther away from it.
fn is_at_rest(gap: f64, rate: f64, press: f64, radius: f64) -> bool {
    let closed = CLOSED * radius;
    gap <= closed && press > 0.0 && rate * rate <= 2.0 * press * closed
}
