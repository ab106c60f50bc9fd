//! What several tools say of one server: every pair of their own numbers has a bridge, its definitions add
//! up exactly, and what is left over is what the server's own log says of the same difference.
//!
//! The log of a recording is read as a run of its own (`truth`), and both logs are measured under the ruler
//! at the end of the bridge. The table of all pairs is written to `target/bridges.md`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod handed;
mod truth;

use handed::{cases, read};
use sameruler::engine::import::import;
use sameruler::metrics::bridge::{Bridge, Number, Route, bridge};
use sameruler::metrics::settings::End;
use sameruler::metrics::{Ask, Settings, Value, dimensions_of, own};
use sameruler::model::{EndRule, GapKind, Metric, Run, Stat};
use sameruler::views::explain::doubts_between;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use truth::{Counts, Log};

/// No limits, nothing left out.
static ASK: LazyLock<Ask> = LazyLock::new(Ask::default);

/// The scenarios: plain, speculative, reasoning, failures and empty replies, one stall, framing chunks.
const SCENARIOS: [&str; 6] = ["S1", "S2", "S3", "S4", "S6", "S8"];

const METRICS: [(Metric, Stat); 6] = [
    (Metric::Ttft, Stat::Mean),
    (Metric::Tpot, Stat::Mean),
    (Metric::Itl, Stat::Mean),
    (Metric::E2e, Stat::Mean),
    (Metric::OutputThroughput, Stat::Value),
    (Metric::RequestThroughput, Stat::Value),
];

/// One recording: what the client wrote, and what the server saw meanwhile.
struct Recording {
    key: String,
    run: Run,
    log: Log,
}

/// The recordings of a scenario.
fn scenario(root: &Path, expected: &Json, id: &str) -> Vec<Recording> {
    let files = expected["files"].as_object().unwrap();
    let of_scenario = files.iter().filter(|(key, _)| key.starts_with(&format!("{id}/")));
    of_scenario
        .map(|(key, of)| {
            let client = key.split('/').nth(1).unwrap();
            let file = key.split('#').next().unwrap();
            let path = root.join(file);
            let bytes = std::fs::read(&path).unwrap();
            let imported = import(file, &mut bytes.as_slice(), false, &mut |_, _, _, _| {});
            let mut run = imported.runs.into_iter().next().unwrap();
            // AIPerf divides by what its summary prints.
            let summary = path.with_file_name("profile_export_aiperf.json");
            if client == "aiperf" && summary.exists() {
                run.reported = read(&summary).unwrap().remove(0).reported;
            }
            client.clone_into(&mut run.name);
            let sent = of["counts"]["requests"].as_u64().unwrap() as usize;
            let label = of["point"].as_str().unwrap();
            let log = Log::read(&root.join(id).join(client).join("truth.jsonl"), label, sent);
            Recording { key: key.clone(), run, log }
        })
        .collect()
}

impl Recording {
    fn number(&self, (metric, stat): (Metric, Stat)) -> Number<'_> {
        Number { run: &self.run, metric, stat, settings: own(&self.run).settings, ask: &ASK }
    }

    /// Which messages its client counts: see the notes beside the recordings.
    fn counts(&self) -> Counts {
        match self.run.name.as_str() {
            "vllm" => Counts::Answer,
            "vllm-completions" => Counts::Fields,
            "vllm-0.10" => Counts::Any,
            _ => Counts::Text,
        }
    }

    /// What the server's log gives under a ruler, as a client would see it that counts such events.
    fn truth(
        &self,
        (metric, stat): (Metric, Stat),
        settings: &Settings,
        counts: Counts,
    ) -> Option<f64> {
        let requests = self.run.requests.as_ref().unwrap();
        // A rate divides by what the file records as ends, whatever its ruler says of latencies.
        let end = match (metric, requests.end_rule) {
            (Metric::Ttft | Metric::Tpot | Metric::Itl | Metric::E2e, _) => settings.end,
            (_, EndRule::LastToken) => End::LastToken,
            (_, EndRule::LastMessage) => End::LastMessage,
            (_, EndRule::StreamEnd) => End::StreamEnd,
        };
        let spread = requests.gap_kind == GapKind::TokenSpread;
        let split = !requests.event_tokens.is_absent() || spread;
        let run = self.log.run(end, counts, split, self.run.reported.value(Metric::Duration));
        Number { run: &run, metric, stat, settings: *settings, ask: &ASK }.value().exact()
    }
}

