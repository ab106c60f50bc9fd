//! The arguments: subcommands, and the options that they share.

use super::axes::parse_axis;
use crate::engine::protocol::{Field, MappedColumn, TimeUnit};
use crate::metrics::{Axis, Figure};
use crate::model::{Level, Limit, Metric, ReportPlan, Stat};
use crate::report::section_ids;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr as _;

/// Puts LLM serving benchmarks on the same ruler.
#[derive(Debug, Parser)]
#[command(
    name = "sameruler",
    version,
    about = "Puts LLM serving benchmarks on the same ruler: recomputes TTFT, TPOT, ITL, E2E, throughput and goodput under definitions that you choose and can see.",
    after_help = "Exit status: 0 everything was read; 1 the answer could not be written; 2 wrong use; 3 `check` found something that blocks; 4 at least one file could not be read (the others are still reported).",
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(super) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,
}

/// What the command can do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Say what each file is, what it holds, and what to know about it
    Inspect(Inspect),
    /// Print the metrics of each run under one set of definitions
    Metrics(Metrics),
    /// Explain why two numbers disagree, one definition at a time, or whose number it is
    Explain(Explain),
    /// Draw sweeps as curves: points by load, Pareto frontier, knee, throughput peak and goodput peak
    Curve(Curve),
    /// Say what is wrong with the data of each run and between runs; ends with 3 if anything blocks
    Check(Check),
    /// Say what pages of server metrics hold: histograms, counters, gauges; of two readings, what lies
    /// between
    Server(Server),
    /// List the result files that can be read
    Formats(Listing),
    /// List the dimensions of a definition, their choices, and the presets
    Definitions(Listing),
    /// Write a static report: one HTML file that needs no script and no network
    Report(Report),
    /// Write the runs as one file (.sameruler) that the page and this command open again
    Session(Session),
}

/// How much of the runs' data a file carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Data {
    /// What the tools printed.
    Aggregates,
    /// Also the timings and tokens of each request.
    Requests,
    /// Also the times of stream events: all that the files hold.
    Events,
}

impl From<Data> for Level {
    fn from(data: Data) -> Self {
        match data {
            Data::Aggregates => Self::Aggregates,
            Data::Requests => Self::Requests,
            Data::Events => Self::Events,
        }
    }
}

/// How much a report carries, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Carries {
    /// Nothing: the report can be read and not opened again.
    None,
    /// What the tools printed.
    Aggregates,
    /// Also the timings and tokens of each request.
    Requests,
    /// Also the times of stream events: all that the files hold.
    Events,
}

impl Carries {
    /// The level, where there is one.
    pub(super) const fn level(self) -> Option<Level> {
        match self {
            Self::None => None,
            Self::Aggregates => Some(Level::Aggregates),
            Self::Requests => Some(Level::Requests),
            Self::Events => Some(Level::Events),
        }
    }
}

/// Which files.
#[derive(Debug, Args)]
pub(super) struct Files {
    /// Result files, folders (read whole, in order of name), patterns such as 'results/*.json', or -
    /// for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) paths: Vec<PathBuf>,
    /// What a column of a table is, such as ttft=TTFT(ms), or with its unit 'ttft=first token:ms'; can
    /// be given several times. For tables that no tool wrote; other columns are known by their names
    #[arg(long, value_name = "FIELD=COLUMN[:UNIT]", value_parser = parse_map)]
    pub(super) map: Vec<MappedColumn>,
    /// Write nothing to standard error but files that can't be read
    #[arg(long, short)]
    pub(super) quiet: bool,
    /// Take each file as a run of its own: no file beside a named one is read, and files of one run
    /// are not put together
    #[arg(long)]
    pub(super) alone: bool,
}

