//! Contact forces: geometry → normal → tangential → rolling, eight contacts at a time.
//!
//! A block of contacts goes from memory to memory in registers, one register per quantity
//! ([`Eight`]): the laws of [`crate::laws`] that run at every step are written for one contact or several. What is
//! rare, contacts that end and laws few ask for, is done contact by contact ([`lanes`]), and blocks without any of that go a
//! way of their own.
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
mod meeting;
mod normal;
mod pairing;
mod pressed;
mod rolling;
mod store;
mod sums;
mod tangential;

use super::bodies::Body;
use super::eight::{AnyEight, Eight, Part, WIDTH};
#[cfg(target_arch = "x86_64")]
use super::eight::{Avx2Eight, Avx512Eight};
use super::fetch::fetch_at;
use super::neighbours::Images;
use super::processor::Processor;
use super::slots::{Action, Block, Extra, Phase};
use super::tasks::SlotsMut;
use super::walls::Face;
use crate::contact::ContactModel;
use crate::laws::number::{Truth, Vector};
use crate::position::Grid;
use crate::scene::{CohesionLaw, NormalLaw, RollingLaw};
use lanes::{Lane3, Pairs, set_bits};
use meeting::{Meeting, Signs};
use normal::{
    Acting, Depth, Ending, Normal, adapt, cohesive_forces, ending, necks, normal_energy,
    pressing_of_necks,
};
use pairing::Pairing;
use pressed::Pressed;
use rolling::Rolling;
use sums::LaneSums;
pub(crate) use sums::{EnergyQuantum, Sums};
use tangential::{carried, ending_friction};

/// How many blocks ahead bodies are asked for …
const FETCH_AHEAD: usize = 4;

/// … if there are so many. With 1000 grains asking costs 4 % of the time; with 20 000 it pays where others use the caches too.
const FETCH_FROM: usize = 1 << 13;

