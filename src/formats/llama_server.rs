//! Replies of llama.cpp's server with the `timings` that it adds to them.

use super::aggregates::{SAME, further, put};
use super::documents::{self, Document, Ticker};
use super::error::{ErrorKind, Fault};
use super::tree::{Each, Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{
    Column, EndRule, FirstTokenRule, Metric, Origin, Requests, Run, Stat, TokenSource, Tool,
};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Quantity, Seconds, Tokens};

/// Timings of llama-server.
pub(super) struct LlamaServer;

static ABOUT: About = About {
    name: "llama-server",
    file: "replies of llama.cpp’s server: one JSON object, a list, JSON Lines, or a script’s file that \
           holds several",
    versions: "llama.cpp of 2024 to 2026; `cache_n` in newer ones",
    recognised: "`timings` with `predicted_n`, or records with `predicted_n` and `predicted_per_second`",
    reads: &[
        "one request a reply: prompt and output tokens, time to the first token, time of the others",
        "tokens from the cache; drafted and accepted tokens",
    ],
    limits: &[
        "the server’s own clock: neither the wait for a free slot nor the network is in it",
        "the printed time per token divides n − 1 intervals by n tokens and is too low by 1 ÷ n",
        "records with a rate only have no first token: their latency is what the script measured",
        "no start times: nothing is known of requests side by side",
        "prompts and texts are not kept",
    ],
}.lean();

impl Format for LlamaServer {
    fn id(&self) -> &'static str {
        "llama-server"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(json) = &head.json else { return Verdict::No };
        let timed = head.contains("\"predicted_n\"") && head.contains("\"predicted_per_second\"");
        if json.has("timings") && timed {
            return Verdict::Certain("it has timings with predicted_n".into());
        }
        if timed {
            return Verdict::Likely("it holds predicted_n and predicted_per_second".into());
        }
        // The timings come last, behind the texts.
        if !json.complete && json.has_all(&["content", "id_slot"]) {
            return Verdict::Likely("it has content and id_slot, and goes on beyond 64 KiB".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
        let seed = TreeSeed { skip: SKIPPED, ticker: &ticker };
        let each = Each { seed, convert: &|tree| Ok(File::of(&tree)) };
        let found = documents::read(input.text, each, &ticker, out)?;
        let mut all = File::default();
        for Document { value, .. } in found {
            all.add(value);
        }
        if all.replies.is_empty() {
            let key = "timings.predicted_n".into();
            return Err(Fault::whole(ErrorKind::MissingKey { key }));
        }
        let mut run =
            super::blank(Tool::LlamaServer, "llama-server", input.provenance(self.id(), 0, 1));
        run.workload.model = all.model.take();
        run.workload.date = all.date.take();
        fill(&mut run, &all);
        Ok(vec![run])
    }
}

/// Texts, and settings of the sampling.
const SKIPPED: &[&str] = &[
    "content",
    "prompt",
    "tokens",
    "generation_settings",
    "choices",
    "messages",
    "completion_probabilities",
    "reasoning_content",
    "headers",
    "__verbose",
];

/// What one file or line holds.
#[derive(Default)]
struct File {
    replies: Vec<Reply>,
    model: Option<String>,
    date: Option<String>,
    /// Totals that a script wrote beside its records.
    totals: Vec<(String, f64)>,
}

/// One reply; times in milliseconds.
#[derive(Default)]
struct Reply {
    cached: Option<f64>,
    prompt: Option<f64>,
    first: Option<f64>,
    output: Option<f64>,
    decode: Option<f64>,
    per_token: Option<f64>,
    speed: Option<f64>,
    /// What a script measured around the reply.
    wall: Option<f64>,
    drafted: Option<f64>,
    accepted: Option<f64>,
}

impl File {
    fn of(tree: &Tree) -> Self {
        let mut file = Self::default();
        let text = |key: &str| tree.text_at(&[key]).map(str::to_owned);
        file.model = text("model");
        file.date = text("timestamp");
        if let Some(totals) = tree.get("aggregate") {
            let numbers = totals.members().iter();
            file.totals = numbers.filter_map(|(key, v)| Some((key.clone(), v.number()?))).collect();
        }
        collect(tree, &mut file.replies);
        file
    }

