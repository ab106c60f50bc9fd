//! Little's law as a consistency line: the mean number in flight, found in several ways that must agree.
//!
//! L = λ W (Little, 1961): the mean number in a system is the rate of arrivals times the mean time that
//! one stays. It holds whatever the distributions, so where two estimates part, one of the numbers behind
//! them is not what it is called.

use super::arrivals::arrivals;
use super::evaluate::Evaluation;
use super::rows::{Rows, pick};
use super::settings::{Settings, Tpot};
use crate::model::{Metric, Run, Stat};
use crate::units::significant;
use serde::{Deserialize, Serialize};

/// How a mean number in flight was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InFlight {
    /// Finished requests per second × mean E2E.
    RequestsTimesLatency,
    /// Output tokens per second × decode time per token, Σ (E − T) ÷ Σ n: requests between their first
    /// and last token. Without rows the mean TPOT stands for it, which weighs short replies as long ones.
    TokensTimesTpot,
    /// Σ E ÷ W.
    BusyTime,
    /// The mean of the count of requests sent and not yet ended, from the first send to the last end.
    Counted,
}

impl InFlight {
    /// Stable id, as in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::RequestsTimesLatency => "requests-times-latency",
            Self::TokensTimesTpot => "tokens-times-tpot",
            Self::BusyTime => "busy-time",
            Self::Counted => "counted",
        }
    }

    /// Estimates of the same number may part by this share of it. Printed inputs are rounded and a printed
    /// TPOT is a mean over requests where throughput weighs tokens; the count has a window of its own,
    /// from the first send to the last end.
    const fn tolerance(self) -> f64 {
        match self {
            Self::RequestsTimesLatency | Self::BusyTime => 0.02,
            Self::Counted => 0.05,
            Self::TokensTimesTpot => 0.1,
        }
    }
}

/// One mean number in flight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// How it was found.
    pub kind: InFlight,
    /// Requests in flight.
    pub value: f64,
    /// The sum in numbers: "640 tok/s × 50 ms".
    pub sum: String,
    /// What it must agree with.
    pub against: f64,
    /// Whether it does, within its tolerance.
    pub agrees: bool,
}

/// A printed time per token that is 1 ÷ the throughput, or the throughput's reciprocal beside the TPOT.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reciprocal {
    /// The field as printed.
    pub field: String,
    /// The printed time in milliseconds.
    pub millis: f64,
    /// Output tokens per second.
    pub throughput: f64,
}

impl Reciprocal {
    /// "tpot mean 2.5 ms looks like 1 ÷ throughput: …".
    pub fn sentence(&self, in_flight: Option<f64>) -> String {
        let right = in_flight.map_or_else(String::new, |n| {
            format!(
                "; with {} in flight a user waits about {} ms for a token",
                significant(n, 3),
                significant(self.millis * n, 3)
            )
        });
        format!(
            "{} {} ms looks like 1 ÷ throughput ({} tok/s), which is the time between two tokens of anybody{right}.",
            self.field,
            significant(self.millis, 3),
            significant(self.throughput, 3)
        )
    }
}

/// What Little's law says of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Little {
    /// Every estimate that the file allows.
    pub estimates: Vec<Estimate>,
    /// The consistency line as a sentence.
    pub sentence: String,
    /// A printed time per token that is the reciprocal of the throughput.
    pub reciprocal: Option<Reciprocal>,
}

impl Little {
    /// One estimate's number.
    pub fn value(&self, kind: InFlight) -> Option<f64> {
        self.estimates.iter().find(|e| e.kind == kind).map(|e| e.value)
    }

    /// Whether all estimates agree.
    pub fn agrees(&self) -> bool {
        self.estimates.iter().all(|e| e.agrees)
    }
}

/// Little's law on a run and its evaluation under `settings`, as if the requests `excluded` (ascending) had never been sent.
///
/// # Errors
/// When no two numbers are there to hold against each other; the reason is a clause.
pub fn little(
    run: &Run,
    settings: &Settings,
    evaluation: &Evaluation,
    excluded: &[usize],
) -> Result<Little, String> {
    let number = |metric, stat| evaluation.value(metric, stat).exact_or_reported();
    let requests = number(Metric::RequestThroughput, Stat::Value);
    let output = number(Metric::OutputThroughput, Stat::Value);
    let latency = number(Metric::E2e, Stat::Mean);
    let tpot = number(Metric::Tpot, Stat::Mean);
    let ttft = number(Metric::Ttft, Stat::Mean);
    let by_latency = requests.zip(latency).map(|(rate, e2e)| {
        (rate * e2e / 1e3, format!("{} req/s × {}", significant(rate, 3), time(e2e)))
    });
    let busy = number(Metric::MeanConcurrency, Stat::Value);
    let counted = arrivals(run, excluded).ok().map(|found| found.mean_sent).filter(|n| *n > 0.0);
    let per_token = decode_per_token(run, settings, excluded).or(tpot);
    let by_tokens = output.zip(per_token).map(|(rate, tpot)| {
        (rate * tpot / 1e3, format!("{} tok/s × {}", significant(rate, 3), time(tpot)))
    });
    let whole = busy.or(by_latency.as_ref().map(|b| b.0)).or(counted).or(run_cap(run));
    let mut estimates = Vec::new();
    let mut push = |kind: InFlight, value: f64, sum: String, against: f64| {
        let agrees = (value - against).abs() <= kind.tolerance() * against.abs();
        estimates.push(Estimate { kind, value, sum, against, agrees });
    };
    if let (Some((value, sum)), Some(whole)) = (&by_latency, whole) {
        push(InFlight::RequestsTimesLatency, *value, sum.clone(), whole);
    }
    // Requests that wait for their first token are in flight and have no token yet; a time per token that
    // is E2E ÷ n counts them.
    let whole_reply = settings.tpot == Tpot::WholeOverN;
    let waiting = requests.zip(ttft).filter(|_| !whole_reply);
    let waiting = waiting.map_or(0.0, |(rate, ttft)| rate * ttft / 1e3);
    if let Some((value, sum)) = &by_tokens {
        push(InFlight::TokensTimesTpot, *value, sum.clone(), whole.map_or(*value, |w| w - waiting));
    }
    if let (Some(value), Some(whole)) = (busy, whole) {
        push(InFlight::BusyTime, value, "Σ E2E ÷ duration".to_owned(), whole);
    }
    if let (Some(value), Some(whole)) = (counted, whole) {
        push(InFlight::Counted, value, "sent less ended, averaged over the run".to_owned(), whole);
    }
    if estimates.is_empty() {
        return Err("the file gives no throughput with a mean latency or time per token".into());
    }
    Ok(Little {
        sentence: sentence(&estimates, whole, waiting),
        reciprocal: output.and_then(|rate| printed_reciprocal(run, rate, whole)),
        estimates,
    })
}

