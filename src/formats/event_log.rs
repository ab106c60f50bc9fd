//! Plain logs of when each token came: one object a request, with a list of times on one clock.

use super::documents::{self, Ticker};
use super::error::{ErrorKind, Fault};
use super::tree::{Each, Tree, TreeSeed};
use super::{About, Format, Head, Input, Verdict};
use crate::model::{
    Column, EndRule, FirstTokenRule, Load, Origin, Outcome, Part, Ragged, Requests, Run,
    TokenSource, Tool,
};
use crate::notice::{Notices, Severity};
use crate::units::{Seconds, Tokens};

/// A log of token times.
pub(super) struct EventLog;

static ABOUT: About = About {
    name: "event log",
    file: "JSON Lines or a JSON list with one request an object: \
           `{\"arrival\": 0.0, \"token_times\": [0.21, 0.24, 0.27], \"end\": 0.28}`",
    versions: "a format of this app, for clients and simulators of one’s own",
    recognised: "`token_times` or `first_token`, beside `arrival` or `start`",
    reads: &[
        "`arrival` or `start`: when the request was sent; `token_times`: when each token came, all on one \
         clock; tokens that came at the same moment are one event",
        "`tokens`: the tokens of each time, as a list, or the output tokens of the whole request, as a \
         number; without it each time is one token",
        "`first_token` where there are no times, `end` of the stream, `input_tokens`, `error`; `id` may be \
         there and is not kept",
        "times are seconds unless the key ends in `_ms`, `_us` or `_ns`, or the request has a `unit` that says \
         so; whole nanoseconds stay exact",
    ],
    limits: &[
        "a request with times out of order, or before its arrival, keeps its row and loses its times",
        "the log says no throughput of its own: the run lasts from the first arrival to the last event",
    ],
}.lean();

/// Keys of one thing, the unit after them.
const ARRIVAL: [&str; 2] = ["arrival", "start"];
const TIMES: [&str; 1] = ["token_times"];
const FIRST: [&str; 1] = ["first_token"];
const END: [&str; 1] = ["end"];
/// What follows a key, and how many nanoseconds one of it is.
const UNITS: [(&str, f64); 5] = [("", 1e9), ("_s", 1e9), ("_ms", 1e6), ("_us", 1e3), ("_ns", 1.0)];

impl Format for EventLog {
    fn id(&self) -> &'static str {
        "event-log"
    }

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Verdict {
        let Some(json) = &head.json else { return Verdict::No };
        let any = |keys: &[&str]| {
            keys.iter().any(|key| UNITS.iter().any(|(unit, _)| json.has(&format!("{key}{unit}"))))
        };
        if any(&ARRIVAL) && any(&TIMES) {
            return Verdict::Certain("it has token_times beside arrival or start".into());
        }
        if any(&ARRIVAL) && any(&FIRST) && any(&END) {
            return Verdict::Likely("it has first_token and end beside arrival or start".into());
        }
        // The arrival may come behind a long list.
        if any(&TIMES) {
            return Verdict::Likely("it has token_times".into());
        }
        Verdict::No
    }

    fn parse(&self, mut input: Input<'_>, out: &mut Notices) -> Result<Vec<Run>, Fault> {
        let rows = {
            let ticker = Ticker::new(input.text.len() as u64, &mut input.progress);
            let seed = TreeSeed { skip: &["text", "prompt", "output", "id"], ticker: &ticker };
            let each = Each { seed, convert: &|tree| row(&tree) };
            documents::read(input.text, each, &ticker, out)?
        };
        if !rows.iter().any(|row| row.value.start.is_some()) {
            return Err(Fault::whole(ErrorKind::MissingKey { key: "arrival".into() }));
        }
        let mut provenance = input.provenance(self.id(), 0, 1);
        provenance.part = Part::Whole;
        for row in rows.iter().filter(|row| row.value.disordered) {
            provenance.notices.add(
                Severity::Warn,
                "times-out-of-order",
                row.place.clone(),
                "The times of a request are out of order, or before its arrival: they are not used.",
            );
        }
        let mut run = super::blank(Tool::EventLog, "event log", provenance);
        run.load = Load { requests: Some(rows.len() as u64), ..Load::default() };
        let rows: Vec<Row> = rows.into_iter().map(|row| row.value).collect();
        run.requests = Some(table(&rows));
        Ok(vec![run])
    }
}

