//! Spheres and walls that approach through a film.

use super::{FILMS, RADIUS, SPEED, WATCHED, WetCase, soft};
use crate::engine::Engine;
use crate::error::Result;
use crate::laws::lubrication::film_impulse;
use crate::render::{Colour, Curve, Plot, Style};
use crate::verify::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use std::f64::consts::PI;

/// Steps in which the film would be crossed at the speed of entering.
const CROSSING_STEPS: f64 = 400.0;

/// Steps between two looks.
const LOOK: u64 = 20;

/// Runs a scene through the film until the surfaces touch: the last rate over [`SPEED`], and gaps and rates
/// on the way.
pub(super) fn through(
    case: &WetCase,
    engine: &mut dyn Engine,
    most_steps: u64,
) -> Result<(f64, Vec<[f64; 2]>)> {
    let mut path = Vec::new();
    for _ in 0..most_steps / LOOK {
        engine.run(LOOK)?;
        let [gap, rate] = case.seen(&engine.state()?);
        if gap < -SPEED * WATCHED {
            return Ok((rate / SPEED, path));
        }
        path.push([gap / RADIUS, rate / SPEED]);
    }
    Ok((0.0, path))
}

pub(super) fn approach() -> Study {
    let stokes = 50.0;
    let mut checks = Vec::new();
    for case in FILMS {
        let name = case.name;
        let reached = 1.0 - case.impulse / stokes;
        let touch = Check::new(
            format!("{name}/touch"),
            format!("v/v₀ = 1 − C/St at touch for St = {stokes}, {name}"),
            reached,
            Tolerance::relative(
                1e-6,
                "kicks of the film meet end to end: only the soft spring of the contact, a few steps old, acts besides",
            ),
        );
        checks.push(if case.wall {
            touch
        } else {
            touch.erratum(
                "costa (32)",
                format!(
                    "with (32) as printed and u_ij, {:.6}",
                    1.0 - 2.0 * case.impulse / stokes
                ),
            )
        });
        checks.push(
            Check::new(
                format!("{name}/stopped"),
                format!("v/v₀ at the end for St = 2 < C, {name}"),
                0.0,
                Tolerance::absolute(1e-15, "the gap closes ever more slowly, but does not close"),
            )
            .on_devices(Tolerance::absolute(1e-9, "both have come to rest")),
        );
    }
    Study {
        name: "costa-approach",
        source: "Costa et al., (34), Table I",
        summary: "A sphere approaches a wall or another sphere and only the film acts: v/v₀ = 1 − C/St, with \
                  saturation below the roughness, and no touch where St < C.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(move |bench| {
            let mut values = Vec::new();
            let mut curves = Vec::new();
            for (k, case) in FILMS.iter().enumerate() {
                let film = case.film();
                let width = film.resolved * film.length;
                let step = width / (SPEED * CROSSING_STEPS);
                let pair = soft(case.reduced_mass(), 1e5 * step);
                let scene = case.scene(stokes, 1.1 * width, pair).build()?;
                let mut engine = bench.start(&scene, step)?;
                let (touch, path) = through(case, engine.as_mut(), 2000)?;
                let scene = case.scene(2.0, 1.1 * width, pair).build()?;
                let mut engine = bench.start(&scene, step)?;
                engine.run(2500)?;
                let [_, rate] = case.seen(&engine.state()?);
                values.extend([touch, rate / SPEED]);
                curves.push(Curve {
                    label: format!("{}, lahar", case.name),
                    points: path
                        .iter()
                        .copied()
                        .filter(|point| point[0] > 0.0)
                        .collect(),
                    style: Style::Points,
                    colour: Colour::of_category(k),
                });
                let entered = case.reduced_mass() * SPEED;
                let viscosity = case.viscosity(stokes);
                curves.push(Curve {
                    label: format!("{}, 1 − C/St", case.name),
                    points: (0..=100)
                        .map(|i| width * (1.1 - f64::from(i) * 0.011))
                        .map(|gap| {
                            let taken =
                                film_impulse(film, viscosity, 1.1 * width, 1.1 * width - gap);
                            [gap / RADIUS, 1.0 - taken / entered]
                        })
                        .collect(),
                    style: Style::Line,
                    colour: Colour::of_category(k),
                });
            }
            let figure = Figure {
                name: "costa-approach",
                caption: "Speed of a sphere in the film before a wall, or before another sphere, against the \
                          gap: engine and closed form."
                    .into(),
                drawing: Drawing::Plot(Plot {
                    title: "Approach through a film, St = 50".into(),
                    subtitle: "Costa et al., (34), Table I".into(),
                    x_label: "gap over radius".into(),
                    y_label: "v/v0".into(),
                    curves,
                    ..Plot::default()
                }),
            };
            Ok(Measured {
                values,
                figures: vec![figure],
            })
        }),
    }
}

pub(super) fn impulse() -> Study {
    let checks = FILMS.map(|case| {
        let factor = if case.wall { 1.0 } else { 0.5 };
        Check::new(
            case.name,
            format!("C = ∫Λ dε by the law, {}", case.name),
            factor * case.impulse,
            Tolerance::relative(1e-11, "rounding of f64, with cancellation"),
        )
    });
    Study {
        name: "costa-impulse",
        source: "Costa et al., (34), Table I",
        summary: "What a film takes of the speed, in closed form: about the law, no engine runs.",
        engines: Engines::None,
        quick: true,
        checks: checks.to_vec(),
        measure: Box::new(|_| {
            Ok(Measured::values(FILMS.map(|case| {
                let film = case.film();
                let width = film.resolved * film.length;
                film_impulse(film, 1.0, width, width) / (6.0 * PI * RADIUS * RADIUS)
            })))
        }),
    }
}
