//! The order of the grains by their cells, and a table that finds the grains of a cell.

use super::decide::{
    ARGUMENTS_CELLS, ARGUMENTS_GRAINS, ARGUMENTS_SORT_BLOCKS, ARGUMENTS_SORT_DIGITS, decided,
};
use super::sort::{Sort, SortGrids};
use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Bound, Kernel, KernelSpec};
use crate::gpu::status::STATUS_GRAINS;
use crate::gpu::step::SceneTraits;

/// The cell of each grain as a key.
pub const KEYS: KernelSpec = KernelSpec {
    name: "cell_keys",
    shader: "cell_keys.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::read("status"),
        Binding::read("bodies").of_texels(),
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
        Binding::read_write("sorted_pairs"),
        Binding::read_write("cell_table"),
    ],
};

/// Sorts the grains into cells.
#[derive(Debug)]
pub(crate) struct Cells {
    sort: Sort,
    keys: (Kernel, wgpu::BindGroup),
    clear: (Kernel, wgpu::BindGroup),
    insert: (Kernel, wgpu::BindGroup),
}

impl Cells {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, traits: &SceneTraits) -> Result<Self> {
        let b = buffers;
        let whole = wgpu::Buffer::as_entire_buffer_binding;
        // The sorted pairs stay while slots are filled; the other buffer of the sort need not.
        let mut pairs = [b.sorted_pairs(), whole(&b.slots)];
        pairs.rotate_left(Sort::place(traits.key_bits));
        let build =
            |spec: &KernelSpec, constants: &[(&str, f64)], bound: &[&dyn Bound]| -> Result<_> {
                let kernel = Kernel::new(gpu, spec, constants)?;
                let group = kernel.bind(gpu, bound)?;
                Ok((kernel, group))
            };
        Ok(Self {
            keys: build(
                &KEYS,
                &[("CLASS_COUNT", f64::from(traits.class_count))],
                &[&b.params, &b.status, &b.bodies, &pairs[0]],
            )?,
            clear: build(&CLEAR, &[], &[&b.params, &b.cell_table()])?,
            insert: build(
                &INSERT,
                &[],
                &[&b.params, &b.status, &b.sorted_pairs(), &b.cell_table()],
            )?,
            #[allow(clippy::cast_possible_truncation, reason = "a small index")]
            sort: Sort::new(
                gpu,
                b.sizes.grains,
                traits.key_bits,
                &b.status,
                STATUS_GRAINS as u32,
                pairs,
            )?,
        })
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
    }
}
