//! `docs/formats.md` is written from the registry and must not fall behind it.
//! `BLESS=1 cargo test --test docs_formats` writes it anew.
#![allow(clippy::unwrap_used, reason = "a failed test is the point of a test")]

use sameruler::formats::REGISTRY;
use std::fmt::Write as _;
use std::path::Path;

fn page() -> String {
    let mut out = String::from(
        "# Formats\n\nThis page is written from the registry in `src/formats/mod.rs`; \
         `BLESS=1 cargo test --test docs_formats` writes it anew.\n\nA file is recognised by its content, \
         never by its name alone. Units come from keys and headers, never from the size of a number.\n\n\
         | Format | Id | Recognised by | Versions |\n| --- | --- | --- | --- |\n",
    );
    for format in REGISTRY {
        let about = format.about();
        let _ = writeln!(
            out,
            "| {} | `{}` | {} | {} |",
            about.name,
            format.id(),
            about.recognised,
            about.versions
        );
    }
    for format in REGISTRY {
        let about = format.about();
        let _ = write!(out, "\n## {}\n\n{}.\n\nRead:\n\n", about.name, about.file);
        for line in about.reads {
            let _ = writeln!(out, "- {line}");
        }
        out.push_str("\nNot read, and why:\n\n");
        for line in about.limits {
            let _ = writeln!(out, "- {line}");
        }
    }
    out
}

#[test]
fn the_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page(), "docs/formats.md is old: BLESS=1 cargo test --test docs_formats");
}
