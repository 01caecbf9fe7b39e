//! Sifting and times of contact, one grain after the other.

use super::super::HardEngine;
use super::super::cells::Ways;
use super::super::grain::{Grain, Slot};
use super::super::lines::{Lines, ROWS};
use super::super::nearby::Nearby;
use super::super::paths::Seeker;
use super::super::predict::Candidate;
use super::super::walls::approach_time;
use super::{
    B_ERROR, Batch, ContactTimes, DISCRIMINANT_ERROR, EARLIER, EARLIER_BY, EXACT, FreeFlight,
    GAP_ERROR, Lanes, Others, Suspects, WIDTH, reaches,
};
use glam::DVec3;

/// With any processor.
#[derive(Debug)]
pub(in super::super) struct AnyLanes;

impl Lanes for AnyLanes {
    #[inline(always)]
    fn sift(lines: &Lines, batch: &Batch, ways: &Ways, seeker: &Seeker, limit: f32) -> u32 {
        let reaches = reaches(lines, batch, seeker);
        let s = seeker.now;
        let mut kept = 0;
        for lane in 0..WIDTH {
            let row = batch.rows[lane] as usize;
            let path = &lines.all()[row / ROWS].0[row % ROWS];
            let way = ways[batch.positions[lane] as usize];
            let (mut apart, mut closing) = ([0.0; 3], [0.0; 3]);
            let mut stir = seeker.stir;
            for axis in 0..3 {
                let v = path.velocity[axis];
                apart[axis] = path.place[axis] + way[axis] - seeker.place[axis] + v * s;
                closing[axis] = v - seeker.velocity[axis];
                stir += v.abs();
            }
            let b = dot(apart, closing);
            let c = dot(apart, apart) - reaches[lane] * reaches[lane];
            let v = dot(closing, closing);
            let b_error = B_ERROR * stir * stir;
            let discriminant = b * b - v * c + DISCRIMINANT_ERROR * stir * stir * stir;
            let opening = b > b_error;
            let passing = discriminant < 0.0;
            let root = discriminant.max(0.0).sqrt();
            let earliest = (c - GAP_ERROR * stir) / (b_error - b + root);
            let earliest = earliest * EARLIER - EARLIER_BY;
            // What is not a number is looked at.
            let late = (earliest > limit) | (earliest > path.collision - s);
            kept |= u32::from(!(opening | passing | late)) << lane;
        }
        kept
    }

    fn spread(bits: u32, places: u64) -> u64 {
        let (mut spread, mut places) = (0, places);
        for bit in 0..u32::BITS {
            let place = places & places.wrapping_neg();
            places &= !place;
            if bits >> bit & 1 == 1 {
                spread |= place;
            }
        }
        spread
    }

    fn suspects(
        engine: &HardEngine,
        slot: Slot,
        nearby: Nearby<'_>,
        known: Candidate,
        suspects: &mut Suspects,
    ) -> Candidate {
        engine.suspects_with::<Self>(slot, nearby, known, suspects)
    }

    fn first_suspect(
        engine: &HardEngine,
        slot: Slot,
        suspects: &mut Suspects,
        known: Candidate,
    ) -> Candidate {
        engine.first_suspect_with::<Self>(slot, suspects, known)
    }

    #[inline(always)]
    fn contact_times(flight: &FreeFlight, grains: &[Grain], others: &Others) -> ContactTimes {
        let mut times = [[f64::INFINITY; EXACT]; 2];
        let (grain, gravity) = (flight.grain, flight.gravity);
        for lane in 0..EXACT {
            let other = &grains[others.slots[lane] as usize];
            let elapsed = grain.time - other.time;
            let gained = gravity * elapsed;
            let way = DVec3::from_array(others.ways.map(|ways| ways[lane]));
            let way = other.position - grain.position + way;
            let apart = way + (other.velocity + 0.5 * gained) * elapsed;
            let closing = other.velocity - grain.velocity + gained;
            let contact = others.contacts[lane] * others.contacts[lane];
            let b = apart.dot(closing);
            let c = apart.length_squared() - contact;
            times[0][lane] = grain.time + approach_time(b, closing.length_squared(), contact, c);
            times[1][lane] = other.collision;
        }
        times
    }
}

#[inline(always)]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
