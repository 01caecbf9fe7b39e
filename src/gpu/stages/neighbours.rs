//! Who is close to whom, and whether the list of it fits into memory.

use super::decide::{
    ARGUMENTS_FILL, ARGUMENTS_GRAINS, ARGUMENTS_SCAN_BLOCKS, ARGUMENTS_SINGLE, decided,
};
use super::scan::{BoundScan, Scan, ScanGrids};
use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Grid, Kernel, KernelSpec};
use crate::gpu::status::STATUS_GRAINS;
use crate::gpu::step::SceneTraits;

/// Counts the slots of each grain, or fills them.
pub const NEIGHBOURS: KernelSpec = KernelSpec {
    name: "neighbours",
    shader: "neighbours.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::read("status"),
        Binding::read("tables"),
        Binding::read("sorted_pairs"),
        Binding::read("cell_table"),
        Binding::read("bodies").of_texels(),
        Binding::read("motions"),
        Binding::read_write("starts"),
        Binding::read_write("slots"),
    ],
};

/// Compares the slots with the room for them.
pub const CHECK: KernelSpec = KernelSpec {
    name: "neighbours_check",
    shader: "neighbours_check.wgsl",
    workgroup_size: 1,
    bindings: &[
        Binding::uniform("params"),
        Binding::read("starts"),
        Binding::read_write("status"),
        Binding::read_write("arguments"),
    ],
};

/// Lists the neighbours of the grains in their new order.
#[derive(Debug)]
pub(crate) struct Neighbours {
    count: (Kernel, wgpu::BindGroup),
    fill: (Kernel, wgpu::BindGroup),
    check: Kernel,
    scan: Scan,
    bound_scan: BoundScan,
    bound_check: wgpu::BindGroup,
}

impl Neighbours {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, traits: &SceneTraits) -> Result<Self> {
        let b = buffers;
        let check = Kernel::new(gpu, &CHECK, &[])?;
        #[allow(clippy::cast_possible_truncation, reason = "a small index")]
        let scan = Scan::new(gpu, b.sizes.grains, STATUS_GRAINS as u32)?;
        let bound_scan = scan.bind(gpu, &b.status, &b.starts)?;
        let build = |fills: bool| -> Result<_> {
            let constants = [
                ("FILLS", f64::from(u8::from(fills))),
                ("FACE_KINDS", f64::from(traits.face_kinds)),
                ("FACE_COUNT", traits.face_count as f64),
                ("CLASS_COUNT", f64::from(traits.class_count)),
                ("SIZES_DIFFER", f64::from(traits.sizes_differ)),
                ("ANY_FIXED", f64::from(traits.any_fixed)),
            ];
            let kernel = Kernel::new(gpu, &NEIGHBOURS, &constants)?;
            let bound = kernel.bind(
                gpu,
                &[
                    &b.params,
                    &b.status,
                    &b.tables,
                    &b.sorted_pairs(),
                    &b.cell_table(),
                    &b.bodies,
                    &b.motions,
                    &b.starts,
                    &b.slots,
                ],
            )?;
            Ok((kernel, bound))
        };
        Ok(Self {
            count: build(false)?,
            fill: build(true)?,
            bound_check: check.bind(gpu, &[&b.params, &b.starts, &b.status, &b.arguments])?,
            check,
            scan,
            bound_scan,
        })
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        let (count, bound) = &self.count;
        count.dispatch_grid(pass, bound, decided(buffers, ARGUMENTS_GRAINS));
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
        let (fill, bound) = &self.fill;
        fill.dispatch_grid(pass, bound, decided(buffers, ARGUMENTS_FILL));
    }
}
