//! Rubin (2016): a collision rule with a smooth transition to full slip, beside Walton's.

use super::bench::{head_on, materials};
use super::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::collide::Collision;
use crate::error::Result;
use crate::laws::hard_sphere::{
    Body, CollisionRule, GrainShape, collide, energetic_coefficient, energy_loss,
    full_slip_obliquity, largest_rubin_exponent, largest_walton_restitution, rebound_slip,
    rubin_transition, walton_transition,
};
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{NormalLaw, Pair, TangentialLaw};
use glam::DVec3;
use std::f64::consts::TAU;

pub(super) fn studies() -> Vec<Study> {
    let mut studies = vec![curves(), admissible(), properties()];
    studies.extend(BOUNCES.iter().map(bounces));
    studies.push(fit());
    studies
}

/// Coefficient of friction of all examples (5-2).
const FRICTION: f64 = 0.3;

/// 1 + `1/I_m` of uniform spheres.
const SLIP_RATIO: f64 = 3.5;

fn rubin(restitution: f64, exponent: f64) -> CollisionRule {
    CollisionRule::Rubin {
        restitution,
        exponent,
        friction: FRICTION,
    }
}

fn walton(restitution: f64, tangential_restitution: f64) -> CollisionRule {
    CollisionRule::Walton {
        restitution,
        tangential_restitution,
        friction: FRICTION,
    }
}

/// A sphere of 1 kg and 1 m that hits a wall at 1 m/s along x with a slip along y, by a rule.
fn after(rule: &CollisionRule, slip: f64) -> Body {
    let sphere = Body::grain(
        GrainShape::Sphere,
        1.0,
        1.0,
        DVec3::new(1.0, slip, 0.0),
        DVec3::ZERO,
    );
    collide(&sphere, &Body::wall(DVec3::ZERO), DVec3::X, rule, false).first
}

/// Slip of the contact point with a wall at +x.
fn slip_of(body: &Body) -> f64 {
    body.velocity.y + body.radius * body.spin.z
}

/// e, α, ψ₁ and then μ, ψ₂, η of the smooth rule and of Walton's: solutions of (3-10)–(3-12), (4-6) with
/// the corrections below, checked against the energy of random collisions to 30 digits.
const CURVES: [[f64; 9]; 6] = [
    [
        1.0,
        0.35,
        1.05,
        0.182_312_385_315_487_38,
        -0.226_186_697_208_411_72,
        0.873_940_038_584_748_2,
        0.2025,
        -0.3675,
        0.886_027_213_689_310_4,
    ],
    [
        1.0,
        0.35,
        2.625,
        0.3,
        0.525,
        0.471_328_671_328_671_34,
        0.3,
        0.525,
        0.471_328_671_328_671_34,
    ],
    [
        1.0,
        1.0,
        1.05,
        0.225,
        -0.525,
        0.904_448_938_321_536_9,
        0.3,
        -1.05,
        1.0,
    ],
    [
        0.8,
        0.35,
        0.945,
        0.182_312_385_315_487_38,
        -0.254_460_034_359_463_2,
        0.714_086_443_913_948_9,
        0.2025,
        -0.413_437_5,
        0.727_718_788_362_064_5,
    ],
    [
        0.8,
        1.0,
        1.4175,
        0.28125,
        -0.442_968_75,
        0.643_230_184_885_214_8,
        0.3,
        -0.590_625,
        0.660_761_269_952_639_8,
    ],
    [
        0.8,
        5.0,
        0.4725,
        0.246_606_445_312_5,
        -1.351_400_756_835_937_4,
        0.955_298_456_938_351_8,
        0.3,
        -1.771_875,
        1.073_133_347_930_808,
    ],
];

