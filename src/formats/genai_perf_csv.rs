//! The table that GenAI-Perf writes beside its summary: `profile_export_genai_perf.csv`.

use super::error::{ErrorKind, Fault};
use super::genai_perf::{self, TABLE};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Part, Reported, Run, Tool};
use crate::notice::{Notices, Place};

/// GenAI-Perf's table.
pub(super) struct GenaiPerfCsv;

static ABOUT: About = About {
    name: "GenAI-Perf table",
    file: "`genai-perf profile`: `profile_export_genai_perf.csv`",
    versions: "0.0.8 to 0.0.16",
    recognised: "a first line `Metric,avg,min,max,p99,…` with falling percentiles",
    reads: &[
        "every printed statistic with its two decimals, throughputs, mean power of each accelerator",
    ],
    limits: &[
        "no requests, no load and no model: the JSON summary beside it has more",
        "two decimals: what was rounded can’t be had back",
    ],
}.lean();

impl Format for GenaiPerfCsv {
    fn id(&self) -> &'static str {
        "genai-perf-csv"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        // AIPerf's table has rising percentiles.
        if head.first_line().starts_with("Metric,avg,min,max,p99,") {
            return Verdict::Certain("its first line is that of GenAI-Perf’s table".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, _: &mut Notices) -> Result<Vec<Run>, Fault> {
        let mut provenance = input.provenance(self.id(), 0, 1);
        provenance.part = Part::Summary;
        let mut run = super::blank(Tool::GenaiPerf, "GenAI-Perf", provenance);
        rows(input.text, &mut run.reported)?;
        if run.reported.values.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRows));
        }
        Ok(vec![run])
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        name.strip_suffix(TABLE)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        self.stem(name).map_or_else(Vec::new, |stem| genai_perf::beside(stem, TABLE))
    }
}

/// Reads the blocks of the table: each starts with a header of its own.
fn rows(text: &str, reported: &mut Reported) -> Result<(), Fault> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut header = csv::StringRecord::new();
    let mut row = csv::StringRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_record(&mut row) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(_) => {
                let said = "a row can’t be read as text".to_owned();
                let place = Place::LineColumn { line, column: 1 };
                return Err(Fault::at(place, ErrorKind::WrongType { said }));
            }
        }
        if row.get(0) == Some("Metric") {
            header.clone_from(&row);
            continue;
        }
        let (key, unit) = metric(row.get(0).unwrap_or_default());
        let gpu = (header.get(1) == Some("GPU")).then(|| row.get(1).unwrap_or_default());
        for (name, cell) in header.iter().zip(row.iter()).skip(1) {
            // Thousands are grouped: "1,524.63".
            let value = cell.replace(',', "").parse().ok();
            match (gpu, name) {
                (Some(gpu), "avg" | "Value") => {
                    genai_perf::add_reading(reported, &key, gpu, unit, value);
                }
                (Some(_), _) => {}
                (None, "Value") => genai_perf::add(reported, &key, unit, "avg", value),
                (None, stat) => genai_perf::add(reported, &key, unit, stat, value),
            }
        }
    }
}

/// Key and unit of a metric's cell: `Time To First Token (ms)`.
fn metric(cell: &str) -> (String, &str) {
    let (name, unit) = match cell.rsplit_once(" (") {
        Some((name, unit)) => (name, unit.trim_end_matches(')')),
        None => (cell, ""),
    };
    (name.to_lowercase().replace(' ', "_"), unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::model::{Metric, Stat};

    #[test]
    fn blocks_have_headers_of_their_own_and_thousands_are_grouped() {
        let text = "Metric,avg,min,max,p99,p95\r\nTime To First Token (ms),\"1,524.63\",330.53,\"2,360.24\",N/A,1\r\n\
                    \r\nMetric,Value\r\nRequest Throughput (per sec),0.47\r\nRequest Count (count),35.00\r\n\r\n\
                    Metric,GPU,avg,min,max,p99,p95\r\nGPU Power Usage (W),3,196.18,1,2,3,4\r\n";
        let run = read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0);
        let found = |metric, stat| run.reported.find(metric, stat).map(|v| v.value);
        assert_eq!(found(Metric::Ttft, Stat::Mean), Some(1524.63));
        assert_eq!(found(Metric::Ttft, Stat::Percentile(99.0)), None);
        assert_eq!(found(Metric::RequestThroughput, Stat::Value), Some(0.47));
        assert_eq!(found(Metric::Completed, Stat::Value), Some(35.0));
        assert_eq!(found(Metric::AcceleratorPower, Stat::Mean), Some(196.18));
    }

    #[test]
    fn a_header_alone_is_no_run() {
        let error = read("x", b"Metric,avg,min,max,p99,p95\n", &mut |_| {}).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NoRows);
    }
}
