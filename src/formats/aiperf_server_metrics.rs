//! AIPerf's scrape of the server's own metrics: statistics as JSON or as a table, or every scrape.
//!
//! These are the server’s numbers: they keep their own names and never stand among the client’s.

use super::aggregates::further;
use super::aiperf::{self, SKIP};
use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::json::number_of;
use super::tree::{Each, Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Dump, DumpShape, Part, Run};
use crate::notice::{Notices, Place, Severity};
use crate::prometheus::Collector;
use crate::units::UnixTime;
use std::collections::{BTreeMap, BTreeSet};

/// The server metrics of NVIDIA AIPerf.
pub(super) struct AiperfServerMetrics;

static ABOUT: About = About {
    name: "AIPerf server metrics",
    file: "`server_metrics_export.json`, `.csv` and `.jsonl`, or `PREFIX_server_metrics.…`, of \
           `aiperf profile`",
    versions: "AIPerf 0.4 to 0.13",
    recognised: "`metrics` beside a `summary` with `endpoints_configured`; a table under lines that start \
                 “# AIPerf Server Metrics”; or lines with `endpoint_url`, `timestamp_ns` and `metrics`",
    reads: &[
        "what the server measured of itself, under its own names: gauges, counters, histograms with the \
         percentiles that AIPerf estimated from their buckets",
        "of a file of scrapes: mean, extremes and the rise of every series, and the series themselves",
    ],
    limits: &[
        "percentiles out of buckets are estimates and are never mixed with those of the client",
        "addresses and the text of info metrics are not kept",
        "the Parquet file holds the same scrapes: drop the JSON",
    ],
}.lean();

impl Format for AiperfServerMetrics {
    fn id(&self) -> &'static str {
        "aiperf-server-metrics"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["summary", "metrics"]) && head.contains("\"endpoints_configured\"") {
            return Verdict::Certain(
                "it has metrics beside the endpoints that were scraped".into(),
            );
        }
        if head.has_keys(&["endpoint_url", "timestamp_ns", "metrics"]) {
            return Verdict::Certain("it has endpoint_url and timestamp_ns beside metrics".into());
        }
        let line = head.first_line();
        if line.starts_with("# AIPerf Server Metrics")
            || line.starts_with("Endpoint,Type,Metric,Unit,")
        {
            return Verdict::Certain(
                "its heading is that of AIPerf’s table of server metrics".into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let name = "AIPerf server metrics";
        let mut run = aiperf::run(name, input.provenance(self.id(), 0, 1), Part::Server);
        let json = input.text.trim_start().starts_with(['{', '[']);
        if json {
            documents(&mut run, &mut input, out)?;
        } else {
            table(&mut run, input.text)?;
        }
        if run.reported.further.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRuns));
        }
        Ok(vec![run])
    }

    fn dump(&self, input: &mut Input<'_>, out: &mut Notices) -> Result<Option<Dump>, Fault> {
        if !input.text.contains("\"timestamp_ns\"") {
            return Ok(None);
        }
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let seed = TreeSeed { skip: SKIP, ticker: &ticker };
        let convert = |tree: Tree| Ok(tree);
        // What is wrong with a line is said once, with the run.
        let mut said = Notices::new();
        let found =
            documents::read(input.text, Each { seed, convert: &convert }, &ticker, &mut said)?;
        let endpoints: BTreeSet<String> = found
            .iter()
            .filter_map(|d| d.value.text_at(&["endpoint_url"]))
            .map(str::to_owned)
            .collect();
        let mut collector = Collector::new(DumpShape::Aiperf);
        for document in &found {
            let own = document.value.text_at(&["endpoint_url"]).unwrap_or_default();
            let server = endpoints.iter().position(|e| e == own).filter(|_| endpoints.len() > 1);
            scrape(&document.value, server, &mut collector);
        }
        Ok(collector.finish(out))
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        aiperf::stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        aiperf::beside(name)
    }
}