/// Under which definitions and limits.
#[derive(Debug, Args)]
pub(super) struct Ruler {
    /// The preset: `own` (each run under the definitions of the tool that wrote it), `prometheus` (each
    /// under those of its engine's Prometheus metrics), or one for all runs; `sameruler definitions`
    /// lists them [default: own; of a report: common]
    #[arg(long = "as", value_name = "PRESET", conflicts_with = "definitions")]
    pub(super) preset: Option<String>,
    /// A saved set of definitions, as the page saves it: JSON with `preset` and `changes`
    #[arg(long, value_name = "FILE")]
    pub(super) definitions: Option<PathBuf>,
    /// Change one dimension, such as tpot=whole-over-n; can be given several times
    #[arg(long, value_name = "DIMENSION=CHOICE", value_parser = parse_change)]
    pub(super) set: Vec<(String, String)>,
    /// The stretch of each run that counts, such as skip-first:8; rates divide by its length unless --set duration=… says otherwise
    #[arg(long, value_name = "WINDOW")]
    pub(super) window: Option<String>,
    /// A limit that a good request meets, such as 'ttft<=500ms'; can be given several times
    #[arg(long, value_name = "LIMIT", value_parser = Limit::from_str)]
    pub(super) slo: Vec<Limit>,
    /// Percentiles from 0 to 100 [default: 50,90,95,99; of a report: 50,99]
    #[arg(long, value_name = "P,P,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = parse_percentile)]
    pub(super) percentiles: Vec<f64>,
}

impl Ruler {
    /// The percentiles that were asked for, each once: it is one column, and one key in JSON.
    pub(super) fn percentiles(&self, default: &[f64]) -> Vec<f64> {
        once(&self.percentiles, default)
    }
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// Aligned columns for a terminal.
    Table,
    /// One JSON object.
    Json,
    /// Comma-separated values.
    Csv,
    /// A Markdown table.
    Markdown,
}

/// `inspect`
#[derive(Debug, Args)]
pub(super) struct Inspect {
    #[command(flatten)]
    pub(super) input: Files,
    /// Form of the answer
    #[arg(long, value_name = "FORM", default_value = "table")]
    pub(super) format: Form,
}

/// `metrics`
#[derive(Debug, Args)]
pub(super) struct Metrics {
    #[command(flatten)]
    pub(super) input: Files,
    #[command(flatten)]
    pub(super) ruler: Ruler,
    /// Plan for so many requests per second: replicas under the limits and without, of each sweep
    #[arg(long, value_name = "REQ_PER_S", value_parser = parse_demand, requires = "slo")]
    pub(super) demand: Option<f64>,
    /// Form of the answer
    #[arg(long, value_name = "FORM", default_value = "table")]
    pub(super) format: Form,
}

/// The form of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExplainForm {
    /// Sentences and aligned columns for a terminal.
    Table,
    /// One JSON object.
    Json,
    /// Markdown for an issue tracker.
    Markdown,
    /// Plain text for a chat.
    Text,
}

/// `explain`
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// One or two numbers: FILE, FILE#2 for the second run that one holds, FILE@vllm for another ruler
    /// than the tool’s own
    #[command(flatten)]
    pub(super) input: Files,
    /// The metric, such as itl or tpot
    #[arg(long, value_name = "METRIC", value_parser = parse_metric)]
    pub(super) metric: Option<Metric>,
    /// The metric of B, where it is another
    #[arg(long, value_name = "METRIC", value_parser = parse_metric)]
    pub(super) to_metric: Option<Metric>,
    /// The statistic: mean, median, std, min, max, p99, or value for a rate [default: mean; of a rate: value]
    #[arg(long, value_name = "STAT", value_parser = parse_stat)]
    pub(super) stat: Option<Stat>,
    /// The statistic of B, where it is another
    #[arg(long, value_name = "STAT", value_parser = parse_stat)]
    pub(super) to_stat: Option<Stat>,
    /// The ruler of both, where a file names none with @: a preset as in `metrics --as` [default: own]
    #[arg(long = "as", value_name = "PRESET")]
    pub(super) preset: Option<String>,
    /// Change one dimension of both, such as percentile=linear; can be given several times
    #[arg(long, value_name = "DIMENSION=CHOICE", value_parser = parse_change)]
    pub(super) set: Vec<(String, String)>,
    /// Change one dimension of A only; can be given several times
    #[arg(long, value_name = "DIMENSION=CHOICE", value_parser = parse_change)]
    pub(super) set_a: Vec<(String, String)>,
    /// Change one dimension of B only; can be given several times
    #[arg(long, value_name = "DIMENSION=CHOICE", value_parser = parse_change)]
    pub(super) set_b: Vec<(String, String)>,
    /// Dimensions that are changed first, in this order; the others follow in the documented one
    #[arg(long, value_name = "DIMENSION,…", value_delimiter = ',')]
    pub(super) order: Vec<String>,
    /// Give each step’s average over all orders in the table too
    #[arg(long)]
    pub(super) average: bool,
    /// Test the typical disagreements on the data of each run instead; with two numbers and --metric, say
    /// which of them lie between the two
    #[arg(long)]
    pub(super) library: bool,
    /// Say whose number this is instead: a number as it was seen, with its unit if there was one, such as
    /// 23.4ms, 0.0234 or '1,234 tok/s'; can be given several times
    #[arg(long, value_name = "NUMBER", value_parser = Figure::from_str, allow_hyphen_values = true)]
    pub(super) number: Vec<Figure>,
    /// With --number: the name it goes by, such as mean_itl_ms: among equals, what it says comes first
    #[arg(long, value_name = "NAME")]
    pub(super) field: Option<String>,
    /// A limit behind a goodput, such as 'ttft<=500ms', where the file has none; can be given several
    /// times
    #[arg(long, value_name = "LIMIT", value_parser = Limit::from_str)]
    pub(super) slo: Vec<Limit>,
    /// Form of the answer
    #[arg(long, value_name = "FORM", default_value = "table")]
    pub(super) format: ExplainForm,
}

