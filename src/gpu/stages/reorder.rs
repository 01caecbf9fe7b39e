//! Grains in the order of their cells, so that neighbours are close in memory too.

use super::decide::{ARGUMENTS_FILL, decided};
use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Bound, Kernel, KernelSpec};
use crate::gpu::layout::{Body, Motion};

/// Copies bodies in their new order.
pub const COPY: KernelSpec = KernelSpec {
    name: "reorder_copy",
    shader: "reorder_copy.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("bodies").of_texels(),
        Binding::read_write("sorted_pairs"),
        Binding::read_write("reordered"),
    ],
};

/// The same for motions.
pub const COPY_MOTIONS: KernelSpec = KernelSpec {
    bindings: &[
        Binding::read("status"),
        Binding::read("bodies"),
        Binding::read_write("sorted_pairs"),
        Binding::read_write("reordered"),
    ],
    ..COPY
};

/// Puts the copies in place.
pub const COMMIT: KernelSpec = KernelSpec {
    name: "reorder_commit",
    shader: "reorder_commit.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("reordered"),
        Binding::read_write("bodies").of_texels(),
    ],
};

/// The same for motions.
pub const COMMIT_MOTIONS: KernelSpec = KernelSpec {
    bindings: &[
        Binding::read("status"),
        Binding::read("reordered"),
        Binding::read_write("bodies"),
    ],
    ..COMMIT
};

/// Reorders bodies, then motions.
#[derive(Debug)]
pub(crate) struct Reorder {
    kernels: [(Kernel, wgpu::BindGroup); 4],
}

impl Reorder {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers) -> Result<Self> {
        const { assert!(size_of::<Body>() == 48 && size_of::<Motion>() == 48) };
        let build = |spec: &KernelSpec, bound: &[&dyn Bound]| -> Result<_> {
            let kernel = Kernel::new(gpu, spec, &[])?;
            let group = kernel.bind(gpu, bound)?;
            Ok((kernel, group))
        };
        let b = buffers;
        let (pairs, reordered) = (b.sorted_pairs(), b.reordered());
        Ok(Self {
            kernels: [
                build(&COPY, &[&b.status, &b.bodies, &pairs, &reordered])?,
                build(&COMMIT, &[&b.status, &reordered, &b.bodies])?,
                build(&COPY_MOTIONS, &[&b.status, &b.motions, &pairs, &reordered])?,
                build(&COMMIT_MOTIONS, &[&b.status, &reordered, &b.motions])?,
            ],
        })
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        let grains = decided(buffers, ARGUMENTS_FILL);
        for (kernel, bound) in &self.kernels {
            kernel.dispatch_grid(pass, bound, grains);
        }
    }
}
