//! What contacts remember: put aside before the neighbours are listed anew, and given back afterwards.

use super::decide::{ARGUMENTS_FILL, ARGUMENTS_SAVE, decided};
use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Grid, Kernel, KernelSpec};

/// Words of a contact that is put aside: `SAVED_WORDS` in `shaders/lib/saved.wgsl`.
pub const SAVED_WORDS: u32 = 6;

/// Puts aside what contacts remember.
pub const SAVE: KernelSpec = KernelSpec {
    name: "history_save",
    shader: "history_save.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::read("starts"),
        Binding::read("slots"),
        Binding::read("histories"),
        Binding::read("extras"),
        Binding::read_write("motions"),
        Binding::read_write("saved"),
        Binding::read_write("saved_extras"),
        Binding::read_write("status"),
    ],
};

/// Compares the contacts with the room for them.
pub const CHECK: KernelSpec = KernelSpec {
    name: "history_check",
    shader: "history_check.wgsl",
    workgroup_size: 1,
    bindings: &[
        Binding::uniform("params"),
        Binding::read_write("status"),
        Binding::read_write("arguments"),
    ],
};

/// Finds the contacts among the new slots.
pub const RESTORE: KernelSpec = KernelSpec {
    name: "history_restore",
    shader: "history_restore.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("motions"),
        Binding::read("starts"),
        Binding::read("saved"),
        Binding::read("saved_extras"),
        Binding::read_write("slots"),
        Binding::read_write("histories"),
        Binding::read_write("extras"),
    ],
};

/// Starts the paths of the grains anew.
pub const SETTLE: KernelSpec = KernelSpec {
    name: "history_settle",
    shader: "history_settle.wgsl",
    workgroup_size: 64,
    bindings: &[Binding::read("status"), Binding::read_write("motions")],
};

/// Carries what contacts remember from one list to the next.
#[derive(Debug)]
pub(crate) struct History {
    save: (Kernel, wgpu::BindGroup),
    check: (Kernel, wgpu::BindGroup),
    restore: (Kernel, wgpu::BindGroup),
    settle: (Kernel, wgpu::BindGroup),
}

impl History {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers) -> Result<Self> {
        let b = buffers;
        let with_extras = [("WITH_EXTRAS", f64::from(b.sizes.with_extras))];
        let build = |spec: &KernelSpec, constants: &[_], bound: &[&wgpu::Buffer]| -> Result<_> {
            let kernel = Kernel::new(gpu, spec, constants)?;
            let group = kernel.bind(gpu, bound)?;
            Ok((kernel, group))
        };
        Ok(Self {
            save: build(
                &SAVE,
                &with_extras,
                &[
                    &b.params,
                    &b.starts,
                    &b.slots,
                    &b.histories,
                    &b.extras,
                    &b.motions,
                    &b.accelerations,
                    &b.saved_extras,
                    &b.status,
                ],
            )?,
            check: build(&CHECK, &[], &[&b.params, &b.status, &b.arguments])?,
            restore: build(
                &RESTORE,
                &with_extras,
                &[
                    &b.status,
                    &b.motions,
                    &b.starts,
                    &b.accelerations,
                    &b.saved_extras,
                    &b.slots,
                    &b.histories,
                    &b.extras,
                ],
            )?,
            settle: build(&SETTLE, &[], &[&b.status, &b.motions])?,
        })
    }

    /// Puts it aside; if there is room, the list is void from then on.
    pub(crate) fn record_save(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        let (save, bound) = &self.save;
        save.dispatch_grid(pass, bound, decided(buffers, ARGUMENTS_SAVE));
        let (check, bound) = &self.check;
        check.dispatch_grid(pass, bound, Grid::Workgroups(1));
    }

    /// Gives it to the slots of the new list.
    pub(crate) fn record_restore(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        for (kernel, bound) in [&self.restore, &self.settle] {
            kernel.dispatch_grid(pass, bound, decided(buffers, ARGUMENTS_FILL));
        }
    }
}
