//! One run of one tool.

use super::{Digest, Level, Load, Memory, Provenance, Reported, Requests, Workload};
use serde::{Deserialize, Serialize};

/// A run's id: 12 hex digits of a hash of its content, the same on every machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(String);

impl RunId {
    /// The id of run `index` in the file with this digest.
    pub fn of(file: &Digest, index: usize) -> Self {
        if index == 0 {
            return Self(file.short(12).to_owned());
        }
        Self(Digest::of(format!("{}#{index}", file.hex()).as_bytes()).short(12).to_owned())
    }

    /// An id as written in a link: 12 hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.len() == 12 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        hex.then(|| Self(text.to_owned()))
    }

    /// The 12 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which tool wrote a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tool {
    /// `vllm bench` or the older scripts, and clients that keep its file (InferenceX’s raw files).
    Vllm,
    /// SGLang's benchmarks: `bench_serving`, `bench_one_batch`, `bench_offline_throughput`.
    Sglang,
    /// TensorRT-LLM: `trtllm-bench` and its serving client.
    Trtllm,
    /// InferenceX's aggregated result lists.
    Inferencex,
    /// NVIDIA AIPerf.
    Aiperf,
    /// NVIDIA GenAI-Perf.
    GenaiPerf,
    /// Triton's Perf Analyzer.
    PerfAnalyzer,
    /// GuideLLM.
    Guidellm,
    /// Ray's LLMPerf.
    Llmperf,
    /// Kubernetes inference-perf.
    InferencePerf,
    /// The llm-d benchmark report, made of other tools' output.
    LlmD,
    /// LMBenchmark and multi-round-qa of the vLLM production stack.
    Lmbenchmark,
    /// fmperf.
    Fmperf,
    /// LMDeploy's `profile_restful_api.py`.
    Lmdeploy,
    /// The Vidur simulator.
    Vidur,
    /// Sarathi-Serve.
    Sarathi,
    /// MLPerf's LoadGen.
    Mlperf,
    /// llama.cpp's `llama-bench`.
    LlamaBench,
    /// llama.cpp's server: the timings in its replies.
    LlamaServer,
    /// A plain log of when each token came.
    EventLog,
    /// Anything that wrote a plain table of requests.
    Csv,
}

impl Tool {
    /// Stable id, as in JSON.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
            Self::Trtllm => "trtllm",
            Self::Inferencex => "inferencex",
            Self::Aiperf => "aiperf",
            Self::GenaiPerf => "genai-perf",
            Self::PerfAnalyzer => "perf-analyzer",
            Self::Guidellm => "guidellm",
            Self::Llmperf => "llmperf",
            Self::InferencePerf => "inference-perf",
            Self::LlmD => "llm-d",
            Self::Lmbenchmark => "lmbenchmark",
            Self::Fmperf => "fmperf",
            Self::Lmdeploy => "lmdeploy",
            Self::Vidur => "vidur",
            Self::Sarathi => "sarathi",
            Self::Mlperf => "mlperf",
            Self::LlamaBench => "llama-bench",
            Self::LlamaServer => "llama-server",
            Self::EventLog => "event-log",
            Self::Csv => "csv",
        }
    }

    /// The name as its makers write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::Trtllm => "TensorRT-LLM",
            Self::Inferencex => "InferenceX",
            Self::Aiperf => "AIPerf",
            Self::GenaiPerf => "GenAI-Perf",
            Self::PerfAnalyzer => "Perf Analyzer",
            Self::Guidellm => "GuideLLM",
            Self::Llmperf => "LLMPerf",
            Self::InferencePerf => "inference-perf",
            Self::LlmD => "llm-d benchmark",
            Self::Lmbenchmark => "LMBenchmark",
            Self::Fmperf => "fmperf",
            Self::Lmdeploy => "LMDeploy",
            Self::Vidur => "Vidur",
            Self::Sarathi => "Sarathi-Serve",
            Self::Mlperf => "MLPerf LoadGen",
            Self::LlamaBench => "llama-bench",
            Self::LlamaServer => "llama-server",
            Self::EventLog => "event log",
            Self::Csv => "CSV",
        }
    }
}

/// What is known of the tool's version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolVersion {
    /// The version as written in the file, where it is.
    pub exact: Option<String>,
    /// A guess from the file's keys, such as `0.6.4 to 0.6.6`.
    pub guess: Option<String>,
    /// The fingerprint behind the guess, in words.
    pub because: Option<String>,
}

/// One run: identity, what was asked, requests, what the tool printed, provenance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Id from the content.
    pub id: RunId,
    /// A name for people; editable.
    pub name: String,
    /// The tool that wrote it.
    pub tool: Tool,
    /// What is known of its version.
    pub version: ToolVersion,
    /// Whether the server was scripted rather than a model: said wherever the run is shown.
    pub scripted: bool,
    /// How the load was offered.
    pub load: Load,
    /// Model, data, set-up.
    pub workload: Workload,
    /// The request table, where the file has one. Travels beside the header in a pack.
    #[serde(skip)]
    pub requests: Option<Requests>,
    /// The group that the reader put it into; found by load and set-up where there is none.
    #[serde(default)]
    pub group: Option<String>,
    /// How many accelerators served it as the reader says, where the file does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_gpus: Option<u32>,
    /// Its palette index, where the session that it came from or a link says it.
    #[serde(skip)]
    pub said_mark: Option<u8>,
    /// What the tool printed.
    pub reported: Reported,
    /// Where it comes from.
    pub provenance: Provenance,
    /// What was worked out of it.
    #[serde(skip)]
    pub memory: Memory,
}

impl Run {
    /// A run of `tool` without anything but where it comes from.
    pub fn new(tool: Tool, name: &str, provenance: Provenance) -> Self {
        Self {
            id: RunId::of(&provenance.sha256, provenance.index),
            name: name.to_owned(),
            tool,
            version: ToolVersion::default(),
            scripted: false,
            load: Load::default(),
            workload: Workload::default(),
            requests: None,
            group: None,
            said_gpus: None,
            said_mark: None,
            reported: Reported::default(),
            provenance,
            memory: Memory::default(),
        }
    }

    /// How many accelerators served it: as the file says, else as the reader does. Never assumed.
    pub fn gpus(&self) -> Option<u32> {
        self.load.gpus.or(self.said_gpus).filter(|gpus| *gpus > 0)
    }

    /// Why a run without a request table has none, as a clause.
    pub fn no_requests(&self) -> &'static str {
        match self.provenance.level {
            Level::Aggregates => "the run was saved with its printed aggregates only",
            _ => "the file holds no requests, only what the tool printed",
        }
    }

    /// Whether an engine was measured by itself, without a server.
    pub fn is_offline(&self) -> bool {
        self.workload.endpoint.as_deref() == Some("offline")
    }
}
