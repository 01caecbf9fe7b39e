//! Luding & McNamara (1998), simulated with the event-driven engine.
//!
//! Grains have a radius of 1 mm. Gases begin as lattices, mix for some collisions per grain without loss, and are
//! scaled to 444 collisions per grain and second, the rate of the paper. Theories are mean fields and runs are
//! finite, so tolerances are those of statistics: three standard deviations where they can be reckoned.
//!
//! | file | figures |
//! |---|---|
//! | `ball.rs` | 2 |
//! | `gas.rs` | 3 to 7 |
//! | `durations.rs` | n_e and c_e over four decades of `t_c` |
//! | `clusters.rs` | 8 and 9; 10 is `examples/scenes/clusters.toml` |
//! | `largest.rs` | 8 to 10, the largest system |
//! | `contact.rs` | 12 to 14 |
//! | `haff.rs` | 15 |
//! | `collapse.rs` | (22) |

mod ball;
mod clusters;
mod collapse;
mod contact;
mod cooling;
mod durations;
mod gas;
mod haff;
mod largest;

use super::{Bench, Study};
use crate::error::{Error, Result};
use crate::hard::HardEngine;
use crate::hard::gas::Gas;
use crate::laws::hard_sphere::CollisionRule;
use crate::laws::tc::Dimensions;
use crate::render::{Colour, Curve, Style};

pub(super) fn studies() -> Vec<Study> {
    vec![
        ball::study(),
        gas::study(Dimensions::Two),
        gas::study(Dimensions::Three),
        durations::study(),
        haff::study(Dimensions::Two),
        haff::study(Dimensions::Three),
        clusters::study(),
        contact::study(),
        collapse::study(),
    ]
}

/// Those that take long.
pub(super) fn long_studies() -> Vec<Study> {
    vec![gas::long_study(), largest::study(), contact::long_study()]
}

/// Collisions of a grain per second at the start, as in section 6.
const RATE: f64 = 444.0;

/// The fraction of section 6.
const FRACTION: f64 = 0.227;

const RADIUS: f64 = 1e-3;

/// A gas that has forgotten its lattice, and whose grains know when they last collided.
fn mixed(
    dimensions: Dimensions,
    particles: usize,
    fraction: f64,
    mixing: u64,
) -> Result<HardEngine> {
    mixed_from(1, dimensions, particles, fraction, mixing)
}

/// The same from another start.
fn mixed_from(
    seed: u64,
    dimensions: Dimensions,
    particles: usize,
    fraction: f64,
    mixing: u64,
) -> Result<HardEngine> {
    let gas = Gas {
        dimensions,
        particles,
        fraction,
        radius: RADIUS,
        seed,
    };
    Ok(gas.mixed(mixing, RATE)?)
}

/// The same, losing energy from now on by the rule of a bench, with the TC rule.
fn lossy(
    bench: &dyn Bench,
    mixed: &HardEngine,
    restitution: f64,
    contact_duration: f64,
) -> Result<HardEngine> {
    let mut engine = mixed.clone();
    let CollisionRule::Smooth { restitution } =
        bench.hard_rule(CollisionRule::Smooth { restitution })
    else {
        return Err(Error::Usage(
            "a gas without friction collides by a smooth rule".into(),
        ));
    };
    engine.lose(restitution, contact_duration);
    Ok(engine)
}

fn curve(label: impl Into<String>, points: Vec<[f64; 2]>, style: Style, category: usize) -> Curve {
    Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(category),
    }
}
