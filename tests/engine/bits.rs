//! The same bits for any skin, any number of threads, any batch, and after any pause.

use crate::after;
use crate::beds::{Container, RADIUS, assert_same, bed, law_combinations, pair, some_beds};
use crate::listed::dense_bed;
use glam::DVec3;
use lahar::output::{read_checkpoint, state_hash, write_checkpoint};
use lahar::scene::{Particle, Scene};
use lahar::simulation::scene_fingerprint;
use lahar::state::State;
use lahar::{Simulation, simulation::Backend};

/// Steps that bring each grain into contact once or twice.
const STEPS: u64 = 300;

#[test]
fn two_runs() {
    for (what, scene) in some_beds() {
        assert_same(&after(&scene, STEPS), &after(&scene, STEPS), &what);
    }
}

#[test]
fn any_skin() {
    for (what, scene) in some_beds() {
        let want = after(&scene, STEPS);
        assert!(want.contacts.len() > 4, "{what}: too few contacts");
        for skin in [3.0, 0.5, 0.05, 0.01] {
            let mut scene = scene.clone();
            scene.neighbours.skin = Some(skin * RADIUS);
            assert_same(
                &after(&scene, STEPS),
                &want,
                &format!("{what}, skin {skin} radii"),
            );
        }
    }
}

/// Several contacts on each grain: their sum has an order, and only one.
#[test]
fn any_skin_in_a_dense_bed() {
    let mut scene = large_bed(DVec3::new(0.0, 0.0, -9.81), 6, 1.96);
    let want = after(&scene, 60);
    assert!(
        want.coordination_number() > 3.0,
        "{}",
        want.coordination_number()
    );
    for skin in [2.0, 0.5, 0.01] {
        scene.neighbours.skin = Some(skin * RADIUS);
        assert_same(&after(&scene, 60), &want, &format!("skin {skin} radii"));
    }
}

/// Each grain of a dense bed ends the same to the bit, however the bed is listed, if it says which it is.
#[test]
fn any_order_of_a_list() {
    let listed = |mixed_up, with_ids| {
        let scene = Scene::from_toml(&dense_bed(mixed_up, with_ids), None).unwrap();
        after(&scene, STEPS)
    };
    let want = listed(false, true);
    let contacts = want.coordination_number();
    assert!(contacts > 4.0, "{contacts} contacts per grain");
    assert_same(&listed(true, true), &want, "mixed up, with ids");
    assert_same(&listed(false, false), &want, "in order, without ids");
    // What ids are for: sums in another order.
    let unnamed = listed(true, false);
    let total = |state: &State| state.ledger.kinetic;
    assert_ne!(total(&unnamed), total(&want));
}

/// Thinner than a grain moves in one step: a contact comes apart further than the lists reach.
#[test]
fn a_skin_thinner_than_one_step() {
    for (what, scene) in some_beds() {
        let want = after(&scene, STEPS);
        for skin in [1e-4, 1e-6] {
            let mut scene = scene.clone();
            scene.neighbours.skin = Some(skin * RADIUS);
            assert_same(
                &after(&scene, STEPS),
                &want,
                &format!("{what}, skin {skin} radii"),
            );
        }
    }
}

/// Enough grains for several tasks of the force loop.
fn large_bed(gravity: DVec3, side: u32, spacing: f64) -> Scene {
    let laws = law_combinations()[9];
    let spacing = spacing * RADIUS;
    let mut random = crate::beds::Random(8);
    let mut particles = Vec::new();
    for cell in 0..side * side * side {
        let lattice = DVec3::new(
            f64::from(cell % side),
            f64::from(cell / side % side),
            f64::from(cell / side / side),
        );
        particles.push(Particle {
            velocity: random.vector(),
            spin: 100.0 * random.vector(),
            ..Particle::new(spacing * (lattice + 0.5), RADIUS, 0)
        });
    }
    Scene::builder()
        .domain(DVec3::ZERO, DVec3::splat(spacing * f64::from(side)))
        .periodic([true; 3])
        .gravity(gravity)
        .end_time(1.0)
        .expected_speed(2.0)
        .contact(laws)
        .material("glass", 2500.0, 5e6, 0.25)
        .pair(pair(&laws, 0, 0))
        .particles(particles)
        .build()
        .expect("a valid scene")
}

