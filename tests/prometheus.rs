//! Prometheus dumps that people publish: each reads, and says what it left out.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

mod handed;

use sameruler::engine::Session;
use sameruler::engine::import::import;
use sameruler::notice::Notices;
use sameruler::prometheus;

#[test]
fn every_scrape_of_the_clients_reads_whole() {
    let Some(cases) = handed::cases() else { return };
    let mut files = 0;
    for path in handed::every_file(&cases.join("clients")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.starts_with("metrics_") {
            continue;
        }
        files += 1;
        let mut out = Notices::new();
        let dump = prometheus::read_text(&std::fs::read(&path).unwrap(), &mut out);
        assert_eq!(dump.scrapes.len(), 1, "{}", path.display());
        assert!(dump.series.len() > 50, "{}", path.display());
        assert!(out.is_empty(), "{}: {out:?}", path.display());
    }
    assert!(files > 60, "{files}");
}

#[test]
fn every_published_dump_of_text_reads() {
    let Some(cases) = handed::cases() else { return };
    let mut lines = Vec::new();
    for path in handed::every_file(&cases.join("public/prometheus")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = path.extension().is_some_and(|e| e == "prom" || e == "txt");
        if !text || name.starts_with("http-api") || name == "promtool-dump-series-1.prom" {
            continue;
        }
        let mut out = Notices::new();
        let dump = prometheus::read_text(&std::fs::read(&path).unwrap(), &mut out);
        let said: Vec<_> =
            out.iter().map(|n| format!("  {}× {} ({})", n.count, n.text, n.places[0])).collect();
        lines.push(format!(
            "{name}: {:?}, {} readings, {} families, {} series, {} points\n{}",
            dump.shape,
            dump.scrapes.len(),
            dump.families.len(),
            dump.series.len(),
            dump.series.iter().map(|s| s.points.len()).sum::<usize>(),
            said.join("\n")
        ));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_openmetrics_suite_passes_in_strict_mode() {
    let Some(cases) = handed::cases() else { return };
    let (mut right, mut wrong) = (0, Vec::new());
    for path in handed::every_file(&cases.join("public/prometheus/openmetrics-suite")) {
        if path.file_name().unwrap() != "metrics" {
            continue;
        }
        let case = std::fs::read_to_string(path.with_file_name("test.json")).unwrap();
        let case: serde_json::Value = serde_json::from_str(&case).unwrap();
        let page = std::fs::read_to_string(&path).unwrap();
        let said = prometheus::openmetrics::check(&page);
        if case["shouldParse"].as_bool() == Some(said.is_ok()) {
            right += 1;
        } else {
            wrong.push(format!("{}: {said:?}", path.display()));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(right, 211);
}

/// The pages of the suite that OpenMetrics forbids, read as people's pages are: what is in them, and what
/// was left out. A page that is left out whole has nothing before its notices.
#[test]
fn every_bad_page_of_the_suite_is_read_leniently() {
    let Some(cases) = handed::cases() else { return };
    let mut lines = Vec::new();
    for path in handed::every_file(&cases.join("public/prometheus/openmetrics-suite")) {
        let folder = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        if path.file_name().unwrap() != "metrics" || !folder.starts_with("bad") {
            continue;
        }
        let mut out = Notices::new();
        let bytes = std::fs::read(&path).unwrap();
        let dump = prometheus::read_text(&bytes, &mut out);
        let points: usize = dump.series.iter().map(|s| s.points.len()).sum();
        let samples = String::from_utf8_lossy(&bytes)
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.trim().starts_with('#'))
            .count();
        let skipped: u64 = out.iter().filter(|n| n.kind == "skipped-line").map(|n| n.count).sum();
        // A sample is read, or its line is counted and named, or it repeats what was read.
        let kept = points as u64
            + skipped
            + out.iter().filter(|n| n.kind == "series-twice").map(|n| n.count).sum::<u64>();
        assert!(
            kept >= samples as u64,
            "{folder}: {samples} lines, {points} read, {skipped} left out"
        );
        let said: Vec<_> =
            out.iter().map(|n| format!("; {}× {} ({})", n.count, n.text, n.places[0])).collect();
        lines.push(format!("{folder}: {points} read{}", said.concat()));
    }
    insta::assert_snapshot!(lines.join("\n"));
}

/// What is dropped is recognised, whichever file of the published ones it is, and stands in the session
/// apart from the runs.
#[test]
fn every_published_dump_is_recognised_and_kept_apart() {
    let Some(cases) = handed::cases() else { return };
    let folder = cases.join("public/prometheus");
    let mut session = Session::new();
    let (mut files, mut twins) = (0, 0);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() || name == "SOURCES.tsv" {
            continue;
        }
        files += 1;
        let bytes = std::fs::read(&path).unwrap();
        let imported = import(&name, &mut bytes.as_slice(), false, &mut |_, _, _, _| {});
        assert!(imported.refused.is_empty() && imported.runs.is_empty(), "{name}: {imported:?}");
        assert_eq!(imported.dumps.len(), 1, "{name}");
        for dump in imported.dumps {
            assert!(!dump.dump.series.is_empty(), "{name}");
            // The same page gzipped is the same page.
            let twin = session.adopt_dump(dump).is_err();
            assert!(!twin || name.starts_with("expfmt-text.prom"), "{name}");
            twins += usize::from(twin);
        }
    }
    assert!(files >= 32, "{files}");
    assert_eq!((twins, session.dumps().len(), session.runs().len()), (1, files - 1, 0));
}
