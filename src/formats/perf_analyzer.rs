//! The export of Triton's Perf Analyzer, which GenAI-Perf works its numbers out of: `profile_export.json`.

use super::documents::{self, Document, Ticker};
use super::error::Fault;
use super::perf_analyzer_replies::{Callback, Replies, replies};
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict, genai_perf};
use crate::model::{
    Column, EndRule, FirstTokenRule, Load, Origin, Outcome, Part, Ragged, RequestRate, Requests,
    Run, TokenSource, Tool,
};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Seconds, Tokens};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Perf Analyzer's export.
pub(super) struct PerfAnalyzer;

static ABOUT: About = About {
    name: "Perf Analyzer",
    file: "`genai-perf profile` or `perf_analyzer --profile-export-file`: `profile_export.json`",
    versions: "perf_analyzer up to December 2025",
    recognised: "`experiments` with `requests` that have `response_timestamps`",
    reads: &[
        "one run an experiment; its concurrency or rate",
        "every request: send time, times of all replies with text, first text of any kind and first answer \
         text",
        "pieces of a stream event are joined, empty events, usage and end markers left out, as GenAI-Perf does",
        "tokens where the server sent its usage",
    ],
    limits: &[
        "a time is that of a callback of the transport, not of a token; one may bring several events",
        "without a usage event there are no token counts: GenAI-Perf tokenizes the texts, and its summary \
         has the result",
        "a reply without answer text has no sample under GenAI-Perf’s ruler, but counts in its request \
         throughput",
        "failed requests end the tool and are not in the file, nor is the warm-up",
        "prompts and texts are not kept",
    ],
}.lean();

impl Format for PerfAnalyzer {
    fn id(&self) -> &'static str {
        "perf-analyzer"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["experiments"]) {
            if head.contains("\"response_timestamps\"") || head.has_keys(&["service_kind"]) {
                return Verdict::Certain("it has experiments with response_timestamps".into());
            }
            if head.contains("\"request_inputs\"") {
                return Verdict::Likely("it has experiments with request_inputs".into());
            }
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let seed = Walk { ticker: &ticker, level: Level::File };
        let found = documents::read(input.text, seed, &ticker, out)?;
        let all: Vec<(Experiment, File)> =
            found.into_iter().flat_map(|Document { value, .. }| value.runs()).collect();
        let of = all.len();
        Ok(super::name_apart(
            all.into_iter()
                .enumerate()
                .map(|(index, (experiment, file))| {
                    let mut provenance = input.provenance(self.id(), index, of);
                    provenance.part = Part::Events;
                    let mut run = super::blank(Tool::PerfAnalyzer, "Perf Analyzer", provenance);
                    fill(&mut run, &experiment, &file);
                    run
                })
                .collect(),
            "experiment",
        ))
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_suffix(".json")
    }

    fn beside(&self, name: &str) -> Vec<String> {
        self.stem(name).map_or_else(Vec::new, |stem| genai_perf::beside(stem, ".json"))
    }
}

/// What of the file holds for all its experiments.
#[derive(Clone, Default)]
struct File {
    service: Option<String>,
    endpoint: Option<String>,
}

/// One experiment: a load and its requests.
#[derive(Default)]
struct Experiment {
    mode: Option<String>,
    level: Option<f64>,
    windows: usize,
    requests: Vec<Request>,
}

/// One request; times in nanoseconds.
struct Request {
    sent: Option<i128>,
    replies: Replies,
}

/// What a level of the file becomes.
#[derive(Default)]
struct Content {
    file: File,
    experiments: Vec<Experiment>,
    experiment: Experiment,
}

impl Content {
    fn runs(self) -> impl Iterator<Item = (Experiment, File)> {
        let Self { file, experiments, .. } = self;
        experiments.into_iter().map(move |experiment| (experiment, file.clone()))
    }
}

/// Walks down to the requests without building what lies around them: a file has millions of replies.
#[derive(Clone, Copy)]
struct Walk<'t> {
    ticker: &'t Ticker<'t>,
    level: Level,
}

