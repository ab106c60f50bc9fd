//! Windows: which requests lie in the chosen stretch of a run, under which edge rule, whole beside
//! windowed, and what is offered.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

mod build;

use build::{Table, assert_close, exact, run, run as run_of, settings};
use sameruler::metrics::{Ask, Evaluation, Value, evaluate, stretch};
use sameruler::model::{Metric, Run, Stat};
use sameruler::views::window::{WindowView, ruler_with, window};
use sameruler::views::{Context, Ruler};

fn measure(run: &Run, changes: &[(&str, &str)]) -> Evaluation {
    evaluate(run, &settings(&[&[("duration", "window")], changes].concat()), &Ask::default())
}

fn value(run: &Run, changes: &[(&str, &str)], metric: Metric) -> f64 {
    exact(&measure(run, changes), metric, Stat::Value)
}

fn samples(run: &Run, changes: &[(&str, &str)]) -> usize {
    measure(run, changes).metrics[&Metric::Ttft].summary().unwrap().n
}

/// Three replies of four tokens a second apart, sent at 0, 2 and 5 s: their tokens come at 1 to 4, 3 to 6
/// and 6 to 9 s.
fn three() -> Run {
    let gaps = [1000.0; 3];
    let mut table = Table::new();
    for _ in 0..3 {
        table = table.row(1000.0, &gaps, 4.0);
    }
    run(table.starts(&[0.0, 2.0, 5.0]).input(&[10.0, 20.0, 30.0]).duration(9.0))
}

#[test]
fn each_edge_rule_takes_what_it_says() {
    let run = three();
    let brush = ("window", "brush:2..6");
    // From 2 to 6 s: tokens at 2, 3, 4 of the first and 3, 4, 5 of the second; seconds 2 + 4 + 1.
    for (edge, requests, tokens, in_flight, input) in [
        ("by-start", 2, 6.0, 7.0, 50.0),
        ("by-end", 1, 4.0, 4.0, 10.0),
        ("overlap", 3, 6.0, 7.0, 20.0),
    ] {
        let choice = [brush, ("window-edge", edge)];
        assert_eq!(samples(&run, &choice), requests, "{edge}");
        assert_close(value(&run, &choice, Metric::OutputThroughput), tokens / 4.0);
        assert_close(value(&run, &choice, Metric::MeanConcurrency), in_flight / 4.0);
        assert_close(value(&run, &choice, Metric::TotalInputTokens), input);
        // Only the first one ended inside: 6 s is not part of the window.
        assert_close(value(&run, &choice, Metric::RequestThroughput), 0.25);
    }
}

#[test]
fn after_the_first_completion_runs_to_the_last_token_and_holds_it() {
    let run = three();
    let choice = [("window", "after-first-completion")];
    // From 4 to 9 s: 4, then 4, 5, 6, then 6, 7, 8, 9.
    assert_close(value(&run, &choice, Metric::OutputThroughput), 8.0 / 5.0);
    let got = stretch(&run, &settings(&choice), &[]).unwrap();
    let (from, to) = got.between.unwrap();
    assert_close(from.as_secs(), 4.0);
    assert_close(to.as_secs(), 9.0);
    assert_eq!((got.inside, got.sent, got.edged), (1, 3, true));
}

#[test]
fn no_rate_is_divided_by_time_outside_of_the_run() {
    let run = three();
    // Nine seconds of run, whatever is chosen around it.
    let wide = [("window", "brush:-5..1000")];
    assert_close(value(&run, &wide, Metric::Duration), 9.0);
    assert_close(value(&run, &wide, Metric::OutputThroughput), 12.0 / 9.0);
    let (from, to) = stretch(&run, &settings(&wide), &[]).unwrap().between.unwrap();
    assert_close(from.as_secs(), 0.0);
    assert_close(to.as_secs(), 9.0);
    for outside in ["brush:100..200", "brush:-5..-1"] {
        let measured = measure(&run, &[("window", outside)]);
        for metric in [Metric::Duration, Metric::RequestThroughput, Metric::OutputThroughput] {
            let Value::Missing(because) = measured.value(metric, Stat::Value) else {
                panic!("{outside}: {metric:?} has a value");
            };
            assert!(because.contains("outside of the run, which took 9.00 s"), "{because}");
        }
    }
}

