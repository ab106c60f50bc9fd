use super::*;
use crate::metrics::testing::run;
use crate::metrics::{COMMON, VLLM};
use std::sync::LazyLock;

fn chunked() -> Run {
    run(&[(100.0, &[40.0, 40.0], 6.0), (80.0, &[30.0, 50.0, 30.0], 4.0), (60.0, &[], 1.0)])
}

/// No limits, nothing left out.
static ASK: LazyLock<Ask> = LazyLock::new(Ask::default);

fn number<'a>(run: &'a Run, metric: Metric, stat: Stat, changes: &[(&str, &str)]) -> Number<'a> {
    let mut settings = COMMON.settings;
    for (dimension, choice) in changes {
        settings.set(dimension, choice).unwrap();
    }
    Number { run, metric, stat, settings, ask: &ASK }
}

fn between(a: &Number<'_>, b: &Number<'_>) -> Arc<Bridge> {
    bridge(a, b, &Route::default()).unwrap()
}

fn ids(bridge: &Bridge) -> Vec<&str> {
    bridge.steps.iter().map(|step| step.dimension.as_str()).collect()
}

fn assert_closes(bridge: &Bridge) {
    let (explained, gap) = (bridge.explained().unwrap(), bridge.difference().unwrap());
    assert!((explained - gap).abs() < 1e-9, "{explained} is not {gap}: {bridge:#?}");
    if bridge.no_average.is_none() {
        let averages: f64 = bridge.steps.iter().map(|step| step.average.unwrap()).sum();
        assert!((averages - gap).abs() < 1e-9, "{averages} is not {gap}");
    }
}

#[test]
fn chunk_gaps_become_token_times_by_unit_and_weighting() {
    let run = chunked();
    let a = number(&run, Metric::Itl, Stat::Mean, &[]);
    let b = number(&run, Metric::Tpot, Stat::Mean, &[]);
    let bridge = between(&a, &b);
    assert_eq!(ids(&bridge), ["itl/tpot", "weighting"]);
    assert_closes(&bridge);
    let [unit, weighting] = &bridge.steps[..] else { unreachable!("two steps") };
    // 190 ms over 5 gaps, over 8 tokens after the first; 80 ÷ 5 and 110 ÷ 3 averaged.
    assert!((unit.after.exact().unwrap() - 190.0 / 8.0).abs() < 1e-9);
    assert!((weighting.after.exact().unwrap() - f64::midpoint(16.0, 110.0 / 3.0)).abs() < 1e-9);
    assert_eq!(unit.touched, Touched { requests: 3, of: 3, gaps: 5, tokens: 8 });
    assert!(unit.because.contains("5 gaps carry 8 tokens"), "{}", unit.because);
    assert_eq!(bridge.equal.len(), 10);
}

#[test]
fn the_same_ruler_needs_no_step() {
    let run = chunked();
    for metric in [Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::E2e] {
        let a = number(&run, metric, Stat::Mean, &[]);
        let bridge = between(&a, &a);
        assert!(bridge.steps.is_empty() && bridge.remainder.is_none(), "{bridge:?}");
        assert!(bridge.sentence.starts_with("These are the same number"), "{}", bridge.sentence);
    }
}

#[test]
fn a_choice_that_plays_no_part_is_no_step() {
    let run = chunked();
    let a = number(&run, Metric::Ttft, Stat::Mean, &[]);
    let b = Number { settings: VLLM.settings, ..a };
    let b = Number { settings: Settings { tpot: COMMON.settings.tpot, ..b.settings }, ..b };
    assert!(ids(&between(&a, &b)).iter().all(|id| !matches!(*id, "tpot" | "itl" | "weighting")));
}

#[test]
fn the_order_can_be_given_and_both_orders_close() {
    let run = chunked();
    let a = number(&run, Metric::Itl, Stat::Mean, &[]);
    let b = number(&run, Metric::Tpot, Stat::Mean, &[("tpot", "whole-over-n")]);
    let route = Route { order: vec!["weighting".into(), "formula".into()] };
    let turned = bridge(&a, &b, &route).unwrap();
    assert_eq!(ids(&turned), ["weighting", "itl/tpot"]);
    assert_closes(&turned);
    let plain = between(&a, &b);
    assert_closes(&plain);
    let average = |bridge: &Bridge, id: &str| {
        bridge.steps.iter().find(|step| step.dimension == id).and_then(|step| step.average).unwrap()
    };
    for id in ["weighting", "itl/tpot"] {
        assert!((average(&plain, id) - average(&turned, id)).abs() < 1e-9, "{id}");
    }
}

