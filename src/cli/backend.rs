//! `--backend`: which engine computes.

use super::note;
use crate::error::Result;
use crate::gpu::choose::choose;
use crate::gpu::device::{Device, Gpu, GpuChoice, devices};
use crate::state::EngineKind;
use clap::ValueEnum;

/// Which engine computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    /// A real graphics device if there is one, else the processor
    Auto,
    /// The f64 engine on the processor
    Cpu,
    /// The engine on the best graphics device, be it imitated by the processor
    Gpu,
}

impl Backend {
    /// The graphics devices among which [`device`](Self::device) will choose: looking for them takes
    /// memory that is not the run's.
    pub(super) fn survey(self) -> Vec<Device> {
        match self {
            Self::Auto => devices(),
            Self::Cpu | Self::Gpu => Vec::new(),
        }
    }

    /// The graphics device to compute on, `None` for the processor. What nobody asked for is said on
    /// standard error, with the reason.
    pub(super) fn device(self, devices: &[Device]) -> Result<Option<Gpu>> {
        match self {
            Self::Cpu => Ok(None),
            Self::Gpu => Gpu::open(&GpuChoice::default()).map(Some),
            Self::Auto => Ok(automatic(devices)),
        }
    }
}

/// The graphics device on which a run goes on that nobody gave an engine, `None` for the processor: the engine
/// that left its checkpoint goes on from it bit for bit, be its device imitated or not.
pub(super) fn as_before(engine: EngineKind) -> Option<Gpu> {
    match engine {
        EngineKind::Cpu => {
            note("engine: cpu, which left the checkpoint; --backend gpu takes a graphics device");
            None
        }
        EngineKind::Gpu => match Gpu::open(&GpuChoice::default()) {
            Ok(gpu) => {
                note("engine: gpu, which left the checkpoint; --backend cpu uses the processor");
                Some(gpu)
            }
            Err(error) => {
                note(&format!(
                    "engine: cpu, though a graphics device left the checkpoint: {error}"
                ));
                None
            }
        },
    }
}

/// Says so if a run goes on with another engine than the one that left its checkpoint: it rounds differently.
pub(super) fn say_if_another(left_by: EngineKind, gpu: Option<&Gpu>) {
    let (before, now) = match (left_by, gpu) {
        (EngineKind::Cpu, Some(_)) => ("cpu", "gpu"),
        (EngineKind::Gpu, None) => ("gpu", "cpu"),
        _ => return,
    };
    note(&format!(
        "the {before} engine left the checkpoint; {now} goes on from it, but rounds differently"
    ));
}

fn automatic(devices: &[Device]) -> Option<Gpu> {
    let choice = choose(devices);
    let Some(device) = choice.device.and_then(|index| devices.get(index)) else {
        let force = if devices.is_empty() {
            ""
        } else {
            "; --backend gpu uses it all the same"
        };
        note(&format!("engine: cpu, {}{force}", choice.reason));
        return None;
    };
    let wanted = GpuChoice {
        name: Some(device.name.clone()),
        hardware_only: true,
        ..GpuChoice::default()
    };
    match Gpu::open(&wanted) {
        Ok(gpu) => {
            note(&format!(
                "engine: gpu, {}; --backend cpu uses the processor",
                choice.reason
            ));
            Some(gpu)
        }
        Err(error) => {
            note(&format!("engine: cpu, {error}"));
            None
        }
    }
}
