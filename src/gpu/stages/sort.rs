//! Stable radix sort of pairs of a key and a value, from the lowest digit up.
//!
//! Each round counts digits, finds where each digit of each block goes, and moves the pairs there. The
//! order of equal keys is kept, so the result is the same on every device.

use crate::error::{Error, Result};
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Grid, Kernel, KernelSpec};
use bytemuck::{Pod, Zeroable};

/// Pairs that one workgroup sorts: `SORT_BLOCK` in `shaders/lib/sort.wgsl`.
pub const SORT_BLOCK: u32 = 2048;

/// Bits of a key that one round looks at: `SORT_DIGIT_BITS` in `shaders/lib/sort.wgsl`.
pub const SORT_DIGIT_BITS: u32 = 6;

/// Values of a digit.
pub const SORT_DIGITS: u32 = 1 << SORT_DIGIT_BITS;

/// How often each digit occurs in each block.
pub const COUNT: KernelSpec = KernelSpec {
    name: "sort_count",
    shader: "sort_count.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("round"),
        Binding::read("counts"),
        Binding::read("pairs"),
        Binding::read_write("digit_counts"),
    ],
};

/// Where the pairs of each digit and block start.
pub const SCAN: KernelSpec = KernelSpec {
    name: "sort_scan",
    shader: "sort_scan.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("counts"),
        Binding::read("digit_counts"),
        Binding::read_write("digit_offsets"),
    ],
};

/// Moves each pair to its place.
pub const SCATTER: KernelSpec = KernelSpec {
    name: "sort_scatter",
    shader: "sort_scatter.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("round"),
        Binding::read("counts"),
        Binding::read("digit_offsets"),
        Binding::read("pairs"),
        Binding::read_write("sorted_pairs"),
    ],
};

/// Which digit one round looks at: `SortRound` in `shaders/lib/sort.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct SortRound {
    /// Bits below the digit.
    pub shift: u32,
    /// Ones for the bits of the digit.
    pub mask: u32,
}

/// A stable sort of pairs `[key, value]` by the lowest bits of the key.
///
/// It owns the pairs: they are written to [`Sort::pairs`] and found in [`Sort::sorted_pairs`]. How many
/// there are is read from a buffer on the device.
#[derive(Debug)]
pub struct Sort {
    count: Kernel,
    scan: Kernel,
    scatter: Kernel,
    scan_bound: wgpu::BindGroup,
    rounds: Vec<BoundRound>,
    /// Rounds move the pairs from one to the other and back.
    pairs: [wgpu::Buffer; 2],
    table_bytes: u64,
}

#[derive(Debug)]
struct BoundRound {
    count: wgpu::BindGroup,
    scatter: wgpu::BindGroup,
}

/// How many workgroups the kernels of a sort have.
#[derive(Debug, Clone, Copy)]
pub struct SortGrids<'a> {
    /// One for each block: `sort_block_count` in `shaders/lib/sort.wgsl`.
    pub blocks: Grid<'a>,
    /// [`SORT_DIGITS`], or none.
    pub digits: Grid<'a>,
}

impl SortGrids<'static> {
    /// For at most so many pairs.
    pub fn up_to(count: u32) -> Self {
        Self {
            blocks: Grid::Workgroups(count.div_ceil(SORT_BLOCK)),
            digits: Grid::Workgroups(SORT_DIGITS),
        }
    }
}

impl Sort {
    /// Prepares to sort at most `capacity` pairs, as many as the word `count_index` of `counts` says, by
    /// the lowest `key_bits` of their keys.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if a key has no such bits, else what the device complains about.
    pub fn new(
        gpu: &Gpu,
        capacity: u32,
        key_bits: u32,
        counts: &wgpu::Buffer,
        count_index: u32,
    ) -> Result<Self> {
        if key_bits > u32::BITS {
            return Err(Error::Unsupported(format!(
                "sorting by {key_bits} bits of a key: it has {}",
                u32::BITS
            )));
        }
        let constants = [("COUNT_INDEX", f64::from(count_index))];
        let count = Kernel::new(gpu, &COUNT, &constants)?;
        let scan = Kernel::new(gpu, &SCAN, &constants)?;
        let scatter = Kernel::new(gpu, &SCATTER, &constants)?;

        let storage = wgpu::BufferUsages::STORAGE;
        let copied = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let bytes = 8 * u64::from(capacity);
        let table_bytes = 4 * u64::from(capacity.div_ceil(SORT_BLOCK) * SORT_DIGITS);
        let digit_counts = gpu.create_buffer("digit_counts", table_bytes, storage)?;
        let digit_offsets = gpu.create_buffer("digit_offsets", table_bytes, storage)?;
        let pairs = [
            gpu.create_buffer("pairs", bytes, storage | copied)?,
            gpu.create_buffer("sorted_pairs", bytes, storage | copied)?,
        ];
        let rounds = sort_rounds(key_bits)
            .iter()
            .enumerate()
            .map(|(index, round)| {
                let uniform = gpu.create_buffer(
                    "round",
                    size_of::<SortRound>() as u64,
                    wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                )?;
                gpu.upload(&uniform, &[*round])?;
                let (from, to) = (&pairs[index % 2], &pairs[(index + 1) % 2]);
                Ok(BoundRound {
                    count: count.bind(gpu, &[&uniform, counts, from, &digit_counts])?,
                    scatter: scatter.bind(gpu, &[&uniform, counts, &digit_offsets, from, to])?,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            scan_bound: scan.bind(gpu, &[counts, &digit_counts, &digit_offsets])?,
            count,
            scan,
            scatter,
            rounds,
            pairs,
            table_bytes: 2 * table_bytes,
        })
    }

    /// Bytes of the pairs and of the tables of digits.
    pub fn bytes(&self) -> u64 {
        let pairs: u64 = self.pairs.iter().map(wgpu::Buffer::size).sum();
        pairs + self.table_bytes
    }

    /// The pairs to sort, `array<vec2u>` of key and value. The sort overwrites them.
    pub fn pairs(&self) -> &wgpu::Buffer {
        &self.pairs[0]
    }

    /// The pairs in order.
    pub fn sorted_pairs(&self) -> &wgpu::Buffer {
        &self.pairs[self.rounds.len() % 2]
    }

    /// Records the sort; afterwards [`Sort::sorted_pairs`] is in order.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, grids: SortGrids<'_>) {
        for round in &self.rounds {
            self.count.dispatch_grid(pass, &round.count, grids.blocks);
            self.scan
                .dispatch_grid(pass, &self.scan_bound, grids.digits);
            self.scatter
                .dispatch_grid(pass, &round.scatter, grids.blocks);
        }
    }
}

/// The digits of a key, from the lowest. As few rounds as possible; the last may have fewer bits.
fn sort_rounds(key_bits: u32) -> Vec<SortRound> {
    (0..key_bits.div_ceil(SORT_DIGIT_BITS))
        .map(|round| {
            let shift = round * SORT_DIGIT_BITS;
            let bits = SORT_DIGIT_BITS.min(key_bits - shift);
            SortRound {
                shift,
                mask: (1 << bits) - 1,
            }
        })
        .collect()
}
