//! The Definitions sheet: presets, dimensions, and a worked example on one real request.

use super::labels::Styles;
use super::measure;
use super::numbers::count;
use super::{Context, Ruler};
use crate::metrics::{
    COMMON, DIMENSIONS, Dimension, Edition, PRESETS, Preset, Settings, Worked, own,
};
use crate::model::{Run, RunId};
use crate::units::fixed;
use serde::{Deserialize, Serialize};

/// The whole sheet.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DefinitionsView {
    /// Presets in order.
    pub presets: Vec<PresetChoice>,
    /// "Custom, from common ruler: 1 of 16 dimensions changed." Empty when a preset is whole.
    pub custom: String,
    /// The ruler under which each shown run was printed.
    #[serde(default)]
    pub runs: Vec<RunRuler>,
    /// The request of the worked example, if a run has requests.
    pub example: Option<ExampleRequest>,
    /// All dimensions; the disputed two first.
    pub dimensions: Vec<DimensionChoice>,
}

/// The ruler under which one run was printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRuler {
    /// Palette index of the run.
    pub style: usize,
    /// Name of the run.
    pub name: String,
    /// "as vLLM"; "as vLLM ~" where its version lies outside of those that were read.
    pub stamp: String,
    /// "0.7 to before 0.27, chat, responses and audio"; empty for the preset as it is.
    pub edition: String,
    /// From what the version is known, and what the edition changes.
    pub because: String,
    /// What the file itself says besides: "end = last-message".
    pub by_file: Vec<String>,
    /// Whether the version lies outside of those that were read.
    pub doubtful: bool,
}

/// One preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresetChoice {
    /// Id.
    pub id: String,
    /// Name on the button.
    pub name: String,
    /// Where it was read: tool, versions, file.
    pub note: String,
    /// What its older versions measured otherwise, a line each: "0.2 to before 0.4: …".
    #[serde(default)]
    pub editions: Vec<String>,
    /// Whether it is the base of the present ruler.
    pub base: bool,
    /// Whether the present ruler is exactly it.
    pub chosen: bool,
}

/// The request under the worked example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExampleRequest {
    /// The run.
    pub run: RunId,
    /// Palette index.
    pub style: usize,
    /// Name of the run.
    pub name: String,
    /// Request number from 1.
    pub number: usize,
    /// How many requests can be chosen.
    pub of: usize,
    /// TTFT in ms; the drawing's first part.
    pub ttft: Option<f64>,
    /// End in ms from the send.
    pub end: Option<f64>,
    /// Event times in ms from the send.
    pub events: Vec<f64>,
    /// "27 chunks, N = 59 tokens".
    pub caption: String,
}

/// One dimension with its choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DimensionChoice {
    /// Id, such as `tpot`.
    pub id: String,
    /// "TPOT".
    pub label: String,
    /// "what the decode time is divided by".
    pub question: String,
    /// Whether it departs from the preset.
    pub changed: bool,
    /// The choices.
    pub choices: Vec<ChoiceOption>,
    /// The chosen one with the example's numbers filled in: "(982.84 − 96.97) ÷ (59 − 1) = 15.27 ms".
    pub worked: Option<String>,
    /// The chosen one in plain words, and why some others can't be computed here.
    pub meaning: String,
}

/// One choice of a dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceOption {
    /// Id, such as `after-first`.
    pub id: String,
    /// "(E−T) ÷ (n−1)".
    pub label: String,
    /// The plain meaning and the formula, for a tooltip.
    pub meaning: String,
    /// The example's result, or why it can't be had: "needs tokens".
    pub result: Option<Result<String, String>>,
    /// Whether it is chosen.
    pub chosen: bool,
}

/// What the two disputed dimensions ask, shown beside their names.
const QUESTIONS: [(&str, &str, &str); 2] =
    [("itl", "ITL", "what one sample is"), ("tpot", "TPOT", "what the decode time is divided by")];

/// Builds the sheet; the example is request `request` of the baseline.
pub fn definitions(all: &[&Run], context: &Context, request: usize) -> DefinitionsView {
    let styles = Styles::of(all);
    let chosen = |run: &&&Run| context.runs.is_empty() || context.runs.contains(&run.id);
    let baseline = context.baseline.as_ref().or(context.runs.first());
    let run = all
        .iter()
        .find(|run| Some(&run.id) == baseline)
        .or_else(|| all.iter().find(chosen))
        .copied();
    let settings = run.map_or(COMMON.settings, |run| measure::settings(run, &context.ruler));
    let example = run.and_then(|run| example(run, &settings, request, &styles));
    let base = match &context.ruler {
        Ruler::Same { preset, .. } => Some(measure::base(preset)),
        Ruler::Own => None,
    };
    let differing: Vec<&str> = base
        .map(|base| settings.differing(&base.settings).iter().map(|d| d.id).collect())
        .unwrap_or_default();
    let worked = example.as_ref().map_or(&[][..], |(_, worked)| worked);
    let mut dimensions: Vec<DimensionChoice> = DIMENSIONS
        .iter()
        .map(|dimension| dimension_choice(dimension, &settings, &differing, worked))
        .collect();
    dimensions.sort_by_key(|d| QUESTIONS.iter().position(|(id, ..)| *id == d.id).unwrap_or(9));
    DefinitionsView {
        presets: PRESETS
            .iter()
            .map(|preset| PresetChoice {
                id: preset.id.to_owned(),
                name: preset.name.to_owned(),
                note: note(preset),
                editions: Edition::all_of(preset)
                    .map(|edition| format!("{}: {}", edition.versions(), edition.note))
                    .collect(),
                base: base.is_some_and(|base| base.id == preset.id),
                chosen: base.is_some_and(|base| base.id == preset.id) && differing.is_empty(),
            })
            .collect(),
        custom: match base {
            None => "Each run in its own tool’s words; choose a preset for one ruler.".to_owned(),
            Some(_) if differing.is_empty() => String::new(),
            Some(base) => format!(
                "Custom, from {}: {} of {} dimensions changed.",
                base.name,
                differing.len(),
                DIMENSIONS.len()
            ),
        },
        runs: all.iter().filter(chosen).map(|run| run_ruler(run, &styles)).collect(),
        example: example.map(|(example, _)| example),
        dimensions,
    }
}

