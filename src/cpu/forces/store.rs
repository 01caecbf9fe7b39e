//! From lanes back to memory: what a contact does and what it remembers.

use super::ForceContext;
use super::lanes::{Lanes, WIDTH, part, set_vector, vector};
use super::normal::ending;
use super::tangential::ending_friction;
use super::turn::{self, Turn};
use crate::cpu::slots::{self, Action, Block, Extra};
use glam::DVec3;

/// Force on the first grain and torque per radius, as they act over the whole kick.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn act(lanes: &mut Lanes, context: &ForceContext<'_>) {
    let per_step = 1.0 / context.time_step;
    for l in 0..WIDTH {
        let weight = if lanes.begins[l] != 0.0 {
            lanes.window[l] * per_step
        } else {
            1.0
        };
        let n = vector(&lanes.normal, l);
        let along = vector(&lanes.tangential_force, l);
        lanes.weight[l] = weight;
        lanes.acted[l] = weight * lanes.normal_force[l];
        // Where the contact began off the middle of the kick (see the module's head).
        lanes.shift[l] =
            lanes.begins[l] * 0.5 * (lanes.window[l] - context.time_step) * context.time_step;
        // Places that no slot takes may hold anything, and laws of grains apart what they like.
        let acts = |vector: DVec3| {
            if lanes.touches[l] != 0.0 {
                vector
            } else {
                DVec3::ZERO
            }
        };
        let force = acts(weight * (along - lanes.normal_force[l] * n));
        let torque = acts(weight * n.cross(along));
        set_vector(&mut lanes.force, l, force);
        set_vector(&mut lanes.torque, l, torque);
    }
}

/// Puts what the contacts of a block do where the integrator finds it.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn store<T: Turn>(lanes: &Lanes, b: usize, action: &mut [Action; slots::WIDTH]) {
    let rows: &mut turn::Rows = bytemuck::must_cast_mut(action);
    let [x, y, z] = &lanes.force;
    let force = [x, y, z, &lanes.shift].map(|lane| part(lane, b));
    T::to_rows(force, 0, rows);
    let [x, y, z] = &lanes.torque;
    let torque = [x, y, z, &lanes.begins].map(|lane| part(lane, b));
    T::to_rows(torque, 1, rows);
}

/// Has a block remember its contacts: those that do not touch have nothing to remember.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn remember(lanes: &Lanes, b: usize, block: &mut Block) {
    let [touches, force, root] =
        [&lanes.touches, &lanes.acted, &lanes.root].map(|lane| part(lane, b));
    let spring = lanes.spring.each_ref().map(|lane| part(lane, b));
    for l in 0..slots::WIDTH {
        let kept = |x: f64| if touches[l] != 0.0 { x } else { 0.0 };
        for axis in 0..3 {
            block.spring[axis][l] = kept(spring[axis][l]);
        }
        block.normal_force[l] = kept(force[l]);
        block.root_overlap[l] = kept(root[l]);
    }
    block.set_touching(touches);
}

/// What only some laws need of a contact: nothing of one that does not touch.
pub(super) fn store_extra(lanes: &Lanes, l: usize, extra: &mut Extra) {
    *extra = if lanes.touches[l] != 0.0 {
        Extra {
            adaptive: [lanes.adaptive[0][l], lanes.adaptive[1][l]],
            rolling: vector(&lanes.rolling, l).to_array(),
            moment: (lanes.weight[l] * vector(&lanes.moment, l)).to_array(),
        }
    } else {
        Extra::default()
    };
}

/// What a contact that has just ended still does, which goes to `action`; returns what its ending took, J: by the
/// normal and by the tangential part.
#[cold]
pub(super) fn end(
    lanes: &Lanes,
    l: usize,
    context: &ForceContext<'_>,
    action: &mut Action,
) -> [f64; 2] {
    let ending = ending(lanes, l, context);
    let (along, taken) = ending_friction(lanes, l, context, ending.as_ref());
    let (force, lost_normal) = ending.map_or((0.0, 0.0), |end| (end.force, end.lost));
    let n = vector(&lanes.normal, l);
    *action = Action::new(along - force * n, n.cross(along));
    [lost_normal, taken]
}
