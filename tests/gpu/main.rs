//! The engine on a graphics device: against the CPU engine, against all pairs, and against itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a test says what it expects and prints what it finds; counts are small"
)]

#[path = "../common/beds.rs"]
mod beds;
#[path = "../common/device.rs"]
mod device;
#[path = "../common/listed.rs"]
mod listed;

mod agreement;
mod bits;
mod collisions;
mod crowd;
mod fluid;
mod gas;
mod incidents;
mod lists;
mod rest;
mod settled;
mod side_by_side;
mod sums;

use lahar::gpu::{Gpu, GpuEngine, GpuOptions};
use lahar::scene::Scene;
use lahar::state::State;
use lahar::time_step::{StepAdvice, time_step};

/// The time step that a scene asks for.
fn step_of(scene: &Scene) -> f64 {
    time_step(scene, &StepAdvice::new(scene)).expect("a valid step")
}

/// An engine at the start of a scene.
fn engine(gpu: &Gpu, scene: &Scene) -> GpuEngine {
    GpuEngine::new(gpu, scene, step_of(scene), &GpuOptions::default()).expect("an engine")
}

/// The state after `steps` steps.
fn after(gpu: &Gpu, scene: &Scene, steps: u64) -> State {
    let mut engine = engine(gpu, scene);
    engine.run(steps).expect("a run without incident");
    engine.state().expect("a state")
}
