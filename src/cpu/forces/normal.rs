//! When a contact begins and ends, and its normal force: elastic, damping, cohesion.

use super::ForceContext;
use super::lanes::{Pair, Pairs, set_bits};
use super::meeting::Meeting;
use super::pairing::Pairing;
use crate::contact::{
    NormalCoefficients, NormalExponents, Rooted, adaptive_coefficients, normal_response,
    rooted_normal_response,
};
use crate::cpu::eight::{Eight, Lot};
use crate::cpu::slots::Extra;
use crate::laws::hertz::hertz_elastic_energy;
use crate::laws::linear::linear_elastic_energy;
use crate::laws::number::{Number, Truth};
use crate::laws::{cohesion, ended_normal_force};
use crate::scene::{CohesionLaw, ContactLaws, NormalLaw, TangentialLaw};
use std::f64::consts::FRAC_1_SQRT_2;

/// Which contacts act, which of them have just begun, and for how much of this kick.
#[derive(Clone, Copy)]
pub(super) struct Acting<N: Number> {
    pub(super) touches: N::Truth,
    pub(super) begins: N::Truth,
    /// How long it acts in this kick, s.
    pub(super) window: N,
}

impl<N: Lot> Acting<N> {
    /// Of the contacts of register k.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn register(&self, k: usize) -> Acting<N::Register> {
        Acting {
            touches: N::register_of_truth(self.touches, k),
            begins: N::register_of_truth(self.begins, k),
            window: self.window.register(k),
        }
    }

    /// Of a block in which none begins or ends.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn steady(context: &ForceContext<'_>, touches: N::Truth) -> Self {
        Self {
            touches,
            begins: N::nowhere(),
            window: N::all(context.time_step),
        }
    }

    /// Of a block in which the contacts `was` were touching before.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn new(context: &ForceContext<'_>, meeting: &Meeting<N>, was: N::Truth) -> Self {
        let step = N::all(context.time_step);
        let Meeting { overlap, rate, .. } = *meeting;
        let touches = meeting.touches();
        let mut acting = Self {
            touches,
            begins: touches & !was,
            window: step,
        };
        if acting.begins.any() {
            // A pair that overlapped from the start has no moment of touch.
            acting.begins = if context.starting {
                N::nowhere()
            } else {
                acting.begins & !overlap.exceeds(rate * step)
            };
            let since = overlap / rate + N::all(0.5) * step;
            acting.window = N::pick(acting.begins, since, step);
        }
        acting
    }
}

/// Which JKR necks hold.
pub(super) fn necks<N: Eight>(pairs: &Pairs<'_>, overlap: N, was: N::Truth) -> N::Truth {
    let overlap = overlap.to_array();
    let held = set_bits(N::bits(was)).filter(|&l| overlap[l] > end_of_contact(pairs, &pairs.at(l)));
    N::truth(held.fold(0, |bits, l| bits | 1 << l))
}

/// Overlap at which a contact ends: zero, or where a JKR neck snaps, m.
fn end_of_contact(pairs: &Pairs<'_>, pair: &Pair<'_>) -> f64 {
    if pairs.context.model.laws.cohesion != CohesionLaw::Jkr {
        return 0.0;
    }
    let c = pair.coefficients;
    cohesion::jkr_snap_off_overlap(c.work_of_adhesion, c.effective_young, pair.reduced_radius)
}

/// What the adaptive law froze at first touch; for contacts that touch for the first time, now.
pub(super) fn adapt<N: Eight>(
    context: &ForceContext<'_>,
    pairing: &Pairing<N>,
    rate: N,
    first: N::Truth,
    extra: &mut [Extra],
) -> NormalCoefficients<N> {
    let [rows, masses, radii, rates] = [
        pairing.kinds.row,
        pairing.reduced_mass,
        pairing.reduced_radius,
        rate,
    ]
    .map(N::to_array);
    for l in set_bits(N::bits(first)) {
        let pair = context.model.at(rows[l]);
        let speed = rates[l].abs();
        extra[l].adaptive =
            adaptive_coefficients(&context.model.laws, pair, masses[l], radii[l], speed);
    }
    let [stiffness, damping] =
        [0, 1].map(|k| N::new(&std::array::from_fn(|l| extra[l].adaptive[k])));
    NormalCoefficients { stiffness, damping }
}

/// Overlaps at which the laws are evaluated, and their roots.
#[derive(Clone, Copy)]
pub(super) struct Depth<N> {
    evaluated: N,
    root: N,
    /// Root of that; zero where neither Tsuji's damper nor Mindlin's law needs it.
    fourth_root: N,
}

impl<N: Number> Depth<N> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn new(laws: &ContactLaws, meeting: &Meeting<N>, acting: &Acting<N>) -> Self {
        let mut evaluated = meeting.overlap;
        if acting.begins.any() {
            evaluated = N::pick(acting.begins, meeting.rate * acting.window, evaluated);
        }
        let evaluated = evaluated.or_more(N::all(0.0));
        let root = evaluated.root();
        // Laws that need no fourth root are given none.
        let fourth_root = if needs_fourth_root(laws) {
            root.root()
        } else {
            N::all(0.0)
        };
        Self {
            evaluated,
            root,
            fourth_root,
        }
    }
}

