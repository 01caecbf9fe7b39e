//! Whether the neighbours are listed anew, decided on the device.

use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Grid, Kernel, KernelSpec};

/// Slots of indirect arguments: `ARGUMENTS_…` in `shaders/lib/status.wgsl`. Here, one thread per grain, if
/// contacts are to be put aside.
pub const ARGUMENTS_SAVE: u32 = 0;
/// One workgroup, if there is anything to do.
pub const ARGUMENTS_SINGLE: u32 = 1;
/// The same, when there was room for them.
pub const ARGUMENTS_NAME: u32 = 2;
/// One thread per grain, once contacts are put aside.
pub const ARGUMENTS_GRAINS: u32 = 3;
/// One thread per entry of the cell table.
pub const ARGUMENTS_CELLS: u32 = 4;
/// Blocks of the sort.
pub const ARGUMENTS_SORT_BLOCKS: u32 = 5;
/// Digits of the sort.
pub const ARGUMENTS_SORT_DIGITS: u32 = 6;
/// Blocks of the prefix sum.
pub const ARGUMENTS_SCAN_BLOCKS: u32 = 7;
/// One thread per grain, if the new list fits.
pub const ARGUMENTS_FILL: u32 = 8;
/// How many there are.
pub const ARGUMENTS_COUNT: u32 = 9;

/// Says whether there is anything to do for the kernels that list neighbours.
pub const DECIDE: KernelSpec = KernelSpec {
    name: "decide",
    shader: "decide.wgsl",
    workgroup_size: 1,
    bindings: &[
        Binding::uniform("params"),
        Binding::read_write("status"),
        Binding::read_write("arguments"),
    ],
};

/// The decision.
#[derive(Debug)]
pub(crate) struct Decide {
    kernel: Kernel,
    bound: wgpu::BindGroup,
}

impl Decide {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers) -> Result<Self> {
        let kernel = Kernel::new(gpu, &DECIDE, &[])?;
        let bound = kernel.bind(gpu, &[&buffers.params, &buffers.status, &buffers.arguments])?;
        Ok(Self { kernel, bound })
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.kernel
            .dispatch_grid(pass, &self.bound, Grid::Workgroups(1));
    }
}

/// As many workgroups as the decision gave a slot of arguments.
pub(crate) fn decided(buffers: &Buffers, slot: u32) -> Grid<'_> {
    Grid::Indirect {
        arguments: &buffers.arguments,
        slot,
    }
}
