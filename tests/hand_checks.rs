//! Public faults that a check finds, named after their ids in the design's hand.md: what it says, and
//! what the numbers are without the fault.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, assert_close, print, run};
use sameruler::checks::{self, Effect, Finding, Verdict};
use sameruler::metrics::{Ask, own};
use sameruler::model::{Metric, Run, Stat};
use sameruler::notice::Severity;

/// What a check finds in a run.
fn found(run: &Run, id: &str) -> Finding {
    let all = checks::examine(run);
    let one = all.iter().find(|e| e.id == id).unwrap_or_else(|| panic!("no check {id}"));
    match &one.verdict {
        Verdict::Found(finding) => (**finding).clone(),
        other => panic!("{id}: {other:?}"),
    }
}

fn passes(run: &Run, id: &str) {
    let all = checks::examine(run);
    let one = all.iter().find(|e| e.id == id).unwrap();
    assert_eq!(one.verdict, Verdict::Passed, "{id}");
}

fn says(finding: &Finding, parts: &[&str]) {
    for part in parts {
        assert!(finding.text.contains(part), "“{}” lacks “{part}”", finding.text);
    }
}

/// The numbers before and after, under the run's own ruler.
fn effect(run: &Run, finding: &Finding, metric: Metric) -> (f64, f64) {
    let effects = checks::effects(run, finding, &own(run).settings, &Ask::default(), Stat::Mean);
    let one: &Effect = effects
        .iter()
        .find(|e| e.metric == metric)
        .unwrap_or_else(|| panic!("{} is not touched: {effects:?}", metric.name()));
    (one.before.number().unwrap(), one.after.number().unwrap())
}

#[test]
fn a2() {
    // Eight events of four tokens each, a quarter of a second apart, in two seconds.
    let table = Table::new().row(250.0, &[250.0; 7], 32.0).starts(&[0.0]).duration(2.0);
    let run = run(table);
    let finding = found(&run, "impossible-peak");
    says(&finding, &["peak of 4.00 tok/s", "10.7", "4.0 tokens an event"]);
    let (before, after) = effect(&run, &finding, Metric::PeakOutputRate);
    assert_close(before, 4.0);
    assert_close(after, 16.0);
}

#[test]
fn b1() {
    // A role chunk after 50 ms, the first text after 450 ms, then a token every 100 ms.
    let mut gaps = vec![400.0];
    gaps.extend([100.0; 10]);
    let run = run(Table::new().row(50.0, &gaps, 11.0));
    let finding = found(&run, "first-event-without-text");
    assert_eq!(finding.severity, Severity::Block);
    says(&finding, &["TTFT may stop at an empty event", "400 ms", "100 ms"]);
    assert_eq!(effect(&run, &finding, Metric::Ttft), (50.0, 450.0));
    assert!(checks::blocked(&run).is_some_and(|b| b.id == "first-event-without-text"));
}

#[test]
fn b6() {
    let table = Table::new().row(100.0, &[20.0; 4], 5.0).latency(&[230.0]).stream_end();
    let run = run(table);
    let finding = found(&run, "latency-identity");
    says(&finding, &["after the last token", "50.0 ms"]);
    let (before, after) = effect(&run, &finding, Metric::Tpot);
    assert_close(before, 32.5);
    assert_close(after, 20.0);
    let exact = self::run(Table::new().row(100.0, &[20.0; 4], 5.0).latency(&[180.0]));
    passes(&exact, "latency-identity");
}

#[test]
fn e6() {
    // Ten requests that count as finished, 200 tokens booked for each, and no text at all.
    let mut table = Table::new();
    for _ in 0..10 {
        table = table.row(0.0, &[], 200.0);
    }
    let run = run(table.retokenized(&[0.0; 10]).duration(4.0));
    let finding = found(&run, "nothing-generated");
    assert_eq!(finding.severity, Severity::Block);
    says(&finding, &["2000 output tokens", "no first token", "no gap", "counts 0 tokens"]);
    let (_, after) = effect(&run, &finding, Metric::OutputThroughput);
    assert_close(after, 0.0);
    assert!(checks::blocked(&run).is_some_and(|b| b.id == "nothing-generated"));
}

#[test]
fn e3() {
    let table = Table::new()
        .row(0.0, &[], 0.0)
        .row(0.0, &[], 0.0)
        .row(0.0, &[], 0.0)
        .row(50.0, &[10.0], 2.0)
        .row(60.0, &[10.0], 2.0);
    let run = run(table);
    let finding = found(&run, "missing-as-zero");
    says(&finding, &["3 replies ended", "60 %"]);
    assert_eq!((finding.rows.as_slice(), finding.of), (&[0, 1, 2][..], 5));
    let mut zeros = own(&run).settings;
    zeros.set("empty-outputs", "as-success").unwrap();
    let effects = checks::effects(&run, &finding, &zeros, &Ask::default(), Stat::Median);
    let ttft = effects.iter().find(|e| e.metric == Metric::Ttft).unwrap();
    assert_eq!((ttft.before.number(), ttft.after.number()), (Some(0.0), Some(55.0)));
}

#[test]
fn c6_right_figure() {
    let mut run = run(Table::new().whole(500.0, 5000.0, 300.0).input(&[200.0]).duration(5.0));
    run.load.output_tokens = Some(100.0);
    print(&mut run, "output_throughput", Metric::OutputThroughput, Stat::Value, 60.0);
    let finding = found(&run, "prompt-echoed");
    let (before, after) = effect(&run, &finding, Metric::OutputThroughput);
    assert_close(before, 60.0);
    assert_close(after, 20.0);
}
