//! “Whose number is this?”: the definitions that give a number that somebody saw.

use super::compare::shown;
use super::explain::{ExplainAsk, Slot, Source, ways};
use super::{Context, Ruler, labels, measure};
use crate::metrics::{
    Agreement, Candidate, DIMENSIONS, Detected, Figure, Inquiry, Near, PRESETS, Preset, Settings,
    Verdict, detect, differing_for, own,
};
use crate::model::{Metric, Run, RunId, Stat};
use crate::units::{Unit, significant};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is asked of a number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NumberAsk {
    /// The run; the baseline where none is said.
    pub run: Option<RunId>,
    /// The number as it was typed, with its unit.
    pub text: String,
    /// The metric it is said to be.
    pub metric: Option<Metric>,
    /// The key it was printed under.
    pub field: Option<String>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NumberView {
    /// What it is the answer to.
    pub text: String,
    /// The run that was searched; missing when it is gone.
    pub run: Option<RunId>,
    /// Its name.
    pub name: String,
    /// Why nothing was looked for, as a sentence.
    pub trouble: Option<String>,
    /// The answer in a sentence.
    pub sentence: String,
    /// The definitions, the likeliest first.
    pub answers: Vec<NumberAnswer>,
    /// Where nothing gives it: what comes closest, in sentences.
    pub nearest: Vec<String>,
    /// What to know, in sentences.
    pub notes: Vec<String>,
    /// All of it as text.
    pub as_text: String,
}

/// One definition that gives the number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberAnswer {
    /// What the number is: “mean TPOT with the first token inside (E ÷ n), over ok requests”.
    pub words: String,
    /// The value with its unit.
    pub value: String,
    /// How far it is from the tool's own words, and who else measures so.
    pub relation: String,
    /// What comes to the same on this run.
    pub also: Vec<String>,
    /// The ruler that gives it, for all runs.
    pub ruler: Ruler,
    /// The statistic that it is, where there is one to choose.
    pub stat: Option<Stat>,
    /// Whether that ruler and that statistic are the ones in force.
    pub in_force: bool,
    /// What the number is explained against, and the words of its button; none where it stands alone.
    pub explain: Option<(String, ExplainAsk)>,
}

/// Looks for a number in a run.
pub fn number(all: &[&Run], context: &Context, ask: &NumberAsk) -> NumberView {
    let wanted = ask.run.as_ref().or(context.baseline.as_ref()).or_else(|| context.runs.first());
    let found = wanted.and_then(|id| all.iter().find(|run| &run.id == id)).or_else(|| all.first());
    let Some(run) = found else { return NumberView::default() };
    let mut view = NumberView {
        text: ask.text.clone(),
        run: Some(run.id.clone()),
        name: run.name.clone(),
        ..NumberView::default()
    };
    if ask.text.trim().is_empty() {
        return view;
    }
    let figure: Figure = match ask.text.parse() {
        Ok(figure) => figure,
        Err(error) => {
            view.trouble = Some(format!("{error}."));
            return view;
        }
    };
    let inquiry = Inquiry {
        metric: ask.metric,
        stat: None,
        name: ask.field.clone(),
        limits: context.limits.clone(),
        excluded: measure::ask(run, context, None).excluded,
    };
    let detected = detect(run, &figure, &inquiry);
    let named = all.iter().zip(labels::distinct_names(all));
    let baseline = named.into_iter().find(|(run, _)| Some(&run.id) == context.baseline.as_ref());
    let baseline = baseline.as_ref().map(|(run, name)| (**run, name.as_str()));
    view.answers = detected.candidates.iter().map(|c| answer(run, context, c, baseline)).collect();
    view.nearest = detected.nearest.iter().map(near).collect();
    view.notes = notes(&detected);
    view.as_text = as_text(run, &detected, &view);
    view.sentence = detected.sentence;
    view
}

