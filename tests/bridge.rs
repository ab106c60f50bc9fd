//! Bridges: the worked example of the design on the handed runs, and any two rulers on made ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;
mod handed;

use build::Table;
use handed::{cases, read};
use sameruler::metrics::bridge::{
    Bridge, Digits, Number, Route, bridge, change_words, value_words,
};
use sameruler::metrics::{Ask, COMMON, DIMENSIONS, own};
use sameruler::model::{Metric, Run, Stat, TokenSource};
use serde_json::Value as Json;
use std::path::Path;
use std::sync::{Arc, LazyLock};

fn example() -> Option<Json> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/design/mockups/bridge-example.json");
    let text = std::fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

#[track_caller]
fn near(got: f64, want: &Json, within: f64) {
    let want = want.as_f64().unwrap();
    assert!((got - want).abs() <= within, "{got} is not {want}");
}

/// No limits, nothing left out.
static ASK: LazyLock<Ask> = LazyLock::new(Ask::default);

/// A number of a run under its tool's own definitions.
fn own_number(run: &Run, metric: Metric, stat: Stat) -> Number<'_> {
    Number { run, metric, stat, settings: own(run).settings, ask: &ASK }
}

fn between(a: &Number<'_>, b: &Number<'_>, order: &[&str]) -> Arc<Bridge> {
    let order = order.iter().map(|id| (*id).to_owned()).collect();
    bridge(a, b, &Route { order }).unwrap()
}

/// `same_rows` of the example: 30.60 ms of ITL become 13.57 ms of TPOT.
#[test]
fn the_worked_example_on_the_same_rows_comes_out_exactly() {
    let (Some(cases), Some(example)) = (cases(), example()) else { return };
    let want = &example["same_rows"];
    let run = read(&cases.join("clients/S2/vllm/run.json")).unwrap().remove(0);
    let a = own_number(&run, Metric::Itl, Stat::Mean);
    let b = own_number(&run, Metric::Tpot, Stat::Mean);
    let plain = between(&a, &b, &[]);
    near(plain.a.value.exact().unwrap(), &want["A"]["value"], 1e-9);
    near(plain.b.value.exact().unwrap(), &want["B"]["value"], 1e-9);
    near(plain.difference().unwrap(), &want["difference"], 1e-9);
    let steps = want["steps"].as_array().unwrap();
    assert_eq!(plain.steps.len(), steps.len());
    for (step, want) in plain.steps.iter().zip(steps) {
        near(step.exact().unwrap(), &want["change"], 1e-9);
        near(step.after.exact().unwrap(), &want["after"], 1e-9);
        assert_eq!(step.touched.requests as u64, want["touched_requests"].as_u64().unwrap());
    }
    assert_eq!(plain.steps[0].touched.gaps as u64, want["gaps"].as_u64().unwrap());
    assert_eq!(plain.steps[0].touched.tokens as u64, want["tokens_after_first"].as_u64().unwrap());
    near(plain.explained().unwrap(), &want["sum_of_steps"], 1e-9);
    assert_eq!(plain.remainder, None);
    let equal: Vec<&str> =
        want["zero_steps"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(plain.equal, equal);
    let average = &want["average_over_orders"];
    near(plain.steps[0].average.unwrap(), &average["formula"], 1e-9);
    near(plain.steps[1].average.unwrap(), &average["weighting"], 1e-9);

    let other = &want["other_order"];
    let turned = between(&a, &b, &["weighting", "formula"]);
    near(turned.steps[0].after.exact().unwrap(), &other["between"], 1e-9);
    for (step, want) in turned.steps.iter().zip(other["changes"].as_array().unwrap()) {
        near(step.exact().unwrap(), want, 1e-9);
    }
    assert_eq!(
        plain.sentence,
        "A waits for chunks, B counts tokens: that is 17.00 ms of the 17.03 ms."
    );
    assert!(
        plain.steps[0].because.contains("2.25 tokens in a chunk"),
        "{}",
        plain.steps[0].because
    );
    assert!(plain.steps[1].because.contains("28 to 68"), "{}", plain.steps[1].because);
}

/// `two_runs` of the example: B's zeros on A's rows, then other requests.
#[test]
fn the_worked_example_of_two_runs_comes_out() {
    let (Some(cases), Some(example)) = (cases(), example()) else { return };
    let want = &example["two_runs"];
    let of_a = read(&cases.join("clients/S2/vllm/run.json")).unwrap().remove(0);
    let path = cases.join("clients/S2/inference-perf/run/per_request_lifecycle_metrics.json");
    let of_b = read(&path).unwrap().remove(0);
    let a = own_number(&of_a, Metric::Itl, Stat::Mean);
    let b = own_number(&of_b, Metric::Itl, Stat::Mean);
    let found = between(&a, &b, &[]);
    near(found.b.value.exact().unwrap(), &want["B"]["value"], 1e-6);
    near(found.explained().unwrap(), &want["definitions_explain"], 1e-6);
    let rest = found.remainder.as_ref().unwrap();
    near(rest.change, &want["remainder"]["change"], 1e-6);
    near(rest.low.unwrap(), &want["remainder"]["interval_95"][0], 0.05);
    near(rest.high.unwrap(), &want["remainder"]["interval_95"][1], 0.05);
    near(found.difference().unwrap(), &want["difference"], 1e-6);
    near(found.explained().unwrap() + rest.change, &want["sum"], 1e-6);
    assert!(rest.because.contains("the interval covers zero"), "{}", rest.because);
    let steps = want["steps"].as_array().unwrap();
    assert_eq!(found.steps.len(), steps.len(), "{:#?}", found.steps);
    for (step, want) in found.steps.iter().zip(steps) {
        assert_eq!(step.dimension, want["dimension"].as_str().unwrap());
        assert_eq!(step.from, want["from"].as_str().unwrap());
        assert_eq!(step.to, want["to"].as_str().unwrap());
        near(step.exact().unwrap(), &want["change"], 1e-6);
    }
    assert!(found.steps[1].because.contains("both counts agree in 64 of 64"), "{found:#?}");
    assert_eq!(found.unmeasured, []);
}

/// What is printed adds up: A and the pieces, as they are printed, come to the printed B.
#[track_caller]
fn assert_printed_digits_close(bridge: &Bridge) {
    let digits = Digits::of(bridge);
    let (metric, places) = (bridge.a.metric, digits.places);
    let number = |text: &str| {
        let plain: String = text
            .chars()
            .filter(|c| !matches!(c, ',' | '+'))
            .map(|c| if c == '−' { '-' } else { c })
            .collect();
        let digits = plain.split(' ').next().unwrap().replace('.', "");
        digits.parse::<i64>().unwrap_or_else(|_| panic!("{text}"))
    };
    let of_end = |value| number(&value_words(value, metric, places));
    let printed: Vec<String> = (0..bridge.pieces().len())
        .map(|at| change_words(&digits.change(at), metric, places))
        .collect();
    let sum: i64 = printed.iter().map(|text| number(text)).sum();
    assert_eq!(of_end(&bridge.a.value) + sum, of_end(&bridge.b.value), "{printed:?} {bridge:#?}");
    // No piece is printed further from its value than the last digit.
    for (at, piece) in bridge.pieces().iter().enumerate() {
        let (shown, exact) = (digits.change(at).exact().unwrap(), piece.change().exact().unwrap());
        assert!((shown - exact).abs() <= 1.0001 * 10_f64.powi(-(places as i32)), "{shown} {exact}");
    }
}

/// A small generator, so that every run of the test walks the same rulers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }
}