#[test]
fn where_the_split_is_not_known_the_steps_are_one_and_say_why() {
    let run = chunked();
    let a = number(&run, Metric::Itl, Stat::Percentile(99.0), &[]);
    let b = number(&run, Metric::Tpot, Stat::Percentile(99.0), &[]);
    let bridge = between(&a, &b);
    assert_eq!(ids(&bridge), ["itl/tpot+weighting"]);
    assert_closes(&bridge);
    assert!(bridge.steps[0].because.contains("cannot be split further"), "{bridge:?}");
}

#[test]
fn what_the_rows_cannot_give_is_said_with_the_reason() {
    let run = chunked();
    let a = number(&run, Metric::Ttft, Stat::Mean, &[]);
    let b = number(&run, Metric::Ttft, Stat::Mean, &[("clock-start", "scheduled")]);
    let bridge = between(&a, &b);
    assert!(bridge.steps.is_empty());
    assert_eq!(bridge.unmeasured.len(), 1);
    assert!(bridge.stopped.as_ref().unwrap().contains("wait inside the client"), "{bridge:?}");
}

#[test]
fn numbers_of_different_units_have_no_bridge() {
    let run = chunked();
    let a = number(&run, Metric::Ttft, Stat::Mean, &[]);
    let b = number(&run, Metric::OutputThroughput, Stat::Value, &[]);
    let refused = bridge(&a, &b, &Route::default()).unwrap_err();
    assert!(refused.to_string().contains("TTFT is in ms"), "{refused}");
}

#[test]
fn one_token_replies_are_counted_where_they_enter() {
    let run = chunked();
    let a = number(&run, Metric::Tpot, Stat::Mean, &[("short-outputs", "zero")]);
    let b = number(&run, Metric::Tpot, Stat::Mean, &[]);
    let bridge = between(&a, &b);
    assert_eq!(ids(&bridge), ["short-outputs"]);
    assert_closes(&bridge);
    assert_eq!(bridge.steps[0].touched.requests, 1);
    assert!(
        bridge.steps[0].because.contains("1 one-token reply is left out"),
        "{}",
        bridge.steps[0].because
    );
}

/// Gaps of 40 ms that carry 2.5 tokens, 16 ms a token, against 20 ms a token of another run.
#[test]
fn a_step_that_is_more_than_the_difference_says_what_takes_back_the_rest() {
    let one = run(&[(100.0, &[40.0, 40.0], 6.0)]);
    let other = Run {
        id: RunId::parse("ba9876543210").unwrap(),
        name: "the other".into(),
        ..run(&[(100.0, &[50.0, 50.0], 6.0)])
    };
    let a = number(&one, Metric::Itl, Stat::Mean, &[]);
    let b = number(&other, Metric::Tpot, Stat::Mean, &[]);
    let two = between(&a, &b);
    let says = "waits for chunks, B counts tokens: that is 24.00 ms, of which other causes take \
                back 4.00 ms.";
    assert_eq!(two.sentence, format!("A {says}"));
    let names = [one.name.as_str(), "the other"];
    assert_eq!(
        named(&two),
        format!(
            "ITL mean of {} is 40.00 ms, TPOT mean of the other 20.00 ms. {} {}",
            names[0],
            names[0],
            says.replace(" B ", " the other ")
        )
    );
    let same = between(&a, &number(&one, Metric::Tpot, Stat::Mean, &[]));
    let starts =
        format!("ITL mean of {} is 40.00 ms (A), its TPOT mean 16.00 ms (B). A ", one.name);
    assert!(named(&same).starts_with(&starts), "{}", named(&same));
}

/// 16 ms a token by 6 tokens or by 5, and 40 ms of another run.
#[test]
fn where_most_is_unexplained_the_definitions_stand_second_and_all_adds_up() {
    let one = run(&[(100.0, &[40.0, 40.0], 6.0)]);
    let other =
        Run { id: RunId::parse("ba9876543210").unwrap(), ..run(&[(100.0, &[100.0, 100.0], 6.0)]) };
    let sentence = |changes: &[(&str, &str)]| {
        let a = number(&one, Metric::Tpot, Stat::Mean, &[]);
        between(&a, &number(&other, Metric::Tpot, Stat::Mean, changes)).sentence.clone()
    };
    // 80 ÷ 5 = 16; 200 ÷ 5 = 40.
    assert_eq!(sentence(&[]), "Different requests or system: all of the 24.00 ms.");
    // 80 ÷ 6 = 13.33; 200 ÷ 6 = 33.33: the divisor takes 2.67 of the 20.00 back.
    assert_eq!(
        sentence(&[("tpot", "after-first-over-n")]),
        "Different requests or system: 20.00 ms, of which the definitions take back 2.67 ms."
    );
    // 300 ÷ 6 = 50; 180 ÷ 6 = 30: the definitions make 14 of the 34.
    assert_eq!(
        sentence(&[("tpot", "whole-over-n")]),
        "Different requests or system: 20.00 ms of the 34.00 ms; the definitions make 14.00 ms."
    );
}
