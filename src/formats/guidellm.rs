//! Reports of GuideLLM 0.2 on, in JSON and YAML: every benchmark of a file is one run.
//!
//! What each version writes: `src/guidellm/schemas` and `benchmark/schemas` of vllm-project/guidellm,
//! 0.1.0 to 0.8.1. Its other report, a table: [`super::guidellm_csv`].

use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use super::{guidellm_first, guidellm_rows, guidellm_stats, yaml};
use crate::model::{Load, Provenance, RequestRate, Run, Tool, ToolVersion, Workload};
use crate::notice::Notices;

/// A report of GuideLLM.
pub(super) struct Guidellm;

static ABOUT: About = About {
    name: "GuideLLM",
    file: "the report of `guidellm benchmark` or `guidellm run`, as JSON or YAML (`benchmarks.json`)",
    versions: "GuideLLM 0.1 to 0.8; 0.5 and later name their version",
    recognised: "`benchmarks` whose elements are GuideLLM’s: `generative_benchmark`, or its metrics and states",
    reads: &[
        "every benchmark of the file as one run, named by its load",
        "each request’s start, first and last token, end, tokens and cached prompt tokens; unfinished and failed requests stay rows",
        "the printed statistics of finished requests, request counts, throughput, goodput with its limits",
        "the model, the tokenizer, the data, the strategy with its rate or concurrency",
    ],
    limits: &[
        "no gaps between events after 0.1: what GuideLLM calls ITL is a mean of each request, weighted by tokens",
        "its TPOT is (last token − first token) ÷ n in 0.2 and 0.3, and (last token − start) ÷ n from 0.4 on",
        "requests outside the measured window (warm-up, cool-down) are left out of the table, as GuideLLM leaves \
         them out of its statistics; a notice says how many",
        "a sample of the requests (`sample_requests`, `sample_size`) is not read: rates and percentiles of the run \
         don’t follow from it; the printed values are",
        "0.2 to 0.7 write 0 where there is no data: a latency that is 0 throughout is not read",
        "the spread of its rates is over stretches between events of the run, so only their means are read",
        "statistics of failed and unfinished requests, of words, characters, images, audio and video are not read",
        "where the server sends no usage, 0.5.4 and later count stream events instead; the file does not say so",
        "HTML reports hold no requests: drop the JSON instead",
    ],
}.lean();

/// Members that are long, private or not needed, at any depth.
pub(super) const SKIP: &[&str] = &[
    // Texts of requests.
    "prompt",
    "output",
    "request",
    "request_args",
    "reasoning_output",
    "tool_calls",
    "error",
    "traceback",
    // Parts of a request that repeat what stands beside them.
    "input_metrics",
    "output_metrics",
    "response_metrics",
    "settings",
    // Statistics without a metric of ours.
    "text",
    "image",
    "video",
    "audio",
    "tool_call",
    "cumulative_distribution_function",
    "pdf",
    "percentile_cis",
    "mean_ci",
    "warnings",
    // What may hold secrets, and states of the scheduler.
    "headers",
    "api_key",
    "api_routes",
    "openai_paths",
    "extras",
    "backend_kwargs",
    "backend_info",
    "validate_backend",
    "environment",
    "end_queuing_constraints",
    "end_processing_constraints",
    "scheduler_constraints",
];

/// What only GuideLLM's benchmarks have in the beginning of a file.
const SIGNS: [&str; 5] = [
    "generative_benchmark",
    "guidellm_version",
    "scheduler_metrics",
    "inter_token_latency_ms",
    "decode_times",
];

impl Format for Guidellm {
    fn id(&self) -> &'static str {
        "guidellm"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let text = head.text.as_deref().unwrap_or_default();
        let yaml = || text.lines().any(|line| line.trim_end() == "benchmarks:");
        if !head.has_keys(&["benchmarks"]) && !yaml() {
            return Verdict::No;
        }
        match SIGNS.iter().find(|sign| text.contains(**sign)) {
            Some(sign) => Verdict::Certain(format!("it has benchmarks, with {sign} in them")),
            None => Verdict::No,
        }
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let reports = trees(input.text, SKIP, &mut *input.progress, out)?;
        let found: Vec<_> = reports
            .iter()
            .flat_map(|report| {
                let benchmarks = report.get("benchmarks").map_or(&[][..], Tree::list);
                benchmarks
                    .iter()
                    .flat_map(guidellm_first::unfold)
                    .map(move |(first, b)| (report, first, b))
            })
            .collect();
        let of = found.len();
        let mut runs = Vec::with_capacity(of);
        for (index, (report, first, benchmark)) in found.into_iter().enumerate() {
            let provenance = input.provenance(self.id(), index, of);
            runs.push(match first {
                Some(group) => guidellm_first::run(group, benchmark, provenance),
                None => run(report, benchmark, provenance)?,
            });
        }
        name_apart(&mut runs);
        Ok(runs)
    }
}

