//! A bridge as bars: A, its steps, what is left over, B.

use super::steps;
use super::text::{end_of, is_print, left_over, number, order_and_average};
use crate::charts::Waterfall;
use crate::charts::waterfall::{BarKind, WaterfallRow};
use crate::metrics::bridge::{
    Bridge, Digits, Mode, Piece, Remainder, Side, Step, Touched, change_words, value_words,
};
use crate::metrics::{Value, stamp};
use crate::units::{Unit, fixed, significant};

/// A value that is known within bounds is drawn in the middle of them.
#[derive(Debug, Clone, Copy)]
struct Known {
    at: f64,
    low: Option<f64>,
    high: Option<f64>,
}

fn known(value: &Value, factor: f64) -> Option<Known> {
    let (at, low, high) = match value {
        Value::Exact(v) | Value::Reported(v) => (*v, None, None),
        Value::AtLeast(v) => (*v, Some(*v), None),
        Value::AtMost(v) => (*v, None, Some(*v)),
        Value::Between(low, high) => (f64::midpoint(*low, *high), Some(*low), Some(*high)),
        Value::Missing(_) => return None,
    };
    let scaled = |v: f64| v * factor;
    at.is_finite().then(|| Known { at: scaled(at), low: low.map(scaled), high: high.map(scaled) })
}

/// The drawing of a bridge: each step with its change, or with its average over all orders where `average`
/// says so and there is one.
pub(super) fn drawn(bridge: &Bridge, average: bool) -> Waterfall {
    let metric = bridge.a.metric;
    let digits = Digits::of(bridge);
    let places = digits.places;
    let (factor, unit) = match metric.unit() {
        Unit::Share => (100.0, "%"),
        unit => (1.0, unit.symbol()),
    };
    let change = |v: f64| change_words(&Value::Exact(v), metric, places);
    let with_unit = |text: &str| format!("{text} {unit}");
    let mut rows = vec![end(bridge, Side::A, BarKind::A, (factor, places))];
    let mut at = known(&bridge.a.value, factor).map(|known| known.at);
    let (mut first, mut told, mut taken) = (None, false, 0);
    let mut views = steps::views(bridge).into_iter();
    for (place, piece) in bridge.pieces().into_iter().enumerate() {
        let label = change_words(&digits.change(place), metric, places);
        let step = match piece {
            Piece::Step(step) => step,
            Piece::Print(side, rest) => {
                let key = if side == Side::A { "printed-a" } else { "printed-b" };
                rows.push(remainder(rest, key, (at, factor), label, String::new()));
                at = at.map(|at| at + rest.change * factor);
                continue;
            }
            Piece::Rest(rest) => {
                rows.extend(unmeasured(bridge));
                told = true;
                if let (Some(from), Some(to)) = (first, at) {
                    rows.push(WaterfallRow {
                        key: "explained".into(),
                        kind: BarKind::Explained,
                        title: "What definitions explain".into(),
                        span: Some((from, to)),
                        label: change((to - from) / factor),
                        ..WaterfallRow::default()
                    });
                }
                let range = rest.low.zip(rest.high);
                let under = range.map_or_else(String::new, |(low, high)| {
                    format!("95 % interval {} to {} {unit}", change(low), change(high))
                });
                rows.push(remainder(rest, "remainder", (at, factor), label, under));
                at = at.map(|at| at + rest.change * factor);
                continue;
            }
        };
        let Some(view) = views.next() else { continue };
        let mean = step.average.filter(|_| average);
        let after = match mean {
            Some(mean) => at.map(|at| Known { at: at + mean * factor, low: None, high: None }),
            None => known(&step.after, factor),
        };
        let to = after.map(|known| known.at);
        let mut tip = vec![("change".to_owned(), with_unit(&view.change))];
        if !view.average.is_empty() {
            tip.push(("average over all orders".into(), with_unit(&view.average)));
        }
        if mean.is_none() {
            tip.push(("after it".into(), value_words(&step.after, metric, places)));
        }
        tip.push(("why".into(), step.because.clone()));
        taken += 1;
        rows.push(WaterfallRow {
            key: step.dimension.clone(),
            kind: BarKind::Step,
            mark: taken.to_string(),
            title: view.title,
            under: touched(step.touched),
            // A change that is not known is no bar, though the number after it may have a bound.
            span: at.zip(to).filter(|_| !matches!(step.change, Value::Missing(_))),
            low: after.and_then(|known| known.low),
            high: after.and_then(|known| known.high),
            label: if mean.is_some() { view.average } else { label },
            causes: at.zip(to).map_or_else(Vec::new, |ends| causes(step, ends)),
            tip,
            ..WaterfallRow::default()
        });
        first = first.or(at);
        at = to.or(at);
    }
    if !told {
        rows.extend(unmeasured(bridge));
    }
    rows.push(end(bridge, Side::B, BarKind::B, (factor, places)));
    let (order, average) = order_and_average(bridge);
    let notes = [left_over(bridge), order, average];
    Waterfall {
        title: bridge.sentence.clone(),
        stamp: format!("A: {} · B: {}", stamped(bridge, Side::A), stamped(bridge, Side::B)),
        summary: summary(&bridge.sentence, &rows),
        notes: notes
            .into_iter()
            .filter(|note| !note.is_empty())
            .chain(bridge.story.clone())
            .chain(bridge.stopped.clone())
            .collect(),
        unit: unit.to_owned(),
        rows,
    }
}

