//! Presets: the ruler each tool used, as data.

use super::settings::{
    ClockStart, DecodeEnd, Duration, EmptyOutputs, End, FirstToken, GoodputMissing, GoodputRule,
    GoodputUnit, Itl, Percentile, Population, Settings, ShortOutputs, Spread, TokenCount, Tpot,
    UserSpeed, Weighting, Window, WindowEdge,
};
use crate::model::{EndRule, FirstTokenRule, Metric, Requests, Run, Stat, TokenSource, Tool};

/// A named definition set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Stable id.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The set.
    pub settings: Settings,
    /// Where it was read.
    pub source: &'static str,
    /// What to know before using it.
    pub note: &'static str,
    /// The versions of the tool that it describes.
    pub versions: &'static str,
}

/// The common ruler: what every file of requests can be measured with.
pub static COMMON: Preset = Preset {
    id: "common",
    name: "Common ruler",
    settings: Settings {
        clock_start: ClockStart::Send,
        first_token: FirstToken::FirstEvent,
        end: End::LastToken,
        decode_end: DecodeEnd::RequestEnd,
        token_count: TokenCount::AsRecorded,
        tpot: Tpot::AfterFirst,
        itl: Itl::EventGap,
        short_outputs: ShortOutputs::Exclude,
        empty_outputs: EmptyOutputs::Exclude,
        population: Population::Ok,
        weighting: Weighting::PerRequest,
        percentile: Percentile::Linear,
        spread: Spread::Population,
        window: Window::Whole,
        window_edge: WindowEdge::ByStart,
        duration: Duration::AsReported,
        user_speed: UserSpeed::Decode,
        goodput_rule: GoodputRule::AndInclusive,
        goodput_missing: GoodputMissing::NotApplicable,
        goodput_unit: GoodputUnit::RequestsPerSecond,
    },
    source: "Same Ruler itself",
    note: "First token and token count are as each client recorded them; a run says who counted.",
    versions: "",
};

/// The ruler of vLLM's serving benchmark.
pub static VLLM: Preset = Preset {
    id: "vllm",
    name: "vLLM",
    settings: Settings {
        token_count: TokenCount::Server,
        empty_outputs: EmptyOutputs::AsSuccess,
        goodput_missing: GoodputMissing::Passes,
        ..COMMON.settings
    },
    source: "vllm/benchmarks/serve.py and lib/endpoint_request_func.py",
    note: "The first event may carry no text. The end is the last token; 0.7 to 0.26 chat stops at the last message, and 0.6 and older at the end of the stream: a run’s own ruler knows.",
    versions: "0.4.0 to 0.33",
};

/// The ruler of SGLang's serving benchmark.
pub static SGLANG: Preset = Preset {
    id: "sglang",
    name: "SGLang",
    settings: Settings {
        first_token: FirstToken::FirstText,
        end: End::StreamEnd,
        itl: Itl::TokenSpread,
        ..VLLM.settings
    },
    source: "python/sglang/bench_serving.py",
    note: "ITL is spread over tokens on the native endpoint only; OpenAI style endpoints book one gap an event: a run’s own ruler knows.",
    versions: "0.4.3.post3 to 0.5.23",
};

/// The ruler of NVIDIA's AIPerf.
pub static AIPERF: Preset = Preset {
    id: "aiperf",
    name: "AIPerf",
    settings: Settings {
        first_token: FirstToken::FirstText,
        itl: Itl::RequestMean,
        goodput_missing: GoodputMissing::Fails,
        ..COMMON.settings
    },
    source: "aiperf/metrics/types in ai-dynamo/aiperf",
    note: "What it calls ITL is a mean of each request, others’ TPOT; its ICL is the gap between chunks. Rates are divided by the phase window of the summary, which ends a moment after the last reply.",
    versions: "0.1 to 0.13",
};

/// The ruler of NVIDIA's GenAI-Perf.
pub static GENAI_PERF: Preset = Preset {
    id: "genai-perf",
    name: "GenAI-Perf",
    settings: Settings {
        first_token: FirstToken::FirstAnswer,
        duration: Duration::FirstSendToLastToken,
        ..AIPERF.settings
    },
    source: "genai_perf/metrics and profile_data_parser in triton-inference-server/perf_analyzer",
    note: "Reasoning text does not count as a token’s arrival. Replies without answer text are left out of everything but request throughput.",
    versions: "0.0.8 to 0.0.16",
};

