//! Contact forces: geometry → normal → tangential → rolling, eight contacts at a time.
//!
//! Contacts are loaded into [`Lanes`], one array per quantity, and each stage is a plain loop over
//! the lanes that calls a law from [`crate::laws`]; the compiler turns such loops into vector
//! instructions. Which law runs is decided once per stage, outside the loop.
//!
//! # A contact begins and ends inside a step
//!
//! A dashpot force jumps when grains touch, so sampling it once per step is only first order in the
//! restitution. Here the kick of a step, which covers [t − Δt/2, t + Δt/2], gets exactly the part of
//! the contact that lies in it:
//!
//! * **Begin.** δ > 0 for the first time, so the grains have touched for `t_s` = δ/δ̇. The contact acts
//!   for W = `t_s` + Δt/2 of this kick, while δ grows from 0 to δ̇W; a force ∝ δ^p averages 1/(p + 1)
//!   of its value at δ̇W over that window. A kick acts on positions as if all of it came at t; the
//!   middle of this window is (Δt − W)/2 later, and [`Touch::shift`] makes up for that.
//! * **End.** δ < 0, so the contact ended δ/δ̇ ago, `t_e` after the last position. The last kick took the
//!   force at that position for a whole step; the window that should have been covered lasts
//!   W = `t_e` + Δt/2, and the difference of the two impulses is applied now.
//! * **Damping** sees the velocity at the instant of the position. All dampers are linear in the
//!   rate, so with the rate without this contact's own force, δ̇*, the equation
//!   `F = F_e + c (δ̇* − F Δt/2m*)` is solved for F in closed form.

use super::bodies::{Bodies, Body};
use super::fetch::fetch;
use super::neighbours::Images;
use super::slots::{Action, Extra, Phase, Slot, Slots};
use super::walls::Face;
use crate::contact::{
    ContactModel, NormalCoefficients, NormalExponents, PairCoefficients, adaptive_coefficients,
    normal_response,
};
use crate::laws::hertz::hertz_tangent_stiffness;
use crate::laws::material::tangential_reduced_mass;
use crate::laws::{cohesion, ended_normal_force, rolling, tangential};
use crate::position::Grid;
use crate::scene::{CohesionLaw, NormalLaw, RollingLaw, TangentialLaw};
use crate::state::WALL;
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// Contacts that are evaluated together: two AVX2 registers, or one of AVX-512.
const WIDTH: usize = 8;

/// Slots that one task works through.
const SLOTS_PER_TASK: usize = 2048;

/// Slots that are loaded together, and then evaluated from the nearest cache; a multiple of `WIDTH`.
const SLOTS_PER_BLOCK: usize = 64;

/// How many slots ahead the grains are fetched.
const FETCH_AHEAD: usize = 16;

type Lane = [f64; WIDTH];
type Lane3 = [Lane; 3];

/// What the force loop needs to know besides the grains.
#[derive(Debug)]
pub(crate) struct ForceContext<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) images: Images,
    pub(crate) model: &'a ContactModel,
    pub(crate) faces: &'a [Face],
    pub(crate) time_step: f64,
    /// The first evaluation of a run: no contact has just begun, and velocities are exact.
    pub(crate) starting: bool,
    /// Whether elastic energies are wanted.
    pub(crate) measure: bool,
    /// Energies are rounded to multiples of this, so that their sum does not depend on its order.
    pub(crate) quantum: EnergyQuantum,
}

/// A grid of energies fine enough for a ledger and coarse enough for exact sums.
///
/// Sums of multiples of q are exact in `f64` as long as they stay below 2⁵³ q; exact sums have no
/// order. The rounding of each term is unbiased and 10⁻¹⁵ of the energy of the system.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EnergyQuantum {
    /// 1.5 · 2⁵² q: adding and subtracting it rounds to a multiple of q. Zero: no rounding.
    rounder: f64,
}

impl EnergyQuantum {
    /// A quantum for a system that holds at most about `scale`, a power of two, J.
    pub(crate) fn for_energy(scale: f64) -> Self {
        Self {
            rounder: 1.5 * 4.0 * scale,
        }
    }

    /// The power of two above an energy, so that rounding only cuts bits off; zero for none.
    pub(crate) fn scale_of(energy: f64) -> f64 {
        if energy > 0.0 && energy.is_finite() {
            energy.log2().ceil().exp2()
        } else {
            0.0
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "called per lane of the force loop")]
    pub(crate) fn round(self, energy: f64) -> f64 {
        (energy + self.rounder) - self.rounder
    }
}

/// What one evaluation adds up.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    pub(crate) contacts: u64,
    pub(crate) lost_normal: f64,
    pub(crate) lost_tangential: f64,
    pub(crate) lost_friction: f64,
    pub(crate) lost_rolling: f64,
    pub(crate) gained_mindlin: f64,
    pub(crate) elastic_normal: f64,
    pub(crate) elastic_tangential: f64,
    pub(crate) elastic_rolling: f64,
}

/// [`Sums`] lane by lane. Every term is rounded to the quantum, so no sum depends on its order.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct LaneSums {
    contacts: Lane,
    lost_normal: Lane,
    lost_tangential: Lane,
    lost_friction: Lane,
    lost_rolling: Lane,
    gained_mindlin: Lane,
    elastic_normal: Lane,
    elastic_tangential: Lane,
    elastic_rolling: Lane,
}

impl LaneSums {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_any")]
    fn add(&mut self, lanes: &Lanes, context: &ForceContext<'_>) {
        let quantum = context.quantum;
        for l in 0..WIDTH {
            self.contacts[l] += lanes.touches[l];
            self.lost_normal[l] += quantum.round(lanes.lost_normal[l]);
            self.lost_tangential[l] += quantum.round(lanes.lost_tangential[l]);
            self.lost_friction[l] += quantum.round(lanes.lost_friction[l]);
            self.gained_mindlin[l] += quantum.round(lanes.gained_mindlin[l]);
        }
        if context.model.laws.rolling != RollingLaw::None {
            for l in 0..WIDTH {
                self.lost_rolling[l] += quantum.round(lanes.lost_rolling[l]);
            }
        }
        if context.measure {
            for l in 0..WIDTH {
                self.elastic_normal[l] += quantum.round(lanes.elastic_normal[l]);
                self.elastic_tangential[l] += quantum.round(lanes.elastic_tangential[l]);
                self.elastic_rolling[l] += quantum.round(lanes.elastic_rolling[l]);
            }
        }
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of contacts"
    )]
    fn sums(&self) -> Sums {
        let sum = |lane: &Lane| lane.iter().sum::<f64>();
        Sums {
            contacts: sum(&self.contacts) as u64,
            lost_normal: sum(&self.lost_normal),
            lost_tangential: sum(&self.lost_tangential),
            lost_friction: sum(&self.lost_friction),
            lost_rolling: sum(&self.lost_rolling),
            gained_mindlin: sum(&self.gained_mindlin),
            elastic_normal: sum(&self.elastic_normal),
            elastic_tangential: sum(&self.elastic_tangential),
            elastic_rolling: sum(&self.elastic_rolling),
        }
    }
}

