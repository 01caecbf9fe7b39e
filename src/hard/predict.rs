//! What a grain does next: whom it hits, when it leaves its cell.
//!
//! A grain keeps the earliest collision that it found, and is looked at again no later than that. So it
//! need not note a collision with a partner that is looked at before: the partner will find it then.
//! Of every two grains in neighbouring cells, one therefore always has an event no later than their
//! collision, and none is missed.

use super::HardEngine;
use super::grain::{Grain, PackedPartner, Slot};
#[cfg(target_arch = "x86_64")]
use super::lanes::Avx2Lanes;
use super::lanes::{AnyLanes, ContactTimes, EXACT, FreeFlight, Lanes, Others, Suspects, WIDTH};
use super::nearby::Nearby;
use super::occupancy::Around;
use super::roots::{Closing, first_closing};
use super::walls::{FaceIndex, Flight, approach_time};
use crate::cpu::processor::Processor;
use glam::DVec3;

/// The earliest collision found so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    time: f64,
    partner: PackedPartner,
    count: u32,
}

const NOBODY: Candidate = Candidate {
    time: f64::INFINITY,
    partner: PackedPartner::NOBODY,
    count: 0,
};

impl HardEngine {
    /// Finds the next events of a grain whose path is new, or whose partner's is.
    pub(super) fn predict(&mut self, slot: Slot) {
        self.predict_from(slot, None);
    }

    /// The same for a grain that has just hit a face.
    pub(super) fn predict_from(&mut self, slot: Slot, touching: Option<FaceIndex>) {
        self.predict_crossing(slot);
        self.look_ahead();
        let found = if self.falls_on_held {
            self.first_of_all(slot, NOBODY)
        } else {
            self.first_nearby(slot)
        };
        self.note(slot, touching, found);
    }

    /// The same for two grains that have just collided, as far as they move.
    #[inline(always)]
    pub(super) fn predict_both<L: Lanes>(&mut self, slots: [Slot; 2]) {
        let [one, other] = slots;
        let move_freely = [one, other].map(|slot| has_events(&self.grains[slot as usize]));
        if self.falls_on_held || move_freely.contains(&false) {
            for (slot, moves) in slots.into_iter().zip(move_freely) {
                if moves {
                    self.predict(slot);
                }
            }
            return;
        }
        let nearby = self.look_around(one, Around::ALL);
        let nearby_other = self.look_around(other, Around::ALL);
        // Sifting waits for eight rows at a time. Those around the partner were not asked for ahead, nor those around a cell that
        // a grain has just entered: so they are on their way together.
        self.fetch_lines(&nearby);
        self.fetch_lines(&nearby_other);
        // While the suspects of one are on their way from memory, those of the other are looked for.
        let (mut suspects_of_one, mut suspects_of_other) = (Suspects::new(), Suspects::new());
        let best_of_one = L::suspects(self, one, nearby, NOBODY, &mut suspects_of_one);
        let best_of_other = L::suspects(self, other, nearby_other, NOBODY, &mut suspects_of_other);
        self.predict_crossing(one);
        self.predict_crossing(other);
        self.look_ahead();
        let found = L::first_suspect(self, one, &mut suspects_of_one, best_of_one);
        self.note(one, None, found);
        let found = if suspects_of_other.overflowed {
            // Some were worked out before it was known when the first one collides.
            self.first_nearby(other)
        } else {
            L::first_suspect(self, other, &mut suspects_of_other, best_of_other)
        };
        self.note(other, None, found);
    }

    /// Finds the next events of a grain that entered its cell; its path, and so what it knows, is old.
    #[inline(always)]
    pub(super) fn predict_beyond<L: Lanes>(&mut self, slot: Slot, side: usize) {
        self.predict_crossing(slot);
        let grain = &self.grains[slot as usize];
        let known = Candidate {
            time: grain.collision,
            partner: grain.partner,
            count: grain.partner_count,
        };
        let found = if self.falls_on_held {
            // The parabola of a fall onto a grain that is held was only followed up to the crossing.
            self.first_of_all(slot, known)
        } else {
            let mut suspects = Suspects::new();
            let nearby = self.look_around(slot, Around::beyond(side));
            let best = L::suspects(self, slot, nearby, known, &mut suspects);
            self.look_ahead();
            L::first_suspect(self, slot, &mut suspects, best)
        };
        self.note(slot, None, found);
    }

