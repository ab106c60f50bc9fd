//! The Distributions screen: hand-computed places and answers, the same numbers as Compare, and pictures
//! with room for every word.
#![allow(
    clippy::float_cmp,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test is the point of a test, and samples and ranks are exact"
)]

mod build;
mod handed;

use build::{Table, assert_close, run};
use handed::{cases, library};
use proptest::prelude::*;
use sameruler::charts::scene::{Rect, Shape};
use sameruler::charts::spec::{Scaling, Series, Spec};
use sameruler::charts::{Chart, Mode, Size, Theme};
use sameruler::engine::protocol::ReportRequest;
use sameruler::engine::{Answer, Query};
use sameruler::metrics::{Ask, COMMON, Subject, evaluate};
use sameruler::model::{Digest, Metric, Run, RunId, Stat};
use sameruler::views::curves::CurveAxes;
use sameruler::views::distributions::{
    DistributionsAsk, DistributionsView, RelationsView, Shape as Form, distributions, relations,
};
use sameruler::views::explain::ExplainAsk;
use sameruler::views::{Context, Ruler};

fn named(table: Table, name: &str) -> Run {
    let mut run = run(table);
    run.id = RunId::parse(Digest::of(name.as_bytes()).short(12)).unwrap();
    name.clone_into(&mut run.name);
    run
}

fn ask(metric: Metric) -> DistributionsAsk {
    DistributionsAsk { metric: Some(metric), ..DistributionsAsk::default() }
}

fn context(runs: &[&Run]) -> Context {
    Context { runs: runs.iter().map(|run| run.id.clone()).collect(), ..Context::default() }
}

fn view(runs: &[&Run], ask: &DistributionsAsk) -> DistributionsView {
    distributions(runs, &context(runs), ask)
}

/// One-token requests with these times to the first token.
fn firsts(ttfts: &[f64]) -> Table {
    ttfts.iter().fold(Table::new(), |table, ttft| table.row(*ttft, &[10.0], 2.0))
}

fn marks(series: &Series) -> Vec<(f64, f64)> {
    series.points.iter().filter(|p| !p.unmarked).map(|p| (p.x, p.y)).collect()
}

#[test]
fn an_ecdf_has_a_step_a_sample_and_marks_at_its_percentiles() {
    let run = named(firsts(&[400.0, 100.0, 300.0, 200.0]), "four");
    let view = view(&[&run], &ask(Metric::Ttft));
    let main = view.main.unwrap();
    assert_eq!(main.title, "TTFT: half of the requests at most 250 ms, 99 % at most 397 ms");
    let series = &main.series[0];
    let corners = [
        (100.0, 0.0),
        (100.0, 25.0),
        (200.0, 25.0),
        (200.0, 50.0),
        (300.0, 50.0),
        (300.0, 75.0),
        (400.0, 75.0),
        (400.0, 100.0),
    ];
    assert_eq!(series.path, corners);
    // numpy.percentile([100, 200, 300, 400], [50, 90, 99]).
    let got = marks(series);
    for ((x, y), want) in got.iter().zip([(250.0, 50.0), (370.0, 90.0), (397.0, 99.0)]) {
        assert_close(*x, want.0);
        assert_close(*y, want.1);
    }
    assert_eq!(got.len(), 3);
    assert!(series.points.iter().filter(|p| !p.unmarked).all(|p| p.hollow), "four samples");
    assert_eq!(main.x.scale, Scaling::Log, "times stand at equal ratios");
    assert_eq!(main.notes, ["four: p99 of fewer than 100 samples is the largest sample: n = 4."]);
    assert_eq!(view.summary.rows[0].cells, ["4", "none", "250", "≈ 250", "≈ 370", "≈ 397", "400"]);
}

