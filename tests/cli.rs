//! The command line as a person or a script meets it: messages, exit codes, files, interruption.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should say where it stopped"
)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

#[path = "common/device.rs"]
mod device;
#[path = "common/listed.rs"]
mod listed;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No command of these tests takes longer, however busy the machine; one that does hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// What the longest single collision may take.
const SHORT_PATIENCE: Duration = Duration::from_secs(100);

/// Ten grains fall onto a plate, a few thousand steps.
const SMALL: &str = r#"title = "ten grains"
gravity = [0, 0, -9.81]

[domain]
lower = [0, 0, 0]
upper = [0.05, 0.05, 0.1]

[time]
end = 0.05

[[materials]]
name = "glass"
density = 2500
young = 1e6
poisson = 0.22

[[pairs]]
between = ["glass", "glass"]
restitution = 0.7
friction = 0.4

[[particles]]
kind = "lattice"
material = "glass"
radius = 0.004
spacing = 0.009
lower = [0, 0, 0]
upper = [0.05, 0.05, 0.05]
count = 10

[[walls]]
name = "tray"
material = "glass"
kind = "box"
lower = [0, 0, 0]
upper = [0.05, 0.05, 0.1]
open = ["+z"]

[output]
frames = 0.01
series = 0.001
checkpoints = 0.01
picture = false
"#;

/// A command in a directory of its own.
fn lahar(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lahar"));
    command.current_dir(directory).args(arguments);
    command.env_remove("RUST_LOG");
    command
}

/// Runs a command to its end and fails if it hangs.
fn finish(mut command: Command, patience: Duration) -> Output {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let what = format!("{command:?}");
    wait(child, patience, &what)
}