fn curves() -> Study {
    let checks = CURVES.iter().flat_map(|row| {
        let [e, alpha, psi, ref rest @ ..] = *row;
        let names = ["mu", "psi2", "eta"];
        let symbols = ["μ", "ψ₂", "η"];
        let erratum = [None, None, Some("(3-10) and (4-7) lack the factor 1 + e")];
        let rules = [
            ("smooth", "smooth", &rest[..3]),
            ("walton", "Walton", &rest[3..]),
        ];
        let mut checks = Vec::new();
        for (short, long, values) in rules {
            for k in 0..3 {
                let mut check = Check::new(
                    format!("{e}/{alpha}/{psi}/{short}/{}", names[k]),
                    format!("{} at ψ₁ = {psi}, e = {e}, α = {alpha}, {long}", symbols[k]),
                    values[k],
                    Tolerance::ROUNDING,
                );
                check.erratum = erratum[k].map(Into::into);
                checks.push(check);
            }
        }
        checks
    });
    Study {
        name: "rubin-curves",
        source: "Rubin, (3-10)–(3-12), (4-6), Figs. 3–5",
        summary: "Shear ratio, rebound and energetic coefficient of a sphere on a wall, by the smooth \
                  rule and by Walton's, μ_s = 0.3. With α = 5 Walton's rule creates energy (η > 1).",
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [e, alpha, psi, ..] in CURVES {
                for rule in [rubin(e, alpha), walton(e, alpha)] {
                    let body = after(&rule, psi);
                    // The impulse, from what it did.
                    let mu = (psi - body.velocity.y) / (1.0 + e);
                    let eta = energetic_coefficient(e, psi, mu, SLIP_RATIO);
                    values.extend([mu, slip_of(&body) / e, eta]);
                }
            }
            Ok(Measured {
                values,
                figures: vec![curve_figure()],
            })
        }),
    }
}

fn curve(label: &str, points: Vec<[f64; 2]>, style: Style, colour: usize) -> Curve {
    Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    }
}

fn curve_figure() -> Figure {
    let sets = [(1.0, 0.35), (1.0, 1.0), (0.8, 5.0)];
    let mut curves = Vec::new();
    for (colour, (e, alpha)) in sets.into_iter().enumerate() {
        let line = |rule: CollisionRule| {
            let slips = (0..=160).map(|k| 0.025 * f64::from(k));
            slips
                .map(|psi| [psi, slip_of(&after(&rule, psi)) / e])
                .collect()
        };
        let label = format!("e = {e}, α = {alpha}");
        curves.push(curve(
            &format!("{label}, S"),
            line(rubin(e, alpha)),
            Style::Line,
            colour,
        ));
        curves.push(curve(
            &format!("{label}, W"),
            line(walton(e, alpha)),
            Style::Dashed,
            colour,
        ));
    }
    Figure {
        name: "rubin-curves",
        caption:
            "Rebound ψ₂ against incidence ψ₁, Figs. 3–5 of the paper: the smooth rule (S) and \
                  Walton's (W)."
                .into(),
        drawing: Drawing::Plot(Plot {
            title: "Hard spheres: rebound against incidence".into(),
            subtitle: "Rubin, Figs. 3–5, μ_s = 0.3".into(),
            x_label: "ψ1, slip over normal speed before".into(),
            y_label: "ψ2, after".into(),
            curves,
            ..Plot::default()
        }),
    }
}

/// e, and the largest α of the smooth rule and of Walton's that never creates energy.
const LARGEST: [[f64; 3]; 5] = [
    [1.0, 1.0, 1.0],
    [0.95, 2.448_490_587_202_468_5, 1.177_226_406_734_603_4],
    [0.9, 3.530_422_000_746_786, 1.401_203_610_832_497_4],
    [0.8, 6.714_868_788_960_789, 2.089_918_256_130_790_3],
    [0.7, 13.863_376_420_492_27, 3.547_770_700_636_942_6],
];

fn admissible() -> Study {
    let bisected = Tolerance::relative(1e-8, "found by bisection, ten digits");
    let mut checks = vec![
        Check::new(
            "angle/1",
            "obliquity of full slip, e = 1, degrees",
            64.536_654_938_128_38,
            Tolerance::ROUNDING,
        )
        .erratum("section 7 has \"nearly 60°\""),
        Check::new(
            "angle/0.8",
            "obliquity of full slip, e = 0.8, degrees",
            62.116_659_379_551_79,
            Tolerance::ROUNDING,
        ),
    ];
    for [e, smooth, walton] in LARGEST {
        checks.push(Check::new(
            format!("{e}/smooth"),
            format!("largest α without a gain of energy, e = {e}"),
            smooth,
            bisected,
        ));
        checks.push(Check::new(
            format!("{e}/walton"),
            format!("largest β₀ without a gain of energy, e = {e}, Walton"),
            walton,
            bisected,
        ));
    }
    Study {
        name: "rubin-admissible",
        source: "Rubin, (3-9), (3-10), Figs. 7 and 8",
        summary: "Which exponents satisfy the dissipation inequality at every obliquity.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(|_| {
            let angle = |e| {
                full_slip_obliquity(e, FRICTION, SLIP_RATIO)
                    .atan()
                    .to_degrees()
            };
            let mut values = vec![angle(1.0), angle(0.8)];
            for [e, ..] in LARGEST {
                values.extend([
                    largest_rubin_exponent(e, FRICTION, SLIP_RATIO),
                    largest_walton_restitution(e, FRICTION, SLIP_RATIO),
                ]);
            }
            Ok(Measured::values(values))
        }),
    }
}

