//! A client’s run against the server’s account of the same stretch.
//!
//! Client rows and server histograms are never subtracted percentile by percentile: the client’s samples
//! are put into the server’s own buckets, and what differs then is the way between them. Means, which
//! buckets don’t blur, are subtracted.

use super::offset::{Offset, offset};
use super::samples::{Sampled, Sign, sampled};
use crate::checks::Table;
use crate::metrics::{Settings, timeline};
use crate::model::Run;
use crate::prometheus::names::Measure;
use crate::prometheus::words::{counted, number, time};
use crate::prometheus::{Account, ServerHistogram};
use crate::stats::Histogram;
use crate::units::{Tokens, significant};
use serde::{Deserialize, Serialize};

/// A client’s run against a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClientServer {
    /// Measure by measure.
    pub rows: Vec<Compared>,
    /// Output tokens counted on both sides.
    pub tokens: Option<TokenCheck>,
    /// The server’s means by phase, with what the client sees beyond them.
    pub phases: Vec<Phase>,
    /// Where the client’s zero lies on the server’s clock; the reason where nothing tells, as a clause.
    pub offset: Result<Offset, String>,
    /// What to know, in sentences; the first explains the p99.
    pub sentences: Vec<String>,
}

/// One measure on both sides. Times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Stable id, such as `ttft`.
    pub id: String,
    /// Its name on screen.
    pub name: String,
    /// The server’s series.
    pub series: String,
    /// Observations of the server.
    pub server_n: f64,
    /// Samples of the client.
    pub client_n: usize,
    /// The server’s mean, Σ ÷ n.
    pub server_mean: f64,
    /// The client’s mean.
    pub client_mean: f64,
    /// What the sign of client less server ought to be, and why: a clause.
    pub expected: String,
    /// Whether the means have it; `None` where either sign is right.
    pub as_expected: Option<bool>,
    /// Quantiles on both sides.
    pub quantiles: Vec<ComparedQuantile>,
    /// The server’s own edges with both counts, cumulated; the last one has no upper edge.
    pub bins: Vec<Bin>,
    /// What its p99 says, in a sentence.
    pub sentence: Option<String>,
}

impl Compared {
    /// What a dashboard would show of the client’s samples in the server’s buckets, in seconds.
    pub(super) fn binned(&self, q: f64) -> Option<f64> {
        let edges = self.bins.iter().map(|bin| (bin.edge.unwrap_or(f64::INFINITY), bin.client));
        Histogram::new(&edges.collect::<Vec<_>>(), None).ok()?.promql(q)
    }
}

/// A quantile on both sides. Times in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ComparedQuantile {
    /// The quantile, 0 to 1.
    pub q: f64,
    /// What a dashboard shows of the server.
    pub server_shown: Option<f64>,
    /// Not below this on the server.
    pub server_low: f64,
    /// Not above this on the server, where something says so.
    pub server_high: Option<f64>,
    /// The client’s own, by nearest rank.
    pub client: f64,
    /// What a dashboard would show of the client’s samples in the server’s buckets.
    pub client_binned: Option<f64>,
}

/// A bucket with both sides’ counts up to its edge.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Upper edge in seconds; `None` of the last one.
    pub edge: Option<f64>,
    /// The server’s observations up to it.
    pub server: f64,
    /// The client’s samples up to it.
    pub client: f64,
}

/// Output tokens counted on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenCheck {
    /// By how much the server’s counter rose.
    pub server: f64,
    /// Σ of the client’s completion tokens.
    pub client: f64,
    /// Both counts in a sentence.
    pub sentence: String,
}

/// One phase of the mean request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Stable id.
    pub id: String,
    /// Its name on screen.
    pub name: String,
    /// Its mean in seconds.
    pub mean: f64,
}

/// The quantiles compared.
const QUANTILES: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

/// Two counts are called the same up to this share of them.
const SAME_COUNT: f64 = 1e-9;

