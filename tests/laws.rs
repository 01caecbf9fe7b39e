//! The contact laws against closed forms, published numbers, independent solutions, and what
//! physics forbids.
//!
//! `tests/data` holds the reference solutions, computed with 24 to 45 digits and stored as doubles.

mod common;

use std::f64::consts::PI;

use common::{assert_all_close, assert_close, assert_within};
use glam::DVec3;
use lahar::laws::ContactEnd::{self, Force, Overlap};
use lahar::laws::{
    adaptive::*, cohesion::*, collision::*, damping::*, ended_normal_force, fluid::*, hertz::*,
    linear::*, lubrication::*, material::*, rolling::*, stretched::*, tangential::*,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;

/// A formula evaluated in doubles against one evaluated in many digits: some tens of roundings.
const CLOSED_FORM: f64 = 1e-12;
/// The Taylor integrator takes ten to a hundred steps, each good to rounding.
const COLLISION: f64 = 1e-11;
/// The reference list of Kuwabara–Kono collisions is printed with nine digits.
const KUWABARA_KONO: f64 = 2e-9;
/// Central differences with a relative step of 1e-5 err by its square times a third derivative.
const DIFFERENCE: f64 = 1e-8;
/// One rounding of a vector's length may exceed a limit.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Every run draws the same cases; `PROPTEST_CASES` draws more of them.
fn fixed_seed() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(1882),
        ..ProptestConfig::default()
    }
}

const ENDS: [ContactEnd; 2] = [Overlap, Force];

fn reference(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A number of a reference file; the string "inf" is infinity.
fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        _ => value
            .as_f64()
            .unwrap_or_else(|| panic!("not a number: {value}")),
    }
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    let table = value
        .as_array()
        .unwrap_or_else(|| panic!("not a table: {value}"));
    assert!(!table.is_empty());
    table.iter().map(numbers).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    let row = value
        .as_array()
        .unwrap_or_else(|| panic!("not a row: {value}"));
    row.iter().map(number).collect()
}

/// Checks `force = dU/dδ` by central differences.
#[track_caller]
fn assert_derivative(energy: impl Fn(f64) -> f64, force: f64, at: f64, what: &str) {
    let step = 1e-5 * at.abs();
    let slope = (energy(at + step) - energy(at - step)) / (2.0 * step);
    assert_close(slope, force, DIFFERENCE, what);
}

mod end_of_contact {
    use super::*;

    #[test]
    fn only_the_overlap_convention_attracts() {
        assert_eq!(ended_normal_force(Overlap, 1.0, -3.0), -2.0);
        assert_eq!(ended_normal_force(Force, 1.0, -3.0), 0.0);
        for end in ENDS {
            assert_eq!(ended_normal_force(end, 1.0, 3.0), 4.0);
        }
    }
}

mod materials {
    use super::*;

    #[test]
    fn reference_pairs() {
        let file = reference("tsuji_hertz");
        let examples = file["material_examples"]
            .as_array()
            .unwrap_or_else(|| panic!("no examples"));
        assert_eq!(examples.len(), 3);
        for example in examples {
            let (one, two, result) = (&example["p1"], &example["p2"], &example["result"]);
            let check = |got: f64, key: &str| {
                assert_close(
                    got,
                    number(&result[key]),
                    CLOSED_FORM,
                    &format!("{} {key}", example["name"]),
                );
            };
            let (e1, nu1, e2, nu2) = (
                number(&one["E"]),
                number(&one["nu"]),
                number(&two["E"]),
                number(&two["nu"]),
            );
            let (r1, rho1) = (number(&one["R"]), number(&one["rho"]));
            let wall = two["R"] == "plane";
            let r2 = if wall {
                f64::INFINITY
            } else {
                number(&two["R"])
            };
            let m1 = sphere_mass(rho1, r1);
            let m2 = if wall {
                f64::INFINITY
            } else {
                sphere_mass(number(&two["rho"]), r2)
            };
            let young = effective_young_modulus(e1, nu1, e2, nu2);
            let shear = effective_shear_modulus(e1, nu1, e2, nu2);
            let (radius, mass) = (reduced(r1, r2), reduced(m1, m2));
            let k = hertz_stiffness(young, radius);
            let speed = number(&result["v"]);
            let overlap = hertz_max_overlap(k, mass, speed);
            check(young, "E_star");
            check(shear, "G_star");
            check(radius, "R_star");
            check(m1, "m1");
            check(mass, "m_star");
            check(k, "k_hertz");
            check(mindlin_stiffness(shear, radius), "kt_over_sqrt_delta");
            check(
                mindlin_stiffness(shear, radius) * overlap.sqrt()
                    / hertz_tangent_stiffness(k, overlap),
                "kt_over_tangent_kn",
            );
            check(hertz_time_unit(k, mass, speed), "t_star");
            check(hertz_contact_time(k, mass, speed), "T_hertz");
            check(overlap, "delta_max");
            check(hertz_elastic_force(k, overlap), "F_max");
            check(rayleigh_time(r1, rho1, e1, nu1), "rayleigh_dt_particle1");
        }
    }

    #[test]
    fn walls_and_rigid_bodies_drop_out() {
        let infinite = f64::INFINITY;
        assert_eq!(reduced(3.0, infinite), 3.0);
        assert_eq!(reduced(infinite, 3.0), 3.0);
        assert_eq!(reduced(infinite, infinite), infinite);
        assert_eq!(reduced(0.0, 0.0), 0.0);
        assert_close(reduced(2.0, 6.0), 1.5, ROUNDING, "reduced");
        assert_close(
            effective_young_modulus(9.0, 0.5, infinite, 0.3),
            12.0,
            ROUNDING,
            "rigid wall",
        );
        assert_eq!(
            effective_young_modulus(infinite, 0.2, infinite, 0.3),
            infinite
        );
        assert_close(
            effective_shear_modulus(infinite, 0.3, 2.6, 0.3),
            1.0 / 1.7,
            ROUNDING,
            "rigid wall, shear",
        );
        assert_eq!(
            effective_shear_modulus(infinite, 0.2, infinite, 0.3),
            infinite
        );
    }

    #[test]
    fn a_solid_sphere() {
        assert_close(sphere_volume(2.0), 32.0 * PI / 3.0, ROUNDING, "volume");
        assert_close(sphere_inertia(5.0, 2.0), 8.0, ROUNDING, "inertia");
        // 1/m_t = 1/m + R²/I for a sphere on a wall.
        let (mass, radius) = (0.7, 0.03);
        let slip = 1.0 / (1.0 / mass + radius * radius / sphere_inertia(mass, radius));
        assert_close(
            tangential_reduced_mass(mass),
            slip,
            ROUNDING,
            "tangential mass",
        );
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn reduced_is_symmetric_and_smaller(a in 1e-9..1e9f64, b in 1e-9..1e9f64) {
            prop_assert_eq!(reduced(a, b), reduced(b, a));
            prop_assert!(reduced(a, b) <= a.min(b));
            prop_assert!(2.0 * reduced(a, b) >= a.min(b) * (1.0 - ROUNDING));
        }
    }
}

mod linear_dashpot {
    use super::*;

    #[test]
    fn restitution_table() {
        let file = reference("linear_dashpot_cases");
        for row in rows(&file["restitution_table"]["data"]) {
            let [ratio, e_overlap, t_overlap, e_force, t_force, peak] = row[..] else {
                panic!("columns")
            };
            let what = |quantity: &str| format!("{quantity} at ratio {ratio}");
            assert_close(
                linear_restitution(ratio, Overlap),
                e_overlap,
                CLOSED_FORM,
                &what("e overlap"),
            );
            assert_close(
                linear_contact_time(ratio, 1.0, 1.0, Overlap),
                t_overlap,
                CLOSED_FORM,
                &what("t overlap"),
            );
            assert_close(
                linear_restitution(ratio, Force),
                e_force,
                CLOSED_FORM,
                &what("e force"),
            );
            assert_close(
                linear_contact_time(ratio, 1.0, 1.0, Force),
                t_force,
                CLOSED_FORM,
                &what("t force"),
            );
            assert_close(
                linear_max_overlap(ratio, 1.0, 1.0, 1.0),
                peak,
                CLOSED_FORM,
                &what("peak"),
            );
            assert_close(
                linear_damping_ratio_from_restitution(e_force, Force),
                ratio,
                CLOSED_FORM,
                &what("inverse"),
            );
            if ratio < 1.0 {
                let inverse = linear_damping_ratio_from_restitution(e_overlap, Overlap);
                assert_close(inverse, ratio, CLOSED_FORM, &what("inverse overlap"));
            }
        }
    }