/// Normal force of the contacts of a block.
#[derive(Clone, Copy)]
pub(super) struct Normal<N> {
    /// Overlap at which the laws are evaluated.
    pub(super) evaluated: N,
    /// Root of the overlap at which the tangential stiffness is taken.
    pub(super) root: N,
    /// Root of that; zero where neither Tsuji's damper nor Mindlin's law needs it.
    pub(super) fourth_root: N,
    /// Rate of the drift that led here, without this contact's last force.
    pub(super) free_rate: N,
    /// All of it.
    pub(super) force: N,
    /// Repulsive part that friction works on.
    pub(super) pressing: N,
    pub(super) lost: N,
}

impl<N: Lot> Normal<N> {
    /// Of the contacts of register k.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn register(&self, k: usize) -> Normal<N::Register> {
        Normal {
            evaluated: self.evaluated.register(k),
            root: self.root.register(k),
            fourth_root: self.fourth_root.register(k),
            free_rate: self.free_rate.register(k),
            force: self.force.register(k),
            pressing: self.pressing.register(k),
            lost: self.lost.register(k),
        }
    }

    /// `cohesive` gives what cohesion adds to an elastic force, given the overlap.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        clippy::too_many_arguments,
        reason = "part of evaluate_pairs, and all that it knows by then"
    )]
    pub(super) fn new(
        context: &ForceContext<'_>,
        laws: &ContactLaws,
        meeting: &Meeting<N>,
        acting: &Acting<N>,
        pairing: &Pairing<N>,
        depth: Depth<N>,
        old_force: N,
        cohesive: Option<impl Fn(N, N) -> N>,
    ) -> Self {
        let Acting { begins, window, .. } = *acting;
        let Depth {
            evaluated,
            mut root,
            mut fourth_root,
        } = depth;
        let rooted = Rooted {
            overlap: evaluated,
            root,
            fourth: fourth_root,
        };
        let (mut elastic, mut damping) =
            rooted_normal_response(laws.normal, pairing.normal, rooted);
        if begins.any() {
            let exponents = NormalExponents::of(laws.normal);
            let elastic_mean = N::all(1.0 / (exponents.elastic + 1.0));
            let damping_mean = N::all(1.0 / (exponents.damping + 1.0));
            elastic = N::pick(begins, elastic * elastic_mean, elastic);
            damping = N::pick(begins, damping * damping_mean, damping);
            // In the middle of the window.
            root = N::pick(begins, root * N::all(FRAC_1_SQRT_2), root);
            if needs_fourth_root(laws) {
                fourth_root = N::pick(begins, root.root(), fourth_root);
            }
        }
        let with_cohesion = cohesive.is_some();
        let cohesive = if let Some(cohesive) = cohesive {
            // At a beginning, attraction is taken in the middle of the window.
            let overlap = N::pick(begins, N::all(0.5) * evaluated, meeting.overlap);
            cohesive(overlap, elastic)
        } else {
            N::all(0.0)
        };
        let one = N::all(1.0);
        let step = N::all(context.time_step);
        let mobility = pairing.mobility;
        // The rate that this instant would have without this contact's own force.
        let free = (mobility * step).times_plus(old_force, meeting.rate);
        // The rate in the middle of the kick; but a damper so strong that the middle would be past
        // the turning point only stops the grains.
        let yielding = mobility * window;
        let resistance = yielding * damping;
        let resistance = (one + resistance).or_more(resistance + resistance);
        let pushed = (-yielding).times_plus(plus(elastic, with_cohesion, cohesive), free);
        let rate = pushed / resistance;
        let damped = ended_normal_force(laws.end, elastic, damping * rate);
        let force = plus(damped, with_cohesion, cohesive);
        // What the force works against; the same rate unless it was limited.
        let worked = (-yielding).times_plus(force, free);
        Self {
            evaluated,
            root,
            fourth_root,
            free_rate: free,
            force,
            pressing: damped,
            lost: (damped - elastic) * worked * window,
        }
    }
}

/// A force with cohesion, if there is any.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
fn plus<N: Number>(force: N, with_cohesion: bool, cohesive: N) -> N {
    if with_cohesion {
        force + cohesive
    } else {
        force
    }
}

/// Whether a law asks for the fourth root of overlaps.
fn needs_fourth_root(laws: &ContactLaws) -> bool {
    laws.normal == NormalLaw::HertzTsuji || laws.tangential == TangentialLaw::Mindlin
}

/// What friction works on where a JKR neck holds: elastic force and adhesion cannot be told apart, so it is the load
/// plus twice the pull-off force (Thornton 1991).
pub(super) fn pressing_of_necks<N: Eight>(pairs: &Pairs<'_>, force: N, touches: N::Truth) -> N {
    let mut pressing = force.to_array();
    for l in set_bits(N::bits(touches)) {
        pressing[l] += 2.0 * pull_off(&pairs.at(l));
    }
    N::new(&pressing)
}