/// A contact that began in this step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    /// The grains, or the grain and `WALL` + face.
    pub(crate) first: u32,
    pub(crate) second: u32,
    /// Times the inverse mass of the first grain, how far to move it, kg m; the second, if it is a
    /// grain, the other way.
    pub(crate) shift: DVec3,
}

impl Sums {
    fn add(mut self, other: Self) -> Self {
        self.contacts += other.contacts;
        self.lost_normal += other.lost_normal;
        self.lost_tangential += other.lost_tangential;
        self.lost_friction += other.lost_friction;
        self.lost_rolling += other.lost_rolling;
        self.gained_mindlin += other.gained_mindlin;
        self.elastic_normal += other.elastic_normal;
        self.elastic_tangential += other.elastic_tangential;
        self.elastic_rolling += other.elastic_rolling;
        self
    }
}

/// Eight contacts, one array per quantity. SI units unless said otherwise.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Lanes {
    /// From the first grain to the second, units; then the unit normal n.
    normal: Lane3,
    /// `R_i` + `R_j` in units; for a wall, the overlap.
    touching: Lane,
    overlap: Lane,
    /// `v_i` − `v_j`.
    velocity: Lane3,
    /// `R_i` `ω_i` + `R_j` `ω_j`.
    surface_spin: Lane3,
    /// `ω_i` − `ω_j`.
    spin: Lane3,
    radius_i: Lane,
    /// Infinite for a wall.
    radius_j: Lane,
    inverse_mass: Lane,
    inertia_term_i: Lane,
    inertia_term_j: Lane,
    /// 1.0 where the contact was touching before.
    was_touching: Lane,
    old_force: Lane,
    /// Overlap at which the last evaluation took the tangential stiffness.
    old_evaluated: Lane,
    spring: Lane3,
    adaptive: [Lane; 2],
    rolling: Lane3,
    // Worked out by the stages.
    rate: Lane,
    /// Rate of the drift that led here, without this contact's last force.
    free_rate: Lane,
    slip: Lane3,
    reduced_mass: Lane,
    reduced_radius: Lane,
    /// 1.0 where the contact acts now.
    touches: Lane,
    /// 1.0 where it began in this step.
    begins: Lane,
    /// How long it acts in this kick, s.
    window: Lane,
    stiffness: Lane,
    damping: Lane,
    /// Overlap at which the laws are evaluated.
    evaluated: Lane,
    /// Repulsive part that friction works on.
    pressing: Lane,
    normal_force: Lane,
    tangential_force: Lane3,
    moment: Lane3,
    /// Part of the kick in which the contact acts.
    weight: Lane,
    force: Lane3,
    torque: Lane3,
    lost_normal: Lane,
    lost_tangential: Lane,
    lost_friction: Lane,
    lost_rolling: Lane,
    gained_mindlin: Lane,
    elastic_normal: Lane,
    elastic_tangential: Lane,
    elastic_rolling: Lane,
    /// Where the coefficients of the pair of materials are.
    row: [u32; WIDTH],
}

const ZERO: Lane = [0.0; WIDTH];
const ZERO3: Lane3 = [ZERO; 3];

impl Lanes {
    fn new() -> Self {
        Self {
            normal: ZERO3,
            touching: ZERO,
            overlap: ZERO,
            velocity: ZERO3,
            surface_spin: ZERO3,
            spin: ZERO3,
            radius_i: ZERO,
            radius_j: ZERO,
            inverse_mass: ZERO,
            inertia_term_i: ZERO,
            inertia_term_j: ZERO,
            row: [0; WIDTH],
            was_touching: ZERO,
            old_force: ZERO,
            old_evaluated: ZERO,
            spring: ZERO3,
            adaptive: [ZERO; 2],
            rolling: ZERO3,
            rate: ZERO,
            free_rate: ZERO,
            slip: ZERO3,
            reduced_mass: ZERO,
            reduced_radius: ZERO,
            touches: ZERO,
            begins: ZERO,
            window: ZERO,
            stiffness: ZERO,
            damping: ZERO,
            evaluated: ZERO,
            pressing: ZERO,
            normal_force: ZERO,
            tangential_force: ZERO3,
            moment: ZERO3,
            weight: ZERO,
            force: ZERO3,
            torque: ZERO3,
            lost_normal: ZERO,
            lost_tangential: ZERO,
            lost_friction: ZERO,
            lost_rolling: ZERO,
            gained_mindlin: ZERO,
            elastic_normal: ZERO,
            elastic_tangential: ZERO,
            elastic_rolling: ZERO,
        }
    }
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "called per lane of the force loop")]
fn vector(lanes: &Lane3, l: usize) -> DVec3 {
    DVec3::new(lanes[0][l], lanes[1][l], lanes[2][l])
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "called per lane of the force loop")]
fn set_vector(lanes: &mut Lane3, l: usize, value: DVec3) {
    lanes[0][l] = value.x;
    lanes[1][l] = value.y;
    lanes[2][l] = value.z;
}

