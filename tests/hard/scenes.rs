//! Scenes of hard grains: what is read, what is refused, and runs through the command line.

use lahar::hard::HardEngine;
use lahar::laws::hard_sphere::CollisionRule;
use lahar::laws::tc::Dimensions;
use lahar::scene::Scene;
use std::path::Path;
use std::process::{Command, Output};

/// Hard disks that a test can change.
const BASE: &str = r#"
gravity = [0, -1, 0]

[engine]
kind = "hard"
dimensions = 2
tc = 1e-4

[domain]
lower = [0, 0, 0]
upper = [1, 1, 0.1]
periodic = ["x"]

[time]
end = 2

[[materials]]
name = "disk"
density = 2

[[pairs]]
between = ["disk", "disk"]
rule = "rubin"
restitution = 0.8
exponent = 0.35
friction = 0.3

[[particles]]
kind = "random"
material = "disk"
count = 60
radius = 0.03
lower = [0, 0.05, 0]
upper = [1, 0.95, 0.06]
velocity_spread = 1

[[walls]]
name = "floor"
material = "disk"
kind = "plane"
point = [0, 0, 0]
normal = [0, 1, 0]

[[walls]]
name = "lid"
material = "disk"
kind = "plane"
point = [0, 1, 0]
normal = [0, -1, 0]

[output]
series = 0.1
frames = 0.5
checkpoints = 0.3
"#;

#[test]
fn a_scene_of_hard_disks_is_read() {
    let scene = Scene::from_toml(BASE, None).unwrap();
    let hard = scene.hard.as_ref().unwrap();
    assert_eq!(hard.dimensions, Dimensions::Two);
    assert_eq!(hard.contact_duration, Some(1e-4));
    assert_eq!(
        hard.rule(0, 0),
        Some(CollisionRule::Rubin {
            restitution: 0.8,
            exponent: 0.35,
            friction: 0.3
        })
    );
    let engine = HardEngine::from_scene(&scene).unwrap();
    assert_eq!(engine.particles(), 60);
    let mass = engine.measure().mass;
    assert!((mass - 60.0 * 2.0 * std::f64::consts::PI * 9e-4).abs() < 1e-12);
    assert!(lahar::Simulation::from_scene(scene).is_err(), "no steps");
}

/// Their centres are in one plane, however high the region is.
#[test]
fn disks_of_many_sizes_are_placed_at_random() {
    let radii = r#"radius = { distribution = "uniform", min = 0.01, max = 0.04 }"#;
    let base = BASE.replace("radius = 0.03", radii);
    let scene = Scene::from_toml(&base.replace("0.95, 0.06]", "0.95, 0.1]"), None).unwrap();
    assert!(scene.particles.iter().all(|p| p.position.z == 0.05));
    let radii = scene.particles.iter().map(|p| p.radius);
    assert!(radii.clone().any(|r| r < 0.02) && radii.clone().any(|r| r > 0.03));
    let mut engine = HardEngine::from_scene(&scene).unwrap();
    engine.run_until(0.5).unwrap();
    assert!(engine.tally().collisions > 0 && engine.deepest_overlap() < 1e-12);
}

