//! What an ordinary step moves between the memory of a device and its caches.
//!
//! Every element that a kernel touches counts once per dispatch, however often it is read: grains lie in
//! the order of their cells, so the bodies of neighbours come from a cache. That is the least a step moves,
//! and what the copy bandwidth of a device is compared with. Kernels that only a new list needs, tables and
//! the status, which all grains share, are left out.

use super::kernel::KernelSpec;
use super::layout::{Acceleration, Body, Motion};
use super::stages::forces::{FORCES, LEAP};
use super::stages::integrate::INTEGRATE;

/// What there is one element of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// A grain.
    Grain,
    /// A side of a pair of neighbours.
    Slot,
    /// A side of a pair that touches.
    TouchingSlot,
}

/// What a kernel does with a buffer, in bytes per element.
#[derive(Debug, Clone, Copy)]
pub struct Traffic {
    /// Who.
    pub kernel: &'static KernelSpec,
    /// Name of the buffer among its bindings.
    pub buffer: &'static str,
    /// What there is one element of.
    pub per: Per,
    /// Bytes read.
    pub reads: usize,
    /// Bytes written.
    pub writes: usize,
}

const fn traffic(
    kernel: &'static KernelSpec,
    buffer: &'static str,
    per: Per,
    reads: usize,
    writes: usize,
) -> Traffic {
    Traffic {
        kernel,
        buffer,
        per,
        reads,
        writes,
    }
}

const BODY: usize = size_of::<Body>();
const MOTION: usize = size_of::<Motion>();
const ACCELERATION: usize = size_of::<Acceleration>();
/// First slot and turn.
const START: usize = 5;

/// An ordinary step, if it is one kernel.
pub const LEAP_STEP: &[Traffic] = &[
    traffic(&LEAP, "bodies", Per::Grain, BODY, 0),
    traffic(&LEAP, "starts", Per::Grain, START, 0),
    traffic(&LEAP, "slots", Per::Slot, 8, 0),
    traffic(&LEAP, "slots", Per::TouchingSlot, 0, 8),
    traffic(&LEAP, "histories", Per::TouchingSlot, 16, 16),
    traffic(&LEAP, "accelerations", Per::Grain, 0, BODY),
    traffic(&LEAP, "motions", Per::Grain, MOTION, MOTION),
];

/// An ordinary step with laws that remember more than a spring.
pub const FORCES_STEP: &[Traffic] = &[
    traffic(&FORCES, "bodies", Per::Grain, BODY, 0),
    traffic(&FORCES, "starts", Per::Grain, START, 0),
    traffic(&FORCES, "slots", Per::Slot, 8, 0),
    traffic(&FORCES, "slots", Per::TouchingSlot, 0, 8),
    traffic(&FORCES, "histories", Per::TouchingSlot, 16, 16),
    traffic(&FORCES, "extras", Per::TouchingSlot, 32, 32),
    traffic(&FORCES, "accelerations", Per::Grain, 0, ACCELERATION),
    traffic(&INTEGRATE, "accelerations", Per::Grain, ACCELERATION, 0),
    traffic(&INTEGRATE, "bodies", Per::Grain, BODY, BODY),
    traffic(&INTEGRATE, "motions", Per::Grain, MOTION, MOTION),
];

/// Bindings that all grains share, or that a step hardly touches.
pub const SHARED: &[&str] = &["params", "evaluation", "part", "tables", "status"];

/// How much there is of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Grains.
    pub grains: u64,
    /// Slots of the neighbour list.
    pub slots: u64,
    /// Those whose grains touch.
    pub touching_slots: u64,
    /// Whether a law remembers more than a spring.
    pub with_extras: bool,
}

/// Bytes that an ordinary step reads and writes.
pub fn bytes_per_step(counts: &Counts) -> u64 {
    let step = if counts.with_extras {
        FORCES_STEP
    } else {
        LEAP_STEP
    };
    step.iter()
        .map(|traffic| {
            let elements = match traffic.per {
                Per::Grain => counts.grains,
                Per::Slot => counts.slots,
                Per::TouchingSlot => counts.touching_slots,
            };
            elements * (traffic.reads + traffic.writes) as u64
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::kernel::Access;
    use std::collections::BTreeSet;

    /// What is wrong with a table of a step, compared with what its kernels bind.
    fn faults(step: &[Traffic]) -> Vec<String> {
        let mut faults = Vec::new();
        let mut kernels: Vec<&KernelSpec> = Vec::new();
        for traffic in step {
            if !kernels.iter().any(|k| k.name == traffic.kernel.name) {
                kernels.push(traffic.kernel);
            }
        }
        for kernel in kernels {
            let rows = step.iter().filter(|t| t.kernel.name == kernel.name);
            let listed: BTreeSet<_> = rows.clone().map(|t| t.buffer).collect();
            for binding in kernel.bindings {
                let name = binding.name;
                let shared = SHARED.contains(&name);
                if shared == listed.contains(name) {
                    faults.push(format!("{}: {name} is not counted once", kernel.name));
                }
                let writes: usize = rows
                    .clone()
                    .filter(|t| t.buffer == name)
                    .map(|t| t.writes)
                    .sum();
                let may_write = binding.access == Access::ReadWrite;
                if !shared && may_write != (writes > 0) {
                    faults.push(format!("{}: {name} is written or not", kernel.name));
                }
            }
            for name in listed {
                if !kernel.bindings.iter().any(|binding| binding.name == name) {
                    faults.push(format!("{} binds no {name}", kernel.name));
                }
            }
        }
        faults
    }

    #[test]
    fn the_table_names_every_binding_with_its_access() {
        assert_eq!(faults(LEAP_STEP), Vec::<String>::new());
        assert_eq!(faults(FORCES_STEP), Vec::<String>::new());
    }

    #[test]
    fn a_wrong_table_is_noticed() {
        assert_ne!(faults(&FORCES_STEP[1..]), Vec::<String>::new());
        let reads_only = traffic(&FORCES, "accelerations", Per::Grain, ACCELERATION, 0);
        let mut step = FORCES_STEP.to_vec();
        step.retain(|t| t.buffer != "accelerations" || t.kernel.name != "forces");
        step.push(reads_only);
        assert_ne!(faults(&step), Vec::<String>::new());
        step.push(traffic(&INTEGRATE, "slots", Per::Slot, 8, 0));
        assert!(faults(&step).iter().any(|f| f.contains("binds no slots")));
    }

    #[test]
    fn bytes_are_those_of_the_table() {
        let bed = Counts {
            grains: 10,
            slots: 60,
            touching_slots: 50,
            with_extras: false,
        };
        // Bodies twice, motions twice; first slots and turns; slots and springs.
        let expected = 10 * (4 * 48 + 5) + 60 * 8 + 50 * (8 + 32);
        assert_eq!(bytes_per_step(&bed), expected);
        let more = Counts {
            with_extras: true,
            ..bed
        };
        // Bodies once more, and accelerations written and read.
        let expected = expected + 10 * 3 * 48 + 50 * 64;
        assert_eq!(bytes_per_step(&more), expected);
    }
}
