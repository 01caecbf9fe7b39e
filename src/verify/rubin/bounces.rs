//! A sphere that bounces on a plane: section 6.

use super::{FRICTION, SLIP_RATIO, curve, rubin, walton};
use crate::error::Result;
use crate::hard::{HardEngine, StartingGrain};
use crate::laws::hard_sphere::{CollisionRule, full_slip_obliquity};
use crate::render::{Plot, Style};
use crate::verify::bench::above_floor;
use crate::verify::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use glam::DVec3;

/// A bouncing sequence of section 6: values just before bounce n.
pub(super) struct Bounce {
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

pub(super) const BOUNCES: [Bounce; 4] = [
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

pub(super) fn bounces(case: &'static Bounce) -> Study {
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
                    check.erratum("rubin (6-12)", format!(
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
            .erratum(
                "rubin 6.5",
                "section 6.5 prints that G approaches 0; (6-18) has G(∞) = 1",
            ),
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
