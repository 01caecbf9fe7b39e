//! Springs and dashpots from restitutions, and the restitutions that they give.

use super::MATERIALS;
use crate::collide::{Collision, Step};
use crate::laws::ContactEnd;
use crate::laws::material::tangential_reduced_mass;
use crate::laws::stretched::{
    stretched_max_overlap, stretched_normal_coefficients, stretched_tangential_coefficients,
};
use crate::verify::{Check, Engines, Measured, Study, Tolerance};

pub(super) fn coefficients() -> Study {
    let steel = &MATERIALS[0];
    let check = |name: &str, quantity: &str, expected: f64| {
        Check::new(name, quantity, expected, Tolerance::ROUNDING)
    };
    Study {
        name: "costa-coefficients",
        source: "Costa et al., (4), (5), (18), (25), (26)",
        summary: "Stiffness and damping from restitution and collision time, for steel on a wall.",
        engines: Engines::None,
        quick: true,
        checks: vec![
            check("kn", "k_n (NΔt)²/m (18)", 9.870_532_164_409_955).erratum(
                "costa I",
                "where the paper says how it is organised, section IV stands for VI",
            ),
            check("eta-n", "η_n NΔt/m (18)", 0.060_918_414_969_417_09),
            check("kt", "k_t (NΔt)²/m (25)", 3.152_409_910_445_365),
            check("eta-t", "η_t NΔt/m (25)", 0.616_462_663_641_102_8),
            check(
                "overlap",
                "δ_max/Δx of the reference case, by (18), U = 0.5846 m/s, Δt = 9.04·10⁻⁵ s, N = 8",
                0.706_923_408_588_310_4,
            )
            .erratum("costa Table III", "Table III has 33.6 %"),
        ],
        measure: Box::new(|_| {
            let end = ContactEnd::Overlap;
            let (kn, eta_n) = stretched_normal_coefficients(1.0, steel.e_n, 1.0, end);
            let mass = tangential_reduced_mass(1.0);
            let (kt, eta_t) = stretched_tangential_coefficients(mass, steel.e_t, 1.0);
            // D = 3 mm, 16 cells to a diameter.
            let overlap = stretched_max_overlap(0.5846, 8.0 * 9.04e-5, steel.e_n);
            let cells = overlap / (3e-3 / 16.0);
            Ok(Measured::values([kn, eta_n, kt, eta_t, cells]))
        }),
    }
}

/// Steps in a contact.
const RESOLUTIONS: [f64; 5] = [8.0, 10.0, 20.0, 50.0, 100.0];

/// Where in a step the spheres touch: a contact may begin anywhere.
const PHASES: [f64; 8] = [0.05, 0.175, 0.3, 0.425, 0.55, 0.675, 0.8, 0.925];

pub(super) fn steps_per_contact() -> Study {
    let steel = &MATERIALS[0];
    let checks = RESOLUTIONS.into_iter().flat_map(|n| {
        let n2 = n * n;
        let normal = Tolerance::absolute(
            0.02 / n2 + 50.0 / (n2 * n2),
            "0.02/N² + 50/N⁴: hardly any second order so near e_n = 1, and the next even one at few steps",
        );
        let tangential = Tolerance::absolute(
            1.6 / n2,
            "second order, 1.6/N²: the slip of the first, partial step is taken as it was at touch",
        );
        [
            Check::new(
                format!("{n}/normal"),
                format!("e_n with N = {n} steps in the contact, furthest off of 8 moments of touch"),
                steel.e_n,
                normal,
            ),
            Check::new(
                format!("{n}/tangential"),
                format!("e_t with N = {n} steps in the contact, no slip, furthest off of 8 moments of touch"),
                steel.e_t,
                tangential,
            ),
        ]
    });
    Study {
        name: "costa-steps",
        source: "Costa et al., (16)–(19), (24)–(26)",
        summary: "Both restitutions come out as they went in however few steps the contact is stretched over. Touch \
                  falls anywhere within a step; what is shown is the worst. k_t and η_t are those with which the leapfrog, rather \
                  than the continuous motion, has the wanted solution, and a dashpot acts up to the moment at which \
                  the contact ends. (In the paper N counts steps of the flow, each of which is 50 steps of the spheres in all cases of Table III but one.) \
                  For e_t friction is made so strong that nothing slips, and e_n = 1, for an attractive end \
                  of the contact carries no friction.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for n in RESOLUTIONS {
                let impact = |slip: f64, phase: f64| Collision {
                    step: Step::PerContact(n),
                    phase,
                    ..steel.impact(slip)
                };
                let worst = |wanted: f64, found: Vec<f64>| {
                    let off = |x: &f64| (x - wanted).abs();
                    found.into_iter().max_by(|a, b| off(a).total_cmp(&off(b)))
                };
                let mut normal = Vec::new();
                let mut tangential = Vec::new();
                for phase in PHASES {
                    normal.push(bench.collide(&impact(0.0, phase))?.restitution);
                    let mut sticking = impact(0.1, phase);
                    sticking.pair.friction = 1e4;
                    sticking.pair.restitution = Some(1.0);
                    let outcome = bench.collide(&sticking)?;
                    tangential.push(-outcome.psi_out / outcome.psi_in);
                }
                values.extend(worst(steel.e_n, normal));
                values.extend(worst(steel.e_t, tangential));
            }
            Ok(Measured::values(values))
        }),
    }
}
