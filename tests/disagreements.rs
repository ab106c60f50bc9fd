//! The library of typical disagreements: each tested on data to which it applies, to which it does not, and
//! that can't tell.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, print, run};
use sameruler::metrics::Ask;
use sameruler::metrics::disagreements::{Applies, Case, DISAGREEMENTS, Tested};
use sameruler::model::{
    Column, Dump, Family, FamilyKind, FirstTokenRule, Metric, Origin, Outcome, Point, Run, Scrape,
    Series, Stat, TokenSource,
};
use sameruler::units::Seconds;

/// Data for one disagreement.
struct Data {
    run: Run,
    other: Option<Run>,
    dumps: Vec<Dump>,
    limits: &'static [&'static str],
}

fn of(table: Table) -> Data {
    Data { run: run(table), other: None, dumps: Vec::new(), limits: &[] }
}

impl Data {
    fn with(mut self, change: impl FnOnce(&mut Run)) -> Self {
        change(&mut self.run);
        self
    }
    fn beside(mut self, other: Table) -> Self {
        self.other = Some(run(other));
        self
    }
    fn under(mut self, limits: &'static [&'static str]) -> Self {
        self.limits = limits;
        self
    }
    fn served(mut self, dumps: Vec<Dump>) -> Self {
        self.dumps = dumps;
        self
    }
}

/// Two requests, one token an event.
fn plain() -> Table {
    Table::new().row(100.0, &[20.0, 20.0, 20.0], 4.0).row(80.0, &[20.0, 20.0, 20.0], 4.0)
}

/// Ten requests of one second each, one after the other, of 10 tokens.
fn steady() -> Table {
    let table = (0..10).fold(Table::new(), |table, _| table.row(100.0, &[100.0; 9], 10.0));
    let starts: Vec<f64> = (0..10).map(f64::from).collect();
    table.starts(&starts).duration(10.0)
}

/// A page with one histogram of times: (edge, observations up to it).
fn histogram(edges: &[(&str, f64)]) -> Dump {
    let name = "vllm:e2e_request_latency_seconds";
    let family = Family { name: name.into(), kind: FamilyKind::Histogram, ..Family::default() };
    let bucket = |(le, count): &(&str, f64)| Series {
        family: 0,
        name: format!("{name}_bucket"),
        labels: vec![("le".into(), (*le).to_owned())],
        points: vec![Point { scrape: 0, at: None, value: *count }],
    };
    let series = edges.iter().map(bucket).collect();
    Dump { scrapes: vec![Scrape::default()], families: vec![family], series, ..Dump::default() }
}

/// A page with one counter of tokens, a series an engine.
fn counter(engines: &[f64]) -> Dump {
    let name = "vllm:generation_tokens_total";
    let family = Family { name: name.into(), kind: FamilyKind::Counter, ..Family::default() };
    let one = |(at, value): (usize, &f64)| Series {
        family: 0,
        name: name.into(),
        labels: vec![("engine".into(), at.to_string())],
        points: vec![Point { scrape: 0, at: None, value: *value }],
    };
    let series = engines.iter().enumerate().map(one).collect();
    Dump { scrapes: vec![Scrape::default()], families: vec![family], series, ..Dump::default() }
}

/// Times the answer of the first request so much later than its first text, in ms.
fn answer_after(run: &mut Run, millis: &[f64]) {
    let requests = run.requests.as_mut().unwrap();
    requests.first_token_rule = FirstTokenRule::FirstText;
    let answers = requests.ttft.iter().zip(millis);
    let answers: Vec<Option<Seconds>> = answers
        .map(|(ttft, later)| Some(Seconds::from_millis(ttft.unwrap().as_millis() + later)))
        .collect();
    requests.first_answer = Column::from_options(Origin::Reported, answers);
}

/// No requests: what a tool printed alone.
fn printed_only() -> Data {
    let mut data = of(plain());
    data.run.requests = None;
    print(&mut data.run, "mean_ttft_ms", Metric::Ttft, Stat::Mean, 90.0);
    data
}

const LIMITS: &[&str] = &["ttft<=200ms", "tpot<=50ms"];

