//! The runs that are drawn, each with its samples, the percentiles that its tool printed, or neither.

use super::DistributionsAsk;
use crate::metrics::{Distribution, Measured, Subject, Value, hint};
use crate::model::{Metric, Run, Stat};
use crate::stats::Interval;
use crate::views::Context;
use crate::views::measure::{Measurement, selected};
use crate::views::quality::HeldBack;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Of more samples an interval that takes resampling is left to Compare.
const RESAMPLED: usize = 50_000;

/// One run with what is known of the metric.
pub(super) struct Drawn<'a> {
    pub measured: Measurement<'a>,
    /// Palette index: that of the run on every screen, unless two runs of one sweep stand here.
    pub style: u8,
    /// Whether the others are compared with it.
    pub baseline: bool,
    metric: Metric,
    distribution: Arc<Result<Distribution, String>>,
    /// Percentiles as the tool printed them, as (percent, value), ascending; without samples.
    pub printed: Vec<(f64, f64)>,
}

/// A percentile of a run with what it stands on.
pub(super) struct Mark {
    pub value: f64,
    pub interval: Option<Interval>,
    /// Fewer than ten samples beyond it.
    pub weak: bool,
    /// What is wrong with reading it as that percentile.
    pub warning: Option<String>,
}

impl<'a> Drawn<'a> {
    fn of(measured: Measurement<'a>, metric: Metric) -> Self {
        let distribution = measured.subject().distribution(metric);
        let printed = match (distribution.as_ref(), measured.measured(metric)) {
            (Err(_), Some(Measured::Reported { values, .. })) => {
                let percent = |stat: Stat| match stat {
                    Stat::Percentile(p) => Some(p),
                    Stat::Median => Some(50.0),
                    _ => None,
                };
                let known = values.iter().filter_map(|v| Some((percent(v.stat)?, v.value)));
                let mut printed: Vec<(f64, f64)> = known.filter(|v| v.1.is_finite()).collect();
                printed.sort_by(|a, b| a.0.total_cmp(&b.0));
                printed.dedup_by(|a, b| (a.0 - b.0).abs() < 1e-9);
                printed
            }
            _ => Vec::new(),
        };
        let style = u8::try_from(measured.style % 256).unwrap_or(0);
        Self { measured, style, baseline: false, metric, distribution, printed }
    }

    /// Its name, told apart from others.
    pub(super) fn name(&self) -> &str {
        &self.measured.name
    }

    /// The metric and its unit.
    pub(super) fn metric(&self) -> (&'static str, &'static str) {
        (self.metric.name(), self.metric.unit().symbol())
    }

    /// Its samples, where they are known.
    pub(super) fn samples(&self) -> Option<&Distribution> {
        self.distribution.as_ref().as_ref().ok()
    }

    /// Whether there is anything to draw.
    pub(super) fn is_known(&self) -> bool {
        self.samples().is_some() || !self.printed.is_empty()
    }

    /// Why nothing is drawn of it, as a sentence, and what would record it.
    pub(super) fn left_out(&self) -> Option<String> {
        if self.is_known() {
            return None;
        }
        let because = match self.measured.measured(self.metric) {
            Some(Measured::Unavailable(reason)) => reason.clone(),
            _ => self.distribution.as_ref().as_ref().err()?.clone(),
        };
        let because = because.trim_end_matches('.');
        Some(format!("{}: {because}.{}", self.name(), self.remedy()))
    }

    /// The flag of the tool that records what is missing, with a space in front; empty where none is known.
    pub(super) fn remedy(&self) -> String {
        let hint = hint(self.measured.run, self.metric, &self.measured.settings);
        hint.map_or_else(String::new, |hint| format!(" {hint}"))
    }

    /// A percentile (0 to 100) as every screen has it.
    pub(super) fn mark(&self, p: f64) -> Option<Mark> {
        let Some(samples) = self.samples() else {
            let known = self.printed.iter().find(|printed| (printed.0 - p).abs() < 1e-9)?;
            return Some(Mark { value: known.1, interval: None, weak: true, warning: None });
        };
        let stat = Stat::Percentile(p);
        let Value::Exact(value) = self.measured.value(self.metric, stat) else { return None };
        let quantile = self.measured.measured(self.metric)?.summary()?.quantile(p);
        let few = samples.n <= RESAMPLED || samples.requests == samples.n;
        Some(Mark {
            value,
            interval: few.then(|| self.measured.subject().interval(self.metric, stat)).flatten(),
            weak: quantile.is_some_and(|q| q.support != crate::metrics::Support::Plain),
            warning: quantile.and_then(|q| q.warning(samples.n, self.noun())),
        })
    }

    /// What one sample is.
    pub(super) fn noun(&self) -> &'static str {
        match self.samples() {
            Some(samples) if samples.n == samples.requests => "requests",
            _ if matches!(self.metric, Metric::Itl | Metric::ChunkGap) => "gaps",
            _ => "samples",
        }
    }

    /// The same for differences.
    pub(super) fn subject(&self) -> Subject<'_> {
        self.measured.subject()
    }
}

/// The selected runs, the baseline first, and those that a finding holds back.
pub(super) fn drawn<'a>(
    all: &[&'a Run],
    context: &Context,
    metric: Metric,
) -> (Vec<Drawn<'a>>, Vec<HeldBack>) {
    let measured = selected(all, context);
    let held_back = measured.iter().filter_map(HeldBack::of).collect();
    let free = measured.into_iter().filter(|measured| measured.blocked.is_none());
    let mut runs: Vec<Drawn<'a>> = free.map(|measured| Drawn::of(measured, metric)).collect();
    tell_apart(&mut runs);
    // The baseline comes first, where one is selected.
    if let Some(first) = runs.first_mut() {
        first.baseline = true;
    }
    (runs, held_back)
}

/// Runs of one sweep have one colour everywhere: here, where each is a line of its own, the later ones
/// take the first colours that nobody has.
fn tell_apart(runs: &mut [Drawn<'_>]) {
    let mut taken: BTreeSet<u8> = runs.iter().map(|run| run.style).collect();
    let mut seen = BTreeSet::new();
    for run in runs.iter_mut().filter(|run| run.is_known()) {
        if seen.insert(run.style) {
            continue;
        }
        if let Some(free) = (0..=u8::MAX).find(|style| !taken.contains(style)) {
            taken.insert(free);
            seen.insert(free);
            run.style = free;
        }
    }
}

/// The metrics of which any of the runs has samples or printed percentiles.
pub(super) fn offered(all: &[&Run], context: &Context) -> Vec<Metric> {
    let runs = selected(all, context);
    let has = |run: &Measurement<'_>, metric: Metric| match run.measured(metric) {
        Some(Measured::Summary(summary)) => summary.median.is_some(),
        Some(Measured::Reported { values, .. }) => {
            values.iter().any(|v| matches!(v.stat, Stat::Median | Stat::Percentile(_)))
        }
        _ => false,
    };
    let any = |metric: &Metric| runs.iter().any(|run| has(run, *metric));
    DistributionsAsk::METRICS.into_iter().filter(any).collect()
}