/// Takes one scrape. Addresses may be private: several servers are numbered.
fn scrape(tree: &Tree, server: Option<usize>, collector: &mut Collector) {
    let Some(nanos) = tree.get("timestamp_ns").and_then(Tree::int) else { return };
    let at = UnixTime::from_secs(nanos as f64 / 1e9);
    let server = server.map(|number| (number + 1).to_string());
    for (name, samples) in tree.get("metrics").map(Tree::members).unwrap_or_default() {
        for sample in samples.list() {
            let mut labels: Vec<(&str, &str)> = labels(sample).collect();
            labels.extend(server.as_deref().map(|number| ("server", number)));
            let number = |key: &str| sample.number_at(&[key]);
            if let Some(value) = number("value") {
                collector.sample(name, &labels, at, value);
            }
            for (edge, count) in sample.get("buckets").map(Tree::members).unwrap_or_default() {
                let Some(count) = count.number() else { continue };
                let mut labels = labels.clone();
                labels.push(("le", edge.as_str()));
                collector.sample(&format!("{name}_bucket"), &labels, at, count);
            }
            for part in ["sum", "count"] {
                if let Some(value) = number(part) {
                    collector.sample(&format!("{name}_{part}"), &labels, at, value);
                }
            }
        }
    }
}

/// The labels of a series that tell it from others of its metric: all but the model’s name and the
/// engine’s number, which are the same in most files.
fn series_name<'l>(metric: &str, labels: impl Iterator<Item = (&'l str, &'l str)>) -> String {
    let kept: Vec<String> = labels
        .filter(|(key, value)| *key != "model_name" && (*key != "engine" || *value != "0"))
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    if kept.is_empty() {
        return metric.to_owned();
    }
    format!("{metric} ({})", kept.join(", "))
}

fn labels(series: &Tree) -> impl Iterator<Item = (&str, &str)> {
    let labels = series.get("labels").map(Tree::members).unwrap_or_default();
    labels.iter().filter_map(|(key, value)| Some((key.as_str(), value.text()?)))
}

/// The unit of a statistic of a metric.
fn unit_of(unit: &str, key: &str) -> String {
    match key {
        "count" => String::new(),
        "count_rate" => "1/s".to_owned(),
        _ if unit.is_empty() => String::new(),
        _ if key.contains("rate") => format!("{unit}/s"),
        _ => unit.to_owned(),
    }
}

fn add(run: &mut Run, series: &str, unit: &str, key: &str, value: Option<f64>) {
    further(&mut run.reported, &format!("{series} {key}"), value, &unit_of(unit, key));
}

/// Reads a document of statistics, or one scrape a line.
fn documents(run: &mut Run, input: &mut Input<'_>, out: &mut Notices) -> Result<(), Fault> {
    let skip: Vec<&str> = SKIP.iter().copied().chain(["buckets"]).collect();
    let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
    let seed = TreeSeed { skip: &skip, ticker: &ticker };
    let convert = |tree: Tree| {
        Ok(match tree.get("timestamp_ns") {
            Some(_) => Document::Scrape(Scrape::of(&tree)),
            None => Document::Statistics(tree),
        })
    };
    let found = documents::read(input.text, Each { seed, convert: &convert }, &ticker, out)?;
    let mut scrapes = Vec::new();
    for document in found {
        match document.value {
            Document::Scrape(scrape) => scrapes.push(scrape),
            Document::Statistics(tree) => statistics(run, &tree),
        }
    }
    gather(run, scrapes);
    Ok(())
}

enum Document {
    Statistics(Tree),
    Scrape(Scrape),
}

fn statistics(run: &mut Run, tree: &Tree) {
    aiperf::set_up(run, tree);
    run.workload.date = tree.text_at(&["summary", "start_time"]).map(str::to_owned);
    let mut models = BTreeSet::new();
    for (name, metric) in tree.get("metrics").map(Tree::members).unwrap_or_default() {
        let unit = metric.text_at(&["unit"]).unwrap_or_default();
        for series in metric.get("series").map(Tree::list).unwrap_or_default() {
            models.extend(series.text_at(&["labels", "model_name"]));
            let label = series_name(name, labels(series));
            for (key, value) in series.get("stats").map(Tree::members).unwrap_or_default() {
                add(run, &label, unit, key, value.number());
            }
        }
    }
    if let (1, Some(model)) = (models.len(), models.first()) {
        run.workload.model = Some((*model).to_owned());
    }
}

/// One scrape of one endpoint: every series with its value, or with the sum and count of a histogram.
struct Scrape {
    time: Option<i128>,
    endpoint: String,
    series: Vec<(String, Reading)>,
}

