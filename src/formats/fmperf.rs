//! Results of fmperf: one row a streamed response, and its table of means by number of users.

use super::aggregates::{SAME, put};
use super::csv_points::{self, Role};
use super::csv_table::Table;
use super::documents::{self, Ticker};
use super::error::Fault;
use super::slots;
use super::tree::{Each, Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{
    Column, Metric, Origin, Outcome, Provenance, Ragged, Requests, Run, Stat, TokenSource, Tool,
};
use crate::notice::{Notices, Place, Severity};
use crate::units::{Seconds, Tokens};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// fmperf's result and its table.
pub(super) struct Fmperf;

static ABOUT: About = About {
    name: "fmperf",
    file: "the result JSON of `fmperf.loadgen.run`, and the CSV of means that is made of it",
    versions: "all read, for vLLM and TGIS servers",
    recognised: "`results` with `response_idx` and `exp_num_users`; the CSV by `n_requests` and \
                 `latency_prefill_ms`",
    reads: &[
        "each number of users as a run",
        "JSON: TTFT, the time of every event with its tokens, end-to-end latency, tokens counted by the \
         server, start, failures",
        "CSV: the mean TTFT, ITL and end-to-end latency, output throughput, tokens and failures",
    ],
    limits: &[
        "a chunk of several tokens is several rows of the same time; they are read as one event",
        "rates are divided by the configured duration, not by the time that passed",
        "requests that ran past the end of the experiment are counted as unfinished",
        "prompt lengths are in neither file; responses are not kept, and energy is not read",
    ],
}.lean();

impl Format for Fmperf {
    fn id(&self) -> &'static str {
        "fmperf"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let rows = ["\"response_idx\"", "\"exp_num_users\""];
        if head.has_keys(&["results"]) && rows.iter().all(|key| head.contains(key)) {
            return Verdict::Certain("its results have response_idx and exp_num_users".into());
        }
        let Some(table) = Table::of_head(head) else { return Verdict::No };
        let names = ["n_requests", "n_fail", "latency_prefill_ms"];
        if names.iter().all(|name| table.headings.iter().any(|h| h.raw == *name)) {
            return Verdict::Certain("it has the headings of fmperf’s table".into());
        }
        Verdict::No
    }

    fn parse(&self, input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        match Table::whole(input.text, out) {
            Some(table) if !input.text.trim_start().starts_with('{') => means(&input, &table),
            _ => experiments(input, out),
        }
    }
}

/// The runs of the table of means.
fn means(input: &Input<'_>, table: &Table<'_>) -> Result<Vec<Run>, Fault> {
    let mean = |metric| Role::Latency(metric, Some(Stat::Mean));
    let role = |name: &str| {
        Some(match name {
            // pandas writes the index, here the number of users, without a name.
            "" | "exp_num_users" => Role::Concurrency,
            "n_fail" => Role::Value(Metric::Failed),
            "n_toks" => Role::Value(Metric::TotalOutputTokens),
            "throughput" => Role::Value(Metric::OutputThroughput),
            "latency_prefill_ms" => mean(Metric::Ttft),
            "latency_nexttoken_ms" => mean(Metric::Itl),
            "latency_e2e_ms" => mean(Metric::E2e),
            // Counts requests of every ending; consistency is how many replies were as expected.
            "n_requests" | "n_oom" | "n_exclude" | "consistent_pct" => Role::Further,
            _ => return None,
        })
    };
    let columns: Vec<_> = table.headings.iter().map(|h| (h.clone(), role(&h.raw))).collect();
    let mut runs = csv_points::runs(input, Fmperf.id(), Tool::Fmperf, table, &columns)?;
    for run in &mut runs {
        note_duration(run);
    }
    Ok(runs)
}

fn note_duration(run: &mut Run) {
    let text = "Rates are divided by the configured duration, not by the time that passed.";
    run.provenance.notices.add(Severity::Note, "configured-duration", Place::WholeFile, text);
}

