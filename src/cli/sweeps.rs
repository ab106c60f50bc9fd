//! What `metrics` says of the sweeps among its runs: the goodput peak, the highest load that attains a
//! share, and the capacity plan.

use super::metrics::Measurement;
use crate::metrics::settings::GoodputUnit;
use crate::metrics::{
    Ask, Axis, Curve, CurveAsk, Needed, Plan, Reached, Replica, Subject, Within, curve, plan,
};
use crate::model::{Metric, Run, RunId, Stat};
use crate::views::capacity::{CapacityCard, Planned, attainment_in_words, capacity};
use crate::views::groups::{Varied, groups};
use serde::Serialize;

/// One sweep under the limits.
pub(super) struct Sweep<'a> {
    /// The tool and the loads: "vLLM, 4 req/s to 26 req/s".
    pub(super) name: String,
    /// The runs in order of load, of repeats the first.
    pub(super) runs: Vec<&'a Run>,
    varied: Varied,
    curve: Curve,
    replica: Result<Replica, String>,
    plan: Option<Plan>,
    /// The highest load that attains the share asked for, as a sentence.
    pub(super) attained: Option<String>,
    /// The capacity plan in words; none where no demand is given.
    pub(super) card: Option<CapacityCard>,
}

/// The sweeps among the runs, each with what it says of goodput. None without limits.
pub(super) fn sweeps<'a>(
    measured: &'a [Measurement<'a>],
    ask: &Ask,
    demand: Option<f64>,
) -> Vec<Sweep<'a>> {
    if ask.limits.is_empty() {
        return Vec::new();
    }
    let runs: Vec<&Run> = measured.iter().map(|m| m.run).collect();
    let sweeps = groups(&runs).into_iter().filter_map(|group| {
        let members: Vec<&Measurement<'_>> =
            group.members.iter().filter_map(|at| measured.get(*at)).collect();
        Some(sweep(&members, group.varied?, ask, demand))
    });
    sweeps.collect()
}

fn sweep<'a>(
    members: &[&'a Measurement<'a>],
    varied: Varied,
    ask: &Ask,
    demand: Option<f64>,
) -> Sweep<'a> {
    let subject =
        |m: &&'a Measurement<'a>| Subject::evaluated(m.run, &m.settings, ask, &m.evaluation);
    let attain = members.first().and_then(|m| match m.settings.goodput_unit {
        GoodputUnit::MaxLoadAtAttainment(share) => Some(share),
        _ => None,
    });
    let x = match varied {
        Varied::Rate => Axis::RequestedRate,
        Varied::Concurrency => Axis::MaxConcurrency,
    };
    let y = Axis::Metric(Metric::Goodput, Stat::Value);
    let limits = &ask.limits;
    let wanted = CurveAsk { x, y, limits, attain, limit_stat: Stat::Mean, intervals: false };
    let curve = curve(members.iter().map(subject).collect(), &wanted);
    let runs: Vec<&Run> = curve
        .points
        .iter()
        .filter_map(|point| members.iter().map(|m| m.run).find(|run| run.id == point.run))
        .collect();
    let load = |at: usize| runs.get(at).map_or_else(String::new, |run| varied.words(run));
    let tool = runs.first().map_or("", |run| run.tool.name());
    let name = format!("{tool}, {} to {}", load(0), load(runs.len().saturating_sub(1)));
    let replica = Replica::of(&curve);
    let gpus = runs.first().and_then(|run| run.gpus());
    let gpus = gpus.filter(|gpus| runs.iter().all(|run| run.gpus() == Some(*gpus)));
    let planned = Planned { name: &name, style: 0, demand, gpus };
    Sweep {
        plan: demand.and_then(|demand| plan(demand, *replica.as_ref().ok()?)),
        card: demand.map(|_| capacity(&replica, planned, &load)),
        attained: curve.attainment.map(|attainment| attainment_in_words(&attainment, &load)),
        replica,
        varied,
        runs,
        curve,
        name,
    }
}

