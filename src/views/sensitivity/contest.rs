//! One number of several runs, and which of them is best by it.

use super::{Change, SensitivityCell, stat_of};
use crate::metrics::{Clear, Direction, Subject, comparable, difference_of, direction};
use crate::model::{Metric, Run, Stat};
use crate::units::fixed;
use crate::views::compare::shown;
use crate::views::groups::{RunGroup, Varied, curve_names};
use crate::views::labels::load_value;
use crate::views::measure::Measurement;
use crate::views::numbers::decimals;
use crate::views::{Context, Ruler};

/// From so many requests and gaps on, runs are told apart by their numbers alone, and the verdict says so: a
/// hundred resamplings of millions of gaps take minutes.
const RESAMPLED: usize = 400_000;

/// Goodput of fewer requests says nothing of a load.
const FEWEST: f64 = 10.0;

/// What is asked of which runs.
pub(super) struct Contest<'g> {
    /// The number's name, or the sweep's.
    pub name: String,
    /// The number.
    pub metric: Metric,
    who: Who<'g>,
}

enum Who<'g> {
    /// Runs, by their columns: which is best.
    Runs(Vec<usize>),
    /// The loads of a sweep: at which one it peaks.
    Loads(&'g RunGroup, Varied),
}

impl<'g> Contest<'g> {
    /// The numbers by which runs are ranked; goodput where there are limits.
    pub(super) fn of_runs(runs: &[usize], context: &Context) -> Vec<Self> {
        let mut metrics =
            vec![Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::E2e, Metric::OutputThroughput];
        if !context.limits.is_empty() {
            metrics.push(Metric::Goodput);
        }
        let over = |metric: Metric| Self {
            name: metric.name().to_owned(),
            metric,
            who: Who::Runs(runs.to_vec()),
        };
        metrics.into_iter().map(over).collect()
    }

    /// The load at which goodput peaks, of each sweep.
    pub(super) fn of_sweeps(sweeps: &'g [RunGroup], of: &[&Run]) -> Vec<Self> {
        let first: Vec<(&RunGroup, &Run)> = sweeps
            .iter()
            .filter_map(|sweep| Some((sweep, *of.get(*sweep.members.first()?)?)))
            .collect();
        let names = curve_names(&first);
        let of_one = |(sweep, name): (&'g RunGroup, String)| {
            let who = Who::Loads(sweep, sweep.varied?);
            Some(Self { name, metric: Metric::Goodput, who })
        };
        sweeps.iter().zip(names).filter_map(of_one).collect()
    }

    /// The columns of its runs.
    pub(super) fn runs(&self) -> impl Iterator<Item = usize> {
        match &self.who {
            Who::Runs(runs) => runs.iter(),
            Who::Loads(sweep, _) => sweep.members.iter(),
        }
        .copied()
    }

    /// The verdict on measured runs.
    pub(super) fn verdict<'m>(
        &self,
        runs: &'m [Measurement<'m>],
        context: &Context,
        stat: Stat,
    ) -> Verdict {
        match &self.who {
            Who::Runs(at) => self.best(at, runs, context, stat_of(self.metric, stat)),
            Who::Loads(sweep, varied) => peak(sweep, *varied, runs),
        }
    }

    /// The runs than which none is clearly better, among those that may be compared with the first of them.
    fn best<'m>(
        &self,
        at: &[usize],
        runs: &'m [Measurement<'m>],
        context: &Context,
        stat: Stat,
    ) -> Verdict {
        if context.ruler == Ruler::Own {
            // Unlike sums under one name have no best.
            return Verdict::NotCompared("each run stands in its own tool’s words".into());
        }
        let known: Vec<Known<'m>> = at
            .iter()
            .filter_map(|at| {
                let run = runs.get(*at)?;
                Some(Known { at: *at, run, value: run.value(self.metric, stat).exact()? })
            })
            .collect();
        let Some((first, others)) = known.split_first() else {
            return Verdict::None("no run has this number".into());
        };
        if others.is_empty() {
            return Verdict::None("only one run has this number".into());
        }
        let samples = |run: &Run| {
            run.requests.as_ref().map_or(0, |rows| rows.len() + rows.gaps.values().len())
        };
        let many = known.iter().map(|known| samples(known.run.run)).sum::<usize>() > RESAMPLED;
        let subject = |known: &Known<'m>| -> Subject<'m> {
            let subject = known.run.subject();
            if many { subject.without_resampling() } else { subject }
        };
        let (lead, mut apart) = (subject(first), None);
        let mut ranked = vec![first];
        for other in others {
            match comparable(&lead, &subject(other), self.metric) {
                Err(reason) if !context.compare_anyway => {
                    apart.get_or_insert(reason);
                }
                _ => ranked.push(other),
            }
        }
        if ranked.len() < 2 {
            return Verdict::NotCompared(apart.unwrap_or_default());
        }
        let lower = direction(self.metric) == Some(Direction::Lower);
        ranked.sort_by(|a, b| {
            if lower { a.value.total_cmp(&b.value) } else { b.value.total_cmp(&a.value) }
        });
        let Some((best, behind)) = ranked.split_first() else {
            return Verdict::None("no run has this number".into());
        };
        let lead = subject(best);
        let (mut level, mut few) = (vec![best.at], None);
        let mut told_apart = vec![best.at];
        for other in behind {
            let clear = if !many {
                difference_of(&lead, &subject(other), self.metric, stat).clear
            } else if other.value.total_cmp(&best.value).is_eq() {
                Clear::NotClear(String::new())
            } else {
                Clear::Worse
            };
            match clear {
                Clear::Better | Clear::Worse => told_apart.push(other.at),
                Clear::NotClear(_) => {
                    told_apart.push(other.at);
                    level.push(other.at);
                }
                // Set against the best one it has no verdict, and takes no part in this one.
                Clear::TooFew(reason) | Clear::NotComparable(reason) => {
                    few.get_or_insert(reason);
                }
            }
        }
        if told_apart.len() < 2 {
            return Verdict::None(few.unwrap_or_default());
        }
        level.sort_unstable();
        let values: Vec<f64> = ranked.iter().map(|known| known.value).collect();
        let number = number(self.metric, best.value, &values);
        let alone = if many { ", by the numbers alone" } else { "" };
        Verdict::Best {
            all: level.len() == told_apart.len(),
            level,
            ranked: told_apart,
            value: format!("{number} {}{alone}", self.metric.unit().symbol()),
        }
    }
}

