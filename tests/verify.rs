//! `lahar verify`: every case passes, and its output is what it says.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should say where it stopped"
)]

#[path = "common/device.rs"]
mod device;

use serde_json::Value;
use std::process::{Command, Output};

fn verify(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lahar"))
        .arg("verify")
        .args(arguments)
        .output()
        .expect("the command starts")
}

/// What `--json` printed, and that all of it passes.
fn passing(arguments: &[&str]) -> Vec<Value> {
    let output = verify(arguments);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    });
    let cases = found["cases"].as_array().expect("cases").clone();
    for case in &cases {
        assert_eq!(case["pass"], true, "{case}");
    }
    assert_eq!(output.status.code(), Some(0));
    cases
}

fn number(case: &Value, key: &str) -> f64 {
    case[key]
        .as_f64()
        .unwrap_or_else(|| panic!("no {key} in {case}"))
}

#[test]
fn every_case_passes_on_the_processor() {
    let cases = passing(&["--json"]);
    for case in &cases {
        let off = (number(case, "cpu") - number(case, "expected")).abs();
        assert!(off <= number(case, "tolerance"), "{case}");
        assert!(case["gpu"].is_null(), "{case}");
        assert!(case["reason"].as_str().unwrap().len() > 5, "{case}");
    }
    for author in [
        "Ray",
        "Teufelsbauer",
        "Costa",
        "Rubin",
        "Luding",
        "Chung",
        "MFIX",
        "LAMMPS",
    ] {
        let of = |case: &Value| case["source"].as_str().unwrap().starts_with(author);
        assert!(cases.iter().any(of), "no case of {author}");
    }
    let quick = passing(&["--quick", "--json"]);
    assert!(
        quick.len() < cases.len() && quick.len() > 300,
        "{}",
        quick.len()
    );
}

#[test]
fn collisions_on_a_device_are_those_on_the_processor() {
    if device::gpu().is_none() {
        return;
    }
    // One linear study with gravity and attraction, one with friction and rotation.
    for filter in ["teufelsbauer-case3", "costa-rotation"] {
        let cases = passing(&["--backend", "all", "--filter", filter, "--json"]);
        for case in &cases {
            let off = (number(case, "gpu") - number(case, "cpu")).abs();
            assert!(off <= number(case, "device_tolerance"), "{case}");
        }
    }
}

#[test]
fn a_filter_selects_cases_by_id_source_or_quantity() {
    let by_id = passing(&["--filter", "ray-table1/0.8/", "--json"]);
    assert_eq!(by_id.len(), 4, "{by_id:?}");
    let by_source = passing(&["--filter", "luding", "--json"]);
    assert!(by_source.len() > 20);
    let by_quantity = passing(&["--filter", "coefficient of λ² in e", "--json"]);
    assert_eq!(by_quantity.len(), 1);
    assert!(
        by_quantity[0]["erratum"]
            .as_str()
            .unwrap()
            .contains("−5.131")
    );
    // The misprint itself, with what is printed and what is right.
    let misprint = &by_quantity[0]["misprint"];
    assert_eq!(misprint["place"], "ray (41)");
    assert_eq!(misprint["printed"], "e₂ = −5.131");
    assert!(misprint["right"].as_str().unwrap().contains("5.114047"));
}

#[test]
fn a_filter_finds_the_list_of_lammps() {
    let cases = passing(&["--filter", "LAMMPS", "--json"]);
    for (study, scenario) in [
        ("chung-ooi-3", "head-on restitution"),
        ("chung-ooi-1", "Hertz peak force"),
        ("chung-ooi-2", "Hertz peak force on a wall"),
        ("chung-ooi-4", "oblique impact"),
        ("mfix-slip-to-roll", "slip to roll"),
        ("chung-ooi-6-8", "spin impact"),
        ("rolling-decay", "rolling decay"),
        ("pull-off", "pull-off"),
        ("free-fall", "free fall"),
        ("stack-energy", "stack energy"),
    ] {
        let found = cases.iter().any(|case| {
            let id = case["id"].as_str().unwrap();
            let source = case["source"].as_str().unwrap();
            id.starts_with(&format!("{study}/")) && source.contains(scenario)
        });
        assert!(found, "no {scenario} in {study}");
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    for (arguments, complaint) in [
        (
            vec!["--filter", "no such case"],
            "--filter: found \"no such case\"",
        ),
        (vec!["--filter", "ray-bed", "--quick"], "--filter"),
        (vec!["--markdown", "Cargo.toml"], "--markdown"),
    ] {
        let output = verify(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(complaint), "{said}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_table_for_people() {
    let output = verify(&["--filter", "ray-series"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "Ray, Kempe & Fröhlich",
        "expected",
        "5.11404706",
        "pass",
        "erratum",
        "10 of 10 cases pass",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn a_page_that_needs_no_other_file() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("report");
    let output = verify(&[
        "--filter",
        "teufelsbauer-case1",
        "--report",
        page.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0));
    let html = std::fs::read_to_string(page.join("verify.html")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
    assert_eq!(html.matches("data:image/png;base64,iVBOR").count(), 2);
    assert!(html.contains("Teufelsbauer, Hübl &amp; Wu"));
    for foreign in ["http:", "https:", "<script", "<link"] {
        assert!(!html.contains(foreign), "{foreign}");
    }
}

#[test]
fn a_markdown_file_is_filled_between_its_markers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("page.md");
    let begin = "<!-- made by lahar verify: begin -->";
    let end = "<!-- made by lahar verify: end -->";
    std::fs::write(
        &path,
        format!("before\n{begin}\nstale tables\n{end}\nafter\n"),
    )
    .unwrap();
    let arguments = [
        "--filter",
        "luding-cooling",
        "--markdown",
        path.to_str().unwrap(),
    ];
    for _ in 0..2 {
        assert_eq!(verify(&arguments).status.code(), Some(0));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("before\n") && text.ends_with("after\n"),
            "{text}"
        );
        assert!(!text.contains("stale tables"), "{text}");
        assert_eq!(
            text.matches("luding-cooling/0.99/50/2").count(),
            1,
            "{text}"
        );
        assert_eq!(text.matches(begin).count(), 1);
    }
    let png = std::fs::read(directory.path().join("verify/luding-cooling.png")).unwrap();
    assert_eq!(&png[1..4], b"PNG");
}
