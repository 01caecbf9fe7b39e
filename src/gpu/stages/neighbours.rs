//! Who is close to whom, and whether the list of it fits into memory.

use super::decide::{
    ARGUMENTS_FILL, ARGUMENTS_GRAINS, ARGUMENTS_SCAN_BLOCKS, ARGUMENTS_SINGLE, decided,
};
use super::scan::{BoundScan, Scan, ScanGrids};
use crate::error::Result;
use crate::gpu::buffers::{Buffers, uniform};
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Grid, Kernel, KernelSpec};
use crate::gpu::status::STATUS_GRAINS;

/// Counts the slots of each grain, or fills them.
pub const NEIGHBOURS: KernelSpec = KernelSpec {
    name: "neighbours",
    shader: "neighbours.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::uniform("listing"),
        Binding::read("status"),
        Binding::read("tables"),
        Binding::read("sorted_pairs"),
        Binding::read("cell_table"),
        Binding::read("new_bodies"),
        Binding::read("new_motions"),
        Binding::read_write("new_starts"),
        Binding::read_write("new_slots"),
    ],
};

/// Compares the slots with the room for them.
pub const CHECK: KernelSpec = KernelSpec {
    name: "neighbours_check",
    shader: "neighbours_check.wgsl",
    workgroup_size: 1,
    bindings: &[
        Binding::uniform("params"),
        Binding::read("new_starts"),
        Binding::read_write("status"),
        Binding::read_write("arguments"),
    ],
};

/// Lists the neighbours of the grains in their new order.
#[derive(Debug)]
pub(crate) struct Neighbours {
    kernel: Kernel,
    check: Kernel,
    scan: Scan,
    bound_scan: BoundScan,
    /// What the kernel is told to do: to count, to fill.
    listings: [wgpu::Buffer; 2],
    bound: [wgpu::BindGroup; 2],
    bound_check: wgpu::BindGroup,
}

impl Neighbours {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, sorted_pairs: &wgpu::Buffer) -> Result<Self> {
        let kernel = Kernel::new(gpu, &NEIGHBOURS, &[])?;
        let check = Kernel::new(gpu, &CHECK, &[])?;
        #[allow(clippy::cast_possible_truncation, reason = "a small index")]
        let scan = Scan::new(gpu, buffers.sizes.grains, STATUS_GRAINS as u32)?;
        let bound_scan = scan.bind(gpu, &buffers.status, &buffers.new_starts)?;
        let listings = [
            uniform(gpu, "listing", [0u32; 4])?,
            uniform(gpu, "listing", [1u32, 0, 0, 0])?,
        ];
        Ok(Self {
            bound: bind(gpu, &kernel, &listings, buffers, sorted_pairs)?,
            bound_check: check.bind(
                gpu,
                &[
                    &buffers.params,
                    &buffers.new_starts,
                    &buffers.status,
                    &buffers.arguments,
                ],
            )?,
            kernel,
            check,
            scan,
            bound_scan,
            listings,
        })
    }

    /// Takes note of buffers that have grown.
    pub(crate) fn rebind(
        &mut self,
        gpu: &Gpu,
        buffers: &Buffers,
        sorted_pairs: &wgpu::Buffer,
    ) -> Result<()> {
        self.bound = bind(gpu, &self.kernel, &self.listings, buffers, sorted_pairs)?;
        Ok(())
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        let [count, fill] = &self.bound;
        let grains = decided(buffers, ARGUMENTS_GRAINS);
        self.kernel.dispatch_grid(pass, count, grains);
        self.scan.record(
            pass,
            &self.bound_scan,
            ScanGrids {
                blocks: decided(buffers, ARGUMENTS_SCAN_BLOCKS),
                single: decided(buffers, ARGUMENTS_SINGLE),
            },
        );
        self.check
            .dispatch_grid(pass, &self.bound_check, Grid::Workgroups(1));
        self.kernel
            .dispatch_grid(pass, fill, decided(buffers, ARGUMENTS_FILL));
    }
}

fn bind(
    gpu: &Gpu,
    kernel: &Kernel,
    listings: &[wgpu::Buffer; 2],
    b: &Buffers,
    sorted_pairs: &wgpu::Buffer,
) -> Result<[wgpu::BindGroup; 2]> {
    let [count, fill] = listings.each_ref().map(|listing| {
        kernel.bind(
            gpu,
            &[
                &b.params,
                listing,
                &b.status,
                &b.tables,
                sorted_pairs,
                &b.cell_table,
                &b.accelerations,
                &b.new_motions,
                &b.new_starts,
                &b.new_slots,
            ],
        )
    });
    Ok([count?, fill?])
}
