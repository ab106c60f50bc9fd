//! The Goodput screen: charts by load, the map over two limits, bounds where only percentiles are printed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;

use sameruler::charts::{Mode, Theme, to_svg};
use sameruler::engine::import::import;
use sameruler::engine::{Answer, Arrangement, Query, Session};
use sameruler::model::{Limit, RunId};
use sameruler::views::Context;
use sameruler::views::goodput::{Counted, GoodputAsk, GoodputMaps, GoodputView, OutOf};
use serde_json::Value;
use std::path::Path;

fn session(files: &[(String, String)]) -> (Session, Context) {
    let mut session = Session::new();
    for (name, text) in files {
        let read = import(name, &mut text.as_bytes(), false, &mut |_, _, _, _| {});
        session.adopt(read.whole().unwrap());
    }
    let runs = session.runs().iter().map(|run| run.id.clone()).collect();
    (session, Context { runs, ..Context::default() })
}

fn limits(texts: &[&str]) -> Vec<Limit> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn goodput(session: &Session, context: &Context, shown: GoodputAsk) -> GoodputView {
    match session.answer(context, &Query::Goodput { shown }) {
        Answer::Goodput(view) => view,
        other => panic!("{other:?}"),
    }
}

fn maps(session: &Session, context: &Context, shown: GoodputAsk) -> GoodputMaps {
    match session.answer(context, &Query::GoodputMaps { shown }) {
        Answer::GoodputMaps(maps) => maps,
        other => panic!("{other:?}"),
    }
}

/// Three loads: 4 of 4, 6 of 8 and 2 of 12 requests keep TTFT ≤ 500 ms.
fn loads(folder: &str, slow: f64) -> Vec<(String, String)> {
    let load = |rate: f64, quick: usize, late: usize| {
        let mut sent = vec![(0.1, 0.01); quick];
        sent.extend(vec![(slow, 0.03); late]);
        (format!("{folder}/{rate}.json"), build::vllm_result(rate, &sent))
    };
    vec![load(1.0, 4, 0), load(2.0, 6, 2), load(3.0, 2, 10)]
}

#[test]
fn goodput_and_throughput_stand_by_load_with_the_peak_and_what_binds() {
    let (session, context) = session(&loads("a", 0.9));
    let context = Context { limits: limits(&["ttft<=500ms", "tpot<=50ms"]), ..context };
    let view = goodput(&session, &context, GoodputAsk::default());
    assert_eq!(view.empty, None);
    let chart = view.by_load.unwrap();
    assert_eq!(chart.title, "Peak 1.50 good requests a second, at 2 req/s");
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let of = |name: &str, want: [f64; 3]| {
        let series = chart.series.iter().find(|series| series.name == name).unwrap();
        series.points.iter().zip(want).all(|(point, want)| close(point.y, want))
    };
    assert!(of("goodput", [1.0, 1.5, 0.5]) && of("throughput", [1.0, 2.0, 3.0]));
    assert_eq!(chart.brackets[0].text, "bracketed by 1 and 3");
    let (x, good, served) = chart.bands[0].edges[2];
    assert!(close(x, 3.0) && close(good, 0.5) && close(served, 3.0), "what is lost");
    let shares = view.shares.unwrap();
    assert_eq!(shares.title, "From 2 req/s on, TTFT fails most");
    let all = shares.series.iter().find(|series| series.name == "all limits").unwrap();
    let all: Vec<f64> = all.points.iter().map(|point| point.y).collect();
    assert!(close(all[1], 75.0) && close(all[2], 100.0 / 6.0), "{all:?}");
    assert_eq!(view.together[0], "6 of 8, 75.0 %");
    let binds: Vec<bool> = view.limits.iter().map(|row| row.binds).collect();
    assert_eq!(binds, [true, false]);
    assert_eq!(view.limits[0].met, "75.0 % meet it at 2 req/s");
    assert_eq!(view.table.rows.len(), 3);
    assert_eq!(view.table.head.len(), view.table.rows[0].len());
}

