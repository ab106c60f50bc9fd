//! From a printed number to the rows: what the tool's own definition gives again, what a definition that
//! its version is not known to use explains, and what no definition does.

use super::{Bridge, End, Mode, NoBridge, Number, Remainder, Route, build, words};
use crate::metrics::agreement::{Agreement, Verdict, agreement, half_last_digit};
use crate::metrics::detective::one_choice;
use crate::metrics::dimensions::Dimension;
use crate::metrics::evaluate::Ask;
use crate::metrics::hints::hint;
use crate::metrics::measured::Value;
use crate::metrics::own::own;
use crate::metrics::settings::{Settings, Tpot};
use crate::model::{Metric, ReportedValue, Run, Tool};

/// The name of a remainder that lies within the printed digits.
pub(super) const DIGITS: &str = "Printed digits";

/// The bridge from a value that the tool of `run` printed to the same metric and statistic of the rows
/// under `settings`.
///
/// # Errors
/// When neither the printed number nor the rows give the number to end at.
pub fn reported(
    run: &Run,
    printed: &ReportedValue,
    settings: &Settings,
    ask: &Ask,
    route: &Route,
) -> Result<Bridge, NoBridge> {
    let traced = Traced::of(run, printed, ask);
    let ask = &traced.ask;
    let (metric, stat) = (printed.metric, printed.stat);
    let first = Number { run, metric, stat, settings: traced.settings, ask };
    let last = Number { settings: *settings, ..first };
    let a = traced.end(run, printed);
    let again = first.value().exact();
    let mut bridge = match again {
        Some(_) => build(&first, &last, route)?,
        None => unwalked(&last, a.clone(), run, &traced),
    };
    bridge.mode = Mode::Reported;
    bridge.a = a;
    traced.say_choice(&mut bridge);
    if let Some(again) = again {
        bridge.remainder = Some(traced.rest(printed, again, run));
    }
    words::say(&mut bridge);
    Ok(bridge)
}

/// The definition behind a printed number, as far as the rows tell it.
pub(super) struct Traced {
    /// Limits as the file has them.
    pub ask: Ask,
    /// The tool's own ruler for this metric, or that with the one choice that gives the printed number.
    pub settings: Settings,
    /// The tool's own ruler.
    own: Settings,
    /// The dimension of that choice.
    chosen: Option<&'static str>,
    found: Option<Agreement>,
}

impl Traced {
    pub(super) fn of(run: &Run, printed: &ReportedValue, ask: &Ask) -> Self {
        let limits = run.reported.limits.clone().unwrap_or_else(|| ask.limits.clone());
        let ask = Ask { limits, ..ask.clone() };
        let own = ruler_of(run, printed.metric);
        let found = agreement(run, &ask).into_iter().find(|one| one.field == printed.field);
        let verdict = found.as_ref().map_or(Verdict::NotRecomputable, |one| one.verdict);
        // A single other choice that gives the printed number is where the walk starts.
        let other = match verdict {
            Verdict::Differs | Verdict::Close => one_choice(run, printed, &ask.limits),
            Verdict::Equal | Verdict::NotRecomputable => None,
        };
        let mut settings = own;
        let chosen = other.and_then(|(dimension, choice)| {
            let dimension = Dimension::find(dimension)?;
            dimension.write(&mut settings, &choice).then_some(dimension.id)
        });
        Self { ask, settings, own, chosen, found }
    }

    /// The printed number as an end.
    pub(super) fn end(&self, run: &Run, printed: &ReportedValue) -> End {
        End {
            run: run.id.clone(),
            name: run.name.clone(),
            metric: printed.metric,
            stat: printed.stat,
            settings: self.settings,
            value: Value::Reported(printed.value),
        }
    }

    /// What lies between the printed number and the first recomputed one.
    pub(super) fn rest(&self, printed: &ReportedValue, again: f64, run: &Run) -> Remainder {
        rest(printed, again, self.chosen.is_some(), self.found.as_ref(), run.tool.name())
    }

    /// Says at the step of the one other choice how it is known.
    fn say_choice(&self, bridge: &mut Bridge) {
        let steps = &mut bridge.steps;
        if let Some(step) =
            self.chosen.and_then(|id| steps.iter_mut().find(|step| step.dimension == id))
        {
            step.because.push_str(
                " The printed number comes out so, though this version of the tool is not known to measure so.",
            );
        }
    }
}

/// The ruler behind a printed number of this metric: GuideLLM holds its limit on TPOT against what it
/// calls ITL (see [`agreement`]).
fn ruler_of(run: &Run, metric: Metric) -> Settings {
    let own = own(run).settings;
    match metric {
        Metric::Goodput | Metric::SloShare if run.tool == Tool::Guidellm => {
            Settings { tpot: Tpot::AfterFirst, ..own }
        }
        _ => own,
    }
}

/// What lies between the printed number and the first recomputed one.
fn rest(
    printed: &ReportedValue,
    again: f64,
    by_choice: bool,
    found: Option<&Agreement>,
    tool: &str,
) -> Remainder {
    let change = again - printed.value;
    let half = half_last_digit(printed);
    let rounded = change.abs() <= half || change.abs() <= 1e-6 * again.abs();
    let reason = found.and_then(|one| one.because.clone());
    let because = match reason {
        _ if rounded && by_choice => {
            "The rows give the printed number within its digits under one other choice.".to_owned()
        }
        _ if rounded => {
            format!(
                "The rows give the printed number again under {tool}’s own definition, within its digits."
            )
        }
        Some(reason) => format!("What the rows can’t give of the printed number: {reason}."),
        None => "No definition that was tried gives the printed number.".to_owned(),
    };
    Remainder {
        name: if rounded { DIGITS.into() } else { "Printed, not in the rows".into() },
        change,
        low: Some(change - half),
        high: Some(change + half),
        because,
    }
}

/// A bridge without steps, where the rows do not give the tool's own number at all.
pub(super) fn unwalked(last: &Number<'_>, a: End, run: &Run, traced: &Traced) -> Bridge {
    let (value, own) = (last.value(), &traced.own);
    let found = traced.found.as_ref();
    let reason = match (found.and_then(|one| one.because.clone()), &value) {
        (Some(reason), _) => reason,
        (None, Value::Missing(reason)) => reason.clone(),
        (None, _) => "the rows do not give it under the tool’s own definition".to_owned(),
    };
    let mut stopped = format!("The printed number can’t be taken apart: {reason}.");
    if let Some(flag) = hint(run, last.metric, own) {
        stopped.push(' ');
        stopped.push_str(flag);
    }
    let b = super::end(last, value);
    Bridge { stopped: Some(stopped), ..Bridge::between(Mode::Reported, a, b) }
}
