//! The handed cases: `../shared/cases`, which is no part of the repository. Without it there is nothing to
//! do, except where `CI` is set.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use sameruler::engine::Session;
use sameruler::engine::import::import;
use sameruler::formats;
use sameruler::model::Run;
use std::path::{Path, PathBuf};

pub(crate) fn cases() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    if root.is_dir() {
        return Some(root);
    }
    assert!(std::env::var("CI").is_err(), "the cases must be there in CI");
    None
}

/// All files below `folder`, by name.
pub(crate) fn every_file(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    let mut entries: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(every_file(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// The session after all files below `root` came in, one by one.
pub(crate) fn library(root: &Path) -> Session {
    let mut session = Session::new();
    for path in every_file(root) {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        let bytes = std::fs::read(&path).unwrap();
        let imported = import(&name, &mut bytes.as_slice(), false, &mut |_, _, _, _| {});
        session.adopt(imported.runs);
    }
    session
}

/// JSON files below `folder`, one document or one a line, by name.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let json = |path: &PathBuf| path.extension().is_some_and(|e| e == "json" || e == "jsonl");
    every_file(folder).into_iter().filter(json).collect()
}

pub(crate) fn read(path: &Path) -> Option<Vec<Run>> {
    let bytes = std::fs::read(path).unwrap();
    formats::read(&path.to_string_lossy(), &bytes, &mut |_| {}).ok()
}
