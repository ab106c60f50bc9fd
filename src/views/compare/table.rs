//! The rows of the comparison: value, difference, reported value, own words.

use super::goodput::{further_goodput, goodput_card};
use super::{
    Cell, CellDifference, CellReported, CellValue, INTERVAL, Reading, Row, RowGroup, Sign,
};
use crate::metrics::settings::Window;
use crate::metrics::{
    Agreement, Clear, Difference, Measured, Quantile, Subject, Summary, Support, Value, Verdict,
    difference_of, differing_for, hint, long_stamp, stamp,
};
use crate::model::{Metric, Stat};
use crate::stats::Resampling;
use crate::units::{Unit, fixed, significant};
use crate::views::measure::{Measurement, is_run_level};
use crate::views::numbers::{self, count, decimals, full, relative, signed};
use crate::views::slo::limits_in_words;
use crate::views::{Context, Ruler, detective};

/// Groups of metrics in the order of the screen: id, title, hint, metrics.
const GROUPS: [(&str, &str, &str, &[Metric]); 5] = [
    (
        "user",
        "Speed seen by a user",
        "lower is better",
        &[
            Metric::Ttft,
            Metric::FirstAnswer,
            Metric::Tpot,
            Metric::Itl,
            Metric::E2e,
            Metric::WholePerToken,
        ],
    ),
    (
        "server",
        "Server speed",
        "higher is better",
        &[Metric::OutputThroughput, Metric::RequestThroughput, Metric::TotalThroughput],
    ),
    ("goodput", "Goodput", "higher is better", &[Metric::SloShare, Metric::Goodput]),
    ("power", "Power", "as the tool read it", &[Metric::AcceleratorPower, Metric::Energy]),
    (
        "load",
        "Load and lengths",
        "neither end is better",
        &[Metric::MeanConcurrency, Metric::InputTokens, Metric::OutputTokens, Metric::Duration],
    ),
];