/// Numbers in [0, 1), well spread and always the same.
fn spread(k: u32, dimension: u32) -> f64 {
    let root = [
        0.819_172_513_396_164_4,
        0.671_043_606_703_789_2,
        0.549_700_477_901_971,
    ];
    (0.5 + f64::from(k) * root[(dimension % 3) as usize] + 0.37 * f64::from(dimension)).fract()
}

fn properties() -> Study {
    let none = Tolerance::EXACT;
    Study {
        name: "rubin-properties",
        source: "Rubin, (P1)–(P4), (2-13)",
        summary: "A thousand collisions of unequal spinning spheres in space, by the smooth rule: what \
                  any rule must obey, and the energy that each loses.",
        engines: Engines::None,
        quick: true,
        checks: vec![
            Check::new(
                "p1",
                "collisions with an impulse orthogonal to the relative velocity",
                0.0,
                none,
            ),
            Check::new(
                "p2",
                "collisions whose impulse does not resist penetration",
                0.0,
                none,
            ),
            Check::new(
                "p3",
                "collisions after which the bodies do not separate",
                0.0,
                none,
            ),
            Check::new("p4", "collisions that create energy", 0.0, none),
            Check::new(
                "loss",
                "largest difference of the energy lost from (2-13), over the energy",
                0.0,
                Tolerance::absolute(1e-12, "rounding of f64"),
            )
            .erratum("(2-13) has a superfluous factor ½m"),
        ],
        measure: Box::new(|_| Ok(Measured::values(broken_properties()))),
    }
}

fn broken_properties() -> [f64; 5] {
    let mut broken = [0.0; 5];
    let (e, alpha) = (0.8, 0.35);
    for k in 0..1000 {
        let vector = |d: u32| {
            let turn = TAU * spread(k, d);
            let height = 2.0 * spread(k, d + 1) - 1.0;
            let flat = (1.0 - height * height).sqrt();
            DVec3::new(flat * turn.cos(), flat * turn.sin(), height)
        };
        let normal = vector(0);
        let body = |d: u32, velocity: DVec3| {
            let (mass, radius) = (0.2 + spread(k, d), 0.3 + spread(k, d + 1));
            let spin = 4.0 * vector(d + 2);
            Body::grain(GrainShape::Sphere, mass, radius, velocity, spin)
        };
        // Towards each other along the normal, anywhere across it.
        let first = body(2, normal + 2.0 * vector(5).reject_from(normal));
        let second = body(3, -0.3 * normal);
        let impact = collide(&first, &second, normal, &rubin(e, alpha), false);
        let contact = |a: &Body, b: &Body| {
            a.velocity - b.velocity + (a.radius * a.spin + b.radius * b.spin).cross(normal)
        };
        let before = contact(&first, &second);
        let reduced = first.mass * second.mass / (first.mass + second.mass);
        let energy = |a: &Body, b: &Body| a.kinetic_energy() + b.kinetic_energy();
        let held = energy(&first, &second);
        let lost = held - energy(&impact.first, &impact.second);
        let approach = before.dot(normal);
        let obliquity = (before - approach * normal).length() / approach;
        let rule = rubin(e, alpha);
        let shear = rule.shear_ratio(e, obliquity, SLIP_RATIO);
        let predicted = energy_loss(reduced, approach, e, obliquity, shear, SLIP_RATIO);
        let failures = [
            impact.impulse.dot(before) >= 0.0,
            impact.impulse.dot(normal) >= 0.0,
            contact(&impact.first, &impact.second).dot(normal) > 0.0,
            lost < 0.0,
        ];
        for (count, failed) in broken.iter_mut().zip(failures) {
            *count += f64::from(u8::from(failed));
        }
        broken[4] = broken[4].max((lost - predicted).abs() / held);
    }
    broken
}

