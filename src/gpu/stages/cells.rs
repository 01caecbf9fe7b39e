//! Grains in the order of their cells, and a table that finds the grains of a cell.

use super::decide::{
    ARGUMENTS_CELLS, ARGUMENTS_GRAINS, ARGUMENTS_SORT_BLOCKS, ARGUMENTS_SORT_DIGITS, decided,
};
use super::sort::{Sort, SortGrids};
use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Kernel, KernelSpec};
use crate::gpu::status::STATUS_GRAINS;

/// The cell of each grain as a key.
pub const KEYS: KernelSpec = KernelSpec {
    name: "cell_keys",
    shader: "cell_keys.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::read("status"),
        Binding::read("bodies"),
        Binding::read_write("pairs"),
    ],
};

/// Empties the table of cells.
pub const CLEAR: KernelSpec = KernelSpec {
    name: "cells_clear",
    shader: "cells_clear.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::read_write("cell_table"),
    ],
};

/// Puts the cells into the table.
pub const INSERT: KernelSpec = KernelSpec {
    name: "cells_insert",
    shader: "cells_insert.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::read("status"),
        Binding::read("sorted_pairs"),
        Binding::read_write("cell_table"),
    ],
};

/// Copies the grains in their new order.
pub const REORDER: KernelSpec = KernelSpec {
    name: "reorder",
    shader: "reorder.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("sorted_pairs"),
        Binding::read("bodies"),
        Binding::read("motions"),
        Binding::read_write("new_bodies"),
        Binding::read_write("new_motions"),
    ],
};

/// Sorts the grains into cells.
#[derive(Debug)]
pub(crate) struct Cells {
    sort: Sort,
    keys: (Kernel, wgpu::BindGroup),
    clear: (Kernel, wgpu::BindGroup),
    insert: (Kernel, wgpu::BindGroup),
    reorder: (Kernel, wgpu::BindGroup),
}

impl Cells {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, key_bits: u32) -> Result<Self> {
        let b = buffers;
        #[allow(clippy::cast_possible_truncation, reason = "a small index")]
        let sort = Sort::new(
            gpu,
            b.sizes.grains,
            key_bits,
            &b.status,
            STATUS_GRAINS as u32,
        )?;
        let build = |spec: &KernelSpec, bound: &[&wgpu::Buffer]| -> Result<_> {
            let kernel = Kernel::new(gpu, spec, &[])?;
            let group = kernel.bind(gpu, bound)?;
            Ok((kernel, group))
        };
        Ok(Self {
            keys: build(&KEYS, &[&b.params, &b.status, &b.bodies, sort.pairs()])?,
            clear: build(&CLEAR, &[&b.params, &b.cell_table])?,
            insert: build(
                &INSERT,
                &[&b.params, &b.status, sort.sorted_pairs(), &b.cell_table],
            )?,
            reorder: build(
                &REORDER,
                &[
                    &b.status,
                    sort.sorted_pairs(),
                    &b.bodies,
                    &b.motions,
                    &b.accelerations,
                    &b.new_motions,
                ],
            )?,
            sort,
        })
    }

    /// Keys and old places of the grains, in their new order.
    pub(crate) fn sorted_pairs(&self) -> &wgpu::Buffer {
        self.sort.sorted_pairs()
    }

    /// Bytes of what the sort keeps for itself.
    pub(crate) fn sort_bytes(&self) -> u64 {
        self.sort.bytes()
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        let grains = decided(buffers, ARGUMENTS_GRAINS);
        self.keys.0.dispatch_grid(pass, &self.keys.1, grains);
        self.sort.record(
            pass,
            SortGrids {
                blocks: decided(buffers, ARGUMENTS_SORT_BLOCKS),
                digits: decided(buffers, ARGUMENTS_SORT_DIGITS),
            },
        );
        let cells = decided(buffers, ARGUMENTS_CELLS);
        self.clear.0.dispatch_grid(pass, &self.clear.1, cells);
        self.insert.0.dispatch_grid(pass, &self.insert.1, grains);
        self.reorder.0.dispatch_grid(pass, &self.reorder.1, grains);
    }
}
