//! Luding & McNamara (1998): hard spheres that do not collapse, the TC model.

use super::bench::above_floor;
use super::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::error::Result;
use crate::hard::{HardEngine, StartingGrain};
use crate::laws::hard_sphere::CollisionRule;
use crate::laws::tc::{
    Bouncing, Dimensions, contact_correlation, cooling, critical_restitution, elastic_collisions,
    elastic_particles, enskog_rate, equivalent_period, excess_pressure, is_elastic,
    rest_time_difference,
};
use crate::render::{Colour, Curve, Plot, Style};
use glam::DVec3;
use std::f64::consts::PI;

pub(super) fn studies() -> Vec<Study> {
    vec![
        rule(),
        bouncing(),
        state_and_rates(),
        fractions(),
        critical(),
        homogeneous_cooling(),
        gravity_off(),
    ]
}

fn rule() -> Study {
    let check = |name: &str, quantity: &str, expected: f64| {
        Check::new(name, quantity, expected, Tolerance::EXACT)
    };
    Study {
        name: "luding-rule",
        source: "Luding & McNamara, (4)",
        summary: "A collision loses energy only if both partners last collided more than t_c ago.",
        engines: Engines::None,
        quick: true,
        checks: vec![
            check("both", "elastic if neither waited t_c (1: yes)", 1.0),
            check("one", "elastic if one did not wait t_c", 1.0),
            check("neither", "elastic if both waited longer", 0.0),
            check("off", "elastic with t_c = 0", 0.0),
        ],
        measure: Box::new(|_| {
            let elastic = |a, b, t_c| f64::from(u8::from(is_elastic(a, b, t_c)));
            Ok(Measured::values([
                elastic(1e-4, 2e-4, 1e-3),
                elastic(1e-4, 2e-2, 1e-3),
                elastic(2e-2, f64::INFINITY, 1e-3),
                elastic(0.0, 0.0, 0.0),
            ]))
        }),
    }
}

/// v₁, r, `t_c`; `n_s`, `t_s` without the TC rule, `t_s` with it, last period: exact sums of the flights.
const BALLS: [[f64; 7]; 3] = [
    [
        1.0,
        0.9,
        1e-3,
        51.0,
        1.834_862_385_321_101,
        1.826_351_563_877_82,
        9.456_468_270_312_134e-4,
    ],
    [
        2.0,
        0.5,
        1e-2,
        6.0,
        0.407_747_196_738_022_4,
        0.401_376_146_788_990_8,
        6.371_049_949_031_6e-3,
    ],
    [
        1.0,
        0.99,
        1e-4,
        759.0,
        20.183_486_238_532_11,
        20.173_666_297_442_846,
        9.919_132_413_398_433e-5,
    ],
];

fn bouncing() -> Study {
    let rounding = Tolerance::relative(1e-13, "rounding of f64, over up to 759 bounces");
    let checks = BALLS
        .iter()
        .flat_map(|&[_, r, t_c, n, rest, with_rule, period]| {
            [
                Check::new(
                    format!("{r}/n"),
                    format!("n_s (7), r = {r}, t_c = {t_c} s"),
                    n,
                    Tolerance::EXACT,
                ),
                Check::new(
                    format!("{r}/rest"),
                    format!("t_s (8), r = {r}, s"),
                    rest,
                    rounding,
                ),
                Check::new(
                    format!("{r}/static"),
                    format!("t_s with the TC rule (9), r = {r}, s"),
                    with_rule,
                    rounding,
                )
                .erratum(
                    "luding (9), (10)",
                    format!(
                        "(9), (10) put t_c/t₁ for r^n_s, which it only bounds: {:.9}",
                        rest - r / (1.0 - r) * t_c
                    ),
                ),
                Check::new(
                    format!("{r}/period"),
                    format!("time between bounces for ever after, r = {r}, s"),
                    period,
                    rounding,
                ),
                Check::new(
                    format!("{r}/bound"),
                    format!("how much earlier it is at rest, over r t_c/(1 − r) (10), r = {r}"),
                    period / t_c,
                    Tolerance::relative(
                        2e-12,
                        "rounding of f64, in a difference of two such times",
                    ),
                )
                .erratum(
                    "luding (9), (10)",
                    "(10) prints 1, the upper bound, as equal",
                ),
            ]
        });
    Study {
        name: "luding-bouncing",
        source: "Luding & McNamara, (5)–(10), Fig. 2",
        summary: "A ball bouncing on a floor: infinitely many bounces in a finite time, or a finite \
                  number with the TC rule.",
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [speed, restitution, t_c, ..] in BALLS {
                let ball = Bouncing {
                    speed,
                    restitution,
                    gravity: 9.81,
                };
                let earlier = ball.rest_time() - ball.static_time(t_c);
                #[allow(clippy::cast_precision_loss, reason = "hundreds of bounces")]
                values.extend([
                    ball.impacts_until_static(t_c) as f64,
                    ball.rest_time(),
                    ball.static_time(t_c),
                    ball.static_period(t_c),
                    earlier / rest_time_difference(restitution, t_c),
                ]);
            }
            Ok(Measured::values(values))
        }),
    }
}

