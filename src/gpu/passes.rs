//! The compute passes of recorded steps: one for all stages, or one for each with its time.

use super::device::Gpu;
use crate::error::Result;
use wgpu::BufferUsages;

/// Most queries of one set: what WebGPU lets a device hold.
const MOST_QUERIES: u32 = 4096;

/// Where stages are recorded.
pub(crate) struct Passes<'e> {
    encoder: &'e mut wgpu::CommandEncoder,
    pass: Option<wgpu::ComputePass<'static>>,
    times: Option<&'e mut StageQueries>,
}

impl<'e> Passes<'e> {
    /// One pass for all stages; with `times`, one for each.
    pub(crate) fn new(
        encoder: &'e mut wgpu::CommandEncoder,
        times: Option<&'e mut StageQueries>,
    ) -> Self {
        Self {
            encoder,
            pass: None,
            times,
        }
    }

    /// The pass of the stage of this name, which comes next.
    pub(crate) fn stage(&mut self, name: &'static str) -> &mut wgpu::ComputePass<'static> {
        let writes = self.times.as_mut().and_then(|times| times.next(name));
        if writes.is_some() {
            self.pass = None;
        }
        let encoder = &mut *self.encoder;
        self.pass.get_or_insert_with(|| {
            encoder
                .begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: writes.as_ref().map(|_| name),
                    timestamp_writes: writes,
                })
                .forget_lifetime()
        })
    }
}

/// Times at the beginning and the end of stages.
#[derive(Debug)]
pub(crate) struct StageQueries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    stages: Vec<&'static str>,
}

impl StageQueries {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self> {
        Ok(Self {
            set: gpu.watched("measure time", 0, |device| {
                device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("lahar.stages"),
                    ty: wgpu::QueryType::Timestamp,
                    count: MOST_QUERIES,
                })
            })?,
            resolved: gpu.create_buffer(
                "stage_times",
                u64::from(MOST_QUERIES) * 8,
                BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
            )?,
            stages: Vec::new(),
        })
    }

    /// What the pass of the next stage writes, while there is room.
    #[allow(clippy::cast_possible_truncation, reason = "a few thousand stages")]
    fn next(&mut self, name: &'static str) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let first = 2 * self.stages.len() as u32;
        if first + 2 > MOST_QUERIES {
            return None;
        }
        self.stages.push(name);
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Records that the times go to a buffer, and says which and how many bytes.
    #[allow(clippy::cast_possible_truncation, reason = "a few thousand stages")]
    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) -> (&wgpu::Buffer, u64) {
        let queries = 2 * self.stages.len() as u32;
        encoder.resolve_query_set(&self.set, 0..queries, &self.resolved, 0);
        (&self.resolved, 8 * u64::from(queries))
    }

    /// How many times there are.
    pub(crate) fn ticks(&self) -> usize {
        2 * self.stages.len()
    }

    /// Adds up what each stage took, s, from the ticks that were resolved.
    #[allow(clippy::cast_precision_loss, reason = "stages take less than 2^53 ns")]
    pub(crate) fn add_up(&self, ticks: &[u64], period: f64, sums: &mut Vec<(&'static str, f64)>) {
        for (&name, ticks) in self.stages.iter().zip(ticks.chunks_exact(2)) {
            let seconds = ticks[1].saturating_sub(ticks[0]) as f64 * period;
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += seconds,
                None => sums.push((name, seconds)),
            }
        }
    }
}
