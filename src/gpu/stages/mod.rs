//! What a step is made of: each stage owns its kernels and knows how to record them.

pub mod scan;
pub mod sort;

use super::kernel::KernelSpec;

/// Every kernel, for the test that compares them with their shaders.
pub const KERNELS: &[&KernelSpec] = &[
    &scan::REDUCE,
    &scan::BLOCKS,
    &scan::DOWNSWEEP,
    &sort::COUNT,
    &sort::SCAN,
    &sort::SCATTER,
];
