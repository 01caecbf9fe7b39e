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

use super::bodies::{Body, Motion};
use super::fetch::fetch;
use super::forces::EnergyQuantum;
use super::slots::Slots;
use crate::position::{Grid, round_to_unit};
use glam::DVec3;

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
    /// Square of the longest shift at a beginning, m².
    pub(crate) shift_squared: f64,
    /// Potential energy that gravity handed over at periodic sides, J.
    pub(crate) crossed: f64,
    /// Smallest id among grains whose state is not finite; `u32::MAX` if all are.
    pub(crate) not_finite: u32,
    /// Whether a grain is now outside the domain.
    pub(crate) left: bool,
}

impl Moved {
    pub(crate) const NONE: Self = Self {
        speed_squared: 0.0,
        shift_squared: 0.0,
        crossed: 0.0,
        not_finite: u32::MAX,
        left: false,
    };

    /// Moves a grain and takes note of what that means.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of integrate_any")]
    fn add(
        &mut self,
        context: &IntegrateContext<'_>,
        box_units: &Box3,
        step: DVec3,
        body: &mut Body,
    ) {
        let crossed = displace(box_units, step, body);
        if crossed != DVec3::ZERO {
            let energy = context.gravity.dot(crossed) / body.inverse_mass();
            self.crossed += context.quantum.round(energy);
        }
        self.left |= (0..3).any(|axis| !(0.0..=box_units.size[axis]).contains(&body.units[axis]));
    }

    pub(crate) fn merge(self, other: Self) -> Self {
        Self {
            speed_squared: self.speed_squared.max(other.speed_squared),
            shift_squared: self.shift_squared.max(other.shift_squared),
            crossed: self.crossed + other.crossed,
            not_finite: self.not_finite.min(other.not_finite),
            left: self.left || other.left,
        }
    }
}

/// A contact acts on its second grain the other way.
const SIDE: [f64; 2] = [1.0, -1.0];

/// How many contacts ahead their actions are fetched.
const FETCH_AHEAD: usize = 64;

/// What a grain undergoes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Kick {
    /// Acceleration, m/s².
    pub(crate) linear: DVec3,
    /// Angular acceleration, rad/s².
    pub(crate) angular: DVec3,
    /// How far contacts that began off the middle of their kick shift it, m.
    pub(crate) shift: DVec3,
}

/// Adds up what the contacts of one grain do, in the order of the partners' ids, and gravity.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
pub(crate) fn kick(slots: &Slots, gravity: DVec3, body: &Body, radius: f64, index: usize) -> Kick {
    if body.is_fixed() {
        return Kick::default();
    }
    for &ahead in slots.incident.ahead_of(index, FETCH_AHEAD) {
        fetch(&slots.action[(ahead >> 1) as usize]);
    }
    let mut force = [0.0; 4];
    let mut torque = [0.0; 4];
    let mut shift = DVec3::ZERO;
    for &entry in slots.incident.of(index) {
        let action = &slots.action[(entry >> 1) as usize];
        let side = SIDE[(entry & 1) as usize];
        for axis in 0..4 {
            force[axis] += side * action.force[axis];
            torque[axis] += action.torque[axis];
        }
        if action.shift() != 0.0 {
            shift += side * action.shift() * action.force();
        }
    }
    let [force, torque] = [force, torque].map(|[x, y, z, _]| DVec3::new(x, y, z));
    let mut torque = radius * torque;
    if !slots.extra.is_empty() {
        let mut moment = DVec3::ZERO;
        for &entry in slots.incident.of(index) {
            let side = SIDE[(entry & 1) as usize];
            moment += side * DVec3::from_array(slots.extra[(entry >> 1) as usize].moment);
        }
        torque += moment;
    }
    Kick {
        linear: gravity + force * body.inverse_mass(),
        angular: torque * inverse_inertia(body.inverse_mass(), radius),
        shift: shift * body.inverse_mass(),
    }
}

/// The moment of inertia is 2/5 m R²; its inverse is zero for a fixed grain.
#[inline]
fn inverse_inertia(inverse_mass: f64, radius: f64) -> f64 {
    2.5 * inverse_mass / (radius * radius)
}

/// Does one part of the leapfrog for the grains from index `first` on, with the widest vector
/// instructions the processor has; all give the same bits.
pub(crate) fn integrate(
    context: &IntegrateContext<'_>,
    part: Part,
    slots: &Slots,
    first: usize,
    body: &mut [Body],
    motion: &mut [Motion],
    id: &[u32],
) -> Moved {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has just been found to have these instructions.
            return unsafe { integrate_avx2(context, part, slots, first, body, motion, id) };
        }
    }
    integrate_any(context, part, slots, first, body, motion, id)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn integrate_avx2(
    context: &IntegrateContext<'_>,
    part: Part,
    slots: &Slots,
    first: usize,
    body: &mut [Body],
    motion: &mut [Motion],
    id: &[u32],
) -> Moved {
    integrate_any(context, part, slots, first, body, motion, id)
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
    motion: &mut [Motion],
    id: &[u32],
) -> Moved {
    let box_units = Box3::new(context.grid);
    let mut moved = Moved::NONE;
    for (k, (body, motion)) in body.iter_mut().zip(motion).enumerate() {
        let kick = match context.resumed {
            Some(resumed) => {
                let (linear, angular) = resumed[first + k];
                Kick {
                    linear,
                    angular,
                    shift: DVec3::ZERO,
                }
            }
            None => kick(slots, context.gravity, body, motion.radius, first + k),
        };
        advance(context, &box_units, part, &kick, body, motion, &mut moved);
        // Infinities and NaN survive sums.
        let mut check = 0.0;
        for axis in 0..3 {
            check += body.units[axis] + motion.velocity[axis] + motion.spin[axis];
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
    kick: &Kick,
    body: &mut Body,
    motion: &mut Motion,
    moved: &mut Moved,
) {
    let half_step = 0.5 * context.time_step;
    let (half_kick, half_twist) = (half_step * kick.linear, half_step * kick.angular);
    let (mut velocity, mut spin) = (motion.velocity, motion.spin);
    if part != Part::Begin {
        velocity += half_kick;
        spin += half_twist;
        if kick.shift != DVec3::ZERO {
            moved.shift_squared = moved.shift_squared.max(kick.shift.length_squared());
            moved.add(context, box_units, kick.shift, body);
        }
    }
    if part == Part::Finish {
        body.predict(velocity, motion.radius * spin);
    } else {
        velocity += half_kick;
        spin += half_twist;
        body.predict(velocity + half_kick, motion.radius * (spin + half_twist));
        moved.speed_squared = moved.speed_squared.max(velocity.length_squared());
        moved.add(context, box_units, velocity * context.time_step, body);
    }
    motion.velocity = velocity;
    motion.spin = spin;
}

/// The domain in units, as the drift needs it.
#[derive(Debug, Clone, Copy)]
struct Box3 {
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
    fn new(grid: &Grid) -> Self {
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
fn displace(box_units: &Box3, step: DVec3, body: &mut Body) -> DVec3 {
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
