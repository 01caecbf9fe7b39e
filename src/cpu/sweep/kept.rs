//! Where an engine can go back to.

use crate::cpu::CpuEngine;
use crate::cpu::bodies::{Body, Motion};
use crate::cpu::fetch::copy_past_caches;
use crate::cpu::slots::{Block, Extra, resize};
use crate::state::Ledger;
use bytemuck::Pod;
use rayon::prelude::*;

/// Values that one task copies.
const PER_TASK: usize = 4096;

/// What decides the future of a run between two steps, as long as its slots are the same.
#[derive(Debug, Default)]
pub(in crate::cpu) struct Kept {
    /// `None`: there is nothing to go back to.
    step: Option<u64>,
    ledger: Ledger,
    contact_updates: u64,
    swept: u64,
    speed: f64,
    inner_skin: f64,
    moved_since_search: f64,
    moved_since_slots: f64,
    moved_since_sort: f64,
    body: Vec<Body>,
    motion: Vec<Motion>,
    block: Vec<Block>,
    extra: Vec<Extra>,
}

impl Kept {
    /// The step at which the state was kept, if it was.
    pub(super) fn step(&self) -> Option<u64> {
        self.step
    }

    /// Nobody goes back any more.
    pub(in crate::cpu) fn forget(&mut self) {
        self.step = None;
    }

    /// Neighbours have been searched for slots that stay, when grains may have moved so far since they were sorted: they were no further
    /// from where that search found them than they have gone since then.
    pub(in crate::cpu) fn have_searched(&mut self, moved_since_sort: f64) {
        self.moved_since_search = moved_since_sort - self.moved_since_sort;
    }

    /// Bytes that it holds.
    pub(in crate::cpu) fn bytes(&self) -> usize {
        size_of_val(&*self.body)
            + size_of_val(&*self.motion)
            + size_of_val(&*self.block)
            + size_of_val(&*self.extra)
    }
}

/// Makes one row of values the same as another, in the memory that it has: systems clear what they give, which takes longer.
fn copy<T: Pod + Default + Send + Sync>(from: &[T], to: &mut Vec<T>) {
    resize(to, from.len());
    to.par_chunks_mut(PER_TASK)
        .zip(from.par_chunks(PER_TASK))
        .for_each(|(to, from)| copy_past_caches(from, to));
}

impl CpuEngine {
    /// Keeps the state, to go back to it.
    pub(super) fn keep(&mut self) {
        let kept = &mut self.kept;
        kept.step = Some(self.step);
        kept.ledger = self.ledger;
        kept.contact_updates = self.contact_updates;
        kept.swept = self.swept;
        kept.speed = self.speed;
        kept.inner_skin = self.inner_skin;
        kept.moved_since_search = self.moved_since_search;
        kept.moved_since_slots = self.moved_since_slots;
        kept.moved_since_sort = self.moved_since_sort;
        copy(&self.bodies.body, &mut kept.body);
        copy(&self.bodies.motion, &mut kept.motion);
        copy(&self.slots.block, &mut kept.block);
        copy(&self.slots.extra, &mut kept.extra);
    }

    /// Goes back to the state that was kept. It is not kept any longer: who goes back again will not go as far.
    pub(super) fn go_back(&mut self) {
        let kept = &self.kept;
        self.step = kept.step.unwrap_or(self.step);
        self.ledger = kept.ledger;
        self.contact_updates = kept.contact_updates;
        self.swept = kept.swept;
        self.speed = kept.speed;
        self.inner_skin = kept.inner_skin;
        self.moved_since_search = kept.moved_since_search;
        self.moved_since_slots = kept.moved_since_slots;
        self.moved_since_sort = kept.moved_since_sort;
        self.left = false;
        // Neighbours may have been searched meanwhile, …
        self.searched_at = self.searched_at.min(self.step);
        // … and grains may have passed a side.
        self.within_reach_of_walls = None;
        copy(&kept.body, &mut self.bodies.body);
        copy(&kept.motion, &mut self.bodies.motion);
        copy(&kept.block, &mut self.slots.block);
        copy(&kept.extra, &mut self.slots.extra);
        // Contacts may have begun meanwhile: those that now are apart again are not evaluated, and must not go on doing what they did then.
        self.slots.forget_actions();
        self.kept.forget();
    }
}