#[test]
fn mistakes_are_located() {
    let cases = [
        ("kind = \"hard\"", "kind = \"hardd\"", "engine.kind", "soft"),
        (
            "dimensions = 2",
            "dimensions = 4",
            "engine.dimensions",
            "2 (disks) or 3",
        ),
        ("tc = 1e-4", "tc = 0", "engine.tc", "greater than 0"),
        (
            "tc = 1e-4",
            "tcc = 1e-4",
            "engine.tcc",
            "kind, dimensions, tc",
        ),
        ("end = 2", "end = 2\nstep = 1e-3", "time.step", "end"),
        (
            "density = 2",
            "density = 2\nyoung = 1e7",
            "materials[0].young",
            "name, density",
        ),
        (
            "exponent = 0.35",
            "exponent = 9",
            "pairs[0].exponent",
            "at most",
        ),
        ("exponent = 0.35", "", "pairs[0].exponent", "a number"),
        (
            "friction = 0.3",
            "damping = 0.3",
            "pairs[0].damping",
            "friction",
        ),
        (
            "rule = \"rubin\"",
            "rule = \"smooth\"",
            "pairs[0].exponent",
            "restitution",
        ),
        (
            "rule = \"rubin\"",
            "rule = \"rubbin\"",
            "pairs[0].rule",
            "rubin",
        ),
        (
            "restitution = 0.8",
            "restitution = 1.2",
            "pairs[0].restitution",
            "greater than 0, at most 1",
        ),
        (
            "restitution = 0.8",
            "restitution = 0",
            "pairs[0].restitution",
            "greater than 0, at most 1",
        ),
        (
            "gravity = [0, -1, 0]",
            "gravity = [0, 0, -1]",
            "gravity",
            "x and y",
        ),
        (
            "lower = [0, 0.05, 0]\nupper = [1, 0.95, 0.06]",
            "region = { kind = \"cylinder\", point = [0.5, 0.5, 0], axis = [0, 0, 1], radius = 0.45, length = 0.09 }",
            "particles[0].position",
            "same z",
        ),
        (
            "periodic = [\"x\"]",
            "periodic = [\"x\", \"z\"]",
            "domain.periodic",
            "x and y",
        ),
        (
            "normal = [0, 1, 0]",
            "normal = [0, 1, 1]",
            "walls[0]",
            "normals along x and y",
        ),
        (
            "normal = [0, 1, 0]",
            "normal = [0, 1, 0]\nfrequency = 3",
            "walls[0].frequency",
            "amplitude",
        ),
        (
            "[output]",
            "[neighbours]\nskin = 1e-3\n[output]",
            "neighbours",
            "no such table",
        ),
        (
            "[output]",
            "[contact]\n[output]",
            "contact",
            "no such table",
        ),
    ];
    for (from, to, key, allowed) in cases {
        assert!(BASE.contains(from), "{from}");
        let error = match Scene::from_toml(&BASE.replacen(from, to, 1), None) {
            Err(lahar::Error::Scene(error)) => error,
            other => panic!("{to}: {other:?}"),
        };
        assert_eq!(error.key, key, "{error}");
        assert!(error.allowed.contains(allowed), "{error}");
        assert!(error.line.is_some(), "{error}");
    }
    // Without the table a rule is as unknown as any other key.
    let soft = BASE.replace(
        "kind = \"hard\"\ndimensions = 2\ntc = 1e-4",
        "kind = \"soft\"",
    );
    assert!(Scene::from_toml(&soft, None).is_err());
}

#[test]
fn hard_grains_may_not_overlap_at_the_start() {
    let text = BASE.split("[[particles]]").next().unwrap().to_owned()
        + r#"
[[particles]]
kind = "list"
material = "disk"
items = [
    { position = [0.5, 0.5, 0.05], radius = 0.03 },
    { position = [0.559, 0.5, 0.05], radius = 0.03 },
]
"#;
    let refused = |text: &str| Scene::from_toml(text, None).unwrap_err().to_string();
    let error = refused(&text);
    assert!(error.contains("overlapping particle 0"), "{error}");
    // Up to 1e-12 of the diameter, which is what runs keep to; that is the rounding of numbers in a file.
    let by = |gap: &str| text.replace("0.559", gap);
    assert!(refused(&by("0.5599999999999")).contains("overlapping particle 0"));
    Scene::from_toml(&by("0.55999999999999"), None).unwrap();
    Scene::from_toml(&by("0.56"), None).unwrap();
}

