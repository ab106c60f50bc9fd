//! Sensitivity: what another definition, window, statistic or limit would have made of the same runs.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, run};
use sameruler::model::{
    Digest, FirstTokenRule, Limit, LimitMetric, RequestRate, Run, RunId, TokenSource, Tool,
};
use sameruler::views::Context;
use sameruler::views::sensitivity::{
    Answer, Change, SensitivityCell, SensitivityTable, SensitivityView, sensitivity,
};

/// Sixty requests of 11 tokens around this TTFT and gap in milliseconds.
fn of(number: u8, ttft: f64, gap: f64, tokens: f64) -> Run {
    let table = (0..60).fold(Table::new(), |table, at| {
        let noise = f64::from(at % 7) - 3.0;
        let gaps = vec![gap + noise / 50.0; tokens as usize - 1];
        table.row(ttft + noise, &gaps, tokens)
    });
    let starts: Vec<f64> = (0..60).map(|at| f64::from(at) / 10.0).collect();
    let ends: Vec<f64> = (0..60)
        .map(|at| f64::from(at % 7) - 3.0)
        .map(|noise| ttft + noise + (gap + noise / 50.0) * (tokens - 1.0))
        .collect();
    let mut run = run(table
        .starts(&starts)
        .latency(&ends)
        .stream_end()
        .source(TokenSource::Server)
        .duration(8.0));
    // What every client of these times, so that all presets have their first token.
    run.requests.as_mut().unwrap().first_token_rule = FirstTokenRule::FirstText;
    run.id = RunId::of(&Digest::of(&[number]), 0);
    run.name = format!("run {number}");
    // Two tools, so that nobody takes the runs for repeats.
    run.tool = if number == 0 { Tool::Vllm } else { Tool::Sglang };
    run
}

fn ask(runs: &[&Run], limits: &[Limit]) -> SensitivityView {
    let context = Context {
        runs: runs.iter().map(|run| run.id.clone()).collect(),
        limits: limits.to_vec(),
        ..Context::default()
    };
    sensitivity(runs, &context)
}

fn cell<'v>(table: &'v SensitivityTable, label: &str, column: &str) -> &'v SensitivityCell {
    let row = table.rows.iter().find(|row| row.labels.iter().any(|l| l == label));
    let row = row.unwrap_or_else(|| panic!("{label}: {table:#?}"));
    let at = table.columns.iter().position(|name| name == column).unwrap();
    &row.cells[at]
}

/// A answers late and then fast, B at once and then slowly: TPOT without the first token is 10 and 20 ms, the
/// whole request over its tokens 100 and 27 ms.
#[test]
fn the_better_tpot_is_another_one_where_the_first_token_counts() {
    let (a, b) = (of(0, 1_000.0, 10.0, 11.0), of(1, 100.0, 20.0, 11.0));
    let view = ask(&[&a, &b], &[]);
    assert_eq!(view.answer, Answer::Changes, "{view:#?}");
    let table = &view.tables[0];
    let shown = cell(table, &table.rows[0].labels[0], "TPOT");
    assert_eq!((shown.text.as_str(), shown.change), ("A", Change::Shown));
    let guidellm = cell(table, "as GuideLLM", "TPOT");
    assert_eq!(
        (guidellm.best.as_slice(), guidellm.change),
        (&[1][..], Change::Other),
        "{table:#?}"
    );
    assert!(view.changes.iter().any(|c| c.starts_with("TPOT, as GuideLLM: B, not A")), "{view:?}");
    // TTFT is the same sum under all of them.
    let ttft = table.columns.iter().position(|name| name == "TTFT").unwrap();
    assert!(table.rows.iter().all(|row| row.cells[ttft].change != Change::Other));
    assert_eq!(table.rows[0].cells[ttft].text, "B");
}

#[test]
fn a_verdict_that_holds_everywhere_is_unchanged() {
    let (a, b) = (of(0, 100.0, 10.0, 11.0), of(1, 300.0, 30.0, 11.0));
    let view = ask(&[&a, &b], &[]);
    assert_eq!(view.answer, Answer::Unchanged, "{view:#?}");
    assert!(view.sentence.starts_with("No: in ") && view.changes.is_empty());
    let first = &view.tables[0].rows[0];
    let latencies =
        first.cells.iter().zip(&view.tables[0].columns).filter(|(_, c)| *c != "Output throughput");
    assert!(
        latencies.clone().count() == 4 && latencies.clone().all(|(cell, _)| cell.text == "A"),
        "{first:?}"
    );
}

#[test]
fn runs_that_do_not_differ_have_no_best() {
    let (a, b) = (of(0, 100.0, 10.0, 11.0), of(1, 100.2, 10.0, 11.0));
    let view = ask(&[&a, &b], &[]);
    let first = &view.tables[0].rows[0];
    assert!(first.cells[..4].iter().all(|cell| cell.text == "none" && cell.best.is_empty()));
}

#[test]
fn runs_of_two_models_are_not_comparable_and_the_reason_is_said() {
    let (mut a, mut b) = (of(0, 100.0, 10.0, 11.0), of(1, 300.0, 30.0, 11.0));
    (a.workload.model, b.workload.model) = (Some("one".into()), Some("two".into()));
    let view = ask(&[&a, &b], &[]);
    assert_eq!(view.answer, Answer::NotComparable, "{view:#?}");
    assert_eq!(view.sentence, "Not comparable, because different models: one and two.");
}

#[test]
fn other_lengths_withhold_what_rests_on_them_and_nothing_else() {
    let (a, b) = (of(0, 100.0, 10.0, 11.0), of(1, 300.0, 30.0, 31.0));
    let first = &ask(&[&a, &b], &[]).tables[0].rows[0];
    assert_eq!(first.cells[0].text, "A");
    assert!(first.cells[3].text.starts_with("lengths differ"), "{first:?}");
    assert!(first.cells[3].value.is_empty());
}

#[test]
fn the_load_at_which_a_sweep_peaks_moves_with_its_limits() {
    // Of 60 requests those meet the limit whose TTFT is under it: all at 4 and 8 req/s under 250 ms, and
    // under half of it only those at 4 req/s.
    let mut runs: Vec<Run> = [(4.0, 100.0), (8.0, 200.0), (16.0, 900.0)]
        .into_iter()
        .zip(2_u8..)
        .map(|((rate, ttft), number)| {
            let mut run = of(number, ttft, 10.0, 11.0);
            run.tool = Tool::Vllm;
            run.load.request_rate = Some(RequestRate::PerSecond(rate));
            let printed = run.reported.values.iter_mut().find(|v| v.field == "duration").unwrap();
            printed.value = 60.0 / rate;
            run
        })
        .collect();
    runs.rotate_left(1);
    let all: Vec<&Run> = runs.iter().collect();
    let view = ask(&all, &[Limit::at_most(LimitMetric::Ttft, 250.0)]);
    let table = view.tables.iter().find(|table| table.title == "Where goodput peaks").unwrap();
    assert_eq!(table.rows[0].cells[0].text, "8 req/s", "{table:#?}");
    assert_eq!(table.rows[0].cells[0].value, "8.00 req/s");
    let column = table.columns[0].as_str();
    let half = cell(table, "half", column);
    assert_eq!((half.text.as_str(), half.change), ("4 req/s", Change::Other));
    assert_eq!(cell(table, "double", column).change, Change::Same);
}

#[test]
fn one_run_alone_has_no_verdict() {
    let a = of(0, 100.0, 10.0, 11.0);
    assert_eq!(ask(&[&a], &[]), SensitivityView::default());
}
