//! What samples say, in sentences: findings, shares, two kinds of gaps, answers to what was typed.

use super::DistributionsAsk;
use super::lines::percent_name;
use super::runs::Drawn;
use crate::metrics::{Distribution, long_stamp};
use crate::model::{Metric, Stat};
use crate::stats::wilson;
use crate::units::{fixed, significant};
use crate::views::labels::trimmed;
use crate::views::numbers::decimals;
use crate::views::{Context, Ruler};

/// Medians nearer to each other than this are said to agree.
const AGREE: f64 = 0.05;

/// The values of a percentile of the runs that have one, with as many digits as tell them apart.
fn values(runs: &[&Drawn<'_>], p: f64) -> Vec<(f64, String)> {
    let known: Vec<f64> =
        runs.iter().filter_map(|run| run.mark(p)).map(|mark| mark.value).collect();
    let digits = decimals(&known);
    known.into_iter().map(|value| (value, zero_or(value, digits))).collect()
}

fn zero_or(value: f64, digits: usize) -> String {
    if value.abs() <= 0.0 { "0".to_owned() } else { fixed(value, digits) }
}

/// "29.6, 10.7 and 0 ms", or of more than three from where to where.
fn listed(values: &[(f64, String)], unit: &str) -> Option<String> {
    Some(match values {
        [] => return None,
        [(_, one)] => format!("{one} {unit}"),
        [(_, a), (_, b)] => format!("{a} and {b} {unit}"),
        [(_, a), (_, b), (_, c)] => format!("{a}, {b} and {c} {unit}"),
        more => {
            let low = more.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
            let high = more.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
            if low.1 == high.1 {
                format!("all {} {unit}", low.1)
            } else {
                format!("from {} to {} {unit}", low.1, high.1)
            }
        }
    })
}

/// The finding of an ECDF.
pub(super) fn medians(runs: &[&Drawn<'_>], metric: Metric) -> String {
    let unit = metric.unit().symbol();
    let halves = values(runs, 50.0);
    if let ([run], [(_, half)]) = (runs, halves.as_slice()) {
        let noun = run.noun();
        let tail = values(runs, 99.0);
        let tail = tail
            .first()
            .map_or_else(String::new, |(_, tail)| format!(", 99 % at most {tail} {unit}"));
        return format!("{}: half of the {noun} at most {half} {unit}{tail}", metric.name());
    }
    listed(&halves, unit).map_or_else(
        || format!("{} of {} runs", metric.name(), runs.len()),
        |listed| format!("{} medians: {listed}", metric.name()),
    )
}

/// The finding of the tail.
pub(super) fn tails(runs: &[&Drawn<'_>], metric: Metric) -> String {
    let unit = metric.unit().symbol();
    let all = values(runs, 99.0);
    let ends = (
        all.iter().min_by(|a, b| a.0.total_cmp(&b.0)),
        all.iter().max_by(|a, b| a.0.total_cmp(&b.0)),
    );
    match ends {
        (Some(low), Some(high)) if low.1 != high.1 => {
            format!("The tail: p99 from {} to {} {unit}", low.1, high.1)
        }
        (Some(one), _) => format!("The tail: p99 {} {unit}", one.1),
        _ => format!("The tail of {}", metric.name()),
    }
}

/// The finding of runs on one ruler.
pub(super) fn agree(runs: &[&Drawn<'_>], metric: Metric) -> String {
    let unit = metric.unit().symbol();
    let all = values(runs, 50.0);
    let low = all.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let high = all.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    match (low, high) {
        (Some(low), Some(high)) if low.0 > 0.0 && high.0 / low.0 - 1.0 <= AGREE => {
            let apart = ((high.0 / low.0 - 1.0) * 100.0).ceil().max(1.0);
            format!("On one ruler medians agree within {} %", fixed(apart, 0))
        }
        (Some(low), Some(high)) => {
            format!("On one ruler medians go from {} to {} {unit}", low.1, high.1)
        }
        _ => "On one ruler".to_owned(),
    }
}

/// The definition of what is drawn.
pub(super) fn stamp(runs: &[&Drawn<'_>], context: &Context, metric: Metric) -> String {
    let definition = match runs.first() {
        Some(_) if context.ruler == Ruler::Own && runs.len() > 1 => {
            "each run in its own tool’s words".to_owned()
        }
        Some(run) => long_stamp(metric, &run.measured.settings),
        None => String::new(),
    };
    let counts: Vec<usize> = runs.iter().filter_map(|run| Some(run.samples()?.n)).collect();
    let n = |n: usize| fixed(n as f64, 0);
    let support = match (counts.iter().min(), counts.iter().max()) {
        (Some(low), Some(high)) if low == high => format!(" · n {}", n(*low)),
        (Some(low), Some(high)) => format!(" · n {} to {}", n(*low), n(*high)),
        _ => String::new(),
    };
    format!("{} · {definition}{support}", metric.name())
}

/// One sentence a run, for who can’t see the picture.
pub(super) fn summary(runs: &[&Drawn<'_>], metric: Metric) -> String {
    let unit = metric.unit().symbol();
    let one = |run: &&Drawn<'_>| {
        let marks: Vec<String> = [50.0, 90.0, 99.0]
            .into_iter()
            .filter_map(|p| {
                let mark = run.mark(p)?;
                Some(format!("{} {} {unit}", percent_name(p), significant(mark.value, 3)))
            })
            .collect();
        let n = run.samples().map_or_else(
            || "as printed".to_owned(),
            |samples| format!("{} {}", fixed(samples.n as f64, 0), run.noun()),
        );
        format!("{}: {n}, {}.", run.name(), marks.join(", "))
    };
    runs.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// "55.0 % (1,671 of 3,041 gaps)"; without the count where samples weigh differently.
pub(super) fn share(weight: f64, samples: &Distribution, noun: &str) -> String {
    let percent = percent(weight / samples.total);
    if samples.weighted {
        return format!("{percent} of the weight");
    }
    let [weight, all] = [weight, samples.total].map(|count| fixed(count, 0));
    format!("{percent} ({weight} of {all} {noun})")
}

/// A share in percent; what is not all and not nothing is not rounded to it.
fn percent(share: f64) -> String {
    let digits = (1..6)
        .find(|digits| {
            let step = 10_f64.powi(*digits + 2);
            let rounded = (share * step).round() / step;
            share <= 0.0 || share >= 1.0 || (rounded > 0.0 && rounded < 1.0)
        })
        .unwrap_or(6);
    format!("{} %", fixed(share * 100.0, usize::try_from(digits).unwrap_or(1)))
}

/// What of the samples has no place on the axes, and which of the marks stand on little.
pub(super) fn notes(runs: &[&Drawn<'_>], ask: &DistributionsAsk) -> Vec<String> {
    let mut notes = Vec::new();
    for run in runs {
        let Some(samples) = run.samples() else {
            notes.push(format!(
                "{}: this file has no single requests. Hollow marks are the percentiles that it prints.{}",
                run.name(),
                run.remedy()
            ));
            continue;
        };
        if samples.zeros > 0 {
            let [zeros, n] = [samples.zeros, samples.n].map(|count| fixed(count as f64, 0));
            notes.push(format!("{}: {zeros} of {n} {} are 0.", run.name(), run.noun()));
        }
        let below = samples.steps.iter().take_while(|step| step.value < 0.0).last();
        if let Some(step) = below.filter(|_| ask.is_log()) {
            notes.push(format!(
                "{}: {} lie below 0 and have no place on a log axis.",
                run.name(),
                share(step.reached, samples, run.noun())
            ));
        }
        let asked =
            ask.quantile.filter(|q| [50.0, 90.0, 99.0].iter().all(|p| (p - q).abs() > 1e-9));
        let warnings = [99.0].into_iter().chain(asked).filter_map(|p| run.mark(p)?.warning);
        notes.extend(warnings.map(|warning| format!("{}: {warning}.", run.name())));
        if samples.n > samples.requests
            && run.mark(50.0).is_some_and(|mark| mark.interval.is_none())
        {
            notes.push(format!(
                "{}: no intervals over so many {}; Compare has them.",
                run.name(),
                run.noun()
            ));
        }
    }
    notes
}

/// "67.0 % of the gaps are at most 1 ms, the others lie around 30 ms", where samples are of two kinds.
fn two_kinds(run: &Drawn<'_>, metric: Metric) -> Option<String> {
    let samples = run.samples()?;
    let split = samples.split()?;
    let at = run.subject().at_or_under(metric, &[split.at]).ok()?.first().copied()?;
    let unit = metric.unit().symbol();
    Some(format!(
        "{} of the {} are at most {} {unit}, the others lie around {} {unit}",
        percent(at / samples.total),
        run.noun(),
        trimmed(split.at),
        significant(split.slow, 3)
    ))
}

/// The finding of a histogram of one run with samples of two kinds.
pub(super) fn kinds(runs: &[&Drawn<'_>], metric: Metric) -> Option<String> {
    let [run] = runs else { return None };
    two_kinds(run, metric)
}

/// What to know of the samples beside the charts.
pub(super) fn said(runs: &[&Drawn<'_>], ask: &DistributionsAsk) -> Vec<String> {
    let gaps = matches!(ask.metric(), Metric::Itl | Metric::ChunkGap);
    let why = if gaps { ": events come in bursts" } else { "" };
    runs.iter()
        .filter_map(|run| Some(format!("{}: {}{why}.", run.name(), two_kinds(run, ask.metric())?)))
        .collect()
}

/// Answers to what was typed: the value of a percentile, the share under a value.
pub(super) fn answers(runs: &[&Drawn<'_>], ask: &DistributionsAsk) -> Vec<String> {
    let unit = ask.metric().unit().symbol();
    let mut answers = Vec::new();
    if let Some(p) = ask.quantile {
        answers.extend(runs.iter().map(|run| {
            let Some(mark) = run.mark(p) else {
                let because = match run.samples() {
                    Some(_) => match run.measured.value(ask.metric(), Stat::Percentile(p)) {
                        crate::metrics::Value::Missing(because) => because,
                        _ => "not known exactly".to_owned(),
                    },
                    None => "the tool did not print it, and the file has no single requests".into(),
                };
                return format!(
                    "{}: no {}, {}.",
                    run.name(),
                    percent_name(p),
                    because.trim_end_matches('.')
                );
            };
            let about = if mark.weak && run.samples().is_some() { "≈ " } else { "" };
            let interval = mark.interval.map_or_else(String::new, |interval| {
                let [low, high] = [interval.low, interval.high].map(|end| significant(end, 3));
                format!(", 95 % interval {low} to {high} {unit}")
            });
            let value = significant(mark.value, 4);
            format!("{}: {} is {about}{value} {unit}{interval}.", run.name(), percent_name(p))
        }));
    }
    if let Some(value) = ask.value {
        answers.extend(runs.iter().map(|run| under(run, ask, value)));
    }
    answers
}

/// "vLLM: 97.2 % (1,164 of 1,198 gaps) are at most 50 ms."
fn under(run: &Drawn<'_>, ask: &DistributionsAsk, value: f64) -> String {
    let limit = format!("{} {}", trimmed(value), ask.metric().unit().symbol());
    let Some(samples) = run.samples() else {
        // Between two printed percentiles the share lies between theirs.
        let below = run.printed.iter().rev().find(|printed| printed.1 <= value).map(|p| p.0);
        let above = run.printed.iter().find(|printed| printed.1 > value).map(|p| p.0);
        let between = match (below, above) {
            (Some(low), Some(high)) => format!("between {} and {} %", trimmed(low), trimmed(high)),
            (Some(low), None) => format!("at least {} %", trimmed(low)),
            (None, Some(high)) => format!("at most {} %", trimmed(high)),
            (None, None) => "an unknown share".to_owned(),
        };
        return format!(
            "{}: {between} are at most {limit}, by the printed percentiles.",
            run.name()
        );
    };
    let reached = run.subject().at_or_under(ask.metric(), &[value]);
    let reached = match reached.as_ref().map(|all| all.first()) {
        Ok(Some(reached)) => *reached,
        Ok(None) => return String::new(),
        Err(because) => return format!("{}: {because}.", run.name()),
    };
    let each = !samples.weighted && samples.n == samples.requests;
    let interval = if each { wilson(reached, samples.total) } else { None };
    let interval = interval.map_or_else(String::new, |interval| {
        let [low, high] = [interval.low, interval.high].map(|end| fixed(end * 100.0, 1));
        format!(", 95 % interval {low} to {high} %")
    });
    format!(
        "{}: {} are at most {limit}{interval}.",
        run.name(),
        share(reached, samples, run.noun())
    )
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn more_than_three_values_are_told_by_their_ends_and_equal_ones_once() {
        let of = |values: &[f64]| {
            let texts: Vec<(f64, String)> = values.iter().map(|v| (*v, format!("{v}"))).collect();
            listed(&texts, "ms").unwrap()
        };
        assert_eq!(of(&[3.0, 1.0]), "3 and 1 ms");
        assert_eq!(of(&[3.0, 1.0, 2.0, 9.0]), "from 1 to 9 ms");
        assert_eq!(of(&[5.0; 4]), "all 5 ms");
    }
}
