//! Sifting and columns, written so that compilers find the lanes.

use super::super::cells::Ways;
use super::super::grain::{Grain, NONE};
use super::super::lines::{Line, Lines};
use super::super::paths::Seeker;
use super::super::walls::approach_time;
use super::{
    B_ERROR, Batch, Columns, ContactTimes, DISCRIMINANT_ERROR, EARLIER, EARLIER_BY, EXACT,
    FreeFlight, GAP_ERROR, Lanes, NUMBERS, Others, Suspects, WIDTH, line_and_row, reaches,
};
use glam::DVec3;

/// With any processor.
#[derive(Debug)]
pub(in super::super) struct AnyLanes;

impl Lanes for AnyLanes {
    #[inline(always)]
    fn sift(
        lines: &Lines,
        batch: &Batch,
        ways: &Ways,
        seeker: &Seeker,
        limit: f32,
        suspects: &mut Suspects,
    ) {
        let columns = columns(lines.all(), batch, ways);
        let hits = earliest_hits(&columns, seeker, &reaches(lines, batch, seeker), limit);
        for (lane, hit) in hits.iter().enumerate() {
            // Written in any case, and kept if it may be hit: nothing to guess.
            suspects.slots[suspects.count] = columns[7][lane].to_bits();
            suspects.steps[suspects.count] = batch.steps[line_and_row(lane).0];
            suspects.count += usize::from(*hit != f32::INFINITY);
        }
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

/// The paths of a batch in columns, one for each number of a path; on the way the ways to their cells
/// are added to the places.
fn columns(lines: &[Line], batch: &Batch, ways: &Ways) -> Columns {
    let mut columns = [[0.0; WIDTH]; NUMBERS];
    for lane in 0..WIDTH {
        let (line, row) = line_and_row(lane);
        let path = &lines[batch.lines[line] as usize].0[row];
        let step = batch.steps[line] as usize;
        for axis in 0..3 {
            let way = ways[axis][(step >> (2 * axis)) % 4];
            columns[axis][lane] = path.place[axis] + way;
            columns[3 + axis][lane] = path.velocity[axis];
        }
        columns[6][lane] = path.collision;
        columns[7][lane] = f32::from_bits(path.slot);
    }
    columns
}

/// For each grain of a batch a time, in epochs from now, before which it is not hit; infinite if it is nobody, or not
/// hit at all, or not before it hits another, or not before `limit`.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "so that it is compiled for its caller's processor"
)]
pub(super) fn earliest_hits(
    columns: &Columns,
    seeker: &Seeker,
    reaches: &[f32; WIDTH],
    limit: f32,
) -> [f32; WIDTH] {
    let [x, y, z, vx, vy, vz, collision, slots] = columns;
    let s = seeker.now;
    let mut hits = [0.0; WIDTH];
    // A loop, since closures are not compiled for their caller's processor.
    for (l, hit) in hits.iter_mut().enumerate() {
        let apart = [
            x[l] - seeker.place[0] + vx[l] * s,
            y[l] - seeker.place[1] + vy[l] * s,
            z[l] - seeker.place[2] + vz[l] * s,
        ];
        let closing = [
            vx[l] - seeker.velocity[0],
            vy[l] - seeker.velocity[1],
            vz[l] - seeker.velocity[2],
        ];
        let stir = seeker.stir + (vx[l].abs() + vy[l].abs() + vz[l].abs());
        let b = dot(apart, closing);
        let c = dot(apart, apart) - reaches[l] * reaches[l];
        let v = dot(closing, closing);
        let b_error = B_ERROR * stir * stir;
        let discriminant = b * b - v * c + DISCRIMINANT_ERROR * stir * stir * stir;
        let opening = b > b_error;
        let passing = discriminant < 0.0;
        let root = discriminant.max(0.0).sqrt();
        let earliest = (c - GAP_ERROR * stir) / (b_error - b + root);
        let earliest = earliest * EARLIER - EARLIER_BY;
        let late = (earliest > limit) | (earliest > collision[l] - s);
        let slot = slots[l].to_bits();
        let nobody = (slot == seeker.slot) | (slot == NONE);
        // What is not a number is looked at.
        *hit = if nobody | opening | passing | late {
            f32::INFINITY
        } else {
            earliest.max(f32::NEG_INFINITY)
        };
    }
    hits
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "as its caller")]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
