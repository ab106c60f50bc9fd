//! GuideLLM's table: one row a benchmark, aggregates only.
//!
//! 0.2 and 0.3 write one row of headings, 0.4 and later three: group, name with its status, statistic.

use super::aggregates::{SAME, SECONDS, further, put};
use super::error::{ErrorKind, Fault};
use super::tree::Tree;
use super::{About, Format, Head, Input, Verdict, guidellm, guidellm_stats};
use crate::model::{Load, Metric, Part, Reported, RequestRate, Run, Stat, Tool};
use crate::notice::{Notices, Place, Severity};
use std::collections::BTreeMap;

/// GuideLLM's table.
pub(super) struct GuidellmCsv;

static ABOUT: About = About {
    name: "GuideLLM’s table",
    file: "the report of GuideLLM as CSV (`benchmarks.csv`)",
    versions: "GuideLLM 0.2 to 0.8",
    recognised: "a first line that starts with `Run Info,Run Info` (0.4 on) or `Type,Run Id,Id,Name` (0.2, 0.3)",
    reads: &[
        "every benchmark as a run, joined with the same benchmark of the JSON report",
        "the printed statistics of finished requests, request counts and rates",
    ],
    limits: &[
        "no requests: nothing can be computed again",
        "0.4 to 0.6 can shift the columns of every benchmark but the first against the headings: only the first is read",
    ],
}.lean();

impl Format for GuidellmCsv {
    fn id(&self) -> &'static str {
        "guidellm-csv"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let line = head.first_line().to_ascii_lowercase();
        if line.starts_with("run info,run info") || line.starts_with("type,run id,id,name") {
            return Verdict::Certain("its headings are those of GuideLLM’s table".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(input.text.as_bytes());
        let mut records = Vec::new();
        for record in reader.records() {
            records.push(record.map_err(|_| {
                Fault::whole(ErrorKind::WrongType { said: "a row can’t be read as text".into() })
            })?);
        }
        let three = records.first().and_then(|first| first.get(0)) == Some("Run Info");
        let (heads, rows) = records.split_at_checked(if three { 3 } else { 1 }).unwrap_or_default();
        let width = heads.first().map_or(0, csv::StringRecord::len);
        let rows = match rows.split_last() {
            Some((last, before)) if last.len() < width && !input.text.ends_with('\n') => {
                let line = last.position().map_or(1, csv::Position::line);
                super::csv_table::note_cut(Place::LineColumn { line, column: 1 }, out);
                before
            }
            _ => rows,
        };
        if rows.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRows));
        }
        let columns: Vec<String> = (0..width)
            .map(|at| {
                let words =
                    heads.iter().filter_map(|head| head.get(at)).filter(|word| !word.is_empty());
                words.collect::<Vec<_>>().join("|").replace('_', " ").to_lowercase()
            })
            .collect();
        let rows: Vec<Cells<'_>> = rows
            .iter()
            .map(|row| Cells(columns.iter().map(String::as_str).zip(row.iter()).collect()))
            .collect();
        let shifted = three && rows.len() > 1 && rows.first().is_some_and(|row| row.minor() < 7);
        let kept = if shifted { 1 } else { rows.len() };
        if shifted {
            out.add_many(
                Severity::Warn,
                "shifted-columns",
                Place::WholeFile,
                rows.len() as u64 - 1,
                "GuideLLM 0.4 to 0.6 can shift the columns of a later benchmark against the headings: it is not read. Drop the JSON report instead.",
            );
        }
        let run = |(index, row): (usize, &Cells<'_>)| {
            let mut run =
                super::blank(Tool::Guidellm, "GuideLLM", input.provenance(self.id(), index, kept));
            run.provenance.part = Part::Summary;
            if three {
                row.fill(&mut run);
            } else {
                row.fill_old(&mut run);
            }
            run
        };
        let mut runs: Vec<Run> = rows.iter().take(kept).enumerate().map(run).collect();
        guidellm::name_apart(&mut runs);
        Ok(runs)
    }
}

/// Distributions of the tables with three rows of headings.
const DISTRIBUTIONS: [(&str, Metric, f64); 8] = [
    ("request latency|successful sec", Metric::E2e, SECONDS),
    ("time to first token|successful ms", Metric::Ttft, SAME),
    ("time to first output token|successful ms", Metric::FirstAnswer, SAME),
    ("time per output token|successful ms", Metric::Tpot, SAME),
    ("inter token latency|successful ms", Metric::Itl, SAME),
    ("dispatch delay|successful sec", Metric::QueueWait, SECONDS),
    ("token metrics|successful input tokens", Metric::InputTokens, SAME),
    ("token metrics|successful output tokens", Metric::OutputTokens, SAME),
];

