//! What would have recorded it: the flag of the tool that writes what a file lacks.
//!
//! Flags are those of the command lines in `tests/fixtures/SOURCE.md` and of the tools' own help.

use super::settings::{Settings, TokenCount};
use crate::model::{FirstTokenRule, Level, Metric, Part, Run, TokenSource, Tool};

/// What a file can lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lack {
    /// One row a request.
    Requests,
    /// The times of stream events.
    Gaps,
    /// Send times.
    Start,
    /// When the first token that is not reasoning came.
    FirstAnswer,
    /// The wait inside the client.
    QueueWait,
    /// The server's count of output tokens.
    ServerTokens,
    /// The length of the run.
    Duration,
    /// Readings of the accelerators.
    Accelerators,
}

/// How `metric` of `run` could have been had under `settings`: what to do, as a sentence. `None` where
/// nothing is known that would help.
pub fn hint(run: &Run, metric: Metric, settings: &Settings) -> Option<&'static str> {
    let lack = lacking(run, metric, settings)?;
    if run.provenance.level < Level::Events && matches!(lack, Lack::Requests | Lack::Gaps) {
        return Some(LEFT_OUT);
    }
    remedy(run, lack)
}

/// Of a run that was saved with less than its file held.
const LEFT_OUT: &str =
    "Drop the file that the run was read from, or a session that was saved with event times.";

/// What of a run's file is missing for a metric, the first thing first.
fn lacking(run: &Run, metric: Metric, settings: &Settings) -> Option<Lack> {
    if matches!(metric, Metric::AcceleratorPower | Metric::Energy) {
        return Some(Lack::Accelerators);
    }
    let Some(requests) = &run.requests else { return Some(Lack::Requests) };
    let counts = settings.token_count == TokenCount::Server
        && requests.token_source != TokenSource::Server
        && matches!(metric, Metric::Tpot | Metric::OutputTokens | Metric::OutputThroughput);
    match metric {
        Metric::Itl | Metric::ChunkGap | Metric::PeakOutputRate if requests.gaps.is_absent() => {
            Some(Lack::Gaps)
        }
        Metric::QueueWait if requests.queue_wait.is_absent() => Some(Lack::QueueWait),
        Metric::FirstAnswer
            if requests.first_answer.is_absent()
                && requests.first_token_rule != FirstTokenRule::FirstAnswer =>
        {
            Some(Lack::FirstAnswer)
        }
        Metric::PeakConcurrency | Metric::PeakOutputRate if requests.start.is_absent() => {
            Some(Lack::Start)
        }
        Metric::Duration
        | Metric::RequestThroughput
        | Metric::OutputThroughput
        | Metric::InputThroughput
        | Metric::TotalThroughput
        | Metric::MeanConcurrency
        | Metric::Goodput
            if run.reported.value(Metric::Duration).is_none() =>
        {
            Some(if requests.start.is_absent() { Lack::Start } else { Lack::Duration })
        }
        _ if counts => Some(Lack::ServerTokens),
        _ => None,
    }
}

