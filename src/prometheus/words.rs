//! Numbers as the sentences say them.

use crate::units::{fixed, significant};

/// Seconds in the unit that reads best: “68 µs”, “18.4 ms”, “2.02 s”.
pub(crate) fn time(secs: f64) -> String {
    match secs.abs() {
        s if s < 1e-12 => "0 s".to_owned(),
        s if s < 1e-3 => format!("{} µs", significant(secs * 1e6, 3)),
        s if s < 1.0 => format!("{} ms", significant(secs * 1e3, 3)),
        _ => format!("{} s", significant(secs, 3)),
    }
}

/// A count: whole where it is whole.
pub(crate) fn number(value: f64) -> String {
    if value.fract().abs() < 1e-9 { fixed(value, 0) } else { significant(value, 4) }
}

/// A count with its noun: “1 request”, “61 requests”.
pub(crate) fn counted(value: f64, one: &str, many: &str) -> String {
    let is_one = (value - 1.0).abs() < 1e-9;
    format!("{} {}", number(value), if is_one { one } else { many })
}

/// A share as percent: “67 %”; small ones keep a digit.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 99.9 && percent < 100.0 {
        return "over 99.9 %".to_owned();
    }
    if (percent > 0.0 && percent < 1.0) || (percent > 99.0 && percent < 100.0) {
        return format!("{} %", fixed(percent, 1));
    }
    format!("{} %", fixed(percent, 0))
}