/// Dimensions that differ and can't be measured: what they would change is in what is left over.
fn unmeasured(bridge: &Bridge) -> impl Iterator<Item = WaterfallRow> {
    bridge.unmeasured.iter().map(|one| WaterfallRow {
        key: one.dimension.clone(),
        mark: "?".into(),
        title: format!("{}: {} → {}", one.name, one.from, one.to),
        under: one.because.clone(),
        label: "not known".into(),
        ..WaterfallRow::default()
    })
}

/// What no definition explains, from where the bars stand.
fn remainder(
    rest: &Remainder,
    key: &str,
    (at, factor): (Option<f64>, f64),
    label: String,
    under: String,
) -> WaterfallRow {
    let from_here = |change: f64| at.map(|at| at + change * factor);
    WaterfallRow {
        key: key.into(),
        kind: BarKind::Remainder,
        title: capital(&rest.name),
        under,
        span: at.zip(from_here(rest.change)),
        low: rest.low.and_then(from_here),
        high: rest.high.and_then(from_here),
        label,
        tip: vec![("why".into(), rest.because.clone())],
        ..WaterfallRow::default()
    }
}

/// “ITL mean, chunk gap · pooled, vLLM S2”.
fn stamped(bridge: &Bridge, side: Side) -> String {
    let end = end_of(bridge, side);
    let definition = if is_print(bridge, side) {
        "as printed".to_owned()
    } else {
        stamp(end.metric, &end.settings)
    };
    let parts = [number(end.metric, end.stat), definition, end.name.clone()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

fn end(bridge: &Bridge, side: Side, kind: BarKind, (factor, places): (f64, usize)) -> WaterfallRow {
    let end = end_of(bridge, side);
    let value = known(&end.value, factor);
    let mark = if kind == BarKind::A { "A" } else { "B" };
    let definition = if is_print(bridge, side) {
        "as printed".to_owned()
    } else {
        stamp(end.metric, &end.settings)
    };
    let under = match (bridge.mode, definition.is_empty()) {
        (Mode::TwoRuns, true) => end.name.clone(),
        (Mode::TwoRuns, false) => format!("{definition}, {}", end.name),
        _ => definition.clone(),
    };
    let label = value_words(&end.value, end.metric, places);
    let tip = [("run", &end.name), ("value", &label), ("definition", &definition)];
    WaterfallRow {
        key: mark.to_owned(),
        kind,
        mark: mark.to_owned(),
        title: number(end.metric, end.stat),
        under,
        span: value.map(|known| (0.0, known.at)),
        low: value.and_then(|known| known.low),
        high: value.and_then(|known| known.high),
        hollow: matches!(end.value, Value::Reported(_)),
        tip: tip
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect(),
        label,
        causes: Vec::new(),
    }
}

/// “touches 60 of 60 requests”.
fn touched(touched: Touched) -> String {
    let n = |n: usize| fixed(n as f64, 0);
    match (touched.of, touched.requests) {
        (0, _) => String::new(),
        (of, 0) => format!("touches none of {} requests", n(of)),
        (of, requests) => format!("touches {} of {} requests", n(requests), n(of)),
    }
}

/// How near the change must come to the share of tokens to gaps to be caused by it.
const NEAR: f64 = 0.02;

/// The cause of a step in a few words: the tokens of a chunk where they are all of it, else its share.
fn causes(step: &Step, (from, to): (f64, f64)) -> Vec<String> {
    let mut causes = Vec::new();
    let (gaps, tokens) = (step.touched.gaps as f64, step.touched.tokens as f64);
    if from > 0.0 && to > 0.0 && gaps > 0.0 && tokens > 0.0 {
        let each = tokens / gaps;
        let near = |ratio: f64| (ratio / each - 1.0).abs() < NEAR;
        let words = significant(each, 3);
        if (each - 1.0).abs() < NEAR {
            // One token a gap: nothing to see.
        } else if near(from / to) {
            causes.extend([format!("÷ {words} tokens"), format!("÷ {words}")]);
        } else if near(to / from) {
            causes.extend([format!("× {words} tokens"), format!("× {words}")]);
        }
    }
    if from.abs() > 0.0 {
        let share = (to - from) / from.abs() * 100.0;
        let sign = if share > 0.0 { "+" } else { "" };
        causes.push(format!("{sign}{} %", significant(share, 2)));
    }
    causes
}

/// What the picture shows, for readers who can't see it.
fn summary(sentence: &str, rows: &[WaterfallRow]) -> String {
    let said = rows.iter().map(|row| match row.kind {
        BarKind::A | BarKind::B => format!("{}, {}: {}", row.mark, row.title, row.label),
        _ => format!("{}: {}", row.title, row.label),
    });
    format!("{sentence} {}.", said.collect::<Vec<_>>().join("; "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use crate::metrics::testing::run;

    fn slot(metric: Metric, changes: &[(&str, &str)]) -> Slot {
        let changes = changes.iter().map(|(d, c)| ((*d).to_owned(), (*c).to_owned())).collect();
        let ruler = Ruler::Same { preset: "common".into(), changes };
        Slot { run: None, metric, stat: Stat::Mean, source: Source::Ruler(ruler) }
    }

    /// 40 ms a gap between chunks, 16 ms a token: 2.5 tokens in a chunk.
    fn view() -> ExplainView {
        let run = run(&[(100.0, &[40.0, 40.0], 6.0), (100.0, &[40.0, 40.0], 6.0)]);
        let (a, b) = (slot(Metric::Itl, &[("itl", "event-gap")]), slot(Metric::Tpot, &[]));
        let ask = ExplainAsk { a: Some(a), b: Some(b), ..ExplainAsk::default() };
        explain(&[&run], &[], &Context::default(), &ask)
    }

    #[test]
    fn bars_lead_from_a_to_b_without_a_gap() {
        let drawn = view().waterfall;
        let spans: Vec<(f64, f64)> = drawn.rows.iter().filter_map(|row| row.span).collect();
        assert_eq!(spans.len(), drawn.rows.len());
        let (first, last) = (spans[0], spans[spans.len() - 1]);
        let mut at = first.1;
        for (from, to) in &spans[1..spans.len() - 1] {
            assert!((from - at).abs() < 1e-12, "{spans:?}");
            at = *to;
        }
        assert!((at - last.1).abs() < 1e-9, "{spans:?}");
        assert!((first.1 - 40.0).abs() < 1e-9 && (last.1 - 16.0).abs() < 1e-9);
        assert_eq!(drawn.unit, "ms");
        assert!(drawn.summary.contains("A, ITL mean: 40.00 ms"), "{}", drawn.summary);
    }

    #[test]
    fn averages_over_all_orders_lead_to_b_as_well() {
        // Replies of unequal length, so that the order of formula and weighting matters.
        let run = run(&[(100.0, &[40.0, 40.0], 6.0), (100.0, &[10.0, 20.0, 30.0, 60.0], 5.0)]);
        let (a, b) = (
            slot(Metric::Itl, &[("itl", "event-gap"), ("weighting", "pooled")]),
            slot(Metric::Tpot, &[]),
        );
        let ask = ExplainAsk { a: Some(a), b: Some(b), average: true, ..ExplainAsk::default() };
        let averaged = explain(&[&run], &[], &Context::default(), &ask);
        let plain = ExplainAsk { average: false, ..ask };
        let plain = explain(&[&run], &[], &Context::default(), &plain);
        assert!(averaged.has_average && averaged.ask.average, "{:?}", averaged.steps);
        let middle = |view: &ExplainView| view.waterfall.rows[1].span.unwrap();
        assert!((middle(&averaged).1 - middle(&plain).1).abs() > 1e-6, "the orders differ");
        let (rows, steps) = (&averaged.waterfall.rows, averaged.steps.len());
        let (last, b) = (rows[steps].span.unwrap().1, rows[steps + 1].span.unwrap().1);
        assert!((last - b).abs() < 1e-9, "{rows:?}");
        assert_eq!(rows[1].label, averaged.steps[0].average);
    }

    #[test]
    fn the_tokens_of_a_chunk_are_the_cause_where_they_are_all_of_it() {
        let drawn = view().waterfall;
        let unit = drawn.rows.iter().find(|row| row.mark == "1").unwrap();
        assert_eq!(unit.causes, ["÷ 2.50 tokens", "÷ 2.50", "−60 %"]);
        assert_eq!(unit.under, "touches 2 of 2 requests");
    }
}
