//! Files of one run put together: rows from one, aggregates from another, what the server and the
//! accelerators measured from more.
//!
//! Knows the parts of a run and where they come from. Must not know any format: what names have in
//! common was written down at the import.

use crate::model::{
    Further, Load, Metric, Part, Piece, ReportedValue, RequestRate, Requests, Run, RunId, Tool,
    ToolVersion, Workload,
};
use crate::notice::{Place, Severity};
use crate::session_file::Decided;
use crate::units::{Seconds, Tokens, Unit};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What the reader decided about which files and runs belong together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Arrangement {
    /// Files that stand alone, whatever their names and ids say.
    pub apart: BTreeSet<RunId>,
    /// Sets of files that are one run.
    pub together: Vec<BTreeSet<RunId>>,
    /// The group of a run, where the reader chose it.
    pub groups: BTreeMap<RunId, String>,
    /// How many accelerators served a run, where the reader says it of one whose file does not.
    pub gpus: BTreeMap<RunId, u32>,
    /// The palette index of a run, where the session or link that it came from says it.
    pub marks: BTreeMap<RunId, u8>,
}

impl Arrangement {
    /// Takes over what was decided in a session, beside what was decided before.
    pub fn take_over(&mut self, decided: &Decided) {
        self.apart.extend(decided.apart.iter().cloned());
        self.groups.extend(decided.groups.clone());
        self.gpus.extend(decided.gpus.clone());
        self.marks.extend(decided.marks.clone());
        for set in &decided.together {
            if !self.together.contains(set) {
                self.together.push(set.clone());
            }
        }
    }
}

/// The runs that belong together, as indices: sets of two or more, each in order.
pub(super) fn sets(runs: &[Run], arrangement: &Arrangement) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut taken = BTreeSet::new();
    for chosen in &arrangement.together {
        let members: Vec<usize> = (0..runs.len())
            .filter(|at| runs.get(*at).is_some_and(|r| chosen.contains(&r.id)))
            .collect();
        if members.len() > 1 && refusal(members.iter().filter_map(|at| runs.get(*at))).is_none() {
            taken.extend(members.iter().copied());
            sets.push(members);
        }
    }
    for (at, run) in runs.iter().enumerate() {
        let free = !taken.contains(&at)
            && !arrangement.apart.contains(&run.id)
            && !matches!(run.provenance.part, Part::Timeslices);
        if !free {
            continue;
        }
        let accepts = |set: &&mut Vec<usize>| {
            !set.iter().any(|other| taken.contains(other))
                && set
                    .iter()
                    .filter_map(|other| runs.get(*other))
                    .any(|other| same_run(other, run) || only_stage(runs, other, run))
                && refusal(set.iter().filter_map(|o| runs.get(*o)).chain([run])).is_none()
        };
        match sets.iter_mut().find(accepts) {
            Some(set) => set.push(at),
            None => sets.push(vec![at]),
        }
    }
    sets.retain(|set| set.len() > 1);
    sets
}

/// Why these can't be one run; nothing where they can.
pub fn refusal<'r>(runs: impl Iterator<Item = &'r Run> + Clone) -> Option<&'static str> {
    let count = |part: Part| runs.clone().filter(|run| run.provenance.part == part).count();
    let with_rows = runs.clone().filter(|run| run.requests.is_some()).count();
    let (events, requests) = (count(Part::Events), count(Part::Requests));
    if with_rows > 1 && !(with_rows == 2 && events == 1 && requests == 1) {
        return Some("more than one of them holds requests");
    }
    None
}

