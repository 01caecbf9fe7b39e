//! When a gap closes.

/// First instant at which a gap with constant acceleration closes, s from now; infinite if never.
///
/// ```text
/// gap + rate t + ½ acceleration t² = 0
/// ```
///
/// A gap that is closed, up to rounding, and closing closes now; one that is opening opens first. Both
/// roots are in the form that does not cancel.
#[inline]
pub(super) fn closing_time(gap: f64, rate: f64, acceleration: f64) -> f64 {
    let gap = gap.max(0.0);
    if gap == 0.0 && (rate < 0.0 || (rate == 0.0 && acceleration < 0.0)) {
        return 0.0;
    }
    if acceleration == 0.0 {
        return if rate < 0.0 {
            gap / -rate
        } else {
            f64::INFINITY
        };
    }
    let discriminant = rate * rate - 2.0 * acceleration * gap;
    if rate < 0.0 {
        // A gap that only just touches does not close.
        if discriminant <= 0.0 {
            return f64::INFINITY;
        }
        return 2.0 * gap / (discriminant.sqrt() - rate);
    }
    if acceleration > 0.0 {
        return f64::INFINITY;
    }
    (rate + discriminant.sqrt()) / -acceleration
}

/// Most steps of [`first_closing`]; it takes a handful unless a gap stays nearly closed.
const MOST_STEPS: usize = 100_000;

/// When a gap closes, as far as it was followed, s from now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Closing {
    /// Then; infinite: not in the time asked for.
    At(f64),
    /// Not before then; it has to be looked at again.
    NotBefore(f64),
}

/// First instant in `start..=end` at which a gap closes.
///
/// * `gap` — gap and its rate at a time
/// * `bend` — a bound on the magnitude of the second derivative of the gap
/// * `closed` — gaps smaller than this count as closed
///
/// Each step goes as far as the gap cannot close, since it bends by `bend` at most; near a root that is
/// Newton's step, so that none is passed over and the last ones double the digits.
pub(super) fn first_closing(
    gap: impl Fn(f64) -> (f64, f64),
    bend: f64,
    closed: f64,
    start: f64,
    end: f64,
) -> Closing {
    let mut time = start;
    for _ in 0..MOST_STEPS {
        let (size, rate) = gap(time);
        if size <= closed && rate <= 0.0 {
            return Closing::At(time);
        }
        let step = closing_time(if size <= closed { 0.0 } else { size }, rate, -bend);
        let next = time + step;
        if next > end {
            return Closing::At(f64::INFINITY);
        }
        if next <= time {
            return Closing::At(time);
        }
        time = next;
    }
    Closing::NotBefore(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_close_once_and_when_they_should() {
        assert_eq!(closing_time(1.0, -2.0, 0.0), 0.5);
        assert_eq!(closing_time(1.0, 2.0, 0.0), f64::INFINITY);
        assert_eq!(closing_time(0.0, 1.0, -2.0), 1.0, "up and down again");
        assert_eq!(closing_time(0.0, -1.0, -2.0), 0.0, "touching and closing");
        assert_eq!(
            closing_time(-1e-17, 1.0, -2.0),
            1.0,
            "overlap of a rounding"
        );
        assert_eq!(closing_time(1.0, -1.0, 1.0), f64::INFINITY, "turns back");
        assert_eq!(closing_time(0.5, -1.0, 1.0), f64::INFINITY, "just touches");
        assert!((closing_time(0.375, -1.0, 1.0) - 0.5).abs() < 1e-15);
        assert!((closing_time(2.0, 0.0, -1.0) - 2.0).abs() < 1e-15);
        // A slow approach from far away under a weak push does not cancel.
        let time = closing_time(1e-9, -1e3, -1e-3);
        assert!((time - 1e-12).abs() < 1e-26);
    }

    #[test]
    fn the_first_root_of_many_is_found() {
        // 0.9 + cos(7t): closes first near 0.38.
        let gap = |t: f64| (0.9 + (7.0 * t).cos(), -7.0 * (7.0 * t).sin());
        let root = (std::f64::consts::PI - 0.9_f64.acos()) / 7.0;
        let Closing::At(got) = first_closing(gap, 49.0, 1e-15, 0.0, 10.0) else {
            panic!("not found");
        };
        assert!((got - root).abs() < 1e-9, "{got} {root}");
        let far = first_closing(
            |t| (1.1 + (7.0 * t).cos(), -7.0 * (7.0 * t).sin()),
            49.0,
            1e-15,
            0.0,
            10.0,
        );
        assert_eq!(far, Closing::At(f64::INFINITY));
        let late = first_closing(gap, 49.0, 1e-15, 0.0, 0.1);
        assert_eq!(late, Closing::At(f64::INFINITY), "after the end");
    }

    /// Steps are too short to get to the end: it is said how far they came, and from there on it goes on.
    #[test]
    fn a_gap_that_stays_nearly_closed_is_followed_in_parts() {
        let gap = |t: f64| (1e-3 - 1e-6 * t, -1e-6);
        let (mut start, mut parts) = (0.0, 0);
        let closes = loop {
            match first_closing(gap, 1e6, 1e-15, start, 2000.0) {
                Closing::At(time) => break time,
                Closing::NotBefore(time) => {
                    assert!(time > start && gap(time).0 > 0.0);
                    start = time;
                    parts += 1;
                }
            }
        };
        assert!(parts > 10, "{parts}");
        assert!((closes - 1000.0).abs() < 1e-6, "{closes}");
    }
}
