//! Scenes that are right.

use super::*;
use glam::DVec3;
use lahar::laws::ContactEnd;
use lahar::scene::{
    CohesionLaw, Leaving, NormalLaw, RollingLaw, Side, TangentialLaw, TimeStep, WallShape,
    contact_end_from_name, contact_end_name,
};

#[test]
fn the_base_scene_has_the_documented_defaults() {
    let scene = read_good(BASE);
    assert_eq!(scene.title, "base");
    assert_eq!(scene.domain.periodic, [false; 3]);
    assert_eq!(scene.domain.leaving, Leaving::Stop);
    assert_eq!(scene.time.step, TimeStep::Auto);
    assert!(!scene.time.force_step);
    assert_eq!(scene.time.expected_speed, None);
    assert_eq!(scene.contact, lahar::scene::ContactLaws::default());
    assert_eq!(scene.neighbours.skin, None);
    assert_eq!(scene.output.frames, Some(0.02));
    assert_eq!(scene.output.series, Some(0.002));
    assert_eq!(scene.output.checkpoints, Some(0.1));
    assert!(scene.output.picture);
    assert_eq!(scene.materials[1].young, Some(f64::INFINITY));
    assert_eq!(scene.pair(1, 0), Some(&scene.pairs[1]));
    assert_eq!(scene.pair(1, 1), None);
}

#[test]
fn every_setting_reaches_the_scene() {
    let text = changed(
        "upper = [1, 1, 1]",
        "upper = [1, 1, 1]\nperiodic = [\"z\", \"x\"]\nleaving = \"remove\"",
    )
    .replacen(
        "end = 1.0",
        "end = 2\nstep = 1e-5\nforce_step = true\nexpected_speed = 3",
        1,
    )
    .replacen(
        "tangential = \"mindlin\"",
        "tangential = \"coulomb\"\nrolling = \"constant\"\ncohesion = \"sjkr\"\nend = \"force\"\n\
             contact_time = 1e-3\ninverse = \"iterative\"\nadaptive_minimum_speed = 0.5",
        1,
    )
    .replace(
        "friction = 0.",
        "rolling_friction = 0.01\ncohesion_energy_density = 5\nfriction = 0.",
    ) + "[neighbours]\nskin = 0.01\n[output]\nframes = false\nseries = 0.5\ncheckpoints = 1\npicture = false\n";
    let scene = read_good(&text);
    assert_eq!(scene.domain.periodic, [true, false, true]);
    assert_eq!(scene.domain.leaving, Leaving::Remove);
    assert_eq!(scene.time.step, TimeStep::Fixed(1e-5));
    assert!(scene.time.force_step);
    assert_eq!(scene.time.expected_speed, Some(3.0));
    assert_eq!(scene.contact.tangential, TangentialLaw::Coulomb);
    assert_eq!(scene.contact.rolling, RollingLaw::Constant);
    assert_eq!(scene.contact.cohesion, CohesionLaw::Sjkr);
    assert_eq!(scene.contact.end, ContactEnd::Force);
    assert_eq!(scene.contact.contact_time, Some(1e-3));
    assert_eq!(scene.contact.adaptive_minimum_speed, 0.5);
    assert_eq!(scene.pairs[0].rolling_friction, 0.01);
    assert_eq!(scene.pairs[0].cohesion_energy_density, 5.0);
    assert_eq!(scene.neighbours.skin, Some(0.01));
    assert_eq!(scene.output.frames, None);
    assert_eq!(scene.output.series, Some(0.5));
    assert!(!scene.output.picture);
}

#[test]
fn directions_of_walls_become_unit_vectors() {
    let scene = read_good(&changed("normal = [0, 0, 1]", "normal = [0, 0, 1e-20]"));
    let WallShape::Plane { normal, .. } = scene.walls[0].shape else {
        panic!("a plane");
    };
    assert_eq!(normal, DVec3::Z);
}

#[test]
fn walls_without_a_name_get_one() {
    let scene = read_good(&changed("name = \"floor\"\n", ""));
    assert_eq!(scene.walls[0].name, "plane0");
}

#[test]
fn a_box_leaves_out_its_open_faces() {
    let plane = "kind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]";
    let scene = read_good(&changed(
        plane,
        "kind = \"box\"\nlower = [0,0,0]\nupper = [1,1,1]\nopen = [\"+z\", \"-x\"]",
    ));
    let WallShape::Box { faces, .. } = scene.walls[0].shape else {
        panic!("a box");
    };
    assert_eq!(faces, [false, true, true, true, true, false]);
}

#[test]
fn arrays_of_inline_tables_are_tables_too() {
    let start = BASE.find("[[walls]]").expect("walls");
    let walls = "walls = [{ material = \"steel\", kind = \"sphere\", center = [0, 0, 0], radius = 3, side = \"inside\" }]";
    let scene = read_good(&format!("{walls}\n{}", &BASE[..start]));
    let WallShape::Sphere { side, .. } = scene.walls[0].shape else {
        panic!("a sphere");
    };
    assert_eq!(side, Side::Inside);
}

#[test]
fn a_single_grain_does_not_meet_itself() {
    let text = changed("    { position = [0.5, 0.5, 0.5], radius = 0.1 },\n", "").replacen(
        "[[pairs]]\nbetween = [\"glass\", \"glass\"]\nrestitution = 0.9\nfriction = 0.3\n",
        "",
        1,
    );
    assert_eq!(read_good(&text).pairs.len(), 1);
}

