//! Ray, Kempe & Fröhlich (2015): Hertz's spring with a constant damper, and its direct inverse.

use super::bench::{STEPS, duration, head_on, materials};
use super::{
    Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance, ray_bed, ray_iteration,
};
use crate::collide::{Collision, Step};
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::adaptive::{adaptive_direct, adaptive_direct_paper};
use crate::laws::collision::{LAMBDA_CRITICAL, hertz_viscous_collision};
use crate::laws::hertz::{hertz_contact_time, hertz_time_unit};
use crate::laws::material::sphere_mass;
use crate::render::{Colour, Curve, Plot, Style};
use crate::scene::{NormalLaw, Pair};

/// Density (kg/m³), radius (m), impact speed (m/s) and contact time (s) of Table 1.
const DENSITY: f64 = 7800.0;
const RADIUS: f64 = 0.01;
pub(super) const SPEED: f64 = 1.0;
pub(super) const CONTACT_TIME: f64 = 0.01;

pub(super) fn studies() -> Vec<Study> {
    vec![
        collisions(),
        series(),
        approximations(),
        table_1(),
        table_1_through_the_engine(),
        improved_inverse(),
        improved_inverse_through_the_engine(),
        ray_iteration::coefficients(),
        ray_iteration::table_2(),
        ray_iteration::table_3(),
        spring_energy(),
        ray_bed::study(0.95),
        ray_bed::study(0.7),
    ]
}

pub(super) fn mass() -> f64 {
    sphere_mass(DENSITY, RADIUS)
}

/// The sphere of Table 1 on a wall.
fn on_wall(normal: NormalLaw, pair: Pair) -> Collision {
    Collision {
        radius: [RADIUS; 2],
        material: materials([DENSITY; 2]),
        wall: true,
        speed: SPEED,
        ..head_on(normal, pair)
    }
}

/// The same with stiffness (N/m^1.5) and damping (N s/m).
fn viscous(stiffness: f64, damping: f64) -> Collision {
    let pair = Pair {
        stiffness: Some(stiffness),
        damping: Some(damping),
        ..Pair::new(0, 1)
    };
    on_wall(NormalLaw::HertzViscous, pair)
}

/// λ, e and `τ_c`: solutions of (6), (7) to 28 digits by Taylor series of the regular form in √z.
const EXACT: [[f64; 3]; 7] = [
    [0.0, 1.0, 3.218_065_459_719_043],
    [0.05, 0.833_347_084_889_891_8, 3.280_511_064_024_215_4],
    [0.1, 0.688_560_163_704_759_5, 3.354_180_697_388_625],
    [0.14, 0.586_363_355_132_174_4, 3.422_930_903_094_381],
    [0.2, 0.452_680_179_748_341_9, 3.546_676_854_760_269_4],
    [0.25, 0.356_912_974_176_213_87, 3.674_312_264_397_680_7],
    [0.3, 0.273_509_465_456_335_64, 3.832_463_679_180_129],
];

fn collisions() -> Study {
    let checks = EXACT.iter().flat_map(|&[lambda, e, tau]| {
        [
            Check::new(
                format!("{lambda}/restitution"),
                format!("e at λ = {lambda}"),
                e,
                Tolerance::STEPPED,
            ),
            Check::new(
                format!("{lambda}/contact-time"),
                format!("τ_c at λ = {lambda}"),
                tau,
                Tolerance::STEPPED,
            ),
        ]
    });
    Study {
        name: "ray-collision",
        source: "Ray, Kempe & Fröhlich, (6), (7)",
        summary: "A sphere hits a wall under Hertz's spring with a constant damper. Restitution and \
                  contact time depend on λ = d t*/(2m) alone.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(measure_collisions),
    }
}

fn measure_collisions(bench: &dyn Bench) -> Result<Measured> {
    let stiffness = 6e4;
    let unit = hertz_time_unit(stiffness, mass(), SPEED);
    let mut values = Vec::new();
    for [lambda, ..] in EXACT {
        let outcome = bench.collide(&viscous(stiffness, 2.0 * lambda * mass() / unit))?;
        values.extend([outcome.restitution, duration(&outcome) / unit]);
    }
    let restitution = |lambda: f64| {
        [
            series_of(lambda, -5.131),
            series_of(lambda, 5.114),
            fit(lambda)[0],
        ]
    };
    let contact_time = |lambda: f64| {
        let first = |slope: f64| TAU_0 + slope * lambda;
        [first(1.152), first(1.150_66), fit(lambda)[1]]
    };
    let figures = vec![
        collision_figure("ray-restitution", "e", 0, &values, restitution),
        collision_figure("ray-contact-time", "τ_c", 1, &values, contact_time),
    ];
    Ok(Measured { values, figures })
}

