//! What the contacts of a block do, once it is known how their grains meet.

use super::ForceContext;
use super::lanes::{Lane3, Pairs, set_bits};
use super::meeting::Meeting;
use super::normal::{
    Acting, Depth, Ending, Normal, adapt, cohesive_forces, ending, necks, normal_energy,
    pressing_of_necks,
};
use super::pairing::Pairing;
use super::pressed::Pressed;
use super::rolling::Rolling;
use super::sums::{LaneSums, Sums};
use super::tangential::{carried, ending_friction, shear};
use crate::cpu::actions::Action;
use crate::cpu::beginnings;
use crate::cpu::bodies::Body;
use crate::cpu::eight::{Eight, Lot, Part, WIDTH};
use crate::cpu::shared::Shared;
use crate::cpu::slots::{Block, Extra, Phase};
use crate::laws::number::{Truth, Vector};
use crate::scene::{CohesionLaw, ContactLaws, NormalLaw, RollingLaw, TangentialLaw};
use crate::state::WALL;
use std::sync::atomic::AtomicBool;

/// The contacts of a block or of several, and how their grains meet.
pub(super) struct Contacts<'a, N: Lot> {
    pub(super) context: &'a ForceContext<'a>,
    pub(super) blocks: &'a mut [Block],
    pub(super) actions: &'a mut [[Action; WIDTH]],
    pub(super) pairing: Pairing<N::Block>,
    pub(super) meeting: Meeting<N>,
}

/// Contacts of which some begin or end, or under laws that few ask for.
pub(super) struct Unsteady<'a, N: Eight> {
    pub(super) context: &'a ForceContext<'a>,
    pub(super) block: &'a mut Block,
    pub(super) action: &'a mut [Action; WIDTH],
    pub(super) pairing: &'a Pairing<N>,
    pub(super) meeting: Meeting<N>,
    pub(super) body: Shared<'a, Body>,
    /// Empty unless a law needs it.
    pub(super) extra: &'a mut [Extra],
    /// Of those that have just begun.
    pub(super) shift: &'a mut [f64; WIDTH],
    /// Grains with such contacts.
    pub(super) concerned: &'a [AtomicBool],
    /// How many there are; what fills up the block comes behind them.
    pub(super) taken: usize,
}

impl<N: Lot> Contacts<'_, N> {
    /// Has them do what they do and books what that takes, where none begins or ends, and nothing is
    /// [rare](super::is_plain): as in most blocks of most steps.
    ///
    /// Whatever that leaves out need not be kept until it is asked for: there are too few registers, and what has no place
    /// in them goes to memory and back.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn act_steadily(
        self,
        laws: &ContactLaws,
        touches: N::Truth,
        totals: &mut LaneSums<N::Register>,
    ) {
        let Self {
            context,
            blocks,
            actions,
            pairing,
            meeting,
        } = self;
        let pairing = pairing.repeated::<N>();
        totals.count::<N>(touches);
        let acting = Acting::steady(context, touches);
        let depth = Depth::new(laws, &meeting, &acting);
        // Springs are turned while roots are worked out.
        let carried = carried(laws.tangential, springs(blocks), meeting.normal);
        let old_force = N::of_blocks(|b| &blocks[b].normal_force);
        let no_cohesion = None::<fn(N, N) -> N>;
        let normal = Normal::new(
            context,
            laws,
            &meeting,
            &acting,
            &pairing,
            depth,
            old_force,
            no_cohesion,
        );
        let quantum = context.quantum;
        quantum.book(&mut totals.lost_normal, touches, normal.lost);
        let pressed = Pressed {
            context,
            laws,
            meeting,
            acting,
            pairing,
            normal,
            carried,
            first: 0,
        };
        // There is room for one register of each quantity, and little to wait for from here on.
        let first = pressed.register(0);
        first.rub_and_store(&mut blocks[0], &mut actions[0], totals);
        if N::Register::COUNT < N::BLOCKS * WIDTH {
            let (rest, last) = (pressed.register(1), N::BLOCKS - 1);
            rest.rub_and_store(&mut blocks[last], &mut actions[last], totals);
        }
        for (b, block) in blocks.iter_mut().enumerate() {
            block.set_touching::<N::Block>(N::block_of_truth(touches, b));
        }
    }
}