#[test]
fn a_map_counts_the_same_requests_under_each_pair_of_limits() {
    let (session, context) = session(&loads("a", 0.9));
    let context = Context { limits: limits(&["ttft<=500ms", "tpot<=50ms"]), ..context };
    let map = maps(&session, &context, GoodputAsk::default()).map.unwrap();
    assert_eq!((map.x_title.as_str(), map.y_title.as_str()), ("TTFT limit, ms", "TPOT limit, ms"));
    // The loosest limits are 1300 ms and 130 ms: every request of the highest load is good, 12 in 4 s.
    let loosest = map.rows.first().unwrap().last().unwrap();
    assert_eq!((loosest.text.as_str(), loosest.under.as_str()), ("3.0", "@3"));
    let chosen: Vec<_> = map.rows.iter().flatten().filter(|cell| cell.chosen).collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!((chosen[0].text.as_str(), chosen[0].under.as_str()), ("1.5", "@2"));
    assert_eq!(map.title, "Looser limits gain at most 100 %");
    // TPOT of the late ones is 30 ms: at 20 ms looser limits on TTFT gain nothing.
    let row = map.y.iter().position(|limit| limit == "20").unwrap();
    assert!(map.rows[row].iter().all(|cell| cell.text == "1.5"), "{:?}", map.rows[row]);
    assert!(map.stamp.ends_with("no other limit"), "{}", map.stamp);
    assert!(map.key.len() <= 8);
}

#[test]
fn two_sweeps_have_a_map_of_their_difference() {
    let mut files = loads("a", 0.9);
    files.extend(loads("b", 0.3));
    let (session, context) = session(&files);
    let context = Context { limits: limits(&["ttft<=500ms", "tpot<=50ms"]), ..context };
    let run = |folder: &str| -> Option<RunId> {
        let named = |file: &str| file.starts_with(folder);
        session.runs().iter().find(|r| named(&r.provenance.file)).map(|run| run.id.clone())
    };
    let ask = GoodputAsk { run: run("b/"), other: run("a/"), ..GoodputAsk::default() };
    assert_eq!(goodput(&session, &context, ask.clone()).sweeps.len(), 2);
    let difference = maps(&session, &context, ask).difference.unwrap();
    let chosen = difference.rows.iter().flatten().find(|cell| cell.chosen).unwrap();
    assert_eq!(chosen.text, "+1.5", "3.0 req/s less 1.5");
    assert!(difference.title.contains("serves more good requests than"), "{}", difference.title);
}

#[test]
fn printed_percentiles_give_a_band_and_no_peak() {
    let text = "request_rate,p50_ttft_ms,p95_ttft_ms,p50_tpot_ms,p95_tpot_ms,req_s\n\
        4,100,200,10,12,4\n8,150,600,11,13,8\n16,700,2000,12,14,12\n";
    let (session, context) = session(&[("printed.csv".to_owned(), text.to_owned())]);
    let context = Context { limits: limits(&["ttft<=500ms", "tpot<=50ms"]), ..context };
    let view = goodput(&session, &context, GoodputAsk::default());
    let chart = view.by_load.unwrap();
    // Of 8 a second between half and 95 % keep TTFT, at least 95 % keep TPOT.
    let band = &chart.bands[0].edges;
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(close(band[1].1, 8.0 * 0.45) && close(band[1].2, 8.0 * 0.95), "{band:?}");
    assert!(close(band[2].1, 0.0) && close(band[2].2, 12.0 * 0.5), "{band:?}");
    assert!(chart.series.iter().flat_map(|s| &s.points).all(|point| point.flag.is_none()));
    assert!(chart.title.starts_with("Goodput peaks somewhere between"), "{}", chart.title);
    assert!(chart.notes[0].contains("printed percentiles"), "{:?}", chart.notes);
    let maps = maps(&session, &context, GoodputAsk::default());
    assert_eq!(maps.map, None, "no requests, no map");
    let none = maps.none.unwrap();
    assert!(none.contains("single requests, and the files hold none"), "{none}");
    let said = view.said.join(" ");
    assert!(said.starts_with("Goodput is known within bounds only: "), "{said}");
    assert!(!said.contains("can’t be told from printed values"), "the bands tell it: {said}");
    let shares = view.shares.unwrap();
    assert_eq!(shares.bands[0].edges.len(), 3);
    assert!(shares.series.is_empty(), "a share within bounds is no point");
    // The upper bound is highest at 8 req/s: half to 95 % keep TTFT there.
    assert_eq!(view.limits[0].met, "50.0 to 95.0 % meet it at 8 req/s");
    assert_eq!(view.limits[1].met, "95.0 to 100.0 % meet it at 8 req/s");
    assert_eq!(view.together, ["45.0 to 95.0 % at 8 req/s"]);
}

