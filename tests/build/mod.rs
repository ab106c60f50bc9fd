//! Runs built in code. Times in milliseconds, starts and durations in seconds.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::metrics::{COMMON, Evaluation, Settings};
use sameruler::model::{
    Column, Digest, EndRule, GapKind, Metric, Origin, Outcome, Provenance, Ragged, ReportedValue,
    Requests, Run, Stat, TokenSource, Tool,
};
use sameruler::units::{Seconds, Tokens};

/// A request table and what the tool printed beside it.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    events: Vec<Vec<f64>>,
    latencies: Vec<f64>,
    starts: Vec<f64>,
    waits: Vec<f64>,
    retokenized: Vec<f64>,
    input: Vec<f64>,
    source: TokenSource,
    end_rule: EndRule,
    gap_kind: GapKind,
    duration: Option<f64>,
}

struct Row {
    ttft: f64,
    gaps: Option<Vec<f64>>,
    e2e: Option<f64>,
    tokens: f64,
    outcome: Outcome,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self::default()
    }
    /// A request with its gaps.
    pub(crate) fn row(mut self, ttft: f64, gaps: &[f64], tokens: f64) -> Self {
        let gaps = Some(gaps.to_vec());
        self.rows.push(Row { ttft, gaps, e2e: None, tokens, outcome: Outcome::Ok });
        self
    }
    /// A request of which only the latency is known.
    pub(crate) fn whole(mut self, ttft: f64, e2e: f64, tokens: f64) -> Self {
        self.rows.push(Row { ttft, gaps: None, e2e: Some(e2e), tokens, outcome: Outcome::Ok });
        self
    }
    /// Marks the last request.
    pub(crate) fn outcome(mut self, outcome: Outcome) -> Self {
        self.rows.last_mut().unwrap().outcome = outcome;
        self
    }
    /// Tokens of each event of the next request without.
    pub(crate) fn events(mut self, tokens: &[f64]) -> Self {
        self.events.push(tokens.to_vec());
        self
    }
    pub(crate) fn latency(mut self, millis: &[f64]) -> Self {
        self.latencies = millis.to_vec();
        self
    }
    pub(crate) fn starts(mut self, secs: &[f64]) -> Self {
        self.starts = secs.to_vec();
        self
    }
    pub(crate) fn waits(mut self, millis: &[f64]) -> Self {
        self.waits = millis.to_vec();
        self
    }
    pub(crate) fn retokenized(mut self, tokens: &[f64]) -> Self {
        self.retokenized = tokens.to_vec();
        self
    }
    pub(crate) fn input(mut self, tokens: &[f64]) -> Self {
        self.input = tokens.to_vec();
        self
    }
    pub(crate) fn source(mut self, source: TokenSource) -> Self {
        self.source = source;
        self
    }
    /// The client stops its clock at the end of the stream.
    pub(crate) fn stream_end(mut self) -> Self {
        self.end_rule = EndRule::StreamEnd;
        self
    }
    /// The gaps are spread over tokens.
    pub(crate) fn spread(mut self) -> Self {
        self.gap_kind = GapKind::TokenSpread;
        self
    }
    pub(crate) fn duration(mut self, secs: f64) -> Self {
        self.duration = Some(secs);
        self
    }

    fn requests(&self) -> Requests {
        let millis = |at: usize, of: &[f64]| of.get(at).copied().map(Seconds::from_millis);
        let len = self.rows.len();
        let column = |get: &dyn Fn(usize) -> Option<Seconds>| {
            let column = Column::from_options(Origin::Reported, (0..len).map(get));
            if column.is_absent() { Column::absent(len) } else { column }
        };
        let tokens = |of: &[f64]| {
            if of.is_empty() {
                return Column::absent(len);
            }
            let values = (0..len).map(|at| of.get(at).copied().map(Tokens::from_count));
            Column::from_options(Origin::Reported, values)
        };
        let mut gaps = Ragged::new(Origin::Reported);
        let mut events = Ragged::new(Origin::Reported);
        for (at, row) in self.rows.iter().enumerate() {
            let times: Option<Vec<_>> =
                row.gaps.as_ref().map(|g| g.iter().map(|v| Seconds::from_millis(*v)).collect());
            gaps.push_row(times.as_deref());
            let counts: Option<Vec<_>> =
                self.events.get(at).map(|e| e.iter().map(|v| Tokens::from_count(*v)).collect());
            events.push_row(counts.as_deref());
        }
        let output: Vec<f64> = self.rows.iter().map(|r| r.tokens).collect();
        Requests {
            outcome: self.rows.iter().map(|r| r.outcome).collect(),
            input_tokens: tokens(&self.input),
            output_tokens: tokens(&output),
            token_source: self.source,
            retokenized: tokens(&self.retokenized),
            ttft: column(&|at| Some(Seconds::from_millis(self.rows[at].ttft))),
            e2e: column(&|at| {
                millis(at, &self.latencies).or(self.rows[at].e2e.map(Seconds::from_millis))
            }),
            end_rule: self.end_rule,
            gaps,
            gap_kind: self.gap_kind,
            event_tokens: events,
            start: column(&|at| self.starts.get(at).copied().map(Seconds::from_secs)),
            queue_wait: column(&|at| millis(at, &self.waits)),
            ..Requests::absent(len)
        }
    }
}

