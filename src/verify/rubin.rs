//! Rubin (2016): a collision rule with a smooth transition to full slip, beside Walton's.

use super::bench::{above_floor, head_on, materials};
use super::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::collide::Collision;
use crate::error::Result;
use crate::hard::{HardEngine, StartingGrain};
use crate::laws::hard_sphere::{
    Body, CollisionRule, GrainShape, collide, energetic_coefficient, energy_loss,
    full_slip_obliquity, largest_rubin_exponent, largest_walton_restitution, rebound_slip,
    rubin_transition, walton_transition,
};
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{NormalLaw, Pair, TangentialLaw};
use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
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

/// e, α, ψ₁ and then μ, ψ₂, η, ΔT of the smooth rule and of Walton's: solutions of (2-13), (3-10)–(3-12),
/// (4-6) with the corrections below, checked against the energy of random collisions to 30 digits.
const CURVES: [[f64; 11]; 6] = [
    [
        1.0,
        0.35,
        1.05,
        0.182_312_385_315_487_38,
        -0.226_186_697_208_411_72,
        0.873_940_038_584_748_2,
        0.142_869_315_849_288_3,
        0.2025,
        -0.3675,
        0.886_027_213_689_310_4,
        0.131_468_489_892_984_54,
    ],
    [
        1.0,
        0.35,
        2.625,
        0.3,
        0.525,
        0.471_328_671_328_671_34,
        0.239_524_752_475_247_52,
        0.3,
        0.525,
        0.471_328_671_328_671_34,
        0.239_524_752_475_247_52,
    ],
    [
        1.0,
        1.0,
        1.05,
        0.225,
        -0.525,
        0.904_448_938_321_536_9,
        0.112_366_230_677_764_56,
        0.3,
        -1.05,
        1.0,
        0.0,
    ],
    [
        0.8,
        0.35,
        0.945,
        0.182_312_385_315_487_38,
        -0.254_460_034_359_463_2,
        0.714_086_443_913_948_9,
        0.318_701_557_889_744_8,
        0.2025,
        -0.413_437_5,
        0.727_718_788_362_064_5,
        0.308_445_015_253_364_3,
    ],
    [
        0.8,
        1.0,
        1.4175,
        0.28125,
        -0.442_968_75,
        0.643_230_184_885_214_8,
        0.298_476_444_944_744_35,
        0.3,
        -0.590_625,
        0.660_761_269_952_639_8,
        0.289_202_868_601_359_5,
    ],
    [
        0.8,
        5.0,
        0.4725,
        0.246_606_445_312_5,
        -1.351_400_756_835_937_4,
        0.955_298_456_938_351_8,
        0.073_442_032_030_932_29,
        0.3,
        -1.771_875,
        1.073_133_347_930_808,
        -0.122_868_777_494_494_71,
    ],
];

/// What (3-10) of the smooth rule and (4-7) of Walton's give for η as they are printed.
fn printed_eta(walton: bool, psi: f64, mu: f64) -> f64 {
    let printed = (1.0 + SLIP_RATIO * mu * mu) / (1.0 + mu * psi);
    if walton { 1.0 - printed } else { printed - 1.0 }
}

fn curves() -> Study {
    let rounding = Tolerance::absolute(2e-15, "rounding of f64");
    let checks = CURVES.iter().flat_map(|row| {
        let [e, alpha, psi, ref rest @ ..] = *row;
        let names = ["mu", "psi2", "eta", "loss"];
        let symbols = ["μ", "ψ₂", "η", "ΔT, the share of the energy that is lost,"];
        let rules = [
            ("smooth", "smooth", &rest[..4]),
            ("walton", "Walton", &rest[4..]),
        ];
        let mut checks = Vec::new();
        for (short, long, values) in rules {
            for k in 0..4 {
                let check = Check::new(
                    format!("{e}/{alpha}/{psi}/{short}/{}", names[k]),
                    format!("{} at ψ₁ = {psi}, e = {e}, α = {alpha}, {long}", symbols[k]),
                    values[k],
                    rounding,
                );
                checks.push(match names[k] {
                    "eta" => check.erratum(format!(
                        "({}) as printed, without the factor 1 + e, gives {:.6}",
                        if short == "walton" { "4-7" } else { "3-10" },
                        printed_eta(short == "walton", psi, values[0])
                    )),
                    "loss" => check.erratum(format!(
                        "(2-13) as printed, with another ½m, m = 1 kg, gives {:.6}",
                        0.5 * values[3]
                    )),
                    _ => check,
                });
            }
        }
        checks
    });
    Study {
        name: "rubin-curves",
        source: "Rubin, (2-13), (3-10)–(3-12), (4-6), Figs. 3–5",
        summary: "Shear ratio, rebound, energetic coefficient and loss of a sphere on a wall, by the smooth \
                  rule and by Walton's, μ_s = 0.3. With α = 5 Walton's rule creates energy (η > 1).",
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [e, alpha, psi, ..] in CURVES {
                for rule in [rubin(e, alpha), walton(e, alpha)] {
                    let [mu, eta, loss] = shear_eta_loss(&rule, e, psi);
                    values.extend([mu, slip_of(&after(&rule, psi)) / e, eta, loss]);
                }
            }
            Ok(Measured {
                values,
                figures: curve_figures(),
            })
        }),
    }
}

