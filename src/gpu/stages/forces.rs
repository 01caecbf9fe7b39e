//! Contact forces: the acceleration of every grain.

use crate::error::Result;
use crate::gpu::buffers::{Buffers, uniform};
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Kernel, KernelSpec};
use crate::gpu::laws::override_constants;
use crate::gpu::step::SceneTraits;

/// All contacts of each grain.
pub const FORCES: KernelSpec = KernelSpec {
    name: "forces",
    shader: "forces.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::uniform("evaluation"),
        Binding::read("tables"),
        Binding::read("bodies"),
        Binding::read("starts"),
        Binding::read_write("slots"),
        Binding::read_write("histories"),
        Binding::read_write("extras"),
        Binding::read_write("accelerations"),
        Binding::read_write("status"),
    ],
};

/// What an evaluation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evaluation {
    /// The first of a run: velocities are exact, and no contact has just begun.
    Starting,
    /// One of many.
    Ordinary,
    /// The last before the host looks: energies and forces on walls are summed up.
    Measuring,
}

impl Evaluation {
    pub(crate) const ALL: [Self; 3] = [Self::Starting, Self::Ordinary, Self::Measuring];

    /// `Evaluation` in `shaders/forces.wgsl`.
    pub(crate) fn words(self) -> [u32; 4] {
        let starting = u32::from(self == Self::Starting);
        let measuring = u32::from(self != Self::Ordinary);
        [starting, measuring, 0, 0]
    }
}

/// The force kernel, for the laws of one scene.
#[derive(Debug)]
pub(crate) struct Forces {
    kernel: Kernel,
    bound: [wgpu::BindGroup; 3],
}

impl Forces {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, traits: &SceneTraits) -> Result<Self> {
        let mut constants = override_constants(&traits.laws).to_vec();
        constants.extend([
            ("WITH_EXTRAS", f64::from(buffers.sizes.with_extras)),
            ("ONE_MATERIAL", f64::from(traits.one_material)),
            ("FACE_KINDS", f64::from(traits.face_kinds)),
        ]);
        let kernel = Kernel::new(gpu, &FORCES, &constants)?;
        let b = buffers;
        let [x, y, z] = Evaluation::ALL.map(|evaluation| {
            let evaluation = uniform(gpu, "evaluation", evaluation.words())?;
            kernel.bind(
                gpu,
                &[
                    &b.params,
                    &evaluation,
                    &b.tables,
                    &b.bodies,
                    &b.starts,
                    &b.slots,
                    &b.histories,
                    &b.extras,
                    &b.accelerations,
                    &b.status,
                ],
            )
        });
        Ok(Self {
            kernel,
            bound: [x?, y?, z?],
        })
    }

    pub(crate) fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        buffers: &Buffers,
        evaluation: Evaluation,
    ) {
        let bound = &self.bound[evaluation as usize];
        self.kernel.dispatch(pass, bound, buffers.grains);
    }
}
