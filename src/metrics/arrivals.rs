//! Arrivals against completions: whether a load has a steady state at all.
//!
//! When requests arrive faster than they are finished, waiting grows with the length of the run, and no
//! latency of it is a property of the server. The test looks at the number in flight N(t) while requests
//! were still being sent.
//!
//! *The slope* is that of least squares through ten batch means of N(t), each over a tenth of the time
//! tested. *The interval* is the 95 % one of that slope from the same batch means (Student's t with 8
//! degrees of freedom), widened by √((1 + r) ÷ (1 − r)) for the correlation r that is left between
//! neighbouring batches: N(t) remembers, and an interval over single requests would be far too narrow.
//! *The ramp*, the median latency of the earliest tenth of requests, is left out: a run begins empty and
//! fills up, whatever the load.
//!
//! *Growing* means that even at the lower end of the interval the number in flight rises over the time
//! tested by half of its mean. A short run that is still filling up looks like one that grows: of runs of
//! eight servers 80 % busy (200 seeds, exponential service) some 3 % are called growing with 150
//! requests and some 7 % with 100; `tests/theory.rs` holds the former, and one server 70 % busy with 500,
//! to 5 %.

use super::rows::{Values, ends, pick};
use super::settings::End;
use crate::model::{Outcome, RequestRate, Requests, Run};
use crate::stats::{Interval, Rule, quantile_sorted};
use crate::units::{Seconds, significant};
use serde::{Deserialize, Serialize};

/// Batches of the time tested.
const BATCHES: usize = 10;
/// Two-sided 95 % quantile of Student's t with as many degrees of freedom as batches less two.
const T_8: f64 = 2.306_004_135_204_168;
/// Fewer requests than this say nothing.
const FEWEST: usize = 20;
/// Growing means a growth over the time tested, at the lower end of its interval, of at least this share
/// of the mean number in flight …
const GROWTH: f64 = 0.5;
/// … and in itself of at least so many requests.
const GROWTH_LEAST: f64 = 2.0;
/// Steady means that at most this share of arrivals may be left over: the complement of what
/// counts as served on a curve.
const LEFT_OVER: f64 = 0.1;
/// Neighbouring batches are taken to be correlated no more than this.
const CORRELATION: f64 = 0.9;
/// Moments of the two running totals.
const MOMENTS: usize = 120;

/// Whether the number in flight grew while requests were being sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steadiness {
    /// It does not grow, or by less than a tenth of the arrivals.
    Steady,
    /// It grows: there is no steady state at this load.
    Growing,
    /// The file or the length of the run does not allow an answer.
    CannotTell,
    /// The client holds the number in flight: it cannot grow.
    Closed,
}

impl Steadiness {
    /// Stable id, as in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::Growing => "growing",
            Self::CannotTell => "cannot-tell",
            Self::Closed => "closed",
        }
    }
}

/// The answer with what it stands on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Steady {
    /// The answer.
    pub verdict: Steadiness,
    /// Requests that are more in flight after every second.
    pub slope: Option<f64>,
    /// The 95 % interval of `slope`.
    pub interval: Option<Interval>,
    /// What the answer stands on, as a clause.
    pub because: String,
}

impl Steady {
    fn unknown(because: String) -> Self {
        Self { verdict: Steadiness::CannotTell, slope: None, interval: None, because }
    }

    /// "No steady state at this load: 3.1 more requests in flight every second (2.7 to 3.5)."
    pub fn sentence(&self) -> String {
        match (self.verdict, self.slope.zip(self.interval)) {
            (Steadiness::Growing, Some((slope, within))) => format!(
                "No steady state at this load: {} more requests in flight every second ({} to {}).",
                significant(slope, 2),
                significant(within.low, 2),
                significant(within.high, 2)
            ),
            (Steadiness::Growing, None) => "No steady state at this load.".to_owned(),
            (Steadiness::Steady, _) => format!("Steady at this load: {}.", self.because),
            (Steadiness::Closed, _) => format!("Closed loop: {}.", self.because),
            (Steadiness::CannotTell, _) => {
                format!("Whether this load is steady cannot be told: {}.", self.because)
            }
        }
    }
}

/// One moment of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Seconds after the first arrival.
    pub secs: f64,
    /// Requests that have arrived by then.
    pub arrived: usize,
    /// Requests that have ended by then.
    pub ended: usize,
}

/// The two running totals of a run and what their distance says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Arrivals {
    /// Evenly spaced moments, 120 at most, from the first arrival to the last end.
    pub moments: Vec<Moment>,
    /// Requests with both times.
    pub requests: usize,
    /// Requests left out for want of one.
    pub left_out: usize,
    /// Whether arrivals are the scheduled times, so that waiting in the client counts.
    pub scheduled: bool,
    /// From when to when the number in flight was tested, in seconds after the first arrival.
    pub tested: (f64, f64),
    /// Arrivals per second in that time.
    pub rate: f64,
    /// Mean number in flight in that time.
    pub mean: f64,
    /// Largest number in flight.
    pub peak: usize,
    /// Mean number sent and not yet ended, from the first send to the last end.
    pub mean_sent: f64,
    /// Whether it grew.
    pub steady: Steady,
}

