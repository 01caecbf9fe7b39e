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
/// Rounds move the pairs from one of two buffers to the other and back. How many there are is read from a
/// buffer on the device.
#[derive(Debug)]
pub struct Sort {
    count: Kernel,
    scan: Kernel,
    scatter: Kernel,
    scan_bound: wgpu::BindGroup,
    rounds: Vec<BoundRound>,
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
    /// the lowest `key_bits` of their keys. They are expected in the first of the two buffers, `array<vec2u>`
    /// of key and value, and end up in the one of number [`Sort::place`].
    ///
    /// # Errors
    /// [`Error::Unsupported`] if a key has no such bits, else what the device complains about.
    pub fn new(
        gpu: &Gpu,
        capacity: u32,
        key_bits: u32,
        counts: &wgpu::Buffer,
        count_index: u32,
        pairs: [wgpu::BufferBinding<'_>; 2],
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
        let table_bytes = digit_bytes(capacity);
        let digit_counts = gpu.create_buffer("digit_counts", table_bytes, storage)?;
        let digit_offsets = gpu.create_buffer("digit_offsets", table_bytes, storage)?;
        let whole = wgpu::Buffer::as_entire_buffer_binding;
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
                let [from, to] = [index, index + 1].map(|number| pairs[number % 2].clone());
                let (round, counts) = (whole(&uniform), whole(counts));
                Ok(BoundRound {
                    count: count.bind_parts(
                        gpu,
                        &[
                            round.clone(),
                            counts.clone(),
                            from.clone(),
                            whole(&digit_counts),
                        ],
                    )?,
                    scatter: scatter
                        .bind_parts(gpu, &[round, counts, whole(&digit_offsets), from, to])?,
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            scan_bound: scan.bind(gpu, &[counts, &digit_counts, &digit_offsets])?,
            count,
            scan,
            scatter,
            rounds,
        })
    }

    /// Which of its two buffers a sort by so many bits leaves the pairs in.
    pub fn place(key_bits: u32) -> usize {
        sort_rounds(key_bits).len() % 2
    }

    /// Records the sort; afterwards the pairs are in order.
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

/// Bytes of how often each digit occurs in each block of so many pairs; where they start takes as many.
pub(crate) fn digit_bytes(capacity: u32) -> u64 {
    4 * u64::from(capacity.div_ceil(SORT_BLOCK) * SORT_DIGITS)
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
