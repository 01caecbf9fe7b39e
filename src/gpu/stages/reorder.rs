//! Grains in the order of their cells, so that neighbours are close in memory too.

use super::decide::{ARGUMENTS_FILL, decided};
use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Kernel, KernelSpec};
use crate::gpu::layout::{Body, Motion};

/// Copies the grains in their new order.
pub const COPY: KernelSpec = KernelSpec {
    name: "reorder_copy",
    shader: "reorder_copy.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("grains"),
        Binding::read_write("sorted_pairs"),
        Binding::read_write("reordered"),
    ],
};

/// Puts the copies in place.
pub const COMMIT: KernelSpec = KernelSpec {
    name: "reorder_commit",
    shader: "reorder_commit.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("reordered"),
        Binding::read_write("grains"),
    ],
};

/// Reorders bodies, then motions.
#[derive(Debug)]
pub(crate) struct Reorder {
    copy: Kernel,
    commit: Kernel,
    bound: [[wgpu::BindGroup; 2]; 2],
}

impl Reorder {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers) -> Result<Self> {
        const { assert!(size_of::<Body>() == 48 && size_of::<Motion>() == 48) };
        let copy = Kernel::new(gpu, &COPY, &[])?;
        let commit = Kernel::new(gpu, &COMMIT, &[])?;
        let [bodies, motions] = [&buffers.bodies, &buffers.motions].map(|grains| -> Result<_> {
            let status = || buffers.status.as_entire_buffer_binding();
            let grains = || grains.as_entire_buffer_binding();
            let reordered = || buffers.reordered();
            Ok([
                copy.bind_parts(
                    gpu,
                    &[status(), grains(), buffers.sorted_pairs(), reordered()],
                )?,
                commit.bind_parts(gpu, &[status(), reordered(), grains()])?,
            ])
        });
        Ok(Self {
            copy,
            commit,
            bound: [bodies?, motions?],
        })
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        let grains = decided(buffers, ARGUMENTS_FILL);
        for [copied, committed] in &self.bound {
            self.copy.dispatch_grid(pass, copied, grains);
            self.commit.dispatch_grid(pass, committed, grains);
        }
    }
}
