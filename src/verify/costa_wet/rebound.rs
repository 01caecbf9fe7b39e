//! Wet restitution against the Stokes number.

use super::{FILMS, RADIUS, SPEED, WetCase};
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::fluid::{added_mass, stokes_drag};
use crate::laws::linear::{linear_damping_ratio_from_restitution, linear_restitution};
use crate::laws::lubrication::{film_damping, film_impulse, film_restitution, film_speed_at_touch};
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{DragLaw, Pair};
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use std::f64::consts::PI;

/// Dry restitution of steel on glass.
const DRY: f64 = 0.97;

/// Stokes numbers of the bounces; the four of Table II, 29 to 742, among them.
const WET: [f64; 9] = [5.0, 8.0, 10.0, 20.0, 29.0, 100.0, 152.0, 742.0, 1000.0];

/// Density of the liquid, kg/m³.
pub(super) const LIQUID: f64 = 1000.0;

/// Steps in the contact of a bounce.
const CONTACT_STEPS: f64 = 100.3;

/// What the liquid does besides its film.
#[derive(Clone, Copy, PartialEq)]
enum Flow {
    /// Nothing.
    None,
    /// Stokes' drag and added mass, which stand for the flow.
    DragAndMass,
}

impl Flow {
    /// Mass that moves (kg) and drag per speed (N s/m) of a sphere before a wall.
    fn mass_and_drag(self, case: &WetCase, stokes: f64) -> [f64; 2] {
        match self {
            Self::None => [case.reduced_mass(), 0.0],
            Self::DragAndMass => [
                case.reduced_mass() + added_mass(LIQUID, RADIUS),
                stokes_drag(case.viscosity(stokes), RADIUS),
            ],
        }
    }
}

/// Contact of a bounce: stiffness (N/m) and damping (N s/m) for the restitution [`DRY`] in air. It lasts a
/// fifth of the time that the film is crossed in.
fn bounce_contact(case: &WetCase) -> [f64; 2] {
    let film = case.film();
    let contact_time = 0.2 * film.resolved * film.length / SPEED;
    let ratio = linear_damping_ratio_from_restitution(DRY, ContactEnd::Overlap);
    let frequency = PI / (contact_time * (1.0 - ratio * ratio).sqrt());
    let mass = case.reduced_mass();
    [mass * frequency * frequency, 2.0 * ratio * mass * frequency]
}

/// Restitution of a bounce by its closed form, from 1.1 widths of the film to one width: impulses of film and
/// drag depend on the way alone, and in contact the drag adds to the dashpot.
fn closed_bounce(case: &WetCase, stokes: f64, flow: Flow) -> f64 {
    let film = case.film();
    let width = film.resolved * film.length;
    let [mass, drag] = flow.mass_and_drag(case, stokes);
    let taken = film_impulse(film, case.viscosity(stokes), width, width);
    let touch = SPEED - (taken + drag * 1.1 * width) / mass;
    let [stiffness, damping] = bounce_contact(case);
    let ratio = (damping + drag) / (2.0 * (stiffness * mass).sqrt());
    let leaves = touch.max(0.0) * linear_restitution(ratio, ContactEnd::Overlap);
    ((leaves - (taken + drag * width) / mass) / SPEED).max(0.0)
}

/// Restitution of a bounce off a wall through the film, in and out.
#[allow(clippy::cast_possible_truncation, reason = "some hundred steps")]
fn bounce(bench: &dyn Bench, case: &WetCase, stokes: f64, flow: Flow) -> Result<f64> {
    let film = case.film();
    let width = film.resolved * film.length;
    let mass = case.reduced_mass();
    let [moving, drag] = flow.mass_and_drag(case, stokes);
    let relaxation = mass / film_damping(film, case.viscosity(stokes), 0.0);
    let contact_time = 0.2 * width / SPEED;
    let step = (contact_time / CONTACT_STEPS).min(0.1 * relaxation);
    let [stiffness, damping] = bounce_contact(case);
    let pair = Pair {
        stiffness: Some(stiffness),
        damping: Some(damping),
        ..Pair::new(0, 1)
    };
    let mut scene = case.scene(stokes, 1.1 * width, pair).build()?;
    if let Some(fluid) = scene.fluid.as_mut()
        && flow == Flow::DragAndMass
    {
        fluid.drag = DragLaw::Stokes;
        fluid.added_mass = true;
    }
    let mut engine = bench.start(&scene, step)?;
    // In, and out again at the slowest speed that counts as a rebound.
    let look = width / (4.0 * SPEED * step);
    for _ in 0..400 {
        engine.run(look.ceil() as u64)?;
        let [gap, rate] = case.seen(&engine.state()?);
        if gap > width && rate < 0.0 {
            // Back to where the film ends: outside of it the drag alone slows the sphere.
            return Ok((drag / moving * (gap - width) - rate) / SPEED);
        }
        if rate.abs() < 1e-6 * SPEED {
            break;
        }
    }
    Ok(0.0)
}

