//! Results of llama.cpp's `llama-bench`: how fast a model reads and writes without a server.
//!
//! JSON and JSON Lines hold every repetition; CSV and the printed table ([`super::llama_bench_table`])
//! hold means.

use super::aggregates::{SAME, further, put};
use super::documents::{self, Document, Ticker};
use super::error::{ErrorKind, Fault};
use super::llama_bench_table;
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{
    Column, EndRule, Metric, Origin, Provenance, Requests, Run, Stat, TokenSource, Tool,
};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Seconds, Tokens};
use std::borrow::Cow;

/// llama-bench.
pub(super) struct LlamaBench;

static ABOUT: About = About {
    name: "llama-bench",
    file: "`llama-bench -o json`, `jsonl`, `csv` or `md` of llama.cpp",
    versions: "llama.cpp of 2023 to 2026; the build stands in the file",
    recognised: "`build_commit` beside `avg_ts` or `n_gen`, or a table with the columns model, test and t/s",
    reads: &[
        "one run a test: prompt processing (pp), generation (tg) or both (pg), with its depth",
        "the time of every repetition from `samples_ns` (JSON and JSON Lines); printed means and spreads",
        "a JSON file that was interrupted, up to its last whole test",
        "model, quantization, back end, batch, threads, cache types and the like",
    ],
    limits: &[
        "no server, no requests, no sampling, one sequence: not comparable with the throughput of a server",
        "no first token: the time of a prompt pass is not a TTFT",
        "rates of repetitions have six digits in the file and are computed anew from nanoseconds",
        "CSV and the printed table hold no repetitions",
        "the printed `stddev_ns` is worked out in whole numbers that overflow: it is kept apart",
        "folders of models are not kept",
    ],
}.lean();

impl Format for LlamaBench {
    fn id(&self) -> &'static str {
        "llama-bench"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if let Some(json) = &head.json {
            let both = json.has("build_commit") && json.has_any(&["avg_ts", "n_gen"]);
            return if both || json.has_all(&["avg_ts", "samples_ns"]) {
                Verdict::Certain("it has build_commit beside avg_ts".into())
            } else {
                Verdict::No
            };
        }
        let text = head.text.as_deref().unwrap_or_default();
        if llama_bench_table::is_csv(head.first_line()) {
            return Verdict::Certain("its header has build_commit and avg_ts".into());
        }
        if llama_bench_table::is_markdown(text) {
            return Verdict::Certain("it has a table with the columns model, test and t/s".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let found = match input.text.trim_start().as_bytes().first() {
            Some(b'{' | b'[') => json(&input, out)?,
            _ if llama_bench_table::is_markdown(input.text) => {
                llama_bench_table::markdown(input.text)
            }
            _ => llama_bench_table::csv(input.text)?,
        };
        if found.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRuns));
        }
        let of = found.len();
        let runs = found.into_iter().enumerate();
        Ok(runs.map(|(index, test)| run(&test, input.provenance(self.id(), index, of))).collect())
    }
}

/// One test, from whichever form.
#[derive(Debug, Default)]
pub(super) struct Test {
    /// Prompt tokens, generated tokens, and tokens before both that were not timed.
    pub(super) prompt: f64,
    pub(super) generated: f64,
    pub(super) depth: f64,
    /// The time of each repetition in nanoseconds.
    pub(super) samples: Vec<f64>,
    /// Mean and spread of the times in nanoseconds, and of the rates in tokens per second, as printed.
    pub(super) time: [Option<f64>; 2],
    pub(super) rate: [Option<f64>; 2],
    pub(super) model: Option<String>,
    pub(super) backend: Option<String>,
    pub(super) date: Option<String>,
    pub(super) build: Option<String>,
    /// Further settings, by the names of the file.
    pub(super) settings: Vec<(String, String)>,
}

impl Test {
    /// The name that llama-bench itself prints: `pp512`, `tg128 @ d4096`, `pp512+tg128`.
    pub(super) fn name(&self) -> String {
        let mut name = match (self.prompt > 0.0, self.generated > 0.0) {
            (true, true) => format!("pp{}+tg{}", self.prompt, self.generated),
            (true, false) => format!("pp{}", self.prompt),
            _ => format!("tg{}", self.generated),
        };
        if self.depth > 0.0 {
            name = format!("{name} @ d{}", self.depth);
        }
        name
    }
}