/// The runs of a result: one a number of users.
fn experiments(input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
    let ticker = Ticker::new(input.text.len() as u64, &mut *input.progress);
    let found = documents::read(input.text, Responses(&ticker), &ticker, out)?;
    let mut rows: Vec<Response> = found.into_iter().flat_map(|one| one.value).collect();
    rows.sort_by_key(|row| (row.users, row.worker, row.request, row.index));
    let experiments: Vec<&[Response]> = rows.chunk_by(|a, b| a.users == b.users).collect();
    let of = experiments.len();
    let run = |(index, rows)| experiment(rows, input.provenance(Fmperf.id(), index, of));
    Ok(super::name_apart(experiments.into_iter().enumerate().map(run).collect(), "name"))
}

/// One row: one response of a stream.
struct Response {
    users: i128,
    worker: i128,
    request: i128,
    index: i128,
    ok: bool,
    past_end: bool,
    millis: Option<f64>,
    tokens: f64,
    /// Nanoseconds since the epoch.
    at: Option<i128>,
    seconds: Option<f64>,
}

impl Response {
    fn of(tree: &Tree) -> Result<Self, String> {
        let whole = |key: &str| {
            let found = tree.get(key).and_then(Tree::int);
            found.ok_or_else(|| format!("{key} is missing or no whole number, expected one"))
        };
        let yes = |key: &str| tree.get(key) == Some(&Tree::Bool(true));
        Ok(Self {
            users: whole("exp_num_users")?,
            worker: whole("worker_idx")?,
            request: whole("request_idx")?,
            index: whole("response_idx")?,
            ok: yes("ok"),
            past_end: yes("exclude"),
            millis: tree.number_at(&["duration_ms"]).filter(|t| *t >= 0.0),
            tokens: tree.number_at(&["n_tokens"]).unwrap_or_default(),
            at: tree.get("timestamp").and_then(Tree::int),
            seconds: tree.number_at(&["exp_duration"]),
        })
    }
}

fn experiment(rows: &[Response], provenance: Provenance) -> Run {
    let mut run = super::blank(Tool::Fmperf, Tool::Fmperf.name(), provenance);
    let requests: Vec<&[Response]> =
        rows.chunk_by(|a, b| (a.worker, a.request) == (b.worker, b.request)).collect();
    let rows_where = |is: fn(&Response) -> bool| -> Vec<usize> {
        (0..requests.len())
            .filter(|at| requests.get(*at).is_some_and(|r| r.iter().any(is)))
            .collect()
    };
    let failed = rows_where(|row| !row.ok);
    let mut past_end = rows_where(|row| row.past_end);
    past_end.retain(|at| failed.binary_search(at).is_err());
    let out = &mut run.provenance.notices;
    let text = "A request failed: it is counted, and none of its values is a sample.";
    slots::flag(out, Severity::Warn, "failed-requests", &failed, text);
    let text = "A request ran past the end of the experiment, of which fmperf leaves out the late \
                responses: it is taken as unfinished.";
    slots::flag(out, Severity::Warn, "past-end", &past_end, text);
    let table = table(&requests, &failed, &past_end);
    slots::note_empty(&table, out);
    slots::note_not_streamed(&table, out);
    let users = rows.first().map(|row| row.users).unwrap_or_default();
    run.load.max_concurrency = u64::try_from(users).ok();
    let seconds = rows.iter().find_map(|row| row.seconds);
    put(&mut run.reported, "exp_duration", Metric::Duration, Stat::Value, seconds, SAME);
    note_duration(&mut run);
    run.requests = Some(table);
    run
}

