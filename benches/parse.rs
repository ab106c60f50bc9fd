//! Reading a detailed result into columns, against a generic JSON tree of the same bytes.
#![allow(missing_docs, reason = "the macros of the harness make undocumented items")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sameruler::formats;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

/// A result of `vllm bench serve --save-detailed` of so many requests, each of 128 gaps.
fn detailed(requests: usize) -> String {
    let list = |item: &dyn Fn(usize) -> String| {
        let items: Vec<String> = (0..requests).map(item).collect();
        format!("[{}]", items.join(","))
    };
    let gaps = |row: usize| {
        let mut text = String::from("[");
        for gap in 0..128 {
            let comma = if gap == 0 { "" } else { "," };
            let _ = write!(text, "{comma}{}", 0.012 + ((row * 131 + gap * 17) % 9973) as f64 / 1e6);
        }
        text.push(']');
        text
    };
    format!(
        r#"{{"backend":"vllm","model_id":"made/large","num_prompts":{requests},"request_rate":"inf",
        "duration":100.5,"completed":{requests},"total_input_tokens":1,"total_output_tokens":1,
        "request_throughput":1.0,"output_throughput":1.0,"total_token_throughput":1.0,
        "input_lens":{},"output_lens":{},"ttfts":{},"itls":{},"generated_texts":{},"errors":{}}}"#,
        list(&|_| "64".into()),
        list(&|_| "129".into()),
        list(&|row| format!("{}", 0.05 + row as f64 / 1e6)),
        list(&gaps),
        list(&|_| "\"some words that nobody keeps\"".into()),
        list(&|_| "\"\"".into()),
    )
}

fn parse(criterion: &mut Criterion) {
    let text = detailed(8_000);
    let mut group = criterion.benchmark_group("vllm detailed");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.bench_function("into columns", |bencher| {
        bencher.iter(|| black_box(formats::read("a.json", text.as_bytes(), &mut |_| {})).is_ok());
    });
    group.bench_function("into a JSON tree", |bencher| {
        bencher.iter(|| black_box(serde_json::from_str::<serde_json::Value>(&text)).is_ok());
    });
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
