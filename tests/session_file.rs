//! Session files and reports that open again: nothing is lost at the highest level, nothing is another number
//! at a lower one, and no damage goes unsaid.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use sameruler::engine::import::import;
use sameruler::engine::protocol::{Carrier, LevelSize, ReportRequest, SaveRequest};
use sameruler::engine::{Answer, Arrangement, Imported, Query, Request, Session};
use sameruler::metrics::{Ask, COMMON, METRICS, PRESETS, Settings, Value, evaluate, own};
use sameruler::model::{Level, Metric, ReportPlan, Run, RunId, ServerDump, Stat};
use sameruler::report::self_check;
use sameruler::session_file::{Places, VERSION, is_report, reduced};
use sameruler::views::Context;
use sameruler::views::curves::CurveAxes;
use sameruler::views::distributions::DistributionsAsk;
use sameruler::views::explain::ExplainAsk;
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn open(name: &str, mut bytes: &[u8]) -> Imported {
    import(name, &mut bytes, false, &mut |_, _, _, _| {})
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// All files below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.into_iter().flat_map(|e| if e.is_dir() { below(&e) } else { vec![e] }).collect()
}

/// The samples as the page opens them: files of one run together, and two pages of a server.
fn samples() -> Session {
    let samples = root().join("public/samples");
    let mut session = Session::new();
    for path in below(&samples) {
        let name = path.strip_prefix(&samples).unwrap().to_str().unwrap().to_owned();
        let bytes = std::fs::read(&path).unwrap();
        let imported = import(&name, &mut bytes.as_slice(), true, &mut |_, _, _, _| {});
        session.adopt(imported.runs);
        for dump in imported.dumps {
            session.adopt_dump(dump).unwrap();
        }
    }
    session
}

fn all(session: &Session) -> Context {
    let runs = session.runs().iter().map(|run| run.id.clone()).collect();
    Context { runs, ..Context::default() }
}

fn request(level: Level) -> SaveRequest {
    let (view, date) = ("v1/curves?def=vllm".to_owned(), "2026-11-30".to_owned());
    SaveRequest { level, view, date, ..SaveRequest::default() }
}

fn saved(session: &Session, level: Level) -> Vec<u8> {
    match session.answer(&Context::default(), &Query::Save(request(level))) {
        Answer::Saved { file, bytes } => {
            assert!(file.ends_with("-runs.sameruler"), "{file}");
            bytes
        }
        other => panic!("{other:?}"),
    }
}

fn requested(data: Option<SaveRequest>) -> ReportRequest {
    ReportRequest {
        plan: ReportPlan { title: "A <b>title</b>".into(), ..ReportPlan::default() },
        date: "2026-11-30".into(),
        axes: CurveAxes::default(),
        stats: vec![Stat::Median],
        distributions: DistributionsAsk::default(),
        explain: ExplainAsk::default(),
        data,
        ..ReportRequest::default()
    }
}

fn report(session: &Session, context: &Context, data: Option<SaveRequest>) -> String {
    let request = requested(data);
    match session.answer(context, &Query::Report(request)) {
        Answer::Report { html, .. } => html,
        other => panic!("{other:?}"),
    }
}

fn reopened(name: &str, bytes: &[u8]) -> (Session, Imported) {
    let mut imported = open(name, bytes);
    assert!(imported.refused.is_empty(), "{:?}", imported.refused);
    let mut session = Session::new();
    session.adopt(std::mem::take(&mut imported.runs));
    for dump in std::mem::take(&mut imported.dumps) {
        session.adopt_dump(dump).unwrap();
    }
    (session, imported)
}

/// A session of two small runs, for what is done to each of its bytes.
static SMALL: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let csv = "request_id,prompt_tokens,completion_tokens,ttft_ms,e2e_ms\na,10,11,100,600\n";
    let mut session = Session::new();
    session.adopt(open("a.csv", csv.as_bytes()).runs);
    session.adopt(open("b.csv", csv.replace("600", "700").as_bytes()).runs);
    saved(&session, Level::Events)
});

fn unpacked(file: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    GzDecoder::new(file).read_to_end(&mut content).unwrap();
    content
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut file = GzEncoder::new(Vec::new(), Compression::default());
    file.write_all(content).unwrap();
    file.finish().unwrap()
}

