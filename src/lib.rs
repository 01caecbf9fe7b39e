//! lahar.
pub mod collide;
pub mod contact;
pub mod cpu;
pub mod error;
pub mod laws;
pub mod position;
pub mod scene;
pub mod state;
pub use error::{Error, Result, SceneError};
