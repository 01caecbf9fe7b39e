//! `lahar bench` as a person or a script meets it. Beds are small: what is tested is what is said, not how fast it is.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where it stopped"
)]

#[path = "common/device.rs"]
mod device;

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// What every line has.
const KEYS: [&str; 15] = [
    "device",
    "backend",
    "particles",
    "contacts",
    "coordination",
    "steps",
    "seconds",
    "cpu_seconds",
    "contact_updates_per_s",
    "particle_steps_per_s",
    "bytes_per_particle",
    "bytes_per_step",
    "copy_bandwidth",
    "limit_fraction",
    "stages",
];

/// A small bed, measured twice.
const SMALL: [&str; 6] = [
    "--particles",
    "1000",
    "--law",
    "hertz-mindlin",
    "--repeats",
    "2",
];

fn bench(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lahar"));
    command.current_dir(directory).arg("bench").args(arguments);
    command
}

fn succeed(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The lines of a run in JSON.
fn lines(output: &Output) -> Vec<Value> {
    succeed(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Fails unless a line says what a line should, in numbers that agree with each other.
fn check(line: &Value, backend: &str, repeats: usize) {
    for key in KEYS {
        assert!(!line[key].is_null(), "{key} in {line}");
    }
    let number = |key: &str| line[key].as_f64().unwrap();
    assert_eq!(line["backend"], backend);
    assert_eq!(line["particles"], 1000);
    for key in [
        "seconds",
        "bytes_per_step",
        "copy_bandwidth",
        "limit_fraction",
    ] {
        assert!(number(key) > 0.0, "{key} in {line}");
    }
    // A bed of frictional spheres is held by 4 to 6 neighbours; 15 of 1000 grains stand on the floor as well.
    let coordination = number("coordination");
    assert!((4.0..6.0).contains(&coordination), "{line}");
    assert!(number("contacts") > 500.0 * coordination, "{line}");
    let steps = number("particles") * number("steps") / number("seconds");
    assert!((number("particle_steps_per_s") / steps - 1.0).abs() < 1e-9);
    // Contacts hardly change while a settled bed is measured.
    let per_step = number("contact_updates_per_s") / steps * number("particles");
    assert!((per_step / number("contacts") - 1.0).abs() < 0.05, "{line}");
    let limit = number("bytes_per_step") * number("steps") / number("seconds");
    assert!((number("limit_fraction") * number("copy_bandwidth") / limit - 1.0).abs() < 1e-9);
    let [low, high] = [0, 1].map(|end| line["spread"][end].as_f64().unwrap());
    assert!(low <= number("contact_updates_per_s") && number("contact_updates_per_s") <= high);
    assert_eq!(line["repeats"].as_array().unwrap().len(), repeats);
}

#[test]
fn the_processor_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = [
        "--backend",
        "cpu",
        "--threads",
        "1",
        "--particles",
        "1000",
        "--law",
        "hertz-mindlin",
        "--repeats",
        "1",
        "--rebuild-every",
        "7",
        "--json",
    ];
    let lines = lines(&bench(directory.path(), &arguments).output().unwrap());
    assert_eq!(lines.len(), 1);
    check(&lines[0], "cpu", 1);
    // However many steps this machine does in the time it has, none of the intervals is cut short.
    assert_eq!(lines[0]["rebuild_interval"], 7.0);
    // By the clock of the same thread; waiting for each other between searches is no part of any stage.
    let stages = lines[0]["stages"].as_object().unwrap();
    let names: Vec<_> = stages.keys().collect();
    assert_eq!(names, ["forces", "lists", "motion"]);
    let times: Vec<f64> = stages.values().map(|time| time.as_f64().unwrap()).collect();
    let step = lines[0]["milliseconds_per_step"].as_f64().unwrap();
    assert!(times.iter().all(|&time| time > 0.0), "{stages:?}");
    assert!(times.iter().sum::<f64>() <= step, "{stages:?} of {step}");
}

#[test]
fn a_device_is_measured() {
    if device::gpu().is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let mut arguments = vec!["--backend", "gpu", "--json"];
    arguments.extend(SMALL);
    let lines = lines(&bench(directory.path(), &arguments).output().unwrap());
    assert_eq!(lines.len(), 1);
    check(&lines[0], "gpu", 2);
    assert!(lines[0]["overhead_microseconds_per_step"].as_f64().unwrap() > 0.0);
    let timestamps = device::gpu().unwrap().has_timestamps();
    let forces = &lines[0]["stages"]["forces"];
    assert_eq!(forces.as_f64().is_some_and(|time| time > 0.0), timestamps);
}

#[test]
fn sizes_and_laws_are_lines_and_curves() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = [
        "--backend",
        "cpu",
        "--particles",
        "500,1e3",
        "--repeats",
        "1",
        "--json",
        "--plot",
        "bench.png",
    ];
    let lines = lines(&bench(directory.path(), &arguments).output().unwrap());
    let what: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["particles"].as_u64().unwrap(),
                line["law"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        what,
        [
            (500, "hertz-mindlin"),
            (500, "linear"),
            (1000, "hertz-mindlin"),
            (1000, "linear")
        ]
    );
    let picture = std::fs::read(directory.path().join("bench.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 10_000);
}

#[test]
fn people_read_figures_with_their_spread() {
    let directory = tempfile::tempdir().unwrap();
    let mut arguments = vec!["--backend", "cpu", "--rebuild-every", "7"];
    arguments.extend(SMALL);
    let text = succeed(&bench(directory.path(), &arguments).output().unwrap());
    for part in [
        "1 000 grains, hertz-mindlin: ",
        "contact updates/s",
        "% of the limit",
        "forces ",
        "searched every 7 steps",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn an_earlier_run_is_compared_with() {
    let directory = tempfile::tempdir().unwrap();
    let mut arguments = vec!["--backend", "cpu", "--json"];
    arguments.extend(SMALL);
    let before = bench(directory.path(), &arguments).output().unwrap();
    std::fs::write(directory.path().join("before.json"), &before.stdout).unwrap();
    arguments.extend(["--compare", "before.json"]);
    let after = bench(directory.path(), &arguments).output().unwrap();
    let [before, after] = [&before, &after].map(|output| lines(output)[0].clone());
    for key in ["contact_updates_per_s", "particle_steps_per_s"] {
        let ratio = after[key].as_f64().unwrap() / before[key].as_f64().unwrap();
        let said = after["compared"][key].as_f64().unwrap();
        assert!(
            (said / ratio - 1.0).abs() < 1e-9,
            "{key}: {said}, not {ratio}"
        );
    }
}

#[test]
fn a_scene_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scenes/ray_bed_095.toml");
    let scene = scene.to_str().unwrap();
    let arguments = [
        "--scene",
        scene,
        "--backend",
        "cpu",
        "--repeats",
        "1",
        "--json",
    ];
    let lines = lines(&bench(directory.path(), &arguments).output().unwrap());
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["law"], scene);
    assert!(lines[0]["particle_steps_per_s"].as_f64().unwrap() > 0.0);
}

#[test]
fn hard_grains_are_measured_with_their_spread() {
    let arguments = "--engine hard --particles 500 --fraction 0.3 --repeats 3 --json";
    let arguments: Vec<_> = arguments.split(' ').collect();
    let lines = lines(&bench(&std::env::temp_dir(), &arguments).output().unwrap());
    let number = |key: &str| lines[0][key].as_f64().unwrap_or_else(|| panic!("{key}"));
    assert_eq!(lines[0]["engine"], "hard");
    assert_eq!(
        ["dimensions", "particles", "fraction"].map(number),
        [3.0, 500.0, 0.3]
    );
    let rate = number("events_per_s");
    assert!((rate - number("events") / number("seconds")).abs() <= 1e-9 * rate);
    let with_cells = number("with_cells_per_s");
    let events = 1.0 + number("crossings_per_event");
    assert!(with_cells > rate && (with_cells - rate * events).abs() <= 1e-9 * with_cells);
    let spread: Vec<f64> = lines[0]["spread"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rate| rate.as_f64().unwrap())
        .collect();
    assert!(spread[0] <= rate && rate <= spread[1], "{rate} {spread:?}");
    assert!(number("wall_seconds") >= 0.6 && number("bytes_per_particle") > 100.0);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("no.json"), "{}\n").unwrap();
    for (arguments, complaint) in [
        (
            &["--particles", "99"][..],
            "--particles: found 99; allowed: 100 to",
        ),
        (&["--particles", "1000,2.5"], "whole numbers"),
        (&["--particles", "many"], "whole numbers"),
        (
            &["--particles", "500000000", "--backend", "cpu"],
            "of memory",
        ),
        (&["--repeats", "0"], "--repeats: found 0; allowed: 1 to"),
        (&["--threads", "0"], "--threads: found 0; allowed: 1 to"),
        (&["--rebuild-every", "0"], "--rebuild-every"),
        (
            &["--fraction", "0.4"],
            "--fraction: only with --engine hard",
        ),
        (
            &["--dimensions", "2"],
            "--dimensions: only with --engine hard",
        ),
        (
            &["--engine", "hard", "--backend", "cpu"],
            "--backend: only with --engine soft",
        ),
        (
            &["--engine", "hard", "--plot", "a.png"],
            "--plot: only with --engine soft",
        ),
        (
            &["--scene", "a.toml", "--particles", "1000"],
            "cannot be used with",
        ),
        (
            &["--compare", "missing.json"],
            "could not read missing.json",
        ),
        (
            &["--compare", "no.json"],
            "no.json:1: found {}; allowed: lines that lahar bench --json printed",
        ),
    ] {
        let output = bench(directory.path(), arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(complaint), "{arguments:?}: {errors}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

/// Vulkan finds its drivers through these variables; elsewhere there is no such way.
#[cfg(target_os = "linux")]
#[test]
fn without_a_device_only_the_processor_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        let mut command = bench(directory.path(), &SMALL);
        for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            command.env(variable, "/nonexistent.json");
        }
        command.args(more).output().unwrap()
    };
    let asked = run(&["--backend", "gpu"]);
    assert_eq!(asked.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&asked.stderr).into_owned();
    assert!(errors.contains("device"), "{errors}");
    let both = run(&["--json"]);
    let lines = lines(&both);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["backend"], "cpu");
    assert!(String::from_utf8_lossy(&both.stderr).contains("no graphics device"));
}