#[test]
fn a_window_that_leaves_no_request_leaves_no_number_and_says_so() {
    let run = three();
    for choice in ["skip-first:3", "skip-first:100", "brush:100..200"] {
        let measured = measure(&run, &[("window", choice)]);
        for (metric, known) in &measured.metrics {
            let stat = if metric.is_distribution() { Stat::Mean } else { Stat::Value };
            let Value::Missing(because) = known.value(stat) else {
                panic!("{choice}: {metric:?} has a value");
            };
            let expected = !matches!(metric, Metric::AcceleratorPower | Metric::Energy);
            let says = because.contains("the window leaves none of the 3 requests");
            assert!(says || !expected, "{choice}: {metric:?}: {because}");
        }
    }
    // A second in which nothing happened is part of the run: its rate is 0.
    let spaced = Table::new().row(100.0, &[100.0], 2.0).row(100.0, &[100.0], 2.0);
    let spaced = run_of(spaced.starts(&[0.0, 9.0]).duration(9.2));
    let idle = [("window", "brush:3..5")];
    assert_close(value(&spaced, &idle, Metric::RequestThroughput), 0.0);
    assert_close(value(&spaced, &idle, Metric::OutputThroughput), 0.0);
}

#[test]
fn a_chosen_span_up_to_the_end_holds_the_last_token() {
    let run = three();
    let finished = |window| value(&run, &[("window", window)], Metric::RequestThroughput);
    assert_close(finished("brush:2..9"), 3.0 / 7.0);
    assert_close(finished("brush:2..8.9"), 2.0 / 6.9);
    let tokens = |window| value(&run, &[("window", window)], Metric::OutputThroughput);
    assert_close(tokens("brush:6..9"), 5.0 / 3.0);
    // What follows begins where this ends: no token is in both.
    assert_close(tokens("brush:0..6"), 7.0 / 6.0);
}

#[test]
fn until_stable_begins_where_the_running_median_stands_still() {
    let mut table = Table::new();
    for at in 0..50 {
        let noise = 1.0 + f64::from(at % 3) / 1000.0;
        table = table.row(if at < 12 { 5000.0 } else { 1000.0 } * noise, &[10.0], 2.0);
    }
    let starts: Vec<f64> = (0..50).map(f64::from).collect();
    let run = run(table.starts(&starts).duration(60.0));
    let choice = [("window", "until-stable")];
    // Of requests 8 to 17 four are slow, so their median is that of the rest, as of the next twenty.
    let got = stretch(&run, &settings(&choice), &[]).unwrap();
    assert_close(got.between.unwrap().0.as_secs(), 8.0);
    assert_eq!(samples(&run, &choice), 42);
    // Left out, the slow ones shape nothing.
    let slow: Vec<usize> = (0..12).collect();
    let without = stretch(&run, &settings(&choice), &slow).unwrap();
    assert_eq!((without.inside, without.sent), (38, 38));
    assert_close(without.between.unwrap().0.as_secs(), 0.0);
}

#[test]
fn a_run_that_never_stands_still_says_so() {
    let mut table = Table::new();
    for at in 0..60 {
        table = table.row(100.0 * 1.1_f64.powi(at), &[10.0], 2.0);
    }
    let starts: Vec<f64> = (0..60).map(f64::from).collect();
    let got = measure(&run(table.starts(&starts)), &[("window", "until-stable")]);
    let Value::Missing(reason) = got.value(Metric::Ttft, Stat::Mean) else { panic!("a window") };
    assert!(reason.contains("never stands still"), "{reason}");
}

