//! The Library: what is loaded, what each thing is.

use super::Context;
use super::dumps::{self, ServerRow};
use super::groups::{RunGroup, Varied, groups};
use super::labels::{self, Styles};
use super::measure::{left_out_rows, measure};
use super::numbers::count;
use super::places::places;
use super::quality;
use super::repeats;
use crate::model::{EndRule, Metric, Outcome, Piece, Run, RunId, ServerDump, Stat};
use crate::units::{bytes, fixed, significant};
use serde::{Deserialize, Serialize};

/// Everything that is loaded, in groups.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LibraryView {
    /// "11 runs from 3 files, grouped by what was measured".
    pub summary: String,
    /// Sweeps and single runs in the order in which they came.
    pub groups: Vec<Group>,
    /// What servers said of themselves, in the order in which it came. No runs.
    #[serde(default)]
    pub servers: Vec<ServerRow>,
    /// "3.1 MB": numbers held in memory.
    pub held: String,
    /// How many findings of the selected runs, or of all when none is selected, ask for a decision.
    pub open: usize,
}

/// Runs that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Stable id of the group, from its runs.
    pub id: String,
    /// Heading, such as `vLLM · mock-model`.
    pub title: String,
    /// "6 loads, 4 to 26 req/s".
    pub subtitle: String,
    /// Whether the runs are loads of one sweep, which can be drawn as a curve.
    pub sweep: bool,
    /// Whether the reader put it together.
    pub chosen: bool,
    /// Whether only its heading is shown at first.
    pub folded: bool,
    /// "Goodput peaks at 12 req/s", when limits are set and the runs are a sweep.
    pub finding: Option<String>,
    /// Throughput and goodput by load, for a small line beside the row: both from 0 to 1.
    pub spark: Vec<SparkPoint>,
    /// The runs, sorted by load in a sweep.
    pub rows: Vec<RunRow>,
}

/// One load of a sweep's spark line.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SparkPoint {
    /// Position of the load from 0 to 1.
    pub x: f64,
    /// Request throughput from 0 to 1 of the larger maximum.
    pub throughput: f64,
    /// Goodput from 0 to 1 of the larger maximum; missing when it can't be had.
    pub goodput: Option<f64>,
}

/// One run in the Library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// The run.
    pub id: RunId,
    /// Palette index of its colour and marker.
    pub style: usize,
    /// Editable name.
    pub name: String,
    /// "0.5.23" or "about 0.33 · chat".
    pub version: String,
    /// The model that was served, if the file says.
    pub model: String,
    /// File name with folders.
    pub file: String,
    /// The other files of the run, which were joined to it.
    pub pieces: Vec<Piece>,
    /// What it holds, in the order of [`CONTENT`].
    pub has: [bool; 4],
    /// Requests sent.
    pub sent: String,
    /// "8 req/s Poisson", "unlimited, at most 64 in flight".
    pub load: String,
    /// With its unit.
    pub duration: String,
    /// With its unit.
    pub size: String,
    /// The group that the reader put it into.
    pub group: Option<String>,
    /// First 8 digits of the file's digest.
    pub hash: String,
    /// The most important thing to know, short.
    pub note: Option<String>,
    /// Findings that ask for a decision: open, and of severity warn or block.
    pub warnings: usize,
    /// Requests that the reader left out.
    pub left_out: usize,
    /// Whether the server was scripted, not a model.
    pub scripted: bool,
}

/// Column heads of [`RunRow::has`], each with what it means.
pub const CONTENT: [(&str, &str); 4] = [
    ("Totals", "aggregates as the tool printed them"),
    ("Reqs", "one row a request: TTFT, lengths"),
    ("Chunks", "the gaps between stream events"),
    ("Clock", "send times, so that windows and in-flight counts can be had"),
];

