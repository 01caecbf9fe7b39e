//! The same bits for any batch, any skin, any room for slots, and after any pause.

use crate::beds::{Container, RADIUS, assert_same, bed, law_combinations, some_beds, wet};
use crate::device::gpu;
use crate::listed::dense_bed;
use crate::{after, engine, step_of};
use lahar::Simulation;
use lahar::cpu::CpuEngine;
use lahar::gpu::device::GpuChoice;
use lahar::gpu::{Gpu, GpuEngine, GpuOptions};
use lahar::output::{read_checkpoint, state_hash, write_checkpoint};
use lahar::scene::{Leaving, RollingLaw, Scene};
use lahar::simulation::{Backend, scene_fingerprint};

/// Steps that bring each grain into contact once or twice.
const STEPS: u64 = 300;

#[test]
fn however_it_is_run() {
    let Some(gpu) = gpu() else { return };
    for (what, scene) in some_beds() {
        let want = after(gpu, &scene, STEPS);
        assert!(want.contacts.len() > 2, "{what}: too few contacts");
        assert_same(&after(gpu, &scene, STEPS), &want, &format!("{what}, again"));
        let mut single = engine(gpu, &scene);
        for _ in 0..STEPS {
            single.run(1).unwrap();
        }
        let got = single.state().unwrap();
        assert_same(&got, &want, &format!("{what}, one step at a time"));
        for skin in [1.0, 0.02] {
            let mut scene = scene.clone();
            scene.neighbours.skin = Some(skin * RADIUS);
            let got = after(gpu, &scene, STEPS);
            assert_same(&got, &want, &format!("{what}, skin {skin} radii"));
        }
    }
}

/// Only a processor ends before all steps are done.
#[test]
fn runs_that_are_told_to_end() {
    let Some(gpu) = gpu() else { return };
    let (what, scene) = some_beds().next().unwrap();
    let done = |backend: Backend<'_>| {
        let mut simulation = Simulation::on(scene.clone(), backend).unwrap();
        simulation.run_while(5, &|| false).unwrap();
        (simulation.ends_when_told(), simulation.step())
    };
    assert_eq!(done(Backend::Cpu { threads: 1 }), (true, 1), "{what}");
    assert_eq!(done(Backend::Gpu(gpu)), (false, 5), "{what}");
}

/// One hash, as `lahar run --hash` prints it, however the same 1000 steps of a dense bed come about.
#[test]
fn one_hash_for_every_way() {
    const STEPS: u64 = 1000;
    let Some(gpu) = gpu() else { return };
    let listed = |mixed_up| Scene::from_toml(&dense_bed(mixed_up, true), None).unwrap();
    let hash = |engine: &mut GpuEngine| state_hash(&engine.state().unwrap().view());
    let whole = |scene: &Scene, options: &GpuOptions| {
        let mut engine = GpuEngine::new(gpu, scene, step_of(scene), options).unwrap();
        engine.run(STEPS).unwrap();
        hash(&mut engine)
    };
    let scene = listed(false);
    let usual = GpuOptions::default();
    let want = whole(&scene, &usual);
    assert_eq!(whole(&scene, &usual), want, "again");
    assert_eq!(whole(&listed(true), &usual), want, "in another order");
    let little = GpuOptions {
        slots_per_grain: 0.5,
        contacts_per_grain: 0.2,
    };
    assert_eq!(whole(&scene, &little), want, "with little room");
    let mut single = engine(gpu, &scene);
    for _ in 0..STEPS {
        single.run(1).unwrap();
    }
    assert_eq!(hash(&mut single), want, "one step at a time");
    let paused = after(gpu, &scene, 391);
    let path = tempfile::tempdir().unwrap();
    let path = path.path().join("paused.lahar");
    write_checkpoint(&path, &paused.view(), 1).unwrap();
    let read = read_checkpoint(&path, 1).unwrap();
    let mut resumed = GpuEngine::resume(gpu, &scene, &read, &usual).unwrap();
    resumed.run(STEPS - read.step).unwrap();
    assert_eq!(hash(&mut resumed), want, "after a checkpoint");
    // A step more is another state.
    resumed.run(1).unwrap();
    assert_ne!(hash(&mut resumed), want);
}