/// Compares a run with the server’s account of the same stretch.
///
/// # Errors
/// When the run has no requests, or the server’s histograms are kept apart by a label such as the model;
/// the reason is a clause.
pub fn client_server(
    account: &Account,
    run: &Run,
    settings: &Settings,
) -> Result<ClientServer, String> {
    let requests = run.requests.as_ref();
    let table =
        Table(requests.ok_or("the client’s file holds no requests, only what the tool printed")?);
    let measures = [Measure::Ttft, Measure::Tpot, Measure::Itl, Measure::E2e];
    let rows: Vec<Compared> = measures
        .into_iter()
        .filter_map(|measure| compare_measure(account, table, measure))
        .collect();
    if rows.is_empty()
        && let Some(reason) = measures.into_iter().find_map(|measure| account.apart(measure))
    {
        return Err(reason);
    }
    let tokens = token_check(account, table);
    let phases = phases(account, &rows);
    let offset = timeline(run, settings, &[]).and_then(|line| offset(account, &line));
    let mut sentences: Vec<String> = rows.iter().filter_map(|row| row.sentence.clone()).collect();
    sentences.extend(rows.iter().filter_map(counts));
    sentences.extend(rows.iter().filter_map(signs));
    sentences.extend(tokens.as_ref().map(|tokens| tokens.sentence.clone()));
    Ok(ClientServer { rows, tokens, phases, offset, sentences })
}

pub(super) fn compare_measure(
    account: &Account,
    table: Table<'_>,
    measure: Measure,
) -> Option<Compared> {
    let server = account.server(measure)?;
    let factor = server.row.seconds()?;
    let buckets = server.histogram()?;
    let Sampled { mut values, expected, sign } = sampled(account, table, measure)?;
    values.sort_by(f64::total_cmp);
    let client_mean = crate::stats::mean(&values)?;
    let server_mean = server.mean()? * factor;
    let binned = binned(&values, buckets, factor)?;
    let quantiles: Vec<ComparedQuantile> = QUANTILES
        .into_iter()
        .filter_map(|q| {
            let bounds = buckets.bounds(q)?;
            let rank = ((q * values.len() as f64 - 1e-9).ceil().max(1.0)) as usize;
            Some(ComparedQuantile {
                q,
                server_shown: buckets.promql(q).map(|shown| shown * factor),
                server_low: bounds.low * factor,
                server_high: bounds.high.map(|high| high * factor),
                client: *values.get(rank - 1)?,
                client_binned: binned.promql(q).map(|shown| shown * factor),
            })
        })
        .collect();
    let bins = buckets.buckets().into_iter().zip(binned.buckets());
    let bins = bins.map(|((edge, server), (_, client))| Bin {
        edge: Some(edge * factor).filter(|edge| edge.is_finite()),
        server,
        client,
    });
    let as_expected = match sign {
        Sign::ClientAbove => Some(client_mean >= server_mean),
        Sign::Either => None,
    };
    let mut row = Compared {
        id: measure.id().to_owned(),
        name: measure.label().to_owned(),
        series: server.row.key.clone(),
        server_n: server.count?,
        client_n: values.len(),
        server_mean,
        client_mean,
        expected: expected.to_owned(),
        as_expected,
        quantiles,
        bins: bins.collect(),
        sentence: None,
    };
    row.sentence = p99(&row, server, factor);
    Some(row)
}

/// The client’s samples, ascending, in the server’s own buckets.
fn binned(values: &[f64], server: &Histogram, factor: f64) -> Option<Histogram> {
    let up_to = |edge: f64| values.partition_point(|value| *value <= edge * factor) as f64;
    let buckets: Vec<(f64, f64)> =
        server.buckets().into_iter().map(|(edge, _)| (edge, up_to(edge))).collect();
    Histogram::new(&buckets, Some(values.iter().sum::<f64>() / factor)).ok()
}

/// Why the p99 of a dashboard and the client’s differ: the buckets, and the rest.
fn p99(row: &Compared, server: &ServerHistogram, factor: f64) -> Option<String> {
    let at = row.quantiles.iter().find(|of| of.q > 0.98)?;
    let bracket = server.histogram()?.bucket(at.q)?;
    let (low, high) = (bracket.low * factor, bracket.high.map(|high| high * factor));
    let (shown, binned) = (at.server_shown?, at.client_binned?);
    let head = format!(
        "p99 {} is {} by the server’s buckets and {} by the client’s own samples.",
        row.name,
        time(shown),
        time(at.client)
    );
    let Some(high) = high else {
        return Some(format!(
            "{head} The server’s lies above its last edge, {}, and that edge is what is shown.",
            time(low)
        ));
    };
    let (buckets, rest) = (binned - at.client, shown - binned);
    let between = format!("{} to {}", time(low), time(high));
    Some(format!(
        "{head} In the server’s buckets the client’s samples read {}: {} of the difference of {} comes from the width \
         of the bucket, {between}, and {} from the two sides.",
        time(binned),
        signed(buckets),
        signed(shown - at.client),
        signed(rest)
    ))
}

