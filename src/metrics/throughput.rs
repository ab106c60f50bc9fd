//! Run-level numbers: durations, throughputs, concurrency and peaks.

use super::rows::{Rows, ends, pick};
use super::samples::{EventTokens, event_tokens, rebuilt};
use super::settings::{Duration, EmptyOutputs, End, Window, WindowEdge};
use super::window;
use crate::model::{GapKind, Metric, Outcome, Run, Tool};
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
        Duration::FirstSendToLastEnd => first_send_to_last_end(rows),
        Duration::FirstTokenToLastToken => spanned(rows, 1.0),
        Duration::Window if rows.settings.window == Window::Whole => printed_duration(run),
        Duration::Window => rows.window.clone(),
    }
}

fn printed_duration(run: &Run) -> Result<f64, String> {
    run.reported.value(Metric::Duration).filter(|d| *d > 0.0).ok_or_else(|| {
        let missing = match run.tool {
            Tool::Aiperf => "AIPerf writes the duration into profile_export_aiperf.json, not here",
            _ => "the file prints no duration",
        };
        format!("{missing}; with send times choose duration = first-send-to-last-token")
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

/// Time from the first send to the last recorded end of any request, whatever its outcome.
fn first_send_to_last_end(rows: &Rows<'_>) -> Result<f64, String> {
    let requests = rows.requests;
    if requests.start.is_absent() || requests.e2e.is_absent() {
        return Err("the file holds no send times, or no latencies as its tool took them".into());
    }
    let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
    for at in (0..requests.len()).filter(|at| rows.inside.get(*at) == Some(&true)) {
        let Some(start) = requests.start.get(at).map(Seconds::as_secs) else { continue };
        from = from.min(start);
        to = to.max(start + requests.e2e.get(at).map_or(0.0, Seconds::as_secs));
    }
    if to > from { Ok(to - from) } else { Err("no request has both a start and an end".into()) }
}

/// Output tokens of the chosen requests; in a window that is a span of time, those that came in it,
/// whichever request they belong to, unless requests belong by their end with all that they have.
pub(super) fn output_tokens(rows: &Rows<'_>) -> Result<f64, String> {
    let tokens = rows.tokens.as_ref().map_err(Clone::clone)?;
    let Some(range) = split(rows) else {
        return Ok(total(token_rows(rows).filter_map(|at| pick(tokens, at))));
    };
    if rows.requests.ttft.is_absent() || rows.requests.gaps.is_absent() {
        return Err("which tokens came in the window needs the times of stream events".into());
    }
    let mut total = 0.0;
    for at in rows.populated() {
        walk(rows, at, |time, tokens| {
            if range.contains(time) {
                total += tokens;
            }
        });
    }
    Ok(total)
}

/// Requests that finished without an error; in a window that is a span of time, those that ended in it.
pub(super) fn finished(rows: &Rows<'_>) -> Result<f64, String> {
    let ok = |at: &usize| rows.requests.outcome.get(*at) == Some(&Outcome::Ok);
    let Some(range) = rows.range else {
        if rows.settings.empty_outputs == EmptyOutputs::CountOnly {
            let chosen = rows.chosen.iter().enumerate().filter(|(_, chosen)| **chosen);
            return Ok(chosen.filter(|(at, _)| ok(at)).count() as f64);
        }
        return Ok(rows.counted_rows().filter(ok).count() as f64);
    };
    let ends = ends(rows.requests, End::LastToken, &rows.gap_sums);
    let ends = ends.known().map_err(str::to_owned)?;
    let ended_inside = |at: &usize| {
        let start = rows.requests.start.get(*at).map(Seconds::as_secs);
        start.zip(pick(ends, *at)).is_some_and(|(s, e)| range.contains(s + e))
    };
    Ok(rows.populated().filter(ok).filter(ended_inside).count() as f64)
}

/// The span of time of a window whose edges split requests: by end, a request is booked whole.
fn split(rows: &Rows<'_>) -> Option<window::Range> {
    rows.range.filter(|_| rows.settings.window_edge != WindowEdge::ByEnd)
}

/// Input tokens of the chosen requests; by overlap those whose reply began inside, since the prompt had
/// been read by then.
pub(super) fn input_tokens(rows: &Rows<'_>) -> Result<f64, String> {
    let column = &rows.requests.input_tokens;
    if column.is_absent() {
        return Err("the file holds no input tokens of each request".into());
    }
    let range = rows.range.filter(|_| rows.settings.window_edge == WindowEdge::Overlap);
    let Some(range) = range else {
        return Ok(total(token_rows(rows).filter_map(|at| column.get(at)).map(Tokens::count)));
    };
    let requests = rows.requests;
    if requests.ttft.is_absent() {
        return Err("when each prompt had been read needs the TTFT of each request".into());
    }
    let read_inside = |at: &usize| {
        let first = requests.start.get(*at).zip(requests.ttft.get(*at));
        first.is_some_and(|(start, ttft)| range.contains(start.as_secs() + ttft.as_secs()))
    };
    let read = rows.populated().filter(read_inside);
    Ok(total(read.filter_map(|at| column.get(at)).map(Tokens::count)))
}

/// A sum whose empty case is 0: that of the standard library is −0 for floats.
fn total(values: impl Iterator<Item = f64>) -> f64 {
    0.0 + values.sum::<f64>()
}

/// Requests whose tokens count: all chosen ones, except empty replies that are left out.
fn token_rows<'r>(rows: &'r Rows<'_>) -> impl Iterator<Item = usize> + 'r {
    rows.chosen.iter().enumerate().filter_map(|(at, chosen)| {
        (*chosen && (rows.takes_zeros() || !rows.is_empty(at))).then_some(at)
    })
}

/// Σ E of the counted requests, of which only the seconds inside count where the window's edges split
/// requests: low and high, the same where the ends are known.
pub(super) fn busy_seconds(rows: &Rows<'_>) -> (Option<f64>, Option<f64>) {
    let sum = |ends: &Option<super::rows::Values>| {
        let ends = ends.as_ref()?;
        if split(rows).is_some() {
            return window::seconds_inside(rows, ends);
        }
        Some(total(rows.counted_rows().filter_map(|at| rows.e2e_of(ends, at).ok())))
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

/// No run has more one-second buckets than this (some eleven days); more is a broken clock.
const MOST_SECONDS: f64 = 1e6;

/// Largest number of output events in one second, as vLLM counts it
/// (`vllm/benchmarks/serve.py`, 0.11.0 on).
pub(super) fn peak_output(rows: &Rows<'_>) -> Result<Peaks, String> {
    let requests = rows.requests;
    let zero = first_start(rows)?;
    if requests.ttft.is_absent() || requests.gaps.is_absent() {
        return Err(requests.no_events().into());
    }
    let mut seconds = Buckets { zero, events: Vec::new(), tokens: Vec::new() };
    let mut weighed = true;
    for at in rows.counted_rows() {
        weighed &= walk(rows, at, |time, tokens| seconds.add(time, tokens));
    }
    let largest = |counts: &[f64]| counts.iter().copied().fold(0.0, f64::max);
    Ok(Peaks {
        events: largest(&seconds.events),
        tokens: weighed.then(|| largest(&seconds.tokens)),
    })
}

/// Hands on the time of every event of request `at` on the run's clock with its tokens. Says whether
/// the tokens are known; where they are not, they are handed on as 0.
pub(super) fn walk(rows: &Rows<'_>, at: usize, mut each: impl FnMut(f64, f64)) -> bool {
    let requests = rows.requests;
    let (Some(start), Some(ttft)) = (requests.start.get(at), requests.ttft.get(at)) else {
        return true;
    };
    let row = requests.gaps.row(at).unwrap_or(&[]);
    let weights = Weights::of(rows, at, row);
    let known = weights.is_some();
    let weights = weights.unwrap_or(Weights::Even(0.0));
    let mut time = start.as_secs() + ttft.as_secs();
    each(time, weights.first());
    match requests.gap_kind {
        GapKind::Event => {
            for (index, gap) in row.iter().enumerate() {
                time += gap.as_secs();
                each(time, weights.later(index, 1));
            }
        }
        GapKind::TokenSpread => {
            for (index, (gap, tokens)) in rebuilt(row).enumerate() {
                time += gap;
                each(time, weights.later(index, tokens));
            }
        }
    }
    known
}

/// Events and tokens in one-second buckets.
struct Buckets {
    zero: f64,
    events: Vec<f64>,
    tokens: Vec<f64>,
}

impl Buckets {
    fn add(&mut self, time: f64, tokens: f64) {
        let second = time - self.zero;
        if !(0.0..MOST_SECONDS).contains(&second) {
            return;
        }
        let second = second as usize;
        if second >= self.events.len() {
            self.events.resize(second + 1, 0.0);
            self.tokens.resize(second + 1, 0.0);
        }
        if let (Some(event), Some(token)) =
            (self.events.get_mut(second), self.tokens.get_mut(second))
        {
            *event += 1.0;
            *token += tokens;
        }
    }
}

/// Tokens of each event of a request.
enum Weights<'a> {
    /// The same for all: one, or an even share where no more is known.
    Even(f64),
    /// As recorded.
    Recorded { first: f64, later: &'a [Tokens] },
    /// As many as there are equal per-token gaps.
    Spread { first: f64 },
}

impl<'a> Weights<'a> {
    fn of(rows: &Rows<'a>, at: usize, row: &[Seconds]) -> Option<Self> {
        let first = rows.first_event_tokens(at);
        if rows.requests.gap_kind == GapKind::TokenSpread {
            return Some(Self::Spread { first: first? });
        }
        Some(match (first, event_tokens(rows, at, row.len())) {
            (Some(first), Some(EventTokens::Each(later))) => Self::Recorded { first, later },
            (_, Some(EventTokens::One)) => Self::Even(1.0),
            _ => {
                let tokens = rows.tokens.as_ref().ok().and_then(|t| pick(t, at))?;
                Self::Even(tokens / (row.len() as f64 + 1.0))
            }
        })
    }

    const fn first(&self) -> f64 {
        match self {
            Self::Even(tokens) => *tokens,
            Self::Recorded { first, .. } | Self::Spread { first } => *first,
        }
    }

    fn later(&self, index: usize, gaps: usize) -> f64 {
        match self {
            Self::Even(tokens) => *tokens,
            Self::Recorded { later, .. } => later.get(index).map_or(0.0, |t| t.count()),
            Self::Spread { .. } => gaps as f64,
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
