//! Scenes from code.

use super::*;
use glam::DVec3;
use lahar::scene::{
    ContactLaws, Leaving, NormalLaw, Output, Pair, Particle, SceneBuilder, TangentialLaw, WallShape,
};

/// What `BASE` says, in code.
fn base() -> SceneBuilder {
    let mut glass = Pair::new(0, 0);
    glass.restitution = Some(0.9);
    glass.friction = 0.3;
    let mut steel = Pair::new(0, 1);
    steel.restitution = Some(0.8);
    steel.friction = 0.4;
    Scene::builder()
        .title("base")
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .domain(DVec3::ZERO, DVec3::ONE)
        .end_time(1.0)
        .material("glass", 2500.0, 1e7, 0.2)
        .material("steel", 1000.0, f64::INFINITY, 0.0)
        .pair(glass)
        .pair(steel)
        .particle(Particle::new(DVec3::new(0.5, 0.5, 0.1), 0.1, 0))
        .particles([Particle::new(DVec3::new(0.5, 0.5, 0.5), 0.1, 0)])
        .wall(
            "floor",
            1,
            WallShape::Plane {
                point: DVec3::ZERO,
                normal: 2.0 * DVec3::Z,
            },
        )
}

#[test]
fn code_and_file_give_the_same_scene() {
    assert_eq!(base().build().expect("a scene"), read_good(BASE));
}

#[test]
fn every_method_has_its_key() {
    let built = base()
        .periodic([true, false, false])
        .leaving(Leaving::Remove)
        .time_step(1e-5)
        .force_step(true)
        .expected_speed(2.0)
        .skin(0.01)
        .contact(ContactLaws {
            tangential: TangentialLaw::Coulomb,
            ..ContactLaws::default()
        })
        .output(Output {
            series: Some(0.5),
            ..Output::default()
        })
        .build();
    let text = changed(
        "upper = [1, 1, 1]",
        "upper = [1, 1, 1]\nperiodic = [\"x\"]\nleaving = \"remove\"",
    )
    .replacen(
        "end = 1.0",
        "end = 1.0\nstep = 1e-5\nforce_step = true\nexpected_speed = 2",
        1,
    )
    .replacen("\"mindlin\"", "\"coulomb\"", 1)
        + "[neighbours]\nskin = 0.01\n[output]\nframes = false\nseries = 0.5\ncheckpoints = false\n";
    assert_eq!(built.expect("a scene"), read_good(&text));
}

#[track_caller]
fn check(builder: SceneBuilder, key: &str) {
    match builder.build() {
        Err(Error::Scene(error)) => {
            assert_eq!(error.key, key, "{error}");
            assert_eq!((error.file, error.line), (None, None));
        }
        other => panic!("no complaint: {other:?}"),
    }
}

#[test]
fn code_passes_the_same_checks() {
    check(Scene::builder(), "domain.upper");
    check(base().end_time(f64::NAN), "time.end");
    check(base().gravity(DVec3::splat(f64::INFINITY)), "gravity");
    check(
        base().time_step(0.0).auto_time_step().skin(-1.0),
        "neighbours.skin",
    );
    check(
        base().material("glass", 1.0, None, 0.0),
        "materials[2].name",
    );
    check(base().pair(Pair::new(0, 7)), "pairs[2].between");
    check(base().pair(Pair::new(1, 0)), "pairs[2].between");
    check(
        base().particle(Particle::new(DVec3::splat(f64::NAN), 0.1, 0)),
        "particles[2].position",
    );
    check(
        base().particle(Particle::new(DVec3::splat(0.8), -0.1, 0)),
        "particles[2].radius",
    );
    check(
        base().particle(Particle::new(DVec3::splat(0.8), 0.1, 7)),
        "particles[2].material",
    );
    check(
        base().particle(Particle::new(DVec3::splat(0.5), 0.1, 0)),
        "particles[2].position",
    );
    let plane = WallShape::Plane {
        point: DVec3::ZERO,
        normal: DVec3::ZERO,
    };
    check(base().wall("zero", 0, plane), "walls[1].normal");
    check(base().wall("far", 9, plane), "walls[1].material");
    let adaptive = ContactLaws {
        normal: NormalLaw::HertzAdaptive,
        ..ContactLaws::default()
    };
    check(base().contact(adaptive), "contact.contact_time");
}
