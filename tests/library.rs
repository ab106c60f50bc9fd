//! All handed cases dropped as one folder: a Library that can be read, with nothing lost.
//!
//! Reads `../shared/cases`, which is no part of the repository; without it there is nothing to do,
//! except where `CI` is set. Writes `target/library.md`.
#![allow(clippy::unwrap_used, reason = "a failed test is the point of a test")]

mod handed;

use handed::{cases, every_file};
use sameruler::engine::Session;
use sameruler::engine::import::import;
use sameruler::views::Context;
use sameruler::views::library::{ALL_SHOWN, LibraryView, SHOWN, library};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// The Library as text, for a look at it.
fn table(view: &LibraryView) -> String {
    let mut out = format!("{}\n", view.summary);
    for group in &view.groups {
        let fold = if group.folded { "+" } else { "-" };
        let _ = writeln!(out, "\n{fold} **{}** {}\n", group.title, group.subtitle);
        for row in &group.rows {
            let _ = writeln!(out, "  - {}, {}: {}", row.name, row.version, row.file);
        }
    }
    out
}

#[test]
fn the_whole_folder_of_cases_is_a_library_that_can_be_read() {
    let Some(root) = cases() else { return };
    let mut session = Session::new();
    let mut imported = BTreeSet::new();
    for path in every_file(&root) {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let bytes = std::fs::read(&path).unwrap();
        let read = import(&format!("cases/{name}"), &mut &*bytes, false, &mut |_, _, _, _| {});
        imported.extend(read.runs.iter().map(|run| run.id.clone()));
        session.adopt(read.runs);
    }
    let view = library(&session.runs(), &[], &Context::default());
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/library.md");
    std::fs::write(target, table(&view)).unwrap();

    let rows = || view.groups.iter().flat_map(|group| &group.rows);
    let shown: Vec<_> = rows().map(|row| row.id.clone()).collect();
    let pieces = rows().flat_map(|row| row.pieces.iter().map(|piece| piece.id.clone()));
    let told: BTreeSet<_> = shown.iter().cloned().chain(pieces).collect();
    assert_eq!(told, imported, "every imported run stands in a row or is joined to one");
    let once: BTreeSet<_> = shown.iter().collect();
    assert_eq!(once.len(), shown.len(), "no run stands twice");
    assert_eq!(shown.len(), session.runs().len());

    let open = || view.groups.iter().filter(|group| !group.folded);
    assert!(open().all(|group| group.rows.len() <= SHOWN));
    assert!(open().map(|group| group.rows.len()).sum::<usize>() <= ALL_SHOWN);
    let heads = view.groups.iter().map(|group| (&group.title, &group.subtitle));
    let mut seen = BTreeSet::new();
    let twice: Vec<_> = heads.filter(|head| !seen.insert(*head)).collect();
    assert!(twice.is_empty(), "no two headings are alike: {twice:?}");
    assert!(view.groups.len() < 80, "{} groups", view.groups.len());
}