    fn add(&mut self, other: Self) {
        self.replies.extend(other.replies);
        self.model = self.model.take().or(other.model);
        self.date = self.date.take().or(other.date);
        self.totals.extend(other.totals);
    }
}

/// Finds the replies of a value, however deep a script put them.
fn collect(tree: &Tree, found: &mut Vec<Reply>) {
    let timed = |tree: &Tree| tree.get("predicted_n").is_some();
    match tree.get("timings").filter(|timings| timed(timings)) {
        Some(timings) => found.push(reply(timings, tree)),
        None if timed(tree) => found.push(reply(tree, tree)),
        None => {
            tree.list().iter().for_each(|element| collect(element, found));
            tree.members().iter().for_each(|(_, member)| collect(member, found));
        }
    }
}

fn reply(timings: &Tree, around: &Tree) -> Reply {
    let number = |key: &str| timings.number_at(&[key]).filter(|value| *value >= 0.0);
    let cached = number("cache_n");
    // Cached tokens are not in prompt_n. Where they are not counted apart, the whole may be.
    let prompt = match (number("prompt_n"), cached) {
        (Some(read), Some(cached)) => Some(read + cached),
        (read, _) => around.number_at(&["tokens_evaluated"]).or(read),
    };
    Reply {
        cached,
        prompt,
        first: number("prompt_ms"),
        output: number("predicted_n"),
        decode: number("predicted_ms"),
        per_token: number("predicted_per_token_ms"),
        speed: number("predicted_per_second"),
        wall: around.number_at(&["wall_s"]).filter(|wall| *wall > 0.0).map(|wall| wall * 1e3),
        drafted: number("draft_n"),
        accepted: number("draft_n_accepted"),
    }
}

fn fill(run: &mut Run, file: &File) {
    let replies = &file.replies;
    let mut requests = Requests::absent(replies.len());
    requests.token_source = TokenSource::Server;
    requests.first_token_rule = FirstTokenRule::FirstEvent;
    requests.input_tokens = column(replies, Origin::Reported, |r| r.prompt.map(Tokens::from_count));
    requests.output_tokens =
        column(replies, Origin::Reported, |r| r.output.map(Tokens::from_count));
    requests.cached_tokens = super::slots::cached(replies.iter().map(|r| r.cached));
    let millis = || Origin::Converted { from: "ms".into() };
    requests.ttft = column(replies, millis(), |r| r.first.map(Seconds::from_millis));
    requests.request_itl = if replies.iter().any(|r| r.per_token.is_some()) {
        column(replies, millis(), |r| r.per_token.map(Seconds::from_millis))
    } else {
        let how = "1 ÷ predicted_per_second".to_owned();
        column(replies, Origin::Derived { how }, |r| {
            r.speed.filter(|speed| *speed > 0.0).map(|speed| Seconds::from_secs(1.0 / speed))
        })
    };
    // To the last token that was sampled, on the server's clock.
    let whole = |r: &Reply| Some(Seconds::from_millis(r.first? + r.decode?));
    if replies.iter().any(|r| whole(r).is_some()) {
        let how = "prompt_ms + predicted_ms".to_owned();
        requests.e2e = column(replies, Origin::Derived { how }, whole);
        requests.end_rule = EndRule::LastToken;
    } else {
        let seconds = Origin::Converted { from: "s".into() };
        requests.e2e = column(replies, seconds, |r| r.wall.map(Seconds::from_millis));
        requests.end_rule = EndRule::StreamEnd;
    }
    let server = !requests.ttft.is_absent();
    run.requests = Some(requests);
    printed(run, file);
    notices(&mut run.provenance.notices, replies, server);
}

fn column<T: Quantity>(
    replies: &[Reply],
    origin: Origin,
    value: impl Fn(&Reply) -> Option<T>,
) -> Column<T> {
    let column = Column::from_options(origin, replies.iter().map(value));
    if column.is_absent() { Column::absent(replies.len()) } else { column }
}

/// A single reply's numbers are their own mean; those of several are in the rows. Totals are a script's.
fn printed(run: &mut Run, file: &File) {
    let reported = &mut run.reported;
    if let [one] = file.replies.as_slice() {
        put(reported, "prompt_ms", Metric::Ttft, Stat::Mean, one.first, SAME);
        put(reported, "predicted_per_token_ms", Metric::Tpot, Stat::Mean, one.per_token, SAME);
        further(reported, "predicted_per_second", one.speed, "tok/s");
    }
    for (key, value) in &file.totals {
        let metric = match key.as_str() {
            "n_requests" => Metric::Completed,
            "total_predicted" => Metric::TotalOutputTokens,
            _ => {
                further(reported, &format!("aggregate.{key}"), Some(*value), "");
                continue;
            }
        };
        put(reported, &format!("aggregate.{key}"), metric, Stat::Value, Some(*value), SAME);
    }
    let sum = |of: fn(&Reply) -> Option<f64>| {
        let all: Vec<f64> = file.replies.iter().filter_map(of).collect();
        (!all.is_empty()).then(|| all.iter().sum::<f64>())
    };
    let (drafted, accepted) = (sum(|r| r.drafted), sum(|r| r.accepted));
    let share = drafted.zip(accepted).filter(|(n, _)| *n > 0.0).map(|(n, kept)| kept / n);
    further(reported, "draft_n", drafted, "tokens");
    further(reported, "draft_n_accepted", accepted, "tokens");
    further(reported, "draft_n_accepted ÷ draft_n", share, "");
}

fn notices(out: &mut Notices, replies: &[Reply], server: bool) {
    if server {
        let text = "These are the server’s own times: TTFT counts from the slot’s start, without the wait \
                    for a slot and without the network. A client sees more.";
        out.add(Severity::Warn, "server-clock", Place::WholeFile, text);
    }
    let cached: Vec<usize> = replies
        .iter()
        .enumerate()
        .filter_map(|(at, r)| r.cached.is_some_and(|n| n > 0.0).then_some(at))
        .collect();
    let text = "A part of the prompt came from the cache, so the first token came sooner than its length says.";
    super::slots::flag(out, Severity::Note, "cached-prompt", &cached, text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::metrics::{Ask, COMMON, evaluate};

    const REPLY: &str = r#"{"model": "made", "content": "secret text", "timings": {"cache_n": 40, "prompt_n": 60,
        "prompt_ms": 120.0, "predicted_n": 11, "predicted_ms": 200.0, "predicted_per_token_ms": 18.181818181818183,
        "predicted_per_second": 55.0, "draft_n": 8, "draft_n_accepted": 6}}"#;

