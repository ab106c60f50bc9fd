//! The request records of inference-perf: `per_request_lifecycle_metrics.json`.
//!
//! Four generations of `info` (`inference_perf/apis/base.py` and `reportgen/base.py`): none (0.1.0), one
//! stamp a transport line or stream message (0.1.1 to 0.4), one stamp a token of each chunk under
//! `response_info` (0.5) and under `response_metrics` (0.6 on).

use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::inference_perf::{beside, stem};
use super::tree::{Each, Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict, record, slots};
use crate::model::{
    Column, EndRule, FirstTokenRule, Origin, Outcome, Part, Ragged, Requests, Run, TokenSource,
    Tool,
};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Seconds, Tokens};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The request records of inference-perf.
pub(super) struct InferencePerfRequests;

static ABOUT: About = About {
    name: "inference-perf’s request records",
    file: "`per_request_lifecycle_metrics.json`, written with `report.request_lifecycle.per_request`",
    versions: "inference-perf 0.1 to 0.7: no stamps (0.1.0), one a line or message (0.1.1 to 0.4), one a \
               token (0.5 on)",
    recognised: "a list whose elements have `start_time`, `end_time` and `info`",
    reads: &[
        "start, end, outcome, input tokens, the client’s count of output tokens and the server’s, its cached prompt tokens",
        "times of tokens: tokens with the same time are one event of several tokens",
    ],
    limits: &[
        "no scheduled times and no stage: a run of several stages is one table",
        "the LoRA adapter of a request (`info.lora_adapter`) is not read: every file seen has null there",
        "the latency ends after the client has tokenized the reply",
        "texts of requests and replies are skipped unread",
        "0.1.0 holds no token times, and replies that were not streamed have none",
    ],
}.lean();

/// Members that are long and not needed: texts, and what is in them.
const SKIP: &[&str] = &[
    "request",
    "response",
    "response_chunks",
    "chunk_times",
    "error_msg",
    "extra_info",
    "labels",
    "image",
    "video",
    "audio",
];

impl Format for InferencePerfRequests {
    fn id(&self) -> &'static str {
        "inference-perf-requests"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let list = head.json.as_ref().is_some_and(|json| json.array);
        if !list || !head.has_keys(&["start_time", "end_time"]) {
            return Verdict::No;
        }
        let has = |key| head.has_keys(&[key]);
        if has("info") || has("computed_metrics") || (has("request") && has("response")) {
            return Verdict::Certain("it lists start_time and end_time beside info".into());
        }
        // A long prompt hides what follows.
        if has("request") {
            return Verdict::Likely("it lists start_time, end_time and request".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let seed = TreeSeed { skip: SKIP, ticker: &ticker };
        let each = Each { seed, convert: &|tree| Row::of(&tree) };
        let rows: Vec<Row> =
            documents::read(input.text, each, &ticker, out)?.into_iter().map(|d| d.value).collect();
        if rows.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRuns));
        }
        let mut run =
            super::blank(Tool::InferencePerf, "inference-perf", input.provenance(self.id(), 0, 1));
        run.provenance.part = Part::Requests;
        fill(&mut run, &rows);
        Ok(vec![run])
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        beside(name)
    }
}

/// Which generation of `info` a row has; later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    /// No token times at all.
    Bare,
    /// `info.output_token_times`: one stamp a line or message.
    Stamps,
    /// `info.response_info`: one stamp a token, special tokens counted with each chunk.
    ResponseInfo,
    /// `info.response_metrics`, or `computed_metrics` without `info`.
    ResponseMetrics,
}

/// One request as written.
struct Row {
    start: Option<f64>,
    end: Option<f64>,
    input: Option<f64>,
    /// Output tokens by the client's tokenizer.
    output: Option<f64>,
    /// Output tokens by the server's usage.
    served: Option<f64>,
    /// Times of tokens, lines or messages on the clock of `start`.
    stamps: Vec<f64>,
    /// Prompt tokens that a cache held, by the server’s usage.
    cached: Option<f64>,
    /// The kind of error, where it failed.
    error: Option<String>,
    shape: Shape,
}