enum Reading {
    Value(f64),
    Histogram { sum: f64, count: f64 },
}

impl Scrape {
    fn of(tree: &Tree) -> Self {
        let mut series = Vec::new();
        for (name, samples) in tree.get("metrics").map(Tree::members).unwrap_or_default() {
            for sample in samples.list() {
                let number = |key: &str| sample.number_at(&[key]);
                let reading = match (number("value"), number("sum"), number("count")) {
                    (Some(value), _, _) => Reading::Value(value),
                    (None, Some(sum), Some(count)) => Reading::Histogram { sum, count },
                    _ => continue,
                };
                series.push((series_name(name, labels(sample)), reading));
            }
        }
        Self {
            time: tree.get("timestamp_ns").and_then(Tree::int),
            endpoint: tree.text_at(&["endpoint_url"]).unwrap_or_default().to_owned(),
            series,
        }
    }
}

/// What one series did over all scrapes.
struct Course {
    histogram: bool,
    first: [f64; 2],
    last: [f64; 2],
    min: f64,
    max: f64,
    sum: f64,
    count: f64,
}

fn gather(run: &mut Run, mut scrapes: Vec<Scrape>) {
    if scrapes.is_empty() {
        return;
    }
    scrapes.sort_by_key(|scrape| scrape.time);
    let endpoints: BTreeSet<String> = scrapes.iter().map(|s| s.endpoint.clone()).collect();
    let number = |endpoint: &str| endpoints.iter().position(|e| e == endpoint).unwrap_or_default();
    let count = scrapes.len();
    let mut courses: BTreeMap<(usize, String), Course> = BTreeMap::new();
    for scrape in scrapes {
        let endpoint = number(&scrape.endpoint);
        for (name, reading) in scrape.series {
            let (histogram, now) = match reading {
                Reading::Value(value) => (false, [value, 0.0]),
                Reading::Histogram { sum, count } => (true, [sum, count]),
            };
            let [value, _] = now;
            let course = courses.entry((endpoint, name)).or_insert(Course {
                histogram,
                first: now,
                last: now,
                min: value,
                max: value,
                sum: 0.0,
                count: 0.0,
            });
            course.last = now;
            course.min = course.min.min(value);
            course.max = course.max.max(value);
            course.sum += value;
            course.count += 1.0;
        }
    }
    for ((endpoint, name), course) in courses {
        // Addresses may be private: several servers are numbered.
        let name = match endpoints.len() {
            1 => name,
            _ => format!("server {} {name}", endpoint + 1),
        };
        let ([first, earlier], [last, later]) = (course.first, course.last);
        if course.histogram {
            add(run, &name, "", "count", Some(later - earlier));
            add(run, &name, "", "sum", Some(last - first));
            if later > earlier {
                add(run, &name, "", "avg", Some((last - first) / (later - earlier)));
            }
        } else {
            add(run, &name, "", "avg", Some(course.sum / course.count));
            add(run, &name, "", "min", Some(course.min));
            add(run, &name, "", "max", Some(course.max));
            add(run, &name, "", "rise", Some(last - first));
        }
    }
    let text = format!("{count} scrapes: each number is of all of them, warm-up included.");
    run.provenance.notices.add(Severity::Note, "whole-scrape", Place::WholeFile, text);
}

/// Reads the blocks of a table, each under its own heading.
fn table(run: &mut Run, text: &str) -> Result<(), Fault> {
    for line in text.lines().take_while(|line| line.starts_with('#')) {
        if let Some(version) = line.strip_prefix("# aiperf_version: ") {
            run.version.exact = Some(version.trim().to_owned());
        }
        if let Some(id) = line.strip_prefix("# benchmark_id: ") {
            run.provenance.kin = Some(id.trim().to_owned());
        }
    }
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .has_headers(false)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let mut headings = csv::StringRecord::new();
    let mut models = BTreeSet::new();
    let mut record = csv::StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let line = error.position().map_or(1, csv::Position::line);
                let said = "a row can’t be read as text".to_owned();
                let place = Place::LineColumn { line, column: 1 };
                return Err(Fault::at(place, ErrorKind::WrongType { said }));
            }
        }
        if record.get(0) == Some("Endpoint") {
            headings = record.clone();
            continue;
        }
        // Info metrics hold texts, such as a server's arguments.
        if headings.get(1) != Some("Type") {
            continue;
        }
        let cells: Vec<(&str, &str)> = headings.iter().zip(record.iter()).skip(2).collect();
        let cell = |heading: &str| {
            cells.iter().find(|(key, _)| *key == heading).map_or("", |(_, cell)| *cell)
        };
        let is_label =
            |key: &str| !is_stat(key) && !matches!(key, "Metric" | "Unit" | "Description");
        models.extend(Some(cell("model_name").to_owned()).filter(|model| !model.is_empty()));
        let labels = cells.iter().copied().filter(|(key, _)| is_label(key));
        let name = series_name(cell("Metric"), labels);
        for (key, value) in cells.iter().filter(|(key, _)| is_stat(key)) {
            add(run, &name, cell("Unit"), key, number_of(value));
        }
    }
    if let (1, Some(model)) = (models.len(), models.first()) {
        run.workload.model = Some(model.clone());
    }
    Ok(())
}

