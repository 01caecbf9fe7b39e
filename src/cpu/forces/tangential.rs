//! Tangential force: sliding friction, with or without a spring.

use super::ForceContext;
use super::lanes::{Lane3, Pair, Pairs, set_bits};
use super::meeting::Meeting;
use super::normal::{Acting, Ending, Normal};
use super::pairing::Pairing;
use super::pressed::Pressed;
use crate::cpu::eight::{Eight, Part};
use crate::laws::material::tangential_reduced_mass;
use crate::laws::number::{Number, Truth, Vector};
use crate::laws::{impulse, tangential};
use crate::scene::TangentialLaw;
use glam::DVec3;

/// Tangential force of the contacts of a block.
#[derive(Clone, Copy)]
pub(super) struct Tangential<N> {
    pub(super) force: Vector<N>,
    /// Spring half a step after this instant; of the impulse law μτ R*, as at first touch.
    pub(super) spring: Vector<N>,
    /// Spring half a step before this instant, turned with the contact.
    pub(super) carried: Vector<N>,
    pub(super) lost: N,
    /// `None` where none slides.
    pub(super) lost_friction: Option<N>,
    pub(super) gained_mindlin: N,
    pub(super) elastic: N,
}

/// What becomes of springs when contacts turn; none where the law has none.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
pub(super) fn carried<N: Number>(
    law: TangentialLaw,
    spring: Vector<N>,
    normal: Vector<N>,
) -> Vector<N> {
    match law {
        TangentialLaw::None | TangentialLaw::Coulomb => Vector::zero(),
        TangentialLaw::Linear | TangentialLaw::Mindlin | TangentialLaw::Impulse => {
            tangential::transported(spring, normal)
        }
    }
}

impl<N: Number> Tangential<N> {
    fn none() -> Self {
        let nothing = N::all(0.0);
        Self {
            force: Vector::zero(),
            spring: Vector::zero(),
            carried: Vector::zero(),
            lost: nothing,
            lost_friction: None,
            gained_mindlin: nothing,
            elastic: nothing,
        }
    }

    /// Of contacts whose normal forces are known, and the roots of the overlaps at which their stiffness was taken last.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn new(pressed: &Pressed<'_, N>, old_root: N) -> Self
    where
        N: Part,
    {
        let Pressed {
            context,
            laws,
            meeting,
            acting,
            pairing,
            normal,
            carried,
            ..
        } = pressed;
        let law = laws.tangential;
        match law {
            TangentialLaw::None => Self::none(),
            TangentialLaw::Coulomb => Self::coulomb(context, meeting, acting, pairing, normal),
            TangentialLaw::Impulse => Self::impulse(meeting, acting, pairing, normal, *carried),
            TangentialLaw::Linear | TangentialLaw::Mindlin => {
                let mut new = Self::slider(law, meeting, acting, pairing, normal, *carried);
                if law == TangentialLaw::Mindlin {
                    // The stiffness ∝ √δ changes between two kicks, while the spring is as it was carried.
                    let stiffness = pairing.tangential_stiffness;
                    let change = stiffness * (normal.root - old_root);
                    new.gained_mindlin = tangential::spring_energy(change, new.carried);
                }
                new
            }
        }
    }

