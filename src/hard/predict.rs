//! What a grain does next: whom it hits, when it leaves its cell.
//!
//! A grain keeps the earliest collision that it found, and is looked at again no later than that. So it
//! need not note a collision with a partner that is looked at before: the partner will find it then.
//! Of every two grains in neighbouring cells, one therefore always has an event no later than their
//! collision, and none is missed.

use super::HardEngine;
use super::cells::Around;
use super::grain::{Grain, NONE, PackedPartner, Slot};
use super::roots::{closing_time, first_closing};
use super::walls::{FaceIndex, Flight, approach_time};
use glam::DVec3;

/// The earliest collision found so far.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    time: f64,
    partner: PackedPartner,
    count: u32,
}

/// Grains that approach another one closely enough to hit it.
#[derive(Debug)]
struct Approaching {
    count: usize,
    slots: [Slot; Self::MOST + 1],
    numbers: [[f64; 4]; Self::MOST + 1],
}

impl Default for Approaching {
    fn default() -> Self {
        Self {
            count: 0,
            slots: [NONE; Self::MOST + 1],
            numbers: [[0.0; 4]; Self::MOST + 1],
        }
    }
}

impl Approaching {
    const MOST: usize = 15;

    /// Puts a grain aside if it `may` hit.
    #[inline]
    fn put(&mut self, slot: Slot, numbers: [f64; 4], may: bool) {
        self.slots[self.count] = slot;
        self.numbers[self.count] = numbers;
        self.count += usize::from(may);
    }
}

impl HardEngine {
    /// Finds the next events of a grain whose path is new, or whose partner's is.
    pub(super) fn predict(&mut self, slot: Slot) {
        self.predict_from(slot, None);
    }

    /// The same for a grain that has just hit a face.
    pub(super) fn predict_from(&mut self, slot: Slot, touching: Option<FaceIndex>) {
        self.predict_crossing(slot);
        let nothing = Candidate {
            time: f64::INFINITY,
            partner: PackedPartner::NOBODY,
            count: 0,
        };
        self.search(slot, Around::All, touching, nothing);
    }

    /// Finds the next events of a grain that entered its cell; its path, and so what it knows, is old.
    pub(super) fn predict_beyond(&mut self, slot: Slot, side: usize) {
        self.predict_crossing(slot);
        let grain = &self.grains[slot as usize];
        let known = Candidate {
            time: grain.collision,
            partner: grain.partner,
            count: grain.partner_count,
        };
        // The parabola of a fall onto a grain that is held was only followed up to the crossing.
        let around = if self.falls_on_held {
            Around::All
        } else {
            Around::Beyond(side)
        };
        self.search(slot, around, None, known);
    }

    fn search(
        &mut self,
        slot: Slot,
        around: Around,
        touching: Option<FaceIndex>,
        known: Candidate,
    ) {
        let found = match (self.gravity == DVec3::ZERO, self.equal_radii) {
            (true, true) => self.first_partner::<false, true>(slot, around, known),
            (true, false) => self.first_partner::<false, false>(slot, around, known),
            (false, true) => self.first_partner::<true, true>(slot, around, known),
            (false, false) => self.first_partner::<true, false>(slot, around, known),
        };
        let found = self.first_face(slot, touching, found);
        let grain = &mut self.grains[slot as usize];
        grain.collision = found.time;
        grain.partner = found.partner;
        grain.partner_count = found.count;
    }

    /// The first grain that this one hits. With `GRAVITY` they fall, with `EQUAL` all are equally large.
    ///
    /// Whether a grain approaches is a coin toss that no processor guesses, so that there is nothing to
    /// guess: every grain nearby is worked out, and those that may collide are put aside.
    fn first_partner<const GRAVITY: bool, const EQUAL: bool>(
        &self,
        slot: Slot,
        around: Around,
        known: Candidate,
    ) -> Candidate {
        let grain = &self.grains[slot as usize];
        let now = grain.time;
        let (position, velocity, radius) = (grain.position, grain.velocity, grain.radius);
        let mut best = known;
        let mut nearby = self.cells.nearby(grain.cell, around);
        let steps = self.cells.steps(around);
        let contact = 4.0 * radius * radius;
        let mut approaching = Approaching::default();
        let mut open = nearby.count;
        // Rounds over the cells: the first grain of each, the second …
        while open > 0 {
            let mut left = 0;
            for cell in 0..open {
                let (other, step) = (nearby.heads[cell], nearby.steps[cell]);
                let way = steps[usize::from(step)].way;
                let partner = &self.grains[other as usize];
                let elapsed = now - partner.time;
                let mut apart = partner.position - position + way;
                let mut closing = partner.velocity - velocity;
                if GRAVITY && !partner.fixed {
                    let gained = self.gravity * elapsed;
                    apart += (partner.velocity + 0.5 * gained) * elapsed;
                    closing += gained;
                } else {
                    apart += partner.velocity * elapsed;
                }
                let contact = if EQUAL {
                    contact
                } else {
                    let sum = radius + partner.radius;
                    sum * sum
                };
                let b = apart.dot(closing);
                let c = apart.length_squared() - contact;
                let speed = closing.length_squared();
                if GRAVITY && partner.fixed {
                    if other != slot {
                        let fall = Fall {
                            apart,
                            closing,
                            acceleration: -self.gravity,
                            contact: contact.sqrt(),
                            end: grain.crossing - now,
                        };
                        let time = now + fall.time_to_contact();
                        best = self.earlier(best, other, time);
                    }
                } else {
                    let may = (b < 0.0) & (b * b > speed * c);
                    approaching.put(other, [b, speed, contact, c], may);
                    if approaching.count == Approaching::MOST {
                        best = self.earliest(&mut approaching, now, best);
                    }
                }
                nearby.heads[left] = partner.next;
                nearby.steps[left] = step;
                left += usize::from(partner.next != NONE);
            }
            open = left;
        }
        self.earliest(&mut approaching, now, best)
    }