fn run_ruler(run: &Run, styles: &Styles) -> RunRuler {
    let own = own(run);
    RunRuler {
        style: styles.get(&run.id),
        name: run.name.clone(),
        stamp: own.stamp(),
        edition: own.edition.map(Edition::versions).unwrap_or_default(),
        because: own.because(run),
        by_file: own.by_file().iter().map(|(d, c)| format!("{d} = {c}")).collect(),
        doubtful: own.outside.is_some(),
    }
}

fn note(preset: &Preset) -> String {
    let versions = if preset.versions.is_empty() {
        String::new()
    } else {
        format!("Versions {}, read in {}. ", preset.versions, preset.source)
    };
    format!("{versions}{}", preset.note)
}

fn example(
    run: &Run,
    settings: &Settings,
    request: usize,
    styles: &Styles,
) -> Option<(ExampleRequest, Vec<Worked>)> {
    let worked = crate::metrics::example(run, settings, request + 1)?;
    let events = if worked.events.is_empty() {
        String::new()
    } else {
        format!("{}, ", count(worked.events.len(), "event"))
    };
    let tokens = worked.tokens.map_or_else(
        || "output tokens not recorded".to_owned(),
        |n| format!("N = {} tokens", fixed(n, 0)),
    );
    Some((
        ExampleRequest {
            run: run.id.clone(),
            style: styles.get(&run.id),
            name: run.name.clone(),
            number: worked.number,
            of: worked.of,
            ttft: worked.ttft,
            end: worked.end,
            events: worked.events,
            caption: format!("{events}{tokens}"),
        },
        worked.worked,
    ))
}

/// “ITL”, “Percentile”: what a dimension is called.
pub(super) fn name_of(dimension: &Dimension) -> &'static str {
    let asked = QUESTIONS.iter().find(|(id, ..)| *id == dimension.id);
    asked.map_or(dimension.label, |(_, label, _)| *label)
}

fn dimension_choice(
    dimension: &Dimension,
    settings: &Settings,
    differing: &[&str],
    worked: &[Worked],
) -> DimensionChoice {
    let chosen = settings.get(dimension.id).map_or("", |choice| choice.id);
    let results: Vec<&Worked> = worked.iter().filter(|w| w.dimension == dimension.id).collect();
    let of = |choice: &str| results.iter().find(|w| w.choice == choice);
    let asked = QUESTIONS.iter().find(|(id, ..)| *id == dimension.id);
    let (label, question) = (name_of(dimension), asked.map_or("", |(.., question)| *question));
    let meaning = dimension.choice(chosen).map_or("", |choice| choice.meaning);
    let mut missing: Vec<(String, &str)> = Vec::new();
    for choice in dimension.choices {
        let Some(because) = of(choice.id).and_then(|w| w.result.as_ref().err()) else { continue };
        let label = format!("“{}”", choice.label);
        match missing.iter_mut().find(|(_, known)| known == because) {
            Some((labels, _)) => *labels = format!("{labels} and {label}"),
            None => missing.push((label, because)),
        }
    }
    let missing: Vec<String> = missing
        .into_iter()
        .map(|(labels, because)| {
            format!("{labels} can’t be computed here: {}.", because.trim_end_matches('.'))
        })
        .collect();
    DimensionChoice {
        id: dimension.id.to_owned(),
        label: label.to_owned(),
        question: question.to_owned(),
        changed: differing.contains(&dimension.id),
        choices: dimension
            .choices
            .iter()
            .map(|choice| ChoiceOption {
                id: choice.example(),
                label: choice.label.to_owned(),
                meaning: match choice.formula {
                    "" => choice.meaning.to_owned(),
                    formula => format!("{} {formula}", choice.meaning),
                },
                result: of(choice.id).map(|w| match &w.result {
                    Ok(value) => Ok(fixed(*value, 2)),
                    Err(_) => Err(short_need(choice.id).to_owned()),
                }),
                chosen: choice.id == chosen,
            })
            .collect(),
        worked: of(chosen).and_then(|w| w.formula.clone()),
        meaning: [vec![meaning.to_owned()], missing].concat().join(" "),
    }
}

/// What a choice of the worked example lacks, in a few words; the sheet says the whole reason below.
fn short_need(choice: &str) -> &'static str {
    match choice {
        "token-spread" | "token-zeros" | "after-first-event" => "needs tokens a chunk",
        "event-gap" | "visible-gaps" | "whole-over-events" => "needs gaps",
        _ => "needs times and tokens",
    }
}