/// What the server's log says of a pair.
struct Judged {
    /// What is left over between the two logs, both under the end ruler as far as A's rows honour it.
    rest: f64,
    /// The same where A's log is read with the events that A's own client counted.
    as_a_counts: Option<f64>,
    /// What the definitions make on A's log.
    definitions: Option<f64>,
    /// By how much each client's number is above that of the server's log under the same ruler.
    above: (f64, f64),
}

/// B's ruler on A's rows: what B's number depends on is as B has it, but for what A's file can't honour.
fn reached_ruler(a: &Recording, found: &Bridge) -> Settings {
    let mut ruler = own(&a.run).settings;
    for dimension in dimensions_of(found.b.metric, &found.b.settings) {
        if !found.unmeasured.iter().any(|one| one.dimension == dimension) {
            ruler.set(dimension, &found.b.settings.value(dimension).unwrap()).unwrap();
        }
    }
    ruler
}

fn judged(a: &Recording, b: &Recording, of: (Metric, Stat), found: &Bridge) -> Option<Judged> {
    let start = own(&a.run).settings;
    let ruler = reached_ruler(a, found);
    let kept = found.unmeasured.iter().any(|one| one.dimension == "first-token");
    let counts_of_a = if kept { a.counts() } else { b.counts() };
    let of_b = b.truth(of, &found.b.settings, b.counts())?;
    let as_a_counts = a.truth(of, &ruler, a.counts());
    let of_a = a.truth(of, &ruler, counts_of_a).or(as_a_counts)?;
    let first = a.truth(of, &start, a.counts());
    let reached = found.steps.last().map_or(&found.a.value, |step| &step.after);
    let reached = reached.exact_or_reported()?;
    Some(Judged {
        rest: of_b - of_a,
        as_a_counts: as_a_counts.map(|of_a| of_b - of_a),
        definitions: first.map(|first| of_a - first),
        above: (reached - of_a, found.b.value.exact_or_reported()? - of_b),
    })
}

/// How the pairs of one scenario and metric came out.
#[derive(Default)]
struct Tally {
    pairs: usize,
    closed: usize,
    /// Pairs with a step or a start known within bounds only.
    ranges: usize,
    /// Pairs that start within bounds and whose bridge says why it can't leave them.
    stopped: usize,
    judged: usize,
    inside: usize,
    without_interval: usize,
}

#[test]
fn the_servers_log_is_read_as_the_handed_truth_has_it() {
    let Some(cases) = cases() else { return };
    let root = cases.join("clients");
    let expected = expected(&root);
    for id in SCENARIOS {
        for one in scenario(&root, &expected, id) {
            let truth = &expected["files"][&one.key]["truth"];
            let common = sameruler::metrics::COMMON.settings;
            for (name, metric, changes) in [
                ("ttft_ms", Metric::Ttft, &[][..]),
                ("tpot_ms", Metric::Tpot, &[]),
                ("token_chunk_gap_ms", Metric::Itl, &[("itl", "event-gap")]),
                ("e2e_last_token_ms", Metric::E2e, &[("end", "last-token")]),
                ("e2e_done_ms", Metric::E2e, &[("end", "stream-end")]),
            ] {
                let mut settings = common;
                for (dimension, choice) in changes {
                    settings.set(dimension, choice).unwrap();
                }
                let want = truth[name]["mean"].as_f64().unwrap();
                let got = one.truth((metric, Stat::Mean), &settings, Counts::Text).unwrap();
                // The two logs of a first token lie some µs apart.
                assert!((got - want).abs() < 0.02, "{} {name}: {got} {want}", one.key);
            }
        }
    }
}

