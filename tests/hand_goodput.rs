//! Goodput under limits of every kind, the SLO in words, and capacity: worked examples of the
//! definitions page and public faults (retold in the design's hand.md), each named after its id.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, assert_close, run, settings};
use sameruler::engine::import::import;
use sameruler::engine::{Answer, Query, Session};
use sameruler::metrics::{
    Ask, COMMON, Goodput, GoodputResult, Replica, Settings, Within, evaluate, plan,
};
use sameruler::model::{Limit, Metric, Run, Stat};
use sameruler::views::Context;
use sameruler::views::compare::{CellValue, CompareView};
use sameruler::views::curves::{CurveAxes, CurvesView, LoadAxis};
use sameruler::views::slo::{SloView, statement};

fn limits(texts: &[&str]) -> Vec<Limit> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn judged(run: &Run, settings: &Settings, slo: &[&str]) -> GoodputResult {
    evaluate(run, settings, &Ask { limits: limits(slo), ..Ask::default() }).goodput
}

fn goodput(run: &Run, settings: &Settings, slo: &[&str]) -> Goodput {
    match judged(run, settings, slo) {
        GoodputResult::Known(goodput) => goodput,
        other => panic!("{other:?}"),
    }
}

fn good(run: &Run, settings: &Settings, slo: &[&str]) -> f64 {
    goodput(run, settings, slo).good.exact().unwrap()
}

fn session(files: &[(&str, String)]) -> (Session, Context) {
    let mut session = Session::new();
    for (name, text) in files {
        let read = import(name, &mut text.as_bytes(), false, &mut |_, _, _, _| {});
        session.adopt(read.whole().unwrap());
    }
    let runs = session.runs().iter().map(|run| run.id.clone()).collect();
    (session, Context { runs, ..Context::default() })
}

fn compare(session: &Session, context: &Context) -> CompareView {
    match session.answer(context, &Query::Compare) {
        Answer::Compare(view) => view,
        other => panic!("{other:?}"),
    }
}

fn curves(session: &Session, context: &Context, axes: CurveAxes) -> CurvesView {
    match session.answer(context, &Query::Curves { axes }) {
        Answer::Curves(view) => view,
        other => panic!("{other:?}"),
    }
}