/// The form of curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CurveForm {
    /// Aligned columns and sentences for a terminal.
    Table,
    /// One JSON object.
    Json,
    /// Comma-separated values, one row a point.
    Csv,
    /// Markdown tables and sentences.
    Markdown,
    /// The picture of the page’s Curves.
    Svg,
}

/// `curve`
#[derive(Debug, Args)]
pub(super) struct Curve {
    #[command(flatten)]
    pub(super) input: Files,
    #[command(flatten)]
    pub(super) ruler: Ruler,
    /// Across: a load (achieved, requested, sent, concurrency, in-flight, user-speed, output-throughput,
    /// output-per-gpu) or a metric such as tpot.p50 [default: achieved]
    #[arg(long, value_name = "AXIS", value_parser = parse_axis)]
    pub(super) x: Option<Axis>,
    /// Upward: a metric with its statistic, such as ttft.p99, goodput, output_throughput, or a load
    /// [default: ttft.p99]
    #[arg(long, value_name = "AXIS", value_parser = parse_axis)]
    pub(super) y: Option<Axis>,
    /// How many accelerators served each run whose file does not say
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) gpus: Option<u32>,
    /// Take the runs of these files as one sweep of this name, such as 'tp4=a/rate8.json,b/rate16.json', or with
    /// a folder's name all runs below it; can be given several times. Without a name each run stands alone
    #[arg(long, value_name = "NAME=FILE,…", value_parser = parse_sweep)]
    pub(super) sweep: Vec<(String, Vec<String>)>,
    /// Draw runs too that a finding holds back
    #[arg(long)]
    pub(super) anyway: bool,
    /// Where to write the picture; - for standard output [default: -]
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Form of the answer
    #[arg(long, value_name = "FORM", default_value = "table")]
    pub(super) format: CurveForm,
}

/// `check`
#[derive(Debug, Args)]
pub(super) struct Check {
    #[command(flatten)]
    pub(super) input: Files,
    #[command(flatten)]
    pub(super) ruler: Ruler,
    /// Form of the answer
    #[arg(long, value_name = "FORM", default_value = "table")]
    pub(super) format: Form,
}

