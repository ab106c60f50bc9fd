//! A zero where nothing was measured.

use super::words::{counted, millis, percent};
use super::{About, Advice, Check, Finding, Subject};
use crate::metrics::settings::EmptyOutputs;
use crate::model::{Metric, Outcome, Requests};
use crate::notice::Severity;
use crate::units::Seconds;

/// From this share of the finished requests on it blocks: it then moves a mean by as much.
const BLOCKING: f64 = 0.01;

/// Finished requests without a token, which some clients write as TTFT 0 and count as successes.
pub(super) struct MissingAsZero;

impl Check for MissingAsZero {
    fn about(&self) -> About {
        About {
            id: "missing-as-zero",
            name: "Missing written as zero",
            passes: "no zero stands for a missing value",
            rule: "a request finished without an error and without a token; it blocks from 1 % of the \
                   finished requests on",
            source: "vllm-project/vllm PR 5895; vllm-project/vllm-omni issue 6693",
            covers: &["empty-replies", "zero-for-missing", "booked-length"],
            blocks: true,
        }
    }

    fn taken_out(&self) -> &'static [&'static str] {
        &["no-time", "zero-mean", "zero-for-missing"]
    }

    fn find(&self, subject: &Subject<'_>) -> Result<Option<Finding>, String> {
        let requests = subject.requests()?.0;
        let rows: Vec<usize> =
            (0..requests.len()).filter(|at| requests.is_empty_reply(*at)).collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let share = rows.len() as f64 / requests.count(Outcome::Ok).max(1) as f64;
        let severity = if share >= BLOCKING { Severity::Block } else { Severity::Warn };
        let replies = counted(rows.len(), "reply ended", "replies ended");
        let text = match subject.own.empty_outputs {
            EmptyOutputs::AsSuccess => format!(
                "{replies} without an error and without a token ({} of those that finished): the tool \
                 counts a success {}.",
                percent(share),
                booked(requests, &rows)
            ),
            EmptyOutputs::CountOnly => format!(
                "{replies} without an error and without a token ({} of those that finished): the tool \
                 counts a success in its request throughput.",
                percent(share)
            ),
            EmptyOutputs::Exclude => format!(
                "{replies} without an error and without a token ({} of those that finished): no \
                 latency holds them, but nothing was served.",
                percent(share)
            ),
        };
        Ok(Some(
            Finding::new(severity, text)
                .rows(rows, requests.len())
                .touches(&[
                    Metric::Ttft,
                    Metric::E2e,
                    Metric::Tpot,
                    Metric::RequestThroughput,
                    Metric::OutputThroughput,
                ])
                .advise(Advice::Exclude),
        ))
    }
}

/// With what times these replies are booked: clients that write no TTFT can have timed the whole reply.
fn booked(requests: &Requests, rows: &[usize]) -> String {
    let times = rows.iter().filter_map(|at| requests.e2e.get(*at)).map(Seconds::as_secs);
    let (least, most) = times
        .filter(|time| *time > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), time| (least.min(time), most.max(time)));
    if most <= 0.0 {
        return "with zeros for its times".into();
    }
    let latency = match (millis(least), millis(most)) {
        (least, most) if least == most => format!("a latency of {most}"),
        (least, most) => format!("latencies of {least} to {most}"),
    };
    let zero = |at: &usize| requests.ttft.get(*at).is_some_and(|ttft| ttft.as_secs() <= 0.0);
    if rows.iter().any(zero) {
        format!("with {latency}, and with 0 for the TTFT")
    } else {
        format!("with {latency}, and without a TTFT")
    }
}
