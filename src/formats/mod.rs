//! Recognises result files and reads them into runs.
//!
//! Knows each tool's spelling and units, one file a tool. Must not know metrics, other rooms'
//! displays, or how a number should have been: it converts units and says where each value came from.
#![deny(clippy::indexing_slicing)]

mod aggregates;
mod aiperf;
mod aiperf_csv;
mod aiperf_gpu;
mod aiperf_raw;
mod aiperf_records;
mod aiperf_rows;
mod aiperf_server_metrics;
mod aiperf_summary;
mod aiperf_timeslices;
mod console;
mod console_lines;
mod console_tables;
mod csv_columns;
mod csv_map;
mod csv_points;
mod csv_requests;
mod csv_table;
mod documents;
mod error;
mod event_log;
mod fmperf;
mod foreign;
mod genai_perf;
mod genai_perf_csv;
mod genai_perf_summary;
mod guidellm;
mod guidellm_csv;
mod guidellm_first;
mod guidellm_rows;
mod guidellm_stats;
mod inference_perf;
mod inference_perf_prometheus;
mod inference_perf_report;
mod inference_perf_requests;
mod inferencex;
mod json;
mod llama_bench;
mod llama_bench_table;
mod llama_server;
mod llm_d_report;
mod llmperf_responses;
mod llmperf_summary;
mod lmbenchmark;
mod lmdeploy_csv;
mod mlperf;
mod neighbours;
mod perf_analyzer;
mod perf_analyzer_replies;
mod printed;
mod prometheus_dump;
mod record;
mod repair;
mod sglang_batch;
mod sglang_bench;
mod slots;
mod sniff;
mod text;
mod tree;
mod trtllm_bench;
mod trtllm_requests;
mod vidur;
mod vllm_bench;
mod vllm_dashboard;
mod vllm_latency;
mod vllm_multi_turn;
mod vllm_offline;
mod vllm_other;
mod vllm_throughput;
mod vllm_version;
mod yaml;

pub use csv_map::{ColumnGuess, Confidence, Field, MappedColumn, Mapping, MappingOffer, offer};
pub use csv_table::TimeUnit;
pub use error::{ErrorKind, Fault, ImportError};
pub use foreign::zipped_document;
pub use sniff::{HEAD_BYTES, Head, JsonHead, Verdict};
pub(crate) use text::decode;

use crate::model::{Digest, Dump, Load, Provenance, RequestRate, Run, ServerDump, Tool};
use crate::notice::{Notices, Place, Severity};
use crate::units::significant;
use std::collections::BTreeSet;

/// The largest file that is read: one JSON document is held whole beside its columns, in a memory of
/// 4 GiB at most.
pub const MAX_BYTES: u64 = 1_500_000_000;

/// A kind of result file.
pub trait Format: Sync {
    /// Stable id, used in packs and docs.
    fn id(&self) -> &'static str;
    /// What it is, for people.
    fn about(&self) -> &'static About;
    /// Whether a file is of this kind, judged by its beginning.
    fn sniff(&self, head: &Head<'_>) -> Verdict;
    /// Reads a whole file. Trouble with the file as a whole goes to `out`, trouble with one run to
    /// that run's own notices.
    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault>;
    /// What the file says of the server itself, where it holds its series: beside the runs, never one.
    fn dump(&self, _input: &mut Input<'_>, _out: &mut Notices) -> Result<Option<Dump>, Fault> {
        Ok(None)
    }
    /// What the names of all files of one run share: the file's own name (without folders) less what
    /// the tool adds for this kind of file. `None` where the name does not tell.
    fn stem<'n>(&self, _name: &'n str) -> Option<&'n str> {
        None
    }
    /// The names that the tool gives to the other files of the same run, beside the file called
    /// `name`.
    fn beside(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }
}

/// The format with this id.
pub fn by_id(id: &str) -> Option<&'static dyn Format> {
    REGISTRY.iter().copied().find(|format| format.id() == id)
}