/// (41) with a coefficient of λ².
fn series_of(lambda: f64, second: f64) -> f64 {
    1.0 - 3.576 * lambda + second * lambda * lambda
}

/// (43) and (44) with the constants as printed.
fn fit(lambda: f64) -> [f64; 2] {
    let (alpha, c, a, b) = (1.111, 0.744, 0.716, 0.830);
    [
        (-alpha * lambda * 3.218 / (1.0 - c * lambda).sqrt()).exp(),
        3.218 / (1.0 - a * lambda - b * lambda * lambda).sqrt(),
    ]
}

/// Contact time of the undamped collision, 2√π Γ(7/5)/Γ(9/10) (25/16)^⅕.
const TAU_0: f64 = 3.218_065_459_719_043;

/// `which`: 0 for restitution, 1 for contact time.
fn collision_figure(
    name: &'static str,
    quantity: &str,
    which: usize,
    measured: &[f64],
    formulas: impl Fn(f64) -> [f64; 3],
) -> Figure {
    let lambdas = || (0..=60).map(|k| 0.005 * f64::from(k));
    let line = |label: &str, style: Style, colour: usize, points: Vec<[f64; 2]>| Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    };
    let formula = |k: usize| lambdas().map(|l| [l, formulas(l)[k]]).collect();
    let exact = lambdas().map(|l| {
        let c = hertz_viscous_collision(l, ContactEnd::Overlap);
        [l, [c.restitution, c.contact_time][which]]
    });
    let points = EXACT
        .iter()
        .zip(measured.chunks(2))
        .map(|(row, pair)| [row[0], pair[which]]);
    let caption = format!(
        "{quantity}(λ): the exact solution, the series (41), (42) as printed and corrected, the \
         approximations (43), (44), and lahar."
    );
    Figure {
        name,
        drawing: Drawing::Plot(Plot {
            title: format!("Hertz with viscous damping: {quantity} against λ"),
            subtitle: "Ray, Kempe & Fröhlich, (41)–(44)".into(),
            x_label: "λ".into(),
            y_label: quantity.into(),
            curves: vec![
                line("series as printed", Style::Dashed, 3, formula(0)),
                line("series, corrected", Style::Dashed, 2, formula(1)),
                line("(43), (44)", Style::Line, 1, formula(2)),
                line("exact", Style::ThinLine, 7, exact.collect()),
                line("lahar", Style::Points, 0, points.collect()),
            ],
            ..Plot::default()
        }),
        caption,
    }
}

