//! The Server screen: what a server’s buckets can and cannot say, beside a client’s run.

use super::attach::attached;
use super::buckets::{Both, HistogramRow, rows, trim};
use super::client::{ClientServer, Compared, client_server, phases};
use super::gauges::gauges;
use super::headline::headline;
use super::limits;
use super::lines::{against, counters, facts, identities, names, traps};
use super::pairing::{ServerAsk, paired};
use crate::charts::Spec;
use crate::metrics::own;
use crate::model::{Dump, Run, RunId, ServerDump};
use crate::prometheus::names::Measure;
use crate::prometheus::words::time;
use crate::prometheus::{Account, Ask, account, joined, last_reading};
use crate::views::Context;
use crate::views::curves::Table;
use serde::{Deserialize, Serialize};

/// Everything of the Server screen. Without a dump all but `runs` is empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ServerView {
    /// What there is to say first, computed.
    pub headline: String,
    /// The reason, in a sentence or two.
    pub subline: String,
    /// The dumps, in the order in which they came.
    pub dumps: Vec<Pick>,
    /// The runs that can be attached.
    pub runs: Vec<Pick>,
    /// Window, engine, how these dumps and this run were chosen: a word and a sentence each.
    pub facts: Vec<Line>,
    /// Histograms, drawn on one axis.
    pub histograms: Vec<HistogramRow>,
    /// Client against server by measure; the last cell says how it reads.
    pub against: Vec<Against>,
    /// What else the two sides say of each other.
    pub said: Vec<String>,
    /// The mean request by phase.
    pub phases: Vec<Share>,
    /// What the buckets say of each limit and of all together.
    pub limits: Vec<Line>,
    /// What to know before a number is quoted.
    pub traps: Vec<Line>,
    /// Sums that an engine keeps, with both sides.
    pub identities: Vec<Line>,
    /// Counters that say something by themselves.
    pub counters: Vec<Line>,
    /// Running, waiting and KV cache over time.
    pub gauges: Vec<Spec>,
    /// Which names were used, what they mean, since when, and what came before.
    pub names: Table,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pick {
    /// The dump or the run.
    pub id: RunId,
    /// Its name.
    pub name: String,
    /// Which place it has among those chosen, from 0; `None` of one that is not.
    pub at: Option<usize>,
}

/// How a line reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// As it ought to be.
    Fine,
    /// To be known.
    #[default]
    Note,
    /// A reading that goes wrong.
    Warn,
}

/// A word and what is said of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Line {
    /// The word.
    pub name: String,
    /// The sentence.
    pub text: String,
    /// How it reads.
    pub mark: Mark,
}

/// One measure on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Against {
    /// The measure.
    pub name: String,
    /// Means of client and server and their difference; p99 of the client, of the client in the server’s
    /// buckets, of the server: in milliseconds.
    pub cells: [String; 6],
    /// What sign is expected.
    pub expected: String,
    /// How the difference reads.
    pub reading: String,
    /// The same as a mark.
    pub mark: Mark,
}

/// A part of the mean request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The phase.
    pub name: String,
    /// Its mean with a unit.
    pub text: String,
    /// Its share of the whole, 0 to 1.
    pub share: f64,
}

/// The histograms shown, in this order; each with its name.
const SHOWN: [(Measure, &str); 7] = [
    (Measure::Ttft, "Time to first token"),
    (Measure::Itl, "Gap between outputs"),
    (Measure::Tpot, "Time per output token"),
    (Measure::E2e, "Request latency"),
    (Measure::Queue, "Queue time"),
    (Measure::Prefill, "Prefill time"),
    (Measure::Decode, "Decode time"),
];

/// Builds the screen. The selected runs are those that may be attached by themselves.
pub fn screen(
    dumps: &[&ServerDump],
    runs: &[&Run],
    context: &Context,
    ask: &ServerAsk,
) -> ServerView {
    let Some(paired) = paired(dumps, ask) else {
        return ServerView { runs: picks(runs, None), ..ServerView::default() };
    };
    let account = account_of(&paired.dumps);
    let selected: Vec<&Run> = runs
        .iter()
        .copied()
        .filter(|run| context.runs.is_empty() || context.runs.contains(&run.id))
        .collect();
    let candidates = if matches!(ask.beside, super::Beside::Run(_)) { runs } else { &selected };
    let (run, because) = attached(&account, candidates, &ask.beside);
    let client = run.map(|run| client_server(&account, run, &own(run).settings));
    let (client, uncompared) = match client {
        Some(Ok(client)) => (Some(client), None),
        Some(Err(reason)) => (None, Some(reason)),
        None => (None, None),
    };
    let (headline, subline) = headline(&account, client.as_ref());
    let place = |id: &RunId| paired.dumps.iter().position(|dump| dump.id == *id);
    let mut facts = facts(&account, &paired.because, run, because, client.as_ref());
    if let Some(reason) = uncompared {
        let text = format!("The client can’t be put beside the server: {reason}.");
        facts.push(Line { name: "Not compared".into(), text, mark: Mark::Warn });
    }
    ServerView {
        headline,
        subline,
        dumps: dumps
            .iter()
            .map(|dump| Pick { id: dump.id.clone(), name: dump_name(dump), at: place(&dump.id) })
            .collect(),
        runs: picks(runs, run),
        facts,
        histograms: histograms(&account, client.as_ref()),
        against: client.as_ref().map(against).unwrap_or_default(),
        said: client.as_ref().map(said).unwrap_or_default(),
        phases: shares(&account, client.as_ref()),
        limits: limits::lines(&account, &context.limits),
        traps: traps(&account),
        identities: identities(&account),
        counters: counters(&account),
        gauges: gauges(&account),
        names: names(&account),
    }
}

