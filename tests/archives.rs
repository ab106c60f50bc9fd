//! Results inside archives give the same runs as outside; what can't be opened is refused by name and
//! does not stop the others; nothing unpacks without bound.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use flate2::Compression;
use flate2::write::GzEncoder;
use sameruler::archives::{FREE_BYTES, MAX_MEMBERS};
use sameruler::engine::import::import;
use sameruler::engine::{Cause, Imported, Refusal};
use sameruler::model::Run;
use std::io::Write as _;
use std::path::Path;

fn fixture(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(root.join(name)).unwrap()
}

fn open(name: &str, mut bytes: &[u8]) -> Imported {
    import(name, &mut bytes, false, &mut |_, done, total, _| assert!(done <= total))
}

fn archive(name: &str) -> Imported {
    open(name, &fixture(&format!("archives/{name}")))
}

fn files(imported: &Imported) -> Vec<&str> {
    imported.runs.iter().map(|run| run.provenance.file.as_str()).collect()
}

fn refused(imported: &Imported) -> Vec<(&str, Cause)> {
    imported.refused.iter().map(|refusal| (refusal.file.as_str(), refusal.kind)).collect()
}

/// What a run is but for the name under which it came.
fn nameless(run: &Run) -> Run {
    let mut run = run.clone();
    run.provenance.file.clear();
    run.provenance.stem = None;
    run
}

const LONG: &str = "a-folder-with-a-name-that-is-so-long-that-tar-has-to-put-it-in-a-field-of-its-own-\
                    for-it";

#[test]
fn a_compressed_file_is_the_same_run_as_the_file() {
    let plain = open("latency.json", &fixture("vllm-latency/two-batches.json"));
    for name in ["latency.json.gz", "latency.json.zst"] {
        let packed = archive(name);
        assert_eq!(refused(&packed), []);
        assert_eq!(files(&packed), [name]);
        assert_eq!(nameless(&packed.runs[0]), nameless(&plain.runs[0]), "{name}");
        assert_eq!(packed.runs[0].id, plain.runs[0].id);
        assert_eq!(packed.runs[0].provenance.stem, plain.runs[0].provenance.stem);
    }
}

#[test]
fn every_layout_gives_its_members() {
    let readme = |archive: &str| format!("{archive}/sweep/README.md");
    let totals = |archive: &str| format!("{archive}/sweep/{LONG}/totals.json");
    for name in ["sweep.zip", "pax.tar.gz", "gnu.tgz", "ustar.tar.zst"] {
        let read = archive(name);
        let mut found = files(&read);
        found.sort_unstable();
        assert_eq!(
            found,
            [
                &*totals(name),
                &format!("{name}/sweep/rate1/latency.json"),
                &format!("{name}/sweep/requests.csv")
            ]
        );
        let mut not = refused(&read);
        not.sort_unstable();
        let chart = format!("{name}/sweep/chart.png");
        assert_eq!(not, [(&*readme(name), Cause::Foreign), (&*chart, Cause::Foreign)], "{name}");
    }
    let plain = open("requests.csv", &fixture("csv-requests/plain.csv"));
    for (name, file) in [("v7.tar", "v/requests.csv"), ("stored.zip", "requests.csv")] {
        let read = archive(name);
        let file = format!("{name}/{file}");
        let run = read.runs.iter().find(|run| run.provenance.file == file).unwrap();
        assert_eq!(nameless(run), nameless(&plain.runs[0]));
    }
    assert_eq!(files(&archive("zip64.zip")), ["zip64.zip/latency.json"]);
    assert_eq!(files(&archive("nested.zip")), ["nested.zip/in.tar.gz/in/latency.json.gz"]);
}

#[test]
fn the_name_of_an_archive_decides_nothing() {
    for name in ["latency.json.gz", "latency.json.zst", "sweep.zip", "gnu.tgz", "v7.tar"] {
        let (named, other) = (archive(name), open("x", &fixture(&format!("archives/{name}"))));
        let runs = |read: &Imported| read.runs.iter().map(nameless).collect::<Vec<_>>();
        assert_eq!(runs(&named), runs(&other), "{name}");
    }
}