/// Values of the tables with three rows of headings.
const VALUES: [(&str, Metric); 10] = [
    ("timings|duration|sec", Metric::Duration),
    ("request counts|successful", Metric::Completed),
    ("request counts|errored", Metric::Failed),
    ("server throughput|successful requests/sec|mean", Metric::RequestThroughput),
    ("server throughput|successful concurrency|mean", Metric::MeanConcurrency),
    ("server throughput|successful goodput/sec|mean", Metric::Goodput),
    ("server throughput|slo attainment", Metric::SloShare),
    ("token throughput|successful input tokens/sec|mean", Metric::InputThroughput),
    ("token throughput|successful output tokens/sec|mean", Metric::OutputThroughput),
    ("token throughput|successful total tokens/sec|mean", Metric::TotalThroughput),
];

/// Distributions of the tables with one row of headings.
const OLD_DISTRIBUTIONS: [(&str, Metric, f64); 6] = [
    ("successful request latency", Metric::E2e, SECONDS),
    ("successful time to first token ms", Metric::Ttft, SAME),
    ("successful time per output token ms", Metric::Tpot, SAME),
    ("successful inter token latency ms", Metric::Itl, SAME),
    ("successful prompt token count", Metric::InputTokens, SAME),
    ("successful output token count", Metric::OutputTokens, SAME),
];

/// Values of the tables with one row of headings.
const OLD_VALUES: [(&str, Metric); 7] = [
    ("duration", Metric::Duration),
    ("successful requests", Metric::Completed),
    ("errored requests", Metric::Failed),
    ("successful requests per second mean", Metric::RequestThroughput),
    ("successful request concurrency mean", Metric::MeanConcurrency),
    ("successful output tokens per second mean", Metric::OutputThroughput),
    ("successful tokens per second mean", Metric::TotalThroughput),
];

/// What the lists of percentiles hold: 0.2 and 0.3 say so in the heading; 0.4 and later call the same
/// eleven "Percentiles" (`benchmark/outputs/csv.py`, `_add_distribution_stats`). The median has a column
/// of its own.
const PERCENTILES: [&str; 11] =
    ["min", "p001", "p01", "p05", "p10", "p25", "p75", "p90", "p95", "p99", "max"];

/// The cells of a row by their headings, in lower case.
struct Cells<'a>(BTreeMap<&'a str, &'a str>);

