//! Contact forces: geometry → normal → tangential → rolling, eight contacts at a time.
//!
//! A block of contacts goes from memory to memory in registers, one register per quantity
//! ([`Eight`](super::eight::Eight)): the laws of [`crate::laws`] that run at every step are written for one contact or several. What is
//! rare, contacts that end and laws few ask for, is done contact by contact ([`lanes`]), and blocks without any of that go a
//! way of their own ([`contacts`]).
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

mod compiled;
mod contacts;
mod lanes;
mod meeting;
mod normal;
mod pairing;
mod pressed;
mod rolling;
mod store;
mod sums;
mod tangential;

use super::actions::Action;
use super::bodies::{Bodies, Body};
use super::eight::{AnyEight, Lot, WIDTH, have_written};
#[cfg(target_arch = "x86_64")]
use super::eight::{Avx2Eight, Avx512Eight};
use super::neighbours::Images;
use super::processor::Processor;
use super::shared::Shared;
use super::slots::{Block, Extra};
use super::tasks::SlotsMut;
use super::walls::Face;
use crate::contact::ContactModel;
use crate::laws::ContactEnd;
use crate::laws::number::Truth;
use crate::position::Grid;
use crate::scene::{CohesionLaw, ContactLaws, NormalLaw, RollingLaw, TangentialLaw};
use compiled::Compiled;
use contacts::{Contacts, Unsteady};
use meeting::{Meeting, Signs};
use pairing::Pairing;
use std::slice;
use std::sync::atomic::AtomicBool;
use sums::LaneSums;
pub(crate) use sums::{EnergyQuantum, Sums};

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
    /// Whether a bed is so large that no cache keeps what contacts do until grains ask for it. It then goes straight to memory: a
    /// cache would first read the lines that are written, and give up others for them.
    pub(crate) past_caches: bool,
    /// Energies are rounded to multiples of this, so that their sum does not depend on its order.
    pub(crate) quantum: EnergyQuantum,
}

/// Whom grains have contact with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum With {
    /// Others of the same size, mass and material, so that all pairs have the same coefficients.
    Alike,
    /// Any others.
    Grains,
    Walls,
}

impl With {
    /// Pairs of these grains.
    pub(crate) fn grains(bodies: &Bodies) -> Self {
        if bodies.are_alike() {
            Self::Alike
        } else {
            Self::Grains
        }
    }
}

// As constants, which loops can be compiled for.
const ALIKE: u8 = With::Alike as u8;
const GRAINS: u8 = With::Grains as u8;
const WALLS: u8 = With::Walls as u8;

/// Laws that the loop is compiled for.
trait Laws {
    /// Those of a model; what is known when the loop is compiled comes from here.
    fn of(model: &ContactModel) -> ContactLaws;

    /// Whether a model has them.
    fn are_those_of(model: &ContactModel) -> bool {
        Self::of(model) == model.laws
    }
}

/// Any: which ones is asked for each block.
struct AnyLaws;

/// What scenes have that do not say anything else: Hertz, Tsuji's damper, Mindlin.
struct HertzMindlin;

/// Springs of constant stiffness.
struct Linear;

impl Laws for AnyLaws {
    fn of(model: &ContactModel) -> ContactLaws {
        model.laws
    }
}

impl Laws for HertzMindlin {
    fn of(model: &ContactModel) -> ContactLaws {
        ContactLaws {
            normal: NormalLaw::HertzTsuji,
            tangential: TangentialLaw::Mindlin,
            rolling: RollingLaw::None,
            cohesion: CohesionLaw::None,
            end: ContactEnd::Overlap,
            ..model.laws
        }
    }
}

impl Laws for Linear {
    fn of(model: &ContactModel) -> ContactLaws {
        ContactLaws {
            normal: NormalLaw::Linear,
            tangential: TangentialLaw::Linear,
            ..HertzMindlin::of(model)
        }
    }
}

