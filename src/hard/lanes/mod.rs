//! Many grains at once: what depends on the processor.

mod any;
#[cfg(target_arch = "x86_64")]
mod avx2;

pub(super) use any::AnyLanes;
#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2Lanes;

use super::HardEngine;
use super::cells::Ways;
use super::grain::{Grain, NONE, Slot};
use super::lines::{Lines, ROWS};
use super::nearby::Nearby;
use super::paths::Seeker;
use super::predict::Candidate;
use crate::cpu::fetch::fetch_at;
use glam::DVec3;

/// Grains that are sifted together.
pub(super) const WIDTH: usize = 8;

/// Rows of lines that are sifted together, and their positions. Only [`Nearby`] makes them, of lines
/// that there are. What is found in lanes without a position has no meaning, but no other lane depends on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch {
    pub(super) rows: [u32; WIDTH],
    pub(super) positions: [u32; WIDTH],
}

/// Grains that are worked out together in double precision.
pub(super) const EXACT: usize = 4;

/// Grains that may be hit, and the positions of their rows.
#[derive(Debug)]
pub(super) struct Suspects {
    pub(super) count: usize,
    pub(super) slots: [Slot; Self::ROOM],
    pub(super) positions: [u32; Self::ROOM],
    /// Whether there were more than it holds, so that some have been worked out already.
    pub(super) overflowed: bool,
}

impl Suspects {
    /// There are rarely more than four.
    const ROOM: usize = 3 * EXACT;

    #[inline]
    pub(super) fn new() -> Self {
        Self {
            count: 0,
            slots: [0; Self::ROOM],
            positions: [0; Self::ROOM],
            overflowed: false,
        }
    }

    /// Whether there is room for another one, and for filling up.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        self.count + EXACT < Self::ROOM
    }

    /// Adds a grain, but for nobody and the seeker itself, and asks for its memory.
    #[inline]
    pub(super) fn add(&mut self, grains: &[Grain], slot: Slot, position: u32, seeker: Slot) {
        fetch_at(grains, slot as usize);
        self.slots[self.count] = slot;
        self.positions[self.count] = position;
        self.count += usize::from(slot != seeker && slot != NONE);
    }
}

/// Ways to do the same with different processors. What is sifted out may differ; no result does.
pub(super) trait Lanes {
    /// Which grains of a batch may be hit, and before they hit another, and before `limit`, in epochs from now: a bit for each
    /// lane.
    ///
    /// With the unit roundoff u, the velocities' sum W = `stir` ≥ 2 and distances of at most 4 cells, the
    /// errors are at most 8 u W for each component of the separation, 2 u W for that of the relative
    /// velocity, and so 29 u W² for b = r·v, 146 u W for c = r² − d², and 514 u W³ for b² − v² c.
    fn sift(lines: &Lines, batch: &Batch, ways: &Ways, seeker: &Seeker, limit: f32) -> u32;

    /// Bits at the places of the bits that are set in `places`: the first one at the first of these, and so on. Those that there
    /// is no place for are left out.
    fn spread(bits: u32, places: u64) -> u64;

    /// [`HardEngine::suspects_with`] these lanes, compiled once.
    fn suspects(
        engine: &HardEngine,
        slot: Slot,
        nearby: Nearby<'_>,
        known: Candidate,
        suspects: &mut Suspects,
    ) -> Candidate;

    /// [`HardEngine::first_suspect_with`] these lanes, compiled once.
    fn first_suspect(
        engine: &HardEngine,
        slot: Slot,
        suspects: &mut Suspects,
        known: Candidate,
    ) -> Candidate;

    /// When a grain hits others, s of the epoch, infinite if it does not; and when they hit the partners that they
    /// know of.
    fn contact_times(flight: &FreeFlight, grains: &[Grain], others: &Others) -> ContactTimes;
}

/// A grain that is up to date.
#[derive(Debug)]
pub(super) struct FreeFlight<'a> {
    pub(super) grain: &'a Grain,
    /// Acceleration of this grain and of all that it may hit, m/s².
    pub(super) gravity: DVec3,
}

/// Grains that another may hit.
#[derive(Debug)]
pub(super) struct Others<'a> {
    pub(super) slots: &'a [Slot; EXACT],
    /// Ways to their cells along each axis, m.
    pub(super) ways: [[f64; EXACT]; 3],
    /// Distances of the centres at contact, m.
    pub(super) contacts: [f64; EXACT],
}