/// Restitutions of a ball whose gravity is switched off.
const SWITCHED: [f64; 3] = [1.0, 0.8, 0.5];

fn gravity_off() -> Study {
    let checks = SWITCHED.map(|r| {
        Check::new(
            format!("{r}"),
            format!("mean square velocity over (g t_n)²/12, r = {r}"),
            0.5 * (1.0 + r * r),
            Tolerance::relative(1e-5, "a mean over 500 phases, by the midpoint rule"),
        )
        .erratum(
            "luding 4.2.3",
            format!(
                "section 4.2.3 prints ½(1 + r), which gives {}",
                0.5 * (1.0 + r)
            ),
        )
    });
    Study {
        name: "luding-gravity-off",
        source: "Luding & McNamara, section 4.2.3",
        summary: "Gravity is switched off somewhere in the period of a bouncing ball: on its way up it keeps its \
                  velocity, on its way down it meets the floor once more, with restitution r. On the \
                  event-driven engine, for 500 phases of the period.",
        engines: Engines::Cpu,
        quick: true,
        checks: checks.to_vec(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for r in SWITCHED {
                let rule = bench.hard_rule(CollisionRule::Smooth { restitution: r });
                let phases = 500_u32;
                let mut sum = 0.0;
                for k in 0..phases {
                    sum += freed(rule, (f64::from(k) + 0.5) / f64::from(phases))?.powi(2);
                }
                values.push(12.0 * sum / f64::from(phases));
            }
            Ok(Measured::values(values))
        }),
    }
}

/// Velocity in the end, in units of g times the period, of a ball that loses its gravity at this phase of it.
fn freed(rule: CollisionRule, phase: f64) -> Result<f64> {
    let model = above_floor(DVec3::new(2.0, 2.0, 10.0), DVec3::ZERO, rule);
    let ball = StartingGrain {
        position: DVec3::Z * (1.0 + 0.5 * phase * (1.0 - phase)),
        velocity: DVec3::Z * (0.5 - phase),
        spin: DVec3::ZERO,
        radius: 1.0,
        mass: 1.0,
        material: 0,
        fixed: false,
    };
    let mut engine = HardEngine::new(model, &[ball]);
    // Long enough for the highest, at 1/8 above the floor; those that rise get five units far.
    let met = engine.next_collision(5.0 / (0.5 - phase).abs())?;
    debug_assert_eq!(met.is_some(), phase > 0.5);
    Ok(engine.snapshot()[0].velocity.z)
}

/// ν, g and 2νg of disks; g and 4νg of spheres.
const STATES: [[f64; 5]; 4] = [
    [
        0.05,
        1.083_795_013_850_415_5,
        0.108_379_501_385_041_56,
        1.137_192_010_497_157_1,
        0.227_438_402_099_431_4,
    ],
    [
        0.227,
        1.507_353_617_983_394_8,
        0.684_338_542_564_461_4,
        1.919_288_487_087_714_5,
        1.742_713_946_275_644_7,
    ],
    [
        0.4,
        2.291_666_666_666_666_5,
        1.833_333_333_333_333_3,
        3.703_703_703_703_703_7,
        5.925_925_925_925_926,
    ],
    [
        0.65,
        5.841_836_734_693_878,
        7.594_387_755_102_041,
        15.743_440_233_236_152,
        40.932_944_606_414,
    ],
];

/// Disks, side of the square in diameters, and the fraction that this is.
const SIZES: [[f64; 3]; 2] = [
    [22960.0, 280.0, 0.230_009_462_137_824_17],
    [5740.0, 140.0, 0.230_009_462_137_824_17],
];

