//! Expansions in λ, and how good the closed approximations are.

use super::{CONTACT_TIME, SPEED, TAU_0, fit, mass};
use crate::laws::ContactEnd;
use crate::laws::adaptive::adaptive_direct;
use crate::laws::collision::{LAMBDA_CRITICAL, hertz_viscous_collision};
use crate::laws::hertz::hertz_time_unit;
use crate::verify::{Check, Engines, Measured, Study, Tolerance};

pub(super) fn series() -> Study {
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
            )
            .erratum(
                "ray (45)",
                "(45) prints +α τ_c,0 for this derivative: +3.575628",
            ),
            check(
                "e2",
                "coefficient of λ² in e (41)",
                5.114_047_063_228,
                tolerance,
            )
            .erratum(
                "ray (41)",
                "(41) prints −5.131; it is (2/5)·3.5756² = +5.114",
            ),
            check("tau0", "τ_c,0 (42)", TAU_0, Tolerance::ROUNDING),
            check(
                "tau1",
                "coefficient of λ in τ_c (42)",
                1.150_660_589_226,
                tolerance,
            )
            .erratum("ray (42)", "(42) prints 1.152"),
            check("alpha", "α of (47), −e₁/τ_c,0", 10.0 / 9.0, tolerance),
            check(
                "c",
                "C of (47), from the right e₂",
                0.715_125_657_715_3,
                Tolerance::absolute(1e-7, "as the coefficients, amplified by their difference"),
            )
            .erratum(
                "ray (47)",
                "(47) prints 0.744, which needs e₂ = 5.063; (41) as printed would need 0.706",
            ),
            check("a", "A of (49)", 0.715_125_657_715_3, tolerance)
                .erratum("ray (49)", "(49) prints 0.716"),
            check(
                "a2",
                "∂e²/∂λ at λ = 0 by the integrals (A.2), (A.3)",
                -7.151_256_577_153_4,
                Tolerance::relative(1e-10, "Simpson's rule with 1000 intervals"),
            )
            .erratum(
                "ray (A.2)",
                "(A.2) to (A.4) print y for y′ in the root, which is 0 at the deepest point: 0",
            ),
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
                -16.0 * first_loss(),
            ]))
        }),
    }
}

/// ∫ y √(1 − (4/5)y⁵) dy from first touch to the deepest point ŷ, as the integral over t with y = ŷ(1 − t²), in which
/// nothing is singular.
fn first_loss() -> f64 {
    let deepest = 1.25_f64.powf(0.2);
    let intervals = 1000_u32;
    let h = 1.0 / f64::from(intervals);
    let at = |k: u32| {
        let t = h * f64::from(k);
        let part = 1.0 - t * t;
        2.0 * t * deepest * deepest * part * (1.0 - part.powi(5)).max(0.0).sqrt()
    };
    let inner: f64 = (1..intervals)
        .map(|k| at(k) * if k % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    h / 3.0 * (at(0) + inner + at(intervals))
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

pub(super) fn approximations() -> Study {
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
            .erratum("ray 4", "section 4 states 4.9·10⁻³"),
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
            .erratum("ray 3.1", "section 3.1 states λ ≤ 0.2 for e ≥ 0.4"),
            Check::new(
                "critical",
                "e just below λ = 0.56399 (never separates above)",
                0.0,
                Tolerance::absolute(1e-6, "e ≈ 0.46 (λ_crit − λ), taken 10⁻⁶ below"),
            )
            .printed(
                "the paper does not mention that from λ_crit on the overlap never returns to zero",
            ),
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
