//! One sweep under the limits: its loads, each with what is known of its goodput.

use super::ask::{Counted, GoodputAsk, OutOf};
use super::bounds::{Bounds, printed};
use crate::metrics::settings::GoodputUnit;
use crate::metrics::{
    Axis, Curve, CurveAsk, CurvePoint, Goodput, GoodputResult, LimitShare, Subject, Within, curve,
    goodput_under, highest, of_load, same_load,
};
use crate::model::{Limit, Metric, Run, RunId, Stat};
use crate::stats::Interval;
use crate::units::significant;
use crate::views::Context;
use crate::views::groups::{RunGroup, Varied, curve_names, groups};
use crate::views::labels::load_value;
use crate::views::measure::{Measurement, measure};
use crate::views::quality::HeldBack;

/// The runs of one sweep, or of a load alone.
pub(super) struct Runs<'a> {
    pub name: String,
    pub style: usize,
    pub varied: Option<Varied>,
    /// In order of load, repeats beside each other.
    pub measured: Vec<Measurement<'a>>,
}

impl Runs<'_> {
    pub(super) fn holds(&self, id: &RunId) -> bool {
        self.measured.iter().any(|measured| measured.run.id == *id)
    }
}

/// The sweeps among the selected runs, and the runs of them that a finding holds back.
pub(super) fn sweeps<'a>(all: &[&'a Run], context: &Context) -> (Vec<Runs<'a>>, Vec<HeldBack>) {
    let groups = groups(all);
    let chosen = |run: &&Run| context.runs.is_empty() || context.runs.contains(&run.id);
    let mut held_back = Vec::new();
    let drawn: Vec<(usize, &RunGroup, Vec<Measurement<'a>>)> = groups
        .iter()
        .enumerate()
        .filter_map(|(style, group)| {
            let runs = group.members.iter().filter_map(|at| all.get(*at).copied());
            let mut runs: Vec<Measurement<'a>> =
                runs.filter(chosen).map(|run| measure(run, style, context, None)).collect();
            held_back.extend(runs.iter().filter_map(HeldBack::of));
            runs.retain(|measured| measured.blocked.is_none());
            (!runs.is_empty()).then_some((style, group, runs))
        })
        .collect();
    let firsts: Vec<(&RunGroup, &Run)> =
        drawn.iter().filter_map(|(_, group, runs)| Some((*group, runs.first()?.run))).collect();
    let names = curve_names(&firsts);
    let sweeps = drawn
        .into_iter()
        .zip(names)
        .map(|((style, group, runs), name)| Runs {
            name,
            style,
            varied: group.varied,
            measured: runs,
        })
        .collect();
    (sweeps, held_back)
}

/// What the loads of a sweep are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Rate,
    Concurrency,
    /// Nothing was recorded of what was asked for: what was served stands in.
    Served,
}

/// Where the goodput is highest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peak {
    pub index: usize,
    pub value: Within,
    /// Whether it is the lowest or highest load: the peak may lie beyond.
    pub at_edge: bool,
}

/// One sweep under the limits.
pub(super) struct Sweep<'a, 'b> {
    pub runs: &'b Runs<'a>,
    pub curve: Curve,
    /// Of each load of which only printed percentiles are known, what they bound.
    pub bounds: Vec<Option<Bounds>>,
    pub counted: Counted,
    pub out_of: OutOf,
    /// Of each load how many accelerators its rates are divided by, where they are.
    gpus: Option<Vec<u32>>,
    by: By,
}

impl<'a, 'b> Sweep<'a, 'b> {
    pub(super) fn new(runs: &'b Runs<'a>, context: &Context, ask: &GoodputAsk) -> Self {
        let attain = runs.measured.first().and_then(|m| match m.settings.goodput_unit {
            GoodputUnit::MaxLoadAtAttainment(share) => Some(share),
            _ => None,
        });
        let by = match runs.varied {
            Some(Varied::Concurrency) => By::Concurrency,
            Some(Varied::Rate) => By::Rate,
            None => alone(&runs.measured),
        };
        let x = match by {
            By::Concurrency => Axis::MaxConcurrency,
            By::Rate => Axis::RequestedRate,
            By::Served => Axis::Metric(Metric::RequestThroughput, Stat::Value),
        };
        let wanted = CurveAsk {
            x,
            y: Axis::Metric(Metric::Goodput, Stat::Value),
            limits: &context.limits,
            attain,
            limit_stat: Stat::Mean,
            intervals: false,
        };
        let curve = curve(runs.measured.iter().map(Measurement::subject).collect(), &wanted);
        let bounds = curve
            .points
            .iter()
            .map(|point| {
                let run = runs.measured.iter().find(|measured| measured.run.id == point.run)?;
                point.judged.is_err().then(|| printed(run, context)).flatten()
            })
            .collect();
        let mut sweep =
            Self { runs, curve, bounds, counted: ask.counted, out_of: ask.out_of, gpus: None, by };
        if ask.per_gpu {
            sweep.gpus = (0..sweep.curve.points.len()).map(|at| sweep.gpus_at(at)).collect();
        }
        sweep
    }

