//! What contacts remember, carried over to a new neighbour list; the new list takes the old one's place.

use super::decide::{ARGUMENTS_FILL, ARGUMENTS_SLOTS, decided};
use crate::error::Result;
use crate::gpu::buffers::{Buffers, uniform};
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Kernel, KernelSpec};

/// Finds old contacts among the new slots.
pub const CARRY: KernelSpec = KernelSpec {
    name: "history_carry",
    shader: "history_carry.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("carrying"),
        Binding::read("sorted_pairs"),
        Binding::read("motions"),
        Binding::read("starts"),
        Binding::read("slots"),
        Binding::read("memories"),
        Binding::read("new_starts"),
        Binding::read_write("new_slots"),
        Binding::read_write("new_memories"),
    ],
};

/// Puts the grains into their new order.
pub const COMMIT_GRAINS: KernelSpec = KernelSpec {
    name: "commit_grains",
    shader: "commit_grains.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("new_bodies"),
        Binding::read("new_motions"),
        Binding::read("new_starts"),
        Binding::read_write("bodies"),
        Binding::read_write("motions"),
        Binding::read_write("starts"),
    ],
};

/// Replaces the old slots.
pub const COMMIT_SLOTS: KernelSpec = KernelSpec {
    name: "commit_slots",
    shader: "commit_slots.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("new_slots"),
        Binding::read("new_histories"),
        Binding::read("new_extras"),
        Binding::read_write("slots"),
        Binding::read_write("histories"),
        Binding::read_write("extras"),
    ],
};

/// Carries histories and commits a new list.
#[derive(Debug)]
pub(crate) struct History {
    carry: Kernel,
    commit_grains: Kernel,
    commit_slots: Kernel,
    /// What is carried: extras first, because the last carrying uses up the ids.
    carrying: [wgpu::Buffer; 2],
    bound: Bound,
}

#[derive(Debug)]
struct Bound {
    extras: Option<wgpu::BindGroup>,
    histories: wgpu::BindGroup,
    grains: wgpu::BindGroup,
    slots: wgpu::BindGroup,
}

impl History {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers, sorted_pairs: &wgpu::Buffer) -> Result<Self> {
        let carry = Kernel::new(gpu, &CARRY, &[])?;
        let commit_grains = Kernel::new(gpu, &COMMIT_GRAINS, &[])?;
        let with_extras = [("WITH_EXTRAS", f64::from(buffers.sizes.with_extras))];
        let commit_slots = Kernel::new(gpu, &COMMIT_SLOTS, &with_extras)?;
        let carrying = [
            uniform(gpu, "carrying", carrying(buffers.sizes.grains, true))?,
            uniform(gpu, "carrying", carrying(buffers.sizes.grains, false))?,
        ];
        let kernels = [&carry, &commit_grains, &commit_slots];
        let bound = Bound::new(gpu, kernels, &carrying, buffers, sorted_pairs)?;
        Ok(Self {
            carry,
            commit_grains,
            commit_slots,
            carrying,
            bound,
        })
    }

    /// Takes note of buffers that have grown.
    pub(crate) fn rebind(
        &mut self,
        gpu: &Gpu,
        buffers: &Buffers,
        sorted_pairs: &wgpu::Buffer,
    ) -> Result<()> {
        let kernels = [&self.carry, &self.commit_grains, &self.commit_slots];
        self.bound = Bound::new(gpu, kernels, &self.carrying, buffers, sorted_pairs)?;
        Ok(())
    }

    /// Takes note of grains that have been removed.
    pub(crate) fn set_grains(&self, gpu: &Gpu, grains: u32) -> Result<()> {
        gpu.upload(&self.carrying[0], &[carrying(grains, true)])?;
        gpu.upload(&self.carrying[1], &[carrying(grains, false)])
    }

    pub(crate) fn record(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        let grains = decided(buffers, ARGUMENTS_FILL);
        if let Some(extras) = &self.bound.extras {
            self.carry.dispatch_grid(pass, extras, grains);
        }
        self.carry
            .dispatch_grid(pass, &self.bound.histories, grains);
        self.commit_grains
            .dispatch_grid(pass, &self.bound.grains, grains);
        let slots = decided(buffers, ARGUMENTS_SLOTS);
        self.commit_slots
            .dispatch_grid(pass, &self.bound.slots, slots);
    }
}

/// `Carrying` in `shaders/history_carry.wgsl`.
fn carrying(grains: u32, extras: bool) -> [u32; 4] {
    if extras {
        [grains, 2, 0, 0]
    } else {
        [grains, 1, 1, 0]
    }
}

impl Bound {
    fn new(
        gpu: &Gpu,
        [carry, commit_grains, commit_slots]: [&Kernel; 3],
        [carry_extras, carry_histories]: &[wgpu::Buffer; 2],
        b: &Buffers,
        sorted_pairs: &wgpu::Buffer,
    ) -> Result<Self> {
        let carried = |carrying, memories, new_memories| {
            carry.bind(
                gpu,
                &[
                    carrying,
                    sorted_pairs,
                    &b.motions,
                    &b.starts,
                    &b.slots,
                    memories,
                    &b.new_starts,
                    &b.new_slots,
                    new_memories,
                ],
            )
        };
        let extras = b
            .sizes
            .with_extras
            .then(|| carried(carry_extras, &b.extras, &b.new_extras));
        Ok(Self {
            extras: extras.transpose()?,
            histories: carried(carry_histories, &b.histories, &b.new_histories)?,
            grains: commit_grains.bind(
                gpu,
                &[
                    &b.status,
                    &b.accelerations,
                    &b.new_motions,
                    &b.new_starts,
                    &b.bodies,
                    &b.motions,
                    &b.starts,
                ],
            )?,
            slots: commit_slots.bind(
                gpu,
                &[
                    &b.status,
                    &b.new_slots,
                    &b.new_histories,
                    &b.new_extras,
                    &b.slots,
                    &b.histories,
                    &b.extras,
                ],
            )?,
        })
    }
}
