//! Links with aggregates inside: short enough to send, all that the tools printed, and no damage goes unsaid.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

use proptest::prelude::*;
use sameruler::engine::import::import;
use sameruler::engine::protocol::{Carrier, SaveRequest};
use sameruler::engine::{Answer, Arrangement, Imported, Query, Request, Session};
use sameruler::link::inside::{LONGEST, with_data};
use sameruler::model::{Level, Run, RunId};
use sameruler::session_file::{VERSION, decode, of_letters};
use sameruler::views::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::sync::LazyLock;

const VIEW: &str = "v1/curves?def=vllm";
const FOUR: [&str; 6] = [
    "vllm.json",
    "sglang.jsonl",
    "aiperf/profile_export.jsonl",
    "aiperf/profile_export_aiperf.json",
    "guidellm.json",
    "metrics-before.txt",
];

fn open(name: &str, mut bytes: &[u8]) -> Imported {
    import(name, &mut bytes, false, &mut |_, _, _, _| {})
}

fn session(files: &[(String, Vec<u8>)]) -> Session {
    let mut session = Session::new();
    for (name, bytes) in files {
        let imported = open(name, bytes);
        session.adopt(imported.runs);
        for dump in imported.dumps {
            session.adopt_dump(dump).unwrap();
        }
    }
    session
}

