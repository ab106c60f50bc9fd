//! Bridges on the handed runs: the worked example of the design, and what tools say of one server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::{cases, read};
use sameruler::metrics::bridge::{Bridge, Number, Route, bridge};
use sameruler::metrics::{Ask, own};
use sameruler::model::{Metric, Run, Stat};
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
