//! AIPerf's summary as a table: blocks of metrics with statistics, single values, accelerators.

use super::aggregates::{SAME, further, put};
use super::aiperf::{self, header_and_unit};
use super::error::{ErrorKind, Fault};
use super::json::number_of;
use super::{About, Format, Head, Input, Verdict, aiperf_gpu};
use crate::model::{Metric, Part, Run, Stat};
use crate::notice::{Notices, Place, Severity};
use std::collections::BTreeSet;

/// The summary table of NVIDIA AIPerf.
pub(super) struct AiperfCsv;

static ABOUT: About = About {
    name: "AIPerf summary table",
    file: "`profile_export_aiperf.csv`, or `PREFIX.csv`, of `aiperf profile`",
    versions: "AIPerf 0.1 to 0.13",
    recognised: "a heading that starts Metric,avg,min,max and goes on with p1, or with sum and p1",
    reads: &["the numbers of the summary, with the two decimals that the table has"],
    limits: &[
        "model, load, limits and version are in `profile_export_aiperf.json` only, which also has all \
         digits; of the two that file wins",
        "where rates were divided by the whole phase (0.13), its length is not in the table",
    ],
}.lean();

impl Format for AiperfCsv {
    fn id(&self) -> &'static str {
        "aiperf-csv"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        // GenAI-Perf’s goes on with p99.
        let starts = ["Metric,avg,min,max,p1,", "Metric,avg,min,max,sum,p1,"];
        if starts.iter().any(|start| head.first_line().starts_with(start)) {
            return Verdict::Certain("its heading is that of AIPerf’s summary table".into());
        }
        if head.first_line() == "Metric,Value" && head.contains("Error Request Count") {
            return Verdict::Certain("it holds AIPerf’s Error Request Count".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, _: &mut Notices) -> Result<Vec<Run>, Fault> {
        let mut run = aiperf::run("AIPerf", input.provenance(self.id(), 0, 1), Part::Summary);
        blocks(&mut run, input.text)?;
        if run.reported.values.is_empty() && run.reported.further.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRuns));
        }
        Ok(vec![run])
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        aiperf::stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        aiperf::beside(name)
    }
}

fn blocks(run: &mut Run, text: &str) -> Result<(), Fault> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(text.as_bytes());
    let mut headings = csv::StringRecord::new();
    let mut devices = aiperf_gpu::Devices::default();
    let mut gpus = BTreeSet::new();
    let mut duration = None;
    let mut record = csv::StringRecord::new();
    while read(&mut reader, &mut record)? {
        let cell = |heading: &str| {
            let at = headings.iter().position(|h| h == heading)?;
            record.get(at).filter(|cell| !cell.is_empty())
        };
        match (record.get(0), headings.get(0)) {
            (Some("Metric" | "Endpoint"), _) => headings = record.clone(),
            (_, Some("Endpoint")) => {
                let Some(metric) = cell("Metric") else { continue };
                let (name, unit) = header_and_unit(metric);
                let label = format!("gpu {}", cell("GPU_Index").unwrap_or("?"));
                gpus.insert(cell("GPU_UUID").unwrap_or_default().to_owned());
                for (key, value) in statistics(&headings, &record) {
                    devices.add(run, &label, name, unit, key, value);
                }
            }
            (Some(metric), Some("Metric")) => {
                let (name, unit) = header_and_unit(metric);
                if name == "Benchmark Duration" {
                    duration = cell("Value")
                        .and_then(number_of)
                        .zip(aiperf::scale(Metric::Duration, unit));
                } else if !name.ends_with("Timestamp") {
                    for (key, value) in statistics(&headings, &record) {
                        let key = if key == "Value" { "avg" } else { key };
                        let known = aiperf::by_header(name);
                        aiperf::add(&mut run.reported, name, known, unit, key, Some(value));
                    }
                }
            }
            _ => {}
        }
    }
    devices.close(run, gpus.len());
    if let Some((value, scale)) = duration {
        put_duration(run, value * scale);
    }
    Ok(())
}

