//! The search itself: sets by how many choices they change, their samples, and the statistics of these
//! that are the number.

use super::alternatives::{Alternative, alternatives};
use super::figure::{Figure, Fit, Target};
use super::{Inquiry, Near};
use crate::metrics::evaluate::scale;
use crate::metrics::goodput::{GoodputResult, goodput};
use crate::metrics::own::own;
use crate::metrics::preset::PRESETS;
use crate::metrics::rows::{Rows, Values};
use crate::metrics::ruler::{differing_for, dimensions_of};
use crate::metrics::samples::{self, SAMPLED, Samples};
use crate::metrics::settings::{Percentile, Settings, Spread, UserSpeed, Weighting};
use crate::metrics::throughput;
use crate::model::{Metric, Outcome, Requests, Run, Stat};
use crate::stats::{self, Selector};
use std::collections::BTreeSet;

/// Percentiles that are tried besides those that the file prints.
const PERCENTILES: [f64; 9] = [1.0, 5.0, 10.0, 25.0, 75.0, 90.0, 95.0, 99.0, 99.9];

/// The rules by which a percentile of requests can be read off.
const RULES: [Percentile; 5] = [
    Percentile::Linear,
    Percentile::NearestRank,
    Percentile::FloorIndex,
    Percentile::RoundedIndex,
    Percentile::WeightedStep,
];

/// A value is near the number within this factor: where chance hits are counted.
const NEAR: f64 = 1.25;

/// Other sets that give a found number are named up to this many.
const MOST_ALSO: usize = 4;

/// What is further off, as a share of the number, is not close.
const CLOSE: f64 = 0.1;
/// The closest values are kept where no set gives the number.
const MOST_NEAREST: usize = 3;

/// One metric under one set.
#[derive(Debug, Clone, Copy)]
struct Variant {
    metric: Metric,
    settings: Settings,
    /// Whether it is the ruler of a tool as a whole: only its own way to read percentiles counts.
    whole: bool,
}

/// A statistic of a metric under a set that is the number.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub metric: Metric,
    pub stat: Stat,
    pub value: f64,
    pub fit: Fit,
    /// Which reading of the number it is: the likeliest unit is 0.
    pub reading: usize,
    /// Choices in which it leaves the own set, as far as they bear on it; those of a whole preset at
    /// most [`WHOLE`].
    pub distance: usize,
    pub settings: Settings,
    /// Other sets that give the same samples.
    pub also: Vec<Settings>,
    print: Print,
}

/// What tells two lists of samples apart without comparing them.
type Print = (usize, u64, u64, u64, u64);

/// The ruler of another tool, taken as a whole, counts as this many changed choices at most.
const WHOLE: usize = 2;

