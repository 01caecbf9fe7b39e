//! Single collisions against closed forms, reference integrations and published numbers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should say where it stopped"
)]

mod common;

use common::{assert_all_close, assert_close, assert_within};
use glam::DVec3;
use lahar::Simulation;
use lahar::collide::{Collision, Outcome, Step};
use lahar::laws::ContactEnd;
use lahar::laws::hertz::hertz_time_unit;
use lahar::laws::material::{sphere_mass, sphere_volume};
use lahar::scene::{ContactLaws, Material, NormalLaw, Pair, Particle, Scene, TangentialLaw};
use serde_json::Value;
use std::process::Command;

/// Steps in a contact where a result is compared with an exact one.
const FINE: f64 = 1000.0;

/// The scheme is of second order: (1/1000)² with a factor of ten for the curvature of the motion.
const FINE_TOLERANCE: f64 = 1e-5;

/// Tsuji's damping begins with an infinite slope, δ^¼, which costs some of the second order.
const TSUJI_TOLERANCE: f64 = 1e-4;

/// Half of the last digit that the direct inverse of the adaptive law promises.
const INVERSE_TOLERANCE: f64 = 1e-7;

/// Sums over some thousand steps, each rounded to 1e-16.
const ROUNDING: f64 = 1e-12;

/// Half a unit of the fourth digit, the last one published for the Hertz impacts.
const FOUR_DIGITS: f64 = 2e-4;

/// Half a unit of the third digit, the last one published for the contact times.
const THREE_DIGITS: f64 = 2e-3;

/// Published oblique impacts were read off a diagram to about half a percent of full scale.
const DIAGRAM: f64 = 5e-3;

/// Half a unit of the sixth digit, to which the stiffness is written here.
const SIX_DIGITS: f64 = 1e-6;

/// Contact time of an elastic Hertz impact in units of (m²/(k² v))^⅕.
const TAU_0: f64 = 3.218_065_459_719_043;

fn reference(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("reference file");
    serde_json::from_str(&text).expect("reference file is JSON")
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    let rows = value.as_array().expect("rows");
    assert!(!rows.is_empty(), "no rows to compare with");
    rows.iter()
        .map(|row| row.as_array().expect("row").iter().map(number).collect())
        .collect()
}

fn material(name: &str) -> Material {
    Material {
        name: name.into(),
        density: 2500.0,
        young: None,
        poisson: 0.3,
    }
}

/// Two equal spheres, head-on, 1 m/s, no friction.
fn collision(normal: NormalLaw, pair: Pair) -> Collision {
    Collision {
        laws: ContactLaws {
            normal,
            tangential: TangentialLaw::None,
            ..ContactLaws::default()
        },
        radius: [0.01, 0.01],
        material: [material("sphere 1"), material("sphere 2")],
        pair,
        wall: false,
        speed: 1.0,
        angle: 0.0,
        spin: 0.0,
        gravity: 0.0,
        origin: DVec3::ZERO,
        step: Step::PerContact(FINE),
        phase: 0.5,
    }
}

fn run(collision: &Collision) -> Outcome {
    collision
        .run()
        .unwrap_or_else(|error| panic!("{error}: {collision:?}"))
}

fn with_masses(mut collision: Collision, mass: [f64; 2]) -> Collision {
    for ((material, mass), radius) in collision
        .material
        .iter_mut()
        .zip(mass)
        .zip(collision.radius)
    {
        material.density = mass / sphere_volume(radius);
    }
    collision
}

fn masses(collision: &Collision) -> [f64; 2] {
    [0, 1].map(|k| sphere_mass(collision.material[k].density, collision.radius[k]))
}

fn reduced_mass(collision: &Collision) -> f64 {
    let [first, second] = masses(collision);
    if collision.wall {
        first
    } else {
        first * second / (first + second)
    }
}

fn with_end(mut collision: Collision, end: ContactEnd) -> Collision {
    collision.laws.end = end;
    collision
}

/// Overlap at a time since first touch: the cubic through two samples and their rates.
fn overlap_at(outcome: &Outcome, time: f64) -> f64 {
    let later = outcome
        .trace
        .iter()
        .position(|sample| sample.time >= time)
        .expect("the trace covers the contact");
    let [a, b] = [outcome.trace[later - 1], outcome.trace[later]];
    let h = b.time - a.time;
    let s = (time - a.time) / h;
    let r = 1.0 - s;
    a.overlap * (1.0 + 2.0 * s) * r * r
        + b.overlap * (1.0 + 2.0 * r) * s * s
        + h * s * r * (a.rate * r - b.rate * s)
}

