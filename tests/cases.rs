//! Every handed file, published or made by a client, imports or is refused for the reason that it is.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a failed test is the point of a test")]

mod handed;

use glob::Pattern;
use handed::{cases, every_file};
use sameruler::engine::import::import;

/// Files that are no result, and a piece of what the refusal says; `*` stands for any part of a path,
/// and the first line that fits decides. What fits none must import.
const REFUSED: &[(&str, &str)] = &[
    // Beside the published files: where each comes from.
    ("*/SOURCES.tsv", "note”"),
    ("*.md", "notes in Markdown"),
    ("clients/expected.json", "No known benchmark result"),
    // Published.
    ("public/prometheus/openmetrics-suite/bad_no_eof/metrics", "The file is empty"),
    ("public/prometheus/*/test.json", "a test case of OpenMetrics’ suite"),
    ("public/other/custom-client-c16.json", "somebody’s own client"),
    ("public/sglang/fork-custom-keys.jsonl", "a changed SGLang or vLLM client"),
    ("public/lmbench-csv/header-only.csv", "a header but no rows"),
    // Beside the results of each client.
    ("clients/*/meta.json", "notes of a test harness"),
    ("clients/*/truth.jsonl*", "a log of requests that a server wrote"),
    ("clients/*/config.yaml", "the configuration of an inference-perf run"),
    ("clients/*config.yml", "the configuration of an inference-perf run"),
    (
        "clients/*.partial.*.yaml",
        "the part of an llm-d benchmark report that inference-perf writes",
    ),
    ("clients/*/inference-perf/*console.txt", "inference-perf"),
    ("clients/*/guidellm*/*console.txt", "text that GuideLLM printed"),
];

fn fits(pattern: &str, name: &str) -> bool {
    Pattern::new(pattern).unwrap().matches(name)
}

/// What is wrong with how a file is read.
fn fault(name: &str, bytes: &[u8]) -> Option<String> {
    if name.contains("openmetrics-suite/") {
        // Bad on purpose: `tests/prometheus.rs` says what becomes of each page.
        return None;
    }
    // Under a name that says nothing: content decides.
    let read = import("file", &mut &*bytes, false, &mut |_, _, _, _| {});
    if read.refused.is_empty() && read.runs.is_empty() && !read.dumps.is_empty() {
        // Metrics of a server, which are no run.
        return None;
    }
    let read = read.whole();
    let expected = REFUSED.iter().find(|(pattern, _)| fits(pattern, name));
    match (read, expected) {
        (Ok(runs), None) if !runs.is_empty() => None,
        (Err(refusal), Some((_, words))) if refusal.error.contains(words) => None,
        (Ok(runs), _) => Some(format!("{name}: read as {} runs", runs.len())),
        (Err(refusal), _) => Some(format!("{name}: {}", refusal.error)),
    }
}

#[test]
fn every_handed_file_imports_or_is_refused_for_what_it_is() {
    let Some(cases) = cases() else { return };
    let found = ["public", "clients"].map(|folder| every_file(&cases.join(folder))).concat();
    assert!(found.len() > 900, "only {} files under {}", found.len(), cases.display());
    let mut wrong = Vec::new();
    for path in found {
        let name = path.strip_prefix(&cases).unwrap().to_str().unwrap().replace('\\', "/");
        wrong.extend(fault(&name, &std::fs::read(&path).unwrap()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
