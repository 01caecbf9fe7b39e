//! Contacts that have just begun: few of all, so what the integrator has to know of them is kept apart from what contacts do.

use super::slots::{WIDTH, resize};
use std::sync::atomic::{AtomicBool, Ordering};

/// Which grains have a contact that began at the last evaluation, and how far such contacts shift them.
#[derive(Debug, Default)]
pub(crate) struct Beginnings {
    /// Set by whichever task evaluates the contact, read by the one that moves the grain.
    grains: Vec<AtomicBool>,
    /// By block and lane, see [`both`](Self::both); it means nothing but for contacts that [have begun](super::slots::Phase::Begun).
    shift: Vec<[f64; WIDTH]>,
}

impl Beginnings {
    /// None of so many grains.
    pub(crate) fn none(grains: usize) -> Self {
        let mut beginnings = Self::default();
        beginnings.make_room(grains, 0);
        beginnings
    }

    /// Makes room for so many grains and blocks, and forgets all.
    pub(crate) fn make_room(&mut self, grains: usize, blocks: usize) {
        self.forget();
        self.grains.resize_with(grains, AtomicBool::default);
        resize(&mut self.shift, blocks);
    }

    /// No contact has just begun.
    pub(crate) fn forget(&mut self) {
        for grain in &mut self.grains {
            *grain.get_mut() = false;
        }
    }

    /// For each grain whether it has a contact that has just begun. And for each of those, by block and lane, what to multiply its force
    /// and the inverse mass of a grain with to know how far to shift it, s²; it means nothing for others.
    pub(crate) fn both(&self) -> (&[AtomicBool], &[[f64; WIDTH]]) {
        (&self.grains, &self.shift)
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.grains) + size_of_val(&*self.shift)
    }

    /// For tasks that evaluate contacts: the grains are theirs in common, shifts are cut into blocks.
    pub(crate) fn parts(&mut self) -> (&[AtomicBool], &mut [[f64; WIDTH]]) {
        (&self.grains, &mut self.shift)
    }
}

/// Notes that a grain has a contact that has just begun.
pub(crate) fn note(grains: &[AtomicBool], grain: u32) {
    grains[grain as usize].store(true, Ordering::Relaxed);
}

/// No contact of these grains has just begun.
pub(crate) fn forget(grains: &[AtomicBool]) {
    for grain in grains {
        grain.store(false, Ordering::Relaxed);
    }
}
