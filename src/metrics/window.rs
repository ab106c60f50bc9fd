//! Which requests lie in the chosen stretch of a run, and how long it is.

use super::rows::{Rows, Values, ends, gap_sums, pick};
use super::settings::{End, Settings, Window, WindowEdge};
use crate::model::{Outcome, Requests, Run};
use crate::units::{Seconds, significant};

/// Times closer than this are the same moment: a sum of gaps rounds otherwise than a latency, and a
/// clock that counts from 1970 has no finer steps in a double.
const SAME_MOMENT: f64 = 1e-6;

/// How many of the latest requests the running median of [`Window::UntilStable`] looks at.
const LATEST: usize = 10;
/// How far that median may move from one window to the next, relative to it.
const MOVES: f64 = 0.02;

/// A stretch of time on a run's own clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub from: f64,
    pub to: f64,
    /// Whether what happens at the very end is part of it, such as the last token of the run.
    pub closed: bool,
}

impl Range {
    /// Whether something that happened at `time` happened inside.
    pub(super) fn contains(self, time: f64) -> bool {
        time >= self.from - SAME_MOMENT && time < self.bound()
    }

    fn bound(self) -> f64 {
        if self.closed { self.to + SAME_MOMENT } else { self.to - SAME_MOMENT }
    }

    /// Whether any part of `from` to `to` lies inside. What took no time is inside by its moment.
    fn touches(self, from: f64, to: f64) -> bool {
        let meets = from < self.bound() && to > self.from + SAME_MOMENT;
        meets || self.contains(from)
    }

    /// Seconds of `from` to `to` inside.
    pub(super) fn overlap(self, from: f64, to: f64) -> f64 {
        (to.min(self.to) - from.max(self.from)).max(0.0)
    }
}

/// A stretch of a run.
#[derive(Debug)]
pub(super) struct Span {
    /// One flag a request, or all of them.
    inside: Option<Vec<bool>>,
    /// Length in seconds, or why it can't be had.
    pub length: Result<f64, String>,
    /// From when to when, for windows that are a span of time.
    pub range: Option<Range>,
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

/// The requests that a window is made of: all but the left-out ones, which shape none.
struct Kept<'a> {
    requests: &'a Requests,
    excluded: &'a [usize],
    gap_sums: &'a Values,
}

/// Selects the window of `settings` as if the requests `excluded` (ascending) had never been sent.
///
/// # Errors
/// When the table lacks what the window or its edge rule needs; the reason is a clause.
pub(super) fn select(
    requests: &Requests,
    settings: &Settings,
    gap_sums: &Values,
    excluded: &[usize],
) -> Result<Span, String> {
    let kept = Kept { requests, excluded, gap_sums };
    let within = |range: Range, length: Result<f64, String>| {
        let inside = Some(kept.members(range, settings.window_edge)?);
        Ok(Span { inside, length, range: Some(range) })
    };
    let open = |from: f64, to: f64| within(Range { from, to, closed: false }, Ok(to - from));
    let onward = |served: &[Served], from: f64| {
        let last = served.iter().map(|s| s.end).fold(f64::NEG_INFINITY, f64::max);
        within(Range { from, to: last, closed: true }, length_from(served, from))
    };
    match settings.window {
        Window::Whole | Window::FirstSendToLastToken => {
            let length = kept.served().and_then(|s| length_from(&s, f64::NEG_INFINITY));
            Ok(Span { inside: None, length, range: None })
        }
        Window::SkipFirst(count) => {
            let inside = kept.without_first(count);
            let length = kept.served().and_then(|mut all| {
                all.retain(|s| inside.get(s.row) == Some(&true));
                length_from(&all, f64::NEG_INFINITY)
            });
            Ok(Span { inside: Some(inside), length, range: None })
        }
        Window::AfterFirstCompletion => {
            let served = kept.served()?;
            let first = served.iter().map(|s| s.end).reduce(f64::min).ok_or(NONE_FINISHED)?;
            onward(&served, first)
        }
        Window::Steady(share) => {
            let (from, to) = steady(&kept.served()?, share)
                .ok_or("no request was in flight, so there is no steady span")?;
            open(from, to)
        }
        Window::UntilStable => {
            let from = kept.stable_from()?;
            onward(&kept.served()?, from)
        }
        Window::Brush { from, to } => {
            let zero = kept.first_start()?;
            let (from, to) = (zero + from, zero + to);
            // Where nothing comes later the very end is inside, or the last token would be in no window.
            let last = kept.served().ok().and_then(|s| s.iter().map(|s| s.end).reduce(f64::max));
            let closed = last.is_some_and(|last| last <= to + SAME_MOMENT);
            let span = within(Range { from, to, closed }, Ok(to - from))?;
            let Some(last) = last else { return Ok(span) };
            // Before the first send and after the last token there was no run to have a rate.
            let (from, to) = (from.max(zero), to.min(last));
            if from >= to {
                let length = significant(last - zero, 3);
                return Ok(Span {
                    length: Err(format!(
                        "the window lies outside of the run, which took {length} s"
                    )),
                    ..span
                });
            }
            Ok(Span { length: Ok(to - from), range: Some(Range { from, to, closed }), ..span })
        }
    }
}

