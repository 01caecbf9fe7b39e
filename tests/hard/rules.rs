//! The collision rules against reference solutions, and against what no rule may do.

use crate::common::{assert_all_close, assert_close, assert_within};
use crate::reference::{list, number, numbers, reference, rows, vector};
use glam::DVec3;
use lahar::laws::ContactEnd::Force;
use lahar::laws::collision::hertz_kuwabara_kono_collision;
use lahar::laws::hard_sphere::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

/// A formula evaluated in doubles against one evaluated in many digits.
const CLOSED_FORM: f64 = 1e-12;
/// The largest exponents of the reference were found by bisection, to ten digits.
const LARGEST_EXPONENT: f64 = 1e-9;
/// What the documentation promises of the viscoelastic restitution, for A/t* up to 0.1 and up to 3.
const VISCOELASTIC: [(f64, f64); 2] = [(0.1, 2e-4), (3.0, 9e-3)];
/// Momentum and energy of a collision, against the sizes of what is exchanged: a few roundings.
const CONSERVED: f64 = 1e-13;

/// Every run draws the same cases.
fn fixed_seed() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(1998),
        ..ProptestConfig::default()
    }
}

fn rubin(restitution: f64, exponent: f64, friction: f64) -> CollisionRule {
    CollisionRule::Rubin {
        restitution,
        exponent,
        friction,
    }
}

fn walton(restitution: f64, tangential_restitution: f64, friction: f64) -> CollisionRule {
    CollisionRule::Walton {
        restitution,
        tangential_restitution,
        friction,
    }
}

fn rule_of(model: &str, case: &Value) -> CollisionRule {
    let [e, alpha, friction] = ["e", "alpha", "mu_s"].map(|key| number(&case[key]));
    match model {
        "smooth" => rubin(e, alpha, friction),
        "walton" => walton(e, alpha, friction),
        other => panic!("unknown model {other}"),
    }
}

fn body(value: &Value) -> Body {
    Body {
        mass: number(&value["m"]),
        inertia: number(&value["I"]),
        radius: number(&value["R"]),
        velocity: vector(&value["v"]),
        spin: vector(&value["w"]),
    }
}

#[track_caller]
fn check_body(got: &Body, result: &Value, velocity: &str, spin: &str, what: &str) {
    let found = got.velocity.to_array();
    assert_all_close(&found, &numbers(&result[velocity]), CLOSED_FORM, what);
    let found = got.spin.to_array();
    assert_all_close(&found, &numbers(&result[spin]), CLOSED_FORM, what);
}

#[test]
fn collisions_in_space_are_those_of_the_reference() {
    let file = reference("walton_vs_smooth");
    let file = &file["collisions_3d"];
    let (a, b) = (body(&file["A"]), body(&file["B"]));
    let cases = list(&file["cases"]);
    assert_eq!(cases.len(), 5);
    for case in cases {
        let model = case["model"].as_str().unwrap_or_default();
        let rule = rule_of(model, case);
        let result = &case["result"];
        let what = format!("{rule:?}");
        let normal = vector(&case["n"]).normalize();
        let impact = collide(&a, &b, normal, &rule, false);
        check_body(&impact.first, result, "vA", "wA", &what);
        check_body(&impact.second, result, "vB", "wB", &what);
        assert_all_close(
            &impact.impulse.to_array(),
            &numbers(&result["impulse_on_A"]),
            CLOSED_FORM,
            &what,
        );
        let e = number(&case["e"]);
        let obliquity = number(&result["psi1"]);
        let ratio = slip_ratio(&a, &b, number(&result["m_eff"]));
        assert_close(
            1.0 / (ratio - 1.0),
            number(&result["I_m"]),
            CLOSED_FORM,
            &what,
        );
        let mu = rule.shear_ratio(e, obliquity, ratio);
        assert_close(mu, number(&result["mu"]), CLOSED_FORM, &what);
        let eta = energetic_coefficient(e, obliquity, mu, ratio);
        assert_close(eta, number(&result["eta"]), CLOSED_FORM, &what);
        let slip = rebound_slip(e, obliquity, mu, ratio);
        assert_close(slip, number(&result["psi2_times_e"]), CLOSED_FORM, &what);
        let loss = a.kinetic_energy() + b.kinetic_energy()
            - impact.first.kinetic_energy()
            - impact.second.kinetic_energy();
        let want = number(&result["energy_loss"]);
        let scale = a.kinetic_energy() + b.kinetic_energy();
        assert_within(loss, want, CLOSED_FORM * scale, &what);
    }
}

