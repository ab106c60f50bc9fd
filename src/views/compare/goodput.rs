//! Goodput in Compare: what stands behind the joint share, each limit by itself, the other units.

use super::{Cell, CellValue, Row};
use crate::metrics::settings::GoodputUnit;
use crate::metrics::{GoodputResult, Within};
use crate::model::Metric;
use crate::units::fixed;
use crate::views::Context;
use crate::views::capacity::percent;
use crate::views::measure::Measurement;
use crate::views::numbers::{decimals, full};
use crate::views::slo::{attains, each_limit, limit_in_words};

/// What stands behind goodput: the counts, both shares, the interval, each limit by itself.
pub(super) fn goodput_card(run: &Measurement<'_>, metric: Metric) -> Vec<String> {
    let GoodputResult::Known(goodput) = &run.evaluation.goodput else { return Vec::new() };
    let mut lines = Vec::new();
    let ends = |low: f64, high: f64, places: usize| {
        format!("95 % interval {} to {}", fixed(low, places), fixed(high, places))
    };
    if let Some(good) = goodput.good.exact() {
        lines.push(format!("{} of {} requests are good", fixed(good, 0), fixed(goodput.of, 0)));
    }
    if metric == Metric::Goodput {
        if let Some(i) = goodput.per_second_interval {
            let places = decimals(&[i.low, i.high]);
            lines.push(format!("{} req/s, sent rate taken as it is", ends(i.low, i.high, places)));
        }
        return lines;
    }
    if let Some(i) = goodput.interval {
        lines.push(format!("{} % (Wilson)", ends(i.low * 100.0, i.high * 100.0, 1)));
    }
    // A run with many failures can look perfect over what finished.
    lines.push(format!(
        "{} of all sent, {} of those that finished",
        percent(goodput.share_of_sent),
        percent(goodput.share_of_finished)
    ));
    if let GoodputUnit::MaxLoadAtAttainment(wanted) = run.settings.goodput_unit {
        let wanted_words = fixed(wanted * 100.0, 1);
        lines.push(format!("attains {wanted_words} % of sent: {}", attains(goodput, wanted)));
    }
    if goodput.each.len() > 1 {
        lines.extend(
            each_limit(goodput).into_iter().map(|(limit, share)| format!("{limit}: {share}")),
        );
    }
    lines
}

/// The rows of goodput beyond the joint share and the rate: each limit by itself, and the other units.
pub(super) fn further_goodput(runs: &[Measurement<'_>], context: &Context) -> Vec<Row> {
    let known = |run: &Measurement<'_>| run.goodput().cloned();
    let share = |value: Within| Within { low: value.low * 100.0, high: value.high * 100.0 };
    let limits = (0..context.limits.len()).filter(|_| context.limits.len() > 1);
    let alone = limits.filter_map(|at| {
        let limit = context.limits.get(at)?;
        let cells = runs.iter().map(|run| {
            let goodput = known(run)?;
            let each = goodput.each.get(at).ok_or("this limit was not judged")?;
            let binds = goodput.binding == Some(at);
            let line = "the limit that binds: no other is met by fewer requests".to_owned();
            Ok((share(each.share), binds.then_some(line)))
        });
        let stamp = "this limit alone, the others aside · %";
        Some(plain_row(
            Metric::SloShare,
            format!("Within {}", limit_in_words(limit)),
            stamp,
            cells.collect(),
        ))
    });
    let finished = runs.iter().map(|run| Ok((share(known(run)?.share_of_finished), None)));
    let tokens = runs.iter().map(|run| Ok((known(run)?.tokens_per_second?, None)));
    alone
        .chain([
            plain_row(
                Metric::OutputThroughput,
                "Token goodput".to_owned(),
                "output tokens of good requests ÷ duration · tok/s",
                tokens.collect(),
            ),
            plain_row(
                Metric::SloShare,
                "Share of finished".to_owned(),
                "good ÷ finished: failures are hidden · %",
                finished.collect(),
            ),
        ])
        .collect()
}

/// A row of numbers without differences: value and a line of its card, or why there is none.
fn plain_row(
    metric: Metric,
    name: String,
    stamp: &str,
    values: Vec<Result<(Within, Option<String>), String>>,
) -> Row {
    let numbers: Vec<f64> =
        values.iter().flatten().flat_map(|(within, _)| [within.low, within.high]).collect();
    let zero = numbers.iter().any(|v| v.abs() <= 0.0);
    let places = decimals(&numbers).max(usize::from(zero));
    let cell = |value: Result<(Within, Option<String>), String>| {
        let (value, card) = match value {
            Ok((within, line)) => {
                let text = |v: f64| fixed(v, places);
                let value = match within.exact() {
                    Some(v) => CellValue::Plain {
                        text: text(v),
                        full: full(v),
                        weak: false,
                        extreme: false,
                    },
                    None => CellValue::Bound {
                        text: format!("{} to {}", text(within.low), text(within.high)),
                        full: format!("{} to {}", full(within.low), full(within.high)),
                        because: String::new(),
                    },
                };
                (value, line.into_iter().collect())
            }
            Err(because) => (CellValue::Missing { because }, Vec::new()),
        };
        Cell {
            value,
            difference: None,
            no_difference: None,
            reported: None,
            own_words: None,
            support: None,
            card,
        }
    };
    Row {
        metric,
        name,
        stamp: stamp.to_owned(),
        definition: stamp.to_owned(),
        cells: values.into_iter().map(cell).collect(),
        highlighted: false,
    }
}
