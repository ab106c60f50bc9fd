//! Results of `vllm bench serve`, of the script before it, and of clients that keep its file.

use super::documents::Document;
use super::error::{ErrorKind, Fault};
use super::json::Value;
use super::printed::{is_printed, kin, printed};
use super::record::{self, Arrays, Record};
use super::slots::{self, Counts};
use super::vllm_version::{self, Generation, TRTLLM};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{
    FirstTokenRule, Load, Memory, Metric, Origin, Part, Provenance, Ragged, RequestRate, Requests,
    Run, RunId, Stat, TokenSource, Tool, ToolVersion, Workload,
};
use crate::notice::{Notices, Place, Severity};
use crate::units::Tokens;

/// The vLLM serving benchmark and its descendants.
pub(super) struct VllmBench;

static ABOUT: About = About {
    name: "vLLM bench serve",
    file: "`vllm bench serve --save-result` (`--save-detailed` for requests), the script \
           `benchmark_serving.py` before it, `vllm bench sweep serve`, and the clients of InferenceX, \
           TensorRT-LLM and the Rust `vllm-bench`, which keep the file",
    versions: "vLLM 0.3 to 0.33; no file names its version, so it is guessed from the keys",
    recognised: "`duration` and `completed` with `model_id`, `num_prompts` or `tokenizer_id`",
    reads: &[
        "every request: input and output tokens, TTFT, gaps, end-to-end latency (0.27 on), start \
         (0.15 on), wait inside the client (0.27 on), failures by kind",
        "every printed aggregate with any percentile; `request_goodput:` with a colon; InferenceX \
         summaries in seconds",
        "several results in one file: appended lines, and the list in a sweep’s `summary.json`",
        "rate, burstiness, concurrency, model, tokenizer, protocol; swept parameters and user metadata \
         as settings",
    ],
    limits: &[
        "a gap is the time between two stream events, not two tokens",
        "before 0.27 the end-to-end latency of a request is not in the file and follows from TTFT and \
         gaps; for chat it then lacks the delay of the usage chunk, up to 0.6 that of the end marker",
        "the limits behind a printed goodput are in no file",
        "generated texts and error texts are not kept",
    ],
}.lean();