/// Settings that are kept. `model_filename` is a path, `cpu_mask` and the like say nothing of speed.
pub(super) const SETTINGS: [&str; 24] = [
    "cpu_info",
    "gpu_info",
    "model_size",
    "model_n_params",
    "n_batch",
    "n_ubatch",
    "n_threads",
    "type_k",
    "type_v",
    "n_gpu_layers",
    "n_cpu_moe",
    "split_mode",
    "main_gpu",
    "no_kv_offload",
    "flash_attn",
    "devices",
    "tensor_split",
    "use_mmap",
    "load_mode",
    "embeddings",
    "no_op_offload",
    "n_prompt",
    "n_gen",
    "n_depth",
];

/// Back ends that had a key of their own before `backends`.
pub(super) const BACKENDS: [&str; 7] =
    ["cuda", "vulkan", "kompute", "metal", "sycl", "gpu_blas", "blas"];

fn json(input: &Input<'_>, out: &mut Notices) -> Result<Vec<Test>, Fault> {
    let text = closed(input.text, out);
    let mut silent = |_| {};
    let ticker = Ticker::new(0, &mut silent);
    let seed = TreeSeed { skip: &["model_filename", "samples_ts"], ticker: &ticker };
    documents::read(&text, seed, &ticker, out)?
        .into_iter()
        .map(|Document { value, place }| {
            test(&value).ok_or_else(|| {
                Fault::at(place, ErrorKind::MissingKey { key: "n_prompt or n_gen".into() })
            })
        })
        .collect()
}

/// A list whose end is missing, up to its last whole element and with an end: llama-bench writes its
/// closing bracket last, so a run that was stopped has none.
fn closed<'t>(text: &'t str, out: &mut Notices) -> Cow<'t, str> {
    let whole = text.trim();
    if !whole.starts_with('[') || whole.ends_with(']') {
        return Cow::Borrowed(text);
    }
    let (mut depth, mut quoted, mut escaped, mut last) = (0_usize, false, false, None);
    for (at, byte) in whole.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    last = Some(at);
                }
            }
            _ => {}
        }
    }
    let Some(kept) = last.and_then(|last| whole.get(..=last)) else { return Cow::Borrowed(text) };
    out.add(
        Severity::Warn,
        "interrupted",
        Place::WholeFile,
        "The list has no end: llama-bench was stopped. The tests up to there are whole.",
    );
    Cow::Owned(format!("{kept}]"))
}

fn test(tree: &Tree) -> Option<Test> {
    let number = |key: &str| tree.number_at(&[key]);
    let text = |key: &str| tree.text_at(&[key]).map(str::to_owned);
    let [prompt, generated, depth] = ["n_prompt", "n_gen", "n_depth"].map(number);
    if prompt.is_none() && generated.is_none() {
        return None;
    }
    let samples = tree.get("samples_ns").map(Tree::list).unwrap_or_default();
    let settings = SETTINGS
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), tree.get(key)?.words()?)))
        .collect();
    let older = || {
        let on = BACKENDS.iter().find(|key| tree.get(key) == Some(&Tree::Bool(true)));
        on.map(|key| (*key).to_owned())
    };
    Some(Test {
        prompt: prompt.unwrap_or_default(),
        generated: generated.unwrap_or_default(),
        depth: depth.unwrap_or_default(),
        samples: samples.iter().filter_map(Tree::number).filter(|ns| *ns > 0.0).collect(),
        time: ["avg_ns", "stddev_ns"].map(number),
        rate: ["avg_ts", "stddev_ts"].map(number),
        model: text("model_type"),
        backend: text("backends").or_else(older),
        date: text("test_time"),
        build: text("build_commit"),
        settings,
    })
}

fn run(test: &Test, provenance: Provenance) -> Run {
    let mut run =
        super::blank(Tool::LlamaBench, &format!("llama-bench {}", test.name()), provenance);
    run.version.exact.clone_from(&test.build);
    run.workload.model.clone_from(&test.model);
    run.workload.backend.clone_from(&test.backend);
    run.workload.date.clone_from(&test.date);
    run.workload.endpoint = Some("offline".into());
    run.workload.settings.clone_from(&test.settings);
    if !test.samples.is_empty() {
        run.requests = Some(table(test));
    }
    printed(&mut run, test);
    let words = "One sequence in the engine itself: no server, no requests and no sampling. Its numbers do \
                not stand beside those of a serving benchmark.";
    run.provenance.notices.add(Severity::Warn, "offline", Place::WholeFile, words);
    run
}

