//! A session file or a report that carries one was opened: what was decided in it comes back as one step.

use super::address;
use super::edits::Decisions;
use super::imports::{Batch, Source};
use super::parts::strip::plural;
use super::state::State;
use crate::engine::protocol::{Carrier, Opened};
use crate::link::{Link, LinkError, Screen, inside};
use crate::model::{Level, RunId};
use crate::web::download;
use crate::web::files::Named;
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl State {
    /// Takes over what was decided in the sessions of a drop; the view is that of the last. Runs that were
    /// loaded before stay in the Library.
    pub(super) fn reopened(self, batch: Batch) {
        let batch = &batch;
        let remembered = batch.source == Source::Device;
        let Some(last) = batch.opened.last() else { return };
        // A page that is loaded again has its view in the address.
        let view = if remembered && self.memory.addressed {
            Link::decode(&untrack(|| address::view(self)))
        } else {
            Link::decode(&last.decided.view)
        };
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
        let change = |d: &mut Decisions| {
            d.names.extend(names);
            for Opened { decided, .. } in &batch.opened {
                d.arrangement.take_over(decided);
            }
            // A link says nothing of the report.
            if last.carrier != Carrier::Link {
                d.report.clone_from(&last.decided.report);
            }
            match &view {
                Ok(link) => {
                    d.context = link.context.clone();
                    d.arrangement.groups.extend(link.groups.clone());
                    d.arrangement.gpus.extend(link.gpus.clone());
                    d.arrangement.marks.extend(link.marks.clone());
                }
                Err(_) => d.context.runs.clone_from(&batch.added),
            }
            if d.context.runs.is_empty() {
                d.context.runs.clone_from(&batch.added);
            }
        };
        if remembered {
            // That is how the reader left it, and no step that Undo should take back.
            self.edits.update(|e| change(&mut e.now));
            self.carry_out(&before);
            self.toasts.say(said);
            self.came_back();
        } else {
            self.decide(said.clone(), change);
            if self.edits.with_untracked(|e| e.now == before) {
                self.toasts.say(said);
            }
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
        if remembered || last.carrier == Carrier::Link {
            self.go(link.screen);
            self.sheet.set(link.sheet);
            return;
        }
        // A report is made from its own screen; what it tells stands on Compare.
        self.go(match link.screen {
            Screen::Report => Screen::Compare,
            screen => screen,
        });
    }

    /// Opens the data inside a link; its view comes with it.
    pub(super) fn open_inside(self, fragment: String) {
        self.inside.set(inside::taken_out(&fragment).1.map(str::to_owned));
        // A text as a blob: only a browser out of memory refuses it.
        if let Ok(blob) = download::blob(&fragment, "text/plain") {
            let file = Named { name: "link".to_owned(), blob };
            self.imports.add_as(file, Batch { source: Source::Link(fragment), ..Batch::default() });
        }
    }

    /// The data inside a link could not be read; the rest of the link still holds.
    pub(super) fn not_inside(self, fragment: &str) {
        self.inside.set(None);
        if let Ok(link) = Link::decode(fragment) {
            self.follow(link);
        }
        let why = self.imports.refusals.with_untracked(|all| {
            let of_link = all.iter().rev().find(|refusal| refusal.file == "link");
            of_link.map(|refusal| format!("{} {}", refusal.error, refusal.advice))
        });
        self.toasts.say(why.unwrap_or_else(|| "The data in the link was not read.".to_owned()));
    }
}

/// “Opened “x.sameruler” of 2026-11-29: 4 runs, request timings”.
fn said(last: &Opened, batch: &Batch, view: &Result<Link, LinkError>) -> String {
    let Opened { file, carrier, decided } = last;
    let file = file.rsplit('/').next().unwrap_or(file);
    let more = batch.opened.len() - 1;
    let mut said = match carrier {
        _ if batch.source == Source::Device => "Remembered on this device".to_owned(),
        Carrier::Session => format!("Opened the session {file}"),
        Carrier::Report => format!("Opened the report {file}"),
        Carrier::Link => "Opened the link".to_owned(),
    };
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
