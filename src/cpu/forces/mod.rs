//! Contact forces: geometry → normal → tangential → rolling, some contacts at a time.
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
//!   middle of this window is (Δt − W)/2 later, and a shift of both grains makes up for that.
//! * **End.** δ < 0, so the contact ended δ/δ̇ ago, `t_e` after the last position. The last kick took the
//!   force at that position for a whole step; the window that should have been covered lasts
//!   W = `t_e` + Δt/2, and the difference of the two impulses is applied now; so is that of a tangential
//!   spring of constant stiffness, whose dashpot acts to the last moment.
//! * **Damping** sees the velocity at the instant of the position. All dampers are linear in the
//!   rate, so with the rate without this contact's own force, δ̇*, the equation
//!   `F = F_e + c (δ̇* − F Δt/2m*)` is solved for F in closed form.

mod lanes;
mod load;
mod normal;
mod pairing;
mod processor;
mod rolling;
mod roots;
mod store;
mod sums;
mod tangential;
mod turn;

use super::bodies::Body;
use super::fetch::fetch_at;
use super::neighbours::Images;
use super::slots::{self, Block, Phase};
use super::tasks::SlotsMut;
use super::walls::Face;
use crate::contact::{ContactModel, PairCoefficients};
use crate::position::Grid;
use crate::scene::{NormalLaw, RollingLaw, TangentialLaw};
use lanes::{BLOCKS, Lane, Lanes, WIDTH, any};
use load::{
    Factors, Rows, geometry, kinematics, load_extra, load_radii, needs_radii, recall, wall_geometry,
};
use normal::{begin_and_end, energies, normal};
use pairing::Pairing;
use processor::{AnyProcessor, Processor};
#[cfg(target_arch = "x86_64")]
use processor::{Avx2, Avx512};
use rolling::rolling;
use store::{act, end, remember, store, store_extra};
use sums::LaneSums;
pub(crate) use sums::{EnergyQuantum, Sums};
use tangential::{coulomb, slider, spring_energies};

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

