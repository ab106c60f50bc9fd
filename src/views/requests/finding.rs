//! What there is to say first, and which of the usual numbers would have shown it.

use super::lanes::words;
use super::{Shown, Worked};
use crate::metrics::{Stall, Timeline, Value};
use crate::model::{Metric, Outcome, Stat};
use crate::units::{fixed, significant};
use crate::views::labels::trimmed;
use crate::views::numbers::count;
use serde::{Deserialize, Serialize};

/// One of the usual numbers, held against the longest stall.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Shows {
    /// “TPOT p50”.
    pub name: String,
    /// Its value; a dash where it can't be had.
    pub value: String,
    /// Its unit.
    pub unit: String,
    /// “hides it”, “shows it”; why it can't be had; empty where there is nothing to hide.
    pub said: String,
    /// Whether it shows the stall.
    pub shows: bool,
}

/// A stall as it is listed and stepped through.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StallRow {
    /// From when, in seconds after the first send.
    pub from: f64,
    /// Until when.
    pub to: f64,
    /// “stall 1.52 s · 1 request · 21 others went on”.
    pub words: String,
    /// The request that paused longest in it, by its number from 0.
    pub request: usize,
}

/// A number shows a stall from this share of its length on.
const SHOWN: f64 = 0.5;

/// The numbers of the strip.
const NUMBERS: [(Metric, Stat); 3] =
    [(Metric::Tpot, Stat::Median), (Metric::Itl, Stat::Percentile(99.0)), (Metric::Itl, Stat::Max)];

pub(super) fn strip(shown: &Shown<'_>, worked: &Worked) -> Vec<Shows> {
    let longest = longest(worked).map(|stall| stall.longest.as_millis());
    let one = |(metric, stat): (Metric, Stat)| {
        let name = match stat {
            Stat::Median => format!("{} p50", metric.name()),
            stat => format!("{} {}", metric.name(), stat.name()),
        };
        let unit = metric.unit().symbol().to_owned();
        match shown.own.value(metric, stat) {
            Value::Exact(value) | Value::Reported(value) => {
                let shows_it = longest.is_some_and(|longest| value >= SHOWN * longest);
                let said = match longest {
                    None => "",
                    Some(_) if shows_it => "shows it",
                    Some(_) => "hides it",
                };
                Shows {
                    name,
                    value: significant(value, 3),
                    unit,
                    said: said.to_owned(),
                    shows: shows_it,
                }
            }
            Value::AtLeast(value) => Shows {
                name,
                value: format!("≥ {}", significant(value, 3)),
                unit,
                ..Shows::default()
            },
            Value::AtMost(value) => Shows {
                name,
                value: format!("≤ {}", significant(value, 3)),
                unit,
                ..Shows::default()
            },
            Value::Between(low, high) => Shows {
                name,
                value: format!("{} to {}", significant(low, 3), significant(high, 3)),
                unit,
                ..Shows::default()
            },
            Value::Missing(reason) => {
                Shows { name, value: "—".to_owned(), unit, said: reason, shows: false }
            }
        }
    };
    NUMBERS.into_iter().map(one).collect()
}

/// The longest stall.
fn longest(worked: &Worked) -> Option<&Stall> {
    worked.stalls.as_ref().ok()?.longest()
}

/// Whether neither TPOT p50 nor ITL p99 shows the longest stall. Read off the rows as they are, so that
/// title and strip say the same.
fn hidden(strip: &[Shows]) -> bool {
    strip.iter().take(2).all(|one| one.said == "hides it")
}

/// The title of the screen: the longest stall, or what else there is.
pub(super) fn title(worked: &Worked, line: Option<&Timeline>, strip: &[Shows]) -> String {
    let Ok(stalls) = &worked.stalls else { return plain(worked, line, None) };
    let Some(stall) = stalls.longest() else {
        let gaps = worked.table.gap.iter().flatten().copied().reduce(f64::max);
        return plain(worked, line, gaps);
    };
    let long = significant(stall.longest.as_secs(), 3);
    let who = match stall.rows.len() {
        1 => "One answer stood still".to_owned(),
        n if stall.together => format!("{} answers stood still together", fixed(n as f64, 0)),
        n => format!("{} answers stood still at a time", fixed(n as f64, 0)),
    };
    let others = match stalls.found - 1 {
        0 => String::new(),
        1 => ", and there is another stall".to_owned(),
        n => format!(", the longest of {} stalls", fixed(n as f64 + 1.0, 0)),
    };
    if hidden(strip) {
        let joint = if others.is_empty() {
            ", and the usual numbers hide it"
        } else {
            "; the usual numbers hide it"
        };
        format!("{who} for {long} s{others}{joint}")
    } else {
        format!("{who} for {long} s{others}")
    }
}

/// A title without a stall.
fn plain(worked: &Worked, line: Option<&Timeline>, longest_gap: Option<f64>) -> String {
    let table = &worked.table;
    let kept = || table.outcome.iter().zip(&table.kept).filter(|(_, kept)| **kept);
    let failed = kept().filter(|(outcome, _)| **outcome == Outcome::Failed).count();
    let all = count(kept().count(), "request");
    let mut said = match line {
        Some(line) => format!(
            "{all} in {} s, at most {} in flight",
            trimmed(line.length.as_secs()),
            fixed(line.peak, 0)
        ),
        None => all,
    };
    if failed > 0 {
        said = format!("{said}, {} failed", fixed(failed as f64, 0));
    }
    match (&worked.stalls, longest_gap) {
        (Ok(_), Some(gap)) => format!(
            "No answer stood still: the longest gap is {} ms. {said}",
            significant(gap * 1e3, 3)
        ),
        _ => said,
    }
}

pub(super) fn stall_rows(worked: &Worked) -> Vec<StallRow> {
    let Ok(stalls) = &worked.stalls else { return Vec::new() };
    let row = |stall: &Stall| {
        let own = stalls.pauses.iter().filter(|pause| {
            stall.rows.binary_search(&pause.row).is_ok()
                && pause.from.as_secs() < stall.to.as_secs()
                && pause.to.as_secs() > stall.from.as_secs()
        });
        let longest = own.max_by(|a, b| a.length().as_secs().total_cmp(&b.length().as_secs()));
        StallRow {
            from: stall.from.as_secs(),
            to: stall.to.as_secs(),
            words: words(stall),
            request: longest.map_or_else(|| stall.rows.first().copied().unwrap_or(0), |p| p.row),
        }
    };
    stalls.list.iter().map(row).collect()
}
