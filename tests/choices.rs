//! Every choice of every dimension on a run small enough to work the right value out by hand.
//!
//! The table must name every choice that the catalogue has: a new one without a row fails.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, run};
use sameruler::metrics::{
    Ask, DIMENSIONS, Evaluation, Goodput, GoodputResult, Settings, Value, evaluate,
};
use sameruler::model::{
    Column, EndRule, FirstTokenRule, Limit, Metric, Origin, Outcome, Requests, Run, Stat,
    TokenSource,
};
use sameruler::units::Seconds;

/// What must come out.
enum Want {
    /// This number, in the metric's unit.
    Is(Metric, Stat, f64),
    /// No number, and a reason with these words.
    Lacks(Metric, Stat, &'static str),
    /// Goodput in the unit that was chosen.
    InItsUnit(f64),
    /// Whether the run attains each share.
    Attains(&'static [(f64, bool)]),
}

use Want::{Attains, InItsUnit, Is, Lacks};

/// One row: dimension, choice as it is written, further changes, the run, limits, what must come out.
struct Case {
    dimension: &'static str,
    choice: &'static str,
    with: &'static [(&'static str, &'static str)],
    run: fn() -> Run,
    limits: &'static [&'static str],
    want: &'static [Want],
}

const fn case(
    dimension: &'static str,
    choice: &'static str,
    run: fn() -> Run,
    want: &'static [Want],
) -> Case {
    Case { dimension, choice, with: &[], run, limits: &[], want }
}

impl Case {
    const fn with(mut self, with: &'static [(&'static str, &'static str)]) -> Self {
        self.with = with;
        self
    }
    const fn limits(mut self, limits: &'static [&'static str]) -> Self {
        self.limits = limits;
        self
    }
}

/// Two replies. The first: TTFT 100 ms, events of 2, 2 and 1 tokens with gaps of 40 and 80 ms, so it ends
/// at 220 ms. The second: TTFT 200 ms, three events of one token with gaps of 50 ms, so it ends at 300 ms.
fn two() -> Table {
    Table::new()
        .row(100.0, &[40.0, 80.0], 5.0)
        .row(200.0, &[50.0, 50.0], 3.0)
        .events(&[2.0, 2.0, 1.0])
        .events(&[1.0, 1.0, 1.0])
}

fn pair() -> Run {
    run(two())
}

fn timed_at(rule: FirstTokenRule) -> Run {
    let mut run = pair();
    table(&mut run).first_token_rule = rule;
    run
}

fn text_timed() -> Run {
    timed_at(FirstTokenRule::FirstText)
}

/// Reasoning stops its TTFT; the answer comes 20 and 60 ms later.
fn reasoning() -> Run {
    let mut run = text_timed();
    table(&mut run).first_answer = millis(&[120.0, 260.0]);
    run
}

fn own_itl() -> Run {
    let mut run = pair();
    table(&mut run).request_itl = millis(&[31.0, 47.0]);
    run
}

fn waited() -> Run {
    run(two().waits(&[10.0, 30.0]))
}

/// The usage chunk comes 10 ms after the last token, and the client's clock stops there.
fn stream_end() -> Run {
    run(two().latency(&[230.0, 310.0]).stream_end())
}

fn last_message() -> Run {
    let mut run = run(two().latency(&[225.0, 305.0]));
    table(&mut run).end_rule = EndRule::LastMessage;
    run
}

/// The server counts 5 and 3 tokens, the client's tokenizer 6 and 4.
fn counted() -> Run {
    run(two().retokenized(&[6.0, 4.0]).source(TokenSource::Server))
}

/// A third reply of one token, after 300 ms.
fn with_short() -> Run {
    run(two().row(300.0, &[], 1.0).events(&[1.0]))
}

/// A third reply without a token, which the client wrote down with a TTFT of 0. Two seconds.
fn with_empty() -> Run {
    run(two().row(0.0, &[], 0.0).events(&[]).duration(2.0))
}

/// A third request that was cancelled after three tokens, and a fourth that failed after one.
fn with_cut() -> Run {
    let cut = two().row(600.0, &[10.0, 10.0], 3.0).outcome(Outcome::Cancelled);
    run(cut.row(900.0, &[], 1.0).outcome(Outcome::Failed))
}

/// TTFTs of 10, 20, 30 and 40 ms.
fn four() -> Run {
    let rows = [10.0, 20.0, 30.0, 40.0];
    run(rows.into_iter().fold(Table::new(), |table, ttft| table.row(ttft, &[5.0], 2.0)))
}

