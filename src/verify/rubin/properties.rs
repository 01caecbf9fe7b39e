//! P1 to P4, which any rule must have, over random collisions.

use super::{SLIP_RATIO, walton};
use crate::laws::hard_sphere::{Body, CollisionRule, GrainShape, collide, energy_loss};
use crate::verify::{Check, Engines, Measured, Study, Tolerance};
use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::f64::consts::TAU;

/// e, α, `μ_s` of the rules that random collisions are tried with; all satisfy the dissipation inequality.
const RULES: [[f64; 3]; 5] = [
    [0.8, 0.35, 0.3],
    [1.0, 1.0, 0.3],
    [0.9, 3.5, 0.3],
    [0.5, 0.35, 1.0],
    [0.1, 2.0, 0.1],
];

/// Random collisions for each rule.
const COLLISIONS: u32 = 2000;

pub(super) fn properties() -> Study {
    let none = Tolerance::EXACT;
    let mut checks = Vec::new();
    for [e, alpha, friction] in RULES {
        let name = |what: &str| format!("{e}/{alpha}/{friction}/{what}");
        let of = format!("e = {e}, α = {alpha}, μ_s = {friction}");
        for (what, quantity) in [
            (
                "p1",
                "collisions whose impulse does not oppose the relative velocity",
            ),
            ("p2", "collisions whose impulse does not resist penetration"),
            ("p3", "collisions after which the bodies do not separate"),
            ("p4", "collisions that create energy"),
        ] {
            checks.push(Check::new(
                name(what),
                format!("{quantity}, {of}"),
                0.0,
                none,
            ));
        }
        checks.push(Check::new(
            name("loss"),
            format!("largest difference of the energy lost from (2-13), over the energy, {of}"),
            0.0,
            Tolerance::absolute(2e-15, "rounding of f64"),
        ));
        checks.push(Check::new(
            name("momentum"),
            format!("largest change of momentum, and of angular momentum about the contact, {of}"),
            0.0,
            Tolerance::absolute(4e-15, "rounding of f64, of momenta of a few kg m/s"),
        ));
    }
    checks.push(Check::new(
        "outside",
        "whether Walton's rule with β₀ = 5, e = 0.8, beyond its range, creates energy (1: it does)",
        1.0,
        none,
    ));
    Study {
        name: "rubin-properties",
        source: "Rubin, (P1)–(P4), (2-13)",
        summary: "Ten thousand random collisions of unequal spinning spheres in space, by the smooth rule \
                  with five sets of parameters: what any rule must obey, and the energy that each loses.",
        engines: Engines::None,
        quick: true,
        checks,
        measure: Box::new(|_| {
            let mut values = Vec::new();
            for [restitution, exponent, friction] in RULES {
                values.extend(broken_properties(&CollisionRule::Rubin {
                    restitution,
                    exponent,
                    friction,
                }));
            }
            let outside = broken_properties(&walton(0.8, 5.0));
            values.push(f64::from(u8::from(outside[3] > 0.0)));
            Ok(Measured::values(values))
        }),
    }
}

/// How many collisions break (P1) to (P4), the largest deviation from (2-13), and from the conservation of
/// momentum and angular momentum.
fn broken_properties(rule: &CollisionRule) -> [f64; 6] {
    let mut random = Pcg64::seed_from_u64(2016);
    let mut broken = [0.0; 6];
    for _ in 0..COLLISIONS {
        let mut between = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
        let mut vector = || {
            let (turn, height) = (between(0.0, TAU), between(-1.0, 1.0));
            let flat = (1.0_f64 - height * height).sqrt();
            DVec3::new(flat * turn.cos(), flat * turn.sin(), height)
        };
        let [normal, across, one, other] = [(); 4].map(|()| vector());
        let mut body = |velocity: DVec3, axis: DVec3| {
            let (mass, radius) = (between(0.2, 1.2), between(0.3, 1.3));
            let spin = between(0.0, 4.0) * axis;
            Body::grain(GrainShape::Sphere, mass, radius, velocity, spin)
        };
        // Towards each other along the normal, anywhere across it.
        let first = body(normal + 2.0 * across.reject_from(normal), one);
        let second = body(-0.3 * normal, other);
        let impact = collide(&first, &second, normal, rule, false);
        let contact = |a: &Body, b: &Body| {
            a.velocity - b.velocity + (a.radius * a.spin + b.radius * b.spin).cross(normal)
        };
        let before = contact(&first, &second);
        let reduced = first.mass * second.mass / (first.mass + second.mass);
        let energy = |a: &Body, b: &Body| a.kinetic_energy() + b.kinetic_energy();
        let held = energy(&first, &second);
        let lost = held - energy(&impact.first, &impact.second);
        let approach = before.dot(normal);
        let obliquity = (before - approach * normal).length() / approach;
        let e = rule.restitution(reduced, approach);
        let shear = rule.shear_ratio(e, obliquity, SLIP_RATIO);
        let predicted = energy_loss(reduced, approach, e, obliquity, shear, SLIP_RATIO);
        let failures = [
            impact.impulse.dot(before) >= 0.0,
            impact.impulse.dot(normal) >= 0.0,
            contact(&impact.first, &impact.second).dot(normal) > 0.0,
            // Where nothing is lost, rounding decides the sign.
            lost < -1e-14 * held,
        ];
        for (count, failed) in broken.iter_mut().zip(failures) {
            *count += f64::from(u8::from(failed));
        }
        broken[4] = broken[4].max((lost - predicted).abs() / held);
        let momentum = |a: &Body, b: &Body| a.mass * a.velocity + b.mass * b.velocity;
        // About the point of contact, from which the centres are at −R_A n and R_B n.
        let angular = |a: &Body, b: &Body| {
            a.inertia * a.spin + b.inertia * b.spin - (a.radius * a.mass) * normal.cross(a.velocity)
                + (b.radius * b.mass) * normal.cross(b.velocity)
        };
        let (a, b) = (&impact.first, &impact.second);
        for change in [
            momentum(a, b) - momentum(&first, &second),
            angular(a, b) - angular(&first, &second),
        ] {
            broken[5] = broken[5].max(change.length());
        }
    }
    broken
}
