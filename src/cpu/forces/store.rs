//! From registers back to memory: what a contact does and what it remembers.

use super::ForceContext;
use super::meeting::Meeting;
use super::normal::{Acting, Normal};
use super::tangential::Tangential;
use crate::cpu::eight::{Eight, WIDTH};
use crate::cpu::slots::{Action, Block};
use crate::laws::number::Truth;

/// Puts what the contacts of a block do, over the whole kick, where the integrator finds it, and has the block remember
/// them: those that do not touch do nothing, and have nothing to remember.
///
/// Returns the part of the kick in which they act.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn store<N: Eight>(
    context: &ForceContext<'_>,
    meeting: &Meeting<N>,
    acting: &Acting<N>,
    normal: &Normal<N>,
    tangential: &Tangential<N>,
    block: &mut Block,
    action: &mut [Action; WIDTH],
) -> N {
    let Acting {
        touches,
        begins,
        window,
    } = *acting;
    let n = meeting.normal;
    let along = tangential.force;
    let mut force = along.plus_times(n, -normal.force);
    let mut torque = n.cross(along);
    let mut acted = normal.force;
    let nothing = N::all(0.0);
    let (mut weight, mut shift, mut begun) = (N::all(1.0), nothing, nothing);
    if begins.any() {
        let step = N::all(context.time_step);
        weight = N::pick(begins, window * N::all(1.0 / context.time_step), weight);
        force = force * weight;
        torque = torque * weight;
        acted = weight * acted;
        // Where the contact began off the middle of the kick (see the module's head).
        shift = N::only(begins, N::all(0.5) * (window - step) * step);
        begun = N::only(begins, N::all(1.0));
    }
    // Places that no slot takes may hold anything, and laws of grains apart what they like.
    let force = N::only_vectors(touches, force);
    let torque = N::only_vectors(touches, torque);
    let columns = [
        force.x, force.y, force.z, shift, torque.x, torque.y, torque.z, begun,
    ];
    let rows = N::turn(columns);
    for l in 0..WIDTH {
        action[l].0 = rows[l].to_array();
    }
    let spring = N::only_vectors(touches, tangential.spring);
    block.spring = [
        spring.x.to_array(),
        spring.y.to_array(),
        spring.z.to_array(),
    ];
    block.normal_force = N::only(touches, acted).to_array();
    block.root_overlap = N::only(touches, normal.root).to_array();
    weight
}
