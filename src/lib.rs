//! lahar: a discrete-element engine for granular matter.
pub mod cli;
pub mod collide;
pub mod contact;
pub mod cpu;
pub mod error;
pub mod laws;
pub mod output;
pub mod position;
pub mod render;
pub mod scene;
pub mod simulation;
pub mod state;
pub mod time_step;
pub use error::{Error, Result, SceneError};
pub use simulation::Simulation;
