//! One sweep under the limits: its loads, each with what is known of its goodput.

use crate::metrics::settings::GoodputUnit;
use crate::metrics::{
    Axis, Curve, CurveAsk, CurvePoint, Measured, Subject, Within, curve, same_load, share_between,
    share_of_all,
};
use crate::model::{LimitMetric, Metric, Run, RunId, Stat};
use crate::units::{fixed, significant};
use crate::views::Context;
use crate::views::groups::{RunGroup, Varied, curve_names, groups};
use crate::views::labels::load_value;
use crate::views::measure::{Measurement, measure};
use crate::views::slo::limit_in_words;

/// One sweep, or a load alone.
pub(super) struct Sweep<'a> {
    pub name: String,
    pub style: usize,
    pub varied: Option<Varied>,
    /// In order of load, repeats beside each other.
    pub runs: Vec<Measurement<'a>>,
    pub curve: Curve,
    /// Of each load of which only printed percentiles are known, the bounds of good requests per second
    /// and of their share.
    pub bounds: Vec<Option<Bounds>>,
}

/// What printed percentiles allow to say of a load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub share: Within,
    pub per_second: Within,
}

/// The sweeps among the selected runs, without those that a finding holds back.
pub(super) fn sweeps<'a>(all: &[&'a Run], context: &Context) -> Vec<Sweep<'a>> {
    let groups = groups(all);
    let chosen = |run: &&Run| context.runs.is_empty() || context.runs.contains(&run.id);
    let drawn: Vec<(usize, &RunGroup, Vec<Measurement<'a>>)> = groups
        .iter()
        .enumerate()
        .filter_map(|(style, group)| {
            let runs = group.members.iter().filter_map(|at| all.get(*at).copied());
            let runs: Vec<Measurement<'a>> = runs
                .filter(chosen)
                .map(|run| measure(run, style, context, None))
                .filter(|measured| measured.blocked.is_none())
                .collect();
            (!runs.is_empty()).then_some((style, group, runs))
        })
        .collect();
    let firsts: Vec<(&RunGroup, &Run)> =
        drawn.iter().filter_map(|(_, group, runs)| Some((*group, runs.first()?.run))).collect();
    let names = curve_names(&firsts);
    drawn
        .into_iter()
        .zip(names)
        .map(|((style, group, runs), name)| sweep(name, style, group.varied, runs, context))
        .collect()
}

fn sweep<'a>(
    name: String,
    style: usize,
    varied: Option<Varied>,
    runs: Vec<Measurement<'a>>,
    context: &Context,
) -> Sweep<'a> {
    let attain = runs.first().and_then(|m| match m.settings.goodput_unit {
        GoodputUnit::MaxLoadAtAttainment(share) => Some(share),
        _ => None,
    });
    let x = match varied {
        Some(Varied::Concurrency) => Axis::MaxConcurrency,
        _ => Axis::RequestedRate,
    };
    let wanted = CurveAsk {
        x,
        y: Axis::Metric(Metric::Goodput, Stat::Value),
        limits: &context.limits,
        attain,
        limit_stat: Stat::Mean,
        intervals: false,
    };
    let curve = curve(runs.iter().map(Measurement::subject).collect(), &wanted);
    let bounds = curve
        .points
        .iter()
        .map(|point| {
            let run = runs.iter().find(|measured| measured.run.id == point.run)?;
            point.judged.is_err().then(|| printed(run, context)).flatten()
        })
        .collect();
    Sweep { name, style, varied, runs, curve, bounds }
}