fn read(reader: &mut csv::Reader<&[u8]>, record: &mut csv::StringRecord) -> Result<bool, Fault> {
    reader.read_record(record).map_err(|error| {
        let line = error.position().map_or(1, csv::Position::line);
        let said = "a row can’t be read as text".to_owned();
        Fault::at(Place::LineColumn { line, column: 1 }, ErrorKind::WrongType { said })
    })
}

/// The numbers of a row, each with the heading of its column. What is empty or endless is none.
fn statistics<'r>(
    headings: &'r csv::StringRecord,
    record: &'r csv::StringRecord,
) -> impl Iterator<Item = (&'r str, f64)> {
    let is_stat =
        |key: &str| matches!(key, "sum" | "Value") || super::aggregates::usual_stat(key).is_some();
    headings
        .iter()
        .zip(record.iter())
        .filter(move |(key, _)| is_stat(key))
        .filter_map(|(key, cell)| Some((key, number_of(cell).filter(|v| v.is_finite())?)))
}

/// The benchmark duration is what rates were divided by where it gives the printed rate; else it is kept
/// under its name. Two decimals of duration and rate leave room for half a hundredth each.
fn put_duration(run: &mut Run, seconds: f64) {
    let value = |metric| run.reported.value(metric);
    let divides = match (value(Metric::Completed), value(Metric::RequestThroughput)) {
        (Some(count), Some(rate)) => {
            let (low, high) = ((seconds - 0.005).max(1e-9), seconds + 0.005);
            count / high <= rate + 0.005 && count / low >= rate - 0.005
        }
        _ => true,
    };
    if divides {
        let field = "Benchmark Duration";
        put(&mut run.reported, field, Metric::Duration, Stat::Value, Some(seconds), SAME);
        return;
    }
    further(&mut run.reported, "Benchmark Duration", Some(seconds), "sec");
    let text = "The printed rates are not divided by the benchmark duration but by the length of the \
                phase, which is in profile_export_aiperf.json only.";
    run.provenance.notices.add(Severity::Note, "duration-elsewhere", Place::WholeFile, text);
}

#[cfg(test)]
mod tests {
    use crate::formats::read;
    use crate::model::{Metric, Run, Stat};

    fn run(text: &str) -> Run {
        read("a.csv", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    const TABLE: &str = "Metric,avg,min,max,sum,p1,p50,std\r\nTime to First Token (ms),88.14,40.47,144.78,6081.42,47.09,83.34,23.22\r\n\
        Time to First Token (error-adjusted) (ms),,40.47,inf,,50.20,88.52,\r\n\r\n\
        Metric,Value\r\nBenchmark Duration (sec),10.16\r\nRequest Count,69.00\r\nRequest Throughput (requests/sec),6.72\r\n\r\n\r\n\
        Endpoint,GPU_Index,GPU_Name,GPU_UUID,Platform,Metric,avg,min,max\r\n\
        localhost,0,H100,GPU-1,nvidia,NVIDIA GPU Power Usage (W),300.00,100.00,500.00\r\n\
        localhost,0,H100,GPU-1,nvidia,NVIDIA Energy Consumption (MJ),0.01,,\r\n";

    #[test]
    fn blocks_are_told_apart_by_their_headings() {
        let run = run(TABLE);
        let find = |metric, stat| run.reported.find(metric, stat).map(|v| v.value);
        assert_eq!(find(Metric::Ttft, Stat::Mean), Some(88.14));
        assert_eq!(find(Metric::Completed, Stat::Value), Some(69.0));
        assert_eq!(find(Metric::AcceleratorPower, Stat::Max), Some(500.0));
        assert_eq!(find(Metric::Energy, Stat::Value), Some(10_000.0));
        assert_eq!(run.load.gpus, Some(1));
        let ttfts = run.reported.values.iter().filter(|v| v.metric == Metric::Ttft).count();
        assert_eq!(ttfts, 6, "error-adjusted rows are none of them");
    }

    #[test]
    fn a_duration_that_does_not_give_the_rate_divides_nothing() {
        assert_eq!(run(TABLE).reported.value(Metric::Duration), None);
        let fits = TABLE.replace("6.72", "6.79");
        assert_eq!(run(&fits).reported.value(Metric::Duration), Some(10.16));
    }
}
