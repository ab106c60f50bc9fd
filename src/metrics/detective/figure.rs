//! A number as somebody wrote it: its digits, how far it may be off, and its unit where one was written.

use crate::metrics::agreement::half_last_digit;
use crate::model::{Metric, ReportedValue};
use crate::units::Unit;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Relative difference that floating arithmetic alone can make between two programs.
const ARITHMETIC: f64 = 1e-6;
/// Relative difference up to which a number of many digits is taken as the same one.
const SAME: f64 = 1e-9;

/// A unit that a number can be written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrittenUnit {
    /// Nanoseconds.
    Nanos,
    /// Microseconds.
    Micros,
    /// Milliseconds.
    Millis,
    /// Seconds.
    Secs,
    /// Tokens per second.
    TokensPerSecond,
    /// Requests per second.
    RequestsPerSecond,
    /// Tokens.
    Tokens,
    /// Requests.
    Requests,
    /// Hundredths.
    Percent,
}

impl WrittenUnit {
    /// How each unit may be written; the first of its spellings is the one that is shown.
    const SPELLINGS: [(&'static str, Self); 30] = [
        ("ns", Self::Nanos),
        ("µs", Self::Micros),
        ("μs", Self::Micros),
        ("us", Self::Micros),
        ("ms", Self::Millis),
        ("msec", Self::Millis),
        ("millis", Self::Millis),
        ("milliseconds", Self::Millis),
        ("s", Self::Secs),
        ("sec", Self::Secs),
        ("secs", Self::Secs),
        ("seconds", Self::Secs),
        ("tok/s", Self::TokensPerSecond),
        ("tokens/s", Self::TokensPerSecond),
        ("token/s", Self::TokensPerSecond),
        ("t/s", Self::TokensPerSecond),
        ("tps", Self::TokensPerSecond),
        ("tok/s/user", Self::TokensPerSecond),
        ("tokens/sec", Self::TokensPerSecond),
        ("req/s", Self::RequestsPerSecond),
        ("requests/s", Self::RequestsPerSecond),
        ("requests/sec", Self::RequestsPerSecond),
        ("rps", Self::RequestsPerSecond),
        ("tokens", Self::Tokens),
        ("tok", Self::Tokens),
        ("token", Self::Tokens),
        ("requests", Self::Requests),
        ("req", Self::Requests),
        ("%", Self::Percent),
        ("percent", Self::Percent),
    ];

    /// The unit of this spelling.
    fn of(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        Self::SPELLINGS.iter().find(|(spelling, _)| *spelling == word).map(|(_, unit)| *unit)
    }

    /// The sign that is shown.
    pub fn symbol(self) -> &'static str {
        Self::SPELLINGS.iter().find(|(_, unit)| *unit == self).map_or("", |(sign, _)| sign)
    }
}

/// Why a text is no number with a unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// No number at its beginning.
    #[error("“{0}” is no number; expected one with or without a unit, such as 23.4ms")]
    Number(String),
    /// An unknown unit behind it.
    #[error(
        "“{0}” is no unit that is known here; expected ms, s, µs, ns, tok/s, req/s, tokens, requests or %"
    )]
    Unit(String),
}

/// A number as it was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The text.
    pub text: String,
    /// The number, in the unit it was written with.
    pub number: f64,
    /// Half a unit of its last digit: what a true value may be off.
    pub half: f64,
    /// Significant digits.
    pub digits: usize,
    /// The unit, where one was written.
    pub unit: Option<WrittenUnit>,
}

/// The number read in the unit of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Target {
    /// In the metric's unit.
    pub value: f64,
    /// Half a unit of the last digit, likewise.
    half: f64,
    /// The factor from the number to `value`.
    pub scale: f64,
}

/// How well a value meets a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It is the number, without any rounding.
    Whole,
    /// Rounded to the digits of the number.
    Digits,
    /// As far as two programs' arithmetic may differ.
    Arithmetic,
}

impl Target {
    /// How far from `value` a fitting number can be.
    pub(super) fn reach(&self) -> f64 {
        self.half.max(ARITHMETIC * self.value.abs())
    }

    /// Whether `value` is this number, and how well.
    pub(super) fn fit(&self, value: f64) -> Option<Fit> {
        let off = (value - self.value).abs();
        if off <= SAME * self.value.abs() {
            Some(Fit::Whole)
        } else if off <= self.half * (1.0 + SAME) {
            // The half of a last digit is not a float: a hair more.
            Some(Fit::Digits)
        } else {
            (off <= ARITHMETIC * self.value.abs()).then_some(Fit::Arithmetic)
        }
    }
}