    /// The earliest collision with one of the grains put aside, if before `best`.
    fn earliest(&self, approaching: &mut Approaching, now: f64, mut best: Candidate) -> Candidate {
        for index in 0..approaching.count {
            let [b, speed, contact, c] = approaching.numbers[index];
            let time = now + approach_time(b, speed, contact, c);
            best = self.earlier(best, approaching.slots[index], time);
        }
        approaching.count = 0;
        best
    }

    #[inline]
    fn earlier(&self, best: Candidate, slot: Slot, time: f64) -> Candidate {
        if time > best.time {
            return best;
        }
        let partner = &self.grains[slot as usize];
        if time >= partner.collision || (time == best.time && !self.precedes(slot, best.partner)) {
            return best;
        }
        Candidate {
            time,
            partner: PackedPartner::grain(slot),
            count: partner.count,
        }
    }

    /// Order of simultaneous collisions: grains by id, then walls.
    fn precedes(&self, slot: Slot, than: PackedPartner) -> bool {
        match than.unpack() {
            super::grain::Partner::Grain(other) => {
                self.ids[slot as usize] < self.ids[other as usize]
            }
            _ => true,
        }
    }

    /// The first face that the grain hits, if before what is known.
    fn first_face(&self, slot: Slot, touching: Option<FaceIndex>, known: Candidate) -> Candidate {
        let grain = &self.grains[slot as usize];
        let faces = self.faces_of_cells.of(self.cells.index(grain.cell));
        if faces.is_empty() {
            return known;
        }
        let mut best = known;
        let flight = Flight {
            position: self.cells.centre(grain.cell) + grain.position,
            velocity: grain.velocity,
            acceleration: self.gravity,
            radius: grain.radius,
        };
        let end = grain.crossing.min(best.time) - grain.time;
        for &index in faces {
            let face = &self.faces[usize::from(index)];
            let touches = touching == Some(index);
            let wait = face.time_to_contact(&flight, touches, self.epoch + grain.time, end);
            let time = grain.time + wait;
            if time < best.time {
                best = Candidate {
                    time,
                    partner: PackedPartner::face(index),
                    count: 0,
                };
            }
        }
        best
    }

    /// Finds when the grain leaves its cell, and through which side.
    fn predict_crossing(&mut self, slot: Slot) {
        let grain = &mut self.grains[slot as usize];
        let (mut first, mut exit) = (f64::INFINITY, 0);
        let half = 0.5 * self.cells.size;
        for axis in 0..self.dimensions {
            let (x, v, a) = (
                grain.position[axis],
                grain.velocity[axis],
                self.gravity[axis],
            );
            // The way to either side is a gap that closes.
            if v < 0.0 || a < 0.0 {
                let time = closing_time(x + half[axis], v, a);
                if time < first {
                    (first, exit) = (time, 2 * axis);
                }
            }
            if v > 0.0 || a > 0.0 {
                let time = closing_time(half[axis] - x, -v, -a);
                if time < first {
                    (first, exit) = (time, 2 * axis + 1);
                }
            }
        }
        grain.crossing = grain.time + first;
        #[allow(clippy::cast_possible_truncation, reason = "at most 5")]
        {
            grain.exit = exit as u8;
        }
    }
}

/// A grain falling onto one that is held: their separation is a parabola.
struct Fall {
    apart: DVec3,
    closing: DVec3,
    acceleration: DVec3,
    contact: f64,
    end: f64,
}

impl Fall {
    fn time_to_contact(&self) -> f64 {
        let gap = |t: f64| {
            let apart = self.apart + (self.closing + 0.5 * self.acceleration * t) * t;
            let closing = self.closing + self.acceleration * t;
            let distance = apart.length();
            (
                0.5 * (distance - self.contact) * (distance + self.contact) / self.contact,
                apart.dot(closing) / self.contact,
            )
        };
        let fastest = self.closing.length() + self.acceleration.length() * self.end;
        let farthest = self.apart.length() + fastest * self.end;
        let bend = (fastest * fastest + farthest * self.acceleration.length()) / self.contact;
        first_closing(gap, bend, CLOSED * self.contact, 0.0, self.end)
    }
}

/// Gaps below this fraction of the contact distance are closed.
const CLOSED: f64 = 1e-14;

/// The grain that holds the event of a pair is always one that can move.
pub(super) fn has_events(grain: &Grain) -> bool {
    !grain.fixed && !grain.removed
}