/// Arrivals against completions of a run, as if the requests `excluded` (ascending) had never been sent.
///
/// # Errors
/// When the file lacks send times or ends; the reason is a clause.
pub fn arrivals(run: &Run, excluded: &[usize]) -> Result<Arrivals, String> {
    let requests = run.requests.as_ref().ok_or(run.no_requests())?;
    let flights = flights(requests, excluded)?;
    let ramp = ramp(&flights.sent);
    let mean_sent = mean_in_flight(&flights.sent);
    // Only a load at a rate of its own can wait in the client: a closed loop sends when one ends.
    let scheduled = !is_closed(run) && flights.due.is_some();
    let stays = flights.due.filter(|_| scheduled).unwrap_or(flights.sent);
    let first = stays.first().ok_or("no request has a send time and an end")?.0;
    let last = last_end(&stays, first);
    // What never ended within the run was in flight to its last moment.
    let stays: Vec<(f64, f64)> =
        stays.iter().map(|(a, e)| (a - first, e.min(last) - first)).collect();
    let whole = last - first;
    let arrived: Vec<f64> = stays.iter().map(|s| s.0).collect();
    let mut ended: Vec<f64> = stays.iter().map(|s| s.1).collect();
    ended.sort_unstable_by(f64::total_cmp);
    let by = |sorted: &[f64], secs: f64| sorted.partition_point(|t| *t <= secs);
    let moments = (0..=MOMENTS)
        .map(|at| whole * (at as f64 / MOMENTS as f64))
        .map(|secs| Moment { secs, arrived: by(&arrived, secs), ended: by(&ended, secs) })
        .collect();
    let peak = stays.iter().map(|s| by(&arrived, s.0) - by(&ended, s.0)).max().unwrap_or(0);
    let sending = arrived.last().copied().unwrap_or(0.0);
    let from = ramp.min(sending);
    let inside = arrived.iter().filter(|a| **a >= from).count();
    let span = sending - from;
    let mut found = Arrivals {
        moments,
        requests: stays.len(),
        left_out: flights.left_out,
        scheduled,
        tested: (from, sending),
        rate: if span > 0.0 { inside as f64 / span } else { 0.0 },
        mean: 0.0,
        peak,
        mean_sent,
        steady: Steady::unknown(String::new()),
    };
    let slope = (span > 0.0).then(|| slope(&stays, from, sending));
    found.mean = slope.map_or(0.0, |s| s.mean);
    found.steady = judge(run, &found, inside, slope);
    Ok(found)
}

/// The answer alone; where there is none, with the reason.
pub fn steady(run: &Run, excluded: &[usize]) -> Steady {
    arrivals(run, excluded).map_or_else(Steady::unknown, |found| found.steady)
}

/// Whether the client holds the number in flight: a cap, and no rate or trace at which it sends.
pub(super) fn is_closed(run: &Run) -> bool {
    let paced =
        matches!(run.load.request_rate, Some(RequestRate::PerSecond(_) | RequestRate::Trace));
    run.load.max_concurrency.is_some_and(|cap| cap > 0) && !paced
}

fn judge(run: &Run, found: &Arrivals, inside: usize, slope: Option<Slope>) -> Steady {
    let cap = run.load.max_concurrency.filter(|cap| *cap > 0);
    if let (Some(cap), true) = (cap, is_closed(run)) {
        return Steady {
            verdict: Steadiness::Closed,
            slope: slope.map(|s| s.value),
            interval: slope.map(|s| s.interval),
            because: format!(
                "the client keeps {cap} in flight and sends the next when one ends, so waiting cannot grow"
            ),
        };
    }
    let (Some(slope), true) = (slope, inside >= FEWEST) else {
        let ramp = significant(found.tested.0, 2);
        return Steady::unknown(if found.tested.1 <= found.tested.0 || inside == 0 {
            format!(
                "all requests were sent within {ramp} s, about the time that one of the first takes"
            )
        } else {
            format!("{inside} requests were sent after the ramp of {ramp} s, and it takes {FEWEST}")
        });
    };
    let with = |verdict, because: String| Steady {
        verdict,
        slope: Some(slope.value),
        interval: Some(slope.interval),
        because,
    };
    let span = found.tested.1 - found.tested.0;
    let grows =
        slope.value * span >= GROWTH_LEAST && slope.interval.low * span >= GROWTH * slope.mean;
    let (low, high) = (significant(slope.interval.low, 2), significant(slope.interval.high, 2));
    let rate = significant(found.rate, 3);
    if grows {
        return with(
            Steadiness::Growing,
            format!(
                "of {rate} requests that arrive every second {} are left over ({low} to {high}), over {} s",
                significant(slope.value, 2),
                significant(span, 2)
            ),
        );
    }
    if let Some(cap) = cap.filter(|cap| found.peak as u64 >= *cap && !found.scheduled) {
        return with(
            Steadiness::CannotTell,
            format!(
                "the client lets no more than {cap} be in flight, that many were, and the file does not \
                 hold how long requests waited in the client"
            ),
        );
    }
    if slope.interval.high < LEFT_OVER * found.rate {
        return with(
            Steadiness::Steady,
            format!(
                "the number in flight changes by {low} to {high} a second, against {rate} that arrive"
            ),
        );
    }
    with(
        Steadiness::CannotTell,
        format!(
            "{inside} requests in {} s leave a change of {low} to {high} in flight every second",
            significant(span, 2)
        ),
    )
}