#[test]
fn fixed_grains_may_be_rigid_overlap_and_need_no_pair() {
    let text = with_particles(
        "[[particles]]\nkind = \"lattice\"\nmaterial = \"steel\"\nfixed = true\nradius = 0.06\n\
         spacing = 0.1\nlower = [0, 0, 0]\nupper = [1, 1, 0.12]\n\
         [[particles]]\nkind = \"list\"\nmaterial = \"glass\"\n\
         items = [{ position = [0.5, 0.5, 0.8], radius = 0.05 }]",
    );
    let scene = read_good(&text);
    assert_eq!(
        scene
            .particles
            .iter()
            .filter(|particle| particle.fixed)
            .count(),
        81
    );
}

#[test]
fn an_overlap_within_the_limit_is_accepted() {
    read_good(&changed("[0.5, 0.5, 0.5]", "[0.5, 0.5, 0.2951]"));
    complaint(&changed("[0.5, 0.5, 0.5]", "[0.5, 0.5, 0.2949]"));
}

#[test]
fn overlaps_are_seen_across_periodic_sides() {
    let text = changed("[0.5, 0.5, 0.1]", "[0.95, 0.5, 0.5]").replacen(
        "[0.5, 0.5, 0.5]",
        "[0.05, 0.5, 0.5]",
        1,
    );
    read_good(&text);
    let periodic = text.replacen(
        "upper = [1, 1, 1]",
        "upper = [1, 1, 1]\nperiodic = [\"x\"]",
        1,
    );
    assert!(
        complaint(&periodic)
            .found
            .contains("overlapping particle 0 by 1.000")
    );
}

#[test]
fn law_names_go_both_ways() {
    for name in NormalLaw::NAMES {
        assert_eq!(name.parse::<NormalLaw>().expect("a law").name(), *name);
    }
    for name in TangentialLaw::NAMES {
        assert_eq!(name.parse::<TangentialLaw>().expect("a law").name(), *name);
    }
    for name in RollingLaw::NAMES {
        assert_eq!(name.parse::<RollingLaw>().expect("a law").name(), *name);
    }
    for name in CohesionLaw::NAMES {
        assert_eq!(name.parse::<CohesionLaw>().expect("a law").name(), *name);
    }
    for name in ["overlap", "force"] {
        assert_eq!(
            contact_end_name(contact_end_from_name(name).expect("a rule")),
            name
        );
    }
    let error = "hertz-adaptiv"
        .parse::<NormalLaw>()
        .expect_err("no such law");
    assert!(
        error
            .to_string()
            .contains("did you mean \"hertz-adaptive\"?"),
        "{error}"
    );
}

#[test]
fn the_example_scene_reads() {
    let scene = read_good(Scene::example());
    assert_eq!(scene.particles.len(), 2000);
}

#[test]
fn the_bed_of_the_examples_reads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scenes/bed.toml");
    let scene = Scene::from_file(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene.particles.len(), 20_000);
}

#[test]
fn the_rough_floor_of_the_examples_reads() {
    for name in ["ray_bed_095.toml", "ray_bed_070.toml"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scenes");
        let scene = Scene::from_file(path.join(name)).unwrap_or_else(|error| panic!("{error}"));
        let fixed = scene.particles.iter().filter(|grain| grain.fixed).count();
        assert_eq!([fixed, scene.particles.len() - fixed], [195, 100]);
    }
}

#[test]
fn the_beads_in_oil_of_the_examples_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scenes/sediment.toml");
    let scene = Scene::from_file(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene.particles.len(), 1000);
    assert!(scene.fluid.is_some_and(|fluid| fluid.viscosity == 0.02));
}

#[test]
fn windows_line_ends_do_not_shift_lines() {
    let text = changed("poisson = 0.2", "poisson = 0.7").replace('\n', "\r\n");
    assert_eq!(complaint(&text).line, Some(line_of(&text, "poisson")));
}

/// What the step must resolve includes grains that are fixed, and grains that nothing moves yet.
#[test]
fn the_step_reckons_with_fixed_grains_and_with_grains_at_rest() {
    use glam::DVec3;
    use lahar::scene::{Pair, Particle, Scene};
    use lahar::time_step::{StepAdvice, time_step};
    // Without moduli there is no Rayleigh time that would limit the step too.
    let with = |fixed: bool, gravity: f64| {
        let stiff = |a, b| Pair {
            stiffness: Some(if a == b { 1e8 } else { 1e10 }),
            restitution: Some(0.9),
            ..Pair::new(a, b)
        };
        let mut bead = Particle::new(DVec3::ZERO, 1e-3, 1);
        bead.fixed = fixed;
        Scene::builder()
            .domain(DVec3::splat(-0.1), DVec3::splat(0.1))
            .gravity(DVec3::new(0.0, 0.0, -gravity))
            .end_time(0.1)
            .material("glass", 2500.0, 1e7, 0.3)
            .material("steel", 7800.0, 1e7, 0.3)
            .pair(stiff(0, 0))
            .pair(stiff(0, 1))
            .pair(stiff(1, 1))
            .particle(Particle::new(DVec3::new(0.0, 0.0, 3e-3), 1e-3, 0))
            .particle(bead)
            .build()
            .map(|mut scene| {
                for material in &mut scene.materials {
                    material.young = None;
                }
                scene
            })
            .expect("a good scene")
    };
    let moving = StepAdvice::new(&with(false, 9.81));
    let fixed = StepAdvice::new(&with(true, 9.81));
    assert!(
        fixed.advised.is_finite() && fixed.stiffest.contains(&"steel".to_owned()),
        "{fixed:?}"
    );
    assert!(
        (0.5..2.0).contains(&(fixed.contact_time / moving.contact_time)),
        "{fixed:?}"
    );
    let scene = with(true, 0.0);
    let step = time_step(&scene, &StepAdvice::new(&scene)).expect("a step");
    assert!(step < 1e-5, "{step:e} s for grains at rest");
}