/// Sent at 0, 0.4 and 1 s, first tokens after 100, 200 and 600 ms, ended at 0.5, 1.0 and 1.7 s. Of the two
/// in flight at most, both are between 0.4 and 0.5 s. The tool printed 4 s.
fn three() -> Table {
    Table::new()
        .row(100.0, &[400.0], 2.0)
        .row(200.0, &[400.0], 2.0)
        .row(600.0, &[100.0], 2.0)
        .starts(&[0.0, 0.4, 1.0])
        .duration(4.0)
}

fn spaced() -> Run {
    run(three())
}

/// As [`spaced`], with latencies of the client of which the last ends at 1.75 s.
fn spaced_to_the_end() -> Run {
    run(three().latency(&[510.0, 610.0, 750.0]).stream_end())
}

/// One request a second: five with a TTFT of 1 s, then thirty with 100 ms.
fn settling() -> Run {
    let ttfts = [1000.0; 5].into_iter().chain([100.0; 30]);
    let starts: Vec<f64> = (0..35).map(f64::from).collect();
    run(ttfts.fold(Table::new(), |table, ttft| table.row(ttft, &[10.0], 2.0)).starts(&starts))
}

/// [`two`] and one failed request, in 2 s.
fn judged() -> Run {
    run(two().row(0.0, &[], 0.0).outcome(Outcome::Failed).duration(2.0))
}

/// [`two`] and a reply of one token after 50 ms, in 2 s.
fn judged_short() -> Run {
    run(two().row(50.0, &[], 1.0).events(&[1.0]).duration(2.0))
}

fn table(run: &mut Run) -> &mut Requests {
    run.requests.as_mut().unwrap()
}

fn millis(values: &[f64]) -> Column<Seconds> {
    let values = values.iter().map(|v| Some(Seconds::from_millis(*v)));
    Column::from_options(Origin::Reported, values)
}

const MEAN: Stat = Stat::Mean;
const P50: Stat = Stat::Percentile(50.0);
const ONE: Stat = Stat::Value;
/// The first of [`two`] meets both to the last bit; the second meets neither.
const BOTH: &[&str] = &["ttft<=100ms", "tpot<=40ms"];