/// Evaluates all contacts: forces and history in the slots, sums returned.
///
/// Also returns the contacts that began, in no particular order.
pub(crate) fn forces(
    context: &ForceContext<'_>,
    bodies: &Bodies,
    slots: &mut Slots,
) -> (Sums, Vec<Touch>) {
    let with_extra = !slots.extra.is_empty();
    let (pairs, walls) = slots.slot.split_at_mut(slots.pairs);
    let (pair_action, wall_action) = slots.action.split_at_mut(slots.pairs);
    let (pair_extra, wall_extra) = if with_extra {
        slots.extra.split_at_mut(slots.pairs)
    } else {
        slots.extra.split_at_mut(0)
    };
    let merge = |mut a: (Sums, Vec<Touch>), b: (Sums, Vec<Touch>)| {
        a.1.extend(b.1);
        (a.0.add(b.0), a.1)
    };
    let nothing = || (Sums::default(), Vec::new());
    let run = |slots: &mut [Slot], action: &mut [Action], extra: &mut [Extra], wall: bool| {
        let tasks = slots
            .par_chunks_mut(SLOTS_PER_TASK)
            .zip(action.par_chunks_mut(SLOTS_PER_TASK));
        if with_extra {
            tasks
                .zip(extra.par_chunks_mut(SLOTS_PER_TASK))
                .map(|((slots, action), extra)| {
                    evaluate(context, bodies, slots, action, extra, wall)
                })
                .reduce(nothing, merge)
        } else {
            tasks
                .map(|(slots, action)| evaluate(context, bodies, slots, action, &mut [], wall))
                .reduce(nothing, merge)
        }
    };
    let (between_grains, with_walls) = rayon::join(
        || run(pairs, pair_action, pair_extra, false),
        || run(walls, wall_action, wall_extra, true),
    );
    merge(between_grains, with_walls)
}

/// Picks the widest vector instructions the processor has. All give the same bits: Rust never
/// contracts a multiplication and an addition into one rounding.
fn evaluate(
    context: &ForceContext<'_>,
    bodies: &Bodies,
    slots: &mut [Slot],
    action: &mut [Action],
    extra: &mut [Extra],
    wall: bool,
) -> (Sums, Vec<Touch>) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vl") && has!("avx512dq") {
            // SAFETY: the processor has just been found to have these instructions.
            return unsafe { evaluate_avx512(context, bodies, slots, action, extra, wall) };
        }
        if has!("avx2") {
            // SAFETY: the processor has just been found to have these instructions.
            return unsafe { evaluate_avx2(context, bodies, slots, action, extra, wall) };
        }
    }
    evaluate_any(context, bodies, slots, action, extra, wall)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn evaluate_avx512(
    context: &ForceContext<'_>,
    bodies: &Bodies,
    slots: &mut [Slot],
    action: &mut [Action],
    extra: &mut [Extra],
    wall: bool,
) -> (Sums, Vec<Touch>) {
    evaluate_any(context, bodies, slots, action, extra, wall)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn evaluate_avx2(
    context: &ForceContext<'_>,
    bodies: &Bodies,
    slots: &mut [Slot],
    action: &mut [Action],
    extra: &mut [Extra],
    wall: bool,
) -> (Sums, Vec<Touch>) {
    evaluate_any(context, bodies, slots, action, extra, wall)
}

#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
fn evaluate_any(
    context: &ForceContext<'_>,
    bodies: &Bodies,
    slots: &mut [Slot],
    action: &mut [Action],
    extra: &mut [Extra],
    wall: bool,
) -> (Sums, Vec<Touch>) {
    let mut totals = LaneSums::default();
    let mut touches = Vec::new();
    let mut lanes = Lanes::new();
    let mut rows = Rows::new();
    for first in (0..slots.len()).step_by(SLOTS_PER_BLOCK) {
        let block = first..(first + SLOTS_PER_BLOCK).min(slots.len());
        let count = if wall {
            load_walls(&mut rows, context, bodies, slots, block)
        } else {
            load_pairs(&mut rows, context, bodies, slots, block)
        };
        rows.fill_up(count);
        for start in (0..count).step_by(WIDTH) {
            let filled = WIDTH.min(count - start);
            transpose(&mut lanes, &rows, start);
            if !extra.is_empty() {
                for l in 0..WIDTH {
                    let k = first + usize::from(rows.slot[start + l.min(filled - 1)]);
                    load_extra(&mut lanes, l, &extra[k], &slots[k], bodies);
                }
            }
            if wall {
                wall_geometry(&mut lanes);
            } else {
                geometry(&mut lanes, context);
            }
            kinematics(&mut lanes, wall);
            let table = context.model.table.as_slice();
            let row = lanes.row;
            if row == [row[0]; WIDTH] {
                // One pair of materials in all lanes: its coefficients stay in registers.
                let pair = table[row[0] as usize];
                laws(&mut lanes, context, filled, |_| &pair);
            } else {
                laws(&mut lanes, context, filled, |l| &table[row[l] as usize]);
            }
            totals.add(&lanes, context);
            for l in 0..filled {
                let k = first + usize::from(rows.slot[start + l]);
                let lost = store(
                    &lanes,
                    l,
                    context,
                    &mut slots[k],
                    &mut action[k],
                    extra.get_mut(k),
                );
                totals.lost_normal[l] += context.quantum.round(lost.0);
                totals.lost_tangential[l] += context.quantum.round(lost.1);
                if lanes.begins[l] != 0.0 {
                    let late = 0.5 * (lanes.window[l] - context.time_step) * context.time_step;
                    touches.push(Touch {
                        first: slots[k].first(),
                        second: slots[k].second,
                        shift: late * action[k].force(),
                    });
                }
            }
        }
    }
    (totals.sums(), touches)
}

/// A block of contacts as it comes from memory, contact by contact.
///
/// Written here and read later as lanes: a processor that is asked for eight numbers right after
/// they were written one by one has to wait.
#[repr(C, align(64))]
struct Rows {
    /// From the first grain to the second in units, and `R_i` + `R_j` in units; for a wall the unit
    /// normal and the overlap in metres.
    separation: [[f64; 4]; SLOTS_PER_BLOCK],
    /// `v_i` − `v_j`, and `1/m_i` + `1/m_j`.
    velocity: [[f64; 4]; SLOTS_PER_BLOCK],
    /// `R_i` `ω_i` + `R_j` `ω_j`, and `R_i`.
    surface_spin: [[f64; 4]; SLOTS_PER_BLOCK],
    /// Tangential spring, and the last normal force.
    history: [[f64; 4]; SLOTS_PER_BLOCK],
    /// `R_j`, infinite for a wall.
    radius_j: [f64; SLOTS_PER_BLOCK],
    /// 1.0 where the contact was touching before.
    was_touching: [f64; SLOTS_PER_BLOCK],
    /// Overlap at which the last evaluation took the tangential stiffness.
    old_evaluated: [f64; SLOTS_PER_BLOCK],
    /// Where the coefficients of the pair of materials are.
    row: [u32; SLOTS_PER_BLOCK],
    /// Which slot of the block it is.
    slot: [u16; SLOTS_PER_BLOCK],
}

impl Rows {
    fn new() -> Self {
        Self {
            separation: [[0.0; 4]; SLOTS_PER_BLOCK],
            velocity: [[0.0; 4]; SLOTS_PER_BLOCK],
            surface_spin: [[0.0; 4]; SLOTS_PER_BLOCK],
            history: [[0.0; 4]; SLOTS_PER_BLOCK],
            radius_j: [0.0; SLOTS_PER_BLOCK],
            was_touching: [0.0; SLOTS_PER_BLOCK],
            old_evaluated: [0.0; SLOTS_PER_BLOCK],
            row: [0; SLOTS_PER_BLOCK],
            slot: [0; SLOTS_PER_BLOCK],
        }
    }
}

impl Rows {
    /// Copies the last contact until the last batch is full; the copies are not stored.
    fn fill_up(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let last = count - 1;
        for k in count..count.next_multiple_of(WIDTH) {
            self.separation[k] = self.separation[last];
            self.velocity[k] = self.velocity[last];
            self.surface_spin[k] = self.surface_spin[last];
            self.history[k] = self.history[last];
            self.radius_j[k] = self.radius_j[last];
            self.was_touching[k] = self.was_touching[last];
            self.old_evaluated[k] = self.old_evaluated[last];
            self.row[k] = self.row[last];
        }
    }
}

/// Loads the pairs of a block that touch, or whose contact has still to be ended or cleared.
/// Returns how many.
#[inline(always)]
#[allow(
    clippy::inline_always,
    clippy::cast_possible_truncation,
    reason = "part of evaluate_any; small counts"
)]
fn load_pairs(
    rows: &mut Rows,
    context: &ForceContext<'_>,
    bodies: &Bodies,
    slots: &[Slot],
    block: Range<usize>,
) -> usize {
    let mut count = 0;
    for (k, slot) in slots[block.clone()].iter().enumerate() {
        if let Some(ahead) = slots.get(block.start + k + FETCH_AHEAD) {
            fetch(&bodies.body[ahead.second as usize]);
        }
        let a = &bodies.body[slot.first() as usize];
        let b = &bodies.body[slot.second as usize];
        let mut separation = [0.0; 4];
        for axis in 0..3 {
            let whole = context.images.nearest(axis, b.units[axis] - a.units[axis]);
            separation[axis] = whole + (b.remainder[axis] - a.remainder[axis]);
        }
        let [x, y, z, _] = separation;
        let touching = a.radius_units + b.radius_units;
        let close = x * x + y * y + z * z < touching * touching;
        separation[3] = touching;
        // Written in any case, kept only if the contact counts: cheaper than a wrong guess.
        rows.separation[count] = separation;
        for axis in 0..3 {
            rows.velocity[count][axis] = a.velocity[axis] - b.velocity[axis];
            rows.surface_spin[count][axis] = a.radius * a.spin[axis] + b.radius * b.spin[axis];
        }
        rows.velocity[count][3] = a.inverse_mass + b.inverse_mass;
        rows.surface_spin[count][3] = a.radius;
        rows.history[count] = slot.history();
        rows.radius_j[count] = b.radius;
        rows.old_evaluated[count] = slot.evaluated;
        rows.was_touching[count] = f64::from(u8::from(slot.phase() == Phase::Touching));
        rows.row[count] = context.model.row(a.material_index(), b.material_index()) as u32;
        rows.slot[count] = k as u16;
        count += usize::from(close || slot.phase() != Phase::Apart);
    }
    count
}

