//! Tables whose columns somebody names: what is offered, what is read, what is refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use sameruler::engine::import::import_mapped;
use sameruler::engine::protocol::{
    Cause, Confidence, Field, MappedColumn, Mapping, Refusal, TimeUnit,
};
use sameruler::model::{Metric, Run, Stat};
use sameruler::units::Seconds;

const TABLE: &str = "call,first token,whole time (ms),tokens out\na,50,250,5\nb,60,300,5\n";

fn read(text: &str, columns: &[(&str, Field, Option<TimeUnit>)]) -> Result<Vec<Run>, Refusal> {
    let columns = columns
        .iter()
        .map(|(column, field, unit)| MappedColumn {
            column: (*column).to_owned(),
            field: *field,
            unit: *unit,
        })
        .collect();
    let mapping = Mapping { columns };
    import_mapped("log.csv", &mut text.as_bytes(), false, Some(&mapping), &mut |_, _, _, _| {})
        .whole()
}

fn unmapped(text: &str) -> Refusal {
    import_mapped("log.csv", &mut text.as_bytes(), false, None, &mut |_, _, _, _| {})
        .whole()
        .unwrap_err()
}

#[test]
fn an_unknown_header_is_refused_with_what_its_columns_seem_to_be() {
    let refusal = unmapped("call,first token,whole time (ms),words\na,50,250,5\n");
    let offer = refusal.mapping.as_ref().unwrap();
    let first = &offer.columns[1];
    assert_eq!((first.field, first.confidence), (Some(Field::Ttft), Confidence::Sure));
    assert!(refusal.advice.contains("--map"), "{}", refusal.advice);
    let back: Refusal = serde_json::from_str(&serde_json::to_string(&refusal).unwrap()).unwrap();
    assert_eq!(back, refusal);
}

#[test]
fn a_missing_unit_is_offered_and_never_guessed() {
    let refusal = unmapped("id,tokens,ttft,e2e_ms\na,5,0.05,250\n");
    assert!(refusal.advice.contains("--map ttft='ttft:ms'"), "{}", refusal.advice);
    let guess = &refusal.mapping.unwrap().columns[2];
    assert_eq!((guess.field, guess.unit), (Some(Field::Ttft), None));
    assert!(guess.because.contains("needs a unit"));
}

#[test]
fn a_table_of_requests_is_read_as_was_said() {
    let runs = read(
        TABLE,
        &[
            ("first token", Field::Ttft, Some(TimeUnit::Millis)),
            ("whole time (ms)", Field::E2e, None),
            ("tokens out", Field::OutputTokens, None),
        ],
    )
    .unwrap();
    let run = &runs[0];
    assert_eq!(run.provenance.format, "csv-requests");
    assert_eq!(run.provenance.because, "its columns are what was said of them");
    let requests = run.requests.as_ref().unwrap();
    assert_eq!(requests.ttft.get(0), Some(Seconds::from_millis(50.0)));
    assert_eq!(requests.e2e.get(1), Some(Seconds::from_millis(300.0)));
    assert_eq!(requests.output_tokens.present(), 2);
}

#[test]
fn a_table_of_loads_is_read_as_was_said() {
    let text = "threads,p99 first token,speed\n1,50,30\n2,60,55\n";
    let runs = read(
        text,
        &[
            ("threads", Field::Concurrency, None),
            ("p99 first token", Field::Ttft, Some(TimeUnit::Millis)),
            ("speed", Field::OutputThroughput, None),
        ],
    )
    .unwrap();
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[1].load.max_concurrency, Some(2));
    let p99 = runs[1].reported.find(Metric::Ttft, Stat::Percentile(99.0)).unwrap();
    assert!((p99.value - 60.0).abs() < 1e-9);
}

#[test]
fn what_is_said_goes_before_what_a_heading_says() {
    let text = "id,output_tokens,ttft_ms,e2e_ms,my ttft (s)\na,5,50,250,0.06\n";
    let said = [("my ttft (s)", Field::Ttft, None), ("ttft_ms", Field::Unused, None)];
    let runs = read(text, &said).unwrap();
    let ttft = runs[0].requests.as_ref().unwrap().ttft.get(0);
    assert_eq!(ttft, Some(Seconds::from_secs(0.06)));
}

#[test]
fn a_mapping_that_does_not_fit_is_refused_with_the_columns_that_there_are() {
    let ms = Some(TimeUnit::Millis);
    let cases: [&[(&str, Field, Option<TimeUnit>)]; 3] = [
        &[("frist token", Field::Ttft, ms)],
        &[("first token", Field::Ttft, ms), ("whole time (ms)", Field::Ttft, ms)],
        &[("first token", Field::Unused, None)],
    ];
    for said in cases {
        let refusal = read(TABLE, said).unwrap_err();
        assert_eq!(refusal.kind, Cause::Mapping, "{said:?}");
        assert!(refusal.advice.contains("“first token”"), "{}", refusal.advice);
        assert!(refusal.mapping.is_some());
    }
    let refusal = read(TABLE, &[("first token", Field::Ttft, None)]).unwrap_err();
    assert!(refusal.error.contains("no unit"), "{}", refusal.error);
    // A fault in a cell: its column can still be left out.
    let word = format!("{TABLE}c,seventy,350,5\n");
    let refusal = read(&word, &[("first token", Field::Ttft, ms)]).unwrap_err();
    assert_eq!(refusal.kind, Cause::Broken);
    assert!(refusal.mapping.is_some(), "{}", refusal.error);
}

#[test]
fn a_file_of_a_tool_is_read_as_it_is() {
    let json = r#"{"avg_latency": 1.5, "latencies": [1.0, 2.0], "percentiles": {}}"#;
    let runs = read(json, &[("avg", Field::Ttft, None)]).unwrap();
    assert_eq!(runs[0].provenance.format, "vllm-latency");
}
