//! What can be measured, where the clock stands, and per what.

/// What a metric measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Arrival to first token.
    Ttft,
    /// Time between outputs.
    Itl,
    /// Decode time over the tokens after the first, one value a request.
    Tpot,
    /// Whole latency over tokens.
    WholePerToken,
    /// The running average since the first token, at each chunk: neither TPOT nor ITL.
    RunningMean,
    /// Arrival to last token or end.
    E2e,
    /// Waiting before the engine works on a request.
    Queue,
    /// Engine's work up to the first token.
    Prefill,
    /// First to last token.
    Decode,
    /// Prefill and decode together.
    Inference,
    /// Time of another stage.
    Stage,
    /// Prompt tokens.
    InputTokens,
    /// Generated tokens.
    OutputTokens,
    /// Tokens asked for at most.
    MaxTokens,
    /// Tokens of one engine step.
    StepTokens,
    /// Prompt tokens that a cache held.
    CachedTokens,
    /// Tokens looked up in a prefix cache.
    PrefixQueries,
    /// Tokens found in a prefix cache.
    PrefixHits,
    /// Share of a prefix cache's look-ups that hit.
    PrefixHitRate,
    /// Requests that run.
    Running,
    /// Requests that wait.
    Waiting,
    /// Share of the KV cache in use.
    KvUse,
    /// Requests pushed out of a running batch.
    Preemptions,
    /// Requests that ended well.
    Finished,
    /// Requests that ended badly or early.
    Failed,
    /// Requests that came in.
    Arrived,
    /// Requests that were not let in.
    Refused,
    /// Speculative drafts.
    Drafts,
    /// Tokens drafted.
    DraftTokens,
    /// Drafted tokens that were accepted.
    AcceptedTokens,
    /// Accepted tokens a draft, or a rate of acceptance.
    Acceptance,
    /// A rate that the server worked out itself.
    Throughput,
    /// Anything else; the row says what.
    Other,
}

impl Measure {
    /// Stable id, the first half of a meaning.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Ttft => "ttft",
            Self::Itl => "itl",
            Self::Tpot => "tpot",
            Self::WholePerToken => "whole_per_token",
            Self::RunningMean => "running_mean",
            Self::E2e => "e2e",
            Self::Queue => "queue",
            Self::Prefill => "prefill",
            Self::Decode => "decode",
            Self::Inference => "inference",
            Self::Stage => "stage",
            Self::InputTokens => "input_tokens",
            Self::OutputTokens => "output_tokens",
            Self::MaxTokens => "max_tokens",
            Self::StepTokens => "step_tokens",
            Self::CachedTokens => "cached_tokens",
            Self::PrefixQueries => "prefix_queries",
            Self::PrefixHits => "prefix_hits",
            Self::PrefixHitRate => "prefix_hit_rate",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::KvUse => "kv_use",
            Self::Preemptions => "preemptions",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Arrived => "arrived",
            Self::Refused => "refused",
            Self::Drafts => "drafts",
            Self::DraftTokens => "draft_tokens",
            Self::AcceptedTokens => "accepted_tokens",
            Self::Acceptance => "acceptance",
            Self::Throughput => "throughput",
            Self::Other => "other",
        }
    }

    /// Its name on screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ttft => "TTFT",
            Self::Itl => "ITL",
            Self::Tpot => "TPOT",
            Self::WholePerToken => "E2E ÷ tokens",
            Self::RunningMean => "Running mean per token",
            Self::E2e => "E2E",
            Self::Queue => "Queue",
            Self::Prefill => "Prefill",
            Self::Decode => "Decode",
            Self::Inference => "Prefill and decode",
            Self::Stage => "Stage",
            Self::InputTokens => "Input tokens",
            Self::OutputTokens => "Output tokens",
            Self::MaxTokens => "Tokens asked for",
            Self::StepTokens => "Tokens per engine step",
            Self::CachedTokens => "Cached input tokens",
            Self::PrefixQueries => "Prefix cache, tokens asked",
            Self::PrefixHits => "Prefix cache, tokens found",
            Self::PrefixHitRate => "Prefix cache hit rate",
            Self::Running => "Requests running",
            Self::Waiting => "Requests waiting",
            Self::KvUse => "KV cache in use",
            Self::Preemptions => "Preemptions",
            Self::Finished => "Requests finished",
            Self::Failed => "Requests failed",
            Self::Arrived => "Requests received",
            Self::Refused => "Requests refused",
            Self::Drafts => "Drafts",
            Self::DraftTokens => "Draft tokens",
            Self::AcceptedTokens => "Accepted draft tokens",
            Self::Acceptance => "Acceptance",
            Self::Throughput => "Throughput",
            Self::Other => "Other",
        }
    }

    /// The unit that it has unless the row says otherwise.
    pub(super) const fn unit(self) -> UnitOf {
        match self {
            Self::Ttft
            | Self::Itl
            | Self::Tpot
            | Self::WholePerToken
            | Self::RunningMean
            | Self::E2e
            | Self::Queue
            | Self::Prefill
            | Self::Decode
            | Self::Inference
            | Self::Stage => UnitOf::Seconds,
            Self::InputTokens
            | Self::OutputTokens
            | Self::MaxTokens
            | Self::StepTokens
            | Self::CachedTokens
            | Self::PrefixQueries
            | Self::PrefixHits
            | Self::DraftTokens
            | Self::AcceptedTokens => UnitOf::Tokens,
            Self::PrefixHitRate | Self::KvUse | Self::Acceptance => UnitOf::Share,
            Self::Running
            | Self::Waiting
            | Self::Finished
            | Self::Failed
            | Self::Arrived
            | Self::Refused => UnitOf::Requests,
            Self::Throughput => UnitOf::TokensPerSecond,
            Self::Preemptions | Self::Drafts | Self::Other => UnitOf::Bare,
        }
    }
}

