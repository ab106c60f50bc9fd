//! The kinds of windows and edge rules, read from the catalogue, with the parameters at hand.

use super::Shown;
use crate::metrics::settings::Window;
use crate::metrics::{Choice, Dimension, Settings, cold_start_without};
use serde::{Deserialize, Serialize};

/// One choice about the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowChoice {
    /// Id, such as `skip-first`.
    pub id: String,
    /// "skip first".
    pub label: String,
    /// The plain meaning.
    pub meaning: String,
    /// The whole spelling with a parameter that fits this run: `skip-first:8`.
    pub spelling: String,
    /// What the parameter is, and its value, where it is one number.
    pub parameter: Option<(String, String)>,
    /// Whether it is the one in force.
    pub chosen: bool,
}

/// The requests that are skipped where nothing better is known.
const SKIP: u64 = 8;

/// All windows in the order of the catalogue.
pub(super) fn windows(runs: &[Shown<'_>], chosen: &Settings, length: f64) -> Vec<WindowChoice> {
    let first = runs.first();
    let fitting = |id: &str| match (id, chosen.window) {
        ("skip-first", Window::SkipFirst(count)) => Some(count.to_string()),
        ("skip-first", _) => {
            let cold = first.and_then(|f| cold_start_without(f.run, &f.excluded));
            let load = first.and_then(|f| f.run.load.max_concurrency);
            Some(cold.map_or_else(|| load.unwrap_or(SKIP).to_string(), |c| c.skip.to_string()))
        }
        ("steady", Window::Steady(share)) => Some(share.to_string()),
        ("steady", _) => Some("0.9".to_owned()),
        ("brush", Window::Brush { from, to }) => Some(format!("{from}..{to}")),
        ("brush", _) => {
            // Without the first and the last tenth.
            let [from, to] = [0.1, 0.9].map(|share| (length * share * 10.0).round() / 10.0);
            Some(if from < to {
                format!("{from}..{to}")
            } else {
                format!("0..{}", length.max(1.0))
            })
        }
        _ => None,
    };
    let hint = |id: &str| match id {
        "skip-first" => Some("requests"),
        "steady" => Some("share of the peak"),
        _ => None,
    };
    choices("window", chosen.window.id(), |choice| {
        let value = choice.parameter.and_then(|_| fitting(choice.id));
        let shown = hint(choice.id).zip(value.clone());
        (value, shown.map(|(hint, value)| (hint.to_owned(), value)))
    })
}

/// All edge rules.
pub(super) fn edges(chosen: &Settings) -> Vec<WindowChoice> {
    choices("window-edge", chosen.window_edge.id(), |_| (None, None))
}

type Parameter = (Option<String>, Option<(String, String)>);

fn choices(
    dimension: &str,
    chosen: &str,
    parameter: impl Fn(&Choice) -> Parameter,
) -> Vec<WindowChoice> {
    let all = Dimension::find(dimension).map_or(&[][..], |dimension| dimension.choices);
    let each = all.iter().map(|choice| {
        let (value, shown) = parameter(choice);
        WindowChoice {
            id: choice.id.to_owned(),
            label: choice.label.to_owned(),
            meaning: choice.meaning.to_owned(),
            spelling: match value {
                Some(value) => format!("{}:{value}", choice.id),
                None => choice.id.to_owned(),
            },
            parameter: shown,
            chosen: choice.id == chosen,
        }
    });
    each.collect()
}
