//! Table 1: the direct inverse as printed.

use super::{CONTACT_TIME, SPEED, TABLE_1, errors_of, mass, viscous};
use crate::laws::adaptive::adaptive_direct_paper;
use crate::verify::bench::duration;
use crate::verify::{Check, Engines, Measured, Study, Tolerance};

pub(super) fn table_1() -> Study {
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
                check.erratum("ray Table 1", text)
            } else {
                check.printed(text)
            };
            checks.push(check);
        }
        checks
    });
    let caption = Check::new(
        "pair",
        "k by (51)–(54) for two of the spheres, e = 1, N/m^1.5",
        0.5 * TABLE_1[0].printed[0],
        last_digit(0.05),
    )
    .erratum(
        "ray Table 1, caption",
        "the caption has a collision of two particles; 60694.4 is k of a sphere on a wall",
    );
    Study {
        name: "ray-table1",
        source: "Ray, Kempe & Fröhlich, Table 1",
        summary: "Stiffness and damping by the paper's direct inverse with the printed constants, and the \
                  relative errors of restitution and contact time that they lead to.",
        engines: Engines::None,
        quick: true,
        checks: checks.chain([caption]).collect(),
        measure: Box::new(|_| {
            let values = TABLE_1.iter().flat_map(|row| {
                let (k, d) = adaptive_direct_paper(row.e, CONTACT_TIME, SPEED, mass());
                let [e, t] = errors_of(row.e, [k, d]);
                [k, d, e, t]
            });
            let (of_pair, _) = adaptive_direct_paper(1.0, CONTACT_TIME, SPEED, 0.5 * mass());
            Ok(Measured::values(values.chain([of_pair])))
        }),
    }
}

pub(super) fn table_1_through_the_engine() -> Study {
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
            duration = duration.erratum("ray Table 1", "Table 1 prints 1.00000");
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