/// What the force loop needs to know besides the grains.
#[derive(Debug)]
pub(crate) struct ForceContext<'a> {
    pub(crate) processor: Processor,
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
/// All vector instructions give the same bits: a product and a sum are rounded once where the laws say so, and nowhere
/// else.
pub(crate) fn evaluate(
    context: &ForceContext<'_>,
    body: &[Body],
    slots: SlotsMut<'_>,
    wall: bool,
) -> Sums {
    match context.processor {
        // SAFETY: the processor has these instructions.
        #[cfg(target_arch = "x86_64")]
        Processor::Avx512 => unsafe {
            if wall {
                evaluate_avx512::<true>(context, body, slots)
            } else {
                evaluate_avx512::<false>(context, body, slots)
            }
        },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Processor::Avx2 => unsafe {
            if wall {
                evaluate_avx2::<true>(context, body, slots)
            } else {
                evaluate_avx2::<false>(context, body, slots)
            }
        },
        Processor::Any if wall => evaluate_any::<AnyEight, true>(context, body, slots),
        Processor::Any => evaluate_any::<AnyEight, false>(context, body, slots),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn evaluate_avx512<const WALL: bool>(
    context: &ForceContext<'_>,
    body: &[Body],
    slots: SlotsMut<'_>,
) -> Sums {
    evaluate_any::<Avx512Eight, WALL>(context, body, slots)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,popcnt")]
fn evaluate_avx2<const WALL: bool>(
    context: &ForceContext<'_>,
    body: &[Body],
    slots: SlotsMut<'_>,
) -> Sums {
    evaluate_any::<Avx2Eight, WALL>(context, body, slots)
}

#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
fn evaluate_any<N: Eight, const WALL: bool>(
    context: &ForceContext<'_>,
    body: &[Body],
    slots: SlotsMut<'_>,
) -> Sums {
    let SlotsMut {
        block: blocks,
        action,
        extra,
        count,
    } = slots;
    let mut one_by_one = Sums::default();
    let mut totals = LaneSums::<N>::new();
    let mut pairing = Pairing::none();
    let laws = &context.model.laws;
    let signs = Signs::new(context.model.materials);
    let plain = is_plain(context);
    let fetches = !WALL && body.len() >= FETCH_FROM;
    for (b, action) in action.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
        if let Some(ahead) = blocks.get(b + FETCH_AHEAD)
            && fetches
        {
            for &second in &ahead.second {
                fetch_at(body, second as usize);
            }
        }
        let block = &mut blocks[b];
        let taken = WIDTH.min(count - b * WIDTH);
        let meeting = if WALL {
            Meeting::<N>::of_walls(context, body, block, taken)
        } else {
            Meeting::of_pairs(context, &signs, body, block)
        };
        if !pairing.is_of(&meeting) {
            pairing = Pairing::of(context, &meeting);
        }
        let was = block.touching::<N>();
        let mut acting = Acting::new(context, &meeting, was);
        if laws.cohesion == CohesionLaw::Jkr {
            let pairs = Pairs::new(context, &pairing, block, body);
            acting.touches = acting.touches | necks(&pairs, meeting.overlap, was);
        }
        if taken < WIDTH {
            // What fills up a block does not act, and is not counted.
            acting.touches = acting.touches & N::truth((1 << taken) - 1);
            acting.begins = acting.begins & acting.touches;
        }
        let ended = was & !acting.touches;
        if !(acting.touches | ended).any() && block.all_apart() {
            continue;
        }
        let places = if extra.is_empty() {
            0..0
        } else {
            b * WIDTH..(b + 1) * WIDTH
        };
        let contacts = Contacts {
            context,
            body,
            block,
            action,
            extra: &mut extra[places],
            pairing: &pairing,
            meeting,
            acting,
            ended,
        };
        if !plain || (acting.begins | ended).any() {
            contacts.act::<false>(&mut totals, &mut one_by_one);
        } else {
            contacts.act::<true>(&mut totals, &mut one_by_one);
        }
    }
    totals.add_to(one_by_one)
}

/// Whether no law has to be worked out contact by contact, and elastic energies are not wanted.
fn is_plain(context: &ForceContext<'_>) -> bool {
    let laws = &context.model.laws;
    !context.measure
        && laws.normal != NormalLaw::HertzAdaptive
        && laws.cohesion == CohesionLaw::None
        && laws.rolling == RollingLaw::None
}

/// The contacts of a block, and how they meet.
struct Contacts<'a, N: Eight> {
    context: &'a ForceContext<'a>,
    body: &'a [Body],
    block: &'a mut Block,
    action: &'a mut [Action; WIDTH],
    /// Empty unless a law needs it.
    extra: &'a mut [Extra],
    pairing: &'a Pairing<N>,
    meeting: Meeting<N>,
    acting: Acting<N>,
    /// Those that touched at the last evaluation, and no longer do.
    ended: N::Truth,
}

impl<N: Eight> Contacts<'_, N> {
    /// Has them do what they do, and books what that takes.
    ///
    /// `STEADY`: none of them begins or ends, and nothing is [rare](is_plain), as in most blocks of most steps. Whatever that
    /// leaves out need not be kept until it is asked for: there are too few registers, and what has no place in them
    /// goes to memory and back.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_any")]
    fn act<const STEADY: bool>(self, totals: &mut LaneSums<N>, one_by_one: &mut Sums) {
        let Self {
            context,
            body,
            block,
            action,
            extra,
            pairing,
            meeting,
            mut acting,
            ended,
        } = self;
        if STEADY {
            acting.begins = N::truth(0);
            acting.window = N::all(context.time_step);
        }
        let laws = &context.model.laws;
        let touches = acting.touches;
        let quantum = context.quantum;
        one_by_one.contacts += u64::from(N::bits(touches).count_ones());
        let mut adapted;
        let pairing = if !STEADY && laws.normal == NormalLaw::HertzAdaptive {
            let first = touches & !block.touching::<N>();
            adapted = *pairing;
            adapted.normal = adapt(context, pairing, meeting.rate, first, extra);
            &adapted
        } else {
            pairing
        };
        // For what is rare.
        let pairs = if STEADY {
            None
        } else {
            Some(Pairs::new(context, pairing, block, body))
        };
        let cohesive = match &pairs {
            Some(pairs) if laws.cohesion != CohesionLaw::None => {
                Some(|overlap: N, elastic: N| cohesive_forces(pairs, touches, overlap, elastic))
            }
            _ => None,
        };
        let depth = Depth::new(laws, &meeting, &acting);
        // Springs are turned while roots are worked out.
        let [x, y, z] = &block.spring;
        let spring = Vector::new([N::new(x), N::new(y), N::new(z)]);
        let carried = carried(laws.tangential, spring, meeting.normal);
        let old_force = N::new(&block.normal_force);
        let mut normal = Normal::new(
            context, &meeting, &acting, pairing, depth, old_force, cohesive,
        );
        quantum.book(&mut totals.lost_normal, touches, normal.lost);
        if let Some(pairs) = &pairs
            && laws.cohesion == CohesionLaw::Jkr
        {
            normal.pressing = pressing_of_necks(pairs, normal.force, touches);
        }
        let pressed = Pressed {
            context,
            meeting,
            acting,
            pairing: *pairing,
            normal,
            carried,
            first: 0,
        };
        let Some(pairs) = pairs else {
            // There are registers for one part, and little to wait for from here on.
            pressed.part(0).rub_and_store(block, action, totals);
            if N::Part::COUNT < WIDTH {
                pressed
                    .part(N::Part::COUNT)
                    .rub_and_store(block, action, totals);
            }
            block.set_touching::<N>(touches);
            return;
        };
        let tangential = pressed.rub(block, totals);
        let mut rolling = Rolling::none();
        if laws.rolling != RollingLaw::None {
            rolling = Rolling::new(&pairs, &meeting, &acting, &normal, block, body, extra);
            quantum.book(&mut totals.lost_rolling, touches, rolling.lost);
        }
        if context.measure {
            let overlap = meeting.overlap.to_array();
            let energy = N::new(&std::array::from_fn(|l| {
                normal_energy(&pairs, &pairs.at(l), overlap[l])
            }));
            quantum.book(&mut totals.elastic_normal, touches, energy);
            quantum.book(&mut totals.elastic_tangential, touches, tangential.elastic);
            quantum.book(&mut totals.elastic_rolling, touches, rolling.elastic);
        }

        // Not by `then`: a closure would not be compiled for this processor.
        let ends = if ended.any() {
            Some(Ends {
                pairs,
                ended: N::bits(ended),
                overlap: meeting.overlap.to_array(),
                free_rate: normal.free_rate.to_array(),
                normal: Lane3::new(meeting.normal),
                carried: Lane3::new(tangential.carried),
                slip: Lane3::new(meeting.slip),
            })
        } else {
            None
        };
        let weight = pressed.store(&tangential, block, action);
        block.set_touching::<N>(touches);
        if let Some(ends) = ends {
            ends.act(block, action, one_by_one);
        }
        if !extra.is_empty() {
            keep_extra(extra, N::bits(touches), &weight.to_array());
        }
    }
}

