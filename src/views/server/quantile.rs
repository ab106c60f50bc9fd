//! One number of a server’s histogram, and what a client’s samples come to in the same buckets.

use super::client::compare_measure;
use super::pairing::named;
use super::screen::account_of;
use crate::checks::Table;
use crate::metrics::{PROMETHEUS_SGLANG, PROMETHEUS_VLLM, Preset, Value};
use crate::model::{Metric, Run, RunId, ServerDump, Stat};
use crate::prometheus::names::Measure;
use crate::prometheus::words::time;

/// A number of a server. Times in milliseconds.
#[derive(Debug, Clone)]
pub(in crate::views) struct ServerNumber {
    /// The dump that stands for it: the later one of a pair.
    pub dump: RunId,
    /// Its name.
    pub name: String,
    /// The ruler of the engine’s histograms.
    pub preset: &'static Preset,
    /// The number: a mean exactly, a quantile as a dashboard shows it, or at least the last finite edge.
    pub value: Value,
    /// Observations behind it.
    pub n: f64,
    /// In which bucket a quantile lies, in words: “60 ms to 80 ms”; none of a mean.
    pub bucket: Option<String>,
    /// What a dashboard would show of the client’s own samples in these buckets; none of a mean.
    pub binned: Option<f64>,
    /// Samples of the client.
    pub samples: usize,
    /// What the sign of client less server ought to be, and why: a clause.
    pub expected: String,
    /// How the dumps were chosen, as a sentence.
    pub because: String,
}

/// Of more dumps than this no pairs are looked for: each takes the counters of both.
const MOST_PAIRED: usize = 8;

/// The dumps that stand for a server each: the later one of a pair, and those that belong to no pair.
pub(in crate::views) fn servers<'d>(all: &[&'d ServerDump]) -> Vec<&'d ServerDump> {
    if all.len() > MOST_PAIRED {
        return all.to_vec();
    }
    let mut found: Vec<&ServerDump> = Vec::new();
    for dump in all {
        let last =
            named(all, std::slice::from_ref(&dump.id)).and_then(|of| of.dumps.last().copied());
        if let Some(last) = last.filter(|last| !found.iter().any(|other| other.id == last.id)) {
            found.push(last);
        }
    }
    found
}

/// The number of the dumps `ids` that stands beside `metric` and `stat` of a client’s run.
///
/// # Errors
/// When the server does not keep it, or the run holds no samples of it; the reason is a sentence.
pub(in crate::views) fn server_number(
    run: &Run,
    all: &[&ServerDump],
    ids: &[RunId],
    (metric, stat): (Metric, Stat),
) -> Result<ServerNumber, String> {
    let paired = named(all, ids).ok_or("That page of server metrics is not loaded.")?;
    let last = paired.dumps.last().ok_or("That page of server metrics is not loaded.")?;
    let account = account_of(&paired.dumps);
    let measure = match metric {
        Metric::Ttft => Measure::Ttft,
        Metric::Tpot => Measure::Tpot,
        Metric::Itl | Metric::ChunkGap => Measure::Itl,
        Metric::E2e => Measure::E2e,
        metric => {
            return Err(format!(
                "A client’s {} is put beside no histogram of a server: TTFT, TPOT, ITL and E2E are.",
                metric.name()
            ));
        }
    };
    let q = match stat {
        Stat::Mean => None,
        Stat::Median => Some(0.5),
        Stat::Percentile(p) => Some(p / 100.0),
        stat => {
            return Err(format!(
                "A histogram holds no {}: a mean and quantiles it does.",
                stat.name()
            ));
        }
    };
    let missing = || {
        let reason =
            account.apart(measure).map_or_else(String::new, |reason| format!(": {reason}"));
        format!("{} holds no usable histogram of {}{reason}.", last.name, measure.label())
    };
    let server = account.server(measure).ok_or_else(missing)?;
    let (factor, buckets) = server.row.seconds().zip(server.histogram()).ok_or_else(missing)?;
    if server.mean().is_none() {
        return Err(format!(
            "{} counted no {}: it was read before the first request, or both readings are of one moment.",
            last.name,
            measure.label()
        ));
    }
    let requests = run
        .requests
        .as_ref()
        .ok_or_else(|| format!("{} holds no requests, only what its tool printed.", run.name))?;
    let row = compare_measure(&account, Table(requests), measure).ok_or_else(|| {
        format!("{} holds no samples of what the server keeps as {}.", run.name, measure.label())
    })?;
    let (value, bucket, binned) = match q {
        None => (Value::Exact(row.server_mean * 1e3), None, None),
        Some(q) => {
            let bracket = buckets.bucket(q).ok_or_else(missing)?;
            let low = bracket.low * factor;
            let (value, words) = match bracket.high {
                Some(high) => {
                    let shown = buckets.promql(q).ok_or_else(missing)?;
                    let words = format!("{} to {}", time(low), time(high * factor));
                    (Value::Reported(shown * factor * 1e3), words)
                }
                None => (Value::AtLeast(low * 1e3), format!("above {}", time(low))),
            };
            (value, Some(words), row.binned(q).map(|binned| binned * 1e3))
        }
    };
    Ok(ServerNumber {
        dump: last.id.clone(),
        name: last.name.clone(),
        preset: if account.is("sglang") { &PROMETHEUS_SGLANG } else { &PROMETHEUS_VLLM },
        value,
        n: row.server_n,
        bucket,
        binned,
        samples: row.client_n,
        expected: row.expected,
        because: paired.because,
    })
}
