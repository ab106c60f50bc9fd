//! Plain tables with one row a load: aggregates typed in by hand or exported by a client.

use super::aggregates::{further, put};
use super::csv_columns::Plan;
use super::csv_map::{Field, Mapping};
use super::csv_table::{Heading, Table, TimeUnit, number};
use super::error::{ErrorKind, Fault};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{Load, Metric, Provenance, Reported, RequestRate, Run, Stat, Tool, Workload};
use crate::notice::{Notices, Place, Severity};

/// A table of loads.
pub(super) struct CsvPoints;

static ABOUT: About = About {
    name: "a CSV of loads",
    file: "a table with one row a load; separated by comma, semicolon, tab or bar",
    versions: "a load (`concurrency`, `request_rate`) beside aggregates (`ttft_ms`, `p99_tpot_ms`, \
               `output_tok_s`), in any order",
    recognised: "a heading for the load beside one for a latency or a throughput, and none for a request",
    reads: &[
        "every row as a run that has only printed numbers",
        "mean, median, std, min, max and any percentile before or after the metric’s name",
        "throughput in tokens or requests per second, goodput, completed, failed, duration, GPUs, model",
    ],
    limits: &[
        "nothing can be computed again: there are no requests",
        "a latency without a unit is refused; a throughput without tok or req in its name is not used",
        "a latency without a statistic in its name is taken as the mean, and said so",
    ],
}.lean();

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Role {
    Concurrency,
    Rate,
    Gpus,
    Model,
    Dataset,
    Backend,
    Latency(Metric, Option<Stat>),
    Value(Metric),
    /// A number that no metric of ours claims.
    Further,
    /// A throughput that does not say of what.
    Vague,
    /// Somebody said that it is not to be used.
    Unused,
}

/// Whether headings are those of a table of loads: one says how a load was offered, and none is of
/// a single request.
pub(super) fn are_loads(headings: &[Heading]) -> bool {
    let load = |h: &Heading| matches!(role(h), Some(Role::Concurrency | Role::Rate));
    let single = [Field::RequestId, Field::InputTokens, Field::OutputTokens];
    headings.iter().any(load) && !Plan::of(headings).has(&single)
}

/// The run-level metrics that a column can be.
const VALUES: [(Field, Metric); 10] = [
    (Field::Completed, Metric::Completed),
    (Field::Failed, Metric::Failed),
    (Field::Duration, Metric::Duration),
    (Field::TotalInputTokens, Metric::TotalInputTokens),
    (Field::TotalOutputTokens, Metric::TotalOutputTokens),
    (Field::RequestThroughput, Metric::RequestThroughput),
    (Field::OutputThroughput, Metric::OutputThroughput),
    (Field::InputThroughput, Metric::InputThroughput),
    (Field::TotalThroughput, Metric::TotalThroughput),
    (Field::Goodput, Metric::Goodput),
];

/// The latencies that a column can be.
const LATENCIES: [(Field, Metric); 4] = [
    (Field::Ttft, Metric::Ttft),
    (Field::Tpot, Metric::Tpot),
    (Field::Itl, Metric::Itl),
    (Field::E2e, Metric::E2e),
];

/// The field that a heading names by itself.
pub(super) fn field(heading: &Heading) -> Option<Field> {
    let of = |pairs: &[(Field, Metric)], metric| {
        pairs.iter().find(|(_, m)| *m == metric).map(|(field, _)| *field)
    };
    match role(heading)? {
        Role::Concurrency => Some(Field::Concurrency),
        Role::Rate => Some(Field::RequestRate),
        Role::Gpus => Some(Field::Gpus),
        Role::Model => Some(Field::Model),
        Role::Latency(metric, _) => of(&LATENCIES, metric),
        Role::Value(metric) => of(&VALUES, metric),
        _ => None,
    }
}

/// What a column is that somebody called `field`; its statistic stands in its heading.
fn role_of(field: Field, heading: &Heading) -> Option<Role> {
    let of = |pairs: &[(Field, Metric)]| {
        pairs.iter().find(|(f, _)| *f == field).map(|(_, metric)| *metric)
    };
    let stat = || heading.name.split('_').find_map(stat_of);
    Some(match field {
        Field::Concurrency => Role::Concurrency,
        Field::RequestRate => Role::Rate,
        Field::Gpus => Role::Gpus,
        Field::Model => Role::Model,
        Field::Unused => Role::Unused,
        _ => match (of(&LATENCIES), of(&VALUES)) {
            (Some(metric), _) => Role::Latency(metric, stat()),
            (None, metric) => Role::Value(metric?),
        },
    })
}