/// Whether two files are parts of one run by what their tool wrote into them or called them.
fn same_run(a: &Run, b: &Run) -> bool {
    let (from, to) = (&a.provenance, &b.provenance);
    let alike = from.part == to.part && (from.format == to.format || from.part == Part::Whole);
    if writer(a.tool) != writer(b.tool) || alike {
        return false;
    }
    let by_content = from.kin.is_some() && from.kin == to.kin;
    let by_name = folder(&from.file) == folder(&to.file)
        && from.stem.is_some()
        && from.stem == to.stem
        && (from.kin.is_none() || to.kin.is_none() || by_content)
        && counts_agree(a, b);
    let copied = from.part == Part::Summary || to.part == Part::Summary;
    let counted = || {
        let completed = a.reported.value(Metric::Completed);
        completed.is_some() && completed == b.reported.value(Metric::Completed)
    };
    if !(by_content || by_name || (copied && counted())) {
        return false;
    }
    let printed = Printed::of(a, b);
    if by_content || by_name { !printed.contradict } else { printed.same() }
}

/// Printed numbers of one run may differ by their rounding, by no more.
const ROUNDING: f64 = 0.01;
/// So many latencies are not the same by chance.
const ENOUGH: usize = 8;

/// What two files print under the same names.
struct Printed {
    /// Whether any two numbers differ by more than their rounding: then these are two runs, whatever
    /// they are called.
    contradict: bool,
    /// Latencies that both print alike.
    latencies: usize,
}

impl Printed {
    fn of(a: &Run, b: &Run) -> Self {
        let mut printed = Self { contradict: false, latencies: 0 };
        // What a server measured of itself is another number of the same name, and Perf Analyzer counts
        // requests that GenAI-Perf leaves out.
        let own = |run: &Run| matches!(run.provenance.part, Part::Server | Part::Accelerators);
        if own(a) || own(b) || a.tool != b.tool {
            return printed;
        }
        // Several accelerators print one metric each.
        let once =
            |x: &&ReportedValue| !matches!(x.metric, Metric::AcceleratorPower | Metric::Energy);
        for x in a.reported.values.iter().filter(once) {
            let Some(y) = b.reported.find(x.metric, x.stat) else { continue };
            let digits = ROUNDING * x.scale.max(y.scale);
            let apart = (x.value - y.value).abs();
            if apart > digits && apart > ROUNDING * x.value.abs().max(y.value.abs()) {
                printed.contradict = true;
                return printed;
            }
            if x.metric.unit() == Unit::Millis && x.value > 0.0 {
                printed.latencies += 1;
            }
        }
        printed
    }

    /// Whether the numbers alone tell that both are of one run, such as a screen that was copied.
    const fn same(&self) -> bool {
        !self.contradict && self.latencies >= ENOUGH
    }
}

/// Whether the requests that one file printed can be the rows of the other. Names alone join files, and
/// the summary of an earlier run may stand beside newer or cut rows: its duration would divide their
/// tokens. Perf Analyzer’s rows hold requests that GenAI-Perf leaves out of its summary.
fn counts_agree(a: &Run, b: &Run) -> bool {
    let (rows, summary) = match (&a.requests, &b.requests) {
        (Some(rows), None) => (rows, b),
        (None, Some(rows)) => (rows, a),
        _ => return true,
    };
    let counted = matches!(summary.provenance.part, Part::Whole | Part::Summary | Part::Stage);
    let printed = summary.reported.value(Metric::Completed).filter(|_| counted);
    let ok = rows.count(crate::model::Outcome::Ok) as f64;
    printed.is_none_or(|printed| {
        let leaves_out = a.tool != b.tool && printed < ok;
        leaves_out || (printed - ok).abs() < 0.5
    })
}

/// The tool whose files are parts of one run with those of `tool`: GenAI-Perf runs Perf Analyzer, which
/// writes the requests.
const fn writer(tool: Tool) -> Tool {
    match tool {
        Tool::PerfAnalyzer => Tool::GenaiPerf,
        tool => tool,
    }
}

/// Whether `run` and `other` are the whole and its only stage, told by equal numbers of requests.
fn only_stage(runs: &[Run], other: &Run, run: &Run) -> bool {
    let (stage, whole) = match (other.provenance.part, run.provenance.part) {
        (Part::Stage, Part::Summary | Part::Requests) => (other, run),
        (Part::Summary | Part::Requests, Part::Stage) => (run, other),
        _ => return false,
    };
    let beside = |r: &&Run| {
        r.tool == stage.tool
            && r.provenance.part == Part::Stage
            && folder(&r.provenance.file) == folder(&stage.provenance.file)
    };
    stage.tool == whole.tool
        && folder(&stage.provenance.file) == folder(&whole.provenance.file)
        && runs.iter().filter(beside).count() == 1
        && finished(stage).is_some()
        && finished(stage) == finished(whole)
}

