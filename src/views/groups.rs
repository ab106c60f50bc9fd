//! Which runs belong together: the loads of one sweep.

use super::labels::{distinct_curves, load_value};
use crate::model::{Metric, Part, RequestRate, Run};

/// Runs that belong together, or one run alone.
#[derive(Debug, Clone, PartialEq)]
pub struct RunGroup {
    /// Indices into the runs given, sorted by load in a sweep.
    pub members: Vec<usize>,
    /// What was varied, if this is a sweep.
    pub varied: Option<Varied>,
    /// Whether these are the same measurement made again. They are shown each, never averaged.
    pub repeats: bool,
    /// The reader's name for it, where the reader put it together.
    pub chosen: Option<String>,
}

/// What a sweep varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varied {
    /// The request rate asked for.
    Rate,
    /// The most requests in flight that the client allowed.
    Concurrency,
}

/// Puts runs into groups, in the order in which the first of each came.
///
/// Two runs are loads of one sweep when tool, version, model, endpoint, dataset, folder and words in
/// the settings agree, mean lengths are within 15 %, and the loads differ. Digits inside settings are
/// not compared, since people number their points (`rate04`, `point=4`). Neither is the load in the
/// name of the innermost folder, nor the number of a repeat: AIPerf writes each run into a folder of
/// its own (`rate04/`, `run2/`). Runs that agree in all of this and in the load are repeats. A group that the reader chose holds whatever the reader put into it.
pub fn groups(runs: &[&Run]) -> Vec<RunGroup> {
    let mut families: Vec<(Family, Vec<usize>)> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let family = Family::of(run);
        match families.iter_mut().find(|(other, _)| other.accepts(&family)) {
            Some((_, members)) => members.push(at),
            None => families.push((family, vec![at])),
        }
    }
    families
        .into_iter()
        .map(|(_, members)| members)
        .flat_map(|members| match chosen(runs, &members) {
            Some(name) => vec![in_group(runs, members, name)],
            None => by_knob(runs, members).into_iter().flat_map(|m| split(runs, m)).collect(),
        })
        .collect()
}

/// Whether a run holds all stages of a sweep together, while the stages stand beside it as runs of their own:
/// it has no load, and on a curve it would be told twice.
pub fn holds_all_stages(run: &Run, runs: &[Run]) -> bool {
    let folder =
        |run: &Run| run.provenance.file.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let whole = matches!(run.provenance.part, Part::Requests | Part::Summary)
        && run.load.request_rate.is_none()
        && run.load.max_concurrency.is_none();
    let stage = |other: &&Run| {
        other.provenance.part == Part::Stage
            && other.tool == run.tool
            && folder(other) == folder(run)
    };
    whole && runs.iter().filter(stage).count() > 1
}

/// The names of groups as lines of a chart, each with the first of its runs: the reader's name, the tool
/// of a sweep, or the name of a run alone. Namesakes are told apart.
pub fn curve_names(groups: &[(&RunGroup, &Run)]) -> Vec<String> {
    let name = |(group, first): &(&RunGroup, &Run)| match (&group.chosen, group.varied) {
        (Some(name), _) => name.clone(),
        (None, Some(_)) => first.tool.name().to_owned(),
        (None, None) => first.name.clone(),
    };
    let first: Vec<&Run> = groups.iter().map(|(_, first)| *first).collect();
    distinct_curves(groups.iter().map(name).collect(), &first)
}

/// Runs of the same set-up and load, in sets of two and more, also within the loads of a sweep.
pub fn repeats(runs: &[&Run]) -> Vec<Vec<usize>> {
    let mut sets: Vec<(String, Vec<usize>)> = Vec::new();
    for group in groups(runs) {
        let from = sets.len();
        for at in group.members {
            let Some(measured) = runs.get(at).and_then(|run| measurement(run)) else { continue };
            match sets.iter_mut().skip(from).find(|(other, _)| *other == measured) {
                Some((_, members)) => members.push(at),
                None => sets.push((measured, vec![at])),
            }
        }
    }
    sets.into_iter().map(|(_, members)| members).filter(|members| members.len() > 1).collect()
}

