//! Where grains go, in single precision: what a search reads of every grain nearby.
//!
//! A search looks at some twenty grains and needs one or two of them. Whether a grain can be hit at all,
//! and no sooner than when, is worked out for sixteen at a time from 32 bytes each, with bounds on what
//! rounding may have done. Only those that pass are looked at in double precision, so that no result
//! depends on this.
//!
//! Lengths are in cells and times in epochs, so that numbers are neither large nor small. All paths are
//! extrapolated to the start of the epoch: they need no time of their own, and where grains fall, their
//! common acceleration drops out of every difference.

use super::grain::{Grain, NONE, Slot};
use super::lanes::{Batch, Lanes, WIDTH};
use glam::DVec3;

/// Path of one grain, and its place in the list of its cell.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(super) struct Path {
    /// Place at the start of the epoch, from the centre of the cell.
    pub(super) place: [f32; 3],
    /// Velocity at the start of the epoch.
    pub(super) velocity: [f32; 3],
    /// When it hits the partner that it knows of.
    pub(super) collision: f32,
    /// The next grain in the chain of its cell.
    pub(super) next: Slot,
}

const _: () = assert!(size_of::<Path>() == 32);

#[cfg(test)]
impl Path {
    pub(super) fn new(place: [f32; 3], velocity: [f32; 3], collision: f32) -> Self {
        Self {
            place,
            velocity,
            collision,
            next: NONE,
        }
    }
}

/// A way between the centres of two cells; the last number is 0.
pub(super) type Way = [f32; 4];

#[derive(Debug, Clone)]
pub(super) struct Paths {
    of_grains: Vec<Path>,
    /// Radii of the grains; empty if they are all equal.
    radii: Vec<f32>,
    cells_per_metre: f64,
    epochs_per_second: f64,
    /// m/s²
    gravity: DVec3,
    /// The velocity that grains gain in an epoch: sum of its components.
    weight: f32,
}

/// The grain that looks for a partner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seeker {
    /// Place now, less the fall since the start of the epoch.
    place: [f32; 3],
    velocity: [f32; 3],
    /// Sum of all velocities that rounding errors are in proportion to, but that of the other grain.
    stir: f32,
    /// Its radius, if grains differ; else the distance of two centres at contact.
    reach: f32,
    now: f32,
}

