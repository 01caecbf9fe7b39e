//! Gases that cool, as far as it concerns several studies.

use super::RATE;
use crate::error::Result;
use crate::hard::HardEngine;
use crate::laws::tc::{Dimensions, cooling};
use crate::render::{Curve, Plot};
use crate::verify::Drawing;

/// Looks at the grains between two instants.
const LOOKS: u32 = 8;

/// A cooling gas at an instant, and what happened since the one before.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    /// T, the energy over that at the start.
    pub(super) energy: f64,
    /// Collisions of a grain since the start.
    pub(super) hits: f64,
    /// Part of the collisions that lost nothing, since the instant before.
    pub(super) elastic_collisions: f64,
    /// Part of the grains that had collided within `t_c`: mean over some instants since the one before.
    pub(super) elastic_particles: f64,
    /// The part of the energy that they had.
    pub(super) elastic_energy: f64,
}

/// A cooling gas at each τ.
#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(super) fn cool(engine: &mut HardEngine, taus: &[f64]) -> Result<Vec<State>> {
    let (begun, grains) = (engine.time(), engine.particles() as f64);
    let (first, start) = (engine.tally().collisions, engine.measure().kinetic);
    let mut course = Vec::new();
    let mut earlier = 0.0;
    for &tau in taus {
        let before = engine.tally().clone();
        let (mut particles, mut energy) = (0.0, 0.0);
        for look in 1..=LOOKS {
            let part = f64::from(look) / f64::from(LOOKS);
            engine.run_until(begun + (earlier + part * (tau - earlier)) / RATE)?;
            let now = engine.measure();
            particles += now.elastic_particles as f64 / grains / f64::from(LOOKS);
            energy += now.pseudo_elastic / now.kinetic / f64::from(LOOKS);
        }
        let tally = engine.tally();
        let collisions = (tally.collisions - before.collisions) as f64;
        let elastic = (tally.elastic_collisions - before.elastic_collisions) as f64;
        course.push(State {
            energy: engine.measure().kinetic / start,
            hits: 2.0 * (tally.collisions - first) as f64 / grains,
            elastic_collisions: elastic / collisions.max(1.0),
            elastic_particles: particles,
            elastic_energy: energy,
        });
        earlier = tau;
    }
    Ok(course)
}

/// Instants for a figure, evenly on a logarithmic scale.
pub(super) fn instants(last: f64) -> Vec<f64> {
    (0..=40)
        .map(|k| 0.1 * (10.0 * last).powf(f64::from(k) / 40.0))
        .collect()
}

/// T at one of the τ.
pub(super) fn energy_at(taus: &[f64], course: &[State], tau: f64) -> f64 {
    let place = taus.iter().position(|&t| (t - tau).abs() < 1e-9 * tau);
    place.map_or(f64::NAN, |k| course[k].energy)
}

/// T against τ.
pub(super) fn energies(taus: &[f64], course: &[State]) -> Vec<[f64; 2]> {
    of_states(taus, course, |state| state.energy)
}

/// Something against τ.
pub(super) fn of_states(
    taus: &[f64],
    course: &[State],
    of: impl Fn(&State) -> f64,
) -> Vec<[f64; 2]> {
    let points = taus.iter().zip(course);
    points.map(|(&tau, state)| [tau, of(state)]).collect()
}

/// Haff's law at each τ.
pub(super) fn haff(dimensions: Dimensions, restitution: f64, taus: &[f64]) -> Vec<[f64; 2]> {
    taus.iter()
        .map(|&tau| [tau, cooling(dimensions, restitution, tau)])
        .collect()
}

/// T against τ, both logarithmic.
pub(super) fn cooling_plot(title: &str, subtitle: &str, curves: Vec<Curve>) -> Drawing {
    Drawing::Plot(Plot {
        title: title.into(),
        subtitle: subtitle.into(),
        x_label: "τ".into(),
        y_label: "T".into(),
        curves,
        log_x: true,
        log_y: true,
    })
}