#[test]
fn what_a_file_lacks_is_said() {
    let bare = run(Table::new().row(100.0, &[10.0], 2.0).row(100.0, &[10.0], 2.0));
    for choice in ["after-first-completion", "steady:0.9", "until-stable", "brush:0..1"] {
        let got = measure(&bare, &[("window", choice)]);
        let Value::Missing(reason) = got.value(Metric::Ttft, Stat::Mean) else {
            panic!("{choice} without send times")
        };
        assert!(reason.contains("no send times"), "{choice}: {reason}");
    }
    let mut endless = run(Table::new().whole(100.0, 200.0, 2.0).starts(&[0.0]));
    let requests = endless.requests.as_mut().unwrap();
    requests.e2e = sameruler::model::Column::absent(1);
    for edge in ["by-end", "overlap"] {
        let got = measure(&endless, &[("window", "brush:0..1"), ("window-edge", edge)]);
        let Value::Missing(reason) = got.value(Metric::Ttft, Stat::Mean) else { panic!("{edge}") };
        assert!(reason.contains("neither a latency nor gaps"), "{reason}");
    }
    let started = measure(&endless, &[("window", "brush:0..1")]);
    assert_close(exact(&started, Metric::Ttft, Stat::Mean), 100.0);
}

fn shown(run: &Run, ruler: Ruler, proposed: Option<&str>) -> WindowView {
    let context = Context { runs: vec![run.id.clone()], ruler, ..Context::default() };
    window(&[run], &context, proposed)
}

/// hand.md F1: 5 s at 50, 20 s at 200, 5 s at 50 tok/s.
fn ramp() -> Run {
    let stream = |seconds: usize| vec![20.0; seconds * 50 - 1];
    let mut table = Table::new().row(20.0, &stream(30), 1500.0);
    for _ in 0..3 {
        table = table.row(20.0, &stream(20), 1000.0);
    }
    run(table.starts(&[0.0, 5.0, 5.0, 5.0]).duration(30.0))
}

#[test]
fn whole_and_windowed_stand_side_by_side_with_the_ratio() {
    let run = ramp();
    let ruler = ruler_with(&Ruler::default(), "window", "steady:0.9");
    let view = shown(&run, ruler, None);
    assert_eq!((view.window.as_str(), view.edge.as_str()), ("steady:0.9", "by-start"));
    let rows = &view.runs[0].rows;
    let output = rows.iter().find(|row| row.label == "Output throughput").unwrap();
    assert_eq!(
        (output.whole.as_str(), output.windowed.as_str(), output.ratio.as_deref()),
        ("150", "200", Some("1.33"))
    );
    let (from, to) = view.span.unwrap();
    assert!((from - 5.0).abs() < 1e-6 && (to - 25.0).abs() < 1e-6, "{from} to {to}");
    assert_eq!(view.runs[0].span, "5 to 25 s after the first send, 20 s long");
    assert_eq!(view.runs[0].inside, "3 of 4 requests inside, 1 outside");
    assert!(view.edge_words.contains("sent inside"), "{}", view.edge_words);
    let flight = view.flight.unwrap();
    assert_eq!(flight.stretches.len(), 1);
    assert!(flight.summary.contains("at most 4 in flight"), "{}", flight.summary);
    assert!(view.output.is_some() && view.empty.is_none());
}

#[test]
fn a_proposed_window_is_shown_without_being_in_force() {
    let run = ramp();
    let view = shown(&run, Ruler::default(), Some("brush:10..20"));
    assert_eq!((view.window.as_str(), view.span), ("brush:10..20", Some((10.0, 20.0))));
    let view = shown(&run, Ruler::default(), Some("brush:20..10"));
    assert_eq!((view.window.as_str(), view.span), ("whole", None));
    assert!(view.flight.unwrap().stretches.is_empty());
    let own = shown(&run, Ruler::Own, None);
    assert!(own.own_words.unwrap().contains("its own tool’s words"));
}

