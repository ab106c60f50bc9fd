//! Presets: the ruler each tool used, as data. How it changed between versions is in `edition.rs`.

use super::settings::{
    ClockStart, DecodeEnd, Duration, EmptyOutputs, End, FirstToken, GoodputMissing, GoodputRule,
    GoodputUnit, Itl, Percentile, Population, Settings, ShortOutputs, Spread, TokenCount, Tpot,
    UserSpeed, Weighting, Window, WindowEdge,
};
use crate::model::{Run, Tool};

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
    /// The versions of the tool that it and its editions describe, in words.
    pub versions: &'static str,
    /// The first of those versions; empty where files of the tool name none.
    pub first: &'static str,
    /// The last of them.
    pub last: &'static str,
    /// The tool whose versions these are.
    pub tool: Option<Tool>,
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
    first: "",
    last: "",
    tool: None,
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
    note: "The first event may carry no text, such as a role chunk. A reply of one token has TPOT 0 for goodput, and meets its limit.",
    versions: "0.3 to 0.33",
    first: "0.3",
    last: "0.33",
    tool: Some(Tool::Vllm),
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
    versions: "0.2 to 0.5.23",
    first: "0.2",
    last: "0.5.23",
    tool: Some(Tool::Sglang),
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
    first: "0.1",
    last: "0.13",
    tool: Some(Tool::Aiperf),
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
    first: "0.0.8",
    last: "0.0.16",
    tool: Some(Tool::GenaiPerf),
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
        goodput_rule: GoodputRule::AndInclusiveAfterFirst,
        ..COMMON.settings
    },
    source: "guidellm/benchmark and guidellm/utils/statistics in vllm-project/guidellm",
    note: "Its TPOT includes the wait for the first token; its ITL is others’ TPOT, weighted by tokens. Its goodput takes its ITL for TPOT.",
    versions: "0.1 to 0.8",
    first: "0.1",
    last: "0.8",
    tool: Some(Tool::Guidellm),
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
    first: "",
    last: "",
    tool: None,
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
    versions: "0.1 to 0.7",
    first: "0.1",
    last: "0.7",
    tool: Some(Tool::InferencePerf),
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
    first: "0.20",
    last: "1.2",
    tool: Some(Tool::Trtllm),
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
    first: "6.0",
    last: "6.0",
    tool: Some(Tool::Mlperf),
};

/// The ruler of Vidur and Sarathi-Serve.
pub static VIDUR: Preset = Preset {
    id: "vidur",
    name: "Vidur and Sarathi",
    settings: Settings { tpot: Tpot::AfterFirstOverN, ..COMMON.settings },
    source: "vidur/metrics and sarathi/metrics in microsoft/vidur and microsoft/sarathi-serve",
    note: "Times start at arrival, waiting in the queue included; decode time is divided by all tokens.",
    versions: "all read",
    first: "",
    last: "",
    tool: None,
};

/// The ruler of vLLM's own Prometheus histograms.
pub static PROMETHEUS_VLLM: Preset = Preset {
    id: "prometheus-vllm",
    name: "Prometheus, vLLM",
    settings: Settings {
        clock_start: ClockStart::ServerArrival,
        token_count: TokenCount::Server,
        short_outputs: ShortOutputs::Zero,
        percentile: Percentile::BucketLinear,
        duration: Duration::Window,
        ..COMMON.settings
    },
    source: "vllm/v1/metrics",
    note: "For histograms scraped from the server: times start at its arrival stamp, a percentile is read off buckets, and replies of one token enter TPOT as 0. Its ITL is one gap an engine step, whatever tokens that brought. Files of a client hold no such stamps, so their times can’t be had under it.",
    versions: "0.11.0 to 0.33",
    first: "0.11.0",
    last: "0.33",
    tool: None,
};

/// The ruler of SGLang's own Prometheus histograms.
pub static PROMETHEUS_SGLANG: Preset = Preset {
    id: "prometheus-sglang",
    name: "Prometheus, SGLang",
    settings: Settings {
        itl: Itl::TokenSpread,
        short_outputs: ShortOutputs::Exclude,
        ..PROMETHEUS_VLLM.settings
    },
    source: "sglang:time_to_first_token_seconds, sglang:inter_token_latency_seconds",
    note: "For histograms scraped from the server: times start at request creation there, a percentile is read off buckets, and a gap is spread over its tokens, so bursts look smooth. Its other edges alone can turn the sign of a difference to vLLM’s percentiles. Files of a client hold no such stamps, so their times can’t be had under it.",
    versions: "0.4.6.post5 to 0.5.23",
    first: "0.4.6.post5",
    last: "0.5.23",
    tool: None,
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
    &PROMETHEUS_VLLM,
    &PROMETHEUS_SGLANG,
];

impl Preset {
    /// The preset with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        PRESETS.iter().copied().find(|p| p.id == id)
    }

    /// The Prometheus preset of the engine that `run` was served by, as far as its tool tells: SGLang's
    /// for SGLang, vLLM's for all others.
    pub fn prometheus(run: &Run) -> &'static Self {
        match run.tool {
            Tool::Sglang => &PROMETHEUS_SGLANG,
            _ => &PROMETHEUS_VLLM,
        }
    }

    /// The preset that has exactly these settings.
    pub fn named(settings: &Settings) -> Option<&'static Self> {
        PRESETS.iter().copied().find(|p| p.settings == *settings)
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
