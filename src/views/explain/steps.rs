//! The steps as rows.

use crate::metrics::Value;
use crate::metrics::bridge::{Bridge, Digits, Piece, Step, Touched, change_words};
use crate::units::fixed;
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
    let digits = Digits::of(bridge);
    let (metric, places) = (bridge.a.metric, digits.places);
    let view = |(at, step): (usize, &Step)| StepView {
        id: step.dimension.clone(),
        title: format!("{}: {} → {}", step.name, step.from_words, step.to_words),
        touched: touched(step.touched),
        counts: step.touched,
        change: change_words(&digits.change(at), metric, places),
        average: step.average.map_or_else(String::new, |average| {
            change_words(&Value::Exact(average), metric, places + 1)
        }),
        other_story: step.other_story,
        because: step.because.clone(),
        bounded: step.exact().is_none(),
    };
    let pieces = bridge.pieces().into_iter().enumerate();
    let steps = pieces.filter_map(|(at, piece)| match piece {
        Piece::Step(step) => Some((at, step)),
        _ => None,
    });
    steps.map(view).collect()
}

/// “touches 60 of 60 requests, 1,198 gaps, 2,696 tokens after the first”.
pub(super) fn touched(touched: Touched) -> String {
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