/// `server`
#[derive(Debug, Args)]
pub(super) struct Server {
    /// Readings of one server's metrics in order of time: pages of /metrics, alone or several in a file, or
    /// the folder that they lie in; - for standard input
    #[arg(value_name = "FILE", required_unless_present = "before", conflicts_with_all = ["before", "after"])]
    pub(super) files: Vec<PathBuf>,
    /// The reading before the run; the last one that the file holds
    #[arg(long, value_name = "FILE", requires = "after")]
    pub(super) before: Option<PathBuf>,
    /// The reading after the run; the last one that the file holds
    #[arg(long, value_name = "FILE", requires = "before")]
    pub(super) after: Option<PathBuf>,
    /// Keep series apart by this label instead of adding them up, such as engine; can be given several
    /// times
    #[arg(long, value_name = "LABEL")]
    pub(super) by: Vec<String>,
    /// The client's run of the same stretch, to be put beside the server: a result file; FILE#2 for the
    /// second run that one holds
    #[arg(long, value_name = "FILE")]
    pub(super) client: Option<PathBuf>,
    /// A limit whose share is asked for, such as 'ttft<=500ms'; can be given several times
    #[arg(long, value_name = "LIMIT", value_parser = Limit::from_str)]
    pub(super) slo: Vec<Limit>,
    /// Percentiles from 0 to 100 [default: 50,90,95,99]
    #[arg(long, value_name = "P,P,…", value_delimiter = ',', value_parser = parse_percentile)]
    percentiles: Vec<f64>,
    /// Write nothing to standard error but files that can't be read
    #[arg(long, short)]
    pub(super) quiet: bool,
    /// Form of the answer
    #[arg(long, value_name = "FORM", default_value = "table")]
    pub(super) format: Form,
}

impl Server {
    /// The percentiles that were asked for, each once.
    pub(super) fn percentiles(&self) -> Vec<f64> {
        once(&self.percentiles, &[50.0, 90.0, 95.0, 99.0])
    }
}

/// Each percentile once: it is one column, and one key in JSON.
fn once(asked: &[f64], default: &[f64]) -> Vec<f64> {
    let asked = if asked.is_empty() { default } else { asked };
    let mut seen = BTreeSet::new();
    asked.iter().copied().filter(|p| seen.insert(p.to_bits())).collect()
}

/// `formats` and `definitions`
#[derive(Debug, Args)]
pub(super) struct Listing {
    /// Form of the answer
    #[arg(long, value_name = "FORM", default_value = "table")]
    pub(super) format: Form,
}

/// What a file of all runs is made from, and where it goes.
#[derive(Debug, Args)]
pub(super) struct Saved {
    #[command(flatten)]
    pub(super) input: Files,
    #[command(flatten)]
    pub(super) ruler: Ruler,
    /// Where to write it; - for standard output. Without it, a name with the date in it
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// The date to write into it, such as 2026-11-29; today (UTC) when not given
    #[arg(long, value_parser = parse_date)]
    pub(super) date: Option<String>,
}

/// What a report is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportForm {
    /// One HTML file.
    Html,
    /// In short, as Markdown for an issue tracker or a wiki.
    Markdown,
}

/// `report`
#[derive(Debug, Args)]
pub(super) struct Report {
    #[command(flatten)]
    pub(super) saved: Saved,
    /// The title; the finding when not given
    #[arg(long, default_value = "")]
    pub(super) title: String,
    /// Who made it
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(super) author: String,
    /// The sections to print, in this order, and no others
    #[arg(long, value_name = "ID,ID,…", value_delimiter = ',', value_parser = parse_id, conflicts_with = "without")]
    pub(super) sections: Vec<String>,
    /// Sections to leave out
    #[arg(long, value_name = "ID,ID,…", value_delimiter = ',', value_parser = parse_id)]
    pub(super) without: Vec<String>,
    /// The heading of a section, such as 'curve=Where it breaks'; can be given several times
    #[arg(long, value_name = "ID=TEXT", value_parser = parse_section)]
    pub(super) heading: Vec<(String, String)>,
    /// What to say at the head of a section, such as 'quality=Two runs were cut off'; can be given several
    /// times
    #[arg(long, value_name = "ID=TEXT", value_parser = parse_section)]
    pub(super) note: Vec<(String, String)>,
    /// Plan for so many requests per second: replicas under the limits and without, of each sweep
    #[arg(long, value_name = "REQ_PER_S", value_parser = parse_demand, requires = "slo")]
    pub(super) demand: Option<f64>,
    /// Take differences although lengths, models or loads differ
    #[arg(long)]
    pub(super) compare_anyway: bool,
    /// How much of the runs' data it carries, so that it can be opened again
    #[arg(long, value_name = "LEVEL", default_value = "requests")]
    pub(super) data: Carries,
    /// Form of the report
    #[arg(long, value_name = "FORM", default_value = "html")]
    pub(super) format: ReportForm,
}