/// A moment on the log's clock.
#[derive(Clone, Copy)]
struct Moment {
    /// Whole units, where the log has them: doubles do not hold nanoseconds since 1970.
    whole: Option<i128>,
    value: f64,
    /// Nanoseconds of one unit.
    unit: f64,
}

impl Moment {
    fn of(tree: &Tree, unit: f64) -> Option<Self> {
        let whole = matches!(tree, Tree::Int(_)).then(|| tree.int()).flatten();
        let value = tree.number().filter(|value| value.is_finite())?;
        Some(Self { whole, value, unit })
    }

    /// Seconds since another moment.
    fn since(self, earlier: Self) -> f64 {
        let same = (self.unit - earlier.unit).abs() < f64::EPSILON;
        match (self.whole, earlier.whole) {
            (Some(a), Some(b)) if same => {
                a.checked_sub(b).map_or(f64::NAN, |span| span as f64) * self.unit / 1e9
            }
            _ if same => (self.value - earlier.value) * self.unit / 1e9,
            _ => (self.value * self.unit - earlier.value * earlier.unit) / 1e9,
        }
    }
}

/// One request.
#[derive(Default)]
struct Row {
    start: Option<Moment>,
    input: Option<f64>,
    /// Output tokens, and whether the log says them.
    output: Option<f64>,
    counted: bool,
    /// Seconds from the arrival to each event, and its tokens.
    events: Option<Vec<(f64, f64)>>,
    first: Option<f64>,
    end: Option<f64>,
    failed: bool,
    disordered: bool,
}

/// The value of one of some keys, and the nanoseconds of its unit: that after the key, else `plain`.
fn find<'t>(tree: &'t Tree, keys: &[&str], plain: f64) -> Option<(&'t Tree, f64)> {
    keys.iter().find_map(|key| {
        UNITS.iter().find_map(|(suffix, unit)| {
            let value = tree.get(&format!("{key}{suffix}")).filter(|value| !value.is_null())?;
            Some((value, if suffix.is_empty() { plain } else { *unit }))
        })
    })
}

/// Nanoseconds of the unit of keys that name none: what `unit` says, else a second. `None` where `unit`
/// says something else.
fn plain_unit(tree: &Tree) -> Option<f64> {
    let said = ["unit", "units", "time_unit"].iter().find_map(|key| tree.get(key));
    let Some(said) = said.filter(|said| !said.is_null()) else { return Some(1e9) };
    match said.text()?.to_ascii_lowercase().as_str() {
        "s" | "sec" | "second" | "seconds" => Some(1e9),
        "ms" | "msec" | "millisecond" | "milliseconds" => Some(1e6),
        "us" | "µs" | "microsecond" | "microseconds" => Some(1e3),
        "ns" | "nanosecond" | "nanoseconds" => Some(1.0),
        _ => None,
    }
}

fn count(tree: &Tree, keys: &[&str]) -> Option<f64> {
    keys.iter().find_map(|key| tree.get(key)?.number()).filter(|n| n.is_finite() && *n >= 0.0)
}

fn row(tree: &Tree) -> Result<Row, String> {
    let plain = plain_unit(tree).ok_or("an unknown unit of the times, expected s, ms, us or ns")?;
    let moment =
        |keys: &[&str]| find(tree, keys, plain).and_then(|(value, unit)| Moment::of(value, unit));
    let mut row = Row {
        start: moment(&ARRIVAL),
        input: count(tree, &["input_tokens", "prompt_tokens"]),
        output: count(tree, &["output_tokens", "completion_tokens", "tokens"]),
        failed: tree.get("error").is_some_and(says_failure),
        ..Row::default()
    };
    let Some(start) = row.start else { return Ok(row) };
    row.end = moment(&END).map(|end| end.since(start));
    row.first = moment(&FIRST).map(|first| first.since(start));
    let each = tree.get("tokens").map(Tree::list).unwrap_or_default();
    if let Some((times, unit)) = find(tree, &TIMES, plain) {
        row.events = events(times.list(), unit, start, each);
        row.disordered = row.events.is_none();
    }
    row.counted = row.output.is_some() || !each.is_empty();
    if let (None, Some(events)) = (row.output, &row.events) {
        row.output = Some(events.iter().map(|(_, tokens)| tokens).sum());
    }
    let last = row.events.as_ref().and_then(|e| e.last()).map(|(at, _)| *at).or(row.first);
    if row.first.is_some_and(|at| at < 0.0)
        || row.end.is_some_and(|end| end < last.unwrap_or_default())
    {
        row.disordered = true;
    }
    if row.disordered {
        (row.events, row.first, row.end) = (None, None, None);
    }
    Ok(row)
}