#[test]
fn a_session_brings_back_every_run_and_dump_as_it_was() {
    let session = samples();
    assert!(session.runs().len() > 9 && session.dumps().len() == 2);
    let file = saved(&session, Level::Events);
    assert_eq!(file, saved(&session, Level::Events), "the same bytes for the same session");
    let (back, opened) = reopened("my.sameruler", &file);
    assert_eq!(back.runs(), session.runs());
    let mut places = Places::default();
    let hostless: Vec<ServerDump> =
        session.dumps().into_iter().cloned().map(|dump| places.hidden_dump(dump)).collect();
    assert_eq!(back.dumps(), hostless.iter().collect::<Vec<_>>());
    let [opened] = opened.opened.as_slice() else { panic!("{opened:?}") };
    assert_eq!((opened.file.as_str(), opened.carrier), ("my.sameruler", Carrier::Session));
    assert_eq!(opened.decided.view, "v1/curves?def=vllm");
    assert_eq!(opened.decided.date, "2026-11-30");
    assert_eq!(saved(&back, Level::Events), file, "and saved again it is the same file");
}

#[test]
fn what_the_reader_decided_comes_along_and_what_was_removed_does_not() {
    let mut session = samples();
    let ids: Vec<RunId> = session.runs().iter().map(|run| run.id.clone()).collect();
    session.handle(Request::Rename { id: ids[0].clone(), name: "Ours".into() }, &[]);
    session.handle(Request::Remove { ids: vec![ids[1].clone()] }, &[]);
    let groups = BTreeMap::from([(ids[2].clone(), "night sweep".to_owned())]);
    let arrangement = Arrangement { groups: groups.clone(), ..Arrangement::default() };
    session.handle(Request::Arrange { arrangement }, &[]);
    let names = BTreeMap::from([(ids[0].clone(), "Ours".to_owned())]);
    let save = SaveRequest { names: names.clone(), ..request(Level::Events) };
    let Answer::Saved { bytes, .. } = session.answer(&Context::default(), &Query::Save(save))
    else {
        panic!("another answer");
    };
    let (back, opened) = reopened("a.sameruler", &bytes);
    assert_eq!(back.runs(), session.runs());
    assert!(back.runs().iter().all(|run| run.id != ids[1]));
    assert_eq!(back.runs()[0].name, "Ours");
    let decided = &opened.opened[0].decided;
    assert_eq!((&decided.names, &decided.groups), (&names, &groups));
}

#[test]
fn a_report_opens_again_with_the_runs_it_is_about() {
    let session = samples();
    let ids: Vec<RunId> = session.runs().iter().map(|run| run.id.clone()).collect();
    let context = Context { runs: ids[..2].to_vec(), ..Context::default() };
    for level in Level::ALL {
        let html = report(&session, &context, Some(request(level)));
        assert_eq!(html, report(&session, &context, Some(request(level))));
        self_check(&html).unwrap();
        assert!(is_report(html.as_bytes()) && html.contains(level.name()));
        let (back, opened) = reopened("report.html", html.as_bytes());
        let shown: Vec<_> = back.runs().iter().map(|run| run.id.clone()).collect();
        assert_eq!(shown.len(), 2);
        assert!(shown.iter().all(|id| ids[..2].contains(id)));
        assert_eq!(opened.opened[0].carrier, Carrier::Report);
        assert_eq!(opened.opened[0].decided.level, level);
        if level == Level::Events {
            assert_eq!(back.runs(), session.runs()[..2]);
        }
    }
    let without = report(&session, &context, None);
    let refused = open("report.html", without.as_bytes()).refused;
    assert!(refused[0].error.contains("without its data"), "{refused:?}");
}

#[test]
fn the_sizes_are_those_of_what_is_written() {
    let session = samples();
    let context = all(&session);
    let Answer::Sizes(sizes) = session.answer(&context, &Query::Sizes(request(Level::Events)))
    else {
        panic!("another answer");
    };
    for LevelSize { level, session: file, report: block } in sizes {
        assert_eq!(saved(&session, level).len() as u64, file, "{level:?}");
        let with = report(&session, &context, Some(request(level)));
        let inside = with.split_once("<template").unwrap().1.split_once(">\n").unwrap().1;
        let inside = inside.split_once("</template>").unwrap().0;
        assert_eq!(inside.len() as u64, block, "{level:?}");
        // The draft is the report without them.
        let request = ReportRequest { draft: true, ..requested(Some(request(level))) };
        let Answer::Report { html: draft, inside, .. } =
            session.answer(&context, &Query::Report(request))
        else {
            panic!("another answer");
        };
        assert!(!draft.contains("<template") && inside.len() > 2, "{inside:?}");
        assert!((draft.len() as u64 + block).abs_diff(with.len() as u64) < 500, "{level:?}");
    }
}