/// Loads the grain–wall pairs of a block. Returns how many.
#[allow(clippy::cast_possible_truncation, reason = "small counts")]
fn load_walls(
    rows: &mut Rows,
    context: &ForceContext<'_>,
    bodies: &Bodies,
    slots: &[Slot],
    block: Range<usize>,
) -> usize {
    let count = block.len();
    for (k, slot) in slots[block].iter().enumerate() {
        let a = &bodies.body[slot.first() as usize];
        let face = &context.faces[(slot.second - WALL) as usize];
        let seen = face.approach(context.grid, a.units, DVec3::from_array(a.remainder));
        let overlap = a.radius_units * context.grid.unit - seen.distance;
        rows.separation[k] = seen.normal.extend(overlap).to_array();
        for axis in 0..3 {
            rows.velocity[k][axis] = a.velocity[axis];
            rows.surface_spin[k][axis] = a.radius * a.spin[axis];
        }
        rows.velocity[k][3] = a.inverse_mass;
        rows.surface_spin[k][3] = a.radius;
        rows.history[k] = slot.history();
        rows.radius_j[k] = f64::INFINITY;
        rows.old_evaluated[k] = slot.evaluated;
        rows.was_touching[k] = f64::from(u8::from(slot.phase() == Phase::Touching));
        rows.row[k] = context.model.row(a.material_index(), face.material) as u32;
        rows.slot[k] = k as u16;
    }
    count
}

/// Lane by lane what the rows from `start` on hold contact by contact.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn transpose(lanes: &mut Lanes, rows: &Rows, start: usize) {
    let range = start..start + WIDTH;
    for (l, row) in rows.separation[range.clone()].iter().enumerate() {
        for axis in 0..3 {
            lanes.normal[axis][l] = row[axis];
        }
        lanes.touching[l] = row[3];
    }
    for (l, row) in rows.velocity[range.clone()].iter().enumerate() {
        for axis in 0..3 {
            lanes.velocity[axis][l] = row[axis];
        }
        lanes.inverse_mass[l] = row[3];
    }
    for (l, row) in rows.surface_spin[range.clone()].iter().enumerate() {
        for axis in 0..3 {
            lanes.surface_spin[axis][l] = row[axis];
        }
        lanes.radius_i[l] = row[3];
    }
    for (l, row) in rows.history[range.clone()].iter().enumerate() {
        for axis in 0..3 {
            lanes.spring[axis][l] = row[axis];
        }
        lanes.old_force[l] = row[3];
    }
    lanes
        .radius_j
        .copy_from_slice(&rows.radius_j[range.clone()]);
    lanes
        .was_touching
        .copy_from_slice(&rows.was_touching[range.clone()]);
    lanes
        .old_evaluated
        .copy_from_slice(&rows.old_evaluated[range.clone()]);
    lanes.row.copy_from_slice(&rows.row[range]);
}

