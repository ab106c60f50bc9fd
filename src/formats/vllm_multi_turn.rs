//! Statistics of vLLM's multi-turn benchmark: a list with one turn of a conversation an object.

use super::documents::{self, Ticker};
use super::error::Fault;
use super::tree::{Each, Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict, slots};
use crate::model::{
    Column, EndRule, FirstTokenRule, Load, Origin, Part, Requests, Run, TokenSource, Tool, Workload,
};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Seconds, Tokens};

/// vLLM's multi-turn benchmark.
pub(super) struct VllmMultiTurn;

static ABOUT: About = About {
    name: "vLLM multi-turn statistics",
    file: "`benchmark_serving_multi_turn.py --stats-json-output`",
    versions: "vLLM 0.20 to 0.33",
    recognised: "a list of `ttft_ms`, `tpot_ms`, `latency_ms` and `conversation_id`",
    reads: &[
        "every turn as a request: input and output tokens, TTFT, end-to-end latency, start, turn",
    ],
    limits: &[
        "where the first chunk brought several tokens, the tool takes their time off its TTFT: the \
         number is earlier than the first text came",
        "tokens are counted by the client on the text; no gaps; turns that failed are in no file",
        "the tool’s summary goes to its Excel file and the console, and takes the sample deviation",
    ],
}
.lean();

impl Format for VllmMultiTurn {
    fn id(&self) -> &'static str {
        "vllm-multi-turn"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        if head.has_keys(&["ttft_ms", "tpot_ms", "latency_ms", "conversation_id"]) {
            return Verdict::Certain(
                "it has ttft_ms and latency_ms of turns of conversations".into(),
            );
        }
        Verdict::No
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let rows = {
            let ticker = Ticker::new(input.text.len() as u64, &mut input.progress);
            let seed = TreeSeed { skip: &[], ticker: &ticker };
            let each = Each { seed, convert: &|tree| Ok(Turn::of(&tree)) };
            documents::read(input.text, each, &ticker, out)?
        };
        let turns: Vec<Turn> = rows.into_iter().map(|row| row.value).collect();
        let mut provenance = input.provenance(self.id(), 0, 1);
        provenance.part = Part::Whole;
        let shifted =
            turns.iter().filter(|turn| turn.first_tokens.is_some_and(|n| n > 1.0)).count();
        if shifted > 0 {
            provenance.notices.add_many(
                Severity::Warn,
                "shifted-ttft",
                Place::JsonPath("ttft_ms".into()),
                shifted as u64,
                "The first chunk brought several tokens; the tool’s TTFT is earlier than it by the time \
                 of the others, at the speed of the rest.",
            );
        }
        let mut run = super::blank(Tool::Vllm, "vLLM multi-turn", provenance);
        run.load = Load { requests: Some(turns.len() as u64), ..Load::default() };
        run.workload = Workload { endpoint: Some("chat".into()), ..Workload::default() };
        run.requests = Some(table(&turns));
        Ok(vec![run])
    }
}

struct Turn {
    ttft: Option<f64>,
    latency: Option<f64>,
    start: Option<f64>,
    input: Option<f64>,
    output: Option<f64>,
    first_tokens: Option<f64>,
    number: Option<f64>,
}

impl Turn {
    fn of(tree: &Tree) -> Self {
        let number = |key: &str| tree.number_at(&[key]);
        // The tool writes −1 where it has none.
        let time = |key: &str| number(key).filter(|value| *value >= 0.0);
        Self {
            ttft: time("ttft_ms"),
            latency: time("latency_ms"),
            start: number("start_time_ms"),
            input: time("input_num_tokens"),
            output: time("output_num_tokens"),
            first_tokens: time("output_num_first_chunk_tokens"),
            // Messages in the prompt, the answers of the turns before among them: 1, 3, 5.
            number: number("input_num_turns").map(|n| f64::midpoint(n, 1.0).floor()),
        }
    }
}

fn table(turns: &[Turn]) -> Requests {
    let times = |of: fn(&Turn) -> Option<f64>| {
        let all = turns.iter().map(|turn| of(turn).map(Seconds::from_millis));
        Column::from_options(Origin::Reported, all)
    };
    let counts = |of: fn(&Turn) -> Option<f64>| {
        let all = turns.iter().map(|turn| of(turn).map(Tokens::from_count));
        Column::from_options(Origin::Reported, all)
    };
    let zero = turns.iter().find_map(|turn| turn.start).unwrap_or_default();
    let start = turns.iter().map(|turn| Some(Seconds::from_millis(turn.start? - zero)));
    Requests {
        input_tokens: counts(|turn| turn.input),
        output_tokens: counts(|turn| turn.output),
        token_source: TokenSource::Retokenized,
        ttft: times(|turn| turn.ttft),
        first_token_rule: FirstTokenRule::FirstText,
        e2e: times(|turn| turn.latency),
        end_rule: EndRule::StreamEnd,
        start: Column::from_options(Origin::Reported, start),
        turn: slots::turns(turns.iter().map(|turn| turn.number.filter(|n| *n >= 1.0))),
        ..Requests::absent(turns.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::units::Turn;

    #[test]
    fn turns_are_requests_in_milliseconds() {
        let text =
            br#"[{"ttft_ms": 25.0, "tpot_ms": 5.0, "latency_ms": 70.0, "start_time_ms": 1000.5,
            "input_num_turns": 1, "input_num_tokens": 30, "output_num_tokens": 10,
            "output_num_chunks": 6, "output_num_first_chunk_tokens": 3, "conversation_id": "a",
            "client_id": 0},
            {"ttft_ms": 20.0, "tpot_ms": 0.0, "latency_ms": -1, "start_time_ms": 1100.5,
            "input_num_turns": 3, "input_num_tokens": 40, "output_num_tokens": 1, "output_num_first_chunk_tokens": 1,
            "conversation_id": "a", "client_id": 0}]"#;
        let run = read("x", text, &mut |_| {}).unwrap().remove(0);
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(requests.ttft.get(0).map(Seconds::as_millis), Some(25.0));
        assert_eq!(requests.e2e.get(0).map(Seconds::as_millis), Some(70.0));
        assert_eq!(requests.e2e.get(1), None, "−1 is missing");
        assert_eq!(requests.start.get(1).map(Seconds::as_millis), Some(100.0));
        let turns: Vec<_> = requests.turn.iter().flatten().map(Turn::number).collect();
        assert_eq!(turns, [1.0, 2.0], "three messages are two questions and an answer");
        let notice = run.provenance.notices.iter().find(|n| n.kind == "shifted-ttft").unwrap();
        assert_eq!(notice.count, 1);
    }
}