/// “+104 ms”, “−2.31 ms”.
fn signed(secs: f64) -> String {
    if secs > 0.0 { format!("+{}", time(secs)) } else { time(secs) }
}

/// What unequal counts mean.
fn counts(row: &Compared) -> Option<String> {
    let more = row.server_n - row.client_n as f64;
    if more.abs() <= SAME_COUNT * row.server_n {
        return None;
    }
    let both = format!(
        "{}: the server counted {}, the client {}.",
        row.name,
        number(row.server_n),
        number(row.client_n as f64)
    );
    let why = if more > 0.0 {
        "The rest is not in the client’s file: a warm-up request, other clients, requests that failed or were cut."
    } else {
        "The server lacks some: in flight at an end of the window, aborted, or chunks that hold several steps."
    };
    Some(format!("{both} {why} Means and quantiles are not of the same requests."))
}

/// A difference that can’t be.
fn signs(row: &Compared) -> Option<String> {
    (row.as_expected == Some(false)).then(|| {
        format!(
            "The client’s mean {} of {} lies below the server’s {}, which can’t be for the same requests: {}.",
            row.name, time(row.client_mean), time(row.server_mean), row.expected
        )
    })
}

fn token_check(account: &Account, table: Table<'_>) -> Option<TokenCheck> {
    let server = account.counted(Measure::OutputTokens)?;
    let requests = table.0;
    let all = (0..requests.len()).filter_map(|at| requests.output_tokens.get(at));
    let counted_rows: Vec<f64> = all.map(Tokens::count).collect();
    if counted_rows.is_empty() {
        return None;
    }
    let client: f64 = counted_rows.iter().sum();
    let who = requests.token_source.words();
    let apart = server - client;
    let says = if apart.abs() < 0.5 {
        "the same".to_owned()
    } else if apart > 0.0 {
        format!(
            "{} more on the server: requests that are not in the client’s file, or a count that lacks tokens",
            number(apart)
        )
    } else {
        format!(
            "{} more on the client: a count that is not the server’s, or requests outside of the window",
            number(-apart)
        )
    };
    let sentence = format!(
        "The server’s counter rose by {}; the client has {} in {} ({who}): {says}.",
        counted(server, "token", "tokens"),
        number(client),
        counted(counted_rows.len() as f64, "request", "requests"),
    );
    Some(TokenCheck { server, client, sentence })
}

/// Means of the phases: they add up, percentiles don’t.
pub(super) fn phases(account: &Account, rows: &[Compared]) -> Vec<Phase> {
    let mean = |measure| {
        let histogram = account.server(measure)?;
        Some(histogram.mean()? * histogram.row.seconds()?)
    };
    let phase = |id: &str, name: &str, mean: f64| Phase { id: id.into(), name: name.into(), mean };
    let (Some(queue), Some(prefill), Some(decode)) =
        (mean(Measure::Queue), mean(Measure::Prefill), mean(Measure::Decode))
    else {
        return Vec::new();
    };
    let mut phases = vec![
        phase("queue", "Queue", queue),
        phase("prefill", "Prefill", prefill),
        phase("decode", "Decode", decode),
    ];
    let Some(whole) = mean(Measure::E2e) else { return phases };
    phases.push(phase("front-end", "Front end", (whole - queue - prefill - decode).max(0.0)));
    if let Some(row) = rows.iter().find(|row| row.id == Measure::E2e.id())
        && row.as_expected == Some(true)
    {
        phases.push(phase("way", "Outside of the server", row.client_mean - row.server_mean));
    }
    phases
}

impl Compared {
    /// Client less server by the means, in milliseconds with three digits.
    pub fn mean_difference(&self) -> String {
        let millis = (self.client_mean - self.server_mean) * 1e3;
        let plus = if millis > 0.0 { "+" } else { "" };
        format!("{plus}{} ms", significant(millis, 3))
    }
}
