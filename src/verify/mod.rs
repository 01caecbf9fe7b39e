//! The papers behind the laws, reproduced through the engines.
//!
//! A [`Study`] is one table, figure or equation of one paper. It says beforehand what should come out,
//! as [`Check`]s with a tolerance and the reason for it, and then measures it on a [`Bench`]: the CPU
//! engine, a graphics device, or in tests an engine with a law broken on purpose. Nothing is computed
//! twice: one run may answer several checks and draw a figure.
//!
//! [`studies`] is the registry, [`long_studies`] that of studies that take long. To add a study, write a function that returns it in the file of its
//! paper and name it there.
//!
//! | folder or file | paper |
//! |---|---|
//! | `ray/` | Ray, Kempe & Fröhlich: Hertz with viscous damping and its direct inverse |
//! | `teufelsbauer.rs` | Teufelsbauer, Hübl & Wu: the linear dashpot and the reduced mass |
//! | `costa/` | Costa, Boersma, Westerweel & Breugem: contacts of a chosen duration, stick and slip |
//! | `costa_wet/` | the same, lubrication |
//! | `rubin/` | Rubin: hard spheres with a smooth transition to full slip, beside Walton's rule |
//! | `luding.rs` | Luding & McNamara: the TC model, its closed forms |
//! | `luding_runs/` | the same, simulated with the event-driven engine |
//! | `chung_ooi/` | Chung & Ooi: eight impacts |
//! | `community/` | cases of MFIX and LAMMPS that the community knows |
//!
//! Where a paper misprints, the check expects what is right and its [`erratum`](Check::erratum) says
//! what is printed. [`ERRATA`] lists all misprints.

mod bench;
mod chung_ooi;
mod community;
mod costa;
mod costa_wet;
mod errata;
mod luding;
mod luding_runs;
mod ray;
mod report;
mod rubin;
mod run;
mod teufelsbauer;
mod tolerance;

pub use bench::{Bench, CpuBench, GpuBench};
pub use errata::{ERRATA, Erratum};
pub use report::{html, markdown};
pub(crate) use report::{number, summary};
pub use run::{Case, Report, Selection, StudyReport, verify};
pub use tolerance::Tolerance;

use crate::error::Result;
use crate::render::{Canvas, Plot};

/// One table, figure or equation of a paper.
pub struct Study {
    /// Short name, the first part of the ids of its checks.
    pub name: &'static str,
    /// Paper, and which equation, table or figure of it.
    pub source: &'static str,
    /// What is done, in a sentence or two.
    pub summary: &'static str,
    /// What it runs on.
    pub engines: Engines,
    /// Whether it belongs to the quick selection.
    pub quick: bool,
    /// What should come out.
    pub checks: Vec<Check>,
    /// Measures it: one value for each check, in their order.
    pub measure: Measure,
}

/// Measures the quantities of a study.
pub type Measure = Box<dyn Fn(&dyn Bench) -> Result<Measured> + Send + Sync>;

/// What a study runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engines {
    /// It is about a formula: no engine runs.
    None,
    /// The CPU engine only, or the one for hard grains; the study says why.
    Cpu,
    /// Every engine.
    All,
}

/// One number that should come out.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// Name within the study.
    pub name: String,
    /// What the number is, with its unit.
    pub quantity: String,
    /// What it should be.
    pub expected: f64,
    /// How far off it may be, and why.
    pub tolerance: Tolerance,
    /// How much further off, and from the CPU engine, a graphics device may be, and why.
    pub device: Tolerance,
    /// The misprint of [`ERRATA`] that it shows.
    pub misprint: Option<&'static str>,
    /// What the paper prints instead, where that is wrong.
    pub erratum: Option<String>,
    /// What the paper prints, where that says something that the expected value does not.
    pub printed: Option<String>,
    /// Why it says nothing about a graphics device, if it does not.
    pub processor_only: Option<&'static str>,
}

impl Check {
    /// A check whose device tolerance is that of `f32` velocities on exact positions.
    pub fn new(
        name: impl Into<String>,
        quantity: impl Into<String>,
        expected: f64,
        tolerance: Tolerance,
    ) -> Self {
        Self {
            name: name.into(),
            quantity: quantity.into(),
            expected,
            tolerance,
            device: Tolerance::DEVICE,
            misprint: None,
            erratum: None,
            printed: None,
            processor_only: None,
        }
    }

    /// Whether the CPU engine may give this value.
    pub fn accepts(&self, value: f64) -> bool {
        // Not `>`: what is not a number does not pass.
        (value - self.expected).abs() <= self.tolerance.amount(self.expected)
    }

    /// The same with another tolerance for graphics devices.
    #[must_use]
    pub fn on_devices(self, device: Tolerance) -> Self {
        Self { device, ..self }
    }

    /// The same with what the paper prints.
    #[must_use]
    pub fn printed(self, printed: impl Into<String>) -> Self {
        Self {
            printed: Some(printed.into()),
            ..self
        }
    }

    /// The same with a misprint of [`ERRATA`], and what would come out if the paper were right.
    #[must_use]
    pub fn erratum(self, misprint: &'static str, erratum: impl Into<String>) -> Self {
        Self {
            misprint: Some(misprint),
            erratum: Some(erratum.into()),
            ..self
        }
    }

    /// The same for the processor alone: on a graphics device it would say nothing, and why.
    #[must_use]
    pub fn on_processor(self, reason: &'static str) -> Self {
        Self {
            processor_only: Some(reason),
            ..self
        }
    }
}

/// What a study found.
#[derive(Debug, Default)]
pub struct Measured {
    /// One value for each check, in their order.
    pub values: Vec<f64>,
    /// Figures drawn from the same runs.
    pub figures: Vec<Figure>,
}

impl Measured {
    /// Values without a figure.
    pub fn values(values: impl IntoIterator<Item = f64>) -> Self {
        Self {
            values: values.into_iter().collect(),
            figures: Vec::new(),
        }
    }
}

/// A figure of the report.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Name of its file, without extension.
    pub name: &'static str,
    /// What it shows, and which figure of the paper it repeats.
    pub caption: String,
    /// The drawing.
    pub drawing: Drawing,
}

/// What a figure is made of.
#[derive(Debug, Clone)]
pub enum Drawing {
    /// Curves.
    Plot(Plot),
    /// A picture.
    Picture(Canvas),
}

/// Studies that take a minute or more each, run on request.
pub fn long_studies() -> Vec<Study> {
    luding_runs::long_studies()
}

/// Every other study, paper by paper.
pub fn studies() -> Vec<Study> {
    [
        ray::studies(),
        teufelsbauer::studies(),
        costa::studies(),
        costa_wet::studies(),
        rubin::studies(),
        luding::studies(),
        luding_runs::studies(),
        chung_ooi::studies(),
        community::studies(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