fn expected(root: &Path) -> Json {
    let text = std::fs::read_to_string(root.join("expected.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_pair_of_tools_on_one_server_has_a_bridge() {
    let Some(cases) = cases() else { return };
    let root = cases.join("clients");
    let expected = expected(&root);
    let mut rows = String::new();
    let mut tallies: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    let mut outside: Vec<String> = Vec::new();
    let mut other_events: Vec<String> = Vec::new();
    let mut unjudged: Vec<String> = Vec::new();
    let mut silent: Vec<String> = Vec::new();
    let mut far_without_interval: Vec<String> = Vec::new();
    let mut unmeasured: BTreeMap<String, usize> = BTreeMap::new();
    for id in SCENARIOS {
        let recordings = scenario(&root, &expected, id);
        assert!(recordings.len() >= 8, "{id}: {} recordings", recordings.len());
        for of in METRICS {
            for a in &recordings {
                for b in recordings.iter().filter(|b| b.key != a.key) {
                    let (first, second) = (a.number(of), b.number(of));
                    // A number that is known within bounds is a start, and no end to be sure of.
                    if matches!(first.value(), Value::Missing(_))
                        || second.value().exact_or_reported().is_none()
                    {
                        continue;
                    }
                    let found: Arc<Bridge> = bridge(&first, &second, &Route::default()).unwrap();
                    let place = format!("{id} {} {} → {}", of.0.name(), a.run.name, b.run.name);
                    if first.value().exact_or_reported().is_none() && found.stopped.is_some() {
                        // A's rows hold no end that B's ruler could stop at.
                        tallies.entry((id, of.0.name())).or_default().stopped += 1;
                        continue;
                    }
                    assert_eq!(found.stopped, None, "{place}");
                    let rest = found.remainder.as_ref().unwrap_or_else(|| panic!("{place}"));
                    let tally = tallies.entry((id, of.0.name())).or_default();
                    tally.pairs += 1;
                    let end = found.b.value.exact_or_reported().unwrap();
                    let size = end.abs().max(1.0);
                    // Where the start or a step is a range, the way from the last step closes.
                    let reached = found.steps.last().map_or(&found.a.value, |step| &step.after);
                    let reached = reached.exact_or_reported().unwrap_or_else(|| panic!("{place}"));
                    assert!((reached + rest.change - end).abs() <= 1e-9 * size, "{place}");
                    if let (Some(explained), Some(gap)) = (found.explained(), found.difference()) {
                        let sum = explained + rest.change;
                        assert!((sum - gap).abs() <= 1e-9 * size, "{place}: {sum} {gap}");
                        tally.closed += 1;
                    } else {
                        tally.ranges += 1;
                    }
                    for one in &found.unmeasured {
                        *unmeasured.entry(one.because.clone()).or_default() += 1;
                    }
                    let judged = judged(a, b, of, &found);
                    let interval = rest.low.zip(rest.high);
                    let verdict = match (&judged, interval) {
                        (None, _) => {
                            unjudged.push(place.clone());
                            "not judged"
                        }
                        (Some(judged), None) => {
                            tally.without_interval += 1;
                            if (judged.rest - rest.change).abs() > 0.01 * size {
                                far_without_interval.push(format!(
                                    "{place}: left over {:.3}, truth {:.3}",
                                    rest.change, judged.rest
                                ));
                                "no interval, far"
                            } else {
                                "no interval, within 1 %"
                            }
                        }
                        (Some(judged), Some((low, high))) => {
                            tally.judged += 1;
                            if judged.rest >= low && judged.rest <= high {
                                tally.inside += 1;
                                "yes"
                            } else {
                                let (of_a, of_b) = judged.above;
                                let said = format!(
                                    "{place}: truth {:.3} not in {low:.3} to {high:.3}; A is {of_a:+.3} above its log, B {of_b:+.3}",
                                    judged.rest
                                );
                                let own = judged.as_a_counts.filter(|v| *v >= low && *v <= high);
                                if let Some(own) = own {
                                    // One word of two rulers, two meanings: with A's own it agrees, and
                                    // a check of one of the two runs says so.
                                    let said_so = [a, b]
                                        .iter()
                                        .any(|one| !doubts_between(&found, &one.run).is_empty());
                                    if !said_so {
                                        silent.push(said.clone());
                                    }
                                    other_events.push(format!("{said}; with the events that A's client counted the truth is {own:.3}, inside"));
                                    "other events"
                                } else {
                                    outside.push(said);
                                    "NO"
                                }
                            }
                        }
                    };
                    let shown = |v: Option<f64>| v.map_or("–".to_owned(), |v| format!("{v:.3}"));
                    let steps: Vec<&str> =
                        found.steps.iter().map(|step| step.dimension.as_str()).collect();
                    let lacks: Vec<&str> =
                        found.unmeasured.iter().map(|one| one.dimension.as_str()).collect();
                    let _ = writeln!(
                        rows,
                        "| {id} | {} | {} | {} | {} | {} | {} | {:.3} | {} | {} | {} | {verdict} | {} | {} |",
                        of.0.name(),
                        a.run.name,
                        b.run.name,
                        shown(found.a.value.exact_or_reported()),
                        shown(found.b.value.exact_or_reported()),
                        shown(found.explained()),
                        rest.change,
                        interval.map_or("–".to_owned(), |(l, h)| format!("{l:.3} to {h:.3}")),
                        shown(judged.as_ref().map(|j| j.rest)),
                        shown(judged.as_ref().and_then(|j| j.definitions)),
                        steps.join(", "),
                        lacks.join(", "),
                    );
                }
            }
        }
    }
    let sum = |of: fn(&Tally) -> usize| tallies.values().map(of).sum::<usize>();
    let mut page = format!(
        "# Bridges between the tools' own numbers on one server\n\n{} pairs; {} close exactly, {} over a range; of {} with an interval the server's own difference lies inside in {}; {} have no interval and are held against it within 1 %; {} more start within bounds that B's ruler can't leave, and say so.\n\n| Scenario | Metric | Pairs | Close | Over a range | With interval | Truth inside | No interval |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        sum(|t| t.pairs),
        sum(|t| t.closed),
        sum(|t| t.ranges),
        sum(|t| t.judged),
        sum(|t| t.inside),
        sum(|t| t.without_interval),
        sum(|t| t.stopped),
    );
    for ((id, metric), t) in &tallies {
        let _ = writeln!(
            page,
            "| {id} | {metric} | {} | {} | {} | {} | {} | {} |",
            t.pairs, t.closed, t.ranges, t.judged, t.inside, t.without_interval
        );
    }
    for (title, lines) in [
        ("Outside of the interval", &outside),
        ("Outside, since the two clients count other events and no file says so", &other_events),
        ("Of these no check says that", &silent),
        ("No interval, and further from the truth than 1 %", &far_without_interval),
        ("The log can't be read so", &unjudged),
    ] {
        let _ = writeln!(page, "\n{title}: {}\n", lines.len());
        for line in lines {
            let _ = writeln!(page, "- {line}");
        }
    }
    page.push_str("\nWhat A's file can't honour of B's definition:\n\n");
    for (because, pairs) in &unmeasured {
        let _ = writeln!(page, "- {pairs}: {because}");
    }
    page.push_str("\n| Scenario | Metric | A | B | A's number | B's number | Definitions | Left over | 95 % interval | Truth of what is left | Truth of definitions | Agrees | Steps | Not measured |\n| --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | --- | --- | --- |\n");
    page.push_str(&rows);
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bridges.md");
    std::fs::write(target, page).unwrap();
    assert_eq!(sum(|t| t.pairs), sum(|t| t.closed) + sum(|t| t.ranges));
    assert!(sum(|t| t.pairs) > 1500, "{}", sum(|t| t.pairs));
    // A client adds some ms of its own to a TTFT, more where all requests leave at once.
    let by_client = |line: &&String| line.contains(" TTFT ");
    let left: Vec<&String> = outside.iter().filter(|line| !by_client(line)).collect();
    assert_eq!(left, Vec::<&String>::new());
    assert!(outside.len() <= 5, "{outside:#?}");
    assert_eq!(far_without_interval, Vec::<String>::new());
    assert_eq!(unjudged, Vec::<String>::new());
    assert_eq!(silent, Vec::<String>::new());
}