#[test]
fn a_cold_first_wave_is_offered_with_what_it_does() {
    let mut table = Table::new();
    for at in 0..100 {
        table = table.row(if at < 10 { 50_000.0 } else { 700.0 }, &[], 1.0);
    }
    let run = run(table);
    let view = shown(&run, Ruler::default(), None);
    let [offer] = &view.offers[..] else { panic!("{:?}", view.offers) };
    assert_eq!(offer.text, "Leave out the first wave of 10: TTFT p90 5.63 → 0.70 s");
    assert!(offer.seen.contains("all 10 slowest are the first 10 started"), "{}", offer.seen);
    assert!(view.empty.unwrap().contains("no send times"));
    let taken = shown(&run, ruler_with(&Ruler::default(), "window", &offer.window), None);
    assert!(taken.offers.is_empty(), "what is chosen is not offered again");
    assert_eq!(taken.runs[0].inside, "90 of 100 requests inside, 10 outside");
}

#[test]
fn a_window_brings_its_own_length_and_takes_it_away_again() {
    let brushed = ruler_with(&Ruler::default(), "window", "brush:2..10");
    let Ruler::Same { preset, changes } = &brushed else { panic!("one ruler") };
    assert_eq!(preset, "common");
    assert_eq!(changes["window"], "brush:2..10");
    assert_eq!(changes["duration"], "window");
    let edged = ruler_with(&brushed, "window-edge", "by-end");
    assert_eq!(ruler_with(&edged, "window", "whole"), Ruler::default());
    assert_eq!(ruler_with(&brushed, "window", "brush:9..3"), brushed, "nonsense changes nothing");
    let Ruler::Same { preset, .. } = ruler_with(&Ruler::Own, "window", "steady:0.9") else {
        panic!("one ruler")
    };
    assert_eq!(preset, "common", "a window puts all runs on one ruler");
    let chosen = Ruler::Same {
        preset: "vllm".into(),
        changes: [("duration".to_owned(), "first-send-to-last-token".to_owned())].into(),
    };
    let Ruler::Same { changes, .. } = ruler_with(&chosen, "window", "steady:0.9") else {
        panic!("one ruler")
    };
    assert_eq!(changes["duration"], "first-send-to-last-token", "a choice of the reader stays");
}

#[test]
fn a_chosen_window_is_no_word_of_each_cell() {
    // vLLM counts gaps between events; the ruler spreads them over tokens.
    let mut run = three();
    build::print(&mut run, "mean_ttft_ms", Metric::Ttft, Stat::Mean, 1000.0);
    build::print(&mut run, "mean_itl_ms", Metric::Itl, Stat::Mean, 1000.0);
    build::print(&mut run, "output_throughput", Metric::OutputThroughput, Stat::Value, 12.0 / 9.0);
    let said = |changes: &[(&str, &str)]| {
        let changes = changes.iter().map(|(d, c)| ((*d).to_owned(), (*c).to_owned())).collect();
        let context = Context {
            runs: vec![run.id.clone()],
            ruler: Ruler::Same { preset: "common".to_owned(), changes },
            ..Context::default()
        };
        let view = sameruler::views::compare::compare(&[&run], &context);
        let rows: Vec<_> = view.groups.into_iter().flat_map(|group| group.rows).collect();
        [Metric::Ttft, Metric::Itl, Metric::OutputThroughput].map(|metric| {
            let row = rows.iter().find(|row| row.metric == metric).unwrap();
            row.cells[0].own_words.clone()
        })
    };
    let window = [("window", "brush:0..6"), ("duration", "window")];
    assert_eq!(said(&window), [None, None, None]);
    let spread = [&window[..], &[("itl", "token-spread")]].concat();
    let [ttft, itl, throughput] = said(&spread);
    assert_eq!((ttft, throughput), (None, None));
    assert_eq!(itl.unwrap(), "its ITL: chunk gap");
}