/// What to do about it with the tool that wrote the file.
fn remedy(run: &Run, lack: Lack) -> Option<&'static str> {
    Some(match (run.tool, lack) {
        (Tool::Vllm, Lack::Requests | Lack::Gaps) if is_serving(run) => {
            "Run vllm bench serve with --save-result --save-detailed: then the file holds every request and its gaps."
        }
        (Tool::Vllm, Lack::Start | Lack::QueueWait) => {
            "A newer vllm bench serve writes it with --save-result --save-detailed: start_times, and from 0.33 queue_times."
        }
        (Tool::Sglang, Lack::Requests | Lack::Gaps) => {
            "Run sglang.bench_serving with --output-file FILE --output-details: then each line holds every request and its gaps."
        }
        (Tool::Inferencex, Lack::Requests) => {
            "Drop the raw result files of the same run: the aggregated list is made of them."
        }
        (Tool::Trtllm, Lack::Requests) if run.is_offline() => {
            "Run trtllm-bench with --streaming --request_json FILE, and drop that file as well."
        }
        (Tool::Aiperf, Lack::Requests) => {
            "Drop profile_export.jsonl from the same folder: AIPerf writes every request there (--export-level records)."
        }
        (Tool::Aiperf, Lack::Gaps | Lack::FirstAnswer) => {
            "Run AIPerf with --streaming --export-level raw and drop profile_export_raw.jsonl: it holds every stream event."
        }
        (Tool::Aiperf, Lack::Duration) => {
            "Drop profile_export_aiperf.json from the same folder: only the summary tells by what AIPerf divides."
        }
        (Tool::Aiperf, Lack::ServerTokens) => {
            "Run AIPerf with --use-server-token-count to have the server’s count."
        }
        (Tool::Aiperf, Lack::Accelerators) => {
            "Leave out --no-gpu-telemetry and drop gpu_telemetry_export.jsonl: AIPerf reads the accelerators’ own metrics."
        }
        (Tool::GenaiPerf, Lack::Requests) => {
            "Drop profile_export.json from the same folder: it holds every request."
        }
        (Tool::LlamaBench, Lack::Requests) => {
            "Run llama-bench with -o jsonl: then the file holds the time of every repetition."
        }
        (Tool::Guidellm, Lack::Requests) => {
            "Write the report as JSON (--output kind=json, before 0.8 --output-path FILE.json) without sampling its requests away."
        }
        (Tool::Llmperf, Lack::Requests) => {
            "Drop the file that ends in _individual_responses.json: LLMPerf writes every request there."
        }
        (Tool::InferencePerf, Lack::Requests | Lack::Gaps) => {
            "Set report.request_lifecycle.per_request: true in the configuration and drop per_request_lifecycle_metrics.json."
        }
        (Tool::LlmD, Lack::Requests) => {
            "Drop the result file of the tool that the report was made from: the report keeps its totals only."
        }
        (Tool::Csv, Lack::Start) => {
            "Add a column with the time of each send, such as start_s: then rates and requests in flight can be had."
        }
        (Tool::Csv, Lack::Requests) => {
            "Add one row a request: request_id, prompt_tokens, completion_tokens, ttft_ms, e2e_ms."
        }
        _ => return None,
    })
}

/// What to write at the command line, or into the configuration, of the tool that wrote the file so that it
/// records every request; nothing where that takes more than a flag.
pub fn recording(run: &Run) -> Option<&'static str> {
    Some(match run.tool {
        Tool::Vllm if is_serving(run) => "--save-result --save-detailed",
        Tool::Sglang => "--output-file results.jsonl --output-details",
        Tool::Aiperf => "--export-level records",
        Tool::Guidellm => "--output-path results.json",
        Tool::InferencePerf => "report:\n  request_lifecycle:\n    per_request: true",
        Tool::Trtllm if run.is_offline() => "--streaming --request_json requests.json",
        Tool::LlamaBench => "-o jsonl",
        _ => return None,
    })
}

/// Whether a vLLM result is of its serving benchmark and not of an offline one.
fn is_serving(run: &Run) -> bool {
    run.workload.endpoint.as_deref() != Some("offline") && run.provenance.part == Part::Whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::COMMON;
    use crate::model::{Digest, Provenance};

    fn run(tool: Tool) -> Run {
        let provenance = Provenance::new("a/run.json", 1, Digest::of(b"a"), "made", "");
        Run::new(tool, "a run", provenance)
    }

    #[test]
    fn a_file_of_totals_is_told_the_flag_that_records_requests() {
        for (tool, flag) in [
            (Tool::Vllm, "--save-detailed"),
            (Tool::Sglang, "--output-details"),
            (Tool::Aiperf, "profile_export.jsonl"),
            (Tool::InferencePerf, "per_request: true"),
        ] {
            let hint = hint(&run(tool), Metric::Ttft, &COMMON.settings);
            assert!(hint.is_some_and(|h| h.contains(flag)), "{tool:?}: {hint:?}");
        }
    }

    #[test]
    fn the_flag_to_be_copied_is_the_one_that_is_advised() {
        for tool in [Tool::Vllm, Tool::Sglang, Tool::Aiperf, Tool::LlamaBench] {
            let run = run(tool);
            let advised = hint(&run, Metric::Ttft, &COMMON.settings).unwrap();
            let flag = recording(&run).unwrap().split(' ').next().unwrap();
            assert!(advised.contains(flag), "{tool:?}: {flag} is not in “{advised}”");
        }
        assert_eq!(recording(&run(Tool::Mlperf)), None);
    }

    #[test]
    fn what_no_flag_records_has_no_hint() {
        let mut offline = run(Tool::Vllm);
        offline.workload.endpoint = Some("offline".into());
        assert_eq!(hint(&offline, Metric::Ttft, &COMMON.settings), None);
        assert_eq!(hint(&run(Tool::Mlperf), Metric::Ttft, &COMMON.settings), None);
    }
}
