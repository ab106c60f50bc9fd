//! Requests: a run request by request, as lanes on one clock, as a table, and one of them at length.

mod ask;
mod card;
mod finding;
mod lanes;
mod list;
mod pieces;
mod rows;

pub use ask::{Align, Colour, Named, Order, RequestsAsk, RowsAsk, Sort, Status};
pub use card::{CardLine, RequestCard};
pub use finding::{Shows, StallRow};
pub use lanes::{key_of, range_of, request_of};
pub use rows::{Column, RequestRow, RowsView};

use super::labels::Styles;
use super::measure::{Measurement, measure};
use super::numbers::count;
use super::{Context, labels};
use crate::charts::Lanes;
use crate::checks::{self, Subject};
use crate::metrics::{
    RequestTable, Shutter, Stalls, Timeline, hint, recording, request_table, stalls, timeline_of,
};
use crate::model::{Limit, Metric, Run, RunId};
use crate::units::fixed;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The whole Requests screen but for the rows of the table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RequestsView {
    /// The runs to choose from: the selected ones.
    pub runs: Vec<(RunId, String)>,
    /// The run that is shown.
    pub run: Option<RunId>,
    /// The finding, as a sentence.
    pub title: String,
    /// The clock, how many requests, which window.
    pub stamp: String,
    /// The lanes and what stands under them.
    pub picture: Option<Lanes>,
    /// Why there is nothing to show.
    pub empty: Option<Empty>,
    /// Three numbers, and which of them shows the longest stall.
    pub strip: Vec<Shows>,
    /// The stalls in order of time.
    pub stalls: Vec<StallRow>,
    /// By which rule stalls are found, or why they can't be.
    pub stall_rule: String,
    /// How many requests each status has; those without any are left out.
    pub statuses: Vec<(Status, usize)>,
    /// Requests in the file.
    pub total: usize,
    /// Requests that are shown.
    pub matching: usize,
    /// What is asked for, where no request is it: a sentence.
    pub nothing: Option<String>,
    /// What clocks of this file can't have told.
    pub faults: Vec<Fault>,
    /// The chosen request.
    pub card: Option<RequestCard>,
    /// The requests before and after it in the order of the lanes; without one, the last and the first.
    pub beside: (Option<usize>, Option<usize>),
    /// The request that took longest.
    pub slowest: Option<usize>,
    /// Seconds from the first send to the last end; 0 without send times.
    pub length: f64,
}

/// Why there is nothing to show, and what would record it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Empty {
    /// What is missing.
    pub text: String,
    /// What to do, as a sentence.
    pub advice: Option<String>,
    /// What to write at the command, to be copied.
    pub flag: Option<String>,
}

/// Times that no clock gives.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Fault {
    /// The check that found them.
    pub check: String,
    /// What was found.
    pub text: String,
    /// “Requests 3, 17, 20 and 4 more”.
    pub rows: String,
    /// The first of them.
    pub first: usize,
    /// Whether the reader left them out.
    pub left_out: bool,
}

/// What is worked out of a run for the screen, kept while the run is held.
struct Worked {
    table: RequestTable,
    stalls: Result<Stalls, String>,
    /// Which requests paused in a stall.
    paused: Vec<bool>,
    /// Output tokens up to which a reply is of the first, second and third fourth.
    fourths: Option<[f64; 3]>,
}

/// A run with what is worked out of it.
struct Shown<'a> {
    own: Measurement<'a>,
    context: &'a Context,
    worked: Arc<Result<Worked, String>>,
}

#[derive(PartialEq)]
struct WorkedUnder(crate::metrics::Settings, Vec<Limit>, Vec<usize>);

#[derive(PartialEq)]
struct Over(crate::metrics::Settings, Vec<usize>, Option<(u64, u64)>);

#[derive(PartialEq)]
struct ClockFaults;

