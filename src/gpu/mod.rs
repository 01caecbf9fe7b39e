//! Graphics devices: which there are, what they allow, and the engine that runs on them.

mod awake;
mod buffers;
mod carry;
pub mod choose;
pub mod device;
mod engine;
pub mod kernel;
pub mod laws;
pub mod layout;
mod motion;
mod passes;
mod readback;
pub mod shader;
mod snapshot;
pub mod stages;
pub mod status;
mod step;
pub mod texels;
pub mod traffic;
pub mod units;
pub mod walls;

pub use device::Gpu;
pub use engine::{DeviceMemory, GpuEngine, GpuOptions};
pub use kernel::Kernel;
