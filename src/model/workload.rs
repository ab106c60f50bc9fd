//! What was asked of the server: load and lengths.

use serde::{Deserialize, Serialize};

/// The request rate that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestRate {
    /// So many requests per second.
    PerSecond(f64),
    /// All at once.
    Unlimited,
    /// Replayed from a recorded trace.
    Trace,
}

/// How the load was offered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Load {
    /// Requested rate, where the file has it.
    pub request_rate: Option<RequestRate>,
    /// Gamma shape of the arrivals: 1 is Poisson, larger is more even. An infinite one (vLLM writes
    /// it for evenly spaced arrivals) is kept as text in [`Workload::settings`], since JSON has no word for it.
    pub burstiness: Option<f64>,
    /// The most requests in flight that the client allowed.
    pub max_concurrency: Option<u64>,
    /// Number of requests asked for.
    pub requests: Option<u64>,
    /// Output tokens asked of each request, where one length was asked of all; the mean where lengths
    /// were drawn.
    #[serde(default)]
    pub output_tokens: Option<f64>,
    /// Number of accelerators, where known. Never assumed.
    pub gpus: Option<u32>,
}

/// What is known of model, data and set-up. Everything is text from the file: escape it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Workload {
    /// Model as named by the file.
    pub model: Option<String>,
    /// Tokenizer as named by the file.
    pub tokenizer: Option<String>,
    /// Dataset as named by the file.
    pub dataset: Option<String>,
    /// The client's protocol: `chat`, `completions`, `/generate`, … in neutral words.
    pub endpoint: Option<String>,
    /// The client's backend word as written, such as `openai-chat`.
    pub backend: Option<String>,
    /// Date and time as written by the tool.
    pub date: Option<String>,
    /// Further settings in file order: name as in the file, value as text.
    pub settings: Vec<(String, String)>,
}