fn series() -> Study {
    let tolerance = Tolerance::absolute(
        1e-8,
        "central differences of the exact collision, extrapolated twice, steps of 0.01 in λ",
    );
    let digits = Tolerance::absolute(
        5e-4,
        "half of the last digit printed, and of the one before",
    );
    let check = |name: &str, quantity: &str, expected: f64, tolerance: Tolerance| {
        Check::new(name, quantity, expected, tolerance)
    };
    Study {
        name: "ray-series",
        source: "Ray, Kempe & Fröhlich, (40)–(42), (47), (49)",
        summary: "Coefficients of the expansions in λ, by differentiating the exact collision.",
        engines: Engines::None,
        quick: true,
        checks: vec![
            check("z1", "coefficient of λ in √ẑ (40)", -0.748, digits),
            check("z2", "coefficient of λ² in √ẑ (40)", 0.578, digits),
            check(
                "e1",
                "coefficient of λ in e (41)",
                -3.575_628_288_576_7,
                tolerance,
            ),
            check(
                "e2",
                "coefficient of λ² in e (41)",
                5.114_047_063_228,
                tolerance,
            )
            .erratum("(41) prints −5.131; it is (2/5)·3.5756² = +5.114"),
            check("tau0", "τ_c,0 (42)", TAU_0, Tolerance::ROUNDING),
            check(
                "tau1",
                "coefficient of λ in τ_c (42)",
                1.150_660_589_226,
                tolerance,
            )
            .erratum("(42) prints 1.152"),
            check("alpha", "α of (47), −e₁/τ_c,0", 10.0 / 9.0, tolerance),
            check(
                "c",
                "C of (47), from the right e₂",
                0.715_125_657_715_3,
                Tolerance::absolute(1e-7, "as the coefficients, amplified by their difference"),
            )
            .erratum("(47) prints 0.744, which needs e₂ = 5.063; (41) as printed would need 0.706"),
            check("a", "A of (49)", 0.715_125_657_715_3, tolerance).erratum("(49) prints 0.716"),
        ],
        measure: Box::new(|_| {
            let of = |value: fn(f64) -> f64| derivatives(value);
            let collision = |l: f64| hertz_viscous_collision(l, ContactEnd::Overlap);
            let [z1, z2] = of(|l| {
                hertz_viscous_collision(l, ContactEnd::Overlap)
                    .max_overlap
                    .sqrt()
            });
            let [e1, e2] = of(|l| hertz_viscous_collision(l, ContactEnd::Overlap).restitution);
            let [tau1, _] = of(|l| hertz_viscous_collision(l, ContactEnd::Overlap).contact_time);
            let tau0 = collision(0.0).contact_time;
            // (46): 2 e₂ = e₁ (e₁ + C), with e₁ = −α τ_c,0.
            let c = e1.abs() - 2.0 * e2 / e1.abs();
            Ok(Measured::values([
                z1,
                z2,
                e1,
                e2,
                tau0,
                tau1,
                -e1 / tau0,
                c,
                2.0 * tau1 / tau0,
            ]))
        }),
    }
}

/// First and half the second derivative at zero.
fn derivatives(value: impl Fn(f64) -> f64) -> [f64; 2] {
    let middle = value(0.0);
    let at = |h: f64| {
        let (up, down) = (value(h), value(-h));
        [
            (up - down) / (2.0 * h),
            (up + down - 2.0 * middle) / (2.0 * h * h),
        ]
    };
    // Richardson: errors are even powers of h.
    let [coarse, medium, fine] = [at(0.04), at(0.02), at(0.01)];
    [0, 1].map(|k| {
        let once = [medium[k], fine[k]];
        let twice = [
            once[0] + (once[0] - coarse[k]) / 3.0,
            once[1] + (once[1] - once[0]) / 3.0,
        ];
        twice[1] + (twice[1] - twice[0]) / 15.0
    })
}

fn approximations() -> Study {
    let sampled = Tolerance::relative(0.03, "two digits are stated");
    Study {
        name: "ray-approximation",
        source: "Ray, Kempe & Fröhlich, (43), (44), sections 3.1 and 4",
        summary: "How good the closed approximations are for λ ≤ 0.2, and where the model ends.",
        engines: Engines::None,
        quick: true,
        checks: vec![
            Check::new(
                "e",
                "largest relative error of (43) for λ ≤ 0.2",
                1.8e-2,
                sampled,
            )
            .erratum("section 4 states 4.9·10⁻³"),
            Check::new(
                "tau",
                "largest relative error of (44) for λ ≤ 0.2",
                2.2e-4,
                sampled,
            ),
            Check::new(
                "lambda",
                "λ at e = 0.4",
                0.226_650_855_762_168_5,
                Tolerance::relative(1e-7, "the polynomials of the direct inverse"),
            )
            .erratum("section 3.1 states λ ≤ 0.2 for e ≥ 0.4"),
            Check::new(
                "critical",
                "e just below λ = 0.56399 (never separates above)",
                0.0,
                Tolerance::absolute(1e-6, "e ≈ 0.46 (λ_crit − λ), taken 10⁻⁶ below"),
            )
            .erratum("not in the paper: from λ_crit on the overlap never returns to zero"),
        ],
        measure: Box::new(|_| {
            let exact = |l: f64| hertz_viscous_collision(l, ContactEnd::Overlap);
            let worst = |k: usize| {
                let errors = (0..=200).map(|n| {
                    let lambda = 0.001 * f64::from(n);
                    let c = exact(lambda);
                    (fit(lambda)[k] / [c.restitution, c.contact_time][k] - 1.0).abs()
                });
                errors.fold(0.0, f64::max)
            };
            let (k, d) = adaptive_direct(0.4, CONTACT_TIME, SPEED, mass());
            let lambda = d * hertz_time_unit(k, mass(), SPEED) / (2.0 * mass());
            let critical = exact(LAMBDA_CRITICAL - 1e-6).restitution;
            Ok(Measured::values([worst(0), worst(1), lambda, critical]))
        }),
    }
}

