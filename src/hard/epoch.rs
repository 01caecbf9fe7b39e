//! Cells and epochs that suit a scene.
//!
//! Times are counted from the start of an epoch of a few events per grain, so that their resolution
//! does not fade as a run goes on. Between epochs grains are sorted by cell now and then, and the
//! length of the epoch follows the rate of events.

use super::cells::Cells;
use super::grain::{PackedPartner, Partner, Slot};
use super::predict::has_events;
use super::{HardEngine, HardModel, StartingGrain};
use crate::memory::collected;
use glam::DVec3;

/// Events of an epoch for each grain.
const EVENTS_PER_GRAIN: f64 = 4.0;
/// Fewest events of an epoch that are aimed at.
const FEWEST_EVENTS: f64 = 256.0;
/// Most that the length of an epoch changes from one to the next, as a power of two.
const LARGEST_CHANGE: f64 = 3.0;
/// Epochs between two sortings.
const EPOCHS_PER_SORT: u64 = 16;
/// Grains in a cell that searches are fastest with.
const GRAINS_PER_CELL: f64 = 0.45;
/// Time within which collisions of a grain cannot be told apart, in epochs.
pub(super) const RESOLUTION: f64 = 1e-12;

/// More cells than this have lines that cannot be numbered: there are two rows in each, and a line more for every two grains,
/// of which there are fewer than 2³¹.
const MOST_CELLS: f64 = (1u32 << 29) as f64;

/// Cells for the grains of a scene.
pub(super) fn suitable_cells(
    model: &HardModel,
    dimensions: usize,
    start: &[StartingGrain],
) -> Cells {
    let largest = start.iter().fold(0.0_f64, |r, grain| r.max(grain.radius));
    let length = model.upper - model.lower;
    let volume: f64 = (0..dimensions).map(|axis| length[axis]).product();
    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 grains")]
    let share = (GRAINS_PER_CELL * volume / start.len().max(1) as f64).max(volume / MOST_CELLS);
    let wanted = if dimensions == 2 {
        share.sqrt()
    } else {
        share.cbrt()
    };
    Cells::new(
        model.lower,
        model.upper,
        model.periodic,
        dimensions,
        2.0 * largest,
        wanted,
    )
}

/// A length for the first epoch: the time to cross a cell, a power of two.
pub(super) fn first_horizon(model: &HardModel, cells: &Cells, start: &[StartingGrain]) -> f64 {
    let squares = start.iter().map(|grain| grain.velocity.length_squared());
    #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 grains")]
    let speed = (squares.sum::<f64>() / start.len().max(1) as f64).sqrt();
    let size = cells.size.x.min(cells.size.y);
    let fastest = speed.max((model.gravity.length() * size).sqrt());
    let time = EVENTS_PER_GRAIN * size / fastest;
    if time.is_finite() && time > 0.0 {
        power_of_two(time)
    } else {
        1.0
    }
}

fn power_of_two(x: f64) -> f64 {
    x.log2().round().exp2()
}

impl HardEngine {
    /// Ends the epoch: moves the origin of time, and fills the queue anew.
    pub(super) fn turn_epoch(&mut self) {
        let shift = self.queue.horizon();
        for grain in &mut self.grains {
            grain.shift_time(shift);
        }
        for streak in self.streaks.values_mut() {
            streak.shift_time(shift);
        }
        self.epoch += shift;
        self.now = 0.0;
        self.epochs += 1;
        if self.epochs.is_multiple_of(EPOCHS_PER_SORT) {
            self.sort();
        }
        #[allow(clippy::cast_precision_loss, reason = "far fewer than 2^53 events")]
        let (events, grains) = (self.epoch_events as f64, self.grains.len() as f64);
        let wanted = (EVENTS_PER_GRAIN * grains).max(FEWEST_EVENTS);
        let change = (wanted / events.max(1.0)).log2().round();
        let horizon = shift * change.clamp(-LARGEST_CHANGE, LARGEST_CHANGE).exp2();
        self.epoch_events = 0;
        // The longest so far counts: in a collapse all times shrink.
        self.resolution = self.resolution.max(RESOLUTION * horizon);
        self.fill_queue(horizon);
    }

    /// Announces the events of all grains within an epoch.
    pub(super) fn fill_queue(&mut self, horizon: f64) {
        self.queue.begin(horizon);
        self.paths.begin(horizon, &self.grains);
        for slot in 0..self.slots() {
            if has_events(&self.grains[slot as usize]) {
                self.announce(slot);
            }
        }
    }

    /// Brings grains that are near each other together in memory. No result depends on it.
    fn sort(&mut self) {
        let mut order: Vec<Slot> = (0..self.slots()).collect();
        let key = |slot: Slot| {
            let cell = self.grains[slot as usize].cell;
            (Cells::order(cell), self.grains[slot as usize].id)
        };
        order.sort_by_cached_key(|&slot| key(slot));
        let mut new_slots = vec![0; order.len()];
        for (new, &old) in (0..self.slots()).zip(&order) {
            new_slots[old as usize] = new;
        }
        let moved = order.iter().map(|&old| {
            let mut grain = self.grains[old as usize];
            if let Partner::Grain(partner) = grain.partner.unpack() {
                grain.partner = PackedPartner::grain(new_slots[partner as usize]);
            }
            grain
        });
        self.grains = collected(moved);
        if !self.spins.is_empty() {
            let spins: Vec<DVec3> = order.iter().map(|&old| self.spins[old as usize]).collect();
            self.spins = spins;
        }
        self.fill_cells();
    }
}
