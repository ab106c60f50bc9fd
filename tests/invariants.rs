//! What must hold for any run: order, clock and unit of the input change nothing, and quantiles rise.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

mod build;

use build::{Table, run, settings};
use proptest::prelude::*;
use sameruler::engine::ByteSource;
use sameruler::engine::import::import;
use sameruler::metrics::{
    Ask, COMMON, DIMENSIONS, Evaluation, GoodputResult, Kept, METRICS, Measured, Settings, Subject,
    Value, dimensions_of, evaluate, request_table,
};
use sameruler::model::{Column, Limit, Metric, Origin, Outcome, Stat};
use sameruler::units::Seconds;
use std::fmt::Write as _;

#[derive(Debug, Clone)]
struct Request {
    ttft: f64,
    gaps: Vec<f64>,
    extra_tokens: u8,
    outcome: Outcome,
    start: f64,
}

fn requests() -> impl Strategy<Value = Vec<Request>> {
    let request = (
        prop_oneof![1 => Just(0.0), 9 => 1.0_f64..5000.0],
        prop::collection::vec(0.01_f64..500.0, 0..30),
        0_u8..4,
        prop_oneof![
            8 => Just(Outcome::Ok),
            1 => Just(Outcome::Failed),
            1 => Just(Outcome::Cancelled)
        ],
        0.0_f64..60.0,
    )
        .prop_map(|(ttft, gaps, extra_tokens, outcome, start)| Request {
            ttft,
            gaps,
            extra_tokens,
            outcome,
            start,
        });
    prop::collection::vec(request, 1..40)
}

fn table(requests: &[Request], scale: f64, shift: f64) -> Table {
    let mut table = Table::new();
    for r in requests {
        let gaps: Vec<f64> = r.gaps.iter().map(|g| g * scale).collect();
        let tokens = (r.gaps.len() + 1 + usize::from(r.extra_tokens)) as f64;
        table = table.row(r.ttft * scale, &gaps, tokens).outcome(r.outcome);
    }
    let starts: Vec<f64> = requests.iter().map(|r| r.start * scale + shift).collect();
    table.starts(&starts).duration(120.0 * scale)
}

fn ask(scale: f64) -> Ask {
    let limits = [format!("ttft<={}ms", 900.0 * scale), format!("tpot<={}ms", 120.0 * scale)];
    Ask {
        percentiles: vec![1.0, 10.0, 50.0, 90.0, 95.0, 99.0, 99.9],
        limits: limits.iter().map(|l| l.parse().unwrap()).collect(),
        ..Ask::default()
    }
}

/// Every window under every edge rule.
fn windows() -> Vec<[(&'static str, &'static str); 3]> {
    let edges = ["by-start", "by-end", "overlap"];
    let windows = [
        "whole",
        "first-send-to-last-token",
        "after-first-completion",
        "skip-first:3",
        "steady:0.6",
        "until-stable",
        "brush:2..30",
    ];
    let each = |window| {
        edges.map(|edge| [("window", window), ("window-edge", edge), ("duration", "window")])
    };
    windows.into_iter().flat_map(each).collect()
}

/// Every number of an evaluation with a name.
fn numbers(evaluation: &Evaluation) -> Vec<(String, f64)> {
    let stats = [
        Stat::Mean,
        Stat::Median,
        Stat::Std,
        Stat::Min,
        Stat::Max,
        Stat::Percentile(10.0),
        Stat::Percentile(99.0),
        Stat::Value,
    ];
    METRICS
        .iter()
        .flat_map(|m| stats.map(|s| (*m, s)))
        .filter_map(|(m, s)| {
            Some((format!("{} {}", m.name(), s.name()), evaluation.value(m, s).exact()?))
        })
        .collect()
}

fn same(a: &Evaluation, b: &Evaluation, tolerance: f64) -> Result<(), TestCaseError> {
    let (a, b) = (numbers(a), numbers(b));
    let names = |numbers: &[(String, f64)]| numbers.iter().map(|n| n.0.clone()).collect::<Vec<_>>();
    prop_assert_eq!(names(&a), names(&b));
    for ((name, x), (_, y)) in a.iter().zip(&b) {
        prop_assert!((x - y).abs() <= tolerance * x.abs().max(1e-6), "{}: {} and {}", name, x, y);
    }
    Ok(())
}

