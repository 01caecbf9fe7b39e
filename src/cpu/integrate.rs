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
use super::effects::Effects;
use super::fetch::fetch_at;
use super::forces::EnergyQuantum;
#[cfg(target_arch = "x86_64")]
use super::four::Avx2Half;
use super::four::{AnyFour, Four};
use super::incident::TOGETHER;
use super::processor::Processor;
use crate::laws::number::WHOLE;
use crate::position::Grid;
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
    pub(crate) processor: Processor,
    pub(crate) grid: &'a Grid,
    pub(crate) gravity: DVec3,
    pub(crate) time_step: f64,
    pub(crate) quantum: EnergyQuantum,
    /// Accelerations of a resumed run, by index; its forces are not in the slots.
    pub(crate) resumed: Option<&'a [(DVec3, DVec3)]>,
    /// What grains in a fluid undergo, by index, and what becomes of gravity, by material.
    pub(crate) immersed: Option<(&'a [Kick<AnyFour>], &'a [f64])>,
}

/// What one pass finds out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moved {
    /// Square of the largest speed, m²/s², with which grains drift or at the instant of their positions.
    pub(crate) speed_squared: f64,
    /// Square of the longest shift at a beginning, m².
    pub(crate) shift_squared: f64,
    /// Potential energy that gravity handed over at periodic sides, J.
    pub(crate) crossed: f64,
    /// Smallest id among grains whose state is not finite; `u32::MAX` if all are.
    pub(crate) not_finite: u32,
    /// Bit k: a grain has passed a periodic side along axis k.
    pub(crate) wrapped: u32,
    /// Whether a grain is now outside the domain.
    pub(crate) left: bool,
}

impl Moved {
    pub(crate) const NONE: Self = Self {
        speed_squared: 0.0,
        shift_squared: 0.0,
        crossed: 0.0,
        not_finite: u32::MAX,
        wrapped: 0,
        left: false,
    };

    /// Moves a grain by `step` metres, as [`Grid::displace`] does on integers but for rounding, and takes note of what that
    /// means. The fourth number of `step` does nothing.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of integrate_any")]
    fn displace<F: Four>(
        &mut self,
        context: &IntegrateContext<'_>,
        wide: &Wide<F>,
        step: F,
        body: &mut Body,
    ) {
        let moved = step.times_plus(wide.per_metre, F::new(&body.remainder));
        let whole = (moved + wide.whole) - wide.whole;
        let units = F::new(&body.units) + whole;
        body.remainder = (moved - whole).to_array();
        body.units = units.to_array();
        if units.any_minus(wide.last - units) {
            self.cross(context, &wide.box_units, body);
        }
    }

    /// A grain has come to a side of the domain, or beyond it.
    #[cold]
    fn cross(&mut self, context: &IntegrateContext<'_>, box_units: &Box3, body: &mut Body) {
        let crossed = wrap(box_units, body);
        if crossed != DVec3::ZERO {
            let weight = context
                .immersed
                .map_or(1.0, |(_, weight)| weight[body.material()]);
            let energy = weight * context.gravity.dot(crossed) / body.inverse_mass();
            self.crossed += context.quantum.round(energy);
            for axis in 0..3 {
                self.wrapped |= u32::from(crossed[axis] != 0.0) << axis;
            }
        }
        self.left |= (0..3).any(|axis| !(0.0..=box_units.size[axis]).contains(&body.units[axis]));
    }

    pub(crate) fn merge(self, other: Self) -> Self {
        Self {
            speed_squared: self.speed_squared.max(other.speed_squared),
            shift_squared: self.shift_squared.max(other.shift_squared),
            crossed: self.crossed + other.crossed,
            not_finite: self.not_finite.min(other.not_finite),
            wrapped: self.wrapped | other.wrapped,
            left: self.left || other.left,
        }
    }
}

/// What all grains have in common, in vectors of four as their own state is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide<F> {
    /// Gravity, m/s²; then zero.
    gravity: F,
    /// Units per metre; then zero.
    per_metre: F,
    /// Last unit inside the domain; then infinite.
    last: F,
    /// Adding and subtracting it [rounds to units](crate::position::round_to_unit), and makes the fourth number zero.
    whole: F,
    /// Half a step; then zero.
    half_step: F,
    step: F,
    box_units: Box3,
}

