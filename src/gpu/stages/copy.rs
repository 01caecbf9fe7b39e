//! A copy, to measure how fast a device moves memory. No step contains it.

use crate::gpu::kernel::{Binding, KernelSpec};

/// Copies a buffer.
pub const COPY: KernelSpec = KernelSpec {
    name: "copy",
    shader: "copy.wgsl",
    workgroup_size: 64,
    bindings: &[Binding::read("source"), Binding::read_write("copied")],
};
