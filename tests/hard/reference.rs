//! Reference solutions of `tests/data`, computed with 24 to 40 digits and stored as doubles.

use glam::DVec3;
use serde_json::Value;

pub(crate) fn reference(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A number; the string "inf" is infinity.
pub(crate) fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        _ => value
            .as_f64()
            .unwrap_or_else(|| panic!("not a number: {value}")),
    }
}

pub(crate) fn list(value: &Value) -> &Vec<Value> {
    let list = value
        .as_array()
        .unwrap_or_else(|| panic!("not a list: {value}"));
    assert!(!list.is_empty());
    list
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

pub(crate) fn rows(value: &Value) -> Vec<Vec<f64>> {
    list(value).iter().map(numbers).collect()
}

pub(crate) fn vector(value: &Value) -> DVec3 {
    match numbers(value)[..] {
        [x, y] => DVec3::new(x, y, 0.0),
        [x, y, z] => DVec3::new(x, y, z),
        _ => panic!("not a vector: {value}"),
    }
}
