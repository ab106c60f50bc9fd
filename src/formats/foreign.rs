//! What a file is that no format reads: files of load generators, named, with what to drop instead.
//!
//! A catalogue: one entry a kind, tried in order, before [`super::neighbours`]. A kind that a later
//! version will read says so by "not read yet".

use super::error::ErrorKind;
use super::neighbours::{NEIGHBOURS, NOTES};
use super::sniff::Head;

/// A known kind of file by its first bytes.
pub(super) fn by_bytes(head: &Head<'_>) -> Option<ErrorKind> {
    if head.bytes.starts_with(b"PK\x03\x04") {
        return Some(match zipped_document(head.bytes) {
            Some((what, advice)) => foreign(what, advice),
            None => foreign("a ZIP archive", UNPACK),
        });
    }
    if head.bytes.starts_with(b"RIFF") && head.bytes.get(8..12) == Some(b"WEBP") {
        return Some(foreign("a WebP image", PICTURE));
    }
    // Eight bytes of length, then JSON.
    if head.bytes.get(4..10) == Some(b"\0\0\0\0{\"") {
        return Some(foreign("the weights of a model", RESULT));
    }
    let (_, what, advice) = MAGIC.iter().find(|(magic, ..)| head.bytes.starts_with(magic))?;
    Some(foreign(what, advice))
}

/// A known kind of file by its text or keys.
pub(super) fn by_text(head: &Head<'_>) -> Option<ErrorKind> {
    let kind = NOTES.iter().chain(KINDS).chain(NEIGHBOURS).find(|kind| kind.sign.fits(head))?;
    Some(foreign(kind.what, kind.advice))
}

/// The error for a file that nobody knows.
pub(super) fn unknown(head: &Head<'_>) -> ErrorKind {
    super::csv_requests::unknown_table(head)
        .unwrap_or_else(|| ErrorKind::Unknown { seen: head.seen() })
}

fn foreign(what: &'static str, advice: &'static str) -> ErrorKind {
    ErrorKind::Foreign { what, advice }
}

/// What a ZIP archive is whose members are no files of their own, told by the names at its start, and
/// what to do instead.
pub fn zipped_document(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let holds = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
    DOCUMENTS.iter().find(|(first, ..)| holds(first)).map(|(_, what, advice)| (*what, *advice))
}

/// Names inside documents that are ZIP archives, what they mean, what to do.
const DOCUMENTS: &[(&[u8], &str, &str)] = &[
    (b"xl/workbook.", "an Excel workbook", SHEET),
    (b"xl/worksheets/", "an Excel workbook", SHEET),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "a LibreOffice workbook", SHEET),
    (b"word/document.xml", "a Word document", PICTURE),
    (b"ppt/presentation.xml", "a PowerPoint presentation", PICTURE),
    (b"[Content_Types].xml", "an Office document", PICTURE),
    (b".npyPK", "a set of NumPy arrays", EXPORT),
    (b".npy\x93NUMPY", "a set of NumPy arrays", EXPORT),
    (b"/data.pklPK", "a PyTorch checkpoint", RESULT),
];

const SHEET: &str = "Save the sheet with the requests as CSV (with a decimal point) and drop that.";

pub(super) const PICTURE: &str = "Drop the result file that the picture was made from.";
const UNPACK: &str = "Unpack it first and drop the file inside.";
const EXPORT: &str = "Export the table of requests as CSV and drop that.";

/// First bytes, what they mean, what to do.
const MAGIC: &[(&[u8], &str, &str)] = &[
    (b"\x89PNG", "a PNG image", PICTURE),
    (b"\xff\xd8\xff", "a JPEG image", PICTURE),
    (b"GIF8", "a GIF image", PICTURE),
    (b"%PDF", "a PDF document", PICTURE),
    (b"\x1f\x8b", "a gzip archive", UNPACK),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", UNPACK),
    (b"BZh", "a bzip2 archive", UNPACK),
    (b"\xfd7zXZ", "an xz archive", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK),
    (
        b"SMRL",
        "runs that Same Ruler packed for itself",
        "Drop the result files that they were read from.",
    ),
    (b"\0\0\0\x01Bud1", "a note of macOS about a folder", RESULT),
    (b"DIRC\0\0\0", "the index of a git repository", RESULT),
    (b"PACK\0\0\0", "a pack of a git repository", RESULT),
    (b"\x78\x01", "an object of a git repository", RESULT),
    (b"\x78\x9c", "a zlib stream", UNPACK),
    (
        b":W&B",
        "a log of Weights & Biases",
        "Export the run’s tables as CSV, or drop the file that the benchmark wrote.",
    ),
    (b"\xd0\xcf\x11\xe0", "an old Office document", SHEET),
    (b"GGUF", "the weights of a model", RESULT),
    (b"\0asm", "a program", RESULT),
    (b"MZ\x90\0", "a program", RESULT),
    (b"SQLite format 3\0", "an SQLite database, such as nsys exports", EXPORT),
    (b"PAR1", "a Parquet file", EXPORT),
    (b"ARROW1", "an Arrow file", EXPORT),
    (b"\x93NUMPY", "a NumPy array", EXPORT),
    (b"\x89HDF", "an HDF5 file", EXPORT),
    (b"\x80\x04\x95", "a Python pickle", EXPORT),
    (b"\x7fELF", "a program", RESULT),
];