impl Report {
    /// What is wanted of the report: what a session has, and what was named here in its place.
    pub(super) fn plan(&self, mut plan: ReportPlan) -> ReportPlan {
        for (own, given) in [(&mut plan.title, &self.title), (&mut plan.author, &self.author)] {
            if !given.is_empty() {
                own.clone_from(given);
            }
        }
        if !self.sections.is_empty() {
            plan.order.clone_from(&self.sections);
            plan.sections.iter_mut().for_each(|section| section.shown = true);
        }
        let chosen = |id: &str| {
            let named = |list: &[String]| list.iter().any(|named| named == id);
            !named(&self.without) && (self.sections.is_empty() || named(&self.sections))
        };
        for id in section_ids().into_iter().filter(|id| !chosen(id)) {
            plan.change(id, |section| section.shown = false);
        }
        for (id, text) in &self.heading {
            plan.change(id, |section| section.title.clone_from(text));
        }
        for (id, text) in &self.note {
            plan.change(id, |section| section.note.clone_from(text));
        }
        plan
    }
}

/// `session`
#[derive(Debug, Args)]
pub(super) struct Session {
    #[command(flatten)]
    pub(super) saved: Saved,
    /// How much of the runs' data it holds
    #[arg(long, value_name = "LEVEL", default_value = "events")]
    pub(super) data: Data,
    /// Print a link in place of a file: what follows the page's address, with the printed aggregates of
    /// the runs inside; 16 kB at most
    #[arg(long, conflicts_with = "data")]
    pub(super) link: bool,
}

fn parse_map(text: &str) -> Result<MappedColumn, String> {
    let fields = || {
        let ids: Vec<_> = Field::ALL.iter().map(|field| field.id()).collect();
        ids.join(", ")
    };
    let (id, column) = text
        .split_once('=')
        .ok_or_else(|| "expected FIELD=COLUMN[:UNIT], such as 'ttft=first token:ms'".to_owned())?;
    let field = Field::from_id(id.trim())
        .ok_or_else(|| format!("there is no field “{}”; the fields are {}", id.trim(), fields()))?;
    // A colon is part of the column's name unless a unit follows it.
    let unit_of = |word: &str| TimeUnit::of(word.trim());
    let said = column.rsplit_once(':').and_then(|(name, word)| Some((name, unit_of(word)?)));
    let (column, unit) = match said {
        Some((name, unit)) => (name, Some(unit)),
        None => (column, None),
    };
    Ok(MappedColumn { column: column.trim().to_owned(), field, unit })
}

fn parse_metric(text: &str) -> Result<Metric, String> {
    let id = text.trim().to_lowercase().replace(['-', ' '], "_");
    Metric::from_id(&id).ok_or_else(|| {
        let ids: Vec<&str> = Metric::ALL.iter().map(|metric| metric.id()).collect();
        format!("there is no metric “{}”; the metrics are {}", text.trim(), ids.join(", "))
    })
}

pub(super) fn parse_stat(text: &str) -> Result<Stat, String> {
    match text.trim().to_lowercase().as_str() {
        "p50" => Ok(Stat::Median),
        "avg" | "average" => Ok(Stat::Mean),
        word => word.parse().map_err(|()| {
            "expected mean, median, std, min, max, value or a percentile such as p99".to_owned()
        }),
    }
}

fn parse_change(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(dimension, choice)| (dimension.trim().to_owned(), choice.trim().to_owned()))
        .ok_or_else(|| "expected DIMENSION=CHOICE, such as tpot=after-first".to_owned())
}

fn parse_date(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |at: usize, length: usize| {
        let part = parts.get(at).filter(|part| part.len() == length)?;
        part.chars().all(|c| c.is_ascii_digit()).then(|| part.parse::<u32>().ok())?
    };
    let date = (number(0, 4), number(1, 2), number(2, 2));
    match date {
        (Some(_), Some(1..=12), Some(1..=31)) if parts.len() == 3 => Ok(text.to_owned()),
        _ => Err("expected a date such as 2026-11-29".to_owned()),
    }
}