fn wait(mut child: Child, patience: Duration, what: &str) -> Output {
    let begun = Instant::now();
    while child.try_wait().expect("wait").is_none() {
        if begun.elapsed() > patience {
            child.kill().expect("kill");
            let _ = child.wait();
            panic!("still running after {patience:?}: {what}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().expect("output")
}

fn run_in(directory: &Path, arguments: &[&str]) -> Output {
    finish(lahar(directory, arguments), PATIENCE)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// Fails unless the command ended with `want` and did not panic; returns what it complained about.
#[track_caller]
fn assert_code(output: &Output, want: i32, what: &str) -> String {
    let complaint = text(&output.stderr);
    assert!(!complaint.contains("panicked"), "{what}: {complaint}");
    assert_eq!(
        code(output),
        Some(want),
        "{what}: {}{complaint}",
        text(&output.stdout)
    );
    complaint
}

#[track_caller]
fn assert_says(complaint: &str, parts: &[&str]) {
    for part in parts {
        assert!(complaint.contains(part), "no {part:?} in: {complaint}");
    }
}

/// The one JSON object on standard output, with at least these keys.
#[track_caller]
fn json(output: &Output, keys: &[&str]) -> Value {
    assert_code(output, 0, "--json");
    let printed = text(&output.stdout);
    let value: Value = serde_json::from_str(&printed).expect("standard output is one JSON value");
    let object = value.as_object().expect("an object");
    for key in keys {
        assert!(object.contains_key(*key), "no {key:?} in {printed}");
    }
    value
}

fn directory_with(scene: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("temporary directory");
    fs::write(directory.path().join("scene.toml"), scene).expect("scene");
    directory
}

// Help.

#[test]
fn help_of_every_command_shows_examples() {
    let here = Path::new(".");
    for command in [
        vec!["--help"],
        vec!["run", "--help"],
        vec!["check", "--help"],
        vec!["collide", "--help"],
        vec!["info", "--help"],
        vec!["cross-check", "--help"],
        vec!["new", "--help"],
    ] {
        let output = run_in(here, &command);
        assert_code(&output, 0, &format!("{command:?}"));
        let help = text(&output.stdout);
        assert_says(&help, &["Usage:", "Examples:", "  lahar "]);
    }
}

#[test]
fn version_and_nonsense() {
    let here = Path::new(".");
    let output = run_in(here, &["--version"]);
    assert_code(&output, 0, "--version");
    assert_eq!(
        text(&output.stdout).trim(),
        format!("lahar {}", env!("CARGO_PKG_VERSION"))
    );
    for nonsense in [vec![], vec!["fly"], vec!["run"], vec!["run", "--fly"]] {
        let output = run_in(here, &nonsense);
        let complaint = assert_code(&output, 2, &format!("{nonsense:?}"));
        assert_says(&complaint, &["Usage:"]);
    }
}

// collide.

fn collide(arguments: &str) -> Output {
    let mut all = vec!["collide"];
    all.extend(arguments.split_whitespace());
    // A device compiles its kernels first.
    let patience = if arguments.contains("--backend gpu") {
        PATIENCE
    } else {
        SHORT_PATIENCE
    };
    finish(lahar(Path::new("."), &all), patience)
}

/// What each law accepts, complete.
const COMPLETE: [(&str, &str); 6] = [
    ("linear", "--stiffness 1e4 --damping 0.05"),
    ("linear-stretched", "--restitution 0.8 --contact-time 1e-3"),
    ("hertz-viscous", "--young 1e7 --poisson 0.3 --damping 0.01"),
    ("hertz-tsuji", "--young 1e7 --poisson 0.3 --restitution 0.8"),
    (
        "hertz-kuwabara-kono",
        "--young 1e7 --poisson 0.3 --viscoelastic-time 1e-6",
    ),
    ("hertz-adaptive", "--restitution 0.8 --contact-time 1e-3"),
];

const SPHERES: &str = "--radius 1e-3 --density 2500 --speed 0.5";

#[test]
fn every_law_collides() {
    for (law, needs) in COMPLETE {
        for more in ["", "--wall", "--end force", "--wall --gravity 9.81"] {
            let output = collide(&format!("--law {law} {SPHERES} {needs} {more} --json"));
            let value = json(
                &output,
                &[
                    "law",
                    "backend",
                    "time_step",
                    "steps",
                    "restitution",
                    "contact_time",
                    "max_overlap",
                    "max_force",
                    "stiffness",
                    "damping",
                    "rebound_normal_velocity",
                    "rebound_tangential_velocity",
                    "rebound_velocity_1",
                    "rebound_velocity_2",
                    "spin_1",
                    "spin_2",
                    "psi_in",
                    "psi_out",
                    "energy_lost",
                ],
            );
            assert_eq!(value["law"], law);
            assert_eq!(value["backend"], "cpu");
            let restitution = value["restitution"].as_f64().unwrap();
            assert!(restitution > 0.0 && restitution <= 1.0, "{value}");
            assert_eq!(value["spin_1"].as_array().unwrap().len(), 3);
            assert!(value["steps"].is_u64());
            assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
            let plain = collide(&format!("--law {law} {SPHERES} {needs} {more}"));
            assert_code(&plain, 0, law);
            assert_says(
                &text(&plain.stdout),
                &["restitution", "contact time", "energy lost"],
            );
        }
    }
}

#[test]
fn collide_says_what_is_missing_or_superfluous() {
    let tsuji = "--law hertz-tsuji --young 1e7 --poisson 0.3 --restitution 0.8";
    let linear = "--law linear --stiffness 1e4 --damping 0.5";
    let misuses = [
        (
            "--radius 1e-3 --density 2500 --speed 1".into(),
            vec!["--law"],
        ),
        (
            "--law linear --density 2500 --speed 1".into(),
            vec!["--radius"],
        ),
        (
            format!("{linear} --radius 1e-3 --density 1"),
            vec!["--speed"],
        ),
        (
            format!("{linear} --radius 1e-3 --speed 1"),
            vec!["--density", "--mass"],
        ),
        (
            format!("{linear} --radius 1e-3 --density 1 --mass 1 --speed 1"),
            vec!["--density", "--mass"],
        ),
        (
            format!("--law cubic {SPHERES}"),
            vec!["cubic", "hertz-tsuji"],
        ),
        // What the law needs.
        (
            format!("--law linear {SPHERES} --damping 1"),
            vec!["--stiffness", "missing"],
        ),
        (
            format!("--law linear {SPHERES} --stiffness 1e4"),
            vec!["--damping", "--restitution", "missing"],
        ),
        (
            format!("--law linear-stretched {SPHERES} --contact-time 1"),
            vec!["--restitution", "missing"],
        ),
        (
            format!("--law linear-stretched {SPHERES} --restitution 1"),
            vec!["--contact-time", "missing"],
        ),
        (
            format!("--law hertz-viscous {SPHERES} --damping 1"),
            vec!["--stiffness", "--young", "missing"],
        ),
        (
            format!("--law hertz-viscous {SPHERES} --stiffness 1e6"),
            vec!["--damping", "missing"],
        ),
        (
            format!("--law hertz-tsuji {SPHERES} --restitution 1"),
            vec!["--stiffness", "--young", "missing"],
        ),
        (
            format!("--law hertz-tsuji {SPHERES} --young 1e7"),
            vec!["--restitution", "missing"],
        ),
        (
            format!("--law hertz-kuwabara-kono {SPHERES} --young 1e7"),
            vec!["--viscoelastic-time", "missing"],
        ),
        (
            format!("--law hertz-kuwabara-kono {SPHERES} --viscoelastic-time 1e-6"),
            vec!["--stiffness", "--young", "missing"],
        ),
        (
            format!("--law hertz-adaptive {SPHERES} --contact-time 1"),
            vec!["--restitution", "missing"],
        ),
        (
            format!("--law hertz-adaptive {SPHERES} --restitution 0.8"),
            vec!["--contact-time", "missing"],
        ),
        // What the law has no use for.
        (
            format!("{linear} {SPHERES} --restitution 0.8"),
            vec!["--damping", "--restitution"],
        ),
        (
            format!("{linear} {SPHERES} --young 1e7"),
            vec!["--stiffness", "--young"],
        ),
        (
            format!("{linear} {SPHERES} --viscoelastic-time 1"),
            vec!["--viscoelastic-time"],
        ),
        (
            format!("{tsuji} {SPHERES} --damping 1"),
            vec!["--damping", "hertz-tsuji"],
        ),
        (
            format!("{tsuji} {SPHERES} --stiffness 1e6"),
            vec!["--stiffness", "--young"],
        ),
        (
            format!("--law hertz-viscous {SPHERES} --young 1e7 --damping 1 --restitution 1"),
            vec!["--restitution"],
        ),
        (
            format!(
                "--law linear-stretched {SPHERES} --restitution 1 --contact-time 1 --stiffness 1"
            ),
            vec!["--stiffness"],
        ),
        (
            format!("--law hertz-adaptive {SPHERES} --restitution 1 --contact-time 1 --damping 1"),
            vec!["--damping"],
        ),
        // Bodies.
        (
            format!("{tsuji} --radius 1e-3 2e-3 --density 2500 --speed 1 --wall"),
            vec!["--radius", "--wall"],
        ),
        (
            format!("{tsuji} --radius 1e-3 --density 1 2 --speed 1 --wall"),
            vec!["--density", "--wall"],
        ),
        (
            format!("{tsuji} --radius 1e-3 --mass 1 2 --speed 1 --wall"),
            vec!["--mass", "--wall"],
        ),
        // Friction.
        (
            format!("{tsuji} {SPHERES} --tangential coulomb"),
            vec!["--friction", "missing"],
        ),
        (
            format!("{tsuji} {SPHERES} --tangential mindlin"),
            vec!["--friction", "missing"],
        ),
        (
            format!("{tsuji} {SPHERES} --tangential none --friction 0.3"),
            vec!["--friction", "none"],
        ),
        (
            format!("{linear} {SPHERES} --tangential linear --friction 0.3"),
            vec!["--tangential-stiffness", "--tangential-restitution"],
        ),
        (
            format!("{linear} {SPHERES} --tangential mindlin --friction 0.3"),
            vec!["mindlin"],
        ),
        (
            format!("{tsuji} {SPHERES} --tangential cubic"),
            vec!["cubic"],
        ),
        (
            format!("{tsuji} {SPHERES} --tangential-stiffness 1"),
            vec!["--tangential-stiffness", "no effect"],
        ),
        (
            format!("{tsuji} {SPHERES} --tangential-damping 1"),
            vec!["--tangential-damping", "no effect"],
        ),
        (
            format!("{tsuji} {SPHERES} --friction 0.3 --tangential-restitution 0.5"),
            vec!["--tangential-restitution", "no effect"],
        ),
        (
            format!("{tsuji} {SPHERES} --contact-time 1"),
            vec!["--contact-time"],
        ),
        // Geometry and steps.
        (format!("{tsuji} {SPHERES} --angle 90"), vec!["--angle"]),
        (format!("{tsuji} {SPHERES} --angle -95"), vec!["--angle"]),
        (
            format!("{tsuji} {SPHERES} --steps-per-contact 100 --time-step 1e-6"),
            vec!["--steps-per-contact", "--time-step"],
        ),
        (
            format!("{tsuji} {SPHERES} --steps-per-contact 1"),
            vec!["--steps-per-contact"],
        ),
        (format!("{tsuji} {SPHERES} --origin 1 2"), vec!["--origin"]),
        (
            format!("{tsuji} {SPHERES} --origin 1e6 0 0"),
            vec!["--origin"],
        ),
        (format!("{tsuji} {SPHERES} --end never"), vec!["--end"]),
        (
            format!("{tsuji} {SPHERES} --time-step 1"),
            vec!["--time-step", "allowed"],
        ),
        (
            format!("{tsuji} {SPHERES} --time-step 1e-12"),
            vec!["--time-step", "allowed"],
        ),
        (
            format!("{tsuji} {SPHERES} --angle 89.99999999999"),
            vec!["--angle"],
        ),
        (
            format!("--law hertz-tsuji {SPHERES} --young 1e7 --poisson 0.5 --restitution 0.8"),
            vec!["--poisson", "0.5"],
        ),
        (
            format!("--law hertz-tsuji {SPHERES} --young 1e7 --restitution 1.5"),
            vec!["--restitution", "1.5"],
        ),
        (
            format!("--law hertz-tsuji {SPHERES} --young 1e7 --restitution 0"),
            vec!["--restitution"],
        ),
    ];
    for (arguments, parts) in misuses {
        let output = collide(&arguments);
        let complaint = assert_code(&output, 2, &arguments);
        assert!(output.stdout.is_empty(), "{arguments}");
        assert_says(&complaint, &parts);
    }
}

#[test]
fn no_number_makes_collide_panic_or_hang() {
    const POISON: [&str; 12] = [
        "nan", "inf", "-inf", "0", "-0", "-1", "1e300", "1e-300", "-1e300", "5e-324", "1e30",
        "1e-30",
    ];
    const OPTIONS: [&str; 16] = [
        "radius",
        "density",
        "mass",
        "stiffness",
        "damping",
        "young",
        "poisson",
        "restitution",
        "contact-time",
        "tangential-restitution",
        "tangential-stiffness",
        "tangential-damping",
        "viscoelastic-time",
        "friction",
        "speed",
        "time-step",
    ];
    let bases = [
        "--law linear --radius 1e-3 --density 2500 --speed 0.5 --stiffness 1e4 --damping 0.5 \
         --friction 0.3 --tangential-stiffness 1e3 --tangential-damping 0.1 --wall",
        "--law hertz-tsuji --radius 1e-3 --density 2500 --speed 0.5 --young 1e7 --poisson 0.3 \
         --restitution 0.8 --friction 0.3 --angle 30",
        "--law hertz-adaptive --radius 1e-3 --mass 1e-5 --speed 0.5 --restitution 0.8 \
         --contact-time 1e-3 --wall",
        "--law linear-stretched --radius 1e-3 --density 2500 --speed 0.5 --restitution 0.8 \
         --contact-time 1e-3 --tangential-restitution 0.5 --friction 0.3",
        "--law hertz-kuwabara-kono --radius 1e-3 --density 2500 --speed 0.5 --young 1e7 \
         --viscoelastic-time 1e-6",
    ];
    let mut tried = 0;
    for base in bases {
        let words: Vec<&str> = base.split_whitespace().collect();
        for option in OPTIONS {
            let flag = format!("--{option}");
            // The tsuji base stands for options that it lacks and that every law may have.
            let position = words.iter().position(|word| **word == *flag);
            if position.is_none() && !(option == "time-step" && base.contains("tsuji")) {
                continue;
            }
            for value in POISON {
                let mut changed: Vec<String> = words.iter().map(ToString::to_string).collect();
                match position {
                    Some(at) => changed[at + 1] = value.into(),
                    None => changed.extend([flag.clone(), value.into()]),
                }
                assert_survives(&changed.join(" "));
                tried += 1;
            }
        }
    }
    for option in ["spin", "gravity", "angle", "steps-per-contact", "origin"] {
        for value in POISON {
            let value = if option == "origin" {
                format!("{value} {value} {value}")
            } else {
                value.into()
            };
            assert_survives(&format!("{} --{option} {value}", bases[1]));
            tried += 1;
        }
    }
    assert!(tried > 300, "only {tried} combinations");
}

/// Largest restitution of a collision at 100 steps that was told to lose nothing.
const NO_GAIN: f64 = 1.001;

/// Done, failed or refused; what is printed on success is sound JSON.
fn assert_survives(arguments: &str) {
    let output = collide(&format!("{arguments} --json"));
    let complaint = text(&output.stderr);
    assert!(!complaint.contains("panicked"), "{arguments}: {complaint}");
    match code(&output) {
        Some(0) => {
            let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let restitution = value["restitution"].as_f64();
            assert!(
                restitution.is_some_and(|e| (0.0..=NO_GAIN).contains(&e)),
                "{arguments}: {value}"
            );
        }
        Some(1 | 2) => assert!(complaint.starts_with("error: "), "{arguments}: {complaint}"),
        other => panic!("{arguments}: exit {other:?}: {complaint}"),
    }
}

#[test]
fn collide_writes_a_trace() {
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("trace.csv");
    let arguments = format!(
        "--law hertz-tsuji {SPHERES} --young 1e7 --restitution 0.8 --trace {}",
        trace.display()
    );
    assert_code(&collide(&arguments), 0, &arguments);
    let written = fs::read_to_string(&trace).unwrap();
    let mut lines = written.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(&header[..4], ["time", "overlap", "rate", "normal_force"]);
    let mut before = f64::NEG_INFINITY;
    let mut rows = 0;
    for line in lines {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        assert_eq!(numbers.len(), header.len());
        assert!(numbers[0] > before, "time goes on");
        before = numbers[0];
        rows += 1;
    }
    assert!(rows > 100, "{rows} rows for 100 steps in a contact");
    let blocked = format!(
        "--law hertz-tsuji {SPHERES} --young 1e7 --restitution 0.8 --trace {}/no/such/trace.csv",
        directory.path().display()
    );
    let complaint = assert_code(&collide(&blocked), 1, &blocked);
    assert_says(&complaint, &["trace.csv", "No such file"]);
}

// new, check, info.

#[test]
fn new_scene_is_acceptable_and_never_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let output = run_in(here, &["new", "heap"]);
    assert_code(&output, 0, "new");
    assert_says(
        &text(&output.stdout),
        &["heap.toml", "lahar check", "lahar run"],
    );
    let scene = fs::read(here.join("heap.toml")).unwrap();
    let output = run_in(here, &["check", "heap.toml"]);
    assert_code(&output, 0, "check");
    assert_says(
        &text(&output.stdout),
        &["acceptable", "2 000", "time step", "lahar run heap.toml"],
    );
    fs::write(here.join("heap.toml"), "mine").unwrap();
    let complaint = assert_code(&run_in(here, &["new", "heap"]), 1, "new again");
    assert_says(&complaint, &["heap.toml", "exists"]);
    assert_eq!(fs::read(here.join("heap.toml")).unwrap(), b"mine");
    let output = run_in(here, &["new", "other.toml"]);
    assert_code(&output, 0, "new with extension");
    assert_eq!(fs::read(here.join("other.toml")).unwrap(), scene);
    let complaint = assert_code(&run_in(here, &["new", "no/such/heap"]), 1, "new nowhere");
    assert_says(&complaint, &["no/such/heap.toml"]);
}

#[test]
fn check_and_info_as_json() {
    let directory = directory_with(SMALL);
    let value = json(
        &run_in(directory.path(), &["check", "scene.toml", "--json"]),
        &[
            "particles",
            "walls",
            "materials",
            "expected_speed",
            "contact_time",
            "rayleigh_time",
            "deepest_overlap",
            "advised_time_step",
            "largest_time_step",
            "time_step",
            "steps",
            "bytes_per_particle",
            "memory",
            "available_memory",
            "device_bytes_per_particle",
            "device_memory",
        ],
    );
    let [device, per_grain] =
        ["device_memory", "device_bytes_per_particle"].map(|key| value[key].as_f64().unwrap());
    assert!(device > 10.0 * 250.0 && (device - 10.0 * per_grain).abs() < 1.0);
    assert_eq!(value["particles"], 10);
    assert_eq!(value["walls"], 1);
    assert!(value["time_step"].as_f64() <= value["largest_time_step"].as_f64());
    let value = json(
        &run_in(directory.path(), &["info", "--json"]),
        &["version", "engine", "reason", "threads", "devices"],
    );
    assert_eq!(value["version"], env!("CARGO_PKG_VERSION"));
    assert!(!value["reason"].as_str().unwrap().is_empty());
    for device in value["devices"].as_array().unwrap() {
        for key in [
            "name",
            "kind",
            "driver",
            "largest_binding",
            "storage_buffers",
        ] {
            assert!(!device[key].is_null(), "{key} of {device}");
        }
        assert!(device["storage_buffers"].as_u64() >= Some(8), "{device}");
        // Bench times stages with them; nothing else is used.
        let used = device["features_used"].as_array().unwrap();
        assert_eq!(
            used.contains(&"timestamps".into()),
            device["timestamps"] == true
        );
        assert!(!used.contains(&"subgroups".into()), "{device}");
    }
    let real = |device: &Value| device["kind"] != "software" && device["shortcoming"].is_null();
    let any_real = value["devices"].as_array().unwrap().iter().any(real);
    assert_eq!(value["engine"], if any_real { "gpu" } else { "cpu" });
    let plain = run_in(directory.path(), &["info"]);
    assert_code(&plain, 0, "info");
    assert_says(
        &text(&plain.stdout),
        &["lahar", "engine", "threads", "device"],
    );
    if device::gpu().is_some_and(lahar::gpu::Gpu::has_timestamps) {
        let used = "timestamps yes: lahar bench times the stages";
        assert_says(&text(&plain.stdout), &[used, "not used"]);
    }
}

#[test]
fn wide_output_fits_eighty_columns() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    for arguments in [
        vec!["--help"],
        vec!["run", "--help"],
        vec!["collide", "--help"],
        vec!["check", "scene.toml"],
        vec!["info"],
        vec!["new", "heap"],
        vec!["run", "scene.toml", "--out", "out"],
    ] {
        let output = run_in(here, &arguments);
        assert_code(&output, 0, &format!("{arguments:?}"));
        for line in text(&output.stdout).lines() {
            let width = line.chars().count();
            // Help texts are laid out for 100 columns, as clap does by itself.
            let allowed = if arguments.contains(&"--help") {
                100
            } else {
                80
            };
            assert!(width <= allowed, "{width} columns: {line}");
        }
    }
}

// Mistakes in scenes.

#[test]
fn mistakes_in_scenes_name_file_line_and_key() {
    let mistakes = [
        ("young = 1e6", "yuong = 1e6", "yuong", "did you mean young"),
        ("end = 0.05", "end = \"soon\"", "time.end", "number"),
        ("radius = 0.004", "radius = -0.004", "radius", "-0.004"),
        ("spacing = 0.009", "spacing = 0.005", "", "overlap"),
        (
            "between = [\"glass\", \"glass\"]",
            "between = [\"glass\", \"steel\"]",
            "between",
            "steel",
        ),
        (
            "upper = [0.05, 0.05, 0.05]",
            "upper = [0.05, 0.05, 0.5]",
            "particles[0].upper",
            "domain",
        ),
        (
            "poisson = 0.22",
            "poisson = 0.5",
            "materials[0].poisson",
            "0.5",
        ),
        ("end = 0.05", "end = nan", "time.end", "finite"),
        ("end = 0.05", "end = 0", "time.end", "0"),
        ("count = 10", "count = 0", "count", "0"),
        ("friction = 0.4", "", "pairs", "friction"),
        ("kind = \"lattice\"", "kind = \"heap\"", "kind", "lattice"),
    ];
    for (good, bad, key, hint) in mistakes {
        assert!(SMALL.contains(good), "{good}");
        let directory = directory_with(&SMALL.replacen(good, bad, 1));
        for command in ["check", "run"] {
            let output = run_in(directory.path(), &[command, "scene.toml"]);
            let what = format!("{command} with {bad:?}");
            let complaint = assert_code(&output, 2, &what);
            assert_says(&complaint, &["error: scene.toml:", key, hint, "allowed"]);
            let line = complaint["error: scene.toml:".len()..]
                .split(':')
                .next()
                .and_then(|number| number.parse::<usize>().ok());
            assert!(line.is_some_and(|line| line > 1), "{what}: {complaint}");
            assert_eq!(complaint.lines().count(), 1, "{what}: {complaint}");
            assert!(!directory.path().join("out").exists(), "{what} left files");
        }
    }
}

#[test]
fn missing_pair_names_both_materials() {
    let scene = format!(
        "{SMALL}
[[materials]]
name = \"steel\"
density = 7800
young = 1e7
poisson = 0.3

[[particles]]
kind = \"list\"
material = \"steel\"
items = [{{ position = [0.02, 0.02, 0.08], radius = 0.004 }}]
"
    );
    let directory = directory_with(&scene);
    let output = run_in(directory.path(), &["check", "scene.toml"]);
    let complaint = assert_code(&output, 2, "missing pair");
    assert_says(&complaint, &["scene.toml:", "pairs", "glass", "steel"]);
}

#[test]
fn grain_outside_the_domain_is_named() {
    let scene = format!(
        "{SMALL}
[[particles]]
kind = \"list\"
material = \"glass\"
items = [{{ position = [0.02, 0.02, 0.8], radius = 0.004 }}]
"
    );
    let directory = directory_with(&scene);
    let output = run_in(directory.path(), &["check", "scene.toml"]);
    let complaint = assert_code(&output, 2, "outside");
    assert_says(&complaint, &["scene.toml:", "particles[1]", "domain"]);
}

#[test]
fn too_large_time_step_is_refused_unless_forced() {
    let directory = directory_with(&SMALL.replacen("end = 0.05", "end = 0.05\nstep = 1e-3", 1));
    let here = directory.path();
    let largest = {
        let plain = directory_with(SMALL);
        let value = json(
            &run_in(plain.path(), &["check", "scene.toml", "--json"]),
            &["largest_time_step"],
        );
        value["largest_time_step"].as_f64().unwrap()
    };
    for command in ["check", "run"] {
        let output = run_in(here, &[command, "scene.toml"]);
        let complaint = assert_code(&output, 2, command);
        assert_says(&complaint, &["scene.toml:10:", "time.step", "force_step"]);
        // Some number in the message is the largest allowed step.
        let named = complaint
            .split(|c: char| c.is_whitespace() || c == ';' || c == ',')
            .filter_map(|word| word.parse::<f64>().ok())
            .any(|number| (number / largest - 1.0).abs() < 0.01);
        assert!(named, "{largest} is not in: {complaint}");
    }
    let modest = largest * 1.05;
    let forced = SMALL.replacen(
        "end = 0.05",
        &format!("end = 0.05\nstep = {modest}\nforce_step = true"),
        1,
    );
    fs::write(here.join("scene.toml"), forced).unwrap();
    assert_code(&run_in(here, &["check", "scene.toml"]), 0, "forced check");
    assert_code(&run_in(here, &["run", "scene.toml"]), 0, "forced run");
}

#[test]
fn a_tangential_spring_that_is_stiffer_still_limits_the_step() {
    let scene = |stiffness: &str| {
        let laws = "[contact]\nnormal = \"linear\"\ntangential = \"linear\"\n\n[[materials]]";
        let pair = format!("stiffness = 1e3\ntangential_stiffness = {stiffness}\nrestitution");
        SMALL
            .replacen("[[materials]]", laws, 1)
            .replacen("restitution", &pair, 1)
    };
    let step_of = |stiffness: &str| {
        let directory = directory_with(&scene(stiffness));
        let output = run_in(directory.path(), &["check", "scene.toml", "--json"]);
        json(&output, &["time_step"])["time_step"].as_f64().unwrap()
    };
    // m_t = 2/7 m*: with k_t = 200 k_n it swings √(2/7/200) times as fast as a contact lasts.
    let ratio = step_of("2e5") / step_of("1e2");
    assert!(
        (ratio / (2.0f64 / 1400.0).sqrt() - 1.0).abs() < 1e-9,
        "{ratio}"
    );
}

#[test]
fn a_scene_that_is_not_utf_8_names_its_line() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    let latin1 = SMALL
        .replacen("ten grains", "zehn K?rner", 1)
        .replace('?', "\u{1}");
    let bytes: Vec<u8> = latin1
        .bytes()
        .map(|b| if b == 1 { 0xf6 } else { b })
        .collect();
    fs::write(here.join("scene.toml"), bytes).unwrap();
    let complaint = assert_code(&run_in(here, &["check", "scene.toml"]), 2, "latin 1");
    assert_says(&complaint, &["scene.toml:1:", "0xf6", "UTF-8"]);
}

#[test]
fn what_is_no_scene_is_refused_cleanly() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::create_dir(here.join("directory.toml")).unwrap();
    fs::write(here.join("empty.toml"), "").unwrap();
    let noise: Vec<u8> = (0..10_000_000u32)
        .map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    fs::write(here.join("garbage.toml"), &noise[..5000]).unwrap();
    fs::write(here.join("noise.toml"), &noise).unwrap();
    let junk = "junk = [\"junk\", 1, { junk = 2 }] # junk\n".repeat(250_000);
    fs::write(here.join("junk.toml"), junk).unwrap();
    fs::write(
        here.join("nested.toml"),
        "a = ".to_owned() + &"[".repeat(100_000),
    )
    .unwrap();
    for name in [
        "missing.toml",
        "directory.toml",
        "empty.toml",
        "garbage.toml",
        "noise.toml",
        "junk.toml",
        "nested.toml",
    ] {
        for command in ["check", "run"] {
            let output = run_in(here, &[command, name]);
            let complaint = text(&output.stderr);
            assert!(!complaint.contains("panicked"), "{name}: {complaint}");
            assert!(
                matches!(code(&output), Some(1 | 2)),
                "{name}: {:?} {complaint}",
                code(&output)
            );
            assert_says(&complaint, &["error: ", name]);
            assert!(complaint.len() < 1000, "{name}: {} bytes", complaint.len());
        }
    }
    assert!(!here.join("out").exists(), "nothing ran");
}

