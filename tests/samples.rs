//! The built-in samples as the page opens them: five tools on one server, and a sweep.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

use sameruler::engine::import::import;
use sameruler::engine::{Answer, Query, Session};
use sameruler::model::{Metric, Run, Stat};
use sameruler::views::Context;
use sameruler::views::compare::{CellValue, CompareView};
use std::path::Path;

const FOLDER: &str = "samples/several-tokens-a-chunk";
const FILES: [&str; 7] = [
    "vllm.json",
    "sglang.jsonl",
    "aiperf/profile_export.jsonl",
    "aiperf/profile_export_aiperf.json",
    "guidellm.json",
    "inference-perf/per_request_lifecycle_metrics.json",
    "inference-perf/summary_lifecycle_metrics.json",
];

fn session() -> Session {
    let mut session = Session::new();
    for file in FILES {
        let name = format!("{FOLDER}/{file}");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("public").join(&name);
        let bytes = std::fs::read(path).unwrap();
        session.adopt(import(&name, &mut &*bytes, false, &mut |_, _, _, _| {}).whole().unwrap());
    }
    session
}

fn compare(session: &Session, stat: Stat, leave: &[&str]) -> CompareView {
    let kept = |run: &&&Run| !leave.contains(&run.tool.name());
    let context = Context {
        runs: session.runs().iter().filter(kept).map(|run| run.id.clone()).collect(),
        stat,
        ..Context::default()
    };
    match session.answer(&context, &Query::Compare) {
        Answer::Compare(view) => view,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rows_and_summaries_are_one_run_each() {
    let session = session();
    let names: Vec<&str> = session.runs().iter().map(|run| run.tool.name()).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    let itl = |run: &Run| run.reported.find(Metric::Itl, Stat::Median).map(|v| v.value);
    assert!(session.runs().iter().all(|run| run.requests.is_some() && itl(run).is_some()));
}

#[test]
fn the_finding_is_about_all_five() {
    let view = compare(&session(), Stat::Median, &[]);
    assert_eq!(
        view.headline,
        "5 tools print a median ITL from 0.0 to 29.6 ms at about the same TPOT"
    );
    assert_eq!(
        view.detail,
        "vLLM counts one gap a stream event; inference-perf counts zeros between the tokens of one \
         event. On one ruler the 4 that can be recomputed read 29.1 to 30.0 ms."
    );
    assert_eq!(view.strip.unwrap().marks.len(), 5);
}

#[test]
fn on_one_ruler_all_five_have_about_the_same_tpot() {
    let view = compare(&session(), Stat::Median, &[]);
    let row = view.groups.iter().flat_map(|g| &g.rows).find(|r| r.metric == Metric::Tpot).unwrap();
    let values: Vec<f64> = row
        .cells
        .iter()
        .map(|cell| match &cell.value {
            CellValue::Plain { text, .. } => text.parse().unwrap(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(values, [13.53, 13.56, 13.86, 13.44, 13.96]);
}

#[test]
fn two_tools_are_still_told_by_their_ratio() {
    let view = compare(&session(), Stat::Median, &["AIPerf", "GuideLLM", "inference-perf"]);
    assert_eq!(view.headline, "vLLM shows 2.8 times the ITL of SGLang at the same TPOT");
}