/// Whether an error is more than an empty one.
fn says_failure(error: &Tree) -> bool {
    match error {
        Tree::Null | Tree::Bool(false) => false,
        Tree::Text(text) => !text.is_empty(),
        _ => true,
    }
}

/// The events of a request: times with their tokens, equal times as one. `None` where they are out of
/// order.
fn events(times: &[Tree], unit: f64, start: Moment, tokens: &[Tree]) -> Option<Vec<(f64, f64)>> {
    let mut all: Vec<(f64, f64)> = Vec::with_capacity(times.len());
    for (index, time) in times.iter().enumerate() {
        let at = Moment::of(time, unit)?.since(start);
        let here = match tokens.get(index) {
            Some(tokens) => tokens.number().filter(|n| n.is_finite() && *n >= 0.0)?,
            None => 1.0,
        };
        match all.last_mut() {
            Some((last, sum)) if (at - *last).abs() <= 0.0 => *sum += here,
            Some((last, _)) if at < *last => return None,
            None if at < 0.0 => return None,
            _ => all.push((at, here)),
        }
    }
    all.first().is_none_or(|(at, _)| at.is_finite()).then_some(all)
}

fn table(rows: &[Row]) -> Requests {
    let mut requests = Requests::absent(rows.len());
    let origin = |how: &str| Origin::Derived { how: how.to_owned() };
    let secs = |value: Option<f64>| value.map(Seconds::from_secs);
    requests.first_token_rule = FirstTokenRule::FirstText;
    for (outcome, row) in requests.outcome.iter_mut().zip(rows) {
        if row.failed {
            *outcome = Outcome::Failed;
        } else if row.end.is_none() && row.first.is_none() && row.events.is_none() {
            *outcome = Outcome::Unfinished;
        }
    }
    let good = |row: &&Row| !row.failed;
    requests.input_tokens = Column::from_options(
        Origin::Reported,
        rows.iter().map(|row| row.input.map(Tokens::from_count)),
    );
    requests.output_tokens = Column::from_options(
        if rows.iter().all(|row| row.counted) {
            Origin::Reported
        } else {
            origin("one token a time")
        },
        rows.iter().map(|row| row.output.map(Tokens::from_count)),
    );
    requests.token_source =
        if rows.iter().any(|row| row.counted) { TokenSource::Unknown } else { TokenSource::Events };
    let first =
        |row: &Row| row.events.as_ref().and_then(|e| e.first()).map(|(at, _)| *at).or(row.first);
    requests.ttft = Column::from_options(
        origin("first time less arrival"),
        rows.iter().map(|row| secs(Some(row).filter(good).and_then(first))),
    );
    let last = |row: &Row| row.events.as_ref().and_then(|e| e.last()).map(|(at, _)| *at);
    if rows.iter().any(|row| row.end.is_some()) {
        requests.end_rule = EndRule::StreamEnd;
        requests.e2e = Column::from_options(
            origin("end less arrival"),
            rows.iter().map(|row| secs(Some(row).filter(good).and_then(|row| row.end))),
        );
        requests.last_token = Column::from_options(
            origin("last time less arrival"),
            rows.iter().map(|row| secs(Some(row).filter(good).and_then(last))),
        );
    } else {
        requests.end_rule = EndRule::LastToken;
    }
    if rows.iter().any(|row| row.events.is_some()) {
        gaps(rows, &mut requests);
    }
    let zero = rows.iter().find_map(|row| row.start);
    requests.start = Column::from_options(
        origin("arrival less the first one"),
        rows.iter().map(|row| Some(Seconds::from_secs(row.start?.since(zero?)))),
    );
    requests
}

