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

use super::bodies::Body;
use super::eight::{AnyEight, WIDTH};
#[cfg(target_arch = "x86_64")]
use super::eight::{Avx2Eight, Avx512Eight};
use super::fetch::fetch_at;
use super::neighbours::Images;
use super::processor::Processor;
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
    body: &[Body],
    slots: SlotsMut<'_>,
    with: With,
) -> Sums {
    match context.processor {
        #[cfg(target_arch = "x86_64")]
        Processor::Avx512 => evaluate_by::<Avx512Eight>(context, body, slots, with),
        #[cfg(target_arch = "x86_64")]
        Processor::Avx2 => evaluate_by::<Avx2Eight>(context, body, slots, with),
        Processor::Any => evaluate_by::<AnyEight>(context, body, slots, with),
    }
}

/// With a processor that has these numbers.
fn evaluate_by<N: Compiled>(
    context: &ForceContext<'_>,
    body: &[Body],
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
    body: &[Body],
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

/// Evaluates block after block.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
fn evaluate_blocks<N: Compiled, L: Laws, const WITH: u8>(
    context: &ForceContext<'_>,
    body: &[Body],
    slots: SlotsMut<'_>,
) -> Sums {
    let SlotsMut {
        block: blocks,
        action,
        extra,
        shift,
        concerned,
        count,
    } = slots;
    let mut one_by_one = Sums::default();
    let mut totals = LaneSums::<N>::new();
    let mut pairing = Pairing::none();
    // By value, so that compilers know what they are.
    let laws = L::of(context.model);
    let plain = is_plain(context, &laws);
    let signs = Signs::new(context.model.materials);
    let (walls, alike) = (WITH == WALLS, WITH == ALIKE);
    if alike && let Some(block) = blocks.first() {
        let (_, kinds) = Meeting::of_pairs(context, &signs, body, block);
        N::pair(context, kinds, &mut pairing);
    }
    let fetches = !walls && body.len() >= FETCH_FROM;
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
        let (meeting, kinds) = if walls {
            Meeting::<N>::of_walls(context, body, block, taken)
        } else {
            Meeting::of_pairs(context, &signs, body, block)
        };
        if !alike && !pairing.is_of(&kinds) {
            N::pair(context, kinds, &mut pairing);
        }
        let was = block.touching::<N>();
        let touches = meeting.touches();
        let changes = (touches & !was) | (was & !touches);
        if plain && taken == WIDTH && !changes.any() {
            if touches.any() || !block.all_apart() {
                let contacts = Contacts {
                    context,
                    block,
                    action,
                    pairing: &pairing,
                    meeting,
                };
                contacts.act_steadily(&laws, touches, &mut totals);
            }
            continue;
        }
        let places = if extra.is_empty() {
            0..0
        } else {
            b * WIDTH..(b + 1) * WIDTH
        };
        let unsteady = Unsteady {
            contacts: Contacts {
                context,
                block,
                action,
                pairing: &pairing,
                meeting,
            },
            body,
            extra: &mut extra[places],
            shift: &mut shift[b],
            concerned,
            taken,
        };
        N::act_unsteadily(unsteady, &mut totals, &mut one_by_one);
    }
    totals.add_to(one_by_one)
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

    type Loop = fn(&ForceContext<'_>, &[Body], SlotsMut<'_>) -> Sums;

    /// What the contacts between the grains of a bed do and remember, and what that takes, by one of the loops.
    fn evaluated(law: BedLaw, by: Loop) -> (Vec<[f64; 6]>, Vec<u64>, Sums) {
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
        let sums = by(&context, &engine.bodies.body, pairs);
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
        let (done, histories, sums) = evaluated(law, N::evaluate::<AnyLaws, GRAINS>);
        assert!(sums.contacts > 500, "{sums:?}");
        let loops: [Loop; 3] = [
            N::evaluate::<AnyLaws, ALIKE>,
            N::evaluate::<L, GRAINS>,
            N::evaluate::<L, ALIKE>,
        ];
        for (k, by) in loops.into_iter().enumerate() {
            let one = evaluated(law, by);
            assert_eq!(one.0, done, "{law:?}, loop {k}");
            assert_eq!(one.1, histories, "{law:?}, loop {k}");
            assert_eq!(one.2, sums, "{law:?}, loop {k}");
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