impl Paths {
    pub(super) fn new(grains: &[Grain], cell: f64, gravity: DVec3, equal: bool) -> Self {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "the error is accounted for"
        )]
        let radius = |grain: &Grain| (grain.radius / cell) as f32;
        let still = Path {
            place: [0.0; 3],
            velocity: [0.0; 3],
            collision: f32::INFINITY,
            next: NONE,
        };
        Self {
            of_grains: vec![still; grains.len()],
            radii: if equal {
                Vec::new()
            } else {
                grains.iter().map(radius).collect()
            },
            cells_per_metre: 1.0 / cell,
            epochs_per_second: 0.0,
            gravity,
            weight: 0.0,
        }
    }

    /// Begins an epoch of `horizon` seconds.
    #[allow(clippy::cast_possible_truncation, reason = "a bound on errors")]
    pub(super) fn begin(&mut self, horizon: f64, grains: &[Grain]) {
        self.epochs_per_second = 1.0 / horizon;
        let gained = self.gravity * (self.cells_per_metre * horizon * horizon);
        self.weight = gained.abs().element_sum() as f32;
        for (slot, grain) in (0..).zip(grains) {
            self.set(slot, grain);
        }
    }

    /// Follows the order of the grains in memory.
    pub(super) fn sort(&mut self, order: &[Slot]) {
        if !self.radii.is_empty() {
            self.radii = order.iter().map(|&old| self.radii[old as usize]).collect();
        }
    }

    /// The path at the start of the epoch of something at a place at a time, in cells and epochs.
    #[inline]
    fn straight(&self, grain: &Grain, elapsed: f64) -> (DVec3, DVec3) {
        let fall = if grain.fixed {
            DVec3::ZERO
        } else {
            self.gravity
        };
        let velocity = grain.velocity - fall * grain.time;
        // Without the fall since the start: p(t) − ½ g t² = p₀ + v₀ t.
        let place = grain.position - (0.5 * grain.time * grain.time) * fall - velocity * elapsed;
        let per_epoch = self.cells_per_metre / self.epochs_per_second;
        (place * self.cells_per_metre, velocity * per_epoch)
    }

    /// Notes the path of a grain.
    #[inline]
    pub(super) fn set(&mut self, slot: Slot, grain: &Grain) {
        let (place, velocity) = self.straight(grain, grain.time);
        let path = &mut self.of_grains[slot as usize];
        path.place = place.as_vec3().to_array();
        path.velocity = velocity.as_vec3().to_array();
        self.set_collision(slot, grain.collision);
    }

    /// Notes when a grain hits its partner.
    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the error is accounted for"
    )]
    pub(super) fn set_collision(&mut self, slot: Slot, time: f64) {
        self.of_grains[slot as usize].collision = (time * self.epochs_per_second) as f32;
    }

    #[inline]
    pub(super) fn next(&self, slot: Slot) -> Slot {
        self.of_grains[slot as usize].next
    }

    #[inline]
    pub(super) fn set_next(&mut self, slot: Slot, next: Slot) {
        self.of_grains[slot as usize].next = next;
    }

    #[inline]
    pub(super) fn of(&self, slot: Slot) -> &Path {
        &self.of_grains[slot as usize]
    }

    /// A time from now in epochs.
    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the error is accounted for"
    )]
    pub(super) fn wait(&self, seconds: f64) -> f32 {
        (seconds * self.epochs_per_second) as f32
    }

    /// A grain that is up to date and looks for a partner.
    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the error is accounted for"
    )]
    pub(super) fn seeker(&self, slot: Slot, grain: &Grain) -> Seeker {
        let (place, velocity) = self.straight(grain, 0.0);
        let own = self.radii.get(slot as usize);
        Seeker {
            place: place.as_vec3().to_array(),
            velocity: velocity.as_vec3().to_array(),
            stir: 2.0 + self.weight + velocity.abs().element_sum() as f32,
            reach: own
                .copied()
                .unwrap_or((2.0 * grain.radius * self.cells_per_metre) as f32),
            now: self.wait(grain.time),
        }
    }

    /// For each grain of a batch a time, in epochs from now, before which it is not hit; infinite if it
    /// is not hit at all, or not before it hits another, or not before `limit`.
    ///
    /// With the unit roundoff u, the velocities' sum W = `stir` ≥ 2 and distances of at most 4 cells, the
    /// errors are at most 8 u W for each component of the separation, 2 u W for that of the relative
    /// velocity, and so 29 u W² for b = r·v, 146 u W for c = r² − d², and 514 u W³ for b² − v² c.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    pub(super) fn sift<L: Lanes>(
        &self,
        seeker: &Seeker,
        batch: &Batch,
        ways: &[Way],
        limit: f32,
    ) -> [f32; WIDTH] {
        const U: f32 = 0.5 * f32::EPSILON;
        let [x, y, z, vx, vy, vz, collision, _] = L::columns(&self.of_grains, batch, ways);
        let mut reach = [seeker.reach; WIDTH];
        if !self.radii.is_empty() {
            for (reach, &slot) in reach.iter_mut().zip(batch.slots) {
                *reach += self.radii[slot as usize];
            }
        }
        let s = seeker.now;
        let mut earliest_hits = [0.0; WIDTH];
        // A loop, since closures are not compiled for their caller's processor.
        for (l, hit) in earliest_hits.iter_mut().enumerate() {
            let apart = [
                x[l] + vx[l] * s - seeker.place[0],
                y[l] + vy[l] * s - seeker.place[1],
                z[l] + vz[l] * s - seeker.place[2],
            ];
            let closing = [
                vx[l] - seeker.velocity[0],
                vy[l] - seeker.velocity[1],
                vz[l] - seeker.velocity[2],
            ];
            let stir = seeker.stir + (vx[l].abs() + vy[l].abs() + vz[l].abs());
            let unsure = U * stir;
            let b = dot(apart, closing);
            let c = dot(apart, apart) - reach[l] * reach[l];
            let v = dot(closing, closing);
            let b_error = 32.0 * unsure * stir;
            let discriminant = b * b - v * c + 640.0 * unsure * stir * stir;
            let opening = b > b_error;
            let passing = discriminant < 0.0;
            let root = discriminant.max(0.0).sqrt();
            let earliest = (c - 160.0 * unsure) / (b_error - b + root);
            let earliest = earliest * 0.999_99 - 1e-6;
            let late = (earliest > limit) | (earliest > collision[l] - s);
            // What is not a number is looked at.
            *hit = if opening | passing | late {
                f32::INFINITY
            } else {
                earliest.max(f32::NEG_INFINITY)
            };
        }
        earliest_hits
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.of_grains.capacity() * size_of::<Path>() + self.radii.capacity() * size_of::<f32>()
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "as its caller")]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hard::grain::PackedPartner;
    use crate::hard::lanes::AnyLanes;
    use crate::hard::walls::approach_time;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    fn grain(position: DVec3, velocity: DVec3, time: f64, radius: f64) -> Grain {
        Grain {
            position,
            velocity,
            time,
            id: 0,
            material: 0,
            fixed: false,
            removed: false,
            collision: f64::INFINITY,
            crossing: f64::INFINITY,
            partner: PackedPartner::NOBODY,
            partner_count: 0,
            count: 0,
            rapid: 0,
            exit: 0,
            cell: [0; 3],
            last_collision: f64::NEG_INFINITY,
            radius,
            mass: 1.0,
        }
    }

    /// Grains of two neighbouring cells, from slow to very fast, in long and in short epochs, with gravity
    /// and without: none that is hit is sifted out, or said to be hit later than it is.
    #[test]
    fn nobody_is_hit_before_the_sieve_says() {
        const CELL: f64 = 0.003;
        let mut random = Pcg64::seed_from_u64(5);
        let mut draw = || (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        let (mut hits, mut sifted) = (0, 0);
        for round in 0..200_000 {
            let gravity = if round % 2 == 0 {
                DVec3::ZERO
            } else {
                DVec3::new(0.0, 1.0, -9.81)
            };
            let horizon = [1.0, 0.01, 30.0][round % 3];
            let mut place = || DVec3::new(draw(), draw(), draw()) * (0.5 * CELL);
            let (here, there) = (place(), place());
            let mut speed = || CELL / horizon * 10.0_f64.powf(2.0 * draw());
            let (slow, fast) = (speed(), speed());
            let mut direction = || DVec3::new(draw(), draw(), draw());
            let directions = [direction(), direction(), direction()];
            let drift = directions[0] * [0.0, 100.0][round / 7 % 2] * CELL / horizon;
            let now = horizon * draw().abs();
            let radii = [0.5 * CELL, 0.5 * CELL * draw().abs().max(0.1)];
            let equal = round % 5 != 0;
            let radius = radii[usize::from(!equal)];
            let one = grain(here, directions[1] * slow + drift, now, radii[0]);
            let other = grain(there, directions[2] * fast + drift, now, radius);
            let way = DVec3::new(CELL, 0.0, -CELL);
            let apart = other.position - one.position + way;
            let closing = other.velocity - one.velocity;
            let contact = (one.radius + other.radius).powi(2);
            let c = apart.length_squared() - contact;
            let b = apart.dot(closing);
            let time = approach_time(b, closing.length_squared(), contact, c);
            // The other one was brought up to date some time ago.
            let mut earlier = other;
            earlier.advance(now * draw().abs(), gravity);
            let mut paths = Paths::new(&[one, earlier], CELL, gravity, equal);
            paths.begin(horizon, &[one, earlier]);
            let ways = [[1.0, 0.0, -1.0, 0.0]];
            let batch = Batch {
                slots: &[1; WIDTH],
                steps: &[0; WIDTH],
            };
            let seeker = paths.seeker(0, &one);
            let earliest = paths.sift::<AnyLanes>(&seeker, &batch, &ways, f32::INFINITY)[0];
            sifted += u32::from(earliest == f32::INFINITY);
            if time.is_finite() {
                hits += 1;
                let wait = time / horizon;
                assert!(
                    f64::from(earliest) <= wait,
                    "{round}: {earliest} {wait} {one:?} {earlier:?}"
                );
            }
        }
        assert!(
            hits > 5_000 && sifted > 50_000,
            "{hits} hits, {sifted} sifted out"
        );
    }
}