/// Id, then data to which it applies, to which it does not, and that can't tell.
fn cases() -> Vec<(&'static str, [Data; 3])> {
    let chunks = || Table::new().row(100.0, &[40.0, 40.0], 6.0);
    let failing = || plain().whole(100.0, 200.0, 5.0).outcome(Outcome::Failed).duration(5.0);
    let one_token = || plain().row(90.0, &[], 1.0).duration(5.0);
    let two_speeds = || {
        let gaps = |at: usize| [if at.is_multiple_of(2) { 20.0 } else { 40.0 }; 3];
        (0..20).fold(Table::new(), |table, at| table.row(100.0, &gaps(at), 4.0))
    };
    let slow_tail = || {
        let table = (0..19).fold(Table::new(), |table, _| table.row(100.0, &[20.0; 3], 4.0));
        table.row(400.0, &[90.0; 3], 4.0)
    };
    vec![
        ("chunk-or-token", [of(chunks()), of(plain()), printed_only()]),
        (
            "first-token-inside",
            [of(plain()), of(Table::new().whole(20.0, 80.0, 4.0)), printed_only()],
        ),
        (
            "n-or-n-minus-one",
            [of(plain()), of(Table::new().whole(100.0, 2100.0, 1001.0)), printed_only()],
        ),
        (
            "full-first-chunk",
            [
                of(Table::new().row(200.0, &[800.0], 48.0).events(&[8.0, 40.0])),
                of(plain()),
                of(chunks()),
            ],
        ),
        (
            "reasoning-tokens",
            [
                of(plain()).with(|run| answer_after(run, &[40.0, 40.0])),
                of(plain()).with(|run| answer_after(run, &[0.0, 0.0])),
                of(plain()),
            ],
        ),
        (
            "token-source",
            [
                of(plain().source(TokenSource::Server).retokenized(&[3.0, 4.0])),
                of(plain().source(TokenSource::Server).retokenized(&[4.0, 4.0])),
                of(plain().source(TokenSource::Server)),
            ],
        ),
        (
            "coordinated-omission",
            [of(plain().waits(&[0.0, 500.0])), of(plain().waits(&[0.0, 0.0])), of(plain())],
        ),
        (
            "warm-up-and-drain",
            [
                // One request alone for nine seconds, then three at once for one.
                of(Table::new()
                    .row(100.0, &[4450.0; 2], 3.0)
                    .row(100.0, &[10.0; 90], 91.0)
                    .row(100.0, &[10.0; 90], 91.0)
                    .row(100.0, &[10.0; 90], 91.0)
                    .starts(&[0.0, 9.0, 9.0, 9.0])
                    .duration(10.0)),
                of(Table::new()
                    .row(0.001, &[10.0; 1000], 1001.0)
                    .row(0.001, &[10.0; 1000], 1001.0)
                    .starts(&[0.0, 0.0])
                    .duration(10.0)),
                of(plain()),
            ],
        ),
        ("failures-kept", [of(plain().row(0.0, &[], 0.0)), of(plain()), printed_only()]),
        ("percentile-method", [of(slow_tail()), of(plain_twice()), printed_only()]),
        (
            "bucket-edges",
            [
                of(plain()).served(vec![histogram(&[("30", 90.0), ("60", 97.0), ("+Inf", 100.0)])]),
                of(plain()).served(vec![histogram(&[
                    ("1", 0.0),
                    ("1.001", 100.0),
                    ("+Inf", 100.0),
                ])]),
                of(plain()),
            ],
        ),
        ("reciprocal-of-percentile", [of(two_speeds()), of(plain_twice()), printed_only()]),
        (
            "request-or-token",
            [
                of(Table::new().row(100.0, &[200.0], 2.0).row(100.0, &[20.0; 10], 11.0)),
                of(plain()),
                printed_only(),
            ],
        ),
        (
            "stream-end",
            [
                of(Table::new().row(100.0, &[20.0; 4], 5.0).latency(&[230.0]).stream_end()),
                of(Table::new().row(100.0, &[20.0; 4], 5.0).latency(&[180.0]).stream_end()),
                of(plain()),
            ],
        ),
        (
            "one-over-throughput",
            [
                // Eight at once.
                of((0..8)
                    .fold(Table::new(), |table, _| table.row(20.0, &[20.0; 99], 100.0))
                    .starts(&[0.0; 8])
                    .duration(2.0)),
                of(Table::new().row(100.0, &[100.0; 9], 10.0).starts(&[0.0]).duration(1.0)),
                of(plain()),
            ],
        ),
        (
            "one-token-in-goodput",
            [
                of(one_token()).under(LIMITS),
                of(plain().duration(5.0)).under(LIMITS),
                of(one_token()),
            ],
        ),
        (
            "share-of-what",
            [of(failing()).under(LIMITS), of(plain().duration(5.0)).under(LIMITS), of(failing())],
        ),
        (
            "total-or-output",
            [
                of(plain().input(&[100.0, 100.0]).duration(2.0)),
                of(plain().input(&[0.0, 0.0]).duration(2.0)),
                of(plain().duration(2.0)),
            ],
        ),
        (
            "printed-or-rows",
            [
                of(plain()).with(|run| print(run, "mean_ttft_ms", Metric::Ttft, Stat::Mean, 0.09)),
                of(plain()).with(|run| print(run, "mean_ttft_ms", Metric::Ttft, Stat::Mean, 90.0)),
                printed_only(),
            ],
        ),
        (
            "sum-over-engines",
            [
                // The same page twice, before and after, is still two engines.
                of(plain()).served(vec![counter(&[10.0, 20.0]), counter(&[1000.0, 1500.0])]),
                of(plain()).served(vec![counter(&[10.0]), counter(&[1000.0])]),
                of(plain()),
            ],
        ),
        (
            "lengths-differ",
            [
                of(plain()).beside(Table::new().row(100.0, &[20.0; 9], 10.0)),
                of(plain()).beside(plain()),
                of(plain()),
            ],
        ),
        (
            "per-accelerator",
            [
                of(steady()).with(|run| run.load.gpus = Some(8)),
                of(steady()).with(|run| run.load.gpus = Some(1)),
                of(steady()),
            ],
        ),
    ]
}

