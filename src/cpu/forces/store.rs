//! From registers back to memory: what a contact does and what it remembers.

use super::normal::Acting;
use super::pressed::Pressed;
use super::tangential::Tangential;
use crate::cpu::actions::Action;
use crate::cpu::eight::Part;
use crate::cpu::slots::Block;
use crate::laws::number::{Truth, Vector};

impl<N: Part> Pressed<'_, N> {
    /// Puts what the contacts of a block do, over the whole kick, where the integrator finds it, and has the block remember
    /// them: those that do not touch do nothing, and have nothing to remember.
    ///
    /// * `past_caches` — whether what they do goes there [past all caches](super::ForceContext::past_caches)
    ///
    /// Returns the part of the kick in which they act.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn store(
        &self,
        tangential: &Tangential<N>,
        block: &mut Block,
        action: &mut [Action],
        past_caches: bool,
    ) -> N {
        let Acting {
            touches,
            begins,
            window,
        } = self.acting;
        let n = self.meeting.normal;
        // Laws of grains apart may give what they like; normals are finite, also of coincident centres.
        let along = Vector::only(touches, tangential.force);
        let mut acted = N::only(touches, self.normal.force);
        let mut force = along.plus_times(n, -acted);
        let mut torque = n.cross(along);
        let mut weight = N::all(1.0);
        if begins.any() {
            weight = N::pick(
                begins,
                window * N::all(1.0 / self.context.time_step),
                weight,
            );
            force = force * weight;
            torque = torque * weight;
            acted = weight * acted;
        }
        let columns = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
        let rows = bytemuck::must_cast_slice_mut(action);
        let rows = &mut rows[self.first..self.first + N::COUNT];
        if past_caches {
            N::turn_past_caches(columns, rows);
        } else {
            N::turn_into(columns, rows);
        }
        let spring = Vector::only(touches, tangential.spring);
        for (axis, spring) in block.spring.iter_mut().zip(spring.to_array()) {
            spring.put(axis, self.first);
        }
        acted.put(&mut block.normal_force, self.first);
        N::only(touches, self.normal.root).put(&mut block.root_overlap, self.first);
        weight
    }
}
