//! Ray, Kempe & Fröhlich: what the direct inverse replaces, and what it saves.

use super::{CONTACT_TIME, SPEED, TABLE_1, achieved, bed, mass};
use crate::laws::adaptive::{adaptive_direct, adaptive_direct_paper, adaptive_iterative};
use crate::scene::AdaptiveInverse;
use crate::verify::{Check, Engines, Measured, Study, Tolerance};
use std::hint::black_box;
use std::time::Instant;

pub(super) fn coefficients() -> Study {
    let solved = Tolerance::relative(1e-11, "the iteration stops at 10⁻¹⁴ in e");
    let checks = TABLE_1.iter().flat_map(|row| {
        let e = row.e;
        let [k, d] = row.exact;
        let checks = [("k", "k", "N/m^1.5", k), ("d", "d", "N s/m", d)].map(
            |(name, symbol, unit, expected)| {
                Check::new(
                    format!("{e}/{name}"),
                    format!("{symbol} by iteration, e = {e}, {unit}"),
                    expected,
                    solved,
                )
            },
        );
        checks.map(|check| match row.newton {
            "" => check,
            printed => check.printed(format!(
                "Table 1 prints {printed}: the authors stopped at a residual of 10⁻⁶"
            )),
        })
    });
    Study {
        name: "ray-iteration",
        source: "Ray, Kempe & Fröhlich, Table 1 (Newton)",
        summary: "The iteration that the direct inverse replaces: here a secant method on the one \
                  unknown λ, each time solving the collision.",
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(|_| {
            let values = TABLE_1.iter().flat_map(|row| {
                let (k, d) = adaptive_iterative(row.e, CONTACT_TIME, SPEED, mass());
                [k, d]
            });
            Ok(Measured::values(values))
        }),
    }
}

/// Coefficients by Broyden's method, and how many iterations it took.
struct Iterated {
    coefficients: [f64; 2],
    iterations: u32,
}

/// The scheme of Kempe & Fröhlich: rebound speed and contact time as functions of k and d, and Broyden's
/// approximation of their derivatives, until both are within the residuals.
///
/// They do not say where they start: here with the stiffness that gives the contact time without damping, and
/// the damping to first order in −ln e, as they might have had them.
fn broyden(e: f64, residuals: [f64; 2]) -> Iterated {
    const MOST: u32 = 200;
    let (undamped, _) = adaptive_direct(1.0, CONTACT_TIME, SPEED, mass());
    // (41): ln e ≈ −d T_c/(2m) for weak damping.
    let weak = 2.0 * mass() * -e.ln() / CONTACT_TIME;
    let scale = [undamped, 2.0 * mass() / CONTACT_TIME];
    // In units of these, so that both unknowns and both residuals are of order 1.
    let residual = |x: [f64; 2]| {
        let [rebound, time] = achieved(x[0] * scale[0], x[1] * scale[1]);
        [rebound - e, time / CONTACT_TIME - 1.0]
    };
    let mut x = [1.0, weak / scale[1]];
    let mut r = residual(x);
    let mut inverse = inverse_of_derivatives(residual, x, r);
    let mut iterations = 1;
    while (r[0].abs() > residuals[0] || r[1].abs() > residuals[1]) && iterations < MOST {
        let step = apply(inverse, r).map(|x| -x);
        x = [x[0] + step[0], x[1] + step[1]];
        let next = residual(x);
        let change = [next[0] - r[0], next[1] - r[1]];
        // Sherman & Morrison: J⁻¹ += (s − J⁻¹y) sᵀJ⁻¹/(sᵀJ⁻¹y).
        let mapped = apply(inverse, change);
        let row = [
            step[0] * inverse[0][0] + step[1] * inverse[1][0],
            step[0] * inverse[0][1] + step[1] * inverse[1][1],
        ];
        let denominator = step[0] * mapped[0] + step[1] * mapped[1];
        for i in 0..2 {
            for j in 0..2 {
                inverse[i][j] += (step[i] - mapped[i]) * row[j] / denominator;
            }
        }
        r = next;
        iterations += 1;
    }
    Iterated {
        coefficients: [x[0] * scale[0], x[1] * scale[1]],
        iterations,
    }
}

fn apply(matrix: [[f64; 2]; 2], x: [f64; 2]) -> [f64; 2] {
    matrix.map(|row| row[0] * x[0] + row[1] * x[1])
}

/// Inverse of the derivatives by differences, at the start.
fn inverse_of_derivatives(
    residual: impl Fn([f64; 2]) -> [f64; 2],
    x: [f64; 2],
    r: [f64; 2],
) -> [[f64; 2]; 2] {
    const STEP: f64 = 1e-4;
    let by_k = residual([x[0] + STEP, x[1]]);
    let by_d = residual([x[0], x[1] + STEP]);
    let [[a, b], [c, d]] = [0, 1].map(|k| [(by_k[k] - r[k]) / STEP, (by_d[k] - r[k]) / STEP]);
    let determinant = a * d - b * c;
    [
        [d / determinant, -b / determinant],
        [-c / determinant, a / determinant],
    ]
}

