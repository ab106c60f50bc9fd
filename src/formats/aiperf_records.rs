//! AIPerf's records: one line a request with its own metrics.

use super::aiperf;
use super::aiperf_rows::{self, Line};
use super::error::Fault;
use super::tree::Tree;
use super::{About, Format, Head, Input, Verdict};
use crate::model::{FirstTokenRule, Outcome, Part, Run};
use crate::notice::Notices;
use std::cell::Cell;

/// The records of NVIDIA AIPerf.
pub(super) struct AiperfRecords;

static ABOUT: About = About {
    name: "AIPerf records",
    file: "`profile_export.jsonl`, or `PREFIX.jsonl`, of `aiperf profile`",
    versions: "AIPerf 0.2 to 0.13, and a development build before 0.2",
    recognised: "one object a line with `metadata` and `metrics`, and the id `x_request_id`",
    reads: &[
        "every request: TTFT, time to the first answer text, end-to-end latency, the time until the \
         stream ended, gaps between chunks, tokens, the wait inside the client, the turn of its conversation, errors",
        "failed and cancelled requests keep their row without latencies",
    ],
    limits: &[
        "requests of the warm-up are left out, which is said",
        "the time by which AIPerf divides its rates is in `profile_export_aiperf.json`",
        "who counted the output tokens is not in the file: it is the server where its usage says the \
         same everywhere, else AIPerf’s own tokenizer",
    ],
}.lean();

impl Format for AiperfRecords {
    fn id(&self) -> &'static str {
        "aiperf-records"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let clock = || head.contains("\"request_start_ns\"") || head.contains("\"credit_phase\"");
        if head.has_keys(&["metadata", "metrics"]) && head.contains("\"x_request_id\"") && clock() {
            return Verdict::Certain(
                "it has metadata with x_request_id and a send time beside metrics".into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let signs = Signs::default();
        let rows = aiperf_rows::lines(&mut input, &|tree| Ok(line(&tree, &signs)), out)?;
        let mut run = aiperf::run("AIPerf", input.provenance(self.id(), 0, 1), Part::Requests);
        (run.version.guess, run.version.because) = signs.version();
        let requests =
            aiperf_rows::table(rows, "ms", signs.first_token(), &mut run.provenance.notices);
        run.requests = Some(requests);
        Ok(vec![run])
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        aiperf::stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        aiperf::beside(name)
    }
}

/// Keys that tell the version, as far as they were seen.
#[derive(Default)]
struct Signs {
    development: Cell<bool>,
    first_output: Cell<bool>,
    credit: Cell<bool>,
    decode: Cell<bool>,
    phases: Cell<bool>,
}

impl Signs {
    fn look(&self, metadata: &Tree, metrics: &Tree) {
        let see = |sign: &Cell<bool>, seen: bool| sign.set(sign.get() || seen);
        see(&self.development, metadata.get("timestamp_ns").is_some());
        see(&self.credit, metadata.get("credit_issued_ns").is_some());
        see(&self.phases, metadata.get("phase_index").is_some());
        see(&self.first_output, metrics.get("time_to_first_output_token").is_some());
        see(&self.decode, metrics.get("decode_duration").is_some());
    }

    fn version(&self) -> (Option<String>, Option<String>) {
        let (guess, because) = if self.phases.get() {
            ("0.13", "it has phase_index")
        } else if self.decode.get() {
            ("0.12 on", "it has decode_duration")
        } else if self.credit.get() {
            ("0.5 on", "it has credit_issued_ns")
        } else if self.first_output.get() {
            ("0.3 on", "it has time_to_first_output_token")
        } else if self.development.get() {
            ("a development build before 0.2", "it has timestamp_ns in place of request_start_ns")
        } else {
            ("0.2 to 0.4", "it has request_start_ns, but not credit_issued_ns")
        };
        (Some(guess.into()), Some(because.into()))
    }

