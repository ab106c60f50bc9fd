//! The steps as rows, and as the bars of a waterfall.

use super::text::number;
use crate::metrics::Value;
use crate::metrics::bridge::{Bridge, Step, Touched, change_words, decimals, value_words};
use crate::units::{Unit, fixed};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// One step as it is shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepView {
    /// Id of the dimension: what the order is made of.
    pub id: String,
    /// “Unit: chunk gap → (E−T) ÷ (n−1)”.
    pub title: String,
    /// “touches 60 of 60 requests, 1,198 gaps, 2,696 tokens”.
    pub touched: String,
    /// The counts behind it.
    pub counts: Touched,
    /// “−17.00”, or a range.
    pub change: String,
    /// Its average over all orders: “−16.996”; empty where there is none.
    pub average: String,
    /// Whether the average has another sign or rank.
    pub other_story: bool,
    /// Why, as a sentence.
    pub because: String,
    /// Whether it is known within bounds only.
    pub bounded: bool,
}

pub(super) fn views(bridge: &Bridge) -> Vec<StepView> {
    let (metric, places) = (bridge.a.metric, decimals(bridge));
    let view = |step: &Step| StepView {
        id: step.dimension.clone(),
        title: format!("{}: {} → {}", step.name, step.from_words, step.to_words),
        touched: touched(step.touched),
        counts: step.touched,
        change: change_words(&step.change, metric, places),
        average: step.average.map_or_else(String::new, |average| {
            change_words(&Value::Exact(average), metric, places + 1)
        }),
        other_story: step.other_story,
        because: step.because.clone(),
        bounded: step.exact().is_none(),
    };
    bridge.steps.iter().map(view).collect()
}

fn touched(touched: Touched) -> String {
    if touched.of == 0 {
        return String::new();
    }
    let n = |n: usize| fixed(n as f64, 0);
    if touched.requests == 0 {
        return format!("touches none of {} requests", n(touched.of));
    }
    let mut text = format!("touches {} of {} requests", n(touched.requests), n(touched.of));
    if touched.gaps > 0 {
        let _ = write!(text, ", {} gaps", n(touched.gaps));
    }
    if touched.tokens > 0 {
        let _ = write!(text, ", {} tokens after the first", n(touched.tokens));
    }
    text
}

/// What a bar of the waterfall is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BarKind {
    /// A, from 0 to its value.
    A,
    /// A step, from running total to running total.
    Step,
    /// What no definition explains, with its interval.
    Remainder,
    /// B, from 0 to its value.
    B,
}

/// One bar of the waterfall, in the unit of its axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WaterfallBar {
    /// What it is.
    pub kind: BarKind,
    /// The number of a step from 1; “A”, “B”; empty for what is left over.
    pub mark: String,
    /// What it is called.
    pub title: String,
    /// Where it starts.
    pub from: f64,
    /// Where it ends; the arrow points there.
    pub to: f64,
    /// Lower end of an interval: of what is left over, or of a total known within bounds.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// “−17.00”, “30.60 ms”.
    pub label: String,
    /// The cause, to stand in the middle of a step: “÷ 2.25 tokens” is the drawing’s to shorten.
    pub cause: String,
}

/// The waterfall: bars on one scale from 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Waterfall {
    /// The unit of the axis.
    pub unit: String,
    /// The right end of the axis: 1.03 times the largest value.
    pub end: f64,
    /// A, the steps, what is left over, B.
    pub bars: Vec<WaterfallBar>,
    /// How often B goes into A: “B, B, ¼ B” is drawn from it. None where either is not above 0.
    pub ratio: Option<f64>,
    /// For readers who can’t see it.
    pub summary: String,
}

impl Waterfall {
    pub(super) fn of(bridge: &Bridge) -> Self {
        let metric = bridge.a.metric;
        let places = decimals(bridge);
        let factor = if metric.unit() == Unit::Share { 100.0 } else { 1.0 };
        let unit = match metric.unit() {
            Unit::Share => "%",
            unit => unit.symbol(),
        };
        let mut bars = Vec::new();
        let ends = |value: &Value| match value {
            Value::Exact(v) | Value::Reported(v) => (*v, None, None),
            Value::AtLeast(v) => (*v, Some(*v), None),
            Value::AtMost(v) => (*v, None, Some(*v)),
            Value::Between(low, high) => (f64::midpoint(*low, *high), Some(*low), Some(*high)),
            Value::Missing(_) => (f64::NAN, None, None),
        };
        let scaled = |v: Option<f64>| v.map(|v| v * factor);
        let mut bar = |kind,
                       mark: &str,
                       title: String,
                       span: (f64, f64),
                       range: (Option<f64>, Option<f64>),
                       label,
                       cause: &str| {
            if span.0.is_finite() && span.1.is_finite() {
                bars.push(WaterfallBar {
                    kind,
                    mark: mark.to_owned(),
                    title,
                    from: span.0 * factor,
                    to: span.1 * factor,
                    low: scaled(range.0),
                    high: scaled(range.1),
                    label,
                    cause: cause.to_owned(),
                });
            }
        };
        let (start, low, high) = ends(&bridge.a.value);
        let label = value_words(&bridge.a.value, metric, places);
        bar(BarKind::A, "A", number(metric, bridge.a.stat), (0.0, start), (low, high), label, "");
        let mut at = start;
        for (number, step) in bridge.steps.iter().enumerate() {
            let (to, low, high) = ends(&step.after);
            let label = change_words(&step.change, metric, places);
            let mark = (number + 1).to_string();
            bar(
                BarKind::Step,
                &mark,
                step.name.clone(),
                (at, to),
                (low, high),
                label,
                &step.because,
            );
            at = to;
        }
        if let Some(rest) = &bridge.remainder {
            let to = at + rest.change;
            let range = (rest.low.map(|low| at + low), rest.high.map(|high| at + high));
            let label = change_words(&Value::Exact(rest.change), metric, places);
            bar(BarKind::Remainder, "", rest.name.clone(), (at, to), range, label, &rest.because);
        }
        let (last, low, high) = ends(&bridge.b.value);
        let label = value_words(&bridge.b.value, bridge.b.metric, places);
        let title = number(bridge.b.metric, bridge.b.stat);
        bar(BarKind::B, "B", title, (0.0, last), (low, high), label, "");
        let largest = bars.iter().flat_map(|b| [b.from, b.to, b.high.unwrap_or(b.to)]);
        let end = largest.fold(0.0, f64::max) * 1.03;
        let ratio = (start > 0.0 && last > 0.0).then(|| start / last);
        Self { unit: unit.to_owned(), end, bars, ratio, summary: bridge.sentence.clone() }
    }
}
