//! Rubin (2016): a collision rule with a smooth transition to full slip, beside Walton's.
//!
//! | file | what |
//! |---|---|
//! | `curves.rs` | Rebound, shear and loss against incidence: sections 3 to 5 |
//! | `admissible.rs` | Which parameters lose energy at every incidence |
//! | `properties.rs` | P1 to P4, which any rule must have, over random collisions |
//! | `bounces.rs` | A sphere that bounces on a plane: section 6 |
//! | `fit.rs` | The comparison that section 7 proposes: parameters of the rule from soft collisions |

mod admissible;
mod bounces;
mod curves;
mod fit;
mod properties;

use crate::laws::hard_sphere::{Body, CollisionRule, GrainShape, collide, energetic_coefficient};
use crate::render::{Colour, Curve, Style};
use crate::verify::Study;
use admissible::admissible;
use bounces::{BOUNCES, bounces};
use curves::curves;
use fit::fit;
use glam::DVec3;
use properties::properties;

pub(super) fn studies() -> Vec<Study> {
    let mut studies = vec![curves(), admissible(), properties()];
    studies.extend(BOUNCES.iter().map(bounces));
    studies.push(fit());
    studies
}

/// Coefficient of friction of all examples (5-2).
const FRICTION: f64 = 0.3;

/// 1 + `1/I_m` of uniform spheres.
const SLIP_RATIO: f64 = 3.5;

fn rubin(restitution: f64, exponent: f64) -> CollisionRule {
    CollisionRule::Rubin {
        restitution,
        exponent,
        friction: FRICTION,
    }
}

fn walton(restitution: f64, tangential_restitution: f64) -> CollisionRule {
    CollisionRule::Walton {
        restitution,
        tangential_restitution,
        friction: FRICTION,
    }
}

/// A sphere of 1 kg and 1 m that hits a wall at 1 m/s along x with a slip along y, by a rule.
fn after(rule: &CollisionRule, slip: f64) -> Body {
    let sphere = Body::grain(
        GrainShape::Sphere,
        1.0,
        1.0,
        DVec3::new(1.0, slip, 0.0),
        DVec3::ZERO,
    );
    collide(&sphere, &Body::wall(DVec3::ZERO), DVec3::X, rule, false).first
}

/// Slip of the contact point with a wall at +x.
fn slip_of(body: &Body) -> f64 {
    body.velocity.y + body.radius * body.spin.z
}

/// μ, η and the share of the energy that is lost, of a sphere that hits a wall with this slip over normal
/// speed: from the velocities after it.
fn shear_eta_loss(rule: &CollisionRule, e: f64, psi: f64) -> [f64; 3] {
    let body = after(rule, psi);
    // The impulse, from what it did.
    let mu = (psi - body.velocity.y) / (1.0 + e);
    [
        mu,
        energetic_coefficient(e, psi, mu, SLIP_RATIO),
        1.0 - body.kinetic_energy() / (0.5 * (1.0 + psi * psi)),
    ]
}

fn curve(label: &str, points: Vec<[f64; 2]>, style: Style, colour: usize) -> Curve {
    Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    }
}