/// Software devices have shaders and textures of their own; all others have those that tests run.
#[test]
fn with_shaders_that_suit_the_device() {
    let Some(gpu) = gpu() else { return };
    let suited = Gpu::open(&GpuChoice::default()).unwrap();
    let more = [
        ("wet", wet(dense(false))),
        ("more than a row of texels", tall()),
        ("leaving", without_sides()),
    ];
    let more = more.map(|(what, scene)| (what.to_owned(), scene));
    for (what, scene) in some_beds().chain(more) {
        let want = after(gpu, &scene, STEPS);
        assert_same(&after(&suited, &scene, STEPS), &want, &what);
        let little = GpuOptions {
            slots_per_grain: 0.5,
            contacts_per_grain: 0.2,
        };
        let mut engine = GpuEngine::new(&suited, &scene, step_of(&scene), &little).unwrap();
        engine.run(STEPS / 3).unwrap();
        let read = engine.state().unwrap();
        engine.run(STEPS - STEPS / 3).unwrap();
        let got = engine.state().unwrap();
        assert_same(&got, &want, &format!("{what}, with little room"));
        let mut resumed = GpuEngine::resume(&suited, &scene, &read, &little).unwrap();
        resumed.run(STEPS - STEPS / 3).unwrap();
        let got = resumed.state().unwrap();
        assert_same(&got, &want, &format!("{what}, resumed"));
    }
}

/// Five dense beds on top of each other.
fn tall() -> Scene {
    const HEIGHT: f64 = 0.1975;
    let mut scene = dense(false);
    let bed = scene.particles.clone();
    for floor in 1..5 {
        scene.particles.extend(bed.iter().copied().map(|mut grain| {
            grain.position.z += HEIGHT * f64::from(floor);
            grain
        }));
    }
    scene.validate().unwrap();
    scene
}

/// A bed whose grains leave.
fn without_sides() -> Scene {
    let mut scene = bed(law_combinations()[8], Container::Periodic, 3);
    scene.domain.periodic = [false; 3];
    scene.domain.leaving = Leaving::Remove;
    scene
}

/// The bed of `dense_bed`, with rolling springs besides if wanted: several contacts on each grain.
fn dense(rolling: bool) -> Scene {
    let mut scene = Scene::from_toml(&dense_bed(false, false), None).unwrap();
    if rolling {
        scene.contact.rolling = RollingLaw::Spring;
        scene.pairs[0].rolling_friction = 0.1;
    }
    scene
}

/// Room for a tenth of the slots, and of the contacts to put aside, that a run comes to: both grow on the
/// way, and the run ends like one that had enough from the start.
#[test]
fn with_room_for_a_tenth() {
    let Some(gpu) = gpu() else { return };
    let dense = [("dense", dense(false)), ("dense, rolling", dense(true))];
    let dense = dense.map(|(what, scene)| (what.to_owned(), scene));
    for (what, scene) in some_beds().chain(dense) {
        let grains = scene.particles.len() as f64;
        let mut enough = GpuEngine::new(
            gpu,
            &scene,
            step_of(&scene),
            &GpuOptions {
                slots_per_grain: 30.0,
                contacts_per_grain: 15.0,
            },
        )
        .unwrap();
        let plenty = [enough.slot_capacity(), enough.contact_capacity()];
        enough.run(STEPS).unwrap();
        let want = enough.state().unwrap();
        let got = [enough.slot_capacity(), enough.contact_capacity()];
        assert_eq!(got, plenty, "{what}: there was enough");
        let listed = enough.neighbours().unwrap().0;
        let slots = listed.iter().map(Vec::len).sum::<usize>() as f64;
        let contacts = want.contacts.len() as f64;
        let options = GpuOptions {
            slots_per_grain: 0.1 * slots / grains,
            contacts_per_grain: 0.1 * contacts / grains,
        };
        let mut engine = GpuEngine::new(gpu, &scene, step_of(&scene), &options).unwrap();
        engine.run(STEPS).unwrap();
        // The list has one slot for either side of a pair; contacts are put aside once.
        let room = f64::from(engine.slot_capacity());
        assert!(
            room > 5.0 * 0.1 * slots,
            "{what}: room for {room} of {slots} slots"
        );
        let room = f64::from(engine.contact_capacity());
        assert!(
            room > 2.0 * (0.1 * contacts).ceil(),
            "{what}: room for {room} of {contacts} contacts"
        );
        assert!(engine.device_bytes() < enough.device_bytes(), "{what}");
        assert_same(&engine.state().unwrap(), &want, &what);
    }
}

