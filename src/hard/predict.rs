//! What a grain does next: whom it hits, when it leaves its cell.
//!
//! A grain keeps the earliest collision that it found, and is looked at again no later than that. So it
//! need not note a collision with a partner that is looked at before: the partner will find it then.
//! Of every two grains in neighbouring cells, one therefore always has an event no later than their
//! collision, and none is missed.

use super::HardEngine;
use super::cells::{Around, Nearby};
use super::grain::{Grain, NONE, PackedPartner, Slot};
use super::lanes::{AnyLanes, Lanes, Processor, WIDTH};
#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2Lanes, Avx512Lanes};
use super::roots::{Closing, closing_time, first_closing};
use super::walls::{FaceIndex, Flight, approach_time};
use crate::cpu::fetch::fetch;
use glam::DVec3;

/// The earliest collision found so far.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    time: f64,
    partner: PackedPartner,
    count: u32,
}

/// Grains that may be hit: no sooner than when, and which way leads to their cell.
#[derive(Debug)]
struct Aside {
    count: usize,
    grains: [(f32, Slot, u32); Self::MOST],
}

impl Aside {
    /// Room for two batches.
    const MOST: usize = 2 * WIDTH;

    fn new() -> Self {
        Self {
            count: 0,
            grains: [(0.0, NONE, 0); Self::MOST],
        }
    }

    fn has_room(&self) -> bool {
        self.count + WIDTH <= Self::MOST
    }

    #[inline]
    fn put(&mut self, earliest: f32, slot: Slot, step: u32) {
        self.grains[self.count] = (earliest, slot, step);
        self.count += 1;
    }

    /// Takes out the grain that may be hit first.
    #[inline]
    fn take_first(&mut self) -> Option<(f32, Slot, u32)> {
        let grains = &self.grains[..self.count];
        let mut first = 0;
        for (index, grain) in grains.iter().enumerate() {
            if grain.0 < grains[first].0 {
                first = index;
            }
        }
        let taken = *grains.get(first)?;
        self.count -= 1;
        self.grains[first] = self.grains[self.count];
        Some(taken)
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
        // A grain does not find itself.
        self.paths.set_collision(slot, f64::NEG_INFINITY);
        let found = self.first_partner(slot, around, known);
        let found = self.first_face(slot, touching, found);
        let grain = &mut self.grains[slot as usize];
        grain.collision = found.time;
        grain.partner = found.partner;
        grain.partner_count = found.count;
        self.paths.set_collision(slot, found.time);
    }