fn finished(run: &Run) -> Option<u64> {
    let printed = run.reported.value(Metric::Completed).map(|n| n as u64);
    printed.or_else(|| run.requests.as_ref().map(|r| r.count(crate::model::Outcome::Ok) as u64))
}

fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// How much a part tells, the most first: the rows of the fullest are those of the run. The tool's own
/// rows come before events, which fill in what those lack.
const fn fullness(part: Part) -> u8 {
    match part {
        Part::Whole => 0,
        Part::Requests => 1,
        Part::Events => 2,
        Part::Summary => 3,
        Part::Stage => 4,
        Part::Timeslices => 5,
        Part::Server => 6,
        Part::Accelerators => 7,
    }
}

/// The index of the member that gives the run its id, its name and its rows.
pub(super) fn base(runs: &[Run], set: &[usize]) -> Option<usize> {
    let key = |at: &usize| {
        runs.get(*at).map(|run| {
            let rows = run.requests.is_none();
            (rows, fullness(run.provenance.part), std::cmp::Reverse(run.reported.values.len()))
        })
    };
    set.iter().copied().min_by_key(|at| key(at))
}

/// `base` with everything that the other files of the run add to it.
pub(super) fn join(base: &mut Run, others: &[&Run]) {
    let mut others: Vec<&Run> = others.to_vec();
    others.sort_by_key(|run| {
        (fullness(run.provenance.part), std::cmp::Reverse(run.reported.values.len()))
    });
    for other in &others {
        match other.provenance.part {
            Part::Server => add_server(base, other),
            Part::Accelerators => add_accelerators(base, other),
            Part::Events => {
                add_events(base, other);
                fill(base, other);
            }
            _ => {
                if base.reported.values.is_empty() {
                    base.reported.values.clone_from(&other.reported.values);
                }
                if base.reported.further.is_empty() {
                    base.reported.further.clone_from(&other.reported.further);
                }
                if base.reported.limits.is_none() {
                    base.reported.limits.clone_from(&other.reported.limits);
                }
                fill(base, other);
            }
        }
        base.scripted |= other.scripted;
        let provenance = &other.provenance;
        // GuideLLM writes the same benchmark as a report and as a row of a table.
        if base.provenance.part == Part::Whole && provenance.part == Part::Summary {
            base.provenance.notices.add(
                Severity::Note,
                "told-twice",
                Place::WholeFile,
                format!(
                    "{} tells this run once more, without its requests: it is one run, not two.",
                    provenance.file
                ),
            );
        }
        base.provenance.notices.add_new(&provenance.notices);
        base.provenance.joined.push(Piece {
            id: other.id.clone(),
            file: provenance.file.clone(),
            sha256: provenance.sha256.clone(),
            format: provenance.format.clone(),
            part: provenance.part,
        });
    }
}

/// What the server measured of itself stays under its own names: it is no client's number.
fn add_server(base: &mut Run, server: &Run) {
    let values = server.reported.values.iter().map(|value| Further {
        field: format!("server: {} {}", value.field, value.stat.name()),
        value: value.value / value.scale,
        unit: String::new(),
    });
    let further = server
        .reported
        .further
        .iter()
        .map(|f| Further { field: format!("server: {}", f.field), ..f.clone() });
    // AIPerf writes the same series as JSON and as a table.
    for series in values.chain(further) {
        if !base.reported.further.iter().any(|known| known.field == series.field) {
            base.reported.further.push(series);
        }
    }
}

