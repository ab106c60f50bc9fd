//! The questions that could have been asked instead of the one on the screen.

use crate::metrics::PRESETS;
use crate::metrics::settings::Window;
use crate::model::{Limit, Pace, Stat};
use crate::views::compare::stat_word;
use crate::views::window::{in_words, ruler_with};
use crate::views::{Context, Ruler};
use std::collections::BTreeMap;

/// What is asked otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A tool's definitions in place of the chosen ones.
    Definition,
    /// Another stretch of the runs.
    Window,
    /// Another statistic of the latencies.
    Statistic,
    /// Tighter or looser limits.
    Limits,
}

impl Kind {
    /// In the order of the table.
    pub(super) const ALL: [Self; 4] =
        [Self::Definition, Self::Window, Self::Statistic, Self::Limits];

    /// As the table names it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Definition => "Definition",
            Self::Window => "Window",
            Self::Statistic => "Statistic",
            Self::Limits => "Limits",
        }
    }

    /// "3 windows".
    pub(super) fn counted(self, count: usize) -> String {
        let (one, more) = match self {
            Self::Definition => ("other definition", "other definitions"),
            Self::Window => ("other window", "other windows"),
            Self::Statistic => ("other statistic", "other statistics"),
            Self::Limits => ("other set of limits", "other sets of limits"),
        };
        format!("{count} {}", if count == 1 { one } else { more })
    }
}

/// One other question.
pub(super) struct Variant {
    pub kind: Kind,
    pub label: String,
    pub context: Context,
}

/// The share of the peak that the steady window keeps, as the window sheet offers it.
const STEADY: f64 = 0.9;
/// What limits are multiplied by.
const FACTORS: [(f64, &str); 4] =
    [(0.5, "half"), (0.8, "20 % tighter"), (1.25, "25 % looser"), (2.0, "double")];

/// "common, whole run, median", as the first row is labelled.
pub(super) fn as_shown(context: &Context) -> String {
    let (ruler, window) = match &context.ruler {
        Ruler::Own => ("each tool’s own".to_owned(), "whole run".to_owned()),
        Ruler::Same { preset, changes } => {
            let name = PRESETS.iter().find(|p| p.id == *preset).map_or(preset.as_str(), |p| p.name);
            let changed = changes.keys().any(|id| id != "window" && id != "duration");
            let window = changes.get("window").and_then(|text| Window::parse(text));
            (
                format!("{name}{}", if changed { ", changed" } else { "" }),
                in_words(&window.unwrap_or(Window::Whole)),
            )
        }
    };
    format!("{ruler}, {window}, {}", stat_word(context.stat).to_lowercase())
}

/// Every other question, in the order of [`Kind::ALL`].
pub(super) fn variants(context: &Context) -> Vec<Variant> {
    let mut variants = definitions(context);
    variants.extend(windows(context));
    let stats = [Stat::Mean, Stat::Median, Stat::Percentile(90.0), Stat::Percentile(99.0)];
    variants.extend(stats.into_iter().filter(|stat| *stat != context.stat).map(|stat| Variant {
        kind: Kind::Statistic,
        label: stat_word(stat).to_lowercase(),
        context: Context { stat, ..context.clone() },
    }));
    if !context.limits.is_empty() {
        variants.extend(FACTORS.iter().map(|(factor, label)| Variant {
            kind: Kind::Limits,
            label: (*label).to_owned(),
            context: Context {
                limits: context.limits.iter().map(|limit| scaled(limit, *factor)).collect(),
                ..context.clone()
            },
        }));
    }
    variants
}

/// Each preset, with the window that is chosen now.
fn definitions(context: &Context) -> Vec<Variant> {
    let (chosen, window) = match &context.ruler {
        Ruler::Own => (None, BTreeMap::new()),
        Ruler::Same { preset, changes } => {
            let kept = ["window", "window-edge", "duration"];
            let window: BTreeMap<String, String> = changes
                .iter()
                .filter(|(id, _)| changes.contains_key("window") && kept.contains(&id.as_str()))
                .map(|(id, choice)| (id.clone(), choice.clone()))
                .collect();
            (Some(preset).filter(|_| window.len() == changes.len()), window)
        }
    };
    let others = PRESETS.iter().filter(|preset| chosen.is_none_or(|chosen| *chosen != preset.id));
    others
        .map(|preset| Variant {
            kind: Kind::Definition,
            label: match preset.id {
                "common" => "common ruler".to_owned(),
                // The labels are a list, in which a name has no comma.
                _ => format!("as {}", preset.name.replace(", ", " of ")),
            },
            context: Context {
                ruler: Ruler::Same { preset: preset.id.to_owned(), changes: window.clone() },
                ..context.clone()
            },
        })
        .collect()
}

fn windows(context: &Context) -> Vec<Variant> {
    let chosen = match &context.ruler {
        // Its own words have no window to change.
        Ruler::Own => return Vec::new(),
        Ruler::Same { changes, .. } => {
            changes.get("window").cloned().unwrap_or_else(|| Window::Whole.to_string())
        }
    };
    let windows =
        [Window::Whole, Window::AfterFirstCompletion, Window::Steady(STEADY), Window::UntilStable];
    windows
        .iter()
        .filter(|window| window.to_string() != chosen)
        .map(|window| Variant {
            kind: Kind::Window,
            label: in_words(window),
            context: Context {
                ruler: ruler_with(&context.ruler, "window", &window.to_string()),
                ..context.clone()
            },
        })
        .collect()
}

/// The limit times a factor, the part that grows with the length included.
fn scaled(limit: &Limit, factor: f64) -> Limit {
    let mut limit = *limit;
    limit.millis *= factor;
    if let Some(scaled) = &mut limit.scaled {
        scaled.pace = match scaled.pace {
            Pace::MillisPerToken(millis) => Pace::MillisPerToken(millis * factor),
            Pace::TokensPerSecond(rate) => Pace::TokensPerSecond(rate / factor),
        };
    }
    limit
}