/// The account of dumps that are read together, in order of time.
pub(super) fn account_of(dumps: &[&ServerDump]) -> Account {
    // Of two files the last page each is meant; one file is taken with all its readings.
    let chosen: Vec<Dump> = match dumps {
        [one] => vec![one.dump.clone()],
        [before, after] => vec![last_reading(&before.dump), last_reading(&after.dump)],
        more => more.iter().map(|dump| dump.dump.clone()).collect(),
    };
    let all: Vec<&Dump> = chosen.iter().collect();
    account(&joined(&all), &Ask::default())
}

/// A dump by its name, and by its folder where another may have the same.
fn dump_name(dump: &ServerDump) -> String {
    let file = &dump.provenance.file;
    let folder = file.rsplit('/').nth(1);
    match folder {
        Some(folder) if file.ends_with(&dump.name) => format!("{folder}/{}", dump.name),
        _ => dump.name.clone(),
    }
}

fn picks(runs: &[&Run], attached: Option<&Run>) -> Vec<Pick> {
    let at = |run: &Run| attached.filter(|own| own.id == run.id).map(|_| 0);
    let with_rows = runs.iter().filter(|run| run.requests.is_some());
    with_rows.map(|run| Pick { id: run.id.clone(), name: run.name.clone(), at: at(run) }).collect()
}

fn histograms<'c>(account: &'c Account, client: Option<&'c ClientServer>) -> Vec<HistogramRow> {
    let both = |(measure, name): (Measure, &str)| {
        let server = account.server(measure)?;
        let beside =
            |client: &'c ClientServer| client.rows.iter().find(|row| row.id == measure.id());
        let some = server.count.is_some_and(|count| count > 0.0);
        some.then(|| Both { name: name.to_owned(), server, client: client.and_then(beside) })
    };
    let all: Vec<Both<'_>> = SHOWN.into_iter().filter_map(both).collect();
    rows(&all)
}

/// What the two sides say of each other beyond the table: what one more request could do, and tokens.
fn said(client: &ClientServer) -> Vec<String> {
    let mut said: Vec<String> = client.rows.iter().filter_map(one_more).collect();
    said.extend(client.tokens.as_ref().map(|tokens| tokens.sentence.clone()));
    said
}

/// What the requests that only the server saw must have been like to turn a sign round.
fn one_more(row: &Compared) -> Option<String> {
    let more = row.server_n - row.client_n as f64;
    if row.as_expected != Some(false) || more <= 0.0 {
        return None;
    }
    let sums = row.server_n * row.server_mean - row.client_n as f64 * row.client_mean;
    let least = sums / more;
    let p99 = row.quantiles.iter().find(|of| of.q > 0.98)?.client;
    let (subject, verb) = if more < 1.5 {
        ("the one request that only the server counted".to_owned(), "needs")
    } else {
        (format!("the {} requests that only the server counted", trim(more)), "need")
    };
    let could = if least <= p99 {
        "which the client’s own rows reach"
    } else {
        "more than the client’s own rows reach"
    };
    Some(format!(
        "Could other requests turn the sign of {}? For that {subject} {verb} a mean of at least {}, {could} (p99 {}).",
        row.name,
        time(least),
        time(p99)
    ))
}

fn shares(account: &Account, client: Option<&ClientServer>) -> Vec<Share> {
    let phases = client.map_or_else(|| phases(account, &[]), |client| client.phases.clone());
    let whole: f64 = phases.iter().map(|phase| phase.mean).sum();
    let share = |mean: f64| if whole > 0.0 { mean / whole } else { 0.0 };
    phases
        .into_iter()
        .map(|phase| Share { text: time(phase.mean), share: share(phase.mean), name: phase.name })
        .collect()
}
