//! The CPU engine: against all pairs, against itself, and against what is known on paper.
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
#[path = "../common/listed.rs"]
mod listed;

mod agreement;
mod bits;
mod errors;
mod fluid;
mod invariants;
mod known;

use lahar::Simulation;
use lahar::scene::Scene;
use lahar::state::State;

/// The state after `steps` steps on one thread.
fn after(scene: &Scene, steps: u64) -> State {
    let mut simulation = Simulation::with_threads(scene.clone(), 1).expect("a valid scene");
    simulation.run(steps).expect("a run without incident");
    simulation.snapshot().unwrap()
}
