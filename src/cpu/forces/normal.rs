//! When a contact begins and ends, and its normal force: elastic, damping, cohesion.

use super::ForceContext;
use super::lanes::{Lanes, WIDTH, ZERO, any};
use super::processor::Processor;
use crate::contact::{
    NormalCoefficients, NormalExponents, PairCoefficients, Rooted, adaptive_coefficients,
    normal_response, rooted_normal_response,
};
use crate::laws::hertz::hertz_elastic_energy;
use crate::laws::linear::linear_elastic_energy;
use crate::laws::{cohesion, ended_normal_force};
use crate::scene::{CohesionLaw, NormalLaw, TangentialLaw};
use std::f64::consts::FRAC_1_SQRT_2;

/// Whether each contact acts, whether it has just begun, and for how much of this kick.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn begin_and_end<'a>(
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
        // A pair that overlapped from the start has no moment of touch.
        let begins = touches && !was && !starting && lanes.overlap[l] <= lanes.rate[l] * step;
        lanes.touches[l] = if touches { 1.0 } else { 0.0 };
        lanes.begins[l] = if begins { 1.0 } else { 0.0 };
        lanes.window[l] = step;
    }
    if any(&lanes.begins) {
        for l in 0..WIDTH {
            if lanes.begins[l] != 0.0 {
                lanes.window[l] = lanes.overlap[l] / lanes.rate[l] + 0.5 * step;
            }
        }
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
pub(super) fn normal<'a, P: Processor>(
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
    if law == NormalLaw::HertzAdaptive {
        [lanes.stiffness, lanes.damping] = lanes.adaptive;
    }
    for l in 0..WIDTH {
        let evaluated = if lanes.begins[l] != 0.0 {
            lanes.rate[l] * lanes.window[l]
        } else {
            lanes.overlap[l]
        };
        lanes.evaluated[l] = evaluated.max(0.0);
    }
    let root = P::roots(&lanes.evaluated);
    // Laws that need no fourth root are given none.
    let fourth = if law == NormalLaw::HertzTsuji || laws.tangential == TangentialLaw::Mindlin {
        P::roots(&root)
    } else {
        ZERO
    };
    for l in 0..WIDTH {
        let coefficients = NormalCoefficients {
            stiffness: lanes.stiffness[l],
            damping: lanes.damping[l],
        };
        let begins = lanes.begins[l] != 0.0;
        // At a beginning, in the middle of the window.
        lanes.root[l] = root[l] * if begins { FRAC_1_SQRT_2 } else { 1.0 };
        lanes.fourth_root[l] = fourth[l];
        let overlap = Rooted {
            overlap: lanes.evaluated[l],
            root: root[l],
            fourth: fourth[l],
        };
        let (force, coefficient) = rooted_normal_response(law, coefficients, overlap);
        elastic[l] = force * if begins { elastic_mean } else { 1.0 };
        damping[l] = coefficient * if begins { damping_mean } else { 1.0 };
    }
    if any(&lanes.begins) {
        for l in 0..WIDTH {
            if lanes.begins[l] != 0.0 {
                lanes.fourth_root[l] = lanes.root[l].sqrt();
            }
        }
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
        // The rate in the middle of the kick; but a damper so strong that the middle would be past
        // the turning point only stops the grains.
        let resistance = mobility * window * damping[l];
        let resistance = resistance.max(2.0 * resistance - 1.0);
        let rate = (free - mobility * window * (elastic[l] + cohesive[l])) / (1.0 + resistance);
        let unclamped = elastic[l] + damping[l] * rate;
        let damped = ended_normal_force(end, elastic[l], damping[l] * rate);
        // What the force works against; the same rate unless it was limited.
        let worked = free - mobility * window * (damped + cohesive[l]);
        let rate = if damped > unclamped { worked } else { rate };
        let acts = lanes.touches[l];
        lanes.rate[l] = rate;
        lanes.free_rate[l] = free;
        lanes.pressing[l] = acts * damped;
        lanes.normal_force[l] = acts * (damped + cohesive[l]);
        lanes.lost_normal[l] = acts * (damped - elastic[l]) * worked * window;
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
    let c = context.model.at(lanes.row[l]);
    let reduced = lanes.reduced_radius[l];
    match context.model.laws.cohesion {
        CohesionLaw::None => 0.0,
        CohesionLaw::Dmt => cohesion::dmt_force(c.work_of_adhesion, reduced),
        CohesionLaw::Sjkr => cohesion::sjkr_force(
            c.cohesion_energy_density,
            overlap.max(0.0),
            lanes.radii[0][l],
            lanes.radii[1][l],
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

/// Energy in the normal springs (those of the others are by-products of their laws).
pub(super) fn energies(lanes: &mut Lanes, context: &ForceContext<'_>) {
    for l in 0..WIDTH {
        lanes.elastic_normal[l] =
            lanes.touches[l] * normal_energy(lanes, l, context, lanes.overlap[l]);
    }
}

/// Energy in the normal spring of one contact at overlap δ, cohesion included.
fn normal_energy(lanes: &Lanes, l: usize, context: &ForceContext<'_>, overlap: f64) -> f64 {
    let laws = &context.model.laws;
    let stiffness = lanes.stiffness[l];
    let c = context.model.at(lanes.row[l]);
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
                    lanes.radii[0][l],
                    lanes.radii[1][l],
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

/// What makes up for a contact that ended inside the last step.
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

/// How a contact ended; nothing if its grains do not part.
pub(super) fn ending(lanes: &Lanes, l: usize, context: &ForceContext<'_>) -> Option<Ending> {
    let laws = &context.model.laws;
    let step = context.time_step;
    let rate = lanes.free_rate[l];
    if rate >= 0.0 {
        return None;
    }
    // Where the contact ends: at zero overlap, or where a JKR neck snaps.
    let c = context.model.at(lanes.row[l]);
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
        // As in `normal`, friction on a JKR neck works on the load plus twice the pull-off force.
        let pressing = if laws.cohesion == CohesionLaw::Jkr {
            let pull_off = cohesion::jkr_pull_off_force(c.work_of_adhesion, reduced).abs();
            damped + cohesive + 2.0 * pull_off
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
    let most = lanes.reduced_mass[l] * rate.abs();
    let difference = should.0 - did.0;
    let impulse = difference.clamp(-most, most);
    let force = impulse / step;
    let mut lost = should.1 - did.1;
    if impulse != difference {
        lost *= impulse / difference;
    }
    if laws.cohesion == CohesionLaw::Jkr {
        // The energy still in the neck goes with it.
        lost += normal_energy(lanes, l, context, end);
    }
    Some(Ending {
        force,
        lost,
        lasted: to_end,
        pressing: [should.2, did.2],
    })
}
