//! Section 6.1: the largest system, which takes a minute.

use super::clusters;
use super::cooling::{cool, energy_at, instants};
use super::{FRACTION, RATE, lossy, mixed};
use crate::hard::{HardEngine, HardError};
use crate::laws::tc::{Dimensions, cooling};
use crate::verify::{Check, Engines, Measured, Study, Tolerance};

/// Number of disks.
const DISKS: usize = 97_776;

/// Until when, in times between collisions at the start.
const END: f64 = 2000.0;

/// Early times, at which the gas is still homogeneous, and how far T may be off then.
const EARLY: [(f64, f64); 2] = [(1.0, 0.035), (3.0, 0.1)];

/// Squares along each side of the box in which disks are counted: some 24 disks in each.
const SQUARES: usize = 64;

/// Events of a disk until which the gas without the TC rule has collapsed.
const PATIENCE: u64 = 100;

pub(super) fn study() -> Study {
    let yes = |name: &str, quantity: &str| Check::new(name, quantity, 1.0, Tolerance::EXACT);
    let mut checks: Vec<Check> = EARLY
        .iter()
        .map(|&(tau, off)| {
            Check::new(
                format!("{tau}"),
                format!("T at τ = {tau} over (23)"),
                1.0,
                Tolerance::absolute(
                    off,
                    "as for fewer disks: (23) takes velocities for independent, and T is 1.6 % above it at τ = 1 and 7.6 % \
                     at τ = 3",
                ),
            )
        })
        .collect();
    checks.push(Check::new(
        "end",
        "τ that the run with the TC rule comes to",
        END,
        Tolerance::relative(1e-9, "rounding of a time"),
    ));
    checks.extend([
        yes(
            "late",
            "over 3 times the energy of (23) at τ = 2000 (1: yes)",
        ),
        yes(
            "even",
            "before it cools, numbers of disks in 64 × 64 squares vary less than those of points at random: variance \
             below the mean (1: yes)",
        ),
        yes(
            "clusters",
            "at τ = 2000 the variance of these numbers is over 10 times that before (1: yes)",
        ),
        yes(
            "overlap",
            "no disks overlap by more than 10⁻¹² diameters then (1: yes)",
        ),
        yes(
            "collapse",
            "the same start without the TC rule collapses (1: yes)",
        ),
    ]);
    Study {
        name: "luding-largest",
        source: "Luding & McNamara, section 6.1, Figs. 8 to 10, 97 776 disks",
        summary: "97 776 disks with r = 0.4, ν = 0.227, t_c = 10⁻⁵ s cool until τ = 2000: at first as (23) says, then more slowly, in \
                  clusters. Without the TC rule they collapse. On the event-driven engine.",
        engines: Engines::Cpu,
        quick: false,
        checks,
        measure: Box::new(|bench| {
            let gas = mixed(Dimensions::Two, DISKS, FRACTION, 50)?;
            let before = unevenness(&gas);
            let mut engine = lossy(bench, &gas, 0.4, 1e-5)?;
            let mut taus = instants(END);
            taus.extend(EARLY.map(|(tau, _)| tau));
            taus.sort_by(f64::total_cmp);
            let course = cool(&mut engine, &taus)?;
            let over =
                |tau: f64| energy_at(&taus, &course, tau) / cooling(Dimensions::Two, 0.4, tau);
            let is = |is: bool| f64::from(u8::from(is));
            let mut without = lossy(bench, &gas, 0.4, 0.0)?;
            let collapsed = match without.run_events(f64::INFINITY, PATIENCE * DISKS as u64) {
                Ok(_) => false,
                Err(HardError::Collapse(_)) => true,
                Err(error) => return Err(error.into()),
            };
            let values = vec![
                over(EARLY[0].0),
                over(EARLY[1].0),
                RATE * (engine.time() - gas.time()),
                is(over(END) > 3.0),
                is(before < 1.0),
                is(unevenness(&engine) > 10.0 * before),
                is(engine.deepest_overlap() < 1e-12),
                is(collapsed),
            ];
            let names = ["luding-largest", "luding-largest-rate"];
            Ok(Measured {
                values,
                figures: clusters::figures(names, &taus, &[(DISKS, course)]),
            })
        }),
    }
}

/// Variance of the numbers of disks in equal squares, over their mean: 1 for points at random.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "squares are few, and so are disks in one"
)]
fn unevenness(engine: &HardEngine) -> f64 {
    let (lower, upper) = (engine.model().lower, engine.model().upper);
    let mut counts = vec![0.0; SQUARES * SQUARES];
    for disk in engine.snapshot() {
        let part = (disk.position - lower) / (upper - lower) * SQUARES as f64;
        let [x, y] = [part.x, part.y].map(|part| (part.max(0.0) as usize).min(SQUARES - 1));
        counts[x + SQUARES * y] += 1.0;
    }
    let squares = counts.len() as f64;
    let mean = counts.iter().sum::<f64>() / squares;
    let variance = counts
        .iter()
        .map(|count| (count - mean).powi(2))
        .sum::<f64>()
        / squares;
    variance / mean
}
