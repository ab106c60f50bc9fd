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
    let mut run = chunked();
    let means = [16.0, 36.0].map(|mean| Some(crate::units::Seconds::from_millis(mean)));
    let means = means.into_iter().chain([None]);
    run.requests.as_mut().unwrap().request_itl =
        crate::model::Column::from_options(crate::model::Origin::Reported, means);
    let a = number(&run, Metric::Tpot, Stat::Mean, &[("weighting", "per-token")]);
    let b = number(&run, Metric::Itl, Stat::Mean, &[("itl", "as-recorded")]);
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

/// The changes of all steps, by hand.
#[track_caller]
fn assert_changes(bridge: &Bridge, want: &[(&str, f64, usize)]) {
    assert_closes(bridge);
    let known: Vec<_> = bridge.steps.iter().map(|step| (step.dimension.as_str(), step)).collect();
    assert_eq!(ids(bridge), want.iter().map(|one| one.0).collect::<Vec<_>>(), "{bridge:#?}");
    for ((id, step), (_, change, touched)) in known.iter().zip(want) {
        let got = step.exact().unwrap();
        assert!((got - change).abs() < 1e-9, "{id}: {got} is not {change}: {bridge:#?}");
        assert_eq!(step.touched.requests, *touched, "{id}: {bridge:#?}");
    }
}

/// Gaps of 30, 30, 40, 40, 50; request means of 16 (5 tokens) and 36⅔ (3 tokens).
#[test]
fn what_a_percentile_loses_to_request_means_is_the_unit_and_a_vote_moves_no_maximum() {
    let run = chunked();
    let pair = |stat| (number(&run, Metric::Itl, stat, &[]), number(&run, Metric::Tpot, stat, &[]));
    let second = 110.0 / 3.0;
    // Eight tokens have the median 16, two requests the middle of both.
    let (a, b) = pair(Stat::Median);
    let median = f64::midpoint(16.0, second);
    let found = between(&a, &b);
    assert_changes(&found, &[("itl/tpot", 16.0 - 40.0, 3), ("weighting", median - 16.0, 2)]);
    assert!(found.steps[0].because.starts_with("B takes one mean a request"), "{found:#?}");
    // Each of two gaps weighs 1.25 and each of three 5⁄6: 4.8 gaps by Kish, whose median is 39.
    assert_changes(
        &between(&b, &a),
        &[("itl/tpot", 39.0 - median, 3), ("weighting", 40.0 - 39.0, 2)],
    );
    // 16 + 0.99 × 20⅔ of two requests.
    let (a, b) = pair(Stat::Percentile(99.0));
    let unit = second - 49.6;
    let vote = 16.0 + 0.99 * (second - 16.0) - second;
    assert_changes(&between(&a, &b), &[("itl/tpot", unit, 3), ("weighting", vote, 2)]);
    let (a, b) = pair(Stat::Max);
    let found = between(&a, &b);
    assert_changes(&found, &[("itl/tpot", second - 50.0, 3), ("weighting", 0.0, 0)]);
    assert!(!found.sentence.contains("vote"), "{}", found.sentence);
    assert_changes(&between(&b, &a), &[("itl/tpot", 50.0 - second, 3), ("weighting", 0.0, 0)]);
}

/// 120 ms over 4 tokens, in gaps of 40 and 80.
#[test]
fn one_request_has_no_vote_to_give() {
    let run = run(&[(100.0, &[40.0, 80.0], 5.0)]);
    let stat = Stat::Percentile(99.0);
    let a = number(&run, Metric::Itl, stat, &[]);
    let b = number(&run, Metric::Tpot, stat, &[]);
    assert_changes(&between(&a, &b), &[("itl/tpot", 30.0 - 79.6, 1), ("weighting", 0.0, 0)]);
    assert_changes(&between(&b, &a), &[("itl/tpot", 79.6 - 30.0, 1), ("weighting", 0.0, 0)]);
    // A rule that knows weights: the unit again, and then the rule.
    let weighed =
        [("itl", "request-mean"), ("weighting", "per-token"), ("percentile", "weighted-step")];
    let c = number(&run, Metric::Itl, stat, &weighed);
    assert_changes(&between(&a, &c), &[("itl/tpot", 30.0 - 79.6, 1), ("percentile", 0.0, 0)]);
}

/// A request table with latencies to the end of the stream; the last reply is empty, and its client wrote
/// 140 ms.
fn streamed() -> Run {
    let mut run = run(&[(100.0, &[40.0, 40.0], 3.0), (80.0, &[30.0], 2.0), (0.0, &[], 0.0)]);
    let requests = run.requests.as_mut().unwrap();
    let ends = [190.0, 115.0, 140.0].map(|end| Some(crate::units::Seconds::from_millis(end)));
    requests.e2e = crate::model::Column::from_options(crate::model::Origin::Reported, ends);
    requests.end_rule = crate::model::EndRule::StreamEnd;
    run
}

