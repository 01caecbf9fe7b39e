//! The force of a film at given gaps (34).

use super::{DENSITY, FILMS, RADIUS, SPEED, WATCHED, soft};
use crate::error::Result;
use crate::laws::lubrication::film_damping;
use crate::laws::material::sphere_mass;
use crate::verify::{Check, Engines, Measured, Study, Tolerance};
use std::f64::consts::PI;

pub(super) fn film_force() -> Study {
    let mut checks = Vec::new();
    for case in FILMS {
        let name = case.name;
        for (place, gap) in [
            ("at the roughness", case.gaps.roughness),
            ("at half the resolved gap", 0.5 * case.gaps.resolved),
        ] {
            let film = case.film();
            let damping = film_damping(film, case.viscosity(50.0), gap * film.length);
            let check = Check::new(
                format!("{name}/{gap}"),
                format!("film force {place} over 6πμRu, {name}"),
                damping / (6.0 * PI * case.viscosity(50.0) * RADIUS),
                Tolerance::relative(
                    1e-7,
                    "the gap is known to a few units of positions, 1e-9 radii",
                ),
            );
            checks.push(if place == "at the roughness" {
                check.erratum(
                    "costa III",
                    "ε ≡ δ/R_p with the overlap δ of (13) would be negative here, and there would be no film: 0",
                )
            } else {
                check
            });
        }
        checks.push(Check::new(
            format!("{name}/rough"),
            format!("film force at half the roughness over that at the roughness, {name}"),
            1.0,
            Tolerance::relative(1e-7, "the same gap to a few units of positions"),
        ));
        let spring = Tolerance::absolute(
            1e-9,
            "the spring of the contact, so soft that it pushes with next to nothing",
        );
        checks.push(
            Check::new(
                format!("{name}/overlap"),
                format!("force in contact over the film force at the roughness, {name}"),
                0.0,
                spring,
            )
            .on_devices(spring),
        );
    }
    Study {
        name: "costa-film",
        source: "Costa et al., (34), Table I",
        summary: "Force of the film on a sphere that approaches a wall or another sphere: it grows until the \
                  gap is as narrow as the surfaces are rough, and ends at touch. The film is all that \
                  is known of the fluid; its flow is not resolved.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for case in FILMS {
                let unit = 6.0 * PI * case.viscosity(50.0) * RADIUS * SPEED;
                let force = |gap: f64| -> Result<f64> {
                    let pair = soft(case.reduced_mass(), 1e9 * WATCHED);
                    let scene = case.scene(50.0, gap * RADIUS, pair).build()?;
                    let state = bench.start(&scene, WATCHED)?.state()?;
                    Ok(state.particles.acceleration[0].z * sphere_mass(DENSITY, RADIUS))
                };
                let rough = force(case.gaps.roughness)?;
                values.extend([
                    rough / unit,
                    force(0.5 * case.gaps.resolved)? / unit,
                    force(0.5 * case.gaps.roughness)? / rough,
                    force(-1e-6)? / rough,
                ]);
            }
            Ok(Measured::values(values))
        }),
    }
}
