//! The two drawings of an explanation on the handed runs: the worked example of the design, and the own
//! numbers of every client of one server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test is the point of a test"
)]

mod handed;

use handed::{cases, library};
use sameruler::charts::scene::{Rect, Scene, Shape};
use sameruler::charts::{Chart, Drawing, Mode, Size, Theme};
use sameruler::model::{Metric, Origin, Ragged, Run, RunId, Stat};
use sameruler::units::Tokens;
use sameruler::views::Context;
use sameruler::views::explain::{ExplainAsk, ExplainView, Slot, Source, explain};
use serde_json::Value as Json;

fn ask(run: &RunId, a: Metric, b: Metric, request: Option<usize>) -> ExplainAsk {
    let slot = |metric| {
        Some(Slot { run: Some(run.clone()), metric, stat: Stat::Mean, source: Source::Own })
    };
    ExplainAsk { a: slot(a), b: slot(b), request, ..ExplainAsk::default() }
}

fn explained(run: &Run, a: Metric, b: Metric, request: Option<usize>) -> ExplainView {
    explain(&[run], &[], &Context::default(), &ask(&run.id, a, b, request))
}

/// A drawing at a width, as high as it needs.
fn drawn(drawing: &Drawing, width: f64) -> Scene {
    let height = drawing.height(width).unwrap();
    drawing.scene(Size { width, height }, &Theme::of(Mode::Light))
}

fn words(scene: &Scene) -> Vec<(&str, Rect)> {
    fn word(shape: &Shape) -> Option<(&str, Rect)> {
        let Shape::Text { text, .. } = shape else { return None };
        Some((text.as_str(), shape.text_box()?))
    }
    scene.shapes.iter().filter_map(word).collect()
}

#[test]
fn the_worked_example_is_drawn_with_its_steps_and_its_request() {
    let Some(cases) = cases() else { return };
    let example = cases.join("../design/mockups/bridge-example.json");
    let example: Json = serde_json::from_str(&std::fs::read_to_string(example).unwrap()).unwrap();
    let session = library(&cases.join("clients/S2/vllm"));
    let runs = session.runs();
    let run = runs.iter().find(|run| run.requests.is_some()).unwrap();
    let view = explained(run, Metric::Itl, Metric::Tpot, Some(4));

    let want = &example["same_rows"];
    let ends: Vec<f64> = view.waterfall.rows.iter().map(|row| row.span.unwrap().1).collect();
    let steps = want["steps"].as_array().unwrap();
    let after = steps.iter().map(|step| step["after"].as_f64().unwrap());
    let wanted = std::iter::once(want["A"]["value"].as_f64().unwrap()).chain(after);
    let wanted: Vec<f64> = wanted.chain(want["B"]["value"].as_f64()).collect();
    assert_eq!(ends.len(), wanted.len());
    for (got, want) in ends.iter().zip(&wanted) {
        assert!((got - want).abs() < 1e-9, "{got} is not {want}");
    }
    assert_eq!(view.waterfall.rows[1].causes[0], "÷ 2.25 tokens");

    // vLLM's file alone does not tell how its tokens are split among the chunks.
    let stream = view.rulers.unwrap();
    assert!(stream.events.iter().all(|event| event.tokens.is_none()));
    assert_eq!(stream.notes, ["28 tokens over 13 chunks, split unknown."]);
    assert!(stream.b.unwrap().marks.iter().all(|mark| mark.event.is_none()));

    // With the tokens of the server's log.
    let want = &example["request_5"];
    let wanted: Vec<u64> =
        want["tokens_per_chunk"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let row: Vec<Tokens> = wanted.iter().map(|n| Tokens::from_count(*n as f64)).collect();
    let mut run = (*run).clone();
    let requests = run.requests.as_mut().unwrap();
    requests.event_tokens = Ragged::new(Origin::Reported);
    for at in 0..requests.len() {
        requests.event_tokens.push_row((at == 4).then_some(row.as_slice()));
    }
    let stream = explained(&run, Metric::Itl, Metric::Tpot, Some(4)).rulers.unwrap();
    let tokens: Vec<u64> = stream.events.iter().map(|e| u64::from(e.tokens.unwrap())).collect();
    assert_eq!(tokens, wanted);
    let (a, b) = (stream.a.as_ref().unwrap(), stream.b.as_ref().unwrap());
    assert_eq!((a.marks.len(), b.marks.len()), (13, 28));
    assert_eq!((a.result.as_str(), b.result.as_str()), ("30.3 ms", "13.5 ms"));
    assert_eq!(a.reading, "364 ms ÷ 12 gaps");
    assert_eq!(b.reading, "364 ms ÷ 27 tokens");
    // Each chunk has one mark on A, and as many as it has tokens on B.
    for (at, tokens) in wanted.iter().enumerate() {
        let own = |marks: &[sameruler::charts::stream::Mark]| {
            marks.iter().filter(|mark| mark.event == Some(at)).count() as u64
        };
        assert_eq!((own(&a.marks), own(&b.marks)), (1, *tokens), "chunk {}", at + 1);
    }
    let pinned = &stream.events[want["highlight"]["chunk"].as_u64().unwrap() as usize - 1];
    let said: Vec<String> = pinned.said().collect();
    assert_eq!(pinned.name, "Chunk 10: 4 tokens");
    assert_eq!(
        said,
        ["A: one gap of 22.2 ms", "B: 4 tokens × 13.5 ms", "with zeros: 22.2, 0, 0, 0"]
    );
}

/// Names, numbers and stamps of real files keep apart and inside, at every width.
#[test]
fn the_numbers_of_every_client_are_drawn_with_room_for_every_word() {
    let Some(cases) = cases() else { return };
    let mut faults = Vec::new();
    let mut seen = 0;
    for scenario in ["S1", "S2", "S3", "S4", "S5", "S6", "S8"] {
        let session = library(&cases.join("clients").join(scenario));
        for run in session.runs().into_iter().filter(|run| run.requests.is_some()) {
            let pairs = [
                (Metric::Itl, Metric::Tpot),
                (Metric::Tpot, Metric::Itl),
                (Metric::Ttft, Metric::E2e),
            ];
            // Every way round on the scenario of several tokens a chunk; once on the others.
            let asked = if scenario == "S2" { pairs.as_slice() } else { &pairs[..1] };
            for &(a, b) in asked {
                let view = explained(run, a, b, None);
                let mut drawings = vec![Drawing::from(view.waterfall)];
                drawings.extend(view.rulers.map(Drawing::from));
                for drawing in drawings.iter().filter(|d| !d.title().is_empty()) {
                    seen += 1;
                    let name = format!("{scenario} {} {a:?} to {b:?}", run.name);
                    faults.extend(crowded(drawing, &name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(seen > 50, "{seen} drawings");
}

/// Words that lie on others or leave the frame.
fn crowded(drawing: &Drawing, name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for width in [1048.0, 704.0, 640.0, 358.0] {
        let scene = drawn(drawing, width);
        let words = words(&scene);
        for (at, (text, area)) in words.iter().enumerate() {
            let frame =
                Rect { left: -0.5, top: -0.5, right: width + 0.5, bottom: scene.size.height + 0.5 };
            if !frame.encloses(area) {
                faults.push(format!("{name}, {width}: “{text}” leaves the frame"));
            }
            for (other, ground) in words.iter().skip(at + 1) {
                let shrunk = Rect::around(area.centre(), area.width() - 1.2, area.height() - 1.2);
                if shrunk.overlaps(ground) {
                    faults.push(format!("{name}, {width}: “{text}” on “{other}”"));
                }
            }
        }
    }
    faults
}