/// Bad input, like a mistake in the scene: what could not be read, why, and what to do.
#[test]
fn a_scene_that_cannot_be_read_is_bad_input() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    fs::create_dir(here.join("directory.toml")).unwrap();
    fs::write(here.join("file.toml"), SMALL).unwrap();
    fs::write(here.join("secret.toml"), SMALL).unwrap();
    let mut cases = vec![
        ("missing.toml", "no such file"),
        ("nowhere/scene.toml", "no such file"),
        ("directory.toml", "is a directory"),
        ("file.toml/scene.toml", "not a directory"),
    ];
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let secret = here.join("secret.toml");
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();
        // Some may read everything.
        if fs::read(&secret).is_err() {
            cases.push(("secret.toml", "permission denied"));
        }
    }
    for (path, why) in cases {
        for command in ["check", "run", "cross-check"] {
            let complaint = assert_code(&run_in(here, &[command, path]), 2, path);
            let begin = format!("error: {path}: ");
            assert!(complaint.starts_with(&begin), "{complaint}");
            assert_says(&complaint.to_lowercase(), &[why]);
            assert_says(&complaint, &["a scene file", "lahar new"]);
        }
        let bench = assert_code(&run_in(here, &["bench", "--scene", path]), 2, path);
        assert_says(&bench, &[path, "lahar new"]);
    }
}