/// Whether a column is a statistic; the others are labels.
fn is_stat(key: &str) -> bool {
    matches!(key, "total" | "rate" | "count" | "sum" | "count_rate" | "sum_rate")
        || key
            .strip_prefix("rate_")
            .is_some_and(|stat| super::aggregates::usual_stat(stat).is_some())
        || super::aggregates::usual_stat(key.trim_end_matches("_estimate")).is_some()
}

#[cfg(test)]
mod tests {
    use crate::formats::read;
    use crate::model::Run;

    fn run(text: &str) -> Run {
        read("a", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    fn further(run: &Run, field: &str) -> Option<(f64, String)> {
        run.reported.further.iter().find(|f| f.field == field).map(|f| (f.value, f.unit.clone()))
    }

    #[test]
    fn a_table_says_the_same_as_its_json() {
        let json = run(
            "{\"benchmark_id\": \"b\", \"summary\": {\"endpoints_configured\": [\"http://secret\"]}, \
             \"metrics\": {\"vllm:request_success\": {\"type\": \"counter\", \"unit\": \"requests\", \
             \"series\": [{\"endpoint_url\": \"http://secret\", \"labels\": {\"engine\": \"0\", \
             \"model_name\": \"m\", \"finished_reason\": \"stop\"}, \"stats\": {\"total\": 60.0, \
             \"rate\": 4.5}}]}}}",
        );
        let table = run("# AIPerf Server Metrics Export (CSV)\n# benchmark_id: b\n#\n\
             Endpoint,Type,Metric,Unit,total,rate,engine,finished_reason,model_name,Description\n\
             secret,counter,vllm:request_success,requests,60.0000,4.5000,0,stop,m,Count.\n\n\
             Endpoint,Metric,Key,Value,Description\nsecret,info,args,--api-key=1,x\n");
        for run in [&json, &table] {
            let field = "vllm:request_success (finished_reason=stop) total";
            assert_eq!(further(run, field), Some((60.0, "requests".into())));
            let field = "vllm:request_success (finished_reason=stop) rate";
            assert_eq!(further(run, field), Some((4.5, "requests/s".into())));
            assert_eq!(run.provenance.kin.as_deref(), Some("b"));
            assert_eq!(run.workload.model.as_deref(), Some("m"));
            assert!(run.reported.values.is_empty(), "no client’s number");
            assert!(!format!("{:?}{:?}", run.reported, run.workload).contains("secret"));
        }
    }

    #[test]
    fn scrapes_are_told_by_their_course() {
        let scrape = |time: u32, tokens: u32, sum: f64, count: u32| {
            format!(
                "{{\"endpoint_url\": \"http://a\", \"timestamp_ns\": {time}, \"metrics\": {{\"tokens\": \
                 [{{\"value\": {tokens}}}], \"latency\": [{{\"buckets\": {{\"1\": 3}}, \"sum\": {sum}, \
                 \"count\": {count}}}]}}}}\n"
            )
        };
        let run = run(&[scrape(10, 100, 1.0, 2), scrape(20, 160, 4.0, 5)].concat());
        assert_eq!(further(&run, "tokens rise").map(|f| f.0), Some(60.0));
        assert_eq!(further(&run, "tokens avg").map(|f| f.0), Some(130.0));
        assert_eq!(further(&run, "latency avg").map(|f| f.0), Some(1.0));
    }
}
