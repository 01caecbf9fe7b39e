//! A scene, an engine and a clock: what library users hold.

use crate::cpu::{CpuEngine, EngineView};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::gpu::{GpuEngine, GpuOptions};
use crate::output::fingerprint;
use crate::scene::{HardSettings, Scene};
use crate::state::{
    ContactState, EngineKind, Instant, Ledger, ParticleRecord, State, StateSource, StateView,
    Totals,
};
use crate::time_step::{StepAdvice, time_step};
use glam::DVec3;

/// What a simulation is to run on.
#[derive(Debug, Clone, Copy)]
pub enum Backend<'a> {
    /// The `f64` engine, with so many threads (0: one per core). The result does not depend on their
    /// number.
    Cpu {
        /// Number of threads.
        threads: usize,
    },
    /// The `f32` engine with exact positions, on a graphics device.
    Gpu(&'a Gpu),
}

/// The engine of a simulation.
#[derive(Debug)]
enum Engine {
    Cpu(Box<CpuEngine>),
    Gpu(Box<GpuEngine>),
}

/// A running simulation.
///
/// ```
/// use glam::DVec3;
/// use lahar::{Simulation, scene::{Pair, Particle, Scene, WallShape}};
///
/// # fn main() -> lahar::Result<()> {
/// let scene = Scene::builder()
///     .domain(DVec3::splat(-0.1), DVec3::splat(0.1))
///     .gravity(DVec3::new(0.0, 0.0, -9.81))
///     .end_time(0.1)
///     .material("glass", 2500.0, 1e7, 0.22)
///     .pair(Pair { restitution: Some(0.8), friction: 0.4, ..Pair::new(0, 0) })
///     .wall("floor", 0, WallShape::Plane { point: DVec3::ZERO, normal: DVec3::Z })
///     .particle(Particle {
///         position: DVec3::new(0.0, 0.0, 0.02),
///         radius: 0.005,
///         velocity: DVec3::ZERO,
///         spin: DVec3::ZERO,
///         material: 0,
///         fixed: false,
///     })
///     .build()?;
/// let mut simulation = Simulation::from_scene(scene)?;
/// simulation.run_until(0.1)?;
/// let state = simulation.snapshot()?;
/// assert!(state.position(0).z > 0.0, "the floor holds");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Simulation {
    /// The scene, without its particles: those live in the engine.
    scene: Scene,
    engine: Engine,
    time_step: f64,
    advice: StepAdvice,
    fingerprint: u64,
}

impl Simulation {
    /// Starts a validated scene on all cores.
    ///
    /// # Errors
    /// If the time step is too large for the scene.
    pub fn from_scene(scene: Scene) -> Result<Self> {
        Self::with_threads(scene, 0)
    }

    /// Starts a validated scene on `threads` threads (0: one per core). The result does not depend
    /// on their number.
    ///
    /// # Errors
    /// If the time step is too large for the scene, or the threads cannot be started.
    pub fn with_threads(scene: Scene, threads: usize) -> Result<Self> {
        Self::on(scene, Backend::Cpu { threads })
    }

    /// Starts a validated scene on a processor or a graphics device.
    ///
    /// # Errors
    /// If the time step is too large for the scene, the threads cannot be started, or the device
    /// complains.
    pub fn on(mut scene: Scene, backend: Backend<'_>) -> Result<Self> {
        if scene.hard.is_some() {
            return Err(Error::Unsupported(
                "the grains of this scene are hard: they run on hard::HardEngine, not in steps"
                    .into(),
            ));
        }
        let advice = StepAdvice::new(&scene);
        let time_step = time_step(&scene, &advice)?;
        let fingerprint = scene_fingerprint(&scene, time_step);
        let engine = match backend {
            Backend::Cpu { threads } => {
                Engine::Cpu(Box::new(CpuEngine::take(&mut scene, time_step, threads)?))
            }
            Backend::Gpu(gpu) => {
                let options = GpuOptions::default();
                let engine = GpuEngine::new(gpu, &scene, time_step, &options)?;
                Engine::Gpu(Box::new(engine))
            }
        };
        scene.particles = Vec::new();
        Ok(Self {
            scene,
            engine,
            time_step,
            advice,
            fingerprint,
        })
    }

    /// Goes on from a saved state of the same scene, on the engine that it came from bit for bit as if
    /// it had never stopped.
    ///
    /// # Errors
    /// If the time step of the scene is no longer that of the state, threads cannot be started, or
    /// the device complains.
    pub fn resume(mut scene: Scene, state: &State, backend: Backend<'_>) -> Result<Self> {
        let advice = StepAdvice::new(&scene);
        let wanted = time_step(&scene, &advice)?;
        // Bits: any other step would make another run.
        if wanted.to_bits() != state.time_step.to_bits() {
            return Err(Error::Unsupported(format!(
                "the scene now asks for steps of {wanted:e} s, but the state was made with {:e} s: \
                 set time.step to that, or start anew",
                state.time_step
            )));
        }
        let engine = match backend {
            Backend::Cpu { threads } => {
                Engine::Cpu(Box::new(CpuEngine::resume(&scene, state, threads)?))
            }
            Backend::Gpu(gpu) => {
                let options = GpuOptions::default();
                let engine = GpuEngine::resume(gpu, &scene, state, &options)?;
                Engine::Gpu(Box::new(engine))
            }
        };
        let fingerprint = scene_fingerprint(&scene, state.time_step);
        scene.particles = Vec::new();
        Ok(Self {
            scene,
            engine,
            time_step: state.time_step,
            advice,
            fingerprint,
        })
    }

