//! Every handed file of the formats that are read imports, and the others are refused for the
//! reason that they are.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a failed test is the point of a test")]

use sameruler::formats;
use std::path::{Path, PathBuf};

/// Files that are no result of these tools, and a piece of what the refusal says they are.
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
}

fn results(cases: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in PUBLIC {
        files(&cases.join("public").join(folder), &mut found);
    }
    for scenario in std::fs::read_dir(cases.join("clients")).unwrap().map(|e| e.unwrap().path()) {
        if !scenario.is_dir() {
            continue;
        }
        for client in std::fs::read_dir(&scenario).unwrap().map(|e| e.unwrap().path()) {
            let name = client.file_name().unwrap().to_str().unwrap().to_owned();
            if CLIENTS.iter().any(|start| name.starts_with(start)) {
                files(&client, &mut found);
            }
        }
    }
    found.retain(|path| is_result(path));
    found.sort();
    found
}

#[test]
fn every_handed_result_imports_or_is_refused_for_what_it_is() {
    let Some(cases) = cases() else { return };
    let found = results(&cases);
    assert!(found.len() > 60, "only {} files under {}", found.len(), cases.display());
    let mut wrong = Vec::new();
    for path in found {
        let name = path.strip_prefix(&cases).unwrap().to_str().unwrap().replace('\\', "/");
        let bytes = std::fs::read(&path).unwrap();
        let refused = REFUSED.iter().find(|(file, _)| *file == name);
        // Under a name that says nothing: content decides.
        match (formats::read("file", &bytes, &mut |_| {}), refused) {
            (Ok(runs), None) if !runs.is_empty() => {}
            (Err(error), Some((_, words))) if error.to_string().contains(words) => {}
            (Ok(runs), _) => wrong.push(format!("{name}: read as {} runs", runs.len())),
            (Err(error), _) => wrong.push(format!("{name}: {error}")),
        }
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