/// Parts a sweep of rates from a sweep of caps under an unlimited rate: one line through both would
/// go to and fro. A single unlimited run is the end of the sweep of rates.
fn by_knob(runs: &[&Run], members: Vec<usize>) -> Vec<Vec<usize>> {
    let capped = |at: &usize| {
        runs.get(*at).is_some_and(|run| {
            run.load.request_rate == Some(RequestRate::Unlimited)
                && run.load.max_concurrency.is_some()
        })
    };
    let (caps, rates): (Vec<usize>, Vec<usize>) = members.iter().partition(|at| capped(at));
    if caps.len() < 2 || rates.len() < 2 { vec![members] } else { vec![rates, caps] }
}

/// The name that the reader gave to the group of these, if it is one. An empty name keeps a run alone.
fn chosen<'r>(runs: &[&'r Run], members: &[usize]) -> Option<&'r str> {
    runs.get(*members.first()?)?.group.as_deref()
}

fn in_group(runs: &[&Run], members: Vec<usize>, name: &str) -> RunGroup {
    let chosen = (!name.is_empty()).then(|| name.to_owned());
    match sweep(runs, members) {
        Ok(group) => RunGroup { chosen, ..group },
        Err(members) => RunGroup { members, varied: None, repeats: false, chosen },
    }
}

/// A family in which no load differs is no sweep: repeats of one measurement stay together, and the
/// rest stand alone.
fn split(runs: &[&Run], members: Vec<usize>) -> Vec<RunGroup> {
    let members = match sweep(runs, members) {
        Ok(group) => return vec![group],
        Err(members) => members,
    };
    let mut same: Vec<(Option<String>, Vec<usize>)> = Vec::new();
    for at in members {
        let measured = runs.get(at).and_then(|run| measurement(run));
        match same.iter_mut().find(|(other, _)| measured.is_some() && *other == measured) {
            Some((_, repeats)) => repeats.push(at),
            None => same.push((measured, vec![at])),
        }
    }
    let group = |members: Vec<usize>| RunGroup {
        repeats: members.len() > 1,
        members,
        varied: None,
        chosen: None,
    };
    same.into_iter().map(|(_, members)| group(members)).collect()
}

/// Settings that number the repeats of a measurement.
const NUMBERS_REPEATS: [&str; 6] = ["run_number", "run", "repeat", "trial", "iteration", "seed"];

/// What was measured, digits included; nothing where the load is not known, since then two files may
/// have measured anything.
fn measurement(run: &Run) -> Option<String> {
    let load = &run.load;
    (load.request_rate.is_some() || load.max_concurrency.is_some()).then(|| {
        let settings = run.workload.settings.iter();
        let settings: Vec<_> =
            settings.filter(|(name, _)| !NUMBERS_REPEATS.contains(&name.as_str())).collect();
        format!("{load:?} {settings:?}")
    })
}

/// The members as a sweep in order of load, or as they are where fewer than two loads differ.
fn sweep(runs: &[&Run], mut members: Vec<usize>) -> Result<RunGroup, Vec<usize>> {
    let load = |at: usize, varied: Varied| runs.get(at).and_then(|run| varied.load(run));
    let distinct = |varied: Varied| {
        let mut loads: Vec<f64> = members.iter().filter_map(|at| load(*at, varied)).collect();
        loads.sort_by(f64::total_cmp);
        loads.dedup();
        loads.len()
    };
    let varied = [Varied::Rate, Varied::Concurrency].into_iter().find(|v| distinct(*v) >= 2);
    match varied {
        Some(varied) => {
            members.sort_by(|a, b| {
                let key = |at: &usize| load(*at, varied).unwrap_or(f64::INFINITY);
                key(a).total_cmp(&key(b))
            });
            Ok(RunGroup { members, varied: Some(varied), repeats: false, chosen: None })
        }
        None => Err(members),
    }
}