fn sample(name: &str) -> (String, Vec<u8>) {
    let path = format!("{}/public/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    (name.to_owned(), std::fs::read(path).unwrap())
}

fn four() -> Session {
    session(&FOUR.map(|name| sample(&format!("several-tokens-a-chunk/{name}"))))
}

fn letters(session: &Session, context: &Context) -> String {
    let names: BTreeMap<_, _> =
        session.runs().iter().map(|r| (r.id.clone(), r.name.clone())).collect();
    let request = SaveRequest { view: VIEW.into(), names, ..SaveRequest::default() };
    match session.answer(context, &Query::Inside(request)) {
        Answer::Inside(inside) => inside.letters,
        other => panic!("{other:?}"),
    }
}

fn link(session: &Session) -> String {
    with_data(VIEW, &letters(session, &Context::default()))
}

fn content(letters: &str) -> Vec<u8> {
    let mut content = Vec::new();
    let file = of_letters(letters).unwrap();
    flate2::read::GzDecoder::new(file.as_slice()).read_to_end(&mut content).unwrap();
    content
}

/// The link of two small runs, for what is done to each of its letters.
static SMALL: LazyLock<String> = LazyLock::new(|| {
    let csv = "request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms\na,10,11,100,600\n";
    let other = csv.replace("600", "700");
    link(&session(&[("a.csv".into(), csv.into()), ("b.csv".into(), other.into())]))
});

/// What a tool printed of a run, without its joined files' own notices.
fn printed(run: &Run) -> (RunId, String, Vec<(String, u64)>) {
    let values = run.reported.values.iter().map(|v| (v.field.clone(), v.value.to_bits()));
    (run.id.clone(), run.name.clone(), values.collect())
}

#[test]
fn four_samples_and_a_sweep_of_twelve_fit_and_come_back() {
    let rates = ["04", "08", "12", "16", "20", "26"];
    let mut sweep: Vec<_> =
        rates.iter().map(|rate| sample(&format!("sweep/vllm-rate{rate}.json"))).collect();
    // Six more of the same make: other digits in each printed number.
    for (name, bytes) in sweep.clone() {
        let mut run: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        for value in run.as_object_mut().unwrap().values_mut() {
            if let Some(number) = value.as_f64().filter(|n| n.fract().abs() > 0.0) {
                *value = (number * 1.010_203_040_506_07).into();
            }
        }
        sweep.push((name.replace("rate", "again"), run.to_string().into_bytes()));
    }
    for (whole, files) in [(four(), 4), (session(&sweep), 12)] {
        let link = link(&whole);
        assert_eq!(whole.runs().len(), files);
        assert!(link.len() <= LONGEST, "{files} runs take {} bytes", link.len());
        println!("{files} runs: {} bytes", link.len());
        let imported = open("link", link.as_bytes());
        assert!(imported.refused.is_empty() && imported.dumps.is_empty());
        let [opened] = imported.opened.as_slice() else { panic!("{:?}", imported.opened) };
        assert_eq!((opened.carrier, opened.decided.view.as_str()), (Carrier::Link, VIEW));
        let mut back = Session::new();
        back.adopt(imported.runs);
        let (was, is): (Vec<_>, Vec<_>) = (
            whole.runs().into_iter().map(printed).collect(),
            back.runs().into_iter().map(printed).collect(),
        );
        assert_eq!(was, is);
        for run in back.runs() {
            assert_eq!(run.provenance.level, Level::Aggregates);
            assert!(run.requests.is_none() && run.reported.further.is_empty());
            assert!(run.provenance.notices.iter().any(|notice| notice.kind == "left-out"));
        }
        // The files, dropped later, take the place of what the link brought.
        let full: Vec<Run> = whole.runs().into_iter().cloned().collect();
        let (added, twins) = back.adopt(full);
        assert_eq!((added.len(), twins.len()), (files, 0));
    }
}

#[test]
fn of_runs_that_are_not_selected_nothing_is_inside() {
    let mut session = four();
    let ids: Vec<RunId> = session.runs().iter().map(|run| run.id.clone()).collect();
    session.handle(Request::Rename { id: ids[0].clone(), name: "Rig for Initech".into() }, &[]);
    let groups = BTreeMap::from([(ids[0].clone(), "Initech".to_owned())]);
    let arrangement =
        Arrangement { groups, apart: BTreeSet::from([ids[0].clone()]), ..Arrangement::default() };
    session.handle(Request::Arrange { arrangement }, &[]);
    let all = content(&letters(&session, &Context::default()));
    assert!(String::from_utf8_lossy(&all).contains("Initech"));
    let context = Context { runs: ids[1..].to_vec(), ..Context::default() };
    let rest = content(&letters(&session, &context));
    let text = String::from_utf8_lossy(&rest);
    assert!(!text.contains("Initech") && !text.contains(ids[0].as_str()));
    assert_eq!(decode(&rest).unwrap().runs.len(), 4, "AIPerf’s two files among them");
}

#[track_caller]
fn refused(link: &str, why: &str) -> String {
    let imported = open("link", link.as_bytes());
    let [refusal] = imported.refused.as_slice() else { panic!("{why}: {imported:?}") };
    assert!(imported.runs.is_empty() && imported.opened.is_empty(), "{why}");
    let said = [&refusal.file, &refusal.error, &refusal.place, &refusal.advice];
    assert!(said.iter().all(|words| !words.is_empty()), "{why}: {refusal:?}");
    format!("{} {}", refusal.error, refusal.advice)
}

#[test]
fn a_link_cut_anywhere_in_its_data_is_refused_with_advice() {
    let start = SMALL.find("data=").unwrap() + 5;
    for cut in start..SMALL.len() {
        let said = refused(&SMALL[..cut], &format!("cut at {cut}"));
        assert!(said.contains("again"), "{said}");
    }
    let said = refused(VIEW, "no data");
    assert!(said.contains("no data"), "{said}");
}

#[test]
fn a_newer_link_is_refused_with_advice() {
    let (_, letters) = SMALL.split_once("data=").unwrap();
    let mut newer = content(letters);
    newer[4..8].copy_from_slice(&(VERSION + 1).to_le_bytes());
    let mut file = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    file.write_all(&newer).unwrap();
    let html = sameruler::session_file::block(&file.finish().unwrap());
    let letters: String = html
        .chars()
        .filter(|letter| !"\n=".contains(*letter))
        .map(|letter| match letter {
            '+' => '-',
            '/' => '_',
            letter => letter,
        })
        .collect();
    let said = refused(&with_data(VIEW, &letters), "newer");
    assert!(
        said.contains(&format!("version {}", VERSION + 1)) && said.contains("Reload"),
        "{said}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// A letter that is another one never brings other numbers: the file has a checksum.
    #[test]
    fn a_damaged_link_brings_nothing(at in any::<prop::sample::Index>(), letter in "[A-Za-z0-9_%=-]") {
        let start = SMALL.find("data=").unwrap() + 5;
        let at = start + at.index(SMALL.len() - start);
        let mut damaged = SMALL.clone();
        damaged.replace_range(at..=at, &letter);
        let (was, is) = (open("link", SMALL.as_bytes()), open("link", damaged.as_bytes()));
        prop_assert!(is.runs.is_empty() && !is.refused.is_empty() || is.runs == was.runs);
    }
}