/// The ruler of GuideLLM.
pub static GUIDELLM: Preset = Preset {
    id: "guidellm",
    name: "GuideLLM",
    settings: Settings {
        first_token: FirstToken::FirstText,
        end: End::StreamEnd,
        decode_end: DecodeEnd::LastToken,
        token_count: TokenCount::Server,
        tpot: Tpot::WholeOverN,
        itl: Itl::RequestMean,
        weighting: Weighting::PerToken,
        percentile: Percentile::WeightedStep,
        ..COMMON.settings
    },
    source: "guidellm/benchmark and guidellm/utils/statistics in vllm-project/guidellm",
    note: "Its TPOT includes the wait for the first token from 0.4 on; its ITL is others’ TPOT, weighted by tokens. 0.2 and 0.3 divide the time after the first token by all tokens, and 0.7 on counts reasoning as a first token: a run’s own ruler knows. Its goodput takes its ITL for TPOT.",
    versions: "0.4 to 0.8; before, a run’s own ruler knows",
};

/// The ruler of Ray's LLMPerf.
pub static LLMPERF: Preset = Preset {
    id: "llmperf",
    name: "LLMPerf",
    settings: Settings {
        first_token: FirstToken::FirstAnswer,
        end: End::StreamEnd,
        itl: Itl::AsRecorded,
        spread: Spread::Sample,
        user_speed: UserSpeed::Whole,
        ..COMMON.settings
    },
    source: "token_benchmark_ray.py and src/llmperf in ray-project/llmperf",
    note: "What it calls ITL includes the wait for the first token, about E ÷ n. Its token count holds one begin token too many.",
    versions: "v2.0 to December 2024",
};

/// The ruler of Kubernetes inference-perf.
pub static INFERENCE_PERF: Preset = Preset {
    id: "inference-perf",
    name: "inference-perf",
    settings: Settings {
        first_token: FirstToken::FirstText,
        end: End::StreamEnd,
        decode_end: DecodeEnd::LastToken,
        itl: Itl::TokenZeros,
        short_outputs: ShortOutputs::ExcludeTtft,
        duration: Duration::FirstSendToLastEnd,
        goodput_missing: GoodputMissing::Fails,
        goodput_unit: GoodputUnit::ShareOfFinished,
        ..COMMON.settings
    },
    source: "inference_perf/reportgen in kubernetes-sigs/inference-perf",
    note: "Every token of a chunk has the chunk’s time, so gaps inside one are 0 and the median ITL can be 0. The end is read after the client has tokenized the reply.",
    versions: "0.5 on; before, one stamp a message or line: a run’s own ruler knows",
};

/// The ruler of trtllm-bench.
pub static TRTLLM_BENCH: Preset = Preset {
    id: "trtllm-bench",
    name: "trtllm-bench",
    settings: Settings {
        short_outputs: ShortOutputs::Zero,
        percentile: Percentile::FloorIndex,
        duration: Duration::FirstSendToLastToken,
        ..COMMON.settings
    },
    source: "tensorrt_llm/bench/dataclasses in NVIDIA/TensorRT-LLM",
    note: "Replies of one token enter TPOT as 0; a percentile is a value that was measured.",
    versions: "0.20 to 1.2",
};

/// The ruler of MLPerf's LoadGen.
pub static MLPERF: Preset = Preset {
    id: "mlperf",
    name: "MLPerf LoadGen",
    settings: Settings {
        clock_start: ClockStart::Scheduled,
        percentile: Percentile::FloorIndex,
        ..COMMON.settings
    },
    source: "loadgen/results.cc in mlcommons/inference",
    note: "The clock starts when a query was due, so waiting inside the client counts.",
    versions: "LoadGen 6.0, results v5.1",
};

/// The ruler of Vidur and Sarathi-Serve.
pub static VIDUR: Preset = Preset {
    id: "vidur",
    name: "Vidur and Sarathi",
    settings: Settings { tpot: Tpot::AfterFirstOverN, ..COMMON.settings },
    source: "vidur/metrics and sarathi/metrics in microsoft/vidur and microsoft/sarathi-serve",
    note: "Times start at arrival, waiting in the queue included; decode time is divided by all tokens.",
    versions: "all read",
};

/// All presets, the default first.
pub static PRESETS: &[&Preset] = &[
    &COMMON,
    &VLLM,
    &SGLANG,
    &AIPERF,
    &GENAI_PERF,
    &GUIDELLM,
    &LLMPERF,
    &INFERENCE_PERF,
    &TRTLLM_BENCH,
    &MLPERF,
    &VIDUR,
];

