//! Theory against simulated queues, and against sweeps of real clients on one scripted server.
//!
//! The sweeps are in `../shared/cases`, which is no part of the repository; without it there is nothing to
//! do, except where `CI` is set. Their table is written to `target/theory.md`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

mod build;
mod handed;

use build::{Table, run};
use proptest::prelude::*;
use sameruler::charts::spec::Point;
use sameruler::engine::import::import;
use sameruler::engine::{Answer, Query, Session};
use sameruler::metrics::{
    Ask, QueueModel, Steadiness, arrivals, evaluate, little, mm1_mean, mm1_within, own, steady,
};
use sameruler::model::{Metric, Run, Stat};
use sameruler::stats::Rng;
use sameruler::views::curves::{CurveAxes, CurvesView};
use sameruler::views::{Context, chart_words};
use std::fmt::Write as _;

/// Exponentially distributed with this mean.
fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    let share = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    -mean * (1.0 - share).ln()
}

/// Requests that arrive at random and wait for one of `servers`, each busy `load` of the time:
/// send times and latencies in seconds. Service takes 0.5 s in the mean.
fn simulated(seed: u64, count: usize, servers: usize, load: f64) -> Vec<(f64, f64)> {
    const SERVICE: f64 = 0.5;
    let mut rng = Rng::seeded(seed);
    let mut free = vec![0.0_f64; servers];
    let mut now = 0.0;
    (0..count)
        .map(|_| {
            now += exponential(&mut rng, SERVICE / servers as f64 / load);
            let next = (0..servers).min_by(|a, b| free[*a].total_cmp(&free[*b])).unwrap();
            free[next] = free[next].max(now) + exponential(&mut rng, SERVICE);
            (now, free[next] - now)
        })
        .collect()
}

fn table(requests: &[(f64, f64)], shift: f64) -> Run {
    let mut table = Table::new();
    for (_, latency) in requests {
        table = table.whole(1.0, 1e3 * latency, 10.0);
    }
    let starts: Vec<f64> = requests.iter().map(|r| r.0 + shift).collect();
    run(table.starts(&starts))
}

/// Of so many seeds, the share with this verdict.
fn share(seeds: u64, count: usize, servers: usize, load: f64, verdict: Steadiness) -> f64 {
    let hits = (0..seeds)
        .filter(|seed| {
            steady(&table(&simulated(*seed, count, servers, load), 0.0), &[]).verdict == verdict
        })
        .count();
    hits as f64 / seeds as f64
}

#[test]
fn a_steady_queue_is_called_growing_in_at_most_5_percent_of_200_runs() {
    for (count, servers, load) in [(500, 1, 0.7), (150, 8, 0.8), (500, 8, 0.85), (500, 1, 0.5)] {
        let wrong = share(200, count, servers, load, Steadiness::Growing);
        println!("{count} requests, {servers} servers, {load} busy: {wrong} called growing");
        assert!(wrong <= 0.05, "{count} requests, {servers} servers, {load} busy: {wrong}");
    }
}

#[test]
fn a_growing_queue_is_found() {
    for (count, servers, load, at_least) in
        [(500, 1, 1.2, 0.75), (500, 8, 1.25, 0.8), (150, 8, 1.6, 0.8)]
    {
        let found = share(200, count, servers, load, Steadiness::Growing);
        println!("{count} requests, {servers} servers, {load} offered: {found} found");
        assert!(found >= at_least, "{count} requests, {servers} servers, {load} offered: {found}");
    }
    // Evenly spaced, ten a second against eight served: two are left over every second, exactly.
    let requests: Vec<(f64, f64)> = (0..200)
        .map(|at| (f64::from(at) / 10.0, f64::from(at) / 8.0 - f64::from(at) / 10.0 + 0.125))
        .collect();
    let got = steady(&table(&requests, 0.0), &[]);
    assert_eq!(got.verdict, Steadiness::Growing, "{got:?}");
    assert!((got.slope.unwrap() - 2.0).abs() < 0.02, "{got:?}");
    let within = got.interval.unwrap();
    assert!(within.low <= 2.0 && 2.0 <= within.high && within.high - within.low < 0.2);
    assert!(
        got.sentence().starts_with("No steady state at this load: 2.0 more requests"),
        "{}",
        got.sentence()
    );
}

