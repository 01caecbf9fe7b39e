//! From lanes back to memory: what a contact does and what it remembers.

use super::ForceContext;
use super::lanes::{Lanes, WIDTH, set_vector, vector};
use super::normal::ending;
use super::tangential::ending_friction;
use super::turn::{Turn, to_rows};
use crate::cpu::slots::{Action, Extra, History, Phase, Slot};

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
        set_vector(
            &mut lanes.force,
            l,
            weight * (along - lanes.normal_force[l] * n),
        );
        set_vector(&mut lanes.torque, l, weight * n.cross(along));
    }
}

/// What goes back to memory, contact by contact.
#[repr(C, align(64))]
pub(super) struct Outcome {
    /// As in [`Action`].
    force: [[f64; 4]; WIDTH],
    torque: [[f64; 4]; WIDTH],
    /// As in [`History`].
    spring_and_force: [[f64; 4]; WIDTH],
}

impl Outcome {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_any")]
    pub(super) fn of<T: Turn>(lanes: &Lanes) -> Self {
        let mut outcome = Self {
            force: [[0.0; 4]; WIDTH],
            torque: [[0.0; 4]; WIDTH],
            spring_and_force: [[0.0; 4]; WIDTH],
        };
        let [x, y, z] = &lanes.force;
        to_rows::<T>([x, y, z, &lanes.shift], &mut outcome.force);
        let [x, y, z] = &lanes.torque;
        to_rows::<T>([x, y, z, &lanes.begins], &mut outcome.torque);
        let [x, y, z] = &lanes.spring;
        to_rows::<T>([x, y, z, &lanes.acted], &mut outcome.spring_and_force);
        outcome
    }
}

/// Puts a contact back into its slot.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn store(
    lanes: &Lanes,
    outcome: &Outcome,
    l: usize,
    slot: &mut Slot,
    action: &mut Action,
) {
    action.force = outcome.force[l];
    action.torque = outcome.torque[l];
    slot.history = History {
        spring_and_force: outcome.spring_and_force[l],
        root_overlap: lanes.root[l],
    };
    slot.set_phase(Phase::Touching);
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

/// As [`store`], for a pair that does not touch, or no longer; returns what its ending took, J: by the
/// normal and by the tangential part.
#[cold]
pub(super) fn store_ended(
    lanes: &Lanes,
    l: usize,
    context: &ForceContext<'_>,
    slot: &mut Slot,
    action: &mut Action,
) -> [f64; 2] {
    let mut lost = [0.0; 2];
    *action = Action::default();
    if lanes.was_touching[l] != 0.0 {
        let ending = ending(lanes, l, context);
        let (along, taken) = ending_friction(lanes, l, context, slot, ending.as_ref());
        let (force, lost_normal) = ending.map_or((0.0, 0.0), |end| (end.force, end.lost));
        let n = vector(&lanes.normal, l);
        action.force = (along - force * n).extend(0.0).to_array();
        action.torque = n.cross(along).extend(0.0).to_array();
        lost = [lost_normal, taken];
        slot.set_phase(Phase::Ended);
    } else {
        slot.set_phase(Phase::Apart);
    }
    slot.history = History::default();
    lost
}
