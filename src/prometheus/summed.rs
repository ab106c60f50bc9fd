//! The series of one key added up: copies by the largest, parts by their sum, buckets at the edges that all
//! have.

use super::account::{
    Rated, Row, ServerCounter, ServerGauge, ServerHistogram, ServerSummary, Span,
};
use super::change::{Reading, Readings, Rise};
use super::gathered::Child;
use super::keys::{Labels, key};
use super::names::Name;
use crate::model::{Dump, Family, Point};
use crate::stats::{Histogram, HistogramError, Repair, raised};
use crate::units::UnixTime;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A family under account.
pub(super) struct Summed<'a> {
    pub family: &'a Family,
    pub name: Option<&'static Name>,
    pub readings: &'a Readings<'a>,
    pub span: &'a Span,
    pub dump: &'a Dump,
    pub children: &'a BTreeMap<Labels, Child>,
}

impl Summed<'_> {
    fn row<T>(&self, labels: &Labels, rises: &[(&Labels, Rise<T>)]) -> Row {
        Row {
            key: key(&self.family.name, labels),
            family: self.family.name.clone(),
            labels: labels.clone(),
            name: self.name,
            series: rises.len(),
            resets: rises.iter().map(|(_, rise)| rise.resets).sum(),
            at_least: rises.iter().any(|(_, rise)| rise.at_least()),
            appeared: rises.iter().filter(|(_, rise)| rise.appeared).count(),
        }
    }

    /// One rise of each set of copies: the largest.
    fn rises<'b, T>(
        &'b self,
        copies: &'b [Vec<Labels>],
        rise: impl Fn(&Labels, &Child) -> Option<Rise<T>>,
        size: impl Fn(&T) -> f64,
    ) -> Vec<(&'b Labels, Rise<T>)> {
        let of_set = |set: &'b Vec<Labels>| {
            let all = set
                .iter()
                .filter_map(|labels| Some((labels, rise(labels, self.children.get(labels)?)?)));
            all.max_by(|(_, a), (_, b)| size(&a.value).total_cmp(&size(&b.value)))
        };
        copies.iter().filter_map(of_set).collect()
    }

    pub(super) fn histogram(&self, labels: Labels, copies: &[Vec<Labels>]) -> ServerHistogram {
        let family = &self.family.name;
        let refused = RefCell::new(None);
        let rise = |labels: &Labels, child: &Child| match self.readings.histogram(
            family,
            labels,
            &child.readings,
        )? {
            Ok(rise) => Some(rise),
            Err(reason) => {
                refused.borrow_mut().get_or_insert(reason);
                None
            }
        };
        let rises = self.rises(copies, rise, |reading| reading.count.unwrap_or(0.0));
        let row = self.row(&labels, &rises);
        let all: Vec<&Reading> = rises.iter().map(|(_, rise)| &rise.value).collect();
        if let Some(reason) = refused.into_inner() {
            return ServerHistogram {
                row,
                count: None,
                sum: None,
                buckets: Err(reason),
                counted_twice: None,
                repair: None,
                edges_lost: 0,
                rated: None,
            };
        }
        let added = |of: fn(&Reading) -> Option<f64>| -> Option<f64> {
            if all.is_empty() { None } else { all.iter().map(|reading| of(reading)).sum() }
        };
        let infinite = added(|r| r.buckets.last().filter(|b| b.0.is_infinite()).map(|b| b.1));
        let (count, sum) = (added(|r| r.count), added(|r| r.sum));
        let children = rises.iter().filter_map(|(labels, _)| self.children.get(*labels));
        let rated = rated(children.map(|child| self.readings.rated(&child.readings)));
        let mut repair = None;
        let mut lost = 0;
        let buckets = merged(&all, sum, &mut repair, &mut lost);
        ServerHistogram {
            row,
            count: count.or(infinite),
            sum,
            buckets,
            counted_twice: infinite.zip(count),
            repair,
            edges_lost: lost,
            rated,
        }
    }

    pub(super) fn counter(&self, labels: Labels, copies: &[Vec<Labels>]) -> Option<ServerCounter> {
        let rise = |labels: &Labels, child: &Child| {
            self.readings.counter(&self.family.name, labels, &child.points)
        };
        let rises = self.rises(copies, rise, |value| *value);
        if rises.is_empty() {
            return None;
        }
        let delta: f64 = rises.iter().map(|(_, rise)| rise.value).sum();
        let parts = rises.iter().map(|(own, rise)| (differs(own, &labels, &rises), rise.value));
        let parts = if rises.len() > 1 { parts.collect() } else { Vec::new() };
        Some(ServerCounter {
            row: self.row(&labels, &rises),
            delta,
            rate: self.span.seconds.map(|seconds| delta / seconds),
            parts,
        })
    }

    pub(super) fn gauge(&self, labels: Labels, copies: &[Vec<Labels>]) -> Option<ServerGauge> {
        let mut by_scrape: BTreeMap<u32, (Option<f64>, f64)> = BTreeMap::new();
        for set in copies {
            let mut largest: BTreeMap<u32, Point> = BTreeMap::new();
            for point in set.iter().filter_map(|l| self.children.get(l)).flat_map(|c| &c.points) {
                let so_far = largest.entry(point.scrape).or_insert(*point);
                if point.value > so_far.value {
                    *so_far = *point;
                }
            }
            for (scrape, point) in largest {
                let at = point.at.or_else(|| self.dump.scrapes.get(scrape as usize)?.at);
                let sum = by_scrape.entry(scrape).or_insert((at.map(UnixTime::as_secs), 0.0));
                sum.1 += point.value;
            }
        }
        let readings: Vec<_> =
            by_scrape.into_iter().map(|(s, (at, value))| (s, at, value)).collect();
        let rises: Vec<(&Labels, Rise<f64>)> = Vec::new();
        let row = Row { series: copies.iter().map(Vec::len).sum(), ..self.row(&labels, &rises) };
        (!readings.is_empty()).then_some(ServerGauge { row, readings })
    }

    pub(super) fn summary(&self, labels: Labels, copies: &[Vec<Labels>]) -> ServerSummary {
        let rise = |labels: &Labels, child: &Child| {
            self.readings.histogram(&self.family.name, labels, &child.readings)?.ok()
        };
        let rises = self.rises(copies, rise, |reading| reading.count.unwrap_or(0.0));
        let added = |of: fn(&Reading) -> Option<f64>| -> Option<f64> {
            if rises.is_empty() { None } else { rises.iter().map(|(_, r)| of(&r.value)).sum() }
        };
        let mut all = copies.iter().flatten().filter_map(|labels| self.children.get(labels));
        let quantiles = match (all.next(), all.next()) {
            (Some(only), None) => only.quantiles.values().next_back().cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        ServerSummary {
            count: added(|r| r.count),
            sum: added(|r| r.sum),
            quantiles,
            row: self.row(&labels, &rises),
        }
    }
}

