//! The scripted server's own log of a recording, as a run: what a client would hold that misses nothing and
//! adds nothing. Its clock starts when a request arrives.
#![allow(clippy::unwrap_used, reason = "a failed test is the point of a test")]

use sameruler::metrics::settings::End;
use sameruler::model::{
    Column, Digest, EndRule, FirstTokenRule, Metric, Origin, Outcome, Provenance, Ragged,
    ReportedValue, Requests, Run, Stat, TokenSource, Tool,
};
use sameruler::units::{Seconds, Tokens};
use serde_json::Value as Json;
use std::path::Path;

/// Which messages of a stream a client counts as events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Those that carry a token.
    Text,
    /// Those of the answer, an empty one too; text under `reasoning_content` not (vLLM 0.33, chat).
    Answer,
    /// Those with a text field, empty or not (vLLM 0.33, completions).
    Fields,
    /// All but the usage (vLLM 0.10, chat).
    Any,
}

/// One message of a stream.
struct Message {
    at: f64,
    kind: String,
    tokens: f64,
}

/// One request as the server saw it; times in seconds on its clock.
struct Served {
    arrived: f64,
    messages: Vec<Message>,
    done: f64,
    ok: bool,
    tokens: f64,
    prompt: f64,
}

/// The log of one point of a recording.
pub(crate) struct Log {
    requests: Vec<Served>,
}

impl Log {
    /// The requests of the point `label`. vLLM and SGLang send a warm-up request first, which none of their
    /// files holds: the log has one more then than the file's `sent`.
    pub(crate) fn read(path: &Path, label: &str, sent: usize) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        let of_point = lines.filter(|line| line["label"] == label && line["i"].is_u64());
        let mut requests: Vec<Served> = of_point.map(|line| served(&line)).collect();
        if requests.len() == sent + 1 {
            requests.remove(0);
        }
        assert_eq!(requests.len(), sent, "{}", path.display());
        Self { requests }
    }

    /// What a client would hold that ends its requests at `end`, counts events as `counts` says, and writes
    /// the tokens of each of them or not (`split`); `duration` is what its tool divides by.
    pub(crate) fn run(&self, end: End, counts: Counts, split: bool, duration: Option<f64>) -> Run {
        let digest = Digest::of(format!("truth {counts:?} {end:?} {split}").as_bytes());
        let provenance = Provenance::new("truth.jsonl", 0, digest, "built", "built in code");
        let mut run = Run::new(Tool::Vllm, "truth", provenance);
        run.requests = Some(self.table(end, counts, split));
        if let Some(value) = duration {
            run.reported.values.push(ReportedValue {
                field: "duration".into(),
                metric: Metric::Duration,
                stat: Stat::Value,
                value,
                scale: 1.0,
            });
        }
        run
    }

    fn table(&self, end: End, counts: Counts, split: bool) -> Requests {
        let len = self.requests.len();
        let column = |get: &dyn Fn(&Served) -> Option<f64>| {
            let values = self.requests.iter().map(|one| get(one).map(Seconds::from_secs));
            Column::from_options(Origin::Reported, values)
        };
        let tokens = |get: &dyn Fn(&Served) -> f64| {
            let values = self.requests.iter().map(|one| Some(Tokens::from_count(get(one))));
            Column::from_options(Origin::Reported, values)
        };
        let mut gaps = Ragged::new(Origin::Reported);
        let mut event_tokens = Ragged::new(Origin::Reported);
        for one in &self.requests {
            let times: Vec<f64> = one.events(counts).map(|message| message.at).collect();
            let between: Vec<Seconds> =
                times.windows(2).map(|pair| Seconds::from_secs(pair[1] - pair[0])).collect();
            let tokens: Vec<Tokens> =
                one.events(counts).map(|m| Tokens::from_count(m.tokens)).collect();
            gaps.push_row(Some(&between));
            event_tokens.push_row(Some(tokens.as_slice()).filter(|_| split));
        }
        Requests {
            outcome: self
                .requests
                .iter()
                .map(|one| if one.ok { Outcome::Ok } else { Outcome::Failed })
                .collect(),
            input_tokens: tokens(&|one| one.prompt),
            output_tokens: tokens(&|one| one.tokens),
            token_source: TokenSource::Server,
            retokenized: tokens(&|one| one.tokens),
            ttft: column(&|one| Some(one.events(counts).next()?.at - one.arrived)),
            first_token_rule: match counts {
                Counts::Text | Counts::Answer => FirstTokenRule::FirstText,
                Counts::Fields | Counts::Any => FirstTokenRule::FirstEvent,
            },
            first_answer: column(&|one| Some(one.first("tok")? - one.arrived)),
            e2e: column(&|one| Some(one.end(end)? - one.arrived)),
            end_rule: match end {
                End::LastToken => EndRule::LastToken,
                End::LastMessage => EndRule::LastMessage,
                End::StreamEnd => EndRule::StreamEnd,
            },
            last_token: column(&|one| Some(one.events(counts).last()?.at - one.arrived)),
            gaps,
            event_tokens: if split { event_tokens } else { Ragged::absent(len) },
            start: column(&|one| Some(one.arrived)),
            ..Requests::absent(len)
        }
    }
}

impl Served {
    /// The messages that a client counts as events.
    fn events(&self, counts: Counts) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |message| match (counts, message.kind.as_str()) {
            (_, "usage") => false,
            (Counts::Text, kind) => matches!(kind, "tok" | "rtok"),
            (Counts::Answer, kind) => matches!(kind, "tok" | "empty"),
            (Counts::Fields, kind) => matches!(kind, "tok" | "rtok" | "empty" | "fin"),
            (Counts::Any, _) => true,
        })
    }

    fn first(&self, kind: &str) -> Option<f64> {
        self.messages.iter().find(|message| message.kind == kind).map(|message| message.at)
    }

    fn end(&self, end: End) -> Option<f64> {
        match end {
            End::LastToken => self.events(Counts::Text).last().map(|message| message.at),
            End::LastMessage => self.messages.last().map(|message| message.at),
            End::StreamEnd => Some(self.done),
        }
    }
}

fn served(line: &Json) -> Served {
    let number = |of: &Json| of.as_f64().unwrap();
    let message = |of: &Json| Message {
        at: number(&of[0]),
        kind: of[1].as_str().unwrap().to_owned(),
        tokens: number(&of[2]),
    };
    Served {
        arrived: number(&line["t_arr"]),
        messages: line["chunks"].as_array().unwrap().iter().map(message).collect(),
        done: number(&line["t_done"]),
        ok: line["status"] == "ok",
        tokens: number(&line["tokens"]),
        prompt: number(&line["prompt_tokens"]),
    }
}
