//! What contacts remember: put aside before the neighbours are listed anew, and given back afterwards.

use super::decide::{ARGUMENTS_FILL, ARGUMENTS_NAME, ARGUMENTS_SAVE, decided};
use crate::error::Result;
use crate::gpu::buffers::Buffers;
use crate::gpu::device::Gpu;
use crate::gpu::kernel::{Binding, Bound, Grid, Kernel, KernelSpec};
use crate::gpu::texels::TEXEL_BYTES;

/// Roots of overlaps in a texel: `ROOTS_PER_TEXEL` in `shaders/lib/saved.wgsl`.
pub const ROOTS_PER_TEXEL: u32 = 4;

/// Bytes of so many contacts that are put aside: a texel each, and roots.
pub(crate) fn saved_bytes(contacts: u32) -> u64 {
    TEXEL_BYTES * (u64::from(contacts) + u64::from(contacts.div_ceil(ROOTS_PER_TEXEL)))
}

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
        Binding::read_write("accelerations").of_texels(),
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

/// Notes roots of the overlaps of saved contacts, or with whom they are.
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

/// Puts the roots of their overlaps with the rest.
pub const PACK: KernelSpec = KernelSpec {
    name: "history_pack",
    shader: "history_pack.wgsl",
    workgroup_size: 64,
    bindings: &[
        Binding::uniform("params"),
        Binding::read("status"),
        Binding::read("partners"),
        Binding::read_write("accelerations").of_texels(),
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
        Binding::read("accelerations").of_texels(),
        Binding::read("saved_extras"),
        Binding::read_write("slots"),
        Binding::read_write("histories"),
        Binding::read_write("extras"),
        Binding::read_write("motions"),
        Binding::uniform("params"),
    ],
};

/// Carries what contacts remember from one list to the next.
#[derive(Debug)]
pub(crate) struct History {
    save: (Kernel, wgpu::BindGroup),
    check: (Kernel, wgpu::BindGroup),
    /// Roots of overlaps, and partners.
    name: [(Kernel, wgpu::BindGroup); 2],
    pack: (Kernel, wgpu::BindGroup),
    find: (Kernel, wgpu::BindGroup),
    restore: (Kernel, wgpu::BindGroup),
}

impl History {
    pub(crate) fn new(gpu: &Gpu, buffers: &Buffers) -> Result<Self> {
        let b = buffers;
        let with_extras = [("WITH_EXTRAS", f64::from(b.sizes.with_extras))];
        let build = |spec: &KernelSpec, constants: &[_], bound: &[&dyn Bound]| -> Result<_> {
            let kernel = Kernel::new(gpu, spec, constants)?;
            let group = kernel.bind(gpu, bound)?;
            Ok((kernel, group))
        };
        let name = |roots: bool| {
            build(
                &NAME,
                &[("ROOTS", f64::from(u8::from(roots)))],
                &[&b.status, &b.starts, &b.slots, &b.motions, &b.partners()],
            )
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
            name: [name(true)?, name(false)?],
            pack: build(
                &PACK,
                &[],
                &[&b.params, &b.status, &b.partners(), &b.accelerations],
            )?,
            find: build(
                &MATCH,
                &[],
                &[&b.status, &b.motions, &b.starts, &b.partners(), &b.slots],
            )?,
            restore: build(
                &RESTORE,
                &with_extras,
                &[
                    &b.status,
                    &b.starts,
                    &b.accelerations,
                    &b.saved_extras,
                    &b.slots,
                    &b.histories,
                    &b.extras,
                    &b.motions,
                    &b.params,
                ],
            )?,
        })
    }

    /// Puts it aside; if there is room, the list is void from then on.
    pub(crate) fn record_save(&self, pass: &mut wgpu::ComputePass<'_>, buffers: &Buffers) {
        for ((kernel, bound), grid) in [
            (&self.save, decided(buffers, ARGUMENTS_SAVE)),
            (&self.check, Grid::Workgroups(1)),
            (&self.name[0], decided(buffers, ARGUMENTS_NAME)),
            (&self.pack, decided(buffers, ARGUMENTS_NAME)),
            (&self.name[1], decided(buffers, ARGUMENTS_NAME)),
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
