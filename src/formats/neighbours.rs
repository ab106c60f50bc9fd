//! What lies beside results in a folder or an archive: server metrics, logs, configuration, inputs,
//! notes, and files of other trades.
//!
//! A catalogue like [`super::foreign`], tried after it, from the particular to the general.

use super::foreign::{Kind, PICTURE, RESULT, Sign, kind};

/// What a scrape is called.
pub(super) const PROMETHEUS: &str = "metrics of a server (Prometheus)";
/// What to do instead of dropping one.
pub(super) const METRICS: &str = "It begins as server metrics and holds too little of them to be read. Drop the whole page of /metrics.";

const REQUESTS: &str =
    "Export a table with one row a request as CSV, with the unit in each heading (ttft_ms, e2e_s).";
const NO_TOKENS: &str = "It times whole HTTP replies and knows no tokens, so none of these metrics follows from it. Load \
     the server with a client for language models, or log tokens, TTFT and end of each request in the script.";
const INPUT: &str =
    "That is what was sent. Drop what was measured: the file that the benchmark wrote at its end.";
const SECRET: &str =
    "Keep it to yourself: such files hold keys. Drop the file that the benchmark wrote.";
const LOG: &str = "Drop the result of the client that loaded the server.";
const OWN: &str =
    "Open it in a browser. To compare its runs again, drop the result files that it lists.";

/// Known before anything else: notes quote whatever they are about.
pub(super) const NOTES: &[Kind] = &[kind("notes in Markdown", Sign::Looks(markdown), RESULT)];