    /// Up to 0.2 any response stopped the clock; from 0.3 on one with text does.
    fn first_token(&self) -> FirstTokenRule {
        if self.credit.get() || self.first_output.get() {
            FirstTokenRule::FirstText
        } else {
            FirstTokenRule::FirstEvent
        }
    }
}

fn line(tree: &Tree, signs: &Signs) -> Line {
    let mut row = match aiperf_rows::metadata(tree) {
        Ok(row) => row,
        Err(line) => return line,
    };
    let Some(metrics) = tree.get("metrics") else { return Line::Other };
    if let Some(metadata) = tree.get("metadata") {
        signs.look(metadata, metrics);
    }
    let value = |tags: &[&str]| tags.iter().find_map(|tag| metrics.number_at(&[tag, "value"]));
    row.input = value(&["input_sequence_length", "error_isl"]);
    if row.outcome == Some(Outcome::Ok) {
        let time =
            |tag: &str| Some(metrics.number_at(&[tag, "value"])? / per_second(metrics, tag)?);
        row.output = value(&["output_sequence_length", "output_token_count"]);
        row.usage = value(&["usage_completion_tokens"]);
        // `ttft`: development builds before 0.2.
        row.ttft = time("time_to_first_token").or_else(|| time("ttft"));
        row.first_answer = time("time_to_first_output_token");
        row.last = time("request_latency");
        row.itl = time("inter_token_latency");
        row.gaps = gaps(metrics).or_else(|| one_event(row.ttft, row.last).then(Vec::new));
    }
    Line::Counted(Box::new(row))
}

/// How many of a metric's unit are a second.
fn per_second(metrics: &Tree, tag: &str) -> Option<f64> {
    Some(match metrics.text_at(&[tag, "unit"])? {
        "ms" => 1e3,
        "sec" | "s" => 1.0,
        "us" => 1e6,
        "ns" => 1e9,
        _ => return None,
    })
}

fn gaps(metrics: &Tree) -> Option<Vec<f64>> {
    let per_second = per_second(metrics, "inter_chunk_latency")?;
    let Some(Tree::List(values)) = metrics.at(&["inter_chunk_latency", "value"]) else {
        return None;
    };
    values.iter().map(|gap| Some(gap.number().filter(|gap| *gap >= 0.0)? / per_second)).collect()
}

/// Whether first and last content are one event: there is then no list of gaps.
fn one_event(ttft: Option<f64>, last: Option<f64>) -> bool {
    ttft.zip(last).is_some_and(|(ttft, last)| (last - ttft).abs() < 1e-9)
}

#[cfg(test)]
mod tests {
    use crate::formats::read;
    use crate::model::{EndRule, FirstTokenRule, Outcome, Requests, TokenSource};
    use crate::units::{Seconds, Tokens, Turn};

    fn requests(text: &str) -> Requests {
        read("a.jsonl", text.as_bytes(), &mut |_| {}).unwrap().remove(0).requests.unwrap()
    }

    fn record(start: u64, phase: &str, metrics: &str, error: &str) -> String {
        let end = start + 500_000_000;
        format!(
            "{{\"metadata\": {{\"x_request_id\": \"a\", \"request_start_ns\": {start}, \
             \"request_end_ns\": {end}, \"benchmark_phase\": \"{phase}\"}}, \
             \"metrics\": {{{metrics}}}, \"error\": {error}}}\n"
        )
    }

    const FINE: &str = "\"time_to_first_token\": {\"value\": 100.0, \"unit\": \"ms\"}, \
         \"request_latency\": {\"value\": 400.0, \"unit\": \"ms\"}, \
         \"output_sequence_length\": {\"value\": 4, \"unit\": \"tokens\"}, \
         \"inter_chunk_latency\": {\"value\": [100.0, 200.0], \"unit\": \"ms\"}";

