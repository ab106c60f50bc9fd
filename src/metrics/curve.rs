//! A sweep as a curve: points in the order of load, and what its shape says.

use super::attainment::{Attainment, attainment};
use super::difference::{Direction, direction};
use super::evaluate::Evaluation;
use super::goodput::{Goodput, GoodputResult, Within};
use super::measured::Value;
use crate::model::{Limit, LimitMetric, Metric, RequestRate, Run, RunId, Stat};
use crate::stats::Interval;
use crate::units::Seconds;
use serde::{Deserialize, Serialize};

/// What an axis shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// A statistic of a metric.
    Metric(Metric, Stat),
    /// The request rate that was asked for.
    RequestedRate,
    /// The request rate that was sent.
    AchievedRate,
    /// The most requests in flight that were allowed.
    MaxConcurrency,
    /// Output tokens per second ÷ accelerators. How many there were is taken from the file, never assumed.
    OutputPerAccelerator,
    /// Tokens per second as one user sees them.
    UserSpeed(Stat),
}

/// One run on a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The run.
    pub run: RunId,
    /// Where it lies across.
    pub x: Value,
    /// Where it lies up.
    pub y: Value,
    /// Requests per second asked for.
    pub requested_rate: Option<f64>,
    /// Requests per second sent: sends ÷ the time from the first to the last.
    pub achieved_rate: Option<f64>,
    /// Finished requests per second.
    pub request_throughput: Option<f64>,
    /// Good requests per second.
    pub goodput: Option<Within>,
    /// The 95 % interval of `goodput`.
    pub goodput_interval: Option<Interval>,
    /// Share of requests within all limits.
    pub share: Option<Within>,
    /// Requests sent.
    pub n: usize,
}

/// Where the throughput is highest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    /// The point.
    pub index: usize,
    /// Whether it is the lowest or highest load: the peak may lie beyond.
    pub at_edge: bool,
}

/// Where the goodput is highest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GoodputPeak {
    /// The point.
    pub index: usize,
    /// Good requests per second there.
    pub value: Within,
    /// Whether it is the lowest or highest load: the peak may lie beyond.
    pub at_edge: bool,
    /// The x of the neighbouring loads, between which the peak lies. At an edge, its own.
    pub between: [Option<f64>; 2],
}

/// Where the curve bends most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knee {
    /// The point.
    pub index: usize,
    /// How it was found.
    pub rule: String,
}

/// A sweep as a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The points in the order of load.
    pub points: Vec<CurvePoint>,
    /// Points that no other beats on both axes.
    pub frontier: Vec<usize>,
    /// Where the curve bends most, when it is plain.
    pub knee: Option<Knee>,
    /// Where the output throughput is highest (request throughput where that is not known).
    pub throughput_peak: Option<Peak>,
    /// Where the goodput is highest.
    pub goodput_peak: Option<GoodputPeak>,
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
}

/// Why there is no value per accelerator.
const NO_COUNT: &str = "the file does not say how many accelerators served, and none is assumed";

/// Below this share of the rate sent, a load counts as not served. The drain of a short run alone
/// costs 5 to 8 %, so 95 % would misfire.
const SERVED: f64 = 0.9;
/// Fewer loads show no knee.
const KNEE_LOADS: usize = 5;
/// A knee stands at least this far off the chord, as a share of the chart's side.
const KNEE_DEPTH: f64 = 0.1;

/// The curve of runs, each with its evaluation.
pub fn curve(runs: &[(&Run, &Evaluation)], ask: &CurveAsk<'_>) -> Curve {
    let mut runs = runs.to_vec();
    runs.sort_by(|a, b| load(a.0, a.1).total_cmp(&load(b.0, b.1)));
    let points: Vec<CurvePoint> = runs.iter().map(|(run, of)| point(run, of, ask)).collect();
    let throughput = throughputs(&runs);
    let last = points.len().saturating_sub(1);
    let throughput_peak =
        highest(&throughput).map(|index| Peak { index, at_edge: index == 0 || index == last });
    Curve {
        frontier: frontier(&points, ask),
        knee: knee(&points),
        throughput_peak,
        goodput_peak: goodput_peak(&points),
        attainment: ask.attain.and_then(|wanted| {
            let loads: Vec<_> = runs.iter().map(|(_, of)| known(of)).collect();
            attainment(&loads, wanted)
        }),
        best_within: best_within(&runs, &throughput, ask),
        saturated_from: saturated_from(&runs),
        points,
    }
}

/// What orders the loads of a sweep: the rate asked for, else the cap, else the rate served.
fn load(run: &Run, evaluation: &Evaluation) -> f64 {
    match (run.load.request_rate, run.load.max_concurrency) {
        (Some(RequestRate::PerSecond(rate)), _) => rate,
        (_, Some(cap)) => cap as f64,
        _ => number(evaluation, Metric::RequestThroughput).unwrap_or(f64::INFINITY),
    }
}