/// Times of contact, and of what the others know of.
pub(super) type ContactTimes = [[f64; EXACT]; 2];

/// The unit roundoff of single precision.
const U: f32 = 0.5 * f32::EPSILON;

/// Bounds on the errors of b, of r² − d² and of the discriminant, in powers of `stir`.
const B_ERROR: f32 = 32.0 * U;
const GAP_ERROR: f32 = 160.0 * U;
const DISCRIMINANT_ERROR: f32 = 640.0 * U;

/// What makes a time from now earlier than all errors can make it, those of a root and a quotient to 4 × 10⁻⁴
/// included.
const EARLIER: f32 = 0.999;
const EARLIER_BY: f32 = 1e-6;

/// What the reach of a seeker becomes with each grain of a batch.
#[inline(always)]
fn reaches(lines: &Lines, batch: &Batch, seeker: &Seeker) -> [f32; WIDTH] {
    let mut reaches = [seeker.reach; WIDTH];
    if let Some(radii) = lines.radii() {
        for (reach, &row) in reaches.iter_mut().zip(&batch.rows) {
            *reach += radii[row as usize / ROWS][row as usize % ROWS];
        }
    }
    reaches
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says what it expects")]
mod tests {
    use super::super::cells::Cells;
    use super::super::grain::AT_REST;
    use super::super::occupancy::position;
    use super::super::paths::Paths;
    use super::super::walls::approach_time;
    use super::*;
    use crate::cpu::processor::Processor;
    use glam::DVec3;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    /// Calls a function for each kind of lanes that this processor has.
    macro_rules! with_all_lanes {
        ($function:ident ($($argument:expr),*)) => {{
            $function::<AnyLanes>($($argument),*);
            #[cfg(target_arch = "x86_64")]
            {
                if Processor::here() != Processor::Any {
                    $function::<Avx2Lanes>($($argument),*);
                }
            }
        }};
    }

    fn random_numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut random = Pcg64::seed_from_u64(seed);
        move || (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Grains that meet, part, touch, slide, overlap by rounding and stand still, with gravity and without: all kinds of
    /// lanes agree to the bit.
    fn assert_times_alike<L: Lanes>() {
        let mut draw = random_numbers(2);
        let (mut met, mut touched) = (0, 0);
        for round in 0..20_000 {
            let mut vector = |size: f64| DVec3::new(draw(), draw(), draw()) * size;
            let gravity = vector([0.0, 9.81][round % 2]);
            let mut start = grain(vector(0.5), vector(1.0), 0.1, 0.5);
            let grains = [0; 6].map(|_| {
                let mut other = grain(vector(1.5), vector(1.0), 0.03, 0.5);
                other.collision = vector(1.0).x.abs() + 0.1;
                other
            });
            if round % 3 == 0 {
                // Contact, up to rounding.
                let (place, velocity) = grains[2].at(0.1, gravity);
                let normal = vector(1.0).normalize();
                let sliding = velocity + normal.any_orthogonal_vector();
                start.position = place + normal;
                start.velocity = [velocity, vector(1.0), sliding][round / 3 % 3];
            }
            let flight = FreeFlight {
                grain: &start,
                gravity,
            };
            let others = Others {
                slots: &[5, 2, 0, 2],
                ways: [[0.0; EXACT], [0.0, 0.0, 1.0, 0.0], [0.0; EXACT]],
                contacts: [1.0, 1.0, 1.0, 0.9],
            };
            let want = AnyLanes::contact_times(&flight, &grains, &others);
            let got = L::contact_times(&flight, &grains, &others);
            assert_eq!(got, want, "round {round}");
            met += want[0].iter().filter(|time| time.is_finite()).count();
            touched += want[0].iter().filter(|&&time| time == 0.1).count();
        }
        assert!(met > 5000 && touched > 500, "{met} met, {touched} touched");
    }

    #[test]
    fn processors_find_the_same_times() {
        with_all_lanes!(assert_times_alike());
    }

    fn grain(position: DVec3, velocity: DVec3, time: f64, radius: f64) -> Grain {
        Grain {
            position,
            velocity,
            time,
            radius,
            ..AT_REST
        }
    }

    /// Whether the other of two grains, one step along x and one back along z away, may be hit before `limit`.
    fn suspects<L: Lanes>(paths: &Paths, cells: &Cells, one: &Grain, limit: f32) -> bool {
        let beside = position([2, 1, 0]);
        let batch = Batch {
            rows: [paths.lines.row(1, 0); WIDTH],
            positions: [u32::try_from(beside).unwrap(); WIDTH],
        };
        let seeker = paths.seeker(one);
        let kept = L::sift(&paths.lines, &batch, cells.short_ways(), &seeker, limit);
        assert!(kept == 0 || kept == 0xff, "all lanes are the same");
        kept > 0
    }

    #[test]
    fn nobody_and_the_seeker_are_no_suspects() {
        let mut suspects = Suspects::new();
        for slot in [3, NONE, 7, 4] {
            suspects.add(&[], slot, slot % 10, 7);
        }
        assert_eq!(suspects.slots[..suspects.count], [3, 4]);
        assert_eq!(suspects.positions[..suspects.count], [3, 4]);
    }

    fn assert_bits_are_spread<L: Lanes>() {
        assert_eq!(L::spread(0, u64::MAX), 0);
        assert_eq!(
            L::spread(0b1011, 1 << 63 | 0b1110_0000),
            1 << 63 | 0b0110_0000
        );
        assert_eq!(L::spread(0xff, 0b1_0010), 0b1_0010, "no place for all");
        assert_eq!(L::spread(0x81, u64::MAX << 7), 1 << 14 | 1 << 7);
    }

    #[test]
    fn bits_go_to_the_places_of_others() {
        with_all_lanes!(assert_bits_are_spread());
    }

    /// Grains of two neighbouring cells, from slow to very fast, in long and in short epochs, with gravity
    /// and without: none that is hit is sifted out, or said to be hit later than it is.
    fn assert_nobody_is_missed<L: Lanes>() {
        const CELL: f64 = 0.003;
        let mut draw = random_numbers(5);
        let periodic = [true; 3];
        let cells = Cells::new(
            DVec3::ZERO,
            DVec3::splat(4.0 * CELL),
            periodic,
            3,
            CELL,
            CELL,
        );
        let (mut hits, mut sifted) = (0, 0);
        for round in 0..200_000 {
            let gravity = if round % 2 == 0 {
                DVec3::ZERO
            } else {
                DVec3::new(0.0, 1.0, -9.81)
            };
            let horizon = [1.0, 0.01, 30.0][round % 3];
            let cell = cells.unit();
            let mut place = || DVec3::new(draw(), draw(), draw()) * (0.5 * cell);
            let (here, there) = (place(), place());
            let mut speed = || cell / horizon * 10.0_f64.powf(2.0 * draw());
            let (slow, fast) = (speed(), speed());
            let mut direction = || DVec3::new(draw(), draw(), draw());
            let directions = [direction(), direction(), direction()];
            let drift = directions[0] * [0.0, 100.0][round / 7 % 2] * cell / horizon;
            let now = horizon * draw().abs();
            let radii = [0.5 * cell, 0.5 * cell * draw().abs().max(0.1)];
            let equal = round % 5 != 0;
            let radius = radii[usize::from(!equal)];
            let one = grain(here, directions[1] * slow + drift, now, radii[0]);
            let other = grain(there, directions[2] * fast + drift, now, radius);
            let way = DVec3::new(cell, 0.0, -cell);
            let apart = other.position - one.position + way;
            let closing = other.velocity - one.velocity;
            let contact = (one.radius + other.radius).powi(2);
            let c = apart.length_squared() - contact;
            let b = apart.dot(closing);
            let time = approach_time(b, closing.length_squared(), contact, c);
            // The other one was brought up to date some time ago.
            let mut earlier = other;
            earlier.advance(now * draw().abs(), gravity);
            earlier.cell = [1, 0, 0];
            let mut paths = Paths::new(&cells, gravity, equal);
            for (slot, grain) in (0..).zip([&one, &earlier]) {
                paths.insert(grain.cell, slot, grain);
            }
            paths.begin(horizon, &[one, earlier]);
            let found = suspects::<L>(&paths, &cells, &one, f32::INFINITY);
            sifted += u32::from(!found);
            if time.is_finite() {
                hits += 1;
                let wait = paths.wait(time);
                assert!(
                    suspects::<L>(&paths, &cells, &one, wait),
                    "{round}: {wait} {one:?} {earlier:?}"
                );
            }
        }
        assert!(
            hits > 5_000 && sifted > 50_000,
            "{hits} hits, {sifted} sifted out"
        );
    }

    #[test]
    fn nobody_who_is_hit_is_sifted_out() {
        with_all_lanes!(assert_nobody_is_missed());
    }
}