    /// Case studies 1 to 3 of Teufelsbauer, Hübl & Wu with the reduced mass.
    #[test]
    fn case_studies() {
        let file = reference("linear_dashpot_cases");
        let cases = file["cases"]
            .as_array()
            .unwrap_or_else(|| panic!("no cases"));
        assert_eq!(cases.len(), 3);
        for case in cases {
            let get = |key: &str| number(&case[key]);
            let name = case["name"].to_string();
            let (speed, ratio) = (get("v0"), get("alpha"));
            let k = reduced(get("k1"), get("k2"));
            let mass = reduced(get("m1"), get("m2"));
            let c = linear_damping(ratio, k, mass);
            assert_close(k, get("k"), CLOSED_FORM, &format!("{name} k"));
            assert_close(mass, get("m_eff"), CLOSED_FORM, &format!("{name} mass"));
            assert_close(c, get("c"), CLOSED_FORM, &format!("{name} c"));
            assert_close(
                linear_damping_ratio(c, k, mass),
                ratio,
                CLOSED_FORM,
                &format!("{name} ratio"),
            );

            let result = |key: &str| number(&case["result"][key]);
            for (end, e, t) in [
                (Overlap, "e_overlap", "t_c_overlap"),
                (Force, "e_force", "t_c_force"),
            ] {
                assert_close(
                    linear_restitution(ratio, end),
                    result(e),
                    CLOSED_FORM,
                    &format!("{name} {e}"),
                );
                assert_close(
                    linear_contact_time(ratio, k, mass, end),
                    result(t),
                    CLOSED_FORM,
                    &format!("{name} {t}"),
                );
            }
            assert_close(
                linear_max_overlap(ratio, k, mass, speed),
                result("xi_max"),
                CLOSED_FORM,
                &format!("{name} xi_max"),
            );

            let samples = rows(&case["relative"]);
            let column = |index: usize| samples.iter().map(|row| row[index]).collect::<Vec<_>>();
            let motion: Vec<_> = column(0)
                .iter()
                .map(|&t| linear_motion(ratio, k, mass, speed, t))
                .collect();
            let overlaps: Vec<_> = motion.iter().map(|sample| sample.0).collect();
            let rates: Vec<_> = motion.iter().map(|sample| sample.1).collect();
            let forces: Vec<_> = motion
                .iter()
                .map(|&(overlap, rate)| {
                    linear_elastic_force(k, overlap) + linear_damping_force(c, rate)
                })
                .collect();
            assert_all_close(
                &overlaps,
                &column(1),
                CLOSED_FORM,
                &format!("{name} overlap"),
            );
            assert_all_close(&rates, &column(2), CLOSED_FORM, &format!("{name} rate"));
            assert_all_close(&forces, &column(3), CLOSED_FORM, &format!("{name} force"));
        }
    }

    #[test]
    fn limits() {
        assert_eq!(linear_elastic_force(5.0, 0.0), 0.0);
        assert_eq!(linear_elastic_force(5.0, -1.0), 0.0);
        assert_eq!(linear_elastic_energy(5.0, -1.0), 0.0);
        for end in ENDS {
            assert_eq!(linear_restitution(0.0, end), 1.0);
            assert_eq!(linear_damping_ratio_from_restitution(1.0, end), 0.0);
        }
        assert_close(
            linear_restitution(1.0, Force),
            (-2.0_f64).exp(),
            ROUNDING,
            "critical",
        );
        assert_eq!(linear_contact_time(1.0, 4.0, 1.0, Overlap), f64::INFINITY);
        assert_eq!(linear_damping_ratio_from_restitution(0.0, Overlap), 1.0);
        assert_eq!(
            linear_damping_ratio_from_restitution(0.0, Force),
            f64::INFINITY
        );
    }

    /// The three branches meet: just beside critical damping everything is as at it.
    #[test]
    fn smooth_through_critical_damping() {
        let bound = 1e-9; // ten times the distance from critical damping
        for ratio in [1.0 - 1e-10, 1.0, 1.0 + 1e-10] {
            let (overlap, rate) = linear_motion(ratio, 1.0, 1.0, 1.0, 1.5);
            assert_close(overlap, 1.5 * (-1.5_f64).exp(), bound, "critical overlap");
            assert_close(rate, -0.5 * (-1.5_f64).exp(), bound, "critical rate");
            assert_close(
                linear_restitution(ratio, Force),
                (-2.0_f64).exp(),
                bound,
                "critical restitution",
            );
        }
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn inverse_restitution(restitution in 1e-6..1.0f64) {
            for end in ENDS {
                let ratio = linear_damping_ratio_from_restitution(restitution, end);
                // A rounding of the ratio moves the restitution by up to its slope, steep near
                // critical damping.
                assert_close(
                    linear_restitution(ratio, end),
                    restitution,
                    1e-11,
                    "restitution of its inverse",
                );
            }
        }

        #[test]
        fn the_force_cut_rebounds_more(ratio in 0.001..3.0f64) {
            prop_assert!(linear_restitution(ratio, Force) > linear_restitution(ratio, Overlap));
            let time = |end| linear_contact_time(ratio, 2.0, 3.0, end);
            prop_assert!(time(Force) < time(Overlap));
        }

        /// The closed motion satisfies its equation, starts right, and peaks and ends where it is
        /// said to.
        #[test]
        fn motion_obeys_newton(
            ratio in 0.0..4.0f64,
            k in 1.0..1e6f64,
            mass in 1e-3..10.0f64,
            speed in 0.01..10.0f64,
        ) {
            let c = linear_damping(ratio, k, mass);
            let time = (mass / k).sqrt();
            let (overlap, rate) = linear_motion(ratio, k, mass, speed, 0.0);
            prop_assert_eq!(overlap, 0.0);
            assert_close(rate, speed, ROUNDING, "rate at first touch");
            let step = 1e-5 * time;
            let at = |t: f64| linear_motion(ratio, k, mass, speed, t);
            let (overlap, rate) = at(0.8 * time);
            let slope = (at(0.8 * time + step).1 - at(0.8 * time - step).1) / (2.0 * step);
            assert_within(
                mass * slope,
                -k * overlap - c * rate,
                1e-8 * (k * time + c) * speed,
                "Newton",
            );
            let half = 0.5 * linear_contact_time(ratio, k, mass, Force);
            assert_within(at(half).1, 0.0, 1e-12 * speed, "rate at the peak");
            assert_close(at(half).0, linear_max_overlap(ratio, k, mass, speed), 1e-12, "peak");
            let (overlap, rate) = at(2.0 * half);
            assert_within(
                k * overlap + c * rate,
                0.0,
                1e-12 * (k * time + c) * speed,
                "force at the end",
            );
            assert_within(
                rate,
                -linear_restitution(ratio, Force) * speed,
                1e-12 * speed,
                "rate at the end",
            );
        }

        #[test]
        fn force_is_the_slope_of_energy(k in 1.0..1e6f64, overlap in 1e-9..1e-2f64) {
            assert_derivative(
                |at| linear_elastic_energy(k, at),
                linear_elastic_force(k, overlap),
                overlap,
                "linear",
            );
        }
    }
}

mod stepped_contact {
    use super::*;

    /// The recurrence that the documentation of the law states, begun on the wanted solution.
    fn after_a_contact(e_t: f64, steps: u32, coefficients: (f64, f64)) -> f64 {
        let (mass, dt) = (0.7, 1.0 / f64::from(steps));
        let (k, c) = coefficients;
        let size = e_t.powf(dt);
        let (sine, cosine) = (std::f64::consts::PI * dt).sin_cos();
        let (re, im) = (size * cosine, size * sine);
        let square = re * re + im * im;
        // u*/(z − 1) Δt with u* = (3 − 1/z)/2, real part.
        let star = [1.5 - 0.5 * re / square, 0.5 * im / square];
        let below = [re - 1.0, im];
        let mut spring = dt * (star[0] * below[0] + star[1] * below[1])
            / (below[0] * below[0] + below[1] * below[1]);
        let (mut slip, mut before) = (1.0, re / square);
        for _ in 0..steps {
            let predicted = 1.5 * slip - 0.5 * before;
            let force = -k * (spring + 0.5 * dt * predicted) - c * predicted;
            spring += dt * predicted;
            (before, slip) = (slip, slip + force * dt / mass);
        }
        -slip
    }

    #[test]
    fn the_leapfrog_gives_the_restitution() {
        for e_t in [0.1, 0.34, 0.7, 1.0] {
            for steps in [8, 10, 20, 100] {
                let dt = 1.0 / f64::from(steps);
                let stepped = stepped_tangential_coefficients(0.7, e_t, 1.0, dt);
                let found = after_a_contact(e_t, steps, stepped);
                assert!((found - e_t).abs() < 1e-11, "{e_t} in {steps}: {found}");
            }
        }
    }

    #[test]
    fn short_steps_and_strong_damping_leave_the_continuous_contact() {
        let continuous = stretched_tangential_coefficients(0.7, 0.34, 1.0);
        let stepped = stepped_tangential_coefficients(0.7, 0.34, 1.0, 1e-4);
        assert!((stepped.0 / continuous.0 - 1.0).abs() < 1e-7);
        assert!((stepped.1 / continuous.1 - 1.0).abs() < 1e-7);
        assert_eq!(
            stepped_tangential_coefficients(0.7, 0.01, 1.0, 0.125),
            stretched_tangential_coefficients(0.7, 0.01, 1.0)
        );
    }
}

mod stretched_contact {
    use super::*;

    #[test]
    fn coefficients_of_costa() {
        let file = reference("costa_oblique");
        for name in [
            "steel_dry",
            "steel_wet_friction",
            "glass_dry",
            "glass_wet_friction",
        ] {
            let material = |key: &str| number(&file["materials"][name][key]);
            let (mass, time) = (0.03, 2e-4);
            let (k, c) =
                stretched_normal_coefficients(mass, material("e_n"), time, ContactEnd::Overlap);
            assert_close(
                k * time * time / mass,
                material("kn_T2_over_m"),
                CLOSED_FORM,
                name,
            );
            assert_close(
                c * time / mass,
                material("etan_T_over_m"),
                CLOSED_FORM,
                name,
            );
            let slip_mass = tangential_reduced_mass(mass);
            let (k, c) = stretched_tangential_coefficients(slip_mass, material("e_t"), time);
            assert_close(
                k * time * time / mass,
                material("kt_T2_over_m"),
                CLOSED_FORM,
                name,
            );
            assert_close(
                c * time / mass,
                material("etat_T_over_m"),
                CLOSED_FORM,
                name,
            );
        }
    }