fn number(evaluation: &Evaluation, metric: Metric) -> Option<f64> {
    evaluation.value(metric, Stat::Value).number()
}

fn requested(run: &Run) -> Option<f64> {
    match run.load.request_rate {
        Some(RequestRate::PerSecond(rate)) => Some(rate),
        _ => None,
    }
}

/// Number of sends and the time from the first to the last.
fn sending(run: &Run) -> Option<(f64, f64)> {
    let starts: Vec<f64> =
        run.requests.as_ref()?.start.iter().flatten().map(Seconds::as_secs).collect();
    let first = starts.iter().copied().reduce(f64::min)?;
    let last = starts.iter().copied().reduce(f64::max)?;
    (last > first).then_some((starts.len() as f64, last - first))
}

/// Requests per second sent: sends ÷ the time from the first to the last.
pub fn achieved_rate(run: &Run) -> Option<f64> {
    sending(run).map(|(count, span)| count / span)
}

fn known(evaluation: &Evaluation) -> Option<&Goodput> {
    match &evaluation.goodput {
        GoodputResult::Known(goodput) => Some(goodput),
        _ => None,
    }
}

fn point(run: &Run, evaluation: &Evaluation, ask: &CurveAsk<'_>) -> CurvePoint {
    let goodput = known(evaluation);
    CurvePoint {
        run: run.id.clone(),
        x: on_axis(run, evaluation, ask.x),
        y: on_axis(run, evaluation, ask.y),
        requested_rate: requested(run),
        achieved_rate: achieved_rate(run),
        request_throughput: number(evaluation, Metric::RequestThroughput),
        goodput: goodput.and_then(|g| g.per_second.clone().ok()),
        goodput_interval: goodput.and_then(|g| g.per_second_interval),
        share: goodput.map(|g| g.share),
        n: evaluation.counts.sent,
    }
}

/// Where a run lies on an axis.
pub fn on_axis(run: &Run, evaluation: &Evaluation, axis: Axis) -> Value {
    let or = |value: Option<f64>, why: &str| {
        value.map_or_else(|| Value::Missing(why.to_owned()), Value::Exact)
    };
    match axis {
        Axis::Metric(metric, stat) => evaluation.value(metric, stat),
        Axis::OutputPerAccelerator => match run.load.gpus.filter(|gpus| *gpus > 0) {
            Some(gpus) => {
                divided(evaluation.value(Metric::OutputThroughput, Stat::Value), f64::from(gpus))
            }
            None => Value::Missing(NO_COUNT.to_owned()),
        },
        Axis::UserSpeed(stat) => evaluation.user_speed.value(stat),
        Axis::RequestedRate => or(requested(run), "the file names no request rate"),
        Axis::AchievedRate => or(achieved_rate(run), "the file holds no send times"),
        Axis::MaxConcurrency => or(
            run.load.max_concurrency.map(|c| c as f64),
            "the run has no cap on requests in flight",
        ),
    }
}

/// A value, or both its bounds, divided.
fn divided(value: Value, by: f64) -> Value {
    match value {
        Value::Exact(v) => Value::Exact(v / by),
        Value::AtLeast(v) => Value::AtLeast(v / by),
        Value::AtMost(v) => Value::AtMost(v / by),
        Value::Between(low, high) => Value::Between(low / by, high / by),
        Value::Reported(v) => Value::Reported(v / by),
        Value::Missing(because) => Value::Missing(because),
    }
}

fn axis_direction(axis: Axis) -> Direction {
    match axis {
        Axis::Metric(metric, _) => direction(metric).unwrap_or(Direction::Higher),
        _ => Direction::Higher,
    }
}

/// Points that no other equals or beats on both axes while beating it on one. Equal points all stay.
fn frontier(points: &[CurvePoint], ask: &CurveAsk<'_>) -> Vec<usize> {
    let sign = |axis| if axis_direction(axis) == Direction::Higher { 1.0 } else { -1.0 };
    let (x_sign, y_sign) = (sign(ask.x), sign(ask.y));
    let places: Vec<Option<(f64, f64)>> = points
        .iter()
        .map(|p| Some((p.x.exact_or_reported()? * x_sign, p.y.exact_or_reported()? * y_sign)))
        .collect();
    let beaten = |(x, y): (f64, f64)| {
        places.iter().flatten().any(|(a, b)| *a >= x && *b >= y && (*a > x || *b > y))
    };
    places
        .iter()
        .enumerate()
        .filter_map(|(at, place)| place.filter(|p| !beaten(*p)).map(|_| at))
        .collect()
}

