//! Textbook queues as references beside measured curves.
//!
//! Both models have one server that takes requests one at a time. Engines batch: many requests are in
//! work together and each gets slower. The models are references for the shape of a curve, how waiting
//! rises towards the capacity, and never a prediction. Whoever shows one says so.
//!
//! Sources: Kleinrock, *Queueing Systems* I (1975), 3.2 and 5.6 for M/M/1; Kingman, "The single server
//! queue in heavy traffic" (1961) for G/G/1.

use super::arrivals::is_closed;
use super::curve::achieved_rate;
use super::evaluate::Evaluation;
use crate::model::{Metric, Requests, Run, Stat};
use crate::stats::{Spread, mean, std};
use crate::units::{Seconds, significant};
use serde::{Deserialize, Serialize};

/// Which textbook queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueModel {
    /// Poisson arrivals, exponential service.
    Mm1,
    /// Any arrivals and any service, by their variation: Kingman's approximation of the mean.
    Kingman,
}

impl QueueModel {
    /// Both, in the order to offer them.
    pub const ALL: [Self; 2] = [Self::Mm1, Self::Kingman];

    /// Stable id, as in links.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Mm1 => "mm1",
            Self::Kingman => "kingman",
        }
    }

    /// The model with this id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.id() == id)
    }

    /// The name: "M/M/1".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mm1 => "M/M/1",
            Self::Kingman => "Kingman",
        }
    }
}

/// What must stand wherever a model is shown.
pub const MODEL_NOTE: &str = "A model of one server that takes requests one at a time, not measured. Engines batch, so it is a reference for the shape only.";

/// Mean residence (waiting and service) of M/M/1: S ÷ (1 − ρ).
pub fn mm1_mean(service: f64, load: f64) -> Option<f64> {
    below_one(load).then(|| service / (1.0 - load))
}

/// Quantile `q` (0 to 1) of the residence of M/M/1: S ln(1 ÷ (1 − q)) ÷ (1 − ρ).
pub fn mm1_quantile(service: f64, load: f64, q: f64) -> Option<f64> {
    ((0.0..1.0).contains(&q) && below_one(load))
        .then(|| service * (1.0 / (1.0 - q)).ln() / (1.0 - load))
}

/// Share of requests of M/M/1 whose residence is at most `time`: 1 − e^(−(1 − ρ) t ÷ S).
pub fn mm1_within(service: f64, load: f64, time: f64) -> Option<f64> {
    (below_one(load) && service > 0.0 && time >= 0.0)
        .then(|| -(-(1.0 - load) * time / service).exp_m1())
}

/// Quantile `q` of the waiting of M/M/1, which a share of 1 − ρ spares: S ln(ρ ÷ (1 − q)) ÷ (1 − ρ), or 0.
pub fn mm1_wait_quantile(service: f64, load: f64, q: f64) -> Option<f64> {
    ((0.0..1.0).contains(&q) && below_one(load))
        .then(|| (service * (load / (1.0 - q)).ln() / (1.0 - load)).max(0.0))
}

/// Mean waiting of G/G/1 by Kingman: ρ ÷ (1 − ρ) × (cₐ² + cₛ²) ÷ 2 × S.
pub fn kingman_wait(service: f64, load: f64, arrivals: f64, services: f64) -> Option<f64> {
    below_one(load)
        .then(|| load / (1.0 - load) * (arrivals * arrivals + services * services) / 2.0 * service)
}

fn below_one(load: f64) -> bool {
    (0.0..1.0).contains(&load)
}

/// A model's parameters as taken from the measured runs of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Queue {
    /// Service time in milliseconds: the mean E2E of the lowest load, where hardly anything waits.
    pub service: f64,
    /// Mean TTFT of the same load in milliseconds, where it is known.
    pub first: Option<f64>,
    /// Requests per second at which the server is full: the highest throughput of the sweep.
    pub capacity: f64,
    /// Coefficient of variation of service times: of E2E at the lowest load.
    pub services: Result<f64, String>,
    /// Coefficient of variation of the gaps between sends, over all runs of the sweep.
    pub arrivals: Result<f64, String>,
    /// Requests per second of the lowest load.
    pub lowest: f64,
}

/// Runs of a sweep below this share of its capacity can be the lowest load.
const LIGHT: f64 = 0.5;