#[test]
fn a_member_that_cannot_be_opened_does_not_stop_the_others() {
    for (name, member, words) in [
        ("one-encrypted.zip", "requests.csv", "encrypted"),
        ("one-bzip2.zip", "requests.csv", "bzip2"),
        ("one-damaged.zip", "requests.csv", "checksum"),
    ] {
        let read = archive(name);
        assert_eq!(read.runs.len(), 1, "{name}");
        let [refusal] = read.refused.as_slice() else { panic!("{name}: {:?}", read.refused) };
        assert_eq!(refusal.file, format!("{name}/{member}"));
        assert_eq!(refusal.kind, Cause::Archive);
        assert!(refusal.error.contains(words), "{refusal:?}");
        assert!(!refusal.advice.is_empty());
    }
}

#[test]
fn an_archive_that_cannot_be_opened_is_refused_for_what_it_is() {
    for (name, file, words) in [
        ("cut.tgz", "cut.tgz", "cut"),
        ("cut.zip", "cut.zip", "list of members"),
        ("empty.zip", "empty.zip", "without a file"),
        ("too-deep.zip", "too-deep.zip/n4.zip/in.tar.gz/in/latency.json.gz", "too deep"),
    ] {
        let read = archive(name);
        let [refusal] = read.refused.as_slice() else { panic!("{name}: {:?}", read.refused) };
        assert!(refusal.file.starts_with(file), "{refusal:?}");
        assert!(refusal.error.contains(words), "{refusal:?}");
        assert!(!refusal.advice.is_empty());
    }
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The header of a tar member; its checksum is the sum of its bytes.
fn tar_header(name: &str, size: &str) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[124..124 + size.len()].copy_from_slice(size.as_bytes());
    block[148..156].copy_from_slice(b"        ");
    block[156] = b'0';
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    block
}

fn only(read: &Imported) -> &Refusal {
    let [refusal] = read.refused.as_slice() else { panic!("{:?}", read.refused.len()) };
    refusal
}

#[test]
fn what_unpacks_without_bound_is_refused_by_name() {
    // Begins like a result, so that its beginning does not refuse it.
    let mut bomb =
        br#"{"avg_latency": 1.0, "latencies": [1.0], "percentiles": {"10": 1.0}"#.to_vec();
    bomb.resize(FREE_BYTES as usize + 1, b' ');
    let read = open("bomb.gz", &gz(&bomb));
    assert!(only(&read).error.contains("times its size"), "{:?}", read.refused);
    assert_eq!(only(&read).file, "bomb.gz");
    let mut tar = tar_header("bomb.json", &format!("{:o}", bomb.len()));
    tar.extend(&bomb);
    let read = open("bomb.tgz", &gz(&tar));
    assert_eq!(only(&read).file, "bomb.tgz/bomb.json");
}

#[test]
fn a_claimed_size_is_not_believed() {
    let mut tar = tar_header("a.json", "77777777777");
    tar.extend(b"{}");
    tar.resize(1024, 0);
    assert!(open("a.tar", &tar).runs.is_empty());
    let wide = String::from_utf8_lossy(&[0x7f; 11]).into_owned();
    assert!(open("a.tar", &tar_header("a.json", &wide)).runs.is_empty());
}

#[test]
fn too_many_members_are_refused() {
    let one = tar_header("a.json", "0");
    let mut tar = Vec::new();
    for _ in 0..=MAX_MEMBERS {
        tar.extend(&one);
    }
    let read = open("many.tar", &tar);
    assert_eq!(read.refused.len(), MAX_MEMBERS + 1);
    assert!(read.refused.last().unwrap().error.contains("too many"), "{:?}", read.refused.last());
}