/// A run that has the number.
struct Known<'m> {
    at: usize,
    run: &'m Measurement<'m>,
    value: f64,
}

/// A number with the decimals that tell it from the others.
fn number(metric: Metric, value: f64, all: &[f64]) -> String {
    let all: Vec<f64> = all.iter().map(|value| shown(metric, *value)).collect();
    fixed(shown(metric, value), decimals(&all))
}

/// The loads at which goodput may be largest: the largest number, and those whose interval reaches into its.
fn peak(sweep: &RunGroup, varied: Varied, runs: &[Measurement<'_>]) -> Verdict {
    let mut found: Vec<(f64, f64, [f64; 2])> = Vec::new();
    for run in sweep.members.iter().filter_map(|at| runs.get(*at)) {
        let goodput = match run.goodput() {
            Ok(goodput) => goodput,
            Err(reason) => return Verdict::None(reason),
        };
        let Some((good, load)) = run.good_per_second().zip(varied.load(run.run)) else {
            return Verdict::None("goodput is known only within bounds".into());
        };
        if goodput.of < FEWEST {
            return Verdict::None(format!("fewer than ten requests of {} are in it", run.name));
        }
        let ends = goodput.per_second_interval.map_or([good, good], |i| [i.low, i.high]);
        found.push((load, good, ends));
    }
    let most = found.iter().max_by(|a, b| a.1.total_cmp(&b.1)).copied();
    let Some((_, good, [least, _])) = most else {
        return Verdict::None("the sweep has no load".into());
    };
    if good <= 0.0 {
        return Verdict::None("no request meets the limits at any load".into());
    }
    let level = found.iter().filter(|(_, other, [_, high])| *other >= good || *high >= least);
    let loads: Vec<String> = level.map(|(load, ..)| load_value(*load)).collect();
    let all: Vec<f64> = found.iter().map(|(_, good, _)| *good).collect();
    Verdict::Peak {
        loads,
        unit: varied.unit(),
        value: format!("{} {}", fixed(good, decimals(&all)), Metric::Goodput.unit().symbol()),
    }
}

/// Whether each of `a` is in `b`.
fn within<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    a.iter().all(|at| b.contains(at))
}

/// A set of winners against the one before.
fn of_sets<T: PartialEq>(now: &[T], was: &[T]) -> Change {
    match (within(now, was), within(was, now)) {
        (true, true) => Change::Same,
        (true, false) => Change::More,
        (false, true) => Change::Less,
        (false, false) if now.iter().any(|at| was.contains(at)) => Change::Less,
        (false, false) => Change::Other,
    }
}

/// Which runs are best, or where a sweep peaks.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// These columns of those that were ranked, and whether they are all of them.
    Best { level: Vec<usize>, ranked: Vec<usize>, all: bool, value: String },
    /// At one of these loads.
    Peak { loads: Vec<String>, unit: &'static str, value: String },
    /// The runs are not to be compared; the reason is a clause.
    NotCompared(String),
    /// The number can't be had; the reason is a clause.
    None(String),
}

impl Verdict {
    /// What it is against the verdict as shown.
    pub(super) fn against(&self, first: &Self) -> Change {
        match (self, first) {
            // Whoever was best has to be in it, or others win for want of it.
            (Self::Best { ranked, .. }, Self::Best { level, all: false, .. })
                if !within(level, ranked) =>
            {
                Change::Unknown
            }
            (Self::Best { all: true, .. }, Self::Best { all: true, .. }) => Change::Same,
            (Self::Best { all: true, .. }, Self::Best { .. }) => Change::Less,
            // Where no run was, one is.
            (Self::Best { .. }, Self::Best { all: true, .. }) => Change::Other,
            (Self::Best { level: now, .. }, Self::Best { level: was, .. }) => of_sets(now, was),
            (Self::Peak { loads: now, .. }, Self::Peak { loads: was, .. }) => of_sets(now, was),
            _ => Change::Unknown,
        }
    }

    /// As a cell of the table.
    pub(super) fn cell(&self, change: Change) -> SensitivityCell {
        let (best, text, value) = match self {
            Self::Best { level, all: true, value, .. } if level.len() > 1 => {
                (Vec::new(), "none".to_owned(), value.clone())
            }
            Self::Best { level, value, .. } => {
                let letters: Vec<String> =
                    level.iter().map(|at| crate::views::letter(*at)).collect();
                (level.clone(), letters.join(" or "), value.clone())
            }
            Self::Peak { loads, unit, value } => {
                (Vec::new(), format!("{} {unit}", loads.join(" or ")), value.clone())
            }
            Self::NotCompared(reason) | Self::None(reason) => {
                (Vec::new(), reason.clone(), String::new())
            }
        };
        SensitivityCell { best, text, value, change }
    }
}