    #[test]
    fn warm_up_is_left_out_and_rows_stand_in_the_order_of_sending() {
        let text = [
            record(1_768_000_000_000_000_300, "profiling", FINE, "null"),
            record(1_768_000_000_000_000_001, "warmup", FINE, "null"),
            record(1_768_000_000_000_000_100, "profiling", FINE, "null"),
        ]
        .concat();
        let run = read("a.jsonl", text.as_bytes(), &mut |_| {}).unwrap().remove(0);
        assert!(run.provenance.notices.iter().any(|n| n.kind == "warm-up" && n.count == 1));
        let requests = run.requests.unwrap();
        let starts: Vec<_> = requests.start.iter().flatten().map(Seconds::as_secs).collect();
        assert_eq!(starts, [0.0, 200e-9], "exact to the nanosecond");
        assert_eq!(requests.end_rule, EndRule::StreamEnd);
        assert_eq!(requests.last_token.get(0).map(Seconds::as_millis), Some(400.0));
        assert_eq!(requests.first_token_rule, FirstTokenRule::FirstEvent, "before 0.3");
        assert_eq!(requests.token_source, TokenSource::Retokenized);
    }

    #[test]
    fn turns_of_conversations_are_kept_and_single_requests_have_none() {
        let turn = |start: u64, turn: u32, error: &str| {
            let of = format!("\"turn_index\": {turn}, \"x_request_id\"");
            record(start, "profiling", FINE, error).replace("\"x_request_id\"", &of)
        };
        let failed = "{\"type\": \"E\", \"code\": 500}";
        let talk = requests(&[turn(30, 1, failed), turn(10, 0, "null")].concat());
        let turns: Vec<_> = talk.turn.iter().map(|turn| turn.map(Turn::number)).collect();
        assert_eq!(turns, [Some(1.0), Some(2.0)], "from 1, of failed requests too");
        let single = requests(&[turn(10, 0, "null"), turn(30, 0, "null")].concat());
        assert!(single.turn.is_absent(), "no conversation goes on");
    }

    #[test]
    fn failed_and_cancelled_rows_have_no_latency() {
        let text = [
            record(10, "profiling", FINE, "null"),
            record(20, "profiling", FINE, "{\"type\": \"TimeoutError\", \"message\": \"key=1\"}"),
            record(
                30,
                "profiling",
                FINE,
                "{\"code\": 499, \"type\": \"RequestCancellationError\"}",
            ),
        ]
        .concat();
        let requests = requests(&text);
        assert_eq!(requests.outcome, [Outcome::Ok, Outcome::Failed, Outcome::Cancelled]);
        assert_eq!(requests.ttft.present(), 1);
        assert_eq!(requests.gaps.row(1), None);
    }

    #[test]
    fn a_count_that_differs_from_usage_stands_beside_it() {
        let both =
            format!("{FINE}, \"usage_completion_tokens\": {{\"value\": 6, \"unit\": \"tokens\"}}");
        let differ = requests(&record(10, "profiling", &both, "null"));
        assert_eq!(differ.token_source, TokenSource::Server);
        assert_eq!(differ.output_tokens.get(0).map(Tokens::count), Some(6.0));
        assert_eq!(differ.retokenized.get(0).map(Tokens::count), Some(4.0));
    }

    #[test]
    fn a_divisor_of_its_own_is_kept() {
        // 300 ms ÷ (4 − 2), not ÷ 3.
        let itl =
            format!("{FINE}, \"inter_token_latency\": {{\"value\": 150.0, \"unit\": \"ms\"}}");
        let own = requests(&record(10, "profiling", &itl, "null"));
        assert_eq!(own.request_itl.get(0).map(Seconds::as_millis), Some(150.0));
        let classic =
            format!("{FINE}, \"inter_token_latency\": {{\"value\": 100.0, \"unit\": \"ms\"}}");
        assert!(requests(&record(10, "profiling", &classic, "null")).request_itl.is_absent());
    }
}