/// All groups of rows. Goodput needs limits; without any its group is left out.
pub(super) fn groups(
    runs: &[Measurement<'_>],
    subjects: &[Subject<'_>],
    context: &Context,
) -> Vec<RowGroup> {
    GROUPS
        .iter()
        .filter(|(id, ..)| *id != "goodput" || !context.limits.is_empty())
        .filter_map(|group| {
            let wanted = |metric: &&Metric| is_wanted(**metric, runs);
            let metrics: Vec<Metric> = group.3.iter().filter(wanted).copied().collect();
            (!metrics.is_empty()).then_some((group, metrics))
        })
        .map(|((id, title, hint, _), metrics)| RowGroup {
            id: (*id).to_owned(),
            title: if *id == "goodput" {
                format!("Goodput: {}", limits_in_words(&context.limits))
            } else {
                (*title).to_owned()
            },
            hint: (*hint).to_owned(),
            rows: metrics
                .iter()
                .map(|metric| row(*metric, runs, subjects, context))
                .chain(
                    (*id == "goodput")
                        .then(|| further_goodput(runs, context))
                        .into_iter()
                        .flatten(),
                )
                .collect(),
        })
        .collect()
}

/// Whether a metric has a row: the usual ones always, the others where a tool printed them.
fn is_wanted(metric: Metric, runs: &[Measurement<'_>]) -> bool {
    let usual = !matches!(
        metric,
        Metric::FirstAnswer | Metric::WholePerToken | Metric::AcceleratorPower | Metric::Energy
    );
    usual || runs.iter().any(|run| run.run.reported.values.iter().any(|v| v.metric == metric))
}

/// The factor from a metric's own unit to the one it is shown in: shares are shown in percent.
pub(in crate::views) fn shown(metric: Metric, value: f64) -> f64 {
    if metric.unit() == Unit::Share { value * 100.0 } else { value }
}

fn row(
    metric: Metric,
    runs: &[Measurement<'_>],
    subjects: &[Subject<'_>],
    context: &Context,
) -> Row {
    let stat = if is_run_level(metric) { Stat::Value } else { context.stat };
    let values: Vec<Value> = runs.iter().map(|run| run.value(metric, stat)).collect();
    let mut numbers = Vec::new();
    for value in &values {
        match value {
            Value::Between(low, high) => {
                numbers.extend([shown(metric, *low), shown(metric, *high)]);
            }
            other => numbers.extend(other.number().map(|v| shown(metric, v))),
        }
    }
    // No goodput at all is 0.0: a bare 0 looks like a value that was never set.
    let none = matches!(metric, Metric::Goodput | Metric::SloShare)
        && numbers.iter().any(|v| v.abs() <= 0.0);
    let places = decimals(&numbers).max(usize::from(none));
    let differences: Vec<Option<Difference>> = subjects
        .iter()
        .enumerate()
        .map(|(at, subject)| {
            let baseline = subjects.first().filter(|_| at > 0 && context.ruler != Ruler::Own)?;
            Some(difference_of(baseline, subject, metric, stat))
        })
        .collect();
    let scale = bar_scale(&differences);
    let cells = runs
        .iter()
        .zip(values)
        .zip(&differences)
        .enumerate()
        .map(|(at, ((run, value), difference))| {
            let because = run.measured(metric).and_then(Measured::because).unwrap_or_default();
            let mut value = cell_value(metric, &value, places, because);
            let quantile = quantile(run, metric, stat);
            if let CellValue::Plain { weak, extreme, .. } = &mut value {
                *weak = quantile.is_some_and(|(_, q)| q.support != Support::Plain);
                *extreme = quantile.is_some_and(|(_, q)| q.support == Support::IsMax);
            }
            let (shown_difference, no_difference) = match difference {
                Some(found) => {
                    cell_difference(metric, found, &value, context.compare_anyway, scale)
                }
                None => (None, None),
            };
            Cell {
                difference: shown_difference,
                no_difference,
                reported: reported(run, metric, stat),
                own_words: own_words(run, metric, context),
                support: quantile.and_then(|(summary, q)| support_note(summary, q)),
                card: card(run, subjects.get(at), metric, stat, difference.as_ref()),
                value,
            }
        })
        .collect();
    let settings = runs.first().map_or(crate::metrics::COMMON.settings, |run| run.settings);
    let mixed = context.ruler == Ruler::Own;
    Row {
        metric,
        name: metric.name().to_owned(),
        stamp: if mixed {
            format!("as each tool defines it · {}", metric.unit().symbol())
        } else {
            format!("{} · {}", stamp(metric, &settings), metric.unit().symbol())
        },
        definition: if mixed {
            "Each column under the definition of the tool that wrote it; the columns can’t be \
             subtracted."
                .to_owned()
        } else {
            long_stamp(metric, &settings)
        },
        cells,
        highlighted: false,
    }
}

fn cell_value(metric: Metric, value: &Value, places: usize, because: &str) -> CellValue {
    let text = |v: f64| fixed(shown(metric, v), places);
    match value {
        Value::Exact(v) => CellValue::Plain {
            text: text(*v),
            full: full(shown(metric, *v)),
            weak: false,
            extreme: false,
        },
        Value::AtLeast(v) => bound(format!("≥ {}", text(*v)), shown(metric, *v), because),
        Value::AtMost(v) => bound(format!("≤ {}", text(*v)), shown(metric, *v), because),
        Value::Between(low, high) => CellValue::Bound {
            text: format!("{} to {}", text(*low), text(*high)),
            full: format!("{} to {}", full(shown(metric, *low)), full(shown(metric, *high))),
            because: because.to_owned(),
        },
        Value::Reported(v) => CellValue::Reported {
            text: text(*v),
            full: full(shown(metric, *v)),
            because: because.to_owned(),
        },
        Value::Missing(because) => CellValue::Missing { because: because.clone() },
    }
}

/// The percentile that a cell shows, with the samples that it is one of.
fn quantile<'a>(
    run: &'a Measurement<'_>,
    metric: Metric,
    stat: Stat,
) -> Option<(&'a Summary, &'a Quantile)> {
    let p = match stat {
        Stat::Percentile(p) => p,
        Stat::Median => 50.0,
        _ => return None,
    };
    let summary = run.measured(metric)?.summary()?;
    Some((summary, summary.quantile(p)?))
}

/// What stands below a number on which fewer than five samples lie beyond.
fn support_note(summary: &Summary, quantile: &Quantile) -> Option<String> {
    let upper = quantile.p >= 50.0;
    let n = fixed(summary.n as f64, 0);
    match quantile.support {
        Support::Plain | Support::Weak => None,
        Support::Few => {
            let side = if upper { "above" } else { "below" };
            Some(format!("{} of {n} {side}", quantile.beyond))
        }
        Support::IsMax => {
            Some(format!("the {} of {n}", if upper { "largest" } else { "smallest" }))
        }
    }
}

fn bound(text: String, value: f64, because: &str) -> CellValue {
    CellValue::Bound { text, full: full(value), because: because.to_owned() }
}

/// The largest interval end of a row, so that all its bars share one scale.
fn bar_scale(differences: &[Option<Difference>]) -> f64 {
    differences
        .iter()
        .flatten()
        .filter_map(|d| d.interval)
        .flat_map(|i| [i.low.abs(), i.high.abs()])
        .fold(0.0, f64::max)
}

fn cell_difference(
    metric: Metric,
    found: &Difference,
    value: &CellValue,
    anyway: bool,
    scale: f64,
) -> (Option<CellDifference>, Option<String>) {
    if let Clear::NotComparable(reason) = &found.clear
        && !anyway
    {
        return (None, Some(reason.clone()));
    }
    let Some(absolute) = found.absolute.number() else { return (None, None) };
    let share = metric.unit() == Unit::Share;
    let text = if share {
        signed(absolute * 100.0, 1, " pp")
    } else if let Some(ratio) = found.relative {
        relative(1.0 + ratio)
    } else {
        // Without a quotient it is the difference itself, in the metric's unit.
        let places = decimals(&[absolute]).max(1);
        signed(absolute, places, &format!(" {}", metric.unit().symbol()))
    };
    let text = match value {
        CellValue::Bound { text: shown, .. } if shown.starts_with('≥') => format!("≥ {text}"),
        CellValue::Bound { text: shown, .. } if shown.starts_with('≤') => format!("≤ {text}"),
        _ => text,
    };
    let bar = found
        .interval
        .filter(|_| scale > 0.0)
        .map(|i| [i.low / scale, absolute / scale, i.high / scale]);
    let unit = if share { "pp" } else { metric.unit().symbol() };
    let interval = found.interval.map(|i| {
        let (low, high) = (shown(metric, i.low), shown(metric, i.high));
        let places = decimals(&[low, high]).max(1);
        format!("{INTERVAL}{} to {} {unit}", signed(low, places, ""), signed(high, places, ""))
    });
    let reading = match found.clear {
        Clear::Better => Reading::Better,
        Clear::Worse => Reading::Worse,
        Clear::NotClear(_) if found.interval.is_some_and(|i| i.low > 0.0 || i.high < 0.0) => {
            Reading::Different
        }
        Clear::NotClear(_) if found.interval.is_some() => Reading::NotClear,
        Clear::TooFew(_) => Reading::TooFew,
        Clear::NotClear(_) | Clear::NotComparable(_) => Reading::Unknown,
    };
    (Some(CellDifference { text, reading, bar, interval }), None)
}

/// What the tool printed for this cell. A printed share may stand under goodput and the other way.
fn reported(run: &Measurement<'_>, metric: Metric, stat: Stat) -> Option<CellReported> {
    let agreement = run.agreement(metric, stat)?;
    let unit = match metric {
        Metric::Goodput => "/s",
        Metric::SloShare => " %",
        _ => "",
    };
    Some(CellReported {
        seek: detective::seek(run.run, agreement),
        sign: sign(agreement),
        text: format!("{}{unit}", numbers::printed(shown(metric, agreement.reported))),
        because: match &agreement.because {
            Some(because) => format!("{}: {because}.", agreement.field),
            None => format!("{}: {}.", agreement.field, sign(agreement).words()),
        },
    })
}

/// The sign of one printed value.
pub(in crate::views) fn sign(agreement: &Agreement) -> Sign {
    match agreement.verdict {
        Verdict::Equal => Sign::Equal,
        Verdict::Close => Sign::Close,
        Verdict::Differs => Sign::Differs,
        Verdict::NotRecomputable => Sign::ReportedOnly,
    }
}

/// The tool's own formula, where it measures this run otherwise than the ruler.
fn own_words(run: &Measurement<'_>, metric: Metric, context: &Context) -> Option<String> {
    if context.ruler == Ruler::Own || !run.run.reported.values.iter().any(|v| v.metric == metric) {
        return None;
    }
    let differing = differing_for(metric, run.run, &run.settings, &run.own);
    // A window of the reader's is named above the table: it departs from every tool's whole run alike, and
    // would hide what else departs.
    let windowed = run.settings.window != Window::Whole;
    let chosen = |id: &str| windowed && matches!(id, "window" | "window-edge" | "duration");
    let first = differing.iter().find(|dimension| !chosen(dimension.id))?;
    let choice = run.own.get(first.id)?;
    let name = match first.id {
        "tpot" | "itl" => metric.name(),
        "end" => "end",
        "first-token" => "first token",
        "percentile" => "percentile",
        "token-count" => "token count",
        "empty-outputs" => "empty replies",
        "goodput-missing" => "goodput without tokens",
        "weighting" => "weight",
        "short-outputs" => "one-token replies",
        "decode-end" => "decode end",
        "clock-start" => "clock start",
        "population" => "requests",
        "spread" => "spread",
        "duration" => "duration",
        "window" => "window",
        "window-edge" => "window edge",
        "user-speed" => "speed",
        _ => first.label,
    };
    Some(format!("its {name}: {}", choice.label))
}

/// The lines behind a cell: samples, support, exclusions, notes, interval, why it is no more.
fn card(
    run: &Measurement<'_>,
    subject: Option<&Subject<'_>>,
    metric: Metric,
    stat: Stat,
    difference: Option<&Difference>,
) -> Vec<String> {
    let mut lines = Vec::new();
    match run.measured(metric) {
        Some(Measured::Summary(summary)) => {
            lines.push(samples_line(metric, summary));
            if let Some((_, quantile)) = quantile(run, metric, stat) {
                let warning = quantile.warning(summary.n, sample_noun(metric, summary));
                lines.push(match warning {
                    Some(warning) if quantile.support == Support::IsMax => {
                        format!("{warning}; it ranks nothing")
                    }
                    Some(warning) => warning,
                    None => format!("{} beyond it", count(quantile.beyond, "sample")),
                });
            }
            if stat == Stat::Std
                && let Some(mad) = summary.mad
            {
                lines.push(format!(
                    "median absolute deviation {} {}: a few far samples don’t move it",
                    significant(mad, 3),
                    metric.unit().symbol()
                ));
            }
            lines.extend(subject.map(|subject| interval_line(subject, metric, stat)));
            lines.extend(summary.note.clone());
            lines.extend(events_line(run, metric));
        }
        Some(
            Measured::Bounds { because, .. }
            | Measured::ScalarBounds { because, .. }
            | Measured::Reported { because, .. }
            | Measured::Unavailable(because),
        ) => lines.push(sentence(because)),
        Some(Measured::Scalar(_)) | None => {}
    }
    if matches!(run.measured(metric), Some(Measured::Unavailable(_) | Measured::Reported { .. })) {
        lines.extend(hint(run.run, metric, &run.settings).map(str::to_owned));
    }
    if matches!(metric, Metric::SloShare | Metric::Goodput) {
        lines.extend(goodput_card(run, metric));
    }
    for left_out in run.evaluation.excluded.iter().filter(|e| e.metric == metric) {
        lines.push(format!("left out: {}, {}", count(left_out.count, "request"), left_out.reason));
    }
    if let Some(because) = difference.and_then(|found| found.no_relative.as_ref()) {
        lines.push(format!("no ratio: {because}"));
    }
    match difference {
        Some(Difference { interval: Some(_), ratio, .. }) => {
            lines.push(match metric {
                Metric::SloShare | Metric::Goodput => {
                    "interval of the difference out of both Wilson intervals (Newcombe)".to_owned()
                }
                _ => format!(
                    "difference by {} resamples of requests, seeded",
                    Resampling::HOUSE.times
                ),
            });
            if let Some((ratio, interval)) = ratio.and_then(|r| Some((r.value, r.interval?))) {
                lines.push(format!(
                    "ratio × {}, 95 % interval {} to {}",
                    significant(ratio, 3),
                    significant(interval.low, 3),
                    significant(interval.high, 3)
                ));
            }
        }
        Some(Difference { clear: Clear::TooFew(because), .. }) => {
            lines.push(format!("too few data for an interval of the difference: {because}"));
        }
        Some(Difference { clear: Clear::NotClear(because), .. }) => {
            lines.push(format!("no interval of the difference: {because}"));
        }
        _ => {}
    }
    lines
}

/// What one sample of a metric is: "requests", "gaps".
pub(in crate::views) fn sample_noun(metric: Metric, summary: &Summary) -> &'static str {
    match metric {
        _ if summary.requests == summary.n => "requests",
        Metric::Itl | Metric::ChunkGap => "gaps",
        _ => "samples",
    }
}

/// "n = 7,000 gaps of 200 requests".
fn samples_line(metric: Metric, summary: &Summary) -> String {
    let n = fixed(summary.n as f64, 0);
    if summary.requests == summary.n {
        return format!("n = {n}");
    }
    let requests = count(summary.requests, "request");
    format!("n = {n} {} of {requests}", sample_noun(metric, summary))
}

/// The interval of one number by itself and how it was found, or why there is none.
pub(in crate::views) fn interval_line(subject: &Subject<'_>, metric: Metric, stat: Stat) -> String {
    match subject.uncertainty(metric, stat) {
        Ok((interval, method)) => {
            let (low, high) = (shown(metric, interval.low), shown(metric, interval.high));
            let places = decimals(&[low, high]);
            format!(
                "95 % interval {} to {} {}, {}",
                fixed(low, places),
                fixed(high, places),
                metric.unit().symbol(),
                method.words()
            )
        }
        Err(because) => format!("no 95 % interval: {because}"),
    }
}

/// How many tokens one gap stands for, where it is not one.
fn events_line(run: &Measurement<'_>, metric: Metric) -> Option<String> {
    let per_event = run.evaluation.events?.tokens_per_event();
    let gaps = metric == Metric::ChunkGap
        || metric == Metric::Itl && run.settings.get("itl").is_some_and(|c| c.id == "event-gap");
    (gaps && per_event >= TOKENS_WORTH_SAYING).then(|| {
        format!(
            "{} tokens per stream event on average: a gap between events is not the time of one token",
            significant(per_event, 2)
        )
    })
}

/// Up to here a stream sends about one token an event.
const TOKENS_WORTH_SAYING: f64 = 1.2;

fn sentence(clause: &str) -> String {
    let mut chars = clause.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}