/// The point farthest from the chord of the curve, on logarithmic axes; only with enough loads, well
/// off the chord, and the same when any one other load is left out.
fn knee(points: &[CurvePoint]) -> Option<Knee> {
    let mut places: Vec<(usize, f64, f64)> = points
        .iter()
        .enumerate()
        .filter_map(|(at, p)| {
            let (x, y) = (p.x.exact_or_reported()?, p.y.exact_or_reported()?);
            (x > 0.0 && y > 0.0).then(|| (at, x.ln(), y.ln()))
        })
        .collect();
    if places.len() < KNEE_LOADS {
        return None;
    }
    places.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (index, _) = farthest(&places).filter(|(_, depth)| *depth >= KNEE_DEPTH)?;
    let stable =
        (0..places.len()).filter(|out| places.get(*out).is_some_and(|p| p.0 != index)).all(|out| {
            let mut rest = places.clone();
            rest.remove(out);
            farthest(&rest).is_some_and(|(again, _)| again == index)
        });
    stable.then(|| Knee {
        index,
        rule: "farthest from the chord on logarithmic axes, and the same when any one other load is left out".into(),
    })
}

/// The place farthest from the line between the first and the last, and how far as a share of the sides.
fn farthest(places: &[(usize, f64, f64)]) -> Option<(usize, f64)> {
    let ((_, x0, y0), (_, x1, y1)) = (*places.first()?, *places.last()?);
    let low = places.iter().map(|p| p.2).fold(f64::INFINITY, f64::min);
    let high = places.iter().map(|p| p.2).fold(f64::NEG_INFINITY, f64::max);
    let (width, height) = (x1 - x0, high - low);
    if width <= 0.0 || height <= 0.0 {
        return None;
    }
    places
        .iter()
        .map(|(at, x, y)| {
            let chord = y0 + (y1 - y0) * (x - x0) / width;
            (*at, (y - chord).abs() / height)
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Output tokens per second of each run, or requests per second where one lacks tokens.
fn throughputs(runs: &[(&Run, &Evaluation)]) -> Vec<Option<f64>> {
    let of = |metric| -> Vec<Option<f64>> { runs.iter().map(|(_, e)| number(e, metric)).collect() };
    let output = of(Metric::OutputThroughput);
    if output.iter().all(Option::is_some) { output } else { of(Metric::RequestThroughput) }
}

fn highest(values: &[Option<f64>]) -> Option<usize> {
    values
        .iter()
        .enumerate()
        .filter_map(|(at, v)| v.map(|v| (at, v)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(at, _)| at)
}

fn goodput_peak(points: &[CurvePoint]) -> Option<GoodputPeak> {
    let rates: Vec<Option<f64>> =
        points.iter().map(|p| p.goodput.map(|g| g.high).filter(|g| *g > 0.0)).collect();
    let index = highest(&rates)?;
    let last = points.len().saturating_sub(1);
    let x = |at: usize| points.get(at).and_then(|p| p.x.number());
    Some(GoodputPeak {
        index,
        value: points.get(index)?.goodput?,
        at_edge: index == 0 || index == last,
        between: [x(index.saturating_sub(1)), x((index + 1).min(last))],
    })
}

fn best_within(
    runs: &[(&Run, &Evaluation)],
    throughput: &[Option<f64>],
    ask: &CurveAsk<'_>,
) -> Option<usize> {
    if ask.limits.is_empty() {
        return None;
    }
    let meets = |evaluation: &Evaluation| {
        ask.limits.iter().all(|limit| {
            // What holds of one request only can't be held against a statistic of the run.
            let (LimitMetric::Ttft | LimitMetric::Tpot | LimitMetric::E2e, Some(millis)) =
                (limit.metric, limit.constant())
            else {
                return false;
            };
            let value = evaluation.value(limit.metric.metric(), ask.limit_stat);
            value.exact_or_reported().is_some_and(|v| v <= millis)
        })
    };
    let within: Vec<Option<f64>> =
        runs.iter().zip(throughput).map(|((_, e), t)| t.filter(|_| meets(e))).collect();
    highest(&within)
}

/// The first load that is not served, when no higher load is served either.
fn saturated_from(runs: &[(&Run, &Evaluation)]) -> Option<usize> {
    let behind = |(run, evaluation): &(&Run, &Evaluation)| {
        // Without bias for short runs: n sends span n − 1 gaps.
        let sent = sending(run).map(|(count, span)| (count - 1.0) / span).or(requested(run));
        let served = number(evaluation, Metric::RequestThroughput);
        served.zip(sent).is_some_and(|(served, sent)| served < SERVED * sent)
    };
    let served = runs.iter().rposition(|run| !behind(run));
    let first = served.map_or(0, |at| at + 1);
    (first < runs.len() && !is_burst(runs)).then_some(first)
}

/// Whether a run was not offered at a rate: then nothing can fall behind.
fn is_burst(runs: &[(&Run, &Evaluation)]) -> bool {
    runs.iter().any(|(run, _)| requested(run).is_none())
}