fn plain(value: &CellValue) -> &str {
    match value {
        CellValue::Plain { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn limits_on_itl_hold_an_aggregate_of_each_request() {
    let run = run(Table::new()
        .row(100.0, &[10.0, 10.0, 10.0, 100.0], 5.0)
        .row(100.0, &[20.0; 4], 5.0)
        .duration(4.0));
    let common = &COMMON.settings;
    assert_close(good(&run, common, &["itl.max<=99ms"]), 1.0);
    assert_close(good(&run, common, &["itl.max<=100ms"]), 2.0);
    assert_close(good(&run, common, &["itl.mean<=32.4ms"]), 1.0);
    assert_close(good(&run, common, &["itl.mean<=32.5ms"]), 2.0);
    assert_close(good(&run, common, &["itl.p50<=10ms"]), 1.0);
    // Linear: three quarters between 10 and 100 of the first, at p90 of four gaps 10 + 0.7 × 90 = 73.
    assert_close(good(&run, common, &["itl.p90<=73.001ms"]), 2.0);
    assert_close(good(&run, common, &["itl.p90<=72.9ms"]), 1.0);
    let nearest = settings(&[("percentile", "nearest-rank")]);
    assert_close(good(&run, &nearest, &["itl.p90<=73.001ms"]), 1.0);
    let both = goodput(&run, common, &["itl.p50<=10ms", "itl.max<=99ms"]);
    assert_close(both.good.exact().unwrap(), 0.0);
    assert_eq!(both.each.len(), 2, "two limits on one metric stand beside each other");
}

#[test]
fn limits_on_itl_follow_its_definition() {
    let run =
        run(Table::new().row(500.0, &[300.0, 100.0], 9.0).events(&[1.0, 6.0, 2.0]).duration(1.0));
    let spread = settings(&[("itl", "token-spread")]);
    assert_close(good(&run, &spread, &["itl.max<=50ms"]), 1.0);
    assert_close(good(&run, &COMMON.settings, &["itl.max<=50ms"]), 0.0);
    let whole = settings(&[("itl", "request-mean")]);
    assert_close(good(&run, &whole, &["itl.p99<=50ms"]), 1.0);
    let unknown = build::run(Table::new().row(500.0, &[300.0, 100.0], 9.0).duration(1.0));
    assert_close(good(&unknown, &spread, &["itl.mean<=50ms"]), 1.0);
    let got = judged(&unknown, &spread, &["itl.max<=50ms"]);
    assert!(
        matches!(&got, GoodputResult::Unavailable(why) if why.contains("only the mean")),
        "{got:?}"
    );
}

#[test]
fn h1_a_limit_that_grows_with_a_length_that_is_not_known_follows_the_policy() {
    let unknown = f64::NAN;
    let mut run = run(Table::new()
        .whole(500.0, 900.0, 11.0)
        .whole(501.0, 900.0, 11.0)
        .whole(100.0, 900.0, 11.0)
        .input(&[256.0, 256.0, unknown])
        .duration(10.0));
    let lengths = [Some(256.0), Some(256.0), None];
    run.requests.as_mut().unwrap().input_tokens = sameruler::model::Column::from_options(
        sameruler::model::Origin::Reported,
        lengths.iter().map(|n| n.map(sameruler::units::Tokens::from_count)),
    );
    let of = |policy| {
        let set = settings(&[("goodput-missing", policy)]);
        goodput(&run, &set, &["ttft<=input_tokens/512s"])
    };
    assert_close(of("passes").good.exact().unwrap(), 2.0);
    assert_close(of("fails").good.exact().unwrap(), 1.0);
    let apart = of("not-applicable");
    assert_eq!((apart.good.exact(), apart.of, apart.not_applicable), (Some(1.0), 2.0, 1));
    run.requests.as_mut().unwrap().input_tokens = sameruler::model::Column::absent(3);
    let got = judged(&run, &COMMON.settings, &["ttft<=input_tokens/512s"]);
    assert!(
        matches!(&got, GoodputResult::Unavailable(why) if why.contains("no input tokens")),
        "{got:?}"
    );
    let output = ["e2e<=0.35s+output_tokens*50ms"];
    assert_close(good(&run, &COMMON.settings, &output), 3.0);
}

#[test]
fn h3_the_joint_share_stands_first_then_each_limit_and_which_binds() {
    let sent = [(0.1, 0.01), (0.1, 0.01), (0.1, 0.1), (0.9, 0.01)];
    let (session, context) = session(&[("a.json", build::vllm_result(1.0, &sent))]);
    let context = Context { limits: limits(&["ttft<=200ms", "tpot<=50ms"]), ..context };
    let view = compare(&session, &context);
    let group = view.groups.iter().find(|g| g.id == "goodput").unwrap();
    let rows: Vec<(&str, &str)> =
        group.rows.iter().map(|r| (r.name.as_str(), plain(&r.cells[0].value))).collect();
    assert_eq!(rows[0], ("Requests in SLO", "50.0"));
    assert_eq!(rows[1], ("Goodput", "0.500"));
    assert_eq!(rows[2], ("Within TTFT ≤ 200 ms", "75.0"));
    assert_eq!(rows[3], ("Within TPOT ≤ 50 ms", "75.0"));
    assert_eq!(rows[4].0, "Token goodput");
    assert_eq!(rows[5], ("Share of finished", "50.0"));
    let bound = group.rows.iter().filter(|r| r.cells[0].card.join(" ").contains("binds")).count();
    assert!(bound >= 1, "the binding limit is named");
}

#[test]
fn no_good_request_is_0_0_and_no_limit_is_no_row() {
    let (session, context) =
        session(&[("a.json", build::vllm_result(1.0, &[(0.1, 0.01), (0.2, 0.01)]))]);
    assert!(compare(&session, &context).groups.iter().all(|g| g.id != "goodput"));
    let context = Context { limits: limits(&["ttft<=1ms"]), ..context };
    let view = compare(&session, &context);
    let group = view.groups.iter().find(|g| g.id == "goodput").unwrap();
    for row in &group.rows {
        assert_eq!(plain(&row.cells[0].value), "0.0", "{}", row.name);
    }
}

#[test]
fn an_slo_has_five_parts_and_says_which_the_file_lacks() {
    let (session, context) =
        session(&[("a.json", build::vllm_result(12.0, &[(0.1, 0.01), (0.9, 0.01)]))]);
    let mut context = Context { limits: limits(&["ttft<=250ms", "tpot<=18ms"]), ..context };
    let said = |context: &Context| match session.answer(context, &Query::Slo) {
        Answer::Slo(SloView { statements }) => statements[0].sentence.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        said(&context),
        "Met by 50.0 % of the requests sent (no share is set): TTFT ≤ 250 ms and TPOT ≤ 18 ms; over the \
         whole run; 10 → 11 tokens of m; at 12 req/s Poisson."
    );
    let changes = [("goodput-unit".to_owned(), "max-load-at-attainment:0.99".to_owned())];
    context.ruler =
        sameruler::views::Ruler::Same { preset: "common".into(), changes: changes.into() };
    assert!(said(&context).starts_with("99 % of the requests sent (here 50.0 %): TTFT"));
    let bare = run(Table::new().whole(100.0, 900.0, 11.0).duration(1.0));
    let slo = limits(&["ttft<=250ms"]);
    let got = evaluate(&bare, &COMMON.settings, &Ask { limits: slo.clone(), ..Ask::default() });
    let words = statement(&bare, "bare", &slo, &COMMON.settings, &got);
    assert_eq!(words.parts.len(), 5);
    assert!(words.sentence.contains("unknown → 11 tokens, model not recorded; load not recorded"));
}

#[test]
fn example_8_capacity_and_the_price_of_the_limits() {
    let replica = Replica {
        goodput: Within { low: 5.94, high: 5.94 },
        interval: None,
        peak: 0,
        at_edge: false,
        throughput: 10.0,
    };
    let got = plan(240.0, replica).unwrap();
    assert_eq!(got.by_goodput.exact(), Some(41));
    assert_eq!(got.by_throughput, 24);
    assert_eq!(got.price.exact(), Some(17));
}

#[test]
fn a_capacity_plan_stands_under_the_curve_and_refuses_without_a_peak() {
    let quick = [(0.1, 0.01), (0.1, 0.01), (0.1, 0.01), (0.1, 0.01)];
    let mixed = [(0.1, 0.01), (0.9, 0.01), (0.9, 0.01), (0.1, 0.01), (0.9, 0.01), (0.9, 0.01)];
    let files =
        [("4.json", build::vllm_result(4.0, &quick)), ("8.json", build::vllm_result(8.0, &mixed))];
    let (session, context) = session(&files);
    assert!(curves(&session, &context, CurveAxes::default()).capacity.is_empty(), "no limits");
    let planned = |slo: &str| {
        let limits = limits(&[slo]);
        let context = Context { limits, demand: Some(12.0), ..context.clone() };
        curves(&session, &context, CurveAxes::default()).capacity.remove(0)
    };
    // 4 of 4 good in 4 s is 1.00 a second, at the lowest load; 6 requests in 4 s are 1.50 a second.
    let card = planned("ttft<=500ms");
    assert!(
        card.title.starts_with("12 req/s needs 12 replicas under the limits"),
        "{}",
        card.title
    );
    assert!(card.title.ends_with("8 by throughput: the limits cost 4"), "{}", card.title);
    assert!(card.notes.iter().any(|note| note.contains("edge of the sweep")), "{:?}", card.notes);
    assert!(card.notes[0].contains("replicas add up"));
    assert_eq!(planned("ttft<=1ms").title, "No capacity plan");
}

#[test]
fn example_11_two_loads_typed_into_a_table() {
    let text = "concurrency,ttft_ms,tpot_ms,output_tok_s\n1,257,32.3,29.5\n64,965,243.8,239.3\n";
    let (session, context) = session(&[("two.csv", text.to_owned())]);
    let axes = CurveAxes { x: LoadAxis::OutputThroughput.into(), ..CurveAxes::default() };
    let point = |y: Metric| {
        let stat = if y == Metric::OutputThroughput { Stat::Value } else { Stat::Mean };
        let view = curves(&session, &context, CurveAxes { y, stat, ..axes });
        let series = &view.main.as_ref().unwrap().series;
        assert_eq!((series.len(), series[0].points.len(), series[0].line), (1, 2, true), "{y:?}");
        series[0].points[1].y / series[0].points[0].y
    };
    assert!((point(Metric::OutputThroughput) - 8.1).abs() < 0.05);
    assert!((point(Metric::Tpot) - 7.5).abs() < 0.05);
    assert!((point(Metric::Ttft) - 3.8).abs() < 0.05);
}

#[test]
fn n3_without_a_gpu_count_the_axis_per_gpu_can_not_be_chosen() {
    let of = |text: &str| {
        let (session, context) = session(&[("two.csv", text.to_owned())]);
        curves(&session, &context, CurveAxes::default())
    };
    let view = of("concurrency,ttft_ms,output_tok_s\n1,257,29.5\n64,965,239.3\n");
    assert!(!view.axes.contains(&LoadAxis::OutputPerGpu));
    assert_eq!(
        view.unavailable,
        ["output tok/s per GPU (no GPU count recorded: type it under Sweeps)"]
    );
    let view = of("gpus,concurrency,ttft_ms,output_tok_s\n8,1,257,29.5\n8,64,965,100\n");
    assert!(view.axes.contains(&LoadAxis::OutputPerGpu) && view.unavailable.is_empty());
}
