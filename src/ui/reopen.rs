//! A session file or a report that carries one was opened: what was decided in it comes back as one step.

use super::imports::Batch;
use super::parts::strip::plural;
use super::state::State;
use crate::engine::protocol::Opened;
use crate::link::{Link, LinkError, Screen};
use crate::model::{Level, RunId};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl State {
    /// Takes over what was decided in the sessions of a drop; the view is that of the last. Runs that were
    /// loaded before stay in the Library.
    pub(super) fn reopened(self, batch: Batch) {
        let batch = &batch;
        let Some(last) = batch.opened.last() else { return };
        let view = Link::decode(&last.decided.view);
        // What was removed and is dropped again is back, and Undo must not hide it.
        self.edits.update(|e| {
            e.amend(|d| {
                d.removed.retain(|id| !batch.added.contains(id) && !batch.servers.contains(id));
            });
        });
        let names: BTreeMap<RunId, String> =
            batch.opened.iter().flat_map(|opened| opened.decided.names.clone()).collect();
        let old: BTreeMap<RunId, String> =
            untrack(|| self.rows()).into_iter().map(|row| (row.id, row.name)).collect();
        self.edits.update(|e| {
            e.amend(|d| {
                for id in names.keys() {
                    if let Some(old) = old.get(id) {
                        d.names.entry(id.clone()).or_insert_with(|| old.clone());
                    }
                }
            });
        });
        let said = said(last, batch, &view);
        let before = self.edits.with_untracked(|e| e.now.clone());
        self.decide(said.clone(), |d| {
            d.names.extend(names);
            for Opened { decided, .. } in &batch.opened {
                d.arrangement.apart.extend(decided.apart.iter().cloned());
                d.arrangement.groups.extend(decided.groups.clone());
                d.arrangement.gpus.extend(decided.gpus.clone());
                for set in &decided.together {
                    if !d.arrangement.together.contains(set) {
                        d.arrangement.together.push(set.clone());
                    }
                }
            }
            d.report.clone_from(&last.decided.report);
            match &view {
                Ok(link) => d.context = link.context.clone(),
                Err(_) => d.context.runs.clone_from(&batch.added),
            }
            if d.context.runs.is_empty() {
                d.context.runs.clone_from(&batch.added);
            }
        });
        if self.edits.with_untracked(|e| e.now == before) {
            self.toasts.say(said);
        }
        let Ok(link) = view else {
            self.go(Screen::Compare);
            return;
        };
        self.axes.set(link.axes);
        self.goodput.set(link.goodput);
        self.ask(None, |ask| *ask = link.distributions);
        self.explain.set(link.explain);
        self.requests.set(link.requests);
        // A report is made from its own screen; what it tells stands on Compare.
        self.go(match link.screen {
            Screen::Report => Screen::Compare,
            screen => screen,
        });
    }
}

/// “Opened “x.sameruler” of 2026-11-29: 4 runs, request timings”.
fn said(last: &Opened, batch: &Batch, view: &Result<Link, LinkError>) -> String {
    let Opened { file, report, decided } = last;
    let file = file.rsplit('/').next().unwrap_or(file);
    let kind = if *report { "report" } else { "session" };
    let more = batch.opened.len() - 1;
    let mut said = format!("Opened the {kind} {file}");
    if !decided.date.is_empty() {
        let _ = write!(said, " of {}", decided.date);
    }
    if more > 0 {
        let _ = write!(said, " and {more} more");
    }
    let _ = write!(said, ": {} added", plural(batch.added.len(), "run"));
    if decided.level < Level::Events {
        let _ = write!(said, ", with {}", decided.level.name());
    }
    if let Err(error) = view {
        let _ = write!(said, ". Its view was not understood. {error}");
    }
    said
}