/// What only rolling resistance and the adaptive law read.
fn load_extra(lanes: &mut Lanes, l: usize, extra: &Extra, slot: &Slot, bodies: &Bodies) {
    let first = &bodies.body[slot.first() as usize];
    let second = bodies.body.get(slot.second as usize);
    for axis in 0..3 {
        lanes.rolling[axis][l] = extra.rolling[axis];
        lanes.spin[axis][l] = first.spin[axis] - second.map_or(0.0, |b| b.spin[axis]);
    }
    for k in 0..2 {
        lanes.adaptive[k][l] = extra.adaptive[k];
    }
    lanes.inertia_term_i[l] = inertia_term(first);
    lanes.inertia_term_j[l] = second.map_or(0.0, inertia_term);
}

/// 1/(I + m R²) = 1/(7/5 m R²): what a grain adds to the rolling inertia.
fn inertia_term(body: &Body) -> f64 {
    body.inverse_mass / (1.4 * body.radius * body.radius)
}

/// The overlap with a wall came with its distance.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn wall_geometry(lanes: &mut Lanes) {
    lanes.overlap = lanes.touching;
}

/// Unit normal and overlap from the difference of the positions (see [`crate::position::overlap`]).
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn geometry(lanes: &mut Lanes, context: &ForceContext<'_>) {
    for l in 0..WIDTH {
        let [x, y, z] = [lanes.normal[0][l], lanes.normal[1][l], lanes.normal[2][l]];
        let squared = x * x + y * y + z * z;
        let distance = squared.sqrt();
        let touching = lanes.touching[l];
        lanes.overlap[l] =
            (touching * touching - squared) / (touching + distance) * context.grid.unit;
        // Coincident centres have no direction and get no force.
        let inverse = 1.0 / distance.max(f64::MIN_POSITIVE);
        lanes.normal[0][l] = x * inverse;
        lanes.normal[1][l] = y * inverse;
        lanes.normal[2][l] = z * inverse;
    }
}

/// Rate of approach, slip of the contact points, reduced mass and radius.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn kinematics(lanes: &mut Lanes, wall: bool) {
    for l in 0..WIDTH {
        let n = vector(&lanes.normal, l);
        let velocity = vector(&lanes.velocity, l);
        let rate = velocity.dot(n);
        let slip = velocity + vector(&lanes.surface_spin, l).cross(n) - rate * n;
        lanes.rate[l] = rate;
        set_vector(&mut lanes.slip, l, slip);
        lanes.reduced_mass[l] = 1.0 / lanes.inverse_mass[l];
        let (a, b) = (lanes.radius_i[l], lanes.radius_j[l]);
        lanes.reduced_radius[l] = if wall { a } else { a * b / (a + b) };
    }
}

/// All laws, in the order geometry → normal → tangential → rolling. Each law is named outside the
/// loop over the lanes, so that the loop contains nothing else.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn laws<'a>(
    lanes: &mut Lanes,
    context: &ForceContext<'_>,
    filled: usize,
    pair: impl Fn(usize) -> &'a PairCoefficients + Copy,
) {
    begin_and_end(lanes, context, filled, pair);
    macro_rules! normal_by {
        ($($law:ident),*) => {
            match context.model.laws.normal {
                $(NormalLaw::$law => normal(lanes, context, NormalLaw::$law, pair),)*
            }
        };
    }
    normal_by!(
        Linear,
        LinearStretched,
        HertzViscous,
        HertzTsuji,
        HertzKuwabaraKono,
        HertzAdaptive
    );
    match context.model.laws.tangential {
        TangentialLaw::None => {}
        TangentialLaw::Coulomb => coulomb(lanes, context, pair),
        TangentialLaw::Linear => slider(lanes, TangentialLaw::Linear, pair),
        TangentialLaw::Mindlin => slider(lanes, TangentialLaw::Mindlin, pair),
    }
    if context.model.laws.rolling != RollingLaw::None {
        rolling(lanes, context, pair);
    }
    if context.measure {
        energies(lanes, context);
    }
    act(lanes, context);
}

/// Force on the first grain and torque per radius, as they act over the whole kick.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn act(lanes: &mut Lanes, context: &ForceContext<'_>) {
    let per_step = 1.0 / context.time_step;
    for l in 0..WIDTH {
        let weight = if lanes.begins[l] != 0.0 {
            lanes.window[l] * per_step
        } else {
            1.0
        };
        let n = vector(&lanes.normal, l);
        let along = vector(&lanes.tangential_force, l);
        lanes.weight[l] = weight;
        set_vector(
            &mut lanes.force,
            l,
            weight * (along - lanes.normal_force[l] * n),
        );
        set_vector(&mut lanes.torque, l, weight * n.cross(along));
    }
}

/// Whether each contact acts, whether it has just begun, and for how much of this kick.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn begin_and_end<'a>(
    lanes: &mut Lanes,
    context: &ForceContext<'_>,
    filled: usize,
    pair: impl Fn(usize) -> &'a PairCoefficients,
) {
    let step = context.time_step;
    let starting = context.starting;
    for l in 0..WIDTH {
        let was = lanes.was_touching[l] != 0.0;
        let touches = lanes.overlap[l] > 0.0;
        let since = lanes.overlap[l] / lanes.rate[l];
        // A pair that overlapped from the start has no moment of touch.
        let begins = touches && !was && !starting && lanes.rate[l] > 0.0 && since <= step;
        lanes.touches[l] = f64::from(u8::from(touches));
        lanes.begins[l] = f64::from(u8::from(begins));
        lanes.window[l] = if begins { since + 0.5 * step } else { step };
    }
    if context.model.laws.cohesion == CohesionLaw::Jkr {
        for l in 0..WIDTH {
            let c = pair(l);
            let held = lanes.was_touching[l] != 0.0
                && lanes.overlap[l]
                    > cohesion::jkr_snap_off_overlap(
                        c.work_of_adhesion,
                        c.effective_young,
                        lanes.reduced_radius[l],
                    );
            if held {
                lanes.touches[l] = 1.0;
            }
        }
    }
    // What fills up a short batch does not act, and is not counted.
    for touches in &mut lanes.touches[filled..] {
        *touches = 0.0;
    }
    if context.model.laws.normal == NormalLaw::HertzAdaptive {
        for l in 0..WIDTH {
            if lanes.touches[l] != 0.0 && lanes.was_touching[l] == 0.0 {
                let [stiffness, damping] = adaptive_coefficients(
                    &context.model.laws,
                    pair(l),
                    lanes.reduced_mass[l],
                    lanes.reduced_radius[l],
                    lanes.rate[l].abs(),
                );
                lanes.adaptive[0][l] = stiffness;
                lanes.adaptive[1][l] = damping;
            }
        }
    }
}