/// Where the clock stands that measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vantage {
    /// The engine and its own HTTP server.
    Server,
    /// A router or gateway before the engine.
    Router,
    /// A front end of several engines, such as Dynamo's.
    Frontend,
}

impl Vantage {
    /// Stable id, the second half of a meaning.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Router => "router",
            Self::Frontend => "frontend",
        }
    }
}

/// What one observation is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// A request.
    Request,
    /// A sequence: a request with n > 1 has several.
    Sequence,
    /// An engine step of a sequence, whatever tokens it yields.
    Step,
    /// An engine step of all sequences.
    Batch,
    /// A token.
    Token,
    /// A chunk of a stream.
    Chunk,
    /// A speculative draft.
    Draft,
    /// A KV cache block.
    Block,
    /// The moment of the scrape.
    Moment,
    /// Something else; the row says what.
    Event,
}

impl Per {
    /// In words: “engine step of a sequence”.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Sequence => "sequence",
            Self::Step => "engine step of a sequence",
            Self::Batch => "engine step",
            Self::Token => "token",
            Self::Chunk => "chunk",
            Self::Draft => "draft",
            Self::Block => "cache block",
            Self::Moment => "moment of the scrape",
            Self::Event => "event",
        }
    }
}

/// The unit of a server's numbers, as the server writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitOf {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
    /// Tokens.
    Tokens,
    /// Requests.
    Requests,
    /// A share from 0 to 1.
    Share,
    /// Bytes.
    Bytes,
    /// Tokens per second.
    TokensPerSecond,
    /// A bare number.
    Bare,
}

impl UnitOf {
    /// Its symbol; empty for a bare number.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Millis => "ms",
            Self::Micros => "µs",
            Self::Tokens => "tokens",
            Self::Requests => "requests",
            Self::Share => "share",
            Self::Bytes => "bytes",
            Self::TokensPerSecond => "tok/s",
            Self::Bare => "",
        }
    }

    /// What a number of this unit is multiplied by to give seconds; `None` of anything but a time.
    pub const fn seconds(self) -> Option<f64> {
        match self {
            Self::Seconds => Some(1.0),
            Self::Millis => Some(1e-3),
            Self::Micros => Some(1e-6),
            _ => None,
        }
    }
}