#[test]
fn a_typed_value_has_the_share_that_is_counted_and_a_typed_percentile_its_value() {
    let ttfts: Vec<f64> = (1..=200).map(|at| f64::from(at) * 10.0).collect();
    let run = named(firsts(&ttfts), "steady");
    let asked = DistributionsAsk { quantile: Some(95.0), value: Some(500.0), ..ask(Metric::Ttft) };
    let view = view(&[&run], &asked);
    // numpy.percentile(range(10, 2001, 10), 95) = 1900.5; 50 of 200 are at most 500, Wilson 19.5 to 31.4 %.
    assert_eq!(view.answers.len(), 2);
    assert!(
        view.answers[0].starts_with("steady: p95 is 1,900 ms, 95 % interval 1,8"),
        "{:?}",
        view.answers
    );
    assert_eq!(
        view.answers[1],
        "steady: 25.0 % (50 of 200 requests) are at most 500 ms, 95 % interval 19.5 to 31.4 %."
    );
    assert_eq!(view.summary.head, ["n", "zeros", "mean", "p50", "p90", "p95", "p99", "max"]);
    // 199 of 200 are not all, whatever a rounded share says.
    let nearly = DistributionsAsk { value: Some(1_990.0), ..ask(Metric::Ttft) };
    let said = &distributions(&[&run], &context(&[&run]), &nearly).answers[0];
    assert!(said.starts_with("steady: 99.5 % (199 of 200 requests)"), "{said}");
}

#[test]
fn zeros_have_a_column_and_are_counted_in_words() {
    // Two chunks of three tokens under zeros for what comes along: 30, 0, 0, 50, 0, 0.
    let table = Table::new().row(100.0, &[30.0, 50.0], 7.0).events(&[1.0, 3.0, 3.0]);
    let run = named(table, "chunks");
    let mut context = context(&[&run]);
    let changes = [("itl".to_owned(), "token-zeros".to_owned())].into();
    context.ruler = Ruler::Same { preset: "common".into(), changes };
    let view = distributions(&[&run], &context, &ask(Metric::Itl));
    let main = view.main.unwrap();
    assert_eq!(main.x.scale, Scaling::LogWithZero);
    assert!(main.notes.contains(&"chunks: 4 of 6 gaps are 0.".to_owned()), "{:?}", main.notes);
    assert_eq!(main.series[0].path[..2], [(0.0, 0.0), (0.0, 100.0 * 4.0 / 6.0)]);
    assert_eq!(view.summary.rows[0].cells[..2], ["6", "4"]);
    let asked = DistributionsAsk { shape: Form::Histogram, ..ask(Metric::Itl) };
    let bars = distributions(&[&run], &context, &asked).main.unwrap();
    let first = &bars.series[0].points[0];
    assert_close(first.x, 0.0);
    assert_close(first.y, 100.0 * 4.0 / 6.0);
}

#[test]
fn bins_hold_every_sample_once() {
    let ttfts: Vec<f64> = (0..90).map(|at| 20.0 * 1.05_f64.powi(at)).collect();
    let slow: Vec<f64> = ttfts.iter().map(|ttft| ttft * 3.0).collect();
    let (a, b) = (named(firsts(&ttfts), "a"), named(firsts(&slow), "b"));
    for log in [true, false] {
        for count in [true, false] {
            let asked = DistributionsAsk {
                shape: Form::Histogram,
                log: Some(log),
                count,
                ..ask(Metric::Ttft)
            };
            let main = view(&[&a, &b], &asked).main.unwrap();
            let want = if count { 90.0 } else { 100.0 };
            for series in &main.series {
                assert!(series.bars);
                assert_close(series.points.iter().map(|p| p.y).sum(), want);
            }
            let x = |at: usize| main.series[at].points.iter().map(|p| p.x).collect::<Vec<_>>();
            assert_eq!(x(0), x(1), "the bins are shared");
        }
    }
}

#[test]
fn gaps_of_two_kinds_are_told_in_a_sentence() {
    // Each request: 20 bursts of three chunks, 0.02 ms apart, every 30 ms.
    let gaps: Vec<f64> =
        (0..60)
            .map(|at| {
                if at % 3 == 2 { 30.0 + f64::from(at % 7) } else { 0.02 + f64::from(at % 5) / 1e3 }
            })
            .collect();
    let table = (0..12).fold(Table::new(), |table, _| table.row(100.0, &gaps, 61.0));
    let bursts = named(table, "bursts");
    let said = view(&[&bursts], &ask(Metric::Itl)).said;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("bursts: 66.7 % of the gaps are at most "), "{said:?}");
    assert!(said[0].ends_with(" ms: events come in bursts."), "{said:?}");
    let even: Vec<f64> = (0..60).map(|at| 28.0 + f64::from(at % 11) / 2.0).collect();
    let table = (0..12).fold(Table::new(), |table, _| table.row(100.0, &even, 61.0));
    assert!(view(&[&named(table, "even")], &ask(Metric::Itl)).said.is_empty());
}

