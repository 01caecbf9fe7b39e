//! A run of hard grains on disk: which files are written when, and how a run that was stopped goes on.

use super::hard_checkpoint::{read_hard_checkpoint, write_hard_checkpoint};
use super::hard_series::{HardSeries, RowBefore};
use super::{CHECKPOINT, Pvd, write_hard_vtp, write_walls};
use crate::error::{Error, Result};
use crate::hard::{GrainNow, HardEngine, HardModel};
use crate::laws::tc::Dimensions;
use crate::position::Grid;
use crate::render::{ColourBy, Picture};
use crate::scene::{Output, Scene};
use crate::simulation::scene_fingerprint;
use crate::state::{ParticleState, State};
use glam::DVec3;
use std::path::{Path, PathBuf};

/// Writes frames, series and checkpoints of a run into one directory.
#[derive(Debug)]
pub struct HardRecorder {
    directory: PathBuf,
    series: HardSeries,
    frames: Pvd,
    frame_count: u64,
    output: Output,
    end: f64,
    fingerprint: u64,
}

/// How many intervals have been written at a time: the last multiple of `interval` not after it.
fn intervals(time: f64, interval: f64) -> f64 {
    let whole = (time / interval).round();
    // A time that is a multiple up to rounding is one.
    if (whole * interval - time).abs() <= 1e-9 * interval {
        whole
    } else {
        (time / interval).floor()
    }
}

fn is_due(time: f64, interval: Option<f64>) -> bool {
    interval.is_some_and(|interval| {
        let number = intervals(time, interval);
        // Up to rounding: 0.3 is due for intervals of 0.3 and of 0.1, three of which are a little more.
        number > 0.0 && (number * interval - time).abs() <= 1e-9 * interval
    })
}

impl HardRecorder {
    /// Starts a record in an empty or new directory and writes the first frame and row.
    ///
    /// # Errors
    /// If the directory or a file in it cannot be written.
    pub fn create(directory: &Path, scene: &Scene, engine: &HardEngine) -> Result<Self> {
        std::fs::create_dir_all(directory)
            .map_err(|e| Error::io(directory, "create directory", e))?;
        write_walls(directory.join("walls.vtp"), scene)?;
        let before = RowBefore::start(engine);
        let mut recorder = Self {
            series: HardSeries::create(&directory.join("series.csv"), scene, before)?,
            frames: Pvd::create(directory.join("run.pvd"))?,
            directory: directory.to_path_buf(),
            frame_count: 0,
            output: scene.output,
            end: scene.time.end,
            fingerprint: scene_fingerprint(scene, 0.0),
        };
        recorder.series.write_row(engine)?;
        if recorder.output.frames.is_some() {
            recorder.write_frame(engine)?;
        }
        Ok(recorder)
    }

    /// Goes on with a record from its checkpoint; what is later is dropped.
    ///
    /// # Errors
    /// If the directory does not hold a record of this scene, or cannot be written.
    pub fn resume(directory: &Path, scene: &Scene) -> Result<(Self, HardEngine)> {
        let (model, start) = HardModel::from_scene(scene)?;
        let fingerprint = scene_fingerprint(scene, 0.0);
        let path = directory.join(CHECKPOINT);
        let (engine, before) = read_hard_checkpoint(&path, model, &start, fingerprint)?;
        let frames = Pvd::resume(directory.join("run.pvd"), engine.time())?;
        let series = directory.join("series.csv");
        let recorder = Self {
            series: HardSeries::resume(&series, engine.time(), before)?,
            frame_count: frames.len() as u64,
            frames,
            directory: directory.to_path_buf(),
            output: scene.output,
            end: scene.time.end,
            fingerprint,
        };
        Ok((recorder, engine))
    }

    /// The first instant after the present one at which something is to be written, s.
    pub fn next_time(&self, engine: &HardEngine) -> f64 {
        let now = engine.time();
        [
            self.output.frames,
            self.output.series,
            self.output.checkpoints,
        ]
        .into_iter()
        .flatten()
        .map(|interval| (intervals(now, interval) + 1.0) * interval)
        .fold(self.end, f64::min)
    }

