//! Contact forces, and the leapfrog where it can be done at once.

use crate::error::Result;
use crate::gpu::buffers::{Buffers, uniform};
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Bound, Kernel, KernelSpec};
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
        Binding::read("bodies").of_texels(),
        Binding::read("starts"),
        Binding::read_write("slots"),
        Binding::read_write("histories"),
        Binding::read_write("extras"),
        Binding::read_write("accelerations").of_texels(),
        Binding::read_write("status"),
    ],
};

/// All contacts of each grain, and its move.
pub const LEAP: KernelSpec = KernelSpec {
    name: "leap",
    shader: "leap.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::uniform("evaluation"),
        Binding::read("tables"),
        Binding::read("bodies").of_texels(),
        Binding::read("starts"),
        Binding::read_write("slots"),
        Binding::read_write("histories"),
        Binding::read_write("accelerations").of_texels(),
        Binding::read_write("motions"),
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
    /// A leap: bodies move to the second buffer.
    Leaving,
    /// The leap after it: they come back.
    Returning,
}

impl Evaluation {
    /// Those whose grains stay where they are.
    pub(crate) const STAYING: [Self; 3] = [Self::Starting, Self::Ordinary, Self::Measuring];

    /// `Evaluation` in `shaders/lib/grains.wgsl`.
    pub(crate) fn words(self) -> [u32; 8] {
        let starting = u32::from(self == Self::Starting);
        let measuring = u32::from(matches!(self, Self::Starting | Self::Measuring));
        let away = u32::from(self == Self::Returning);
        let moves = u32::from(matches!(self, Self::Leaving | Self::Returning));
        [starting, measuring, away, moves, 0, 0, 0, 0]
    }
}

/// The force kernel, for the laws of one scene.
///
/// Laws that remember more than a spring, and fluids, take one that only knows forces: a shader may bind
/// eight buffers, and fluids change accelerations before grains move.
#[derive(Debug)]
pub(crate) struct Forces {
    kernel: Kernel,
    staying: [wgpu::BindGroup; 3],
    /// There and back, where forces and moves are one kernel.
    leaps: Option<[wgpu::BindGroup; 2]>,
}

impl Forces {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, traits: &SceneTraits) -> Result<Self> {
        let mut constants = override_constants(&traits.laws).to_vec();
        constants.extend([
            ("ONE_MATERIAL", f64::from(traits.one_material)),
            ("FACE_KINDS", f64::from(traits.face_kinds)),
        ]);
        let leaps = buffers.sizes.can_leap();
        if leaps {
            constants.push(("WALLS_END", f64::from(traits.walls_end)));
        } else {
            constants.push(("WITH_EXTRAS", f64::from(buffers.sizes.with_extras)));
        }
        let kernel = Kernel::new(gpu, if leaps { &LEAP } else { &FORCES }, &constants)?;
        let b = buffers;
        let bind = |evaluation: Evaluation| {
            let words = uniform(gpu, "evaluation", evaluation.words())?;
            let (bodies, moved) = if evaluation == Evaluation::Returning {
                (&b.accelerations, &b.bodies)
            } else {
                (&b.bodies, &b.accelerations)
            };
            let [seventh, eighth]: [&dyn Bound; 2] = if leaps {
                [moved, &b.motions]
            } else {
                [&b.extras, moved]
            };
            kernel.bind(
                gpu,
                &[
                    &b.params,
                    &words,
                    &b.tables,
                    bodies,
                    &b.starts,
                    &b.slots,
                    &b.histories,
                    seventh,
                    eighth,
                    &b.status,
                ],
            )
        };
        let [starting, ordinary, measuring] = Evaluation::STAYING.map(bind);
        Ok(Self {
            staying: [starting?, ordinary?, measuring?],
            leaps: if leaps {
                Some([bind(Evaluation::Leaving)?, bind(Evaluation::Returning)?])
            } else {
                None
            },
            kernel,
        })
    }

    /// Accelerations; bodies stay where they are.
    pub(crate) fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        buffers: &Buffers,
        evaluation: Evaluation,
    ) {
        let bound = &self.staying[evaluation as usize];
        self.kernel.dispatch(pass, bound, buffers.grains);
    }

    /// Whether [`record_leaps`](Self::record_leaps) does anything.
    pub(crate) fn can_leap(&self) -> bool {
        self.leaps.is_some()
    }

    /// Two whole steps: bodies go to the second buffer and come back.
    pub(crate) fn record_leaps(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        for bound in self.leaps.iter().flatten() {
            self.kernel.dispatch(pass, bound, buffers.grains);
        }
    }
}
