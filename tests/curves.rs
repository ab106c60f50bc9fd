//! Sweeps of real clients against one scripted server: grouped as one, and with the goodput peak that
//! independent numbers give.
//!
//! Reads `../shared/cases`, which is no part of the repository; without it there is nothing to do,
//! except where `CI` is set.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test is the point of a test"
)]

mod build;
mod handed;

use handed::cases;
use sameruler::charts::scene::Shape;
use sameruler::charts::spec::{Better, Which};
use sameruler::charts::{Chart as _, Mode, Size, Theme};
use sameruler::engine::import::import;
use sameruler::engine::{Answer, Arrangement, Query, Session};
use sameruler::model::{Metric, Stat};
use sameruler::views::Context;
use sameruler::views::curves::{Across, CurveAxes, CurvesView, LoadAxis};
use serde_json::Value;
use std::path::{Path, PathBuf};

const CLIENTS: [&str; 6] =
    ["vllm", "vllm-completions", "vllm-0.10", "vllm-concurrency", "sglang", "sglang-oai-chat"];
const LIMITS: [&str; 3] = ["ttft<=250ms", "tpot<=18ms", "e2e<=900ms"];

/// Result files of one client's sweep, by name.
fn files(root: &Path, client: &str) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root.join("S5").join(client)).unwrap();
    let mut files: Vec<PathBuf> = folder
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            ["rate", "conc", "sweep"].iter().any(|start| name.starts_with(start))
                && path.extension().is_some_and(|e| e == "json" || e == "jsonl")
        })
        .collect();
    files.sort();
    files
}

fn adopt(session: &mut Session, path: &Path, name: &str) {
    let bytes = std::fs::read(path).unwrap();
    session
        .adopt(import(name, &mut bytes.as_slice(), false, &mut |_, _, _, _| {}).whole().unwrap());
}

fn curves(session: &Session) -> CurvesView {
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        limits: LIMITS.iter().map(|l| l.parse().unwrap()).collect(),
        ..Context::default()
    };
    match session.answer(&context, &Query::Curves { axes: CurveAxes::default() }) {
        Answer::Curves(view) => view,
        other => panic!("{other:?}"),
    }
}

/// Good requests, requests and good requests per second of each load, by numpy, in order of load.
fn expected(all: &Value, client: &str) -> Vec<(f64, f64, f64)> {
    let entries = all["files"].as_object().unwrap();
    let prefix = format!("S5/{client}/");
    let number = |of: &Value, key: &str| of.get(key).and_then(Value::as_f64);
    entries
        .iter()
        .filter(|(name, _)| name.starts_with(&prefix))
        .map(|(_, entry)| {
            let got = &entry["recomputed"];
            let good = number(got, "good_requests")
                .or_else(|| number(got, "good_requests_upper_bound"))
                .unwrap();
            let rate = number(got, "request_goodput")
                .or_else(|| number(got, "request_goodput_upper_bound"))
                .unwrap();
            (good, number(&entry["counts"], "requests").unwrap(), rate)
        })
        .collect()
}

/// The chart holds a series whose points are the loads of `client`, with the shares in the table, and
/// with the star on the largest goodput. Returns the series' name.
fn check(view: &CurvesView, client: &str, want: &[(f64, f64, f64)]) -> String {
    let series = &view.main.as_ref().unwrap().series;
    let told: Vec<String> = want.iter().map(|(good, of, _)| format!("{good} of {of}")).collect();
    let column = view.table.head.iter().position(|head| head == "Within limits").unwrap();
    let shares = |name: &str| -> Vec<String> {
        let rows = view.table.rows.iter().filter(|row| row.first().unwrap() == name);
        rows.map(|row| row[column].clone()).collect()
    };
    let found = series.iter().find(|s| shares(&s.name) == told);
    let found = found.unwrap_or_else(|| panic!("{client}: no sweep has {told:?}"));
    assert_eq!(found.points.len(), want.len(), "{client} is one sweep");
    let largest = want.iter().map(|w| w.2).fold(f64::MIN, f64::max);
    let best = want.iter().position(|w| w.2 >= largest).unwrap();
    let star =
        found.points.iter().position(|p| p.flag.as_ref().is_some_and(|f| f.peak().is_some()));
    assert_eq!(star, Some(best), "{client}: {want:?}");
    let text = found.points[best].flag.as_ref().unwrap().peak().unwrap().to_owned();
    let shown: f64 = text.split(' ').next().unwrap().parse().unwrap();
    assert!((shown - largest).abs() <= 0.005 * largest, "{client}: {text} is not {largest}");
    found.name.clone()
}