/// The documents of a text in JSON or YAML.
pub(super) fn trees(
    text: &str,
    skip: &[&str],
    progress: &mut dyn FnMut(super::Progress),
    out: &mut Notices,
) -> Result<Vec<Tree>, Fault> {
    let ticker = Ticker::new(text.len() as u64, progress);
    if text.trim_start().starts_with(['{', '[']) {
        let seed = TreeSeed { skip, ticker: &ticker };
        let found = documents::read(text, seed, &ticker, out)?;
        return Ok(found.into_iter().map(|document| document.value).collect());
    }
    yaml::read(text, skip, &ticker)
}

/// Which GuideLLM wrote a benchmark: the 5 of 0.5. Before 0.5 no file says, but the keys do.
fn generation(report: &Tree, benchmark: &Tree) -> (u32, ToolVersion) {
    if let Some(exact) = report.text_at(&["metadata", "guidellm_version"]) {
        let minor = exact.split('.').nth(1).and_then(|minor| minor.parse().ok());
        let version = ToolVersion { exact: Some(exact.to_owned()), ..ToolVersion::default() };
        // A development build without a number of its own says 0.0.
        if let Some(minor) = minor.filter(|minor| *minor > 0 || !exact.starts_with("0.")) {
            return (if exact.starts_with("0.") { minor } else { u32::MAX }, version);
        }
    }
    let (minor, guess, because) = match report.number_at(&["metadata", "version"]) {
        Some(2.0..) => (7, "0.7 or later", "its report has schema version 2"),
        Some(_) => (5, "0.5 or 0.6", "its report has schema version 1"),
        None if benchmark.get("config").is_some() => {
            (4, "0.4", "its benchmarks have config, and the report has no metadata")
        }
        None => (2, "0.2 or 0.3", "its benchmarks have args and run_stats"),
    };
    let version = ToolVersion {
        exact: None,
        guess: Some(guess.to_owned()),
        because: Some(because.to_owned()),
    };
    (minor, version)
}

fn run(report: &Tree, benchmark: &Tree, provenance: Provenance) -> Result<Run, Fault> {
    if benchmark.get("metrics").is_none() {
        return Err(Fault::whole(ErrorKind::MissingKey { key: "benchmarks[].metrics".into() }));
    }
    let (minor, version) = generation(report, benchmark);
    let settings = benchmark.get("config").or_else(|| benchmark.get("args")).unwrap_or(&Tree::Null);
    let strategy = settings.get("strategy").unwrap_or(&Tree::Null);
    let kind = kind(strategy);
    let load = load(kind, strategy, settings);
    let mut run = super::blank(Tool::Guidellm, &name(kind, &load), provenance);
    run.version = version;
    run.load = load;
    run.workload = workload(report, benchmark, settings, kind);
    run.load.output_tokens = output_asked(report, &run.workload);
    let id = settings.text_at(&["id_"]).or_else(|| benchmark.text_at(&["id_"]));
    run.provenance.kin = id.map(str::to_owned);
    guidellm_rows::fill(&mut run, benchmark, minor, kind);
    guidellm_stats::fill(&mut run, benchmark, settings);
    Ok(run)
}

fn kind(strategy: &Tree) -> &str {
    strategy.text_at(&["type_"]).or_else(|| strategy.text_at(&["kind"])).unwrap_or("unknown")
}

fn load(kind: &str, strategy: &Tree, settings: &Tree) -> Load {
    let count =
        |tree: &Tree, path: &[&str]| tree.number_at(path).filter(|n| *n >= 1.0).map(|n| n as u64);
    // A strategy with a rate also writes the limit of the environment, 10240, as its concurrency.
    let profile = || count(settings, &["profile", "max_concurrency"]);
    let (rate, most) = match kind {
        "synchronous" => (None, Some(1)),
        "concurrent" => {
            let streams = count(strategy, &["streams"]);
            (None, streams.or_else(|| count(strategy, &["max_concurrency"])))
        }
        "throughput" => (Some(RequestRate::Unlimited), count(strategy, &["max_concurrency"])),
        "replay" | "trace" => (Some(RequestRate::Trace), profile()),
        _ => {
            let rate = strategy.number_at(&["rate"]).filter(|rate| *rate > 0.0);
            (rate.map(RequestRate::PerSecond), profile())
        }
    };
    Load {
        request_rate: rate,
        burstiness: (kind == "poisson").then_some(1.0),
        max_concurrency: most,
        requests: requests_asked(settings),
        output_tokens: None,
        gpus: None,
    }
}

/// How many requests were asked for. A sweep has one number a benchmark.
fn requests_asked(settings: &Tree) -> Option<u64> {
    let constraint = settings.at(&["constraints", "max_requests"]);
    let limit = constraint.and_then(|limit| {
        limit
            .get("max_num")
            .or_else(|| limit.at(&["args", "count"]))
            .or_else(|| limit.at(&["args", "max_num"]))
    });
    let limit = limit.or_else(|| settings.get("max_number"))?;
    let at = constraint.and_then(|c| c.get("current_index")).and_then(Tree::int).unwrap_or(0);
    let limit = match limit {
        Tree::List(several) => several.get(usize::try_from(at).ok()?)?,
        one => one,
    };
    limit.int().and_then(|count| u64::try_from(count).ok()).filter(|count| *count > 0)
}

