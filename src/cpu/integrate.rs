//! Leapfrog: kick, drift, and the velocity predicted for the next force evaluation.
//!
//! ```text
//! v(t)        = v(t − Δt/2) + a(t) Δt/2            finish: velocity at the instant of the position
//! v(t + Δt/2) = v(t) + a(t) Δt/2                   begin: half a kick,
//! x(t + Δt)   = x(t) + v(t + Δt/2) Δt              drift, in whole units with the rest carried,
//! v*(t + Δt)  = v(t + Δt/2) + a(t) Δt/2            and the prediction that dampers see
//! ```
//!
//! Between two steps of a run both halves happen in one pass.

use super::bodies::{Bodies, Body, HalfStep};
use super::forces::EnergyQuantum;
use super::slots::Slots;
use crate::position::{Grid, round_to_unit};
use glam::DVec3;
use rayon::prelude::*;

/// Grains that one task integrates.
const GRAINS_PER_TASK: usize = 1024;

/// Which part of the leapfrog a pass does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// From velocities at the instant of the positions to the next positions.
    Begin,
    /// Finish one step and begin the next.
    Continue,
    /// Bring velocities to the instant of the positions.
    Finish,
}

/// What the integrator needs to know besides the grains.
#[derive(Debug)]
pub(crate) struct IntegrateContext<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) gravity: DVec3,
    pub(crate) time_step: f64,
    pub(crate) quantum: EnergyQuantum,
    /// Accelerations of a resumed run, by index; its forces are not in the slots.
    pub(crate) resumed: Option<&'a [(DVec3, DVec3)]>,
}

/// What one pass finds out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved {
    /// Largest speed, m/s.
    pub(crate) speed: f64,
    /// Potential energy that gravity handed over at periodic sides, J.
    pub(crate) crossed: f64,
    /// Smallest id among grains whose state is not finite.
    pub(crate) not_finite: Option<u32>,
}

impl Moved {
    const NONE: Self = Self {
        speed: 0.0,
        crossed: 0.0,
        not_finite: None,
    };

    fn merge(self, other: Self) -> Self {
        Self {
            speed: self.speed.max(other.speed),
            crossed: self.crossed + other.crossed,
            not_finite: match (self.not_finite, other.not_finite) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }
}

/// Acceleration and angular acceleration of one grain: its contacts summed in the order of the
/// partners' ids, and gravity.
#[inline]
pub(crate) fn acceleration(
    slots: &Slots,
    gravity: DVec3,
    body: &Body,
    index: usize,
) -> (DVec3, DVec3) {
    if body.is_fixed() {
        return (DVec3::ZERO, DVec3::ZERO);
    }
    let mut force = DVec3::ZERO;
    let mut torque = DVec3::ZERO;
    let mut moment = DVec3::ZERO;
    let own = slots.start[index] as usize..slots.start[index + 1] as usize;
    for &entry in &slots.incident[own] {
        let k = (entry >> 1) as usize;
        let slot = &slots.slot[k];
        let sign = if entry & 1 == 0 { 1.0 } else { -1.0 };
        force += sign * DVec3::from_array(slot.force);
        torque += DVec3::from_array(slot.torque);
        if let Some(extra) = slots.extra.get(k) {
            moment += sign * DVec3::from_array(extra.moment);
        }
    }
    (
        gravity + force * body.inverse_mass,
        (body.radius * torque + moment) * body.inverse_inertia(),
    )
}

/// Does one part of the leapfrog for all grains.
pub(crate) fn integrate(
    context: &IntegrateContext<'_>,
    part: Part,
    slots: &Slots,
    bodies: &mut Bodies,
) -> Moved {
    bodies
        .body
        .par_chunks_mut(GRAINS_PER_TASK)
        .zip(bodies.half.par_chunks_mut(GRAINS_PER_TASK))
        .zip(bodies.id.par_chunks(GRAINS_PER_TASK))
        .enumerate()
        .map(|(task, ((body, half), id))| {
            let mut moved = Moved::NONE;
            for (k, (body, half)) in body.iter_mut().zip(half).enumerate() {
                let index = task * GRAINS_PER_TASK + k;
                let (linear, angular) = match context.resumed {
                    Some(resumed) => resumed[index],
                    None => acceleration(slots, context.gravity, body, index),
                };
                moved = moved.merge(advance(context, part, linear, angular, body, half, id[k]));
            }
            moved
        })
        .reduce(|| Moved::NONE, Moved::merge)
}

#[inline]
fn advance(
    context: &IntegrateContext<'_>,
    part: Part,
    linear: DVec3,
    angular: DVec3,
    body: &mut Body,
    half: &mut HalfStep,
    id: u32,
) -> Moved {
    let half_step = 0.5 * context.time_step;
    if part != Part::Begin {
        body.velocity = (half.velocity + half_step * linear).to_array();
        body.spin = (half.spin + half_step * angular).to_array();
    }
    let mut moved = Moved::NONE;
    if part != Part::Finish {
        half.velocity = DVec3::from_array(body.velocity) + half_step * linear;
        half.spin = DVec3::from_array(body.spin) + half_step * angular;
        body.velocity = (half.velocity + half_step * linear).to_array();
        body.spin = (half.spin + half_step * angular).to_array();
        moved.speed = half.velocity.length();
        moved.crossed = drift(context, half.velocity, body);
    }
    let check = DVec3::from_array(body.units)
        + DVec3::from_array(body.velocity)
        + DVec3::from_array(body.spin);
    if !check.is_finite() {
        moved.not_finite = Some(id);
    }
    moved
}

/// Moves a grain by v Δt; returns the potential energy that gravity handed over at periodic sides.
#[inline]
fn drift(context: &IntegrateContext<'_>, velocity: DVec3, body: &mut Body) -> f64 {
    let crossed = displace(context.grid, velocity * context.time_step, body);
    if crossed == DVec3::ZERO {
        return 0.0;
    }
    let energy = context.gravity.dot(crossed) / body.inverse_mass;
    context.quantum.round(energy)
}

/// Moves a grain by `step` metres, as [`Grid::displace`] does on integers.
///
/// Returns how far it was set back (or forward) at periodic sides, m.
#[inline]
#[allow(
    clippy::cast_precision_loss,
    reason = "positions stay below 2^42 units"
)]
pub(crate) fn displace(grid: &Grid, step: DVec3, body: &mut Body) -> DVec3 {
    let mut crossed = DVec3::ZERO;
    for axis in 0..3 {
        let moved = body.remainder[axis] + step[axis] / grid.unit;
        let whole = round_to_unit(moved);
        body.remainder[axis] = moved - whole;
        body.units[axis] += whole;
        if grid.periodic[axis] {
            let period = grid.extent()[axis] as f64;
            let sides = -(body.units[axis] / period).floor();
            if sides != 0.0 {
                body.units[axis] += sides * period;
                crossed[axis] = sides * period * grid.unit;
            }
        }
    }
    crossed
}