impl Format for VllmBench {
    fn id(&self) -> &'static str {
        "vllm-bench"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(json) = &head.json else { return Verdict::No };
        // SGLang's line has most of these keys too.
        if json.has_all(&["dataset_name", "random_range_ratio"]) {
            return Verdict::No;
        }
        let who = ["model_id", "num_prompts", "tokenizer_id"];
        if json.has_all(&["duration", "completed"]) && json.has_any(&who) {
            return Verdict::Certain(
                "it has duration and completed beside model_id, num_prompts or tokenizer_id".into(),
            );
        }
        // Sorted keys with long texts early, or a Rust multi-turn result.
        let sorted = json.has("completed") && json.has_any(&["backend", "endpoint_type"]);
        if !json.complete && sorted && json.has_any(&["burstiness", "date"]) {
            return Verdict::Likely(
                "it has completed and backend, and goes on beyond 64 KiB".into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let listed = input.text.trim_start().starts_with('[');
        let mut runs = record::runs(input, self.id(), "label", out, run)?;
        if listed {
            runs.iter_mut().for_each(sum_up);
        }
        Ok(runs)
    }
}

/// Only sweeps number their runs, and only their summaries list them: the run itself has a file of its
/// own.
pub(super) fn sum_up(run: &mut Run) {
    if run.workload.settings.iter().any(|(key, _)| key == "run_number") {
        run.provenance.part = Part::Summary;
    }
}

/// One result object as a run.
pub(super) fn run(document: Document<Record>, mut provenance: Provenance) -> Result<Run, Fault> {
    let Document { value: mut record, place } = document;
    for key in ["duration", "completed"] {
        if record.number(key).is_none() {
            return Err(Fault::at(place, ErrorKind::MissingKey { key: key.into() }));
        }
    }
    let out = &mut provenance.notices;
    let counts = Counts { completed: record.count("completed"), failed: record.count("failed") };
    let arrays = take_arrays(&mut record);
    let mut requests = slots::table(arrays, counts, out);
    let generation = vllm_version::generation(&record, requests.as_ref());
    if let Some(requests) = &mut requests {
        if generation.repeats_first {
            drop_repeated_first_gap(requests, record.number("mean_tpot_ms"), out);
        }
        requests.first_token_rule = generation.first_token;
        requests.end_rule = generation.end;
        requests.token_source =
            if lost_count(requests) { TokenSource::Unknown } else { generation.tokens };
        slots::note_empty(requests, out);
        note_early_first_event(requests, out);
    }
    let mut reported = printed(&record, out);
    if generation.swapped {
        unswap(&mut reported.values, requests.as_ref(), out);
    }
    provenance.kin = kin(&reported.values);
    Ok(Run {
        id: RunId::of(&provenance.sha256, provenance.index),
        name: generation.client.to_owned(),
        tool: if generation.client == TRTLLM { Tool::Trtllm } else { Tool::Vllm },
        version: version(&generation),
        scripted: false,
        load: load(&record),
        workload: workload(&record),
        requests,
        group: None,
        said_gpus: None,
        said_mark: None,
        reported,
        provenance,
        memory: Memory::default(),
    })
}

/// The arrays leave the record, their names stay: fingerprints need them.
fn take_arrays(record: &mut Record) -> Arrays {
    std::mem::take(&mut record.arrays)
}

fn version(generation: &Generation) -> ToolVersion {
    let known = generation.versions != "unknown";
    ToolVersion {
        exact: None,
        guess: known.then(|| generation.versions.clone()),
        because: Some(generation.because.clone()),
    }
}

fn load(record: &Record) -> Load {
    let ramp = record.has("ramp_up_strategy");
    let rate = record.get("request_rate").and_then(Value::number);
    let request_rate = match rate {
        // With a ramp the file says "inf", which is not what was offered.
        _ if ramp => None,
        Some(rate) if rate.is_infinite() => Some(RequestRate::Unlimited),
        Some(rate) if rate > 0.0 => Some(RequestRate::PerSecond(rate)),
        _ => None,
    };
    Load {
        request_rate,
        burstiness: record.number("burstiness").filter(|b| b.is_finite()),
        max_concurrency: record.count("max_concurrency").filter(|n| *n > 0),
        requests: record.count("num_prompts"),
        output_tokens: None,
        gpus: None,
    }
}

/// Keys that have a place of their own in the model.
const PLACED: [&str; 9] = [
    "date",
    "backend",
    "endpoint_type",
    "model_id",
    "tokenizer_id",
    "num_prompts",
    "request_rate",
    "max_concurrency",
    "burstiness",
];

fn workload(record: &Record) -> Workload {
    let text = |key| record.text(key).map(str::to_owned);
    let mut settings = Vec::new();
    for (key, value) in &record.values {
        let infinite = key == "burstiness" && value.number().is_some_and(f64::is_infinite);
        let placed = PLACED.contains(&key.as_str()) && !infinite;
        // A real-time factor of zero says that there was no audio.
        let no_audio = key == "rtfx" && value.number() == Some(0.0);
        if placed || no_audio || is_printed(key, value) {
            continue;
        }
        super::add_setting(&mut settings, key, value);
    }
    Workload {
        model: text("model_id"),
        tokenizer: text("tokenizer_id"),
        dataset: None,
        endpoint: vllm_version::endpoint(record).map(str::to_owned),
        backend: text("backend").or_else(|| text("endpoint_type")),
        date: text("date"),
        settings,
    }
}

/// Whether no output token was counted although streams were seen: 0.7 to 0.8.3 counted only what
/// the server reported as usage.
fn lost_count(requests: &Requests) -> bool {
    let counted = (0..requests.len()).filter_map(|at| requests.output_tokens.get(at));
    let streamed = requests.ttft.iter().flatten().any(|t| t.as_secs() > 0.0);
    streamed && counted.map(Tokens::count).all(|n| n <= 0.0)
}

/// A first gap this many times the median of the others says that the first event came too early.
const EARLY: f64 = 3.0;

/// A client that starts from any event may have stopped its first-token clock at one that only says
/// who speaks: the wait for the first token is then in the first gap.
fn note_early_first_event(requests: &Requests, out: &mut Notices) {
    if requests.first_token_rule != FirstTokenRule::FirstEvent {
        return;
    }
    let (mut streams, mut early) = (0_usize, Vec::new());
    for (at, row) in requests.gaps.rows().enumerate() {
        let Some([first, rest @ ..]) = row.filter(|row| row.len() > 3) else { continue };
        streams += 1;
        let mut rest: Vec<f64> = rest.iter().map(|gap| gap.as_secs()).collect();
        rest.sort_by(f64::total_cmp);
        let middle = rest.get(rest.len() / 2).copied().unwrap_or_default();
        if first.as_secs() > EARLY * middle {
            early.push(at);
        }
    }
    if early.len() * 2 < streams {
        return;
    }
    let text = "TTFT may stop at an empty event: the first gap is more than three times the median of \
                the others, as if the wait for the first token were in it. TTFT is then too short, and \
                TPOT and ITL too long.";
    slots::flag(out, Severity::Warn, "early-first-event", &early, text);
}

/// vLLM 0.5.1 to 0.5.4 wrote the time to first token once more as the first gap. Elsewhere a first gap
/// as long as the wait before it is a gap like others: a server that sends every 250 ms makes it.
fn drop_repeated_first_gap(requests: &mut Requests, mean_tpot_ms: Option<f64>, out: &mut Notices) {
    let (mut rows, mut repeated) = (0_u64, 0_u64);
    for at in 0..requests.len() {
        let (Some(ttft), Some([first, ..])) = (requests.ttft.get(at), requests.gaps.row(at)) else {
            continue;
        };
        rows += 1;
        let (ttft, first) = (ttft.as_secs(), first.as_secs());
        repeated += u64::from((first - ttft).abs() <= 1e-4 * ttft);
    }
    if rows == 0 || repeated * 20 < rows * 19 {
        return;
    }
    // No file of these versions holds latencies; the printed TPOT does: (latency − TTFT) ÷ (n − 1). Where
    // all gaps fit into that time, none of them is the wait before the first token.
    if mean_tpot_ms.is_some_and(|printed| gaps_fit(requests, printed)) {
        return;
    }
    let how = "itls without the first value, which repeats ttfts".to_owned();
    let mut gaps = Ragged::new(Origin::Derived { how });
    for row in requests.gaps.rows() {
        gaps.push_row(row.map(|row| row.get(1..).unwrap_or_default()));
    }
    requests.gaps = gaps;
    let text = "The first gap of a request repeats its time to first token (a fault of vLLM 0.5.1 to \
                0.5.4): it was dropped.";
    out.add_many(
        Severity::Warn,
        "repeated-first-gap",
        Place::JsonPath("itls".into()),
        repeated,
        text,
    );
}

/// Whether all gaps of a request together are no longer than the time behind a printed mean TPOT, which
/// ends at the end of the stream and is rounded nowhere.
fn gaps_fit(requests: &Requests, mean_tpot_ms: f64) -> bool {
    let (mut sum, mut count) = (0.0, 0_u32);
    for at in 0..requests.len() {
        let tokens = requests.output_tokens.get(at).map_or(0.0, Tokens::count);
        let Some(row) = requests.gaps.row(at).filter(|_| tokens > 1.0) else { continue };
        sum += row.iter().map(|gap| gap.as_millis()).sum::<f64>() / (tokens - 1.0);
        count += 1;
    }
    count > 0 && sum / f64::from(count) <= mean_tpot_ms * (1.0 + 1e-4)
}

/// vLLM 0.6.0 to 0.6.3 printed the mean end-to-end latency as median, and the other way round: each
/// number keeps its key and is labelled as what it is, unless the arrays say that it was right.
fn unswap(
    values: &mut [crate::model::ReportedValue],
    requests: Option<&Requests>,
    out: &mut Notices,
) {
    let find =
        |stat| values.iter().find(|v| v.metric == Metric::E2e && v.stat == stat).map(|v| v.value);
    let (Some(mean), Some(median)) = (find(Stat::Mean), find(Stat::Median)) else { return };
    if let Some((true_mean, true_median)) = requests.and_then(rebuilt_latency) {
        let as_printed = (mean - true_mean).abs() + (median - true_median).abs();
        let swapped = (median - true_mean).abs() + (mean - true_median).abs();
        if as_printed <= swapped {
            return;
        }
    }
    for value in values.iter_mut().filter(|v| v.metric == Metric::E2e) {
        value.stat = match value.stat {
            Stat::Mean => Stat::Median,
            Stat::Median => Stat::Mean,
            other => other,
        };
    }
    let text = "vLLM 0.6.0 to 0.6.3 swapped the mean and the median of the end-to-end latency: \
                mean_e2el_ms is read as the median and median_e2el_ms as the mean.";
    out.add(Severity::Warn, "swapped-e2el", Place::JsonPath("mean_e2el_ms".into()), text);
}

/// Mean and median in milliseconds of time to first token plus gaps.
fn rebuilt_latency(requests: &Requests) -> Option<(f64, f64)> {
    let mut all: Vec<f64> = (0..requests.len())
        .filter_map(|at| {
            let gaps = requests.gaps.row(at)?.iter().map(|gap| gap.as_millis()).sum::<f64>();
            Some(requests.ttft.get(at)?.as_millis() + gaps)
        })
        .collect();
    all.sort_by(f64::total_cmp);
    let middle = *all.get(all.len() / 2)?;
    Some((all.iter().sum::<f64>() / all.len() as f64, middle))
}
