//! Costa, Boersma, Westerweel & Breugem (2015), section III: the film between grains in a fluid.
//!
//! About the law only: the engines know no fluid yet.

use super::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};
use crate::laws::lubrication::{Film, FilmPartner, film_amplification, impact_stokes_number};
use crate::laws::material::sphere_mass;
use crate::render::{Colour, Curve, Plot, Style};

pub(super) fn studies() -> Vec<Study> {
    vec![amplification(), approach(), rebound()]
}

/// ε, `λ_pw` (33), `λ_pp` (32), and the exact factors of Brenner's and of the bispherical series.
const FACTORS: [[f64; 5]; 4] = [
    [
        1e-4,
        10_001.842_111_933_16,
        5_004.144_702_508_498,
        10_002.813_408_565_09,
        5_005.490_301_903_233,
    ],
    [
        1e-3,
        1_001.381_879_996_524,
        503.108_859_933_860_46,
        1_002.353_326_880_582_4,
        504.454_632_086_660_24,
    ],
    [
        0.01,
        100.923_226_975_381_43,
        52.074_793_639_151_42,
        101.896_172_324_613_49,
        53.422_293_653_915_43,
    ],
    [
        0.05,
        20.606_279_150_600_212,
        11.356_103_805_974_888,
        21.585_820_436_986_154,
        12.711_288_169_778_893,
    ],
];

/// O(1) terms that (32), (33) leave out; they cancel in (34).
const CONSTANTS: [f64; 2] = [0.971_28, 1.345_58];

/// The resolutions of Table I, and a smooth pair.
const FILMS: [(&str, Film, f64); 3] = [
    (
        "wall-16",
        Film {
            partner: FilmPartner::Wall,
            resolved: 0.075,
            roughness: 1e-3,
        },
        4.332_008_319_606_54,
    ),
    (
        "wall-32",
        Film {
            partner: FilmPartner::Wall,
            resolved: 0.05,
            roughness: 1e-3,
        },
        3.921_674_602_501_274_5,
    ),
    (
        "pair-16",
        Film {
            partner: FilmPartner::EqualGrain,
            resolved: 0.025,
            roughness: 1e-5,
        },
        // With the factor (32) per velocity of each grain.
        3.923_215_120_198_926_7,
    ),
];

fn amplification() -> Study {
    let close = Tolerance::relative(
        3e-3,
        "the next term of the expansion, of the order of ε², less than that at the gaps of Table I",
    );
    let mut checks = Vec::new();
    for [gap, wall, pair, exact_wall, exact_pair] in FACTORS {
        checks.push(Check::new(
            format!("{gap}/wall"),
            format!("λ_pw (33) at ε = {gap}"),
            wall,
            Tolerance::ROUNDING,
        ));
        checks.push(
            Check::new(format!("{gap}/pair"), format!("λ_pp (32) per relative velocity at ε = {gap}"), 0.5 * pair, Tolerance::ROUNDING)
                .erratum("(32) is per half the relative velocity u_ij: with u_ij the film is twice too strong"),
        );
        checks.push(Check::new(
            format!("{gap}/exact-wall"),
            format!("λ_pw + 0.97128 at ε = {gap}, against Brenner's series"),
            exact_wall,
            close,
        ));
        checks.push(Check::new(
            format!("{gap}/exact-pair"),
            format!("2 λ_pp + 1.34558 at ε = {gap}, against the bispherical series"),
            exact_pair,
            close,
        ));
    }
    Study {
        name: "costa-amplification",
        source: "Costa et al., (32), (33), Fig. 5",
        summary: "Amplification of Stokes' drag by the film in the gap, against the exact solutions of the \
                  flow. About the law: the engines know no fluid yet.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [gap, ..] in FACTORS {
                let wall = film_amplification(FilmPartner::Wall, gap);
                let pair = film_amplification(FilmPartner::EqualGrain, gap);
                values.extend([wall, pair, wall + CONSTANTS[0], 2.0 * pair + CONSTANTS[1]]);
            }
            Ok(Measured::values(values))
        }),
    }
}

/// Speed at touch over that on entering, by stepping Newton's law through the film of a steel sphere.
fn stepped(film: &Film, stokes: f64) -> f64 {
    let (radius, density, viscosity) = (2.5e-3, 7800.0, 0.01);
    let entered = stokes / impact_stokes_number(density, 1.0, 2.0 * radius, viscosity);
    let mass = sphere_mass(density, radius)
        / match film.partner {
            FilmPartner::Wall => 1.0,
            FilmPartner::EqualGrain => 2.0,
        };
    let (mut gap, mut speed) = (film.resolved * radius, entered);
    let step = 1e-6 * gap;
    while gap > 0.0 && speed > 0.0 {
        // Midpoint in the gap: m v dv/dh = F, and F ∝ v.
        let next = (gap - step).max(0.0);
        let force = film.force(viscosity, radius, 0.5 * (gap + next), speed);
        speed -= force / (mass * speed) * (gap - next);
        gap = next;
    }
    speed / entered
}

