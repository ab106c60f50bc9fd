//! The checks over every handed file: what fires where. The table goes to `target/checks.md`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::{cases, every_file};
use sameruler::checks::{self, CHECKS, Examined, Verdict};
use sameruler::engine::import::import;
use sameruler::model::Run;
use sameruler::notice::Severity;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Every run of the cases with the name of its file.
fn every_run(cases: &Path) -> Vec<(String, Run)> {
    let mut found = Vec::new();
    for path in ["public", "clients"].map(|folder| every_file(&cases.join(folder))).concat() {
        let name = path.strip_prefix(cases).unwrap().to_str().unwrap().replace('\\', "/");
        let bytes = std::fs::read(&path).unwrap();
        let Ok(runs) = import(&name, &mut &*bytes, false, &mut |_, _, _, _| {}).whole() else {
            continue;
        };
        found.extend(runs.into_iter().map(|run| (name.clone(), run)));
    }
    found
}

/// The table: each check with how often it passed, could not tell and found, and where.
fn table(all: &[(String, Vec<Examined>)]) -> String {
    let mut out = String::from("# What the checks find in the handed cases\n\n");
    let _ = writeln!(out, "{} runs, {} checks.\n", all.len(), CHECKS.len());
    out.push_str("| Check | passed | can’t tell | note | warn | block |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for check in CHECKS {
        let id = check.about().id;
        let mut counts = [0; 5];
        for (_, examined) in all {
            let one = examined.iter().find(|e| e.id == id).unwrap();
            let slot = match &one.verdict {
                Verdict::Passed => 0,
                Verdict::CannotTell(_) => 1,
                Verdict::Found(f) => match f.severity {
                    Severity::Note => 2,
                    Severity::Warn => 3,
                    Severity::Block => 4,
                },
            };
            counts[slot] += 1;
        }
        let [passed, untold, note, warn, block] = counts;
        let _ = writeln!(out, "| {id} | {passed} | {untold} | {note} | {warn} | {block} |");
    }
    let mut lines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (file, examined) in all {
        for one in examined {
            if let Verdict::Found(finding) = &one.verdict {
                let from = if one.about.is_some() { "" } else { " (import)" };
                lines.entry(&one.id).or_default().push(format!(
                    "- {}{from} `{file}`: {} [{} of {}]",
                    finding.severity.word(),
                    finding.text,
                    finding.count,
                    finding.of
                ));
            }
        }
    }
    for (id, found) in lines {
        let _ = writeln!(out, "\n## {id}\n\n{}", found.join("\n"));
    }
    out
}

/// The scenarios of `clients` in which something is wrong on purpose, with what must be found there.
const EXPECTED: &[(&str, &str)] = &[
    // Several tokens a chunk.
    ("clients/S2/vllm/run.json", "tokens-per-event"),
    ("clients/S2/vllm-completions/run.json", "tokens-per-event"),
    ("clients/S2/sglang-oai-chat/run.jsonl", "tokens-per-event"),
    // Reasoning first: one client waits for the answer, one stops at the role.
    ("clients/S3/vllm/run.json", "reasoning-not-timed"),
    ("clients/S3/vllm-0.10/run.json", "first-event-without-text"),
    // Empty replies, failures.
    ("clients/S4/vllm-completions/run.json", "missing-as-zero"),
    ("clients/S4/sglang/run.jsonl", "missing-as-zero"),
    ("clients/S4/sglang/run.jsonl", "one-token-passes"),
    // Role chunks and empty chunks.
    ("clients/S8/vllm-0.10/run.json", "first-event-without-text"),
    ("clients/S8/vllm-0.10/run.json", "more-gaps-than-tokens"),
    ("clients/S8/aiperf/run/profile_export.jsonl", "latency-identity"),
    // Peaks of events; a server beyond its load; a run of which almost nothing is left.
    ("clients/S2/vllm/run.json", "impossible-peak"),
    ("clients/S5/vllm/rate26.json", "falls-behind"),
    ("public/vllm/405b-mi300x-983-failed.json", "mostly-failed"),
];

#[test]
fn the_checks_find_what_was_made_wrong_and_little_else() {
    let Some(cases) = cases() else { return };
    let runs = every_run(&cases);
    assert!(runs.len() > 400, "{}", runs.len());
    let all: Vec<(String, Vec<Examined>)> =
        runs.iter().map(|(name, run)| (name.clone(), checks::examine(run))).collect();
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
    std::fs::create_dir_all(&target).unwrap();
    std::fs::write(target.join("checks.md"), table(&all)).unwrap();

    let mut wrong = Vec::new();
    for (file, id) in EXPECTED {
        let there = all.iter().any(|(name, examined)| {
            name == file && examined.iter().any(|e| e.id == *id && e.verdict.found().is_some())
        });
        if !there {
            wrong.push(format!("{id} is not found in {file}"));
        }
    }
    // Plain runs of real clients: nothing more than a note of a check.
    for (name, examined) in &all {
        if !(name.starts_with("clients/S1/") || name.starts_with("clients/S6/")) {
            continue;
        }
        for one in examined.iter().filter(|e| e.about.is_some()) {
            if let Some(finding) = one.verdict.found().filter(|f| f.severity > Severity::Note) {
                wrong.push(format!("{name}: {}: {}", one.id, finding.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
