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
use std::hint::black_box;

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

    /// Moves a grain by `step` metres, as [`Grid::displace`] does on integers, and takes note of
    /// what that means. The fourth number of `step` does nothing.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of integrate_any")]
    fn displace(
        &mut self,
        context: &IntegrateContext<'_>,
        wide: &Wide,
        box_units: &Box3,
        step: [f64; 4],
        body: &mut Body,
    ) {
        let mut inside = true;
        for k in 0..4 {
            let moved = body.remainder[k] + step[k] * wide.per_metre[k];
            let whole = wide.first_three[k] * round_to_unit(moved);
            body.remainder[k] = moved - whole;
            body.units[k] += whole;
            inside &= body.units[k] >= 0.0 && body.units[k] < wide.end[k];
        }
        if !inside {
            self.cross(context, box_units, body);
        }
    }

    /// A grain has come to a side of the domain, or beyond it.
    #[cold]
    fn cross(&mut self, context: &IntegrateContext<'_>, box_units: &Box3, body: &mut Body) {
        let crossed = wrap(box_units, body);
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

/// What all grains have in common, in vectors of four as their own state is.
///
/// Known at run time only: were the fourth numbers constants, the compiler would take the vectors
/// apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide {
    /// Gravity, m/s²; then zero.
    gravity: [f64; 4],
    /// Takes away the fourth number.
    first_three: [f64; 4],
    /// Units per metre; then zero.
    per_metre: [f64; 4],
    /// Where the domain ends, units; then infinite.
    end: [f64; 4],
}

impl Wide {
    pub(crate) fn new(grid: &Grid, gravity: DVec3) -> Self {
        let box_units = Box3::new(grid);
        let [x, y, z] =
            std::array::from_fn(|axis| box_units.period[axis].min(box_units.size[axis]));
        black_box(Self {
            gravity: gravity.extend(0.0).to_array(),
            first_three: [1.0, 1.0, 1.0, 0.0],
            per_metre: DVec3::splat(box_units.per_metre).extend(0.0).to_array(),
            end: [x, y, z, f64::INFINITY],
        })
    }
}

/// What a grain undergoes; fourth numbers are zero.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Kick {
    /// Acceleration, m/s².
    linear: [f64; 4],
    /// Angular acceleration, rad/s².
    angular: [f64; 4],
    /// How far contacts that began off the middle of their kick shift it, m.
    shift: DVec3,
}

impl Kick {
    /// Of a resumed run.
    fn resumed((linear, angular): (DVec3, DVec3)) -> Self {
        Self {
            linear: linear.extend(0.0).to_array(),
            angular: angular.extend(0.0).to_array(),
            shift: DVec3::ZERO,
        }
    }

    /// Acceleration, m/s².
    pub(crate) fn linear(&self) -> DVec3 {
        DVec3::from_slice(&self.linear)
    }

    /// Angular acceleration, rad/s².
    pub(crate) fn angular(&self) -> DVec3 {
        DVec3::from_slice(&self.angular)
    }
}

/// Adds up what the contacts of one grain do, in the order of the partners' ids, and gravity.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
pub(crate) fn kick(slots: &Slots, wide: &Wide, body: &Body, motion: &Motion, index: usize) -> Kick {
    if body.is_fixed() {
        return Kick::default();
    }
    for &ahead in slots.incident.ahead_of(index, FETCH_AHEAD) {
        fetch(&slots.action[(ahead >> 1) as usize]);
    }
    let mut force = [0.0; 4];
    let mut torque = [0.0; 4];
    for &entry in slots.incident.of(index) {
        let action = &slots.action[(entry >> 1) as usize];
        let side = SIDE[(entry & 1) as usize];
        for k in 0..4 {
            force[k] += side * action.force[k];
            torque[k] += action.torque[k];
        }
    }
    let mut kick = Kick::default();
    // Either says whether a contact has just begun; both are asked to keep sums four wide.
    if force[3] != 0.0 || torque[3] != 0.0 {
        kick.shift = shift(slots, index) * body.inverse_mass();
    }
    for k in 0..4 {
        let of_axis = wide.first_three[k];
        kick.linear[k] = wide.gravity[k] + of_axis * force[k] * body.inverse_mass();
        kick.angular[k] = of_axis * torque[k] * motion.lever();
    }
    if !slots.extra.is_empty() {
        let moment = moment(slots, index) * (motion.lever() * body.curvature());
        for axis in 0..3 {
            kick.angular[axis] += moment[axis];
        }
    }
    kick
}