    /// Oblique impacts with the slider law, the normal motion in closed form: first order in the
    /// step.
    #[test]
    fn oblique_impacts_of_costa() {
        let tolerance = 1e-4; // first order, at 10 000 steps a contact
        let file = reference("costa_oblique");
        for name in ["steel_dry", "glass_dry", "glass_wet_friction"] {
            let material = &file["materials"][name];
            for row in rows(&material["coulomb_repulsive_only"]) {
                let e_n = number(&material["e_n"]);
                let got = oblique_rebound(
                    e_n,
                    number(&material["e_t"]),
                    number(&material["mu"]),
                    row[0],
                    10_000,
                );
                assert_within(
                    got,
                    row[1],
                    tolerance,
                    &format!("{name}, tangent of incidence {}", row[0]),
                );
            }
        }
    }

    /// Slip after an oblique impact of a unit sphere on a wall at unit normal speed, for a contact
    /// time of 1.
    fn oblique_rebound(e_n: f64, e_t: f64, friction: f64, slip: f64, steps: u32) -> f64 {
        let mass = 1.0;
        let slip_mass = tangential_reduced_mass(mass);
        let (k_n, c_n) = stretched_normal_coefficients(mass, e_n, 1.0, ContactEnd::Overlap);
        let (k_t, c_t) = stretched_tangential_coefficients(slip_mass, e_t, 1.0);
        let ratio = linear_damping_ratio(c_n, k_n, mass);
        let dt = 1.0 / f64::from(steps);
        let mut slip = DVec3::X * slip;
        let mut spring = DVec3::ZERO;
        for step in 0..steps {
            let t = (f64::from(step) + 0.5) * dt;
            let (overlap, rate) = linear_motion(ratio, k_n, mass, 1.0, t);
            let normal = linear_elastic_force(k_n, overlap) + linear_damping_force(c_n, rate);
            let limit = coulomb_limit(friction, normal);
            let tangential = linear_slider_force(k_t, c_t, spring + slip * dt, slip, limit);
            spring = tangential.spring;
            slip += tangential.force * (dt / slip_mass);
        }
        slip.x
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_collision_is_the_one_asked_for(
            e in 0.01..1.0f64,
            time in 1e-6..1.0f64,
            mass in 1e-9..1e3f64,
            u in 1e-3..10.0f64,
        ) {
            let (k, c) = stretched_normal_coefficients(mass, e, time, ContactEnd::Overlap);
            let ratio = linear_damping_ratio(c, k, mass);
            assert_close(linear_restitution(ratio, Overlap), e, CLOSED_FORM, "restitution");
            assert_close(linear_contact_time(ratio, k, mass, Overlap), time, CLOSED_FORM, "time");
            let deepest = linear_max_overlap(ratio, k, mass, u);
            assert_close(stretched_max_overlap(u, time, e), deepest, CLOSED_FORM, "overlap");
            let limit = stretched_contact_time_limit(0.01, u, e);
            assert_close(
                stretched_max_overlap(u, limit, e),
                0.01,
                CLOSED_FORM,
                "a diameter at the limit",
            );
        }
    }
}

mod hertz_spring {
    use super::*;

    #[test]
    fn no_overlap_no_force() {
        for overlap in [0.0, -0.0, -1e-3] {
            assert_eq!(hertz_elastic_force(1e9, overlap), 0.0);
            assert_eq!(hertz_elastic_energy(1e9, overlap), 0.0);
            assert_eq!(hertz_tangent_stiffness(1e9, overlap), 0.0);
            assert_eq!(tsuji_damping_force(1e3, overlap, 1.0), 0.0);
            assert_eq!(kuwabara_kono_damping_force(1e9, 1e-6, overlap, 1.0), 0.0);
        }
        assert_eq!(hertz_max_overlap(1e9, 1.0, 0.0), 0.0);
    }

    #[test]
    fn constants() {
        assert_close(Z_MAX0, 1.25_f64.powf(0.4), ROUNDING, "greatest overlap");
        assert_close(
            TAU_C0,
            number(&reference("hertz_linear_damping")["tau_c0"]),
            ROUNDING,
            "contact time",
        );
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn scaling(
            k in 1.0..1e12f64,
            mass in 1e-9..1.0f64,
            speed in 1e-4..10.0f64,
            overlap in 1e-9..1e-3f64,
        ) {
            assert_close(
                hertz_elastic_force(k, 4.0 * overlap),
                8.0 * hertz_elastic_force(k, overlap),
                ROUNDING,
                "δ^3/2",
            );
            assert_close(
                hertz_elastic_energy(k, 4.0 * overlap),
                32.0 * hertz_elastic_energy(k, overlap),
                ROUNDING,
                "δ^5/2",
            );
            let time = hertz_contact_time(k, mass, speed);
            assert_close(
                hertz_contact_time(k, mass, 32.0 * speed),
                0.5 * time,
                CLOSED_FORM,
                "u^−1/5",
            );
            assert_close(
                hertz_contact_time(32.0 * k, mass, speed),
                0.25 * time,
                CLOSED_FORM,
                "k^−2/5",
            );
            assert_close(
                hertz_contact_time(k, 32.0 * mass, speed),
                4.0 * time,
                CLOSED_FORM,
                "m^2/5",
            );
        }

        #[test]
        fn all_motion_is_stored_at_the_greatest_overlap(
            k in 1.0..1e12f64,
            mass in 1e-9..1.0f64,
            speed in 1e-4..10.0f64,
        ) {
            let stored = hertz_elastic_energy(k, hertz_max_overlap(k, mass, speed));
            assert_close(stored, 0.5 * mass * speed * speed, CLOSED_FORM, "energy");
        }

        #[test]
        fn force_is_the_slope_of_energy(k in 1.0..1e12f64, overlap in 1e-9..1e-2f64) {
            assert_derivative(
                |at| hertz_elastic_energy(k, at),
                hertz_elastic_force(k, overlap),
                overlap,
                "Hertz",
            );
            assert_derivative(
                |at| hertz_elastic_force(k, at),
                hertz_tangent_stiffness(k, overlap),
                overlap,
                "stiffness",
            );
        }

        #[test]
        fn dampers_only_take_energy(
            c in 0.0..1e6f64,
            overlap in -1e-3..1e-2f64,
            rate in -10.0..10.0f64,
        ) {
            prop_assert!(linear_damping_force(c, rate) * rate >= 0.0);
            prop_assert!(viscous_damping_force(c, rate) * rate >= 0.0);
            prop_assert!(tsuji_damping_force(c, overlap, rate) * rate >= 0.0);
            prop_assert!(kuwabara_kono_damping_force(c, 1e-5, overlap, rate) * rate >= 0.0);
        }

        /// The form with the tangent stiffness, 2√(5/6) β √(S_n m) δ̇, is the same damper.
        #[test]
        fn tsuji_in_its_other_form(
            ratio in 0.0..2.0f64,
            k in 1.0..1e12f64,
            mass in 1e-9..1.0f64,
            overlap in 1e-9..1e-3f64,
        ) {
            let gamma = tsuji_damping_coefficient(ratio, k, mass);
            let stiffness = hertz_tangent_stiffness(k, overlap);
            let other = 2.0 * (5.0_f64 / 6.0).sqrt() * ratio * (stiffness * mass).sqrt();
            assert_close(tsuji_damping_force(gamma, overlap, 1.0), other, CLOSED_FORM, "Tsuji");
        }
    }
}

mod collisions {
    use super::*;

    fn check(
        got: Collision,
        restitution: f64,
        time: f64,
        overlap: f64,
        tolerance: f64,
        what: &str,
    ) {
        assert_close(
            got.restitution,
            restitution,
            tolerance,
            &format!("{what}: restitution"),
        );
        assert_close(
            got.contact_time,
            time,
            tolerance,
            &format!("{what}: contact time"),
        );
        assert_close(
            got.max_overlap,
            overlap,
            tolerance,
            &format!("{what}: overlap"),
        );
    }

    #[test]
    fn viscous() {
        let file = reference("hertz_linear_damping");
        assert_close(
            LAMBDA_CRITICAL,
            number(&file["lambda_crit"]),
            ROUNDING,
            "critical λ",
        );
        for table in ["data", "data_above_critical"] {
            for row in rows(&file[table]) {
                let [lambda, e_overlap, t_overlap, z_max, _, e_force, t_force] = row[..] else {
                    panic!("columns")
                };
                let what = format!("λ = {lambda}");
                check(
                    hertz_viscous_collision(lambda, Overlap),
                    e_overlap,
                    t_overlap,
                    z_max,
                    COLLISION,
                    &what,
                );
                check(
                    hertz_viscous_collision(lambda, Force),
                    e_force,
                    t_force,
                    z_max,
                    COLLISION,
                    &what,
                );
            }
        }
        for row in rows(&file["inverse"]) {
            let [e_overlap, lambda, t_overlap, z_max, e_force, t_force] = row[..] else {
                panic!("columns")
            };
            let what = format!("λ = {lambda}");
            check(
                hertz_viscous_collision(lambda, Overlap),
                e_overlap,
                t_overlap,
                z_max,
                COLLISION,
                &what,
            );
            check(
                hertz_viscous_collision(lambda, Force),
                e_force,
                t_force,
                z_max,
                COLLISION,
                &what,
            );
        }
    }

