//! What happened to one series between the readings of a dump: differences without extrapolation, restarts
//! spanned, series that came or went told.

use super::account::Rated;
use super::keys::Labels;
use crate::model::{Dump, Point};
use crate::stats::extrapolated;
use std::collections::BTreeMap;

/// A start time that moved by less than this, in seconds, did not move: clients print it rounded.
pub(super) const SAME_START: f64 = 1.0;

/// How much something rose, and what to know of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rise<T> {
    /// By how much; with one reading, its total since the start.
    pub value: T,
    /// How often it began anew.
    pub resets: usize,
    /// It is not in the last reading: what came after its own last one is lost.
    pub gone: bool,
    /// It is not in the first reading, and counted from zero.
    pub appeared: bool,
}

impl<T> Rise<T> {
    /// Whether more may have happened: what came between a reading and a restart is lost.
    pub(super) fn at_least(&self) -> bool {
        self.resets > 0 || self.gone
    }
}

/// One reading of a histogram.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Reading {
    /// (upper edge, observations up to it), ascending, each edge once.
    pub buckets: Vec<(f64, f64)>,
    /// The sum of the observations.
    pub sum: Option<f64>,
    /// Their number, as `_count` says it.
    pub count: Option<f64>,
}

impl Reading {
    /// Puts in a bucket; counts at one edge in two spellings are added up, as PromQL does.
    pub(super) fn put(&mut self, edge: f64, count: f64) {
        match self.buckets.binary_search_by(|(own, _)| own.total_cmp(&edge)) {
            Ok(at) => {
                if let Some(bucket) = self.buckets.get_mut(at) {
                    bucket.1 += count;
                }
            }
            Err(at) => self.buckets.insert(at, (edge, count)),
        }
    }

    fn same_edges(&self, other: &Self) -> bool {
        let mut pairs = self.buckets.iter().zip(&other.buckets);
        self.buckets.len() == other.buckets.len()
            && pairs.all(|((a, _), (b, _))| a.total_cmp(b).is_eq())
    }

    fn fell_since(&self, before: &Self) -> bool {
        let fell = |now: Option<f64>, then: Option<f64>| now.zip(then).is_some_and(|(n, t)| n < t);
        let mut pairs = self.buckets.iter().zip(&before.buckets);
        pairs.any(|((_, now), (_, then))| now < then) || fell(self.count, before.count)
    }

    fn add(&mut self, other: &Self, sign: f64) {
        for (own, more) in self.buckets.iter_mut().zip(&other.buckets) {
            own.1 += sign * more.1;
        }
        let add = |a: Option<f64>, b: Option<f64>| Some(a? + sign * b?);
        self.sum = add(self.sum, other.sum);
        self.count = add(self.count, other.count);
    }

    fn none_of(other: &Self) -> Self {
        Self {
            buckets: other.buckets.iter().map(|(edge, _)| (*edge, 0.0)).collect(),
            sum: other.sum.map(|_| 0.0),
            count: other.count.map(|_| 0.0),
        }
    }
}

/// When processes and series began, as far as a dump says it.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// Start time of a process by scrape, with the labels of its target.
    processes: Vec<(Labels, BTreeMap<u32, f64>)>,
    /// Creation of a series by scrape: family without `_total`, labels.
    created: BTreeMap<(String, Labels), BTreeMap<u32, f64>>,
}

impl Starts {
    pub(super) fn of(dump: &Dump) -> Self {
        let mut starts = Self::default();
        for series in &dump.series {
            let times = || series.points.iter().map(|p| (p.scrape, p.value)).collect();
            if series.name == "process_start_time_seconds" {
                starts.processes.push((series.labels.clone(), times()));
            } else if let Some(base) = series.name.strip_suffix("_created") {
                let place = (base.to_owned(), series.labels.clone());
                starts.created.insert(place, times());
            }
        }
        starts
    }

    /// Whether a start of anything is told.
    pub(super) fn told(&self) -> bool {
        !self.processes.is_empty() || !self.created.is_empty()
    }

