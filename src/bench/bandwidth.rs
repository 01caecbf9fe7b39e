//! How fast memory can be copied: what the traffic of a step is compared with.

use crate::error::Result;
use crate::gpu::Gpu;
use crate::gpu::kernel::Kernel;
use crate::gpu::stages::copy::COPY;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;
use wgpu::BufferUsages;

/// Bytes that are copied: more than caches hold, and no more than every device binds.
const BYTES: usize = 128 << 20;

/// Copies, of which the fastest counts: others may use the memory meanwhile, but none makes it faster.
const ROUNDS: usize = 5;

/// Copies that are handed to a device at once.
const COPIES: u32 = 4;

/// Bytes read and written per second by so many threads (0: one per core) that copy memory.
#[allow(clippy::cast_precision_loss, reason = "sizes far below 2^53")]
pub fn processor_copy_bandwidth(threads: usize) -> f64 {
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        threads => threads,
    };
    let source = vec![1_u8; BYTES];
    let mut copy = vec![0_u8; BYTES];
    let part = BYTES.div_ceil(threads);
    let fastest = (0..=ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            std::thread::scope(|scope| {
                for (copy, source) in copy.chunks_mut(part).zip(source.chunks(part)) {
                    scope.spawn(move || black_box(copy).copy_from_slice(black_box(source)));
                }
            });
            begun.elapsed().as_secs_f64()
        })
        // The first one also asks the system for the memory.
        .skip(1)
        .fold(f64::INFINITY, f64::min);
    2.0 * BYTES as f64 / fastest
}

/// Bytes read and written per second by a kernel that copies a buffer.
///
/// # Errors
/// Whatever the device complains about.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "sizes far below 2^32"
)]
pub fn device_copy_bandwidth(gpu: &Gpu) -> Result<f64> {
    let bytes = (BYTES as u64).min(gpu.largest_storage()) / 16 * 16;
    let source = gpu.create_buffer("source", bytes, BufferUsages::STORAGE)?;
    let copy = gpu.create_buffer("copy", bytes, BufferUsages::STORAGE)?;
    let kernel = Kernel::new(gpu, &COPY, &[])?;
    let bound = kernel.bind(gpu, &[&source, &copy])?;
    let mut fastest = f64::INFINITY;
    // The first round also compiles.
    for round in 0..=ROUNDS {
        let mut encoder = gpu.encoder("copy");
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for _ in 0..COPIES {
                kernel.dispatch(&mut pass, &bound, (bytes / 16) as u32);
            }
        }
        let begun = Instant::now();
        gpu.submit(encoder)?;
        gpu.wait()?;
        if round > 0 {
            fastest = fastest.min(begun.elapsed().as_secs_f64());
        }
    }
    Ok(2.0 * bytes as f64 * f64::from(COPIES) / fastest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_copied_at_a_speed_that_machines_have() {
        // From a slow machine under load to more than any processor does.
        let bandwidth = processor_copy_bandwidth(1);
        assert!((1e8..1e13).contains(&bandwidth), "{bandwidth}");
    }
}