    #[test]
    fn viscous_series_for_weak_damping() {
        let lambda = 0.01;
        let bound = 1e-12; // tenth power of λ with a coefficient of some tens
        let file = reference("hertz_linear_damping");
        let series = |key: &str| {
            let coefficients = numbers(&file["power_series_in_lambda"][key]);
            coefficients
                .iter()
                .rev()
                .fold(0.0, |sum, coefficient| sum * lambda + coefficient)
        };
        check(
            hertz_viscous_collision(lambda, Overlap),
            series("e"),
            series("tau"),
            series("z"),
            bound,
            "series",
        );
    }

    #[test]
    fn viscous_about_the_critical_damping() {
        let below = hertz_viscous_collision(LAMBDA_CRITICAL - 1e-9, Overlap);
        assert!(
            below.restitution > 0.0 && below.restitution < 1e-9,
            "{below:?}"
        );
        assert!(below.contact_time.is_finite());
        let at = hertz_viscous_collision(LAMBDA_CRITICAL, Overlap);
        assert_eq!((at.restitution, at.contact_time), (0.0, f64::INFINITY));
        assert_close(
            at.max_overlap,
            below.max_overlap,
            1e-8,
            "overlap is smooth there",
        );
    }

    #[test]
    fn not_a_number_stays_one() {
        for end in ENDS {
            assert!(hertz_viscous_collision(f64::NAN, end).restitution.is_nan());
            assert!(hertz_tsuji_collision(f64::NAN, end).restitution.is_nan());
            assert!(
                hertz_kuwabara_kono_collision(f64::NAN, end)
                    .restitution
                    .is_nan()
            );
        }
    }

    #[test]
    fn tsuji() {
        let file = reference("tsuji_hertz");
        for row in rows(&file["data"]) {
            let [ratio, gamma, e_overlap, t_overlap, e_force, t_force, z_max] = row[..] else {
                panic!("columns")
            };
            let what = format!("β = {ratio}");
            check(
                hertz_tsuji_collision(ratio, Overlap),
                e_overlap,
                t_overlap,
                z_max,
                COLLISION,
                &what,
            );
            check(
                hertz_tsuji_collision(ratio, Force),
                e_force,
                t_force,
                z_max,
                COLLISION,
                &what,
            );
            assert_close(
                tsuji_damping_coefficient(ratio, 1.0, 1.0),
                gamma,
                CLOSED_FORM,
                &what,
            );
            assert_close(
                tsuji_restitution(ratio, Overlap),
                e_overlap,
                CLOSED_FORM,
                &what,
            );
            assert_close(tsuji_restitution(ratio, Force), e_force, CLOSED_FORM, &what);
            assert_close(
                tsuji_max_overlap(ratio, 1.0, 1.0, 1.0),
                z_max,
                CLOSED_FORM,
                &what,
            );
        }
        for row in rows(&file["inverse"]) {
            let [restitution, overlap, force] = row[..] else {
                panic!("columns")
            };
            let what = format!("e = {restitution}");
            assert_close(
                tsuji_damping_ratio(restitution, Overlap),
                overlap,
                CLOSED_FORM,
                &what,
            );
            assert_close(
                tsuji_damping_ratio(restitution, Force),
                force,
                CLOSED_FORM,
                &what,
            );
        }
        let stuck = hertz_tsuji_collision(1.0, Overlap);
        assert_eq!(
            (stuck.restitution, stuck.contact_time),
            (0.0, f64::INFINITY)
        );
    }

    /// Two roads to one number: the orbit in closed form, and the integrator, also far above
    /// critical damping.
    #[test]
    fn tsuji_closed_form_and_integrator_agree() {
        for ratio in [0.0, 1e-6, 0.3, 0.95, 0.999, 1.0, 1.5, 10.0] {
            for end in ENDS {
                let got = hertz_tsuji_collision(ratio, end);
                let what = format!("β = {ratio}, {end:?}");
                assert_close(
                    got.restitution,
                    tsuji_restitution(ratio, end),
                    COLLISION,
                    &what,
                );
                assert_close(
                    got.max_overlap,
                    tsuji_max_overlap(ratio, 1.0, 1.0, 1.0),
                    COLLISION,
                    &what,
                );
            }
        }
    }

    #[test]
    fn kuwabara_kono() {
        let cases = [
            (0.001, 0.998_271_621, 3.218_622_71),
            (0.01, 0.982_876_130, 3.223_680_48),
            (0.05, 0.917_771_502, 3.247_087_46),
            (0.1, 0.843_339_411, 3.278_494_99),
            (0.2, 0.714_044_880, 3.348_657_58),
            (0.3, 0.605_946_663, 3.429_107_95),
        ];
        for (a, restitution, time) in cases {
            let got = hertz_kuwabara_kono_collision(a, Overlap);
            assert_close(
                got.restitution,
                restitution,
                KUWABARA_KONO,
                &format!("A = {a}: restitution"),
            );
            assert_close(
                got.contact_time,
                time,
                KUWABARA_KONO,
                &format!("A = {a}: contact time"),
            );
        }
        // First coefficient of the expansion in x = (3/2) A/t*.
        let x = 1.5e-6;
        let loss = 1.0 - hertz_kuwabara_kono_collision(1e-6, Overlap).restitution;
        assert_close(loss / x, 1.15344, 1e-5, "first coefficient");
        for end in ENDS {
            check(
                hertz_kuwabara_kono_collision(0.0, end),
                1.0,
                TAU_C0,
                Z_MAX0,
                COLLISION,
                "elastic",
            );
        }
    }

    /// The same collisions stepped with the force functions themselves, which ties the laws to the
    /// dimensionless forms.
    #[test]
    fn stepped_with_the_force_laws() {
        let damping = 0.2; // in the dimensionless unit of each law
        let (k, mass, speed) = (3e7, 0.02, 0.4);
        let t_star = hertz_time_unit(k, mass, speed);
        let d = 2.0 * damping * mass / t_star;
        let gamma = tsuji_damping_coefficient(damping, k, mass);
        let a = damping * t_star;
        for end in ENDS {
            let viscous = |_, rate| viscous_damping_force(d, rate);
            check_stepped(
                viscous,
                k,
                mass,
                speed,
                end,
                hertz_viscous_collision(damping, end),
            );
            let tsuji = |overlap, rate| tsuji_damping_force(gamma, overlap, rate);
            check_stepped(
                tsuji,
                k,
                mass,
                speed,
                end,
                hertz_tsuji_collision(damping, end),
            );
            let kono = |overlap, rate| kuwabara_kono_damping_force(k, a, overlap, rate);
            check_stepped(
                kono,
                k,
                mass,
                speed,
                end,
                hertz_kuwabara_kono_collision(damping, end),
            );
        }
    }

    /// Steps a collision with Runge and Kutta's method until the overlap is gone.
    fn check_stepped(
        damping: impl Fn(f64, f64) -> f64,
        k: f64,
        mass: f64,
        speed: f64,
        end: ContactEnd,
        want: Collision,
    ) {
        let tolerance = 1e-6; // fourth order, spoilt by the fractional powers at first touch
        let acceleration = |overlap: f64, rate: f64| {
            let elastic = hertz_elastic_force(k, overlap);
            -ended_normal_force(end, elastic, damping(overlap, rate)) / mass
        };
        let t_star = hertz_time_unit(k, mass, speed);
        let dt = t_star / 20_000.0;
        let (mut overlap, mut rate, mut time) = (0.0, speed, 0.0);
        while overlap > 0.0 || rate > 0.0 {
            assert!(time < 10.0 * t_star, "the grains do not part");
            let (v1, a1) = (rate, acceleration(overlap, rate));
            let v2 = rate + 0.5 * dt * a1;
            let a2 = acceleration(overlap + 0.5 * dt * v1, v2);
            let v3 = rate + 0.5 * dt * a2;
            let a3 = acceleration(overlap + 0.5 * dt * v2, v3);
            let v4 = rate + dt * a3;
            let a4 = acceleration(overlap + dt * v3, v4);
            overlap += dt / 6.0 * (v1 + 2.0 * (v2 + v3) + v4);
            rate += dt / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
            time += dt;
        }
        // Back to where the overlap was zero, within the last step.
        let late = overlap / rate;
        rate -= late * acceleration(0.0, rate);
        assert_close(-rate / speed, want.restitution, tolerance, "restitution");
        if end == Overlap {
            let contact_time = (time - late) / t_star;
            assert_close(contact_time, want.contact_time, tolerance, "contact time");
        }
    }
}

mod adaptive_contact {
    use super::*;

    const EXACT_INVERSE: f64 = 1e-7; // how far the inverse is known to follow from its polynomials
    const PRINTED_FORMULA: f64 = 1e-9; // the printed formula recomputed
    const ITERATIVE: f64 = 1e-12; // what the iteration promises

    fn achieved(k: f64, d: f64, mass: f64, speed: f64) -> (f64, f64) {
        let t_star = hertz_time_unit(k, mass, speed);
        let collision = hertz_viscous_collision(0.5 * d * t_star / mass, Overlap);
        (collision.restitution, collision.contact_time * t_star)
    }