impl Row {
    fn of(tree: &Tree) -> Result<Self, String> {
        if tree.members().is_empty() {
            return Err("not a request of inference-perf".into());
        }
        let computed = tree.get("computed_metrics");
        let info = tree.get("info");
        let under = |key: &str| info.and_then(|info| info.get(key));
        let (shape, metrics) = if let Some(metrics) = under("response_metrics") {
            (Shape::ResponseMetrics, Some(metrics))
        } else if let Some(metrics) = under("response_info") {
            (Shape::ResponseInfo, Some(metrics))
        } else if under("output_token_times").is_some() {
            (Shape::Stamps, info)
        } else if computed.is_some() {
            (Shape::ResponseMetrics, computed)
        } else {
            (Shape::Bare, info)
        };
        let count = |tree: Option<&Tree>, path: &[&str]| {
            tree.and_then(|tree| tree.number_at(path)).filter(|n| *n >= 0.0)
        };
        let start = tree.number_at(&["start_time"]);
        let mut stamps: Vec<f64> = metrics
            .and_then(|metrics| metrics.get("output_token_times"))
            .map(|times| times.list().iter().map(|t| t.number().unwrap_or(f64::NAN)).collect())
            .unwrap_or_default();
        if let (true, Some(start), Some(computed)) = (stamps.is_empty(), start, computed) {
            stamps = computed_stamps(start, computed);
        }
        Ok(Self {
            start,
            end: tree.number_at(&["end_time"]),
            input: count(info, &["request_metrics", "text", "input_tokens"])
                .or_else(|| count(info, &["input_tokens"]))
                .or_else(|| count(computed, &["input_tokens"])),
            output: count(metrics, &["output_tokens"]),
            served: count(metrics, &["server_usage", "completion_tokens"])
                .or_else(|| count(metrics, &["server_usage", "output_tokens"])),
            cached: count(metrics, &["server_usage", "prompt_tokens_details", "cached_tokens"]),
            stamps,
            error: tree.get("error").filter(|error| !error.is_null()).map(error_kind),
            shape,
        })
    }

    fn ok(&self) -> bool {
        self.error.is_none()
    }

    /// Whether its stamps are usable: in order, and none before the start.
    fn in_order(&self) -> bool {
        let first = self.start.unwrap_or(f64::NAN);
        std::iter::once(&first).chain(&self.stamps).is_sorted()
            && self.stamps.iter().all(|stamp| stamp.is_finite())
            && first.is_finite()
    }
}

/// The stamps behind `computed_metrics`, which a file without `info` has: one gap a further token.
fn computed_stamps(start: f64, computed: &Tree) -> Vec<f64> {
    let Some(first) = computed.number_at(&["time_to_first_token"]) else { return Vec::new() };
    let mut at = start + first;
    let mut stamps = vec![at];
    for gap in computed.get("inter_token_latencies").map(Tree::list).unwrap_or_default() {
        at += gap.number().unwrap_or(f64::NAN);
        stamps.push(at);
    }
    stamps
}

/// Names an error without quoting its message.
fn error_kind(error: &Tree) -> String {
    let name = error.text_at(&["error_type"]).or_else(|| error.text()).unwrap_or_default();
    match name.strip_prefix("HTTP Error ") {
        Some(code) if code.len() == 3 && code.bytes().all(|b| b.is_ascii_digit()) => {
            format!("HTTP {code}")
        }
        _ => record::error_kind(name),
    }
}

fn fill(run: &mut Run, rows: &[Row]) {
    let shape = rows.iter().map(|row| row.shape).max().unwrap_or(Shape::Bare);
    let (guess, because) = match shape {
        Shape::Bare => (None, None),
        Shape::Stamps => (Some("0.1.1 to 0.4"), Some("info.output_token_times")),
        Shape::ResponseInfo => (Some("0.5"), Some("info.response_info")),
        Shape::ResponseMetrics => (Some("0.6 on"), Some("info.response_metrics")),
    };
    run.version.guess = guess.map(str::to_owned);
    run.version.because = because.map(|key| format!("it has {key}"));
    run.load.requests = Some(rows.len() as u64);
    let out = &mut run.provenance.notices;
    let requests = table(rows, shape, out);
    note_failed(rows, out);
    slots::note_empty(&requests, out);
    slots::note_not_streamed(&requests, out);
    note_stamps(rows, shape, &requests, out);
    let text = "The latency of a request ends after the client has tokenized the reply, so it is a little \
                longer than the reply took, and more so for long ones.";
    out.add(Severity::Note, "end-after-tokenizing", Place::JsonPath("end_time".into()), text);
    run.requests = Some(requests);
}

