//! Public faults at the level of files and screens: what a person reads when such a file is dropped.
//! The values behind them are in `hand.rs`; each test is named after its id.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

use sameruler::engine::import::import;
use sameruler::engine::{Answer, Query, Session};
use sameruler::metrics::{Ask, COMMON, Measured, Value, Verdict, agreement, evaluate};
use sameruler::model::{Metric, Outcome, RequestRate, Run, Stat};
use sameruler::views::Context;
use sameruler::views::compare::{Cell, CellValue, CompareView, Reading};

/// A request of a file: TTFT and gaps in seconds, output tokens, error text.
struct Sent<'a>(f64, &'a [f64], u32, &'a str);

/// A detailed vLLM result; `printed` holds further keys.
fn vllm(model: &str, sent: &[Sent<'_>], printed: &str) -> String {
    let list = |of: &dyn Fn(&Sent<'_>) -> String| {
        format!("[{}]", sent.iter().map(of).collect::<Vec<_>>().join(","))
    };
    let good = sent.iter().filter(|s| s.3.is_empty());
    let total: u32 = good.clone().map(|s| s.2).sum();
    format!(
        r#"{{"date":"20260101-000000","endpoint_type":"openai","backend":"openai","model_id":"{model}",
        "tokenizer_id":"t","num_prompts":{n},"request_rate":2.0,"burstiness":1.0,"max_concurrency":null,
        "duration":5.0,"completed":{ok},"total_input_tokens":{input},"total_output_tokens":{total},
        {printed}"input_lens":{inputs},"output_lens":{outputs},"ttfts":{ttfts},"itls":{itls},
        "errors":{errors}}}"#,
        n = sent.len(),
        ok = good.count(),
        input = 10 * sent.len(),
        inputs = list(&|_| "10".into()),
        outputs = list(&|s| s.2.to_string()),
        ttfts = list(&|s| s.0.to_string()),
        itls = list(&|s| format!("{:?}", s.1)),
        errors = list(&|s| format!("{:?}", s.3)),
    )
}

fn read(file: &str, text: &str) -> Vec<Run> {
    import(file, &mut text.as_bytes(), false, &mut |_, _, _, _| {}).whole().unwrap()
}

/// Notices of a run by kind.
fn notice<'a>(run: &'a Run, kind: &str) -> Option<&'a str> {
    run.provenance.notices.iter().find(|n| n.kind == kind).map(|n| n.text.as_str())
}

fn session(files: &[String]) -> Session {
    let mut session = Session::new();
    for (at, text) in files.iter().enumerate() {
        session.adopt(read(&format!("{at}.json"), text));
    }
    session
}

fn compare(session: &Session, stat: Stat, limits: &[&str]) -> CompareView {
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        stat,
        limits: limits.iter().map(|l| l.parse().unwrap()).collect(),
        ..Context::default()
    };
    match session.answer(&context, &Query::Compare) {
        Answer::Compare(view) => view,
        other => panic!("{other:?}"),
    }
}

fn cell(view: &CompareView, metric: Metric, column: usize) -> &Cell {
    let rows = view.groups.iter().flat_map(|g| &g.rows);
    &rows.into_iter().find(|r| r.metric == metric).unwrap().cells[column]
}