/// Evaluates the contacts in some slots: forces and history stay in the slots, sums are returned.
///
/// All vector instructions give the same bits: a product and a sum are rounded once where the laws say so, and nowhere
/// else.
pub(crate) fn evaluate(
    context: &ForceContext<'_>,
    body: Shared<'_, Body>,
    slots: SlotsMut<'_>,
    with: With,
) -> Sums {
    let sums = match context.processor {
        #[cfg(target_arch = "x86_64")]
        Processor::Avx512 => evaluate_by::<Avx512Eight>(context, body, slots, with),
        #[cfg(target_arch = "x86_64")]
        Processor::Avx2 => evaluate_by::<Avx2Eight>(context, body, slots, with),
        Processor::Any => evaluate_by::<AnyEight>(context, body, slots, with),
    };
    if context.past_caches {
        have_written();
    }
    sums
}

/// With a processor that has these numbers.
fn evaluate_by<N: Compiled>(
    context: &ForceContext<'_>,
    body: Shared<'_, Body>,
    slots: SlotsMut<'_>,
    with: With,
) -> Sums {
    match with {
        With::Alike => evaluate_grains::<N, ALIKE>(context, body, slots),
        With::Grains => evaluate_grains::<N, GRAINS>(context, body, slots),
        With::Walls => N::evaluate::<AnyLaws, WALLS>(context, body, slots),
    }
}

/// Under laws that the loop is compiled for, if it is for those of the model.
fn evaluate_grains<N: Compiled, const WITH: u8>(
    context: &ForceContext<'_>,
    body: Shared<'_, Body>,
    slots: SlotsMut<'_>,
) -> Sums {
    if HertzMindlin::are_those_of(context.model) {
        N::evaluate::<HertzMindlin, WITH>(context, body, slots)
    } else if Linear::are_those_of(context.model) {
        N::evaluate::<Linear, WITH>(context, body, slots)
    } else {
        N::evaluate::<AnyLaws, WITH>(context, body, slots)
    }
}

/// Evaluates contacts of grains, so many blocks at a time as `M` has numbers of: more than one only of equal grains.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
fn evaluate_pairs<N: Compiled, M, L: Laws, const EQUAL: bool>(
    context: &ForceContext<'_>,
    body: Shared<'_, Body>,
    slots: SlotsMut<'_>,
) -> Sums
where
    M: Lot<Block = N, Register = N::Register>,
{
    // There is one set of coefficients at a time.
    const { assert!(EQUAL || M::BLOCKS == 1) };
    let mut one_by_one = Sums::default();
    let mut totals = LaneSums::new();
    let mut pairing = Pairing::none();
    // By value, so that compilers know what they are.
    let laws = L::of(context.model);
    let plain = is_plain(context, &laws);
    let signs = Signs::new(context.model.materials);
    if EQUAL && let Some(first) = slots.block.first() {
        let (_, kinds) = Meeting::<N>::of_pairs(context, &signs, body, slice::from_ref(first));
        N::pair(context, kinds, &mut pairing);
    }
    // Nobody is told where this one is, so what follows from it needs to be worked out only once.
    let of_all = pairing;
    let fetches = body.len() >= FETCH_FROM;
    let number = slots.block.len();
    let mut all = Blocks::new(slots, body);
    let mut from = 0;
    while from + M::BLOCKS <= number {
        if fetches {
            all.fetch_ahead(from, M::BLOCKS);
        }
        let blocks = &mut all.block[from..from + M::BLOCKS];
        let (meeting, kinds) = Meeting::<M>::of_pairs(context, &signs, body, blocks);
        if !EQUAL && !pairing.is_of(&kinds.block(0)) {
            N::pair(context, kinds.block(0), &mut pairing);
        }
        let was = Block::touching::<M>(blocks);
        let touches = meeting.touches();
        let changes = (touches & !was) | (was & !touches);
        if plain && (from + M::BLOCKS) * WIDTH <= all.count && !changes.any() {
            if touches.any() || !blocks.iter().all(Block::all_apart) {
                let contacts = Contacts {
                    context,
                    blocks,
                    actions: &mut all.action[from..from + M::BLOCKS],
                    pairing: if EQUAL { of_all } else { pairing },
                    meeting,
                };
                contacts.act_steadily(&laws, touches, &mut totals);
            }
        } else {
            for b in 0..M::BLOCKS {
                let unsteady = all.unsteady(context, from + b, &pairing, meeting.block(b));
                N::act_unsteadily(unsteady, &mut totals, &mut one_by_one);
            }
        }
        from += M::BLOCKS;
    }
    for b in from..number {
        let block = slice::from_ref(&all.block[b]);
        let (meeting, _) = Meeting::<N>::of_pairs(context, &signs, body, block);
        let unsteady = all.unsteady(context, b, &pairing, meeting);
        N::act_unsteadily(unsteady, &mut totals, &mut one_by_one);
    }
    totals.add_to(one_by_one)
}

