//! The client did not send what was asked of it.

use super::words::percent;
use super::{About, Check, Finding, Subject};
use crate::metrics::Value;
use crate::model::{Metric, RequestRate, Stat};
use crate::notice::Severity;
use crate::units::significant;

/// From this share of the requested rate on the request was met.
const MET: f64 = 0.95;
/// How many standard deviations of a Poisson count lie between chance and a limit of the client (99 %).
const DEVIATIONS: f64 = 2.58;

/// Sent rate below 95 % of the requested rate.
pub(super) struct SentRate;

impl Check for SentRate {
    fn about(&self) -> About {
        About {
            id: "client-limited",
            name: "Client sent too slowly",
            passes: "the sent rate is at least 95 % of the requested one",
            rule: "n − 1 sends over the time from the first to the last are below 95 % of the requested \
                   rate, and by more than 2.58 standard deviations of random arrivals",
            source: "kubernetes-sigs/inference-perf PR 232 and PR 741",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let load = &subject.run.load;
        let Some(RequestRate::PerSecond(asked)) = load.request_rate else {
            return Err("no finite rate was asked for".into());
        };
        let (n, span) = sending(subject)?;
        let sent = (n - 1.0) / span;
        let ratio = sent / asked;
        // Gamma arrivals of shape b vary by 1 ÷ √b a gap; where it is not said they are taken as Poisson.
        let variation = 1.0 / load.burstiness.filter(|b| *b > 0.0).unwrap_or(1.0).sqrt();
        let chance = DEVIATIONS * variation / (n - 1.0).sqrt();
        if ratio >= MET || 1.0 - ratio <= chance {
            return Ok(None);
        }
        let cap = load.max_concurrency.map_or_else(String::new, |cap| {
            format!(" A cap of {cap} in flight turns the rate into a closed loop.")
        });
        let text = format!(
            "Client limited: {} req/s were sent where {} were asked for, {} below the request.{cap}",
            significant(sent, 3),
            significant(asked, 3),
            percent(1.0 - ratio)
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .touches(&[Metric::RequestThroughput, Metric::Ttft, Metric::E2e])
                .figure(
                    Metric::RequestThroughput,
                    Stat::Value,
                    Value::Exact(asked),
                    Value::Exact(sent),
                )
                .say("Compare at the rate that was sent, not the one asked for."),
        ))
    }
}

/// Number of sends and the time from the first to the last.
///
/// # Errors
/// When there are fewer than two send times; the reason is a clause.
pub(super) fn sending(subject: &Subject<'_>) -> Result<(f64, f64), String> {
    let table = subject.requests()?;
    let starts = (0..table.0.len()).filter_map(|at| table.start(at));
    let (n, from, to) = starts.fold((0_u32, f64::INFINITY, f64::NEG_INFINITY), |(n, a, b), t| {
        (n + 1, a.min(t), b.max(t))
    });
    if n < 2 || to <= from {
        return Err("the file holds no send times".into());
    }
    Ok((f64::from(n), to - from))
}