    /// The first grain that this one hits.
    fn first_partner(&self, slot: Slot, around: Around, known: Candidate) -> Candidate {
        if self.falls_on_held {
            return self.first_of_all(slot, around, known);
        }
        match Processor::here() {
            // SAFETY: the processor has it.
            #[cfg(target_arch = "x86_64")]
            Processor::Avx512 => unsafe { self.first_sifted_avx512(slot, around, known) },
            #[cfg(target_arch = "x86_64")]
            Processor::Avx2 => unsafe { self.first_sifted_avx2(slot, around, known) },
            Processor::Any => self.first_sifted::<AnyLanes>(slot, around, known),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,popcnt,bmi1")]
    fn first_sifted_avx512(&self, slot: Slot, around: Around, known: Candidate) -> Candidate {
        self.first_sifted::<Avx512Lanes>(slot, around, known)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn first_sifted_avx2(&self, slot: Slot, around: Around, known: Candidate) -> Candidate {
        self.first_sifted::<Avx2Lanes>(slot, around, known)
    }

    /// The first grain that this one hits: all nearby are sifted, and what is left is worked out.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    fn first_sifted<L: Lanes>(&self, slot: Slot, around: Around, known: Candidate) -> Candidate {
        let grain = &self.grains[slot as usize];
        let seeker = self.paths.seeker(slot, grain);
        let ways = self.cells.ways(around);
        let mut nearby = Nearby::new();
        self.cells.list::<L>(grain.cell, around, &mut nearby);
        let mut best = known;
        let mut aside = Aside::new();
        loop {
            for batch in nearby.batches(slot) {
                let limit = self.paths.wait(best.time - grain.time);
                let earliest = self.paths.sift::<L>(&seeker, &batch, ways, limit);
                let mut left = L::are_finite(&earliest);
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    // All of them at once, and then one after the other.
                    fetch(&self.grains[batch.slots[lane] as usize]);
                    aside.put(earliest[lane], batch.slots[lane], batch.steps[lane]);
                }
                if !aside.has_room() {
                    best = self.earliest(slot, around, &mut aside, best);
                }
            }
            best = self.earliest(slot, around, &mut aside, best);
            if !nearby.follow_chains(&self.paths) {
                return best;
            }
        }
    }

    /// The earliest collision with one of the grains put aside, if before `best`.
    #[inline]
    fn earliest(
        &self,
        slot: Slot,
        around: Around,
        aside: &mut Aside,
        mut best: Candidate,
    ) -> Candidate {
        let grain = &self.grains[slot as usize];
        let steps = self.cells.steps(around);
        while let Some((earliest, other, step)) = aside.take_first() {
            if earliest > self.paths.wait(best.time - grain.time) {
                break;
            }
            let way = steps[step as usize].way;
            let time = self.time_of_contact(grain, other, way);
            best = self.earlier(slot, best, other, time);
        }
        aside.count = 0;
        best
    }

    /// The first grain that this one hits, where all nearby have to be worked out.
    fn first_of_all(&self, slot: Slot, around: Around, known: Candidate) -> Candidate {
        let grain = &self.grains[slot as usize];
        let steps = self.cells.steps(around);
        let mut best = known;
        self.cells
            .visit_grains(&self.paths, grain.cell, around, |step, other| {
                if other != slot && self.grains[other as usize].fixed {
                    let way = steps[usize::from(step)].way;
                    match self.fall_onto(grain, other, way) {
                        Closing::At(wait) => {
                            best = self.earlier(slot, best, other, grain.time + wait);
                        }
                        Closing::NotBefore(wait) if grain.time + wait < best.time => {
                            best = Candidate {
                                time: grain.time + wait,
                                partner: PackedPartner::NOBODY,
                                count: 0,
                            };
                        }
                        Closing::NotBefore(_) => {}
                    }
                } else if other != slot {
                    let way = steps[usize::from(step)].way;
                    let time = self.time_of_contact(grain, other, way);
                    best = self.earlier(slot, best, other, time);
                }
            });
        best
    }

    /// When a grain that is up to date hits another, s of the epoch; infinite if it does not.
    #[inline]
    fn time_of_contact(&self, grain: &Grain, other: Slot, way: DVec3) -> f64 {
        let now = grain.time;
        let partner = &self.grains[other as usize];
        let elapsed = now - partner.time;
        let gained = if partner.fixed {
            DVec3::ZERO
        } else {
            self.gravity * elapsed
        };
        let way = partner.position - grain.position + way;
        let apart = way + (partner.velocity + 0.5 * gained) * elapsed;
        let closing = partner.velocity - grain.velocity + gained;
        let contact = grain.radius + partner.radius;
        let contact = contact * contact;
        let b = apart.dot(closing);
        let c = apart.length_squared() - contact;
        now + approach_time(b, closing.length_squared(), contact, c)
    }

    /// When a grain that is up to date falls onto one that is held, s from its time.
    fn fall_onto(&self, grain: &Grain, held: Slot, way: DVec3) -> Closing {
        let held = &self.grains[held as usize];
        let fall = Fall {
            apart: held.position - grain.position + way,
            closing: held.velocity - grain.velocity,
            acceleration: -self.gravity,
            contact: grain.radius + held.radius,
            end: grain.crossing - grain.time,
        };
        fall.time_to_contact()
    }

    #[inline]
    fn earlier(&self, seeker: Slot, best: Candidate, slot: Slot, time: f64) -> Candidate {
        if time > best.time {
            return best;
        }
        let partner = &self.grains[slot as usize];
        if time > partner.collision || (time == best.time && !self.precedes(slot, best.partner)) {
            return best;
        }
        if time == partner.collision && !self.is_before(seeker, slot) {
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
                self.grains[slot as usize].id < self.grains[other as usize].id
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
            let closing = face.time_to_contact(&flight, touches, self.epoch + grain.time, end);
            let (wait, partner) = match closing {
                Closing::At(wait) => (wait, PackedPartner::face(index)),
                Closing::NotBefore(wait) => (wait, PackedPartner::NOBODY),
            };
            let time = grain.time + wait;
            if time < best.time {
                best = Candidate {
                    time,
                    partner,
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
    fn time_to_contact(&self) -> Closing {
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