/// Limits of every kind.
const LIMITS: [&str; 9] = [
    "ttft<=900ms",
    "tpot<=120ms",
    "e2e<=4s",
    "itl.max<=400ms",
    "itl.p95<=300ms",
    "itl.mean<=200ms",
    "ttft<=input_tokens/512s",
    "e2e<=1s+output_tokens*150ms",
    "itl.max<=100ms+input_tokens*0.1ms",
];

const UNITS: [&str; 5] = [
    "requests-per-second",
    "share-of-sent",
    "share-of-finished",
    "tokens-per-second",
    "max-load-at-attainment:0.9",
];

/// A file that is read in pieces of these sizes, over and over.
struct Cut<'a> {
    bytes: &'a [u8],
    sizes: Vec<usize>,
    reads: usize,
}

impl ByteSource for Cut<'_> {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
        let size = self.sizes[self.reads % self.sizes.len()].min(into.len());
        self.reads += 1;
        let mut bytes = self.bytes;
        bytes.read_at(offset, &mut into[..size])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_requests_changes_nothing(all in requests()) {
        let mut turned = all.clone();
        turned.reverse();
        let of = |r: &[Request]| evaluate(&run(table(r, 1.0, 0.0)), &COMMON.settings, &ask(1.0));
        same(&of(&all), &of(&turned), 1e-9)?;
    }

    #[test]
    fn a_shifted_clock_changes_nothing_but_the_edges_of_seconds(all in requests(), shift in -1e4_f64..1e4) {
        let of = |shift| {
            let mut got = evaluate(&run(table(&all, 1.0, shift)), &COMMON.settings, &ask(1.0));
            // A shift moves rounding, and with it events that lie on the edge of a second.
            got.metrics.remove(&Metric::PeakOutputRate);
            got.metrics.remove(&Metric::PeakConcurrency);
            got
        };
        same(&of(0.0), &of(shift), 1e-9)?;
    }

    #[test]
    fn shift_and_order_change_nothing_in_any_window(all in requests(), shift in -1e4_f64..1e4) {
        let mut turned = all.clone();
        turned.reverse();
        for changes in windows() {
            let of = |requests: &[Request], shift| {
                let run = run(table(requests, 1.0, shift));
                let mut got = evaluate(&run, &settings(&changes), &ask(1.0));
                // A shift moves events over the edges of seconds.
                got.metrics.remove(&Metric::PeakOutputRate);
                got.metrics.remove(&Metric::PeakConcurrency);
                got
            };
            let here = of(&all, 0.0);
            same(&here, &of(&turned, 0.0), 1e-9)?;
            same(&here, &of(&all, shift), 1e-8)?;
        }
    }

    #[test]
    fn a_left_out_request_shapes_no_window(mut all in requests(), out in 1_usize..6) {
        // Whether a run was streamed is told by all its rows: one that stays says so both times.
        all.push(Request {
            ttft: 100.0,
            gaps: vec![10.0],
            extra_tokens: 0,
            outcome: Outcome::Ok,
            start: 1.0,
        });
        let out = out.min(all.len() - 1);
        for changes in windows() {
            let settings = settings(&changes);
            let excluded = Ask { excluded: (0..out).collect(), ..ask(1.0) };
            let without = evaluate(&run(table(&all, 1.0, 0.0)), &settings, &excluded);
            let gone = evaluate(&run(table(&all[out..], 1.0, 0.0)), &settings, &ask(1.0));
            same(&without, &gone, 1e-9).map_err(|e| TestCaseError::fail(format!("{changes:?}: {e}")))?;
        }
    }

    #[test]
    fn a_slower_clock_scales_times_and_nothing_else(all in requests()) {
        let of = |scale| evaluate(&run(table(&all, scale, 0.0)), &COMMON.settings, &ask(scale));
        let (once, twice) = (of(1.0), of(2.0));
        for metric in [Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::E2e] {
            for stat in [Stat::Mean, Stat::Median, Stat::Percentile(99.0)] {
                if let (Value::Exact(x), Value::Exact(y)) = (once.value(metric, stat), twice.value(metric, stat)) {
                    prop_assert!((2.0 * x - y).abs() <= 1e-9 * y.abs());
                }
            }
        }
        let (x, y) = (once.value(Metric::MeanConcurrency, Stat::Value), twice.value(Metric::MeanConcurrency, Stat::Value));
        prop_assert!((x.exact().unwrap() - y.exact().unwrap()).abs() < 1e-9);
    }

    #[test]
    fn quantiles_rise_and_stay_inside_and_shares_stay_shares(all in requests()) {
        let run = run(table(&all, 1.0, 0.0));
        let got = evaluate(&run, &COMMON.settings, &ask(1.0));
        for measured in got.metrics.values() {
            let Measured::Summary(summary) = measured else { continue };
            let (low, high) = (summary.min.unwrap(), summary.max.unwrap());
            let values: Vec<f64> = summary.percentiles.iter().map(|q| q.value.shown()).collect();
            prop_assert!(values.windows(2).all(|w| w[0] <= w[1]));
            prop_assert!(values.iter().all(|v| (low..=high).contains(v)));
            prop_assert!(low <= summary.mean * (1.0 + 1e-12) && summary.mean <= high * (1.0 + 1e-12));
        }
        let GoodputResult::Known(goodput) = &got.goodput else { return Ok(()) };
        let joint = goodput.good.exact().unwrap();
        for limit in &goodput.each {
            prop_assert!(joint <= limit.met.exact().unwrap());
        }
        prop_assert!(goodput.share.low >= 0.0 && goodput.share.high <= 1.0);
        let rate = goodput.per_second.as_ref().unwrap().exact().unwrap();
        prop_assert!(rate <= got.value(Metric::RequestThroughput, Stat::Value).exact().unwrap() + 1e-12);
    }

    #[test]
    fn goodput_never_passes_throughput_nor_a_limit_by_itself(
        all in requests(),
        lengths in prop::collection::vec(1.0_f64..4000.0, 40),
        picked in prop::collection::vec(0_usize..LIMITS.len(), 1..5),
        policy in 0_usize..3,
        unit in 0_usize..UNITS.len(),
    ) {
        let run = run(table(&all, 1.0, 0.0).input(&lengths));
        let policy = ["passes", "fails", "not-applicable"][policy];
        let set = settings(&[("goodput-missing", policy), ("goodput-unit", UNITS[unit])]);
        let limits: Vec<Limit> = picked.iter().map(|at| LIMITS[*at].parse().unwrap()).collect();
        let got = evaluate(&run, &set, &Ask { limits: limits.clone(), ..ask(1.0) });
        let GoodputResult::Known(goodput) = &got.goodput else { return Ok(()) };
        prop_assert_eq!(goodput.each.len(), limits.len());
        for limit in &goodput.each {
            prop_assert!(goodput.good.low <= limit.met.low && goodput.good.high <= limit.met.high);
            prop_assert!(goodput.share.high <= limit.share.high + 1e-12);
        }
        if let Some(binding) = goodput.binding {
            let fewest = goodput.each[binding].met.high;
            prop_assert!(goodput.each.iter().all(|limit| fewest <= limit.met.high));
        }
        let value = |metric| got.value(metric, Stat::Value).exact().unwrap();
        let rate = goodput.per_second.as_ref().unwrap();
        prop_assert!(rate.high <= value(Metric::RequestThroughput) + 1e-9);
        let tokens = goodput.tokens_per_second.as_ref().unwrap();
        prop_assert!(tokens.high <= value(Metric::OutputThroughput) * (1.0 + 1e-9) + 1e-9);
        prop_assert!(goodput.share_of_sent.high <= goodput.share_of_finished.high + 1e-12);
        if let (Some(interval), Some(rate)) = (goodput.per_second_interval, rate.exact()) {
            prop_assert!(interval.low <= rate + 1e-9 && rate <= interval.high + 1e-9);
        }
        let (headline, _) = goodput.headline(set.goodput_unit).unwrap();
        prop_assert!(headline.low <= headline.high);
    }

    #[test]
    fn every_choice_gives_numbers_or_a_reason_on_any_run(all in requests()) {
        let run = run(table(&all, 1.0, 0.0));
        for dimension in DIMENSIONS {
            for choice in dimension.choices {
                let example = choice.example();
                let got = evaluate(&run, &settings(&[(dimension.id, example.as_str())]), &ask(1.0));
                for (metric, measured) in &got.metrics {
                    if let Measured::Unavailable(reason) = measured {
                        prop_assert!(!reason.is_empty(), "{:?} {}", metric, example);
                    }
                }
                for (name, value) in numbers(&got) {
                    prop_assert!(value.is_finite(), "{} under {}", name, example);
                }
            }
        }
    }
}