/// The table of requests behind the responses of each.
fn table(requests: &[&[Response]], failed: &[usize], past_end: &[usize]) -> Requests {
    let converted = || Origin::Converted { from: "ms".into() };
    let derived = |how: &str| Origin::Derived { how: how.into() };
    let mut table = Requests {
        output_tokens: Column::new(Origin::Reported),
        token_source: TokenSource::Server,
        ttft: Column::new(converted()),
        e2e: Column::new(derived("Σ duration_ms")),
        gaps: Ragged::new(converted()),
        event_tokens: Ragged::new(Origin::Reported),
        start: Column::new(derived("timestamp − duration_ms of the first response")),
        ..Requests::absent(requests.len())
    };
    let zero = requests.iter().flat_map(|rows| rows.iter()).find_map(|row| row.at);
    for (at, rows) in requests.iter().enumerate() {
        let outcome = if failed.binary_search(&at).is_ok() {
            Outcome::Failed
        } else if past_end.binary_search(&at).is_ok() {
            Outcome::Unfinished
        } else {
            Outcome::Ok
        };
        if let Some(slot) = table.outcome.get_mut(at) {
            *slot = outcome;
        }
        push(&mut table, rows, zero.unwrap_or_default(), outcome == Outcome::Ok);
    }
    table
}

/// Nanoseconds of a millisecond.
const NANOS: f64 = 1e6;

/// Adds one request; of one that did not finish, only when it was sent.
fn push(table: &mut Requests, rows: &[Response], zero: i128, ok: bool) {
    let first = rows.first().filter(|row| row.index == 0);
    let ttft = first.and_then(|row| Some(Seconds::from_millis(row.millis?)));
    let sent = first.and_then(|row| {
        let arrived = row.at?.saturating_sub(zero) as f64;
        Some(Seconds::from_nanos(arrived - row.millis? * NANOS))
    });
    table.start.push(sent);
    // A response is missing where the numbers have a hole: its time is in no other.
    let whole = rows.iter().zip(0..).all(|(row, index)| row.index == index);
    let times: Option<Vec<f64>> = rows.iter().map(|row| row.millis).collect();
    let times = times.filter(|_| ok && whole);
    let sum = times.as_ref().map(|times| Seconds::from_millis(times.iter().sum()));
    table.ttft.push(ttft.filter(|_| ok));
    table.e2e.push(sum);
    let tokens: f64 = rows.iter().map(|row| row.tokens).sum();
    table.output_tokens.push(ok.then(|| Tokens::from_count(tokens)));
    let mut carried = 0.0;
    for (row, millis) in rows.iter().zip(times.iter().flatten()) {
        // The tokens of one chunk are rows of the same time.
        if row.index > 0 && *millis > 0.0 {
            table.gaps.push(Seconds::from_millis(*millis));
            table.event_tokens.push(Tokens::from_count(carried));
            carried = 0.0;
        }
        carried += row.tokens;
    }
    table.event_tokens.push(Tokens::from_count(carried));
    table.gaps.end_row(times.is_some());
    table.event_tokens.end_row(times.is_some());
}

/// Reads the rows of a result; everything else is passed over.
#[derive(Clone, Copy)]
struct Responses<'t>(&'t Ticker<'t>);

