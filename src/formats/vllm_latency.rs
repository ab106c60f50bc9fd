//! Results of `vllm bench latency`: the time of whole batches, offline.

use super::error::{ErrorKind, Fault};
use super::json::Value;
use super::record::Record;
use super::vllm_offline::{add, keep_rest, push, read};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Column, EndRule, Metric, Origin, Requests, Run, Stat};
use crate::notice::{Notices, Place, Severity};
use crate::units::Seconds;

/// The vLLM latency benchmark.
pub(super) struct VllmLatency;

static ABOUT: About = About {
    name: "vLLM bench latency",
    file: "`vllm bench latency --output-json`, and `benchmark_latency.py` before it",
    versions: "vLLM 0.3 to 0.33; the file has had the same three keys all along",
    recognised: "`avg_latency`, `latencies` and `percentiles`",
    reads: &["the time of each batch as an end-to-end latency, the printed mean and percentiles"],
    limits: &[
        "one value is one whole batch, not a request: batch size and lengths are in no key",
        "no first token and no gaps",
    ],
}
.lean();

impl Format for VllmLatency {
    fn id(&self) -> &'static str {
        "vllm-latency"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["avg_latency", "latencies"]) {
            return Verdict::Certain("it has avg_latency beside latencies".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        read(input, self.id(), "vLLM latency", out, fill)
    }
}

pub(super) fn fill(run: &mut Run, mut record: Record) -> Result<(), ErrorKind> {
    add(run, &record, "avg_latency", Metric::E2e, Stat::Mean, 1e3)?;
    if let Some(Value::Object(percentiles)) = record.get("percentiles") {
        for (percent, value) in percentiles {
            if let (Ok(percent), Some(value)) = (percent.parse::<f64>(), value.number())
                && (0.0..=100.0).contains(&percent)
            {
                let field = format!("percentiles.{percent}");
                push(run, &field, Metric::E2e, Stat::Percentile(percent), value, 1e3);
            }
        }
    }
    let latencies = record.arrays.latencies.take().unwrap_or_default();
    if !latencies.is_empty() {
        run.provenance.notices.add(
            Severity::Warn,
            "whole-batches",
            Place::JsonPath("latencies".into()),
            "Each latency is of one whole batch, not of a request.",
        );
        let mut requests = Requests::absent(latencies.len());
        requests.end_rule = EndRule::LastToken;
        requests.e2e = Column::from_options(
            Origin::Reported,
            latencies.into_iter().map(|secs| Some(Seconds::from_secs(secs))),
        );
        run.requests = Some(requests);
    }
    keep_rest(run, &record, &["avg_latency", "percentiles"]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    #[test]
    fn a_batch_is_no_request_and_is_said_to_be_none() {
        let text = br#"{"avg_latency": 1.5, "latencies": [1.0, 2.0], "percentiles": {"50": 1.5}}"#;
        let run = read("a.json", text, &mut |_| {}).unwrap().remove(0);
        assert_eq!(run.requests.as_ref().map(Requests::len), Some(2));
        assert_eq!(run.reported.find(Metric::E2e, Stat::Mean).map(|v| v.value), Some(1500.0));
        assert!(run.provenance.notices.iter().any(|n| n.kind == "whole-batches"));
    }

    #[test]
    fn no_batches_leave_the_printed_values() {
        let text = br#"{"avg_latency": 1.5, "latencies": [], "percentiles": {}}"#;
        let run = read("a.json", text, &mut |_| {}).unwrap().remove(0);
        assert!(run.requests.is_none());
    }
}
