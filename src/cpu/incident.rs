//! For each grain its slots, in the order in which it adds up what they do.

use super::lists::{Emit, Lists};
use rayon::prelude::*;

/// Grains that are taken in an order of their own: few enough for the first cache.
pub(crate) const TOGETHER: usize = 64;

/// Groups of such grains that one task puts in order.
const GROUPS_PER_TASK: usize = 16;

/// For each grain its slots, in the order of the partners' ids, walls last: `2 · place`, plus 1 where the
/// grain is the second of the pair.
#[derive(Debug, Clone, Default)]
pub(crate) struct Incident {
    lists: Lists,
    /// Which of [`TOGETHER`] grains comes first, second, …: those with fewest slots first.
    ///
    /// A loop over the slots of one grain after the other would end now here, now there, which processors do not foresee.
    order: Vec<u8>,
}

impl Incident {
    /// Lists what `visit` emits for each of `0..visits`, in the order of `key`.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "places among a few together"
    )]
    pub(crate) fn new(
        grains: usize,
        visits: usize,
        visit: impl Fn(usize, &Emit<'_>) + Sync,
        key: impl Fn(u32) -> u32 + Sync,
    ) -> Self {
        let lists = Lists::sorted(grains, visits, visit, key);
        let mut order: Vec<u8> = (0..grains).map(|grain| (grain % TOGETHER) as u8).collect();
        let groups = order.par_chunks_mut(TOGETHER).enumerate();
        groups
            .with_min_len(GROUPS_PER_TASK)
            .for_each(|(group, order)| {
                let slots = |offset: u8| lists.of(group * TOGETHER + usize::from(offset)).len();
                order.sort_by_cached_key(|&offset| slots(offset));
            });
        Self { lists, order }
    }

    /// The entries of a grain.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    pub(crate) fn of(&self, grain: usize) -> &[u32] {
        self.lists.of(grain)
    }

    /// For each place in a row of [`TOGETHER`] grains, which of them is to be taken there.
    pub(crate) fn order(&self) -> &[u8] {
        &self.order
    }

    /// The entries of the grains that come after the [`TOGETHER`] from `first` on, in the order in which they lie in memory.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    pub(crate) fn after(&self, first: usize) -> &[u32] {
        self.lists.from(first + TOGETHER)
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grains_with_fewest_slots_come_first_and_none_is_left_out() {
        // As many entries as grain 0, 1, … has, emitted from the last to the first.
        let count = |grain: u32| grain * 7 % 11;
        let grains = 150;
        let emit_all = |grain: usize, emit: &Emit<'_>| {
            let grain = u32::try_from(grain).unwrap_or(u32::MAX);
            for k in (0..count(grain)).rev() {
                emit(grain, 100 * grain + k);
            }
        };
        let incident = Incident::new(grains, grains, emit_all, |entry| entry);
        for (grain, number) in (0..150).zip(0..) {
            let wanted: Vec<u32> = (0..count(number)).map(|k| 100 * number + k).collect();
            assert_eq!(incident.of(grain), wanted);
        }
        for (first, order) in (0..grains)
            .step_by(TOGETHER)
            .zip(incident.order().chunks(TOGETHER))
        {
            let slots: Vec<usize> = order
                .iter()
                .map(|&offset| incident.of(first + usize::from(offset)).len())
                .collect();
            assert!(slots.is_sorted());
            let mut all = order.to_vec();
            all.sort_unstable();
            assert!(
                (0..)
                    .zip(all)
                    .all(|(place, offset)| place == usize::from(offset))
            );
        }
    }
}
