//! The energy ledger closes, and it closes better with shorter steps.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a test says what it expects and prints what it finds; counts are small"
)]

#[path = "common/beds.rs"]
#[allow(dead_code, reason = "shared with the tests of the engine")]
mod beds;

use beds::{RADIUS, Random};
use glam::DVec3;
use lahar::Simulation;
use lahar::contact::{ContactModel, elastic_contact_time};
use lahar::laws::ContactEnd;
use lahar::laws::material::sphere_mass;
use lahar::scene::*;
use lahar::state::Ledger;

const DENSITY: f64 = 2500.0;

fn laws(normal: NormalLaw, tangential: TangentialLaw, rolling: RollingLaw) -> ContactLaws {
    ContactLaws {
        normal,
        tangential,
        rolling,
        ..ContactLaws::default()
    }
}

fn pair(laws: &ContactLaws, restitution: f64, friction: f64) -> Pair {
    let mut pair = Pair {
        friction,
        rolling_friction: 0.1,
        rolling_damping: 0.2,
        ..Pair::new(0, 0)
    };
    match laws.normal {
        NormalLaw::Linear => {
            pair.stiffness = Some(2e4);
            pair.restitution = Some(restitution);
        }
        // λ ≈ 0.06 for these spheres at 1 m/s: e ≈ 0.8.
        NormalLaw::HertzViscous => pair.damping = Some(if restitution < 1.0 { 0.5 } else { 0.0 }),
        _ => pair.restitution = Some(restitution),
    }
    if laws.tangential == TangentialLaw::Linear {
        pair.tangential_stiffness = Some(6e3);
        pair.tangential_damping = Some(0.3);
    }
    if laws.tangential == TangentialLaw::Impulse {
        pair.exponent = Some(0.35);
    }
    pair
}

fn builder(laws: ContactLaws, pair: Pair) -> SceneBuilder {
    Scene::builder()
        .domain(DVec3::splat(-0.2), DVec3::splat(0.2))
        .end_time(1.0)
        .contact(laws)
        .force_step(true)
        .material("glass", DENSITY, 5e6, 0.25)
        .pair(pair)
}

/// Contact time at 1 m/s, without damping, s.
fn contact_time(laws: ContactLaws, pair: Pair, wall: bool) -> f64 {
    let particle = Particle::new(DVec3::ZERO, RADIUS, 0);
    let scene = builder(laws, pair).particle(particle).build().unwrap();
    let model = ContactModel::new(&scene);
    let share = if wall { 1.0 } else { 0.5 };
    let mass = share * sphere_mass(DENSITY, RADIUS);
    elastic_contact_time(&laws, model.pair(0, 0), mass, share * RADIUS, 1.0)
}

/// One oblique collision at 1 m/s normal and `slip` m/s tangential speed.
struct Oblique {
    laws: ContactLaws,
    pair: Pair,
    wall: bool,
    slip: f64,
    spin: DVec3,
}

impl Oblique {
    fn run(&self, steps_per_contact: f64, phase: f64) -> Ledger {
        let time = contact_time(self.laws, self.pair, self.wall);
        let step = time / steps_per_contact;
        // Touches after three steps and a part of one.
        let gap = (3.0 + phase) * step;
        let moving = Particle {
            velocity: DVec3::new(1.0, self.slip, 0.3 * self.slip),
            spin: self.spin,
            ..Particle::new(-(gap + RADIUS) * DVec3::X, RADIUS, 0)
        };
        let builder = builder(self.laws, self.pair)
            .time_step(step)
            .particle(moving);
        let scene = if self.wall {
            builder.wall(
                "wall",
                0,
                WallShape::Plane {
                    point: DVec3::ZERO,
                    normal: DVec3::NEG_X,
                },
            )
        } else {
            builder.particle(Particle::new(RADIUS * DVec3::X, RADIUS, 0))
        };
        let mut simulation = Simulation::with_threads(scene.build().unwrap(), 1).unwrap();
        let steps = 3.0 * steps_per_contact;
        simulation.run_until(steps * step).unwrap();
        let state = simulation.snapshot().unwrap();
        assert!(state.contacts.is_empty(), "the spheres come apart");
        state.ledger
    }