/// A bouncing sequence of section 6: values just before bounce n.
struct Bounce {
    name: &'static str,
    source: &'static str,
    summary: &'static str,
    figure: &'static str,
    e: f64,
    gamma: f64,
    z: f64,
    /// n, W and E by the smooth rule, W and E by Walton's; α = 0.35.
    rows: [[f64; 5]; 4],
}

const BOUNCES: [Bounce; 3] = [
    Bounce {
        name: "rubin-bounce-63",
        source: "Rubin, section 6.3, Fig. 9",
        summary: "A sphere bounces without loss along the normal, with slip that dies out: it ends rolling.",
        figure: "rubin-bounce-63",
        e: 1.0,
        gamma: 1.0,
        z: 0.5,
        rows: [
            [
                2.0,
                0.685_375_229_369_025_2,
                0.857_130_684_150_711_7,
                0.645,
                0.868_531_510_107_015_5,
            ],
            [
                3.0,
                0.770_934_042_469_405_6,
                0.850_907_880_841_563_9,
                0.78675,
                0.852_426_620_095_124_8,
            ],
            [
                10.0,
                0.749_987_012_588_480_9,
                0.850_178_359_377_101_1,
                0.749_976_355_308_398_5,
                0.850_178_360_026_991_7,
            ],
            [
                30.0,
                0.749_999_999_999_990_1,
                0.850_178_359_096_313_9,
                0.749_999_999_999_982,
                0.850_178_359_096_313_9,
            ],
        ],
    },
    Bounce {
        name: "rubin-bounce-64",
        source: "Rubin, sections 6.2 and 6.4, Fig. 10",
        summary: "Slip, horizontal velocity and spin all end with the first bounce; then the sphere \
                  bounces vertically, as in 6.1, losing energy each time.",
        figure: "rubin-bounce-64",
        e: 0.8,
        gamma: 0.0,
        z: 1.0,
        rows: [
            [
                2.0,
                0.0,
                0.316_737_602_692_269_64,
                0.0,
                0.316_737_602_692_269_64,
            ],
            [
                3.0,
                0.0,
                0.202_712_065_723_052_56,
                0.0,
                0.202_712_065_723_052_56,
            ],
            [
                10.0,
                0.0,
                0.008_915_370_934_119_56,
                0.0,
                0.008_915_370_934_119_56,
            ],
            [
                30.0,
                0.0,
                1.185_056_063_843_883_7e-6,
                0.0,
                1.185_056_063_843_883_7e-6,
            ],
        ],
    },
    Bounce {
        name: "rubin-bounce-65",
        source: "Rubin, section 6.5, Fig. 11",
        summary: "The bounces die out before the slip does: S tends to 1 and the sphere goes on sliding. \
                  The paper prints that G → 0; it tends to 1.",
        figure: "rubin-bounce-65",
        e: 0.8,
        gamma: 1.0,
        z: 6.0,
        rows: [
            [
                2.0,
                10.8,
                0.910_594_186_839_676_6,
                10.8,
                0.910_594_186_839_676_6,
            ],
            [
                3.0,
                10.368,
                0.850_854_380_858_609_4,
                10.368,
                0.850_854_380_858_609_4,
            ],
            [
                10.0,
                9.002_387_865_6,
                0.730_905_045_452_522_4,
                9.002_387_865_6,
                0.730_905_045_452_522_4,
            ],
            [
                30.0,
                8.644_178_047_632_588,
                0.716_771_684_461_992,
                8.644_178_047_632_588,
                0.716_771_684_461_992,
            ],
        ],
    },
];

/// U, W, Ω and the energy before each of 30 bounces.
fn bounce(case: &Bounce, rule: &CollisionRule) -> Vec<[f64; 4]> {
    let psi = full_slip_obliquity(case.e, FRICTION, SLIP_RATIO);
    let velocity = (2.0 + 5.0 * case.gamma) / 7.0 * psi * case.z;
    let spin = 5.0 / 7.0 * (1.0 - case.gamma) * psi * case.z;
    let mut body = Body::grain(
        GrainShape::Sphere,
        1.0,
        1.0,
        DVec3::new(1.0, velocity, 0.0),
        DVec3::Z * spin,
    );
    let start = body.kinetic_energy();
    let mut rows = Vec::new();
    for _ in 0..30 {
        let energy = body.kinetic_energy() / start;
        rows.push([body.velocity.x, body.velocity.y, body.spin.z, energy]);
        body = collide(&body, &Body::wall(DVec3::ZERO), DVec3::X, rule, false).first;
        // Gravity brings it back as fast as it left.
        body.velocity.x = -body.velocity.x;
    }
    rows
}

