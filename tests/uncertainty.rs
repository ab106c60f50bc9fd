//! Intervals of one number, of a difference and of a ratio, whichever number it is, and the words where
//! there is none.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

mod build;

use build::{Table, assert_close, exact, run, settings};
use sameruler::metrics::{
    Ask, COMMON, Clear, Difference, GUIDELLM, Method, Settings, Subject, difference, evaluate,
    pooled,
};
use sameruler::model::{Limit, Metric, Outcome, Run, Stat};
use sameruler::stats::{Rng, quantile_ranks};

const P99: Stat = Stat::Percentile(99.0);

/// Requests whose TTFT, gaps and lengths vary, all `slower` times as slow. One in twenty fails.
fn varied(requests: usize, slower: f64, seed: u64) -> Run {
    let mut rng = Rng::seeded(seed);
    let mut table = Table::new();
    for at in 0..requests {
        let ttft = (50.0 + rng.below(1000) as f64 / 10.0) * slower;
        let gap = (10.0 + rng.below(100) as f64 / 10.0) * slower;
        let gaps = vec![gap; 5 + rng.below(30)];
        let tokens = gaps.len() as f64 + 1.0;
        table = table.row(ttft, &gaps, tokens);
        if at % 20 == 19 {
            table = table.outcome(Outcome::Failed);
        }
    }
    run(table.input(&vec![64.0; requests]).duration(30.0 * slower))
}

fn ask() -> Ask {
    let limits = ["ttft<=120ms", "tpot<=17ms"].map(|l| l.parse::<Limit>().unwrap()).into();
    Ask { limits, ..Ask::default() }
}

fn compare(a: &Run, b: &Run, ruler: &Settings, metric: Metric, stat: Stat) -> Difference {
    difference(a, b, ruler, &ask(), metric, stat)
}

#[test]
fn a_percentile_of_one_sample_a_request_has_the_interval_of_its_order() {
    let run = varied(400, 1.0, 1);
    let subject = Subject::new(&run, &COMMON.settings, &ask());
    let (interval, method) = subject.uncertainty(Metric::Ttft, Stat::Median).unwrap();
    assert_eq!(method, Method::OrderStatistics);
    let mut ttft: Vec<f64> = (0..400)
        .filter(|at| at % 20 != 19)
        .map(|at| run.requests.as_ref().unwrap().ttft.get(at).unwrap().as_secs())
        .collect();
    ttft.sort_by(f64::total_cmp);
    let ranks = quantile_ranks(380, 0.5).unwrap();
    assert_close(interval.low, ttft[*ranks.start()] * 1e3);
    assert_close(interval.high, ttft[*ranks.end()] * 1e3);
    let summary = subject.evaluation().metrics[&Metric::Ttft].summary().unwrap();
    assert_eq!((summary.n, summary.requests), (380, 380));
    assert!(summary.mad.unwrap() > 0.0 && summary.mad.unwrap() < summary.std.unwrap());
}

#[test]
fn pooled_gaps_are_resampled_by_request_since_those_of_one_request_are_not_independent() {
    let run = varied(400, 1.0, 1);
    let subject = Subject::new(&run, &COMMON.settings, &ask());
    let (interval, method) = subject.uncertainty(Metric::Itl, Stat::Median).unwrap();
    assert_eq!(method, Method::Resampled);
    let summary = subject.evaluation().metrics[&Metric::Itl].summary().unwrap();
    assert_eq!(summary.requests, 380);
    assert!(summary.n > 10 * summary.requests);
    assert_eq!(summary.quantile(50.0).unwrap().interval, None);
    // All gaps of a request are alike here, so taking them as independent would be far too sure.
    let mut gaps: Vec<f64> = Vec::new();
    let requests = run.requests.as_ref().unwrap();
    for (at, row) in requests.gaps.rows().enumerate() {
        if at % 20 != 19 {
            gaps.extend(row.unwrap().iter().map(|g| g.as_secs() * 1e3));
        }
    }
    gaps.sort_by(f64::total_cmp);
    let ranks = quantile_ranks(gaps.len(), 0.5).unwrap();
    let naive = gaps[*ranks.end()] - gaps[*ranks.start()];
    assert!(interval.high - interval.low > 2.0 * naive, "{interval:?} and {naive}");
}

#[test]
fn every_statistic_of_samples_has_an_interval_that_holds_it() {
    let run = varied(400, 1.0, 2);
    for ruler in
        [COMMON.settings, GUIDELLM.settings, settings(&[("user-speed", "reciprocal-of-tpot")])]
    {
        let subject = Subject::new(&run, &ruler, &ask());
        let sampled = [Metric::Ttft, Metric::Tpot, Metric::Itl, Metric::E2e, Metric::UserSpeed];
        for metric in sampled {
            for stat in [Stat::Mean, Stat::Median, Stat::Std, Stat::Percentile(90.0), P99] {
                let Some(value) = subject.evaluation().value(metric, stat).exact() else {
                    continue;
                };
                match subject.uncertainty(metric, stat) {
                    Ok((interval, _)) => assert!(
                        interval.low <= value
                            && value <= interval.high
                            && interval.low < interval.high,
                        "{metric:?} {stat:?}: {value} and {interval:?}"
                    ),
                    Err(because) => panic!("{metric:?} {stat:?}: {because}"),
                }
            }
        }
    }
}