/// The search on one run.
pub(super) struct Search<'a> {
    run: &'a Run,
    requests: &'a Requests,
    own: Settings,
    figure: &'a Figure,
    inquiry: &'a Inquiry,
    alternatives: Vec<Alternative>,
    percentiles: Vec<f64>,
    seen: BTreeSet<(Metric, Print)>,
    /// What was found, in the order in which it was.
    pub hits: Vec<Hit>,
    /// The closest plain statistics of the first sets.
    pub nearest: Vec<Near>,
    /// Different numbers that were held against the one that is sought.
    pub tried: usize,
    /// How many of them a random number of its size and digits would meet.
    pub expected: f64,
    /// Values touched so far: what the bound of the search is counted in.
    spent: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        run: &'a Run,
        requests: &'a Requests,
        figure: &'a Figure,
        inquiry: &'a Inquiry,
    ) -> Self {
        let own = own(run).settings;
        let mut percentiles = PERCENTILES.to_vec();
        let asked = run.reported.values.iter().map(|v| v.stat).chain(inquiry.stat);
        for stat in asked {
            if let Stat::Percentile(p) = stat
                && (p - 50.0).abs() > 1e-9
                && !percentiles.iter().any(|q| (p - q).abs() < 1e-9)
            {
                percentiles.push(p);
            }
        }
        Self {
            run,
            requests,
            own,
            figure,
            inquiry,
            alternatives: alternatives(run, requests, &own),
            percentiles,
            seen: BTreeSet::new(),
            hits: Vec::new(),
            nearest: Vec::new(),
            tried: 0,
            expected: 0.0,
            spent: 0,
        }
    }

    /// Tries the own set, or each set that changes `changes` choices of it, within `budget` values. Says
    /// whether that was enough for all.
    pub(super) fn level(&mut self, changes: usize, budget: u64) -> bool {
        let mut variants = Vec::new();
        for metric in self.metrics() {
            let start = Variant { metric, settings: self.own, whole: false };
            self.changed(start, 0, changes, &mut variants);
        }
        self.try_all(&variants, budget)
    }

    /// Tries the rulers of all tools as they are.
    pub(super) fn presets(&mut self, budget: u64) -> bool {
        let mut variants = Vec::new();
        for preset in PRESETS {
            // Its sums on the events and counts that this client recorded, for files that hold no others.
            let sums = Settings {
                clock_start: self.own.clock_start,
                first_token: self.own.first_token,
                end: self.own.end,
                token_count: self.own.token_count,
                ..preset.settings
            };
            for settings in [preset.settings, sums] {
                for metric in self.metrics() {
                    variants.push(Variant { metric, settings, whole: true });
                }
            }
        }
        self.try_all(&variants, budget)
    }

    /// The metrics that the number can be.
    fn metrics(&self) -> Vec<Metric> {
        let asked = |metric: &Metric| self.inquiry.metric.is_none_or(|asked| asked == *metric);
        let fits = |metric: &Metric| !self.figure.targets(*metric).is_empty();
        Metric::ALL.into_iter().filter(asked).filter(fits).collect()
    }

    /// Changes `left` more choices of `variant` in every way, from alternative `from` on.
    fn changed(&self, variant: Variant, from: usize, left: usize, out: &mut Vec<Variant>) {
        if left == 0 {
            out.push(variant);
            return;
        }
        let relevant = dimensions_of(variant.metric, &variant.settings);
        for (at, alternative) in self.alternatives.iter().enumerate().skip(from) {
            if !relevant.contains(&alternative.dimension.id) {
                continue;
            }
            for choice in &alternative.choices {
                let mut other = variant;
                if alternative.dimension.write(&mut other.settings, choice) {
                    self.changed(other, at + 1, left - 1, out);
                }
            }
        }
    }

    /// Tries variants, those of the same columns together.
    fn try_all(&mut self, variants: &[Variant], budget: u64) -> bool {
        let until = self.spent.saturating_add(budget);
        let mut groups: Vec<(Settings, Vec<&Variant>)> = Vec::new();
        for variant in variants {
            let key = columns(&variant.settings, &self.own);
            match groups.iter_mut().find(|(other, _)| *other == key) {
                Some((_, group)) => group.push(variant),
                None => groups.push((key, vec![variant])),
            }
        }
        for (key, group) in &groups {
            if self.spent > until {
                return false;
            }
            self.spent += self.gap_count() + self.requests.len() as u64;
            let Ok(mut rows) = Rows::new(self.requests, key, &self.inquiry.excluded) else {
                continue;
            };
            for variant in group {
                if self.spent > until {
                    return false;
                }
                rows.settings = &variant.settings;
                self.spent += if is_of_gaps(variant) { self.gap_count() } else { 0 }
                    + self.requests.len() as u64;
                self.try_one(variant, &rows);
            }
        }
        true
    }

    fn gap_count(&self) -> u64 {
        self.requests.gaps.values().len() as u64
    }

    fn try_one(&mut self, variant: &Variant, rows: &Rows<'_>) {
        let metric = variant.metric;
        if metric == Metric::UserSpeed || SAMPLED.contains(&metric) {
            if let Some(samples) = made(rows, metric) {
                self.read(variant, samples);
            }
        } else if let Some(value) = self.scalar(rows, metric) {
            let print = (1, value.to_bits(), 0, 0, 0);
            if self.is_new(variant, print) {
                self.offer(variant, Stat::Value, value, &variant.settings, print);
            }
        }
    }

    /// Whether these samples are new for their metric. If not, the set is another name of what was found.
    fn is_new(&mut self, variant: &Variant, print: Print) -> bool {
        if self.seen.insert((variant.metric, print)) {
            return true;
        }
        let same = |hit: &&mut Hit| hit.metric == variant.metric && hit.print == print;
        for hit in self.hits.iter_mut().filter(same) {
            let mut settings = variant.settings;
            settings.percentile = hit.settings.percentile;
            settings.spread = hit.settings.spread;
            if hit.also.len() < MOST_ALSO && settings != hit.settings {
                hit.also.push(settings);
            }
        }
        false
    }

    /// One number for the run.
    fn scalar(&self, rows: &Rows<'_>, metric: Metric) -> Option<f64> {
        let duration = || throughput::duration(self.run, rows);
        let rate = |count: Result<f64, String>| Some(count.ok()? / duration().ok()?);
        let output = || throughput::output_tokens(rows);
        let input = || throughput::input_tokens(rows);
        let ended = |outcome| Some(self.requests.count(outcome) as f64);
        match metric {
            Metric::Duration => duration().ok(),
            Metric::RequestThroughput => rate(throughput::finished(rows)),
            Metric::OutputThroughput => rate(output()),
            Metric::InputThroughput => rate(input()),
            Metric::TotalThroughput => rate(output().and_then(|out| Ok(out + input()?))),
            Metric::TotalOutputTokens => output().ok(),
            Metric::TotalInputTokens => input().ok(),
            Metric::MeanConcurrency if rows.ends.exact => {
                Some(throughput::busy_seconds(rows).0? / duration().ok()?)
            }
            Metric::PeakOutputRate => throughput::peak_output(rows).ok().map(|peak| peak.events),
            Metric::PeakConcurrency if rows.ends.exact => throughput::peak_concurrency(rows).ok(),
            Metric::Completed => ended(Outcome::Ok),
            Metric::Failed => ended(Outcome::Failed),
            Metric::Goodput | Metric::SloShare => {
                let limits = self.run.reported.limits.as_ref().unwrap_or(&self.inquiry.limits);
                let GoodputResult::Known(known) = goodput(rows, limits, &duration()) else {
                    return None;
                };
                if metric == Metric::Goodput {
                    known.per_second.ok()?.exact()
                } else {
                    known.share.exact()
                }
            }
            _ => None,
        }
    }

    /// Reads every statistic off the samples and holds it against the number.
    fn read(&mut self, variant: &Variant, mut samples: Samples) {
        let metric = variant.metric;
        let to_unit = scale(metric);
        if let Some((total, count)) = samples.only_mean {
            if count > 0.0 {
                let mean = total / count * to_unit;
                let print = (0, mean.to_bits(), 0, 0, 0);
                if self.is_new(variant, print) {
                    self.offer(variant, Stat::Mean, mean, &variant.settings, print);
                }
            }
            return;
        }
        let Some(print) = print(&samples) else { return };
        let reciprocal = metric == Metric::UserSpeed
            && variant.settings.user_speed == UserSpeed::ReciprocalOfTpot;
        if !self.is_new(variant, (print.0, print.1, print.2, print.3, u64::from(reciprocal))) {
            return;
        }
        let print = (print.0, print.1, print.2, print.3, u64::from(reciprocal));
        if reciprocal || samples.weights.is_some() {
            self.read_whole(variant, samples, reciprocal, print);
            return;
        }
        let settings = variant.settings;
        let (low, high) = range(&samples.values);
        let plain = [(Stat::Min, Some(low)), (Stat::Max, Some(high))];
        let mean = (Stat::Mean, stats::mean(&samples.values));
        for (stat, value) in plain.into_iter().chain([mean]) {
            if let Some(value) = value {
                self.offer(variant, stat, value * to_unit, &settings, print);
            }
        }
        for spread in spreads(&settings, variant.whole) {
            let by = match spread {
                Spread::Population => stats::Spread::Population,
                Spread::Sample => stats::Spread::Sample,
            };
            if let Some(std) = stats::std(&samples.values, by) {
                self.offer(
                    variant,
                    Stat::Std,
                    std * to_unit,
                    &Settings { spread, ..settings },
                    print,
                );
            }
        }
        self.read_percentiles(variant, &mut samples.values, print);
    }

    /// Percentiles of samples that weigh alike. Which of them can be the number at all is seen from how
    /// many samples lie below it; only those are read off.
    fn read_percentiles(&mut self, variant: &Variant, values: &mut [f64], print: Print) {
        let metric = variant.metric;
        let to_unit = scale(metric);
        let n = values.len();
        let targets = self.figure.targets(metric);
        let ranks: Vec<[usize; 4]> =
            targets.iter().map(|target| ranks(values, target, to_unit)).collect();
        let all: Vec<f64> = std::iter::once(50.0).chain(self.percentiles.iter().copied()).collect();
        let first = variant.settings == self.own;
        let mut likely = Vec::new();
        for p in all {
            let place = p / 100.0 * (n as f64 - 1.0);
            let (from, to) = ((place.floor() - 1.0).max(0.0) as usize, place.ceil() as usize + 2);
            let near = |[_, _, a, b]: &[usize; 4]| (*a..*b).contains(&(place as usize));
            for (target, _) in targets.iter().zip(&ranks).filter(|(_, ranks)| near(ranks)) {
                // Rules differ by an element or the space between two: two numbers, more or less.
                self.expected += 2.0 * chance(target);
            }
            self.tried += 2;
            if first || ranks.iter().any(|[below, upto, ..]| *upto > from && *below <= to) {
                likely.push(p);
            }
        }
        if likely.is_empty() {
            return;
        }
        let mut sorted: Option<Vec<(f64, f64)>> = None;
        for percentile in rules(&variant.settings, variant.whole) {
            let settings = Settings { percentile, ..variant.settings };
            for p in &likely {
                let value = if percentile == Percentile::WeightedStep {
                    let pairs = sorted.get_or_insert_with(|| {
                        values.sort_unstable_by(f64::total_cmp);
                        values.iter().map(|value| (*value, 1.0)).collect()
                    });
                    stats::weighted_step(pairs, p / 100.0)
                } else {
                    let mut selector = Selector::new(values);
                    samples::rule(percentile).and_then(|rule| selector.quantile(p / 100.0, rule))
                };
                if let Some(value) = value {
                    self.judge(variant, stat(*p), value * to_unit, &settings, print);
                }
            }
        }
    }

    /// Every statistic as the evaluation makes them: for weighted samples and reciprocals.
    fn read_whole(&mut self, variant: &Variant, samples: Samples, reciprocal: bool, print: Print) {
        let weighted = samples.weights.is_some();
        let mut settings = variant.settings;
        let to_unit = if reciprocal { scale(Metric::Tpot) } else { scale(variant.metric) };
        let own_rule = settings.percentile;
        if weighted && !variant.whole {
            // The only rule that knows weights.
            settings.percentile = Percentile::WeightedStep;
        }
        let percentiles = self.percentiles.clone();
        let Ok(summary) = samples::summarise(samples, &settings, &percentiles, to_unit) else {
            return;
        };
        let plain = Settings { percentile: own_rule, ..settings };
        let others = [Stat::Mean, Stat::Min, Stat::Max, Stat::Std];
        let quantiles = std::iter::once(Stat::Median).chain(percentiles.into_iter().map(stat));
        let all = others.into_iter().map(|s| (s, plain)).chain(quantiles.map(|s| (s, settings)));
        for (stat, settings) in all {
            let Some(value) = summary.stat(stat) else { continue };
            let (stat, value) = match (reciprocal, stat) {
                (true, Stat::Std) => continue,
                (true, Stat::Min) => (Stat::Max, 1e3 / value),
                (true, Stat::Max) => (Stat::Min, 1e3 / value),
                (true, stat) => (stat, 1e3 / value),
                (false, stat) => (stat, value),
            };
            self.offer(variant, stat, value, &settings, print);
        }
    }

    /// Counts a value among those that were tried, and judges it.
    fn offer(&mut self, variant: &Variant, stat: Stat, value: f64, with: &Settings, print: Print) {
        self.tried += 1;
        for target in self.figure.targets(variant.metric) {
            let (low, high) = (target.value.abs() / NEAR, target.value.abs() * NEAR);
            if (low..high).contains(&value.abs()) {
                self.expected += chance(&target);
            }
        }
        self.judge(variant, stat, value, with, print);
    }

    /// Holds one value against the number.
    fn judge(&mut self, variant: &Variant, stat: Stat, value: f64, with: &Settings, print: Print) {
        let metric = variant.metric;
        if !value.is_finite() || self.inquiry.stat.is_some_and(|asked| asked != stat) {
            return;
        }
        for (reading, target) in self.figure.targets(metric).iter().enumerate() {
            let Some(fit) = target.fit(value) else {
                if reading == 0 || self.figure.unit.is_none() {
                    self.keep_near(metric, stat, value, target, with);
                }
                continue;
            };
            let changes = changes(self.run, metric, stat, with, &self.own);
            let named = usize::from(self.is_elsewhere(metric));
            let distance =
                named + if variant.whole { changes.len().min(WHOLE) } else { changes.len() };
            let hit = Hit {
                metric,
                stat,
                value,
                fit,
                reading,
                distance,
                settings: *with,
                also: Vec::new(),
                print,
            };
            self.hits.push(hit);
            return;
        }
    }

    /// Whether a metric is one that only other tools know by this name: E ÷ n is the TPOT of some, and
    /// another name counts as a changed choice.
    fn is_elsewhere(&self, metric: Metric) -> bool {
        metric == Metric::WholePerToken
            && !self.run.reported.values.iter().any(|value| value.metric == metric)
    }

    /// Keeps a plain statistic of the own set if it is among the closest.
    fn keep_near(
        &mut self,
        metric: Metric,
        stat: Stat,
        value: f64,
        target: &Target,
        with: &Settings,
    ) {
        let plain = match stat {
            Stat::Mean | Stat::Median | Stat::Value => true,
            Stat::Percentile(p) => [90.0, 95.0, 99.0].iter().any(|q| (p - q).abs() < 1e-9),
            _ => false,
        };
        if !plain || target.value.abs() <= 0.0 {
            return;
        }
        let off = (value - target.value) / target.value;
        let worst = self.nearest.get(MOST_NEAREST - 1).map_or(CLOSE, |n| n.off.abs());
        // Rules of a percentile lie close together: one of them is enough, the own one being first.
        let same = |other: &Near| {
            other.metric == metric && (other.value - value).abs() <= 1e-3 * value.abs()
        };
        // What is changed is asked last: it looks through the whole table.
        if off.abs() >= worst
            || self.nearest.iter().any(same)
            || changes(self.run, metric, stat, with, &self.own).len() > 1
        {
            return;
        }
        let near = Near { metric, stat, value, off, settings: *with, words: String::new() };
        self.nearest.push(near);
        self.nearest.sort_by(|a, b| a.off.abs().total_cmp(&b.off.abs()));
        self.nearest.truncate(MOST_NEAREST);
    }
}