// run.

const FILES: [&str; 7] = [
    "run.pvd",
    "frame_00000.vtp",
    "walls.vtp",
    "series.csv",
    "energy.png",
    "picture.png",
    "checkpoint.lahar",
];

#[test]
fn run_leaves_its_files() {
    let directory = directory_with(&SMALL.replacen("picture = false", "picture = true", 1));
    let here = directory.path();
    let output = run_in(here, &["run", "scene.toml"]);
    assert_code(&output, 0, "run");
    let out = here.join("out/scene");
    for name in FILES {
        let size = fs::metadata(out.join(name)).expect(name).len();
        assert!(size > 0, "{name} is empty");
    }
    assert_eq!(&fs::read(out.join("picture.png")).unwrap()[1..4], b"PNG");
    assert_says(
        &text(&output.stdout),
        &[
            "done",
            "grains",
            "run.pvd",
            "series.csv",
            "checkpoint.lahar",
        ],
    );
    let frames = fs::read_to_string(out.join("run.pvd")).unwrap();
    assert_eq!(frames.matches("<DataSet").count(), 6, "{frames}");
    for k in 0..6 {
        assert!(out.join(format!("frame_{k:05}.vtp")).exists());
    }
    let series = fs::read_to_string(out.join("series.csv")).unwrap();
    let mut lines = series.lines();
    assert_eq!(
        lines.next().unwrap(),
        "time,step,particles,contacts,coordination,kinetic,rotational,potential,elastic_normal,\
         elastic_tangential,elastic_rolling,lost_normal,lost_tangential,lost_friction,lost_rolling,\
         gained_mindlin,removed_energy,balance_error,momentum_x,momentum_y,momentum_z,removed,\
         force_tray_xmin_x,force_tray_xmin_y,force_tray_xmin_z,force_tray_xmax_x,\
         force_tray_xmax_y,force_tray_xmax_z,force_tray_ymin_x,force_tray_ymin_y,\
         force_tray_ymin_z,force_tray_ymax_x,force_tray_ymax_y,force_tray_ymax_z,\
         force_tray_zmin_x,force_tray_zmin_y,force_tray_zmin_z"
    );
    let columns = series.lines().next().unwrap().split(',').count();
    let rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    // Every millisecond, in whole steps of about 50 µs.
    assert!((48..=52).contains(&rows.len()), "{} rows", rows.len());
    assert_eq!(rows[0][0], 0.0);
    for row in &rows {
        assert_eq!(row.len(), columns);
        assert!(row.iter().all(|x| x.is_finite()));
        assert_eq!(row[2], 10.0, "no grain is lost");
    }
    assert!(rows.windows(2).all(|two| two[0][0] < two[1][0]));
    // A second run takes the next free directory, and leaves the first alone.
    let before = fs::read(out.join("checkpoint.lahar")).unwrap();
    let output = run_in(here, &["run", "scene.toml"]);
    assert_code(&output, 0, "second run");
    assert_says(&text(&output.stdout), &["out/scene-2"]);
    let second = here.join("out/scene-2");
    assert_eq!(fs::read(second.join("checkpoint.lahar")).unwrap(), before);
    assert_eq!(
        fs::read_to_string(second.join("series.csv")).unwrap(),
        series
    );
}