const CASES: &[Case] = &[
    // (220 − 100) ÷ 4 = 30 and (300 − 200) ÷ 2 = 50.
    case("tpot", "after-first", pair, &[Is(Metric::Tpot, MEAN, 40.0)]),
    // 120 ÷ 5 = 24 and 100 ÷ 3.
    case(
        "tpot",
        "after-first-over-n",
        pair,
        &[Is(Metric::Tpot, MEAN, f64::midpoint(24.0, 100.0 / 3.0))],
    ),
    // 220 ÷ 5 = 44 and 300 ÷ 3 = 100.
    case("tpot", "whole-over-n", pair, &[Is(Metric::Tpot, MEAN, 72.0)]),
    // 120 ÷ (5 − 2) = 40 and 100 ÷ (3 − 1) = 50.
    case("tpot", "after-first-event", pair, &[Is(Metric::Tpot, MEAN, 45.0)]),
    // 120 ÷ 2 = 60 and 100 ÷ 2 = 50.
    case("tpot", "visible-gaps", pair, &[Is(Metric::Tpot, MEAN, 55.0)]),
    // 40, 80, 50, 50.
    case("itl", "event-gap", pair, &[Is(Metric::Itl, MEAN, 55.0), Is(Metric::Itl, P50, 50.0)]),
    // 20, 20, 80, 50, 50.
    case("itl", "token-spread", pair, &[Is(Metric::Itl, MEAN, 44.0)]),
    // 0, 40, 0, 80, 50, 50.
    case("itl", "token-zeros", pair, &[Is(Metric::Itl, MEAN, 220.0 / 6.0)]),
    // 30 and 50.
    case("itl", "request-mean", pair, &[Is(Metric::Itl, MEAN, 40.0)]),
    // (100 + 120) ÷ 3 and (200 + 100) ÷ 3.
    case("itl", "whole-over-events", pair, &[Is(Metric::Itl, MEAN, 520.0 / 6.0)]),
    // The tool wrote 31 and 47.
    case("itl", "as-recorded", own_itl, &[Is(Metric::Itl, MEAN, 39.0)]),
    case("clock-start", "send", waited, &[Is(Metric::Ttft, MEAN, 150.0)]),
    // 100 + 10 and 200 + 30.
    case("clock-start", "scheduled", waited, &[Is(Metric::Ttft, MEAN, 170.0)]),
    case("clock-start", "server-arrival", waited, &[Lacks(Metric::Ttft, MEAN, "server")]),
    case("first-token", "first-event", pair, &[Is(Metric::Ttft, MEAN, 150.0)]),
    case("first-token", "first-text", text_timed, &[Is(Metric::Ttft, MEAN, 150.0)]),
    case("first-token", "first-text", pair, &[Lacks(Metric::Ttft, MEAN, "text")]),
    // 120 and 260.
    case("first-token", "first-answer", reasoning, &[Is(Metric::Ttft, MEAN, 190.0)]),
    // 220 and 300, whatever the client's clock said.
    case("end", "last-token", stream_end, &[Is(Metric::E2e, MEAN, 260.0)]),
    case("end", "last-message", last_message, &[Is(Metric::E2e, MEAN, 265.0)]),
    case("end", "stream-end", stream_end, &[Is(Metric::E2e, MEAN, 270.0)]),
    // (230 − 100) ÷ 4 = 32.5 and (310 − 200) ÷ 2 = 55.
    case("decode-end", "request-end", stream_end, &[Is(Metric::Tpot, MEAN, 43.75)])
        .with(&[("end", "stream-end")]),
    case(
        "decode-end",
        "last-token",
        stream_end,
        &[Is(Metric::Tpot, MEAN, 40.0), Is(Metric::E2e, MEAN, 270.0)],
    )
    .with(&[("end", "stream-end")]),
    case("token-count", "as-recorded", counted, &[Is(Metric::TotalOutputTokens, ONE, 8.0)]),
    case("token-count", "server", counted, &[Is(Metric::TotalOutputTokens, ONE, 8.0)]),
    case("token-count", "retokenized", counted, &[Is(Metric::TotalOutputTokens, ONE, 10.0)]),
    // Three events each.
    case("token-count", "events", counted, &[Is(Metric::TotalOutputTokens, ONE, 6.0)]),
    case(
        "short-outputs",
        "exclude",
        with_short,
        &[Is(Metric::Tpot, MEAN, 40.0), Is(Metric::Ttft, MEAN, 200.0)],
    ),
    // 30, 50 and 0.
    case("short-outputs", "zero", with_short, &[Is(Metric::Tpot, MEAN, 80.0 / 3.0)]),
    case(
        "short-outputs",
        "exclude-ttft",
        with_short,
        &[Is(Metric::Tpot, MEAN, 40.0), Is(Metric::Ttft, MEAN, 150.0)],
    ),
    case(
        "empty-outputs",
        "exclude",
        with_empty,
        &[Is(Metric::Ttft, MEAN, 150.0), Is(Metric::RequestThroughput, ONE, 1.0)],
    ),
    // Three finished in 2 s.
    case(
        "empty-outputs",
        "count-only",
        with_empty,
        &[Is(Metric::Ttft, MEAN, 150.0), Is(Metric::RequestThroughput, ONE, 1.5)],
    ),
    // 100, 200 and 0.
    case("empty-outputs", "as-success", with_empty, &[Is(Metric::Ttft, MEAN, 100.0)]),
    case(
        "population",
        "ok",
        with_cut,
        &[Is(Metric::Ttft, MEAN, 150.0), Is(Metric::TotalOutputTokens, ONE, 8.0)],
    ),
    // 100, 200 and 600; 5 + 3 + 3 tokens.
    case(
        "population",
        "ok-and-cut",
        with_cut,
        &[Is(Metric::Ttft, MEAN, 300.0), Is(Metric::TotalOutputTokens, ONE, 11.0)],
    ),
    // The failed one has a token, but no latency.
    case(
        "population",
        "sent",
        with_cut,
        &[Is(Metric::Ttft, MEAN, 300.0), Is(Metric::TotalOutputTokens, ONE, 12.0)],
    ),
    case("weighting", "per-request", pair, &[Is(Metric::Tpot, MEAN, 40.0)]),
    // (5 · 30 + 3 · 50) ÷ 8.
    case("weighting", "per-token", pair, &[Is(Metric::Tpot, MEAN, 37.5)]),
    case("weighting", "pooled", pair, &[Is(Metric::Tpot, MEAN, 40.0), Is(Metric::Itl, MEAN, 55.0)]),
    // 10, 20, 30, 40: half way from 20 to 30; ⌈2⌉ is the 2nd; ⌊2⌋ from 0 is the 3rd; 1.5 goes to 2.
    case("percentile", "linear", four, &[Is(Metric::Ttft, P50, 25.0)]),
    case("percentile", "nearest-rank", four, &[Is(Metric::Ttft, P50, 20.0)]),
    case("percentile", "floor-index", four, &[Is(Metric::Ttft, P50, 30.0)]),
    case("percentile", "rounded-index", four, &[Is(Metric::Ttft, P50, 30.0)]),
    case("percentile", "weighted-step", four, &[Is(Metric::Ttft, P50, 20.0)]),
    case("percentile", "bucket-linear", four, &[Lacks(Metric::Ttft, P50, "histogram")]),
    // Squares 225 + 25 + 25 + 225 = 500 over 4 and over 3: √125 and √(500 ÷ 3).
    case("spread", "population", four, &[Is(Metric::Ttft, Stat::Std, 11.180_339_887_498_949)]),
    case("spread", "sample", four, &[Is(Metric::Ttft, Stat::Std, 12.909_944_487_358_056)]),
    case("window", "whole", spaced, &[Is(Metric::Ttft, MEAN, 300.0)]),
    case(
        "window",
        "first-send-to-last-token",
        spaced,
        &[Is(Metric::Ttft, MEAN, 300.0), Is(Metric::Duration, ONE, 1.7)],
    )
    .with(&[("duration", "window")]),
    // Only the last was sent after 0.5 s.
    case("window", "after-first-completion", spaced, &[Is(Metric::Ttft, MEAN, 600.0)]),
    case("window", "skip-first:1", spaced, &[Is(Metric::Ttft, MEAN, 400.0)]),
    // From 0.4 to 0.5 s: the second.
    case("window", "steady:0.9", spaced, &[Is(Metric::Ttft, MEAN, 200.0)]),
    case("window", "brush:0..0.9", spaced, &[Is(Metric::Ttft, MEAN, 150.0)]),
    // The first window of ten whose median is 100, as are the next two, starts with the second request: 4
    // of 1,000 ms and 30 of 100 ms.
    case("window", "until-stable", settling, &[Is(Metric::Ttft, MEAN, 7000.0 / 34.0)]),
    // From 0.45 to 1.1 s one request was sent, two ended, and all three were under way.
    case("window-edge", "by-start", spaced, &[Is(Metric::Ttft, MEAN, 600.0)])
        .with(&[("window", "brush:0.45..1.1")]),
    case("window-edge", "by-end", spaced, &[Is(Metric::Ttft, MEAN, 150.0)])
        .with(&[("window", "brush:0.45..1.1")]),
    case("window-edge", "overlap", spaced, &[Is(Metric::Ttft, MEAN, 300.0)])
        .with(&[("window", "brush:0.45..1.1")]),
    case(
        "duration",
        "as-reported",
        spaced,
        &[Is(Metric::Duration, ONE, 4.0), Is(Metric::RequestThroughput, ONE, 0.75)],
    ),
    case("duration", "first-send-to-last-token", spaced, &[Is(Metric::Duration, ONE, 1.7)]),
    case(
        "duration",
        "first-send-to-last-end",
        spaced_to_the_end,
        &[Is(Metric::Duration, ONE, 1.75)],
    ),
    // From 0.1 to 1.7 s.
    case("duration", "first-token-to-last-token", spaced, &[Is(Metric::Duration, ONE, 1.6)]),
    case("duration", "window", spaced, &[Is(Metric::Duration, ONE, 0.9)])
        .with(&[("window", "brush:0..0.9")]),
    // 4 ÷ 0.12 and 2 ÷ 0.1.
    case(
        "user-speed",
        "decode",
        pair,
        &[Is(Metric::UserSpeed, MEAN, f64::midpoint(100.0 / 3.0, 20.0))],
    ),
    // 5 ÷ 0.22 and 3 ÷ 0.3.
    case(
        "user-speed",
        "whole",
        pair,
        &[Is(Metric::UserSpeed, MEAN, f64::midpoint(5.0 / 0.22, 10.0))],
    ),
    // 1 ÷ 0.04.
    case("user-speed", "reciprocal-of-tpot", pair, &[Is(Metric::UserSpeed, MEAN, 25.0)]),
    // A value at its limit meets it, and one limit met is not enough: 1 good in 2 s.
    case("goodput-rule", "and-inclusive", judged, &[Is(Metric::Goodput, ONE, 0.5)])
        .limits(&["ttft<=100ms", "tpot<=30ms"]),
    case("goodput-rule", "and-inclusive", judged, &[Is(Metric::Goodput, ONE, 0.0)])
        .limits(&["ttft<=100ms", "tpot<=29.9ms"]),
    // 220 ÷ 5 is above the limit and 300 ÷ 3 too; (220 − 100) ÷ 4 meets it.
    case("goodput-rule", "and-inclusive-after-first", judged, &[Is(Metric::Goodput, ONE, 0.5)])
        .with(&[("tpot", "whole-over-n")])
        .limits(&["tpot<=30ms"]),
    case("goodput-rule", "and-inclusive", judged, &[Is(Metric::Goodput, ONE, 0.0)])
        .with(&[("tpot", "whole-over-n")])
        .limits(&["tpot<=30ms"]),
    // The reply of one token has no TPOT; of the two others one is good.
    case("goodput-missing", "not-applicable", judged_short, &[Is(Metric::SloShare, ONE, 0.5)])
        .limits(BOTH),
    case("goodput-missing", "passes", judged_short, &[Is(Metric::SloShare, ONE, 2.0 / 3.0)])
        .limits(BOTH),
    case("goodput-missing", "fails", judged_short, &[Is(Metric::SloShare, ONE, 1.0 / 3.0)])
        .limits(BOTH),
    case("goodput-unit", "requests-per-second", judged, &[Is(Metric::Goodput, ONE, 0.5)])
        .limits(BOTH),
    case("goodput-unit", "share-of-sent", judged, &[Is(Metric::SloShare, ONE, 1.0 / 3.0)])
        .limits(BOTH),
    case("goodput-unit", "share-of-finished", judged, &[Is(Metric::SloShare, ONE, 0.5)])
        .limits(BOTH),
    // 5 tokens in 2 s.
    case("goodput-unit", "tokens-per-second", judged, &[InItsUnit(2.5)]).limits(BOTH),
    // One of three sent: attains 0.3, and a third, but not 0.5.
    case(
        "goodput-unit",
        "max-load-at-attainment:0.3",
        judged,
        &[
            Is(Metric::SloShare, ONE, 1.0 / 3.0),
            Attains(&[(0.3, true), (1.0 / 3.0, true), (0.5, false)]),
        ],
    )
    .limits(BOTH),
];