pub(super) const NEIGHBOURS: &[Kind] = &[
    // Our own.
    kind("a report of Same Ruler", Sign::Contains("name=\"generator\" content=\"Same Ruler"), OWN),
    // What servers measured.
    kind(PROMETHEUS, Sign::Looks(metadata), METRICS),
    kind("a dashboard of Grafana", Sign::Keys(&["panels", "schemaVersion"]), LOG),
    kind(
        "measurements of nvidia-smi",
        Sign::Starts(&["timestamp, name,", "timestamp, index,", "timestamp, power"]),
        LOG,
    ),
    // Logs of servers.
    kind("a log of vLLM’s server", Sign::Contains("Avg prompt throughput:"), LOG),
    kind("a log of vLLM’s server", Sign::Contains("vLLM API server version"), LOG),
    kind("a log of vLLM’s server", Sign::Contains("(EngineCore_"), LOG),
    kind("a log of SGLang’s server", Sign::Contains("server_args=ServerArgs("), LOG),
    kind("a log of SGLang’s server", Sign::Contains("#running-req:"), LOG),
    kind("a summary of k6", Sign::Keys(&["metrics", "root_group"]), NO_TOKENS),
    kind("a summary of k6", Sign::KeysAnd(&["metrics"], "\"http_req_duration"), NO_TOKENS),
    kind("the samples of k6", Sign::Keys(&["metric", "type", "data"]), NO_TOKENS),
    kind("the samples of k6", Sign::Starts(&["metric_name,timestamp,metric_value"]), NO_TOKENS),
    kind(
        "a table of Locust",
        Sign::Starts(&[
            "type,name,request count",
            "timestamp,user count,type,name",
            "method,name,error,occurrences",
            "count,message,traceback",
        ]),
        NO_TOKENS,
    ),
    kind("statistics of Locust", Sign::ListKeys(&["num_requests", "response_times"]), NO_TOKENS),
    kind("a table of JMeter", Sign::Starts(&["timestamp,elapsed,label"]), REQUESTS),
    kind("a report of Vegeta", Sign::Keys(&["latencies", "bytes_in", "status_codes"]), REQUESTS),
    kind("text that hey printed", Sign::Contains("Response time histogram:"), REQUESTS),
    // Inputs of benchmarks.
    kind(
        "the requests that a benchmark was to send",
        Sign::KeysAnd(&["data"], "\"payloads\""),
        INPUT,
    ),
    kind(
        "the requests that a benchmark was to send",
        Sign::KeysAnd(&["data"], "\"payload\""),
        INPUT,
    ),
    kind(
        "a batch of requests for the OpenAI API",
        Sign::Keys(&["custom_id", "method", "body"]),
        INPUT,
    ),
    kind(
        "a trace of requests to be replayed",
        Sign::Keys(&["timestamp", "input_length", "output_length"]),
        INPUT,
    ),
    kind(
        "a trace of requests to be replayed",
        Sign::Starts(&[
            "timestamp,contexttokens,generatedtokens",
            "timestamp,request tokens,response tokens",
        ]),
        INPUT,
    ),
    kind("a set of prompts", Sign::Keys(&["conversations"]), INPUT),
    kind("a set of prompts", Sign::ListKeys(&["instruction", "output"]), INPUT),
    kind("the description of a dataset", Sign::Keys(&["features", "splits"]), INPUT),
    kind(
        "the configuration of inference-perf",
        Sign::Keys(&["api", "data", "load", "server"]),
        RESULT,
    ),
    kind(
        "the configuration of inference-perf",
        Sign::Lines(&["api:", "data:", "load:", "server:"]),
        RESULT,
    ),
    kind(
        "text that inference-perf printed, not its result file",
        Sign::Contains("inference_perf.config"),
        RESULT,
    ),
    kind(
        "text that GuideLLM printed, not its result file",
        Sign::Contains("OpenAIHTTPBackend backend validated"),
        RESULT,
    ),
    kind(
        "one stage of inference-perf in llm-d’s form",
        Sign::Contains("uid: inference-perf-stage"),
        "Drop the lifecycle metrics that inference-perf wrote beside it.",
    ),
    kind(
        "a test case of OpenMetrics’ suite",
        Sign::Keys(&["type", "file", "shouldParse"]),
        METRICS,
    ),
    // Packages and code.
    kind("a package lock of npm", Sign::Keys(&["lockfileVersion"]), RESULT),
    kind("a package lock of pnpm", Sign::Starts(&["lockfileversion:"]), RESULT),
    kind("a package lock of Yarn", Sign::Contains("# yarn lockfile v"), RESULT),
    kind("a package.json of npm", Sign::Keys(&["name", "version", "dependencies"]), RESULT),
    kind("a package.json of npm", Sign::Keys(&["name", "version", "scripts"]), RESULT),
    kind("a package.json of npm", Sign::Keys(&["name", "private", "devDependencies"]), RESULT),
    kind("a Cargo lock file", Sign::Contains("automatically @generated by Cargo"), RESULT),
    kind("a Cargo manifest", Sign::Lines(&["[package]", "[dependencies"]), RESULT),
    kind("a lock file of Poetry", Sign::Contains("@generated by Poetry"), RESULT),
    kind(
        "a lock file of Python packages",
        Sign::Lines(&["version = ", "requires-python = ", "[[package]]"]),
        RESULT,
    ),
    kind("a lock file of Python packages", Sign::Keys(&["_meta", "default"]), RESULT),
    kind("a project file of Python", Sign::Lines(&["[project]"]), RESULT),
    kind("a project file of Python", Sign::Lines(&["[tool.poetry]"]), RESULT),
    kind(
        "Python code",
        Sign::Starts(&["#!/usr/bin/env python", "import ", "from __future__"]),
        RESULT,
    ),
    kind("a shell script", Sign::Starts(&["#!/bin/", "#!/usr/bin/env bash"]), RESULT),
    // Models.
    kind("the configuration of a model", Sign::Keys(&["architectures", "model_type"]), RESULT),
    kind("the configuration of a model", Sign::Keys(&["bos_token_id", "eos_token_id"]), RESULT),
    kind("a tokenizer", Sign::Keys(&["added_tokens", "normalizer"]), RESULT),
    kind("a tokenizer", Sign::Keys(&["tokenizer_class"]), RESULT),
    kind("a tokenizer", Sign::Keys(&["bos_token", "eos_token"]), RESULT),
    kind("the index of a model’s weights", Sign::Keys(&["weight_map"]), RESULT),
    // Recordings and notebooks.
    kind("a HAR recording of a browser", Sign::KeysAnd(&["log"], "\"entries\""), REQUESTS),
    kind("a Jupyter notebook", Sign::Keys(&["cells", "nbformat"]), RESULT),
    kind("a profiler trace", Sign::Keys(&["traceEvents"]), RESULT),
    kind("a profiler trace", Sign::ListKeys(&["ph", "ts", "pid"]), RESULT),
    kind("a summary of Weights & Biases", Sign::Keys(&["_runtime", "_timestamp"]), RESULT),
    kind("the configuration of a run in Weights & Biases", Sign::Lines(&["_wandb:"]), RESULT),
    kind(
        "the configuration of a run in Weights & Biases",
        Sign::Lines(&["wandb_version:"]),
        RESULT,
    ),
    // Clusters.
    kind("a manifest of Kubernetes", Sign::Lines(&["apiVersion:", "kind:"]), RESULT),
    kind("a manifest of Kubernetes", Sign::Keys(&["apiVersion", "kind"]), RESULT),
    kind("the configuration of Prometheus", Sign::Lines(&["scrape_configs:"]), RESULT),
    kind("a composition of containers", Sign::Lines(&["services:"]), RESULT),
    kind("a workflow of GitHub", Sign::Lines(&["on:", "jobs:"]), RESULT),
    // Pages, pictures, texts.
    kind("a web page", Sign::Starts(&["<!doctype html", "<html"]), RESULT),
    kind("an SVG image", Sign::Starts(&["<svg"]), PICTURE),
    kind("an SVG image", Sign::Contains("xmlns=\"http://www.w3.org/2000/svg\""), PICTURE),
    kind("an XML file", Sign::Starts(&["<?xml"]), RESULT),
    kind("a licence", Sign::Contains("Permission is hereby granted, free of charge"), RESULT),
    kind("a licence", Sign::Contains("Licensed under the Apache License"), RESULT),
    kind("a licence", Sign::Contains("GNU GENERAL PUBLIC LICENSE"), RESULT),
    kind("a list of environment variables", Sign::Looks(variables), SECRET),
    kind(PROMETHEUS, Sign::Looks(samples), METRICS),
    kind("a log of a program", Sign::Looks(log), LOG),
    kind("notes in Markdown", Sign::Looks(only_heading), RESULT),
    kind("a YAML file, such as a configuration", Sign::Looks(yaml), RESULT),
];

