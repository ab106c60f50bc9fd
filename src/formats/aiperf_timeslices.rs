//! AIPerf's slices of time: the statistics of each, as JSON or as a long table.

use super::aggregates::{SAME, put};
use super::aiperf::{self, SKIP};
use super::csv_table::Table;
use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::json::number_of;
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Metric, Part, Reported, Run, Stat};
use crate::notice::{Notices, Place, Severity};

/// The slices of time of NVIDIA AIPerf.
pub(super) struct AiperfTimeslices;

static ABOUT: About = About {
    name: "AIPerf timeslices",
    file: "`profile_export_aiperf_timeslices.json` and `.csv`, or `PREFIX_timeslices.…`, of \
           `aiperf profile --slice-duration`",
    versions: "AIPerf 0.3 to 0.13",
    recognised: "a list `timeslices`, or a heading that starts Timeslice and ends Metric,Unit,Stat,Value",
    reads: &[
        "each slice as a run of its own with its statistics, and its window of time where the file has \
         it (0.12 on)",
    ],
    limits: &[
        "rates of a slice are divided by its length, not by the duration of the run",
        "the last slice may be incomplete, which is said",
        "requests are in `profile_export.jsonl`",
    ],
}.lean();

/// More slices than this are no curve over time that anybody looks at.
const MOST: usize = 10_000;

impl Format for AiperfTimeslices {
    fn id(&self) -> &'static str {
        "aiperf-timeslices"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["timeslices"]) {
            return Verdict::Certain("it has a list of timeslices".into());
        }
        let line = head.first_line();
        if line.starts_with("Timeslice,") && line.ends_with("Metric,Unit,Stat,Value") {
            return Verdict::Certain("its heading is that of AIPerf’s table of timeslices".into());
        }
        Verdict::No
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let (mut slices, common) = match Table::of(input.text).filter(|t| is_table(t)) {
            Some(table) => (of_table(&table)?, None),
            None => of_json(&mut input, out)?,
        };
        if slices.len() > MOST {
            let text = format!("Slices after the first {MOST} were left out.");
            out.add(Severity::Warn, "many-slices", Place::WholeFile, text);
            slices.truncate(MOST);
        }
        let first = slices.iter().filter_map(|slice| slice.start).min();
        let of = slices.len();
        let runs = slices.into_iter().enumerate().map(|(index, slice)| {
            let provenance = input.provenance(self.id(), index, of);
            let mut run = aiperf::run("AIPerf", provenance, Part::Timeslices);
            if let Some(common) = &common {
                aiperf::set_up(&mut run, common);
            }
            slice.fill(&mut run, index, first);
            run
        });
        Ok(runs.collect())
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        aiperf::stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        aiperf::beside(name)
    }
}

/// One slice.
#[derive(Default)]
struct Slice {
    number: String,
    /// In nanoseconds of the wall clock.
    start: Option<i128>,
    end: Option<i128>,
    incomplete: bool,
    reported: Reported,
}

impl Slice {
    fn fill(self, run: &mut Run, index: usize, first: Option<i128>) {
        let limits = run.reported.limits.take();
        run.reported = Reported { limits, ..self.reported };
        let since = |time: Option<i128>| Some(time?.checked_sub(first?)? as f64 / 1e9);
        let number = if self.number.is_empty() { index.to_string() } else { self.number };
        let mut name = format!("{}, slice {number}", run.name);
        if let (Some(from), Some(to)) = (since(self.start), since(self.end)) {
            let show = |seconds: f64| (seconds * 1e3).round() / 1e3;
            name = format!("{name}, {} to {} s", show(from), show(to));
            let field = "end_ns − start_ns";
            put(&mut run.reported, field, Metric::Duration, Stat::Value, Some(to - from), SAME);
            let settings = &mut run.workload.settings;
            settings.push(("slice start s".into(), from.to_string()));
            settings.push(("slice end s".into(), to.to_string()));
        }
        if self.incomplete {
            name.push_str(", incomplete");
            run.provenance.notices.add(
                Severity::Warn,
                "incomplete-slice",
                Place::JsonPath(format!("timeslices[{index}].is_complete")),
                "The run ended inside this slice: its rates and counts are not those of a whole one.",
            );
        }
        run.name = name;
    }
}

