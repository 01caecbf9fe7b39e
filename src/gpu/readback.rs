//! Memory on its way from a device to the host.

use super::device::Gpu;
use super::texels::Source;
use crate::error::Result;
use bytemuck::Pod;
use std::sync::mpsc::{Receiver, channel};
use wgpu::BufferUsages;

/// Copies of parts of memory that were taken at one point of the work of a device. The host can do other
/// things until it needs them.
#[derive(Debug)]
pub(crate) struct Readback {
    staging: Vec<wgpu::Buffer>,
    mapped: Receiver<std::result::Result<(), wgpu::BufferAsyncError>>,
    submission: wgpu::SubmissionIndex,
}

impl Readback {
    /// Hands recorded work to the device, and copies so many bytes of each source when it is done.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the work is not acceptable, or a source has no such part.
    pub(crate) fn submit(
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        sources: &[(Source<'_>, u64)],
    ) -> Result<Self> {
        let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let staging = sources
            .iter()
            .map(|(source, bytes)| {
                gpu.create_buffer("staging", source.staging_bytes(*bytes), usage)
            })
            .collect::<Result<Vec<_>>>()?;
        let total = sources.iter().map(|(_, bytes)| bytes).sum();
        let (sender, mapped) = channel();
        let submission = gpu.watched("read", total, |_| {
            for ((source, bytes), staging) in sources.iter().zip(&staging) {
                source.copy(&mut encoder, staging, *bytes);
            }
            let submission = gpu.queue().submit([encoder.finish()]);
            for staging in &staging {
                let sender = sender.clone();
                staging.map_async(wgpu::MapMode::Read, .., move |outcome| {
                    // Nobody listens any more if reading was given up.
                    let _ = sender.send(outcome);
                });
            }
            submission
        })?;
        Ok(Self {
            staging,
            mapped,
            submission,
        })
    }

    /// Waits until the copies are there.
    ///
    /// # Errors
    /// Whatever went wrong on the way.
    pub(crate) fn wait(&self, gpu: &Gpu) -> Result<()> {
        gpu.wait_for(Some(self.submission.clone()))?;
        for _ in &self.staging {
            self.mapped
                .recv()
                .map_err(|error| gpu.refusal("read", &error))?
                .map_err(|error| gpu.refusal("read", &error))?;
        }
        Ok(())
    }

    /// The first `count` elements of the copy of this number, after [`Readback::wait`].
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there are fewer.
    pub(crate) fn take<T: Pod>(&self, gpu: &Gpu, number: usize, count: usize) -> Result<Vec<T>> {
        let bytes = (count * size_of::<T>()) as u64;
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let view = self.staging[number]
            .get_mapped_range(0..bytes)
            .map_err(|error| gpu.refusal("read", &error))?;
        Ok(bytemuck::pod_collect_to_vec(&view))
    }
}