#[test]
fn a_collision_with_a_wall_is_that_of_the_reference() {
    let file = reference("walton_vs_smooth");
    let a = body(&file["collisions_3d"]["A"]);
    let case = &file["collisions_3d"]["A_on_fixed_wall_n_001"];
    let rule = rule_of("smooth", case);
    let wall = Body::wall(DVec3::ZERO);
    let impact = collide(&a, &wall, DVec3::Z, &rule, false);
    check_body(&impact.first, &case["result"], "vA", "wA", "wall");
    assert_eq!(impact.second, wall);
}

#[test]
fn curves_over_obliquity_are_those_of_the_reference() {
    let file = reference("walton_vs_smooth");
    let ratio = GrainShape::Sphere.slip_ratio();
    let mut points = 0;
    for curve in list(&file["curves"]) {
        let e = number(&curve["e"]);
        for row in rows(&curve["data"]) {
            let obliquity = row[0];
            for (model, first) in [("smooth", 2), ("walton", 8)] {
                let what = format!("{model}, e = {e}, ψ₁ = {obliquity}");
                let mu = rule_of(model, curve).shear_ratio(e, obliquity, ratio);
                assert_within(mu, row[first], CLOSED_FORM, &what);
                let psi2 = rebound_slip(e, obliquity, mu, ratio) / e;
                assert_within(psi2, row[first + 1], 10.0 * CLOSED_FORM, &what);
                let eta = energetic_coefficient(e, obliquity, mu, ratio);
                assert_within(eta, row[first + 2], CLOSED_FORM, &what);
                // Normalised by ½ m |Δv|², with v_n = 1.
                let loss = energy_loss(1.0, 1.0, e, obliquity, mu, ratio);
                let loss = loss / (0.5 * (1.0 + obliquity * obliquity));
                assert_within(loss, row[first + 4], CLOSED_FORM, &what);
                points += 1;
            }
        }
    }
    assert_eq!(points, 5 * 41 * 2);
}

/// Section 6 of Rubin: a sphere bouncing on a plane, thirty times.
#[test]
fn bounces_on_a_plane_are_those_of_the_reference() {
    let file = reference("rubin_bounce");
    for name in ["6.3", "6.4", "6.5"] {
        let case = &file["cases"][name];
        for model in ["smooth", "walton"] {
            let rule = rule_of(model, case);
            let (radius, mass) = (0.01, 0.03);
            let bounces = rows(&case[model]);
            assert_eq!(bounces.len(), 30);
            // The plane is at +x, gravity points to it: u along x, w along y, ω about z.
            let start = &bounces[0];
            let mut ball = Body::grain(
                GrainShape::Sphere,
                mass,
                radius,
                DVec3::new(start[1], start[2], 0.0),
                DVec3::new(0.0, 0.0, start[3] / radius),
            );
            let energy = ball.kinetic_energy();
            for row in &bounces {
                let what = format!("{name} {model}, bounce {}", row[0]);
                let got = [ball.velocity.x, ball.velocity.y, radius * ball.spin.z];
                for (got, want) in got.iter().zip(&row[1..4]) {
                    // Where all slip is gone (6.4) rounding of the first bounce is left.
                    assert_within(*got, *want, CLOSED_FORM * start[2].max(1.0), &what);
                }
                assert_close(ball.kinetic_energy() / energy, row[8], CLOSED_FORM, &what);
                ball = collide(&ball, &Body::wall(DVec3::ZERO), DVec3::X, &rule, false).first;
                // Free flight under gravity turns the speed around.
                ball.velocity.x = -ball.velocity.x;
            }
        }
    }
}

#[test]
fn largest_exponents_are_those_of_the_reference() {
    let file = reference("walton_vs_smooth");
    let table = &file["largest_admissible_alpha"];
    let friction = number(&table["mu_s"]);
    let ratio = GrainShape::Sphere.slip_ratio();
    for row in rows(&table["data"]) {
        let what = format!("e = {}", row[0]);
        let rubin = largest_rubin_exponent(row[0], friction, ratio);
        assert_close(rubin, row[1], LARGEST_EXPONENT, &what);
        let walton = largest_walton_restitution(row[0], friction, ratio);
        assert_close(walton, row[2], CLOSED_FORM, &what);
    }
}