/// Builds the screen over all runs. Limits of the context give sweeps their goodput.
pub fn library(all: &[&Run], dumps: &[&ServerDump], context: &Context) -> LibraryView {
    let found = groups(all);
    let styles = Styles::of_groups(all, &found);
    let joined = all.iter().flat_map(|run| &run.provenance.joined);
    let mut files: Vec<&str> = all
        .iter()
        .map(|run| run.provenance.file.as_str())
        .chain(joined.map(|piece| piece.file.as_str()))
        .collect();
    files.sort_unstable();
    files.dedup();
    let mut read: Vec<&str> = all.iter().map(|run| run.provenance.file.as_str()).collect();
    read.sort_unstable();
    read.dedup();
    let joined = files.len() - read.len();
    let mut groups = grouped(all, &found, context, &styles);
    tell_apart(&mut groups, all);
    fold(&mut groups);
    for row in groups.iter_mut().flat_map(|group| &mut group.rows) {
        if let Some(run) = all.iter().find(|run| run.id == row.id) {
            row.warnings = quality::open_of(run, context);
            row.left_out = left_out_rows(run, context).len();
        }
    }
    let values: usize = dumps.iter().map(|dump| dump.points()).sum();
    let held = all.iter().map(|run| held_bytes(run)).sum::<usize>() + BYTES_OF_POINT * values;
    let joined = match joined {
        0 => String::new(),
        1 => ", 1 of them joined to another".to_owned(),
        n => format!(", {} of them joined to another", fixed(n as f64, 0)),
    };
    let beside = match dumps.len() {
        0 => String::new(),
        1 => "1 file of server metrics".to_owned(),
        n => format!("{} files of server metrics", fixed(n as f64, 0)),
    };
    let runs = format!(
        "{} from {}{joined}, grouped by what was measured",
        count(all.len(), "run"),
        count(files.len(), "file")
    );
    LibraryView {
        summary: match (all.len(), dumps.len()) {
            (0, 1..) => format!("{beside} and no run"),
            (_, 0) => runs,
            _ => format!("{runs}; {beside}"),
        },
        servers: dumps::rows(dumps),
        groups,
        held: bytes(held as u64),
        open: quality::open(all, context),
    }
}

/// Sweeps, repeats and the reader's groups as they were found, and the other runs by where they came
/// from; in the order in which the first run of each came.
fn grouped(all: &[&Run], found: &[RunGroup], context: &Context, styles: &Styles) -> Vec<Group> {
    let alone =
        |group: &&RunGroup| group.varied.is_none() && !group.repeats && group.chosen.is_none();
    let of = |members: &[usize]| -> Vec<&Run> {
        members.iter().filter_map(|at| all.get(*at).copied()).collect()
    };
    let singles: Vec<usize> = found.iter().filter(alone).flat_map(|g| g.members.clone()).collect();
    let paths: Vec<&str> =
        of(&singles).into_iter().map(|run| run.provenance.file.as_str()).collect();
    let mut groups: Vec<(Option<usize>, Group)> = found
        .iter()
        .filter(|found| !alone(found))
        .map(|found| {
            let first = found.members.iter().min().copied();
            (first, group(&of(&found.members), found, context, styles))
        })
        .collect();
    for place in places(&paths) {
        let members: Vec<usize> =
            place.members.iter().filter_map(|at| singles.get(*at).copied()).collect();
        groups.push((members.first().copied(), gathered(&of(&members), &place.path, styles)));
    }
    groups.sort_by_key(|(first, _)| *first);
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Runs of one folder or file, or one that stands alone under its name.
fn gathered(runs: &[&Run], path: &str, styles: &Styles) -> Group {
    let first = runs.first();
    let title = match first {
        Some(run) if path.is_empty() => run.name.clone(),
        _ => path.rsplit('/').next().unwrap_or(path).to_owned(),
    };
    let mut words: Vec<String> = Vec::new();
    if !path.is_empty() {
        words.extend([count(runs.len(), "run"), few(runs.iter().map(|run| run.tool.name()))]);
    }
    words.push(few(runs.iter().filter_map(|run| run.workload.model.as_deref())));
    words.retain(|word| !word.is_empty());
    Group {
        id: first.map_or_else(String::new, |run| run.id.as_str().to_owned()),
        title,
        subtitle: words.join(" · "),
        sweep: false,
        chosen: false,
        folded: false,
        finding: None,
        spark: Vec::new(),
        rows: runs.iter().map(|run| row(run, styles.get(&run.id))).collect(),
    }
}

/// The different words, at most two by name: "AIPerf, vLLM and 3 more".
fn few<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut different: Vec<&str> = Vec::new();
    for word in words {
        if !different.contains(&word) {
            different.push(word);
        }
    }
    match different.as_slice() {
        [a, b, _, rest @ ..] => format!("{a}, {b} and {} more", rest.len() + 1),
        few => few.join(", "),
    }
}

