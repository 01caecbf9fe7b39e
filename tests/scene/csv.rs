//! Particle files.

use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use glam::DVec3;
use std::io::Write;
use tempfile::TempDir;

/// A scene in a directory of its own, with particles from `name`.
fn scene_with(name: &str, bytes: &[u8], keys: &str) -> (TempDir, lahar::Result<Scene>) {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join(name), bytes).expect("a particle file");
    let text = with_particles(&format!(
        "[[particles]]\nkind = \"file\"\npath = \"{name}\"\n{keys}"
    ));
    let path = directory.path().join("scene.toml");
    std::fs::write(&path, text).expect("a scene file");
    let scene = Scene::from_file(&path);
    (directory, scene)
}

fn read_csv(csv: &str) -> Scene {
    let (_directory, scene) = scene_with("grains.csv", csv.as_bytes(), "material = \"glass\"");
    scene.unwrap_or_else(|error| panic!("{error}\n{csv}"))
}

/// A mistake in a particle file: the line and key, and parts of what is said.
#[track_caller]
fn check(csv: &[u8], line: usize, key: &str, found: &str, allowed: &str) {
    let (directory, scene) = scene_with("grains.csv", csv, "material = \"glass\"");
    let Err(Error::Scene(error)) = scene else {
        panic!("no complaint: {scene:?}");
    };
    let shown = error.to_string();
    assert_eq!(
        error.file,
        Some(directory.path().join("grains.csv")),
        "{shown}"
    );
    assert_eq!(error.line, Some(line), "{shown}");
    assert_eq!(error.key, key, "{shown}");
    assert!(error.found.contains(found), "{shown}");
    assert!(error.allowed.contains(allowed), "{shown}");
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

const ALL: &str =
    "x,y,z,radius,vx,vy,vz,wx,wy,wz\n0.1,0.2,0.3,0.01,1,2,3,4,5,6\n0.5,0.6,0.7,0.02,0,0,0,0,0,0\n";

#[test]
fn every_column_arrives() {
    let scene = read_csv(ALL);
    let first = scene.particles[0];
    assert_eq!(scene.particles.len(), 2);
    assert_eq!(first.position, DVec3::new(0.1, 0.2, 0.3));
    assert_eq!(first.radius, 0.01);
    assert_eq!(first.velocity, DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(first.spin, DVec3::new(4.0, 5.0, 6.0));
    assert!(!first.fixed);
}

#[test]
fn columns_come_in_any_order() {
    let scene = read_csv("radius, z, vy, x, y\n0.01, 0.3, 7, 0.1, 0.2\r\n");
    assert_eq!(scene.particles[0].position, DVec3::new(0.1, 0.2, 0.3));
    assert_eq!(scene.particles[0].velocity, DVec3::new(0.0, 7.0, 0.0));
}

#[test]
fn the_last_line_end_and_a_byte_order_mark_do_not_matter() {
    assert_eq!(read_csv(ALL.trim_end()), read_csv(ALL));
    assert_eq!(read_csv(&format!("\u{feff}{ALL}\n \n")), read_csv(ALL));
}

#[test]
fn gzip_reads_like_plain() {
    let (_directory, scene) =
        scene_with("g.csv.gz", &zipped(ALL.as_bytes()), "material = \"glass\"");
    assert_eq!(scene.expect("a scene"), read_csv(ALL));
}

#[test]
fn rows_may_name_material_and_fixed() {
    let csv =
        "x,y,z,radius,material,fixed\n0.1,0.2,0.3,0.01,glass,0\n0.5,0.5,0.5,0.01,steel,true\n";
    let (_directory, scene) = scene_with("g.csv", csv.as_bytes(), "");
    let scene = scene.expect("a scene");
    assert_eq!(
        (scene.particles[0].material, scene.particles[0].fixed),
        (0, false)
    );
    assert_eq!(
        (scene.particles[1].material, scene.particles[1].fixed),
        (1, true)
    );
}

#[test]
fn offset_and_repeat_shift_copies() {
    let keys =
        "material = \"glass\"\noffset = [0, 0, 0.1]\nrepeat = [2, 1, 3]\nperiod = [0.3, 0, 0.1]";
    let (_directory, scene) = scene_with("g.csv", b"x,y,z,radius\n0.1,0.1,0.1,0.01\n", keys);
    let places: Vec<DVec3> = scene
        .expect("a scene")
        .particles
        .iter()
        .map(|p| p.position)
        .collect();
    assert_eq!(places.len(), 6);
    assert!(places[0].abs_diff_eq(DVec3::new(0.1, 0.1, 0.2), 1e-15));
    assert!(places[1].abs_diff_eq(DVec3::new(0.4, 0.1, 0.2), 1e-15));
    assert!(places[5].abs_diff_eq(DVec3::new(0.4, 0.1, 0.4), 1e-15));
}

#[test]
fn mistakes_name_line_and_column() {
    check(b"", 1, "particles[0].path", "empty file", "x,y,z,radius");
    check(
        b"x,y,z,radius\n",
        2,
        "particles[0].path",
        "no row",
        "at least one",
    );
    check(
        b"x,y,z\n1,2,3\n",
        1,
        "column radius",
        "no column radius",
        "x,y,z,radius",
    );
    check(
        b"x,y,z,radios\n",
        1,
        "particles[0].path",
        "\"radios\"",
        "did you mean radius?",
    );
    check(b"x,y,z,x,radius\n", 1, "column x", "second time", "once");
    check(
        b"x,y,z,radius\n.1,.1,.1,.01\n.5,.5,five,.01\n",
        3,
        "column z",
        "\"five\"",
        "finite number",
    );
    check(
        b"x,y,z,radius\n.1,.1,nan,.01\n",
        2,
        "column z",
        "\"nan\"",
        "finite number",
    );
    check(
        b"x,y,z,radius\n.1,.1,.1,-1\n",
        2,
        "column radius",
        "-1",
        "greater than 0",
    );
    check(
        b"x,y,z,radius\n.1,.1,.1\n",
        2,
        "particles[0].path",
        "3 values",
        "4, one for each",
    );
    check(
        b"x,y,z,radius\n.1,.1,.1,.1,.1\n",
        2,
        "particles[0].path",
        "5 values",
        "4, one for each",
    );
    check(
        b"x,y,z,radius\n\n.1,.1,.1,.1\n",
        2,
        "particles[0].path",
        "empty line",
        "no empty lines",
    );
    check(
        b"x,y,z,radius\n\xff,.1,.1,.1\n",
        2,
        "particles[0].path",
        "not UTF-8",
        "UTF-8",
    );
    check(
        b"x,y,z,radius,material\n.1,.1,.1,.1,clay\n",
        2,
        "column material",
        "\"clay\"",
        "\"glass\"",
    );
    check(
        b"x,y,z,radius,fixed\n.1,.1,.1,.1,yes\n",
        2,
        "column fixed",
        "\"yes\"",
        "true, false",
    );
    check(
        &[b'1'; 70_000],
        1,
        "particles[0].path",
        "very long line",
        "65536",
    );
}

#[test]
fn later_checks_point_at_the_row() {
    check(
        b"x,y,z,radius\n.1,.1,.1,.01\n.1,.1,7,.01\n",
        3,
        "columns x, y, z",
        "[0.1, 0.1, 7]",
        "inside the domain",
    );
    check(
        b"x,y,z,radius\n.1,.1,.1,.01\n.1,.1,.1,.01\n",
        3,
        "columns x, y, z",
        "overlapping particle 0",
        "0.05",
    );
}

#[test]
fn damaged_gzip_is_a_complaint() {
    let mut bytes = zipped(&ALL.repeat(50).into_bytes());
    bytes.truncate(bytes.len() / 2);
    let (_directory, scene) = scene_with("g.csv.gz", &bytes, "material = \"glass\"");
    assert!(
        scene
            .expect_err("damaged")
            .to_string()
            .contains("unreadable data")
    );
}

#[test]
fn a_file_without_material_needs_one() {
    let (_directory, scene) = scene_with("g.csv", ALL.as_bytes(), "");
    let error = scene.expect_err("no material").to_string();
    assert!(error.contains("particles[0].material"), "{error}");
}

#[test]
fn repetition_is_bounded_before_it_is_made() {
    let keys = "material = \"glass\"\nrepeat = [100000, 100000, 1]\nperiod = [1, 1, 1]";
    let (_directory, scene) = scene_with("g.csv", ALL.as_bytes(), keys);
    assert!(
        scene
            .expect_err("too many")
            .to_string()
            .contains("at most 100000000")
    );
}