fn of_json(input: &mut Input<'_>, out: &mut Notices) -> Result<(Vec<Slice>, Option<Tree>), Fault> {
    let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
    let seed = TreeSeed { skip: SKIP, ticker: &ticker };
    let found = documents::read(input.text, seed, &ticker, out)?;
    let mut slices = Vec::new();
    let mut common = None;
    for document in found {
        for slice in document.value.get("timeslices").map(Tree::list).unwrap_or_default() {
            let clock = |key: &str| slice.get(key).and_then(Tree::int);
            let mut reported = Reported::default();
            for (tag, object) in slice.members() {
                aiperf::add_object(&mut reported, tag, object);
            }
            slices.push(Slice {
                number: slice.get("timeslice_index").and_then(Tree::words).unwrap_or_default(),
                start: clock("start_ns"),
                end: clock("end_ns"),
                incomplete: slice.get("is_complete") == Some(&Tree::Bool(false)),
                reported,
            });
        }
        common = Some(document.value);
    }
    Ok((slices, common))
}

fn is_table(table: &Table<'_>) -> bool {
    let has = |raw: &str| table.headings.iter().any(|heading| heading.raw == raw);
    ["Timeslice", "Metric", "Unit", "Stat", "Value"].iter().all(|raw| has(raw))
}

/// The rows of a long table, grouped by their slice.
fn of_table(table: &Table<'_>) -> Result<Vec<Slice>, Fault> {
    let at = |raw: &str| table.headings.iter().position(|heading| heading.raw == raw);
    let columns = ["Timeslice", "Start_NS", "End_NS", "Metric", "Unit", "Stat", "Value"].map(at);
    let mut slices: Vec<Slice> = Vec::new();
    table.each_row(|line, _, row| {
        let [number, start, end, metric, unit, statistic, value] =
            columns.map(|at| at.and_then(|at| row.get(at)).unwrap_or_default());
        if number.is_empty() {
            return Ok(());
        }
        if slices.last().is_none_or(|slice| slice.number != number) {
            if slices.len() > MOST {
                return Ok(());
            }
            let (start, end) = (start.parse().ok(), end.parse().ok());
            slices.push(Slice { number: number.to_owned(), start, end, ..Slice::default() });
        }
        let Some(value) = number_of(value) else {
            let place = Place::Cell { line, column: "Value".into() };
            let value = value.chars().take(40).collect();
            return Err(Fault::at(place, ErrorKind::NotANumber { value }));
        };
        if let Some(slice) = slices.last_mut().filter(|_| !metric.ends_with("Timestamp")) {
            let known = aiperf::by_header(metric);
            aiperf::add(&mut slice.reported, metric, known, unit, statistic, Some(value));
        }
        Ok(())
    })?;
    Ok(slices)
}

#[cfg(test)]
mod tests {
    use crate::formats::read;
    use crate::model::{Metric, Stat};

    #[test]
    fn each_slice_is_a_run_with_its_window() {
        let text = b"{\"timeslices\": [\
            {\"start_ns\": 1768000000000000000, \"end_ns\": 1768000002000000000, \
             \"request_throughput\": {\"unit\": \"requests/sec\", \"avg\": 3.5}}, \
            {\"start_ns\": 1768000002000000000, \"end_ns\": 1768000003500000000, \"is_complete\": false, \
             \"request_latency\": {\"unit\": \"ms\", \"avg\": 80.0, \"p99\": 99.0}}], \"input_config\": {}}";
        let runs = read("a.json", text, &mut |_| {}).unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[0].name, "AIPerf, slice 0, 0 to 2 s");
        assert_eq!(runs[0].reported.value(Metric::Duration), Some(2.0));
        assert_eq!(
            runs[1].reported.find(Metric::E2e, Stat::Percentile(99.0)).map(|v| v.value),
            Some(99.0)
        );
        assert!(runs[1].name.ends_with("incomplete"), "{}", runs[1].name);
        assert!(runs[1].provenance.notices.iter().any(|n| n.kind == "incomplete-slice"));
    }

    #[test]
    fn a_long_table_is_the_same_slices() {
        let text = b"Timeslice,Start_NS,End_NS,Metric,Unit,Stat,Value\r\n\
            0,1768000000000000000,1768000002000000000,Request Latency,ms,avg,80.00\r\n\
            0,1768000000000000000,1768000002000000000,Request Throughput,requests/sec,avg,3.50\r\n\
            1,1768000002000000000,1768000004000000000,Request Latency,ms,avg,90.00\r\n";
        let runs = read("a.csv", text, &mut |_| {}).unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[0].reported.value(Metric::RequestThroughput), Some(3.5));
        assert_eq!(runs[1].name, "AIPerf, slice 1, 2 to 4 s");
        let old = b"Timeslice,Metric,Unit,Stat,Value\r\n0,Request Latency,ms,avg,80.00\r\n";
        let runs = read("a.csv", old, &mut |_| {}).unwrap();
        assert_eq!(runs[0].reported.value(Metric::Duration), None);
    }
}