    /// Table 1 of Ray, Kempe & Fröhlich: a steel sphere on a wall.
    #[test]
    fn table_1_of_ray() {
        let file = reference("ray_table1");
        let (mass, speed, time) = (
            number(&file["m_p"]),
            number(&file["u_in"]),
            number(&file["T_c"]),
        );
        assert_close(sphere_mass(7800.0, 0.01), mass, CLOSED_FORM, "mass");
        let table = file["rows"].as_array().unwrap_or_else(|| panic!("no rows"));
        assert_eq!(table.len(), 8);
        for row in table {
            let e = number(&row["e_target"]);
            let what = |quantity: &str| format!("e = {e}: {quantity}");

            let exact = &row["exact"];
            for (name, tolerance, (k, d)) in [
                (
                    "direct",
                    EXACT_INVERSE,
                    adaptive_direct(e, time, speed, mass),
                ),
                (
                    "iterative",
                    10.0 * ITERATIVE,
                    adaptive_iterative(e, time, speed, mass),
                ),
            ] {
                assert_close(
                    k,
                    number(&exact["k"]),
                    tolerance,
                    &what(&format!("{name} k")),
                );
                assert_close(
                    d,
                    number(&exact["d"]),
                    tolerance,
                    &what(&format!("{name} d")),
                );
                let (got_e, got_time) = achieved(k, d, mass, speed);
                assert_close(got_e, e, tolerance, &what(&format!("{name} achieved e")));
                assert_close(
                    got_time,
                    time,
                    tolerance,
                    &what(&format!("{name} achieved time")),
                );
            }

            let printed = &row["paper_formula_recomputed"];
            let (k, d) = adaptive_direct_paper(e, time, speed, mass);
            assert_close(
                k,
                number(&printed["k"]),
                PRINTED_FORMULA,
                &what("printed k"),
            );
            assert_close(
                d,
                number(&printed["d"]),
                PRINTED_FORMULA,
                &what("printed d"),
            );
            let (got_e, got_time) = achieved(k, d, mass, speed);
            assert_close(
                got_e,
                number(&printed["achieved_e"]),
                PRINTED_FORMULA,
                &what("printed achieved e"),
            );
            assert_close(
                got_time,
                number(&printed["achieved_Tc"]),
                PRINTED_FORMULA,
                &what("printed achieved time"),
            );
            // As printed, six digits.
            let paper = &row["as_printed"];
            assert_close(
                k,
                number(&paper["present_k"]),
                1e-5,
                &what("k in the paper"),
            );
        }
    }

    #[test]
    fn elastic_is_exact() {
        for (k, d) in [
            adaptive_direct(1.0, 0.01, 2.0, 0.3),
            adaptive_iterative(1.0, 0.01, 2.0, 0.3),
        ] {
            assert_eq!(d, 0.0);
            assert_close(
                hertz_contact_time(k, 0.3, 2.0),
                0.01,
                CLOSED_FORM,
                "contact time",
            );
        }
    }

    #[test]
    fn direct_is_clamped_below_its_range() {
        assert_eq!(
            adaptive_direct(0.0, 0.01, 2.0, 0.3),
            adaptive_direct(0.01, 0.01, 2.0, 0.3)
        );
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn the_collision_is_the_one_asked_for(
            e in 0.01..1.0f64,
            time in 1e-6..1.0f64,
            speed in 1e-3..10.0f64,
            mass in 1e-9..1.0f64,
        ) {
            let (k, d) = adaptive_direct(e, time, speed, mass);
            let (got_e, got_time) = achieved(k, d, mass, speed);
            assert_close(got_e, e, 8e-8, "direct e");
            assert_close(got_time, time, 8e-9, "direct time");
        }

        #[test]
        fn iterated_to_rounding(
            e in -9.0..0.0f64,
            time in 1e-6..1.0f64,
            speed in 1e-3..10.0f64,
            mass in 1e-9..1.0f64,
        ) {
            let e = 10.0_f64.powf(e);
            let (k, d) = adaptive_iterative(e, time, speed, mass);
            let (got_e, got_time) = achieved(k, d, mass, speed);
            // A rounding of λ moves e by its slope: absolutely by some 1e-16, which counts for
            // small e.
            assert_within(got_e, e, ITERATIVE * e + 4e-15, "iterated e");
            // The time goes as −ln(e)/2λ for small e.
            assert_within(got_time, time, time * (ITERATIVE + 4e-15 / e), "iterated time");
        }
    }
}

/// Vectors and a normal for property tests.
fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    (-size..size, -size..size, -size..size).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn unit() -> impl Strategy<Value = DVec3> {
    vector(1.0)
        .prop_filter("a direction", |v| v.length() > 0.1)
        .prop_map(DVec3::normalize)
}

#[track_caller]
fn assert_vectors_close(got: DVec3, want: DVec3, scale: f64, tolerance: f64, what: &str) {
    let off = (got - want).length();
    assert!(
        off <= tolerance * scale,
        "{what}: got {got}, want {want}, off by {off:e} of {scale:e}"
    );
}

mod friction {
    use super::*;

    #[test]
    fn no_normal_force_no_friction() {
        assert_eq!(coulomb_limit(0.5, 4.0), 2.0);
        assert_eq!(coulomb_limit(0.5, -4.0), 0.0);
        let (spring, slip) = (DVec3::X * 1e-6, DVec3::Y);
        assert_eq!(coulomb_force(slip, 0.0, 10.0), DVec3::ZERO);
        for k in [0.0, 1e5] {
            let linear = linear_slider_force(k, 3.0, spring, slip, 0.0);
            assert_eq!(linear.force, DVec3::ZERO);
            assert!(linear.spring.is_finite() && linear.damping_force == DVec3::ZERO);
            let mindlin = mindlin_slider_force(k, 3.0, spring, slip, 0.0);
            assert_eq!(mindlin.force, DVec3::ZERO);
            assert!(mindlin.spring.is_finite() && mindlin.damping_force == DVec3::ZERO);
        }
    }

    #[test]
    fn nothing_moves_nothing() {
        for limit in [0.0, 1.0] {
            for k in [0.0, 1e5] {
                for law in [linear_slider_force, mindlin_slider_force] {
                    let got = law(k, 3.0, DVec3::ZERO, DVec3::ZERO, limit);
                    assert_eq!(got.force, DVec3::ZERO);
                    assert_eq!(got.spring, DVec3::ZERO);
                }
            }
            assert_eq!(coulomb_force(DVec3::ZERO, limit, 10.0), DVec3::ZERO);
        }
        assert_eq!(transport_spring(DVec3::ZERO, DVec3::Z), DVec3::ZERO);
        assert_eq!(transport_spring(DVec3::Z, DVec3::Z), DVec3::ZERO);
    }

    /// By a series up to turns of 0.01, by a root beyond: both to rounding, and everywhere in between.
    #[test]
    fn slight_and_large_turns_keep_the_length() {
        const ROUNDING: f64 = 4.0 * f64::EPSILON;
        for k in 0..4000 {
            let angle = 10_f64.powf(-9.0 + 9.0 * f64::from(k) / 4000.0);
            let (sin, cos) = angle.sin_cos();
            let length = 3e-7;
            let moved = transport_spring(DVec3::X * length, DVec3::new(sin, 0.0, cos));
            let want = length * DVec3::new(cos, 0.0, -sin);
            assert_vectors_close(
                moved,
                want,
                length,
                ROUNDING,
                &format!("turned by {angle:e}"),
            );
        }
    }

    #[test]
    fn friction_opposes_slip() {
        // A limit above the stopping force stops the slip in one step and no more; one below slides
        // at the limit.
        assert_eq!(coulomb_force(DVec3::X * 2.0, 100.0, 10.0), DVec3::X * -20.0);
        assert_eq!(coulomb_force(DVec3::X * 2.0, 5.0, 10.0), DVec3::X * -5.0);
        for law in [linear_slider_force, mindlin_slider_force] {
            assert_eq!(
                law(1000.0, 2.0, DVec3::X * 1e-3, DVec3::X, 10.0).force,
                DVec3::X * -3.0
            );
            assert_eq!(
                law(1000.0, 2.0, DVec3::X * 1e-3, DVec3::X, 2.0).force,
                DVec3::X * -2.0
            );
        }
    }

    /// A spring stretched to the limit and slipping on: all is friction, the dashpot adds nothing.
    #[test]
    fn mindlin_at_the_limit_has_no_dashpot() {
        let got = mindlin_slider_force(1000.0, 2.0, DVec3::X, DVec3::X, 10.0);
        assert_eq!(got.spring, DVec3::X * 0.01);
        assert_eq!(got.damping_force, DVec3::ZERO);
    }

