//! Every fixture is read under its name and under a name that says nothing, survives the pack, and
//! looks as it did; every broken or foreign file is refused with the message it had.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::formats::{self, ImportError, REGISTRY, Read};
use sameruler::model::{Column, Family, Outcome, Requests, Run, ServerDump, dump_pack, pack};
use sameruler::notice::{Notices, Place};
use sameruler::units::{Quantity, UnixTime};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn fixtures(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no fixtures in {}", folder.display());
    files
        .into_iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

fn read(name: &str, bytes: &[u8]) -> Result<Vec<Run>, ImportError> {
    formats::read(name, bytes, &mut |_| {})
}

fn all(name: &str, bytes: &[u8]) -> Read {
    formats::read_mapped(name, bytes, None, &mut |_| {})
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_format_reads_its_fixtures() {
    for format in REGISTRY {
        for (name, bytes) in fixtures(format.id()) {
            let Read { runs, dumps } = all(&name, &bytes);
            assert!(runs.iter().all(|run| run.provenance.format == format.id()), "{name}");
            assert!(dumps.iter().all(|dump| dump.provenance.format == format.id()), "{name}");
            let mut nameless = all("x", &bytes);
            for run in &mut nameless.runs {
                run.provenance.file.clone_from(&name);
            }
            assert_eq!(runs, nameless.runs, "{name}: the name decides nothing");
            for run in &runs {
                let packed = pack::encode(run).unwrap();
                assert_eq!(&pack::decode(&packed).unwrap(), run, "{name}: pack round trip");
            }
            for (server, nameless) in dumps.iter().zip(&nameless.dumps) {
                // NaN is a value of a server and equals nothing: compare what is printed.
                let text = format!("{:?}", server.dump);
                assert_eq!(
                    format!("{:?}", nameless.dump),
                    text,
                    "{name}: the name decides nothing"
                );
                let packed = dump_pack::encode(server).unwrap();
                let back = dump_pack::decode(&packed).unwrap();
                assert_eq!(format!("{back:?}"), format!("{server:?}"), "{name}: pack round trip");
            }
            let servers = dumps.iter().map(server);
            let snapshot: String = runs.iter().map(summary).chain(servers).collect();
            insta::with_settings!({ prepend_module_to_snapshot => false }, {
                insta::assert_snapshot!(format!("{}__{name}", format.id()), snapshot);
            });
        }
    }
}

#[test]
fn broken_files_are_refused_with_place_and_advice() {
    insta::assert_snapshot!("broken", refusals("broken"));
}

#[test]
fn foreign_files_are_named() {
    insta::assert_snapshot!("foreign", refusals("foreign"));
}

fn refusals(folder: &str) -> String {
    let mut all = String::new();
    for (name, bytes) in fixtures(folder) {
        let Err(error) = read(&name, &bytes) else { panic!("{name} was read") };
        assert_eq!(error.file, name);
        let format = error.format.unwrap_or("none");
        let _ =
            writeln!(all, "{name} [{format}] {}\n  {error}\n  → {}\n", error.place, error.advice());
    }
    all
}

#[test]
fn two_hundred_megabytes_of_zeros_are_refused_from_the_head_alone() {
    let zeros = vec![0; formats::HEAD_BYTES];
    let head = formats::Head::new("disk.json", &zeros, 200_000_000);
    let error = formats::recognise(&head).unwrap_err();
    assert_eq!(error.kind, formats::ErrorKind::AllZeros);
    assert_eq!(error.place, Place::Byte(0));
}

#[test]
fn a_file_beyond_the_memory_is_refused_from_the_head_alone() {
    let text = br#"{"duration": 1, "completed": 1, "model_id": "x""#;
    let head = formats::Head::new("big.json", text, formats::MAX_BYTES + 1);
    let error = formats::recognise(&head).unwrap_err();
    assert_eq!(error.kind, formats::ErrorKind::TooBig { bytes: formats::MAX_BYTES + 1 });
}

#[test]
fn progress_goes_forward_to_the_end() {
    let (name, bytes) = fixtures("vllm-bench")
        .into_iter()
        .find(|(name, _)| name.starts_with("0.33-chat-s"))
        .unwrap();
    let mut steps = Vec::new();
    formats::read(&name, &bytes, &mut |step| steps.push(step)).unwrap();
    let last = steps.last().unwrap();
    assert_eq!((last.done, last.total, last.records), (bytes.len() as u64, bytes.len() as u64, 60));
    assert!(steps.windows(2).all(|pair| pair[0].done <= pair[1].done));
    assert!(steps.iter().any(|step| step.done > 0 && step.done < step.total));
}

/// A run as lines of text, short enough to read in a diff.
fn summary(run: &Run) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "== {} ({}), run {} of {}",
        run.name,
        run.tool.name(),
        run.provenance.index + 1,
        run.provenance.of
    );
    let _ = writeln!(text, "because {}", run.provenance.because);
    let _ = writeln!(text, "version {:?}", run.version);
    let _ = writeln!(text, "load {:?}", run.load);
    let workload = &run.workload;
    let _ = writeln!(
        text,
        "workload {:?} {:?} {:?} {:?} {:?} {:?}",
        workload.model,
        workload.tokenizer,
        workload.dataset,
        workload.endpoint,
        workload.backend,
        workload.date
    );
    for (name, value) in &workload.settings {
        let _ = writeln!(text, "  {name} = {value}");
    }
    match &run.requests {
        Some(requests) => table(requests, &mut text),
        None => text.push_str("no requests\n"),
    }
    for value in &run.reported.values {
        let _ = writeln!(
            text,
            "  {} = {:?} {} {:.6} (×{})",
            value.field,
            value.metric,
            value.stat.name(),
            value.value,
            value.scale
        );
    }
    if let Some(limits) = &run.reported.limits {
        let limits: Vec<String> = limits.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "limits {}", limits.join(" "));
    }
    notices(&run.provenance.notices, &mut text);
    text.push('\n');
    text
}

