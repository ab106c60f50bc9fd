//! Units as types: seconds, tokens, requests, and rates of them.
//!
//! Knows the arithmetic that makes sense between units and how each is printed. Must not know runs,
//! tools or browsers. No type here has `From<f64>`: every constructor says its unit.

use serde::{Deserialize, Serialize};
use std::ops::{Add, Sub};

/// A quantity that a column can hold: a float with a unit. Raw access is for `model::pack` and
/// `stats`, which are blind to units on purpose; everything else uses the named constructors.
pub trait Quantity: Copy {
    /// The unit's name in packed headers.
    const NAME: &'static str;
    /// The bare number in the unit's base.
    fn raw(self) -> f64;
    /// Puts a bare number of the unit's base back into its type.
    fn from_raw(value: f64) -> Self;
}

impl Quantity for Seconds {
    const NAME: &'static str = "seconds";
    fn raw(self) -> f64 {
        self.0
    }
    fn from_raw(value: f64) -> Self {
        Self(value)
    }
}

impl Quantity for Tokens {
    const NAME: &'static str = "tokens";
    fn raw(self) -> f64 {
        self.0
    }
    fn from_raw(value: f64) -> Self {
        Self(value)
    }
}

impl Quantity for Turn {
    const NAME: &'static str = "turn";
    fn raw(self) -> f64 {
        self.0
    }
    fn from_raw(value: f64) -> Self {
        Self(value)
    }
}

/// A span of time, held in seconds. Never a date: see [`UnixTime`].
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seconds(f64);

impl Seconds {
    /// No time at all.
    pub const ZERO: Self = Self(0.0);

    /// A span given in seconds.
    pub const fn from_secs(value: f64) -> Self {
        Self(value)
    }
    /// A span given in milliseconds.
    pub fn from_millis(value: f64) -> Self {
        Self(value / 1e3)
    }
    /// A span given in microseconds.
    pub fn from_micros(value: f64) -> Self {
        Self(value / 1e6)
    }
    /// A span given in nanoseconds.
    pub fn from_nanos(value: f64) -> Self {
        Self(value / 1e9)
    }
    /// The span in seconds.
    pub const fn as_secs(self) -> f64 {
        self.0
    }
    /// The span in milliseconds.
    pub fn as_millis(self) -> f64 {
        self.0 * 1e3
    }
}

impl Add for Seconds {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Seconds {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// A number of tokens. A float since some tools print fractional totals.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tokens(f64);

impl Tokens {
    /// A count of tokens.
    pub const fn from_count(value: f64) -> Self {
        Self(value)
    }
    /// The count.
    pub const fn count(self) -> f64 {
        self.0
    }
}

/// The place of a request in its conversation: the first is turn 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Turn(f64);

impl Turn {
    /// The n-th turn, counted from 1.
    pub const fn nth(value: f64) -> Self {
        Self(value)
    }
    /// Which turn, counted from 1.
    pub const fn number(self) -> f64 {
        self.0
    }
}

/// A date and time, in seconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixTime(f64);

impl UnixTime {
    /// A date given in seconds since 1970-01-01T00:00:00Z.
    pub const fn from_secs(value: f64) -> Self {
        Self(value)
    }
    /// Seconds since 1970-01-01T00:00:00Z.
    pub const fn as_secs(self) -> f64 {
        self.0
    }
}

/// The unit of a shown number. `Millis` is how every latency is shown, whatever the file used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Milliseconds.
    Millis,
    /// Seconds.
    Secs,
    /// Tokens.
    Tokens,
    /// Requests.
    Requests,
    /// Requests per second.
    RequestsPerSecond,
    /// Tokens per second.
    TokensPerSecond,
    /// A share from 0 to 1, shown in percent.
    Share,
    /// Watts.
    Watts,
    /// Joules.
    Joules,
}

impl Unit {
    /// The symbol as printed beside a number and in JSON.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Millis => "ms",
            Self::Secs => "s",
            Self::Tokens => "tokens",
            Self::Requests => "requests",
            Self::RequestsPerSecond => "req/s",
            Self::TokensPerSecond => "tok/s",
            Self::Share => "%",
            Self::Watts => "W",
            Self::Joules => "J",
        }
    }
}

/// Numbers of more places than this, before or after the point, are written with a power of ten.
const PLAIN: i32 = 12;

