//! Keys and passwords planted into every text of every fixture, its columns and its name reach no run,
//! no pack, no refusal and no report.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::engine::import::import;
use sameruler::engine::protocol::{ReportRequest, SaveRequest};
use sameruler::engine::{Answer, Imported, Query, Session};
use sameruler::model::{Level, pack};
use sameruler::session_file;
use sameruler::views::Context;
use sameruler::views::curves::CurveAxes;
use sameruler::views::distributions::DistributionsAsk;
use sameruler::views::explain::ExplainAsk;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

/// Every kind of key, all with one word in them.
const PLANTS: [&str; 9] = [
    "sk-plantedkey0123456789",
    "hf_PlantedKey0123456789ab",
    "ghp_plantedkey0123456789",
    "AKIAPLANTEDKEY012345",
    "Bearer plantedkey0123456789",
    "eyJplantedkey0.eyJplantedkey1.plantedkey2",
    "password=plantedkey99",
    "--api-key plantedkey77 --x",
    "https://user:plantedkey@host:8000/v1",
];

/// Fixtures larger than this differ from the small ones in rows only.
const LARGEST: usize = 12_000;

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut files = Vec::new();
    for folder in std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()) {
        if folder.is_dir() {
            files.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    files.sort();
    let named = files.into_iter().filter(|path| path.is_file()).map(|path| {
        (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap())
    });
    named.filter(|(_, bytes)| bytes.len() <= LARGEST).collect()
}

fn read(name: &str, text: &str) -> Imported {
    import(name, &mut text.as_bytes(), false, &mut |_, _, _, _| {})
}

fn holds_plant(text: &[u8]) -> bool {
    text.to_ascii_lowercase().windows(10).any(|window| window == b"plantedkey")
}

/// Fails where anything kept of a file holds what was planted.
fn check(case: &str, imported: &Imported) {
    for run in &imported.runs {
        assert!(!holds_plant(format!("{run:?}").as_bytes()), "{case}: {run:#?}");
        assert!(!holds_plant(&pack::encode(run).unwrap()), "{case}: in the pack");
    }
    for refusal in &imported.refused {
        // Headings of a refused table come back to its reader as they are written, to be named.
        let mut refusal = refusal.clone();
        for column in refusal.mapping.iter_mut().flat_map(|offer| &mut offer.columns) {
            column.column.clear();
            column.because.clear();
        }
        assert!(!holds_plant(format!("{refusal:?}").as_bytes()), "{case}: {refusal:?}");
    }
}

/// Calls `visit` with each text and object below a value, once for each path without indices.
fn each_text(value: &mut Value, path: &str, seen: &mut BTreeSet<String>, plant: &mut Plant<'_>) {
    match value {
        Value::String(text) if seen.insert(path.to_owned()) => plant.text(text),
        Value::Array(all) => {
            for one in all.iter_mut().take(3) {
                each_text(one, &format!("{path}[]"), seen, plant);
            }
        }
        Value::Object(members) => {
            if seen.insert(format!("{path}{{}}")) {
                plant.members(members);
            }
            for (key, one) in members.iter_mut() {
                each_text(one, &format!("{path}.{key}"), seen, plant);
            }
        }
        _ => {}
    }
}

/// Counts places and plants at one of them.
struct Plant<'p> {
    at: usize,
    now: usize,
    words: &'p str,
}

impl Plant<'_> {
    fn here(&mut self) -> bool {
        self.now += 1;
        self.now == self.at + 1
    }

    fn text(&mut self, text: &mut String) {
        if self.here() {
            *text = format!("{text} {}", self.words);
        }
        if self.here() {
            self.words.clone_into(text);
        }
    }

    fn members(&mut self, members: &mut Map<String, Value>) {
        if self.here() {
            for key in ["api_key", "headers", "extra_headers", "env", "cli_command", "args"] {
                members.insert(key.to_owned(), self.words.into());
            }
            members.insert("token".to_owned(), "plantedkey".into());
            members.insert("hf_token".to_owned(), "plantedkey".into());
        }
    }
}

/// The text with words planted at place `at`; `None` when there are fewer places.
fn planted(text: &str, at: usize, words: &str) -> Option<String> {
    let mut plant = Plant { at, now: 0, words };
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    if let Ok(mut whole) = serde_json::from_str::<Value>(text) {
        each_text(&mut whole, "", &mut seen, &mut plant);
        out = whole.to_string();
    } else {
        for line in text.lines() {
            match serde_json::from_str::<Value>(line) {
                Ok(mut value) if value.is_object() => {
                    each_text(&mut value, "", &mut seen, &mut plant);
                    out.push_str(&value.to_string());
                }
                _ => {
                    // A cell of a table, a line of text, a value of YAML.
                    let mut parts = line.split_inclusive([',', ';', '\t', ':']);
                    let mut first = parts.next().unwrap_or_default().to_owned();
                    if seen.len() < 12 && seen.insert(line.to_owned()) {
                        plant.text(&mut first);
                    }
                    out.push_str(&first);
                    out.extend(parts);
                }
            }
            out.push('\n');
        }
    }
    (at < plant.now).then_some(out)
}

