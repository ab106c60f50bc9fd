//! Results of `vllm bench throughput`: totals of an offline run.

use super::error::{ErrorKind, Fault};
use super::record::Record;
use super::vllm_offline::{add, keep_rest, read};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Metric, Run, Stat};
use crate::notice::Notices;

/// The vLLM throughput benchmark.
pub(super) struct VllmThroughput;

static ABOUT: About = About {
    name: "vLLM bench throughput",
    file: "`vllm bench throughput --output-json`, and `benchmark_throughput.py` before it",
    versions: "vLLM 0.3 to 0.33, and ROCm’s copies with keys of their own",
    recognised: "`elapsed_time`, `num_requests` and `requests_per_second`",
    reads: &["requests and tokens per second, time, number of requests"],
    limits: &[
        "tokens per second count prompt and output together; the file does not part them",
        "no latencies",
    ],
}
.lean();

/// Key, metric and factor to the metric's unit.
const KEYS: [(&str, Metric); 4] = [
    ("elapsed_time", Metric::Duration),
    ("num_requests", Metric::Completed),
    ("requests_per_second", Metric::RequestThroughput),
    ("tokens_per_second", Metric::TotalThroughput),
];

impl Format for VllmThroughput {
    fn id(&self) -> &'static str {
        "vllm-throughput"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["elapsed_time", "num_requests", "requests_per_second"]) {
            return Verdict::Certain("it has elapsed_time beside requests_per_second".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        read(input, self.id(), "vLLM throughput", out, fill)
    }
}

pub(super) fn fill(run: &mut Run, record: Record) -> Result<(), ErrorKind> {
    for (key, metric) in KEYS {
        add(run, &record, key, metric, Stat::Value, 1.0)?;
    }
    run.load.requests = record.count("num_requests");
    keep_rest(run, &record, &KEYS.map(|(key, _)| key));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    #[test]
    fn tokens_per_second_are_prompt_and_output_together() {
        let text = br#"{"elapsed_time": 2.0, "num_requests": 8, "total_num_tokens": 100,
            "requests_per_second": 4.0, "tokens_per_second": 50.0, "ouput": 3}"#;
        let run = read("a.json", text, &mut |_| {}).unwrap().remove(0);
        assert_eq!(run.reported.value(Metric::TotalThroughput), Some(50.0));
        assert_eq!(run.reported.value(Metric::OutputThroughput), None);
        assert!(run.workload.settings.iter().any(|(name, _)| name == "ouput"));
    }
}