/// Evaluates contacts of grains with walls.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
fn evaluate_walls<N: Compiled>(
    context: &ForceContext<'_>,
    body: Shared<'_, Body>,
    slots: SlotsMut<'_>,
) -> Sums {
    let mut one_by_one = Sums::default();
    let mut totals = LaneSums::new();
    let mut pairing = Pairing::none();
    let mut all = Blocks::new(slots, body);
    for b in 0..all.block.len() {
        let (meeting, kinds) = Meeting::<N>::of_walls(context, body, &all.block[b], all.taken(b));
        if !pairing.is_of(&kinds) {
            N::pair(context, kinds, &mut pairing);
        }
        let unsteady = all.unsteady(context, b, &pairing, meeting);
        N::act_unsteadily(unsteady, &mut totals, &mut one_by_one);
    }
    totals.add_to(one_by_one)
}

/// Blocks of contacts with all that is known of them, and their grains.
struct Blocks<'a> {
    block: &'a mut [Block],
    action: &'a mut [[Action; WIDTH]],
    extra: &'a mut [Extra],
    shift: &'a mut [[f64; WIDTH]],
    concerned: &'a [AtomicBool],
    count: usize,
    body: Shared<'a, Body>,
}

impl<'a> Blocks<'a> {
    fn new(slots: SlotsMut<'a>, body: Shared<'a, Body>) -> Self {
        Self {
            block: slots.block,
            action: slots.action.as_chunks_mut().0,
            extra: slots.extra,
            shift: slots.shift,
            concerned: slots.concerned,
            count: slots.count,
            body,
        }
    }

    /// Slots of a block; what fills it up comes behind them.
    fn taken(&self, b: usize) -> usize {
        WIDTH.min(self.count - b * WIDTH)
    }

    /// Asks for the bodies of blocks that come soon.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    fn fetch_ahead(&self, from: usize, blocks: usize) {
        for b in from..from + blocks {
            if let Some(ahead) = self.block.get(b + FETCH_AHEAD) {
                for &second in &ahead.second {
                    self.body.fetch(second as usize);
                }
            }
        }
    }

    /// Block b alone, whatever it needs.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    fn unsteady<'b, N: Compiled>(
        &'b mut self,
        context: &'b ForceContext<'_>,
        b: usize,
        pairing: &'b Pairing<N>,
        meeting: Meeting<N>,
    ) -> Unsteady<'b, N> {
        let places = if self.extra.is_empty() {
            0..0
        } else {
            b * WIDTH..(b + 1) * WIDTH
        };
        Unsteady {
            context,
            taken: self.taken(b),
            block: &mut self.block[b],
            action: &mut self.action[b],
            pairing,
            meeting,
            body: self.body,
            extra: &mut self.extra[places],
            shift: &mut self.shift[b],
            concerned: self.concerned,
        }
    }
}

