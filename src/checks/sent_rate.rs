//! The client did not send what was asked of it.

use super::words::percent;
use super::{About, Check, Finding, Subject};
use crate::metrics::{Value, falls_short};
use crate::model::{Metric, RequestRate, Stat};
use crate::notice::Severity;
use crate::units::significant;

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
        if !falls_short(n, span, asked, load.burstiness) {
            return Ok(None);
        }
        let sent = (n - 1.0) / span;
        let cap = load.max_concurrency.map_or_else(String::new, |cap| {
            format!(" A cap of {cap} in flight turns the rate into a closed loop.")
        });
        let text = format!(
            "Client limited: {} req/s were sent where {} were asked for, {} below the request.{cap}",
            significant(sent, 3),
            significant(asked, 3),
            percent(1.0 - sent / asked)
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