/// The dimensions in which a set leaves the own one, as far as they bear on this statistic.
pub(super) fn changes(
    run: &Run,
    metric: Metric,
    stat: Stat,
    settings: &Settings,
    own: &Settings,
) -> Vec<&'static crate::metrics::Dimension> {
    let mut changes = differing_for(metric, run, settings, own);
    changes.retain(|dimension| match dimension.id {
        "percentile" => matches!(stat, Stat::Median | Stat::Percentile(_)),
        "spread" => stat == Stat::Std,
        _ => true,
    });
    changes
}

/// How likely a random number near the target is met by one value near it.
fn chance(target: &Target) -> f64 {
    let width = target.value.abs() * (NEAR - 1.0 / NEAR);
    if width > 0.0 { (2.0 * target.reach() / width).min(1.0) } else { 0.0 }
}

/// The choices that decide the columns, with all others as in `own`.
fn columns(settings: &Settings, own: &Settings) -> Settings {
    Settings {
        tpot: own.tpot,
        itl: own.itl,
        short_outputs: own.short_outputs,
        weighting: Weighting::PerRequest,
        percentile: own.percentile,
        spread: own.spread,
        duration: own.duration,
        user_speed: own.user_speed,
        goodput_missing: own.goodput_missing,
        goodput_unit: own.goodput_unit,
        ..*settings
    }
}