/// One row of Table 1: what is printed for the direct method, the errors that it really has, and the
/// exact coefficients.
pub(super) struct Row {
    pub(super) e: f64,
    printed: [f64; 6],
    pub(super) errors: [f64; 2],
    pub(super) exact: [f64; 2],
    pub(super) newton: &'static str,
    /// Iterations to a residual of 10⁻⁶ and, by Table 2, to the errors of the direct method.
    pub(super) iterations: [u32; 2],
}

/// k, d, `u_out`, `T_c/10⁻²`, `ε_e`, `ε_T` as printed; `ε_e`, `ε_T` and exact k, d from solutions to 25 digits.
pub(super) const TABLE_1: [Row; 8] = [
    Row {
        e: 1.0,
        printed: [60694.4, 0.0, 1.0, 1.0, 3.5e-12, 0.0],
        errors: [0.0, 2.034_173_991_394_796e-5],
        exact: [60_697.443_138_905_41, 0.0],
        newton: "",
        iterations: [1, 1],
    },
    Row {
        e: 0.95,
        printed: [61491.7, 0.30165, 0.95, 1.00001, 7.71e-7, 7.6e-5],
        errors: [7.569_190_177_667_449e-7, 7.592_862_624_179_128e-6],
        exact: [61_492.849_070_859_72, 0.301_651_880_425_114_26],
        newton: "61491.7, 0.30165",
        iterations: [5, 4],
    },
    Row {
        e: 0.9,
        printed: [62371.9, 0.61966, 0.9, 0.99998, 1.33e-5, 1.7e-5],
        errors: [1.324_000_495_765_893e-5, 1.745_978_235_443_218e-5],
        exact: [62_368.989_534_398_956, 0.619_569_834_733_800_9],
        newton: "62369.2, 0.61964",
        iterations: [5, 4],
    },
    Row {
        e: 0.8,
        printed: [64437.6, 1.3134, 0.79979, 0.99991, 2.63e-4, 9.5e-5],
        errors: [2.625_096_299_229_404_3e-4, 9.536_927_954_650_788e-5],
        exact: [64_417.491_389_604_475, 1.311_734_008_325_629_5],
        newton: "64418.6, 1.31209",
        iterations: [13, 4],
    },
    Row {
        e: 0.7,
        printed: [67042.7, 2.10348, 0.69906, 0.99982, 1.34e-3, 1.8e-4],
        errors: [1.341_443_573_099_401_4e-3, 1.817_821_801_320_732_3e-4],
        exact: [66_985.061_903_298_1, 2.095_234_190_586_575],
        newton: "66985.7",
        iterations: [8, 4],
    },
    Row {
        e: 0.6,
        printed: [70434.0, 3.0238, 0.59734, 0.99979, 6.05e-3, 2.1e-4],
        errors: [4.440_622_110_983_972e-3, 2.058_945_330_907_981_3e-4],
        exact: [70_296.333_008_659_68, 2.997_186_224_439_312],
        newton: "70299.5, 2.99798",
        iterations: [19, 4],
    },
    Row {
        e: 0.5,
        printed: [75047.0, 4.12956, 0.49396, 1.0, 1.21e-2, 2.5e-6],
        errors: [1.207_871_508_566_848_6e-2, 2.468_658_719_120_768_3e-6],
        exact: [74_730.005_529_323_24, 4.059_004_714_021_691],
        newton: "74735.8, 4.06030",
        iterations: [60, 5],
    },
    Row {
        e: 0.4,
        printed: [81738.6, 5.51951, 0.38797, 1.00085, 1.34e-2, 8.5e-4],
        errors: [3.006_491_644_341_833e-2, 8.535_798_966_463_38e-4],
        exact: [80_982.863_959_879_96, 5.348_777_577_185_165_6],
        newton: "80999.5, 5.35192",
        iterations: [76, 5],
    },
];

/// What the collision with these coefficients does, exactly: e and `T_c`.
pub(super) fn achieved(k: f64, d: f64) -> [f64; 2] {
    let unit = hertz_time_unit(k, mass(), SPEED);
    let collision = hertz_viscous_collision(d * unit / (2.0 * mass()), ContactEnd::Overlap);
    [collision.restitution, unit * collision.contact_time]
}

