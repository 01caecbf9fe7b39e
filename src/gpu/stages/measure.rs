//! Energies, momentum and height of all grains at one instant, for the host.

use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Kernel, KernelSpec};

/// Sums over all grains.
pub const MEASURE: KernelSpec = KernelSpec {
    name: "measure",
    shader: "measure.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::read("tables"),
        Binding::read("bodies").of_texels(),
        Binding::read("motions"),
        Binding::read_write("status"),
    ],
};

/// The measurement.
#[derive(Debug)]
pub(crate) struct Measure {
    kernel: Kernel,
    bound: wgpu::BindGroup,
}

impl Measure {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers) -> Result<Self> {
        let kernel = Kernel::new(gpu, &MEASURE, &[])?;
        let bound = kernel.bind(
            gpu,
            &[
                &buffers.params,
                &buffers.tables,
                &buffers.bodies,
                &buffers.motions,
                &buffers.status,
            ],
        )?;
        Ok(Self { kernel, bound })
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        self.kernel.dispatch(pass, &self.bound, buffers.grains);
    }
}