/// Whether a metric goes through every gap.
fn is_of_gaps(variant: &Variant) -> bool {
    use crate::metrics::settings::Itl;
    match variant.metric {
        Metric::ChunkGap | Metric::PeakOutputRate => true,
        Metric::Itl => {
            matches!(variant.settings.itl, Itl::EventGap | Itl::TokenSpread | Itl::TokenZeros)
        }
        _ => false,
    }
}

/// The samples of a metric, where they are known exactly.
fn made(rows: &Rows<'_>, metric: Metric) -> Option<Samples> {
    let of = |metric| {
        let nothing = Values::new();
        let ends = if samples::needs_ends(metric, rows.settings) {
            rows.ends_of(metric).known().ok()?
        } else {
            &nothing
        };
        samples::of(rows, metric, ends).ok()
    };
    match metric {
        Metric::UserSpeed if rows.settings.user_speed == UserSpeed::ReciprocalOfTpot => {
            of(Metric::Tpot)
        }
        Metric::UserSpeed => samples::user_speed(rows).ok(),
        metric => of(metric),
    }
}

fn print(samples: &Samples) -> Option<Print> {
    let values = &samples.values;
    let (sum, squares) = values.iter().fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
    let weights: f64 = samples.weights.iter().flatten().sum();
    // Equal weights and none are not the same: they read percentiles off by other rules.
    let weights = if samples.weights.is_some() { (weights + 1.0).to_bits() } else { 0 };
    (!values.is_empty()).then_some((
        values.len(),
        f64::to_bits(sum),
        f64::to_bits(squares),
        weights,
        0,
    ))
}

