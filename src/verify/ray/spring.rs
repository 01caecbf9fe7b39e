//! The energy in the spring.

use super::{SPEED, mass, viscous};
use crate::collide::{Collision, Step};
use crate::laws::hertz::hertz_contact_time;
use crate::verify::bench::STEPS;
use crate::verify::{Check, Engines, Measured, Study, Tolerance};

pub(super) fn spring_energy() -> Study {
    let stiffness = 6e4;
    Study {
        name: "ray-spring-energy",
        source: "Ray, Kempe & Fröhlich, (58)",
        summary: "An undamped impact: at the turning point the spring holds all of the kinetic energy, \
                  and (2/5) k ζ^(5/2) is what it holds.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "held",
                "largest spring energy over kinetic energy before",
                1.0,
                Tolerance::relative(
                    2e-5,
                    "the turning point is missed by up to half a step of 500",
                ),
            )
            .erratum(
                "ray (58)",
                "(58) prints the factor 5/2, with which it is 6.25, and z for ζ in the integral",
            ),
            Check::new(
                "overlap",
                "largest overlap over (5mu²/4k)^⅖",
                1.0,
                Tolerance::STEPPED,
            ),
        ],
        measure: Box::new(move |bench| {
            let collision = viscous(stiffness, 0.0);
            let time = hertz_contact_time(stiffness, mass(), SPEED);
            let step = time / STEPS;
            let collision = Collision {
                step: Step::Seconds(step),
                ..collision
            };
            let outcome = bench.collide(&collision)?;
            let kinetic = 0.5 * mass() * SPEED * SPEED;
            let deepest = (2.5 * kinetic / stiffness).powf(0.4);
            let mut largest = 0.0_f64;
            let scene = collision.scene(step)?;
            let mut engine = bench.start(&scene, step)?;
            // From one half of the contact to the other, through the turning point.
            let steps = (0.49 * STEPS).floor();
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "some hundred steps"
            )]
            engine.run(steps as u64)?;
            for _ in 0..12 {
                largest = largest.max(engine.state()?.ledger.elastic_normal);
                engine.run(1)?;
            }
            Ok(Measured::values([
                largest / kinetic,
                outcome.max_overlap / deepest,
            ]))
        }),
    }
}
