//! Run-level numbers: durations, throughputs, concurrency and peaks.

use super::rows::{Rows, ends, pick};
use super::samples::{EventTokens, event_tokens, rebuilt};
use super::settings::{Duration, End, Window};
use crate::model::{GapKind, Metric, Run};
use crate::units::{Seconds, Tokens};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The time by which tokens and requests are divided, in seconds.
///
/// # Errors
/// When the file lacks what the choice needs; the reason is a clause.
pub(super) fn duration(run: &Run, rows: &Rows<'_>) -> Result<f64, String> {
    match rows.settings.duration {
        Duration::AsReported if rows.settings.window != Window::Whole => {
            Err("the printed duration is that of the whole run; choose duration = window".into())
        }
        Duration::AsReported => printed_duration(run),
        Duration::FirstSendToLastToken => spanned(rows, 0.0),
        Duration::FirstTokenToLastToken => spanned(rows, 1.0),
        Duration::Window if rows.settings.window == Window::Whole => printed_duration(run),
        Duration::Window => rows.window.clone(),
    }
}

fn printed_duration(run: &Run) -> Result<f64, String> {
    run.reported.value(Metric::Duration).filter(|d| *d > 0.0).ok_or_else(|| {
        "the file prints no duration; with send times choose duration = first-send-to-last-token"
            .into()
    })
}

/// Time from the first send, or with `ttft` 1 the first token, to the last token.
fn spanned(rows: &Rows<'_>, ttft: f64) -> Result<f64, String> {
    let requests = rows.requests;
    if requests.start.is_absent() {
        return Err("the file holds no send times".into());
    }
    let last = ends(requests, End::LastToken, &rows.gap_sums);
    let last = last.known().map_err(str::to_owned)?;
    let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
    for at in rows.counted_rows() {
        let Some(start) = requests.start.get(at).map(Seconds::as_secs) else { continue };
        let first = requests.ttft.get(at).map(Seconds::as_secs);
        if let Some(first) = if ttft > 0.0 { first } else { Some(0.0) } {
            from = from.min(start + first);
        }
        if let Some(end) = pick(last, at) {
            to = to.max(start + end);
        }
    }
    if to > from { Ok(to - from) } else { Err("no request has both a start and an end".into()) }
}

/// Output tokens of the chosen requests.
pub(super) fn output_tokens(rows: &Rows<'_>) -> Result<f64, String> {
    let tokens = rows.tokens.as_ref().map_err(Clone::clone)?;
    Ok(token_rows(rows).filter_map(|at| pick(tokens, at)).sum())
}

/// Input tokens of the chosen requests.
pub(super) fn input_tokens(rows: &Rows<'_>) -> Result<f64, String> {
    let column = &rows.requests.input_tokens;
    if column.is_absent() {
        return Err("the file holds no input tokens of each request".into());
    }
    Ok(token_rows(rows).filter_map(|at| column.get(at)).map(Tokens::count).sum())
}

/// Requests whose tokens count: all chosen ones, except empty replies that are left out.
fn token_rows<'r>(rows: &'r Rows<'_>) -> impl Iterator<Item = usize> + 'r {
    rows.chosen.iter().enumerate().filter_map(|(at, chosen)| {
        (*chosen && (rows.takes_zeros() || !rows.requests.is_empty_reply(at))).then_some(at)
    })
}

/// Σ E of the counted requests: low and high, the same where the ends are known.
pub(super) fn busy_seconds(rows: &Rows<'_>) -> (Option<f64>, Option<f64>) {
    let sum = |ends: &Option<super::rows::Values>| {
        ends.as_ref().map(|ends| {
            rows.counted_rows().filter_map(|at| rows.e2e_of(ends, at).ok()).sum::<f64>()
        })
    };
    (sum(&rows.ends.low), sum(&rows.ends.high))
}

/// Largest numbers of one second, in buckets counted from the first counted start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Peaks {
    /// Stream events, the first of each request included: what vLLM prints as tokens.
    pub events: f64,
    /// Output tokens, each event's by its recorded tokens or its even share.
    pub tokens: Option<f64>,
}

/// No run has more one-second buckets than this (some 115 days); more is a broken clock.
const MOST_SECONDS: f64 = 1e7;

