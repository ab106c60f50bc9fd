//! All files of a drop are through: what came is selected, shown and said.

use super::edits::Decisions;
use super::imports::{Batch, Source};
use super::parts::strip::plural;
use super::state::State;
use crate::engine::protocol::Query;
use crate::link::Screen;
use crate::model::{Limit, LimitMetric, RunId};
use crate::views::library::{CONTENT, LibraryView, RunRow};
use leptos::prelude::*;

/// The limits that the samples open with: those of the sweep's own runs, under which its goodput
/// peaks inside the sweep.
const SAMPLE_LIMITS: [Limit; 3] = [
    Limit::at_most(LimitMetric::Ttft, 250.0),
    Limit::at_most(LimitMetric::Tpot, 18.0),
    Limit::at_most(LimitMetric::E2e, 900.0),
];

/// More runs of one drop than this are not selected by themselves: nobody compares a whole archive.
const MANY: usize = 24;

/// Names that a message lists before it only counts.
const NAMED: usize = 3;

impl State {
    /// Selects what came, and goes where it can be seen.
    pub(super) fn landed(self, batch: Batch) {
        if batch.again {
            // The new engine knows neither names nor removals.
            self.carry_out(&Decisions::default());
            self.toasts
                .say("The engine stopped and was started again; the files were read once more.");
            return;
        }
        if !batch.opened.is_empty() {
            self.client.ask_once(
                self.context.get_untracked(),
                Query::Library,
                move |view: Result<LibraryView, _>| {
                    self.reopened(match view {
                        Ok(view) => Batch { added: shown(&view, &batch.added), ..batch },
                        Err(_) => batch,
                    });
                },
            );
            return;
        }
        if batch.source == Source::Device {
            // Nor is it written over: whoever asked for it says what becomes of it.
            self.toasts.say("What was remembered on this device could not be read. The Library says why, and wipes it.");
            self.go(Screen::Library);
            return;
        }
        if let Source::Link(fragment) = &batch.source {
            self.not_inside(fragment);
            return;
        }
        // A server's dump that was removed and dropped again is back.
        self.edits.update(|e| e.amend(|d| d.removed.retain(|id| !batch.servers.contains(id))));
        if batch.added.is_empty() && !batch.servers.is_empty() {
            self.toasts.say(added(&batch, false));
            self.go(Screen::Library);
            return;
        }
        if batch.added.is_empty() {
            if let Some(said) = nothing_new(&batch) {
                self.toasts.say(said);
            }
            if batch.refused > 0 && !batch.mapped {
                self.go(Screen::Library);
            }
            return;
        }
        self.client.ask_once(
            self.context.get_untracked(),
            Query::Library,
            move |view: Result<LibraryView, _>| self.show(batch, view.ok()),
        );
    }

    fn show(self, mut batch: Batch, view: Option<LibraryView>) {
        let view = view.as_ref();
        if let Some(view) = view {
            batch.added = shown(view, &batch.added);
        }
        let sweep = |id: &RunId| {
            view.is_some_and(|view| {
                view.groups.iter().any(|g| g.sweep && g.rows.iter().any(|r| &r.id == id))
            })
        };
        let n = batch.added.len();
        let swept = batch.added.iter().filter(|id| sweep(id)).count();
        let singles: Vec<_> = batch.added.iter().filter(|id| !sweep(id)).cloned().collect();
        let one_sweep = !batch.sample && swept == n;
        let many = !one_sweep && n > MANY;
        let single = view.is_some_and(stands_alone);
        // A link may have named runs that only now are there: then its selection holds.
        let wanted =
            self.context.with_untracked(|c| batch.added.iter().any(|a| c.runs.contains(a)));
        let fresh = match () {
            () if many => Vec::new(),
            () if batch.sample && !singles.is_empty() => singles,
            () => batch.added.clone(),
        };
        // A run that was removed and dropped again is back.
        self.edits.update(|e| e.amend(|d| d.removed.retain(|id| !batch.added.contains(id))));
        if !wanted {
            self.edits.update(|e| {
                e.amend(|d| {
                    if batch.sample {
                        d.context.runs.clear();
                        d.context.baseline = None;
                        d.context.limits = SAMPLE_LIMITS.to_vec();
                    }
                    d.context.runs.extend(fresh.iter().cloned());
                });
            });
        }
        self.toasts.say(added(&batch, many && !wanted));
        // Whoever said what columns are may have more tables to say it of.
        if wanted || batch.mapped {
            return;
        }
        self.go(if batch.refused > 0 || many {
            Screen::Library
        } else if one_sweep {
            Screen::Curves
        } else if single {
            Screen::Distributions
        } else {
            Screen::Compare
        });
    }
}

/// Whether a single run with its requests is all that is loaded: a point is neither compared nor a curve.
fn stands_alone(view: &LibraryView) -> bool {
    let mut rows = view.groups.iter().flat_map(|group| &group.rows);
    let requests =
        |row: &RunRow| CONTENT.iter().zip(row.has).any(|((what, _), has)| *what == "Reqs" && has);
    rows.next().is_some_and(requests) && rows.next().is_none()
}

/// The rows of these runs, for a file may have been joined to another one after it came.
fn shown(view: &LibraryView, added: &[RunId]) -> Vec<RunId> {
    let mut shown = Vec::with_capacity(added.len());
    for group in &view.groups {
        for row in &group.rows {
            let pieces = row.pieces.iter().map(|piece| &piece.id);
            if pieces.chain([&row.id]).any(|id| added.contains(id)) {
                shown.push(row.id.clone());
            }
        }
    }
    shown
}

fn added(batch: &Batch, many: bool) -> String {
    let mut said = Vec::new();
    if !batch.added.is_empty() || batch.servers.is_empty() {
        said.push(format!("{} added", plural(batch.added.len(), "run")));
    }
    match batch.servers.len() {
        0 => {}
        1 => said.push("1 file of server metrics added".to_owned()),
        n => said.push(format!("{n} files of server metrics added")),
    }
    if !batch.duplicates.is_empty() {
        said.push(format!("{} already loaded", batch.duplicates.len()));
    }
    if batch.refused > 0 {
        said.push(format!("{} not read", plural(batch.refused, "file")));
    }
    if batch.cancelled > 0 {
        said.push(format!("{} cancelled", plural(batch.cancelled, "file")));
    }
    let said = said.join("; ");
    if many { format!("{said}. Select those to compare.") } else { said }
}

/// What to say of a drop that brought no run; nothing where the tray says all.
fn nothing_new(batch: &Batch) -> Option<String> {
    if batch.cancelled > 0 {
        return Some(format!("{} cancelled; nothing was added", plural(batch.cancelled, "file")));
    }
    match batch.duplicates.len() {
        0 => None,
        n if n > NAMED => Some(format!("Nothing new: {n} runs are loaded already")),
        _ if batch.refused > 0 => None,
        _ => Some(format!("Already loaded: {}", batch.duplicates.join(", "))),
    }
}
