//! How far a contact may be stretched.

use super::{DIAMETER, MATERIALS};
use crate::laws::material::sphere_mass;
use crate::laws::stretched::stretched_contact_time_limit;
use crate::scene::{ContactLaws, NormalLaw, Pair, Particle, Scene, TangentialLaw, WallShape};
use crate::verify::{Check, Engines, Measured, Study, Tolerance};
use glam::DVec3;

/// Collision times over a decade, s.
const STRETCHED: [f64; 4] = [1e-4, 2e-4, 5e-4, 1e-3];

/// Largest overlap over D `T_n/T_n*` with (20) as printed: `e_n^x/e^x`, x = arcsin(π/a)/π.
fn euler_for_restitution(e_n: f64) -> f64 {
    let pi = std::f64::consts::PI;
    let x = (pi / e_n.ln().hypot(pi)).asin() / pi;
    (e_n.ln() * x - x).exp()
}

pub(super) fn stretching() -> Study {
    let steel = &MATERIALS[0];
    let checks = STRETCHED.into_iter().flat_map(|time| {
        [
            Check::new(
                format!("{time}/restitution"),
                format!("e_n with T_n = {time} s"),
                steel.e_n,
                Tolerance::STEPPED,
            ),
            Check::new(
                format!("{time}/slip"),
                format!("Ψ_out at Ψ_in = 0.5 with T_n = {time} s"),
                -0.163_478_098_461_604_33,
                Tolerance::absolute(2e-4, "first order at 500 steps in the contact"),
            )
            .on_devices(Tolerance::absolute(2e-6, Tolerance::DEVICE.reason)),
            Check::new(
                format!("{time}/overlap"),
                format!("largest overlap over D T_n/T_n* (20) with T_n = {time} s"),
                1.0,
                Tolerance::STEPPED,
            )
            .erratum(
                "costa (20)",
                format!(
                    "(20) prints Euler's number where e_n belongs, with which it is {:.6}",
                    euler_for_restitution(steel.e_n)
                ),
            ),
        ]
    });
    Study {
        name: "costa-stretching",
        source: "Costa et al., (20)",
        summary: "The same rebound, whatever the collision time is stretched to; only the overlap grows.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for time in STRETCHED {
                let mut collision = steel.impact(0.5);
                collision.laws.contact_time = Some(time);
                let outcome = bench.collide(&collision)?;
                let limit = stretched_contact_time_limit(DIAMETER, 1.0, steel.e_n);
                values.extend([
                    outcome.restitution,
                    outcome.psi_out,
                    outcome.max_overlap / (DIAMETER * time / limit),
                ]);
            }
            Ok(Measured::values(values))
        }),
    }
}

pub(super) fn weight() -> Study {
    const TIME: f64 = 2e-3;
    const RESTITUTION: f64 = 0.5;
    Study {
        name: "costa-weight",
        source: "Costa et al., (21)",
        summary: "A sphere that rests on a wall overlaps it by its weight over k_n: the other limit to \
                  stretching, here without buoyancy.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "overlap",
                "overlap at rest over D (T_n/T_n*)²",
                1.0,
                Tolerance::relative(1e-6, "what is left of the motion after 100 collision times"),
            )
            .erratum("costa (21)", format!(
                "the line before (21) lacks the mass of the sphere, without which the overlap is {:.0} times that",
                1.0 / sphere_mass(7800.0, 0.5 * DIAMETER)
            )),
        ],
        measure: Box::new(|bench| {
            let gravity = 9.81;
            let radius = 0.5 * DIAMETER;
            let steps = 50.0;
            let scene = Scene::builder()
                .domain(DVec3::splat(-0.01), DVec3::splat(0.01))
                .gravity(DVec3::NEG_Z * gravity)
                .end_time(100.0 * TIME)
                .time_step(TIME / steps)
                .contact(ContactLaws {
                    normal: NormalLaw::LinearStretched,
                    tangential: TangentialLaw::None,
                    contact_time: Some(TIME),
                    ..ContactLaws::default()
                })
                .material("steel", 7800.0, None, 0.3)
                .pair(Pair {
                    restitution: Some(RESTITUTION),
                    ..Pair::new(0, 0)
                })
                .particle(Particle::new(DVec3::Z * radius, radius, 0))
                .wall(
                    "floor",
                    0,
                    WallShape::Plane {
                        point: DVec3::ZERO,
                        normal: DVec3::Z,
                    },
                )
                .build()?;
            let mut engine = bench.simulate(&scene)?;
            engine.run(5000)?;
            let state = engine.state()?;
            let overlap = state.contacts.first().map_or(f64::NAN, |c| c.overlap);
            // (21): D (T/T*)² with T*² = D a²/g.
            let a_square = std::f64::consts::PI.powi(2) + RESTITUTION.ln().powi(2);
            Ok(Measured::values([
                overlap / (gravity * TIME * TIME / a_square)
            ]))
        }),
    }
}