/// A dump as lines of text.
fn server(server: &ServerDump) -> String {
    let mut text = String::new();
    let dump = &server.dump;
    let _ = writeln!(text, "== server: {}", dump.shape.name());
    let _ = writeln!(text, "because {}", server.provenance.because);
    let secs = |at: Option<UnixTime>| at.map_or("–".to_owned(), |at| at.as_secs().to_string());
    for scrape in &dump.scrapes {
        let _ = writeln!(text, "reading at {} {:?}", secs(scrape.at), scrape.title);
    }
    for (number, family) in dump.families.iter().enumerate() {
        let Family { name, kind, help, unit } = family;
        let _ = writeln!(text, "{name}: {kind:?} {help:?} {unit:?}");
        for series in dump.series.iter().filter(|s| s.family as usize == number) {
            let labels: Vec<_> = series.labels.iter().map(|(l, v)| format!("{l}={v:?}")).collect();
            let points: Vec<_> = series
                .points
                .iter()
                .map(|p| format!("{}@{}/{}", p.value, p.scrape, secs(p.at)))
                .collect();
            let kind = family.sample(series);
            let (labels, points) = (labels.join(","), points.join(" "));
            let _ = writeln!(text, "  {kind:?} {}{{{labels}}} {points}", series.name);
        }
    }
    notices(&server.provenance.notices, &mut text);
    text.push('\n');
    text
}

fn notices(notices: &Notices, text: &mut String) {
    for notice in notices {
        let place = &notice.places[0];
        let _ = writeln!(
            text,
            "{} {} ×{} at {place}: {}",
            notice.severity.word(),
            notice.kind,
            notice.count,
            notice.text
        );
    }
}

fn table(requests: &Requests, text: &mut String) {
    let count = |outcome| requests.count(outcome);
    let _ = writeln!(
        text,
        "{} requests: {} ok, {} failed, {} cancelled, {} unfinished, {} empty",
        requests.len(),
        count(Outcome::Ok),
        count(Outcome::Failed),
        count(Outcome::Cancelled),
        count(Outcome::Unfinished),
        (0..requests.len()).filter(|at| requests.is_empty_reply(*at)).count()
    );
    let _ = writeln!(
        text,
        "{:?}, {:?}, tokens {:?}, gaps {:?}",
        requests.first_token_rule, requests.end_rule, requests.token_source, requests.gap_kind
    );
    column("input_tokens", &requests.input_tokens, text);
    column("output_tokens", &requests.output_tokens, text);
    column("ttft", &requests.ttft, text);
    column("e2e", &requests.e2e, text);
    column("start", &requests.start, text);
    column("queue_wait", &requests.queue_wait, text);
    column("turn", &requests.turn, text);
    column("cached_tokens", &requests.cached_tokens, text);
    if !requests.gaps.is_absent() {
        let sum: f64 = requests.gaps.values().iter().map(|gap| gap.as_secs()).sum();
        let rows = requests.gaps.rows().flatten().count();
        let _ = writeln!(
            text,
            "  gaps: {} in {rows} rows, sum {sum:.6}, {:?}",
            requests.gaps.values().len(),
            requests.gaps.origin()
        );
    }
}

fn column<T: Quantity>(name: &str, column: &Column<T>, text: &mut String) {
    if !column.is_absent() {
        let sum: f64 = column.iter().flatten().map(Quantity::raw).sum();
        let _ = writeln!(
            text,
            "  {name}: {} {}, sum {sum:.6}, {:?}",
            column.present(),
            T::NAME,
            column.origin()
        );
    }
}
