//! Repeats of one measurement: each run's number and what all say together.

use super::compare::shown;
use super::labels::trimmed;
use super::measure::{Measurement, is_run_level, selected};
use super::numbers::{count, decimals};
use super::slo::limits_in_words;
use super::{Context, groups};
use crate::metrics::{Repeated, Subject, Support, Together, Value, repeated, stamp};
use crate::model::{Metric, Run, Stat};
use crate::stats::Interval;
use crate::units::{fixed, significant};
use serde::{Deserialize, Serialize};

/// All selected runs, where they are repeats of one another; no row where they are not.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RepeatsView {
    /// "3 repeats of one measurement".
    pub title: String,
    /// How the columns are to be read.
    pub note: String,
    /// The runs, in the order of the table.
    pub runs: Vec<String>,
    /// One row a metric.
    pub rows: Vec<RepeatsRow>,
}

/// One metric over repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepeatsRow {
    /// "TTFT mean".
    pub name: String,
    /// Definition and unit.
    pub stamp: String,
    /// Each run's number.
    pub each: Vec<String>,
    /// "84.2 ± 0.6", "140 pooled", or a dash.
    pub together: String,
    /// The interval or range, or why there is no number for all.
    pub spread: String,
}

/// The metrics of the card.
const SHOWN: [Metric; 8] = [
    Metric::Ttft,
    Metric::Tpot,
    Metric::Itl,
    Metric::E2e,
    Metric::OutputThroughput,
    Metric::RequestThroughput,
    Metric::SloShare,
    Metric::Goodput,
];

/// The card of repeats, if all selected runs are repeats of one measurement.
pub fn repeats(all: &[&Run], context: &Context) -> Option<RepeatsView> {
    let runs = selected(all, context);
    let plain: Vec<&Run> = runs.iter().map(|run| run.run).collect();
    let found = groups::repeats(&plain);
    if !found.iter().any(|set| set.len() == runs.len()) {
        return None;
    }
    let subjects: Vec<Subject<'_>> = runs.iter().map(Measurement::subject).collect();
    let limited = !context.limits.is_empty();
    let wanted = |metric: &Metric| limited || !matches!(metric, Metric::SloShare | Metric::Goodput);
    let rows: Vec<RepeatsRow> = SHOWN
        .into_iter()
        .filter(wanted)
        .filter_map(|metric| {
            let stat = if is_run_level(metric) { Stat::Value } else { context.stat };
            row(metric, stat, &runs, repeated(&subjects, metric, stat))
        })
        .collect();
    let goodput = if limited {
        format!(" Goodput under {}.", limits_in_words(&context.limits))
    } else {
        String::new()
    };
    Some(RepeatsView {
        title: format!("{} of one measurement", count(runs.len(), "repeat")),
        note: format!(
            "Means and rates: the median of the runs ± its median absolute deviation. Percentiles: of \
             the requests of all runs together, never an average of percentiles.{goodput}"
        ),
        runs: runs.iter().map(|run| run.name.clone()).collect(),
        rows,
    })
}

fn row(
    metric: Metric,
    stat: Stat,
    runs: &[Measurement<'_>],
    found: Repeated,
) -> Option<RepeatsRow> {
    if found.each.iter().all(|value| matches!(value, Value::Missing(_))) {
        return None;
    }
    let known: Vec<f64> = found.each.iter().filter_map(Value::number).collect();
    let places = decimals(&known.iter().map(|v| shown(metric, *v)).collect::<Vec<_>>());
    let text = |value: f64| fixed(shown(metric, value), places);
    let unit = metric.unit().symbol();
    let between =
        |interval: Interval| format!("{} to {} {unit}", text(interval.low), text(interval.high));
    let (together, spread) = match found.together {
        Together::OverRuns(all) => {
            let deviation = shown(metric, all.mad);
            let deviation = if deviation > 0.0 { significant(deviation, 2) } else { text(0.0) };
            let spread = match all.interval {
                Some(interval) => format!("95 % t interval of the mean {}", between(interval)),
                None => format!("range {}; an interval takes three runs", between(all.range)),
            };
            (format!("{} ± {deviation}", text(all.median)), spread)
        }
        Together::Pooled(pooled) => {
            let n = fixed(pooled.summary.n as f64, 0);
            let value = pooled.summary.stat(stat)?;
            let p = match stat {
                Stat::Percentile(p) => p,
                _ => 50.0,
            };
            let quantile = pooled.summary.quantile(p);
            let weak = quantile.is_some_and(|q| q.support != Support::Plain);
            let spread = match pooled.interval {
                Ok((interval, method)) => {
                    format!("95 % interval {}, {}", between(interval), method.words())
                }
                Err(because) => format!("no interval: {because}"),
            };
            let about = if weak { "≈ " } else { "" };
            (format!("{about}{} pooled", text(value)), format!("n = {n}; {spread}"))
        }
        Together::Refused(because) => ("—".to_owned(), because),
    };
    let settings = &runs.first()?.settings;
    let name = match stat {
        Stat::Value => metric.name().to_owned(),
        stat => format!("{} {}", metric.name(), stat.name()),
    };
    Some(RepeatsRow {
        name,
        stamp: format!("{} · {unit}", stamp(metric, settings)),
        each: found
            .each
            .iter()
            .map(|value| match value {
                Value::Between(low, high) => format!("{} to {}", text(*low), text(*high)),
                value => value.number().map_or_else(|| "—".to_owned(), text),
            })
            .collect(),
        together,
        spread,
    })
}

/// "output 687 ± 3 tok/s": what the heading of a group of repeats says.
pub(super) fn headline(runs: &[&Run]) -> Option<String> {
    let found: Vec<f64> = runs
        .iter()
        .map(|run| run.reported.value(Metric::OutputThroughput))
        .collect::<Option<_>>()?;
    let center = crate::stats::median(&found)?;
    let mad = crate::stats::mad(&found, center)?;
    Some(format!(
        "output {} ± {} tok/s as printed, median ± MAD of {}",
        significant(center, 3),
        trimmed(mad.round()),
        count(found.len(), "repeat")
    ))
}
