//! The two slots: which numbers a bridge is between.

use super::text::{self, number, with_unit};
use crate::metrics::bridge::{Bridge, Digits, End, Side};
use crate::metrics::{COMMON, PRESETS, Settings, Value, long_stamp, own, stamp};
use crate::model::{Metric, Run, RunId, Stat};
use crate::units::{Unit, significant};
use crate::views::Ruler;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One number: a run, a metric, a statistic, and by whose definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// The run; the baseline where none is said.
    pub run: Option<RunId>,
    /// The metric.
    pub metric: Metric,
    /// The statistic.
    pub stat: Stat,
    /// By whose definition.
    pub source: Source,
}

impl Eq for Slot {}

/// By whose definition a number is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The ruler in force.
    Context,
    /// The definitions of the tool that wrote the run.
    #[default]
    Own,
    /// As the tool printed it.
    Reported,
    /// Another ruler.
    Ruler(Ruler),
}

impl Source {
    /// What gives `settings` on a run.
    pub(in crate::views) fn of(run: &Run, settings: &Settings) -> Self {
        if *settings == own(run).settings {
            return Self::Own;
        }
        let preset = PRESETS.iter().find(|preset| preset.settings == *settings);
        let base = preset.copied().unwrap_or(&COMMON);
        let changes: BTreeMap<String, String> = base
            .settings
            .differing(settings)
            .into_iter()
            .filter_map(|d| Some((d.id.to_owned(), settings.value(d.id)?)))
            .collect();
        Self::Ruler(Ruler::Same { preset: base.id.to_owned(), changes })
    }
}

/// A slot as it is shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SlotView {
    /// “ITL mean”.
    pub title: String,
    /// The definition: “chunk gap · pooled”.
    pub stamp: String,
    /// The definition at length; empty for a printed number, whose definition is its tool’s.
    pub definition: String,
    /// The run’s name.
    pub run: String,
    /// “30.60”; a range where no more is known.
    pub value: String,
    /// “ms”.
    pub unit: String,
    /// What the tool printed of it: “reported 30.60 =”, “reported 27.3 ≠”; empty where it printed none.
    pub reported: String,
    /// Whether it is as printed, so that it is drawn hollow.
    pub hollow: bool,
    /// Whether it is there at all.
    pub known: bool,
}

impl SlotView {
    pub(super) fn of(bridge: &Bridge, side: Side, run: Option<&Run>) -> Self {
        let end = text::end_of(bridge, side);
        let places = Digits::of(bridge).places;
        let value = with_unit(&end.value, end.metric, places);
        let unit = match end.metric.unit() {
            Unit::Share => "%",
            unit => unit.symbol(),
        };
        let hollow = matches!(end.value, Value::Reported(_));
        let is_print = text::is_print(bridge, side);
        Self {
            title: number(end.metric, end.stat),
            stamp: if is_print { "as printed".into() } else { stamp(end.metric, &end.settings) },
            definition: if is_print {
                String::new()
            } else {
                long_stamp(end.metric, &end.settings)
            },
            run: end.name.clone(),
            value: value.trim_end_matches(unit).trim_end().to_owned(),
            unit: unit.to_owned(),
            reported: run.map_or_else(String::new, |run| printed(end, run)),
            hollow,
            known: !matches!(end.value, Value::Missing(_)),
        }
    }
}

/// What the tool printed of a number under its own definition.
fn printed(end: &End, run: &Run) -> String {
    let (Some(value), Some(printed)) = (end.value.exact(), run.reported.find(end.metric, end.stat))
    else {
        return String::new();
    };
    let same = (value - printed.value).abs() <= 1e-3 * printed.value.abs();
    let sign = if same { "=" } else { "≠" };
    format!("reported {} {sign}", significant(printed.value, 4))
}