/// The question behind a printed value that its rows do not give as they should.
pub(super) fn seek(run: &Run, agreement: &Agreement) -> Option<NumberAsk> {
    if !matches!(agreement.verdict, Verdict::Close | Verdict::Differs) {
        return None;
    }
    let value = run.reported.values.iter().find(|value| value.field == agreement.field)?;
    Some(NumberAsk {
        run: Some(run.id.clone()),
        text: Figure::printed(value).text,
        metric: None,
        field: Some(value.field.clone()),
    })
}

pub(super) fn with_unit(metric: Metric, value: f64) -> String {
    let number = significant(shown(metric, value), 5);
    match metric.unit() {
        Unit::Share => format!("{number} %"),
        unit => format!("{number} {}", unit.symbol()),
    }
}

pub(super) fn near(near: &Near) -> String {
    let side = if near.off < 0.0 { "below" } else { "above" };
    let off = significant(near.off.abs() * 100.0, 2);
    format!("{} is {}, {off} % {side} it.", with_unit(near.metric, near.value), near.words)
}

fn notes(detected: &Detected) -> Vec<String> {
    let printed = (!detected.printed.is_empty() && detected.tried > 0)
        .then(|| format!("The file prints this number as {}.", detected.printed.join(", ")));
    printed.into_iter().chain(detected.notes.iter().cloned()).collect()
}

fn answer(
    run: &Run,
    context: &Context,
    candidate: &Candidate,
    baseline: Option<(&Run, &str)>,
) -> NumberAnswer {
    let source = Source::of(run, &candidate.settings);
    let (metric, seen) = (candidate.metric, candidate.stat);
    let slot = Slot { run: Some(run.id.clone()), metric, stat: seen, source };
    let ruler = ruler(run, &candidate.settings);
    let stat =
        Some(candidate.stat).filter(|stat| offered(*stat) && candidate.metric.is_distribution());
    let in_force = measure::settings(run, &context.ruler);
    let used = match candidate.used_by.as_slice() {
        [] => String::new(),
        tools => format!(" Measured so by {}.", tools.join(", ")),
    };
    NumberAnswer {
        words: candidate.words.clone(),
        value: with_unit(candidate.metric, candidate.value),
        relation: format!("{}{used}", candidate.relation),
        also: candidate.also.clone(),
        in_force: differing_for(candidate.metric, run, &candidate.settings, &in_force).is_empty()
            && stat.is_none_or(|stat| stat == context.stat),
        ruler,
        stat,
        explain: ways(run, context, &slot, baseline).into_iter().next(),
    }
}

/// Whether tables offer this statistic.
fn offered(stat: Stat) -> bool {
    match stat {
        Stat::Mean | Stat::Median => true,
        Stat::Percentile(p) => [90.0, 95.0, 99.0].iter().any(|q| (p - q).abs() < 1e-9),
        _ => false,
    }
}

/// A set as a ruler: the preset from which it takes the fewest changes, the tool's own among equals.
fn ruler(run: &Run, settings: &Settings) -> Ruler {
    let own = own(run).preset;
    let others = PRESETS.iter().copied().filter(|preset| preset.id != own.id);
    let far = |preset: &&'static Preset| preset.settings.differing(settings).len();
    let preset = std::iter::once(own).chain(others).min_by_key(far).unwrap_or(own);
    let changes: BTreeMap<String, String> = DIMENSIONS
        .iter()
        .filter_map(|dimension| {
            let value = settings.value(dimension.id)?;
            let changed = preset.settings.value(dimension.id).as_ref() != Some(&value);
            changed.then(|| (dimension.id.to_owned(), value))
        })
        .collect();
    Ruler::Same { preset: preset.id.to_owned(), changes }
}

/// The whole answer for a chat or a ticket.
fn as_text(run: &Run, detected: &Detected, view: &NumberView) -> String {
    let mut lines = vec![format!("{}: {}", run.name, detected.sentence)];
    for (at, answer) in view.answers.iter().enumerate() {
        lines.push(format!("{}. {} = {}. {}", at + 1, answer.words, answer.value, answer.relation));
    }
    lines.extend(view.nearest.iter().cloned());
    lines.extend(view.notes.iter().cloned());
    lines.join("\n")
}