#[test]
fn a_shift_is_the_difference_of_each_quantile() {
    let ttfts: Vec<f64> = (0..300).map(|at| 100.0 + f64::from(at * 37 % 300)).collect();
    let slow: Vec<f64> = ttfts.iter().map(|ttft| ttft + 80.0).collect();
    let (a, b) = (named(firsts(&ttfts), "a"), named(firsts(&slow), "b"));
    let asked = DistributionsAsk { shape: Form::Shift, ..ask(Metric::Ttft) };
    let found = view(&[&a, &b], &asked);
    let main = found.main.unwrap();
    assert_eq!(main.title, "b is higher than a at 11 of 11 quantiles, by 80.0 ms");
    assert_eq!(main.series[0].points.len(), 11);
    for point in &main.series[0].points {
        assert_close(point.y, 80.0);
    }
    let median = main.series[0].points.iter().find(|p| (p.x - 50.0).abs() < 1e-9).unwrap();
    assert!(median.low.unwrap() > 0.0 && median.low.unwrap() <= 80.0 && !median.hollow);
    let alone = view(&[&a], &asked);
    assert!(alone.main.is_none() && alone.said[0].starts_with("A shift takes two runs"));
}

#[test]
fn without_single_requests_the_printed_percentiles_are_a_ladder_of_hollow_marks() {
    let mut plain = named(Table::new(), "plain");
    plain.requests = None;
    for (field, p, value) in [("median_ttft_ms", 50.0, 120.0), ("p99_ttft_ms", 99.0, 800.0)] {
        build::print(&mut plain, field, Metric::Ttft, Stat::Percentile(p), value);
    }
    plain.workload.endpoint = Some("chat".into());
    let rows = named(firsts(&[100.0, 200.0, 300.0]), "rows");
    let found = view(&[&rows, &plain], &ask(Metric::Ttft));
    let main = found.main.unwrap();
    let ladder = main.series.iter().find(|s| s.name == "plain").unwrap();
    assert_eq!(marks(ladder), [(120.0, 50.0), (800.0, 99.0)]);
    assert!(ladder.points.iter().all(|p| p.hollow) && !ladder.line && ladder.path.is_empty());
    let note = main.notes.iter().find(|note| note.starts_with("plain")).unwrap();
    assert!(note.contains("this file has no single requests"), "{note}");
    assert!(note.contains("--save-detailed"), "{note}");
    let asked = DistributionsAsk { value: Some(500.0), ..ask(Metric::Ttft) };
    let answers = view(&[&plain], &asked).answers;
    assert_eq!(
        answers,
        ["plain: between 50 and 99 % are at most 500 ms, by the printed percentiles."]
    );
    // What was not even printed is left out with its reason.
    let found = view(&[&plain], &ask(Metric::Itl));
    assert!(found.main.is_none() && found.left_out.len() == 1, "{:?}", found.left_out);
    assert_eq!(
        found.empty.as_deref(),
        Some("No selected run has samples or printed percentiles of ITL.")
    );
    assert_eq!(found.metrics, [Metric::Ttft]);
}

#[test]
fn eight_runs_are_drawn_in_eight_colours_and_the_ninth_is_named() {
    let runs: Vec<Run> = (0..9)
        .map(|at| named(firsts(&[100.0, 110.0 + f64::from(at)]), &format!("r{at}")))
        .collect();
    let all: Vec<&Run> = runs.iter().collect();
    let found = view(&all, &ask(Metric::Ttft));
    let mut styles: Vec<u8> = found.main.unwrap().series.iter().map(|s| s.style).collect();
    styles.sort_unstable();
    styles.dedup();
    assert_eq!(styles.len(), 8);
    assert_eq!(found.left_out, ["Eight runs stand on one chart. Not drawn: r8."]);
}

