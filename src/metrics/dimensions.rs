//! The catalogue of dimensions and choices, from which pickers, help, `docs/metrics.md` and the
//! report's appendix are read.
//!
//! In formulas: T time to first token, E end-to-end latency, n output tokens, m stream events,
//! c₁ tokens of the first event, p a share, N a number of samples.

use super::settings::{
    ClockStart, DecodeEnd, Duration, EmptyOutputs, End, FirstToken, GoodputMissing, GoodputUnit,
    Itl, Percentile, Population, Settings, ShortOutputs, Spread, TokenCount, Tpot, UserSpeed,
    Weighting, Window,
};

/// Which tool measures this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Tool and, where needed, its mode.
    pub tool: &'static str,
    /// Versions.
    pub since: &'static str,
    /// Where this can be read: a file of that project, or the key it prints.
    pub source: &'static str,
}

const fn usage(tool: &'static str, since: &'static str, source: &'static str) -> Usage {
    Usage { tool, since, source }
}

/// One choice in a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Stable id.
    pub id: &'static str,
    /// Short label for a button.
    pub label: &'static str,
    /// One or two plain lines.
    pub meaning: &'static str,
    /// The formula, empty where there is none.
    pub formula: &'static str,
    /// What a file must hold.
    pub needs: &'static str,
    /// What happens at the edges.
    pub edge_cases: &'static str,
    /// Which tools measure this way.
    pub used_by: &'static [Usage],
    /// The parameter behind a colon, with an example: `("C", "8")`.
    pub parameter: Option<(&'static str, &'static str)>,
}

impl Choice {
    const fn new(id: &'static str, label: &'static str, meaning: &'static str) -> Self {
        Self {
            id,
            label,
            meaning,
            formula: "",
            needs: "",
            edge_cases: "",
            used_by: &[],
            parameter: None,
        }
    }
    const fn formula(mut self, formula: &'static str) -> Self {
        self.formula = formula;
        self
    }
    const fn needs(mut self, needs: &'static str) -> Self {
        self.needs = needs;
        self
    }
    const fn edges(mut self, edge_cases: &'static str) -> Self {
        self.edge_cases = edge_cases;
        self
    }
    const fn used_by(mut self, used_by: &'static [Usage]) -> Self {
        self.used_by = used_by;
        self
    }
    const fn parameter(mut self, name: &'static str, example: &'static str) -> Self {
        self.parameter = Some((name, example));
        self
    }

    /// How the choice is spelled: `linear`, `skip-first:C`.
    pub fn spelling(&self) -> String {
        self.parameter.map_or_else(|| self.id.to_owned(), |(name, _)| format!("{}:{name}", self.id))
    }

    /// A valid spelling with a real parameter: `skip-first:8`.
    pub fn example(&self) -> String {
        self.parameter
            .map_or_else(|| self.id.to_owned(), |(_, value)| format!("{}:{value}", self.id))
    }
}

/// One dimension of a definition set.
#[derive(Debug, Clone, Copy)]
pub struct Dimension {
    /// Stable id.
    pub id: &'static str,
    /// The question in people's words.
    pub label: &'static str,
    /// The choices, the plainest first.
    pub choices: &'static [Choice],
    read: fn(&Settings) -> String,
    write: fn(&mut Settings, &str) -> bool,
}

impl PartialEq for Dimension {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Dimension {
    /// The dimension with this id.
    pub fn find(id: &str) -> Option<&'static Self> {
        DIMENSIONS.iter().find(|d| d.id == id)
    }

    /// The choice with this id.
    pub fn choice(&self, id: &str) -> Option<&'static Choice> {
        self.choices.iter().find(|c| c.id == id)
    }

    pub(super) fn read(&self, settings: &Settings) -> String {
        (self.read)(settings)
    }

    pub(super) fn write(&self, settings: &mut Settings, choice: &str) -> bool {
        (self.write)(settings, choice)
    }
}