#[test]
fn the_scenes_of_the_documentation_and_the_examples_run() {
    let docs = include_str!("../../docs/scene.md");
    let block = docs.split("```toml,hard\n").nth(1).unwrap();
    let block = block.split("\n```").next().unwrap();
    let mut engine = HardEngine::from_scene(&Scene::from_toml(block, None).unwrap()).unwrap();
    engine.run_until(0.05).unwrap();
    assert!(engine.tally().wall_collisions > 0);
    for (name, end) in [
        ("elastic_gas", 0.01),
        ("cooling", 0.01),
        ("bouncing_ball", 0.01),
        ("dilute_gas", 0.05),
        ("rough_gas", 0.05),
        ("shaken", 0.02),
        ("clusters", 0.002),
    ] {
        let path = format!("{}/examples/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let mut engine = HardEngine::from_scene(&Scene::from_file(&path).unwrap()).unwrap();
        engine.run_until(end).unwrap();
        let tally = engine.tally();
        assert!(tally.collisions + tally.wall_collisions > 0, "{name}");
        assert!(engine.deepest_overlap() < 1e-12, "{name}");
    }
}

fn lahar(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lahar"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap()
}

#[track_caller]
fn succeed(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_run_leaves_its_files_and_resumes_to_the_bit() {
    let directory = tempfile::tempdir().unwrap();
    let at = |path: &str| directory.path().join(path);
    let quick = BASE.to_owned() + "picture = false\n";
    std::fs::write(at("whole.toml"), &quick).unwrap();
    std::fs::write(at("part.toml"), quick.replace("end = 2", "end = 1.25")).unwrap();
    let text = succeed(&lahar(directory.path(), &["check", "whole.toml"]));
    assert!(
        text.contains("60 hard disks") && text.contains("rubin"),
        "{text}"
    );
    succeed(&lahar(
        directory.path(),
        &["run", "whole.toml", "--out", "a"],
    ));
    succeed(&lahar(
        directory.path(),
        &["run", "part.toml", "--out", "b"],
    ));
    let json = succeed(&lahar(
        directory.path(),
        &["run", "whole.toml", "--out", "b", "--resume", "--json"],
    ));
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(summary["engine"], "hard");
    assert!(summary["bytes_per_particle"].as_f64().unwrap() > 100.0);
    for file in [
        "series.csv",
        "checkpoint.lahar",
        "frame_00004.vtp",
        "run.pvd",
        "walls.vtp",
    ] {
        let [one, other] = ["a", "b"].map(|run| std::fs::read(at(run).join(file)).unwrap());
        assert!(one == other, "{file}");
    }
    let series = std::fs::read_to_string(at("a/series.csv")).unwrap();
    let mut lines = series.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(header[..2], lahar::output::HARD_COLUMNS[..2]);
    assert!(header.contains(&"force_floor_y"));
    let rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 21);
    let column = |name: &str| header.iter().position(|column| *column == name).unwrap();
    for row in &rows {
        assert_eq!(row.len(), header.len());
        let [kinetic, free, elastic, error] =
            ["kinetic", "free", "pseudo_elastic", "balance_error"].map(|name| row[column(name)]);
        assert!((kinetic - free - elastic).abs() <= 1e-12 * kinetic);
        assert!(
            error.abs() < 1e-10 * rows[0][column("kinetic")],
            "{error:e}"
        );
    }
    // An end that the checkpoint is past.
    let past = lahar(
        directory.path(),
        &["run", "part.toml", "--out", "b", "--resume"],
    );
    let complaint = String::from_utf8_lossy(&past.stderr);
    assert_eq!(past.status.code(), Some(2), "{complaint}");
    assert!(complaint.contains("past time.end"), "{complaint}");
    // Another scene, another run.
    std::fs::write(at("other.toml"), quick.replace("0.8", "0.7")).unwrap();
    let output = lahar(
        directory.path(),
        &["run", "other.toml", "--out", "b", "--resume"],
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_collapse_ends_a_run_with_its_data_and_advice() {
    let directory = tempfile::tempdir().unwrap();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/scenes/bouncing_ball.toml"
    );
    let scene = std::fs::read_to_string(path).unwrap();
    let scene = scene.replace("tc = 1e-3", "") + "picture = false\n";
    std::fs::write(directory.path().join("ball.toml"), scene).unwrap();
    let output = lahar(directory.path(), &["run", "ball.toml", "--out", "ball"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("collapse at t = 1.83486"), "{message}");
    assert!(
        message.contains("particle 0 collided 1000 times") && message.contains("engine.tc"),
        "{message}"
    );
    assert!(
        message.contains("times per second over the") && message.contains("at one instant"),
        "{message}"
    );
    let series = std::fs::read_to_string(directory.path().join("ball/series.csv")).unwrap();
    let last: f64 = series
        .lines()
        .last()
        .unwrap()
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((last - 1.834_862_385).abs() < 1e-6, "{last}");
}

/// The columns of a series, by name.
fn series(path: &Path) -> impl Fn(&str) -> Vec<f64> + use<> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines
        .next()
        .unwrap()
        .split(',')
        .map(ToOwned::to_owned)
        .collect();
    let rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    move |name| {
        let column = names
            .iter()
            .position(|column| column == name)
            .expect("a column");
        rows.iter().map(|row| row[column]).collect()
    }
}

/// Spinning disks under gravity, most of which fly out of an open box.
#[test]
fn the_energy_of_grains_that_left_is_in_the_balance() {
    let directory = tempfile::tempdir().unwrap();
    let at = |path: &str| directory.path().join(path);
    let open = BASE
        .replace(
            "periodic = [\"x\"]",
            "periodic = [\"x\"]\nleaving = \"remove\"",
        )
        .replace("velocity_spread = 1", "velocity_spread = 3");
    let lid = open.find("[[walls]]\nname = \"lid\"").unwrap();
    let output = open.find("[output]").unwrap();
    let open = format!("{}{}picture = false\n", &open[..lid], &open[output..]);
    std::fs::write(at("open.toml"), &open).unwrap();
    std::fs::write(at("part.toml"), open.replace("end = 2", "end = 0.85")).unwrap();
    for arguments in [
        &["run", "open.toml", "--out", "whole"][..],
        &["run", "part.toml", "--out", "parts"],
        &["run", "open.toml", "--out", "parts", "--resume"],
    ] {
        succeed(&lahar(directory.path(), arguments));
    }
    let [whole, parts] =
        ["whole", "parts"].map(|run| std::fs::read(at(run).join("series.csv")).unwrap());
    assert!(whole == parts, "resumed");
    let column = series(&at("whole/series.csv"));
    let (removed, energy) = (column("removed"), column("removed_energy"));
    let left = *removed.last().unwrap();
    assert!(left > 10.0 && *energy.last().unwrap() > 0.0, "{left} left");
    for (removed, energy) in removed.iter().zip(&energy) {
        assert_eq!(*removed == 0.0, *energy == 0.0);
    }
    let scale = column("kinetic")[0];
    for error in column("balance_error") {
        assert!(error.abs() < 1e-11 * scale, "{error:e} of {scale:e}");
    }
    // All collisions so far, over all grains that ever moved: leaving changes nothing.
    let [pairs, walls] = ["collisions", "wall_collisions"].map(&column);
    for (row, mean) in column("collisions_per_particle").into_iter().enumerate() {
        assert_eq!(mean, (2.0 * pairs[row] + walls[row]) / 60.0);
    }
    let (time, grains) = (column("time"), column("particles"));
    for (row, rate) in column("collision_rate").into_iter().enumerate().skip(1) {
        let hits = |row: usize| 2.0 * pairs[row] + walls[row];
        let elapsed = time[row] - time[row - 1];
        let mean = 0.5 * (grains[row] + grains[row - 1]);
        let want = (hits(row) - hits(row - 1)) / (mean * elapsed);
        assert!((rate - want).abs() <= 1e-12 * want, "{rate} {want}");
    }
}

/// As the message advises: the same command, with `tc` in the scene.
#[test]
fn a_run_that_collapsed_goes_on_with_tc() {
    let directory = tempfile::tempdir().unwrap();
    let at = |path: &str| directory.path().join(path);
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/scenes/bouncing_ball.toml"
    );
    let scene = std::fs::read_to_string(path).unwrap() + "picture = false\n";
    std::fs::write(at("ball.toml"), scene.replace("tc = 1e-3", "")).unwrap();
    let output = lahar(
        directory.path(),
        &["run", "ball.toml", "--out", "ball", "--json"],
    );
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let collapse = &report["collapse"];
    assert_eq!(collapse["particles"], serde_json::json!([0]));
    assert!((collapse["time"].as_f64().unwrap() - 1.834_862_385).abs() < 1e-6);
    assert!(collapse["collisions"].as_u64().unwrap() >= 100);
    let resolution = collapse["resolution"].as_f64().unwrap();
    assert!((0.0..1e-9).contains(&resolution));
    // Flights of a ball with restitution 0.9 shorten by a tenth each: those from one of the resolution on take no more
    // than ten times that, and all that are shorter than the last digit of the time come at one instant.
    let [rate, over, together] =
        ["rate", "rate_measured_over", "at_one_instant"].map(|key| collapse[key].as_f64().unwrap());
    assert_eq!(over + together, collapse["collisions"].as_f64().unwrap());
    assert!(over > 20.0 && together > 500.0, "{collapse}");
    let longest = over / rate;
    assert!(
        longest > 5.0 * resolution && longest < 10.1 * resolution,
        "{collapse}"
    );
    assert_eq!(report["engine"], "hard");
    assert_eq!(
        collapse["rate_at_least"].as_f64().unwrap(),
        1.0 / resolution
    );
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("times per second over the"), "{message}");
    assert!(message.contains("engine.tc = 1e-"), "{message}");

    std::fs::write(at("ball.toml"), &scene).unwrap();
    let json = succeed(&lahar(
        directory.path(),
        &["run", "ball.toml", "--out", "ball", "--resume", "--json"],
    ));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["time"], 2.2);
    assert!(
        report
            .get("collapse")
            .is_none_or(serde_json::Value::is_null)
    );
    let column = series(&at("ball/series.csv"));
    let weight = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6 * 9.81;
    let force = *column("force_floor_z").last().unwrap();
    // A row is 0.02 s long, a bounce at most 1e-3 s.
    assert!((force + weight).abs() < 0.06 * weight, "{force} {weight}");
    let kinetic = column("kinetic")[0];
    for error in column("balance_error") {
        assert!(error.abs() < 1e-11 * kinetic, "{error:e}");
    }
    // Anything else is another scene still.
    std::fs::write(at("ball.toml"), scene.replace("0.9", "0.8")).unwrap();
    let output = lahar(
        directory.path(),
        &["run", "ball.toml", "--out", "ball", "--resume"],
    );
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("of another scene"), "{message}");
}