impl Preset {
    /// The preset with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        PRESETS.iter().copied().find(|p| p.id == id)
    }

    /// The preset that has exactly these settings.
    pub fn named(settings: &Settings) -> Option<&'static Self> {
        PRESETS.iter().copied().find(|p| p.settings == *settings)
    }
}

/// The ruler under which a run was printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Own {
    /// The preset of the tool that wrote it.
    pub preset: &'static Preset,
    /// The preset with what the file says about this very run.
    pub settings: Settings,
}

/// The ruler under which `run` was printed: its tool's preset, made exact by what the file records.
///
/// Empty replies enter as successes only where the file has some; without any the choice changes
/// nothing, and the run then shares the common ruler's.
pub fn own(run: &Run) -> Own {
    let preset = preset_of(run);
    let mut settings = preset.settings;
    settings.empty_outputs = EmptyOutputs::Exclude;
    if run.tool == Tool::Sglang && !spreads_gaps(run) {
        settings.itl = Itl::EventGap;
    }
    match run.tool {
        Tool::Guidellm => guidellm(guidellm_minor(run), &mut settings),
        // Its serving client prints n ÷ E; trtllm-bench does without a stream.
        Tool::Trtllm
            if !run.is_offline() || run.reported.find(Metric::Ttft, Stat::Mean).is_none() =>
        {
            settings.user_speed = UserSpeed::Whole;
        }
        // `tools/llama-bench`: tokens over the time of a repetition, spread over n − 1.
        Tool::LlamaBench => {
            settings.user_speed = UserSpeed::Whole;
            settings.spread = Spread::Sample;
        }
        // `predicted_per_token_ms` divides the time after the first token by all tokens.
        Tool::LlamaServer => {
            settings.tpot = Tpot::AfterFirstOverN;
            settings.itl = Itl::AsRecorded;
        }
        // "Interactivity" is one over the TPOT statistic of the same name.
        Tool::Inferencex => settings.user_speed = UserSpeed::ReciprocalOfTpot,
        // `fmperf/utils/Parsing.py`: the mean over the rows of all tokens after the first, those of one
        // chunk with 0.
        Tool::Fmperf => settings.itl = Itl::TokenZeros,
        _ => {}
    }
    let Some(requests) = &run.requests else { return Own { preset, settings } };
    settings.first_token = match requests.first_token_rule {
        FirstTokenRule::FirstEvent => FirstToken::FirstEvent,
        FirstTokenRule::FirstText => FirstToken::FirstText,
        FirstTokenRule::FirstAnswer => FirstToken::FirstAnswer,
    };
    settings.end = match requests.end_rule {
        EndRule::LastToken => End::LastToken,
        EndRule::LastMessage => End::LastMessage,
        EndRule::StreamEnd => End::StreamEnd,
    };
    if requests.token_source != TokenSource::Server {
        settings.token_count = TokenCount::AsRecorded;
    }
    if run.tool == Tool::InferencePerf {
        as_stamped(&mut settings, requests);
    }
    if prints_statistics(run) && super::rows::writes_zeros(requests) {
        settings.empty_outputs = EmptyOutputs::AsSuccess;
    }
    if matches!(run.tool, Tool::GenaiPerf | Tool::PerfAnalyzer) {
        answers_only(&mut settings, requests);
    }
    if settings.duration == Duration::AsReported
        && run.reported.value(Metric::Duration).is_none()
        && !requests.start.is_absent()
    {
        settings.duration = Duration::FirstSendToLastToken;
    }
    if run.tool == Tool::Aiperf {
        as_aiperf(run, requests, &mut settings);
    }
    Own { preset, settings }
}

/// GenAI-Perf counts the tokens of the answer by its own tokenizer, whatever the server says, and drops
/// replies without an answer from all but the request throughput.
fn answers_only(settings: &mut Settings, requests: &Requests) {
    if !requests.first_answer.is_absent() {
        settings.first_token = FirstToken::FirstAnswer;
    }
    if requests.token_source == TokenSource::Server {
        settings.token_count = TokenCount::Retokenized;
    }
    settings.empty_outputs = if super::rows::has_silent(requests) {
        EmptyOutputs::CountOnly
    } else {
        EmptyOutputs::Exclude
    };
}