    /// Runs `steps` time steps.
    ///
    /// # Errors
    /// If a particle leaves a domain that stops the run, or is no longer finite.
    pub fn run(&mut self, steps: u64) -> Result<()> {
        match &mut self.engine {
            Engine::Cpu(engine) => engine.run(steps),
            Engine::Gpu(engine) => engine.run(steps),
        }
    }

    /// Whether [`run_while`](Self::run_while) ends when it is told to: a graphics device has been given all steps by then.
    pub fn ends_when_told(&self) -> bool {
        matches!(self.engine, Engine::Cpu(_))
    }

    /// Runs `steps` time steps, or fewer: where it [ends when told](Self::ends_when_told), soon after `go_on` has said no, but not
    /// before the first one is done. Where a run ends changes no result.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_while(&mut self, steps: u64, go_on: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        match &mut self.engine {
            Engine::Cpu(engine) => engine.run_while(steps, go_on),
            Engine::Gpu(engine) => engine.run(steps),
        }
    }

    /// Runs `steps` time steps, knowing that `next` more will be run after them: a graphics device gets the first of
    /// those before its host has heard of the last of these. Until they are run, [`totals`](Self::totals) can be
    /// looked at, but not the state.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_then(&mut self, steps: u64, next: u64) -> Result<()> {
        match &mut self.engine {
            Engine::Cpu(engine) => engine.run(steps),
            Engine::Gpu(engine) => engine.run_then(steps, next),
        }
    }

    /// Runs until the simulated time is at least `time` (s), in whole steps.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_until(&mut self, time: f64) -> Result<()> {
        let steps = steps_until(time, self.time_step);
        self.run(steps.saturating_sub(self.step()))
    }

    /// Everything that decides the future of the run, by particle id.
    ///
    /// # Errors
    /// Whatever a graphics device complains about.
    pub fn snapshot(&mut self) -> Result<State> {
        match &mut self.engine {
            Engine::Cpu(engine) => Ok(engine.state()),
            Engine::Gpu(engine) => engine.state(),
        }
    }

    /// The same, to be read particle by particle: on the processor takes a few bytes per particle
    /// instead of hundreds.
    ///
    /// # Errors
    /// Whatever a graphics device complains about.
    pub fn view(&mut self) -> Result<SimulationView<'_>> {
        self.view_then(0)
    }

    /// The same, while a graphics device goes on with the first of the `next` steps that will be run.
    ///
    /// # Errors
    /// Whatever a graphics device complains about.
    pub fn view_then(&mut self, next: u64) -> Result<SimulationView<'_>> {
        Ok(match &mut self.engine {
            Engine::Cpu(engine) => SimulationView::Cpu(Box::new(engine.view())),
            Engine::Gpu(engine) => {
                let state = engine.state()?;
                engine.begin(next)?;
                SimulationView::Gpu(Box::new(state.into_view()))
            }
        })
    }

    /// What is true of all particles together, and their momentum. A graphics device has summed it up
    /// already: nothing but the sums is read from it.
    pub fn totals(&mut self) -> Totals {
        match &mut self.engine {
            Engine::Cpu(engine) => Totals::of(&engine.view(), &self.scene.materials),
            Engine::Gpu(engine) => engine.totals(),
        }
    }

    /// Ends the simulation; what is left is where the grains are and how they move, without contacts.
    ///
    /// # Errors
    /// Whatever a graphics device complains about.
    pub fn into_snapshot(self) -> Result<(Scene, State)> {
        let state = match self.engine {
            Engine::Cpu(engine) => engine.into_state(),
            Engine::Gpu(mut engine) => engine.state()?,
        };
        Ok((self.scene, state))
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        match &self.engine {
            Engine::Cpu(engine) => engine.time(),
            Engine::Gpu(engine) => engine.time(),
        }
    }

    /// Steps done since the start of the scene.
    pub fn step(&self) -> u64 {
        match &self.engine {
            Engine::Cpu(engine) => engine.step(),
            Engine::Gpu(engine) => engine.step(),
        }
    }

    /// Pairs touching now.
    pub fn contacts(&self) -> usize {
        match &self.engine {
            Engine::Cpu(engine) => engine.contacts(),
            Engine::Gpu(engine) => engine.contacts(),
        }
    }

    /// Contacts evaluated since this simulation was made, each counted once per step.
    pub fn contact_updates(&self) -> u64 {
        match &self.engine {
            Engine::Cpu(engine) => engine.contact_updates(),
            Engine::Gpu(engine) => engine.contact_updates(),
        }
    }

    /// Neighbour searches done since this simulation was made.
    pub fn searches(&self) -> u64 {
        match &self.engine {
            Engine::Cpu(engine) => engine.searches(),
            Engine::Gpu(engine) => engine.searches(),
        }
    }

    /// Energies now.
    ///
    /// # Errors
    /// Whatever a graphics device complains about.
    pub fn ledger(&mut self) -> Result<Ledger> {
        match &mut self.engine {
            Engine::Cpu(engine) => Ok(engine.ledger()),
            Engine::Gpu(engine) => Ok(engine.ledger()),
        }
    }

    /// Force of the particles on each wall face, N.
    pub fn wall_forces(&self) -> Vec<DVec3> {
        match &self.engine {
            Engine::Cpu(engine) => engine.wall_forces(),
            Engine::Gpu(engine) => engine.wall_forces(),
        }
    }

    /// What computes: `cpu` or `gpu`.
    pub fn backend_name(&self) -> &'static str {
        match &self.engine {
            Engine::Cpu(_) => "cpu",
            Engine::Gpu(_) => "gpu",
        }
    }

    /// The name of the graphics device that computes; `None` on the processor.
    pub fn device_name(&self) -> Option<&str> {
        match &self.engine {
            Engine::Cpu(_) => None,
            Engine::Gpu(engine) => Some(engine.device_name()),
        }
    }

    /// Time step, s.
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// What limits the time step.
    pub fn step_advice(&self) -> &StepAdvice {
        &self.advice
    }

    /// The last step of the scene.
    pub fn last_step(&self) -> u64 {
        steps_until(self.scene.time.end, self.time_step)
    }

    /// The scene, without its particles.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What tells this scene from another: [`scene_fingerprint`] of it, particles included.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