/// Adds what tells namesakes apart to their lines.
fn tell_apart(groups: &mut [Group], all: &[&Run]) {
    let firsts: Vec<&Run> = groups
        .iter()
        .filter_map(|group| {
            let first = group.rows.first()?;
            all.iter().find(|run| run.id == first.id).copied()
        })
        .collect();
    let heads = groups.iter().map(|group| format!("{} · {}", group.title, group.subtitle));
    let heads: Vec<String> = heads.collect();
    for ((group, head), told) in
        groups.iter_mut().zip(&heads).zip(labels::distinct_groups(heads.clone(), &firsts))
    {
        let added = told.strip_prefix(head.as_str()).unwrap_or_default();
        group.subtitle.push_str(added);
        group.subtitle = group.subtitle.trim_start_matches(" · ").to_owned();
    }
}

/// Up to this many runs of one group are shown at once.
pub const SHOWN: usize = 12;

/// Up to this many runs of all groups are shown at once.
pub const ALL_SHOWN: usize = 40;

/// Folds sweeps and what is too much to read at once. A group of one run is never folded, for its
/// heading would take as much room as its row.
fn fold(groups: &mut [Group]) {
    for group in &mut *groups {
        group.folded = group.sweep || group.rows.len() > SHOWN;
    }
    let shown: usize = groups.iter().filter(|g| !g.folded).map(|g| g.rows.len()).sum();
    if shown > ALL_SHOWN {
        for group in groups {
            group.folded |= group.rows.len() > 1;
        }
    }
}

fn group(runs: &[&Run], found: &RunGroup, context: &Context, styles: &Styles) -> Group {
    let (first, varied) = (runs.first(), found.varied);
    let model = first.and_then(|run| run.workload.model.clone());
    let name = first.map_or_else(String::new, |run| run.name.clone());
    let title = match (&found.chosen, first) {
        (Some(chosen), _) => chosen.clone(),
        (None, Some(run)) if varied.is_some() || found.repeats => shared_name(run, runs),
        _ => name,
    };
    let mut words: Vec<String> = Vec::new();
    if let Some(varied) = varied {
        words.push(load_range(runs, varied));
    } else if found.repeats {
        let load = first.map(|run| labels::load(&run.load)).unwrap_or_default();
        words.push(format!("{}, {load}, each shown, none averaged", count(runs.len(), "repeat")));
    } else if found.chosen.is_some() {
        words.push(count(runs.len(), "run"));
    }
    words.extend(model);
    let points: Vec<LoadPoint> = if varied.is_some() {
        runs.iter().map(|run| LoadPoint::of(run, context)).collect()
    } else {
        Vec::new()
    };
    let goodputs: Vec<Option<f64>> = points.iter().map(|point| point.goodput).collect();
    Group {
        id: first.map_or_else(String::new, |run| run.id.as_str().to_owned()),
        title,
        subtitle: words.join(" · "),
        sweep: varied.is_some(),
        chosen: found.chosen.is_some(),
        folded: false,
        finding: match varied {
            Some(varied) => peak(&goodputs, runs, varied),
            None if found.repeats => repeats::headline(runs),
            None => None,
        },
        spark: spark(&points),
        rows: runs.iter().map(|run| row(run, styles.get(&run.id))).collect(),
    }
}

/// The words with which the names of all runs begin, or the name of the tool if they don't name it.
fn shared_name(first: &Run, runs: &[&Run]) -> String {
    let words: Vec<&str> = first.name.split(' ').collect();
    let alike = (0..words.len())
        .take_while(|at| {
            runs.iter().all(|run| run.name.split(' ').nth(*at) == words.get(*at).copied())
        })
        .count();
    let shared = words.get(..alike).unwrap_or_default().join(" ");
    let shared = shared.trim_end_matches(',');
    let tool = first.tool.name();
    if shared.starts_with(tool) { shared.to_owned() } else { tool.to_owned() }
}

/// "6 loads, 4 to 26 req/s".
fn load_range(runs: &[&Run], varied: Varied) -> String {
    let mut loads: Vec<f64> = runs.iter().filter_map(|run| varied.load(run)).collect();
    loads.dedup();
    let unit = varied.unit();
    let repeated = if loads.len() < runs.len() {
        format!(" in {}", count(runs.len(), "run"))
    } else {
        String::new()
    };
    match (loads.first(), loads.last()) {
        (Some(low), Some(high)) => format!(
            "{}, {} to {} {unit}{repeated}",
            count(loads.len(), "load"),
            labels::load_value(*low),
            labels::load_value(*high)
        ),
        _ => count(runs.len(), "load"),
    }
}

struct LoadPoint {
    throughput: Option<f64>,
    goodput: Option<f64>,
}