fn errors_of(e: f64, [k, d]: [f64; 2]) -> [f64; 2] {
    let [restitution, time] = achieved(k, d);
    [
        (restitution / e - 1.0).abs(),
        (time / CONTACT_TIME - 1.0).abs(),
    ]
}

fn table_1() -> Study {
    let last_digit =
        |unit: f64| Tolerance::absolute(0.501 * unit, "half of the last digit printed");
    let error = Tolerance::absolute(1e-11, "the exact collision, solved to rounding");
    let checks = TABLE_1.iter().flat_map(|row| {
        let e = row.e;
        let [k, d, _, _, e_printed, t_printed] = row.printed;
        // Printed to two or three digits: what rounds to them is no misprint.
        let compare = |printed: f64, right: f64| {
            let misprinted = (printed - right).abs() > 0.03 * right.max(1e-9);
            (misprinted, format!("Table 1 prints {printed:.2e}"))
        };
        let errors = [
            ("error-e", "ε_e", e_printed, 0),
            ("error-t", "ε_T", t_printed, 1),
        ];
        let mut checks = vec![
            Check::new(
                format!("{e}/k"),
                format!("k by (51)–(54), e = {e}, N/m^1.5"),
                k,
                last_digit(0.1),
            ),
            Check::new(
                format!("{e}/d"),
                format!("d by (51)–(54), e = {e}, N s/m"),
                d,
                last_digit(1e-5),
            ),
        ];
        for (name, symbol, printed, which) in errors {
            let mut check = Check::new(
                format!("{e}/{name}"),
                format!("{symbol} of (51)–(54), e = {e}"),
                row.errors[which],
                error,
            );
            let (misprinted, text) = compare(printed, row.errors[which]);
            check = if misprinted {
                check.erratum(text)
            } else {
                check.printed(text)
            };
            checks.push(check);
        }
        checks
    });
    Study {
        name: "ray-table1",
        source: "Ray, Kempe & Fröhlich, Table 1",
        summary: "Stiffness and damping by the paper's direct inverse with the printed constants, and the \
                  relative errors of restitution and contact time that they lead to.",
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let values = TABLE_1.iter().flat_map(|row| {
                let (k, d) = adaptive_direct_paper(row.e, CONTACT_TIME, SPEED, mass());
                let [e, t] = errors_of(row.e, [k, d]);
                [k, d, e, t]
            });
            Ok(Measured::values(values))
        }),
    }
}

fn table_1_through_the_engine() -> Study {
    let tolerance = Tolerance {
        relative: 1e-5,
        absolute: 0.501e-5,
        reason: "half of the last digit printed, and 500 steps in the contact",
    };
    let checks = TABLE_1.iter().flat_map(|row| {
        let e = row.e;
        let [_, _, rebound, time, ..] = row.printed;
        let mut duration = Check::new(
            format!("{e}/contact-time"),
            format!("T_c with k, d by (51)–(54), e = {e}, 10⁻² s"),
            time,
            tolerance,
        );
        if e == 1.0 {
            duration = duration.erratum("Table 1 prints 1.00000");
            duration.expected = 1.0 + row.errors[1];
        }
        [
            Check::new(
                format!("{e}/rebound"),
                format!("rebound speed with k, d by (51)–(54), e = {e}, m/s"),
                rebound,
                tolerance,
            ),
            duration,
        ]
    });
    Study {
        name: "ray-table1-run",
        source: "Ray, Kempe & Fröhlich, Table 1",
        summary: "The same coefficients in a simulated collision: rebound speed and contact time as \
                  printed.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for row in &TABLE_1 {
                let (k, d) = adaptive_direct_paper(row.e, CONTACT_TIME, SPEED, mass());
                let outcome = bench.collide(&viscous(k, d))?;
                values.extend([
                    -outcome.rebound_normal_velocity,
                    duration(&outcome) / CONTACT_TIME,
                ]);
            }
            Ok(Measured::values(values))
        }),
    }
}

