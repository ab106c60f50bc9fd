//! Every handed file, published or made by a client, imports or is refused for the reason that it is.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a failed test is the point of a test")]

use glob::Pattern;
use sameruler::engine::import::import;
use std::path::{Path, PathBuf};

/// Files that are no result, and a piece of what the refusal says; `*` stands for any part of a path,
/// and the first line that fits decides. What fits none must import.
const REFUSED: &[(&str, &str)] = &[
    ("public/lmbench-csv/header-only.csv", "a header but no rows"),
    ("public/other/custom-client-c16.json", "somebody’s own client"),
    ("public/sglang/fork-custom-keys.jsonl", "a changed SGLang or vLLM client"),
    //
];

/// Folders of published files that are read.
const PUBLIC: &[&str] = &[
    "aiperf",
    "inference-perf",
    "genai-perf",
    "llama-bench",
    "llama-server",
    "other",
    "trtllm",
    "guidellm",
    "inferencex",
    "llmperf",
    "fmperf",
    "lmbench-csv",
    "mlperf",
    "sglang",
    "vllm",
    //
];

/// Clients of the scripted server whose files are read, by the start of their folder's name.
const CLIENTS: &[&str] = &[
    "aiperf",
    "inference-perf",
    "sglang",
    "vllm",
    // Beside the published files: where each comes from.
    ("*/SOURCES.tsv", "note”"),
    ("*.md", "notes in Markdown"),
    ("clients/expected.json", "No known benchmark result"),
    // Published.
    ("public/prometheus/openmetrics-suite/bad_no_eof/metrics", "The file is empty"),
    ("public/prometheus/*/test.json", "a test case of OpenMetrics’ suite"),
    ("public/prometheus/*", "metrics of a server (Prometheus)"),
    ("public/other/custom-client-c16.json", "somebody’s own client"),
    ("public/vllm/serve-stdout-wrapped.json", "text that a serving benchmark printed"),
    ("public/sglang/fork-custom-keys.jsonl", "a changed SGLang or vLLM client"),
    ("public/inferencex/agg-dsr1-1k1k.json", "aggregated records of InferenceX"),
    ("public/inferencex/reduced-dsr1-1k1k.json", "aggregated records of InferenceX"),
    ("public/lmbench-csv/header-only.csv", "a header but no rows"),
    // Beside the results of each client.
    ("clients/*/metrics_*.txt", "metrics of a server (Prometheus)"),
    ("clients/*/meta.json", "notes on how a test was run"),
    ("clients/*/truth.jsonl*", "the log of a scripted server"),
    ("clients/*/config.yaml", "the configuration of an inference-perf run"),
    ("clients/*config.yml", "the configuration of an inference-perf run"),
    (
        "clients/*.partial.*.yaml",
        "the part of an llm-d benchmark report that inference-perf writes",
    ),
    ("clients/*/inference-perf/*console.txt", "inference-perf"),
    ("clients/*console.txt", "printed, not its result file"),
];

/// Files of formats that are on their way: read, or refused until then.
const UNDER_WAY: &[&str] = &[
    "public/aiperf/*",
    "public/fmperf/*",
    "public/guidellm/*",
    "public/llm-d-benchmark/*",
    "public/mlperf/*",
    "clients/*/aiperf/*",
    "clients/*/guidellm*/*",
    //
];

/// The folder of handed cases. In CI it must be there.
fn cases() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "CI needs ../shared/cases");
    None
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files(&entry, found);
        } else {
            found.push(entry);
        }
    }
}

/// Result files: not the server's log, scrapes, console copies, or notes beside them.
fn is_result(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    let ends = |end: &str| path.extension().is_some_and(|e| e == end);
    (ends("json")
        || ends("jsonl")
        || ends("csv")
        || ends("yaml") && !path.components().any(|part| part.as_os_str() == "clients")
        || name.ends_with("mlperf_log_summary.txt"))
        && name != "meta.json"
        && !name.starts_with("truth")
fn fits(pattern: &str, name: &str) -> bool {
    Pattern::new(pattern).unwrap().matches(name)
}

/// What is wrong with how a file is read.
fn fault(name: &str, bytes: &[u8]) -> Option<String> {
    // Under a name that says nothing: content decides.
    let read = import("file", &mut &*bytes, false, &mut |_, _, _, _| {}).whole();
    let expected = REFUSED.iter().find(|(pattern, _)| fits(pattern, name));
    let under_way = UNDER_WAY.iter().any(|pattern| fits(pattern, name));
    match (read, expected) {
        (Ok(runs), None) if !runs.is_empty() => None,
        (Err(refusal), Some((_, words))) if refusal.error.contains(words) => None,
        (Err(_), None) if under_way => None,
        (Ok(runs), _) => Some(format!("{name}: read as {} runs", runs.len())),
        (Err(refusal), _) => Some(format!("{name}: {}", refusal.error)),
    }
}

#[test]
fn every_handed_file_imports_or_is_refused_for_what_it_is() {
    let Some(cases) = cases() else { return };
    let mut found = Vec::new();
    for folder in ["public", "clients"] {
        files(&cases.join(folder), &mut found);
    }
    assert!(found.len() > 900, "only {} files under {}", found.len(), cases.display());
    let mut wrong = Vec::new();
    for path in found {
        let name = path.strip_prefix(&cases).unwrap().to_str().unwrap().replace('\\', "/");
        wrong.extend(fault(&name, &std::fs::read(&path).unwrap()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files beside the results of the scripted clients: printed summaries are read, and what is no result
/// is named for what it is.
#[test]
fn what_lies_beside_the_results_is_read_or_named() {
    const NAMED: &[(&str, &str, &str)] = &[
        ("guidellm", ".console.txt", "text that GuideLLM printed"),
        ("inference-perf", ".console.txt", "text that inference-perf printed"),
        ("", "truth.jsonl", "a log of requests that a server wrote"),
        ("", "meta.json", "notes of a test harness"),
        ("", "_before.txt", "Prometheus"),
        ("", "_after.txt", "Prometheus"),
    ];
    let Some(cases) = cases() else { return };
    let mut found = Vec::new();
    files(&cases.join("clients"), &mut found);
    let (mut read, mut named, mut wrong) = (0, 0, Vec::new());
    for path in found {
        let name = path.strip_prefix(&cases).unwrap().to_str().unwrap().replace('\\', "/");
        let known = NAMED
            .iter()
            .find(|(client, end, _)| name.contains(&format!("/{client}")) && name.ends_with(end));
        if known.is_none() && !name.ends_with("console.txt") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        match (formats::read("file", &bytes, &mut |_| {}), known) {
            (Ok(runs), None) if runs.len() == 1 && runs[0].reported.values.len() > 9 => read += 1,
            (Err(error), Some((_, _, words))) if error.to_string().contains(words) => named += 1,
            (Ok(runs), _) => wrong.push(format!("{name}: read as {} runs", runs.len())),
            (Err(error), _) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 70 && named > 100, "{read} read, {named} named");
}
