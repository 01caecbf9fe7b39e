//! Hard grains against soft ones.

use glam::DVec3;
use lahar::cpu::CpuEngine;
use lahar::cross_check::hard_soft::{HardSoft, HardSoftReport, compare, hard_soft};
use lahar::cross_check::soft_twin;
use lahar::laws::hard_sphere::{
    Body, CollisionRule, GrainShape, collide, viscoelastic_restitution,
};
use lahar::laws::material::sphere_mass;
use lahar::scene::{ContactLaws, NormalLaw, Pair, Particle, Scene, TangentialLaw, WallShape};
use std::fs;

/// A dilute gas of 200 grains with this rule, in this domain.
fn scene_with(engine: &str, pair: &str, particles: &str, walls: &str) -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gas.toml");
    let text = format!(
        r#"
[engine]
kind = "hard"
{engine}
[domain]
lower = [0, 0, 0]
upper = [0.035, 0.035, 0.035]
periodic = ["x", "y"]
[time]
end = 1.0
[[materials]]
name = "glass"
density = 2500
[[pairs]]
between = ["glass", "glass"]
{pair}
[[particles]]
kind = "random"
material = "glass"
count = 200
lower = [0, 0, 0]
upper = [0.035, 0.035, 0.035]
velocity_spread = 0.2
{particles}
{walls}
"#
    );
    fs::write(&path, text).unwrap();
    Scene::from_file(&path).unwrap()
}

const FLOORS: &str = r#"
[[walls]]
name = "floors"
material = "glass"
kind = "box"
lower = [0, 0, 0]
upper = [0.035, 0.035, 0.035]
open = ["-x", "+x", "-y", "+y"]
"#;

fn gas(pair: &str) -> Scene {
    scene_with("", pair, "radius = 1e-3", FLOORS)
}

fn wanted() -> HardSoft {
    HardSoft {
        time: None,
        samples: 10,
        durations: vec![0.1, 0.02],
    }
}

fn outside(report: &HardSoftReport) -> Vec<&str> {
    let failed = report.checks.iter().filter(|check| !check.passes());
    failed.map(|check| check.name.as_str()).collect()
}

const SMOOTH: &str = "rule = \"smooth\"\nrestitution = 0.8";
const WALTON: &str =
    "rule = \"walton\"\nrestitution = 0.8\ntangential_restitution = 0.5\nfriction = 0.3";
const RUBIN: &str = "rule = \"rubin\"\nrestitution = 0.8\nexponent = 0.35\nfriction = 0.3";
const VISCOELASTIC: &str = "rule = \"viscoelastic\"\nviscoelastic_time = 2e-5\nstiffness = 1e6";

#[test]
fn soft_grains_do_as_hard_ones() {
    for rule in [SMOOTH, WALTON, RUBIN, VISCOELASTIC] {
        let report = hard_soft(&gas(rule), &wanted(), |_| ()).unwrap();
        assert!(report.passes(), "{rule}: {:#?}", report.checks);
        assert!(report.rebounds > 40, "{rule}: {} rebounds", report.rebounds);
        assert!(*report.soft[1].collisions.last().unwrap() > 5.0);
        // The stiffer, the nearer: contacts are five times as short.
        let [soft, stiff] = [0, 1].map(|k| report.deviations(&report.soft[k])[2]);
        assert!(stiff < 0.3 * soft, "{rule}: {soft} → {stiff}");
    }
}

/// The example of rough grains, with fewer of them.
#[test]
fn rough_grains_of_the_example_do_as_soft_ones() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rough.toml");
    let text = fs::read_to_string("examples/scenes/rough_gas.toml").unwrap();
    assert!(text.contains("rule = \"rubin\""));
    let fewer = text.replace("count = 1000", "count = 200");
    fs::write(&path, fewer.replace("0.0594", "0.0347")).unwrap();
    // So stiff that a tenth less friction would show.
    let wanted = HardSoft {
        durations: vec![0.1, 0.005],
        ..wanted()
    };
    let report = hard_soft(&Scene::from_file(&path).unwrap(), &wanted, |_| ()).unwrap();
    assert!(report.passes(), "{:#?}", report.checks);
    let found = report.soft.iter().map(|run| run.rebound);
    assert!(found.is_sorted_by(|soft, stiff| stiff < soft));
}

const DENSITY: f64 = 2500.0;
const RADII: [f64; 2] = [1e-3, 1.6e-3];

