//! Buoyancy, drag and added mass in a fluid at rest.

use crate::error::Result;
use crate::laws::fluid::{
    reynolds_number, schiller_naumann_factor, stokes_relaxation_time, stokes_terminal_velocity,
};
use crate::scene::{ContactLaws, DragLaw, Fluid, NormalLaw, Pair, Particle, Scene, TangentialLaw};
use crate::verify::{Check, Engines, Measured, Study, Tolerance};
use glam::DVec3;

/// Glass bead in water, and a light one: radius in m, density and that of the fluid in kg/m³, viscosity
/// in Pa s, gravity in m/s².
const BEAD: f64 = 5e-4;
const GLASS: f64 = 2500.0;
const LIGHT: f64 = 500.0;
const WATER: f64 = 1000.0;
const SYRUP: f64 = 0.2;
const GRAVITY: f64 = 9.81;

/// One bead at rest in a fluid.
fn immersed(density: f64, fluid: Fluid) -> Result<Scene> {
    let room = DVec3::splat(2000.0 * BEAD);
    Scene::builder()
        .domain(-room, room)
        .gravity(DVec3::NEG_Z * GRAVITY)
        .material("bead", density, None, 0.3)
        .pair(Pair {
            stiffness: Some(1.0),
            damping: Some(0.0),
            ..Pair::new(0, 0)
        })
        .contact(ContactLaws {
            normal: NormalLaw::Linear,
            tangential: TangentialLaw::None,
            ..ContactLaws::default()
        })
        .particle(Particle::new(DVec3::ZERO, BEAD, 0))
        .fluid(fluid)
        .end_time(1.0)
        .build()
}

/// Where the drag of Schiller and Naumann balances the weight, by fixed point, m/s.
fn terminal_velocity(density: f64, viscosity: f64) -> f64 {
    let stokes = stokes_terminal_velocity(density - WATER, GRAVITY, BEAD, viscosity);
    let mut speed = stokes.abs();
    for _ in 0..200 {
        let factor = schiller_naumann_factor(reynolds_number(WATER, viscosity, BEAD, speed));
        // Half way: the factor grows with the speed.
        speed = 0.5 * (speed + stokes.abs() / factor);
    }
    -speed.copysign(stokes)
}

pub(super) fn settling() -> Study {
    let stopped = Tolerance::relative(1e-9, "twenty-five relaxation times: e⁻²⁵ is left");
    let second = Tolerance::relative(1e-4, "second order in the step, 100 in the relaxation time");
    let device = Tolerance::relative(2e-6, "f32 velocities and forces");
    let exact = Tolerance::relative(1e-12, "rounding of f64");
    let stokes = |density: f64| -stokes_terminal_velocity(density - WATER, GRAVITY, BEAD, SYRUP);
    let ratio = WATER / GLASS;
    let lifted = -GRAVITY * (1.0 - ratio);
    let light = WATER / LIGHT;
    let grown = 1.0 - (-1f64).exp();
    let checks = vec![
        Check::new(
            "weight",
            "acceleration at the start, no fluid force but buoyancy, m/s²",
            lifted,
            exact,
        ),
        Check::new(
            "added",
            "the same with added mass, (1 − ρ/ρ_p)/(1 + ρ/2ρ_p) g, m/s²",
            lifted / (1.0 + 0.5 * ratio),
            exact,
        ),
        Check::new(
            "rise",
            "the same of a bead of half the density: it rises, m/s²",
            -GRAVITY * (1.0 - light) / (1.0 + 0.5 * light),
            exact,
        ),
        Check::new(
            "stokes",
            "terminal velocity by Stokes' drag, m/s",
            stokes(GLASS),
            stopped,
        ),
        Check::new(
            "naumann",
            "terminal velocity in water by Schiller & Naumann, Re = 146, m/s",
            terminal_velocity(GLASS, 1e-3),
            stopped,
        ),
        Check::new(
            "light",
            "terminal velocity of the light bead in water, rising, m/s",
            terminal_velocity(LIGHT, 1e-3),
            stopped,
        ),
        Check::new("relaxation", "v/v_t after (ρ_p + ½ρ) d²/18μ", grown, second),
        Check::new(
            "relaxation-without",
            "v/v_t after ρ_p d²/18μ, without added mass",
            grown,
            second,
        ),
    ];
    let checks = checks.into_iter().map(|check| check.on_devices(device));
    Study {
        name: "costa-still-fluid",
        source: "Costa et al., (36), without the flow; Schiller & Naumann (1933)",
        summary: "A bead in a fluid at rest: buoyancy, added mass, terminal velocity and the time in which it \
                  is reached. The drag stands for the flow, which is not resolved.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let quiet = |viscosity| Fluid {
                drag: DragLaw::None,
                added_mass: false,
                ..Fluid::new(WATER, viscosity)
            };
            let mut values = Vec::new();
            let heavy = Fluid {
                added_mass: true,
                ..quiet(SYRUP)
            };
            for (density, fluid) in [(GLASS, quiet(SYRUP)), (GLASS, heavy), (LIGHT, heavy)] {
                let state = bench.start(&immersed(density, fluid)?, 1e-6)?.state()?;
                values.push(state.particles.acceleration[0].z);
            }
            let stokes = Fluid {
                drag: DragLaw::Stokes,
                ..heavy
            };
            let naumann = Fluid {
                drag: DragLaw::SchillerNaumann,
                ..Fluid::new(WATER, 1e-3)
            };
            for (density, fluid) in [(GLASS, stokes), (GLASS, naumann), (LIGHT, naumann)] {
                let time = stokes_relaxation_time(density, WATER, BEAD, fluid.viscosity);
                // With the factor of the drag the bead is faster than that.
                let speed = if fluid.drag == DragLaw::Stokes {
                    0.0
                } else {
                    terminal_velocity(density, fluid.viscosity).abs()
                };
                let reynolds = reynolds_number(WATER, fluid.viscosity, BEAD, speed);
                let time = time / schiller_naumann_factor(reynolds);
                let mut engine = bench.start(&immersed(density, fluid)?, time / 40.0)?;
                engine.run(40 * 25)?;
                values.push(engine.state()?.particles.velocity[0].z);
            }
            for (fluid, of_fluid) in [
                (stokes, WATER),
                (
                    Fluid {
                        added_mass: false,
                        ..stokes
                    },
                    0.0,
                ),
            ] {
                let time = stokes_relaxation_time(GLASS, of_fluid, BEAD, SYRUP);
                let mut engine = bench.start(&immersed(GLASS, fluid)?, time / 100.0)?;
                engine.run(100)?;
                let state = engine.state()?;
                let terminal = -stokes_terminal_velocity(GLASS - WATER, GRAVITY, BEAD, SYRUP);
                values.push(state.particles.velocity[0].z / terminal);
            }
            Ok(Measured::values(values))
        }),
    }
}