fn settings(case: &Case) -> Settings {
    let mut settings = build::settings(case.with);
    settings.set(case.dimension, case.choice).unwrap();
    settings
}

fn known(evaluation: &Evaluation) -> &Goodput {
    match &evaluation.goodput {
        GoodputResult::Known(goodput) => goodput,
        other => panic!("{other:?}"),
    }
}

fn measured(case: &Case) -> Evaluation {
    let (run, settings) = ((case.run)(), settings(case));
    let limits: Vec<Limit> = case.limits.iter().map(|text| text.parse().unwrap()).collect();
    evaluate(&run, &settings, &Ask { limits, ..Ask::default() })
}

#[test]
fn each_choice_gives_the_value_worked_out_by_hand() {
    for case in CASES {
        let evaluation = measured(case);
        let name = format!("{}={}", case.dimension, case.choice);
        for want in case.want {
            match want {
                Is(metric, stat, value) => match evaluation.value(*metric, *stat).exact() {
                    Some(got) => {
                        assert!(
                            (got - value).abs() <= 1e-9 * value.abs().max(1.0),
                            "{name}: {} is {got}, not {value}",
                            metric.name()
                        );
                    }
                    None => panic!("{name}: {:?}", evaluation.value(*metric, *stat)),
                },
                Lacks(metric, stat, words) => match evaluation.value(*metric, *stat) {
                    Value::Missing(reason) => assert!(reason.contains(words), "{name}: {reason}"),
                    other => panic!("{name}: {other:?}"),
                },
                InItsUnit(value) => {
                    let unit = settings(case).goodput_unit;
                    let (got, _) = known(&evaluation).headline(unit).unwrap();
                    assert_eq!(got.exact(), Some(*value), "{name}");
                }
                Attains(shares) => {
                    let goodput = known(&evaluation);
                    for (share, attains) in *shares {
                        assert_eq!(goodput.attains(*share), Some(*attains), "{name}: {share}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_choice_of_the_catalogue_has_a_row() {
    for dimension in DIMENSIONS {
        for choice in dimension.choices {
            let has = CASES.iter().any(|case| {
                case.dimension == dimension.id && case.choice.split(':').next() == Some(choice.id)
            });
            assert!(has, "{}={} has no row in CASES", dimension.id, choice.id);
        }
    }
    for case in CASES {
        let dimension = DIMENSIONS.iter().find(|d| d.id == case.dimension);
        let id = case.choice.split(':').next().unwrap_or_default();
        assert!(dimension.is_some_and(|d| d.choice(id).is_some()), "{id} is no choice any more");
    }
}