/// Nobody is told to set what is set.
#[test]
fn check_says_what_becomes_of_grains_at_rest() {
    let directory = tempfile::tempdir().unwrap();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/scenes/bouncing_ball.toml"
    );
    let scene = std::fs::read_to_string(path).unwrap();
    let lying = scene.replace(", velocity = [0, 0, -1]", "");
    std::fs::write(directory.path().join("tc.toml"), &lying).unwrap();
    std::fs::write(
        directory.path().join("bare.toml"),
        lying.replace("tc = 1e-3", ""),
    )
    .unwrap();
    let check = |file: &str| succeed(&lahar(directory.path(), &["check", file]));
    assert!(!check("tc.toml").contains("rest"), "{}", check("tc.toml"));
    let text = check("bare.toml");
    assert!(
        text.contains("particle 0") && text.contains("engine.tc"),
        "{text}"
    );
    let json = succeed(&lahar(directory.path(), &["check", "bare.toml", "--json"]));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["resting"], 1);
}

/// One large disk among small ones makes all cells large.
#[test]
fn check_says_what_grains_of_many_sizes_cost() {
    let directory = tempfile::tempdir().unwrap();
    let report = |scene: &str| {
        std::fs::write(directory.path().join("scene.toml"), scene).unwrap();
        let text = succeed(&lahar(directory.path(), &["check", "scene.toml"]));
        let json = succeed(&lahar(directory.path(), &["check", "scene.toml", "--json"]));
        (
            text,
            serde_json::from_str::<serde_json::Value>(&json).unwrap(),
        )
    };
    let equal = BASE
        .replace("count = 60", "count = 3000")
        .replace("radius = 0.03", "radius = 0.003");
    let equal = equal.replace("0.06]", "0.006]");
    let (text, json) = report(&equal);
    assert!(!text.contains("warning"), "{text}");
    assert!(json["grains_per_cell"].as_f64().unwrap() < 2.0, "{json}");
    assert!(json["expected_slowdown"].as_f64().unwrap() < 1.1, "{json}");
    let large = r#"
[[particles]]
kind = "list"
material = "disk"
items = [{ position = [0.5, 0.5, 0.003], radius = 0.2 }]

[[particles]]"#;
    let (text, json) = report(&equal.replacen("\n[[particles]]", large, 1));
    let slowdown = json["expected_slowdown"].as_f64().unwrap();
    assert!(json["grains_per_cell"].as_f64().unwrap() > 100.0, "{json}");
    assert!(slowdown > 10.0, "{slowdown}");
    assert!(
        text.contains("warning") && text.contains("largest grain"),
        "{text}"
    );
}

