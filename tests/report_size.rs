//! Sizes of reports against their budgets.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

use sameruler::engine::import::import;
use sameruler::engine::protocol::{ReportRequest, SaveRequest};
use sameruler::engine::{Answer, Query, Session};
use sameruler::model::{Level, Stat};
use sameruler::views::Context;

/// Four sweeps of eight loads, as the budget of the specification has them (`product.md` D.2).
#[test]
fn a_report_of_four_sweeps_of_eight_loads_is_small() {
    let mut session = Session::new();
    for engine in ["a", "b", "c", "d"] {
        for (at, rate) in [4.0, 8.0, 12.0, 16.0, 20.0, 26.0, 27.0, 28.0].into_iter().enumerate() {
            let source = ["04", "08", "12", "16", "20", "26", "26", "26"][at];
            let path = format!(
                "{}/public/samples/sweep/vllm-rate{source}.json",
                env!("CARGO_MANIFEST_DIR")
            );
            let mut file: serde_json::Value =
                serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            file["model_id"] = engine.into();
            file["request_rate"] = rate.into();
            let name = format!("{engine}/rate{rate}.json");
            let text = file.to_string();
            session.adopt(import(&name, &mut text.as_bytes(), false, &mut |_, _, _, _| {}).runs);
        }
    }
    assert_eq!(session.runs().len(), 32);
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        limits: vec!["ttft<=250ms".parse().unwrap(), "tpot<=18ms".parse().unwrap()],
        ..Context::default()
    };
    let report = Query::Report(ReportRequest {
        stats: vec![Stat::Median, Stat::Percentile(99.0)],
        data: Some(SaveRequest { level: Level::Aggregates, ..SaveRequest::default() }),
        ..ReportRequest::default()
    });
    let Answer::Report { html, outline, .. } = session.answer(&context, &report) else {
        panic!("another answer");
    };
    assert!(html.len() < 400_000, "{} bytes: {outline:#?}", html.len());
    assert!(html.len() > 200_000, "all of it is there");
}