/// The name of a section of the report.
fn parse_id(text: &str) -> Result<String, String> {
    let id = text.trim();
    let ids = section_ids();
    if ids.contains(&id) {
        Ok(id.to_owned())
    } else {
        Err(format!("expected one of {}", ids.join(", ")))
    }
}

fn parse_section(text: &str) -> Result<(String, String), String> {
    let (id, text) = text
        .split_once('=')
        .ok_or_else(|| "expected SECTION=TEXT, such as curve=Where it breaks".to_owned())?;
    Ok((parse_id(id)?, text.trim().to_owned()))
}

fn parse_sweep(text: &str) -> Result<(String, Vec<String>), String> {
    let expected = || "expected NAME=FILE, such as tp4=a/rate8.json,b/rate16.json".to_owned();
    let (name, files) = text.rsplit_once('=').ok_or_else(expected)?;
    let files: Vec<String> = files
        .split(',')
        .map(|file| file.trim().trim_end_matches('/').to_owned())
        .filter(|file| !file.is_empty())
        .collect();
    if files.is_empty() { Err(expected()) } else { Ok((name.trim().to_owned(), files)) }
}

fn parse_demand(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(demand) if demand.is_finite() && demand > 0.0 => Ok(demand),
        _ => Err("expected requests per second above zero, such as 240".to_owned()),
    }
}

fn parse_percentile(text: &str) -> Result<f64, String> {
    let trimmed = text.trim().trim_start_matches('p');
    match trimmed.parse::<f64>() {
        // Adding zero makes a zero of −0.
        Ok(p) if (0.0..=100.0).contains(&p) => Ok(p + 0.0),
        _ => {
            Err("expected numbers from 0 to 100 with commas between, such as 50,90,99.9".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_fit_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_options_in_the_docs_are_those_of_each_subcommand() {
        let docs = include_str!("../../docs/cli.md");
        let after = docs.split("\n## Options\n").nth(1).unwrap();
        let table = after.split("\n## ").next().unwrap();
        let command = Cli::command();
        let mut flags = 0;
        for line in table.lines().filter(|line| line.starts_with("| `--")) {
            let cells: Vec<&str> = line.split(" | ").collect();
            let said = cells[1].replace(" as `svg`", "");
            for flag in cells[0].split('`').filter_map(|part| part.strip_prefix("--")) {
                let flag = flag.split(' ').next().unwrap();
                let has =
                    |c: &&clap::Command| c.get_arguments().any(|a| a.get_long() == Some(flag));
                let takes = command.get_subcommands().filter(has).map(clap::Command::get_name);
                let takes: BTreeSet<&str> = takes.collect();
                let of_docs: BTreeSet<&str> = said.split(", ").collect();
                assert_eq!(takes, of_docs, "--{flag}");
                flags += 1;
            }
        }
        assert!(flags > 20, "{flags}");
    }

    #[test]
    fn a_percentile_asked_for_twice_is_one() {
        let asked = "sameruler metrics x --percentiles 50,p90,50.0,90,-0,0";
        let Command::Metrics(metrics) = Cli::parse_from(asked.split(' ')).command else {
            unreachable!("metrics was asked for")
        };
        assert_eq!(metrics.ruler.percentiles(&[1.0]), [50.0, 90.0, 0.0]);
    }

    #[test]
    fn a_column_is_named_with_or_without_its_unit() {
        let named = |text| parse_map(text).map(|c| (c.field, c.column, c.unit));
        let column = |name: &str, unit| Ok((Field::Ttft, name.to_owned(), unit));
        assert_eq!(named("ttft=TTFT(ms)"), column("TTFT(ms)", None));
        assert_eq!(named("ttft=first token:ms"), column("first token", Some(TimeUnit::Millis)));
        assert_eq!(named("ttft = a:b"), column("a:b", None));
        assert!(named("first=x").unwrap_err().contains("input_tokens"));
        assert!(named("ttft").unwrap_err().contains("FIELD=COLUMN"));
    }

    #[test]
    fn percentiles_are_from_0_to_100() {
        assert_eq!(parse_percentile("99.9"), Ok(99.9));
        for bad in ["101", "-1", "x", "", "NaN"] {
            assert!(parse_percentile(bad).is_err(), "{bad}");
        }
    }
}