/// μ, η and the share of the energy that is lost, of a sphere that hits a wall with this slip over normal
/// speed: from the velocities after it.
fn shear_eta_loss(rule: &CollisionRule, e: f64, psi: f64) -> [f64; 3] {
    let body = after(rule, psi);
    // The impulse, from what it did.
    let mu = (psi - body.velocity.y) / (1.0 + e);
    [
        mu,
        energetic_coefficient(e, psi, mu, SLIP_RATIO),
        1.0 - body.kinetic_energy() / (0.5 * (1.0 + psi * psi)),
    ]
}

fn curve(label: &str, points: Vec<[f64; 2]>, style: Style, colour: usize) -> Curve {
    Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    }
}

fn curve_figures() -> Vec<Figure> {
    type Value = fn(&CollisionRule, f64, f64) -> f64;
    let parts: [(&'static str, &str, &str, Value); 3] = [
        (
            "rubin-curves",
            "Rebound ψ₂ against incidence ψ₁",
            "ψ2, after",
            |rule, e, psi| slip_of(&after(rule, psi)) / e,
        ),
        (
            "rubin-eta",
            "1 − η, which must not be negative, against incidence ψ₁",
            "1 − η",
            |rule, e, psi| 1.0 - shear_eta_loss(rule, e, psi)[1],
        ),
        (
            "rubin-dissipation",
            "Share ΔT of the energy that is lost against incidence ψ₁",
            "ΔT",
            |rule, e, psi| shear_eta_loss(rule, e, psi)[2],
        ),
    ];
    let sets = [(1.0, 0.35), (1.0, 1.0), (0.8, 5.0)];
    let figures = parts.into_iter().map(|(name, what, y_label, value)| {
        let mut curves = Vec::new();
        for (colour, (e, alpha)) in sets.into_iter().enumerate() {
            let line = |rule: CollisionRule| {
                let slips = (0..=160).map(|k| 0.025 * f64::from(k));
                slips.map(|psi| [psi, value(&rule, e, psi)]).collect()
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
            name,
            caption: format!(
                "{what}, Figs. 3–5 of the paper: the smooth rule (S) and Walton's (W)."
            ),
            drawing: Drawing::Plot(Plot {
                title: "Hard spheres: the smooth rule and Walton's".into(),
                subtitle: "Rubin, Figs. 3–5, μ_s = 0.3".into(),
                x_label: "ψ1, slip over normal speed before".into(),
                y_label: y_label.into(),
                curves,
                ..Plot::default()
            }),
        }
    });
    figures.collect()
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
            Ok(Measured {
                values,
                figures: vec![obliquity_figure(), inequality_figure()],
            })
        }),
    }
}

/// Fig. 7.
fn obliquity_figure() -> Figure {
    let line = |e: f64| {
        let full = full_slip_obliquity(e, FRICTION, SLIP_RATIO);
        let z = (0..=150).map(|k| 0.02 * f64::from(k));
        z.map(|z| [z, (z * full).atan().to_degrees()]).collect()
    };
    let curves = [1.0, 0.8, 0.5, 0.0].into_iter().enumerate();
    Figure {
        name: "rubin-obliquity",
        caption: "Angle of incidence against z, which is 1 where slip becomes full (Fig. 7)."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Obliquity against z".into(),
            subtitle: "Rubin, Fig. 7, μ_s = 0.3".into(),
            x_label: "z".into(),
            y_label: "angle of incidence in degrees".into(),
            curves: curves
                .map(|(k, e)| curve(&format!("e = {e}"), line(e), Style::Line, k))
                .collect(),
            ..Plot::default()
        }),
    }
}