impl Figure {
    /// A number that a tool printed, with the digits and the unit of its file.
    pub fn printed(reported: &ReportedValue) -> Self {
        let number = reported.value / reported.scale;
        let half = half_last_digit(reported) / reported.scale;
        let unit = match (reported.metric.unit(), reported.scale) {
            (Unit::Millis, 1e3) | (Unit::Secs, 1.0) => Some(WrittenUnit::Secs),
            (Unit::Millis, 1.0) | (Unit::Secs, 1e-3) => Some(WrittenUnit::Millis),
            (Unit::Millis, 1e-3) => Some(WrittenUnit::Micros),
            (Unit::Millis, 1e-6) => Some(WrittenUnit::Nanos),
            (Unit::TokensPerSecond, 1.0) => Some(WrittenUnit::TokensPerSecond),
            (Unit::RequestsPerSecond, 1.0) => Some(WrittenUnit::RequestsPerSecond),
            (Unit::Tokens, 1.0) => Some(WrittenUnit::Tokens),
            (Unit::Requests, 1.0) => Some(WrittenUnit::Requests),
            (Unit::Share, 0.01) => Some(WrittenUnit::Percent),
            _ => None,
        };
        let written = rounded(number);
        let digits = digits(&written);
        let text = match unit {
            Some(WrittenUnit::Percent) => format!("{written} %"),
            Some(unit) => format!("{written} {}", unit.symbol()),
            None => written,
        };
        Self { text, number, half, digits, unit }
    }

    /// Whether a value in the unit of `metric` is this number as it is written.
    pub fn is(&self, metric: Metric, value: f64) -> bool {
        self.targets(metric).iter().any(|target| target.fit(value).is_some())
    }

    /// The number in the unit of `metric`, in each way that makes sense, the likeliest first.
    pub(super) fn targets(&self, metric: Metric) -> Vec<Target> {
        let large = |from: f64| self.number.abs() >= from;
        let scales: &[f64] =
            match (metric.unit(), self.unit) {
                (Unit::Millis, None) if large(1e6) => &[1.0, 1e3, 1e-3, 1e-6],
                (Unit::Millis, None) if large(1e3) => &[1.0, 1e3, 1e-3],
                (Unit::Millis, None) => &[1.0, 1e3],
                (Unit::Secs, None) => &[1.0, 1e-3],
                (Unit::Millis, Some(WrittenUnit::Secs)) => &[1e3],
                (Unit::Secs, Some(WrittenUnit::Millis))
                | (Unit::Millis, Some(WrittenUnit::Micros)) => &[1e-3],
                (Unit::Secs, Some(WrittenUnit::Micros))
                | (Unit::Millis, Some(WrittenUnit::Nanos)) => &[1e-6],
                (Unit::Secs, Some(WrittenUnit::Nanos)) => &[1e-9],
                (Unit::Millis, Some(WrittenUnit::Millis))
                | (Unit::Secs, Some(WrittenUnit::Secs))
                | (Unit::TokensPerSecond, None | Some(WrittenUnit::TokensPerSecond))
                | (Unit::RequestsPerSecond, None | Some(WrittenUnit::RequestsPerSecond))
                | (Unit::Tokens, None | Some(WrittenUnit::Tokens))
                | (Unit::Requests, None | Some(WrittenUnit::Requests))
                | (Unit::Watts | Unit::Joules, None) => &[1.0],
                (Unit::Share, Some(WrittenUnit::Percent)) => &[0.01],
                (Unit::Share, None) => &[1.0, 0.01],
                _ => &[],
            };
        let read = |scale: &f64| Target {
            value: self.number * scale,
            half: self.half * scale,
            scale: *scale,
        };
        scales.iter().map(read).collect()
    }
}

/// The shortest decimal form with at most fifteen digits: bringing a figure to ms and back may have moved
/// the seventeenth.
fn rounded(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    rounded.to_string()
}

/// Significant digits of a written number: without its exponent and without leading zeros.
fn digits(written: &str) -> usize {
    let mantissa = written.split(['e', 'E']).next().unwrap_or(written);
    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    all.trim_start_matches('0').len().max(1)
}

/// Takes commas as what they are: between groups of three, or in place of the point.
fn without_commas(text: &str) -> String {
    let mut parts = text.split(',');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let whole = |part: &str| part.split('.').next().unwrap_or_default().len() == 3;
    match rest.as_slice() {
        [] => text.to_owned(),
        [part] if !whole(part) && !text.contains('.') => format!("{first}.{part}"),
        _ => text.replace(',', ""),
    }
}

impl FromStr for Figure {
    type Err = FigureError;