#[test]
fn each_sweep_is_one_curve_with_the_independent_goodput_peak() {
    let Some(root) = cases().map(|cases| cases.join("clients")) else { return };
    let all = std::fs::read_to_string(root.join("expected.json")).unwrap();
    let all: Value = serde_json::from_str(&all).unwrap();
    for client in CLIENTS {
        let mut session = Session::new();
        // Dropped as files, in the wrong order.
        for path in files(&root, client).iter().rev() {
            adopt(&mut session, path, &path.file_name().unwrap().to_string_lossy());
        }
        let view = curves(&session);
        assert_eq!(view.main.as_ref().unwrap().series.len(), 1, "{client}");
        let name = check(&view, client, &expected(&all, client));
        assert!(["vLLM", "SGLang"].contains(&name.as_str()), "{name}");
    }
}

#[test]
fn sweeps_dropped_together_stay_apart_and_have_names() {
    let Some(root) = cases().map(|cases| cases.join("clients")) else { return };
    let all = std::fs::read_to_string(root.join("expected.json")).unwrap();
    let all: Value = serde_json::from_str(&all).unwrap();
    for folders in [true, false] {
        let mut session = Session::new();
        for client in CLIENTS {
            for path in files(&root, client) {
                let file = path.file_name().unwrap().to_string_lossy();
                let name = if folders { format!("S5/{client}/{file}") } else { file.into_owned() };
                adopt(&mut session, &path, &name);
            }
        }
        let view = curves(&session);
        assert_eq!(view.main.as_ref().unwrap().series.len(), CLIENTS.len(), "folders: {folders}");
        let mut names: Vec<String> =
            CLIENTS.iter().map(|client| check(&view, client, &expected(&all, client))).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CLIENTS.len(), "{names:?}");
    }
}

/// A folder, its rate, and the TTFT and gap of each of its requests.
type Load<'a> = (&'a str, f64, &'a [(f64, f64)]);