/// Residual at which the authors stop.
const CONVERGED: f64 = 1e-6;

pub(super) fn table_2() -> Study {
    let rows = || TABLE_1.iter().filter(|row| row.e < 1.0);
    let checks = rows().flat_map(|row| {
        let e = row.e;
        let [tight, par] = row.iterations;
        [
            Check::new(
                format!("{e}/restitution"),
                format!("e by Broyden's method to a residual of 10⁻⁶, asked for {e}"),
                e,
                Tolerance::absolute(CONVERGED, "where it stops"),
            ),
            Check::new(
                format!("{e}/iterations"),
                format!("iterations to the errors of the direct method, e = {e}"),
                f64::from(par),
                Tolerance::absolute(2.0, "where they start is not in the paper"),
            )
            .printed(format!("Table 2 prints {par}, Table 1 {tight} to 10⁻⁶")),
            Check::new(
                format!("{e}/cost"),
                format!("time for (51)–(54) over time for as good an iteration, e = {e}"),
                0.0,
                Tolerance::absolute(
                    0.01,
                    "a bound: a formula takes some 50 ns, four collisions some 50 µs; printed are \
                     2.9·10⁻⁷ s and 0.023 s",
                ),
            ),
        ]
    });
    Study {
        name: "ray-table2",
        source: "Ray, Kempe & Fröhlich, Tables 1 and 2",
        summary: "The quasi-Newton iteration of Kempe & Fröhlich (Broyden) on k and d: to 10⁻⁶ as in Table 1, and \
                  as in Table 2 only until it is as good as the direct method, which costs still a small part of it. \
                  Times are measured now, on this processor.",
        engines: Engines::None,
        quick: true,
        checks: checks.collect(),
        measure: Box::new(move |_| {
            let values = TABLE_1.iter().filter(|row| row.e < 1.0).flat_map(|row| {
                let tight = broyden(row.e, [CONVERGED; 2]);
                let [k, d] = tight.coefficients;
                let par = [row.errors[0] * row.e, row.errors[1]].map(|error| error.max(CONVERGED));
                let iterations = broyden(row.e, par).iterations;
                let cost = ratio(
                    || {
                        black_box(adaptive_direct_paper(
                            black_box(row.e),
                            CONTACT_TIME,
                            SPEED,
                            0.03,
                        ))
                        .0
                    },
                    || broyden(black_box(row.e), par).coefficients[0],
                );
                [achieved(k, d)[0], f64::from(iterations), cost]
            });
            Ok(Measured::values(values))
        }),
    }
}

/// Time for a quick thing over time for a slow one: in turns, the best of each, since whatever else runs on the
/// machine disturbs both.
fn ratio(quick: impl Fn() -> f64, slow: impl Fn() -> f64) -> f64 {
    let seconds = |calls: u32, function: &dyn Fn() -> f64| {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(function());
        }
        start.elapsed().as_secs_f64() / f64::from(calls)
    };
    let mut best = [f64::INFINITY; 2];
    for _ in 0..3 {
        best[0] = best[0].min(seconds(5_000, &quick));
        best[1] = best[1].min(seconds(5, &slow));
    }
    best[0] / best[1]
}

pub(super) fn table_3() -> Study {
    let rows = [(0.95, 597.76 / 836.46), (0.7, 591.19 / 734.28)];
    let checks = rows.map(|(e, printed)| {
        Check::new(
            format!("{e}"),
            format!("time for the bed with (51)–(54) over time with the iteration, e = {e}"),
            0.0,
            Tolerance::absolute(0.9, "a bound: the run must be quicker by more than noise"),
        )
        .printed(format!(
            "Table 3 has {printed:.2}: its engine resolves the fluid, which costs most"
        ))
    });
    Study {
        name: "ray-table3",
        source: "Ray, Kempe & Fröhlich, Table 3",
        summary: "The bed of section 6.2 for 2000 steps, with coefficients by the formulas and by iteration: what \
                  the run takes, measured now on this processor. On the processor only: devices do not iterate.",
        engines: Engines::Cpu,
        quick: false,
        checks: checks.to_vec(),
        measure: Box::new(|bench| {
            let mut values = Vec::new();
            for e in [0.95, 0.7] {
                let mut seconds = [f64::INFINITY; 2];
                for _ in 0..2 {
                    let inverses = [AdaptiveInverse::DirectPaper, AdaptiveInverse::Iterative];
                    for (best, inverse) in seconds.iter_mut().zip(inverses) {
                        let mut engine = bench.simulate(&bed::scene(e, inverse)?)?;
                        let start = Instant::now();
                        engine.run(2000)?;
                        *best = best.min(start.elapsed().as_secs_f64());
                    }
                }
                values.push(seconds[0] / seconds[1]);
            }
            Ok(Measured::values(values))
        }),
    }
}