macro_rules! dimension {
    ($id:literal, $field:ident: $kind:ident, $label:literal, $choices:expr) => {
        Dimension {
            id: $id,
            label: $label,
            choices: $choices,
            read: |settings| settings.$field.id().to_owned(),
            write: |settings, choice| $kind::from_id(choice).map(|c| settings.$field = c).is_some(),
        }
    };
}

/// All dimensions, in the order in which people meet them.
pub static DIMENSIONS: &[Dimension] = &[
    dimension!("tpot", tpot: Tpot, "TPOT: what the decode time is divided by", TPOT),
    dimension!("itl", itl: Itl, "ITL: what one sample is", ITL),
    dimension!("clock-start", clock_start: ClockStart, "Clock starts at", CLOCK_START),
    dimension!("first-token", first_token: FirstToken, "First token is", FIRST_TOKEN),
    dimension!("end", end: End, "A request ends at", END),
    dimension!("decode-end", decode_end: DecodeEnd, "Decode time ends at", DECODE_END),
    dimension!("token-count", token_count: TokenCount, "Output tokens are counted by", TOKEN_COUNT),
    dimension!("short-outputs", short_outputs: ShortOutputs, "Replies of one token", SHORT_OUTPUTS),
    dimension!("empty-outputs", empty_outputs: EmptyOutputs, "Replies without a token", EMPTY_OUTPUTS),
    dimension!("population", population: Population, "Requests that count", POPULATION),
    dimension!("weighting", weighting: Weighting, "How much a sample weighs", WEIGHTING),
    dimension!("percentile", percentile: Percentile, "How a percentile is read off", PERCENTILE),
    dimension!("spread", spread: Spread, "Standard deviation divides by", SPREAD),
    Dimension {
        id: "window",
        label: "Stretch of the run",
        choices: WINDOW,
        read: |settings| settings.window.to_string(),
        write: |settings, choice| Window::parse(choice).map(|w| settings.window = w).is_some(),
    },
    dimension!("duration", duration: Duration, "Throughput divides by", DURATION),
    dimension!("user-speed", user_speed: UserSpeed, "Speed seen by one user", USER_SPEED),
    dimension!("goodput-missing", goodput_missing: GoodputMissing, "Goodput: a request without the limited metric", GOODPUT_MISSING),
    dimension!("goodput-unit", goodput_unit: GoodputUnit, "Goodput is given as", GOODPUT_UNIT),
];

const VLLM_SERVE: &str = "vllm/benchmarks/serve.py";
const VLLM_CLIENT: &str = "vllm/benchmarks/lib/endpoint_request_func.py";
const SGLANG_SERVE: &str = "python/sglang/bench_serving.py";

const TPOT: &[Choice] = &[
    Choice::new("after-first", "(E−T) ÷ (n−1)", "Decode time over the tokens after the first. The first token is paid for by TTFT.")
        .formula("(E − T) ÷ (n − 1)")
        .needs("TTFT, an end (latency or gaps) and output tokens of each request")
        .edges("A reply of one token has none: see short-outputs.")
        .used_by(&[
            usage("vLLM", "0.4.0 on", VLLM_SERVE),
            usage("SGLang", "all", SGLANG_SERVE),
            usage("inference-perf", "0.7.0", "time_per_output_token"),
            usage("AIPerf, under the name ITL", "0.13.0", "inter_token_latency"),
            usage("GuideLLM, under the name ITL", "0.8.1", "inter_token_latency_ms"),
        ]),
    Choice::new("after-first-over-n", "(E−T) ÷ n", "Decode time over all tokens: a little low, since the first token took none of it.")
        .formula("(E − T) ÷ n")
        .needs("as after-first")
        .edges("A reply of one token has (E − T) ÷ 1."),
    Choice::new("whole-over-n", "E ÷ n", "The whole request over its tokens, prefill included. Also called normalised latency or NTPOT.")
        .formula("E ÷ n")
        .needs("an end and output tokens of each request")
        .edges("A reply of one token has E.")
        .used_by(&[
            usage("GuideLLM", "0.8.1", "time_per_output_token_ms"),
            usage("inference-perf", "0.7.0", "normalized_time_per_output_token"),
            usage("vLLM", "0.3.x", "benchmarks/benchmark_serving.py"),
        ]),
    Choice::new("after-first-event", "(E−T) ÷ (n−c₁)", "Decode time over the tokens after the first event: fair to servers that send several tokens at once.")
        .formula("(E − T) ÷ (n − c₁)")
        .needs("as after-first, and the tokens of each request’s first event")
        .edges("A reply that came in one event has none: see short-outputs.")
        .used_by(&[usage("AIPerf, as an option", "since PR 1279", "ai-dynamo/aiperf")]),
    Choice::new("visible-gaps", "Σ gaps ÷ gaps", "The mean gap between events of a request: right where some tokens were never seen arriving.")
        .formula("Σ gaps ÷ number of gaps")
        .needs("the gaps between events of each request")
        .edges("A reply in one event has none: see short-outputs. Not per token where an event carries several."),
];

