//! What can be done about a finding, what was, and how a decision changes the context.

use super::{FindingRow, Found, gravest};
use crate::checks::{Advice, Between, Examined};
use crate::metrics::Dimension;
use crate::model::{Run, RunId};
use crate::notice::Severity;
use crate::units::within_sentence;
use crate::views::measure::settings;
use crate::views::numbers::count;
use crate::views::{Context, Ruler};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is suggested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suggestion {
    /// Something that a button does.
    Do {
        /// "Exclude 6 rows", "Use visible gaps", "Let it on", "Look at the rows".
        label: String,
        /// What it does.
        act: Act,
    },
    /// Something outside of this program, as a sentence.
    Say(String),
}

/// What a suggestion does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Leaves the requests out.
    Exclude,
    /// Measures by another definition.
    Set {
        /// Dimension id.
        dimension: String,
        /// Choice id.
        choice: String,
        /// "Definition set to “visible gaps”".
        said: String,
    },
    /// Lets the blocked run on.
    LetOn,
    /// Opens the details.
    Look,
}

/// What was decided about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Nothing yet.
    Open,
    /// Its requests are left out.
    Excluded,
    /// The suggested definition holds.
    Set,
    /// The run may be compared all the same.
    LetOn,
    /// It warns no more.
    Muted,
}

