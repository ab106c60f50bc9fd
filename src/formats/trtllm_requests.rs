//! The requests of `trtllm-bench` (`--request_json`): one record a request, clocks in nanoseconds.

use super::documents::{self, Document, Ticker};
use super::error::Fault;
use super::tree::{Each, Tree, TreeSeed};
use super::trtllm_bench::{offline, stem};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{
    Column, EndRule, FirstTokenRule, Origin, Outcome, Part, Requests, Run, TokenSource, Tool,
};
use crate::notice::{Notices, Severity};
use crate::units::{Seconds, Tokens};

/// The request file of trtllm-bench.
pub(super) struct TrtllmRequests;

static ABOUT: About = About {
    name: "trtllm-bench requests",
    file: "`trtllm-bench throughput` or `latency` with `--request_json`",
    versions: "TensorRT-LLM 0.17 to 1.2",
    recognised: "a list whose records have `start_timestamp`, `first_token_timestamp` and `end_timestamp`",
    reads: &["start, first token, end, input and output tokens of every request, failures"],
    limits: &[
        "no times between tokens",
        "without streaming there is no first token; the times per token in the file are then made of a \
         −1 and are not used",
        "output texts are not kept",
    ],
}.lean();

impl Format for TrtllmRequests {
    fn id(&self) -> &'static str {
        "trtllm-requests"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["start_timestamp", "first_token_timestamp", "end_timestamp"]) {
            return Verdict::Certain(
                "it has start_timestamp, first_token_timestamp and end_timestamp".into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let seed = TreeSeed { skip: &["output", "tokens"], ticker: &ticker };
        let each = Each { seed, convert: &|tree| Ok(record(&tree)) };
        let found = documents::read(input.text, each, &ticker, out)?;
        let records: Vec<Record> = found.into_iter().map(|Document { value, .. }| value).collect();
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let mut provenance = input.provenance(self.id(), 0, 1);
        provenance.part = Part::Requests;
        let mut run = offline(super::blank(Tool::Trtllm, "trtllm-bench", provenance));
        run.load.requests = Some(records.len() as u64);
        run.requests = Some(table(&records, &mut run.provenance.notices));
        Ok(vec![run])
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        stem(name, &["requests", "request"])
    }
}

/// One request; times in nanoseconds.
#[derive(Clone, Copy)]
struct Record {
    start: Option<i128>,
    first: Option<i128>,
    end: Option<i128>,
    input: Option<f64>,
    output: Option<f64>,
    failed: bool,
}

fn record(tree: &Tree) -> Record {
    // −1 says that the moment never came.
    let moment = |key| tree.get(key).and_then(Tree::int).filter(|at| *at >= 0);
    let count = |key: &str| tree.number_at(&[key]).filter(|n| *n >= 0.0);
    let output = ["num_total_output_tokens", "num_output_tokens", "output_tokens"];
    Record {
        start: moment("start_timestamp"),
        first: moment("first_token_timestamp"),
        end: moment("end_timestamp"),
        input: count("num_input_tokens"),
        output: output.iter().find_map(|key| count(key)),
        failed: count("error_tokens").is_some_and(|n| n > 0.0),
    }
}

fn table(records: &[Record], out: &mut Notices) -> Requests {
    let outcome = |record: &Record| match record {
        Record { failed: true, .. } => Outcome::Failed,
        Record { end: None, .. } => Outcome::Unfinished,
        _ => Outcome::Ok,
    };
    let ok = |record: &&Record| outcome(record) == Outcome::Ok;
    let since = |record: &Record, to: Option<i128>| {
        let nanos = to?.checked_sub(record.start?).filter(|nanos| *nanos > 0)?;
        ok(&record).then(|| Seconds::from_nanos(nanos as f64))
    };
    let converted = || Origin::Converted { from: "ns".into() };
    let mut requests = Requests::absent(records.len());
    requests.outcome = records.iter().map(outcome).collect();
    requests.first_token_rule = FirstTokenRule::FirstEvent;
    requests.end_rule = EndRule::LastToken;
    requests.token_source = TokenSource::Server;
    let tokens = |count: &dyn Fn(&Record) -> Option<f64>| {
        Column::from_options(
            Origin::Reported,
            records.iter().map(|record| count(record).map(Tokens::from_count)),
        )
    };
    requests.input_tokens = tokens(&|record| record.input);
    requests.output_tokens = tokens(&|record| record.output.filter(|_| ok(&record)));
    requests.e2e =
        Column::from_options(converted(), records.iter().map(|record| since(record, record.end)));
    if records.iter().any(|record| record.first.is_some()) {
        // A stream that ended with its first token has no moment for it: the tool takes 0.
        let ttft = |record: &Record| match record.first {
            Some(_) => since(record, record.first),
            None => ok(&record).then_some(Seconds::ZERO),
        };
        requests.ttft = Column::from_options(converted(), records.iter().map(ttft));
    }
    let zero = records.iter().filter_map(|record| record.start).min().unwrap_or_default();
    let start = |record: &Record| {
        record.start?.checked_sub(zero).map(|nanos| Seconds::from_nanos(nanos as f64))
    };
    requests.start = Column::from_options(converted(), records.iter().map(start));
    let failed: Vec<usize> = (0..records.len())
        .filter(|at| requests.outcome.get(*at) == Some(&Outcome::Failed))
        .collect();
    let text = "Failed requests are counted, and none of their values is a sample.";
    super::slots::flag(out, Severity::Warn, "failed-requests", &failed, text);
    requests
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    #[test]
    fn nineteen_digits_are_subtracted_before_they_are_rounded() {
        let text = br#"[{"id": 1, "num_input_tokens": 16, "error_tokens": 0, "start_timestamp": 1768000000123456789,
            "first_token_timestamp": 1768000000123456790, "end_timestamp": 1768000000123456799, "num_output_tokens": 3}]"#;
        let run = read("a.json", text, &mut |_| {}).unwrap().remove(0);
        let requests = run.requests.unwrap();
        assert_eq!(requests.ttft.get(0), Some(Seconds::from_nanos(1.0)));
        assert_eq!(requests.e2e.get(0), Some(Seconds::from_nanos(10.0)));
        assert_eq!(requests.start.get(0), Some(Seconds::ZERO));
    }

    #[test]
    fn without_streaming_there_is_no_first_token_and_no_zero() {
        let text =
            br#"[{"start_timestamp": 5, "first_token_timestamp": -1, "end_timestamp": 9000005,
            "num_total_output_tokens": 3, "intertoken_latency": 4500003.0}]"#;
        let requests = read("a.json", text, &mut |_| {}).unwrap().remove(0).requests.unwrap();
        assert!(requests.ttft.is_absent());
        assert_eq!(requests.e2e.get(0).map(Seconds::as_millis), Some(9.0));
        assert!(!requests.is_empty_reply(0));
    }
}
