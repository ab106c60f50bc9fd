//! Dates as they stand between two scrapes: ISO 8601, `date`, an HTTP header, seconds since 1970.

use crate::units::UnixTime;

/// A date in a line of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dated {
    /// When.
    pub at: UnixTime,
    /// Whether the line says the offset from UTC; taken for UTC where it does not.
    pub zoned: bool,
}

/// The date that a line holds, if a date is what it is about: `Sat Nov 29 10:00:00 UTC 2025`,
/// `--- 2025-11-29T10:00:00+01:00 ---`, `Date: Sat, 29 Nov 2025 10:00:00 GMT`, `1764410400`.
pub(super) fn dated(line: &str) -> Option<Dated> {
    let text = line.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    epoch(text).or_else(|| iso(text)).or_else(|| words(text))
}

/// Seconds, milliseconds or nanoseconds since 1970, told by their size.
fn epoch(text: &str) -> Option<Dated> {
    let number = text.rsplit([' ', '=', ':', '@']).next()?;
    let (whole, _) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let divisor = match whole.len() {
        10 => 1.0,
        13 => 1e3,
        16 => 1e6,
        19 => 1e9,
        _ => return None,
    };
    let value: f64 = digits(number).then(|| number.parse().ok())??;
    Some(Dated { at: UnixTime::from_secs(value / divisor), zoned: true })
}

/// The first ISO 8601 date with a time in the text.
fn iso(text: &str) -> Option<Dated> {
    let starts = text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
    starts.take(64).find_map(|at| {
        let rest = text.get(at..)?;
        let (date, rest) = rest.split_at_checked(10)?;
        let mut parts = date.split(['-', '/']);
        let mut next = || parts.next()?.parse::<i64>().ok();
        let (year, month, day) = (next()?, next()?, next()?);
        let clock = rest.strip_prefix(['T', 't', ' ', '_'])?;
        let (seconds, rest) = clock_seconds(clock)?;
        let offset = offset(rest);
        let days = days(year, month, day)?;
        let at = days as f64 * 86_400.0 + seconds - offset.unwrap_or(0.0);
        Some(Dated { at: UnixTime::from_secs(at), zoned: offset.is_some() })
    })
}

/// A date in English words: what `date` prints and what HTTP and mail headers hold.
fn words(text: &str) -> Option<Dated> {
    let months =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| {
        word.get(..3).is_some_and(|head| months.contains(&head.to_ascii_lowercase().as_str()))
            && word.len() <= 9
            && word.bytes().all(|b| b.is_ascii_alphabetic())
    })?;
    let head = words.get(at)?.get(..3)?.to_ascii_lowercase();
    let month = months.iter().position(|known| *known == head)? as i64 + 1;
    let near = |at: usize| words.get(at)?.parse::<i64>().ok().filter(|day| (1..=31).contains(day));
    let day = near(at + 1).or_else(|| near(at.checked_sub(1)?))?;
    let year = words.iter().filter(|word| word.len() == 4).find_map(|word| word.parse().ok())?;
    let (clock, seconds, rest) = words.iter().enumerate().find_map(|(at, word)| {
        let (seconds, rest) = clock_seconds(word).filter(|_| word.contains(':'))?;
        Some((at, seconds, rest))
    })?;
    let half = match words.get(clock + 1).map(|word| word.to_ascii_lowercase()).as_deref() {
        Some("pm") if seconds < 12.0 * 3600.0 => 12.0 * 3600.0,
        Some("am") if seconds >= 12.0 * 3600.0 => -12.0 * 3600.0,
        _ => 0.0,
    };
    let offset = offset(rest).or_else(|| words.iter().skip(clock + 1).find_map(|w| offset(w)));
    let days = days(year, month, day)?;
    let at = days as f64 * 86_400.0 + seconds + half - offset.unwrap_or(0.0);
    Some(Dated { at: UnixTime::from_secs(at), zoned: offset.is_some() })
}

/// `10:00:01.5` in seconds, and what follows.
fn clock_seconds(text: &str) -> Option<(f64, &str)> {
    let clock = |b: u8| b.is_ascii_digit() || matches!(b, b':' | b'.' | b',');
    let length = text.bytes().position(|b| !clock(b)).unwrap_or(text.len());
    let (clock, rest) = text.split_at_checked(length)?;
    let mut parts = clock.split(':');
    let hours: f64 = parts.next()?.parse().ok()?;
    let minutes: f64 = parts.next()?.parse().ok()?;
    let seconds: f64 = parts.next().map_or(Some(0.0), |s| s.replace(',', ".").parse().ok())?;
    let sane = hours < 24.0 && minutes < 60.0 && seconds < 61.0;
    sane.then_some((hours * 3600.0 + minutes * 60.0 + seconds, rest))
}

/// Seconds east of UTC, where the text says the offset.
fn offset(text: &str) -> Option<f64> {
    let text = text.trim();
    if ["z", "utc", "gmt"].iter().any(|zone| text.eq_ignore_ascii_case(zone))
        || text.get(..1).is_some_and(|z| z == "Z")
    {
        return Some(0.0);
    }
    let (sign, rest) = match text.strip_prefix('+') {
        Some(rest) => (1.0, rest),
        None => (-1.0, text.strip_prefix('-')?),
    };
    let digits: String = rest.chars().filter(char::is_ascii_digit).take(4).collect();
    let hours: f64 = digits.get(..2)?.parse().ok()?;
    let minutes: f64 =
        digits.get(2..).filter(|m| !m.is_empty()).map_or(Ok(0.0), str::parse).ok()?;
    (hours <= 15.0).then_some(sign * (hours * 3600.0 + minutes * 60.0))
}

/// Days from 1970-01-01 to a date of the Gregorian calendar (Howard Hinnant, “chrono-Compatible
/// Low-Level Date Algorithms”, `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let sane = (1970..2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !sane {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let of_era = year - era * 400;
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_moment_in_many_spellings() {
        let zoned = [
            "1764410400",
            "1764410400.000",
            "1764410400000",
            "time=1764410400",
            "2025-11-29T10:00:00Z",
            "--- 2025-11-29 11:00:00+01:00 ---",
            "=== scrape at 2025-11-29T05:30:00-0430 ===",
            "Sat Nov 29 10:00:00 UTC 2025",
            "Sat 29 Nov 2025 10:00:00 AM UTC",
            "Date: Sat, 29 Nov 2025 10:00:00 GMT",
        ];
        for line in zoned {
            let want = Dated { at: UnixTime::from_secs(1_764_410_400.0), zoned: true };
            assert_eq!(dated(line), Some(want), "{line}");
        }
        for line in ["2025-11-29 10:00:00", "Sat Nov 29 10:00:00 CET 2025"] {
            let want = Dated { at: UnixTime::from_secs(1_764_410_400.0), zoned: false };
            assert_eq!(dated(line), Some(want), "{line}");
        }
    }

    #[test]
    fn other_lines_are_no_dates() {
        for line in ["", "...", "vllm: 12", "May be 12:00", "2025-13-40T10:00:00Z", "99:99:99", "é"]
        {
            assert_eq!(dated(line), None, "{line}");
        }
    }
}