    /// Whether a series of `family` with these labels began anew between two scrapes.
    pub(super) fn moved(&self, family: &str, labels: &Labels, from: u32, to: u32) -> bool {
        let base = family.strip_suffix("_total").unwrap_or(family).to_owned();
        let moved = |times: &BTreeMap<u32, f64>| {
            let (then, now) = (times.get(&from), times.get(&to));
            then.zip(now).is_some_and(|(then, now)| (now - then).abs() > SAME_START)
        };
        let target = |process: &Labels| process.iter().all(|label| labels.contains(label));
        self.created.get(&(base, labels.clone())).is_some_and(moved)
            || self.processes.iter().any(|(process, times)| target(process) && moved(times))
    }
}

/// The readings of a dump, and when series began.
#[derive(Debug)]
pub(super) struct Readings<'a> {
    /// The last reading's number.
    pub last: u32,
    /// Whether there is only one, so that values are totals.
    pub single: bool,
    /// When what began.
    pub starts: &'a Starts,
    /// The time of each reading in seconds, where all have one.
    pub times: Option<Vec<f64>>,
}

impl Readings<'_> {
    /// By how much a counter rose. `None` without a value.
    pub(super) fn counter(
        &self,
        family: &str,
        labels: &Labels,
        points: &[Point],
    ) -> Option<Rise<f64>> {
        let mut points = points.iter().filter(|point| !point.value.is_nan());
        let first = points.next()?;
        let mut rise = self.begin(0.0, first.scrape);
        if self.single || rise.appeared {
            rise.value = first.value;
        }
        let mut before = first;
        for point in points {
            let anew = point.value < before.value
                || self.starts.moved(family, labels, before.scrape, point.scrape);
            rise.resets += usize::from(anew);
            rise.value += if anew { point.value } else { point.value - before.value };
            before = point;
        }
        rise.gone = before.scrape < self.last;
        Some(rise)
    }

    /// By how much a histogram rose. `None` without a reading.
    ///
    /// # Errors
    /// When its edges changed in between; the reason is a clause.
    pub(super) fn histogram(
        &self,
        family: &str,
        labels: &Labels,
        readings: &BTreeMap<u32, Reading>,
    ) -> Option<Result<Rise<Reading>, String>> {
        let mut readings = readings.iter();
        let (scrape, first) = readings.next()?;
        let mut rise = self.begin(Reading::none_of(first), *scrape);
        if self.single || rise.appeared {
            rise.value = first.clone();
        }
        let mut before = (*scrape, first);
        for (scrape, reading) in readings {
            if !reading.same_edges(before.1) {
                return Some(Err(
                    "the edges of its buckets are not the same in both readings, so they are not \
                     subtracted: compare each reading by itself"
                        .into(),
                ));
            }
            let anew = reading.fell_since(before.1)
                || self.starts.moved(family, labels, before.0, *scrape);
            rise.resets += usize::from(anew);
            rise.value.add(reading, 1.0);
            if !anew {
                rise.value.add(before.1, -1.0);
            }
            before = (*scrape, reading);
        }
        rise.gone = before.0 < self.last;
        Some(Ok(rise))
    }

    /// What `rate()` makes of a histogram’s buckets over a window half an interval wider at both ends.
    pub(super) fn rated(&self, readings: &BTreeMap<u32, Reading>) -> Option<Rated> {
        const LEAST: usize = 3;
        let times = self.times.as_ref()?;
        let at = |scrape: u32| times.get(scrape as usize).copied();
        let (first, last) = (at(*readings.keys().next()?)?, at(*readings.keys().next_back()?)?);
        if readings.len() < LEAST || last <= first {
            return None;
        }
        let half = (last - first) / (readings.len() - 1) as f64 / 2.0;
        let mut rated = Rated { buckets: Vec::new(), factors: (f64::INFINITY, 0.0) };
        let edges = readings.values().next()?.buckets.iter().map(|bucket| bucket.0);
        for (index, edge) in edges.enumerate() {
            let samples: Vec<(f64, f64)> = readings
                .iter()
                .filter_map(|(scrape, reading)| Some((at(*scrape)?, reading.buckets.get(index)?.1)))
                .collect();
            let made = extrapolated(&samples, first - half, last + half, true)?;
            if made.raw > 0.0 {
                let (low, high) = rated.factors;
                rated.factors = (low.min(made.factor), high.max(made.factor));
            }
            rated.buckets.push((edge, made.increase()));
        }
        Some(rated)
    }

    fn begin<T>(&self, value: T, scrape: u32) -> Rise<T> {
        Rise { value, resets: 0, gone: false, appeared: !self.single && scrape > 0 }
    }
}