/// What a run was computed on stands in its summary.
#[test]
fn run_names_its_device() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    let run = |backend: &str, more: &[&str]| {
        let out = format!("{backend}{}", more.len());
        let arguments = ["run", "scene.toml", "--backend", backend, "--out", &out];
        let output = run_in(here, &[&arguments, more].concat());
        assert_code(&output, 0, backend);
        output
    };
    assert_says(&text(&run("cpu", &[]).stdout), &["\nengine        cpu\n"]);
    assert!(json(&run("cpu", &["--json"]), &["device"])["device"].is_null());
    if let Some(gpu) = device::gpu() {
        let name = gpu.description().name.clone();
        let line = format!("\nengine        gpu, {name}\n");
        assert_says(&text(&run("gpu", &[]).stdout), &[&line]);
        assert_eq!(json(&run("gpu", &["--json"]), &["device"])["device"], name);
    }
}

/// Vulkan finds its drivers through these variables; elsewhere there is no such way.
#[cfg(target_os = "linux")]
#[test]
fn without_a_device_the_processor_is_named_as_the_way_out() {
    let directory = directory_with(SMALL);
    let run = |arguments: &[&str]| {
        let mut command = lahar(directory.path(), arguments);
        for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            command.env(variable, "/nonexistent.json");
        }
        finish(command, PATIENCE)
    };
    let forced = ["run", "scene.toml", "--out", "a", "--backend", "gpu"];
    let complaint = assert_code(&run(&forced), 1, "no device");
    assert_says(&complaint, &["found no graphics device", "--backend cpu"]);
    assert!(!directory.path().join("a").exists());
    let output = run(&["run", "scene.toml", "--out", "b"]);
    let said = assert_code(&output, 0, "auto without a device");
    assert_eq!(
        said.matches("there is no graphics device").count(),
        1,
        "{said}"
    );
    assert_says(&text(&output.stdout), &["\nengine        cpu\n"]);
}

#[test]
fn run_summary_as_json() {
    let directory = directory_with(SMALL);
    let value = json(
        &run_in(directory.path(), &["run", "scene.toml", "--json"]),
        &[
            "directory",
            "backend",
            "time",
            "time_step",
            "steps",
            "particles",
            "removed",
            "contacts",
            "coordination",
            "kinetic",
            "rotational",
            "potential",
            "elastic",
            "lost",
            "balance_error",
            "seconds",
            "contact_updates_per_s",
            "particle_steps_per_s",
            "neighbour_searches",
            "bytes_per_particle",
        ],
    );
    assert_eq!(value["directory"], "out/scene");
    assert_eq!(value["particles"], 10);
    let [time, step] = ["time", "time_step"].map(|key| value[key].as_f64().unwrap());
    assert!(time >= 0.05 && time < 0.05 + step);
}

#[test]
fn results_of_another_run_are_never_replaced_unasked() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    assert_code(&run_in(here, &["run", "scene.toml", "--out", "a"]), 0, "a");
    let series = fs::read(here.join("a/series.csv")).unwrap();
    let output = run_in(here, &["run", "scene.toml", "--out", "a"]);
    let complaint = assert_code(&output, 2, "a again");
    assert_says(&complaint, &["--resume", "--overwrite", "--out"]);
    assert_eq!(fs::read(here.join("a/series.csv")).unwrap(), series);
    fs::write(here.join("a/series.csv"), "old").unwrap();
    let output = run_in(here, &["run", "scene.toml", "--out", "a", "--overwrite"]);
    assert_code(&output, 0, "--overwrite");
    assert_eq!(fs::read(here.join("a/series.csv")).unwrap(), series);
    let both = ["run", "scene.toml", "--out", "a", "--overwrite", "--resume"];
    assert_code(&run_in(here, &both), 2, "--overwrite --resume");
}

#[test]
fn two_runs_never_write_to_one_directory() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    fs::create_dir(here.join("a")).unwrap();
    let other = fs::File::create(here.join("a/.lock")).unwrap();
    other.lock().unwrap();
    let output = run_in(here, &["run", "scene.toml", "--out", "a"]);
    let complaint = assert_code(&output, 2, "while another run has it");
    assert_says(&complaint, &["another run", "--out"]);
    assert!(!here.join("a/series.csv").exists());
    drop(other);
    let output = run_in(here, &["run", "scene.toml", "--out", "a"]);
    assert_code(&output, 0, "when it has ended");
}

#[test]
fn threads_do_not_change_the_result() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    for threads in ["1", "2", "3"] {
        let output = run_in(
            here,
            &["run", "scene.toml", "--out", threads, "--threads", threads],
        );
        assert_code(&output, 0, threads);
    }
    for many in ["100000", "99999999999999", "many"] {
        let output = run_in(here, &["run", "scene.toml", "--threads", many]);
        let complaint = assert_code(&output, 2, many);
        assert_says(&complaint, &["--threads"]);
    }
    for file in ["checkpoint.lahar", "series.csv", "frame_00005.vtp"] {
        let read = |threads: &str| fs::read(here.join(threads).join(file)).unwrap();
        assert!(read("1") == read("2"), "{file} with 1 and 2 threads");
        assert!(read("1") == read("3"), "{file} with 1 and 3 threads");
    }
}

#[test]
fn a_collision_comes_out_the_same_on_a_device() {
    if device::gpu().is_none() {
        return;
    }
    let on = |backend: &str| {
        let output = collide(&format!(
            "--law hertz-tsuji {SPHERES} --young 1e7 --poisson 0.3 --restitution 0.8 --angle 30 \
             --friction 0.3 --tangential mindlin --backend {backend} --json"
        ));
        json(&output, &["backend", "restitution", "contact_time"])
    };
    let (cpu, gpu) = (on("cpu"), on("gpu"));
    assert_eq!(
        (&cpu["backend"], &gpu["backend"]),
        (&"cpu".into(), &"gpu".into())
    );
    for key in ["restitution", "contact_time"] {
        let (a, b) = (cpu[key].as_f64().unwrap(), gpu[key].as_f64().unwrap());
        assert!(((a - b) / a).abs() < 2e-6, "{key}: {a} and {b}");
    }
    // Anywhere in a domain of 2e4 radii, to the last bit of every number.
    assert_eq!(
        on("gpu --origin -9.639273767213492 6.681887825509909 -4.764790516305449"),
        gpu
    );
}

