//! What happens at an event.

use super::grain::{PackedPartner, Partner, Slot};
use super::lanes::Lanes;
use super::predict::has_events;
use super::rest::least_rebound;
use super::walls::FaceIndex;
use super::{HardEngine, HardError, Leaving};
use crate::laws::hard_sphere::{Body, CollisionRule, collide};
use crate::laws::tc::is_elastic;
use glam::DVec3;

/// Collisions of one grain in a row, each too soon after the last and each losing energy, that are taken
/// for a collapse.
const COLLAPSE: u16 = 1000;

/// Whoever has so many by then takes part in it: in a gas that does not collapse they would be a miracle.
const TAKING_PART: u16 = 10;

/// Grains that lose nothing part at this fraction of their speeds at least: some tens of the last digits that these have.
const LEAST_PARTING: f64 = 64.0 * f64::EPSILON;

/// Whom a grain hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hit {
    /// A grain, by id.
    Grain(u32),
    /// A face, by its number.
    Face(u32),
}

/// One collision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Happened {
    /// s since the start.
    pub time: f64,
    /// Id of the grain; of two, the smaller.
    pub grain: u32,
    /// Whom it hit.
    pub hit: Hit,
    /// Whether nothing was lost because a partner had collided within `t_c`.
    pub elastic: bool,
    /// Time since a partner last collided, s; infinite: none did.
    pub since: f64,
    /// Size of the impulse, N s.
    pub impulse: f64,
}

/// An inelastic collapse: infinitely many collisions in a finite time.
#[derive(Debug, Clone, PartialEq)]
pub struct Collapse {
    /// Ids of the grains that collide without end.
    pub particles: Vec<u32>,
    /// When, s.
    pub time: f64,
    /// Collisions of one grain that were found to follow each other too fast.
    pub collisions: u32,
    /// They followed each other within this time, s.
    pub resolution: f64,
    /// How many of them came later than the one before; the others came at the same instant, to the bit.
    pub told_apart: u32,
    /// The time that those took, s.
    pub told_apart_within: f64,
    /// Mean time between two collisions of a grain until then, s.
    pub mean_time: f64,
    /// `t_c`, s; 0: none was given.
    pub contact_duration: f64,
}

impl Collapse {
    /// Collisions of the grain per second, over the last that could be told apart; `None` if none could.
    pub fn rate(&self) -> Option<f64> {
        (self.told_apart_within > 0.0).then(|| f64::from(self.told_apart) / self.told_apart_within)
    }
}

/// Collisions of a grain in a row that are suspected of a collapse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streak {
    /// When the collision before the first of them was, s of the epoch.
    begun: f64,
    /// When the last was that came later than the one before, s of the epoch.
    until: f64,
    told_apart: u32,
}

impl Streak {
    /// Moves the origin of time by `shift`.
    pub(super) fn shift_time(&mut self, shift: f64) {
        self.begun -= shift;
        self.until -= shift;
    }
}

impl HardEngine {
    /// The next event of a grain, at the present instant.
    #[inline(always)]
    pub(super) fn handle<L: Lanes>(&mut self, slot: Slot) -> Result<(), HardError> {
        let grain = &self.grains[slot as usize];
        // A collision at a side of the cell comes first: what is ahead is known from this cell.
        if grain.leaves {
            return self.cross::<L>(slot);
        }
        match grain.partner.unpack() {
            Partner::Grain(partner) => {
                if self.grains[partner as usize].count == grain.partner_count
                    && !self.grains[partner as usize].removed
                {
                    return self.collide_grains::<L>(slot, partner);
                }
                // The partner went another way.
                self.tally.outdated += 1;
                self.refresh(slot);
                Ok(())
            }
            Partner::Face(face) => self.collide_face(slot, face),
            Partner::Nobody => {
                self.refresh(slot);
                Ok(())
            }
        }
    }

    /// Looks for partners anew.
    fn refresh(&mut self, slot: Slot) {
        self.grains[slot as usize].advance(self.now, self.gravity);
        self.predict(slot);
        self.announce(slot);
    }