    /// Whether a tangential or rolling spring is still stretched when the spheres come apart.
    fn leaves_a_spring(&self) -> bool {
        self.laws.rolling == RollingLaw::Spring || self.laws.normal == NormalLaw::Linear
    }

    /// Largest error of the balance over all phases of touch, in parts of the starting energy.
    fn worst(&self, steps_per_contact: f64) -> f64 {
        (0..12)
            .map(|k| {
                let phase = (f64::from(k) * 0.618_033_988_749_895 + 0.137).fract();
                let steps = steps_per_contact * (1.0 + 0.1 * phase);
                let ledger = self.run(steps, phase);
                (ledger.balance_error() / ledger.initial).abs()
            })
            .fold(0.0, f64::max)
    }
}

fn oblique_cases() -> Vec<(String, Oblique)> {
    let mut cases = Vec::new();
    let (mindlin, linear) = (TangentialLaw::Mindlin, TangentialLaw::Linear);
    let impulse = TangentialLaw::Impulse;
    for (normal, tangential, rolling) in [
        (NormalLaw::HertzTsuji, mindlin, RollingLaw::None),
        (NormalLaw::HertzTsuji, mindlin, RollingLaw::Spring),
        (NormalLaw::Linear, linear, RollingLaw::None),
        (NormalLaw::Linear, linear, RollingLaw::Spring),
        (NormalLaw::HertzViscous, mindlin, RollingLaw::None),
        (NormalLaw::HertzTsuji, impulse, RollingLaw::None),
        (NormalLaw::Linear, impulse, RollingLaw::None),
    ] {
        for wall in [false, true] {
            // Sticks, slides at first and last, slides all the time.
            for (regime, slip) in [("sticks", 0.1), ("both", 1.0), ("slides", 4.0)] {
                let laws = laws(normal, tangential, rolling);
                let spin = if rolling == RollingLaw::None {
                    DVec3::ZERO
                } else {
                    DVec3::new(10.0, -20.0, 30.0)
                };
                let pair = pair(&laws, 0.8, 0.4);
                cases.push((
                    format!("{normal:?} {tangential:?} {rolling:?} wall {wall} {regime}"),
                    Oblique {
                        laws,
                        pair,
                        wall,
                        slip,
                        spin,
                    },
                ));
            }
        }
    }
    cases
}

