//! `lahar run`: a scene from start (or checkpoint) to end.

use super::backend::{Backend, as_before, say_if_another};
use super::units::{count, duration, si};
use super::{note, print};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::machine::{cpu_seconds, peak_memory, resident_memory};
use crate::output::{CHECKPOINT, DirectoryLock, Recorder, checkpoint_engine, state_hash};
use crate::scene::Scene;
use crate::simulation::{self, Simulation};
use crate::state::{Instant, StateSource};
use crate::time_step::{StepAdvice, time_step};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// How often progress is shown and, where steps come in batches, Ctrl-C looked for.
pub(super) const HEARTBEAT: Duration = Duration::from_millis(500);

/// The same for Ctrl-C where there is no terminal: batches of a graphics device can be longer there, of which each takes a step or two
/// more than it has.
const QUIET_LOOK: Duration = Duration::from_secs(2);

/// Between two lines of progress where there is no terminal.
pub(super) const QUIET_HEARTBEAT: Duration = Duration::from_secs(10);

/// More threads than cores only wait for each other; this is a slip of the keyboard.
const MOST_THREADS: usize = 256;

/// What a shell reports for a process that Ctrl-C ended.
pub(super) const INTERRUPTED: u8 = 130;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lahar run heap.toml                      results in out/heap
  lahar run heap.toml --out heap-1         … in heap-1
  lahar run heap.toml --out heap-1 --resume    go on after Ctrl-C, a crash, or with a later end
  lahar run heap.toml --hash               … and a number that two equal runs share

The directory holds run.pvd and walls.vtp (ParaView), series.csv, energy.png (soft grains),
picture.png, collision_rate.png (hard grains) and checkpoint.lahar. A run that is resumed goes
on with the engine that it ran on, and equals one that was never stopped, to the bit. With
--backend another engine goes on from it, which rounds differently.")]
pub(super) struct RunArguments {
    /// The scene file
    scene: PathBuf,
    /// Directory for the results [default: out/SCENE, or out/SCENE-2 … if that is taken]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on from the checkpoint in the directory
    #[arg(long)]
    resume: bool,
    /// Replace the results in the directory
    #[arg(long, conflicts_with = "resume")]
    overwrite: bool,
    /// Which engine computes
    #[arg(long, value_enum, default_value = "auto")]
    backend: Backend,
    /// Threads; 0 means one per core. The result does not depend on it
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,
    /// Print a hash of the final state: equal hashes mean equal bits
    #[arg(long)]
    hash: bool,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
}

impl RunArguments {
    pub(super) fn resume(&self) -> bool {
        self.resume
    }

    pub(super) fn json(&self) -> bool {
        self.json
    }

    pub(super) fn hash(&self) -> bool {
        self.hash
    }

    /// The command that goes on with this run, on the same engine and with the same output.
    pub(super) fn again(&self, directory: &Path) -> String {
        let mut command = format!(
            "lahar run {} --out {} --resume",
            self.scene.display(),
            directory.display()
        );
        let mut add = |option: &str| {
            command.push(' ');
            command.push_str(option);
        };
        match self.backend {
            Backend::Auto => {}
            Backend::Cpu => add("--backend cpu"),
            Backend::Gpu => add("--backend gpu"),
        }
        if self.threads != 0 {
            add(&format!("--threads {}", self.threads));
        }
        if self.hash {
            add("--hash");
        }
        if self.json {
            add("--json");
        }
        command
    }

    /// Complains if there is no checkpoint to go on from.
    pub(super) fn need_checkpoint(&self, directory: &Path) -> Result<()> {
        if directory.join(CHECKPOINT).exists() {
            return Ok(());
        }
        Err(Error::Checkpoint {
            path: directory.join(CHECKPOINT),
            message: "there is none: the run was stopped before its first checkpoint, or ran \
                      elsewhere; start it with --overwrite, or name its directory with --out"
                .into(),
        })
    }

    /// With `--overwrite`, the old checkpoint must not outlive the run that it belongs to.
    pub(super) fn drop_old_checkpoint(&self, directory: &Path) -> Result<()> {
        let old = directory.join(CHECKPOINT);
        if self.overwrite && old.exists() {
            std::fs::remove_file(&old).map_err(|e| Error::io(&old, "remove checkpoint", e))?;
        }
        Ok(())
    }
}