    #[inline(always)]
    fn cross<L: Lanes>(&mut self, slot: Slot) -> Result<(), HardError> {
        let index = slot as usize;
        let exit = usize::from(self.grains[index].exit);
        let (axis, upwards) = (exit / 2, exit % 2 == 1);
        self.grains[index].advance(self.now, self.gravity);
        self.tally.crossings += 1;
        let there = self
            .cells
            .neighbour(axis, self.grains[index].cell[axis], upwards);
        let Some(there) = there else {
            return self.leave(slot);
        };
        let grain = &mut self.grains[index];
        let entrance = self.cells.size[axis] - self.cells.exit(grain.cell, axis, upwards);
        self.paths.lines.remove(grain.cell, slot);
        grain.cell[axis] = there;
        grain.position[axis] = if upwards { -entrance } else { entrance };
        let place = self.paths.insert(grain.cell, slot, grain);
        self.paths.set(place, grain);
        self.predict_beyond::<L>(slot, exit);
        self.announce(slot);
        Ok(())
    }

    /// Notes the new path of a grain that has collided, in the cell that it will be in longest.
    #[inline(always)]
    fn start_anew(&mut self, slot: Slot) {
        let grain = &mut self.grains[slot as usize];
        grain.collision = f64::INFINITY;
        let from = grain.cell;
        self.cells.enter_ahead(grain);
        let to = grain.cell;
        let place = if to == from {
            self.paths.lines.locate(from, slot)
        } else {
            self.paths.lines.remove(from, slot);
            self.paths.insert(to, slot, grain)
        };
        self.paths.set(place, grain);
        self.paths.set_collision(place, grain.collision);
    }

    fn leave(&mut self, slot: Slot) -> Result<(), HardError> {
        let grain = &self.grains[slot as usize];
        if self.model.leaving == Leaving::Stop {
            return Err(HardError::Left {
                particle: grain.id,
                time: self.time(),
                position: self.cells.centre(grain.cell) + grain.position,
            });
        }
        self.tally.removed_energy += self.energies(slot as usize).iter().sum::<f64>();
        let grain = &mut self.grains[slot as usize];
        self.paths.lines.remove(grain.cell, slot);
        grain.removed = true;
        grain.collision = f64::INFINITY;
        grain.event = f64::INFINITY;
        grain.leaves = false;
        grain.partner = PackedPartner::NOBODY;
        // Whoever was to hit it must look again.
        grain.count = grain.count.wrapping_add(1);
        self.tally.removed += 1;
        Ok(())
    }

    fn spin(&self, slot: Slot) -> DVec3 {
        self.spins.get(slot as usize).copied().unwrap_or_default()
    }

    fn body(&self, slot: Slot) -> Body {
        let grain = &self.grains[slot as usize];
        if grain.fixed {
            return Body {
                radius: grain.radius,
                ..Body::wall(DVec3::ZERO)
            };
        }
        let spin = self.spin(slot);
        Body::grain(self.shape, grain.mass, grain.radius, grain.velocity, spin)
    }

    #[inline(always)]
    fn collide_grains<L: Lanes>(&mut self, one: Slot, other: Slot) -> Result<(), HardError> {
        for slot in [one, other] {
            self.grains[slot as usize].advance(self.now, self.gravity);
        }
        let (a, b) = (&self.grains[one as usize], &self.grains[other as usize]);
        let way = self.cells.separation(a, b);
        let normal = way / way.length();
        let reach = a.radius + b.radius;
        let since = self.now - a.last_collision.max(b.last_collision);
        let elastic = is_elastic(since, f64::INFINITY, self.model.contact_duration);
        let rule = self.rule(a.material, b.material);
        let (before, before_other) = (a.velocity, b.velocity);
        let impulse = if self.spins.is_empty() {
            self.push_apart(one, other, normal, &rule, elastic)
        } else {
            let (first, second) = (self.body(one), self.body(other));
            let impact = collide(&first, &second, normal, &rule, elastic);
            self.tally.lost += first.kinetic_energy() + second.kinetic_energy()
                - impact.first.kinetic_energy()
                - impact.second.kinetic_energy();
            for (slot, body) in [(one, impact.first), (other, impact.second)] {
                if !self.grains[slot as usize].fixed {
                    self.grains[slot as usize].velocity = body.velocity;
                    self.spins[slot as usize] = body.spin;
                }
            }
            impact.impulse
        };
        let mut impulse = impulse + self.carry(one, other, normal);
        if elastic {
            impulse += self.part(one, other, normal);
        }
        self.tally.collide(normal * reach, impulse, elastic);
        let ids = [self.grains[one as usize].id, self.grains[other as usize].id];
        self.latest = Some(Happened {
            time: self.time(),
            grain: ids[0].min(ids[1]),
            hit: Hit::Grain(ids[0].max(ids[1])),
            elastic,
            since,
            impulse: impulse.length(),
        });
        // Where rounding swallows what is exchanged, nothing would ever change again.
        let stuck = impulse == DVec3::ZERO
            || self.grains[one as usize].velocity == before
                && self.grains[other as usize].velocity == before_other;
        let suspect = !elastic || stuck;
        let mut collapsed = self.note_collision(one, suspect);
        collapsed |= self.note_collision(other, suspect);
        self.start_anew(one);
        self.start_anew(other);
        self.predict_both::<L>([one, other]);
        for slot in [one, other] {
            if has_events(&self.grains[slot as usize]) {
                self.announce(slot);
            }
        }
        if collapsed {
            return Err(self.collapse());
        }
        Ok(())
    }

