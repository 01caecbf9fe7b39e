//! `lahar run` of hard grains: from event to event.

use super::run::{
    HEARTBEAT, INTERRUPTED, QUIET_HEARTBEAT, RunArguments, check_end, hexadecimal, per_second,
};
use super::units::{count, counted, duration, si};
use super::{note, print};
use crate::error::{Error, Result};
use crate::hard::HardEngine;
use crate::machine::cpu_seconds;
use crate::output::{CHECKPOINT, DirectoryLock, HardRecorder, hard_state_hash};
use crate::scene::Scene;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Events between two looks at the clock.
const BATCH: u64 = 20_000;

/// Steps of the progress bar.
const BAR: u64 = 10_000;

pub(super) fn run(
    arguments: &RunArguments,
    scene: &Scene,
    directory: &Path,
    stop: &AtomicBool,
) -> Result<ExitCode> {
    let (mut recorder, mut engine, _lock) = open(arguments, scene, directory)?;
    let mut progress = Progress::new(&engine, scene.time.end, arguments.json());
    let outcome = advance(&mut engine, &mut recorder, &mut progress, stop);
    progress.finish();
    let again = arguments.again(directory);
    match outcome {
        Ok(()) => {}
        Err(error @ Error::Collapse { .. }) => {
            // What there is up to the collapse is as good as any.
            recorder.close(&engine)?;
            recorder.draw(scene, &engine)?;
            if arguments.json() {
                let mut report = report(arguments, directory, &engine, &progress);
                report["collapse"] = collapse_report(&error);
                print(&report.to_string())?;
            }
            note(&format!(
                "series, frames and picture up to the collapse are in {}; with engine.tc in the scene it goes on:\n  \
                 {again}",
                directory.display()
            ));
            return Err(error);
        }
        Err(error) => {
            if directory.join(CHECKPOINT).exists() {
                note(&format!("the last checkpoint is whole: {again}"));
            }
            return Err(error);
        }
    }
    if stop.load(Ordering::Relaxed) && engine.time() < scene.time.end {
        recorder.checkpoint(&engine)?;
        note(&format!(
            "stopped at t = {}; go on with\n  {again}",
            si(engine.time(), "s")
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let pictures = recorder.draw(scene, &engine)?;
    print(&summary(
        arguments, directory, &engine, &progress, &pictures,
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn open(
    arguments: &RunArguments,
    scene: &Scene,
    directory: &Path,
) -> Result<(HardRecorder, HardEngine, DirectoryLock)> {
    if arguments.resume() {
        arguments.need_checkpoint(directory)?;
        let lock = DirectoryLock::take(directory)?;
        let (recorder, engine) = HardRecorder::resume(directory, scene)?;
        check_end(engine.time().total_cmp(&scene.time.end), engine.time())?;
        return Ok((recorder, engine, lock));
    }
    let engine = HardEngine::from_scene(scene)?;
    let lock = DirectoryLock::take(directory)?;
    arguments.drop_old_checkpoint(directory)?;
    let recorder = HardRecorder::create(directory, scene, &engine)?;
    Ok((recorder, engine, lock))
}

/// Runs to the end, or until `stop`, writing what is due on the way.
fn advance(
    engine: &mut HardEngine,
    recorder: &mut HardRecorder,
    progress: &mut Progress,
    stop: &AtomicBool,
) -> Result<()> {
    while engine.time() < progress.end {
        let next = recorder.next_time(engine);
        loop {
            let (begun, cpu) = (Instant::now(), cpu_seconds());
            let events = engine.run_events(next, BATCH)?;
            progress.computed += begun.elapsed();
            progress.cpu_seconds += cpu_seconds() - cpu;
            progress.show(engine);
            if events < BATCH {
                break;
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
        recorder.record(engine, next)?;
        if next >= progress.end || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(())
}

/// Tells how far the run is: a bar on a terminal, a line now and then elsewhere.
struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    shown: Instant,
    computed: Duration,
    cpu_seconds: f64,
    end: f64,
    first_time: f64,
    first_collisions: u64,
    collisions_shown: u64,
}

fn all_collisions(engine: &HardEngine) -> u64 {
    engine.tally().collisions + engine.tally().wall_collisions
}

#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
impl Progress {
    fn new(engine: &HardEngine, end: f64, quiet: bool) -> Self {
        let bar = (std::io::stderr().is_terminal() && !quiet).then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(BAR), ProgressDrawTarget::stderr_with_hz(5));
            if let Ok(style) =
                ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}  ETA {eta}")
            {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            begun: Instant::now(),
            shown: Instant::now(),
            computed: Duration::ZERO,
            cpu_seconds: 0.0,
            end,
            first_time: engine.time(),
            first_collisions: all_collisions(engine),
            collisions_shown: all_collisions(engine),
        }
    }

    fn show(&mut self, engine: &HardEngine) {
        let heartbeat = if self.bar.is_some() {
            HEARTBEAT
        } else {
            QUIET_HEARTBEAT
        };
        let elapsed = self.shown.elapsed();
        if elapsed < heartbeat {
            return;
        }
        let collisions = all_collisions(engine);
        let rate = (collisions - self.collisions_shown) as f64 / elapsed.as_secs_f64();
        let message = format!(
            "t = {}  {}  {}  {}",
            si(engine.time(), "s"),
            counted(collisions, "collision"),
            per_second(rate, "collisions"),
            si(engine.measure().kinetic, "J"),
        );
        let part = engine.time() / self.end;
        if let Some(bar) = &self.bar {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and 10000"
            )]
            bar.set_position((part * BAR as f64) as u64);
            bar.set_message(message);
        } else {
            let done = engine.time() - self.first_time;
            let left = self.end - engine.time();
            let eta = if done > 0.0 {
                duration(self.begun.elapsed().as_secs_f64() * left / done)
            } else {
                "unknown".to_owned()
            };
            let percent = 100.0 * part;
            note(&format!("{percent:>3.0} %  {message}  ETA {eta}"));
        }
        self.shown = Instant::now();
        self.collisions_shown = collisions;
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Collisions per second of the time that the engine took.
#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn collision_rate(engine: &HardEngine, progress: &Progress) -> f64 {
    let collisions = all_collisions(engine) - progress.first_collisions;
    collisions as f64 / progress.computed.as_secs_f64().max(f64::MIN_POSITIVE)
}

fn hash(arguments: &RunArguments, engine: &HardEngine) -> Option<String> {
    arguments
        .hash()
        .then(|| hexadecimal(hard_state_hash(engine)))
}

#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn report(
    arguments: &RunArguments,
    directory: &Path,
    engine: &HardEngine,
    progress: &Progress,
) -> Value {
    let (now, tally) = (engine.measure(), engine.tally());
    json!({
        "directory": directory,
        "engine": "hard",
        "time": engine.time(),
        "particles": engine.particles(),
        "removed": tally.removed,
        "collisions": tally.collisions,
        "wall_collisions": tally.wall_collisions,
        "elastic_collisions": tally.elastic_collisions,
        "kinetic": now.kinetic,
        "pseudo_elastic": now.pseudo_elastic,
        "rotational": now.rotational,
        "lost": tally.lost,
        "wall_seconds": progress.begun.elapsed().as_secs_f64(),
        "seconds": progress.computed.as_secs_f64(),
        "cpu_seconds": progress.cpu_seconds,
        "collisions_per_second": collision_rate(engine, progress),
        "bytes_per_particle": engine.bytes() as f64 / engine.particles().max(1) as f64,
        "hash": hash(arguments, engine),
    })
}

/// Who collided without end, when, and how fast.
fn collapse_report(error: &Error) -> Value {
    match error {
        Error::Collapse {
            particles,
            time,
            collisions,
            interval,
            rate,
            told_apart,
            mean_time,
            ..
        } => json!({
            "particles": particles,
            "time": time,
            "collisions": collisions,
            "resolution": interval,
            "rate": rate,
            "rate_at_least": 1.0 / interval,
            "mean_time": mean_time,
            "rate_measured_over": told_apart,
            "at_one_instant": collisions.saturating_sub(*told_apart),
        }),
        _ => Value::Null,
    }
}

fn summary(
    arguments: &RunArguments,
    directory: &Path,
    engine: &HardEngine,
    progress: &Progress,
    pictures: &[PathBuf],
) -> String {
    if arguments.json() {
        return report(arguments, directory, engine, progress).to_string();
    }
    let (now, tally) = (engine.measure(), engine.tally());
    let rate = collision_rate(engine, progress);
    let hash = hash(arguments, engine);
    let mut lines = vec![
        format!(
            "{} to t = {} in {}",
            counted(engine.particles() as u64, "hard grain"),
            si(engine.time(), "s"),
            duration(progress.begun.elapsed().as_secs_f64()),
        ),
        format!(
            "{}, {} with walls; {}",
            counted(tally.collisions, "collision"),
            count(tally.wall_collisions),
            per_second(rate, "collisions"),
        ),
        format!(
            "energy: {} of translation, {} of rotation, {} lost",
            si(now.kinetic, "J"),
            si(now.rotational, "J"),
            si(tally.lost, "J"),
        ),
        format!("results in {}", directory.display()),
    ];
    lines.extend(pictures.iter().map(|path| format!("  {}", path.display())));
    lines.extend(hash.map(|hash| format!("hash          {hash}")));
    lines.join("\n")
}