const ITL: &[Choice] = &[
    Choice::new("event-gap", "chunk gap", "The time between two stream events, once, however many tokens the event carries.")
        .formula("t(k) − t(k−1), one sample an event")
        .needs("the gaps between events")
        .edges("Per-token gaps (SGLang native) are put back into events: equal neighbours are one event, said as “rebuilt”.")
        .used_by(&[
            usage("vLLM", "0.5.0 on", VLLM_CLIENT),
            usage("SGLang, OpenAI style", "all", SGLANG_SERVE),
            usage("AIPerf, under the name ICL", "0.13.0", "inter_chunk_latency"),
        ]),
    Choice::new("token-spread", "gap ÷ tokens", "An event’s gap shared evenly by its tokens, one sample a token.")
        .formula("(t(k) − t(k−1)) ÷ c(k), c(k) times")
        .needs("the gaps and the tokens of each event; without the tokens only the mean")
        .edges("The gap of an event without tokens joins the next. The first event’s tokens have no gap.")
        .used_by(&[usage("SGLang, native", "0.4.3.post3 on", SGLANG_SERVE)]),
    Choice::new("token-zeros", "zeros in chunk", "Every token of an event arrives with it: the gap once, then zeros.")
        .formula("t(k) − t(k−1) once, and 0 c(k) − 1 times")
        .needs("as token-spread")
        .edges("The gap of an event without tokens joins the next. The first event’s further tokens are zeros too.")
        .used_by(&[usage("inference-perf", "0.5 on", "inter_token_latency")]),
    Choice::new("request-mean", "request mean", "One mean a request. Others call this TPOT.")
        .formula("(E − T) ÷ (n − 1), one sample a request")
        .needs("TTFT, an end and output tokens of each request")
        .edges("A reply of one token has none.")
        .used_by(&[
            usage("AIPerf", "0.13.0", "inter_token_latency"),
            usage("GenAI-Perf", "all read", "inter_token_latency"),
            usage("GuideLLM, weighted by n − 1", "0.8.1", "inter_token_latency_ms"),
        ]),
    Choice::new("whole-over-events", "whole ÷ events", "The whole request over its events, the wait for the first included.")
        .formula("(T + Σ gaps) ÷ m, one sample a request")
        .needs("TTFT and the gaps between events")
        .edges("A reply in one event has T.")
        .used_by(&[usage("LLMPerf", "all read", "inter_token_latency_s")]),
    Choice::new("as-recorded", "as recorded", "The one mean a request that the tool wrote, whatever its formula.")
        .needs("a mean ITL of each request in the file")
        .edges("The formula is the tool’s: LLMPerf’s includes the wait for the first token.")
        .used_by(&[usage("LLMPerf", "all read", "inter_token_latency_s")]),
];