fn table(rows: &[Row], shape: Shape, out: &mut Notices) -> Requests {
    let mut requests = Requests::absent(rows.len());
    requests.outcome =
        rows.iter().map(|row| if row.ok() { Outcome::Ok } else { Outcome::Failed }).collect();
    requests.end_rule = EndRule::StreamEnd;
    if shape >= Shape::ResponseInfo {
        requests.first_token_rule = FirstTokenRule::FirstText;
    }
    counts(&mut requests, rows);
    requests.cached_tokens = slots::cached(rows.iter().map(|row| row.cached.filter(|_| row.ok())));
    let derived = |how: &str| Origin::Derived { how: how.to_owned() };
    let first = rows.iter().filter_map(|row| row.start).reduce(f64::min).unwrap_or(0.0);
    requests.start = Column::from_options(
        derived("start_time less the earliest"),
        rows.iter().map(|row| Some(Seconds::from_secs(row.start? - first))),
    );
    // Of failed requests too: the length of the run goes to the last end of any.
    let e2e = rows.iter().map(|row| Some(row.end? - row.start?).filter(|e2e| *e2e >= 0.0));
    requests.e2e = Column::from_options(
        derived("end_time − start_time"),
        e2e.map(|secs| secs.map(Seconds::from_secs)),
    );
    stamps(&mut requests, rows, shape, out);
    requests
}

/// Token counts. The server's is the main one where every finished request has it; the tool itself
/// divides by the client's.
fn counts(requests: &mut Requests, rows: &[Row]) {
    let column = |get: fn(&Row) -> Option<f64>| {
        let values = rows.iter().map(|row| get(row).filter(|_| row.ok()).map(Tokens::from_count));
        let column = Column::from_options(Origin::Reported, values);
        if column.is_absent() { Column::absent(rows.len()) } else { column }
    };
    requests.input_tokens = column(|row| row.input);
    let by_server = |row: &Row| !row.ok() || row.served.is_some();
    if rows.iter().any(|row| row.served.is_some()) && rows.iter().all(by_server) {
        requests.token_source = TokenSource::Server;
        requests.output_tokens = column(|row| row.served);
        requests.retokenized = column(|row| row.output);
    } else {
        requests.token_source = TokenSource::Retokenized;
        requests.output_tokens = column(|row| row.output);
    }
}

/// Times of tokens: first, last, gaps between events, tokens of each event.
fn stamps(requests: &mut Requests, rows: &[Row], shape: Shape, out: &mut Notices) {
    if rows.iter().all(|row| !row.ok() || row.stamps.is_empty()) {
        return;
    }
    let derived = |how: &str| Origin::Derived { how: how.to_owned() };
    requests.ttft = Column::new(derived("first of output_token_times − start_time"));
    requests.last_token = Column::new(derived("last of output_token_times − start_time"));
    requests.gaps = Ragged::new(derived("differences of output_token_times"));
    let per_token = shape >= Shape::ResponseInfo;
    let mut tokens = Ragged::new(derived("equal output_token_times are one event"));
    let mut unusable = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let usable = row.ok() && row.in_order();
        if row.ok() && !usable {
            unusable.push(at);
        }
        let ends = (row.start, row.stamps.first(), row.stamps.last());
        let (Some(start), Some(first), Some(last), true) = (ends.0, ends.1, ends.2, usable) else {
            // Without a stamp no token came: no gaps, which is not the same as gaps not recorded.
            requests.ttft.push(None);
            requests.last_token.push(None);
            requests.gaps.end_row(usable);
            tokens.end_row(usable && per_token);
            continue;
        };
        requests.ttft.push(Some(Seconds::from_secs(first - start)));
        requests.last_token.push(Some(Seconds::from_secs(last - start)));
        let mut before = None;
        let same = |a: &f64, b: &f64| per_token && a.total_cmp(b).is_eq();
        for event in row.stamps.chunk_by(same) {
            let time = event.first().copied().unwrap_or_default();
            if let Some(before) = before {
                requests.gaps.push(Seconds::from_secs(time - before));
            }
            before = Some(time);
            tokens.push(Tokens::from_count(event.len() as f64));
        }
        requests.gaps.end_row(true);
        tokens.end_row(per_token);
    }
    if per_token {
        requests.event_tokens = tokens;
    }
    let text = "The token times of a request are not in order or missing: none of them is used.";
    slots::flag(out, Severity::Warn, "unusable-times", &unusable, text);
}