/// Of what only some laws need, nothing is kept of contacts that do not touch; moments act as long as contacts do.
fn keep_extra(extra: &mut [Extra], touches: u8, weight: &[f64; WIDTH]) {
    for (l, extra) in extra.iter_mut().enumerate() {
        if touches >> l & 1 == 1 {
            extra.moment = extra.moment.map(|x| weight[l] * x);
        } else {
            *extra = Extra::default();
        }
    }
}

/// Contacts of a block that ended in this step, and what is known of all.
struct Ends<'a> {
    pairs: Pairs<'a>,
    ended: u8,
    overlap: [f64; WIDTH],
    free_rate: [f64; WIDTH],
    normal: Lane3,
    carried: Lane3,
    slip: Lane3,
}

impl Ends<'_> {
    /// Has them do what they still have to do, and books what that takes.
    #[cold]
    fn act(&self, block: &mut Block, action: &mut [Action; WIDTH], sums: &mut Sums) {
        let quantum = self.pairs.context.quantum;
        for l in set_bits(self.ended) {
            let pair = self.pairs.at(l);
            let ending = ending(&self.pairs, &pair, self.overlap[l], self.free_rate[l]);
            let Self { carried, slip, .. } = self;
            let (along, taken) = ending_friction(
                &self.pairs,
                &pair,
                carried.at(l),
                slip.at(l),
                ending.as_ref(),
            );
            let Ending { force, lost, .. } = ending.unwrap_or_default();
            let n = self.normal.at(l);
            action[l] = Action::new(along - force * n, n.cross(along));
            sums.lost_normal += quantum.round(lost);
            sums.lost_tangential += quantum.round(taken);
            block.set_phase(l, Phase::Ended);
        }
    }
}
