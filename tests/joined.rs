//! All handed cases as one Library: every file imported, files of one run joined, and every printed
//! aggregate of a run with requests reproduced under the tool's own ruler, or listed with its reason.
//!
//! Reads `../shared/cases`, which is no part of the repository; without it there is nothing to do,
//! except where `CI` is set. Writes `target/joined.md`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::{cases, library};
use sameruler::engine::Session;
use sameruler::engine::import::import;
use sameruler::metrics::{Agreement, Ask, Verdict, agreement};
use sameruler::model::{Limit, LimitMetric, Part, Run, Tool};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

fn limits(file: &str) -> Vec<Limit> {
    let millis = if file.contains("/S5/") { [250.0, 18.0, 900.0] } else { [110.0, 18.0, 1000.0] };
    let metrics = [LimitMetric::Ttft, LimitMetric::Tpot, LimitMetric::E2e];
    metrics.into_iter().zip(millis).map(|(metric, millis)| Limit::at_most(metric, millis)).collect()
}

/// One line of the table: how many values, and why some are not equal.
fn line(out: &mut String, run: &Run, all: &[Agreement]) {
    let count = |v| all.iter().filter(|a| a.verdict == v).count();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for a in all.iter().filter(|a| a.verdict != Verdict::Equal) {
        let because = a.because.clone().unwrap_or_default();
        *reasons.entry(because.split(": it is ").next().unwrap().to_owned()).or_default() += 1;
    }
    let reasons: Vec<_> = reasons.into_iter().map(|(why, n)| format!("{n} × {why}")).collect();
    let _ = writeln!(
        out,
        "| {} | {} | {} | {} | {} | {} | {} | {} |",
        run.provenance.file,
        1 + run.provenance.joined.len(),
        all.len(),
        count(Verdict::Equal),
        count(Verdict::Close),
        count(Verdict::Differs),
        count(Verdict::NotRecomputable),
        reasons.join("; ").replace('|', "\\|")
    );
}

#[test]
fn what_tools_printed_comes_out_of_the_joined_files() {
    let Some(root) = cases() else { return };
    let session = library(&root);
    let runs = session.runs();
    let mut table = String::from(
        "| run | files | printed | equal | close | differ | not recomputable | reasons |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut unexplained = Vec::new();
    for run in runs.iter().filter(|run| run.requests.is_some()) {
        let ask =
            Ask { percentiles: Vec::new(), limits: limits(&run.provenance.file), ..Ask::default() };
        let all = agreement(run, &ask);
        line(&mut table, run, &all);
        unexplained.extend(
            all.into_iter()
                .filter(|a| a.verdict == Verdict::Differs)
                .map(|a| format!("{}: {a:?}", run.provenance.file)),
        );
    }
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    std::fs::create_dir_all(&target).unwrap();
    std::fs::write(target.join("joined.md"), &table).unwrap();
    assert!(unexplained.is_empty(), "{}\n{}", unexplained.len(), unexplained.join("\n"));
}

#[test]
fn files_of_one_run_are_one_run() {
    let Some(root) = cases() else { return };
    let session = library(&root.join("clients"));
    let of = |tool: Tool| session.runs().into_iter().filter(move |run| run.tool == tool);
    let lonely: Vec<_> = of(Tool::Aiperf)
        .chain(of(Tool::InferencePerf))
        .filter(|run| run.provenance.joined.is_empty() && run.provenance.part != Part::Stage)
        .map(|run| format!("{} ({:?})", run.provenance.file, run.provenance.part))
        .collect();
    assert!(lonely.is_empty(), "not joined: {lonely:#?}");
    // Printed text is joined where the result holds the same numbers, whatever it is called.
    let alone: Vec<_> = of(Tool::Vllm)
        .chain(of(Tool::Sglang))
        .filter(|run| run.provenance.format == "console")
        .map(|run| run.provenance.file.clone())
        .collect();
    assert!(alone.is_empty(), "printed, and not joined to its result: {alone:#?}");
}

/// The folder of fixtures as somebody would drop it, by folder and name.
fn fixtures(names: &[&str]) -> Session {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut session = Session::new();
    for name in names {
        let bytes = std::fs::read(root.join(name)).unwrap();
        // All from one folder, as their tool writes them.
        let alone = name.rsplit('/').next().unwrap();
        let imported = import(alone, &mut bytes.as_slice(), false, &mut |_, _, _, _| {});
        session.adopt(imported.runs);
    }
    session
}

#[test]
fn an_export_of_perf_analyzer_and_the_summaries_of_genai_perf_are_one_run() {
    let session = fixtures(&[
        "genai-perf-csv/synthetic-reasoning_genai_perf.csv",
        "genai-perf-summary/synthetic-reasoning_genai_perf.json",
        "perf-analyzer/synthetic-reasoning.json",
    ]);
    let runs = session.runs();
    let [run] = runs.as_slice() else { panic!("{} runs", runs.len()) };
    assert_eq!(run.provenance.joined.len(), 2);
    assert_eq!(run.requests.as_ref().map(sameruler::model::Requests::len), Some(8));
    assert_eq!(run.workload.model.as_deref(), Some("made/model"));
    let all = agreement(run, &Ask::default());
    let equal = all.iter().filter(|a| a.verdict == Verdict::Equal).count();
    let differ = all.iter().filter(|a| a.verdict == Verdict::Differs).count();
    assert_eq!((equal, differ), (27, 0), "all digits of the JSON, not those of the table");
}

#[test]
fn a_report_of_trtllm_bench_and_its_requests_are_one_run() {
    let session = fixtures(&[
        "trtllm-requests/synthetic-1.2-streaming.request.json",
        "trtllm-bench/synthetic-1.2-streaming.report.json",
        "trtllm-requests/synthetic-0.20-offline.request.json",
        "trtllm-bench/synthetic-0.20-offline.report.json",
    ]);
    let runs = session.runs();
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert_eq!(run.provenance.joined.len(), 1, "{}", run.provenance.file);
        assert!(agreement(run, &Ask::default()).iter().all(|a| a.verdict == Verdict::Equal));
    }
}