fn bounces(case: &'static Bounce) -> Study {
    let rounding = Tolerance::absolute(1e-12, "rounding of f64 over 30 bounces");
    let checks = case
        .rows
        .iter()
        .flat_map(|&[n, w_smooth, e_smooth, w_walton, e_walton]| {
            [
                ("smooth/w", "W", "smooth", w_smooth),
                ("smooth/e", "E", "smooth", e_smooth),
                ("walton/w", "W", "Walton", w_walton),
                ("walton/e", "E", "Walton", e_walton),
            ]
            .map(|(name, symbol, rule, expected)| {
                let quantity = format!("{symbol} before bounce {n}, {rule}");
                let check = Check::new(format!("{n}/{name}"), quantity, expected, rounding);
                if symbol == "E" && n == 2.0 {
                    check.erratum("(6-12): T̄ is over ½m u₁²(t₁), not over ½m u₁²(t_n)")
                } else {
                    check
                }
            })
        });
    Study {
        name: case.name,
        source: case.source,
        summary: case.summary,
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let [smooth, other] =
                [rubin(case.e, 0.35), walton(case.e, 0.35)].map(|rule| bounce(case, &rule));
            let mut values = Vec::new();
            for [n, ..] in case.rows {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "the number of a bounce"
                )]
                let row = n as usize - 1;
                for rows in [&smooth, &other] {
                    values.extend([rows[row][1], rows[row][3]]);
                }
            }
            let figures = vec![bounce_figure(case, &smooth, &other)];
            Ok(Measured { values, figures })
        }),
    }
}

fn bounce_figure(case: &Bounce, smooth: &[[f64; 4]], other: &[[f64; 4]]) -> Figure {
    let psi = full_slip_obliquity(case.e, FRICTION, SLIP_RATIO);
    let series = |rows: &[[f64; 4]], value: fn(&[f64; 4], f64) -> f64| {
        let values = rows.iter().zip(1u32..);
        values
            .map(|(row, n)| [f64::from(n), value(row, psi)])
            .collect()
    };
    type Value = fn(&[f64; 4], f64) -> f64;
    let quantities: [(&str, Value); 4] = [
        ("U", |row, _| row[0]),
        ("S", |row, psi| (row[1] + row[2]) / psi),
        ("W", |row, _| row[1]),
        ("E", |row, _| row[3]),
    ];
    let mut curves = Vec::new();
    for (colour, (name, value)) in quantities.into_iter().enumerate() {
        curves.push(curve(
            &format!("{name}, smooth"),
            series(smooth, value),
            Style::Line,
            colour,
        ));
        curves.push(curve(
            &format!("{name}, Walton"),
            series(other, value),
            Style::Points,
            colour,
        ));
    }
    Figure {
        name: case.figure,
        caption: format!(
            "{}: normal velocity U, slip S, horizontal velocity W and energy E before each bounce.",
            case.source.trim_start_matches("Rubin, ")
        ),
        drawing: Drawing::Plot(Plot {
            title: format!(
                "Bouncing sphere, e = {}, γ = {}, z = {}",
                case.e, case.gamma, case.z
            ),
            subtitle: case.source.into(),
            x_label: "bounce n".into(),
            y_label: "U, S, W, E".into(),
            curves,
            ..Plot::default()
        }),
    }
}

/// Restitution, tangential restitution and friction of the soft spheres that are fitted.
const SOFT: [f64; 3] = [0.9, 0.4, 0.2];

