//! The request records of Ray’s LLMPerf: `…_individual_responses.json`.
//!
//! Written by `token_benchmark_ray.py` from what the clients in `src/llmperf/ray_clients` return.

use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::llmperf_summary::{BEGIN_TOKEN, ITL, MAY_BE_LOST, stem};
use super::tree::{Each, Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict, slots};
use crate::model::{
    Column, EndRule, FirstTokenRule, Origin, Outcome, Part, Ragged, Requests, Run, TokenSource,
    Tool,
};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Quantity, Seconds};
use std::collections::BTreeMap;

/// The request records of LLMPerf.
pub(super) struct LlmperfResponses;

static ABOUT: About = About {
    name: "LLMPerf’s request records",
    file: "`…_individual_responses.json` of `token_benchmark_ray.py`, and the raw data of its leaderboard",
    versions: "LLMPerf v2.0 (December 2023) to December 2024",
    recognised: "a list whose elements have `ttft_s`, `end_to_end_latency_s` and `inter_token_latency_s`",
    reads: &[
        "time to first token, latency, tokens, error codes; LLMPerf’s own mean ITL of each request",
        "the gaps between events, where an older client or that for SageMaker wrote them as a list",
    ],
    limits: &[
        "no times of sending: no rates, no concurrency, no order",
        "output tokens hold one begin token too many",
        "no model and no load: drop the summary beside it too",
    ],
}.lean();

/// Texts: messages of errors, and replies in the raw data of the leaderboard.
const SKIP: &[&str] = &["error_msg", "GEN_TEXT"];

impl Format for LlmperfResponses {
    fn id(&self) -> &'static str {
        "llmperf-responses"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["ttft_s", "end_to_end_latency_s", "inter_token_latency_s"]) {
            return Verdict::Certain("it has ttft_s beside inter_token_latency_s".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let seed = TreeSeed { skip: SKIP, ticker: &ticker };
        let each = Each { seed, convert: &|tree| Ok(Row::of(&tree)) };
        let rows: Vec<Row> =
            documents::read(input.text, each, &ticker, out)?.into_iter().map(|d| d.value).collect();
        if rows.is_empty() {
            return Err(Fault::whole(ErrorKind::NoRuns));
        }
        let mut run = super::blank(Tool::Llmperf, "LLMPerf", input.provenance(self.id(), 0, 1));
        run.provenance.part = Part::Requests;
        run.load.requests = Some(rows.len() as u64);
        let out = &mut run.provenance.notices;
        let requests = table(&rows);
        note(&rows, out);
        slots::note_not_streamed(&requests, out);
        run.requests = Some(requests);
        Ok(vec![run])
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        let base = name.strip_suffix("_individual_responses.json");
        base.map(|base| format!("{base}_summary.json")).into_iter().collect()
    }
}

/// One request as written.
struct Row {
    /// The error code in words, where it failed.
    code: Option<String>,
    ttft: Option<f64>,
    e2e: Option<f64>,
    /// Its mean ITL; missing where the client wrote a list.
    itl: Option<f64>,
    /// The list: the time to the first event, then the gaps.
    times: Option<Vec<f64>>,
    speed: Option<f64>,
    input: Option<f64>,
    output: Option<f64>,
}

impl Row {
    fn of(tree: &Tree) -> Self {
        let number = |key: &str| tree.number_at(&[key]).filter(|n| *n >= 0.0);
        let itl = tree.get("inter_token_latency_s");
        let times = match itl {
            Some(Tree::List(times)) => {
                Some(times.iter().map(|t| t.number().unwrap_or(f64::NAN)).collect())
            }
            _ => None,
        };
        Self {
            code: tree.get("error_code").filter(|code| !code.is_null()).map(code),
            ttft: number("ttft_s"),
            e2e: number("end_to_end_latency_s"),
            itl: number("inter_token_latency_s"),
            times,
            speed: number("request_output_throughput_token_per_s"),
            input: number("number_input_tokens"),
            output: number("number_output_tokens"),
        }
    }

    fn ok(&self) -> bool {
        self.code.is_none()
    }

    /// The gaps of its list, where every time in it is one.
    fn gaps(&self) -> Option<&[f64]> {
        let times = self.times.as_deref()?;
        times.iter().all(|t| t.is_finite() && *t >= 0.0).then(|| times.get(1..).unwrap_or_default())
    }
}

/// A code in words: `429`, also where pandas made it 429.0.
fn code(code: &Tree) -> String {
    code.int().map_or_else(|| "other".to_owned(), |code| code.to_string())
}

fn table(rows: &[Row]) -> Requests {
    let mut requests = Requests::absent(rows.len());
    requests.outcome =
        rows.iter().map(|row| if row.ok() { Outcome::Ok } else { Outcome::Failed }).collect();
    requests.first_token_rule = FirstTokenRule::FirstAnswer;
    requests.end_rule = EndRule::StreamEnd;
    requests.token_source = TokenSource::Retokenized;
    requests.input_tokens = column(rows, |row| row.input);
    // A failed request holds zeros and one token: no values.
    requests.output_tokens = column(rows, |row| row.output.filter(|_| row.ok()));
    requests.ttft = column(rows, |row| row.ttft.filter(|_| row.ok()));
    requests.e2e = column(rows, |row| row.e2e.filter(|_| row.ok()));
    requests.request_itl = column(rows, |row| row.itl.filter(|_| row.ok()));
    if rows.iter().any(|row| row.ok() && row.times.is_some()) {
        let how = "inter_token_latency_s without its first value, the time to first token";
        requests.gaps = Ragged::new(Origin::Derived { how: how.into() });
        for row in rows {
            let gaps: Option<Vec<Seconds>> = row
                .gaps()
                .filter(|_| row.ok())
                .map(|gaps| gaps.iter().copied().map(Seconds::from_secs).collect());
            requests.gaps.push_row(gaps.as_deref());
        }
    }
    requests
}