fn range(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)))
}

/// How many samples lie below the target, how many not above it, and the same of what is near it.
fn ranks(values: &[f64], target: &Target, to_unit: f64) -> [usize; 4] {
    let (value, reach) = (target.value / to_unit, target.reach() / to_unit);
    let edges = [value - reach, value + reach, value / NEAR, value * NEAR];
    let mut ranks = [0_usize; 4];
    let [below, upto, from, to] = &mut ranks;
    for sample in values {
        *below += usize::from(*sample < edges[0]);
        *upto += usize::from(*sample <= edges[1]);
        *from += usize::from(*sample < edges[2]);
        *to += usize::from(*sample <= edges[3]);
    }
    ranks
}

fn stat(p: f64) -> Stat {
    if (p - 50.0).abs() < 1e-9 { Stat::Median } else { Stat::Percentile(p) }
}

/// The rules by which a set's percentiles are tried, its own first.
fn rules(settings: &Settings, whole: bool) -> Vec<Percentile> {
    let mut rules = vec![settings.percentile];
    if !whole {
        rules.extend(RULES.into_iter().filter(|rule| *rule != settings.percentile));
    }
    rules
}

/// The divisors with which a set's spread is tried, its own first.
fn spreads(settings: &Settings, whole: bool) -> Vec<Spread> {
    let mut spreads = vec![settings.spread];
    if !whole {
        let other = [Spread::Population, Spread::Sample];
        spreads.extend(other.into_iter().filter(|spread| *spread != settings.spread));
    }
    spreads
}