    /// Equation (28b) of Costa et al.: at first touch the dashpot is stronger than the limit and
    /// bends the spring back.
    #[test]
    fn linear_spring_bends_back_at_first_touch() {
        let got = linear_slider_force(1000.0, 20.0, DVec3::ZERO, DVec3::X, 5.0);
        assert_eq!(got.force, DVec3::X * -5.0);
        assert_vectors_close(got.spring, DVec3::X * -0.015, 0.015, ROUNDING, "spring");
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn coulomb_is_never_exceeded(
            k in 0.0..1e7f64,
            c in 0.0..1e3f64,
            spring in vector(1e-3),
            slip in vector(2.0),
            limit in 0.0..100.0f64,
        ) {
            let bound = limit * (1.0 + ROUNDING);
            prop_assert!(linear_slider_force(k, c, spring, slip, limit).force.length() <= bound);
            let mindlin = mindlin_slider_force(k, c, spring, slip, limit);
            prop_assert!(mindlin.force.length() <= bound);
            prop_assert!(k * mindlin.spring.length() <= bound);
            prop_assert!(coulomb_force(slip, limit, c).length() <= bound);
        }

        #[test]
        fn below_the_limit_the_parts_add_up(
            k in 0.0..1e5f64,
            c in 0.0..10.0f64,
            spring in vector(1e-3),
            slip in vector(2.0),
        ) {
            for law in [linear_slider_force, mindlin_slider_force] {
                let got = law(k, c, spring, slip, 1e6);
                prop_assert_eq!(got.spring, spring);
                let scale = k * spring.length() + c * slip.length();
                assert_vectors_close(got.damping_force, -c * slip, scale, ROUNDING, "dashpot");
                assert_vectors_close(
                    got.force,
                    -k * got.spring + got.damping_force,
                    scale,
                    ROUNDING,
                    "sum",
                );
            }
        }

        #[test]
        fn sliding_obeys_what_is_said(
            k in 1e3..1e7f64,
            c in 0.0..1e3f64,
            spring in vector(1e-3),
            slip in vector(2.0),
            limit in 0.0..1.0f64,
        ) {
            let scale = k * spring.length() + c * slip.length() + limit;
            let linear = linear_slider_force(k, c, spring, slip, limit);
            assert_vectors_close(
                linear.force,
                -k * linear.spring - c * slip,
                scale,
                1e-14,
                "(28b)",
            );
            let mindlin = mindlin_slider_force(k, c, spring, slip, limit);
            assert_vectors_close(
                mindlin.force,
                -k * mindlin.spring + mindlin.damping_force,
                scale,
                1e-14,
                "Mindlin",
            );
        }

        #[test]
        fn a_clamp_done_twice_is_done_once(
            k in 1e3..1e7f64,
            c in 0.0..1e3f64,
            spring in vector(1e-3),
            slip in vector(2.0),
            limit in 0.0..10.0f64,
        ) {
            let scale = k * spring.length() + c * slip.length() + limit;
            for law in [linear_slider_force, mindlin_slider_force] {
                let once = law(k, c, spring, slip, limit);
                let twice = law(k, c, once.spring, slip, limit);
                assert_vectors_close(twice.force, once.force, scale, 1e-14, "force");
                assert_vectors_close(k * twice.spring, k * once.spring, scale, 1e-14, "spring");
            }
        }

        #[test]
        fn dashpot_and_slider_only_take_energy(
            k in 0.0..1e7f64,
            c in 0.0..1e3f64,
            spring in vector(1e-3),
            slip in vector(2.0),
            limit in 0.0..100.0f64,
        ) {
            for law in [linear_slider_force, mindlin_slider_force] {
                let power = law(k, c, spring, slip, limit).damping_force.dot(slip);
                let scale = (k * spring.length() + c * slip.length()) * slip.length();
                prop_assert!(power <= 1e-14 * scale, "power {}", power);
            }
            prop_assert!(coulomb_force(slip, limit, c).dot(slip) <= 0.0);
        }

        #[test]
        fn friction_never_reverses_slip(
            slip in vector(2.0),
            limit in 0.0..1e3f64,
            mass in 1e-6..1.0f64,
            dt in 1e-7..1e-3f64,
        ) {
            let after = slip + coulomb_force(slip, limit, mass / dt) * (dt / mass);
            prop_assert!(after.dot(slip) >= -1e-14 * slip.length_squared());
        }

        /// Seen from j, spring and slip change sign, and so must the force.
        #[test]
        fn pairs_are_antisymmetric(
            k in 0.0..1e7f64,
            c in 0.0..1e3f64,
            spring in vector(1e-3),
            slip in vector(2.0),
            limit in 0.0..100.0f64,
            normal in unit(),
        ) {
            for law in [linear_slider_force, mindlin_slider_force] {
                let from_i = law(k, c, spring, slip, limit);
                let from_j = law(k, c, -spring, -slip, limit);
                prop_assert_eq!(from_i.force, -from_j.force);
                prop_assert_eq!(from_i.spring, -from_j.spring);
                prop_assert_eq!(from_i.damping_force, -from_j.damping_force);
            }
            prop_assert_eq!(coulomb_force(slip, limit, c), -coulomb_force(-slip, limit, c));
            prop_assert_eq!(transport_spring(spring, normal), -transport_spring(-spring, -normal));
        }

        #[test]
        fn transport_keeps_length_and_tangency(spring in vector(1e-3), normal in unit()) {
            let length = spring.length();
            prop_assume!(spring.cross(normal).length() > 1e-3 * length);
            let moved = transport_spring(spring, normal);
            assert_close(moved.length(), length, 1e-14, "length");
            // Rounding of the projection, enlarged by the rescaling.
            assert_within(moved.dot(normal), 0.0, 1e-12 * length, "tangency");
            assert_vectors_close(transport_spring(moved, normal), moved, length, 1e-12, "twice");
        }

        #[test]
        fn transport_is_the_rotation_of_the_normal(
            spring in vector(1e-3),
            normal in unit(),
            tilt in vector(1e-4),
        ) {
            let spring = transport_spring(spring, normal);
            let turned = (normal + tilt).normalize();
            let rotated = glam::DQuat::from_rotation_arc(normal, turned) * spring;
            // The square of the angle, at most √3 · 1e-4.
            assert_vectors_close(
                transport_spring(spring, turned),
                rotated,
                spring.length(),
                3.1e-8,
                "rotation",
            );
        }

        #[test]
        fn force_is_the_slope_of_energy(k in 1.0..1e7f64, stretch in 1e-9..1e-3f64) {
            let spring = DVec3::X * stretch;
            let force = -linear_slider_force(k, 0.0, spring, DVec3::ZERO, f64::INFINITY).force.x;
            assert_derivative(
                |at| tangential_elastic_energy(k, DVec3::X * at),
                force,
                stretch,
                "tangential",
            );
        }
    }
}

mod rolling_resistance {
    use super::*;

    #[test]
    fn limits() {
        assert_eq!(rolling_limit(0.1, 2.0, 5.0), 1.0);
        assert_eq!(rolling_limit(0.1, 2.0, -5.0), 0.0);
        assert_eq!(constant_rolling_moment(DVec3::ZERO, 1.0, 1.0), DVec3::ZERO);
        assert_eq!(constant_rolling_moment(DVec3::X, 0.0, 1.0), DVec3::ZERO);
        assert_eq!(
            constant_rolling_moment(DVec3::X * 2.0, 10.0, 3.0),
            DVec3::X * -6.0
        );
        assert_eq!(
            constant_rolling_moment(DVec3::X * 2.0, 1.0, 3.0),
            DVec3::X * -1.0
        );
        let nothing = spring_rolling_moment(0.0, 0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, 0.0);
        assert_eq!((nothing.moment, nothing.spring), (DVec3::ZERO, DVec3::ZERO));
        assert_eq!(rolling_elastic_energy(0.0, DVec3::ZERO), 0.0);
    }

    #[test]
    fn spring_yields_and_loses_its_dashpot() {
        let turn = DVec3::X * 1e-3;
        let below = spring_rolling_moment(100.0, 2.0, DVec3::ZERO, turn, DVec3::X, 0.2);
        assert_eq!(below.spring, DVec3::X * -0.1);
        assert_eq!(below.moment, DVec3::X * -2.1);
        let at = spring_rolling_moment(100.0, 2.0, DVec3::X * -0.15, turn, DVec3::X, 0.2);
        assert_vectors_close(at.spring, DVec3::X * -0.2, 0.2, ROUNDING, "spring");
        assert_eq!(at.moment, at.spring);
    }

    #[test]
    fn coefficients() {
        assert_close(rolling_stiffness(1e4, 0.1, 0.2), 9.0, ROUNDING, "stiffness");
        assert_close(rolling_damping(0.5, 4.0, 9.0), 6.0, ROUNDING, "damping");
        let (mass, radius) = (0.3, 0.1);
        let inertia = sphere_inertia(mass, radius);
        let infinite = f64::INFINITY;
        let wall = rolling_inertia(inertia, mass, radius, infinite, infinite, infinite);
        assert_close(wall, 1.4 * mass * radius * radius, ROUNDING, "wall");
        let pair = rolling_inertia(inertia, mass, radius, inertia, mass, radius);
        assert_close(pair, 0.5 * wall, ROUNDING, "pair");
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn rolling_has_no_twist(spin_i in vector(10.0), spin_j in vector(10.0), normal in unit()) {
            let rolling = rolling_velocity(spin_i, spin_j, normal);
            let scale = spin_i.length() + spin_j.length();
            assert_within(rolling.dot(normal), 0.0, ROUNDING * scale, "twist");
            prop_assert_eq!(rolling, -rolling_velocity(spin_j, spin_i, -normal));
            let common = rolling_velocity(spin_i, spin_i + 3.0 * normal, normal);
            assert_vectors_close(common, DVec3::ZERO, 10.0, 1e-14, "common spin and twist");
        }

        #[test]
        fn the_spring_is_never_beyond_its_limit(
            k in 0.0..1e3f64,
            c in 0.0..1.0f64,
            moment in vector(1.0),
            turn in vector(1e-2),
            spin in vector(5.0),
            limit in 0.0..1.0f64,
        ) {
            let got = spring_rolling_moment(k, c, moment, turn, spin, limit);
            prop_assert!(got.spring.length() <= limit * (1.0 + ROUNDING));
            let twice = spring_rolling_moment(k, c, got.spring, DVec3::ZERO, spin, limit);
            assert_vectors_close(twice.spring, got.spring, limit, 1e-15, "twice");
            let mirrored = spring_rolling_moment(k, c, -moment, -turn, -spin, limit);
            prop_assert_eq!((got.moment, got.spring), (-mirrored.moment, -mirrored.spring));
            prop_assert!((got.moment - got.spring).dot(spin) <= 0.0);
            prop_assert!(constant_rolling_moment(spin, limit, c).dot(spin) <= 0.0);
        }

        /// Unyielded, turning by θ stores ½ k θ² and the moment is its slope.
        #[test]
        fn moment_is_the_slope_of_energy(k in 1.0..1e3f64, angle in 1e-6..1e-2f64) {
            let still = DVec3::ZERO;
            let moment =
                |at: f64| spring_rolling_moment(k, 0.0, still, DVec3::X * at, still, 1e9).spring;
            assert_derivative(
                |at| rolling_elastic_energy(k, moment(at)),
                -moment(angle).x,
                angle,
                "rolling",
            );
        }
    }
}