/// How far the contacts of a grain that have just begun would shift a unit mass, kg m.
#[cold]
fn shift(slots: &Slots, index: usize) -> DVec3 {
    let mut shift = DVec3::ZERO;
    for &entry in slots.incident.of(index) {
        let action = &slots.action[(entry >> 1) as usize];
        shift += SIDE[(entry & 1) as usize] * action.shift() * action.force();
    }
    shift
}

/// Rolling moment of the contacts of a grain, N m.
fn moment(slots: &Slots, index: usize) -> DVec3 {
    let mut moment = DVec3::ZERO;
    for &entry in slots.incident.of(index) {
        let extra = &slots.extra[(entry >> 1) as usize];
        moment += SIDE[(entry & 1) as usize] * DVec3::from_array(extra.moment);
    }
    moment
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
    let wide = Wide::new(context.grid, context.gravity);
    let box_units = Box3::new(context.grid);
    let mut moved = Moved::NONE;
    for (k, (body, motion)) in body.iter_mut().zip(motion).enumerate() {
        let kick = match context.resumed {
            Some(resumed) => Kick::resumed(resumed[first + k]),
            None => kick(slots, &wide, body, motion, first + k),
        };
        advance(
            context, &wide, &box_units, part, &kick, body, motion, &mut moved,
        );
        // Infinities and NaN survive sums.
        let mut check = [0.0; 4];
        for k in 0..4 {
            check[k] = body.units[k] + motion.velocity[k] + motion.spin[k];
        }
        if !check.iter().sum::<f64>().is_finite() {
            moved.not_finite = moved.not_finite.min(id[k]);
        }
    }
    moved
}

#[inline(always)]
#[allow(
    clippy::inline_always,
    clippy::too_many_arguments,
    reason = "part of integrate_any"
)]
fn advance(
    context: &IntegrateContext<'_>,
    wide: &Wide,
    box_units: &Box3,
    part: Part,
    kick: &Kick,
    body: &mut Body,
    motion: &mut Motion,
    moved: &mut Moved,
) {
    let half_step = 0.5 * context.time_step;
    let [half_kick, half_twist] = [kick.linear, kick.angular].map(|a| a.map(|a| half_step * a));
    let Motion {
        mut velocity,
        mut spin,
    } = *motion;
    let radius = motion.radius();
    if part != Part::Begin {
        velocity = sum(velocity, half_kick);
        spin = sum(spin, half_twist);
        if kick.shift != DVec3::ZERO {
            moved.shift_squared = moved.shift_squared.max(kick.shift.length_squared());
            let step = kick.shift.extend(0.0).to_array();
            moved.displace(context, wide, box_units, step, body);
        }
    }
    if part == Part::Finish {
        body.predict(velocity, spin.map(|x| radius * x));
    } else {
        velocity = sum(velocity, half_kick);
        spin = sum(spin, half_twist);
        let surface = sum(spin, half_twist).map(|x| radius * x);
        body.predict(sum(velocity, half_kick), surface);
        let [x, y, z, _] = velocity;
        moved.speed_squared = moved.speed_squared.max(x * x + y * y + z * z);
        let step = velocity.map(|v| v * context.time_step);
        moved.displace(context, wide, box_units, step, body);
    }
    *motion = Motion { velocity, spin };
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "part of integrate_any")]
fn sum(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    std::array::from_fn(|k| a[k] + b[k])
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

/// Brings a grain that has passed a periodic side back into the domain.
///
/// Returns how far it was set back (or forward), m.
fn wrap(box_units: &Box3, body: &mut Body) -> DVec3 {
    let mut crossed = DVec3::ZERO;
    for axis in 0..3 {
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