/// A device that goes on while its host looks at the sums, or is busy with the state, comes to the same sums and
/// the same state, also if it has to wait for room or for the host to take grains out.
#[test]
fn while_the_host_is_busy() {
    let Some(gpu) = gpu() else { return };
    let mut leaving = bed(law_combinations()[8], Container::Periodic, 3);
    leaving.domain.periodic = [false; 3];
    leaving.domain.leaving = Leaving::Remove;
    let little = GpuOptions {
        slots_per_grain: 0.5,
        contacts_per_grain: 0.2,
    };
    let scenes = [dense(false), leaving, some_beds().next().unwrap().1];
    const CHUNKS: [u64; 9] = [20, 64, 1, 2, 96, 3, 50, 100, 0];
    for (k, scene) in scenes.iter().enumerate() {
        let mut patient = engine(gpu, scene);
        let mut ahead = GpuEngine::new(gpu, scene, step_of(scene), &little).unwrap();
        let mut busy = engine(gpu, scene);
        for pair in CHUNKS.windows(2) {
            let [steps, next] = [pair[0], pair[1]];
            patient.run(steps).unwrap();
            ahead.run_then(steps, next).unwrap();
            assert_eq!(ahead.totals(), patient.totals(), "scene {k}, {steps} steps");
            busy.run(steps).unwrap();
            let want = patient.state().unwrap();
            assert_same(&busy.state().unwrap(), &want, &format!("scene {k}, busy"));
            busy.begin(next).unwrap();
            if next > 1 {
                let error = ahead.state().unwrap_err().to_string();
                assert!(error.contains("run them first"), "{error}");
                assert!(busy.run(1).is_err(), "fewer steps than announced");
            }
        }
        let want = patient.state().unwrap();
        assert_same(&ahead.state().unwrap(), &want, &format!("scene {k}, ahead"));
        assert!(want.removed > 3 || k != 1, "{} left", want.removed);
    }
}

#[test]
fn after_a_checkpoint() {
    let Some(gpu) = gpu() else { return };
    let directory = tempfile::tempdir().unwrap();
    for (k, (what, scene)) in some_beds().enumerate() {
        let want = after(gpu, &scene, STEPS);
        let state = after(gpu, &scene, 77 + k as u64);
        let path = directory.path().join(format!("{k}.lahar"));
        let fingerprint = scene_fingerprint(&scene, state.time_step);
        write_checkpoint(&path, &state.view(), fingerprint).unwrap();
        let read = read_checkpoint(&path, fingerprint).unwrap();
        let mut again = GpuEngine::resume(gpu, &scene, &read, &GpuOptions::default()).unwrap();
        assert_same(&again.state().unwrap(), &state, &what);
        again.run(STEPS - state.step).unwrap();
        assert_same(&again.state().unwrap(), &want, &what);
    }
}

/// A checkpoint of one engine is the start of the other.
#[test]
fn engines_take_over_from_each_other() {
    let Some(gpu) = gpu() else { return };
    for (what, scene) in some_beds() {
        let mut reference = CpuEngine::new(&scene, step_of(&scene), 1).unwrap();
        reference.run(60).unwrap();
        let handed = reference.state();
        let mut device = GpuEngine::resume(gpu, &scene, &handed, &GpuOptions::default()).unwrap();
        reference.run(40).unwrap();
        device.run(40).unwrap();
        let (got, want) = (device.state().unwrap(), reference.state());
        let mut back = CpuEngine::resume(&scene, &got, 1).unwrap();
        reference.run(40).unwrap();
        back.run(40).unwrap();
        for (got, want) in [(&got, &want), (&back.state(), &reference.state())] {
            assert_eq!(got.step, want.step);
            for i in 0..want.particles.len() {
                let off = (got.position(i) - want.position(i)).length() / RADIUS;
                let wrapped = off > 4.0;
                assert!(
                    off < 1e-4 || wrapped,
                    "{what}: grain {i} is {off} radii off"
                );
            }
            let balance = got.ledger.balance_error().abs() / got.ledger.scale;
            assert!(balance < 1e-3, "{what}: balance off by {balance}");
        }
    }
}

/// Grains that leave are taken out at the same step, however often lists are made.
#[test]
fn with_grains_that_leave() {
    let Some(gpu) = gpu() else { return };
    let mut scene = without_sides();
    let want = after(gpu, &scene, STEPS);
    assert!(want.removed > 3, "{} left", want.removed);
    let mut reference = CpuEngine::new(&scene, step_of(&scene), 1).unwrap();
    reference.run(STEPS).unwrap();
    assert_eq!(want.particles.id, reference.state().particles.id);
    for skin in [1.0, 0.05] {
        scene.neighbours.skin = Some(skin * RADIUS);
        assert_same(&after(gpu, &scene, STEPS), &want, &format!("skin {skin}"));
    }
    scene.domain.leaving = Leaving::Stop;
    let mut engine = engine(gpu, &scene);
    let error = engine.run(STEPS).unwrap_err();
    assert!(error.to_string().contains("left the domain"), "{error}");
}