/// How far two soft spheres, or one and a wall, are from the velocities and spins of the hard rule after one collision whose
/// contact lasts `time`, in the speed of approach; the obliquity is `z` of that of full slip.
fn soft_impact(rule: &CollisionRule, wall: bool, z: f64, time: f64) -> f64 {
    let (restitution, friction) = (rule.restitution(1.0, 1.0), rule.friction());
    let full_slip = 3.5 * (1.0 + restitution) * friction;
    let masses = RADII.map(|radius| sphere_mass(DENSITY, radius));
    // Slip from velocity and from both spins.
    let spins = [DVec3::new(5.0, 40.0, -60.0), DVec3::new(0.0, -20.0, 30.0)];
    let mut arms = RADII[0] * spins[0];
    if !wall {
        arms += RADII[1] * spins[1];
    }
    let slip = z * full_slip * DVec3::new(0.0, 0.8, -0.6);
    let velocity = DVec3::X + slip - arms.cross(DVec3::X);
    let grain = |k: usize, velocity| {
        Body::grain(GrainShape::Sphere, masses[k], RADII[k], velocity, spins[k])
    };
    let second = if wall {
        Body::wall(DVec3::ZERO)
    } else {
        grain(1, DVec3::ZERO)
    };
    let want = collide(&grain(0, velocity), &second, DVec3::X, rule, false);

    let mut pair = Pair {
        restitution: Some(restitution),
        friction,
        ..Pair::new(0, 0)
    };
    match *rule {
        CollisionRule::Rubin { exponent, .. } => pair.exponent = Some(exponent),
        CollisionRule::Walton {
            tangential_restitution,
            ..
        } => pair.tangential_restitution = Some(tangential_restitution),
        _ => panic!("a rule with friction"),
    }
    let step = time / 400.0;
    let particle = |k: usize, position, velocity| Particle {
        velocity,
        spin: spins[k],
        ..Particle::new(position, RADII[k], 0)
    };
    let builder = Scene::builder()
        .domain(DVec3::splat(-0.01), DVec3::splat(0.01))
        .end_time(1.0)
        .time_step(step)
        .contact(ContactLaws {
            normal: NormalLaw::LinearStretched,
            tangential: TangentialLaw::Impulse,
            contact_time: Some(time),
            ..ContactLaws::default()
        })
        .material("glass", DENSITY, 1e9, 0.2)
        .pair(pair)
        // They touch after three steps and a half.
        .particle(particle(
            0,
            -RADII[0] * DVec3::X - 3.5 * step * velocity,
            velocity,
        ));
    let scene = if wall {
        let (point, normal) = (DVec3::ZERO, DVec3::NEG_X);
        builder.wall("wall", 0, WallShape::Plane { point, normal })
    } else {
        builder.particle(particle(1, RADII[1] * DVec3::X, DVec3::ZERO))
    };
    let mut engine = CpuEngine::new(&scene.build().unwrap(), step, 1).unwrap();
    engine.run(420).unwrap();
    assert_eq!(engine.contacts(), 0, "they part");
    let state = engine.state();
    let mut off = 0.0f64;
    for (k, want) in [want.first, want.second]
        .iter()
        .enumerate()
        .take(2 - usize::from(wall))
    {
        let velocity = state.particles.velocity[k] - want.velocity;
        let spin = (state.particles.spin[k] - want.spin) * RADII[k];
        off = off.max(velocity.length()).max(spin.length());
    }
    off
}

#[test]
fn a_soft_impact_tends_to_that_of_the_rule() {
    let (restitution, friction) = (0.8, 0.3);
    let rubin = |exponent| CollisionRule::Rubin {
        restitution,
        exponent,
        friction,
    };
    let walton = |tangential_restitution| CollisionRule::Walton {
        restitution,
        tangential_restitution,
        friction,
    };
    for rule in [rubin(0.35), rubin(3.0), walton(0.5), walton(0.0)] {
        for z in [0.05, 0.3, 0.7, 0.95, 1.5, 4.0] {
            // The normal of a flat wall does not turn: what is left is the steps, at any contact time.
            let off = soft_impact(&rule, true, z, 1e-4);
            assert!(off < 1e-4, "{rule:?}, wall, z = {z}: off by {off:e}");
            let [long, short] = [1e-5, 1e-6].map(|time| soft_impact(&rule, false, z, time));
            let (turns, steps) = (0.2 * long, 2e-5);
            assert!(
                short < turns + steps && short < 0.02,
                "{rule:?}, z = {z}: {long:e} → {short:e}"
            );
        }
    }
}

