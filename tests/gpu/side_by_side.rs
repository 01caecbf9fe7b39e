//! Both engines side by side: the comparison passes what is right, and nothing else.

use crate::beds::{Container, bed, law_combinations};
use crate::device::gpu;
use crate::step_of;
use lahar::cross_check::{
    DISTURBANCE, Report, Setting, Subjects, THRESHOLD, cross_check, disturbed,
};
use lahar::gpu::Gpu;
use lahar::scene::{Scene, TimeStep};
use lahar::simulation::{Backend, Simulation};

/// A box of sixty grains that collide until nothing of their start is left.
fn scene() -> Scene {
    let mut scene = bed(law_combinations()[8], Container::Box, 5);
    scene.time.step = TimeStep::Fixed(step_of(&scene));
    scene
}

/// Compares the device, at work on a scene that may be another, with the CPU.
fn report(gpu: &Gpu, candidate: Scene, steps: u64) -> Report {
    const CPU: Backend<'_> = Backend::Cpu { threads: 1 };
    let scene = scene();
    let step = step_of(&scene);
    let setting = Setting::new(&scene);
    let twin = |number| Simulation::on(disturbed(&scene, DISTURBANCE, step, number), CPU).unwrap();
    let [mut first, mut second, mut third] = [twin(0), twin(1), twin(2)];
    let times: Vec<f64> = (0..=20).map(|k| (steps * k / 20) as f64 * step).collect();
    let report = cross_check(
        Subjects {
            reference: &mut Simulation::on(scene, CPU).unwrap(),
            candidate: &mut Simulation::on(candidate, Backend::Gpu(gpu)).unwrap(),
            twins: [&mut first, &mut second, &mut third],
        },
        &setting,
        &times,
        |_| Ok(()),
    )
    .expect("runs without incident");
    assert_eq!(report.samples.len(), times.len());
    for check in &report.checks {
        println!(
            "{:24} cpu {:.4e} gpu {:.4e} off {:.1e} twin {:.1e} allowed {:.1e}",
            check.name, check.reference, check.candidate, check.difference, check.twin, check.band
        );
    }
    report
}

#[track_caller]
fn assert_passes(report: &Report) {
    let failed: Vec<_> = report.checks.iter().filter(|c| !c.passes()).collect();
    assert!(report.passes() && failed.is_empty(), "{failed:#?}");
    for name in [
        "trajectories, 99 %",
        "kinetic energy",
        "potential energy",
        "elastic energy",
        "dissipated energy",
        "contacts per grain",
        "mean height",
        "height of layer 3 of 5",
        "force on wall 0_zmin",
    ] {
        let there = report.checks.iter().any(|check| check.name == name);
        assert!(there, "{name} was not compared");
    }
}

#[test]
fn trajectories_agree_while_nothing_has_grown() {
    let Some(gpu) = gpu() else { return };
    let report = report(gpu, scene(), 200);
    assert_passes(&report);
    let (until, to_the_end) = report.agree_until();
    assert!(to_the_end, "until {until} s");
    let last = report.samples.last().unwrap();
    assert!(last.twin.largest > DISTURBANCE && last.twin.largest < THRESHOLD);
}

#[test]
fn statistics_agree_when_trajectories_no_longer_do() {
    let Some(gpu) = gpu() else { return };
    let report = report(gpu, scene(), 6000);
    assert_passes(&report);
    let (until, to_the_end) = report.agree_until();
    assert!(until > 0.0 && !to_the_end, "until {until} s");
    let last = report.samples.last().unwrap();
    assert!(
        last.twin.largest > 10.0 * THRESHOLD,
        "the twin has not parted: {last:?}"
    );
}

/// Other friction, restitution, gravity or mass: outside the bands, early and late.
#[test]
fn other_physics_do_not_pass() {
    let Some(gpu) = gpu() else { return };
    type Change = fn(&mut Scene);
    let changes: [(&str, Change); 3] = [
        ("friction", |scene| {
            scene.pairs.iter_mut().for_each(|pair| pair.friction *= 0.7);
        }),
        ("restitution", |scene| {
            for pair in &mut scene.pairs {
                pair.restitution = pair.restitution.map(|e| 0.97 * e);
            }
        }),
        ("gravity", |scene| scene.gravity *= 1.01),
    ];
    for (what, change) in changes {
        let mut other = scene();
        change(&mut other);
        for steps in [200, 6000] {
            let report = report(gpu, other.clone(), steps);
            assert!(!report.passes(), "other {what} passes in {steps} steps");
        }
    }
}
