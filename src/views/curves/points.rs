//! The measured loads of each sweep, under the ruler.

use super::{CurveAxes, LoadAxis};
use crate::metrics::settings::GoodputUnit;
use crate::metrics::{
    Axis, Curve as Found, CurveAsk, Evaluation, Replica, Steady, Value, achieved_rate, curve,
    on_axis, steady,
};
use crate::model::{Metric, Run, Stat};
use crate::views::Context;
use crate::views::capacity::{CapacityCard, Planned, attainment_in_words, capacity};
use crate::views::groups::{RunGroup, Varied};
use crate::views::labels;
use crate::views::measure::{Measurement, is_run_level, measure};
use crate::views::quality::HeldBack;
use std::cell::OnceCell;

/// One sweep, or a single load where there is no sweep.
pub(super) struct Curve<'a> {
    pub name: String,
    pub style: usize,
    pub baseline: bool,
    /// In order of the offered load.
    pub loads: Vec<Load<'a>>,
}

/// One measured load.
pub(super) struct Load<'a> {
    pub measured: Measurement<'a>,
    /// "8": the offered load for a label.
    pub label: String,
    /// "8 req/s", for a title.
    pub title: String,
    steady: OnceCell<Steady>,
}

impl Load<'_> {
    /// The key of the point on every chart.
    pub(super) fn key(&self) -> String {
        self.measured.run.id.as_str().to_owned()
    }

    /// The offered rate, where it was finite.
    pub(super) fn requested(&self) -> Option<f64> {
        Varied::Rate.load(self.measured.run).filter(|rate| rate.is_finite())
    }

    /// The position on the load axis.
    pub(super) fn x(&self, axis: LoadAxis) -> Option<f64> {
        let value = |metric| self.measured.value(metric, Stat::Value).number();
        match axis {
            LoadAxis::Achieved => value(Metric::RequestThroughput),
            LoadAxis::Requested => self.requested(),
            LoadAxis::Concurrency => Varied::Concurrency.load(self.measured.run),
            LoadAxis::OutputThroughput => value(Metric::OutputThroughput),
            LoadAxis::OutputPerGpu => {
                let measured = &self.measured;
                on_axis(measured.run, &measured.evaluation, axis.axis()).number()
            }
        }
    }

    /// The metric on the other axis.
    pub(super) fn y(&self, metric: Metric, stat: Stat) -> Value {
        self.measured.value(metric, stat)
    }

    /// Whether the number in flight grew, found when it is first asked for.
    pub(super) fn steady(&self) -> &Steady {
        self.steady.get_or_init(|| steady(self.measured.run, self.measured.excluded()))
    }

    /// The rate really sent. Needs send times.
    pub(super) fn sent_rate(&self) -> Option<f64> {
        achieved_rate(self.measured.run)
    }

    /// Good requests per second, where they are known exactly; else the upper bound and why.
    pub(super) fn goodput(&self) -> Result<(f64, bool), String> {
        let goodput = self.measured.goodput()?;
        let within = goodput.per_second.clone()?;
        Ok((within.high, within.exact().is_some()))
    }
}

/// The selected runs as curves; runs of a sweep of which one is selected come together.
pub(super) fn curves<'a>(
    all: &[&'a Run],
    groups: &[RunGroup],
    context: &Context,
    axes: CurveAxes,
) -> Vec<Curve<'a>> {
    let chosen = |run: &&&Run| context.runs.is_empty() || context.runs.contains(&run.id);
    let baseline = context.baseline.as_ref().or(context.runs.first());
    let stat = (!is_run_level(axes.y)).then_some(axes.stat);
    let mut curves: Vec<Curve<'a>> = groups
        .iter()
        .enumerate()
        .filter_map(|(style, group)| {
            let runs: Vec<&'a Run> =
                group.members.iter().filter_map(|at| all.get(*at).copied()).collect();
            let selected: Vec<&'a Run> = runs.iter().filter(|r| chosen(r)).copied().collect();
            let first = *selected.first()?;
            let loads: Vec<Load<'a>> =
                selected.iter().map(|run| load(run, style, group.varied, context, stat)).collect();
            Some(Curve {
                name: if group.varied.is_some() {
                    first.tool.name().to_owned()
                } else {
                    first.name.clone()
                },
                style,
                baseline: runs.iter().any(|run| Some(&run.id) == baseline),
                loads,
            })
        })
        .collect();
    let first: Vec<&Run> =
        curves.iter().filter_map(|c| c.loads.first()).map(|load| load.measured.run).collect();
    let names = curves.iter().map(|curve| curve.name.clone()).collect();
    for (curve, name) in curves.iter_mut().zip(labels::distinct_curves(names, &first)) {
        curve.name = name;
    }
    curves
}