/// Every format, in the order of the docs.
pub static REGISTRY: &[&dyn Format] = &[
    &vllm_bench::VllmBench,
    &vllm_latency::VllmLatency,
    &vllm_throughput::VllmThroughput,
    &vllm_other::VllmSweep,
    &vllm_other::VllmPytorch,
    &vllm_dashboard::VllmDashboard,
    &vllm_multi_turn::VllmMultiTurn,
    &sglang_bench::SglangBench,
    &sglang_batch::SglangBatch,
    &inferencex::Inferencex,
    &inference_perf_requests::InferencePerfRequests,
    &inference_perf_report::InferencePerfReport,
    &inference_perf_prometheus::InferencePerfPrometheus,
    &llmperf_responses::LlmperfResponses,
    &llmperf_summary::LlmperfSummary,
    &lmbenchmark::Lmbenchmark,
    &fmperf::Fmperf,
    &lmdeploy_csv::LmdeployCsv,
    &mlperf::Mlperf,
    &vidur::Vidur,
    &genai_perf_summary::GenaiPerfSummary,
    &genai_perf_csv::GenaiPerfCsv,
    &perf_analyzer::PerfAnalyzer,
    &trtllm_bench::TrtllmBench,
    &trtllm_requests::TrtllmRequests,
    &llama_bench::LlamaBench,
    &llama_server::LlamaServer,
    &console::Console,
    &event_log::EventLog,
    &guidellm::Guidellm,
    &aiperf_records::AiperfRecords,
    &aiperf_raw::AiperfRaw,
    &aiperf_summary::AiperfSummary,
    &aiperf_csv::AiperfCsv,
    &aiperf_timeslices::AiperfTimeslices,
    &aiperf_server_metrics::AiperfServerMetrics,
    &aiperf_gpu::AiperfGpu,
    &guidellm_csv::GuidellmCsv,
    &llm_d_report::LlmDReport,
    &prometheus_dump::PrometheusDump,
    &csv_requests::CsvRequests,
    &csv_points::CsvPoints,
];

/// What a format is, for people; `docs/formats.md` is made of these.
#[derive(Debug)]
pub struct About {
    /// Name, as in “a result of …”.
    pub name: &'static str,
    /// The command and file that it is.
    pub file: &'static str,
    /// Tool versions that were seen or read about.
    pub versions: &'static str,
    /// How it is recognised.
    pub recognised: &'static str,
    /// What is read.
    pub reads: &'static [&'static str],
    /// What the file does not hold or what is not read, and why.
    pub limits: &'static [&'static str],
}

impl About {
    /// The same without what only the docs and the command say, in a module that travels to a browser.
    const fn lean(self) -> Self {
        if cfg!(target_arch = "wasm32") {
            Self {
                name: self.name,
                file: "",
                versions: "",
                recognised: "",
                reads: &[],
                limits: &[],
            }
        } else {
            self
        }
    }
}

/// A whole file for [`Format::parse`].
pub struct Input<'a> {
    /// File name with its folders.
    pub file: &'a str,
    /// The text, without byte order mark.
    pub text: &'a str,
    /// Size of the file.
    pub size: u64,
    /// Digest of the file.
    pub sha256: Digest,
    /// Why this format was chosen, in words.
    pub because: &'a str,
    /// Told how far the parse is.
    pub progress: &'a mut dyn FnMut(Progress),
}

impl Input<'_> {
    /// Where run `index` of `of` comes from, so far without notices.
    fn provenance(&self, format: &str, index: usize, of: usize) -> Provenance {
        let sha256 = self.sha256.clone();
        let whole = Provenance::new(self.file, self.size, sha256, format, self.because);
        Provenance { index, of, ..whole }
    }
}

/// A run of `tool` without anything but where it comes from.
fn blank(tool: Tool, name: &str, provenance: Provenance) -> Run {
    Run::new(tool, name, provenance)
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Bytes done.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
    /// Requests read so far.
    pub records: u64,
}

/// What an import is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Finding out what the file is.
    Recognising,
    /// Reading it into columns.
    Parsing,
}

/// The format that a file is, and why.
#[derive(Clone)]
pub struct Recognised {
    /// The format.
    pub format: &'static dyn Format,
    /// Why, in words.
    pub because: String,
}

impl std::fmt::Debug for Recognised {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.format.id(), self.because)
    }
}

/// Finds the format of a file from its beginning.
///
/// The surest format wins. When none knows the file, the error says what it is if it is something
/// else that is known, and what was seen if not.
pub fn recognise(head: &Head<'_>) -> Result<Recognised, ImportError> {
    recognised(head).map_err(|fault| fault.in_file(head.file, None))
}

