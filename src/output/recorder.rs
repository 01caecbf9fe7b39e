//! A run on disk: which files are written when, and how a run that was stopped goes on.

use super::{
    Pvd, SeriesWriter, read_checkpoint, read_series, write_checkpoint, write_vtp, write_walls,
};
use crate::error::{Error, Result};
use crate::render::{Picture, energy_plot};
use crate::scene::{Output, Scene};
use crate::simulation::{Simulation, scene_fingerprint};
use crate::state::{State, StateSource};
use std::path::{Path, PathBuf};

/// Name of the checkpoint in the directory of a run.
pub const CHECKPOINT: &str = "checkpoint.lahar";

/// Writes frames, series and checkpoints of a run into one directory.
#[derive(Debug)]
pub struct Recorder {
    directory: PathBuf,
    series: SeriesWriter,
    frames: Pvd,
    schedule: Schedule,
    fingerprint: u64,
    frame_count: u64,
}

/// Steps between outputs; 0 means never.
#[derive(Debug, Clone, Copy)]
struct Schedule {
    frames: Every,
    series: Every,
    checkpoints: Every,
}

/// An interval in steps, not necessarily whole; `None` for never.
#[derive(Debug, Clone, Copy)]
struct Every(Option<f64>);

impl Every {
    fn new(interval: Option<f64>, time_step: f64) -> Self {
        Self(interval.map(|seconds| (seconds / time_step).max(1.0)))
    }

    /// The step at or after `number` intervals, forgiving rounding.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of steps; saturates"
    )]
    fn at(interval: f64, number: f64) -> u64 {
        (number * interval - 1e-6).ceil() as u64
    }

    /// The first due step after `step`.
    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn next(self, step: u64) -> Option<u64> {
        let interval = self.0?;
        let number = (step as f64 / interval).floor();
        [0.0, 1.0, 2.0]
            .map(|later| Self::at(interval, number + later))
            .into_iter()
            .find(|&due| due > step)
    }

    fn is_due(self, step: u64) -> bool {
        step > 0 && self.next(step - 1) == Some(step)
    }
}

impl Schedule {
    fn new(output: &Output, time_step: f64) -> Self {
        Self {
            frames: Every::new(output.frames, time_step),
            series: Every::new(output.series, time_step),
            checkpoints: Every::new(output.checkpoints, time_step),
        }
    }

    /// The first step after `step` at which something is written.
    fn next(&self, step: u64) -> u64 {
        [self.frames, self.series, self.checkpoints]
            .into_iter()
            .filter_map(|every| every.next(step))
            .min()
            .unwrap_or(u64::MAX)
    }
}

impl Recorder {
    /// Starts a record in an empty or new directory and writes the first frame and row.
    ///
    /// # Errors
    /// If the directory or a file in it cannot be written.
    pub fn create(directory: &Path, simulation: &mut Simulation) -> Result<Self> {
        std::fs::create_dir_all(directory)
            .map_err(|e| Error::io(directory, "create directory", e))?;
        let scene = simulation.scene();
        let schedule = Schedule::new(&scene.output, simulation.time_step());
        write_walls(directory.join("walls.vtp"), scene)?;
        let mut recorder = Self {
            series: SeriesWriter::create(directory.join("series.csv"), scene)?,
            frames: Pvd::create(directory.join("run.pvd"))?,
            directory: directory.to_path_buf(),
            schedule,
            fingerprint: simulation.fingerprint(),
            frame_count: 0,
        };
        recorder.series.write_row(&simulation.totals())?;
        if schedule.frames.0.is_some() {
            recorder.write_frame(&simulation.view()?)?;
        }
        Ok(recorder)
    }

    /// Goes on with a record; rows and frames later than `state` are dropped.
    ///
    /// # Errors
    /// If the directory does not hold a record of this scene, or cannot be written.
    pub fn resume(directory: &Path, scene: &Scene, state: &State) -> Result<Self> {
        let schedule = Schedule::new(&scene.output, state.time_step);
        let frames = Pvd::resume(directory.join("run.pvd"), state.time())?;
        Ok(Self {
            series: SeriesWriter::resume(directory.join("series.csv"), scene, state.step)?,
            frame_count: frames.len() as u64,
            frames,
            directory: directory.to_path_buf(),
            schedule,
            fingerprint: scene_fingerprint(scene, state.time_step),
        })
    }

    /// The state that a stopped run of this scene left in `directory`.
    ///
    /// # Errors
    /// If there is no checkpoint, or it is damaged or of another scene.
    pub fn read(directory: &Path, scene: &Scene, time_step: f64) -> Result<State> {
        read_checkpoint(
            directory.join(CHECKPOINT),
            scene_fingerprint(scene, time_step),
        )
    }

    /// The first step after `step` at which something is to be written.
    pub fn next_step(&self, simulation: &Simulation, step: u64) -> u64 {
        self.schedule.next(step).min(simulation.last_step())
    }

    /// Whether more than sums is written at a step: a frame, a checkpoint.
    pub fn needs_state(&self, simulation: &Simulation, step: u64) -> bool {
        self.schedule.frames.is_due(step)
            || self.schedule.checkpoints.is_due(step)
            || step == simulation.last_step()
    }

    /// Writes what is due at the present step, while a graphics device goes on with the `next` steps that will be
    /// run.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn record(&mut self, simulation: &mut Simulation, next: u64) -> Result<()> {
        let step = simulation.step();
        let last = step == simulation.last_step();
        let Schedule {
            frames,
            series,
            checkpoints,
        } = self.schedule;
        let row = series.is_due(step);
        let frame = frames.is_due(step);
        let checkpoint = checkpoints.is_due(step) || last;
        if row {
            self.series.write_row(&simulation.totals())?;
        }
        if !(frame || checkpoint) {
            return Ok(());
        }
        let view = simulation.view_then(next)?;
        if frame {
            self.write_frame(&view)?;
        }
        if checkpoint {
            self.checkpoint(&view)?;
        }
        Ok(())
    }

    /// Writes a checkpoint; rows and frames up to it are on the disk first.
    ///
    /// # Errors
    /// If it cannot be written; the previous one is then still whole.
    pub fn checkpoint(&mut self, state: &impl StateSource) -> Result<()> {
        self.series.sync()?;
        write_checkpoint(self.directory.join(CHECKPOINT), state, self.fingerprint)
    }

    fn write_frame(&mut self, state: &impl StateSource) -> Result<()> {
        let name = format!("frame_{:05}.vtp", self.frame_count);
        write_vtp(self.directory.join(&name), state)?;
        self.frames.push(state.instant().time(), &name)?;
        self.frame_count += 1;
        Ok(())
    }

    /// Draws the energies of the run and, if the scene wants it, the grains. Returns the files.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn draw(&self, scene: &Scene, state: &State) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let series = read_series(self.directory.join("series.csv"))?;
        if series.rows.len() > 1 {
            let path = self.directory.join("energy.png");
            energy_plot(&series).write_png(&path, 1000, 620)?;
            files.push(path);
        }
        if scene.output.picture {
            let path = self.directory.join("picture.png");
            Picture::default().write_png(&path, state, scene)?;
            files.push(path);
        }
        Ok(files)
    }
}