/// The columns of a table, and what each is.
pub(super) type Columns = Vec<(Heading, Option<Role>)>;

/// The columns of a table as somebody said, the others by their headings; `None` where that makes no
/// table of loads.
pub(super) fn mapped(headings: &[Heading], mapping: &Mapping) -> Result<Option<Columns>, Fault> {
    let mut columns: Vec<_> = by_name(headings);
    for (field, at, unit) in mapping.placed(headings)? {
        let Some((heading, role)) = columns.get_mut(at) else { continue };
        *role = role_of(field, heading);
        if role.is_none() {
            return Ok(None);
        }
        heading.unit = unit.or(heading.unit);
    }
    let load = |field| matches!(field, Field::Concurrency | Field::RequestRate);
    let said = mapping.columns.iter().any(|column| load(column.field));
    Ok((said || are_loads(headings)).then_some(columns))
}

/// The columns of a table by their headings.
pub(super) fn by_name(headings: &[Heading]) -> Columns {
    headings.iter().map(|heading| (heading.clone(), role(heading))).collect()
}

fn role(heading: &Heading) -> Option<Role> {
    let name = heading.name.as_str();
    Some(match name {
        "concurrency"
        | "max_concurrency"
        | "concurrent_requests"
        | "users"
        | "clients"
        | "num_users"
        | "num_clients"
        | "batch_size"
        | "conc" => Role::Concurrency,
        "request_rate" | "rate" | "qps" | "rps" | "target_qps" | "target_rps" => Role::Rate,
        "gpus" | "num_gpus" | "accelerators" => Role::Gpus,
        "model" | "model_id" | "model_name" => Role::Model,
        "completed" | "successful_requests" => Role::Value(Metric::Completed),
        "failed" | "failed_requests" => Role::Value(Metric::Failed),
        "duration" | "benchmark_duration" => Role::Value(Metric::Duration),
        "total_input_tokens" => Role::Value(Metric::TotalInputTokens),
        "total_output_tokens" => Role::Value(Metric::TotalOutputTokens),
        "goodput" | "request_goodput" | "goodput_req" | "goodput_rps" => {
            Role::Value(Metric::Goodput)
        }
        "throughput" => Role::Vague,
        _ => return throughput(name).map(Role::Value).or_else(|| latency(name)),
    })
}

fn throughput(name: &str) -> Option<Metric> {
    let words: Vec<&str> = name.split('_').collect();
    let has = |some: &[&str]| words.iter().any(|word| some.contains(word));
    let rate = has(&["throughput", "tput", "per"]) || has(&["tok", "req", "tps", "reqs", "toks"]);
    if !rate || has(&["time", "latency", "len", "length"]) {
        return None;
    }
    let tokens = has(&["tok", "toks", "token", "tokens", "tps"]);
    Some(if has(&["total"]) && (tokens || has(&["throughput", "tput"])) {
        Metric::TotalThroughput
    } else if has(&["input", "prompt", "prefill"]) {
        Metric::InputThroughput
    } else if tokens || has(&["output", "decode", "generation"]) {
        Metric::OutputThroughput
    } else if has(&["req", "reqs", "request", "requests"]) {
        Metric::RequestThroughput
    } else {
        return None;
    })
}

fn latency(name: &str) -> Option<Role> {
    let mut stat = None;
    let mut rest = Vec::new();
    for word in name.split('_') {
        match stat_of(word) {
            Some(found) if stat.is_none() => stat = Some(found),
            _ => rest.push(word),
        }
    }
    let metric = match rest.join("_").as_str() {
        "ttft" | "time_to_first_token" => Metric::Ttft,
        "tpot" | "time_per_output_token" => Metric::Tpot,
        "itl" | "inter_token_latency" => Metric::Itl,
        "e2e" | "e2el" | "e2e_latency" | "end_to_end_latency" | "request_latency" | "latency" => {
            Metric::E2e
        }
        _ => return None,
    };
    Some(Role::Latency(metric, stat))
}

