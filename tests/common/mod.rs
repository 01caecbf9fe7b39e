//! Comparators shared by the tests. `tests/comparators.rs` shows that each of them can fail.

/// Fails unless `got` is within a relative `tolerance` of `want` (an absolute one if `want` is 0).
///
/// Equal values pass, infinities among them; anything that is not a number fails.
#[track_caller]
pub(crate) fn assert_close(got: f64, want: f64, tolerance: f64, what: &str) {
    let scale = if want == 0.0 { 1.0 } else { want.abs() };
    assert_within(got, want, tolerance * scale, what);
}

/// Fails unless `got` is within an absolute `bound` of `want`.
#[track_caller]
pub(crate) fn assert_within(got: f64, want: f64, bound: f64, what: &str) {
    let close = got == want || (got - want).abs() <= bound;
    assert!(
        close,
        "{what}: got {got:e}, want {want:e}, off by {:e}, allowed {bound:e}",
        got - want
    );
}

/// Fails unless two arrays have the same length and are close entry by entry, against the largest
/// entry wanted.
#[track_caller]
pub(crate) fn assert_all_close(got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}: lengths differ");
    let largest = want
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let scale = if largest == 0.0 { 1.0 } else { largest };
    for (index, (&got, &want)) in got.iter().zip(want).enumerate() {
        assert_within(got, want, tolerance * scale, &format!("{what}[{index}]"));
    }
}