    #[test]
    fn the_time_per_token_has_one_interval_less_than_tokens() {
        for text in [REPLY.to_owned(), format!("[{REPLY}, {REPLY}]"), format!("{REPLY}\n{REPLY}\n")]
        {
            let run = read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0);
            let got = evaluate(&run, &COMMON.settings, &Ask::default());
            // 200 ms ÷ 10 intervals; the server itself divides by 11 tokens.
            assert_eq!(got.value(Metric::Tpot, Stat::Mean).exact(), Some(20.0), "{text}");
            assert_eq!(
                run.requests.as_ref().unwrap().input_tokens.get(0),
                Some(Tokens::from_count(100.0))
            );
            assert!(run.provenance.notices.iter().any(|n| n.kind == "cached-prompt"));
            assert!(!format!("{run:?}").contains("secret"));
        }
    }

    #[test]
    fn one_token_has_no_time_per_token() {
        let text = r#"{"timings": {"prompt_n": 5, "prompt_ms": 10.0, "predicted_n": 1, "predicted_ms": 0.0,
            "predicted_per_token_ms": 0.0, "predicted_per_second": null}}"#;
        let run = read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0);
        let got = evaluate(&run, &COMMON.settings, &Ask::default());
        assert_eq!(got.value(Metric::Tpot, Stat::Mean).exact(), None);
        assert_eq!(got.value(Metric::Ttft, Stat::Mean).exact(), Some(10.0));
        assert!(run.reported.further.is_empty(), "an infinite rate is no number");
    }
}