#[test]
fn tokens_of_good_requests_have_a_peak_of_their_own_and_a_map() {
    let (session, context) = session(&loads("a", 0.9));
    let context = Context { limits: limits(&["ttft<=500ms", "tpot<=50ms"]), ..context };
    let ask = GoodputAsk { counted: Counted::Tokens, ..GoodputAsk::default() };
    let view = goodput(&session, &context, ask.clone());
    let requests = goodput(&session, &context, GoodputAsk::default()).by_load.unwrap();
    let chart = view.by_load.unwrap();
    assert_eq!((chart.y.unit.as_str(), chart.y.title.as_str()), ("tok/s", "tokens"));
    // Every reply of these files has as many tokens as any other.
    let [good, served] = [0, 1].map(|at| &chart.series[at].points);
    for (at, (good, served)) in good.iter().zip(served).enumerate() {
        let share = requests.series[0].points[at].y / requests.series[1].points[at].y;
        assert!((good.y / served.y - share).abs() < 1e-9, "{good:?}");
        assert_eq!(good.low, None, "no interval of what comes in lots");
    }
    assert!(
        chart.title.contains("tokens of good requests a second, at 2 req/s"),
        "{}",
        chart.title
    );
    assert!(chart.guides.is_empty(), "tokens served are no requests sent");
    let map = maps(&session, &context, ask).map.unwrap();
    let chosen = map.rows.iter().flatten().find(|cell| cell.chosen).unwrap();
    assert!((chosen.value.unwrap() - good[1].y).abs() < 1e-9);
    assert_eq!(map.unit, "tok/s");
}

#[test]
fn a_metric_that_the_run_lacks_is_hatched_and_not_zero() {
    let text = "request_rate,p50_tpot_ms,p95_tpot_ms,req_s\n4,10,12,4\n8,11,13,8\n16,12,14,12\n";
    let (session, context) = session(&[("printed.csv".to_owned(), text.to_owned())]);
    let context = Context { limits: limits(&["ttft<=500ms"]), ..context };
    let view = goodput(&session, &context, GoodputAsk::default());
    let name = &view.sweeps[0].name;
    let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let chart = view.by_load.unwrap();
    assert_eq!(chart.title, format!("Goodput is not measured in {name}"));
    let series: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(series, ["throughput"], "no goodput of zero");
    assert_eq!(chart.hatched.len(), 1);
    assert_eq!(chart.hatched[0].text, ["not measured".to_owned(), format!("in {name}")]);
    let (from, to) = (chart.hatched[0].from, chart.hatched[0].to);
    assert!(close(from, 2.0) && close(to, 24.0), "around all loads: {from} to {to}");
    assert!(chart.notes[0].starts_with(&format!("Not measured in {name} at 4, 8, 16 req/s: ")));
    assert_eq!(view.limits[0].met, format!("not measured in {name}"));
    assert!(view.limits[0].because.is_some());
    // With a second limit that is measured, there is an upper bound.
    let context = Context { limits: limits(&["ttft<=500ms", "tpot<=11.5ms"]), ..context };
    let view = goodput(&session, &context, GoodputAsk::default());
    let chart = view.by_load.unwrap();
    let (_, low, high) = chart.bands[0].edges[2];
    assert!(low.abs() < 1e-9 && (high - 6.0).abs() < 1e-9, "at most half of 12: {low} to {high}");
    assert!(chart.hatched.is_empty());
}