/// Every value of every run of every fixture, at each level and under three rulers: the same, or none with a reason.
#[test]
fn no_number_is_another_at_a_lower_level() {
    let stats = [Stat::Mean, Stat::Median, Stat::Percentile(99.0), Stat::Max, Stat::Value];
    let limits = ["ttft<=500ms", "tpot<=50ms", "e2e<=2s"].map(|limit| limit.parse().unwrap());
    let ask = Ask { limits: limits.to_vec(), percentiles: vec![50.0, 99.0], excluded: Vec::new() };
    let mut kept = [0_usize; 2];
    for (turn, path) in below(&root().join("tests/fixtures")).into_iter().enumerate() {
        let name = path.file_name().unwrap().to_str().unwrap();
        for whole in open(name, &std::fs::read(&path).unwrap()).runs {
            for (at, level) in [Level::Aggregates, Level::Requests].into_iter().enumerate() {
                let less = reduced(whole.clone(), level);
                assert_eq!(less.reported, whole.reported);
                assert!(less.requests.is_none() || level > Level::Aggregates);
                // Each preset gets its turn among the fixtures.
                let preset = PRESETS[turn % PRESETS.len()].settings;
                for settings in [COMMON.settings, own_of(&whole), preset] {
                    let before = evaluate(&whole, &settings, &ask);
                    let after = evaluate(&less, &settings, &ask);
                    for (metric, stat) in METRICS.iter().flat_map(|m| stats.map(|s| (*m, s))) {
                        let (was, is) = (before.value(metric, stat), after.value(metric, stat));
                        let place = format!("{name} {level:?} {} {}", metric.id(), stat.name());
                        kept[at] += usize::from(agree(&was, &is, &place));
                    }
                }
                if level == Level::Requests {
                    let (own_was, own_is) = (own_of(&whole), own_of(&less));
                    assert_eq!(own_was, own_is, "{name}: another ruler of its own");
                }
            }
        }
    }
    assert!(kept[1] > kept[0] && kept[0] > 100, "{kept:?}");
}

fn own_of(run: &Run) -> Settings {
    own(run).settings
}

/// Whether a number is left; fails where it is another one.
fn agree(was: &Value, is: &Value, place: &str) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0);
    match (was, is) {
        (_, Value::Missing(reason)) => {
            assert!(!reason.is_empty(), "{place}");
            false
        }
        // Without rows a printed value may stand in for a recomputed one: it says that it is printed.
        (_, Value::Reported(_)) => true,
        (Value::Exact(a), Value::Exact(b)) => {
            assert!(close(*a, *b), "{place}: {was:?} became {is:?}");
            true
        }
        (Value::Exact(a), Value::AtLeast(low)) => {
            assert!(*a >= low - 1e-9, "{place}: {was:?} became {is:?}");
            true
        }
        (Value::Exact(a), Value::AtMost(high)) => {
            assert!(*a <= high + 1e-9, "{place}: {was:?} became {is:?}");
            true
        }
        (Value::Exact(a), Value::Between(low, high)) => {
            let inside = (low - 1e-9..=high + 1e-9).contains(a);
            assert!(inside, "{place}: {was:?} became {is:?}");
            true
        }
        (was, is) => {
            assert_eq!(was, is, "{place}");
            true
        }
    }
}

#[test]
fn what_was_left_out_says_so_and_the_whole_run_takes_its_place() {
    let path = root().join("public/samples/several-tokens-a-chunk/vllm.json");
    let whole = open("vllm.json", &std::fs::read(path).unwrap()).runs.remove(0);
    let ask = Ask::default();
    let reason = |run: &Run, metric| match evaluate(run, &COMMON.settings, &ask)
        .value(metric, Stat::Median)
    {
        Value::Missing(reason) => reason,
        other => panic!("{other:?}"),
    };
    let timings = reduced(whole.clone(), Level::Requests);
    assert_eq!(
        reason(&timings, Metric::ChunkGap),
        "the run was saved without the times of its events"
    );
    let printed = reduced(whole.clone(), Level::Aggregates);
    assert!(reason(&printed, Metric::QueueWait).contains("printed aggregates only"));
    for (run, level) in [(&timings, Level::Requests), (&printed, Level::Aggregates)] {
        assert_eq!((&run.id, run.provenance.level), (&whole.id, level));
        assert!(run.provenance.notices.iter().any(|notice| notice.kind == "left-out"));
        // Reduced twice is reduced once, and nothing comes back.
        assert_eq!(&reduced(run.clone(), level), run);
        assert_eq!(&reduced(run.clone(), Level::Events), run);
    }
    let mut session = Session::new();
    session.adopt(vec![printed]);
    let (added, twins) = session.adopt(vec![whole.clone()]);
    assert_eq!((added, twins.len()), (vec![whole.id.clone()], 0));
    assert_eq!(session.runs(), [&whole]);
    let (added, twins) = session.adopt(vec![timings]);
    assert_eq!((added.len(), twins.len()), (0, 1), "less of it is nothing new");
}

