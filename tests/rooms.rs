//! Keeps the map of the rooms true: who imports whom, how long a file may be, what it may be called.
//!
//! In one crate this test stands where crate borders would. It reads the sources as text, so it also
//! covers the browser's rooms, which a native build never compiles. A file's tests may use any room.
#![expect(clippy::expect_used, reason = "a test's panic is its answer; helpers count as tests")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What each room may use, from `docs/architecture.md`. A new room needs a line here.
const ALLOWED: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("notice", &["units"]),
    ("archives", &["units"]),
    ("stats", &["units", "notice"]),
    ("charts", &["units"]),
    ("model", &["units", "notice", "stats"]),
    ("prometheus", &["units", "notice", "stats", "model"]),
    ("formats", &["units", "notice", "stats", "model", "prometheus"]),
    ("metrics", &["units", "notice", "stats", "model"]),
    ("checks", &["units", "notice", "stats", "model", "metrics"]),
    ("views", &["units", "notice", "stats", "charts", "model", "prometheus", "metrics", "checks"]),
    ("link", &["model", "views"]),
    ("session_file", &["units", "notice", "model"]),
    (
        "report",
        &[
            "units",
            "notice",
            "stats",
            "charts",
            "model",
            "metrics",
            "views",
            "link",
            "session_file",
        ],
    ),
    (
        "engine",
        &[
            "units",
            "notice",
            "archives",
            "stats",
            "charts",
            "model",
            "prometheus",
            "formats",
            "metrics",
            "checks",
            "views",
            "link",
            "session_file",
            "report",
        ],
    ),
    (
        "cli",
        &[
            "units",
            "notice",
            "stats",
            "charts",
            "model",
            "prometheus",
            "metrics",
            "checks",
            "views",
            "link",
            "report",
            "engine",
        ],
    ),
    ("web", &["units", "notice", "charts", "model", "views", "engine"]),
    ("ui", &["units", "notice", "charts", "model", "metrics", "views", "link", "engine", "web"]),
    // The entries of the binaries.
    ("main.rs", &["ui", "web"]),
    ("bin/importer.rs", &["web"]),
    ("bin/engine.rs", &["web"]),
    ("bin/sameruler.rs", &["cli"]),
];

/// No file is longer than this many lines …
const CEILING: usize = 800;

/// … but for catalogues, which are searched and not read from top to bottom.
const CATALOGUES: &[&str] = &["src/formats/foreign.rs"];

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] = &["utils", "util", "common", "types", "helpers", "misc"];

