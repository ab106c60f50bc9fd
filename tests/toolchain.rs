//! Versions that must agree stand in several files because several tools read them; this holds them together.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test's panic is its answer; helpers count as tests"
)]

use std::fs;
use std::path::Path;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect(name)
}

/// What stands between `before` and `after` the first time.
fn between(text: &str, before: &str, after: &str) -> String {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no `{before}`"));
    rest.split_once(after).map_or(rest, |(found, _)| found).to_owned()
}

#[test]
fn the_bindgen_command_equals_the_locked_crate() {
    let locked = between(&read("Cargo.lock"), "name = \"wasm-bindgen\"\nversion = \"", "\"");
    let installed = between(&read("tools.env"), "WASM_BINDGEN_VERSION=", "\n");
    let wanted = between(&read("Trunk.toml"), "wasm_bindgen = \"", "\"");
    assert_eq!((installed.as_str(), wanted.as_str()), (locked.as_str(), locked.as_str()));
}

#[test]
fn trunk_asks_for_the_wasm_opt_of_the_npm_package() {
    let package = between(&read("package.json"), "\"binaryen\": \"", ".");
    assert_eq!(between(&read("Trunk.toml"), "wasm_opt = \"version_", "\""), package);
}

#[test]
fn the_npm_lockfile_names_no_host() {
    assert!(!read("package-lock.json").contains("://"));
}