/// What is suggested for a group: what its gravest finding advises.
pub(super) fn suggestion(group: &[Found<'_>]) -> Suggestion {
    let Some(worst) = gravest(group) else { return Suggestion::Say(String::new()) };
    let rows: usize = group.iter().map(|found| found.finding.rows.len()).sum();
    let act = |label: String, act: Act| Suggestion::Do { label, act };
    match &worst.finding.advice {
        Advice::Exclude => act(format!("Exclude {}", count(rows, "row")), Act::Exclude),
        Advice::Set { dimension, choice } => {
            let name = choice_name(dimension, choice);
            let said = format!("Definition set to “{name}”");
            let (dimension, choice) = (dimension.clone(), choice.clone());
            // One word alone would read as a part of the sentence: “Use fails”.
            let label = if name.contains(' ') {
                format!("Use {name}")
            } else {
                format!("Use “{name}”")
            };
            act(label, Act::Set { dimension, choice, said })
        }
        Advice::Say(sentence) => Suggestion::Say(sentence.clone()),
        Advice::Look if worst.finding.severity == Severity::Block => {
            act(if group.len() > 1 { "Let them on" } else { "Let it on" }.to_owned(), Act::LetOn)
        }
        Advice::Look if rows > 0 => act("Look at the rows".to_owned(), Act::Look),
        Advice::Look if worst.finding.severity == Severity::Warn => {
            Suggestion::Say("Not repairable here".to_owned())
        }
        Advice::Look => Suggestion::Say(String::new()),
    }
}

/// The label of a choice in a sentence, or what was written where this build does not know it.
fn choice_name(dimension: &str, choice: &str) -> String {
    let id = choice.split(':').next().unwrap_or(choice);
    let found = Dimension::find(dimension).and_then(|dimension| dimension.choice(id));
    found.map_or_else(|| choice.to_owned(), |choice| within_sentence(choice.label))
}

/// What was decided about a group: one thing for all of its runs.
pub(super) fn state(group: &[Found<'_>], context: &Context) -> State {
    let judged = &context.judged;
    let all = |test: &dyn Fn(&Found<'_>) -> bool| !group.is_empty() && group.iter().all(test);
    let key = |found: &Found<'_>| (found.run.id.clone(), found.examined.id.clone().into_owned());
    if all(&|found| judged.muted.contains(&key(found))) {
        return State::Muted;
    }
    if all(&|found| judged.excluded.contains(&key(found))) {
        return State::Excluded;
    }
    if all(&|found| repaired(found.run, found.examined, context)) {
        return State::Set;
    }
    let on = |found: &Found<'_>| {
        found.finding.severity == Severity::Block && judged.let_on.contains(&found.run.id)
    };
    if all(&on) { State::LetOn } else { State::Open }
}

/// Whether a difference between runs was muted: for all that it concerns.
pub(super) fn is_muted(between: &Between, context: &Context) -> bool {
    let muted = |id: &RunId| context.judged.muted.contains(&(id.clone(), between.id.to_owned()));
    !between.runs.is_empty() && between.runs.iter().all(muted)
}

/// Whether the decision is one that [`FindingRow::take_back`] takes back.
pub(super) fn undoable(group: &[Found<'_>], context: &Context) -> bool {
    match state(group, context) {
        State::Open => false,
        State::Excluded | State::LetOn | State::Muted => true,
        State::Set => group.iter().any(|found| match (&found.finding.advice, &context.ruler) {
            (Advice::Set { dimension, choice }, Ruler::Same { changes, .. }) => {
                changes.get(dimension) == Some(choice)
            }
            _ => false,
        }),
    }
}

/// Whether a finding touches no number any more: its requests are left out, or the definition that it
/// suggests holds.
pub(super) fn repaired(run: &Run, examined: &Examined, context: &Context) -> bool {
    match examined.verdict.found().map(|finding| &finding.advice) {
        Some(Advice::Exclude) => {
            let key = (run.id.clone(), examined.id.clone().into_owned());
            context.judged.excluded.contains(&key)
        }
        Some(Advice::Set { dimension, choice }) => {
            settings(run, &context.ruler).value(dimension).as_deref() == Some(choice)
        }
        Some(Advice::Look | Advice::Say(_)) | None => false,
    }
}

impl FindingRow {
    /// What applying the suggestion does, for a toast: "6 requests of SGLang S4 left out. As
    /// its tool counts, TTFT mean: 81.8 → 88.9 ms".
    pub fn said(&self) -> String {
        let effect = self.effects.first().map(|e| {
            format!(". As its tool counts, {}: {} → {} {}", e.name, e.before, e.after, e.unit)
        });
        let done = match &self.suggestion {
            Suggestion::Do { act: Act::Exclude, .. } => {
                let noun = if self.share.of_these == "1" { "request" } else { "requests" };
                format!("{} {noun} of {} left out", self.share.of_these, self.whose)
            }
            Suggestion::Do { act: Act::Set { said, .. }, .. } => said.clone(),
            Suggestion::Do { act: Act::LetOn, .. } => format!("{} let on", self.whose),
            Suggestion::Do { act: Act::Look, .. } | Suggestion::Say(_) => return String::new(),
        };
        format!("{done}{}", effect.unwrap_or_default())
    }

    /// What was done, for the place of the button.
    pub fn done(&self) -> String {
        match self.state {
            State::Open => String::new(),
            State::Excluded => format!("{} left out", self.share.of_these),
            State::Set if self.undoable => "Definition set".to_owned(),
            State::Set => "Already measured so".to_owned(),
            State::LetOn => "Let on".to_owned(),
            State::Muted => "Muted".to_owned(),
        }
    }

    /// Does what is suggested. Says whether the context is another now.
    pub fn apply(&self, context: &mut Context) -> bool {
        let Suggestion::Do { act, .. } = &self.suggestion else { return false };
        let before = context.clone();
        let keys = self.runs.iter().map(|id| (id.clone(), self.check.clone()));
        match act {
            Act::Exclude => context.judged.excluded.extend(keys),
            Act::LetOn => context.judged.let_on.extend(self.runs.iter().cloned()),
            Act::Set { dimension, choice, .. } => {
                // Own words have no place for one definition: the common ruler is what holds it.
                let (preset, mut changes) = match &context.ruler {
                    Ruler::Same { preset, changes } => (preset.clone(), changes.clone()),
                    Ruler::Own => ("common".to_owned(), BTreeMap::new()),
                };
                changes.insert(dimension.clone(), choice.clone());
                context.ruler = Ruler::Same { preset, changes };
            }
            Act::Look => {}
        }
        *context != before
    }

    /// Takes the decision back, whichever it was.
    pub fn take_back(&self, context: &mut Context) {
        for id in &self.runs {
            let key = (id.clone(), self.check.clone());
            context.judged.excluded.remove(&key);
            context.judged.muted.remove(&key);
            if self.state == State::LetOn {
                context.judged.let_on.remove(id);
            }
        }
        if let (State::Set, Suggestion::Do { act: Act::Set { dimension, .. }, .. }) =
            (self.state, &self.suggestion)
            && let Ruler::Same { changes, .. } = &mut context.ruler
        {
            changes.remove(dimension);
        }
    }

    /// Mutes it: it stays in the list and in the report, as muted.
    pub fn mute(&self, context: &mut Context) {
        let keys = self.runs.iter().map(|id| (id.clone(), self.check.clone()));
        context.judged.muted.extend(keys);
    }
}