/// Laws whose restitution depends on the speed take the damper that gives the one asked for.
#[test]
fn restitution_is_met_by_laws_that_depend_on_the_speed() {
    for law in ["hertz-viscous", "hertz-kuwabara-kono"] {
        for (speed, wall) in [("0.1", ""), ("2", "--wall")] {
            let output = collide(&format!(
                "--law {law} --radius 1e-3 --density 2500 --speed {speed} {wall} --young 1e7 --poisson 0.3 \
                 --restitution 0.6 --steps-per-contact 1000 --json"
            ));
            let value = json(&output, &["restitution"]);
            let found = value["restitution"].as_f64().unwrap();
            assert!(
                (found / 0.6 - 1.0).abs() < 1e-4,
                "{law} at {speed}: {found}"
            );
        }
    }
    let output = collide(
        "--law hertz-kuwabara-kono --radius 1e-3 --density 2500 --speed 1 --young 1e7 --restitution 0.01",
    );
    assert_says(
        &assert_code(&output, 2, "too low"),
        &["--restitution", "0.01", "allowed"],
    );
}

/// The same scene on both engines: rows agree, and either goes on from the other's checkpoint.
#[test]
fn a_run_on_a_device_is_a_run() {
    if device::gpu().is_none() {
        return;
    }
    let directory = directory_with(SMALL);
    let here = directory.path();
    for backend in ["cpu", "gpu", "auto"] {
        let output = run_in(
            here,
            &[
                "run",
                "scene.toml",
                "--backend",
                backend,
                "--out",
                backend,
                "--json",
            ],
        );
        let value = json(&output, &["backend", "kinetic", "contacts"]);
        let chosen = json(&run_in(here, &["info", "--json"]), &["engine"]);
        let used = match backend {
            "auto" => chosen["engine"].as_str().unwrap(),
            named => named,
        };
        assert_eq!(value["backend"], used);
        // Only what nobody asked for is explained.
        let complaint = text(&output.stderr);
        let explained = complaint.matches("engine: ").count();
        assert_eq!(explained, usize::from(backend == "auto"), "{complaint}");
    }
    let rows = |backend: &str| {
        let text = fs::read_to_string(here.join(backend).join("series.csv")).unwrap();
        let numbers = |line: &str| -> Vec<f64> {
            line.split(',')
                .map(|field| field.parse().unwrap())
                .collect()
        };
        text.lines().skip(1).map(numbers).collect::<Vec<_>>()
    };
    let (cpu, gpu) = (rows("cpu"), rows("gpu"));
    assert_eq!(cpu.len(), gpu.len());
    for (a, b) in cpu.iter().zip(&gpu) {
        let scale = a[5] + a[7].abs();
        // Time, grains, kinetic and potential energy.
        for (column, allowed) in [(0, 0.0), (2, 0.0), (5, 1e-4 * scale), (7, 1e-4 * scale)] {
            assert!((a[column] - b[column]).abs() <= allowed, "{a:?}\n{b:?}");
        }
    }
}

/// Equal runs have equal hashes, in the summary and in JSON; another scene has another.
#[test]
fn hash_of_the_final_state() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    let other = SMALL.replace("spacing = 0.009", "spacing = 0.0091");
    fs::write(here.join("other.toml"), other).unwrap();
    let hash = |scene: &str, out: &str, more: &[&str]| {
        let mut arguments = vec!["run", scene, "--out", out, "--hash", "--json"];
        arguments.extend(more);
        let value = json(&run_in(here, &arguments), &["hash"]);
        value["hash"].as_str().unwrap().to_owned()
    };
    let cpu = ["--backend", "cpu"];
    let want = hash("scene.toml", "a", &cpu);
    assert_eq!(want.len(), 16);
    let two = ["--backend", "cpu", "--threads", "2"];
    assert_eq!(hash("scene.toml", "b", &two), want);
    assert_ne!(hash("other.toml", "c", &cpu), want);
    // Resumed from the checkpoint at its end, and in words.
    let again = ["run", "scene.toml", "--out", "a", "--resume", "--hash"];
    assert_says(&text(&run_in(here, &again).stdout), &["hash", &want]);
    let unasked = run_in(here, &["run", "scene.toml", "--out", "d", "--json"]);
    assert!(json(&unasked, &["backend"])["hash"].is_null());
    if device::gpu().is_some() {
        let gpu = ["--backend", "gpu"];
        let on_device = hash("scene.toml", "e", &gpu);
        assert_eq!(hash("scene.toml", "f", &gpu), on_device);
        assert_ne!(on_device, want, "f32 is not f64");
    }
}

/// The order in which grains with ids are listed shows neither in the hash nor in the series.
#[test]
fn hash_of_a_bed_listed_in_any_order() {
    let directory = directory_with(&listed::dense_bed(false, true));
    let here = directory.path();
    fs::write(here.join("mixed.toml"), listed::dense_bed(true, true)).unwrap();
    fs::write(here.join("unnamed.toml"), listed::dense_bed(true, false)).unwrap();
    let hash = |scene: &str, backend: &str| {
        let out = format!("{backend}-{scene}");
        let rest = ["--out", &out, "--hash", "--json"];
        let arguments = [&["run", scene, "--backend", backend], &rest[..]].concat();
        let value = json(&run_in(here, &arguments), &["hash", "coordination"]);
        assert!(value["coordination"].as_f64().unwrap() > 3.0, "{value}");
        let series = fs::read_to_string(here.join(&out).join("series.csv")).unwrap();
        (value["hash"].as_str().unwrap().to_owned(), series)
    };
    let mut backends = vec!["cpu"];
    if device::gpu().is_some() {
        backends.push("gpu");
    }
    for backend in backends {
        let want = hash("scene.toml", backend);
        assert_eq!(hash("mixed.toml", backend), want, "{backend}");
        assert_ne!(hash("unnamed.toml", backend), want, "{backend}");
    }
}

/// A table, a picture and exit code 0; or one JSON object.
#[test]
fn cross_check_of_a_small_scene() {
    if device::gpu().is_none() {
        return;
    }
    let directory = directory_with(SMALL);
    let here = directory.path();
    let output = run_in(
        here,
        &["cross-check", "scene.toml", "--steps", "300", "--out", "x"],
    );
    assert_code(&output, 0, "cross-check");
    let table = text(&output.stdout);
    assert_says(
        &table,
        &[
            "kinetic energy",
            "mean height",
            "force on tray_zmin",
            "agree",
            "within",
        ],
    );
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(fs::metadata(here.join("x/cross-check.png")).unwrap().len() > 1000);
    let arguments = [
        "cross-check",
        "scene.toml",
        "--time",
        "0.005",
        "--samples",
        "3",
        "--json",
    ];
    let value = json(
        &run_in(here, &arguments),
        &["passes", "samples", "checks", "agree_until"],
    );
    assert_eq!(value["passes"], true);
    // The start is a sample too.
    assert_eq!(value["samples"].as_array().unwrap().len(), 4);
    for (nonsense, says) in [
        (["--steps", "0"], "--steps"),
        (["--time", "-1"], "--time"),
        (["--samples", "0"], "--samples"),
    ] {
        let arguments = ["cross-check", "scene.toml", nonsense[0], nonsense[1]];
        let complaint = assert_code(&run_in(here, &arguments), 2, says);
        assert_says(&complaint, &[says]);
    }
}

/// Two grains whose overlap is no more than 6e-10 radii: a few hundred times what the device tells apart, and
/// what it loses is off by more than the bands allow.
const SHALLOW: &str = r#"
[domain]
lower = [0, 0, 0]
upper = [0.01, 0.01, 0.01]

[time]
end = 5e-4

[contact]
normal = "linear"
tangential = "none"

[[materials]]
name = "glass"
density = 2500

[[pairs]]
between = ["glass", "glass"]
stiffness = 1.3e7
restitution = 0.5

[[particles]]
kind = "list"
material = "glass"
items = [
    { position = [0.004, 0.005, 0.005], radius = 0.001, velocity = [1e-6, 0, 0] },
    { position = [0.0060000003, 0.005, 0.005], radius = 0.001 },
]
"#;

/// Grains that land while they are watched: layers that fell freely before are heaps now, and differ as heaps do.
#[test]
fn cross_check_of_grains_that_land() {
    if device::gpu().is_none() {
        return;
    }
    let directory = directory_with(SMALL);
    let here = directory.path();
    for seed in [1, 2, 3] {
        fs::write(
            here.join("scene.toml"),
            LANDING.replace("SEED", &seed.to_string()),
        )
        .unwrap();
        let output = run_in(here, &["cross-check", "scene.toml", "--out", "x"]);
        assert_code(&output, 0, &text(&output.stdout));
    }
}

const LANDING: &str = r#"
gravity = [0, 0, -9.81]

[domain]
lower = [0, 0, 0]
upper = [0.02, 0.02, 0.12]

[time]
end = 0.15

[[materials]]
name = "glass"
density = 2500
young = 1e7
poisson = 0.22