    /// The first grain that a grain hits.
    fn first_nearby(&self, slot: Slot) -> Candidate {
        match Processor::here() {
            #[cfg(target_arch = "x86_64")]
            Processor::Avx512 | Processor::Avx2 => self.first_nearby_with::<Avx2Lanes>(slot),
            Processor::Any => self.first_nearby_with::<AnyLanes>(slot),
        }
    }

    #[inline(always)]
    fn first_nearby_with<L: Lanes>(&self, slot: Slot) -> Candidate {
        let mut suspects = Suspects::new();
        let nearby = self.look_around(slot, Around::ALL);
        let best = L::suspects(self, slot, nearby, NOBODY, &mut suspects);
        L::first_suspect(self, slot, &mut suspects, best)
    }

    /// The rows around a grain.
    #[inline(always)]
    fn look_around(&self, slot: Slot, around: Around) -> Nearby<'_> {
        let cell = self.grains[slot as usize].cell;
        Nearby::look(&self.paths.lines, cell, around)
    }

    /// Notes what a grain will hit: what was found, unless it hits a face before.
    #[inline(always)]
    fn note(&mut self, slot: Slot, touching: Option<FaceIndex>, found: Candidate) {
        let found = if self.faces.is_empty() {
            found
        } else {
            self.first_face(slot, touching, found)
        };
        let grain = &mut self.grains[slot as usize];
        grain.collision = found.time;
        grain.partner = found.partner;
        grain.partner_count = found.count;
        grain.leaves = grain.event < found.time;
        grain.event = grain.event.min(found.time);
        let place = self.paths.lines.locate(grain.cell, slot);
        self.paths.set_collision(place, found.time);
    }

    /// Sifts the grains nearby: those that a grain may hit are put aside. Returns the first hit that is
    /// known, which changes if there are more than can be put aside.
    #[inline(always)]
    pub(super) fn suspects_with<L: Lanes>(
        &self,
        slot: Slot,
        mut nearby: Nearby<'_>,
        known: Candidate,
        suspects: &mut Suspects,
    ) -> Candidate {
        let grain = &self.grains[slot as usize];
        let lines = &self.paths.lines;
        let ways = self.cells.short_ways();
        nearby.leave_out(slot);
        let seeker = self.paths.seeker(grain);
        let limit = self.paths.wait(known.time - grain.time);
        let mut best = known;
        let mut kept = 0;
        while nearby.left() != 0 {
            let left = nearby.left();
            let lanes = L::sift(lines, &nearby.next(), ways, &seeker, limit);
            kept |= L::spread(lanes, left);
        }
        while kept != 0 {
            if !suspects.has_room() {
                best = L::first_suspect(self, slot, suspects, best);
                suspects.overflowed = true;
            }
            let position = kept.trailing_zeros();
            kept &= kept - 1;
            suspects.add(&self.grains, nearby.slot(position), position, slot);
        }
        while nearby.has_further() {
            let batch = nearby.next_further();
            let mut kept = L::sift(lines, &batch, ways, &seeker, limit);
            while kept != 0 {
                if !suspects.has_room() {
                    best = L::first_suspect(self, slot, suspects, best);
                    suspects.overflowed = true;
                }
                let lane = kept.trailing_zeros() as usize % WIDTH;
                kept &= kept - 1;
                let other = lines.slot(batch.rows[lane]);
                suspects.add(&self.grains, other, batch.positions[lane], slot);
            }
        }
        best
    }

    /// The first of the suspects that a grain hits, if before what is known.
    #[inline(always)]
    pub(super) fn first_suspect_with<L: Lanes>(
        &self,
        slot: Slot,
        suspects: &mut Suspects,
        known: Candidate,
    ) -> Candidate {
        let grain = &self.grains[slot as usize];
        let mut best = known;
        let count = std::mem::take(&mut suspects.count);
        if count == 1 {
            let (other, way) = (suspects.slots[0], self.cells.way(suspects.positions[0]));
            let time = self.time_of_contact(grain, other, way);
            return if time < f64::INFINITY {
                self.earlier(slot, best, other, time)
            } else {
                best
            };
        }
        // A grain does not hit itself.
        suspects.slots[count..][..EXACT].fill(slot);
        let slots = suspects.slots.as_chunks::<EXACT>().0.iter();
        let positions = suspects.positions.as_chunks::<EXACT>().0.iter();
        let mut left = count;
        for (slots, positions) in slots.zip(positions) {
            if left == 0 {
                break;
            }
            let [times, collisions] = self.contact_times::<L>(grain, slots, positions);
            left = left.saturating_sub(EXACT);
            // The first that is hit no later than it hits another.
            let (mut time, mut lane, mut equals) = (f64::INFINITY, 0, false);
            for l in 0..EXACT {
                let valid = (times[l] <= collisions[l]) & (times[l] < f64::INFINITY);
                equals |= valid & (times[l] == time);
                let first = valid & (times[l] < time);
                lane = if first { l } else { lane };
                time = if first { times[l] } else { time };
            }
            if time > best.time || time == f64::INFINITY {
                continue;
            }
            if equals || time == best.time || time == collisions[lane] {
                for (&other, &time) in slots.iter().zip(&times) {
                    if time < f64::INFINITY {
                        best = self.earlier(slot, best, other, time);
                    }
                }
                continue;
            }
            best = Candidate {
                time,
                partner: PackedPartner::grain(slots[lane]),
                count: self.grains[slots[lane] as usize].count,
            };
        }
        best
    }

    /// When a grain that is up to date hits some others, none of which is held where grains fall.
    #[inline(always)]
    fn contact_times<L: Lanes>(
        &self,
        grain: &Grain,
        slots: &[Slot; EXACT],
        positions: &[u32; EXACT],
    ) -> ContactTimes {
        let mut others = Others {
            slots,
            ways: [[0.0; EXACT]; 3],
            contacts: [grain.radius + grain.radius; EXACT],
        };
        for lane in 0..EXACT {
            let way = self.cells.way(positions[lane]);
            for axis in 0..3 {
                others.ways[axis][lane] = way[axis];
            }
        }
        if self.paths.are_unequal() {
            for lane in 0..EXACT {
                let radius = self.grains[slots[lane] as usize].radius;
                others.contacts[lane] = grain.radius + radius;
            }
        }
        let flight = FreeFlight {
            grain,
            gravity: self.gravity,
        };
        L::contact_times(&flight, &self.grains, &others)
    }

    /// The first grain that this one hits, where all nearby have to be worked out.
    fn first_of_all(&self, slot: Slot, known: Candidate) -> Candidate {
        let grain = &self.grains[slot as usize];
        let mut best = known;
        self.paths.lines.visit(grain.cell, |position, other| {
            if other != slot && self.grains[other as usize].fixed {
                let way = self.cells.way(position);
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
                let way = self.cells.way(position);
                let time = self.time_of_contact(grain, other, way);
                best = self.earlier(slot, best, other, time);
            }
        });
        best
    }

    /// When a grain that is up to date hits another, s of the epoch; infinite if it does not.
    #[inline(always)]
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
            end: grain.event - grain.time,
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
    #[inline]
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
        let end = grain.event.min(best.time) - grain.time;
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
    #[inline(always)]
    fn predict_crossing(&mut self, slot: Slot) {
        let grain = &mut self.grains[slot as usize];
        let (wait, exit) = if self.gravity == DVec3::ZERO {
            self.cells.straight_exit(grain)
        } else {
            self.cells.exit_of_fall(grain, self.gravity)
        };
        // Unless it collides before, which is not known yet.
        grain.event = grain.time + wait;
        grain.exit = exit;
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says what it expects")]
mod tests {
    use super::super::gas::FEW;

    #[test]
    fn a_grain_collides_or_leaves_its_cell_whichever_comes_first() {
        let mut engine = FEW.mixed(0, 1.0).unwrap();
        engine.run_events(f64::INFINITY, 300).unwrap();
        assert_eq!(engine.epochs, 0, "times have been rounded since");
        for grain in &engine.grains {
            let (wait, _) = engine.cells.straight_exit(grain);
            let leaving = grain.time + wait;
            assert_eq!(grain.event, grain.collision.min(leaving));
            assert_eq!(grain.leaves, leaving < grain.collision);
        }
        let leaving = engine.grains.iter().filter(|grain| grain.leaves).count();
        assert!(leaving > 100 && leaving < 400, "{leaving} of 500");
    }
}
