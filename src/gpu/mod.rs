//! Graphics devices: which there are, what they allow, and how kernels are built and run on them.

pub mod device;
pub mod kernel;
pub mod laws;
pub mod layout;
pub mod shader;
pub mod stages;

pub use device::Gpu;
pub use kernel::Kernel;