/// Normal force: elastic, damping, cohesion.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn normal<'a>(
    lanes: &mut Lanes,
    context: &ForceContext<'_>,
    law: NormalLaw,
    pair: impl Fn(usize) -> &'a PairCoefficients,
) {
    let laws = &context.model.laws;
    let end = laws.end;
    let exponents = NormalExponents::of(law);
    let elastic_mean = 1.0 / (exponents.elastic + 1.0);
    let damping_mean = 1.0 / (exponents.damping + 1.0);
    let half = if context.starting { 0.0 } else { 0.5 };
    let mut elastic = ZERO;
    let mut damping = ZERO;
    for l in 0..WIDTH {
        let coefficients = NormalCoefficients::of(
            law,
            pair(l),
            lanes.reduced_mass[l],
            lanes.reduced_radius[l],
            [lanes.adaptive[0][l], lanes.adaptive[1][l]],
        );
        lanes.stiffness[l] = coefficients.stiffness;
        lanes.damping[l] = coefficients.damping;
        let begins = lanes.begins[l] != 0.0;
        let evaluated = if begins {
            lanes.rate[l] * lanes.window[l]
        } else {
            lanes.overlap[l].max(0.0)
        };
        lanes.evaluated[l] = evaluated;
        let (force, coefficient) = normal_response(law, coefficients, evaluated);
        elastic[l] = force * if begins { elastic_mean } else { 1.0 };
        damping[l] = coefficient * if begins { damping_mean } else { 1.0 };
    }
    let mut cohesive = ZERO;
    if laws.cohesion != CohesionLaw::None {
        for l in 0..WIDTH {
            // At a beginning, attraction is taken in the middle of the window.
            let overlap = if lanes.begins[l] != 0.0 {
                0.5 * lanes.evaluated[l]
            } else {
                lanes.overlap[l]
            };
            cohesive[l] = cohesive_force(lanes, l, context, overlap, elastic[l]);
        }
    }
    for l in 0..WIDTH {
        let window = lanes.window[l];
        let mobility = half * lanes.inverse_mass[l];
        // The rate that this instant would have without this contact's own force.
        let free = lanes.rate[l] + mobility * context.time_step * lanes.old_force[l];
        let rate = (free - mobility * window * (elastic[l] + cohesive[l]))
            / (1.0 + mobility * window * damping[l]);
        let unclamped = elastic[l] + damping[l] * rate;
        let damped = ended_normal_force(end, elastic[l], damping[l] * rate);
        let rate = if damped > unclamped {
            free - mobility * window * (damped + cohesive[l])
        } else {
            rate
        };
        let acts = lanes.touches[l];
        lanes.rate[l] = rate;
        lanes.free_rate[l] = free;
        lanes.pressing[l] = acts * damped;
        lanes.normal_force[l] = acts * (damped + cohesive[l]);
        lanes.lost_normal[l] = acts * (damped - elastic[l]) * rate * window;
    }
    if laws.cohesion == CohesionLaw::Jkr {
        // Elastic force and adhesion of a JKR neck cannot be told apart: friction works on the load
        // plus twice the pull-off force (Thornton 1991).
        for l in 0..WIDTH {
            let c = pair(l);
            let pull_off =
                cohesion::jkr_pull_off_force(c.work_of_adhesion, lanes.reduced_radius[l]).abs();
            lanes.pressing[l] = lanes.normal_force[l] + lanes.touches[l] * 2.0 * pull_off;
        }
    }
}

/// What cohesion adds to the elastic force `hertz`, N.
fn cohesive_force(
    lanes: &Lanes,
    l: usize,
    context: &ForceContext<'_>,
    overlap: f64,
    hertz: f64,
) -> f64 {
    let c = &context.model.table[lanes.row[l] as usize];
    let reduced = lanes.reduced_radius[l];
    match context.model.laws.cohesion {
        CohesionLaw::None => 0.0,
        CohesionLaw::Dmt => cohesion::dmt_force(c.work_of_adhesion, reduced),
        CohesionLaw::Sjkr => cohesion::sjkr_force(
            c.cohesion_energy_density,
            overlap.max(0.0),
            lanes.radius_i[l],
            lanes.radius_j[l],
        ),
        CohesionLaw::Jkr => {
            let a = cohesion::jkr_contact_radius(
                overlap,
                c.work_of_adhesion,
                c.effective_young,
                reduced,
            );
            // The JKR force is the whole elastic force: it replaces that of Hertz.
            cohesion::jkr_force(a, c.work_of_adhesion, c.effective_young, reduced) - hertz
        }
    }
}

/// Sliding friction without memory.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn coulomb<'a>(
    lanes: &mut Lanes,
    context: &ForceContext<'_>,
    pair: impl Fn(usize) -> &'a PairCoefficients,
) {
    for l in 0..WIDTH {
        let slip = vector(&lanes.slip, l);
        let limit = tangential::coulomb_limit(pair(l).friction, lanes.pressing[l]);
        let stopping = tangential_reduced_mass(lanes.reduced_mass[l]) / context.time_step;
        let force = lanes.touches[l] * tangential::coulomb_force(slip, limit, stopping);
        set_vector(&mut lanes.tangential_force, l, force);
        lanes.lost_friction[l] = -force.dot(slip) * lanes.window[l];
    }
}