#[test]
fn one_load_is_a_point_and_a_table() {
    let (session, context) = session(&loads("a", 0.9)[1..2]);
    let context = Context { limits: limits(&["ttft<=500ms", "tpot<=50ms"]), ..context };
    let view = goodput(&session, &context, GoodputAsk::default());
    let chart = view.by_load.unwrap();
    assert_eq!(chart.title, "1.50 good requests a second at 2 req/s");
    assert!(chart.series.iter().all(|series| series.points.len() == 1 && !series.line));
    assert!(chart.zones.is_empty() && chart.brackets.is_empty(), "no peak of one load");
    assert_eq!(view.table.rows.len(), 1);
    assert!(view.capacity.is_empty(), "no plan without a sweep");
    assert!(view.said[0].starts_with("One load level"), "{:?}", view.said);
}

#[test]
fn shares_are_of_what_is_asked_for() {
    let mut sent = vec![(0.1, 0.01); 6];
    sent.push((0.9, 0.03));
    let mut file: Value = serde_json::from_str(&build::vllm_result(2.0, &sent)).unwrap();
    file["errors"][6] = "refused".into();
    file["completed"] = 6.into();
    let (session, context) = session(&[("a/2.json".to_owned(), file.to_string())]);
    let context = Context { limits: limits(&["ttft<=500ms"]), ..context };
    let of = |out_of| {
        let ask = GoodputAsk { out_of, ..GoodputAsk::default() };
        goodput(&session, &context, ask).together[0].clone()
    };
    assert_eq!(of(OutOf::Sent), "6 of 7, 85.7 %");
    assert_eq!(of(OutOf::Finished), "6 of 6 finished, 100.0 %");
}

#[test]
fn without_limits_or_runs_it_says_so() {
    let (session, context) = session(&loads("a", 0.9));
    let view = goodput(&session, &context, GoodputAsk::default());
    assert!(view.empty.unwrap().starts_with("No limit is set."));
    let empty = goodput(&Session::new(), &Context::default(), GoodputAsk::default());
    assert!(empty.empty.unwrap().starts_with("No run is selected."));
}

/// Against the arrays of the files, counted here.
#[test]
fn the_map_of_a_real_sweep_equals_a_count_of_its_arrays() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/clients/S5/vllm");
    if !root.is_dir() {
        assert!(std::env::var("CI").is_err(), "the cases must be there in CI");
        return;
    }
    let rates = [4, 8, 12, 16, 20, 26];
    let files: Vec<(String, String)> = rates
        .iter()
        .map(|rate| {
            let name = format!("rate{rate:02}.json");
            let text = std::fs::read_to_string(root.join(&name)).unwrap();
            (name, text)
        })
        .collect();
    let (session, context) = session(&files);
    let limits = limits(&["ttft<=250ms", "tpot<=18ms", "e2e<=900ms"]);
    let context = Context { limits, ..context };
    let map = maps(&session, &context, GoodputAsk::default()).map.unwrap();
    assert!(map.stamp.contains("E2E ≤ 900 ms held"), "{}", map.stamp);
    let parsed: Vec<Value> = files.iter().map(|f| serde_json::from_str(&f.1).unwrap()).collect();
    for (row, tpot) in map.rows.iter().zip(&map.y) {
        for (cell, ttft) in row.iter().zip(&map.x) {
            let (ttft, tpot): (f64, f64) = (ttft.parse().unwrap(), tpot.parse().unwrap());
            let best = parsed
                .iter()
                .map(|run| {
                    let number = |key: &str, at: usize| run[key][at].as_f64().unwrap();
                    let n = run["ttfts"].as_array().unwrap().len();
                    let good = (0..n).filter(|at| {
                        let (first, whole) = (number("ttfts", *at), number("latencies", *at));
                        let decode = (whole - first) / (number("output_lens", *at) - 1.0);
                        first * 1e3 <= ttft && decode * 1e3 <= tpot && whole * 1e3 <= 900.0
                    });
                    good.count() as f64 / run["duration"].as_f64().unwrap()
                })
                .fold(0.0, f64::max);
            let shown: f64 = if cell.text == "—" { 0.0 } else { cell.text.parse().unwrap() };
            assert!((shown - best).abs() <= 0.05 * best.max(1.0), "{ttft} {tpot}: {shown}, {best}");
        }
    }
}

