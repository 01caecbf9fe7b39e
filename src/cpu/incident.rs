//! For each grain its slots, in the order in which it adds up what they do.

use super::lists::{Emit, Lists};

/// Slots that are read at once.
///
/// Few grains have more neighbours. A loop over all that a grain has would end now here, now there, which processors do
/// not foresee; one over groups goes round once.
pub(crate) const AT_ONCE: usize = 8;

/// For each grain its slots, in the order of the partners' ids, walls last: `2 · place`, plus 1 where the
/// grain is the second of the pair.
#[derive(Debug, Clone, Default)]
pub(crate) struct Incident {
    /// In groups, the last of which may have places that are of no slot.
    lists: Lists,
    /// What stands there.
    nothing: u32,
}

impl Incident {
    /// Lists what `visit` emits for each of `0..visits`, in the order of `key`; `nowhere` is a place whose action is
    /// always zero.
    #[allow(clippy::cast_possible_truncation, reason = "slots are counted in u32")]
    pub(crate) fn new(
        grains: usize,
        visits: usize,
        visit: impl Fn(usize, &Emit<'_>) + Sync,
        key: impl Fn(u32) -> u32 + Sync,
        nowhere: usize,
    ) -> Self {
        let nothing = 2 * nowhere as u32;
        Self {
            lists: Lists::filled_up(grains, visits, visit, key, AT_ONCE as u32, nothing),
            nothing,
        }
    }

    /// The entries of a grain.
    pub(crate) fn of(&self, grain: usize) -> impl Iterator<Item = u32> {
        let entries = self.lists.of(grain).iter().copied();
        entries.take_while(|&entry| entry != self.nothing)
    }

    /// The entries of a grain in groups, with what fills up the last one.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    pub(crate) fn groups_of(&self, grain: usize) -> &[[u32; AT_ONCE]] {
        self.lists.of(grain).as_chunks().0
    }

    /// The group that comes `ahead` groups after the first one of a grain, to be fetched early.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the integrator's loop")]
    pub(crate) fn group_ahead(&self, grain: usize, ahead: usize) -> Option<&[u32; AT_ONCE]> {
        let later = self.lists.from(grain).get(ahead * AT_ONCE..)?;
        later.first_chunk()
    }

    /// Number of entries, with all that fills up groups.
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_the_entries_in_order_and_nothing_else() {
        // As many entries as grain 0, 1, … has, emitted from the last to the first.
        let counts: [u32; 8] = [0, 1, 7, 8, 9, 0, 24, 25];
        let emit_all = |grain: usize, emit: &Emit<'_>| {
            let grain = u32::try_from(grain).unwrap_or(u32::MAX);
            for k in (0..counts[grain as usize]).rev() {
                emit(grain, 100 * grain + k);
            }
        };
        let incident = Incident::new(counts.len(), counts.len(), emit_all, |entry| entry, 5000);
        for (grain, count) in (0..).zip(counts) {
            let entries: Vec<u32> = incident.of(grain as usize).collect();
            let wanted: Vec<u32> = (0..count).map(|k| 100 * grain + k).collect();
            assert_eq!(entries, wanted);
            let groups = incident.groups_of(grain as usize).as_flattened();
            assert_eq!(groups.len(), (count as usize).next_multiple_of(AT_ONCE));
            assert!(groups[entries.len()..].iter().all(|&entry| entry == 10_000));
        }
        assert_eq!(incident.group_ahead(1, 1), incident.groups_of(2).first());
        assert_eq!(incident.group_ahead(7, 4), None);
    }
}
