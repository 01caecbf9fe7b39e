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
use super::fetch::fetch;
use super::forces::EnergyQuantum;
use super::slots::Slots;
use crate::position::{Grid, round_to_unit};
use glam::DVec3;
use rayon::prelude::*;

/// Grains that one task integrates.
const GRAINS_PER_TASK: usize = 1024;

/// How many contacts ahead their actions are fetched.
const FETCH_AHEAD: usize = 64;

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
    /// Square of the largest speed, m²/s².
    pub(crate) speed_squared: f64,
    /// Potential energy that gravity handed over at periodic sides, J.
    pub(crate) crossed: f64,
    /// Smallest id among grains whose state is not finite; `u32::MAX` if all are.
    pub(crate) not_finite: u32,
    /// Whether a grain is now outside the domain.
    pub(crate) left: bool,
}

impl Moved {
    const NONE: Self = Self {
        speed_squared: 0.0,
        crossed: 0.0,
        not_finite: u32::MAX,
        left: false,
    };

    fn merge(self, other: Self) -> Self {
        Self {
            speed_squared: self.speed_squared.max(other.speed_squared),
            crossed: self.crossed + other.crossed,
            not_finite: self.not_finite.min(other.not_finite),
            left: self.left || other.left,
        }
    }
}

/// Acceleration and angular acceleration of one grain: its contacts summed in the order of the
/// partners' ids, and gravity.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
pub(crate) fn acceleration(
    slots: &Slots,
    gravity: DVec3,
    body: &Body,
    index: usize,
) -> (DVec3, DVec3) {
    if body.is_fixed() {
        return (DVec3::ZERO, DVec3::ZERO);
    }
    let first = slots.start[index] as usize;
    let last = slots.start[index + 1] as usize;
    let entries = slots.incident.len();
    for &ahead in
        &slots.incident[(first + FETCH_AHEAD).min(entries)..(last + FETCH_AHEAD).min(entries)]
    {
        fetch(&slots.action[(ahead >> 1) as usize]);
    }
    let own = &slots.incident[first..last];
    let mut force = [0.0; 4];
    let mut torque = [0.0; 4];
    for &entry in own {
        let action = &slots.action[(entry >> 1) as usize];
        for axis in 0..4 {
            force[axis] += seen_from(entry, action.force[axis]);
            torque[axis] += action.torque[axis];
        }
    }
    let [force, torque] = [force, torque].map(|[x, y, z, _]| DVec3::new(x, y, z));
    let mut torque = body.radius * torque;
    if !slots.extra.is_empty() {
        let mut moment = DVec3::ZERO;
        for &entry in own {
            let extra = &slots.extra[(entry >> 1) as usize];
            moment += DVec3::from_array(extra.moment.map(|m| seen_from(entry, m)));
        }
        torque += moment;
    }
    (
        gravity + force * body.inverse_mass,
        torque * body.inverse_inertia(),
    )
}

/// A contact acts on its second grain the other way. Flips the sign bit: a branch would be guessed
/// wrong every other time.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of acceleration")]
fn seen_from(entry: u32, value: f64) -> f64 {
    f64::from_bits(value.to_bits() ^ u64::from(entry & 1) << 63)
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
            let first = task * GRAINS_PER_TASK;
            integrate_task(context, part, slots, first, body, half, id)
        })
        .reduce(|| Moved::NONE, Moved::merge)
}

/// Picks the widest vector instructions the processor has; all give the same bits.
fn integrate_task(
    context: &IntegrateContext<'_>,
    part: Part,
    slots: &Slots,
    first: usize,
    body: &mut [Body],
    half: &mut [HalfStep],
    id: &[u32],
) -> Moved {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just been found to have these instructions.
            return unsafe { integrate_avx2(context, part, slots, first, body, half, id) };
        }
    }
    integrate_any(context, part, slots, first, body, half, id)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn integrate_avx2(
    context: &IntegrateContext<'_>,
    part: Part,
    slots: &Slots,
    first: usize,
    body: &mut [Body],
    half: &mut [HalfStep],
    id: &[u32],
) -> Moved {
    integrate_any(context, part, slots, first, body, half, id)
}