fn with_threads(scene: &Scene, threads: usize, steps: u64) -> State {
    let mut simulation = Simulation::with_threads(scene.clone(), threads).expect("a valid scene");
    simulation.run(steps).expect("a run without incident");
    simulation.snapshot().unwrap()
}

#[test]
fn any_number_of_threads() {
    let scene = large_bed(DVec3::new(0.0, 0.0, -9.81), 14, 2.02);
    let want = with_threads(&scene, 1, 60);
    assert!(
        want.contacts.len() > 3000,
        "{} contacts",
        want.contacts.len()
    );
    for threads in [2, 8] {
        let got = with_threads(&scene, threads, 60);
        assert_same(&got, &want, &format!("{threads} threads"));
    }
}

/// Gravity that points away from the lower corner: the energy of the start is negative.
#[test]
fn any_number_of_threads_under_upward_gravity() {
    let scene = large_bed(DVec3::new(0.0, 0.0, 98.1), 14, 2.02);
    let want = with_threads(&scene, 1, 40);
    assert!(want.ledger.initial < 0.0);
    for threads in [2, 8] {
        let got = with_threads(&scene, threads, 40);
        assert_same(&got, &want, &format!("{threads} threads"));
    }
}

#[test]
fn one_batch_or_many() {
    for (what, scene) in some_beds() {
        let want = after(&scene, 200);
        let mut simulation = Simulation::with_threads(scene, 1).unwrap();
        for _ in 0..200 {
            simulation.run(1).unwrap();
        }
        assert_same(&simulation.snapshot().unwrap(), &want, &what);
    }
}

#[test]
fn after_a_pause_at_any_step() {
    for (what, scene) in some_beds() {
        let want = after(&scene, STEPS);
        for pause in [0, 1, 37, 150, 299] {
            let what = format!("{what}, paused at {pause}");
            let state = after(&scene, pause);
            let mut again =
                Simulation::resume(scene.clone(), &state, Backend::Cpu { threads: 1 }).unwrap();
            again.run(STEPS - pause).unwrap();
            assert_same(&again.snapshot().unwrap(), &want, &what);
        }
    }
}

#[test]
fn a_resumed_state_is_the_saved_one() {
    for (what, scene) in some_beds() {
        let state = after(&scene, 150);
        let mut again = Simulation::resume(scene, &state, Backend::Cpu { threads: 1 }).unwrap();
        assert_same(&again.snapshot().unwrap(), &state, &what);
    }
}

#[test]
fn after_a_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    for (k, (what, scene)) in some_beds().enumerate() {
        let want = after(&scene, STEPS);
        let state = after(&scene, 123 + k as u64);
        let path = directory.path().join(format!("{k}.lahar"));
        let fingerprint = scene_fingerprint(&scene, state.time_step);
        write_checkpoint(&path, &state.view(), fingerprint).unwrap();
        let read = read_checkpoint(&path, fingerprint).unwrap();
        assert_same(&read, &state, &what);
        let mut again = Simulation::resume(scene, &read, Backend::Cpu { threads: 2 }).unwrap();
        again.run(STEPS - state.step).unwrap();
        assert_same(&again.snapshot().unwrap(), &want, &what);
    }
}