/// Whether no law has to be worked out contact by contact, and elastic energies are not wanted.
fn is_plain(context: &ForceContext<'_>, laws: &ContactLaws) -> bool {
    !context.measure
        && laws.normal != NormalLaw::HertzAdaptive
        && laws.cohesion == CohesionLaw::None
        && laws.rolling == RollingLaw::None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says what it expects")]
mod tests {
    use super::*;
    use crate::bench::bed::{BedLaw, TIME_STEP, bed};
    use crate::cpu::CpuEngine;

    type Loop = fn(&ForceContext<'_>, Shared<'_, Body>, SlotsMut<'_>) -> Sums;

    /// What the contacts between the grains of a bed do and remember, and what that takes, by one of the loops.
    fn evaluated(law: BedLaw, past_caches: bool, by: Loop) -> (Vec<[f64; 6]>, Vec<u64>, Sums) {
        let mut engine = CpuEngine::new(&bed(law, 300).unwrap(), TIME_STEP, 1).unwrap();
        engine.run(20).unwrap();
        let context = ForceContext {
            processor: engine.processor,
            grid: &engine.grid,
            images: Images::new(&engine.grid),
            model: &engine.model,
            faces: &engine.faces,
            time_step: TIME_STEP,
            starting: false,
            measure: false,
            past_caches,
            quantum: engine.quantum,
        };
        let slots = &mut engine.slots;
        let (blocks, count) = (slots.counts.pair_blocks(), slots.counts.pairs);
        let (concerned, shift) = slots.beginnings.parts();
        let pairs = SlotsMut {
            block: &mut slots.block[..blocks],
            action: &mut slots.action[..WIDTH * blocks],
            extra: &mut [],
            shift: &mut shift[..blocks],
            concerned,
            count,
        };
        let sums = by(&context, Shared::of(&engine.bodies.body), pairs);
        let done = slots.action[..count].iter().map(|action| action.0);
        let histories = (0..count).flat_map(|place| {
            let history = slots.slot(place).history;
            let [x, y, z] = history.spring.to_array();
            [x, y, z, history.normal_force, history.root_overlap].map(f64::to_bits)
        });
        (done.collect(), histories.collect(), sums)
    }

    /// Loops for certain laws and for equal grains do as the one for all of them does.
    fn assert_loops_alike<N: Compiled, L: Laws>(law: BedLaw) {
        let (done, histories, sums) = evaluated(law, false, N::evaluate::<AnyLaws, GRAINS>);
        assert!(sums.contacts > 500, "{sums:?}");
        let loops: [Loop; 3] = [
            N::evaluate::<AnyLaws, ALIKE>,
            N::evaluate::<L, GRAINS>,
            N::evaluate::<L, ALIKE>,
        ];
        for (k, by) in loops.into_iter().enumerate() {
            for past_caches in [false, true] {
                let one = evaluated(law, past_caches, by);
                let which = format!("{law:?}, loop {k}, past caches: {past_caches}");
                assert_eq!(one.0, done, "{which}");
                assert_eq!(one.1, histories, "{which}");
                assert_eq!(one.2, sums, "{which}");
            }
        }
    }

    #[test]
    fn what_a_loop_is_compiled_for_does_not_matter() {
        assert_loops_alike::<AnyEight, HertzMindlin>(BedLaw::HertzMindlin);
        assert_loops_alike::<AnyEight, Linear>(BedLaw::Linear);
        #[cfg(target_arch = "x86_64")]
        {
            if Processor::those_here().contains(&Processor::Avx2) {
                assert_loops_alike::<Avx2Eight, HertzMindlin>(BedLaw::HertzMindlin);
                assert_loops_alike::<Avx2Eight, Linear>(BedLaw::Linear);
            }
            if Processor::those_here().contains(&Processor::Avx512) {
                assert_loops_alike::<Avx512Eight, HertzMindlin>(BedLaw::HertzMindlin);
                assert_loops_alike::<Avx512Eight, Linear>(BedLaw::Linear);
            }
        }
    }

    #[test]
    fn beds_of_equal_grains_have_loops_of_their_own() {
        for law in [BedLaw::HertzMindlin, BedLaw::Linear, BedLaw::Rolling] {
            let engine = CpuEngine::new(&bed(law, 100).unwrap(), TIME_STEP, 1).unwrap();
            assert!(engine.bodies.are_alike());
            let hertz = law == BedLaw::HertzMindlin;
            assert_eq!(HertzMindlin::are_those_of(&engine.model), hertz);
            assert_eq!(Linear::are_those_of(&engine.model), law == BedLaw::Linear);
        }
    }
}