fn fit() -> Study {
    let close = Tolerance::absolute(
        0.01,
        "a soft contact with T_t = T_n is close to Walton's two lines by construction",
    );
    let rounded = Tolerance::absolute(
        0.06,
        "the smooth rule rounds the corner between stick and slip, which these contacts hardly do",
    );
    let fitted = Tolerance::absolute(1e-4, "f32 velocities, through a least-squares fit");
    Study {
        name: "rubin-fit",
        source: "Rubin, section 7; Walton",
        summary: "The parameters {e, μ_s, α} of the smooth rule, and β₀ of Walton's, fitted to oblique \
                  impacts of soft spheres (e_n = 0.9, e_t = 0.4, μ = 0.2) that the engine simulates.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "e",
                "fitted e",
                SOFT[0],
                Tolerance::relative(1e-5, "500 steps in the contact"),
            ),
            Check::new(
                "friction",
                "fitted μ_s",
                SOFT[2],
                Tolerance::relative(
                    0.01,
                    "no friction while a damped contact attracts at its end, 2 % of its duration",
                ),
            )
            .on_devices(fitted),
            Check::new(
                "smooth",
                "root mean square of what the smooth rule leaves of eψ₂",
                0.0,
                rounded,
            )
            .on_devices(fitted),
            Check::new(
                "walton",
                "root mean square of what Walton's rule leaves of eψ₂",
                0.0,
                close,
            )
            .on_devices(fitted),
            Check::new(
                "beta",
                "fitted β₀ of Walton's rule",
                SOFT[1],
                Tolerance::absolute(0.05, "brief slip at both ends of a contact that sticks"),
            )
            .on_devices(fitted),
        ],
        measure: Box::new(measure_fit),
    }
}

fn measure_fit(bench: &dyn Bench) -> Result<Measured> {
    let [restitution, tangential, friction] = SOFT;
    let mut points = Vec::new();
    let mut found = 0.0;
    for k in 1..=14 {
        let slip = 0.15 * f64::from(k);
        let pair = Pair {
            restitution: Some(restitution),
            tangential_restitution: Some(tangential),
            friction,
            ..Pair::new(0, 1)
        };
        let mut collision = head_on(NormalLaw::LinearStretched, pair);
        collision.laws.tangential = TangentialLaw::Linear;
        collision.laws.contact_time = Some(1e-4);
        let outcome = bench.collide(&Collision {
            radius: [1e-3; 2],
            material: materials([2500.0; 2]),
            wall: true,
            angle: slip.atan(),
            speed: slip.hypot(1.0),
            ..collision
        })?;
        points.push([slip, outcome.psi_out]);
        found = outcome.restitution;
    }
    // In full slip, the last point, eψ₂ = ψ₁ − (1 + e) a μ.
    let [slip, out] = points[points.len() - 1];
    let mu = (slip - out) / ((1.0 + found) * SLIP_RATIO);
    let full = full_slip_obliquity(found, mu, SLIP_RATIO);
    let predicted = |transition: fn(f64, f64) -> f64, shape: f64, slip: f64| {
        rebound_slip(found, slip, mu * transition(slip / full, shape), SLIP_RATIO)
    };
    let left = |transition: fn(f64, f64) -> f64, shape: f64| {
        let squares = points
            .iter()
            .map(|&[slip, out]| (predicted(transition, shape, slip) - out).powi(2));
        (squares.sum::<f64>() / points.len() as f64).sqrt()
    };
    let best = |transition: fn(f64, f64) -> f64| {
        let (mut low, mut high) = (0.0, 2.0);
        for _ in 0..60 {
            let [a, b] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
            if left(transition, a) < left(transition, b) {
                high = b;
            } else {
                low = a;
            }
        }
        0.5 * (low + high)
    };
    let [alpha, beta] = [best(rubin_transition), best(walton_transition)];
    let line = |transition: fn(f64, f64) -> f64, shape: f64| {
        let slips = (0..=105).map(|k| 0.02 * f64::from(k));
        slips
            .map(|s| [s, predicted(transition, shape, s)])
            .collect()
    };
    let figure = Figure {
        name: "rubin-fit",
        caption: format!(
            "Oblique impacts of soft spheres and the hard-sphere rules fitted to them: \
             μ_s = {mu:.4}, α = {alpha:.3}, β₀ = {beta:.3}."
        ),
        drawing: Drawing::Plot(Plot {
            title: "Hard-sphere rules fitted to soft collisions".into(),
            subtitle: "Rubin, section 7; Walton".into(),
            x_label: "ψ1, slip over normal speed before".into(),
            y_label: "e ψ2, slip after over normal speed before".into(),
            curves: vec![
                curve("smooth rule", line(rubin_transition, alpha), Style::Line, 0),
                curve("Walton", line(walton_transition, beta), Style::Dashed, 1),
                curve("soft spheres, lahar", points.clone(), Style::Points, 2),
            ],
            ..Plot::default()
        }),
    };
    Ok(Measured {
        values: vec![
            found,
            mu,
            left(rubin_transition, alpha),
            left(walton_transition, beta),
            beta,
        ],
        figures: vec![figure],
    })
}