/// The sweep of the samples under the limits that it was made for.
fn sample() -> (Session, Context) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/samples/sweep");
    let file = |rate: u32| {
        let name = format!("vllm-rate{rate:02}.json");
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        (name, text)
    };
    let (session, context) = session(&[4, 8, 12, 16, 20, 26].map(file));
    let limits = limits(&["ttft<=250ms", "tpot<=18ms", "e2e<=900ms"]);
    (session, Context { limits, ..context })
}

#[test]
fn pictures_of_both_charts_stay_the_same() {
    let (session, context) = sample();
    let view = goodput(&session, &context, GoodputAsk::default());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, spec) in [("load", view.by_load.unwrap()), ("shares", view.shares.unwrap())] {
            let wide = if name == "load" { 420 } else { 348 };
            for (mode, word) in
                [(Mode::Light, "light"), (Mode::Dark, "dark"), (Mode::Print, "print")]
            {
                let of = |width, height| to_svg(&spec, width, height, &Theme::of(mode));
                insta::assert_snapshot!(format!("goodput_{name}_{word}"), of(wide, 352));
                insta::assert_snapshot!(format!("goodput_{name}_{word}_phone"), of(358, 280));
            }
        }
    });
}

#[test]
fn the_chart_of_shares_names_its_lines_and_what_binds_beside_them() {
    let (session, context) = sample();
    let spec = goodput(&session, &context, GoodputAsk::default()).shares.unwrap();
    let svg = to_svg(&spec, 348, 352, &Theme::of(Mode::Light));
    for words in ["TTFT binds", "all limits", ">TPOT<", ">E2E<"] {
        assert!(svg.contains(words), "{words} is missing");
    }
}

#[test]
fn goodput_is_divided_by_gpus_once_their_count_is_typed_and_never_before() {
    let (mut session, context) = session(&loads("a", 0.9));
    let context = Context { limits: limits(&["ttft<=500ms"]), ..context };
    let per_gpu = GoodputAsk { per_gpu: true, ..GoodputAsk::default() };
    let unit = |view: &GoodputView| view.by_load.as_ref().unwrap().y.unit.clone();
    let peak = |view: &GoodputView| {
        let points = &view.by_load.as_ref().unwrap().series[0].points;
        points.iter().map(|point| point.y).fold(0.0, f64::max)
    };
    let whole = goodput(&session, &context, per_gpu.clone());
    assert_eq!((unit(&whole).as_str(), whole.gpus.filed, whole.gpus.said), ("req/s", None, None));
    let gpus = whole.gpus.runs.iter().map(|run| (run.clone(), 4)).collect();
    session.arrange(Arrangement { gpus, ..Arrangement::default() });
    let each = goodput(&session, &context, per_gpu.clone());
    assert_eq!((unit(&each).as_str(), each.gpus.said), ("req/s per GPU", Some(4)));
    assert!((peak(&each) * 4.0 - peak(&whole)).abs() < 1e-12);
    let chart = each.by_load.unwrap();
    assert!(chart.title.contains("good requests a second and GPU"), "{}", chart.title);
    assert!(chart.notes.iter().any(|note| note.contains("4 GPUs as typed")), "{:?}", chart.notes);
    session.arrange(Arrangement::default());
    assert_eq!(unit(&goodput(&session, &context, per_gpu)), "req/s");
}

#[test]
fn the_peaks_of_all_sweeps_or_one_with_its_neighbours_can_be_compared() {
    let limits = limits(&["ttft<=500ms"]);
    let (one, context) = session(&loads("a", 0.9));
    let context = Context { limits: limits.clone(), ..context };
    let (words, runs) = goodput(&one, &context, GoodputAsk::default()).to_compare.unwrap();
    assert_eq!((words.as_str(), runs.len()), ("Compare the peak with its neighbours", 3));
    let (two, context) = session(&[loads("a", 0.9), loads("b", 0.4)].concat());
    let context = Context { limits, ..context };
    let (words, runs) = goodput(&two, &context, GoodputAsk::default()).to_compare.unwrap();
    assert_eq!(words, "Compare the peaks");
    let files: Vec<&str> = runs
        .iter()
        .map(|id| {
            two.runs().into_iter().find(|run| run.id == *id).unwrap().provenance.file.as_str()
        })
        .collect();
    assert_eq!(files, ["a/2.json", "b/3.json"]);
}