/// When each request began and ended, ascending, on the run's clock.
type Stays = Vec<(f64, f64)>;

struct Flights {
    /// From the send.
    sent: Stays,
    /// From the time it was due, where the file holds the wait in the client of every request.
    due: Option<Stays>,
    left_out: usize,
}

fn flights(requests: &Requests, excluded: &[usize]) -> Result<Flights, String> {
    if requests.start.is_absent() {
        return Err("the file holds no send times".into());
    }
    let gap_sums: Values = requests
        .gaps
        .rows()
        .map(|row| row.map(|gaps| gaps.iter().map(|g| g.as_secs()).sum()))
        .collect();
    let ends = ends(requests, End::LastToken, &gap_sums);
    let ends = ends.low.or(ends.high).ok_or(ends.because)?;
    let mut left_out = 0;
    let mut sent = Vec::with_capacity(requests.len());
    let mut due = Vec::with_capacity(requests.len());
    let mut all_due = !requests.queue_wait.is_absent();
    for at in (0..requests.len()).filter(|at| excluded.binary_search(at).is_err()) {
        let cut =
            matches!(requests.outcome.get(at), Some(Outcome::Cancelled | Outcome::Unfinished));
        let end = pick(&ends, at).or(cut.then_some(f64::INFINITY)).filter(|e| *e >= 0.0);
        let (Some(start), Some(end)) = (requests.start.get(at).map(Seconds::as_secs), end) else {
            left_out += 1;
            continue;
        };
        let wait = requests.queue_wait.get(at).map(Seconds::as_secs);
        all_due &= wait.is_some();
        let wait = wait.unwrap_or(0.0).max(0.0);
        sent.push((start, start + end));
        due.push((start - wait, start + end));
    }
    for stays in [&mut sent, &mut due] {
        stays.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    }
    Ok(Flights { sent, due: all_due.then_some(due), left_out })
}

fn last_end(stays: &[(f64, f64)], first: f64) -> f64 {
    stays.iter().map(|s| s.1).filter(|e| e.is_finite()).fold(first, f64::max)
}

fn mean_in_flight(stays: &[(f64, f64)]) -> f64 {
    let Some((first, _)) = stays.first() else { return 0.0 };
    let last = last_end(stays, *first);
    if last > *first { held(stays, *first, last) / (last - first) } else { 0.0 }
}

/// How long a run takes to fill: the median latency of the earliest tenth, of five requests at least.
fn ramp(stays: &[(f64, f64)]) -> f64 {
    let mut early: Vec<f64> =
        stays.iter().take((stays.len() / 10).max(5)).map(|(a, e)| e - a).collect();
    early.sort_unstable_by(f64::total_cmp);
    quantile_sorted(&early, 0.5, Rule::NearestRank).unwrap_or(0.0)
}

/// ∫ N(t) dt between two moments.
fn held(stays: &[(f64, f64)], from: f64, to: f64) -> f64 {
    stays.iter().map(|(a, e)| (e.min(to) - a.max(from)).max(0.0)).sum()
}

/// A slope of the number in flight.
#[derive(Debug, Clone, Copy)]
struct Slope {
    value: f64,
    interval: Interval,
    mean: f64,
}

fn slope(stays: &[(f64, f64)], from: f64, to: f64) -> Slope {
    let width = (to - from) / BATCHES as f64;
    let edge = |at: usize| from + width * at as f64;
    let points: Vec<(f64, f64)> = (0..BATCHES)
        .map(|at| (edge(at) + width / 2.0, held(stays, edge(at), edge(at + 1)) / width))
        .collect();
    let n = BATCHES as f64;
    let mean_x = points.iter().map(|p| p.0).sum::<f64>() / n;
    let mean = points.iter().map(|p| p.1).sum::<f64>() / n;
    let spread: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    let value = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean)).sum::<f64>() / spread;
    let rest: Vec<f64> = points.iter().map(|p| p.1 - mean - value * (p.0 - mean_x)).collect();
    let squares: f64 = rest.iter().map(|r| r * r).sum();
    let neighbours: f64 = rest.iter().zip(rest.iter().skip(1)).map(|(a, b)| a * b).sum();
    // Of so few residuals the correlation comes out too low by about 1 ÷ n.
    let r = if squares > 0.0 { neighbours / squares + 1.0 / n } else { 0.0 };
    let r = r.clamp(0.0, CORRELATION);
    let error = (squares / (n - 2.0) / spread * (1.0 + r) / (1.0 - r)).sqrt();
    let interval = Interval { low: value - T_8 * error, high: value + T_8 * error };
    Slope { value, interval, mean }
}
