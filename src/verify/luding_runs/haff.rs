//! Haff's law (23): how gases cool for several coefficients of restitution.

use super::cooling::{cool, cooling_plot, energies, haff, instants};
use super::{FRACTION, curve, lossy, mixed};
use crate::laws::tc::{Dimensions, cooling};
use crate::render::Style;
use crate::verify::{Check, Engines, Figure, Measured, Study, Tolerance};

const HOMOGENEOUS: [f64; 4] = [10.0, 50.0, 200.0, 1000.0];

pub(super) fn study(dimensions: Dimensions) -> Study {
    let flat = dimensions == Dimensions::Two;
    let fraction = if flat { FRACTION } else { 0.1 };
    let checks = HOMOGENEOUS.map(|tau| {
        Check::new(
            format!("{tau}"),
            format!("T at τ = {tau} over (23), r = 0.99"),
            1.0,
            Tolerance::absolute(
                0.06,
                "Enskog's rate is off by 1 %, which T doubles; the scatter of some 1500 grains",
            ),
        )
    });
    Study {
        name: if flat {
            "luding-haff-disks"
        } else {
            "luding-haff-spheres"
        },
        source: if flat {
            "Luding & McNamara, (23), Fig. 15"
        } else {
            "Haff (1983), with Enskog's rate in three dimensions"
        },
        summary: if flat {
            "1435 disks, ν = 0.227, t_c = 10⁻⁵ s, cool homogeneously at r = 0.99; for smaller restitution they cool \
             more slowly than (23). On the event-driven engine."
        } else {
            "1372 spheres, ν = 0.1, cool homogeneously at r = 0.99. On the event-driven engine."
        },
        engines: Engines::Cpu,
        quick: true,
        checks: checks.to_vec(),
        measure: Box::new(move |bench| {
            let particles = if flat { 1435 } else { 1372 };
            let gas = mixed(dimensions, particles, fraction, 50)?;
            let found = cool(&mut lossy(bench, &gas, 0.99, 1e-5)?, &HOMOGENEOUS)?;
            let ratios = HOMOGENEOUS
                .iter()
                .zip(&found)
                .map(|(&tau, found)| found.energy / cooling(dimensions, 0.99, tau));
            let taus = instants(1000.0);
            let shown: &[f64] = if flat {
                &[0.99, 0.9, 0.6, 0.2]
            } else {
                &[0.99, 0.9, 0.8]
            };
            let mut curves = Vec::new();
            for (k, &r) in shown.iter().enumerate() {
                let run = cool(&mut lossy(bench, &gas, r, 1e-5)?, &taus)?;
                curves.push(curve("", haff(dimensions, r, &taus), Style::Dashed, k));
                curves.push(curve(
                    format!("r = {r}"),
                    energies(&taus, &run),
                    Style::Line,
                    k,
                ));
            }
            Ok(Measured {
                values: ratios.collect(),
                figures: vec![Figure {
                    name: if flat { "luding-haff-disks" } else { "luding-haff-spheres" },
                    caption: if flat {
                        "Energy of a cooling gas of disks for several coefficients of restitution; broken lines: Haff's law, \
                         (23) (Fig. 15)."
                    } else {
                        "Energy of a cooling gas of spheres: the counterpart of Fig. 15."
                    }
                    .into(),
                    drawing: cooling_plot(
                        "Cooling of a gas of hard grains",
                        "lines: simulated, t_c = 10⁻⁵ s; broken: Haff's law",
                        curves,
                    ),
                }],
            })
        }),
    }
}