/// Runs the command with `--json` and returns what it printed.
fn command(arguments: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_lahar"))
        .arg("collide")
        .args(arguments.split_whitespace())
        .arg("--json")
        .output()
        .expect("the command starts");
    assert!(
        output.status.success(),
        "{arguments}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

// Linear dashpot: Teufelsbauer, Hübl & Wu.

fn dashpot_case(case: &Value) -> Collision {
    let pair = Pair {
        stiffness: Some(number(&case["k"])),
        damping: Some(number(&case["c"])),
        ..Pair::new(0, 1)
    };
    let collision = Collision {
        radius: [0.1, 0.1],
        speed: number(&case["v0"]),
        gravity: number(&case["g"]),
        ..collision(NormalLaw::Linear, pair)
    };
    with_masses(collision, [number(&case["m1"]), number(&case["m2"])])
}

#[test]
fn dashpot_cases_end_as_the_closed_form_says() {
    let data = reference("linear_dashpot_cases.json");
    let cases = data["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let want = &case["result"];
        let free = dashpot_case(case);
        for (end, restitution, time) in [
            (ContactEnd::Overlap, "e_overlap", "t_c_overlap"),
            (ContactEnd::Force, "e_force", "t_c_force"),
        ] {
            let got = run(&with_end(free.clone(), end));
            assert_close(
                got.max_overlap,
                number(&want["xi_max"]),
                FINE_TOLERANCE,
                &format!("{name} {end:?} largest overlap"),
            );
            if want["regime"] == "over" && end == ContactEnd::Overlap {
                assert_eq!(got.contact_time, None, "{name} sticks");
                assert_eq!(got.restitution, 0.0, "{name} sticks");
                continue;
            }
            assert_close(
                got.restitution,
                number(&want[restitution]),
                FINE_TOLERANCE,
                &format!("{name} {end:?} restitution"),
            );
            assert_close(
                got.contact_time.expect("the bodies come apart"),
                number(&want[time]),
                FINE_TOLERANCE,
                &format!("{name} {end:?} contact time"),
            );
        }
    }
}

#[test]
fn dashpot_cases_follow_the_closed_form_all_the_way() {
    let data = reference("linear_dashpot_cases.json");
    for case in data["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let got = run(&dashpot_case(case));
        let samples = rows(&case["relative"]);
        assert_eq!(samples.len(), 41);
        // The last sample is the end of the contact, where the trace may stop a rounding earlier.
        let last = got.trace.last().unwrap().time;
        let covered: Vec<_> = samples.iter().filter(|row| row[0] < last).collect();
        assert!(covered.len() >= 40, "{name}: the trace is too short");
        let want: Vec<f64> = covered.iter().map(|row| row[1]).collect();
        let found: Vec<f64> = covered.iter().map(|row| overlap_at(&got, row[0])).collect();
        assert_all_close(&found, &want, TRACE_TOLERANCE, &format!("{name} overlap"));
    }
}

/// Second order as the end results, and a cubic through the kink that the dashpot makes at first touch.
const TRACE_TOLERANCE: f64 = 2e-5;

#[test]
fn gravity_drops_out_of_a_free_pair() {
    let data = reference("linear_dashpot_cases.json");
    let case = &data["cases"][2];
    assert_eq!(number(&case["g"]), 9.81);
    let falling = dashpot_case(case);
    let floating = Collision {
        gravity: 0.0,
        ..falling.clone()
    };
    for end in [ContactEnd::Overlap, ContactEnd::Force] {
        let [with, without] =
            [&falling, &floating].map(|collision| run(&with_end(collision.clone(), end)));
        assert_close(
            with.restitution,
            without.restitution,
            GRAVITY_TOLERANCE,
            "restitution",
        );
        assert_close(
            with.contact_time.unwrap(),
            without.contact_time.unwrap(),
            GRAVITY_TOLERANCE,
            "contact time",
        );
    }
}

/// Velocities are sums with the fall in them: rounding, amplified by the small rebound.
const GRAVITY_TOLERANCE: f64 = 1e-9;

#[test]
fn dashpot_table_of_restitutions() {
    let data = reference("linear_dashpot_cases.json");
    for row in rows_with_infinities(&data["restitution_table"]["data"]) {
        let [ratio, overlap, _, force, ..] = row[..] else {
            panic!("short row");
        };
        let free = collision(NormalLaw::Linear, Pair::new(0, 1));
        let stiffness = 1e4;
        let free = Collision {
            pair: Pair {
                stiffness: Some(stiffness),
                damping: Some(2.0 * ratio * (reduced_mass(&free) * stiffness).sqrt()),
                ..Pair::new(0, 1)
            },
            ..free
        };
        for (end, want) in [(ContactEnd::Overlap, overlap), (ContactEnd::Force, force)] {
            // Close to critical damping the rebound is a small difference of large numbers.
            if end == ContactEnd::Overlap && ratio > 0.7 && ratio < 1.0 {
                continue;
            }
            let got = run(&with_end(free.clone(), end));
            assert_within(
                got.restitution,
                want,
                FINE_TOLERANCE,
                &format!("restitution at damping ratio {ratio}, {end:?}"),
            );
        }
    }
}

fn rows_with_infinities(value: &Value) -> Vec<Vec<f64>> {
    let rows = value.as_array().expect("rows");
    rows.iter()
        .map(|row| {
            let row = row.as_array().expect("row").iter();
            row.map(|x| x.as_f64().unwrap_or(f64::INFINITY)).collect()
        })
        .collect()
}

#[test]
fn dashpot_cases_through_the_command() {
    let pair = "--law linear --radius 0.1 --mass 5 --stiffness 5000 --speed 2 \
                --steps-per-contact 1000";
    let got = command(&format!("{pair} --damping 111.80339887498948"));
    assert_close(
        number(&got["restitution"]),
        0.163_033_534_821_580_48,
        FINE_TOLERANCE,
        "case 1",
    );
    assert_close(
        number(&got["contact_time"]),
        0.081_115_573_519_472_24,
        FINE_TOLERANCE,
        "case 1",
    );
    let got = command(&format!("{pair} --damping 447.21359549995793"));
    assert!(got["contact_time"].is_null(), "case 2 sticks: {got}");
    assert_eq!(got["restitution"], 0.0, "case 2 sticks: {got}");
    let got = command(&format!("{pair} --damping 447.21359549995793 --end force"));
    assert_close(
        number(&got["restitution"]),
        0.047_768_732_505_6,
        FINE_TOLERANCE,
        "case 2, no attraction",
    );
    assert_close(
        number(&got["contact_time"]),
        0.034_003_706_683_0,
        FINE_TOLERANCE,
        "case 2, no attraction",
    );
}

/// Case 3: unequal masses under gravity, which acts on both alike.
#[test]
fn dashpot_case_3_through_the_command() {
    let data = reference("linear_dashpot_cases.json");
    let case = data["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .find(|case| case["name"] == "case3")
        .expect("case 3");
    let of = |key: &str| number(&case[key]);
    let got = command(&format!(
        "--law linear --radius 0.1 --mass {} {} --stiffness {} --damping {} --speed {} --gravity {} \
         --steps-per-contact 1000",
        of("m1"),
        of("m2"),
        of("k"),
        of("c"),
        of("v0"),
        of("g")
    ));
    let result = &case["result"];
    for (key, want) in [
        ("restitution", "e_overlap"),
        ("contact_time", "t_c_overlap"),
        ("max_overlap", "xi_max"),
    ] {
        assert_close(
            number(&got[key]),
            number(&result[want]),
            FINE_TOLERANCE,
            key,
        );
    }
}

// Hertz with linear damping: Ray, Kempe & Fröhlich.

#[test]
fn adaptive_law_reaches_restitution_and_contact_time_of_table_1() {
    let data = reference("ray_table1.json");
    let table = data["rows"].as_array().unwrap();
    assert_eq!(table.len(), 8);
    for row in table {
        let restitution = number(&row["e_target"]);
        let time = number(&data["T_c"]);
        let pair = Pair {
            restitution: Some(restitution),
            ..Pair::new(0, 1)
        };
        let mut ball = collision(NormalLaw::HertzAdaptive, pair);
        ball.wall = true;
        ball.laws.contact_time = Some(time);
        ball.material[0].density = 7800.0;
        let got = run(&ball);
        let what = |name: &str| format!("{name} at e = {restitution}");
        assert_close(
            got.restitution,
            restitution,
            FINE_TOLERANCE,
            &what("restitution"),
        );
        assert_close(
            got.contact_time.unwrap(),
            time,
            FINE_TOLERANCE,
            &what("contact time"),
        );
        let exact = &row["exact"];
        assert_close(
            got.stiffness,
            number(&exact["k"]),
            INVERSE_TOLERANCE,
            &what("stiffness"),
        );
        assert_close(
            got.damping,
            number(&exact["d"]),
            INVERSE_TOLERANCE,
            &what("damping"),
        );
    }
}

#[test]
fn adaptive_law_through_the_command() {
    let got = command(
        "--law hertz-adaptive --radius 0.01 --density 7800 --wall --restitution 0.8 \
         --contact-time 0.01 --speed 1 --steps-per-contact 1000",
    );
    assert_close(number(&got["restitution"]), 0.8, FINE_TOLERANCE, "e");
    assert_close(number(&got["contact_time"]), 0.01, FINE_TOLERANCE, "time");
    assert_close(number(&got["stiffness"]), 64_417.5, SIX_DIGITS, "k");
}

#[test]
fn viscous_hertz_against_lambda() {
    let data = reference("hertz_linear_damping.json");
    let table = rows(&data["data"]);
    let mut compared = 0;
    for row in table.iter().filter(|row| row[0] < 0.3) {
        let [lambda, overlap, tau_overlap, depth, _, force, tau_force] = row[..] else {
            panic!("short row");
        };
        let stiffness = 1e6;
        let free = collision(NormalLaw::HertzViscous, Pair::new(0, 1));
        let mass = reduced_mass(&free);
        let unit = hertz_time_unit(stiffness, mass, free.speed);
        let free = Collision {
            pair: Pair {
                stiffness: Some(stiffness),
                damping: Some(2.0 * lambda * mass / unit),
                ..Pair::new(0, 1)
            },
            ..free
        };
        for (end, restitution, tau) in [
            (ContactEnd::Overlap, overlap, tau_overlap),
            (ContactEnd::Force, force, tau_force),
        ] {
            let got = run(&with_end(free.clone(), end));
            let what = |name: &str| format!("{name} at lambda {lambda}, {end:?}");
            assert_close(got.restitution, restitution, FINE_TOLERANCE, &what("e"));
            let time = got.contact_time.unwrap() / unit;
            assert_close(time, tau, FINE_TOLERANCE, &what("contact time"));
            let reached = got.max_overlap / (unit * free.speed);
            assert_close(reached, depth, FINE_TOLERANCE, &what("largest overlap"));
        }
        compared += 1;
    }
    assert_eq!(compared, 18);
}

#[test]
fn overdamped_hertz_sticks_unless_attraction_is_cut() {
    let data = reference("hertz_linear_damping.json");
    let row = &data["data_above_critical"][1];
    let lambda = number(&row[0]);
    let stiffness = 1e6;
    let free = collision(NormalLaw::HertzViscous, Pair::new(0, 1));
    let mass = reduced_mass(&free);
    let unit = hertz_time_unit(stiffness, mass, free.speed);
    let free = Collision {
        pair: Pair {
            stiffness: Some(stiffness),
            damping: Some(2.0 * lambda * mass / unit),
            ..Pair::new(0, 1)
        },
        step: Step::PerContact(200.0),
        ..free
    };
    let got = run(&free);
    assert_eq!((got.restitution, got.contact_time), (0.0, None));
    let got = run(&Collision {
        step: Step::PerContact(FINE),
        ..with_end(free, ContactEnd::Force)
    });
    assert_close(got.restitution, number(&row[5]), FINE_TOLERANCE, "e_force");
}

// Hertz with δ^¼ damping: Tsuji.

#[test]
fn tsuji_against_the_table() {
    let data = reference("tsuji_hertz.json");
    let table = rows(&data["data"]);
    assert_eq!(table.len(), 15);
    for row in &table {
        let [ratio, _, overlap, tau_overlap, force, tau_force, depth] = row[..] else {
            panic!("short row");
        };
        // Below a restitution of 0.1 the tail of the contact is many times longer than its body.
        if ratio > 0.6 {
            continue;
        }
        for (end, restitution, tau) in [
            (ContactEnd::Overlap, overlap, tau_overlap),
            (ContactEnd::Force, force, tau_force),
        ] {
            let stiffness = 1e6;
            let pair = Pair {
                stiffness: Some(stiffness),
                restitution: Some(restitution),
                ..Pair::new(0, 1)
            };
            let free = with_end(collision(NormalLaw::HertzTsuji, pair), end);
            let unit = hertz_time_unit(stiffness, reduced_mass(&free), free.speed);
            let got = run(&free);
            let what = |name: &str| format!("{name} at ratio {ratio}, {end:?}");
            assert_close(got.restitution, restitution, TSUJI_TOLERANCE, &what("e"));
            let time = got.contact_time.unwrap() / unit;
            assert_close(time, tau, TSUJI_TOLERANCE, &what("contact time"));
            let reached = got.max_overlap / (unit * free.speed);
            assert_close(reached, depth, TSUJI_TOLERANCE, &what("largest overlap"));
        }
    }
}

#[test]
fn elastic_mindlin_at_an_angle() {
    let data = reference("tsuji_hertz.json");
    let table = rows(&data["mindlin_elastic_oblique"]["data"]);
    assert_eq!(table.len(), 5);
    for row in &table {
        let [_, slip_in, secant, _] = row[..] else {
            panic!("short row");
        };
        let pair = Pair {
            restitution: Some(1.0),
            friction: 0.1,
            ..Pair::new(0, 1)
        };
        let mut ball = collision(NormalLaw::HertzTsuji, pair);
        ball.laws.tangential = TangentialLaw::Mindlin;
        ball.wall = true;
        ball.material[0].young = Some(1e9);
        ball.material[1].young = Some(f64::INFINITY);
        ball.angle = slip_in.atan();
        let got = run(&ball);
        assert_close(got.psi_in, slip_in, ROUNDING, "slip in");
        assert_within(
            got.psi_out,
            secant,
            MINDLIN_TOLERANCE,
            &format!("slip out after {slip_in}"),
        );
    }
}

/// Stick begins and ends within a step: first order at 1000 steps in a contact, slips being < 1.
const MINDLIN_TOLERANCE: f64 = 1e-4;

// Hertz with √δ damping: Kuwabara & Kono.

#[test]
fn kuwabara_kono_against_exact_integration() {
    // A/t*, restitution, contact time in t*: numerical solution of the equation of motion.
    const EXACT: [[f64; 3]; 6] = [
        [0.001, 0.998_271_621, 3.218_622_71],
        [0.01, 0.982_876_130, 3.223_680_48],
        [0.05, 0.917_771_502, 3.247_087_46],
        [0.1, 0.843_339_411, 3.278_494_99],
        [0.2, 0.714_044_880, 3.348_657_58],
        [0.3, 0.605_946_663, 3.429_107_95],
    ];
    for [ratio, restitution, time] in EXACT {
        let stiffness = 1e6;
        let free = collision(NormalLaw::HertzKuwabaraKono, Pair::new(0, 1));
        let unit = hertz_time_unit(stiffness, reduced_mass(&free), free.speed);
        let got = run(&Collision {
            pair: Pair {
                stiffness: Some(stiffness),
                viscoelastic_time: Some(ratio * unit),
                ..Pair::new(0, 1)
            },
            ..free
        });
        let what = format!("A/t* = {ratio}");
        assert_close(got.restitution, restitution, FINE_TOLERANCE, &what);
        assert_close(
            got.contact_time.unwrap() / unit,
            time,
            FINE_TOLERANCE,
            &what,
        );
    }
}

// Linear springs at an angle: Costa et al.

#[test]
fn oblique_impacts_of_steel_and_glass() {
    /// Steps in a contact, and the error of the slip after it that they allow: first order, because
    /// stick begins and ends within a step.
    const LEVELS: [(f64, f64); 2] = [(100.0, 1e-3), (1000.0, 1e-4)];
    let data = reference("costa_oblique.json");
    for name in ["steel_dry", "glass_dry"] {
        let case = &data["materials"][name];
        let pair = Pair {
            restitution: Some(number(&case["e_n"])),
            tangential_restitution: Some(number(&case["e_t"])),
            friction: number(&case["mu"]),
            ..Pair::new(0, 1)
        };
        let mut ball = collision(NormalLaw::LinearStretched, pair);
        ball.laws.tangential = TangentialLaw::Linear;
        ball.laws.contact_time = Some(1e-3);
        ball.wall = true;
        ball.radius = [1.25e-3; 2];
        let impacts = rows(&case["coulomb_repulsive_only"]);
        assert_eq!(impacts.len(), 24);
        for row in &impacts {
            let [slip_in, slip_out, _] = row[..] else {
                panic!("short row");
            };
            let angle = slip_in.atan();
            for (steps, tolerance) in LEVELS {
                let got = run(&Collision {
                    angle,
                    speed: 1.0 / angle.cos(),
                    step: Step::PerContact(steps),
                    ..ball.clone()
                });
                assert_within(
                    got.psi_out,
                    slip_out,
                    tolerance,
                    &format!("{name}: slip out after {slip_in} with {steps} steps"),
                );
            }
        }
    }
}

// Chung & Ooi (2011), tests 1 to 4, 7 and 8.

fn elastic_ball(radius: f64, young: f64, poisson: f64, density: f64, speed: f64) -> Collision {
    let pair = Pair {
        restitution: Some(1.0),
        ..Pair::new(0, 1)
    };
    let mut ball = collision(NormalLaw::HertzTsuji, pair);
    ball.radius = [radius; 2];
    ball.speed = speed;
    for material in &mut ball.material {
        *material = Material {
            density,
            young: Some(young),
            poisson,
            ..material.clone()
        };
    }
    ball
}

fn on_rigid_wall(mut ball: Collision) -> Collision {
    ball.wall = true;
    ball.material[1].young = Some(f64::INFINITY);
    ball
}

#[test]
fn chung_and_ooi_1_two_elastic_spheres() {
    // ±10 m/s is 20 m/s against a sphere at rest.
    let got = run(&elastic_ball(0.01, 2e10, 0.25, 2500.0, 20.0));
    assert_close(got.max_force, 7108.0, FOUR_DIGITS, "force");
    assert_close(got.max_overlap, 3.683e-4, FOUR_DIGITS, "overlap");
    assert_close(
        got.contact_time.unwrap(),
        5.42e-5,
        THREE_DIGITS,
        "contact time",
    );
    let got = run(&elastic_ball(0.01, 48e9, 0.2, 2800.0, 20.0));
    assert_close(got.max_force, 1.0697e4, FOUR_DIGITS, "force, glass");
}

#[test]
fn chung_and_ooi_2_elastic_sphere_on_a_wall() {
    let got = run(&on_rigid_wall(elastic_ball(0.1, 4e10, 0.35, 1800.0, 0.2)));
    assert_close(got.max_force, 7233.0, FOUR_DIGITS, "force");
    assert_close(got.max_overlap, 5.212e-5, FOUR_DIGITS, "overlap");
    assert_close(
        got.contact_time.unwrap(),
        7.67e-4,
        THREE_DIGITS,
        "contact time",
    );
    let got = run(&on_rigid_wall(elastic_ball(0.1, 70e9, 0.30, 2699.0, 0.2)));
    assert_close(
        got.max_force,
        1.137e4,
        2.0 * FOUR_DIGITS,
        "force, aluminium",
    );
}

#[test]
fn chung_and_ooi_3_restitution_comes_out_as_it_went_in() {
    for restitution in [0.2, 0.4, 0.6, 0.8, 1.0] {
        let mut ball = on_rigid_wall(elastic_ball(0.1, 4e10, 0.35, 1800.0, 0.2));
        ball.pair.restitution = Some(restitution);
        assert_close(
            run(&ball).restitution,
            restitution,
            TSUJI_TOLERANCE,
            &format!("restitution {restitution}"),
        );
    }
}

fn kharaz(angle: f64) -> Collision {
    let mut ball = on_rigid_wall(elastic_ball(2.5e-3, 3.8e11, 0.23, 4000.0, 3.9));
    ball.laws.tangential = TangentialLaw::Mindlin;
    ball.pair.restitution = Some(0.98);
    ball.pair.friction = 0.092;
    ball.angle = angle.to_radians();
    ball
}

#[test]
fn chung_and_ooi_4_full_slip() {
    // Angle, ratio of tangential velocities, spin in rad/s: Kharaz et al. 2001.
    const MEASURED: [[f64; 3]; 5] = [
        [50.0, 0.845, -457.0],
        [60.0, 0.893, -357.0],
        [70.0, 0.932, -246.0],
        [80.0, 0.966, -126.0],
        [85.0, 0.983, -63.0],
    ];
    for [angle, ratio, spin] in MEASURED {
        // Without attraction the tangential impulse is μ times the normal one, exactly.
        let ball = with_end(kharaz(angle), ContactEnd::Force);
        let got = run(&ball);
        let [incoming, normal] = [ball.angle.sin() * 3.9, ball.angle.cos() * 3.9];
        let slip = 0.092 * 1.98;
        let found = got.velocity[0].y / incoming;
        let what = format!("at {angle} degrees");
        assert_within(
            found,
            1.0 - slip / ball.angle.tan(),
            TSUJI_TOLERANCE,
            &format!("velocity {what}"),
        );
        assert_close(
            got.spin[0].z * ball.radius[0],
            -2.5 * slip * normal,
            TSUJI_TOLERANCE,
            &format!("spin {what}"),
        );
        assert_within(found, ratio, DIAGRAM, &format!("measured velocity {what}"));
        assert_within(
            got.spin[0].z,
            spin,
            700.0 * DIAGRAM,
            &format!("measured spin {what}"),
        );
    }
}

#[test]
fn chung_and_ooi_7_opposite_spins_do_not_rub() {
    let spin = 100.0 * DVec3::Z;
    let speed = 0.2;
    let sphere = |side: f64| Particle {
        position: DVec3::X * side * 0.101,
        radius: 0.1,
        velocity: DVec3::X * -side * speed,
        spin: spin * -side,
        material: 0,
        fixed: false,
    };
    let scene = Scene::builder()
        .domain(DVec3::splat(-1.0), DVec3::splat(1.0))
        .end_time(0.02)
        .material("aluminium", 2700.0, 7e10, 0.33)
        .pair(Pair {
            restitution: Some(0.5),
            friction: 0.4,
            ..Pair::new(0, 0)
        })
        .particle(sphere(-1.0))
        .particle(sphere(1.0))
        .build()
        .expect("scene");
    let mut simulation = Simulation::from_scene(scene).expect("simulation");
    simulation.run_until(0.02).expect("run");
    let state = simulation.snapshot().unwrap();
    assert!(state.contacts.is_empty(), "the spheres are apart again");
    for k in 0..2 {
        let outwards = if k == 0 { -1.0 } else { 1.0 };
        let velocity = state.particles.velocity[k];
        assert!(velocity.x * outwards > 0.0, "sphere {k} came back");
        assert_eq!([velocity.y, velocity.z], [0.0; 2], "sphere {k}");
        assert_eq!(state.particles.spin[k], spin * -outwards, "sphere {k}");
    }
}

#[test]
fn chung_and_ooi_8_heavy_sphere_is_like_a_wall() {
    /// Published allowance; a thousandfold mass alone makes 0.001.
    const LIKE_A_WALL: f64 = 0.02;
    let speed = 0.2;
    let mut ball = elastic_ball(0.1, 7e10, 0.33, 2700.0, speed);
    ball.laws.tangential = TangentialLaw::Mindlin;
    ball.pair.restitution = Some(0.5);
    ball.pair.friction = 0.4;
    let mut heavy = ball.clone();
    heavy.material[1].density *= 1000.0;
    heavy.material[1].young = Some(7e13);
    let wall = on_rigid_wall(ball);
    for x in [0.176, 0.551, 0.969, 1.45, 2.09, 3.0, 4.52, 5.75] {
        let spin = 3.5 * 0.4 * 1.5 * speed / x / 0.1;
        let rebound = |collision: &Collision| {
            let got = run(&Collision {
                spin,
                ..collision.clone()
            });
            -got.psi_out / got.psi_in
        };
        let found = rebound(&wall);
        assert_within(
            rebound(&heavy),
            found,
            LIKE_A_WALL,
            &format!("tangential restitution at x = {x}"),
        );
        if x < 0.6 {
            // Slip all the way: β = x − 1, up to the tail in which the contact attracts.
            assert_within(
                found,
                x - 1.0,
                LIKE_A_WALL,
                &format!("full slip at x = {x}"),
            );
        }
    }
}

// What every law must keep.

/// One collision for each normal law, of spheres 1 : 10 unless `wall`.
fn every_law(wall: bool) -> Vec<Collision> {
    let stiffness = Some(1e5);
    [
        (
            NormalLaw::Linear,
            Pair {
                stiffness,
                restitution: Some(0.6),
                ..Pair::new(0, 1)
            },
        ),
        (
            NormalLaw::LinearStretched,
            Pair {
                restitution: Some(0.6),
                ..Pair::new(0, 1)
            },
        ),
        (
            NormalLaw::HertzViscous,
            Pair {
                stiffness,
                damping: Some(0.5),
                ..Pair::new(0, 1)
            },
        ),
        (
            NormalLaw::HertzTsuji,
            Pair {
                stiffness,
                restitution: Some(0.6),
                ..Pair::new(0, 1)
            },
        ),
        (
            NormalLaw::HertzKuwabaraKono,
            Pair {
                stiffness,
                viscoelastic_time: Some(1e-4),
                ..Pair::new(0, 1)
            },
        ),
        (
            NormalLaw::HertzAdaptive,
            Pair {
                restitution: Some(0.6),
                ..Pair::new(0, 1)
            },
        ),
    ]
    .into_iter()
    .map(|(law, pair)| {
        let mut collision = collision(law, pair);
        collision.radius = [0.01, 0.1];
        collision.wall = wall;
        collision.step = Step::PerContact(200.0);
        if matches!(law, NormalLaw::LinearStretched | NormalLaw::HertzAdaptive) {
            collision.laws.contact_time = Some(1e-3);
        }
        collision
    })
    .collect()
}

/// The same at an angle, with friction.
fn every_law_oblique(wall: bool) -> Vec<Collision> {
    let mut collisions = every_law(wall);
    for collision in &mut collisions {
        collision.pair.friction = 0.3;
        collision.angle = 0.6;
        collision.spin = 20.0;
        collision.laws.tangential = if collision.laws.normal.is_hertz() {
            collision.pair.tangential_stiffness = Some(5e4);
            TangentialLaw::Mindlin
        } else {
            collision.pair.tangential_stiffness = Some(3e4);
            TangentialLaw::Linear
        };
    }
    collisions
}

#[test]
fn energy_lost_head_on_is_that_of_the_restitution() {
    for wall in [false, true] {
        for collision in every_law(wall) {
            let got = run(&collision);
            let want = 0.5
                * reduced_mass(&collision)
                * (1.0 - got.restitution * got.restitution)
                * collision.speed
                * collision.speed;
            let what = format!("{:?}, wall {wall}", collision.laws.normal);
            assert!(got.restitution > 0.1 && got.restitution < 0.999, "{what}");
            assert_close(got.energy_lost, want, ROUNDING, &what);
        }
    }
}

#[test]
fn momentum_is_kept_and_forces_are_opposite() {
    for collision in every_law_oblique(false) {
        let what = format!("{:?}", collision.laws.normal);
        let got = run(&collision);
        let mass = masses(&collision);
        assert_close(mass[1] / mass[0], 1000.0, ROUNDING, &what);
        let start = got.trace[0].velocity;
        let scale = mass[0] * collision.speed;
        for sample in &got.trace {
            let change = [0, 1].map(|k| mass[k] * (sample.velocity[k] - start[k]));
            assert_within(
                (change[0] + change[1]).length() / scale,
                0.0,
                ROUNDING,
                &format!("{what}: momentum at {} s", sample.time),
            );
        }
        let gained = mass[1] * got.velocity[1];
        assert!(gained.x / scale > 1.0, "{what}: sphere 2 was hit");
        assert!(gained.y / scale > 0.01, "{what}: sphere 2 was rubbed");
        // Both feel the same tangential force: spins gained are as radius over inertia, 1/(m R).
        let arms = [0, 1].map(|k| mass[k] * collision.radius[k]);
        let turned = [
            arms[0] * (got.spin[0].z - collision.spin),
            arms[1] * got.spin[1].z,
        ];
        assert_close(turned[1], turned[0], SAME_TORQUE, &format!("{what}: spins"));
    }
}

/// Sums of many steps on bodies a thousand times different in mass.
const SAME_TORQUE: f64 = 1e-10;

#[test]
fn mirrored_collision_mirrors_the_result() {
    let mirrored = |v: DVec3| DVec3::new(v.x, -v.y, v.z);
    for wall in [false, true] {
        for collision in every_law_oblique(wall) {
            let got = run(&collision);
            let mirror = run(&Collision {
                angle: -collision.angle,
                spin: -collision.spin,
                ..collision.clone()
            });
            let what = format!("{:?}, wall {wall}", collision.laws.normal);
            for (name, found, want) in [
                ("restitution", mirror.restitution, got.restitution),
                (
                    "contact time",
                    mirror.contact_time.unwrap(),
                    got.contact_time.unwrap(),
                ),
                ("slip", mirror.psi_out, got.psi_out),
            ] {
                assert_close(found, want, MIRROR_TOLERANCE, &format!("{name} of {what}"));
            }
            for k in 0..2 {
                let off = (mirror.velocity[k] - mirrored(got.velocity[k])).length();
                assert_within(off, 0.0, MIRROR_TOLERANCE, &format!("velocity {k}, {what}"));
                let off = (mirror.spin[k] + got.spin[k]).length() / collision.spin;
                assert_within(off, 0.0, MIRROR_TOLERANCE, &format!("spin {k}, {what}"));
            }
            assert!(got.velocity[0].y > 0.1, "{what} leaves the normal");
        }
    }
}

/// Positions are rounded down to a grid, which is not symmetric about zero.
const MIRROR_TOLERANCE: f64 = 1e-10;

/// Ten places in a domain that is 20 000 radii wide, in radii.
const PLACES: [[f64; 3]; 10] = [
    [0.0, 0.0, 0.0],
    [1.0, 2.0, 3.0],
    [0.1, -0.2, 0.3],
    [1e-3, 1e-5, -1e-7],
    [-77.7, 55.5, 33.3],
    [1_234.567, -2_345.678, 3_456.789],
    [-9900.0, 9900.0, -9900.0],
    [9_871.234_567, 8_765.432_1, 7_654.321],
    [9900.5, 0.0, -9900.25],
    [-0.333_333_333, 0.142_857_143, 9_000.0],
];

#[test]
fn collides_alike_everywhere() {
    for wall in [false, true] {
        let oblique = every_law_oblique(wall);
        for collision in every_law(wall).into_iter().chain(oblique) {
            let largest = if wall {
                collision.radius[0]
            } else {
                collision.radius[1]
            };
            let here = run(&collision);
            for place in PLACES {
                let there = run(&Collision {
                    origin: largest * DVec3::from_array(place),
                    ..collision.clone()
                });
                let what = format!(
                    "{:?}, wall {wall}, angle {}, at {place:?}",
                    collision.laws.normal, collision.angle
                );
                assert_eq!(there.restitution, here.restitution, "restitution, {what}");
                assert_eq!(there.contact_time, here.contact_time, "duration, {what}");
                assert_eq!(there.velocity, here.velocity, "velocities, {what}");
                assert_eq!(there.spin, here.spin, "spins, {what}");
            }
        }
    }
}

#[test]
fn restitution_against_speed() {
    let with_speed = |collision: &Collision, speed: f64| {
        run(&Collision {
            speed,
            ..collision.clone()
        })
        .restitution
    };
    for collision in every_law(false) {
        let law = collision.laws.normal;
        let [slow, middle, fast] = [0.01, 0.1, 1.0].map(|speed| with_speed(&collision, speed));
        match law {
            NormalLaw::HertzViscous => assert!(
                slow < middle && middle < fast && fast - slow > 0.05,
                "rises: {slow} {middle} {fast}"
            ),
            NormalLaw::HertzKuwabaraKono => assert!(
                slow > middle && middle > fast && slow - fast > 0.05,
                "falls: {slow} {middle} {fast}"
            ),
            _ => {
                assert_close(slow, middle, SAME_AT_ALL_SPEEDS, &format!("{law:?}"));
                assert_close(fast, middle, SAME_AT_ALL_SPEEDS, &format!("{law:?}"));
            }
        }
    }
}

/// Scaled by the speed, the steps are the same numbers up to rounding and the grid of positions.
const SAME_AT_ALL_SPEEDS: f64 = 1e-7;

#[test]
fn elastic_hertz_time_is_the_exact_constant() {
    let pair = Pair {
        stiffness: Some(1e6),
        restitution: Some(1.0),
        ..Pair::new(0, 1)
    };
    let free = collision(NormalLaw::HertzTsuji, pair);
    let unit = hertz_time_unit(1e6, reduced_mass(&free), free.speed);
    let got = run(&free);
    assert_close(got.contact_time.unwrap() / unit, TAU_0, FINE_TOLERANCE, "τ");
    assert_close(got.restitution, 1.0, FINE_TOLERANCE, "restitution");
}

#[test]
fn spheres_that_do_not_approach_are_refused() {
    let pair = Pair {
        stiffness: Some(1e6),
        restitution: Some(1.0),
        ..Pair::new(0, 1)
    };
    let free = collision(NormalLaw::HertzTsuji, pair);
    for (speed, angle) in [
        (0.0, 0.0),
        (-1.0, 0.0),
        (1.0, 2.0),
        (f64::NAN, 0.0),
        (1.0, f64::NAN),
        (f64::INFINITY, 0.0),
    ] {
        let outcome = Collision {
            speed,
            angle,
            ..free.clone()
        }
        .run();
        assert!(outcome.is_err(), "speed {speed}, angle {angle}");
    }
}

#[test]
fn gravity_presses_on_a_wall() {
    // Undamped: x'' = g − (k/m) x from x = 0 at speed v; back at x = 0 with the same speed after
    // (2/ω)(π − atan(v ω/g)).
    let pair = Pair {
        stiffness: Some(5000.0),
        damping: Some(0.0),
        ..Pair::new(0, 1)
    };
    for speed in [0.1, 2.0] {
        let ball = Collision {
            radius: [0.1, 0.1],
            wall: true,
            speed,
            gravity: 9.81,
            step: Step::Seconds(1e-4),
            ..collision(NormalLaw::Linear, pair)
        };
        let ball = with_masses(ball, [5.0, 5.0]);
        let frequency = (5000.0_f64 / 5.0).sqrt();
        let half = std::f64::consts::PI - (speed * frequency / 9.81).atan();
        let got = run(&ball);
        assert_close(
            got.contact_time.unwrap(),
            2.0 * half / frequency,
            FINE_TOLERANCE,
            &format!("contact time at {speed} m/s"),
        );
        assert_close(got.restitution, 1.0, FINE_TOLERANCE, "restitution");
    }
}

#[test]
fn collision_of_dust_is_that_of_boulders() {
    // R, density and modulus fixed, everything scales with the radius at constant speed.
    let of_radius = |radius: f64| {
        let mut ball = on_rigid_wall(elastic_ball(radius, 2.08e11, 0.3, 7850.0, 5.0));
        ball.pair.restitution = Some(0.9);
        run(&ball)
    };
    let large = of_radius(1.0);
    for radius in [1e-5, 1e-4, 1e-2] {
        let small = of_radius(radius);
        let what = format!("radius {radius}");
        assert_close(small.restitution, large.restitution, SCALE_TOLERANCE, &what);
        let time = small.contact_time.unwrap() / radius;
        assert_close(time, large.contact_time.unwrap(), SCALE_TOLERANCE, &what);
    }
}

/// A unit of positions is another fraction of the radius, and some 1e-3 of what a step moves.
const SCALE_TOLERANCE: f64 = 1e-6;

#[test]
fn strongest_dashpot_still_ends_where_the_force_vanishes() {
    // Damping ratio 20: e = exp(−2α arccosh α/√(α²−1)), t = 2 arccosh α/(ω₀ √(α²−1)).
    let pair = Pair {
        stiffness: Some(5000.0),
        damping: Some(20.0 * 2.0 * (2.5_f64 * 5000.0).sqrt()),
        ..Pair::new(0, 1)
    };
    let spheres = Collision {
        radius: [0.1, 0.1],
        speed: 2.0,
        ..with_end(collision(NormalLaw::Linear, pair), ContactEnd::Force)
    };
    let got = run(&with_masses(spheres, [5.0, 5.0]));
    let root = (20.0_f64 * 20.0 - 1.0).sqrt();
    let time = 2.0 * 20.0_f64.acosh() / root;
    assert_close(
        got.restitution,
        (-20.0 * time).exp(),
        OVERDAMPED_TOLERANCE,
        "restitution",
    );
    let found = got.contact_time.expect("the force vanishes");
    let frequency = (5000.0_f64 / 2.5).sqrt();
    assert_close(
        found * frequency,
        time,
        OVERDAMPED_TOLERANCE,
        "contact time",
    );
}

/// The fast decay at first touch, 40 ω₀, takes only a hundredth of the contact: ten steps.
const OVERDAMPED_TOLERANCE: f64 = 1e-3;

/// However strong a damper, it takes energy and never gives any.
#[test]
fn no_dashpot_is_too_strong() {
    for end in [ContactEnd::Overlap, ContactEnd::Force] {
        for damping in [1.0, 10.0, 100.0, 1e3, 1e4, 1e6] {
            for (law, stiffness) in [(NormalLaw::Linear, 1e4), (NormalLaw::HertzViscous, 1e6)] {
                let pair = Pair {
                    stiffness: Some(stiffness),
                    damping: Some(damping),
                    ..Pair::new(0, 1)
                };
                for steps in [20.0, 53.0, 200.0] {
                    let got = run(&Collision {
                        step: Step::PerContact(steps),
                        ..with_end(collision(law, pair), end)
                    });
                    let what = format!("{law:?}, c = {damping}, {end:?}, {steps} steps");
                    assert!(
                        (0.0..=1.0).contains(&got.restitution),
                        "{what}: {}",
                        got.restitution
                    );
                    assert!(
                        got.energy_lost >= 0.0,
                        "{what}: loses {} J",
                        got.energy_lost
                    );
                    assert!(
                        damping < 1e3 || got.restitution < 0.05,
                        "{what}: {}",
                        got.restitution
                    );
                }
            }
        }
    }
}

/// Laws that are given a restitution and a contact time keep both, wherever contacts end.
#[test]
fn a_collision_of_given_time_comes_out_as_asked_in_either_convention() {
    for law in [NormalLaw::LinearStretched, NormalLaw::HertzAdaptive] {
        for end in [ContactEnd::Overlap, ContactEnd::Force] {
            for restitution in [0.3, 0.5, 0.9] {
                let pair = Pair {
                    restitution: Some(restitution),
                    ..Pair::new(0, 1)
                };
                let mut timed = with_end(collision(law, pair), end);
                timed.laws.contact_time = Some(1e-3);
                timed.step = Step::PerContact(FINE);
                let got = run(&timed);
                let what = format!("{law:?}, e = {restitution}, {end:?}");
                assert_close(got.restitution, restitution, FINE_TOLERANCE, &what);
                assert_close(got.contact_time.unwrap(), 1e-3, FINE_TOLERANCE, &what);
            }
        }
    }
}