fn identity(session: &Session, name: &str) -> String {
    let run = session.runs()[0].id.clone();
    match session.answer(&Context::default(), &Query::RunCard { run }) {
        Answer::RunCard(card) => card.lines.into_iter().find(|(n, _)| n == name).unwrap().1,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a1_says_how_many_tokens_one_gap_stands_for() {
    let held_back = vllm("m", &[Sent(0.5, &[0.3, 0.1], 9, "")], "");
    let view = compare(&session(&[held_back]), Stat::Mean, &[]);
    let card = cell(&view, Metric::Itl, 0).card.join("; ");
    assert!(card.contains("3.0 tokens per stream event"), "{card}");
    assert!(!cell(&view, Metric::Tpot, 0).card.join("; ").contains("per stream event"));
    let plain = vllm("m", &[Sent(0.5, &[0.05; 8], 9, "")], "");
    let view = compare(&session(&[plain]), Stat::Mean, &[]);
    assert!(!cell(&view, Metric::Itl, 0).card.join("; ").contains("per stream event"));
}

#[test]
fn b1_says_that_the_first_event_may_be_empty() {
    let early = [[0.4].as_slice(), &[0.1; 9]].concat();
    let file = |ttft: f64, gaps: &[f64]| vllm("m", &[Sent(ttft, gaps, 11, "")], "");
    let run = read("a.json", &file(0.05, &early)).remove(0);
    assert!(notice(&run, "early-first-event").unwrap().contains("may stop at an empty event"));
    let run = read("a.json", &file(0.45, &[0.1; 10])).remove(0);
    assert_eq!(notice(&run, "early-first-event"), None);
}

#[test]
fn b5_a_first_token_at_the_very_end_is_said_and_gives_no_tpot() {
    let run = read("a.json", &vllm("m", &[Sent(3.0, &[], 29, "")], "")).remove(0);
    assert!(notice(&run, "not-streamed").unwrap().contains("1 of 1 requests"));
    let got = evaluate(&run, &COMMON.settings, &Ask::default());
    assert!(matches!(got.metrics[&Metric::Tpot], Measured::Unavailable(_)));
    assert!(matches!(got.value(Metric::Tpot, Stat::Mean), Value::Missing(_)));
}

#[test]
fn c4_the_doubled_events_halve_the_gaps_and_not_the_tpot() {
    let gaps = [0.0, 0.02, 0.0, 0.02, 0.0, 0.02, 0.0, 0.02, 0.0];
    let run = read("a.json", &vllm("m", &[Sent(0.1, &gaps, 5, "")], "")).remove(0);
    let got = evaluate(&run, &COMMON.settings, &Ask::default());
    let mean = |metric| got.value(metric, Stat::Mean).exact().unwrap();
    assert!((mean(Metric::Itl) - 80.0 / 9.0).abs() < 1e-9);
    assert!((mean(Metric::Tpot) - 20.0).abs() < 1e-9);
    assert!((got.events.unwrap().tokens_per_event() - 0.5).abs() < 1e-9);
}

#[test]
fn d4_the_extreme_sample_is_marked_and_ranks_nothing() {
    let file = |slow: f64| {
        let sent: Vec<_> =
            (0..20).map(|at| Sent(if at == 19 { slow } else { 0.1 }, &[0.02; 4], 5, "")).collect();
        vllm("m", &sent, "")
    };
    let session = session(&[file(0.4), file(40.0)]);
    let p99 = Stat::Percentile(99.0);
    let view = compare(&session, p99, &[]);
    for column in 0..2 {
        let cell = cell(&view, Metric::Ttft, column);
        assert!(
            matches!(cell.value, CellValue::Plain { weak: true, extreme: true, .. }),
            "{cell:?}"
        );
        assert!(cell.card.contains(&"n = 20".to_owned()), "{:?}", cell.card);
        assert!(cell.card.iter().any(|line| line.contains("ranks nothing")), "{:?}", cell.card);
    }
    assert!(view.support_legend().is_some_and(|legend| legend.contains("in grey none does")));
    let other = cell(&view, Metric::Ttft, 1);
    assert_eq!(other.difference.as_ref().unwrap().reading, Reading::TooFew);
    assert_eq!(other.support.as_deref(), Some("the largest of 20"));
    assert!(other.card.iter().any(|line| line.contains("the p99 of 20 samples")));
    assert!(!view.headline.contains("TTFT"), "{}", view.headline);
    let view = compare(&session, Stat::Mean, &[]);
    assert!(matches!(
        cell(&view, Metric::Ttft, 0).value,
        CellValue::Plain { weak: false, extreme: false, .. }
    ));
}

#[test]
fn e3_counts_stand_in_the_head_of_the_run() {
    let empty = || Sent(0.0, &[], 0, "");
    let sent = [empty(), empty(), empty(), Sent(0.05, &[0.01], 2, ""), Sent(0.06, &[0.01], 2, "")];
    let session = session(&[vllm("m", &sent, "")]);
    assert_eq!(identity(&session, "Requests"), "5 sent, 5 finished, 0 failed, 3 without a token");
    assert!(notice(session.runs()[0], "empty-replies").is_some());
}

#[test]
fn e3_a_reply_whose_only_events_framed_an_empty_text_is_no_sample() {
    // vLLM books the first event of an answer without a token: it has a time and a length of zero.
    let sent = [Sent(0.139, &[], 0, ""), Sent(0.05, &[0.001], 0, ""), Sent(0.06, &[0.01], 2, "")];
    let run = read("a.json", &vllm("m", &sent, r#""mean_ttft_ms":83.0,"#)).remove(0);
    assert!(notice(&run, "empty-replies").is_some());
    let got = evaluate(&run, &COMMON.settings, &Ask::default());
    let ttft = got.metrics[&Metric::Ttft].summary().unwrap();
    assert_eq!((ttft.n, got.counts.empty), (1, 2));
    let printed = agreement(&run, &Ask::default());
    let ttft = printed.iter().find(|a| a.metric == Metric::Ttft).unwrap();
    assert_eq!((ttft.verdict, ttft.recomputed.map(f64::round)), (Verdict::Equal, Some(83.0)));
}

#[test]
fn e3_a_lost_count_is_no_empty_reply() {
    let sent = [Sent(0.1, &[0.02, 0.02], 0, ""), Sent(0.1, &[], 0, "")];
    let run = read("a.json", &vllm("m", &sent, "")).remove(0);
    assert_eq!(notice(&run, "empty-replies"), None);
    let got = evaluate(&run, &COMMON.settings, &Ask::default());
    assert_eq!(got.metrics[&Metric::Ttft].summary().unwrap().n, 2);
}

#[test]
fn h5_both_shares_are_printed() {
    let sent: Vec<_> =
        (0..10).map(|at| Sent(0.1, &[0.01; 10], 11, if at < 4 { "broken" } else { "" })).collect();
    let view = compare(&session(&[vllm("m", &sent, "")]), Stat::Median, &["ttft<=200ms"]);
    let card = cell(&view, Metric::SloShare, 0).card.join("; ");
    assert!(card.contains("60.0 % of all sent, 100.0 % of those that finished"), "{card}");
}

#[test]
fn i7_a_printed_mean_in_another_unit_is_flagged() {
    let verdict = |printed: &str| {
        let text = vllm("m", &[Sent(0.25, &[0.02], 2, "")], printed);
        let run = read("a.json", &text).remove(0);
        let all = agreement(&run, &Ask::default());
        all.iter().find(|a| a.field == "mean_ttft_ms").unwrap().verdict
    };
    assert_eq!(verdict(r#""mean_ttft_ms":250.0,"#), Verdict::Equal);
    assert_eq!(verdict(r#""mean_ttft_ms":0.25,"#), Verdict::Differs);
}

#[test]
fn i7_units_of_a_table_come_from_its_headings() {
    for (heading, cell) in [("ttft_s", "0.25"), ("TTFT (ms)", "250"), ("ttft_us", "250000")] {
        let text = format!("id,output_tokens,{heading},e2e_s\na,5,{cell},1.25\n");
        let run = read("a.csv", &text).remove(0);
        let ttft = run.requests.as_ref().unwrap().ttft.get(0).unwrap();
        assert!((ttft.as_millis() - 250.0).abs() < 1e-9, "{heading}");
    }
}

#[test]
fn j1() {
    let object = |itl: &str| {
        format!(
            r#"{{"backend":"sglang","dataset_name":"random","request_rate":Infinity,"max_concurrency":null,"sharegpt_output_len":null,"random_input_len":8,"random_output_len":8,"random_range_ratio":0.0,"duration":2.0,"completed":4,"total_output_tokens":32,"total_output_tokens_retokenized":32,"mean_itl_ms":{itl}}}"#
        )
    };
    let text = format!("max_prefill:8192\n{}\n{}\n", object("12.5"), object("NaN"));
    let runs = read("a.jsonl", &text);
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().all(|run| run.load.request_rate == Some(RequestRate::Unlimited)));
    let skipped = runs[0].provenance.notices.iter().find(|n| n.kind == "text-line").unwrap();
    assert_eq!((skipped.count, skipped.places[0].to_string().starts_with("line 1")), (1, true));
    let itl = |run: &Run| run.reported.find(Metric::Itl, Stat::Mean).map(|v| v.value);
    assert_eq!((itl(&runs[0]), itl(&runs[1])), (Some(12.5), None));
}

#[test]
fn j2() {
    let printed =
        r#""mean_ttft_ms":-nan,"p99_ttft_ms":inf,"mean_itl_ms":1.5,"label":"NaN is fine","#;
    let run = read("a.json", &vllm("m", &[Sent(0.25, &[0.0015], 2, "")], printed)).remove(0);
    assert_eq!(run.reported.find(Metric::Ttft, Stat::Mean), None);
    assert!(run.reported.find(Metric::Itl, Stat::Mean).is_some());
    let words: Vec<_> = run.provenance.notices.iter().filter(|n| n.kind == "bare-word").collect();
    assert_eq!(words.iter().map(|n| n.count).sum::<u64>(), 2);
    assert!(words.iter().all(|n| n.places[0].to_string().starts_with("line ")));
    let label = run.workload.settings.iter().find(|(name, _)| name == "label").unwrap();
    assert!(label.1.contains("NaN is fine"), "{label:?}");
}

#[test]
fn j3_failed_rows_are_no_samples() {
    let sent = [Sent(0.2, &[0.05, 0.05], 3, ""), Sent(0.0, &[], 0, "broken")];
    let run = read("a.json", &vllm("m", &sent, "")).remove(0);
    assert_eq!(run.requests.as_ref().unwrap().count(Outcome::Failed), 1);
    let got = evaluate(&run, &COMMON.settings, &Ask::default());
    let e2e = got.metrics[&Metric::E2e].summary().unwrap();
    assert_eq!((e2e.n, (e2e.mean * 1e6).round()), (1, 3e8));
}

/// One file with three loads: three points of one sweep, never one run.
#[test]
fn j4() {
    let text = include_str!("fixtures/guidellm/synthetic-0.8-sampled-away.json");
    let mut file: serde_json::Value = serde_json::from_str(text).unwrap();
    let one = file["benchmarks"][0].clone();
    let at_rate = |rate: f64| {
        let mut benchmark = one.clone();
        benchmark["config"]["id_"] = format!("made-{rate}").into();
        benchmark["config"]["strategy"] =
            serde_json::json!({ "type_": "constant", "rate": rate, "max_concurrency": null });
        benchmark
    };
    file["benchmarks"] = [2.0, 5.0, 8.0].map(at_rate).to_vec().into();
    let mut session = Session::new();
    session.adopt(read("three.json", &file.to_string()));
    let Answer::Library(view) = session.answer(&Context::default(), &Query::Library) else {
        panic!("the Library was asked for")
    };
    let [group] = &view.groups[..] else { panic!("{:?}", view.groups) };
    assert!(group.sweep);
    let loads: Vec<&str> = group.rows.iter().map(|row| row.load.as_str()).collect();
    assert_eq!(loads.len(), 3);
    for (load, rate) in loads.iter().zip(["2 ", "5 ", "8 "]) {
        assert!(load.starts_with(rate), "{loads:?}");
    }
}

#[test]
fn m6_different_models_are_said_and_not_subtracted() {
    let sent = || (0..30).map(|_| Sent(0.1, &[0.02; 4], 5, "")).collect::<Vec<_>>();
    let view =
        compare(&session(&[vllm("m1", &sent(), ""), vllm("m2", &sent(), "")]), Stat::Mean, &[]);
    for metric in [Metric::Ttft, Metric::Tpot, Metric::OutputThroughput] {
        let cell = cell(&view, metric, 1);
        assert_eq!(cell.difference, None);
        assert!(cell.no_difference.as_ref().unwrap().contains("different models: m1 and m2"));
    }
    assert_eq!(view.config[0].name, "Model", "what differs in the key leads the list");
    assert!(!view.headline.contains('%'), "{}", view.headline);
}

#[test]
fn m7_lengths_withhold_what_depends_on_them() {
    let run = |tokens: u32| {
        let gaps = vec![0.02; tokens as usize - 1];
        vllm("m", &(0..10).map(|_| Sent(0.05, &gaps, tokens, "")).collect::<Vec<_>>(), "")
    };
    let view = compare(&session(&[run(914), run(338)]), Stat::Mean, &[]);
    for metric in [Metric::E2e, Metric::OutputThroughput] {
        let reason = cell(&view, metric, 1).no_difference.clone().unwrap();
        assert!(reason.contains("lengths differ: 914 and 338 output tokens"), "{reason}");
    }
    assert!(cell(&view, Metric::Tpot, 1).difference.is_some());
    assert!(view.config_note.contains("lengths differ"), "{}", view.config_note);
}