#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
fn integrate_any(
    context: &IntegrateContext<'_>,
    part: Part,
    slots: &Slots,
    first: usize,
    body: &mut [Body],
    half: &mut [HalfStep],
    id: &[u32],
) -> Moved {
    let box_units = Box3::new(context.grid);
    let mut moved = Moved::NONE;
    for (k, (body, half)) in body.iter_mut().zip(half).enumerate() {
        let acceleration = match context.resumed {
            Some(resumed) => resumed[first + k],
            None => acceleration(slots, context.gravity, body, first + k),
        };
        advance(
            context,
            &box_units,
            part,
            acceleration,
            body,
            half,
            &mut moved,
        );
        // Infinities and NaN survive sums.
        let mut check = 0.0;
        for axis in 0..3 {
            check += body.units[axis] + body.velocity[axis] + body.spin[axis];
        }
        if !check.is_finite() {
            moved.not_finite = moved.not_finite.min(id[k]);
        }
    }
    moved
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "part of integrate_any")]
fn advance(
    context: &IntegrateContext<'_>,
    box_units: &Box3,
    part: Part,
    (linear, angular): (DVec3, DVec3),
    body: &mut Body,
    half: &mut HalfStep,
    moved: &mut Moved,
) {
    let half_step = 0.5 * context.time_step;
    if part != Part::Begin {
        body.velocity = (half.velocity + half_step * linear).to_array();
        body.spin = (half.spin + half_step * angular).to_array();
    }
    if part == Part::Finish {
        return;
    }
    half.velocity = DVec3::from_array(body.velocity) + half_step * linear;
    half.spin = DVec3::from_array(body.spin) + half_step * angular;
    body.velocity = (half.velocity + half_step * linear).to_array();
    body.spin = (half.spin + half_step * angular).to_array();
    moved.speed_squared = moved.speed_squared.max(half.velocity.length_squared());
    let crossed = displace(box_units, half.velocity * context.time_step, body);
    if crossed != DVec3::ZERO {
        let energy = context.gravity.dot(crossed) / body.inverse_mass;
        moved.crossed += context.quantum.round(energy);
    }
    moved.left |= (0..3).any(|axis| !(0.0..=box_units.size[axis]).contains(&body.units[axis]));
}

/// The domain in units, as the drift needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Box3 {
    unit: f64,
    per_metre: f64,
    /// Infinite along axes that are not periodic.
    period: [f64; 3],
    size: [f64; 3],
}

impl Box3 {
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    pub(crate) fn new(grid: &Grid) -> Self {
        let extent = grid.extent();
        Self {
            unit: grid.unit,
            per_metre: 1.0 / grid.unit,
            size: grid.size.map(|x| x as f64),
            period: std::array::from_fn(|axis| {
                if grid.periodic[axis] {
                    extent[axis] as f64
                } else {
                    f64::INFINITY
                }
            }),
        }
    }
}

/// Moves a grain by `step` metres, as [`Grid::displace`] does on integers.
///
/// Returns how far it was set back (or forward) at periodic sides, m.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of integrate_any")]
pub(crate) fn displace(box_units: &Box3, step: DVec3, body: &mut Body) -> DVec3 {
    let mut crossed = DVec3::ZERO;
    for axis in 0..3 {
        let moved = body.remainder[axis] + step[axis] * box_units.per_metre;
        let whole = round_to_unit(moved);
        body.remainder[axis] = moved - whole;
        body.units[axis] += whole;
        let period = box_units.period[axis];
        let beyond = body.units[axis] < 0.0 || body.units[axis] >= period;
        if beyond && period.is_finite() {
            let sides = -(body.units[axis] / period).floor();
            body.units[axis] += sides * period;
            crossed[axis] = sides * period * box_units.unit;
        }
    }
    crossed
}
