//! The finding: what the reader should know first, computed.

use crate::charts::RulerStrip;
use crate::charts::spec::RulerMark;
use crate::metrics::{Clear, Subject, difference_of, stamp};
use crate::model::{Metric, Run, Stat};
use crate::units::{fixed, significant};
use crate::views::compare::several::several_differ;
use crate::views::groups::groups;
use crate::views::labels::load_value;
use crate::views::library::peak;
use crate::views::measure::Measurement;
use crate::views::numbers::{count, decimals, printed, relative};
use crate::views::{Context, Ruler};

/// How far two printed numbers must be apart before rulers are worth a headline.
pub(super) const PRINTED_RATIO: f64 = 1.15;
/// How near the same two must be on one ruler.
pub(super) const SAME_RATIO: f64 = 1.08;

/// The headline, its cause, and the picture beside it.
#[derive(Debug, Default)]
pub(super) struct Finding {
    pub headline: String,
    pub detail: String,
    pub metric: Option<Metric>,
    pub strip: Option<RulerStrip>,
}

/// Finds the most important thing to say about the selected runs.
pub(super) fn finding(
    runs: &[Measurement<'_>],
    subjects: &[Subject<'_>],
    context: &Context,
) -> Finding {
    match runs {
        [] => Finding::default(),
        [one] => alone(one),
        _ => one_sweep(runs, context)
            .or_else(|| several_differ(runs, context))
            .or_else(|| rulers_differ(runs, subjects, context))
            .or_else(|| runs_differ(runs, subjects, context))
            .unwrap_or_else(|| nothing_clear(runs, subjects, context)),
    }
}

fn alone(run: &Measurement<'_>) -> Finding {
    let (equal, of) = run.reproduced();
    let counts = &run.evaluation.counts;
    let headline = if counts.recorded {
        format!("{}: {}", run.name, count(counts.sent, "request"))
    } else {
        run.name.clone()
    };
    let reproduced = if of == 0 {
        "The file holds aggregates only, shown as the tool printed them".to_owned()
    } else {
        format!("{equal} of {of} printed values come out again from the recorded requests")
    };
    Finding {
        headline,
        detail: format!("{reproduced}. Add a second run to see differences."),
        ..Finding::default()
    }
}

/// The loads of one sweep: what matters is where goodput peaks, or how latency grows.
fn one_sweep(runs: &[Measurement<'_>], context: &Context) -> Option<Finding> {
    let all: Vec<&Run> = runs.iter().map(|run| run.run).collect();
    let groups = groups(&all);
    let [group] = &groups[..] else { return None };
    let varied = group.varied?;
    let loads: Vec<&Measurement<'_>> =
        group.members.iter().filter_map(|at| runs.get(*at)).collect();
    let (first, last) = (loads.first()?, loads.last()?);
    let tool = first.run.tool.name();
    let (low, high) = (varied.load(first.run)?, varied.load(last.run)?);
    let range = format!("{} to {} {}", load_value(low), load_value(high), varied.unit());
    let ttft = |run: &Measurement<'_>| run.value(Metric::Ttft, context.stat).exact();
    let growth = ttft(first).zip(ttft(last)).filter(|(a, _)| *a > 0.0).map(|(a, b)| {
        let places = decimals(&[a, b]);
        format!(
            "From {range}, {} TTFT goes from {} to {} ms.",
            stat_word(context.stat).to_lowercase(),
            fixed(a, places),
            fixed(b, places)
        )
    });
    let goodputs: Vec<Option<f64>> = loads.iter().map(|run| run.good_per_second()).collect();
    let ordered: Vec<&Run> = loads.iter().map(|run| run.run).collect();
    Some(Finding {
        headline: peak(&goodputs, &ordered, varied)
            .unwrap_or_else(|| format!("{tool}: {}, {range}", count(loads.len(), "load"))),
        detail: growth.unwrap_or_default(),
        ..Finding::default()
    })
}

/// Two tools print far apart what one ruler shows together.
fn rulers_differ(
    runs: &[Measurement<'_>],
    subjects: &[Subject<'_>],
    context: &Context,
) -> Option<Finding> {
    let candidates = [Metric::Itl, Metric::Tpot, Metric::Ttft, Metric::E2e];
    let mut best: Option<(f64, Metric, usize, usize)> = None;
    for metric in candidates {
        let own = |run: &Measurement<'_>| {
            run.run.reported.find(metric, context.stat).map(|v| v.value).filter(|v| *v > 0.0)
        };
        for (a, one) in runs.iter().enumerate() {
            for (b, other) in runs.iter().enumerate().filter(|(b, _)| *b != a) {
                let (Some(large), Some(small)) = (own(one), own(other)) else { continue };
                let (Some(x), Some(y)) = (
                    one.value(metric, context.stat).exact(),
                    other.value(metric, context.stat).exact(),
                ) else {
                    continue;
                };
                let same = (x / y).max(y / x);
                let differs = stamp(metric, &one.own) != stamp(metric, &other.own);
                let ratio = large / small;
                if differs
                    && ratio >= PRINTED_RATIO
                    && same <= SAME_RATIO
                    && best.is_none_or(|(r, ..)| ratio > r)
                {
                    best = Some((ratio, metric, a, b));
                }
            }
        }
    }
    let (ratio, metric, a, b) = best?;
    let (one, other) = (runs.get(a)?, runs.get(b)?);
    let steady = steady_metric(runs, context, metric)
        .map(|m| format!(" at the same {}", m.name()))
        .unwrap_or_default();
    let times = if ratio >= 1.5 {
        format!("{} times the {} of", significant(ratio, 2), metric.name())
    } else {
        format!("{} % more {} than", fixed((ratio - 1.0) * 100.0, 0), metric.name())
    };
    let headline = format!("{} shows {times} {}{steady}", one.name, other.name);
    let cause = format!("{}; {}.", way(one, metric), way(other, metric));
    let clear = difference_of(subjects.get(a)?, subjects.get(b)?, metric, context.stat).clear;
    let on_one = one_ruler([one, other], &clear, metric, context);
    Some(Finding {
        headline,
        detail: format!("{cause} {on_one}"),
        metric: Some(metric),
        strip: strip(runs, metric, context),
    })
}

/// A metric that both tools define alike and that is about equal: the anchor of the headline.
pub(super) fn steady_metric(
    runs: &[Measurement<'_>],
    context: &Context,
    except: Metric,
) -> Option<Metric> {
    [Metric::Tpot, Metric::Ttft].into_iter().filter(|m| *m != except).find(|metric| {
        let values: Vec<f64> =
            runs.iter().filter_map(|r| r.value(*metric, context.stat).exact()).collect();
        let largest = values.iter().copied().fold(f64::MIN, f64::max);
        let smallest = values.iter().copied().fold(f64::MAX, f64::min);
        values.len() == runs.len() && largest / smallest <= SAME_RATIO
    })
}

/// What a tool does for one metric, as half a sentence with its verb.
pub(super) fn way(run: &Measurement<'_>, metric: Metric) -> String {
    let name = &run.name;
    let choice = |dimension: &str| run.own.get(dimension).map_or("", |c| c.id);
    match (metric, choice("itl"), choice("tpot")) {
        (Metric::Itl, "event-gap", _) => format!("{name} counts one gap a stream event"),
        (Metric::Itl, "token-spread", _) => match run.evaluation.events {
            Some(events) => format!(
                "{name} divides each gap by the tokens in its event, {} on average",
                significant(events.tokens_per_event(), 3)
            ),
            None => format!("{name} divides each gap by the tokens in its event"),
        },
        (Metric::Itl, "request-mean", _) => format!("{name} takes one mean a request"),
        (Metric::Itl, "token-zeros", _) => {
            format!("{name} counts zeros between the tokens of one event")
        }
        (Metric::Tpot, _, "after-first") => format!("{name} leaves the first token out"),
        (Metric::Tpot, _, "whole-over-n") => {
            format!("{name} divides the whole request by its tokens")
        }
        _ => format!("{name} measures {}", stamp(metric, &run.own)),
    }
}

/// "On one ruler they read 29.6 and 29.1 ms: no clear difference."
fn one_ruler(
    pair: [&Measurement<'_>; 2],
    clear: &Clear,
    metric: Metric,
    context: &Context,
) -> String {
    let values: Vec<f64> =
        pair.iter().filter_map(|r| r.value(metric, context.stat).exact()).collect();
    let [x, y] = values[..] else { return String::new() };
    let places = decimals(&values);
    let clear = match clear {
        Clear::NotClear(_) => "no clear difference",
        Clear::TooFew(_) => "too few data to tell them apart",
        Clear::Better | Clear::Worse => "a clear but small difference",
        Clear::NotComparable(_) => "close together",
    };
    let ruler = if context.ruler == Ruler::default() { "one ruler" } else { "the ruler you chose" };
    format!(
        "On {ruler} they read {} and {} {}: {clear}.",
        fixed(x, places),
        fixed(y, places),
        metric.unit().symbol()
    )
}

/// Both rulers with every run that has a printed value.
pub(super) fn strip(
    runs: &[Measurement<'_>],
    metric: Metric,
    context: &Context,
) -> Option<RulerStrip> {
    let unit = metric.unit().symbol();
    let settings = runs.first()?.settings;
    let bottoms: Vec<f64> =
        runs.iter().filter_map(|r| r.value(metric, context.stat).exact()).collect();
    let places = decimals(&bottoms);
    let marks: Vec<RulerMark> = runs
        .iter()
        .filter_map(|run| {
            let top = run.run.reported.find(metric, context.stat)?.value;
            let bottom = run.value(metric, context.stat).exact();
            Some(RulerMark {
                style: u8::try_from(run.style % 256).unwrap_or(0),
                name: run.name.clone(),
                top,
                bottom,
                top_label: significant(top, 3),
                bottom_label: bottom.map(|v| fixed(v, places)).unwrap_or_default(),
            })
        })
        .collect();
    if marks.len() < 2 {
        return None;
    }
    let said: Vec<String> =
        marks.iter().map(|m| format!("{} prints {} {unit}", m.name, printed(m.top))).collect();
    let on_one: Vec<String> = marks
        .iter()
        .filter_map(|m| m.bottom.map(|_| format!("{} {}", m.name, m.bottom_label)))
        .collect();
    Some(RulerStrip {
        title_top: format!("{} {} as each tool prints it", stat_word(context.stat), metric.name()),
        title_bottom: format!("On one ruler: {}", stamp(metric, &settings)),
        unit: unit.to_owned(),
        summary: format!("{}. On one ruler: {}.", said.join(", "), on_one.join(", ")),
        domain: None,
        marks,
    })
}

/// "Median", "p99", for the start of a line.
pub(in crate::views) fn stat_word(stat: Stat) -> String {
    match stat {
        Stat::Median => "Median".into(),
        Stat::Percentile(p) if (p - 50.0).abs() < 1e-9 => "Median".into(),
        Stat::Mean => "Mean".into(),
        other => other.name(),
    }
}

/// The clearest difference between the baseline and another run.
fn runs_differ(
    runs: &[Measurement<'_>],
    subjects: &[Subject<'_>],
    context: &Context,
) -> Option<Finding> {
    if context.ruler == Ruler::Own {
        return None;
    }
    let (baseline, subject) = (runs.first()?, subjects.first()?);
    let candidates = [
        (Metric::Ttft, context.stat),
        (Metric::Tpot, context.stat),
        (Metric::Itl, context.stat),
        (Metric::E2e, context.stat),
        (Metric::OutputThroughput, Stat::Value),
    ];
    let mut best: Option<(f64, String, Metric)> = None;
    for (run, other) in runs.iter().zip(subjects).skip(1) {
        for (metric, stat) in candidates {
            let found = difference_of(subject, other, metric, stat);
            let better = match found.clear {
                Clear::Better => "better",
                Clear::Worse => "worse",
                Clear::NotClear(_) | Clear::TooFew(_) | Clear::NotComparable(_) => continue,
            };
            let Some(ratio) = found.relative else { continue };
            if best.as_ref().is_some_and(|(largest, ..)| *largest >= ratio.abs()) {
                continue;
            }
            let headline = format!(
                "{} has {} {} than {}: {} ({better})",
                run.name,
                if ratio < 0.0 { "a lower" } else { "a higher" },
                metric.name(),
                baseline.name,
                relative(1.0 + ratio),
            );
            best = Some((ratio.abs(), headline, metric));
        }
    }
    let (_, headline, metric) = best?;
    Some(Finding {
        headline,
        detail: format!(
            "The largest clear difference, {} under {}. A difference whose interval covers zero is grey.",
            stat_word(context.stat).to_lowercase(),
            stamp(metric, &baseline.settings)
        ),
        metric: Some(metric),
        strip: None,
    })
}

fn nothing_clear(runs: &[Measurement<'_>], subjects: &[Subject<'_>], context: &Context) -> Finding {
    let sentence = |headline: String, detail: &str| Finding {
        headline,
        detail: detail.to_owned(),
        ..Finding::default()
    };
    if context.ruler == Ruler::Own {
        return sentence(
            "Each run in its own tool’s words".to_owned(),
            "Columns may hold different sums under one name, so nothing is subtracted.",
        );
    }
    let known = subjects.iter().skip(1).any(|other| {
        subjects.first().is_some_and(|baseline| {
            difference_of(baseline, other, Metric::Ttft, context.stat).interval.is_some()
        })
    });
    if known {
        return sentence(
            format!("No clear difference between {} runs", subjects.len()),
            "Every interval of a difference covers zero, or a difference is withheld for the reason \
             given in its place.",
        );
    }
    let held_back: Vec<&str> =
        runs.iter().filter(|run| run.blocked.is_some()).map(|run| run.name.as_str()).collect();
    if !held_back.is_empty() && held_back.len() + 1 >= runs.len()
        || runs.first().is_some_and(|run| run.blocked.is_some())
    {
        return sentence(
            format!("{} runs side by side", subjects.len()),
            &format!(
                "Nothing is compared with {} until what the checks found there is looked at.",
                held_back.join(" and ")
            ),
        );
    }
    sentence(
        format!("{} runs side by side", subjects.len()),
        "No difference has an interval: the files hold too few requests or none, or the runs differ \
         in what was asked.",
    )
}