/// Power and energy stand beside speed.
fn add_accelerators(base: &mut Run, accelerators: &Run) {
    for value in &accelerators.reported.values {
        if base.reported.find(value.metric, value.stat).is_none() {
            base.reported.values.push(value.clone());
        }
    }
    base.reported.further.extend(accelerators.reported.further.iter().cloned());
    if base.load.gpus.is_none() {
        base.load.gpus = accelerators.load.gpus;
    }
}

/// Takes what a file of stream events records and the tool's own rows lack. Rows of two files are the
/// same request when they were sent at the same moment, which both took from one clock.
fn add_events(base: &mut Run, events: &Run) {
    let (Some(rows), Some(found)) = (&mut base.requests, &events.requests) else { return };
    let Some(order) = matched(rows, found) else {
        base.provenance.notices.add(
            Severity::Note,
            "events-unmatched",
            Place::WholeFile,
            format!(
                "The requests of {} could not be matched by their send times: its stream events are \
                 not used.",
                events.provenance.file
            ),
        );
        return;
    };
    let pick = |column: &crate::model::Column<Seconds>| {
        crate::model::Column::from_options(
            column.origin().clone(),
            order.iter().map(|at| at.and_then(|at| column.get(at))),
        )
    };
    if rows.first_answer.is_absent() && !found.first_answer.is_absent() {
        rows.first_answer = pick(&found.first_answer);
    }
    if rows.last_token.is_absent() && !found.last_token.is_absent() {
        rows.last_token = pick(&found.last_token);
    }
    let as_many = |at: usize| {
        let own = rows.gaps.row(at).map(<[Seconds]>::len);
        let other = order.get(at).copied().flatten().and_then(|at| found.gaps.row(at));
        own.is_none() || own == other.map(<[Seconds]>::len)
    };
    if (0..rows.len()).all(as_many) {
        if rows.gaps.is_absent() && !found.gaps.is_absent() {
            rows.gaps = reordered(&found.gaps, &order);
        }
        if rows.event_tokens.is_absent() && !found.event_tokens.is_absent() {
            rows.event_tokens = reordered::<Tokens>(&found.event_tokens, &order);
        }
    }
}

fn reordered<T: crate::units::Quantity>(
    from: &crate::model::Ragged<T>,
    order: &[Option<usize>],
) -> crate::model::Ragged<T> {
    let mut ragged = crate::model::Ragged::new(from.origin().clone());
    for at in order {
        ragged.push_row(at.and_then(|at| from.row(at)));
    }
    ragged
}

/// For each row of `rows` the row of `found` that was sent at the same moment; nothing unless every
/// finished row has exactly one.
fn matched(rows: &Requests, found: &Requests) -> Option<Vec<Option<usize>>> {
    let mut by_start: BTreeMap<u64, usize> = BTreeMap::new();
    for at in 0..found.len() {
        if let Some(start) = found.start.get(at)
            && by_start.insert(start.as_secs().to_bits(), at).is_some()
        {
            return None;
        }
    }
    let order: Vec<Option<usize>> = (0..rows.len())
        .map(|at| by_start.get(&rows.start.get(at)?.as_secs().to_bits()).copied())
        .collect();
    let finished = |at: usize| rows.outcome.get(at) == Some(&crate::model::Outcome::Ok);
    let all = order.iter().enumerate().all(|(at, row)| row.is_some() || !finished(at));
    (all && order.iter().any(Option::is_some)).then_some(order)
}

/// Fills in what `base` does not know of its load, set-up and version.
fn fill(base: &mut Run, other: &Run) {
    let Load { request_rate, burstiness, max_concurrency, requests, output_tokens, gpus } =
        &mut base.load;
    let from = &other.load;
    or::<RequestRate>(request_rate, from.request_rate.as_ref());
    or(burstiness, from.burstiness.as_ref());
    or(max_concurrency, from.max_concurrency.as_ref());
    or(requests, from.requests.as_ref());
    or(output_tokens, from.output_tokens.as_ref());
    or(gpus, from.gpus.as_ref());
    let Workload { model, tokenizer, dataset, endpoint, backend, date, settings } =
        &mut base.workload;
    let from = &other.workload;
    or(model, from.model.as_ref());
    or(tokenizer, from.tokenizer.as_ref());
    or(dataset, from.dataset.as_ref());
    or(endpoint, from.endpoint.as_ref());
    or(backend, from.backend.as_ref());
    or(date, from.date.as_ref());
    for (name, value) in &from.settings {
        if !settings.iter().any(|(known, _)| known == name) {
            settings.push((name.clone(), value.clone()));
        }
    }
    let ToolVersion { exact, guess, because } = &mut base.version;
    if exact.is_none() {
        or(exact, other.version.exact.as_ref());
        or(guess, other.version.guess.as_ref());
        or(because, other.version.because.as_ref());
    }
}

