//! Numbers for people: SI prefixes, durations, counts.

/// A value with an SI prefix and three or four significant digits, e.g. `12.3 µs`.
pub(super) fn si(value: f64, unit: &str) -> String {
    if value == 0.0 {
        return format!("0 {unit}");
    }
    if !value.is_finite() {
        return format!("{value} {unit}");
    }
    const PREFIXES: [(&str, i32); 13] = [
        ("a", -18),
        ("f", -15),
        ("p", -12),
        ("n", -9),
        ("µ", -6),
        ("m", -3),
        ("", 0),
        ("k", 3),
        ("M", 6),
        ("G", 9),
        ("T", 12),
        ("P", 15),
        ("E", 18),
    ];
    // A value that rounds up to 1000 takes the next prefix.
    let magnitude = value.abs() * 1.000_5;
    let (prefix, exponent) = PREFIXES
        .into_iter()
        .rev()
        .find(|&(_, exponent)| magnitude >= 10f64.powi(exponent))
        .unwrap_or(PREFIXES[0]);
    let scaled = value / 10f64.powi(exponent);
    let digits = match scaled.abs() {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{scaled:.digits$} {prefix}{unit}")
}

/// A duration of the wall clock, e.g. `1 min 05 s`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates"
)]
pub(super) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "unknown".into();
    }
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        format!("{hours} h {minutes:02} min")
    } else {
        format!("{minutes} min {rest:02} s")
    }
}

/// A count with thin groups of three digits, e.g. `20 000`.
pub(super) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A count of something whose plural ends in s, e.g. `1 grain`, `20 000 grains`.
pub(super) fn counted(value: u64, thing: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_and_digits() {
        assert_eq!(si(1.234e-5, "s"), "12.3 µs");
        assert_eq!(si(0.999_9, "m"), "1.00 m");
        assert_eq!(si(-2.5e6, "Pa"), "-2.50 MPa");
        assert_eq!(si(0.0, "J"), "0 J");
        assert_eq!(si(f64::NAN, "J"), "NaN J");
        assert_eq!(si(1e-20, "J"), "0.01 aJ");
    }

    #[test]
    fn durations_and_counts() {
        assert_eq!(duration(65.0), "1 min 05 s");
        assert_eq!(duration(3.25), "3.2 s");
        assert_eq!(duration(7260.0), "2 h 01 min");
        assert_eq!(count(20_000), "20 000");
        assert_eq!(count(7), "7");
        assert_eq!(counted(0, "grain"), "0 grains");
        assert_eq!(counted(1, "hard grain"), "1 hard grain");
        assert_eq!(counted(20_000, "grain"), "20 000 grains");
    }
}