fn pull_off(pair: &Pair<'_>) -> f64 {
    cohesion::jkr_pull_off_force(pair.coefficients.work_of_adhesion, pair.reduced_radius).abs()
}

/// What cohesion adds to the elastic forces `elastic` where contacts touch, N.
pub(super) fn cohesive_forces<N: Eight>(
    pairs: &Pairs<'_>,
    touches: N::Truth,
    overlap: N,
    elastic: N,
) -> N {
    let [overlap, elastic] = [overlap, elastic].map(N::to_array);
    let mut forces = [0.0; crate::cpu::eight::WIDTH];
    for l in set_bits(N::bits(touches)) {
        forces[l] = cohesive_force(pairs, &pairs.at(l), overlap[l], elastic[l]);
    }
    N::new(&forces)
}

/// What cohesion adds to the elastic force `hertz`, N.
fn cohesive_force(pairs: &Pairs<'_>, pair: &Pair<'_>, overlap: f64, hertz: f64) -> f64 {
    let c = pair.coefficients;
    let reduced = pair.reduced_radius;
    match pairs.context.model.laws.cohesion {
        CohesionLaw::None => 0.0,
        CohesionLaw::Dmt => cohesion::dmt_force(c.work_of_adhesion, reduced),
        CohesionLaw::Sjkr => cohesion::sjkr_force(
            c.cohesion_energy_density,
            overlap.max(0.0),
            pair.radii[0],
            pair.radii[1],
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

/// Energy in the normal spring of one contact at overlap δ, cohesion included.
pub(super) fn normal_energy(pairs: &Pairs<'_>, pair: &Pair<'_>, overlap: f64) -> f64 {
    let laws = &pairs.context.model.laws;
    let stiffness = pair.normal.stiffness;
    let c = pair.coefficients;
    let reduced = pair.reduced_radius;
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
            let [first, second] = pair.radii;
            elastic + cohesion::sjkr_energy(c.cohesion_energy_density, above, first, second)
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

/// What makes up for a contact that ended inside the last step.
#[derive(Default)]
pub(super) struct Ending {
    /// Normal impulse, as a force over one step, N.
    pub(super) force: f64,
    /// What it took, J.
    pub(super) lost: f64,
    /// How long the contact lasted after the last evaluation, s.
    pub(super) lasted: f64,
    /// Repulsive force that friction works on, N: its mean over the window that should have been covered, and
    /// the one that the last kick took.
    pub(super) pressing: [f64; 2],
}

/// How a contact ended that now has this overlap, and would approach at this rate without its last force; nothing if its
/// grains do not part.
pub(super) fn ending(
    pairs: &Pairs<'_>,
    pair: &Pair<'_>,
    overlap: f64,
    rate: f64,
) -> Option<Ending> {
    let laws = &pairs.context.model.laws;
    let step = pairs.context.time_step;
    if rate >= 0.0 {
        return None;
    }
    let end = end_of_contact(pairs, pair);
    let exponents = NormalExponents::of(laws.normal);
    let since_end = ((overlap - end) / rate).clamp(0.0, step);
    let to_end = step - since_end;
    let window = to_end + 0.5 * step;
    // Impulse over `duration`, and what it takes, at the overlap that the contact had `time` before
    // its end; `elastic_mean` and `damping_mean` average over the window from there to the end.
    let impulse = |time: f64, duration: f64, elastic_mean: f64, damping_mean: f64| {
        let overlap = end + rate.abs() * time;
        let (elastic, damping) = normal_response(laws.normal, pair.normal, overlap.max(0.0));
        let (elastic, damping) = (elastic_mean * elastic, damping_mean * damping);
        let cohesive = cohesive_force(pairs, pair, overlap, elastic);
        let damped = ended_normal_force(laws.end, elastic, damping * rate);
        // As for `pressing_of_necks`.
        let pressing = if laws.cohesion == CohesionLaw::Jkr {
            damped + cohesive + 2.0 * pull_off(pair)
        } else {
            damped
        };
        (
            (damped + cohesive) * duration,
            (damped - elastic) * rate * duration,
            pressing,
        )
    };
    let should = impulse(
        window,
        window,
        1.0 / (exponents.elastic + 1.0),
        1.0 / (exponents.damping + 1.0),
    );
    let did = impulse(to_end, step, 1.0, 1.0);
    // Never more than stops the grains: a damper stronger than that has done so before.
    let most = pair.reduced_mass * rate.abs();
    let difference = should.0 - did.0;
    let impulse = difference.clamp(-most, most);
    let force = impulse / step;
    let mut lost = should.1 - did.1;
    if impulse != difference {
        lost *= impulse / difference;
    }
    if laws.cohesion == CohesionLaw::Jkr {
        // The energy still in the neck goes with it.
        lost += normal_energy(pairs, pair, end);
    }
    Some(Ending {
        force,
        lost,
        lasted: to_end,
        pressing: [should.2, did.2],
    })
}