    /// Has two grains part that have met so slowly that rounding swallows their rebound: they would go on to meet for ever, as
    /// those of a collapse would from which a run goes on with `t_c`. Returns the impulse on the first, N s.
    ///
    /// It is such a small part of their speed that the energy for it is far below rounding.
    #[inline]
    fn part(&mut self, one: Slot, other: Slot, normal: DVec3) -> DVec3 {
        let (a, b) = (&self.grains[one as usize], &self.grains[other as usize]);
        let speeds = (a.velocity.abs() + b.velocity.abs()).element_sum();
        let rebound = (b.velocity - a.velocity).dot(normal);
        let least = LEAST_PARTING * speeds;
        if rebound >= least {
            return DVec3::ZERO;
        }
        let [inverse_a, inverse_b] =
            [a, b].map(|grain| if grain.fixed { 0.0 } else { 1.0 / grain.mass });
        let push = (least - rebound) / (inverse_a + inverse_b) * normal;
        self.grains[one as usize].velocity -= push * inverse_a;
        self.grains[other as usize].velocity += push * inverse_b;
        -push
    }

    /// Keeps a grain bouncing on one that is held; returns the impulse on the first, N s.
    #[inline]
    fn carry(&mut self, one: Slot, other: Slot, normal: DVec3) -> DVec3 {
        if !self.falls_on_held {
            return DVec3::ZERO;
        }
        let fixed = [one, other].map(|slot| self.grains[slot as usize].fixed);
        if fixed[0] == fixed[1] {
            return DVec3::ZERO;
        }
        let (slot, towards) = if fixed[0] {
            (other, -normal)
        } else {
            (one, normal)
        };
        let press = self.gravity.dot(towards);
        let grain = &mut self.grains[slot as usize];
        let rebound = -grain.velocity.dot(towards);
        let Some(least) = least_rebound(rebound, press, self.model.contact_duration) else {
            return DVec3::ZERO;
        };
        let push = (rebound - least) * towards;
        grain.velocity += push;
        self.tally.work += 0.5 * grain.mass * (least - rebound) * (least + rebound);
        grain.mass * if fixed[0] { -push } else { push }
    }

    /// A collision without friction; returns the impulse on the first grain, N s.
    #[inline]
    fn push_apart(
        &mut self,
        one: Slot,
        other: Slot,
        normal: DVec3,
        rule: &CollisionRule,
        elastic: bool,
    ) -> DVec3 {
        let (a, b) = (&self.grains[one as usize], &self.grains[other as usize]);
        let inverse = |fixed: bool, mass: f64| if fixed { 0.0 } else { 1.0 / mass };
        let (inverse_a, inverse_b) = (inverse(a.fixed, a.mass), inverse(b.fixed, b.mass));
        let reduced = 1.0 / (inverse_a + inverse_b);
        let approach = (a.velocity - b.velocity).dot(normal).max(0.0);
        let restitution = if elastic {
            1.0
        } else {
            rule.restitution(reduced, approach)
        };
        let impulse = -(reduced * (1.0 + restitution) * approach) * normal;
        self.grains[one as usize].velocity += impulse * inverse_a;
        self.grains[other as usize].velocity -= impulse * inverse_b;
        self.tally.lost +=
            0.5 * reduced * (1.0 - restitution) * (1.0 + restitution) * approach * approach;
        impulse
    }