[[pairs]]
between = ["glass", "glass"]
restitution = 0.9
friction = 0.3

[[particles]]
kind = "random"
material = "glass"
count = 100
radius = 2e-3
lower = [0, 0, 0]
upper = [0.02, 0.02, 0.11]
seed = SEED

[[walls]]
name = "tray"
material = "glass"
kind = "box"
lower = [0, 0, 0]
upper = [0.02, 0.02, 0.12]
open = ["+z"]
"#;

/// Exit code 1 says that something is outside its band, which is marked.
#[test]
fn cross_check_outside_its_bands() {
    if device::gpu().is_none() {
        return;
    }
    let directory = directory_with(SHALLOW);
    let here = directory.path();
    let arguments = ["cross-check", "scene.toml", "--samples", "2"];
    let output = run_in(here, &arguments);
    assert_code(&output, 1, "too shallow");
    let table = text(&output.stdout);
    let dissipated = |line: &&str| line.starts_with("dissipated energy");
    let line = table.lines().find(dissipated).unwrap();
    assert!(line.ends_with("<- outside"), "{table}");
    assert_says(&table, &["outside their bands"]);
    let output = run_in(here, &[&arguments[..], &["--json"]].concat());
    assert_eq!(code(&output), Some(1));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["passes"], false);
    // A thousand times deeper, both do the same.
    let deeper = SHALLOW.replacen("1.3e7", "1.3e1", 1);
    fs::write(here.join("scene.toml"), deeper.replacen("5e-4", "5e-2", 1)).unwrap();
    assert_code(&run_in(here, &arguments), 0, "deep enough");
}

/// Hard grains against soft ones: dilute gases, smooth and rough, agree, a ball that comes to rest does not.
#[test]
fn cross_check_of_hard_grains() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scenes");
    for (scene, more, want, says) in [
        (
            "dilute_gas.toml",
            ["--durations", "0.1,0.02"],
            0,
            "within their bands",
        ),
        (
            "rough_gas.toml",
            ["--durations", "0.1,0.02"],
            0,
            "within their bands",
        ),
        (
            "bouncing_ball.toml",
            ["--samples", "20"],
            1,
            "outside their bands",
        ),
    ] {
        let scene = scenes.join(scene).to_string_lossy().into_owned();
        let arguments = [&["cross-check", &scene, "--out", "x"], &more[..]].concat();
        let output = run_in(here, &arguments);
        assert_code(&output, want, &scene);
        assert_says(&text(&output.stdout), &[says]);
    }
}

#[test]
fn directory_that_cannot_be_written_is_an_error() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    fs::write(here.join("file"), "in the way").unwrap();
    for out in ["file", "file/below", "/proc/lahar"] {
        let output = run_in(here, &["run", "scene.toml", "--out", out]);
        let complaint = assert_code(&output, 1, out);
        assert_says(&complaint, &["error: could not", out]);
    }
}

#[test]
fn closed_pipe_ends_quietly() {
    let directory = directory_with(SMALL);
    for arguments in [
        vec!["run", "scene.toml", "--out", "a"],
        vec!["check", "scene.toml"],
        vec!["collide", "--help"],
        vec!["info", "--json"],
    ] {
        // The reading end is closed before the first byte is written.
        let mut command = lahar(directory.path(), &arguments);
        let (reader, writer) = std::io::pipe().expect("pipe");
        drop(reader);
        let child = command
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(command);
        let output = wait(child, PATIENCE, "closed pipe");
        let complaint = text(&output.stderr);
        assert!(
            !complaint.contains("panicked"),
            "{arguments:?}: {complaint}"
        );
    }
    assert!(directory.path().join("a/checkpoint.lahar").exists());
}

/// A tiny file system to fill, where the user may mount one.
struct TinyDisk(PathBuf);

impl TinyDisk {
    fn mount(path: PathBuf) -> Option<Self> {
        fs::create_dir(&path).ok()?;
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=128k", "tmpfs"])
            .arg(&path)
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        mounted.then(|| Self(path))
    }
}

impl Drop for TinyDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn full_disk_is_an_error_and_the_checkpoint_stays_whole() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    let Some(disk) = TinyDisk::mount(here.join("tiny")) else {
        println!("SKIPPED: mounting a small file system is not allowed here");
        return;
    };
    // Frames of 10 grains at every 0.1 ms fill 128 kB soon.
    let scene = SMALL.replacen("frames = 0.01", "frames = 1e-4", 1);
    let scene = scene.replacen("checkpoints = 0.01", "checkpoints = 5e-4", 1);
    fs::write(here.join("scene.toml"), scene).unwrap();
    let output = run_in(here, &["run", "scene.toml", "--out", "tiny/a"]);
    let complaint = assert_code(&output, 1, "full disk");
    assert_says(
        &complaint,
        &["error: could not", "No space left", "--resume"],
    );
    // With room again, the run goes on from there.
    let grown = Command::new("mount")
        .args(["-o", "remount,size=64m"])
        .arg(&disk.0)
        .status()
        .is_ok_and(|status| status.success());
    assert!(grown, "remount");
    let output = run_in(here, &["run", "scene.toml", "--out", "tiny/a", "--resume"]);
    assert_code(&output, 0, "resume");
    let output = run_in(here, &["run", "scene.toml", "--out", "whole"]);
    assert_code(&output, 0, "uninterrupted");
    assert_same_run(&here.join("tiny/a"), &here.join("whole"));
}

// Interruption.

