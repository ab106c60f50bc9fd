//! How long new numbers take after a change of definition. Budget: 150 ms for four runs of 10,000
//! requests with 2.5 million gaps in all.
#![allow(missing_docs, reason = "criterion writes the entry points")]

use criterion::{Criterion, criterion_group, criterion_main};
use sameruler::metrics::{Ask, COMMON, SGLANG, Settings, Subject, difference_of, evaluate};
use sameruler::model::{
    Column, Digest, Load, Metric, Origin, Part, Provenance, Ragged, Reported, Requests, Run, RunId,
    Stat, TokenSource, Tool, ToolVersion, Workload,
};
use sameruler::notice::Notices;
use sameruler::stats::Rng;
use sameruler::units::{Seconds, Tokens};

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
    Run {
        id: RunId::of(&digest, 0),
        name: "made".into(),
        tool: Tool::Vllm,
        version: ToolVersion::default(),
        scripted: true,
        load: Load::default(),
        workload: Workload::default(),
        requests: Some(requests),
        group: None,
        reported: Reported::default(),
        provenance: Provenance {
            file: "made.json".into(),
            bytes: 0,
            sha256: digest,
            index: 0,
            of: 1,
            format: "made".into(),
            because: "made for timing".into(),
            part: Part::Whole,
            kin: None,
            stem: None,
            joined: Vec::new(),
            notices: Notices::new(),
        },
    }
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
            bencher.iter(|| {
                runs.iter().map(|r| evaluate(r, &settings, &ask).metrics.len()).sum::<usize>()
            });
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
    targets = change_of_definition, intervals
}
criterion_main!(benches);