fn recognised(head: &Head<'_>) -> Result<Recognised, Fault> {
    if head.size == 0 {
        return Err(Fault::whole(ErrorKind::Empty));
    }
    if head.bytes.iter().all(|byte| *byte == 0) {
        return Err(Fault::at(Place::Byte(0), ErrorKind::AllZeros));
    }
    if let Some(kind) = foreign::by_bytes(head) {
        return Err(Fault::whole(kind));
    }
    let Some(text) = &head.text else { return Err(not_text(head.bytes)) };
    if head.size > MAX_BYTES {
        return Err(Fault::whole(ErrorKind::TooBig { bytes: head.size }));
    }
    if text.trim().is_empty() {
        return Err(Fault::whole(ErrorKind::Empty));
    }
    let mut verdicts: Vec<_> = REGISTRY.iter().map(|format| (format, format.sniff(head))).collect();
    verdicts.sort_by_key(|(_, verdict)| std::cmp::Reverse(verdict.level()));
    let mut best = verdicts.into_iter().filter(|(_, verdict)| verdict.level() > 0);
    let Some((format, verdict)) = best.next() else {
        return Err(Fault::whole(foreign::by_text(head).unwrap_or_else(|| foreign::unknown(head))));
    };
    match best.next() {
        Some((other, second)) if second.level() == verdict.level() => {
            let names = [format.about().name, other.about().name];
            Err(Fault::whole(ErrorKind::Tie { names }))
        }
        _ => Ok(Recognised { format: *format, because: verdict.because().to_owned() }),
    }
}

/// The fault of bytes that can't be decoded: text in another encoding, or no text at all.
fn not_text(bytes: &[u8]) -> Fault {
    let at = decode(bytes).err().unwrap_or_default();
    let (before, rest) = bytes.split_at_checked(at as usize).unwrap_or_default();
    let control = |byte: &u8| *byte < b' ' && !byte.is_ascii_whitespace();
    if before.is_empty() || before.iter().any(control) {
        return Fault::at(Place::Byte(0), ErrorKind::NotText { hex: text::hex(bytes) });
    }
    Fault::at(text::line_column(bytes, at as usize), ErrorKind::NotUtf8 { hex: text::hex(rest) })
}

/// What one file holds: runs, and what a server said of itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Read {
    /// The runs in the order of the file.
    pub runs: Vec<Run>,
    /// The server's series.
    pub dumps: Vec<ServerDump>,
}