/// Decode time of all requests over their tokens, Σ (E − T) ÷ Σ n, in milliseconds: what output
/// throughput times it makes the mean number of requests that decode, whatever the mix of lengths. A mean
/// TPOT counts requests equally and leaves out first tokens, so it does not. The whole request is decode
/// time where TPOT is E ÷ n, and the gaps are where it is their mean. Requests whose decode time can’t be
/// had are on neither side; `None` where there is no other, or where the ends are not known.
pub fn decode_per_token(run: &Run, settings: &Settings, excluded: &[usize]) -> Option<f64> {
    let rows = Rows::new(run.requests.as_ref()?, settings, excluded).ok()?;
    let tokens = rows.tokens.as_ref().ok()?;
    let (mut time, mut count) = (0.0, 0.0);
    for at in rows.counted_rows() {
        let Some(n) = pick(tokens, at).filter(|n| *n > 0.0) else { continue };
        let ends = || rows.ends_of(Metric::Tpot).known().ok();
        let decode = match settings.tpot {
            Tpot::VisibleGaps => pick(&rows.gap_sums, at),
            Tpot::WholeOverN => ends().and_then(|ends| rows.e2e_of(ends, at).ok()),
            // One token is its own last: nothing is decoded after it.
            _ if n < 2.0 => Some(0.0),
            _ => ends()
                .zip(rows.ttft.as_ref().ok())
                .and_then(|(ends, ttft)| rows.decode_of(ttft, ends, at).ok()),
        };
        if let Some(decode) = decode {
            time += decode;
            count += n;
        }
    }
    (time > 0.0 && count > 0.0).then(|| time / count * 1e3)
}

fn run_cap(run: &Run) -> Option<f64> {
    run.load.max_concurrency.filter(|cap| *cap > 0).map(|cap| cap as f64)
}

fn time(millis: f64) -> String {
    if millis >= 1e3 {
        format!("{} s", significant(millis / 1e3, 3))
    } else {
        format!("{} ms", significant(millis, 3))
    }
}

/// "640 tok/s × 50 ms = 32 ≈ 31.7 in flight."
fn sentence(estimates: &[Estimate], whole: Option<f64>, waiting: f64) -> String {
    let find = |kind| estimates.iter().find(|e: &&Estimate| e.kind == kind);
    let mut parts = Vec::new();
    if let Some(e) = find(InFlight::RequestsTimesLatency) {
        parts.push(format!("{} = {}{} in flight", e.sum, significant(e.value, 3), other(e)));
    }
    if let Some(e) = find(InFlight::TokensTimesTpot) {
        let what =
            if whole.is_some() && waiting > 0.0 { "past their first token" } else { "in flight" };
        let other = if whole.is_some() { other(e) } else { String::new() };
        parts.push(format!("{} = {}{other} {what}", e.sum, significant(e.value, 3)));
    }
    if parts.is_empty() {
        let all =
            estimates.iter().map(|e| format!("{} = {} in flight", e.sum, significant(e.value, 3)));
        parts.extend(all);
    }
    if let Some(e) = find(InFlight::Counted) {
        parts.push(format!("counted from the send times: {}", significant(e.value, 3)));
    }
    format!("{}.", parts.join("; "))
}

/// " ≈ 31.7" or " ≠ 12"; nothing where both are one number.
fn other(estimate: &Estimate) -> String {
    let against = significant(estimate.against, 3);
    if significant(estimate.value, 3) == against {
        return String::new();
    }
    format!(" {} {against}", if estimate.agrees { "≈" } else { "≠" })
}

/// A printed time is 1 ÷ throughput when their product is 1 within this share.
const RECIPROCAL: f64 = 0.02;
/// With fewer in flight a time per token is about 1 ÷ throughput by right.
const SEVERAL: f64 = 1.5;

/// Whether a time per token is the reciprocal of the throughput: their product is 1.
pub fn reciprocal(millis: f64, throughput: f64) -> bool {
    (millis / 1e3 * throughput - 1.0).abs() <= RECIPROCAL
}

fn printed_reciprocal(run: &Run, throughput: f64, in_flight: Option<f64>) -> Option<Reciprocal> {
    if in_flight.is_none_or(|n| n < SEVERAL) {
        return None;
    }
    let per_token = [Metric::Tpot, Metric::Itl, Metric::WholePerToken];
    let found = run.reported.values.iter().find(|v| {
        per_token.contains(&v.metric)
            && matches!(v.stat, Stat::Mean | Stat::Median | Stat::Value)
            && reciprocal(v.value, throughput)
    })?;
    Some(Reciprocal { field: found.field.clone(), millis: found.value, throughput })
}