/// What sets a series apart from the others of its key: `engine="1"`.
fn differs<T>(own: &Labels, kept: &Labels, all: &[(&Labels, Rise<T>)]) -> String {
    let varies = |(name, value): &&(String, String)| {
        !kept.iter().any(|(kept, _)| kept == name)
            && all.iter().any(|(other, _)| super::gathered::value(other, name) != Some(value))
    };
    let labels: Vec<String> =
        own.iter().filter(varies).map(|(name, value)| format!("{name}=\"{value}\"")).collect();
    labels.join(",")
}

/// The extrapolated buckets of several series added up; `None` unless all have the same edges.
fn rated(parts: impl Iterator<Item = Option<Rated>>) -> Option<Rated> {
    let mut all: Option<Rated> = None;
    for part in parts {
        let part = part?;
        let Some(sum) = &mut all else {
            all = Some(part);
            continue;
        };
        if sum.buckets.len() != part.buckets.len() {
            return None;
        }
        for (own, more) in sum.buckets.iter_mut().zip(&part.buckets) {
            if own.0.total_cmp(&more.0).is_ne() {
                return None;
            }
            own.1 += more.1;
        }
        sum.factors = (sum.factors.0.min(part.factors.0), sum.factors.1.max(part.factors.1));
    }
    all
}

/// The buckets of several series added up, at the edges that all have.
fn merged(
    all: &[&Reading],
    sum: Option<f64>,
    repair: &mut Option<Repair>,
    lost: &mut usize,
) -> Result<Histogram, String> {
    let mut parts = Vec::with_capacity(all.len());
    for reading in all {
        let Some((end, _)) = reading.buckets.last() else {
            return Err("it has no buckets".into());
        };
        if !end.is_infinite() {
            return Err(
                "the bucket up to +Inf is missing: the file is cut, or a filter left it out".into(),
            );
        }
        if reading.buckets.len() < 2 {
            return Err("it has no bucket but the one up to +Inf".into());
        }
        let mut buckets = reading.buckets.clone();
        let mended = raised(&mut buckets);
        *repair = repair.or(mended);
        let sum = if all.len() == 1 { sum } else { reading.sum };
        parts.push(Histogram::new(&buckets, sum).map_err(|error| error.to_string())?);
    }
    let most = parts.iter().map(|part| part.edges().len()).max().unwrap_or(0);
    match Histogram::merged(&parts) {
        Ok(merged) => {
            *lost = most - merged.edges().len();
            Ok(merged)
        }
        Err(HistogramError::Empty) => Err("no series of it can be used".into()),
        Err(error) => Err(error.to_string()),
    }
}
