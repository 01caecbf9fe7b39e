//! Rolling resistance, contact by contact.

use super::lanes::{Lane3, Pairs, set_bits};
use super::meeting::Meeting;
use super::normal::{Acting, Normal};
use crate::contact::NormalExponents;
use crate::cpu::bodies::Body;
use crate::cpu::eight::{Eight, WIDTH};
use crate::cpu::shared::Shared;
use crate::cpu::slots::{Block, Extra};
use crate::laws::hertz::hertz_tangent_stiffness;
use crate::laws::material::sphere_inertia;
use crate::laws::{rolling, tangential};
use crate::scene::RollingLaw;
use glam::DVec3;

/// Energies of the rolling resistance of a block.
#[derive(Clone, Copy)]
pub(super) struct Rolling<N> {
    pub(super) lost: N,
    pub(super) elastic: N,
}

impl<N: Eight> Rolling<N> {
    pub(super) fn none() -> Self {
        Self {
            lost: N::all(0.0),
            elastic: N::all(0.0),
        }
    }

    /// Leaves springs and moments in `extra`, moments as they act while the contacts do.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "where it is not compiled for its caller's processor, fused operations are slow"
    )]
    pub(super) fn new(
        pairs: &Pairs<'_>,
        meeting: &Meeting<N>,
        acting: &Acting<N>,
        normal: &Normal<N>,
        block: &Block,
        body: Shared<'_, Body>,
        extra: &mut [Extra],
    ) -> Self {
        let law = pairs.context.model.laws.rolling;
        let exponents = NormalExponents::of(pairs.context.model.laws.normal);
        let n = Lane3::new(meeting.normal);
        let [windows, pressing, evaluated, roots] = [
            acting.window,
            normal.pressing,
            normal.evaluated,
            normal.root,
        ]
        .map(N::to_array);
        let (mut lost, mut elastic) = ([0.0; WIDTH], [0.0; WIDTH]);
        for l in set_bits(N::bits(acting.touches)) {
            let pair = pairs.at(l);
            let (c, reduced) = (pair.coefficients, pair.reduced_radius);
            let [first, second] =
                [block.first(l), block.second[l]].map(|index| body.get(index as usize));
            let [spin_i, spin_j] = [first, second].map(|body| body.map_or(DVec3::ZERO, Body::spin));
            let (n, window) = (n.at(l), windows[l]);
            let velocity = rolling::rolling_velocity(spin_i - spin_j, DVec3::ZERO, n);
            let limit = rolling::rolling_limit(c.rolling_friction, reduced, pressing[l].max(0.0));
            let inertia = inertia_of(first, second);
            if law == RollingLaw::Constant {
                let stopping = inertia / pairs.context.time_step;
                let moment = rolling::constant_rolling_moment(velocity, limit, stopping);
                extra[l].moment = moment.to_array();
                lost[l] = -moment.dot(velocity) * window;
                continue;
            }
            let overlap = evaluated[l];
            let tangent = if exponents.elastic > 1.0 {
                hertz_tangent_stiffness(pair.normal.stiffness, overlap)
            } else {
                pair.normal.stiffness
            };
            let stiffness = rolling::rolling_stiffness(tangent, c.rolling_friction, reduced);
            let damping = rolling::rolling_damping(c.rolling_damping, inertia, stiffness);
            let advance = 0.5 * window * velocity;
            let old = tangential::transport_spring(DVec3::from_array(extra[l].rolling), n);
            let result =
                rolling::spring_rolling_moment(stiffness, damping, old, advance, velocity, limit);
            extra[l].moment = result.moment.to_array();
            extra[l].rolling = (result.spring - stiffness * advance).to_array();
            elastic[l] = rolling::rolling_elastic_energy(stiffness, result.spring);
            let damped = result.moment - result.spring;
            let yielded = if stiffness > 0.0 {
                let test = old - stiffness * advance;
                (test - result.spring).dot(0.5 * (test + result.spring) / stiffness + advance)
            } else {
                0.0
            };
            // E = M²/2k falls without work while k ∝ √δ grows.
            let before = block.root_overlap[l];
            let stiffening = if exponents.elastic > 1.0 && overlap > 0.0 && before > 0.0 {
                rolling::rolling_elastic_energy(stiffness, old) * (roots[l] / before - 1.0)
            } else {
                0.0
            };
            lost[l] = yielded - damped.dot(velocity) * window + stiffening;
        }
        Self {
            lost: N::new(&lost),
            elastic: N::new(&elastic),
        }
    }
}

/// A wall, like a fixed grain, never yields.
fn inertia_of(first: Option<&Body>, second: Option<&Body>) -> f64 {
    let inertia = |grain: Option<&Body>| {
        grain.map_or([f64::INFINITY; 3], |body| {
            let (mass, radius) = (1.0 / body.inverse_mass(), 1.0 / body.curvature());
            [sphere_inertia(mass, radius), mass, radius]
        })
    };
    let ([a, b, c], [d, e, f]) = (inertia(first), inertia(second));
    rolling::rolling_inertia(a, b, c, d, e, f)
}
