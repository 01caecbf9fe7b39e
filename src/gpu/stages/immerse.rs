//! What a fluid does to the grains, after the contacts.

use super::forces::Evaluation;
use crate::error::Result;
use crate::fluid::FluidModel;
use crate::gpu::buffers::{Buffers, uniform};
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Kernel, KernelSpec};
use crate::gpu::layout::{FluidParams, single};
use crate::gpu::units::Units;
use crate::scene::{DragLaw, FilmGaps};
use wgpu::BufferUsages;

/// Drag and films of each grain.
pub const IMMERSE: KernelSpec = KernelSpec {
    name: "immerse",
    shader: "immerse.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::uniform("fluid"),
        Binding::uniform("evaluation"),
        Binding::read("tables"),
        Binding::read("bodies").of_texels(),
        Binding::read("motions"),
        Binding::read("starts"),
        Binding::read("slots"),
        Binding::read("accelerations").of_texels(),
        Binding::read_write("immersed"),
        Binding::read_write("status"),
    ],
};

/// Puts the outcome in the place of the accelerations.
pub const COMMIT: KernelSpec = KernelSpec {
    name: "immerse_commit",
    shader: "immerse_commit.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("immersed"),
        Binding::read_write("accelerations").of_texels(),
    ],
};

/// Bytes of the accelerations of so many grains, as the fluid changes them.
pub(crate) fn immersed_bytes(grains: u32) -> u64 {
    16 * u64::from(grains)
}

impl FluidParams {
    /// Of a fluid, in units of the device.
    pub(crate) fn new(model: &FluidModel, units: &Units) -> Self {
        let fluid = &model.fluid;
        let [grains, walls] = [fluid.lubrication.grains, fluid.lubrication.walls].map(|gaps| {
            gaps.unwrap_or(FilmGaps {
                resolved: 0.0,
                roughness: 0.0,
            })
        });
        Self {
            density: single(fluid.density / (units.mass / units.length.powi(3))),
            viscosity: single(fluid.viscosity / (units.damping() / units.length)),
            drag_law: match fluid.drag {
                DragLaw::None => 0,
                DragLaw::Stokes => 1,
                DragLaw::SchillerNaumann => 2,
            },
            grain_resolved: single(grains.resolved),
            grain_roughness: single(grains.roughness),
            wall_resolved: single(walls.resolved),
            wall_roughness: single(walls.roughness),
        }
    }
}

/// The kernels of a fluid.
#[derive(Debug)]
pub(crate) struct Immerse {
    kernel: Kernel,
    commit: Kernel,
    bound: [wgpu::BindGroup; 3],
    bound_commit: wgpu::BindGroup,
}

impl Immerse {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, fluid: FluidParams) -> Result<Self> {
        let kernel = Kernel::new(gpu, &IMMERSE, &[])?;
        let commit = Kernel::new(gpu, &COMMIT, &[])?;
        let b = buffers;
        let immersed = gpu.create_buffer(
            "immersed",
            immersed_bytes(b.sizes.grains),
            BufferUsages::STORAGE,
        )?;
        let fluid = uniform(gpu, "fluid", fluid)?;
        let [x, y, z] = Evaluation::STAYING.map(|evaluation| {
            let evaluation = uniform(gpu, "evaluation", evaluation.words())?;
            kernel.bind(
                gpu,
                &[
                    &b.params,
                    &fluid,
                    &evaluation,
                    &b.tables,
                    &b.bodies,
                    &b.motions,
                    &b.starts,
                    &b.slots,
                    &b.accelerations,
                    &immersed,
                    &b.status,
                ],
            )
        });
        Ok(Self {
            bound: [x?, y?, z?],
            bound_commit: commit.bind(gpu, &[&b.status, &immersed, &b.accelerations])?,
            kernel,
            commit,
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
        self.commit
            .dispatch(pass, &self.bound_commit, buffers.grains);
    }
}
