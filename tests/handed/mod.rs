//! The handed cases: `../shared/cases`, which is no part of the repository. Without it there is nothing to
//! do, except where `CI` is set.
#![allow(dead_code, reason = "each test binary uses a part of it")]

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

/// Files below `folder`, by name.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "json" || e == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub(crate) fn read(path: &Path) -> Option<Vec<Run>> {
    let bytes = std::fs::read(path).unwrap();
    formats::read(&path.to_string_lossy(), &bytes, &mut |_| {}).ok()
}
