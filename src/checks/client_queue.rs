//! Requests waited inside the client before the clock started.

use super::subject::mean;
use super::words::{millis, percent};
use super::{About, Check, Finding, Subject};
use crate::metrics::settings::ClockStart;
use crate::model::{Metric, RequestRate};
use crate::notice::Severity;
use crate::units::Seconds;

/// From this share of the mean latency on the wait is no noise of the client.
const SOME: f64 = 0.05;

/// A rate under a cap, or a slow client: latencies leave the wait out.
pub(super) struct ClientQueue;

impl Check for ClientQueue {
    fn about(&self) -> About {
        About {
            id: "client-queue",
            name: "Waits in the client are not in the latency",
            passes: "hardly any request waited inside the client",
            rule: "the mean wait inside the client is at least 5 % of the mean latency, and the tool’s clock \
                   starts after it; or a wait is longer than the run",
            source: "vllm-project/vllm issue 54101",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        let requests = table.0;
        if requests.queue_wait.is_absent() {
            return Err("the file does not hold the wait inside the client".into());
        }
        if subject.own.clock_start != ClockStart::Send {
            return Ok(None);
        }
        // With everything due at once the wait is how a number in flight is kept, and no delay.
        if matches!(subject.run.load.request_rate, Some(RequestRate::Unlimited)) {
            return Err("all requests were due at once".into());
        }
        let waits = || {
            let of = |at: usize| requests.queue_wait.get(at).map(Seconds::as_secs);
            table.finished().filter_map(of)
        };
        let wait = mean(waits()).ok_or("no request has a wait")?;
        if let Some((from, to)) = table.span() {
            let of = |at: &usize| requests.queue_wait.get(*at).map(Seconds::as_secs);
            let rows: Vec<usize> =
                table.finished().filter(|at| of(at).is_some_and(|w| w > to - from)).collect();
            if !rows.is_empty() {
                let all = waits().count();
                let text = format!(
                    "{} of {all} waits inside the client {} longer than the whole run: readings of a clock \
                     and no waits, as if due times came from another clock.",
                    rows.len(),
                    if rows.len() == 1 { "is" } else { "are" }
                );
                return Ok(Some(
                    Finding::new(Severity::Warn, text)
                        .rows(rows, all)
                        .touches(&[Metric::QueueWait]),
                ));
            }
        }
        let latency = mean(table.finished().filter_map(|at| table.end(at)));
        let latency = latency.ok_or("the file holds no latency of each request")?;
        if wait < SOME * latency {
            return Ok(None);
        }
        let badge = match subject.run.load.max_concurrency {
            Some(cap) => format!(" The cap of {cap} in flight makes the load a closed loop."),
            None => String::new(),
        };
        let text = format!(
            "Requests waited {} inside the client on average (at most {}), {} of their mean latency of {}, \
             which leaves that out.{badge}",
            millis(wait),
            millis(waits().fold(0.0, f64::max)),
            percent(wait / latency),
            millis(latency)
        );
        Ok(Some(
            Finding::new(Severity::Warn, text)
                .touches(&[Metric::E2e, Metric::Ttft])
                .set("clock-start", "scheduled"),
        ))
    }
}
