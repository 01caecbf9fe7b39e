//! A law broken on purpose makes `lahar verify` fail: its cases can tell right from wrong.
//!
//! The studies run on the all-pairs engine, once with the right laws and once with each fault.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should say where it stopped"
)]

use lahar::Result;
use lahar::cpu::brute_force::{BruteForce, Rules};
use lahar::engine::Engine;
use lahar::laws::tangential::{TangentialForce, linear_slider_force};
use lahar::scene::Scene;
use lahar::verify::{Bench, Engines, studies};

/// The all-pairs engine with some laws replaced.
struct Broken(Rules);

impl Bench for Broken {
    fn start(&self, scene: &Scene, time_step: f64) -> Result<Box<dyn Engine>> {
        Ok(Box::new(BruteForce::with_rules(scene, time_step, self.0)?))
    }
}

/// Cases that fail under these rules, in studies whose name begins with one of `names`.
fn failures(rules: Rules, names: &[&str]) -> Vec<String> {
    let bench = Broken(rules);
    let mut failed = Vec::new();
    let mut seen = 0;
    for study in studies() {
        let named = names.iter().any(|name| study.name.starts_with(name));
        if study.engines != Engines::All || !study.quick || !named {
            continue;
        }
        seen += 1;
        let measured = (study.measure)(&bench);
        let values = measured.map(|m| m.values).unwrap_or_default();
        for (k, check) in study.checks.iter().enumerate() {
            if !values.get(k).is_some_and(|&value| check.accepts(value)) {
                failed.push(format!("{}/{}", study.name, check.name));
            }
        }
    }
    assert!(seen > 0, "no study is named {names:?}");
    failed
}

#[test]
fn right_laws_pass_everywhere() {
    let failed = failures(Rules::default(), &[""]);
    assert!(failed.is_empty(), "{failed:?}");
}

/// A fault must make one of the cases fail that are about it.
fn is_noticed(rules: Rules, names: &[&str]) {
    let failed = failures(rules, names);
    assert!(!failed.is_empty(), "nothing fails in {names:?}");
}

#[test]
fn damper_that_drives() {
    let rules = Rules {
        damper: |coefficient| -coefficient,
        ..Rules::default()
    };
    is_noticed(rules, &["ray-collision"]);
    is_noticed(rules, &["teufelsbauer-case1"]);
}

#[test]
fn arithmetic_mean_for_the_reduced_mass() {
    let rules = Rules {
        // A wall has no mass to take the mean with.
        damping_mass: |[a, b]| {
            if b == 0.0 {
                1.0 / a
            } else {
                0.5 * (1.0 / a + 1.0 / b)
            }
        },
        ..Rules::default()
    };
    is_noticed(rules, &["teufelsbauer-case1"]);
    is_noticed(rules, &["teufelsbauer-case3"]);
}

#[test]
fn spring_that_sliding_does_not_shorten() {
    let rules = Rules {
        linear_slider: |k, c, spring, slip, limit| TangentialForce {
            spring,
            ..linear_slider_force(k, c, spring, slip, limit)
        },
        ..Rules::default()
    };
    is_noticed(rules, &["costa-steel"]);
    is_noticed(rules, &["costa-saturation"]);
}

#[test]
fn spring_that_does_not_turn() {
    let rules = Rules {
        transport_spring: |spring, _| spring,
        ..Rules::default()
    };
    is_noticed(rules, &["costa-rotation"]);
}

#[test]
fn five_halves_for_two_fifths() {
    let rules = Rules {
        hertz_energy: |k, overlap| 2.5 * k * overlap.max(0.0).powf(2.5),
        ..Rules::default()
    };
    is_noticed(rules, &["ray-spring-energy"]);
}
