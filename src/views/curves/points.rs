//! The measured loads of each sweep, under the ruler.

use super::{Across, CurveAxes, Told, told};
use crate::metrics::settings::GoodputUnit;
use crate::metrics::{
    Axis, Curve as Found, CurveAsk, Goodput, GoodputResult, Place, Replica, Spread, Steady,
    Subject, Value, achieved_rate, curve, falls_short, of_load, place, same_load, steady,
};
use crate::model::{Metric, Run, RunId, Stat};
use crate::views::Context;
use crate::views::capacity::{CapacityCard, Planned, attainment_in_words, capacity};
use crate::views::groups::{RunGroup, Varied, curve_names};
use crate::views::labels;
use crate::views::measure::{Measurement, is_run_level, measure};
use crate::views::quality::HeldBack;
use std::cell::OnceCell;

/// With more samples a chart does without intervals that take resampling.
const RESAMPLED: usize = 50_000;

/// One sweep, or a single load where there is no sweep.
pub(super) struct Curve<'a> {
    pub name: String,
    pub style: usize,
    pub baseline: bool,
    /// In order of the offered load.
    pub loads: Vec<Load<'a>>,
}

/// One measured load: one run, or repeats of one measurement.
pub(super) struct Load<'a> {
    /// The run; the first of repeats.
    pub measured: Measurement<'a>,
    /// The other repeats.
    pub more: Vec<Measurement<'a>>,
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

    /// The position on the axis across.
    pub(super) fn x(&self, axis: Across) -> Option<f64> {
        self.placed(axis.axis(), false).0.number().filter(|x| x.is_finite())
    }

    /// The same as it is known: exactly, as printed, within bounds, or why not.
    pub(super) fn across(&self, axis: Across) -> Value {
        self.placed(axis.axis(), false).0
    }

    /// The metric on the other axis.
    pub(super) fn y(&self, metric: Metric, stat: Stat) -> Value {
        if self.more.is_empty() {
            return self.measured.value(metric, stat);
        }
        self.placed(Axis::Metric(metric, of(metric, stat)), false).0
    }

    /// How far the metric is to be trusted: each repeat's number, and its interval. An interval that
    /// takes resampling of very many samples is left to the cards.
    pub(super) fn spread(&self, metric: Metric, stat: Stat) -> Spread {
        let samples = |m: &Measurement<'_>| m.measured(metric)?.summary().map(|s| s.n);
        let few = self.all().filter_map(samples).sum::<usize>() <= RESAMPLED;
        self.placed(Axis::Metric(metric, of(metric, stat)), few).1
    }

    /// Where it lies for the axes shown, for who beats whom.
    pub(super) fn place(&self, axes: CurveAxes) -> Place {
        let (x, y) = (axes.x.axis(), Axis::Metric(axes.y, of(axes.y, axes.stat)));
        place((x, &self.placed(x, false).0), (y, &self.y(axes.y, axes.stat)))
    }

    /// The rate asked for, where the client fell short of it by more than chance.
    pub(super) fn fell_short_of(&self) -> Option<f64> {
        let run = self.measured.run;
        let asked = self.requested()?;
        let starts = run.requests.as_ref()?.start.iter().flatten().count() as f64;
        let sent = self.sent_rate()?;
        (starts > 1.0 && falls_short(starts, starts / sent, asked, run.load.burstiness))
            .then_some(asked)
    }

    fn placed(&self, axis: Axis, intervals: bool) -> (Value, Spread) {
        of_load(&self.subjects().collect::<Vec<_>>(), axis, intervals)
    }

    /// All runs of the load.
    pub(super) fn all(&self) -> impl Iterator<Item = &Measurement<'_>> {
        std::iter::once(&self.measured).chain(&self.more)
    }

    fn subjects(&self) -> impl Iterator<Item = Subject<'_>> {
        self.all().map(Measurement::subject)
    }

    /// Without the runs that a finding holds back; nothing where none is left.
    fn let_on(self) -> Option<Self> {
        let all = std::iter::once(self.measured).chain(self.more);
        let mut left: Vec<Measurement<'_>> = all.filter(|m| m.blocked.is_none()).collect();
        if left.is_empty() {
            return None;
        }
        let measured = left.remove(0);
        Some(Self { measured, more: left, ..self })
    }

    /// Whether a run is of this load.
    fn holds(&self, id: &RunId) -> bool {
        self.all().any(|measured| measured.run.id == *id)
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
        let within = self.judged()?.per_second?;
        Ok((within.high, within.exact().is_some()))
    }

    /// Goodput of all requests of the load.
    pub(super) fn judged(&self) -> Result<Goodput, String> {
        let all = self.all().map(Measurement::goodput).collect::<Result<Vec<_>, _>>()?;
        Goodput::together(&all).ok_or_else(|| "there is no run".into())
    }

    /// The same as a result, with the reason where there is none.
    pub(super) fn goodput_result(&self) -> GoodputResult {
        match self.judged() {
            Ok(goodput) => GoodputResult::Known(goodput),
            Err(_) => self.measured.evaluation.goodput.clone(),
        }
    }
}