/// Prints `value` with `digits` significant digits, comma-grouped, and a true minus sign.
///
/// The house rule is three digits; callers ask for more (up to five) to tell two shown values apart.
/// Integers of up to `digits` + 2 places are printed whole, never rounded to trailing zeros.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return if value > 0.0 { "∞".into() } else { "−".into() };
    }
    let magnitude = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    if !(-PLAIN..=PLAIN).contains(&magnitude) {
        return scientific(value, digits);
    }
    let decimals = (digits as i32 - 1 - magnitude).max(0) as usize;
    // Rounding can carry into a new digit (9.996 -> 10.00): format once to see, then settle.
    let rounded: f64 = format!("{:.*}", decimals, value.abs()).parse().unwrap_or(value.abs());
    let carried = if rounded == 0.0 { 0 } else { rounded.log10().floor() as i32 };
    let decimals = if rounded == 0.0 { 0 } else { (digits as i32 - 1 - carried).max(0) as usize };
    fixed(value, decimals)
}

/// From here on a float no longer holds every integer (2^53 is 9.007 × 10^15): digits that would be printed
/// are not in it.
const EXACT: f64 = 1e15;

/// `value` as digits and a power of ten: `1.00e300`.
fn scientific(value: f64, digits: usize) -> String {
    format!("{value:.*e}", digits.saturating_sub(1)).replace('-', "−")
}

/// Prints `value` with a fixed number of decimals, comma-grouped, and a true minus sign; what is too large to
/// be known to the unit with a power of ten.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return if value > 0.0 { "∞".into() } else { "−".into() };
    }
    if value.abs() >= EXACT {
        return scientific(value, 4);
    }
    let text = format!("{:.*}", decimals, value.abs());
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(w, f)| (w, f));
    let mut out = String::new();
    let zero = text.chars().all(|c| matches!(c, '0' | '.'));
    if value < 0.0 && !zero {
        out.push('−');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A sentence, a heading or a name in the middle of a sentence: its first letter is small, unless it is of a
/// short name such as TTFT.
pub fn within_sentence(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// Prints a byte count in kB, MB or GB (powers of ten).
pub fn bytes(count: u64) -> String {
    let value = count as f64;
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{} kB", significant(value / 1e3, 3)),
        1_000_000..1_000_000_000 => format!("{} MB", significant(value / 1e6, 3)),
        _ => format!("{} GB", significant(value / 1e9, 3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_keep_their_capitals_within_a_sentence() {
        for (text, want) in [
            ("TTFT may stop", "TTFT may stop"),
            ("The count", "the count"),
            ("A gap", "a gap"),
            ("E2E", "E2E"),
            ("6 replies", "6 replies"),
            ("", ""),
        ] {
            assert_eq!(within_sentence(text), want);
        }
    }

    #[test]
    fn no_number_is_printed_to_digits_that_it_does_not_hold() {
        assert_eq!(fixed(1e300, 2), "1.000e300");
        assert_eq!(fixed(-1e15, 0), "−1.000e15");
        assert_eq!(fixed(999_999_999_999_999.0, 0), "999,999,999,999,999");
        for power in -320..=308 {
            let value: f64 = format!("1.2345e{power}").parse().unwrap();
            for text in [fixed(value, 2), significant(value, 3), significant(-value, 5)] {
                assert!(text.chars().count() < 25, "{text}");
            }
        }
    }

    #[test]
    fn three_digits_with_grouping_and_true_minus() {
        let cases = [
            (0.0, "0"),
            (13.5269, "13.5"),
            (9.996, "10.0"),
            (0.001_234, "0.00123"),
            (-3.5, "−3.50"),
            (687.839, "688"),
            (1234.5, "1,234"),
            (1_234_567.0, "1,234,567"),
            (f64::INFINITY, "∞"),
            (0.000_000_000_003_879, "0.00000000000388"),
            (0.000_000_000_000_003_879, "3.88e−15"),
            (-1.5e300, "−1.50e300"),
        ];
        for (value, want) in cases {
            assert_eq!(significant(value, 3), want, "{value}");
        }
    }

    #[test]
    fn a_negative_that_rounds_to_zero_has_no_sign() {
        assert_eq!(fixed(-0.001, 1), "0.0");
    }

    #[test]
    fn bytes_use_powers_of_ten() {
        assert_eq!(bytes(47_367), "47.4 kB");
        assert_eq!(bytes(999), "999 B");
    }
}