fn state_and_rates() -> Study {
    let mut checks = Vec::new();
    for [nu, g2, p2, g3, p3] in STATES {
        let rows = [
            ("g2", "g (17), disks", g2),
            ("p2", "PV/E − 1 (16), disks, r = 1", p2),
            ("g3", "g, spheres", g3),
            ("p3", "PV/NT − 1, spheres, r = 1", p3),
        ];
        checks.extend(rows.map(|(name, quantity, expected)| {
            let check = Check::new(
                format!("{nu}/{name}"),
                format!("{quantity}, ν = {nu}"),
                expected,
                Tolerance::ROUNDING,
            );
            if name == "p2" {
                return check.erratum(
                    "luding (16)",
                    format!(
                        "(σ₁ + σ₂)/2 of (15), where compression is negative, is −P and gives {:.6}",
                        -expected - 2.0
                    ),
                );
            }
            check
        }));
    }
    checks.push(Check::new(
        "rate/2",
        "collisions of a disk per second (19), a = 1 mm",
        171.764_331_568_996_37,
        Tolerance::ROUNDING,
    ));
    checks.push(Check::new(
        "rate/3",
        "collisions of a sphere per second, a = 1 mm",
        198.625_376_896_707_28,
        Tolerance::ROUNDING,
    ));
    checks.push(
        Check::new(
            "rate/paper",
            "t_E⁻¹ at ν = 0.227 from ω₀ = 656.03 s⁻¹, 1/s",
            448.946_614_078_563_5,
            Tolerance::ROUNDING,
        )
        .erratum("luding 6.1, rate", "section 6.1 has 444 s⁻¹"),
    );
    checks.extend(SIZES.map(|[particles, side, fraction]| {
        Check::new(
            format!("size/{particles}"),
            format!("ν of {particles} disks in a square of {side} diameters"),
            fraction,
            Tolerance::ROUNDING,
        )
        .erratum("luding 6.1, size", "section 6.1 has ν = 0.227")
    }));
    checks.push(Check::new(
        "period",
        "t_n over t_c of a linear elastic contact (13)",
        1.102_657_790_843_584,
        Tolerance::ROUNDING,
    ));
    Study {
        name: "luding-theory",
        source: "Luding & McNamara, (13), (16)–(19), Figs. 3 and 4",
        summary: "Equation of state and collision rate of an elastic gas.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [nu, ..] in STATES {
                for dimensions in [Dimensions::Two, Dimensions::Three] {
                    values.push(contact_correlation(dimensions, nu));
                    values.push(excess_pressure(dimensions, nu, 1.0));
                }
            }
            values.push(enskog_rate(Dimensions::Two, 1e-3, 7.2e4, 0.05));
            values.push(enskog_rate(Dimensions::Three, 1e-3, 2.4e7, 0.05));
            let nu = 0.227;
            values.push(656.03 * 2.0 * nu * contact_correlation(Dimensions::Two, nu));
            values.extend(SIZES.map(|[n, side, _]| PI / 4.0 * n / (side * side)));
            values.push(equivalent_period(1.0));
            Ok(Measured::values(values))
        }),
    }
}

/// `t_c` in s; fractions of elastic particles and collisions at 444 collisions per second.
const FRACTIONS: [[f64; 3]; 4] = [
    [1e-2, 0.988_204_061_480_248_4, 0.999_860_855_834_438_3],
    [1e-3, 0.358_534_579_172_680_1, 0.588_522_113_882_829_4],
    [1e-5, 0.004_430_157_771_885_618, 0.008_840_689_245_887_436],
    [1e-6, 4.439_014_465_864_448_7e-4, 8.876_058_446_786_082e-4],
];

fn fractions() -> Study {
    let checks = FRACTIONS.iter().flat_map(|&[t_c, particles, collisions]| {
        let first = Check::new(
            format!("{t_c}/particles"),
            format!("n_e (20) at t_c = {t_c} s"),
            particles,
            Tolerance::ROUNDING,
        )
        .erratum("luding (20)", format!(
            "dp/dt = +p/t_E, as printed above (20), gives 1 − exp(t_c/t_E) = {:.6}",
            -(t_c * 444.0).exp_m1()
        ));
        let second = Check::new(
            format!("{t_c}/collisions"),
            format!("c_e (21) at t_c = {t_c} s"),
            collisions,
            Tolerance::ROUNDING,
        );
        if t_c == 1e-5 {
            let second = second.erratum("luding 6.2", "section 6.2 has c_e < 9·10⁻⁴, which is that of 10⁻⁶ s");
            [first, second]
        } else if t_c == 1e-2 {
            let second = second.erratum("luding 6.2", 
                "section 6.2: at t_c = 10⁻² s the time between collisions is smaller than t_c, not larger",
            );
            [first, second]
        } else {
            [first, second]
        }
    });
    Study {
        name: "luding-fractions",
        source: "Luding & McNamara, (20), (21), Figs. 5 and 6",
        summary: "How many particles and collisions the TC rule makes elastic, in mean field.",
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let values = FRACTIONS.iter().flat_map(|&[t_c, ..]| {
                [
                    elastic_particles(t_c, 444.0),
                    elastic_collisions(t_c, 444.0),
                ]
            });
            Ok(Measured::values(values))
        }),
    }
}

/// N, and `r_c` as printed, at ν = 0.227.
const CRITICAL: [[f64; 2]; 6] = [
    [97776.0, 0.976],
    [22960.0, 0.952],
    [5740.0, 0.906],
    [1435.0, 0.821],
    [378.0, 0.680],
    [42.0, 0.296],
];

