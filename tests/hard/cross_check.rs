//! Hard grains against soft ones.

use lahar::cross_check::hard_soft::{HardSoft, HardSoftReport, compare, hard_soft};
use lahar::cross_check::soft_twin;
use lahar::laws::hard_sphere::viscoelastic_restitution;
use lahar::scene::{NormalLaw, Scene, TangentialLaw};
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
const VISCOELASTIC: &str = "rule = \"viscoelastic\"\nviscoelastic_time = 2e-5\nstiffness = 1e6";

#[test]
fn soft_grains_do_as_hard_ones() {
    for rule in [SMOOTH, WALTON, VISCOELASTIC] {
        let report = hard_soft(&gas(rule), &wanted(), |_| ()).unwrap();
        assert!(report.passes(), "{rule}: {:#?}", report.checks);
        assert!(report.rebounds > 40, "{rule}: {} rebounds", report.rebounds);
        assert!(*report.soft[1].collisions.last().unwrap() > 5.0);
        // The stiffer, the nearer; what friction does differently stays.
        let [soft, stiff] = [0, 1].map(|k| report.deviations(&report.soft[k])[2]);
        assert!(
            stiff < 0.6 * soft || rule == WALTON,
            "{rule}: {soft} → {stiff}"
        );
    }
}

/// A comparison that could not fail would be worth nothing.
#[test]
fn other_soft_grains_are_told_apart() {
    type Fault = fn(&mut Scene);
    let faults: [(&str, Fault); 3] = [
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
    assert_eq!(walton.contact.tangential, TangentialLaw::Linear);
    assert_eq!(walton.pairs[0].friction, 0.3);
    assert_eq!(walton.pairs[0].tangential_restitution, Some(0.5));

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
    let stuck = WALTON.replace("0.5", "0");
    assert!(message(&gas(&stuck)).contains("gives slow slip back 0 times"));
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
