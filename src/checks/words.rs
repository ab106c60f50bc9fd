//! Numbers as the findings say them.

use crate::units::{fixed, significant};

/// Seconds as milliseconds to three digits: "18.4 ms".
pub(super) fn millis(secs: f64) -> String {
    format!("{} ms", significant(secs * 1e3, 3))
}

/// A count that may be no whole number and may be beyond what a float counts to: “60”, “1,198”, “1.000e300”.
pub(super) fn whole(count: f64) -> String {
    fixed(count, 0)
}

/// A share as percent: "67 %".
pub(super) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 1.0 {
        return format!("{} %", significant(percent, 1));
    }
    format!("{} %", whole(percent))
}

/// A count with its word in the right number: "1 request", "2 requests".
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
