//! The most important disagreement of a session, found among what its tools call by one name.

use super::{Bridge, Number, Route, bridge};
use crate::metrics::evaluate::Ask;
use crate::metrics::own::own;
use crate::metrics::preset::COMMON;
use crate::metrics::settings::Settings;
use crate::model::{Metric, Run, Stat};
use std::sync::Arc;

/// What is looked at: what tools print under one name and readers put side by side.
const LOOKED_AT: [(Metric, Stat); 5] = [
    (Metric::Tpot, Stat::Mean),
    (Metric::Itl, Stat::Mean),
    (Metric::Ttft, Stat::Mean),
    (Metric::E2e, Stat::Mean),
    (Metric::OutputThroughput, Stat::Value),
];

/// Of more runs than this only the first are looked at: each pair of rulers takes evaluations.
const MOST_RUNS: usize = 12;
/// What takes back less than this share of the difference is not worth a word.
const TOLD: f64 = 0.02;
/// One step that is the whole difference comes out as 1 but for this.
const ROUNDING: f64 = 1e-9;
/// A ruler that moves a number by less is no disagreement.
const LEAST: f64 = 0.03;

/// A disagreement worth saying first.
#[derive(Debug, Clone)]
pub struct Foremost<'a> {
    /// The one number.
    pub a: Number<'a>,
    /// The other.
    pub b: Number<'a>,
    /// What lies between them.
    pub bridge: Arc<Bridge>,
}

/// So many of the largest disagreements are walked to find one that is plain.
const WALKED: usize = 8;

/// The disagreement that definitions make largest: between two runs under their tools' own rulers; of one
/// run, between its tool's ruler and the common one, or between its ITL and its TPOT. Among the largest one
/// that a single cause all but makes comes first, since it can be said in a sentence.
pub fn foremost<'a>(runs: &[(&'a Run, &'a Ask)]) -> Option<Foremost<'a>> {
    let runs = runs.get(..runs.len().min(MOST_RUNS)).unwrap_or(runs);
    let known: Vec<Known<'a>> =
        runs.iter().map(|(run, ask)| Known { run, ask, ruler: own(run).settings }).collect();
    let mut found: Vec<Found<'a>> = between_runs(&known);
    if found.is_empty() {
        found = within_runs(&known);
    }
    found.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut walked = found.into_iter().take(WALKED).filter_map(|(_, a, b)| {
        let bridge = bridge(&a, &b, &Route::default()).ok()?;
        Some(Foremost { a, b, bridge })
    });
    let first = walked.next()?;
    if plain(&first.bridge) {
        return Some(first);
    }
    Some(walked.find(|other| plain(&other.bridge)).unwrap_or(first))
}

/// Whether one definition makes more than half of the difference and not more than all of it, and what no
/// definition explains is less.
fn plain(bridge: &Bridge) -> bool {
    let Some(gap) = bridge.difference() else { return false };
    let shares = bridge.steps.iter().map(|step| step.exact().map(|change| change / gap));
    let Some(shares) = shares.collect::<Option<Vec<f64>>>() else { return false };
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let rest = bridge.remainder.as_ref().map_or(0.0, |rest| (rest.change / gap).abs());
    let back = shares.iter().copied().fold(0.0, f64::min);
    (0.5..=1.0 + ROUNDING).contains(&largest) && rest < largest && back > -TOLD
}

/// A run with its tool's ruler.
struct Known<'a> {
    run: &'a Run,
    ask: &'a Ask,
    ruler: Settings,
}

impl<'a> Known<'a> {
    fn number(&self, metric: Metric, stat: Stat, settings: Settings) -> Number<'a> {
        Number { run: self.run, metric, stat, settings, ask: self.ask }
    }
}

/// Two numbers and how far definitions move them apart.
type Found<'a> = (f64, Number<'a>, Number<'a>);

/// Numbers of one name of two runs whose rulers differ: both have to be there, and the two rulers apart on
/// the same rows.
fn between_runs<'a>(runs: &[Known<'a>]) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    for (metric, stat) in LOOKED_AT {
        for (at, one) in runs.iter().enumerate() {
            let own = one.number(metric, stat, one.ruler);
            // The run that was named first is A.
            let later = runs.iter().skip(at + 1);
            for other in later.filter(|o| o.run.id != one.run.id && o.ruler != one.ruler) {
                let theirs = other.number(metric, stat, other.ruler);
                let on_own = apart(&own, &one.number(metric, stat, other.ruler));
                let on_theirs = || apart(&theirs, &other.number(metric, stat, one.ruler));
                let Some(size) = on_own.or_else(on_theirs) else { continue };
                let known = [own, theirs].iter().all(|n| n.value().exact_or_reported().is_some());
                if size > LEAST && known {
                    found.push((size, own, theirs));
                }
            }
        }
    }
    found
}

/// Numbers of one run: under its tool's ruler and the common one, and its ITL and its TPOT.
fn within_runs<'a>(runs: &[Known<'a>]) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    for one in runs {
        let mean = |metric| one.number(metric, Stat::Mean, one.ruler);
        let common = LOOKED_AT.map(|(metric, stat)| {
            (one.number(metric, stat, one.ruler), one.number(metric, stat, COMMON.settings))
        });
        let pairs = common.into_iter().chain([(mean(Metric::Itl), mean(Metric::Tpot))]);
        found.extend(pairs.filter_map(|(a, b)| {
            apart(&a, &b).filter(|size| *size > LEAST).map(|size| (size, a, b))
        }));
    }
    found
}

/// How far two numbers are apart, as the logarithm of their ratio.
fn apart(a: &Number<'_>, b: &Number<'_>) -> Option<f64> {
    let (a, b) = (a.value().exact_or_reported()?, b.value().exact_or_reported()?);
    (a > 0.0 && b > 0.0).then(|| (a / b).ln().abs())
}