impl Varied {
    /// The load of a run on this axis; an unlimited rate counts as infinite.
    pub fn load(self, run: &Run) -> Option<f64> {
        match self {
            Self::Rate => match run.load.request_rate? {
                RequestRate::PerSecond(rate) => Some(rate),
                RequestRate::Unlimited => Some(f64::INFINITY),
                RequestRate::Trace => None,
            },
            Self::Concurrency => run.load.max_concurrency.map(|c| c as f64),
        }
    }

    /// The load of a run in words: "12 req/s", "64 in flight", "unknown load".
    pub fn words(self, run: &Run) -> String {
        match self.load(run) {
            Some(load) => format!("{} {}", load_value(load), self.unit()),
            None => "unknown load".to_owned(),
        }
    }

    /// The unit of the load.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Rate => "req/s",
            Self::Concurrency => "in flight",
        }
    }
}

struct Family {
    words: Vec<String>,
    folder: String,
    /// The folder without the numbers that only say which point it holds, where it has such.
    numbered: Option<String>,
    lengths: [Option<f64>; 2],
}

impl Family {
    fn of(run: &Run) -> Self {
        if let Some(group) = &run.group {
            let own = if group.is_empty() { run.id.as_str() } else { group };
            let words = vec!["chosen".to_owned(), own.to_owned()];
            return Self { words, folder: String::new(), numbered: None, lengths: [None; 2] };
        }
        let folder = run.provenance.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let workload = &run.workload;
        let mut words = vec![
            run.tool.id().to_owned(),
            format!("{:?}", run.version.exact),
            format!("{:?}", run.version.guess),
            format!("{:?}", workload.model),
            format!("{:?}", workload.endpoint),
            format!("{:?}", workload.backend),
            format!("{:?}", workload.dataset),
        ];
        words.extend(workload.settings.iter().filter_map(|(name, value)| {
            let letters: String = value.chars().filter(|c| c.is_alphabetic()).collect();
            (!letters.is_empty()).then(|| format!("{name}={letters}"))
        }));
        Self {
            words,
            folder: folder.to_owned(),
            numbered: numbered(folder, run),
            lengths: mean_lengths(run),
        }
    }

    fn accepts(&self, other: &Self) -> bool {
        let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 0.15 * a.max(*b),
            _ => true,
        };
        let folders = self.folder == other.folder
            || (self.numbered.is_some() && self.numbered == other.numbered);
        folders && self.words == other.words && self.lengths.iter().zip(&other.lengths).all(near)
    }
}

/// Words before the number of a repeat in the name of a folder.
const REPEATS: [&str; 8] =
    ["run", "rep", "repeat", "trial", "iter", "iteration", "seed", "attempt"];
/// Words before a load.
const LOADS: [&str; 14] = [
    "rate",
    "qps",
    "rps",
    "req",
    "r",
    "conc",
    "concurrency",
    "c",
    "cap",
    "users",
    "user",
    "load",
    "streams",
    "inflight",
];

