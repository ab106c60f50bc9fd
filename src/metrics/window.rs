//! Which requests lie in the chosen stretch of a run, and how long it is.

use super::rows::{Values, ends, pick};
use super::settings::{End, Settings, Window};
use crate::model::{Outcome, Requests};
use crate::units::Seconds;

/// A stretch of a run.
#[derive(Debug)]
pub(super) struct Span {
    /// One flag a request, or all of them.
    inside: Option<Vec<bool>>,
    /// Length in seconds, or why it can't be had.
    pub length: Result<f64, String>,
    /// From when to when on the run's clock, for windows that are a span of time.
    pub range: Option<(f64, f64)>,
}

impl Span {
    /// Whether request `at` belongs.
    pub(super) fn contains(&self, at: usize) -> bool {
        self.inside.as_ref().is_none_or(|flags| flags.get(at) == Some(&true))
    }
}

/// A request that was served, on the run's clock.
#[derive(Debug, Clone, Copy)]
struct Served {
    row: usize,
    start: f64,
    end: f64,
}

/// Selects the window of `settings`.
///
/// # Errors
/// When the table lacks what the window needs; the reason is a clause.
pub(super) fn select(
    requests: &Requests,
    settings: &Settings,
    gap_sums: &Values,
) -> Result<Span, String> {
    let served = || served(requests, gap_sums);
    match settings.window {
        Window::Whole | Window::FirstSendToLastToken => {
            let length = served().and_then(|s| length_from(&s, f64::NEG_INFINITY));
            Ok(Span { inside: None, length, range: None })
        }
        Window::SkipFirst(count) => {
            let mut order: Vec<usize> = (0..requests.len()).collect();
            if !requests.start.is_absent() {
                let start = |at: usize| requests.start.get(at).map_or(f64::MAX, Seconds::as_secs);
                order.sort_by(|a, b| start(*a).total_cmp(&start(*b)));
            }
            let mut inside = vec![true; requests.len()];
            for at in order.into_iter().take(count) {
                if let Some(flag) = inside.get_mut(at) {
                    *flag = false;
                }
            }
            let length = served().and_then(|all| {
                let kept: Vec<_> =
                    all.into_iter().filter(|s| inside.get(s.row) == Some(&true)).collect();
                length_from(&kept, f64::NEG_INFINITY)
            });
            Ok(Span { inside: Some(inside), length, range: None })
        }
        Window::AfterFirstCompletion => {
            let all = served()?;
            let first = all.iter().map(|s| s.end).fold(f64::INFINITY, f64::min);
            let inside = Some(started_in(requests, first, f64::INFINITY));
            let length = length_from(&all, first);
            // The last token itself is inside.
            let range = length.as_ref().ok().map(|length| (first, (first + length).next_up()));
            Ok(Span { inside, length, range })
        }
        Window::Steady(share) => {
            let (from, to) = steady(&served()?, share)
                .ok_or("no request was in flight, so there is no steady span")?;
            let inside = Some(started_in(requests, from, to));
            Ok(Span { inside, length: Ok(to - from), range: Some((from, to)) })
        }
        Window::Brush { from, to } => {
            let zero = requests
                .start
                .iter()
                .flatten()
                .map(Seconds::as_secs)
                .reduce(f64::min)
                .ok_or(NO_STARTS)?;
            let range = (zero + from, zero + to);
            let inside = Some(started_in(requests, range.0, range.1));
            Ok(Span { inside, length: Ok(to - from), range: Some(range) })
        }
    }
}

const NO_STARTS: &str = "the file holds no send times";

/// Requests that finished, with their times on the run's clock.
fn served(requests: &Requests, gap_sums: &Values) -> Result<Vec<Served>, String> {
    if requests.start.is_absent() {
        return Err(NO_STARTS.into());
    }
    let ends = ends(requests, End::LastToken, gap_sums);
    let ends = ends.low.or(ends.high).ok_or(ends.because)?;
    Ok((0..requests.len())
        .filter(|at| requests.outcome.get(*at) == Some(&Outcome::Ok))
        .filter(|at| !requests.is_empty_reply(*at))
        .filter_map(|row| {
            let start = requests.start.get(row)?.as_secs();
            Some(Served { row, start, end: start + pick(&ends, row)? })
        })
        .collect())
}

/// Time from the first send, or from `from` where that is later, to the last end.
fn length_from(served: &[Served], from: f64) -> Result<f64, String> {
    let first = served.iter().map(|s| s.start).fold(f64::INFINITY, f64::min).max(from);
    let last = served.iter().map(|s| s.end).fold(f64::NEG_INFINITY, f64::max);
    if last > first { Ok(last - first) } else { Err("no request lies in the window".into()) }
}

fn started_in(requests: &Requests, from: f64, to: f64) -> Vec<bool> {
    requests
        .start
        .iter()
        .map(|start| start.is_some_and(|s| (from..to).contains(&s.as_secs())))
        .collect()
}

/// The longest span with at least `share` of the peak number in flight.
fn steady(served: &[Served], share: f64) -> Option<(f64, f64)> {
    let mut steps: Vec<(f64, i64)> =
        served.iter().flat_map(|s| [(s.start, 1), (s.end, -1)]).collect();
    // An end before a start at the same moment: they did not overlap.
    steps.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut flight = 0;
    let levels: Vec<(f64, i64)> = steps
        .into_iter()
        .map(|(time, step)| {
            flight += step;
            (time, flight)
        })
        .collect();
    let peak = levels.iter().map(|l| l.1).max().filter(|peak| *peak > 0)?;
    let floor = peak as f64 * share;
    let mut best: Option<(f64, f64)> = None;
    let mut since: Option<f64> = None;
    for (time, flight) in levels {
        match (since, flight as f64 >= floor) {
            (None, true) => since = Some(time),
            (Some(from), false) => {
                if best.is_none_or(|(a, b)| time - from > b - a) {
                    best = Some((from, time));
                }
                since = None;
            }
            _ => {}
        }
    }
    best
}
