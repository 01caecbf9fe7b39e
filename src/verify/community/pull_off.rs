//! The force that parts two sticky spheres.

use crate::error::Result;
use crate::laws::cohesion::{dmt_force, jkr_pull_off_force};
use crate::scene::{CohesionLaw, ContactLaws, NormalLaw, Pair, Particle, Scene, TangentialLaw};
use crate::verify::{Bench, Check, Engines, Measured, Study, Tolerance};
use glam::DVec3;

pub(super) fn pull_off() -> Study {
    let sampled = Tolerance::relative(
        2e-4,
        "the force is looked at once per step of 10⁻² of the neck",
    );
    Study {
        name: "pull-off",
        source: "LAMMPS dem08, pull-off; Johnson, Kendall & Roberts; Derjaguin, Muller & Toporov",
        summary: "A heavy sphere is drawn slowly from a fixed one: the strongest attraction is the pull-off \
                  force, (3/2)π w R* (JKR) or 2π w R* (DMT).",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "jkr",
                "strongest attraction over (3/2)π w R*, JKR",
                1.0,
                sampled,
            ),
            Check::new(
                "dmt",
                "strongest attraction over 2π w R*, DMT",
                1.0,
                Tolerance::relative(
                    2e-4,
                    "at the last step that touches the spring still pushes a little",
                ),
            ),
        ],
        measure: Box::new(|bench| {
            let (radius, adhesion) = (1e-3, 0.05);
            let expected = [
                (
                    CohesionLaw::Jkr,
                    jkr_pull_off_force(adhesion, 0.5 * radius).abs(),
                ),
                (CohesionLaw::Dmt, dmt_force(adhesion, 0.5 * radius).abs()),
            ];
            let mut values = Vec::new();
            for (cohesion, force) in expected {
                let strongest = strongest_attraction(bench, cohesion, radius, adhesion)?;
                values.push(strongest / force);
            }
            Ok(Measured::values(values))
        }),
    }
}

fn strongest_attraction(
    bench: &dyn Bench,
    cohesion: CohesionLaw,
    radius: f64,
    adhesion: f64,
) -> Result<f64> {
    let overlap = 1e-6;
    let speed = 0.01;
    let scene = Scene::builder()
        .domain(DVec3::splat(-0.01), DVec3::splat(0.01))
        .end_time(4e-4)
        .time_step(8e-7)
        .contact(ContactLaws {
            normal: NormalLaw::HertzTsuji,
            tangential: TangentialLaw::None,
            cohesion,
            ..ContactLaws::default()
        })
        .material("grain", 1e5, 1e7, 0.3)
        .pair(Pair {
            restitution: Some(1.0),
            work_of_adhesion: adhesion,
            ..Pair::new(0, 0)
        })
        .particle(Particle {
            fixed: true,
            ..Particle::new(DVec3::ZERO, radius, 0)
        })
        .particle(Particle {
            velocity: DVec3::X * speed,
            ..Particle::new(DVec3::X * (2.0 * radius - overlap), radius, 0)
        })
        .build()?;
    let mut engine = bench.simulate(&scene)?;
    let mut strongest = 0.0_f64;
    for _ in 0..400 {
        engine.run(1)?;
        let Some(contact) = engine.state()?.contacts.first().copied() else {
            break;
        };
        strongest = strongest.max(-contact.normal_force);
    }
    Ok(strongest)
}
