//! Equation (22): which gases collapse without the TC rule.

use super::{FRACTION, lossy, mixed_from};
use crate::hard::HardError;
use crate::laws::tc::{Dimensions, critical_restitution};
use crate::verify::{Check, Engines, Measured, Study, Tolerance};

/// Number of disks, restitution well below and well above `r_c` (22).
const COLLAPSING: [(usize, f64, f64); 3] = [(42, 0.1, 0.6), (378, 0.4, 0.9), (1435, 0.4, 0.95)];
/// Collisions of a disk until which a gas that can collapse has, and events for each.
const PATIENCE: u64 = 400;
const EVENTS_PER_COLLISION: u64 = 3;
/// Starts, of which most have to agree: when one gas collapses is chance.
const STARTS: u32 = 3;

pub(super) fn study() -> Study {
    let checks = COLLAPSING.iter().flat_map(|&(n, below, above)| {
        #[allow(clippy::cast_precision_loss, reason = "a small number")]
        let critical = critical_restitution(n as f64, FRACTION);
        [(below, 1.0, "collapse"), (above, 0.0, "do not collapse")].map(|(r, expected, verb)| {
            Check::new(
                format!("{n}/{r}"),
                format!(
                    "{n} disks {verb} at r = {r}, most of {STARTS} starts; r_c = {critical:.3} (22)"
                ),
                expected,
                Tolerance::EXACT,
            )
        })
    });
    Study {
        name: "luding-collapse",
        source: "Luding & McNamara, (22)",
        summary: "Disks at ν = 0.227 without the TC rule: below r_c(N) their collisions become infinitely frequent \
                  within 400 collisions per disk, which the event-driven engine detects; above it they do not.",
        engines: Engines::Cpu,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for (n, below, above) in COLLAPSING {
                let mut collapsed = [0, 0];
                for start in 1..=STARTS {
                    let gas = mixed_from(start.into(), Dimensions::Two, n, FRACTION, 50)?;
                    for (collapsed, r) in collapsed.iter_mut().zip([below, above]) {
                        let mut engine = lossy(bench, &gas, r, 0.0)?;
                        // Disks may end in lanes that never meet again: events, not collisions, end the run.
                        let most = EVENTS_PER_COLLISION * PATIENCE * n as u64;
                        *collapsed += match engine.run_events(f64::INFINITY, most) {
                            Ok(_) => 0,
                            Err(HardError::Collapse(_)) => 1,
                            Err(error) => return Err(error.into()),
                        };
                    }
                }
                values.extend(collapsed.map(|count| f64::from(u8::from(2 * count > STARTS))));
            }
            Ok(Measured::values(values))
        }),
    }
}
