//! Round numbers for axes, and how to print them.

/// Round values between `low` and `high`, about `wanted` of them, in steps of 1, 2 or 5 × 10ⁿ.
#[allow(
    clippy::cast_possible_truncation,
    reason = "a handful of ticks, counted from the first multiple"
)]
pub(super) fn linear(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let Some(step) = round_step(high - low, wanted) else {
        return Vec::new();
    };
    let tolerance = 1e-9;
    let first = (low / step - tolerance).ceil();
    let last = (high / step + tolerance).floor();
    let count = (last - first) as i64;
    (0..=count.min(100))
        .map(|i| {
            #[allow(clippy::cast_precision_loss, reason = "at most 100")]
            let index = first + i as f64;
            // Division by a whole power of ten rounds better than a product with its inverse.
            if step < 1.0 {
                index / (1.0 / step).round_if_close()
            } else {
                index * step
            }
        })
        .collect()
}

/// The step of such values, or `None` for an empty or infinite span.
pub(super) fn round_step(span: f64, wanted: usize) -> Option<f64> {
    #[allow(clippy::cast_precision_loss, reason = "a handful of ticks")]
    let raw = span / wanted.max(1) as f64;
    if !raw.is_normal() || raw < 0.0 {
        return None;
    }
    let power = 10_f64.powf(raw.log10().floor());
    let step = match raw / power {
        x if x < 1.5 => 1.0,
        x if x < 3.5 => 2.0,
        x if x < 7.5 => 5.0,
        _ => 10.0,
    };
    Some(step * power)
}

/// The largest 1, 2 or 5 × 10ⁿ that is not above `limit`, which must be positive.
pub(super) fn round_below(limit: f64) -> f64 {
    let power = 10_f64.powf(limit.log10().floor());
    let digit = [5.0, 2.0].into_iter().find(|d| d * power <= limit);
    digit.unwrap_or(1.0) * power
}

/// Powers of ten between `low` and `high` (both positive), thinned to about `wanted`.
#[allow(
    clippy::cast_possible_truncation,
    reason = "exponents of f64 are below 400"
)]
pub(super) fn logarithmic(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let (first, last) = (
        (low.log10() - 1e-9).ceil() as i32,
        (high.log10() + 1e-9).floor() as i32,
    );
    let every = usize::try_from(last - first).unwrap_or(0) / wanted.max(1) + 1;
    (first..=last)
        .step_by(every)
        .map(|e| 10_f64.powi(e))
        .collect()
}

trait RoundIfClose {
    fn round_if_close(self) -> Self;
}

impl RoundIfClose for f64 {
    /// The nearest whole number if rounding errors alone separate it from that.
    fn round_if_close(self) -> Self {
        let whole = self.round();
        if (self - whole).abs() < 1e-9 * whole.abs() {
            whole
        } else {
            self
        }
    }
}

/// The exponent, a multiple of 3, to take out of numbers up to `largest` so that they read well;
/// 0 for sizes that read well as they are.
#[allow(
    clippy::cast_possible_truncation,
    reason = "exponents of f64 are below 400"
)]
pub(super) fn common_exponent(largest: f64) -> i32 {
    if largest == 0.0 || !largest.is_finite() || (1e-2..1e5).contains(&largest) {
        return 0;
    }
    ((largest.log10() + 1e-9) / 3.0).floor() as i32 * 3
}

/// SI prefix for numbers up to `largest`: its symbol, and what it multiplies.
pub(super) fn si_prefix(largest: f64) -> (&'static str, f64) {
    const PREFIXES: [(&str, f64); 9] = [
        ("p", 1e-12),
        ("n", 1e-9),
        ("µ", 1e-6),
        ("m", 1e-3),
        ("", 1.0),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
    ];
    if largest == 0.0 || !largest.is_finite() {
        return ("", 1.0);
    }
    let fits = PREFIXES
        .iter()
        .rev()
        .find(|(_, factor)| largest.abs() >= 0.999_999 * factor);
    *fits.unwrap_or(&PREFIXES[0])
}

/// A tick with just the digits that its step needs: `0.25`, `−3`, `12 000`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0 … 12 digits"
)]
pub(super) fn label(value: f64, step: f64) -> String {
    let digits = (-(step.abs() * 1.000_001).log10().floor()).clamp(0.0, 12.0) as usize;
    let text = format!("{:.digits$}", value.abs());
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text.as_str(), None),
    };
    let is_zero = text.bytes().all(|b| b == b'0' || b == b'.');
    let mut label = String::new();
    if value < 0.0 && !is_zero {
        label.push('−');
    }
    label.push_str(&grouped(whole));
    if let Some(fraction) = fraction {
        label.push('.');
        label.push_str(fraction);
    }
    label
}

/// Digits in groups of three, from five digits on: `20 000`.
pub(super) fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        let left = digits.len() - index;
        if index > 0 && left.is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

/// 10 to a power, with the power raised: `10⁻³`.
pub(super) fn power_of_ten(exponent: i32) -> String {
    let raised = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    };
    let exponent: String = exponent.to_string().chars().map(raised).collect();
    format!("10{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(linear(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(linear(-0.13, 0.31, 4), [-0.1, 0.0, 0.1, 0.2, 0.3]);
        assert_eq!(linear(3.0, 47.0, 5), [10.0, 20.0, 30.0, 40.0]);
        assert_eq!(
            linear(0.0, 7e-4, 7),
            [0.0, 1e-4, 2e-4, 3e-4, 4e-4, 5e-4, 6e-4, 7e-4]
        );
        assert!(linear(1.0, 1.0, 5).is_empty());
        assert!(linear(0.0, f64::INFINITY, 5).is_empty());
    }

    #[test]
    fn powers_are_thinned() {
        assert_eq!(logarithmic(0.5, 2e3, 6), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(logarithmic(1e-6, 1e6, 4), [1e-6, 1e-2, 1e2, 1e6]);
    }

    #[test]
    fn labels_show_what_the_step_needs() {
        assert_eq!(label(0.2, 0.1), "0.2");
        assert_eq!(label(-0.25, 0.05), "−0.25");
        assert_eq!(label(-0.0, 0.5), "0.0");
        assert_eq!(label(20000.0, 5000.0), "20\u{2009}000");
        assert_eq!(label(1500.0, 500.0), "1500");
        assert_eq!(power_of_ten(-12), "10⁻¹²");
    }

    #[test]
    fn prefixes_bring_numbers_between_one_and_a_thousand() {
        assert_eq!(si_prefix(0.0123), ("m", 1e-3));
        assert_eq!(si_prefix(1e-3), ("m", 1e-3));
        assert_eq!(si_prefix(1234.0), ("k", 1e3));
        assert_eq!(si_prefix(0.0), ("", 1.0));
        assert_eq!(si_prefix(1e-20), ("p", 1e-12));
    }
}