/// Sets with some choices of any dimensions; a bound on the number keeps common parts common.
fn rulers() -> impl Strategy<Value = Vec<Vec<(usize, usize)>>> {
    prop::collection::vec(prop::collection::vec((0..DIMENSIONS.len(), 0_usize..12), 0..6), 2..12)
}

fn ruler_of(choices: &[(usize, usize)]) -> Settings {
    let mut settings = COMMON.settings;
    for (dimension, choice) in choices {
        let dimension = &DIMENSIONS[*dimension];
        let choice = dimension.choices[choice % dimension.choices.len()].example();
        settings.set(dimension.id, &choice).unwrap();
    }
    settings
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_a_run_remembers_of_other_rulers_changes_no_number(
        all in requests(), waits in prop::collection::vec(0.0_f64..900.0, 40),
        answers in prop::collection::vec(prop::option::of(1.0_f64..9000.0), 40),
        events in any::<bool>(), rulers in rulers()
    ) {
        let mut table = table(&all, 1.0, 0.0).waits(&waits[..all.len()]);
        let tokens: Vec<f64> = all.iter().map(|r| r.gaps.len() as f64 + 2.0).collect();
        table = table.retokenized(&tokens).input(&tokens);
        if events {
            for request in &all {
                let mut tokens = vec![1.0; request.gaps.len() + 1];
                tokens[0] += f64::from(request.extra_tokens);
                table = table.events(&tokens);
            }
        }
        let mut remembers = run(table);
        if events {
            let answers = answers[..all.len()].iter().map(|a| a.map(|ms| Seconds::from_secs(ms / 1e3)));
            remembers.requests.as_mut().unwrap().first_answer =
                Column::from_options(Origin::Reported, answers);
        }
        for choices in &rulers {
            let settings = ruler_of(choices);
            let forgets = remembers.clone();
            let got = evaluate(&remembers, &settings, &ask(1.0));
            let want = evaluate(&forgets, &settings, &ask(1.0));
            for (metric, measured) in &want.metrics {
                prop_assert_eq!(&got.metrics[metric], measured, "{:?} under {:?}", metric, settings);
            }
            prop_assert_eq!(&got, &want, "under {:?}", settings);
            let (a, b) = (Subject::new(&remembers, &settings, &ask(1.0)), Subject::new(&forgets, &settings, &ask(1.0)));
            for metric in METRICS {
                for stat in [Stat::Mean, Stat::Percentile(90.0), Stat::Value] {
                    prop_assert_eq!(a.uncertainty(metric, stat), b.uncertainty(metric, stat), "{:?}", settings);
                }
            }
        }
    }
}

