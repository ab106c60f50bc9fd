//! A sweep as a curve: points in the order of load, and what its shape says.
//!
//! Runs of the same load are one point: means and rates are averaged over them, percentiles come out of
//! their pooled samples, and each run's own number stays beside it.

mod axis;
mod frontier;
mod knee;
mod peaks;

pub use axis::{Axis, Spread, SpreadMethod, achieved_rate, falls_short, of_load, on_axis};
pub use frontier::{Place, beaten_by, place};
pub use knee::Knee;
pub use peaks::{GoodputPeak, Peak, highest};

use super::attainment::{Attainment, attainment};
use super::difference::Subject;
use super::evaluate::Evaluation;
use super::goodput::{Goodput, GoodputResult, LimitShare, Within};
use super::measured::Value;
use crate::model::{Limit, LimitMetric, Metric, RequestRate, Run, RunId, Stat};
use crate::stats::{Interval, mean};
use axis::{requested, sending};
use serde::{Deserialize, Serialize};

/// One load on a curve: one run, or repeats of one measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The run; the first of repeats.
    pub run: RunId,
    /// All runs of this load.
    pub runs: Vec<RunId>,
    /// Where it lies across.
    pub x: Value,
    /// Each repeat's x, and how far they lie apart.
    pub x_spread: Spread,
    /// Where it lies up.
    pub y: Value,
    /// Each repeat's y, and the interval of y.
    pub y_spread: Spread,
    /// Requests per second asked for.
    pub requested_rate: Option<f64>,
    /// Requests per second sent: sends ÷ the time from the first to the last.
    pub achieved_rate: Option<f64>,
    /// Finished requests per second.
    pub request_throughput: Option<f64>,
    /// How much less was sent than asked for, as a share of that, where the client did not keep up.
    pub sent_below: Option<f64>,
    /// Goodput with both shares and each limit by itself; of repeats, of all their requests.
    pub judged: Result<Goodput, String>,
    /// Good requests per second.
    pub goodput: Option<Within>,
    /// The 95 % interval of `goodput`.
    pub goodput_interval: Option<Interval>,
    /// Share of requests within all limits.
    pub share: Option<Within>,
    /// Requests sent.
    pub n: usize,
    /// The point of this curve that beats it on both axes.
    pub beaten_by: Option<usize>,
}

impl CurvePoint {
    /// The limit that fewest requests meet, where any request misses one.
    pub fn binding(&self) -> Option<&LimitShare> {
        let goodput = self.judged.as_ref().ok()?;
        goodput.each.get(goodput.binding?)
    }
}

/// A sweep as a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The points in the order of load.
    pub points: Vec<CurvePoint>,
    /// Points that no other beats on both axes.
    pub frontier: Vec<usize>,
    /// Where the curve bends most, or why there is no clear knee, as a clause.
    pub knee: Result<Knee, String>,
    /// Where the output throughput is highest (request throughput where that is not known).
    pub throughput_peak: Option<Peak>,
    /// Where the goodput is highest; none where bounds leave that open.
    pub goodput_peak: Option<GoodputPeak>,
    /// Why no goodput peak can be named, as a clause.
    pub no_goodput_peak: Option<String>,
    /// The highest load at which the share that was asked for is good.
    pub attainment: Option<Attainment>,
    /// The highest throughput among points whose statistics meet all limits: what can be said of
    /// runs without requests. Not goodput.
    pub best_within: Option<usize>,
    /// The first load from which on the server falls behind the requests sent.
    pub saturated_from: Option<usize>,
}

/// What a curve is made of.
#[derive(Debug, Clone, Copy)]
pub struct CurveAsk<'a> {
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// The limits.
    pub limits: &'a [Limit],
    /// The share of requests that has to be good, where the highest load with it is wanted.
    pub attain: Option<f64>,
    /// The statistic that limits are held against in [`Curve::best_within`].
    pub limit_stat: Stat,
    /// Whether to find the interval of each y: of a mean it takes resampling.
    pub intervals: bool,
}