/// A folder with `#` in place of the numbers in its own name that are the load of the run, or that
/// number a repeat. Nothing where there is no such number.
fn numbered(folder: &str, run: &Run) -> Option<String> {
    let (parent, own) = folder.rsplit_once('/').unwrap_or(("", folder));
    let loads = [Varied::Rate, Varied::Concurrency].map(|varied| varied.load(run));
    let mut pieces = pieces(own);
    let word = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| pieces.get(at)).copied().unwrap_or_default();
        let word = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        word.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
    };
    let is_load = |at: &usize| {
        let number = pieces.get(*at).and_then(|p| p.trim_end_matches('.').parse::<f64>().ok());
        number.is_some_and(|n| loads.iter().flatten().any(|load| (load - n).abs() < 1e-9))
    };
    let same: Vec<usize> = (0..pieces.len()).filter(is_load).collect();
    // `tp4-rate4` at 4 req/s: the number after the word is the load, else the last.
    let called = same.iter().copied().find(|at| LOADS.contains(&word(*at).as_str()));
    let number =
        |at: &usize| pieces.get(*at).is_some_and(|p| p.starts_with(|c: char| c.is_ascii_digit()));
    let counts = |at: &usize| number(at) && REPEATS.contains(&word(*at).as_str());
    let masked: Vec<usize> = called
        .or(same.last().copied())
        .into_iter()
        .chain((0..pieces.len()).filter(counts))
        .collect();
    for at in &masked {
        if let Some(piece) = pieces.get_mut(*at) {
            *piece = "#";
        }
    }
    (!masked.is_empty()).then(|| format!("{parent}/{}", pieces.concat()))
}

