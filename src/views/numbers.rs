//! Digits: as many as tell two shown values apart, the same along a row.

use crate::units::{fixed, significant};

/// Decimals for values that stand beside each other: three significant digits of the middle one, and
/// up to five where two different values are closer than half a step of the last digit.
pub(super) fn decimals(values: &[f64]) -> usize {
    let mut sizes: Vec<f64> =
        values.iter().map(|v| v.abs()).filter(|v| v.is_finite() && *v > 0.0).collect();
    sizes.sort_by(f64::total_cmp);
    let Some(middle) = sizes.get(sizes.len() / 2) else { return 0 };
    let magnitude = middle.log10().floor() as i32;
    let at = |digits: i32| (digits - 1 - magnitude).max(0) as usize;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let alike = |decimals: usize| {
        sorted.windows(2).any(|pair| match pair {
            [a, b] => {
                let step = 10f64.powi(-(decimals as i32));
                (b - a).abs() > 1e-4 * b.abs() && (b - a).abs() < 0.5 * step
            }
            _ => false,
        })
    };
    (3..=5).map(at).find(|decimals| !alike(*decimals)).unwrap_or_else(|| at(5))
}

/// A value as the tool printed it, cut to four significant digits for reading.
pub(super) fn printed(value: f64) -> String {
    if value.abs() >= 1000.0 { fixed(value, 0) } else { significant(value, 4) }
}

/// A rate or share of goodput: none at all is 0.0, so that it is not read as "no limit set".
pub(super) fn rate(value: f64, digits: usize) -> String {
    if value.abs() > 0.0 { significant(value, digits) } else { "0.0".to_owned() }
}

/// Every digit, plain: for the clipboard and the card.
pub(super) fn full(value: f64) -> String {
    format!("{value}")
}

/// A relative difference in words: "−1.5 %", and "× 2.4" from twofold on.
pub(super) fn relative(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 100.0 {
        signed(percent, 1, " %")
    } else {
        format!("× {}", significant(ratio, 2))
    }
}

/// A signed number with a suffix: "+10.0 pp", "0.0 %" without a sign.
pub(super) fn signed(value: f64, decimals: usize, suffix: &str) -> String {
    let text = fixed(value, decimals);
    let zero = text.chars().all(|c| matches!(c, '0' | '.'));
    let plus = if value > 0.0 && !zero { "+" } else { "" };
    format!("{plus}{text}{suffix}")
}

/// A count with its noun: "1 request", "3 requests".
pub fn count(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", fixed(number as f64, 0), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_digits_as_tell_two_values_apart() {
        assert_eq!(decimals(&[80.123, 77.352, 78.921]), 1);
        assert_eq!(
            decimals(&[13.526, 13.560, 13.859]),
            2,
            "13.5 and 13.6 would show a third of it as all"
        );
        assert_eq!(decimals(&[10.86, 10.85]), 2);
        assert_eq!(decimals(&[687.8, 597.3]), 0);
        assert_eq!(decimals(&[]), 0);
        assert_eq!(decimals(&[5.0, 5.0]), 2, "equal values are not to be told apart");
    }

    #[test]
    fn differences_carry_their_sign() {
        assert_eq!(relative(0.985), "−1.5 %");
        assert_eq!(relative(1.0), "0.0 %");
        assert_eq!(relative(2.76), "× 2.8");
        assert_eq!(signed(10.0, 1, " pp"), "+10.0 pp");
        assert_eq!(count(1, "request"), "1 request");
        assert_eq!(count(1200, "gap"), "1,200 gaps");
    }
}