#[test]
fn rules_that_create_energy_are_refused_with_the_allowed_range() {
    let ratio = GrainShape::Sphere.slip_ratio();
    assert!(rubin(0.8, 5.0, 0.3).check(ratio).is_ok());
    let Err(error) = rubin(0.8, 6.8, 0.3).check(ratio) else {
        panic!("creates energy at small obliquity");
    };
    assert_eq!(error.coefficient, "exponent");
    assert!(error.allowed.contains("at most 6.714869"), "{error}");
    assert!(rubin(0.8, 0.0, 0.3).check(ratio).is_err());
    assert!(rubin(1.1, 0.5, 0.3).check(ratio).is_err());
    assert!(rubin(0.5, 100.0, 0.3).check(ratio).is_ok());
    assert!(walton(0.9, 1.0, 0.3).check(ratio).is_ok());
    assert!(walton(0.9, 1.01, 0.3).check(ratio).is_err());
    assert!(walton(0.9, 1.0, -0.1).check(ratio).is_err());
    let nan = CollisionRule::Smooth {
        restitution: f64::NAN,
    };
    assert!(nan.check(ratio).is_err());
}

#[test]
fn viscoelastic_restitution_follows_the_exact_collision() {
    let (stiffness, mass, speed) = (1e6_f64, 1e-3_f64, 0.7_f64);
    let unit = (mass * mass / (stiffness * stiffness * speed)).powf(0.2);
    for (range, tolerance) in VISCOELASTIC {
        let mut last = 1.0;
        for step in 0..=50 {
            let ratio = range * f64::from(step) / 50.0;
            let want = hertz_kuwabara_kono_collision(ratio, Force).restitution;
            let got = viscoelastic_restitution(ratio * unit, stiffness, mass, speed);
            assert_within(got, want, tolerance, &format!("A/t* = {ratio}"));
            assert!(got <= last, "falls with speed");
            last = got;
        }
    }
    assert_eq!(viscoelastic_restitution(0.0, stiffness, mass, speed), 1.0);
}

#[test]
fn grains_that_do_not_approach_do_not_collide() {
    let rule = CollisionRule::Smooth { restitution: 0.9 };
    let at = |x| Body::grain(GrainShape::Sphere, 1.0, 0.1, DVec3::X * x, DVec3::Z);
    let impact = collide(&at(-1.0), &at(0.5), DVec3::X, &rule, false);
    assert_eq!((impact.first, impact.second), (at(-1.0), at(0.5)));
    assert_eq!(impact.impulse, DVec3::ZERO);
}

fn any_vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
}

fn any_rule() -> impl Strategy<Value = CollisionRule> {
    let (e, mu) = (0.0..=1.0, 0.0..2.0);
    prop_oneof![
        e.clone()
            .prop_map(|restitution| CollisionRule::Smooth { restitution }),
        (e.clone(), 0.0..=1.0, mu.clone()).prop_map(|(e, beta, mu)| walton(e, beta, mu)),
        // Up to the largest exponent there is.
        (e, 1e-3..=1.0, mu).prop_map(|(e, part, mu)| {
            // Of the two slip ratios that occur, that of spheres allows less.
            let largest = largest_rubin_exponent(e, mu, GrainShape::Sphere.slip_ratio());
            rubin(e, part * largest.min(50.0), mu)
        }),
        (0.0..1e-3).prop_map(|viscoelastic_time| CollisionRule::Viscoelastic {
            viscoelastic_time,
            stiffness: 1e6
        }),
    ]
}

fn any_body(shape: GrainShape) -> impl Strategy<Value = Body> {
    (1e-3..10.0, 1e-3..1.0, any_vector(1.0), any_vector(5.0)).prop_map(
        move |(mass, radius, velocity, spin)| {
            Body::grain(shape, mass, radius, velocity, spin / radius)
        },
    )
}

fn any_pair() -> impl Strategy<Value = (Body, Body, DVec3)> {
    let spheres = (any_body(GrainShape::Sphere), any_body(GrainShape::Sphere));
    let disks = (any_body(GrainShape::Disk), any_body(GrainShape::Disk));
    let walls = (
        any_body(GrainShape::Sphere),
        any_vector(1.0).prop_map(Body::wall),
    );
    (prop_oneof![spheres, disks, walls], any_vector(1.0))
        .prop_filter("a direction", |(_, normal)| normal.length() > 1e-3)
        .prop_map(|((a, b), normal)| {
            let normal = normal.normalize();
            // Turned so that they approach.
            let approach = (a.velocity - b.velocity).dot(normal);
            (a, b, if approach > 0.0 { normal } else { -normal })
        })
        .prop_filter("they approach", |(a, b, normal)| {
            (a.velocity - b.velocity).dot(*normal) > 1e-3
        })
}