#[derive(Clone, Copy, PartialEq)]
enum Level {
    File,
    Experiment,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = Content;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Content, D::Error> {
        de.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = Content;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an export of Perf Analyzer")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Content, A::Error> {
        let mut content = Content::default();
        // A request's input may hold a whole conversation, and a key in its headers.
        let seed = TreeSeed { skip: &["request_inputs"], ticker: self.ticker };
        while let Some(key) = map.next_key::<String>()? {
            match (self.level, key.as_str()) {
                (Level::File, "experiments") => {
                    let each = Walk { level: Level::Experiment, ..self };
                    let found = map.next_value_seed(List { seed: each, ticker: None })?;
                    content.experiments = found.into_iter().map(|c| c.experiment).collect();
                }
                (Level::File, "service_kind") => {
                    content.file.service = text(&map.next_value_seed(seed)?);
                }
                (Level::File, "endpoint") => {
                    content.file.endpoint = text(&map.next_value_seed(seed)?);
                }
                (Level::Experiment, "experiment") => {
                    let tree = map.next_value_seed(seed)?;
                    content.experiment.mode = tree.text_at(&["mode"]).map(str::to_owned);
                    content.experiment.level = tree.number_at(&["value"]);
                }
                (Level::Experiment, "requests") => {
                    let list = List { seed: RequestSeed(seed), ticker: Some(self.ticker) };
                    content.experiment.requests = map.next_value_seed(list)?;
                }
                (Level::Experiment, "window_boundaries") => {
                    let edges = map.next_value_seed(seed)?;
                    content.experiment.windows = edges.list().len().saturating_sub(1);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(content)
    }
}

fn text(tree: &Tree) -> Option<String> {
    tree.text().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A list whose elements are read by one seed.
struct List<'t, S> {
    seed: S,
    ticker: Option<&'t Ticker<'t>>,
}

impl<'de, S: DeserializeSeed<'de> + Copy> DeserializeSeed<'de> for List<'_, S> {
    type Value = Vec<S::Value>;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Self::Value, D::Error> {
        de.deserialize_seq(self)
    }
}

impl<'de, S: DeserializeSeed<'de> + Copy> Visitor<'de> for List<'_, S> {
    type Value = Vec<S::Value>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = seq.next_element_seed(self.seed)? {
            all.push(one);
            if let Some(ticker) = self.ticker {
                ticker.add(1);
            }
        }
        Ok(all)
    }
}

/// One request, whose texts are gone as soon as it is read.
#[derive(Clone, Copy)]
struct RequestSeed<'t>(TreeSeed<'t>);

impl<'de> DeserializeSeed<'de> for RequestSeed<'_> {
    type Value = Request;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Request, D::Error> {
        self.0.deserialize(de).map(|tree| request(&tree))
    }
}

fn request(tree: &Tree) -> Request {
    let times = tree.get("response_timestamps").map(Tree::list).unwrap_or_default();
    let outputs = tree.get("response_outputs").map(Tree::list).unwrap_or_default();
    let callbacks = times
        .iter()
        .enumerate()
        .filter_map(|(at, time)| {
            let text = outputs.get(at).and_then(|output| output.get("response"));
            Some(Callback { at: time.int()?, text: text.and_then(Tree::text).map(str::to_owned) })
        })
        .collect();
    Request { sent: tree.get("timestamp").and_then(Tree::int), replies: replies(callbacks) }
}

fn fill(run: &mut Run, experiment: &Experiment, file: &File) {
    run.load = load(experiment);
    run.workload.backend.clone_from(&file.service);
    run.workload.endpoint = file.endpoint.as_deref().map(|endpoint| match endpoint {
        endpoint if endpoint.contains("chat") => "chat".to_owned(),
        endpoint if endpoint.contains("completions") => "completions".to_owned(),
        endpoint if endpoint.contains("embeddings") => "embeddings".to_owned(),
        other => other.rsplit('/').next().unwrap_or(other).to_owned(),
    });
    if let Some(mode) = &experiment.mode {
        run.workload.settings.push(("mode".into(), mode.clone()));
    }
    if !experiment.requests.is_empty() {
        run.requests = Some(table(&experiment.requests));
    }
    notices(experiment, run.requests.as_ref(), &mut run.provenance.notices);
}

/// A rate of 0 says that requests followed a schedule or a session.
fn load(experiment: &Experiment) -> Load {
    let level = experiment.level.filter(|level| (0.0..1e12).contains(level) && *level > 0.0);
    let mut load = Load { requests: Some(experiment.requests.len() as u64), ..Load::default() };
    match experiment.mode.as_deref() {
        Some("concurrency") => load.max_concurrency = level.map(|level| level as u64),
        Some("request_rate") => load.request_rate = level.map(RequestRate::PerSecond),
        _ => {}
    }
    load
}