/// Springs of all contacts of some blocks.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
fn springs<N: Lot>(blocks: &[Block]) -> Vector<N> {
    Vector::new([
        N::of_blocks(|b| &blocks[b].spring[0]),
        N::of_blocks(|b| &blocks[b].spring[1]),
        N::of_blocks(|b| &blocks[b].spring[2]),
    ])
}

impl<N: Eight> Unsteady<'_, N> {
    /// Which contacts act.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of act")]
    fn acting(&self, was: N::Truth) -> Acting<N> {
        let Self {
            context,
            block,
            pairing,
            meeting,
            ..
        } = self;
        let mut acting = Acting::new(context, meeting, was);
        if context.model.laws.cohesion == CohesionLaw::Jkr {
            let pairs = Pairs::new(context, pairing, block, self.body);
            acting.touches = acting.touches | necks(&pairs, meeting.overlap, was);
        }
        if self.taken < WIDTH {
            // What fills up a block does not act, and is not counted.
            acting.touches = acting.touches & N::truth((1 << self.taken) - 1);
            acting.begins = acting.begins & acting.touches;
        }
        acting
    }

    /// Has them do what they do, and books what that takes.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "compiled once per instruction set of its callers"
    )]
    pub(super) fn act(self, totals: &mut LaneSums<N::Register>, one_by_one: &mut Sums) {
        let was = Block::touching::<N>(std::slice::from_ref(self.block));
        let acting = self.acting(was);
        let Self {
            context,
            block,
            action,
            pairing,
            meeting,
            body,
            extra,
            shift,
            concerned,
            ..
        } = self;
        let touches = acting.touches;
        // Those that touched at the last evaluation, and no longer do.
        let ended = was & !touches;
        if !(touches | ended).any() && block.all_apart() {
            return;
        }
        totals.count::<N>(touches);
        let laws = &context.model.laws;
        let quantum = context.quantum;
        let mut adapted;
        let pairing = if laws.normal == NormalLaw::HertzAdaptive {
            adapted = *pairing;
            adapted.normal = adapt(context, pairing, meeting.rate, touches & !was, extra);
            &adapted
        } else {
            pairing
        };
        let pairs = Pairs::new(context, pairing, block, body);
        let cohesive = if laws.cohesion == CohesionLaw::None {
            None
        } else {
            Some(|overlap: N, elastic: N| cohesive_forces(&pairs, touches, overlap, elastic))
        };
        let depth = Depth::new(laws, &meeting, &acting);
        let old_springs = springs(std::slice::from_ref(block));
        let mut carried = carried(laws.tangential, old_springs, meeting.normal);
        if laws.tangential == TangentialLaw::Impulse {
            carried = shear(&pairs, &meeting, touches & !was, carried);
        }
        let old_force = N::new(&block.normal_force);
        let mut normal = Normal::new(
            context, laws, &meeting, &acting, pairing, depth, old_force, cohesive,
        );
        quantum.book(&mut totals.lost_normal, touches, normal.lost);
        if laws.cohesion == CohesionLaw::Jkr {
            normal.pressing = pressing_of_necks(&pairs, normal.force, touches);
        }
        let pressed = Pressed {
            context,
            laws,
            meeting,
            acting,
            pairing: *pairing,
            normal,
            carried,
            first: 0,
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
        let weight = pressed.store(&tangential, block, action, false);
        block.set_touching::<N>(touches);
        if acting.begins.any() {
            let begins = N::bits(acting.begins);
            let window = acting.window.to_array();
            begin(begins, &window, context.time_step, block, shift, concerned);
        }
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

/// Notes contacts of a block that began off the middle of the kick (see the head of [`super`]), and whom they shift.
fn begin(
    begins: u8,
    window: &[f64; WIDTH],
    step: f64,
    block: &mut Block,
    shift: &mut [f64; WIDTH],
    concerned: &[AtomicBool],
) {
    for l in set_bits(begins) {
        shift[l] = 0.5 * (window[l] - step) * step;
        block.set_phase(l, Phase::Begun);
        beginnings::note(concerned, block.first(l));
        if block.second[l] < WALL {
            beginnings::note(concerned, block.second[l]);
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
        // What the end of an impulse takes is friction, what a spring keeps is not.
        let rubs = self.pairs.context.model.laws.tangential == TangentialLaw::Impulse;
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
            if rubs {
                sums.lost_friction += quantum.round(taken);
            } else {
                sums.lost_tangential += quantum.round(taken);
            }
            block.set_phase(l, Phase::Ended);
        }
    }
}
