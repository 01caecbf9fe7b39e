//! Restitution and contact time converge with the second order of the step, whatever the phase at
//! which the grains touch.

#![allow(clippy::expect_used, reason = "a test may stop at what cannot be")]

use glam::DVec3;
use lahar::collide::{Collision, Step};
use lahar::laws::ContactEnd;
use lahar::laws::collision::{hertz_tsuji_collision, hertz_viscous_collision};
use lahar::laws::linear::{linear_contact_time, linear_damping_ratio_from_restitution};
use lahar::scene::{ContactLaws, Material, NormalLaw, Pair, TangentialLaw};

fn material() -> Material {
    Material {
        name: "m".into(),
        density: 2500.0,
        young: Some(1e7),
        poisson: 0.3,
    }
}

fn head_on(normal: NormalLaw, end: ContactEnd, pair: Pair) -> Collision {
    Collision {
        laws: ContactLaws {
            normal,
            tangential: TangentialLaw::None,
            end,
            ..ContactLaws::default()
        },
        radius: [0.01, 0.01],
        material: [
            material(),
            Material {
                name: "n".into(),
                ..material()
            },
        ],
        pair,
        wall: false,
        speed: 1.0,
        angle: 0.0,
        spin: 0.0,
        gravity: 0.0,
        origin: DVec3::ZERO,
        step: Step::PerContact(50.0),
        phase: 0.5,
    }
}

/// Low-discrepancy phases in (0, 1).
fn phase(k: u32) -> f64 {
    (f64::from(k) * 0.618_033_988_749_895 + 0.137).fract()
}

fn worst(collision: &Collision, restitution: f64, time: f64, steps: f64) -> (f64, f64) {
    let mut worst = (0.0f64, 0.0f64);
    for k in 0..60 {
        let per_contact = steps * (1.0 + 0.37 * phase(7 * k + 3));
        let outcome = Collision {
            step: Step::PerContact(per_contact),
            phase: phase(k),
            ..collision.clone()
        }
        .run()
        .expect("collision");
        let found = outcome.contact_time.expect("the spheres come apart");
        worst.0 = worst.0.max((outcome.restitution / restitution - 1.0).abs());
        worst.1 = worst.1.max((found / time - 1.0).abs());
    }
    worst
}

#[test]
fn linear() {
    let mass = 0.5 * 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    for end in [ContactEnd::Overlap, ContactEnd::Force] {
        for restitution in [0.3, 0.5, 0.8, 1.0] {
            let stiffness = 1e4;
            let pair = Pair {
                stiffness: Some(stiffness),
                restitution: Some(restitution),
                ..Pair::new(0, 1)
            };
            let collision = head_on(NormalLaw::Linear, end, pair);
            let ratio = linear_damping_ratio_from_restitution(restitution, end);
            let time = linear_contact_time(ratio, stiffness, mass, end);
            for (steps, bound) in [(50.0, 1e-3), (200.0, 1e-3 / 16.0), (1000.0, 5e-6)] {
                let (e, t) = worst(&collision, restitution, time, steps);
                assert!(
                    e <= bound && t <= bound,
                    "{end:?}, e = {restitution:.3}, {steps} steps: errors {e:.2e} and {t:.2e}, bound {bound:.1e}"
                );
            }
        }
    }
}

#[test]
fn hertz_viscous() {
    let mass = 0.5 * 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    for end in [ContactEnd::Overlap, ContactEnd::Force] {
        // e from 1 down to 0.3 in either convention.
        for lambda in [0.0, 0.05, 0.1, 0.2, 0.28, 0.43] {
            if lambda > 0.3 && end == ContactEnd::Overlap {
                continue;
            }
            let exact = hertz_viscous_collision(lambda, end);
            let stiffness = 1e6;
            let unit = lahar::laws::hertz::hertz_time_unit(stiffness, mass, 1.0);
            let pair = Pair {
                stiffness: Some(stiffness),
                damping: Some(2.0 * lambda * mass / unit),
                ..Pair::new(0, 1)
            };
            let collision = head_on(NormalLaw::HertzViscous, end, pair);
            for (steps, bound) in [(50.0, 1e-3), (1000.0, 5e-6)] {
                let restitution = exact.restitution;
                let (e, t) = worst(&collision, restitution, unit * exact.contact_time, steps);
                assert!(
                    e <= bound && t <= bound,
                    "{end:?}, e = {restitution:.3}, {steps} steps: errors {e:.2e} and {t:.2e}, bound {bound:.1e}"
                );
            }
        }
    }
}

#[test]
fn hertz_tsuji() {
    let mass = 0.5 * 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    for end in [ContactEnd::Overlap, ContactEnd::Force] {
        for restitution in [0.3, 0.5, 0.7, 0.9, 0.97, 1.0] {
            let ratio = lahar::laws::damping::tsuji_damping_ratio(restitution, end);
            let exact = hertz_tsuji_collision(ratio, end);
            let stiffness = 1e6;
            let unit = lahar::laws::hertz::hertz_time_unit(stiffness, mass, 1.0);
            let pair = Pair {
                stiffness: Some(stiffness),
                restitution: Some(restitution),
                ..Pair::new(0, 1)
            };
            let collision = head_on(NormalLaw::HertzTsuji, end, pair);
            for (steps, bound) in [(50.0, 3e-3), (1000.0, 1e-4)] {
                let (e, t) = worst(&collision, restitution, unit * exact.contact_time, steps);
                assert!(
                    e <= bound && t <= bound,
                    "{end:?}, e = {restitution:.3}, {steps} steps: errors {e:.2e} and {t:.2e}, bound {bound:.1e}"
                );
            }
        }
    }
}