    /// Writes what is due at `time`, which the engine has reached.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn record(&mut self, engine: &HardEngine, time: f64) -> Result<()> {
        if is_due(time, self.output.series) {
            self.series.write_row(engine)?;
        }
        if is_due(time, self.output.frames) {
            self.write_frame(engine)?;
        }
        if is_due(time, self.output.checkpoints) || time >= self.end {
            self.checkpoint(engine)?;
        }
        Ok(())
    }

    /// Writes row, frame and checkpoint of an end that came early.
    ///
    /// # Errors
    /// If one of them cannot be written.
    pub fn close(&mut self, engine: &HardEngine) -> Result<()> {
        self.series.write_row(engine)?;
        self.write_frame(engine)?;
        self.checkpoint(engine)
    }

    /// Writes a checkpoint; rows and frames up to it are on the disk first.
    ///
    /// # Errors
    /// If it cannot be written; the previous one is then still whole.
    pub fn checkpoint(&mut self, engine: &HardEngine) -> Result<()> {
        self.series.sync()?;
        let path = self.directory.join(CHECKPOINT);
        write_hard_checkpoint(&path, engine, self.series.before(), self.fingerprint)
    }

    fn write_frame(&mut self, engine: &HardEngine) -> Result<()> {
        let name = format!("frame_{:05}.vtp", self.frame_count);
        write_hard_vtp(self.directory.join(&name), engine)?;
        self.frames.push(engine.time(), &name)?;
        self.frame_count += 1;
        Ok(())
    }

    /// Draws the grains, coloured by speed and by how often they collide, if the scene wants it. Returns the files.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn draw(&self, scene: &Scene, engine: &HardEngine) -> Result<Vec<PathBuf>> {
        if !self.output.picture {
            return Ok(Vec::new());
        }
        let state = picture_state(engine);
        let mut picture = Picture::default();
        if engine.model().dimensions == Dimensions::Two {
            (picture.azimuth, picture.elevation) = (-90.0, 90.0);
        }
        let mut paths = vec![self.directory.join("picture.png")];
        picture.write_png(&paths[0], &state, scene)?;
        if let Some(rates) = collision_rates(engine, RATE_WINDOW * self.end) {
            picture.colour_by = ColourBy::CollisionRate;
            picture.collision_rates = rates;
            paths.push(self.directory.join("collision_rate.png"));
            picture.write_png(&paths[1], &state, scene)?;
        }
        Ok(paths)
    }
}

/// The time over which collisions are counted for a picture, as a part of the run.
const RATE_WINDOW: f64 = 0.005;

/// Most events of that time for each grain.
const RATE_EVENTS: u64 = 50;

/// How often each grain collides in the time that follows, by rank, 1/s; `None` if none does. It is what follows,
/// on a copy of the engine, so that the picture of a run that was resumed is that of one that was not. After a collapse nothing
/// follows: then it is how often each has collided since the start.
#[allow(clippy::cast_precision_loss, reason = "times and counts")]
fn collision_rates(engine: &HardEngine, window: f64) -> Option<Vec<f64>> {
    let mut ahead = engine.clone();
    let before = ahead.snapshot();
    let most = RATE_EVENTS * before.len() as u64;
    // A collapse on the way ends the time that is looked at.
    let _ = ahead.run_events(engine.time() + window, most);
    let elapsed = ahead.time() - engine.time();
    let hits = |id: u32, after: &[GrainNow]| {
        let place = after.binary_search_by_key(&id, |grain| grain.id).ok()?;
        Some(after[place].collisions)
    };
    if elapsed <= 0.0 {
        let rate = |grain: &GrainNow| f64::from(grain.collisions) / engine.time();
        let rates: Vec<f64> = before.iter().map(rate).collect();
        return rates.iter().any(|&rate| rate > 0.0).then_some(rates);
    }
    let after = ahead.snapshot();
    let rates: Vec<f64> = before
        .iter()
        .map(|grain| {
            let later = hits(grain.id, &after).unwrap_or(grain.collisions);
            f64::from(later.wrapping_sub(grain.collisions)) / elapsed
        })
        .collect();
    rates.iter().any(|&rate| rate > 0.0).then_some(rates)
}

/// Where the grains are and how they move, for a picture.
fn picture_state(engine: &HardEngine) -> State {
    let grains = engine.snapshot();
    let model = engine.model();
    let largest = grains.iter().fold(0.0_f64, |r, grain| r.max(grain.radius));
    let grid = Grid::new(model.lower, model.upper, model.periodic, 2.0 * largest);
    let mut particles = ParticleState::default();
    for grain in &grains {
        let (units, remainder) = grid.from_metres(grain.position);
        particles.id.push(grain.id);
        particles.units.push(units);
        particles.remainder.push(remainder);
        particles.velocity.push(grain.velocity);
        particles.spin.push(grain.spin);
        particles.acceleration.push(DVec3::ZERO);
        particles.angular_acceleration.push(DVec3::ZERO);
        particles.radius.push(grain.radius);
        particles.material.push(grain.material);
        particles.fixed.push(grain.fixed);
    }
    State {
        step: 1,
        time_step: engine.time(),
        grid,
        particles,
        contacts: Vec::new(),
        ledger: Default::default(),
        wall_forces: vec![DVec3::ZERO; model.faces.len()],
        removed: engine.tally().removed,
    }
}
