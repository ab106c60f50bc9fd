//! The library of typical disagreements: what two numbers of one name most often differ by, each with a
//! test on the loaded data.
//!
//! One file each. A test says whether it applies here, with the two numbers; that it does not; or why
//! the data can't tell. Kinds A to N are those under which public faults are collected.

mod bucket_edges;
mod chunk_or_token;
mod coordinated_omission;
mod empty_as_success;
mod first_token_inside;
mod full_first_chunk;
mod lengths_differ;
mod n_or_n_minus_one;
mod one_over_throughput;
mod one_token_in_goodput;
mod per_accelerator;
mod percentile_method;
mod printed_or_rows;
mod reasoning_tokens;
mod reciprocal_of_percentile;
mod request_or_token_vote;
mod share_of_what;
mod stream_end;
mod sum_over_engines;
mod token_source;
mod total_or_output;
mod warm_up_and_drain;

pub use printed_or_rows::AS_PRINTED;

use super::bridge::{Bridge, Number, Step};
use super::evaluate::Ask;
use super::measured::Value;
use super::own::own;
use super::settings::Settings;
use crate::model::{Dump, Limit, Metric, Run, Stat};
use crate::units::{Unit, significant};
use serde::{Deserialize, Serialize};

/// All of them, the most frequent first.
pub static DISAGREEMENTS: &[&dyn Disagreement] = &[
    &chunk_or_token::ChunkOrToken,
    &first_token_inside::FirstTokenInside,
    &n_or_n_minus_one::NOrNMinusOne,
    &full_first_chunk::FullFirstChunk,
    &reasoning_tokens::ReasoningTokens,
    &token_source::TokenSourceDiffers,
    &coordinated_omission::CoordinatedOmission,
    &warm_up_and_drain::WarmUpAndDrain,
    &empty_as_success::EmptyAsSuccess,
    &percentile_method::PercentileMethod,
    &bucket_edges::BucketEdges,
    &reciprocal_of_percentile::ReciprocalOfPercentile,
    &request_or_token_vote::RequestOrTokenVote,
    &stream_end::StreamEnd,
    &one_over_throughput::OneOverThroughput,
    &one_token_in_goodput::OneTokenInGoodput,
    &share_of_what::ShareOfWhat,
    &total_or_output::TotalOrOutput,
    &printed_or_rows::PrintedOrRows,
    &sum_over_engines::SumOverEngines,
    &lengths_differ::LengthsDiffer,
    &per_accelerator::PerAccelerator,
];

/// The data that a disagreement is tested on.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The run.
    pub run: &'a Run,
    /// The run that it is held against, where there is one.
    pub other: Option<&'a Run>,
    /// What servers said of themselves.
    pub dumps: &'a [&'a Dump],
    /// Limits and left-out requests.
    pub ask: &'a Ask,
}

/// A typical disagreement.
pub trait Disagreement: Sync {
    /// Stable id.
    fn id(&self) -> &'static str;
    /// Its title.
    fn title(&self) -> &'static str;
    /// The kind of public fault that it belongs to, `A` to `N`.
    fn kind(&self) -> char;
    /// Both formulas, with what stands between them.
    fn formula(&self) -> &'static str;
    /// What it is and what to do, for people new to the field.
    fn paragraph(&self) -> &'static str;
    /// Definitions to read further: dimension and choice; or a dimension with an empty choice.
    fn links(&self) -> &'static [(&'static str, &'static str)];
    /// Tests it on the data.
    fn test(&self, case: &Case<'_>) -> Tested;
    /// Whether a step of a bridge is this disagreement.
    fn is(&self, _step: &Step) -> bool {
        false
    }
}

/// What a test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Applies {
    /// The two numbers differ here.
    Applies,
    /// The data can't tell.
    CannotTell,
    /// They are the same here, or the data are of another kind.
    DoesNot,
}

/// One of the two numbers of a disagreement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// What it is, in words.
    pub words: String,
    /// Its value.
    pub value: f64,
    /// Its unit’s symbol.
    pub unit: String,
}

impl Said {
    /// A value with words and unit.
    pub fn new(words: impl Into<String>, value: f64, unit: &str) -> Self {
        Self { words: words.into(), value, unit: unit.to_owned() }
    }

    /// “30.6 ms”.
    pub fn shown(&self) -> String {
        match self.unit.as_str() {
            "%" => format!("{} %", significant(self.value * 100.0, 3)),
            unit => format!("{} {unit}", significant(self.value, 3)),
        }
    }
}

/// What the test of a disagreement found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// Whether it applies.
    pub applies: Applies,
    /// The two numbers, where both are known.
    pub numbers: Option<(Said, Said)>,
    /// Why, as a sentence.
    pub because: String,
}

/// Numbers this close are the same for a reader: half a per cent.
const SAME: f64 = 0.005;

impl Tested {
    /// The data can't tell; the reason is a clause.
    pub(super) fn cannot_tell(because: impl AsRef<str>) -> Self {
        let because = sentence(because.as_ref());
        Self { applies: Applies::CannotTell, numbers: None, because }
    }

    /// It does not apply; the reason is a clause.
    pub(super) fn does_not(because: impl AsRef<str>) -> Self {
        Self { applies: Applies::DoesNot, numbers: None, because: sentence(because.as_ref()) }
    }

