//! How long new numbers take after a change of definition. Budget: 150 ms for four runs of 10,000
//! requests with 2.5 million gaps in all.
#![allow(missing_docs, reason = "criterion writes the entry points")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use sameruler::engine::Session;
use sameruler::engine::protocol::Query;
use sameruler::metrics::{Ask, COMMON, SGLANG, Settings, Subject, difference_of, evaluate};
use sameruler::model::{
    Column, Digest, Limit, Metric, Origin, Provenance, Ragged, Requests, Run, RunId, Stat,
    TokenSource, Tool,
};
use sameruler::stats::Rng;
use sameruler::units::{Seconds, Tokens};
use sameruler::views::{Context, Ruler};

const REQUESTS: usize = 10_000;
const GAPS: usize = 62;

fn run(seed: u64) -> Run {
    let mut rng = Rng::seeded(seed);
    let mut unit = move || rng.below(1 << 30) as f64 / f64::from(1 << 30);
    let mut gaps = Ragged::new(Origin::Reported);
    for _ in 0..REQUESTS {
        for _ in 0..GAPS {
            gaps.push(Seconds::from_secs(0.01 - 0.01 * (1.0 - unit()).ln()));
        }
        gaps.end_row(true);
    }
    let seconds: Vec<f64> = (0..REQUESTS).map(|_| 0.05 + 0.1 * unit()).collect();
    let column = |of: &dyn Fn(usize) -> f64| {
        let values = (0..REQUESTS).map(|at| Some(Seconds::from_secs(of(at))));
        Column::from_options(Origin::Reported, values)
    };
    let tokens = (0..REQUESTS).map(|_| Some(Tokens::from_count(GAPS as f64 + 1.0)));
    let requests = Requests {
        output_tokens: Column::from_options(Origin::Reported, tokens),
        token_source: TokenSource::Server,
        ttft: column(&|at| seconds[at]),
        start: column(&|at| at as f64 * 0.01),
        gaps,
        ..Requests::absent(REQUESTS)
    };
    let digest = Digest::of(&seed.to_le_bytes());
    let provenance = Provenance::new("made.json", 0, digest, "made", "made for timing");
    Run { scripted: true, requests: Some(requests), ..Run::new(Tool::Vllm, "made", provenance) }
}

fn change_of_definition(criterion: &mut Criterion) {
    let runs: Vec<Run> = (1..=4).map(run).collect();
    let ask = Ask {
        limits: "ttft<=120ms tpot<=21ms".split(' ').flat_map(str::parse).collect(),
        ..Ask::default()
    };
    let mut zeros = COMMON.settings;
    let _ = zeros.set("itl", "token-zeros");
    for (name, settings) in
        [("common", COMMON.settings), ("sglang", SGLANG.settings), ("zeros", zeros)]
    {
        criterion.bench_function(&format!("four runs, {name}"), |bencher| {
            // Copies, which remember nothing.
            bencher.iter_batched_ref(
                || runs.clone(),
                |runs| {
                    runs.iter().map(|r| evaluate(r, &settings, &ask).metrics.len()).sum::<usize>()
                },
                BatchSize::PerIteration,
            );
        });
    }
}

/// The whole answer of the Compare screen to a change of definition, as the engine's worker gives it.
fn answer(criterion: &mut Criterion) {
    let made: Vec<Run> = (1..=4).map(run).collect();
    let runs: Vec<RunId> = made.iter().map(|run| run.id.clone()).collect();
    let limits: Vec<Limit> = "ttft<=120ms tpot<=21ms".split(' ').flat_map(str::parse).collect();
    let context = |itl: &str| Context {
        runs: runs.clone(),
        limits: limits.clone(),
        ruler: Ruler::Same {
            preset: "common".into(),
            changes: [("itl".to_owned(), itl.to_owned())].into(),
        },
        ..Context::default()
    };
    for name in ["event-gap", "token-zeros", "request-mean"] {
        let context = context(name);
        criterion.bench_function(&format!("Compare of four runs, itl = {name}"), |bencher| {
            // New runs each time: what is remembered would be no answer to a change.
            bencher.iter_batched_ref(
                || {
                    let mut session = Session::new();
                    session.adopt(made.clone());
                    session
                },
                |session| session.answer(&context, &Query::Compare),
                BatchSize::PerIteration,
            );
        });
    }
}

/// The same after a first answer, as when a reader changes one definition: what it does not move is
/// remembered.
fn change(criterion: &mut Criterion) {
    let made: Vec<Run> = (1..=4).map(run).collect();
    let runs: Vec<RunId> = made.iter().map(|run| run.id.clone()).collect();
    let limits: Vec<Limit> = "ttft<=120ms tpot<=21ms".split(' ').flat_map(str::parse).collect();
    let context = |dimension: &str, choice: &str| Context {
        runs: runs.clone(),
        limits: limits.clone(),
        ruler: Ruler::Same {
            preset: "common".into(),
            changes: [(dimension.to_owned(), choice.to_owned())].into(),
        },
        ..Context::default()
    };
    let changes = [
        ("itl", "event-gap"),
        ("itl", "token-zeros"),
        ("itl", "request-mean"),
        ("tpot", "whole-over-n"),
        ("percentile", "nearest-rank"),
        ("window", "steady:0.8"),
    ];
    for (dimension, choice) in changes {
        let (before, after) = (context("itl", "event-gap"), context(dimension, choice));
        criterion.bench_function(&format!("change to {dimension} = {choice}"), |bencher| {
            bencher.iter_batched_ref(
                || {
                    let mut session = Session::new();
                    session.adopt(made.clone());
                    let _ = session.answer(&before, &Query::Compare);
                    session
                },
                |session| session.answer(&after, &Query::Numbers),
                BatchSize::PerIteration,
            );
        });
    }
}

fn intervals(criterion: &mut Criterion) {
    let runs: Vec<Run> = (1..=2).map(run).collect();
    let settings: Settings = COMMON.settings;
    let subjects: Vec<Subject<'_>> =
        runs.iter().map(|r| Subject::new(r, &settings, &Ask::default())).collect();
    for (name, stat) in [("mean", Stat::Mean), ("p99", Stat::Percentile(99.0))] {
        criterion.bench_function(&format!("interval of a difference, ITL {name}"), |bencher| {
            bencher.iter(|| difference_of(&subjects[0], &subjects[1], Metric::Itl, stat));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = change_of_definition, answer, change, intervals
}
criterion_main!(benches);