/// Largest number of output events in one second, as vLLM counts it
/// (`vllm/benchmarks/serve.py`, 0.11.0 on).
pub(super) fn peak_output(rows: &Rows<'_>) -> Result<Peaks, String> {
    let requests = rows.requests;
    let zero = first_start(rows)?;
    if requests.ttft.is_absent() || requests.gaps.is_absent() {
        return Err("the file holds no times of stream events".into());
    }
    let mut events: BTreeMap<u64, f64> = BTreeMap::new();
    let mut tokens: Option<BTreeMap<u64, f64>> = rows.tokens.is_ok().then(BTreeMap::new);
    for at in rows.counted_rows() {
        let (Some(start), Some(ttft)) = (requests.start.get(at), requests.ttft.get(at)) else {
            continue;
        };
        let row = requests.gaps.row(at).unwrap_or(&[]);
        let mut weights = token_weights(rows, at, row);
        if weights.is_none() {
            tokens = None;
        }
        let mut time = start.as_secs() + ttft.as_secs();
        let mut count = |time: f64, events: &mut BTreeMap<u64, f64>| {
            let second = time - zero;
            if (0.0..MOST_SECONDS).contains(&second) {
                *events.entry(second as u64).or_default() += 1.0;
                let weight = weights.as_mut().and_then(Iterator::next);
                if let (Some(tokens), Some(weight)) = (&mut tokens, weight) {
                    *tokens.entry(second as u64).or_default() += weight;
                }
            }
        };
        count(time, &mut events);
        match requests.gap_kind {
            GapKind::Event => {
                for gap in row {
                    time += gap.as_secs();
                    count(time, &mut events);
                }
            }
            GapKind::TokenSpread => {
                for (gap, _) in rebuilt(row) {
                    time += gap;
                    count(time, &mut events);
                }
            }
        }
    }
    let largest = |seconds: &BTreeMap<u64, f64>| seconds.values().copied().fold(0.0, f64::max);
    Ok(Peaks { events: largest(&events), tokens: tokens.as_ref().map(largest) })
}

/// Tokens of each event of a request, the first included.
fn token_weights<'a>(
    rows: &'a Rows<'_>,
    at: usize,
    row: &'a [Seconds],
) -> Option<Box<dyn Iterator<Item = f64> + 'a>> {
    let first = rows.first_event_tokens(at);
    if rows.requests.gap_kind == GapKind::TokenSpread {
        return Some(Box::new(std::iter::once(first?).chain(rebuilt(row).map(|(_, n)| n as f64))));
    }
    match (first, event_tokens(rows, at, row.len())) {
        (Some(first), Some(EventTokens::Each(later))) => {
            Some(Box::new(std::iter::once(first).chain(later.iter().map(|t| t.count()))))
        }
        (_, Some(EventTokens::One)) => Some(Box::new(std::iter::repeat(1.0))),
        _ => {
            let tokens = rows.tokens.as_ref().ok().and_then(|t| pick(t, at))?;
            Some(Box::new(std::iter::repeat(tokens / (row.len() as f64 + 1.0))))
        }
    }
}

/// Largest number of requests that touch one second, as vLLM counts it.
pub(super) fn peak_concurrency(rows: &Rows<'_>) -> Result<f64, String> {
    let zero = first_start(rows)?;
    let ends = rows.ends.low.as_ref().ok_or_else(|| rows.ends.because.clone())?;
    let mut steps: BTreeMap<u64, i64> = BTreeMap::new();
    for at in rows.counted_rows() {
        let (Some(start), Some(end)) = (rows.requests.start.get(at), pick(ends, at)) else {
            continue;
        };
        let start = start.as_secs();
        let (from, to) = (start - zero, start + end - zero);
        if !(0.0..MOST_SECONDS).contains(&from) || !(from..MOST_SECONDS).contains(&to) {
            continue;
        }
        *steps.entry(from as u64).or_default() += 1;
        *steps.entry(to as u64 + 1).or_default() -= 1;
    }
    let mut flight = 0;
    let mut most = 0;
    for step in steps.values() {
        flight += step;
        most = most.max(flight);
    }
    Ok(most as f64)
}

fn first_start(rows: &Rows<'_>) -> Result<f64, String> {
    if rows.requests.start.is_absent() {
        return Err("the file holds no send times".into());
    }
    rows.counted_rows()
        .filter_map(|at| rows.requests.start.get(at))
        .map(Seconds::as_secs)
        .reduce(f64::min)
        .ok_or_else(|| "no counted request has a send time".into())
}
