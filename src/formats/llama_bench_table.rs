//! The tables of `llama-bench`: its CSV, and the Markdown that it prints by itself.

use super::csv_table::Table;
use super::error::{ErrorKind, Fault};
use super::json::number_of;
use super::llama_bench::{BACKENDS, SETTINGS, Test};
use crate::notice::Place;

/// Whether a first line is the header of the CSV.
pub(super) fn is_csv(line: &str) -> bool {
    let cells: Vec<&str> = line.split(',').map(|cell| cell.trim_matches('"')).collect();
    ["build_commit", "n_gen", "avg_ts"].iter().all(|name| cells.contains(name))
}

/// The tests of the CSV. Every cell is quoted; true and false are 1 and 0.
pub(super) fn csv(text: &str) -> Result<Vec<Test>, Fault> {
    let table = Table::of(text).ok_or_else(|| Fault::whole(ErrorKind::NoRows))?;
    let mut tests = Vec::new();
    table.each_row(|line, _, row| {
        let cell = |name: &str| {
            let at = table.headings.iter().position(|heading| heading.raw == name)?;
            row.get(at).filter(|cell| !cell.is_empty())
        };
        let number = |name: &str| cell(name).and_then(number_of).filter(|n| n.is_finite());
        let owned = |name: &str| cell(name).map(str::to_owned);
        let [prompt, generated, depth] = ["n_prompt", "n_gen", "n_depth"].map(number);
        if prompt.is_none() && generated.is_none() {
            let value: String = cell("n_gen").unwrap_or_default().chars().take(40).collect();
            let place = Place::Cell { line, column: "n_gen".into() };
            return Err(Fault::at(place, ErrorKind::NotANumber { value }));
        }
        let on = BACKENDS.iter().find(|name| cell(name) == Some("1"));
        tests.push(Test {
            prompt: prompt.unwrap_or_default(),
            generated: generated.unwrap_or_default(),
            depth: depth.unwrap_or_default(),
            samples: Vec::new(),
            time: ["avg_ns", "stddev_ns"].map(number),
            rate: ["avg_ts", "stddev_ts"].map(number),
            model: owned("model_type"),
            backend: owned("backends").or_else(|| on.map(|name| (*name).to_owned())),
            date: owned("test_time"),
            build: owned("build_commit"),
            settings: SETTINGS
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), owned(name)?)))
                .collect(),
        });
        Ok(())
    })?;
    Ok(tests)
}

/// Whether a text holds the printed table.
pub(super) fn is_markdown(text: &str) -> bool {
    text.lines().any(|line| header(line).is_some())
}

/// The cells of a header of the printed table.
fn header(line: &str) -> Option<Vec<&str>> {
    let cells = cells(line)?;
    ["model", "test", "t/s"].iter().all(|name| cells.contains(name)).then_some(cells)
}

fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

/// The tests of the printed table: a model, a few settings, the name of the test, `mean ± spread`.
pub(super) fn markdown(text: &str) -> Vec<Test> {
    let mut tests = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut build = None;
    for line in text.lines() {
        if let Some(found) = header(line) {
            names = found;
        } else if let Some(cells) = cells(line) {
            tests.extend(row(&names, &cells));
        } else if let Some(words) = line.trim().strip_prefix("build:") {
            build = words.split_whitespace().next().map(str::to_owned);
        }
    }
    for test in &mut tests {
        test.build.clone_from(&build);
    }
    tests
}

fn row(names: &[&str], cells: &[&str]) -> Option<Test> {
    let cell = |name: &str| {
        let at = names.iter().position(|other| *other == name)?;
        cells.get(at).copied().filter(|cell| !cell.is_empty())
    };
    let mut test = kind(cell("test")?)?;
    let rate = cell("t/s")?;
    let (mean, spread) = rate.split_once('±').unwrap_or((rate, ""));
    let number = |text: &str| text.trim().parse().ok().filter(|n: &f64| n.is_finite());
    test.rate = [Some(number(mean)?), number(spread)];
    test.model = cell("model").map(str::to_owned);
    test.backend = cell("backend").map(str::to_owned);
    let placed = ["model", "backend", "test", "t/s"];
    test.settings = names
        .iter()
        .zip(cells)
        .filter(|(name, cell)| !placed.contains(*name) && !cell.is_empty())
        .map(|(name, cell)| ((*name).to_owned(), (*cell).to_owned()))
        .collect();
    Some(test)
}

/// Counts out of a name such as `pp512+tg128 @ d4096`; older ones print `pp 512`.
fn kind(name: &str) -> Option<Test> {
    let (parts, depth) = name.split_once('@').unwrap_or((name, ""));
    let count = |text: &str, prefix: &str| -> Option<f64> {
        text.trim().strip_prefix(prefix)?.trim().parse::<u32>().ok().map(f64::from)
    };
    let mut test = Test { depth: count(depth, "d").unwrap_or_default(), ..Test::default() };
    for part in parts.split('+') {
        if let Some(prompt) = count(part, "pp") {
            test.prompt = prompt;
        } else if let Some(generated) = count(part, "tg") {
            test.generated = generated;
        } else {
            return None;
        }
    }
    (test.prompt + test.generated > 0.0).then_some(test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests() {
        let counts = |name| kind(name).map(|t| (t.prompt, t.generated, t.depth));
        assert_eq!(counts("pp512"), Some((512.0, 0.0, 0.0)));
        assert_eq!(counts("tg128 @ d4096"), Some((0.0, 128.0, 4096.0)));
        assert_eq!(counts("pp512+tg128"), Some((512.0, 128.0, 0.0)));
        assert_eq!(counts("tg 128"), Some((0.0, 128.0, 0.0)));
        assert_eq!(counts("-----: "), None);
    }

    #[test]
    fn a_table_between_other_lines() {
        let text = "ggml_cuda_init: found 1 device\n| model | backend | ngl | test | t/s |\n\
                    | --- | --- | --: | --: | --: |\n| made 1B Q8_0 | CUDA | 99 | pp512 | 2400.41 ± 12.33 |\n\
                    | made 1B Q8_0 | CUDA | 99 | tg128 | 51.20 ± 0.00 |\n\nbuild: b0a1c2 (3322)\n";
        assert!(is_markdown(text));
        let tests = markdown(text);
        assert_eq!(tests.len(), 2);
        assert_eq!(tests[0].rate, [Some(2400.41), Some(12.33)]);
        assert_eq!(tests[1].build.as_deref(), Some("b0a1c2"));
        assert_eq!(tests[1].settings, [("ngl".to_owned(), "99".to_owned())]);
        assert!(!is_markdown("| model | speed |\n"));
    }
}
