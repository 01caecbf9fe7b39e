//! What contacts remember: put aside before the neighbours are listed anew, and given back afterwards.

use super::decide::{ARGUMENTS_FILL, ARGUMENTS_NAME, ARGUMENTS_SAVE, decided};
use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Grid, Kernel, KernelSpec};

/// Words of a contact that is put aside: `SAVED_WORDS` in `shaders/lib/saved.wgsl`.
pub const SAVED_WORDS: u32 = 5;

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

/// Notes with whom the saved contacts are.
pub const NAME: KernelSpec = KernelSpec {
    name: "history_name",
    shader: "history_name.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("starts"),
        Binding::read("slots"),
        Binding::read("motions"),
        Binding::read_write("partners"),
    ],
};

/// Finds the saved contacts of the new slots.
pub const MATCH: KernelSpec = KernelSpec {
    name: "history_match",
    shader: "history_match.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("motions"),
        Binding::read("starts"),
        Binding::read("partners"),
        Binding::read_write("slots"),
    ],
};

/// Gives them what was saved.
pub const RESTORE: KernelSpec = KernelSpec {
    name: "history_restore",
    shader: "history_restore.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::read("status"),
        Binding::read("starts"),
        Binding::read("saved"),
        Binding::read("saved_extras"),
        Binding::read_write("slots"),
        Binding::read_write("histories"),
        Binding::read_write("extras"),
        Binding::read_write("motions"),
    ],
};

/// Carries what contacts remember from one list to the next.
#[derive(Debug)]
pub(crate) struct History {
    save: (Kernel, wgpu::BindGroup),
    check: (Kernel, wgpu::BindGroup),
    name: (Kernel, wgpu::BindGroup),
    find: (Kernel, wgpu::BindGroup),
    restore: (Kernel, wgpu::BindGroup),
}

impl History {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers) -> Result<Self> {
        let b = buffers;
        let whole = wgpu::Buffer::as_entire_buffer_binding;
        let with_extras = [("WITH_EXTRAS", f64::from(b.sizes.with_extras))];
        let build = |spec: &KernelSpec, constants: &[_], bound: &[_]| -> Result<_> {
            let kernel = Kernel::new(gpu, spec, constants)?;
            let group = kernel.bind_parts(gpu, bound)?;
            Ok((kernel, group))
        };
        Ok(Self {
            save: build(
                &SAVE,
                &with_extras,
                &[
                    whole(&b.params),
                    whole(&b.starts),
                    whole(&b.slots),
                    whole(&b.histories),
                    whole(&b.extras),
                    whole(&b.motions),
                    whole(&b.accelerations),
                    whole(&b.saved_extras),
                    whole(&b.status),
                ],
            )?,
            check: build(
                &CHECK,
                &[],
                &[whole(&b.params), whole(&b.status), whole(&b.arguments)],
            )?,
            name: build(
                &NAME,
                &[],
                &[
                    whole(&b.status),
                    whole(&b.starts),
                    whole(&b.slots),
                    whole(&b.motions),
                    b.partners(),
                ],
            )?,
            find: build(
                &MATCH,
                &[],
                &[
                    whole(&b.status),
                    whole(&b.motions),
                    whole(&b.starts),
                    b.partners(),
                    whole(&b.slots),
                ],
            )?,
            restore: build(
                &RESTORE,
                &with_extras,
                &[
                    whole(&b.status),
                    whole(&b.starts),
                    whole(&b.accelerations),
                    whole(&b.saved_extras),
                    whole(&b.slots),
                    whole(&b.histories),
                    whole(&b.extras),
                    whole(&b.motions),
                ],
            )?,
        })
    }

    /// Puts it aside; if there is room, the list is void from then on.
    pub(crate) fn record_save(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        for ((kernel, bound), grid) in [
            (&self.save, decided(buffers, ARGUMENTS_SAVE)),
            (&self.check, Grid::Workgroups(1)),
            (&self.name, decided(buffers, ARGUMENTS_NAME)),
        ] {
            kernel.dispatch_grid(pass, bound, grid);
        }
    }

    /// Gives it to the slots of the new list.
    pub(crate) fn record_restore(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        for (kernel, bound) in [&self.find, &self.restore] {
            kernel.dispatch_grid(pass, bound, decided(buffers, ARGUMENTS_FILL));
        }
    }
}