fn note_failed(rows: &[Row], out: &mut Notices) {
    let failed: Vec<usize> =
        (0..rows.len()).filter(|at| rows.get(*at).is_some_and(|r| !r.ok())).collect();
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for kind in rows.iter().filter_map(|row| row.error.as_deref()) {
        *kinds.entry(kind).or_default() += 1;
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let named: Vec<_> =
        kinds.iter().take(4).map(|(kind, count)| format!("{count} × {kind}")).collect();
    let text = format!(
        "Failed requests are counted, and none of their values is a sample ({}).",
        named.join(", ")
    );
    slots::flag(out, Severity::Warn, "failed-requests", &failed, &text);
}

/// A median gap below this share of the mean says that each token was stamped twice or more.
const TWICE: f64 = 0.01;
/// Stamps this many times the server's tokens say that each chunk was counted with a begin token.
const INFLATED: f64 = 1.2;

/// What the stamps of this generation are, and whether they are too many.
fn note_stamps(rows: &[Row], shape: Shape, requests: &Requests, out: &mut Notices) {
    let place = || Place::JsonPath("info.output_token_times".into());
    if requests.gaps.is_absent() {
        let text = "No token times: the file has latencies and token counts only.";
        out.add(Severity::Note, "no-token-times", Place::WholeFile, text);
        return;
    }
    if shape == Shape::Stamps {
        let mut text = String::from(
            "Each time is that of a line or message of the stream, not of a token; those without text, \
             such as the role, the usage and the end marker, are among them.",
        );
        let mut gaps: Vec<f64> = requests.gaps.values().iter().map(|gap| gap.as_secs()).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len().max(1) as f64;
        let middle = gaps.len() / 2;
        let doubled =
            middle > 0 && *gaps.select_nth_unstable_by(middle, f64::total_cmp).1 < TWICE * mean;
        if doubled {
            text.push_str(
                " More than half of the gaps are next to nothing: most tokens have two stamps, so the \
                 tool’s ITL and TPOT are about half of the true ones.",
            );
        }
        let severity = if doubled { Severity::Warn } else { Severity::Note };
        out.add(severity, if doubled { "double-stamps" } else { "stamps" }, place(), text);
        return;
    }
    let of = |get: fn(&Row) -> f64| {
        rows.iter().filter(|row| row.ok() && row.served.is_some()).map(get).sum::<f64>()
    };
    let (stamped, served) =
        (of(|row| row.stamps.len() as f64), of(|row| row.served.unwrap_or(0.0)));
    let pairs = requests.event_tokens.values().iter().all(|n| n.count() >= 2.0);
    if stamped > INFLATED * served && served > 0.0 {
        let mut text = format!("There are {stamped} token times for {served} tokens of the server");
        if shape == Shape::ResponseInfo {
            text.push_str(
                ": inference-perf 0.5 adds a begin token to each chunk with some tokenizers",
            );
        }
        let _ = write!(text, ". The tool’s ITL is too low by that; gaps between chunks are right.");
        out.add(Severity::Warn, "too-many-times", place(), text);
    } else if shape == Shape::ResponseInfo && served <= 0.0 && pairs {
        let text = "Every chunk counts as two tokens or more, as if inference-perf 0.5 had added a begin \
                    token to each: output tokens may be too many, and the tool’s ITL and TPOT too low.";
        out.add(Severity::Warn, "too-many-times", place(), text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::metrics::own;

    fn choice(run: &Run, dimension: &str) -> String {
        own(run).settings.value(dimension).unwrap()
    }

    fn one(text: &str) -> Run {
        read("a.json", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    #[test]
    fn equal_times_are_one_event_of_several_tokens() {
        let run = one(
            r#"[{"start_time": 10.0, "end_time": 10.5, "request": "{\"x\": 1}", "response": "",
            "info": {"request_metrics": {"text": {"input_tokens": 7}}, "response_metrics":
            {"output_tokens": 4, "server_usage": {"completion_tokens": 4,
            "prompt_tokens_details": {"cached_tokens": 5}},
            "output_token_times": [10.1, 10.2, 10.2, 10.4]}}, "error": null}]"#,
        );
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(requests.cached_tokens.get(0).map(Tokens::count), Some(5.0));
        assert_eq!(requests.gaps.row(0).map(<[_]>::len), Some(2));
        let tokens: Vec<f64> = requests.event_tokens.values().iter().map(|n| n.count()).collect();
        assert_eq!(tokens, [1.0, 2.0, 1.0]);
        assert_eq!(requests.input_tokens.get(0).map(Tokens::count), Some(7.0));
        assert_eq!(choice(&run, "itl"), "token-zeros");
        assert_eq!(choice(&run, "token-count"), "retokenized");
    }

    #[test]
    fn stamps_of_lines_are_no_tokens() {
        let run = one(r#"[{"start_time": 10.0, "end_time": 10.5, "request": "", "response": "",
            "info": {"input_tokens": 7, "output_tokens": 3,
            "output_token_times": [10.1, 10.1, 10.2, 10.20001, 10.3, 10.30001]}, "error": null}]"#);
        let requests = run.requests.as_ref().unwrap();
        assert!(requests.event_tokens.is_absent());
        assert_eq!(requests.gaps.row(0).map(<[_]>::len), Some(5));
        assert_eq!(requests.token_source, TokenSource::Retokenized);
        assert_eq!(choice(&run, "tpot"), "visible-gaps");
        assert_eq!(choice(&run, "itl"), "event-gap");
        assert!(run.provenance.notices.iter().any(|n| n.kind == "double-stamps"));
    }

    #[test]
    fn without_info_the_computed_values_serve() {
        let run = one(r#"[{"start_time": 10.0, "end_time": 10.5, "computed_metrics":
            {"time_to_first_token": 0.25, "inter_token_latencies": [0.0, 0.125], "output_tokens": 3,
            "input_tokens": 2}, "error": null}]"#);
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(requests.ttft.get(0).map(Seconds::as_secs), Some(0.25));
        assert_eq!(requests.gaps.row(0).map(<[_]>::len), Some(1));
    }

    #[test]
    fn errors_are_named_not_quoted() {
        let run = one(
            r#"[{"start_time": 1.0, "end_time": 2.0, "request": "", "response": "", "info": null,
            "error": {"error_type": "HTTP Error 500", "error_msg": "key sk-1"}},
            {"start_time": 1.0, "end_time": 2.0, "info": {"input_tokens": 0}, "error": "http://10.0.0.1"}]"#,
        );
        let notice = run.provenance.notices.iter().find(|n| n.kind == "failed-requests").unwrap();
        assert!(notice.text.contains("1 × HTTP 500, 1 × other error"), "{}", notice.text);
        assert_eq!(run.requests.as_ref().unwrap().count(Outcome::Failed), 2);
    }

    #[test]
    fn times_out_of_order_are_not_used() {
        let run =
            one(r#"[{"start_time": 10.0, "end_time": 10.5, "request": "", "response": "", "info":
            {"response_metrics": {"output_tokens": 2, "output_token_times": [10.2, 10.1]}},
            "error": null}]"#);
        let requests = run.requests.as_ref().unwrap();
        assert!(requests.ttft.is_absent() && requests.gaps.is_absent());
        assert!(run.provenance.notices.iter().any(|n| n.kind == "unusable-times"));
    }
}
