//! The comparators of the tests, shown to fail where they must.

mod common;

use std::panic::catch_unwind;

use common::{assert_all_close, assert_close, assert_within};

fn fails(check: impl Fn() + std::panic::UnwindSafe) -> bool {
    catch_unwind(check).is_err()
}

#[test]
fn equal_values_pass() {
    assert_close(2.0, 2.0, 0.0, "equal");
    assert_close(2.0 + 1e-13, 2.0, 1e-12, "near");
    assert_close(f64::INFINITY, f64::INFINITY, 1e-12, "infinite");
    assert_within(1.0, 1.1, 0.2, "within");
    assert_all_close(&[1.0, 2.0], &[1.0, 2.0], 0.0, "arrays");
}

#[test]
fn a_wrong_value_fails() {
    assert!(fails(|| assert_close(1.0 + 1e-11, 1.0, 1e-12, "")));
    assert!(fails(|| assert_close(-1.0, 1.0, 1e-12, "")));
    assert!(fails(|| assert_close(1e-11, 0.0, 1e-12, "")));
    assert!(fails(|| assert_close(f64::INFINITY, 1.0, 1e-12, "")));
    assert!(fails(|| assert_within(1.0, 1.1, 0.05, "")));
    assert!(fails(|| assert_all_close(
        &[1.0, 2.0 + 1e-9],
        &[1.0, 2.0],
        1e-12,
        ""
    )));
}

#[test]
fn not_a_number_fails() {
    assert!(fails(|| assert_close(f64::NAN, 1.0, 1e-12, "")));
    assert!(fails(|| assert_close(1.0, f64::NAN, 1e-12, "")));
    assert!(fails(|| assert_close(f64::NAN, f64::NAN, 1e-12, "")));
    assert!(fails(|| assert_within(f64::NAN, 0.0, f64::INFINITY, "")));
    assert!(fails(|| assert_all_close(
        &[1.0, f64::NAN],
        &[1.0, 2.0],
        1e-12,
        ""
    )));
}

#[test]
fn a_shifted_array_fails() {
    assert!(fails(|| assert_all_close(
        &[2.0, 3.0, 1.0],
        &[1.0, 2.0, 3.0],
        1e-12,
        ""
    )));
}

#[test]
fn a_short_array_fails() {
    assert!(fails(|| assert_all_close(
        &[1.0, 2.0],
        &[1.0, 2.0, 3.0],
        1e-12,
        ""
    )));
    assert!(fails(|| assert_all_close(
        &[1.0, 2.0, 3.0],
        &[1.0, 2.0],
        1e-12,
        ""
    )));
}
