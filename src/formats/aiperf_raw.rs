//! AIPerf's raw records: every message of every stream with its time. Headers and prompts are skipped.

use super::aiperf;
use super::aiperf_rows::{self, Line, Row};
use super::documents::Ticker;
use super::error::Fault;
use super::tree::{Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{FirstTokenRule, Outcome, Part, Run};
use crate::notice::Notices;
use serde::de::DeserializeSeed as _;

/// The raw records of NVIDIA AIPerf.
pub(super) struct AiperfRaw;

static ABOUT: About = About {
    name: "AIPerf raw records",
    file: "`profile_export_raw.jsonl`, or `PREFIX_raw.jsonl`, of `aiperf profile --export-level raw`",
    versions: "AIPerf 0.3 to 0.13",
    recognised: "one object a line with `metadata` and `responses`, and the id `x_request_id`",
    reads: &[
        "the time of every stream message with text: first token, first answer, last token, gaps",
        "tokens by the server’s usage; those of each event where every chunk carries usage",
        "the end of the stream, the turn of a conversation, failed and cancelled requests",
    ],
    limits: &[
        "no aggregates: they are in `profile_export_aiperf.json`",
        "prompts and headers are passed over; texts are looked at for being empty or not, and not kept",
    ],
}.lean();

impl Format for AiperfRaw {
    fn id(&self) -> &'static str {
        "aiperf-raw"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(json) = &head.json else { return Verdict::No };
        let raw = json.has_any(&["start_perf_ns", "responses", "payload"]);
        if json.has("metadata") && raw && !json.has("metrics") && head.contains("\"x_request_id\"")
        {
            return Verdict::Certain(
                "it has metadata with x_request_id beside the stream’s responses".into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let rows = aiperf_rows::lines(&mut input, &|tree| Ok(line(&tree)), out)?;
        let mut run = aiperf::run("AIPerf", input.provenance(self.id(), 0, 1), Part::Events);
        let rule = FirstTokenRule::FirstText;
        run.requests = Some(aiperf_rows::table(rows, "ns", rule, &mut run.provenance.notices));
        Ok(vec![run])
    }

    fn stem<'n>(&self, name: &'n str) -> Option<&'n str> {
        aiperf::stem(name)
    }

    fn beside(&self, name: &str) -> Vec<String> {
        aiperf::beside(name)
    }
}

fn line(tree: &Tree) -> Line {
    let mut row = match aiperf_rows::metadata(tree) {
        Ok(row) => row,
        Err(line) => return line,
    };
    if row.outcome == Some(Outcome::Ok)
        && let Some(sent) = tree.get("start_perf_ns").and_then(Tree::int)
    {
        stream(&mut row, sent, tree.get("responses").map(Tree::list).unwrap_or_default());
    }
    Line::Counted(Box::new(row))
}

/// Fills a row from its messages, timed on the clock that showed `sent` at the send.
fn stream(row: &mut Row, sent: i128, responses: &[Tree]) {
    let mut times: Vec<i128> = Vec::new();
    let mut counts: Vec<Option<f64>> = Vec::new();
    for response in responses {
        let Some(nanos) = response.get("perf_ns").and_then(Tree::int) else { continue };
        let Some(nanos) = nanos.checked_sub(sent).filter(|nanos| *nanos >= 0) else { continue };
        let at = nanos as f64 / 1e9;
        let streamed = response.get("packets").is_some();
        let mut seen = Message::default();
        let packets = response.get("packets").map(Tree::list).unwrap_or_default();
        let data = packets.iter().filter(|packet| packet.text_at(&["name"]) == Some("data"));
        for text in data.filter_map(|p| p.text_at(&["value"])).chain(response.text_at(&["text"])) {
            seen.add(text);
        }
        row.input = seen.prompt.or(row.input);
        row.usage = seen.completion.or(row.usage);
        if !(seen.answer || seen.reasoning) {
            continue;
        }
        row.last = Some(at);
        if streamed {
            times.push(nanos);
            counts.push(seen.completion);
            row.ttft = row.ttft.or(Some(at));
            row.first_answer = row.first_answer.or(seen.answer.then_some(at));
        }
    }
    if times.is_empty() {
        return;
    }
    let gaps = times.iter().zip(times.iter().skip(1));
    row.gaps = gaps
        .map(|(a, b)| b.checked_sub(*a).filter(|gap| *gap >= 0))
        .map(|gap| Some(gap? as f64 / 1e9))
        .collect();
    row.event_tokens = counts.into_iter().collect::<Option<Vec<f64>>>().and_then(|t| steps(&t));
}

/// Tokens of each event out of running totals; nothing where they are no running totals.
fn steps(totals: &[f64]) -> Option<Vec<f64>> {
    let mut before = 0.0;
    totals
        .iter()
        .map(|total| {
            let step = total - before;
            before = *total;
            (step >= 0.0).then_some(step)
        })
        .collect()
}

/// What the data of one message holds.
#[derive(Default)]
struct Message {
    answer: bool,
    reasoning: bool,
    prompt: Option<f64>,
    completion: Option<f64>,
}