/// A name in turns of digits (with their point) and of anything else.
fn pieces(name: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let ends = |c: char| c.is_ascii_digit() != digits && !(digits && c == '.');
        let (piece, after) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Mean input and output tokens a finished request, from the printed totals.
fn mean_lengths(run: &Run) -> [Option<f64>; 2] {
    let finished = run.reported.value(Metric::Completed).filter(|n| *n > 0.0);
    [Metric::TotalInputTokens, Metric::TotalOutputTokens]
        .map(|total| Some(run.reported.value(total)? / finished?))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::{Digest, Provenance, ReportedValue, Stat, Tool};

    /// A run with a load and mean lengths, for tests of views.
    pub(in crate::views) fn run(file: &str, rate: RequestRate, output: f64) -> Run {
        let sha256 = Digest::of(format!("{file}{rate:?}").as_bytes());
        let value = |metric: Metric, value: f64| ReportedValue {
            field: metric.id().into(),
            metric,
            stat: Stat::Value,
            value,
            scale: 1.0,
        };
        let provenance = Provenance::new(file, 1, sha256, "vllm-bench", "");
        let mut run = Run::new(Tool::Vllm, "vLLM", provenance);
        run.load.request_rate = Some(rate);
        run.workload.model = Some("m".into());
        let tag = format!("{rate:?}").replace("Unlimited", "");
        run.workload.settings.push(("tag".into(), tag));
        run.reported.values = vec![
            value(Metric::Completed, 10.0),
            value(Metric::TotalInputTokens, 640.0),
            value(Metric::TotalOutputTokens, output * 10.0),
        ];
        run
    }

    #[test]
    fn a_sweep_of_caps_is_not_joined_to_a_sweep_of_rates() {
        let plain = |file: String, rate| {
            let mut run = run(&file, rate, 32.0);
            run.workload.settings.clear();
            run
        };
        let capped = |cap| {
            let mut run = plain(format!("a/cap{cap}.json"), RequestRate::Unlimited);
            run.load.max_concurrency = Some(cap);
            run
        };
        let rated = |rate: f64| plain(format!("a/rate{rate}.json"), RequestRate::PerSecond(rate));
        let runs = [rated(8.0), capped(16), rated(4.0), capped(2)];
        let found = groups(&runs.iter().collect::<Vec<_>>());
        let members: Vec<_> = found.iter().map(|g| (g.members.clone(), g.varied)).collect();
        assert_eq!(
            members,
            [(vec![2, 0], Some(Varied::Rate)), (vec![3, 1], Some(Varied::Concurrency)),]
        );
        let end = [rated(8.0), rated(4.0), capped(16)];
        let found = groups(&end.iter().collect::<Vec<_>>());
        assert_eq!(found.len(), 1, "one unlimited run ends the sweep of rates");
    }

    #[test]
    fn loads_of_one_sweep_are_one_group_sorted_by_load() {
        let runs = [
            run("a/rate16.json", RequestRate::PerSecond(16.0), 32.0),
            run("a/rate04.json", RequestRate::PerSecond(4.0), 31.0),
            run("b/run.json", RequestRate::PerSecond(8.0), 32.0),
            run("a/run.json", RequestRate::PerSecond(8.0), 48.0),
        ];
        let found = groups(&runs.iter().collect::<Vec<_>>());
        let members: Vec<_> = found.iter().map(|g| g.members.clone()).collect();
        assert_eq!(members, [vec![1, 0], vec![2], vec![3]]);
        assert_eq!(found[0].varied, Some(Varied::Rate));
        assert_eq!(found[1].varied, None);
    }

    #[test]
    fn one_folder_a_load_is_one_sweep() {
        let rate = |folder: &str, rate: f64| {
            let file = format!("{folder}/profile_export.jsonl");
            run(&file, RequestRate::PerSecond(rate), 32.0)
        };
        let runs = vec![
            rate("x/rate04", 4.0),
            rate("x/rate08", 8.0),
            rate("y/rate04", 4.0),
            rate("x/other04", 4.0),
            rate("z/tp2-rate4", 4.0),
            rate("z/tp4-rate4", 4.0),
            rate("z/tp2-rate8", 8.0),
            rate("z/tp4-rate8", 8.0),
            rate("w/run1", 4.0),
            rate("w/run2", 4.0),
        ];
        let found = groups(&runs.iter().collect::<Vec<_>>());
        let members: Vec<_> = found.iter().map(|g| g.members.clone()).collect();
        assert_eq!(
            members,
            [vec![0, 1], vec![2], vec![3], vec![4, 6], vec![5, 7], vec![8, 9]],
            "by parent and by the words around the load"
        );
        assert!(found[5].repeats);
    }

    #[test]
    fn repeats_of_one_load_are_a_group_and_not_a_sweep() {
        let runs = [
            run("a/1.json", RequestRate::PerSecond(8.0), 32.0),
            run("a/2.json", RequestRate::PerSecond(8.0), 32.0),
            run("b/3.json", RequestRate::PerSecond(8.0), 32.0),
        ];
        let found = groups(&runs.iter().collect::<Vec<_>>());
        let seen: Vec<_> = found.iter().map(|g| (g.members.clone(), g.repeats, g.varied)).collect();
        assert_eq!(seen, [(vec![0, 1], true, None), (vec![2], false, None)]);
    }

    #[test]
    fn a_sweep_made_twice_keeps_both_runs_of_each_load() {
        let rates = [4.0, 8.0, 4.0, 8.0];
        let runs = [0, 1, 2, 3]
            .map(|at| run(&format!("a/{at}.json"), RequestRate::PerSecond(rates[at]), 32.0));
        let found = groups(&runs.iter().collect::<Vec<_>>());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].members, [0, 2, 1, 3]);
    }

    #[test]
    fn the_reader_s_group_holds_what_the_reader_put_into_it() {
        let mut runs = [
            run("a/1.json", RequestRate::PerSecond(8.0), 32.0),
            run("b/2.json", RequestRate::PerSecond(16.0), 64.0),
            run("b/3.json", RequestRate::PerSecond(4.0), 64.0),
        ];
        runs[0].group = Some("mine".into());
        runs[1].group = Some("mine".into());
        let found = groups(&runs.iter().collect::<Vec<_>>());
        let seen: Vec<_> = found.iter().map(|g| (g.members.clone(), g.chosen.clone())).collect();
        assert_eq!(seen, [(vec![0, 1], Some("mine".to_owned())), (vec![2], None)]);
        assert_eq!(found[0].varied, Some(Varied::Rate));
        runs[0].group = Some(String::new());
        runs[1].group = Some(String::new());
        let found = groups(&runs.iter().collect::<Vec<_>>());
        assert_eq!(found.len(), 3, "an empty name keeps each alone");
    }
}
