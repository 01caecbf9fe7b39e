//! Exclusive prefix sums: where each of many lists starts, from how long they are.
//!
//! Reduce, then scan: sums of blocks, their own prefix sums, then the blocks again. A single sweep that
//! looks back at other workgroups would read less, but WGSL does not promise that they make progress.

use crate::error::{Error, Result};
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Grid, Kernel, KernelSpec};

/// Elements that one workgroup scans: `SCAN_BLOCK` in `shaders/lib/scan.wgsl`.
pub const SCAN_BLOCK: u32 = 2048;

/// Most elements that can be scanned; beyond, one workgroup has too many blocks to go through.
pub const SCAN_CAPACITY: u32 = 1 << 26;

/// Sum of each block.
pub const REDUCE: KernelSpec = KernelSpec {
    name: "scan_reduce",
    shader: "scan_reduce.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("counts"),
        Binding::read("values"),
        Binding::read_write("block_sums"),
    ],
};

/// Prefix sums of the sums of blocks.
pub const BLOCKS: KernelSpec = KernelSpec {
    name: "scan_blocks",
    shader: "scan_blocks.wgsl",
    workgroup_size: 64,
    bindings: &[Binding::read("counts"), Binding::read_write("block_sums")],
};

/// Prefix sums within each block, on top of what comes before it.
pub const DOWNSWEEP: KernelSpec = KernelSpec {
    name: "scan_downsweep",
    shader: "scan_downsweep.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("counts"),
        Binding::read("block_sums"),
        Binding::read_write("values"),
    ],
};

/// Exclusive prefix sums of `u32`, in place: n values become n + 1, the last of which is their total.
///
/// Sums are modulo 2³². How many values there are is read from a buffer on the device.
#[derive(Debug)]
pub struct Scan {
    reduce: Kernel,
    blocks: Kernel,
    downsweep: Kernel,
    block_sums: wgpu::Buffer,
    capacity: u32,
}

/// A scan of certain buffers.
#[derive(Debug)]
pub struct BoundScan {
    reduce: wgpu::BindGroup,
    blocks: wgpu::BindGroup,
    downsweep: wgpu::BindGroup,
}

/// How many workgroups the kernels of a scan have.
#[derive(Debug, Clone, Copy)]
pub struct ScanGrids<'a> {
    /// One for each block, and one more for the total: `scan_block_count` in `shaders/lib/scan.wgsl`.
    pub blocks: Grid<'a>,
    /// One, or none.
    pub single: Grid<'a>,
}

impl ScanGrids<'static> {
    /// For at most so many values.
    pub fn up_to(count: u32) -> Self {
        Self {
            blocks: Grid::Workgroups(count / SCAN_BLOCK + 1),
            single: Grid::Workgroups(1),
        }
    }
}

/// Bytes of the sums of the blocks of so many values.
pub(crate) fn block_sums_bytes(capacity: u32) -> u64 {
    4 * u64::from(capacity / SCAN_BLOCK + 1)
}

impl Scan {
    /// Prepares to scan at most `capacity` values, as many as the word `count_index` of a buffer says.
    ///
    /// # Errors
    /// [`Error::Unsupported`] beyond [`SCAN_CAPACITY`], else what the device complains about.
    pub fn new(gpu: &Gpu, capacity: u32, count_index: u32) -> Result<Self> {
        if capacity > SCAN_CAPACITY {
            return Err(Error::Unsupported(format!(
                "prefix sums of {capacity} values: at most {SCAN_CAPACITY} are possible"
            )));
        }
        let constants = [("COUNT_INDEX", f64::from(count_index))];
        Ok(Self {
            reduce: Kernel::new(gpu, &REDUCE, &constants)?,
            blocks: Kernel::new(gpu, &BLOCKS, &constants)?,
            downsweep: Kernel::new(gpu, &DOWNSWEEP, &constants)?,
            block_sums: gpu.create_buffer(
                "block_sums",
                block_sums_bytes(capacity),
                wgpu::BufferUsages::STORAGE,
            )?,
            capacity,
        })
    }

    /// Says which buffers: `counts` holds how many values there are, `values` those and one more.
    ///
    /// There must never be more values than the capacity.
    ///
    /// # Errors
    /// [`Error::Device`] if `values` does not hold the capacity and one.
    pub fn bind(
        &self,
        gpu: &Gpu,
        counts: &wgpu::Buffer,
        values: &wgpu::Buffer,
    ) -> Result<BoundScan> {
        // The kernels read four values at once.
        let needed = (4 * (u64::from(self.capacity) + 1)).next_multiple_of(16);
        if values.size() < needed {
            let message = format!("{} bytes given, {needed} wanted", values.size());
            return Err(gpu.refusal("scan a buffer", &message));
        }
        Ok(BoundScan {
            reduce: self.reduce.bind(gpu, &[counts, values, &self.block_sums])?,
            blocks: self.blocks.bind(gpu, &[counts, &self.block_sums])?,
            downsweep: self
                .downsweep
                .bind(gpu, &[counts, &self.block_sums, values])?,
        })
    }

    /// Records the scan; afterwards each value is the sum of those that were before it.
    pub fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundScan,
        grids: ScanGrids<'_>,
    ) {
        self.reduce.dispatch_grid(pass, &bound.reduce, grids.blocks);
        self.blocks.dispatch_grid(pass, &bound.blocks, grids.single);
        self.downsweep
            .dispatch_grid(pass, &bound.downsweep, grids.blocks);
    }
}