impl Cells<'_> {
    fn text(&self, column: &str) -> Option<&str> {
        self.0.get(column).copied().filter(|text| !text.is_empty())
    }

    fn number(&self, column: &str) -> Option<f64> {
        super::json::number_of(self.text(column)?).filter(|value| value.is_finite())
    }

    /// The JSON in a cell.
    fn tree(&self, column: &str) -> Tree {
        let read =
            |text| guidellm::trees(text, guidellm::SKIP, &mut |_| {}, &mut Notices::new()).ok();
        self.text(column)
            .and_then(read)
            .and_then(|trees| trees.into_iter().next())
            .unwrap_or(Tree::Null)
    }

    fn minor(&self) -> u32 {
        let metadata = self.tree("runtime info|metadata");
        let version = metadata.text_at(&["guidellm_version"]).and_then(|v| v.split('.').nth(1));
        version.and_then(|minor| minor.parse().ok()).unwrap_or(4)
    }

    fn fill(&self, run: &mut Run) {
        let metadata = self.tree("runtime info|metadata");
        if let Some(version) = metadata.text_at(&["guidellm_version"]) {
            run.version.exact = Some(version.to_owned());
        } else {
            run.version.guess = Some("0.4".into());
            run.version.because = Some("three rows of headings and no version".into());
        }
        let arguments = self.tree("runtime info|arguments");
        let model = arguments.text_at(&["spec", "backend", "model"]);
        run.workload.model = model.or_else(|| arguments.text_at(&["model"])).map(str::to_owned);
        self.load(run, "benchmark|strategy");
        run.provenance.kin = self.text("benchmark|id").map(str::to_owned);
        self.values(&mut run.reported, &VALUES);
        further(
            &mut run.reported,
            "request counts|incomplete",
            self.number("request counts|incomplete"),
            "requests",
        );
        // Without due times GuideLLM prints the reading of the clock as the wait: longer than the run.
        let mean_wait = self.number("dispatch delay|successful sec|mean");
        let no_due_times = mean_wait
            .zip(self.number("timings|duration|sec"))
            .is_some_and(|(wait, duration)| wait > duration);
        for (column, metric, scale) in DISTRIBUTIONS {
            if metric == Metric::QueueWait && no_due_times {
                continue;
            }
            self.distribution(&mut run.reported, column, "|", metric, scale);
            let list = format!("{column}|percentiles");
            self.percentiles(&mut run.reported, &list, metric, scale);
        }
    }

    fn fill_old(&self, run: &mut Run) {
        run.version.guess = Some("0.2 or 0.3".into());
        run.version.because = Some("one row of headings".into());
        let model = self.tree("worker").text_at(&["backend_model"]).map(str::to_owned);
        run.workload.model = model;
        self.load(run, "name");
        run.provenance.kin = self.text("id").map(str::to_owned);
        self.values(&mut run.reported, &OLD_VALUES);
        for (column, metric, scale) in OLD_DISTRIBUTIONS {
            self.distribution(&mut run.reported, column, " ", metric, scale);
            let list = format!("{column} [min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max]");
            self.percentiles(&mut run.reported, &list, metric, scale);
        }
    }

    /// The load out of words like `poisson@4.00`.
    fn load(&self, run: &mut Run, column: &str) {
        let words = self.text(column).unwrap_or("unknown");
        let (kind, amount) = words.split_once('@').unwrap_or((words, ""));
        let amount = amount.parse::<f64>().ok().filter(|amount| *amount > 0.0);
        run.load = match kind {
            "synchronous" => Load { max_concurrency: Some(1), ..Load::default() },
            "concurrent" => Load { max_concurrency: amount.map(|n| n as u64), ..Load::default() },
            "throughput" => Load { request_rate: Some(RequestRate::Unlimited), ..Load::default() },
            _ => Load { request_rate: amount.map(RequestRate::PerSecond), ..Load::default() },
        };
        run.name = guidellm::name(kind, &run.load);
    }

    fn values(&self, reported: &mut Reported, columns: &[(&str, Metric)]) {
        for (column, metric) in columns {
            put(reported, column, *metric, Stat::Value, self.number(column), SAME);
        }
    }

    /// Mean, median and standard deviation of one distribution, unless it is 0 for want of data.
    fn distribution(
        &self,
        reported: &mut Reported,
        column: &str,
        between: &str,
        metric: Metric,
        scale: f64,
    ) {
        let name = |stat: &str| format!("{column}{between}{stat}");
        if self.number(&name("mean")).is_none_or(|mean| mean <= 0.0) {
            return;
        }
        for (stat, key) in [(Stat::Mean, "mean"), (Stat::Median, "median"), (Stat::Std, "std dev")]
        {
            put(reported, &name(key), metric, stat, self.number(&name(key)), scale);
        }
    }

    fn percentiles(&self, reported: &mut Reported, column: &str, metric: Metric, scale: f64) {
        let Some(list) = self.text(column) else { return };
        let values: Vec<_> =
            list.trim_matches(['[', ']']).split(',').map(super::json::number_of).collect();
        let has_data = values.iter().flatten().any(|value| *value > 0.0);
        if values.len() != PERCENTILES.len() || !has_data {
            return;
        }
        for (key, value) in PERCENTILES.iter().zip(values) {
            if let Some(stat) = guidellm_stats::stat(key) {
                put(reported, &format!("{column} {key}"), metric, stat, value, scale);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Metric, Stat};

    #[test]
    fn the_list_of_percentiles_starts_at_the_smallest_and_holds_no_median() {
        let text = include_str!("../../tests/fixtures/guidellm-csv/0.8.1-constant.csv");
        let runs = crate::formats::read("x", text.as_bytes(), &mut |_| {}).unwrap();
        let e2e = |stat| runs[0].reported.find(Metric::E2e, stat).map(|found| found.value);
        let (p25, p75) =
            (e2e(Stat::Percentile(25.0)).unwrap(), e2e(Stat::Percentile(75.0)).unwrap());
        let median = e2e(Stat::Median).unwrap();
        assert!(p25 < median && median < p75, "{p25} {median} {p75}");
        assert_eq!(e2e(Stat::Percentile(50.0)), Some(median), "it has a column of its own");
        assert!(e2e(Stat::Min).unwrap() <= e2e(Stat::Percentile(1.0)).unwrap());
        assert!(e2e(Stat::Max).unwrap() >= e2e(Stat::Percentile(99.0)).unwrap());
    }

    #[test]
    fn a_benchmark_cut_in_its_row_is_left_out_and_told() {
        let whole = include_str!("../../tests/fixtures/guidellm-csv/synthetic-0.2-two-loads.csv");
        let cut = &whole[..whole.trim_end().len() - 40];
        let runs = |text: &str| crate::formats::read("x", text.as_bytes(), &mut |_| {}).unwrap();
        let (all, left) = (runs(whole), runs(cut));
        assert_eq!(left.len() + 1, all.len());
        assert!(left[0].provenance.notices.iter().any(|n| n.kind == "cut-row"));
        assert!(!all[0].provenance.notices.iter().any(|n| n.kind == "cut-row"));
    }
}