/// Below this share of the rate sent, a load counts as not served. The drain of a short run alone
/// costs 5 to 8 %, so 95 % would misfire.
const SERVED: f64 = 0.9;

/// The curve of runs, each with its evaluation.
pub fn curve(runs: Vec<Subject<'_>>, ask: &CurveAsk<'_>) -> Curve {
    let runs = in_order(runs);
    let loads: Vec<&[Subject<'_>]> = runs.chunk_by(|a, b| same_load(a.run(), b.run())).collect();
    let mut points: Vec<CurvePoint> = loads.iter().filter_map(|load| point(load, ask)).collect();
    let places: Vec<Place> = points.iter().map(|p| place((ask.x, &p.x), (ask.y, &p.y))).collect();
    let beaten = beaten_by(&places);
    let on_frontier = places.iter().zip(&beaten).enumerate();
    let frontier = on_frontier
        .filter_map(|(at, (place, by))| (place.is_some() && by.is_none()).then_some(at))
        .collect();
    for (point, by) in points.iter_mut().zip(beaten) {
        point.beaten_by = by;
    }
    let throughput = peaks::throughputs(&loads);
    let goodput_peak = peaks::goodput(&points);
    let judged: Vec<Option<&Goodput>> = points.iter().map(|p| p.judged.as_ref().ok()).collect();
    Curve {
        frontier,
        knee: knee::knee(&points),
        throughput_peak: peaks::throughput(&points, &throughput),
        no_goodput_peak: goodput_peak.as_ref().err().cloned(),
        goodput_peak: goodput_peak.ok(),
        attainment: ask.attain.and_then(|wanted| attainment(&judged, wanted)),
        best_within: best_within(&loads, &throughput.values, ask),
        saturated_from: saturated_from(&loads),
        points,
    }
}

/// Runs in the order of what the sweep varied: the rate asked for, else the cap, else the rate served.
/// An unlimited rate is the highest.
fn in_order(mut runs: Vec<Subject<'_>>) -> Vec<Subject<'_>> {
    let rate = |run: &Run| match run.load.request_rate {
        Some(RequestRate::PerSecond(rate)) => Some(rate),
        Some(RequestRate::Unlimited) => Some(f64::INFINITY),
        _ => None,
    };
    let mut rates: Vec<f64> = runs.iter().filter_map(|s| rate(s.run())).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    let by_rate = rates.len() > 1;
    let key = |subject: &Subject<'_>| {
        let run = subject.run();
        let cap = run.load.max_concurrency.map(|cap| cap as f64);
        let served = number(subject.evaluation(), Metric::RequestThroughput);
        let (first, second) = if by_rate { (rate(run), cap) } else { (cap, rate(run)) };
        let first = first.or(second).or(served).unwrap_or(f64::INFINITY);
        (first, second.unwrap_or(f64::INFINITY))
    };
    runs.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    runs
}

/// Whether two runs of one sweep offered the same known load: then they are repeats.
pub fn same_load(a: &Run, b: &Run) -> bool {
    let of = |run: &Run| (run.load.request_rate, run.load.max_concurrency);
    let known = |(rate, cap): (Option<RequestRate>, Option<u64>)| match rate {
        Some(RequestRate::PerSecond(_)) => true,
        Some(RequestRate::Unlimited) | None => cap.is_some(),
        Some(RequestRate::Trace) => false,
    };
    known(of(a)) && of(a) == of(b)
}

fn number(evaluation: &Evaluation, metric: Metric) -> Option<f64> {
    evaluation.value(metric, Stat::Value).number()
}

/// The mean of what each of these has; nothing where one lacks it.
fn mean_of(runs: &[Subject<'_>], of: impl Fn(&Subject<'_>) -> Option<f64>) -> Option<f64> {
    mean(&runs.iter().map(of).collect::<Option<Vec<f64>>>()?)
}

fn judged(evaluation: &Evaluation) -> Result<&Goodput, String> {
    match &evaluation.goodput {
        GoodputResult::Known(goodput) => Ok(goodput),
        GoodputResult::Unavailable(because) => Err(because.clone()),
        GoodputResult::NoLimits => Err("no limit is set".into()),
    }
}

/// Whether the client of a run did not keep up with the rate that was asked of it.
fn fell_short(run: &Run) -> bool {
    let short = requested(run).zip(sending(run)).map(|(asked, (sends, span))| {
        sends > 1.0 && falls_short(sends, span, asked, run.load.burstiness)
    });
    short.unwrap_or(false)
}

/// Requests per second sent without bias for short runs: n sends span n − 1 gaps.
fn sent_rate(run: &Run) -> Option<f64> {
    sending(run).map(|(count, span)| (count - 1.0) / span)
}

fn point(runs: &[Subject<'_>], ask: &CurveAsk<'_>) -> Option<CurvePoint> {
    let first = runs.first()?.run();
    let ids: Vec<RunId> = runs.iter().map(|subject| subject.run().id.clone()).collect();
    let all: Result<Vec<&Goodput>, String> =
        runs.iter().map(|subject| judged(subject.evaluation())).collect();
    let judged =
        all.and_then(|all| Goodput::together(&all).ok_or_else(|| "there is no run".into()));
    let (x, x_spread) = of_load(runs, ask.x, false);
    let (y, y_spread) = of_load(runs, ask.y, ask.intervals);
    let requested_rate = requested(first);
    let achieved_rate = mean_of(runs, |subject| achieved_rate(subject.run()));
    Some(CurvePoint {
        run: first.id.clone(),
        runs: ids,
        x,
        x_spread,
        y,
        y_spread,
        requested_rate,
        achieved_rate,
        request_throughput: mean_of(runs, |s| number(s.evaluation(), Metric::RequestThroughput)),
        sent_below: requested_rate
            .zip(achieved_rate)
            .filter(|_| runs.iter().any(|subject| fell_short(subject.run())))
            .map(|(asked, sent)| 1.0 - sent / asked),
        goodput: judged.as_ref().ok().and_then(|g| g.per_second.clone().ok()),
        goodput_interval: judged.as_ref().ok().and_then(|g| g.per_second_interval),
        share: judged.as_ref().ok().map(|g| g.share),
        judged,
        n: runs.iter().map(|subject| subject.evaluation().counts.sent).sum(),
        beaten_by: None,
    })
}

fn best_within(
    loads: &[&[Subject<'_>]],
    throughput: &[Option<f64>],
    ask: &CurveAsk<'_>,
) -> Option<usize> {
    if ask.limits.is_empty() {
        return None;
    }
    let meets = |runs: &[Subject<'_>]| {
        ask.limits.iter().all(|limit| {
            // What holds of one request only can't be held against a statistic of the run.
            let (LimitMetric::Ttft | LimitMetric::Tpot | LimitMetric::E2e, Some(millis)) =
                (limit.metric, limit.constant())
            else {
                return false;
            };
            let axis = Axis::Metric(limit.metric.metric(), ask.limit_stat);
            let (value, _) = of_load(runs, axis, false);
            value.exact_or_reported().is_some_and(|v| v <= millis)
        })
    };
    let within: Vec<Option<f64>> =
        loads.iter().zip(throughput).map(|(runs, t)| t.filter(|_| meets(runs))).collect();
    highest(&within)
}

/// The first load that is not served, when no higher load is served either. Loads that were not offered
/// at a rate can’t fall behind one, and tell nothing.
fn saturated_from(loads: &[&[Subject<'_>]]) -> Option<usize> {
    let behind = |runs: &[Subject<'_>]| {
        let asked = runs.first().and_then(|subject| requested(subject.run()))?;
        let sent = mean_of(runs, |subject| sent_rate(subject.run())).unwrap_or(asked);
        let served = mean_of(runs, |s| number(s.evaluation(), Metric::RequestThroughput))?;
        Some(served < SERVED * sent)
    };
    let told: Vec<(usize, bool)> =
        loads.iter().enumerate().filter_map(|(at, runs)| Some((at, behind(runs)?))).collect();
    let after = told.iter().rposition(|(_, behind)| !behind).map_or(0, |at| at + 1);
    told.get(after).map(|(at, _)| *at)
}
