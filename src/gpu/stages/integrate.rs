//! Leapfrog: kick, drift, and the velocity predicted for the next force evaluation.

use crate::error::Result;
use crate::gpu::buffers::{Buffers, uniform};
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Kernel, KernelSpec};
use crate::gpu::step::SceneTraits;

/// Moves each grain.
pub const INTEGRATE: KernelSpec = KernelSpec {
    name: "integrate",
    shader: "integrate.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::uniform("part"),
        Binding::read("tables"),
        Binding::read("accelerations").of_texels(),
        Binding::read_write("bodies").of_texels(),
        Binding::read_write("motions"),
        Binding::read_write("status"),
    ],
};

/// Which part of the leapfrog a pass does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// From velocities at the instant of the positions to the next positions.
    Begin,
    /// Finish one step and begin the next.
    Continue,
    /// Bring velocities to the instant of the positions.
    Finish,
}

impl Part {
    const ALL: [Self; 3] = [Self::Begin, Self::Continue, Self::Finish];

    /// `Part` in `shaders/integrate.wgsl`.
    fn words(self) -> [u32; 4] {
        let finishes = u32::from(self != Self::Begin);
        let begins = u32::from(self != Self::Finish);
        [finishes, begins, 0, 0]
    }
}

/// The integrator.
#[derive(Debug)]
pub(crate) struct Integrate {
    kernel: Kernel,
    bound: [wgpu::BindGroup; 3],
}

impl Integrate {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, traits: &SceneTraits) -> Result<Self> {
        let constants = [("WALLS_END", f64::from(traits.walls_end))];
        let kernel = Kernel::new(gpu, &INTEGRATE, &constants)?;
        let [a, b, c] = Part::ALL.map(|part| {
            let part = uniform(gpu, "part", part.words())?;
            kernel.bind(
                gpu,
                &[
                    &buffers.params,
                    &part,
                    &buffers.tables,
                    &buffers.accelerations,
                    &buffers.bodies,
                    &buffers.motions,
                    &buffers.status,
                ],
            )
        });
        Ok(Self {
            kernel,
            bound: [a?, b?, c?],
        })
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers, part: Part) {
        let bound = &self.bound[part as usize];
        self.kernel.dispatch(pass, bound, buffers.grains);
    }
}
