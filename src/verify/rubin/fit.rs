//! The comparison that section 7 proposes: parameters of the rule from soft collisions.

use super::{SLIP_RATIO, curve};
use crate::collide::Collision;
use crate::error::Result;
use crate::laws::hard_sphere::{
    full_slip_obliquity, rebound_slip, rubin_transition, walton_transition,
};
use crate::render::{Plot, Style};
use crate::scene::{NormalLaw, Pair, TangentialLaw};
use crate::verify::bench::{head_on, materials};
use crate::verify::{Bench, Check, Drawing, Engines, Figure, Measured, Study, Tolerance};

/// Restitution, tangential restitution and friction of the soft spheres that are fitted.
const SOFT: [f64; 3] = [0.9, 0.4, 0.2];

/// The same fit to the exact rebound of these spheres: integration with 8·10⁶ steps in the contact, friction
/// only where the normal force repels. `μ_s`, α, what the smooth rule leaves, β₀, what Walton's leaves.
const FITTED: [f64; 5] = [
    0.200_213_27,
    0.756_280_28,
    0.043_928_41,
    0.393_030_44,
    0.003_761_57,
];

pub(super) fn fit() -> Study {
    let stepped = Tolerance::absolute(
        3e-5,
        "stick begins and ends within a step: first order at 500 steps in the contact",
    );
    let through_fit = Tolerance::absolute(
        1.5e-4,
        "as the rebound, first order at 500 steps, over the slope of the fit",
    );
    let device = Tolerance::absolute(1e-5, "f32 velocities, through a least-squares fit");
    let fitted = |name: &str, quantity: &str, expected: f64, tolerance: Tolerance| {
        Check::new(name, quantity, expected, tolerance).on_devices(device)
    };
    Study {
        name: "rubin-fit",
        source: "Rubin, section 7; Walton",
        summary: "The parameters {e, μ_s, α} of the smooth rule, and β₀ of Walton's, fitted to oblique \
                  impacts of soft spheres (e_n = 0.9, e_t = 0.4, μ = 0.2) that the engine simulates, against \
                  the same fit to their exact rebound. A soft contact with T_t = T_n is close to \
                  Walton's two lines by construction; the smooth rule rounds the corner more.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "e",
                "fitted e",
                SOFT[0],
                Tolerance::relative(1e-6, "second order at 500 steps in the contact"),
            ),
            fitted(
                "friction",
                "fitted μ_s",
                FITTED[0],
                Tolerance::absolute(
                    2e-6,
                    "from one point in full slip: second order at 500 steps",
                ),
            ),
            fitted("alpha", "fitted α", FITTED[1], through_fit),
            fitted(
                "smooth",
                "root mean square of what the smooth rule leaves of eψ₂",
                FITTED[2],
                stepped,
            ),
            fitted("beta", "fitted β₀ of Walton's rule", FITTED[3], stepped),
            fitted(
                "walton",
                "root mean square of what Walton's rule leaves of eψ₂",
                FITTED[4],
                stepped,
            ),
        ],
        measure: Box::new(measure_fit),
    }
}

fn measure_fit(bench: &dyn Bench) -> Result<Measured> {
    let [restitution, tangential, friction] = SOFT;
    let mut points = Vec::new();
    let mut found = 0.0;
    for k in 1..=14 {
        let slip = 0.15 * f64::from(k);
        let pair = Pair {
            restitution: Some(restitution),
            tangential_restitution: Some(tangential),
            friction,
            ..Pair::new(0, 1)
        };
        let mut collision = head_on(NormalLaw::LinearStretched, pair);
        collision.laws.tangential = TangentialLaw::Linear;
        collision.laws.contact_time = Some(1e-4);
        let outcome = bench.collide(&Collision {
            radius: [1e-3; 2],
            material: materials([2500.0; 2]),
            wall: true,
            angle: slip.atan(),
            speed: slip.hypot(1.0),
            ..collision
        })?;
        points.push([slip, outcome.psi_out]);
        found = outcome.restitution;
    }
    // In full slip, the last point, eψ₂ = ψ₁ − (1 + e) a μ.
    let [slip, out] = points[points.len() - 1];
    let mu = (slip - out) / ((1.0 + found) * SLIP_RATIO);
    let full = full_slip_obliquity(found, mu, SLIP_RATIO);
    let predicted = |transition: fn(f64, f64) -> f64, shape: f64, slip: f64| {
        rebound_slip(found, slip, mu * transition(slip / full, shape), SLIP_RATIO)
    };
    let left = |transition: fn(f64, f64) -> f64, shape: f64| {
        let squares = points
            .iter()
            .map(|&[slip, out]| (predicted(transition, shape, slip) - out).powi(2));
        (squares.sum::<f64>() / points.len() as f64).sqrt()
    };
    let best = |transition: fn(f64, f64) -> f64| {
        let (mut low, mut high) = (0.0, 2.0);
        for _ in 0..60 {
            let [a, b] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
            if left(transition, a) < left(transition, b) {
                high = b;
            } else {
                low = a;
            }
        }
        0.5 * (low + high)
    };
    let [alpha, beta] = [best(rubin_transition), best(walton_transition)];
    let line = |transition: fn(f64, f64) -> f64, shape: f64| {
        let slips = (0..=105).map(|k| 0.02 * f64::from(k));
        slips
            .map(|s| [s, predicted(transition, shape, s)])
            .collect()
    };
    let figure = Figure {
        name: "rubin-fit",
        caption: format!(
            "Oblique impacts of soft spheres and the hard-sphere rules fitted to them: \
             μ_s = {mu:.4}, α = {alpha:.3}, β₀ = {beta:.3}."
        ),
        drawing: Drawing::Plot(Plot {
            title: "Hard-sphere rules fitted to soft collisions".into(),
            subtitle: "Rubin, section 7; Walton".into(),
            x_label: "ψ1, slip over normal speed before".into(),
            y_label: "e ψ2, slip after over normal speed before".into(),
            curves: vec![
                curve("smooth rule", line(rubin_transition, alpha), Style::Line, 0),
                curve("Walton", line(walton_transition, beta), Style::Dashed, 1),
                curve("soft spheres, lahar", points.clone(), Style::Points, 2),
            ],
            ..Plot::default()
        }),
    };
    Ok(Measured {
        values: vec![
            found,
            mu,
            alpha,
            left(rubin_transition, alpha),
            beta,
            left(walton_transition, beta),
        ],
        figures: vec![figure],
    })
}