#[test]
fn a_simulated_server_lies_on_the_model() {
    // 40 independent runs of 4,000 requests after a warm-up of 1,000, 70 % busy.
    let runs: Vec<Vec<f64>> = (0..40)
        .map(|seed| simulated(900 + seed, 5000, 1, 0.7).iter().skip(1000).map(|r| r.1).collect())
        .collect();
    let interval = |of: &dyn Fn(&[f64]) -> f64| {
        let each: Vec<f64> = runs.iter().map(|r| of(r)).collect();
        let n = each.len() as f64;
        let mean = each.iter().sum::<f64>() / n;
        let spread = each.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, 2.023 * (spread / n).sqrt())
    };
    let (mean, half) = interval(&|r| r.iter().sum::<f64>() / r.len() as f64);
    let model = mm1_mean(0.5, 0.7).unwrap();
    assert!((mean - model).abs() <= half, "{mean} ± {half}, the model says {model}");
    let within = |r: &[f64]| r.iter().filter(|v| **v <= 2.0).count() as f64 / r.len() as f64;
    let (share, half) = interval(&within);
    let model = mm1_within(0.5, 0.7, 2.0).unwrap();
    assert!((share - model).abs() <= half, "{share} ± {half}, the model says {model}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn time_shift_and_order_change_nothing(
        seed in 0_u64..1000,
        shift in 0.0_f64..1e6,
        load in 0.3_f64..2.0,
    ) {
        let requests = simulated(seed, 120, 4, load);
        let mut turned = requests.clone();
        turned.reverse();
        let plain = arrivals(&table(&requests, 0.0), &[]).unwrap();
        let other = arrivals(&table(&turned, shift), &[]).unwrap();
        prop_assert_eq!(plain.steady.verdict, other.steady.verdict);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(1.0);
        prop_assert!(close(plain.steady.slope.unwrap(), other.steady.slope.unwrap()));
        prop_assert!(close(plain.mean_sent, other.mean_sent));
        prop_assert!(plain.moments.len() <= 121);
        let last = plain.moments.last().unwrap();
        prop_assert_eq!((last.arrived, last.ended), (120, 120));
        prop_assert!(plain.moments.iter().all(|m| m.ended <= m.arrived));
    }

    #[test]
    fn any_table_has_an_answer(
        rows in prop::collection::vec((0.0_f64..1e5, -1.0_f64..1e4), 0..60),
    ) {
        let got = steady(&table(&rows, 0.0), &[]);
        prop_assert!(!got.because.is_empty());
        prop_assert!(got.slope.is_none_or(f64::is_finite));
    }
}

/// A sweep of the scripted server with send times.
struct Sweep {
    client: &'static str,
    files: &'static [&'static str],
}

const SWEEPS: [Sweep; 7] = [
    Sweep { client: "vllm", files: RATES },
    Sweep { client: "vllm-completions", files: RATES },
    Sweep { client: "vllm-concurrency", files: &["conc01.json", "conc04.json", "conc16.json"] },
    Sweep { client: "aiperf", files: RECORDS },
    Sweep { client: "guidellm", files: &["sweep.json.gz"] },
    Sweep { client: "guidellm-constant", files: &["sweep.json.gz"] },
    Sweep { client: "guidellm-concurrent", files: &["sweep.json.gz"] },
];
const RATES: &[&str] =
    &["rate04.json", "rate08.json", "rate12.json", "rate16.json", "rate20.json", "rate26.json"];
const RECORDS: &[&str] = &[
    "rate04/profile_export.jsonl",
    "rate08/profile_export.jsonl",
    "rate12/profile_export.jsonl",
    "rate16/profile_export.jsonl",
    "rate20/profile_export.jsonl",
    "rate26/profile_export.jsonl",
];

/// What the scripted server can serve in requests a second, from its own throughput under full load.
const CAPACITY: f64 = 14.2;

#[test]
fn above_the_servers_capacity_waiting_grows_and_below_it_does_not() {
    let Some(root) = handed::cases() else { return };
    let mut report = String::from(
        "| run | sent req/s | slope in flight/s | verdict | Little |\n| --- | --- | --- | --- | --- |\n",
    );
    let mut judged = 0;
    for sweep in SWEEPS {
        for file in sweep.files {
            let path = root.join("clients/S5").join(sweep.client).join(file);
            let Some(runs) = read(&path) else { panic!("{} is not read", path.display()) };
            for run in runs {
                let found = arrivals(&run, &[]).unwrap();
                let got = &found.steady;
                let evaluation = evaluate(&run, &own(&run).settings, &Ask::default());
                let line = little(&run, &own(&run).settings, &evaluation, &[]);
                let slope = got.slope.zip(got.interval).map_or("—".to_owned(), |(s, i)| {
                    format!("{s:.2} ({:.2} to {:.2})", i.low, i.high)
                });
                let name = format!("{} {file} {}", sweep.client, run.provenance.index);
                let _ = writeln!(
                    report,
                    "| {name} | {:.2} | {slope} | {} | {} |",
                    found.rate,
                    got.verdict.id(),
                    line.map_or_else(|why| why, |l| l.sentence)
                );
                judged += 1;
                // GuideLLM sent a part of its third and sixth load at once: little is left to test.
                let burst = sweep.client == "guidellm" && [2, 5].contains(&run.provenance.index);
                let right = match (sweep.client.contains("conc"), found.rate / CAPACITY) {
                    (true, _) => got.verdict == Steadiness::Closed,
                    (false, _) if burst => got.verdict == Steadiness::CannotTell,
                    (false, load) if load > 1.15 => got.verdict == Steadiness::Growing,
                    (false, load) if load > 1.05 => got.verdict != Steadiness::Steady,
                    (false, load) if load < 0.95 => got.verdict != Steadiness::Growing,
                    _ => true,
                };
                assert!(right, "{name}: {} at {} req/s, {got:?}", got.verdict.id(), found.rate);
            }
        }
    }
    assert!(judged >= 33, "{judged}");
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/target/theory.md"), report).unwrap();
}