impl LoadPoint {
    fn of(run: &Run, context: &Context) -> Self {
        let measured = measure(run, 0, context, None);
        Self {
            throughput: measured.value(Metric::RequestThroughput, Stat::Value).number(),
            goodput: measured.good_per_second(),
        }
    }
}

fn spark(points: &[LoadPoint]) -> Vec<SparkPoint> {
    let largest = points
        .iter()
        .flat_map(|p| [p.throughput, p.goodput])
        .flatten()
        .fold(f64::MIN_POSITIVE, f64::max);
    let last = points.len().saturating_sub(1).max(1) as f64;
    points
        .iter()
        .enumerate()
        .filter_map(|(at, point)| {
            Some(SparkPoint {
                x: at as f64 / last,
                throughput: point.throughput? / largest,
                goodput: point.goodput.map(|g| g / largest),
            })
        })
        .collect()
}

/// "Goodput peaks at 12 req/s: 8.86 req/s within limits", from the goodput of each load in order.
pub(super) fn peak(goodputs: &[Option<f64>], runs: &[&Run], varied: Varied) -> Option<String> {
    let (at, best) = goodputs
        .iter()
        .enumerate()
        .filter_map(|(at, goodput)| Some((at, (*goodput)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    if best <= 0.0 {
        return Some("No request is within the limits at any load".to_owned());
    }
    let load = labels::load_value(varied.load(runs.get(at)?)?);
    let edge = if at == 0 || at + 1 == goodputs.len() { ", at the edge of the sweep" } else { "" };
    Some(format!(
        "Goodput peaks at {load} {}: {} req/s within limits{edge}",
        varied.unit(),
        significant(best, 3)
    ))
}

fn row(run: &Run, style: usize) -> RunRow {
    let requests = run.requests.as_ref();
    let has = |test: fn(&crate::model::Requests) -> bool| requests.is_some_and(test);
    let sent = requests
        .map(|r| r.len() as f64)
        .or_else(|| run.load.requests.map(|n| n as f64))
        .or_else(|| run.reported.value(Metric::Completed));
    let duration = run.reported.value(Metric::Duration);
    RunRow {
        id: run.id.clone(),
        style,
        name: run.name.clone(),
        version: labels::version(run),
        model: run.workload.model.clone().unwrap_or_default(),
        file: run.provenance.file.clone(),
        pieces: run.provenance.joined.clone(),
        has: [
            !run.reported.values.is_empty(),
            has(|r| !r.ttft.is_absent() || !r.e2e.is_absent()),
            has(|r| !r.gaps.is_absent()),
            has(|r| !r.start.is_absent()),
        ],
        sent: sent.map_or_else(|| "—".to_owned(), |n| fixed(n, 0)),
        load: labels::load(&run.load),
        duration: duration.map_or_else(|| "—".to_owned(), |s| format!("{} s", significant(s, 3))),
        size: bytes(run.provenance.bytes),
        group: run.group.clone(),
        hash: run.provenance.sha256.short(8).to_owned(),
        note: note(run),
        warnings: 0,
        left_out: 0,
        scripted: run.scripted,
    }
}

/// The most important thing to know about a run, in a few words.
fn note(run: &Run) -> Option<String> {
    let Some(requests) = &run.requests else {
        return Some("totals only".to_owned());
    };
    let failed = requests.len() - requests.count(Outcome::Ok);
    if failed > 0 {
        return Some(format!(
            "{} of {} failed",
            fixed(failed as f64, 0),
            fixed(requests.len() as f64, 0)
        ));
    }
    let empty = (0..requests.len()).filter(|at| requests.is_empty_reply(*at)).count();
    if empty > 0 {
        return Some(if empty == 1 {
            "1 empty reply".to_owned()
        } else {
            format!("{empty} empty replies")
        });
    }
    if requests.gaps.is_absent() {
        return Some("no chunk times".to_owned());
    }
    (requests.e2e.is_absent() && requests.end_rule != EndRule::LastToken)
        .then(|| "its own E2E only bounded".to_owned())
}

/// Bytes that a run's columns take: eight a value.
/// What one value of a server's series takes.
const BYTES_OF_POINT: usize = size_of::<crate::model::Point>();

fn held_bytes(run: &Run) -> usize {
    run.requests
        .as_ref()
        .map_or(0, |r| 8 * (r.gaps.values().len() + r.event_tokens.values().len() + 8 * r.len()))
}
