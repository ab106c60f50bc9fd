//! Prometheus dumps that people publish: each reads, and says what it left out.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

mod handed;

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