#[test]
fn the_bench_says_what_it_measured() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = [
        "bench",
        "--engine",
        "hard",
        "--particles",
        "500",
        "--fraction",
        "0.3",
        "--json",
    ];
    let json = succeed(&lahar(directory.path(), &arguments));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    for key in ["events", "seconds", "events_per_s", "bytes_per_particle"] {
        assert!(report[key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert_eq!(
        (&report["engine"], &report["dimensions"]),
        (&"hard".into(), &3.into())
    );
    let wrong = lahar(
        directory.path(),
        &["bench", "--engine", "hard", "--fraction", "0.9"],
    );
    assert_eq!(wrong.status.code(), Some(2));
}

/// The largest of the scenes, 97 776 disks, without `tc`: the run ends, says who collides without end and how fast, and leaves
/// what there is, pictures included.
#[test]
fn a_scene_of_clusters_collapses_without_tc() {
    let directory = tempfile::tempdir().unwrap();
    let at = |path: &str| directory.path().join(path);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/scenes/clusters.toml");
    let scene = std::fs::read_to_string(path).unwrap();
    let without = scene.replace("tc = 1e-5", "");
    assert_ne!(scene, without);
    std::fs::write(at("clusters.toml"), without).unwrap();
    let arguments = ["run", "clusters.toml", "--out", "clusters", "--json"];
    let output = lahar(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let collapse = &report["collapse"];
    assert!(collapse["particles"].as_array().unwrap().len() >= 2);
    let [time, least, mean] =
        ["time", "rate_at_least", "mean_time"].map(|key| collapse[key].as_f64().unwrap());
    assert!(time > 0.01 && time < 1.0, "{time}");
    // The scene starts with 444 collisions of a disk per second.
    assert!(mean > 1.0 / 444.0 && mean < 0.1, "{mean}");
    assert!(least > 1e9, "{least}");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("times per second"), "{message}");
    assert!(message.contains("engine.tc = 1e-"), "{message}");
    let column = series(&at("clusters/series.csv"));
    let last = *column("time").last().unwrap();
    assert!((last - time).abs() < 1e-14 * time, "{last} {time}");
    for picture in ["picture.png", "collision_rate.png"] {
        assert!(colours(&at("clusters").join(picture)) > 100, "{picture}");
    }
}

/// Grains whose last collision rounding has swallowed part again.
#[test]
fn gases_that_collapsed_go_on_with_tc() {
    let directory = tempfile::tempdir().unwrap();
    let at = |path: &str| directory.path().join(path);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/scenes/cooling.toml");
    let scene = std::fs::read_to_string(path).unwrap() + "picture = false\n";
    for seed in [1, 2, 5] {
        let scene = scene
            .replace("seed = 1", &format!("seed = {seed}"))
            .replace("end = 2.0", "end = 0.6");
        std::fs::write(at("gas.toml"), scene.replace("tc = 1e-5", "")).unwrap();
        let out = format!("gas-{seed}");
        let run = ["run", "gas.toml", "--out", &out];
        let output = lahar(directory.path(), &run);
        assert_eq!(output.status.code(), Some(1), "seed {seed}");
        let message = String::from_utf8(output.stderr).unwrap();
        let (_, advice) = message.split_once("(engine.tc = ").unwrap();
        let (advice, _) = advice.split_once(", say").unwrap();
        let advised = scene.replace("tc = 1e-5", &format!("tc = {advice}"));
        std::fs::write(at("gas.toml"), advised).unwrap();
        succeed(&lahar(
            directory.path(),
            &[&run[..], &["--resume"]].concat(),
        ));
        let column = series(&at(&out).join("series.csv"));
        assert_eq!(*column("time").last().unwrap(), 0.6);
        let kinetic = column("kinetic")[0];
        for error in column("balance_error") {
            assert!(error.abs() < 1e-11 * kinetic, "seed {seed}: {error:e}");
        }
    }
}

/// Number of colours of a picture.
fn colours(path: &Path) -> usize {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let size = info.color_type.samples();
    let pixels = &pixels[..info.buffer_size()];
    let colours: std::collections::HashSet<&[u8]> = pixels.chunks(size).collect();
    colours.len()
}

/// An elastic gas of spheres: what is written of its pressure, stress and temperature, of what the TC rule makes elastic, of each
/// grain in a frame, and its pictures.
#[test]
fn what_is_written_of_a_gas_is_what_theory_says() {
    use lahar::laws::tc::{elastic_collisions, elastic_particles, excess_pressure};
    const T_C: f64 = 1e-3;
    let directory = tempfile::tempdir().unwrap();
    let at = |path: &str| directory.path().join(path);
    let scene = format!(
        r#"
[engine]
kind = "hard"
tc = {T_C}

[domain]
lower = [0, 0, 0]
upper = [1, 1, 1]
periodic = ["x", "y", "z"]

[time]
end = 40

[[materials]]
name = "sphere"
density = 1

[[pairs]]
between = ["sphere", "sphere"]
rule = "smooth"
restitution = 1

[[particles]]
kind = "random"
material = "sphere"
count = 500
radius = 0.036
lower = [0, 0, 0]
upper = [1, 1, 1]
velocity_spread = 0.3

[output]
series = 20
frames = 40
"#
    );
    std::fs::write(at("gas.toml"), scene).unwrap();
    succeed(&lahar(
        directory.path(),
        &["run", "gas.toml", "--out", "gas"],
    ));
    let column = series(&at("gas/series.csv"));
    // The second half: the first one mixes.
    let last = |name: &str| *column(name).last().unwrap();
    let count = 500.0;
    let fraction = count * 4.0 / 3.0 * std::f64::consts::PI * 0.036_f64.powi(3);
    let temperature = last("temperature");
    let kinetic = last("kinetic");
    assert!((1.5 * count * temperature / kinetic - 1.0).abs() < 5e-3);
    let excess = last("pressure") / (count * temperature) - 1.0;
    let theory = excess_pressure(Dimensions::Three, fraction, 1.0);
    assert!((excess / theory - 1.0).abs() < 0.03, "{excess} {theory}");
    let stress = |name: &str| last(&format!("stress_{name}"));
    let trace = stress("xx") + stress("yy") + stress("zz");
    assert!((trace + 3.0 * last("pressure")).abs() < 1e-9 * trace.abs());
    // What grains carry along is that of the instant: 500 of them scatter by √(1/500) off the diagonal, √2 times that on it.
    let scatter = 3.5 * (1.0 / count).sqrt() / (1.0 + theory);
    for name in ["xx", "yy", "zz"] {
        let part = 3.0 * stress(name) / trace;
        assert!((part - 1.0).abs() < 1.5 * scatter, "{name}: {part}");
    }
    for name in ["xy", "yz", "xz"] {
        let part = 3.0 * stress(name) / trace;
        assert!(part.abs() < scatter, "{name}: {part}");
        let transposed = name.chars().rev().collect::<String>();
        let difference = stress(name) - stress(&transposed);
        assert!(difference.abs() < 1e-12 * trace.abs(), "{name}");
    }
    let rate = last("collision_rate");
    let elastic = last("elastic_collisions") / elastic_collisions(T_C, rate);
    assert!((elastic - 1.0).abs() < 0.1, "{elastic}");
    // At one instant: some tens of grains.
    let [grains, energy] = ["elastic_particles", "elastic_energy"].map(last);
    let expected = elastic_particles(T_C, rate);
    let scatter = 3.5 * (expected / count).sqrt();
    assert!((grains - expected).abs() < scatter, "{grains} {expected}");
    assert_eq!(grains == 0.0, energy == 0.0);
    assert!((last("pseudo_elastic") / kinetic - energy).abs() < 1e-12);
    assert!((last("free") + last("pseudo_elastic") - kinetic).abs() < 1e-9 * kinetic);

    let frame = std::fs::read(at("gas/frame_00001.vtp")).unwrap();
    let text = String::from_utf8_lossy(&frame);
    for array in ["id", "radius", "velocity", "spin", "collisions", "elastic"] {
        assert!(text.contains(&format!("Name=\"{array}\"")), "{array}");
    }
    for picture in ["picture.png", "collision_rate.png"] {
        assert!(colours(&at("gas").join(picture)) > 100, "{picture}");
    }
    let picture = |name: &str| std::fs::read(at("gas").join(name)).unwrap();
    assert_ne!(picture("picture.png"), picture("collision_rate.png"));
}
