//! The finding where three tools or more print one name for different sums.

use super::finding::{Finding, PRINTED_RATIO, SAME_RATIO, stat_word, steady_metric, strip, way};
use crate::metrics::stamp;
use crate::model::Metric;
use crate::units::fixed;
use crate::views::measure::Measurement;
use crate::views::numbers::decimals;
use crate::views::{Context, Ruler};
use std::collections::BTreeSet;

/// What the tools print for one metric, and what one ruler makes of it.
struct Spread<'r> {
    metric: Metric,
    lowest: &'r Measurement<'r>,
    highest: &'r Measurement<'r>,
    /// The printed values of those two.
    printed: (f64, f64),
    /// The smallest and largest value on one ruler.
    recomputed: (f64, f64),
    /// How many runs have a value on one ruler.
    counted: usize,
}

/// Says between which values the tools print a metric that one ruler shows together. Every run is of
/// another tool, with a printed value, and there are at least three definitions among them.
pub(super) fn several_differ(runs: &[Measurement<'_>], context: &Context) -> Option<Finding> {
    let tools: BTreeSet<&str> = runs.iter().map(|run| run.run.tool.name()).collect();
    if tools.len() != runs.len() {
        return None;
    }
    // One may print zero, so the share of the largest is compared and not a ratio.
    let share = |found: &Spread<'_>| (found.printed.1 - found.printed.0) / found.printed.1;
    let found = [Metric::Itl, Metric::Tpot, Metric::Ttft, Metric::E2e]
        .into_iter()
        .filter_map(|metric| spread(runs, metric, context))
        .max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let (metric, unit) = (found.metric, found.metric.unit().symbol());
    let steady = steady_metric(runs, context, metric)
        .map(|steady| format!(" at about the same {}", steady.name()))
        .unwrap_or_default();
    let places = decimals(&[found.printed.1]);
    let headline = format!(
        "{} tools print a {} {} from {} to {} {unit}{steady}",
        runs.len(),
        stat_word(context.stat).to_lowercase(),
        metric.name(),
        fixed(found.printed.0, places),
        fixed(found.printed.1, places),
    );
    let ruler = if context.ruler == Ruler::default() { "one ruler" } else { "the ruler you chose" };
    let who = if found.counted == runs.len() {
        "they".to_owned()
    } else {
        format!("the {} that can be recomputed", found.counted)
    };
    let places = decimals(&[found.recomputed.1]);
    let detail = format!(
        "{}; {}. On {ruler} {who} read {} to {} {unit}.",
        way(found.highest, metric),
        way(found.lowest, metric),
        fixed(found.recomputed.0, places),
        fixed(found.recomputed.1, places),
    );
    Some(Finding { headline, detail, metric: Some(metric), strip: strip(runs, metric, context) })
}

fn spread<'r>(
    runs: &'r [Measurement<'r>],
    metric: Metric,
    context: &Context,
) -> Option<Spread<'r>> {
    let definitions: BTreeSet<String> = runs.iter().map(|run| stamp(metric, &run.own)).collect();
    let printed: Option<Vec<(&Measurement<'_>, f64)>> = runs
        .iter()
        .map(|run| Some((run, run.run.reported.find(metric, context.stat)?.value)))
        .collect();
    let mut printed = printed?;
    printed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (&(lowest, low), &(highest, high)) = (printed.first()?, printed.last()?);
    let mut on_one: Vec<f64> =
        runs.iter().filter_map(|run| run.value(metric, context.stat).exact()).collect();
    on_one.sort_by(f64::total_cmp);
    let (least, most) = (*on_one.first()?, *on_one.last()?);
    let differ = definitions.len() > 2 && high > 0.0 && high >= low * PRINTED_RATIO;
    (differ && on_one.len() > 1 && most <= least * SAME_RATIO).then_some(Spread {
        metric,
        lowest,
        highest,
        printed: (low, high),
        recomputed: (least, most),
        counted: on_one.len(),
    })
}
