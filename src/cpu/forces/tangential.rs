//! Tangential force: sliding friction, with or without a spring.

use super::ForceContext;
use super::lanes::{Pair, Pairs};
use super::meeting::Meeting;
use super::normal::{Acting, Ending, Normal};
use super::pairing::Pairing;
use super::pressed::Pressed;
use crate::cpu::eight::Part;
use crate::laws::material::tangential_reduced_mass;
use crate::laws::number::{Number, Truth, Vector};
use crate::laws::tangential;
use crate::scene::TangentialLaw;
use glam::DVec3;

/// Tangential force of the contacts of a block.
#[derive(Clone, Copy)]
pub(super) struct Tangential<N> {
    pub(super) force: Vector<N>,
    /// Spring half a step after this instant.
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
        TangentialLaw::Linear | TangentialLaw::Mindlin => tangential::transported(spring, normal),
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
/// end took, J: what was left in the spring and not given back. Only a spring of constant stiffness needs this:
/// Mindlin's vanishes with the overlap.
pub(super) fn ending_friction(
    pairs: &Pairs<'_>,
    pair: &Pair<'_>,
    spring: DVec3,
    slip: DVec3,
    ending: Option<&Ending>,
) -> (DVec3, f64) {
    let context = pairs.context;
    if context.model.laws.tangential != TangentialLaw::Linear {
        return (DVec3::ZERO, 0.0);
    }
    let c = pair.coefficients;
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
