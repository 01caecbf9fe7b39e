//! Scenes: reading, complaints, generators, particle files, the builder, the documentation.

#![allow(clippy::expect_used, reason = "a failed expectation is a failed test")]

mod builder;
mod csv;
mod docs;
mod errors;
mod fuzz;
mod generators;
mod good;
mod ids;

use lahar::scene::Scene;
use lahar::{Error, SceneError};
use std::path::Path;

/// A small scene that is right; tests change one thing in it.
pub(crate) const BASE: &str = r#"
title = "base"
gravity = [0, 0, -9.81]

[domain]
lower = [0, 0, 0]
upper = [1, 1, 1]

[time]
end = 1.0

[contact]
normal = "hertz-tsuji"
tangential = "mindlin"

[[materials]]
name = "glass"
density = 2500
young = 1e7
poisson = 0.2

[[materials]]
name = "steel"
rigid = true

[[pairs]]
between = ["glass", "glass"]
restitution = 0.9
friction = 0.3

[[pairs]]
between = ["glass", "steel"]
restitution = 0.8
friction = 0.4

[[particles]]
kind = "list"
material = "glass"
items = [
    { position = [0.5, 0.5, 0.1], radius = 0.1 },
    { position = [0.5, 0.5, 0.5], radius = 0.1 },
]

[[walls]]
name = "floor"
material = "steel"
kind = "plane"
point = [0, 0, 0]
normal = [0, 0, 1]
"#;

/// The name under which scenes are read in tests.
pub(crate) const FILE: &str = "test.toml";

pub(crate) fn read(text: &str) -> lahar::Result<Scene> {
    Scene::from_toml(text, Some(Path::new(FILE)))
}

pub(crate) fn read_good(text: &str) -> Scene {
    read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The complaint about a scene that is wrong.
pub(crate) fn complaint(text: &str) -> SceneError {
    match read(text) {
        Err(Error::Scene(error)) => error,
        Err(other) => panic!("not a complaint about the scene: {other}"),
        Ok(_) => panic!("no complaint about\n{text}"),
    }
}

/// `BASE` with one passage replaced.
pub(crate) fn changed(from: &str, to: &str) -> String {
    assert_eq!(
        BASE.matches(from).count(),
        1,
        "{from:?} must stand once in BASE"
    );
    BASE.replacen(from, to, 1)
}

/// `BASE` with other particles.
pub(crate) fn with_particles(particles: &str) -> String {
    let start = BASE.find("[[particles]]").expect("BASE has particles");
    let end = BASE.find("[[walls]]").expect("BASE has walls");
    format!("{}{particles}\n{}", &BASE[..start], &BASE[end..])
}

/// The line, from 1, on which a passage begins.
pub(crate) fn line_of(text: &str, passage: &str) -> usize {
    let offset = text
        .find(passage)
        .unwrap_or_else(|| panic!("{passage:?} is not in\n{text}"));
    1 + text[..offset].matches('\n').count()
}
