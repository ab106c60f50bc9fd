//! Words for a run: its load, its version, its place in the palette.

use super::groups::{RunGroup, groups};
use crate::metrics::own;
use crate::model::{Load, RequestRate, Run, RunId};
use crate::units::significant;
use std::collections::{BTreeMap, BTreeSet};

/// Says how the load was offered: "8 req/s Poisson", "unlimited, at most 64 in flight".
pub(super) fn load(load: &Load) -> String {
    let rate = match load.request_rate {
        Some(RequestRate::PerSecond(rate)) => {
            Some(format!("{} req/s{}", trimmed(rate), arrivals(load)))
        }
        Some(RequestRate::Unlimited) => Some("unlimited rate".to_owned()),
        Some(RequestRate::Trace) => Some("replayed trace".to_owned()),
        None => None,
    };
    let cap = load.max_concurrency.map(|cap| format!("at most {cap} in flight"));
    match (rate, cap) {
        (Some(rate), Some(cap)) => format!("{rate}, {cap}"),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => "not recorded".to_owned(),
    }
}

/// The names of runs that stand side by side. Runs of one name are told apart by their load, by load
/// and model, by their file, else by number.
pub(super) fn distinct_names(runs: &[&Run]) -> Vec<String> {
    let names = runs.iter().map(|run| run.name.clone()).collect();
    told_apart(names, runs, ", ", &[short_load, load_and_model, file_name])
}

/// The names of runs that are explained: those of one name are told apart by their file, by its folder, by their
/// place in the file, else by number.
pub fn by_file(runs: &[&Run]) -> Vec<String> {
    let names = runs.iter().map(|run| run.name.clone()).collect();
    told_apart(names, runs, ", ", &[file_name, folder_and_file, whole_file, place_in_file])
}

/// The names of curves, each with the first of its runs. Those of one name are told apart by endpoint,
/// by model, by folder, by file, else by number.
pub(super) fn distinct_curves(names: Vec<String>, first: &[&Run]) -> Vec<String> {
    told_apart(names, first, " ", &[endpoint, model, folder, file_name])
}

/// The headings of groups, each with the first of its runs. Those of one heading are told apart by
/// version, by folder, by file, else by number.
pub(super) fn distinct_groups(heads: Vec<String>, first: &[&Run]) -> Vec<String> {
    told_apart(heads, first, " · ", &[version_if_known, folder, whole_folder, file_name])
}

/// Adds to namesakes the first word that differs between all of them, else a number.
fn told_apart(
    names: Vec<String>,
    runs: &[&Run],
    joint: &str,
    words: &[fn(&Run) -> String],
) -> Vec<String> {
    let told = |(at, (name, run)): (usize, (&String, &&Run))| {
        let namesakes: Vec<(usize, &&Run)> =
            runs.iter().enumerate().filter(|(other, _)| names.get(*other) == Some(name)).collect();
        if namesakes.len() < 2 {
            return name.clone();
        }
        let differs = |word: &&fn(&Run) -> String| {
            let all: BTreeSet<String> = namesakes.iter().map(|(_, run)| word(run)).collect();
            all.len() == namesakes.len() && !all.contains("")
        };
        let word = words.iter().find(differs).map_or_else(
            || {
                let place = namesakes.iter().position(|(other, _)| *other == at).unwrap_or(0);
                format!("no. {}", place + 1)
            },
            |word| word(run),
        );
        format!("{name}{joint}{word}")
    };
    names.iter().zip(runs).enumerate().map(told).collect()
}

fn model(run: &Run) -> String {
    run.workload.model.clone().unwrap_or_default()
}

fn endpoint(run: &Run) -> String {
    run.workload.endpoint.clone().unwrap_or_default()
}

fn folder(run: &Run) -> String {
    let folder = run.provenance.file.rsplit_once('/').map(|(folder, _)| folder);
    folder.and_then(|folder| folder.rsplit('/').next()).unwrap_or_default().to_owned()
}

fn whole_folder(run: &Run) -> String {
    run.provenance.file.rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned())
}

fn folder_and_file(run: &Run) -> String {
    [folder(run), file_name(run)].join("/")
}

fn whole_file(run: &Run) -> String {
    run.provenance.file.clone()
}

fn place_in_file(run: &Run) -> String {
    format!("{} #{}", file_name(run), run.provenance.index + 1)
}

fn version_if_known(run: &Run) -> String {
    let known = run.version.exact.is_some() || run.version.guess.is_some();
    if known { version(run) } else { String::new() }
}

fn load_and_model(run: &Run) -> String {
    [short_load(run), model(run)].join(", ")
}

fn short_load(run: &Run) -> String {
    load(&run.load).replace(" Poisson", "")
}

fn file_name(run: &Run) -> String {
    run.provenance.file.rsplit('/').next().unwrap_or_default().to_owned()
}

fn arrivals(load: &Load) -> &'static str {
    match load.burstiness {
        Some(shape) if (shape - 1.0).abs() < f64::EPSILON => " Poisson",
        _ => "",
    }
}

/// The load as one short number for a point of a curve: "8", "64", "∞".
pub(super) fn load_value(value: f64) -> String {
    if value.is_infinite() { "∞".to_owned() } else { trimmed(value) }
}