#[test]
fn steps_and_averages_close_for_any_two_rulers() {
    let mut dice = Dice(7);
    let mut walked = 0;
    for round in 0..150 {
        let mut table = Table::new().source(TokenSource::Server);
        let mut starts = Vec::new();
        for at in 0..8 {
            let events = dice.roll(6);
            let gaps: Vec<f64> = (0..events).map(|_| 1.0 + dice.roll(60) as f64).collect();
            let tokens: Vec<f64> = (0..=events).map(|_| 1.0 + dice.roll(3) as f64).collect();
            table = table.row(20.0 + dice.roll(200) as f64, &gaps, tokens.iter().sum());
            table = table.events(&tokens);
            starts.push(f64::from(at) * 0.1);
        }
        let run = build::run(table.starts(&starts).waits(&[5.0; 8]).duration(3.0));
        // Choices that these rows can honour: a number is there before a walk starts.
        let there = |settings| {
            [Metric::Tpot, Metric::Itl, Metric::E2e].iter().all(|metric| {
                let number =
                    Number { run: &run, metric: *metric, stat: Stat::Mean, settings, ask: &ASK };
                number.value().exact().is_some()
            })
        };
        let mut ruler = || {
            let mut settings = COMMON.settings;
            for dimension in DIMENSIONS.iter().filter(|d| d.id != "window") {
                let choice = &dimension.choices[dice.roll(dimension.choices.len())];
                let mut changed = settings;
                if changed.set(dimension.id, &choice.example()).is_ok() && there(changed) {
                    settings = changed;
                }
            }
            settings
        };
        let (of_a, of_b) = (ruler(), ruler());
        for (metric, other, stat) in [
            (Metric::Tpot, Metric::Tpot, Stat::Mean),
            (Metric::Itl, Metric::Itl, Stat::Mean),
            (Metric::Itl, Metric::Tpot, Stat::Mean),
            (Metric::Tpot, Metric::Itl, Stat::Percentile(90.0)),
            (Metric::Ttft, Metric::Ttft, Stat::Percentile(90.0)),
            (Metric::E2e, Metric::E2e, Stat::Std),
            (Metric::OutputThroughput, Metric::TotalThroughput, Stat::Value),
            (Metric::UserSpeed, Metric::UserSpeed, Stat::Median),
        ] {
            let a = Number { run: &run, metric, stat, settings: of_a, ask: &ASK };
            let b = Number { run: &run, metric: other, stat, settings: of_b, ask: &ASK };
            let Ok(found) = bridge(&a, &b, &Route::default()) else { continue };
            let (Some(gap), Some(explained)) = (found.difference(), found.explained()) else {
                continue;
            };
            if found.stopped.is_some() {
                continue;
            }
            walked += 1;
            let size = found.a.value.exact_or_reported().unwrap().abs().max(1.0);
            assert!(
                (explained - gap).abs() <= 1e-9 * size,
                "{round} {metric:?}: {explained} {gap} {found:#?}"
            );
            if found.no_average.is_none() && found.steps.iter().all(|s| s.average.is_some()) {
                let sum: f64 = found.steps.iter().filter_map(|step| step.average).sum();
                assert!((sum - gap).abs() <= 1e-9 * size, "{round} {metric:?}: {sum} {gap}");
            }
            assert_printed_digits_close(&found);
            let same = bridge(&a, &a, &Route::default()).unwrap();
            assert!(same.steps.is_empty(), "{round} {metric:?}: {same:#?}");
        }
    }
    assert!(walked > 800, "{walked}");
}
