//! What is different between the runs besides the numbers.

use super::ConfigRow;
use crate::model::{EndRule, FirstTokenRule, GapKind, Metric, Run, Stat};
use crate::units::fixed;
use crate::views::labels;
use crate::views::measure::Measurement;
use crate::views::numbers::decimals;
use std::collections::{BTreeMap, BTreeSet};

/// Settings that say which point of a sweep or which try a run is, not how it was set up.
const POINT_NAMES: [&str; 4] = ["date", "tag", "label", "point"];

/// All rows that could be compared, those that differ, in the order of the screen.
pub(super) struct Config {
    /// Rows in which at least two columns differ.
    pub differing: Vec<ConfigRow>,
    /// How many rows were looked at.
    pub of: usize,
}

/// Lines up what is known of each run's set-up.
pub(super) fn config(runs: &[Measurement<'_>]) -> Config {
    let mut rows: Vec<ConfigRow> = vec![
        text(runs, "Model", |m| m.run.workload.model.clone()),
        text(runs, "Endpoint", |m| m.run.workload.endpoint.clone()),
        lengths(runs, "Output tokens, mean", Metric::OutputTokens, Metric::TotalOutputTokens),
        lengths(runs, "Input tokens, mean", Metric::InputTokens, Metric::TotalInputTokens),
        text(runs, "Requests sent", |m| {
            let counts = m.evaluation.counts;
            counts.recorded.then(|| fixed(counts.sent as f64, 0))
        }),
        text(runs, "Load", |m| Some(labels::load(&m.run.load)).filter(|l| l != "not recorded")),
        text(runs, "Accelerators", |m| m.run.load.gpus.map(|n| n.to_string())),
        text(runs, "Tool", |m| Some(format!("{} {}", m.run.tool.name(), labels::version(m.run)))),
        text(runs, "Dataset", |m| m.run.workload.dataset.clone()),
        text(runs, "Tokenizer", |m| m.run.workload.tokenizer.clone()),
        text(runs, "First token is", |m| {
            m.run.requests.as_ref().map(|r| first_token(r.first_token_rule).to_owned())
        }),
        text(runs, "Its own latency ends at", |m| {
            m.run.requests.as_ref().map(|r| end(r.end_rule).to_owned())
        }),
        text(runs, "One recorded gap is", |m| {
            m.run
                .requests
                .as_ref()
                .filter(|r| !r.gaps.is_absent())
                .map(|r| gap(r.gap_kind).to_owned())
        }),
        text(runs, "Output tokens are", |m| {
            m.run.requests.as_ref().map(|r| r.token_source.words().to_owned())
        }),
    ];
    let mut seen: BTreeSet<&str> = POINT_NAMES.into_iter().collect();
    let settings: Vec<BTreeMap<&str, &str>> = runs.iter().map(|m| settings(m.run)).collect();
    for (name, _) in runs.iter().flat_map(|m| &m.run.workload.settings) {
        if seen.insert(name) {
            let value = |of: &BTreeMap<&str, &str>| of.get(name.as_str()).map(|v| (*v).to_owned());
            let values = settings.iter().map(value).collect();
            rows.push(ConfigRow { name: name.clone(), values });
        }
    }
    rows.retain(|row| row.values.iter().any(Option::is_some));
    let of = rows.len();
    rows.retain(|row| row.values.iter().skip(1).any(|value| Some(value) != row.values.first()));
    Config { differing: rows, of }
}

/// The settings of a run by name; of one that is there twice, the first.
fn settings(run: &Run) -> BTreeMap<&str, &str> {
    let pairs = run.workload.settings.iter().rev();
    pairs.map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn text(
    runs: &[Measurement<'_>],
    name: &str,
    value: impl Fn(&Measurement<'_>) -> Option<String>,
) -> ConfigRow {
    ConfigRow { name: name.to_owned(), values: runs.iter().map(value).collect() }
}

/// Mean length a request: measured, or the printed total over the finished requests.
fn lengths(runs: &[Measurement<'_>], name: &str, metric: Metric, total: Metric) -> ConfigRow {
    let means: Vec<Option<f64>> = runs
        .iter()
        .map(|m| {
            m.value(metric, Stat::Mean).exact().or_else(|| {
                let finished = m.run.reported.value(Metric::Completed).filter(|n| *n > 0.0)?;
                Some(m.run.reported.value(total)? / finished)
            })
        })
        .collect();
    let known: Vec<f64> = means.iter().flatten().copied().collect();
    let places = decimals(&known);
    ConfigRow {
        name: name.to_owned(),
        values: means.into_iter().map(|mean| mean.map(|v| fixed(v, places))).collect(),
    }
}

/// The first-token rule in words.
pub(in crate::views) const fn first_token(rule: FirstTokenRule) -> &'static str {
    match rule {
        FirstTokenRule::FirstEvent => "any stream event",
        FirstTokenRule::FirstText => "first text",
        FirstTokenRule::FirstAnswer => "first answer text",
    }
}

/// The end rule in words.
pub(in crate::views) const fn end(rule: EndRule) -> &'static str {
    match rule {
        EndRule::LastToken => "last token",
        EndRule::LastMessage => "last message (usage)",
        EndRule::StreamEnd => "end of stream ([DONE])",
    }
}

/// What one gap is, in words.
pub(in crate::views) const fn gap(kind: GapKind) -> &'static str {
    match kind {
        GapKind::Event => "between two stream events",
        GapKind::TokenSpread => "an event’s gap ÷ its tokens",
    }
}