/// One row a repetition.
fn table(test: &Test) -> Requests {
    let len = test.samples.len();
    let mut requests = Requests::absent(len);
    let tokens = |count: f64| {
        let count = (count > 0.0).then(|| Tokens::from_count(count));
        Column::from_options(Origin::Reported, std::iter::repeat_n(count, len))
    };
    if test.prompt > 0.0 {
        requests.input_tokens = tokens(test.prompt);
    }
    if test.generated > 0.0 {
        requests.output_tokens = tokens(test.generated);
    }
    requests.token_source = TokenSource::Server;
    requests.end_rule = EndRule::LastToken;
    requests.e2e = Column::from_options(
        Origin::Converted { from: "ns".into() },
        test.samples.iter().map(|nanos| Some(Seconds::from_nanos(*nanos))),
    );
    requests
}

/// The printed mean and spread of the times, and of the rates: whose tokens they are depends on the
/// kind of test.
fn printed(run: &mut Run, test: &Test) {
    const NANOS: f64 = 1e-6;
    let reported = &mut run.reported;
    let [time, spread] = test.time;
    put(reported, "avg_ns", Metric::E2e, Stat::Mean, time, NANOS);
    // `stdev` of llama-bench squares whole nanoseconds, which overflows: it is no spread of the times.
    further(reported, "stddev_ns", spread, "ns");
    // The spread of one repetition is written as 0.
    let several = test.samples.len() != 1;
    let [rate, spread] = test.rate;
    match (test.prompt > 0.0, test.generated > 0.0) {
        (false, _) => {
            put(reported, "avg_ts", Metric::UserSpeed, Stat::Mean, rate, SAME);
            let spread = spread.filter(|_| several);
            put(reported, "stddev_ts", Metric::UserSpeed, Stat::Std, spread, SAME);
        }
        (true, together) => {
            let metric = if together { Metric::TotalThroughput } else { Metric::InputThroughput };
            put(reported, "avg_ts", metric, Stat::Value, rate, SAME);
            further(reported, "stddev_ts", spread.filter(|_| several), "tok/s");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    const TEST: &str = r#"{"build_commit": "b1", "model_filename": "/home/me/m.gguf", "model_type": "made 1B Q8_0",
        "n_prompt": 512, "n_gen": 0, "avg_ns": 2, "avg_ts": 256.0, "samples_ns": [1000000000, 3000000000]}"#;

    #[test]
    fn an_interrupted_list_keeps_its_whole_tests() {
        for cut in
            [format!("[\n{TEST},\n{TEST},\n{{\"build_commit\": \"b"), format!("[{TEST}, {TEST}\n")]
        {
            let runs = read("x", cut.as_bytes(), &mut |_| {}).unwrap();
            assert_eq!(runs.len(), 2, "{cut}");
            assert!(runs[0].provenance.notices.iter().any(|n| n.kind == "interrupted"));
        }
        assert!(read("x", format!("[{}", &TEST[..150]).as_bytes(), &mut |_| {}).is_err());
    }

    #[test]
    fn kinds_of_tests_have_the_names_they_are_printed_under() {
        let named =
            |prompt, generated, depth| Test { prompt, generated, depth, ..Test::default() }.name();
        assert_eq!(named(512.0, 0.0, 0.0), "pp512");
        assert_eq!(named(0.0, 128.0, 4096.0), "tg128 @ d4096");
        assert_eq!(named(512.0, 128.0, 0.0), "pp512+tg128");
    }

    #[test]
    fn a_prompt_pass_is_no_first_token_and_no_path_is_kept() {
        let run = read("x", TEST.as_bytes(), &mut |_| {}).unwrap().remove(0);
        let requests = run.requests.as_ref().unwrap();
        assert!(requests.ttft.is_absent());
        assert!(!requests.is_empty_reply(0));
        assert_eq!(run.reported.value(Metric::InputThroughput), Some(256.0));
        assert!(!format!("{run:?}").contains("/home/me"));
    }
}