fn stat_of(word: &str) -> Option<Stat> {
    Some(match word {
        "mean" | "avg" | "average" => Stat::Mean,
        "median" => Stat::Median,
        "std" | "stddev" => Stat::Std,
        "min" => Stat::Min,
        "max" => Stat::Max,
        _ => {
            let percent = word.strip_prefix('p')?.parse::<u32>().ok()?;
            // `p999` is the usual spelling of 99.9 where a dot can't stand.
            let percent = if percent == 999 { 99.9 } else { f64::from(percent) };
            (percent <= 100.0).then_some(Stat::Percentile(percent))?
        }
    })
}

impl Format for CsvPoints {
    fn id(&self) -> &'static str {
        "csv-points"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(table) = Table::of_head(head) else { return Verdict::No };
        let roles: Vec<Role> = table.headings.iter().filter_map(role).collect();
        let load = roles.iter().any(|r| matches!(r, Role::Concurrency | Role::Rate));
        let number = roles.iter().any(|r| {
            matches!(r, Role::Latency(..))
                || matches!(r, Role::Value(m) if m.unit() == crate::units::Unit::TokensPerSecond)
        });
        if load && number {
            return Verdict::Likely("its header has a load beside latencies or throughputs".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let Some(table) = Table::whole(input.text, out) else {
            return Err(Fault::whole(ErrorKind::NoRows));
        };
        read(&input, &table, &by_name(&table.headings), out)
    }
}

/// Reads a table of loads whose columns are known.
pub(super) fn read(
    input: &Input<'_>,
    table: &Table<'_>,
    columns: &[(Heading, Option<Role>)],
    out: &mut Notices,
) -> Result<Vec<Run>, Fault> {
    for (heading, role) in columns {
        check(heading, *role, out)?;
    }
    runs(input, CsvPoints.id(), Tool::Csv, table, columns)
}

/// The runs of `tool` in a table of loads, one a row.
pub(super) fn runs(
    input: &Input<'_>,
    format: &str,
    tool: Tool,
    table: &Table<'_>,
    columns: &[(Heading, Option<Role>)],
) -> Result<Vec<Run>, Fault> {
    let mut rows = Vec::new();
    table.each_row(|line, _, cells| {
        rows.push(Row::of(columns, line, cells)?);
        Ok(())
    })?;
    let of = rows.len();
    if of == 0 {
        return Err(Fault::whole(ErrorKind::NoRows));
    }
    let runs = rows
        .into_iter()
        .enumerate()
        .map(|(index, row)| row.run(tool, input.provenance(format, index, of)))
        .collect();
    Ok(super::name_apart(runs, "name"))
}

fn check(heading: &Heading, role: Option<Role>, out: &mut Notices) -> Result<(), Fault> {
    let place = Place::Cell { line: 1, column: heading.raw.clone() };
    let raw = &heading.raw;
    match role {
        Some(Role::Latency(..)) if heading.unit.is_none() => {
            let field = field(heading).map_or("ttft", Field::id);
            Err(Fault::at(place, ErrorKind::NoUnit { column: raw.clone(), field }))
        }
        Some(Role::Latency(_, None)) => {
            let text = format!("“{raw}” does not say which statistic it is: taken as the mean.");
            out.add(Severity::Warn, "no-statistic", place, text);
            Ok(())
        }
        Some(Role::Vague) => {
            let text = format!(
                "“{raw}” does not say of what (output_tok_s, total_tok_s, req_s): it is not used."
            );
            out.add(Severity::Warn, "no-unit", place, text);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// One load.
#[derive(Default)]
struct Row {
    load: Load,
    workload: Workload,
    reported: Reported,
}

impl Row {
    fn of(
        columns: &[(Heading, Option<Role>)],
        line: u64,
        cells: &csv::StringRecord,
    ) -> Result<Self, Fault> {
        let mut row = Self::default();
        for ((heading, role), cell) in columns.iter().zip(cells) {
            let Some(role) = role else {
                if !cell.is_empty() && !heading.raw.is_empty() {
                    row.workload.settings.push((heading.raw.clone(), cell.to_owned()));
                }
                continue;
            };
            let text = match role {
                Role::Model => Some(&mut row.workload.model),
                Role::Dataset => Some(&mut row.workload.dataset),
                Role::Backend => Some(&mut row.workload.backend),
                _ => None,
            };
            if let Some(text) = text {
                *text = (!cell.is_empty()).then(|| cell.to_owned());
                continue;
            }
            if matches!(role, Role::Vague | Role::Unused) {
                continue;
            }
            let value = number(cell).map_err(|kind| {
                Fault::at(Place::Cell { line, column: heading.raw.clone() }, kind)
            })?;
            if let Some(value) = value {
                row.set(heading, *role, value);
            }
        }
        Ok(row)
    }

    fn set(&mut self, heading: &Heading, role: Role, value: f64) {
        let whole = |value: f64| (value >= 1.0 && value.is_finite()).then_some(value as u64);
        match role {
            Role::Concurrency => self.load.max_concurrency = whole(value),
            Role::Rate if value.is_infinite() => {
                self.load.request_rate = Some(RequestRate::Unlimited);
            }
            Role::Rate => {
                self.load.request_rate = (value > 0.0).then_some(RequestRate::PerSecond(value));
            }
            Role::Gpus => self.load.gpus = whole(value).and_then(|n| u32::try_from(n).ok()),
            Role::Latency(metric, stat) => {
                let unit = heading.unit.unwrap_or(TimeUnit::Millis);
                let scale = unit.span(1.0).as_millis();
                self.push(heading, metric, stat.unwrap_or(Stat::Mean), value, scale);
            }
            // Durations are in seconds in every table seen; another unit is in the name.
            Role::Value(Metric::Duration) => {
                let scale = heading.unit.unwrap_or(TimeUnit::Secs).span(1.0).as_secs();
                self.push(heading, Metric::Duration, Stat::Value, value, scale);
            }
            Role::Value(metric) => self.push(heading, metric, Stat::Value, value, 1.0),
            Role::Further => further(&mut self.reported, &heading.raw, Some(value), ""),
            Role::Model | Role::Dataset | Role::Backend | Role::Vague | Role::Unused => {}
        }
    }

    fn push(&mut self, heading: &Heading, metric: Metric, stat: Stat, value: f64, scale: f64) {
        put(&mut self.reported, &heading.raw, metric, stat, Some(value), scale);
    }

    fn run(self, tool: Tool, provenance: Provenance) -> Run {
        let blank = super::blank(tool, tool.name(), provenance);
        Run { load: self.load, workload: self.workload, reported: self.reported, ..blank }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    #[test]
    fn two_loads_of_one_server() {
        let text =
            "concurrency,ttft_ms,tpot_ms,output_tok_s\n1,257,32.3,29.5\n64,965,243.8,239.3\n";
        let runs = read("x.csv", text.as_bytes(), &mut |_| {}).unwrap();
        assert_eq!(runs.len(), 2);
        let ratio = |metric, stat| {
            let of = |run: &Run| run.reported.find(metric, stat).unwrap().value;
            of(&runs[1]) / of(&runs[0])
        };
        assert!((ratio(Metric::OutputThroughput, Stat::Value) - 8.1).abs() < 0.05);
        assert!((ratio(Metric::Tpot, Stat::Mean) - 7.5).abs() < 0.05);
        assert!((ratio(Metric::Ttft, Stat::Mean) - 3.8).abs() < 0.05);
        assert_eq!(runs[1].load.max_concurrency, Some(64));
        assert_eq!(runs[1].name, "CSV, 64 in flight");
    }

    #[test]
    fn statistics_and_throughputs_by_name() {
        let of = |raw: &str| role(&Table::of(&format!("{raw},x\n")).unwrap().headings[0]);
        let p99 = Some(Stat::Percentile(99.0));
        assert_eq!(of("p99_ttft_ms"), Some(Role::Latency(Metric::Ttft, p99)));
        assert_eq!(of("TPOT p99 (ms)"), Some(Role::Latency(Metric::Tpot, p99)));
        assert_eq!(of("output tok/s"), Some(Role::Value(Metric::OutputThroughput)));
        assert_eq!(of("total_token_throughput"), Some(Role::Value(Metric::TotalThroughput)));
        assert_eq!(of("request_throughput"), Some(Role::Value(Metric::RequestThroughput)));
        assert_eq!(of("throughput"), Some(Role::Vague));
        assert_eq!(of("colour"), None);
    }
}