/// Fails unless the balance of each collision closes at least with the power 1.5 of the step.
fn assert_converges(cases: impl Iterator<Item = (String, Oblique)>) {
    let mut bad = Vec::new();
    for (what, case) in cases {
        let errors = [25.0, 50.0, 100.0, 200.0].map(|steps| case.worst(steps));
        // Where the slider stops or starts within a step makes single ratios uneven, and the error
        // of the coarsest step may be small by chance: the order is the better one over three or
        // over two halvings.
        let over = |first: usize| (errors[first] / errors[3]).log2() / (3 - first) as f64;
        let order = over(0).max(over(1));
        let found = errors.map(|error| format!("{error:.1e}")).join(" ");
        println!("{what}: {found}, order {order:.2}");
        if errors[1] > 1e-3 || order < 1.5 {
            bad.push(format!("{what}: {found}, order {order:.2}"));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn the_balance_of_a_collision_converges() {
    assert_converges(
        oblique_cases()
            .into_iter()
            .filter(|(_, case)| !case.leaves_a_spring()),
    );
}

#[test]
fn the_balance_of_a_collision_that_leaves_a_spring_converges() {
    assert_converges(
        oblique_cases()
            .into_iter()
            .filter(|(_, case)| case.leaves_a_spring()),
    );
}

/// A random gas or a poured bed of about a hundred grains in a box.
fn crowd(laws: ContactLaws, pair: Pair, speed: f64, gravity: f64, steps_per_contact: f64) -> Scene {
    let mut random = Random(12);
    let half = 0.06;
    let spacing = 2.0 * half / 5.0;
    let mut particles = Vec::new();
    for cell in 0..100 {
        let lattice = DVec3::new(
            f64::from(cell % 5) - 2.0,
            f64::from(cell / 5 % 5) - 2.0,
            f64::from(cell / 25) - 2.0,
        );
        let spins = laws.tangential != TangentialLaw::None;
        particles.push(Particle {
            velocity: speed * random.vector(),
            spin: if spins {
                30.0 * speed * random.vector()
            } else {
                DVec3::ZERO
            },
            ..Particle::new(
                spacing * (lattice + 0.05 * random.vector()),
                RADIUS * random.between(0.8, 1.05),
                0,
            )
        });
    }
    // Contacts of the fastest and the smallest.
    let time = 0.8 * contact_time(laws, pair, false);
    builder(laws, pair)
        .domain(DVec3::splat(-half), DVec3::splat(half))
        .gravity(DVec3::new(0.0, 0.0, -gravity))
        .time_step(time / steps_per_contact)
        .particles(particles)
        .wall(
            "box",
            0,
            WallShape::Box {
                lower: DVec3::splat(-half),
                upper: DVec3::splat(half),
                faces: [true; 6],
            },
        )
        .build()
        .unwrap()
}

/// Balance, and losses that only grow, through a gas and a pouring.
fn assert_crowd_closes(laws: ContactLaws) {
    for (speed, gravity) in [(1.0, 0.0), (0.2, 9.81)] {
        let scene = crowd(laws, pair(&laws, 0.8, 0.4), speed, gravity, 50.0);
        let what = format!(
            "{:?} {:?} {:?} {:?} gravity {gravity}",
            laws.normal, laws.tangential, laws.rolling, laws.end
        );
        let mut simulation = Simulation::with_threads(scene, 1).unwrap();
        let mut before = simulation.snapshot().unwrap().ledger;
        let mut worst = 0.0f64;
        for _ in 0..60 {
            simulation.run(50).unwrap();
            let ledger = simulation.snapshot().unwrap().ledger;
            worst = worst.max((ledger.balance_error() / ledger.initial).abs());
            // The correction at an end of contact may give back a little of what was booked.
            let slack = 1e-5 * ledger.initial;
            for (account, old, new) in [
                ("normal", before.lost_normal, ledger.lost_normal),
                ("tangential", before.lost_tangential, ledger.lost_tangential),
                ("friction", before.lost_friction, ledger.lost_friction),
                ("rolling", before.lost_rolling, ledger.lost_rolling),
            ] {
                assert!(
                    new >= old - slack,
                    "{what}: {account} gives {:e} J",
                    old - new
                );
            }
            before = ledger;
        }
        let lost = before.lost() / before.initial;
        println!("{what}: balance {worst:.1e}, lost {lost:.2} of the start");
        assert!(lost > 0.05, "{what}: nothing happened");
        assert!(
            worst < 1e-3,
            "{what}: off by {worst:e} of the energy put in"
        );
    }
}

#[test]
fn the_balance_of_a_crowd_closes() {
    let mindlin = TangentialLaw::Mindlin;
    assert_crowd_closes(laws(NormalLaw::HertzTsuji, mindlin, RollingLaw::None));
    assert_crowd_closes(laws(NormalLaw::HertzViscous, mindlin, RollingLaw::Constant));
    assert_crowd_closes(ContactLaws {
        end: ContactEnd::Force,
        ..laws(NormalLaw::HertzTsuji, mindlin, RollingLaw::Constant)
    });
}

#[test]
fn the_balance_of_a_crowd_that_leaves_springs_closes() {
    assert_crowd_closes(laws(
        NormalLaw::Linear,
        TangentialLaw::Linear,
        RollingLaw::None,
    ));
    let laws = laws(
        NormalLaw::HertzTsuji,
        TangentialLaw::Mindlin,
        RollingLaw::Spring,
    );
    for end in [ContactEnd::Overlap, ContactEnd::Force] {
        assert_crowd_closes(ContactLaws { end, ..laws });
    }
}

/// Worst change of the energy of an elastic gas, at moments without contacts, and the number of
/// collisions.
fn elastic_gas(normal: NormalLaw, steps_per_contact: f64) -> (f64, usize) {
    let laws = laws(normal, TangentialLaw::None, RollingLaw::None);
    let mut scene = crowd(laws, pair(&laws, 1.0, 0.0), 1.0, 0.0, steps_per_contact);
    let mut number = 0;
    scene.particles.retain(|_| {
        number += 1;
        number % 5 == 0
    });
    let mut simulation = Simulation::with_threads(scene, 1).unwrap();
    let (mut worst, mut moments, mut collisions, mut touching) = (0.0f64, 0, 0, 0);
    while simulation.time() < 0.35 {
        simulation.run(10).unwrap();
        let state = simulation.snapshot().unwrap();
        collisions += state.contacts.len().saturating_sub(touching);
        touching = state.contacts.len();
        // Within a contact the energy of a leapfrog swings by (ω Δt)²/8, and back.
        if state.contacts.is_empty() {
            let energy = state.ledger.total() / state.ledger.initial;
            worst = worst.max((energy - 1.0).abs());
            moments += 1;
        }
    }
    assert!(moments > 20, "{normal:?}: never without contacts");
    (worst, collisions)
}

/// Without damping and friction nothing is lost, however many collisions.
#[test]
fn an_elastic_gas_keeps_its_energy() {
    for normal in [
        NormalLaw::Linear,
        NormalLaw::HertzTsuji,
        NormalLaw::HertzViscous,
    ] {
        let [coarse, fine, finest] = [50.0, 100.0, 200.0].map(|steps| elastic_gas(normal, steps));
        println!("{normal:?}: {coarse:?} {fine:?} {finest:?}");
        assert!(fine.1 > 100, "{normal:?}: only {} collisions", fine.1);
        // Each collision errs by about 1e-7 of the whole at 100 steps per contact, with either sign.
        assert!(fine.0 < 1e-5, "{normal:?}: {:e}", fine.0);
        assert!(finest.0 < 2e-6, "{normal:?}: {:e}", finest.0);
        assert!(
            finest.0 < coarse.0 / 8.0,
            "{normal:?}: less than the order 1.5"
        );
    }
}

/// In a dense bed every contact works against the forces of all others, for long. What the springs
/// hold then must be booked from what they did, not from what a lone pair would have done.
#[test]
fn the_balance_of_a_bed_that_comes_to_rest_closes() {
    let error = |rolling, steps_per_contact: f64| {
        let laws = laws(NormalLaw::HertzTsuji, TangentialLaw::Mindlin, rolling);
        let scene = crowd(laws, pair(&laws, 0.5, 0.5), 0.3, 9.81, steps_per_contact);
        let mut simulation = Simulation::with_threads(scene, 2).unwrap();
        simulation.run_until(0.3).unwrap();
        let settled = simulation.snapshot().unwrap();
        let ledger = settled.ledger;
        let moving = (ledger.kinetic + ledger.rotational) / ledger.initial;
        assert!(
            moving < 1e-3 && settled.contacts.len() > 100,
            "not at rest: {moving:e}"
        );
        simulation.run_until(0.6).unwrap();
        let rested = simulation.snapshot().unwrap().ledger;
        let drift = (rested.balance_error() - ledger.balance_error()) / ledger.initial;
        (ledger.balance_error() / ledger.initial, drift)
    };
    for rolling in [RollingLaw::None, RollingLaw::Spring] {
        let [coarse, fine] = [50.0, 100.0].map(|steps| error(rolling, steps));
        println!(
            "{rolling:?}: settled {:.1e} {:.1e}, drift {:.1e} {:.1e}",
            coarse.0, fine.0, coarse.1, fine.1
        );
        assert!(coarse.0.abs() < 1e-4, "{rolling:?}: {:e}", coarse.0);
        assert!(
            coarse.1.abs() < 1e-6,
            "{rolling:?}: drifts by {:e}",
            coarse.1
        );
        assert!(
            fine.0.abs() < 0.7 * coarse.0.abs(),
            "{rolling:?}: does not fall with the step"
        );
    }
}
