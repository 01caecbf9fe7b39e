//! In which turn the threads that work out forces take their grains.

use super::decide::{ARGUMENTS_FILL, decided};
use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Kernel, KernelSpec};

/// Orders the grains of each workgroup by their slots.
pub const BALANCE: KernelSpec = KernelSpec {
    name: "balance",
    shader: "balance.wgsl",
    workgroup_size: 64,
    bindings: &[Binding::read("status"), Binding::read_write("starts")],
};

/// Bytes of the turns of so many grains: `turn_word` in `shaders/lib/turns.wgsl`.
pub(crate) fn turns_bytes(grains: u32) -> u64 {
    u64::from(grains).next_multiple_of(u64::from(BALANCE.workgroup_size))
}

/// Gives threads that go together grains with as many slots.
#[derive(Debug)]
pub(crate) struct Balance {
    kernel: Kernel,
    bound: wgpu::BindGroup,
}

impl Balance {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers) -> Result<Self> {
        let kernel = Kernel::new(gpu, &BALANCE, &[])?;
        let bound = kernel.bind(gpu, &[&buffers.status, &buffers.starts])?;
        Ok(Self { kernel, bound })
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        self.kernel
            .dispatch_grid(pass, &self.bound, decided(buffers, ARGUMENTS_FILL));
    }
}