const CLOCK_START: &[Choice] = &[
    Choice::new("send", "send", "The moment the client sends the request.")
        .needs("nothing more")
        .edges(
            "Waiting inside the client does not count, so a capped client looks calm at overload.",
        )
        .used_by(&[usage("vLLM", "all", VLLM_CLIENT), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new(
        "scheduled",
        "schedule",
        "The moment the request was due, so that waiting inside the client counts.",
    )
    .formula("T + wait, E + wait")
    .needs("the wait inside the client of each request (vLLM 0.33 and later: queue_times)"),
    Choice::new(
        "server-arrival",
        "server arrival",
        "The server’s own arrival stamp, without network and client.",
    )
    .needs("stamps of the server; result files of clients hold none")
    .used_by(&[
        usage("Prometheus metrics of vLLM", "all", "vllm:time_to_first_token_seconds"),
        usage("Prometheus metrics of SGLang", "all", "sglang:time_to_first_token_seconds"),
    ]),
];

const FIRST_TOKEN: &[Choice] = &[
    Choice::new(
        "first-event",
        "any event",
        "Whatever event the client counted first. It may carry no text, such as a role chunk.",
    )
    .needs("TTFT")
    .used_by(&[usage("vLLM", "0.7.0 to about 0.26", VLLM_CLIENT)]),
    Choice::new(
        "first-text",
        "first text",
        "The first event with text of any kind, reasoning included.",
    )
    .needs("a file whose client timed the first text")
    .used_by(&[
        usage("SGLang", "all", SGLANG_SERVE),
        usage("vLLM", "0.4.0 to 0.6.6; chat from about 0.33", VLLM_CLIENT),
        usage("AIPerf", "0.13.0", "time_to_first_token"),
    ]),
    Choice::new("first-answer", "first answer", "The first text that is not reasoning.")
        .needs("a file whose client timed the first answer text")
        .edges("Output tokens still include the reasoning, so TPOT mixes two windows.")
        .used_by(&[usage("GuideLLM", "before 0.7", "time_to_first_token_ms")]),
];

const END: &[Choice] = &[
    Choice::new("last-token", "last token", "The last event that counted as output.")
        .formula("T + Σ gaps, or the latency where the client stops there")
        .needs("a latency that ends there, or TTFT and gaps")
        .used_by(&[
            usage("vLLM", "0.7.0 on (chat: from about 0.33)", VLLM_CLIENT),
            usage("AIPerf", "0.13.0", "request_latency"),
        ]),
    Choice::new(
        "last-message",
        "last message",
        "The last stream message before the end marker, usually the usage chunk.",
    )
    .needs("a latency that ends there; TTFT and gaps give a lower bound")
    .used_by(&[usage("vLLM, chat", "0.7.0 to about 0.26", VLLM_CLIENT)]),
    Choice::new("stream-end", "end of stream", "The end marker, after the usage chunk.")
        .needs("a latency that ends there; TTFT and gaps give a lower bound")
        .used_by(&[
            usage("SGLang", "all", SGLANG_SERVE),
            usage("vLLM", "up to 0.6.6", "benchmarks/backend_request_func.py"),
            usage("GuideLLM", "0.8.1", "request_latency"),
        ]),
];

const DECODE_END: &[Choice] = &[
    Choice::new("request-end", "request end", "Where the request ends, by “A request ends at”.")
        .edges("Bears on TPOT, on a request’s mean ITL and on the speed of one user.")
        .used_by(&[usage("vLLM", "all", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new(
        "last-token",
        "last token",
        "The last event that counted as output, even where the request’s own clock runs on.",
    )
    .needs("the time of the last token: a latency that ends there, its own column, or gaps")
    .used_by(&[
        usage("GuideLLM", "0.2.0 on", "inter_token_latency_ms"),
        usage("inference-perf", "0.1.0 on", "time_per_output_token"),
    ]),
];

const TOKEN_COUNT: &[Choice] = &[
    Choice::new(
        "as-recorded",
        "as recorded",
        "The file’s main count, whoever counted: the run says who.",
    )
    .needs("output tokens of each request"),
    Choice::new("server", "server", "The server’s usage count.")
        .needs("a file whose client took the server’s count")
        .used_by(&[
            usage("vLLM", "0.7.0 on", VLLM_CLIENT),
            usage("SGLang", "0.4.3.post3 on", SGLANG_SERVE),
        ]),
    Choice::new(
        "retokenized",
        "retokenized",
        "The client’s tokenizer on the received text. Not always invertible, so it can be off.",
    )
    .needs("a count by the client’s tokenizer")
    .used_by(&[
        usage("vLLM", "0.4.0 to 0.6.6", "benchmarks/backend_request_func.py"),
        usage("LLMPerf", "all read", "number_output_tokens"),
    ]),
    Choice::new(
        "events",
        "chunks",
        "One token an event: right only where the server sends one token at a time.",
    )
    .formula("n = m")
    .needs("the gaps between events"),
];

const SHORT_OUTPUTS: &[Choice] = &[
    Choice::new("exclude", "exclude", "Has no time per output token: left out and counted.")
        .used_by(&[
            usage("vLLM", "0.4.0 on", VLLM_SERVE),
            usage("SGLang", "all", SGLANG_SERVE),
            usage("AIPerf", "0.13.0", "inter_token_latency"),
        ]),
    Choice::new("zero", "count as 0", "Enters as 0, which pulls the mean down.").used_by(&[
        usage("Prometheus metrics of vLLM", "all", "vllm:request_time_per_output_token_seconds"),
        usage("trtllm-bench", "all read", "--report_json"),
    ]),
    Choice::new(
        "exclude-ttft",
        "exclude, TTFT too",
        "Has no time per output token, and its TTFT is left out as well.",
    )
    .edges("The mean TTFT then speaks of longer replies only. Where the tokens of events are known, those that came count; where TPOT is per event, events.")
    .used_by(&[usage("inference-perf", "0.1.0 on", "time_to_first_token")]),
];

const EMPTY_OUTPUTS: &[Choice] = &[
    Choice::new("exclude", "exclude", "No latency sample; counted apart, and still part of what was sent.")
        .edges("Also leaves out what can’t be a measurement: a zero or negative TTFT, a latency below its TTFT, and the TPOT of a reply of several tokens that came in one event."),
    Choice::new("count-only", "count only", "No latency sample, but a finished request: it counts in the request throughput.")
        .edges("The window of the throughput is that of the other requests.")
        .used_by(&[usage("GenAI-Perf", "0.0.8 to 0.0.16", "llm_profile_data_parser.py")]),
    Choice::new("as-success", "as success", "Enters with whatever the client wrote, zeros included.")
        .edges("A TTFT of 0 is taken as 0 and meets every limit.")
        .used_by(&[usage("vLLM", "up to 0.6.3; chat to about 0.26", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
];

const POPULATION: &[Choice] = &[
    Choice::new("ok", "ok only", "Requests that finished without an error.")
        .used_by(&[usage("vLLM", "all", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new("ok-and-cut", "ok and cut", "Cancelled and unfinished ones too, where the metric exists.")
        .needs("a file that keeps what was cut"),
    Choice::new("sent", "all sent", "Every request that was sent. A failed one has no latency, but its tokens count and it meets no SLO.")
        .edges("Latencies are those of ok and cut requests."),
];

const WEIGHTING: &[Choice] = &[
    Choice::new(
        "per-request",
        "request",
        "Each request once. Gaps between events are pooled: each gap once.",
    )
    .used_by(&[
        usage("vLLM", "all", VLLM_SERVE),
        usage("SGLang", "all", SGLANG_SERVE),
        usage("AIPerf", "0.13.0", "profile_export_aiperf.json"),
    ]),
    Choice::new(
        "per-token",
        "token",
        "TPOT by n, a request’s mean ITL by n − 1; a gap weighs the tokens of its event.",
    )
    .needs("output tokens; for gaps the tokens of each event")
    .edges("Percentiles need percentile = weighted-step. TTFT, E2E and token counts have one sample a request and weigh alike.")
    .used_by(&[usage("GuideLLM", "0.8.1", "time_per_output_token_ms")]),
    Choice::new(
        "pooled",
        "pooled",
        "Each sample once, whichever request it belongs to. The same as per-request where a request has one sample.",
    ),
];

const PERCENTILE: &[Choice] = &[
    Choice::new(
        "linear",
        "linear",
        "Between the two neighbours, in proportion (Hyndman–Fan type 7).",
    )
    .formula("element p·(N − 1), counted from 0, interpolated")
    .used_by(&[
        usage("numpy and pandas, so most clients", "all", "numpy.percentile"),
        usage("vLLM", "all", VLLM_SERVE),
        usage("SGLang", "all", SGLANG_SERVE),
    ]),
    Choice::new("nearest-rank", "nearest rank", "Always a value that was measured.")
        .formula("element ⌈p·N⌉, counted from 1"),
    Choice::new(
        "floor-index",
        "floor index",
        "Always a value that was measured, one further up at exact shares.",
    )
    .formula("element ⌊p·N⌋, counted from 0")
    .used_by(&[
        usage("MLPerf LoadGen", "all read", "results.cc"),
        usage("trtllm-bench", "all read", "--report_json"),
    ]),
    Choice::new(
        "rounded-index",
        "rounded index",
        "The nearer neighbour; halves go to the even index.",
    )
    .formula("element p·(N − 1), rounded half to even, counted from 0"),
    Choice::new(
        "weighted-step",
        "step",
        "The smallest value whose cumulative weight reaches p. The only rule that knows weights.",
    )
    .formula("min x with W(≤ x) ≥ p·W")
    .used_by(&[usage("GuideLLM", "0.8.1", "percentiles")]),
    Choice::new("bucket-linear", "bucket", "In proportion inside a histogram’s bucket.")
        .needs("a histogram; a file of requests has none")
        .used_by(&[usage("PromQL", "all", "histogram_quantile")]),
];

const SPREAD: &[Choice] = &[
    Choice::new("population", "N", "All there is: the run is the population.")
        .formula("√(Σ(x − mean)² ÷ N)")
        .used_by(&[usage("numpy, so most clients", "all", "numpy.std")]),
    Choice::new("sample", "N − 1", "The run as a sample of more of its kind.")
        .formula("√(Σ(x − mean)² ÷ (N − 1))")
        .edges("One sample has none.")
        .used_by(&[usage("pandas, so LLMPerf", "all", "DataFrame.std")]),
];

const WINDOW: &[Choice] = &[
    Choice::new("whole", "whole run", "All requests.")
        .used_by(&[usage("vLLM", "all", VLLM_SERVE), usage("SGLang", "all", SGLANG_SERVE)]),
    Choice::new(
        "first-send-to-last-token",
        "first send to last token",
        "All requests; the window is as long as the work took.",
    )
    .needs("send times"),
    Choice::new(
        "after-first-completion",
        "after first completion",
        "Requests sent once the first one had finished: without the ramp.",
    )
    .needs("send times and an end of each request")
    .edges("A request belongs by its send time, an output token by when it came."),
    Choice::new(
        "skip-first",
        "skip first",
        "Without the first C requests, such as a cold first wave.",
    )
    .parameter("C", "8")
    .needs("nothing: without send times the order of submission counts"),
    Choice::new(
        "steady",
        "steady",
        "The longest span in which at least R of the peak number of requests are in flight.",
    )
    .parameter("R", "0.9")
    .needs("send times and an end of each request")
    .edges("A request belongs by its send time, an output token by when it came."),
    Choice::new("brush", "chosen span", "Requests sent from A to B seconds after the first send.")
        .parameter("A..B", "2..10")
        .needs("send times")
        .edges("A is inside, B is not. An output token belongs by when it came."),
];

const DURATION: &[Choice] = &[
    Choice::new("as-reported", "as reported", "The duration that the tool printed.")
        .needs("a printed duration, and the whole run as window")
        .used_by(&[
            usage("vLLM", "all", VLLM_SERVE),
            usage("SGLang, with a call to the server at the end", "all", SGLANG_SERVE),
        ]),
    Choice::new(
        "first-send-to-last-token",
        "first send to last token",
        "From the first send to the last token of any counted request.",
    )
    .needs("send times and an end of each request")
    .used_by(&[
        usage("AIPerf", "0.13.0", "benchmark_duration"),
        usage("GuideLLM", "0.8.1", "requests per second"),
    ]),
    Choice::new(
        "first-send-to-last-end",
        "first send to last end",
        "From the first send to the last recorded end of any request, failed ones included.",
    )
    .needs("send times and a recorded latency")
    .used_by(&[usage("inference-perf", "0.1.0 on", "throughput")]),
    Choice::new(
        "first-token-to-last-token",
        "first token to last token",
        "The time in which tokens arrived.",
    )
    .needs("send times, TTFT and an end of each request"),
    Choice::new("window", "the window", "The length of the chosen window.")
        .needs("send times, and an end of each request unless the window is a chosen span"),
];

const USER_SPEED: &[Choice] = &[
    Choice::new("decode", "decode", "Tokens per second once the first has come, a request.")
        .formula("(n − 1) ÷ (E − T)"),
    Choice::new("whole", "whole", "Tokens per second from the send on, a request.")
        .formula("n ÷ E")
        .used_by(&[usage(
            "LLMPerf",
            "April 2024 on; before, events ÷ E",
            "request_output_throughput_token_per_s",
        )]),
    Choice::new(
        "reciprocal-of-tpot",
        "1 ÷ TPOT",
        "The reciprocal of the TPOT statistic: its p90 is the slow tail.",
    )
    .formula("1 ÷ TPOT")
    .edges("A standard deviation has no reciprocal.")
    .used_by(&[usage("InferenceX, under the name interactivity", "all read", "agg_*.json")]),
];

const GOODPUT_MISSING: &[Choice] = &[
    Choice::new(
        "not-applicable",
        "not applicable",
        "The request is left out of both sides and counted apart.",
    ),
    Choice::new("passes", "passes", "The request meets that limit.")
        .used_by(&[usage("vLLM", "0.6.4 on", VLLM_SERVE), usage("SGLang", "0.5.23", SGLANG_SERVE)]),
    Choice::new("fails", "fails", "The request misses that limit.").used_by(&[
        usage("AIPerf", "0.13.0", "goodput"),
        usage("inference-perf", "0.7.0", "goodput"),
    ]),
];

const GOODPUT_UNIT: &[Choice] = &[
    Choice::new("requests-per-second", "req/s", "Good requests per second.")
        .formula("good ÷ duration")
        .used_by(&[usage("vLLM", "0.6.4 on", VLLM_SERVE), usage("SGLang", "0.5.23", SGLANG_SERVE)]),
    Choice::new(
        "share-of-sent",
        "share of sent",
        "Good requests of all that were sent. A failure is not good.",
    )
    .formula("good ÷ sent")
    .used_by(&[usage("SGLang", "0.5.23", "slo_attainment")]),
    Choice::new(
        "share-of-finished",
        "share of finished",
        "Good requests of those that finished. Failures are hidden.",
    )
    .formula("good ÷ finished")
    .used_by(&[usage("inference-perf", "0.7.0", "goodput_percentage")]),
    Choice::new("tokens-per-second", "tok/s", "Output tokens of good requests per second.")
        .formula("Σ n of good requests ÷ duration"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_every_choice_says_what_it_means() {
        for (at, dimension) in DIMENSIONS.iter().enumerate() {
            assert!(DIMENSIONS[at + 1..].iter().all(|d| d.id != dimension.id), "{}", dimension.id);
            for (at, choice) in dimension.choices.iter().enumerate() {
                assert!(dimension.choices[at + 1..].iter().all(|c| c.id != choice.id));
                assert!(choice.meaning.ends_with('.'), "{}: {}", choice.id, choice.meaning);
                assert!(choice.label.chars().count() <= 26, "{}", choice.label);
            }
        }
    }
}