    fn collide_face(&mut self, slot: Slot, index: FaceIndex) -> Result<(), HardError> {
        self.grains[slot as usize].advance(self.now, self.gravity);
        let time = self.time();
        let grain = &self.grains[slot as usize];
        let face = &self.faces[usize::from(index)];
        let place = self.cells.centre(grain.cell) + grain.position;
        let meeting = face.meeting(place, grain.radius, time);
        let since = self.now - grain.last_collision;
        let elastic = is_elastic(since, f64::INFINITY, self.model.contact_duration);
        let rule = self.rule(grain.material, face.material);
        let arm = meeting.normal * grain.radius;
        let mass = grain.mass;
        let body = self.body(slot);
        let wall = Body::wall(meeting.velocity);
        let mut impact = collide(&body, &wall, meeting.normal, &rule, elastic);
        let rebound = (meeting.velocity - impact.first.velocity).dot(meeting.normal);
        let press = (self.gravity - face.acceleration(time)).dot(meeting.normal);
        let mut given = 0.0;
        if let Some(least) = least_rebound(rebound, press, self.model.contact_duration) {
            let push = (rebound - least) * meeting.normal;
            impact.first.velocity += push;
            impact.impulse += mass * push;
            given = 0.5 * mass * (least - rebound) * (least + rebound);
        }
        let grain = &mut self.grains[slot as usize];
        // On the surface, whatever rounding left of the way: errors do not add up.
        grain.position += meeting.normal * meeting.gap;
        grain.velocity = impact.first.velocity;
        if let Some(spin) = self.spins.get_mut(slot as usize) {
            *spin = impact.first.spin;
        }
        // The rest of what a moving wall gives is lost.
        let work = impact.impulse.dot(meeting.velocity) + given;
        self.tally.work += work;
        self.tally.lost += work + body.kinetic_energy() - impact.first.kinetic_energy();
        self.tally
            .collide_wall(usize::from(index), arm, impact.impulse, elastic);
        self.latest = Some(Happened {
            time,
            grain: self.grains[slot as usize].id,
            hit: Hit::Face(u32::from(index)),
            elastic,
            since,
            impulse: impact.impulse.length(),
        });
        let stuck = body.velocity == impact.first.velocity;
        let collapsed = self.note_collision(slot, !elastic || stuck);
        self.start_anew(slot);
        self.predict_from(slot, Some(index));
        self.announce(slot);
        if collapsed {
            return Err(self.collapse());
        }
        Ok(())
    }

    /// Counts a collision of a grain; whether its collisions have become too frequent.
    #[inline]
    fn note_collision(&mut self, slot: Slot, suspect: bool) -> bool {
        let grain = &mut self.grains[slot as usize];
        grain.count = grain.count.wrapping_add(1);
        let rapid = suspect && self.now - grain.last_collision <= self.resolution;
        let last = std::mem::replace(&mut grain.last_collision, self.now);
        grain.rapid = if rapid {
            grain.rapid.saturating_add(1)
        } else {
            0
        };
        let collapsed = grain.rapid >= COLLAPSE;
        if rapid {
            self.note_rapid(slot, last);
        }
        collapsed
    }

    /// Keeps account of a collision that followed the last of the grain, s of the epoch, too fast. Few ever do.
    #[cold]
    fn note_rapid(&mut self, slot: Slot, last: f64) {
        let grain = &self.grains[slot as usize];
        let fresh = Streak {
            begun: last,
            until: last,
            told_apart: 0,
        };
        let streak = self.streaks.entry(grain.id).or_insert(fresh);
        if grain.rapid <= 1 {
            *streak = fresh;
        }
        if self.now > last {
            streak.until = self.now;
            streak.told_apart += 1;
        }
    }

    fn collapse(&mut self) -> HardError {
        let mut particles: Vec<u32> = self
            .grains
            .iter()
            .filter(|grain| grain.rapid >= TAKING_PART)
            .map(|grain| grain.id)
            .collect();
        particles.sort_unstable();
        let fastest = self.grains.iter().find(|grain| grain.rapid >= COLLAPSE);
        let streak = fastest.and_then(|grain| self.streaks.get(&grain.id).copied());
        self.streaks.clear();
        for grain in &mut self.grains {
            grain.rapid = 0;
        }
        #[allow(
            clippy::cast_precision_loss,
            reason = "counts stay far below 2^53; there have been collisions"
        )]
        let hits = (2 * self.tally.collisions + self.tally.wall_collisions) as f64;
        let mean_time = self.time() * self.grains.len() as f64 / hits;
        HardError::Collapse(Collapse {
            particles,
            mean_time,
            time: self.time(),
            collisions: u32::from(COLLAPSE),
            resolution: self.resolution,
            told_apart: streak.map_or(0, |streak| streak.told_apart),
            told_apart_within: streak.map_or(0.0, |streak| streak.until - streak.begun),
            contact_duration: self.model.contact_duration,
        })
    }
}
