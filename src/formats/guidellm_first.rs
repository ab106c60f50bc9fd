//! Reports of GuideLLM 0.1, whose benchmarks stand one level deeper and hold the gaps of each request.

use super::tree::Tree;
use crate::model::{
    Column, EndRule, FirstTokenRule, Load, Origin, Outcome, Provenance, Ragged, RequestRate,
    Requests, Run, TokenSource, Tool, ToolVersion,
};
use crate::units::{Seconds, Tokens};

/// The benchmarks in one element of a report: those of a group of 0.1 with their group, any other by
/// itself.
pub(super) fn unfold(element: &Tree) -> Vec<(Option<&Tree>, &Tree)> {
    match element.get("benchmarks") {
        Some(benchmarks) => benchmarks.list().iter().map(|one| (Some(element), one)).collect(),
        None if element.get("results").is_some() => vec![(Some(element), element)],
        None => vec![(None, element)],
    }
}

/// The run of one benchmark of a group.
pub(super) fn run(group: &Tree, benchmark: &Tree, provenance: Provenance) -> Run {
    let mode = benchmark.text_at(&["mode"]).unwrap_or("unknown");
    let rate = benchmark.number_at(&["rate"]).filter(|rate| *rate > 0.0);
    let name = match (mode, rate) {
        ("synchronous", _) => "GuideLLM, one at a time".to_owned(),
        ("throughput", _) => "GuideLLM, all at once".to_owned(),
        (mode, Some(rate)) => format!("GuideLLM, {mode} {} req/s", super::rate_words(rate)),
        (mode, None) => format!("GuideLLM, {mode}"),
    };
    let mut run = super::blank(Tool::Guidellm, &name, provenance);
    run.version = ToolVersion {
        exact: None,
        guess: Some("0.1".into()),
        because: Some("its benchmarks stand inside other benchmarks and have results".into()),
    };
    run.load = Load {
        request_rate: match mode {
            "throughput" => Some(RequestRate::Unlimited),
            "synchronous" => None,
            _ => rate.map(RequestRate::PerSecond),
        },
        max_concurrency: (mode == "synchronous").then_some(1),
        ..Load::default()
    };
    let text = |key: &str| group.text_at(&["args", key]).map(str::to_owned);
    run.workload.model = text("model");
    run.workload.tokenizer = text("tokenizer");
    run.workload.dataset = text("data");
    run.workload.backend = text("backend").or_else(|| text("backend_type"));
    run.workload.settings = vec![("mode".to_owned(), mode.to_owned())];
    run.requests = requests(benchmark);
    run
}

fn requests(benchmark: &Tree) -> Option<Requests> {
    let list = |key: &str| benchmark.get(key).map_or(&[][..], Tree::list);
    let (results, errors) = (list("results"), list("errors"));
    let len = results.len() + errors.len();
    if len == 0 {
        return None;
    }
    let ok = |pick: fn(&Tree) -> Option<f64>| {
        let failed = errors.iter().map(|_| None);
        results.iter().map(pick).chain(failed).collect::<Vec<Option<f64>>>()
    };
    let seconds = |origin: Origin, values: Vec<Option<f64>>| {
        Column::from_options(origin, values.into_iter().map(|v| v.map(Seconds::from_secs)))
    };
    let tokens = |values: Vec<Option<f64>>| {
        Column::from_options(
            Origin::Reported,
            values.into_iter().map(|v| v.map(Tokens::from_count)),
        )
    };
    let starts = ok(|result| result.number_at(&["start_time"]));
    let first = starts.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let starts = starts.into_iter().map(|start| Some(start? - first)).collect();
    let derived = |how: &str| Origin::Derived { how: how.to_owned() };
    let mut requests = Requests::absent(len);
    requests.outcome =
        results.iter().map(|_| Outcome::Ok).chain(errors.iter().map(|_| Outcome::Failed)).collect();
    requests.input_tokens = tokens(ok(|result| result.number_at(&["prompt_token_count"])));
    requests.output_tokens = tokens(ok(|result| result.number_at(&["output_token_count"])));
    // Words are counted where the server gave no usage, and the file does not say which.
    requests.token_source = TokenSource::Unknown;
    // Although its name says a time, it is the span from the start.
    requests.ttft = seconds(Origin::Reported, ok(|result| result.number_at(&["first_token_time"])));
    requests.first_token_rule = FirstTokenRule::FirstAnswer;
    requests.e2e = seconds(
        derived("end_time − start_time"),
        ok(|result| Some(result.number_at(&["end_time"])? - result.number_at(&["start_time"])?)),
    );
    requests.end_rule = EndRule::StreamEnd;
    requests.start = seconds(derived("start_time − first start_time"), starts);
    let mut gaps = Ragged::new(Origin::Reported);
    for result in results {
        let times = result.at(&["decode_times", "data"]);
        let row = times.map(|times| {
            times.list().iter().filter_map(Tree::number).map(Seconds::from_secs).collect::<Vec<_>>()
        });
        gaps.push_row(row.as_deref());
    }
    for _ in errors {
        gaps.push_row(None);
    }
    requests.gaps = gaps;
    Some(requests)
}