/// A comparison that could not fail would be worth nothing.
#[test]
fn other_soft_grains_are_told_apart() {
    type Fault = fn(&mut Scene);
    let faults: [(&str, Fault); 4] = [
        // Another transition to full slip, with the same slope at the start.
        (RUBIN, |scene| {
            let pair = &mut scene.pairs[0];
            pair.tangential_restitution = pair.exponent.take();
        }),
        (SMOOTH, |scene| scene.pairs[0].restitution = Some(0.6)),
        (SMOOTH, |scene| {
            scene.particles.iter_mut().for_each(|p| p.velocity *= 1.2)
        }),
        (WALTON, |scene| {
            scene.contact.tangential = TangentialLaw::None
        }),
    ];
    for (rule, fault) in faults {
        let twin = |scene: &Scene, time: f64, speed: f64| {
            let mut soft = soft_twin(scene, time, speed)?;
            fault(&mut soft);
            Ok(soft)
        };
        let report = compare(&gas(rule), &wanted(), twin, |_| ()).unwrap();
        assert!(!report.passes(), "{rule}: {:#?}", report.checks);
        assert!(
            outside(&report)
                .iter()
                .any(|name| name.contains("energy") || name.contains("rebound"))
        );
    }
}

#[test]
fn rules_become_laws() {
    let time = 1e-4;
    let smooth = soft_twin(&gas(SMOOTH), time, 0.2).unwrap();
    assert_eq!(smooth.contact.normal, NormalLaw::LinearStretched);
    assert_eq!(smooth.contact.tangential, TangentialLaw::None);
    assert_eq!(smooth.contact.contact_time, Some(time));
    assert_eq!(smooth.pairs[0].restitution, Some(0.8));

    let walton = soft_twin(&gas(WALTON), time, 0.2).unwrap();
    assert_eq!(walton.contact.tangential, TangentialLaw::Impulse);
    assert_eq!(walton.pairs[0].friction, 0.3);
    assert_eq!(walton.pairs[0].tangential_restitution, Some(0.5));
    assert_eq!(walton.pairs[0].exponent, None);

    let rubin = soft_twin(&gas(RUBIN), time, 0.2).unwrap();
    assert_eq!(rubin.contact.tangential, TangentialLaw::Impulse);
    assert_eq!(rubin.pairs[0].friction, 0.3);
    assert_eq!(rubin.pairs[0].exponent, Some(0.35));
    assert_eq!(rubin.pairs[0].tangential_restitution, None);
    // A rule that gives no slip back is no spring, but it is a rule.
    let stuck = soft_twin(&gas(&WALTON.replace("0.5", "0")), time, 0.2).unwrap();
    assert_eq!(stuck.pairs[0].tangential_restitution, Some(0.0));

    // Stiffer, with A shorter in the same measure: the same restitution at any speed.
    let viscous = soft_twin(&gas(VISCOELASTIC), time, 0.2).unwrap();
    let pair = &viscous.pairs[0];
    let (a, k) = (pair.viscoelastic_time.unwrap(), pair.stiffness.unwrap());
    for speed in [0.01, 1.0] {
        let before = viscoelastic_restitution(2e-5, 1e6, 1e-5, speed);
        let after = viscoelastic_restitution(a, k, 1e-5, speed);
        assert!((before - after).abs() < 1e-12 && before < 0.99);
    }
}

#[test]
fn disks_become_spheres_of_the_same_mass() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("disks.toml");
    let text = fs::read_to_string("examples/scenes/cooling.toml").unwrap();
    fs::write(&path, text.replace("5740", "300")).unwrap();
    let scene = Scene::from_file(&path).unwrap();
    let soft = soft_twin(&scene, 1e-5, 0.5).unwrap();
    let mass = lahar::laws::material::sphere_mass(soft.materials[0].density, 1e-3);
    let disk = 2.5 * std::f64::consts::PI * 1e-6;
    assert!((mass / disk - 1.0).abs() < 1e-12);
}

#[test]
fn what_soft_grains_cannot_do_is_refused() {
    let message = |scene: &Scene| soft_twin(scene, 1e-4, 0.2).unwrap_err().to_string();
    let moving = FLOORS.replace("kind = \"box\"", "kind = \"plane\"");
    let moving = moving.lines().filter(|line| {
        !line.starts_with("lower") && !line.starts_with("upper") && !line.starts_with("open")
    });
    let moving: Vec<&str> = moving
        .chain([
            "point = [0, 0, 0]",
            "normal = [0, 0, 1]",
            "velocity = [0.1, 0, 0]",
        ])
        .collect();
    let scene = scene_with("", SMOOTH, "radius = 1e-3", &moving.join("\n"));
    assert!(message(&scene).contains("moves"), "{}", message(&scene));
}