/// Twenty equal requests: whatever rule reads them, it is one number.
fn plain_twice() -> Table {
    (0..20).fold(Table::new(), |table, _| table.row(100.0, &[20.0; 3], 4.0))
}

fn tested(id: &str, data: &Data) -> Tested {
    let one = DISAGREEMENTS.iter().find(|one| one.id() == id).unwrap();
    let limits = data.limits.iter().map(|limit| limit.parse().unwrap()).collect();
    let ask = Ask { limits, ..Ask::default() };
    let dumps: Vec<&Dump> = data.dumps.iter().collect();
    one.test(&Case { run: &data.run, other: data.other.as_ref(), dumps: &dumps, ask: &ask })
}

#[test]
fn each_applies_does_not_or_cannot_tell() {
    let all = cases();
    for one in DISAGREEMENTS {
        assert!(all.iter().any(|(id, _)| *id == one.id()), "{} has no data", one.id());
    }
    let mut wrong = Vec::new();
    for (id, three) in &all {
        let wanted = [Applies::Applies, Applies::DoesNot, Applies::CannotTell];
        for (data, wanted) in three.iter().zip(wanted) {
            let found = tested(id, data);
            if found.applies != wanted {
                wrong.push(format!("{id}: {wanted:?} wanted, {found:?}"));
            }
            // Who applies shows its two numbers; who can't tell says what is lacking.
            let shows = found.numbers.is_some() || found.applies != Applies::Applies;
            assert!(shows && found.because.ends_with('.') && found.because.len() > 15, "{found:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The faults of the public collection that are readings of one run: the two numbers are theirs.
#[test]
fn the_numbers_are_those_of_the_public_faults() {
    let shown = |id: &str, data: &Data| {
        let (a, b) = tested(id, data).numbers.unwrap_or_else(|| panic!("{id}"));
        (a.value, b.value)
    };
    let close = |got: (f64, f64), want: (f64, f64)| {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
        assert!(near(got.0, want.0) && near(got.1, want.1), "{got:?} is not {want:?}");
    };
    let a1 = of(Table::new().row(500.0, &[300.0, 100.0], 9.0).events(&[1.0, 6.0, 2.0]));
    close(shown("chunk-or-token", &a1), (200.0, 50.0));
    let a3 = of(Table::new().whole(200.0, 1000.0, 48.0).events(&[8.0, 40.0]));
    close(shown("full-first-chunk", &a3), (800.0 / 47.0, 20.0));
    let i1 = of(Table::new().whole(1000.0, 2000.0, 11.0));
    close(shown("first-token-inside", &i1), (2000.0 / 11.0, 100.0));
    let g6 = of((0..8)
        .fold(Table::new(), |table, _| table.whole(20.0, 2000.0, 100.0))
        .starts(&[0.0; 8])
        .duration(2.0));
    close(shown("one-over-throughput", &g6), (2.5, 20.0));
    let n3 = of(Table::new().whole(20.0, 1000.0, 100.0).duration(1.0))
        .with(|run| run.load.gpus = Some(8));
    close(shown("per-accelerator", &n3), (100.0, 12.5));
    let l1 = of(plain()).served(vec![counter(&[1000.0, 1500.0])]);
    close(shown("sum-over-engines", &l1), (1000.0, 2500.0));
}