impl<'a> Shown<'a> {
    /// The run that is asked for, else the baseline, else the first selected one.
    fn of(all: &[&'a Run], context: &'a Context, ask: Option<&RunId>) -> Option<Self> {
        let find = |id: &RunId| all.iter().copied().find(|run| run.id == *id);
        let baseline = context.baseline.as_ref().filter(|id| context.runs.contains(id));
        let run = ask
            .and_then(find)
            .or_else(|| baseline.and_then(find))
            .or_else(|| context.runs.iter().find_map(find))?;
        let own = measure(run, Styles::of(all).get(&run.id), context, None);
        let (settings, excluded) = (own.settings, own.excluded().to_vec());
        let key = WorkedUnder(settings, context.limits.clone(), excluded.clone());
        let worked = run.memory.recall(key, || {
            let table = request_table(run, &settings, &context.limits, &excluded)?;
            let stalls = stalls(run, &settings, &excluded);
            let mut paused = vec![false; table.len()];
            let rows = stalls.iter().flat_map(|stalls| &stalls.list).flat_map(|stall| &stall.rows);
            for at in rows {
                if let Some(paused) = paused.get_mut(*at) {
                    *paused = true;
                }
            }
            let fourths = pieces::fourths(&table.tokens);
            Ok(Worked { table, stalls, paused, fourths })
        });
        Some(Self { own, context, worked })
    }

    /// The run over time, or over a stretch of it.
    fn timeline(&self, between: Option<(f64, f64)>) -> Arc<Result<Timeline, String>> {
        let (run, settings) = (self.own.run, self.own.settings);
        let excluded = self.own.excluded().to_vec();
        let bits = between.map(|(a, b)| (a.to_bits(), b.to_bits()));
        run.memory.recall(Over(settings, excluded.clone(), bits), || {
            timeline_of(run, &settings, &excluded, Shutter { between, bins: 40.0 })
        })
    }
}

/// Builds the screen.
pub fn requests(all: &[&Run], context: &Context, ask: &RequestsAsk) -> RequestsView {
    let Some(shown) = Shown::of(all, context, ask.run.as_ref()) else {
        return RequestsView {
            empty: Some(Empty {
                text: "No run is selected. Choose runs in the Library.".into(),
                ..Empty::default()
            }),
            ..RequestsView::default()
        };
    };
    let selected: Vec<&Run> =
        context.runs.iter().filter_map(|id| all.iter().copied().find(|r| r.id == *id)).collect();
    let names = labels::distinct_names(&selected);
    let runs: Vec<_> = selected.iter().map(|run| run.id.clone()).zip(names).collect();
    let run = shown.own.run;
    let base = RequestsView { runs, run: Some(run.id.clone()), ..RequestsView::default() };
    match shown.worked.as_ref() {
        Ok(worked) if !worked.table.is_empty() => of_rows(&shown, worked, ask, base),
        Ok(_) => RequestsView { empty: Some(without(run, &shown, "its list is empty")), ..base },
        Err(reason) => RequestsView { empty: Some(without(run, &shown, reason)), ..base },
    }
}

fn without(run: &Run, shown: &Shown<'_>, reason: &str) -> Empty {
    Empty {
        text: format!("{} has no single requests to show: {reason}.", run.name),
        advice: hint(run, Metric::Ttft, &shown.own.settings).map(str::to_owned),
        flag: recording(run).map(str::to_owned),
    }
}

fn of_rows(
    shown: &Shown<'_>,
    worked: &Worked,
    ask: &RequestsAsk,
    base: RequestsView,
) -> RequestsView {
    let table = &worked.table;
    let whole = shown.timeline(None);
    let length = whole.as_ref().as_ref().map_or(0.0, |line| line.length.as_secs());
    let matching = list::matching(worked, ask);
    let order = list::ordered(worked, ask.order, matching);
    let at = ask.chosen.and_then(|chosen| order.iter().position(|at| *at == chosen));
    let beside = match at {
        Some(at) => (
            at.checked_sub(1).and_then(|before| order.get(before)).copied(),
            order.get(at + 1).copied(),
        ),
        None => (order.last().copied(), order.first().copied()),
    };
    let slowest = list::ordered(worked, Order::E2e, order.clone());
    let slowest = slowest.first().copied().filter(|at| list::value(&table.e2e, *at).is_some());
    let picture = lanes::picture(shown, worked, ask, &order);
    RequestsView {
        title: picture.title.clone(),
        stamp: picture.stamp.clone(),
        picture: Some(picture),
        strip: finding::strip(shown, worked),
        stalls: finding::stall_rows(worked),
        stall_rule: match &worked.stalls {
            Ok(_) => crate::metrics::STALL_RULE.to_owned(),
            Err(reason) => format!("Stalls can’t be told: {reason}."),
        },
        statuses: list::statuses(worked, ask.status),
        nothing: order.is_empty().then(|| nothing(ask, table.len())),
        total: table.len(),
        matching: order.len(),
        faults: faults(shown),
        card: ask.chosen.and_then(|at| card::card(shown, worked, at)),
        beside,
        slowest,
        length,
        ..base
    }
}

/// “No request of 84 is that: failed, in flight from 2.1 to 4.5 s.”
fn nothing(ask: &RequestsAsk, total: usize) -> String {
    let status = (ask.status != Status::All).then(|| ask.status.words().to_owned());
    let time = ask.time.map(|(from, to)| {
        let secs = |time: f64| crate::units::significant(time, 4);
        format!("in flight from {} to {} s", secs(from), secs(to))
    });
    let asked: Vec<String> = status.into_iter().chain(time).collect();
    if asked.is_empty() {
        return "Every request was left out.".to_owned();
    }
    format!("No request of {} is that: {}.", fixed(total as f64, 0), asked.join(", "))
}

/// What the clock of the run can't have told, by the checks.
fn faults(shown: &Shown<'_>) -> Vec<Fault> {
    let run = shown.own.run;
    let found = run.memory.recall(ClockFaults, || {
        let subject = Subject::new(run);
        let checks = ["impossible-times", "clock-steps"].into_iter().filter_map(checks::find);
        let found = checks.filter_map(|check| {
            let finding = check.find(&subject).ok()??;
            Some((check.about().id, finding.text, finding.rows))
        });
        found.filter(|(_, _, rows)| !rows.is_empty()).collect::<Vec<_>>()
    });
    let fault = |(check, text, rows): &(&'static str, String, Vec<usize>)| Fault {
        check: (*check).to_owned(),
        text: text.clone(),
        rows: numbered(rows),
        first: rows.first().copied().unwrap_or_default(),
        left_out: shown.context.judged.excluded.contains(&(run.id.clone(), (*check).to_owned())),
    };
    found.iter().map(fault).collect()
}

/// “Request 3”, “Requests 3, 17 and 20”, “Requests 3, 17, 20, 21, 22 and 8 more”; rows count from 1.
fn numbered(rows: &[usize]) -> String {
    const TOLD: usize = 12;
    let mut told: Vec<String> =
        rows.iter().take(TOLD).map(|at| fixed(*at as f64 + 1.0, 0)).collect();
    if rows.len() > TOLD {
        told.push(format!("{} more", fixed((rows.len() - TOLD) as f64, 0)));
    }
    let noun = if rows.len() == 1 { "Request" } else { "Requests" };
    match told.split_last() {
        Some((last, [])) => format!("{noun} {last}"),
        Some((last, before)) => format!("{noun} {} and {last}", before.join(", ")),
        None => String::new(),
    }
}

/// Some rows of the table, or all of them as a file.
pub fn request_rows(all: &[&Run], context: &Context, ask: &RowsAsk) -> RowsView {
    let Some(shown) = Shown::of(all, context, ask.of.run.as_ref()) else {
        return RowsView::default();
    };
    match shown.worked.as_ref() {
        Ok(worked) => rows::rows(&shown, worked, ask),
        Err(_) => RowsView::default(),
    }
}

/// “50 requests”, “12 of 50 requests”.
fn counted(matching: usize, total: usize) -> String {
    if matching == total {
        count(total, "request")
    } else {
        format!("{} of {}", fixed(matching as f64, 0), count(total, "request"))
    }
}