/// Fig. 8.
fn inequality_figure() -> Figure {
    let line = |e: f64, alpha: f64| {
        let full = full_slip_obliquity(e, FRICTION, SLIP_RATIO);
        let z = (0..=100).map(|k| 0.02 * f64::from(k));
        z.map(|z| {
            let [_, eta, _] = shear_eta_loss(&rubin(e, alpha), e, z * full);
            [z, 1.0 - eta]
        })
        .collect()
    };
    let sets = [
        (1.0, 0.35),
        (1.0, 1.0),
        (1.0, 2.0),
        (0.8, 1.0),
        (0.8, 5.0),
        (0.8, 10.0),
    ];
    let curves = sets.into_iter().enumerate();
    Figure {
        name: "rubin-inequality",
        caption: "1 − η of the smooth rule against z (Fig. 8): below zero it creates energy, as with α > 1 \
                  at e = 1, or with α > 6.71 at e = 0.8."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "The dissipation inequality".into(),
            subtitle: "Rubin, Fig. 8, μ_s = 0.3".into(),
            x_label: "z".into(),
            y_label: "1 − η".into(),
            curves: curves
                .map(|(k, (e, alpha))| {
                    let label = format!("e = {e}, α = {alpha}");
                    curve(&label, line(e, alpha), Style::Line, k)
                })
                .collect(),
            ..Plot::default()
        }),
    }
}

/// e, α, `μ_s` of the rules that random collisions are tried with; all satisfy the dissipation inequality.
const RULES: [[f64; 3]; 5] = [
    [0.8, 0.35, 0.3],
    [1.0, 1.0, 0.3],
    [0.9, 3.5, 0.3],
    [0.5, 0.35, 1.0],
    [0.1, 2.0, 0.1],
];

/// Random collisions for each rule.
const COLLISIONS: u32 = 2000;

fn properties() -> Study {
    let none = Tolerance::EXACT;
    let mut checks = Vec::new();
    for [e, alpha, friction] in RULES {
        let name = |what: &str| format!("{e}/{alpha}/{friction}/{what}");
        let of = format!("e = {e}, α = {alpha}, μ_s = {friction}");
        for (what, quantity) in [
            (
                "p1",
                "collisions whose impulse does not oppose the relative velocity",
            ),
            ("p2", "collisions whose impulse does not resist penetration"),
            ("p3", "collisions after which the bodies do not separate"),
            ("p4", "collisions that create energy"),
        ] {
            checks.push(Check::new(
                name(what),
                format!("{quantity}, {of}"),
                0.0,
                none,
            ));
        }
        checks.push(Check::new(
            name("loss"),
            format!("largest difference of the energy lost from (2-13), over the energy, {of}"),
            0.0,
            Tolerance::absolute(2e-15, "rounding of f64"),
        ));
        checks.push(Check::new(
            name("momentum"),
            format!("largest change of momentum, and of angular momentum about the contact, {of}"),
            0.0,
            Tolerance::absolute(4e-15, "rounding of f64, of momenta of a few kg m/s"),
        ));
    }
    checks.push(Check::new(
        "outside",
        "whether Walton's rule with β₀ = 5, e = 0.8, beyond its range, creates energy (1: it does)",
        1.0,
        none,
    ));
    Study {
        name: "rubin-properties",
        source: "Rubin, (P1)–(P4), (2-13)",
        summary: "Ten thousand random collisions of unequal spinning spheres in space, by the smooth rule \
                  with five sets of parameters: what any rule must obey, and the energy that each loses.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [restitution, exponent, friction] in RULES {
                values.extend(broken_properties(&CollisionRule::Rubin {
                    restitution,
                    exponent,
                    friction,
                }));
            }
            let outside = broken_properties(&walton(0.8, 5.0));
            values.push(f64::from(u8::from(outside[3] > 0.0)));
            Ok(Measured::values(values))
        }),
    }
}