impl Sweep<'_> {
    /// The lines for a terminal.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.attained.clone());
        if let Some(card) = &self.card {
            lines.push(format!("{}.", card.title));
            lines.extend(card.notes.iter().cloned());
        }
        lines
    }

    /// The highest attaining load with the next one, as (place, load, next load), where there is one.
    pub(super) fn highest(&self) -> Option<(usize, f64, Option<f64>)> {
        let Reached::At { index, next, .. } = self.curve.attainment?.reached else { return None };
        let load = |at: usize| self.varied.load(self.runs.get(at)?);
        Some((index, load(index)?, next.and_then(|(at, _)| load(at))))
    }

    /// The load's unit.
    pub(super) const fn unit(&self) -> &'static str {
        self.varied.unit()
    }

    /// The plan, with the place of the goodput peak.
    pub(super) fn plan(&self) -> Option<(usize, Plan)> {
        self.plan.map(|plan| (plan.replica.peak, plan))
    }

    /// As JSON.
    pub(super) fn answer(&self) -> SweepAnswer<'_> {
        let load = |at: usize| self.varied.load(self.runs.get(at)?).filter(|l| l.is_finite());
        let run = |at: usize| self.runs.get(at).map(|run| run.id.as_str());
        SweepAnswer {
            name: &self.name,
            varied: self.varied.unit(),
            runs: self.curve.points.iter().flat_map(|p| &p.runs).map(RunId::as_str).collect(),
            goodput_peak: self.curve.goodput_peak.map(|peak| PeakAnswer {
                run: run(peak.index),
                load: load(peak.index),
                goodput: peak.value,
                interval: self
                    .replica
                    .as_ref()
                    .ok()
                    .and_then(|replica| replica.interval)
                    .map(|interval| Within { low: interval.low, high: interval.high }),
                at_edge: peak.at_edge,
            }),
            attainment: self.curve.attainment.map(|attainment| {
                let text = self.attained.as_deref().unwrap_or_default();
                let wanted = attainment.wanted;
                match attainment.reached {
                    Reached::At { index, share, next, missed_below } => AttainmentAnswer {
                        wanted,
                        run: run(index),
                        load: load(index),
                        share,
                        next_load: next.and_then(|(at, _)| load(at)),
                        next_share: next.and_then(|(_, share)| share),
                        at_edge: next.is_none(),
                        missed_below: missed_below.and_then(load),
                        text,
                    },
                    Reached::Below { lowest, share } => AttainmentAnswer {
                        wanted,
                        run: None,
                        load: None,
                        share,
                        next_load: load(lowest),
                        next_share: Some(share),
                        at_edge: true,
                        missed_below: None,
                        text,
                    },
                }
            }),
            capacity: self.card.as_ref().map(|card| match self.plan {
                Some(plan) => CapacityAnswer::Plan {
                    demand: plan.demand,
                    goodput_per_replica: plan.replica.goodput,
                    throughput_per_replica: plan.replica.throughput,
                    at_edge: plan.replica.at_edge,
                    replicas: plan.by_goodput,
                    replicas_over_interval: plan.over_interval,
                    replicas_by_throughput: plan.by_throughput,
                    price: plan.price,
                    text: &card.title,
                    assumes: card.notes.first().map_or("", String::as_str),
                },
                None => CapacityAnswer::Unavailable {
                    unavailable: card.notes.first().map_or("", String::as_str),
                },
            }),
        }
    }
}

/// A sweep in `sameruler.metrics/1`.
#[derive(Debug, Serialize)]
pub(super) struct SweepAnswer<'a> {
    name: &'a str,
    varied: &'static str,
    runs: Vec<&'a str>,
    goodput_peak: Option<PeakAnswer<'a>>,
    attainment: Option<AttainmentAnswer<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<CapacityAnswer<'a>>,
}

#[derive(Debug, Serialize)]
struct PeakAnswer<'a> {
    run: Option<&'a str>,
    load: Option<f64>,
    goodput: Within,
    interval: Option<Within>,
    at_edge: bool,
}

#[derive(Debug, Serialize)]
struct AttainmentAnswer<'a> {
    wanted: f64,
    run: Option<&'a str>,
    load: Option<f64>,
    share: Within,
    next_load: Option<f64>,
    next_share: Option<Within>,
    at_edge: bool,
    missed_below: Option<f64>,
    text: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum CapacityAnswer<'a> {
    Plan {
        demand: f64,
        goodput_per_replica: Within,
        throughput_per_replica: f64,
        at_edge: bool,
        replicas: Needed,
        replicas_over_interval: Option<Needed>,
        replicas_by_throughput: u64,
        price: Needed,
        text: &'a str,
        assumes: &'a str,
    },
    Unavailable {
        unavailable: &'a str,
    },
}
