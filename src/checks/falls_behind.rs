//! The server did not serve what was sent.

use super::sent_rate::sending;
use super::subject::median;
use super::words::percent;
use super::{About, Check, Finding, Subject};
use crate::model::{Metric, RequestRate};
use crate::notice::Severity;
use crate::units::significant;

/// From this share of the sent rate on the load was served: the drain of a short run costs 5 to 8 %.
const SERVED: f64 = 0.9;
/// Fewer requests show no rate.
const FEWEST: f64 = 20.0;

/// Served < 90 % of what was sent, the time of one request for the drain allowed.
pub(super) struct FallsBehind;

impl Check for FallsBehind {
    fn about(&self) -> About {
        About {
            id: "falls-behind",
            name: "Server falls behind",
            passes: "at least 90 % of the sent rate is served",
            rule: "of 20 requests or more sent at a rate, those that finished by the time of one early \
                   request after the last send are fewer than 90 %",
            source: "definitions: saturation; kubernetes-sigs/inference-perf: achieved rate",
            covers: &[],
            blocks: false,
        }
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let table = subject.requests()?;
        match subject.run.load.request_rate {
            Some(RequestRate::PerSecond(_)) if subject.run.load.max_concurrency.is_none() => {}
            _ => return Err("the load was not a rate without a cap".into()),
        }
        let (n, span) = sending(subject)?;
        if n < FEWEST {
            return Err("there are too few requests to see a rate".into());
        }
        let mut order: Vec<(f64, f64)> =
            table.finished().filter_map(|at| Some((table.start(at)?, table.end(at)?))).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some((first, _)) = order.first().copied() else {
            return Err("no request has both a start and an end".into());
        };
        // What a request takes before a queue has built up: the first fifth.
        let early =
            order.iter().take((order.len() / 5).max(1)).map(|(_, length)| *length).collect();
        let alone = median(early).unwrap_or_default();
        let until = first + span + alone;
        let done = order.iter().filter(|(start, length)| start + length <= until).count() as f64;
        let finished = order.len() as f64;
        if done >= SERVED * finished {
            return Ok(None);
        }
        let text = format!(
            "{} req/s were sent, and {} of the requests were not served {} s after the last: the server falls \
             behind at this load, and latencies grow with the length of the run.",
            significant((n - 1.0) / span, 3),
            percent(1.0 - done / finished),
            significant(alone, 2)
        );
        Ok(Some(Finding::new(Severity::Note, text).touches(&[
            Metric::Ttft,
            Metric::E2e,
            Metric::RequestThroughput,
        ])))
    }
}
