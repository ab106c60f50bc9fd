//! The checks over every handed file: what fires where. The table goes to `target/checks.md`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;
mod handed;

use build::{Table, print, run};
use handed::{cases, every_file};
use sameruler::checks::{self, CHECKS, Examined, Finding, Verdict};
use sameruler::engine::import::import;
use sameruler::model::{Column, Metric, Origin, Run, Stat, TokenSource, Tool};
use sameruler::notice::Severity;
use sameruler::units::Seconds;
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

/// What one check says of a run.
fn verdict(run: &Run, id: &str) -> Verdict {
    let all = checks::examine(run);
    all.into_iter().find(|e| e.id == id && e.about.is_some()).expect("a check").verdict
}

fn found(run: &Run, id: &str) -> Finding {
    match verdict(run, id) {
        Verdict::Found(finding) => *finding,
        other => panic!("{id}: {other:?}"),
    }
}

/// A result of `vllm bench serve` of four requests of three tokens, with these keys beside.
fn vllm(ttfts: &str, more: &str) -> Run {
    let text = format!(
        r#"{{"backend": "vllm", "model_id": "m", "num_prompts": 4, "duration": 2.0, "completed": 4,
        "input_lens": [9, 9, 9, 9], "output_lens": [3, 3, 3, 3], "ttfts": {ttfts},
        "itls": [[0.02, 0.02], [0.02, 0.03], [0.03, 0.02], [0.02, 0.02]],
        "errors": ["", "", "", ""]{more}}}"#
    );
    import("run.json", &mut text.as_bytes(), false, &mut |_, _, _, _| {}).whole().unwrap().remove(0)
}

const TTFTS: &str = "[0.1, 0.11, 0.12, 0.13]";