/// The gaps between events, and the tokens of each.
fn gaps(rows: &[Row], requests: &mut Requests) {
    requests.gaps = Ragged::new(Origin::Derived { how: "differences of token_times".into() });
    requests.event_tokens = Ragged::new(Origin::Reported);
    for row in rows {
        let events = row.events.as_ref().filter(|_| !row.failed);
        for pair in events.map(|events| events.windows(2)).into_iter().flatten() {
            if let [(before, _), (after, _)] = pair {
                requests.gaps.push(Seconds::from_secs(after - before));
            }
        }
        requests.gaps.end_row(events.is_some());
        for (_, tokens) in events.into_iter().flatten() {
            requests.event_tokens.push(Tokens::from_count(*tokens));
        }
        requests.event_tokens.end_row(events.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::read;

    fn requests(text: &str) -> Requests {
        read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0).requests.unwrap()
    }

    fn millis(row: Option<&[Seconds]>) -> Vec<f64> {
        row.unwrap().iter().map(|gap| (gap.as_millis() * 1e6).round() / 1e6).collect()
    }

    #[test]
    fn a_unit_beside_the_times_is_theirs_and_an_unknown_one_is_refused() {
        let line = |unit: &str| {
            format!(
                "{{\"unit\": {unit}, \"arrival\": 1000, \"token_times\": [1100, 1120], \"end_ns\": 1500000000}}\n"
            )
        };
        let requests = requests(&line("\"ms\""));
        assert_eq!(requests.ttft.get(0).map(Seconds::as_secs), Some(0.1));
        assert_eq!(millis(requests.gaps.row(0)), [20.0]);
        assert_eq!(requests.e2e.get(0).map(Seconds::as_secs), Some(0.5), "a key’s own unit wins");
        for unknown in ["\"minutes\"", "3"] {
            let fault = read("x", line(unknown).as_bytes(), &mut |_| {}).unwrap_err();
            assert!(fault.to_string().contains("unit of the times"), "{fault}");
        }
    }

    #[test]
    fn times_of_one_moment_are_one_event() {
        let requests = requests(
            "{\"arrival\": 10.0, \"token_times\": [10.5, 10.8, 10.8, 10.8, 10.9], \"end\": 11.0}\n\
             {\"arrival\": 12.5, \"token_times\": [13.0], \"input_tokens\": 7}\n",
        );
        assert_eq!(millis(requests.gaps.row(0)), [300.0, 100.0]);
        let tokens: Vec<f64> =
            requests.event_tokens.row(0).unwrap().iter().map(|n| n.count()).collect();
        assert_eq!(tokens, [1.0, 3.0, 1.0]);
        assert_eq!(requests.output_tokens.get(0).map(Tokens::count), Some(5.0));
        assert_eq!(requests.token_source, TokenSource::Events);
        assert_eq!(requests.start.get(1).map(Seconds::as_secs), Some(2.5));
        assert_eq!(requests.e2e.get(0).map(Seconds::as_secs), Some(1.0));
        assert_eq!(requests.e2e.get(1), None, "no end is said");
        assert_eq!(requests.end_rule, EndRule::StreamEnd);
    }

    #[test]
    fn nanoseconds_since_1970_stay_exact() {
        let requests = requests(
            "[{\"start_ns\": 1768000000123456789, \"token_times_ns\": [1768000000123456790, \
             1768000000123456792], \"tokens\": [4, 2]}]",
        );
        assert_eq!(requests.ttft.get(0).map(Seconds::as_secs), Some(1e-9));
        assert_eq!(millis(requests.gaps.row(0)), [2e-6]);
        assert_eq!(requests.output_tokens.get(0).map(Tokens::count), Some(6.0));
    }

    #[test]
    fn disorder_and_failure_keep_their_rows_without_times() {
        let text = "{\"arrival_ms\": 5, \"token_times_ms\": [9, 7]}\n\
                    {\"arrival_ms\": 5, \"token_times_ms\": [9], \"error\": \"made\"}\n\
                    {\"arrival_ms\": 5, \"first_token_ms\": 30, \"end_ms\": 85, \"tokens\": 12}\n";
        let run = read("x", text.as_bytes(), &mut |_| {}).unwrap().remove(0);
        let requests = run.requests.as_ref().unwrap();
        assert_eq!(requests.outcome, [Outcome::Unfinished, Outcome::Failed, Outcome::Ok]);
        assert_eq!((requests.ttft.get(0), requests.ttft.get(1)), (None, None));
        assert_eq!(requests.ttft.get(2).map(Seconds::as_millis), Some(25.0));
        assert_eq!(requests.e2e.get(2).map(Seconds::as_millis), Some(80.0));
        assert!(run.provenance.notices.iter().any(|n| n.kind == "times-out-of-order"));
    }

    #[test]
    fn without_an_arrival_there_is_nothing_to_measure_from() {
        let error = read("x", b"{\"token_times\": [1.0]}", &mut |_| {}).unwrap_err();
        assert_eq!(error.kind, ErrorKind::MissingKey { key: "arrival".into() });
    }
}