#[test]
fn weighted_samples_are_resampled_with_their_weights() {
    let run = varied(300, 1.0, 3);
    let ruler = settings(&[("weighting", "per-token"), ("percentile", "weighted-step")]);
    let subject = Subject::new(&run, &ruler, &ask());
    for stat in [Stat::Mean, Stat::Std, Stat::Median, Stat::Percentile(90.0)] {
        let value = subject.evaluation().value(Metric::Tpot, stat).exact().unwrap();
        let (interval, method) = subject.uncertainty(Metric::Tpot, stat).unwrap();
        assert_eq!(method, Method::Resampled);
        assert!(interval.low <= value && value <= interval.high, "{stat:?} {value} {interval:?}");
        // About as wide as without weights, and not nothing.
        let plain = Subject::new(&run, &COMMON.settings, &ask());
        let plain = plain.interval(Metric::Tpot, stat).unwrap();
        let ratio = (interval.high - interval.low) / (plain.high - plain.low);
        assert!((0.3..3.0).contains(&ratio), "{stat:?} {ratio}");
    }
}

#[test]
fn rates_are_resampled_and_what_can_t_be_says_why() {
    let run = varied(200, 1.0, 4);
    let subject = Subject::new(&run, &COMMON.settings, &ask());
    for metric in [
        Metric::OutputThroughput,
        Metric::TotalThroughput,
        Metric::RequestThroughput,
        Metric::MeanConcurrency,
        Metric::Goodput,
        Metric::SloShare,
    ] {
        let value = exact(subject.evaluation(), metric, Stat::Value);
        let interval = subject.interval(metric, Stat::Value).unwrap();
        assert!(interval.low <= value && value <= interval.high, "{metric:?} {value} {interval:?}");
    }
    let because = |metric, stat| subject.uncertainty(metric, stat).unwrap_err();
    assert!(because(Metric::InputThroughput, Stat::Value).contains("the same amount"));
    assert!(because(Metric::Duration, Stat::Value).contains("only repeats"));
    assert!(because(Metric::Ttft, Stat::Max).contains("largest sample"));
    assert!(because(Metric::Ttft, Stat::Min).contains("smallest sample"));
    let whole = run_without_failures();
    let subject = Subject::new(&whole, &COMMON.settings, &ask());
    let because = subject.uncertainty(Metric::RequestThroughput, Stat::Value).unwrap_err();
    assert!(because.contains("no request failed"), "{because}");
}

fn run_without_failures() -> Run {
    let mut table = Table::new();
    for at in 0..50 {
        table = table.row(100.0 + f64::from(at), &[20.0; 4], 5.0);
    }
    run(table.duration(5.0))
}

#[test]
fn a_ratio_has_an_interval_of_its_own() {
    let (fast, slow) = (varied(400, 1.0, 5), varied(400, 2.4, 6));
    for (metric, stat) in [
        (Metric::Ttft, Stat::Mean),
        (Metric::Ttft, Stat::Percentile(90.0)),
        (Metric::Itl, Stat::Median),
        (Metric::E2e, Stat::Std),
    ] {
        let found = compare(&fast, &slow, &COMMON.settings, metric, stat);
        let ratio = found.ratio.unwrap();
        let interval = ratio.interval.unwrap();
        assert!(interval.low <= 2.4 && 2.4 <= interval.high, "{metric:?} {stat:?} {ratio:?}");
        assert_close(ratio.value, found.relative.unwrap() + 1.0);
        assert_eq!(found.clear, Clear::Worse);
    }
    let speed = compare(&fast, &slow, &COMMON.settings, Metric::UserSpeed, Stat::Mean);
    assert_eq!(speed.clear, Clear::Worse);
    assert!(speed.ratio.unwrap().interval.unwrap().high < 0.5);
    let slower = varied(400, 1.3, 6);
    let share = compare(&fast, &slower, &COMMON.settings, Metric::SloShare, Stat::Value);
    let ratio = share.ratio.unwrap();
    let interval = ratio.interval.unwrap();
    assert!(interval.low <= ratio.value && ratio.value <= interval.high && interval.high < 1.0);
}