#[test]
fn a_printed_infinity_is_named_and_not_used() {
    let endless = vllm(TTFTS, r#", "mean_ttft_ms": 115.0, "p99_ttft_ms": Infinity"#);
    let finding = found(&endless, "not-finite");
    assert_eq!(finding.text, "p99_ttft_ms is printed as infinite: infinity is no measurement.");
    assert!(endless.reported.find(Metric::Ttft, Stat::Percentile(99.0)).is_none());
    // An unlimited rate is a load.
    let unlimited = vllm(TTFTS, r#", "mean_ttft_ms": 115.0, "request_rate": Infinity"#);
    assert_eq!(verdict(&unlimited, "not-finite"), Verdict::Passed);
    // Gaps that add up to more than a number holds.
    let long = run(Table::new().row(100.0, &[1e308, 1e308], 3.0).row(100.0, &[20.0], 2.0));
    assert_eq!(found(&long, "not-finite").rows, [0]);
}

#[test]
fn goodput_is_no_more_than_throughput() {
    let printed = |goodput: f64, share: f64| {
        let mut run = run(Table::new().whole(100.0, 300.0, 3.0));
        print(&mut run, "request_throughput", Metric::RequestThroughput, Stat::Value, 2.0);
        print(&mut run, "request_goodput", Metric::Goodput, Stat::Value, goodput);
        print(&mut run, "slo_attainment", Metric::SloShare, Stat::Value, share);
        run
    };
    assert_eq!(verdict(&printed(2.0, 1.0), "goodput-above"), Verdict::Passed);
    let above = found(&printed(2.5, 1.0), "goodput-above");
    assert!(above.text.contains("2.50 req/s is above the request throughput of 2.00"));
    assert!(found(&printed(1.0, 1.2), "goodput-above").text.contains("A share of 1.20"));
}

#[test]
fn printed_percentiles_rise_and_the_mean_lies_between_the_extremes() {
    let order = |more: &str| verdict(&vllm(TTFTS, more), "printed-order");
    let rising = r#", "mean_ttft_ms": 115.0, "median_ttft_ms": 115.0, "p99_ttft_ms": 129.7"#;
    assert_eq!(order(rising), Verdict::Passed);
    let falling = vllm(TTFTS, r#", "median_ttft_ms": 129.7, "p99_ttft_ms": 115.0"#);
    let text = found(&falling, "printed-order").text;
    assert_eq!(text, "TTFT: the printed p99 of 115.0 is below the p50 of 129.7.");
    for (mean, side) in
        [(90.0, "below the minimum of 100.0"), (131.0, "above the maximum of 130.0")]
    {
        let mut run = run(Table::new().whole(100.0, 300.0, 3.0).whole(130.0, 300.0, 3.0));
        for (stat, value) in [(Stat::Min, 100.0), (Stat::Mean, mean), (Stat::Max, 130.0)] {
            print(&mut run, &stat.name(), Metric::Ttft, stat, value);
        }
        let text = found(&run, "printed-order").text;
        assert!(text.contains(side), "{text}");
    }
    let alone = verdict(&vllm(TTFTS, r#", "mean_ttft_ms": 115.0"#), "printed-order");
    assert!(matches!(alone, Verdict::CannotTell(_)), "{alone:?}");
}

#[test]
fn finished_requests_without_a_time_are_counted() {
    let finding = found(&vllm("[0.1, 0.0, -0.3, 0.13]", ""), "unmeasured");
    assert_eq!((finding.rows.as_slice(), finding.of), (&[1, 2][..], 4));
    assert!(finding.text.contains("2 of 4 finished requests (50 %)"), "{}", finding.text);
    assert_eq!(verdict(&vllm(TTFTS, ""), "unmeasured"), Verdict::Passed);
}

#[test]
fn one_token_replies_in_the_mean_tpot_are_found_where_the_tool_counts_them() {
    let short = |tool: Tool, tokens: f64| {
        let mut run = run(Table::new().whole(100.0, 300.0, 11.0).whole(100.0, 100.0, tokens));
        run.tool = tool;
        // trtllm-bench, and not the serving client of the same tool.
        run.workload.endpoint = (tool == Tool::Trtllm).then(|| "offline".to_owned());
        run
    };
    let trtllm = short(Tool::Trtllm, 1.0);
    let finding = found(&trtllm, "short-as-zero");
    assert_eq!(finding.rows, [1]);
    // 20 ms of the other reply, halved by the zero.
    let own = sameruler::metrics::own(&trtllm).settings;
    let ask = sameruler::metrics::Ask::default();
    let effects = checks::effects(&trtllm, &finding, &own, &ask, Stat::Mean);
    let tpot = effects.iter().find(|e| e.metric == Metric::Tpot).expect("an effect on TPOT");
    let numbers = (tpot.before.number().unwrap(), tpot.after.number().unwrap());
    assert!((numbers.0 - 10.0).abs() < 1e-9 && (numbers.1 - 20.0).abs() < 1e-9, "{numbers:?}");
    assert_eq!(verdict(&short(Tool::Trtllm, 2.0), "short-as-zero"), Verdict::Passed);
    assert_eq!(verdict(&short(Tool::Vllm, 1.0), "short-as-zero"), Verdict::Passed);
}

#[test]
fn what_an_importer_leaves_out_is_said() {
    let notice = |run: &Run, kind: &str| {
        let one = run.provenance.notices.iter().find(|n| n.kind == kind);
        one.unwrap_or_else(|| panic!("no notice {kind}")).text.clone()
    };
    for (duration, said) in [("-5", "−5.00 s"), ("0.0", "0 s")] {
        let run = vllm(TTFTS, &format!(r#", "duration": {duration}, "start_times": [0, 1, 2, 3]"#));
        assert!(notice(&run, "no-duration").contains(said));
        // No rate is divided by it.
        let own = sameruler::metrics::own(&run).settings;
        let rate = sameruler::metrics::evaluate(&run, &own, &sameruler::metrics::Ask::default());
        let rate = rate.value(Metric::RequestThroughput, Stat::Value).exact().unwrap();
        assert!((rate - 4.0 / 3.17).abs() < 1e-9, "{rate}");
    }
    let run = vllm(TTFTS, r#", "output_lens": [3, -3, 3, 3]"#);
    assert!(notice(&run, "negative-count").contains("output_lens"));
}

#[test]
fn a_request_of_a_month_has_another_unit() {
    // Nanoseconds taken for seconds.
    let long = run(Table::new().whole(100.0, 200.0, 3.0).whole(1e11, 2e11, 3.0));
    let finding = found(&long, "impossible-times");
    assert_eq!(finding.rows, [1]);
    assert!(finding.text.contains("1 that takes more than 30 days"), "{}", finding.text);
    let day = run(Table::new().whole(100.0, 86_400_000.0, 3.0));
    assert_eq!(verdict(&day, "impossible-times"), Verdict::Passed);
}

#[test]
fn a_printed_number_that_nothing_explains_differs() {
    let differs = vllm(TTFTS, r#", "mean_ttft_ms": 575.0"#);
    let finding = found(&differs, "printed-differs");
    assert!(
        finding.text.contains("mean_ttft_ms: printed 575.0, recomputed 115.0"),
        "{}",
        finding.text
    );
    assert_eq!(
        verdict(&vllm(TTFTS, r#", "mean_ttft_ms": 115.0"#), "printed-differs"),
        Verdict::Passed
    );
}

#[test]
fn a_figure_that_a_fault_leaves_as_it_is_is_not_shown() {
    // One-token replies: the peak of events is the peak of tokens, and the mean is wrong.
    let mut run = run(Table::new().row(100.0, &[], 1.0).starts(&[0.0]).duration(10.0));
    print(&mut run, "output_throughput", Metric::OutputThroughput, Stat::Value, 8.0);
    let finding = found(&run, "impossible-peak");
    let own = sameruler::metrics::own(&run).settings;
    let ask = sameruler::metrics::Ask::default();
    assert_eq!(checks::effects(&run, &finding, &own, &ask, Stat::Mean), []);
}

#[test]
fn a_rule_that_the_import_met_has_not_passed() {
    // One TTFT of four: too few for the share of those without a time, and no time in any case.
    for ttfts in ["[0.1, -0.11, 0.12, 0.13]", "[0.1, 0.0, 0.12, 0.13]", "[0.1, NaN, 0.12, 0.13]"] {
        let run = vllm(ttfts, "");
        assert!(run.provenance.notices.iter().any(|n| n.kind == "no-time"), "{ttfts}");
        for id in ["impossible-times", "missing-as-zero"] {
            let verdict = verdict(&run, id);
            let Verdict::CannotTell(because) = &verdict else { panic!("{ttfts}: {verdict:?}") };
            assert!(because.contains("see “No time”"), "{because}");
        }
    }
    assert_eq!(verdict(&vllm(TTFTS, ""), "impossible-times"), Verdict::Passed);
}

#[test]
fn empty_replies_are_told_with_the_times_that_they_are_booked_with() {
    let empty = |ttft: Option<f64>, latencies: [f64; 2]| {
        let table = Table::new().whole(90.0, 700.0, 20.0);
        let table = table.whole(0.0, latencies[0], 0.0).whole(0.0, latencies[1], 0.0);
        let mut run = run(table.source(TokenSource::Server));
        let ttfts = [Some(90.0), ttft, ttft].map(|t| t.map(Seconds::from_millis));
        let requests = run.requests.as_mut().unwrap();
        requests.ttft = Column::from_options(Origin::Reported, ttfts);
        found(&run, "missing-as-zero").text
    };
    let timed = empty(None, [66.5, 139.0]);
    assert!(
        timed.ends_with("a success with latencies of 66.5 ms to 139 ms, and without a TTFT."),
        "{timed}"
    );
    let zeros = empty(Some(0.0), [0.0, 0.0]);
    assert!(zeros.ends_with("a success with zeros for its times."), "{zeros}");
    let both = empty(Some(0.0), [139.0, 139.0]);
    assert!(
        both.ends_with("a success with a latency of 139 ms, and with 0 for the TTFT."),
        "{both}"
    );
}

#[test]
fn one_request_is_told_in_the_singular() {
    let one = run(Table::new().row(100.0, &[20.0; 4], 5.0).row(100.0, &[0.01; 4], 5.0));
    let text = found(&one, "impossible-speed").text;
    assert!(text.starts_with("1 request of 2 decodes at up to"), "{text}");
    assert!(text.contains("its tokens were in one read"), "{text}");
}

#[test]
fn no_finding_has_more_digits_than_a_number_holds() {
    let huge = [
        vllm("[1e300, 0.11, 0.12, 0.13]", r#", "mean_ttft_ms": 1e306"#),
        vllm(TTFTS, r#", "output_lens": [1e300, 3, 3, 3], "total_output_tokens": 1e302"#),
        vllm(TTFTS, r#", "input_lens": [1e300, 9, 9, 9], "random_input_len": 9"#),
        vllm(TTFTS, r#", "duration": 1e-300, "start_times": [0, 1, 2, 3]"#),
        vllm(TTFTS, r#", "duration": 1e300, "start_times": [0, 1, 1e300, 3]"#),
        vllm(TTFTS, r#", "completed": 1e300, "failed": 1e299, "num_prompts": 1e18"#),
    ];
    for run in &huge {
        let said = checks::examine(run).into_iter().filter_map(|e| match e.verdict {
            Verdict::Found(finding) => Some((e.id, finding.text)),
            Verdict::CannotTell(because) => Some((e.id, because)),
            Verdict::Passed => None,
        });
        for (id, text) in said {
            let digits = text.split(|c: char| !c.is_ascii_digit() && !",.".contains(c));
            let longest = digits.map(str::len).max().unwrap_or(0);
            assert!(longest < 25, "{id}: {text}");
        }
    }
}