/// A flag that Ctrl-C sets.
fn stop_flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Only one handler can be set per process; a second run in one process goes without.
    if let Err(e) = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)) {
        log::debug!("no handler for Ctrl-C: {e}");
    }
    stop
}

/// Adds the scene file to an error that only knows the key.
pub(super) fn located<T>(result: Result<T>, file: &Path) -> Result<T> {
    result.map_err(|error| match error {
        Error::Scene(mut e) if e.file.is_none() => {
            e.file = Some(file.to_path_buf());
            e.line = e.line.or_else(|| crate::scene::line_of_key(file, &e.key));
            Error::Scene(e)
        }
        other => other,
    })
}

/// An energy balance further off than this is worth a warning.
const LARGEST_IMBALANCE: f64 = 1e-2;

pub(super) fn run(arguments: &RunArguments) -> Result<ExitCode> {
    if arguments.threads > MOST_THREADS {
        return Err(Error::Usage(format!(
            "--threads: found {}; allowed: 0 (one per core) to {MOST_THREADS}",
            arguments.threads
        )));
    }
    let devices = arguments.backend.survey();
    let before = resident_memory();
    let scene = Scene::from_file(&arguments.scene)?;
    let directory = directory(arguments)?;
    if scene.hard.is_some() {
        if arguments.backend == Backend::Gpu {
            return Err(Error::Usage(
                "--backend gpu: the grains of this scene are hard (engine.kind = \"hard\"), which run on \
                 the processor"
                    .into(),
            ));
        }
        return super::run_hard::run(arguments, &scene, &directory, &stop_flag());
    }
    let mut left_by = None;
    if arguments.resume {
        arguments.need_checkpoint(&directory)?;
        left_by = checkpoint_engine(directory.join(CHECKPOINT));
    }
    let gpu = match left_by {
        Some(engine) if arguments.backend == Backend::Auto => as_before(engine),
        _ => arguments.backend.device(&devices)?,
    };
    if let (Some(engine), true) = (left_by, arguments.backend != Backend::Auto) {
        say_if_another(engine, gpu.as_ref());
    }
    let (mut simulation, mut recorder, _lock) = open(arguments, scene, &directory, gpu.as_ref())?;
    if arguments.resume {
        let by_end = simulation.step().cmp(&simulation.last_step());
        check_end(by_end, simulation.time())?;
    }
    let stop = stop_flag();
    let mut progress = Progress::new(&simulation, arguments.json);
    let outcome = advance(&mut simulation, &mut recorder, &mut progress, &stop);
    progress.finish();
    if let Err(error) = outcome {
        if directory.join(CHECKPOINT).exists() {
            let again = arguments.again(&directory);
            note(&format!("the last checkpoint is whole: {again}"));
        }
        return Err(error);
    }
    if stop.load(Ordering::Relaxed) && simulation.step() < simulation.last_step() {
        recorder.checkpoint(&simulation.view()?)?;
        note(&format!(
            "stopped at t = {}; go on with\n  {}",
            si(simulation.time(), "s"),
            arguments.again(&directory)
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let steps = progress.steps(&simulation);
    let peak = peak_memory();
    let contact_updates = simulation.contact_updates();
    let searches = simulation.searches();
    let backend = simulation.backend_name();
    let device = simulation.device_name().map(str::to_owned);
    let view = simulation.view()?;
    let instant = view.instant().clone();
    let hash = arguments.hash.then(|| state_hash(&view));
    drop(view);
    // The contacts are on the disk: the picture needs only the grains.
    let (scene, state) = simulation.into_snapshot()?;
    let pictures = recorder.draw(&scene, &state)?;
    let summary = Summary {
        directory: &directory,
        instant: &instant,
        wall_seconds: progress.begun.elapsed().as_secs_f64(),
        seconds: progress.computed.as_secs_f64(),
        cpu_seconds: progress.cpu_seconds,
        steps,
        contact_updates,
        searches,
        backend,
        device: device.as_deref(),
        memory: peak.zip(before).map(|(peak, before)| peak - before),
        hash,
        frames: scene.output.frames.is_some(),
    };
    let ledger = &instant.ledger;
    let off = (ledger.balance_error() / ledger.initial).abs();
    if off > LARGEST_IMBALANCE && off.is_finite() {
        note(&format!(
            "warning: the energy balance is off by {off:.1e} of the energy at the start: take shorter \
             steps (time.step), or a greater time.expected_speed with step = \"auto\""
        ));
    }
    print(&if arguments.json {
        summary.json()
    } else {
        summary.text(&pictures)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Complains about a checkpoint at `time` that is past the end of its scene, and says if it is at the end.
pub(super) fn check_end(by_end: std::cmp::Ordering, time: f64) -> Result<()> {
    match by_end {
        std::cmp::Ordering::Less => {}
        std::cmp::Ordering::Equal => {
            note("the checkpoint is at the end of the run: nothing is left to do");
        }
        std::cmp::Ordering::Greater => {
            return Err(Error::Usage(format!(
                "--resume: the checkpoint is at t = {}, past time.end of the scene; set a later end, or \
                 start anew with --overwrite",
                si(time, "s")
            )));
        }
    }
    Ok(())
}

/// The directory of the run: the one given, or the first of out/SCENE, out/SCENE-2, … that is free.
fn directory(arguments: &RunArguments) -> Result<PathBuf> {
    let taken = |path: &Path| path.join("series.csv").exists();
    if let Some(out) = &arguments.out {
        if taken(out) && !arguments.resume && !arguments.overwrite {
            return Err(Error::Usage(format!(
                "{} holds the results of another run; go on with --resume, replace them with \
                 --overwrite, or name another directory with --out",
                out.display()
            )));
        }
        return Ok(out.clone());
    }
    let stem = arguments
        .scene
        .file_stem()
        .unwrap_or(arguments.scene.as_os_str())
        .to_string_lossy()
        .into_owned();
    let candidate = |k: u32| {
        Path::new("out").join(if k == 1 {
            stem.clone()
        } else {
            format!("{stem}-{k}")
        })
    };
    let first_free = (1..).find(|&k| !taken(&candidate(k))).unwrap_or(1);
    if arguments.resume {
        // The newest one.
        return Ok(candidate(first_free.saturating_sub(1).max(1)));
    }
    if arguments.overwrite {
        return Ok(candidate(1));
    }
    Ok(candidate(first_free))
}

fn open(
    arguments: &RunArguments,
    scene: Scene,
    directory: &Path,
    gpu: Option<&Gpu>,
) -> Result<(Simulation, Recorder, DirectoryLock)> {
    if arguments.resume {
        let step = located(
            time_step(&scene, &StepAdvice::new(&scene)),
            &arguments.scene,
        )?;
        let lock = DirectoryLock::take(directory)?;
        let state = Recorder::read(directory, &scene, step)?;
        let recorder = Recorder::resume(directory, &scene, &state)?;
        let simulation = start(arguments, scene, gpu, |scene, backend| {
            Simulation::resume(scene, &state, backend)
        })?;
        return Ok((simulation, recorder, lock));
    }
    let simulation = start(arguments, scene, gpu, Simulation::on);
    let mut simulation = located(simulation, &arguments.scene)?;
    let lock = DirectoryLock::take(directory)?;
    arguments.drop_old_checkpoint(directory)?;
    let recorder = Recorder::create(directory, &mut simulation)?;
    Ok((simulation, recorder, lock))
}

/// Starts a simulation; one that nobody asked to run on a device goes to the processor if the device
/// has no room for it or refuses it.
fn start(
    arguments: &RunArguments,
    scene: Scene,
    gpu: Option<&Gpu>,
    begin: impl Fn(Scene, simulation::Backend<'_>) -> Result<Simulation>,
) -> Result<Simulation> {
    let processor = simulation::Backend::Cpu {
        threads: arguments.threads,
    };
    match gpu {
        None => begin(scene, processor),
        Some(gpu) if arguments.backend == Backend::Auto => {
            match begin(scene.clone(), simulation::Backend::Gpu(gpu)) {
                Err(error) if error.is_of_device() => {
                    note(&format!("engine: cpu after all, {error}"));
                    begin(scene, processor)
                }
                outcome => outcome,
            }
        }
        Some(gpu) => begin(scene, simulation::Backend::Gpu(gpu)),
    }
}

/// Runs to the end, or until `stop`, writing what is due on the way.
fn advance(
    simulation: &mut Simulation,
    recorder: &mut Recorder,
    progress: &mut Progress,
    stop: &AtomicBool,
) -> Result<()> {
    if simulation.ends_when_told() {
        advance_freely(simulation, recorder, progress, stop)
    } else {
        advance_in_batches(simulation, recorder, progress, stop)
    }
}

/// On the processor: from one row or frame to the next, unless there is something to be said meanwhile.
fn advance_freely(
    simulation: &mut Simulation,
    recorder: &mut Recorder,
    progress: &mut Progress,
    stop: &AtomicBool,
) -> Result<()> {
    /// How often a run asks before it may end for nothing but something to be said: where steps take long, ends would take too much of the time.
    const FEWEST_QUESTIONS: u32 = 16;
    while simulation.step() < simulation.last_step() && !stop.load(Ordering::Relaxed) {
        let due = recorder.next_step(simulation, simulation.step());
        progress.time(|progress| {
            let questions = AtomicU32::new(0);
            let go_on = || {
                let may_end = questions.fetch_add(1, Ordering::Relaxed) >= FEWEST_QUESTIONS;
                !(stop.load(Ordering::Relaxed) || may_end && progress.is_due())
            };
            simulation.run_while(due - simulation.step(), &go_on)
        })?;
        if simulation.step() == due {
            recorder.record(simulation, 0)?;
        }
        progress.show(simulation)?;
    }
    Ok(())
}

/// On a graphics device, which is told of some steps before it has done the ones before.
fn advance_in_batches(
    simulation: &mut Simulation,
    recorder: &mut Recorder,
    progress: &mut Progress,
    stop: &AtomicBool,
) -> Result<()> {
    let last = simulation.last_step();
    let mut batch = 1u64;
    // Steps that the device was told of, and may have begun.
    let mut announced = 0;
    // Whether it may have done much of them while something was recorded.
    let mut begun_early = false;
    while simulation.step() < last && (announced > 0 || !stop.load(Ordering::Relaxed)) {
        let due = recorder.next_step(simulation, simulation.step());
        let steps = if announced > 0 {
            announced
        } else {
            batch.min(due - simulation.step())
        };
        let end = simulation.step() + steps;
        let following = if stop.load(Ordering::Relaxed) {
            0
        } else {
            batch.min(recorder.next_step(simulation, end).saturating_sub(end))
        };
        // Before a state is read, the device must not go on.
        announced = if recorder.needs_state(simulation, end) {
            0
        } else {
            following
        };
        let elapsed = progress.time(|_| simulation.run_then(steps, announced))?;
        let look = progress.between_looks();
        if (steps == batch && !begun_early) || elapsed > look {
            batch = next_batch(steps, elapsed, look);
        }
        begun_early = false;
        if simulation.step() == due {
            if announced == 0 {
                announced = following;
            }
            begun_early = announced > 0;
            recorder.record(simulation, announced)?;
        }
        progress.show(simulation)?;
    }
    Ok(())
}

/// As many steps as fit into three quarters of the time between two looks, after so many took so long; but not many times as many, since the first steps
/// tell little about later ones.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "saturates, and is bounded"
)]
fn next_batch(steps: u64, elapsed: Duration, look: Duration) -> u64 {
    /// Most that a batch grows by at once. Few of them should be short.
    const LARGEST_GROWTH: u64 = 8;
    let fitting = steps as f64 * 0.75 * look.as_secs_f64() / elapsed.as_secs_f64();
    (fitting as u64)
        .min(steps.saturating_mul(LARGEST_GROWTH))
        .max(1)
}

/// Tells how far the run is: a bar on a terminal, a line now and then elsewhere.
struct Progress {
    bar: Option<ProgressBar>,
    begun: std::time::Instant,
    shown: std::time::Instant,
    /// Wall time in the engine, without output.
    computed: Duration,
    /// Processor time in the engine, all threads.
    cpu_seconds: f64,
    first_step: u64,
    updates_shown: u64,
}

impl Progress {
    fn new(simulation: &Simulation, quiet: bool) -> Self {
        let bar = (std::io::stderr().is_terminal() && !quiet).then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(simulation.last_step()),
                ProgressDrawTarget::stderr_with_hz(5),
            );
            if let Ok(style) =
                ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}  ETA {eta}")
            {
                bar.set_style(style);
            }
            bar.set_position(simulation.step());
            bar.reset_eta();
            bar
        });
        Self {
            bar,
            begun: std::time::Instant::now(),
            shown: std::time::Instant::now(),
            computed: Duration::ZERO,
            cpu_seconds: 0.0,
            first_step: simulation.step(),
            updates_shown: 0,
        }
    }

    fn steps(&self, simulation: &Simulation) -> u64 {
        simulation.step() - self.first_step
    }

    /// Has an engine do some steps, and counts the time that they take, which is returned.
    fn time(&mut self, run: impl FnOnce(&Self) -> Result<()>) -> Result<Duration> {
        let (begun, cpu_begun) = (std::time::Instant::now(), cpu_seconds());
        run(self)?;
        let elapsed = begun.elapsed();
        self.computed += elapsed;
        self.cpu_seconds += cpu_seconds() - cpu_begun;
        Ok(elapsed)
    }

    /// How long a batch of steps may take.
    fn between_looks(&self) -> Duration {
        if self.bar.is_some() {
            HEARTBEAT
        } else {
            QUIET_LOOK
        }
    }

    /// Whether it is time to say something again.
    fn is_due(&self) -> bool {
        let heartbeat = if self.bar.is_some() {
            HEARTBEAT
        } else {
            QUIET_HEARTBEAT
        };
        self.shown.elapsed() >= heartbeat
    }

    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn show(&mut self, simulation: &mut Simulation) -> Result<()> {
        if !self.is_due() {
            return Ok(());
        }
        let elapsed = self.shown.elapsed();
        let updates = simulation.contact_updates();
        let rate = (updates - self.updates_shown) as f64 / elapsed.as_secs_f64();
        let kinetic = simulation.ledger()?.kinetic;
        let message = format!(
            "t = {}  {} contacts  {}  {}",
            si(simulation.time(), "s"),
            count(simulation.contacts() as u64),
            per_second(rate, "contacts"),
            si(kinetic, "J"),
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position(simulation.step());
                bar.set_message(message);
            }
            None => {
                let done = self.steps(simulation) as f64;
                let left = (simulation.last_step() - simulation.step()) as f64;
                let remaining = self.begun.elapsed().as_secs_f64() * left / done.max(1.0);
                let percent = 100 * simulation.step() / simulation.last_step().max(1);
                note(&format!(
                    "{percent:>3} %  {message}  ETA {}",
                    duration(remaining)
                ));
            }
        }
        self.shown = std::time::Instant::now();
        self.updates_shown = updates;
        Ok(())
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A rate, e.g. `4.7 M contacts/s`.
pub(super) fn per_second(rate: f64, what: &str) -> String {
    format!("{} {what}/s", si(rate, "").trim_end())
}

pub(super) fn hexadecimal(hash: u64) -> String {
    format!("{hash:016x}")
}

/// What a run came to.
struct Summary<'a> {
    directory: &'a Path,
    instant: &'a Instant,
    wall_seconds: f64,
    /// Wall time in the engine.
    seconds: f64,
    /// Processor time in the engine.
    cpu_seconds: f64,
    steps: u64,
    contact_updates: u64,
    searches: u64,
    /// What computed.
    backend: &'static str,
    /// The graphics device, if it was one.
    device: Option<&'a str>,
    /// Memory that scene and engine took at most, bytes, if the system tells.
    memory: Option<f64>,
    /// Hash of the final state, if it was asked for.
    hash: Option<u64>,
    /// Whether there are frames to look at.
    frames: bool,
}

/// From so many grains on memory is told per grain.
const MANY: usize = 10_000;

#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
impl Summary<'_> {
    fn updates_per_second(&self) -> f64 {
        self.contact_updates as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }

    fn bytes_per_particle(&self) -> Option<f64> {
        self.memory
            .map(|bytes| bytes / self.instant.particles.max(1) as f64)
    }

    fn json(&self) -> String {
        let ledger = &self.instant.ledger;
        json!({
            "directory": self.directory,
            "backend": self.backend,
            "device": self.device,
            "time": self.instant.time(),
            "time_step": self.instant.time_step,
            "steps": self.instant.step,
            "particles": self.instant.particles,
            "removed": self.instant.removed,
            "contacts": self.instant.contacts,
            "coordination": self.instant.coordination_number(),
            "kinetic": ledger.kinetic,
            "rotational": ledger.rotational,
            "potential": ledger.potential,
            "elastic": ledger.elastic_normal + ledger.elastic_tangential + ledger.elastic_rolling,
            "lost": ledger.lost(),
            "balance_error": ledger.balance_error(),
            "wall_seconds": self.wall_seconds,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "contact_updates": self.contact_updates,
            "contact_updates_per_s": self.updates_per_second(),
            "particle_steps_per_s":
                self.instant.particles as f64 * self.steps as f64 / self.seconds,
            "neighbour_searches": self.searches,
            "bytes_per_particle": self.bytes_per_particle(),
            // Digits, not a number: readers of JSON keep 53 bits.
            "hash": self.hash.map(hexadecimal),
        })
        .to_string()
    }

    fn text(&self, pictures: &[PathBuf]) -> String {
        let state = self.instant;
        let ledger = &state.ledger;
        let mut lines = vec![
            format!(
                "done: {} in {} steps of {}, {}{} of wall time",
                si(state.time(), "s"),
                count(state.step),
                si(state.time_step, "s"),
                if self.steps < state.step {
                    format!("{} of them now, in ", count(self.steps))
                } else {
                    String::new()
                },
                duration(self.wall_seconds),
            ),
            match self.device {
                Some(device) => format!("engine        {}, {device}", self.backend),
                None => format!("engine        {}", self.backend),
            },
            format!(
                "grains        {}{}",
                count(state.particles as u64),
                if state.removed > 0 {
                    format!(", {} left the domain", count(state.removed))
                } else {
                    String::new()
                }
            ),
            format!(
                "contacts      {}, {:.2} per grain",
                count(state.contacts as u64),
                state.coordination_number()
            ),
            format!(
                "energy        kinetic {}, rotational {}, elastic {}",
                si(ledger.kinetic, "J"),
                si(ledger.rotational, "J"),
                si(
                    ledger.elastic_normal + ledger.elastic_tangential + ledger.elastic_rolling,
                    "J"
                ),
            ),
            format!(
                "dissipated    normal {}, tangential {}, friction {}{}{}",
                si(ledger.lost_normal, "J"),
                si(ledger.lost_tangential, "J"),
                si(ledger.lost_friction, "J"),
                if ledger.lost_rolling == 0.0 {
                    String::new()
                } else {
                    format!(", rolling {}", si(ledger.lost_rolling, "J"))
                },
                if ledger.lost_drag == 0.0 && ledger.lost_film == 0.0 {
                    String::new()
                } else {
                    let (drag, films) = (si(ledger.lost_drag, "J"), si(ledger.lost_film, "J"));
                    format!(", drag {drag}, films {films}")
                },
            ),
            if ledger.initial == 0.0 {
                format!(
                    "balance       closes to {}",
                    si(ledger.balance_error().abs(), "J")
                )
            } else {
                format!(
                    "balance       closes to {:.1e} of the energy at the start",
                    (ledger.balance_error() / ledger.initial).abs()
                )
            },
            format!(
                "speed         {}, {} neighbour {}",
                per_second(self.updates_per_second(), "contact updates"),
                count(self.searches),
                if self.searches == 1 {
                    "search"
                } else {
                    "searches"
                }
            ),
        ];
        if let Some(bytes) = self.memory {
            // Of few grains it is what programs and drivers take anyway.
            let per_grain = self
                .bytes_per_particle()
                .filter(|_| state.particles >= MANY)
                .map_or_else(String::new, |bytes| format!(", {bytes:.0} bytes per grain"));
            let bytes = si(bytes, "B");
            lines.push(format!(
                "memory        {bytes} for scene, engine and output{per_grain}"
            ));
        }
        if let Some(hash) = self.hash {
            lines.push(format!("hash          {}", hexadecimal(hash)));
        }
        let directory = self.directory.display();
        for picture in pictures {
            lines.push(format!("drawn         {}", picture.display()));
        }
        lines.push(format!(
            "written       {directory}/series.csv, {directory}/{CHECKPOINT}"
        ));
        if self.frames {
            lines.push(format!(
                "next          open {directory}/run.pvd in ParaView"
            ));
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_fit_between_two_looks() {
        let next = |steps, elapsed| next_batch(steps, elapsed, HEARTBEAT);
        // Fast steps: not at once, but soon.
        assert_eq!(next(1, Duration::from_micros(10)), 8);
        assert_eq!(next(1, Duration::ZERO), 8);
        // Steps of a millisecond.
        assert_eq!(next(100, Duration::from_millis(100)), 375);
        assert_eq!(next(1000, Duration::from_secs(1)), 375);
        assert_eq!(next_batch(1000, Duration::from_secs(1), QUIET_LOOK), 1500);
        assert_eq!(next(0, Duration::from_secs(1)), 1);
        // However long a step takes.
        assert_eq!(next(1, Duration::from_secs(60)), 1);
        assert_eq!(next(u64::MAX, Duration::from_micros(1)), u64::MAX);
    }
}