    /// How many accelerators served a load, where all of its runs had as many.
    fn gpus_at(&self, at: usize) -> Option<u32> {
        let mut counts = self.runs_at(at).map(|measured| measured.run.gpus());
        let first = counts.next()?;
        first.filter(|_| counts.all(|count| count == first))
    }

    /// Whether rates are those of one accelerator.
    pub(super) fn per_gpu(&self) -> bool {
        self.gpus.is_some()
    }

    /// What the rates of a load are divided by.
    fn per(&self, at: usize) -> f64 {
        let of = |gpus: &Vec<u32>| gpus.get(at).copied();
        self.gpus.as_ref().and_then(of).map_or(1.0, f64::from)
    }

    /// The unit of goodput and of what was served.
    pub(super) fn rate_unit(&self) -> String {
        let each = if self.per_gpu() { " per GPU" } else { "" };
        format!("{}{each}", self.counted.unit())
    }

    pub(super) fn style(&self) -> u8 {
        u8::try_from(self.runs.style % 256).unwrap_or(0)
    }

    fn runs_at(&self, at: usize) -> impl Iterator<Item = &Measurement<'a>> {
        let ids = self.curve.points.get(at).map(|point| point.runs.as_slice()).unwrap_or_default();
        self.runs.measured.iter().filter(move |measured| ids.contains(&measured.run.id))
    }

    /// The load as a number on the axis.
    pub(super) fn x(&self, at: usize) -> Option<f64> {
        let load = match self.by {
            By::Rate => Varied::Rate.load(self.runs_at(at).next()?.run),
            By::Concurrency => Varied::Concurrency.load(self.runs_at(at).next()?.run),
            By::Served => self.curve.points.get(at)?.request_throughput,
        };
        load.filter(|load| load.is_finite())
    }

    /// "12".
    pub(super) fn label(&self, at: usize) -> String {
        let text = |load| match self.by {
            By::Served => significant(load, 3),
            By::Rate | By::Concurrency => load_value(load),
        };
        self.x(at).map_or_else(|| "∞".to_owned(), text)
    }

    /// "12 req/s".
    pub(super) fn load(&self, at: usize) -> String {
        format!("{} {}", self.label(at), self.unit())
    }

    /// What the loads are of.
    pub(super) fn x_title(&self) -> &'static str {
        match self.by {
            By::Rate => "requested rate",
            By::Concurrency => "allowed in flight",
            By::Served => "achieved request rate",
        }
    }

    /// The unit of the loads.
    pub(super) fn unit(&self) -> &'static str {
        if self.by == By::Concurrency { Varied::Concurrency.unit() } else { Varied::Rate.unit() }
    }

    /// Whether the loads are rates asked for, of which as many can be served at most.
    pub(super) fn of_rates(&self) -> bool {
        self.by == By::Rate
    }

    /// The goodput of a load in what is counted, where it is known from requests.
    pub(super) fn good(&self, at: usize) -> Option<Within> {
        let point = self.curve.points.get(at)?;
        let whole = match self.counted {
            Counted::Requests => point.goodput,
            Counted::Tokens => point.judged.as_ref().ok()?.tokens_per_second.clone().ok(),
        };
        whole.map(|whole| self.each(at, whole))
    }

    /// A rate as one of each accelerator, where rates are.
    fn each(&self, at: usize, whole: Within) -> Within {
        let per = self.per(at);
        Within { low: whole.low / per, high: whole.high / per }
    }

    /// Its 95 % interval; none of tokens, which come in lots of whole requests.
    pub(super) fn good_interval(&self, at: usize) -> Option<Interval> {
        let point = self.curve.points.get(at)?;
        let per = self.per(at);
        let whole = (self.counted == Counted::Requests).then_some(point.goodput_interval).flatten();
        whole.map(|ends| Interval { low: ends.low / per, high: ends.high / per })
    }

    /// What bounds say of it; nothing of tokens, since printed percentiles don’t say whose they are.
    pub(super) fn bound(&self, at: usize) -> Option<Within> {
        let bounds = self.bounds.get(at)?.as_ref()?;
        (self.counted == Counted::Requests).then(|| self.each(at, bounds.per_second))
    }

    /// What was served in all.
    pub(super) fn served(&self, at: usize) -> Option<f64> {
        let whole = match self.counted {
            Counted::Requests => self.curve.points.get(at)?.request_throughput,
            Counted::Tokens => {
                let runs: Vec<Subject<'_>> = self.runs_at(at).map(Measurement::subject).collect();
                let output = Axis::Metric(Metric::OutputThroughput, Stat::Value);
                of_load(&runs, output, false).0.number()
            }
        };
        whole.map(|whole| whole / self.per(at))
    }

    /// Where goodput is highest; nothing where no request is good, or it is not known.
    pub(super) fn peak(&self) -> Option<Peak> {
        let last = self.curve.points.len().checked_sub(1)?;
        let known = |at: usize| self.good(at).map(|good| good.high).filter(|good| *good > 0.0);
        let index = highest(&(0..=last).map(known).collect::<Vec<_>>())?;
        let value = self.good(index)?;
        // Within bounds another load could be the best.
        let others = (0..=last).filter(|at| *at != index).filter_map(|at| self.good(at));
        let open = value.exact().is_none() && others.into_iter().any(|o| o.high > value.low);
        (!open).then_some(Peak { index, value, at_edge: index == 0 || index == last })
    }

    /// The load that is spoken of beside the limits: the peak’s, or where it may be at most.
    pub(super) fn spoken_of(&self) -> usize {
        let bounds = || {
            let high = (0..self.curve.points.len()).map(|at| self.bound(at).map(|b| b.high));
            highest(&high.collect::<Vec<_>>())
        };
        self.peak().map(|peak| peak.index).or_else(bounds).unwrap_or(0)
    }

    /// The requests out of which shares are.
    pub(super) fn denominator(&self, judged: &Goodput) -> f64 {
        match self.out_of {
            OutOf::Sent => judged.sent,
            OutOf::Finished => judged.finished,
        }
    }

    /// The share of a load within all limits: exactly, or what printed percentiles bound.
    pub(super) fn share(&self, at: usize) -> Option<Within> {
        match &self.curve.points.get(at)?.judged {
            Ok(judged) => Some(match self.out_of {
                OutOf::Sent => judged.share_of_sent,
                OutOf::Finished => judged.share_of_finished,
            }),
            Err(_) => self.bounds.get(at)?.as_ref().map(|bounds| bounds.share),
        }
    }

    /// The same within one limit, whatever the others say; or why it is not known, as a clause.
    pub(super) fn share_within(
        &self,
        at: usize,
        place: usize,
        limit: &Limit,
    ) -> Result<Within, String> {
        let point = self.curve.points.get(at).ok_or("there is no such load")?;
        if let Ok(judged) = &point.judged {
            let met = judged.each.get(place).map(|each| each.met);
            return met.map(|met| self.out_of(judged, met)).ok_or_else(|| "not judged".to_owned());
        }
        let bounds = self.bounds.get(at).and_then(Option::as_ref);
        if let Some(share) = bounds.and_then(|b| b.each.get(place).copied().flatten()) {
            return Ok(share);
        }
        // Another limit may be what can’t be had: this one alone tells.
        let alone = self.runs_at(at).map(|run| match goodput_under(&run.subject(), &[*limit]) {
            GoodputResult::Known(judged) => Ok(judged),
            GoodputResult::Unavailable(because) => Err(because),
            GoodputResult::NoLimits => Err("no limit is set".to_owned()),
        });
        let alone = alone.collect::<Result<Vec<_>, _>>()?;
        let judged = Goodput::together(&alone.iter().collect::<Vec<_>>());
        let met = |judged: &Goodput| judged.each.first().map(|each: &LimitShare| each.met);
        let share = judged.and_then(|judged| Some(self.out_of(&judged, met(&judged)?)));
        share.ok_or_else(|| "there is no run".to_owned())
    }

    fn out_of(&self, judged: &Goodput, met: Within) -> Within {
        let of = self.denominator(judged);
        if of > 0.0 { Within { low: met.low / of, high: met.high / of } } else { Within::default() }
    }

    /// The runs of each load, for maps.
    pub(super) fn loads(&self) -> Vec<Vec<Subject<'_>>> {
        self.runs
            .measured
            .chunk_by(|a, b| same_load(a.run, b.run))
            .map(|runs| runs.iter().map(Measurement::subject).collect())
            .collect()
    }

    /// The points with a place on the axis.
    pub(super) fn placed(&self) -> impl Iterator<Item = (usize, f64, &CurvePoint)> {
        let points = self.curve.points.iter().enumerate();
        points.filter_map(|(at, point)| Some((at, self.x(at)?, point)))
    }

    /// The loads whose goodput is neither known nor bounded, with the reason as a clause.
    pub(super) fn unknown(&self) -> Vec<(usize, String)> {
        let open = |at: usize| self.good(at).is_none() && self.bound(at).is_none();
        let because = |point: &CurvePoint| match &point.judged {
            Err(because) => because.clone(),
            Ok(judged) => match self.counted {
                Counted::Requests => judged.per_second.clone().err().unwrap_or_default(),
                Counted::Tokens => judged.tokens_per_second.clone().err().unwrap_or_default(),
            },
        };
        let points = self.curve.points.iter().enumerate();
        points.filter(|(at, _)| open(*at)).map(|(at, point)| (at, because(point))).collect()
    }
}

/// What a load that belongs to no sweep is told by.
fn alone(runs: &[Measurement<'_>]) -> By {
    let of = |varied: Varied| {
        let loads = runs.iter().map(|measured| varied.load(measured.run));
        loads.flatten().any(f64::is_finite)
    };
    if of(Varied::Rate) {
        By::Rate
    } else if of(Varied::Concurrency) {
        By::Concurrency
    } else {
        By::Served
    }
}