const NO_STARTS: &str = "the file holds no send times";
const NONE_FINISHED: &str = "no request finished, so there is no first completion";

impl Kept<'_> {
    fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.requests.len()).filter(|at| self.excluded.binary_search(at).is_err())
    }

    fn start(&self, at: usize) -> Option<f64> {
        self.requests.start.get(at).map(Seconds::as_secs)
    }

    fn first_start(&self) -> Result<f64, String> {
        self.rows()
            .filter_map(|at| self.start(at))
            .reduce(f64::min)
            .ok_or_else(|| NO_STARTS.to_owned())
    }

    /// When each request ended, by its last token where the table tells.
    fn ends(&self) -> Result<Values, String> {
        let ends = ends(self.requests, End::LastToken, self.gap_sums);
        ends.low.or(ends.high).ok_or(ends.because)
    }

    /// Requests that finished, with their times on the run's clock.
    fn served(&self) -> Result<Vec<Served>, String> {
        if self.requests.start.is_absent() {
            return Err(NO_STARTS.into());
        }
        let ends = self.ends()?;
        Ok(self
            .rows()
            .filter(|at| self.requests.outcome.get(*at) == Some(&Outcome::Ok))
            .filter(|at| !self.requests.is_empty_reply(*at))
            .filter_map(|row| {
                let start = self.start(row)?;
                Some(Served { row, start, end: start + pick(&ends, row)? })
            })
            .collect())
    }

    /// All but the first `count` by their sends; by submission where there are no send times.
    fn without_first(&self, count: usize) -> Vec<bool> {
        let mut order: Vec<usize> = self.rows().collect();
        if !self.requests.start.is_absent() {
            let start = |at: usize| self.start(at).unwrap_or(f64::MAX);
            order.sort_by(|a, b| start(*a).total_cmp(&start(*b)));
        }
        let mut inside = vec![true; self.requests.len()];
        for at in order.into_iter().take(count) {
            if let Some(flag) = inside.get_mut(at) {
                *flag = false;
            }
        }
        inside
    }

    /// One flag a request: whether it belongs to a span of time by `edge`. One without an end, such as
    /// a failed one, ended where it was sent.
    fn members(&self, range: Range, edge: WindowEdge) -> Result<Vec<bool>, String> {
        let ends = match edge {
            WindowEdge::ByStart => Values::new(),
            WindowEdge::ByEnd | WindowEdge::Overlap => self.ends()?,
        };
        let belongs = |at: usize| {
            let Some(start) = self.start(at) else { return false };
            let end = start + pick(&ends, at).unwrap_or(0.0);
            match edge {
                WindowEdge::ByStart => range.contains(start),
                WindowEdge::ByEnd => range.contains(end),
                WindowEdge::Overlap => range.touches(start, end),
            }
        };
        Ok((0..self.requests.len()).map(belongs).collect())
    }

    /// The send of the first request from which on the running median of TTFT stands still.
    fn stable_from(&self) -> Result<f64, String> {
        if self.requests.start.is_absent() {
            return Err(NO_STARTS.into());
        }
        if self.requests.ttft.is_absent() {
            return Err(self.requests.without("the file holds no TTFT of each request"));
        }
        let mut timed: Vec<(f64, f64)> = self
            .rows()
            .filter(|at| !self.requests.is_empty_reply(*at))
            .filter_map(|at| Some((self.start(at)?, self.requests.ttft.get(at)?.as_secs())))
            .filter(|(_, ttft)| *ttft > 0.0)
            .collect();
        timed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let medians: Vec<f64> = timed.windows(LATEST).map(median).collect();
        let still = |a: f64, b: f64| (b - a).abs() < MOVES * a;
        let at = |first: usize| {
            let [a, b, c] = [0, LATEST, 2 * LATEST].map(|later| medians.get(first + later));
            a.zip(b).zip(c).is_some_and(|((a, b), c)| still(*a, *b) && still(*b, *c))
        };
        let first = (0..medians.len()).find(|first| at(*first));
        first.and_then(|first| timed.get(first)).map(|request| request.0).ok_or_else(|| {
            "no three windows of ten requests in a row have a median TTFT within 2 % of each \
             other, so by this test the run never stands still"
                .to_owned()
        })
    }
}