fn improved_inverse() -> Study {
    let promised = Tolerance::absolute(1e-7, "what the polynomials promise");
    let checks = TABLE_1.iter().flat_map(|row| {
        let e = row.e;
        [("error-e", "e"), ("error-t", "T_c")].map(|(name, symbol)| {
            Check::new(
                format!("{e}/{name}"),
                format!("relative error of {symbol} by lahar's inverse, e = {e}"),
                0.0,
                promised,
            )
        })
    });
    Study {
        name: "ray-inverse",
        source: "Ray, Kempe & Fröhlich, section 5.2",
        summary: "lahar's direct inverse: polynomials in −ln e instead of (51), (52). Its errors stand \
                  beside those of Table 1.",
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let direct = |e: f64| adaptive_direct(e, CONTACT_TIME, SPEED, mass());
            let values = TABLE_1
                .iter()
                .flat_map(|row| errors_of(row.e, direct(row.e).into()));
            let figure = inverse_figure();
            Ok(Measured {
                values: values.collect(),
                figures: vec![figure],
            })
        }),
    }
}

fn inverse_figure() -> Figure {
    let restitutions = || (0..=60).map(|k| 0.4 + 0.01 * f64::from(k));
    let errors = |inverse: fn(f64, f64, f64, f64) -> (f64, f64), which: usize| {
        restitutions()
            .map(|e| {
                [
                    e,
                    errors_of(e, inverse(e, CONTACT_TIME, SPEED, mass()).into())[which],
                ]
            })
            .collect::<Vec<_>>()
    };
    let curve = |label: &str, style: Style, colour: usize, points: Vec<[f64; 2]>| Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    };
    let printed = |which: usize| {
        let printed = TABLE_1.iter().map(|row| [row.e, row.printed[4 + which]]);
        printed.filter(|p| p[1] > 1e-10).collect()
    };
    Figure {
        name: "ray-inverse",
        caption:
            "Relative errors of restitution and contact time with coefficients from the direct \
                  inverse: as printed in Table 1 (points), by (51)–(54) recomputed, and by lahar's \
                  polynomials. The printed ε_e at 0.4 and 0.6 and ε_T at 0.95 are errata."
                .into(),
        drawing: Drawing::Plot(Plot {
            title: "Direct inverse: errors of restitution and contact time".into(),
            subtitle: "Ray, Kempe & Fröhlich, Table 1".into(),
            x_label: "restitution".into(),
            y_label: "relative error".into(),
            curves: vec![
                curve(
                    "ε_e, (51)–(54)",
                    Style::Line,
                    0,
                    errors(adaptive_direct_paper, 0),
                ),
                curve(
                    "ε_T, (51)–(54)",
                    Style::Line,
                    1,
                    errors(adaptive_direct_paper, 1),
                ),
                curve("ε_e, lahar", Style::Dashed, 0, errors(adaptive_direct, 0)),
                curve("ε_T, lahar", Style::Dashed, 1, errors(adaptive_direct, 1)),
                curve("ε_e, printed", Style::Points, 0, printed(0)),
                curve("ε_T, printed", Style::Points, 1, printed(1)),
            ],
            log_y: true,
            ..Plot::default()
        }),
    }
}

fn improved_inverse_through_the_engine() -> Study {
    let checks = TABLE_1.iter().flat_map(|row| {
        let e = row.e;
        [
            Check::new(
                format!("{e}/restitution"),
                format!("e, asked for {e}"),
                e,
                Tolerance::STEPPED,
            ),
            Check::new(
                format!("{e}/contact-time"),
                format!("T_c, asked for 10⁻² s, e = {e}, s"),
                CONTACT_TIME,
                Tolerance::STEPPED,
            ),
        ]
    });
    Study {
        name: "ray-adaptive",
        source: "Ray, Kempe & Fröhlich, Table 1",
        summary: "The adaptive law of lahar, which finds k and d at first touch, asked for the \
                  restitutions and the contact time of Table 1.",
        engines: Engines::All,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for row in &TABLE_1 {
                let pair = Pair {
                    restitution: Some(row.e),
                    ..Pair::new(0, 1)
                };
                let mut collision = on_wall(NormalLaw::HertzAdaptive, pair);
                collision.laws.contact_time = Some(CONTACT_TIME);
                let outcome = bench.collide(&collision)?;
                values.extend([outcome.restitution, duration(&outcome)]);
            }
            Ok(Measured::values(values))
        }),
    }
}

fn spring_energy() -> Study {
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
            .erratum("(58) prints the factor 5/2"),
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