/// Recognises and reads the runs of one file of `bytes`. Every run carries the notices of its file; of
/// a server's metrics there is none, so ask [`read_mapped`].
pub fn read(
    file: &str,
    bytes: &[u8],
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<Run>, ImportError> {
    read_mapped(file, bytes, None, progress).map(|read| read.runs)
}

/// Recognises and reads one file of `bytes`; of a table that no tool wrote, somebody says what its
/// columns are. Every run and every dump carries the notices of its file.
pub fn read_mapped(
    file: &str,
    bytes: &[u8],
    mapping: Option<&Mapping>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Read, ImportError> {
    let size = bytes.len() as u64;
    progress(Progress { phase: Phase::Recognising, done: 0, total: size, records: 0 });
    let head = Head::new(file, bytes, size);
    let mapping = mapping.filter(|_| takes_mapping(&head));
    let Recognised { format, because } = match mapping {
        Some(_) => Recognised { format: &csv_requests::CsvRequests, because: SAID.to_owned() },
        None => recognise(&head)?,
    };
    let in_file = |fault: Fault| fault.in_file(file, Some(format.id()));
    let text = decode(bytes).map_err(|_| in_file(not_text(bytes)))?;
    let mut shared = Notices::new();
    if text::unmarked(bytes) {
        let said = "The text is UTF-16 without the mark that says so; it was read as such.";
        shared.add(Severity::Note, "unmarked-utf16", Place::Byte(0), said);
    }
    let mut input =
        Input { file, text: &text, size, sha256: Digest::of(bytes), because: &because, progress };
    let mut of_server = Notices::new();
    let dump = match mapping {
        Some(_) => None,
        None => format.dump(&mut input, &mut of_server).map_err(in_file)?,
    };
    let provenance = input.provenance(format.id(), 0, 1);
    let mut runs = match mapping {
        Some(mapping) => parse_mapped(input, mapping, &mut shared),
        None => format.parse(input, &mut shared),
    }
    .map_err(in_file)?;
    if runs.is_empty() && dump.is_none() {
        return Err(in_file(Fault::whole(ErrorKind::NoRuns)));
    }
    for run in &mut runs {
        run.provenance.notices.extend(shared.clone());
    }
    of_server.extend(shared);
    let dumps =
        dump.map(|dump| ServerDump::new(dump, Provenance { notices: of_server, ..provenance }));
    let rows = runs.iter().filter_map(|r| r.requests.as_ref()).map(|r| r.len() as u64).sum::<u64>();
    let values = dumps.iter().map(|dump| dump.points() as u64).sum::<u64>();
    let records = if runs.is_empty() { values } else { rows };
    progress(Progress { phase: Phase::Parsing, done: size, total: size, records });
    Ok(Read { runs, dumps: dumps.into_iter().collect() })
}

/// Why a table is read whose columns somebody named.
const SAID: &str = "its columns are what was said of them";

/// Whether it can be said what the columns of a file are: of a table that no tool wrote.
pub fn takes_mapping(head: &Head<'_>) -> bool {
    let plain = |format: &str| matches!(format, "csv-requests" | "csv-points");
    head.size <= MAX_BYTES
        && csv_table::Table::of_head(head).is_some()
        && match recognised(head) {
            Ok(recognised) => plain(recognised.format.id()),
            Err(fault) => {
                matches!(fault.kind, ErrorKind::UnknownHeader { .. } | ErrorKind::Unknown { .. })
            }
        }
}

fn parse_mapped(input: Input<'_>, mapping: &Mapping, out: &mut Notices) -> Result<Vec<Run>, Fault> {
    let Some(table) = csv_table::Table::whole(input.text, out) else {
        return Err(Fault::whole(ErrorKind::NoRows));
    };
    if let Some(columns) = csv_points::mapped(&table.headings, mapping)? {
        return csv_points::read(&input, &table, &columns, out);
    }
    let plan = csv_columns::Plan::mapped(&table.headings, mapping)?;
    plan.check_latency(&table.headings)?;
    csv_requests::read(input, &table, &plan, out)
}

/// Adds a value to a workload's settings; the values of an object under `object.key`.
fn add_setting(settings: &mut Vec<(String, String)>, key: &str, value: &json::Value) {
    if let json::Value::Object(entries) = value {
        for (inner, value) in entries {
            add_setting(settings, &format!("{key}.{inner}"), value);
        }
    } else if let Some(words) = value.words() {
        settings.push((key.to_owned(), words));
    }
}

/// Gives the runs of one file names that tell them apart: by the user's own label (the setting
/// `key`) or the load, whichever differs, else by number.
fn name_apart(mut runs: Vec<Run>, key: &str) -> Vec<Run> {
    if runs.len() < 2 {
        return runs;
    }
    let own = |run: &Run| {
        run.workload.settings.iter().find(|(name, _)| name == key).map(|(_, text)| text.clone())
    };
    let distinct = |labels: &[Option<String>]| {
        let set: BTreeSet<_> = labels.iter().flatten().collect();
        set.len() == labels.len()
    };
    let by_label: Vec<_> = runs.iter().map(own).collect();
    let by_load: Vec<_> = runs.iter().map(|run| load_label(&run.load)).collect();
    let labels = if distinct(&by_load) || !distinct(&by_label) { by_load } else { by_label };
    let apart = distinct(&labels);
    for (index, (run, label)) in runs.iter_mut().zip(labels).enumerate() {
        if let Some(label) = label {
            run.name = format!("{}, {label}", run.name);
        }
        if !apart {
            run.name = format!("{}, run {}", run.name, index + 1);
        }
    }
    runs
}

/// A rate for a name, no longer than it must be: `8`, `10.18`.
fn rate_words(rate: f64) -> String {
    let text = significant(rate, 4);
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

/// The load in short words.
fn load_label(load: &Load) -> Option<String> {
    match (load.request_rate, load.max_concurrency) {
        (Some(RequestRate::PerSecond(rate)), None) => Some(format!("{rate} req/s")),
        (Some(RequestRate::PerSecond(rate)), Some(most)) => {
            Some(format!("{rate} req/s, at most {most} in flight"))
        }
        (_, Some(most)) => Some(format!("{most} in flight")),
        (Some(RequestRate::Unlimited), None) => Some("all at once".into()),
        (Some(RequestRate::Trace), None) => Some("trace".into()),
        (None, None) => None,
    }
}