    /// Whether two numbers differ, with what makes them.
    pub(super) fn of(a: Said, b: Said, cause: &str) -> Self {
        let size = a.value.abs().max(b.value.abs());
        let applies = if (a.value - b.value).abs() > SAME * size {
            Applies::Applies
        } else {
            Applies::DoesNot
        };
        let numbers = format!("{} is {}, {} is {}.", a.words, a.shown(), b.words, b.shown());
        let because =
            if cause.is_empty() { numbers } else { format!("{numbers} {}", sentence(cause)) };
        Self { applies, numbers: Some((a, b)), because }
    }
}

/// The symbol of a metric’s unit; a share is shown as per cent.
fn unit(metric: Metric) -> &'static str {
    match metric.unit() {
        Unit::Share => "%",
        unit => unit.symbol(),
    }
}

fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first: String = letters.next().map_or_else(String::new, |c| c.to_uppercase().collect());
    let end = if clause.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

impl Case<'_> {
    /// The tool's own ruler with changes.
    pub(super) fn ruler(&self, change: impl FnOnce(&mut Settings)) -> Settings {
        let mut settings = own(self.run).settings;
        change(&mut settings);
        settings
    }

    /// The limits of the file, or those that are set.
    pub(super) fn limits(&self) -> Vec<Limit> {
        self.run.reported.limits.clone().unwrap_or_else(|| self.ask.limits.clone())
    }

    /// A number of the run.
    pub(super) fn value(&self, metric: Metric, stat: Stat, settings: Settings) -> Value {
        Number { run: self.run, metric, stat, settings, ask: self.ask }.value()
    }

    /// Two numbers of the run that differ in their ruler, and by nothing else.
    pub(super) fn two(
        &self,
        a: (&str, Metric, Stat, Settings),
        b: (&str, Metric, Stat, Settings),
        cause: &str,
    ) -> Tested {
        let read = |(words, metric, stat, settings): (&str, Metric, Stat, Settings)| {
            let unit = unit(metric);
            match self.value(metric, stat, settings) {
                Value::Exact(v) => Ok(Said::new(words, v, unit)),
                Value::Reported(_) => Err("the file holds what the tool printed only".to_owned()),
                Value::Missing(reason) => Err(reason),
                Value::AtLeast(_) | Value::AtMost(_) | Value::Between(..) => {
                    Err(format!("{words} is known within bounds only"))
                }
            }
        };
        match (read(a), read(b)) {
            (Ok(a), Ok(b)) => Tested::of(a, b, cause),
            (Err(reason), _) | (_, Err(reason)) => Tested::cannot_tell(reason),
        }
    }
}

/// A disagreement with what its test found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The kind of public fault, `A` to `N`.
    pub kind: char,
    /// Whether it applies, and why.
    pub tested: Tested,
    /// What it makes of the difference between A and B, in their unit, where a bridge is asked for.
    pub change: Option<f64>,
    /// The formulas.
    pub formula: String,
    /// The paragraph.
    pub paragraph: String,
    /// Dimension and choice of each definition to read further.
    pub links: Vec<(String, String)>,
}

/// Tests every disagreement on the data; with a bridge, whether it lies between its two numbers.
pub fn disagreements(case: &Case<'_>, bridge: Option<&Bridge>) -> Vec<Entry> {
    let mut entries: Vec<Entry> =
        DISAGREEMENTS.iter().map(|one| entry(*one, case, bridge)).collect();
    entries.sort_by_key(|entry| entry.tested.applies);
    entries
}

fn entry(one: &dyn Disagreement, case: &Case<'_>, bridge: Option<&Bridge>) -> Entry {
    let mut tested = one.test(case);
    let mut change = None;
    if let Some(bridge) = bridge {
        let steps: Vec<&Step> = bridge.steps.iter().filter(|step| one.is(step)).collect();
        let moved: f64 = steps.iter().filter_map(|step| step.exact()).sum();
        let size = bridge.difference().unwrap_or_default().abs();
        if let Some(step) = steps.iter().find(|_| moved.abs() > 1e-3 * size) {
            tested.applies = Applies::Applies;
            tested.because.clone_from(&step.because);
            change = Some(moved);
        } else if tested.applies == Applies::Applies && bridge_could(one) {
            tested.applies = Applies::DoesNot;
            tested.because = format!("Both numbers are on the same side. {}", tested.because);
        }
    }
    Entry {
        id: one.id().to_owned(),
        title: one.title().to_owned(),
        kind: one.kind(),
        tested,
        change,
        formula: one.formula().to_owned(),
        paragraph: one.paragraph().to_owned(),
        links: one.links().iter().map(|(d, c)| ((*d).to_owned(), (*c).to_owned())).collect(),
    }
}

/// Whether a disagreement is a choice of definitions, so that it lies between two numbers or not. The
/// others are faults of the data, which any number of them has.
fn bridge_could(one: &dyn Disagreement) -> bool {
    !one.links().is_empty() && !matches!(one.id(), "printed-or-rows" | "lengths-differ")
}

/// Whether exactly one side of a step makes one of these choices.
fn one_side(step: &Step, dimensions: &[&str], choices: &[&str]) -> bool {
    let about = step.dimension.split('+').any(|id| dimensions.contains(&id));
    let makes = |side: &str| side.split(" + ").any(|id| choices.contains(&id));
    about && makes(&step.from) != makes(&step.to)
}

/// Ids of the step that changes the formula of a time per token.
const FORMULA: [&str; 3] = ["itl/tpot", "itl", "tpot"];

#[cfg(test)]
mod tests;