/// Grains that leave are taken out at the same step, however often lists are made.
#[test]
fn any_skin_with_grains_that_leave() {
    let laws = law_combinations()[8];
    let mut scene = bed(laws, Container::Periodic, 3);
    scene.domain.periodic = [false; 3];
    scene.domain.leaving = lahar::scene::Leaving::Remove;
    let want = after(&scene, STEPS);
    assert!(want.removed > 3, "{} left", want.removed);
    for skin in [1.0, 0.05] {
        scene.neighbours.skin = Some(skin * RADIUS);
        assert_same(&after(&scene, STEPS), &want, &format!("skin {skin} radii"));
    }
}

/// Equal bits, equal hash: again, with more threads, after a pause, from the engine or from a copy.
#[test]
fn the_hash_is_the_same_however_it_is_run() {
    for (what, scene) in some_beds() {
        let want = state_hash(&after(&scene, STEPS).view());
        for threads in [1, 2] {
            let mut simulation = Simulation::with_threads(scene.clone(), threads).unwrap();
            simulation.run(STEPS).unwrap();
            let view = simulation.view().unwrap();
            assert_eq!(state_hash(&view), want, "{what}, {threads} threads");
        }
        let paused = after(&scene, 123);
        let mut again =
            Simulation::resume(scene.clone(), &paused, Backend::Cpu { threads: 1 }).unwrap();
        again.run(STEPS - 123).unwrap();
        assert_eq!(state_hash(&again.view().unwrap()), want, "{what}, paused");
    }
}

#[test]
fn one_bit_makes_another_hash() {
    let laws = law_combinations()[9];
    let scene = bed(laws, Container::Box, 7);
    let state = after(&scene, STEPS);
    let want = state_hash(&state.view());
    let other_seed = after(&bed(laws, Container::Box, 8), STEPS);
    assert_ne!(state_hash(&other_seed.view()), want, "another seed");
    let flip = |x: &mut f64| *x = f64::from_bits(x.to_bits() ^ 1);
    let last = state.particles.len() - 1;
    type Change<'a> = &'a dyn Fn(&mut State);
    let changes: [(&str, Change<'_>); 12] = [
        ("step", &|s| s.step += 1),
        ("time step", &|s| flip(&mut s.time_step)),
        ("position", &|s| s.particles.units[last][2] ^= 1),
        ("remainder", &|s| flip(&mut s.particles.remainder[0].y)),
        ("velocity", &|s| flip(&mut s.particles.velocity[last].z)),
        ("spin", &|s| flip(&mut s.particles.spin[3].x)),
        ("acceleration", &|s| {
            flip(&mut s.particles.acceleration[1].x)
        }),
        ("radius", &|s| flip(&mut s.particles.radius[2])),
        ("spring", &|s| flip(&mut s.contacts[0].spring.x)),
        ("rolling spring", &|s| flip(&mut s.contacts[1].rolling.z)),
        ("partner", &|s| s.contacts[0].second += 1),
        ("energy", &|s| flip(&mut s.ledger.lost_normal)),
    ];
    for (what, change) in changes {
        let mut changed = state.clone();
        change(&mut changed);
        assert_ne!(state_hash(&changed.view()), want, "{what}");
    }
}

/// Where every grain of a scene is, whatever the scene calls it.
#[test]
fn particles_listed_in_another_order() {
    for (what, scene) in some_beds() {
        let mut reversed = scene.clone();
        reversed.particles.reverse();
        let (want, got) = (after(&scene, 100), after(&reversed, 100));
        let last = want.particles.len() - 1;
        assert_eq!(got.contacts.len(), want.contacts.len(), "{what}");
        for i in 0..=last {
            // Contacts of a grain are summed in the order of the names of its partners: rounding differs.
            let (p, q) = (&got.particles, &want.particles);
            let whole = want.grid.difference(q.units[i], p.units[last - i]);
            let rest = p.remainder[last - i] - q.remainder[i];
            let off = (DVec3::from_array(whole.map(|x| x as f64)) + rest).length() * want.grid.unit;
            assert!(
                off < 1e-11 * RADIUS,
                "{what}: grain {i} is off by {off:e} m"
            );
        }
    }
}