/// The median of a few TTFTs.
fn median(requests: &[(f64, f64)]) -> f64 {
    let mut values: Vec<f64> = requests.iter().map(|r| r.1).collect();
    values.sort_by(f64::total_cmp);
    crate::stats::quantile_sorted(&values, 0.5, crate::stats::Rule::Linear).unwrap_or_default()
}

/// Time from the first send, or from `from` where that is later, to the last end.
fn length_from(served: &[Served], from: f64) -> Result<f64, String> {
    let first = served.iter().map(|s| s.start).fold(f64::INFINITY, f64::min).max(from);
    let last = served.iter().map(|s| s.end).fold(f64::NEG_INFINITY, f64::max);
    if last > first { Ok(last - first) } else { Err("no request lies in the window".into()) }
}

/// The longest span with at least `share` of the peak number in flight, and at least one request.
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
    let floor = (peak as f64 * share).max(1.0);
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

/// The window of a run in figures, to be named beside the numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// From when to when, counted from the first send; nothing without send times and ends.
    pub between: Option<(Seconds, Seconds)>,
    /// How long it is, or why that can't be had.
    pub length: Result<Seconds, String>,
    /// Whether it is a span of time, so that requests can lie across its edges.
    pub edged: bool,
    /// Requests that belong.
    pub inside: usize,
    /// Requests that were sent.
    pub sent: usize,
}

/// The window of `settings` on a run, as if the requests `excluded` (ascending) had never been sent.
///
/// # Errors
/// When the run lacks what the window needs; the reason is a clause.
pub fn stretch(run: &Run, settings: &Settings, excluded: &[usize]) -> Result<Stretch, String> {
    let requests = run.requests.as_ref().ok_or("the file holds no requests")?;
    let sums = gap_sums(requests);
    let span = select(requests, settings, &sums, excluded)?;
    let kept = Kept { requests, excluded, gap_sums: &sums };
    let members: Vec<usize> = kept.rows().filter(|at| span.contains(*at)).collect();
    let zero = kept.first_start();
    let between = match (span.range, &zero) {
        (Some(range), Ok(zero)) => Some((range.from - zero, range.to - zero)),
        (None, Ok(zero)) => {
            let first = members.iter().filter_map(|at| kept.start(*at)).reduce(f64::min);
            first.zip(span.length.as_ref().ok()).map(|(at, long)| (at - zero, at - zero + long))
        }
        (_, Err(_)) => None,
    };
    Ok(Stretch {
        between: between.map(|(a, b)| (Seconds::from_secs(a), Seconds::from_secs(b))),
        length: span.length.map(Seconds::from_secs),
        edged: span.range.is_some(),
        inside: members.len(),
        sent: kept.rows().count(),
    })
}

/// Seconds that the requests of the population spent inside the window's span of time, by `ends`; `None`
/// for a window that is none.
pub(super) fn seconds_inside(rows: &Rows<'_>, ends: &Values) -> Option<f64> {
    let range = rows.range?;
    let spent = |at: usize| {
        let long = rows.e2e_of(ends, at).ok()?;
        let from = rows.requests.start.get(at)?.as_secs() - rows.wait_of(at);
        Some(range.overlap(from, from + long))
    };
    Some(0.0 + rows.populated().filter_map(spent).sum::<f64>())
}