/// The same series, checkpoint and frames, byte for byte.
#[track_caller]
fn assert_same_run(got: &Path, want: &Path) {
    let listing = |path: &Path| {
        let mut names: Vec<String> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(listing(got), listing(want));
    for name in listing(want) {
        let [a, b] = [got, want].map(|path| fs::read(path.join(&name)).unwrap());
        assert!(a == b, "{name} differs ({} and {} bytes)", a.len(), b.len());
    }
}

/// Long enough to be interrupted on any machine: the checkpoints come at a hundredth of it.
fn long_scene() -> String {
    SMALL
        .replacen("end = 0.05", "end = 1", 1)
        .replacen("frames = 0.01", "frames = 0.1", 1)
        .replacen("series = 0.001", "series = 0.003", 1)
}

/// Starts a run and returns when its first checkpoint is there.
fn start(here: &Path, arguments: &[&str], out: &str) -> Child {
    let child = lahar(here, arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let checkpoint = here.join(out).join("checkpoint.lahar");
    let begun = Instant::now();
    while !checkpoint.exists() {
        assert!(begun.elapsed() < PATIENCE, "no checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn interrupt(child: &Child, signal: &str) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(sent.success(), "the run ended before it could be stopped");
}

#[test]
fn interrupted_run_goes_on_as_if_nothing_had_happened() {
    let directory = directory_with(&long_scene());
    let here = directory.path();
    let whole = run_in(here, &["run", "scene.toml", "--out", "whole"]);
    assert_code(&whole, 0, "uninterrupted");
    for (signal, out) in [("-INT", "a"), ("-TERM", "b")] {
        let child = start(here, &["run", "scene.toml", "--out", out], out);
        interrupt(&child, signal);
        let stopped = wait(child, PATIENCE, "interrupted run");
        let complaint = assert_code(&stopped, 130, signal);
        let resume = format!("lahar run scene.toml --out {out} --resume");
        assert_says(&complaint, &["stopped at t =", &resume]);
        let words: Vec<&str> = resume.split(' ').skip(1).collect();
        assert_code(&run_in(here, &words), 0, "resumed");
        assert_same_run(&here.join(out), &here.join("whole"));
    }
    // Killed without warning, in the middle of whatever it was doing.
    let child = start(here, &["run", "scene.toml", "--out", "c"], "c");
    std::thread::sleep(Duration::from_millis(30));
    interrupt(&child, "-KILL");
    let stopped = wait(child, PATIENCE, "killed run");
    assert_eq!(code(&stopped), None, "killed");
    let resume = ["run", "scene.toml", "--out", "c", "--resume"];
    assert_code(&run_in(here, &resume), 0, "resumed after kill -9");
    assert_same_run(&here.join("c"), &here.join("whole"));
    // Once done, there is nothing left to do.
    assert_code(&run_in(here, &resume), 0, "resumed after the end");
    assert_same_run(&here.join("c"), &here.join("whole"));
}

/// What a stopped run advises is typed as it stands, and ends like a run that was never stopped: on the same
/// engine, with the same output.
#[test]
fn advice_after_an_interruption_names_what_was_asked_for() {
    let mut engines = vec![("cpu", "end = 1")];
    if device::gpu().is_some() {
        // A device of ten grains has as much time in fewer steps.
        engines.push(("gpu", "end = 0.2"));
    }
    for (engine, end) in engines {
        let directory = directory_with(&long_scene().replacen("end = 1", end, 1));
        let here = directory.path();
        let asked = format!("--backend {engine} --threads 1 --hash --json");
        let arguments = |out| {
            let start = ["run", "scene.toml", "--out", out];
            start
                .into_iter()
                .chain(asked.split(' '))
                .collect::<Vec<_>>()
        };
        let whole = format!("whole-{engine}");
        let want = json(&run_in(here, &arguments(&whole)), &["hash"]);
        let child = start(here, &arguments(engine), engine);
        interrupt(&child, "-INT");
        let stopped = wait(child, PATIENCE, "interrupted run");
        let complaint = assert_code(&stopped, 130, engine);
        let advice = complaint.lines().last().unwrap().trim();
        let words: Vec<&str> = advice.split(' ').skip(1).collect();
        assert_eq!(
            advice,
            format!("lahar run scene.toml --out {engine} --resume {asked}")
        );
        let got = json(&run_in(here, &words), &["hash", "backend"]);
        assert_eq!(got["backend"], engine);
        assert_eq!(got["hash"], want["hash"], "{engine}");
        assert_same_run(&here.join(engine), &here.join(&whole));
    }
}

/// A run that fails advises to go on as it was asked for, too.
#[test]
fn advice_after_a_failure_names_what_was_asked_for() {
    let leaving = SMALL.replacen("gravity = [0, 0, -9.81]", "gravity = [0, 0, 60]", 1);
    let leaving = leaving.replacen("end = 0.05", "end = 1", 1);
    let directory = directory_with(&leaving);
    let arguments = ["run", "scene.toml", "--out", "x", "--backend", "cpu"];
    let output = run_in(directory.path(), &arguments);
    let complaint = assert_code(&output, 1, "a grain leaves");
    let advice = "is whole: lahar run scene.toml --out x --resume --backend cpu\n";
    assert_says(&complaint, &["left the domain", advice]);
}

#[test]
fn resume_needs_the_same_scene() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    assert_code(&run_in(here, &["run", "scene.toml", "--out", "a"]), 0, "a");
    let checkpoint = fs::read(here.join("a/checkpoint.lahar")).unwrap();
    for (good, bad) in [
        ("restitution = 0.7", "restitution = 0.6"),
        ("friction = 0.4", "friction = 0.5"),
        ("gravity = [0, 0, -9.81]", "gravity = [0, 0, -1.62]"),
        ("young = 1e6", "young = 2e6"),
        ("count = 10", "count = 9"),
        ("radius = 0.004", "radius = 0.0039"),
        ("spacing = 0.009", "spacing = 0.0085"),
        (
            "upper = [0.05, 0.05, 0.1]\nopen",
            "upper = [0.05, 0.05, 0.09]\nopen",
        ),
    ] {
        assert!(SMALL.contains(good), "{good}");
        fs::write(here.join("scene.toml"), SMALL.replacen(good, bad, 1)).unwrap();
        let output = run_in(here, &["run", "scene.toml", "--out", "a", "--resume"]);
        let complaint = text(&output.stderr);
        assert!(
            matches!(code(&output), Some(1 | 2)),
            "resumed with {bad:?}: {complaint}"
        );
        assert_says(&complaint, &["error: ", "scene"]);
        assert!(
            complaint.contains("--overwrite") || complaint.contains("--out"),
            "no advice: {complaint}"
        );
        assert_eq!(
            fs::read(here.join("a/checkpoint.lahar")).unwrap(),
            checkpoint,
            "the old checkpoint is left alone"
        );
    }
}

#[test]
fn resume_goes_on_to_a_later_end() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    assert_code(&run_in(here, &["run", "scene.toml", "--out", "a"]), 0, "a");
    let longer = SMALL.replacen("end = 0.05", "end = 0.08", 1);
    fs::write(here.join("scene.toml"), longer).unwrap();
    let output = run_in(
        here,
        &["run", "scene.toml", "--out", "a", "--resume", "--json"],
    );
    let value = json(&output, &["time"]);
    assert!(value["time"].as_f64() >= Some(0.08));
    assert_code(&run_in(here, &["run", "scene.toml", "--out", "b"]), 0, "b");
    assert_same_run(&here.join("a"), &here.join("b"));
}

/// Whoever names no engine goes on with the one that left the checkpoint, and says so once.
#[test]
fn resume_takes_the_engine_that_left_the_checkpoint() {
    let mut engines = vec!["cpu"];
    if device::gpu().is_some() {
        engines.push("gpu");
    }
    for engine in engines {
        let directory = directory_with(SMALL);
        let here = directory.path();
        let begin = ["run", "scene.toml", "--out", "a", "--backend", engine];
        assert_code(&run_in(here, &begin), 0, "the first part");
        let longer = SMALL.replacen("end = 0.05", "end = 0.08", 1);
        fs::write(here.join("scene.toml"), longer).unwrap();
        let go_on = ["run", "scene.toml", "--out", "a", "--resume", "--json"];
        let output = run_in(here, &go_on);
        assert_eq!(json(&output, &["backend"])["backend"], engine);
        let said = format!("engine: {engine}, which left the checkpoint");
        assert_eq!(text(&output.stderr).matches(&said).count(), 1);
        let whole = ["run", "scene.toml", "--out", "b", "--backend", engine];
        assert_code(&run_in(here, &whole), 0, "all at once");
        assert_same_run(&here.join("a"), &here.join("b"));
    }
}

#[test]
fn resume_past_the_end_and_on_another_engine_is_said() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    assert_code(&run_in(here, &["run", "scene.toml", "--out", "a"]), 0, "a");
    let resume = ["run", "scene.toml", "--out", "a", "--resume"];
    let again = run_in(here, &resume);
    assert_says(
        &assert_code(&again, 0, "the same end"),
        &["nothing is left to do"],
    );
    let shorter = SMALL.replacen("end = 0.05", "end = 0.02", 1);
    fs::write(here.join("scene.toml"), shorter).unwrap();
    let complaint = assert_code(&run_in(here, &resume), 2, "an earlier end");
    assert_says(
        &complaint,
        &[
            "--resume: the checkpoint is at t = ",
            "time.end",
            "--overwrite",
        ],
    );
    if device::gpu().is_none() {
        return;
    }
    let longer = SMALL.replacen("end = 0.05", "end = 0.06", 1);
    fs::write(here.join("scene.toml"), longer).unwrap();
    let other = run_in(here, &[&resume[..], &["--backend", "gpu"]].concat());
    let said = assert_code(&other, 0, "another engine");
    assert_says(
        &said,
        &["the cpu engine left the checkpoint; gpu goes on from it"],
    );
    let done = text(&other.stdout);
    assert!(done.contains(" of them now, in "), "{done}");
}

#[test]
fn damaged_or_missing_checkpoint_is_explained() {
    let directory = directory_with(SMALL);
    let here = directory.path();
    assert_code(&run_in(here, &["run", "scene.toml", "--out", "a"]), 0, "a");
    let path = here.join("a/checkpoint.lahar");
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x10;
    let mut of_the_future = whole.clone();
    of_the_future[8] = 99;
    let resume = ["run", "scene.toml", "--out", "a", "--resume"];
    for (what, bytes) in [
        ("one bit", flipped),
        ("another version", of_the_future),
        ("half of it", whole[..whole.len() / 2].to_vec()),
        ("the first bytes", whole[..5].to_vec()),
        ("nothing", Vec::new()),
        ("something else", b"<html>not found</html>".repeat(100)),
    ] {
        fs::write(&path, &bytes).unwrap();
        let complaint = assert_code(&run_in(here, &resume), 1, what);
        assert_says(&complaint, &["error: checkpoint a/checkpoint.lahar: "]);
        assert_eq!(fs::read(&path).unwrap(), bytes, "{what}");
    }
    fs::remove_file(&path).unwrap();
    let complaint = assert_code(&run_in(here, &resume), 1, "no checkpoint");
    assert_says(&complaint, &["a/checkpoint.lahar", "--overwrite"]);
    let nowhere = ["run", "scene.toml", "--out", "nowhere", "--resume"];
    let complaint = assert_code(&run_in(here, &nowhere), 1, "no directory");
    assert_says(&complaint, &["nowhere/checkpoint.lahar"]);
    assert!(!here.join("nowhere").exists(), "nothing was made");
}