#[test]
fn an_empty_reply_that_enters_is_no_matter_of_where_a_request_ends() {
    let run = streamed();
    let e2e = |end, empty| {
        number(&run, Metric::E2e, Stat::Mean, &[("end", end), ("empty-outputs", empty)])
    };
    let kept = e2e("last-token", "as-success");
    // (180 + 110 + 140) ÷ 3, then 190 and 115.
    assert_changes(&between(&kept, &e2e("stream-end", "as-success")), &[("end", 5.0, 2)]);
    let found = between(&e2e("stream-end", "as-success"), &e2e("last-token", "exclude"));
    let without = 145.0 - 430.0 / 3.0;
    assert_changes(&found, &[("end", -5.0, 2), ("empty-outputs", without, 1)]);
    assert_eq!(found.steps[1].because, "1 reply without a token is no sample.");
}

/// TTFT of 100 ms, 60 ms of a one-token reply, and a reply without a token, which the client wrote as 0.
#[test]
fn one_token_replies_and_empty_ones_are_two_steps_of_ttft() {
    let mut run = run(&[(100.0, &[40.0], 2.0), (60.0, &[], 1.0), (0.0, &[], 0.0)]);
    let ttft = |run, short, empty, count| {
        let set = [("short-outputs", short), ("empty-outputs", empty), ("token-count", count)];
        number(run, Metric::Ttft, Stat::Mean, &set)
    };
    let found = between(
        &ttft(&run, "exclude-ttft", "as-success", "server"),
        &ttft(&run, "exclude", "as-success", "server"),
    );
    let zero = 160.0 / 3.0 - 80.0;
    assert_changes(&found, &[("short-outputs", -20.0, 1), ("empty-outputs", zero, 1)]);
    assert_eq!(found.steps[0].because, "1 one-token reply is a sample too.");
    // The rows hold no such count, and TTFT takes none.
    let found = between(
        &ttft(&run, "exclude", "exclude", "server"),
        &ttft(&run, "exclude-ttft", "as-success", "retokenized"),
    );
    assert_changes(&found, &[("short-outputs", 20.0, 1)]);
    assert_eq!(found.steps[0].because, "1 one-token reply is left out.");
    // To TPOT the two words are one.
    run.name = "the same".into();
    let tpot = |short| number(&run, Metric::Tpot, Stat::Mean, &[("short-outputs", short)]);
    assert_changes(&between(&tpot("exclude"), &tpot("exclude-ttft")), &[]);
}

/// Two clients that let empty replies enter: the one wrote five tokens for its one, so a TPOT of 0, the
/// other none, so no TPOT.
#[test]
fn what_each_client_wrote_for_an_empty_reply_is_a_step() {
    let one = run(&[(100.0, &[40.0, 40.0], 3.0), (0.0, &[], 5.0)]);
    let other = Run {
        id: RunId::parse("ba9876543210").unwrap(),
        name: "the other".into(),
        ..run(&[(100.0, &[42.0, 42.0], 3.0), (0.0, &[], 0.0)])
    };
    let tpot = |run| number(run, Metric::Tpot, Stat::Mean, &[("empty-outputs", "as-success")]);
    let found = between(&tpot(&one), &tpot(&other));
    assert_eq!(ids(&found), ["empty-outputs"]);
    let step = &found.steps[0];
    assert!((step.exact().unwrap() - 20.0).abs() < 1e-9, "{found:#?}");
    assert_eq!(step.touched, Touched { requests: 1, of: 2, gaps: 0, tokens: 0 });
    assert!((found.remainder.as_ref().unwrap().change - 2.0).abs() < 1e-9, "{found:#?}");
    // The same where the other counts with a tokenizer of its own, which the one's rows don't hold.
    let mut recounting = Run { id: RunId::parse("0123456789ab").unwrap(), ..other.clone() };
    let requests = recounting.requests.as_mut().unwrap();
    requests.retokenized = requests.output_tokens.clone();
    let recounted = [("empty-outputs", "as-success"), ("token-count", "retokenized")];
    let found = between(&tpot(&one), &number(&recounting, Metric::Tpot, Stat::Mean, &recounted));
    assert_eq!(ids(&found), ["empty-outputs", "token-count"]);
    assert!((found.steps[0].exact().unwrap() - 20.0).abs() < 1e-9, "{found:#?}");
    assert!((found.remainder.as_ref().unwrap().change - 2.0).abs() < 1e-9, "{found:#?}");
    // The other's rows hold nothing that could enter: the rest says so.
    let back = between(&tpot(&other), &tpot(&one));
    assert_eq!(back.unmeasured.len(), 1, "{back:#?}");
    assert_eq!(back.unmeasured[0].dimension, "empty-outputs");
    assert!(!back.remainder.as_ref().unwrap().because.contains("clear difference"), "{back:#?}");
}