/// How many collisions break (P1) to (P4), the largest deviation from (2-13), and from the conservation of
/// momentum and angular momentum.
fn broken_properties(rule: &CollisionRule) -> [f64; 6] {
    let mut random = Pcg64::seed_from_u64(2016);
    let mut broken = [0.0; 6];
    for _ in 0..COLLISIONS {
        let mut between = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
        let mut vector = || {
            let (turn, height) = (between(0.0, TAU), between(-1.0, 1.0));
            let flat = (1.0_f64 - height * height).sqrt();
            DVec3::new(flat * turn.cos(), flat * turn.sin(), height)
        };
        let [normal, across, one, other] = [(); 4].map(|()| vector());
        let mut body = |velocity: DVec3, axis: DVec3| {
            let (mass, radius) = (between(0.2, 1.2), between(0.3, 1.3));
            let spin = between(0.0, 4.0) * axis;
            Body::grain(GrainShape::Sphere, mass, radius, velocity, spin)
        };
        // Towards each other along the normal, anywhere across it.
        let first = body(normal + 2.0 * across.reject_from(normal), one);
        let second = body(-0.3 * normal, other);
        let impact = collide(&first, &second, normal, rule, false);
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
        let e = rule.restitution(reduced, approach);
        let shear = rule.shear_ratio(e, obliquity, SLIP_RATIO);
        let predicted = energy_loss(reduced, approach, e, obliquity, shear, SLIP_RATIO);
        let failures = [
            impact.impulse.dot(before) >= 0.0,
            impact.impulse.dot(normal) >= 0.0,
            contact(&impact.first, &impact.second).dot(normal) > 0.0,
            // Where nothing is lost, rounding decides the sign.
            lost < -1e-14 * held,
        ];
        for (count, failed) in broken.iter_mut().zip(failures) {
            *count += f64::from(u8::from(failed));
        }
        broken[4] = broken[4].max((lost - predicted).abs() / held);
        let momentum = |a: &Body, b: &Body| a.mass * a.velocity + b.mass * b.velocity;
        // About the point of contact, from which the centres are at −R_A n and R_B n.
        let angular = |a: &Body, b: &Body| {
            a.inertia * a.spin + b.inertia * b.spin - (a.radius * a.mass) * normal.cross(a.velocity)
                + (b.radius * b.mass) * normal.cross(b.velocity)
        };
        let (a, b) = (&impact.first, &impact.second);
        for change in [
            momentum(a, b) - momentum(&first, &second),
            angular(a, b) - angular(&first, &second),
        ] {
            broken[5] = broken[5].max(change.length());
        }
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
    /// n, U, W, Ω and E by the smooth rule and by Walton's; α = 0.35.
    rows: [[[f64; 5]; 4]; 2],
}

/// Sections 6.2 and 6.4: only the bounces are left after the first.
const STOPPED: [[f64; 5]; 4] = [
    [2.0, 0.8, 0.0, 0.0, 0.316_737_602_692_269_64],
    [3.0, 0.64, 0.0, 0.0, 0.202_712_065_723_052_56],
    [10.0, 0.134_217_728, 0.0, 0.0, 0.008_915_370_934_119_56],
    [
        30.0,
        0.001_547_425_049_106_725_3,
        0.0,
        0.0,
        1.185_056_063_843_883_7e-6,
    ],
];

/// Section 6.1: U = 0.8ⁿ⁻¹ and E = U².
const VERTICAL: [[f64; 5]; 4] = [
    [2.0, 0.8, 0.0, 0.0, 0.64],
    [3.0, 0.64, 0.0, 0.0, 0.4096],
    [10.0, 0.134_217_728, 0.0, 0.0, 0.018_014_398_509_481_985],
    [
        30.0,
        0.001_547_425_049_106_725_3,
        0.0,
        0.0,
        2.394_524_282_602_951_4e-6,
    ],
];

/// Section 6.5: full slip throughout, which is the same by either rule.
const SLIDING: [[f64; 5]; 4] = [
    [2.0, 0.8, 10.8, -1.35, 0.910_594_186_839_676_6],
    [3.0, 0.64, 10.368, -2.43, 0.850_854_380_858_609_4],
    [
        10.0,
        0.134_217_728,
        9.002_387_865_6,
        -5.844_030_336,
        0.730_905_045_452_522_4,
    ],
    [
        30.0,
        0.001_547_425_049_106_725_3,
        8.644_178_047_632_588,
        -6.739_554_880_918_529,
        0.716_771_684_461_992,
    ],
];

/// `S_{n+1}/S_n` = G = 1 − 1/z of bounce 30 in section 6.5.
const LAST_G: f64 = 0.998_464_455_649_850_4;

const BOUNCES: [Bounce; 4] = [
    Bounce {
        name: "rubin-bounce-61",
        source: "Rubin, section 6.1, (6-20)",
        summary: "A sphere that neither slides nor spins bounces vertically, and loses energy each time. On the \
                  event-driven engine.",
        figure: "rubin-bounce-61",
        e: 0.8,
        gamma: 0.0,
        z: 0.0,
        rows: [VERTICAL; 2],
    },
    Bounce {
        name: "rubin-bounce-63",
        source: "Rubin, section 6.3, Fig. 9",
        summary: "A sphere bounces without loss along the normal, with slip that dies out: it ends rolling. On \
                  the event-driven engine.",
        figure: "rubin-bounce-63",
        e: 1.0,
        gamma: 1.0,
        z: 0.5,
        rows: [
            [
                [
                    2.0,
                    1.0,
                    0.685_375_229_369_025_2,
                    -0.911_561_926_577_437,
                    0.857_130_684_150_711_7,
                ],
                [
                    3.0,
                    1.0,
                    0.770_934_042_469_405_6,
                    -0.697_664_893_826_486_2,
                    0.850_907_880_841_563_9,
                ],
                [
                    10.0,
                    1.0,
                    0.749_987_012_588_480_9,
                    -0.750_032_468_528_797_9,
                    0.850_178_359_377_101_1,
                ],
                [
                    30.0,
                    1.0,
                    0.749_999_999_999_990_1,
                    -0.750_000_000_000_024_8,
                    0.850_178_359_096_313_9,
                ],
            ],
            [
                [2.0, 1.0, 0.645, -1.0125, 0.868_531_510_107_015_5],
                [3.0, 1.0, 0.78675, -0.658_125, 0.852_426_620_095_124_8],
                [
                    10.0,
                    1.0,
                    0.749_976_355_308_398_5,
                    -0.750_059_111_729_003_9,
                    0.850_178_360_026_991_7,
                ],
                [
                    30.0,
                    1.0,
                    0.749_999_999_999_982,
                    -0.750_000_000_000_045,
                    0.850_178_359_096_313_9,
                ],
            ],
        ],
    },
    Bounce {
        name: "rubin-bounce-64",
        source: "Rubin, sections 6.2 and 6.4, Fig. 10",
        summary: "Slip, horizontal velocity and spin all end with the first bounce; then the sphere \
                  bounces vertically, as in 6.1, losing energy each time. On the event-driven engine.",
        figure: "rubin-bounce-64",
        e: 0.8,
        gamma: 0.0,
        z: 1.0,
        rows: [STOPPED; 2],
    },
    Bounce {
        name: "rubin-bounce-65",
        source: "Rubin, section 6.5, Fig. 11",
        summary: "The bounces die out before the slip does: S tends to 1 and the sphere goes on sliding. On \
                  the event-driven engine.",
        figure: "rubin-bounce-65",
        e: 0.8,
        gamma: 1.0,
        z: 6.0,
        rows: [SLIDING; 2],
    },
];

/// U, W, Ω and the energy before each of 31 bounces, of a sphere of 1 kg and 1 m that comes down at 1 m/s.
fn bounce(case: &Bounce, rule: CollisionRule) -> Result<Vec<[f64; 4]>> {
    let psi = full_slip_obliquity(case.e, FRICTION, SLIP_RATIO);
    let velocity = (2.0 + 5.0 * case.gamma) / 7.0 * psi * case.z;
    let spin = 5.0 / 7.0 * (1.0 - case.gamma) * psi * case.z;
    let model = above_floor(DVec3::new(100.0, 10.0, 10.0), DVec3::NEG_Z * 9.81, rule);
    let sphere = StartingGrain {
        position: DVec3::Z,
        velocity: DVec3::new(velocity, 0.0, -1.0),
        // The contact point below the centre moves along x with a spin about −y.
        spin: DVec3::NEG_Y * spin,
        radius: 1.0,
        mass: 1.0,
        material: 0,
        fixed: false,
    };
    let mut engine = HardEngine::new(model, &[sphere]);
    let mut seen = vec![(DVec3::new(velocity, 0.0, 1.0), DVec3::NEG_Y * spin)];
    for _ in 0..30 {
        engine.next_collision(100.0)?;
        // Gravity brings it back as fast as it leaves.
        let grain = engine.snapshot()[0];
        seen.push((grain.velocity, grain.spin));
    }
    let energy =
        |(velocity, spin): &(DVec3, DVec3)| velocity.length_squared() + 0.4 * spin.length_squared();
    let rows = seen
        .iter()
        .map(|now| [now.0.z, now.0.x, -now.1.y, energy(now) / energy(&seen[0])]);
    Ok(rows.collect())
}

fn bounces(case: &'static Bounce) -> Study {
    let rounding = Tolerance::absolute(2e-14, "rounding of f64 over 30 bounces");
    let mut checks = Vec::new();
    for k in 0..4 {
        for (short, long, rows) in [
            ("smooth", "smooth", &case.rows[0]),
            ("walton", "Walton", &case.rows[1]),
        ] {
            let [n, u, w, omega, e] = rows[k];
            for (name, symbol, expected) in [
                ("u", "U", u),
                ("w", "W", w),
                ("omega", "Ω", omega),
                ("e", "E", e),
            ] {
                let quantity = format!("{symbol} before bounce {n}, {long}");
                let check = Check::new(format!("{n}/{short}/{name}"), quantity, expected, rounding);
                checks.push(if symbol == "E" && n == 2.0 && u != 1.0 {
                    check.erratum(format!(
                        "(6-12) prints T̄ over ½m u₁²(t_n) instead of ½m u₁²(t₁), which gives {:.6}",
                        e / (u * u)
                    ))
                } else {
                    check
                });
            }
        }
    }
    let slides = case.z > 1.0;
    if slides {
        checks.push(
            Check::new(
                "g",
                "G = S₃₁/S₃₀, which tends to 1 with z = S/U",
                LAST_G,
                Tolerance::absolute(2e-14, "rounding of f64 over 30 bounces"),
            )
            .erratum("section 6.5 prints that G approaches 0; (6-18) has G(∞) = 1"),
        );
    }
    Study {
        name: case.name,
        source: case.source,
        summary: case.summary,
        engines: Engines::Cpu,
        quick: true,
        checks,
        measure: Box::new(move |bench| {
            let smooth = bounce(case, bench.hard_rule(rubin(case.e, 0.35)))?;
            let other = bounce(case, bench.hard_rule(walton(case.e, 0.35)))?;
            let mut values = Vec::new();
            for [n, ..] in case.rows[0] {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "the number of a bounce"
                )]
                let row = n as usize - 1;
                for rows in [&smooth, &other] {
                    values.extend(rows[row]);
                }
            }
            if slides {
                let slip = |row: [f64; 4]| row[1] + row[2];
                values.push(slip(smooth[30]) / slip(smooth[29]));
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

/// The same fit to the exact rebound of these spheres: integration with 8·10⁶ steps in the contact, friction
/// only where the normal force repels. `μ_s`, α, what the smooth rule leaves, β₀, what Walton's leaves.
const FITTED: [f64; 5] = [
    0.200_213_27,
    0.756_280_28,
    0.043_928_41,
    0.393_030_44,
    0.003_761_57,
];

fn fit() -> Study {
    let stepped = Tolerance::absolute(
        3e-5,
        "stick begins and ends within a step: first order at 500 steps in the contact",
    );
    let through_fit = Tolerance::absolute(
        1.5e-4,
        "as the rebound, first order at 500 steps, over the slope of the fit",
    );
    let device = Tolerance::absolute(1e-5, "f32 velocities, through a least-squares fit");
    let fitted = |name: &str, quantity: &str, expected: f64, tolerance: Tolerance| {
        Check::new(name, quantity, expected, tolerance).on_devices(device)
    };
    Study {
        name: "rubin-fit",
        source: "Rubin, section 7; Walton",
        summary: "The parameters {e, μ_s, α} of the smooth rule, and β₀ of Walton's, fitted to oblique \
                  impacts of soft spheres (e_n = 0.9, e_t = 0.4, μ = 0.2) that the engine simulates, against \
                  the same fit to their exact rebound. A soft contact with T_t = T_n is close to \
                  Walton's two lines by construction; the smooth rule rounds the corner more.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "e",
                "fitted e",
                SOFT[0],
                Tolerance::relative(1e-6, "second order at 500 steps in the contact"),
            ),
            fitted(
                "friction",
                "fitted μ_s",
                FITTED[0],
                Tolerance::absolute(
                    2e-6,
                    "from one point in full slip: second order at 500 steps",
                ),
            ),
            fitted("alpha", "fitted α", FITTED[1], through_fit),
            fitted(
                "smooth",
                "root mean square of what the smooth rule leaves of eψ₂",
                FITTED[2],
                stepped,
            ),
            fitted("beta", "fitted β₀ of Walton's rule", FITTED[3], stepped),
            fitted(
                "walton",
                "root mean square of what Walton's rule leaves of eψ₂",
                FITTED[4],
                stepped,
            ),
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
            alpha,
            left(rubin_transition, alpha),
            beta,
            left(walton_transition, beta),
        ],
        figures: vec![figure],
    })
}