fn or<T: Clone>(slot: &mut Option<T>, other: Option<&T>) {
    if slot.is_none() {
        *slot = other.cloned();
    }
}

/// Joins what belongs together of `runs`, in the order of the first member of each.
pub(super) fn joined(runs: &mut [Run], arrangement: &Arrangement) -> Vec<Joined> {
    let mut found = Vec::new();
    for set in sets(runs, arrangement) {
        let Some(at) = base(runs, &set) else { continue };
        // The rows move, for there may be millions of them.
        let Some(requests) = runs.get_mut(at).map(|run| run.requests.take()) else { continue };
        let Some(mut run) = runs.get(at).cloned() else { continue };
        run.requests = requests;
        let others: Vec<&Run> =
            set.iter().filter(|other| **other != at).filter_map(|at| runs.get(*at)).collect();
        join(&mut run, &others);
        found.push(Joined { run, base: at, members: set });
    }
    found
}

/// A run of several files, and which ones.
#[derive(Debug)]
pub(super) struct Joined {
    /// The run as it is shown.
    pub run: Run,
    /// The member whose rows it has for the time being.
    pub base: usize,
    /// All members.
    pub members: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Duplicate, Session};
    use crate::model::{Column, Digest, Origin, Outcome, Provenance, Ragged, Stat, Tool};

    fn run(file: &str, part: Part) -> Run {
        let digest = Digest::of(file.as_bytes());
        let mut provenance = Provenance::new(file, 1, digest, &format!("{part:?}"), "");
        provenance.part = part;
        provenance.stem = Some("stem".into());
        let mut run = Run::new(Tool::Aiperf, file, provenance);
        let rows = matches!(part, Part::Whole | Part::Requests | Part::Events);
        run.requests = rows.then(|| Requests::absent(3));
        run
    }

    fn printed(mut run: Run, metric: Metric, value: f64) -> Run {
        run.reported.values.push(ReportedValue {
            field: metric.id().into(),
            metric,
            stat: Stat::Value,
            value,
            scale: 1.0,
        });
        run
    }

    fn names(session: &Session) -> Vec<(String, Vec<String>)> {
        session
            .runs()
            .iter()
            .map(|run| {
                let joined = run.provenance.joined.iter().map(|piece| piece.file.clone());
                (run.provenance.file.clone(), joined.collect())
            })
            .collect()
    }

    #[test]
    fn rows_and_summary_are_one_run_in_whatever_order_they_come() {
        let files = [
            printed(run("a/s.json", Part::Summary), Metric::Duration, 7.0),
            run("a/r.jsonl", Part::Requests),
            run("b/r.jsonl", Part::Requests),
        ];
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let mut session = Session::new();
            for at in order {
                session.adopt(vec![files[at].clone()]);
            }
            let mut seen = names(&session);
            seen.sort();
            assert_eq!(
                seen,
                [
                    ("a/r.jsonl".to_owned(), vec!["a/s.json".to_owned()]),
                    ("b/r.jsonl".to_owned(), vec![])
                ]
            );
            let runs = session.runs();
            let joined = runs.iter().find(|r| r.provenance.file == "a/r.jsonl").unwrap();
            assert_eq!(joined.id, files[1].id);
            assert_eq!(joined.reported.value(Metric::Duration), Some(7.0));
            assert_eq!(joined.requests.as_ref().map(Requests::len), Some(3));
        }
    }

    #[test]
    fn what_was_joined_can_be_taken_apart_and_put_together_again() {
        let (rows, summary) = (run("a/r", Part::Requests), run("a/s", Part::Summary));
        let mut session = Session::new();
        let (shown, _) = session.adopt(vec![summary.clone(), rows.clone()]);
        assert_eq!(shown, std::slice::from_ref(&rows.id));
        session.arrange(Arrangement {
            apart: BTreeSet::from([rows.id.clone()]),
            ..Arrangement::default()
        });
        assert_eq!(session.runs(), [&summary, &rows]);
        session.arrange(Arrangement::default());
        assert_eq!(names(&session).len(), 1);
        let (again, duplicates) = session.adopt(vec![summary.clone()]);
        assert_eq!(again.len(), 0);
        assert_eq!(duplicates, [Duplicate { pack: 0, name: "a/s".into() }]);
    }

    #[test]
    fn the_reader_can_join_files_of_other_names() {
        let (rows, mut summary) = (run("a/r", Part::Requests), run("b/s", Part::Summary));
        summary.provenance.stem = None;
        let mut session = Session::new();
        session.adopt(vec![rows.clone(), summary.clone()]);
        assert_eq!(session.runs().len(), 2);
        let together = vec![[rows.id.clone(), summary.id.clone()].into()];
        session.arrange(Arrangement { together, ..Arrangement::default() });
        assert_eq!(names(&session), [("a/r".to_owned(), vec!["b/s".to_owned()])]);
    }

    #[test]
    fn two_tables_of_requests_are_two_runs() {
        let runs = [run("a/1", Part::Requests), run("a/2", Part::Whole)];
        assert!(refusal(runs.iter()).is_some());
        assert!(sets(&runs, &Arrangement::default()).is_empty());
        let together = vec![runs.iter().map(|run| run.id.clone()).collect()];
        assert!(sets(&runs, &Arrangement { together, ..Arrangement::default() }).is_empty());
    }

    #[test]
    fn files_that_print_different_numbers_are_two_runs() {
        let rows = printed(run("a/r", Part::Whole), Metric::Ttft, 41.8);
        for (value, joined) in [(41.81, 1), (41.8, 1), (55.0, 0)] {
            let summary = printed(run("a/s", Part::Summary), Metric::Ttft, value);
            let found = sets(&[rows.clone(), summary], &Arrangement::default());
            assert_eq!(found.len(), joined, "{value}");
        }
    }

    #[test]
    fn a_copied_screen_is_known_by_its_numbers() {
        let latencies = |mut run: Run, count: u32, shift: f64| {
            run.provenance.stem = None;
            for p in 0..count {
                run.reported.values.push(ReportedValue {
                    field: format!("p{p}"),
                    metric: Metric::E2e,
                    stat: Stat::Percentile(f64::from(p)),
                    value: 40.0 + f64::from(p) + shift,
                    scale: 1.0,
                });
            }
            run
        };
        for (count, shift, joined) in [(9, 0.0, 1), (9, 2.0, 0), (3, 0.0, 0)] {
            let counted = |run| printed(run, Metric::Completed, 60.0);
            let result = latencies(counted(run("a/r", Part::Whole)), count, 0.0);
            let screen = latencies(counted(run("b/screen.txt", Part::Summary)), count, shift);
            let found = sets(&[result, screen], &Arrangement::default());
            assert_eq!(found.len(), joined, "{count} {shift}");
        }
    }

    #[test]
    fn different_ids_in_the_content_part_what_names_would_join() {
        let mut runs = [run("a/r", Part::Requests), run("a/s", Part::Summary)];
        runs[0].provenance.kin = Some("one".into());
        runs[1].provenance.kin = Some("two".into());
        assert!(sets(&runs, &Arrangement::default()).is_empty());
        runs[1].provenance.kin = Some("one".into());
        runs[1].provenance.file = "b/s".into();
        assert_eq!(sets(&runs, &Arrangement::default()), [vec![0, 1]]);
    }

    #[test]
    fn a_summary_of_other_requests_is_another_run() {
        let rows = run("a/r", Part::Requests);
        for (count, sets_of) in [(3.0, 1), (4.0, 0), (2.0, 0)] {
            let summary = printed(run("a/s", Part::Summary), Metric::Completed, count);
            let found = sets(&[rows.clone(), summary], &Arrangement::default());
            assert_eq!(found.len(), sets_of, "{count} printed, 3 rows");
        }
        let mut fewer = printed(run("a/s", Part::Summary), Metric::Completed, 2.0);
        fewer.tool = Tool::GenaiPerf;
        let mut all = rows;
        all.tool = Tool::PerfAnalyzer;
        assert_eq!(sets(&[all, fewer], &Arrangement::default()), [vec![0, 1]]);
    }

    #[test]
    fn a_series_of_two_files_of_the_server_is_listed_once() {
        let mut base = run("a/r", Part::Requests);
        let json = printed(run("a/m.json", Part::Server), Metric::Ttft, 5.0);
        let table = printed(run("a/m.csv", Part::Server), Metric::Ttft, 5.0);
        join(&mut base, &[&json, &table]);
        assert_eq!(base.reported.further.len(), 1);
    }

    #[test]
    fn the_only_stage_is_the_whole_and_one_of_several_is_not() {
        let stage = |file: &str, count| {
            let mut stage = printed(run(file, Part::Stage), Metric::Completed, count);
            stage.provenance.stem = Some(file.into());
            stage
        };
        let whole = printed(run("a/summary", Part::Summary), Metric::Completed, 5.0);
        let one = [stage("a/0", 5.0), whole.clone()];
        assert_eq!(sets(&one, &Arrangement::default()), [vec![0, 1]]);
        let two = [stage("a/0", 5.0), stage("a/1", 5.0), whole];
        assert!(sets(&two, &Arrangement::default()).is_empty());
    }

    #[test]
    fn a_server_s_numbers_stay_its_own_and_power_stands_beside_speed() {
        let mut base = run("a/r", Part::Requests);
        let server = printed(run("a/m", Part::Server), Metric::Ttft, 5.0);
        let power = printed(run("a/g", Part::Accelerators), Metric::AcceleratorPower, 300.0);
        join(&mut base, &[&power, &server]);
        assert_eq!(base.reported.value(Metric::Ttft), None);
        assert_eq!(base.reported.further[0].field, "server: ttft value");
        assert_eq!(base.reported.value(Metric::AcceleratorPower), Some(300.0));
    }

    #[test]
    fn events_are_matched_by_the_moment_of_sending() {
        let starts = |run: &mut Run, starts: [f64; 3]| {
            let column = starts.map(|s| Some(Seconds::from_secs(s)));
            run.requests.as_mut().unwrap().start = Column::from_options(Origin::Reported, column);
        };
        let (mut rows, mut events) = (run("a/r", Part::Requests), run("a/e", Part::Events));
        starts(&mut rows, [0.0, 1.5, 2.5]);
        starts(&mut events, [2.5, 0.0, 1.5]);
        let mut tokens = Ragged::new(Origin::Reported);
        for count in [3.0, 1.0, 2.0] {
            tokens.push_row(Some(&[Tokens::from_count(count)]));
        }
        events.requests.as_mut().unwrap().event_tokens = tokens;
        let mut both = rows.clone();
        join(&mut both, &[&events]);
        let joined = &both.requests.as_ref().unwrap().event_tokens;
        let counts: Vec<_> = (0..3).map(|at| joined.row(at).unwrap()[0].count()).collect();
        assert_eq!(counts, [1.0, 2.0, 3.0]);
        starts(&mut events, [2.5, 0.0, 9.0]);
        join(&mut rows, &[&events]);
        assert!(rows.requests.as_ref().unwrap().event_tokens.is_absent());
        assert!(rows.provenance.notices.iter().any(|n| n.kind == "events-unmatched"));
        assert_eq!(rows.requests.as_ref().unwrap().count(Outcome::Ok), 3);
    }
}