impl Message {
    fn add(&mut self, data: &str) {
        let Some(tree) = json(data) else { return };
        let full = |tree: &Tree, key: &str| match tree.get(key) {
            Some(Tree::Text(text)) => !text.is_empty(),
            Some(Tree::List(list)) => !list.is_empty(),
            Some(Tree::Object(members)) => !members.is_empty(),
            _ => false,
        };
        let any = |tree: &Tree, keys: &[&str]| keys.iter().any(|key| full(tree, key));
        for choice in tree.get("choices").map(Tree::list).unwrap_or_default() {
            self.answer |= full(choice, "text");
            if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
                self.reasoning |= any(delta, &["reasoning_content", "reasoning"]);
                self.answer |= any(delta, &["content", "tool_calls", "function_call"]);
            }
        }
        match tree.text_at(&["type"]) {
            // The Responses API.
            Some(kind)
                if kind.starts_with("response.") && kind.rsplit('.').next() == Some("delta") =>
            {
                let thought = kind.contains("reasoning");
                self.reasoning |= thought && full(&tree, "delta");
                self.answer |= !thought && full(&tree, "delta");
            }
            // TGI, Triton, Ollama.
            _ if tree.get("choices").is_none() => {
                let keys = ["text", "text_output", "generated_text", "content", "response"];
                self.answer |=
                    any(&tree, &keys) || tree.get("token").is_some_and(|t| full(t, "text"));
            }
            _ => {}
        }
        let usage = tree.get("usage").or_else(|| tree.at(&["response", "usage"]));
        let count = |keys: &[&str]| keys.iter().find_map(|key| usage?.number_at(&[key]));
        self.prompt = count(&["prompt_tokens", "input_tokens"]).or(self.prompt);
        self.completion = count(&["completion_tokens", "output_tokens"]).or(self.completion);
    }
}

/// The JSON of one message; nothing of the end marker and of plain text.
fn json(data: &str) -> Option<Tree> {
    if !data.starts_with('{') {
        return None;
    }
    let mut silent = |_| {};
    let ticker = Ticker::new(0, &mut silent);
    let seed = TreeSeed { skip: &["logprobs", "prompt_logprobs"], ticker: &ticker };
    seed.deserialize(&mut serde_json::Deserializer::from_str(data)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::model::{EndRule, TokenSource};

    fn message(at: u64, delta: &str, usage: Option<u32>) -> String {
        let usage = usage
            .map(|n| format!(", \"usage\": {{\"prompt_tokens\": 9, \"completion_tokens\": {n}}}"));
        let data =
            format!("{{\"choices\": [{{\"delta\": {delta}}}]{}}}", usage.unwrap_or_default());
        let data = data.replace('"', "\\\"");
        format!(
            "{{\"perf_ns\": {at}, \"packets\": [{{\"name\": \"data\", \"value\": \"{data}\"}}]}}"
        )
    }

    #[test]
    fn reasoning_is_a_first_token_and_no_first_answer() {
        let messages = [
            message(150, "{\"role\": \"assistant\", \"content\": \"\"}", None),
            message(200, "{\"reasoning_content\": \"hm\"}", Some(8)),
            message(500, "{\"content\": \"a\"}", Some(10)),
            message(900, "{\"content\": \"b\"}", Some(48)),
        ];
        let text = format!(
            "{{\"metadata\": {{\"x_request_id\": \"a\", \"request_start_ns\": 1000, \"request_end_ns\": 2100}}, \
             \"start_perf_ns\": 100, \"request_headers\": {{\"Authorization\": \"key\"}}, \
             \"responses\": [{}, {{\"perf_ns\": 1100, \"packets\": [{{\"name\": \"data\", \"value\": \"[DONE]\"}}]}}]}}\n",
            messages.join(", ")
        );
        let run = read("a.jsonl", text.as_bytes(), &mut |_| {}).unwrap().remove(0);
        let requests = run.requests.unwrap();
        let nanos = |t: Option<crate::units::Seconds>| t.map(|t| (t.as_secs() * 1e9).round());
        assert_eq!(nanos(requests.ttft.get(0)), Some(100.0));
        assert_eq!(nanos(requests.first_answer.get(0)), Some(400.0));
        assert_eq!(nanos(requests.last_token.get(0)), Some(800.0));
        assert_eq!(nanos(requests.e2e.get(0)), Some(1100.0));
        assert_eq!(
            (requests.end_rule, requests.token_source),
            (EndRule::StreamEnd, TokenSource::Server)
        );
        let tokens: Vec<_> = requests.event_tokens.values().iter().map(|n| n.count()).collect();
        assert_eq!(tokens, [8.0, 2.0, 38.0]);
        assert_eq!(requests.gaps.values().len(), 2);
    }

    #[test]
    fn tokens_of_events_are_steps_of_running_totals() {
        assert_eq!(steps(&[1.0, 3.0, 3.0]), Some(vec![1.0, 2.0, 0.0]));
        assert_eq!(steps(&[3.0, 1.0]), None);
    }
}