impl<'de> DeserializeSeed<'de> for Responses<'_> {
    type Value = Vec<Response>;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Self::Value, D::Error> {
        de.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Responses<'_> {
    type Value = Vec<Response>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a result object")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut rows = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == "results" {
                rows = map.next_value_seed(List(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(rows)
    }
}

/// Reads the list of rows, each into something small at once.
struct List<'t>(&'t Ticker<'t>);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = Vec<Response>;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Self::Value, D::Error> {
        de.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = Vec<Response>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of responses")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let seed = TreeSeed { skip: &["response", "error"], ticker: self.0 };
        let each = Each { seed, convert: &|tree: Tree| Response::of(&tree) };
        let mut rows = Vec::new();
        while let Some(row) = seq.next_element_seed(each)? {
            rows.push(row);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;
    use crate::metrics::{Ask, evaluate, own};

    fn row(request: u32, index: u32, at: u64, millis: f64, more: &str) -> String {
        format!(
            "{{\"response\": {{\"text\": \"x\"}}, \"ok\": true, \"error\": \"None\", \"timestamp\": {at}, \
             \"exp_num_users\": 1, \"exp_duration\": 10.0, \"duration_ms\": {millis}, \
             \"exclude\": false, \"worker_idx\": 0, \"request_idx\": {request}, \"sample_idx\": 3, \
             \"response_idx\": {index}, \"n_tokens\": 1, \"consistent\": true{more}}}"
        )
    }

    fn runs(rows: &[String]) -> Vec<Run> {
        let text = format!("{{\"results\": [{}], \"energy\": {{}}}}", rows.join(", "));
        read("x.json", text.as_bytes(), &mut |_| {}).unwrap()
    }

    #[test]
    fn rows_of_one_time_are_one_event_and_its_own_itl_counts_each() {
        let at = 1_700_000_000_000_000_000;
        let rows = [
            row(0, 0, at, 100.0, ""),
            row(0, 1, at, 0.0, ""),
            row(0, 2, at + 20_000_000, 20.0, ""),
            row(0, 3, at + 20_000_000, 0.0, ""),
            row(0, 4, at + 50_000_000, 30.0, ""),
        ];
        let run = &runs(&rows)[0];
        let requests = run.requests.as_ref().unwrap();
        let gaps = requests.gaps.row(0).unwrap();
        assert_eq!(gaps, [Seconds::from_millis(20.0), Seconds::from_millis(30.0)]);
        let tokens: Vec<f64> =
            requests.event_tokens.row(0).unwrap().iter().map(|n| n.count()).collect();
        assert_eq!(tokens, [2.0, 2.0, 1.0]);
        let got = evaluate(run, &own(run).settings, &Ask::default());
        let mean = |metric| got.value(metric, Stat::Mean).exact().unwrap();
        assert!((mean(Metric::Itl) - 12.5).abs() < 1e-9, "50 ms over four rows");
        assert!((mean(Metric::Ttft) - 100.0).abs() < 1e-9);
        assert!((mean(Metric::E2e) - 150.0).abs() < 1e-9);
        let rate = got.value(Metric::OutputThroughput, Stat::Value).exact().unwrap();
        assert!((rate - 0.5).abs() < 1e-9, "5 tokens over the configured 10 s");
    }

    #[test]
    fn numbers_of_users_are_runs_and_unfinished_requests_are_told() {
        let at = 1_700_000_000_000_000_000;
        let rows = [
            row(0, 0, at, 100.0, ""),
            row(0, 1, at + 20_000_000, 20.0, ", \"exclude\": true"),
            row(1, 0, at + 30_000_000, 10.0, ", \"ok\": false"),
            row(2, 0, at + 60_000_000, 10.0, ""),
            row(0, 0, at, 50.0, ", \"exp_num_users\": 2"),
        ];
        let runs = runs(&rows);
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[1].load.max_concurrency, Some(2));
        let requests = runs[0].requests.as_ref().unwrap();
        assert_eq!(requests.outcome, [Outcome::Unfinished, Outcome::Failed, Outcome::Ok]);
        assert_eq!(requests.ttft.present(), 1);
        assert_eq!(requests.start.get(2), Some(Seconds::from_millis(50.0)));
        let kinds: Vec<_> = runs[0].provenance.notices.iter().map(|n| n.kind.as_str()).collect();
        assert_eq!(kinds, ["failed-requests", "past-end", "configured-duration"]);
    }

    #[test]
    fn the_table_of_means_has_a_run_a_number_of_users() {
        let text = ",n_requests,n_fail,n_oom,n_toks,n_exclude,consistent_pct,throughput,\
                    latency_prefill_ms,latency_nexttoken_ms,latency_e2e_ms\n\
                    1,42,0,0,2100,0,100.0,70.0,40.5,14.25,727.5\n2,80,1,1,4000,0,56.3,133.5,62.75,14.5,758.0\n";
        let runs = read("x.csv", text.as_bytes(), &mut |_| {}).unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[1].load.max_concurrency, Some(2));
        let mean = |metric| runs[1].reported.find(metric, Stat::Mean).map(|v| v.value);
        assert_eq!(mean(Metric::Itl), Some(14.5));
        assert_eq!(runs[1].reported.value(Metric::OutputThroughput), Some(133.5));
        assert_eq!(runs[1].reported.further.len(), 4);
    }
}