/// How a kind is known.
pub(super) enum Sign {
    /// JSON with all of these top-level keys.
    Keys(&'static [&'static str]),
    /// A JSON list whose first element has all of these keys.
    ListKeys(&'static [&'static str]),
    /// JSON with all of these keys and this text somewhere in its beginning.
    KeysAnd(&'static [&'static str], &'static str),
    /// The first line starts so (in lower case).
    Starts(&'static [&'static str]),
    /// This text somewhere in the beginning.
    Contains(&'static str),
    /// For each of these a line that starts so.
    Lines(&'static [&'static str]),
    /// What a look at all lines says.
    Looks(fn(&str) -> bool),
}

impl Sign {
    fn fits(&self, head: &Head<'_>) -> bool {
        match self {
            Self::Keys(keys) => head.has_keys(keys),
            Self::ListKeys(keys) => {
                head.has_keys(keys) && head.json.as_ref().is_some_and(|json| json.array)
            }
            Self::KeysAnd(keys, text) => head.has_keys(keys) && head.contains(text),
            Self::Starts(starts) => {
                let line = head.first_line().to_ascii_lowercase();
                starts.iter().any(|start| line.starts_with(start))
            }
            Self::Contains(text) => head.contains(text),
            Self::Lines(starts) => {
                let text = head.text.as_deref().unwrap_or_default();
                starts.iter().all(|start| text.lines().any(|line| line.starts_with(start)))
            }
            Self::Looks(looks) => head.text.as_deref().is_some_and(looks),
        }
    }
}

/// A kind of file: what it is, what to do instead, how it is known.
pub(super) struct Kind {
    what: &'static str,
    advice: &'static str,
    sign: Sign,
}

#[cfg(test)]
impl Kind {
    pub(super) fn fits(&self, head: &Head<'_>) -> bool {
        self.sign.fits(head)
    }

    pub(super) const fn what(&self) -> &'static str {
        self.what
    }
}

pub(super) const fn kind(what: &'static str, sign: Sign, advice: &'static str) -> Kind {
    Kind { what, advice, sign }
}

pub(super) const RESULT: &str = "Drop the file that the benchmark wrote with its save option.";
const LIFECYCLE: &str = "Drop the lifecycle_metrics.json files beside it: of the stages, the summary, and the requests.";
const AIPERF: &str = "Drop profile_export.jsonl and profile_export_aiperf.json of its runs.";

