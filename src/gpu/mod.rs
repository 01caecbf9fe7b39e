//! Graphics devices: which there are, and what they allow.

pub mod device;