/// Evaluates the contacts in some slots, all between grains or all with walls: forces and history
/// stay in the slots, sums are returned.
///
/// Picks the widest vector instructions the processor has. All give the same bits: Rust never
/// contracts a multiplication and an addition into one rounding.
pub(crate) fn evaluate(
    context: &ForceContext<'_>,
    body: &[Body],
    slots: SlotsMut<'_>,
    wall: bool,
) -> Sums {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vl") && has!("avx512dq") {
            // SAFETY: the processor has just been found to have these instructions.
            return unsafe { evaluate_avx512(context, body, slots, wall) };
        }
        if has!("avx2") {
            // SAFETY: the processor has just been found to have these instructions.
            return unsafe { evaluate_avx2(context, body, slots, wall) };
        }
    }
    evaluate_any::<AnyProcessor>(context, body, slots, wall)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn evaluate_avx512(
    context: &ForceContext<'_>,
    body: &[Body],
    slots: SlotsMut<'_>,
    wall: bool,
) -> Sums {
    evaluate_any::<Avx512>(context, body, slots, wall)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn evaluate_avx2(
    context: &ForceContext<'_>,
    body: &[Body],
    slots: SlotsMut<'_>,
    wall: bool,
) -> Sums {
    evaluate_any::<Avx2>(context, body, slots, wall)
}

#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
fn evaluate_any<P: Processor>(
    context: &ForceContext<'_>,
    body: &[Body],
    slots: SlotsMut<'_>,
    wall: bool,
) -> Sums {
    let SlotsMut {
        block: blocks,
        action,
        extra,
        count,
    } = slots;
    let factors = Factors::new(context);
    let mut totals = LaneSums::default();
    let mut lanes = Lanes::new();
    let mut rows = Rows::default();
    let mut pairing = Pairing::none();
    for first in (0..blocks.len()).step_by(BLOCKS) {
        let group = BLOCKS.min(blocks.len() - first);
        let (group, ahead) = blocks[first..].split_at_mut(group);
        let filled = WIDTH.min(count - first * slots::WIDTH);
        let places = first * slots::WIDTH..first * slots::WIDTH + filled;
        for ahead in ahead.iter().take(if wall { 0 } else { BLOCKS }) {
            for &second in &ahead.second {
                fetch_at(body, second as usize);
            }
        }
        for (b, block) in group.iter().enumerate() {
            if wall {
                let taken = slots::WIDTH.min(filled - b * slots::WIDTH);
                rows.load_walls(context, body, block, taken);
            } else {
                rows.load_pairs(&factors, body, block);
            }
            rows.turn::<P>(&mut lanes, b);
            recall(&mut lanes, b, block);
        }
        let pair_of = |l: usize| {
            let (block, l) = (&group[l / slots::WIDTH], l % slots::WIDTH);
            [block.first(l), block.second[l]]
        };
        if !extra.is_empty() {
            for (l, extra) in extra[places.clone()].iter().enumerate() {
                load_extra(&mut lanes, l, extra, pair_of(l), body);
            }
        }
        if needs_radii(context.model.laws.cohesion) {
            for l in 0..filled {
                load_radii(&mut lanes, l, pair_of(l), body);
            }
        }
        if wall {
            wall_geometry(&mut lanes);
        } else {
            geometry::<P>(&mut lanes, context);
        }
        kinematics(&mut lanes);
        let row = lanes.row;
        if !pairing.is_of(&lanes) {
            pairing.renew(&mut lanes, context, |l| context.model.at(row[l]));
        }
        begin_and_end(&mut lanes, context, filled, |l| context.model.at(row[l]));
        if !any(&lanes.touches) && group.iter().all(Block::all_apart) {
            continue;
        }
        if pairing.uniform {
            // One pair of materials in all lanes: its coefficients stay in registers.
            let pair = *context.model.at(row[0]);
            laws::<P>(&mut lanes, context, |_| &pair);
        } else {
            laws::<P>(&mut lanes, context, |l| context.model.at(row[l]));
        }
        totals.add(&lanes, context);
        let action = &mut action[places.start..][..group.len() * slots::WIDTH];
        for (b, (block, action)) in group.iter_mut().zip(action.as_chunks_mut().0).enumerate() {
            store::<P>(&lanes, b, action);
            remember(&lanes, b, block);
        }
        let ended: Lane = std::array::from_fn(|l| lanes.was_touching[l] * (1.0 - lanes.touches[l]));
        if any(&ended) {
            for l in (0..filled).filter(|&l| ended[l] != 0.0) {
                let [normal, tangential] = end(&lanes, l, context, &mut action[l]);
                totals.lost_normal[l] += context.quantum.round(normal);
                totals.lost_tangential[l] += context.quantum.round(tangential);
                group[l / slots::WIDTH].set_phase(l % slots::WIDTH, Phase::Ended);
            }
        }
        if !extra.is_empty() {
            for (l, extra) in extra[places].iter_mut().enumerate() {
                store_extra(&lanes, l, extra);
            }
        }
    }
    totals.sums()
}

/// All laws, in the order geometry → normal → tangential → rolling. Each law is named outside the
/// loop over the lanes, so that the loop contains nothing else.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
fn laws<'a, P: Processor>(
    lanes: &mut Lanes,
    context: &ForceContext<'_>,
    pair: impl Fn(usize) -> &'a PairCoefficients + Copy,
) {
    macro_rules! normal_by {
        ($($law:ident),*) => {
            match context.model.laws.normal {
                $(NormalLaw::$law => normal::<P>(lanes, context, NormalLaw::$law, pair),)*
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
        TangentialLaw::Linear => slider::<P>(lanes, TangentialLaw::Linear, pair),
        TangentialLaw::Mindlin => slider::<P>(lanes, TangentialLaw::Mindlin, pair),
    }
    if context.model.laws.rolling != RollingLaw::None {
        rolling(lanes, context, pair);
    }
    if context.measure {
        energies(lanes, context);
        let law = context.model.laws.tangential;
        if matches!(law, TangentialLaw::Linear | TangentialLaw::Mindlin) {
            spring_energies(lanes, law, pair);
        }
    }
    act(lanes, context);
}