/// Takes the loads off the curves that a finding holds back, and names them.
pub(super) fn hold_back(curves: &mut Vec<Curve<'_>>) -> Vec<HeldBack> {
    let mut held_back = Vec::new();
    for curve in &mut *curves {
        held_back.extend(curve.loads.iter().filter_map(|load| HeldBack::of(&load.measured)));
        curve.loads.retain(|load| load.measured.blocked.is_none());
    }
    curves.retain(|curve| !curve.loads.is_empty());
    held_back
}

fn load<'a>(
    run: &'a Run,
    style: usize,
    varied: Option<Varied>,
    context: &Context,
    stat: Option<Stat>,
) -> Load<'a> {
    let by = varied.unwrap_or(match run.load.max_concurrency {
        Some(_) if Varied::Rate.load(run).is_none_or(f64::is_infinite) => Varied::Concurrency,
        _ => Varied::Rate,
    });
    let label = by.load(run).map_or_else(|| "?".to_owned(), labels::load_value);
    let unit = match by {
        Varied::Rate => "req/s",
        Varied::Concurrency => "in flight",
    };
    Load {
        measured: measure(run, style, context, stat),
        title: format!("{label} {unit}"),
        label,
        steady: OnceCell::new(),
    }
}

/// The goodput peak of a sweep.
pub(super) struct Peak {
    pub index: usize,
    /// Good requests per second, and whether that is exact rather than an upper bound.
    pub value: (f64, bool),
    pub at_edge: bool,
    /// Positions of the neighbouring loads on the axis.
    pub between: [Option<f64>; 2],
}

/// What a sweep shows, as indices into its loads.
#[derive(Default)]
pub(super) struct Analysis {
    pub goodput_peak: Option<Peak>,
    pub knee: Option<usize>,
    pub saturated_from: Option<usize>,
}

impl Curve<'_> {
    /// The sweep as the definition engine sees it, in an order of its own; nothing of a single load.
    fn found(&self, axes: CurveAxes, context: &Context) -> Option<Found> {
        if self.loads.len() < 2 {
            return None;
        }
        let runs: Vec<(&Run, &Evaluation)> =
            self.loads.iter().map(|l| (l.measured.run, &*l.measured.evaluation)).collect();
        let stat = if is_run_level(axes.y) { Stat::Value } else { axes.stat };
        let unit = self.loads.first().map(|load| load.measured.settings.goodput_unit);
        Some(curve(
            &runs,
            &CurveAsk {
                x: axes.x.axis(),
                y: Axis::Metric(axes.y, stat),
                limits: &context.limits,
                attain: unit.and_then(|unit| match unit {
                    GoodputUnit::MaxLoadAtAttainment(share) => Some(share),
                    _ => None,
                }),
                limit_stat: axes.stat,
            },
        ))
    }

    /// What the sweep says of goodput as a whole: the highest load that attains the share that is
    /// asked for, and the capacity plan. Nothing without limits.
    pub(super) fn goodput(
        &self,
        axes: CurveAxes,
        context: &Context,
    ) -> Option<(Option<String>, CapacityCard)> {
        let found = self.found(axes, context).filter(|_| !context.limits.is_empty())?;
        let load = |index: usize| {
            let point = found.points.get(index);
            let load =
                point.and_then(|p| self.loads.iter().find(|load| load.measured.run.id == p.run));
            load.map_or_else(String::new, |load| load.title.clone())
        };
        let attained = found.attainment.map(|attainment| {
            format!("{}: {}", self.name, attainment_in_words(&attainment, &load))
        });
        let gpus: Vec<Option<u32>> =
            self.loads.iter().map(|load| load.measured.run.load.gpus).collect();
        let planned = Planned {
            name: &self.name,
            style: self.style,
            demand: context.demand,
            gpus: gpus.first().copied().flatten().filter(|_| gpus.windows(2).all(same)),
        };
        Some((attained, capacity(&Replica::of(&found), planned, &load)))
    }

    /// Peak, knee and saturation of the sweep; nothing of a single load.
    pub(super) fn analysis(&self, axes: CurveAxes, context: &Context) -> Analysis {
        let Some(found) = self.found(axes, context) else { return Analysis::default() };
        // The curve has an order of its own: back to the loads by run.
        let at = |index: usize| {
            let run = &found.points.get(index)?.run;
            self.loads.iter().position(|load| &load.measured.run.id == run)
        };
        Analysis {
            goodput_peak: found.goodput_peak.and_then(|peak| {
                Some(Peak {
                    index: at(peak.index)?,
                    value: (peak.value.high, peak.value.exact().is_some()),
                    at_edge: peak.at_edge,
                    between: peak.between,
                })
            }),
            knee: found.knee.filter(|_| !is_run_level(axes.y)).and_then(|knee| at(knee.index)),
            saturated_from: found.saturated_from.and_then(at),
        }
    }
}

/// Whether two neighbours are the same.
fn same<T: PartialEq>(pair: &[T]) -> bool {
    matches!(pair, [a, b] if a == b)
}
