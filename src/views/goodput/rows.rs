//! The numbers of the screen in words: a row a limit, all limits together, and the table of both charts.

use super::ask::OutOf;
use super::sweep::Sweep;
use crate::metrics::Within;
use crate::model::Limit;
use crate::stats::wilson;
use crate::units::{fixed, significant};
use crate::views::Context;
use crate::views::capacity::{percent, upper};
use crate::views::curves::Table;
use crate::views::slo::limit_in_words;
use serde::{Deserialize, Serialize};

/// One limit by itself at the goodput peak.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitRow {
    /// The limit.
    pub of: Limit,
    /// "TTFT ≤ 250 ms".
    pub limit: String,
    /// "87.0 % meet it at 12 req/s", or that it is not measured in this run.
    pub met: String,
    /// Why it is not known, as a sentence, where it is not.
    pub because: Option<String>,
    /// Whether fewest requests meet this one.
    pub binds: bool,
}

/// Each limit by itself at the peak; at the only load where there is one.
pub(super) fn limits(sweep: &Sweep<'_, '_>, context: &Context) -> Vec<LimitRow> {
    let at = sweep.spoken_of();
    let judged = sweep.curve.points.get(at).and_then(|point| point.judged.as_ref().ok());
    let binding = judged.and_then(|judged| judged.binding);
    let row = |(place, limit): (usize, &Limit)| {
        let (met, because) = match sweep.share_within(at, place, limit) {
            Ok(share) => (format!("{} meet it at {}", percent(share), sweep.load(at)), None),
            Err(because) => (
                format!("not measured in {}", sweep.runs.name),
                Some(format!("{}.", upper(&because))),
            ),
        };
        LimitRow {
            of: *limit,
            limit: limit_in_words(limit),
            met,
            because,
            binds: binding == Some(place),
        }
    };
    context.limits.iter().enumerate().map(row).collect()
}

/// All limits together there: "68 of 84, 81.0 %" and the interval.
pub(super) fn together(sweep: &Sweep<'_, '_>) -> Vec<String> {
    let at = sweep.spoken_of();
    let Some(point) = sweep.curve.points.get(at) else { return Vec::new() };
    let share = sweep.share(at);
    let Ok(judged) = &point.judged else {
        let bounded = share.map(|share| format!("{} at {}", percent(share), sweep.load(at)));
        return bounded.into_iter().collect();
    };
    let of = sweep.denominator(judged);
    let at_most = if judged.good.exact().is_some() { "" } else { "at most " };
    let share = share.map(percent).unwrap_or_default();
    let noun = match sweep.out_of {
        OutOf::Sent => "",
        OutOf::Finished => " finished",
    };
    let mut lines =
        vec![format!("{at_most}{} of {}{noun}, {share}", fixed(judged.good.high, 0), fixed(of, 0))];
    let exact = judged.good.exact().filter(|_| of > 0.0);
    lines.extend(exact.and_then(|good| wilson(good, of)).map(|interval| {
        let [low, high] = [interval.low, interval.high].map(|end| fixed(end * 100.0, 0));
        format!("95 % interval {low} to {high} %")
    }));
    if judged.not_applicable > 0 {
        let n = fixed(judged.not_applicable as f64, 0);
        lines.push(format!("{n} without a limited metric left out"));
    }
    lines
}

/// Both charts as a table: load, goodput, throughput, the share within each limit and within all, what
/// binds.
pub(super) fn table(sweep: &Sweep<'_, '_>, context: &Context) -> Table {
    let unit = sweep.rate_unit();
    let mut head = vec!["Load".to_owned(), format!("Goodput, {unit}"), format!("Served, {unit}")];
    head.extend(context.limits.iter().map(|limit| format!("{}, %", limit_in_words(limit))));
    head.push("All limits, %".to_owned());
    head.push("Binds".to_owned());
    let rows = (0..sweep.curve.points.len()).map(|at| row(sweep, context, at)).collect();
    Table { head, rows }
}

fn row(sweep: &Sweep<'_, '_>, context: &Context, at: usize) -> Vec<String> {
    let dash = || "—".to_owned();
    let number = |within: Within| match within.exact() {
        Some(v) => significant(v, 4),
        None => format!("{} to {}", significant(within.low, 3), significant(within.high, 3)),
    };
    let share = |within: Within| percent(within).trim_end_matches(" %").to_owned();
    let mut row = vec![
        sweep.load(at),
        sweep.good(at).or_else(|| sweep.bound(at)).map_or_else(dash, number),
        sweep.served(at).map_or_else(dash, |v| significant(v, 4)),
    ];
    let limits = context.limits.iter().enumerate();
    row.extend(
        limits.map(|(place, limit)| {
            sweep.share_within(at, place, limit).map_or_else(|_| dash(), share)
        }),
    );
    row.push(sweep.share(at).map_or_else(dash, share));
    let binding = sweep.curve.points.get(at).and_then(|point| point.binding());
    row.push(binding.map_or_else(dash, |b| limit_in_words(&b.limit)));
    row
}