/// A number with up to four digits and no trailing zeros: 8, 0.5, 12.25.
pub(super) fn trimmed(value: f64) -> String {
    let text = significant(value, 4);
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Says the tool's version and endpoint: "0.5.23 · /generate", "about 0.27 to 0.33 · chat".
pub fn version(run: &Run) -> String {
    let version = match (&run.version.exact, &run.version.guess) {
        (Some(exact), _) => Some(exact.clone()),
        (None, Some(guess)) => Some(format!("about {guess}")),
        (None, None) => None,
    };
    let parts: Vec<String> = version.into_iter().chain(run.workload.endpoint.clone()).collect();
    if parts.is_empty() { "version not recorded".to_owned() } else { parts.join(" · ") }
}

/// As [`version`], marked where that version lies outside of those whose ruler was read: "0.40 · chat ·
/// as vLLM ~".
pub(super) fn version_and_doubt(run: &Run) -> String {
    let own = own(run);
    let doubt = own.outside.map_or_else(String::new, |_| format!(" · {}", own.stamp()));
    version(run) + &doubt
}

/// Palette index of each run: one a group, since a sweep is one line on every chart.
#[derive(Debug, Clone, Default)]
pub(super) struct Styles(BTreeMap<RunId, usize>);

impl Styles {
    /// Numbers the groups in the order in which they came, but for those whose number is said. Taken over
    /// all runs of the session, so a run keeps its colour and marker whatever is selected.
    pub(super) fn of(runs: &[&Run]) -> Self {
        Self::of_groups(runs, &groups(runs))
    }

    /// The same from groups that are known.
    pub(super) fn of_groups(runs: &[&Run], groups: &[RunGroup]) -> Self {
        let mut styles = BTreeMap::new();
        let mut taken = BTreeSet::new();
        let said: Vec<Option<usize>> = groups
            .iter()
            .map(|group| {
                let marks = group.members.iter().filter_map(|at| runs.get(*at)?.said_mark);
                // Two groups may have been one.
                marks.map(usize::from).next().filter(|mark| taken.insert(*mark))
            })
            .collect();
        let mut free = (0..).filter(|style| !taken.contains(style));
        for (group, said) in groups.iter().zip(said) {
            let style = said.or_else(|| free.next()).unwrap_or_default();
            for run in group.members.iter().filter_map(|at| runs.get(*at)) {
                styles.insert(run.id.clone(), style);
            }
        }
        Self(styles)
    }

    /// The index of a run.
    pub(super) fn get(&self, id: &RunId) -> usize {
        self.0.get(id).copied().unwrap_or(0)
    }
}

/// The letter of a column, counted from 0: A to Z, then AA.
pub fn letter(column: usize) -> String {
    let last = char::from(b'A' + (column % 26) as u8);
    match column / 26 {
        0 => last.to_string(),
        above => format!("{}{last}", letter(above - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_that_is_said_is_kept_and_the_others_take_what_is_free() {
        use crate::model::RequestRate::PerSecond;
        use crate::views::groups::tests::run;
        let of = |file: &str, model: &str, said_mark| {
            let mut run = run(file, PerSecond(4.0), 40.0);
            run.workload.model = Some(model.to_owned());
            Run { said_mark, ..run }
        };
        let runs = [
            of("a.json", "one", None),
            of("b.json", "two", Some(0)),
            of("c.json", "three", None),
            of("d.json", "four", Some(2)),
            of("e.json", "five", Some(2)),
        ];
        let runs: Vec<&Run> = runs.iter().collect();
        let styles = Styles::of(&runs);
        let marks: Vec<usize> = runs.iter().map(|run| styles.get(&run.id)).collect();
        assert_eq!(marks, [1, 0, 3, 2, 4]);
    }

    #[test]
    fn namesakes_are_told_apart_by_the_first_word_that_differs() {
        use crate::views::groups::tests::run;
        let rate = |rate| RequestRate::PerSecond(rate);
        let of = |model: &str, mut run: Run| {
            run.workload.model = Some(model.to_owned());
            run
        };
        let (slow, fast) = (run("x/a.json", rate(4.0), 40.0), run("x/b.json", rate(8.0), 40.0));
        let name = slow.name.clone();
        assert_eq!(
            distinct_names(&[&slow, &fast]),
            [format!("{name}, 4 req/s"), format!("{name}, 8 req/s")]
        );
        let (big_slow, small_slow) = (of("big", slow.clone()), of("small", slow.clone()));
        let (big_fast, small_fast) = (of("big", fast.clone()), of("small", fast.clone()));
        assert_eq!(
            distinct_names(&[&big_slow, &small_slow, &big_fast, &small_fast]),
            ["4 req/s, big", "4 req/s, small", "8 req/s, big", "8 req/s, small"]
                .map(|word| format!("{name}, {word}"))
        );
        assert_eq!(
            distinct_curves(vec![name.clone(), name.clone()], &[&big_slow, &small_fast]),
            [format!("{name} big"), format!("{name} small")]
        );
        let twice = distinct_names(&[&slow, &slow]);
        assert_eq!(twice, [format!("{name}, no. 1"), format!("{name}, no. 2")]);
    }

    #[test]
    fn loads_are_said_in_words() {
        let rate = |request_rate, burstiness, max_concurrency| {
            load(&Load { request_rate, burstiness, max_concurrency, ..Load::default() })
        };
        assert_eq!(rate(Some(RequestRate::PerSecond(8.0)), Some(1.0), None), "8 req/s Poisson");
        assert_eq!(
            rate(Some(RequestRate::Unlimited), None, Some(64)),
            "unlimited rate, at most 64 in flight"
        );
        assert_eq!(rate(None, None, None), "not recorded");
        assert_eq!(trimmed(12.25), "12.25");
        assert_eq!(trimmed(1000.0), "1,000");
    }

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 1, 25, 26, 27, 52].map(letter), ["A", "B", "Z", "AA", "AB", "BA"]);
    }
}