/// A simulation as a source of its state.
#[derive(Debug)]
pub enum SimulationView<'a> {
    /// Read where the engine keeps it.
    Cpu(Box<EngineView<'a>>),
    /// A copy of what is on the device.
    Gpu(Box<StateView<State>>),
}

impl SimulationView<'_> {
    fn source(&self) -> &dyn StateSource {
        match self {
            Self::Cpu(view) => &**view,
            Self::Gpu(view) => &**view,
        }
    }
}

impl StateSource for SimulationView<'_> {
    fn instant(&self) -> &Instant {
        self.source().instant()
    }

    fn particle(&self, rank: usize) -> ParticleRecord {
        self.source().particle(rank)
    }

    fn acceleration(&self, rank: usize) -> (DVec3, DVec3) {
        self.source().acceleration(rank)
    }

    fn contacts_of(&self, rank: usize, visit: &mut dyn FnMut(&ContactState)) {
        self.source().contacts_of(rank, visit);
    }

    fn contact_counts(&self) -> Vec<u32> {
        self.source().contact_counts()
    }

    fn engine(&self) -> Option<EngineKind> {
        Some(match self {
            Self::Cpu(_) => EngineKind::Cpu,
            Self::Gpu(_) => EngineKind::Gpu,
        })
    }
}

/// Number of steps that reach `time`, forgiving rounding.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates; a run of 2^63 steps has no end"
)]
pub fn steps_until(time: f64, time_step: f64) -> u64 {
    (time / time_step - 1e-6).ceil().max(0.0) as u64
}

/// A number that changes with everything in the scene that a checkpoint depends on: not with the
/// end of the run, not with what is written, and not with `t_c`, with which a run of hard grains goes on after
/// a collapse.
pub fn scene_fingerprint(scene: &Scene, time_step: f64) -> u64 {
    let text = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {time_step:e}",
        scene.domain, scene.gravity, scene.contact, scene.materials, scene.pairs, scene.walls
    );
    let mut hash = fingerprint(text.as_bytes());
    if let Some(hard) = &scene.hard {
        let hard = HardSettings {
            contact_duration: None,
            ..hard.clone()
        };
        hash ^= fingerprint(format!("{hard:?}").as_bytes());
    }
    if let Some(fluid) = &scene.fluid {
        hash ^= fingerprint(format!("{fluid:?}").as_bytes());
    }
    let mut bytes = Vec::new();
    for particle in &scene.particles {
        bytes.clear();
        bytes.extend(hash.to_le_bytes());
        let [position, velocity, spin] =
            [particle.position, particle.velocity, particle.spin].map(|v| v.to_array());
        for x in [position, velocity, spin].concat() {
            bytes.extend(x.to_bits().to_le_bytes());
        }
        bytes.extend(particle.radius.to_bits().to_le_bytes());
        bytes.extend((particle.material as u64).to_le_bytes());
        bytes.push(u8::from(particle.fixed));
        hash = fingerprint(&bytes);
    }
    hash
}
