//! The screen's sentences.

use super::Counts;
use crate::checks::QUESTIONS;
use crate::model::Run;
use crate::views::numbers::count;

const NUMBERS: [&str; 13] = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// A small number as a word: "six", "14".
fn word(number: usize) -> String {
    NUMBERS.get(number).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// "two findings", "one finding".
fn findings(number: usize) -> String {
    format!("{} finding{}", word(number), if number == 1 { "" } else { "s" })
}

/// "both runs", "all six runs", "four of six runs".
pub(super) fn several(these: usize, of: usize) -> String {
    match (these, of) {
        (2, 2) => "both runs".to_owned(),
        (these, of) if these == of => format!("all {} runs", word(of)),
        (these, of) => format!("{} of {} runs", word(these), word(of)),
    }
}

/// "Two findings block a comparison, three ask for care".
pub(super) fn headline(counts: Counts, listed: usize, muted: usize, runs: usize) -> String {
    let s = |number: usize| if number == 1 { "s" } else { "" };
    let blocked =
        || format!("{} block{} a comparison", capital(&findings(counts.block)), s(counts.block));
    match (counts.block, counts.warn) {
        _ if runs == 0 => "No run to check".to_owned(),
        (0, 0) if listed == 0 && muted == 0 => {
            format!("{} passed", count(counts.passed, "check"))
        }
        (0, 0) if counts.settled > 0 => "Every finding is settled".to_owned(),
        (0, 0) if counts.note > 0 => {
            let things = if counts.note == 1 { "thing" } else { "things" };
            format!("Nothing blocks a comparison, {} {things} to know", word(counts.note))
        }
        (0, 0) => "Nothing asks for care".to_owned(),
        (_, 0) => blocked(),
        (0, warn) => format!("{} ask{} for care", capital(&findings(warn)), s(warn)),
        (_, warn) => format!("{}, {} ask{} for care", blocked(), word(warn), s(warn)),
    }
}

/// "41 checks on six runs and 11 between them: what each found, …"
pub(super) fn subline(
    checks: usize,
    runs: usize,
    compared: usize,
    left_out: Option<&str>,
) -> String {
    let noun = if runs == 1 { "run" } else { "runs" };
    let more = match compared {
        0 | 1 => String::new(),
        _ => format!(" and {} between them", QUESTIONS.len()),
    };
    let looked = format!(
        "{} on {} {noun}{more}: what each found, in which rows, and what that does to the numbers.",
        count(checks, "check"),
        word(runs)
    );
    let rest = left_out.unwrap_or("Nothing is excluded until you say so.");
    format!("{looked} {rest}")
}

/// The runs' file names; with the folder above where two files share a name.
pub(super) fn files(runs: &[&Run]) -> Vec<String> {
    let last = |run: &Run, parts: usize| {
        let path: Vec<&str> = run.provenance.file.split('/').collect();
        path.iter().skip(path.len().saturating_sub(parts)).copied().collect::<Vec<_>>().join("/")
    };
    let short: Vec<String> = runs.iter().map(|run| last(run, 1)).collect();
    runs.iter()
        .zip(&short)
        .map(|(run, name)| {
            let shared = |(other, file): (&&Run, &String)| {
                file == name && other.provenance.file != run.provenance.file
            };
            if runs.iter().zip(&short).any(shared) { last(run, 2) } else { name.clone() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_counts_what_is_open() {
        let counts = |block, warn, note, settled| Counts { block, warn, note, settled, passed: 34 };
        let said = |counts: Counts| {
            let listed = counts.open() + counts.note + counts.settled;
            headline(counts, listed, 0, 6)
        };
        assert_eq!(said(counts(2, 3, 2, 0)), "Two findings block a comparison, three ask for care");
        assert_eq!(said(counts(1, 1, 0, 0)), "One finding blocks a comparison, one asks for care");
        assert_eq!(said(counts(1, 0, 0, 0)), "One finding blocks a comparison");
        assert_eq!(said(counts(0, 14, 0, 0)), "14 findings ask for care");
        assert_eq!(said(counts(0, 0, 2, 0)), "Nothing blocks a comparison, two things to know");
        assert_eq!(said(counts(0, 0, 0, 1)), "Every finding is settled");
        assert_eq!(said(counts(0, 0, 0, 0)), "34 checks passed");
        assert_eq!(headline(counts(0, 0, 0, 0), 0, 2, 6), "Nothing asks for care");
        assert_eq!(headline(Counts::default(), 0, 0, 0), "No run to check");
    }

    #[test]
    fn runs_are_counted_in_words() {
        assert_eq!(
            [several(2, 2), several(6, 6), several(4, 14)],
            ["both runs", "all six runs", "four of 14 runs"]
        );
    }
}
