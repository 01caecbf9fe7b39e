//! Grains in a fluid: against all pairs, against themselves, and the energy that the fluid takes.

use crate::after;
use crate::agreement::compare;
use crate::beds::{CONTAINERS, RADIUS, assert_same, bed, law_combinations, some_beds, wet};
use lahar::output::{read_checkpoint, write_checkpoint};
use lahar::scene::{DragLaw, Fluid, Lubrication, Scene, TimeStep};
use lahar::simulation::{Backend, scene_fingerprint};
use lahar::state::State;
use lahar::{Error, Simulation};

const STEPS: u64 = 300;

fn wet_beds() -> impl Iterator<Item = (String, Scene)> {
    some_beds().map(|(what, scene)| (format!("{what}, wet"), wet(scene)))
}

#[test]
fn as_over_all_pairs() {
    for (k, container) in CONTAINERS.into_iter().enumerate() {
        for law in [8, 10] {
            let scene = wet(bed(law_combinations()[law], container, 71 + k as u64));
            let (began, _) = compare(&scene, 400, &format!("law {law} in {container:?}, wet"));
            assert!(began > 3, "{container:?}: only {began} contacts");
            let ledger = after(&scene, 400).ledger;
            // Enough that a fluid that did nothing would be noticed.
            assert!(ledger.lost_drag > 1e-3 * ledger.kinetic, "{ledger:?}");
            assert!(ledger.lost_film > 1e-2 * ledger.kinetic, "{ledger:?}");
        }
    }
}

#[test]
fn any_skin_and_any_number_of_threads() {
    for (what, scene) in wet_beds() {
        let want = after(&scene, STEPS);
        for skin in [3.0, 0.05, 1e-4] {
            let mut scene = scene.clone();
            scene.neighbours.skin = Some(skin * RADIUS);
            assert_same(
                &after(&scene, STEPS),
                &want,
                &format!("{what}, skin {skin}"),
            );
        }
        for threads in [2, 8] {
            let mut simulation = Simulation::with_threads(scene.clone(), threads).unwrap();
            simulation.run(STEPS).unwrap();
            assert_same(&simulation.snapshot().unwrap(), &want, &what);
        }
    }
}

#[test]
fn one_batch_or_many_and_after_a_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    for (k, (what, scene)) in wet_beds().enumerate() {
        let want = after(&scene, STEPS);
        let mut single = Simulation::with_threads(scene.clone(), 1).unwrap();
        for _ in 0..STEPS {
            single.run(1).unwrap();
        }
        assert_same(&single.snapshot().unwrap(), &want, &what);
        for pause in [0, 1, 150] {
            let state = after(&scene, pause);
            let path = directory.path().join(format!("{k}-{pause}.lahar"));
            let fingerprint = scene_fingerprint(&scene, state.time_step);
            write_checkpoint(&path, &state.view(), fingerprint).unwrap();
            let read = read_checkpoint(&path, fingerprint).unwrap();
            assert_same(&read, &state, &what);
            let threads = 1;
            let mut again =
                Simulation::resume(scene.clone(), &read, Backend::Cpu { threads }).unwrap();
            again.run(STEPS - pause).unwrap();
            assert_same(&again.snapshot().unwrap(), &want, &what);
        }
        let mut dry = scene.clone();
        dry.fluid = None;
        let other = scene_fingerprint(&dry, want.time_step);
        assert_ne!(other, scene_fingerprint(&scene, want.time_step), "{what}");
    }
}

/// A fluid that does nothing leaves every bit where it was.
#[test]
fn a_fluid_that_does_nothing() {
    for (what, dry) in some_beds() {
        let mut scene = dry.clone();
        scene.fluid = Some(Fluid {
            buoyancy: false,
            drag: DragLaw::None,
            added_mass: false,
            lubrication: Lubrication::default(),
            ..Fluid::new(1000.0, 1e-3)
        });
        let (got, want) = (after(&scene, STEPS), after(&dry, STEPS));
        assert_eq!(got.particles, want.particles, "{what}");
        assert_eq!(got.contacts, want.contacts, "{what}");
        assert_eq!((got.ledger.lost_drag, got.ledger.lost_film), (0.0, 0.0));
    }
}

fn at_steps(scene: &Scene, step: f64, steps: u64) -> State {
    let mut scene = scene.clone();
    scene.time.step = TimeStep::Fixed(step);
    after(&scene, steps)
}

/// What the ledger misses, over the energy at the start, falls with the step.
#[test]
fn the_balance_closes() {
    for (what, scene) in wet_beds() {
        let step = Simulation::with_threads(scene.clone(), 1)
            .unwrap()
            .time_step();
        let missed = [1, 4].map(|finer| {
            let state = at_steps(&scene, step / f64::from(finer), 200 * finer as u64);
            let ledger = state.ledger;
            assert!(ledger.lost_drag > 0.0 && ledger.lost_film > 0.0, "{what}");
            (ledger.balance_error() / ledger.kinetic.max(ledger.lost())).abs()
        });
        println!(
            "{what}: misses {:.1e}, at a quarter of the step {:.1e}",
            missed[0], missed[1]
        );
        // As beds without a fluid do: contacts that begin and end within a step.
        assert!(missed[0] < 5e-3, "{what}: {missed:?}");
        assert!(missed[1] < 1e-3, "{what}: {missed:?}");
    }
}

#[test]
fn a_step_too_long_for_the_film_is_refused() {
    let (_, mut scene) = wet_beds().next().unwrap();
    scene.fluid.as_mut().unwrap().viscosity = 50.0;
    scene.time.step = TimeStep::Fixed(1e-4);
    let Err(Error::Scene(error)) = Simulation::with_threads(scene.clone(), 1) else {
        panic!("the step is accepted");
    };
    assert_eq!(error.key, "time.step");
    assert!(
        error.allowed.contains("the fluid stops a grain within"),
        "{error}"
    );
    scene.time.step = TimeStep::Auto;
    let step = Simulation::with_threads(scene, 1).unwrap().time_step();
    assert!(step < 2e-5, "{step}");
}