fn table(all: &[Request]) -> Requests {
    let nanos = || Origin::Converted { from: "ns".into() };
    let since = |from: Option<i128>, to: Option<i128>| {
        let span = to?.checked_sub(from?).filter(|span| *span >= 0)?;
        Some(Seconds::from_nanos(span as f64))
    };
    let ok = |request: &Request| !request.replies.failed;
    let times = |to: &dyn Fn(&Replies) -> Option<i128>| {
        let one =
            |request: &Request| since(request.sent, to(&request.replies).filter(|_| ok(request)));
        Column::from_options(nanos(), all.iter().map(one))
    };
    let counts = |at: usize| {
        let one = |request: &Request| {
            let count = request.replies.usage.get(at).copied().flatten()?;
            (count >= 0.0 && ok(request)).then(|| Tokens::from_count(count))
        };
        let column = Column::from_options(Origin::Reported, all.iter().map(one));
        if column.is_absent() { Column::absent(all.len()) } else { column }
    };
    let mut requests = Requests::absent(all.len());
    let outcome = |request: &Request| if ok(request) { Outcome::Ok } else { Outcome::Failed };
    requests.outcome = all.iter().map(outcome).collect();
    requests.input_tokens = counts(0);
    requests.output_tokens = counts(1);
    if !requests.output_tokens.is_absent() {
        requests.token_source = TokenSource::Server;
    }
    requests.first_token_rule = FirstTokenRule::FirstText;
    requests.end_rule = EndRule::LastToken;
    requests.e2e = times(&|replies| replies.events.last().copied());
    let zero = all.iter().filter_map(|request| request.sent).min();
    requests.start =
        Column::from_options(nanos(), all.iter().map(|request| since(zero, request.sent)));
    // Embeddings and rankings are no tokens.
    if all.iter().any(|request| request.replies.other) {
        return requests;
    }
    requests.ttft = times(&|replies| replies.events.first().copied());
    requests.first_answer = times(&|replies| replies.answer);
    let mut gaps = Ragged::new(nanos());
    for request in all {
        for pair in request.replies.events.windows(2) {
            if let [one, next] = pair {
                gaps.push(since(Some(*one), Some(*next)).unwrap_or(Seconds::ZERO));
            }
        }
        gaps.end_row(ok(request) && !request.replies.events.is_empty());
    }
    requests.gaps = gaps;
    requests
}

fn notices(experiment: &Experiment, requests: Option<&Requests>, out: &mut Notices) {
    if experiment.windows > 1 {
        let text = format!(
            "The requests of all {} measurement windows are in the file, also of those before the \
             numbers were stable.",
            experiment.windows
        );
        out.add(Severity::Note, "several-windows", Place::WholeFile, text);
    }
    let scheduled =
        experiment.mode.as_deref() == Some("request_rate") && experiment.level == Some(0.0);
    if scheduled {
        let text = "Requests followed a schedule or sessions: there is no one rate.";
        out.add(Severity::Note, "scheduled", Place::JsonPath("experiment.value".into()), text);
    }
    let Some(requests) = requests else { return };
    if requests.output_tokens.is_absent() && !requests.ttft.is_absent() {
        let text = "The file holds no token counts, since the server sent no usage: nothing per token \
                    can be computed. GenAI-Perf’s summary beside it has what the tool counted.";
        out.add(Severity::Warn, "no-token-counts", Place::WholeFile, text);
    }
    let rows = |pick: &dyn Fn(usize) -> bool| (0..requests.len()).filter(|at| pick(*at)).collect();
    let failed: Vec<usize> = rows(&|at| requests.outcome.get(at) == Some(&Outcome::Failed));
    let text = "Failed requests are counted, and none of their values is a sample.";
    super::slots::flag(out, Severity::Warn, "failed-requests", &failed, text);
    let silent: Vec<usize> = rows(&|at| requests.lacks_answer(at));
    let text = "A reply holds reasoning or tool calls and no answer text: GenAI-Perf leaves it out of \
                everything but its request throughput.";
    super::slots::flag(out, Severity::Warn, "no-answer", &silent, text);
    super::slots::note_empty(requests, out);
    super::slots::note_not_streamed(requests, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::model::Metric;

    const OPEN: &str =
        r#"{"experiments":[{"experiment":{"mode":"request_rate","value":0.0},"requests":["#;
    const CLOSE: &str = r#"],"window_boundaries":[0,18446744073709551615]}],"version":"x","service_kind":"triton","endpoint":""}"#;

    #[test]
    fn tensors_of_triton_are_replies_and_sessions_have_no_rate() {
        let request = r#"{"timestamp":1768000000000000001,"request_inputs":{"text_input":"secret"},
            "response_timestamps":[1768000000500000001,1768000000600000001],
            "response_outputs":[{"text_output":"a"},{"text_output":"b"}]}"#;
        let run =
            read("x", format!("{OPEN}{request}{CLOSE}").as_bytes(), &mut |_| {}).unwrap().remove(0);
        assert_eq!(run.load.request_rate, None);
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(requests.ttft.get(0).map(Seconds::as_millis), Some(500.0));
        assert_eq!(requests.gaps.row(0).map(<[_]>::len), Some(1));
        assert!(run.provenance.notices.iter().any(|n| n.kind == "scheduled"));
        assert!(!format!("{run:?}").contains("secret"));
        assert_eq!(run.reported.value(Metric::Duration), None);
    }

    #[test]
    fn an_experiment_without_requests_and_clocks_that_run_back() {
        let run = read("x", format!("{OPEN}{CLOSE}").as_bytes(), &mut |_| {}).unwrap().remove(0);
        assert!(run.requests.is_none());
        let back = r#"{"timestamp":9,"response_timestamps":[3],"response_outputs":[{"t":1}]}"#;
        let run =
            read("x", format!("{OPEN}{back}{CLOSE}").as_bytes(), &mut |_| {}).unwrap().remove(0);
        assert!(run.requests.unwrap().ttft.is_absent());
    }
}
