//! lahar: a discrete-element engine for granular matter.
//!
//! Grains are spheres that touch: a [`Scene`](scene::Scene) says which, of what, between which walls
//! and under which contact laws; a [`Simulation`] runs it; a [`State`](state::State) is what comes
//! out. All values are in SI units.
//!
//! # Sign conventions
//!
//! The normal n of a contact points from the first grain to the second, or to the wall. The overlap δ
//! is positive while they touch, its rate δ̇ positive while they approach, and a normal force positive
//! when it repels. Tangential forces and moments are those on the first grain.
//!
//! # Modules, from the bottom up
//!
//! * [`laws`]: every law as a pure function, with closed forms
//! * [`position`]: exact positions
//! * [`scene`]: what to simulate, from a file or from code
//! * [`contact`]: the laws of a scene, with their coefficients
//! * [`mod@fluid`]: the fluid of a scene, what it does to the grains of each material
//! * [`time_step`]: how long a step may be
//! * [`state`]: what an engine knows at one instant
//! * [`cpu`]: the engine
//! * [`hard`]: the engine for hard grains, from collision to collision
//! * [`engine`]: what every engine can do
//! * [`simulation`]: scene, engine and clock
//! * [`mod@collide`]: one collision
//! * [`mod@cross_check`]: two engines side by side
//! * [`output`]: frames, series, checkpoints
//! * [`render`]: plots and pictures
//! * [`gpu`]: the graphics devices of this machine, and kernels that run on them
//! * [`mod@bench`]: how fast the engines are on this machine
//! * [`verify`]: the papers behind the laws, reproduced through the engines
//! * [`cli`]: the command line
//!
//! See [`Simulation`] for an example, and `docs/architecture.md` for how a step works.

// What integration tests share names the crate.
#[cfg(test)]
extern crate self as lahar;

pub mod bench;
pub mod cli;
pub mod collide;
pub mod contact;
pub mod cpu;
pub mod cross_check;
pub mod engine;
pub mod error;
pub mod fluid;
pub mod gpu;
pub mod hard;
pub mod laws;
mod machine;
mod memory;
pub mod output;
pub mod position;
pub mod render;
pub mod scene;
pub mod simulation;
pub mod state;
pub mod time_step;
pub mod verify;

pub use error::{Error, Result, SceneError};
pub use simulation::Simulation;