/// Lines that say something; the last one may be cut.
fn telling(text: &str) -> impl Iterator<Item = &str> {
    let whole = text.rfind('\n').filter(|_| text.len() >= super::HEAD_BYTES).unwrap_or(text.len());
    let lines = text.get(..whole).unwrap_or_default().lines().map(str::trim_end);
    lines.filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

/// Whether lines describe metrics in Prometheus’ or OpenMetrics’ text form.
fn metadata(text: &str) -> bool {
    let starts = ["# HELP", "# TYPE", "# UNIT", "# EOF"];
    text.lines().any(|line| starts.iter().any(|start| line.starts_with(start)))
        && text.lines().all(|line| !line.starts_with('{') || line.contains("=\""))
}

/// Whether most lines are samples of metrics: a name, labels, a value.
fn samples(text: &str) -> bool {
    let (mut yes, mut all) = (0, 0);
    for line in telling(text).take(100) {
        all += 1;
        yes += usize::from(sample(line));
    }
    yes > 0 && yes * 10 >= all * 8
}

/// Whether a line is `name{label="value"} 1.5`, in Prometheus’ text form or OpenMetrics’.
fn sample(line: &str) -> bool {
    let rest =
        line.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'));
    let named = rest.len() < line.len() && !line.starts_with(|c: char| c.is_ascii_digit());
    let (labelled, rest) = match rest.strip_prefix('{') {
        Some(labels) => match labels.rsplit_once('}') {
            Some((labels, rest)) => (labels.is_empty() || labels.contains("=\""), rest),
            None => return false,
        },
        None => (false, rest),
    };
    let value = rest.strip_prefix([' ', '\t']).unwrap_or_default().trim_start();
    let starts =
        |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'N' | 'n' | 'I' | 'i');
    let words = value.split([' ', '\t']).count();
    (named || labelled) && value.starts_with(starts) && (labelled || words <= 2)
}

/// Whether every line sets a variable.
fn variables(text: &str) -> bool {
    let name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let sets = |line: &str| {
        let line = line.strip_prefix("export ").unwrap_or(line);
        line.split_once('=').is_some_and(|(key, _)| !key.is_empty() && key.chars().all(name))
    };
    telling(text).next().is_some() && telling(text).all(sets)
}

/// Whether a text is written in Markdown: a heading, and what only Markdown has.
fn markdown(text: &str) -> bool {
    let signs = ["\n## ", "\n```", "](", "\n- ", "\n* ", "\n| "];
    heading(text) && !metadata(text) && signs.iter().any(|sign| text.contains(sign))
}

/// Whether a text starts with a heading of Markdown, which is a comment elsewhere.
fn heading(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("# ") || text.starts_with("## ")
}

/// Whether a text is nothing but a heading.
fn only_heading(text: &str) -> bool {
    heading(text) && telling(text).next().is_none()
}

/// Whether most lines start with a date or a level.
fn log(text: &str) -> bool {
    let starts = |line: &str| {
        let line = line.trim_start_matches(['[', '(']);
        let date = line.get(..10).is_some_and(|day| {
            day.chars().filter(char::is_ascii_digit).count() == 8 && day.contains(['-', '/'])
        });
        date || ["INFO", "WARN", "ERROR", "DEBUG"].iter().any(|level| line.starts_with(level))
    };
    let all = telling(text).take(100).count();
    all > 1 && telling(text).take(100).filter(|line| starts(line)).count() * 2 > all
}