const KINDS: &[Kind] = &[
    // vLLM's other files.
    kind(
        "a failed run of a vLLM sweep",
        Sign::Keys(&["run_number", "error_type"]),
        "Drop the run=0.json, run=1.json … of the runs that finished.",
    ),
    // SGLang's other files.
    kind(
        "a line of a changed SGLang or vLLM client with keys of its own",
        Sign::Keys(&["backend", "completed", "duration", "median_ttft_ms"]),
        "Run the client of SGLang or vLLM itself, or make a CSV of the requests.",
    ),
    // Other engines and harnesses.
    kind(
        "the aggregate of several AIPerf runs",
        Sign::Keys(&["aiperf_version", "metadata", "metrics"]),
        AIPERF,
    ),
    kind(
        "the aggregate of an AIPerf sweep",
        Sign::Keys(&["aggregation_type", "per_combination_metrics"]),
        AIPERF,
    ),
    kind(
        "the network probes of AIPerf",
        Sign::Keys(&["timestamp_ns", "target_url", "probe_type"]),
        AIPERF,
    ),
    kind("a file of AIPerf without metrics", Sign::Keys(&["aiperf_version"]), AIPERF),
    kind(
        "the page of a GuideLLM report, which holds no requests",
        Sign::Contains("window.workloadDetails"),
        "Drop the benchmarks.json that GuideLLM wrote beside it.",
    ),
    kind(
        "the sessions of an inference-perf run",
        Sign::ListKeys(&["session_id", "num_events", "num_events_completed"]),
        "Drop its summary_lifecycle_metrics.json and per_request_lifecycle_metrics.json.",
    ),
    kind(
        "text that inference-perf printed, not its report",
        Sign::Contains("Request & Token Latency (ms)"),
        "Its tables are cut to the width of the terminal. Drop the JSON files of its report.",
    ),
    kind(
        "text that inference-perf printed, not its report",
        Sign::Contains(" - inference_perf."),
        "Drop the JSON files of its report.",
    ),
    kind(
        "the configuration of an inference-perf run",
        Sign::Contains("request_lifecycle:"),
        LIFECYCLE,
    ),
    kind(
        "the configuration of an inference-perf run",
        Sign::Contains("\"request_lifecycle\":"),
        LIFECYCLE,
    ),
    kind(
        "the part of an llm-d benchmark report that inference-perf writes",
        Sign::Contains("uid: inference-perf-stage-"),
        LIFECYCLE,
    ),
    kind(
        "a table of llama-bench as SQL",
        Sign::Starts(&["create table if not exists test", "insert into test (build_commit"]),
        "Run llama-bench with -o jsonl and drop that.",
    ),
    kind(
        "a summary that somebody’s own client wrote, with units of its own",
        Sign::Keys(&["wall_s", "throughput_tok_s", "ttft_p50_s"]),
        "Make a CSV of its requests with the columns request_id, prompt_tokens, completion_tokens, ttft_ms, \
         e2e_ms.",
    ),
    kind(
        "a pointer of Git LFS, which stands in place of the file",
        Sign::Starts(&["version https://git-lfs.github.com/spec/"]),
        "Get the file itself with git lfs pull, or with the download button of the site, and drop that.",
    ),
    // Text of servers and consoles.
    kind(
        "text that GuideLLM printed, not its report",
        Sign::Contains("Request Latency Statistics (Completed Requests)"),
        "Its table is rounded to one decimal. Drop the JSON that it names in its last lines.",
    ),
    kind(
        "text that GuideLLM printed, not its report",
        Sign::Contains("GUIDELLM__"),
        "Drop the JSON that it names in its last lines.",
    ),
    kind(
        "a log of requests that a server wrote",
        Sign::Keys(&["base_perf", "base_unix"]),
        "A server’s clock does not see what its clients waited. Drop the result of the client.",
    ),
    kind(
        "notes of a test harness about its runs",
        Sign::Keys(&["scenario", "client", "runs"]),
        "Drop the result files beside it.",
    ),
];

#[cfg(test)]
mod tests {
    use super::super::neighbours::PROMETHEUS;
    use super::*;

    fn name(file: &str, bytes: &[u8]) -> Option<&'static str> {
        let head = Head::new(file, bytes, bytes.len() as u64);
        match by_bytes(&head).or_else(|| by_text(&head))? {
            ErrorKind::Foreign { what, .. } => Some(what),
            _ => None,
        }
    }

    #[test]
    fn neighbours_are_named() {
        let cases: [(&str, &[u8], &str); 10] = [
            ("a.png", b"\x89PNG\r\n\x1a\n", "a PNG image"),
            ("a.bin", b"RIFF\x10\0\0\0WEBPVP8 ", "a WebP image"),
            ("a", b"PK\x03\x04....xl/workbook.xml", "an Excel workbook"),
            ("a.zip", b"PK\x03\x04....", "a ZIP archive"),
            ("run.json.gz", b"\x1f\x8b\x08\0", "a gzip archive"),
            (
                "x",
                br#"{"name": "a", "lockfileVersion": 3, "packages": {}}"#,
                "a package lock of npm",
            ),
            ("x", br#"{"log": {"version": "1.2", "entries": []}}"#, "a HAR recording of a browser"),
            ("x", br#"{"aiperf_version": "0.4"}"#, "a file of AIPerf without metrics"),
            ("x", b"\n<!DOCTYPE html>\n<p>", "a web page"),
            ("x", b"# HELP vllm:x y\n", PROMETHEUS),
        ];
        for (file, bytes, want) in cases {
            assert_eq!(name(file, bytes), Some(want), "{file}");
        }
    }
}