proptest! {
    #![proptest_config(fixed_seed())]

    /// Momentum; angular momentum about the point of contact; (P1) to (P4) of Rubin.
    #[test]
    fn no_rule_breaks_a_law((a, b, normal) in any_pair(), rule in any_rule(), elastic: bool) {
        let impact = collide(&a, &b, normal, &rule, elastic);
        let (first, second, impulse) = (impact.first, impact.second, impact.impulse);
        let contact = |a: &Body, b: &Body| {
            a.velocity - b.velocity + (a.radius * a.spin + b.radius * b.spin).cross(normal)
        };
        let (before, after) = (contact(&a, &b), contact(&first, &second));
        prop_assert!(impulse.dot(before) < 0.0, "P1");
        prop_assert!(impulse.dot(normal) < 0.0, "P2");
        let approach = before.dot(normal);
        prop_assert!(after.dot(normal) <= CONSERVED * before.length(), "P3");
        let energy = a.kinetic_energy() + b.kinetic_energy();
        // In the frame of the wall, which does no work there.
        let still = |body: &Body| Body { velocity: body.velocity - b.velocity, ..*body };
        let (energy, left) = if b.mass.is_infinite() {
            (still(&a).kinetic_energy(), still(&first).kinetic_energy())
        } else {
            (energy, first.kinetic_energy() + second.kinetic_energy())
        };
        prop_assert!(left <= energy * (1.0 + CONSERVED), "P4: {left} > {energy}");
        if elastic {
            prop_assert!((left - energy).abs() <= CONSERVED * energy);
        }
        let reduced = 1.0 / (1.0 / a.mass + 1.0 / b.mass);
        let e = if elastic { 1.0 } else { rule.restitution(reduced, approach) };
        prop_assert!((after.dot(normal) + e * approach).abs() <= CONSERVED * before.length() * 10.0);

        if b.mass.is_finite() {
            let momentum = |a: &Body, b: &Body| a.mass * a.velocity + b.mass * b.velocity;
            let scale = (a.mass + b.mass) * (a.velocity.length() + b.velocity.length());
            let error = momentum(&first, &second) - momentum(&a, &b);
            prop_assert!(error.length() <= CONSERVED * scale);
            // About the point of contact: the centre of A is at −R_A n, that of B at R_B n.
            let angular = |a: &Body, b: &Body| {
                normal.cross(b.radius * b.mass * b.velocity - a.radius * a.mass * a.velocity)
                    + a.inertia * a.spin
                    + b.inertia * b.spin
            };
            let size = |body: &Body| {
                body.mass * body.radius * body.velocity.length() + body.inertia * body.spin.length()
            };
            let error = angular(&first, &second) - angular(&a, &b);
            prop_assert!(error.length() <= CONSERVED * (size(&a) + size(&b)) * 10.0);
        } else {
            prop_assert_eq!(second, b);
        }
    }

    /// Seen from the other body the impulse is the opposite, and so are all results.
    #[test]
    fn a_collision_is_the_same_from_both_sides((a, b, normal) in any_pair(), rule in any_rule()) {
        let impact = collide(&a, &b, normal, &rule, false);
        let mirrored = collide(&b, &a, -normal, &rule, false);
        let scale = impact.impulse.length();
        prop_assert!((impact.impulse + mirrored.impulse).length() <= CONSERVED * scale * 10.0);
        let spin = a.spin.length() + impact.first.spin.length();
        prop_assert!((impact.first.spin - mirrored.second.spin).length() <= 10.0 * CONSERVED * spin);
    }

    /// Beyond the largest exponent some obliquity creates energy; at it none does.
    #[test]
    fn the_largest_exponent_is_the_limit(e in 0.0..0.99, friction in 0.05..2.0_f64) {
        for shape in [GrainShape::Disk, GrainShape::Sphere] {
            let ratio = shape.slip_ratio();
            let largest = largest_rubin_exponent(e, friction, ratio);
            prop_assert!(largest >= 1.0);
            let worst = |exponent: f64| {
                let full = full_slip_obliquity(e, friction, ratio);
                (1..20_000).map(|i| {
                    let obliquity = full * f64::from(i) / 20_000.0;
                    let mu = rubin(e, exponent, friction).shear_ratio(e, obliquity, ratio);
                    energetic_coefficient(e, obliquity, mu, ratio)
                }).fold(f64::NEG_INFINITY, f64::max)
            };
            if largest < 200.0 {
                prop_assert!(worst(largest) <= 1.0 + 1e-9);
                prop_assert!(worst(1.02 * largest) > 1.0);
            } else {
                prop_assert!(worst(200.0) <= 1.0);
            }
        }
    }
}