#[test]
fn the_same_under_another_ruler_gives_an_interval_of_weighted_samples_too() {
    let (fast, slow) = (varied(300, 1.0, 7), varied(300, 1.5, 8));
    let ruler = settings(&[("weighting", "per-token"), ("percentile", "weighted-step")]);
    let found = compare(&fast, &slow, &ruler, Metric::Tpot, Stat::Median);
    assert_eq!(found.clear, Clear::Worse, "{found:?}");
}

#[test]
fn too_few_data_are_not_a_difference() {
    let few = |ttft: f64| run((0..5).fold(Table::new(), |t, _| t.row(ttft, &[20.0; 4], 5.0)));
    let found = compare(&few(100.0), &few(500.0), &COMMON.settings, Metric::Ttft, Stat::Mean);
    assert!(matches!(&found.clear, Clear::TooFew(r) if r.contains('5')), "{found:?}");
    assert_eq!(found.interval, None);
    let one = evaluate(&few(100.0), &COMMON.settings, &ask());
    assert_close(exact(&one, Metric::Ttft, Stat::Mean), 100.0);
    let (a, b) = (varied(80, 1.0, 9), varied(80, 3.0, 10));
    let tail = compare(&a, &b, &COMMON.settings, Metric::Ttft, P99);
    assert!(matches!(&tail.clear, Clear::TooFew(r) if r.contains("extreme")), "{tail:?}");
    let subject = Subject::new(&a, &COMMON.settings, &ask());
    let because = subject.uncertainty(Metric::Ttft, P99).unwrap_err();
    assert!(because.contains("368"), "{because}");
}

#[test]
fn a_ruler_that_weighs_some_metrics_by_tokens_weighs_no_other() {
    // As GuideLLM does with TPOT and ITL; TTFT and E2E are one sample a request to it as to anybody.
    let run = varied(112, 1.0, 3);
    let ruler = settings(&[("weighting", "per-token"), ("percentile", "weighted-step")]);
    let subject = Subject::new(&run, &ruler, &ask());
    for metric in [Metric::Ttft, Metric::E2e, Metric::OutputTokens] {
        let because = subject.uncertainty(metric, P99).unwrap_err();
        assert!(because.contains("368"), "{metric:?}: {because}");
        let (_, method) = subject.uncertainty(metric, Stat::Median).unwrap();
        assert_eq!(method, Method::OrderStatistics, "{metric:?}");
    }
    let (_, method) = subject.uncertainty(Metric::Tpot, Stat::Percentile(95.0)).unwrap();
    assert_eq!(method, Method::Resampled);
    // The samples of two runs together are as many as theirs, and no more.
    let two = [subject, Subject::new(&run, &ruler, &ask())];
    let both = pooled(&two, Metric::Ttft, P99).unwrap();
    assert_eq!(both.summary.n, 214);
    assert!(both.interval.unwrap_err().contains("368"));
}

#[test]
fn a_ratio_to_next_to_nothing_is_not_told() {
    // Chunks that were read at once: gaps of 20 µs, beside one of 10 ms.
    let gaps = |gap: f64| {
        let mut table = Table::new();
        for at in 0..60 {
            table = table.row(100.0 + f64::from(at), &[gap; 4], 5.0);
        }
        run(table.input(&[64.0; 60]).duration(10.0))
    };
    let (near, far) = (gaps(0.02), gaps(10.0));
    let ruler = COMMON.settings;
    let from_nothing = compare(&near, &far, &ruler, Metric::Itl, Stat::Median);
    assert_eq!((from_nothing.relative, from_nothing.ratio), (None, None));
    assert_close(from_nothing.absolute.exact().unwrap(), 9.98);
    let because = from_nothing.no_relative.unwrap();
    assert_eq!(because, "the baseline’s 0.020 ms is shorter than a client can tell");
    let to_nothing = compare(&far, &near, &ruler, Metric::Itl, Stat::Median);
    assert_close(to_nothing.relative.unwrap(), -0.998);
    // Goodput of a handful: of 60 requests 3 have a TTFT of up to 102 ms.
    let tight = Ask { limits: vec!["ttft<=102ms".parse().unwrap()], ..Ask::default() };
    let few = difference(&near, &far, &ruler, &tight, Metric::SloShare, Stat::Value);
    assert_eq!(few.no_relative.unwrap(), "only 3 requests of the baseline are within the limits");
    // The interval of the spread of equal numbers begins at 0.
    let mut one_far = Table::new();
    for at in 0..60 {
        one_far = one_far.row(if at == 7 { 900.0 } else { 100.0 }, &[10.0], 2.0);
    }
    let one_far = run(one_far.input(&[64.0; 60]).duration(10.0));
    let spread = compare(&one_far, &far, &ruler, Metric::Ttft, Stat::Std);
    let own = Subject::new(&one_far, &ruler, &ask()).uncertainty(Metric::Ttft, Stat::Std);
    assert_eq!(spread.relative, None, "{own:?}");
    assert!(spread.no_relative.unwrap().contains("interval of the baseline’s number reaches 0"));
}