/// The selected runs as curves; runs of a sweep of which one is selected come together.
pub(super) fn curves<'a>(
    all: &[&'a Run],
    groups: &[RunGroup],
    context: &Context,
    axes: CurveAxes,
) -> Vec<Curve<'a>> {
    let chosen = |run: &&Run| context.runs.is_empty() || context.runs.contains(&run.id);
    let baseline = context.baseline.as_ref().or(context.runs.first());
    let stat = (!is_run_level(axes.y)).then_some(axes.stat);
    let drawn: Vec<(usize, &RunGroup, Vec<&'a Run>)> = groups
        .iter()
        .enumerate()
        .filter_map(|(style, group)| {
            let runs = group.members.iter().filter_map(|at| all.get(*at).copied());
            let selected: Vec<&'a Run> = runs.filter(chosen).collect();
            (!selected.is_empty()).then_some((style, group, selected))
        })
        .collect();
    let firsts: Vec<(&RunGroup, &Run)> =
        drawn.iter().filter_map(|(_, group, runs)| Some((*group, *runs.first()?))).collect();
    let names = curve_names(&firsts);
    drawn
        .into_iter()
        .zip(names)
        .map(|((style, group, runs), name)| {
            let whole = group.members.iter().filter_map(|at| all.get(*at));
            Curve {
                name,
                style,
                baseline: whole.clone().any(|run| Some(&run.id) == baseline),
                loads: runs
                    .chunk_by(|a, b| same_load(a, b))
                    .filter_map(|runs| load(runs, style, group.varied, context, stat))
                    .collect(),
            }
        })
        .collect()
}

/// Takes the loads off the curves that a finding holds back, and names them.
pub(super) fn hold_back(curves: &mut Vec<Curve<'_>>) -> Vec<HeldBack> {
    let mut held_back = Vec::new();
    for curve in &mut *curves {
        held_back.extend(curve.loads.iter().flat_map(Load::all).filter_map(HeldBack::of));
        let loads = std::mem::take(&mut curve.loads);
        curve.loads = loads.into_iter().filter_map(Load::let_on).collect();
    }
    curves.retain(|curve| !curve.loads.is_empty());
    held_back
}

fn load<'a>(
    runs: &[&'a Run],
    style: usize,
    varied: Option<Varied>,
    context: &Context,
    stat: Option<Stat>,
) -> Option<Load<'a>> {
    let (run, more) = runs.split_first()?;
    let by = varied.unwrap_or(match run.load.max_concurrency {
        Some(_) if Varied::Rate.load(run).is_none_or(f64::is_infinite) => Varied::Concurrency,
        _ => Varied::Rate,
    });
    let label = by.load(run).map_or_else(|| "?".to_owned(), labels::load_value);
    let unit = match by {
        Varied::Rate => "req/s",
        Varied::Concurrency => "in flight",
    };
    Some(Load {
        measured: measure(run, style, context, stat),
        more: more.iter().map(|run| measure(run, style, context, stat)).collect(),
        title: format!("{label} {unit}"),
        label,
        steady: OnceCell::new(),
    })
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
    /// The load of the highest throughput.
    pub throughput_peak: Option<usize>,
    pub knee: Option<usize>,
    /// What the sweep says, in sentences.
    pub said: Vec<String>,
    pub saturated_from: Option<usize>,
}

impl Curve<'_> {
    /// The sweep as the definition engine sees it, in an order of its own; nothing of a single load.
    fn found(&self, axes: CurveAxes, context: &Context) -> Option<Found> {
        if self.loads.len() < 2 {
            return None;
        }
        let runs = self.loads.iter().flat_map(Load::subjects).collect();
        let unit = self.loads.first().map(|load| load.measured.settings.goodput_unit);
        Some(curve(
            runs,
            &CurveAsk {
                x: axes.x.axis(),
                y: Axis::Metric(axes.y, of(axes.y, axes.stat)),
                limits: &context.limits,
                attain: unit.and_then(|unit| match unit {
                    GoodputUnit::MaxLoadAtAttainment(share) => Some(share),
                    _ => None,
                }),
                limit_stat: axes.stat,
                intervals: false,
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
            let load = point.and_then(|p| self.loads.iter().find(|load| load.holds(&p.run)));
            load.map_or_else(String::new, |load| load.title.clone())
        };
        let attained = found.attainment.map(|attainment| {
            format!("{}: {}", self.name, attainment_in_words(&attainment, &load))
        });
        let gpus: Vec<Option<u32>> =
            self.loads.iter().map(|load| load.measured.run.gpus()).collect();
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
            self.loads.iter().position(|load| load.holds(run))
        };
        let words = |index: usize| at(index).and_then(|at| self.loads.get(at));
        let load = |index: usize| words(index).map_or_else(String::new, |l| l.title.clone());
        let about =
            Told { limits: &context.limits, limit_stat: axes.stat, bounded: false, load: &load };
        Analysis {
            said: told(&found, &about),
            throughput_peak: found.throughput_peak.and_then(|peak| at(peak.index)),
            goodput_peak: found.goodput_peak.and_then(|peak| {
                Some(Peak {
                    index: at(peak.index)?,
                    value: (peak.value.high, peak.value.exact().is_some()),
                    at_edge: peak.at_edge,
                    between: peak.between,
                })
            }),
            knee: found.knee.ok().filter(|_| !is_run_level(axes.y)).and_then(|knee| at(knee.index)),
            saturated_from: found.saturated_from.and_then(at),
        }
    }
}

/// The statistic as the metric has it: one number for the run has none.
const fn of(metric: Metric, stat: Stat) -> Stat {
    if is_run_level(metric) { Stat::Value } else { stat }
}

/// Whether two neighbours are the same.
fn same<T: PartialEq>(pair: &[T]) -> bool {
    matches!(pair, [a, b] if a == b)
}