/// A vLLM run of this table.
pub(crate) fn run(table: Table) -> Run {
    let digest = Digest::of(b"built in code");
    let provenance = Provenance::new("built.json", 0, digest, "built", "built in code");
    let mut run = Run::new(Tool::Vllm, "built", provenance);
    run.requests = Some(table.requests());
    if let Some(duration) = table.duration {
        print(&mut run, "duration", Metric::Duration, Stat::Value, duration);
    }
    run
}

/// Adds a printed value.
pub(crate) fn print(run: &mut Run, field: &str, metric: Metric, stat: Stat, value: f64) {
    let field = field.to_owned();
    run.reported.values.push(ReportedValue { field, metric, stat, value, scale: 1.0 });
}

/// The common ruler with some choices changed.
pub(crate) fn settings(changes: &[(&str, &str)]) -> Settings {
    let mut settings = COMMON.settings;
    for (dimension, choice) in changes {
        settings.set(dimension, choice).unwrap();
    }
    settings
}

/// A recomputed value, or a failed test that shows what is there instead.
pub(crate) fn exact(evaluation: &Evaluation, metric: Metric, stat: Stat) -> f64 {
    let value = evaluation.value(metric, stat);
    value.exact().unwrap_or_else(|| panic!("{} {}: {value:?}", metric.name(), stat.name()))
}

#[track_caller]
pub(crate) fn assert_close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1.0), "{got} is not {want}");
}

/// A detailed vLLM result of one load as its file; each request as TTFT and gap in seconds, with 11 tokens,
/// in 4 s.
pub(crate) fn vllm_result(rate: f64, sent: &[(f64, f64)]) -> String {
    let list = |of: &dyn Fn(&(f64, f64)) -> String| {
        format!("[{}]", sent.iter().map(of).collect::<Vec<_>>().join(","))
    };
    let n = sent.len();
    format!(
        r#"{{"date":"20260101-000000","endpoint_type":"openai","backend":"openai","model_id":"m",
        "tokenizer_id":"t","num_prompts":{n},"request_rate":{rate},"burstiness":1.0,
        "max_concurrency":null,"duration":4.0,"completed":{n},"total_input_tokens":{},
        "total_output_tokens":{},"input_lens":{},"output_lens":{},"ttfts":{},"itls":{},
        "errors":{}}}"#,
        10 * n,
        11 * n,
        list(&|_| "10".into()),
        list(&|_| "11".into()),
        list(&|s| s.0.to_string()),
        list(&|s| format!("{:?}", [s.1; 10])),
        list(&|_| "\"\"".into()),
    )
}
