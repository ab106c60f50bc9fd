//! The date and the time, which the core may not ask for.

use js_sys::Date;

/// Today in the reader's zone, as `2026-11-29`.
pub fn today() -> String {
    let now = Date::new_0();
    format!("{:04}-{:02}-{:02}", now.get_full_year(), now.get_month() + 1, now.get_date())
}

/// The time of day in the reader's zone, as `14:03`.
pub fn time_of_day() -> String {
    let now = Date::new_0();
    format!("{:02}:{:02}", now.get_hours(), now.get_minutes())
}

/// Milliseconds since some fixed moment; for spans only.
pub fn millis() -> f64 {
    Date::now()
}