fn critical() -> Study {
    let digits = Tolerance::absolute(5e-4, "half of the last digit printed");
    let checks = CRITICAL.map(|[n, expected]| {
        Check::new(
            format!("{n}"),
            format!("r_c (22) of {n} disks, ν = 0.227"),
            expected,
            digits,
        )
    });
    Study {
        name: "luding-critical",
        source: "Luding & McNamara, (22)",
        summary: "Restitution below which an inelastic gas collapses: all six printed values.",
        engines: Engines::None,
        quick: true,
        checks: checks.to_vec(),
        measure: Box::new(|_| {
            Ok(Measured::values(
                CRITICAL.map(|[n, _]| critical_restitution(n, 0.227)),
            ))
        }),
    }
}

/// r, τ, T of disks and of spheres.
const COOLING: [[f64; 4]; 4] = [
    [0.99, 50.0, 0.641_281_922_563_203_8, 0.735_744_565_836_620_7],
    [
        0.99,
        1000.0,
        0.028_010_714_098_142_54,
        0.053_666_462_932_872_2,
    ],
    [0.9, 2.0, 0.834_010_967_244_219_3, 0.884_425_270_978_076_1],
    [
        0.9,
        1000.0,
        4.251_248_804_336_274e-4,
        9.371_095_376_926_28e-4,
    ],
];

fn homogeneous_cooling() -> Study {
    let checks = COOLING.iter().flat_map(|&[r, tau, disks, spheres]| {
        [("2", "disks", disks), ("3", "spheres", spheres)].map(|(name, shape, expected)| {
            Check::new(
                format!("{r}/{tau}/{name}"),
                format!("T (23) of {shape} at τ = {tau}, r = {r}"),
                expected,
                Tolerance::ROUNDING,
            )
        })
    });
    let counted = COOLING.iter().map(|&[r, tau, disks, _]| {
        Check::new(
            format!("{r}/{tau}/counted"),
            format!("T of disks from the collisions until τ = {tau}, exp[−(1 − r²) C/N], r = {r}"),
            disks,
            Tolerance::relative(
                1e-11,
                "Simpson's rule with 20 000 intervals over the collision rate",
            ),
        )
        .erratum("luding 6.3", format!(
            "section 6.3 prints exp[−½(1 − r²) C_t/N], which counts each collision twice: {:.6}",
            disks.sqrt()
        ))
    });
    Study {
        name: "luding-cooling",
        source: "Luding & McNamara, (23), Fig. 15",
        summary: "Homogeneous cooling, T = (1 + (1 − r²)τ/(2D))⁻², against τ and against the number of \
                  collisions.",
        engines: Engines::None,
        quick: true,
        checks: checks.chain(counted).collect(),
        measure: Box::new(|_| {
            let values = COOLING.iter().flat_map(|&[r, tau, ..]| {
                [Dimensions::Two, Dimensions::Three].map(|d| cooling(d, r, tau))
            });
            let counted = COOLING
                .iter()
                .map(|&[r, tau, ..]| (-(1.0 - r * r) * collisions_per_disk(r, tau)).exp());
            Ok(Measured {
                values: values.chain(counted).collect(),
                figures: vec![cooling_figure()],
            })
        }),
    }
}

/// Collisions over particles until τ, each counted once: a disk has √T of them per τ, and each belongs to two.
fn collisions_per_disk(r: f64, tau: f64) -> f64 {
    let intervals = 20_000_u32;
    let h = tau / f64::from(intervals);
    let weighted = (0..=intervals).map(|k| {
        let weight = match k {
            0 => 1.0,
            k if k == intervals => 1.0,
            k if k % 2 == 1 => 4.0,
            _ => 2.0,
        };
        weight * cooling(Dimensions::Two, r, h * f64::from(k)).sqrt()
    });
    0.5 * h / 3.0 * weighted.sum::<f64>()
}

fn cooling_figure() -> Figure {
    let curves = [0.99, 0.9, 0.8, 0.6, 0.4]
        .into_iter()
        .enumerate()
        .map(|(k, r)| Curve {
            label: format!("r = {r}"),
            points: (0..=120)
                .map(|k| 10_f64.powf(-1.0 + 0.05 * f64::from(k)))
                .map(|tau| [tau, cooling(Dimensions::Two, r, tau)])
                .collect(),
            style: Style::Line,
            colour: Colour::of_category(k),
        });
    Figure {
        name: "luding-cooling",
        caption: "The closed form (23) that Fig. 15 of the paper compares its simulations with."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Homogeneous cooling of disks".into(),
            subtitle: "Luding & McNamara, (23)".into(),
            x_label: "τ".into(),
            y_label: "T".into(),
            curves: curves.collect(),
            log_x: true,
            log_y: true,
        }),
    }
}
