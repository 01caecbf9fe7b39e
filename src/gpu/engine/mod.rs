//! The soft-sphere engine on a graphics device.
//!
//! A run is set up (`setup`), advances in batches of steps (`advance`), is attended to when the device
//! cannot go on alone (`room`), and is read out (`readout`).

mod advance;
mod profile;
mod readout;
mod room;
mod setup;

pub use setup::DeviceMemory;

use super::awake::Awake;
use super::buffers::Buffers;
use super::device::Gpu;
use super::layout::StepParams;
use super::snapshot::Nature;
use super::step::{SceneTraits, Step};
use super::units::Units;
use crate::cpu::walls::Face;
use crate::fluid::FluidModel;
use crate::position::Grid;
use crate::scene::{Leaving, Material};
use crate::state::{Ledger, State};
use advance::Handed;
use glam::DVec3;

/// Slots and contacts per grain of a settled bed of equal spheres, each contact counted once.
const SETTLED_SLOTS: f64 = 6.0;
const SETTLED_CONTACTS: f64 = 2.5;

/// How a [`GpuEngine`] works. Nothing here changes a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuOptions {
    /// Slots of the neighbour list, per grain, that there is room for at first.
    pub slots_per_grain: f64,
    /// Contacts, per grain, whose memory there is room to put aside at first, each counted once.
    pub contacts_per_grain: f64,
}

impl Default for GpuOptions {
    fn default() -> Self {
        Self {
            slots_per_grain: SETTLED_SLOTS,
            contacts_per_grain: SETTLED_CONTACTS,
        }
    }
}

/// The soft-sphere engine on a graphics device: positions exact, the rest in `f32`.
///
/// The same scene gives the same bits on the same device however often the host looks, whatever the
/// order of the grains in memory, and whenever neighbours are listed.
#[derive(Debug)]
pub struct GpuEngine {
    gpu: Gpu,
    grid: Grid,
    units: Units,
    gravity: DVec3,
    leaving: Leaving,
    materials: Vec<Material>,
    faces: Vec<Face>,
    /// By id.
    natures: Vec<Nature>,
    fluid: Option<FluidModel>,
    /// What the kernels are built for.
    traits: SceneTraits,
    params: StepParams,
    /// `None` without grains: there is nothing to do then.
    memory: Option<(Buffers, Step)>,
    time_step: f64,
    step: u64,
    removed: u64,
    ledger: Ledger,
    /// What a device counts energies in, J.
    quantum: f64,
    wall_forces: Vec<DVec3>,
    /// kg m/s.
    momentum: DVec3,
    contacts: usize,
    wall_contacts: usize,
    contact_updates: u64,
    searches: u64,
    /// Slots of the neighbour list.
    slots: u32,
    /// Steps that the device has counted when it was last asked.
    counted: u32,
    /// Steps that are handed to it at once.
    batch: u64,
    /// What was handed over of the present run, and of the one after it.
    handed: Handed,
    next: Handed,
    /// What each stage took, while somebody wants to know, s.
    stage_seconds: Option<Vec<(&'static str, f64)>>,
    /// Of a software device with few grains.
    awake: Option<Awake>,
    /// A state that was resumed, until its first step.
    resumed: Option<Box<State>>,
}

impl GpuEngine {
    /// Steps done since the start of the scene.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Simulated time, s.
    #[allow(
        clippy::cast_precision_loss,
        reason = "2^53 steps are out of reach of any run"
    )]
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }

    /// Pairs touching now.
    pub fn contacts(&self) -> usize {
        self.contacts
    }

    /// Contacts evaluated since this engine was made, each counted once per step.
    pub fn contact_updates(&self) -> u64 {
        self.contact_updates
    }

    /// Neighbour searches done since this engine was made.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Force of the grains on each wall face, N.
    pub fn wall_forces(&self) -> Vec<DVec3> {
        self.wall_forces.clone()
    }

    /// The device, as its driver calls it.
    pub fn device_name(&self) -> &str {
        &self.gpu.description().name
    }

    /// Slots of the neighbour list that there is room for.
    pub fn slot_capacity(&self) -> u32 {
        self.params.slot_capacity
    }

    /// Contacts whose memory there is room to put aside while neighbours are listed.
    pub fn contact_capacity(&self) -> u32 {
        self.params.contact_capacity
    }

    /// Buffers on the device and their bytes.
    pub fn device_buffers(&self) -> Vec<(&'static str, u64)> {
        self.memory
            .as_ref()
            .map_or_else(Vec::new, |(buffers, _)| buffers.sizes.list())
    }

    /// Bytes of all buffers on the device.
    pub fn device_bytes(&self) -> u64 {
        self.device_buffers().iter().map(|(_, bytes)| bytes).sum()
    }
}