proptest! {
    // Each case walks every choice of every dimension.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_definition_changes_only_the_metrics_that_name_it(mut all in requests(), waits in prop::collection::vec(0.0_f64..900.0, 40)) {
        for request in &mut all {
            // Without a first token there is nothing to measure, and a wait would make something of it.
            request.ttft = request.ttft.max(1.0);
        }
        let run = run(table(&all, 1.0, 0.0).waits(&waits[..all.len()]));
        let before = evaluate(&run, &COMMON.settings, &ask(1.0));
        let mut moved = Vec::new();
        for dimension in DIMENSIONS {
            for choice in dimension.choices {
                let example = choice.example();
                let changed = settings(&[(dimension.id, example.as_str())]);
                let after = evaluate(&run, &changed, &ask(1.0));
                for metric in METRICS {
                    let named = [&COMMON.settings, &changed]
                        .iter()
                        .any(|s| dimensions_of(metric, s).contains(&dimension.id));
                    if named {
                        continue;
                    }
                    let stats = [Stat::Mean, Stat::Median, Stat::Std, Stat::Max, Stat::Percentile(99.0), Stat::Value];
                    for stat in stats {
                        // A choice that a file can't honour takes numbers away, and may move none.
                        let (was, is) = (before.value(metric, stat), after.value(metric, stat));
                        let (Some(was), Some(is)) = (was.number(), is.number()) else { continue };
                        if (was - is).abs() > 1e-9 * was.abs().max(1e-6) {
                            moved.push(format!("{metric:?} {stat:?} {example}: {was} to {is}"));
                        }
                    }
                }
            }
        }
        prop_assert!(moved.is_empty(), "not named, and changed: {:#?}", moved);
    }

    #[test]
    fn the_unit_of_a_file_and_where_it_is_cut_change_nothing(all in requests(), cuts in prop::collection::vec(1_usize..40, 1..6)) {
        let text = |unit: &str, factor: f64| {
            let mut text = format!("request_id,start_s,ttft_{unit},e2e_{unit},output_tokens\n");
            for (at, r) in all.iter().enumerate() {
                let (ttft, e2e) = (r.ttft, r.ttft + r.gaps.iter().sum::<f64>());
                let n = r.gaps.len() + 1;
                let _ = writeln!(text, "r{at},{},{},{},{n}", r.start, ttft * factor, e2e * factor);
            }
            text
        };
        let read = |text: &str, cuts: &[usize]| {
            let mut reader = Cut { bytes: text.as_bytes(), sizes: cuts.to_vec(), reads: 0 };
            let found = import("requests.csv", &mut reader, false, &mut |_, _, _, _| {}).whole();
            found.map(|runs| evaluate(&runs[0], &COMMON.settings, &ask(1.0)))
        };
        let millis = text("ms", 1.0);
        let whole = read(&millis, &[1 << 20]);
        let Ok(whole) = whole else { return Ok(()) };
        same(&whole, &read(&millis, &cuts).unwrap(), 0.0)?;
        same(&whole, &read(&text("s", 1e-3), &cuts).unwrap(), 1e-9)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A table of requests holds the very samples of the metrics, and as many that meet the SLO as goodput
    /// counts, under every ruler and window.
    #[test]
    fn rows_of_requests_are_the_samples_of_the_metrics(
        requests in requests(),
        dimension in 0..DIMENSIONS.len(),
        choice in 0_usize..8,
        window in prop::sample::select(vec!["whole", "brush:5..30"]),
        ttft in 10.0_f64..3000.0,
    ) {
        let run = run(table(&requests, 1.0, 0.0).duration(90.0));
        let mut settings = settings(&[("window", window)]);
        let dimension = &DIMENSIONS[dimension];
        let choices = dimension.choices;
        if dimension.id != "window" {
            let _ = settings.set(dimension.id, choices[choice % choices.len()].id);
        }
        let limits = vec![Limit::at_most(sameruler::model::LimitMetric::Ttft, ttft)];
        let ask = Ask { limits: limits.clone(), ..Ask::default() };
        let measured = evaluate(&run, &settings, &ask);
        let rows = request_table(&run, &settings, &limits, &[]).unwrap();
        let inside = |column: &[Option<f64>]| -> Vec<f64> {
            let all = column.iter().zip(&rows.inside).filter(|(_, inside)| **inside);
            all.filter_map(|(value, _)| *value).collect()
        };
        for (metric, column) in
            [(Metric::Ttft, &rows.ttft), (Metric::E2e, &rows.e2e), (Metric::Tpot, &rows.tpot)]
        {
            let own = inside(column);
            let Some(summary) = measured.metrics[&metric].summary() else { continue };
            prop_assert_eq!(own.len(), summary.requests, "{:?}", metric);
            let most = own.iter().copied().fold(f64::NEG_INFINITY, f64::max) * 1e3;
            if let Some(max) = summary.max {
                prop_assert!(most.total_cmp(&max).is_eq(), "{metric:?}: {most} {max}");
            }
        }
        let longest = inside(&rows.gap).into_iter().fold(f64::NEG_INFINITY, f64::max) * 1e3;
        if let Some(max) = measured.metrics[&Metric::ChunkGap].summary().and_then(|s| s.max) {
            prop_assert!(longest.total_cmp(&max).is_eq(), "{longest} {max}");
        }
        if let (GoodputResult::Known(goodput), Some(Ok(kept))) = (&measured.goodput, &rows.slo) {
            let met = kept.iter().filter(|kept| **kept == Kept::All).count();
            let open = kept.iter().filter(|kept| **kept == Kept::Perhaps).count();
            prop_assert!((met as f64).total_cmp(&goodput.good.low).is_eq());
            prop_assert!(((met + open) as f64).total_cmp(&goodput.good.high).is_eq());
        }
    }
}