/// The output tokens asked of each request of made-up data: a setting of its own from 0.7 on, before
/// `output_tokens=128` among the words for the data.
fn output_asked(report: &Tree, workload: &Workload) -> Option<f64> {
    let data = report.at(&["config", "spec", "data"]).and_then(|data| data.list().first());
    let words = || {
        let data = workload.dataset.as_deref()?;
        data.split(',').find_map(|word| word.trim().strip_prefix("output_tokens=")?.parse().ok())
    };
    data.and_then(|data| data.number_at(&["output_tokens"])).or_else(words)
}

/// A run's name from its load.
pub(super) fn name(kind: &str, load: &Load) -> String {
    let kind = match kind {
        "synchronous" => return "GuideLLM, one at a time".to_owned(),
        "throughput" => "all at once",
        kind => kind,
    };
    match (load.request_rate, load.max_concurrency) {
        (Some(RequestRate::PerSecond(rate)), _) => {
            format!("GuideLLM, {kind} {} req/s", super::rate_words(rate))
        }
        (None, Some(most)) => format!("GuideLLM, {most} in flight"),
        _ => format!("GuideLLM, {kind}"),
    }
}

/// Gives runs of one name numbers.
pub(super) fn name_apart(runs: &mut [Run]) {
    let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    for (index, run) in runs.iter_mut().enumerate() {
        if names.iter().filter(|name| **name == run.name).count() > 1 {
            run.name = format!("{}, run {}", run.name, index + 1);
        }
    }
}

fn workload(report: &Tree, benchmark: &Tree, settings: &Tree, kind: &str) -> Workload {
    let first = |places: [Option<&str>; 3]| places.into_iter().flatten().next().map(str::to_owned);
    let spec = report.at(&["config", "spec"]).unwrap_or(&Tree::Null);
    let args = report.get("args").unwrap_or(&Tree::Null);
    let old =
        |path: &[&str]| benchmark.at(path).and_then(Tree::text).filter(|text| !text.is_empty());
    let data = spec.get("data").and_then(|data| data.list().first()).unwrap_or(&Tree::Null);
    let request_format = settings
        .text_at(&["backend", "request_format"])
        .or_else(|| args.text_at(&["request_format"]))
        .or_else(|| spec.text_at(&["backend", "request_format"]))
        .or_else(|| guidellm_rows::request_type(benchmark));
    Workload {
        model: first([
            settings.text_at(&["backend", "model"]),
            args.text_at(&["model"]),
            old(&["worker", "backend_model"]),
        ]),
        tokenizer: first([
            spec.text_at(&["tokenizer", "model"]),
            args.text_at(&["processor"]),
            old(&["request_loader", "processor"]),
        ]),
        dataset: first([
            data.text_at(&["kind"]),
            args.get("data").and_then(|data| data.list().first()).and_then(Tree::text),
            old(&["request_loader", "data"]),
        ]),
        endpoint: request_format.map(|format| endpoint(format).to_owned()),
        backend: first([
            spec.text_at(&["backend", "kind"]),
            args.text_at(&["backend"]),
            old(&["worker", "backend_type"]),
        ]),
        date: None,
        settings: further_settings(settings, data, kind),
    }
}

fn endpoint(format: &str) -> &str {
    if format.contains("chat") {
        "chat"
    } else if format.contains("completions") {
        "completions"
    } else if format.contains("responses") {
        "responses"
    } else {
        format
    }
}

/// Settings that are known to be harmless: numbers and words of the load and the made-up data.
fn further_settings(settings: &Tree, data: &Tree, kind: &str) -> Vec<(String, String)> {
    const LOAD: &[(&str, &[&str])] = &[
        ("max_duration", &["max_duration"]),
        ("max_seconds", &["constraints", "max_seconds", "max_duration"]),
        ("max_duration", &["constraints", "max_duration", "args", "seconds"]),
        ("warmup_number", &["warmup_number"]),
        ("warmup_duration", &["warmup_duration"]),
        ("cooldown_number", &["cooldown_number"]),
        ("cooldown_duration", &["cooldown_duration"]),
        ("warmup.percent", &["warmup", "percent"]),
        ("warmup.value", &["warmup", "value"]),
        ("cooldown.percent", &["cooldown", "percent"]),
        ("cooldown.value", &["cooldown", "value"]),
        ("rampup_duration", &["profile", "rampup_duration"]),
        ("random_seed", &["strategy", "random_seed"]),
        ("prefer_response_metrics", &["prefer_response_metrics"]),
        ("stream", &["backend", "stream"]),
    ];
    const DATA: [&str; 6] = [
        "prompt_tokens",
        "prompt_tokens_stdev",
        "output_tokens",
        "output_tokens_stdev",
        "output_tokens_max",
        "turns",
    ];
    let mut all = vec![("strategy".to_owned(), kind.to_owned())];
    let load = LOAD.iter().map(|(name, path)| (*name, settings.at(path)));
    let data = DATA.iter().map(|name| (*name, data.get(name)));
    for (name, value) in load.chain(data) {
        if let Some(words) = value.and_then(Tree::words) {
            all.push((name.to_owned(), words));
        }
    }
    all
}