#[test]
fn machines_in_labels_are_told_apart_and_not_named() {
    let page = "# TYPE vllm:num_requests_waiting gauge\n\
        vllm:num_requests_waiting{instance=\"gpu7.corp.example:8000\",model_name=\"m\"} 3\n\
        vllm:num_requests_waiting{instance=\"gpu8.corp.example:8000\",model_name=\"m\"} 4\n";
    let mut session = Session::new();
    session.adopt_dump(open("after.prom", page.as_bytes()).dumps.remove(0)).unwrap();
    let content = unpacked(&saved(&session, Level::Requests));
    let text = String::from_utf8_lossy(&content);
    assert!(text.contains("host-1") && text.contains("host-2") && !text.contains("corp.example"));
    let none = unpacked(&saved(&session, Level::Aggregates));
    assert!(!String::from_utf8_lossy(&none).contains("host-1"), "readings over time are left out");
}

#[test]
fn a_file_cut_anywhere_is_refused_with_place_and_advice() {
    for cut in 0..SMALL.len() {
        refused(&open("cut.sameruler", &SMALL[..cut]), cut);
    }
    let content = unpacked(&SMALL);
    for cut in (4..content.len()).step_by(7) {
        refused(&open("cut.sameruler", &packed(&content[..cut])), cut);
    }
    let session = reopened("a.sameruler", &SMALL).0;
    let html = report(&session, &all(&session), Some(request(Level::Requests)));
    let data = html.find("<template").unwrap();
    let end = html.find("</template>").unwrap();
    for cut in (0..data).step_by(9_973).chain((data..end).step_by(61)) {
        refused(&open("cut.html", &html.as_bytes()[..cut]), cut);
    }
}

#[track_caller]
fn refused(imported: &Imported, cut: usize) {
    let [refusal] = imported.refused.as_slice() else { panic!("cut at {cut}: {imported:?}") };
    assert!(imported.runs.is_empty() && imported.opened.is_empty(), "cut at {cut}");
    let said = [&refusal.file, &refusal.error, &refusal.place, &refusal.advice];
    assert!(said.iter().all(|words| !words.is_empty()), "cut at {cut}: {refusal:?}");
}

#[test]
fn a_newer_session_is_refused_with_advice() {
    let mut content = unpacked(&SMALL);
    content[4..8].copy_from_slice(&(VERSION + 1).to_le_bytes());
    let imported = open("new.sameruler", &packed(&content));
    refused(&imported, 0);
    let refusal = &imported.refused[0];
    assert!(refusal.error.contains(&format!("version {}", VERSION + 1)), "{}", refusal.error);
    assert!(refusal.advice.contains("update the command"), "{}", refusal.advice);
}

/// A file of the first version as it was written then: each later version must open it.
#[test]
fn a_session_of_the_first_version_opens() {
    let path = root().join("tests/fixtures/session/v1.sameruler");
    if std::env::var_os("BLESS").is_some() && !path.exists() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &*SMALL).unwrap();
    }
    let (session, opened) = reopened("v1.sameruler", &std::fs::read(&path).unwrap());
    let (now, _) = reopened("v1.sameruler", &SMALL);
    assert_eq!(session.runs(), now.runs());
    let decided = &opened.opened[0].decided;
    assert_eq!((decided.view.as_str(), decided.level), ("v1/curves?def=vllm", Level::Events));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn damage_never_panics(at in any::<prop::sample::Index>(), bit in 0_u8..8, inner in any::<bool>()) {
        let mut bytes = if inner { unpacked(&SMALL) } else { SMALL.clone() };
        *at.get_mut(&mut bytes) ^= 1 << bit;
        let file = if inner { packed(&bytes) } else { bytes };
        let imported = open("damaged.sameruler", &file);
        prop_assert!(!imported.refused.is_empty() || !imported.runs.is_empty());
    }
}
