//! The graphics device and its kernels, one by one, against a few lines of `std`.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test says what it expects; counts are small"
)]

mod balance;
#[path = "../common/device.rs"]
mod common;
mod device;
mod scan;
mod sort;
mod timing;

use lahar::gpu::Gpu;
use rand::{RngExt, SeedableRng};
use wgpu::BufferUsages;

/// A buffer that shaders and tests can read and write.
const STORAGE: BufferUsages = BufferUsages::STORAGE
    .union(BufferUsages::COPY_DST)
    .union(BufferUsages::COPY_SRC);

/// A buffer that holds these values.
fn buffer_of(gpu: &Gpu, label: &str, values: &[u32]) -> wgpu::Buffer {
    let buffer = gpu
        .create_buffer(label, 4 * values.len() as u64, STORAGE)
        .unwrap();
    gpu.upload(&buffer, values).unwrap();
    buffer
}

/// Random values up to the largest, the same in every run.
fn random(count: usize, largest: u32) -> Vec<u32> {
    let mut generator = rand_pcg::Pcg64::seed_from_u64(count as u64);
    (0..count)
        .map(|_| generator.random_range(0..=largest))
        .collect()
}