#[test]
fn no_planted_key_is_kept_of_any_fixture() {
    let (mut cases, mut read_well) = (0, 0);
    for (name, bytes) in fixtures() {
        let Ok(text) = String::from_utf8(bytes) else { continue };
        for at in 0.. {
            let words = PLANTS[(at + name.len()) % PLANTS.len()];
            let Some(text) = planted(&text, at, words) else { break };
            let imported = read(&name, &text);
            cases += 1;
            read_well += usize::from(!imported.runs.is_empty());
            check(&format!("{name}, place {at}, {words}"), &imported);
        }
    }
    assert!(cases > 300 && read_well > 100, "only {cases} cases, {read_well} of them read");
}

/// A host and a home folder planted into every text of the small fixtures may be seen on the screen, and
/// reach nothing that leaves it.
#[test]
fn no_planted_host_or_folder_leaves() {
    let places = [
        "http://plantedhost.example:8000/v1",
        "/home/planteduser/x/llama",
        "10.1.2.3:8000 plantedhost.internal ",
    ];
    let holds =
        |text: &str| ["plantedhost", "planteduser", "10.1.2.3"].iter().any(|p| text.contains(p));
    let (mut seen, mut cases) = (0, 0);
    for (name, bytes) in fixtures() {
        let Ok(text) = String::from_utf8(bytes) else { continue };
        for at in 0.. {
            let words = places[(at + name.len()) % places.len()];
            let Some(text) = planted(&text, at, words) else { break };
            let imported = read(&name, &text);
            cases += 1;
            if imported.runs.is_empty() || !holds(&format!("{:?}", imported.runs)) {
                continue;
            }
            seen += 1;
            let mut session = Session::new();
            session.adopt(imported.runs);
            for (what, out) in outputs(&session) {
                let around =
                    ["plantedhost", "planteduser", "10.1.2.3"].iter().find_map(|p| out.find(p));
                let around =
                    around.map(|at| out.get(at.saturating_sub(120)..(at + 40).min(out.len())));
                assert_eq!(around, None, "{name}, place {at}, {words}: in the {what}");
            }
        }
    }
    assert!(cases > 300 && seen > 20, "only {cases} cases, {seen} of them with something to hide");
}

/// Whatever leaves the page or the command about all runs of a session, as text.
fn outputs(session: &Session) -> Vec<(&'static str, String)> {
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        ..Context::default()
    };
    let save = || SaveRequest { level: Level::Events, ..SaveRequest::default() };
    let report = Query::Report(ReportRequest { data: Some(save()), ..ReportRequest::default() });
    let Answer::Report { html, inside, .. } = session.answer(&context, &report) else {
        panic!("another answer");
    };
    let Answer::Saved { bytes, .. } = session.answer(&context, &Query::Save(save())) else {
        panic!("another answer");
    };
    let opened = |packed: &[u8]| {
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(packed).read_to_end(&mut unpacked).unwrap();
        format!("{:?}", session_file::decode(&unpacked).unwrap())
    };
    let Answer::Inside(link) = session.answer(&context, &Query::Inside(save())) else {
        panic!("another answer");
    };
    let Answer::Compare(view) = session.answer(&context, &Query::Compare) else {
        panic!("another answer");
    };
    vec![
        ("report", html),
        ("summary", inside.join(" ")),
        ("session", opened(&bytes)),
        ("link", opened(&session_file::of_letters(&link.letters).unwrap())),
        ("Markdown", view.markdown),
        ("text", view.text),
    ]
}

#[test]
fn no_key_of_a_file_name_is_kept() {
    let fixtures = fixtures();
    let (_, bytes) = fixtures.iter().find(|(name, _)| name == "two-batches.json").unwrap();
    for words in PLANTS {
        let imported = read(&format!("a/{words}/run.json"), std::str::from_utf8(bytes).unwrap());
        assert_eq!(imported.runs.len(), 1);
        check(words, &imported);
        check(words, &read(&format!("{words}.json"), "nothing"));
        let notices = &imported.runs[0].provenance.notices;
        assert!(notices.iter().any(|notice| notice.kind == "key-hidden"), "{words}");
    }
}

#[test]
fn no_planted_key_reaches_the_report() {
    let fixtures = fixtures();
    let (name, bytes) = fixtures.iter().find(|(name, _)| name.contains("plain.csv")).unwrap();
    let mut session = Session::new();
    let file = format!("sk-plantedkey0123456789 {name}");
    session.adopt(read(&file, std::str::from_utf8(bytes).unwrap()).runs);
    let context = Context::default();
    let query = Query::Report(ReportRequest {
        date: "2026-11-29".into(),
        axes: CurveAxes::default(),
        stats: Vec::new(),
        distributions: DistributionsAsk::default(),
        explain: ExplainAsk::default(),
        data: None,
        ..ReportRequest::default()
    });
    let report = format!("{:?}", session.answer(&context, &query));
    assert!(report.contains("[key hidden]") && !holds_plant(report.as_bytes()));
}
