//! `docs/checks.md` is written from the list of checks and must not fall behind it.
//! `BLESS=1 cargo test --test docs_checks` writes it anew.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::checks::{CHECKS, QUESTIONS};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn page() -> String {
    let mut out = String::from(
        "# Checks: whether a run is what it seems\n\n\
         This page is written from the lists in `src/checks`; `BLESS=1 cargo test --test docs_checks` writes it \
         anew.\n\n\
         Every imported run is examined. A check passes, finds something, or says that the file does not allow \
         the question. A finding has a severity: *block* (the run wins no comparison and is on no curve until \
         somebody has looked and let it on), *warn* (a number may mislead), *note* (worth knowing). It names \
         the requests concerned, the metrics touched, what they are with and without, and what can be done. \
         What an importer noticed in a file is listed with the findings; where a check finds the same, once.\n\n\
         `sameruler check FILE…` prints all of it.\n\n\
         ## In one run\n\n| Id | Finds | When | Can block | Source |\n| --- | --- | --- | --- | --- |\n",
    );
    for check in CHECKS {
        let about = check.about();
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} |",
            about.id,
            cell(about.name),
            cell(about.rule),
            if about.blocks { "yes" } else { "" },
            cell(about.source)
        );
    }
    out.push_str(
        "\n## Between runs\n\n| Id | Finds | When | Source |\n| --- | --- | --- | --- |\n",
    );
    for question in QUESTIONS {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            question.id,
            cell(question.name),
            cell(question.rule),
            cell(question.source)
        );
    }
    out
}

#[test]
fn the_page_is_that_of_the_lists() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/checks.md");
    let page = page();
    if std::env::var("BLESS").is_ok() {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "docs/checks.md has fallen behind: BLESS=1 cargo test --test docs_checks"
    );
}

#[test]
fn ids_are_told_apart_and_every_check_says_its_rule_and_source() {
    let mut ids = BTreeSet::new();
    for about in CHECKS.iter().map(|check| check.about()) {
        assert!(ids.insert(about.id), "{} is there twice", about.id);
        assert!(about.id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", about.id);
        for text in [about.name, about.passes, about.rule, about.source] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{}: {text}", about.id);
        }
    }
    for question in QUESTIONS {
        assert!(ids.insert(question.id), "{} is there twice", question.id);
    }
}
