//! The factors (32), (33) against exact series.

use crate::laws::lubrication::{film_amplification, film_between};
use crate::render::{Colour, Curve, Plot, Style};
use crate::verify::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

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

pub(super) fn amplification() -> Study {
    let mut checks = Vec::new();
    for [gap, wall, pair, exact_wall, exact_pair] in FACTORS {
        let close = Tolerance::absolute(
            0.2 * gap + 5e-6,
            "0.2 ε, the next term of the expansion, and half of the last digit of the constant",
        );
        checks.push(Check::new(
            format!("{gap}/wall"),
            format!("λ_pw (33) at ε = {gap}"),
            wall,
            Tolerance::ROUNDING,
        ));
        checks.push(
            Check::new(format!("{gap}/pair"), format!("λ_pp (32) per relative velocity at ε = {gap}"), 0.5 * pair, Tolerance::ROUNDING)
                .erratum("costa (32)", "(32) is per half the relative velocity u_ij: with u_ij the film is twice too strong"),
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
                  flow. About the law, for radii of 1.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [gap, ..] in FACTORS {
                let [wall, pair] = [f64::INFINITY, 1.0]
                    .map(|other| film_amplification(film_between(1.0, other, 0.1, 1e-5), gap));
                values.extend([wall, pair, wall + CONSTANTS[0], 2.0 * pair + CONSTANTS[1]]);
            }
            Ok(Measured {
                values,
                figures: vec![amplification_figure()],
            })
        }),
    }
}

/// ε and the exact factors of Brenner's series for a wall and of the bispherical series for two spheres,
/// the latter per velocity of each.
const EXACT: [[f64; 3]; 13] = [
    [1e-4, 10_002.813_408_565_09, 5_005.490_301_903_233],
    [1e-3, 1_002.353_326_880_582_4, 504.454_632_086_660_24],
    [2e-3, 502.215_127_216_003_34, 254.143_203_608_027_82],
    [5e-3, 202.033_038_681_163_8, 103.732_202_038_697_25],
    [0.01, 101.896_172_324_613_49, 53.422_293_653_915_43],
    [0.02, 51.760_733_604_639_434, 28.114_022_193_234_348],
    [0.025, 41.717_597_216_174_71, 23.015_316_981_494_642],
    [0.05, 21.585_820_436_986_154, 12.711_288_169_778_893],
    [0.075, 14.844_259_544_108_688, 9.202_684_765_166_143],
    [0.1, 11.459_157_203_409_557, 7.413_297_606_556_766],
    [0.2, 6.340_886_692_110_01, 4.625_543_140_251_000_6],
    [0.5, 3.205_390_315_352_628, 2.772_418_679_559_134],
    [1.0, 2.125_535_566_760_040_4, 2.038_654_643_922_900_5],
];

/// Fig. 5.
fn amplification_figure() -> Figure {
    let law = |label: &str, other: f64, factor: f64, added: f64, style: Style, colour: usize| {
        let film = film_between(1.0, other, 0.1, 1e-5);
        Curve {
            label: label.into(),
            points: (0..=100)
                .map(|k| 10_f64.powf(-4.0 + 0.04 * f64::from(k)))
                .map(|gap| [gap, factor * film_amplification(film, gap) + added])
                .collect(),
            style,
            colour: Colour::of_category(colour),
        }
    };
    let exact = |label: &str, column: usize, colour: usize| Curve {
        label: label.into(),
        points: EXACT.map(|row| [row[0], row[column]]).to_vec(),
        style: Style::Points,
        colour: Colour::of_category(colour),
    };
    let wall = f64::INFINITY;
    Figure {
        name: "costa-amplification",
        caption: "Amplification of Stokes' drag against the gap (Fig. 5): (33) before a wall and (32) between \
                  two spheres, per velocity of each; the same with the constants that cancel in (34); and \
                  the exact solutions of the flow."
            .into(),
        drawing: Drawing::Plot(Plot {
            title: "Amplification of the drag by the film".into(),
            subtitle: "Costa et al., (32), (33), Fig. 5".into(),
            x_label: "gap over radius".into(),
            y_label: "amplification".into(),
            curves: vec![
                law("wall (33)", wall, 1.0, 0.0, Style::Dashed, 0),
                law("wall (33) + 0.971", wall, 1.0, CONSTANTS[0], Style::Line, 0),
                exact("wall, exact", 1, 0),
                law("pair (32)", 1.0, 2.0, 0.0, Style::Dashed, 1),
                law("pair (32) + 1.346", 1.0, 2.0, CONSTANTS[1], Style::Line, 1),
                exact("pair, exact", 2, 1),
            ],
            log_x: true,
            log_y: true,
        }),
    }
}