/// What Curves shows of the sweep of vLLM's client.
fn shown(axes: CurveAxes) -> Option<(Session, Context, CurvesView)> {
    let root = handed::cases()?.join("clients/S5/vllm");
    let mut session = Session::default();
    for file in RATES {
        session.adopt(read(&root.join(file)).unwrap());
    }
    let runs = session.runs().iter().map(|run| run.id.clone()).collect();
    let context = Context { runs, ..Context::default() };
    let Answer::Curves(view) = session.answer(&context, &Query::Curves { axes }) else {
        panic!("another answer")
    };
    Some((session, context, view))
}

#[test]
fn a_load_without_a_steady_state_is_marked_told_and_drawn_over_time() {
    let Some((session, context, view)) = shown(CurveAxes::default()) else { return };
    let main = view.main.unwrap();
    let rising: Vec<bool> = main.series[0].points.iter().map(|p| p.rising).collect();
    assert_eq!(rising, [false, false, false, true, true, true]);
    assert!(main.notes[0].contains("no steady state at 16, 20 and 26 req/s"), "{:?}", main.notes);
    assert!(view.caption.contains("Arrow upward: no steady state"));
    assert_eq!(view.table.head.last().unwrap(), "Steady state");
    assert!(
        view.table.rows[5].last().unwrap().starts_with("none, 12 more"),
        "{:?}",
        view.table.rows[5]
    );
    let card = view.cards.last().unwrap();
    assert!(
        card.rising && card.steady.starts_with("No steady state at this load: 12 more"),
        "{}",
        card.steady
    );
    let query = Query::Arrivals { run: card.run.clone() };
    let Answer::Arrivals(arrivals) = session.answer(&context, &query) else {
        panic!("another answer")
    };
    assert_eq!(arrivals.sentence, card.steady);
    let chart = arrivals.chart.unwrap();
    assert_eq!(chart.title, "Arrivals outrun completions");
    assert_eq!(chart.series.len(), 2);
    assert!(
        chart.series.iter().all(|s| s.points.last().unwrap().y > 149.0),
        "all 150 come and end"
    );
    assert!(arrivals.method.contains("ten batch means"), "{}", arrivals.method);
}

#[test]
fn a_model_is_a_dashed_line_over_the_measured_loads_and_says_what_it_is() {
    let axes = CurveAxes {
        y: Metric::E2e,
        stat: Stat::Mean,
        model: Some(QueueModel::Mm1),
        ..CurveAxes::default()
    };
    let Some((_, _, view)) = shown(axes) else { return };
    let main = view.main.unwrap();
    let [measured, model] = main.series.as_slice() else { panic!("{:?}", main.series.len()) };
    let label = model.points.last().unwrap().label.as_deref();
    assert_eq!(label, Some("M/M/1 model, not measured"));
    assert!(model.dashed && model.bare && model.neutral);
    let ends = |of: fn(f64, f64) -> f64, pick: fn(&Point) -> f64| {
        measured.points.iter().map(pick).reduce(of).unwrap()
    };
    for point in &model.points {
        assert!(point.x >= ends(f64::min, |p| p.x) && point.x <= ends(f64::max, |p| p.x));
        assert!(point.y <= ends(f64::max, |p| p.y), "the axis is not stretched");
    }
    // S ÷ (1 − ρ) with S of the lowest load, at that load.
    let (low, high) = (&measured.points[0], ends(f64::max, |p| p.x));
    assert!((model.points[0].y - low.y / (1.0 - low.x / high)).abs() < 1e-6 * low.y);
    assert!(main.notes.iter().any(|n| n.contains("Engines batch")), "{:?}", main.notes);
    assert!(
        main.notes.iter().any(|n| n.contains("mean E2E of the lowest load")),
        "{:?}",
        main.notes
    );
    assert_eq!(view.table.head.last().unwrap(), "M/M/1 model (not measured), ms");
    let spoken = &chart_words::groups(&main.clone().into())[1].marks[0].1;
    assert!(spoken.contains("not measured"), "{spoken}");

    let tail = CurveAxes { stat: Stat::Percentile(99.0), model: Some(QueueModel::Kingman), ..axes };
    let (_, _, view) = shown(tail).unwrap();
    let main = view.main.unwrap();
    assert_eq!(main.series.len(), 1);
    assert!(main.notes.iter().any(|n| n.contains("mean only")), "{:?}", main.notes);
    // TPOT leaves waiting out: no queue says anything of it.
    let (_, _, view) = shown(CurveAxes { y: Metric::Tpot, ..axes }).unwrap();
    assert_eq!(view.main.unwrap().series.len(), 1);
}

fn read(path: &std::path::Path) -> Option<Vec<Run>> {
    let bytes = std::fs::read(path).ok()?;
    import(&path.to_string_lossy(), &mut bytes.as_slice(), false, &mut |_, _, _, _| {}).whole().ok()
}