impl<'a> Sweep<'a> {
    pub(super) fn first(&self) -> Option<&Measurement<'a>> {
        self.runs.first()
    }

    pub(super) fn holds(&self, id: &RunId) -> bool {
        self.runs.iter().any(|measured| measured.run.id == *id)
    }

    fn run(&self, at: usize) -> Option<&'a Run> {
        let id = &self.curve.points.get(at)?.run;
        self.runs.iter().find(|measured| measured.run.id == *id).map(|measured| measured.run)
    }

    /// The load as a number on the axis.
    pub(super) fn x(&self, at: usize) -> Option<f64> {
        let run = self.run(at)?;
        let load = match self.varied {
            Some(varied) => varied.load(run),
            None => Varied::Rate.load(run).or_else(|| Varied::Concurrency.load(run)),
        };
        load.filter(|load| load.is_finite())
    }

    /// "12".
    pub(super) fn label(&self, at: usize) -> String {
        self.x(at).map_or_else(|| "∞".to_owned(), load_value)
    }

    /// "12 req/s".
    pub(super) fn load(&self, at: usize) -> String {
        format!("{} {}", self.label(at), self.unit())
    }

    /// What the loads are of.
    pub(super) fn x_title(&self) -> &'static str {
        if self.of_caps() { "allowed in flight" } else { "requested rate" }
    }

    pub(super) fn unit(&self) -> &'static str {
        if self.of_caps() { Varied::Concurrency.unit() } else { Varied::Rate.unit() }
    }

    pub(super) fn of_caps(&self) -> bool {
        let capped = |run: &Run| Varied::Rate.load(run).is_none_or(f64::is_infinite);
        match self.varied {
            Some(varied) => varied == Varied::Concurrency,
            None => self.runs.first().is_some_and(|measured| capped(measured.run)),
        }
    }

    /// The runs of each load, for maps.
    pub(super) fn loads(&self) -> Vec<Vec<Subject<'_>>> {
        self.runs
            .chunk_by(|a, b| same_load(a.run, b.run))
            .map(|runs| runs.iter().map(Measurement::subject).collect())
            .collect()
    }

    /// A row of the table: load, goodput, throughput, the share within each limit and within all, what binds.
    pub(super) fn row(&self, at: usize, limits: usize) -> Vec<String> {
        let Some(point) = self.curve.points.get(at) else { return Vec::new() };
        let number = |within: Within, factor: f64| match within.exact() {
            Some(v) => significant(v * factor, 4),
            None => {
                format!(
                    "{} to {}",
                    significant(within.low * factor, 3),
                    significant(within.high * factor, 3)
                )
            }
        };
        let share = |within: Within| match within.exact() {
            Some(v) => fixed(v * 100.0, 1),
            None => {
                format!("{} to {}", fixed(within.low * 100.0, 1), fixed(within.high * 100.0, 1))
            }
        };
        let dash = || "—".to_owned();
        let bounds = self.bounds.get(at).copied().flatten();
        let goodput = point.goodput.or(bounds.map(|b| b.per_second));
        let mut row = vec![
            self.load(at),
            goodput.map_or_else(dash, |g| number(g, 1.0)),
            point.request_throughput.map_or_else(dash, |v| significant(v, 4)),
        ];
        let each = |at: usize| {
            let judged = point.judged.as_ref().ok()?;
            judged.each.get(at).map(|each| each.share)
        };
        row.extend((0..limits).map(|at| each(at).map_or_else(dash, share)));
        let all = point.share.or(bounds.map(|b| b.share));
        row.push(all.map_or_else(dash, share));
        row.push(point.binding().map_or_else(dash, |b| limit_in_words(&b.limit)));
        row
    }

    /// The points with a place on the axis.
    pub(super) fn placed(&self) -> impl Iterator<Item = (usize, f64, &CurvePoint)> {
        let points = self.curve.points.iter().enumerate();
        points.filter_map(|(at, point)| Some((at, self.x(at)?, point)))
    }
}

/// Bounds of goodput out of printed percentiles; nothing where a limited metric has none.
fn printed(run: &Measurement<'_>, context: &Context) -> Option<Bounds> {
    let shares = context.limits.iter().map(|limit| {
        // Printed percentiles of ITL are of its samples, not of requests.
        if matches!(limit.metric, LimitMetric::Itl(_)) {
            return None;
        }
        let metric = limit.metric.metric();
        let Measured::Reported { .. } = run.measured(metric)? else { return None };
        let values = run.run.reported.values.iter().filter(|value| value.metric == metric);
        let percentiles: Vec<(f64, f64)> = values
            .filter_map(|value| {
                let below = match value.stat {
                    Stat::Percentile(p) => p / 100.0,
                    Stat::Median => 0.5,
                    Stat::Max => 1.0,
                    _ => return None,
                };
                Some((below, value.value))
            })
            .collect();
        share_between(&percentiles, limit.constant()?)
    });
    let share = share_of_all(&shares.collect::<Option<Vec<_>>>()?)?;
    let served = run.value(Metric::RequestThroughput, Stat::Value).number()?;
    let per_second = Within { low: share.low * served, high: share.high * served };
    Some(Bounds { share, per_second })
}