mod adhesion {
    use super::*;

    const W: f64 = 0.05;
    const YOUNG: f64 = 2e6;
    const RADIUS: f64 = 3e-4;

    fn force_at(overlap: f64) -> f64 {
        jkr_force(
            jkr_contact_radius(overlap, W, YOUNG, RADIUS),
            W,
            YOUNG,
            RADIUS,
        )
    }

    #[test]
    fn dmt() {
        assert_close(
            dmt_force(W, RADIUS),
            -2.0 * PI * W * RADIUS,
            ROUNDING,
            "DMT",
        );
        assert_eq!(dmt_energy(W, RADIUS, -1.0), 0.0);
        assert_derivative(
            |at| dmt_energy(W, RADIUS, at),
            dmt_force(W, RADIUS),
            1e-6,
            "DMT",
        );
    }

    #[test]
    fn jkr_at_first_touch() {
        assert_close(
            force_at(0.0),
            -4.0 / 3.0 * PI * W * RADIUS,
            CLOSED_FORM,
            "force",
        );
        let radius = jkr_contact_radius(0.0, W, YOUNG, RADIUS);
        assert_close(
            radius,
            (2.0 * PI * W * RADIUS * RADIUS / YOUNG).cbrt(),
            CLOSED_FORM,
            "radius",
        );
        assert_within(
            jkr_energy(radius, W, YOUNG, RADIUS),
            0.0,
            1e-14 * W * radius * radius,
            "energy",
        );
    }

    #[test]
    fn jkr_pull_off() {
        let pull_off = jkr_pull_off_force(W, RADIUS);
        let radius = (9.0 * PI * W * RADIUS * RADIUS / (8.0 * YOUNG)).cbrt();
        assert_close(
            jkr_force(radius, W, YOUNG, RADIUS),
            -pull_off,
            CLOSED_FORM,
            "force at pull-off",
        );
        // No overlap of the contact branch pulls harder.
        let off = jkr_snap_off_overlap(W, YOUNG, RADIUS);
        let weakest = (0..=10_000)
            .map(|step| force_at(off * (1.0 - f64::from(step) * 3e-4)))
            .fold(0.0, f64::min);
        // The grid of 3e-4 errs by its square, as the force is stationary there.
        assert_close(weakest, -pull_off, 1e-6, "least force over the branch");
    }

    #[test]
    fn jkr_snap_off() {
        let off = jkr_snap_off_overlap(W, YOUNG, RADIUS);
        assert!(off < 0.0);
        let half = 1e-7; // half the digits at the double root
        assert_close(
            force_at(off),
            -5.0 / 6.0 * PI * W * RADIUS,
            half,
            "force at snap-off",
        );
        let radius = jkr_contact_radius(off, W, YOUNG, RADIUS);
        assert_close(
            radius,
            jkr_contact_radius(2.0 * off, W, YOUNG, RADIUS),
            half,
            "radius stays below snap-off",
        );
        // The work of separation, 7.09 (w⁵ R⁴/E²)^{1/3}.
        let work = jkr_energy(radius, W, YOUNG, RADIUS);
        let unit = (W.powi(5) * RADIUS.powi(4) / (YOUNG * YOUNG)).cbrt();
        assert_close(work / unit, 7.09, 1e-3, "work of separation");
    }

    #[test]
    fn sjkr_limits() {
        assert_eq!(sjkr_force(1e5, -1e-6, 1e-3, 1e-3), 0.0);
        assert_eq!(sjkr_energy(1e5, -1e-6, 1e-3, 1e-3), 0.0);
        let infinite = f64::INFINITY;
        let (overlap, radius) = (1e-5, 1e-3);
        let cap = PI * overlap * (2.0 * radius - overlap);
        assert_close(
            sjkr_force(1e5, overlap, radius, infinite),
            -1e5 * cap,
            CLOSED_FORM,
            "wall",
        );
        assert_close(
            sjkr_force(1e5, overlap, infinite, radius),
            -1e5 * cap,
            CLOSED_FORM,
            "wall as i",
        );
        assert_close(
            sjkr_force(1e5, overlap, radius, 1e9),
            -1e5 * cap,
            1e-9,
            "a huge sphere is a wall",
        );
        // Equal spheres: the circle lies half-way, a² = R² − (d/2)².
        let half = radius - 0.5 * overlap;
        let circle = PI * (radius * radius - half * half);
        assert_close(
            sjkr_force(1.0, overlap, radius, radius),
            -circle,
            CLOSED_FORM,
            "equal spheres",
        );
    }

    /// The circle of two unequal spheres, by the cosine theorem.
    #[test]
    fn sjkr_circle() {
        let (one, two, overlap) = (1e-3, 2.5e-3, 2e-4);
        let distance: f64 = one + two - overlap;
        let foot = (distance * distance + one * one - two * two) / (2.0 * distance);
        let circle = PI * (one * one - foot * foot);
        assert_close(
            sjkr_force(1.0, overlap, one, two),
            -circle,
            CLOSED_FORM,
            "circle",
        );
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        #[test]
        fn jkr_radius_solves_its_equation(
            w in 1e-4..1.0f64,
            young in 4.0..11.0f64,
            radius in 1e-6..1e-2f64,
            depth in -0.999..100.0f64,
        ) {
            let young = 10.0_f64.powf(young);
            let overlap = -depth * jkr_snap_off_overlap(w, young, radius);
            let a = jkr_contact_radius(overlap, w, young, radius);
            let (sphere, neck) = (a * a / radius, (2.0 * PI * w * a / young).sqrt());
            assert_within(sphere - neck, overlap, 1e-13 * (sphere + neck), "JKR equation");
            // The stable branch: beyond the radius at snap-off.
            prop_assert!(4.0 * sphere >= neck);
        }

        #[test]
        fn hertz_is_recovered_without_adhesion(
            young in 1e4..1e11f64,
            radius in 1e-6..1e-2f64,
            overlap in 1e-6..0.1f64,
        ) {
            let overlap = overlap * radius;
            let a = jkr_contact_radius(overlap, 0.0, young, radius);
            assert_close(a, (radius * overlap).sqrt(), CLOSED_FORM, "radius");
            let k = hertz_stiffness(young, radius);
            assert_close(
                jkr_force(a, 0.0, young, radius),
                hertz_elastic_force(k, overlap),
                CLOSED_FORM,
                "force",
            );
            assert_close(
                jkr_energy(a, 0.0, young, radius),
                hertz_elastic_energy(k, overlap),
                CLOSED_FORM,
                "energy",
            );
            prop_assert_eq!(jkr_contact_radius(0.0, 0.0, young, radius), 0.0);
            prop_assert_eq!(jkr_contact_radius(-overlap, 0.0, young, radius), 0.0);
        }

        #[test]
        fn jkr_force_is_the_slope_of_energy(depth in -0.9..20.0f64) {
            let off = -jkr_snap_off_overlap(W, YOUNG, RADIUS);
            let radius = |at: f64| jkr_contact_radius(at, W, YOUNG, RADIUS);
            let energy = |at: f64| jkr_energy(radius(at), W, YOUNG, RADIUS);
            let (at, step) = (depth * off, 1e-5 * off);
            let slope = (energy(at + step) - energy(at - step)) / (2.0 * step);
            assert_within(
                slope,
                force_at(at),
                1e-7 * jkr_pull_off_force(W, RADIUS) * (1.0 + depth.abs()).powf(1.5),
                "JKR",
            );
        }

        #[test]
        fn sjkr_force_is_the_slope_of_energy(
            one in 1e-4..1e-2f64,
            two in 1e-4..1e-2f64,
            depth in 1e-4..0.3f64,
        ) {
            let overlap = depth * one.min(two);
            for other in [two, f64::INFINITY] {
                let force = sjkr_force(1e5, overlap, one, other);
                assert_derivative(
                    |at| sjkr_energy(1e5, at, one, other),
                    force,
                    overlap,
                    "simplified JKR",
                );
            }
            prop_assert_eq!(sjkr_force(1e5, overlap, one, two), sjkr_force(1e5, overlap, two, one));
            let energy = |i, j| sjkr_energy(1e5, overlap, i, j);
            prop_assert_eq!(energy(one, two), energy(two, one));
        }
    }
}

