//! Edits with undo: what the reader decided about the runs, as whole states before and after.
//!
//! Navigation is not an edit: it belongs to the browser's history (see `address`).

use crate::engine::Arrangement;
use crate::model::{ReportPlan, RunId};
use crate::views::Context;
use crate::views::distributions::DistributionsAsk;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that undo can bring back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decisions {
    /// Runs, ruler, limits, statistic.
    pub context: Context,
    /// Names given by the reader, and the old names of those taken back.
    pub names: BTreeMap<RunId, String>,
    /// Runs taken out of the Library.
    pub removed: BTreeSet<RunId>,
    /// Which files are one run and which runs one group.
    pub arrangement: Arrangement,
    /// What was typed on Distributions.
    pub asked: Asked,
    /// What is wanted of the report.
    pub report: ReportPlan,
}

/// What was typed on Distributions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Asked {
    /// The percentile whose value is asked for.
    pub quantile: Option<f64>,
    /// The value under which the share is asked for.
    pub value: Option<f64>,
}

impl Asked {
    /// What of a question was typed.
    pub const fn of(ask: &DistributionsAsk) -> Self {
        Self { quantile: ask.quantile, value: ask.value }
    }

    /// The question with what was typed.
    pub const fn put(self, ask: &mut DistributionsAsk) {
        ask.quantile = self.quantile;
        ask.value = self.value;
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// What it did, as a sentence.
    pub said: String,
    /// Steps with the same key that follow each other are one, such as the digits of a limit.
    key: Option<&'static str>,
    before: Decisions,
}

/// Undo keeps this many steps.
const STEPS: usize = 200;

/// The present state and the way back and forth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Edits {
    /// What holds now.
    pub now: Decisions,
    past: Vec<Edit>,
    future: Vec<Edit>,
}

impl Edits {
    /// No steps yet, from a first state.
    pub fn starting(now: Decisions) -> Self {
        Self { now, ..Self::default() }
    }

    /// Takes a step. Says whether anything changed.
    pub fn step(
        &mut self,
        said: impl Into<String>,
        key: Option<&'static str>,
        change: impl FnOnce(&mut Decisions),
    ) -> bool {
        let before = self.now.clone();
        change(&mut self.now);
        if self.now == before {
            return false;
        }
        self.future.clear();
        match self.past.last_mut() {
            Some(last) if key.is_some() && last.key == key => last.said = said.into(),
            _ => self.past.push(Edit { said: said.into(), key, before }),
        }
        if self.past.len() > STEPS {
            self.past.remove(0);
        }
        true
    }

    /// Changes every state alike without a step, such as runs that came in: undo must not hide them.
    pub fn amend(&mut self, change: impl Fn(&mut Decisions)) {
        change(&mut self.now);
        for edit in self.past.iter_mut().chain(&mut self.future) {
            change(&mut edit.before);
        }
    }

    /// Takes the last step back and says what it was.
    pub fn undo(&mut self) -> Option<String> {
        let edit = self.past.pop()?;
        let after = std::mem::replace(&mut self.now, edit.before);
        self.future.push(Edit { before: after, said: edit.said.clone(), key: None });
        Some(edit.said)
    }

    /// Does the last undone step again and says what it was.
    pub fn redo(&mut self) -> Option<String> {
        let edit = self.future.pop()?;
        let before = std::mem::replace(&mut self.now, edit.before);
        self.past.push(Edit { before, said: edit.said.clone(), key: None });
        Some(edit.said)
    }

    /// What Undo would take back.
    pub fn undoable(&self) -> Option<&str> {
        self.past.last().map(|edit| edit.said.as_str())
    }

    /// What Redo would do again.
    pub fn redoable(&self) -> Option<&str> {
        self.future.last().map(|edit| edit.said.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Limit, LimitMetric, Stat};

    fn stat(stat: Stat) -> impl FnOnce(&mut Decisions) {
        move |d| d.context.stat = stat
    }

    #[test]
    fn undo_and_redo_go_back_and_forth() {
        let mut edits = Edits::default();
        assert!(edits.step("p90", None, stat(Stat::Percentile(90.0))));
        assert!(edits.step("p99", None, stat(Stat::Percentile(99.0))));
        assert_eq!(edits.undo().as_deref(), Some("p99"));
        assert_eq!(edits.now.context.stat, Stat::Percentile(90.0));
        assert_eq!(edits.redo().as_deref(), Some("p99"));
        assert_eq!(edits.now.context.stat, Stat::Percentile(99.0));
        edits.undo();
        edits.undo();
        assert_eq!(edits.now, Decisions::default());
        assert_eq!(edits.undo(), None);
    }

    #[test]
    fn nothing_changed_is_no_step_and_a_new_step_ends_redo() {
        let mut edits = Edits::default();
        assert!(!edits.step("same", None, |_| {}));
        edits.step("p90", None, stat(Stat::Percentile(90.0)));
        edits.undo();
        edits.step("mean", None, stat(Stat::Mean));
        assert_eq!(edits.redo(), None);
        assert_eq!(edits.undoable(), Some("mean"));
    }

    #[test]
    fn typing_a_limit_is_one_step() {
        let mut edits = Edits::default();
        for millis in [1.0, 11.0, 110.0] {
            edits.step("TTFT", Some("limit-ttft"), |d| {
                d.context.limits = vec![Limit::at_most(LimitMetric::Ttft, millis)];
            });
        }
        edits.undo();
        assert_eq!(edits.now, Decisions::default());
    }

    #[test]
    fn runs_that_came_in_stay_through_undo() {
        let mut edits = Edits::default();
        let id = RunId::parse("07b8da36c52a").unwrap();
        edits.step("mean", None, stat(Stat::Mean));
        edits.amend(|d| d.context.runs.push(id.clone()));
        edits.undo();
        assert_eq!(edits.now.context.runs, [id]);
    }

    #[test]
    fn at_least_a_hundred_steps_are_kept() {
        let mut edits = Edits::default();
        for i in 0..150 {
            edits.step("step", None, stat(Stat::Percentile(f64::from(i) / 2.0)));
        }
        assert_eq!(std::iter::from_fn(|| edits.undo()).count(), 150);
    }
}