    /// Reads `23.4ms`, `0.0234`, `1,234.5 tok/s`, `23,4 ms`, `97 %`.
    fn from_str(text: &str) -> Result<Self, FigureError> {
        let spaceless: String =
            text.chars().filter(|c| !c.is_whitespace()).collect::<String>().replace('−', "-");
        let number_end = |text: &str| {
            let mut end = 0;
            for (at, sign) in text.char_indices() {
                let before = text.get(..at).and_then(|t| t.chars().next_back());
                let exponent = matches!(sign, 'e' | 'E')
                    && text.get(at + 1..).is_some_and(|rest| {
                        rest.trim_start_matches(['+', '-'])
                            .starts_with(|c: char| c.is_ascii_digit())
                    });
                let sign_ok = matches!(sign, '+' | '-') && matches!(before, None | Some('e' | 'E'));
                if sign.is_ascii_digit() || matches!(sign, '.' | ',') || exponent || sign_ok {
                    end = at + sign.len_utf8();
                } else {
                    break;
                }
            }
            end
        };
        let (number, unit) = spaceless.split_at(number_end(&spaceless));
        let number = without_commas(number);
        let value: f64 = number
            .parse()
            .ok()
            .filter(|v: &f64| v.is_finite())
            .ok_or_else(|| FigureError::Number(text.trim().to_owned()))?;
        let unit = match unit {
            "" => None,
            word => Some(WrittenUnit::of(word).ok_or_else(|| FigureError::Unit(word.to_owned()))?),
        };
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((&number, "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
        let power = exponent.parse::<i32>().unwrap_or(0).saturating_sub(decimals);
        let half = 0.5 * 10_f64.powi(power);
        Ok(Self {
            text: text.trim().to_owned(),
            number: value,
            half,
            digits: digits(&number),
            unit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (f64, f64, usize, Option<WrittenUnit>) {
        let figure: Figure = text.parse().unwrap();
        (figure.number, figure.half, figure.digits, figure.unit)
    }

    #[test]
    fn numbers_are_read_with_their_digits_and_unit() {
        assert_eq!(read("23.4ms"), (23.4, 0.05, 3, Some(WrittenUnit::Millis)));
        assert_eq!(read("23.40 ms"), (23.4, 0.005, 4, Some(WrittenUnit::Millis)));
        assert_eq!(read(" 0.0234 "), (0.0234, 0.000_05, 3, None));
        assert_eq!(read("1,234.5 tok/s"), (1234.5, 0.05, 5, Some(WrittenUnit::TokensPerSecond)));
        assert_eq!(read("1,234"), (1234.0, 0.5, 4, None));
        assert_eq!(read("23,4 ms"), (23.4, 0.05, 3, Some(WrittenUnit::Millis)));
        assert_eq!(read("97 %"), (97.0, 0.5, 2, Some(WrittenUnit::Percent)));
        assert_eq!(read("2.34e-2s"), (0.0234, 0.000_05, 3, Some(WrittenUnit::Secs)));
        assert_eq!(read("12 µs").3, Some(WrittenUnit::Micros));
    }

    #[test]
    fn what_is_no_number_is_said_with_what_would_be_one() {
        assert!(matches!("fast".parse::<Figure>(), Err(FigureError::Number(_))));
        assert!(matches!("".parse::<Figure>(), Err(FigureError::Number(_))));
        assert!(matches!("1.2.3ms".parse::<Figure>(), Err(FigureError::Number(_))));
        assert_eq!("3 kg".parse::<Figure>(), Err(FigureError::Unit("kg".into())));
    }

    #[test]
    fn a_bare_number_may_be_seconds() {
        let values = |text: &str| {
            let figure: Figure = text.parse().unwrap();
            figure.targets(Metric::Tpot).iter().map(|t| (t.value, t.scale)).collect::<Vec<_>>()
        };
        assert_eq!(values("0.0234"), [(0.0234, 1.0), (0.0234 * 1e3, 1e3)]);
        assert_eq!(values("23.4ms"), [(23.4, 1.0)]);
        assert!(values("23.4 tok/s").is_empty());
    }

    #[test]
    fn a_value_fits_within_half_the_last_digit() {
        let figure: Figure = "23.4ms".parse().unwrap();
        let target = figure.targets(Metric::Tpot)[0];
        assert_eq!(target.fit(23.4), Some(Fit::Whole));
        assert_eq!(target.fit(23.45), Some(Fit::Digits));
        assert_eq!(target.fit(23.46), None);
        let figure: Figure = "23.412345678912 ms".parse().unwrap();
        let target = figure.targets(Metric::Tpot)[0];
        assert_eq!(target.fit(23.412_345_678_913), Some(Fit::Whole));
        assert_eq!(target.fit(23.412_346), Some(Fit::Arithmetic));
        assert_eq!(target.fit(23.412_4), None);
    }
}
