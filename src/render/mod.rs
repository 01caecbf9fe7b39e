//! Pictures of a state and plots of a series, as PNG files.
//!
//! [`Picture`] draws spheres and walls on the CPU, [`Plot`] draws curves; both paint on a [`Canvas`].
//! The same input gives the same bytes, whatever the number of threads.

mod camera;
pub mod canvas;
pub mod colour;
mod font;
mod light;
pub mod picture;
pub mod plot;
mod ticks;

pub use canvas::{Align, Canvas, TextStyle, Weight};
pub use colour::Colour;
pub use picture::{ColourBy, Picture};
pub use plot::{Curve, Plot, Style, energy_plot};