impl<F: Four> Wide<F> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of integrate_any")]
    pub(crate) fn new(grid: &Grid, gravity: DVec3, time_step: f64) -> Self {
        /// Sums with it forget the other number.
        const FAR_ABOVE: f64 = 1e300;
        let three = |number: f64| F::new(&[number, number, number, 0.0]);
        let box_units = Box3::new(grid);
        let [x, y, z] =
            std::array::from_fn(|axis| box_units.period[axis].min(box_units.size[axis]) - 1.0);
        Self {
            gravity: F::new(&gravity.extend(0.0).to_array()),
            per_metre: three(box_units.per_metre),
            last: F::new(&[x, y, z, f64::INFINITY]),
            whole: F::new(&[WHOLE, WHOLE, WHOLE, FAR_ABOVE]),
            half_step: three(0.5 * time_step),
            step: F::all(time_step),
            box_units,
        }
    }
}

/// What a grain undergoes; fourth numbers mean nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kick<F> {
    /// Acceleration, m/s².
    linear: F,
    /// Angular acceleration, rad/s².
    angular: F,
    /// How far contacts that began off the middle of their kick shift it, m; `None` if none began.
    shift: Option<DVec3>,
}

impl<F: Four> Kick<F> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of integrate_any")]
    fn new(linear: DVec3, angular: DVec3) -> Self {
        Self {
            linear: F::new(&linear.extend(0.0).to_array()),
            angular: F::new(&angular.extend(0.0).to_array()),
            shift: None,
        }
    }

    /// What contacts do that did not just begin, and gravity.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of integrate_any")]
    fn of_contacts(wide: &Wide<F>, body: &Body, motion: &Motion, force: F, torque: F) -> Self {
        Self {
            // Rounded both: in a fluid gravity is added later, and one that does nothing must not change a bit.
            linear: wide.gravity + force * F::all(body.inverse_mass()),
            angular: torque * F::all(motion.lever()),
            shift: None,
        }
    }

    /// Acceleration, m/s².
    pub(crate) fn linear(&self) -> DVec3 {
        DVec3::from_slice(&self.linear.to_array())
    }

    pub(crate) fn set_linear(&mut self, linear: DVec3) {
        self.linear = F::new(&linear.extend(0.0).to_array());
    }

    /// The same in other vectors.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of integrate_any")]
    fn wide<G: Four>(&self) -> Kick<G> {
        Kick {
            linear: G::new(&self.linear.to_array()),
            angular: G::new(&self.angular.to_array()),
            shift: self.shift,
        }
    }

    /// Angular acceleration, rad/s².
    pub(crate) fn angular(&self) -> DVec3 {
        DVec3::from_slice(&self.angular.to_array())
    }
}

/// Adds up what the contacts of one grain do, in the order of the partners' ids, and gravity.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
pub(crate) fn kick<F: Four>(
    effects: &Effects<'_>,
    wide: &Wide<F>,
    body: &Body,
    motion: &Motion,
    index: usize,
) -> Kick<F> {
    if body.is_fixed() {
        return Kick::new(DVec3::ZERO, DVec3::ZERO);
    }
    let [force, torque] = effects.sum(index);
    let mut kick = Kick::of_contacts(wide, body, motion, force, torque);
    if effects.has_begun(index) {
        kick.shift = Some(effects.shift(index) * body.inverse_mass());
    }
    if effects.have_moments() {
        let moment = effects.moment(index) * (motion.lever() * body.curvature());
        kick.angular = kick.angular + F::new(&moment.extend(0.0).to_array());
    }
    kick
}