#[test]
fn latencies_stand_by_length() {
    let table = (0..80).fold(Table::new(), |table, at| {
        let n = if at % 2 == 0 { 3 } else { 6 };
        table.row(100.0, &vec![20.0; n - 1], n as f64)
    });
    let input: Vec<f64> = (0..80).map(|at| if at % 2 == 0 { 50.0 } else { 500.0 }).collect();
    let run = named(table.input(&input), "lengths");
    let RelationsView { charts, missing } = relations(&[&run], &context(&[&run]));
    assert!(missing.is_empty(), "{missing:?}");
    let titles: Vec<&str> = charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Mean TTFT by input length: 100 to 100 ms",
            "Mean E2E by output length: 140 to 200 ms",
            "Mean ITL by position: 20.0 to 20.0 ms"
        ]
    );
    let e2e = &charts[1].series[0];
    assert_eq!(marks(e2e), [(3.0, 140.0), (6.0, 200.0)]);
    assert!(
        e2e.points[0].tip.contains(&("requests".into(), "40".into())),
        "{:?}",
        e2e.points[0].tip
    );
}

#[test]
fn of_very_many_gaps_only_what_is_drawn_crosses_to_the_page() {
    let gaps: Vec<f64> = (0..2_000).map(|at| 20.0 + f64::from(at * 7_919 % 2_000) / 50.0).collect();
    let table = (0..100).fold(Table::new(), |table, at| {
        let gaps: Vec<f64> = gaps.iter().map(|gap| gap * (1.0 + f64::from(at) / 700.0)).collect();
        table.row(100.0, &gaps, 2_001.0)
    });
    let run = named(table, "many");
    let found = view(&[&run], &DistributionsAsk { value: Some(30.0), ..ask(Metric::Itl) });
    let main = found.main.as_ref().unwrap();
    assert!(main.series[0].path.len() < 1_500, "{}", main.series[0].path.len());
    let counted = {
        let requests = run.requests.as_ref().unwrap();
        requests.gaps.values().iter().filter(|gap| gap.as_secs() * 1e3 <= 30.0).count()
    };
    let counted = sameruler::units::fixed(counted as f64, 0);
    assert!(
        found.answers[0].contains(&format!("({counted} of 200,000 gaps)")),
        "{:?}",
        found.answers
    );
    let bytes = serde_json::to_string(&found).unwrap().len();
    assert!(bytes < 150_000, "{bytes} bytes");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn marks_are_the_numbers_of_compare_and_lines_never_fall(
        ttfts in prop::collection::vec(1.0_f64..5e3, 1..200),
        p in 0.5_f64..99.5,
    ) {
        let run = named(firsts(&ttfts), "any");
        let asked = DistributionsAsk { quantile: Some(p), ..ask(Metric::Ttft) };
        let found = view(&[&run], &asked);
        let ask = Ask { percentiles: vec![50.0, 90.0, 99.0, p], ..Ask::default() };
        let evaluation = evaluate(&run, &COMMON.settings, &ask);
        for spec in [found.main.unwrap(), found.beside.unwrap()] {
            let series = &spec.series[0];
            let whole = if spec.y.scale == Scaling::Nines { 1.0 } else { 100.0 };
            for share in [50.0, 90.0, 99.0, p] {
                let want = evaluation.value(Metric::Ttft, Stat::Percentile(share)).exact().unwrap();
                let at = share / 100.0 * whole;
                prop_assert!(
                    series.points.iter().any(|mark| mark.x.to_bits() == want.to_bits() && (mark.y - at).abs() < 1e-9),
                    "p{share} = {want}"
                );
            }
            let rises = |line: &[(f64, f64)]| {
                line.windows(2).all(|w| w[0].0 <= w[1].0 && w[0].1 <= w[1].1)
            };
            prop_assert!(rises(&series.path) && rises(&series.tail));
            // Every corner is a sample with the number at or under it, or just before it.
            let n = ttfts.len() as f64;
            for (x, y) in series.path.iter().chain(&series.tail) {
                let upto = ttfts.iter().filter(|t| **t <= x * (1.0 + 1e-12)).count() as f64;
                let under = ttfts.iter().filter(|t| **t < x * (1.0 - 1e-12)).count() as f64;
                let place = |count: f64| if whole > 1.0 { count / n * 100.0 } else { count / (n + 1.0) };
                prop_assert!((y - place(upto)).abs() < 1e-9 || (y - place(under)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_share_under_a_value_is_counted(
        ttfts in prop::collection::vec(1.0_f64..5e3, 1..200),
        limit in 1.0_f64..5e3,
    ) {
        let run = named(firsts(&ttfts), "any");
        let ask = Ask::default();
        let subject = Subject::new(&run, &COMMON.settings, &ask);
        let reached = subject.at_or_under(Metric::Ttft, &[limit]).unwrap()[0];
        // As the run holds them, in seconds.
        let held = &run.requests.as_ref().unwrap().ttft;
        let counted = (0..ttfts.len()).filter(|at| held.get(*at).unwrap().as_secs() * 1e3 <= limit);
        prop_assert!((reached - counted.count() as f64).abs() < 1e-9);
    }
}

#[test]
fn a_report_has_the_picture_and_the_values_of_each_run() {
    let run = named(firsts(&[400.0, 100.0, 300.0, 200.0]), "four");
    let context = context(&[&run]);
    let mut session = sameruler::engine::Session::new();
    session.adopt(vec![run]);
    let request = ReportRequest {
        date: "2026-11-30".into(),
        axes: CurveAxes::default(),
        stats: vec![Stat::Median],
        distributions: ask(Metric::Ttft),
        explain: ExplainAsk::default(),
        data: None,
        ..ReportRequest::default()
    };
    let Answer::Report { html, .. } = session.answer(&context, &Query::Report(request)) else {
        panic!("another answer");
    };
    let section = html.split("<section id=\"distributions\"").nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    assert!(section.contains("TTFT: half of the requests at most 250 ms"), "{section}");
    assert!(section.contains("<svg") && section.contains("<td>≈ 397</td>"), "{section}");
}

/// Words that share ground or leave the frame.
fn crowded(spec: &Spec, (width, height): (f64, f64), name: &str) -> Vec<String> {
    let scene = spec.scene(Size { width, height }, &Theme::of(Mode::Light));
    let words: Vec<(&str, Rect)> = scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Text { text, .. } => Some((text.as_str(), shape.text_box()?)),
            _ => None,
        })
        .collect();
    let frame = Rect { left: -0.5, top: -0.5, right: width + 0.5, bottom: height + 0.5 };
    let mut faults = Vec::new();
    for (at, (word, area)) in words.iter().enumerate() {
        if !frame.encloses(area) {
            faults.push(format!("{name} at {width}: “{word}” leaves the frame"));
        }
        let within = Rect {
            left: area.left + 0.6,
            right: area.right - 0.6,
            top: area.top + 0.6,
            bottom: area.bottom - 0.6,
        };
        for (other, ground) in &words[at + 1..] {
            if within.overlaps(ground) {
                faults.push(format!("{name} at {width}: “{word}” lies on “{other}”"));
            }
        }
    }
    faults
}

#[test]
fn handed_runs_are_drawn_with_room_for_every_word() {
    let Some(cases) = cases() else { return };
    let (mut faults, mut seen) = (Vec::new(), 0);
    for scenario in ["S2", "S5", "S6"] {
        let session = library(&cases.join("clients").join(scenario));
        let runs = session.runs();
        let few: Vec<&Run> =
            runs.iter().filter(|run| run.requests.is_some()).take(4).copied().collect();
        for ruler in [Ruler::default(), Ruler::Own] {
            let context = Context { ruler, ..context(&few) };
            for metric in [Metric::Ttft, Metric::Itl, Metric::Tpot] {
                for shape in Form::ALL {
                    let asked = DistributionsAsk { shape, value: Some(40.0), ..ask(metric) };
                    let found = distributions(&runs, &context, &asked);
                    let name = format!("{scenario} {metric:?} {shape:?}");
                    for spec in found.main.iter().chain(&found.beside) {
                        for size in [(560.0, 350.0), (472.0, 350.0), (358.0, 280.0)] {
                            seen += 1;
                            faults.extend(crowded(spec, size, &name));
                        }
                    }
                    if let Some(spec) = &found.same {
                        faults.extend(crowded(spec, (340.0, 226.0), &name));
                    }
                }
            }
            for spec in relations(&runs, &context).charts {
                faults.extend(crowded(&spec, (338.0, 200.0), scenario));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(seen > 100, "{seen} drawings");
}