    /// Sliding friction without memory.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    fn coulomb(
        context: &ForceContext<'_>,
        meeting: &Meeting<N>,
        acting: &Acting<N>,
        pairing: &Pairing<N>,
        normal: &Normal<N>,
    ) -> Self {
        let limit = tangential::coulomb_limit(pairing.friction, normal.pressing);
        let stopping = tangential_reduced_mass(pairing.reduced_mass) / N::all(context.time_step);
        let force = tangential::coulomb(meeting.slip, limit, stopping);
        Self {
            force,
            lost_friction: Some(-force.dot(meeting.slip) * acting.window),
            ..Self::none()
        }
    }

    /// In proportion to the normal force, as it was at first touch.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    fn impulse(
        meeting: &Meeting<N>,
        acting: &Acting<N>,
        pairing: &Pairing<N>,
        normal: &Normal<N>,
        carried: Vector<N>,
    ) -> Self {
        let shear = carried * (N::all(1.0) / pairing.reduced_radius);
        let force = impulse::proportional(shear, normal.pressing);
        Self {
            force,
            spring: carried,
            carried,
            lost_friction: Some(-force.dot(meeting.slip) * acting.window),
            ..Self::none()
        }
    }

    /// Spring and dashpot with a slider.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    fn slider(
        law: TangentialLaw,
        meeting: &Meeting<N>,
        acting: &Acting<N>,
        pairing: &Pairing<N>,
        normal: &Normal<N>,
        carried: Vector<N>,
    ) -> Self {
        let slip = meeting.slip;
        let half = N::all(0.5);
        // The stored spring belongs to half a step before this instant (zero at a beginning).
        let half_step = half * acting.window;
        let stretched = carried.plus_times(slip, half_step);
        let limit = tangential::coulomb_limit(pairing.friction, normal.pressing);
        // What grains apart would do does not matter.
        let limit = N::pick(acting.touches, limit, N::all(f64::INFINITY));
        let (stiffness, result);
        if law == TangentialLaw::Linear {
            stiffness = pairing.tangential_stiffness;
            let damping = pairing.tangential_damping;
            result = tangential::linear_slider(stiffness, damping, stretched, slip, limit);
        } else {
            // k ∝ √δ and c ∝ √k.
            stiffness = pairing.tangential_stiffness * normal.root;
            let damping = pairing
                .mindlin_damping
                .times_plus(normal.fourth_root, pairing.tangential_damping);
            result = tangential::mindlin_slider(stiffness, damping, stretched, slip, limit);
        }
        let lost = -acting.window * result.damping_force.dot(slip);
        let lost_friction = if result.slides.any() {
            // Of the work against the slip, what neither the dashpot nor the spring took: the spring
            // goes from ξ − h to ξ_c + h in this kick, with h half a step of slip and ξ_c what the
            // slider leaves of ξ.
            let slid = stretched - result.spring;
            let undamped = result.force.plus_times(result.spring, stiffness);
            let middle = ((stretched + result.spring) * half).plus_times(slip, -half_step);
            let friction = stiffness * slid.dot(middle) - acting.window * undamped.dot(slip) - lost;
            Some(N::only(result.slides, friction))
        } else {
            None
        };
        Self {
            force: result.force,
            spring: result.spring.plus_times(slip, half_step),
            carried,
            lost,
            lost_friction,
            gained_mindlin: N::all(0.0),
            elastic: tangential::spring_energy(stiffness, result.spring),
        }
    }
}

/// Tangential force over one step that makes up for a contact which ended inside the last one, N, and what the
/// end took, J: what was left in the spring and not given back. Only a spring of constant stiffness needs this,
/// and friction that is part of an impulse: Mindlin's vanishes with the overlap.
pub(super) fn ending_friction(
    pairs: &Pairs<'_>,
    pair: &Pair<'_>,
    spring: DVec3,
    slip: DVec3,
    ending: Option<&Ending>,
) -> (DVec3, f64) {
    let context = pairs.context;
    let c = pair.coefficients;
    match (context.model.laws.tangential, ending) {
        (TangentialLaw::Linear, _) => {}
        (TangentialLaw::Impulse, Some(ending)) => {
            let [due, given] = ending.pressing;
            let step = context.time_step;
            let pressed = (ending.lasted + 0.5 * step) * due - step * given;
            let impulse = impulse::impulse_force(spring / pair.reduced_radius, pressed);
            return (impulse / step, -impulse.dot(slip));
        }
        _ => return (DVec3::ZERO, 0.0),
    }
    let mass = tangential_reduced_mass(pair.reduced_mass);
    let stiffness = c.tangential_stiffness + c.tangential_stiffness_per_mass * mass;
    let damping = c.tangential_damping + c.tangential_damping_per_mass * mass;
    let left = tangential::tangential_elastic_energy(stiffness, spring);
    let Some(ending) = ending else {
        return (DVec3::ZERO, left);
    };
    let impulse = tangential::linear_slider_ending(
        stiffness,
        damping,
        spring,
        slip,
        ending.lasted,
        context.time_step,
        ending
            .pressing
            .map(|pressing| tangential::coulomb_limit(c.friction, pressing)),
    );
    (impulse / context.time_step, left - impulse.dot(slip))
}

/// What contacts that touch for the `first` time keep as long as they do, in place of a spring: μτ R*, a length as springs are.
/// The others keep what they have.
pub(super) fn shear<N: Eight>(
    pairs: &Pairs<'_>,
    meeting: &Meeting<N>,
    first: N::Truth,
    carried: Vector<N>,
) -> Vector<N> {
    let (mut kept, slip) = (Lane3::new(carried), Lane3::new(meeting.slip));
    let rate = meeting.rate.to_array();
    for l in set_bits(N::bits(first)) {
        let Pair {
            coefficients: c,
            reduced_radius,
            ..
        } = pairs.at(l);
        let shear = impulse::impulse_shear(
            c.friction,
            c.restitution,
            c.tangential_damping_ratio,
            rate[l],
            slip.at(l),
        );
        kept.put(l, reduced_radius * shear);
    }
    kept.vectors()
}