mod fluid_laws {
    use super::*;

    fn films(file: &Value) -> &[Value] {
        let cases = file["correction_eq34"].as_array();
        cases.unwrap_or_else(|| panic!("no films in {file}"))
    }

    /// The films of Table I of Costa et al. by their names in the reference data: wall or equal sphere.
    fn table_one(case: &Value) -> (bool, Film) {
        let wall = case["name"]
            .as_str()
            .is_some_and(|name| name.starts_with("wall"));
        let other = if wall { f64::INFINITY } else { 1.0 };
        let [resolved, roughness] = ["eps_dx", "eps_sigma"].map(|key| number(&case[key]));
        (wall, film_between(1.0, other, resolved, roughness))
    }

    #[test]
    fn amplification_is_that_of_the_reference() {
        let file = reference("lubrication");
        for row in rows(&file["data"]) {
            let wall = film_between(1.0, f64::INFINITY, 0.1, 1e-6);
            let pair = film_between(1.0, 1.0, 0.1, 1e-6);
            assert_close(
                film_amplification(wall, row[0]),
                row[1],
                CLOSED_FORM,
                "of the fluid",
            );
            assert_close(
                film_amplification(pair, row[0]),
                row[4],
                CLOSED_FORM,
                "of the fluid",
            );
        }
    }

    #[test]
    fn correction_saturates_and_ends_as_in_the_reference() {
        let file = reference("lubrication");
        for case in films(&file) {
            let (_, film) = table_one(case);
            for row in rows(&case["data"]) {
                let got = film_correction(film, row[0]);
                // A difference of numbers of the size of λ(ε_Δx).
                let scale = film_amplification(film, film.resolved) + row[2];
                assert_within(got, row[2], CLOSED_FORM * scale, "of the fluid");
            }
            assert_eq!(film_correction(film, -1e-9), 0.0);
        }
    }

    #[test]
    fn impulse_is_the_integral_of_the_reference() {
        let file = reference("lubrication");
        for case in films(&file) {
            let (wall, film) = table_one(case);
            let all = film_impulse(film, 1.0 / (6.0 * PI), film.resolved, film.resolved);
            let factor = if wall { 1.0 } else { 0.5 };
            assert_close(
                all,
                factor * number(&case["C_integral_0_to_eps_dx"]),
                1e-11,
                "of the fluid",
            );
        }
    }

    #[test]
    fn unequal_spheres_are_those_of_the_reference() {
        let file = reference("lubrication");
        for row in rows(&file["unequal"]["data"]) {
            let [h, a, b, ..] = row[..] else {
                panic!("{row:?}")
            };
            for (i, j) in [(a, b), (b, a)] {
                let film = film_between(i, j, 0.1, 1e-9);
                let force = 6.0 * PI * film_amplification(film, h / film.length);
                assert_close(force, row[5], CLOSED_FORM, "of the fluid");
            }
        }
        // A sphere so large that it is a wall, up to a constant, which cancels.
        let pair = film_between(1.0, 1e7, 0.1, 1e-9);
        let wall = film_between(1.0, f64::INFINITY, 0.1, 1e-9);
        let of = |film: Film, h: f64| film_amplification(film, h / film.length);
        let differences = [pair, wall].map(|film| of(film, 1e-3) - of(film, 1e-2));
        assert_close(differences[0], differences[1], 1e-5, "of the fluid");
    }

    #[test]
    fn approach_and_rebound_are_those_of_the_reference() {
        let file = reference("lubrication");
        let film = film_between(1.0, f64::INFINITY, 0.075, 1e-3);
        for row in rows(&file["closed_form_approach"]["data"]) {
            let touch = film_speed_at_touch(film, 1.0, f64::INFINITY, row[0]);
            assert_close(touch, row[1], 1e-11, "of the fluid");
            assert_within(film_restitution(0.97, touch), row[2], 1e-11, "of the fluid");
        }
    }

    proptest! {
        #![proptest_config(fixed_seed())]

        /// However a way is cut into pieces, and there and back it takes the same with the other sign.
        #[test]
        fn impulses_add_up(start in -0.02f64..0.12, first in -0.1f64..0.1, second in -0.1f64..0.1, other in 0.2f64..5.0) {
            let film = film_between(1.0, other, 0.08, 1e-3);
            let of = |start: f64, way: f64| film_impulse(film, 1.0, start, way);
            let all = of(start, first + second);
            let scale = 1e-12 * of(film.length, 2.0 * film.length);
            prop_assert!((of(start, first) + of(start - first, second) - all).abs() <= scale);
            prop_assert!((of(start - first, -first) + of(start, first)).abs() <= scale);
            let small = 1e-7;
            let mean = 0.5 * (film_damping(film, 1.0, start) + film_damping(film, 1.0, start - small));
            // Where nothing jumps in between: at touch, and at the end of the film.
            let eps = start / film.length;
            prop_assume!((eps - small) * eps > 0.0 && (eps - 0.08).abs() > 1e-5);
            prop_assert!((of(start, small) - small * mean).abs() <= 1e-5 * small * (1.0 + mean));
        }

        /// The rate solves its equation, and lies between rest and that without the film.
        #[test]
        fn rate_solves_its_equation(start in -0.02f64..0.12, free in -3.0f64..3.0, viscosity in 1e-6f64..10.0, step in 1e-4f64..0.1) {
            let film = film_between(1.0, f64::INFINITY, 0.08, 1e-3);
            let rate = film_rate(film, viscosity, 2.0, start, free, step);
            prop_assert!(rate * free >= 0.0 && rate.abs() <= free.abs());
            let impulse = film_impulse(film, viscosity, start, rate * step);
            prop_assert!((rate + impulse - free).abs() <= 1e-9 * free.abs(), "{rate} {impulse} {free}");
            prop_assert!(impulse * rate >= 0.0);
        }

        /// A drag takes energy, and never turns a motion round.
        #[test]
        fn drag_only_slows(velocity in -10.0f64..10.0, rate in 0.0f64..1e4, step in 1e-6f64..1.0) {
            let after = velocity + step * dragged_acceleration(0.0, velocity, rate, step);
            // Where it stops, rounding is left.
            let rounding = 1e-14 * velocity * velocity;
            prop_assert!(after * velocity >= -rounding && after.abs() <= velocity.abs());
        }
    }

    /// A step much longer than the gap: beyond touching there is no film, and Newton's method goes back and
    /// forth between a rate that just does not get there and one that goes far beyond.
    #[test]
    fn rate_of_a_kick_that_ends_at_touch() {
        let film = Film {
            leading: 0.14483531,
            logarithmic: 0.17925008,
            small: 0.16323826,
            length: 1.9700247,
            resolved: 0.09387897,
            roughness: 3.6000718e-5,
        };
        let (viscosity, inverse_mass, start) = (0.041136827, 0.12714787, 0.009332648);
        for k in 0..20_000 {
            let free = 5e-3 * (1.0 + 1e-3 * f64::from(k));
            let rate = film_rate(film, viscosity, inverse_mass, start, free, 1.0);
            let impulse = film_impulse(film, viscosity, start, rate);
            let excess = rate + 0.5 * inverse_mass * impulse - free;
            assert!(
                excess.abs() <= 1e-9 * free,
                "{free}: {rate} off by {excess}"
            );
        }
    }

    #[test]
    fn schiller_and_naumann_meet_stokes_and_newton() {
        assert_eq!(schiller_naumann_factor(0.0), 1.0);
        // Drag coefficients 24 f/Re, as printed in tables of the standard drag curve.
        for (reynolds, coefficient, tolerance) in [
            (1.0, 27.6, 0.01),
            (10.0, 4.15, 0.02),
            (100.0, 1.09, 0.02),
            (1000.0, 0.44, 0.01),
            (1e5, 0.44, 1e-9),
        ] {
            let got = 24.0 * schiller_naumann_factor(reynolds) / reynolds;
            assert_close(got, coefficient, tolerance, "of the fluid");
        }
    }

    #[test]
    fn terminal_velocity_and_relaxation_time_balance_the_forces() {
        let (radius, grain, water, viscosity, g) = (5e-4, 2500.0, 1000.0, 0.2, 9.81);
        let speed = stokes_terminal_velocity(grain - water, g, radius, viscosity);
        let weight = g * sphere_mass(grain - water, radius);
        assert_close(
            stokes_drag(viscosity, radius) * speed,
            weight,
            CLOSED_FORM,
            "of the fluid",
        );
        let mass = sphere_mass(grain, radius) + added_mass(water, radius);
        let time = stokes_relaxation_time(grain, water, radius, viscosity);
        assert_close(
            mass / stokes_drag(viscosity, radius),
            time,
            CLOSED_FORM,
            "of the fluid",
        );
        let rate = 1.0 / time;
        // At the terminal velocity nothing changes, however long the step is.
        let free = speed * rate;
        assert_within(
            dragged_acceleration(free, speed, rate, 30.0 * time),
            0.0,
            1e-12 * free,
            "of the fluid",
        );
        assert_close(
            reynolds_number(water, viscosity, radius, speed),
            water * speed * 2.0 * radius / viscosity,
            CLOSED_FORM,
            "of the fluid",
        );
    }
}
