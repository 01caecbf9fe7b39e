//! Rebound, shear and loss against incidence: sections 3 to 5.

use super::{SLIP_RATIO, after, curve, rubin, shear_eta_loss, slip_of, walton};
use crate::laws::hard_sphere::CollisionRule;
use crate::render::{Plot, Style};
use crate::verify::{Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

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

pub(super) fn curves() -> Study {
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
                    "eta" => check.erratum(
                        if short == "walton" {
                            "rubin (4-7)"
                        } else {
                            "rubin (3-10)"
                        },
                        format!(
                            "({}) as printed, without the factor 1 + e, gives {:.6}",
                            if short == "walton" { "4-7" } else { "3-10" },
                            printed_eta(short == "walton", psi, values[0])
                        ),
                    ),
                    "loss" => check.erratum(
                        "rubin (2-13)",
                        format!(
                            "(2-13) as printed, with another ½m, m = 1 kg, gives {:.6}",
                            0.5 * values[3]
                        ),
                    ),
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