fn column<T: Quantity>(rows: &[Row], get: impl Fn(&Row) -> Option<f64>) -> Column<T> {
    let values = rows.iter().map(|row| get(row).map(T::from_raw));
    let column = Column::from_options(Origin::Reported, values);
    if column.is_absent() { Column::absent(rows.len()) } else { column }
}

fn note(rows: &[Row], out: &mut Notices) {
    note_failed(rows, out);
    let whole = |key: &str| Place::JsonPath(key.to_owned());
    out.add(Severity::Note, "begin-token", whole("number_output_tokens"), BEGIN_TOKEN);
    if rows.iter().any(|row| row.times.is_some()) {
        let text = "The file holds a list of times for each request, the time to first token among them; LLMPerf’s \
                    own ITL takes that as a gap too.";
        out.add(Severity::Note, "itl-lists", whole("inter_token_latency_s"), text);
    } else {
        out.add(Severity::Warn, "itl-with-ttft", whole("inter_token_latency_s"), ITL);
    }
    note_speed(rows, out);
    if rows.iter().all(Row::ok) {
        out.add(Severity::Note, "failures-may-be-lost", whole("error_code"), MAY_BE_LOST);
    }
}

fn note_failed(rows: &[Row], out: &mut Notices) {
    let failed: Vec<usize> =
        (0..rows.len()).filter(|at| rows.get(*at).is_some_and(|r| !r.ok())).collect();
    let mut codes: BTreeMap<&str, u64> = BTreeMap::new();
    for code in rows.iter().filter_map(|row| row.code.as_deref()) {
        *codes.entry(code).or_default() += 1;
    }
    let mut codes: Vec<_> = codes.into_iter().collect();
    codes.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let named: Vec<_> =
        codes.iter().take(4).map(|(code, n)| format!("{n} × code {code}")).collect();
    let mut text = format!(
        "Failed requests are counted, and the zeros in them are no samples ({}).",
        named.join(", ")
    );
    if codes.iter().any(|(code, _)| *code == "-100") {
        text.push_str(" Code −100 is a reply with too few tokens, whose ITL is a sum.");
    }
    slots::flag(out, Severity::Warn, "failed-requests", &failed, &text);
}

/// Tokens a second of a request were received events over the latency before April 2024.
fn note_speed(rows: &[Row], out: &mut Notices) {
    let (mut tokens, mut events, mut other) = (0.0, 0.0, 0_u64);
    for row in rows.iter().filter(|row| row.ok()) {
        let (Some(speed), Some(e2e), Some(output)) = (row.speed, row.e2e, row.output) else {
            continue;
        };
        tokens += output;
        events += speed * e2e;
        other += u64::from((speed * e2e - output).abs() > 0.5);
    }
    if other == 0 {
        return;
    }
    let size = if events > 0.0 {
        format!(", each of about {:.1} tokens,", tokens / events)
    } else {
        String::new()
    };
    let text = format!(
        "request_output_throughput_token_per_s is not tokens over the latency: before April 2024 LLMPerf divided \
         the received events{size} by it."
    );
    let place = Place::JsonPath("request_output_throughput_token_per_s".into());
    out.add_many(Severity::Warn, "speed-of-events", place, other, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    fn one(text: &str) -> Run {
        read("a.json", text.as_bytes(), &mut |_| {}).unwrap().remove(0)
    }

    #[test]
    fn failed_rows_hold_no_values() {
        let run = one(
            r#"[{"error_code": 429.0, "error_msg": "key sk-1", "inter_token_latency_s": 0,
            "ttft_s": 0, "end_to_end_latency_s": 0, "request_output_throughput_token_per_s": 0,
            "number_total_tokens": 551, "number_output_tokens": 1, "number_input_tokens": 550},
            {"error_code": null, "error_msg": "", "inter_token_latency_s": 0.02, "ttft_s": 0.5,
            "end_to_end_latency_s": 2.0, "request_output_throughput_token_per_s": 50.5,
            "number_total_tokens": 651, "number_output_tokens": 101, "number_input_tokens": 550}]"#,
        );
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(requests.count(Outcome::Failed), 1);
        assert_eq!((requests.ttft.get(0), requests.e2e.get(0)), (None, None));
        assert_eq!(requests.output_tokens.get(0), None);
        assert_eq!(requests.request_itl.get(1).map(Seconds::as_millis), Some(20.0));
        let notices = &run.provenance.notices;
        assert!(notices.iter().any(|n| n.text.contains("1 × code 429")));
        assert!(notices.iter().all(|n| !n.text.contains("sk-1") && n.kind != "speed-of-events"));
    }

    #[test]
    fn a_list_of_times_gives_gaps() {
        let run =
            one(r#"[{"error_code": null, "inter_token_latency_s": [0.5, 0.1, 0.2], "ttft_s": 0.5,
            "end_to_end_latency_s": 0.9, "number_output_tokens": 4, "number_input_tokens": 5}]"#);
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(requests.gaps.row(0).map(<[_]>::len), Some(2));
        assert!(requests.request_itl.is_absent());
    }

    #[test]
    fn a_first_token_before_the_start_is_missing() {
        let run = one(r#"[{"error_code": null, "inter_token_latency_s": 0.1, "ttft_s": -1,
            "end_to_end_latency_s": 0.9, "number_output_tokens": 4, "number_input_tokens": 5}]"#);
        assert!(run.requests.as_ref().unwrap().ttft.is_absent());
    }
}
