//! `docs/server-metrics.md` is written from the table of names and must not fall behind it.
//! `BLESS=1 cargo test --test docs_server` writes it anew.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::prometheus::identities::IDENTITIES;
use sameruler::prometheus::names::{EXPORTERS, Exporter, Name};
use std::fmt::Write as _;
use std::path::Path;

fn page() -> String {
    let mut out = String::from(
        "# Server metrics: what servers say of themselves\n\n\
         This page is written from the table in `src/prometheus/names/`; `BLESS=1 cargo test --test docs_server` \
         writes it anew.\n\n\
         `sameruler server` reads pages of `/metrics`. Of two readings it gives what lies between them: buckets and \
         counters are subtracted and never extrapolated; a series that began anew is counted from zero and its \
         number is a lower bound, and says so; series are added up over engines and replicas before anything is \
         made of them, never quantiles; of the processes of one engine a gauge is the largest, and shares of \
         engines stay apart. Two models are never added up.\n\n\
         A quantile out of buckets is an interval. `promql` is what `histogram_quantile` prints, `low` and `high` \
         are the tightest bounds that buckets, count and sum allow for the nearest-rank quantile, the observation \
         at rank ⌈q·n⌉. Above the last finite edge `histogram_quantile` prints that edge; here it is “> edge”. The \
         mean, Σ ÷ n, is exact. The share within a limit has bounds too, and is exact at an edge.\n\n\
         ## Identities\n\nSums that an engine keeps, printed with both sides.\n\n| Identity | A broken one means |\n\
         | --- | --- |\n",
    );
    for identity in IDENTITIES {
        let about = identity.about();
        let _ = writeln!(out, "| {} | {} |", about.formula, about.broken);
    }
    out.push_str(
        "\n## Names\n\n“Since” is the first of the releases read that has a name, “to” the last; without one the \
         name is older than those, or its history was not read. Labels named are never added up.\n",
    );
    for exporter in EXPORTERS {
        section(&mut out, exporter);
    }
    out
}

fn section(out: &mut String, exporter: &Exporter) {
    let _ = write!(out, "\n### {}\n\n{}\n\n", exporter.name, exporter.note);
    for prefix in exporter.prefixes {
        let written = match prefix.text {
            "" => format!("bare names, where there is {}", prefix.marks.join(" or ")),
            text => format!("`{text}…`"),
        };
        let _ = writeln!(out, "- {written}: {}", prefix.by);
    }
    out.push_str("\n| Name | Kind | Means | Per | Unit | Measured | Versions |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for name in exporter.names {
        row(out, name);
    }
}

fn row(out: &mut String, name: &Name) {
    let kind = format!("{:?}", name.kind).to_lowercase();
    let mut what = name.what.to_owned();
    if !name.labels.is_empty() {
        let _ = write!(what, " (by {})", name.labels.join(", "));
    }
    what.push('.');
    if let Some(other) = name.instead {
        let _ = write!(what, " Other name: `{other}`.");
    }
    if !name.note.is_empty() {
        let _ = write!(what, " {}", name.note);
    }
    let _ = writeln!(
        out,
        "| `{}` | {kind} | `{}` | {} | {} | {what} | {} |",
        name.name,
        name.meaning(),
        name.per.words(),
        name.unit.symbol(),
        name.versions()
    );
}

#[test]
fn the_page_says_what_the_code_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/server-metrics.md");
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    for (at, (want, got)) in page.lines().zip(written.lines()).enumerate() {
        assert_eq!(got, want, "docs/server-metrics.md line {}: run with BLESS=1", at + 1);
    }
    assert_eq!(page.lines().count(), written.lines().count(), "run with BLESS=1");
}

#[test]
fn each_name_stands_once_and_renames_name_each_other() {
    for exporter in EXPORTERS {
        for (at, name) in exporter.names.iter().enumerate() {
            let again = exporter.names.iter().skip(at + 1).any(|other| other.name == name.name);
            assert!(!again, "{} {} stands twice", exporter.id, name.name);
            if let Some(instead) = name.instead {
                let other = exporter.names.iter().find(|other| other.name == instead);
                assert!(other.is_some(), "{} {}: no {instead}", exporter.id, name.name);
            }
            if let (Some(since), Some(until)) = (name.since, name.until) {
                assert!(since <= until, "{} {}", exporter.id, name.name);
            }
        }
        for edges in exporter.edges {
            assert!(edges.edges.windows(2).all(|pair| pair[0] < pair[1]), "{}", edges.name);
            assert!(exporter.names.iter().any(|name| name.name == edges.name), "{}", edges.name);
        }
    }
}