pub(super) fn rebound() -> Study {
    let case = FILMS[0];
    let closed = move |stokes: f64| {
        film_restitution(
            DRY,
            film_speed_at_touch(case.film(), RADIUS, f64::INFINITY, stokes),
        )
    };
    let with_flow = move |stokes: f64| closed_bounce(&case, stokes, Flow::DragAndMass);
    let mut checks: Vec<Check> = WET
        .iter()
        .map(|&stokes| {
            Check::new(
                format!("{stokes}"),
                format!("e at St = {stokes}"),
                closed(stokes),
                Tolerance::absolute(1e-5, "second order in the step, 100 in the contact"),
            )
        })
        .collect();
    checks.extend(WET.map(|stokes| {
        Check::new(
            format!("{stokes}/flow"),
            format!("e at St = {stokes}, with Stokes' drag and added mass"),
            with_flow(stokes),
            Tolerance::absolute(1e-5, "second order in the step, 100 in the contact"),
        )
    }));
    checks.push(Check::new(
        "none",
        "St below which nothing rebounds, C (1 + e_d)/e_d, from e at St = 10 and 20; experiments: about 10",
        case.impulse * (1.0 + DRY) / DRY,
        Tolerance::relative(2e-5, "second order in the step, 100 in the contact"),
    ));
    checks.push(Check::new(
        "dry",
        "e over e_d at St = 1000",
        1.0,
        Tolerance::absolute(0.01, "experiments: dry from 500 to 1000 on"),
    ));
    Study {
        name: "costa-wet",
        source: "Costa et al., (34), Table II, Fig. 9",
        summary: "Restitution in a liquid against the Stokes number, in its shape: the film alone, in and \
                  out, around a contact of e = 0.97, and with Stokes' drag and added mass besides. The paper \
                  resolves the flow around the sphere, which this does not.",
        engines: Engines::All,
        quick: false,
        checks,
        measure: Box::new(move |bench| {
            let mut values = Vec::new();
            for stokes in WET {
                values.push(bounce(bench, &case, stokes, Flow::None)?);
            }
            for stokes in WET {
                values.push(bounce(bench, &case, stokes, Flow::DragAndMass)?);
            }
            let [points, flow_points] = [0, WET.len()].map(|from| {
                let found = WET.iter().zip(&values[from..]);
                found
                    .map(|(&stokes, &e)| [stokes, e / DRY])
                    .collect::<Vec<[f64; 2]>>()
            });
            // e = a − b/St, by (34): the line through two of them meets zero at b/a.
            let [[s, e], [t, f]] = [points[2], points[3]];
            let b = (f - e) / (1.0 / s - 1.0 / t);
            values.extend([b / (e + b / s), points[WET.len() - 1][1]]);
            let line = |label: &str, style: Style, colour: usize, e: &dyn Fn(f64) -> f64| Curve {
                label: label.into(),
                points: (0..=120)
                    .map(|k| 10_f64.powf(0.5 + 0.025 * f64::from(k)))
                    .map(|stokes| [stokes, e(stokes)])
                    .collect(),
                style,
                colour: Colour::of_category(colour),
            };
            let figure = Figure {
                name: "costa-wet",
                caption: "Restitution in a liquid over that in air against the Stokes number: the film \
                          alone, for a sphere and a wall, the film with Stokes' drag and added mass, and \
                          exp(−35/St), a common fit of experiments."
                    .into(),
                drawing: Drawing::Plot(Plot {
                    title: "Wet restitution against the Stokes number".into(),
                    subtitle: "Costa et al., (34), Fig. 9".into(),
                    x_label: "St".into(),
                    y_label: "e/e_d".into(),
                    curves: vec![
                        Curve {
                            label: "film alone, lahar".into(),
                            points,
                            style: Style::Points,
                            colour: Colour::of_category(0),
                        },
                        Curve {
                            label: "with drag and added mass, lahar".into(),
                            points: flow_points,
                            style: Style::Points,
                            colour: Colour::of_category(2),
                        },
                        line("film alone, closed form", Style::Line, 0, &|s| closed(s) / DRY),
                        line("with drag and added mass, closed form", Style::Line, 2, &|s| {
                            with_flow(s) / DRY
                        }),
                        line("exp(−35/St)", Style::Dashed, 1, &|s| (-35.0 / s).exp()),
                    ],
                    log_x: true,
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
