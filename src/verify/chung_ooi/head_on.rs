//! Tests 1 to 3: head-on impacts.

use super::{elastic, on_wall};
use crate::collide::Step;
use crate::laws::hertz::hertz_time_unit;
use crate::laws::material::sphere_mass;
use crate::scene::NormalLaw;
use crate::verify::bench::duration;
use crate::verify::{Check, Engines, Measured, Study, Tolerance};

const FOUR_DIGITS: Tolerance = Tolerance::relative(2e-4, "four digits are published");
const THREE_DIGITS: Tolerance = Tolerance::relative(2e-3, "three digits are published");

pub(super) fn elastic_pair() -> Study {
    Study {
        name: "chung-ooi-1",
        source: "Chung & Ooi, test 1; LAMMPS dem02, Hertz peak force",
        summary: "Two equal elastic spheres meet head-on at ±10 m/s.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new("force", "largest force, N", 7108.0, FOUR_DIGITS),
            Check::new("overlap", "largest overlap, m", 3.683e-4, FOUR_DIGITS),
            Check::new("contact-time", "contact time, s", 5.42e-5, THREE_DIGITS),
            Check::new("glass", "largest force, glass, N", 1.0697e4, FOUR_DIGITS),
        ],
        measure: Box::new(|bench| {
            // ±10 m/s is 20 m/s against a sphere at rest.
            let outcome = bench.collide(&elastic(0.01, 2e10, 0.25, 2500.0, 20.0))?;
            let glass = bench.collide(&elastic(0.01, 48e9, 0.2, 2800.0, 20.0))?;
            Ok(Measured::values([
                outcome.max_force,
                outcome.max_overlap,
                duration(&outcome),
                glass.max_force,
            ]))
        }),
    }
}

pub(super) fn elastic_wall() -> Study {
    Study {
        name: "chung-ooi-2",
        source: "Chung & Ooi, test 2; LAMMPS dem03, Hertz peak force on a wall",
        summary: "An elastic sphere hits a rigid wall at 0.2 m/s.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new("force", "largest force, N", 7233.0, FOUR_DIGITS),
            Check::new("overlap", "largest overlap, m", 5.212e-5, FOUR_DIGITS),
            Check::new("contact-time", "contact time, s", 7.67e-4, THREE_DIGITS),
            Check::new(
                "aluminium",
                "largest force, aluminium, N",
                1.137e4,
                Tolerance::relative(4.4e-4, "half of the last of four digits that are published"),
            ),
        ],
        measure: Box::new(|bench| {
            let outcome = bench.collide(&on_wall(elastic(0.1, 4e10, 0.35, 1800.0, 0.2)))?;
            let aluminium = bench.collide(&on_wall(elastic(0.1, 70e9, 0.3, 2699.0, 0.2)))?;
            Ok(Measured::values([
                outcome.max_force,
                outcome.max_overlap,
                duration(&outcome),
                aluminium.max_force,
            ]))
        }),
    }
}

const RESTITUTIONS: [f64; 5] = [0.2, 0.4, 0.6, 0.8, 1.0];

/// A constant dashpot from this λ on lets the sphere of Hertz's spring never come apart again; the
/// limit is 0.563994.
const STICKS: f64 = 0.6;

pub(super) fn restitution() -> Study {
    let mut checks = vec![Check::new(
        "0",
        format!("restitution, asked for 0: a constant dashpot, λ = {STICKS}"),
        0.0,
        Tolerance::absolute(0.0, "the sphere never comes apart: exactly 0"),
    )];
    checks.extend(RESTITUTIONS.map(|e| {
        Check::new(
            format!("{e}"),
            format!("restitution, asked for {e}"),
            e,
            Tolerance::relative(
                6e-5,
                "500 steps in the contact; a damper that begins like δ^¼ costs some of the second order",
            ),
        )
    }));
    Study {
        name: "chung-ooi-3",
        source: "Chung & Ooi, test 3; LAMMPS dem01, head-on restitution",
        summary: "The sphere of test 2 with damping: restitution comes out as it went in. Tsuji's damper \
                  reaches e = 0 only in the limit, so that one has a dashpot beside Hertz's spring that \
                  is stronger than critical.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(|bench| {
            let sphere = on_wall(elastic(0.1, 4e10, 0.35, 1800.0, 0.2));
            let mut sticky = sphere.clone();
            let mass = sphere_mass(1800.0, 0.1);
            let stiffness = 4.0 / 3.0 * 4e10 / (1.0 - 0.35 * 0.35) * 0.1_f64.sqrt();
            sticky.laws.normal = NormalLaw::HertzViscous;
            sticky.pair.restitution = None;
            sticky.pair.damping =
                Some(2.0 * STICKS * mass / hertz_time_unit(stiffness, mass, sticky.speed));
            sticky.step = Step::PerContact(100.3);
            let mut values = vec![bench.collide(&sticky)?.restitution];
            for e in RESTITUTIONS {
                let mut sphere = sphere.clone();
                sphere.pair.restitution = Some(e);
                values.push(bench.collide(&sphere)?.restitution);
            }
            Ok(Measured::values(values))
        }),
    }
}