impl Queue {
    /// Takes the parameters from the runs of one sweep, each with its evaluation.
    ///
    /// # Errors
    /// When the runs lack what the models need; the reason is a clause.
    pub fn of(runs: &[(&Run, &Evaluation)]) -> Result<Self, String> {
        if runs.len() < 2 {
            return Err("a model needs two loads: a low one for the service time, a high one for the capacity".into());
        }
        if runs.iter().any(|(run, _)| is_closed(run)) {
            return Err("the client holds the number in flight, so requests do not arrive at a rate of their own, as these models have it".into());
        }
        let mut served: Vec<(&Run, &Evaluation, f64)> = Vec::with_capacity(runs.len());
        for (run, evaluation) in runs {
            let rate = evaluation.value(Metric::RequestThroughput, Stat::Value).exact_or_reported();
            served.extend(rate.map(|rate| (*run, *evaluation, rate)));
        }
        served.sort_by(|a, b| a.2.total_cmp(&b.2));
        let (Some(low), Some(high)) = (served.first(), served.last()) else {
            return Err("no run says how many requests it served a second".into());
        };
        let capacity = high.2;
        if low.2 > LIGHT * capacity {
            return Err(format!(
                "the lowest load serves {} req/s, more than half of the highest ({}): no run is light enough to take the service time from",
                significant(low.2, 3),
                significant(capacity, 3)
            ));
        }
        let value = |metric, stat| low.1.value(metric, stat).exact_or_reported();
        let service = value(Metric::E2e, Stat::Mean)
            .filter(|s| *s > 0.0)
            .ok_or("the lowest load has no mean E2E to take the service time from")?;
        let services = value(Metric::E2e, Stat::Std)
            .map(|std| std / service)
            .ok_or_else(|| "the lowest load has no spread of E2E".to_owned());
        let arrivals = variation_of_gaps(runs);
        Ok(Self {
            service,
            first: value(Metric::Ttft, Stat::Mean),
            capacity,
            services,
            arrivals,
            lowest: low.2,
        })
    }

    /// Where the numbers that `model` needs come from, as sentences.
    pub fn taken(&self, model: QueueModel) -> Vec<String> {
        let mut taken = vec![
            format!(
                "Service time {} ms: mean E2E of the lowest load, {} req/s.",
                significant(self.service, 3),
                significant(self.lowest, 3)
            ),
            format!(
                "Capacity {} req/s: the highest throughput of the sweep.",
                significant(self.capacity, 3)
            ),
        ];
        if let (QueueModel::Kingman, Ok(arrivals), Ok(services)) =
            (model, &self.arrivals, &self.services)
        {
            taken.push(format!(
                "Variation (standard deviation ÷ mean) of service {}, of E2E at the lowest load; of arrivals {}, \
                 of the gaps between sends.",
                significant(*services, 2),
                significant(*arrivals, 2)
            ));
        }
        taken
    }

    /// What a model says of a metric's statistic at `rate` requests per second, in milliseconds.
    ///
    /// E2E is residence; TTFT is waiting and the TTFT of the lowest load. At the capacity and above it a
    /// queue has no mean.
    ///
    /// # Errors
    /// When the model says nothing of it; the reason is a clause.
    pub fn says(
        &self,
        model: QueueModel,
        metric: Metric,
        stat: Stat,
        rate: f64,
    ) -> Result<f64, String> {
        let load = rate / self.capacity;
        let full = || "at the capacity and above it waiting has no limit".to_owned();
        let base = match metric {
            Metric::E2e => self.service,
            Metric::Ttft => self.first.ok_or("the lowest load has no mean TTFT to start from")?,
            _ => {
                return Err(format!(
                    "the models speak of waiting, which {} leaves out",
                    metric.name()
                ));
            }
        };
        let q = match stat {
            Stat::Median => Some(0.5),
            Stat::Percentile(p) => Some(p / 100.0),
            Stat::Mean => None,
            _ => return Err(format!("the models give means and percentiles, no {}", stat.name())),
        };
        match (model, q) {
            (QueueModel::Kingman, Some(_)) => {
                Err("Kingman’s formula gives the mean only; choose the mean".into())
            }
            (QueueModel::Kingman, None) => {
                let (arrivals, services) = (self.arrivals.clone()?, self.services.clone()?);
                let wait = kingman_wait(self.service, load, arrivals, services).ok_or_else(full)?;
                Ok(base + wait)
            }
            (QueueModel::Mm1, None) => {
                let mean = mm1_mean(self.service, load).ok_or_else(full)?;
                Ok(base + mean - self.service)
            }
            (QueueModel::Mm1, Some(q)) if metric == Metric::E2e => {
                mm1_quantile(self.service, load, q).ok_or_else(full)
            }
            (QueueModel::Mm1, Some(q)) => {
                Ok(base + mm1_wait_quantile(self.service, load, q).ok_or_else(full)?)
            }
        }
    }
}

/// Standard deviation ÷ mean of the gaps between sends, each run's gaps in units of their own mean, so
/// that runs at other rates can be taken together.
fn variation_of_gaps(runs: &[(&Run, &Evaluation)]) -> Result<f64, String> {
    let mut pooled = Vec::new();
    for (run, _) in runs {
        let (Some(requests), Some(_)) = (&run.requests, achieved_rate(run)) else { continue };
        let gaps = gaps(requests);
        if let Some(mean) = mean(&gaps).filter(|mean| *mean > 0.0) {
            pooled.extend(gaps.iter().map(|gap| gap / mean));
        }
    }
    std(&pooled, Spread::Population).ok_or_else(|| {
        "no file holds send times, so the variation of arrivals is not known".to_owned()
    })
}

fn gaps(requests: &Requests) -> Vec<f64> {
    let mut starts: Vec<f64> = requests.start.iter().flatten().map(Seconds::as_secs).collect();
    starts.sort_unstable_by(f64::total_cmp);
    starts.iter().zip(starts.iter().skip(1)).map(|(a, b)| b - a).collect()
}