/// Whether every line that is not indented is a key or an element.
fn yaml(text: &str) -> bool {
    let key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'');
    let fits = |line: &str| {
        line.starts_with([' ', '-', '\t'])
            || line.split_once(':').is_some_and(|(name, value)| {
                name.chars().all(key) && (value.is_empty() || value.starts_with(' '))
            })
    };
    telling(text).filter(|line| line.contains(':')).count() > 1 && telling(text).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_metrics_are_known_without_metadata() {
        for line in [
            "vllm:num_requests_running{engine=\"0\",model_name=\"m}x\"} 3.0",
            "{__name__=\"heavy\", foo=\"bar\"} 5 0",
            "a NaN",
            "a{} +Inf 123",
            "a_bucket{le=\"1\"} 2 # {trace=\"x\"} 0.5",
        ] {
            assert!(samples(line), "{line}");
        }
        for line in ["run 12 took long", "hello", "7 8", "{\"a\": 1}", "a,b\n1,2"] {
            assert!(!samples(line), "{line}");
        }
    }

    #[test]
    fn neighbours_are_named() {
        use super::super::sniff::Head;
        let cases = [
            (
                "<html><meta name=\"generator\" content=\"Same Ruler 0.1.0\">",
                "a report of Same Ruler",
            ),
            ("a NaN", PROMETHEUS),
            ("# Captured\n# HELP a b\n", PROMETHEUS),
            ("{\"panels\": [], \"schemaVersion\": 39}", "a dashboard of Grafana"),
            (
                "INFO 01-01 [loggers.py:1] Engine 000: Avg prompt throughput: 1.0",
                "a log of vLLM’s server",
            ),
            ("[2026-01-01] Decode batch, #running-req: 1, #token: 2", "a log of SGLang’s server"),
            ("{\"metrics\": {\"http_req_duration\": {}}}", "a summary of k6"),
            ("Type,Name,Request Count,Failure Count\n", "a table of Locust"),
            ("Timestamp,User Count,Type,Name\n", "a table of Locust"),
            ("{\"data\": [{\"payloads\": []}]}", "the requests that a benchmark was to send"),
            ("[{\"id\": \"a\", \"conversations\": []}]", "a set of prompts"),
            ("{\"lockfileVersion\": 3}", "a package lock of npm"),
            (
                "# This file is automatically @generated by Cargo.\nversion = 4\n",
                "a Cargo lock file",
            ),
            (
                "# This file is automatically @generated by Poetry 2.0 and\n",
                "a lock file of Poetry",
            ),
            ("{\"architectures\": [], \"model_type\": \"llama\"}", "the configuration of a model"),
            ("{\"version\": \"1.0\", \"added_tokens\": [], \"normalizer\": null}", "a tokenizer"),
            ("{\"cells\": [], \"nbformat\": 4}", "a Jupyter notebook"),
            ("{\"log\": {\"entries\": []}}", "a HAR recording of a browser"),
            ("{\"schemaVersion\": 1, \"traceEvents\": []}", "a profiler trace"),
            ("[{\"name\": \"a\", \"ph\": \"X\", \"ts\": 1, \"pid\": 1}]", "a profiler trace"),
            ("{\"_runtime\": 1, \"_timestamp\": 2}", "a summary of Weights & Biases"),
            ("apiVersion: v1\nkind: Pod\n", "a manifest of Kubernetes"),
            ("HF_TOKEN=x\n", "a list of environment variables"),
            ("# Title\n\nSome [link](x).\n", "notes in Markdown"),
            ("model: a\nport: 8000\n", "a YAML file, such as a configuration"),
        ];
        for (text, want) in cases {
            let head = Head::new("x", text.as_bytes(), text.len() as u64);
            let named =
                NOTES.iter().chain(NEIGHBOURS).find(|kind| kind.fits(&head)).map(Kind::what);
            assert_eq!(named, Some(want), "{text}");
        }
    }

    #[test]
    fn texts_are_known_by_their_lines() {
        assert!(
            variables("# keys\nHF_TOKEN=x\nexport A_1=2\n")
                && !variables("a = b\n")
                && !variables("")
        );
        assert!(
            markdown("# Title\n\n- a\n")
                && only_heading("# Title\n")
                && !markdown("# comment\na: 1\n")
        );
        assert!(
            log("2026-01-01 00:00:00 a\n2026-01-01 b\n")
                && log("INFO a\nINFO b\n")
                && !log("a\nb\n")
        );
        assert!(
            yaml("a: 1\nb:\n  - c\n") && !yaml("Dear all: see\nthis text\n") && !yaml("a,b\n1,2\n")
        );
    }
}