fn approach() -> Study {
    let stokes = 50.0;
    let mut checks = Vec::new();
    for (name, film, impulse) in FILMS {
        let factor = if film.partner == FilmPartner::Wall {
            1.0
        } else {
            0.5
        };
        checks.push(Check::new(
            format!("{name}/impulse"),
            format!("C = ∫Λ dε, {name}"),
            factor * impulse,
            Tolerance::relative(1e-11, "rounding of f64, with cancellation"),
        ));
        checks.push(Check::new(
            format!("{name}/rough"),
            format!("Λ at half the roughness over Λ at the roughness, {name}"),
            1.0,
            Tolerance::ROUNDING,
        ));
        checks.push(Check::new(
            format!("{name}/touch"),
            format!("v/v₀ at touch for St = {stokes}, stepped through the film, {name}"),
            1.0 - impulse / stokes,
            Tolerance::relative(1e-6, "midpoint rule, a million steps"),
        ));
    }
    Study {
        name: "costa-approach",
        source: "Costa et al., (34), Table I",
        summary: "A sphere approaches a wall or another sphere and only the film acts: v/v₀ = 1 − C/St, with \
                  saturation below the roughness.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(move |_| {
            let mut values = Vec::new();
            for (_, film, _) in FILMS {
                let rough = film.roughness;
                values.extend([
                    film.impulse(),
                    film.correction(0.5 * rough) / film.correction(rough),
                    stepped(&film, stokes),
                ]);
            }
            Ok(Measured::values(values))
        }),
    }
}

/// St and e of a steel sphere on a wall, `e_d` = 0.97, the closed form of a bounce through the film.
const WET: [[f64; 2]; 5] = [
    [5.0, 0.0],
    [20.0, 0.543_297_180_518_755_8],
    [152.0, 0.913_854_892_173_520_4],
    [742.0, 0.958_498_576_294_306_1],
    [1000.0, 0.961_465_943_610_375_1],
];

fn rebound() -> Study {
    let film = FILMS[0].1;
    let dry = 0.97;
    let mut checks: Vec<Check> = WET
        .iter()
        .map(|&[stokes, e]| {
            Check::new(
                format!("{stokes}"),
                format!("e at St = {stokes}"),
                e,
                Tolerance::ROUNDING,
            )
        })
        .collect();
    checks.push(Check::new(
        "none",
        "St below which nothing rebounds",
        10.0,
        Tolerance::absolute(
            3.0,
            "experiments: about 10; the film alone, without drag and added mass",
        ),
    ));
    checks.push(Check::new(
        "dry",
        "e over e_d at St = 1000",
        1.0,
        Tolerance::absolute(0.01, "experiments: dry from 500 to 1000 on"),
    ));
    Study {
        name: "costa-wet",
        source: "Costa et al., (34), Fig. 9",
        summary: "Restitution in a liquid against the Stokes number, in its shape: the film alone, in and \
                  out. The paper also resolves the flow around the sphere, which this does not.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(move |_| {
            let mut values: Vec<f64> = WET
                .iter()
                .map(|row| film.wet_restitution(dry, row[0]))
                .collect();
            let (mut low, mut high) = (1.0, 100.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if film.wet_restitution(dry, middle) > 0.0 {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            values.extend([low, film.wet_restitution(dry, 1000.0) / dry]);
            let line = |label: &str, style: Style, colour: usize, e: &dyn Fn(f64) -> f64| Curve {
                label: label.into(),
                points: (0..=120)
                    .map(|k| 10_f64.powf(0.5 + 0.025 * f64::from(k)))
                    .map(|stokes| [stokes, e(stokes)])
                    .collect(),
                style,
                colour: Colour::of_category(colour),
            };
            let figure = Figure {
                name: "costa-wet",
                caption: "Restitution in a liquid over that in air against the Stokes number: the film \
                          alone, for a sphere and a wall, and exp(−35/St), a common fit of experiments."
                    .into(),
                drawing: Drawing::Plot(Plot {
                    title: "Wet restitution against the Stokes number".into(),
                    subtitle: "Costa et al., (34), Fig. 9".into(),
                    x_label: "St".into(),
                    y_label: "e/e_d".into(),
                    curves: vec![
                        line("film alone", Style::Line, 0, &|s| film.wet_restitution(dry, s) / dry),
                        line("exp(−35/St)", Style::Dashed, 1, &|s| (-35.0 / s).exp()),
                    ],
                    log_x: true,
                    ..Plot::default()
                }),
            };
            Ok(Measured {
                values,
                figures: vec![figure],
            })
        }),
    }
}