/// What the rows of AIPerf say of its ruler. Its latency stops at the last text also where the file
/// times the end of the stream beside it, and it counts by its own tokenizer wherever that count differs
/// from the server's. With per-chunk usage (0.13) decode times are divided by the tokens after the first
/// chunk. The benchmark duration has two decimals in its table: the rows it was taken from have all.
fn as_aiperf(run: &Run, requests: &Requests, settings: &mut Settings) {
    let printed = run.reported.find(Metric::Duration, Stat::Value);
    if printed.is_some_and(|value| value.field == "Benchmark Duration")
        && !requests.start.is_absent()
    {
        settings.duration = Duration::FirstSendToLastToken;
    }
    settings.end = End::LastToken;
    if !requests.retokenized.is_absent() {
        settings.token_count = TokenCount::Retokenized;
    }
    if !requests.request_itl.is_absent() {
        settings.itl = Itl::AsRecorded;
        if !requests.event_tokens.is_absent() {
            settings.tpot = Tpot::AfterFirstEvent;
        }
    }
}

/// The preset of a run's tool; the common ruler where a tool computes nothing of its own.
fn preset_of(run: &Run) -> &'static Preset {
    match run.tool {
        Tool::Trtllm if !run.is_offline() => &VLLM,
        Tool::Vllm | Tool::Inferencex => &VLLM,
        Tool::Sglang | Tool::Lmdeploy => &SGLANG,
        Tool::Trtllm => &TRTLLM_BENCH,
        Tool::Aiperf => &AIPERF,
        Tool::GenaiPerf | Tool::PerfAnalyzer => &GENAI_PERF,
        Tool::Guidellm => &GUIDELLM,
        Tool::Llmperf => &LLMPERF,
        Tool::InferencePerf => &INFERENCE_PERF,
        Tool::Mlperf => &MLPERF,
        Tool::Vidur | Tool::Sarathi => &VIDUR,
        Tool::LlmD
        | Tool::Lmbenchmark
        | Tool::Fmperf
        | Tool::LlamaBench
        | Tool::LlamaServer
        | Tool::EventLog
        | Tool::Csv => &COMMON,
    }
}

/// inference-perf divides by the client's own count. Before 0.5 a stamp was no token but a line or message
/// of the stream: its TPOT and ITL are those of the stamps.
fn as_stamped(settings: &mut Settings, requests: &Requests) {
    if !requests.retokenized.is_absent() {
        settings.token_count = TokenCount::Retokenized;
    }
    if requests.event_tokens.is_absent() && !requests.gaps.is_absent() {
        settings.itl = Itl::EventGap;
        settings.tpot = Tpot::VisibleGaps;
    }
}

/// The 5 of GuideLLM 0.5, from the version in the file or the guess; the newest where there is none.
pub(super) fn guidellm_minor(run: &Run) -> u32 {
    let version = run.version.exact.as_deref().or(run.version.guess.as_deref()).unwrap_or_default();
    let minor = version.strip_prefix("0.").unwrap_or_default();
    let digits = minor.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(u32::MAX)
}

/// GuideLLM's ruler before it was what its preset is: 0.1 pooled gaps and had no TPOT, 0.2 and 0.3
/// divided the time after the first token by all tokens.
fn guidellm(minor: u32, settings: &mut Settings) {
    match minor {
        1 => {
            settings.decode_end = DecodeEnd::RequestEnd;
            settings.tpot = Tpot::AfterFirst;
            settings.itl = Itl::EventGap;
            settings.weighting = Weighting::PerRequest;
            settings.percentile = Percentile::Linear;
        }
        2 | 3 => settings.tpot = Tpot::AfterFirstOverN,
        _ => {}
    }
}

/// Whether a tool works statistics out of its rows, so that zeros it wrote can have entered them.
/// GuideLLM leaves out what it has not from 0.8 on.
fn prints_statistics(run: &Run) -> bool {
    match run.tool {
        Tool::Csv | Tool::EventLog | Tool::Lmbenchmark | Tool::LlamaServer => false,
        Tool::Guidellm => guidellm_minor(run) < 8,
        _ => true,
    }
}

/// Whether SGLang spread this run's gaps over tokens: only its native endpoint does.
fn spreads_gaps(run: &Run) -> bool {
    use crate::model::GapKind;
    match &run.requests {
        Some(requests) if !requests.gaps.is_absent() => requests.gap_kind == GapKind::TokenSpread,
        _ => {
            run.workload.backend.as_deref().is_some_and(|b| matches!(b, "sglang" | "sglang-native"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_found_by_id_and_by_settings() {
        for preset in PRESETS {
            assert_eq!(Preset::find(preset.id).map(|p| p.id), Some(preset.id));
            assert_eq!(Preset::named(&preset.settings).map(|p| p.id), Some(preset.id));
        }
        assert_eq!(Preset::find("k6"), None);
    }
}