/// Tangential spring and dashpot with a slider.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn slider<'a>(lanes: &mut Lanes, law: TangentialLaw, pair: impl Fn(usize) -> &'a PairCoefficients) {
    for l in 0..WIDTH {
        let slip = vector(&lanes.slip, l);
        let limit = tangential::coulomb_limit(pair(l).friction, lanes.pressing[l]);
        let acts = lanes.touches[l];
        let window = lanes.window[l];
        let (stiffness, damping) = tangential_coefficients(lanes, l, law, pair(l));
        // The stored spring belongs to half a step before this instant (zero at a beginning).
        let advance = 0.5 * window * slip;
        let carried =
            tangential::transport_spring(vector(&lanes.spring, l), vector(&lanes.normal, l));
        let stretched = carried + advance;
        let result = if law == TangentialLaw::Linear {
            tangential::linear_slider_force(stiffness, damping, stretched, slip, limit)
        } else {
            tangential::mindlin_slider_force(stiffness, damping, stretched, slip, limit)
        };
        set_vector(&mut lanes.tangential_force, l, acts * result.force);
        set_vector(&mut lanes.spring, l, result.spring + advance);
        let scale = acts * window;
        let lost_tangential = -scale * result.damping_force.dot(slip);
        // Of the work against the slip, what neither the dashpot nor the spring took: the spring
        // goes from ξ − h to ξ_c + h in this kick, with h half a step of slip and ξ_c what the
        // slider leaves of ξ.
        let slid = stretched - result.spring;
        let undamped = result.force + stiffness * result.spring;
        lanes.lost_tangential[l] = lost_tangential;
        lanes.lost_friction[l] =
            acts * stiffness * slid.dot(0.5 * (stretched + result.spring) - advance)
                - scale * undamped.dot(slip)
                - lost_tangential;
        lanes.elastic_tangential[l] =
            acts * tangential::tangential_elastic_energy(stiffness, result.spring);
        if law == TangentialLaw::Mindlin {
            // The stiffness ∝ √δ changes between two kicks, while the spring is as it was carried.
            let before = mindlin_per_root(lanes, l, pair(l)) * lanes.old_evaluated[l].sqrt();
            lanes.gained_mindlin[l] =
                acts * tangential::tangential_elastic_energy(stiffness - before, carried);
        }
    }
}

/// Tangential stiffness (N/m) and damping (N s/m) of one contact.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn tangential_coefficients(
    lanes: &Lanes,
    l: usize,
    law: TangentialLaw,
    c: &PairCoefficients,
) -> (f64, f64) {
    let mass = lanes.reduced_mass[l];
    if law == TangentialLaw::Linear {
        let tangential_mass = tangential_reduced_mass(mass);
        (
            c.tangential_stiffness + c.tangential_stiffness_per_mass * tangential_mass,
            c.tangential_damping + c.tangential_damping_per_mass * tangential_mass,
        )
    } else {
        let stiffness = mindlin_per_root(lanes, l, c) * tangential_overlap(lanes, l).sqrt();
        let damping = tangential::mindlin_damping(c.tangential_damping_ratio, stiffness, mass);
        (stiffness, c.tangential_damping + damping)
    }
}

/// Overlap that the tangential stiffness is taken at: at a beginning, in the middle of the window.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn tangential_overlap(lanes: &Lanes, l: usize) -> f64 {
    if lanes.begins[l] != 0.0 {
        0.5 * lanes.evaluated[l]
    } else {
        lanes.evaluated[l]
    }
}

/// Mindlin's stiffness at unit overlap, N/m^1.5.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn mindlin_per_root(lanes: &Lanes, l: usize, c: &PairCoefficients) -> f64 {
    c.tangential_stiffness + c.mindlin_modulus * lanes.reduced_radius[l].sqrt()
}

/// Rolling resistance.
fn rolling<'a>(
    lanes: &mut Lanes,
    context: &ForceContext<'_>,
    pair: impl Fn(usize) -> &'a PairCoefficients,
) {
    let law = context.model.laws.rolling;
    let exponents = NormalExponents::of(context.model.laws.normal);
    for l in 0..WIDTH {
        let c = pair(l);
        let n = vector(&lanes.normal, l);
        let velocity = rolling::rolling_velocity(vector(&lanes.spin, l), DVec3::ZERO, n);
        let reduced = lanes.reduced_radius[l];
        let limit = rolling::rolling_limit(c.rolling_friction, reduced, lanes.pressing[l].max(0.0));
        let inertia = 1.0 / (lanes.inertia_term_i[l] + lanes.inertia_term_j[l]);
        let acts = lanes.touches[l];
        let window = lanes.window[l];
        if law == RollingLaw::Constant {
            let stopping = inertia / context.time_step;
            let moment = acts * rolling::constant_rolling_moment(velocity, limit, stopping);
            set_vector(&mut lanes.moment, l, moment);
            lanes.lost_rolling[l] = -moment.dot(velocity) * window;
            continue;
        }
        let overlap = lanes.evaluated[l];
        let normal = lanes.stiffness[l];
        let tangent = if exponents.elastic > 1.0 {
            hertz_tangent_stiffness(normal, overlap)
        } else {
            normal
        };
        let stiffness = rolling::rolling_stiffness(tangent, c.rolling_friction, reduced);
        let damping = rolling::rolling_damping(c.rolling_damping, inertia, stiffness);
        let advance = 0.5 * window * velocity;
        let old = tangential::transport_spring(vector(&lanes.rolling, l), n);
        let result =
            rolling::spring_rolling_moment(stiffness, damping, old, advance, velocity, limit);
        set_vector(&mut lanes.moment, l, acts * result.moment);
        set_vector(&mut lanes.rolling, l, result.spring - stiffness * advance);
        let stored = rolling::rolling_elastic_energy(stiffness, result.spring);
        lanes.elastic_rolling[l] = acts * stored;
        let damped = result.moment - result.spring;
        let yielded = if stiffness > 0.0 {
            let test = old - stiffness * advance;
            (test - result.spring).dot(0.5 * (test + result.spring) / stiffness + advance)
        } else {
            0.0
        };
        // E = M²/2k falls without work while k ∝ √δ grows.
        let before = lanes.old_evaluated[l];
        let stiffening = if exponents.elastic > 1.0 && overlap > 0.0 && before > 0.0 {
            rolling::rolling_elastic_energy(stiffness, old) * ((overlap / before).sqrt() - 1.0)
        } else {
            0.0
        };
        lanes.lost_rolling[l] = acts * (yielded - damped.dot(velocity) * window + stiffening);
    }
}

