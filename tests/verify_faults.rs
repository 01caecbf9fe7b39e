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
use lahar::laws::hard_sphere::CollisionRule;
use lahar::laws::rolling::constant_rolling_moment;
use lahar::laws::tangential::{TangentialForce, linear_slider_force, mindlin_slider_force};
use lahar::scene::Scene;
use lahar::verify::{Bench, Engines, studies};

/// The all-pairs engine with some laws replaced, and another rule for hard grains.
struct Broken(Rules, fn(CollisionRule) -> CollisionRule);

impl Bench for Broken {
    fn start(&self, scene: &Scene, time_step: f64) -> Result<Box<dyn Engine>> {
        Ok(Box::new(BruteForce::with_rules(scene, time_step, self.0)?))
    }

    fn hard_rule(&self, rule: CollisionRule) -> CollisionRule {
        (self.1)(rule)
    }
}

/// Cases that fail under these rules, in studies whose name begins with one of `names`.
fn failures(rules: Rules, names: &[&str]) -> Vec<String> {
    failures_on(&Broken(rules, |rule| rule), Engines::All, names)
}

/// Cases that fail on this bench, in studies that run on these engines and whose name begins with one of
/// `names`.
fn failures_on(bench: &Broken, engines: Engines, names: &[&str]) -> Vec<String> {
    let mut failed = Vec::new();
    let mut seen = 0;
    for study in studies() {
        let named = names.iter().any(|name| study.name.starts_with(name));
        if study.engines != engines || !study.quick || !named {
            continue;
        }
        seen += 1;
        let measured = (study.measure)(bench);
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
    is_noticed(rules, &["chung-ooi-3"]);
    is_noticed(rules, &["mfix-phases"]);
    is_noticed(rules, &["mfix-stack"]);
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
    is_noticed(rules, &["costa-regimes"]);
    is_noticed(rules, &["costa-saturation"]);
}

#[test]
fn mindlin_spring_that_sliding_does_not_shorten() {
    let rules = Rules {
        mindlin_slider: |k, c, spring, slip, limit| TangentialForce {
            spring,
            ..mindlin_slider_force(k, c, spring, slip, limit)
        },
        ..Rules::default()
    };
    is_noticed(rules, &["chung-ooi-4"]);
    is_noticed(rules, &["chung-ooi-5"]);
    is_noticed(rules, &["chung-ooi-6"]);
}

#[test]
fn mindlin_spring_without_its_damper() {
    let rules = Rules {
        mindlin_slider: |k, _, spring, slip, limit| {
            mindlin_slider_force(k, 0.0, spring, slip, limit)
        },
        ..Rules::default()
    };
    is_noticed(rules, &["chung-ooi-4"]);
    is_noticed(rules, &["chung-ooi-6"]);
}

#[test]
fn hard_rule_of_another_kind() {
    let walton_for_rubin = |rule| match rule {
        CollisionRule::Rubin {
            restitution,
            exponent,
            friction,
        } => CollisionRule::Walton {
            restitution,
            tangential_restitution: exponent,
            friction,
        },
        rule => rule,
    };
    let bench = Broken(Rules::default(), walton_for_rubin);
    let failed = failures_on(&bench, Engines::Cpu, &["rubin-bounce-63"]);
    assert!(failed.iter().any(|id| id.contains("smooth")), "{failed:?}");
    assert!(!failed.iter().any(|id| id.contains("walton")), "{failed:?}");
}

#[test]
fn hard_grains_that_lose_nothing() {
    let elastic = |rule| match rule {
        CollisionRule::Smooth { .. } => CollisionRule::Smooth { restitution: 1.0 },
        CollisionRule::Rubin {
            exponent, friction, ..
        } => CollisionRule::Rubin {
            restitution: 1.0,
            exponent,
            friction,
        },
        rule => rule,
    };
    let bench = Broken(Rules::default(), elastic);
    for name in [
        "rubin-bounce-61",
        "rubin-bounce-64",
        "luding-gravity-off",
        "luding-ball",
        "luding-haff",
        "luding-collapse",
    ] {
        let failed = failures_on(&bench, Engines::Cpu, &[name]);
        assert!(!failed.is_empty(), "nothing fails in {name}");
    }
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

#[test]
fn rolling_resistance_that_drives() {
    let rules = Rules {
        constant_rolling: |velocity, limit, stopping| {
            -constant_rolling_moment(velocity, limit, stopping)
        },
        ..Rules::default()
    };
    is_noticed(rules, &["rolling-decay"]);
}

#[test]
fn drag_of_the_diameter_for_that_of_the_radius() {
    let rules = Rules {
        drag_rate: |rate| 2.0 * rate,
        ..Rules::default()
    };
    is_noticed(rules, &["costa-still-fluid"]);
}

#[test]
fn film_per_velocity_of_each_grain() {
    // (32) of Costa et al. with the relative velocity, as printed: twice too strong.
    let rules = Rules {
        film_viscosity: |viscosity| 2.0 * viscosity,
        ..Rules::default()
    };
    is_noticed(rules, &["costa-film"]);
    is_noticed(rules, &["costa-approach"]);
}

#[test]
fn film_that_acts_in_contact() {
    let rules = Rules {
        film_gap: |gap| gap.max(0.0),
        ..Rules::default()
    };
    is_noticed(rules, &["costa-film"]);
}