/// Does one part of the leapfrog for the grains from index `first` on, which is a multiple of [`TOGETHER`]. All vector
/// instructions give the same bits.
pub(crate) fn integrate(
    context: &IntegrateContext<'_>,
    part: Part,
    effects: &Effects<'_>,
    first: usize,
    body: &mut [Body],
    motion: &mut [Motion],
    id: &[u32],
) -> Moved {
    match context.processor {
        // SAFETY: the processor has these instructions: what has AVX-512 has AVX2.
        #[cfg(target_arch = "x86_64")]
        Processor::Avx512 | Processor::Avx2 => unsafe {
            integrate_avx2(context, part, effects, first, body, motion, id)
        },
        Processor::Any => integrate_any::<AnyFour>(context, part, effects, first, body, motion, id),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn integrate_avx2(
    context: &IntegrateContext<'_>,
    part: Part,
    effects: &Effects<'_>,
    first: usize,
    body: &mut [Body],
    motion: &mut [Motion],
    id: &[u32],
) -> Moved {
    integrate_any::<Avx2Half>(context, part, effects, first, body, motion, id)
}

#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
fn integrate_any<F: Four>(
    context: &IntegrateContext<'_>,
    part: Part,
    effects: &Effects<'_>,
    first: usize,
    body: &mut [Body],
    motion: &mut [Motion],
    id: &[u32],
) -> Moved {
    let wide = Wide::<F>::new(context.grid, context.gravity, context.time_step);
    let mut moved = Moved::NONE;
    let mut motions = Motions::<F>::none();
    let order = effects.deeds.order()[first..first + body.len()].chunks(TOGETHER);
    // As in most steps of most runs: compiled without all the rest.
    let plain = part == Part::Continue
        && context.resumed.is_none()
        && context.immersed.is_none()
        && !effects.have_moments();
    for (group, order) in order.enumerate() {
        let start = group * TOGETHER;
        for (place, &offset) in order.iter().enumerate() {
            let k = start + usize::from(offset);
            let index = first + k;
            fetch_at(body, start + place + TOGETHER);
            fetch_at(motion, start + place + TOGETHER);
            let (body, motion) = (&mut body[k], &mut motion[k]);
            if plain && !body.is_fixed() && !effects.has_begun(index) {
                let [force, torque] = effects.sum(index);
                let kick = Kick::of_contacts(&wide, body, motion, force, torque);
                let part = Part::Continue;
                motions.add(
                    advance(context, &wide, part, &kick, body, motion, &mut moved),
                    body,
                );
                continue;
            }
            let kick = match (context.resumed, context.immersed) {
                (Some(resumed), _) => {
                    let (linear, angular) = resumed[index];
                    Kick::new(linear, angular)
                }
                (None, Some((kicks, _))) => kicks[index].wide(),
                (None, None) => kick(effects, &wide, body, motion, index),
            };
            motions.add(
                advance(context, &wide, part, &kick, body, motion, &mut moved),
                body,
            );
        }
    }
    moved.speed_squared = motions.fastest;
    if !motions.are_finite() {
        moved.not_finite = smallest_not_finite(body, motion, id);
    }
    moved
}

/// What is asked of all motions. Apart from [`Moved`], so that it stays in registers.
struct Motions<F> {
    /// Square of the largest speed, m²/s².
    fastest: f64,
    /// Zero; infinities and NaN survive sums, and become NaN when multiplied by zero.
    finite: F,
}

impl<F: Four> Motions<F> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of integrate_any")]
    fn none() -> Self {
        Self {
            fastest: 0.0,
            finite: F::all(0.0),
        }
    }

    /// Adds that of a grain, its velocity and its spin.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of integrate_any")]
    fn add(&mut self, [velocity, spin]: [F; 2], body: &Body) {
        let [x, y, z, _] = (velocity * velocity).to_array();
        let squared = x + y + z;
        // Without a branch, which `max` would need for what is not a number.
        self.fastest = if squared > self.fastest {
            squared
        } else {
            self.fastest
        };
        let all = F::new(&body.units) + velocity + spin;
        self.finite = F::all(0.0).times_plus(all, self.finite);
    }

    fn are_finite(&self) -> bool {
        !self.finite.to_array().iter().any(|x| x.is_nan())
    }
}

/// The smallest id among grains whose state is not finite.
#[cold]
fn smallest_not_finite(body: &[Body], motion: &[Motion], id: &[u32]) -> u32 {
    let grains = body.iter().zip(motion).zip(id);
    let finite = |body: &Body, motion: &Motion| {
        let numbers = [body.units, motion.velocity, motion.spin];
        numbers.as_flattened().iter().all(|x| x.is_finite())
    };
    grains
        .filter(|((body, motion), _)| !finite(body, motion))
        .map(|(_, &id)| id)
        .min()
        .unwrap_or(u32::MAX)
}

/// Moves one grain on; returns its velocity and spin.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of integrate_any")]
fn advance<F: Four>(
    context: &IntegrateContext<'_>,
    wide: &Wide<F>,
    part: Part,
    kick: &Kick<F>,
    body: &mut Body,
    motion: &mut Motion,
    moved: &mut Moved,
) -> [F; 2] {
    let half_kick = wide.half_step * kick.linear;
    let half_twist = wide.half_step * kick.angular;
    let mut velocity = F::new(&motion.velocity);
    let mut spin = F::new(&motion.spin);
    let radius = F::all(motion.radius());
    if part != Part::Begin {
        velocity = velocity + half_kick;
        spin = spin + half_twist;
        if let Some(shift) = kick.shift {
            moved.shift_squared = moved.shift_squared.max(shift.length_squared());
            let step = F::new(&shift.extend(0.0).to_array());
            moved.displace(context, wide, step, body);
        }
    }
    if part == Part::Finish {
        body.predict(velocity, radius * spin);
    } else {
        velocity = velocity + half_kick;
        spin = spin + half_twist;
        body.predict(velocity + half_kick, radius * (spin + half_twist));
        moved.displace(context, wide, velocity * wide.step, body);
    }
    motion.velocity = velocity.to_array();
    motion.spin = spin.to_array();
    [velocity, spin]
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