#[test]
fn every_room_uses_only_what_it_may() {
    let mut faults = String::new();
    for (path, text) in sources("src") {
        for fault in import_faults(&path, &text) {
            let _ = writeln!(faults, "{path}: {fault}");
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn files_are_short_and_named_after_what_they_hold() {
    let mut faults = String::new();
    for folder in ["src", "tests", "benches"] {
        for (path, text) in sources(folder) {
            for fault in file_faults(&path, &text) {
                let _ = writeln!(faults, "{path}: {fault}");
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn the_table_names_each_room_once_and_has_no_circle() {
    let mut earlier = BTreeSet::new();
    for (room, uses) in ALLOWED {
        for used in *uses {
            assert!(earlier.contains(used), "{room} uses {used}, which stands below it");
        }
        assert!(earlier.insert(room), "{room} stands twice");
    }
}

/// Every way of writing an import that leaves a room, against a file where it is wrong.
#[test]
fn a_wrong_import_is_found_however_it_is_written() {
    let wrong = [
        ("src/units.rs", "use crate::notice::Notice;"),
        ("src/units.rs", "use super::notice::Notice;"),
        ("src/metrics/ttft.rs", "use crate::formats;"),
        ("src/metrics/ttft.rs", "use crate::{units::Seconds, formats::{Format, REGISTRY}};"),
        ("src/metrics/ttft.rs", "use crate::{\n    model::Run, // why\n    views,\n};"),
        ("src/metrics/ttft.rs", "use super::super::formats::Format;"),
        ("src/metrics/mod.rs", "use super::formats::Format;"),
        ("src/metrics/ttft.rs", "pub(crate) fn f() { let x = crate::formats::read(b\"\"); }"),
        ("src/metrics/ttft.rs", "fn f() -> crate :: formats :: Run { }"),
        ("src/metrics/ttft.rs", "let s = \"// no comment\"; use crate::formats::Run;"),
        ("src/metrics/ttft.rs", "let q = '\"'; use crate::formats::Run; let r = '\"';"),
        ("src/metrics/ttft.rs", "fn f<'a>(x: &'a str) {} use crate::formats::Run;"),
        ("src/bin/sameruler.rs", "use sameruler::formats::read;"),
        ("src/main.rs", "use sameruler::{ui::App, model::Run};"),
        ("src/attic/mod.rs", "fn f() {}"),
    ];
    for (path, text) in wrong {
        assert_eq!(import_faults(path, text).len(), 1, "{path}: {text}");
    }
}

#[test]
fn a_right_import_is_left_alone() {
    let right = [
        ("src/metrics/ttft.rs", "use crate::{model::Run, units::Seconds}; use super::Definition;"),
        ("src/metrics/ttft.rs", "use crate::metrics::formats; use super::formats::x;"),
        ("src/metrics/ttft.rs", "// use crate::formats;\n/* crate::ui */ /// [`crate::views`]\n"),
        (
            "src/metrics/ttft.rs",
            "const S: &str = \"crate::formats\"; const R: &str = r#\"crate::ui\"#;",
        ),
        ("src/metrics/ttft.rs", "fn f() {}\n#[cfg(test)]\nmod tests { use crate::formats::read; }"),
        ("src/lib.rs", "pub use crate::formats::read;"),
        ("src/bin/sameruler.rs", "fn main() { sameruler::cli::run() }"),
    ];
    for (path, text) in right {
        assert_eq!(import_faults(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn a_long_file_and_an_empty_name_are_found() {
    let long = "\n".repeat(CEILING + 1);
    assert_eq!(file_faults("src/model/run.rs", &long).len(), 1);
    assert_eq!(file_faults("src/formats/foreign.rs", &long).len(), 0);
    assert_eq!(file_faults("src/model/run.rs", &"\n".repeat(CEILING)).len(), 0);
    assert_eq!(file_faults("src/model/utils.rs", "").len(), 1);
    assert_eq!(file_faults("src/common/mod.rs", "").len(), 1);
    assert_eq!(file_faults("src/model/run.rs", "").len(), 0);
}

/// The `.rs` files below a folder of the crate: path with forward slashes, text.
fn sources(folder: &str) -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    walk(&root.join(folder), &mut found);
    found.sort();
    found
        .into_iter()
        .map(|path| {
            let short = path.strip_prefix(root).expect("below the root").to_string_lossy();
            (short.replace('\\', "/"), std::fs::read_to_string(&path).expect("readable text"))
        })
        .collect()
}

/// What is wrong with a file's length and name.
fn file_faults(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = text.lines().count();
    if lines > CEILING && !CATALOGUES.contains(&path) {
        faults.push(format!("{lines} lines; split it by what it holds (ceiling {CEILING})"));
    }
    for part in path.trim_end_matches(".rs").split('/') {
        if EMPTY_NAMES.contains(&part) {
            faults.push(format!("`{part}` says nothing; name it after what it holds"));
        }
    }
    faults
}

/// Which rooms a file uses without leave.
fn import_faults(path: &str, text: &str) -> Vec<String> {
    let inner = path.trim_start_matches("src/");
    if inner == "lib.rs" {
        return Vec::new();
    }
    let entry = inner == "main.rs" || inner.starts_with("bin/");
    let room = if entry {
        inner
    } else {
        inner.split('/').next().unwrap_or(inner).trim_end_matches(".rs")
    };
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == room) else {
        return vec![format!("the room `{room}` is not in the table of tests/rooms.rs")];
    };
    let code = without_tests(&code_only(text));
    used_rooms(&code, depth(inner))
        .into_iter()
        .filter(|used| used != room && !allowed.contains(&used.as_str()))
        .map(|used| format!("`{room}` must not use `{used}`"))
        .collect()
}

/// How many `super::` lead from a file's top level to the crate root.
fn depth(inner: &str) -> usize {
    let parts = inner.split('/').count();
    if inner.ends_with("/mod.rs") { parts - 1 } else { parts }
}

/// The text before the test module that closes a file.
fn without_tests(code: &str) -> String {
    code.find("#[cfg(test)]\nmod ").map_or(code, |at| &code[..at]).to_owned()
}

/// A source text with comments and the insides of literals blanked out.
fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let starts = |at: usize, what: &str| {
        what.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c))
    };
    let until = |from: usize, what: &str| {
        (from..chars.len()).find(|&at| starts(at, what)).map_or(chars.len(), |at| at + what.len())
    };
    let mut code = String::new();
    let mut at = 0;
    while at < chars.len() {
        let word_before = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
        if starts(at, "//") {
            at = until(at, "\n") - 1;
            if chars.get(at) != Some(&'\n') {
                break;
            }
        } else if starts(at, "/*") {
            at = until(at + 2, "*/");
        } else if !word_before
            && (starts(at, "r\"") || starts(at, "r#"))
            && raw_hashes(&chars, at).is_some()
        {
            let hashes = raw_hashes(&chars, at).unwrap_or(0);
            at = until(at + 2 + hashes, &format!("\"{}", "#".repeat(hashes)));
        } else if chars[at] == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if starts(at, "'\\") {
            at = until(at + 3, "'");
        } else if chars[at] == '\'' && chars.get(at + 2) == Some(&'\'') {
            at += 3;
        } else {
            code.push(chars[at]);
            at += 1;
        }
    }
    code
}

/// The number of `#` of a raw string that starts here with `r`, if one does.
fn raw_hashes(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
    (chars.get(at + 1 + hashes) == Some(&'"')).then_some(hashes)
}

/// The rooms named by paths that start at the crate root, whether by `crate`, the crate's name or `super`.
fn used_rooms(code: &str, depth: usize) -> BTreeSet<String> {
    let tokens = tokens(code);
    let mut rooms = BTreeSet::new();
    let mut at = 0;
    while at < tokens.len() {
        let starts_path = at == 0 || tokens[at - 1] != "::";
        let root = match tokens[at].as_str() {
            "crate" | "sameruler" if starts_path => Some(at + 1),
            "super" if starts_path => {
                let supers = tokens[at..].iter().step_by(2).take_while(|t| *t == "super").count();
                (supers >= depth).then_some(at + 2 * supers - 1)
            }
            _ => None,
        };
        at += 1;
        let Some(after) = root.filter(|after| tokens.get(*after).is_some_and(|t| t == "::")) else {
            continue;
        };
        match tokens.get(after + 1).map(String::as_str) {
            Some("{") => rooms.extend(group_heads(&tokens[after + 2..])),
            Some(word) if is_word(word) => {
                rooms.insert(word.to_owned());
            }
            _ => {}
        }
    }
    rooms
}

/// The first words of the members of a `{…}` group.
fn group_heads(tokens: &[String]) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0;
    let mut head = true;
    for token in tokens {
        match token.as_str() {
            "{" => depth += 1,
            "}" if depth == 0 => break,
            "}" => depth -= 1,
            "," if depth == 0 => head = true,
            word if head && is_word(word) => {
                heads.push(word.to_owned());
                head = false;
            }
            _ => {}
        }
    }
    heads
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Words, `::` and single signs.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    tokens
}