/// A session of vLLM files in one folder each, and its curves.
fn built(loads: &[Load<'_>], axes: CurveAxes) -> CurvesView {
    arranged(Session::new(), loads, axes)
}

/// The same in a session that knows already what the reader says of runs.
fn arranged(mut session: Session, loads: &[Load<'_>], axes: CurveAxes) -> CurvesView {
    for (folder, rate, sent) in loads {
        let text = build::vllm_result(*rate, sent);
        let name = format!("{folder}/{rate}.json");
        let read = import(&name, &mut text.as_bytes(), false, &mut |_, _, _, _| {});
        session.adopt(read.whole().unwrap());
    }
    let context = Context {
        runs: session.runs().iter().map(|run| run.id.clone()).collect(),
        limits: vec!["ttft<=500ms".parse().unwrap()],
        ..Context::default()
    };
    match session.answer(&context, &Query::Curves { axes }) {
        Answer::Curves(view) => view,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_load_alone_has_no_letters_to_explain_and_is_told_with_its_value() {
    let view = built(&[("a", 2.0, &[(0.14, 0.01); 8])], CurveAxes::default());
    for caption in [&view.caption, &view.caption_narrow] {
        assert!(!caption.contains("P:") && !caption.contains("Star:"), "{caption}");
        assert!(!caption.contains("T:") && !caption.contains("joined"), "{caption}");
    }
    let summary = view.main.unwrap().summary;
    assert!(summary.contains(": 1 point, TTFT p99 140 ms at 2 req/s."), "{summary}");
}

#[test]
fn a_narrow_caption_names_no_letter_that_is_not_drawn() {
    let (quick, late) = ((0.1, 0.01), (0.9, 0.03));
    let loads: [Load<'_>; 3] = [
        ("a", 1.0, &[quick; 4]),
        ("a", 2.0, &[quick, quick, quick, quick, quick, quick, late, late]),
        ("a", 3.0, &[quick, late, late, late, late, late, late, late, late, late, late, late]),
    ];
    let view = built(&loads, CurveAxes::default());
    assert!(view.caption.contains("P: goodput peak") && view.caption.contains("T: highest"));
    let narrow = &view.caption_narrow;
    assert!(narrow.contains("Star: goodput peak."), "{narrow}");
    for letter in ["P:", "T:", "K:", "stands beside each"] {
        assert!(!narrow.contains(letter), "{narrow}");
    }
    let flags = view.main.unwrap().series.remove(0).points;
    let flag = flags.iter().find_map(|point| point.flag.as_ref()?.peak().map(str::to_owned));
    assert_eq!(flag.as_deref(), Some("1.50 at 2 req/s"), "the peak says its load");
}

#[test]
fn the_frontier_joins_what_no_load_beats_on_the_axes_shown() {
    let requests = |n: usize, ttft: f64| vec![(ttft, 0.01); n];
    let (a1, a2, b1, b2) = (requests(4, 0.1), requests(8, 0.4), requests(4, 0.2), requests(8, 0.3));
    let loads: [Load<'_>; 4] = [("a", 1.0, &a1), ("a", 2.0, &a2), ("b", 1.0, &b1), ("b", 2.0, &b2)];
    let axes = CurveAxes { frontier: true, ..CurveAxes::default() };
    let shown = built(&loads, axes).main.unwrap();
    let line = shown.series.iter().find(|series| series.name == "Pareto frontier").unwrap();
    let places: Vec<(f64, f64)> = line.points.iter().map(|point| (point.x, point.y)).collect();
    // 1 req/s at 100 ms and 2 req/s at 300 ms; the others come late at the same rate.
    assert_eq!(places.len(), 2, "{places:?}");
    assert!((places[0].1 - 100.0).abs() < 1e-6 && (places[1].1 - 300.0).abs() < 1e-6);
    assert!(shown.summary.contains("On the frontier: "), "{}", shown.summary);
    let off = built(&loads, CurveAxes::default()).main.unwrap();
    assert!(off.series.iter().all(|series| series.name != "Pareto frontier"));
    // Of throughput against rate the two highest loads are equal, and beat all others.
    let (y, stat) = (Metric::OutputThroughput, Stat::Value);
    let other = built(&loads, CurveAxes { y, stat, ..axes }).main.unwrap();
    let line = other.series.iter().find(|series| series.name == "Pareto frontier").unwrap();
    let rates: Vec<f64> = line.points.iter().map(|point| point.x).collect();
    assert!(rates.len() == 2 && rates.iter().all(|rate| (rate - 2.0).abs() < 1e-9), "{rates:?}");
}

#[test]
fn a_metric_stands_against_a_metric_with_its_own_limit_and_its_good_end() {
    let (quick, late) = (vec![(0.1, 0.01); 8], vec![(0.9, 0.03); 8]);
    let loads: [Load<'_>; 2] = [("a", 1.0, &quick), ("a", 2.0, &late)];
    let across = Across::Metric(Metric::Ttft, Stat::Median);
    let (y, stat) = (Metric::OutputThroughput, Stat::Value);
    let view = built(&loads, CurveAxes { x: across, y, stat, ..CurveAxes::default() });
    let chart = view.main.unwrap();
    assert_eq!((chart.x.title.as_str(), chart.x.unit.as_str()), ("TTFT p50", "ms"));
    assert_eq!(chart.x.better, Some(Better::Left));
    let places: Vec<f64> = chart.series[0].points.iter().map(|point| point.x).collect();
    assert!((places[0] - 100.0).abs() < 1e-6 && (places[1] - 900.0).abs() < 1e-6, "{places:?}");
    let limit = &chart.limits[0];
    assert_eq!((limit.axis, limit.value), (Which::X, 500.0), "it lies across");
    assert!(chart.zones.is_empty(), "more load need not lie farther right");
    let column = view.table.head.iter().position(|head| head == "TTFT p50, ms").unwrap();
    assert_eq!(view.table.rows[1][column], "900.0");
    let card = &view.cards[1].lines[0];
    assert_eq!((card.0.as_str(), card.1.as_str()), ("TTFT p50", "900 ms"));
}

#[test]
fn what_is_said_of_runs_before_they_come_holds_when_they_are_there() {
    // Three runs of other bytes: equal ones would be one.
    let (requests, others) = (vec![(0.1, 0.01); 4], vec![(0.2, 0.01); 4]);
    let loads: [Load<'_>; 3] = [("a", 1.0, &requests), ("a", 2.0, &requests), ("b", 2.0, &others)];
    let found = built(&loads, CurveAxes::default());
    assert_eq!(found.sweeps.iter().map(|sweep| sweep.runs.len()).collect::<Vec<_>>(), [2, 1]);
    assert!(!found.axes.contains(&LoadAxis::OutputPerGpu));
    let ids = || found.sweeps.iter().flat_map(|sweep| &sweep.runs).map(|run| run.id.clone());
    let mut session = Session::new();
    session.arrange(Arrangement {
        groups: ids().map(|id| (id, "all".to_owned())).collect(),
        gpus: ids().map(|id| (id, 8)).collect(),
        ..Arrangement::default()
    });
    let view = arranged(session, &loads, CurveAxes::default());
    let sweep = &view.sweeps[0];
    assert_eq!((view.sweeps.len(), sweep.name.as_str(), sweep.runs.len()), (1, "all", 3));
    assert_eq!((sweep.gpus, sweep.said_gpus), (None, Some(8)));
    assert!(view.axes.contains(&LoadAxis::OutputPerGpu), "it was typed");
    assert!(view.unavailable.is_empty());
}

#[test]
fn a_typed_count_of_gpus_is_said_under_the_axis_that_it_makes() {
    let requests = vec![(0.1, 0.01); 4];
    let loads: [Load<'_>; 2] = [("a", 1.0, &requests), ("a", 2.0, &requests)];
    let found = built(&loads, CurveAxes::default());
    let gpus = found.sweeps[0].runs.iter().map(|run| (run.id.clone(), 4)).collect();
    let mut session = Session::new();
    session.arrange(Arrangement { gpus, ..Arrangement::default() });
    let axes = CurveAxes { x: LoadAxis::OutputPerGpu.into(), ..CurveAxes::default() };
    let notes = arranged(session, &loads, axes).main.unwrap().notes;
    assert!(notes.iter().any(|note| note.starts_with("vLLM: 4 GPUs as typed")), "{notes:?}");
}

#[test]
fn no_word_touches_the_dotted_line_where_the_sample_sweep_saturates() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/samples/sweep");
    let mut session = Session::new();
    for rate in ["04", "08", "12", "16", "20", "26"] {
        let name = format!("vllm-rate{rate}.json");
        adopt(&mut session, &folder.join(&name), &name);
    }
    let chart = curves(&session).main.unwrap();
    for (width, height) in [(752, 396), (560, 396), (420, 352)] {
        let scene = chart.scene(Size::new(width, height), &Theme::of(Mode::Light));
        let onsets: Vec<f64> = scene
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Line { path, dash: Some(_), .. } => match path.as_slice() {
                    [a, b] if (a.0 - b.0).abs() < 1e-9 => Some(a.0),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert!(!onsets.is_empty(), "the sweep saturates");
        for shape in &scene.shapes {
            let (Some(area), Shape::Text { text, .. }) = (shape.text_box(), shape) else {
                continue;
            };
            let inside = area.top > 30.0 && area.bottom < f64::from(height) - 44.0;
            let touches = |x: &f64| area.left - 2.0 < *x && *x < area.right + 2.0;
            assert!(
                !(inside && onsets.iter().any(touches)),
                "{width}: “{text}” {area:?} {onsets:?}"
            );
        }
    }
}