/// Energy in the normal springs (those of the others are by-products of their laws).
fn energies(lanes: &mut Lanes, context: &ForceContext<'_>) {
    for l in 0..WIDTH {
        lanes.elastic_normal[l] =
            lanes.touches[l] * normal_energy(lanes, l, context, lanes.overlap[l]);
    }
}

/// Energy in the normal spring of one contact at overlap δ, cohesion included.
fn normal_energy(lanes: &Lanes, l: usize, context: &ForceContext<'_>, overlap: f64) -> f64 {
    use crate::laws::{hertz::hertz_elastic_energy, linear::linear_elastic_energy};
    let laws = &context.model.laws;
    let stiffness = lanes.stiffness[l];
    let c = &context.model.table[lanes.row[l] as usize];
    let reduced = lanes.reduced_radius[l];
    let above = overlap.max(0.0);
    let elastic = if NormalExponents::of(laws.normal).elastic > 1.0 {
        hertz_elastic_energy(stiffness, above)
    } else {
        linear_elastic_energy(stiffness, above)
    };
    match laws.cohesion {
        CohesionLaw::None => elastic,
        CohesionLaw::Dmt => elastic + cohesion::dmt_energy(c.work_of_adhesion, reduced, above),
        CohesionLaw::Sjkr => {
            elastic
                + cohesion::sjkr_energy(
                    c.cohesion_energy_density,
                    above,
                    lanes.radius_i[l],
                    lanes.radius_j[l],
                )
        }
        CohesionLaw::Jkr => {
            let a = cohesion::jkr_contact_radius(
                overlap,
                c.work_of_adhesion,
                c.effective_young,
                reduced,
            );
            cohesion::jkr_energy(a, c.work_of_adhesion, c.effective_young, reduced)
        }
    }
}

/// The impulse, as a force over one step, that makes up for a contact which ended inside it.
fn ending_force(lanes: &Lanes, l: usize, context: &ForceContext<'_>) -> (f64, f64) {
    let laws = &context.model.laws;
    let step = context.time_step;
    let rate = lanes.free_rate[l];
    if rate >= 0.0 {
        return (0.0, 0.0);
    }
    // Where the contact ends: at zero overlap, or where a JKR neck snaps.
    let c = &context.model.table[lanes.row[l] as usize];
    let coefficients = NormalCoefficients {
        stiffness: lanes.stiffness[l],
        damping: lanes.damping[l],
    };
    let reduced = lanes.reduced_radius[l];
    let end = if laws.cohesion == CohesionLaw::Jkr {
        cohesion::jkr_snap_off_overlap(c.work_of_adhesion, c.effective_young, reduced)
    } else {
        0.0
    };
    let exponents = NormalExponents::of(laws.normal);
    let since_end = ((lanes.overlap[l] - end) / rate).clamp(0.0, step);
    let to_end = step - since_end;
    let window = to_end + 0.5 * step;
    // Impulse over `duration`, and what it takes, at the overlap that the contact had `time` before
    // its end; `elastic_mean` and `damping_mean` average over the window from there to the end.
    let impulse = |time: f64, duration: f64, elastic_mean: f64, damping_mean: f64| {
        let overlap = end + rate.abs() * time;
        let (elastic, damping) = normal_response(laws.normal, coefficients, overlap.max(0.0));
        let (elastic, damping) = (elastic_mean * elastic, damping_mean * damping);
        let cohesive = cohesive_force(lanes, l, context, overlap, elastic);
        let damped = ended_normal_force(laws.end, elastic, damping * rate);
        (
            (damped + cohesive) * duration,
            (damped - elastic) * rate * duration,
        )
    };
    let should = impulse(
        window,
        window,
        1.0 / (exponents.elastic + 1.0),
        1.0 / (exponents.damping + 1.0),
    );
    let did = impulse(to_end, step, 1.0, 1.0);
    let force = (should.0 - did.0) / step;
    let mut lost = should.1 - did.1;
    if laws.cohesion == CohesionLaw::Jkr {
        // The energy still in the neck goes with it.
        lost += normal_energy(lanes, l, context, end);
    }
    (force, lost)
}

/// Puts a contact back into its slot; returns what its ending took, J: by the normal and by the
/// tangential part.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn store(
    lanes: &Lanes,
    l: usize,
    context: &ForceContext<'_>,
    slot: &mut Slot,
    action: &mut Action,
    extra: Option<&mut Extra>,
) -> (f64, f64) {
    if lanes.touches[l] == 0.0 {
        let mut lost = (0.0, 0.0);
        *action = Action::default();
        if lanes.was_touching[l] != 0.0 {
            let (force, taken) = ending_force(lanes, l, context);
            let n = vector(&lanes.normal, l);
            action.force = (-force * n).extend(0.0).to_array();
            lost = (taken, spring_left(lanes, l, context, slot));
            slot.set_phase(Phase::Ended);
        } else {
            slot.set_phase(Phase::Apart);
        }
        slot.spring = [0.0; 3];
        slot.normal_force = 0.0;
        slot.evaluated = 0.0;
        if let Some(extra) = extra {
            *extra = Extra::default();
        }
        return lost;
    }
    action.force = vector(&lanes.force, l).extend(0.0).to_array();
    action.torque = vector(&lanes.torque, l).extend(0.0).to_array();
    slot.normal_force = lanes.weight[l] * lanes.normal_force[l];
    slot.spring = vector(&lanes.spring, l).to_array();
    slot.evaluated = tangential_overlap(lanes, l);
    slot.set_phase(Phase::Touching);
    if let Some(extra) = extra {
        extra.adaptive = [lanes.adaptive[0][l], lanes.adaptive[1][l]];
        extra.rolling = vector(&lanes.rolling, l).to_array();
        extra.moment = (lanes.weight[l] * vector(&lanes.moment, l)).to_array();
    }
    (0.0, 0.0)
}

/// Energy in a tangential spring whose contact ends while it is stretched, J. Only a spring of
/// constant stiffness can be: Mindlin's vanishes with the overlap.
fn spring_left(lanes: &Lanes, l: usize, context: &ForceContext<'_>, slot: &Slot) -> f64 {
    if context.model.laws.tangential != TangentialLaw::Linear {
        return 0.0;
    }
    let pair = &context.model.table[lanes.row[l] as usize];
    let (stiffness, _) = tangential_coefficients(lanes, l, TangentialLaw::Linear, pair);
    tangential::tangential_elastic_energy(stiffness, DVec3::from_array(slot.spring))
}
